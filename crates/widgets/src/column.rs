//! A board's columns in memory: small codes, scaled integers and days, never an object for a row.

use crate::fold::{fold_case, fold_text};
use crate::planes::{HOLDERS_MAX, Holders};
use crate::selection::BLOCK;
use memchr::memmem::Finder;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

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
    #[inline(always)]
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
    pub canceled: bool,
}

impl Entry {
    pub fn named(id: &str, text: &str) -> Entry {
        Entry { id: id.to_owned(), text: text.trim().to_owned(), folded: fold_case(text), ..Entry::default() }
    }
}

/// Codes and what they stand for. A code stands for a set of entries: one for a label, any number for tags and people.
pub(crate) struct Coded {
    pub codes: Arc<Codes>,
    pub entries: Vec<Entry>,
    /// Whether a cell can hold several entries.
    pub many: bool,
    /// Start of each code's entries in `members`, by code, and one more.
    offsets: Vec<u32>,
    members: Vec<u32>,
    holders: OnceLock<Holders>,
}

impl Coded {
    /// The rows that hold each entry, where these are not too many; found when first asked for.
    pub fn holders(&self) -> Option<&Holders> {
        (self.entries.len() <= HOLDERS_MAX).then(|| self.holders.get_or_init(|| Holders::new(self)))
    }
    /// How many codes there are, the empty one among them.
    pub fn code_count(&self) -> usize {
        self.offsets.len() - 1
    }
    /// The entries that a code stands for.
    #[inline(always)]
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
    pub fn reserve(&mut self, rows: usize) {
        self.codes.reserve(rows);
    }
    pub fn push(&mut self, code: u32) {
        self.codes.push(code);
    }
    pub fn finish(self) -> Coded {
        let max = self.offsets.len();
        Coded {
            codes: Arc::new(Codes::new(self.codes, max)),
            entries: self.entries,
            many: self.many,
            offsets: self.offsets,
            members: self.members,
            holders: OnceLock::new(),
        }
    }
}

/// Questions about a text, compared without case and accents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TextOp {
    Contains,
    Is,
    StartsWith,
    Empty,
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
    /// Makes room, so that nothing is moved while it grows.
    pub fn reserve(&mut self, rows: usize, bytes: usize) {
        self.bytes.reserve(bytes);
        self.ends.reserve(rows);
    }
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
        narrow(words, |at| meets(folded(start + at)));
    }
    /// The same for those whose text does not hold some bytes. Where many rows are asked, their texts are searched as the one that
    /// they are in memory.
    pub fn narrow_to_holding(&self, wanted: &Finder<'_>, start: usize, words: &mut [u64]) {
        let (bytes, ends) = self.folded_bytes();
        let begin = |row: usize| if row == 0 { 0 } else { ends[row - 1] };
        let last = ends.len().min(start + words.len() * 64);
        let asked: u32 = words.iter().map(|word| word.count_ones()).sum();
        if asked as usize * 8 < last - start {
            narrow(words, |at| wanted.find(&bytes.as_bytes()[begin(start + at)..ends[start + at]]).is_some());
            return;
        }
        let mut met = [0u64; BLOCK];
        let text = &bytes.as_bytes()[..ends[last - 1]];
        let (mut from, mut row) = (begin(start), start);
        while let Some(at) = wanted.find(&text[from..]) {
            let at = from + at;
            row += ends[row..last].partition_point(|end| *end <= at);
            // What begins in one row and ends in the next is in neither.
            if at + wanted.needle().len() <= ends[row] {
                met[(row - start) / 64] |= 1 << ((row - start) % 64);
                from = ends[row];
            } else {
                from = at + 1;
            }
        }
        words.iter_mut().zip(met).for_each(|(word, met)| *word &= met);
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

/// Takes away the rows that do not pass, one by one.
fn narrow(words: &mut [u64], pass: impl Fn(usize) -> bool) {
    for (at, word) in words.iter_mut().enumerate() {
        let mut left = *word;
        while left != 0 {
            let bit = left.trailing_zeros() as usize;
            if !pass(at * 64 + bit) {
                *word &= !(1 << bit);
            }
            left &= left - 1;
        }
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
    /// The numbers of some rows.
    pub fn only(&self, rows: &[usize]) -> Numbers {
        match self {
            Numbers::Scaled { values, decimals, negative } => Numbers::Scaled {
                values: rows.iter().map(|row| values[*row]).collect(),
                decimals: *decimals,
                negative: *negative,
            },
            Numbers::Float(values) => Numbers::Float(rows.iter().map(|row| values[*row]).collect()),
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
