//! Stored dashboards: reading, storing, and announcing changes.

use crate::access::{self, Need};
use crate::differences;
use crate::merge::Doc;
use events::{Bus, Event};
use kit::{Caller, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use store::{Change, Row, Tx, params};

/// Maximum dashboards of a workspace.
pub(crate) const DASHBOARDS_MAX: i64 = 1_000;

/// A dashboard.
#[derive(Serialize, JsonSchema, Clone)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Dashboard {
    pub(crate) id: String,
    pub(crate) workspace_id: String,
    pub(crate) name: String,
    /// `boardIds`, `widgets`, `filters`, and other stored data.
    pub(crate) config: Map<String, Value>,
    /// Increases by one with each change. Send it as `If-Match`.
    pub(crate) revision: i64,
    /// RFC 3339 in UTC.
    pub(crate) created_at: String,
    /// RFC 3339 in UTC.
    pub(crate) updated_at: String,
    /// Set if an agent's change needs approval because a person has the dashboard open: nothing is changed yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) proposal: Option<ProposalRef>,
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

/// Reads a dashboard, if the caller has the needed access.
pub(crate) fn read(tx: &mut Tx<'_>, caller: &Caller, id: &str, need: Need) -> Result<Dashboard> {
    let read = tx.query_one(&format!("{READ} AND dashboard_id = $2"), params![&*caller.account, id], dashboard)?;
    access::expect(tx, caller, id, need)?;
    Ok(read)
}

/// A change that needs a person's approval.
#[derive(Serialize, JsonSchema, Clone)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProposalRef {
    /// ID. `GET /dashboards/{dashboardId}/proposals/{proposalId}` returns the outcome.
    pub(crate) id: String,
    pub(crate) state: ProposalState,
}

/// State of a proposal.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ProposalState {
    /// Not decided yet.
    Open,
    /// Applied to the dashboard.
    Accepted,
    /// Not applied.
    Declined,
}

impl ProposalState {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            ProposalState::Open => "open",
            ProposalState::Accepted => "accepted",
            ProposalState::Declined => "declined",
        }
    }
}

/// Stores, records, and announces a changed dashboard. Without differences, nothing happens.
pub(crate) fn store(
    tx: &mut Tx<'_>,
    caller: &Caller,
    now_ms: i64,
    bus: &Arc<Bus>,
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

/// Announces a change to everyone who can see the dashboard.
pub(crate) fn announce(tx: &mut Tx<'_>, bus: &Arc<Bus>, account: &str, id: &str, revision: i64) -> Result<()> {
    announce_event(tx, bus, account, id, Event::DashboardChanged { dashboard_id: id.to_owned(), revision })
}

/// Sends an event to everyone who can see the dashboard.
pub(crate) fn announce_event(tx: &mut Tx<'_>, bus: &Arc<Bus>, account: &str, id: &str, event: Event) -> Result<()> {
    let audience = access::audience(tx, account, id)?;
    let (account, bus) = (account.to_owned(), bus.clone());
    tx.after_commit(move || bus.emit_among(Some(&account), audience, event));
    Ok(())
}

/// Identifies a dashboard.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Id {
    pub(crate) dashboard_id: String,
}
