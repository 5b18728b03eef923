//! Which recorded changes each revision of a board made: what is taken back as one step.

use crate::board::{self, Board, Edit};
use crate::bulk::{Change, Changed};
use crate::{NOT_UNDOABLE, STEP_ID_TAKEN, undo};
use kit::error::{Result, not_found};
use kit::ids::hex;
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use store::{ChangeRow, Row, Tx, params};

/// Revisions of a board that can be taken back: as many as those whose moves are known.
pub const STEPS_KEPT: i64 = 10_000;
/// Revisions after which what is too long ago is looked for.
const STEPS_PER_CLEARING: i64 = 100;
/// Changes of one revision that can be taken back at once.
pub const CHANGES_PER_STEP_MAX: i64 = if cfg!(test) { 5_000 } else { 200_000 };

/// What a revision that is under way records.
#[derive(Default)]
pub(crate) struct Step(RefCell<Option<(String, String)>>);

impl Step {
    /// Every recorded change comes by here.
    pub(crate) fn note(&self, change_id: &str) {
        let mut held = self.0.borrow_mut();
        let first = held.take().map_or_else(|| change_id.to_owned(), |(first, _)| first);
        *held = Some((first, change_id.to_owned()));
    }

    /// Whether nothing was recorded.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_none()
    }

    /// Keeps which changes the revision made.
    pub(crate) fn save(&self, tx: &mut Tx<'_>, edit: &Edit) -> Result<()> {
        let Some((first, last)) = self.0.take() else { return Ok(()) };
        let (account, board) = (edit.account.as_str(), &edit.board);
        tx.execute(
            "INSERT INTO board_steps (account_id, board_id, revision, first_change, last_change) VALUES ($1, $2, $3, $4, $5)",
            params![account, &board.id, board.revision, first, last],
        )?;
        Ok(())
    }
}

/// Forgets what is too long ago, from time to time: every revision comes by here, as those that keep something may be any.
pub(crate) fn forget_old(tx: &mut Tx<'_>, account: &str, board_id: &str, revision: i64) -> Result<()> {
    if revision % STEPS_PER_CLEARING == 0 {
        for table in ["board_steps", "board_sent_steps"] {
            let sql = format!("DELETE FROM {table} WHERE account_id = $1 AND board_id = $2 AND revision <= $3");
            tx.execute(&sql, params![account, board_id, revision - STEPS_KEPT])?;
        }
    }
    Ok(())
}

/// A change that was sent under an id of the caller's own.
pub(crate) struct Sent {
    step_id: String,
    /// Ids of the items that it adds, where the caller made them: they are known when it is sent again, and not kept.
    added: Vec<Option<String>>,
    /// A member that a later version of the program adds leaves it as it is where it holds nothing.
    pub(crate) digest: String,
}

impl Sent {
    pub(crate) fn of(change: &Change) -> Result<Option<Sent>> {
        let Some(step_id) = change.step_id.clone() else { return Ok(None) };
        let body = serde_json::to_vec(change).map_err(board::damaged)?;
        let added = change.add.iter().map(|item| item.id.clone()).collect();
        Ok(Some(Sent { step_id, added, digest: hex(&Sha256::digest(body)) }))
    }

    /// What was answered where it was made before; refuses where that was another change.
    pub(crate) fn earlier(&self, tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Option<Changed>> {
        let sql =
            "SELECT digest, answer_json FROM board_sent_steps WHERE account_id = $1 AND board_id = $2 AND step_id = $3";
        let read = |row: &dyn Row| Ok((row.get::<String>(0)?, row.get::<String>(1)?));
        match tx.query_opt(sql, params![account, board_id, &self.step_id], read)? {
            None => Ok(None),
            Some((digest, answer_json)) if digest == self.digest => {
                let mut answer: Changed = serde_json::from_str(&answer_json).map_err(board::damaged)?;
                let mut ours = answer.added.into_iter();
                answer.added = self.added.iter().filter_map(|own| own.clone().or_else(|| ours.next())).collect();
                Ok(Some(answer))
            }
            Some(_) => Err(STEP_ID_TAKEN.error(format!("Another change has the stepId {}.", self.step_id))),
        }
    }

    /// Keeps what is answered.
    pub(crate) fn keep(&self, tx: &mut Tx<'_>, edit: &Edit, answer: &Changed) -> Result<()> {
        let (account, board) = (edit.account.as_str(), &edit.board);
        let ours = self.added.iter().zip(&answer.added).filter(|(own, _)| own.is_none());
        let kept = Changed { added: ours.map(|(_, id)| id.clone()).collect(), ..*answer };
        let answer_json = serde_json::to_string(&kept).map_err(board::damaged)?;
        let sql = "INSERT INTO board_sent_steps (account_id, board_id, step_id, revision, digest, answer_json) \
             VALUES ($1, $2, $3, $4, $5, $6)";
        tx.execute(sql, params![account, &board.id, &self.step_id, board.revision, &self.digest, answer_json])?;
        Ok(())
    }
}

/// The first and the last change that a revision recorded.
fn range(tx: &mut Tx<'_>, account: &str, board_id: &str, revision: i64) -> Result<Option<(String, String)>> {
    let sql =
        "SELECT first_change, last_change FROM board_steps WHERE account_id = $1 AND board_id = $2 AND revision = $3";
    tx.query_opt(sql, params![account, board_id, revision], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// What a revision recorded, oldest first.
pub(crate) fn changes(tx: &mut Tx<'_>, account: &str, board: &Board, revision: i64) -> Result<Vec<ChangeRow>> {
    if !(1..=board.revision).contains(&revision) {
        return Err(not_found());
    }
    let Some((first, last)) = range(tx, account, &board.id, revision)? else {
        let detail = "This revision has no undoable changes. Only a board's last 10,000 are recorded.";
        return Err(NOT_UNDOABLE.error(detail));
    };
    // Items that went or came along with a group, which is recorded after them, come and go with it: however many they are,
    // their own changes are not asked for.
    let is_of_group = undo::is_of_group(&tx.change(account, &last)?);
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
