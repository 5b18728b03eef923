//! Trying a provider: the models that it has, and a test question.

use crate::TEST;
use crate::choices::MODEL_MAX;
use crate::errors::MODEL_FAILED;
use crate::providers::ProviderId;
use kit::{Call, CallerSet, Ctx, Method, Op, Result};
use models::{AskError, HasModels, Question};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::{Duration, Instant};

/// Time for the answer of a test.
const TEST_TIME: Duration = Duration::from_secs(30);

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "models.available",
            Method::Get,
            "/models/providers/{providerId}/models",
            CallerSet::PERSON,
            "List the names of a provider's models. Asks the provider.",
            available,
        )
        .example(r#"{"providerId": "{modelProviderId}"}"#)
        .errors([&MODEL_FAILED]),
        Op::new(
            "models.test",
            Method::Post,
            "/models/providers/{providerId}/test",
            CallerSet::PERSON,
            "Ask a model a short test question. Its cost counts toward usage.",
            test,
        )
        .example(r#"{"providerId": "{modelProviderId}", "model": "M"}"#)
        .errors([&MODEL_FAILED]),
    ]
}

/// A failure as an error of an operation.
fn failed(why: AskError) -> kit::Error {
    MODEL_FAILED.error(why.to_string())
}

/// Models of a provider.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AvailableModels")]
struct Available {
    /// Their names, sorted.
    models: Vec<String>,
}

async fn available(ctx: Ctx, call: Call, input: ProviderId) -> Result<Available> {
    let account = call.caller.account;
    ctx.models().expect_provider(&ctx, &account, &input.provider_id).await?;
    let models = ctx.models().list(&ctx, &account, &input.provider_id).await.map_err(failed)?;
    Ok(Available { models })
}

/// The model to test.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ModelTestParams")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Params {
    provider_id: String,
    /// The model's name at the provider. Empty for an engine's default.
    #[schemars(length(max = MODEL_MAX))]
    model: String,
}

/// The outcome of a test.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ModelTest")]
struct Outcome {
    /// The model that answered.
    model: String,
    /// Its answer.
    answer: String,
    /// Time that it took.
    milliseconds: i64,
}

async fn test(ctx: Ctx, call: Call, input: Params) -> Result<Outcome> {
    let account = call.caller.account;
    ctx.models().expect_provider(&ctx, &account, &input.provider_id).await?;
    let question = Question {
        account: account.to_string(),
        purpose: &TEST,
        hub: String::new(),
        session: String::new(),
        task: "Say hello in one short sentence.".into(),
        material: String::new(),
        image: None,
        schema: json!({
            "type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"],
            "additionalProperties": false
        }),
        output_tokens: 256,
        model: input.model.trim().to_owned(),
        cap: None,
        time: TEST_TIME,
    };
    let begun = Instant::now();
    let answer = ctx.models().ask_provider(&ctx, &input.provider_id, &question).await.map_err(failed)?;
    let milliseconds = i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX);
    let text = answer.value["answer"].as_str().unwrap_or_default();
    let text = text[..text.floor_char_boundary(200)].to_owned();
    Ok(Outcome { model: answer.model, answer: text, milliseconds })
}
