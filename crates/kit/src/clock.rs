//! The time, as a service that tests control.

use std::sync::atomic::{AtomicI64, Ordering};

/// A source of the current time.
pub trait Clock: Send + Sync {
    /// Milliseconds since 1970 in UTC.
    fn now_ms(&self) -> i64;
}

/// The computer's time zone; provided by the app. Default: UTC.
pub struct HomeZone(pub String);

impl HomeZone {
    /// The operating system's time zone, or UTC if that has no name.
    pub fn of_system() -> Self {
        HomeZone(jiff::tz::TimeZone::system().iana_name().unwrap_or("UTC").to_owned())
    }
}

/// The computer's clock.
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        jiff::Timestamp::now().as_millisecond()
    }
}

/// A clock that moves only when advanced.
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// Starts at this instant.
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

/// An instant as in the API: RFC 3339 in UTC with milliseconds.
pub fn rfc3339(ms: i64) -> String {
    match jiff::Timestamp::from_millisecond(ms) {
        Ok(t) => format!("{t:.3}"),
        Err(_) => "9999-12-31T23:59:59.999Z".to_owned(),
    }
}

/// The instant of a text as in the API, in milliseconds since 1970.
pub fn instant_ms(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>().ok().map(|at| at.as_millisecond())
}

/// The day of an instant in a time zone.
pub fn day_of(ms: i64, zone: &jiff::tz::TimeZone) -> jiff::civil::Date {
    jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::MAX).to_zoned(zone.clone()).date()
}

/// Milliseconds of a day.
pub const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// A day, counted from 1970-01-01, as in the API: `2026-03-01`.
pub fn date(day: i64) -> String {
    rfc3339(day.saturating_mul(DAY_MS))[..10].to_owned()
}
