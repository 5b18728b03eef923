//! When something happens: at a time of day in a time zone, on a date or on days of the week. Pure.

use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use kit::{Missed, Rule};

/// Words for days of the week, Monday first: as stored and sent.
pub const DAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

/// A time of day in a zone, on one date or on days of the week.
#[derive(Debug, Clone, PartialEq)]
pub struct Occurrence {
    /// The local time.
    pub time: Time,
    /// The date, if it happens once.
    pub date: Option<Date>,
    /// The days, if it repeats, Monday first. Empty if `date` is set.
    pub days: Vec<Weekday>,
    /// Its name in the IANA database.
    pub zone: String,
}

impl Occurrence {
    /// The first occurrence after an instant, in milliseconds since 1970. `None` if there is none.
    pub fn next_after(&self, after_ms: i64) -> Option<i64> {
        let zone = zone(&self.zone)?;
        match self.date {
            Some(date) => schedule::instant_ms(date.to_datetime(self.time), &zone).filter(|at_ms| *at_ms > after_ms),
            None => {
                let rule = Rule::Weekly(self.days.clone(), self.time);
                schedule::next_after(&rule, Missed::RunOnce, Some(after_ms), after_ms, &zone)
            }
        }
    }

    /// Whether it repeats.
    pub fn repeats(&self) -> bool {
        self.date.is_none()
    }
}

/// A time zone by its name in the IANA database.
pub fn zone(name: &str) -> Option<TimeZone> {
    TimeZone::get(name).ok()
}

/// The local time in a zone.
pub fn local(ms: i64, zone: &TimeZone) -> DateTime {
    Zoned::new(Timestamp::from_millisecond(ms).unwrap_or_default(), zone.clone()).datetime()
}

/// The first date from today on at which a time of day is still to come.
pub fn next_date(time: Time, now_ms: i64, zone: &TimeZone) -> Option<Date> {
    let at_ms = schedule::next_after(&Rule::Daily(time), Missed::RunOnce, Some(now_ms), now_ms, zone)?;
    Some(local(at_ms, zone).date())
}

/// The word of a day.
pub fn day_word(day: Weekday) -> &'static str {
    DAYS[day.to_monday_zero_offset() as usize].0
}

/// The days of a list of words, Monday first. `None` if one isn't a day.
pub fn days_of<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<Vec<Weekday>> {
    let find = |word: &str| DAYS.iter().find(|(name, _)| *name == word).map(|(_, day)| *day);
    let mut days = words.into_iter().map(find).collect::<Option<Vec<_>>>()?;
    days.sort_by_key(|day| day.to_monday_zero_offset());
    days.dedup();
    Some(days)
}

/// A time of day as sent: `09:30`, with seconds only if it has any.
pub fn time_text(time: Time) -> String {
    match time.second() {
        0 => format!("{:02}:{:02}", time.hour(), time.minute()),
        second => format!("{:02}:{:02}:{second:02}", time.hour(), time.minute()),
    }
}
