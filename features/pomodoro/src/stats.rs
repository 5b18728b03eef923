//! Statistics of focus blocks.

use crate::rows;
use jiff::ToSpan;
use kit::clock::DAY_MS;
use kit::{Call, CallerSet, Ctx, Method, Op, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::HasDb;
use when::occurrence::local;

/// Days that are shown, today included.
const DAYS: i64 = 7;

pub(crate) fn ops() -> Vec<Op> {
    let doc = "Get the focus blocks of the last 7 days, by day in the computer's time zone.";
    vec![Op::new("pomodoro.stats", Method::Get, "/pomodoro/stats", CallerSet::PERSON, doc, stats)]
}

/// No input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParams {}

/// A day.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PomodoroDay")]
#[serde(rename_all = "camelCase")]
struct Day {
    /// Such as `2026-03-01`.
    date: String,
    /// Completed focus blocks.
    blocks: i64,
    /// Minutes of focus, those of blocks that were cut short included.
    minutes: i64,
}

/// The last 7 days, the last one today.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PomodoroStats")]
struct Stats {
    days: Vec<Day>,
}

async fn stats(ctx: Ctx, call: Call, _: NoParams) -> Result<Stats> {
    let (now_ms, zone) = (ctx.now_ms(), ctx.home_zone());
    let from_ms = now_ms - (DAYS + 1) * DAY_MS;
    let blocks = ctx.db().read(move |tx| rows::blocks(tx, call.account(), from_ms)).await?;
    let today = local(now_ms, &zone).date();
    let day = |back: i64| {
        let date = today.saturating_sub(back.days());
        let own = || blocks.iter().filter(|(ended_ms, ..)| local(*ended_ms, &zone).date() == date);
        Day {
            date: date.to_string(),
            blocks: own().filter(|(.., is_complete)| *is_complete).count() as i64,
            minutes: own().map(|(_, worked_ms, _)| worked_ms).sum::<i64>() / 60_000,
        }
    };
    Ok(Stats { days: (0..DAYS).rev().map(day).collect() })
}
