//! Operations on calendars.

use crate::errors::{CALENDAR_LIMIT, SYNC, guarded};
use crate::record::CalendarRecord;
use crate::rows::{self, CALDAV, Calendar, LOCAL};
use kit::fault::WRONG_FORMAT;
use kit::ids::short_id;
use kit::{Call, CallerSet, Created, Ctx, Done, Method, Op, Page, Part, Result, invalid};
use schedule::HasSchedule;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use store::{Change, HasDb, Tx, params};

/// Maximum characters of a name.
pub(crate) const NAME_MAX: usize = 200;
/// A color, as the API takes it.
pub(crate) const COLOR: &str = "^#[0-9a-fA-F]{6}$";
/// Colors of new calendars, in turn.
const COLORS: [&str; 8] = ["#2563eb", "#16a34a", "#d97706", "#dc2626", "#7c3aed", "#0891b2", "#db2777", "#4b5563"];

const ONE: &str = "/calendar/calendars/{calendarId}";

pub(crate) fn ops() -> Vec<Op> {
    let (all, person) = (CallerSet::PERSON_AND_AGENTS, CallerSet::PERSON);
    vec![
        guarded(Op::new("calendar.calendars.list", Method::Get, "/calendar/calendars", all, "List calendars.", list))
            .columns(&["id", "name", "kind", "isShown", "isWritable", "problem"]),
        guarded(Op::new("calendar.calendars.get", Method::Get, ONE, all, "Get a calendar.", get))
            .example(r#"{"calendarId": "{calendarId}"}"#),
        guarded(Op::new("calendar.calendars.create", Method::Post, "/calendar/calendars", person, "Create a calendar on this computer.", create))
            .example(r#"{"name": "Private"}"#)
            .errors([&CALENDAR_LIMIT]),
        guarded(Op::new("calendar.calendars.update", Method::Patch, ONE, person, "Change a calendar's name or color, or show or hide it.", update))
            .example(r#"{"calendarId": "{calendarId}", "isShown": true}"#),
        guarded(Op::new(
            "calendar.calendars.delete",
            Method::Delete,
            ONE,
            person,
            "Delete a calendar with its events. It can be restored for 30 days. Calendars from a server or a subscription are removed from Pilothouse only.",
            delete,
        ))
        .example(r#"{"calendarId": "{spareCalendarId}"}"#),
        guarded(Op::new(
            "calendar.calendars.restore",
            Method::Post,
            "/calendar/calendars/{calendarId}/restore",
            person,
            "Restore a deleted calendar.",
            restore,
        ))
        .example(r#"{"calendarId": "{deletedCalendarId}"}"#),
    ]
}

async fn list(ctx: Ctx, call: Call, part: Part) -> Result<Page<CalendarRecord>> {
    let all = ctx.db().read(move |tx| rows::calendars(tx, call.account(), false)).await?;
    part.page(all.iter().map(CalendarRecord::from).collect(), |record| (&record.id).into())
}

/// Names a calendar.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CalendarId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct One {
    pub(crate) calendar_id: String,
}

async fn get(ctx: Ctx, call: Call, input: One) -> Result<CalendarRecord> {
    let calendar = ctx.db().read(move |tx| rows::calendar(tx, call.account(), &input.calendar_id)).await?;
    Ok(CalendarRecord::from(&calendar))
}

/// A new calendar.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateCalendar")]
#[serde(deny_unknown_fields)]
struct Create {
    /// Name of the calendar.
    #[schemars(length(min = 1, max = NAME_MAX), regex(pattern = kit::text::NAME))]
    name: String,
    /// Such as `#2563eb`. Default: one that isn't used yet.
    #[schemars(regex(pattern = COLOR))]
    color: Option<String>,
}

/// A color, checked.
pub(crate) fn color(text: &str) -> Result<String> {
    let digits =
        text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit()));
    match digits {
        Some(digits) => Ok(format!("#{}", digits.to_ascii_lowercase())),
        None => Err(invalid("/color", WRONG_FORMAT, "Use a color such as #2563eb.")),
    }
}

/// A color that the account's calendars have least.
pub(crate) fn free_color(tx: &mut Tx<'_>, account: &str) -> Result<String> {
    let used: Vec<String> = rows::calendars(tx, account, false)?.into_iter().map(|calendar| calendar.color).collect();
    let count = |color: &&str| used.iter().filter(|one| one == color).count();
    Ok(COLORS.into_iter().min_by_key(count).unwrap_or(COLORS[0]).to_owned())
}

/// A calendar that has nothing yet.
pub(crate) fn new(kind: &str, name: &str, color: String, now_ms: i64) -> Calendar {
    Calendar {
        id: short_id(),
        dav_id: String::new(),
        kind: kind.to_owned(),
        name: name.to_owned(),
        color,
        is_shown: true,
        is_writable: kind == LOCAL,
        url: String::new(),
        sync_state: String::new(),
        problem: String::new(),
        synced_ms: 0,
        created_ms: now_ms,
        deleted_ms: 0,
    }
}

async fn create(ctx: Ctx, call: Call, input: Create) -> Result<Created<CalendarRecord>> {
    kit::text::expect_name(&input.name, NAME_MAX, "/name")?;
    let chosen = input.color.as_deref().map(color).transpose()?;
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let color = chosen.map_or_else(|| free_color(tx, call.account()), Ok)?;
        let calendar = new(LOCAL, input.name.trim(), color, again.now_ms());
        store(tx, &again, &call, None, &calendar)?;
        Ok(calendar)
    };
    let calendar = ctx.db().write(write).await?;
    Ok(Created { location: format!("/calendar/calendars/{}", calendar.id), record: CalendarRecord::from(&calendar) })
}

/// Stores a calendar, and records the change.
pub(crate) fn store(
    tx: &mut Tx<'_>,
    ctx: &Ctx,
    call: &Call,
    before: Option<&Calendar>,
    calendar: &Calendar,
) -> Result<()> {
    rows::store_calendar(tx, call.account(), calendar)?;
    let [before, after] = [before, Some(calendar)].map(|one| one.filter(|one| one.deleted_ms == 0).map(summary));
    let change = Change {
        subject: "calendar",
        subject_id: &calendar.id,
        field: "",
        before: before.as_ref(),
        after: after.as_ref(),
    };
    tx.record(&call.caller, ctx.now_ms(), change)?;
    rows::announce(tx, ctx, call.account());
    Ok(())
}

fn summary(calendar: &Calendar) -> Value {
    json!({"name": calendar.name, "color": calendar.color, "isShown": calendar.is_shown, "kind": calendar.kind})
}

/// Changes of a calendar.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateCalendar")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Update {
    calendar_id: String,
    #[schemars(length(min = 1, max = NAME_MAX), regex(pattern = kit::text::NAME))]
    name: Option<String>,
    #[schemars(regex(pattern = COLOR))]
    color: Option<String>,
    is_shown: Option<bool>,
}

async fn update(ctx: Ctx, call: Call, input: Update) -> Result<CalendarRecord> {
    if let Some(name) = &input.name {
        kit::text::expect_name(name, NAME_MAX, "/name")?;
    }
    let chosen = input.color.as_deref().map(color).transpose()?;
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let before = rows::calendar(tx, call.account(), &input.calendar_id)?;
        let mut calendar = before.clone();
        calendar.name = input.name.map_or(calendar.name, |name| name.trim().to_owned());
        calendar.color = chosen.unwrap_or(calendar.color);
        calendar.is_shown = input.is_shown.unwrap_or(calendar.is_shown);
        store(tx, &again, &call, Some(&before), &calendar)?;
        Ok(calendar)
    };
    let calendar = ctx.db().write(write).await?;
    Ok(CalendarRecord::from(&calendar))
}

async fn delete(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let before = rows::calendar(tx, call.account(), &input.calendar_id)?;
        let mut calendar = Calendar { deleted_ms: again.now_ms(), ..before.clone() };
        if calendar.kind == CALDAV {
            // What the server has is read again if it's restored; what it wasn't told yet stays.
            let sql = "DELETE FROM calendar_events WHERE account_id = $1 AND calendar_id = $2 AND pending = ''";
            tx.execute(sql, params![call.account(), &calendar.id])?;
            calendar.sync_state = String::new();
        }
        store(tx, &again, &call, Some(&before), &calendar)
    };
    ctx.db().write(write).await?;
    Ok(Done)
}

async fn restore(ctx: Ctx, call: Call, input: One) -> Result<CalendarRecord> {
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let before = rows::any_calendar(tx, call.account(), &input.calendar_id)?;
        if before.kind == CALDAV {
            rows::expect_dav(tx, call.account(), &before.dav_id)?;
        }
        let calendar = Calendar { deleted_ms: 0, ..before.clone() };
        store(tx, &again, &call, Some(&before), &calendar)?;
        Ok(calendar)
    };
    let calendar = ctx.db().write(write).await?;
    if calendar.kind != LOCAL {
        ctx.schedule().run_soon(&ctx, SYNC, Duration::ZERO);
    }
    Ok(CalendarRecord::from(&calendar))
}
