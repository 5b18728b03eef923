//! The inbox: one list of everything that needs your attention, and the alerts that agents and scripts add to it.
//!
//! Invariants: a row stays until a user dismisses it or its cause is resolved; only users mark rows as read and dismiss
//! them; dismissed rows can be restored for 30 days. A snoozed row comes back once, at its time, unless it's over by then.
//! Deliberately not here: rows of other features, which is `crates/inbox-rows`, and answers to sessions' requests,
//! which belong to the sessions.

mod alert;
mod attachment;
mod bulk;
mod kinds;
mod list;
mod rows;
mod settings;
mod settle;
mod snooze;
mod start_hub;
mod watch;

pub use settings::agentAlertsEnabled;

use kit::{Feature, Job};
use std::sync::Arc;
use std::time::Duration;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        migrations: inbox_rows::MIGRATIONS,
        errors: &[errors::CODES],
        faults: &[fault::FAULTS],
        inbox_kinds: kinds::ALL,
        ops: [
            vec![alert::op(), settle::op(), watch::op(), start_hub::op()],
            list::ops(),
            rows::ops(),
            snooze::ops(),
            bulk::ops(),
        ]
        .concat(),
        groups: &[("inbox", "Alerts, requests, and events that need your attention")],
        start: |ctx| {
            ctx.provide(Arc::new(alert::Allowances::default()));
            Box::pin(async { Ok(()) })
        },
        jobs: vec![Job::every(
            Duration::from_secs(24 * 60 * 60),
            "inbox.old-rows",
            "couldn't remove old inbox rows",
            |ctx| Box::pin(rows::sweep(ctx)),
        )],
        timers: snooze::timers(),
        ..Feature::named("inbox")
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        ALERTS_DISABLED = 403 "alerts-disabled" "Alerts are off" : "The setting agentAlertsEnabled is off. Turn it on to let agents and scripts add alerts.";
        NOT_AN_ALERT = 409 "not-an-alert" "Not an alert" : "Only alerts of agents and scripts can be settled. Answer a request, or dismiss the row.";
        NOT_OPEN = 409 "not-open" "Row not open" : "The row was dismissed or settled. Restore a dismissed row first.";
        WAITED_FOR = 409 "waited-for" "Answer required" : "A session is waiting for your answer to this row. Answer it, or stop the session.";
    }
}

/// Errors in single inputs of this feature, in addition to those of `kit::fault`.
mod fault {
    kit::faults! {
        NOT_A_TIME = "not-a-time" : "Enter a time, such as `in 2 hours`, `tomorrow 9am`, or an RFC 3339 time.";
        NOT_A_LINK = "not-a-link" : "Enter a page path (`/app/…`) or a web address (`https://…`).";
    }
}

#[cfg(test)]
mod tests;
