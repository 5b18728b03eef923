//! Attached files as cells list them.

use crate::cells::Column;
use crate::{file_names, item};
use kit::error::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use store::{Tx, params};

/// Attachments of one cell.
pub const FILES_PER_CELL_MAX: usize = 20;

/// A file attached to an item.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Attachment {
    /// Its ID, assigned by the server.
    pub(crate) id: String,
    /// Its name, sanitized for saving.
    pub(crate) name: String,
    /// Size in bytes.
    pub(crate) size: i64,
    /// The media type as sent; not verified.
    #[serde(rename = "type")]
    pub(crate) media: String,
}

/// The item that a cell is of.
#[derive(Clone, Copy)]
pub(crate) struct OfItem<'a> {
    pub(crate) board_id: &'a str,
    pub(crate) item_id: &'a str,
    /// The current cells.
    pub(crate) cells: &'a Map<String, Value>,
}

impl<'a> OfItem<'a> {
    pub(crate) fn new(board_id: &'a str, record: &'a item::Record) -> OfItem<'a> {
        OfItem { board_id, item_id: &record.id, cells: &record.cells }
    }
}

/// Why a cell does not list the attachments that it is to list.
pub(crate) enum Refused {
    /// The value isn't a valid list; describes what is accepted.
    Value(String),
    /// The attachments at these places are none of the cell's.
    Unknown(Vec<usize>),
}

/// An attachment in a request: its ID and new name.
#[derive(Deserialize)]
struct Named {
    id: String,
    name: Option<String>,
}

/// The attachments that a stored cell lists.
pub(crate) fn listed(cell: Option<&Value>) -> Vec<Attachment> {
    cell.and_then(|cell| serde_json::from_value(cell.clone()).ok()).unwrap_or_default()
}

/// The names in a stored cell as JSON.
pub(crate) fn names(list: &str) -> Option<Vec<String>> {
    let all: Vec<Attachment> = serde_json::from_str(list).ok()?;
    Some(all.into_iter().map(|attachment| attachment.name).collect())
}

/// Describes the values that a file cell accepts.
pub(crate) fn takes() -> String {
    format!(
        "a list of up to {FILES_PER_CELL_MAX} of the item's attachments, each with its ID and, to rename it, \
                 its name; one of these isn't attached or was removed more than 30 days ago. Add new files with \
                 boards.files.add"
    )
}

/// Validates the attachments to list in a cell and returns the stored form. Size and type always come from the upload,
/// not from the request.
pub(crate) fn accept(
    tx: &mut Tx<'_>,
    account: &str,
    column: &Column,
    at: Option<OfItem<'_>>,
    value: &Value,
) -> Result<std::result::Result<Value, Refused>> {
    let list = value.as_array().filter(|list| list.len() <= FILES_PER_CELL_MAX);
    let read = |list: &Vec<Value>| list.iter().map(|entry| Named::deserialize(entry).ok()).collect::<Option<Vec<_>>>();
    let Some(list) = list.and_then(read) else { return Ok(Err(Refused::Value(takes()))) };
    // One that is only being made has none.
    let Some(at) = at else { return Ok(Err(Refused::Unknown((0..list.len()).collect()))) };
    let present = listed(at.cells.get(&column.id));
    let (mut stored, mut unknown): (Vec<Attachment>, Vec<usize>) = (Vec::new(), Vec::new());
    for (index, named) in list.into_iter().enumerate() {
        if stored.iter().any(|other| other.id == named.id) {
            continue;
        }
        let sql = "SELECT name, size_bytes, media FROM board_files \
             WHERE account_id = $1 AND file_id = $2 AND board_id = $3 AND item_id = $4 AND column_id = $5";
        let of = params![account, &named.id, at.board_id, at.item_id, &column.id];
        let row = tx.query_opt(sql, of, |row| {
            Ok(Attachment { id: named.id.clone(), name: row.get(0)?, size: row.get(1)?, media: row.get(2)? })
        })?;
        let Some(mut attachment) = row else {
            unknown.push(index);
            continue;
        };
        match &named.name {
            Some(name) => attachment.name = file_names::tame(name),
            // Left out, it keeps the name that it has.
            None => {
                let now = present.iter().find(|other| other.id == named.id);
                attachment.name = now.map_or(attachment.name, |now| now.name.clone());
            }
        }
        stored.push(attachment);
    }
    Ok(if unknown.is_empty() { Ok(json!(stored)) } else { Err(Refused::Unknown(unknown)) })
}
