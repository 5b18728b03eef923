//! A board's columns in memory: small codes, scaled integers and days, never an object for a row.

use crate::fold::{fold_case, fold_text};
use crate::predicate::TextOp;
use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The day of a cell without a date.
pub(crate) const NO_DAY: i32 = i32::MIN;
/// The scaled number of an empty cell.
pub(crate) const NO_INT: i32 = i32::MIN;

/// A number that nothing else has: what is derived from a column is found again by it.
pub(crate) fn stamp() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed)
}

/// Codes of a column's rows; 0 is the empty cell.
pub(crate) struct Codes {
    pub stamp: u64,
    pub form: Form,
}

pub(crate) enum Form {
    U16(Vec<u16>),
    U32(Vec<u32>),
}

impl Codes {
    /// The narrowest form that holds every code up to `max`.
    pub fn new(codes: Vec<u32>, max: usize) -> Codes {
        let form = if max <= usize::from(u16::MAX) {
            Form::U16(codes.iter().map(|c| *c as u16).collect())
        } else {
            Form::U32(codes)
        };
        Codes { stamp: stamp(), form }
    }
    pub fn len(&self) -> usize {
        match &self.form {
            Form::U16(codes) => codes.len(),
            Form::U32(codes) => codes.len(),
        }
    }
    #[inline]
    pub fn get(&self, row: usize) -> u32 {
        match &self.form {
            Form::U16(codes) => u32::from(codes[row]),
            Form::U32(codes) => codes[row],
        }
    }
}

/// A label, tag, member, group or text that cells of a column hold.
#[derive(Clone, Default)]
pub(crate) struct Entry {
    pub id: String,
    pub text: String,
    pub folded: String,
    pub color: Option<String>,
    pub done: bool,
}

impl Entry {
    pub fn named(id: &str, text: &str) -> Entry {
        Entry { id: id.to_owned(), text: text.trim().to_owned(), folded: fold_case(text), ..Entry::default() }
    }
}

/// Codes and what they stand for. A code stands for a set of entries: one for a label, any number for tags and people.
pub(crate) struct Coded {
    pub codes: Codes,
    pub entries: Vec<Entry>,
    /// Whether a cell can hold several entries.
    pub many: bool,
    /// Start of each code's entries in `members`, by code, and one more.
    offsets: Vec<u32>,
    members: Vec<u32>,
}

impl Coded {
    /// How many codes there are, the empty one among them.
    pub fn code_count(&self) -> usize {
        self.offsets.len() - 1
    }
    /// The entries that a code stands for.
    pub fn entries_of(&self, code: usize) -> &[u32] {
        &self.members[self.offsets[code] as usize..self.offsets[code + 1] as usize]
    }
    /// For each code whether its entries satisfy a test.
    pub fn table(&self, test: impl Fn(&[u32]) -> bool) -> Vec<bool> {
        (0..self.code_count()).map(|code| test(self.entries_of(code))).collect()
    }
}

/// Builds a `Coded` row by row.
pub(crate) struct CodedBuilder {
    codes: Vec<u32>,
    pub entries: Vec<Entry>,
    many: bool,
    offsets: Vec<u32>,
    members: Vec<u32>,
    by_key: HashMap<String, u32>,
}

impl CodedBuilder {
    /// With the entries known beforehand, in their order: only where a cell holds one.
    pub fn new(entries: Vec<Entry>, many: bool) -> CodedBuilder {
        let mut builder = CodedBuilder {
            codes: Vec::new(),
            entries: Vec::new(),
            many,
            offsets: vec![0, 0],
            members: Vec::new(),
            by_key: HashMap::new(),
        };
        for entry in entries {
            builder.single(&entry.id.clone(), || entry);
        }
        builder
    }
    fn entry(&mut self, key: String, make: impl FnOnce() -> Entry) -> u32 {
        let next = self.entries.len() as u32;
        *self.by_key.entry(key).or_insert_with(|| {
            self.entries.push(make());
            next
        })
    }
    fn set_code(&mut self, members: Vec<u32>) -> u32 {
        self.members.extend(members);
        self.offsets.push(self.members.len() as u32);
        self.offsets.len() as u32 - 2
    }
    /// The code of a single entry: its own number plus one.
    pub fn single(&mut self, key: &str, make: impl FnOnce() -> Entry) -> u32 {
        let before = self.entries.len();
        let index = self.entry(key.to_owned(), make);
        if self.entries.len() > before {
            self.set_code(vec![index]);
        }
        index + 1
    }
    /// A new code for a set of entries, each named by its key; the empty set is the empty cell.
    pub fn set(&mut self, keys: &[String], make: impl Fn(&str) -> Entry) -> u32 {
        let mut members = Vec::new();
        for key in keys {
            let index = self.entry(key.clone(), || make(key));
            if !members.contains(&index) {
                members.push(index);
            }
        }
        if members.is_empty() { 0 } else { self.set_code(members) }
    }
    pub fn push(&mut self, code: u32) {
        self.codes.push(code);
    }
    pub fn finish(self) -> Coded {
        let max = self.offsets.len();
        Coded {
            codes: Codes::new(self.codes, max),
            entries: self.entries,
            many: self.many,
            offsets: self.offsets,
            members: self.members,
        }
    }
}

/// Texts one behind the other.
#[derive(Default)]
pub(crate) struct Texts {
    bytes: String,
    ends: Vec<usize>,
    folded: OnceLock<(String, Vec<usize>)>,
    coded: OnceLock<Coded>,
}

impl Texts {
    pub fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
    }
    pub fn len(&self) -> usize {
        self.ends.len()
    }
    pub fn get(&self, row: usize) -> &str {
        &self.bytes[if row == 0 { 0 } else { self.ends[row - 1] }..self.ends[row]]
    }
    /// The texts without case and accents, and where each ends; made when first asked for.
    fn folded_bytes(&self) -> &(String, Vec<usize>) {
        self.folded.get_or_init(|| {
            let (mut bytes, mut ends) = (String::with_capacity(self.bytes.len()), Vec::with_capacity(self.ends.len()));
            for row in 0..self.len() {
                fold_text(self.get(row), &mut bytes);
                ends.push(bytes.len());
            }
            (bytes, ends)
        })
    }
    /// A row's text without case and accents.
    pub fn folded<'a>(&'a self) -> impl Fn(usize) -> &'a str {
        let (bytes, ends) = self.folded_bytes();
        |row| &bytes[if row == 0 { 0 } else { ends[row - 1] }..ends[row]]
    }
    /// Takes away the rows whose text is not as wanted from some that begin with `start`: one bit each.
    pub fn narrow(&self, op: TextOp, wanted: &str, start: usize, words: &mut [u64]) {
        let folded = self.folded();
        let meets = |text: &str| match op {
            TextOp::Contains => text.contains(wanted),
            TextOp::Is => text.trim() == wanted.trim(),
            TextOp::StartsWith => text.trim_start().starts_with(wanted),
            TextOp::Empty => text.trim().is_empty(),
        };
        for (at, word) in words.iter_mut().enumerate().filter(|(_, word)| **word != 0) {
            let first = start + at * 64;
            if op == TextOp::Contains && word.count_ones() > 8 {
                *word &= self.holding(wanted.as_bytes(), first, (self.len() - first).min(64));
                continue;
            }
            let mut left = *word;
            while left != 0 {
                let bit = left.trailing_zeros() as usize;
                if !meets(folded(first + bit)) {
                    *word &= !(1 << bit);
                }
                left &= left - 1;
            }
        }
    }
    /// Which of so many rows, 64 at most, hold some bytes: their texts are searched as the one that they are in memory.
    fn holding(&self, wanted: &[u8], first: usize, rows: usize) -> u64 {
        let (bytes, ends) = self.folded_bytes();
        let from = if first == 0 { 0 } else { ends[first - 1] };
        let text = &bytes.as_bytes()[from..ends[first + rows - 1]];
        let (Some(head), Some(tail)) = (wanted.first(), wanted.last()) else { return u64::MAX };
        if text.len() < wanted.len() {
            return 0;
        }
        let (heads, tails) = (&text[..=text.len() - wanted.len()], &text[wanted.len() - 1..]);
        let (mut holding, mut row) = (0, first);
        let mut look = |begin: usize, heads: &[u8], tails: &[u8]| {
            for (at, _) in heads.iter().zip(tails).enumerate().filter(|(_, (a, b))| *a == head && *b == tail) {
                let (begin, end) = (begin + at, begin + at + wanted.len());
                while ends[row] <= from + begin {
                    row += 1;
                }
                // What begins in one row and ends in the next is in neither.
                if from + end <= ends[row] && text[begin..end] == *wanted {
                    holding |= 1 << (row - first);
                }
            }
        };
        // Where neither the first nor the last of them stands is told for many places at once.
        let ((head_chunks, head_rest), (tail_chunks, tail_rest)) = (heads.as_chunks::<32>(), tails.as_chunks::<32>());
        for (at, (heads, tails)) in head_chunks.iter().zip(tail_chunks).enumerate() {
            let any = heads.iter().zip(tails).fold(0, |any, (a, b)| any | u8::from(a == head) & u8::from(b == tail));
            if any != 0 {
                look(at * 32, heads, tails);
            }
        }
        look(head_chunks.len() * 32, head_rest, tail_rest);
        holding
    }
    /// The texts as codes, equal ones but for case and surrounding spaces as one; made when first asked for.
    pub fn coded(&self) -> &Coded {
        self.coded.get_or_init(|| {
            let mut builder = CodedBuilder::new(Vec::new(), false);
            for row in 0..self.len() {
                let text = self.get(row);
                let folded = fold_case(text);
                let code = if folded.is_empty() { 0 } else { builder.single(&folded, || Entry::named("", text)) };
                builder.push(code);
            }
            builder.finish()
        })
    }
}

/// Numbers of a column: as integers where each fits 32 bits at some number of decimals up to four, so that sums are exact and
/// their order does not matter.
pub(crate) enum Numbers {
    Scaled {
        values: Vec<i32>,
        decimals: u8,
        /// Whether one of them is below zero.
        negative: bool,
    },
    /// NaN is the empty cell.
    Float(Vec<f64>),
}

/// Ten to the power of a scaled column's decimals.
pub(crate) const POWERS: [f64; 5] = [1.0, 10.0, 100.0, 1000.0, 10_000.0];

impl Numbers {
    /// From numbers with NaN for the empty cell; an infinite one is empty too.
    pub fn new(mut floats: Vec<f64>) -> Numbers {
        for value in &mut floats {
            if !value.is_finite() {
                *value = f64::NAN;
            }
        }
        let mut decimals = 0;
        for value in floats.iter().filter(|v| !v.is_nan()) {
            while decimals < POWERS.len() && scaled(*value, POWERS[decimals]).is_none() {
                decimals += 1;
            }
            if decimals == POWERS.len() {
                return Numbers::Float(floats);
            }
        }
        // A value that fitted with fewer decimals may be too large with more.
        let fit = |v: &f64| if v.is_nan() { Some(NO_INT) } else { scaled(*v, POWERS[decimals]) };
        match floats.iter().map(fit).collect() {
            Some(values) => {
                Numbers::Scaled { values, decimals: decimals as u8, negative: floats.iter().any(|value| *value < 0.0) }
            }
            None => Numbers::Float(floats),
        }
    }
    /// Decimals of the scaled form; 0 for the other.
    pub fn decimals(&self) -> u8 {
        if let Numbers::Scaled { decimals, .. } = self { *decimals } else { 0 }
    }
    /// A row's number.
    pub fn get(&self, row: usize) -> Option<f64> {
        match self {
            Numbers::Scaled { values, decimals, .. } => {
                (values[row] != NO_INT).then(|| f64::from(values[row]) / POWERS[usize::from(*decimals)])
            }
            Numbers::Float(values) => Some(values[row]).filter(|v| !v.is_nan()),
        }
    }
}

fn scaled(value: f64, power: f64) -> Option<i32> {
    let whole = (value * power).round();
    (whole.abs() <= f64::from(i32::MAX) && whole / power == value).then_some(whole as i32)
}

/// The cells of one column.
pub(crate) enum Data {
    Text(Texts),
    /// Names of files, one below the other.
    Files(Texts),
    Coded(Coded),
    Numbers(Numbers),
    /// Days since 1970-01-01, `NO_DAY` for none.
    Days(Vec<i32>),
    /// First and last days, `NO_DAY` for none.
    Spans(Vec<i32>, Vec<i32>),
    /// Milliseconds since the epoch, UTC.
    Instants(Vec<i64>),
    /// Cells of a type that this version does not know.
    Opaque,
}
