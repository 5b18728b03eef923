//! Focus Mode of a run: turned on and off by timers that are due at once, so that it follows the run across crashes.

use crate::rows;
use kit::error::INTERNAL;
use kit::lookup::FocusBlocks;
use kit::{Ctx, Result, TimerKind};
use schedule::{HasSchedule, Timer, effect};
use serde::{Deserialize, Serialize};
use store::Tx;

/// The timers that set Focus Mode, one for each account.
const FOCUS: &str = "pomodoro.focus";

/// Focus Mode as it's to be.
#[derive(Debug, Serialize, Deserialize)]
struct Wanted {
    /// 0 for off.
    until_ms: i64,
    toggles: i64,
}

/// Has Focus Mode turned on until a time, or off for 0.
pub(crate) fn set(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, until_ms: i64, toggles: i64) -> Result<()> {
    let payload = serde_json::to_string(&Wanted { until_ms, toggles });
    let payload = payload.map_err(|why| INTERNAL.error("Unreadable.").caused_by(why))?;
    let (account, key) = (account.to_owned(), rows::RUN.to_owned());
    schedule::set(tx, &ctx.schedule(), &Timer { account, kind: FOCUS, key, due_ms: ctx.now_ms(), payload })
}

pub(crate) fn timers() -> TimerKind {
    // It's set while the effect is prepared: setting it twice is the same.
    schedule::prepared_timers(FOCUS, "couldn't set Focus Mode for a focus block", |ctx, timer| {
        Box::pin(async move {
            let wanted: Wanted = serde_json::from_str(&timer.payload)
                .map_err(|why| INTERNAL.error("A timer can't be read.").caused_by(why))?;
            let until_ms = Some(wanted.until_ms).filter(|until_ms| *until_ms > 0);
            let is_managed = match ctx.find_service::<FocusBlocks>() {
                Some(focus) => focus.0.set(ctx.clone(), &timer.account, until_ms, wanted.toggles).await?,
                None => true,
            };
            Ok(effect(move |tx| match is_managed {
                true => Ok(()),
                false => rows::stop_managing(tx, &ctx, &timer.account, wanted.toggles),
            }))
        })
    })
}

/// Whether a run of the account turns Focus Mode on and off, and how often that was toggled by hand.
pub(crate) async fn before_run(ctx: &Ctx, account: &str, own: Option<bool>) -> Result<(bool, i64)> {
    match ctx.find_service::<FocusBlocks>() {
        Some(focus) => {
            let manages = own.unwrap_or_else(|| focus.0.is_default(ctx, account));
            Ok((manages, focus.0.toggles(ctx.clone(), account).await?))
        }
        None => Ok((false, 0)),
    }
}
