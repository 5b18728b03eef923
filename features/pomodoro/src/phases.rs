//! Ends of phases.

use crate::rows;
use crate::run::Run;
use crate::settings::pomodoroPhaseForeground;
use kit::lookup::DesktopWindow;
use kit::{Ctx, Result, TimerKind};
use store::Tx;

/// The timer of the phase, one for each account.
pub(crate) const PHASE: &str = "pomodoro.phase";

/// A run whose phase ended longer ago, while the program was closed, is over.
const ABANDONED_MS: i64 = 60 * 60_000;

pub(crate) fn timers() -> TimerKind {
    schedule::timers(PHASE, "couldn't end a phase of a Pomodoro run", |ctx, tx, timer| {
        let account = &timer.account;
        let Some(run) = rows::find(tx, account)?.filter(|run| run.ends_ms == timer.due_ms) else { return Ok(()) };
        rows::add_block(tx, account, &run, timer.due_ms, true)?;
        if ctx.now_ms() - timer.due_ms > ABANDONED_MS {
            return rows::store(tx, ctx, account, Some(&run), None);
        }
        next(tx, ctx, account, &run).map(drop)
    })
}

/// Begins the next phase.
pub(crate) fn next(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, run: &Run) -> Result<Run> {
    let mut after = run.clone();
    after.advance(ctx.now_ms());
    rows::store(tx, ctx, account, Some(run), Some(&after))?;
    let (ctx, account) = (ctx.clone(), account.to_owned());
    tx.after_commit(move || {
        if ctx.setting(&account, &pomodoroPhaseForeground)
            && let Some(window) = ctx.find_service::<DesktopWindow>()
        {
            window.0.raise(&account, Some("/app/pomodoro"));
        }
    });
    Ok(after)
}
