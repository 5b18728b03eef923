//! Hubs: the folders and repositories in which sessions run.
//!
//! Invariant: a folder is one hub, whatever links point to it; removing a hub changes no file.

use crate::folders::{Repository, expanded};
use crate::service::Sessions;
use crate::settings::askAppEnabled;
use crate::tutor::TUTOR;
use crate::{errors, fault};
use engines::Tier;
use kit::error::{CONFLICT, NOT_FOUND};
use kit::lookup::{FindHub, HubFolder, Lookup};
use kit::text::{NAME, expect_name};
use kit::{
    Call, Caller, CallerSet, Created, Ctx, DataDir, Done, Kind, Method, Op, Page, Part, Result, invalid, new_id,
    rfc3339,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashMap;
use std::path::Path;
use store::{Change, Db, HasDb, Row, Tx, params};

/// Maximum characters of a hub's name.
const NAME_CHARS_MAX: usize = 100;
/// Maximum characters of a folder's path.
const FOLDER_CHARS_MAX: usize = 4_000;
/// Maximum hubs of an account.
const HUBS_MAX: i64 = 1_000;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "hubs.list",
            Method::Get,
            "/hubs",
            CallerSet::PERSON_AND_AGENTS,
            "List hubs: the folders and repositories in which sessions run.",
            list,
        )
        .scope("sessions:read")
        .columns(&["id", "name", "folder"]),
        Op::new("hubs.get", Method::Get, "/hubs/{hubId}", CallerSet::PERSON_AND_AGENTS, "Get a hub.", get)
            .example(r#"{"hubId": "{hubId}"}"#)
            .scope("sessions:read"),
        Op::new(
            "hubs.create",
            Method::Post,
            "/hubs",
            CallerSet::PERSON,
            "Add an existing folder as a hub. The default name is the folder's.",
            create,
        )
        .example(r#"{"folder": "/"}"#)
        .errors([&errors::HUB_FOLDER]),
        Op::new(
            "hubs.update",
            Method::Patch,
            "/hubs/{hubId}",
            CallerSet::PERSON,
            "Rename a hub, or change its folder.",
            update,
        )
        .example(r#"{"hubId": "{hubId}", "name": "N"}"#)
        .errors([&errors::HUB_FOLDER]),
        Op::new(
            "hubs.delete",
            Method::Delete,
            "/hubs/{hubId}",
            CallerSet::PERSON,
            "Remove a hub. Its folder isn't changed.",
            delete,
        )
        .example(r#"{"hubId": "{goneHubId}"}"#),
    ]
}

/// A folder in which sessions run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Hub {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Its absolute path, with links followed.
    pub(crate) folder: String,
    /// `ask` for the hub of sessions without a folder of yours, `tutor` for the one that answers questions about
    /// Pilothouse; empty for all others.
    pub(crate) purpose: String,
    /// Whether the folder exists.
    pub(crate) is_there: bool,
    /// Whether it's the top of a git repository, so sessions can have worktrees.
    pub(crate) is_repository: bool,
    /// Whether the repository has commits. Without one, sessions can't have worktrees.
    pub(crate) has_commits: bool,
    /// Number of its sessions, including archived ones. Null for agents, which don't see all.
    pub(crate) session_count: Option<i64>,
    /// Its newest session; null if there are none, and for agents. IDs sort by time.
    pub(crate) last_session_id: Option<String>,
    /// RFC 3339 in UTC.
    pub(crate) created_at: String,
}

const HUBS: &str = "SELECT hub_id, name, folder, created_ms, purpose FROM hubs WHERE account_id = $1";

fn hub(row: &dyn Row) -> Result<Hub> {
    Ok(Hub {
        id: row.get(0)?,
        name: row.get(1)?,
        folder: row.get(2)?,
        is_there: false,
        is_repository: false,
        has_commits: false,
        session_count: None,
        last_session_id: None,
        created_at: rfc3339(row.get(3)?),
        purpose: row.get(4)?,
    })
}

/// The hubs of all accounts that have a folder of the user's.
pub(crate) fn all_folders(tx: &mut Tx<'_>) -> Result<Vec<HubFolder>> {
    let sql = "SELECT account_id, hub_id, name, folder FROM hubs WHERE account_id <> '' AND purpose = '' ORDER BY account_id, hub_id";
    tx.query(sql, &[], |row| {
        Ok(HubFolder { account: row.get(0)?, id: row.get(1)?, name: row.get(2)?, path: row.get(3)? })
    })
}

/// Checks whether the folders exist. Outside the database's thread: a disk may be slow or remote.
async fn looked_at(mut hubs: Vec<Hub>) -> Result<Vec<Hub>> {
    let look = move || {
        for hub in &mut hubs {
            hub.is_there = Path::new(&hub.folder).is_dir();
            let git = Repository::at(Path::new(&hub.folder));
            (hub.is_repository, hub.has_commits) = (git.is_there, git.has_commits);
        }
        hubs
    };
    let looked = tokio::task::spawn_blocking(look).await;
    looked.map_err(|fault| kit::error::INTERNAL.error("Couldn't check the folders.").caused_by(fault))
}

async fn looked_at_one(hub: Hub) -> Result<Hub> {
    looked_at(vec![hub]).await?.pop().ok_or_else(kit::not_found)
}

/// The hubs with the numbers of their sessions, for callers that see all sessions.
fn counted(tx: &mut Tx<'_>, caller: &Caller, mut hubs: Vec<Hub>) -> Result<Vec<Hub>> {
    if !matches!(caller.kind, Kind::Owner | Kind::Cli) || caller.session.is_some() || caller.through_mcp {
        return Ok(hubs);
    }
    let sql = "SELECT hub_id, count(*), max(session_id) FROM sessions WHERE account_id = $1 GROUP BY hub_id";
    let count = |row: &dyn Row| Ok((row.get::<String>(0)?, (row.get::<i64>(1)?, row.get::<String>(2)?)));
    let mut counts: HashMap<_, _> = tx.query(sql, params![&*caller.account], count)?.into_iter().collect();
    for hub in &mut hubs {
        let (count, last) = counts.remove(&hub.id).unzip();
        (hub.session_count, hub.last_session_id) = (Some(count.unwrap_or(0)), last);
    }
    Ok(hubs)
}

/// A hub with the number of its sessions.
fn counted_one(tx: &mut Tx<'_>, caller: &Caller, id: &str) -> Result<Hub> {
    let hub = one(tx, &caller.account, id)?;
    counted(tx, caller, vec![hub])?.pop().ok_or_else(kit::not_found)
}

/// The id of the hub that `projectId` names, if it names one.
pub(crate) fn expect(tx: &mut Tx<'_>, account: &str, said: Option<&str>) -> Result<Option<String>> {
    said.map(|said| named(tx, account, said).map(|hub| hub.id)).transpose()
}

/// Maximum hubs that an error lists.
const SHOWN_MAX: usize = 20;

/// The hub that `projectId` names: by id, or by a unique name.
pub(crate) fn named(tx: &mut Tx<'_>, account: &str, said: &str) -> Result<Hub> {
    match one(tx, account, said) {
        Err(why) if why.is(&NOT_FOUND) => {}
        found => return found,
    }
    let mut all = tx.query(&format!("{HUBS} ORDER BY name, hub_id"), params![account], hub)?;
    let is_called = |hub: &Hub| hub.name.trim().to_lowercase() == said.trim().to_lowercase();
    let called: Vec<usize> = (0..all.len()).filter(|at| is_called(&all[*at])).collect();
    if let [at] = called[..] {
        return Ok(all.swap_remove(at));
    }
    let shown = |hubs: Vec<&Hub>| {
        let more = if hubs.len() > SHOWN_MAX { ", and others" } else { "" };
        let hubs: Vec<_> = hubs.iter().take(SHOWN_MAX).map(|hub| format!("{} ({})", hub.name, hub.id)).collect();
        hubs.join(", ") + more
    };
    let (code, detail) = if !called.is_empty() {
        let called = called.iter().map(|at| &all[*at]).collect();
        (fault::AMBIGUOUS, format!("Several hubs are named {said}. Use one of the ids: {}.", shown(called)))
    } else if all.is_empty() {
        (fault::UNKNOWN_HUB, "Hub not found. There are no hubs.".to_owned())
    } else {
        (fault::UNKNOWN_HUB, format!("Hub not found. The hubs are {}.", shown(all.iter().collect())))
    };
    Err(kit::error::NAMED_NOT_FOUND.error(detail.clone()).at("/projectId", code, detail))
}

/// One of the account's hubs, by id.
pub(crate) fn one(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<Hub> {
    tx.query_one(&format!("{HUBS} AND hub_id = $2"), params![account, id], hub)
}

/// The names of the account's hubs, by id.
pub(crate) fn names(tx: &mut Tx<'_>, account: &str) -> Result<HashMap<String, String>> {
    let sql = "SELECT hub_id, name FROM hubs WHERE account_id = $1";
    Ok(tx.query(sql, params![account], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().collect())
}

/// All hubs of the account.
pub(crate) fn all(tx: &mut Tx<'_>, account: &str) -> Result<Vec<Hub>> {
    tx.query(&format!("{HUBS} ORDER BY hub_id"), params![account], hub)
}

async fn list(ctx: Ctx, call: Call, part: Part) -> Result<Page<Hub>> {
    let has_ask = ctx.setting(call.account(), &askAppEnabled);
    let page = ctx
        .db()
        .read(move |tx| {
            let mut hubs = tx.query(&format!("{HUBS} ORDER BY name, hub_id"), params![call.account()], hub)?;
            hubs.retain(|hub| has_ask || hub.purpose != TUTOR);
            let page = part.page(hubs, |hub| (&hub.id).into())?;
            Ok(Page { items: counted(tx, &call.caller, page.items)?, ..page })
        })
        .await?;
    Ok(Page { items: looked_at(page.items).await?, ..page })
}

/// Identifies a hub.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct HubId {
    hub_id: String,
}

async fn get(ctx: Ctx, call: Call, input: HubId) -> Result<Hub> {
    looked_at_one(ctx.db().read(move |tx| counted_one(tx, &call.caller, &input.hub_id)).await?).await
}

/// A new hub.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewHub {
    /// The absolute path of an existing folder. `~` is the home folder.
    #[schemars(length(min = 1, max = FOLDER_CHARS_MAX))]
    pub(crate) folder: String,
    /// Default: the folder's name.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    pub(crate) name: Option<String>,
}

pub(crate) async fn create(ctx: Ctx, call: Call, input: NewHub) -> Result<Created<Hub>> {
    let folder = real_folder(&ctx, &input.folder, "/folder").await?;
    let record = for_folder(&ctx, &call.caller, folder, input.name).await?;
    Ok(Created { location: format!("/hubs/{}", record.id), record: looked_at_one(record).await? })
}

/// Creates a hub for a checked folder.
pub(crate) async fn for_folder(ctx: &Ctx, caller: &Caller, folder: String, name: Option<String>) -> Result<Hub> {
    let own = || Path::new(&folder).file_name().map_or("/".into(), |name| name.to_string_lossy().into_owned());
    let name = match name {
        Some(name) => checked_name(&name)?,
        // Folder names can have characters that hub names can't.
        None => own().chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect(),
    };
    let now_ms = ctx.now_ms();
    let caller = caller.clone();
    ctx.db()
        .write(move |tx| {
            let account = &*caller.account;
            let count = "SELECT count(*) FROM hubs WHERE account_id = $1";
            if tx.query_one(count, params![account], |row| row.get::<i64>(0))? >= HUBS_MAX {
                return Err(CONFLICT.error(format!("Hub limit reached ({HUBS_MAX}). Remove a hub first.")));
            }
            expect_free(tx, account, &folder, "")?;
            let id = new_id();
            tx.execute(
                "INSERT INTO hubs (account_id, hub_id, name, folder, created_ms) VALUES ($1, $2, $3, $4, $5)",
                params![account, &id, &name, &folder, now_ms],
            )?;
            let after = json!({"name": name, "folder": folder});
            let change = Change { subject: "hub", subject_id: &id, field: "", before: None, after: Some(&after) };
            tx.record(&caller, now_ms, change)?;
            counted_one(tx, &caller, &id)
        })
        .await
}

/// The changes to a hub.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct HubChange {
    hub_id: String,
    /// 1 to 100 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: Option<String>,
    /// The absolute path of an existing folder. `~` is the home folder.
    #[schemars(length(min = 1, max = FOLDER_CHARS_MAX))]
    folder: Option<String>,
}

async fn update(ctx: Ctx, call: Call, input: HubChange) -> Result<Hub> {
    let name = input.name.as_deref().map(checked_name).transpose()?;
    let folder = match &input.folder {
        Some(folder) => Some(real_folder(&ctx, folder, "/folder").await?),
        None => None,
    };
    let now_ms = ctx.now_ms();
    let changed = ctx
        .db()
        .write(move |tx| {
            let account = call.account();
            let old = one(tx, account, &input.hub_id)?;
            if let Some(name) = name.filter(|name| *name != old.name) {
                set(tx, &call, &old.id, "name", [&old.name, &name], now_ms)?;
            }
            if let Some(folder) = folder.filter(|folder| *folder != old.folder) {
                expect_free(tx, account, &folder, &old.id)?;
                set(tx, &call, &old.id, "folder", [&old.folder, &folder], now_ms)?;
            }
            counted_one(tx, &call.caller, &old.id)
        })
        .await?;
    looked_at_one(changed).await
}

/// Changes a column of a hub, and records the change.
fn set(
    tx: &mut Tx<'_>,
    call: &Call,
    id: &str,
    field: &'static str,
    [before, after]: [&str; 2],
    now_ms: i64,
) -> Result<()> {
    let sql = format!("UPDATE hubs SET {field} = $3 WHERE account_id = $1 AND hub_id = $2");
    tx.execute(&sql, params![call.account(), id, after])?;
    let (before, after) = (json!(before), json!(after));
    let change = Change { subject: "hub", subject_id: id, field, before: Some(&before), after: Some(&after) };
    tx.record(&call.caller, now_ms, change).map(drop)
}

async fn delete(ctx: Ctx, call: Call, input: HubId) -> Result<Done> {
    let now_ms = ctx.now_ms();
    ctx.db()
        .write(move |tx| {
            let old = one(tx, call.account(), &input.hub_id)?;
            tx.execute("DELETE FROM hubs WHERE account_id = $1 AND hub_id = $2", params![call.account(), &old.id])?;
            crate::rules::forget_hub(tx, call.account(), &old.id)?;
            crate::tool_servers::forget_hub(tx, call.account(), &old.id)?;
            crate::instructions::hub_texts::delete_of_hub(tx, call.account(), &old.id)?;
            let before = json!({"name": old.name, "folder": old.folder});
            let change = Change { subject: "hub", subject_id: &old.id, field: "", before: Some(&before), after: None };
            tx.record(&call.caller, now_ms, change)?;
            Ok(Done)
        })
        .await
}

fn checked_name(name: &str) -> Result<String> {
    let name = name.trim();
    expect_name(name, NAME_CHARS_MAX, "/name")?;
    Ok(name.to_owned())
}

/// Rejects a folder that is another hub of the account.
fn expect_free(tx: &mut Tx<'_>, account: &str, folder: &str, own_id: &str) -> Result<()> {
    let sql = format!("{HUBS} AND folder = $2 AND hub_id <> $3");
    match tx.query_opt(&sql, params![account, folder, own_id], hub)? {
        Some(other) => {
            Err(CONFLICT.error(format!("{folder} is already the hub {}.", other.name)).with("hubId", other.id))
        }
        None => Ok(()),
    }
}

/// The folder at a path, with links resolved. Rejects paths that aren't folders, and Pilothouse's data directory, in
/// which no session may work.
pub(crate) async fn real_folder(ctx: &Ctx, path: &str, at: &'static str) -> Result<String> {
    if path.chars().nth(FOLDER_CHARS_MAX).is_some() {
        let detail = format!("{} is longer than {FOLDER_CHARS_MAX} characters.", &at[1..]);
        return Err(invalid(at, fault::TOO_LONG, detail));
    }
    let given = expanded(path, &ctx.service::<Sessions>().common.host.machine.home);
    if !given.is_absolute() {
        let detail = format!("{} isn't an absolute path.", &at[1..]);
        return Err(invalid(at, fault::WRONG_FORMAT, detail));
    }
    let data = ctx.find_service::<DataDir>().map(|dir| dir.0.clone());
    // The disk may be slow or remote.
    let looked = tokio::task::spawn_blocking(move || {
        let real = given.canonicalize().map_err(|why| match why.kind() {
            std::io::ErrorKind::NotFound => format!("Folder not found: {}.", given.display()),
            _ => format!("Couldn't access {}: {why}.", given.display()),
        })?;
        if !real.is_dir() {
            return Err(format!("{} isn't a folder.", real.display()));
        }
        let data = data.and_then(|data| data.canonicalize().ok());
        if data.is_some_and(|data| real.starts_with(&data)) {
            return Err(format!("{} is in Pilothouse's own data folder. Choose another folder.", real.display()));
        }
        real.into_os_string().into_string().map_err(|odd| format!("{} isn't valid Unicode.", odd.display()))
    });
    let looked =
        looked.await.map_err(|fault| kit::error::INTERNAL.error("Couldn't check the folder.").caused_by(fault))?;
    looked.map_err(|why| errors::HUB_FOLDER.error(why))
}

/// Tells other features which hubs exist.
pub(crate) struct HubLookup(pub(crate) Db);

impl Lookup for HubLookup {
    fn missing(
        &self,
        account: &str,
        ids: Vec<String>,
    ) -> futures_core::future::BoxFuture<'static, Result<Vec<String>>> {
        let (db, account) = (self.0.clone(), account.to_owned());
        Box::pin(async move {
            db.read(move |tx| {
                let mut missing = Vec::new();
                for id in ids {
                    let sql = "SELECT 1 FROM hubs WHERE account_id = $1 AND hub_id = $2";
                    if tx.query_opt(sql, params![&account, &id], |row| row.get::<i64>(0))?.is_none() {
                        missing.push(id);
                    }
                }
                Ok(missing)
            })
            .await
        })
    }
}

/// Tells other features in which hub a session starts where nobody chose one.
pub(crate) struct Automatic(pub(crate) Ctx);

/// The manifest that only a checkout of Pilothouse has, and the line in it.
const OWN_MANIFEST: (&str, &str) = ("crates/app/Cargo.toml", "name = \"pilothouse\"");

impl FindHub for Automatic {
    fn automatic(&self, account: &str) -> futures_core::future::BoxFuture<'static, Result<Option<String>>> {
        let (ctx, account) = (self.0.clone(), account.to_owned());
        Box::pin(async move {
            let engines = ctx.service::<Sessions>().common.engines(&account);
            let primary =
                engines.iter().find(|engine| engine.tier() == Tier::Primary).map(|engine| engine.id().to_owned());
            let read = move |tx: &mut Tx<'_>| {
                let sql = "SELECT hub_id, folder FROM hubs WHERE account_id = $1 AND purpose = '' ORDER BY hub_id";
                let hubs =
                    tx.query(sql, params![&account], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))?;
                let sql = "SELECT s.hub_id FROM sessions s JOIN hubs h ON h.account_id = s.account_id AND h.hub_id = s.hub_id \
                     WHERE s.account_id = $1 AND s.engine = $2 ORDER BY s.session_id DESC LIMIT 1";
                let newest = tx.query_opt(sql, params![&account, primary], |row| row.get::<String>(0))?;
                Ok((hubs, newest))
            };
            let (hubs, newest) = ctx.db().read(read).await?;
            let own = tokio::task::spawn_blocking(move || {
                let (file, line) = OWN_MANIFEST;
                let is_own = |folder: &str| {
                    let manifest = std::fs::read_to_string(Path::new(folder).join(file));
                    manifest.is_ok_and(|text| text.lines().any(|own| own.trim() == line))
                };
                hubs.into_iter().find(|(_, folder)| is_own(folder)).map(|(id, _)| id)
            });
            let own =
                own.await.map_err(|fault| kit::error::INTERNAL.error("Couldn't check the hubs.").caused_by(fault))?;
            Ok(own.or(newest))
        })
    }
}
