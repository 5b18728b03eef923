//! The calendar: calendars of your own, of CalDAV servers, and subscriptions; events and series; reminders and the day's agenda.
//!
//! Invariants: what you change is stored before it's sent, and nothing is lost if the server has a newer version; a reminder is sent
//! once for each occurrence; off means that no server is asked; a password goes to its own server only, and is in no answer.
//! Deliberately not here: what iCalendar texts mean, which is `crates/ical`, and dates of boards, which `kit::lookup` reads.

mod accounts;
mod agenda;
mod calendars;
mod conflicts;
mod dav;
mod errors;
mod events;
mod find;
mod overlay;
mod record;
mod remind;
mod rows;
mod service;
mod settings;
mod subscriptions;
mod sync;
mod transfer;
mod xml;

pub use service::{Calendars, TIME_MAX};

use kit::job::{Missed, Rule, Time};
use kit::lookup::CalendarEvents;
use kit::{Feature, Job, Migration};
use std::sync::Arc;
use std::time::Duration;

/// Time between looks at servers.
const SYNC_EVERY: Duration = Duration::from_secs(5 * 60);
/// Time between removals of what was deleted long ago.
const SWEEP: Duration = Duration::from_secs(24 * 60 * 60);

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        migrations: &[Migration { number: 1, sql: include_str!("../migrations/001_calendar.sql") }],
        errors: &[errors::CODES],
        ops: [
            calendars::ops(),
            accounts::ops(),
            subscriptions::ops(),
            transfer::ops(),
            events::ops(),
            agenda::ops(),
            conflicts::ops(),
        ]
        .concat(),
        groups: &[
            (
                "calendar",
                "Calendars, events, agenda, and free time. Off by default; turn it on with `pilothouse settings set calendarEnabled on`",
            ),
            ("calendar calendars", "Calendars, and their import and export"),
            ("calendar accounts", "Accounts at CalDAV servers"),
            ("calendar subscriptions", "Calendars from .ics addresses"),
            ("calendar events", "Events and series"),
            ("calendar conflicts", "Your event versions that a newer one from the server replaced"),
        ],
        start: |ctx| {
            service::start(&ctx);
            ctx.provide(Arc::new(CalendarEvents(Box::new(agenda::DayEvents))));
            remind::follow(&ctx);
            Box::pin(std::future::ready(Ok(())))
        },
        jobs: vec![
            Job::every(SYNC_EVERY, errors::SYNC, "couldn't sync calendars", |ctx| Box::pin(sync::all(ctx))),
            Job::every(SWEEP, "calendar.deleted", "couldn't remove deleted events", |ctx| Box::pin(rows::sweep(ctx))),
            Job {
                name: "calendar.agenda",
                what: "couldn't post the day's agenda",
                rule: Rule::Daily(Time::constant(7, 0, 0, 0)),
                missed: Missed::RunOnce,
                run: |ctx| Box::pin(agenda::post_all(ctx)),
            },
        ],
        timers: vec![remind::timers()],
        ..Feature::named("calendar")
    }
}

#[cfg(test)]
mod tests;
