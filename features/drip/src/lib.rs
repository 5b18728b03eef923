//! Drip: queues of items, each of which releases one item into the inbox at a time.
//!
//! Invariants: a tick releases at most one item, the first that waits, once across crashes; ticks pass while drips are paused
//! or off, and nothing is made up for; what was due while the program was closed is one tick.
//! Deliberately not here: the frame that shows HTML, which is the page's.

mod inbox_kinds;
mod items;
mod ops;
mod queue;
mod rows;
mod settings;
mod tick;

use kit::{Feature, Job, Migration};
use std::time::Duration;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        migrations: &[Migration { number: 1, sql: include_str!("../migrations/001_drip.sql") }],
        errors: &[errors::CODES],
        inbox_kinds: inbox_kinds::ALL,
        ops: [ops::ops(), items::ops()].concat(),
        groups: &[
            ("drip", "Queues that release items into the inbox one at a time"),
            ("drip items", "Items of a drip queue"),
        ],
        timers: vec![tick::timers()],
        jobs: vec![Job::every(
            Duration::from_secs(24 * 60 * 60),
            "drip.deleted",
            "couldn't remove drip queues deleted long ago",
            |ctx| Box::pin(rows::sweep(ctx)),
        )],
        ..Feature::named("drip")
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        DRIP_DISABLED = 403 "drip-disabled" "Drip is off" : "The setting dripEnabled is off. Turn it on to use queues.";
        DRIP_EMPTY = 409 "drip-empty" "Nothing to release" : "No item of the queue waits. Add one first.";
        DRIP_RELEASED = 409 "drip-released" "Item was released" : "A released item is in the inbox and can't be changed. Add another one.";
    }
}

#[cfg(test)]
mod tests;
