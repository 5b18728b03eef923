//! The inbox: one list of everything that needs your attention, and the alerts that agents and scripts add to it.
//!
//! Invariants: a row stays until a user dismisses it or its cause is resolved; only users mark rows as read and dismiss
//! them; dismissed rows can be restored for 30 days. A snoozed row comes back once, at its time, unless it's over by then.
//! Deliberately not here: rows of other features, which is `crates/inbox-rows`, and answers to sessions' requests,
//! which belong to the sessions.

mod alert;
mod attachment;
mod bulk;
pub mod errors;
mod fault;
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
            ctx.provide(Arc::new(kit::lookup::RowSnoozes(Box::new(snooze::Snoozes(ctx.clone())))));
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

#[cfg(test)]
mod tests;
