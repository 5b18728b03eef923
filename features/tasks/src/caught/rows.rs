//! Caught follow-ups as rows.

use crate::rows::all;
use crate::task::State as TaskState;
use kit::ids::short_id;
use kit::{Ctx, Result, not_found};
use std::collections::HashSet;
use store::{HasDb, Row, Tx, params};

/// Staged follow-ups of an account at most; others are left out until some are settled.
pub(super) const STAGED_MAX: usize = 500;
/// Sessions that are read at a time.
const SCANS: i64 = 20;
/// How long a settled follow-up isn't offered again, and can be restored.
const KEPT_MS: i64 = 30 * kit::clock::DAY_MS;

/// A session that waits to be read.
#[derive(Debug, Clone)]
pub(super) struct Scan {
    pub(super) account: String,
    pub(super) session: String,
    pub(super) hub: String,
    turns: i64,
}

/// Stores that a session ended.
pub(super) fn wait(tx: &mut Tx<'_>, account: &str, session: &str, hub: &str, turns: i64) -> Result<()> {
    let sql = "INSERT INTO task_scans (account_id, session_id, hub_id, turns, asked_turns) VALUES ($1, $2, $3, $4, 0) \
         ON CONFLICT (account_id, session_id) DO UPDATE SET hub_id = excluded.hub_id, turns = excluded.turns";
    tx.execute(sql, params![account, session, hub, turns]).map(drop)
}

/// Sessions to read.
pub(super) fn waiting(tx: &mut Tx<'_>) -> Result<Vec<Scan>> {
    let sql = "SELECT account_id, session_id, hub_id, turns FROM task_scans WHERE account_id <> '' AND turns > asked_turns \
         ORDER BY account_id, session_id LIMIT $1";
    tx.query(sql, params![SCANS], |row| {
        Ok(Scan { account: row.get(0)?, session: row.get(1)?, hub: row.get(2)?, turns: row.get(3)? })
    })
}

/// Stores that a session is being read.
pub(super) fn asked(tx: &mut Tx<'_>, scan: &Scan) -> Result<()> {
    let sql = "UPDATE task_scans SET asked_turns = $3 WHERE account_id = $1 AND session_id = $2";
    tx.execute(sql, params![&scan.account, &scan.session, scan.turns]).map(drop)
}

/// A session waits no more, until it ends again.
pub(super) fn give_up(tx: &mut Tx<'_>, scan: &Scan) -> Result<()> {
    let sql = "UPDATE task_scans SET turns = asked_turns WHERE account_id = $1 AND session_id = $2";
    tx.execute(sql, params![&scan.account, &scan.session]).map(drop)
}

/// A follow-up.
#[derive(Debug, Clone)]
pub(super) struct Caught {
    pub(super) id: String,
    pub(super) session: String,
    pub(super) hub: String,
    pub(super) text: String,
    pub(super) state: State,
    /// The task that it became.
    pub(super) task: String,
    pub(super) caught_ms: i64,
}

/// What became of a follow-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Staged,
    Accepted,
    Dismissed,
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            State::Staged => "staged",
            State::Accepted => "accepted",
            State::Dismissed => "dismissed",
        }
    }
}

const COLUMNS: &str = "caught_id, session_id, hub_id, caught_text, state, task_id, caught_ms";

fn caught(row: &dyn Row) -> Result<Caught> {
    let state = match row.get::<String>(4)?.as_str() {
        "accepted" => State::Accepted,
        "dismissed" => State::Dismissed,
        _ => State::Staged,
    };
    Ok(Caught {
        id: row.get(0)?,
        session: row.get(1)?,
        hub: row.get(2)?,
        text: row.get(3)?,
        state,
        task: row.get(5)?,
        caught_ms: row.get(6)?,
    })
}

/// The staged follow-ups, the newest session first, each session's in their order.
pub(super) fn staged(tx: &mut Tx<'_>, account: &str) -> Result<Vec<Caught>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM task_caught WHERE account_id = $1 AND state = 'staged' ORDER BY caught_ms DESC, caught_id"
    );
    tx.query(&sql, params![account], caught)
}

/// A follow-up, whatever became of it.
pub(super) fn one(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Caught> {
    let sql = format!("SELECT {COLUMNS} FROM task_caught WHERE account_id = $1 AND caught_id = $2");
    tx.query_opt(&sql, params![account, id], caught)?.ok_or_else(not_found)
}

/// Stores what became of a follow-up.
pub(super) fn settle(tx: &mut Tx<'_>, account: &str, id: &str, state: State, task: &str, now_ms: i64) -> Result<()> {
    let sql =
        "UPDATE task_caught SET state = $3, task_id = $4, settled_ms = $5 WHERE account_id = $1 AND caught_id = $2";
    let settled_ms = if state == State::Staged { 0 } else { now_ms };
    tx.execute(sql, params![account, id, state.name(), task, settled_ms]).map(drop)
}

/// Stages the follow-ups that aren't known yet; how many. Known are open tasks, staged ones, and those of the session that were
/// settled.
pub(super) fn stage(tx: &mut Tx<'_>, scan: &Scan, found: Vec<String>, now_ms: i64) -> Result<usize> {
    let open = all(tx, &scan.account, None)?.into_iter().filter(|task| task.state == TaskState::Open);
    let mut known: HashSet<String> = open.map(|task| words(&task.text)).collect();
    let sql =
        "SELECT caught_text, state FROM task_caught WHERE account_id = $1 AND (state = 'staged' OR session_id = $2)";
    let before =
        tx.query(sql, params![&scan.account, &scan.session], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))?;
    let mut room = STAGED_MAX.saturating_sub(before.iter().filter(|(_, state)| state == State::Staged.name()).count());
    known.extend(before.iter().map(|(text, _)| words(text)));
    let mut count = 0;
    for text in found {
        if room == 0 || !known.insert(words(&text)) {
            continue;
        }
        let sql = "INSERT INTO task_caught (account_id, caught_id, session_id, hub_id, caught_text, state, task_id, caught_ms, settled_ms) \
             VALUES ($1, $2, $3, $4, $5, 'staged', '', $6, 0)";
        tx.execute(sql, params![&scan.account, short_id(), &scan.session, &scan.hub, text, now_ms])?;
        (room, count) = (room - 1, count + 1);
    }
    Ok(count)
}

/// A text's words, by which the same follow-up is recognized.
fn words(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Removes follow-ups that were settled long ago.
pub(crate) async fn sweep(ctx: Ctx) -> Result<()> {
    let before = ctx.now_ms() - KEPT_MS;
    let write = move |tx: &mut Tx<'_>| {
        let sql = "DELETE FROM task_caught WHERE account_id <> '' AND settled_ms > 0 AND settled_ms < $1";
        tx.execute(sql, params![before]).map(drop)
    };
    ctx.db().write(write).await
}
