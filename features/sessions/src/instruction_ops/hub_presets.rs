//! A hub's own versions of instruction presets, and the operations that show and change them.
//!
//! Invariant: a text that is rejected leaves the stored one as it is.

use crate::instructions::hub_texts::edited;
use crate::instructions::presets::{PRESETS, Preset};
use crate::instructions::{Edited, tokens};
use crate::{fault, hubs};
use kit::error::NOT_FOUND;
use kit::text::{CURSOR, expect_text, is_unseen};
use kit::{Call, CallerSet, Ctx, Method, Op, Page, Part, Result, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Change, HasDb, Tx, params};

/// Maximum characters of a preset's text: those of your own instructions.
const PRESET_CHARS_MAX: usize = 10_000;
/// For schemas: no control characters but line ends and tabs.
const PRESET_TEXT: &str = r"^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$";

pub(super) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "hubs.instructions.list",
            Method::Get,
            "/hubs/{hubId}/instructions",
            CallerSet::PERSON,
            "List the instruction presets of a hub's sessions.",
            list,
        )
        .example(r#"{"hubId": "{hubId}"}"#)
        .columns(&["preset", "name", "isEdited", "tokens", "setting"]),
        Op::new(
            "hubs.instructions.get",
            Method::Get,
            "/hubs/{hubId}/instructions/{preset}",
            CallerSet::PERSON,
            "Get an instruction preset of a hub.",
            get,
        )
        .example(r#"{"hubId": "{hubId}", "preset": "persona"}"#),
        Op::new(
            "hubs.instructions.set",
            Method::Put,
            "/hubs/{hubId}/instructions/{preset}",
            CallerSet::PERSON,
            "Replace an instruction preset in a hub. New sessions get your text; an empty one leaves the preset out.",
            set,
        )
        .example(r#"{"hubId": "{hubId}", "preset": "persona", "text": "Be brief."}"#),
        Op::new(
            "hubs.instructions.reset",
            Method::Delete,
            "/hubs/{hubId}/instructions/{preset}",
            CallerSet::PERSON,
            "Reset an instruction preset of a hub to the default text.",
            reset,
        )
        .example(r#"{"hubId": "{hubId}", "preset": "cloud-safety"}"#),
    ]
}

/// An instruction preset in a hub.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InstructionPreset")]
#[serde(rename_all = "camelCase")]
struct Record {
    preset: &'static str,
    name: &'static str,
    /// The setting that adds it to sessions.
    setting: &'static str,
    /// Whether the hub has its own text.
    is_edited: bool,
    /// The text that new sessions of the hub get.
    text: String,
    /// The text without the hub's changes.
    default_text: &'static str,
    /// Approximate number of tokens.
    tokens: i64,
}

fn record(preset: &Preset, edited: &Edited) -> Record {
    let own = edited.get(preset.id);
    let text = own.map_or(preset.text, String::as_str);
    Record {
        preset: preset.id,
        name: preset.name,
        setting: preset.group.setting(),
        is_edited: own.is_some(),
        text: text.to_owned(),
        default_text: preset.text,
        tokens: tokens(text.trim()),
    }
}

/// A page of a hub's instruction presets.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    hub_id: String,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: 10000.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<Record>> {
    let read = move |tx: &mut Tx<'_>| {
        let hub = hubs::one(tx, call.account(), &input.hub_id)?;
        let edited = edited(tx, call.account(), &hub.id)?;
        let all = PRESETS.iter().map(|preset| record(preset, &edited)).collect();
        Part { cursor: input.cursor, limit: input.limit }.page(all, |one: &Record| one.preset.into())
    };
    ctx.db().read(read).await
}

/// Identifies an instruction preset in a hub.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PresetKey {
    hub_id: String,
    /// One of `hubs.instructions.list`.
    preset: String,
}

fn known(id: &str) -> Result<&'static Preset> {
    PRESETS.iter().find(|preset| preset.id == id).ok_or_else(|| {
        let all: Vec<&str> = PRESETS.iter().map(|preset| preset.id).collect();
        NOT_FOUND.error(format!("Preset not found. Available: {}.", all.join(", ")))
    })
}

async fn get(ctx: Ctx, call: Call, input: PresetKey) -> Result<Record> {
    let read = move |tx: &mut Tx<'_>| {
        let hub = hubs::one(tx, call.account(), &input.hub_id)?;
        Ok(record(known(&input.preset)?, &edited(tx, call.account(), &hub.id)?))
    };
    ctx.db().read(read).await
}

/// A hub's text for a preset.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Set {
    hub_id: String,
    /// One of `hubs.instructions.list`.
    preset: String,
    /// UTF-8, up to 10,000 characters. Empty leaves the preset out.
    #[schemars(length(max = PRESET_CHARS_MAX), regex(pattern = PRESET_TEXT))]
    text: String,
}

async fn set(ctx: Ctx, call: Call, input: Set) -> Result<Record> {
    let count = input.text.chars().count();
    if count > PRESET_CHARS_MAX {
        let detail = format!("text has {count} characters. Use up to {PRESET_CHARS_MAX}.");
        return Err(invalid("/text", fault::WRONG_LENGTH, detail));
    }
    let is_empty = input.text.chars().all(is_unseen);
    if !is_empty {
        expect_text(&input.text, PRESET_CHARS_MAX, "/text")?;
    }
    let text = if is_empty { String::new() } else { input.text };
    change(&ctx, call, (input.hub_id, input.preset), Some(text)).await
}

async fn reset(ctx: Ctx, call: Call, input: PresetKey) -> Result<Record> {
    change(&ctx, call, (input.hub_id, input.preset), None).await
}

/// Stores a hub's text, or deletes it, and records that.
async fn change(ctx: &Ctx, call: Call, (hub, id): (String, String), text: Option<String>) -> Result<Record> {
    let now_ms = ctx.now_ms();
    let write = move |tx: &mut Tx<'_>| {
        let account = call.account();
        let hub = hubs::one(tx, account, &hub)?.id;
        let preset = known(&id)?;
        let mut edited = edited(tx, account, &hub)?;
        if edited.get(preset.id) == text.as_ref() {
            return Ok(record(preset, &edited));
        }
        match &text {
            Some(text) => {
                let sql = "INSERT INTO hub_presets (account_id, hub_id, preset, text, changed_ms) \
                           VALUES ($1, $2, $3, $4, $5) ON CONFLICT (account_id, hub_id, preset) \
                           DO UPDATE SET text = excluded.text, changed_ms = excluded.changed_ms";
                tx.execute(sql, params![account, &hub, preset.id, text, now_ms])?;
            }
            None => {
                let sql = "DELETE FROM hub_presets WHERE account_id = $1 AND hub_id = $2 AND preset = $3";
                tx.execute(sql, params![account, &hub, preset.id])?;
            }
        }
        // The change log has no room for whole texts.
        let about = json!({"name": preset.name});
        let (before, after) = (edited.contains_key(preset.id), text.is_some());
        let change = Change {
            subject: "instruction-preset",
            subject_id: &hub,
            field: "",
            before: before.then_some(&about),
            after: after.then_some(&about),
        };
        tx.record(&call.caller, now_ms, change)?;
        match text {
            Some(text) => edited.insert(preset.id.to_owned(), text),
            None => edited.remove(preset.id),
        };
        Ok(record(preset, &edited))
    };
    ctx.db().write(write).await
}
