//! Deleted dashboards: kept whole for 30 days, the newest of them, and brought back under their own id.

use crate::access::{self, Need};
use crate::errors::TOO_MANY_DASHBOARDS;
use crate::record::{self, DASHBOARDS_MAX, Dashboard, Id, announce, config_of};
use crate::{proposals, snapshots};
use events::HasEvents;
use kit::clock::DAY_MS;
use kit::lookup::Workspaces;
use kit::text::CURSOR;
use kit::{Call, Ctx, Done, Page, Part, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{Change, HasDb, Row, Tx, params};

/// How long a deleted dashboard can be brought back; as long as a board.
pub const TRASH_KEPT_MS: i64 = 30 * DAY_MS;

/// Deleted dashboards that an account keeps; the oldest of more go for good.
pub const TRASH_MAX: i64 = 500;

/// A deleted dashboard.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeletedDashboard {
    id: String,
    workspace_id: String,
    name: String,
    /// Time of deletion. RFC 3339 in UTC.
    at: String,
    /// Time of permanent deletion. RFC 3339 in UTC.
    deleted_at: String,
}

/// Filters and page of the list.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct List {
    /// Only dashboards of this workspace.
    workspace_id: Option<String>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

/// What was deleted after this can be brought back.
fn due_before(now_ms: i64) -> i64 {
    now_ms - TRASH_KEPT_MS
}

fn listed(row: &dyn Row) -> Result<DeletedDashboard> {
    let deleted_ms: i64 = row.get(3)?;
    Ok(DeletedDashboard {
        id: row.get(0)?,
        workspace_id: row.get(1)?,
        name: row.get(2)?,
        at: rfc3339(deleted_ms),
        deleted_at: rfc3339(deleted_ms + TRASH_KEPT_MS),
    })
}

pub(crate) async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<DeletedDashboard>> {
    if let Some(workspace) = &input.workspace_id {
        ctx.service::<Workspaces>().expect(call.account(), workspace).await?;
    }
    let now_ms = ctx.now_ms();
    let read = move |tx: &mut Tx<'_>| {
        let sql = "SELECT dashboard_id, workspace_id, name, deleted_ms FROM deleted_dashboards WHERE account_id = $1 \
             AND ($2 = '' OR workspace_id = $2) AND deleted_ms > $3 ORDER BY deleted_ms DESC, dashboard_id DESC";
        let workspace = input.workspace_id.as_deref().unwrap_or_default();
        let mut all = Vec::new();
        for one in tx.query(sql, params![call.account(), workspace, due_before(now_ms)], listed)? {
            if access::expect(tx, &call.caller, &one.id, Need::Read).is_ok() {
                all.push(one);
            }
        }
        Part { cursor: input.cursor, limit: input.limit }.page(all, |one| one.id.as_str().into())
    };
    ctx.db().read(read).await
}

/// Puts a dashboard away, in the hands of who deletes it.
pub(crate) fn put_away(tx: &mut Tx<'_>, account: &str, id: &str, now_ms: i64) -> Result<()> {
    tx.execute(
        "INSERT INTO deleted_dashboards (account_id, dashboard_id, workspace_id, name, config_json, revision, created_ms, deleted_ms) \
         SELECT account_id, dashboard_id, workspace_id, name, config_json, revision, created_ms, $3 FROM dashboards \
         WHERE account_id = $1 AND dashboard_id = $2",
        params![account, id, now_ms],
    )?;
    tx.execute("DELETE FROM dashboards WHERE account_id = $1 AND dashboard_id = $2", params![account, id])?;
    let over = "SELECT dashboard_id FROM deleted_dashboards WHERE account_id = $1 \
         ORDER BY deleted_ms DESC, dashboard_id DESC LIMIT 1000 OFFSET $2";
    let over: Vec<String> = tx.query(over, params![account, TRASH_MAX], |row| row.get(0))?;
    over.iter().try_for_each(|id| forget(tx, account, id))
}

/// Forgets what lies in the trash for longer than it is kept.
pub(crate) fn empty_due(tx: &mut Tx<'_>, now_ms: i64) -> Result<()> {
    let sql = "SELECT account_id, dashboard_id FROM deleted_dashboards WHERE deleted_ms <= $1";
    let due = tx.query(sql, params![due_before(now_ms)], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))?;
    due.iter().try_for_each(|(account, id)| forget(tx, account, id))
}

fn forget(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<()> {
    tx.execute("DELETE FROM deleted_dashboards WHERE account_id = $1 AND dashboard_id = $2", params![account, id])?;
    access::forget(tx, account, id)?;
    snapshots::forget(tx, account, id)?;
    proposals::forget(tx, account, id)
}

pub(crate) async fn restore(ctx: Ctx, call: Call, input: Id) -> Result<Dashboard> {
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    ctx.db()
        .write(move |tx| {
            let (account, id) = (call.account(), &input.dashboard_id);
            let sql = "SELECT workspace_id, name, revision, config_json, created_ms FROM deleted_dashboards \
                 WHERE account_id = $1 AND dashboard_id = $2 AND deleted_ms > $3";
            let read = |row: &dyn Row| {
                let (workspace, name): (String, String) = (row.get(0)?, row.get(1)?);
                // Reading it now refuses one that could never be read again.
                let config = json!(config_of(row)?).to_string();
                Ok((workspace, name, config, row.get::<i64>(2)?, row.get::<i64>(4)?))
            };
            let (workspace, name, config, revision, created_ms) =
                tx.query_one(sql, params![account, id, due_before(now_ms)], read)?;
            let count = "SELECT count(*) FROM dashboards WHERE account_id = $1 AND workspace_id = $2";
            if tx.query_one(count, params![account, &workspace], |row| row.get::<i64>(0))? >= DASHBOARDS_MAX {
                let detail = format!("Its workspace has {DASHBOARDS_MAX} dashboards, the limit. Delete one first.");
                return Err(TOO_MANY_DASHBOARDS.error(detail));
            }
            tx.execute(
                "INSERT INTO dashboards (account_id, dashboard_id, workspace_id, name, config_json, revision, created_ms, updated_ms) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                params![account, id, workspace, name, config, revision + 1, created_ms, now_ms],
            )?;
            tx.execute("DELETE FROM deleted_dashboards WHERE account_id = $1 AND dashboard_id = $2", params![account, id])?;
            let restored = record::read(tx, &call.caller, id, Need::Write)?;
            let after = json!({"name": restored.name});
            tx.record(&call.caller, now_ms, Change { subject: "dashboard", subject_id: id, field: "", before: None, after: Some(&after) })?;
            announce(tx, &bus, account, id, restored.revision)?;
            Ok(restored)
        })
        .await
}

/// Deletes one of the trash for good.
pub(crate) async fn purge(ctx: Ctx, call: Call, input: Id) -> Result<Done> {
    let now_ms = ctx.now_ms();
    ctx.db()
        .write(move |tx| {
            let (account, id) = (call.account(), &input.dashboard_id);
            let sql =
                "SELECT name FROM deleted_dashboards WHERE account_id = $1 AND dashboard_id = $2 AND deleted_ms > $3";
            let name: String = tx.query_one(sql, params![account, id, due_before(now_ms)], |row| row.get(0))?;
            access::expect(tx, &call.caller, id, Need::Write)?;
            forget(tx, account, id)?;
            let before = json!({"name": name});
            let change =
                Change { subject: "dashboard", subject_id: id, field: "trash", before: Some(&before), after: None };
            tx.record(&call.caller, now_ms, change)?;
            Ok(Done)
        })
        .await
}
