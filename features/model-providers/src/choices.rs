//! The chosen models.

use kit::fault::WRONG_FORMAT;
use kit::json::Patch;
use kit::{Call, CallerSet, Ctx, Method, Op, Result, invalid};
use models::{Choice, Use};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Change, HasDb, Tx};

/// The kind of this in the change log.
const SUBJECT: &str = "models";
/// Maximum characters of a model's name.
pub(crate) const MODEL_MAX: usize = 200;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "models.get",
            Method::Get,
            "/models",
            CallerSet::PERSON,
            "Get the chosen models: the utility model for small questions, and the one for images.",
            get,
        ),
        Op::new(
            "models.set",
            Method::Patch,
            "/models",
            CallerSet::PERSON,
            "Choose the utility model, the model for images, or whether only free models are used.",
            set,
        )
        .example(r#"{"utility": {"providerId": "{modelProviderId}", "model": "M"}}"#),
    ]
}

/// The chosen models.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ModelChoices")]
#[serde(rename_all = "camelCase")]
struct Record {
    /// Answers small questions of features that name no model; null if none is chosen.
    utility: Option<ModelChoice>,
    /// Describes images; null for the utility model.
    vision: Option<ModelChoice>,
    /// Whether only models that cost nothing are used.
    free_only: bool,
}

/// A model of a provider.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ModelChoice {
    provider_id: String,
    /// The model's name at the provider. Empty for an engine's default.
    #[schemars(length(max = MODEL_MAX))]
    model: String,
}

impl From<Choice> for ModelChoice {
    fn from(choice: Choice) -> ModelChoice {
        ModelChoice { provider_id: choice.provider_id, model: choice.model }
    }
}

fn read(tx: &mut Tx<'_>, account: &str) -> Result<Record> {
    Ok(Record {
        utility: models::choice(tx, account, Use::Utility)?.map(Into::into),
        vision: models::choice(tx, account, Use::Vision)?.map(Into::into),
        free_only: models::is_free_only(tx, account)?,
    })
}

/// No input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParams {}

async fn get(ctx: Ctx, call: Call, _: NoParams) -> Result<Record> {
    ctx.db().read(move |tx| read(tx, call.account())).await
}

/// Changes of the chosen models. Members that are left out stay.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ModelChoicesChange")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Set {
    /// Null chooses none.
    #[serde(default)]
    utility: Patch<ModelChoice>,
    /// Null chooses the utility model.
    #[serde(default)]
    vision: Patch<ModelChoice>,
    free_only: Option<bool>,
}

async fn set(ctx: Ctx, call: Call, input: Set) -> Result<Record> {
    let (caller, now_ms) = (call.caller, ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let account = &*caller.account;
        let before = read(tx, account)?;
        for (used_for, choice, at) in
            [(Use::Utility, input.utility, "/utility"), (Use::Vision, input.vision, "/vision")]
        {
            choose(tx, account, used_for, choice, at)?;
        }
        if let Some(is_on) = input.free_only {
            models::set_free_only(tx, account, is_on)?;
        }
        let after = read(tx, account)?;
        let json = |record: &Record| serde_json::to_value(record).unwrap_or_default();
        let (before, now) = (json(&before), json(&after));
        let change =
            Change { subject: SUBJECT, subject_id: account, field: "", before: Some(&before), after: Some(&now) };
        tx.record(&caller, now_ms, change)?;
        Ok(after)
    };
    ctx.db().write(write).await
}

fn choose(tx: &mut Tx<'_>, account: &str, used_for: Use, choice: Patch<ModelChoice>, at: &str) -> Result<()> {
    let choice = match choice {
        Patch::Keep => return Ok(()),
        Patch::Clear => return models::choose(tx, account, used_for, None),
        Patch::Set(choice) => choice,
    };
    let provider = models::provider(tx, account, &choice.provider_id)?;
    let model = choice.model.trim().to_owned();
    if model.is_empty() && !provider.kind.is_engine() {
        return Err(invalid(&format!("{at}/model"), WRONG_FORMAT, "Enter the name of a model."));
    }
    if !model.is_empty() {
        kit::text::expect_text(&model, MODEL_MAX, &format!("{at}/model"))?;
    }
    models::choose(tx, account, used_for, Some(&Choice { provider_id: provider.id, model }))
}
