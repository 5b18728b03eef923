//! Groups of a board.

use crate::board::{self, GroupRecord};
use crate::change::{ChangeResult, Deleted, Edit};
use crate::edit::edit;
use crate::errors::{BOARD_LIMIT, GROUP_NOT_EMPTY, LAST_GROUP};
use crate::groups::{self, GROUPS_MAX, insert_as, renumber};
use crate::inputs::expect_name;
use crate::{expect, fault, items, trash};
use column_types::{COLOR, COLOR_ACCEPTED, NAME_CHARS_MAX, NOT_BLANK, settle_color};
use kit::error::{Result, invalid, not_found};
use kit::{Call, CreatedPart, Ctx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Tx, params};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Create {
    /// ID, not the name.
    board_id: String,
    /// 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: String,
    /// `#rrggbb`. Default: the next palette color.
    #[schemars(regex(pattern = COLOR))]
    color: Option<String>,
    /// Position, from 0. Default: the end.
    #[schemars(range(max = u32::MAX))]
    position: Option<u32>,
}

/// A changed group.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedGroup {
    #[serde(flatten)]
    group: GroupRecord,
    #[serde(flatten)]
    came: ChangeResult,
}

pub(crate) async fn create(ctx: Ctx, call: Call, input: Create) -> Result<CreatedPart<ChangedGroup>> {
    expect_name(&input.name, "/name")?;
    edit(ctx, call, input.board_id, move |tx, edit| {
        let mut order = board::groups(tx, &edit.account, &edit.board.id)?;
        if order.len() >= GROUPS_MAX {
            return Err(BOARD_LIMIT.error(format!("A board can have up to {GROUPS_MAX} groups.")));
        }
        let color = input.color.as_deref().unwrap_or_default();
        let end = order.len();
        let number = edit.board.next_group;
        let group = insert_as(tx, &edit.account, &edit.board.id, number, end, &input.name, color)?;
        edit.board.next_group += 1;
        order.insert(input.position.map_or(end, |p| p as usize).min(end), group.clone());
        renumber(tx, edit, &order)?;
        let after = json!(group);
        edit.record(tx, "board", &edit.board.id, &format!("groups/{}", group.id), None, Some(&after))?;
        Ok(CreatedPart(ChangedGroup { group, came: edit.came() }))
    })
    .await
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Update {
    /// ID, not the name.
    board_id: String,
    /// The group's ID.
    group_id: String,
    /// Its new name, 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: Option<String>,
    /// Its new color, `#rrggbb`.
    #[schemars(regex(pattern = COLOR))]
    color: Option<String>,
    /// Its new position, from 0.
    #[schemars(range(max = u32::MAX))]
    position: Option<u32>,
    /// Its previous name and color. Nothing changes if they differ now.
    #[serde(default)]
    was: Was,
}

/// A group as last read.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename = "GroupWas", deny_unknown_fields)]
pub(crate) struct Was {
    /// Its name.
    name: Option<String>,
    /// Its color.
    color: Option<String>,
}

pub(crate) async fn update(ctx: Ctx, call: Call, input: Update) -> Result<ChangedGroup> {
    if let Some(name) = &input.name {
        expect_name(name, "/name")?;
    }
    edit(ctx, call, input.board_id.clone(), move |tx, edit| {
        let group = update_in(tx, edit, input)?;
        Ok(ChangedGroup { group, came: edit.came() })
    })
    .await
}

/// The same within a change that is under way; the name was looked at.
pub(crate) fn update_in(tx: &mut Tx<'_>, edit: &mut Edit, input: Update) -> Result<GroupRecord> {
    let mut order = board::groups(tx, &edit.account, &edit.board.id)?;
    let at = order.iter().position(|g| g.id == input.group_id).ok_or_else(|| not_found().naming(&["group"]))?;
    let before = order.remove(at);
    let part = format!("groups/{}", before.id);
    for (field, now, was) in [("name", &before.name, input.was.name), ("color", &before.color, input.was.color)] {
        expect::part_holds(tx, edit, &part, field, &json!(now), was.map(Value::from).as_ref())?;
    }
    let mut group = before.clone();
    if let Some(name) = input.name {
        group.name = name;
    }
    if let Some(color) = input.color.filter(|c| !c.is_empty()) {
        group.color = settle_color(&color, 0).ok_or_else(|| invalid("/color", fault::WRONG_FORMAT, COLOR_ACCEPTED))?;
    }
    tx.execute(
        "UPDATE board_groups SET name = $4, color = $5 WHERE account_id = $1 AND board_id = $2 AND group_id = $3",
        params![edit.account.as_str(), &edit.board.id, &group.id, &group.name, &group.color],
    )?;
    let to = input.position.map_or(at, |p| p as usize).min(order.len());
    order.insert(to, group.clone());
    renumber(tx, edit, &order)?;
    let before = json!({"name": before.name, "color": before.color, "position": at});
    let after = json!({"name": group.name, "color": group.color, "position": to});
    edit.record(tx, "board", &edit.board.id, &part, Some(&before), Some(&after))?;
    Ok(group)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Delete {
    /// ID, not the name.
    board_id: String,
    /// The group's ID.
    group_id: String,
    /// The group to move its items to. Required if it has items, unless `withItems` is set.
    move_to: Option<String>,
    /// Delete its items too. They're restored with it.
    #[serde(default)]
    with_items: bool,
}

pub(crate) async fn delete(ctx: Ctx, call: Call, input: Delete) -> Result<Deleted> {
    edit(ctx, call, input.board_id.clone(), move |tx, edit| delete_in(tx, edit, input)).await
}

/// Deletes a group that has no items.
pub(crate) fn delete_empty(tx: &mut Tx<'_>, edit: &mut Edit, group_id: String) -> Result<Deleted> {
    let board_id = edit.board.id.clone();
    delete_in(tx, edit, Delete { board_id, group_id, move_to: None, with_items: false })
}

/// The same within a change that is under way.
pub(crate) fn delete_in(tx: &mut Tx<'_>, edit: &mut Edit, input: Delete) -> Result<Deleted> {
    let mut order = board::groups(tx, &edit.account, &edit.board.id)?;
    let at = order.iter().position(|g| g.id == input.group_id).ok_or_else(|| not_found().naming(&["group"]))?;
    let group = order.remove(at);
    if order.is_empty() {
        return Err(LAST_GROUP.error("This is the board's only group."));
    }
    match input.move_to {
        Some(_) if input.with_items => {
            let detail = "Send either moveTo or withItems.";
            return Err(invalid("/moveTo", fault::ONE_OF, detail));
        }
        Some(target) => {
            let target = groups::meant(&order, &target, "/moveTo")?;
            let mut moved = Vec::new();
            items::change_all(tx, edit, "group_id = $3", &group.id, |item| {
                item.group_id.clone_from(&target);
                // Subitems follow, here and when it is taken back.
                if item.parent_id.is_none() {
                    moved.push(item.id.clone());
                }
            })?;
            let (before, after) = (json!(group.id), json!(target));
            for id in moved {
                edit.record(tx, "item", &id, "groupId", Some(&before), Some(&after))?;
            }
        }
        None if input.with_items => {}
        None => {
            let sql = "SELECT 1 FROM items WHERE account_id = $1 AND board_id = $2 AND group_id = $3 LIMIT 1";
            let here = params![edit.account.as_str(), &edit.board.id, &group.id];
            if tx.query_opt(sql, here, |_| Ok(()))?.is_some() {
                return Err(GROUP_NOT_EMPTY.error(format!(
                    "{} isn't empty. Move its items with `moveTo`, or delete them with `withItems`.",
                    group.name
                )));
            }
        }
    }
    trash::keep_group(tx, edit, &group, at)?;
    renumber(tx, edit, &order)?;
    let before = json!(group);
    edit.record(tx, "board", &edit.board.id, &format!("groups/{}", group.id), Some(&before), None)?;
    Ok(Deleted { board_revision: edit.board.revision })
}
