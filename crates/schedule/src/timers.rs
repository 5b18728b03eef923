//! Timers: rows that wait for a time, and the one transaction in which a timer ends and its effect happens.

use crate::{Schedule, retry_gap_ms};
use futures_core::future::BoxFuture;
use kit::error::{INTERNAL, Result};
use kit::{Ctx, TimerKind};
use std::sync::Arc;
use store::{HasDb, Row, Tx, params};

/// Timers whose effects share a transaction at most.
pub const BATCH: usize = 100;
/// Maximum bytes of a payload. Larger data belongs into a table that the payload names.
pub const PAYLOAD_BYTES_MAX: usize = 16 * 1024;

/// A pending timer. Its account, kind, and key identify it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timer {
    /// The account that it belongs to.
    pub account: String,
    /// The declared kind.
    pub kind: &'static str,
    /// What it's for: an item, a message.
    pub key: String,
    /// When it's due.
    pub due_ms: i64,
    /// What its handler needs to know.
    pub payload: String,
}

/// What happens when a timer is due, in the transaction that deletes it.
pub type Effect = Box<dyn FnOnce(&mut Tx<'_>) -> Result<()> + Send>;
type Prepare = Box<dyn Fn(Ctx, Timer) -> BoxFuture<'static, Result<Effect>> + Send + Sync>;

/// An effect from a closure.
pub fn effect(run: impl FnOnce(&mut Tx<'_>) -> Result<()> + Send + 'static) -> Effect {
    Box::new(run)
}

/// What [`TimerKind::handler`] is.
pub(crate) struct Handler(Prepare);

/// A kind of timers. `run` is called in the transaction that deletes the timer; if it fails, nothing of it happened, and it's
/// tried again after growing gaps.
pub fn timers(name: &'static str, what: &'static str, run: fn(&Ctx, &mut Tx<'_>, &Timer) -> Result<()>) -> TimerKind {
    prepared_timers(name, what, move |ctx, timer| {
        let effect = effect(move |tx| run(&ctx, tx, &timer));
        Box::pin(std::future::ready(Ok(effect)))
    })
}

/// A kind of timers that look something up, or ask elsewhere, before their effect. Only the [`Effect`] may change anything:
/// `prepare` may be called more than once, and for nothing if the timer is canceled meanwhile.
pub fn prepared_timers(
    name: &'static str,
    what: &'static str,
    prepare: impl Fn(Ctx, Timer) -> BoxFuture<'static, Result<Effect>> + Send + Sync + 'static,
) -> TimerKind {
    TimerKind { name, what, handler: Arc::new(Handler(Box::new(prepare))) }
}

/// Sets a timer, or moves the one with its key. Called in the transaction of what the timer belongs to.
pub fn set(tx: &mut Tx<'_>, schedule: &Arc<Schedule>, timer: &Timer) -> Result<()> {
    let Timer { account, kind, key, due_ms, payload } = timer;
    if !schedule.has_kind(kind) {
        return Err(INTERNAL.error(format!("No feature declares timers of the kind {kind}.")));
    }
    if payload.len() > PAYLOAD_BYTES_MAX {
        return Err(
            INTERNAL.error(format!("The payload of a timer of the kind {kind} is over {PAYLOAD_BYTES_MAX} bytes."))
        );
    }
    tx.execute(
        "INSERT INTO timers (account_id, kind, timer_key, due_ms, next_ms, payload, attempts, failed_ms) \
         VALUES ($1, $2, $3, $4, $4, $5, 0, 0) \
         ON CONFLICT (account_id, kind, timer_key) DO UPDATE SET due_ms = excluded.due_ms, next_ms = excluded.next_ms, \
         payload = excluded.payload, attempts = 0, failed_ms = 0",
        params![account, *kind, key, *due_ms, payload],
    )?;
    let (schedule, kind, account, due_ms) = (schedule.clone(), *kind, account.clone(), *due_ms);
    tx.after_commit(move || schedule.expect(kind, &account, due_ms));
    Ok(())
}

/// Cancels a timer. False if none was pending.
pub fn cancel(tx: &mut Tx<'_>, account: &str, kind: &'static str, key: &str) -> Result<bool> {
    // Whoever waits for it wakes once for nothing.
    let sql = "DELETE FROM timers WHERE account_id = $1 AND kind = $2 AND timer_key = $3";
    Ok(tx.execute(sql, params![account, kind, key])? > 0)
}

/// When a timer is due, if it's pending.
pub fn due_of(tx: &mut Tx<'_>, account: &str, kind: &'static str, key: &str) -> Result<Option<i64>> {
    let sql = "SELECT due_ms FROM timers WHERE account_id = $1 AND kind = $2 AND timer_key = $3";
    tx.query_opt(sql, params![account, kind, key], |row| row.get(0))
}

/// When the next timer of each account and kind is tried.
pub(crate) fn first_of_all(tx: &mut Tx<'_>) -> Result<Vec<(String, String, i64)>> {
    let sql = "SELECT account_id, kind, min(next_ms) FROM timers GROUP BY account_id, kind";
    tx.query(sql, &[], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
}

/// When the next timer of one kind is tried.
fn first(tx: &mut Tx<'_>, account: &str, kind: &str) -> Result<Option<i64>> {
    let sql = "SELECT next_ms FROM timers WHERE account_id = $1 AND kind = $2 ORDER BY next_ms LIMIT 1";
    tx.query_opt(sql, params![account, kind], |row| row.get(0))
}

/// Failing timers of an account: their kinds, how many there are, the most attempts, and the last failure.
pub(crate) fn failing(tx: &mut Tx<'_>, account: &str) -> Result<Vec<(String, i64, i64, i64)>> {
    let sql = "SELECT kind, count(*), max(attempts), max(failed_ms) FROM timers \
         WHERE account_id = $1 AND attempts > 0 GROUP BY kind ORDER BY kind";
    tx.query(sql, params![account], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
}

/// Fires up to [`BATCH`] timers of one account and kind; returns when the next one is tried.
pub(crate) async fn fire(ctx: &Ctx, kind: &TimerKind, account: &str) -> Result<Option<i64>> {
    let timers = due(ctx, kind, account).await?;
    // Together they cost one write to the disk. If one fails, each has a transaction of its own.
    let are_done = timers.len() > 1 && run(ctx, kind, &timers).await?.is_ok();
    if !are_done {
        for timer in &timers {
            if let Err(error) = run(ctx, kind, std::slice::from_ref(timer)).await? {
                tracing::warn!(timer = kind.name, key = timer.key, error = ?error, "{}", kind.what);
                put_off(ctx, timer).await?;
            }
        }
    }
    let (account, kind) = (account.to_owned(), kind.name);
    ctx.db().read(move |tx| first(tx, &account, kind)).await
}

async fn due(ctx: &Ctx, kind: &TimerKind, account: &str) -> Result<Vec<Timer>> {
    let (account, kind, now_ms) = (account.to_owned(), kind.name, ctx.now_ms());
    let read = move |tx: &mut Tx<'_>| {
        let sql = "SELECT timer_key, due_ms, payload FROM timers WHERE account_id = $1 AND kind = $2 AND next_ms <= $3 \
             ORDER BY next_ms, timer_key LIMIT $4";
        tx.query(sql, params![&account, kind, now_ms, BATCH as i64], |row: &dyn Row| {
            Ok(Timer { account: account.clone(), kind, key: row.get(0)?, due_ms: row.get(1)?, payload: row.get(2)? })
        })
    };
    ctx.db().read(read).await
}

/// Ends timers with their effects, all or none. The outer error is the program's end.
async fn run(ctx: &Ctx, kind: &TimerKind, timers: &[Timer]) -> Result<Result<()>> {
    match run_together(ctx, kind, timers).await {
        Err(error) if error.is(&store::PROGRAM_ENDING) => Err(error),
        outcome => Ok(outcome),
    }
}

async fn run_together(ctx: &Ctx, kind: &TimerKind, timers: &[Timer]) -> Result<()> {
    let handler = kind.handler.downcast_ref::<Handler>().expect("made by this module");
    let mut effects = Vec::with_capacity(timers.len());
    for timer in timers {
        // In a task of its own, because a panic must end this timer's attempt only.
        let preparing = tokio::spawn((handler.0)(ctx.clone(), timer.clone()));
        let effect =
            preparing.await.unwrap_or_else(|fault| Err(INTERNAL.error("A timer panicked.").caused_by(fault)))?;
        effects.push((timer.clone(), effect));
    }
    let write = move |tx: &mut Tx<'_>| {
        for (Timer { account, kind, key, due_ms, payload }, effect) in effects {
            // It may have been canceled or moved meanwhile.
            let sql = "DELETE FROM timers WHERE account_id = $1 AND kind = $2 AND timer_key = $3 AND due_ms = $4 AND payload = $5";
            if tx.execute(sql, params![account, kind, key, due_ms, payload])? == 1 {
                effect(tx)?;
            }
        }
        Ok(())
    };
    ctx.db().write(write).await
}

/// Has a timer wait after its handler failed.
async fn put_off(ctx: &Ctx, timer: &Timer) -> Result<()> {
    let (Timer { account, kind, key, due_ms, payload }, now_ms) = (timer.clone(), ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let sql = "SELECT attempts FROM timers WHERE account_id = $1 AND kind = $2 AND timer_key = $3 AND due_ms = $4 AND payload = $5";
        let attempts: Option<i64> =
            tx.query_opt(sql, params![&account, kind, &key, due_ms, &payload], |row| row.get(0))?;
        let Some(attempts) = attempts.map(|before| before + 1) else { return Ok(()) };
        let sql = "UPDATE timers SET attempts = $4, failed_ms = $5, next_ms = $6 \
             WHERE account_id = $1 AND kind = $2 AND timer_key = $3";
        let next_ms = now_ms + retry_gap_ms(attempts);
        tx.execute(sql, params![&account, kind, &key, attempts, now_ms, next_ms])?;
        Ok(())
    };
    ctx.db().write(write).await
}
