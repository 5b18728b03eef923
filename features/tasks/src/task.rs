//! A task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What became of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TaskState")]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// To be done.
    Open,
    /// Done.
    Done,
    /// Not to be done.
    Dropped,
}

impl State {
    pub(crate) const ALL: [State; 3] = [State::Open, State::Done, State::Dropped];

    /// As stored and sent.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            State::Open => "open",
            State::Done => "done",
            State::Dropped => "dropped",
        }
    }
}

/// The least urgent priority, which tasks have by default.
pub(crate) const PRIORITY_DEFAULT: i64 = 4;

/// A task as stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Task {
    pub(crate) id: String,
    pub(crate) revision: i64,
    /// Empty if it's in no hub.
    pub(crate) hub: String,
    /// Empty at the top level.
    pub(crate) parent: String,
    /// Orders the tasks of one parent.
    pub(crate) place: i64,
    pub(crate) text: String,
    pub(crate) state: State,
    /// A local date, or date and time; empty if it has none.
    pub(crate) due: String,
    /// The same.
    pub(crate) snoozed_until: String,
    /// 1 (urgent) to 4.
    pub(crate) priority: i64,
    /// The session that was started from it; empty if none.
    pub(crate) session: String,
    pub(crate) created_ms: i64,
    pub(crate) changed_ms: i64,
    /// 0 while it's open.
    pub(crate) finished_ms: i64,
    /// 0 unless it's deleted.
    pub(crate) deleted_ms: i64,
    /// The task that it was deleted with.
    pub(crate) deleted_with: String,
    pub(crate) parts: Revisions,
}

/// Revisions of the last changes of a task's parts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Revisions {
    pub(crate) text: i64,
    pub(crate) state: i64,
    pub(crate) due: i64,
    pub(crate) snooze: i64,
    pub(crate) priority: i64,
    pub(crate) place: i64,
}

impl Task {
    pub(crate) fn is_deleted(&self) -> bool {
        self.deleted_ms > 0
    }
}
