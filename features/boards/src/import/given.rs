//! Values that files gave an item, which tell later edits apart from imported values.
//!
//! Several tables can be imported into a board; each has its own last values.

use crate::board;
use crate::item::{NAME, Record, value_of};
use crate::subitems::PARENT;
use kit::error::Result;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Key of the values that any table brought to the board and that it still has.
const BOARD: &str = "";

/// Values by the parts of an item; null where a part is empty.
type Parts = BTreeMap<String, Value>;

/// One of the tables that come into a board.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) name: String,
    /// Whether the file that created the board belongs to this table, as far as known.
    pub(crate) made_board: bool,
}

/// What files gave an item.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Given {
    /// Values of the first file; on boards of earlier versions, of the last.
    #[serde(flatten)]
    first: Record,
    /// The table of which that was; none where it made the board, and on boards of before.
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<String>,
    /// Later values: the last ones of each table, and those that were written to the board.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    since: BTreeMap<String, Parts>,
}

#[derive(Deserialize)]
struct Since {
    table: Option<String>,
    #[serde(default)]
    since: BTreeMap<String, Parts>,
}

impl Given {
    /// Values of a first file.
    pub(crate) fn new(first: Record, table: &Table) -> Given {
        Given { first, table: Some(table.name.clone()), since: BTreeMap::new() }
    }

    pub(crate) fn read(json: &str) -> Result<Given> {
        let first = serde_json::from_str(json).map_err(board::damaged)?;
        // Most have none: they are not read twice.
        let Since { table, since } = match json.contains("\"since\":") || json.contains("\"table\":") {
            true => serde_json::from_str(json).map_err(board::damaged)?,
            false => Since { table: None, since: BTreeMap::new() },
        };
        Ok(Given { first, table, since })
    }

    pub(crate) fn written(&self) -> Result<String> {
        serde_json::to_string(self).map_err(board::damaged)
    }

    pub(crate) fn item_id(&self) -> &str {
        &self.first.id
    }

    /// A table's value at its last import: null if empty, none if it had no such column.
    pub(crate) fn said(&self, table: &Table, part: &str) -> Option<Value> {
        let is_first = self.table.as_ref().map_or(table.made_board, |first| *first == table.name);
        self.since(&table.name, part).cloned().or_else(|| is_first.then(|| self.at_first(part)))
    }

    /// The imported value that the board had after the last import; none if it was edited before.
    fn came(&self, part: &str) -> Option<Value> {
        let since = self.since(BOARD, part).cloned().unwrap_or_else(|| self.at_first(part));
        (since != by_people()).then_some(since)
    }

    fn since(&self, table: &str, part: &str) -> Option<&Value> {
        self.since.get(table)?.get(part)
    }

    fn at_first(&self, part: &str) -> Value {
        let value = match part {
            PARENT => self.first.parent_id.clone().map(Value::String),
            _ => value_of(&self.first, part),
        };
        value.unwrap_or_default()
    }

    /// The last value of each table for a field.
    pub(crate) fn all(&self, part: &str) -> Vec<Value> {
        let since = self.since.values().filter_map(|parts| parts.get(part)).filter(|value| **value != by_people());
        let since: Vec<Value> = since.cloned().collect();
        if since.is_empty() { vec![self.at_first(part)] } else { since }
    }

    /// Whether `present`, which differs from the table's value, was edited on the board: it isn't an imported value, or
    /// the table's value hasn't changed. An edited value also counts as imported once the table has it.
    pub(crate) fn is_mine(&self, table: &Table, part: &str, present: Option<&Value>, wanted: Option<&Value>) -> bool {
        let (said, came) = (self.said(table, part), self.came(part));
        let is = |known: &Option<Value>, value: Option<&Value>| known.as_ref() == Some(value.unwrap_or(&Value::Null));
        is(&said, wanted) || !is(if came.is_some() { &came } else { &said }, present)
    }

    /// Records a table's value that the board now has, and whether it was imported; returns whether this is new. A
    /// value that the board already had wasn't imported. Earlier imported values no longer count, even if someone
    /// enters them again.
    pub(crate) fn say(
        &mut self,
        table: &Table,
        part: &str,
        (present, wanted): (Option<&Value>, Option<&Value>),
        comes: bool,
    ) -> bool {
        let [present, wanted] = [present, wanted].map(|value| value.cloned().unwrap_or_default());
        let came = self.came(part);
        let mut news = Vec::new();
        if comes && came.as_ref() != Some(&wanted) {
            news.push((BOARD, wanted.clone()));
        } else if !comes && came.is_some_and(|came| came != present) {
            news.push((BOARD, by_people()));
        }
        if self.said(table, part).as_ref() != Some(&wanted) {
            news.push((&table.name, wanted));
        }
        let is_new = !news.is_empty();
        for (table, value) in news {
            self.since.entry(table.to_owned()).or_default().insert(part.to_owned(), value);
        }
        is_new
    }

    /// Whether a part is known to have been given, where that is a parent's: files of before did not tell.
    pub(crate) fn has_parent(&self) -> bool {
        self.first.parent_id.is_some()
    }
}

/// Represents a value that no file gave; equals no field's value.
fn by_people() -> Value {
    json!({})
}

/// The item fields that a file has values for: name and columns.
pub(crate) fn parts(fields: &[String]) -> impl Iterator<Item = &str> {
    std::iter::once(NAME).chain(fields.iter().map(String::as_str))
}
