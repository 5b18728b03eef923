//! When a rule is due next: pure, without a clock.

use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{Timestamp, ToSpan};
use kit::job::{Missed, Rule};

/// A run that begins within this time of its own is in time: [`Missed::Skip`] doesn't skip it.
const IN_TIME_MS: i64 = 60_000;
/// A last run further in the future is a clock's that was wrong, and not counted: otherwise nothing would run until then.
const WRONG_CLOCK_MS: i64 = 7 * 24 * 3_600_000;
/// Times of day that a search passes over at most: every minute that a clock put back repeats, with room.
const STEPS_MAX: usize = 10_000;

/// When the rule is due next; now or earlier if it's due already, `None` if never. `last_ms` is when the last run began, or
/// since when the rule is followed.
///
/// A local time that doesn't exist moves to the next one that does, and a repeated one counts the first time. A clock that
/// was set forward has a missed run follow once, or not at all ([`Missed`]). While a clock that was set back hasn't passed
/// the last run again, nothing of a calendar is due.
pub fn next_after(rule: &Rule, missed: Missed, last_ms: Option<i64>, now_ms: i64, zone: &TimeZone) -> Option<i64> {
    let last_ms = last_ms.filter(|last_ms| *last_ms <= now_ms + WRONG_CLOCK_MS);
    if let Rule::Every(interval) = rule {
        let every_ms = i64::try_from(interval.as_millis()).unwrap_or(i64::MAX).max(1);
        let Some(last_ms) = last_ms else { return Some(now_ms) };
        // Intervals follow time that passes, not what the clock shows.
        let next_ms = last_ms.min(now_ms).saturating_add(every_ms);
        let late_ms = now_ms - IN_TIME_MS - next_ms;
        let skipped = if missed == Missed::Skip && late_ms > 0 { late_ms / every_ms + 1 } else { 0 };
        return Some(next_ms + skipped * every_ms);
    }
    let next_ms = calendar_after(rule, last_ms.unwrap_or(now_ms), zone)?;
    if missed == Missed::Skip && next_ms < now_ms - IN_TIME_MS {
        return calendar_after(rule, now_ms - IN_TIME_MS, zone);
    }
    Some(next_ms)
}

/// Why a rule can't be followed, if it can't.
pub fn check(rule: &Rule) -> Result<(), String> {
    match rule {
        Rule::Every(interval) if interval.is_zero() => Err("The interval must be longer than 0.".into()),
        Rule::Weekly(days, _) if days.is_empty() => Err("Name at least one day of the week.".into()),
        Rule::Cron(pattern) => cron(pattern).map(drop),
        _ => Ok(()),
    }
}

fn cron(pattern: &str) -> Result<croner::Cron, String> {
    let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
    parser.parse(pattern).map_err(|error| format!("{error} Use five fields, such as `30 8 * * 1-5`."))
}

/// The first time of a calendar after an instant.
fn calendar_after(rule: &Rule, after_ms: i64, zone: &TimeZone) -> Option<i64> {
    let mut local = zone.to_datetime(Timestamp::from_millisecond(after_ms).ok()?);
    let cron = match rule {
        Rule::Cron(pattern) => Some(cron(pattern).ok()?),
        _ => None,
    };
    // Local times map to instants in order. Only those that a clock put back repeats lie behind and are passed over.
    for _ in 0..STEPS_MAX {
        local = match (rule, &cron) {
            (_, Some(cron)) => cron.find_next_occurrence(&local, false).ok()?,
            (Rule::Daily(at), _) => on_days(local, |_| true).map(|day| day.to_datetime(*at)).find(|at| *at > local)?,
            (Rule::Weekly(days, at), _) => {
                on_days(local, |day| days.contains(&day)).map(|day| day.to_datetime(*at)).find(|at| *at > local)?
            }
            (Rule::Every(_) | Rule::Cron(_), None) => return None,
        };
        let at_ms = instant_ms(local, zone)?;
        if at_ms > after_ms {
            return Some(at_ms);
        }
    }
    None
}

/// The days from a local time's own on, as far as the same day of the next week.
fn on_days(from: DateTime, is_one: impl Fn(Weekday) -> bool) -> impl Iterator<Item = Date> {
    (0..=7).filter_map(move |days| from.date().checked_add(days.days()).ok()).filter(move |day| is_one(day.weekday()))
}

/// When clocks show a local time, or the next one that exists; the first time if they show it twice.
pub fn instant_ms(local: DateTime, zone: &TimeZone) -> Option<i64> {
    let offset_ms = |offset: jiff::tz::Offset| offset.to_timestamp(local).ok().map(|at| at.as_millisecond());
    match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } | AmbiguousOffset::Fold { before: offset, .. } => offset_ms(offset),
        AmbiguousOffset::Gap { before, after } => {
            // By the new offset the time would be before the change: the change is the first one from there on.
            let earlier = after.to_timestamp(local).ok()?;
            let change =
                zone.following(earlier).find(|change| change.offset() == after && change.offset() != before)?;
            Some(change.timestamp().as_millisecond())
        }
    }
}
