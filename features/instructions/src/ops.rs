//! Operations on instruction files.

use crate::disk::{self, Found, Source};
use crate::errors::{INSTRUCTION_FILE_BLOCKED, INSTRUCTION_FILE_CHANGED, INSTRUCTION_SYNC_OFF};
use crate::record::{DiffRecord, FileRecord, HubRecord};
use crate::repository;
use crate::rows::{self, Copy, State};
use crate::settings::{Mirror, agentInstructionsSyncEnabled};
use crate::sync::{Keeper, Wanted, announce, ask_key, blocking, reconcile};
use crate::text::{copy_text, difference, hash};
use kit::lookup::{HubFolder, WorkFolders};
use kit::setting::Choices;
use kit::{Call, CallerSet, Ctx, Method, Op, Page, Part, Result, fault, invalid, not_found};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use std::path::Path;
use store::{Change, HasDb, Tx};

/// Lines of a difference that are sent.
const LINES_MAX: usize = 2_000;

pub(crate) fn ops() -> Vec<Op> {
    let person = CallerSet::PERSON;
    vec![
        Op::new(
            "instructions.list",
            Method::Get,
            "/instruction-files",
            person,
            "List hubs with an instruction file, and the state of each copy.",
            list,
        )
        .columns(&["hub", "source", "problem"])
        .synonyms("agents.md rules sync mirror"),
        Op::new(
            "instructions.diff",
            Method::Get,
            "/instruction-files/{hubId}/diff",
            person,
            "Compare a file of yours with the copy that would replace it.",
            diff,
        )
        .example(r#"{"hubId": "{instructionHubId}", "name": "AGENTS.md"}"#)
        .errors([&INSTRUCTION_FILE_BLOCKED]),
        Op::new(
            "instructions.replace",
            Method::Post,
            "/instruction-files/{hubId}/replace",
            person,
            "Replace your file with a copy. Its text is stored and can be restored.",
            replace,
        )
        .example(r#"{"hubId": "{instructionHubId}", "name": "AGENTS.md"}"#)
        .synonyms("overwrite")
        .errors([&INSTRUCTION_SYNC_OFF, &INSTRUCTION_FILE_CHANGED, &INSTRUCTION_FILE_BLOCKED]),
        Op::new(
            "instructions.keep",
            Method::Post,
            "/instruction-files/{hubId}/keep",
            person,
            "Keep your file instead of a copy.",
            keep,
        )
        .example(r#"{"hubId": "{instructionHubId}", "name": "ALT1.md"}"#),
        Op::new(
            "instructions.restore",
            Method::Post,
            "/instruction-files/{hubId}/restore",
            person,
            "Restore a text that a copy replaced. The file isn't replaced again.",
            restore,
        )
        .example(r#"{"hubId": "{instructionHubId}", "name": ".altrules2", "originalId": "{originalId}"}"#)
        .synonyms("undo revert")
        .errors([&INSTRUCTION_FILE_BLOCKED]),
    ]
}

/// The account's hubs.
async fn hubs(ctx: &Ctx, account: &str) -> Result<Vec<HubFolder>> {
    let Some(folders) = ctx.find_service::<WorkFolders>() else { return Ok(Vec::new()) };
    Ok(folders.0.hubs().await?.into_iter().filter(|hub| hub.account == account).collect())
}

async fn hub(ctx: &Ctx, account: &str, id: &str) -> Result<HubFolder> {
    hubs(ctx, account).await?.into_iter().find(|hub| hub.id == id).ok_or_else(not_found)
}

/// One of the names that copies can have.
fn known(name: &str) -> Result<&'static str> {
    let names: Vec<&str> = Mirror::ALL.iter().map(|choice| choice.value).collect();
    let found = names.iter().find(|known| **known == name).copied();
    found.ok_or_else(|| invalid("/name", fault::NOT_A_CHOICE, format!("Use one of {}.", names.join(", "))))
}

async fn list(ctx: Ctx, call: Call, input: Part) -> Result<Page<HubRecord>> {
    let account = call.account().to_owned();
    let (is_on, wanted) = (ctx.setting(&account, &agentInstructionsSyncEnabled), Wanted::read(&ctx, &account));
    let hubs = hubs(&ctx, &account).await?;
    let (asked, source) = (hubs.clone(), wanted.source);
    let looked = blocking(move || {
        let look = |hub: &HubFolder| {
            let folder = Path::new(&hub.path);
            (folder.is_dir(), folder.join(source).symlink_metadata().is_ok())
        };
        asked.iter().map(look).collect::<Vec<_>>()
    })
    .await?;
    let read = move |tx: &mut Tx<'_>| {
        let problems = rows::problems(tx, &account)?;
        let mut records = Vec::new();
        for (hub, (is_there, has_source)) in hubs.into_iter().zip(looked) {
            let copies = rows::copies(tx, &account, &hub.path)?;
            let originals = rows::originals(tx, &account, &hub.path)?;
            if !has_source && copies.is_empty() && originals.is_empty() {
                continue;
            }
            let copy = |name: &str| copies.iter().find(|copy| copy.name == name);
            let is_listed = |name: &&str| wanted.mirrors.contains(name);
            let is_shown = |name: &&str| {
                is_on && has_source && is_listed(name)
                    || copy(name).is_some()
                    || originals.iter().any(|original| original.name == **name)
            };
            let names = Mirror::ALL.iter().map(|choice| choice.value).filter(is_shown);
            let files = names.map(|name| FileRecord::new(name, is_listed(&name), copy(name), &originals)).collect();
            records.push(HubRecord {
                problem: problems.get(&hub.path).filter(|_| is_on).cloned(),
                hub_id: hub.id,
                hub: hub.name,
                folder: hub.path,
                is_there,
                source: wanted.source.to_owned(),
                has_source,
                files,
            });
        }
        Ok(records)
    };
    let records = ctx.db().read(read).await?;
    input.page(records, |hub| (&hub.hub_id).into())
}

/// Names an instruction file.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "InstructionFileName")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    hub_id: String,
    /// Its path below the hub's folder, such as `AGENTS.md`.
    name: String,
}

/// The file and the copy that would replace it, both as they are now.
async fn both(hub: &HubFolder, wanted: &Wanted, name: &'static str) -> Result<(Found, Option<Vec<u8>>, String)> {
    let (path, source) = (hub.path.clone(), wanted.source);
    blocking(move || {
        let folder = Path::new(&path);
        match disk::read_source(folder, source) {
            Source::Text(text, identity) => {
                let found = disk::inspect(folder, name, Some((source, &identity)));
                (found, Some(copy_text(source, &text)), String::new())
            }
            Source::Missing => (disk::inspect(folder, name, None), None, format!("{source} is missing.")),
            Source::Problem(why) => (disk::inspect(folder, name, None), None, why),
        }
    })
    .await
}

async fn diff(ctx: Ctx, call: Call, input: One) -> Result<DiffRecord> {
    let hub = hub(&ctx, call.account(), &input.hub_id).await?;
    let (name, wanted) = (known(&input.name)?, Wanted::read(&ctx, call.account()));
    let (found, copy, why) = both(&hub, &wanted, name).await?;
    let copy = copy.ok_or_else(|| INSTRUCTION_FILE_BLOCKED.error(why))?;
    let bytes = match found {
        Found::File(bytes) => bytes,
        Found::Missing => Vec::new(),
        Found::Blocked(why) => return Err(INSTRUCTION_FILE_BLOCKED.error(why)),
    };
    blocking(move || {
        let mut lines = difference(&String::from_utf8_lossy(&bytes), &String::from_utf8_lossy(&copy));
        let is_truncated = lines.len() > LINES_MAX;
        lines.truncate(LINES_MAX);
        let version = hash(&bytes);
        DiffRecord { name: name.to_owned(), source: wanted.source.to_owned(), version, lines, is_truncated }
    })
    .await
}

/// Replaces a file of yours.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ReplaceInstructionFile")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Replace {
    hub_id: String,
    /// Its path below the hub's folder, such as `AGENTS.md`.
    name: String,
    /// `version` of the comparison. If the file has another text since, nothing is replaced.
    version: Option<String>,
}

async fn replace(ctx: Ctx, call: Call, input: Replace) -> Result<FileRecord> {
    let hub = hub(&ctx, call.account(), &input.hub_id).await?;
    let (name, wanted) = (known(&input.name)?, Wanted::read(&ctx, call.account()));
    if !ctx.setting(call.account(), &agentInstructionsSyncEnabled) {
        let detail = "The setting agentInstructionsSyncEnabled is off. Turn it on in Settings or with `pilothouse settings set agentInstructionsSyncEnabled on`.";
        return Err(INSTRUCTION_SYNC_OFF.error(detail));
    }
    if !wanted.mirrors.contains(&name) {
        let detail = format!("{name} isn't on the list. Add it to agentInstructionsSyncMirrors first.");
        return Err(invalid("/name", fault::NOT_A_CHOICE, detail));
    }
    let keeper = ctx.service::<Keeper>();
    let _guard = keeper.lock().await;
    let (found, copy, why) = both(&hub, &wanted, name).await?;
    let copy = copy.ok_or_else(|| INSTRUCTION_FILE_BLOCKED.error(why))?;
    let bytes = match found {
        Found::File(bytes) => bytes,
        Found::Missing => Vec::new(),
        Found::Blocked(why) => return Err(INSTRUCTION_FILE_BLOCKED.error(why)),
    };
    let (is, desired) = (hash(&bytes), hash(&copy));
    if input.version.as_ref().is_some_and(|version| *version != is) {
        return Err(INSTRUCTION_FILE_CHANGED.error(format!("{name} changed since. Compare it again, then decide.")));
    }
    let (again, at, now_ms) = (ctx.clone(), hub.clone(), ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let mut copy = stored(tx, &at, name)?;
        let before = copy.state;
        if is != desired && !copy.wrote(&is) && !bytes.is_empty() {
            let text = String::from_utf8_lossy(&bytes);
            rows::store_original(tx, &at.account, &at.path, name, &text, now_ms)?;
        }
        // From now on it's ours to write.
        (copy.state, copy.written_hash, copy.asked_hash) = (State::Pending, is, String::new());
        rows::store(tx, &at.account, &at.path, &copy)?;
        record(tx, &call, now_ms, &at, name, before, State::InStep)?;
        inbox_rows::settle(tx, &again, &at.account, &ask_key(&at.id, name), "Replaced").map(drop)
    };
    ctx.db().write(write).await?;
    reconcile(&ctx, &hub, &wanted).await?;
    let copy = read(&ctx, &hub, name).await?;
    match copy.0.state {
        State::InStep => Ok(FileRecord::new(name, true, Some(&copy.0), &copy.1)),
        _ if copy.0.reason.is_empty() => {
            Err(INSTRUCTION_FILE_CHANGED.error(format!("{name} changed meanwhile. Compare it again, then decide.")))
        }
        _ => Err(INSTRUCTION_FILE_BLOCKED.error(copy.0.reason)),
    }
}

/// The stored copy of this name, or a new one.
fn stored(tx: &mut Tx<'_>, hub: &HubFolder, name: &str) -> Result<Copy> {
    let copies = rows::copies(tx, &hub.account, &hub.path)?;
    Ok(copies.into_iter().find(|copy| copy.name == name).unwrap_or_else(|| Copy::new(name)))
}

async fn read(ctx: &Ctx, hub: &HubFolder, name: &'static str) -> Result<(Copy, Vec<rows::Original>)> {
    let hub = hub.clone();
    let read = move |tx: &mut Tx<'_>| Ok((stored(tx, &hub, name)?, rows::originals(tx, &hub.account, &hub.path)?));
    ctx.db().read(read).await
}

fn record(
    tx: &mut Tx<'_>,
    call: &Call,
    now_ms: i64,
    hub: &HubFolder,
    name: &str,
    before: State,
    after: State,
) -> Result<()> {
    let (before, after) = (json!(before.name()), json!(after.name()));
    let change = Change {
        subject: "instruction-file",
        subject_id: &hub.id,
        field: name,
        before: Some(&before),
        after: Some(&after),
    };
    tx.record(&call.caller, now_ms, change).map(drop)
}

async fn keep(ctx: Ctx, call: Call, input: One) -> Result<FileRecord> {
    let hub = hub(&ctx, call.account(), &input.hub_id).await?;
    let (name, wanted) = (known(&input.name)?, Wanted::read(&ctx, call.account()));
    let keeper = ctx.service::<Keeper>();
    let _guard = keeper.lock().await;
    let (found, desired, _) = both(&hub, &wanted, name).await?;
    let desired = desired.as_deref().map(hash);
    let (again, at, now_ms) = (ctx.clone(), hub.clone(), ctx.now_ms());
    let write = move |tx: &mut Tx<'_>| {
        let mut copy = stored(tx, &at, name)?;
        let before = copy.state;
        // A copy isn't a file of yours.
        if let Found::File(bytes) = &found
            && !copy.wrote(&hash(bytes))
            && desired != Some(hash(bytes))
        {
            (copy.state, copy.changed_ms) = (State::Kept, now_ms);
            copy.reason.clear();
            rows::store(tx, &at.account, &at.path, &copy)?;
        }
        record(tx, &call, now_ms, &at, name, before, copy.state)?;
        announce(tx, &again, &at);
        inbox_rows::settle(tx, &again, &at.account, &ask_key(&at.id, name), "Kept").map(drop)
    };
    ctx.db().write(write).await?;
    let (copy, originals) = read(&ctx, &hub, name).await?;
    Ok(FileRecord::new(name, wanted.mirrors.contains(&name), Some(&copy), &originals))
}

/// Restores a replaced text.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "RestoreInstructionFile")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Restore {
    hub_id: String,
    /// Its path below the hub's folder, such as `AGENTS.md`.
    name: String,
    /// The replaced text. Default: the newest.
    original_id: Option<String>,
}

async fn restore(ctx: Ctx, call: Call, input: Restore) -> Result<FileRecord> {
    let hub = hub(&ctx, call.account(), &input.hub_id).await?;
    let (name, wanted) = (known(&input.name)?, Wanted::read(&ctx, call.account()));
    let keeper = ctx.service::<Keeper>();
    let _guard = keeper.lock().await;
    let at = hub.clone();
    let asked = move |tx: &mut Tx<'_>| {
        let original = rows::original(tx, &at.account, &at.path, name, input.original_id.as_deref())?;
        Ok((original, stored(tx, &at, name)?))
    };
    let ((original_id, content), mut copy) = ctx.db().read(asked).await?;
    let (found, desired, _) = both(&hub, &wanted, name).await?;
    let replaces = match &found {
        Found::Missing => None,
        Found::File(bytes) => Some(hash(bytes)),
        Found::Blocked(why) => return Err(INSTRUCTION_FILE_BLOCKED.error(why.clone())),
    };
    let desired = desired.as_deref().map(hash);
    let is_yours = replaces.as_ref().is_some_and(|is| !copy.wrote(is) && desired.as_ref() != Some(is));
    let (again, at, now_ms, before) = (ctx.clone(), hub.clone(), ctx.now_ms(), copy.state);
    // Stored before it's written, so that the restored text is never taken for a copy.
    (copy.state, copy.asked_hash, copy.changed_ms) = (State::Kept, hash(content.as_bytes()), now_ms);
    copy.reason.clear();
    let mut after = copy.clone();
    let write = move |tx: &mut Tx<'_>| {
        if let (true, Found::File(bytes)) = (is_yours, &found) {
            let text = String::from_utf8_lossy(bytes);
            rows::store_original(tx, &at.account, &at.path, name, &text, now_ms)?;
        }
        rows::store(tx, &at.account, &at.path, &copy)?;
        record(tx, &call, now_ms, &at, name, before, State::Kept)?;
        announce(tx, &again, &at);
        inbox_rows::settle(tx, &again, &at.account, &ask_key(&at.id, name), "Restored").map(drop)
    };
    ctx.db().write(write).await?;
    let (path, bytes) = (hub.path.clone(), content.into_bytes());
    let written = blocking(move || disk::write(Path::new(&path), name, &bytes, replaces.as_deref())).await?;
    written.map_err(|why| INSTRUCTION_FILE_BLOCKED.error(format!("Couldn't write {name}: {why}.")))?;
    repository::unhide(&ctx, &hub.account, Path::new(&hub.path), &mut after).await?;
    (after.written_hash, after.pending_hash) = (String::new(), String::new());
    let at = hub.clone();
    let is_listed = wanted.mirrors.contains(&name);
    let finish = move |tx: &mut Tx<'_>| {
        rows::delete_original(tx, &at.account, &original_id)?;
        // What isn't on the list has no copy, and is only yours again.
        match is_listed {
            true => rows::store(tx, &at.account, &at.path, &after),
            false => rows::delete(tx, &at.account, &at.path, name),
        }
    };
    ctx.db().write(finish).await?;
    let (copy, originals) = read(&ctx, &hub, name).await?;
    Ok(FileRecord::new(name, is_listed, Some(&copy), &originals))
}
