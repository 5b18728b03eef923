//! When something is due: jobs that repeat by a rule, and timers, which are rows.
//!
//! Invariants: a timer is set and canceled in the transaction of what it belongs to, and deleted in the transaction of its
//! effect, so that the effect happens exactly once, across crashes. A run of a calendar happens once: not again after a
//! restart or with a clock that was set back. Nothing runs between two due times, except for a look at the clock each minute.
//! Deliberately not here: what is done at those times, which features declare (`Feature.jobs`, `Feature.timers`), and a limit
//! of timers: what they belong to has one.

mod clock_watch;
mod jobs;
mod rule;
mod runner;
mod timers;

pub use jobs::STORED_FROM;
pub use rule::{check, instant_ms, next_after};
pub use runner::{Failing, Schedule};
pub use timers::{BATCH, Effect, PAYLOAD_BYTES_MAX, Timer, cancel, due_of, effect, prepared_timers, set, timers};

use kit::{Ctx, Migration};
use std::sync::Arc;

/// The name that the tables are migrated under.
pub const NAME: &str = "schedule";
/// The tables, which belong to no feature.
pub const MIGRATIONS: &[Migration] = &[Migration { number: 1, sql: include_str!("../migrations/001_schedule.sql") }];

/// The first wait after a failure; it doubles with each further one.
const RETRY_FIRST_MS: i64 = 1_000;
/// The longest wait after a failure.
const RETRY_MAX_MS: i64 = 3_600_000;

/// How long to wait after so many failures in a row.
fn retry_gap_ms(attempts: i64) -> i64 {
    let doublings = attempts.clamp(1, 30) - 1;
    (RETRY_FIRST_MS << doublings).min(RETRY_MAX_MS)
}

/// Adds the schedule to the context.
pub trait HasSchedule {
    /// The program's schedule.
    fn schedule(&self) -> Arc<Schedule>;
}

impl HasSchedule for Ctx {
    fn schedule(&self) -> Arc<Schedule> {
        self.service()
    }
}
