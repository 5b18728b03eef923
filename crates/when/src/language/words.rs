//! The words of the grammar: numbers, times of day, days, months, and cities.

use crate::occurrence::zone;
use jiff::civil::{Time, Weekday};

/// Words that begin a label.
pub(super) const LABEL_BEGINS: &[&str] = &["to", "for", "called", "named", "labeled", "about"];
/// Words that say nothing more.
pub(super) const FILLERS: &[&str] =
    &["set", "an", "a", "alarm", "alarms", "please", "wake", "me", "up", "remind", "create", "new", "ring", "and", "-"];
/// Words that end a label, if a clause begins with them.
pub(super) const CLAUSE_BEGINS: &[&str] = &[
    "in", "at", "on", "every", "each", "daily", "weekdays", "weekends", "today", "tomorrow", "tonight", "next", "this",
];

const MINUTE_MS: i64 = 60_000;

/// The words of a sentence, as written and in lower case.
pub(super) struct Words(Vec<(String, String)>);

impl Words {
    pub(super) fn new(text: &str) -> Words {
        let separate = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '&');
        let trimmed = |word: &str| word.trim_end_matches(['.', '!', '?', ':']).to_owned();
        let words = text.split(separate).map(trimmed).filter(|word| !word.is_empty());
        Words(words.map(|word| (word.to_lowercase(), word)).map(|(lower, word)| (word, lower)).collect())
    }
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
    pub(super) fn written(&self, at: usize) -> &str {
        &self.0[at].0
    }
    pub(super) fn lower(&self, at: usize) -> Option<&str> {
        self.0.get(at).map(|(_, lower)| lower.as_str())
    }
    pub(super) fn is(&self, at: usize, word: &str) -> bool {
        self.lower(at) == Some(word)
    }
    pub(super) fn is_one_of(&self, at: usize, words: &[&str]) -> bool {
        self.lower(at).is_some_and(|lower| words.contains(&lower))
    }
    pub(super) fn are(&self, at: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(index, word)| self.is(at + index, word))
    }
}

/// The text without a label in quotation marks, and the label.
pub(super) fn without_quoted(text: &str) -> (String, Option<String>) {
    let is_quote = |c: char| matches!(c, '"' | '\u{201c}' | '\u{201d}');
    let mut parts = text.splitn(3, is_quote);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(before), Some(label), Some(after)) => (format!("{before} {after}"), Some(label.trim().to_owned())),
        _ => (text.to_owned(), None),
    }
}

/// `20 minutes`, `an hour and 30 min`, `half an hour`, `1h30m`: milliseconds, and how many words.
pub(super) fn duration(words: &Words, from: usize) -> Option<(i64, usize)> {
    if words.are(from, &["half", "an", "hour"]) {
        return Some((30 * MINUTE_MS, 3));
    }
    let (mut ms, mut at) = (0.0, from);
    loop {
        let next = if at > from && words.is(at, "and") { at + 1 } else { at };
        let Some((part_ms, count)) = duration_part(words, next) else { break };
        ms += part_ms;
        at = next + count;
    }
    // Far past any limit of the caller, floats are still exact enough.
    (at > from && ms >= MINUTE_MS as f64).then_some((ms as i64, at - from))
}

fn duration_part(words: &Words, at: usize) -> Option<(f64, usize)> {
    let first = words.lower(at)?;
    if let Some(ms) = compact(first) {
        return Some((ms, 1));
    }
    let amount = number(first)?;
    let ms = amount * unit_ms(words.lower(at + 1)?)?;
    Some((ms, 2))
}

/// `1h30m`, `20min`.
fn compact(word: &str) -> Option<f64> {
    let mut rest = word;
    let mut ms = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (amount, after) = rest.split_at(digits);
        let end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, left) = after.split_at(end);
        ms += amount.parse::<f64>().ok()? * unit_ms(unit)?;
        rest = left;
    }
    (ms > 0.0).then_some(ms)
}

fn unit_ms(word: &str) -> Option<f64> {
    let minutes = match word {
        "m" | "min" | "mins" | "minute" | "minutes" => 1.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 60.0,
        "d" | "day" | "days" => 24.0 * 60.0,
        "week" | "weeks" => 7.0 * 24.0 * 60.0,
        _ => return None,
    };
    Some(minutes * MINUTE_MS as f64)
}

fn number(word: &str) -> Option<f64> {
    const NAMES: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    match word {
        "a" | "an" => Some(1.0),
        "fifteen" => Some(15.0),
        "twenty" => Some(20.0),
        "thirty" => Some(30.0),
        "forty-five" => Some(45.0),
        _ => match NAMES.iter().position(|name| *name == word) {
            Some(index) => Some(index as f64),
            None if word.len() <= 8 && word.starts_with(|c: char| c.is_ascii_digit()) => {
                word.parse().ok().filter(|number: &f64| number.is_finite())
            }
            None => None,
        },
    }
}

/// `the afternoon`: whether it's the later half of the day.
pub(super) fn part_of_day(words: &Words, at: usize) -> Option<(bool, usize)> {
    if !words.is(at, "the") {
        return None;
    }
    match words.lower(at + 1)? {
        "morning" => Some((false, 2)),
        "afternoon" | "evening" => Some((true, 2)),
        _ => None,
    }
}

/// A time of day, and how many words.
pub(super) fn clock_time(words: &Words, at: usize) -> Option<(Time, usize)> {
    let first = words.lower(at)?;
    match first {
        "noon" | "midday" => return Some((Time::constant(12, 0, 0, 0), 1)),
        "midnight" => return Some((Time::midnight(), 1)),
        "half" | "quarter" => return around_the_hour(words, at),
        _ => {}
    }
    let (digits, meridiem) = split_meridiem(first);
    let (hour, minute) = hour_and_minute(digits)?;
    let (meridiem, count) = match meridiem {
        Some(is_pm) => (Some(is_pm), 1),
        None => match words.lower(at + 1).map(split_meridiem) {
            Some(("", Some(is_pm))) => (Some(is_pm), 2),
            _ if words.is(at + 1, "o'clock") => (None, 2),
            _ => (None, 1),
        },
    };
    // A number beside a unit or a month is no time of day.
    if words.lower(at + count).is_some_and(|word| unit_ms(word).is_some() || month(word).is_some()) {
        return None;
    }
    let hour = match meridiem {
        None => hour,
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some(is_pm) => hour % 12 + if is_pm { 12 } else { 0 },
    };
    Some((Time::new(hour, minute, 0, 0).ok()?, count))
}

/// `half past 7`, `quarter to 8 pm`.
fn around_the_hour(words: &Words, at: usize) -> Option<(Time, usize)> {
    let minutes: i64 = match (words.lower(at)?, words.lower(at + 1)?) {
        ("half", "past") => 30,
        ("quarter", "past") => 15,
        ("quarter", "to") => -15,
        _ => return None,
    };
    let (hour, count) = clock_time(words, at + 2).filter(|(time, _)| time.minute() == 0)?;
    Some((hour.wrapping_add(jiff::SignedDuration::from_mins(minutes)), count + 2))
}

/// The word without am or pm at its end, and whether it's pm.
fn split_meridiem(word: &str) -> (&str, Option<bool>) {
    for (ending, is_pm) in [("am", false), ("a.m", false), ("pm", true), ("p.m", true)] {
        if let Some(rest) = word.strip_suffix(ending) {
            return (rest, Some(is_pm));
        }
    }
    (word, None)
}

fn hour_and_minute(digits: &str) -> Option<(i8, i8)> {
    let is_number = |part: &str, most| (1..=most).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    let (hour, minute) = match digits.split_once([':', '.']) {
        Some((hour, minute)) if minute.len() == 2 => (hour, minute),
        Some(_) => return None,
        None => (digits, "0"),
    };
    if !is_number(hour, 2) || !is_number(minute, 2) {
        return None;
    }
    Some((hour.parse().ok()?, minute.parse().ok()?))
}

/// Days on which it repeats: `every weekday`, `daily`, `on Mondays and Fridays`.
pub(super) fn repeated_days(words: &Words, from: usize) -> Option<(Vec<Weekday>, usize)> {
    let is_every = words.is_one_of(from, &["every", "each"]);
    let mut at = from + usize::from(is_every || words.is(from, "on"));
    let mut days = Vec::new();
    let mut is_repeated = is_every;
    let mut count = 0;
    loop {
        let next = if count > 0 && words.is(at, "and") { at + 1 } else { at };
        let Some((found, is_plural)) = words.lower(next).and_then(|word| day_group(word, is_every)) else { break };
        is_repeated |= is_plural;
        days.extend(found);
        (at, count) = (next + 1, count + 1);
    }
    // Several days are meant to repeat.
    if count == 0 || !(is_repeated || count > 1) {
        return None;
    }
    days.sort_by_key(|day| day.to_monday_zero_offset());
    days.dedup();
    Some((days, at - from))
}

/// The days of a word, and whether the word alone says that they repeat.
fn day_group(word: &str, is_every: bool) -> Option<(Vec<Weekday>, bool)> {
    let all = || crate::occurrence::DAYS.map(|(_, day)| day);
    match word {
        "day" if is_every => Some((all().to_vec(), true)),
        "daily" => Some((all().to_vec(), true)),
        "weekday" if is_every => Some((all()[..5].to_vec(), true)),
        "weekdays" => Some((all()[..5].to_vec(), true)),
        "weekend" if is_every => Some((all()[5..].to_vec(), true)),
        "weekends" => Some((all()[5..].to_vec(), true)),
        _ => match weekday(word) {
            Some(day) => Some((vec![day], false)),
            None => Some((vec![weekday(word.strip_suffix('s')?)?], true)),
        },
    }
}

/// A day of the week, in full or shortened.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    match word {
        "monday" | "mon" => Some(Weekday::Monday),
        "tuesday" | "tue" | "tues" => Some(Weekday::Tuesday),
        "wednesday" | "wed" => Some(Weekday::Wednesday),
        "thursday" | "thu" | "thur" | "thurs" => Some(Weekday::Thursday),
        "friday" | "fri" => Some(Weekday::Friday),
        "saturday" | "sat" => Some(Weekday::Saturday),
        "sunday" | "sun" => Some(Weekday::Sunday),
        _ => None,
    }
}

/// A month, in full or its first three letters.
pub(super) fn month(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let is_named = |name: &&str| *name == word || word.len() == 3 && name.starts_with(word);
    MONTHS.iter().position(is_named).map(|index| index as i8 + 1)
}

/// `5`, `5th`.
pub(super) fn ordinal(word: &str) -> Option<i8> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|ending| word.strip_suffix(ending)).unwrap_or(word);
    digits.parse().ok().filter(|day| (1..=31).contains(day))
}

/// A city or region of up to four words, by the last part of the zones' names.
pub(super) fn named_zone(words: &Words, at: usize) -> Option<(String, usize)> {
    (1..=4_usize).rev().find_map(|count| {
        let city: Option<Vec<&str>> = (at..at + count).map(|at| words.lower(at)).collect();
        Some((zone_of_city(&city?.join(" "))?, count))
    })
}

/// `Europe/Paris`, `UTC`.
pub(super) fn zone_name(words: &Words, at: usize) -> Option<(String, usize)> {
    let word = words.lower(at)?;
    if !word.contains('/') && !matches!(word, "utc" | "gmt") {
        return None;
    }
    let name = jiff::tz::db().available().map(|name| name.to_string()).find(|name| name.to_lowercase() == word)?;
    Some((name, 1))
}

fn zone_of_city(city: &str) -> Option<String> {
    let is_it = |name: &String| {
        let last = name.rsplit('/').next().unwrap_or_default();
        last.to_lowercase().replace('_', " ") == city
    };
    let mut found: Vec<String> = jiff::tz::db().available().map(|name| name.to_string()).filter(is_it).collect();
    // Names of cities have their area before them; shorter names are older ones.
    found.sort_by_key(|name| (!name.contains('/'), name.len()));
    found.into_iter().find(|name| zone(name).is_some())
}
