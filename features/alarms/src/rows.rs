//! Alarms as rows, and their timers.

use crate::alarm::{Alarm, Options, State};
use crate::ring;
use events::{AboutSession, Event, HasEvents};
use jiff::civil::Time;
use kit::error::INTERNAL;
use kit::{Ctx, Result, not_found};
use schedule::{HasSchedule, Timer};
use store::{Row, Tx, params};
use when::occurrence::{Occurrence, day_word, days_of};

const COLUMNS: &str = "alarm_id, label, is_on, at_time, on_date, on_days, zone, sound, duration_s, fade_in_s, plays_once, \
     speaks_label, snoozes_max, snooze_minutes, next_ms, state, since_ms, until_ms, snoozes, created_ms, changed_ms";

fn of_row(row: &dyn Row) -> Result<Alarm> {
    let broken = || INTERNAL.error("An alarm has a time that can't be read.");
    let flag = |at| row.get::<i64>(at).map(|flag| flag == 1);
    let (time, date, days): (&str, Option<&str>, &str) = (row.get(3)?, row.get(4)?, row.get(5)?);
    let time: Time = time.parse().map_err(|_| broken())?;
    let date = date.map(str::parse).transpose().map_err(|_| broken())?;
    let days = days_of(days.split(',').filter(|day| !day.is_empty())).ok_or_else(broken)?;
    let state: &str = row.get(15)?;
    Ok(Alarm {
        id: row.get(0)?,
        label: row.get(1)?,
        is_on: flag(2)?,
        occurrence: Occurrence { time, date, days, zone: row.get(6)? },
        options: Options {
            sound: row.get(7)?,
            duration_s: row.get(8)?,
            fade_in_s: row.get(9)?,
            plays_once: flag(10)?,
            speaks_label: flag(11)?,
            snoozes_max: row.get(12)?,
            snooze_minutes: row.get(13)?,
        },
        next_ms: row.get(14)?,
        state: State::ALL.into_iter().find(|one| one.name() == state).ok_or_else(broken)?,
        since_ms: row.get(16)?,
        until_ms: row.get(17)?,
        snoozes: row.get(18)?,
        created_ms: row.get(19)?,
        changed_ms: row.get(20)?,
    })
}

/// An alarm of the account.
pub(crate) fn find(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Option<Alarm>> {
    let sql = format!("SELECT {COLUMNS} FROM alarms WHERE account_id = $1 AND alarm_id = $2");
    tx.query_opt(&sql, params![account, id], of_row)
}

/// The same; an error if there is none.
pub(crate) fn expect(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Alarm> {
    find(tx, account, id)?.ok_or_else(not_found)
}

/// The account's alarms, oldest first: all, or those in a state.
pub(crate) fn list(tx: &mut Tx<'_>, account: &str, state: Option<State>) -> Result<Vec<Alarm>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM alarms WHERE account_id = $1 AND ($2 = '' OR state = $2) ORDER BY created_ms, alarm_id"
    );
    tx.query(&sql, params![account, state.map_or("", State::name)], of_row)
}

/// Accounts and ids of all alarms that aren't idle.
pub(crate) fn active(tx: &mut Tx<'_>) -> Result<Vec<(String, String)>> {
    let sql = "SELECT account_id, alarm_id FROM alarms WHERE account_id <> '' AND state <> 'idle'";
    tx.query(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Number of alarms of the account.
pub(crate) fn count(tx: &mut Tx<'_>, account: &str) -> Result<i64> {
    tx.query_one("SELECT count(*) FROM alarms WHERE account_id = $1", params![account], |row| row.get(0))
}

/// Stores an alarm and sets its timer. Pages hear of it.
pub(crate) fn store(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, alarm: &Alarm) -> Result<()> {
    let (occurrence, options) = (&alarm.occurrence, &alarm.options);
    let days: Vec<&str> = occurrence.days.iter().map(|day| day_word(*day)).collect();
    let sql = "INSERT INTO alarms (account_id, alarm_id, label, is_on, at_time, on_date, on_days, zone, sound, duration_s, fade_in_s, \
         plays_once, speaks_label, snoozes_max, snooze_minutes, next_ms, state, since_ms, until_ms, snoozes, created_ms, changed_ms) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22) \
         ON CONFLICT (account_id, alarm_id) DO UPDATE SET label = excluded.label, is_on = excluded.is_on, \
         at_time = excluded.at_time, on_date = excluded.on_date, on_days = excluded.on_days, zone = excluded.zone, \
         sound = excluded.sound, duration_s = excluded.duration_s, fade_in_s = excluded.fade_in_s, \
         plays_once = excluded.plays_once, speaks_label = excluded.speaks_label, snoozes_max = excluded.snoozes_max, \
         snooze_minutes = excluded.snooze_minutes, next_ms = excluded.next_ms, state = excluded.state, \
         since_ms = excluded.since_ms, until_ms = excluded.until_ms, snoozes = excluded.snoozes, changed_ms = excluded.changed_ms";
    tx.execute(
        sql,
        params![
            account,
            &alarm.id,
            &alarm.label,
            i64::from(alarm.is_on),
            occurrence.time.to_string(),
            occurrence.date.map(|date| date.to_string()),
            days.join(","),
            &occurrence.zone,
            &options.sound,
            options.duration_s,
            options.fade_in_s,
            i64::from(options.plays_once),
            i64::from(options.speaks_label),
            options.snoozes_max,
            options.snooze_minutes,
            alarm.next_ms,
            alarm.state.name(),
            alarm.since_ms,
            alarm.until_ms,
            alarm.snoozes,
            alarm.created_ms,
            alarm.changed_ms
        ],
    )?;
    set_timer(tx, ctx, account, alarm)?;
    announce(tx, ctx, account, &alarm.id);
    Ok(())
}

/// Deletes an alarm with its timer.
pub(crate) fn delete(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, id: &str) -> Result<()> {
    tx.execute("DELETE FROM alarms WHERE account_id = $1 AND alarm_id = $2", params![account, id])?;
    schedule::cancel(tx, account, ring::DUE, id)?;
    announce(tx, ctx, account, id);
    Ok(())
}

fn set_timer(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, alarm: &Alarm) -> Result<()> {
    let key = alarm.id.clone();
    match alarm.due_ms() {
        Some(due_ms) => {
            let (account, payload) = (account.to_owned(), String::new());
            schedule::set(tx, &ctx.schedule(), &Timer { account, kind: ring::DUE, key, due_ms, payload })
        }
        None => schedule::cancel(tx, account, ring::DUE, &key).map(drop),
    }
}

fn announce(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, alarm_id: &str) {
    // About no session: alarms are the user's own.
    let about = AboutSession { id: "".into(), parent: None };
    let (bus, account, alarm_id) = (ctx.events(), account.to_owned(), alarm_id.to_owned());
    tx.after_commit(move || bus.emit_about(&account, about, Event::AlarmChanged { alarm_id }));
}
