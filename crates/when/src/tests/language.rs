//! Sentences, on Sunday 2026-03-01 at 12:00 UTC.

use crate::language::understand;
use crate::occurrence::{day_word, time_text};
use proptest::prelude::*;
/// Sunday 2026-03-01 at 12:00 UTC.
const START_MS: i64 = 1_772_366_400_000;

/// Time, date or days, zone, and label.
fn read(text: &str) -> Option<String> {
    let read = understand(text, START_MS, "UTC")?;
    let occurrence = &read.occurrence;
    let days: Vec<&str> = occurrence.days.iter().map(|day| day_word(*day)).collect();
    let day = occurrence.date.map_or_else(|| days.join(","), |date| date.to_string());
    let zone = if occurrence.zone == "UTC" { "" } else { &occurrence.zone };
    Some(
        format!("{} {day} {zone} {}", time_text(occurrence.time), read.label)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
    )
}

#[test]
fn sentences_are_understood() {
    for (text, expected) in [
        ("in 20 minutes", "12:20 2026-03-01"),
        ("In an hour and 30 min", "13:30 2026-03-01"),
        ("in half an hour", "12:30 2026-03-01"),
        ("in 1h30m to turn off the oven", "13:30 2026-03-01 turn off the oven"),
        ("in 1.5 hours", "13:30 2026-03-01"),
        ("in two days", "12:00 2026-03-03"),
        ("in 3 days at 9", "09:00 2026-03-04"),
        ("every weekday 9:30", "09:30 mon,tue,wed,thu,fri"),
        ("weekdays at 7.15 am", "07:15 mon,tue,wed,thu,fri"),
        ("every day at noon", "12:00 mon,tue,wed,thu,fri,sat,sun"),
        ("daily 6pm", "18:00 mon,tue,wed,thu,fri,sat,sun"),
        ("every monday, wednesday and friday at 6:45", "06:45 mon,wed,fri"),
        ("on Tuesdays at half past 8 pm", "20:30 tue"),
        ("at 10 every weekend", "10:00 sat,sun"),
        ("tomorrow at noon in Tokyo", "12:00 2026-03-02 Asia/Tokyo"),
        ("tomorrow 8 in New York", "08:00 2026-03-02 America/New_York"),
        ("every day 8:00 Europe/Paris", "08:00 mon,tue,wed,thu,fri,sat,sun Europe/Paris"),
        ("next friday 5pm", "17:00 2026-03-06"),
        ("next sunday 5pm", "17:00 2026-03-08"),
        ("sunday 5pm", "17:00 2026-03-01"),
        ("sunday 11:00", "11:00 2026-03-08"),
        ("at 7", "07:00 2026-03-02"),
        ("13:00", "13:00 2026-03-01"),
        ("12am", "00:00 2026-03-02"),
        ("tonight at 8", "20:00 2026-03-01"),
        ("tomorrow at 7 in the evening", "19:00 2026-03-02"),
        ("the day after tomorrow at 9", "09:00 2026-03-03"),
        ("quarter to 9 am on March 5th", "08:45 2026-03-05"),
        ("5 january at 9", "09:00 2027-01-05"),
        ("29th of february 10:00", "10:00 2028-02-29"),
        ("2026-12-24 18:00", "18:00 2026-12-24"),
        ("midnight", "00:00 2026-03-02"),
        ("Wake me up at 6:30 tomorrow", "06:30 2026-03-02"),
        ("set an alarm for 7am", "07:00 2026-03-02"),
        ("remind me to call Mom at 5pm", "17:00 2026-03-01 call Mom"),
        ("every weekday at 9:30 to stand up", "09:30 mon,tue,wed,thu,fri stand up"),
        ("at 15:00 \"Pick up at the station\"", "15:00 2026-03-01 Pick up at the station"),
    ] {
        assert_eq!(read(text).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn what_is_not_understood_is_not_guessed() {
    for text in [
        "",
        "when pigs fly",
        "tomorrow",
        "every day",
        "every other day at 9",
        "at 25",
        "at 13pm",
        "at 7:61",
        "at 7 at 8",
        "tomorrow every day at 7",
        "in 20 minutes at 9",
        "in 900 weeks",
        "in 99999999999999999999 minutes",
        "at noon in Atlantis",
        "february 30 at 9",
        "in 5",
    ] {
        assert_eq!(read(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_is_too_odd(text in "\\PC{0,60}") {
        let _ = read(&text);
    }

    #[test]
    fn no_row_of_known_words_is_too_odd(
        words in prop::collection::vec(prop::sample::select(vec![
            "in", "at", "every", "on", "next", "to", "for", "half", "quarter", "past", "an", "hour", "1h", "5", "7pm",
            "weekday", "friday", "march", "2026-03-05", "tokyo", "the", "day", "after", "tomorrow", "and", "\"", "1.5.2h", "9:5",
        ]), 0..9),
    ) {
        let _ = read(&words.join(" "));
    }
}
