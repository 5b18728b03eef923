//! Entries of sessions, and reading all entries.

use crate::entry::{Basis, Cost, Spender, Tokens};
use crate::reserve::{SETTLED, insert};
use kit::error::Result;
use kit::ids::short_id;
use store::{Tx, params};

/// Adds to the day's entry of a session, or begins one. Engines report their costs many times in a turn.
pub fn add_to_day(
    tx: &mut Tx<'_>,
    spender: &Spender,
    cost: &Cost,
    tokens: &Tokens,
    (at_ms, day): (i64, &str),
) -> Result<()> {
    let added = tokens.bounded();
    let sql = "UPDATE ledger_entries SET micros = micros + $8, input_tokens = input_tokens + $9, \
         output_tokens = output_tokens + $10, cache_read_tokens = cache_read_tokens + $11, \
         cache_write_tokens = cache_write_tokens + $12 \
         WHERE account_id = $1 AND day = $2 AND session_id = $3 AND purpose = $4 AND provider = $5 AND currency = $6 \
         AND basis = $7 AND state = 'settled'";
    let values = params![
        &*spender.account,
        day,
        &*spender.session,
        &*spender.purpose,
        &*spender.provider,
        &*cost.currency,
        cost.basis.name(),
        cost.bounded().unwrap_or(0),
        added.input,
        added.output,
        added.cache_read,
        added.cache_write,
    ];
    if tx.execute(sql, values)? == 0 {
        insert(tx, &short_id(), spender, cost, tokens, (at_ms, day, SETTLED))?;
    }
    Ok(())
}

/// Entries of one day that differ in nothing but their amounts, added up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Total {
    /// The local day.
    pub day: String,
    /// Who spent it, and what for.
    pub spender: Spender,
    /// How many entries.
    pub entries: i64,
    /// How many of them have no known outcome. Their costs are upper bounds.
    pub unknown: i64,
    /// Tokens by kind; 0 where they aren't known.
    pub tokens: Tokens,
    /// What it cost.
    pub cost: Cost,
}

/// What the account spent on these days, the newest first, up to `limit` rows.
pub fn totals(tx: &mut Tx<'_>, account: &str, (from, to): (&str, &str), limit: i64) -> Result<Vec<Total>> {
    let sql = "SELECT day, purpose, hub_id, session_id, provider, model, currency, basis, price_date, count(*), \
         CAST(sum(CASE WHEN state = 'settled' THEN 0 ELSE 1 END) AS BIGINT), CAST(sum(input_tokens) AS BIGINT), \
         CAST(sum(output_tokens) AS BIGINT), CAST(sum(cache_read_tokens) AS BIGINT), \
         CAST(sum(cache_write_tokens) AS BIGINT), CAST(sum(micros) AS BIGINT) FROM ledger_entries \
         WHERE account_id = $1 AND day >= $2 AND day <= $3 \
         GROUP BY day, purpose, hub_id, session_id, provider, model, currency, basis, price_date \
         ORDER BY day DESC, purpose, session_id DESC, hub_id, provider, model, currency, basis DESC, price_date LIMIT $4";
    tx.query(sql, params![account, from, to, limit], |row| {
        Ok(Total {
            day: row.get(0)?,
            spender: Spender {
                account: account.to_owned(),
                purpose: row.get(1)?,
                hub: row.get(2)?,
                session: row.get(3)?,
                provider: row.get(4)?,
                model: row.get(5)?,
            },
            cost: Cost {
                currency: row.get(6)?,
                basis: Basis::named(row.get(7)?),
                price_date: row.get(8)?,
                micros: row.get(15)?,
            },
            entries: row.get(9)?,
            unknown: row.get(10)?,
            tokens: Tokens {
                input: row.get(11)?,
                output: row.get(12)?,
                cache_read: row.get(13)?,
                cache_write: row.get(14)?,
            },
        })
    })
}
