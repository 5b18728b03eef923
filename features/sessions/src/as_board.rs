//! Sessions as the board that dashboards connect (`kit::lookup::AgentSessions`).

use crate::records::{self, SessionRecord};
use crate::service::Sessions;
use futures_core::future::BoxFuture;
use kit::lookup::{ReadSessions, Session, SessionState, Sessions as All};
use kit::{Ctx, Result, SessionsSeen};
use store::HasDb;
use supervisor::state::State;

/// Maximum sessions of an account on the board: the newest.
const SESSIONS_MAX: i64 = 10_000;

/// Reads the sessions of an account.
pub(crate) struct Board;

impl ReadSessions for Board {
    fn seen(&self, ctx: &Ctx, account: &str, seen: &SessionsSeen) -> BoxFuture<'static, Result<All>> {
        let (ctx, account, seen) = (ctx.clone(), account.to_owned(), seen.clone());
        Box::pin(async move {
            let sessions = ctx.service::<Sessions>();
            // Read before the sessions: a change in between is then reported with a later time.
            let told_ms = if seen == SessionsSeen::All { sessions.common.listeners.changed_ms(&account) } else { 0 };
            let owner = account.clone();
            let mut record = ctx.db().read(move |tx| records::list(tx, &owner, ("", ""), "~", SESSIONS_MAX)).await?;
            record.retain(|record| seen.shows(&record.id, record.parent_id.as_deref()));
            let written_ms = record.iter().map(|record| record.changed_ms).max().unwrap_or_default();
            let account = account.as_str().into();
            let session = |record| session(&sessions, sessions.common.listeners.with_stats(&account, record));
            Ok(All { all: record.into_iter().map(session).collect(), changed_ms: told_ms.max(written_ms) })
        })
    }
}

fn session(sessions: &Sessions, record: SessionRecord) -> Session {
    let state = state(&record);
    let has_ended = matches!(state, SessionState::Stopped | SessionState::Failed | SessionState::Finished);
    let chosen = || record.facts.choice("model").map(|choice| choice.current.clone()).unwrap_or_default();
    Session {
        engine: sessions
            .common
            .host
            .engine(&record.engine)
            .map_or_else(|| record.engine.clone(), |one| one.name().to_owned()),
        model: Some(record.model.clone()).filter(|model| !model.is_empty()).unwrap_or_else(chosen),
        state,
        cost_usd: record.sums.cost_usd,
        turns: record.sums.turns,
        run_ms: record.sums.run_ms,
        started_ms: (record.life.launch > 0).then_some(record.created_ms),
        ended_ms: has_ended.then_some(record.life.evidence.since),
        created_ms: record.created_ms,
        updated_ms: record.changed_ms,
        id: record.id,
        name: record.title,
    }
}

fn state(record: &SessionRecord) -> SessionState {
    match &record.life.state {
        State::Failed { .. } => SessionState::Failed,
        State::Stopped { .. } | State::Interrupted { .. } | State::Closed => SessionState::Stopped,
        State::Finished | State::Archived => SessionState::Finished,
        _ if record.life.need.is_some() => SessionState::NeedsPerson,
        State::AwaitingPermission | State::AwaitingInput => SessionState::NeedsPerson,
        State::Launching { .. } | State::Running | State::Retrying { .. } => SessionState::Running,
        State::Compacting { .. } | State::Stopping { .. } => SessionState::Running,
        State::Draft | State::Queued { .. } | State::Idle | State::Paused => SessionState::Waiting,
        State::Parked { .. } | State::Snoozed { .. } => SessionState::Waiting,
    }
}
