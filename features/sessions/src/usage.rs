//! Costs of sessions per day, with totals.

use crate::costs::{REVIVED, SESSION};
use crate::service::Sessions;
use kit::clock::day_of;
use kit::days::{self, DAY};
use kit::error::Result;
use kit::{Call, CallerSet, Ctx, Method, Op};
use ledger::Basis;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use store::{HasDb, Row, Tx, params};

/// Default number of days before the last one.
const DAYS: i32 = 30;
/// Maximum rows in an answer.
const ROWS_MAX: i64 = 10_000;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "sessions.usage",
            Method::Get,
            "/sessions/usage",
            CallerSet::PERSON,
            "Get session costs by local day, engine, and session. Engines that report no costs are omitted.",
            usage,
        )
        .example(r#"{"from": "2026-03-01", "to": "2026-03-02"}"#),
    ]
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
    let zone = ctx.service::<Sessions>().common.host.world.zone.clone();
    let today = day_of(ctx.now_ms(), &zone);
    let (from, to) = days::range(input.from.as_deref(), input.to.as_deref(), today, DAYS)?;
    let days = (from.clone(), to.clone());
    let mut rows = ctx.db().read(move |tx| read(tx, call.account(), &days.0, &days.1)).await?;
    let complete = rows.len() as i64 <= ROWS_MAX;
    rows.truncate(ROWS_MAX as usize);
    Ok(UsageOfDays { from, to, sums: sums(&rows), rows, complete })
}

fn read(tx: &mut Tx<'_>, account: &str, from: &str, to: &str) -> Result<Vec<Usage>> {
    let sql = "SELECT e.day, e.session_id, s.title, e.provider, e.currency, e.micros, e.basis, e.purpose FROM ledger_entries e \
         LEFT JOIN sessions s ON s.account_id = e.account_id AND s.session_id = e.session_id \
         WHERE e.account_id = $1 AND e.day >= $2 AND e.day <= $3 AND e.purpose IN ($5, $6) \
         ORDER BY e.day DESC, e.session_id DESC, e.currency, e.basis DESC, e.purpose DESC LIMIT $4";
    let row = |row: &dyn Row| {
        Ok(Usage {
            day: row.get(0)?,
            session_id: row.get(1)?,
            title: row.get(2)?,
            engine: row.get(3)?,
            currency: row.get(4)?,
            amount: ledger::amount(row.get::<Option<i64>>(5)?.unwrap_or(0)),
            paid_by_use: Basis::named(row.get(6)?).is_paid_by_use(),
            revived: row.get::<&str>(7)? == REVIVED,
        })
    };
    tx.query(sql, params![account, from, to, ROWS_MAX + 1, SESSION, REVIVED], row)
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
