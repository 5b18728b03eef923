//! What sessions cost, day by day.
//!
//! An engine tells what its session has cost since it began; what is more than it told before is added to the local day on which it
//! is told. An engine's session that is new, or a count that is below the one before, begins at nothing.
//! Invariants: only amounts that are numbers of at least 0 are added; currencies are never mixed; nothing is added twice, also
//! where the program ends in between.

use crate::fault;
use crate::records::SessionRecord;
use crate::service::Sessions;
use crate::transcript::SessionKey;
use engines::{Cost, probe};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use kit::error::Result;
use kit::{Call, CallerSet, Ctx, Method, Op, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::{HasDb, Row, Tx, params};

/// Days that one answer may be of.
const DAYS_MAX: i32 = 366;
/// Days before the last one where none are named.
const DAYS: i32 = 30;
/// Rows of one answer.
const ROWS_MAX: i64 = 10_000;
/// How a day is written.
const DAY: &str = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";

/// The local day of an instant, as `2026-03-01`.
pub(crate) fn day_of(now_ms: i64, zone: &TimeZone) -> Date {
    Timestamp::from_millisecond(now_ms).unwrap_or_default().to_zoned(zone.clone()).date()
}

/// What may be added of a cost that an engine told: a number of at least 0 in a currency of three letters.
fn is_money(cost: &Cost) -> bool {
    let currency = cost.currency.as_bytes();
    cost.amount.is_finite() && cost.amount >= 0.0 && currency.len() == 3 && currency.iter().all(u8::is_ascii_uppercase)
}

impl Sessions {
    /// Adds to the ledger what a session's engine told it has cost so far.
    pub(crate) async fn count_cost(&self, key: &SessionKey, record: &SessionRecord, cost: &Cost) {
        if !is_money(cost) {
            return;
        }
        let is_paid_by_use = self
            .host
            .engine(&record.engine)
            .is_none_or(|engine| probe::is_paid_by_use(&engine.recipe(), &self.host.machine));
        let day = day_of(self.ctx.now_ms(), &self.host.world.zone).to_string();
        let report = CostReport {
            key: key.clone(),
            engine: record.engine.clone(),
            engine_session: record.engine_session.clone(),
            cost: cost.clone(),
            day,
            is_paid_by_use,
        };
        // The next thing told holds what was missed.
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
    let open = "SELECT 1 FROM session_revivals WHERE account_id = $1 AND session_id = $2 AND ended_ms = 0 LIMIT 1";
    let is_revived = tx.query_opt(open, params![account, session], |row| row.get::<i64>(0))?.is_some();
    tx.execute(
        "INSERT INTO session_usage (account_id, day, session_id, engine, currency, paid_by_use, revived, amount) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (account_id, day, session_id, currency, paid_by_use, revived) \
         DO UPDATE SET amount = session_usage.amount + excluded.amount",
        params![account, &report.day, session, &report.engine, currency, report.is_paid_by_use, is_revived, more],
    )
    .map(drop)
}

/// US dollars that revived sessions spent on a day and that are paid by use.
pub(crate) fn spent_by_revived(tx: &mut Tx<'_>, account: &str, day: &str) -> Result<f64> {
    let sql = "SELECT CAST(sum(amount) AS DOUBLE PRECISION) FROM session_usage \
         WHERE account_id = $1 AND day = $2 AND currency = 'USD' AND paid_by_use = 1 AND revived = 1";
    Ok(tx.query_one(sql, params![account, day], |row| row.get::<Option<f64>>(0))?.unwrap_or(0.0))
}

/// A person asked the session for something: what it spends from now on is no revival's.
pub(crate) fn asked_by_person(tx: &mut Tx<'_>, (account, session): (&str, &str), now_ms: i64) -> Result<()> {
    let sql = "UPDATE session_revivals SET ended_ms = $3 WHERE account_id = $1 AND session_id = $2 AND ended_ms = 0";
    tx.execute(sql, params![account, session, now_ms]).map(drop)
}

pub(crate) fn ops() -> Vec<Op> {
    vec![Op::new(
        "sessions.usage",
        Method::Get,
        "/sessions/usage",
        CallerSet::PERSON,
        "Get session costs by local day, engine, and session. Engines that report no costs are omitted.",
        usage,
    )]
}

/// A range of days.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Days {
    /// The first local day, such as `2026-03-01`. Default: 30 days before the last.
    #[schemars(regex(pattern = DAY))]
    from: Option<String>,
    /// The last local day, inclusive. Default: today.
    #[schemars(regex(pattern = DAY))]
    to: Option<String>,
}

/// Costs of sessions.
#[derive(Serialize, JsonSchema)]
struct UsageOfDays {
    /// The first day.
    from: String,
    /// The last day.
    to: String,
    /// Newest day first.
    rows: Vec<Usage>,
    /// Totals of all rows, per currency.
    sums: Vec<Sum>,
    /// False if there were too many rows: request fewer days.
    complete: bool,
}

/// Cost of a session on one day.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Usage {
    /// The local day.
    day: String,
    session_id: String,
    /// Null if the session no longer exists.
    title: Option<String>,
    engine: String,
    /// ISO 4217.
    currency: String,
    /// As reported by the engine.
    amount: f64,
    /// Whether it's pay-per-use rather than a subscription.
    paid_by_use: bool,
    /// Whether the session was revived automatically and you haven't sent it a message since.
    revived: bool,
}

/// A total in one currency.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Sum {
    /// ISO 4217.
    currency: String,
    amount: f64,
    /// The pay-per-use part.
    paid_by_use: f64,
    /// The pay-per-use part spent by revived sessions.
    revived: f64,
}

async fn usage(ctx: Ctx, call: Call, input: Days) -> Result<UsageOfDays> {
    let zone = ctx.service::<Sessions>().host.world.zone.clone();
    let to = day(input.to.as_deref(), "/to")?.unwrap_or_else(|| day_of(ctx.now_ms(), &zone));
    let from = day(input.from.as_deref(), "/from")?.unwrap_or_else(|| to.saturating_sub(DAYS.days()));
    if from > to || from < to.saturating_sub((DAYS_MAX - 1).days()) {
        let detail = format!("from must be at most {DAYS_MAX} days before to.");
        return Err(invalid("/from", fault::OUT_OF_RANGE, detail));
    }
    let (from, to) = (from.to_string(), to.to_string());
    let days = (from.clone(), to.clone());
    let mut rows = ctx.db().read(move |tx| read(tx, call.account(), &days.0, &days.1)).await?;
    let complete = rows.len() as i64 <= ROWS_MAX;
    rows.truncate(ROWS_MAX as usize);
    Ok(UsageOfDays { from, to, sums: sums(&rows), rows, complete })
}

fn day(text: Option<&str>, at: &'static str) -> Result<Option<Date>> {
    let read = |text: &str| {
        let is_plain = text.len() == 10 && text.bytes().all(|sign| sign.is_ascii_digit() || sign == b'-');
        let wrong = || invalid(at, fault::WRONG_FORMAT, "Enter a day such as 2026-03-01.");
        text.parse::<Date>().ok().filter(|_| is_plain).ok_or_else(wrong)
    };
    text.map(read).transpose()
}

fn read(tx: &mut Tx<'_>, account: &str, from: &str, to: &str) -> Result<Vec<Usage>> {
    let sql = "SELECT u.day, u.session_id, s.title, u.engine, u.currency, u.amount, u.paid_by_use, u.revived FROM session_usage u \
         LEFT JOIN sessions s ON s.account_id = u.account_id AND s.session_id = u.session_id \
         WHERE u.account_id = $1 AND u.day >= $2 AND u.day <= $3 \
         ORDER BY u.day DESC, u.session_id DESC, u.currency, u.paid_by_use, u.revived LIMIT $4";
    let row = |row: &dyn Row| {
        Ok(Usage {
            day: row.get(0)?,
            session_id: row.get(1)?,
            title: row.get(2)?,
            engine: row.get(3)?,
            currency: row.get(4)?,
            amount: row.get(5)?,
            paid_by_use: row.get::<i64>(6)? != 0,
            revived: row.get::<i64>(7)? != 0,
        })
    };
    tx.query(sql, params![account, from, to, ROWS_MAX + 1], row)
}

fn sums(rows: &[Usage]) -> Vec<Sum> {
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for item in rows {
        let sum =
            sums.entry(&item.currency).or_insert_with(|| Sum { currency: item.currency.clone(), ..Sum::default() });
        sum.amount += item.amount;
        if item.paid_by_use {
            sum.paid_by_use += item.amount;
            sum.revived += if item.revived { item.amount } else { 0.0 };
        }
    }
    sums.into_values().collect()
}
