//! Changing events. What isn't changed stays as written.

use crate::rule::Rule;
use crate::series::{Length, Occurrence, Resource, zone_ids};
use crate::text::{Component, Line};
use crate::value::{Moment, Plain, plain, utc_text};
use crate::write_zone::{vtimezone, weekday_text};
use crate::zone::{Zone, find_zone};
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// What wrote an event.
const PRODUCT: &str = "-//Pilothouse//Calendar//EN";

/// When an event is.
#[derive(Debug, Clone)]
pub enum When {
    /// From a day until another, which isn't part of it.
    Days(Date, Date),
    /// From an instant until another.
    Times {
        /// Its start.
        start_ms: i64,
        /// Its end.
        end_ms: i64,
        /// The zone whose clocks it follows, by its name in the time zone database. `None`: the one that it has.
        zone: Option<String>,
    },
}

/// What to change.
#[derive(Debug, Clone, Default)]
pub struct Fields {
    /// The title.
    pub title: Option<String>,
    /// The location.
    pub location: Option<String>,
    /// The description.
    pub notes: Option<String>,
    /// When it is; of a series, when the changed occurrence is.
    pub when: Option<When>,
    /// The rule, `RRULE`; `Some(None)` for no repetition.
    pub rule: Option<Option<String>>,
    /// Minutes before the start for a reminder of its own; `Some(None)` for none of its own.
    pub reminder_minutes: Option<Option<i64>>,
}

/// A new event.
pub fn create(uid: &str, fields: &Fields, now_ms: i64, viewer: &TimeZone) -> Component {
    let mut event = Component::new("VEVENT");
    event.set(Line::new("UID", uid));
    event.set(Line::new("CREATED", stamp(now_ms)));
    let mut calendar = Component::new("VCALENDAR");
    apply(&mut event, fields, None, now_ms, viewer);
    calendar.children.push(event);
    complete(&mut calendar);
    calendar
}

fn stamp(now_ms: i64) -> String {
    utc_text(Timestamp::from_millisecond(now_ms).unwrap_or_default())
}

/// Applies changes to one component. `start` is what it has for a start.
fn apply(event: &mut Component, fields: &Fields, start: Option<&Moment>, now_ms: i64, viewer: &TimeZone) {
    event.set(Line::new("DTSTAMP", stamp(now_ms)));
    event.set(Line::new("LAST-MODIFIED", stamp(now_ms)));
    let sequence = event.value("SEQUENCE").parse::<i64>().unwrap_or(-1).saturating_add(1);
    event.set(Line::new("SEQUENCE", sequence.to_string()));
    for (name, text) in [("SUMMARY", &fields.title), ("LOCATION", &fields.location), ("DESCRIPTION", &fields.notes)] {
        if let Some(text) = text {
            event.set_text(name, text);
        }
    }
    if let Some((start, end)) = fields.when.as_ref().and_then(|when| moments(when, start, viewer)) {
        event.set(start.line("DTSTART"));
        event.set(end.line("DTEND"));
        event.remove("DURATION");
    }
    if let Some(rule) = &fields.rule {
        event.remove("RRULE");
        match rule {
            Some(rule) => event.lines.push(Line::new("RRULE", rule.clone())),
            None => ["RDATE", "EXDATE"].iter().for_each(|name| event.remove(name)),
        }
    }
    if let Some(minutes) = fields.reminder_minutes {
        event.children.retain(|child| child.name != "VALARM" || child.value("ACTION").eq_ignore_ascii_case("EMAIL"));
        if let Some(minutes) = minutes {
            let mut alarm = Component::new("VALARM");
            alarm.lines = vec![Line::new("ACTION", "DISPLAY"), Line::new("TRIGGER", format!("-PT{minutes}M"))];
            alarm.lines.push(Line::new("DESCRIPTION", event.value("SUMMARY").to_owned()));
            event.children.push(alarm);
        }
    }
}

/// The moments of new times.
fn moments(when: &When, before: Option<&Moment>, viewer: &TimeZone) -> Option<(Moment, Moment)> {
    match when {
        When::Days(first, end) => Some((Moment::Day(*first), Moment::Day(*end))),
        When::Times { start_ms, end_ms, zone } => {
            let named = zone.as_deref().and_then(find_zone);
            let own = match (named, before) {
                (Some((iana, _)), _) if iana == "UTC" => Moment::Utc(Timestamp::UNIX_EPOCH),
                (Some((iana, zone)), _) => Moment::In(
                    DateTime::constant(1970, 1, 1, 0, 0, 0, 0),
                    Zone { id: iana.clone(), iana: Some(iana), zone: Some(zone) },
                ),
                (None, Some(before)) if !before.is_day() => before.clone(),
                _ => Moment::Utc(Timestamp::UNIX_EPOCH),
            };
            let (start, end) = (own.at_ms(*start_ms, viewer)?, own.at_ms(*end_ms, viewer)?);
            // A local time that happens twice means its first one, so the second is written in UTC.
            if start.ms(viewer) == Some(*start_ms) && end.ms(viewer) == Some(*end_ms) {
                return Some((start, end));
            }
            let utc = |ms: i64| Timestamp::from_millisecond(ms).ok().map(Moment::Utc);
            utc(*start_ms).zip(utc(*end_ms))
        }
    }
}

/// Adds what a calendar needs to be understood elsewhere: its version, and each zone that it names.
pub fn complete(calendar: &mut Component) {
    if calendar.line("PRODID").is_none() {
        calendar.lines.insert(0, Line::new("PRODID", PRODUCT));
    }
    if calendar.line("VERSION").is_none() {
        calendar.lines.insert(0, Line::new("VERSION", "2.0"));
    }
    let earliest =
        calendar.children.iter().filter_map(|child| plain(&child.line("DTSTART")?.value)).map(|plain| match plain {
            Plain::Day(date) => date,
            Plain::Local(local) => local.date(),
            Plain::Utc(at) => TimeZone::UTC.to_datetime(at).date(),
        });
    let earliest = earliest.min().unwrap_or(Date::constant(2020, 1, 1));
    for id in zone_ids(calendar) {
        let has = calendar.children.iter().any(|child| child.name == "VTIMEZONE" && child.text("TZID").trim() == id);
        if let Some((_, zone)) = find_zone(&id).filter(|_| !has) {
            calendar.children.insert(0, vtimezone(&id, &zone, earliest));
        }
    }
}

/// The place of the exception for an occurrence, which is made if there is none.
pub fn override_of(resource: &mut Resource, key: &str, viewer: &TimeZone) -> Option<usize> {
    let occurrence = resource.occurrence(key, viewer)?;
    if resource.event(occurrence.component).line("RECURRENCE-ID").is_some() {
        return Some(occurrence.component);
    }
    let master = resource.event(occurrence.component);
    let start = resource.moment(master, "DTSTART")?.at_ms(occurrence.original_ms, viewer)?;
    let (_, length) = resource.times(master, viewer)?;
    let mut own = master.clone();
    ["RRULE", "RDATE", "EXDATE", "EXRULE", "DURATION"].iter().for_each(|name| own.remove(name));
    own.set(start.line("RECURRENCE-ID"));
    own.set(start.line("DTSTART"));
    let end = match length {
        Length::Days(days) => start.at(start.local().checked_add(days.days()).ok()?),
        Length::Ms(_) => start.at_ms(occurrence.span.end_ms, viewer),
    };
    own.set(end?.line("DTEND"));
    resource.calendar.children.push(own);
    Some(resource.calendar.children.len() - 1)
}

/// Changes one occurrence of a series.
pub fn update_one(
    resource: &Resource,
    key: &str,
    fields: &Fields,
    now_ms: i64,
    viewer: &TimeZone,
) -> Option<Component> {
    let mut resource = resource.clone();
    let at = override_of(&mut resource, key, viewer)?;
    let start = resource.moment(resource.event(at), "DTSTART");
    // One occurrence has no rule of its own.
    let fields = Fields { rule: None, ..fields.clone() };
    apply(&mut resource.calendar.children[at], &fields, start.as_ref(), now_ms, viewer);
    complete(&mut resource.calendar);
    Some(resource.calendar)
}

/// Changes an event, or a whole series as the change of one of its occurrences says.
pub fn update_all(
    resource: &Resource,
    key: Option<&str>,
    fields: &Fields,
    now_ms: i64,
    viewer: &TimeZone,
) -> Option<Component> {
    let mut calendar = resource.calendar.clone();
    let Some(master) = resource.master() else {
        // Only occurrences are known: the one that is meant.
        return update_one(resource, key?, fields, now_ms, viewer);
    };
    let start = resource.moment(resource.event(master), "DTSTART")?;
    let mut fields = fields.clone();
    let mut shift = None;
    if let Some(when) = fields.when.take() {
        let occurrence = key.and_then(|key| resource.occurrence(key, viewer));
        let old = match &occurrence {
            Some(occurrence) => start.at_ms(occurrence.span.start_ms, viewer)?.local(),
            None => start.local(),
        };
        let (new, new_end) = moments(&when, Some(&start), viewer)?;
        let made = Shift {
            from: start.clone(),
            days: i64::from((new.local().date() - old.date()).get_days()),
            new: new.clone(),
        };
        let first = made.apply(&start, viewer)?;
        let last = match (&new, &new_end) {
            (Moment::Day(from), Moment::Day(to)) => {
                first.at(first.local().checked_add((*to - *from).get_days().days()).ok()?)?
            }
            _ => first.at_ms(first.ms(viewer)? + new_end.ms(viewer)? - new.ms(viewer)?, viewer)?,
        };
        let event = &mut calendar.children[master];
        event.set(first.line("DTSTART"));
        event.set(last.line("DTEND"));
        event.remove("DURATION");
        shift = Some(made);
    }
    if let Some(shift) = &shift {
        shift_series(&mut calendar, resource, master, shift, viewer);
    }
    apply(&mut calendar.children[master], &fields, None, now_ms, viewer);
    if let Some(rule) = &fields.rule {
        drop_exceptions(&mut calendar, rule.is_some(), viewer);
    }
    complete(&mut calendar);
    Some(calendar)
}

/// How the moments of a series move.
struct Shift {
    from: Moment,
    days: i64,
    new: Moment,
}

impl Shift {
    fn apply(&self, moment: &Moment, viewer: &TimeZone) -> Option<Moment> {
        let local = if moment.is_day() { moment.local() } else { self.from.at_ms(moment.ms(viewer)?, viewer)?.local() };
        let date = local.date().checked_add(self.days.days()).ok()?;
        self.new.at(date.to_datetime(self.new.local().time()))
    }
}

/// Moves what names occurrences of a series that was moved.
fn shift_series(calendar: &mut Component, resource: &Resource, master: usize, shift: &Shift, viewer: &TimeZone) {
    let moved = |line: &Line| -> Line {
        let moments = line.value.split(',').filter_map(|text| {
            let text = text.split('/').next().unwrap_or(text);
            shift.apply(&crate::value::parse_moment(line, text, resource.zones())?, viewer)
        });
        let written: Vec<Line> = moments.map(|moment| moment.line(&line.name)).collect();
        let values: Vec<&str> = written.iter().map(|one| one.value.as_str()).collect();
        let value = values.join(",");
        written.first().map_or_else(|| line.clone(), |first| Line { value, ..first.clone() })
    };
    for (at, child) in calendar.children.iter_mut().enumerate() {
        if child.name != "VEVENT" {
            continue;
        }
        for line in &mut child.lines {
            let names_occurrences = match &*line.name {
                "EXDATE" | "RDATE" => at == master,
                "RECURRENCE-ID" => true,
                _ => false,
            };
            if names_occurrences {
                *line = moved(line);
            }
            if line.name == "RRULE" && at == master {
                line.value = shifted_rule(&line.value, shift, viewer);
            }
        }
    }
}

/// A rule whose series was moved: its end moves along, and so does its only weekday.
fn shifted_rule(text: &str, shift: &Shift, viewer: &TimeZone) -> String {
    let old_day = shift.from.local().date();
    let parts = text.split(';').map(|part| {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        match &*key.to_ascii_uppercase() {
            "UNTIL" => {
                let moment = match plain(value) {
                    Some(Plain::Day(date)) => Some(Moment::Day(date)),
                    Some(Plain::Local(local)) => Some(Moment::Floating(local)),
                    Some(Plain::Utc(at)) => Some(Moment::Utc(at)),
                    None => None,
                };
                let moved = moment.and_then(|moment| shift.apply(&moment, viewer));
                moved.map_or_else(|| part.to_owned(), |moved| format!("UNTIL={}", moved.until(viewer)))
            }
            "BYDAY" if value.trim().eq_ignore_ascii_case(weekday_text(old_day.weekday())) => {
                let day = old_day.saturating_add(shift.days.days());
                format!("BYDAY={}", weekday_text(day.weekday()))
            }
            _ => part.to_owned(),
        }
    });
    parts.collect::<Vec<_>>().join(";")
}

/// Removes exceptions for occurrences that the series no longer has.
fn drop_exceptions(calendar: &mut Component, repeats: bool, viewer: &TimeZone) {
    let without: Vec<Component> = {
        let is_exception = |child: &Component| child.line("RECURRENCE-ID").is_some();
        let mut rest = calendar.clone();
        rest.children.retain(|child| !is_exception(child));
        let Some(series) = Resource::of(rest) else { return };
        let still = |child: &Component| {
            let moment = series.moment(child, "RECURRENCE-ID");
            let ms = moment.and_then(|moment| moment.ms(viewer));
            ms.is_some_and(|ms| {
                let around = series.expand(ms - 1, ms + 86_400_000, viewer, 1_000);
                around.occurrences.iter().any(|one| one.original_ms == ms)
            })
        };
        calendar.children.iter().filter(|child| !is_exception(child) || (repeats && still(child))).cloned().collect()
    };
    calendar.children = without;
}

/// Changes an occurrence and those after it, as a series of their own. The series as it stays, and the new one; only the former if
/// the whole series changes.
pub fn update_following(
    resource: &Resource,
    key: &str,
    fields: &Fields,
    uid: &str,
    now_ms: i64,
    viewer: &TimeZone,
) -> Option<(Component, Option<Component>)> {
    let occurrence = resource.occurrence(key, viewer)?;
    let Some(rest) = delete_from(resource, key, now_ms, viewer) else {
        return Some((update_all(resource, Some(key), fields, now_ms, viewer)?, None));
    };
    let master = resource.master()?;
    let mut later = resource.calendar.clone();
    let before = count_before(resource, master, occurrence.original_ms, viewer);
    let start = resource.moment(resource.event(master), "DTSTART")?.at_ms(occurrence.original_ms, viewer)?;
    let (_, length) = resource.times(resource.event(master), viewer)?;
    let end = match length {
        Length::Days(days) => start.at(start.local().checked_add(days.days()).ok()?)?,
        Length::Ms(ms) => start.at_ms(occurrence.original_ms + ms, viewer)?,
    };
    let keep = |ms: i64| ms >= occurrence.original_ms;
    keep_named(&mut later, resource, master, keep, viewer);
    for child in later.children.iter_mut().filter(|child| child.name == "VEVENT") {
        child.set(Line::new("UID", uid));
    }
    let master =
        later.children.iter().position(|child| child.name == "VEVENT" && child.line("RECURRENCE-ID").is_none())?;
    let event = &mut later.children[master];
    event.set(start.line("DTSTART"));
    event.set(end.line("DTEND"));
    event.remove("DURATION");
    event.remove("SEQUENCE");
    for line in event.lines.iter_mut().filter(|line| line.name == "RRULE") {
        let count = Rule::parse(&line.value).and_then(|rule| rule.count);
        if let Some(count) = count {
            line.value = with_end(&line.value, Some(&format!("COUNT={}", count.saturating_sub(before).max(1))));
        }
    }
    let later = Resource::of(later)?;
    let first_key = later.moment(later.event(later.master()?), "DTSTART")?.key();
    let later = update_all(&later, Some(&first_key), fields, now_ms, viewer)?;
    Some((rest, Some(later)))
}

/// Occurrences of the first rule before an instant.
fn count_before(resource: &Resource, master: usize, ms: i64, viewer: &TimeZone) -> usize {
    let event = resource.event(master);
    let (Some(start), Some(rule)) = (resource.moment(event, "DTSTART"), resource.rules(event).into_iter().next())
    else {
        return 0;
    };
    let mut count = 0;
    rule.visit(start.local(), start.zone(viewer), (DateTime::MIN, DateTime::MAX), |at| {
        let is_before = start.at(at).and_then(|moment| moment.ms(viewer)).is_some_and(|at| at < ms);
        count += usize::from(is_before);
        is_before
    });
    count
}

/// A rule with another end; none for no end.
fn with_end(rule: &str, end: Option<&str>) -> String {
    let is_end = |part: &&str| {
        let part = part.trim().to_ascii_uppercase();
        part.starts_with("COUNT=") || part.starts_with("UNTIL=") || part.is_empty()
    };
    let mut parts: Vec<&str> = rule.split(';').filter(|part| !is_end(part)).collect();
    parts.extend(end);
    parts.join(";")
}

/// Removes dates and exceptions of occurrences that `keep` doesn't keep.
fn keep_named(
    calendar: &mut Component,
    resource: &Resource,
    master: usize,
    keep: impl Fn(i64) -> bool,
    viewer: &TimeZone,
) {
    for line in &mut calendar.children[master].lines {
        if matches!(&*line.name, "EXDATE" | "RDATE") {
            let kept = line.value.split(',').filter(|text| {
                let first = text.split('/').next().unwrap_or(text);
                let moment = crate::value::parse_moment(line, first, resource.zones());
                moment.and_then(|moment| moment.ms(viewer)).is_none_or(&keep)
            });
            line.value = kept.collect::<Vec<_>>().join(",");
        }
    }
    calendar.children[master].lines.retain(|line| !matches!(&*line.name, "EXDATE" | "RDATE") || !line.value.is_empty());
    calendar.children.retain(|child| {
        let moment = if child.name == "VEVENT" { resource.moment(child, "RECURRENCE-ID") } else { None };
        moment.and_then(|moment| moment.ms(viewer)).is_none_or(&keep)
    });
}

/// Deletes one occurrence of a series. `None` if nothing is left.
pub fn delete_one(resource: &Resource, key: &str, now_ms: i64, viewer: &TimeZone) -> Option<Component> {
    let occurrence = resource.occurrence(key, viewer)?;
    let mut calendar = resource.calendar.clone();
    let Some(master) = resource.master() else {
        calendar.children.remove(occurrence.component);
        return calendar.children.iter().any(|child| child.name == "VEVENT").then_some(calendar);
    };
    let start = resource.moment(resource.event(master), "DTSTART")?.at_ms(occurrence.original_ms, viewer)?;
    let event = &mut calendar.children[master];
    event.lines.push(start.line("EXDATE"));
    apply(event, &Fields::default(), None, now_ms, viewer);
    let doomed: Vec<usize> = resource
        .exceptions()
        .iter()
        .filter(|(_, moment)| moment.ms(viewer) == Some(occurrence.original_ms))
        .map(|(at, _)| *at)
        .collect();
    let mut at = 0;
    calendar.children.retain(|_| {
        at += 1;
        !doomed.contains(&(at - 1))
    });
    complete(&mut calendar);
    let left = Resource::of(calendar.clone())?;
    let (from, to) = left.bounds()?;
    let is_any = to == i64::MAX || !left.expand(from, to, viewer, 1).occurrences.is_empty();
    is_any.then_some(calendar)
}

/// Deletes an occurrence and those after it. `None` if nothing is left.
pub fn delete_from(resource: &Resource, key: &str, now_ms: i64, viewer: &TimeZone) -> Option<Component> {
    let Occurrence { original_ms, .. } = resource.occurrence(key, viewer)?;
    let master = resource.master()?;
    let start = resource.moment(resource.event(master), "DTSTART")?;
    if original_ms <= start.ms(viewer)? {
        return None;
    }
    let split = start.at_ms(original_ms, viewer)?;
    let before = split.local().checked_sub(if split.is_day() { 1.day() } else { 1.second() }).ok()?;
    let until = match &split {
        Moment::Utc(_) | Moment::In(..) => split.at_ms(original_ms - 1_000, viewer)?,
        _ => split.at(before)?,
    };
    let mut calendar = resource.calendar.clone();
    for line in calendar.children[master].lines.iter_mut().filter(|line| line.name == "RRULE") {
        line.value = with_end(&line.value, Some(&format!("UNTIL={}", until.until(viewer))));
    }
    apply(&mut calendar.children[master], &Fields::default(), None, now_ms, viewer);
    keep_named(&mut calendar, resource, master, |ms| ms < original_ms, viewer);
    complete(&mut calendar);
    let left = Resource::of(calendar.clone())?;
    let (from, to) = left.bounds()?;
    (!left.expand(from, to, viewer, 1).occurrences.is_empty()).then_some(calendar)
}
