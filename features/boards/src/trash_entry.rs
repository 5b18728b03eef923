//! Rows of the trash and the archive of a board.

use crate::board;
use crate::change::Edit;
use kit::clock::DAY_MS;
use kit::error::{NOT_FOUND, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Row, Tx, params};

/// How long deleted parts can be restored.
pub const TRASH_KEPT_MS: i64 = 30 * DAY_MS;

/// Trash or Archive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Place {
    /// Deleted; permanently after 30 days.
    #[default]
    Trash,
    /// Archived; never deleted automatically.
    Archive,
}

impl Place {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Place::Trash => "trash",
            Place::Archive => "archive",
        }
    }
}

/// Parts of a board that can be deleted or archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// With its cells, comments, and activity.
    Item,
    /// With the items deleted with it.
    Group,
    /// With all its cells.
    Column,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Kind::Item => "item",
            Kind::Group => "group",
            Kind::Column => "column",
        }
    }

    /// Marks the entries that are removed together with this one.
    pub(crate) fn along(self, id: &str) -> String {
        format!("{}/{id}", self.name())
    }
}

/// A deleted or archived part of a board.
#[derive(Debug, Clone)]
pub(crate) struct TrashEntry {
    pub(crate) kind: String,
    pub(crate) id: String,
    pub(crate) state: String,
    pub(crate) name: String,
    /// The entry that it was removed with.
    pub(crate) with: String,
    pub(crate) group_id: String,
    pub(crate) position: i64,
    pub(crate) record_json: String,
    pub(crate) kept_ms: i64,
    pub(crate) actor: String,
    pub(crate) session_id: Option<String>,
}

pub(crate) const FIELDS: &str =
    "kind, thing_id, state, name, group_id, position, record_json, kept_ms, actor, session_id, with_thing";

pub(crate) fn kept_row(row: &dyn Row) -> Result<TrashEntry> {
    Ok(TrashEntry {
        kind: row.get(0)?,
        id: row.get(1)?,
        state: row.get(2)?,
        name: row.get(3)?,
        group_id: row.get(4)?,
        position: row.get(5)?,
        record_json: row.get(6)?,
        kept_ms: row.get(7)?,
        actor: row.get(8)?,
        session_id: row.get(9)?,
        with: row.get(10)?,
    })
}

/// Entries of the trash older than this are expired.
pub(crate) fn due_before(now_ms: i64) -> i64 {
    now_ms - TRASH_KEPT_MS
}

/// A part of a board that is being deleted or archived.
pub(crate) struct Putting<'a> {
    pub(crate) kind: Kind,
    pub(crate) id: &'a str,
    pub(crate) place: Place,
    pub(crate) name: &'a str,
    pub(crate) with: &'a str,
    pub(crate) group_id: &'a str,
    pub(crate) position: i64,
    pub(crate) record_json: &'a str,
}

pub(crate) fn insert(tx: &mut Tx<'_>, edit: &Edit, put: Putting<'_>) -> Result<()> {
    let sql = "INSERT INTO board_kept (account_id, board_id, kind, thing_id, state, name, name_lower, with_thing, group_id, \
         position, record_json, kept_ms, actor, session_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    tx.execute(
        sql,
        params![
            edit.account.as_str(),
            &edit.board.id,
            put.kind.name(),
            put.id,
            put.place.name(),
            put.name,
            put.name.to_lowercase(),
            put.with,
            put.group_id,
            put.position,
            put.record_json,
            edit.now_ms,
            edit.caller.kind.name(),
            edit.caller.session.as_deref(),
        ],
    )?;
    Ok(())
}

/// An entry that can be restored on its own: not one that left with another, except a subitem that left with its parent.
pub(crate) fn load(tx: &mut Tx<'_>, edit: &Edit, kind: Kind, id: &str) -> Result<TrashEntry> {
    let sql = format!(
        "SELECT {FIELDS} FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = $3 AND thing_id = $4 \
         AND (with_thing = '' OR substr(with_thing, 1, 5) = 'item/')"
    );
    let missing = || NOT_FOUND.error(format!("This {} isn't in Archive or Trash.", kind.name()));
    let of = params![edit.account.as_str(), &edit.board.id, kind.name(), id];
    let kept = tx.query_opt(&sql, of, kept_row)?.ok_or_else(missing)?;
    if kept.state == Place::Trash.name() && kept.kept_ms <= due_before(edit.now_ms) {
        return Err(missing());
    }
    Ok(kept)
}

pub(crate) fn remove(tx: &mut Tx<'_>, edit: &Edit, kind: Kind, id: &str) -> Result<()> {
    let sql = "DELETE FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = $3 AND thing_id = $4";
    tx.execute(sql, params![edit.account.as_str(), &edit.board.id, kind.name(), id])?;
    Ok(())
}

/// The next of those that left along with something, after an id.
pub(crate) fn along(tx: &mut Tx<'_>, edit: &Edit, with: &str, after: &str, limit: i64) -> Result<Vec<TrashEntry>> {
    let sql = format!(
        "SELECT {FIELDS} FROM board_kept WHERE account_id = $1 AND board_id = $2 AND with_thing = $3 AND kind = $4 \
         AND thing_id > $5 ORDER BY thing_id LIMIT $6"
    );
    tx.query(&sql, params![edit.account.as_str(), &edit.board.id, with, Kind::Item.name(), after, limit], kept_row)
}

/// Parses a stored record.
pub(crate) fn read<T: serde::de::DeserializeOwned>(json: &str) -> Result<T> {
    serde_json::from_str(json).map_err(board::damaged)
}

/// Whether a removed item is in Trash or Archive, and its name.
pub(crate) fn place_of_item(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    item_id: &str,
) -> Result<Option<(String, String)>> {
    let sql = "SELECT state, name FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = 'item' AND thing_id = $3";
    tx.query_opt(sql, params![account, board_id, item_id], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Marks restored parts in the change log, as opposed to new ones.
pub(crate) const RESTORED: &str = "restored";
