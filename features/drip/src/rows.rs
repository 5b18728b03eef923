//! Queues and items as rows, and the queues' timers.

use crate::queue::{Cadence, Item, Kind, Queue, State, word};
use crate::tick;
use events::{AboutSession, Event, HasEvents};
use kit::clock::DAY_MS;
use kit::error::INTERNAL;
use kit::{Ctx, Result, not_found};
use schedule::{HasSchedule, Timer};
use serde_json::json;
use std::collections::HashMap;
use store::{HasDb, Row, Tx, params};
use when::occurrence::{Occurrence, day_word, days_of};

/// Days in which a deleted queue can be restored.
const DELETED_DAYS: i64 = 30;

const QUEUE: &str = "SELECT queue_id, name, is_on, every_hours, at_time, on_days, zone, next_ms, deleted_ms, created_ms, \
     changed_ms FROM drip_queues WHERE account_id = $1";

fn queue_of(row: &dyn Row) -> Result<Queue> {
    let broken = || INTERNAL.error("A drip queue has a time that can't be read.");
    let (hours, time, days): (i64, &str, &str) = (row.get(3)?, row.get(4)?, row.get(5)?);
    let cadence = match hours {
        0 => {
            let days = days_of(days.split(',').filter(|day| !day.is_empty())).ok_or_else(broken)?;
            Cadence::At(Occurrence { time: time.parse().map_err(|_| broken())?, date: None, days, zone: row.get(6)? })
        }
        hours => Cadence::Hours(hours),
    };
    Ok(Queue {
        id: row.get(0)?,
        name: row.get(1)?,
        is_on: row.get::<i64>(2)? == 1,
        cadence,
        next_ms: row.get(7)?,
        deleted_ms: row.get(8)?,
        created_ms: row.get(9)?,
        changed_ms: row.get(10)?,
    })
}

/// A queue, also a deleted one.
pub(crate) fn find(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Option<Queue>> {
    tx.query_opt(&format!("{QUEUE} AND queue_id = $2"), params![account, id], queue_of)
}

/// A queue that isn't deleted.
pub(crate) fn expect(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Queue> {
    find(tx, account, id)?.filter(|queue| queue.deleted_ms == 0).ok_or_else(not_found)
}

/// The queues that aren't deleted, oldest first.
pub(crate) fn list(tx: &mut Tx<'_>, account: &str) -> Result<Vec<Queue>> {
    tx.query(&format!("{QUEUE} AND deleted_ms = 0 ORDER BY created_ms, queue_id"), params![account], queue_of)
}

/// Numbers of items that wait and that were released, by queue.
pub(crate) fn counts(tx: &mut Tx<'_>, account: &str) -> Result<HashMap<String, (i64, i64)>> {
    let sql = "SELECT queue_id, CAST(sum(CASE WHEN state = 'waiting' THEN 1 ELSE 0 END) AS BIGINT), \
         CAST(sum(CASE WHEN state = 'released' THEN 1 ELSE 0 END) AS BIGINT) FROM drip_items WHERE account_id = $1 \
         GROUP BY queue_id";
    let all = tx.query(sql, params![account], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
    Ok(all.into_iter().collect())
}

/// Stores a queue, and sets or cancels its timer. Pages hear of it.
pub(crate) fn store(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, queue: &Queue) -> Result<()> {
    let (hours, time, days, zone) = match &queue.cadence {
        Cadence::Hours(hours) => (*hours, String::new(), String::new(), ""),
        Cadence::At(at) => {
            let days: Vec<&str> = at.days.iter().map(|day| day_word(*day)).collect();
            (0, at.time.to_string(), days.join(","), at.zone.as_str())
        }
    };
    tx.execute("DELETE FROM drip_queues WHERE account_id = $1 AND queue_id = $2", params![account, &queue.id])?;
    let sql = "INSERT INTO drip_queues (account_id, queue_id, name, is_on, every_hours, at_time, on_days, zone, next_ms, \
         deleted_ms, created_ms, changed_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    tx.execute(
        sql,
        params![
            account,
            &queue.id,
            &queue.name,
            i64::from(queue.is_on),
            hours,
            time,
            days,
            zone,
            queue.next_ms,
            queue.deleted_ms,
            queue.created_ms,
            queue.changed_ms
        ],
    )?;
    if queue.is_on && queue.deleted_ms == 0 && queue.next_ms > 0 {
        let (account, key) = (account.to_owned(), queue.id.clone());
        let timer = Timer { account, kind: tick::TICK, key, due_ms: queue.next_ms, payload: String::new() };
        schedule::set(tx, &ctx.schedule(), &timer)?;
    } else {
        schedule::cancel(tx, account, tick::TICK, &queue.id)?;
    }
    announce(tx, ctx, account, &queue.id);
    Ok(())
}

const ITEM: &str = "SELECT item_id, place, kind, title, content, state, released_ms, created_ms FROM drip_items \
     WHERE account_id = $1 AND queue_id = $2";

fn item_of(row: &dyn Row) -> Result<Item> {
    let (kind, state): (&str, &str) = (row.get(2)?, row.get(5)?);
    Ok(Item {
        id: row.get(0)?,
        place: row.get(1)?,
        kind: serde_json::from_value(json!(kind)).unwrap_or(Kind::Text),
        title: row.get(3)?,
        content: row.get(4)?,
        state: serde_json::from_value(json!(state)).unwrap_or(State::Skipped),
        released_ms: row.get(6)?,
        created_ms: row.get(7)?,
    })
}

/// The items of a queue, in order.
pub(crate) fn items(tx: &mut Tx<'_>, account: &str, queue: &str) -> Result<Vec<Item>> {
    tx.query(&format!("{ITEM} ORDER BY place, item_id"), params![account, queue], item_of)
}

/// An item.
pub(crate) fn item(tx: &mut Tx<'_>, account: &str, queue: &str, id: &str) -> Result<Item> {
    tx.query_opt(&format!("{ITEM} AND item_id = $3"), params![account, queue, id], item_of)?.ok_or_else(not_found)
}

/// The first item that waits.
pub(crate) fn first(tx: &mut Tx<'_>, account: &str, queue: &str) -> Result<Option<Item>> {
    let sql = format!("{ITEM} AND state = 'waiting' ORDER BY place, item_id LIMIT 1");
    tx.query_opt(&sql, params![account, queue], item_of)
}

/// Stores an item. Pages hear of it.
pub(crate) fn put(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, queue: &str, item: &Item) -> Result<()> {
    remove(tx, ctx, account, queue, &item.id)?;
    let sql = "INSERT INTO drip_items (account_id, queue_id, item_id, place, kind, title, content, state, released_ms, created_ms) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    tx.execute(
        sql,
        params![
            account,
            queue,
            &item.id,
            item.place,
            word(item.kind),
            &item.title,
            &item.content,
            word(item.state),
            item.released_ms,
            item.created_ms
        ],
    )
    .map(drop)
}

/// Removes an item. Pages hear of it.
pub(crate) fn remove(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, queue: &str, id: &str) -> Result<()> {
    let sql = "DELETE FROM drip_items WHERE account_id = $1 AND queue_id = $2 AND item_id = $3";
    tx.execute(sql, params![account, queue, id])?;
    announce(tx, ctx, account, queue);
    Ok(())
}

fn announce(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, queue: &str) {
    // About no session: drips are the user's own.
    let about = AboutSession { id: "".into(), parent: None };
    let (bus, account, queue_id) = (ctx.events(), account.to_owned(), queue.to_owned());
    tx.after_commit(move || bus.emit_about(&account, about, Event::DripChanged { queue_id }));
}

/// Removes queues that were deleted long ago, with their items.
pub(crate) async fn sweep(ctx: Ctx) -> Result<()> {
    let before_ms = ctx.now_ms() - DELETED_DAYS * DAY_MS;
    let write = move |tx: &mut Tx<'_>| {
        let sql = "SELECT account_id, queue_id FROM drip_queues WHERE account_id <> '' AND deleted_ms > 0 AND deleted_ms < $1";
        let old = tx.query(sql, params![before_ms], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))?;
        for (account, queue) in old {
            tx.execute("DELETE FROM drip_items WHERE account_id = $1 AND queue_id = $2", params![&account, &queue])?;
            tx.execute("DELETE FROM drip_queues WHERE account_id = $1 AND queue_id = $2", params![&account, &queue])?;
        }
        Ok(())
    };
    ctx.db().write(write).await
}
