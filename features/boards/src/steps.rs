//! Changes of each board revision, which undo reverts as one step.

use crate::actor::Actor;
use crate::board::Board;
use crate::errors::NOT_UNDOABLE;
use kit::Caller;
use kit::error::{self, NAMED_NOT_FOUND, Result, not_found};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use store::{ChangeRow, Tx, params};

/// Undoable revisions of a board; moves are stored for as many.
pub const STEPS_KEPT: i64 = 10_000;
/// Revisions between two cleanups.
const STEPS_PER_CLEARING: i64 = 100;
/// Maximum changes that one undo reverts.
pub const CHANGES_PER_STEP_MAX: i64 = if cfg!(test) { 5_000 } else { 200_000 };

/// Deletes old records now and then. Called for every revision, because any of them may add records.
pub(crate) fn forget_old(tx: &mut Tx<'_>, account: &str, board_id: &str, revision: i64) -> Result<()> {
    if revision % STEPS_PER_CLEARING == 0 {
        for table in ["board_steps", "board_sent_steps"] {
            let sql = format!("DELETE FROM {table} WHERE account_id = $1 AND board_id = $2 AND revision <= $3");
            tx.execute(&sql, params![account, board_id, revision - STEPS_KEPT])?;
        }
    }
    Ok(())
}

/// The first and the last change that a revision recorded.
fn range(tx: &mut Tx<'_>, account: &str, board_id: &str, revision: i64) -> Result<Option<(String, String)>> {
    let sql =
        "SELECT first_change, last_change FROM board_steps WHERE account_id = $1 AND board_id = $2 AND revision = $3";
    tx.query_opt(sql, params![account, board_id, revision], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Changes of a revision, oldest first.
pub(crate) fn changes(tx: &mut Tx<'_>, account: &str, board: &Board, revision: i64) -> Result<Vec<ChangeRow>> {
    if !(1..=board.revision).contains(&revision) {
        return Err(error::NOT_FOUND.error(format!("The board has no revision {revision}.")));
    }
    let Some((first, last)) = range(tx, account, &board.id, revision)? else {
        let detail = "This revision has no undoable changes. Only a board's last 10,000 are recorded.";
        return Err(NOT_UNDOABLE.error(detail));
    };
    // Items that went or came along with a group, which is recorded after them, come and go with it: however many they are,
    // their own changes are not asked for.
    let is_of_group = is_of_group(&tx.change(account, &last)?);
    let without = is_of_group.then_some("kept");
    let mut changes = tx.changes_between(account, &first, &last, without, CHANGES_PER_STEP_MAX + 1)?;
    if changes.len() as i64 > CHANGES_PER_STEP_MAX {
        let detail = format!("You can undo up to {CHANGES_PER_STEP_MAX} changes at once.");
        return Err(NOT_UNDOABLE.error(detail));
    }
    // A revision is made at one instant: a clock that was set back may have put changes of others between them.
    let at_ms = changes.first().map(|change| change.at_ms);
    changes.retain(|change| Some(change.at_ms) == at_ms);
    Ok(changes)
}

/// The board's revision, `newest` or older, that recorded a change; none where that is not known any more.
pub(crate) fn revision_of(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    change_id: &str,
    newest: i64,
) -> Result<Option<i64>> {
    let sql = "SELECT revision FROM board_steps WHERE account_id = $1 AND board_id = $2 AND revision <= $4 \
         AND first_change <= $3 AND last_change >= $3 ORDER BY revision DESC LIMIT 1";
    tx.query_opt(sql, params![account, board_id, change_id, newest], |row| row.get::<i64>(0))
}

/// The revision that made a change of a board, with all that it recorded; nothing where that is not known any more.
pub(crate) fn of_change(
    tx: &mut Tx<'_>,
    account: &str,
    board: &Board,
    change_id: &str,
) -> Result<Option<(i64, Vec<ChangeRow>)>> {
    let sql = "SELECT revision FROM board_steps WHERE account_id = $1 AND board_id = $2 \
         AND first_change <= $3 AND last_change >= $3 ORDER BY revision DESC LIMIT 1";
    let revision = tx.query_opt(sql, params![account, &board.id, change_id], |row| row.get::<i64>(0))?;
    revision.map(|revision| Ok((revision, changes(tx, account, board, revision)?))).transpose()
}

/// The change of the same thing as another, but of this field of it, that a revision recorded.
pub(crate) fn change_in(
    tx: &mut Tx<'_>,
    account: &str,
    (board_id, revision): (&str, i64),
    like: &ChangeRow,
    field: &str,
) -> Result<ChangeRow> {
    let (first, last) = range(tx, account, board_id, revision)?.ok_or_else(not_found)?;
    let is_it = |change: &ChangeRow| {
        change.subject == like.subject && change.subject_id == like.subject_id && change.field == field
    };
    // Most often it is at one of the ends, however many came along.
    for end in [&last, &first] {
        let change = tx.change(account, end)?;
        if is_it(&change) {
            return Ok(change);
        }
    }
    let between = tx.changes_between(account, &first, &last, None, CHANGES_PER_STEP_MAX)?;
    between.into_iter().rfind(is_it).ok_or_else(not_found)
}

/// Whether it is a change of a group.
pub(crate) fn is_of_group(change: &ChangeRow) -> bool {
    change.subject == "board" && what_of_board(&change.field).is_some_and(|(what, _)| what == What::Group)
}

/// The part of a board that a change applies to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum What {
    Group,
    Column,
}

pub(crate) fn what_of_board(field: &str) -> Option<(What, &str)> {
    let group = field.strip_prefix("groups/").map(|id| (What::Group, id));
    group.or_else(|| field.strip_prefix("columns/").map(|id| (What::Column, id)))
}

/// Error message for other changes.
pub(crate) const ONLY: &str = "Only changes to items, groups, columns, views, and the board name can be undone.";

/// Error if there is nothing to undo.
pub(crate) fn nothing() -> kit::Error {
    NOT_UNDOABLE.error("Nothing to undo: the earlier value is already in place.")
}

/// That a change is not in force any more, with the one that came later.
pub(crate) fn changed_since(tx: &mut Tx<'_>, caller: &Caller, change: &ChangeRow) -> Result<kit::Error> {
    let Some(later) = tx.later_change(&caller.account, change)? else {
        // Not recorded for the thing itself, such as the change of a deleted group's items.
        return Ok(error::CONFLICT.error("It has been changed again since then, together with others."));
    };
    let (id, at) = (later.change_id, kit::rfc3339(later.at_ms));
    let actor = Actor::new(later.actor, later.session_id, &caller.sessions_seen());
    let detail = format!("It was changed again at {at} by {} (change {id}). Undo that change first.", actor.name());
    Ok(error::CONFLICT.error(detail).with("changeId", id).with("changedAt", at).with("changedBy", json!(actor)))
}

/// Error if a restored value references something deleted; omits the pointer, because the caller didn't name it.
pub(crate) fn in_the_way(refusal: kit::Error) -> kit::Error {
    if refusal.is(&NAMED_NOT_FOUND) { error::CONFLICT.error(refusal.detail()) } else { refusal }
}

/// What an undo restored.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Undone {
    /// The item; omitted for a group, column, view, or the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) item_id: Option<String>,
    /// The changed field, as in the change log.
    pub(crate) field: String,
    /// The restored value; null if none.
    pub(crate) value: Value,
    /// ID of the undo's change; undo it to redo.
    pub(crate) change_id: String,
    /// The board's revision after the change.
    pub(crate) board_revision: i64,
}
