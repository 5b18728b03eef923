//! Messages that are due: they become inbox rows, or are handed to sessions.

use crate::deliver;
use crate::message::{Message, Target};
use crate::settings::scheduledMessagesEnabled;
use crate::{inbox_kinds, rows};
use events::Actor;
use inbox_rows::NewRow;
use jiff::tz::TimeZone;
use kit::{Ctx, Result, TimerKind};
use store::Tx;
use when::occurrence::{local, zone};

/// The timers of messages, by the message's id.
pub(crate) const DUE: &str = "scheduled-messages.due";

/// A message that is sent later than this says when it was due.
const LATE_MS: i64 = 60_000;

pub(crate) fn timers() -> TimerKind {
    schedule::timers(DUE, "couldn't send a scheduled message", |ctx, tx, timer| {
        let Some(mut message) = rows::find(tx, &timer.account, &timer.key)? else { return Ok(()) };
        let now_ms = ctx.now_ms();
        if ctx.setting(&timer.account, &scheduledMessagesEnabled) {
            send(tx, ctx, &timer.account, &mut message, Some(timer.due_ms))?;
        } else {
            message.problem = "Not sent: scheduled messages were off.".to_owned();
        }
        message.advance(now_ms);
        rows::store(tx, ctx, &timer.account, &message)
    })
}

/// Sends a message now: posts its row, or has it delivered. `due_ms` is when it was due, if it wasn't run by hand.
pub(crate) fn send(
    tx: &mut Tx<'_>,
    ctx: &Ctx,
    account: &str,
    message: &mut Message,
    due_ms: Option<i64>,
) -> Result<()> {
    let now_ms = ctx.now_ms();
    match message.target {
        Target::Inbox => post(tx, ctx, account, message, due_ms.filter(|due_ms| now_ms - due_ms > LATE_MS))?,
        Target::Session(_) | Target::Hub(_) => deliver::set(tx, ctx, account, message)?,
    }
    message.sent += 1;
    message.last_ms = now_ms;
    message.problem.clear();
    Ok(())
}

fn post(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, message: &Message, late_ms: Option<i64>) -> Result<()> {
    let title = match late_ms {
        None => message.title.clone(),
        Some(due_ms) => {
            let zone_name = &message.occurrence.zone;
            let due = local(due_ms, &zone(zone_name).unwrap_or(TimeZone::UTC));
            format!("{} (due {} {})", message.title, due.date(), due.strftime("%H:%M"))
        }
    };
    let session = Some(message.by_session.clone()).filter(|id| !id.is_empty());
    let row = NewRow {
        body: &message.body,
        link: Some("/app/scheduled-messages"),
        ..NewRow::new(&inbox_kinds::MESSAGE, &title, Actor::program(session))
    };
    inbox_rows::post(tx, ctx, account, &row).map(drop)
}
