//! Sentences that say when, once or again and again, and what for: a small English grammar, without a model. Pure.

mod words;

use crate::occurrence::{Occurrence, local, next_date, zone};
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, ToSpan};
use words::{Words, clock_time, duration, month, named_zone, part_of_day, weekday};

/// The longest "in ...".
const IN_MS_MAX: i64 = 366 * kit::clock::DAY_MS;

/// A sentence as understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Understood {
    /// Empty if it has none.
    pub label: String,
    /// When.
    pub occurrence: Occurrence,
    /// The instant, if the sentence counts from now.
    pub at_ms: Option<i64>,
}

/// The date of a sentence, before its time zone is known.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Day {
    InDays(i64),
    /// The next one; `true` if today doesn't count.
    Next(Weekday, bool),
    Yearly(i8, i8),
    Fixed(Date),
}

/// What was found so far.
#[derive(Debug, Default)]
struct Found {
    in_ms: Option<i64>,
    time: Option<Time>,
    /// Whether the words say "in the afternoon" and the like; false is the morning.
    is_later_half: Option<bool>,
    day: Option<Day>,
    days: Vec<Weekday>,
    zone: Option<String>,
    label: Vec<String>,
}

/// Reads a sentence; `None` if it has a word that isn't understood, or no time. `home` is the zone if it names none.
pub fn understand(text: &str, now_ms: i64, home: &str) -> Option<Understood> {
    let (text, quoted) = words::without_quoted(text);
    let words = Words::new(&text);
    let mut found = Found::default();
    let mut at = 0;
    while at < words.len() {
        at += match clause(&words, at, &mut found) {
            Some(count) => count,
            None if words.is(at, "for") && clause(&words, at + 1, &mut Found::default()).is_some() => 1,
            None if words.is_one_of(at, words::LABEL_BEGINS) => label(&words, at, &mut found),
            None if words.is_one_of(at, words::FILLERS) => 1,
            None => return None,
        };
    }
    let label = quoted.unwrap_or_else(|| found.label.join(" "));
    conclude(found, label, now_ms, home)
}

/// The words of a label, as far as the next clause. How many words they are.
fn label(words: &Words, from: usize, found: &mut Found) -> usize {
    let ends =
        |at: usize| words.is_one_of(at, words::CLAUSE_BEGINS) && clause(words, at, &mut Found::default()).is_some();
    let end = (from + 1..words.len()).find(|at| ends(*at)).unwrap_or(words.len());
    found.label.extend((from + 1..end).map(|at| words.written(at).to_owned()));
    end - from
}

/// Reads one clause; how many words it has. Each part can be said only once.
fn clause(words: &Words, at: usize, found: &mut Found) -> Option<usize> {
    if words.is(at, "in") {
        if let Some((ms, count)) = duration(words, at + 1) {
            return set(&mut found.in_ms, ms).map(|()| count + 1);
        }
        if let Some((is_later_half, count)) = part_of_day(words, at + 1) {
            return set(&mut found.is_later_half, is_later_half).map(|()| count + 1);
        }
        let (zone, count) = named_zone(words, at + 1)?;
        return set(&mut found.zone, zone).map(|()| count + 1);
    }
    if let Some((days, count)) = words::repeated_days(words, at) {
        return found.days.is_empty().then(|| found.days = days).map(|()| count);
    }
    if let Some((day, is_tonight, count)) = one_day(words, at) {
        set(&mut found.day, day)?;
        return if is_tonight { set(&mut found.is_later_half, true) } else { Some(()) }.map(|()| count);
    }
    let skipped = usize::from(words.is(at, "at"));
    if let Some((time, count)) = clock_time(words, at + skipped) {
        return set(&mut found.time, time).map(|()| count + skipped);
    }
    let (zone, count) = words::zone_name(words, at)?;
    set(&mut found.zone, zone).map(|()| count)
}

fn set<T>(slot: &mut Option<T>, value: T) -> Option<()> {
    slot.is_none().then(|| *slot = Some(value))
}

/// A single day, whether it's tonight, and how many words say so.
fn one_day(words: &Words, at: usize) -> Option<(Day, bool, usize)> {
    let skipped = usize::from(words.is(at, "on"));
    let first = at + skipped;
    let (day, is_tonight, count) = match words.lower(first)? {
        "today" => (Day::InDays(0), false, 1),
        "tonight" => (Day::InDays(0), true, 1),
        "tomorrow" => (Day::InDays(1), false, 1),
        "the" if words.are(first, &["the", "day", "after", "tomorrow"]) => (Day::InDays(2), false, 4),
        "day" if words.are(first, &["day", "after", "tomorrow"]) => (Day::InDays(2), false, 3),
        "next" => (Day::Next(weekday(words.lower(first + 1)?)?, true), false, 2),
        "this" => (Day::Next(weekday(words.lower(first + 1)?)?, false), false, 2),
        word => match weekday(word) {
            Some(day) => (Day::Next(day, false), false, 1),
            None => {
                let (day, count) = calendar_day(words, first)?;
                (day, false, count)
            }
        },
    };
    Some((day, is_tonight, count + skipped))
}

/// `2026-03-05`, `March 5`, `5th of March 2027`.
fn calendar_day(words: &Words, at: usize) -> Option<(Day, usize)> {
    let first = words.lower(at)?;
    if let Ok(date) = first.parse::<Date>() {
        return first.contains('-').then_some((Day::Fixed(date), 1));
    }
    let (month, day, count) = match month(first) {
        Some(month) => (month, words::ordinal(words.lower(at + 1)?)?, 2),
        None => {
            let of = usize::from(words.is(at + 1, "of"));
            (month(words.lower(at + 1 + of)?)?, words::ordinal(first)?, 2 + of)
        }
    };
    // A leap day exists in some year.
    Date::new(2024, month, day).ok()?;
    let year = words.lower(at + count).filter(|word| word.len() == 4).and_then(|word| word.parse().ok());
    match year {
        Some(year) => Some((Day::Fixed(Date::new(year, month, day).ok()?), count + 1)),
        None => Some((Day::Yearly(month, day), count)),
    }
}

/// Puts together what was found.
fn conclude(mut found: Found, label: String, now_ms: i64, home: &str) -> Option<Understood> {
    let zone_name = found.zone.take().unwrap_or_else(|| home.to_owned());
    let zone = zone(&zone_name)?;
    if let Some(ms) = found.in_ms.filter(|ms| *ms <= IN_MS_MAX) {
        if found.day.is_some() || !found.days.is_empty() {
            return None;
        }
        let whole_days = (ms % kit::clock::DAY_MS == 0).then_some(ms / kit::clock::DAY_MS);
        match (found.time, whole_days) {
            (None, _) => {
                let at = local(now_ms + ms, &zone);
                let time = at.time().with().subsec_nanosecond(0).build().ok()?;
                let occurrence = Occurrence { time, date: Some(at.date()), days: Vec::new(), zone: zone_name };
                return Some(Understood { label, occurrence, at_ms: Some(now_ms + ms) });
            }
            (Some(_), Some(days)) => found.day = Some(Day::InDays(days)),
            (Some(_), None) => return None,
        }
    } else if found.in_ms.is_some() {
        return None;
    }
    let mut time = found.time?;
    match found.is_later_half {
        Some(true) if (1..12).contains(&time.hour()) => time = time.checked_add(SignedDuration::from_hours(12)).ok()?,
        Some(false) if time.hour() == 12 => time = time.with().hour(0).build().ok()?,
        _ => {}
    }
    let date = match (found.day, found.days.is_empty()) {
        (Some(_), false) => return None,
        (Some(day), true) => Some(date_of(day, time, now_ms, &zone)?),
        (None, true) => Some(next_date(time, now_ms, &zone)?),
        (None, false) => None,
    };
    let occurrence = Occurrence { time, date, days: found.days, zone: zone_name };
    Some(Understood { label, occurrence, at_ms: None })
}

fn date_of(day: Day, time: Time, now_ms: i64, zone: &TimeZone) -> Option<Date> {
    let now = local(now_ms, zone);
    let today = now.date();
    // The first day on which the time is still to come.
    let from = if time > now.time() { today } else { today.tomorrow().ok()? };
    match day {
        Day::InDays(days) => today.checked_add(days.days()).ok(),
        Day::Fixed(date) => Some(date),
        Day::Next(weekday, skips_today) => {
            let from = if skips_today { today.tomorrow().ok()? } else { from };
            (0..7).filter_map(|days| from.checked_add(days.days()).ok()).find(|date| date.weekday() == weekday)
        }
        Day::Yearly(month, day) => {
            let years = i32::from(from.year())..;
            let dates = years.take(9).filter_map(|year| Date::new(i16::try_from(year).ok()?, month, day).ok());
            dates.into_iter().find(|date| *date >= from)
        }
    }
}
