//! Times that were sent in fields: a time of day with a date or days, in a zone. Checked, and shown again.

use crate::occurrence::{DAYS, Occurrence, next_date, time_text, zone};
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use kit::{Result, fault, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// For schemas: a time of day.
pub const TIME: &str = "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$";
/// For schemas: a date.
pub const DATE: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";
/// Maximum characters of a time zone's name.
pub const ZONE_CHARS_MAX: usize = 64;

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ScheduleDay")]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Day {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

impl Day {
    /// All, Monday first.
    pub const ALL: [Day; 7] = [Day::Mon, Day::Tue, Day::Wed, Day::Thu, Day::Fri, Day::Sat, Day::Sun];

    /// The same day.
    pub fn weekday(self) -> Weekday {
        DAYS[self as usize].1
    }
    /// From a day.
    pub fn from_weekday(day: Weekday) -> Day {
        Day::ALL[day.to_monday_zero_offset() as usize]
    }
}

/// A time, once or on days of the week.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScheduleTime")]
#[serde(rename_all = "camelCase")]
pub struct TimeRecord {
    /// Time of day in its time zone: `09:30`.
    pub time: String,
    /// The date, if it's once; null if it repeats.
    pub date: Option<String>,
    /// The days, if it repeats. Empty if it's once.
    pub days: Vec<Day>,
    /// Its time zone, such as `Europe/Paris`.
    pub time_zone: String,
}

impl From<&Occurrence> for TimeRecord {
    fn from(occurrence: &Occurrence) -> TimeRecord {
        TimeRecord {
            time: time_text(occurrence.time),
            date: occurrence.date.map(|date| date.to_string()),
            days: occurrence.days.iter().map(|day| Day::from_weekday(*day)).collect(),
            time_zone: occurrence.zone.clone(),
        }
    }
}

/// Checked fields; `None` where nothing was sent.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    /// Time of day.
    pub time: Option<Time>,
    /// Date of something that is once.
    pub date: Option<Date>,
    /// Days of something that repeats; empty if it's to be once.
    pub days: Option<Vec<Weekday>>,
    /// Name of the time zone.
    pub zone: Option<String>,
}

impl Fields {
    /// Checks fields as they were sent.
    pub fn read(
        time_sent: Option<&str>,
        date_sent: Option<&str>,
        days: Option<&[Day]>,
        zone: Option<&str>,
    ) -> Result<Fields> {
        Ok(Fields {
            time: time_sent.map(time).transpose()?,
            date: date_sent.map(date).transpose()?,
            days: days.map(weekdays),
            zone: zone.map(zone_name).transpose()?,
        })
    }

    /// Whether nothing was sent.
    pub fn are_empty(&self) -> bool {
        self.time.is_none() && self.date.is_none() && self.days.is_none() && self.zone.is_none()
    }

    /// When, with parts of `before` where nothing was sent, in the zone `home` if none is named.
    pub fn occurrence(&self, before: Option<&Occurrence>, now_ms: i64, home: &str) -> Result<Occurrence> {
        let time = self.time.or(before.map(|before| before.time));
        let time = time.ok_or_else(|| invalid("/time", fault::MISSING, "Send time or text."))?;
        let zone_name = self.zone.clone().or(before.map(|before| before.zone.clone()));
        let zone_name = zone_name.unwrap_or_else(|| home.to_owned());
        let days = self.days.clone().unwrap_or_default();
        if self.date.is_some() && !days.is_empty() {
            return Err(invalid("/date", fault::ONE_OF, "Send date for once, or days to repeat."));
        }
        let occurrence = |date, days| Occurrence { time, date, days, zone: zone_name.clone() };
        if let Some(date) = self.date {
            let once = occurrence(Some(date), Vec::new());
            return match once.next_after(now_ms) {
                Some(_) => Ok(once),
                None => Err(invalid("/date", fault::OUT_OF_RANGE, "The time has passed. Use one in the future.")),
            };
        }
        if !days.is_empty() {
            return Ok(occurrence(None, days));
        }
        match before {
            Some(before) if self.days.is_none() && before.repeats() => Ok(occurrence(None, before.days.clone())),
            Some(before) if self.days.is_none() && occurrence(before.date, Vec::new()).next_after(now_ms).is_some() => {
                Ok(occurrence(before.date, Vec::new()))
            }
            _ => {
                let zone = zone(&zone_name).unwrap_or(TimeZone::UTC);
                let date = next_date(time, now_ms, &zone);
                let date = date.ok_or_else(|| invalid("/time", fault::OUT_OF_RANGE, "No such time follows."))?;
                Ok(occurrence(Some(date), Vec::new()))
            }
        }
    }
}

/// A time of day.
pub fn time(time: &str) -> Result<Time> {
    let is_digital = time.len() >= 5 && time.is_char_boundary(2) && time.as_bytes()[2] == b':';
    let parsed = is_digital.then(|| time.parse::<Time>().ok()).flatten();
    let whole = parsed.filter(|time| time.subsec_nanosecond() == 0);
    whole.ok_or_else(|| invalid("/time", fault::WRONG_FORMAT, "Use a time of day such as 09:30."))
}

/// A date.
pub fn date(date: &str) -> Result<Date> {
    let parsed = (date.len() == 10).then(|| date.parse().ok()).flatten();
    parsed.ok_or_else(|| invalid("/date", fault::WRONG_FORMAT, "Use a date such as 2026-03-05."))
}

/// Days in order, each once.
pub fn weekdays(days: &[Day]) -> Vec<Weekday> {
    let mut days: Vec<Weekday> = days.iter().map(|day| day.weekday()).collect();
    days.sort_by_key(|day| day.to_monday_zero_offset());
    days.dedup();
    days
}

/// The name of a time zone.
pub fn zone_name(name: &str) -> Result<String> {
    // Names of the database only: no offsets, and no paths.
    match zone(name).filter(|zone| zone.iana_name().is_some()) {
        Some(_) => Ok(name.to_owned()),
        None => Err(invalid("/timeZone", fault::WRONG_FORMAT, "Use a time zone name such as America/New_York.")),
    }
}
