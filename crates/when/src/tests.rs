mod language;
mod occurrence;

use super::*;

/// Friday, 2 January 2026, 15:30 in Berlin.
fn now() -> (i64, TimeZone) {
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let now = "2026-01-02T15:30:00+01:00".parse::<Timestamp>().unwrap();
    (now.as_millisecond(), zone)
}

fn local(text: &str) -> String {
    let (now_ms, zone) = now();
    match when(text, now_ms, &zone) {
        Ok(ms) => Timestamp::from_millisecond(ms).unwrap().to_zoned(zone).strftime("%a %F %H:%M").to_string(),
        Err(why) => format!("{why:?}"),
    }
}

#[test]
fn texts_mean_what_people_mean() {
    for (text, expected) in [
        ("in 2 hours", "Fri 2026-01-02 17:30"),
        ("2h", "Fri 2026-01-02 17:30"),
        ("2 hrs", "Fri 2026-01-02 17:30"),
        ("In an hour", "Fri 2026-01-02 16:30"),
        ("half an hour", "Fri 2026-01-02 16:00"),
        ("30 min", "Fri 2026-01-02 16:00"),
        ("45m", "Fri 2026-01-02 16:15"),
        ("later today", "Fri 2026-01-02 18:30"),
        ("in 3 days", "Mon 2026-01-05 15:30"),
        ("in 3 days at 8am", "Mon 2026-01-05 08:00"),
        ("1 week", "Fri 2026-01-09 15:30"),
        ("in a month", "Mon 2026-02-02 09:00"),
        ("today at 5pm", "Fri 2026-01-02 17:00"),
        ("5pm", "Fri 2026-01-02 17:00"),
        ("5 pm", "Fri 2026-01-02 17:00"),
        ("at 9:15", "Sat 2026-01-03 09:15"),
        ("tonight", "Fri 2026-01-02 20:00"),
        ("this evening", "Fri 2026-01-02 18:00"),
        ("tomorrow", "Sat 2026-01-03 09:00"),
        ("Tomorrow 9am", "Sat 2026-01-03 09:00"),
        ("tomorrow afternoon", "Sat 2026-01-03 15:00"),
        ("tomorrow at noon", "Sat 2026-01-03 12:00"),
        ("monday", "Mon 2026-01-05 09:00"),
        ("next monday", "Mon 2026-01-05 09:00"),
        ("next friday", "Fri 2026-01-09 09:00"),
        ("next friday 8pm", "Fri 2026-01-09 20:00"),
        ("friday", "Fri 2026-01-09 09:00"),
        ("on wednesday at 14:00", "Wed 2026-01-07 14:00"),
        ("next week", "Mon 2026-01-05 09:00"),
        ("this weekend", "Sat 2026-01-03 09:00"),
        ("4 march", "Wed 2026-03-04 09:00"),
        ("march 4", "Wed 2026-03-04 09:00"),
        ("1 jan", "Fri 2027-01-01 09:00"),
        ("4 march 2027 8pm", "Thu 2027-03-04 20:00"),
        ("2026-12-01", "Tue 2026-12-01 09:00"),
        ("2026-12-01 18:00", "Tue 2026-12-01 18:00"),
        ("2026-12-01T18:00", "Tue 2026-12-01 18:00"),
        ("2026-12-01T18:00:00Z", "Tue 2026-12-01 19:00"),
    ] {
        assert_eq!(local(text), expected, "{text}");
    }
}

#[test]
fn a_time_in_the_past_and_what_is_no_time_are_told_apart() {
    for text in ["yesterday", "2 hours ago", "2020-01-01", "2020-01-01T00:00:00Z", "today 9am"] {
        assert_eq!(local(text), "Past", "{text}");
    }
    let long = "1".repeat(100);
    for text in
        ["", " ", "soon", "every monday", "tomorrow-ish", "25:99", "in", "9", "\u{0}", "monday monday", "next", &long]
    {
        assert_eq!(local(text), "NotATime", "{text:?}");
    }
}

#[test]
fn an_hour_that_a_zone_skips_or_repeats_has_one_meaning() {
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    let at = |now: &str, text: &str| {
        let now = now.parse::<Timestamp>().unwrap().as_millisecond();
        Timestamp::from_millisecond(when(text, now, &zone).unwrap()).unwrap().to_string()
    };
    assert_eq!(at("2026-03-28T12:00:00Z", "tomorrow 2:30"), "2026-03-29T01:30:00Z");
    assert_eq!(at("2026-10-24T12:00:00Z", "tomorrow 2:30"), "2026-10-25T00:30:00Z");
    assert_eq!(at("2026-03-28T12:00:00Z", "tomorrow"), "2026-03-29T07:00:00Z");
}

#[test]
fn hostile_texts_end_in_an_answer() {
    let (now_ms, zone) = now();
    let parts = [
        "next",
        "9999",
        "-",
        "/",
        ":",
        "weeks",
        "years",
        "am",
        "pm",
        "24:00",
        "99",
        "+",
        "99:99:99.9",
        "feb",
        "30",
        "half",
        "an",
        "ago",
        "é",
    ];
    for first in parts {
        for second in parts {
            for third in parts {
                for text in [format!("{first} {second} {third}"), format!("{first}{second}{third}")] {
                    if let Ok(at_ms) = when(&text, now_ms, &zone) {
                        assert!(at_ms > now_ms, "{text}");
                    }
                }
            }
        }
    }
}

fn said(day: Day) -> String {
    let time = day.time.map(|time| time.strftime(" %H:%M").to_string()).unwrap_or_default();
    format!("{}{time}", day.date)
}

#[test]
fn a_day_has_a_time_only_if_one_is_named() {
    let (now_ms, zone) = now();
    for (text, expected) in [
        ("today", "2026-01-02"),
        ("tomorrow", "2026-01-03"),
        ("tomorrow 9", "2026-01-03 09:00"),
        ("tomorrow at 5", "2026-01-03 17:00"),
        ("monday 14", "2026-01-05 14:00"),
        ("in 3 days", "2026-01-05"),
        ("in 2 hours", "2026-01-02 17:30"),
        ("next week", "2026-01-05"),
        ("yesterday", "2026-01-01"),
        ("today 9am", "2026-01-02 09:00"),
        ("tonight", "2026-01-02 20:00"),
        ("2026-12-01", "2026-12-01"),
        ("2026-12-01T18:00", "2026-12-01 18:00"),
    ] {
        assert_eq!(day(text, now_ms, &zone).map(said), Ok(expected.to_owned()), "{text}");
    }
    assert_eq!(day("soon", now_ms, &zone), Err(Unclear::NotATime));
}

#[test]
fn a_sentence_mentions_a_day() {
    let (now_ms, zone) = now();
    for (text, left, expected) in [
        ("call Anna tomorrow 9", "call Anna", "2026-01-03 09:00"),
        ("call Anna tomorrow at 9:30.", "call Anna .", "2026-01-03 09:30"),
        ("tomorrow call Anna at 9", "call Anna", "2026-01-03 09:00"),
        ("Pay rent by friday", "Pay rent", "2026-01-09"),
        ("report on next monday", "report", "2026-01-05"),
        ("Read Monday's notes today", "Read Monday's notes", "2026-01-02"),
        ("ship it in 2 weeks", "ship it", "2026-01-16"),
        ("stand up at 5 pm", "stand up", "2026-01-02 17:00"),
        ("party 4 march 8pm", "party", "2026-03-04 20:00"),
        ("renew 2026-12-01", "renew", "2026-12-01"),
        ("swim on sun", "swim", "2026-01-04"),
        ("é tomorrow ü", "é ü", "2026-01-03"),
    ] {
        let found = find(text, now_ms, &zone).unwrap_or_else(|| panic!("{text}"));
        let mut rest = text.to_owned();
        for at in found.at.iter().rev() {
            rest.replace_range(at.clone(), "");
        }
        let rest: Vec<&str> = rest.split_whitespace().collect();
        assert_eq!((rest.join(" ").as_str(), said(found.day).as_str()), (left, expected), "{text}");
    }
    for text in [
        "",
        "buy 3 days of food",
        "you may go",
        "the second part",
        "sat down in the sun",
        "9 lives",
        "in 3 steps",
        "march on",
    ] {
        assert_eq!(find(text, now_ms, &zone), None, "{text}");
    }
}
