//! Subitems: items that belong to another item of their board.
//!
//! Invariants: there is one level, so a parent is never a subitem. A subitem is in its parent's group, and is removed
//! and restored with it. Otherwise it's like any item, with its own cells, comments, and activity.

use crate::change::Edit;
use crate::errors::{BOARD_LIMIT, SUBITEM_DEPTH};
use crate::item::{self, Item, OF_PARENT, Record};
use crate::{board, fault, groups, ids, items};
use kit::Ctx;
use kit::error::{self, Result, invalid};
use serde_json::{Value, json};
use store::{ChangeRow, HasDb, Tx, params};

/// Subitems of one item.
pub const SUBITEMS_MAX: i64 = 1_000;

/// Field name of an item's parent in the change log; the values are [`place`]s.
pub(crate) const PARENT: &str = "parentId";

/// An item's parent and group for the change log; an undo restores both.
pub(crate) fn place(record: &Record) -> Value {
    match &record.parent_id {
        Some(parent_id) => json!({"groupId": record.group_id, "parentId": parent_id}),
        None => json!({"groupId": record.group_id}),
    }
}

/// How many subitems an item has.
pub(crate) fn count(tx: &mut Tx<'_>, account: &str, board_id: &str, item_id: &str) -> Result<i64> {
    let sql = format!("SELECT count(*) FROM items WHERE account_id = $1 AND board_id = $2 AND {OF_PARENT}");
    tx.query_one(&sql, params![account, board_id, item_id], |row| row.get(0))
}

/// The item that is to have subitems, and room for one more.
pub(crate) fn parent(tx: &mut Tx<'_>, edit: &Edit, parent_id: &str, pointer: &str) -> Result<Item> {
    let parent = item::find(tx, &edit.account, &edit.board.id, parent_id)?;
    let parent = parent.ok_or_else(|| ids::unknown(fault::UNKNOWN_ITEM, pointer))?;
    if parent.record.parent_id.is_some() {
        return Err(deep(format!("{} is a subitem itself.", parent.record.name), pointer));
    }
    expect_room(tx, edit, parent_id)?;
    Ok(parent)
}

/// Refuses one subitem more than an item may have.
pub(crate) fn expect_room(tx: &mut Tx<'_>, edit: &Edit, parent_id: &str) -> Result<()> {
    expect_room_beside(count(tx, &edit.account, &edit.board.id, parent_id)?)
}

/// The same of an item that has so many already.
pub(crate) fn expect_room_beside(subitems: i64) -> Result<()> {
    if subitems >= SUBITEMS_MAX {
        return Err(BOARD_LIMIT.error(format!("An item can have up to {SUBITEMS_MAX} subitems.")));
    }
    Ok(())
}

fn deep(detail: String, pointer: &str) -> kit::Error {
    SUBITEM_DEPTH.error(detail.clone()).at(pointer, SUBITEM_DEPTH.fault(), detail)
}

/// The subitems of an item in their order.
pub(crate) fn subitems_of(tx: &mut Tx<'_>, edit: &Edit, item_id: &str) -> Result<Vec<Item>> {
    let sql = format!(
        "SELECT {} FROM items WHERE account_id = $1 AND board_id = $2 AND {OF_PARENT} ORDER BY position, item_id",
        item::FIELDS
    );
    tx.query(&sql, params![edit.account.as_str(), &edit.board.id, item_id], item::item_row)
}

/// Moves an item's subitems to its current group.
pub(crate) fn follow(tx: &mut Tx<'_>, edit: &Edit, item: &Record) -> Result<()> {
    if edit.board.subitem_count == 0 || item.parent_id.is_some() {
        return Ok(());
    }
    items::change_all(tx, edit, OF_PARENT, &item.id, |record| record.group_id.clone_from(&item.group_id))
}

/// Gives an item another group, another parent, or makes it an item again, as asked at `pointer`; records it, without saving
/// the item.
pub(crate) fn move_to(
    tx: &mut Tx<'_>,
    edit: &mut Edit,
    item: &mut Item,
    group_id: Option<String>,
    parent_id: Option<&Value>,
    pointer: &str,
) -> Result<()> {
    let (of_group, of_parent) = (format!("{pointer}/groupId"), format!("{pointer}/parentId"));
    let group_id = match group_id {
        Some(text) => Some(groups::meant(&board::groups(tx, &edit.account, &edit.board.id)?, &text, &of_group)?),
        None => None,
    };
    let was = item.record.parent_id.clone();
    let wanted = match parent_id {
        None => was.clone(),
        Some(Value::Null) => None,
        // An option of the command line is never null.
        Some(Value::String(id)) => Some(id.clone()).filter(|id| !id.is_empty()),
        Some(_) => return Err(invalid(&of_parent, fault::WRONG_TYPE, "Set parentId to an item's ID or null.")),
    };
    if wanted == was {
        let Some(group_id) = group_id else { return Ok(()) };
        if was.is_some() {
            return expect_group(&group_id, &item.record.group_id, &of_group);
        }
        if group_id == item.record.group_id {
            return Ok(());
        }
        let (before, after) = (json!(item.record.group_id), json!(group_id));
        edit.record(tx, "item", &item.record.id, "groupId", Some(&before), Some(&after))?;
        item.record.group_id = group_id;
        return follow(tx, edit, &item.record);
    }
    let before = place(&item.record);
    match &wanted {
        None => {
            edit.board.subitem_count -= 1;
            item.record.group_id = group_id.unwrap_or_else(|| item.record.group_id.clone());
        }
        Some(parent_id) => {
            if *parent_id == item.record.id {
                return Err(deep("An item can't be its own subitem.".to_owned(), &of_parent));
            }
            let parent = parent(tx, edit, parent_id, &of_parent)?;
            if count(tx, &edit.account, &edit.board.id, &item.record.id)? > 0 {
                return Err(deep(format!("{} has subitems.", item.record.name), &of_parent));
            }
            if let Some(group_id) = group_id {
                expect_group(&group_id, &parent.record.group_id, &of_group)?;
            }
            edit.board.subitem_count += i64::from(was.is_none());
            item.record.group_id = parent.record.group_id;
        }
    }
    item.record.parent_id = wanted;
    let after = place(&item.record);
    edit.record(tx, "item", &item.record.id, PARENT, Some(&before), Some(&after))
}

/// Refuses a group, asked for at `pointer`, that is not the parent's.
pub(crate) fn expect_group(group_id: &str, of_parent: &str, pointer: &str) -> Result<()> {
    if group_id == of_parent {
        return Ok(());
    }
    let detail = "A subitem is in its parent's group. Move the parent, or set parentId to null to make it an item.";
    Err(invalid(pointer, fault::NOT_THE_PARENTS, detail))
}

/// What `boards.items.update` takes to bring an item back to where it stood before it got another parent, or none.
pub(crate) async fn back(ctx: &Ctx, account: String, board_id: &str, change: &ChangeRow) -> Result<Value> {
    let before = change.before.clone().unwrap_or_default();
    let id = board_id.to_owned();
    let mut input = json!({"boardId": board_id, "itemId": change.subject_id, "parentId": null});
    let read = move |tx: &mut Tx<'_>| {
        let Some(parent_id) = before[PARENT].as_str() else {
            // Where its group was deleted since, it stays in the one that it stands in.
            let groups = board::groups(tx, &account, &id)?;
            let group = groups.into_iter().find(|group| before["groupId"] == *group.id);
            return Ok(group.map(|group| ("groupId", group.id)));
        };
        match item::find(tx, &account, &id, parent_id)? {
            Some(_) => Ok(Some((PARENT, parent_id.to_owned()))),
            None => Err(error::CONFLICT.error("Its parent item was deleted since then.")),
        }
    };
    if let Some((member, value)) = ctx.db().read(read).await? {
        input[member] = json!(value);
    }
    Ok(input)
}
