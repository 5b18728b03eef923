//! What files gave an item, so that what people changed since is told apart.
//!
//! Several tables may come into one board: what one of them says of a cell tells nothing of what another has said of it before.

use crate::activity::{NAME, value_of};
use crate::board;
use crate::items::Record;
use crate::subitems::PARENT;
use kit::error::Result;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Stands among tables for what came from any of them onto the board.
const BOARD: &str = "";

/// Values by the parts of an item; null where a part is empty.
type Parts = BTreeMap<String, Value>;

/// What files gave an item.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Given {
    /// What the first of them gave it; of boards of before, what the last one did.
    #[serde(flatten)]
    first: Record,
    /// What is otherwise since: what each table said last, and what came onto the board.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    since: BTreeMap<String, Parts>,
}

#[derive(Deserialize)]
struct Since {
    #[serde(default)]
    since: BTreeMap<String, Parts>,
}

impl Given {
    /// What a first file gives.
    pub(crate) fn of(first: Record) -> Given {
        Given { first, since: BTreeMap::new() }
    }

    pub(crate) fn read(json: &str) -> Result<Given> {
        let first = serde_json::from_str(json).map_err(board::damaged)?;
        // Most have none: they are not read twice.
        let since = match json.contains("\"since\":") {
            true => serde_json::from_str::<Since>(json).map_err(board::damaged)?.since,
            false => BTreeMap::new(),
        };
        Ok(Given { first, since })
    }

    pub(crate) fn written(&self) -> Result<String> {
        serde_json::to_string(self).map_err(board::damaged)
    }

    pub(crate) fn item_id(&self) -> &str {
        &self.first.id
    }

    /// What a table said of a part when it was imported last.
    pub(crate) fn said(&self, table: &str, part: &str) -> Option<Value> {
        match self.since.get(table).and_then(|parts| parts.get(part)) {
            Some(value) => Some(value.clone()).filter(|value| !value.is_null()),
            None => self.at_first(part),
        }
    }

    fn at_first(&self, part: &str) -> Option<Value> {
        match part {
            PARENT => self.first.parent_id.clone().map(Value::String),
            _ => value_of(&self.first, part),
        }
    }

    /// What files last said of a part, each for its own.
    pub(crate) fn all(&self, part: &str) -> Vec<Value> {
        let since: Vec<Value> = self.since.values().filter_map(|parts| parts.get(part)).cloned().collect();
        if since.is_empty() { self.at_first(part).into_iter().collect() } else { since }
    }

    /// Whether people made what a part is at present, which a table now wants otherwise: no file brought it there, or the table
    /// says the same as the last time.
    pub(crate) fn is_mine(&self, table: &str, part: &str, present: Option<&Value>, wanted: Option<&Value>) -> bool {
        let said = self.said(table, part);
        said.as_ref() == wanted || (present != said.as_ref() && present != self.said(BOARD, part).as_ref())
    }

    /// Notes what a table says of a part, and whether that came onto the board; true where this was not known. What the board has
    /// already did not come from the table.
    pub(crate) fn say(&mut self, table: &str, part: &str, value: Option<&Value>, came: bool) -> bool {
        let mut is_new = false;
        for table in [Some(table), came.then_some(BOARD)].into_iter().flatten() {
            if self.said(table, part).as_ref() != value {
                let parts = self.since.entry(table.to_owned()).or_default();
                parts.insert(part.to_owned(), value.cloned().unwrap_or_default());
                is_new = true;
            }
        }
        is_new
    }

    /// Whether a part is known to have been given, where that is a parent's: files of before did not tell.
    pub(crate) fn has_parent(&self) -> bool {
        self.first.parent_id.is_some()
    }
}

/// The parts of an item that a file says something of: its name and its columns.
pub(crate) fn parts(fields: &[String]) -> impl Iterator<Item = &str> {
    std::iter::once(NAME).chain(fields.iter().map(String::as_str))
}
