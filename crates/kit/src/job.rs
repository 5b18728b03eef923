//! What a feature does at certain times: jobs by a rule, and timers. `crates/schedule` runs both.

use crate::ctx::Ctx;
use crate::error::Result;
use futures_core::future::BoxFuture;
pub use jiff::civil::{Time, Weekday};
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

/// When something repeats. Times of day are in a time zone that whoever asks names.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// Again this long after the last run began. The first run is at once.
    Every(Duration),
    /// Each day at a time.
    Daily(Time),
    /// On these days of the week at a time.
    Weekly(Vec<Weekday>, Time),
    /// A cron pattern of five fields: minute, hour, day of the month, month, day of the week.
    Cron(String),
}

/// What becomes of a run whose time passed while the program or the computer was off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missed {
    /// One late run, however many were missed.
    RunOnce,
    /// None; the next is at its own time.
    Skip,
}

/// Repeated work of a feature while the program runs, in the computer's time zone. Starts once all features have started.
#[derive(Clone)]
pub struct Job {
    /// `feature.job`; never changed once released, because the last run is stored under it.
    pub name: &'static str,
    /// The message to log when it fails.
    pub what: &'static str,
    /// When it runs.
    pub rule: Rule,
    /// What becomes of missed runs.
    pub missed: Missed,
    /// Runs it once.
    pub run: fn(Ctx) -> BoxFuture<'static, Result<()>>,
}

impl Job {
    /// A job that repeats at an interval.
    pub fn every(
        interval: Duration,
        name: &'static str,
        what: &'static str,
        run: fn(Ctx) -> BoxFuture<'static, Result<()>>,
    ) -> Job {
        Job { name, what, rule: Rule::Every(interval), missed: Missed::RunOnce, run }
    }
}

/// What a feature does when others report something, in a transaction of its own. Made by `reactions::reaction`.
#[derive(Clone)]
pub struct Reaction {
    /// Names of the events that concern it.
    pub events: &'static [&'static str],
    /// A reported event waits as a timer that is due at once, so that a crash loses and repeats none.
    pub timer: TimerKind,
}

/// A kind of timers, made by `schedule::timers` or `schedule::prepared_timers`.
#[derive(Clone)]
pub struct TimerKind {
    /// `feature.kind`; never changed once released, because pending timers are stored under it.
    pub name: &'static str,
    /// The message to log when one fails.
    pub what: &'static str,
    /// Its handler. The type is the schedule's own, because this crate knows no SQL.
    pub handler: Arc<dyn Any + Send + Sync>,
}
