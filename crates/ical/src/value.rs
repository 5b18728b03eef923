//! Times and durations.

use crate::text::Line;
use crate::zone::{Zone, Zones};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

/// A point in time as a calendar names it.
#[derive(Debug, Clone)]
pub enum Moment {
    /// A whole day.
    Day(Date),
    /// The same local time everywhere.
    Floating(DateTime),
    /// An instant.
    Utc(Timestamp),
    /// A local time in a zone.
    In(DateTime, Zone),
}

impl Moment {
    /// The instant, for somebody in the zone `viewer`. `None` outside of the years that can be computed with.
    pub fn ms(&self, viewer: &TimeZone) -> Option<i64> {
        match self {
            Moment::Utc(at) => Some(at.as_millisecond()),
            Moment::Day(date) => instant_ms(date.to_datetime(Time::midnight()), viewer),
            Moment::Floating(local) => instant_ms(*local, viewer),
            Moment::In(local, zone) => instant_ms(*local, zone.or(viewer)),
        }
    }

    /// The local time in its own zone.
    pub fn local(&self) -> DateTime {
        match self {
            Moment::Day(date) => date.to_datetime(Time::midnight()),
            Moment::Floating(local) | Moment::In(local, _) => *local,
            Moment::Utc(at) => TimeZone::UTC.to_datetime(*at),
        }
    }

    /// Whether it's a whole day.
    pub const fn is_day(&self) -> bool {
        matches!(self, Moment::Day(_))
    }

    /// The zone whose clocks it follows.
    pub fn zone<'a>(&'a self, viewer: &'a TimeZone) -> &'a TimeZone {
        match self {
            Moment::Utc(_) => const { &TimeZone::UTC },
            Moment::Day(_) | Moment::Floating(_) => viewer,
            Moment::In(_, zone) => zone.or(viewer),
        }
    }

    /// The same kind of moment at another local time.
    pub fn at(&self, local: DateTime) -> Option<Moment> {
        Some(match self {
            Moment::Day(_) => Moment::Day(local.date()),
            Moment::Floating(_) => Moment::Floating(local),
            Moment::In(_, zone) => Moment::In(local, zone.clone()),
            Moment::Utc(_) => Moment::Utc(TimeZone::UTC.to_timestamp(local).ok()?),
        })
    }

    /// The same kind of moment at an instant.
    pub fn at_ms(&self, ms: i64, viewer: &TimeZone) -> Option<Moment> {
        let at = Timestamp::from_millisecond(ms).ok()?;
        match self {
            Moment::Utc(_) => Some(Moment::Utc(at)),
            _ => self.at(self.zone(viewer).to_datetime(at)),
        }
    }

    /// Names an occurrence: the same in each text that means this moment of this series.
    pub fn key(&self) -> String {
        match self {
            Moment::Day(date) => day_text(*date),
            Moment::Floating(local) => local_text(*local),
            Moment::Utc(at) => utc_text(*at),
            // By its instant, because the zone may be named differently.
            Moment::In(local, zone) => {
                let at = zone.zone.as_ref().and_then(|zone| instant(*local, zone));
                at.map_or_else(|| local_text(*local), utc_text)
            }
        }
    }

    /// As a property.
    pub fn line(&self, name: &str) -> Line {
        match self {
            Moment::Day(date) => Line::new(name, day_text(*date)).with("VALUE", "DATE"),
            Moment::Floating(local) => Line::new(name, local_text(*local)),
            Moment::Utc(at) => Line::new(name, utc_text(*at)),
            Moment::In(local, zone) => Line::new(name, local_text(*local)).with("TZID", &zone.id),
        }
    }

    /// As `UNTIL` of a rule whose series begins with a moment of this kind.
    pub(crate) fn until(&self, viewer: &TimeZone) -> String {
        match self {
            Moment::Day(date) => day_text(*date),
            Moment::Floating(local) => local_text(*local),
            _ => match self.ms(viewer).and_then(|ms| Timestamp::from_millisecond(ms).ok()) {
                Some(at) => utc_text(at),
                None => local_text(self.local()),
            },
        }
    }
}

/// A local time as an instant. A time that a change of clocks leaves out is as long after the change as it's after the last time
/// before; of a time that there is twice, the first.
pub(crate) fn instant(local: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    zone.to_ambiguous_zoned(local).compatible().ok().map(|zoned| zoned.timestamp())
}

fn instant_ms(local: DateTime, zone: &TimeZone) -> Option<i64> {
    instant(local, zone).map(Timestamp::as_millisecond)
}

pub(crate) fn day_text(date: Date) -> String {
    format!("{:04}{:02}{:02}", date.year().max(0), date.month(), date.day())
}

pub(crate) fn local_text(at: DateTime) -> String {
    format!("{}T{:02}{:02}{:02}", day_text(at.date()), at.hour(), at.minute(), at.second())
}

pub(crate) fn utc_text(at: Timestamp) -> String {
    format!("{}Z", local_text(TimeZone::UTC.to_datetime(at)))
}

/// A date or a time: `20260301`, `20260301T090000`, `20260301T090000Z`, also with the separators of ISO 8601.
pub(crate) enum Plain {
    Day(Date),
    Local(DateTime),
    Utc(Timestamp),
}

pub(crate) fn plain(text: &str) -> Option<Plain> {
    let text: String = text.trim().chars().filter(|sign| !matches!(sign, '-' | ':')).collect();
    let (day, time) = match text.split_once(['T', 't']) {
        Some((day, time)) => (day, Some(time)),
        None => (&*text, None),
    };
    if day.len() != 8 || !day.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let date = Date::new(day[..4].parse().ok()?, day[4..6].parse().ok()?, day[6..].parse().ok()?).ok()?;
    let Some(time) = time else { return Some(Plain::Day(date)) };
    let (time, is_utc) = match time.strip_suffix(['Z', 'z']) {
        Some(time) => (time, true),
        None => (time, false),
    };
    let digits = time.split('.').next().unwrap_or(time);
    if !matches!(digits.len(), 4 | 6) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let part = |at: usize| digits.get(at..at + 2).map_or(Some(0), |two| two.parse::<i8>().ok());
    // A leap second is the second before it here.
    let local = date.to_datetime(Time::new(part(0)?, part(2)?, part(4)?.min(59), 0).ok()?);
    if is_utc { TimeZone::UTC.to_timestamp(local).ok().map(Plain::Utc) } else { Some(Plain::Local(local)) }
}

/// The moment that a text names, with the parameters of its property.
pub fn parse_moment(line: &Line, text: &str, zones: &Zones) -> Option<Moment> {
    let is_day = line.param("VALUE").is_some_and(|value| value.eq_ignore_ascii_case("DATE"));
    Some(match plain(text)? {
        Plain::Day(date) => Moment::Day(date),
        Plain::Local(local) if is_day => Moment::Day(local.date()),
        Plain::Utc(at) if is_day => Moment::Day(TimeZone::UTC.to_datetime(at).date()),
        Plain::Utc(at) => Moment::Utc(at),
        Plain::Local(local) => match line.param("TZID").filter(|id| !id.is_empty()) {
            Some(id) => Moment::In(local, zones.find(&id)),
            None => Moment::Floating(local),
        },
    })
}

/// A duration such as `-PT15M` or `P1W`, in milliseconds, up to 100 years.
pub fn duration_ms(text: &str) -> Option<i64> {
    const MAX: i64 = 100 * 366 * 86_400;
    let text = text.trim();
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let rest = rest.strip_prefix(['P', 'p'])?;
    let (mut seconds, mut number, mut is_time, mut has_digits) = (0_i64, 0_i64, false, false);
    for sign in rest.chars() {
        match sign.to_ascii_uppercase() {
            'T' => is_time = true,
            digit @ '0'..='9' => {
                has_digits = true;
                number = (number * 10 + i64::from(digit as u32 - '0' as u32)).min(MAX);
            }
            unit => {
                let each = match (unit, is_time) {
                    ('W', false) => 604_800,
                    ('D', false) => 86_400,
                    ('H', _) => 3_600,
                    ('M', true) => 60,
                    ('S', _) => 1,
                    _ => return None,
                };
                seconds = (seconds + number.saturating_mul(each)).min(MAX);
                number = 0;
            }
        }
    }
    has_digits.then_some(sign * seconds * 1000)
}
