//! Operations on the run.

use crate::errors::{POMODORO_IDLE, POMODORO_RUNNING};
use crate::run::{Phase, Run};
use crate::{focus, phases, presets, rows};
use kit::{Call, CallerSet, Ctx, Method, Op, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb, Tx};

pub(crate) fn ops() -> Vec<Op> {
    let person = CallerSet::PERSON;
    vec![
        Op::new("pomodoro.get", Method::Get, "/pomodoro", person, "Get the run: its phase, and when that ends.", get),
        Op::new("pomodoro.start", Method::Post, "/pomodoro/start", person, "Start a run with a preset.", start)
            .example(r#"{"presetId": "{presetId}"}"#)
            .errors([&POMODORO_RUNNING])
            .synonyms("focus timer begin"),
        Op::new("pomodoro.pause", Method::Post, "/pomodoro/pause", person, "Pause the run.", pause)
            .example("{}")
            .errors([&POMODORO_IDLE]),
        Op::new("pomodoro.resume", Method::Post, "/pomodoro/resume", person, "Resume the paused run.", resume)
            .example("{}")
            .errors([&POMODORO_IDLE]),
        Op::new("pomodoro.skip", Method::Post, "/pomodoro/skip", person, "Skip to the next phase.", skip)
            .example("{}")
            .errors([&POMODORO_IDLE]),
        Op::new("pomodoro.stop", Method::Post, "/pomodoro/stop", person, "Stop the run.", stop)
            .example("{}")
            .errors([&POMODORO_IDLE]),
    ]
}

/// No input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParams {}

/// A run.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PomodoroRun")]
#[serde(rename_all = "camelCase")]
struct RunRecord {
    /// Its preset's name.
    name: String,
    phase: Phase,
    /// The focus block, counted from 1; during a break the one before.
    block: i64,
    /// Focus blocks before a long break; 0 for none.
    long_every: i64,
    /// The phase's length in seconds.
    phase_seconds: i64,
    /// When the phase ends; RFC 3339 in UTC. Null while it's paused.
    ends_at: Option<String>,
    /// Seconds left of a paused phase; null while it runs.
    left_seconds: Option<i64>,
    /// Whether it turns Focus Mode on and off.
    manages_focus: bool,
    /// RFC 3339 in UTC.
    started_at: String,
}

impl From<&Run> for RunRecord {
    fn from(run: &Run) -> RunRecord {
        RunRecord {
            name: run.name.clone(),
            phase: run.phase,
            block: run.block,
            long_every: run.lengths.every,
            phase_seconds: run.phase_ms / 1_000,
            ends_at: Some(run.ends_ms).filter(|_| !run.is_paused()).map(rfc3339),
            left_seconds: Some(run.left_ms / 1_000).filter(|_| run.is_paused()),
            manages_focus: run.manages_focus,
            started_at: rfc3339(run.started_ms),
        }
    }
}

/// Pomodoro.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Pomodoro")]
struct State {
    /// Null if none is active.
    run: Option<RunRecord>,
}

impl State {
    fn new(run: Option<&Run>) -> State {
        State { run: run.map(RunRecord::from) }
    }
}

async fn get(ctx: Ctx, call: Call, _: NoParams) -> Result<State> {
    let run = ctx.db().read(move |tx| rows::find(tx, call.account())).await?;
    Ok(State::new(run.as_ref()))
}

/// A run to start.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "StartPomodoro")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Start {
    /// The preset; default: `classic` (25 minutes of focus, 5 of break).
    preset_id: Option<String>,
}

async fn start(ctx: Ctx, call: Call, input: Start) -> Result<State> {
    let account = call.caller.account.clone();
    let id = input.preset_id.unwrap_or_else(|| presets::CLASSIC.to_owned());
    let of = account.clone();
    let preset = ctx.db().read(move |tx| presets::expect(tx, &of, &id)).await?;
    let (manages_focus, toggles) = focus::before_run(&ctx, &account, preset.focus_mode.own()).await?;
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        if rows::find(tx, call.account())?.is_some() {
            return Err(POMODORO_RUNNING.error("A run is active. Stop it before you start another one."));
        }
        let run = Run { manages_focus, toggles, ..Run::new(preset.name, preset.lengths, again.now_ms()) };
        rows::store(tx, &again, call.account(), None, Some(&run))?;
        record(tx, &again, &call, None, Some(json!({"run": run.name})))?;
        Ok(run)
    };
    let run = ctx.db().write(write).await?;
    Ok(State::new(Some(&run)))
}

fn record(tx: &mut Tx<'_>, ctx: &Ctx, call: &Call, before: Option<Value>, after: Option<Value>) -> Result<()> {
    let change = Change {
        subject: "pomodoro",
        subject_id: rows::RUN,
        field: "run",
        before: before.as_ref(),
        after: after.as_ref(),
    };
    tx.record(&call.caller, ctx.now_ms(), change).map(drop)
}

/// Changes the active run, and records that as a word.
async fn change(
    ctx: Ctx,
    call: Call,
    word: &'static str,
    run: impl FnOnce(&mut Tx<'_>, &Ctx, &str, &Run) -> Result<Option<Run>> + Send + 'static,
) -> Result<State> {
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let before =
            rows::find(tx, call.account())?.ok_or_else(|| POMODORO_IDLE.error("No run is active. Start one."))?;
        let after = run(tx, &again, call.account(), &before)?;
        record(tx, &again, &call, Some(json!(before.phase)), Some(json!(word)))?;
        Ok(after)
    };
    let run = ctx.db().write(write).await?;
    Ok(State::new(run.as_ref()))
}

async fn pause(ctx: Ctx, call: Call, _: NoParams) -> Result<State> {
    change(ctx, call, "paused", |tx, ctx, account, before| {
        if before.is_paused() {
            return Err(POMODORO_IDLE.error("The run is paused already. Resume it."));
        }
        let mut run = before.clone();
        run.pause(ctx.now_ms());
        rows::store(tx, ctx, account, Some(before), Some(&run))?;
        Ok(Some(run))
    })
    .await
}

async fn resume(ctx: Ctx, call: Call, _: NoParams) -> Result<State> {
    change(ctx, call, "resumed", |tx, ctx, account, before| {
        if !before.is_paused() {
            return Err(POMODORO_IDLE.error("The run isn't paused."));
        }
        let mut run = before.clone();
        run.resume(ctx.now_ms());
        rows::store(tx, ctx, account, Some(before), Some(&run))?;
        Ok(Some(run))
    })
    .await
}

async fn skip(ctx: Ctx, call: Call, _: NoParams) -> Result<State> {
    change(ctx, call, "skipped", |tx, ctx, account, before| {
        rows::add_block(tx, account, before, ctx.now_ms(), false)?;
        phases::next(tx, ctx, account, before).map(Some)
    })
    .await
}

async fn stop(ctx: Ctx, call: Call, _: NoParams) -> Result<State> {
    change(ctx, call, "stopped", |tx, ctx, account, before| {
        rows::add_block(tx, account, before, ctx.now_ms(), false)?;
        rows::store(tx, ctx, account, Some(before), None)?;
        Ok(None)
    })
    .await
}
