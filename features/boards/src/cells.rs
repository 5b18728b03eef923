//! A board's columns, and what their cells hold.

use column_types::{ColumnType, FormulaResult, Label, Settings, categories};
use kit::error;
use serde_json::{Number, Value};
use widgets::Category;

/// A column, as far as its cells need it.
#[derive(Debug, Clone)]
pub struct Column {
    /// `c1` and so on.
    pub id: String,
    /// Displayed name.
    pub title: String,
    /// Its type as stored.
    pub type_name: String,
    /// Its settings as stored: a JSON object.
    pub settings_json: String,
    /// Its type, unless a newer version wrote one that is unknown here.
    pub kind: Option<ColumnType>,
    /// Its settings, empty where its type is unknown.
    pub settings: Settings,
}

impl Column {
    /// The type that its cells are of: of a formula, the type of its results.
    pub fn holds(&self) -> Option<ColumnType> {
        match self.kind {
            Some(ColumnType::Formula) => Some(self.settings.result.unwrap_or(FormulaResult::Text).like()),
            kind => kind,
        }
    }

    /// Its labels with their categories.
    pub(crate) fn categories(&self) -> impl Iterator<Item = (&Label, Category)> {
        let labels = self.settings.labels.as_deref().unwrap_or_default();
        labels.iter().zip(categories(labels))
    }

    /// Whether one cell of the column can link to several items.
    pub(crate) fn holds_many(&self) -> bool {
        self.settings.many.unwrap_or(self.kind == Some(ColumnType::ItemLink))
    }

    /// Whether it shows who created or changed items.
    pub(crate) fn shows_by(&self) -> bool {
        matches!(self.kind, Some(ColumnType::CreatedBy | ColumnType::UpdatedBy))
    }

    /// The board that its cells link to.
    pub(crate) fn links_to(&self) -> Option<&str> {
        let is_link = self.kind.is_some_and(ColumnType::is_link);
        self.settings.board_id.as_deref().filter(|_| is_link)
    }
}

/// An empty text, list or object empties the cell, like null: one way to be empty, so that both forms of a board agree.
pub(crate) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// Error for an unknown column ID; lists the board's columns by title.
pub(crate) fn no_column(columns: &[Column]) -> kit::Error {
    const SHOWN_MAX: usize = 50;
    let known: Vec<_> =
        columns.iter().take(SHOWN_MAX).map(|column| format!("{} ({})", column.id, column.title)).collect();
    let all = if columns.len() > SHOWN_MAX { "columns such as " } else { "" };
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    error::NOT_FOUND.error(format!("Column not found. The board has {all}{known}."))
}

/// Whether both say the same: nothing is written in several ways, and so are whole numbers.
pub(crate) fn same(one: Option<&Value>, other: Option<&Value>) -> bool {
    match (one.unwrap_or(&Value::Null), other.unwrap_or(&Value::Null)) {
        (Value::Number(one), Value::Number(other)) => match (whole(one), whole(other)) {
            (None, None) => one.as_f64() == other.as_f64(),
            (one, other) => one == other,
        },
        (one, other) => one == other || (is_empty(one) && is_empty(other)),
    }
}

/// A number that is a whole one as cells hold them exactly: of 64 bits.
fn whole(number: &Number) -> Option<i128> {
    let range = -(1_i128 << 63)..1 << 64;
    let is_whole = |number: &f64| number.fract() == 0.0;
    let whole = number.as_i128().or_else(|| number.as_f64().filter(is_whole).map(|number| number as i128));
    whole.filter(|whole| range.contains(whole))
}

/// Whether the current value is the one that the caller read. Numbers are compared as doubles, which round integers
/// from 2^53 on.
pub(crate) fn is_as_read(now: Option<&Value>, was: &Value) -> bool {
    match (now, was) {
        (Some(Value::Number(now)), Value::Number(was)) => now.as_f64() == was.as_f64(),
        (now, was) => same(now, Some(was)),
    }
}
