//! Dashboards: which boards are connected, which widgets stand where, which filters hold. A page computes the values for
//! itself; for agents and scripts they are computed here, by the same engine from the same config.
//!
//! Invariants: the config is kept byte for byte in meaning, unknown members included; it names no board of another account;
//! what was acknowledged is never lost to a later writer who did not know of it (`If-Match`).
//! Deliberately not here: the meaning of a widget (`crates/widgets`), and computed values that are kept, but for what was
//! published.

mod access;
mod apps;
mod callers;
mod check;
mod config;
mod differences;
mod edit;
pub mod errors;
pub mod faults;
mod grid;
mod items;
mod members;
mod merge;
mod named_boards;
mod part;
mod proposals;
mod publish;
mod record;
mod schema;
mod show;
mod snapshots;
mod sweep;
mod trash;

pub use apps::{Apps, FramePage, framed_by};
pub use schema::schema_json;
pub use snapshots::DAYS_KEPT;
pub use trash::{TRASH_KEPT_MS, TRASH_MAX};

pub use publish::{OpensPublicDoor, PublicDoor, Publications, PublishedPage, looks_ts, titles_ts};

use access::Need;
use callers::{AT_PAGE, DECIDES, READ_BOARDS};
use config::{Config, NamedBoard};
use events::HasEvents;
use kit::error::{NAMED_NOT_FOUND, unknown};
use kit::fault;
use kit::lookup::{Members, Workspaces};
use kit::op::limits::LARGE_BYTES;
use kit::text::{CURSOR, NAME, expect_name, id_cursor};
use kit::{
    Cached, Call, Caller, CallerSet, Created, Ctx, Done, Feature, Method, Migration, Op, Result, invalid, new_id,
    rfc3339,
};
use merge::Doc;
use named_boards::expect_named_boards;
use proposals::Outcome;
use record::{DASHBOARDS_MAX, Dashboard, Id, announce, config_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use store::{Change, HasDb, Row, Tx, params};

/// Maximum characters of a name.
const NAME_CHARS_MAX: usize = 255;
/// Largest page of a list.
const PAGE_MAX: i64 = 1_000;
const PAGE_DEFAULT: i64 = 100;
/// Maximum bytes of configs in a page of a list. An agent's tool call returns up to 1 MiB.
const PAGE_BYTES: usize = LARGE_BYTES / 2;
/// Records with configs that are read at once.
const READ_AT_ONCE: i64 = 8;

/// Maximum bytes of a request with a config. The limit applies to the stored config; in a request, each character can
/// be a `\u` escape of six bytes, as some programs write everything that isn't ASCII.
const REQUEST_BYTES_MAX: usize = 6 * LARGE_BYTES + 64 * 1024;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        migrations: &[
            Migration { number: 1, sql: include_str!("../migrations/001_dashboards.sql") },
            Migration { number: 2, sql: include_str!("../migrations/002_members.sql") },
            Migration { number: 3, sql: include_str!("../migrations/003_publications.sql") },
            Migration { number: 4, sql: include_str!("../migrations/004_proposals.sql") },
            Migration { number: 5, sql: include_str!("../migrations/005_trash.sql") },
            Migration { number: 6, sql: include_str!("../migrations/006_snapshots.sql") },
            Migration { number: 8, sql: include_str!("../migrations/008_published_in.sql") },
            Migration { number: 9, sql: include_str!("../migrations/009_apps.sql") },
            Migration { number: 10, sql: include_str!("../migrations/010_published_texts.sql") },
            Migration { number: 11, sql: include_str!("../migrations/011_ended_publications.sql") },
        ],
        errors: &[errors::CODES],
        faults: &[faults::FAULTS],
        ops: [members::ops(), publish::ops(), snapshots::ops(), apps::ops(), ops()].concat(),
        groups: &[
            ("dashboards", "Dashboards over boards"),
            ("dashboards members", "Members invited to a dashboard"),
            ("dashboards widgets", "Widgets of a dashboard"),
            ("dashboards proposals", "Changes of an open dashboard that agents propose"),
            ("dashboards publication", "Published dashboards"),
            ("dashboards snapshots", "Daily sprint snapshots"),
            ("dashboards trash", "Deleted dashboards"),
        ],
        start: |ctx| Box::pin(start(ctx)),
        jobs: vec![snapshots::job(), sweep::job()],
        ..Feature::named("dashboards")
    }
}

async fn start(ctx: Ctx) -> Result<()> {
    ctx.provide(Arc::new(show::Computing::default()));
    ctx.provide(Arc::new(proposals::Opened::default()));
    publish::start(&ctx).await?;
    apps::start(&ctx).await
}

fn ops() -> Vec<Op> {
    const PATH: &str = "/dashboards/{dashboardId}";
    vec![
        Op::new(
            "dashboards.list",
            Method::Get,
            "/dashboards",
            CallerSet::ANYONE_KNOWN,
            "List dashboards, optionally of one workspace. Pages end at 512 KiB of configs; `brief` leaves configs out.",
            list,
        )
        .example(r#"{"workspaceId": "{workspaceId}"}"#)
        .scope("dashboards:read")
        .common()
        .errors([&NAMED_NOT_FOUND])
        .columns(&["id", "name", "revision", "updatedAt"]),
        Op::new("dashboards.create", Method::Post, "/dashboards", CallerSet::ANYONE_KNOWN, "Create a dashboard with up to 100 connected boards.", create).example(r#"{"workspaceId": "{workspaceId}", "name": "N", "config": {"boardIds": ["{boardId}"]}}"#)
            .scope("dashboards:write")
            .common()
            .body_up_to(REQUEST_BYTES_MAX)
            .errors([&errors::BOARD_NOT_FOUND, &NAMED_NOT_FOUND, &errors::CONFIG_TOO_LARGE, &errors::TOO_MANY_DASHBOARDS]),
        Op::new("dashboards.get", Method::Get, PATH, CallerSet::ANYONE_KNOWN, "Read a dashboard.", get).example(r#"{"dashboardId": "{dashboardId}"}"#)
            .document()
            .scope("dashboards:read")
            .common(),
        Op::new(
            "dashboards.show",
            Method::Get,
            "/dashboards/{dashboardId}/values",
            CallerSet::ANYONE_KNOWN,
            "Show the values of a dashboard's widgets, with their sources.",
            show::show,
        )
        .example(r#"{"dashboardId": "{dashboardId}", "widgetId": "{widgetId}"}"#)
        .scope(READ_BOARDS)
        .common()
        .errors([&NAMED_NOT_FOUND, &errors::TOO_MUCH, &errors::TOO_SLOW, &errors::SNAPSHOTS_UNREADABLE]),
        Op::new(
            "dashboards.update",
            Method::Patch,
            PATH,
            CallerSet::ANYONE_KNOWN,
            "Rename a dashboard or replace its config. An agent's change of an open dashboard becomes a proposal (202).",
            update,
        )
        .example(r#"{"dashboardId": "{spareDashboardId}", "config": {"boardIds": ["{boardId}"]}, "name": "Renamed"}"#)
        .scope("dashboards:write")
        .if_match()
        .body_up_to(REQUEST_BYTES_MAX)
        .errors([&errors::BOARD_NOT_FOUND, &NAMED_NOT_FOUND, &errors::CONFIG_TOO_LARGE, &errors::TOO_MANY_PROPOSALS, &errors::VIEWERS_ONLY_READ]),
        Op::new(
            "dashboards.delete",
            Method::Delete,
            PATH,
            CallerSet::ANYONE_KNOWN,
            "Move a dashboard to Trash for 30 days. Its boards stay.",
            delete,
        )
        .example(r#"{"dashboardId": "{dashboardId}"}"#)
        .scope("dashboards:write")
        .if_match()
        .errors([&errors::VIEWERS_ONLY_READ, &errors::PERSON_HAS_IT_OPEN]),
        Op::new("dashboards.schema", Method::Get, "/dashboards/schema", CallerSet::ANYONE_KNOWN, "Read the JSON Schema of dashboard configs, with the settings of every widget kind.", schema::get)
            .document()
            .scope("dashboards:read"),
        Op::new("dashboards.check", Method::Post, "/dashboards/check", CallerSet::ANYONE_KNOWN, "Check a config without storing it. Returns problems by position, and a preview of each widget.", check::check).example(r#"{"dashboardId": "{dashboardId}", "config": {}}"#)
            .scope(READ_BOARDS)
            .reads()
            .body_up_to(REQUEST_BYTES_MAX)
            .errors([&errors::CONFIG_TOO_LARGE, &errors::TOO_MUCH, &errors::TOO_SLOW, &errors::SNAPSHOTS_UNREADABLE]),
        Op::new("dashboards.items", Method::Post, "/dashboards/{dashboardId}/widgets/{widgetId}/items", CallerSet::ANYONE_KNOWN, "List the items behind a widget or a part of it.", items::items).example(r#"{"dashboardId": "{dashboardId}", "widgetId": "{widgetId}"}"#)
            .scope(READ_BOARDS)
            .reads()
            .errors([&NAMED_NOT_FOUND, &errors::TOO_MUCH, &errors::TOO_SLOW, &errors::SNAPSHOTS_UNREADABLE])
            .columns(&["boardId", "itemId", "name", "group"]),
        Op::new("dashboards.widgets.add", Method::Post, "/dashboards/{dashboardId}/widgets", CallerSet::ANYONE_KNOWN, "Add a widget. Position and columns are chosen automatically if omitted; an agent's change of an open dashboard becomes a proposal (202).", edit::add).example(r#"{"dashboardId": "{dashboardId}", "kind": "numbers"}"#)
            .scope("dashboards:write")
            .if_match()
            .common()
            .body_up_to(LARGE_BYTES)
            .errors([&errors::BOARD_NOT_FOUND, &errors::CONFIG_TOO_LARGE, &errors::TOO_MANY_PROPOSALS, &errors::VIEWERS_ONLY_READ]),
        Op::new("dashboards.widgets.update", Method::Patch, "/dashboards/{dashboardId}/widgets/{widgetId}", CallerSet::ANYONE_KNOWN, "Change a widget's title, settings, or position. An agent's change of an open dashboard becomes a proposal (202).", edit::change).example(r#"{"dashboardId": "{dashboardId}", "widgetId": "{widgetId}", "title": "T"}"#)
            .scope("dashboards:write")
            .if_match()
            .body_up_to(LARGE_BYTES)
            .errors([&errors::BOARD_NOT_FOUND, &NAMED_NOT_FOUND, &errors::CONFIG_TOO_LARGE, &errors::TOO_MANY_PROPOSALS, &errors::VIEWERS_ONLY_READ]),
        Op::new("dashboards.widgets.remove", Method::Delete, "/dashboards/{dashboardId}/widgets/{widgetId}", CallerSet::ANYONE_KNOWN, "Remove a widget. An agent's change of an open dashboard becomes a proposal (202).", edit::remove).example(r#"{"dashboardId": "{dashboardId}", "widgetId": "{widgetId}"}"#)
            .scope("dashboards:write")
            .if_match()
            .errors([&NAMED_NOT_FOUND, &errors::TOO_MANY_PROPOSALS, &errors::VIEWERS_ONLY_READ]),
        Op::new("dashboards.open", Method::Put, "/dashboards/{dashboardId}/windows/{windowId}", AT_PAGE, "Report that a page has a dashboard open, so that agents' changes become proposals. Repeat it within `renewMs`.", proposals::open).example(r#"{"dashboardId": "{dashboardId}", "windowId": "window"}"#),
        Op::new("dashboards.close", Method::Delete, "/dashboards/{dashboardId}/windows/{windowId}", AT_PAGE, "Report that a page closed a dashboard.", proposals::close).example(r#"{"dashboardId": "{dashboardId}", "windowId": "window"}"#),
        Op::new("dashboards.proposals.list", Method::Get, "/dashboards/{dashboardId}/proposals", CallerSet::ANYONE_KNOWN, "List a dashboard's proposals and their outcomes.", proposals::list).example(r#"{"dashboardId": "{dashboardId}"}"#)
            .scope("dashboards:read")
            .columns(&["id", "state", "changes", "createdAt"]),
        Op::new("dashboards.proposals.get", Method::Get, "/dashboards/{dashboardId}/proposals/{proposalId}", CallerSet::ANYONE_KNOWN, "Read a proposal: state, changes, and the resulting config while it is open.", proposals::get).example(r#"{"dashboardId": "{dashboardId}", "proposalId": "{proposalId}"}"#)
            .document()
            .scope("dashboards:read"),
        Op::new("dashboards.proposals.accept", Method::Post, "/dashboards/{dashboardId}/proposals/{proposalId}/accept", DECIDES, "Accept a proposal and apply its changes to the current dashboard.", proposals::accept).example(r#"{"dashboardId": "{dashboardId}", "proposalId": "{proposalId}"}"#)
            .errors([&errors::PROPOSAL_DECIDED, &errors::PROPOSAL_CHANGED, &errors::CONFIG_TOO_LARGE, &errors::VIEWERS_ONLY_READ]),
        Op::new("dashboards.proposals.decline", Method::Post, "/dashboards/{dashboardId}/proposals/{proposalId}/decline", DECIDES, "Decline a proposal.", proposals::decline).example(r#"{"dashboardId": "{dashboardId}", "proposalId": "{otherProposalId}"}"#)
            .errors([&errors::PROPOSAL_DECIDED, &errors::VIEWERS_ONLY_READ]),
        Op::new("dashboards.trash.list", Method::Get, "/dashboards/trash", CallerSet::ANYONE_KNOWN, "List deleted dashboards, newest first.", trash::list).example(r#"{"workspaceId": "{workspaceId}"}"#)
            .scope("dashboards:read")
            .columns(&["id", "name", "at", "deletedAt"])
            .errors([&NAMED_NOT_FOUND]),
        Op::new("dashboards.restore", Method::Post, "/dashboards/{dashboardId}/restore", CallerSet::ANYONE_KNOWN, "Restore a deleted dashboard.", trash::restore).example(r#"{"dashboardId": "{deletedDashboardId}"}"#)
            .scope("dashboards:write")
            .errors([&errors::TOO_MANY_DASHBOARDS, &errors::VIEWERS_ONLY_READ]),
        Op::new("dashboards.trash.delete", Method::Delete, "/dashboards/trash/{dashboardId}", DECIDES, "Permanently delete a dashboard from Trash.", trash::purge).example(r#"{"dashboardId": "{goneDashboardId}"}"#)
            .permanent()
            .errors([&errors::VIEWERS_ONLY_READ]),
    ]
}

/// Filters and page of the list.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    /// Only dashboards of this workspace.
    workspace_id: Option<String>,
    /// Page size, 1 to 1,000. Default: 100.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<i64>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Leave out configs.
    #[serde(default)]
    brief: bool,
}

/// A dashboard in a list.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ListedDashboard {
    id: String,
    workspace_id: String,
    name: String,
    /// The stored config. Omitted with `brief`.
    #[serde(skip_serializing_if = "Option::is_none")]
    config: Option<Map<String, Value>>,
    /// Increases by one with each change. Send it as `If-Match`.
    revision: i64,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC.
    updated_at: String,
}

/// A page of dashboards, oldest first.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Dashboards {
    items: Vec<ListedDashboard>,
    /// `cursor` of the next page; null on the last.
    next_cursor: Option<String>,
}

/// The page after a record. It has at least one record, however large.
fn page(tx: &mut Tx<'_>, caller: &Caller, of: &List, limit: i64) -> Result<Dashboards> {
    let config = if of.brief { "''" } else { "config_json" };
    // IDs sort by creation time.
    let sql = format!(
        "SELECT dashboard_id, workspace_id, name, {config}, revision, created_ms, updated_ms FROM dashboards \
         WHERE account_id = $1 AND ($2 = '' OR workspace_id = $2) AND dashboard_id > $3 AND {} ORDER BY dashboard_id LIMIT $4",
        access::SEEN
    );
    let (scope, member) = access::seen_by(caller);
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
        _ => return Err(invalid("/limit", fault::OUT_OF_RANGE, format!("Use 1 to {PAGE_MAX}."))),
    };
    if let Some(workspace) = &input.workspace_id {
        ctx.service::<Workspaces>().expect(call.account(), workspace).await?;
    }
    ctx.db().read(move |tx| page(tx, &call.caller, &input, limit)).await
}

/// Requires that boards and members newly named in a config belong to the account. Those in `stored` are accepted, so
/// that a deleted board or a former member doesn't prevent saving.
async fn check_named(ctx: &Ctx, account: &str, config: &Config, stored: &Config) -> Result<()> {
    let connected = config::board_ids_in_order(config).into_iter();
    let connected = connected.map(|id| NamedBoard { id, pointer: "/config/boardIds".into() });
    let named = connected.chain(config::named_boards(config)).collect();
    expect_named_boards(ctx, account, named, &config::all_boards(stored)).await?;
    let kept: HashSet<String> = config::named_members(stored).into_iter().map(|(_, id)| id).collect();
    let new: Vec<(usize, String)> =
        config::named_members(config).into_iter().filter(|(_, id)| !kept.contains(id)).collect();
    let Some(members) = ctx.find_service::<Members>().filter(|_| !new.is_empty()) else { return Ok(()) };
    let strangers = members.0.missing(account, new.iter().map(|(_, id)| id.clone()).collect()).await?;
    match new.iter().find(|(_, id)| strangers.contains(id)) {
        None => Ok(()),
        Some((index, _)) => Err(unknown(fault::UNKNOWN_MEMBER, format!("/config/filters/people/ids/{index}"))),
    }
}

fn checked_name(name: &str) -> Result<String> {
    let name = name.trim();
    expect_name(name, NAME_CHARS_MAX, "/name")?;
    Ok(name.to_owned())
}

/// A dashboard to create.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Create {
    /// The workspace for the dashboard. Default: your only one.
    workspace_id: Option<String>,
    /// 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: String,
    /// `boardIds` (IDs, not names; at most 100; their order sets colors), `widgets` with a `layout` each (`{x, y, w, h}`, whole numbers
    /// on a 12-column grid; overlapping widgets are moved), `filters`, and other data to store. At most 1 MiB.
    #[serde(default)]
    config: Map<String, Value>,
}

async fn create(ctx: Ctx, call: Call, mut input: Create) -> Result<Created<Dashboard>> {
    let name = checked_name(&input.name)?;
    config::checked(&input.config)?;
    config::each_board_once(&mut input.config);
    let workspace_id = ctx.service::<Workspaces>().named_or_only(call.account(), input.workspace_id).await?;
    check_named(&ctx, call.account(), &input.config, &Map::new()).await?;
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    ctx.db()
        .write(move |tx| {
            let account = call.account();
            let count: i64 = tx.query_one(
                "SELECT count(*) FROM dashboards WHERE account_id = $1 AND workspace_id = $2",
                params![account, &workspace_id],
                |row| row.get(0),
            )?;
            if count >= DASHBOARDS_MAX {
                return Err(errors::TOO_MANY_DASHBOARDS.error(format!("The limit is {DASHBOARDS_MAX} dashboards per workspace. Delete one.")));
            }
            let record = Dashboard {
                id: new_id(),
                workspace_id,
                name,
                config: input.config,
                revision: 1,
                created_at: rfc3339(now_ms),
                updated_at: rfc3339(now_ms),
                proposal: None,
            };
            tx.execute(
                "INSERT INTO dashboards (account_id, dashboard_id, workspace_id, name, config_json, revision, created_ms, updated_ms) \
                 VALUES ($1, $2, $3, $4, $5, 1, $6, $6)",
                params![account, &record.id, &record.workspace_id, &record.name, json!(record.config).to_string(), now_ms],
            )?;
            let after = json!({"name": record.name});
            tx.record(&call.caller, now_ms, Change { subject: "dashboard", subject_id: &record.id, field: "", before: None, after: Some(&after) })?;
            announce(tx, &bus, account, &record.id, 1)?;
            Ok(Created { location: format!("/dashboards/{}", record.id), record })
        })
        .await
}

async fn get(ctx: Ctx, call: Call, input: Id) -> Result<Cached<Dashboard>> {
    let caller = call.caller.clone();
    let record = ctx.db().read(move |tx| record::read(tx, &caller, &input.dashboard_id, Need::Read)).await?;
    let etag = format!("\"{}\"", record.revision);
    Ok(Cached::new(&call, &etag, || serde_json::to_vec(&record).expect("answers serialize").into()))
}

/// Changes to a dashboard. Omitted fields stay unchanged.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Update {
    dashboard_id: String,
    /// 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NAME))]
    name: Option<String>,
    /// Replaces the whole config. At most 100 boards and 1 MiB.
    config: Option<Map<String, Value>>,
}

async fn update(ctx: Ctx, call: Call, mut input: Update) -> Result<Outcome<Dashboard, 200>> {
    let name = input.name.as_deref().map(checked_name).transpose()?;
    input.config.as_ref().map(config::checked).transpose()?;
    input.config.as_mut().map(config::each_board_once);
    let (caller, id) = (call.caller.clone(), input.dashboard_id.clone());
    let stored = ctx.db().read(move |tx| record::read(tx, &caller, &id, Need::Write)).await?;
    if let Some(config) = &input.config {
        check_named(&ctx, call.account(), config, &stored.config).await?;
    }
    let edit = move |now: &Doc, doc: &mut Doc| {
        let changed = Doc {
            name: name.unwrap_or_else(|| now.name.clone()),
            config: input.config.unwrap_or_else(|| now.config.clone()),
        };
        // Adds to the caller's open proposal, if any, in which widgets are identified by ID.
        *doc = match *doc == *now {
            true => changed,
            false => {
                let config = config::with_ids(&changed.config);
                merge::laid_onto(doc, now, &Doc { config, ..changed })
            }
        };
        Ok(())
    };
    let (record, ()) = proposals::change(&ctx, call, input.dashboard_id, edit).await?;
    Ok(if record.proposal.is_some() { Outcome::Proposed(record) } else { Outcome::Done(record) })
}

async fn delete(ctx: Ctx, call: Call, input: Id) -> Result<Done> {
    if proposals::is_to_propose(&ctx, &call, &input.dashboard_id) {
        let detail =
            "A person has this dashboard open. Nothing was deleted. Ask the owner, or try again after it's closed.";
        return Err(errors::PERSON_HAS_IT_OPEN.error(detail));
    }
    let (now_ms, bus, publications) = (ctx.now_ms(), ctx.events(), ctx.service::<Publications>());
    ctx.db()
        .write(move |tx| {
            let account = call.account();
            let old = record::read(tx, &call.caller, &input.dashboard_id, Need::Write)?;
            call.expects(old.revision)?;
            publish::withdraw(tx, &call, &bus, publications, now_ms, &old.id)?;
            trash::put_away(tx, account, &old.id, now_ms)?;
            // The whole dashboard is in the trash until it's permanently deleted.
            let before = json!({"name": old.name, "widgets": config::widgets(&old.config).len()});
            tx.record(
                &call.caller,
                now_ms,
                Change { subject: "dashboard", subject_id: &old.id, field: "", before: Some(&before), after: None },
            )?;
            announce(tx, &bus, account, &old.id, 0)?;
            Ok(Done)
        })
        .await
}

#[cfg(test)]
mod tests;
