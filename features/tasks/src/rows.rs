//! Tasks as rows.

use crate::task::{Revisions, State, Task};
use kit::error::INTERNAL;
use kit::{Ctx, Result};
use store::{HasDb, Row, Tx, params};

/// How long a deleted task can be restored.
const KEPT_MS: i64 = 30 * kit::clock::DAY_MS;
/// Accounts and tasks removed in one transaction.
const SWEEP_ROWS: i64 = 5_000;

const COLUMNS: &str = "task_id, revision, hub_id, parent_id, place, task_text, state, due, snoozed_until, priority, session_id, \
     created_ms, changed_ms, finished_ms, deleted_ms, deleted_with, text_revision, state_revision, due_revision, \
     snooze_revision, priority_revision, place_revision";

fn task(row: &dyn Row) -> Result<Task> {
    let state: &str = row.get(6)?;
    let known = State::ALL.into_iter().find(|one| one.name() == state);
    Ok(Task {
        state: known.ok_or_else(|| INTERNAL.error("A task has an unknown state."))?,
        id: row.get(0)?,
        revision: row.get(1)?,
        hub: row.get(2)?,
        parent: row.get(3)?,
        place: row.get(4)?,
        text: row.get(5)?,
        due: row.get(7)?,
        snoozed_until: row.get(8)?,
        priority: row.get(9)?,
        session: row.get(10)?,
        created_ms: row.get(11)?,
        changed_ms: row.get(12)?,
        finished_ms: row.get(13)?,
        deleted_ms: row.get(14)?,
        deleted_with: row.get(15)?,
        parts: Revisions {
            text: row.get(16)?,
            state: row.get(17)?,
            due: row.get(18)?,
            snooze: row.get(19)?,
            priority: row.get(20)?,
            place: row.get(21)?,
        },
    })
}

/// A task of the account, deleted or not.
pub(crate) fn find(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Option<Task>> {
    let sql = format!("SELECT {COLUMNS} FROM tasks WHERE account_id = $1 AND task_id = $2");
    tx.query_opt(&sql, params![account, id], task)
}

/// All tasks that aren't deleted: of the account, or of a hub, empty for none.
pub(crate) fn all(tx: &mut Tx<'_>, account: &str, hub: Option<&str>) -> Result<Vec<Task>> {
    let only = if hub.is_some() { "hub_id = $2" } else { "$2 = ''" };
    let sql = format!(
        "SELECT {COLUMNS} FROM tasks WHERE account_id = $1 AND deleted_ms = 0 AND {only} ORDER BY place, task_id"
    );
    tx.query(&sql, params![account, hub.unwrap_or_default()], task)
}

/// The tasks below a parent, in order, without deleted ones.
pub(crate) fn children(tx: &mut Tx<'_>, account: &str, parent: &str) -> Result<Vec<Task>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM tasks WHERE account_id = $1 AND parent_id = $2 AND deleted_ms = 0 ORDER BY place, task_id"
    );
    tx.query(&sql, params![account, parent], task)
}

/// The tasks below a parent that were deleted with a task.
pub(crate) fn deleted_children(tx: &mut Tx<'_>, account: &str, parent: &str, with: &str) -> Result<Vec<Task>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM tasks WHERE account_id = $1 AND parent_id = $2 AND deleted_ms > 0 AND deleted_with = $3 \
         ORDER BY place, task_id"
    );
    tx.query(&sql, params![account, parent, with], task)
}

/// Tasks that changed after a revision, in the order of their changes. Deleted ones only if asked for.
pub(crate) fn after(tx: &mut Tx<'_>, account: &str, since: i64, deleted_too: bool, limit: i64) -> Result<Vec<Task>> {
    let only = if deleted_too { "" } else { "AND deleted_ms = 0 " };
    let sql =
        format!("SELECT {COLUMNS} FROM tasks WHERE account_id = $1 AND revision > $2 {only}ORDER BY revision LIMIT $3");
    tx.query(&sql, params![account, since, limit], task)
}

/// Where a list of siblings is: a parent's, or a hub's top level.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Siblings<'a> {
    pub(crate) parent: &'a str,
    pub(crate) hub: &'a str,
}

const AMONG: &str = "FROM tasks WHERE account_id = $1 AND parent_id = $2 AND hub_id = $3 AND deleted_ms = 0";

/// The first or last place among siblings.
pub(crate) fn end_place(tx: &mut Tx<'_>, account: &str, of: Siblings<'_>, last: bool) -> Result<Option<i64>> {
    let end = if last { "max" } else { "min" };
    tx.query_one(&format!("SELECT {end}(place) {AMONG}"), params![account, of.parent, of.hub], |row| row.get(0))
}

/// Siblings after a place, the nearest first, up to a number.
pub(crate) fn siblings_after(
    tx: &mut Tx<'_>,
    account: &str,
    of: Siblings<'_>,
    place: i64,
    limit: i64,
) -> Result<Vec<(String, i64)>> {
    let sql = format!("SELECT task_id, place {AMONG} AND place > $4 ORDER BY place, task_id LIMIT $5");
    tx.query(&sql, params![account, of.parent, of.hub, place, limit], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Stores a task.
pub(crate) fn store(tx: &mut Tx<'_>, account: &str, task: &Task) -> Result<()> {
    let sql = "INSERT INTO tasks (account_id, task_id, revision, hub_id, parent_id, place, task_text, state, due, snoozed_until, \
         priority, session_id, created_ms, changed_ms, finished_ms, deleted_ms, deleted_with, text_revision, state_revision, \
         due_revision, snooze_revision, priority_revision, place_revision) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23) \
         ON CONFLICT (account_id, task_id) DO UPDATE SET revision = excluded.revision, hub_id = excluded.hub_id, \
         parent_id = excluded.parent_id, place = excluded.place, task_text = excluded.task_text, state = excluded.state, \
         due = excluded.due, snoozed_until = excluded.snoozed_until, priority = excluded.priority, \
         session_id = excluded.session_id, changed_ms = excluded.changed_ms, finished_ms = excluded.finished_ms, \
         deleted_ms = excluded.deleted_ms, deleted_with = excluded.deleted_with, text_revision = excluded.text_revision, \
         state_revision = excluded.state_revision, due_revision = excluded.due_revision, \
         snooze_revision = excluded.snooze_revision, priority_revision = excluded.priority_revision, \
         place_revision = excluded.place_revision";
    let parts = &task.parts;
    tx.execute(
        sql,
        params![
            account,
            &task.id,
            task.revision,
            &task.hub,
            &task.parent,
            task.place,
            &task.text,
            task.state.name(),
            &task.due,
            &task.snoozed_until,
            task.priority,
            &task.session,
            task.created_ms,
            task.changed_ms,
            task.finished_ms,
            task.deleted_ms,
            &task.deleted_with,
            parts.text,
            parts.state,
            parts.due,
            parts.snooze,
            parts.priority,
            parts.place
        ],
    )
    .map(drop)
}

/// Counters of an account.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counters {
    pub(crate) revision: i64,
    /// The newest revision of a task that is gone.
    pub(crate) swept: i64,
    pub(crate) tasks: i64,
}

pub(crate) fn counters(tx: &mut Tx<'_>, account: &str) -> Result<Counters> {
    let sql = "SELECT revision, swept_revision, tasks FROM task_counters WHERE account_id = $1";
    let read = |row: &dyn Row| Ok(Counters { revision: row.get(0)?, swept: row.get(1)?, tasks: row.get(2)? });
    Ok(tx.query_opt(sql, params![account], read)?.unwrap_or_default())
}

pub(crate) fn store_counters(tx: &mut Tx<'_>, account: &str, counters: Counters) -> Result<()> {
    let sql = "INSERT INTO task_counters (account_id, revision, swept_revision, tasks) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (account_id) DO UPDATE SET revision = excluded.revision, \
         swept_revision = excluded.swept_revision, tasks = excluded.tasks";
    tx.execute(sql, params![account, counters.revision, counters.swept, counters.tasks]).map(drop)
}

/// Removes tasks that were deleted long ago.
pub(crate) async fn sweep(ctx: Ctx) -> Result<()> {
    let before = ctx.now_ms() - KEPT_MS;
    loop {
        let removed = ctx.db().write(move |tx| sweep_some(tx, before)).await?;
        if removed < SWEEP_ROWS as usize {
            return Ok(());
        }
    }
}

fn sweep_some(tx: &mut Tx<'_>, before_ms: i64) -> Result<usize> {
    let sql = "SELECT account_id, task_id, revision FROM tasks WHERE account_id <> '' AND deleted_ms > 0 AND deleted_ms < $1 \
         ORDER BY account_id, task_id LIMIT $2";
    let old = tx.query(sql, params![before_ms, SWEEP_ROWS], |row| {
        Ok((row.get::<String>(0)?, row.get::<String>(1)?, row.get::<i64>(2)?))
    })?;
    for (account, id, revision) in &old {
        tx.execute("DELETE FROM tasks WHERE account_id = $1 AND task_id = $2", params![account, id])?;
        let swept = "UPDATE task_counters SET swept_revision = $2 WHERE account_id = $1 AND swept_revision < $2";
        tx.execute(swept, params![account, *revision])?;
    }
    Ok(old.len())
}
