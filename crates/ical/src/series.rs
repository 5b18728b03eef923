//! The occurrences of an event or a series.

use crate::rule::{End, Rule};
use crate::text::{Component, parse};
use crate::value::{Moment, Plain, duration_ms, parse_moment, plain};
use crate::zone::Zones;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use std::collections::{HashMap, HashSet};

const DAY_MS: i64 = 86_400_000;
/// How far local times of different zones are apart at most, with a margin.
const ZONES_MS: i64 = 27 * 3_600_000;
/// Occurrences that are counted to find the end of a series; longer ones have none here.
const COUNTED_MAX: usize = 5_000;
/// Dates in lists of a series that are read.
const DATES_MAX: usize = 20_000;

/// What is stored under one address: an event, or a series with its exceptions.
#[derive(Debug, Clone)]
pub struct Resource {
    /// The calendar around it, with its time zones.
    pub calendar: Component,
    zones: Zones,
}

/// From when until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Its start.
    pub start_ms: i64,
    /// Its end, which isn't part of it.
    pub end_ms: i64,
    /// The first day, and the day after the last, if it's of whole days.
    pub days: Option<(Date, Date)>,
}

/// An occurrence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// Names it in its series; `None` if there is no series.
    pub key: Option<String>,
    /// The component that describes it, by its place in the calendar.
    pub component: usize,
    /// When it is.
    pub span: Span,
    /// When the series has it, which an exception may have changed.
    pub original_ms: i64,
}

/// The occurrences in a window.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expansion {
    /// In order.
    pub occurrences: Vec<Occurrence>,
    /// Whether there may be more, which would take too long to find.
    pub truncated: bool,
}

/// How long an event is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Length {
    Ms(i64),
    Days(i64),
}

/// Moments of a series that are named by lists or exceptions: by instant, and by day.
#[derive(Default)]
struct Named {
    instants: HashSet<i64>,
    days: HashSet<Date>,
}

impl Named {
    fn add(&mut self, moment: &Moment, series: &Moment, viewer: &TimeZone) {
        if moment.is_day() || series.is_day() {
            self.days.insert(moment.local().date());
        } else if let Some(ms) = moment.ms(viewer) {
            self.instants.insert(ms);
        }
    }

    fn has(&self, moment: &Moment, ms: i64) -> bool {
        self.instants.contains(&ms) || self.days.contains(&moment.local().date())
    }
}

impl Resource {
    /// The resource in a text; `None` without an event.
    pub fn parse(text: &str) -> Option<Resource> {
        parse(text).into_iter().filter(|one| one.name == "VCALENDAR").find_map(Resource::of)
    }

    /// The resource of a calendar; `None` without an event.
    pub fn of(calendar: Component) -> Option<Resource> {
        let has_event = calendar.children.iter().any(|child| child.name == "VEVENT");
        has_event.then(|| Resource { zones: Zones::of(&calendar), calendar })
    }

    /// Its zones.
    pub const fn zones(&self) -> &Zones {
        &self.zones
    }

    /// Its name everywhere.
    pub fn uid(&self) -> String {
        let event = self.calendar.children.iter().find(|child| child.name == "VEVENT");
        event.map(|event| event.text("UID").trim().to_owned()).unwrap_or_default()
    }

    /// The component with this place.
    pub fn event(&self, component: usize) -> &Component {
        &self.calendar.children[component]
    }

    /// The place of the event itself; `None` if only some occurrences of a series are known.
    pub fn master(&self) -> Option<usize> {
        let is_master = |child: &Component| child.name == "VEVENT" && child.line("RECURRENCE-ID").is_none();
        self.calendar.children.iter().position(is_master)
    }

    /// The places of the exceptions, with what they're exceptions of.
    pub(crate) fn exceptions(&self) -> Vec<(usize, Moment)> {
        let all = self.calendar.children.iter().enumerate().filter(|(_, child)| child.name == "VEVENT");
        all.filter_map(|(at, child)| Some((at, self.moment(child, "RECURRENCE-ID")?))).take(DATES_MAX).collect()
    }

    /// A moment of a component.
    pub fn moment(&self, component: &Component, name: &str) -> Option<Moment> {
        let line = component.line(name)?;
        parse_moment(line, &line.value, &self.zones)
    }

    /// Whether it repeats.
    pub fn is_series(&self) -> bool {
        match self.master() {
            Some(at) => {
                let event = self.event(at);
                event.line("RRULE").is_some() || event.line("RDATE").is_some()
            }
            None => true,
        }
    }

    /// The start and length of an event.
    pub(crate) fn times(&self, event: &Component, viewer: &TimeZone) -> Option<(Moment, Length)> {
        let start = self.moment(event, "DTSTART")?;
        let start_ms = start.ms(viewer)?;
        let end = self.moment(event, "DTEND");
        let duration = event.line("DURATION").and_then(|line| duration_ms(&line.value));
        let length = match (&start, end, duration) {
            (Moment::Day(first), Some(end), _) => {
                Length::Days(i64::from((end.local().date() - *first).get_days()).max(1))
            }
            (Moment::Day(_), None, Some(duration)) => Length::Days((duration / DAY_MS).max(1)),
            (Moment::Day(_), None, None) => Length::Days(1),
            (_, Some(end), _) => Length::Ms(end.ms(viewer)?.saturating_sub(start_ms).max(0)),
            (_, None, duration) => Length::Ms(duration.unwrap_or(0).max(0)),
        };
        Some((start, length))
    }

    /// The moments that a list of dates names, each with its length if it has one.
    fn listed(&self, event: &Component, name: &str, viewer: &TimeZone) -> Vec<(Moment, Option<Length>)> {
        let mut all = Vec::new();
        for line in event.all(name) {
            for text in line.value.split(',').take(DATES_MAX - all.len().min(DATES_MAX)) {
                let (text, end) = text.split_once('/').map_or((text, None), |(text, end)| (text, Some(end)));
                let Some(moment) = parse_moment(line, text, &self.zones) else { continue };
                let length = end.and_then(|end| {
                    let ms = match duration_ms(end) {
                        Some(ms) => ms,
                        None => parse_moment(line, end, &self.zones)?.ms(viewer)? - moment.ms(viewer)?,
                    };
                    Some(Length::Ms(ms.max(0)))
                });
                all.push((moment, length));
            }
        }
        all
    }

    /// The rules of an event.
    pub fn rules(&self, event: &Component) -> Vec<Rule> {
        event.all("RRULE").take(20).filter_map(|line| Rule::parse(&line.value)).collect()
    }

    /// The occurrences that touch a window, `max` at most, for somebody in the zone `viewer`.
    pub fn expand(&self, from_ms: i64, to_ms: i64, viewer: &TimeZone, max: usize) -> Expansion {
        let mut found = Expansion::default();
        let push = |found: &mut Expansion, occurrence: Occurrence| {
            let Span { start_ms, end_ms, .. } = occurrence.span;
            if start_ms < to_ms && (end_ms > from_ms || (start_ms == end_ms && start_ms >= from_ms)) {
                found.occurrences.push(occurrence);
            }
        };
        let exceptions = self.exceptions();
        let is_series = self.is_series() || !exceptions.is_empty();
        let mut first_of_key = HashMap::new();
        for (at, moment) in &exceptions {
            // Of two for the same occurrence, the last one is the newest.
            first_of_key.insert(moment.key(), *at);
        }
        for (at, moment) in &exceptions {
            let event = self.event(*at);
            let Some((start, length)) = self.times(event, viewer) else { continue };
            let (Some(span), Some(original_ms)) = (span(&start, length, viewer), moment.ms(viewer)) else { continue };
            if first_of_key.get(&moment.key()) == Some(at) {
                push(
                    &mut found,
                    Occurrence { key: Some(self.key_of(moment, viewer)), component: *at, span, original_ms },
                );
            }
        }
        if let Some((master, (start, length))) =
            self.master().and_then(|at| Some((at, self.times(self.event(at), viewer)?)))
        {
            let event = self.event(master);
            let mut without = Named::default();
            exceptions.iter().for_each(|(_, moment)| without.add(moment, &start, viewer));
            self.listed(event, "EXDATE", viewer).iter().for_each(|(moment, _)| without.add(moment, &start, viewer));
            let mut seen = HashSet::new();
            let mut take = |found: &mut Expansion, moment: Moment, length: Length| {
                let Some(span) = span(&moment, length, viewer) else { return };
                if !without.has(&moment, span.start_ms) && seen.insert(span.start_ms) {
                    let key = is_series.then(|| moment.key());
                    push(found, Occurrence { key, component: master, span, original_ms: span.start_ms });
                }
            };
            let rules = self.rules(event);
            if rules.is_empty() {
                take(&mut found, start.clone(), length);
            }
            for (moment, own) in self.listed(event, "RDATE", viewer) {
                take(&mut found, moment, own.unwrap_or(length));
            }
            let window = self.local_window(&start, length, (from_ms, to_ms), viewer);
            for rule in &rules {
                let mut left = max.saturating_mul(2).max(1_000) + without.instants.len() + without.days.len();
                let end = rule.visit(start.local(), start.zone(viewer), window, |at| {
                    // A rule that counts is followed from its start.
                    if at >= window.0 {
                        if let Some(moment) = start.at(at) {
                            take(&mut found, moment, length);
                        }
                        left -= 1;
                    }
                    left > 0
                });
                found.truncated |= end != End::Complete;
            }
        }
        found
            .occurrences
            .sort_by(|a, b| (a.span.start_ms, a.span.end_ms, &a.key).cmp(&(b.span.start_ms, b.span.end_ms, &b.key)));
        if found.occurrences.len() > max {
            found.occurrences.truncate(max);
            found.truncated = true;
        }
        found
    }

    /// What an exception is named by: like the occurrence of the series that it changes.
    fn key_of(&self, moment: &Moment, viewer: &TimeZone) -> String {
        let start = self.master().and_then(|at| self.moment(self.event(at), "DTSTART"));
        match start {
            Some(start @ Moment::Day(_)) => start.at(moment.local()).map_or_else(|| moment.key(), |same| same.key()),
            Some(start) if !moment.is_day() => {
                let same = moment.ms(viewer).and_then(|ms| start.at_ms(ms, viewer));
                same.map_or_else(|| moment.key(), |same| same.key())
            }
            _ => moment.key(),
        }
    }

    /// A window in the local time of a series, a bit wider.
    fn local_window(
        &self,
        start: &Moment,
        length: Length,
        (from_ms, to_ms): (i64, i64),
        viewer: &TimeZone,
    ) -> (DateTime, DateTime) {
        let length_ms = match length {
            Length::Ms(ms) => ms,
            Length::Days(days) => days.saturating_mul(DAY_MS),
        };
        let zone = start.zone(viewer);
        let local = |ms: i64, other: DateTime| Timestamp::from_millisecond(ms).map_or(other, |at| zone.to_datetime(at));
        let from = local(from_ms.saturating_sub(length_ms).saturating_sub(2 * DAY_MS), DateTime::MIN);
        (from, local(to_ms.saturating_add(DAY_MS), DateTime::MAX))
    }

    /// The occurrence with this name.
    pub fn occurrence(&self, key: &str, viewer: &TimeZone) -> Option<Occurrence> {
        let is_it = |one: &Occurrence| one.key.as_deref() == Some(key);
        for (at, moment) in self.exceptions() {
            if self.key_of(&moment, viewer) == key {
                let (start, length) = self.times(self.event(at), viewer)?;
                let (span, original_ms) = (span(&start, length, viewer)?, moment.ms(viewer)?);
                return Some(Occurrence { key: Some(key.to_owned()), component: at, span, original_ms });
            }
        }
        let ms = match plain(key)? {
            Plain::Day(date) => Moment::Day(date).ms(viewer)?,
            Plain::Local(local) => Moment::Floating(local).ms(viewer)?,
            Plain::Utc(at) => at.as_millisecond(),
        };
        let around = self.expand(ms - ZONES_MS, ms + ZONES_MS, viewer, 5_000);
        around.occurrences.into_iter().find(is_it)
    }

    /// Instants before which and after which it has no occurrence, wherever the viewer is. The latter is `i64::MAX` without an end.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        let utc = &TimeZone::UTC;
        let (mut first, mut last) = (i64::MAX, i64::MIN);
        let mut take = |span: Span| {
            first = first.min(span.start_ms - ZONES_MS);
            last = last.max(span.end_ms.saturating_add(ZONES_MS));
        };
        for (at, _) in self.exceptions() {
            let times = self.times(self.event(at), utc);
            times.and_then(|(start, length)| span(&start, length, utc)).into_iter().for_each(&mut take);
        }
        if let Some((event, (start, length))) =
            self.master().and_then(|at| Some((self.event(at), self.times(self.event(at), utc)?)))
        {
            span(&start, length, utc).into_iter().for_each(&mut take);
            for (moment, own) in self.listed(event, "RDATE", utc) {
                span(&moment, own.unwrap_or(length), utc).into_iter().for_each(&mut take);
            }
            for rule in self.rules(event) {
                if !rule.ends() {
                    last = i64::MAX;
                    continue;
                }
                let (mut newest, mut left) = (start.local(), COUNTED_MAX);
                let zone = start.zone(utc);
                let until = rule.until_date(zone).and_then(|date| date.checked_add(2.days()).ok());
                match until {
                    Some(date) => newest = date.at(23, 59, 59, 0),
                    None => {
                        let end = rule.visit(start.local(), zone, (DateTime::MIN, DateTime::MAX), |at| {
                            newest = at;
                            left -= 1;
                            left > 0
                        });
                        if end != End::Complete {
                            last = i64::MAX;
                            continue;
                        }
                    }
                }
                let spans = start.at(newest).and_then(|moment| span(&moment, length, utc));
                last = last.max(spans.map_or(i64::MAX, |span| span.end_ms.saturating_add(ZONES_MS)));
            }
        }
        (first <= last).then_some((first, last))
    }
}

/// From when until when a moment with a length is.
pub(crate) fn span(start: &Moment, length: Length, viewer: &TimeZone) -> Option<Span> {
    let start_ms = start.ms(viewer)?;
    Some(match (start, length) {
        (Moment::Day(first), Length::Days(days)) => {
            let end = first.checked_add(days.clamp(1, 3_650_000).days()).ok()?;
            Span { start_ms, end_ms: Moment::Day(end).ms(viewer)?, days: Some((*first, end)) }
        }
        (_, Length::Ms(ms)) => Span { start_ms, end_ms: start_ms.saturating_add(ms), days: None },
        (_, Length::Days(days)) => {
            Span { start_ms, end_ms: start_ms.saturating_add(days.saturating_mul(DAY_MS)), days: None }
        }
    })
}

/// The resources of a whole file: one for each event or series, with the zones that it names.
pub fn split(text: &str) -> Vec<Component> {
    let mut resources: Vec<Component> = Vec::new();
    for (number, calendar) in parse(text).into_iter().filter(|one| one.name == "VCALENDAR").enumerate() {
        let zones: HashMap<String, &Component> = calendar
            .children
            .iter()
            .filter(|child| child.name == "VTIMEZONE")
            .map(|zone| (zone.text("TZID").trim().to_owned(), zone))
            .collect();
        let kept = |name: &str| matches!(name, "VERSION" | "PRODID" | "CALSCALE");
        let lines: Vec<_> = calendar.lines.iter().filter(|line| kept(&line.name)).cloned().collect();
        let mut places: HashMap<String, usize> = HashMap::new();
        for (at, event) in calendar.children.iter().enumerate().filter(|(_, child)| child.name == "VEVENT") {
            let uid = event.text("UID").trim().to_owned();
            let name = if uid.is_empty() { format!("{number}:{at}") } else { uid };
            let place = *places.entry(name).or_insert_with(|| {
                resources.push(Component { name: "VCALENDAR".into(), lines: lines.clone(), children: Vec::new() });
                resources.len() - 1
            });
            let resource = &mut resources[place];
            for id in zone_ids(event) {
                let has =
                    resource.children.iter().any(|child| child.name == "VTIMEZONE" && child.text("TZID").trim() == id);
                if let Some(zone) = zones.get(&id).filter(|_| !has) {
                    resource.children.insert(0, (*zone).clone());
                }
            }
            resource.children.push(event.clone());
        }
    }
    resources
}

/// The names of zones in a component.
pub(crate) fn zone_ids(component: &Component) -> Vec<String> {
    let mut ids: Vec<String> = component.lines.iter().filter_map(|line| line.param("TZID")).collect();
    ids.extend(component.children.iter().flat_map(zone_ids));
    ids.retain(|id| !id.is_empty());
    ids.sort_unstable();
    ids.dedup();
    ids
}
