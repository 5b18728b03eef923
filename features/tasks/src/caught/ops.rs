//! Caught follow-ups: listing, accepting, dismissing, and restoring them.

use super::rows::{self, Caught, State};
use super::scan::{has_model, is_on, tell};
use crate::due::{Understood, understand_edit};
use crate::edit::{New, Outcome, Set, Step, Target, edit, random_id};
use crate::errors::CAUGHT_SETTLED;
use crate::input::TEXT_MAX;
use crate::ops::guarded;
use crate::record::TaskRecord;
use kit::error::TOO_MANY;
use kit::lookup::{Hubs, WorkNames};
use kit::page::{Page, Part};
use kit::text::{NAME, expect_name};
use kit::{Call, Caller, CallerSet, Ctx, Method, Op, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use store::{HasDb, Tx};

pub(crate) fn ops() -> Vec<Op> {
    let callers = CallerSet::PERSON_AND_AGENTS;
    vec![
        guarded(Op::new(
            "tasks.caught.list",
            Method::Get,
            "/tasks/caught",
            callers,
            "List follow-ups that were caught in ended sessions and wait to be accepted or dismissed.",
            list,
        ))
        .synonyms("suggested follow-ups staged")
        .columns(&["id", "text", "session", "hubId"]),
        guarded(Op::new(
            "tasks.caught.accept",
            Method::Post,
            "/tasks/caught/{caughtId}/accept",
            callers,
            "Accept a caught follow-up: it becomes a task in its session's hub, with a link to the session.",
            accept,
        ))
        .example(r#"{"caughtId": "{caughtId}"}"#)
        .columns(&["id", "text", "due", "hubId"])
        .errors([&CAUGHT_SETTLED, &TOO_MANY]),
        guarded(Op::new(
            "tasks.caught.acceptAll",
            Method::Post,
            "/tasks/caught/accept",
            callers,
            "Accept all caught follow-ups that wait, or those with these IDs.",
            accept_all,
        ))
        .example(r#"{"caughtIds": ["{spareCaughtId}"]}"#)
        .errors([&TOO_MANY]),
        guarded(Op::new(
            "tasks.caught.dismiss",
            Method::Post,
            "/tasks/caught/{caughtId}/dismiss",
            callers,
            "Dismiss a caught follow-up. It can be restored for 30 days.",
            dismiss,
        ))
        .example(r#"{"caughtId": "{goneCaughtId}"}"#)
        .errors([&CAUGHT_SETTLED]),
        guarded(Op::new(
            "tasks.caught.restore",
            Method::Post,
            "/tasks/caught/{caughtId}/restore",
            callers,
            "Undo accepting or dismissing a caught follow-up: it waits again, and the task that it became is deleted.",
            restore,
        ))
        .example(r#"{"caughtId": "{settledCaughtId}"}"#),
    ]
}

/// A caught follow-up.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CaughtTask {
    id: String,
    /// In a model's words.
    text: String,
    /// The session that it was caught in; left out if you don't see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// The session's title; empty if it's gone.
    session: String,
    /// The session's hub, which may have been removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    hub_id: Option<String>,
    /// RFC 3339 in UTC.
    caught_at: String,
}

impl CaughtTask {
    fn new(caught: Caught, titles: &HashMap<String, String>, caller: &Caller) -> CaughtTask {
        let session_id = caller.sessions_seen().named(Some(caught.session).filter(|id| !id.is_empty()));
        CaughtTask {
            id: caught.id,
            text: caught.text,
            session: session_id.as_ref().and_then(|id| titles.get(id)).cloned().unwrap_or_default(),
            session_id,
            hub_id: Some(caught.hub).filter(|hub| !hub.is_empty()),
            caught_at: rfc3339(caught.caught_ms),
        }
    }
}

/// Caught follow-ups that wait.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CaughtTasks {
    /// The newest session's first.
    items: Vec<CaughtTask>,
    /// Whether follow-ups are caught: tasksV2CatchesEnabled.
    enabled: bool,
    /// Whether nothing is caught until a utility model is chosen.
    needs_model: bool,
    /// `cursor` of the next page.
    next_cursor: Option<String>,
}

async fn list(ctx: Ctx, call: Call, part: Part) -> Result<CaughtTasks> {
    let account = call.account().to_owned();
    let enabled = is_on(&ctx, &account);
    let needs_model = enabled && !has_model(&ctx, &account).await?;
    let owner = account.clone();
    let staged = ctx.db().read(move |tx| rows::staged(tx, &owner)).await?;
    let Page { items, next_cursor } = part.page(staged, |caught| (&caught.id).into())?;
    let titles = titles(&ctx, &account, &items).await?;
    let items = items.into_iter().map(|caught| CaughtTask::new(caught, &titles, &call.caller)).collect();
    Ok(CaughtTasks { items, enabled, needs_model, next_cursor })
}

/// The titles of the sessions that still exist.
async fn titles(ctx: &Ctx, account: &str, caught: &[Caught]) -> Result<HashMap<String, String>> {
    let ids: HashSet<String> = caught.iter().map(|caught| caught.session.clone()).collect();
    let names = ctx.service::<WorkNames>().0.titles(account, ids.into_iter().collect(), Vec::new()).await?;
    Ok(names.sessions)
}

/// A follow-up to accept.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AcceptCaughtTask")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Accept {
    caught_id: String,
    /// Other words for it. A day and a priority that are new in them are understood. Default: its own, as they are.
    #[schemars(length(min = 1, max = TEXT_MAX), regex(pattern = NAME))]
    text: Option<String>,
    /// Keep days and priorities in `text` as words.
    #[serde(default)]
    plain: bool,
}

async fn accept(ctx: Ctx, call: Call, input: Accept) -> Result<TaskRecord> {
    if let Some(text) = &input.text {
        expect_name(text, TEXT_MAX, "/text")?;
    }
    let account = call.account().to_owned();
    let caught = ctx.db().read(move |tx| rows::one(tx, &account, &input.caught_id)).await?;
    let words = match input.text {
        Some(text) if !input.plain => understand_edit(&ctx, &caught.text, &text),
        Some(text) => literal(&text),
        None => literal(&caught.text),
    };
    let (caller, existing) = (call.caller.clone(), existing(&ctx, &call.caller, std::slice::from_ref(&caught)).await?);
    let of = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        // It may have been settled since.
        expect_staged(&rows::one(tx, &caller.account, &caught.id)?)?;
        let outcome = existing.take(tx, &of, &caller, &[(caught, words)])?;
        tell(tx, &of, &caller.account);
        Ok(outcome.tasks.last().map(|task| TaskRecord::new(task, &caller)))
    };
    ctx.db().write(write).await?.ok_or_else(kit::not_found)
}

fn literal(text: &str) -> Understood {
    Understood { text: text.trim().to_owned(), ..Understood::default() }
}

fn expect_staged(caught: &Caught) -> Result<()> {
    match caught.state {
        State::Staged => Ok(()),
        State::Accepted => Err(CAUGHT_SETTLED.error("The follow-up was accepted already. Restore it first.")),
        State::Dismissed => Err(CAUGHT_SETTLED.error("The follow-up was dismissed. Restore it first.")),
    }
}

/// What still exists of where follow-ups belong.
struct Existing {
    hubs: HashSet<String>,
    sessions: HashSet<String>,
}

/// Looks up the hubs and sessions of follow-ups.
async fn existing(ctx: &Ctx, caller: &Caller, caught: &[Caught]) -> Result<Existing> {
    let hubs: HashSet<String> = caught.iter().map(|one| one.hub.clone()).filter(|hub| !hub.is_empty()).collect();
    let missing = ctx.service::<Hubs>().0.missing(&caller.account, hubs.iter().cloned().collect()).await?;
    let hubs = hubs.into_iter().filter(|hub| !missing.contains(hub)).collect();
    let sessions = titles(ctx, &caller.account, caught).await?.into_keys().collect();
    Ok(Existing { hubs, sessions })
}

impl Existing {
    /// Makes tasks of follow-ups.
    fn take(&self, tx: &mut Tx<'_>, ctx: &Ctx, caller: &Caller, accepted: &[(Caught, Understood)]) -> Result<Outcome> {
        let mut steps = Vec::new();
        for (caught, words) in accepted {
            let id = random_id();
            rows::settle(tx, &caller.account, &caught.id, State::Accepted, &id, ctx.now_ms())?;
            let hub = self.hubs.get(&caught.hub).cloned();
            steps.push(Step::Add(New {
                id: id.clone(),
                to: Target { hub, ..Target::default() },
                text: words.text.clone(),
                due: words.due.clone(),
                snoozed_until: String::new(),
                priority: words.priority,
            }));
            if self.sessions.contains(&caught.session) {
                steps.push(Step::Set(Set { id, session: Some(caught.session.clone()), ..Set::default() }));
            }
        }
        edit(tx, ctx, caller, steps, |_| String::new())
    }
}

/// Which to accept.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AcceptCaughtTasks")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct AcceptAll {
    /// Only these, such as those that you see. Others, and those that were settled, are left out. Default: all.
    #[schemars(length(max = rows::STAGED_MAX))]
    caught_ids: Option<Vec<String>>,
}

/// What was accepted.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct AcceptedTasks {
    /// The new tasks.
    tasks: Vec<TaskRecord>,
    /// The follow-ups that they were.
    caught_ids: Vec<String>,
}

async fn accept_all(ctx: Ctx, call: Call, input: AcceptAll) -> Result<AcceptedTasks> {
    let account = call.account().to_owned();
    let mut staged = ctx.db().read(move |tx| rows::staged(tx, &account)).await?;
    staged.retain(|caught| input.caught_ids.as_ref().is_none_or(|ids| ids.contains(&caught.id)));
    let (caller, existing) = (call.caller.clone(), existing(&ctx, &call.caller, &staged).await?);
    let of = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let mut accepted = Vec::new();
        for caught in staged {
            if rows::one(tx, &caller.account, &caught.id)?.state == State::Staged {
                let words = literal(&caught.text);
                accepted.push((caught, words));
            }
        }
        if accepted.is_empty() {
            return Ok(AcceptedTasks { tasks: Vec::new(), caught_ids: Vec::new() });
        }
        let outcome = existing.take(tx, &of, &caller, &accepted)?;
        tell(tx, &of, &caller.account);
        let tasks = outcome.tasks.iter().map(|task| TaskRecord::new(task, &caller)).collect();
        Ok(AcceptedTasks { tasks, caught_ids: accepted.into_iter().map(|(caught, _)| caught.id).collect() })
    };
    ctx.db().write(write).await
}

/// Identifies a follow-up.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CaughtTaskId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    caught_id: String,
}

async fn dismiss(ctx: Ctx, call: Call, input: One) -> Result<kit::Done> {
    let of = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let caught = rows::one(tx, call.account(), &input.caught_id)?;
        expect_staged(&caught)?;
        rows::settle(tx, call.account(), &caught.id, State::Dismissed, "", of.now_ms())?;
        tell(tx, &of, call.account());
        Ok(kit::Done)
    };
    ctx.db().write(write).await
}

async fn restore(ctx: Ctx, call: Call, input: One) -> Result<CaughtTask> {
    let (of, caller) = (ctx.clone(), call.caller.clone());
    let write = move |tx: &mut Tx<'_>| {
        let caught = rows::one(tx, &caller.account, &input.caught_id)?;
        let task = crate::rows::find(tx, &caller.account, &caught.task)?;
        if let Some(task) = task.filter(|task| !task.is_deleted()) {
            edit(tx, &of, &caller, vec![Step::Delete { id: task.id }], |_| String::new())?;
        }
        rows::settle(tx, &caller.account, &caught.id, State::Staged, "", of.now_ms())?;
        tell(tx, &of, &caller.account);
        Ok(caught)
    };
    let caught = ctx.db().write(write).await?;
    let titles = titles(&ctx, call.account(), std::slice::from_ref(&caught)).await?;
    Ok(CaughtTask::new(caught, &titles, &call.caller))
}
