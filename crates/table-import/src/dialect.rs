//! Dialect of a table: its delimiter and quotes, detected from the file's beginning unless set by the caller, and a
//! filter that converts it to the standard form.
//!
//! Invariant: a file that is valid in the standard form (quotes begin fields and are doubled inside) is read that way.
//! Another form is used only if the whole file fits it better.

use crate::fault;
use csv::{ReaderBuilder, StringRecord};
use kit::error::{Result, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Separators that are found out.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Rows over which the form is found out.
const SAMPLE_ROWS: usize = 1_000;

/// The quote character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Quote {
    /// `"`.
    #[serde(rename = "\"")]
    Double,
    /// `'`.
    #[serde(rename = "'")]
    Single,
    /// No quoting; quote characters are part of the text.
    #[serde(rename = "none")]
    None,
}

impl Quote {
    pub(crate) fn sign(self) -> Option<u8> {
        match self {
            Quote::Double => Some(b'"'),
            Quote::Single => Some(b'\''),
            Quote::None => None,
        }
    }
}

/// Delimiter and quoting of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The sign between fields.
    pub delimiter: u8,
    /// The sign around fields that hold others.
    pub quote: Quote,
    /// Spaces may precede the opening quote of a field.
    spaced: bool,
    /// A backslash escapes a quote within a field.
    pub escaped: bool,
}

impl Dialect {
    /// The form that most files have.
    pub fn plain(delimiter: u8) -> Dialect {
        Dialect { delimiter, quote: Quote::Double, spaced: false, escaped: false }
    }

    /// The filter that makes the plain form of this one, where it is another.
    pub fn straight(&self) -> Option<Straight> {
        (self.spaced || self.escaped).then(|| Straight::new(*self))
    }

    /// Reads rows of the plain form.
    pub(crate) fn reader(self) -> ReaderBuilder {
        let mut builder = ReaderBuilder::new();
        builder.delimiter(self.delimiter).flexible(true).has_headers(false).buffer_capacity(64 * 1024);
        match self.quote.sign() {
            Some(sign) => builder.quote(sign),
            None => builder.quoting(false),
        };
        builder
    }

    /// The text in the standard form, and counts of its quotes.
    fn read(self, text: &str) -> (String, Met) {
        let mut straight = Straight::new(self);
        let mut out = Vec::with_capacity(text.len() + 1);
        straight.take(text.as_bytes(), &mut out);
        straight.met.open = matches!(straight.at, At::Quoted | At::Escape);
        // Signs are only added or left out where they are ASCII, which splits no character.
        (String::from_utf8_lossy(&out).into_owned(), straight.met)
    }
}

/// Reads the separator as a caller names it: by its sign, or by a word where that is hard to type.
pub fn delimiter_named(named: &str) -> Result<u8> {
    let word = match named.to_ascii_lowercase().as_str() {
        "comma" => b',',
        "semicolon" => b';',
        "tab" | "\\t" => b'\t',
        "bar" | "pipe" => b'|',
        "space" => b' ',
        _ => match named.as_bytes() {
            [sign] if (sign.is_ascii_punctuation() && !b"\"'\\".contains(sign)) || b"\t ".contains(sign) => *sign,
            _ => {
                let detail = "Use one character such as , ; | or :, or comma, semicolon, tab, bar, or space. Letters, digits, \
                 quotes, and backslashes aren't delimiters.";
                return Err(invalid("/delimiter", fault::UNKNOWN_DELIMITER, detail));
            }
        },
    };
    Ok(word)
}

/// Where in a row the filter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// The beginning of a field.
    Begin,
    /// Within a field without quotes.
    Field,
    Quoted,
    /// Behind a backslash within quotes.
    Escape,
    /// Behind a quote within quotes.
    Close,
    /// After spaces that follow a closing quote.
    Behind,
}

/// Counts from reading a text in a form.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
struct Met {
    /// Quoted fields.
    quoted: usize,
    /// Those with spaces before them.
    spaced: usize,
    /// Quotes within fields after a backslash.
    escaped: usize,
    /// Closing quotes in the middle of a field.
    stray: usize,
    /// Fields without quotes at their beginning that end with one.
    odd_ends: usize,
    /// Fields without quotes that are no numbers.
    bare: usize,
    /// The last quote is left open.
    open: bool,
}

impl Met {
    fn faults(&self, whole: bool) -> usize {
        self.stray + self.odd_ends + usize::from(self.open && whole)
    }
    /// Whether the quotes close their fields, but for a few in a long file.
    fn closes(&self, whole: bool) -> bool {
        self.stray * 100 <= self.quoted && !(self.open && whole)
    }
}

/// Makes the plain form of a text, piece by piece.
pub struct Straight {
    dialect: Dialect,
    at: At,
    /// Spaces at the beginning of a field that wait for what follows.
    spaces: usize,
    /// Of a field without quotes, its last sign but spaces, and whether it is a number so far.
    last: u8,
    number: bool,
    met: Met,
}

/// Spaces that wait for a quote behind them; more are a text.
const SPACES_MAX: usize = 1024;

impl Straight {
    fn new(dialect: Dialect) -> Straight {
        Straight { dialect, at: At::Begin, spaces: 0, last: b' ', number: true, met: Met::default() }
    }

    pub(crate) fn take(&mut self, text: &[u8], out: &mut Vec<u8>) {
        text.iter().for_each(|byte| self.step(*byte, out));
    }

    fn step(&mut self, byte: u8, out: &mut Vec<u8>) {
        let Dialect { delimiter, quote, spaced, escaped } = self.dialect;
        let is_quote = quote.sign() == Some(byte);
        let ends = byte == delimiter || byte == b'\n';
        self.at = match self.at {
            At::Begin if is_quote => {
                self.met.quoted += 1;
                self.met.spaced += usize::from(self.spaces > 0);
                self.spaces = 0;
                At::Quoted
            }
            At::Begin if spaced && byte == b' ' && !ends && self.spaces < SPACES_MAX => {
                self.spaces += 1;
                return;
            }
            At::Begin => {
                out.resize(out.len() + std::mem::take(&mut self.spaces), b' ');
                (self.last, self.number) = (byte, is_of_number(byte));
                if ends { At::Begin } else { At::Field }
            }
            At::Field if ends => {
                self.met.odd_ends += usize::from(quote.sign() == Some(self.last));
                self.met.bare += usize::from(!self.number);
                At::Begin
            }
            At::Field => {
                self.number &= is_of_number(byte);
                self.last = if byte == b' ' { self.last } else { byte };
                At::Field
            }
            At::Quoted if is_quote => At::Close,
            At::Quoted if escaped && byte == b'\\' => {
                self.at = At::Escape;
                return;
            }
            At::Quoted => At::Quoted,
            At::Escape => {
                self.met.escaped += usize::from(is_quote);
                // Before another sign a backslash is itself.
                match byte {
                    b'\\' => {}
                    _ if is_quote => out.push(byte),
                    _ => out.push(b'\\'),
                }
                At::Quoted
            }
            At::Close if is_quote => At::Quoted,
            At::Close | At::Behind if ends => At::Begin,
            At::Close | At::Behind if byte == b' ' => At::Behind,
            At::Close | At::Behind => {
                self.met.stray += 1;
                (self.last, self.number) = (byte, false);
                At::Field
            }
        };
        out.push(byte);
    }
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || b" .,+-".contains(&byte)
}

/// The caller's options for delimiter and quotes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Named {
    /// The sign between fields.
    pub delimiter: Option<u8>,
    /// The sign around fields.
    pub quote: Option<Quote>,
}

/// A form in which a text was read.
struct Reading {
    dialect: Dialect,
    met: Met,
    rows: usize,
    width: usize,
    share: f64,
    first_differs: bool,
}

impl Reading {
    fn new(text: &str, dialect: Dialect) -> Reading {
        let (plain, met) = dialect.read(text);
        let rows = rows_of(&plain, Dialect { spaced: false, escaped: false, ..dialect });
        let (width, share) = usual_width(&rows);
        let first_differs = rows.first().is_some_and(|row| row.len() != width);
        Reading { dialect, met, rows: rows.len(), width, share, first_differs }
    }

    /// How well the separator divides the text.
    fn score(&self) -> f64 {
        if self.width < 2 {
            return 0.0;
        }
        // A decimal comma also splits rows evenly, but not the head row.
        self.share * self.share * (1.0 - 1.0 / self.width as f64).sqrt() * if self.first_differs { 0.7 } else { 1.0 }
    }
}

/// The form that a text is in. `whole`: whether the text is all of the file.
pub fn find(text: &str, whole: bool, named: Named) -> Dialect {
    let of = |delimiter| by_delimiter(text, whole, delimiter, named.quote);
    match named.delimiter {
        Some(delimiter) => of(delimiter).dialect,
        // The separator under which most rows have the same number of fields, and more than one.
        None => {
            let best = DELIMITERS
                .into_iter()
                .map(of)
                .reduce(|best, next| if next.score() > best.score() { next } else { best });
            best.map_or(Dialect::plain(b','), |reading| reading.dialect)
        }
    }
}

fn by_delimiter(text: &str, whole: bool, delimiter: u8, quote: Option<Quote>) -> Reading {
    let family = |quote| by_quote(text, whole, Dialect { quote, ..Dialect::plain(delimiter) });
    if let Some(quote) = quote {
        return family(quote);
    }
    let double = family(Quote::Double);
    if double.met.quoted > 0 || !text.contains('\'') {
        return double;
    }
    let single = family(Quote::Single);
    let met = single.met;
    let divides = single.width > 1 && single.share > double.share;
    let all_quoted = met.quoted > 1 && met.bare == 0;
    let taken = met.quoted > 0 && met.closes(whole) && met.odd_ends == 0 && (divides || all_quoted);
    if taken { single } else { double }
}

/// The plain form of a quote, or another where quotes say that the file is in it.
fn by_quote(text: &str, whole: bool, plain: Dialect) -> Reading {
    let mut best = Reading::new(text, plain);
    let Some(sign) = plain.quote.sign().map(char::from) else { return best };
    let may_space = text.contains(&format!(" {sign}"));
    let may_escape = text.contains(&format!("\\{sign}"));
    for (spaced, escaped) in [(true, false), (false, true), (true, true)] {
        if (spaced && !may_space) || (escaped && !may_escape) || best.met.faults(whole) == 0 {
            continue;
        }
        let other = Reading::new(text, Dialect { spaced, escaped, ..plain });
        let shows_spaces =
            !spaced || (other.met.spaced > 0 && (other.share > best.share || other.met.spaced * 2 >= other.rows));
        let shows_escapes = !escaped || other.met.escaped > 0;
        let better = other.met.faults(whole) < best.met.faults(whole)
            && other.share >= best.share
            && other.width >= 2.min(best.width);
        if other.met.closes(whole) && better && shows_spaces && shows_escapes {
            best = other;
        }
    }
    best
}

/// The first rows of a text in this form.
pub(crate) fn rows_of(sample: &str, dialect: Dialect) -> Vec<StringRecord> {
    let mut plain = Vec::new();
    let text = match dialect.straight() {
        Some(mut straight) => {
            straight.take(sample.as_bytes(), &mut plain);
            &plain
        }
        None => sample.as_bytes(),
    };
    let mut reader = dialect.reader().from_reader(text);
    reader.records().take(SAMPLE_ROWS).map_while(|record| record.ok()).collect()
}

/// The commonest number of fields of a row, and the share of rows that have it. Of equally common ones, the larger.
pub(crate) fn usual_width(rows: &[StringRecord]) -> (usize, f64) {
    let mut widths: HashMap<usize, usize> = HashMap::new();
    for row in rows {
        *widths.entry(row.len()).or_default() += 1;
    }
    let usual = widths.into_iter().max_by_key(|(width, rows)| (*rows, *width)).unwrap_or((1, 0));
    (usual.0, usual.1 as f64 / rows.len().max(1) as f64)
}
