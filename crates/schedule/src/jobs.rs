//! Jobs: what each did last, when it runs next, and one run.

use crate::{next_after, retry_gap_ms};
use jiff::tz::TimeZone;
use kit::Ctx;
use kit::error::{INTERNAL, Result};
use kit::job::{Job, Rule};
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;
use store::{HasDb, Tx, params};
use tokio::sync::Notify;

/// Shorter intervals run again at each start, and their runs are not stored.
pub const STORED_FROM: Duration = Duration::from_secs(3_600);
/// Jobs are the program's, not an account's.
const NO_ACCOUNT: &str = "";

/// A job of the running program.
pub(crate) struct Entry {
    pub(crate) job: Job,
    pub(crate) changed: Notify,
    state: Mutex<State>,
}

#[derive(Default, Clone, Copy)]
struct State {
    /// When the last run began, or since when the job is known.
    last_ms: Option<i64>,
    /// Failures in a row, the time of the last one, and when to try again.
    failed: Option<(i64, i64, i64)>,
    /// When it was asked to run early, and for when.
    asked: Option<(i64, i64)>,
}

impl Entry {
    pub(crate) fn new(job: Job) -> Entry {
        Entry { job, changed: Notify::new(), state: Mutex::default() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().expect("the lock isn't poisoned")
    }

    /// Whether a restart must not repeat it.
    fn is_stored(&self) -> bool {
        !matches!(self.job.rule, Rule::Every(interval) if interval < STORED_FROM)
    }

    /// Runs it early.
    pub(crate) fn ask(&self, now_ms: i64, delay: Duration) {
        let at_ms = now_ms + delay.as_millis() as i64;
        let mut state = self.state();
        if state.asked.is_none_or(|(_, before_ms)| at_ms < before_ms) {
            state.asked = Some((now_ms, at_ms));
            drop(state);
            self.changed.notify_one();
        }
    }

    /// Failures in a row and the time of the last one.
    pub(crate) fn failed(&self) -> Option<(i64, i64)> {
        self.state().failed.map(|(attempts, failed_ms, _)| (attempts, failed_ms))
    }

    /// When it runs next; now or earlier if it's due.
    pub(crate) fn next_ms(&self, now_ms: i64, zone: &TimeZone) -> Option<i64> {
        let mut state = self.state();
        if matches!(self.job.rule, Rule::Every(_)) && state.last_ms.is_some_and(|last_ms| last_ms > now_ms) {
            // The clock was set back. The interval begins anew, once.
            state.last_ms = Some(now_ms);
        }
        let regular = next_after(&self.job.rule, self.job.missed, state.last_ms, now_ms, zone);
        // A clock that was set back delays neither.
        let retry = state.failed.map(|(_, failed_ms, at_ms)| if failed_ms > now_ms { now_ms } else { at_ms });
        let asked = state.asked.map(|(asked_ms, at_ms)| if asked_ms > now_ms { now_ms } else { at_ms });
        regular.into_iter().chain(retry).chain(asked).min()
    }

    /// Runs it once. Only the program's end is an error.
    pub(crate) async fn run(&self, ctx: &Ctx) -> Result<()> {
        let begun_ms = ctx.now_ms();
        self.state().asked = None;
        // In a task of its own, because a panic must end this run only.
        let running = tokio::spawn((self.job.run)(ctx.clone()));
        let mut outcome = running.await.unwrap_or_else(|fault| Err(INTERNAL.error("A job panicked.").caused_by(fault)));
        if outcome.is_ok() && self.is_stored() {
            outcome = store_last(ctx, self.job.name, begun_ms).await;
        }
        match outcome {
            Err(error) if error.is(&store::PROGRAM_ENDING) => return Err(error),
            Err(error) => {
                tracing::warn!(job = self.job.name, error = ?error, "{}", self.job.what);
                let now_ms = ctx.now_ms();
                let mut state = self.state();
                let attempts = state.failed.map_or(1, |(before, ..)| before + 1);
                state.failed = Some((attempts, now_ms, now_ms + retry_gap_ms(attempts)));
            }
            Ok(()) => self.state().failed = None,
        }
        let mut state = self.state();
        // With a clock that was set back, the later run counts.
        state.last_ms = match self.job.rule {
            Rule::Every(_) => Some(begun_ms),
            _ => state.last_ms.max(Some(begun_ms)),
        };
        Ok(())
    }
}

/// Reads when jobs last ran. A calendar is followed from its first start on.
pub(crate) async fn load(ctx: &Ctx, entries: &[Entry]) -> Result<()> {
    let sql = "SELECT job, last_ms FROM job_runs WHERE account_id = $1";
    let read =
        move |tx: &mut Tx<'_>| tx.query(sql, params![NO_ACCOUNT], |row| Ok((row.get::<String>(0)?, row.get(1)?)));
    let stored: HashMap<String, i64> = ctx.db().read(read).await?.into_iter().collect();
    let now_ms = ctx.now_ms();
    for entry in entries.iter().filter(|entry| entry.is_stored()) {
        let mut last_ms = stored.get(entry.job.name).copied();
        if last_ms.is_none() && !matches!(entry.job.rule, Rule::Every(_)) {
            // On a full disk it's followed all the same, until the next start.
            if let Err(error) = store_last(ctx, entry.job.name, now_ms).await {
                tracing::warn!(job = entry.job.name, error = ?error, "couldn't store since when a job is scheduled");
            }
            last_ms = Some(now_ms);
        }
        let mut state = entry.state();
        state.last_ms = state.last_ms.max(last_ms);
    }
    Ok(())
}

async fn store_last(ctx: &Ctx, job: &'static str, last_ms: i64) -> Result<()> {
    let write = move |tx: &mut Tx<'_>| {
        let sql = "INSERT INTO job_runs (account_id, job, last_ms) VALUES ($1, $2, $3) \
             ON CONFLICT (account_id, job) DO UPDATE SET last_ms = excluded.last_ms";
        tx.execute(sql, params![NO_ACCOUNT, job, last_ms])
    };
    ctx.db().write(write).await.map(drop)
}
