//! Operations on drip queues.

use crate::errors::{DRIP_DISABLED, DRIP_EMPTY};
use crate::items::ItemRecord;
use crate::queue::{Cadence, Queue};
use crate::settings::dripEnabled;
use crate::{rows, tick};
use kit::error::TOO_MANY;
use kit::ids::short_id;
use kit::page::expect_within;
use kit::text::{CURSOR, NAME, expect_name};
use kit::{Call, CallerSet, Created, Ctx, Done, Method, Op, Page, Part, Result, fault, invalid, not_found, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb, Tx};
use when::fields::{Day, Fields, TIME, TimeRecord, ZONE_CHARS_MAX, weekdays};
use when::occurrence::Occurrence;

/// Queues of an account at most.
const QUEUES_MAX: usize = 100;
/// Maximum characters of a name.
const NAME_MAX: usize = 100;
/// Most hours between two ticks: four weeks.
const HOURS_MAX: i64 = 28 * 24;

const ONE: &str = "/drip/{queueId}";

pub(crate) fn ops() -> Vec<Op> {
    let person = CallerSet::PERSON;
    [
        Op::new("drip.list", Method::Get, "/drip", person, "List drip queues, oldest first.", list)
            .columns(&["id", "name", "on", "nextAt", "waiting", "released"]),
        Op::new("drip.get", Method::Get, ONE, person, "Get a drip queue.", get).example(r#"{"queueId": "{queueId}"}"#),
        Op::new(
            "drip.create",
            Method::Post,
            "/drip",
            person,
            "Create a queue that releases one item at a time: every few hours, or at a time on days of the week.",
            create,
        )
        .example(r#"{"name": "Reading", "time": "09:00"}"#),
        Op::new("drip.update", Method::Patch, ONE, person, "Change a queue, or turn it on or off.", update)
            .example(r#"{"queueId": "{queueId}", "everyHours": 6}"#)
            .synonyms("pause resume rename"),
        Op::new(
            "drip.delete",
            Method::Delete,
            ONE,
            person,
            "Delete a queue with its items. It can be restored for 30 days.",
            delete,
        )
        .example(r#"{"queueId": "{spareQueueId}"}"#),
        Op::new("drip.restore", Method::Post, "/drip/{queueId}/restore", person, "Restore a deleted queue.", restore)
            .example(r#"{"queueId": "{deletedQueueId}"}"#)
            .synonyms("undo undelete"),
        Op::new(
            "drip.release",
            Method::Post,
            "/drip/{queueId}/release",
            person,
            "Release the next item of a queue now, or the named one. Its schedule doesn't change.",
            release,
        )
        .example(r#"{"queueId": "{queueId}", "itemId": "{releasedDripItemId}"}"#)
        .errors([&DRIP_EMPTY])
        .synonyms("send now"),
    ]
    .map(|op| op.switch(&dripEnabled, &DRIP_DISABLED))
    .into()
}

/// A drip queue.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DripQueue")]
#[serde(rename_all = "camelCase")]
struct QueueRecord {
    id: String,
    name: String,
    /// Whether it releases items.
    on: bool,
    /// Hours between items; null if it releases at a time of day.
    every_hours: Option<i64>,
    /// When it releases an item; null if it does every few hours.
    at: Option<TimeRecord>,
    /// When it releases the next item; RFC 3339 in UTC. Null while it's off.
    next_at: Option<String>,
    /// Number of items that wait.
    waiting: i64,
    /// Number of items that were released.
    released: i64,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC.
    changed_at: String,
}

impl QueueRecord {
    fn new(queue: &Queue, (waiting, released): (i64, i64)) -> QueueRecord {
        let (every_hours, at) = match &queue.cadence {
            Cadence::Hours(hours) => (Some(*hours), None),
            Cadence::At(occurrence) => (None, Some(TimeRecord::from(occurrence))),
        };
        QueueRecord {
            id: queue.id.clone(),
            name: queue.name.clone(),
            on: queue.is_on,
            every_hours,
            at,
            next_at: Some(queue.next_ms).filter(|ms| *ms > 0).map(rfc3339),
            waiting,
            released,
            created_at: rfc3339(queue.created_ms),
            changed_at: rfc3339(queue.changed_ms),
        }
    }
    fn read(tx: &mut Tx<'_>, account: &str, queue: &Queue) -> Result<QueueRecord> {
        let counts = rows::counts(tx, account)?.get(&queue.id).copied().unwrap_or_default();
        Ok(QueueRecord::new(queue, counts))
    }
}

/// A page of queues.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ListDripQueues")]
#[serde(deny_unknown_fields)]
struct List {
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<QueueRecord>> {
    let read = move |tx: &mut Tx<'_>| {
        let counts = rows::counts(tx, call.account())?;
        let queues = rows::list(tx, call.account())?;
        let of = |queue: &Queue| counts.get(&queue.id).copied().unwrap_or_default();
        Ok(queues.iter().map(|queue| QueueRecord::new(queue, of(queue))).collect::<Vec<_>>())
    };
    let records = ctx.db().read(read).await?;
    Part { cursor: input.cursor, limit: input.limit }.page(records, |queue| (&queue.id).into())
}

/// Names a queue.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "DripQueueId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    queue_id: String,
}

async fn get(ctx: Ctx, call: Call, input: One) -> Result<QueueRecord> {
    let read = move |tx: &mut Tx<'_>| {
        let queue = rows::expect(tx, call.account(), &input.queue_id)?;
        QueueRecord::read(tx, call.account(), &queue)
    };
    ctx.db().read(read).await
}

/// A queue to create. It releases an item every few hours, or at a time.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "CreateDripQueue")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Create {
    #[schemars(length(min = 1, max = NAME_MAX), regex(pattern = NAME))]
    name: String,
    /// Hours between items, instead of time and days.
    #[schemars(range(min = 1, max = HOURS_MAX))]
    every_hours: Option<i64>,
    /// Time of day in its time zone: `09:30`.
    #[schemars(regex(pattern = TIME))]
    time: Option<String>,
    /// Days of the week. Default: every day.
    #[schemars(length(max = 7))]
    days: Option<Vec<Day>>,
    /// Time zone, such as `Europe/Paris`. Default: the computer's.
    #[schemars(length(min = 1, max = ZONE_CHARS_MAX))]
    time_zone: Option<String>,
}

/// Changes to a queue. Omitted fields stay unchanged.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateDripQueue")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Update {
    queue_id: String,
    #[schemars(length(min = 1, max = NAME_MAX), regex(pattern = NAME))]
    name: Option<String>,
    /// Turns it on or off. It keeps its items.
    on: Option<bool>,
    /// Hours between items, instead of time and days.
    #[schemars(range(min = 1, max = HOURS_MAX))]
    every_hours: Option<i64>,
    /// Time of day in its time zone: `09:30`.
    #[schemars(regex(pattern = TIME))]
    time: Option<String>,
    /// Days of the week. Empty: every day.
    #[schemars(length(max = 7))]
    days: Option<Vec<Day>>,
    /// Time zone, such as `Europe/Paris`.
    #[schemars(length(min = 1, max = ZONE_CHARS_MAX))]
    time_zone: Option<String>,
}

/// The cadence that was sent, with parts of the one before; `None` if nothing was sent.
fn cadence(ctx: &Ctx, hours: Option<i64>, fields: &Fields, before: Option<&Cadence>) -> Result<Option<Cadence>> {
    match hours {
        Some(_) if !fields.are_empty() => {
            Err(invalid("/everyHours", fault::ONE_OF, "Send either everyHours, or time with days."))
        }
        Some(hours) => Ok(Some(Cadence::Hours(expect_within(hours, 1..=HOURS_MAX, "/everyHours")?))),
        None if fields.are_empty() && before.is_some() => Ok(None),
        None => {
            let at = match before {
                Some(Cadence::At(occurrence)) => Some(occurrence),
                _ => None,
            };
            let time = fields.time.or(at.map(|at| at.time));
            let time = time.ok_or_else(|| invalid("/time", fault::MISSING, "Send time or everyHours."))?;
            let days = fields.days.clone().or(at.map(|at| at.days.clone())).unwrap_or_default();
            let days = if days.is_empty() { weekdays(&Day::ALL) } else { days };
            let zone = fields.zone.clone().or(at.map(|at| at.zone.clone()));
            let zone = zone.unwrap_or_else(|| ctx.home_zone_name());
            Ok(Some(Cadence::At(Occurrence { time, date: None, days, zone })))
        }
    }
}

async fn create(ctx: Ctx, call: Call, input: Create) -> Result<Created<QueueRecord>> {
    let name = input.name.trim().to_owned();
    expect_name(&name, NAME_MAX, "/name")?;
    let fields = Fields::read(input.time.as_deref(), None, input.days.as_deref(), input.time_zone.as_deref())?;
    let cadence = cadence(&ctx, input.every_hours, &fields, None)?.ok_or_else(not_found)?;
    let now_ms = ctx.now_ms();
    let mut queue = Queue {
        id: short_id(),
        name,
        is_on: true,
        cadence,
        next_ms: 0,
        deleted_ms: 0,
        created_ms: now_ms,
        changed_ms: now_ms,
    };
    queue.set_on(true, now_ms);
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        if rows::list(tx, call.account())?.len() >= QUEUES_MAX {
            return Err(TOO_MANY.error(format!("You have {QUEUES_MAX} drip queues. Delete some first.")));
        }
        save(tx, &again, &call, None, &queue)?;
        Ok(queue)
    };
    let queue = ctx.db().write(write).await?;
    Ok(Created { location: format!("/drip/{}", queue.id), record: QueueRecord::new(&queue, (0, 0)) })
}

/// What the record of changes says about a queue.
fn summary(queue: &Queue) -> Value {
    let cadence = match &queue.cadence {
        Cadence::Hours(hours) => json!({ "everyHours": hours }),
        Cadence::At(occurrence) => json!(TimeRecord::from(occurrence)),
    };
    json!({"name": queue.name, "on": queue.is_on, "cadence": cadence})
}

fn save(tx: &mut Tx<'_>, ctx: &Ctx, call: &Call, before: Option<&Queue>, after: &Queue) -> Result<()> {
    rows::store(tx, ctx, call.account(), after)?;
    let old = before.map(summary);
    let new = Some(summary(after)).filter(|_| after.deleted_ms == 0);
    let change =
        Change { subject: "drip-queue", subject_id: &after.id, field: "", before: old.as_ref(), after: new.as_ref() };
    tx.record(&call.caller, ctx.now_ms(), change).map(drop)
}

async fn update(ctx: Ctx, call: Call, input: Update) -> Result<QueueRecord> {
    input.name.iter().try_for_each(|name| expect_name(name.trim(), NAME_MAX, "/name"))?;
    let fields = Fields::read(input.time.as_deref(), None, input.days.as_deref(), input.time_zone.as_deref())?;
    let again = ctx.clone();
    change(ctx, call, input.queue_id.clone(), false, move |queue, now_ms| {
        let cadence = cadence(&again, input.every_hours, &fields, Some(&queue.cadence))?;
        let is_on = input.on.unwrap_or(queue.is_on);
        if let Some(name) = &input.name {
            name.trim().clone_into(&mut queue.name);
        }
        let is_moved = cadence.is_some() || is_on != queue.is_on;
        if let Some(cadence) = cadence {
            queue.cadence = cadence;
        }
        if is_moved {
            queue.set_on(is_on, now_ms);
        }
        Ok(())
    })
    .await
}

async fn delete(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    change(ctx, call, input.queue_id, false, |queue, now_ms| {
        queue.deleted_ms = now_ms.max(1);
        Ok(())
    })
    .await?;
    Ok(Done)
}

async fn restore(ctx: Ctx, call: Call, input: One) -> Result<QueueRecord> {
    change(ctx, call, input.queue_id, true, |queue, now_ms| {
        queue.deleted_ms = 0;
        if queue.is_on && queue.next_ms <= now_ms {
            queue.set_on(true, now_ms);
        }
        Ok(())
    })
    .await
}

/// Changes a queue, and records that.
async fn change(
    ctx: Ctx,
    call: Call,
    id: String,
    is_deleted: bool,
    run: impl FnOnce(&mut Queue, i64) -> Result<()> + Send + 'static,
) -> Result<QueueRecord> {
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let found = rows::find(tx, call.account(), &id)?;
        let before = found.filter(|queue| (queue.deleted_ms > 0) == is_deleted).ok_or_else(not_found)?;
        let now_ms = again.now_ms();
        let mut queue = Queue { changed_ms: now_ms, ..before.clone() };
        run(&mut queue, now_ms)?;
        save(tx, &again, &call, Some(&before).filter(|_| !is_deleted), &queue)?;
        QueueRecord::read(tx, call.account(), &queue)
    };
    ctx.db().write(write).await
}

/// Releases an item.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ReleaseDrip")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Release {
    queue_id: String,
    /// Default: the first item that waits.
    item_id: Option<String>,
}

async fn release(ctx: Ctx, call: Call, input: Release) -> Result<ItemRecord> {
    let again = ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let (account, queue) = (call.account(), &input.queue_id);
        rows::expect(tx, account, queue)?;
        let item = match &input.item_id {
            Some(id) => crate::items::unreleased(tx, account, queue, id)?,
            None => rows::first(tx, account, queue)?
                .ok_or_else(|| DRIP_EMPTY.error("No item of the queue waits. Add one first."))?,
        };
        let item = tick::release(tx, &again, account, queue, item)?;
        crate::items::record(tx, &again, &call, &item.id, "state", Some(json!("waiting")), Some(json!("released")))?;
        Ok(ItemRecord::from(&item))
    };
    ctx.db().write(write).await
}
