//! What changed since a revision, for readers that follow.

use crate::ops::guarded;
use crate::record::TaskRecord;
use crate::rows;
use kit::{Call, CallerSet, Ctx, Method, Op, Result, page::expect_within};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::HasDb;

/// Tasks in one answer at most, and by default.
const TASKS_MAX: i64 = 10_000;

pub(crate) fn ops() -> Vec<Op> {
    let doc = "List the tasks that changed after a revision, oldest change first, deleted ones included. Without a \
               revision: all that aren't deleted.";
    vec![
        guarded(Op::new("tasks.changes", Method::Get, "/tasks/changes", CallerSet::PERSON_AND_AGENTS, doc, changes))
            .synonyms("follow sync since"),
    ]
}

/// Where to begin.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "TaskChangesParams")]
#[serde(deny_unknown_fields)]
struct Since {
    /// The `revision` of the previous answer. Default: 0.
    #[schemars(range(min = 0))]
    since: Option<i64>,
    /// Maximum tasks, 1 to 10,000. Default: 10,000.
    #[schemars(range(min = 1, max = TASKS_MAX))]
    limit: Option<i64>,
}

/// Tasks that changed.
#[derive(Debug, Serialize, JsonSchema)]
struct TaskChanges {
    /// As they are now.
    tasks: Vec<TaskRecord>,
    /// `since` of the next request.
    revision: i64,
    /// Whether there are more: ask again, now.
    more: bool,
    /// Whether these are all tasks: what isn't listed is gone. Also for a revision too long ago.
    all: bool,
}

async fn changes(ctx: Ctx, call: Call, input: Since) -> Result<TaskChanges> {
    let since = expect_within(input.since.unwrap_or(0), 0..=i64::MAX, "/since")?;
    let limit = expect_within(input.limit.unwrap_or(TASKS_MAX), 1..=TASKS_MAX, "/limit")?;
    let read = move |tx: &mut store::Tx<'_>| {
        let counters = rows::counters(tx, call.account())?;
        // The first part of everything, or what nobody can follow: deleted tasks that are gone, or another database.
        let all = since == 0 || since < counters.swept || since > counters.revision;
        let from = if all { 0 } else { since };
        let mut tasks = rows::after(tx, call.account(), from, !all, limit + 1)?;
        let more = tasks.len() as i64 > limit;
        tasks.truncate(limit as usize);
        let last = tasks.last().map_or(counters.revision, |task| task.revision);
        let tasks = tasks.iter().map(|task| TaskRecord::new(task, &call.caller)).collect();
        Ok(TaskChanges { tasks, revision: if more { last } else { counters.revision }, more, all })
    };
    ctx.db().read(read).await
}
