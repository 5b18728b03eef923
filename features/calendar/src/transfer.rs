//! Import and export of .ics files.

use crate::calendars::One;
use crate::errors::guarded;
use crate::errors::{CALENDAR_LIMIT, CALENDAR_READ_ONLY};
use crate::rows::{self, Calendar, DELETE, LOCAL, PUT, Stored};
use ical::{Component, Line, Resource};
use kit::fault::WRONG_FORMAT;
use kit::ids::short_id;
use kit::op::Media;
use kit::{Call, CallerSet, Ctx, Method, Op, Reply, Result, invalid};
use schedule::HasSchedule;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use store::{Change, HasDb, Tx};

/// Bytes of an imported file.
const FILE_BYTES_MAX: usize = 20_000_000;
/// Events that are left out and named.
const SKIPPED_MAX: usize = 100;
const ICS: &str = "text/calendar";

pub(crate) fn ops() -> Vec<Op> {
    vec![
        guarded(Op::new(
            "calendar.import",
            Method::Post,
            "/calendar/calendars/{calendarId}/import",
            CallerSet::PERSON,
            "Import the events of an .ics file. Events that the calendar has already are updated.",
            import,
        ))
        .example(r#"{"calendarId": "{calendarId}", "text": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nDTSTART:20260301T090000Z\nEND:VEVENT\nEND:VCALENDAR"}"#)
        .body_up_to(FILE_BYTES_MAX)
        .errors([&CALENDAR_READ_ONLY, &CALENDAR_LIMIT]),
        guarded(Op::new(
            "calendar.export",
            Method::Get,
            "/calendar/calendars/{calendarId}/export",
            CallerSet::PERSON,
            "Export a calendar as an .ics file.",
            export,
        ))
        .example(r#"{"calendarId": "{calendarId}"}"#),
    ]
}

/// A file to import.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ImportCalendar")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Import {
    calendar_id: String,
    /// The text of the file.
    #[schemars(length(min = 1, max = FILE_BYTES_MAX))]
    text: String,
}

/// An event that wasn't imported.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SkippedEvent")]
struct Skipped {
    title: String,
    reason: String,
}

/// What was imported.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CalendarImport")]
struct Imported {
    imported: usize,
    updated: usize,
    skipped: Vec<Skipped>,
}

async fn import(ctx: Ctx, call: Call, input: Import) -> Result<Imported> {
    let resources = ical::split(&input.text);
    if resources.is_empty() {
        return Err(invalid("/text", WRONG_FORMAT, "The text has no events. Use an .ics file."));
    }
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let calendar = rows::calendar(tx, call.account(), &input.calendar_id)?;
        expect_writable(&calendar)?;
        let mut done = put_all(tx, &again, call.account(), &calendar, resources, true)?;
        done.skipped.truncate(SKIPPED_MAX);
        let after = json!({"imported": done.imported, "updated": done.updated});
        let change = Change {
            subject: "calendar",
            subject_id: &calendar.id,
            field: "import",
            before: None,
            after: Some(&after),
        };
        tx.record(&call.caller, again.now_ms(), change)?;
        Ok((done, calendar.kind != LOCAL))
    };
    let (done, is_of_server) = ctx.db().write(write).await?;
    if is_of_server {
        ctx.schedule().run_soon(&ctx, crate::errors::SYNC, Duration::ZERO);
    }
    Ok(done)
}

pub(crate) fn expect_writable(calendar: &Calendar) -> Result<()> {
    if calendar.is_writable {
        return Ok(());
    }
    Err(CALENDAR_READ_ONLY.error(format!("{} is read-only.", calendar.name)))
}

/// Puts events of a file into a calendar. Those of a server are sent later if `sends`.
fn put_all(
    tx: &mut Tx<'_>,
    ctx: &Ctx,
    account: &str,
    calendar: &Calendar,
    resources: Vec<Component>,
    sends: bool,
) -> Result<Imported> {
    let known: HashMap<String, Stored> =
        rows::events_of(tx, account, &calendar.id)?.into_iter().map(|event| (event.uid.clone(), event)).collect();
    let mut done = Imported { imported: 0, updated: 0, skipped: Vec::new() };
    for resource in resources {
        let title = resource.children.iter().find(|child| child.name == "VEVENT").map(|event| event.text("SUMMARY"));
        let title: String = title.unwrap_or_default().chars().take(200).collect();
        let (resource, uid) = match prepared(resource) {
            Ok(ready) => ready,
            Err(reason) => {
                done.skipped.push(Skipped { title, reason: reason.into() });
                continue;
            }
        };
        let ical = resource.write();
        let before = known.get(&uid);
        if before.is_some_and(|before| before.ical == ical && before.pending != DELETE) {
            continue;
        }
        let pending = if sends && calendar.kind != LOCAL { PUT } else { "" };
        let stored = Stored {
            id: before.map_or_else(short_id, |before| before.id.clone()),
            calendar_id: calendar.id.clone(),
            uid,
            href: before.map(|before| before.href.clone()).unwrap_or_default(),
            etag: before.map(|before| before.etag.clone()).unwrap_or_default(),
            ical,
            pending: pending.into(),
        };
        rows::store_event(tx, ctx, account, &stored)?;
        if before.is_some() {
            done.updated += 1;
        } else {
            done.imported += 1;
        }
    }
    Ok(done)
}

/// A resource with a UID, if it can be shown.
fn prepared(mut calendar: Component) -> std::result::Result<(Component, String), &'static str> {
    let has_start = calendar.children.iter().any(|child| child.name == "VEVENT" && child.line("DTSTART").is_some());
    if !has_start {
        return Err("It has no start.");
    }
    let mut uid = Resource::of(calendar.clone()).map(|resource| resource.uid()).unwrap_or_default();
    if uid.is_empty() {
        // The same file gives the same name again.
        let event = calendar.children.iter().find(|child| child.name == "VEVENT");
        uid = event
            .map(|event| format!("{}-{}@pilothouse", event.value("DTSTART"), short(&event.text("SUMMARY"))))
            .unwrap_or_default();
        calendar
            .children
            .iter_mut()
            .filter(|child| child.name == "VEVENT")
            .for_each(|child| child.set(Line::new("UID", uid.clone())));
    }
    ical::complete(&mut calendar);
    match Resource::of(calendar.clone()).and_then(|resource| resource.bounds()) {
        Some(_) => Ok((calendar, uid)),
        None => Err("Its start can't be read."),
    }
}

fn short(text: &str) -> String {
    text.chars().filter(|sign| sign.is_alphanumeric()).take(40).collect()
}

/// Replaces what a read-only calendar has by the events of a file.
pub(crate) fn replace_all(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, calendar: &Calendar, text: &str) -> Result<()> {
    let resources = ical::split(text);
    let mut kept: HashSet<String> = HashSet::new();
    let resources: Vec<Component> = resources
        .into_iter()
        .filter_map(|one| prepared(one).ok())
        .map(|(one, uid)| {
            kept.insert(uid);
            one
        })
        .collect();
    for old in rows::events_of(tx, account, &calendar.id)?.into_iter().filter(|old| !kept.contains(&old.uid)) {
        rows::remove_event(tx, ctx, account, &old.id)?;
    }
    put_all(tx, ctx, account, calendar, resources, false).map(drop)
}

/// An .ics file.
struct Ics;

impl Media for Ics {
    const TYPES: &'static [&'static str] = &[ICS];
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

async fn export(ctx: Ctx, call: Call, input: One) -> Result<kit::op::Raw<Ics>> {
    let read = move |tx: &mut Tx<'_>| {
        let calendar = rows::calendar(tx, call.account(), &input.calendar_id)?;
        let events = rows::events_of(tx, call.account(), &calendar.id)?;
        Ok((calendar, events))
    };
    let (calendar, events) = ctx.db().read(read).await?;
    let mut file = Component::new("VCALENDAR");
    file.lines.push(Line::new("X-WR-CALNAME", ical::escape(&calendar.name)));
    let mut zones = HashSet::new();
    for stored in events.iter().filter(|stored| stored.pending != DELETE) {
        let Ok(resource) = stored.resource() else { continue };
        for child in resource.calendar.children {
            if child.name != "VTIMEZONE" || zones.insert(child.text("TZID")) {
                file.children.push(child);
            }
        }
    }
    // Zones come first.
    file.children.sort_by_key(|child| child.name != "VTIMEZONE");
    ical::complete(&mut file);
    let mut reply = Reply::json_bytes(file.write());
    reply.content_type = ICS;
    Ok(reply.header("content-disposition", "attachment; filename=\"calendar.ics\"").into())
}
