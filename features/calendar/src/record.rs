//! What the API says about calendars and events.

use crate::rows::{Calendar, LOCAL, Stored};
use ical::{Component, Occurrence, Resource, Rule, Span};
use jiff::tz::TimeZone;
use kit::rfc3339;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Attendees of an event that are listed.
const ATTENDEES_MAX: usize = 500;

/// A calendar.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Calendar")]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalendarRecord {
    pub(crate) id: String,
    /// Its account at a CalDAV server, if it has one.
    pub(crate) account_id: Option<String>,
    pub(crate) name: String,
    /// `#rrggbb`.
    pub(crate) color: String,
    pub(crate) is_shown: bool,
    pub(crate) is_writable: bool,
    /// `local`, `caldav`, or `subscription`.
    pub(crate) kind: String,
    /// Why it couldn't be synced, or what wasn't sent.
    pub(crate) problem: Option<String>,
    /// When it was synced last.
    pub(crate) synced_at: Option<String>,
}

impl From<&Calendar> for CalendarRecord {
    fn from(calendar: &Calendar) -> CalendarRecord {
        let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        CalendarRecord {
            id: calendar.id.clone(),
            account_id: some(&calendar.dav_id),
            name: calendar.name.clone(),
            color: calendar.color.clone(),
            is_shown: calendar.is_shown,
            is_writable: calendar.is_writable,
            kind: calendar.kind.clone(),
            problem: some(&calendar.problem),
            synced_at: (calendar.kind != LOCAL && calendar.synced_ms > 0).then(|| rfc3339(calendar.synced_ms)),
        }
    }
}

/// How often an event repeats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EventFrequency")]
#[serde(rename_all = "camelCase")]
pub(crate) enum Frequency {
    Daily,
    Weekly,
    Monthly,
    Yearly,
}

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EventWeekday")]
#[serde(rename_all = "camelCase")]
pub(crate) enum Day {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

const DAYS: [(Day, &str); 7] = [
    (Day::Mon, "MO"),
    (Day::Tue, "TU"),
    (Day::Wed, "WE"),
    (Day::Thu, "TH"),
    (Day::Fri, "FR"),
    (Day::Sat, "SA"),
    (Day::Sun, "SU"),
];

/// How an event repeats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EventRepeat")]
#[serde(deny_unknown_fields)]
pub(crate) struct Repeat {
    pub(crate) frequency: Frequency,
    /// Every how many days, weeks, months, or years. Default: 1.
    #[schemars(range(min = 1, max = 1000))]
    #[serde(default = "one")]
    pub(crate) interval: i64,
    /// Days of a weekly event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 7))]
    pub(crate) days: Option<Vec<Day>>,
    /// Occurrences in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    pub(crate) count: Option<i64>,
    /// The last day, such as `2026-12-31`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 10))]
    pub(crate) until: Option<String>,
    /// In an answer: a rule that these fields can't show, in words. Ignored in a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1000))]
    pub(crate) other: Option<String>,
}

const fn one() -> i64 {
    1
}

impl Repeat {
    fn of(rule: &Rule, start: jiff::civil::Date, zone: &TimeZone) -> Repeat {
        let frequency = match rule.frequency_word() {
            Some("weekly") => Frequency::Weekly,
            Some("monthly") => Frequency::Monthly,
            Some("yearly") => Frequency::Yearly,
            _ => Frequency::Daily,
        };
        let name = |day: jiff::civil::Weekday| DAYS[day.to_monday_zero_offset() as usize].0;
        let days: Vec<Day> = rule.by_day.iter().map(|(_, day)| name(*day)).collect();
        Repeat {
            frequency,
            interval: rule.interval,
            days: (frequency == Frequency::Weekly && !days.is_empty()).then_some(days),
            count: rule.count.and_then(|count| i64::try_from(count).ok()),
            until: rule.until_date(zone).map(|date| date.to_string()),
            other: Some(rule.beyond_form(start)).filter(|words| !words.is_empty()),
        }
    }

    /// As a rule. `until` is the last instant or day as iCalendar writes it.
    pub(crate) fn rule(&self, until: Option<&str>) -> String {
        let name = match self.frequency {
            Frequency::Daily => "DAILY",
            Frequency::Weekly => "WEEKLY",
            Frequency::Monthly => "MONTHLY",
            Frequency::Yearly => "YEARLY",
        };
        let mut rule = format!("FREQ={name}");
        if self.interval != 1 {
            rule.push_str(&format!(";INTERVAL={}", self.interval));
        }
        let days: Vec<&str> = self
            .days
            .iter()
            .flatten()
            .filter_map(|day| DAYS.iter().find(|(one, _)| one == day))
            .map(|(_, text)| *text)
            .collect();
        if !days.is_empty() {
            rule.push_str(&format!(";BYDAY={}", days.join(",")));
        }
        match (self.count, until) {
            (Some(count), _) => rule.push_str(&format!(";COUNT={count}")),
            (None, Some(until)) => rule.push_str(&format!(";UNTIL={until}")),
            (None, None) => {}
        }
        rule
    }
}

/// The state of an event.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "EventStatus")]
#[serde(rename_all = "camelCase")]
pub(crate) enum Status {
    Confirmed,
    Tentative,
    Canceled,
}

/// The answer to an invitation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "EventAnswer")]
#[serde(rename_all = "camelCase")]
pub(crate) enum Answer {
    Accepted,
    Declined,
    Tentative,
    NeedsAction,
}

/// Somebody who is invited.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "EventAttendee")]
pub(crate) struct Attendee {
    pub(crate) name: String,
    pub(crate) email: String,
    pub(crate) response: Answer,
}

/// An event, or one occurrence of a series.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "EventOccurrence")]
#[serde(rename_all = "camelCase")]
pub(crate) struct OccurrenceRecord {
    pub(crate) event_id: String,
    /// Names one of a series.
    pub(crate) occurrence: Option<String>,
    pub(crate) calendar_id: String,
    pub(crate) title: String,
    pub(crate) location: String,
    pub(crate) notes: String,
    /// A web address of the event; empty without one.
    pub(crate) url: String,
    /// Start time; the first day if it's all day.
    pub(crate) start: String,
    /// End time; the day after the last day if it's all day.
    pub(crate) end: String,
    pub(crate) all_day: bool,
    pub(crate) time_zone: Option<String>,
    /// Whether its time zone isn't known; its times are then read in yours.
    pub(crate) zone_unknown: bool,
    pub(crate) is_recurring: bool,
    pub(crate) repeat: Option<Repeat>,
    pub(crate) status: Status,
    pub(crate) organizer: Option<String>,
    pub(crate) attendees: Vec<Attendee>,
    pub(crate) my_response: Option<Answer>,
    /// Minutes before the start of its own reminder.
    pub(crate) reminder_minutes: Option<i64>,
    /// Whether a change of it wasn't sent to the server yet.
    pub(crate) is_pending: bool,
    /// For sorting.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) span: (i64, i64),
}

/// An occurrence as the API says it. `mine` are the user's addresses.
pub(crate) fn occurrence(
    stored: &Stored,
    resource: &Resource,
    found: &Occurrence,
    mine: &[String],
    viewer: &TimeZone,
) -> OccurrenceRecord {
    let event = resource.event(found.component);
    let start = resource.moment(event, "DTSTART");
    let zone = match &start {
        Some(ical::Moment::In(_, zone)) => Some(zone.clone()),
        _ => None,
    };
    let Span { start_ms, end_ms, days } = found.span;
    let rule = resource.master().and_then(|at| {
        let master = resource.event(at);
        let start = resource.moment(master, "DTSTART")?;
        let rule = resource.rules(master).into_iter().next()?;
        Some(Repeat::of(&rule, start.local().date(), start.zone(viewer)))
    });
    let attendees: Vec<Attendee> = event.all("ATTENDEE").take(ATTENDEES_MAX).map(attendee).collect();
    let my_response = attendees
        .iter()
        .find(|one| mine.iter().any(|own| own.eq_ignore_ascii_case(&one.email)))
        .map(|one| one.response);
    OccurrenceRecord {
        event_id: stored.id.clone(),
        occurrence: found.key.clone(),
        calendar_id: stored.calendar_id.clone(),
        title: event.text("SUMMARY"),
        location: event.text("LOCATION"),
        notes: event.text("DESCRIPTION"),
        url: web(&event.text("URL")),
        start: days.map_or_else(|| rfc3339(start_ms), |(first, _)| first.to_string()),
        end: days.map_or_else(|| rfc3339(end_ms), |(_, end)| end.to_string()),
        all_day: days.is_some(),
        zone_unknown: zone.as_ref().is_some_and(|zone| zone.zone.is_none()),
        time_zone: match (&start, zone) {
            (Some(ical::Moment::Utc(_)), _) => Some("UTC".into()),
            (_, zone) => zone.map(|zone| zone.iana.unwrap_or(zone.id)),
        },
        is_recurring: found.key.is_some(),
        repeat: rule,
        status: status(event),
        organizer: event
            .line("ORGANIZER")
            .map(|line| line.param("CN").filter(|name| !name.is_empty()).unwrap_or_else(|| email(&line.value))),
        attendees,
        my_response,
        reminder_minutes: reminder_minutes(event),
        is_pending: !stored.pending.is_empty(),
        span: (start_ms, end_ms),
    }
}

pub(crate) fn status(event: &Component) -> Status {
    match &*event.value("STATUS").to_ascii_uppercase() {
        "CANCELLED" => Status::Canceled,
        "TENTATIVE" => Status::Tentative,
        _ => Status::Confirmed,
    }
}

fn attendee(line: &ical::Line) -> Attendee {
    let email = email(&line.value);
    let response = match &*line.param("PARTSTAT").unwrap_or_default().to_ascii_uppercase() {
        "ACCEPTED" => Answer::Accepted,
        "DECLINED" => Answer::Declined,
        "TENTATIVE" => Answer::Tentative,
        _ => Answer::NeedsAction,
    };
    Attendee {
        name: line.param("CN").filter(|name| !name.is_empty()).unwrap_or_else(|| email.clone()),
        email,
        response,
    }
}

/// An address without `mailto:`.
pub(crate) fn email(value: &str) -> String {
    let value = value.trim();
    match value.get(..7) {
        Some(scheme) if scheme.eq_ignore_ascii_case("mailto:") => value[7..].to_owned(),
        _ => value.to_owned(),
    }
}

/// Whether the user declined.
pub(crate) fn is_declined(event: &Component, mine: &[String]) -> bool {
    let own = event.all("ATTENDEE").take(ATTENDEES_MAX).map(attendee);
    let mut own = own.filter(|one| mine.iter().any(|address| address.eq_ignore_ascii_case(&one.email)));
    own.any(|one| one.response == Answer::Declined)
}

/// The minutes before the start of an event's own reminder.
pub(crate) fn reminder_minutes(event: &Component) -> Option<i64> {
    let alarms = event.children.iter().filter(|child| child.name == "VALARM");
    let shown = alarms.filter(|alarm| !alarm.value("ACTION").eq_ignore_ascii_case("EMAIL"));
    let minutes = shown.filter_map(|alarm| {
        let line = alarm.line("TRIGGER")?;
        let is_of_end = line.param("RELATED").is_some_and(|related| related.eq_ignore_ascii_case("END"));
        let ms = ical::duration_ms(&line.value).filter(|_| !is_of_end)?;
        (ms <= 0).then_some(-ms / 60_000)
    });
    minutes.min()
}

/// An address of the web; others aren't shown as links.
fn web(url: &str) -> String {
    let url = url.trim();
    if url.starts_with("https://") || url.starts_with("http://") { url.to_owned() } else { String::new() }
}
