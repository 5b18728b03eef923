//! When digests are due. Pure.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::Deserialize;

/// What a digest is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "DigestKind")]
#[serde(rename_all = "camelCase")]
pub(crate) enum Kind {
    /// The day's sessions.
    Daily,
    /// The week's sessions.
    Weekly,
    /// Archived sessions.
    Archive,
}

impl Kind {
    /// As stored and sent.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Kind::Daily => "daily",
            Kind::Weekly => "weekly",
            Kind::Archive => "archive",
        }
    }

    /// As shown.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Kind::Daily => "Daily briefing",
            Kind::Weekly => "Weekly summary",
            Kind::Archive => "Archive digest",
        }
    }
}

/// How often.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rhythm {
    Days,
    Weeks,
}

/// The day whose digest is due at an instant, if it's past the hour on that day, and when it was due. A digest of a week is due on its Monday only,
/// unless it's `late`: paused by its limit before.
pub(crate) fn due(now_ms: i64, zone: &TimeZone, rhythm: Rhythm, hour: i8, late: bool) -> Option<(Date, i64)> {
    let now = Timestamp::from_millisecond(now_ms).ok()?.to_zoned(zone.clone());
    let today = now.date();
    let day = match rhythm {
        Rhythm::Days => today,
        Rhythm::Weeks => {
            let monday = today.saturating_sub(i64::from(today.weekday().to_monday_zero_offset()).days());
            if today.weekday() != Weekday::Monday && !late {
                return None;
            }
            monday
        }
    };
    // A time that a change of clocks leaves out is the end of the gap.
    let from = day.at(hour, 0, 0, 0).to_zoned(zone.clone()).ok()?;
    (now >= from).then(|| (day, from.timestamp().as_millisecond()))
}

/// The start of a period that ends at an instant, in milliseconds since 1970.
pub(crate) fn start_ms(end_ms: i64, zone: &TimeZone, rhythm: Rhythm) -> i64 {
    match rhythm {
        Rhythm::Days => end_ms - kit::clock::DAY_MS,
        Rhythm::Weeks => {
            let end = Timestamp::from_millisecond(end_ms).unwrap_or_default().to_zoned(zone.clone());
            end.saturating_sub(1.week()).timestamp().as_millisecond()
        }
    }
}
