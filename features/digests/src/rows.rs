//! Stored digests.

use crate::content::Content;
use crate::due::Kind;
use kit::error::{INTERNAL, Result};
use store::{Row, Tx, params};

/// A stored digest.
#[derive(Debug, Clone)]
pub(crate) struct Digest {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) from_ms: i64,
    pub(crate) to_ms: i64,
    pub(crate) created_ms: i64,
    pub(crate) is_paused: bool,
    pub(crate) content: Content,
}

const DIGESTS: &str =
    "SELECT digest_id, kind, from_ms, to_ms, created_ms, state, content FROM digests WHERE account_id = $1";
const PAUSED: &str = "paused";

fn read(row: &dyn Row) -> Result<Digest> {
    Ok(Digest {
        id: row.get(0)?,
        kind: row.get(1)?,
        from_ms: row.get(2)?,
        to_ms: row.get(3)?,
        created_ms: row.get(4)?,
        is_paused: row.get::<&str>(5)? == PAUSED,
        content: serde_json::from_str(row.get(6)?)
            .map_err(|why| INTERNAL.error(format!("A digest is unreadable: {why}.")))?,
    })
}

/// Digests older than `before` by ID, the newest first.
pub(crate) fn list(tx: &mut Tx<'_>, account: &str, before: &str, limit: i64) -> Result<Vec<Digest>> {
    let sql = format!("{DIGESTS} AND digest_id < $2 AND state <> 'empty' ORDER BY digest_id DESC LIMIT $3");
    tx.query(&sql, params![account, before, limit], read)
}

/// A digest.
pub(crate) fn one(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Digest> {
    tx.query_one(&format!("{DIGESTS} AND digest_id = $2"), params![account, id], read)
}

/// The digest of a period, and whether it's paused.
pub(crate) fn of_period(tx: &mut Tx<'_>, account: &str, kind: Kind, period: &str) -> Result<Option<(String, bool)>> {
    let sql = "SELECT digest_id, state FROM digests WHERE account_id = $1 AND kind = $2 AND period = $3";
    tx.query_opt(sql, params![account, kind.name(), period], |row| Ok((row.get(0)?, row.get::<&str>(1)? == PAUSED)))
}

/// The end of the newest digest of a kind.
pub(crate) fn last_end_ms(tx: &mut Tx<'_>, account: &str, kind: Kind) -> Result<Option<i64>> {
    let sql = "SELECT max(to_ms) FROM digests WHERE account_id = $1 AND kind = $2";
    tx.query_one(sql, params![account, kind.name()], |row| row.get(0))
}

/// Stores a digest, or completes the paused one of its period. False if the period has a complete one.
pub(crate) fn store(tx: &mut Tx<'_>, account: &str, kind: Kind, period: &str, digest: &Digest) -> Result<bool> {
    let state = match digest.is_paused {
        true => PAUSED,
        // Nothing happened: only remembered, so that the period isn't looked at again.
        false if digest.content.is_empty() => "empty",
        false => "done",
    };
    let content = serde_json::to_string(&digest.content).map_err(|why| INTERNAL.error(why.to_string()))?;
    let sql = "INSERT INTO digests (account_id, digest_id, kind, period, from_ms, to_ms, created_ms, state, content) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
         ON CONFLICT (account_id, kind, period) DO UPDATE SET state = excluded.state, content = excluded.content, \
         created_ms = excluded.created_ms WHERE digests.state = 'paused'";
    let values = params![
        account,
        &digest.id,
        kind.name(),
        period,
        digest.from_ms,
        digest.to_ms,
        digest.created_ms,
        state,
        &content
    ];
    Ok(tx.execute(sql, values)? > 0)
}
