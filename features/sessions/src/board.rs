//! The Agent Board: one line for each agent, with its current step.
//!
//! Deliberately not here: all other data of a session, which is in its record and on its page.

use crate::facts::Facts;
use crate::records::{self, SessionRecord};
use crate::service::Sessions;
use crate::settings::agentStatusBoardEnabled;
use crate::{errors, hubs, needs, reasons};
use engines::PlanStatus;
use kit::text::CURSOR;
use kit::{Call, CallerSet, Ctx, Method, Op, Page, Part, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use store::HasDb;

/// Default number of lines in an answer.
const LINES: i64 = 100;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "sessions.board",
            Method::Get,
            "/sessions/board",
            CallerSet::PERSON,
            "List agents, newest first, with hub, state, phase, and to-do progress. Archived ones are omitted.",
            board,
        )
        .switch(&agentStatusBoardEnabled, &errors::AGENT_BOARD_DISABLED)
        .columns(&["id", "title", "hub", "state", "since", "why", "phase", "done", "total"]),
    ]
}

/// A line of the Agent Board.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentLine")]
#[serde(rename_all = "camelCase")]
struct Line {
    /// The session's id.
    id: String,
    title: String,
    /// Its hub's id; null if the hub was removed.
    project_id: Option<String>,
    /// Its hub's name; empty if the hub was removed.
    hub: String,
    engine: String,
    /// The session's state.
    state: String,
    /// Why it's in this state.
    why: String,
    /// When it entered this state; RFC 3339 in UTC.
    since: String,
    /// Whether it needs you.
    needs_you: bool,
    /// Its current to-do step in plain text; empty if it reported none.
    phase: String,
    /// Completed to-do steps; null if it has no list.
    done: Option<usize>,
    /// All to-do steps; null if it has no list.
    total: Option<usize>,
    /// The session that started it.
    parent_id: Option<String>,
}

/// The current step of an agent: the one in progress, else the next one.
fn phase(facts: &Facts) -> String {
    let first_with = |status| facts.plan.iter().find(|step| step.status == status);
    let step = first_with(PlanStatus::InProgress).or_else(|| first_with(PlanStatus::Pending));
    step.map(|step| step.content.clone()).unwrap_or_default()
}

fn line(record: SessionRecord, hubs: &HashMap<String, String>, needing: &HashSet<String>) -> Line {
    let (done, total) = record.facts.progress().unzip();
    Line {
        state: records::state_name(&record.life.state),
        why: reasons::with_time(&record.life.state, &record.life.evidence.why),
        since: rfc3339(record.life.evidence.since),
        needs_you: needing.contains(&record.id),
        phase: phase(&record.facts),
        done,
        total,
        hub: hubs.get(&record.hub_id).cloned().unwrap_or_default(),
        project_id: Some(record.hub_id).filter(|id| !id.is_empty()),
        id: record.id,
        title: record.title,
        engine: record.engine,
        parent_id: record.parent_id,
    }
}

/// A page of the Agent Board.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct List {
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: 100.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn board(ctx: Ctx, call: Call, input: List) -> Result<Page<Line>> {
    let part = Part { cursor: input.cursor, limit: Some(input.limit.unwrap_or(LINES)) };
    let before = part.after()?.unwrap_or("~").to_owned();
    let to_read = part.to_read();
    let account = call.caller.account.clone();
    let (launched, hubs, needing) = ctx
        .db()
        .read(move |tx| {
            let launched = records::launched(tx, call.account(), &before, to_read)?;
            Ok((launched, hubs::names(tx, call.account())?, needs::sessions(tx, call.account())?))
        })
        .await?;
    let sessions = ctx.service::<Sessions>();
    let with_stats = |record| sessions.common.listeners.with_stats(&account, record);
    let lines = launched.into_iter().map(|record| line(with_stats(record), &hubs, &needing));
    part.first_page(lines.collect(), |line| (&line.id).into())
}
