//! Values while a formula is computed, and how much it may do.

use column_types::TEXT_CHARS_MAX;
use column_types::values;
use serde_json::{Number, Value as Json};
use std::borrow::Cow;

/// Why there is no value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Why {
    /// The cell of a column is empty: its place among the formula's fields, or its title where it came from another formula.
    Empty(usize),
    /// A condition did not hold and there is no other value.
    NotChosen,
    DivisionByZero,
    TooLarge,
    NoSuchDay,
    NoNumber,
    TooLong,
    TooMuch,
    ResultTooLong,
    ResultsTooLong,
    /// A formula that this one refers to cannot be computed.
    Broken,
}

impl Why {
    /// The reason as a sentence; `title` returns the name of a field.
    pub(super) fn says(self, title: impl Fn(usize) -> String) -> String {
        match self {
            Why::Empty(field) => format!("{} is empty.", title(field)),
            Why::NotChosen => "The condition isn't met, and the formula has no other value.".to_owned(),
            Why::DivisionByZero => "Division by zero.".to_owned(),
            Why::TooLarge => "The number is too large or undefined.".to_owned(),
            Why::NoSuchDay => "The date doesn't exist.".to_owned(),
            Why::NoNumber => "The text isn't a number.".to_owned(),
            Why::TooLong => format!("The text is longer than {TEXT_CHARS_MAX} characters."),
            Why::TooMuch => "This item's formulas process too much text.".to_owned(),
            Why::ResultTooLong => format!("The result is longer than {RESULT_CHARS_MAX} characters."),
            Why::ResultsTooLong => {
                format!("The item's formula texts would exceed {RESULTS_BYTES_MAX} bytes.")
            }
            Why::Broken => "Can't compute a formula that this one uses.".to_owned(),
        }
    }
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value<'a> {
    Number(f64),
    Text(Cow<'a, str>),
    /// Days since 1970.
    Date(i32),
    Truth(bool),
    List(&'a [Json]),
    /// So many linked items.
    Linked(usize),
    /// The first and the last day of a timeline.
    Span(i32, i32),
    Nothing(Why),
}

/// Days from year 1 to year 9999, which are those that a date column takes.
const DAYS: std::ops::RangeInclusive<f64> = -719_162.0..=2_932_896.0;

impl<'a> Value<'a> {
    pub(super) fn number(number: f64) -> Value<'a> {
        // Adding zero makes of the negative zero the usual one.
        if number.is_finite() { Value::Number(number + 0.0) } else { Value::Nothing(Why::TooLarge) }
    }
    pub(super) fn date(days: f64) -> Value<'a> {
        let days = days.floor();
        if DAYS.contains(&days) { Value::Date(days as i32) } else { Value::Nothing(Why::NoSuchDay) }
    }
    pub(super) fn is_true(&self) -> bool {
        matches!(self, Value::Truth(true))
    }
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Value::Nothing(_) => true,
            Value::Text(text) => text.is_empty(),
            Value::List(list) => list.is_empty(),
            Value::Linked(count) => *count == 0,
            _ => false,
        }
    }
    /// The number; formulas are checked beforehand, so that it is one wherever this is asked.
    pub(super) fn as_number(&self) -> f64 {
        if let Value::Number(number) = self { *number } else { 0.0 }
    }
    pub(super) fn as_day(&self) -> i32 {
        if let Value::Date(day) = self { *day } else { 0 }
    }
    pub(super) fn civil(&self) -> (i32, i32, i32) {
        widgets::dates::civil(self.as_day())
    }
    pub(super) fn span(&self) -> (i32, i32) {
        if let Value::Span(from, to) = self { (*from, *to) } else { (0, 0) }
    }
    pub(super) fn entries(&self) -> usize {
        match self {
            Value::List(list) => list.len(),
            Value::Linked(count) => *count,
            _ => 0,
        }
    }
    /// The value as a text: numbers as they are exported, dates as YYYY-MM-DD, tags with commas between them.
    pub(super) fn as_text(&self) -> Cow<'_, str> {
        match self {
            Value::Text(text) => Cow::Borrowed(text),
            Value::Number(number) => values::written(*number).into(),
            Value::Date(_) => {
                let (year, month, day) = self.civil();
                format!("{year:04}-{month:02}-{day:02}").into()
            }
            Value::Truth(truth) => if *truth { "Yes" } else { "No" }.into(),
            Value::List(list) => list.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(", ").into(),
            Value::Linked(_) | Value::Span(..) | Value::Nothing(_) => "".into(),
        }
    }
    /// As it is stored in a cell; nothing for what empties one.
    pub(super) fn stored(&self) -> Option<Json> {
        match self {
            Value::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => Some(Json::from(*number as i64)),
            Value::Number(number) => Number::from_f64(*number).map(Json::Number),
            Value::Truth(truth) => Some(Json::Bool(*truth)),
            Value::Text(_) | Value::Date(_) => {
                Some(self.as_text().into_owned()).filter(|t| !t.is_empty()).map(Json::String)
            }
            Value::List(_) | Value::Linked(_) | Value::Span(..) | Value::Nothing(_) => None,
        }
    }
}

/// Characters of a formula's result. Results are stored: a short formula that repeats a long text would multiply its board.
pub(super) const RESULT_CHARS_MAX: usize = 10_000;
/// Bytes of all texts that the formulas of one item give.
pub(super) const RESULTS_BYTES_MAX: usize = 20_000;

/// Work done so far for the formulas of one item.
#[derive(Default)]
pub(super) struct Work {
    bytes: usize,
    /// Bytes of texts that are results.
    kept: usize,
}

impl Work {
    /// Bytes of text that the formulas of one item may make or look through.
    pub(super) const BYTES_MAX: usize = 1_000_000;
    /// Bytes of one text.
    pub(super) const TEXT_BYTES_MAX: usize = TEXT_CHARS_MAX * 4;

    /// Counts bytes that were looked through.
    pub(super) fn count_bytes(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes);
    }
    #[cfg(test)]
    pub(super) fn done(&self) -> usize {
        self.bytes
    }
    /// Whether it is too much already.
    pub(super) fn is_over(&self) -> bool {
        self.bytes > Work::BYTES_MAX
    }
    /// The result of a formula, as far as it may be stored.
    pub(super) fn result<'a>(&mut self, value: Value<'a>) -> Value<'a> {
        let Value::Text(text) = &value else { return value };
        if text.len() > RESULT_CHARS_MAX && text.chars().count() > RESULT_CHARS_MAX {
            return Value::Nothing(Why::ResultTooLong);
        }
        if self.kept + text.len() > RESULTS_BYTES_MAX {
            return Value::Nothing(Why::ResultsTooLong);
        }
        self.kept += text.len();
        value
    }
    /// A text that was made.
    pub(super) fn text<'a>(&mut self, text: String) -> Value<'a> {
        self.count_bytes(text.len());
        if text.len() > TEXT_CHARS_MAX && text.chars().count() > TEXT_CHARS_MAX {
            return Value::Nothing(Why::TooLong);
        }
        Value::Text(text.into())
    }
}
