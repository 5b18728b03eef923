//! Revivals of sessions as they are stored: when the refill governor revived which, until a person asked it for something.

use kit::error::Result;
use store::{Tx, params};

/// Writes a revival down.
pub(crate) fn insert(tx: &mut Tx<'_>, (account, session): (&str, &str), now_ms: i64, day: &str) -> Result<()> {
    let key = params![account, session];
    tx.execute("DELETE FROM session_skips WHERE account_id = $1 AND session_id = $2", key)?;
    let sql = "INSERT INTO session_revivals (account_id, session_id, at_ms, day, ended_ms) VALUES ($1, $2, $3, $4, 0) \
         ON CONFLICT (account_id, session_id, at_ms) DO NOTHING";
    tx.execute(sql, params![account, session, now_ms, day]).map(drop)
}

/// A person asked the session for something: what it spends from now on is no revival's.
pub(crate) fn asked_by_person(tx: &mut Tx<'_>, (account, session): (&str, &str), now_ms: i64) -> Result<()> {
    let sql = "UPDATE session_revivals SET ended_ms = $3 WHERE account_id = $1 AND session_id = $2 AND ended_ms = 0";
    tx.execute(sql, params![account, session, now_ms]).map(drop)
}

/// Whether the session runs because it was revived.
pub(crate) fn is_revived(tx: &mut Tx<'_>, (account, session): (&str, &str)) -> Result<bool> {
    let open = "SELECT 1 FROM session_revivals WHERE account_id = $1 AND session_id = $2 AND ended_ms = 0 LIMIT 1";
    Ok(tx.query_opt(open, params![account, session], |row| row.get::<i64>(0))?.is_some())
}
