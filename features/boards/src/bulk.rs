//! Changes to many items of a board at once: a paste, a fill, or a change, move, or deletion of selected items. All
//! succeed or none, under one revision, each recorded for its item, so that one undo reverts them.

use crate::attachments::OfItem;
use crate::board::{self, GroupRecord};
use crate::cell_names::CellNames;
use crate::cells::Column;
use crate::change::{CELLS_PER_CHANGE_MAX, Edit};
use crate::changed::{self, BoardChanges, Since};
use crate::errors::{BOARD_LIMIT, INVALID_CELL, READ_ONLY_COLUMN};
use crate::expect::{self, Clashes};
use crate::formula::Formulas;
use crate::inputs::{self, expect_name};
use crate::item::{self, ITEMS_MAX, Item, POSITION, POSITION_MAX, Record};
use crate::place::Anchor;
use crate::sent::{Sent, edit_once};
use crate::subitems::{self, PARENT};
use crate::trash_entry::{self, Place};
use crate::{fault, groups, ids, items, ops, trash};
use column_types::{NAME_CHARS_MAX, NOT_BLANK};
use kit::error::{self, FieldError, NAMED_NOT_FOUND, Result, invalid, not_found};
use kit::{Call, Ctx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use store::{Tx, params};

/// Refused cells that an answer names.
const REFUSALS_MAX: usize = 1_000;
/// Bytes of a request: as many cells, each with a text of some words.
pub(crate) const REQUEST_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Changes to one item.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ItemCells {
    /// The item's ID.
    item_id: String,
    /// Its new name, 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Its new group, by ID or unique name. A subitem is always in its parent's group.
    #[serde(skip_serializing_if = "Option::is_none")]
    group_id: Option<String>,
    /// The new parent, a top-level item. null or an empty string makes it an item.
    #[serde(default, deserialize_with = "inputs::present", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    parent_id: Option<Value>,
    /// Its new position between its neighbors.
    #[schemars(range(min = 0, max = POSITION_MAX))]
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<i64>,
    /// Alternative to position: the item to place it after, in any group. If that item no longer exists, `before` applies; if neither exists, it isn't moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// The item to place it before, if `after` doesn't exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// Values by column ID or unique title. null clears a cell; omitted columns don't change. Labels and members are given by ID or unique name.
    #[serde(default)]
    cells: Map<String, Value>,
    /// Previous values by column ID, and `name`, `groupId`, `parentId`, and `position`. Nothing changes if any of them differs now, unless it already has the new value.
    #[serde(default)]
    was: Map<String, Value>,
}

impl ItemCells {
    fn count(&self) -> usize {
        let is_placed = self.position.is_some() || self.is_beside();
        let others = [self.name.is_some(), self.group_id.is_some(), self.parent_id.is_some(), is_placed];
        self.cells.len() + others.into_iter().filter(|is_there| *is_there).count()
    }

    fn is_beside(&self) -> bool {
        self.after.is_some() || self.before.is_some()
    }

    /// The requested value of a field, if it changes.
    fn wanted(&self, field: &str) -> Option<Value> {
        match field {
            item::NAME => self.name.as_ref().map(|name| json!(name)),
            item::GROUP => self.group_id.as_ref().map(|id| json!(id)),
            PARENT => self.parent_id.clone(),
            POSITION => self.position.map(|position| json!(position)),
            column_id => self.cells.get(column_id).cloned(),
        }
    }

    fn fields(&self) -> impl Iterator<Item = &str> {
        let own = [item::NAME, item::GROUP, PARENT, POSITION].into_iter();
        let own = own.filter(|field| self.wanted(field).is_some());
        own.chain(self.cells.keys().map(String::as_str))
    }
}

/// The form of an id that a caller makes.
pub(crate) const ID: &str = "^[0-9a-hjkmnp-tv-z]{16}$";
pub(crate) const ID_FORM: &str = "An ID has 16 characters: digits and lowercase letters except i, l, o, and u.";

/// An item to create.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename = "AddedItem", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Added {
    /// Your ID for the item, so retries are safe: an item that has or had this ID doesn't change. 16 digits and lowercase
    /// letters without i, l, o, and u. Default: assigned by the server.
    #[schemars(regex(pattern = ID))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    /// 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: String,
    /// The group, by ID or unique name. Default: the parent's, or the board's first.
    #[serde(skip_serializing_if = "Option::is_none")]
    group_id: Option<String>,
    /// The parent, a top-level item.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<String>,
    /// Its position. Default: the end.
    #[schemars(range(min = 0, max = POSITION_MAX))]
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<i64>,
    /// Values by column ID or unique title. Labels and members are given by ID or unique name.
    #[serde(default)]
    cells: Map<String, Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename = "ChangeCells", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Change {
    /// ID, not the name.
    board_id: String,
    /// Changes by item, each item once, such as `[{"itemId": "ID", "cells": {"Status": "Done"}}]`. Up to 20,000 cells and
    /// items, including the other lists.
    #[serde(default)]
    #[schemars(length(max = CELLS_PER_CHANGE_MAX))]
    items: Vec<ItemCells>,
    /// Items to add, in order.
    #[serde(default)]
    #[schemars(length(max = CELLS_PER_CHANGE_MAX))]
    pub(crate) add: Vec<Added>,
    /// IDs of items to archive with their subitems. Items already archived or deleted don't change.
    #[serde(default)]
    #[schemars(length(max = CELLS_PER_CHANGE_MAX))]
    archive: Vec<String>,
    /// IDs of items to move to Trash with their subitems for 30 days.
    #[serde(default)]
    #[schemars(length(max = CELLS_PER_CHANGE_MAX))]
    delete: Vec<String>,
    /// The revision at which `items` was read, instead of a `was` for each. Nothing changes if any of these items changed after it.
    #[schemars(range(min = 0))]
    #[serde(skip_serializing_if = "Option::is_none")]
    if_revision: Option<i64>,
    /// Your ID for this change, so retries are safe: a repeat returns the first result, and reuse for another change is
    /// rejected (`step-id-taken`). Has the form of an added item's ID. Remembered for the board's last 10,000 revisions
    /// unless the change had no effect. Default: retries aren't detected.
    #[schemars(regex(pattern = ID))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) step_id: Option<String>,
    /// The last known revision. With it, the answer has `changes`, as `GET /boards/{boardId}/changed` returns them.
    #[serde(skip_serializing)]
    #[schemars(range(min = 0))]
    since: Option<i64>,
    /// With `since`: `linkedAt` of the last response, as for `GET /boards/{boardId}/changed`.
    #[serde(skip_serializing)]
    linked: Option<String>,
}

impl Change {
    fn count(&self) -> usize {
        let added = self.add.iter().map(|item| item.cells.len() + 1);
        let changed = self.items.iter().map(|item| item.count().max(1));
        changed.chain(added).sum::<usize>() + self.archive.len() + self.delete.len()
    }
}

/// What changed.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CellsChanged {
    /// Number of cells, names, groups, and positions that changed.
    pub(crate) cells: usize,
    /// IDs of the added items, in the order sent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) added: Vec<String>,
    /// The board's revision after the change; pass it to `boards.undo` to undo all of it.
    pub(crate) board_revision: i64,
    /// Whether nothing changed because the values were already set; `boardRevision` is then an earlier change's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) unchanged: bool,
    /// With `since`: the changed items and everything else that changed after that revision.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub(crate) changes: Option<Box<BoardChanges>>,
}

pub(crate) async fn change(ctx: Ctx, call: Call, input: Change) -> Result<CellsChanged> {
    if !(1..=CELLS_PER_CHANGE_MAX).contains(&input.count()) {
        let detail = format!("Send 1 to {CELLS_PER_CHANGE_MAX} cells and items in total.");
        return Err(invalid("/items", fault::WRONG_LENGTH, detail));
    }
    if input.step_id.as_ref().is_some_and(|id| !ids::is_short_id(id)) {
        return Err(invalid("/stepId", fault::WRONG_FORMAT, ID_FORM));
    }
    input.since.map_or(Ok(()), changed::expect_revision)?;
    let values = input.items.iter().flat_map(|item| item.cells.values());
    let values = values.chain(input.add.iter().flat_map(|item| item.cells.values()));
    let names = CellNames::read(&ctx, call.account(), values).await?;
    let is_deleting = !input.delete.is_empty();
    let (sent, board_id) = (Sent::from_change(&input)?, input.board_id.clone());
    let since = input.since.map(|since| Since { board_id: board_id.clone(), since, linked: input.linked.clone() });
    let account = call.account().to_owned();
    let run = move |tx: &mut Tx<'_>, edit: &mut Edit| run(tx, edit, input, names);
    let mut answer = edit_once(ctx.clone(), call, board_id, sent, run).await?;
    if is_deleting {
        trash::empty_due_in_background(ctx.clone());
    }
    if let Some(since) = since {
        // The change is made, whatever comes of reading it.
        answer.changes = changed::read(ctx, account, since).await.ok().map(Box::new);
    }
    Ok(answer)
}

fn run(tx: &mut Tx<'_>, edit: &mut Edit, input: Change, names: CellNames) -> Result<CellsChanged> {
    let columns = board::columns(tx, &edit.account, &edit.board.id)?;
    let (formulas, groups) = (Formulas::new(&columns), board::groups(tx, &edit.account, &edit.board.id)?);
    // What this very change does to one item, as making room beside it, is no change of others.
    let mut revisions = HashMap::new();
    if let Some(read_at) = input.if_revision {
        for of in &input.items {
            revisions.insert(of.item_id.clone(), expect::revision(tx, edit, &of.item_id, read_at)?);
        }
    }
    let mut writing = Writing {
        edit,
        revisions,
        names,
        columns,
        groups,
        formulas,
        written: 0,
        refused: Vec::new(),
        unknown: 0,
        clashes: Clashes::default(),
    };
    // An item that moves takes its subitems along, and may spread those that it moves among: after it, those that were read
    // before are not what they were.
    let is_moving = input.items.iter().any(|of| of.group_id.is_some() || of.parent_id.is_some() || of.is_beside());
    let read_at_once = if is_moving { 1 } else { item::FOUND_AT_ONCE };
    let mut seen = HashSet::new();
    let mut all = input.items.into_iter().enumerate();
    while let some = all.by_ref().take(read_at_once).collect::<Vec<_>>()
        && !some.is_empty()
    {
        let ids = some.iter().map(|(_, of)| &of.item_id);
        let mut found = item::find_some(tx, &writing.edit.account, &writing.edit.board.id, ids)?;
        for (index, of) in some {
            if !seen.insert(of.item_id.clone()) {
                let detail = format!("Item {} is listed twice.", of.item_id);
                return Err(invalid(&format!("/items/{index}/itemId"), fault::REPEATED, detail));
            }
            match found.remove(&of.item_id) {
                Some(item) => writing.change(tx, &format!("/items/{index}"), of, item, input.if_revision)?,
                None => writing.clashes.gone(tx, writing.edit, &of.item_id, &format!("/items/{index}/itemId"))?,
            }
        }
    }
    let added = writing.add(tx, input.add)?;
    for (list, ids, place) in [("archive", input.archive, Place::Archive), ("delete", input.delete, Place::Trash)] {
        for (index, id) in ids.into_iter().enumerate() {
            writing.put_away(tx, &id, place, &format!("/{list}/{index}"))?;
        }
    }
    if !writing.refused.is_empty() {
        return Err(refusal_of(writing.refused, writing.unknown));
    }
    writing.clashes.expect_none()?;
    Ok(CellsChanged {
        cells: writing.written,
        added,
        board_revision: edit.board.revision,
        unchanged: false,
        changes: None,
    })
}

/// A change of many items in progress. Collects all errors and conflicts, so that the answer lists each of them.
struct Writing<'a> {
    edit: &'a mut Edit,
    /// With `ifRevision`: the revision of each item's last change before this one.
    revisions: HashMap<String, Option<i64>>,
    names: CellNames,
    columns: Vec<Column>,
    groups: Vec<GroupRecord>,
    formulas: Formulas,
    /// Cells, names, groups and places that were written.
    written: usize,
    refused: Vec<FieldError>,
    /// How many of them name what there is not.
    unknown: usize,
    clashes: Clashes,
}

impl Writing<'_> {
    fn change(
        &mut self,
        tx: &mut Tx<'_>,
        pointer: &str,
        mut of: ItemCells,
        mut item: Item,
        if_revision: Option<i64>,
    ) -> Result<()> {
        let of_group = format!("{pointer}/groupId");
        of.group_id = of.group_id.map(|text| groups::meant(&self.groups, &text, &of_group)).transpose()?;
        self.compare(tx, &item, &of, if_revision)?;
        let written_before = self.written;
        if let Some(name) = of.name.filter(|name| *name != item.record.name) {
            if let Err(refusal) = expect_name(&name, &format!("{pointer}/name")) {
                self.refused.extend(refusal.fields().iter().cloned());
            } else {
                let (before, after) = (json!(item.record.name), json!(name));
                self.edit.record(tx, "item", &item.record.id, item::NAME, Some(&before), Some(&after))?;
                item.record.name = name;
                self.written += 1;
            }
        }
        let group_id = of.group_id.filter(|group_id| *group_id != item.record.group_id);
        let parent_id = of.parent_id.filter(|wanted| !crate::cells::same(parent_of(&item).as_ref(), Some(wanted)));
        if group_id.is_some() || parent_id.is_some() {
            subitems::move_to(tx, self.edit, &mut item, group_id, parent_id.as_ref(), pointer)?;
            self.written += 1;
        }
        if let Some(position) = of.position {
            ops::items::expect_position(position, &format!("{pointer}/position"))?;
            self.written += usize::from(items::change_place(tx, self.edit, &mut item, position)?);
        }
        if let Some(beside) = Anchor::new((of.after, of.before), of.position, pointer)?
            && let Some(position) = beside.position(tx, self.edit, &item, pointer)?
        {
            items::put_at(tx, self.edit, &mut item, position)?;
            self.written += 1;
        }
        for (column_id, value) in self.accepted(tx, Some(&item.record), of.cells, pointer)? {
            self.written += usize::from(items::change_cell(tx, self.edit, &mut item, &column_id, value)?);
        }
        if self.written > written_before {
            items::save(tx, self.edit, &self.formulas, item)?;
        }
        Ok(())
    }

    /// Records a conflict if the item no longer has the values that the caller read.
    fn compare(&mut self, tx: &mut Tx<'_>, item: &Item, of: &ItemCells, if_revision: Option<i64>) -> Result<()> {
        let present = |field: &str| match field {
            POSITION => Some(json!(item.position)),
            PARENT => parent_of(item),
            field => item::value_of(&item.record, field),
        };
        for (field, was) in &of.was {
            let (now, wanted) = (present(field), of.wanted(field));
            if !crate::cells::is_as_read(now.as_ref(), was)
                && !wanted.as_ref().is_some_and(|wanted| crate::cells::same(now.as_ref(), Some(wanted)))
            {
                self.clashes.note(tx, self.edit, item, field, now.as_ref(), wanted.as_ref())?;
            }
        }
        let Some(read_at) = if_revision else { return Ok(()) };
        if self.revisions.get(&item.record.id).is_some_and(|revision| *revision > Some(read_at)) {
            if of.is_beside() && !of.was.contains_key(POSITION) {
                self.clashes.note(tx, self.edit, item, POSITION, Some(&json!(item.position)), None)?;
            }
            for field in of.fields() {
                let (now, wanted) = (present(field), of.wanted(field));
                if !of.was.contains_key(field) && !crate::cells::same(now.as_ref(), wanted.as_ref()) {
                    self.clashes.note(tx, self.edit, item, field, now.as_ref(), wanted.as_ref())?;
                }
            }
        }
        Ok(())
    }

    fn accepted(
        &mut self,
        tx: &mut Tx<'_>,
        of: Option<&Record>,
        cells: Map<String, Value>,
        pointer: &str,
    ) -> Result<Vec<(String, Option<Value>)>> {
        let mut all = Vec::with_capacity(cells.len());
        for (column_id, value) in cells {
            let one = Map::from_iter([(column_id, value)]);
            let at = of.map(|record| OfItem::new(&self.edit.board.id, record));
            match items::accept_cells(tx, &self.edit.account, at, &self.columns, &self.names, one, pointer) {
                Ok(accepted) => all.extend(accepted),
                Err(refusal)
                    if [&INVALID_CELL, &READ_ONLY_COLUMN, &NAMED_NOT_FOUND].iter().any(|code| refusal.is(code)) =>
                {
                    if refusal.is(&NAMED_NOT_FOUND) {
                        self.unknown += refusal.fields().len();
                    }
                    self.refused.extend(refusal.fields().iter().cloned());
                }
                Err(other) => return Err(other),
            }
        }
        Ok(all)
    }

    fn add(&mut self, tx: &mut Tx<'_>, news: Vec<Added>) -> Result<Vec<String>> {
        if self.edit.board.item_count + news.len() as i64 > ITEMS_MAX {
            return Err(BOARD_LIMIT.error(format!("A board can have up to {ITEMS_MAX} items.")));
        }
        let at = kit::rfc3339(self.edit.now_ms);
        let by = item::made_by(&self.edit.caller);
        let mut added = Vec::with_capacity(news.len());
        for ((index, new), own) in news.into_iter().enumerate().zip(ids::short_ids()) {
            let pointer = format!("/add/{index}");
            let id = match new.id {
                Some(id) if !ids::is_short_id(&id) => {
                    return Err(invalid(&format!("{pointer}/id"), fault::WRONG_FORMAT, ID_FORM));
                }
                Some(id) if self.is_known(tx, &id)? => {
                    added.push(id);
                    continue;
                }
                Some(id) => id,
                None => own,
            };
            if let Err(refusal) = expect_name(&new.name, &format!("{pointer}/name")) {
                self.refused.extend(refusal.fields().iter().cloned());
            }
            let of_group = format!("{pointer}/groupId");
            let asked = new.group_id.map(|text| groups::meant(&self.groups, &text, &of_group)).transpose()?;
            let group_id = match &new.parent_id {
                None => asked.or_else(|| self.groups.first().map(|group| group.id.clone())),
                Some(parent_id) => {
                    let of_parent = subitems::parent(tx, self.edit, parent_id, &format!("{pointer}/parentId"))?;
                    let of_parent = of_parent.record.group_id;
                    asked.map_or(Ok(()), |asked| subitems::expect_group(&asked, &of_parent, &of_group))?;
                    Some(of_parent)
                }
            };
            let group_id = group_id.ok_or_else(not_found)?;
            let cells = self.accepted(tx, None, new.cells, &pointer)?;
            let cells = cells.into_iter().filter_map(|(id, value)| Some((id, value?))).collect();
            if let Some(position) = new.position {
                ops::items::expect_position(position, &format!("{pointer}/position"))?;
            }
            let position = self.edit.place(new.position.unwrap_or(POSITION_MAX));
            let (created_at, updated_at) = (at.clone(), at.clone());
            let (created_by, updated_by) = (by.clone(), by.clone());
            let (name, parent_id) = (new.name, new.parent_id);
            let mut record =
                Record { id, group_id, name, created_at, updated_at, created_by, updated_by, parent_id, cells };
            self.formulas.apply(tx, &self.edit.account, &mut record)?;
            added.push(record.id.clone());
            let item = Item { position, record };
            items::put_new(tx, self.edit, &item)?;
            if new.position.is_some() {
                items::leave(tx, self.edit, &item.record.id, item.position)?;
            }
        }
        Ok(added)
    }

    /// Whether the board has or had an item of this id.
    fn is_known(&self, tx: &mut Tx<'_>, id: &str) -> Result<bool> {
        let (account, board_id) = (&self.edit.account, &self.edit.board.id);
        if item::find(tx, account, board_id, id)?.is_some()
            || trash_entry::place_of_item(tx, account, board_id, id)?.is_some()
        {
            return Ok(true);
        }
        // What is recorded of a thing is recorded under its id: no other thing takes it, also while nothing is, as of the items
        // of a board that an import made. The account is not to be looked up by: all its items would be asked.
        let of_another = "SELECT 1 FROM items WHERE item_id = $2 AND account_id || '' = $1 LIMIT 1";
        if !tx.changes(account, "item", id, None, 1)?.is_empty()
            || tx.query_opt(of_another, params![account.as_str(), id], |_| Ok(()))?.is_some()
        {
            return Err(error::CONFLICT.error(format!("The ID {id} was used for another item.")));
        }
        Ok(false)
    }

    fn put_away(&mut self, tx: &mut Tx<'_>, id: &str, place: Place, pointer: &str) -> Result<()> {
        let (account, board_id) = (&self.edit.account, &self.edit.board.id);
        match item::find(tx, account, board_id, id)? {
            Some(item) => trash::keep_whole_item(tx, self.edit, &item, place),
            None if trash_entry::place_of_item(tx, account, board_id, id)?.is_some() => Ok(()),
            None => Err(ids::unknown(fault::UNKNOWN_ITEM, pointer)),
        }
    }
}

fn parent_of(item: &Item) -> Option<Value> {
    item.record.parent_id.as_ref().map(|id| json!(id))
}

/// Nothing is written: which cells do not take their values, and why. The whole is not found only where every one of them names
/// what there is not.
fn refusal_of(refused: Vec<FieldError>, unknown: usize) -> kit::Error {
    let detail = format!("{} cells don't accept their values. Nothing was changed.", refused.len());
    let code = if unknown == refused.len() { &NAMED_NOT_FOUND } else { &INVALID_CELL };
    code.error(detail).at_all(refused.into_iter().take(REFUSALS_MAX))
}
