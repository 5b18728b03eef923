//! Dashboards: which boards are connected, which widgets stand where, which filters hold. Values are computed on the client.
//!
//! Invariants: the config is kept byte for byte in meaning, unknown members included; it names no board of another account;
//! what was acknowledged is never lost to a later writer who did not know of it (`If-Match`).
//! Deliberately not here: the meaning of a widget (`crates/widgets`) and any computed value.

mod config;
mod differences;
mod members;

use events::{Event, HasEvents};
use kit::error::NAMED_NOT_FOUND;
use kit::fault;
use kit::lookup::{Boards, Workspaces};
use kit::op::limits::LARGE_BYTES;
use kit::text::{CURSOR, NAME, expect_name, id_cursor};
use kit::{
    Cached, Call, Caller, Created, Ctx, Done, Feature, Method, Migration, Op, Result, Who, invalid, new_id, rfc3339,
};
use members::Need;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use store::{Change, HasDb, Row, Tx, params};

/// Characters of a name.
const NAME_CHARS_MAX: usize = 255;
/// Dashboards of a workspace.
const DASHBOARDS_MAX: i64 = 1_000;
/// Largest page of a list.
const PAGE_MAX: i64 = 1_000;
const PAGE_DEFAULT: i64 = 100;
/// Bytes of configs that a page of a list has; it ends before one more would go over. An agent's tool call gives up to 1 MiB.
const PAGE_BYTES: usize = LARGE_BYTES / 2;
/// Records with their configs that are read at a time.
const READ_AT_ONCE: i64 = 8;

/// Bytes of a request with a config. What counts is the config as it is stored; on its way each character may stand as a
/// `\u` escape of six bytes, as some programs write all that is not ASCII.
const REQUEST_BYTES_MAX: usize = 6 * LARGE_BYTES + 64 * 1024;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        name: "dashboards",
        settings: Vec::new(),
        awaiting: Vec::new(),
        migrations: &[
            Migration { number: 1, sql: include_str!("../migrations/001_dashboards.sql") },
            Migration { number: 2, sql: include_str!("../migrations/002_members.sql") },
        ],
        errors: errors::CODES,
        faults: &[],
        ops: [ops(), members::ops()].concat(),
        groups: &[("dashboards", "Dashboards over boards")],
        start: |_| Box::pin(std::future::ready(Ok(()))),
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        BOARD_NOT_FOUND = 404 "board-not-found" "A connected board was not found" : "`boardIds` names a board that is not this account's. Nothing was changed.";
        CONFIG_TOO_LARGE = 413 "config-too-large" "The config is too large" : "A dashboard's config takes at most 1 MiB as JSON.";
        VIEWERS_ONLY_READ = 403 "viewers-only-read" "Viewers only read" : "The token is of a member who is invited to the dashboard as a viewer. Nothing was changed. The account's owner can make the member an editor: `PUT /dashboards/{dashboardId}/members/{memberId}`.";
    }
}

fn ops() -> Vec<Op> {
    const PATH: &str = "/dashboards/{dashboardId}";
    vec![
        Op::new(
            "dashboards.list",
            Method::Get,
            "/dashboards",
            Who::ANYONE_KNOWN,
            "Lists dashboards, of one workspace where it is named. A page ends at its limit, or earlier where its configs would take more than 512 KiB; `brief` leaves them out.",
            list,
        )
        .scope("dashboards:read")
        .common()
        .errors([&NAMED_NOT_FOUND])
        .columns(&["id", "name", "revision", "updatedAt"]),
        Op::new("dashboards.create", Method::Post, "/dashboards", Who::ANYONE_KNOWN, "Makes a dashboard, of at most 100 boards.", create)
            .scope("dashboards:write")
            .common()
            .body_up_to(REQUEST_BYTES_MAX)
            .errors([&errors::BOARD_NOT_FOUND, &NAMED_NOT_FOUND, &errors::CONFIG_TOO_LARGE]),
        Op::new("dashboards.get", Method::Get, PATH, Who::ANYONE_KNOWN, "Reads one dashboard.", get)
            .scope("dashboards:read")
            .common(),
        Op::new(
            "dashboards.update",
            Method::Patch,
            PATH,
            Who::ANYONE_KNOWN,
            "Changes the name or replaces the config. With If-Match, only where nobody changed it since.",
            update,
        )
        .scope("dashboards:write")
        .if_match()
        .common()
        .body_up_to(REQUEST_BYTES_MAX)
        .errors([&errors::BOARD_NOT_FOUND, &errors::CONFIG_TOO_LARGE, &errors::VIEWERS_ONLY_READ]),
        Op::new(
            "dashboards.delete",
            Method::Delete,
            PATH,
            Who::ANYONE_KNOWN,
            "Deletes a dashboard. Its boards stay.",
            delete,
        )
        .scope("dashboards:write")
        .if_match()
        .errors([&errors::VIEWERS_ONLY_READ]),
    ]
}

/// A dashboard.
#[derive(Serialize, JsonSchema, Clone)]
#[serde(rename_all = "camelCase")]
struct Dashboard {
    id: String,
    workspace_id: String,
    name: String,
    /// As it was sent: `boardIds`, `widgets`, `filters` and whatever else the client keeps.
    config: Map<String, Value>,
    /// Counts up by one with each change; send it as `If-Match`.
    revision: i64,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC.
    updated_at: String,
}

const READ: &str = "SELECT dashboard_id, workspace_id, name, config_json, revision, created_ms, updated_ms FROM dashboards WHERE account_id = $1";

fn config_of(row: &dyn Row) -> Result<Map<String, Value>> {
    let unreadable = |e| kit::error::INTERNAL.error("A stored config cannot be read.").caused_by(e);
    serde_json::from_str(row.get(3)?).map_err(unreadable)
}

fn dashboard(row: &dyn Row) -> Result<Dashboard> {
    Ok(Dashboard {
        id: row.get(0)?,
        workspace_id: row.get(1)?,
        name: row.get(2)?,
        config: config_of(row)?,
        revision: row.get(4)?,
        created_at: rfc3339(row.get(5)?),
        updated_at: rfc3339(row.get(6)?),
    })
}

/// The dashboard, if this caller may do with it what it needs.
fn read_one(tx: &mut Tx<'_>, caller: &Caller, id: &str, need: Need) -> Result<Dashboard> {
    let read = tx.query_one(&format!("{READ} AND dashboard_id = $2"), params![&*caller.account, id], dashboard)?;
    members::expect(tx, caller, id, need)?;
    Ok(read)
}

/// Which workspace's.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    /// Every workspace's where left out.
    workspace_id: Option<String>,
    /// How many at most, 1 to 1,000; 100 where left out.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<i64>,
    /// `nextCursor` of the page before.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Leaves the configs out.
    #[serde(default)]
    brief: bool,
}

/// A dashboard as lists show it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ListedDashboard {
    id: String,
    workspace_id: String,
    name: String,
    /// As it was sent; left out with `brief`.
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<Map<String, Value>>,
    /// Counts up by one with each change; send it as `If-Match`.
    revision: i64,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC.
    updated_at: String,
}

/// A page of dashboards, in the order in which they were made.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Dashboards {
    items: Vec<ListedDashboard>,
    /// Where the next page begins; null at the end.
    next_cursor: Option<String>,
}

/// The page behind a record; a record stands on it however large it is.
fn page(tx: &mut Tx<'_>, caller: &Caller, of: &List, limit: i64) -> Result<Dashboards> {
    let config = if of.brief { "''" } else { "config_json" };
    // Ids sort by the time they were made.
    let sql = format!(
        "SELECT dashboard_id, workspace_id, name, {config}, revision, created_ms, updated_ms FROM dashboards \
         WHERE account_id = $1 AND ($2 = '' OR workspace_id = $2) AND dashboard_id > $3 AND {} ORDER BY dashboard_id LIMIT $4",
        members::SEEN
    );
    let (scope, member) = members::seen_by(caller);
    let workspace = of.workspace_id.as_deref().unwrap_or_default();
    let mut after = id_cursor(of.cursor.as_deref())?.unwrap_or_default().to_owned();
    let (mut items, mut bytes) = (Vec::<ListedDashboard>::new(), 0);
    loop {
        let left = limit + 1 - items.len() as i64;
        let at_once = if of.brief { left } else { left.min(READ_AT_ONCE) };
        let read = tx.query(&sql, params![&*caller.account, workspace, &after, at_once, scope, member], |row| {
            Ok((row.get::<&str>(3)?.len(), listed(row, of.brief)?))
        })?;
        let ended = (read.len() as i64) < at_once;
        for (config_bytes, item) in read {
            bytes += config_bytes;
            if items.len() as i64 == limit || (bytes > PAGE_BYTES && !items.is_empty()) {
                return Ok(Dashboards { items, next_cursor: Some(after) });
            }
            after.clone_from(&item.id);
            items.push(item);
        }
        if ended {
            return Ok(Dashboards { items, next_cursor: None });
        }
    }
}

fn listed(row: &dyn Row, brief: bool) -> Result<ListedDashboard> {
    Ok(ListedDashboard {
        id: row.get(0)?,
        workspace_id: row.get(1)?,
        name: row.get(2)?,
        config: if brief { None } else { Some(config_of(row)?) },
        revision: row.get(4)?,
        created_at: rfc3339(row.get(5)?),
        updated_at: rfc3339(row.get(6)?),
    })
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Dashboards> {
    let limit = match input.limit.unwrap_or(PAGE_DEFAULT) {
        limit @ 1..=PAGE_MAX => limit,
        _ => return Err(invalid("/limit", fault::OUT_OF_RANGE, format!("limit is 1 to {PAGE_MAX}."))),
    };
    if let Some(workspace) = &input.workspace_id {
        ctx.service::<Workspaces>().expect(call.account(), workspace).await?;
    }
    ctx.db().read(move |tx| page(tx, &call.caller, &input, limit)).await
}

/// A new board that the config names must be the account's. `kept` were connected already: a board that was deleted
/// since does not make the whole dashboard unsavable.
async fn check_boards(ctx: &Ctx, account: &str, named: HashSet<String>, kept: &HashSet<String>) -> Result<()> {
    let new: Vec<String> = named.into_iter().filter(|id| !kept.contains(id)).collect();
    if new.is_empty() {
        return Ok(());
    }
    match ctx.service::<Boards>().0.missing(account, new).await?.as_slice() {
        [] => Ok(()),
        // Which one is not said: the answer is the same for another account's board and for none at all.
        _ => {
            Err(errors::BOARD_NOT_FOUND.error("A board in boardIds is not one of this account's; nothing was changed."))
        }
    }
}

fn checked_name(name: &str) -> Result<String> {
    let name = name.trim();
    expect_name(name, NAME_CHARS_MAX, "/name")?;
    Ok(name.to_owned())
}

/// A dashboard to make.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Create {
    workspace_id: String,
    /// 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: String,
    /// `boardIds` (at most 100), `widgets` with a `layout` each (`{x, y, w, h}`, four whole numbers; the page has 12 columns and
    /// moves what does not fit), `filters`, and what else the client keeps; at most 1 MiB.
    #[serde(default)]
    config: Map<String, Value>,
}

async fn create(ctx: Ctx, call: Call, input: Create) -> Result<Created<Dashboard>> {
    let name = checked_name(&input.name)?;
    let named = config::checked(&input.config)?;
    ctx.service::<Workspaces>().expect(call.account(), &input.workspace_id).await?;
    check_boards(&ctx, call.account(), named, &HashSet::new()).await?;
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    ctx.db()
        .write(move |tx| {
            let account = call.account();
            let count: i64 = tx.query_one(
                "SELECT count(*) FROM dashboards WHERE account_id = $1 AND workspace_id = $2",
                params![account, &input.workspace_id],
                |row| row.get(0),
            )?;
            if count >= DASHBOARDS_MAX {
                return Err(kit::error::CONFLICT.error(format!("A workspace holds at most {DASHBOARDS_MAX} dashboards.")));
            }
            let record = Dashboard {
                id: new_id(),
                workspace_id: input.workspace_id,
                name,
                config: input.config,
                revision: 1,
                created_at: rfc3339(now_ms),
                updated_at: rfc3339(now_ms),
            };
            tx.execute(
                "INSERT INTO dashboards (account_id, dashboard_id, workspace_id, name, config_json, revision, created_ms, updated_ms) \
                 VALUES ($1, $2, $3, $4, $5, 1, $6, $6)",
                params![account, &record.id, &record.workspace_id, &record.name, json!(record.config).to_string(), now_ms],
            )?;
            let after = json!({"name": record.name});
            tx.record(&call.caller, now_ms, Change { subject: "dashboard", subject_id: &record.id, field: "", before: None, after: Some(&after) })?;
            announce(tx, bus, account, &record.id, 1);
            Ok(Created { location: format!("/dashboards/{}", record.id), record })
        })
        .await
}

fn announce(tx: &mut Tx<'_>, bus: std::sync::Arc<events::Bus>, account: &str, id: &str, revision: i64) {
    let (account, dashboard_id) = (account.to_owned(), id.to_owned());
    tx.after_commit(move || bus.emit(Some(&account), Event::DashboardChanged { dashboard_id, revision }));
}

/// Which dashboard.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Id {
    dashboard_id: String,
}

async fn get(ctx: Ctx, call: Call, input: Id) -> Result<Cached<Dashboard>> {
    let caller = call.caller.clone();
    let record = ctx.db().read(move |tx| read_one(tx, &caller, &input.dashboard_id, Need::Read)).await?;
    let etag = format!("\"{}\"", record.revision);
    Ok(Cached::new(&call, &etag, || serde_json::to_vec(&record).expect("answers serialise").into()))
}

/// What to change; the rest stays.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Update {
    dashboard_id: String,
    /// 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: Option<String>,
    /// Replaces the whole config; at most 100 boards and 1 MiB.
    config: Option<Map<String, Value>>,
}

async fn update(ctx: Ctx, call: Call, input: Update) -> Result<Dashboard> {
    let name = input.name.as_deref().map(checked_name).transpose()?;
    let named = input.config.as_ref().map(config::checked).transpose()?.unwrap_or_default();
    let (caller, id) = (call.caller.clone(), input.dashboard_id.clone());
    let stored = ctx.db().read(move |tx| read_one(tx, &caller, &id, Need::Write)).await?;
    check_boards(&ctx, call.account(), named, &config::board_ids(&stored.config)).await?;
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    ctx.db()
        .write(move |tx| {
            let account = call.account();
            let old = read_one(tx, &call.caller, &input.dashboard_id, Need::Write)?;
            call.expects(old.revision)?;
            let new = Dashboard {
                name: name.unwrap_or_else(|| old.name.clone()),
                config: input.config.unwrap_or_else(|| old.config.clone()),
                revision: old.revision + 1,
                updated_at: rfc3339(now_ms),
                ..old.clone()
            };
            if new.name == old.name && new.config == old.config {
                return Ok(old);
            }
            tx.execute(
                "UPDATE dashboards SET name = $3, config_json = $4, revision = $5, updated_ms = $6 WHERE account_id = $1 AND dashboard_id = $2",
                params![account, &new.id, &new.name, json!(new.config).to_string(), new.revision, now_ms],
            )?;
            let mut record = |field, before: Value, after: Value| {
                let change = Change { subject: "dashboard", subject_id: &new.id, field, before: Some(&before), after: Some(&after) };
                tx.record(&call.caller, now_ms, change)
            };
            if new.name != old.name {
                record("name", json!(old.name), json!(new.name))?;
            }
            if new.config != old.config {
                let (before, after) = differences::recorded(&old.config, &new.config);
                record("config", before, after)?;
            }
            announce(tx, bus, account, &new.id, new.revision);
            Ok(new)
        })
        .await
}

async fn delete(ctx: Ctx, call: Call, input: Id) -> Result<Done> {
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    ctx.db()
        .write(move |tx| {
            let account = call.account();
            let old = read_one(tx, &call.caller, &input.dashboard_id, Need::Write)?;
            call.expects(old.revision)?;
            tx.execute(
                "DELETE FROM dashboards WHERE account_id = $1 AND dashboard_id = $2",
                params![account, &old.id],
            )?;
            members::forget(tx, account, &old.id)?;
            // The whole record goes into the audit: a dashboard deleted by mistake can be made again from it.
            let before = json!(old);
            tx.record(
                &call.caller,
                now_ms,
                Change { subject: "dashboard", subject_id: &old.id, field: "", before: Some(&before), after: None },
            )?;
            announce(tx, bus, account, &old.id, 0);
            Ok(Done)
        })
        .await
}

#[cfg(test)]
mod tests;
