//! Calendars and events as rows.

use crate::errors::CALENDAR_LIMIT;
use crate::remind;
use events::{Event, HasEvents};
use ical::Resource;
use kit::clock::DAY_MS;
use kit::error::{INTERNAL, Result};
use kit::ids::short_id;
use kit::{Ctx, not_found};
use serde::{Deserialize, Serialize};
use store::{HasDb, Row, Tx, params};

/// Calendars of an account at most.
pub(crate) const CALENDARS_MAX: i64 = 200;
/// Events of an account at most.
pub(crate) const EVENTS_MAX: i64 = 100_000;
/// How long what was deleted can be restored.
pub(crate) const KEPT_MS: i64 = 30 * DAY_MS;

/// The program's own calendars.
pub(crate) const LOCAL: &str = "local";
/// Calendars of servers.
pub(crate) const CALDAV: &str = "caldav";
/// Calendars from addresses.
pub(crate) const SUBSCRIPTION: &str = "subscription";

/// A change that the server isn't told yet.
pub(crate) const PUT: &str = "put";
/// A deletion that the server isn't told yet.
pub(crate) const DELETE: &str = "delete";

/// A calendar.
#[derive(Debug, Clone)]
pub(crate) struct Calendar {
    pub(crate) id: String,
    pub(crate) dav_id: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) color: String,
    pub(crate) is_shown: bool,
    pub(crate) is_writable: bool,
    pub(crate) url: String,
    pub(crate) sync_state: String,
    pub(crate) problem: String,
    pub(crate) synced_ms: i64,
    pub(crate) created_ms: i64,
    pub(crate) deleted_ms: i64,
}

const CALENDARS: &str = "SELECT calendar_id, dav_id, kind, name, color, is_shown, is_writable, url, sync_state, problem, synced_ms, \
     created_ms, deleted_ms FROM calendars WHERE account_id = $1";

fn calendar_of(row: &dyn Row) -> Result<Calendar> {
    Ok(Calendar {
        id: row.get(0)?,
        dav_id: row.get(1)?,
        kind: row.get(2)?,
        name: row.get(3)?,
        color: row.get(4)?,
        is_shown: row.get(5)?,
        is_writable: row.get(6)?,
        url: row.get(7)?,
        sync_state: row.get(8)?,
        problem: row.get(9)?,
        synced_ms: row.get(10)?,
        created_ms: row.get(11)?,
        deleted_ms: row.get(12)?,
    })
}

/// The account's calendars, oldest first, also deleted ones if `all`.
pub(crate) fn calendars(tx: &mut Tx<'_>, account: &str, all: bool) -> Result<Vec<Calendar>> {
    let only = if all { "" } else { " AND deleted_ms = 0" };
    tx.query(&format!("{CALENDARS}{only} ORDER BY created_ms, calendar_id"), params![account], calendar_of)
}

/// A calendar that isn't deleted.
pub(crate) fn calendar(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Calendar> {
    let found = any_calendar(tx, account, id)?;
    if found.deleted_ms == 0 { Ok(found) } else { Err(not_found()) }
}

/// A calendar, also a deleted one.
pub(crate) fn any_calendar(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Calendar> {
    let sql = format!("{CALENDARS} AND calendar_id = $2");
    tx.query_opt(&sql, params![account, id], calendar_of)?.ok_or_else(not_found)
}

/// Stores a calendar.
pub(crate) fn store_calendar(tx: &mut Tx<'_>, account: &str, calendar: &Calendar) -> Result<()> {
    let known = "SELECT 1 FROM calendars WHERE account_id = $1 AND calendar_id = $2";
    if tx.query_opt(known, params![account, &calendar.id], |_| Ok(()))?.is_none() {
        let count = "SELECT count(*) FROM calendars WHERE account_id = $1 AND deleted_ms = 0";
        if tx.query_one(count, params![account], |row| row.get::<i64>(0))? >= CALENDARS_MAX {
            return Err(CALENDAR_LIMIT.error(format!("This account has {CALENDARS_MAX} calendars. Delete some first.")));
        }
    }
    tx.execute("DELETE FROM calendars WHERE account_id = $1 AND calendar_id = $2", params![account, &calendar.id])?;
    let sql = "INSERT INTO calendars (account_id, calendar_id, dav_id, kind, name, color, is_shown, is_writable, url, sync_state, \
         problem, synced_ms, created_ms, deleted_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    let values = params![
        account,
        &calendar.id,
        &calendar.dav_id,
        &calendar.kind,
        &calendar.name,
        &calendar.color,
        calendar.is_shown,
        calendar.is_writable,
        &calendar.url,
        &calendar.sync_state,
        &calendar.problem,
        calendar.synced_ms,
        calendar.created_ms,
        calendar.deleted_ms
    ];
    tx.execute(sql, values).map(drop)
}

/// A stored event or series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stored {
    pub(crate) id: String,
    pub(crate) calendar_id: String,
    pub(crate) uid: String,
    /// Its path at the server; empty without one.
    pub(crate) href: String,
    /// The server's version; empty if unknown or new.
    pub(crate) etag: String,
    pub(crate) ical: String,
    pub(crate) pending: String,
}

impl Stored {
    /// What its text says.
    pub(crate) fn resource(&self) -> Result<Resource> {
        Resource::parse(&self.ical).ok_or_else(|| INTERNAL.error("A stored event is unreadable."))
    }
}

const EVENTS: &str =
    "SELECT e.event_id, e.calendar_id, e.uid, e.href, e.etag, e.ical, e.pending FROM calendar_events e";

fn event_of(row: &dyn Row) -> Result<Stored> {
    Ok(Stored {
        id: row.get(0)?,
        calendar_id: row.get(1)?,
        uid: row.get(2)?,
        href: row.get(3)?,
        etag: row.get(4)?,
        ical: row.get(5)?,
        pending: row.get(6)?,
    })
}

/// An event, also one that the server is still to delete.
pub(crate) fn any_event(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Option<Stored>> {
    tx.query_opt(&format!("{EVENTS} WHERE e.account_id = $1 AND e.event_id = $2"), params![account, id], event_of)
}

/// An event of a calendar that isn't deleted.
pub(crate) fn event(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<(Stored, Calendar)> {
    let found = any_event(tx, account, id)?.filter(|event| event.pending != DELETE).ok_or_else(not_found)?;
    let calendar = calendar(tx, account, &found.calendar_id)?;
    Ok((found, calendar))
}

/// The events of a calendar.
pub(crate) fn events_of(tx: &mut Tx<'_>, account: &str, calendar_id: &str) -> Result<Vec<Stored>> {
    let sql = format!("{EVENTS} WHERE e.account_id = $1 AND e.calendar_id = $2 ORDER BY e.event_id");
    tx.query(&sql, params![account, calendar_id], event_of)
}

/// The events of shown calendars that may have occurrences in a window.
pub(crate) fn events_between(tx: &mut Tx<'_>, account: &str, from_ms: i64, to_ms: i64) -> Result<Vec<Stored>> {
    let sql = format!(
        "{EVENTS} JOIN calendars c ON c.account_id = e.account_id AND c.calendar_id = e.calendar_id \
         WHERE e.account_id = $1 AND e.last_ms >= $2 AND e.first_ms <= $3 AND e.pending <> 'delete' \
         AND c.deleted_ms = 0 AND c.is_shown = 1 ORDER BY e.event_id"
    );
    tx.query(&sql, params![account, from_ms, to_ms], event_of)
}

/// Stores an event with its reminder. One without any occurrence is stored too, and found at no time.
pub(crate) fn store_event(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, event: &Stored) -> Result<()> {
    let known = "SELECT 1 FROM calendar_events WHERE account_id = $1 AND event_id = $2";
    if tx.query_opt(known, params![account, &event.id], |_| Ok(()))?.is_none() {
        let count = "SELECT count(*) FROM calendar_events WHERE account_id = $1";
        if tx.query_one(count, params![account], |row| row.get::<i64>(0))? >= EVENTS_MAX {
            return Err(CALENDAR_LIMIT.error(format!("This account has {EVENTS_MAX} events. Delete some first.")));
        }
    }
    let (first_ms, last_ms) = event.resource()?.bounds().unwrap_or((i64::MAX, i64::MIN));
    tx.execute("DELETE FROM calendar_events WHERE account_id = $1 AND event_id = $2", params![account, &event.id])?;
    let sql = "INSERT INTO calendar_events (account_id, event_id, calendar_id, uid, href, etag, ical, pending, first_ms, last_ms, changed_ms) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let values = params![
        account,
        &event.id,
        &event.calendar_id,
        &event.uid,
        &event.href,
        &event.etag,
        &event.ical,
        &event.pending,
        first_ms,
        last_ms,
        ctx.now_ms()
    ];
    tx.execute(sql, values)?;
    remind::set(tx, ctx, account, event)?;
    announce(tx, ctx, account);
    Ok(())
}

/// Removes an event here.
pub(crate) fn remove_event(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, id: &str) -> Result<()> {
    tx.execute("DELETE FROM calendar_events WHERE account_id = $1 AND event_id = $2", params![account, id])?;
    remind::cancel(tx, account, id)?;
    announce(tx, ctx, account);
    Ok(())
}

/// Pages read the calendar again.
pub(crate) fn announce(tx: &mut Tx<'_>, ctx: &Ctx, account: &str) {
    let (bus, account) = (ctx.events(), account.to_owned());
    tx.after_commit(move || bus.emit(Some(&account), Event::CalendarChanged));
}

/// What a change replaced.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Undo {
    /// Events as they were.
    pub(crate) before: Vec<Stored>,
    /// Events that the change made.
    pub(crate) made: Vec<String>,
}

/// Stores what a change replaced; the name to restore it by.
pub(crate) fn store_undo(
    tx: &mut Tx<'_>,
    account: &str,
    undo: &Undo,
    is_conflict: bool,
    now_ms: i64,
) -> Result<String> {
    let id = short_id();
    let json = serde_json::to_string(undo).map_err(|why| INTERNAL.error(why.to_string()))?;
    let sql = "INSERT INTO calendar_undos (account_id, undo_id, rows_json, is_conflict, created_ms) VALUES ($1, $2, $3, $4, $5)";
    tx.execute(sql, params![account, &id, &json, is_conflict, now_ms])?;
    Ok(id)
}

/// Takes what a change replaced.
pub(crate) fn take_undo(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Undo> {
    let sql = "SELECT rows_json FROM calendar_undos WHERE account_id = $1 AND undo_id = $2";
    let json: String = tx.query_opt(sql, params![account, id], |row| row.get(0))?.ok_or_else(not_found)?;
    tx.execute("DELETE FROM calendar_undos WHERE account_id = $1 AND undo_id = $2", params![account, id])?;
    serde_json::from_str(&json).map_err(|why| INTERNAL.error(why.to_string()))
}

/// Rejects the ID of an account at a server that isn't there.
pub(crate) fn expect_dav(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<()> {
    let sql = "SELECT 1 FROM calendar_accounts WHERE account_id = $1 AND dav_id = $2";
    tx.query_opt(sql, params![account, id], |_| Ok(()))?.ok_or_else(not_found)
}

/// The accounts with calendars.
pub(crate) fn accounts(tx: &mut Tx<'_>) -> Result<Vec<String>> {
    let sql = "SELECT DISTINCT account_id FROM calendars WHERE account_id <> '' AND deleted_ms = 0";
    tx.query(sql, &[], |row| row.get(0))
}

/// Removes what was deleted long ago, and what reminders were sent long ago.
pub(crate) async fn sweep(ctx: Ctx) -> Result<()> {
    let before_ms = ctx.now_ms() - KEPT_MS;
    let write = move |tx: &mut Tx<'_>| {
        tx.execute("DELETE FROM calendar_undos WHERE account_id <> '' AND created_ms < $1", params![before_ms])?;
        tx.execute("DELETE FROM calendar_reminded WHERE account_id <> '' AND start_ms < $1", params![before_ms])?;
        let sql = "DELETE FROM calendar_events WHERE account_id <> '' AND EXISTS (SELECT 1 FROM calendars c WHERE \
             c.account_id = calendar_events.account_id AND c.calendar_id = calendar_events.calendar_id \
             AND c.deleted_ms > 0 AND c.deleted_ms < $1)";
        tx.execute(sql, params![before_ms])?;
        // A calendar of a server stays known as removed, so that it doesn't come back.
        let sql =
            "DELETE FROM calendars WHERE account_id <> '' AND kind <> 'caldav' AND deleted_ms > 0 AND deleted_ms < $1";
        tx.execute(sql, params![before_ms]).map(drop)
    };
    ctx.db().write(write).await
}
