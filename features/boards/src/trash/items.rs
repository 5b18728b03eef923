//! Items in the archive and the trash.

use super::{Kept, Kind, Place, Putting, columns};
use crate::BOARD_LIMIT;
use crate::board::{self, Edit, edit};
use crate::cells::ColumnType;
use crate::expect;
use crate::files::OfItem;
use crate::formula::Formulas;
use crate::items::{self, ITEMS_MAX, ITEMS_PER_STEP, Item, Record, Which, Written};
use crate::subitems;
use kit::error::{Result, not_found};
use kit::{Call, Ctx, Done};
use serde_json::{Value, json};
use store::{Tx, params};

/// Items that leave at once and are still told one by one to those who follow the board; past it they read the board anew.
const TOLD_MAX: i64 = 5_000;

pub(crate) async fn delete(ctx: Ctx, call: Call, input: Which) -> Result<Done> {
    put_away(ctx.clone(), call, input, Place::Trash).await?;
    super::purge::empty_due_in_background(ctx);
    Ok(Done)
}

pub(crate) async fn archive(ctx: Ctx, call: Call, input: Which) -> Result<Done> {
    put_away(ctx, call, input, Place::Archive).await
}

async fn put_away(ctx: Ctx, mut call: Call, input: Which, place: Place) -> Result<Done> {
    let if_match = call.if_match.take();
    edit(ctx, call, input.board_id, move |tx, edit| {
        let item = items::load(tx, edit, &input.item_id)?;
        expect::unchanged(tx, edit, &item, if_match.as_deref())?;
        keep_whole(tx, edit, &item, place)?;
        Ok(Done)
    })
    .await
}

/// Puts an item away with its subitems.
pub(crate) fn keep_whole(tx: &mut Tx<'_>, edit: &mut Edit, item: &Item, place: Place) -> Result<()> {
    let with = Kind::Item.along(&item.record.id);
    for subitem in subitems::of(tx, edit, &item.record.id)? {
        keep(tx, edit, &subitem, place, &with)?;
    }
    keep(tx, edit, item, place, "")
}

/// Puts an item away, along with something where `with` names it; not its subitems.
pub(crate) fn keep(tx: &mut Tx<'_>, edit: &mut Edit, item: &Item, place: Place, with: &str) -> Result<()> {
    let Item { position, record } = item;
    let record_json = serde_json::to_string(record).map_err(board::damaged)?;
    let (id, name, group_id, position) = (record.id.as_str(), record.name.as_str(), &record.group_id, *position);
    let record_json = record_json.as_str();
    super::insert(tx, edit, Putting { kind: Kind::Item, id, place, name, with, group_id, position, record_json })?;
    tx.execute(
        "DELETE FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3",
        params![edit.account.as_str(), &edit.board.id, id],
    )?;
    items::leave(tx, edit, item)?;
    edit.items_moved = true;
    edit.board.item_count -= 1;
    edit.board.subitem_count -= i64::from(record.parent_id.is_some());
    let after = json!(place.name());
    edit.record(tx, "item", id, "kept", None, Some(&after))
}

/// Puts all items of a group away along with it.
pub(super) fn keep_group(tx: &mut Tx<'_>, edit: &mut Edit, group_id: &str) -> Result<()> {
    let sql = "SELECT count(*) FROM items WHERE account_id = $1 AND board_id = $2 AND group_id = $3";
    let of = params![edit.account.as_str(), &edit.board.id, group_id];
    let count: i64 = tx.query_one(sql, of, |row| row.get(0))?;
    if count > TOLD_MAX {
        edit.board.left_since = edit.board.revision;
    }
    let with = Kind::Group.along(group_id);
    loop {
        let some = items::of_group(tx, edit, group_id, ITEMS_PER_STEP)?;
        for item in &some {
            keep(tx, edit, item, Place::Trash, &with)?;
        }
        if some.is_empty() {
            return Ok(());
        }
    }
}

pub(crate) async fn restore(ctx: Ctx, call: Call, input: Which) -> Result<Written> {
    edit(ctx, call, input.board_id, move |tx, edit| {
        let item = restore_in(tx, edit, &input.item_id)?;
        Ok(Written { item, board_revision: edit.board.revision })
    })
    .await
}

/// Brings an item back, with the subitems that left along with it, within a change that is under way.
pub(crate) fn restore_in(tx: &mut Tx<'_>, edit: &mut Edit, item_id: &str) -> Result<Item> {
    let kept = super::load(tx, edit, Kind::Item, item_id)?;
    let item = put_back(tx, edit, kept)?;
    for subitem in super::along(tx, edit, &Kind::Item.along(item_id), "", ITEMS_PER_STEP)? {
        put_back(tx, edit, subitem)?;
    }
    Ok(item)
}

/// Where an item lies that is not on its board, and what it is called.
pub(crate) fn place_of(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    item_id: &str,
) -> Result<Option<(String, String)>> {
    let sql = "SELECT state, name FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = 'item' AND thing_id = $3";
    tx.query_opt(sql, params![account, board_id, item_id], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Brings an item back to its place: into its group, or the first where that is gone, with the cells that the board's columns
/// still take.
pub(super) fn put_back(tx: &mut Tx<'_>, edit: &mut Edit, kept: Kept) -> Result<Item> {
    if edit.board.item_count >= ITEMS_MAX {
        return Err(BOARD_LIMIT.error(format!("A board has at most {ITEMS_MAX} items.")));
    }
    let mut record: Record = super::read(&kept.record_json)?;
    settle_parent(tx, edit, &mut record, &kept.with)?;
    let groups = board::groups(tx, &edit.account, &edit.board.id)?;
    if !groups.iter().any(|group| group.id == record.group_id) {
        record.group_id = groups.first().map(|group| group.id.clone()).ok_or_else(not_found)?;
    }
    settle_cells(tx, edit, &mut record)?;
    Formulas::of(&board::columns(tx, &edit.account, &edit.board.id)?).apply(tx, &edit.account, &mut record)?;
    edit.items_moved = true;
    let item = Item { position: kept.position, record };
    items::insert(tx, &edit.account, &edit.board.id, edit.board.revision, &item)?;
    super::remove(tx, edit, Kind::Item, &item.record.id)?;
    edit.board.item_count += 1;
    edit.board.subitem_count += i64::from(item.record.parent_id.is_some());
    edit.board.last_position = edit.board.last_position.max(item.position);
    let before = json!(kept.state);
    edit.record(tx, "item", &item.record.id, "kept", Some(&before), None)?;
    Ok(item)
}

/// A subitem comes back into its parent's group; where the parent is not there any more, or is a subitem by now, it comes back
/// as an item.
fn settle_parent(tx: &mut Tx<'_>, edit: &Edit, record: &mut Record, with: &str) -> Result<()> {
    let Some(parent_id) = &record.parent_id else { return Ok(()) };
    let Some(parent) = items::find(tx, &edit.account, &edit.board.id, parent_id)? else {
        // Its parent may come back after it, along with the same group.
        let sql = "SELECT 1 FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = 'item' AND thing_id = $3 \
             AND with_thing = $4 AND with_thing <> ''";
        let of = params![edit.account.as_str(), &edit.board.id, parent_id, with];
        if tx.query_opt(sql, of, |_| Ok(()))?.is_none() {
            record.parent_id = None;
        }
        return Ok(());
    };
    if parent.record.parent_id.is_some() {
        record.parent_id = None;
    } else {
        subitems::expect_room(tx, edit, &parent.record.id)?;
        record.group_id = parent.record.group_id;
    }
    Ok(())
}

/// What happened to the board's columns while the item was away happens to its cells: those of a deleted column go where its
/// other cells are, and those that a column no longer takes are left out.
fn settle_cells(tx: &mut Tx<'_>, edit: &Edit, record: &mut Record) -> Result<()> {
    let all = board::columns(tx, &edit.account, &edit.board.id)?;
    for (column_id, value) in std::mem::take(&mut record.cells) {
        match all.iter().find(|column| column.id == column_id) {
            // What it links to may be away as well, and come back after it.
            Some(column) if column.kind.is_none_or(ColumnType::is_link) => {
                record.cells.insert(column_id, value);
            }
            Some(column) => {
                // Members who have left stay named in cells, here as on the board.
                let named =
                    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
                let at = Some(OfItem { board_id: &edit.board.id, item_id: &record.id });
                if let Ok(Some(value)) = column.accept(tx, &edit.account, at, &value, "/cells", &named) {
                    record.cells.insert(column_id, value);
                }
            }
            None if columns::is_kept(tx, &edit.account, &edit.board.id, &column_id)? => {
                let cell = [(record.id.clone(), value)];
                columns::keep_cells(tx, &edit.account, &edit.board.id, &column_id, &cell)?;
            }
            None => {}
        }
    }
    Ok(())
}
