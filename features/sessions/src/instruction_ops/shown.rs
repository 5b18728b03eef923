//! Shows the instructions that a session started with.

use crate::instructions::{BlockSource, stored, tokens};
use crate::ops::SessionId;
use crate::records;
use crate::service::Sessions;
use kit::{Call, CallerSet, Ctx, Method, Op, Result, rfc3339};
use schemars::JsonSchema;
use serde::Serialize;
use store::{HasDb, Tx};

pub(super) fn op() -> Op {
    Op::new(
        "sessions.instructions",
        Method::Get,
        "/sessions/{sessionId}/instructions",
        CallerSet::PERSON,
        "Show the instructions that a session started with, block by block. They stay the same while it exists.",
        instructions,
    )
    .example(r#"{"sessionId": "{sessionId}"}"#)
    .synonyms("system prompt presets told")
}

/// A block of a session's instructions.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "InstructionBlock")]
#[serde(rename_all = "camelCase")]
struct ShownBlock {
    id: String,
    name: String,
    /// The setting that added it.
    setting: String,
    source: BlockSource,
    /// The exact text.
    text: String,
    /// Approximate number of tokens.
    tokens: i64,
}

/// The instructions that a session started with.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SessionInstructions")]
#[serde(rename_all = "camelCase")]
struct Shown {
    /// In order. The agent got their texts with an empty line between them.
    blocks: Vec<ShownBlock>,
    /// Approximate number of tokens of all blocks.
    tokens: i64,
    /// What each message ends with under the current settings; null if nothing is added.
    each_message: Option<String>,
    /// When they were composed, as RFC 3339 in UTC; null if the session hasn't started, or was started by an older version.
    composed_at: Option<String>,
}

async fn instructions(ctx: Ctx, call: Call, input: SessionId) -> Result<Shown> {
    let account = call.caller.account.clone();
    let read = move |tx: &mut Tx<'_>| {
        let record = records::one(tx, &account, &input.session_id)?;
        Ok((stored(tx, &account, &record.id)?, record.hub_id))
    };
    let (start, hub) = ctx.db().read(read).await?;
    let each_message = ctx.service::<Sessions>().common.reminders(call.account(), &hub).await;
    let composed_at = start.as_ref().map(|start| rfc3339(start.at_ms));
    let start = start.unwrap_or_default();
    let total = tokens(&start.instructions());
    let blocks = start.blocks.into_iter().map(|block| ShownBlock {
        tokens: tokens(&block.text),
        id: block.id,
        name: block.name,
        setting: block.setting,
        source: block.source,
        text: block.text,
    });
    Ok(Shown { blocks: blocks.collect(), tokens: total, each_message, composed_at })
}
