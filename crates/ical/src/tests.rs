//! Calendars as other programs write them.

use crate::{
    Component, Fields, Resource, Rule, When, Zones, create, delete_from, delete_one, duration_ms, find_zone, parse,
    split, unescape, update_all, update_following, update_one,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::*;

fn ms(text: &str) -> i64 {
    text.parse::<Timestamp>().unwrap_or_else(|why| panic!("{text}: {why}")).as_millisecond()
}

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap()
}

/// A calendar with these lines around; each `|` is a line break.
fn calendar(lines: &str) -> Resource {
    let text = format!("BEGIN:VCALENDAR|VERSION:2.0|{lines}|END:VCALENDAR|").replace('|', "\r\n");
    Resource::parse(&text).expect("an event")
}

fn event(lines: &str) -> Resource {
    calendar(&format!("BEGIN:VEVENT|UID:one|SUMMARY:A|{lines}|END:VEVENT"))
}

/// Starts within a window, in UTC, without seconds.
fn starts_for(resource: &Resource, from: &str, to: &str, viewer: &TimeZone) -> Vec<String> {
    let found = resource.expand(ms(from), ms(to), viewer, 1_000);
    let text = |at: i64| Timestamp::from_millisecond(at).unwrap().strftime("%Y-%m-%dT%H:%M").to_string();
    found.occurrences.iter().map(|one| text(one.span.start_ms)).collect()
}

fn starts(resource: &Resource, from: &str, to: &str) -> Vec<String> {
    starts_for(resource, from, to, &TimeZone::UTC)
}

fn in_2026(resource: &Resource) -> Vec<String> {
    starts(resource, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z")
}

fn days(resource: &Resource) -> String {
    let days: Vec<String> = in_2026(resource).iter().map(|start| start[5..10].to_owned()).collect();
    days.join(" ")
}

#[test]
fn rules_repeat_as_their_parts_say() {
    for (start, rule, expected) in [
        ("20260105T090000Z", "FREQ=DAILY;COUNT=3", "01-05 01-06 01-07"),
        ("20260105T090000Z", "FREQ=DAILY;INTERVAL=10;COUNT=3", "01-05 01-15 01-25"),
        ("20260105T090000Z", "FREQ=DAILY;UNTIL=20260107T090000Z", "01-05 01-06 01-07"),
        ("20260105T090000Z", "FREQ=DAILY;UNTIL=20260107T085959Z", "01-05 01-06"),
        ("20260105T090000Z", "FREQ=DAILY;UNTIL=20260107", "01-05 01-06 01-07"),
        ("20260105T090000Z", "FREQ=DAILY;COUNT=9;UNTIL=20260107", "01-05 01-06 01-07"),
        ("20260105T090000Z", "FREQ=DAILY;COUNT=2;UNTIL=20260107", "01-05 01-06"),
        ("20260106T090000Z", "FREQ=WEEKLY;BYDAY=TU,TH;COUNT=4", "01-06 01-08 01-13 01-15"),
        ("20260106T090000Z", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO;COUNT=4", "01-06 01-11 01-20 01-25"),
        ("20260106T090000Z", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU;COUNT=4", "01-06 01-18 01-20 02-01"),
        ("20260131T090000Z", "FREQ=MONTHLY;COUNT=4", "01-31 03-31 05-31 07-31"),
        ("20260130T090000Z", "FREQ=MONTHLY;BYDAY=-1FR;COUNT=3", "01-30 02-27 03-27"),
        ("20260112T090000Z", "FREQ=MONTHLY;BYDAY=2MO;COUNT=3", "01-12 02-09 03-09"),
        ("20260130T090000Z", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3", "01-30 02-27 03-31"),
        ("20260113T090000Z", "FREQ=MONTHLY;BYMONTHDAY=13,-1;COUNT=4", "01-13 01-31 02-13 02-28"),
        ("20260213T090000Z", "FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=3", "02-13 03-13 11-13"),
        ("20260401T090000Z", "FREQ=YEARLY;BYDAY=20MO;COUNT=2", "04-01 05-18"),
        ("20260510T090000Z", "FREQ=YEARLY;BYMONTH=5;BYDAY=2SU;COUNT=1", "05-10"),
        ("20260511T090000Z", "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=1", "05-11"),
        ("20260101T090000Z", "FREQ=YEARLY;BYYEARDAY=1,100,-1;COUNT=3", "01-01 04-10 12-31"),
        ("20260101T090000Z", "FREQ=YEARLY;BYMONTH=1,7;COUNT=3", "01-01 07-01"),
        ("20240229T090000Z", "FREQ=YEARLY", ""),
        ("20260105T090000Z", "FREQ=DAILY;INTERVAL=0;COUNT=2", "01-05 01-06"),
        ("20260105T090000Z", "FREQ=DAILY;X-OWN=1;COUNT=2", "01-05 01-06"),
        ("20260105T090000Z", "FREQ=FORTNIGHTLY", "01-05"),
        ("20260105T090000Z", "COUNT=5", "01-05"),
        ("20260105T230000Z", "FREQ=HOURLY;INTERVAL=12;COUNT=3", "01-05 01-06 01-06"),
        ("20260105T090000Z", "FREQ=DAILY;BYHOUR=9,17;COUNT=3", "01-05 01-05 01-06"),
        ("20260105T090000Z", "FREQ=HOURLY;BYMONTH=3;BYHOUR=4;BYMINUTE=30;COUNT=3", "01-05 03-01 03-02"),
        ("20260228T090000Z", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "02-28"),
        ("20200106T090000Z", "FREQ=WEEKLY;COUNT=315", "01-05 01-12"),
        ("00010101T090000Z", "FREQ=YEARLY;INTERVAL=5", "01-01"),
    ] {
        assert_eq!(days(&event(&format!("DTSTART:{start}|RRULE:{rule}"))), expected, "{start} {rule}");
    }
}

#[test]
fn local_time_stays_across_changes_of_clocks() {
    let daily = event(
        "DTSTART;TZID=Europe/Berlin:20260328T090000|DTEND;TZID=Europe/Berlin:20260328T100000|RRULE:FREQ=DAILY;COUNT=3",
    );
    assert_eq!(in_2026(&daily), ["2026-03-28T08:00", "2026-03-29T07:00", "2026-03-30T07:00"]);
    // 02:30 doesn't exist on the 29th.
    let night = event("DTSTART;TZID=Europe/Berlin:20260328T023000|RRULE:FREQ=DAILY;COUNT=3");
    assert_eq!(in_2026(&night), ["2026-03-28T01:30", "2026-03-29T01:30", "2026-03-30T00:30"]);
    // 02:30 exists twice on 25 October.
    let twice = event("DTSTART;TZID=Europe/Berlin:20261024T023000|RRULE:FREQ=DAILY;COUNT=3");
    assert_eq!(in_2026(&twice), ["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"]);
    let ends = event("DTSTART;TZID=America/New_York:20260301T180000|RRULE:FREQ=WEEKLY;UNTIL=20260315T220000Z");
    assert_eq!(in_2026(&ends), ["2026-03-01T23:00", "2026-03-08T22:00", "2026-03-15T22:00"]);
}

#[test]
fn zones_are_found_by_the_names_that_programs_give_them() {
    for (name, expected) in [
        ("Europe/Berlin", Some("Europe/Berlin")),
        ("W. Europe Standard Time", Some("Europe/Berlin")),
        ("w. europe standard time ", Some("Europe/Berlin")),
        ("\"Pacific Time (US & Canada), Tijuana\"", Some("America/Los_Angeles")),
        ("Eastern", Some("America/New_York")),
        ("/mozilla.org/20050126_1/Europe/Vienna", Some("Europe/Vienna")),
        ("/freeassociation.sourceforge.net/America/Argentina/Ushuaia", Some("America/Argentina/Ushuaia")),
        ("UTC", Some("UTC")),
        ("Customized Time Zone", None),
        ("../../etc/passwd", None),
        ("", None),
    ] {
        assert_eq!(find_zone(name).map(|(iana, _)| iana).as_deref(), expected, "{name}");
    }
    let unknown: Vec<&str> =
        crate::zone::WINDOWS.iter().filter(|(_, iana)| find_zone(iana).is_none()).map(|(name, _)| *name).collect();
    assert_eq!(unknown, Vec::<&str>::new());
}

const CUSTOM: &str = "BEGIN:VTIMEZONE|TZID:Customized Time Zone|BEGIN:STANDARD|DTSTART:16011028T030000|\
    RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10|TZOFFSETFROM:+0200|TZOFFSETTO:+0100|END:STANDARD|BEGIN:DAYLIGHT|\
    DTSTART:16010325T020000|RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3|TZOFFSETFROM:+0100|TZOFFSETTO:+0200|END:DAYLIGHT|END:VTIMEZONE";

#[test]
fn a_zone_that_nobody_knows_follows_the_rules_that_it_brings() {
    let with = |zone: &str| {
        calendar(&format!(
            "{zone}|BEGIN:VEVENT|UID:a|DTSTART;TZID=Customized Time Zone:20260328T090000|RRULE:FREQ=DAILY;COUNT=2|END:VEVENT"
        ))
    };
    let known = with(CUSTOM);
    assert_eq!(in_2026(&known), ["2026-03-28T08:00", "2026-03-29T07:00"]);
    assert!(known.zones().find("Customized Time Zone").zone.is_some());
    let broken = "BEGIN:VTIMEZONE|TZID:Customized Time Zone|BEGIN:STANDARD|DTSTART:never|TZOFFSETTO:up|RRULE:FREQ=;;=|END:STANDARD|END:VTIMEZONE";
    for text in [broken, "BEGIN:VTIMEZONE|END:VTIMEZONE", "X-A:b"] {
        let unknown = with(text);
        assert!(unknown.zones().find("Customized Time Zone").zone.is_none(), "{text}");
        let seen = starts_for(&unknown, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", &zone("Asia/Tokyo"));
        assert_eq!(seen[0], "2026-03-28T00:00", "an unknown zone is the viewer's");
    }
    let located =
        with(&CUSTOM.replace("TZID:Customized Time Zone|", "TZID:Customized Time Zone|X-LIC-LOCATION:Asia/Tokyo|"));
    assert_eq!(in_2026(&located)[0], "2026-03-28T00:00");
}

#[test]
fn dates_that_are_left_out_match_by_instant_and_added_ones_may_be_periods() {
    let base = "DTSTART;TZID=Europe/Berlin:20260105T090000|DURATION:PT1H|RRULE:FREQ=DAILY;COUNT=4";
    for (line, left) in [
        ("EXDATE;TZID=Europe/Berlin:20260106T090000", "01-05 01-07 01-08"),
        ("EXDATE;TZID=America/New_York:20260106T030000,20260107T030000", "01-05 01-08"),
        ("EXDATE:20260106T080000Z", "01-05 01-07 01-08"),
        ("EXDATE;VALUE=DATE:20260106", "01-05 01-07 01-08"),
        ("EXDATE:20260106T090000Z", "01-05 01-06 01-07 01-08"),
        ("EXDATE:nonsense", "01-05 01-06 01-07 01-08"),
        ("RDATE;TZID=Europe/Berlin:20260120T090000,20260105T090000", "01-05 01-06 01-07 01-08 01-20"),
        (
            "RDATE;VALUE=PERIOD:20260120T080000Z/PT3H,20260121T080000Z/20260121T090000Z",
            "01-05 01-06 01-07 01-08 01-20 01-21",
        ),
    ] {
        assert_eq!(days(&event(&format!("{base}|{line}"))), left, "{line}");
    }
    let period = event("DTSTART:20260105T090000Z|DTEND:20260105T093000Z|RDATE;VALUE=PERIOD:20260120T080000Z/PT3H");
    let found = period.expand(ms("2026-01-20T00:00:00Z"), ms("2026-01-21T00:00:00Z"), &TimeZone::UTC, 10);
    assert_eq!(found.occurrences[0].span.end_ms, ms("2026-01-20T11:00:00Z"));
}

#[test]
fn an_exception_in_another_zone_shows_once() {
    let series = "BEGIN:VEVENT|UID:a|SUMMARY:Old|DTSTART;TZID=Europe/Berlin:20260105T090000|DURATION:PT1H|RRULE:FREQ=DAILY;COUNT=3|END:VEVENT";
    for id in [
        "RECURRENCE-ID;TZID=Europe/Berlin:20260106T090000",
        "RECURRENCE-ID;TZID=W. Europe Standard Time:20260106T090000",
        "RECURRENCE-ID:20260106T080000Z",
        "RECURRENCE-ID;TZID=America/New_York:20260106T030000",
        "RECURRENCE-ID;VALUE=DATE:20260106",
    ] {
        let text = format!(
            "{series}|BEGIN:VEVENT|UID:a|SUMMARY:New|{id}|DTSTART:20260106T140000Z|DTEND:20260106T150000Z|END:VEVENT"
        );
        let resource = calendar(&text);
        assert_eq!(in_2026(&resource), ["2026-01-05T08:00", "2026-01-06T14:00", "2026-01-07T08:00"], "{id}");
        let found = resource.expand(ms("2026-01-06T00:00:00Z"), ms("2026-01-07T00:00:00Z"), &TimeZone::UTC, 10);
        let one = &found.occurrences[0];
        assert_eq!(resource.event(one.component).text("SUMMARY"), "New");
        let again = resource.occurrence(one.key.as_deref().unwrap(), &TimeZone::UTC);
        assert_eq!(again.as_ref().map(|one| one.component), Some(1), "{id}");
    }
    let moved_in =
        format!("{series}|BEGIN:VEVENT|UID:a|RECURRENCE-ID:20260106T080000Z|DTSTART:20260901T080000Z|END:VEVENT");
    let seen = starts(&calendar(&moved_in), "2026-09-01T00:00:00Z", "2026-09-02T00:00:00Z");
    assert_eq!(seen, ["2026-09-01T08:00"], "an exception is found where it was moved to");
    let orphan = calendar("BEGIN:VEVENT|UID:a|RECURRENCE-ID:20260106T080000Z|DTSTART:20260106T090000Z|END:VEVENT");
    assert_eq!(in_2026(&orphan), ["2026-01-06T09:00"]);
}

#[test]
fn whole_days_and_floating_times_are_the_viewers() {
    let tokyo = zone("Asia/Tokyo");
    let day = event(
        "DTSTART;VALUE=DATE:20260105|DTEND;VALUE=DATE:20260107|RRULE:FREQ=WEEKLY;COUNT=2|EXDATE:20260112T000000Z",
    );
    let found = day.expand(ms("2026-01-01T00:00:00Z"), ms("2027-01-01T00:00:00Z"), &tokyo, 10);
    assert_eq!(found.occurrences.len(), 1);
    let (first, end) = found.occurrences[0].span.days.unwrap();
    assert_eq!((first.to_string(), end.to_string()), ("2026-01-05".into(), "2026-01-07".into()));
    assert_eq!(found.occurrences[0].span.start_ms, ms("2026-01-04T15:00:00Z"));
    assert_eq!(found.occurrences[0].key.as_deref(), Some("20260105"));
    let floating = event("DTSTART:20260105T090000|DURATION:PT1H");
    assert_eq!(starts_for(&floating, "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", &tokyo), ["2026-01-05T00:00"]);
    assert_eq!(in_2026(&floating), ["2026-01-05T09:00"]);
}

#[test]
fn no_text_takes_long_or_fails() {
    let long = "x".repeat(1_000_000);
    let large = event(&format!("DTSTART:20260105T090000Z|DESCRIPTION:{long}"));
    assert_eq!(large.event(0).text("DESCRIPTION").len(), 1_000_000);
    assert_eq!(Resource::parse(&large.calendar.write()).unwrap().calendar, large.calendar);
    for lines in [
        "DTSTART:00010101T000000Z|RRULE:FREQ=SECONDLY",
        "DTSTART:00010101T000000Z|RRULE:FREQ=SECONDLY;COUNT=2000000000",
        "DTSTART:00010101T000000Z|RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=5",
        "DTSTART:00010101T000000Z|RRULE:FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
        "DTSTART:99991231T235959Z|DTEND:99991231T235959Z|RRULE:FREQ=YEARLY",
        "DTSTART;TZID=Pacific/Kiritimati:99991231T235959|RRULE:FREQ=DAILY",
        "DTSTART;VALUE=DATE:99991231|RRULE:FREQ=MINUTELY",
        "DTSTART:20260105T090000Z|DTEND:20250105T090000Z",
        "DTSTART:20260105T090000Z|DURATION:P99999999999999W",
        "DTSTART:20260105T090000Z|RRULE:FREQ=DAILY;INTERVAL=99999999999999999999",
        "DTSTART:20260105T090000Z|RRULE:FREQ=YEARLY;INTERVAL=1000000",
        "DTSTART:20260105T090000Z|RRULE:FREQ=MONTHLY;BYSETPOS=-366,366",
        "DTSTART:20260230T090000Z",
        "DTSTART:",
        "SUMMARY:no start",
    ] {
        let resource = event(lines);
        for (from, to) in [(i64::MIN / 2, i64::MAX / 2), (ms("2026-01-01T00:00:00Z"), ms("2027-01-01T00:00:00Z"))] {
            let found = resource.expand(from, to, &TimeZone::UTC, 500);
            assert!(found.occurrences.len() <= 500, "{lines}");
        }
        resource.bounds();
    }
    let endless = event("DTSTART:20200105T090000Z|RRULE:FREQ=DAILY");
    let found = endless.expand(ms("2026-01-01T00:00:00Z"), i64::MAX / 2, &TimeZone::UTC, 100);
    assert!(found.truncated && found.occurrences.len() == 100);
    assert_eq!(endless.bounds().unwrap().1, i64::MAX);
    let (_, last) = event("DTSTART:20260105T090000Z|DURATION:PT1H|RRULE:FREQ=DAILY;COUNT=3").bounds().unwrap();
    assert!((ms("2026-01-07T10:00:00Z")..ms("2026-01-09T10:00:00Z")).contains(&last));
}

#[test]
fn broken_files_give_what_can_be_read() {
    for (text, events) in [
        ("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260105T090000Z\nSUMMARY:A\n", 1),
        ("\u{feff}BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nEND:VEVENT\r\nEND:VCALENDAR", 1),
        ("BEGIN:VCALENDAR\nEND:VTODO\nBEGIN:VEVENT\nUID:a\nEND:VEVENT\nBEGIN:VEVENT\nUID:b\nEND:VCALENDAR", 2),
        ("<!doctype html><title>Log in</title>", 0),
        ("", 0),
    ] {
        assert_eq!(split(text).len(), events, "{text}");
    }
    let deep = "BEGIN:VCALENDAR\n".repeat(100_000);
    assert_eq!(parse(&deep).len(), 1);
    let stray = event("DTSTART:20260105T090000Z|DESCRIPTION:first|second line, not folded");
    assert_eq!(stray.event(0).text("DESCRIPTION"), "first\nsecond line, not folded");
    let quoted =
        event("DTSTART;TZID=\"Pacific Time (US & Canada), Tijuana\":20260105T090000|ATTENDEE;CN=\"a:b;c\":mailto:a@b");
    assert_eq!(in_2026(&quoted), ["2026-01-05T17:00"]);
    assert_eq!(quoted.event(0).line("ATTENDEE").unwrap().param("CN").as_deref(), Some("a:b;c"));
    assert_eq!(unescape("a\\, b\\; c\\\\d\\Ne\\"), "a, b; c\\d\ne\\");
    for (text, expected) in [
        ("PT15M", Some(900_000)),
        ("-P1W", Some(-604_800_000)),
        ("P1DT1H", Some(90_000_000)),
        ("P", None),
        ("15", None),
    ] {
        assert_eq!(duration_ms(text), expected, "{text}");
    }
}

fn timed(start: &str, end: &str, zone: Option<&str>) -> Fields {
    let when = When::Times { start_ms: ms(start), end_ms: ms(end), zone: zone.map(str::to_owned) };
    Fields { when: Some(when), ..Fields::default() }
}

fn again(calendar: &Component) -> Resource {
    Resource::parse(&calendar.write()).expect("readable")
}

#[test]
fn what_is_written_brings_its_zone_and_keeps_what_it_doesnt_know() {
    let fields = Fields {
        title: Some("Über, lunch; \\ \n x".into()),
        ..timed("2026-07-01T10:00:00Z", "2026-07-01T11:00:00Z", Some("Europe/Berlin"))
    };
    let made = create("u1", &fields, 0, &TimeZone::UTC);
    let text = made.write();
    assert!(text.contains("DTSTART;TZID=Europe/Berlin:20260701T120000\r\n"), "{text}");
    assert!(text.contains("BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n") && text.contains("BYDAY=-1SU"), "{text}");
    assert!(text.lines().all(|line| line.len() <= 75));
    let read = again(&made);
    assert_eq!(read.event(1).text("SUMMARY"), "Über, lunch; \\ \n x");
    // What it wrote means the same to somebody who doesn't know the zone.
    let foreign = text.replace("Europe/Berlin", "Nowhere in particular");
    assert_eq!(in_2026(&Resource::parse(&foreign).unwrap()), ["2026-07-01T10:00"]);
    for id in ["America/New_York", "Australia/Sydney", "Asia/Kolkata", "America/Sao_Paulo", "Africa/Casablanca"] {
        let made = create("u", &timed("2026-07-01T10:00:00Z", "2026-07-01T11:00:00Z", Some(id)), 0, &TimeZone::UTC);
        let text = made.write();
        assert!(text.contains(&format!("TZID:{id}\r\n")), "{text}");
        if id != "Africa/Casablanca" {
            let foreign = text.replace(id, "Nowhere in particular");
            assert_eq!(in_2026(&Resource::parse(&foreign).unwrap()), ["2026-07-01T10:00"], "{id}");
        }
    }
    let own = event(
        "X-OWN;X-P=\"a,b\":v;w|DTSTART:20260105T090000Z|DURATION:PT1H|BEGIN:VALARM|ACTION:EMAIL|TRIGGER:-PT5M|END:VALARM",
    );
    let fields = Fields { title: Some("B".into()), reminder_minutes: Some(Some(15)), ..Fields::default() };
    let text = update_all(&own, None, &fields, 0, &TimeZone::UTC).unwrap().write();
    for kept in ["X-OWN;X-P=\"a,b\":v;w", "ACTION:EMAIL", "DURATION:PT1H", "TRIGGER:-PT15M", "SUMMARY:B", "SEQUENCE:0"]
    {
        assert!(text.contains(kept), "{kept}: {text}");
    }
}

fn series() -> Resource {
    event(
        "DTSTART;TZID=Europe/Berlin:20260105T090000|DTEND;TZID=Europe/Berlin:20260105T100000|RRULE:FREQ=DAILY;COUNT=5|EXDATE:20260108T080000Z",
    )
}

fn key_of(resource: &Resource, day: &str) -> String {
    let found = resource.expand(ms("2026-01-01T00:00:00Z"), ms("2027-01-01T00:00:00Z"), &TimeZone::UTC, 100);
    let one = found.occurrences.iter().find(|one| one.key.as_deref().is_some_and(|key| key.contains(day)));
    one.and_then(|one| one.key.clone()).expect("an occurrence")
}

#[test]
fn changes_reach_one_occurrence_those_after_it_or_all() {
    let (utc, base) = (&TimeZone::UTC, series());
    let key = key_of(&base, "20260106");
    let change = Fields { title: Some("B".into()), ..timed("2026-01-06T12:00:00Z", "2026-01-06T12:30:00Z", None) };
    let one = again(&update_one(&base, &key, &change, 0, utc).unwrap());
    assert_eq!(in_2026(&one), ["2026-01-05T08:00", "2026-01-06T12:00", "2026-01-07T08:00", "2026-01-09T08:00"]);
    assert_eq!(key_of(&one, "20260106"), key, "an exception keeps its name");
    let all = again(&update_all(&base, Some(&key), &change, 0, utc).unwrap());
    assert_eq!(
        in_2026(&all),
        ["2026-01-05T12:00", "2026-01-06T12:00", "2026-01-07T12:00", "2026-01-09T12:00"],
        "what was left out stays so"
    );
    let (rest, later) = update_following(&base, &key, &change, "two", 0, utc).unwrap();
    assert_eq!(in_2026(&again(&rest)), ["2026-01-05T08:00"]);
    let later = again(&later.unwrap());
    assert_eq!(in_2026(&later), ["2026-01-06T12:00", "2026-01-07T12:00", "2026-01-09T12:00"]);
    assert_eq!((later.uid(), later.event(later.master().unwrap()).text("SUMMARY")), ("two".into(), "B".into()));
    // From the first one on: all.
    let first = key_of(&base, "20260105");
    let (whole, none) =
        update_following(&base, &first, &Fields { title: Some("C".into()), ..Fields::default() }, "x", 0, utc).unwrap();
    assert!(none.is_none() && whole.write().contains("SUMMARY:C"));
    // To whole days and back.
    let days = Fields {
        when: Some(When::Days("2026-01-07".parse().unwrap(), "2026-01-08".parse().unwrap())),
        ..Fields::default()
    };
    let days = again(&update_all(&base, Some(&key), &days, 0, utc).unwrap());
    assert_eq!(in_2026(&days), ["2026-01-06T00:00", "2026-01-07T00:00", "2026-01-08T00:00", "2026-01-10T00:00"]);
    // A weekly series follows to another weekday.
    let weekly = event("DTSTART:20260105T090000Z|DURATION:PT1H|RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20260119T090000Z");
    let moved = update_all(
        &weekly,
        Some("20260112T090000Z"),
        &timed("2026-01-13T10:00:00Z", "2026-01-13T11:00:00Z", None),
        0,
        utc,
    );
    assert_eq!(in_2026(&again(&moved.unwrap())), ["2026-01-06T10:00", "2026-01-13T10:00", "2026-01-20T10:00"]);
    assert!(update_one(&base, "20270101T000000Z", &change, 0, utc).is_none());
}

#[test]
fn one_occurrence_those_after_it_or_all_are_deleted() {
    let (utc, base) = (&TimeZone::UTC, series());
    let key = key_of(&base, "20260106");
    assert_eq!(
        in_2026(&again(&delete_one(&base, &key, 0, utc).unwrap())),
        ["2026-01-05T08:00", "2026-01-07T08:00", "2026-01-09T08:00"]
    );
    assert_eq!(in_2026(&again(&delete_from(&base, &key, 0, utc).unwrap())), ["2026-01-05T08:00"]);
    assert!(delete_from(&base, &key_of(&base, "20260105"), 0, utc).is_none());
    let single = event("DTSTART:20260105T090000Z|RRULE:FREQ=DAILY;COUNT=1");
    assert!(delete_one(&single, "20260105T090000Z", 0, utc).is_none(), "nothing is left");
    let changed =
        again(&update_one(&base, &key, &timed("2026-01-06T12:00:00Z", "2026-01-06T13:00:00Z", None), 0, utc).unwrap());
    assert_eq!(
        in_2026(&again(&delete_one(&changed, &key, 0, utc).unwrap())),
        ["2026-01-05T08:00", "2026-01-07T08:00", "2026-01-09T08:00"]
    );
    assert_eq!(in_2026(&again(&delete_from(&changed, &key, 0, utc).unwrap())), ["2026-01-05T08:00"]);
}

#[test]
fn what_a_form_cant_show_is_said_in_words() {
    let start = "2026-01-06".parse().unwrap();
    for (rule, words) in [
        ("FREQ=WEEKLY;BYDAY=TU,TH;INTERVAL=2;COUNT=3", ""),
        ("FREQ=MONTHLY;BYMONTHDAY=6", ""),
        ("FREQ=MONTHLY;BYDAY=-1FR", "Every month on the last Friday"),
        ("FREQ=YEARLY;INTERVAL=2;BYMONTH=3;BYDAY=2SU", "Every 2 years on the second Sunday in March"),
        ("FREQ=HOURLY", "Every hour"),
        ("FREQ=DAILY;BYHOUR=9,17", "Every day at 9:00, 17:00"),
    ] {
        assert_eq!(Rule::parse(rule).unwrap().beyond_form(start), words, "{rule}");
    }
}

#[test]
fn a_file_is_split_by_event_with_the_zones_that_each_names() {
    let text = format!(
        "BEGIN:VCALENDAR|{CUSTOM}|BEGIN:VEVENT|UID:a|DTSTART;TZID=Customized Time Zone:20260105T090000|RRULE:FREQ=DAILY|END:VEVENT|\
         BEGIN:VEVENT|UID:b|DTSTART:20260105T090000Z|END:VEVENT|BEGIN:VEVENT|UID:a|RECURRENCE-ID:20260106T080000Z|\
         DTSTART:20260106T090000Z|END:VEVENT|BEGIN:VTODO|UID:t|END:VTODO|END:VCALENDAR"
    );
    let parts = split(&text.replace('|', "\n"));
    let names: Vec<Vec<&str>> =
        parts.iter().map(|part| part.children.iter().map(|child| &*child.name).collect()).collect();
    assert_eq!(names, [vec!["VTIMEZONE", "VEVENT", "VEVENT"], vec!["VEVENT"]]);
    assert!(Zones::of(&parts[0]).find("Customized Time Zone").zone.is_some());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_lines_never_panic(lines in "(DTSTART|DTEND|RRULE|EXDATE|RDATE|RECURRENCE-ID|DURATION)(;TZID=[A-Z\"/:]{0,6})?:[0-9TZPWFREQ=DAILYCOUNT;,/+-]{0,40}(\n(BEGIN|END|RRULE|DTSTART):[A-Z0-9=;,-]{0,30}){0,4}") {
        let text = format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260105T090000Z\n{lines}\nEND:VEVENT\nEND:VCALENDAR");
        if let Some(resource) = Resource::parse(&text) {
            resource.expand(ms("2026-01-01T00:00:00Z"), ms("2026-03-01T00:00:00Z"), &TimeZone::UTC, 50);
            resource.bounds();
            let _ = Resource::parse(&resource.calendar.write());
        }
    }

    #[test]
    fn random_rules_give_what_lies_in_the_window(
        frequency in prop::sample::select(vec!["DAILY", "WEEKLY", "MONTHLY", "YEARLY", "HOURLY"]),
        interval in 1..9_i64,
        extra in prop::sample::select(vec!["", ";BYDAY=MO,FR", ";BYMONTHDAY=1,15,-1", ";BYMONTH=2,8", ";BYDAY=1TU;BYSETPOS=1"]),
        day in 1..28_u32,
    ) {
        // Skipping ahead gives the same as following the rule from its start.
        let resource = event(&format!("DTSTART:202001{day:02}T090000Z|DURATION:PT1H|RRULE:FREQ={frequency};INTERVAL={interval}{extra}"));
        let all = resource.expand(ms("2020-01-01T00:00:00Z"), ms("2022-03-01T00:00:00Z"), &TimeZone::UTC, 100_000);
        let late = resource.expand(ms("2022-01-01T00:00:00Z"), ms("2022-03-01T00:00:00Z"), &TimeZone::UTC, 100_000);
        let expected: Vec<i64> =
            all.occurrences.iter().filter(|one| one.span.end_ms > ms("2022-01-01T00:00:00Z")).map(|one| one.span.start_ms).collect();
        let found: Vec<i64> = late.occurrences.iter().map(|one| one.span.start_ms).collect();
        prop_assert_eq!(found, expected);
    }
}
