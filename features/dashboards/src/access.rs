//! Who may see a dashboard. Nobody invited: every member of the account, as before there were invitations. Somebody invited:
//! of the members only they, as viewers or editors; for the others there is no such dashboard. The account's owner, the
//! command line and agents, whom scopes bind, are not members and are never kept out. Who sees a dashboard is a person's
//! decision: no session invites, or opens to everybody by taking the last invitation back.
//!
//! An invitation stays when its member leaves the directory: a dashboard that was for a few does not become everybody's.

use crate::errors::VIEWERS_ONLY_READ;
use kit::{Caller, Kind, Result, not_found, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::{Tx, params};

/// Role of an invited member.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    /// Can view the dashboard.
    Viewer,
    /// Can also change it.
    Editor,
}

impl Role {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::Editor => "editor",
        }
    }
    fn from_name(name: &str) -> Role {
        if name == Role::Editor.name() { Role::Editor } else { Role::Viewer }
    }
}

/// The access that a caller needs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Read,
    Write,
}

/// Condition on `dashboards` for the visible ones, with `$5` and `$6` from [`seen_by`].
pub(crate) const SEEN: &str = "($5 = 'all' OR NOT EXISTS (SELECT 1 FROM dashboard_members m WHERE m.account_id = dashboards.account_id \
     AND m.dashboard_id = dashboards.dashboard_id) OR EXISTS (SELECT 1 FROM dashboard_members m WHERE m.account_id = dashboards.account_id \
     AND m.dashboard_id = dashboards.dashboard_id AND m.member_id = $6))";

/// `$5` and `$6` of [`SEEN`].
pub(crate) fn seen_by(caller: &Caller) -> (&'static str, &str) {
    let scope = if caller.kind == Kind::Member { "invited" } else { "all" };
    (scope, caller.member.as_deref().unwrap_or_default())
}

/// Rejects a caller without this access. For callers who can't see the dashboard, it doesn't exist.
pub(crate) fn expect(tx: &mut Tx<'_>, caller: &Caller, dashboard: &str, need: Need) -> Result<()> {
    if caller.kind != Kind::Member {
        return Ok(());
    }
    let invited = self::invited(tx, &caller.account, dashboard)?;
    if invited.is_empty() {
        return Ok(());
    }
    let me = caller.member.as_deref();
    match invited.iter().find(|one| Some(one.member_id.as_str()) == me) {
        None => Err(not_found()),
        Some(Invited { role: Role::Viewer, .. }) if need == Need::Write => Err(VIEWERS_ONLY_READ
            .error("You are a viewer of this dashboard. Nothing was changed. Ask the owner to make you an editor.")),
        Some(_) => Ok(()),
    }
}

/// Whether the caller is a member who was invited to the dashboard.
pub(crate) fn is_invited(tx: &mut Tx<'_>, caller: &Caller, dashboard: &str) -> Result<bool> {
    let invited = self::invited(tx, &caller.account, dashboard)?;
    Ok(invited.iter().any(|one| Some(one.member_id.as_str()) == caller.member.as_deref()))
}

/// Members who receive events of a dashboard: the invited ones, or all if nobody is invited.
pub(crate) fn heard_by<'a>(invited: impl Iterator<Item = &'a str>) -> Option<Arc<[String]>> {
    let ids: Vec<String> = invited.map(str::to_owned).collect();
    (!ids.is_empty()).then(|| ids.into())
}

/// Members who currently receive events of a dashboard.
pub(crate) fn audience(tx: &mut Tx<'_>, account: &str, dashboard: &str) -> Result<Option<Arc<[String]>>> {
    Ok(heard_by(invited(tx, account, dashboard)?.iter().map(|one| one.member_id.as_str())))
}

/// An invited member.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invited {
    pub(crate) member_id: String,
    pub(crate) role: Role,
    /// RFC 3339 in UTC.
    pub(crate) invited_at: String,
}

pub(crate) fn invited(tx: &mut Tx<'_>, account: &str, dashboard: &str) -> Result<Vec<Invited>> {
    const ALL: &str = "SELECT member_id, role, invited_ms FROM dashboard_members WHERE account_id = $1 AND dashboard_id = $2 \
                       ORDER BY invited_ms, member_id";
    tx.query(ALL, params![account, dashboard], |row| {
        Ok(Invited { member_id: row.get(0)?, role: Role::from_name(row.get(1)?), invited_at: rfc3339(row.get(2)?) })
    })
}

/// Removes all invitations of a deleted dashboard.
pub(crate) fn forget(tx: &mut Tx<'_>, account: &str, dashboard: &str) -> Result<()> {
    tx.execute(
        "DELETE FROM dashboard_members WHERE account_id = $1 AND dashboard_id = $2",
        params![account, dashboard],
    )?;
    Ok(())
}
