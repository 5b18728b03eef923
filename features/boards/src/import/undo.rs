//! Undo of an import: a board that it created moves to Trash, restorable with all later changes; changes to an existing
//! board are reverted.
//!
//! Invariant: later changes to an existing board are preserved and listed.

use super::given::Given;
use super::{labels, links};
use crate::cells::Column;
use crate::change::Edit;
use crate::edit::edit;
use crate::errors::{BOARD_LIMIT, SUBITEM_DEPTH};
use crate::item::{self, GROUP, Item, NAME, Record, has_comments, set, value_of};
use crate::subitems::{self, PARENT};
use crate::{board, inputs, items, recompute, trash, trash_entry};
use column_types::ColumnType;
use kit::error::{self, Result};
use kit::{Call, Ctx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};
use store::{HasDb, Tx, params};

/// Things that stay which are named; the rest is only counted.
const KEPT_SHOWN_MAX: usize = 100;
const CHANGES_PER_STEP: i64 = 1_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "UndoImport", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Undo {
    /// The import.
    import_id: String,
}

/// A later change that the undo preserves.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Kept {
    /// The item; empty for a label or group.
    item_id: String,
    /// Name of the item, label, or group.
    name: String,
    /// `name`, `groupId`, `parentId`, or a column ID; empty for an added item. For a label, its column; for a group,
    /// `groupId`.
    field: String,
}

/// Result of undoing an import.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "UndoneImport", rename_all = "camelCase")]
pub(crate) struct Undone {
    board_id: String,
    /// Whether the new board was moved to Trash; restore it with `boards.restore`.
    board_deleted: bool,
    /// Whether that board was changed after the import; those changes are in Trash with it.
    changed_since: bool,
    /// Number of items that were restored.
    restored: u64,
    /// Number of added items that were removed; with a new board, all of its items.
    removed: u64,
    /// Number of added labels that were unused and were removed.
    labels_removed: u64,
    /// Number of added groups that were empty and were removed.
    groups_removed: u64,
    /// The first 100 later changes, which were preserved.
    kept: Vec<Kept>,
    /// Total number of preserved changes.
    kept_count: u64,
}

/// The board of an undoable import, its source, and whether the import created it.
fn load(tx: &mut Tx<'_>, account: &str, import_id: &str, now_ms: i64) -> Result<(board::Board, String, bool)> {
    let sql = "SELECT board_id, source, made_board, undone, at_ms FROM board_imports WHERE account_id = $1 AND import_id = $2";
    let (board_id, source, made_board, undone, at_ms) = tx.query_one(sql, params![account, import_id], |row| {
        Ok((row.get::<String>(0)?, row.get(1)?, row.get::<i64>(2)?, row.get::<i64>(3)?, row.get::<i64>(4)?))
    })?;
    let board = board::load(tx, account, &board_id)?;
    if undone != 0 {
        return Err(error::CONFLICT.error("The import is already undone."));
    }
    if made_board == 0 && at_ms <= now_ms - links::UNDO_KEPT_MS {
        let detail = "The import is more than 30 days old and can't be undone.";
        return Err(error::CONFLICT.error(detail));
    }
    Ok((board, source, made_board != 0))
}

pub(crate) async fn undo(ctx: Ctx, call: Call, input: Undo) -> Result<Undone> {
    let import_id = input.import_id;
    let (owner, id, now_ms) = (call.account().to_owned(), import_id.clone(), ctx.now_ms());
    let look = move |tx: &mut Tx<'_>| {
        let (board, _, made_board) = load(tx, &owner, &id, now_ms)?;
        let talked = made_board && has_comments(tx, &owner, &board.id, None)?;
        let changed_since = talked || board.revision != super::FIRST_REVISION;
        Ok((board, made_board, changed_since))
    };
    let (board, made_board, changed_since) = ctx.db().read(look).await?;
    if !made_board {
        let take = move |tx: &mut Tx<'_>, edit: &mut Edit| {
            let undone = take_back(tx, edit, &import_id)?;
            recompute::again_if_any(tx, edit)?;
            Ok(undone)
        };
        return edit(ctx, call, board.id, take).await;
    }
    trash::put_board_away(ctx, call, inputs::BoardParams { board_id: board.id.clone() }).await?;
    Ok(Undone {
        removed: board.item_count as u64,
        board_id: board.id,
        board_deleted: true,
        changed_since,
        restored: 0,
        labels_removed: 0,
        groups_removed: 0,
        kept: Vec::new(),
        kept_count: 0,
    })
}

/// One item as the import found it and left it.
struct Step {
    place: i64,
    key: String,
    item_id: String,
    before: Option<Record>,
    after: Record,
    given: Option<Given>,
}

fn steps(tx: &mut Tx<'_>, account: &str, import_id: &str, below: i64) -> Result<Vec<Step>> {
    let sql = "SELECT place, external_id, item_id, before_json, after_json, given_json FROM import_changes \
         WHERE account_id = $1 AND import_id = $2 AND place > 0 AND place < $3 ORDER BY place DESC LIMIT $4";
    tx.query(sql, params![account, import_id, below, CHANGES_PER_STEP], |row| {
        let record = |json: &str| serde_json::from_str::<Record>(json).map_err(board::damaged);
        let some = |json: Option<String>| json.as_deref().map(record).transpose();
        Ok(Step {
            place: row.get(0)?,
            key: row.get(1)?,
            item_id: row.get(2)?,
            before: some(row.get(3)?)?,
            after: record(row.get(4)?)?,
            given: row.get::<Option<String>>(5)?.as_deref().map(Given::read).transpose()?,
        })
    })
}

/// What can be brought back on the board as it is now.
struct Possible {
    groups: BTreeSet<String>,
    columns: HashMap<String, Column>,
    /// Those of the columns whose cells are computed.
    computed: BTreeSet<String>,
}

fn take_back(tx: &mut Tx<'_>, edit: &mut Edit, import_id: &str) -> Result<Undone> {
    // Asked again within the transaction: another undo may have come first.
    let (_, source, _) = load(tx, &edit.account, import_id, edit.now_ms)?;
    let columns = board::columns(tx, &edit.account, &edit.board.id)?;
    let computed = columns.iter().filter(|column| column.kind == Some(ColumnType::Formula));
    let possible = Possible {
        groups: board::groups(tx, &edit.account, &edit.board.id)?.into_iter().map(|group| group.id).collect(),
        computed: computed.map(|column| column.id.clone()).collect(),
        columns: columns.into_iter().map(|column| (column.id.clone(), column)).collect(),
    };
    let mut undone = Undone {
        board_id: edit.board.id.clone(),
        board_deleted: false,
        changed_since: false,
        restored: 0,
        removed: 0,
        labels_removed: 0,
        groups_removed: 0,
        kept: Vec::new(),
        kept_count: 0,
    };
    let mut known = links::keys(tx, &edit.account, &edit.board.id, &source)?;
    let (mut below, mut taken) = (i64::MAX, Taken::default());
    loop {
        let some = steps(tx, &edit.account, import_id, below)?;
        let Some(last) = some.last() else { break };
        below = last.place;
        for step in some {
            let keys = known.entry(step.item_id.clone()).or_default();
            if !keys.contains(&step.key) {
                keys.push(step.key.clone());
            }
            take_step(tx, edit, (&source, keys), &possible, step, (&mut undone, &mut taken))?;
        }
    }
    undone.restored = taken.restored.len() as u64;
    let labels::TakenBack { labels, groups, kept } = labels::take_back(tx, edit, import_id)?;
    (undone.labels_removed, undone.groups_removed) = (labels, groups);
    for (column_id, name) in kept {
        undone.name_kept("", &name, column_id.as_deref().unwrap_or(GROUP));
    }
    let sql = "UPDATE board_imports SET undone = 1 WHERE account_id = $1 AND import_id = $2";
    tx.execute(sql, params![edit.account.as_str(), import_id])?;
    let sql = "DELETE FROM import_changes WHERE account_id = $1 AND import_id = $2";
    tx.execute(sql, params![edit.account.as_str(), import_id])?;
    if !edit.is_unchanged() {
        let before = serde_json::json!({"importId": import_id});
        edit.record(tx, "board", &edit.board.id, "import", Some(&before), None)?;
    }
    Ok(undone)
}

/// Progress of the undo. An import may have changed an item twice: its cells, then its parent.
#[derive(Default)]
struct Taken {
    /// Items of which something is as it was.
    restored: HashSet<String>,
    /// Items that are gone since.
    gone: HashSet<String>,
    /// The parents that items had here until those went.
    freed: HashMap<String, String>,
}

/// Takes one step back.
fn take_step(
    tx: &mut Tx<'_>,
    edit: &mut Edit,
    (source, keys): (&str, &[String]),
    possible: &Possible,
    step: Step,
    (undone, taken): (&mut Undone, &mut Taken),
) -> Result<()> {
    let (account, board_id) = (edit.account.clone(), edit.board.id.clone());
    let item = item::find(tx, &account, &board_id, &step.item_id)?;
    let Some(before) = &step.before else {
        let Some(item) = item else { return Ok(()) };
        let now = &item.record;
        // What is computed was so after the import.
        let written = |record: &Record| {
            let cells = record.cells.iter().filter(|(id, _)| !possible.computed.contains(*id));
            cells.map(|(id, value)| (id.clone(), value.clone())).collect::<Vec<_>>()
        };
        // A subitem stands in its parent's group.
        let parent_id = now.parent_id.as_ref().or_else(|| taken.freed.get(&step.item_id));
        let stands =
            parent_id == step.after.parent_id.as_ref() && (parent_id.is_some() || now.group_id == step.after.group_id);
        let same = now.name == step.after.name && stands && written(now) == written(&step.after);
        if same && !has_comments(tx, &account, &board_id, Some(&step.item_id))? {
            // Those that the import added too go by themselves.
            for mut subitem in subitems::subitems_of(tx, edit, &step.item_id)? {
                subitems::move_to(tx, edit, &mut subitem, None, Some(&serde_json::Value::Null), "")?;
                item::store(tx, &account, &board_id, edit.board.revision, &subitem)?;
                taken.freed.insert(subitem.record.id, step.item_id.clone());
            }
            trash::keep_item(tx, edit, &item, trash_entry::Place::Trash, "")?;
            undone.removed += 1;
            give_back(tx, [&account, &board_id, source], keys, step.given.as_ref())?;
        } else {
            undone.keep(&item.record, "");
        }
        return Ok(());
    };
    let parts = parts_between(before, &step.after);
    let Some(mut item) = item else {
        if taken.gone.insert(step.item_id) {
            undone.keep(&step.after, "");
        }
        return Ok(());
    };
    let mut restored = false;
    if before.parent_id != step.after.parent_id {
        match put_below_again(tx, edit, possible, &mut item, before, &step.after)? {
            true => restored = true,
            false => undone.keep(&item.record, PARENT),
        }
    }
    for part in parts {
        let (wanted, present) = (value_of(before, &part), value_of(&item.record, &part));
        let there = match part.as_str() {
            NAME => true,
            GROUP => item.record.parent_id.is_none() && possible.groups.contains(&before.group_id),
            column_id if possible.computed.contains(column_id) => true,
            // A label may have been left out since, or a rating's scale cut.
            column_id => match possible.columns.get(column_id) {
                Some(column) => {
                    let at = (&*board_id, &*step.item_id);
                    match column.accept_back(tx, &account, at, wanted.as_ref(), "/importId") {
                        Ok(accepted) => accepted == wanted,
                        Err(refusal) if !refusal.fields().is_empty() => false,
                        Err(other) => return Err(other),
                    }
                }
                None => false,
            },
        };
        if present != value_of(&step.after, &part) || !there {
            undone.keep(&item.record, &part);
            continue;
        }
        edit.record(tx, "item", &step.item_id, &part, present.as_ref(), wanted.as_ref())?;
        set(&mut item.record, &part, wanted);
        restored = true;
    }
    if restored {
        items::touch(edit, &mut item.record);
        item::store(tx, &account, &board_id, edit.board.revision, &item)?;
        subitems::follow(tx, edit, &item.record)?;
    }
    give_back(tx, [&account, &board_id, source], keys, step.given.as_ref())?;
    if restored {
        taken.restored.insert(step.item_id);
    }
    Ok(())
}

/// Notes under all keys of an item what files before gave it, or that none has met it.
fn give_back(tx: &mut Tx<'_>, of: [&str; 3], keys: &[String], given: Option<&Given>) -> Result<()> {
    match given {
        Some(given) => links::put(tx, of, keys, given),
        None => keys.iter().try_for_each(|key| links::forget(tx, of[0], of[1], of[2], key)),
    }
}

/// Brings an item back below the parent that it had, or to the group where it had none; false where that cannot be, or where it
/// was moved again since.
fn put_below_again(
    tx: &mut Tx<'_>,
    edit: &mut Edit,
    possible: &Possible,
    item: &mut Item,
    before: &Record,
    after: &Record,
) -> Result<bool> {
    if item.record.parent_id != after.parent_id {
        return Ok(false);
    }
    if let Some(parent_id) = &before.parent_id
        && item::find(tx, &edit.account, &edit.board.id, parent_id)?.is_none()
    {
        return Ok(false);
    }
    let is_item = before.parent_id.is_none();
    let group = Some(before.group_id.clone()).filter(|id| is_item && possible.groups.contains(id));
    match subitems::move_to(tx, edit, item, group, Some(&serde_json::json!(before.parent_id)), "") {
        Ok(()) => Ok(true),
        Err(refusal) if refusal.is(&BOARD_LIMIT) || refusal.is(&SUBITEM_DEPTH) => Ok(false),
        Err(other) => Err(other),
    }
}

/// Fields in which two states of an item differ. A parent's group is not listed separately.
fn parts_between(before: &Record, after: &Record) -> Vec<String> {
    let columns: BTreeSet<&String> = before.cells.keys().chain(after.cells.keys()).collect();
    let group = (before.parent_id == after.parent_id).then_some(GROUP);
    let parts = [NAME].into_iter().chain(group).chain(columns.into_iter().map(String::as_str));
    parts.filter(|part| value_of(before, part) != value_of(after, part)).map(str::to_owned).collect()
}

impl Undone {
    fn keep(&mut self, record: &Record, field: &str) {
        self.name_kept(&record.id, &record.name, field);
    }

    fn name_kept(&mut self, item_id: &str, name: &str, field: &str) {
        self.kept_count += 1;
        if self.kept.len() < KEPT_SHOWN_MAX {
            self.kept.push(Kept { item_id: item_id.to_owned(), name: name.to_owned(), field: field.to_owned() });
        }
    }
}
