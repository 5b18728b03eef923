//! A board's own rows, and [`edit`], the one way to change anything in a board.

use crate::cells::Column;
use crate::errors::{ONLY_CONNECTED, TOO_MANY_BOARDS};
use crate::{fault, ids};
use column_types::{ColumnType, Settings};
use kit::Call;
use kit::error::{self, Result, not_found};
use kit::lookup::AGENT_SESSIONS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Row, Tx, params};

/// A board.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoardRecord {
    /// Its ID.
    pub id: String,
    /// Its workspace.
    pub workspace_id: String,
    /// Its name.
    pub name: String,
    /// Increases with every change. Use it with `If-Match`.
    pub revision: i64,
    /// Number of items, without subitems.
    pub item_count: i64,
    /// Number of subitems; omitted if none.
    #[serde(skip_serializing_if = "is_none")]
    #[schemars(default)]
    pub subitem_count: i64,
    /// When it was created.
    pub created_at: String,
    /// When it was last changed.
    pub updated_at: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_none(count: &i64) -> bool {
    *count == 0
}

/// A group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GroupRecord {
    /// Its ID within the board.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its color as `#rrggbb`.
    pub color: String,
}

/// A column.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ColumnRecord {
    /// Its ID within the board, which is also its key in `cells`.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its type, which determines cell values.
    #[serde(rename = "type")]
    #[schemars(with = "ColumnType")]
    pub kind: String,
    /// Settings for its type, such as labels and unit.
    #[schemars(with = "Settings")]
    pub settings: Box<serde_json::value::RawValue>,
}

/// A board's row.
#[derive(Debug, Clone)]
pub(crate) struct Board {
    pub id: String,
    pub workspace_id: String,
    pub name: String,
    pub revision: i64,
    /// How many items and subitems it has.
    pub item_count: i64,
    /// How many of them are subitems.
    pub subitem_count: i64,
    pub next_column: i64,
    pub next_group: i64,
    pub last_position: i64,
    /// From this revision on, the places that items left are known.
    pub left_since: i64,
    pub created_ms: i64,
    pub updated_ms: i64,
}

pub(crate) const FIELDS: &str = "board_id, workspace_id, name, revision, item_count, next_column, next_group, last_position, left_since, created_ms, updated_ms, subitem_count";

pub(crate) fn board_row(row: &dyn Row) -> Result<Board> {
    Ok(Board {
        id: row.get(0)?,
        workspace_id: row.get(1)?,
        name: row.get(2)?,
        revision: row.get(3)?,
        item_count: row.get(4)?,
        next_column: row.get(5)?,
        next_group: row.get(6)?,
        last_position: row.get(7)?,
        left_since: row.get(8)?,
        created_ms: row.get(9)?,
        updated_ms: row.get(10)?,
        subitem_count: row.get(11)?,
    })
}

impl Board {
    /// Refuses where `If-Match` names another revision. The board's tag begins with its revision, so either is taken.
    pub(crate) fn expected(&self, call: &Call) -> Result<()> {
        call.expects_beginning(self.revision)
    }
    pub(crate) fn record(&self) -> BoardRecord {
        BoardRecord {
            id: self.id.clone(),
            workspace_id: self.workspace_id.clone(),
            name: self.name.clone(),
            revision: self.revision,
            item_count: self.item_count - self.subitem_count,
            subitem_count: self.subitem_count,
            created_at: kit::rfc3339(self.created_ms),
            updated_at: kit::rfc3339(self.updated_ms),
        }
    }
}

/// The board of this id that the account sees.
pub(crate) fn load(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Board> {
    expect_stored(board_id)?;
    find(tx, account, board_id)?.ok_or_else(|| not_found().naming(&["board"]))
}

/// Rejects the agent sessions board, which is read-only.
fn expect_stored(board_id: &str) -> Result<()> {
    let detail = "You can't open or change agent sessions as board items. Connect them to a dashboard.";
    if board_id == AGENT_SESSIONS { Err(ONLY_CONNECTED.error(detail)) } else { Ok(()) }
}

/// The same, where there may be none.
fn find(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Option<Board>> {
    let sql = format!("SELECT {FIELDS} FROM boards WHERE account_id = $1 AND board_id = $2 AND state = 'ready'");
    tx.query_opt(&sql, params![account, board_id], board_row)
}

/// The board that the request names at `pointer`, in addition to the one in its path.
pub(crate) fn named(tx: &mut Tx<'_>, account: &str, board_id: &str, pointer: &str) -> Result<Board> {
    expect_stored(board_id)?;
    find(tx, account, board_id)?.ok_or_else(|| ids::unknown(fault::UNKNOWN_BOARD, pointer))
}

/// Boards of a workspace (of every one where empty) after an id, in the order in which they were made.
pub(crate) fn load_many(
    tx: &mut Tx<'_>,
    account: &str,
    workspace_id: &str,
    after: &str,
    limit: i64,
) -> Result<Vec<Board>> {
    let sql = format!(
        "SELECT {FIELDS} FROM boards WHERE account_id = $1 AND ($2 = '' OR workspace_id = $2) AND state = 'ready' \
         AND board_id > $3 ORDER BY board_id LIMIT $4"
    );
    tx.query(&sql, params![account, workspace_id, after, limit], board_row)
}

/// Boards of an account, with those that are being imported: every one is listed, looked up and swept.
pub const BOARDS_MAX: i64 = 10_000;

/// Refuses one board more than an account may have.
pub(crate) fn expect_room(tx: &mut Tx<'_>, account: &str) -> Result<()> {
    let sql = "SELECT count(*) FROM boards WHERE account_id = $1 AND state NOT IN ('deleting', 'trash')";
    if tx.query_one(sql, params![account], |row| row.get::<i64>(0))? >= BOARDS_MAX {
        return Err(TOO_MANY_BOARDS.error(format!("An account can have up to {BOARDS_MAX} boards.")));
    }
    Ok(())
}

/// Adds a board's row in a state, where the account has room for it.
pub(crate) fn insert(tx: &mut Tx<'_>, account: &str, board: &Board, state: &str) -> Result<()> {
    expect_room(tx, account)?;
    let row = params![
        account,
        &board.id,
        &board.workspace_id,
        &board.name,
        state,
        board.revision,
        board.item_count,
        board.next_column,
        board.next_group,
        board.last_position,
        board.created_ms,
        board.updated_ms,
    ];
    let sql = "INSERT INTO boards (account_id, board_id, workspace_id, name, state, revision, item_count, next_column, next_group, \
         last_position, created_ms, updated_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    tx.execute(sql, row)?;
    Ok(())
}

/// The board's groups in order.
pub(crate) fn groups(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Vec<GroupRecord>> {
    tx.query(
        "SELECT group_id, name, color FROM board_groups WHERE account_id = $1 AND board_id = $2 ORDER BY position, group_id",
        params![account, board_id],
        |row| Ok(GroupRecord { id: row.get(0)?, name: row.get(1)?, color: row.get(2)? }),
    )
}

/// The type of a column that is deleted while cells of it are still left; see `columns::delete`.
pub(crate) const DELETING: &str = "deleting";

/// The board's columns in order.
pub(crate) fn columns(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Vec<Column>> {
    tx.query(
        "SELECT column_id, title, type, settings_json FROM board_columns WHERE account_id = $1 AND board_id = $2 AND type <> $3 \
         ORDER BY position, column_id",
        params![account, board_id, DELETING],
        |row| {
            let (type_name, settings_json): (String, String) = (row.get(2)?, row.get(3)?);
            let kind = ColumnType::named(&type_name);
            let settings = match kind {
                Some(_) => serde_json::from_str(&settings_json).map_err(damaged)?,
                None => Settings::default(),
            };
            Ok(Column { id: row.get(0)?, title: row.get(1)?, type_name, settings_json, kind, settings })
        },
    )
}

impl Column {
    /// What decides how its cells are written out.
    pub(crate) fn written_as(&self) -> String {
        match self.holds() {
            Some(kind) if self.kind != Some(kind) => format!("{} of {}", self.type_name, kind.name()),
            _ => self.type_name.clone(),
        }
    }
    pub(crate) fn record(&self) -> Result<ColumnRecord> {
        let settings = serde_json::value::RawValue::from_string(self.settings_json.clone()).map_err(damaged)?;
        Ok(ColumnRecord { id: self.id.clone(), title: self.title.clone(), kind: self.type_name.clone(), settings })
    }
}

/// Stored JSON that cannot be read is a fault of the database file, not of the caller.
pub(crate) fn damaged(e: serde_json::Error) -> kit::Error {
    error::INTERNAL.error("Couldn't read the board's stored JSON.").caused_by(e)
}

/// The board's revision after the current change; none if the board was deleted.
pub(crate) fn next_revision(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Option<i64>> {
    let sql = "SELECT revision + 1 FROM boards WHERE account_id = $1 AND board_id = $2";
    tx.query_opt(sql, params![account, board_id], |row| row.get(0))
}

pub(crate) fn damaged_cells() -> kit::Error {
    error::INTERNAL.error("Couldn't read the board's stored cells.")
}
