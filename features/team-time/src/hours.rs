//! Working hours in a time zone, as spans of real time. Nothing else.
//!
//! A local time that doesn't exist, because clocks move forward, is the next one that does; one that happens twice is
//! the first.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::Serialize;

/// Minutes of a day.
pub(crate) const DAY_MIN: i64 = 24 * 60;
/// How far ahead a change of the status is looked for: a week with one working day, and what overlaps it.
const AHEAD_DAYS: i64 = 9;

/// Weekly working hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hours {
    /// A bit for each weekday, Monday first.
    pub(crate) days: u8,
    /// Minutes since midnight.
    pub(crate) start_min: i64,
    /// Minutes since midnight; at or before the start if work ends the next day.
    pub(crate) end_min: i64,
}

impl Default for Hours {
    fn default() -> Hours {
        Hours { days: 0b001_1111, start_min: 9 * 60, end_min: 17 * 60 }
    }
}

/// Whether somebody works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[schemars(rename = "TeamStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) enum Status {
    /// Within working hours.
    Working,
    /// Outside them on a working day.
    Outside,
    /// On a day without working hours.
    DayOff,
}

impl Hours {
    pub(crate) fn has_day(&self, day: Weekday) -> bool {
        self.days >> day.to_monday_zero_offset() & 1 == 1
    }

    /// The working hours that begin on a local date.
    pub(crate) fn on(&self, zone: &TimeZone, date: Date) -> Option<(Timestamp, Timestamp)> {
        if !self.has_day(date.weekday()) {
            return None;
        }
        let last = if self.end_min > self.start_min { date } else { date.tomorrow().ok()? };
        Some((instant(zone, date, self.start_min)?, instant(zone, last, self.end_min)?))
    }

    /// The span that `at` is in.
    pub(crate) fn around(&self, zone: &TimeZone, at: Timestamp) -> Option<(Timestamp, Timestamp)> {
        let today = at.to_zoned(zone.clone()).date();
        let days = [today.yesterday().ok(), Some(today)].into_iter().flatten();
        days.filter_map(|date| self.on(zone, date)).find(|(start, end)| *start <= at && at < *end)
    }

    pub(crate) fn status(&self, zone: &TimeZone, at: Timestamp) -> Status {
        if self.around(zone, at).is_some() {
            return Status::Working;
        }
        let today = at.to_zoned(zone.clone()).date();
        if self.has_day(today.weekday()) { Status::Outside } else { Status::DayOff }
    }

    /// When work ends, or begins next.
    pub(crate) fn changes(&self, zone: &TimeZone, at: Timestamp) -> Option<Timestamp> {
        if let Some((_, end)) = self.around(zone, at) {
            return Some(end);
        }
        let today = at.to_zoned(zone.clone()).date();
        let days = (0..AHEAD_DAYS).filter_map(|ahead| today.checked_add(ahead.days()).ok());
        days.filter_map(|date| self.on(zone, date)).map(|(start, _)| start).find(|start| *start > at)
    }
}

/// A local time of a date.
pub(crate) fn instant(zone: &TimeZone, date: Date, minutes: i64) -> Option<Timestamp> {
    let time = date.at(0, 0, 0, 0).checked_add(minutes.minutes()).ok()?;
    time.to_zoned(zone.clone()).ok().map(|zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(name: &str) -> TimeZone {
        TimeZone::get(name).unwrap()
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn hours_follow_the_clocks_of_their_zone() {
        let (hours, berlin) = (Hours::default(), zone("Europe/Berlin"));
        // The Friday before and the Monday after clocks move forward on 29 March 2026.
        for (instant, status) in [
            ("2026-03-27T07:59:59Z", Status::Outside),
            ("2026-03-27T08:00:00Z", Status::Working),
            ("2026-03-27T16:00:00Z", Status::Outside),
            ("2026-03-29T10:00:00Z", Status::DayOff),
            ("2026-03-30T06:59:59Z", Status::Outside),
            ("2026-03-30T07:00:00Z", Status::Working),
            ("2026-03-30T15:00:00Z", Status::Outside),
        ] {
            assert_eq!(hours.status(&berlin, at(instant)), status, "{instant}");
        }
        assert_eq!(hours.changes(&berlin, at("2026-03-27T17:00:00Z")), Some(at("2026-03-30T07:00:00Z")));
        assert_eq!(hours.changes(&berlin, at("2026-03-27T12:00:00Z")), Some(at("2026-03-27T16:00:00Z")));
    }

    #[test]
    fn a_night_shift_belongs_to_the_day_it_begins() {
        let hours = Hours { days: 0b000_0001, start_min: 22 * 60, end_min: 6 * 60 };
        let utc = TimeZone::UTC;
        // Monday is 30 November 2026.
        for (instant, status) in [
            ("2026-11-30T05:00:00Z", Status::Outside),
            ("2026-11-30T22:00:00Z", Status::Working),
            ("2026-12-01T05:59:00Z", Status::Working),
            ("2026-12-01T06:00:00Z", Status::DayOff),
        ] {
            assert_eq!(hours.status(&utc, at(instant)), status, "{instant}");
        }
        assert_eq!(hours.changes(&utc, at("2026-12-01T06:00:00Z")), Some(at("2026-12-07T22:00:00Z")));
        assert_eq!(Hours { days: 0, ..hours }.changes(&utc, at("2026-12-01T06:00:00Z")), None);
    }

    #[test]
    fn a_start_that_clocks_skip_is_the_next_time_that_exists() {
        let hours = Hours { days: 0b111_1111, start_min: 150, end_min: 600 };
        let (start, _) = hours.on(&zone("Europe/Berlin"), "2026-03-29".parse().unwrap()).unwrap();
        assert_eq!(start, at("2026-03-29T01:30:00Z"));
    }
}
