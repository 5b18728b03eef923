//! Dashboards: which boards are connected, which widgets stand where, which filters hold. A page computes the values for
//! itself; for agents and scripts they are computed here, by the same engine from the same config.
//!
//! Invariants: the config is kept byte for byte in meaning, unknown members included; it names no board of another account;
//! what was acknowledged is never lost to a later writer who did not know of it (`If-Match`).
//! Deliberately not here: the meaning of a widget (`crates/widgets`), and computed values that are kept, but for what was
//! published.

mod apps;
mod check;
mod config;
mod differences;
mod edit;
mod grid;
mod items;
mod members;
mod merge;
mod part;
mod proposals;
mod publish;
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

use config::{Config, NamedBoard};
use events::{Event, HasEvents};
use kit::error::{NAMED_NOT_FOUND, unknown};
use kit::fault;
use kit::lookup::{Boards, Members, Workspaces};
use kit::op::limits::LARGE_BYTES;
use kit::text::{CURSOR, NAME, expect_name, id_cursor};
use kit::{
    Cached, Call, Caller, CallerSet, Created, Ctx, Done, Feature, Method, Migration, Op, Result, invalid, new_id,
    rfc3339,
};
use members::Need;
use merge::Doc;
use proposals::{Outcome, ProposalRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;
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
            Migration { number: 3, sql: include_str!("../migrations/003_publications.sql") },
            Migration { number: 4, sql: include_str!("../migrations/004_proposals.sql") },
            Migration { number: 5, sql: include_str!("../migrations/005_trash.sql") },
            Migration { number: 6, sql: include_str!("../migrations/006_snapshots.sql") },
            Migration { number: 8, sql: include_str!("../migrations/008_published_in.sql") },
            Migration { number: 9, sql: include_str!("../migrations/009_apps.sql") },
            Migration { number: 10, sql: include_str!("../migrations/010_published_texts.sql") },
            Migration { number: 11, sql: include_str!("../migrations/011_ended_publications.sql") },
        ],
        errors: errors::CODES,
        faults: faults::FAULTS,
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
        background_tasks: vec![snapshots::background_task(), sweep::background_task()],
        stop: kit::NOTHING_TO_END,
    }
}

async fn start(ctx: Ctx) -> Result<()> {
    ctx.provide(Arc::new(show::Computing::default()));
    ctx.provide(Arc::new(proposals::Opened::default()));
    publish::start(&ctx).await?;
    apps::start(&ctx).await
}

/// What is wrong at single places.
pub mod faults {
    kit::faults! {
        INERT_RULE = "inert-rule" : "The rule has no effect, or less than it should. The detail says why.";
        MOVED_LAYOUT = "moved-layout" : "The page draws the widget elsewhere. The detail says where.";
        NO_SUCH_PART = "no-such-part" : "The widget has no such part, or no values.";
        UNKNOWN_KIND = "unknown-kind" : "Unknown widget kind.";
        UNKNOWN_WIDGET = "unknown-widget" : "No widget has this id.";
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        BOARD_NOT_FOUND = 404 "board-not-found" "Board not found" : "The config names a board that isn't this account's: in `boardIds`, in a filter, or in the settings of a widget. Nothing was changed.";
        TOO_MUCH = 422 "dashboard-too-large" "Connected boards too large" : "The connected boards exceed the limit that the detail names. Connect fewer boards, or open the dashboard's page, which computes it.";
        TOO_SLOW = 422 "dashboard-too-slow" "Dashboard took too long" : "Computing the values, or waiting for other agents, took too long. Ask for single widgets with `widgetId`, or connect fewer boards.";
        TOO_MANY_DASHBOARDS = 409 "too-many-dashboards" "Dashboard limit reached" : "The limit is 1,000 dashboards per workspace. Delete one.";
        TOO_MANY_APPS = 409 "too-many-apps" "Address limit reached" : "The limit is 100 allowed addresses. Disallow one.";
        TOO_MANY_PROPOSALS = 409 "too-many-proposals" "Too many open proposals" : "A dashboard can have 10 open proposals. Ask the person to accept or decline one.";
        PROPOSAL_CHANGED = 409 "proposal-changed" "Proposal changed" : "The session changed its proposal since you read it. Read it again and accept it with its new digest.";
        PERSON_HAS_IT_OPEN = 409 "person-has-it-open" "Dashboard is open" : "A session can't delete a dashboard that a person has open. Ask the person, or try again when it is closed.";
        PROPOSAL_DECIDED = 409 "proposal-decided" "Proposal already decided" : "The proposal was accepted or declined before. The detail says which.";
        CONFIG_TOO_LARGE = 413 "config-too-large" "Config too large" : "The limit is 1 MiB as JSON. Remove widgets or rules.";
        PREVIEW_STALE = 409 "preview-stale" "Results changed since the preview" : "The results differ from those of `digest`. Check a new preview and publish with its digest.";
        PUBLIC_DOOR_SHUT = 503 "public-door-shut" "Can't open the publishing port" : "The port of published pages can't be opened. Free it, or start Pilothouse with `--publish-port`. The detail says why.";
        TOO_MANY_PUBLICATIONS = 409 "too-many-publications" "Publication limit reached" : "The limit is 100 published dashboards. Unpublish one.";
        PUBLICATION_TOO_LARGE = 413 "publication-too-large" "Results too large to publish" : "The limit is 4 MiB. Publish a dashboard with fewer widgets.";
        SNAPSHOTS_UNREADABLE = 500 "snapshots-unreadable" "Unreadable snapshots" : "The snapshots are damaged or from a newer version. Delete them to start over: `pilothouse dashboards snapshots delete ID`, or Daily snapshots in the dashboard's menu.";
        VIEWERS_ONLY_READ = 403 "viewers-only-read" "Viewers can't make changes" : "You are a viewer of this dashboard. Nothing was changed. Ask the owner to make you an editor (Invite, or `PUT /dashboards/{dashboardId}/members/{memberId}`).";
    }
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
        .scope("dashboards:read")
        .common()
        .errors([&NAMED_NOT_FOUND])
        .columns(&["id", "name", "revision", "updatedAt"]),
        Op::new("dashboards.create", Method::Post, "/dashboards", CallerSet::ANYONE_KNOWN, "Create a dashboard with up to 100 connected boards.", create)
            .scope("dashboards:write")
            .common()
            .body_up_to(REQUEST_BYTES_MAX)
            .errors([&errors::BOARD_NOT_FOUND, &NAMED_NOT_FOUND, &errors::CONFIG_TOO_LARGE, &errors::TOO_MANY_DASHBOARDS]),
        Op::new("dashboards.get", Method::Get, PATH, CallerSet::ANYONE_KNOWN, "Read a dashboard.", get)
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
        .scope("dashboards:write")
        .if_match()
        .errors([&errors::VIEWERS_ONLY_READ, &errors::PERSON_HAS_IT_OPEN]),
        Op::new("dashboards.schema", Method::Get, "/dashboards/schema", CallerSet::ANYONE_KNOWN, "Read the JSON Schema of dashboard configs, with the settings of every widget kind.", schema::get)
            .document()
            .scope("dashboards:read"),
        Op::new("dashboards.check", Method::Post, "/dashboards/check", CallerSet::ANYONE_KNOWN, "Check a config without storing it: problems by place, and what each widget would show.", check::check)
            .scope(READ_BOARDS)
            .reads()
            .body_up_to(REQUEST_BYTES_MAX)
            .errors([&errors::CONFIG_TOO_LARGE, &errors::TOO_MUCH, &errors::TOO_SLOW, &errors::SNAPSHOTS_UNREADABLE]),
        Op::new("dashboards.items", Method::Post, "/dashboards/{dashboardId}/widgets/{widgetId}/items", CallerSet::ANYONE_KNOWN, "List the items behind a widget or a part of it.", items::items)
            .scope(READ_BOARDS)
            .reads()
            .errors([&NAMED_NOT_FOUND, &errors::TOO_MUCH, &errors::TOO_SLOW, &errors::SNAPSHOTS_UNREADABLE])
            .columns(&["boardId", "itemId", "name", "group"]),
        Op::new("dashboards.widgets.add", Method::Post, "/dashboards/{dashboardId}/widgets", CallerSet::ANYONE_KNOWN, "Add a widget. Position and columns are found if left out; an agent's change of an open dashboard becomes a proposal (202).", edit::add)
            .scope("dashboards:write")
            .if_match()
            .common()
            .body_up_to(LARGE_BYTES)
            .errors([&errors::BOARD_NOT_FOUND, &errors::CONFIG_TOO_LARGE, &errors::TOO_MANY_PROPOSALS, &errors::VIEWERS_ONLY_READ]),
        Op::new("dashboards.widgets.update", Method::Patch, "/dashboards/{dashboardId}/widgets/{widgetId}", CallerSet::ANYONE_KNOWN, "Change a widget's title, settings, or position. An agent's change of an open dashboard becomes a proposal (202).", edit::change)
            .scope("dashboards:write")
            .if_match()
            .body_up_to(LARGE_BYTES)
            .errors([&errors::BOARD_NOT_FOUND, &NAMED_NOT_FOUND, &errors::CONFIG_TOO_LARGE, &errors::TOO_MANY_PROPOSALS, &errors::VIEWERS_ONLY_READ]),
        Op::new("dashboards.widgets.remove", Method::Delete, "/dashboards/{dashboardId}/widgets/{widgetId}", CallerSet::ANYONE_KNOWN, "Remove a widget. An agent's change of an open dashboard becomes a proposal (202).", edit::remove)
            .scope("dashboards:write")
            .if_match()
            .errors([&NAMED_NOT_FOUND, &errors::TOO_MANY_PROPOSALS, &errors::VIEWERS_ONLY_READ]),
        Op::new("dashboards.open", Method::Put, "/dashboards/{dashboardId}/windows/{windowId}", AT_PAGE, "Report that a page has a dashboard open, so that agents' changes become proposals. Repeat it in time.", proposals::open),
        Op::new("dashboards.close", Method::Delete, "/dashboards/{dashboardId}/windows/{windowId}", AT_PAGE, "Report that a page closed a dashboard.", proposals::close),
        Op::new("dashboards.proposals.list", Method::Get, "/dashboards/{dashboardId}/proposals", CallerSet::ANYONE_KNOWN, "List a dashboard's proposals and their outcomes.", proposals::list)
            .scope("dashboards:read")
            .columns(&["id", "state", "changes", "createdAt"]),
        Op::new("dashboards.proposals.get", Method::Get, "/dashboards/{dashboardId}/proposals/{proposalId}", CallerSet::ANYONE_KNOWN, "Read a proposal: state, changes, and the resulting config while it is open.", proposals::get)
            .document()
            .scope("dashboards:read"),
        Op::new("dashboards.proposals.accept", Method::Post, "/dashboards/{dashboardId}/proposals/{proposalId}/accept", DECIDES, "Accept a proposal and apply its changes to the current dashboard.", proposals::accept)
            .errors([&errors::PROPOSAL_DECIDED, &errors::PROPOSAL_CHANGED, &errors::CONFIG_TOO_LARGE, &errors::VIEWERS_ONLY_READ]),
        Op::new("dashboards.proposals.decline", Method::Post, "/dashboards/{dashboardId}/proposals/{proposalId}/decline", DECIDES, "Decline a proposal.", proposals::decline)
            .errors([&errors::PROPOSAL_DECIDED, &errors::VIEWERS_ONLY_READ]),
        Op::new("dashboards.trash.list", Method::Get, "/dashboards/trash", CallerSet::ANYONE_KNOWN, "List deleted dashboards, newest first.", trash::list)
            .scope("dashboards:read")
            .columns(&["id", "name", "at", "deletedAt"])
            .errors([&NAMED_NOT_FOUND]),
        Op::new("dashboards.restore", Method::Post, "/dashboards/{dashboardId}/restore", CallerSet::ANYONE_KNOWN, "Restore a deleted dashboard.", trash::restore)
            .scope("dashboards:write")
            .errors([&errors::TOO_MANY_DASHBOARDS, &errors::VIEWERS_ONLY_READ]),
        Op::new("dashboards.trash.delete", Method::Delete, "/dashboards/trash/{dashboardId}", DECIDES, "Permanently delete a dashboard from Trash.", trash::purge)
            .permanent()
            .errors([&errors::VIEWERS_ONLY_READ]),
    ]
}

/// What tells what boards hold needs what reading them needs.
const READ_BOARDS: &str = "dashboards:read boards:read";

/// Whose pages there are.
const AT_PAGE: CallerSet = CallerSet::OWNER.and(CallerSet::MEMBER);
/// Who decides about proposals: people, at the page or by script.
const DECIDES: CallerSet = CallerSet::PERSON.and(CallerSet::MEMBER);

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
    /// Where the change of an agent waits for a person who has the dashboard open: nothing is changed yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal: Option<ProposalRef>,
}

const READ: &str = "SELECT dashboard_id, workspace_id, name, config_json, revision, created_ms, updated_ms FROM dashboards WHERE account_id = $1";

pub(crate) fn config_of(row: &dyn Row) -> Result<Map<String, Value>> {
    let unreadable = |e| kit::error::INTERNAL.error("Couldn't read a stored config.").caused_by(e);
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
        proposal: None,
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
        _ => return Err(invalid("/limit", fault::OUT_OF_RANGE, format!("Use 1 to {PAGE_MAX}."))),
    };
    if let Some(workspace) = &input.workspace_id {
        ctx.service::<Workspaces>().expect(call.account(), workspace).await?;
    }
    ctx.db().read(move |tx| page(tx, &call.caller, &input, limit)).await
}

/// What a config newly names must be the account's, wherever it names it. What `stored` names already stays: a board that was
/// deleted since, or a member who left, doesn't keep the dashboard from being saved.
async fn check_named(ctx: &Ctx, account: &str, config: &Config, stored: &Config) -> Result<()> {
    let connected = config::board_ids_in_order(config).into_iter();
    let connected = connected.map(|id| NamedBoard { id, pointer: "/config/boardIds".into() });
    let named = connected.chain(config::named_boards(config)).collect();
    check_boards(ctx, account, named, &config::all_boards(stored)).await?;
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

/// Boards that are named must be the account's, but for those that are `kept`.
async fn check_boards(ctx: &Ctx, account: &str, named: Vec<NamedBoard>, kept: &HashSet<String>) -> Result<()> {
    match first_missing(ctx, account, named, kept).await? {
        None => Ok(()),
        // Which one isn't said: the answer is the same for another account's board and for none at all.
        Some(_) => {
            Err(errors::BOARD_NOT_FOUND
                .error("The config names a board that isn't this account's; nothing was changed."))
        }
    }
}

/// Boards that are looked up at once: a config can name more than an account has, and the first that is missing is enough.
const LOOKED_UP_AT_ONCE: usize = 100;

/// The first of the named boards that is not the account's and not `kept`.
async fn first_missing(
    ctx: &Ctx,
    account: &str,
    named: Vec<NamedBoard>,
    kept: &HashSet<String>,
) -> Result<Option<NamedBoard>> {
    let mut seen = kept.clone();
    let mut new: Vec<NamedBoard> = named.into_iter().filter(|board| seen.insert(board.id.clone())).collect();
    let boards = ctx.service::<Boards>();
    while !new.is_empty() {
        let rest = new.split_off(new.len().min(LOOKED_UP_AT_ONCE));
        let missing = boards.0.missing(account, new.iter().map(|board| board.id.clone()).collect()).await?;
        if let Some(found) = new.into_iter().find(|board| missing.contains(&board.id)) {
            return Ok(Some(found));
        }
        new = rest;
    }
    Ok(None)
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
    /// `boardIds` (at most 100, each once, in the order that decides colours), `widgets` with a `layout` each (`{x, y, w, h}`, four whole numbers; the page has 12 columns and
    /// moves what does not fit), `filters`, and what else the client keeps; at most 1 MiB.
    #[serde(default)]
    config: Map<String, Value>,
}

async fn create(ctx: Ctx, call: Call, mut input: Create) -> Result<Created<Dashboard>> {
    let name = checked_name(&input.name)?;
    config::checked(&input.config)?;
    config::each_board_once(&mut input.config);
    ctx.service::<Workspaces>().expect(call.account(), &input.workspace_id).await?;
    check_named(&ctx, call.account(), &input.config, &Map::new()).await?;
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
                return Err(errors::TOO_MANY_DASHBOARDS.error(format!("The limit is {DASHBOARDS_MAX} dashboards per workspace. Delete one.")));
            }
            let record = Dashboard {
                id: new_id(),
                workspace_id: input.workspace_id,
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

/// Tells those who may see a dashboard that it changed.
fn announce(tx: &mut Tx<'_>, bus: &Arc<events::Bus>, account: &str, id: &str, revision: i64) -> Result<()> {
    tell(tx, bus, account, id, Event::DashboardChanged { dashboard_id: id.to_owned(), revision })
}

/// Tells an event of a dashboard to those who may see it.
fn tell(tx: &mut Tx<'_>, bus: &Arc<events::Bus>, account: &str, id: &str, event: Event) -> Result<()> {
    let audience = members::audience(tx, account, id)?;
    let (account, bus) = (account.to_owned(), bus.clone());
    tx.after_commit(move || bus.emit_among(Some(&account), audience, event));
    Ok(())
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

async fn update(ctx: Ctx, call: Call, mut input: Update) -> Result<Outcome<Dashboard, 200>> {
    let name = input.name.as_deref().map(checked_name).transpose()?;
    input.config.as_ref().map(config::checked).transpose()?;
    input.config.as_mut().map(config::each_board_once);
    let (caller, id) = (call.caller.clone(), input.dashboard_id.clone());
    let stored = ctx.db().read(move |tx| read_one(tx, &caller, &id, Need::Write)).await?;
    if let Some(config) = &input.config {
        check_named(&ctx, call.account(), config, &stored.config).await?;
    }
    let edit = move |now: &Doc, doc: &mut Doc| {
        let changed = Doc {
            name: name.unwrap_or_else(|| now.name.clone()),
            config: input.config.unwrap_or_else(|| now.config.clone()),
        };
        // Beside what the caller has proposed already, where that waits; there widgets are told apart by ids.
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

/// Stores what a dashboard becomes, records it and tells of it; what is so already is no change.
fn store_doc(
    tx: &mut Tx<'_>,
    caller: &Caller,
    now_ms: i64,
    bus: &Arc<events::Bus>,
    old: Dashboard,
    doc: Doc,
) -> Result<Dashboard> {
    let account = &*caller.account;
    if doc.name == old.name && doc.config == old.config {
        return Ok(old);
    }
    let new = Dashboard {
        name: doc.name,
        config: doc.config,
        revision: old.revision + 1,
        updated_at: rfc3339(now_ms),
        ..old.clone()
    };
    tx.execute(
        "UPDATE dashboards SET name = $3, config_json = $4, revision = $5, updated_ms = $6 WHERE account_id = $1 AND dashboard_id = $2",
        params![account, &new.id, &new.name, json!(new.config).to_string(), new.revision, now_ms],
    )?;
    let mut record = |field, before: Value, after: Value| {
        let change =
            Change { subject: "dashboard", subject_id: &new.id, field, before: Some(&before), after: Some(&after) };
        tx.record(caller, now_ms, change)
    };
    if new.name != old.name {
        record("name", json!(old.name), json!(new.name))?;
    }
    if new.config != old.config {
        let (before, after) = differences::recorded(&old.config, &new.config);
        record("config", before, after)?;
    }
    announce(tx, bus, account, &new.id, new.revision)?;
    Ok(new)
}

async fn delete(ctx: Ctx, call: Call, input: Id) -> Result<Done> {
    if proposals::is_to_propose(&ctx, &call, &input.dashboard_id) {
        let detail = "A person has this dashboard open. Nothing was deleted.";
        return Err(errors::PERSON_HAS_IT_OPEN.error(detail));
    }
    let (now_ms, bus, publications) = (ctx.now_ms(), ctx.events(), ctx.service::<Publications>());
    ctx.db()
        .write(move |tx| {
            let account = call.account();
            let old = read_one(tx, &call.caller, &input.dashboard_id, Need::Write)?;
            call.expects(old.revision)?;
            publish::withdraw(tx, &call, &bus, publications, now_ms, &old.id)?;
            trash::put_away(tx, account, &old.id, now_ms)?;
            // What it was in full lies in the trash, and goes with that.
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
