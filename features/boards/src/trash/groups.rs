//! Groups in the trash.

use super::items::{self, Returning};
use super::{Kind, Place, Putting};
use crate::board::{self, GroupRecord};
use crate::change::Edit;
use crate::edit::edit;
use crate::errors::BOARD_LIMIT;
use crate::groups::{self, GROUPS_MAX};
use crate::item::ITEMS_PER_STEP;
use crate::trash_entry::RESTORED;
use kit::error::Result;
use kit::{Call, Ctx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use store::{Tx, params};

/// Puts a group that stood at a place in the order into the trash, with its items where it has any.
pub(crate) fn keep(tx: &mut Tx<'_>, edit: &mut Edit, group: &GroupRecord, at: usize) -> Result<()> {
    let record_json = serde_json::to_string(group).map_err(board::damaged)?;
    items::keep_group(tx, edit, &group.id)?;
    let put = Putting {
        kind: Kind::Group,
        id: &group.id,
        place: Place::Trash,
        name: &group.name,
        with: "",
        group_id: "",
        position: at as i64,
        record_json: &record_json,
    };
    super::insert(tx, edit, put)?;
    tx.execute(
        "DELETE FROM board_groups WHERE account_id = $1 AND board_id = $2 AND group_id = $3",
        params![edit.account.as_str(), &edit.board.id, &group.id],
    )?;
    Ok(())
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "DeletedGroup", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Which {
    /// ID, not the name.
    board_id: String,
    /// The group's ID.
    group_id: String,
}

pub(crate) async fn restore(ctx: Ctx, call: Call, input: Which) -> Result<GroupRecord> {
    edit(ctx, call, input.board_id, move |tx, edit| put_back(tx, edit, &input.group_id)).await
}

/// Brings a group back to its place in the order, and the items that were deleted along with it.
pub(crate) fn put_back(tx: &mut Tx<'_>, edit: &mut Edit, group_id: &str) -> Result<GroupRecord> {
    let kept = super::load(tx, edit, Kind::Group, group_id)?;
    let group: GroupRecord = super::read(&kept.record_json)?;
    let mut order = board::groups(tx, &edit.account, &edit.board.id)?;
    if order.len() >= GROUPS_MAX {
        return Err(BOARD_LIMIT.error(format!("A board can have up to {GROUPS_MAX} groups.")));
    }
    let at = (kept.position as usize).min(order.len());
    groups::insert_record(tx, &edit.account, &edit.board.id, at, &group)?;
    order.insert(at, group.clone());
    groups::renumber(tx, edit, &order)?;
    super::remove(tx, edit, Kind::Group, group_id)?;
    let (with, mut after) = (Kind::Group.along(group_id), String::new());
    let sql =
        "SELECT count(*) FROM board_kept WHERE account_id = $1 AND board_id = $2 AND with_thing = $3 AND kind = $4";
    let of = params![edit.account.as_str(), &edit.board.id, &with, Kind::Item.name()];
    items::tell_at_most(edit, tx.query_one(sql, of, |row| row.get(0))?);
    let mut board = Returning::to(tx, edit)?;
    loop {
        let some = super::along(tx, edit, &with, &after, ITEMS_PER_STEP)?;
        let Some(last) = some.last() else { break };
        after.clone_from(&last.id);
        for item in some {
            board.put_back(tx, edit, item)?;
        }
    }
    let mut after = json!(group);
    after[RESTORED] = json!(true);
    edit.record(tx, "board", &edit.board.id, &format!("groups/{group_id}"), None, Some(&after))?;
    Ok(group)
}
