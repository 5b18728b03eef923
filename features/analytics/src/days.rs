//! Days in the computer's time zone.

use jiff::ToSpan;
use jiff::civil::Date;

pub(crate) use kit::clock::day_of;

/// The day some days earlier.
pub(crate) fn before(day: Date, days: i64) -> Date {
    day.saturating_sub(days.days())
}
