//! Worktrees in the database.

use kit::error::Result;
use store::{Row, Tx, params};

/// A worktree.
#[derive(Debug, Clone)]
pub(crate) struct Worktree {
    pub(crate) id: String,
    pub(crate) hub_id: String,
    /// The repository's folder, stored in case the hub is removed.
    pub(crate) hub_folder: String,
    pub(crate) session_id: String,
    pub(crate) folder: String,
    pub(crate) branch: String,
    pub(crate) base: String,
    pub(crate) base_commit: String,
    /// `making`, `here` or `trash`.
    pub(crate) state: String,
    pub(crate) created_ms: i64,
    /// 0 unless it is in the trash.
    pub(crate) removed_ms: i64,
}

const WORKTREES: &str = "SELECT worktree_id, hub_id, hub_folder, session_id, folder, branch, base, base_commit, state, created_ms, removed_ms \
     FROM session_worktrees WHERE account_id = $1";

fn worktree(row: &dyn Row) -> Result<Worktree> {
    Ok(Worktree {
        id: row.get(0)?,
        hub_id: row.get(1)?,
        hub_folder: row.get(2)?,
        session_id: row.get(3)?,
        folder: row.get(4)?,
        branch: row.get(5)?,
        base: row.get(6)?,
        base_commit: row.get(7)?,
        state: row.get(8)?,
        created_ms: row.get(9)?,
        removed_ms: row.get(10)?,
    })
}

pub(crate) fn one(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Worktree> {
    tx.query_one(&format!("{WORKTREES} AND worktree_id = $2"), params![account, id], worktree)
}

/// The worktree that was created for a session, if any.
pub(crate) fn of_session(tx: &mut Tx<'_>, account: &str, session: &str) -> Result<Option<Worktree>> {
    let sql = format!("{WORKTREES} AND session_id = $2 ORDER BY worktree_id DESC LIMIT 1");
    tx.query_opt(&sql, params![account, session], worktree)
}

/// Worktrees of a hub (all if empty), and of a session and its child sessions (all if empty), newest first, older than
/// `before`.
pub(crate) fn list(
    tx: &mut Tx<'_>,
    account: &str,
    (hub, session): (&str, &str),
    before: &str,
    limit: i64,
) -> Result<Vec<Worktree>> {
    let sql = format!(
        "{WORKTREES} AND ($2 = '' OR hub_id = $2) AND worktree_id < $3 AND ($5 = '' OR session_id = $5 OR session_id IN \
         (SELECT session_id FROM sessions WHERE account_id = $1 AND parent_id = $5)) ORDER BY worktree_id DESC LIMIT $4"
    );
    tx.query(&sql, params![account, hub, before, limit, session], worktree)
}

pub(crate) fn insert(tx: &mut Tx<'_>, account: &str, new: &Worktree) -> Result<()> {
    tx.execute(
        "INSERT INTO session_worktrees (account_id, worktree_id, hub_id, hub_folder, session_id, folder, branch, base, base_commit, \
         state, created_ms, removed_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        params![
            account,
            &new.id,
            &new.hub_id,
            &new.hub_folder,
            &new.session_id,
            &new.folder,
            &new.branch,
            &new.base,
            &new.base_commit,
            &new.state,
            new.created_ms,
            new.removed_ms,
        ],
    )
    .map(drop)
}

pub(crate) fn set_state(tx: &mut Tx<'_>, account: &str, id: &str, state: &str, removed_ms: i64) -> Result<()> {
    let sql = "UPDATE session_worktrees SET state = $3, removed_ms = $4 WHERE account_id = $1 AND worktree_id = $2";
    tx.execute(sql, params![account, id, state, removed_ms]).map(drop)
}

pub(crate) fn delete(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<()> {
    let sql = "DELETE FROM session_worktrees WHERE account_id = $1 AND worktree_id = $2";
    tx.execute(sql, params![account, id]).map(drop)
}

/// Worktrees of all accounts that were moved to the trash before a time.
pub(crate) fn in_trash_before(tx: &mut Tx<'_>, before_ms: i64) -> Result<Vec<(String, String)>> {
    let sql = "SELECT account_id, worktree_id FROM session_worktrees WHERE state = 'trash' AND removed_ms < $1 \
         ORDER BY account_id, worktree_id";
    tx.query(sql, params![before_ms], |row| Ok((row.get(0)?, row.get(1)?)))
}
