//! Rules by tables of cases, and by random lives over time zones and years.

use jiff::Timestamp;
use jiff::civil::{DateTime, Time, Weekday, date, time};
use jiff::tz::TimeZone;
use kit::job::{Missed, Rule};
use proptest::prelude::*;
use schedule::{check, next_after};
use std::time::Duration;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

fn ms(text: &str) -> i64 {
    text.parse::<Timestamp>().unwrap().as_millisecond()
}

fn shown(at_ms: Option<i64>) -> String {
    at_ms.map_or("never".to_owned(), |at_ms| Timestamp::from_millisecond(at_ms).unwrap().to_string())
}

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap()
}

/// The next runs from an instant on, each begun when it's due.
fn runs(rule: &Rule, zone_name: &str, from: &str, count: usize) -> Vec<String> {
    let (zone, mut at_ms) = (zone(zone_name), ms(from));
    let mut all = Vec::new();
    for _ in 0..count {
        let Some(next_ms) = next_after(rule, Missed::RunOnce, Some(at_ms), at_ms, &zone) else { break };
        all.push(shown(Some(next_ms)));
        at_ms = next_ms;
    }
    all
}

fn daily(hour: i8, minute: i8) -> Rule {
    Rule::Daily(time(hour, minute, 0, 0))
}

#[test]
fn a_time_that_does_not_exist_moves_to_the_next_one_that_does() {
    // Berlin skips 2:00 to 3:00 on 2026-03-29.
    let nightly = runs(&daily(2, 30), "Europe/Berlin", "2026-03-27T12:00:00Z", 3);
    assert_eq!(nightly, ["2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]);
    // All times of the gap are one run.
    let often = runs(&Rule::Cron("*/20 * * * *".into()), "Europe/Berlin", "2026-03-29T00:30:00Z", 4);
    assert_eq!(often, ["2026-03-29T00:40:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z", "2026-03-29T01:40:00Z"]);
    // Havana skips midnight itself, Apia a whole day (2011-12-30).
    let midnight = runs(&daily(0, 0), "America/Havana", "2026-03-07T12:00:00Z", 2);
    assert_eq!(midnight, ["2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"]);
    let noon = runs(&daily(12, 0), "Pacific/Apia", "2011-12-29T12:00:00Z", 3);
    assert_eq!(noon, ["2011-12-29T22:00:00Z", "2011-12-30T10:00:00Z", "2011-12-30T22:00:00Z"]);
}

#[test]
fn a_repeated_time_runs_once() {
    // Berlin repeats 2:00 to 3:00 on 2026-10-25, from 0:00 UTC.
    let nightly = runs(&daily(2, 30), "Europe/Berlin", "2026-10-24T12:00:00Z", 2);
    assert_eq!(nightly, ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]);
    let often = runs(&Rule::Cron("*/30 * * * *".into()), "Europe/Berlin", "2026-10-25T00:10:00Z", 3);
    assert_eq!(often, ["2026-10-25T00:30:00Z", "2026-10-25T02:00:00Z", "2026-10-25T02:30:00Z"]);
    // Asked in the middle of the repetition.
    let later = runs(&daily(2, 30), "Europe/Berlin", "2026-10-25T01:10:00Z", 1);
    assert_eq!(later, ["2026-10-26T01:30:00Z"]);
}

#[test]
fn weeks_and_cron_patterns_follow_local_days() {
    let weekly = Rule::Weekly(vec![Weekday::Monday, Weekday::Thursday], time(9, 0, 0, 0));
    let expected = ["2026-03-02T14:00:00Z", "2026-03-05T14:00:00Z", "2026-03-09T13:00:00Z"];
    assert_eq!(runs(&weekly, "America/New_York", "2026-03-01T12:00:00Z", 3), expected);
    let only = Rule::Weekly(vec![Weekday::Sunday], time(12, 0, 0, 0));
    assert_eq!(runs(&only, "UTC", "2026-03-01T12:00:00Z", 1), ["2026-03-08T12:00:00Z"], "a week later, not at once");
    let workdays = Rule::Cron("30 8 * * 1-5".into());
    assert_eq!(
        runs(&workdays, "Asia/Tokyo", "2026-03-05T12:00:00Z", 2),
        ["2026-03-05T23:30:00Z", "2026-03-08T23:30:00Z"]
    );
    let leap = Rule::Cron("0 0 29 2 *".into());
    assert_eq!(runs(&leap, "UTC", "2026-03-01T00:00:00Z", 1), ["2028-02-29T00:00:00Z"]);
    assert_eq!(runs(&Rule::Cron("0 0 30 2 *".into()), "UTC", "2026-03-01T00:00:00Z", 1), Vec::<String>::new());
}

#[test]
fn missed_runs_follow_once_or_not_at_all() {
    let (utc, last, hourly) = (TimeZone::UTC, ms("2026-03-01T03:00:00Z"), Rule::Every(Duration::from_secs(3600)));
    let now = ms("2026-03-04T12:00:00Z");
    let next = |rule: &Rule, missed, last: i64, now: i64| shown(next_after(rule, missed, Some(last), now, &utc));
    assert_eq!(next(&daily(3, 0), Missed::RunOnce, last, now), "2026-03-02T03:00:00Z", "it's due");
    assert_eq!(next(&daily(3, 0), Missed::RunOnce, now, now), "2026-03-05T03:00:00Z", "the late run was the only one");
    assert_eq!(next(&daily(3, 0), Missed::Skip, last, now), "2026-03-05T03:00:00Z");
    assert_eq!(next(&hourly, Missed::RunOnce, last, now), "2026-03-01T04:00:00Z");
    assert_eq!(next(&hourly, Missed::Skip, last, now + 1), "2026-03-04T12:00:00Z");
    // A runner that's a little late has missed nothing.
    let late = ms("2026-03-02T03:00:40Z");
    assert_eq!(next(&daily(3, 0), Missed::Skip, last, late), "2026-03-02T03:00:00Z");
    assert_eq!(shown(next_after(&hourly, Missed::RunOnce, None, now, &utc)), shown(Some(now)), "at once");
    assert_eq!(shown(next_after(&daily(3, 0), Missed::RunOnce, None, now, &utc)), "2026-03-05T03:00:00Z");
}

#[test]
fn a_clock_that_was_wrong_for_years_stops_nothing() {
    let (utc, now) = (TimeZone::UTC, ms("2026-03-04T12:00:00Z"));
    let wrong = ms("2099-01-01T00:00:00Z");
    let next = |rule: &Rule, last| shown(next_after(rule, Missed::RunOnce, Some(last), now, &utc));
    assert_eq!(next(&daily(3, 0), wrong), "2026-03-05T03:00:00Z");
    assert_eq!(next(&daily(3, 0), now + DAY), "2026-03-06T03:00:00Z", "a day back: nothing runs twice");
    assert_eq!(
        next(&Rule::Every(Duration::from_secs(60)), now + DAY),
        "2026-03-04T12:01:00Z",
        "time passes all the same"
    );
}

#[test]
fn rules_that_cannot_be_followed_are_named() {
    assert_eq!(check(&Rule::Every(Duration::ZERO)), Err("The interval must be longer than 0.".into()));
    assert_eq!(check(&Rule::Weekly(Vec::new(), Time::midnight())), Err("Name at least one day of the week.".into()));
    for pattern in ["", "* * * *", "61 * * * *", "* * * * * *", "every day"] {
        let refused = check(&Rule::Cron(pattern.into())).expect_err(pattern);
        assert!(refused.ends_with("Use five fields, such as `30 8 * * 1-5`."), "{refused}");
    }
    assert_eq!(check(&Rule::Cron("0 9 1,15 * *".into())), Ok(()));
}

/// Zones that change by an hour, by half an hour, over midnight, by a whole day, in Ramadan, or not at all.
const ZONES: [&str; 10] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Havana",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "Asia/Kathmandu",
    "Asia/Beirut",
    "Pacific/Apia",
    "America/Sao_Paulo",
];

fn rules() -> impl Strategy<Value = Rule> {
    let at = (0..24i8, 0..60i8).prop_map(|(hour, minute)| time(hour, minute, 0, 0));
    let days = prop::collection::vec((0..7i8).prop_map(|day| Weekday::from_monday_zero_offset(day).unwrap()), 1..4);
    let crons = vec!["*/15 * * * *", "0 * * * *", "30 2 * * *", "0 0 * * 0", "5 1-3 * * *", "0 12 L * *"];
    prop_oneof![
        at.clone().prop_map(Rule::Daily),
        (days, at).prop_map(|(days, at)| Rule::Weekly(days, at)),
        prop::sample::select(crons).prop_map(|pattern| Rule::Cron(pattern.to_owned())),
    ]
}

/// Whether a local time is one of the rule's.
fn is_named(rule: &Rule, local: DateTime) -> bool {
    match rule {
        Rule::Every(_) => true,
        Rule::Daily(at) => local.time() == *at,
        Rule::Weekly(days, at) => local.time() == *at && days.contains(&local.weekday()),
        Rule::Cron(pattern) => pattern.parse::<croner::Cron>().unwrap().is_time_matching(&local).unwrap(),
    }
}

fn instants() -> impl Strategy<Value = i64> {
    let of = |year| date(year, 1, 1).to_zoned(TimeZone::UTC).unwrap().timestamp().as_millisecond();
    of(2010)..of(2034)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// Each run shows a local time of the rule, or the end of a gap; none is left out and no local time comes twice.
    #[test]
    fn every_local_time_of_a_rule_runs_once(rule in rules(), name in prop::sample::select(&ZONES[..]), from in instants()) {
        let zone = zone(name);
        let (mut at, mut locals) = (from, Vec::new());
        for _ in 0..20 {
            let next = next_after(&rule, Missed::RunOnce, Some(at), at, &zone).unwrap();
            prop_assert!(next > at);
            let local = zone.to_datetime(Timestamp::from_millisecond(next).unwrap());
            let before = zone.to_datetime(Timestamp::from_millisecond(next - 1).unwrap());
            let ends_gap = local.duration_since(before).as_millis() > 1;
            prop_assert!(is_named(&rule, local) || ends_gap, "{local} in {name}");
            prop_assert!(locals.last().is_none_or(|last| *last < local), "{local} in {name} came twice");
            locals.push(local);
            at = next;
        }
        // Minute by minute, nothing in between was left out.
        let until = *locals.last().expect("20 runs");
        let mut passed = zone.to_datetime(Timestamp::from_millisecond(from).unwrap());
        let mut clock = from - from.rem_euclid(MINUTE) + MINUTE;
        loop {
            let local = zone.to_datetime(Timestamp::from_millisecond(clock).unwrap());
            if local > until || clock > from + DAY {
                break;
            }
            if local > passed {
                prop_assert!(!is_named(&rule, local) || locals.contains(&local), "{local} in {name} was left out");
                passed = local;
            }
            clock += MINUTE;
        }
    }

    /// The clock jumps to and fro by up to a week; each local time runs at most once, and while the clock only goes on, one
    /// that was missed runs at once, or not at all.
    #[test]
    fn a_clock_that_jumps_runs_nothing_twice(
        rule in rules(),
        name in prop::sample::select(&ZONES[..]),
        from in instants(),
        skips in any::<bool>(),
        jumps in prop::collection::vec(-7 * DAY..10 * DAY, 1..40),
    ) {
        let zone = zone(name);
        let missed = if skips { Missed::Skip } else { Missed::RunOnce };
        let (mut now, mut last, mut ran) = (from, from, Vec::new());
        for jump in jumps {
            // Jumps back add up to less than the week that a wrong clock is told by.
            now = (now + jump).max(last - 7 * DAY);
            let mut late = 0;
            while let Some(next) = next_after(&rule, missed, Some(last), now, &zone).filter(|next| *next <= now) {
                prop_assert!(!skips || now - next <= MINUTE);
                late += 1;
                ran.push(now);
                last = now;
            }
            prop_assert!(late <= 1, "{late} runs at once");
            // And the next one is run in time.
            let next = next_after(&rule, missed, Some(last), now, &zone).unwrap();
            prop_assert!(next > now && next > last);
            if jump > 0 && next - now < DAY {
                ran.push(next);
                (now, last) = (next, next);
            }
        }
        prop_assert!(ran.is_sorted_by(|a, b| a < b));
    }
}
