//! Stored revivals: when the refill governor revived which session, until a user sends it a message.

use kit::error::Result;
use store::{Tx, params};

/// Stores a revival.
pub(crate) fn insert(tx: &mut Tx<'_>, (account, session): (&str, &str), now_ms: i64, day: &str) -> Result<()> {
    let key = params![account, session];
    tx.execute("DELETE FROM session_skips WHERE account_id = $1 AND session_id = $2", key)?;
    let sql = "INSERT INTO session_revivals (account_id, session_id, at_ms, day, ended_ms) VALUES ($1, $2, $3, $4, 0) \
         ON CONFLICT (account_id, session_id, at_ms) DO NOTHING";
    tx.execute(sql, params![account, session, now_ms, day]).map(drop)
}

/// The user sent the session a message: its costs from now on don't count as a revival's.
pub(crate) fn asked_by_person(tx: &mut Tx<'_>, (account, session): (&str, &str), now_ms: i64) -> Result<()> {
    let sql = "UPDATE session_revivals SET ended_ms = $3 WHERE account_id = $1 AND session_id = $2 AND ended_ms = 0";
    tx.execute(sql, params![account, session, now_ms]).map(drop)
}

/// Whether the session is running because it was revived.
pub(crate) fn is_revived(tx: &mut Tx<'_>, (account, session): (&str, &str)) -> Result<bool> {
    let open = "SELECT 1 FROM session_revivals WHERE account_id = $1 AND session_id = $2 AND ended_ms = 0 LIMIT 1";
    Ok(tx.query_opt(open, params![account, session], |row| row.get::<i64>(0))?.is_some())
}
