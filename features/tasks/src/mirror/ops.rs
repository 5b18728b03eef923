//! What is known of each hub's tasks.md, and decisions about held changes.

use super::{Decision, HELD, Mirror, SYNCED, decide, disk, load};
use crate::errors::TASKS_DISABLED;
use crate::settings::tasksEnabled;
use kit::lookup::{HubFolder, WorkFolders};
use kit::{Call, CallerSet, Ctx, Method, Op, Page, Part, Result, not_found, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::HasDb;

pub(crate) fn ops() -> Vec<Op> {
    let own = |op: Op| op.switch(&tasksEnabled, &TASKS_DISABLED);
    [
        Op::new(
            "tasks.files.list",
            Method::Get,
            "/tasks/files",
            CallerSet::PERSON,
            "List each hub's tasks.md and whether it's in sync.",
            list,
        )
        .columns(&["hubId", "hub", "state", "detail", "removes", "path"]),
        Op::new(
            "tasks.files.accept",
            Method::Post,
            "/tasks/files/{hubId}/accept",
            CallerSet::PERSON,
            "Accept a held change of a tasks.md: delete the tasks that it lacks. They can be restored for 30 days. Does nothing if no change is held.",
            accept,
        )
        .example(r#"{"hubId": "{hubId}"}"#),
        Op::new(
            "tasks.files.keep",
            Method::Post,
            "/tasks/files/{hubId}/keep",
            CallerSet::PERSON,
            "Keep the tasks that a held change of a tasks.md would delete, and write them into the file again. Does nothing if no change is held.",
            keep,
        )
        .example(r#"{"hubId": "{hubId}"}"#),
    ]
    .map(own)
    .into()
}

/// A hub's tasks.md.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TaskFile")]
#[serde(rename_all = "camelCase")]
struct Record {
    hub_id: String,
    /// The hub's name.
    hub: String,
    path: String,
    /// `synced`; `held` if a change waits for your decision; `problem` if the file can't be used.
    state: String,
    /// Why; empty if it's synced.
    detail: String,
    /// Tasks that a held change would delete.
    removes: i64,
    /// When the file and the tasks were the same last; RFC 3339 in UTC.
    synced_at: Option<String>,
}

async fn hubs(ctx: &Ctx, account: &str) -> Result<Vec<HubFolder>> {
    let Some(folders) = ctx.find_service::<WorkFolders>() else { return Ok(Vec::new()) };
    Ok(folders.0.hubs().await?.into_iter().filter(|hub| hub.account == account).collect())
}

async fn list(ctx: Ctx, call: Call, part: Part) -> Result<Page<Record>> {
    let hubs = hubs(&ctx, call.account()).await?;
    let read = move |tx: &mut store::Tx<'_>| {
        let mut items = Vec::new();
        for hub in hubs {
            if let Some(mirror) = load(tx, &hub.account, &hub.id)? {
                items.push(record(hub, mirror));
            }
        }
        part.page(items, |file| (&file.hub_id).into())
    };
    ctx.db().read(read).await
}

fn record(hub: HubFolder, mirror: Mirror) -> Record {
    Record {
        path: std::path::Path::new(&hub.path).join(disk::NAME).display().to_string(),
        hub_id: hub.id,
        hub: hub.name,
        state: mirror.state,
        detail: mirror.detail,
        removes: mirror.removes,
        synced_at: (mirror.synced_ms > 0).then(|| rfc3339(mirror.synced_ms)),
    }
}

/// Names a hub.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "TaskFileParams")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    hub_id: String,
}

async fn accept(ctx: Ctx, call: Call, input: One) -> Result<Record> {
    decided(ctx, call, input, Decision::Accept).await
}

async fn keep(ctx: Ctx, call: Call, input: One) -> Result<Record> {
    decided(ctx, call, input, Decision::Keep).await
}

async fn decided(ctx: Ctx, call: Call, input: One, decision: Decision) -> Result<Record> {
    let hub = hubs(&ctx, call.account()).await?.into_iter().find(|hub| hub.id == input.hub_id);
    let hub = hub.ok_or_else(not_found)?;
    let mirror = |ctx: &Ctx, hub: &HubFolder| {
        let (db, account, id) = (ctx.db(), hub.account.clone(), hub.id.clone());
        async move { db.read(move |tx| load(tx, &account, &id)).await }
    };
    // Somebody may have decided already: then there is nothing to do.
    if mirror(&ctx, &hub).await?.is_some_and(|mirror| mirror.state == HELD) {
        decide(&ctx, &hub, decision).await?;
    }
    let none = Mirror { state: SYNCED.into(), ..Mirror::default() };
    let after = mirror(&ctx, &hub).await?.unwrap_or(none);
    Ok(record(hub, after))
}
