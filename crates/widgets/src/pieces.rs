//! Pieces of answers that are sent to a caller only once: names of categories, dates of sprints, the boards that rules reach.
//! Later answers refer to a piece by its number, and leave out what follows from the rest. `ui/src/engine/told.ts` reads them.

use crate::format::{Format, Written, is_plain, write};
use crate::query::Locale;
use crate::raw_result::RawResult;
use rustc_hash::FxHashMap;
use serde::{Serialize, Serializer};
use std::cell::RefCell;

/// Pieces at most; then all is told anew.
const PIECES_MAX: usize = 1 << 14;

/// What names a piece.
#[derive(PartialEq, Eq, Hash)]
pub(crate) enum Name {
    /// Part of something with a stamp.
    Part(u64, u32),
    /// What is written so.
    Text(String),
}

/// The pieces that a caller has received.
#[derive(Default)]
pub(crate) struct Pieces(RefCell<Known>);

#[derive(Default)]
struct Known {
    numbers: FxHashMap<Name, u32>,
    /// Those first sent with the current answer.
    new: Vec<RawResult>,
}

impl Pieces {
    /// Takes the pieces that weren't sent before.
    pub fn take_new(&self) -> Vec<RawResult> {
        std::mem::take(&mut self.0.borrow_mut().new)
    }
    /// Whether there are so many that it is better to begin anew.
    pub fn are_too_many(&self) -> bool {
        self.0.borrow().numbers.len() > PIECES_MAX
    }
    /// A piece's number.
    pub fn number<T: Serialize>(&self, name: Name, whole: impl FnOnce() -> T) -> u32 {
        let Known { numbers, new } = &mut *self.0.borrow_mut();
        let next = numbers.len() as u32;
        *numbers.entry(name).or_insert_with(|| {
            new.extend(RawResult::new(&whole()));
            next
        })
    }
    /// The number of what is named by all that is said of it.
    pub fn number_of<T: Serialize>(&self, whole: &T) -> u32 {
        self.number(Name::Text(serde_json::to_string(whole).unwrap_or_default()), || whole)
    }
}

/// A piece by its number, or as it is.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Piece<T> {
    Known(u32),
    Whole(T),
}

impl<T: Serialize> Piece<T> {
    pub fn new(pieces: Option<&Pieces>, name: Name, whole: impl FnOnce() -> T) -> Piece<T> {
        match pieces {
            Some(pieces) => Piece::Known(pieces.number(name, whole)),
            None => Piece::Whole(whole()),
        }
    }
    /// For a place among other members: its number, or what it is.
    pub fn apart(self) -> (Option<u32>, Option<T>) {
        match self {
            Piece::Known(number) => (Some(number), None),
            Piece::Whole(whole) => (None, Some(whole)),
        }
    }
}

/// A number with its short and its full form; whoever knows pieces is told the forms only where they are not its digits.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Figure {
    Whole { full: String, text: String, value: Option<f64> },
    Plain(u32),
    Nothing,
    Alike(f64, String),
    Apart(f64, String, String),
}

impl Figure {
    pub fn new(pieces: Option<&Pieces>, value: f64, format: &Format, locale: &Locale) -> Figure {
        let knows_pieces = pieces.is_some();
        if knows_pieces && !value.is_finite() {
            return Figure::Nothing;
        }
        if knows_pieces && is_plain(value, format) {
            return Figure::Plain(value as u32);
        }
        let Written { text, full } = write(value, format, locale);
        match knows_pieces {
            false => Figure::Whole { full, text, value: Some(value).filter(|value| value.is_finite()) },
            true if text == full => Figure::Alike(value, full),
            true => Figure::Apart(value, text, full),
        }
    }
}

/// Values with their items and their forms; whoever knows pieces is told these only where they are not the values' digits.
pub(crate) struct Row {
    pub fulls: Option<Vec<String>>,
    pub items: Option<Vec<u64>>,
    pub texts: Option<Vec<String>>,
    pub values: Vec<Option<Number>>,
}

impl Row {
    /// Of values, each with how many items it is made of.
    pub fn new(pieces: Option<&Pieces>, cells: Vec<(Option<f64>, u64)>, format: &Format, locale: &Locale) -> Row {
        let knows_pieces = pieces.is_some();
        let is_plain = |(value, _): &(Option<f64>, u64)| value.is_none_or(|value| is_plain(value, format));
        let is_count = |(value, items): &(Option<f64>, u64)| *value == Some(*items as f64);
        let (mut fulls, mut texts) = (None, None);
        if !knows_pieces || !cells.iter().all(is_plain) {
            let written = cells.iter().map(|(value, _)| write(value.unwrap_or(f64::NAN), format, locale));
            let (short, full): (Vec<String>, Vec<String>) = written.map(|Written { text, full }| (text, full)).unzip();
            fulls = Some(full).filter(|full| !knows_pieces || *full != short);
            texts = Some(short);
        }
        let items =
            (!knows_pieces || !cells.iter().all(is_count)).then(|| cells.iter().map(|(_, items)| *items).collect());
        let number = |value| if knows_pieces { Number::Short(value) } else { Number::Whole(value) };
        Row { fulls, items, texts, values: cells.iter().map(|(value, _)| value.map(number)).collect() }
    }
}

/// A number; a short one without a fraction of nothing.
pub(crate) enum Number {
    Whole(f64),
    Short(f64),
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Number::Short(value) if value.fract() == 0.0 && value.abs() < 1e15 => {
                serializer.serialize_i64(*value as i64)
            }
            Number::Short(value) | Number::Whole(value) => serializer.serialize_f64(*value),
        }
    }
}
