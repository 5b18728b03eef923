//! The day's agenda, free time, and the card of the morning.

use crate::errors::guarded;
use crate::find::{self, start_of, viewer, window};
use crate::record::{Answer, OccurrenceRecord, Status};
use crate::remind::{INBOX_KIND, local};
use crate::rows;
use crate::settings::{Delivery, calendarDailyAgendaEnabled, calendarEnabled, calendarNotificationDelivery};
use ::events::Actor;
use futures_core::future::BoxFuture;
use inbox_rows::NewRow;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use kit::fault::{OUT_OF_RANGE, WRONG_FORMAT};
use kit::lookup::{DayEvent, ReadEvents};
use kit::{Call, CallerSet, Catalog, Ctx, Method, Op, Result, invalid, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{HasDb, Tx};

/// Free times in an answer at most.
const FREE_MAX: usize = 1_000;
/// Lines of the card of the morning.
const LINES_MAX: usize = 20;

pub(crate) fn ops() -> Vec<Op> {
    let callers = CallerSet::PERSON_AND_AGENTS;
    vec![
        guarded(Op::new(
            "calendar.agenda",
            Method::Get,
            "/calendar/agenda",
            callers,
            "List a day's events, by default today's.",
            agenda,
        ))
        .columns(&["start", "end", "title", "location", "eventId"])
        .synonyms("today schedule meetings"),
        guarded(Op::new("agenda", Method::Get, "/agenda", callers, "List today's events, or another day's.", agenda))
            .columns(&["start", "end", "title", "location", "eventId"])
            .synonyms("today schedule meetings calendar"),
        guarded(Op::new("calendar.free", Method::Get, "/calendar/free", callers, "List times without events.", free))
            .example(r#"{"from": "2026-03-02T08:00:00Z", "to": "2026-03-02T18:00:00Z"}"#)
            .columns(&["start", "end"])
            .synonyms("slots availability busy"),
    ]
}

/// A day.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "AgendaDay")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Day {
    /// Such as `2026-03-01`. Default: today.
    #[schemars(length(max = 10))]
    date: Option<String>,
    /// Such as `Europe/Berlin`. Default: the computer's.
    #[schemars(length(max = 100))]
    time_zone: Option<String>,
}

/// A day's events.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Agenda")]
#[serde(rename_all = "camelCase")]
struct Agenda {
    date: String,
    time_zone: String,
    items: Vec<OccurrenceRecord>,
}

async fn agenda(ctx: Ctx, call: Call, input: Day) -> Result<Agenda> {
    let viewer = viewer(&ctx, input.time_zone.as_deref())?;
    let date = match &input.date {
        Some(text) => {
            text.parse::<Date>().map_err(|_| invalid("/date", WRONG_FORMAT, "Use a date such as 2026-03-01."))?
        }
        None => today(&ctx, &viewer),
    };
    let items = of_day(&ctx, call.account(), date, &viewer).await?;
    let time_zone = viewer.iana_name().unwrap_or("UTC").to_owned();
    Ok(Agenda { date: date.to_string(), time_zone, items })
}

fn today(ctx: &Ctx, viewer: &TimeZone) -> Date {
    kit::clock::day_of(ctx.now_ms(), viewer)
}

/// A day's events, without canceled and declined ones; those of the whole day first.
async fn of_day(ctx: &Ctx, account: &str, date: Date, viewer: &TimeZone) -> Result<Vec<OccurrenceRecord>> {
    let out = || invalid("/date", OUT_OF_RANGE, "The date is out of range.");
    let from_ms = start_of(date, viewer).ok_or_else(out)?;
    let to_ms = date.checked_add(1.day()).ok().and_then(|next| start_of(next, viewer)).ok_or_else(out)?;
    let mut items = find::between(ctx, account, from_ms, to_ms, viewer).await?.items;
    items.retain(takes_place);
    items.sort_by_key(|one| !one.all_day);
    Ok(items)
}

fn takes_place(one: &OccurrenceRecord) -> bool {
    one.status != Status::Canceled && one.my_response != Some(Answer::Declined)
}

/// The events of a day, for other features.
pub(crate) struct DayEvents;

impl ReadEvents for DayEvents {
    fn is_on(&self, ctx: &Ctx, account: &str) -> bool {
        ctx.setting(account, &calendarEnabled)
    }

    fn of_day(&self, ctx: Ctx, account: &str, day: Date) -> BoxFuture<'static, Result<Vec<DayEvent>>> {
        let account = account.to_owned();
        Box::pin(async move {
            let items = of_day(&ctx, &account, day, &ctx.home_zone()).await?;
            let event =
                |one: OccurrenceRecord| DayEvent { title: one.title, start_ms: (!one.all_day).then_some(one.span.0) };
            Ok(items.into_iter().map(event).collect())
        })
    }
}

/// A period, and how much time is needed.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "FreePeriod")]
#[serde(deny_unknown_fields)]
struct Period {
    /// An instant or a date.
    #[schemars(length(max = 40))]
    from: String,
    /// An instant or a date, up to 400 days later.
    #[schemars(length(max = 40))]
    to: String,
    /// The shortest free time. Default: 30.
    #[schemars(range(min = 1, max = 1440))]
    minutes: Option<i64>,
}

/// A time without events.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FreeTime")]
struct FreeTime {
    start: String,
    end: String,
}

/// Times without events.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FreeTimes")]
struct FreeTimes {
    items: Vec<FreeTime>,
}

async fn free(ctx: Ctx, call: Call, input: Period) -> Result<FreeTimes> {
    let viewer = ctx.home_zone();
    let (from_ms, to_ms) = window(&input.from, &input.to, &viewer)?;
    let least_ms = kit::page::expect_within(input.minutes.unwrap_or(30), 1..=1_440, "/minutes")? * 60_000;
    let busy = find::between(&ctx, call.account(), from_ms, to_ms, &viewer).await?;
    let mut items = Vec::new();
    let mut free_ms = from_ms;
    // Whole days, such as holidays, keep no time busy.
    let spans = busy.items.iter().filter(|one| takes_place(one) && !one.all_day).map(|one| one.span);
    for (start_ms, end_ms) in spans.chain([(to_ms, to_ms)]) {
        if start_ms.min(to_ms) - free_ms >= least_ms && items.len() < FREE_MAX {
            items.push(FreeTime { start: rfc3339(free_ms), end: rfc3339(start_ms.min(to_ms)) });
        }
        free_ms = free_ms.max(end_ms);
    }
    Ok(FreeTimes { items })
}

/// Posts the day's agenda for all accounts.
pub(crate) async fn post_all(ctx: Ctx) -> Result<()> {
    for account in ctx.db().read(rows::accounts).await? {
        if ctx.setting(&account, &calendarEnabled) && ctx.setting(&account, &calendarDailyAgendaEnabled) {
            post(&ctx, &account).await?;
        }
    }
    Ok(())
}

async fn post(ctx: &Ctx, account: &str) -> Result<()> {
    let viewer = ctx.home_zone();
    let date = today(ctx, &viewer);
    let items = of_day(ctx, account, date, &viewer).await?;
    let Some(kind) = ctx.find_service::<Catalog>().and_then(|catalog| catalog.inbox_kind(INBOX_KIND)) else {
        return Ok(());
    };
    if items.is_empty() {
        return Ok(());
    }
    let line = |one: &OccurrenceRecord| {
        let title: String = one.title.chars().take(100).collect();
        let is_before =
            Timestamp::from_millisecond(one.span.0).is_ok_and(|at| at.to_zoned(viewer.clone()).date() < date);
        match one.all_day || is_before {
            true => format!("All day  {title}"),
            false => format!("{}  {title}", local(ctx, one.span.0, "%H:%M")),
        }
    };
    let mut lines: Vec<String> = items.iter().take(LINES_MAX).map(line).collect();
    if items.len() > LINES_MAX {
        lines.push(format!("and {} more", items.len() - LINES_MAX));
    }
    let (again, account, body) = (ctx.clone(), account.to_owned(), lines.join("\n"));
    let is_silent = ctx.setting(&account, &calendarNotificationDelivery) == Delivery::Inbox;
    let write = move |tx: &mut Tx<'_>| {
        let key = format!("agenda:{date}");
        let row = NewRow {
            key: Some(&key),
            body: &body,
            link: Some("/app/calendar"),
            is_silent,
            ..NewRow::new(kind, "Today's agenda", Actor::program(None))
        };
        inbox_rows::post(tx, &again, &account, &row).map(drop)
    };
    ctx.db().write(write).await
}
