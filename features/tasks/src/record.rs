//! Tasks as sent.

use crate::task::{PRIORITY_DEFAULT, State, Task};
use kit::{Caller, rfc3339};
use schemars::JsonSchema;
use serde::Serialize;

/// A task. Members that it doesn't have are left out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Task")]
#[serde(rename_all = "camelCase")]
pub(crate) struct TaskRecord {
    pub(crate) id: String,
    /// The newest revision of the account's tasks when it last changed.
    revision: i64,
    text: String,
    state: State,
    /// 1 (urgent), 2 (high), 3 (medium), or 4 (normal, left out).
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<i64>,
    /// When it's due: a local date, or a date with a time such as `2026-03-05T09:00`.
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<String>,
    /// It's snoozed until then; like `due`.
    #[serde(skip_serializing_if = "Option::is_none")]
    snoozed_until: Option<String>,
    /// Its hub, which may have been removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    hub_id: Option<String>,
    /// The parent task.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<String>,
    /// Orders the tasks of one parent.
    place: i64,
    /// The session that was started from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC.
    changed_at: String,
    /// RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    finished_at: Option<String>,
    /// RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<String>,
}

impl TaskRecord {
    /// As this caller sees it.
    pub(crate) fn new(task: &Task, caller: &Caller) -> TaskRecord {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let time = |ms: i64| (ms > 0).then(|| rfc3339(ms));
        TaskRecord {
            id: task.id.clone(),
            revision: task.revision,
            text: task.text.clone(),
            state: task.state,
            priority: (task.priority != PRIORITY_DEFAULT).then_some(task.priority),
            due: some(&task.due),
            snoozed_until: some(&task.snoozed_until),
            hub_id: some(&task.hub),
            parent_id: some(&task.parent),
            place: task.place,
            session_id: caller.sessions_seen().named(some(&task.session)),
            created_at: rfc3339(task.created_ms),
            changed_at: rfc3339(task.changed_ms),
            finished_at: time(task.finished_ms),
            deleted_at: time(task.deleted_ms),
        }
    }
}
