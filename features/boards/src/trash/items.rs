//! Items in the archive and the trash.

use super::{Kind, Place, Putting, TrashEntry, columns};
use crate::attachments::OfItem;
use crate::board::{self, GroupRecord};
use crate::cell_names::CellNames;
use crate::cells::Column;
use crate::change::Edit;
use crate::edit::edit;
use crate::errors::BOARD_LIMIT;
use crate::formula::Formulas;
use crate::inputs::ItemParams;
use crate::item::{self, ITEMS_MAX, ITEMS_PER_STEP, Item, Record};
use crate::items::{self, Written};
use crate::{expect, subitems};
use column_types::ColumnType;
use kit::error::{Result, not_found};
use kit::{Call, Ctx, Done};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use store::{Tx, params};

/// Maximum items removed or restored at once that are reported individually; above that, clients reload the board.
const TOLD_MAX: i64 = if cfg!(test) { 100 } else { 5_000 };

pub(crate) async fn delete(ctx: Ctx, call: Call, input: ItemParams) -> Result<Done> {
    put_away(ctx.clone(), call, input, Place::Trash).await?;
    super::purge::empty_due_in_background(ctx);
    Ok(Done)
}

pub(crate) async fn archive(ctx: Ctx, call: Call, input: ItemParams) -> Result<Done> {
    put_away(ctx, call, input, Place::Archive).await?;
    Ok(Done)
}

/// Archives an item or moves it to Trash; returns the board's revision.
pub(crate) async fn put_away(ctx: Ctx, mut call: Call, input: ItemParams, place: Place) -> Result<i64> {
    let if_match = call.if_match.take();
    edit(ctx, call, input.board_id, move |tx, edit| {
        let item = items::load(tx, edit, &input.item_id)?;
        expect::unchanged(tx, edit, &item, if_match.as_deref())?;
        keep_whole(tx, edit, &item, place)?;
        Ok(edit.board.revision)
    })
    .await
}

/// Puts an item away with its subitems.
pub(crate) fn keep_whole(tx: &mut Tx<'_>, edit: &mut Edit, item: &Item, place: Place) -> Result<()> {
    let with = Kind::Item.along(&item.record.id);
    for subitem in subitems::subitems_of(tx, edit, &item.record.id)? {
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
    items::leave(tx, edit, id, position)?;
    edit.moved.note(id);
    edit.board.item_count -= 1;
    edit.board.subitem_count -= i64::from(record.parent_id.is_some());
    let after = json!(place.name());
    edit.record(tx, "item", id, "kept", None, Some(&after))
}

/// Called before this many items are removed or restored; above the limit they aren't reported individually.
pub(super) fn tell_at_most(edit: &mut Edit, count: i64) {
    if count > TOLD_MAX {
        edit.board.left_since = edit.board.revision;
    }
}

/// Puts all items of a group away along with it.
pub(super) fn keep_group(tx: &mut Tx<'_>, edit: &mut Edit, group_id: &str) -> Result<()> {
    let sql = "SELECT count(*) FROM items WHERE account_id = $1 AND board_id = $2 AND group_id = $3";
    let of = params![edit.account.as_str(), &edit.board.id, group_id];
    let count: i64 = tx.query_one(sql, of, |row| row.get(0))?;
    tell_at_most(edit, count);
    let with = Kind::Group.along(group_id);
    let mut after = String::new();
    loop {
        let some = items::of_group(tx, edit, group_id, &after, ITEMS_PER_STEP)?;
        let Some(last) = some.last() else { return Ok(()) };
        after.clone_from(&last.record.id);
        for item in &some {
            keep(tx, edit, item, Place::Trash, &with)?;
        }
    }
}

pub(crate) async fn restore(ctx: Ctx, call: Call, input: ItemParams) -> Result<Written> {
    edit(ctx, call, input.board_id, move |tx, edit| {
        let mut board = Returning::to(tx, edit)?;
        let item = restore_in(tx, edit, &mut board, &input.item_id)?;
        Ok(Written { item, came: edit.came() })
    })
    .await
}

/// Brings an item back, with the subitems that left along with it, within a change that is under way.
pub(crate) fn restore_in(tx: &mut Tx<'_>, edit: &mut Edit, board: &mut Returning, item_id: &str) -> Result<Item> {
    board.parents.clear();
    let kept = super::load(tx, edit, Kind::Item, item_id)?;
    let item = board.put_back(tx, edit, kept)?;
    for subitem in super::along(tx, edit, &Kind::Item.along(item_id), "", ITEMS_PER_STEP)? {
        board.put_back(tx, edit, subitem)?;
    }
    Ok(item)
}

/// Data needed to restore items, loaded once.
pub(crate) struct Returning {
    groups: Vec<GroupRecord>,
    columns: Vec<Column>,
    formulas: Formulas,
    /// Whether columns missing from the board are in Trash.
    kept_columns: HashMap<String, bool>,
    /// Parents that are on the board.
    parents: HashMap<String, Parent>,
}

struct Parent {
    group_id: String,
    is_subitem: bool,
    subitems: i64,
}

impl Returning {
    pub(crate) fn to(tx: &mut Tx<'_>, edit: &Edit) -> Result<Returning> {
        let columns = board::columns(tx, &edit.account, &edit.board.id)?;
        Ok(Returning {
            groups: board::groups(tx, &edit.account, &edit.board.id)?,
            formulas: Formulas::new(&columns),
            columns,
            kept_columns: HashMap::new(),
            parents: HashMap::new(),
        })
    }

    /// Brings an item back to its place: into its group, or the first where that is gone, with the cells that the board's
    /// columns still take.
    pub(super) fn put_back(&mut self, tx: &mut Tx<'_>, edit: &mut Edit, kept: TrashEntry) -> Result<Item> {
        if edit.board.item_count >= ITEMS_MAX {
            return Err(BOARD_LIMIT.error(format!("A board can have up to {ITEMS_MAX} items.")));
        }
        let mut record: Record = super::read(&kept.record_json)?;
        self.settle_parent(tx, edit, &mut record, &kept.with)?;
        if !self.groups.iter().any(|group| group.id == record.group_id) {
            record.group_id = self.groups.first().map(|group| group.id.clone()).ok_or_else(not_found)?;
        }
        self.settle_cells(tx, edit, &mut record)?;
        self.formulas.apply(tx, &edit.account, &mut record)?;
        edit.moved.note(&record.id);
        let item = Item { position: kept.position, record };
        item::insert(tx, &edit.account, &edit.board.id, edit.board.revision, &item)?;
        items::leave(tx, edit, &item.record.id, item.position)?;
        super::remove(tx, edit, Kind::Item, &item.record.id)?;
        edit.board.item_count += 1;
        edit.board.subitem_count += i64::from(item.record.parent_id.is_some());
        edit.board.last_position = edit.board.last_position.max(item.position);
        let before = json!(kept.state);
        edit.record(tx, "item", &item.record.id, "kept", Some(&before), None)?;
        Ok(item)
    }

    /// A subitem comes back into its parent's group; where the parent is not there any more, or is a subitem by now, it comes
    /// back as an item.
    fn settle_parent(&mut self, tx: &mut Tx<'_>, edit: &Edit, record: &mut Record, with: &str) -> Result<()> {
        let Some(parent_id) = &record.parent_id else { return Ok(()) };
        let Some(parent) = self.parent(tx, edit, parent_id)? else {
            // Its parent may come back after it, along with the same group.
            let sql = "SELECT 1 FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = 'item' AND thing_id = $3 \
                 AND with_thing = $4 AND with_thing <> ''";
            let of = params![edit.account.as_str(), &edit.board.id, parent_id, with];
            if tx.query_opt(sql, of, |_| Ok(()))?.is_none() {
                record.parent_id = None;
            }
            return Ok(());
        };
        if parent.is_subitem {
            record.parent_id = None;
        } else {
            subitems::expect_room_beside(parent.subitems)?;
            parent.subitems += 1;
            record.group_id.clone_from(&parent.group_id);
        }
        Ok(())
    }

    /// A parent that is on the board. One that is not is asked for again: it may come.
    fn parent(&mut self, tx: &mut Tx<'_>, edit: &Edit, parent_id: &str) -> Result<Option<&mut Parent>> {
        if !self.parents.contains_key(parent_id) {
            let (account, board_id) = (edit.account.as_str(), edit.board.id.as_str());
            let Some(parent) = item::find(tx, account, board_id, parent_id)? else { return Ok(None) };
            let subitems = subitems::count(tx, account, board_id, parent_id)?;
            let (group_id, is_subitem) = (parent.record.group_id, parent.record.parent_id.is_some());
            self.parents.insert(parent_id.to_owned(), Parent { group_id, is_subitem, subitems });
        }
        Ok(self.parents.get_mut(parent_id))
    }

    /// What happened to the board's columns while the item was away happens to its cells: those of a deleted column go where
    /// its other cells are, and those that a column no longer takes are left out.
    fn settle_cells(&mut self, tx: &mut Tx<'_>, edit: &Edit, record: &mut Record) -> Result<()> {
        for (column_id, value) in std::mem::take(&mut record.cells) {
            match self.columns.iter().find(|column| column.id == column_id) {
                // What it links to may be away as well, and come back after it.
                Some(column) if column.kind.is_none_or(ColumnType::is_link) => {
                    record.cells.insert(column_id, value);
                }
                Some(column) => {
                    // Members who have left stay named in cells, here as on the board.
                    let ids = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                    let named = CellNames::with_members(ids.map(|id| (id.to_owned(), id.to_owned())).collect());
                    let at = Some(OfItem { board_id: &edit.board.id, item_id: &record.id, cells: &Map::new() });
                    if let Ok(Some(value)) = column.accept(tx, &edit.account, at, &value, "/cells", &named) {
                        record.cells.insert(column_id, value);
                    }
                }
                None if is_column_kept(&mut self.kept_columns, tx, edit, &column_id)? => {
                    let cell = [(record.id.clone(), value)];
                    columns::keep_cells(tx, &edit.account, &edit.board.id, &column_id, &cell)?;
                }
                None => {}
            }
        }
        Ok(())
    }
}

fn is_column_kept(known: &mut HashMap<String, bool>, tx: &mut Tx<'_>, edit: &Edit, column_id: &str) -> Result<bool> {
    if let Some(is_kept) = known.get(column_id) {
        return Ok(*is_kept);
    }
    let is_kept = columns::is_kept(tx, &edit.account, &edit.board.id, column_id)?;
    known.insert(column_id.to_owned(), is_kept);
    Ok(is_kept)
}
