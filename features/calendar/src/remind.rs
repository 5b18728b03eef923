//! Reminders: once for each occurrence, before its start.

use crate::find::{Mine, own_addresses};
use crate::record::{Status, is_declined, reminder_minutes, status};
use crate::rows::{self, DELETE, Stored};
use crate::settings::{Delivery, calendarEnabled, calendarNotificationDelivery, calendarReminderMinutes};
use events::{Actor, Event, HasEvents};
use ical::{Occurrence, Resource};
use inbox_rows::NewRow;
use jiff::Timestamp;
use kit::clock::DAY_MS;
use kit::lookup::Notices;
use kit::{Catalog, Ctx, Result, TimerKind, rfc3339};
use schedule::{HasSchedule, Timer};
use std::collections::HashSet;
use store::{HasDb, Tx, params};

/// The timers of reminders, by event.
const DUE: &str = "calendar.reminder";
/// The kind of the inbox rows, which the inbox declares.
pub(crate) const INBOX_KIND: &str = "calendar";
/// How far ahead the next occurrence is searched for; a series is looked at again then.
const AHEAD_MS: i64 = 400 * DAY_MS;
/// How late a reminder may be, as after the computer slept.
const LATE_MS: i64 = 5 * 60_000;
/// Occurrences that are looked at for the next reminder.
const LOOKS_MAX: usize = 1_000;
/// The longest time before the start: 4 weeks.
const BEFORE_MAX: i64 = 28 * 24 * 60;

pub(crate) fn timers() -> TimerKind {
    schedule::prepared_timers(DUE, "couldn't send a calendar reminder", |ctx, timer| {
        Box::pin(async move {
            let own = own_addresses(&ctx, &timer.account).await?;
            Ok(schedule::effect(move |tx| fire(tx, &ctx, &timer.account, &timer.key, own)))
        })
    })
}

/// Sets the timer of an event's next reminder.
pub(crate) fn set(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, stored: &Stored) -> Result<()> {
    let now_ms = ctx.now_ms();
    let resource = stored.resource()?;
    let due_ms = if stored.pending == DELETE || !ctx.setting(account, &calendarEnabled) {
        None
    } else {
        let open = open(tx, ctx, account, stored, &resource, &[])?;
        let next = open.iter().map(|one| one.due_ms.max(now_ms)).min();
        let goes_on = resource.bounds().is_some_and(|(_, last_ms)| last_ms > now_ms + AHEAD_MS);
        next.or_else(|| goes_on.then_some(now_ms + AHEAD_MS - DAY_MS))
    };
    match due_ms {
        Some(due_ms) => {
            let (account, key, payload) = (account.to_owned(), stored.id.clone(), String::new());
            schedule::set(tx, &ctx.schedule(), &Timer { account, kind: DUE, key, due_ms, payload })
        }
        None => cancel(tx, account, &stored.id),
    }
}

/// Cancels the reminders of an event.
pub(crate) fn cancel(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<()> {
    schedule::cancel(tx, account, DUE, id).map(drop)
}

/// An occurrence whose reminder wasn't sent.
struct Open {
    occurrence: Occurrence,
    due_ms: i64,
    minutes: i64,
}

/// The next occurrences whose reminder wasn't sent.
fn open(
    tx: &mut Tx<'_>,
    ctx: &Ctx,
    account: &str,
    stored: &Stored,
    resource: &Resource,
    mine: &[String],
) -> Result<Vec<Open>> {
    let (now_ms, viewer) = (ctx.now_ms(), ctx.home_zone());
    let usual = ctx.setting(account, &calendarReminderMinutes);
    let sql = "SELECT start_ms FROM calendar_reminded WHERE account_id = $1 AND event_id = $2";
    let sent: HashSet<i64> = tx.query(sql, params![account, &stored.id], |row| row.get(0))?.into_iter().collect();
    let found = resource.expand(now_ms - LATE_MS, now_ms + AHEAD_MS, &viewer, LOOKS_MAX);
    let open = found.occurrences.into_iter().filter_map(|occurrence| {
        let event = resource.event(occurrence.component);
        let start_ms = occurrence.span.start_ms;
        let is_off = status(event) == Status::Canceled || is_declined(event, mine);
        if is_off || start_ms + LATE_MS < now_ms || sent.contains(&start_ms) {
            return None;
        }
        let minutes = reminder_minutes(event).unwrap_or(usual).clamp(0, BEFORE_MAX);
        Some(Open { due_ms: start_ms - minutes * 60_000, occurrence, minutes })
    });
    Ok(open.collect())
}

fn fire(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, id: &str, own: Vec<String>) -> Result<()> {
    let now_ms = ctx.now_ms();
    if !ctx.setting(account, &calendarEnabled) {
        return Ok(());
    }
    let Some(stored) = rows::any_event(tx, account, id)?.filter(|stored| stored.pending != DELETE) else {
        return Ok(());
    };
    let calendar = rows::any_calendar(tx, account, &stored.calendar_id)?;
    let mine = Mine::stored(tx, account, own)?;
    let resource = stored.resource()?;
    let due = open(tx, ctx, account, &stored, &resource, mine.of(&calendar.id))?;
    for one in due.iter().filter(|one| one.due_ms <= now_ms) {
        let sql = "INSERT INTO calendar_reminded (account_id, event_id, start_ms) VALUES ($1, $2, $3)";
        tx.execute(sql, params![account, id, one.occurrence.span.start_ms])?;
        if calendar.deleted_ms == 0 && calendar.is_shown {
            send(tx, ctx, account, &stored, &resource, one)?;
        }
    }
    // Declined ones have no reminder, and would be found again at once.
    let later = due.iter().filter(|one| one.due_ms > now_ms).map(|one| one.due_ms).min();
    let goes_on = resource.bounds().is_some_and(|(_, last_ms)| last_ms > now_ms + AHEAD_MS);
    let Some(due_ms) = later.or_else(|| goes_on.then_some(now_ms + AHEAD_MS - DAY_MS)) else { return Ok(()) };
    let (account, key, payload) = (account.to_owned(), id.to_owned(), String::new());
    schedule::set(tx, &ctx.schedule(), &Timer { account, kind: DUE, key, due_ms, payload })
}

fn send(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, stored: &Stored, resource: &Resource, one: &Open) -> Result<()> {
    let event = resource.event(one.occurrence.component);
    let start_ms = one.occurrence.span.start_ms;
    let title = Some(event.text("SUMMARY")).filter(|title| !title.trim().is_empty()).unwrap_or_else(|| "Event".into());
    let title: String = title.chars().take(200).collect();
    let left = (start_ms - ctx.now_ms() + 59_999).div_euclid(60_000);
    let when = match left.min(one.minutes.max(left)) {
        ..=0 => "Starts now".to_owned(),
        1 => "Starts in 1 minute".to_owned(),
        minutes @ 2..=120 => format!("Starts in {minutes} minutes"),
        _ => format!("Starts {}", local(ctx, start_ms, "%Y-%m-%d %H:%M")),
    };
    let place: String = event.text("LOCATION").chars().take(200).collect();
    let at = if one.occurrence.span.days.is_some() { "all day".to_owned() } else { local(ctx, start_ms, "%H:%M") };
    let body = if place.is_empty() { format!("{when}, {at}") } else { format!("{when}, {at}, {place}") };
    let link = format!("/app/calendar?event={}&at={}", stored.id, rfc3339(start_ms));
    let delivery = ctx.setting(account, &calendarNotificationDelivery);
    if delivery == Delivery::Toast {
        let (ctx, account) = (ctx.clone(), account.to_owned());
        tx.after_commit(move || show(ctx, account, title, body, link));
        return Ok(());
    }
    let Some(kind) = ctx.find_service::<Catalog>().and_then(|catalog| catalog.inbox_kind(INBOX_KIND)) else {
        return Ok(());
    };
    let key = format!("calendar:{}:{start_ms}", stored.id);
    let row = NewRow {
        key: Some(&key),
        body: &body,
        link: Some(&link),
        is_silent: delivery == Delivery::Inbox,
        ..NewRow::new(kind, &title, Actor::program(None))
    };
    inbox_rows::post(tx, ctx, account, &row).map(drop)
}

/// A time in the computer's time zone.
pub(crate) fn local(ctx: &Ctx, ms: i64, format: &str) -> String {
    let at = Timestamp::from_millisecond(ms).unwrap_or_default();
    at.to_zoned(ctx.home_zone()).strftime(format).to_string()
}

/// Shows a notification that has no inbox row.
fn show(ctx: Ctx, account: String, title: String, body: String, link: String) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    let Some(notices) = ctx.find_service::<Notices>() else { return };
    runtime.spawn(async move {
        if let Err(error) = notices.0.show(ctx, &account, &title, &body, &link).await {
            tracing::warn!(error = ?error, "couldn't show a calendar reminder");
        }
    });
}

/// Sets all reminders again when a setting changes.
pub(crate) fn follow(ctx: &Ctx) {
    let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
    let changed = ctx.events().waker(|event| {
        let keys = [calendarEnabled.spec.key, calendarReminderMinutes.spec.key];
        matches!(event, Event::SettingChanged { key, .. } if keys.contains(key))
    });
    let ctx = ctx.clone();
    runtime.spawn(async move {
        loop {
            changed.notified().await;
            if let Err(error) = set_all(&ctx).await {
                if error.is(&store::PROGRAM_ENDING) {
                    return;
                }
                tracing::warn!(error = ?error, "couldn't set calendar reminders");
            }
        }
    });
}

/// Sets the reminders of all accounts again, and looks at servers.
pub(crate) async fn set_all(ctx: &Ctx) -> Result<()> {
    let now_ms = ctx.now_ms();
    for account in ctx.db().read(rows::accounts).await? {
        let (again, of) = (ctx.clone(), account.clone());
        let write = move |tx: &mut Tx<'_>| {
            let events = rows::events_between(tx, &of, now_ms - DAY_MS, now_ms + AHEAD_MS)?;
            events.iter().try_for_each(|event| set(tx, &again, &of, event))
        };
        ctx.db().write(write).await?;
    }
    ctx.schedule().run_soon(ctx, crate::errors::SYNC, std::time::Duration::ZERO);
    Ok(())
}
