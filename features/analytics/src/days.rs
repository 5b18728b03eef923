//! Days in the computer's time zone.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use kit::Ctx;
use kit::clock::HomeZone;

/// The computer's time zone.
pub(crate) fn zone(ctx: &Ctx) -> TimeZone {
    let name = ctx.find_service::<HomeZone>();
    name.and_then(|home| TimeZone::get(&home.0).ok()).unwrap_or(TimeZone::UTC)
}

/// The day of an instant.
pub(crate) fn day_of(ms: i64, zone: &TimeZone) -> Date {
    Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX).to_zoned(zone.clone()).date()
}

/// The day some days earlier.
pub(crate) fn before(day: Date, days: i64) -> Date {
    day.saturating_sub(days.days())
}
