//! Reserving the upper bound of a call's cost before it, and settling what it cost after it.

use crate::entry::{Basis, Cost, Spender, Tokens, USD};
use crate::micros;
use kit::error::Result;
use kit::ids::short_id;
use store::{Tx, params};

/// A limit on what is spent for a purpose, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cap {
    /// The limit; 0 permits nothing.
    pub usd: f64,
    /// The time that it holds for.
    pub window: Window,
}

/// The time that a cap holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// The local day.
    Day,
    /// The last 24 hours.
    Hours24,
}

/// Why a call isn't made.
#[derive(Debug, Clone, PartialEq)]
pub enum CapError {
    /// It was spent, or this call could exceed it.
    Reached {
        /// Spent so far, in US dollars.
        spent: f64,
        /// The limit.
        cap: f64,
    },
    /// The price isn't known, so the cap can't be checked.
    Unpriced,
}

/// A reservation, to be settled or released.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reserved {
    account: String,
    entry: String,
}

const OPEN: &str = "reserved";
pub(crate) const SETTLED: &str = "settled";
const UNKNOWN: &str = "unknown";

/// The amount that counts toward a cap on a purpose, in US dollars. Upper bounds count while an outcome is unknown.
pub fn spent(tx: &mut Tx<'_>, spender: &Spender, at_ms: i64, day: &str, window: Window) -> Result<f64> {
    let (column, from) = match window {
        Window::Day => ("day", store::Value::from(day)),
        Window::Hours24 => ("at_ms", store::Value::from(at_ms - kit::clock::DAY_MS)),
    };
    let sql = format!(
        "SELECT CAST(sum(micros) AS BIGINT) FROM ledger_entries WHERE account_id = $1 AND purpose = $2 AND {column} >= $3 \
         AND currency = 'USD' AND basis IN ('reported', 'priced')"
    );
    let sum = tx.query_one(&sql, &[(&*spender.account).into(), (&*spender.purpose).into(), from], |row| {
        row.get::<Option<i64>>(0)
    })?;
    Ok(crate::amount(sum.unwrap_or(0)))
}

/// Reserves the upper bound of a call in `bound`, unless it could exceed the cap.
pub fn reserve(
    tx: &mut Tx<'_>,
    spender: &Spender,
    bound: &Cost,
    (at_ms, day): (i64, &str),
    cap: Option<Cap>,
) -> Result<std::result::Result<Reserved, CapError>> {
    if let Some(cap) = cap {
        let spent = spent(tx, spender, at_ms, day, cap.window)?;
        let more = match (bound.basis, bound.micros) {
            (Basis::Unpriced, _) if cap.usd > 0.0 => return Ok(Err(CapError::Unpriced)),
            (Basis::Reported | Basis::Priced, Some(bound)) => bound,
            _ => 0,
        };
        // In whole millionths: sums of fractions would not compare exactly.
        if cap.usd <= 0.0 || micros(spent) >= micros(cap.usd) || micros(spent) + more > micros(cap.usd) {
            return Ok(Err(CapError::Reached { spent, cap: cap.usd }));
        }
    }
    let entry = short_id();
    let empty = Tokens::default();
    insert(tx, &entry, spender, bound, &empty, (at_ms, day, OPEN))?;
    Ok(Ok(Reserved { account: spender.account.clone(), entry }))
}

pub(crate) fn insert(
    tx: &mut Tx<'_>,
    entry: &str,
    spender: &Spender,
    cost: &Cost,
    tokens: &Tokens,
    (at_ms, day, state): (i64, &str, &'static str),
) -> Result<()> {
    let (tokens, micros) = (tokens.bounded(), cost.bounded());
    let sql = "INSERT INTO ledger_entries (account_id, entry_id, at_ms, day, purpose, hub_id, session_id, provider, model, \
         input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, currency, micros, basis, price_date, state) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";
    let values = params![
        &*spender.account,
        entry,
        at_ms,
        day,
        &*spender.purpose,
        &*spender.hub,
        &*spender.session,
        &*spender.provider,
        &*spender.model,
        tokens.input,
        tokens.output,
        tokens.cache_read,
        tokens.cache_write,
        &*cost.currency,
        micros,
        cost.basis.name(),
        &*cost.price_date,
        state,
    ];
    tx.execute(sql, values).map(drop)
}

/// Replaces the upper bound with what the call cost.
pub fn settle(tx: &mut Tx<'_>, reserved: &Reserved, cost: &Cost, tokens: &Tokens) -> Result<()> {
    let (tokens, micros) = (tokens.bounded(), cost.bounded());
    let sql = "UPDATE ledger_entries SET input_tokens = $3, output_tokens = $4, cache_read_tokens = $5, cache_write_tokens = $6, \
         currency = $7, micros = $8, basis = $9, price_date = $10, state = $11 WHERE account_id = $1 AND entry_id = $2";
    let values = params![
        &*reserved.account,
        &*reserved.entry,
        tokens.input,
        tokens.output,
        tokens.cache_read,
        tokens.cache_write,
        &*cost.currency,
        micros,
        cost.basis.name(),
        &*cost.price_date,
        SETTLED,
    ];
    tx.execute(sql, values).map(drop)
}

/// Removes a reservation of a call that cost nothing: it was rejected, or never left.
pub fn release(tx: &mut Tx<'_>, reserved: &Reserved) -> Result<()> {
    let sql = "DELETE FROM ledger_entries WHERE account_id = $1 AND entry_id = $2 AND state = 'reserved'";
    tx.execute(sql, params![&*reserved.account, &*reserved.entry]).map(drop)
}

/// Closes reservations whose outcome nobody will report: one that may have cost something keeps its upper bound. With `reserved`
/// that one, else all, at the program's start.
pub fn close_open(tx: &mut Tx<'_>, reserved: Option<&Reserved>) -> Result<()> {
    match reserved {
        Some(reserved) => {
            let sql =
                "UPDATE ledger_entries SET state = $3 WHERE account_id = $1 AND entry_id = $2 AND state = 'reserved'";
            tx.execute(sql, params![&*reserved.account, &*reserved.entry, UNKNOWN]).map(drop)
        }
        None => tx.execute("UPDATE ledger_entries SET state = $1 WHERE state = 'reserved'", params![UNKNOWN]).map(drop),
    }
}

impl Cost {
    /// A price that isn't known.
    pub fn unpriced() -> Cost {
        Cost { currency: USD.into(), micros: None, basis: Basis::Unpriced, price_date: String::new() }
    }
}
