//! Requests to undo one change or a whole revision.

use crate::edit::edit;
use crate::errors::NOT_UNDOABLE;
use crate::item::{GROUP, NAME, expect_item, is_value, set, value_of};
use crate::revert::{self, Reverted};
use crate::steps::{self, Undone};
use crate::{board, fault, ids, items, subitems, undo};
use kit::error::{self, NOT_FOUND, Result, invalid, not_found};
use kit::{Call, Ctx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Change, ChangeRow, HasDb, Tx};
#[derive(Deserialize, JsonSchema)]
#[serde(rename = "UndoChange", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Undo {
    /// ID, not the name.
    board_id: String,
    /// A change of the board or one of its items, as `changes.list` and `boards.items.activity` name it; or send `revision`.
    change_id: Option<String>,
    /// A board revision, as returned by every change. Undoes all of its changes, or none.
    #[schemars(range(min = 1))]
    revision: Option<i64>,
}

/// Subjects of recorded changes.
const ITEM: &str = "item";
const BOARD: &str = "board";

/// Result of undoing a change or a revision.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "UndoAnswer", untagged)]
pub(crate) enum Answer {
    /// One change was undone.
    One(Box<Undone>),
    /// A revision was undone.
    Whole(Reverted),
}

/// A recorded change of the board or of an item that it has or had.
fn change_of(tx: &mut Tx<'_>, account: &str, board_id: &str, change_id: &str) -> Result<ChangeRow> {
    let change = tx.change(account, change_id)?;
    if change.subject == BOARD && change.subject_id == board_id {
        return Ok(change);
    }
    if change.subject != ITEM {
        return Err(not_found());
    }
    if undo::takes(&change) || change.field.is_empty() {
        undo::expect_known(tx, account, board_id, &change.subject_id)?;
    } else {
        expect_item(tx, account, board_id, &change.subject_id)?;
    }
    Ok(change)
}

async fn undo_change(ctx: Ctx, call: Call, on: String, change_id: String) -> Result<Undone> {
    let (account, board_id) = (call.account().to_owned(), on.clone());
    // A recorded change stays as it is, so that it can be read before the transaction.
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, &account, &board_id)?;
        let found = change_of(tx, &account, &board.id, &change_id);
        found.map_err(|e| if e.is(&NOT_FOUND) { ids::unknown(fault::UNKNOWN_CHANGE, "/changeId") } else { e })
    };
    let change = ctx.db().read(read).await?;
    if change.before == change.after {
        return Err(steps::nothing());
    }
    if undo::takes(&change) {
        return undo::undo(ctx, call, on, change).await;
    }
    if change.subject != ITEM || !is_value(&change.field) {
        return Err(NOT_UNDOABLE.error(steps::ONLY));
    }
    edit(ctx, call, on, move |tx, edit| {
        expect_item(tx, &edit.account, &edit.board.id, &change.subject_id)?;
        let wanted = match change.field.as_str() {
            NAME => change.before.clone(),
            GROUP => {
                let groups = board::groups(tx, &edit.account, &edit.board.id)?;
                let is_there = groups.iter().any(|g| change.before.as_ref().is_some_and(|before| *before == g.id));
                let item = items::load(tx, edit, &change.subject_id)?;
                if item.record.parent_id.is_some() {
                    return Err(error::CONFLICT.error("It is now a subitem and follows its parent's group."));
                }
                if !is_there {
                    return Err(error::CONFLICT.error("The item's group was deleted since then."));
                }
                change.before.clone()
            }
            column_id => {
                let columns = board::columns(tx, &edit.account, &edit.board.id)?;
                let column = columns.iter().find(|c| c.id == column_id);
                let column = column.ok_or_else(|| error::CONFLICT.error("The column was deleted since then."))?;
                let at = (&*edit.board.id, &*change.subject_id);
                // What it held may not be accepted any more: a label was left out, a file is gone for good.
                let back = column.accept_back(tx, &edit.account, at, change.before.as_ref(), "/changeId");
                back.map_err(steps::in_the_way)?
            }
        };
        let mut present = None;
        items::change_all(tx, edit, "item_id = $3", &change.subject_id, |record| {
            present = value_of(record, &change.field);
            set(record, &change.field, wanted.clone());
        })?;
        if change.field == GROUP {
            let item = items::load(tx, edit, &change.subject_id)?;
            subitems::follow(tx, edit, &item.record)?;
        }
        // The value counts, not what came between: two steps can be taken back one after the other.
        if present != change.after {
            return Err(steps::changed_since(tx, &edit.caller, &change)?);
        }
        let (subject_id, field) = (&change.subject_id, &change.field);
        let (before, after) = (present.as_ref(), wanted.as_ref());
        let change_id = edit.record_change(tx, Change { subject: ITEM, subject_id, field, before, after })?;
        let change_id = change_id.ok_or_else(steps::nothing)?;
        Ok(Undone {
            item_id: Some(change.subject_id),
            field: change.field,
            value: wanted.unwrap_or_default(),
            change_id,
            board_revision: edit.board.revision,
        })
    })
    .await
}

pub(crate) async fn undo(ctx: Ctx, call: Call, input: Undo) -> Result<Answer> {
    match (input.change_id, input.revision) {
        (Some(change_id), None) => Ok(Answer::One(Box::new(undo_change(ctx, call, input.board_id, change_id).await?))),
        (None, Some(revision)) => Ok(Answer::Whole(revert::revision(ctx, call, input.board_id, revision).await?)),
        _ => Err(invalid("/changeId", fault::ONE_OF, "Use either `changeId` or `revision`.")),
    }
}
