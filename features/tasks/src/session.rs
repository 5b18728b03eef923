//! The session that works on a task.

use crate::ops::{One, find, guarded};
use kit::lookup::SessionActivity;
use kit::{Call, CallerSet, Ctx, Method, Op, Result, not_found};
use schemars::JsonSchema;
use serde::Serialize;

pub(crate) fn ops() -> Vec<Op> {
    let doc = "Get the state and the result of the session that was started from a task.";
    let op = Op::new("tasks.session", Method::Get, "/tasks/{taskId}/session", CallerSet::PERSON, doc, session);
    vec![guarded(op).scope("").example(r#"{"taskId": "{sessionTaskId}"}"#)]
}

/// The session of a task.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TaskSession {
    session_id: String,
    title: String,
    /// Its state in words, such as `Running`.
    state: String,
    /// Whether it waits for you.
    needs_you: bool,
    /// The start of the agent's last message; empty if there is none.
    result: String,
}

async fn session(ctx: Ctx, call: Call, input: One) -> Result<TaskSession> {
    let task = find(&ctx, call.account(), input.task_id).await?;
    let activity = ctx.service::<SessionActivity>();
    let ids = vec![task.session];
    let found = activity.0.named(call.account(), ids.clone()).await?.into_iter().next().ok_or_else(not_found)?;
    let result = activity.0.last_words(call.account(), ids).await?.into_iter().next().unwrap_or_default();
    Ok(TaskSession { session_id: found.id, title: found.title, state: found.state, needs_you: found.needs_you, result })
}
