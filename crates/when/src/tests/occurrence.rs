//! Next occurrences, over years and zones.

use crate::occurrence::{DAYS, Occurrence, local, zone};
use jiff::civil::{Date, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use proptest::prelude::*;

const ZONES: [&str; 10] = [
    "UTC",
    "America/New_York",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Europe/Dublin",
    "Africa/Cairo",
    "Asia/Beirut",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Apia",
];

/// 2000 to 2040.
const INSTANTS: std::ops::Range<i64> = 946_684_800_000..2_208_988_800_000;

fn time() -> impl Strategy<Value = Time> {
    (0..24_i8, 0..60_i8).prop_map(|(hour, minute)| Time::constant(hour, minute, 0, 0))
}

/// Whether clocks never show this local time.
fn is_skipped(date: Date, time: Time, zone: &TimeZone) -> bool {
    matches!(zone.to_ambiguous_timestamp(date.to_datetime(time)).offset(), AmbiguousOffset::Gap { .. })
}

proptest! {
    #[test]
    fn a_repeating_alarm_rings_once_on_each_of_its_days(
        name in prop::sample::select(&ZONES[..]), time in time(), chosen in 1_u8..128, start in INSTANTS,
    ) {
        let zone = zone(name).expect("a zone");
        let days: Vec<_> = (0..7).filter(|bit| chosen >> bit & 1 == 1).map(|bit| DAYS[bit].1).collect();
        let alarm = Occurrence { time, date: None, days: days.clone(), zone: name.into() };
        let mut at_ms = start;
        let mut before: Option<Date> = None;
        for _ in 0..20 {
            let next_ms = alarm.next_after(at_ms).expect("it repeats");
            prop_assert!(next_ms > at_ms);
            let shown = local(next_ms, &zone);
            let is_exact = shown.time() == time && days.contains(&shown.date().weekday());
            // A time that doesn't exist moves to the end of its gap, which may be on the next day.
            let yesterday = shown.date().yesterday().expect("in range");
            let is_moved = is_skipped(shown.date(), time, &zone) || is_skipped(yesterday, time, &zone);
            prop_assert!(is_exact || is_moved, "{} in {name}", shown);
            if is_exact {
                prop_assert!(before != Some(shown.date()), "twice on {}", shown.date());
                before = Some(shown.date());
            }
            at_ms = next_ms;
        }
    }

    #[test]
    fn a_one_time_alarm_rings_once(
        name in prop::sample::select(&ZONES[..]), time in time(), start in INSTANTS, days_ahead in 0..400_i64,
    ) {
        let zone = zone(name).expect("a zone");
        let date = local(start + days_ahead * kit::clock::DAY_MS, &zone).date();
        let alarm = Occurrence { time, date: Some(date), days: Vec::new(), zone: name.into() };
        if let Some(at_ms) = alarm.next_after(start) {
            let shown = local(at_ms, &zone);
            prop_assert!(shown == date.to_datetime(time) || is_skipped(date, time, &zone));
            prop_assert_eq!(alarm.next_after(at_ms), None);
            prop_assert_eq!(alarm.next_after(at_ms - 1), Some(at_ms));
        }
    }
}

#[test]
fn a_time_that_does_not_exist_moves_on_and_a_repeated_one_rings_once() {
    let at = |text: &str| kit::clock::instant_ms(text).expect("an instant");
    let days = DAYS.map(|(_, day)| day).to_vec();
    let daily = |hour, minute| Occurrence {
        time: Time::constant(hour, minute, 0, 0),
        date: None,
        days: days.clone(),
        zone: "America/New_York".into(),
    };
    assert_eq!(daily(2, 30).next_after(at("2026-03-08T05:00:00Z")), Some(at("2026-03-08T07:00:00Z")));
    let first = at("2026-11-01T05:30:00Z");
    assert_eq!(daily(1, 30).next_after(first - 1), Some(first));
    assert_eq!(daily(1, 30).next_after(first), Some(at("2026-11-02T06:30:00Z")));
}
