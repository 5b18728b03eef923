//! What sessions did in a period, for digests.

use crate::hubs;
use crate::needs;
use crate::records;
use crate::search;
use crate::service::Sessions;
use crate::transcript::{Part, SessionKey};
use futures_core::future::BoxFuture;
use kit::error::NOT_FOUND;
use kit::lookup::{ActiveSession, ReadActivity};
use kit::{Ctx, Result};
use store::{HasDb, Tx, params};
use supervisor::state::State;

/// Entries of a transcript that are looked at for the agent's last message.
const ENTRIES: usize = 200;
/// Maximum bytes of that.
const WORDS_BYTES: usize = 600;
/// Entries of a transcript that are read for its end.
const ENDING_ENTRIES: usize = 1_000;

/// Reads tables and transcripts of this program.
pub(crate) struct Activity(pub(crate) Ctx);

impl ReadActivity for Activity {
    fn accounts(&self, from_ms: i64, to_ms: i64) -> BoxFuture<'static, Result<Vec<String>>> {
        let db = self.0.db();
        let sql =
            "SELECT DISTINCT account_id FROM sessions WHERE changed_ms >= $1 AND changed_ms < $2 ORDER BY account_id";
        let read = move |tx: &mut Tx<'_>| tx.query(sql, params![from_ms, to_ms], |row| row.get(0));
        Box::pin(async move { db.read(read).await })
    }

    fn between(
        &self,
        account: &str,
        from_ms: i64,
        to_ms: i64,
        limit: usize,
    ) -> BoxFuture<'static, Result<Vec<ActiveSession>>> {
        let (ctx, account) = (self.0.clone(), account.to_owned());
        Box::pin(async move { between(&ctx, &account, (from_ms, to_ms), limit).await })
    }

    fn named(&self, account: &str, sessions: Vec<String>) -> BoxFuture<'static, Result<Vec<ActiveSession>>> {
        let (ctx, account) = (self.0.clone(), account.to_owned());
        Box::pin(async move { named(&ctx, &account, sessions).await })
    }

    fn last_words(&self, account: &str, sessions: Vec<String>) -> BoxFuture<'static, Result<Vec<String>>> {
        let (ctx, account) = (self.0.clone(), account.to_owned());
        Box::pin(async move {
            let common = ctx.service::<Sessions>().common.clone();
            let mut words = Vec::new();
            for session in sessions {
                let key = SessionKey { account: account.as_str().into(), session: session.into() };
                let entries = common.transcripts.page(&key, Part::Newest, ENTRIES).await?;
                words.push(search::last_words(&entries, WORDS_BYTES));
            }
            Ok(words)
        })
    }

    fn ending(&self, account: &str, session: &str, bytes: usize) -> BoxFuture<'static, Result<String>> {
        let (ctx, key) = (self.0.clone(), SessionKey { account: account.into(), session: session.into() });
        Box::pin(async move {
            let common = ctx.service::<Sessions>().common.clone();
            let entries = common.transcripts.page(&key, Part::Newest, ENDING_ENTRIES).await?;
            Ok(search::ending(&entries, bytes))
        })
    }
}

async fn between(ctx: &Ctx, account: &str, (from_ms, to_ms): (i64, i64), limit: usize) -> Result<Vec<ActiveSession>> {
    let owner = account.to_owned();
    let read = move |tx: &mut Tx<'_>| {
        let ids = "SELECT session_id FROM sessions WHERE account_id = $1 AND changed_ms >= $2 AND changed_ms < $3 \
             AND state <> 'draft' ORDER BY changed_ms DESC, session_id DESC LIMIT $4";
        tx.query(ids, params![&*owner, from_ms, to_ms, limit as i64], |row| row.get::<String>(0))
    };
    let ids = ctx.db().read(read).await?;
    named(ctx, account, ids).await
}

async fn named(ctx: &Ctx, account: &str, ids: Vec<String>) -> Result<Vec<ActiveSession>> {
    let owner = account.to_owned();
    let read = move |tx: &mut Tx<'_>| {
        let mut sessions = Vec::new();
        for id in &ids {
            match records::one(tx, &owner, id) {
                Ok(session) => sessions.push(session),
                Err(why) if why.is(&NOT_FOUND) => {}
                Err(why) => return Err(why),
            }
        }
        Ok((sessions, hubs::names(tx, &owner)?, needs::sessions(tx, &owner)?))
    };
    let (sessions, hubs, waiting) = ctx.db().read(read).await?;
    let active = sessions.into_iter().map(|session| {
        let state = &session.life.state;
        ActiveSession {
            hub: hubs.get(&session.hub_id).cloned().unwrap_or_default(),
            state: label(state).to_owned(),
            needs_you: waiting.contains(&session.id),
            is_archived: matches!(state, State::Archived),
            turns: session.sums.turns,
            cost_usd: session.sums.cost_usd,
            changed_ms: session.changed_ms,
            title: session.title,
            id: session.id,
        }
    });
    Ok(active.collect())
}

/// A state in words.
pub(crate) const fn label(state: &State) -> &'static str {
    match state {
        State::Draft | State::Queued { .. } | State::Launching { .. } => "Starting",
        State::Idle => "Ready",
        State::Finished => "Finished",
        State::Failed { .. } => "Failed",
        State::Stopped { .. } => "Stopped",
        State::Interrupted { .. } => "Interrupted",
        State::Archived => "Archived",
        State::Closed => "Closed",
        State::Paused | State::Snoozed { .. } => "Paused",
        State::Parked { .. } => "Limit reached",
        State::AwaitingPermission | State::AwaitingInput => "Needs you",
        _ => "Running",
    }
}
