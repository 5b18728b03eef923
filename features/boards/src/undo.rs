//! Undo of structural changes: added, moved, archived, and deleted items, changes of groups, columns, and views, and
//! the board's name.
//!
//! Each runs the opposite operation on the revision at which the change was verified to be in effect. So it's checked,
//! recorded, and reported like any other change, and undoing it redoes the original.

use crate::board::{self, Board};
use crate::change::Edit;
use crate::edit::edit;
use crate::errors::NOT_UNDOABLE;
use crate::item::{self, NAME};
use crate::ops::{self, boards, columns, groups};
use crate::steps::{self, Undone, What, changed_since, in_the_way, nothing, what_of_board};
use crate::subitems::{self, PARENT};
use crate::trash_entry::{self, RESTORED};
use crate::{inputs, place, revert, trash, views};
use kit::error::{Result, not_found};
use kit::{Call, Ctx};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use store::{ChangeRow, HasDb, Tx, params};

/// Whether changes of this kind are undone here.
pub(crate) fn takes(change: &ChangeRow) -> bool {
    match change.subject.as_str() {
        "board" if change.field == NAME => true,
        // With the step that made it alone.
        place::ROOM => false,
        "item" => match change.field.as_str() {
            "kept" | "position" | PARENT => true,
            // That it was deleted for good is final.
            "" => change.before.is_none(),
            _ => false,
        },
        _ => what_of_board(&change.field).is_some() || change.field.starts_with(views::FIELD),
    }
}

/// Takes a change back.
pub(crate) async fn undo(ctx: Ctx, mut call: Call, board_id: String, change: ChangeRow) -> Result<Undone> {
    if change.subject != "item" && change.field.starts_with(views::FIELD) {
        return views::take_back(ctx, call, board_id, change).await;
    }
    let (account, id, seen) = (call.account().to_owned(), board_id.clone(), change.clone());
    let if_match = call.if_match.take();
    let caller = call.caller.clone();
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, &account, &id)?;
        board.expected(&Call { if_match, ..Call::new(caller.clone()) })?;
        if is_in_force(tx, &account, &board, &seen)? {
            return Ok((board.revision, room_for(tx, &account, &board, &seen)?));
        }
        Err(changed_since(tx, &caller, &seen)?)
    };
    let (revision, room) = ctx.db().read(read).await?;
    let account = call.account().to_owned();
    call.if_match = Some(format!("\"{revision}\""));
    // Most often the one that follows the revision which it was asked for on, whatever others have changed by now.
    let made = match room {
        Some((step, changes)) => {
            Some(revert::together(ctx.clone(), call, board_id.clone(), step, changes).await?.board_revision)
        }
        None => opposite(&ctx, call, &board_id, &change).await.map_err(in_the_way)?,
    };
    let board_revision = made.unwrap_or(revision + 1);
    let read = move |tx: &mut Tx<'_>| {
        // That an item was made is taken back by deleting it, which is recorded as such.
        let field = if change.field.is_empty() { "kept" } else { &change.field };
        let made = steps::change_in(tx, &account, (&board_id, board_revision), &change, field)?;
        Ok(Undone {
            item_id: (change.subject == "item").then_some(change.subject_id),
            field: made.field,
            value: made.after.unwrap_or_default(),
            change_id: made.change_id,
            board_revision,
        })
    };
    ctx.db().read(read).await
}

/// A move for which room was made, with that: where it came from is another place while others have other numbers.
fn room_for(
    tx: &mut Tx<'_>,
    account: &str,
    board: &Board,
    change: &ChangeRow,
) -> Result<Option<(i64, Vec<ChangeRow>)>> {
    if change.subject != "item" || change.field != item::POSITION {
        return Ok(None);
    }
    let Some((revision, mut changes)) = steps::of_change(tx, account, board, &change.change_id)? else {
        return Ok(None);
    };
    if !changes.iter().any(|one| one.subject == place::ROOM) {
        return Ok(None);
    }
    let is_move = |one: &ChangeRow| one.subject == "item" && one.field == item::POSITION;
    if changes.iter().filter(|one| is_move(one)).count() > 1 {
        let detail = format!("Several items were moved at once. Undo revision {revision} instead.");
        return Err(NOT_UNDOABLE.error(detail));
    }
    changes.retain(|one| is_move(one) || one.subject == place::ROOM);
    Ok(Some((revision, changes)))
}

/// Fails if an item is neither on the board nor in Archive or Trash.
pub(crate) fn expect_known(tx: &mut Tx<'_>, account: &str, board_id: &str, item_id: &str) -> Result<()> {
    let of = params![account, board_id, item_id];
    let sql = "SELECT 1 FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
    if tx.query_opt(sql, of, |_| Ok(()))?.is_some() {
        return Ok(());
    }
    let sql = "SELECT 1 FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = 'item' AND thing_id = $3";
    tx.query_one(sql, of, |_| Ok(()))
}

/// Whether the change is still in effect.
pub(crate) fn is_in_force(tx: &mut Tx<'_>, account: &str, board: &Board, change: &ChangeRow) -> Result<bool> {
    if change.subject == "item" {
        let id = &change.subject_id;
        let of = params![account, &board.id, id];
        let sql = "SELECT position FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
        let position = tx.query_opt(sql, of, |row| row.get::<i64>(0))?;
        let sql =
            "SELECT state FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = 'item' AND thing_id = $3";
        let state = tx.query_opt(sql, of, |row| row.get::<String>(0))?;
        if position.is_none() && state.is_none() {
            return Err(not_found());
        }
        return Ok(match change.field.as_str() {
            "position" => change.after == position.map(|position| json!(position)),
            PARENT => {
                let item = item::find(tx, account, &board.id, id)?;
                item.is_some_and(|item| {
                    change.after.as_ref().is_some_and(|after| {
                        after.get(PARENT).and_then(Value::as_str) == item.record.parent_id.as_deref()
                    })
                })
            }
            "kept" => change.after == state.map(|state| json!(state)),
            _ => position.is_some(),
        });
    }
    if change.field == NAME {
        return Ok(change.after == Some(json!(board.name)));
    }
    let now = match what_of_board(&change.field) {
        Some((What::Group, id)) => {
            let all = board::groups(tx, account, &board.id)?;
            all.iter().find(|group| group.id == id).map(|group| json!(group))
        }
        Some((_, id)) => {
            let all = board::columns(tx, account, &board.id)?;
            all.iter().find(|column| column.id == id).map(|column| column.record()).transpose()?.map(|one| json!(one))
        }
        None => return Err(not_found()),
    };
    Ok(match (&change.before, &change.after, now) {
        (_, Some(after), Some(now)) => {
            parts(after).iter().all(|(name, value)| now.get(name).is_some_and(|now| is_same(now, value)))
        }
        (None, after, now) => after.is_none() && now.is_none(),
        (Some(_), None, now) => now.is_none(),
        (Some(_), Some(_), None) => false,
    })
}

/// Whether a part of a group or a column is as it was recorded. Which ids its labels had before is no matter: that grows with
/// every undo.
fn is_same(now: &Value, recorded: &Value) -> bool {
    let without = |part: &Value| {
        let mut part = part.clone();
        part.as_object_mut().and_then(|members| members.remove("lastLabel"));
        part
    };
    now == recorded || without(now) == without(recorded)
}

/// Fields of a recorded group or column change, without its position, which shifts when others move.
fn parts(side: &Value) -> Vec<(&String, &Value)> {
    let whole = side.get("column").unwrap_or(side).as_object();
    whole.into_iter().flatten().filter(|(name, _)| *name != "position" && *name != RESTORED).collect()
}

fn read<T: DeserializeOwned>(input: Value) -> Result<T> {
    serde_json::from_value(input).map_err(|e| NOT_UNDOABLE.error("Couldn't read the recorded change.").caused_by(e))
}

/// Runs the operation that does the opposite; the revision that recorded it, where that is not the next one.
async fn opposite(ctx: &Ctx, call: Call, board_id: &str, change: &ChangeRow) -> Result<Option<i64>> {
    let ctx = ctx.clone();
    if change.subject == "item" {
        let which = inputs::ItemParams { board_id: board_id.to_owned(), item_id: change.subject_id.clone() };
        let before = change.before.as_ref();
        // Changes of other items do not stand in its way, so that any revision may be the one.
        let revision = if change.field == "position" {
            let input = json!({"boardId": board_id, "itemId": change.subject_id, "position": before});
            ops::items::update(ctx, call, read(input)?).await?.came.board_revision
        } else if change.field == PARENT {
            let input = subitems::back(&ctx, call.account().to_owned(), board_id, change).await?;
            ops::items::update(ctx, call, read(input)?).await?.came.board_revision
        } else if change.field == "kept" && change.after.is_some() {
            trash::restore_item(ctx, call, which).await?.came.board_revision
        } else {
            let archived = before.is_some_and(|place| place == "archive");
            trash::put_item_away(
                ctx,
                call,
                which,
                if archived { trash_entry::Place::Archive } else { trash_entry::Place::Trash },
            )
            .await?
        };
        return Ok(Some(revision));
    }
    if change.field == NAME {
        boards::update(ctx, call, read(json!({"boardId": board_id, "name": change.before}))?).await?;
        return Ok(None);
    }
    let (what, id) = what_of_board(&change.field).ok_or_else(not_found)?;
    if what == What::Group {
        let change = change.clone();
        let back = move |tx: &mut Tx<'_>, edit: &mut Edit| {
            put_group_as_before(tx, edit, &change)?;
            // Its place may have come about by moves of others.
            if edit.is_unchanged() { Err(nothing()) } else { Ok(()) }
        };
        edit(ctx, call, board_id.to_owned(), back).await?;
        return Ok(None);
    }
    let mut input = json!({"boardId": board_id, "columnId": id});
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => {
            altered(before, after, &mut input);
            let mut input: columns::Update = read(input)?;
            input.is_undo = true;
            if columns::update(ctx, call, input).await?.came.unchanged {
                return Err(nothing());
            }
        }
        (None, Some(_)) => {
            columns::delete(ctx, call, read(input)?).await?;
        }
        _ => {
            let (_, revision) = trash::restore_column_at(ctx, call, read(input)?).await?;
            return Ok(Some(revision));
        }
    }
    Ok(None)
}

/// Adds a group's or column's previous values to the request: only the changed ones, because others aren't validated.
fn altered(before: &Value, after: &Value, input: &mut Value) {
    for (name, value) in parts(before) {
        let is_settable = matches!(name.as_str(), "name" | "color" | "title" | "settings");
        if is_settable && parts(after).iter().any(|(other, now)| *other == name && *now != value) {
            input[name.as_str()] = value.clone();
        }
    }
    if before.get("position") != after.get("position") {
        input["position"] = before.get("position").cloned().unwrap_or_default();
    }
}

/// Does the opposite of a change of a group within a change that is under way.
pub(crate) fn put_group_as_before(tx: &mut Tx<'_>, edit: &mut Edit, change: &ChangeRow) -> Result<()> {
    let (_, id) = what_of_board(&change.field).ok_or_else(not_found)?;
    let mut input = json!({"boardId": edit.board.id, "groupId": id});
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => {
            altered(before, after, &mut input);
            groups::update_in(tx, edit, read(input)?)?;
        }
        (None, Some(after)) => {
            // What came back with its items goes with them again.
            if after.get(RESTORED).is_some() {
                input["withItems"] = json!(true);
            }
            groups::delete_in(tx, edit, read(input)?)?;
        }
        _ => {
            trash::put_group_back(tx, edit, id)?;
        }
    }
    Ok(())
}
