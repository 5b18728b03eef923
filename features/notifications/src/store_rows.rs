//! Stored notifications: pending, held, and shown ones, at most one per inbox row.

use crate::deliver::Deliverer;
use crate::history;
use crate::situation;
use inbox_rows::Severity;
use kit::{Catalog, Ctx, InboxKind, Result, TimerKind};
use notify::{Decision, NEVER_MS, Reason, Subject, decide};
use schedule::{HasSchedule, Timer};
use store::{Tx, params};

/// About to be shown.
pub(crate) const PENDING: &str = "pending";
/// Decided again later.
pub(crate) const HELD: &str = "held";
/// On the screen, as far as is known.
pub(crate) const SHOWN: &str = "shown";

/// Stores that a row is to be shown now or decided again later. What it says stands in the row.
pub(crate) fn write(tx: &mut Tx<'_>, ctx: &Ctx, account: &str, row_id: &str, decision: Decision) -> Result<()> {
    let (state, due_ms) = match decision {
        Decision::Hold { until_ms } => (HELD, until_ms),
        _ => (PENDING, 0),
    };
    // The system's id stays, so that a new text takes the place of the one on the screen.
    let sql = "INSERT INTO notifications (account_id, row_id, state, due_ms, system_id) VALUES ($1, $2, $3, $4, 0) \
               ON CONFLICT (account_id, row_id) DO UPDATE SET state = excluded.state, due_ms = excluded.due_ms";
    tx.execute(sql, params![account, row_id, state, due_ms])?;
    match state {
        PENDING => Deliverer::wake_after(tx, ctx, account),
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
    Deliverer::withdraw_after(tx, ctx, account, system_id);
    Ok(())
}

/// A notification that wasn't shown yet.
struct Waiting {
    row_id: String,
    kind: String,
    severity: Severity,
    session_id: Option<String>,
    due_ms: i64,
}

impl Waiting {
    fn subject(&self, ctx: &Ctx, account: &str) -> Subject {
        let kind = ctx.service::<Catalog>().inbox_kind(&self.kind).unwrap_or(&UNKNOWN);
        situation::subject(ctx, account, kind, self.severity)
    }

    fn entry(&self) -> history::Entry<'_> {
        history::Entry { row_id: &self.row_id, kind: &self.kind, session_id: self.session_id.as_deref() }
    }
}

/// An account's notifications in a state that are due by a time, in the order of their rows.
fn stored(tx: &mut Tx<'_>, account: &str, state: &str, by_ms: i64) -> Result<Vec<Waiting>> {
    let sql = "SELECT n.row_id, r.kind, r.severity, r.session_id, n.due_ms FROM notifications n \
               JOIN inbox_rows r ON r.account_id = n.account_id AND r.row_id = n.row_id \
               WHERE n.account_id = $1 AND n.state = $2 AND n.due_ms <= $3 ORDER BY n.row_id";
    tx.query(sql, params![account, state, by_ms], |row| {
        let (severity, session_id) = (Severity::named(row.get(2)?), row.get(3)?);
        Ok(Waiting { row_id: row.get(0)?, kind: row.get(1)?, severity, session_id, due_ms: row.get(4)? })
    })
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
    let now = situation::read(tx, ctx, account)?;
    for one in stored(tx, account, HELD, by_ms)? {
        let verdict = decide(&one.subject(ctx, account), &now);
        // Whatever is held as before was recorded then.
        if verdict.0 == (Decision::Hold { until_ms: one.due_ms }) {
            continue;
        }
        history::write(tx, ctx, account, &one.entry(), verdict)?;
        match verdict.0 {
            Decision::Drop => remove(tx, ctx, account, &one.row_id)?,
            decision => write(tx, ctx, account, &one.row_id, decision)?,
        }
    }
    set_timer(tx, ctx, account)
}

/// Holds what is pending if Do Not Disturb turned out to be on.
pub(crate) fn hold_pending(tx: &mut Tx<'_>, ctx: &Ctx, account: &str) -> Result<()> {
    let now = situation::read(tx, ctx, account)?;
    for one in stored(tx, account, PENDING, i64::MAX)? {
        let verdict = decide(&one.subject(ctx, account), &now);
        if verdict.1 == Reason::DoNotDisturb {
            history::correct(tx, ctx, account, &one.entry(), verdict)?;
            write(tx, ctx, account, &one.row_id, verdict.0)?;
        }
    }
    Ok(())
}

/// Accounts with notifications that are held without a known end.
pub(crate) fn accounts_without_end(tx: &mut Tx<'_>) -> Result<Vec<String>> {
    let sql =
        "SELECT DISTINCT account_id FROM notifications WHERE account_id <> '' AND state = 'held' AND due_ms >= $1";
    tx.query(sql, params![NEVER_MS], |row| row.get(0))
}

/// Stands in for the kind of a row that another version posted.
static UNKNOWN: InboxKind = InboxKind::new("", "", "");
