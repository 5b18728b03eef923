//! Changes to a board since a revision, which open pages request instead of the whole board.

use crate::board::{self, BoardRecord, ColumnRecord, GroupRecord};
use crate::cells::Column;
use crate::directory::{self, MemberRecord};
use crate::fault;
use crate::item::Item;
use crate::links::{self, CHANGED_BYTES_MAX, CHANGED_ITEMS_MAX, LinkedChange, Marks};
use column_types::ColumnType;
use kit::error::{Result, invalid};
use kit::{Call, Ctx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;
use store::{HasDb, Tx, params};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Since {
    /// ID, not the name.
    pub(crate) board_id: String,
    /// The last known revision. Default: none.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub(crate) since: i64,
    /// `linkedAt` of the last response as `BOARD:MARK,BOARD:MARK`. When omitted, linked boards aren't included; unknown marks return a linked board in full.
    pub(crate) linked: Option<String>,
}

/// Changes to a board.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BoardChanges {
    /// The current board, with the revision for the next request.
    board: BoardRecord,
    groups: Vec<GroupRecord>,
    columns: Vec<ColumnRecord>,
    /// Members referenced by these and linked items.
    members: Vec<MemberRecord>,
    /// Added and changed items in full, in board order.
    items: Vec<Item>,
    /// Items moved to a position other than the end, in board order.
    moved: Vec<Moved>,
    /// IDs of removed items.
    removed: Vec<String>,
    /// Changes to linked boards since `linked`.
    linked: Vec<LinkedChange>,
    /// Marks of the linked boards, to send as `linked` in the next request.
    linked_at: Marks,
    /// Whether there are too many changes or they're too old. The lists are then empty; read the whole board.
    reload: bool,
}

/// An item at its new position.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Moved {
    id: String,
    /// The item before it, in any group; null if first.
    after: Option<String>,
}

pub(crate) async fn get(ctx: Ctx, call: Call, input: Since) -> Result<BoardChanges> {
    expect_revision(input.since)?;
    read(ctx, call.account().to_owned(), input).await
}

/// The board's changes since a revision.
pub(crate) async fn read(ctx: Ctx, account: String, input: Since) -> Result<BoardChanges> {
    let of = account.clone();
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, &account, &input.board_id)?;
        let columns = board::columns(tx, &account, &board.id)?;
        // A revision that the board has not reached is of a database that was replaced by a backup since.
        let mut reload = input.since < board.left_since || input.since > board.revision;
        let (mut items, mut moved, mut removed) = (Vec::new(), Vec::new(), Vec::new());
        if !reload {
            (moved, removed) = left(tx, &account, &board.id, input.since)?;
            let few = changed(tx, &account, &board.id, input.since)?;
            reload = few.is_none();
            items = few.unwrap_or_default();
            // Those that moved are among the items.
            reload |= (items.len() + removed.len()) as i64 > CHANGED_ITEMS_MAX;
        }
        let (mut linked, mut linked_at) = (Vec::new(), Marks::new());
        if let Some(held) = input.linked.filter(|_| !reload) {
            let held = held.split(',').filter_map(|one| one.split_once(':'));
            let held = held.map(|(id, mark)| (id.to_owned(), mark.to_owned())).collect();
            match links::changes(tx, &account, &board.id, &columns, &held, &items)? {
                Some(changes) => (linked, linked_at) = changes,
                None => reload = true,
            }
        }
        if reload {
            (items, moved, removed) = (Vec::new(), Vec::new(), Vec::new());
        }
        let groups = board::groups(tx, &account, &board.id)?;
        let mut named = named(&columns, &items);
        named.extend(links::members(linked.iter().map(LinkedChange::linked)));
        let columns = columns.iter().map(Column::record).collect::<Result<_>>()?;
        let (board, members) = (board.record(), Vec::new());
        Ok((BoardChanges { board, groups, columns, members, items, moved, removed, linked, linked_at, reload }, named))
    };
    let (mut changed, named) = ctx.db().read(read).await?;
    changed.members = directory::named(&ctx, &of, &named).await?;
    Ok(changed)
}

/// Rejects values that aren't a board revision.
pub(crate) fn expect_revision(since: i64) -> Result<()> {
    match since {
        0.. => Ok(()),
        _ => Err(invalid("/since", fault::OUT_OF_RANGE, "since must be a board revision: 0 or more.")),
    }
}

/// `None` where they are too large.
fn changed(tx: &mut Tx<'_>, account: &str, board_id: &str, since: i64) -> Result<Option<Vec<Item>>> {
    let sql = "SELECT position, record_json FROM items WHERE account_id = $1 AND board_id = $2 AND revision > $3 \
         ORDER BY position, item_id LIMIT $4";
    let (mut items, mut bytes) = (Vec::new(), 0);
    tx.each(sql, params![account, board_id, since, CHANGED_ITEMS_MAX + 1], |row| {
        bytes += row.get::<&str>(1)?.len();
        if bytes <= CHANGED_BYTES_MAX {
            items.push(crate::item::item_row(row)?);
        }
        Ok(())
    })?;
    Ok((bytes <= CHANGED_BYTES_MAX).then_some(items))
}

/// Items whose position changed: those still on the board, and those that are no longer.
fn left(tx: &mut Tx<'_>, account: &str, board_id: &str, since: i64) -> Result<(Vec<Moved>, Vec<String>)> {
    let sql = "SELECT DISTINCT items_left.item_id, items.position FROM items_left \
         LEFT JOIN items ON items.account_id = items_left.account_id AND items.board_id = items_left.board_id \
         AND items.item_id = items_left.item_id WHERE items_left.account_id = $1 AND items_left.board_id = $2 \
         AND items_left.revision > $3 ORDER BY items.position, items_left.item_id LIMIT $4";
    let params = params![account, board_id, since, CHANGED_ITEMS_MAX + 1];
    let all = tx.query(sql, params, |row| Ok((row.get::<String>(0)?, row.get::<Option<i64>>(1)?)))?;
    // Two questions, each of which the index answers at once, however many items share a position.
    let beside = "SELECT item_id FROM items WHERE account_id = $1 AND board_id = $2 AND position = $3 AND item_id < $4 \
         ORDER BY item_id DESC LIMIT 1";
    let before = "SELECT item_id FROM items WHERE account_id = $1 AND board_id = $2 AND position < $3 \
         ORDER BY position DESC, item_id DESC LIMIT 1";
    let (mut moved, mut removed) = (Vec::new(), Vec::new());
    for (id, position) in all {
        if let Some(position) = position {
            let after = match tx.query_opt(beside, params![account, board_id, position, &id], |row| row.get(0))? {
                Some(after) => Some(after),
                None => tx.query_opt(before, params![account, board_id, position], |row| row.get(0))?,
            };
            moved.push(Moved { id, after });
        } else {
            removed.push(id);
        }
    }
    Ok((moved, removed))
}

fn named(columns: &[Column], items: &[Item]) -> BTreeSet<String> {
    let by = |item: &Item| [&item.record.created_by, &item.record.updated_by].map(Clone::clone);
    let by = columns.iter().any(Column::shows_by).then(|| items.iter().flat_map(by).flatten());
    let people = columns.iter().filter(|column| column.kind == Some(ColumnType::People));
    let cells = people.flat_map(|column| items.iter().filter_map(|item| item.record.cells.get(&column.id)));
    let listed = cells.filter_map(Value::as_array).flatten().filter_map(Value::as_str).map(str::to_owned);
    listed.chain(by.into_iter().flatten()).collect()
}
