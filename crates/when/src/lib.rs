//! Times as people write them: "tomorrow 9am", "in 2 hours", "next monday", or RFC 3339.
//!
//! Also times that repeat ("every weekday at 9:30"): as a sentence (`language`), as fields (`fields`), and when they come next
//! (`occurrence`).
//!
//! Invariant: pure, and the same text, time, and zone give the same result; the result is always in the future.
//! Deliberately not here: doing something at those times, which is `schedule`.

use interim::{Dialect, parse_date_string};
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};

/// Maximum characters of a text.
pub const CHARS_MAX: usize = 80;
/// Examples for messages and hints.
pub const EXAMPLES: &str = "`in 2 hours`, `tomorrow 9am`, `next monday`, or an RFC 3339 time";

/// The time of a day that is named without one.
const MORNING: &str = "9:00";

/// Why a text gives no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unclear {
    /// It isn't a time.
    NotATime,
    /// It isn't in the future.
    Past,
}

pub mod fields;
pub mod language;
pub mod occurrence;
mod sentence;

pub use sentence::{Found, find};

/// A day, and a time of it if one was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// The local date.
    pub date: Date,
    /// The local time, to the minute.
    pub time: Option<Time>,
}

/// The day that a text means, which may have passed.
pub fn day(text: &str, now_ms: i64, zone: &TimeZone) -> Result<Day, Unclear> {
    let text = text.trim();
    if text.is_empty() || text.chars().nth(CHARS_MAX).is_some() {
        return Err(Unclear::NotATime);
    }
    let now = Timestamp::from_millisecond(now_ms).map_err(|_| Unclear::NotATime)?.to_zoned(zone.clone());
    let (at, has_time) = match exact(text, zone) {
        Some(at) => (at, true),
        None => spoken(&text.to_lowercase(), &now).ok_or(Unclear::NotATime)?,
    };
    // Later years have more than four digits.
    if !(0..=9999).contains(&at.date().year()) {
        return Err(Unclear::NotATime);
    }
    let minute = Time::constant(at.hour(), at.minute(), 0, 0);
    Ok(Day { date: at.date(), time: has_time.then_some(minute) })
}

/// The instant that a text means, in milliseconds since 1970. A day without a time starts at 9:00.
pub fn when(text: &str, now_ms: i64, zone: &TimeZone) -> Result<i64, Unclear> {
    let text = text.trim();
    if text.is_empty() || text.chars().nth(CHARS_MAX).is_some() {
        return Err(Unclear::NotATime);
    }
    let now = Timestamp::from_millisecond(now_ms).map_err(|_| Unclear::NotATime)?.to_zoned(zone.clone());
    let spoken = || spoken(&text.to_lowercase(), &now).map(|(at, _)| at);
    let at = exact(text, zone).or_else(spoken).ok_or(Unclear::NotATime)?;
    if at > now { Ok(at.timestamp().as_millisecond()) } else { Err(Unclear::Past) }
}

/// RFC 3339, with a zone or without.
fn exact(text: &str, zone: &TimeZone) -> Option<Zoned> {
    match text.parse::<Timestamp>() {
        Ok(at) => Some(at.to_zoned(zone.clone())),
        // A date alone has no hour: `spoken` gives it one.
        Err(_) if text.contains(':') => text.parse::<DateTime>().ok()?.to_zoned(zone.clone()).ok(),
        Err(_) => None,
    }
}

/// English words, and whether they name a time of day.
fn spoken(text: &str, now: &Zoned) -> Option<(Zoned, bool)> {
    let words = words(text);
    let all: Vec<&str> = words.iter().map(String::as_str).collect();
    if all.is_empty() {
        return None;
    }
    let (day, time) = match all[..] {
        ["next", "week", ref time @ ..] => (format!("{}", days_from(now, Weekday::Monday)?), time),
        ["weekend", ref time @ ..] => (format!("{}", days_from(now, Weekday::Saturday)?), time),
        _ => (String::new(), &all[..]),
    };
    let has_time = time.iter().any(|word| is_time(word));
    let names_time = has_time || is_clock_span(time);
    let text = match (day.as_str(), has_time) {
        ("", true) => time.join(" "),
        ("", false) if is_span(time) => time.join(" "),
        ("", false) => format!("{} {MORNING}", time.join(" ")),
        (day, true) => format!("{day} {}", time.join(" ")),
        (day, false) => format!("{day} {MORNING}"),
    };
    let at = parse_date_string(&text, now.clone(), Dialect::Us).ok()?;
    // A time that has passed today means tomorrow's, and "next monday" on a Monday is the one in a week.
    let is_only_time = all.iter().all(|word| is_time(word));
    let is_todays_next = all.first() == Some(&"next") && day.is_empty() && at.date() == now.date();
    let at = match () {
        () if is_only_time && at <= *now => at.checked_add(1.day()).ok()?,
        () if is_todays_next => at.checked_add(7.days()).ok()?,
        () => at,
    };
    Some((at, names_time))
}

/// The text's words, as the grammar knows them.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_after_at = false;
    let spoken: Vec<&str> = text.split_whitespace().collect();
    for (nth, word) in spoken.iter().copied().enumerate() {
        // "at 9" and "tomorrow 9" name an hour, "at 9 pm" one with its half.
        let is_after_day = words.last().is_some_and(|last| is_day_word(last));
        let has_half = matches!(spoken.get(nth + 1), Some(&"am" | &"pm"));
        if let Some(hour) = bare_hour(word).filter(|_| (is_after_at || is_after_day) && !has_half) {
            words.push(hour);
            is_after_at = false;
            continue;
        }
        is_after_at = word == "at";
        let known = match word {
            // The noise of speech; "an hour" and "half an hour" are numbers.
            "in" | "at" | "on" | "for" | "the" | "this" => continue,
            "a" | "an" if words.last().is_some_and(|last| last == "half") => continue,
            "a" | "an" | "one" => "1",
            "two" => "2",
            "three" => "3",
            "morning" => MORNING,
            "hr" | "hrs" => "hours",
            "noon" | "midday" => "12:00",
            "afternoon" => "15:00",
            "evening" => "18:00",
            "night" => "20:00",
            "midnight" => "24:00",
            "tonight" => "today 20:00",
            word => word,
        };
        words.extend(known.split(' ').map(str::to_owned));
    }
    if let Some(at) = words.iter().position(|word| word == "half") {
        let is_hour = words.get(at + 1).is_some_and(|unit| unit == "hour");
        if is_hour {
            words.splice(at..at + 2, ["30".to_owned(), "minutes".to_owned()]);
        }
    }
    // "9 am" is "9am", and "later today" is a while from now.
    while let Some(at) = words.iter().position(|word| word == "am" || word == "pm").filter(|at| *at > 0) {
        let half = words.remove(at);
        words[at - 1].push_str(&half);
    }
    for word in &mut words {
        if let Some(time) = on_clock(word) {
            *word = time;
        }
    }
    month_first(&mut words);
    if words == ["later"] || words == ["later", "today"] {
        return vec!["3".into(), "hours".into()];
    }
    words
}

/// Puts a date's month before its day, with its year or in the next 12 months.
fn month_first(words: &mut Vec<String>) {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let is_month = |word: &String| MONTHS.iter().any(|month| word.starts_with(month));
    let is_number = |word: &String| word.bytes().all(|digit| digit.is_ascii_digit());
    if words.len() > 1 && is_number(&words[0]) && is_month(&words[1]) {
        words.swap(0, 1);
    }
    if words.len() < 2 || !is_month(&words[0]) {
        return;
    }
    match words.get(2).is_some_and(|year| year.len() == 4 && is_number(year)) {
        true => words[1] = format!("{},", words[1].trim_end_matches(',')),
        false => words.insert(0, "next".into()),
    }
}

/// A time of day with its half, such as `9am` or `6.03pm`, as the grammar reads it after any day: `18:03`.
fn on_clock(word: &str) -> Option<String> {
    let (digits, is_pm) = match (word.strip_suffix("am"), word.strip_suffix("pm")) {
        (Some(digits), _) => (digits, false),
        (_, Some(digits)) => (digits, true),
        _ => return None,
    };
    let (hour, minute) = digits.split_once(['.', ':']).unwrap_or((digits, "00"));
    let (hour, minute): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
    let is_clock = (1..=12).contains(&hour) && minute < 60;
    is_clock.then(|| format!("{}:{minute:02}", hour % 12 + if is_pm { 12 } else { 0 }))
}

/// Whether a word is a time of day.
fn is_time(word: &str) -> bool {
    word.split_once(':').is_some_and(|(hour, _)| !hour.is_empty() && hour.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Whether words are a span of minutes, hours, or days from now, which keep the time of day.
fn is_span(words: &[&str]) -> bool {
    is_clock_span(words)
        || unit(&words.concat()).is_some_and(|unit| matches!(unit, "d" | "day" | "days" | "w" | "week" | "weeks"))
}

/// Whether words are a span of seconds, minutes, or hours.
fn is_clock_span(words: &[&str]) -> bool {
    let text = words.concat();
    unit(&text).is_some_and(|unit| {
        ["s", "sec", "m", "min", "h", "hour"].iter().any(|short| {
            unit.strip_prefix(short).is_some_and(|rest| matches!(rest, "" | "s" | "onds" | "ond" | "utes" | "ute"))
        })
    })
}

/// What follows the number of a span.
fn unit(text: &str) -> Option<&str> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (unit.len() < text.len()).then_some(unit)
}

/// Whether a word names a day, after which a number is an hour.
fn is_day_word(word: &str) -> bool {
    const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    matches!(word, "today" | "tomorrow" | "weekend" | "week")
        || word.len() >= 3 && DAYS.iter().any(|day| day.starts_with(word))
}

/// An hour without minutes and half: 7 to 12 as said, 1 to 6 in the afternoon, unless written as `05`.
fn bare_hour(word: &str) -> Option<String> {
    let hour: u32 = word.parse().ok().filter(|hour| word.len() <= 2 && *hour < 24)?;
    let is_afternoon = word.len() == 1 && (1..=6).contains(&hour);
    Some(format!("{}:00", if is_afternoon { hour + 12 } else { hour }))
}

/// The next such day, never today.
fn days_from(now: &Zoned, day: Weekday) -> Option<jiff::civil::Date> {
    now.date().nth_weekday(1, day).ok()
}

#[cfg(test)]
mod tests;
