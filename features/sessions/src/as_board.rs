//! Sessions as the board that dashboards connect (`kit::lookup::AgentSessions`).

use crate::kept::{self, Kept};
use crate::service::Sessions;
use futures_core::future::BoxFuture;
use kit::lookup::{ReadSessions, Session, SessionState, Sessions as All};
use kit::{Ctx, Result, SessionsSeen};
use store::HasDb;
use supervisor::state::State;

/// Sessions of an account that the board has: the newest.
const SESSIONS_MAX: i64 = 10_000;

/// Reads the sessions of an account.
pub(crate) struct Board;

impl ReadSessions for Board {
    fn seen(&self, ctx: &Ctx, account: &str, seen: &SessionsSeen) -> BoxFuture<'static, Result<All>> {
        let (ctx, account, seen) = (ctx.clone(), account.to_owned(), seen.clone());
        Box::pin(async move {
            let sessions = ctx.service::<Sessions>();
            // Asked before they are read: a change in between is then told with a later time.
            let told_ms = if seen == SessionsSeen::All { sessions.changed_ms(&account) } else { 0 };
            let owner = account.clone();
            let mut kept = ctx.db().read(move |tx| kept::list(tx, &owner, ("", ""), "~", SESSIONS_MAX)).await?;
            kept.retain(|kept| seen.shows(&kept.id, kept.parent_id.as_deref()));
            let written_ms = kept.iter().map(|kept| kept.changed_ms).max().unwrap_or_default();
            let account = account.as_str().into();
            let session = |kept| session(&sessions, sessions.with_vital(&account, kept));
            Ok(All { all: kept.into_iter().map(session).collect(), changed_ms: told_ms.max(written_ms) })
        })
    }
}

fn session(sessions: &Sessions, kept: Kept) -> Session {
    let state = state(&kept);
    let has_ended = matches!(state, SessionState::Stopped | SessionState::Failed | SessionState::Finished);
    let chosen = || kept.facts.choice("model").map(|choice| choice.current.clone()).unwrap_or_default();
    Session {
        engine: sessions.room.engine(&kept.engine).map_or_else(|| kept.engine.clone(), |one| one.name().to_owned()),
        model: Some(kept.model.clone()).filter(|model| !model.is_empty()).unwrap_or_else(chosen),
        state,
        cost_usd: kept.sums.cost_usd,
        turns: kept.sums.turns,
        run_ms: kept.sums.run_ms,
        started_ms: (kept.life.launch > 0).then_some(kept.created_ms),
        ended_ms: has_ended.then_some(kept.life.evidence.since),
        created_ms: kept.created_ms,
        updated_ms: kept.changed_ms,
        id: kept.id,
        name: kept.title,
    }
}

fn state(kept: &Kept) -> SessionState {
    match &kept.life.state {
        State::Failed { .. } => SessionState::Failed,
        State::Stopped { .. } | State::Interrupted { .. } | State::Closed => SessionState::Stopped,
        State::Finished | State::Archived => SessionState::Finished,
        _ if kept.life.need.is_some() => SessionState::NeedsPerson,
        State::AwaitingPermission | State::AwaitingInput => SessionState::NeedsPerson,
        State::Launching { .. } | State::Running | State::Retrying { .. } => SessionState::Running,
        State::Compacting { .. } | State::Stopping { .. } => SessionState::Running,
        State::Draft | State::Queued { .. } | State::Idle | State::Paused => SessionState::Waiting,
        State::Parked { .. } | State::Snoozed { .. } => SessionState::Waiting,
    }
}
