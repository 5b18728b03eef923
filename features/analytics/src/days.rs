//! Days in the computer's time zone.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// The day of an instant.
pub(crate) fn day_of(ms: i64, zone: &TimeZone) -> Date {
    Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX).to_zoned(zone.clone()).date()
}

/// The day some days earlier.
pub(crate) fn before(day: Date, days: i64) -> Date {
    day.saturating_sub(days.days())
}
