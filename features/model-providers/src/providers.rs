//! Providers, and their keys.

use crate::errors::{KEY_NOT_STORED, PROVIDER_LIMIT, PROVIDER_NAME_TAKEN};
use kit::fault::{MISSING, WRONG_FORMAT};
use kit::op::Done;
use kit::{Call, CallerSet, Created, Ctx, Method, Op, Page, Part, Result, Secret, invalid, new_id};
use models::{HasModels, Kind, PROVIDERS_MAX, Provider};
use schemars::JsonSchema;
use secrets::Place;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::{Change, HasDb, Tx};

/// The kind of providers in the change log.
const SUBJECT: &str = "modelProvider";
/// Maximum characters of a name.
const NAME_MAX: usize = 60;
/// Maximum characters of an address.
const URL_MAX: usize = 500;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "models.providers.list",
            Method::Get,
            "/models/providers",
            CallerSet::PERSON,
            "List the providers of models. Their keys aren't included.",
            list,
        )
        .columns(&["id", "kind", "name", "url", "hasKey"]),
        Op::new(
            "models.providers.create",
            Method::Post,
            "/models/providers",
            CallerSet::PERSON,
            "Add a provider of models. The first one with a suggested model also becomes the utility model.",
            create,
        )
        .example(r#"{"kind": "ollama"}"#)
        .errors([&PROVIDER_LIMIT, &PROVIDER_NAME_TAKEN, &KEY_NOT_STORED]),
        Op::new(
            "models.providers.get",
            Method::Get,
            "/models/providers/{providerId}",
            CallerSet::PERSON,
            "Get a provider of models, without its key.",
            get,
        )
        .example(r#"{"providerId": "{modelProviderId}"}"#),
        Op::new(
            "models.providers.update",
            Method::Patch,
            "/models/providers/{providerId}",
            CallerSet::PERSON,
            "Change a provider's name, address, or key.",
            update,
        )
        .example(r#"{"providerId": "{modelProviderId}", "name": "N"}"#)
        .errors([&PROVIDER_NAME_TAKEN, &KEY_NOT_STORED]),
        Op::new(
            "models.providers.delete",
            Method::Delete,
            "/models/providers/{providerId}",
            CallerSet::PERSON,
            "Delete a provider and its key. Choices of its models are removed.",
            delete,
        )
        .example(r#"{"providerId": "{goneModelProviderId}"}"#)
        .permanent(),
    ]
}

/// A provider of models.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ModelProvider")]
#[serde(rename_all = "camelCase")]
struct Record {
    id: String,
    kind: Kind,
    /// The kind in words.
    kind_label: String,
    name: String,
    /// The address of its API. Empty for engines.
    url: String,
    has_key: bool,
    /// Where the key is stored: `keychain`, or `file` for a sealed file in the data directory.
    key_place: Option<String>,
    /// A small model to begin with, if one is known.
    suggested_model: Option<String>,
}

impl From<Provider> for Record {
    fn from(provider: Provider) -> Record {
        let model = provider.kind.suggested_model();
        Record {
            id: provider.id,
            kind: provider.kind,
            kind_label: provider.kind.label().into(),
            name: provider.name,
            url: provider.url,
            has_key: provider.key_place.is_some(),
            key_place: provider.key_place.map(|place| place.name().to_owned()),
            suggested_model: Some(model.to_owned()).filter(|model| !model.is_empty()),
        }
    }
}

async fn list(ctx: Ctx, call: Call, part: Part) -> Result<Page<Record>> {
    let account = call.caller.account;
    let all = ctx.db().read(move |tx| models::providers(tx, &account)).await?;
    part.page(all.into_iter().map(Record::from).collect(), |record| (&record.id).into())
}

async fn get(ctx: Ctx, call: Call, input: ProviderId) -> Result<Record> {
    let read = move |tx: &mut Tx<'_>| models::provider(tx, call.account(), &input.provider_id);
    ctx.db().read(read).await.map(Record::from)
}

/// A new provider.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "NewModelProvider")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct New {
    kind: Kind,
    /// Default: the kind in words.
    #[schemars(length(min = 1, max = NAME_MAX))]
    name: Option<String>,
    /// The address of its API, such as `http://127.0.0.1:11434/v1`. Default: the kind's own.
    #[schemars(length(max = URL_MAX))]
    url: Option<String>,
    /// Its API key, if it needs one.
    key: Option<Secret>,
}

async fn create(ctx: Ctx, call: Call, input: New) -> Result<Created<Record>> {
    let url = input.url.as_deref().unwrap_or(input.kind.url());
    let mut provider = Provider {
        id: new_id(),
        kind: input.kind,
        name: name(input.name.as_deref().unwrap_or(input.kind.label()))?,
        url: address(input.kind, url)?,
        key_place: None,
    };
    let account = call.caller.account.clone();
    store_key(&ctx, &account, &mut provider, input.key).await?;
    let (caller, now_ms, new) = (call.caller, ctx.now_ms(), provider.clone());
    let write = move |tx: &mut Tx<'_>| {
        let all = models::providers(tx, &caller.account)?;
        if all.len() >= PROVIDERS_MAX {
            return Err(PROVIDER_LIMIT.error("This account has 50 providers."));
        }
        expect_free_name(&all, &new)?;
        models::insert_provider(tx, &caller.account, &new, now_ms)?;
        let model = new.kind.suggested_model();
        if !model.is_empty() && models::choice(tx, &caller.account, models::Use::Utility)?.is_none() {
            let choice = models::Choice { provider_id: new.id.clone(), model: model.to_owned() };
            models::choose(tx, &caller.account, models::Use::Utility, Some(&choice))?;
        }
        let after = described(&new);
        let change = Change { subject: SUBJECT, subject_id: &new.id, field: "", before: None, after: Some(&after) };
        tx.record(&caller, now_ms, change)
    };
    ctx.db().write(write).await?;
    Ok(Created { location: format!("/models/providers/{}", provider.id), record: provider.into() })
}

/// Changes of a provider.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ModelProviderChange")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Update {
    provider_id: String,
    #[schemars(length(min = 1, max = NAME_MAX))]
    name: Option<String>,
    /// The address of its API.
    #[schemars(length(max = URL_MAX))]
    url: Option<String>,
    /// A new API key.
    key: Option<Secret>,
    /// Deletes the key.
    #[serde(default)]
    remove_key: bool,
}

async fn update(ctx: Ctx, call: Call, input: Update) -> Result<Record> {
    let account = call.caller.account.clone();
    let (owner, id) = (account.clone(), input.provider_id.clone());
    let before = ctx.db().read(move |tx| models::provider(tx, &owner, &id)).await?;
    let mut after = before.clone();
    if let Some(text) = &input.name {
        after.name = name(text)?;
    }
    if let Some(url) = &input.url {
        after.url = address(before.kind, url)?;
    }
    if input.remove_key {
        after.key_place = None;
    }
    store_key(&ctx, &account, &mut after, input.key).await?;
    let (caller, now_ms, new) = (call.caller, ctx.now_ms(), after.clone());
    let old = before.clone();
    let write = move |tx: &mut Tx<'_>| {
        expect_free_name(&models::providers(tx, &caller.account)?, &new)?;
        models::update_provider(tx, &caller.account, &new)?;
        let (before, after) = (described(&old), described(&new));
        let change =
            Change { subject: SUBJECT, subject_id: &new.id, field: "", before: Some(&before), after: Some(&after) };
        tx.record(&caller, now_ms, change)
    };
    ctx.db().write(write).await?;
    if before.key_place.is_some() && after.key_place.is_none() {
        forget_key(&ctx, &account, &before).await;
    }
    Ok(after.into())
}

/// Identifies a provider.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ModelProviderId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ProviderId {
    pub(crate) provider_id: String,
}

async fn delete(ctx: Ctx, call: Call, input: ProviderId) -> Result<Done> {
    let (account, caller, now_ms) = (call.caller.account.clone(), call.caller, ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let provider = models::provider(tx, &caller.account, &input.provider_id)?;
        models::delete_provider(tx, &caller.account, &provider.id)?;
        let before = described(&provider);
        let change =
            Change { subject: SUBJECT, subject_id: &provider.id, field: "", before: Some(&before), after: None };
        tx.record(&caller, now_ms, change)?;
        Ok(provider)
    };
    let provider = ctx.db().write(write).await?;
    forget_key(&ctx, &account, &provider).await;
    Ok(Done)
}

/// A provider in the change log.
fn described(provider: &Provider) -> Value {
    json!({"kind": provider.kind, "name": provider.name, "url": provider.url, "hasKey": provider.key_place.is_some()})
}

fn name(text: &str) -> Result<String> {
    let name = text.trim();
    kit::text::expect_text(name, NAME_MAX, "/name")?;
    Ok(name.to_owned())
}

/// The address of a provider, without a final slash.
fn address(kind: Kind, text: &str) -> Result<String> {
    let url = text.trim().trim_end_matches('/');
    if kind.is_engine() {
        return if url.is_empty() {
            Ok(String::new())
        } else {
            Err(invalid("/url", WRONG_FORMAT, "Engines have no address."))
        };
    }
    if url.is_empty() {
        return Err(invalid("/url", MISSING, "Enter the address of the server, such as http://127.0.0.1:8000/v1."));
    }
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_plain = rest.is_some_and(|rest| {
        !rest.is_empty()
            && !rest.starts_with('/')
            && !rest.contains(['@', '?', '#', ' '])
            && !rest.chars().any(char::is_control)
    });
    if !is_plain || url.len() > URL_MAX {
        let detail = "Enter an address with http:// or https://, without a user name, a query, or a fragment.";
        return Err(invalid("/url", WRONG_FORMAT, detail));
    }
    Ok(url.to_owned())
}

fn expect_free_name(all: &[Provider], new: &Provider) -> Result<()> {
    let is_taken = all.iter().any(|other| other.id != new.id && other.name.eq_ignore_ascii_case(&new.name));
    if is_taken { Err(PROVIDER_NAME_TAKEN.error(format!("{} is taken.", new.name))) } else { Ok(()) }
}

/// Stores a key before the provider that uses it.
async fn store_key(ctx: &Ctx, account: &str, provider: &mut Provider, key: Option<Secret>) -> Result<()> {
    let Some(key) = key else { return Ok(()) };
    key.expect("/key")?;
    if key.reveal().chars().any(|sign| sign.is_control() || !sign.is_ascii()) {
        return Err(invalid("/key", WRONG_FORMAT, "A key is one line of plain characters."));
    }
    let (models, account, slot) = (ctx.models(), account.to_owned(), provider.slot());
    let put = tokio::task::spawn_blocking(move || models.vaults().put(&account, &slot, &key)).await;
    let place: Place =
        put.map_err(|why| KEY_NOT_STORED.error(why.to_string()))?.map_err(|why| KEY_NOT_STORED.error(why.0))?;
    provider.key_place = Some(place);
    Ok(())
}

/// Deletes a key that nothing uses any more. If that fails, it stays in the keychain, where nothing reads it.
async fn forget_key(ctx: &Ctx, account: &str, provider: &Provider) {
    let Some(place) = provider.key_place else { return };
    let (models, account, slot) = (ctx.models(), account.to_owned(), provider.slot());
    let forget = tokio::task::spawn_blocking(move || models.vaults().forget(Some(place), &account, &slot));
    if let Ok(Err(why)) = forget.await {
        tracing::warn!("couldn't delete the key of a deleted model provider: {why}");
    }
}
