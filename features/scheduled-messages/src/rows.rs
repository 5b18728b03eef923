//! Scheduled messages as rows, and their timers.

use crate::due;
use crate::message::{Approval, Message, Target};
use events::{AboutSession, Event, HasEvents};
use jiff::civil::Time;
use kit::clock::DAY_MS;
use kit::error::INTERNAL;
use kit::{Ctx, Result, not_found};
use schedule::{HasSchedule, Timer};
use store::{HasDb, Row, Tx, params};
use when::occurrence::{Occurrence, day_word, days_of};

/// Days in which a deleted message can be restored.
const DELETED_DAYS: i64 = 30;

const COLUMNS: &str = "message_id, title, body, target, target_id, is_on, at_time, on_date, on_days, zone, next_ms, approval, \
     by_session, sent, last_ms, problem, deleted_ms, created_ms, changed_ms";

fn of_row(row: &dyn Row) -> Result<Message> {
    let broken = || INTERNAL.error("A scheduled message has a time that can't be read.");
    let (time, date, days): (&str, Option<&str>, &str) = (row.get(6)?, row.get(7)?, row.get(8)?);
    let time: Time = time.parse().map_err(|_| broken())?;
    let date = date.map(str::parse).transpose().map_err(|_| broken())?;
    let days = days_of(days.split(',').filter(|day| !day.is_empty())).ok_or_else(broken)?;
    let (target, approval): (&str, &str) = (row.get(3)?, row.get(11)?);
    Ok(Message {
        id: row.get(0)?,
        title: row.get(1)?,
        body: row.get(2)?,
        target: Target::from_parts(target, row.get(4)?),
        is_on: row.get::<i64>(5)? == 1,
        occurrence: Occurrence { time, date, days, zone: row.get(9)? },
        next_ms: row.get(10)?,
        approval: Approval::ALL.into_iter().find(|one| one.name() == approval).ok_or_else(broken)?,
        by_session: row.get(12)?,
        sent: row.get(13)?,
        last_ms: row.get(14)?,
        problem: row.get(15)?,
        deleted_ms: row.get(16)?,
        created_ms: row.get(17)?,
        changed_ms: row.get(18)?,
    })
}

/// A message, also a deleted one.
pub(crate) fn find(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Option<Message>> {
    let sql = format!("SELECT {COLUMNS} FROM scheduled_messages WHERE account_id = $1 AND message_id = $2");
    tx.query_opt(&sql, params![account, id], of_row)
}

/// A message that isn't deleted and that `session` scheduled, if one is named.
pub(crate) fn expect(tx: &mut Tx<'_>, account: &str, id: &str, session: Option<&str>) -> Result<Message> {
    let is_seen = |message: &Message| message.deleted_ms == 0 && session.is_none_or(|own| message.by_session == own);
    find(tx, account, id)?.filter(is_seen).ok_or_else(not_found)
}

/// The messages that aren't deleted, oldest first; with `session`, those that it scheduled.
pub(crate) fn list(tx: &mut Tx<'_>, account: &str, session: Option<&str>) -> Result<Vec<Message>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM scheduled_messages WHERE account_id = $1 AND deleted_ms = 0 AND ($2 = '' OR by_session = $2) \
         ORDER BY created_ms, message_id"
    );
    tx.query(&sql, params![account, session.unwrap_or_default()], of_row)
}

/// Numbers of messages that aren't deleted: of the account, and of these those of a session.
pub(crate) fn counts(tx: &mut Tx<'_>, account: &str, session: &str) -> Result<(i64, i64)> {
    let sql = "SELECT count(*), CAST(coalesce(sum(CASE WHEN by_session = $2 THEN 1 ELSE 0 END), 0) AS BIGINT) \
         FROM scheduled_messages WHERE account_id = $1 AND deleted_ms = 0";
    tx.query_one(sql, params![account, session], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Stores a message, and sets or cancels its timer. Pages hear of it.
pub(crate) fn store(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, message: &Message) -> Result<()> {
    let occurrence = &message.occurrence;
    let days: Vec<&str> = occurrence.days.iter().map(|day| day_word(*day)).collect();
    let (target, target_id) = message.target.parts();
    tx.execute(
        "DELETE FROM scheduled_messages WHERE account_id = $1 AND message_id = $2",
        params![account, &message.id],
    )?;
    let sql = "INSERT INTO scheduled_messages (account_id, message_id, title, body, target, target_id, is_on, at_time, on_date, \
         on_days, zone, next_ms, approval, by_session, sent, last_ms, problem, deleted_ms, created_ms, changed_ms) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)";
    tx.execute(
        sql,
        params![
            account,
            &message.id,
            &message.title,
            &message.body,
            target,
            target_id,
            i64::from(message.is_on),
            occurrence.time.to_string(),
            occurrence.date.map(|date| date.to_string()),
            days.join(","),
            &occurrence.zone,
            message.next_ms,
            message.approval.name(),
            &message.by_session,
            message.sent,
            message.last_ms,
            &message.problem,
            message.deleted_ms,
            message.created_ms,
            message.changed_ms
        ],
    )?;
    match message.due_ms() {
        Some(due_ms) => {
            let (account, key) = (account.to_owned(), message.id.clone());
            let timer = Timer { account, kind: due::DUE, key, due_ms, payload: String::new() };
            schedule::set(tx, &ctx.schedule(), &timer)?;
        }
        None => {
            schedule::cancel(tx, account, due::DUE, &message.id)?;
        }
    }
    announce(tx, ctx, account);
    Ok(())
}

fn announce(tx: &mut Tx<'_>, ctx: &Ctx, account: &str) {
    // About no session: it's for the user's pages.
    let about = AboutSession { id: "".into(), parent: None };
    let (bus, account) = (ctx.events(), account.to_owned());
    tx.after_commit(move || bus.emit_about(&account, about, Event::ScheduledMessagesChanged));
}

/// Removes messages that were deleted long ago.
pub(crate) async fn sweep(ctx: Ctx) -> Result<()> {
    let before_ms = ctx.now_ms() - DELETED_DAYS * DAY_MS;
    let sql = "DELETE FROM scheduled_messages WHERE account_id <> '' AND deleted_ms > 0 AND deleted_ms < $1";
    ctx.db().write(move |tx| tx.execute(sql, params![before_ms]).map(drop)).await
}
