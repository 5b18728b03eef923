//! The meeting planner: who works when on a chosen day, and the times that suit everybody.

use crate::hours::{Hours, instant};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The length of a slot.
const SLOT_MS: i64 = 30 * 60 * 1000;

/// A slot of the day.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    /// Whether each person works for all of it, in the order of the people.
    pub(crate) works: Vec<bool>,
}

impl Slot {
    pub(crate) fn is_common(&self) -> bool {
        !self.works.is_empty() && self.works.iter().all(|works| *works)
    }
}

/// The slots of a date in a zone. A day on which clocks change has more or fewer.
pub(crate) fn slots(date: Date, zone: &TimeZone, people: &[(Hours, TimeZone)]) -> Vec<Slot> {
    let next = date.tomorrow().ok().and_then(|tomorrow| instant(zone, tomorrow, 0));
    let (Some(first), Some(last)) = (instant(zone, date, 0), next) else { return Vec::new() };
    let mut slots = Vec::new();
    let mut start = first;
    while start < last {
        let end = Timestamp::from_millisecond(start.as_millisecond() + SLOT_MS).map_or(last, |end| end.min(last));
        let works =
            |(hours, zone): &(Hours, TimeZone)| hours.around(zone, start).is_some_and(|(_, until)| end <= until);
        slots.push(Slot { start, end, works: people.iter().map(works).collect() });
        start = end;
    }
    slots
}

/// Spans of at least so many minutes in which everybody works.
pub(crate) fn common(slots: &[Slot], minutes: i64) -> Vec<(Timestamp, Timestamp)> {
    let mut spans: Vec<(Timestamp, Timestamp)> = Vec::new();
    for slot in slots.iter().filter(|slot| slot.is_common()) {
        match spans.last_mut() {
            Some((_, end)) if *end == slot.start => *end = slot.end,
            _ => spans.push((slot.start, slot.end)),
        }
    }
    spans.retain(|(start, end)| end.as_millisecond() - start.as_millisecond() >= minutes * 60_000);
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(zones: &[&str]) -> Vec<(Hours, TimeZone)> {
        zones.iter().map(|name| (Hours::default(), TimeZone::get(name).unwrap())).collect()
    }

    fn found(date: &str, zones: &[&str], minutes: i64) -> Vec<String> {
        let zone = TimeZone::get(zones[0]).unwrap();
        let slots = slots(date.parse().unwrap(), &zone, &people(zones));
        common(&slots, minutes).iter().map(|(start, end)| format!("{start}/{end}")).collect()
    }

    #[test]
    fn common_times_move_when_only_one_side_changes_its_clocks() {
        let zones = ["Europe/Berlin", "America/New_York"];
        // New York changes on 8 March 2026, Berlin on 29 March.
        assert_eq!(found("2026-03-06", &zones, 30), ["2026-03-06T14:00:00Z/2026-03-06T16:00:00Z"]);
        assert_eq!(found("2026-03-16", &zones, 30), ["2026-03-16T13:00:00Z/2026-03-16T16:00:00Z"]);
        assert_eq!(found("2026-03-30", &zones, 30), ["2026-03-30T13:00:00Z/2026-03-30T15:00:00Z"]);
        assert_eq!(found("2026-03-30", &zones, 150), Vec::<String>::new());
        assert_eq!(found("2026-03-28", &zones, 30), Vec::<String>::new(), "a Saturday");
    }

    #[test]
    fn a_day_has_as_many_slots_as_its_clocks_say() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap();
        let count = |date: &str| slots(date.parse().unwrap(), &berlin, &[]).len();
        assert_eq!((count("2026-03-28"), count("2026-03-29"), count("2026-10-25")), (48, 46, 50));
        assert!(slots("2026-03-28".parse().unwrap(), &berlin, &[]).iter().all(|slot| !slot.is_common()));
    }

    #[test]
    fn zones_with_half_hours_share_what_both_work_entirely() {
        assert_eq!(
            found("2026-11-30", &["Asia/Kolkata", "Europe/Berlin"], 30),
            ["2026-11-30T08:00:00Z/2026-11-30T11:30:00Z"]
        );
        // Nepal is 5:45 ahead: half-hour slots of the other zone fall within it.
        assert_eq!(
            found("2026-11-30", &["Asia/Kolkata", "Asia/Kathmandu"], 30),
            ["2026-11-30T03:30:00Z/2026-11-30T11:00:00Z"]
        );
    }
}
