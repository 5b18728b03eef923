//! Scheduled messages: Markdown notes that reach the inbox, a session, or a new session, once or again and again.
//!
//! Invariants: a message is sent once for each of its times, across crashes and changes of clocks; what was due while the
//! program was closed is sent once, late; what an agent scheduled is sent only after you approved it.
//! Deliberately not here: starting sessions and sending to them, which sessions do (`kit::lookup::ScheduledWork`), and the words
//! for times, which are `crates/when`.

mod deliver;
mod due;
mod inbox_kinds;
mod message;
mod ops;
mod record;
mod rows;
mod settings;

use kit::{Feature, Job, Migration};
use std::time::Duration;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        migrations: &[Migration { number: 1, sql: include_str!("../migrations/001_messages.sql") }],
        errors: &[errors::CODES],
        inbox_kinds: inbox_kinds::ALL,
        ops: ops::ops(),
        groups: &[("messages", "Scheduled messages: once or on days of the week")],
        timers: vec![due::timers(), deliver::timers()],
        jobs: vec![Job::every(
            Duration::from_secs(24 * 60 * 60),
            "scheduled-messages.deleted",
            "couldn't remove messages deleted long ago",
            |ctx| Box::pin(rows::sweep(ctx)),
        )],
        ..Feature::named("scheduled-messages")
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        MESSAGES_DISABLED = 403 "scheduled-messages-disabled" "Scheduled messages are off" : "The setting scheduledMessagesEnabled is off. Turn it on to use scheduled messages.";
        MESSAGE_NOT_UNDERSTOOD = 422 "scheduled-time-not-understood" "Time not understood" : "The text has no time, or words that aren't understood. Rephrase it, or use `time` with `date` or `days`, and `timeZone`.";
        MESSAGE_NOT_WAITING = 409 "scheduled-message-not-waiting" "No approval needed" : "Only a message that waits for your approval can be approved or denied.";
    }
}

#[cfg(test)]
mod tests;
