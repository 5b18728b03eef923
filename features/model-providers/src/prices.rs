//! Your own prices of models.

use crate::choices::MODEL_MAX;
use kit::clock::day_of;
use kit::error::NOT_FOUND;
use kit::fault::OUT_OF_RANGE;
use kit::op::Done;
use kit::{Call, CallerSet, Ctx, Method, Op, Page, Part, Result, invalid};
use models::Price;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Change, HasDb, Tx};

/// The kind of prices in the change log.
const SUBJECT: &str = "modelPrice";
/// The highest price of a million tokens, in US dollars.
const PRICE_MAX: f64 = 10_000.0;
/// Maximum prices of an account.
const PRICES_MAX: usize = 1_000;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "models.prices.list",
            Method::Get,
            "/models/prices",
            CallerSet::PERSON,
            "List the prices that you set. Other models have the built-in price, if it's known.",
            list,
        )
        .columns(&["model", "input", "output", "day"]),
        Op::new(
            "models.prices.set",
            Method::Put,
            "/models/prices",
            CallerSet::PERSON,
            "Set a model's price in US dollars for a million tokens. It wins over the built-in price.",
            set,
        )
        .example(r#"{"model": "M", "input": 0.25, "output": 2}"#),
        Op::new(
            "models.prices.remove",
            Method::Delete,
            "/models/prices",
            CallerSet::PERSON,
            "Remove a price that you set.",
            remove,
        )
        .example(r#"{"model": "M"}"#),
    ]
}

/// A model's price.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ModelPrice")]
struct Record {
    model: String,
    /// US dollars for a million input tokens.
    input: f64,
    /// US dollars for a million output tokens.
    output: f64,
    /// The day on which it was set.
    day: String,
}

async fn list(ctx: Ctx, call: Call, part: Part) -> Result<Page<Record>> {
    let all = ctx.db().read(move |tx| models::price_list(tx, call.account())).await?;
    let record = |(model, price, day): (String, Price, String)| Record {
        model,
        input: ledger::amount(price.input),
        output: ledger::amount(price.output),
        day,
    };
    part.page(all.into_iter().map(record).collect(), |record| (&record.model).into())
}

/// A model's price.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ModelPriceParams")]
#[serde(deny_unknown_fields)]
struct Params {
    #[schemars(length(min = 1, max = MODEL_MAX))]
    model: String,
    /// US dollars for a million input tokens.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    input: f64,
    /// US dollars for a million output tokens.
    #[schemars(range(min = 0, max = PRICE_MAX))]
    output: f64,
}

async fn set(ctx: Ctx, call: Call, input: Params) -> Result<Record> {
    kit::text::expect_text(&input.model, MODEL_MAX, "/model")?;
    for (price, at) in [(input.input, "/input"), (input.output, "/output")] {
        if !(0.0..=PRICE_MAX).contains(&price) {
            return Err(invalid(at, OUT_OF_RANGE, "A price is from 0 to 10,000 US dollars for a million tokens."));
        }
    }
    let price = Price {
        input: ledger::micros(input.input),
        output: ledger::micros(input.output),
        cache_read: None,
        cache_write: None,
        images: false,
    };
    let (caller, now_ms) = (call.caller, ctx.now_ms());
    let day = day_of(now_ms, &ctx.home_zone()).to_string();
    let record = Record { model: input.model.clone(), input: input.input, output: input.output, day: day.clone() };
    let write = move |tx: &mut Tx<'_>| {
        let all = models::price_list(tx, &caller.account)?;
        let before = all.iter().find(|(model, ..)| *model == input.model).map(|(_, price, _)| described(price));
        if before.is_none() && all.len() >= PRICES_MAX {
            return Err(invalid("/model", OUT_OF_RANGE, "An account has at most 1,000 prices. Remove one first."));
        }
        models::set_price(tx, &caller.account, &input.model, &price, &day)?;
        let after = described(&price);
        let change = Change {
            subject: SUBJECT,
            subject_id: &input.model,
            field: "",
            before: before.as_ref(),
            after: Some(&after),
        };
        tx.record(&caller, now_ms, change)
    };
    ctx.db().write(write).await?;
    Ok(record)
}

/// A price in the change log.
fn described(price: &Price) -> serde_json::Value {
    json!({"input": ledger::amount(price.input), "output": ledger::amount(price.output)})
}

/// Names a model.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ModelName")]
#[serde(deny_unknown_fields)]
struct ModelName {
    #[schemars(length(min = 1, max = MODEL_MAX))]
    model: String,
}

async fn remove(ctx: Ctx, call: Call, input: ModelName) -> Result<Done> {
    let (caller, now_ms) = (call.caller, ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let all = models::price_list(tx, &caller.account)?;
        let before = all.iter().find(|(model, ..)| *model == input.model).map(|(_, price, _)| described(price));
        if !models::remove_price(tx, &caller.account, &input.model)? {
            return Err(
                NOT_FOUND.error("You set no price for this model. List them with `pilothouse models prices list`.")
            );
        }
        let change =
            Change { subject: SUBJECT, subject_id: &input.model, field: "", before: before.as_ref(), after: None };
        tx.record(&caller, now_ms, change)
    };
    ctx.db().write(write).await?;
    Ok(Done)
}
