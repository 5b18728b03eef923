//! Quiet hours: a daily window in a time zone.

use jiff::Timestamp;
use jiff::ToSpan;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;

/// A daily window, from its start to before its end. It spans midnight if the start is later than the end; if both are
/// equal, there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuietHours {
    /// The first minute.
    pub start: Time,
    /// The minute after the last one.
    pub end: Time,
}

/// The end of the window that `now_ms` is in, in milliseconds since 1970; `None` outside of it. On a day on which a clock
/// change skips or repeats the start or the end, the window starts or ends at the change or at the first of both times.
pub fn quiet_until(hours: QuietHours, zone: &TimeZone, now_ms: i64) -> Option<i64> {
    if hours.start == hours.end {
        return None;
    }
    let now = Timestamp::from_millisecond(now_ms).ok()?;
    let today = now.to_zoned(zone.clone()).date();
    let instant = |day: Date, time: Time| {
        let zoned = zone.to_ambiguous_zoned(day.to_datetime(time)).compatible().ok()?;
        Some(zoned.timestamp().as_millisecond())
    };
    [today.checked_sub(1.day()).ok()?, today].into_iter().find_map(|day| {
        let last = if hours.end > hours.start { day } else { day.checked_add(1.day()).ok()? };
        let (start_ms, end_ms) = (instant(day, hours.start)?, instant(last, hours.end)?);
        (start_ms..end_ms).contains(&now_ms).then_some(end_ms)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::time;
    use proptest::prelude::*;

    const ZONES: [&str; 10] = [
        "UTC",
        "Europe/Berlin",
        "America/New_York",
        "America/Sao_Paulo",
        "Australia/Lord_Howe",
        "Asia/Kathmandu",
        "Africa/Casablanca",
        "America/St_Johns",
        "Pacific/Apia",
        "Asia/Tehran",
    ];

    fn at(text: &str, zone: &TimeZone) -> i64 {
        let local: jiff::civil::DateTime = text.parse().unwrap();
        zone.to_zoned(local).unwrap().timestamp().as_millisecond()
    }

    fn local(ms: i64, zone: &TimeZone) -> String {
        Timestamp::from_millisecond(ms).unwrap().to_zoned(zone.clone()).datetime().to_string()
    }

    #[test]
    fn a_window_begins_with_its_start_and_ends_before_its_end() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let night = QuietHours { start: time(22, 0, 0, 0), end: time(8, 0, 0, 0) };
        let until = |text: &str| quiet_until(night, &zone, at(text, &zone)).map(|ms| local(ms, &zone));
        assert_eq!(until("2026-06-01T21:59:59"), None);
        assert_eq!(until("2026-06-01T22:00:00").as_deref(), Some("2026-06-02T08:00:00"));
        assert_eq!(until("2026-06-02T07:59:59").as_deref(), Some("2026-06-02T08:00:00"));
        assert_eq!(until("2026-06-02T08:00:00"), None);
        let noon = QuietHours { start: time(12, 0, 0, 0), end: time(13, 0, 0, 0) };
        assert!(quiet_until(noon, &zone, at("2026-06-01T12:30:00", &zone)).is_some());
        assert!(quiet_until(noon, &zone, at("2026-06-01T22:30:00", &zone)).is_none());
        let none = QuietHours { start: time(12, 0, 0, 0), end: time(12, 0, 0, 0) };
        assert_eq!(quiet_until(none, &zone, at("2026-06-01T12:00:00", &zone)), None);
    }

    #[test]
    fn clock_changes_move_neither_end_of_the_window() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let night = QuietHours { start: time(22, 0, 0, 0), end: time(8, 0, 0, 0) };
        for (evening, morning) in
            [("2026-03-28T23:00:00", "2026-03-29T08:00:00"), ("2026-10-24T23:00:00", "2026-10-25T08:00:00")]
        {
            let end = quiet_until(night, &zone, at(evening, &zone)).unwrap();
            assert_eq!(local(end, &zone), morning);
        }
        // 02:30 doesn't exist on this day: the window ends at 03:30, when that much time has passed.
        let early = QuietHours { start: time(1, 0, 0, 0), end: time(2, 30, 0, 0) };
        let end = quiet_until(early, &zone, at("2026-03-29T01:30:00", &zone)).unwrap();
        assert_eq!(local(end, &zone), "2026-03-29T03:30:00");
    }

    proptest! {
        #[test]
        fn within_a_window_is_before_its_end_and_its_end_is_outside(
            zone in 0..10_usize, start in 0..1440_i32, end in 0..1440_i32, minutes in 0..2_100_000_i64,
        ) {
            let zone = TimeZone::get(ZONES[zone]).unwrap();
            let of = |minute: i32| time((minute / 60) as i8, (minute % 60) as i8, 0, 0);
            let hours = QuietHours { start: of(start), end: of(end) };
            // Four years from 2024 on, through all changes of clocks.
            let now_ms = 1_704_067_200_000 + minutes * 60_000;
            if let Some(until_ms) = quiet_until(hours, &zone, now_ms) {
                prop_assert!(until_ms > now_ms && until_ms - now_ms <= 26 * 3_600_000);
                prop_assert_eq!(quiet_until(hours, &zone, until_ms), None);
            }
        }
    }
}
