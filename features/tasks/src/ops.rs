//! Operations on tasks.

use crate::due::{Understood, understand_edit};
use crate::edit::{Conflict, Outcome, edit};
use crate::errors::{TASK_CYCLE, TASK_DELETED, TASK_EXISTS, TASK_NOT_DELETED, TASKS_DISABLED, TASKS_TOO_DEEP};
use crate::input::{Action, EDITS_MAX, Edit, TEXT_MAX};
use crate::outline::{View, in_order};
use crate::record::TaskRecord;
use crate::rows;
use crate::settings::{tasksEnabled, tasksV2HideCompleted};
use crate::task::{State, Task};
use kit::error::TOO_MANY;
use kit::fault::TOO_LONG;
use kit::text::{CURSOR, NAME};
use kit::{Call, Caller, CallerSet, Created, Ctx, Done, Method, Op, Page, Part, Result, fault, invalid, not_found};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::HasDb;

/// Maximum characters of a search.
const SEARCH_MAX: usize = 200;

const ONE: &str = "/tasks/{taskId}";

/// An operation that reads or writes tasks.
pub(crate) fn guarded(op: Op) -> Op {
    let scope = if op.reads { "tasks:read" } else { "tasks:write" };
    op.scope(scope).switch(&tasksEnabled, &TASKS_DISABLED)
}

pub(crate) fn ops() -> Vec<Op> {
    let callers = CallerSet::PERSON_AND_AGENTS;
    vec![
        guarded(Op::new("tasks.list", Method::Get, "/tasks", callers, "List tasks in outline order.", list))
            .example(r#"{"view": "all", "hubId": "{hubId}"}"#)
            .columns(&["id", "text", "state", "due", "priority", "snoozedUntil", "hubId", "parentId"]),
        guarded(Op::new("tasks.get", Method::Get, ONE, callers, "Get a task.", get))
            .example(r#"{"taskId": "{taskId}"}"#),
        guarded(Op::new(
            "tasks.add",
            Method::Post,
            "/tasks",
            callers,
            "Add a task. A day and a priority in its text are understood: `call Anna tomorrow 9 !1`.",
            add,
        ))
        .example(r#"{"text": "call Anna tomorrow 9", "hubId": "{hubId}"}"#)
        .synonyms("to do create remind todo")
        .columns(&["id", "text", "due", "priority", "hubId", "parentId"])
        .errors([&TASKS_TOO_DEEP, &TASK_EXISTS, &TOO_MANY]),
        guarded(
            Op::new(
                "tasks.understand",
                Method::Post,
                "/tasks/understand",
                callers,
                "Show how the text of a task is understood, without adding it.",
                preview,
            )
            .reads(),
        )
        .example(r#"{"text": "call Anna tomorrow 9"}"#),
        guarded(Op::new("tasks.update", Method::Patch, ONE, callers, "Change a task.", update))
            .example(r#"{"taskId": "{taskId}", "priority": 2}"#)
            .errors([&TASK_DELETED]),
        guarded(Op::new(
            "tasks.done",
            Method::Post,
            "/tasks/{taskId}/done",
            callers,
            "Finish a task, with the open tasks below it.",
            done,
        ))
        .example(r#"{"taskId": "{taskId}"}"#)
        .synonyms("complete check finish close")
        .errors([&TASK_DELETED]),
        guarded(Op::new(
            "tasks.reopen",
            Method::Post,
            "/tasks/{taskId}/reopen",
            callers,
            "Reopen a finished or dropped task, with the tasks above it.",
            reopen,
        ))
        .example(r#"{"taskId": "{taskId}"}"#)
        .errors([&TASK_DELETED]),
        guarded(Op::new(
            "tasks.move",
            Method::Post,
            "/tasks/{taskId}/move",
            callers,
            "Move a task with all below it: below another task, after another task, or to another hub.",
            relocate,
        ))
        .example(r#"{"taskId": "{taskId}", "parentId": ""}"#)
        .synonyms("indent outdent reorder nest")
        .errors([&TASK_CYCLE, &TASKS_TOO_DEEP, &TASK_DELETED, &TOO_MANY]),
        guarded(Op::new(
            "tasks.delete",
            Method::Delete,
            ONE,
            callers,
            "Delete a task with all below it. It can be restored for 30 days.",
            delete,
        ))
        .example(r#"{"taskId": "{goneTaskId}"}"#)
        .errors([&TASK_DELETED]),
        guarded(Op::new(
            "tasks.restore",
            Method::Post,
            "/tasks/{taskId}/restore",
            callers,
            "Restore a deleted task with what was deleted with it.",
            restore,
        ))
        .example(r#"{"taskId": "{deletedTaskId}"}"#)
        .errors([&TASK_NOT_DELETED, &TOO_MANY]),
        guarded(Op::new(
            "tasks.edit",
            Method::Post,
            "/tasks/edit",
            callers,
            "Make several edits at once, all or none: add, change, move, delete, and restore tasks.",
            edit_many,
        ))
        .example(r#"{"edits": [{"action": "set", "taskId": "{taskId}", "priority": 1}]}"#)
        .synonyms("bulk many batch")
        .body_up_to(kit::op::limits::LARGE_BYTES)
        .errors([&TASK_CYCLE, &TASKS_TOO_DEEP, &TASK_DELETED, &TASK_NOT_DELETED, &TASK_EXISTS, &TOO_MANY]),
    ]
}

/// Filters for tasks.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ListTasks")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    /// Only tasks of this hub; empty for those without one.
    hub_id: Option<String>,
    /// Only tasks that this view shows.
    view: Option<View>,
    /// Only tasks in this state. Default: all, or only open ones while tasksV2HideCompleted is on.
    state: Option<State>,
    /// Only tasks with these words, in any case.
    #[schemars(length(max = SEARCH_MAX))]
    q: Option<String>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: 10,000.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

/// The local time, such as `2026-03-05T09:00`.
fn local_now(ctx: &Ctx) -> String {
    let now = jiff::Timestamp::from_millisecond(ctx.now_ms()).unwrap_or(jiff::Timestamp::MAX);
    now.to_zoned(ctx.home_zone()).strftime("%Y-%m-%dT%H:%M").to_string()
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<TaskRecord>> {
    let words = input.q.unwrap_or_default().trim().to_lowercase();
    if words.chars().nth(SEARCH_MAX).is_some() {
        return Err(invalid("/q", TOO_LONG, format!("Use up to {SEARCH_MAX} characters.")));
    }
    let is_hidden = ctx.setting(call.account(), &tasksV2HideCompleted);
    let state = input.state.or(is_hidden.then_some(State::Open));
    let (now, view) = (local_now(&ctx), input.view.unwrap_or(View::All));
    let part = Part { cursor: input.cursor, limit: input.limit };
    let read = move |tx: &mut store::Tx<'_>| {
        let tasks = rows::all(tx, call.account(), input.hub_id.as_deref())?;
        let mut tasks = in_order(tasks);
        tasks.retain(|task| {
            state.is_none_or(|state| task.state == state)
                && view.shows(task, &now)
                && (words.is_empty() || task.text.to_lowercase().contains(&words))
        });
        let page = part.page(tasks, |task| (&task.id).into())?;
        let items = page.items.iter().map(|task| TaskRecord::new(task, &call.caller)).collect();
        Ok(Page { items, next_cursor: page.next_cursor })
    };
    ctx.db().read(read).await
}

/// Identifies a task.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "TaskId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct One {
    pub(crate) task_id: String,
}

/// A task of the account, deleted or not.
pub(crate) async fn find(ctx: &Ctx, account: &str, id: String) -> Result<Task> {
    let account = account.to_owned();
    let read = move |tx: &mut store::Tx<'_>| rows::find(tx, &account, &id);
    ctx.db().read(read).await?.ok_or_else(not_found)
}

async fn get(ctx: Ctx, call: Call, input: One) -> Result<TaskRecord> {
    let task = find(&ctx, call.account(), input.task_id).await?;
    Ok(TaskRecord::new(&task, &call.caller))
}

/// A changed task, and what else changed with it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ChangedTask {
    #[serde(flatten)]
    task: TaskRecord,
    /// How many other tasks changed with it.
    others: usize,
    /// Values that were newer than what you saw, and were replaced.
    conflicts: Vec<Conflict>,
}

/// Makes edits.
async fn run(ctx: &Ctx, caller: &Caller, edits: Vec<Edit>, is_one: bool) -> Result<Outcome> {
    let pointer = move |at: usize| if is_one { String::new() } else { format!("/edits/{at}") };
    let mut steps = Vec::with_capacity(edits.len());
    for (at, edit) in edits.into_iter().enumerate() {
        steps.push(edit.step(ctx, caller, &pointer(at)).await?);
    }
    let (caller, of) = (caller.clone(), ctx.clone());
    ctx.db().write(move |tx| edit(tx, &of, &caller, steps, pointer)).await
}

/// Makes one edit; the task, and what else changed.
async fn run_one(ctx: &Ctx, caller: &Caller, edit: Edit) -> Result<ChangedTask> {
    let outcome = run(ctx, caller, vec![edit], true).await?;
    let id = outcome.named.first().cloned().unwrap_or_default();
    let others = outcome.tasks.iter().filter(|task| task.id != id).count();
    let task = match outcome.tasks.into_iter().find(|task| task.id == id) {
        Some(task) => task,
        // Nothing differed.
        None => find(ctx, &caller.account, id).await?,
    };
    Ok(ChangedTask { task: TaskRecord::new(&task, caller), others, conflicts: outcome.conflicts })
}

/// A new task.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AddTask")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Add {
    /// What is to be done. A day (`tomorrow 9`, `by friday`) and a priority (`!1` to `!4`, `!high`) in it are understood, and
    /// removed from it.
    #[schemars(length(min = 1, max = TEXT_MAX), regex(pattern = NAME))]
    text: String,
    /// Keep days and priorities in the text as words.
    #[serde(default)]
    plain: bool,
    /// When it's due, in words or as a date. Default: as the text says.
    #[schemars(length(max = when::CHARS_MAX))]
    due: Option<String>,
    /// Snooze it until then, in words or as a date.
    #[schemars(length(max = when::CHARS_MAX))]
    snoozed_until: Option<String>,
    /// 1 (urgent), 2 (high), 3 (medium), or 4 (normal). Default: as the text says, else 4.
    #[schemars(range(min = 1, max = 4))]
    priority: Option<i64>,
    /// The task's hub; default: its parent's, else none.
    #[schemars(length(max = 64))]
    hub_id: Option<String>,
    /// The parent task. Default: the parent of `afterId`, else none.
    #[schemars(length(max = 64))]
    parent_id: Option<String>,
    /// The task to place it after; empty places it first. Default: the last position.
    #[schemars(length(max = 64))]
    after_id: Option<String>,
}

async fn add(ctx: Ctx, call: Call, input: Add) -> Result<Created<TaskRecord>> {
    let Add { text, plain, due, snoozed_until, priority, hub_id, parent_id, after_id } = input;
    let edit = Edit {
        text: Some(text),
        plain,
        due,
        snoozed_until,
        priority,
        hub_id,
        parent_id,
        after_id,
        ..Edit::of(Action::Add, None)
    };
    let added = run_one(&ctx, &call.caller, edit).await?.task;
    Ok(Created { location: format!("/tasks/{}", added.id), record: added })
}

/// The text of a task.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UnderstandTask")]
#[serde(deny_unknown_fields)]
struct Sentence {
    #[schemars(length(min = 1, max = TEXT_MAX), regex(pattern = NAME))]
    text: String,
    /// The text that it replaces: what it mentions already stays words. Default: none.
    #[schemars(length(max = TEXT_MAX))]
    #[serde(default)]
    was: String,
}

/// How a text is understood.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UnderstoodTask {
    /// The text without what was understood.
    text: String,
    /// When it's due; null if it doesn't say.
    due: Option<String>,
    /// The words that say so; empty if none do.
    due_words: String,
    /// Null if it doesn't say.
    priority: Option<i64>,
}

async fn preview(ctx: Ctx, _: Call, input: Sentence) -> Result<UnderstoodTask> {
    kit::text::expect_name(&input.text, TEXT_MAX, "/text")?;
    if input.was.chars().nth(TEXT_MAX).is_some() {
        return Err(invalid("/was", TOO_LONG, format!("Use up to {TEXT_MAX} characters.")));
    }
    let Understood { text, due, due_words, priority } = understand_edit(&ctx, &input.was, &input.text);
    Ok(UnderstoodTask { text, due: Some(due).filter(|due| !due.is_empty()), due_words, priority })
}

/// Changes of a task.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateTask")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Update {
    task_id: String,
    /// Days and priorities in it stay words, but for those that `understand` finds.
    #[schemars(length(min = 1, max = TEXT_MAX), regex(pattern = NAME))]
    text: Option<String>,
    /// Understand a day and a priority in the text, and remove them from it, if they have words that the task's text didn't have.
    #[serde(default)]
    understand: bool,
    /// Finishing or dropping a task also finishes or drops the open ones below it. Reopening one reopens those above it.
    state: Option<State>,
    /// When it's due, in words or as a date. Empty removes it.
    #[schemars(length(max = when::CHARS_MAX))]
    due: Option<String>,
    /// Snooze it until then, in words or as a date. Empty ends the snooze.
    #[schemars(length(max = when::CHARS_MAX))]
    snoozed_until: Option<String>,
    /// 1 (urgent), 2 (high), 3 (medium), or 4 (normal).
    #[schemars(range(min = 1, max = 4))]
    priority: Option<i64>,
    /// The session that works on it. Empty removes it.
    #[schemars(length(max = 64))]
    session_id: Option<String>,
    /// Leave the state of the tasks below and above it.
    #[serde(default)]
    only: bool,
    /// The newest revision that you saw; reports newer values that the change replaced.
    seen: Option<i64>,
}

async fn update(ctx: Ctx, call: Call, input: Update) -> Result<ChangedTask> {
    let Update { task_id, text, understand, state, due, snoozed_until, priority, session_id, only, seen } = input;
    let edit = Edit {
        text,
        understand,
        state,
        due,
        snoozed_until,
        priority,
        session_id,
        only,
        seen,
        ..Edit::of(Action::Set, Some(task_id))
    };
    run_one(&ctx, &call.caller, edit).await
}

async fn done(ctx: Ctx, call: Call, input: One) -> Result<ChangedTask> {
    let edit = Edit { state: Some(State::Done), ..Edit::of(Action::Set, Some(input.task_id)) };
    run_one(&ctx, &call.caller, edit).await
}

async fn reopen(ctx: Ctx, call: Call, input: One) -> Result<ChangedTask> {
    let edit = Edit { state: Some(State::Open), ..Edit::of(Action::Set, Some(input.task_id)) };
    run_one(&ctx, &call.caller, edit).await
}

/// A task, and where it goes.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "MoveTask")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct MoveTask {
    task_id: String,
    /// The new parent, in any hub; empty for the top level. Default: the parent of `afterId`, else as before.
    #[schemars(length(max = 64))]
    parent_id: Option<String>,
    /// The task to place it after; empty places it first. Default: the last position.
    #[schemars(length(max = 64))]
    after_id: Option<String>,
    /// The hub; empty for none. Default: as before.
    #[schemars(length(max = 64))]
    hub_id: Option<String>,
}

async fn relocate(ctx: Ctx, call: Call, input: MoveTask) -> Result<ChangedTask> {
    let MoveTask { task_id, parent_id, after_id, hub_id } = input;
    let edit = Edit { parent_id, after_id, hub_id, ..Edit::of(Action::Move, Some(task_id)) };
    run_one(&ctx, &call.caller, edit).await
}

async fn delete(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    run(&ctx, &call.caller, vec![Edit::of(Action::Delete, Some(input.task_id))], true).await.map(|_| Done)
}

async fn restore(ctx: Ctx, call: Call, input: One) -> Result<ChangedTask> {
    run_one(&ctx, &call.caller, Edit::of(Action::Restore, Some(input.task_id))).await
}

/// Several edits.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "EditTasks")]
#[serde(deny_unknown_fields)]
struct Edits {
    /// In their order.
    #[schemars(length(min = 1, max = EDITS_MAX))]
    edits: Vec<Edit>,
}

/// What came of several edits.
#[derive(Debug, Serialize, JsonSchema)]
struct EditedTasks {
    /// The newest revision of the account's tasks.
    revision: i64,
    /// Every task that changed, as it is now.
    tasks: Vec<TaskRecord>,
    /// Values that were newer than what you saw, and were replaced.
    conflicts: Vec<Conflict>,
}

async fn edit_many(ctx: Ctx, call: Call, input: Edits) -> Result<EditedTasks> {
    if !(1..=EDITS_MAX).contains(&input.edits.len()) {
        return Err(invalid("/edits", fault::WRONG_LENGTH, format!("Use 1 to {EDITS_MAX} edits.")));
    }
    let outcome = run(&ctx, &call.caller, input.edits, false).await?;
    let tasks = outcome.tasks.iter().map(|task| TaskRecord::new(task, &call.caller)).collect();
    Ok(EditedTasks { revision: outcome.revision, tasks, conflicts: outcome.conflicts })
}
