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
use kit::clock::day_of;
use kit::error::Result;
use kit::feature::Purpose;
use ledger::{Basis, Spender, Tokens, Window};
use store::{HasDb, Tx, params};

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
        let now_ms = self.ctx.now_ms();
        let day = day_of(now_ms, &self.host.world.zone).to_string();
        let report = CostReport {
            spender: Spender {
                account: key.account.to_string(),
                purpose: SESSION.into(),
                hub: record.hub_id.clone(),
                session: key.session.to_string(),
                provider: record.engine.clone(),
                model: record.model.clone(),
            },
            engine_session: record.engine_session.clone(),
            cost: cost.clone(),
            at_ms: now_ms,
            day,
            is_paid_by_use,
        };
        // The engine's next report includes the missed part.
        if let Err(why) = self.ctx.db().write(move |tx| add(tx, &report)).await {
            tracing::warn!("couldn't save a session's cost, retrying with its next update: {why}");
        }
    }
}

/// The purpose of what sessions cost.
pub(crate) const SESSION: &str = SESSION_PURPOSE.name;
/// The same after the refill governor revived one, until you send it a message.
pub(crate) const REVIVED: &str = REVIVED_PURPOSE.name;
pub(crate) const SESSION_PURPOSE: Purpose = Purpose { name: "session", label: "Sessions" };
pub(crate) const REVIVED_PURPOSE: Purpose = Purpose { name: "revived", label: "Revived sessions" };

/// The cost that an engine reported for a session, to add to the ledger.
struct CostReport {
    spender: Spender,
    engine_session: String,
    cost: Cost,
    at_ms: i64,
    day: String,
    is_paid_by_use: bool,
}

fn add(tx: &mut Tx<'_>, report: &CostReport) -> Result<()> {
    let (account, session, currency) = (&*report.spender.account, &*report.spender.session, &report.cost.currency);
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
    // The difference of whole millionths, so that nothing is lost by rounding each report.
    let more = ledger::micros(report.cost.amount) - ledger::micros(before);
    if more <= 0 {
        return Ok(());
    }
    let mut spender = report.spender.clone();
    if revivals::is_revived(tx, (account, session))? {
        spender.purpose = REVIVED.into();
    }
    let cost = ledger::Cost {
        currency: currency.clone(),
        micros: Some(more),
        basis: if report.is_paid_by_use { Basis::Reported } else { Basis::Subscription },
        price_date: String::new(),
    };
    ledger::add_to_day(tx, &spender, &cost, &Tokens::default(), (report.at_ms, &report.day))
}

/// US dollars that revived sessions spent on a day, without subscriptions.
pub(crate) fn spent_by_revived(tx: &mut Tx<'_>, account: &str, day: &str) -> Result<f64> {
    let spender = Spender { account: account.to_owned(), purpose: REVIVED.into(), ..Spender::default() };
    ledger::spent(tx, &spender, 0, day, Window::Day)
}
