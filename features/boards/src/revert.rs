//! Undo of a whole revision: reverts all of its changes in one transaction, or none and reports the conflicts. The undo
//! is a revision too, so undoing it redoes the changes.

use crate::actor::Actor;
use crate::cells::Column;
use crate::change::Edit;
use crate::edit::edit;
use crate::errors::{BOARD_LIMIT, NOT_UNDOABLE, SUBITEM_DEPTH};
use crate::formula::Formulas;
use crate::item::{self, GROUP, Item, NAME, Record, has_comments, is_value, set, value_of};
use crate::subitems::{self, PARENT};
use crate::trash_entry::{self, Place};
use crate::{board, items, place, steps, trash, undo};
use column_types::ColumnType;
use kit::error::{self, Result};
use kit::{Call, Ctx};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use store::{ChangeRow, HasDb, Tx, params};

/// Changes of an item that are looked through for where it stood.
const CHANGES_LOOKED_AT: i64 = 1_000;
/// Maximum conflicts in an answer.
const CLASHES_SHOWN_MAX: usize = 100;

/// An undone revision.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reverted {
    /// The undone revision.
    revision: i64,
    /// Number of undone changes.
    changes: usize,
    /// The undo's revision; undo it to redo.
    undone_by: i64,
    /// The board's revision after the change.
    pub(crate) board_revision: i64,
}

pub(crate) async fn revision(ctx: Ctx, call: Call, board_id: String, revision: i64) -> Result<Reverted> {
    let (account, id) = (call.account().to_owned(), board_id.clone());
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, &account, &id)?;
        steps::changes(tx, &account, &board, revision)
    };
    let mut changes = ctx.db().read(read).await?;
    if let Some(strange) =
        changes.iter().find(|change| !is_value(&change.field) && !undo::takes(change) && change.subject != place::ROOM)
    {
        let detail = match strange.field.as_str() {
            "import" => "An import is undone as a whole: POST /boards/imports/{importId}/undo.",
            _ => steps::ONLY,
        };
        return Err(NOT_UNDOABLE.error(detail));
    }
    let is_alone = |change: &ChangeRow| change.subject == "board" && !steps::is_of_group(change);
    if let Some(at) = changes.iter().position(is_alone) {
        // A column is changed alone, as is the board's name; its cells go and come back with it.
        let change = changes.swap_remove(at);
        let board_revision = undo::undo(ctx, call, board_id, change).await?.board_revision;
        return Ok(Reverted { revision, changes: 1, undone_by: board_revision, board_revision });
    }
    if changes.iter().any(steps::is_of_group) {
        // Items that went or came along with a group come and go with it.
        changes.retain(|change| change.subject != "item" || change.field != "kept");
    }
    together(ctx, call, board_id, revision, changes).await
}

/// Takes changes of items and groups that one revision made back, oldest first, all or none.
pub(crate) async fn together(
    ctx: Ctx,
    call: Call,
    board_id: String,
    revision: i64,
    changes: Vec<ChangeRow>,
) -> Result<Reverted> {
    edit(ctx, call, board_id, move |tx, edit| {
        let count = changes.len();
        let mut reverting = Reverting::new(tx, edit)?;
        reverting.expect_room(tx, &changes)?;
        for change in changes.iter().rev() {
            reverting.take(tx, change)?;
        }
        reverting.end(tx)?;
        if edit.is_unchanged() {
            return Err(steps::nothing());
        }
        let board_revision = edit.board.revision;
        Ok(Reverted { revision, changes: count, undone_by: board_revision, board_revision })
    })
    .await
}

/// An item in the hands of an undo.
enum Held {
    /// On the board; whether it is to be stored.
    Here(Box<Item>, bool),
    /// Put away, or gone.
    Away,
}

struct Reverting<'a> {
    edit: &'a mut Edit,
    columns: Vec<Column>,
    groups: HashSet<String>,
    formulas: Formulas,
    /// Data needed to restore items, loaded once needed; reloaded if groups change.
    returning: Option<trash::Returning>,
    held: HashMap<String, Held>,
    /// Ids of those that may have to be stored.
    changed: Vec<String>,
    clashes: Vec<Value>,
    clash_count: usize,
}

impl<'a> Reverting<'a> {
    fn new(tx: &mut Tx<'_>, edit: &'a mut Edit) -> Result<Reverting<'a>> {
        let columns = board::columns(tx, &edit.account, &edit.board.id)?;
        let formulas = Formulas::new(&columns);
        let groups = groups(tx, edit)?;
        Ok(Reverting {
            edit,
            columns,
            groups,
            formulas,
            returning: None,
            held: HashMap::new(),
            changed: Vec::new(),
            clashes: Vec::new(),
            clash_count: 0,
        })
    }

    /// Reverts one change, or records its conflict.
    fn take(&mut self, tx: &mut Tx<'_>, change: &ChangeRow) -> Result<()> {
        if change.before == change.after {
            return Ok(());
        }
        if change.subject == "board" {
            return self.take_group(tx, change);
        }
        if change.subject == place::ROOM {
            return self.take_room(tx, change);
        }
        match change.field.as_str() {
            "" => self.take_made(tx, change),
            "kept" => self.take_kept(tx, change),
            "position" => self.take_position(tx, change),
            PARENT => self.take_parent(tx, change),
            _ => self.take_value(tx, change),
        }
    }

    fn take_group(&mut self, tx: &mut Tx<'_>, change: &ChangeRow) -> Result<()> {
        if !undo::is_in_force(tx, &self.edit.account, &self.edit.board, change)? {
            return self.clash(tx, change, "", None, "It has been changed again since then.");
        }
        if self.clash_count > 0 {
            return Ok(());
        }
        // What stands in a group is asked of the table.
        self.store(tx)?;
        undo::put_group_as_before(tx, self.edit, change)?;
        self.groups = groups(tx, self.edit)?;
        self.returning = None;
        self.held.clear();
        Ok(())
    }

    fn take_made(&mut self, tx: &mut Tx<'_>, change: &ChangeRow) -> Result<()> {
        let Some(item) = self.item(tx, change)? else { return Ok(()) };
        let name = item.record.name.clone();
        if !self.is_as_made(&item.record, change.after.as_ref()) {
            return self.clash(tx, change, &name, None, "It was changed after it was added.");
        }
        if !subitems::subitems_of(tx, self.edit, &change.subject_id)?.is_empty() {
            return self.clash(tx, change, &name, None, "It has subitems added since then.");
        }
        let (account, board_id) = (&self.edit.account, &self.edit.board.id);
        if has_comments(tx, account, board_id, Some(&change.subject_id))? {
            return self.clash(tx, change, &name, None, "It has comments added since then.");
        }
        self.put_away(tx, &item, Place::Trash)
    }

    fn take_kept(&mut self, tx: &mut Tx<'_>, change: &ChangeRow) -> Result<()> {
        if let Some(place) = change.after.as_ref().and_then(Value::as_str) {
            let id = &change.subject_id;
            if let Some(Held::Here(..)) = self.held.get(id) {
                // It came back with its parent.
                return Ok(());
            }
            let lies = trash_entry::place_of_item(tx, &self.edit.account, &self.edit.board.id, id)?;
            if lies.as_ref().is_none_or(|(state, _)| state != place) {
                let name = lies.map(|(_, name)| name).unwrap_or_default();
                return self.clash(tx, change, &name, None, "It was moved since then.");
            }
            if self.clash_count == 0 {
                // Where its parent stands is asked of the table.
                self.store(tx)?;
                let board = match &mut self.returning {
                    Some(board) => board,
                    none => none.insert(trash::Returning::to(tx, self.edit)?),
                };
                let item = trash::restore_item_in(tx, self.edit, board, id)?;
                for subitem in subitems::subitems_of(tx, self.edit, id)? {
                    self.held.insert(subitem.record.id.clone(), Held::Here(Box::new(subitem), false));
                }
                self.held.insert(id.clone(), Held::Here(Box::new(item), false));
            }
            return Ok(());
        }
        let Some(item) = self.item(tx, change)? else { return Ok(()) };
        let is_archive = change.before.as_ref().is_some_and(|place| place == Place::Archive.name());
        self.put_away(tx, &item, if is_archive { Place::Archive } else { Place::Trash })
    }

    fn put_away(&mut self, tx: &mut Tx<'_>, item: &Item, place: Place) -> Result<()> {
        if self.clash_count == 0 {
            self.store(tx)?;
            for subitem in subitems::subitems_of(tx, self.edit, &item.record.id)? {
                self.held.insert(subitem.record.id, Held::Away);
            }
            trash::keep_whole_item(tx, self.edit, item, place)?;
            self.held.insert(item.record.id.clone(), Held::Away);
        }
        Ok(())
    }

    /// Records a conflict if items were moved between renumbered ones since then: undoing would change their order.
    fn expect_room(&mut self, tx: &mut Tx<'_>, changes: &[ChangeRow]) -> Result<()> {
        let is_room = |change: &ChangeRow| change.subject == place::ROOM;
        let Some(newest) = changes.last() else { return Ok(()) };
        let rooms = changes.iter().filter(|change| is_room(change));
        let made: HashMap<&str, i64> = rooms
            .filter_map(|change| Some((change.subject_id.as_str(), place::number(change.after.as_ref())?)))
            .collect();
        // What was recorded one behind the other was spread together, and stood and stands with nothing else in between.
        for room in changes.chunk_by(|one, next| is_room(one) == is_room(next)).filter(|room| is_room(&room[0])) {
            let sides = room.iter().flat_map(|change| [&change.before, &change.after]);
            let numbers: Vec<i64> = sides.filter_map(|side| place::number(side.as_ref())).collect();
            let sql = "SELECT item_id, position FROM items WHERE account_id = $1 AND board_id = $2 \
                 AND position >= $3 AND position <= $4 ORDER BY position, item_id";
            let (first, last) = (numbers.iter().min().copied(), numbers.iter().max().copied());
            let range = params![self.edit.account.as_str(), &self.edit.board.id, first, last];
            let there = tx.query(sql, range, |row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?)))?;
            for (id, at) in there {
                if made.get(id.as_str()) == Some(&at) || self.stood(tx, &id, &newest.change_id, at)? {
                    continue;
                }
                let item = items::load(tx, self.edit, &id)?;
                let change = ChangeRow { subject: "item".to_owned(), subject_id: id, ..room[0].clone() };
                let detail = "It was moved there since then.";
                return self.clash(tx, &change, &item.record.name, Some(&json!(at)), detail);
            }
        }
        Ok(())
    }

    /// Whether an item stood at a position when a change was made.
    fn stood(&self, tx: &mut Tx<'_>, id: &str, change_id: &str, position: i64) -> Result<bool> {
        let mut changes = tx.changes(&self.edit.account, "item", id, None, CHANGES_LOOKED_AT)?;
        changes.retain(|change| matches!(change.field.as_str(), "position" | "kept" | ""));
        changes.extend(tx.changes(&self.edit.account, place::ROOM, id, None, CHANGES_LOOKED_AT)?);
        let later = changes.iter().filter(|change| change.change_id.as_str() > change_id);
        let first = later.min_by_key(|change| &change.change_id);
        Ok(first
            .is_none_or(|first| first.field == "position" && place::number(first.before.as_ref()) == Some(position)))
    }

    /// Reverts a renumbering, except for items moved since.
    fn take_room(&mut self, tx: &mut Tx<'_>, change: &ChangeRow) -> Result<()> {
        if self.clash_count > 0 {
            return Ok(());
        }
        self.store(tx)?;
        self.held.remove(&change.subject_id);
        place::take_back(tx, self.edit, change)
    }

    fn take_position(&mut self, tx: &mut Tx<'_>, change: &ChangeRow) -> Result<()> {
        let Some(mut item) = self.item(tx, change)? else { return Ok(()) };
        let (present, wanted) = (json!(item.position), change.before.as_ref().and_then(Value::as_i64));
        let Some(wanted) = wanted.filter(|_| change.after.as_ref() == Some(&present)) else {
            let detail = "It or its neighbors were moved since then.";
            return self.clash(tx, change, &item.record.name, Some(&present), detail);
        };
        if self.clash_count > 0 {
            return Ok(());
        }
        items::put_at(tx, self.edit, &mut item, wanted)?;
        self.edit.board.last_position = self.edit.board.last_position.max(wanted);
        self.put(item);
        Ok(())
    }

    /// Its name, its group or a cell.
    fn take_value(&mut self, tx: &mut Tx<'_>, change: &ChangeRow) -> Result<()> {
        let Some(mut item) = self.item(tx, change)? else { return Ok(()) };
        let (field, name) = (change.field.as_str(), item.record.name.clone());
        let present = value_of(&item.record, field);
        if present != change.after {
            return self.clash(tx, change, &name, present.as_ref(), "It has been changed again since then.");
        }
        let wanted = match field {
            NAME => change.before.clone(),
            GROUP if item.record.parent_id.is_some() => {
                return self.clash(tx, change, &name, None, "It is now a subitem and follows its parent's group.");
            }
            GROUP => {
                let is_there =
                    change.before.as_ref().and_then(Value::as_str).is_some_and(|id| self.groups.contains(id));
                if !is_there {
                    return self.clash(tx, change, &name, None, "Its group was deleted since then.");
                }
                change.before.clone()
            }
            column_id => {
                let Some(column) = self.columns.iter().find(|column| column.id == column_id) else {
                    return self.clash(tx, change, &name, None, "The column was deleted since then.");
                };
                let at = (&*self.edit.board.id, &*item.record.id);
                match column.accept_back(tx, &self.edit.account, at, change.before.as_ref(), "/revision") {
                    Ok(value) => value,
                    // A label was left out, a rating's scale was cut.
                    Err(refusal) if !refusal.fields().is_empty() => {
                        let detail = refusal.fields()[0].detail.clone();
                        return self.clash(tx, change, &name, present.as_ref(), &detail);
                    }
                    Err(other) => return Err(other),
                }
            }
        };
        if self.clash_count > 0 {
            return Ok(());
        }
        self.edit.record(tx, "item", &change.subject_id, field, present.as_ref(), wanted.as_ref())?;
        set(&mut item.record, field, wanted);
        let record = item.record.clone();
        self.put(item);
        if field == GROUP && self.edit.board.subitem_count > 0 {
            self.store(tx)?;
            subitems::follow(tx, self.edit, &record)?;
            for subitem in subitems::subitems_of(tx, self.edit, &record.id)? {
                self.held.remove(&subitem.record.id);
            }
        }
        Ok(())
    }

    /// That it became a subitem, got another parent, or became an item again.
    fn take_parent(&mut self, tx: &mut Tx<'_>, change: &ChangeRow) -> Result<()> {
        let Some(mut item) = self.item(tx, change)? else { return Ok(()) };
        let name = item.record.name.clone();
        let parent_of = |side: &Option<Value>| side.as_ref().and_then(|side| side.get(PARENT)).cloned();
        let present = item.record.parent_id.as_ref().map(|id| json!(id));
        if present != parent_of(&change.after) {
            return self.clash(tx, change, &name, present.as_ref(), "It has been changed again since then.");
        }
        if self.clash_count > 0 {
            return Ok(());
        }
        // What stands below what is asked of the table.
        self.store(tx)?;
        let wanted = parent_of(&change.before);
        let (account, board_id) = (&self.edit.account, &self.edit.board.id);
        if let Some(id) = wanted.as_ref().and_then(Value::as_str)
            && item::find(tx, account, board_id, id)?.is_none()
        {
            return self.clash(tx, change, &name, None, "Its parent item was deleted since then.");
        }
        let group = change.before.as_ref().and_then(|before| before["groupId"].as_str());
        let group = group.filter(|id| wanted.is_none() && self.groups.contains(*id)).map(str::to_owned);
        match subitems::move_to(tx, self.edit, &mut item, group, Some(&wanted.unwrap_or_default()), "") {
            Ok(()) => self.put(item),
            Err(refusal) if refusal.is(&BOARD_LIMIT) || refusal.is(&SUBITEM_DEPTH) => {
                return self.clash(tx, change, &name, None, &refusal.to_string());
            }
            Err(other) => return Err(other),
        }
        Ok(())
    }

    /// The item of a change; where it is not on the board, that is noted.
    fn item(&mut self, tx: &mut Tx<'_>, change: &ChangeRow) -> Result<Option<Item>> {
        let id = &change.subject_id;
        match self.held.get(id) {
            Some(Held::Here(item, _)) => return Ok(Some((**item).clone())),
            Some(Held::Away) => {}
            None => {
                if let Some(item) = item::find(tx, &self.edit.account, &self.edit.board.id, id)? {
                    self.held.insert(id.clone(), Held::Here(Box::new(item.clone()), false));
                    return Ok(Some(item));
                }
            }
        }
        let lies = trash_entry::place_of_item(tx, &self.edit.account, &self.edit.board.id, id)?;
        let (name, detail) = match lies {
            Some((state, name)) if state == Place::Archive.name() => (name, "The item was archived since then."),
            Some((_, name)) => (name, "The item was deleted since then."),
            None => (String::new(), "The item was permanently deleted since then."),
        };
        self.clash(tx, change, &name, None, detail)?;
        Ok(None)
    }

    fn put(&mut self, item: Item) {
        self.changed.push(item.record.id.clone());
        self.held.insert(item.record.id.clone(), Held::Here(Box::new(item), true));
    }

    /// Whether an item is unchanged since it was added, apart from computed values.
    fn is_as_made(&self, record: &Record, made: Option<&Value>) -> bool {
        let Some(made) = made else { return false };
        let computed = |id: &String| {
            self.columns.iter().any(|column| column.id == *id && column.kind == Some(ColumnType::Formula))
        };
        let written = |cells: &Map<String, Value>| -> Map<String, Value> {
            let cells = cells.iter().filter(|(id, _)| !computed(id));
            cells.map(|(id, value)| (id.clone(), value.clone())).collect()
        };
        let cells = made["cells"].as_object().map(written).unwrap_or_default();
        let stands = record.parent_id.is_some() || made["groupId"] == record.group_id;
        made["name"] == record.name && stands && cells == written(&record.cells)
    }

    /// Records a conflict: who changed it later, and when.
    fn clash(
        &mut self,
        tx: &mut Tx<'_>,
        change: &ChangeRow,
        name: &str,
        present: Option<&Value>,
        detail: &str,
    ) -> Result<()> {
        self.clash_count += 1;
        if self.clashes.len() >= CLASHES_SHOWN_MAX {
            return Ok(());
        }
        let mut clash = json!({"field": change.field, "name": name, "detail": detail});
        if change.subject == "item" {
            clash["itemId"] = json!(change.subject_id);
        }
        if let Some(present) = present {
            clash["present"] = present.clone();
        }
        let account = &self.edit.account;
        let later = match change.field.as_str() {
            // Whatever of the item was changed last.
            "" => tx.changes(account, "item", &change.subject_id, None, 1)?.pop(),
            _ => tx.later_change(account, change)?,
        };
        let gone = || ChangeRow { field: "kept".to_owned(), ..change.clone() };
        let later = match later {
            None if change.subject == "item" => tx.later_change(account, &gone())?,
            later => later,
        };
        if let Some(later) = later.filter(|later| later.change_id != change.change_id) {
            clash["changeId"] = json!(later.change_id);
            clash["changedAt"] = json!(kit::rfc3339(later.at_ms));
            clash["changedBy"] = json!(Actor::new(later.actor, later.session_id, &self.edit.caller.sessions_seen()));
        }
        self.clashes.push(clash);
        Ok(())
    }

    /// Stores the items that were changed.
    fn store(&mut self, tx: &mut Tx<'_>) -> Result<()> {
        let edit = &*self.edit;
        for id in self.changed.drain(..) {
            let Some(Held::Here(item, changed @ true)) = self.held.get_mut(&id) else { continue };
            *changed = false;
            items::settle(tx, edit, &self.formulas, &mut item.record)?;
            item::store(tx, &edit.account, &edit.board.id, edit.board.revision, item)?;
        }
        Ok(())
    }

    /// Saves the undo, or fails with all conflicts.
    fn end(mut self, tx: &mut Tx<'_>) -> Result<()> {
        if self.clash_count == 0 {
            return self.store(tx);
        }
        let first = &self.clashes[0];
        let (name, detail) = (&first["name"], first["detail"].as_str().unwrap_or_default());
        let what = name.as_str().filter(|name| !name.is_empty()).map(|name| format!("{name}: ")).unwrap_or_default();
        let more = match self.clash_count - 1 {
            0 => String::new(),
            more => format!(" The same applies to {more} more."),
        };
        let detail = format!("Nothing was undone. {what}{detail}{more}");
        let count = self.clash_count;
        Err(error::CONFLICT.error(detail).with_stored("conflicts", self.clashes).with("conflictCount", count))
    }
}

fn groups(tx: &mut Tx<'_>, edit: &Edit) -> Result<HashSet<String>> {
    Ok(board::groups(tx, &edit.account, &edit.board.id)?.into_iter().map(|group| group.id).collect())
}
