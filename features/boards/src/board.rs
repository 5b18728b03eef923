//! A board's own rows, and [`edit`], the one way to change anything in a board.

use crate::bulk::Changed;
use crate::cells::{Column, ColumnType, Settings};
use crate::fault;
use crate::items::POSITION_STEP;
use crate::noted::Noted;
use crate::steps::{Sent, Step};
use crate::{ONLY_CONNECTED, TOO_MANY_BOARDS, formula, ids, links, steps};
use events::{Bus, Event, HasEvents};
use kit::error::{self, Result, not_found};
use kit::lookup::AGENT_SESSIONS;
use kit::{Call, Caller, Ctx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use store::{Change, HasDb, Row, Tx, params};

/// A board.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoardRecord {
    /// Its id.
    pub id: String,
    /// The workspace that it belongs to.
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
    /// Its id within the board.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its color as `#rrggbb`.
    pub color: String,
}

/// A column.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ColumnRecord {
    /// Its id within the board; the member of `cells` that it fills.
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

/// A deleted part of a board.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Deleted {
    /// The board's revision after the change; undo it to restore everything deleted.
    pub board_revision: i64,
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
    find(tx, account, board_id)?.ok_or_else(not_found)
}

/// Refuses the board that is none but in what is shown of it.
fn expect_stored(board_id: &str) -> Result<()> {
    let detail = "You can't open or change agent sessions as board items. Connect them to a dashboard.";
    if board_id == AGENT_SESSIONS { Err(ONLY_CONNECTED.error(detail)) } else { Ok(()) }
}

/// The same, where there may be none.
fn find(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Option<Board>> {
    let sql = format!("SELECT {FIELDS} FROM boards WHERE account_id = $1 AND board_id = $2 AND state = 'ready'");
    tx.query_opt(&sql, params![account, board_id], board_row)
}

/// The board that something sent names at `pointer`, beside the one of its path.
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

/// Result of a change that may have changed nothing.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Came {
    /// The board's revision after the change; pass it to `boards.undo` to undo.
    pub(crate) board_revision: i64,
    /// Whether nothing changed because the values were already set; `boardRevision` is then an earlier change's.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub(crate) unchanged: bool,
}

impl Came {
    /// Of what is answered at a revision of its board, as it was read or made.
    pub(crate) fn at(board_revision: i64) -> Came {
        Came { board_revision, unchanged: false }
    }
}

/// A change of a board under way: its row, saved when the change is whole, and who makes it.
pub(crate) struct Edit {
    pub account: String,
    pub caller: Caller,
    pub now_ms: i64,
    /// The board as it is to be.
    pub board: Board,
    /// As it was.
    before: Board,
    /// Items that left the board or came back to it, which those who count them hear of.
    pub moved: formula::Moved,
    /// What formulas leave to compute behind the change.
    pub behind: formula::Behind,
    /// Changes of items that members may want to hear of.
    noted: Noted,
    /// What this revision records.
    step: Step,
}

impl Edit {
    pub(crate) fn new(account: String, caller: Caller, now_ms: i64, board: Board, behind: formula::Behind) -> Edit {
        let (moved, noted, step) = (formula::Moved::default(), Noted::default(), Step::default());
        Edit { account, caller, now_ms, before: board.clone(), board, moved, behind, noted, step }
    }
    /// Whether nothing was recorded so far: all that was written was so already.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.step.is_empty()
    }
    /// The board as it is once the change has ended.
    pub(crate) fn outcome(&self) -> &Board {
        if self.is_unchanged() { &self.before } else { &self.board }
    }
    /// What is answered of the change.
    pub(crate) fn came(&self) -> Came {
        Came { board_revision: self.outcome().revision, unchanged: self.is_unchanged() }
    }
    /// The position that is wanted, or the one behind the last item where that is farther: places beyond the end would in time
    /// leave none to the items that follow.
    pub(crate) fn place(&mut self, wanted: i64) -> i64 {
        let last = &mut self.board.last_position;
        let position = wanted.min(*last + POSITION_STEP);
        *last = position.max(*last);
        position
    }
    /// Takes the board's columns over, as a change read them that alters none.
    pub(crate) fn has_read(&mut self, columns: Vec<Column>) {
        self.noted.know(columns);
    }
    /// Records one change in the log of changes; what stays as it was is none.
    pub(crate) fn record(
        &self,
        tx: &mut Tx<'_>,
        subject: &'static str,
        subject_id: &str,
        field: &str,
        before: Option<&Value>,
        after: Option<&Value>,
    ) -> Result<()> {
        self.record_change(tx, Change { subject, subject_id, field, before, after })?;
        Ok(())
    }
    /// The same; answers the change's id.
    pub(crate) fn record_change(&self, tx: &mut Tx<'_>, change: Change<'_>) -> Result<Option<String>> {
        if change.before == change.after {
            return Ok(None);
        }
        self.noted.note(&change);
        let id = tx.record(&self.caller, self.now_ms, change)?;
        self.step.note(&id);
        Ok(Some(id))
    }
}

/// What stands in an order within a board: its table, and the column that holds its id.
#[derive(Clone, Copy)]
pub(crate) enum Ordered {
    Groups,
    Columns,
}

/// Writes the positions of a board's groups or columns, whose ids stand in their order.
pub(crate) fn renumber<'a>(
    tx: &mut Tx<'_>,
    edit: &Edit,
    what: Ordered,
    ids: impl Iterator<Item = &'a str>,
) -> Result<()> {
    let (table, id_column) = match what {
        Ordered::Groups => ("board_groups", "group_id"),
        Ordered::Columns => ("board_columns", "column_id"),
    };
    let sql = format!(
        "UPDATE {table} SET position = $4 WHERE account_id = $1 AND board_id = $2 AND {id_column} = $3 AND position <> $4"
    );
    for (id, position) in ids.zip(0_i64..) {
        tx.execute(&sql, params![edit.account.as_str(), &edit.board.id, id, position])?;
    }
    Ok(())
}

/// Runs a change of a board as one transaction: the board is the account's, `If-Match` fits, the revision goes up by one,
/// and listeners hear of it once it is on disk. Where nothing is recorded, nothing was changed: the board stays at its revision,
/// and nobody hears of it.
pub(crate) async fn edit<T: Send + 'static>(
    ctx: Ctx,
    call: Call,
    board_id: String,
    run: impl FnOnce(&mut Tx<'_>, &mut Edit) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (db, bus, now_ms) = (ctx.db(), ctx.events(), ctx.now_ms());
    let behind = formula::Behind::of(&ctx);
    let change = move |tx: &mut Tx<'_>| {
        let board = load(tx, call.account(), &board_id)?;
        let mut edit = begin(board, call, now_ms, behind)?;
        let answer = run(tx, &mut edit)?;
        if !edit.is_unchanged() {
            end(tx, edit, bus)?;
        }
        Ok(answer)
    };
    db.write(change).await
}

/// The same of a change of many that may be `sent` again: it is then answered as before, whatever revision that left behind.
pub(crate) async fn edit_once(
    ctx: Ctx,
    call: Call,
    board_id: String,
    sent: Option<Sent>,
    run: impl FnOnce(&mut Tx<'_>, &mut Edit) -> Result<Changed> + Send + 'static,
) -> Result<Changed> {
    let (db, bus, now_ms) = (ctx.db(), ctx.events(), ctx.now_ms());
    let behind = formula::Behind::of(&ctx);
    let change = move |tx: &mut Tx<'_>| {
        let board = load(tx, call.account(), &board_id)?;
        if let Some(sent) = &sent
            && let Some(answer) = sent.earlier(tx, call.account(), &board_id)?
        {
            return Ok(answer);
        }
        let mut edit = begin(board, call, now_ms, behind)?;
        let changed = run(tx, &mut edit)?;
        if edit.is_unchanged() {
            return Ok(Changed { unchanged: true, board_revision: edit.outcome().revision, ..changed });
        }
        if let Some(sent) = sent {
            sent.keep(tx, &edit, &changed)?;
        }
        end(tx, edit, bus)?;
        Ok(changed)
    };
    db.write(change).await
}

fn begin(board: Board, call: Call, now_ms: i64, behind: formula::Behind) -> Result<Edit> {
    board.expected(&call)?;
    let mut edit = Edit::new(call.account().to_owned(), call.caller, now_ms, board, behind);
    edit.board.revision += 1;
    edit.board.updated_ms = now_ms;
    Ok(edit)
}

fn end(tx: &mut Tx<'_>, edit: Edit, bus: Arc<Bus>) -> Result<()> {
    formula::recount_after(tx, &edit)?;
    save(tx, &edit)?;
    edit.step.save(tx, &edit)?;
    steps::forget_old(tx, &edit.account, &edit.board.id, edit.board.revision)?;
    let told = edit.noted.events(tx, &edit)?;
    let Edit { account, board: Board { id: board_id, revision, .. }, .. } = edit;
    links::tell(tx, &account, &board_id, &bus)?;
    let event = Event::BoardChanged { board_id, revision };
    tx.after_commit(move || {
        for event in std::iter::once(event).chain(told) {
            bus.emit(Some(&account), event);
        }
    });
    Ok(())
}

/// The revision that a board will have once a change under way is told; none where it is gone.
pub(crate) fn next_revision(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Option<i64>> {
    let sql = "SELECT revision + 1 FROM boards WHERE account_id = $1 AND board_id = $2";
    tx.query_opt(sql, params![account, board_id], |row| row.get(0))
}

/// Raises the revision of a board, where it is still there, for a change that nobody asked for by itself.
pub(crate) fn raise(tx: &mut Tx<'_>, account: String, board_id: String, now_ms: i64, bus: Arc<Bus>) -> Result<()> {
    let sql = "UPDATE boards SET revision = revision + 1, updated_ms = $3 WHERE account_id = $1 AND board_id = $2 AND state = 'ready'";
    if tx.execute(sql, params![&account, &board_id, now_ms])? == 1 {
        let revision = load(tx, &account, &board_id)?.revision;
        steps::forget_old(tx, &account, &board_id, revision)?;
        links::tell(tx, &account, &board_id, &bus)?;
        tx.after_commit(move || bus.emit(Some(&account), Event::BoardChanged { board_id, revision }));
    }
    Ok(())
}

fn save(tx: &mut Tx<'_>, edit: &Edit) -> Result<()> {
    let board = &edit.board;
    let saved = tx.execute(
        "UPDATE boards SET name = $4, revision = $3, item_count = $5, next_column = $6, next_group = $7, last_position = $8, \
         left_since = $9, updated_ms = $10, subitem_count = $11 WHERE account_id = $1 AND board_id = $2 AND revision = $3 - 1",
        params![
            edit.account.as_str(),
            &board.id,
            board.revision,
            &board.name,
            board.item_count,
            board.next_column,
            board.next_group,
            board.last_position,
            board.left_since,
            board.updated_ms,
            board.subitem_count,
        ],
    )?;
    if saved == 1 { Ok(()) } else { Err(error::CONFLICT.error("The board was changed at the same time. Try again.")) }
}
