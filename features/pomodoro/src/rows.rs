//! The run and the focus blocks as rows.

use crate::run::{Lengths, Phase, Run};
use crate::{focus, phases};
use events::{AboutSession, Event, HasEvents};
use kit::error::INTERNAL;
use kit::ids::short_id;
use kit::{Ctx, Result};
use schedule::{HasSchedule, Timer};
use serde_json::json;
use store::{Row, Tx, params};

/// The key of the run's timers: an account has one run.
pub(crate) const RUN: &str = "run";

/// A focus block shorter than this isn't counted if it was cut short.
const BLOCK_MIN_MS: i64 = 60_000;

fn of_row(row: &dyn Row) -> Result<Run> {
    let phase: &str = row.get(5)?;
    let phase = serde_json::from_value(json!(phase));
    Ok(Run {
        name: row.get(0)?,
        lengths: Lengths { focus: row.get(1)?, short: row.get(2)?, long: row.get(3)?, every: row.get(4)? },
        phase: phase.map_err(|why| INTERNAL.error("A run has an unknown phase.").caused_by(why))?,
        block: row.get(6)?,
        started_ms: row.get(7)?,
        phase_ms: row.get(8)?,
        since_ms: row.get(9)?,
        worked_ms: row.get(10)?,
        ends_ms: row.get(11)?,
        left_ms: row.get(12)?,
        manages_focus: row.get::<i64>(13)? == 1,
        toggles: row.get(14)?,
    })
}

/// The account's run, if there is one.
pub(crate) fn find(tx: &mut Tx<'_>, account: &str) -> Result<Option<Run>> {
    let sql = "SELECT name, focus_minutes, break_minutes, long_minutes, long_every, phase, block, started_ms, phase_ms, since_ms, \
         worked_ms, ends_ms, left_ms, manages_focus, toggles FROM pomodoro_runs WHERE account_id = $1";
    tx.query_opt(sql, params![account], of_row)
}

/// Stores the run or its end, and sets its timers. Pages hear of it.
pub(crate) fn store(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, before: Option<&Run>, run: Option<&Run>) -> Result<()> {
    tx.execute("DELETE FROM pomodoro_runs WHERE account_id = $1", params![account])?;
    if let Some(run) = run {
        let phase = json!(run.phase);
        let sql = "INSERT INTO pomodoro_runs (account_id, name, focus_minutes, break_minutes, long_minutes, long_every, phase, block, \
             started_ms, phase_ms, since_ms, worked_ms, ends_ms, left_ms, manages_focus, toggles) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
        tx.execute(
            sql,
            params![
                account,
                &run.name,
                run.lengths.focus,
                run.lengths.short,
                run.lengths.long,
                run.lengths.every,
                phase.as_str().unwrap_or_default(),
                run.block,
                run.started_ms,
                run.phase_ms,
                run.since_ms,
                run.worked_ms,
                run.ends_ms,
                run.left_ms,
                i64::from(run.manages_focus),
                run.toggles
            ],
        )?;
    }
    match run.filter(|run| !run.is_paused()) {
        Some(run) => {
            let (account, key) = (account.to_owned(), RUN.to_owned());
            let timer = Timer { account, kind: phases::PHASE, key, due_ms: run.ends_ms, payload: String::new() };
            schedule::set(tx, &ctx.schedule(), &timer)?;
        }
        None => {
            schedule::cancel(tx, account, phases::PHASE, RUN)?;
        }
    }
    let wanted = run.map_or(0, Run::focus_until_ms);
    let managed = run.or(before).filter(|run| run.manages_focus);
    if let Some(managed) = managed.filter(|_| before.map_or(0, Run::focus_until_ms) != wanted) {
        focus::set(tx, ctx, account, wanted, managed.toggles)?;
    }
    announce(tx, ctx, account);
    Ok(())
}

/// You toggled Focus Mode by hand: the run leaves it alone.
pub(crate) fn stop_managing(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, toggles: i64) -> Result<()> {
    let sql = "UPDATE pomodoro_runs SET manages_focus = 0 WHERE account_id = $1 AND toggles = $2";
    tx.execute(sql, params![account, toggles])?;
    announce(tx, ctx, account);
    Ok(())
}

/// Counts a focus block that ended.
pub(crate) fn add_block(tx: &mut Tx<'_>, account: &str, run: &Run, ended_ms: i64, is_complete: bool) -> Result<()> {
    let worked_ms = run.worked_ms(ended_ms);
    if run.phase != Phase::Focus || (!is_complete && worked_ms < BLOCK_MIN_MS) {
        return Ok(());
    }
    let sql = "INSERT INTO pomodoro_blocks (account_id, block_id, ended_ms, worked_ms, is_complete) VALUES ($1, $2, $3, $4, $5)";
    tx.execute(sql, params![account, short_id(), ended_ms, worked_ms, i64::from(is_complete)]).map(drop)
}

/// Focus blocks that ended since a time: when, how long they were, and whether they were completed.
pub(crate) fn blocks(tx: &mut Tx<'_>, account: &str, from_ms: i64) -> Result<Vec<(i64, i64, bool)>> {
    let sql = "SELECT ended_ms, worked_ms, is_complete FROM pomodoro_blocks WHERE account_id = $1 AND ended_ms >= $2";
    tx.query(sql, params![account, from_ms], |row| Ok((row.get(0)?, row.get(1)?, row.get::<i64>(2)? == 1)))
}

pub(crate) fn announce(tx: &mut Tx<'_>, ctx: &Ctx, account: &str) {
    // About no session: runs are the user's own.
    let about = AboutSession { id: "".into(), parent: None };
    let (bus, account) = (ctx.events(), account.to_owned());
    tx.after_commit(move || bus.emit_about(&account, about, Event::PomodoroChanged));
}
