//! A board change in progress, with everything that it alters and records.

use crate::behind::Behind;
use crate::board::Board;
use crate::cells::Column;
use crate::change_log::ChangeLog;
use crate::item::POSITION_STEP;
use kit::Caller;
use kit::error::Result;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeSet;
use store::{Change, Tx, params};

/// A deleted part of a board.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Deleted {
    /// The board's revision after the change; undo it to restore everything deleted.
    pub board_revision: i64,
}

/// Result of a change that may have changed nothing.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangeResult {
    /// The board's revision after the change; pass it to `boards.undo` to undo.
    pub(crate) board_revision: i64,
    /// Whether the values were already set, so nothing changed; `boardRevision` is then an earlier change's.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schemars(default)]
    pub(crate) unchanged: bool,
}

impl ChangeResult {
    /// Result at a board revision without the `unchanged` flag.
    pub(crate) fn at(board_revision: i64) -> ChangeResult {
        ChangeResult { board_revision, unchanged: false }
    }
}

/// A board change in progress: the author and the board's row, which is saved at the end.
pub(crate) struct Edit {
    pub account: String,
    pub caller: Caller,
    pub now_ms: i64,
    /// The board as it is to be.
    pub board: Board,
    /// As it was.
    before: Board,
    /// Items that left or returned to the board, for boards that count them.
    pub moved: Moved,
    /// What formulas leave to compute behind the change.
    pub behind: Behind,
    /// Changes of items that members may want to hear of.
    pub(crate) noted: ChangeLog,
    /// What this revision records.
    pub(crate) step: Step,
}

impl Edit {
    pub(crate) fn new(account: String, caller: Caller, now_ms: i64, board: Board, behind: Behind) -> Edit {
        let (moved, noted, step) = (Moved::default(), ChangeLog::default(), Step::default());
        Edit { account, caller, now_ms, before: board.clone(), board, moved, behind, noted, step }
    }
    /// Whether nothing was recorded so far: all that was written was so already.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.step.is_empty()
    }
    /// The board as it is once the change has ended.
    pub(crate) fn outcome(&self) -> &Board {
        if self.is_unchanged() { &self.before } else { &self.board }
    }
    /// Result of the change for the answer.
    pub(crate) fn came(&self) -> ChangeResult {
        ChangeResult { board_revision: self.outcome().revision, unchanged: self.is_unchanged() }
    }
    /// The position that is wanted, or the one behind the last item where that is farther: places beyond the end would in time
    /// leave none to the items that follow.
    pub(crate) fn place(&mut self, wanted: i64) -> i64 {
        let last = &mut self.board.last_position;
        let position = wanted.min(*last + POSITION_STEP);
        *last = position.max(*last);
        position
    }
    /// Takes the board's columns over, as a change read them that alters none.
    pub(crate) fn has_read(&mut self, columns: Vec<Column>) {
        self.noted.know(columns);
    }
    /// Records one change in the log of changes; what stays as it was is none.
    pub(crate) fn record(
        &self,
        tx: &mut Tx<'_>,
        subject: &'static str,
        subject_id: &str,
        field: &str,
        before: Option<&Value>,
        after: Option<&Value>,
    ) -> Result<()> {
        self.record_change(tx, Change { subject, subject_id, field, before, after })?;
        Ok(())
    }
    /// The same; answers the change's id.
    pub(crate) fn record_change(&self, tx: &mut Tx<'_>, change: Change<'_>) -> Result<Option<String>> {
        if change.before == change.after {
            return Ok(None);
        }
        self.noted.note(&change);
        let id = tx.record(&self.caller, self.now_ms, change)?;
        self.step.note(&id);
        Ok(Some(id))
    }
}

/// Ordered parts of a board, each in a table of its own.
#[derive(Clone, Copy)]
pub(crate) enum Ordered {
    Groups,
    Columns,
}

/// Writes the positions of a board's groups or columns in the order of the IDs.
pub(crate) fn renumber<'a>(
    tx: &mut Tx<'_>,
    edit: &Edit,
    what: Ordered,
    ids: impl Iterator<Item = &'a str>,
) -> Result<()> {
    let (table, id_column) = match what {
        Ordered::Groups => ("board_groups", "group_id"),
        Ordered::Columns => ("board_columns", "column_id"),
    };
    let sql = format!(
        "UPDATE {table} SET position = $4 WHERE account_id = $1 AND board_id = $2 AND {id_column} = $3 AND position <> $4"
    );
    for (id, position) in ids.zip(0_i64..) {
        tx.execute(&sql, params![edit.account.as_str(), &edit.board.id, id, position])?;
    }
    Ok(())
}

/// Maximum items tracked individually in one change. With more, boards that count them are recomputed as a whole.
const MOVED_MAX: usize = if cfg!(test) { 40 } else { crate::change::CELLS_PER_CHANGE_MAX };

/// Items that left their board in a change, or came back to it.
pub(crate) enum Moved {
    Some(BTreeSet<String>),
    Many,
}

impl Default for Moved {
    fn default() -> Moved {
        Moved::Some(BTreeSet::new())
    }
}

impl Moved {
    pub(crate) fn note(&mut self, item_id: &str) {
        if let Moved::Some(ids) = self {
            ids.insert(item_id.to_owned());
            if ids.len() > MOVED_MAX {
                *self = Moved::Many;
            }
        }
    }
}

/// Cells that one request may change, counting items that are added, moved, archived or deleted as one each.
pub const CELLS_PER_CHANGE_MAX: usize = 20_000;

/// Changes recorded under the new revision.
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
    pub(crate) fn save(&self, tx: &mut Tx<'_>, account: &str, board: &Board) -> Result<()> {
        let Some((first, last)) = self.0.take() else { return Ok(()) };
        tx.execute(
            "INSERT INTO board_steps (account_id, board_id, revision, first_change, last_change) VALUES ($1, $2, $3, $4, $5)",
            params![account, &board.id, board.revision, first, last],
        )?;
        Ok(())
    }
}
