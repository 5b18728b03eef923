//! Operations on events.

use crate::errors::guarded;
use crate::errors::{CALENDAR_CONFLICT, CALENDAR_LIMIT, CALENDAR_READ_ONLY};
use crate::find::{self, Mine, own_addresses, viewer, window};
use crate::overlay::{self, BoardEntry, SessionEntry};
use crate::record::{self, OccurrenceRecord, Repeat, email};
use crate::rows::{self, Calendar, DELETE, LOCAL, PUT, Stored, Undo};
use crate::sync;
use crate::transfer::expect_writable;
use ical::{Component, Fields, Resource, When};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use kit::fault::{OUT_OF_RANGE, WRONG_FORMAT};
use kit::ids::short_id;
use kit::{Call, CallerSet, Created, Ctx, Done, Method, Op, Result, fault, invalid, new_id, not_found};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb, Tx, params};

/// Maximum characters of a title or location.
const TITLE_MAX: usize = 500;
/// Maximum characters of notes.
const NOTES_MAX: usize = 100_000;
/// Longest time before the start of a reminder: 4 weeks.
const REMINDER_MAX: i64 = 40_320;

const ONE: &str = "/calendar/events/{eventId}";

pub(crate) fn ops() -> Vec<Op> {
    let all = CallerSet::PERSON_AND_AGENTS;
    vec![
        guarded(Op::new(
            "calendar.events.list",
            Method::Get,
            "/calendar/events",
            all,
            "List events of shown calendars in a period, with dates of boards and sessions.",
            list,
        ))
        .example(r#"{"from": "2026-03-01T00:00:00Z", "to": "2026-03-08T00:00:00Z"}"#)
        .columns(&["start", "end", "title", "location", "eventId", "occurrence"]),
        guarded(Op::new("calendar.events.get", Method::Get, ONE, all, "Get an event, or an occurrence of a series.", get))
            .example(r#"{"eventId": "{eventId}"}"#),
        guarded(Op::new("calendar.events.create", Method::Post, "/calendar/events", all, "Create an event or a series.", create))
            .example(r#"{"calendarId": "{calendarId}", "title": "Standup", "start": "2026-03-02T09:00:00Z", "end": "2026-03-02T09:15:00Z"}"#)
            .synonyms("meeting appointment schedule add")
            .errors([&CALENDAR_READ_ONLY, &CALENDAR_LIMIT, &CALENDAR_CONFLICT]),
        guarded(Op::new(
            "calendar.events.update",
            Method::Patch,
            ONE,
            all,
            "Change an event: one occurrence of a series, it and those after it, or all.",
            update,
        ))
        .example(r#"{"eventId": "{eventId}", "title": "Standup", "calendarId": "{calendarId}"}"#)
        .synonyms("move reschedule rename")
        .errors([&CALENDAR_READ_ONLY, &CALENDAR_LIMIT, &CALENDAR_CONFLICT]),
        guarded(Op::new(
            "calendar.events.delete",
            Method::Delete,
            ONE,
            all,
            "Delete an event: one occurrence of a series, it and those after it, or all. `undo` restores it for 30 days.",
            delete,
        ))
        .example(r#"{"eventId": "{spareEventId}"}"#)
        .errors([&CALENDAR_READ_ONLY, &CALENDAR_CONFLICT]),
        guarded(Op::new("calendar.events.restore", Method::Post, "/calendar/events/restore", all, "Restore what a change or deletion replaced.", restore))
            .example(r#"{"undo": "{eventUndo}"}"#)
            .synonyms("undo")
            .errors([&CALENDAR_LIMIT]),
        guarded(Op::new(
            "calendar.events.respond",
            Method::Post,
            "/calendar/events/{eventId}/respond",
            CallerSet::PERSON,
            "Accept or decline an invitation.",
            respond,
        ))
        .example(r#"{"eventId": "{invitedEventId}", "response": "accepted"}"#)
        .errors([&CALENDAR_READ_ONLY, &CALENDAR_CONFLICT]),
    ]
}

/// A period.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "EventPeriod")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Period {
    /// A time such as `2026-03-01T09:00:00Z`, or a date.
    #[schemars(length(max = 40))]
    from: String,
    /// A time or a date, up to 400 days later.
    #[schemars(length(max = 40))]
    to: String,
    /// Such as `Europe/Berlin`. Default: the computer's.
    #[schemars(length(max = 100))]
    time_zone: Option<String>,
}

/// What is in a period.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventList")]
struct List {
    items: Vec<OccurrenceRecord>,
    board: Vec<BoardEntry>,
    sessions: Vec<SessionEntry>,
    /// Whether there are more than an answer holds.
    truncated: bool,
}

async fn list(ctx: Ctx, call: Call, input: Period) -> Result<List> {
    let viewer = viewer(&ctx, input.time_zone.as_deref())?;
    let window = window(&input.from, &input.to, &viewer)?;
    let caller = call.caller;
    let found = find::between(&ctx, &caller.account, window.0, window.1, &viewer).await?;
    let board = overlay::board(&ctx, &caller, window, &viewer).await?;
    let sessions = overlay::sessions(&ctx, &caller, window).await?;
    Ok(List { items: found.items, board, sessions, truncated: found.truncated })
}

/// Names an event.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "EventId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    event_id: String,
    /// An occurrence of the series. Default: its first.
    #[schemars(length(max = 40))]
    occurrence: Option<String>,
}

async fn get(ctx: Ctx, call: Call, input: One) -> Result<OccurrenceRecord> {
    shown(&ctx, call.account(), &input.event_id, input.occurrence).await
}

/// An event as it is stored now.
async fn shown(ctx: &Ctx, account: &str, id: &str, key: Option<String>) -> Result<OccurrenceRecord> {
    let own = own_addresses(ctx, account).await?;
    let (account, id, viewer) = (account.to_owned(), id.to_owned(), ctx.home_zone());
    let read = move |tx: &mut Tx<'_>| {
        let (stored, _) = rows::event(tx, &account, &id)?;
        let mine = Mine::stored(tx, &account, own)?;
        let resource = stored.resource()?;
        let found = match key {
            Some(key) => resource.occurrence(&key, &viewer),
            None => first(&resource, &viewer),
        };
        let found = found.ok_or_else(not_found)?;
        Ok(record::occurrence(&stored, &resource, &found, mine.of(&stored.calendar_id), &viewer))
    };
    ctx.db().read(read).await
}

/// The first occurrence of an event.
fn first(resource: &Resource, viewer: &TimeZone) -> Option<ical::Occurrence> {
    let (from_ms, _) = resource.bounds()?;
    let year_ms = 366 * kit::clock::DAY_MS;
    let near = resource.expand(from_ms, from_ms + year_ms, viewer, 1).occurrences.into_iter().next();
    near.or_else(|| resource.expand(from_ms, from_ms + 100 * year_ms, viewer, 1).occurrences.into_iter().next())
}

/// Which occurrences of a series are meant.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[schemars(rename = "EventScope")]
#[serde(rename_all = "camelCase")]
enum Scope {
    This,
    Following,
    All,
}

/// `null` as a value of its own.
fn nullable<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<Option<T>>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}

/// A new event.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateEvent")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Create {
    calendar_id: String,
    /// Title of the event.
    #[schemars(length(min = 1, max = TITLE_MAX), regex(pattern = kit::text::NAME))]
    title: String,
    /// Start time, such as `2026-03-01T09:00:00Z`. For an all-day event, its first day, such as `2026-03-01`.
    #[schemars(length(max = 40))]
    start: String,
    /// End time, such as `2026-03-01T10:00:00Z`. For an all-day event, the day after its last day.
    #[schemars(length(max = 40))]
    end: String,
    /// Whether it lasts whole days. Default: yes if `start` is a date.
    all_day: Option<bool>,
    /// Time zone of the event, such as `Europe/Berlin`. Default: the computer's.
    #[schemars(length(max = 100))]
    time_zone: Option<String>,
    /// Where it takes place.
    #[schemars(length(max = TITLE_MAX))]
    location: Option<String>,
    /// Notes about the event.
    #[schemars(length(max = NOTES_MAX))]
    notes: Option<String>,
    /// How it repeats, such as `{"frequency": "weekly"}`. Default: once.
    repeat: Option<Repeat>,
    /// Minutes before the start. Default: the setting calendarReminderMinutes.
    #[schemars(range(min = 0, max = REMINDER_MAX))]
    reminder_minutes: Option<i64>,
}

/// Changes of an event.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateEvent")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Update {
    event_id: String,
    /// The occurrence of a series that is changed.
    #[schemars(length(max = 40))]
    occurrence: Option<String>,
    /// Default: `this` with an occurrence, else `all`.
    scope: Option<Scope>,
    /// Title of the event.
    #[schemars(length(min = 1, max = TITLE_MAX), regex(pattern = kit::text::NAME))]
    title: Option<String>,
    /// Start time, such as `2026-03-01T09:00:00Z`. For an all-day event, its first day. Without `end`, the length stays.
    #[schemars(length(max = 40))]
    start: Option<String>,
    /// End time, such as `2026-03-01T10:00:00Z`. For an all-day event, the day after its last day.
    #[schemars(length(max = 40))]
    end: Option<String>,
    /// Whether it lasts whole days.
    all_day: Option<bool>,
    /// Time zone of the event, such as `Europe/Berlin`.
    #[schemars(length(max = 100))]
    time_zone: Option<String>,
    /// Where it takes place.
    #[schemars(length(max = TITLE_MAX))]
    location: Option<String>,
    /// Notes about the event.
    #[schemars(length(max = NOTES_MAX))]
    notes: Option<String>,
    /// How it repeats, such as `{"frequency": "weekly"}`; `null` for no repetition.
    #[serde(default, deserialize_with = "nullable")]
    repeat: Option<Option<Repeat>>,
    /// `null` for the default.
    #[serde(default, deserialize_with = "nullable")]
    #[schemars(range(min = 0, max = REMINDER_MAX))]
    reminder_minutes: Option<Option<i64>>,
    /// Another calendar to move it to.
    calendar_id: Option<String>,
}

/// The times of a request, checked. `before` is what the event has.
fn when(
    (start, end): (Option<&str>, Option<&str>),
    all_day: Option<bool>,
    zone: Option<&str>,
    before: Option<&OccurrenceRecord>,
    viewer: &TimeZone,
) -> Result<Option<When>> {
    if start.is_none() && end.is_none() && all_day.is_none() && zone.is_none() {
        return Ok(None);
    }
    let given = |text: Option<&str>, old: Option<&String>, pointer: &str| {
        let text = text.map(str::to_owned).or_else(|| old.cloned());
        text.ok_or_else(|| invalid(pointer, fault::MISSING, "Set the start and the end."))
    };
    let start_text = given(start, before.map(|one| &one.start), "/start")?;
    let mut end_text = given(end, before.map(|one| &one.end), "/end")?;
    if let (Some(_), None, Some(before)) = (start, end, before) {
        // Moved: as long as before.
        end_text = moved_end(&start_text, before, viewer)?;
    }
    let is_date = |text: &str| text.len() == 10;
    let is_all_day = all_day
        .unwrap_or_else(|| if start.is_some() { is_date(&start_text) } else { before.is_some_and(|one| one.all_day) });
    let too_short = || invalid("/end", OUT_OF_RANGE, "The end must be after the start.");
    if is_all_day {
        let day = |text: &str, pointer: &str| -> Result<Date> {
            let day = if is_date(text) {
                text.parse::<Date>().ok()
            } else {
                kit::clock::instant_ms(text).map(|ms| kit::clock::day_of(ms, viewer))
            };
            day.filter(|day| (1..=9998).contains(&day.year()))
                .ok_or_else(|| invalid(pointer, WRONG_FORMAT, "Use a date such as 2026-03-01."))
        };
        let (first, mut last) = (day(&start_text, "/start")?, day(&end_text, "/end")?);
        if last <= first && !is_date(&end_text) {
            last = first.tomorrow().map_err(|_| too_short())?;
        }
        return if last > first { Ok(Some(When::Days(first, last))) } else { Err(too_short()) };
    }
    let zone = match zone {
        Some(name) => Some(
            ical::find_zone(name)
                .ok_or_else(|| {
                    invalid("/timeZone", WRONG_FORMAT, "Unknown time zone. Use a name such as Europe/Berlin.")
                })?
                .0,
        ),
        None => None,
    };
    let start_ms = find::instant(&start_text, viewer, "/start")?;
    let end_ms = find::instant(&end_text, viewer, "/end")?;
    let is_in_range = |ms: i64| (-62_135_596_800_000..=253_370_000_000_000).contains(&ms);
    if !is_in_range(start_ms) || !is_in_range(end_ms) {
        return Err(invalid("/start", OUT_OF_RANGE, "The time is out of range."));
    }
    if end_ms < start_ms { Err(too_short()) } else { Ok(Some(When::Times { start_ms, end_ms, zone })) }
}

/// The end of a moved event.
fn moved_end(start: &str, before: &OccurrenceRecord, viewer: &TimeZone) -> Result<String> {
    let length_ms = before.span.1 - before.span.0;
    if let (10, Ok(first)) = (start.len(), start.parse::<Date>()) {
        let days = ((length_ms + kit::clock::DAY_MS / 2) / kit::clock::DAY_MS).max(1);
        return first
            .checked_add(jiff::Span::new().days(days.min(100_000)))
            .map(|date| date.to_string())
            .map_err(|_| invalid("/start", OUT_OF_RANGE, "The date is out of range."));
    }
    let start_ms = find::instant(start, viewer, "/start")?;
    let length_ms = if before.all_day { 3_600_000 } else { length_ms };
    Ok(kit::rfc3339(start_ms.saturating_add(length_ms)))
}

/// A rule, checked. Its last day counts whole in the event's zone.
fn rule(repeat: &Repeat, is_all_day: bool, zone: &TimeZone) -> Result<String> {
    kit::page::expect_within(repeat.interval, 1..=1_000, "/repeat/interval")?;
    if let Some(count) = repeat.count {
        kit::page::expect_within(count, 1..=10_000, "/repeat/count")?;
    }
    if repeat.count.is_some() && repeat.until.is_some() {
        return Err(invalid("/repeat/until", fault::ONE_OF, "Send count or until, not both."));
    }
    let wrong = || invalid("/repeat/until", WRONG_FORMAT, "Use a date such as 2026-12-31.");
    let until = match &repeat.until {
        None => None,
        Some(text) => {
            let date: Date = text.parse().map_err(|_| wrong())?;
            let day = date.strftime("%Y%m%d").to_string();
            if is_all_day {
                Some(day)
            } else {
                let end = date.at(23, 59, 59, 0).to_zoned(zone.clone()).map_err(|_| wrong())?;
                let end = TimeZone::UTC.to_datetime(end.timestamp());
                Some(end.strftime("%Y%m%dT%H%M%SZ").to_string())
            }
        }
    };
    Ok(repeat.rule(until.as_deref()))
}

fn expect_texts(
    title: Option<&String>,
    location: Option<&String>,
    notes: Option<&String>,
    minutes: Option<i64>,
) -> Result<()> {
    if let Some(title) = title {
        kit::text::expect_name(title, TITLE_MAX, "/title")?;
    }
    for (text, max, pointer) in [(location, TITLE_MAX, "/location"), (notes, NOTES_MAX, "/notes")] {
        if text.is_some_and(|text| text.chars().count() > max) {
            return Err(invalid(pointer, fault::TOO_LONG, format!("Use up to {max} characters.")));
        }
    }
    if let Some(minutes) = minutes {
        kit::page::expect_within(minutes, 0..=REMINDER_MAX, "/reminderMinutes")?;
    }
    Ok(())
}

async fn create(ctx: Ctx, call: Call, input: Create) -> Result<Created<OccurrenceRecord>> {
    expect_texts(Some(&input.title), input.location.as_ref(), input.notes.as_ref(), input.reminder_minutes)?;
    let home = ctx.home_zone();
    let zone_name =
        input.time_zone.clone().or_else(|| home.iana_name().map(str::to_owned)).unwrap_or_else(|| "UTC".into());
    let viewer = viewer(&ctx, Some(&zone_name))?;
    let when = when((Some(&input.start), Some(&input.end)), input.all_day, Some(&zone_name), None, &viewer)?;
    let is_all_day = matches!(when, Some(When::Days(..)));
    let rule = input.repeat.as_ref().map(|repeat| rule(repeat, is_all_day, &viewer)).transpose()?;
    let fields = Fields {
        title: Some(input.title.trim().to_owned()),
        location: input.location,
        notes: input.notes,
        when,
        rule: rule.map(Some),
        reminder_minutes: input.reminder_minutes.map(Some),
    };
    let uid = new_id();
    let made = ical::create(&uid, &fields, ctx.now_ms(), &viewer);
    let account = call.account().to_owned();
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let calendar = rows::calendar(tx, call.account(), &input.calendar_id)?;
        expect_writable(&calendar)?;
        let stored = fresh(&calendar, uid, &made);
        rows::store_event(tx, &again, call.account(), &stored)?;
        record_change(tx, &again, &call, &stored.id, None, Some(summary(&stored)))?;
        Ok(stored.id)
    };
    let id = ctx.db().write(write).await?;
    sync::push(&ctx, &account, std::slice::from_ref(&id)).await?;
    let record = shown(&ctx, &account, &id, None).await?;
    Ok(Created { location: format!("/calendar/events/{id}"), record })
}

/// A new event of a calendar.
fn fresh(calendar: &Calendar, uid: String, made: &Component) -> Stored {
    Stored {
        id: short_id(),
        calendar_id: calendar.id.clone(),
        uid,
        href: String::new(),
        etag: String::new(),
        ical: made.write(),
        pending: pending(calendar, PUT),
    }
}

/// What the server of a calendar is to be told.
fn pending(calendar: &Calendar, what: &str) -> String {
    if calendar.kind == LOCAL { String::new() } else { what.to_owned() }
}

pub(crate) fn summary(stored: &Stored) -> Value {
    let title = stored.resource().ok().map(|resource| {
        let event = resource.calendar.children.iter().find(|child| child.name == "VEVENT");
        event.map(|event| event.text("SUMMARY").chars().take(TITLE_MAX).collect::<String>()).unwrap_or_default()
    });
    json!({"title": title, "calendarId": stored.calendar_id})
}

fn record_change(
    tx: &mut Tx<'_>,
    ctx: &Ctx,
    call: &Call,
    id: &str,
    before: Option<Value>,
    after: Option<Value>,
) -> Result<()> {
    let change =
        Change { subject: "calendar-event", subject_id: id, field: "", before: before.as_ref(), after: after.as_ref() };
    tx.record(&call.caller, ctx.now_ms(), change).map(drop)
}

async fn update(ctx: Ctx, call: Call, input: Update) -> Result<OccurrenceRecord> {
    expect_texts(
        input.title.as_ref(),
        input.location.as_ref(),
        input.notes.as_ref(),
        input.reminder_minutes.flatten(),
    )?;
    let account = call.account().to_owned();
    let now = shown(&ctx, &account, &input.event_id, input.occurrence.clone()).await?;
    let viewer = match (&input.time_zone, &now.time_zone) {
        (Some(name), _) => viewer(&ctx, Some(name))?,
        (None, Some(name)) => ical::find_zone(name).map_or_else(|| ctx.home_zone(), |(_, zone)| zone),
        _ => ctx.home_zone(),
    };
    let mut zone = input.time_zone.clone();
    if zone.is_none() && now.all_day {
        zone = viewer.iana_name().map(str::to_owned).filter(|_| input.start.is_some() || input.all_day.is_some());
    }
    let when =
        when((input.start.as_deref(), input.end.as_deref()), input.all_day, zone.as_deref(), Some(&now), &viewer)?;
    let is_all_day = match &when {
        Some(When::Days(..)) => true,
        Some(When::Times { .. }) => false,
        None => now.all_day,
    };
    // A rule that the form can't show comes back unchanged.
    let changed_repeat = input.repeat.as_ref().filter(|repeat| repeat.as_ref() != now.repeat.as_ref());
    let rule = match changed_repeat {
        Some(Some(repeat)) => Some(Some(rule(repeat, is_all_day, &viewer)?)),
        Some(None) => Some(None),
        None => None,
    };
    let fields = Fields {
        title: input.title.as_ref().map(|title| title.trim().to_owned()),
        location: input.location.clone(),
        notes: input.notes.clone(),
        when,
        rule,
        reminder_minutes: input.reminder_minutes,
    };
    let key = input.occurrence.clone().filter(|_| now.is_recurring);
    let scope = match input.scope {
        _ if !now.is_recurring => Scope::All,
        Some(scope) => scope,
        None => {
            if key.is_some() {
                Scope::This
            } else {
                Scope::All
            }
        }
    };
    let key = key.or_else(|| now.occurrence.clone());
    let (again, home) = (ctx.clone(), ctx.home_zone());
    let write = move |tx: &mut Tx<'_>| {
        let (before, calendar) = rows::event(tx, call.account(), &input.event_id)?;
        expect_writable(&calendar)?;
        let resource = before.resource()?;
        let now_ms = again.now_ms();
        let named = key.as_deref();
        let changed = match (scope, named) {
            (Scope::This, Some(key)) => ical::update_one(&resource, key, &fields, now_ms, &home).map(|one| (one, None)),
            (Scope::Following, Some(key)) => ical::update_following(&resource, key, &fields, &new_id(), now_ms, &home),
            _ => ical::update_all(&resource, named, &fields, now_ms, &home).map(|one| (one, None)),
        };
        let (one, later) = changed.ok_or_else(not_found)?;
        let mut changed = vec![Stored { ical: one.write(), pending: pending(&calendar, PUT), ..before.clone() }];
        let mut shown = before.id.clone();
        if let Some(later) = later {
            let uid = Resource::of(later.clone()).map(|resource| resource.uid()).unwrap_or_default();
            let made = fresh(&calendar, uid, &later);
            shown.clone_from(&made.id);
            changed.push(made);
        }
        if let Some(target) = input.calendar_id.as_ref().filter(|target| **target != calendar.id) {
            shown = relocate(tx, &again, call.account(), &mut changed, &calendar, target)?;
        }
        for stored in &changed {
            rows::store_event(tx, &again, call.account(), stored)?;
        }
        record_change(tx, &again, &call, &before.id, Some(summary(&before)), changed.first().map(summary))?;
        Ok((changed.into_iter().map(|one| one.id).chain([before.id]).collect::<Vec<_>>(), shown, scope))
    };
    let (mut changed, id, scope) = ctx.db().write(write).await?;
    changed.sort_unstable();
    changed.dedup();
    sync::push(&ctx, &account, &changed).await?;
    // What was changed is answered: the same occurrence where it still exists.
    let same = if scope == Scope::This { now.occurrence.clone() } else { None };
    match shown(&ctx, &account, &id, same).await {
        Err(error) if error.is(&kit::error::NOT_FOUND) => shown(&ctx, &account, &id, None).await,
        record => record,
    }
}

/// Moves events to another calendar: new there, and deleted where they were. The event that is shown then.
fn relocate(
    tx: &mut Tx<'_>,
    ctx: &Ctx,
    account: &str,
    changed: &mut Vec<Stored>,
    from: &Calendar,
    target: &str,
) -> Result<String> {
    let target = rows::calendar(tx, account, target)?;
    expect_writable(&target)?;
    let mut made = Vec::new();
    for old in changed.iter() {
        let known = rows::any_event(tx, account, &old.id)?;
        if from.kind == LOCAL || known.is_none() || old.href.is_empty() {
            // It keeps its ID where no server is to be told that it's gone.
            made.push(Stored {
                calendar_id: target.id.clone(),
                href: String::new(),
                etag: String::new(),
                pending: pending(&target, PUT),
                ..old.clone()
            });
            continue;
        }
        let copy = Stored {
            id: short_id(),
            calendar_id: target.id.clone(),
            href: String::new(),
            etag: String::new(),
            pending: pending(&target, PUT),
            ..old.clone()
        };
        rows::store_event(tx, ctx, account, &Stored { pending: DELETE.into(), ..old.clone() })?;
        made.push(copy);
    }
    *changed = made;
    Ok(changed.last().map(|one| one.id.clone()).unwrap_or_default())
}

/// What to delete.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "DeleteEvent")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Delete {
    event_id: String,
    /// The occurrence of a series that is deleted.
    #[schemars(length(max = 40))]
    occurrence: Option<String>,
    /// Default: `this` with an occurrence, else `all`.
    scope: Option<Scope>,
}

/// What a deletion replaced.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "EventUndo")]
struct UndoRecord {
    /// Restores it with `calendar.events.restore`.
    undo: String,
}

async fn delete(ctx: Ctx, call: Call, input: Delete) -> Result<UndoRecord> {
    let (again, home, account, id) = (ctx.clone(), ctx.home_zone(), call.account().to_owned(), input.event_id.clone());
    let write = move |tx: &mut Tx<'_>| {
        let (before, calendar) = rows::event(tx, call.account(), &input.event_id)?;
        expect_writable(&calendar)?;
        let resource = before.resource()?;
        let now_ms = again.now_ms();
        let scope = input.scope.unwrap_or(if input.occurrence.is_some() { Scope::This } else { Scope::All });
        let left = match (scope, &input.occurrence) {
            (Scope::All, _) | (_, None) => None,
            (scope, Some(key)) => {
                resource.occurrence(key, &home).ok_or_else(not_found)?;
                match scope {
                    Scope::This => ical::delete_one(&resource, key, now_ms, &home),
                    _ => ical::delete_from(&resource, key, now_ms, &home),
                }
            }
        };
        let undo = rows::store_undo(
            tx,
            call.account(),
            &Undo { before: vec![before.clone()], made: Vec::new() },
            false,
            now_ms,
        )?;
        let after = match left {
            Some(left) => {
                let stored = Stored { ical: left.write(), pending: pending(&calendar, PUT), ..before.clone() };
                rows::store_event(tx, &again, call.account(), &stored)?;
                Some(summary(&stored))
            }
            None => {
                remove(tx, &again, call.account(), &calendar, &before)?;
                None
            }
        };
        record_change(tx, &again, &call, &before.id, Some(summary(&before)), after)?;
        Ok(undo)
    };
    let undo = ctx.db().write(write).await?;
    sync::push(&ctx, &account, &[id]).await?;
    Ok(UndoRecord { undo })
}

/// Removes an event: at once, or when the server was told.
fn remove(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, calendar: &Calendar, event: &Stored) -> Result<()> {
    if calendar.kind == LOCAL || event.href.is_empty() {
        return rows::remove_event(tx, ctx, account, &event.id);
    }
    rows::store_event(tx, ctx, account, &Stored { pending: DELETE.into(), ..event.clone() })
}

/// Names what a change replaced.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "RestoreEvent")]
#[serde(deny_unknown_fields)]
struct Restore {
    #[schemars(length(min = 1, max = 64))]
    undo: String,
}

async fn restore(ctx: Ctx, call: Call, input: Restore) -> Result<Done> {
    let (again, account) = (ctx.clone(), call.account().to_owned());
    let write = move |tx: &mut Tx<'_>| {
        let undo = rows::take_undo(tx, call.account(), &input.undo)?;
        let mut restored = Vec::new();
        for old in undo.before {
            let calendar = rows::calendar(tx, call.account(), &old.calendar_id)?;
            let now = rows::any_event(tx, call.account(), &old.id)?;
            let etag = now.as_ref().map(|now| now.etag.clone()).unwrap_or_default();
            let stored = Stored { etag, pending: pending(&calendar, PUT), ..old };
            rows::store_event(tx, &again, call.account(), &stored)?;
            record_change(tx, &again, &call, &stored.id, now.as_ref().map(summary), Some(summary(&stored)))?;
            restored.push(stored.id);
        }
        Ok(restored)
    };
    let restored = ctx.db().write(write).await?;
    sync::push(&ctx, &account, &restored).await?;
    Ok(Done)
}

/// The answer to an invitation.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(rename = "InvitationResponse")]
#[serde(rename_all = "camelCase")]
enum Response {
    Accepted,
    Declined,
    Tentative,
}

/// An answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "RespondToEvent")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Respond {
    event_id: String,
    /// The occurrence of a series. Default: all.
    #[schemars(length(max = 40))]
    occurrence: Option<String>,
    response: Response,
}

async fn respond(ctx: Ctx, call: Call, input: Respond) -> Result<OccurrenceRecord> {
    let own = own_addresses(&ctx, call.account()).await?;
    let (again, home, account) = (ctx.clone(), ctx.home_zone(), call.account().to_owned());
    let (id, key) = (input.event_id.clone(), input.occurrence.clone());
    let write = move |tx: &mut Tx<'_>| {
        let (before, calendar) = rows::event(tx, call.account(), &input.event_id)?;
        expect_writable(&calendar)?;
        let mine = Mine::stored(tx, call.account(), own)?;
        let mut resource = before.resource()?;
        let places: Vec<usize> = match &input.occurrence {
            Some(key) => vec![ical::override_of(&mut resource, key, &home).ok_or_else(not_found)?],
            None => (0..resource.calendar.children.len()).filter(|at| resource.event(*at).name == "VEVENT").collect(),
        };
        let word = match input.response {
            Response::Accepted => "ACCEPTED",
            Response::Declined => "DECLINED",
            Response::Tentative => "TENTATIVE",
        };
        let mut count = 0;
        for at in places {
            for line in resource.calendar.children[at].lines.iter_mut().filter(|line| line.name == "ATTENDEE") {
                let address = email(&line.value);
                if mine.of(&calendar.id).iter().any(|own| own.eq_ignore_ascii_case(&address)) {
                    line.params.retain(|(name, _)| name != "PARTSTAT" && name != "RSVP");
                    line.params.push(("PARTSTAT".into(), word.into()));
                    count += 1;
                }
            }
        }
        if count == 0 {
            let detail = "You aren't among the attendees. Add your address to your member in the directory.";
            return Err(invalid("/eventId", fault::WRONG_FORMAT, detail));
        }
        let stored = Stored { ical: resource.calendar.write(), pending: pending(&calendar, PUT), ..before.clone() };
        rows::store_event(tx, &again, call.account(), &stored)?;
        record_change(tx, &again, &call, &stored.id, None, Some(json!({"response": word.to_lowercase()})))
    };
    ctx.db().write(write).await?;
    sync::push(&ctx, &account, std::slice::from_ref(&id)).await?;
    shown(&ctx, &account, &id, key).await
}

/// Whether an event's change waits for its server.
pub(crate) fn waiting(tx: &mut Tx<'_>, account: &str, calendar_id: &str) -> Result<Vec<String>> {
    let sql = "SELECT event_id FROM calendar_events WHERE account_id = $1 AND calendar_id = $2 AND pending <> '' ORDER BY changed_ms, event_id";
    tx.query(sql, params![account, calendar_id], |row| row.get(0))
}
