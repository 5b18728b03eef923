//! Time is handed in, so that tests turn it by hand.

use std::sync::atomic::{AtomicI64, Ordering};

/// Where the program reads the time.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970 in UTC.
    fn now_ms(&self) -> i64;
}

/// The name of the time zone that the machine stands in; provided by the app. Without it UTC is meant.
pub struct HomeZone(pub String);

impl HomeZone {
    /// What the operating system says, or UTC where that has no name.
    pub fn of_system() -> Self {
        HomeZone(jiff::tz::TimeZone::system().iana_name().unwrap_or("UTC").to_owned())
    }
}

/// The machine's clock.
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        jiff::Timestamp::now().as_millisecond()
    }
}

/// A clock that only moves when told.
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// Stands at this instant.
    pub fn at(now_ms: i64) -> Self {
        FixedClock(AtomicI64::new(now_ms))
    }
    /// Moves forward.
    pub fn advance_ms(&self, ms: i64) {
        self.0.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Clock for FixedClock {
    fn now_ms(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

/// An instant as the interface writes it: RFC 3339 in UTC with milliseconds.
pub fn rfc3339(ms: i64) -> String {
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(t) => format!("{t:.3}"),
        Err(_) => "9999-12-31T23:59:59.999Z".to_owned(),
    }
}

/// Milliseconds of a day.
pub const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A day, counted from 1970-01-01, as the interface writes it: `2026-03-01`.
pub fn date(day: i64) -> String {
    rfc3339(day.saturating_mul(DAY_MS))[..10].to_owned()
}
