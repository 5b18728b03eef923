//! Alarms that are due: they ring, wait for Focus Mode, or were missed.

use crate::alarm::{Alarm, Outcome, Situation, State};
use crate::ringer::Ringer;
use crate::settings::{alarmsEnabled, alarmsMaxRingingMinutes, alarmsPierceFocusMode};
use crate::{inbox_kinds, rows};
use events::{Event, HasEvents};
use inbox_rows::NewRow;
use jiff::tz::TimeZone;
use kit::lookup::FocusNow;
use kit::{Ctx, Result, TimerKind};
use notify::{Behavior, Focus, Subject, Through, decide};
use store::{HasDb, Tx};
use when::occurrence::{local, zone};

/// The timers of alarms, by the alarm's id.
pub(crate) const DUE: &str = "alarms.due";

pub(crate) fn timers() -> TimerKind {
    schedule::prepared_timers(DUE, "couldn't ring an alarm", |ctx, timer| {
        Box::pin(async move {
            let situation = situation(&ctx, &timer.account).await?;
            Ok(schedule::effect(move |tx| step(tx, &ctx, &timer.account, &timer.key, &situation)))
        })
    })
}

/// What decides about alarms that are due now.
pub(crate) async fn situation(ctx: &Ctx, account: &str) -> Result<Situation> {
    let focus_until_ms = match ctx.find_service::<FocusNow>() {
        Some(focus) => focus.0.until_ms(ctx.clone(), account).await?,
        None => None,
    };
    let now = notify::Situation {
        behavior: Behavior::Always,
        focus: focus_until_ms.map(|until_ms| Focus { until_ms, through: Through::Nothing }),
        quiet_until_ms: None,
        is_in_front: false,
        shows_notices: true,
        is_do_not_disturb: false,
    };
    let subject = Subject::Alarm { pierces_focus: ctx.setting(account, &alarmsPierceFocusMode) };
    Ok(Situation {
        now_ms: ctx.now_ms(),
        enabled: ctx.setting(account, &alarmsEnabled),
        decision: decide(&subject, &now).0,
        ringing_ms: ctx.setting(account, &alarmsMaxRingingMinutes) * 60_000,
    })
}

fn step(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, id: &str, situation: &Situation) -> Result<()> {
    let Some(mut alarm) = rows::find(tx, account, id)? else { return Ok(()) };
    let outcome = alarm.step(situation);
    settle(tx, ctx, account, &alarm, outcome)
}

/// Stores an alarm after something became of it, and has it heard or not.
pub(crate) fn settle(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, alarm: &Alarm, outcome: Outcome) -> Result<()> {
    rows::store(tx, ctx, account, alarm)?;
    if let Outcome::Missed { due_ms } = outcome {
        post_missed(tx, ctx, account, alarm, due_ms)?;
    }
    let (ctx, account, alarm) = (ctx.clone(), account.to_owned(), alarm.clone());
    tx.after_commit(move || {
        let ringer = ctx.service::<Ringer>();
        match (outcome, alarm.state) {
            (Outcome::Rings, _) => ringer.start(&ctx, &account, &alarm),
            (_, State::Ringing) => {}
            _ => ringer.stop(&alarm.id),
        }
    });
    Ok(())
}

fn post_missed(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, alarm: &Alarm, due_ms: i64) -> Result<()> {
    let key = format!("alarm:{}", alarm.id);
    let zone_name = &alarm.occurrence.zone;
    let due = local(due_ms, &zone(zone_name).unwrap_or(TimeZone::UTC));
    let title = format!("Missed alarm: {}", alarm.name());
    let body = format!("It was due on {} at {} ({zone_name}).", due.date(), due.strftime("%H:%M"));
    let row = NewRow {
        key: Some(&key),
        body: &body,
        link: Some("/app/alarms"),
        ..NewRow::new(&inbox_kinds::MISSED, &title, events::Actor::program(None))
    };
    inbox_rows::post(tx, ctx, account, &row).map(drop)
}

/// Follows Focus Mode and the switch of alarms while the program runs.
pub(crate) fn follow(ctx: &Ctx) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    let changed = ctx.events().waker(|event| match event {
        Event::SettingChanged { key, .. } => [alarmsEnabled.spec.key, alarmsPierceFocusMode.spec.key].contains(key),
        Event::FocusChanged => true,
        _ => false,
    });
    let ctx = ctx.clone();
    runtime.spawn(async move {
        loop {
            changed.notified().await;
            if let Err(error) = review(&ctx).await {
                if error.is(&store::PROGRAM_ENDING) {
                    return;
                }
                tracing::warn!(error = ?error, "couldn't review active alarms");
            }
        }
    });
}

/// Decides again about alarms that aren't idle.
pub(crate) async fn review(ctx: &Ctx) -> Result<()> {
    let active = ctx.db().read(rows::active).await?;
    for (account, id) in active {
        let (again, situation) = (ctx.clone(), situation(ctx, &account).await?);
        ctx.db().write(move |tx| review_one(tx, &again, &account, &id, &situation)).await?;
    }
    Ok(())
}

fn review_one(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, id: &str, situation: &Situation) -> Result<()> {
    let Some(mut alarm) = rows::find(tx, account, id)? else { return Ok(()) };
    let outcome = match alarm.state {
        _ if !situation.enabled => {
            alarm.rest();
            Outcome::Quiet
        }
        // What held it may be over.
        State::Held => {
            alarm.until_ms = situation.now_ms;
            alarm.step(situation)
        }
        State::Idle | State::Ringing | State::Snoozed => return Ok(()),
    };
    settle(tx, ctx, account, &alarm, outcome)
}
