//! What was spent.

use kit::clock::day_of;
use kit::days::{self, DAY};
use kit::lookup::{WorkNames, WorkTitles};
use kit::{Call, CallerSet, Catalog, Ctx, Method, Op, Result};
use ledger::Total;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use store::HasDb;

/// Default number of days before the last one.
const DAYS: i32 = 29;
/// Maximum rows in an answer.
const ROWS_MAX: i64 = 10_000;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "usage.get",
            Method::Get,
            "/usage",
            CallerSet::PERSON,
            "Get spending by local day, purpose, hub, session, and model.",
            get,
        )
        .example(r#"{"from": "2026-03-01", "to": "2026-03-02"}"#),
    ]
}

/// A range of days.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "UsageParams")]
#[serde(deny_unknown_fields)]
struct Params {
    /// The first local day, such as `2026-03-01`. Default: 29 days before the last.
    #[schemars(regex(pattern = DAY))]
    from: Option<String>,
    /// The last local day, inclusive. Default: today.
    #[schemars(regex(pattern = DAY))]
    to: Option<String>,
}

/// What was spent.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Usage")]
struct Usage {
    /// The first day.
    from: String,
    /// The last day.
    to: String,
    /// Newest day first.
    rows: Vec<UsageRow>,
    /// Totals of all rows, per currency.
    sums: Vec<UsageSum>,
    /// False if there were too many rows: request fewer days.
    complete: bool,
}

/// What was spent for one purpose on one day, at one provider's model.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UsageRow {
    /// The local day.
    day: String,
    /// What for: `session`, `revived`, or a purpose of questions to models.
    purpose: String,
    purpose_label: String,
    hub_id: Option<String>,
    hub_name: Option<String>,
    session_id: Option<String>,
    session_title: Option<String>,
    /// The engine or provider.
    provider: String,
    model: Option<String>,
    /// Questions asked; 1 for a session.
    calls: i64,
    /// How many of them have no known outcome. Their amounts are upper bounds.
    unknown: i64,
    input_tokens: i64,
    output_tokens: i64,
    cache_read_tokens: i64,
    cache_write_tokens: i64,
    /// ISO 4217.
    currency: String,
    /// Null if the price isn't known.
    amount: Option<f64>,
    /// How it's known: `reported`, `priced`, `subscription` (then it's what it would have cost), `local`, or `unpriced`.
    basis: String,
    /// The day of the price list, if it's `priced`.
    price_date: Option<String>,
}

/// A total in one currency.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UsageSum {
    /// ISO 4217.
    currency: String,
    /// The pay-per-use part.
    paid: f64,
    /// What a subscription covers, at pay-per-use prices.
    subscription: f64,
    /// Questions and sessions whose price isn't known. They aren't in the amounts.
    unpriced: i64,
}

async fn get(ctx: Ctx, call: Call, input: Params) -> Result<Usage> {
    let account = call.caller.account;
    let today = day_of(ctx.now_ms(), &ctx.home_zone());
    let (from, to) = days::range(input.from.as_deref(), input.to.as_deref(), today, DAYS)?;
    let (days, owner) = ((from.clone(), to.clone()), account.clone());
    let read = move |tx: &mut store::Tx<'_>| ledger::totals(tx, &owner, (&days.0, &days.1), ROWS_MAX + 1);
    let mut totals = ctx.db().read(read).await?;
    let complete = totals.len() as i64 <= ROWS_MAX;
    totals.truncate(ROWS_MAX as usize);
    let titles = titles(&ctx, &account, &totals).await?;
    let sums = sums(&totals);
    let labels = ctx.service::<Catalog>();
    let rows = totals.into_iter().map(|total| row(total, &titles, &labels)).collect();
    Ok(Usage { from, to, rows, sums, complete })
}

/// The names of the sessions and hubs in these rows.
async fn titles(ctx: &Ctx, account: &str, totals: &[Total]) -> Result<WorkTitles> {
    let Some(names) = ctx.find_service::<WorkNames>() else { return Ok(WorkTitles::default()) };
    let ids = |part: fn(&Total) -> &String| {
        let ids: BTreeSet<String> = totals.iter().map(part).filter(|id| !id.is_empty()).cloned().collect();
        ids.into_iter().collect()
    };
    names.0.titles(account, ids(|total| &total.spender.session), ids(|total| &total.spender.hub)).await
}

fn row(total: Total, titles: &WorkTitles, catalog: &Catalog) -> UsageRow {
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    let spender = total.spender;
    let label = catalog.purposes.iter().find(|purpose| purpose.name == spender.purpose).map(|purpose| purpose.label);
    UsageRow {
        day: total.day,
        purpose_label: label.unwrap_or(&spender.purpose).to_owned(),
        purpose: spender.purpose,
        hub_name: titles.hubs.get(&spender.hub).cloned(),
        hub_id: some(spender.hub),
        session_title: titles.sessions.get(&spender.session).cloned(),
        session_id: some(spender.session),
        provider: spender.provider,
        model: some(spender.model),
        calls: total.entries,
        unknown: total.unknown,
        input_tokens: total.tokens.input,
        output_tokens: total.tokens.output,
        cache_read_tokens: total.tokens.cache_read,
        cache_write_tokens: total.tokens.cache_write,
        currency: total.cost.currency,
        amount: total.cost.micros.map(ledger::amount),
        basis: total.cost.basis.name().to_owned(),
        price_date: some(total.cost.price_date),
    }
}

fn sums(totals: &[Total]) -> Vec<UsageSum> {
    let mut sums: BTreeMap<&str, UsageSum> = BTreeMap::new();
    for total in totals {
        let currency = &*total.cost.currency;
        let sum = sums.entry(currency).or_insert_with(|| UsageSum { currency: currency.into(), ..UsageSum::default() });
        let amount = total.cost.micros.map_or(0.0, ledger::amount);
        match total.cost.basis {
            ledger::Basis::Subscription => sum.subscription += amount,
            ledger::Basis::Unpriced => sum.unpriced += total.entries,
            _ => sum.paid += amount,
        }
    }
    sums.into_values().collect()
}
