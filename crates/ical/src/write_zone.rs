//! Writing a time zone into a calendar, for those who don't know its name.

use crate::text::{Component, Line};
use crate::value::local_text;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::{Offset, TimeZone};

/// Years that are written one by one where no rule fits.
const YEARS: i16 = 10;

/// `VTIMEZONE` of a zone, right from the year of `from` on.
pub(crate) fn vtimezone(id: &str, zone: &TimeZone, from: Date) -> Component {
    let mut component = Component::new("VTIMEZONE");
    component.lines.push(Line::new("TZID", id));
    let year = from.year().clamp(1900, 2200);
    let begin = |year: i16| {
        Date::new(year, 1, 1).ok().and_then(|date| TimeZone::UTC.to_timestamp(date.to_datetime(Time::midnight())).ok())
    };
    let (first, end) = (begin(year - 1).unwrap_or_default(), begin(year + YEARS).unwrap_or_default());
    let changes: Vec<Change> = zone
        .following(first)
        .take_while(|change| change.timestamp() < end)
        .take(100)
        .map(|change| Change::new(zone, change.timestamp(), change.offset(), change.dst().is_dst()))
        .filter(|change| change.before != change.after)
        .collect();
    if changes.is_empty() {
        let offset = zone.to_offset(first);
        component.children.push(part("STANDARD", "19700101T000000", offset, offset));
        return component;
    }
    for is_dst in [false, true] {
        let of_kind: Vec<&Change> = changes.iter().filter(|change| change.is_dst == is_dst).collect();
        let Some(first) = of_kind.first() else { continue };
        let name = if is_dst { "DAYLIGHT" } else { "STANDARD" };
        let mut written = part(name, &local_text(first.local), first.before, first.after);
        if let Some(rule) = rule(&of_kind) {
            written.lines.push(Line::new("RRULE", rule));
            component.children.push(written);
            continue;
        }
        component.children.push(written);
        for change in &of_kind[1..] {
            component.children.push(part(name, &local_text(change.local), change.before, change.after));
        }
    }
    component
}

struct Change {
    /// By the clock before the change.
    local: DateTime,
    before: Offset,
    after: Offset,
    is_dst: bool,
}

impl Change {
    fn new(zone: &TimeZone, at: Timestamp, after: Offset, is_dst: bool) -> Change {
        let before =
            at.checked_sub(jiff::SignedDuration::from_secs(1)).map_or(after, |earlier| zone.to_offset(earlier));
        Change { local: before.to_datetime(at), before, after, is_dst }
    }
}

fn part(name: &str, start: &str, before: Offset, after: Offset) -> Component {
    let mut part = Component::new(name);
    part.lines = vec![
        Line::new("DTSTART", start),
        Line::new("TZOFFSETFROM", offset_text(before)),
        Line::new("TZOFFSETTO", offset_text(after)),
    ];
    part
}

fn offset_text(offset: Offset) -> String {
    let seconds = offset.seconds();
    let (sign, rest) = (if seconds < 0 { '-' } else { '+' }, seconds.abs());
    let text = format!("{sign}{:02}{:02}", rest / 3600, rest / 60 % 60);
    if rest % 60 == 0 { text } else { format!("{text}{:02}", rest % 60) }
}

/// The yearly rule that all these changes follow, if there is one.
fn rule(changes: &[&Change]) -> Option<String> {
    let first = changes.first()?;
    let follows = |change: &&Change| {
        (change.local.month(), change.local.time(), change.local.weekday(), change.before, change.after)
            == (first.local.month(), first.local.time(), first.local.weekday(), first.before, first.after)
    };
    let years: Vec<i16> = changes.iter().map(|change| change.local.year()).collect();
    if changes.len() < 3 || !changes.iter().all(follows) || years.windows(2).any(|two| two[1] - two[0] != 1) {
        return None;
    }
    let number = |change: &&Change| (change.local.day() - 1) / 7 + 1;
    let is_last = |change: &&Change| change.local.day() + 7 > change.local.days_in_month();
    let week = if changes.iter().all(is_last) {
        -1
    } else {
        let week = number(&changes[0]);
        changes.iter().all(|change| number(change) == week).then_some(week)?
    };
    let day = weekday_text(first.local.weekday());
    Some(format!("FREQ=YEARLY;BYMONTH={};BYDAY={week}{day}", first.local.month()))
}

pub(crate) const fn weekday_text(day: Weekday) -> &'static str {
    match day {
        Weekday::Monday => "MO",
        Weekday::Tuesday => "TU",
        Weekday::Wednesday => "WE",
        Weekday::Thursday => "TH",
        Weekday::Friday => "FR",
        Weekday::Saturday => "SA",
        Weekday::Sunday => "SU",
    }
}
