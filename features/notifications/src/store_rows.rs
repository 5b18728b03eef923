//! Stored notifications: pending, held, and shown ones, at most one per inbox row.

use crate::deliver::Deliverer;
use crate::focus::NEVER_MS;
use crate::{history, situation};
use inbox_rows::NewRow;
use kit::{Catalog, Ctx, Need, Result, TimerKind};
use notify::{Decision, Row, Subject, decide};
use schedule::{HasSchedule, Timer};
use serde_json::{Value, json};
use store::{Tx, params};

/// About to be shown.
pub(crate) const PENDING: &str = "pending";
/// Decided again later.
pub(crate) const HELD: &str = "held";
/// On the screen, as far as is known.
pub(crate) const SHOWN: &str = "shown";

/// Characters of a body that a notification shows.
const BODY_CHARS_MAX: usize = 300;

/// Stores a row's notification, which replaces the one before.
pub(crate) fn write(
    tx: &mut Tx<'_>,
    ctx: &Ctx,
    account: &str,
    row_id: &str,
    row: &NewRow<'_>,
    facts: Row,
    decision: Decision,
) -> Result<()> {
    let (state, due_ms) = match decision {
        Decision::Hold { until_ms } => (HELD, until_ms),
        _ => (PENDING, 0),
    };
    let body: String = row.body.chars().take(BODY_CHARS_MAX).collect();
    let facts = json!({
        "need": inbox_rows::stored_need(facts.need),
        "isCritical": facts.is_critical,
        "ofBoard": facts.of_board,
        "isOverdue": facts.is_overdue,
    });
    // The system's id stays, so that the new text takes the place of the one on the screen.
    let sql = "INSERT INTO notifications (account_id, row_id, kind, session_id, title, body, link, facts, state, decided_ms, \
               due_ms, system_id) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0) \
               ON CONFLICT (account_id, row_id) DO UPDATE SET title = excluded.title, body = excluded.body, \
               link = excluded.link, facts = excluded.facts, state = excluded.state, decided_ms = excluded.decided_ms, \
               due_ms = excluded.due_ms";
    let (title, body) = (kit::ids::without_tokens(row.title), kit::ids::without_tokens(&body));
    tx.execute(
        sql,
        params![
            account,
            row_id,
            row.kind.name,
            row.session_id,
            &*title,
            &*body,
            row.link,
            facts.to_string(),
            state,
            ctx.now_ms(),
            due_ms
        ],
    )?;
    match state {
        PENDING => Deliverer::wake_after(tx, ctx),
        _ => set_timer(tx, ctx, account)?,
    }
    Ok(())
}

/// Removes a row's notification, and withdraws it from the screen.
pub(crate) fn remove(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str) -> Result<()> {
    let sql = "SELECT system_id FROM notifications WHERE account_id = $1 AND row_id = $2";
    let Some(system_id) = tx.query_opt(sql, params![account, row_id], |row| row.get::<i64>(0))? else {
        return Ok(());
    };
    tx.execute("DELETE FROM notifications WHERE account_id = $1 AND row_id = $2", params![account, row_id])?;
    Deliverer::withdraw_after(tx, ctx, system_id);
    Ok(())
}

/// A held notification.
struct Held {
    row_id: String,
    kind: String,
    session_id: Option<String>,
    facts: String,
}

/// The timer of an account's next decision about held notifications.
const RELEASE: &str = "notifications.release";

pub(crate) fn timers() -> TimerKind {
    schedule::timers(RELEASE, "couldn't release held notifications", |ctx, tx, timer| {
        release(tx, ctx, &timer.account, ctx.now_ms())
    })
}

/// Sets the account's timer to the first time at which something held is due.
fn set_timer(tx: &mut Tx<'_>, ctx: &Ctx, account: &str) -> Result<()> {
    let sql = "SELECT due_ms FROM notifications WHERE account_id = $1 AND state = 'held' AND due_ms < $2 ORDER BY due_ms LIMIT 1";
    match tx.query_opt(sql, params![account, NEVER_MS], |row| row.get::<i64>(0))? {
        Some(due_ms) => {
            let (account, key, payload) = (account.to_owned(), String::new(), String::new());
            schedule::set(tx, &ctx.schedule(), &Timer { account, kind: RELEASE, key, due_ms, payload })
        }
        None => schedule::cancel(tx, account, RELEASE, "").map(drop),
    }
}

/// Decides again about an account's held notifications that are due by a time.
pub(crate) fn release(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, by_ms: i64) -> Result<()> {
    let sql = "SELECT row_id, kind, session_id, facts FROM notifications \
               WHERE account_id = $1 AND state = 'held' AND due_ms <= $2 ORDER BY row_id";
    let held = tx.query(sql, params![account, by_ms], |row| {
        Ok(Held { row_id: row.get(0)?, kind: row.get(1)?, session_id: row.get(2)?, facts: row.get(3)? })
    })?;
    let now = situation::read(tx, ctx, account)?;
    for one in held {
        let verdict = decide(&Subject::Row(facts_of(ctx, account, &one)), &now);
        let entry = history::Entry { row_id: &one.row_id, kind: &one.kind, session_id: one.session_id.as_deref() };
        history::write(tx, ctx, account, &entry, verdict)?;
        match verdict.0 {
            Decision::Drop => remove(tx, ctx, account, &one.row_id)?,
            Decision::Show => set_state(tx, account, &one.row_id, PENDING, 0)?,
            Decision::Hold { until_ms } => set_state(tx, account, &one.row_id, HELD, until_ms)?,
        }
    }
    set_timer(tx, ctx, account)?;
    Deliverer::wake_after(tx, ctx);
    Ok(())
}

fn set_state(tx: &mut Tx<'_>, account: &str, row_id: &str, state: &str, due_ms: i64) -> Result<()> {
    let sql = "UPDATE notifications SET state = $3, due_ms = $4 WHERE account_id = $1 AND row_id = $2";
    tx.execute(sql, params![account, row_id, state, due_ms]).map(drop)
}

fn facts_of(ctx: &Ctx, account: &str, held: &Held) -> Row {
    let facts: Value = serde_json::from_str(&held.facts).unwrap_or_default();
    let kinds = &ctx.service::<Catalog>().inbox_kinds;
    let kind = kinds.iter().find(|kind| kind.name == held.kind);
    let need = [Need::Nothing, Need::Attention, Need::Answer]
        .into_iter()
        .find(|need| facts["need"] == inbox_rows::stored_need(*need))
        .unwrap_or(Need::Nothing);
    Row {
        need,
        is_critical: facts["isCritical"] == true,
        of_board: facts["ofBoard"] == true,
        is_overdue: facts["isOverdue"] == true,
        is_hidden: kind.is_some_and(|kind| inbox_rows::is_hidden(ctx, account, kind)),
    }
}
