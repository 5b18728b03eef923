//! The Agent Board: one line for each agent that was launched, with what it is at.
//!
//! Deliberately not here: everything else of a session, which its own record and page have.

use crate::facts::Facts;
use crate::kept::{self, Kept};
use crate::service::Sessions;
use crate::settings::agentStatusBoardEnabled;
use crate::{errors, hubs};
use engines::PlanStatus;
use kit::text::CURSOR;
use kit::{Call, Ctx, Method, Op, Page, Part, Result, Who, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use store::HasDb;

/// Lines of one answer where none are asked for.
const LINES: i64 = 100;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "sessions.board",
            Method::Get,
            "/sessions/board",
            Who::PERSON,
            "Lists every agent that was launched, newest first, with its hub, state, phase and how far its to-do list is. What was archived is left out.",
            board,
        )
        .switch(&agentStatusBoardEnabled, &errors::AGENT_BOARD_DISABLED)
        .columns(&["id", "title", "hub", "state", "phase", "done", "total"]),
    ]
}

/// An agent that was launched.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentLine")]
#[serde(rename_all = "camelCase")]
struct Line {
    /// That of its session.
    id: String,
    title: String,
    /// The id of its hub; null where that was taken off the list.
    project_id: Option<String>,
    /// The name of its hub; empty where that was taken off the list.
    hub: String,
    engine: String,
    /// As that of a session.
    state: String,
    /// Why it stands there, in words.
    why: String,
    /// Since when; RFC 3339 in UTC.
    since: String,
    /// Whether it needs the person.
    needs_you: bool,
    /// The step of its to-do list that it is at, in its own words and as plain text; empty where it told none.
    phase: String,
    /// Steps of its to-do list that are done; null where it has none.
    done: Option<usize>,
    /// All steps of it; null where it has none.
    total: Option<usize>,
    /// The session that started it.
    parent_id: Option<String>,
}

/// The step that an agent is at: the one that it works on, else the next one.
fn phase(facts: &Facts) -> String {
    let of = |status| facts.plan.iter().find(|step| step.status == status);
    let step = of(PlanStatus::InProgress).or_else(|| of(PlanStatus::Pending));
    step.map(|step| step.content.clone()).unwrap_or_default()
}

fn line(kept: Kept, hubs: &HashMap<String, String>) -> Line {
    let (done, total) = kept.facts.progress().unzip();
    Line {
        state: kept::state_name(&kept.life.state),
        why: kept.life.evidence.why.clone(),
        since: rfc3339(kept.life.evidence.since),
        needs_you: kept.life.need.is_some(),
        phase: phase(&kept.facts),
        done,
        total,
        hub: hubs.get(&kept.hub_id).cloned().unwrap_or_default(),
        project_id: Some(kept.hub_id).filter(|id| !id.is_empty()),
        id: kept.id,
        title: kept.title,
        engine: kept.engine,
        parent_id: kept.parent_id,
    }
}

/// Which lines.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct List {
    /// From an earlier answer.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// 1 to 10000; 100 where left out.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn board(ctx: Ctx, call: Call, input: List) -> Result<Page<Line>> {
    let part = Part { cursor: input.cursor, limit: Some(input.limit.unwrap_or(LINES)) };
    let before = part.after()?.unwrap_or("~").to_owned();
    let to_read = part.to_read();
    let account = call.caller.account.clone();
    let (launched, hubs) = ctx
        .db()
        .read(move |tx| Ok((kept::launched(tx, call.account(), &before, to_read)?, hubs::names(tx, call.account())?)))
        .await?;
    let sessions = ctx.service::<Sessions>();
    let lines = launched.into_iter().map(|kept| line(sessions.with_vital(&account, kept), &hubs));
    part.first_of(lines.collect(), |line| (&line.id).into())
}
