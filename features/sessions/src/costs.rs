//! Costs of sessions, added up by day.
//!
//! An engine reports the total cost of its session. The increase since its last report is added to the current local
//! day. For a new engine session, or a lower total than before, the increase counts from zero.
//! Invariants: only amounts that are numbers of at least 0 are added; currencies are never mixed; nothing is added
//! twice, even if the program ends in between.

use crate::common::Common;
use crate::records::SessionRecord;
use crate::revivals;
use crate::transcript::SessionKey;
use engines::{Cost, probe};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use kit::error::Result;
use store::{HasDb, Tx, params};

/// The local day of an instant, as `2026-03-01`.
pub(crate) fn day_of(now_ms: i64, zone: &TimeZone) -> Date {
    Timestamp::from_millisecond(now_ms).unwrap_or_default().to_zoned(zone.clone()).date()
}

/// The valid part of a reported cost: a number of at least 0, in a currency of three letters.
fn is_money(cost: &Cost) -> bool {
    let currency = cost.currency.as_bytes();
    cost.amount.is_finite() && cost.amount >= 0.0 && currency.len() == 3 && currency.iter().all(u8::is_ascii_uppercase)
}

impl Common {
    /// Adds a session's reported cost to the ledger.
    pub(crate) async fn count_cost(&self, key: &SessionKey, record: &SessionRecord, cost: &Cost) {
        if !is_money(cost) {
            return;
        }
        let machine = self.machine_of(&key.account, &record.engine);
        let is_paid_by_use = self
            .engine(&key.account, &record.engine)
            .is_none_or(|engine| probe::is_paid_by_use(&engine.recipe(), &machine));
        let day = day_of(self.ctx.now_ms(), &self.host.world.zone).to_string();
        let report = CostReport {
            key: key.clone(),
            engine: record.engine.clone(),
            engine_session: record.engine_session.clone(),
            cost: cost.clone(),
            day,
            is_paid_by_use,
        };
        // The engine's next report includes the missed part.
        if let Err(why) = self.ctx.db().write(move |tx| add(tx, &report)).await {
            tracing::warn!("couldn't save a session's cost, retrying with its next update: {why}");
        }
    }
}

/// The cost that an engine reported for a session, to add to the ledger.
struct CostReport {
    key: SessionKey,
    engine: String,
    engine_session: String,
    cost: Cost,
    day: String,
    is_paid_by_use: bool,
}

fn add(tx: &mut Tx<'_>, report: &CostReport) -> Result<()> {
    let (account, session, currency) = (&*report.key.account, &*report.key.session, &report.cost.currency);
    let before = "SELECT amount FROM session_meters WHERE account_id = $1 AND session_id = $2 AND currency = $3 AND engine_session = $4";
    let before = tx
        .query_opt(before, params![account, session, currency, &report.engine_session], |row| row.get::<f64>(0))?
        .filter(|before| *before <= report.cost.amount)
        .unwrap_or(0.0);
    tx.execute(
        "INSERT INTO session_meters (account_id, session_id, currency, engine_session, amount) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (account_id, session_id, currency) DO UPDATE SET engine_session = excluded.engine_session, amount = excluded.amount",
        params![account, session, currency, &report.engine_session, report.cost.amount],
    )?;
    let more = report.cost.amount - before;
    if more <= 0.0 {
        return Ok(());
    }
    let is_revived = revivals::is_revived(tx, (account, session))?;
    tx.execute(
        "INSERT INTO session_usage (account_id, day, session_id, engine, currency, paid_by_use, revived, amount) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (account_id, day, session_id, currency, paid_by_use, revived) \
         DO UPDATE SET amount = session_usage.amount + excluded.amount",
        params![account, &report.day, session, &report.engine, currency, report.is_paid_by_use, is_revived, more],
    )
    .map(drop)
}

/// US dollars that revived sessions spent on a day, without subscriptions.
pub(crate) fn spent_by_revived(tx: &mut Tx<'_>, account: &str, day: &str) -> Result<f64> {
    let sql = "SELECT CAST(sum(amount) AS DOUBLE PRECISION) FROM session_usage \
         WHERE account_id = $1 AND day = $2 AND currency = 'USD' AND paid_by_use = 1 AND revived = 1";
    Ok(tx.query_one(sql, params![account, day], |row| row.get::<Option<f64>>(0))?.unwrap_or(0.0))
}
