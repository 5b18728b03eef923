//! Days within sentences: "call Anna tomorrow 9".

use crate::{Day, day};
use jiff::tz::TimeZone;
use std::ops::Range;

/// Maximum words of one mention.
const WORDS_MAX: usize = 6;
/// Words of a sentence that are looked at: its last ones.
const LOOKED_AT_MAX: usize = 60;

const WEEKDAYS: &[&str] = &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const SHORT_WEEKDAYS: &[&str] = &["mon", "tue", "tues", "wed", "thu", "thur", "thurs", "fri", "sat", "sun"];
const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const LONG_MONTHS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "sept",
    "october",
    "november",
    "december",
];

/// A day that a sentence mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The day, and its time if the sentence names one.
    pub day: Day,
    /// Where the sentence mentions it, in bytes, in order: one part, or the day and the time apart.
    pub at: Vec<Range<usize>>,
}

/// A mention.
#[derive(Debug, Clone)]
struct Mention {
    at: Range<usize>,
    day: Day,
    /// Whether it names a time but no day.
    is_only_time: bool,
}

/// The last day that a sentence mentions. "tomorrow call Anna at 9" mentions one in two parts.
pub fn find(sentence: &str, now_ms: i64, zone: &TimeZone) -> Option<Found> {
    let mentions = mentions(sentence, now_ms, zone);
    let last = mentions.last()?;
    let is_other = |one: &&Mention| one.is_only_time != last.is_only_time && one.day.time.is_some() == one.is_only_time;
    let other = match last.is_only_time || last.day.time.is_none() {
        true => mentions.iter().rev().skip(1).find(is_other),
        false => None,
    };
    let Some(other) = other else { return Some(Found { day: last.day, at: vec![last.at.clone()] }) };
    let (dated, timed) = if last.is_only_time { (other, last) } else { (last, other) };
    let day = Day { date: dated.day.date, time: timed.day.time };
    Some(Found { day, at: vec![other.at.clone(), last.at.clone()] })
}

fn mentions(sentence: &str, now_ms: i64, zone: &TimeZone) -> Vec<Mention> {
    let words = words(sentence);
    let lower: Vec<String> = words.iter().map(|at| sentence[at.clone()].to_lowercase()).collect();
    let mut mentions = Vec::new();
    let mut from = words.len().saturating_sub(LOOKED_AT_MAX);
    while from < words.len() {
        let last = words.len().min(from + WORDS_MAX);
        let found =
            (from + 1..=last).rev().find_map(|to| mention(&lower[from..to], now_ms, zone).map(|found| (to, found)));
        match found {
            Some((to, (day, is_only_time))) => {
                mentions.push(Mention { at: words[from].start..words[to - 1].end, day, is_only_time });
                from = to;
            }
            None => from += 1,
        }
    }
    mentions
}

/// Where the words are, without the marks around them.
fn words(sentence: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    for word in sentence.split_whitespace() {
        let start = word.as_ptr() as usize - sentence.as_ptr() as usize;
        let opened = word.trim_start_matches(['(', '[', '"']);
        let bare = opened.trim_end_matches([')', ']', '"', ',', '.', ';', '!', '?']);
        let start = start + (word.len() - opened.len());
        if !bare.is_empty() {
            words.push(start..start + bare.len());
        }
    }
    words
}

/// Reads words that are a mention as a whole, and whether they name only a time.
fn mention(words: &[String], now_ms: i64, zone: &TimeZone) -> Option<(Day, bool)> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let led = match words[..] {
        ["by" | "due" | "until" | "due:", ref rest @ ..] => rest,
        ["on", ref rest @ ..] if rest.first().is_some_and(|word| is_short_day(word)) => rest,
        _ => &words[..],
    };
    let is_led = led.len() < words.len();
    // A mention ends in a part of itself.
    if matches!(led.last(), None | Some(&("at" | "in" | "on" | "the" | "for" | "this" | "next")))
        || !begins(led, is_led)
    {
        return None;
    }
    let day = day(&led.join(" "), now_ms, zone).ok()?;
    Some((day, led.iter().all(|word| *word == "at" || is_time(word) || is_half(word) || is_number(word))))
}

/// Whether words begin like a mention, so that "may", "second", or "3 days of food" aren't taken for one. After "by"
/// and "on", days have short names too.
fn begins(words: &[&str], is_led: bool) -> bool {
    let second = words.get(1).copied().unwrap_or_default();
    match words[0] {
        "today" | "tonight" | "tomorrow" | "weekend" => true,
        "later" => second == "today",
        "next" => ["week", "month", "year"].contains(&second) || is_weekday(second),
        "this" => ["weekend", "morning", "afternoon", "evening"].contains(&second) || is_weekday(second),
        "in" => {
            is_number(second) || ["a", "an", "one", "two", "three", "half"].contains(&second) || starts_number(second)
        }
        "at" => is_number(second) || is_time(second) || matches!(second, "noon" | "midnight"),
        "on" => begins(&words[1..], true),
        "the" => false,
        word if is_weekday(word) => true,
        word if is_short_day(word) => {
            is_led || (second.is_empty() && !matches!(word, "sat" | "sun")) || is_time(second)
        }
        word if is_month(word) => starts_number(second),
        word if is_date(word) || is_time(word) => true,
        word if is_number(word) => is_month(second) || is_half(second),
        _ => false,
    }
}

fn is_weekday(word: &str) -> bool {
    WEEKDAYS.contains(&word)
}

fn is_short_day(word: &str) -> bool {
    SHORT_WEEKDAYS.contains(&word)
}

fn is_month(word: &str) -> bool {
    MONTHS.contains(&word) || LONG_MONTHS.contains(&word)
}

fn is_half(word: &str) -> bool {
    matches!(word, "am" | "pm")
}

fn is_number(word: &str) -> bool {
    (1..=2).contains(&word.len()) && word.bytes().all(|digit| digit.is_ascii_digit())
}

fn starts_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// `2026-03-05`, also with a time.
fn is_date(word: &str) -> bool {
    word.len() >= 10 && word.is_char_boundary(10) && word[..10].parse::<jiff::civil::Date>().is_ok()
}

/// `9:30`, `9am`, `9.30pm`.
fn is_time(word: &str) -> bool {
    crate::on_clock(word).is_some() || crate::is_time(word) && word.len() <= 5
}
