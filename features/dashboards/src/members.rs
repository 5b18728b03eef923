//! Who may see a dashboard. Nobody invited: every member of the account, as before there were invitations. Somebody invited:
//! of the members only they, as viewers or editors; for the others there is no such dashboard. The account's owner, the
//! command line and agents, whom scopes bind, are not members and are never kept out. Who sees a dashboard is a person's
//! decision: no session invites, or opens to everybody by taking the last invitation back.
//!
//! An invitation stays when its member leaves the directory: a dashboard that was for a few does not become everybody's.

use super::{Dashboard, errors, read_one};
use events::{Bus, Event, HasEvents};
use kit::lookup::Members;
use kit::page::PAGE_MAX;
use kit::text::CURSOR;
use kit::{Call, Caller, CallerSet, Ctx, Done, Kind, Method, Op, Page, Part, Result, not_found, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use store::{Change, HasDb, Tx, params};

/// Invitations of a dashboard.
const INVITED_MAX: i64 = 500;

pub(super) fn ops() -> Vec<Op> {
    const PATH: &str = "/dashboards/{dashboardId}/members";
    const ONE: &str = "/dashboards/{dashboardId}/members/{memberId}";
    vec![
        Op::new(
            "dashboards.members.list",
            Method::Get,
            PATH,
            CallerSet::ANYONE_KNOWN,
            "List the members invited to a dashboard. Without invitations, every member can open and change it.",
            list,
        )
        .scope("dashboards:read")
        .columns(&["memberId", "role", "invitedAt"]),
        Op::new(
            "dashboards.members.put",
            Method::Put,
            ONE,
            CallerSet::PERSON,
            "Invite a member or change the role. After the first invitation, other members have no access.",
            put,
        ),
        Op::new(
            "dashboards.members.remove",
            Method::Delete,
            ONE,
            CallerSet::PERSON,
            "Remove an invitation. Without invitations, every member can open and change the dashboard.",
            remove,
        ),
    ]
}

/// What somebody who is invited may do.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
enum Role {
    /// Reads the dashboard.
    Viewer,
    /// Changes it too.
    Editor,
}

impl Role {
    const fn name(self) -> &'static str {
        match self {
            Role::Viewer => "viewer",
            Role::Editor => "editor",
        }
    }
    fn read(name: &str) -> Role {
        if name == Role::Editor.name() { Role::Editor } else { Role::Viewer }
    }
}

/// What a caller asks to do with a dashboard.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Read,
    Write,
}

/// The rule by which a list leaves dashboards out, as a condition on `dashboards`, and what its `$5` and `$6` are.
pub(super) const SEEN: &str = "($5 = 'all' OR NOT EXISTS (SELECT 1 FROM dashboard_members m WHERE m.account_id = dashboards.account_id \
     AND m.dashboard_id = dashboards.dashboard_id) OR EXISTS (SELECT 1 FROM dashboard_members m WHERE m.account_id = dashboards.account_id \
     AND m.dashboard_id = dashboards.dashboard_id AND m.member_id = $6))";

/// `$5` and `$6` of [`SEEN`].
pub(super) fn seen_by(caller: &Caller) -> (&'static str, &str) {
    let scope = if caller.kind == Kind::Member { "invited" } else { "all" };
    (scope, caller.member.as_deref().unwrap_or_default())
}

/// Refuses a caller who may not do this with the dashboard: one who may not see it learns nothing of it.
pub(super) fn expect(tx: &mut Tx<'_>, caller: &Caller, dashboard: &str, need: Need) -> Result<()> {
    if caller.kind != Kind::Member {
        return Ok(());
    }
    let invited = read(tx, &caller.account, dashboard)?;
    if invited.is_empty() {
        return Ok(());
    }
    let me = caller.member.as_deref();
    match invited.iter().find(|one| Some(one.member_id.as_str()) == me) {
        None => Err(not_found()),
        Some(Invited { role: Role::Viewer, .. }) if need == Need::Write => {
            Err(errors::VIEWERS_ONLY_READ.error("You are a viewer of this dashboard. Nothing was changed."))
        }
        Some(_) => Ok(()),
    }
}

/// Whether the caller is a member who was invited to the dashboard.
pub(super) fn is_invited(tx: &mut Tx<'_>, caller: &Caller, dashboard: &str) -> Result<bool> {
    let invited = read(tx, &caller.account, dashboard)?;
    Ok(invited.iter().any(|one| Some(one.member_id.as_str()) == caller.member.as_deref()))
}

/// Who of the members hears of a dashboard: those who are invited, and all where nobody is.
fn heard_by<'a>(invited: impl Iterator<Item = &'a str>) -> Option<Arc<[String]>> {
    let ids: Vec<String> = invited.map(str::to_owned).collect();
    (!ids.is_empty()).then(|| ids.into())
}

/// Who of the members hears of a dashboard as it is now.
pub(super) fn audience(tx: &mut Tx<'_>, account: &str, dashboard: &str) -> Result<Option<Arc<[String]>>> {
    Ok(heard_by(read(tx, account, dashboard)?.iter().map(|one| one.member_id.as_str())))
}

/// Of which dashboard, and which part.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Of {
    dashboard_id: String,
    /// From an earlier answer.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// 1 to 10000; the whole list where left out.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<i64>,
}

/// Somebody who is invited.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Invited {
    member_id: String,
    role: Role,
    /// RFC 3339 in UTC.
    invited_at: String,
}

fn read(tx: &mut Tx<'_>, account: &str, dashboard: &str) -> Result<Vec<Invited>> {
    const ALL: &str = "SELECT member_id, role, invited_ms FROM dashboard_members WHERE account_id = $1 AND dashboard_id = $2 \
                       ORDER BY invited_ms, member_id";
    tx.query(ALL, params![account, dashboard], |row| {
        Ok(Invited { member_id: row.get(0)?, role: Role::read(row.get(1)?), invited_at: rfc3339(row.get(2)?) })
    })
}

async fn list(ctx: Ctx, call: Call, input: Of) -> Result<Page<Invited>> {
    let part = Part { cursor: input.cursor, limit: input.limit };
    ctx.db()
        .read(move |tx| {
            let dashboard = read_one(tx, &call.caller, &input.dashboard_id, Need::Read)?;
            part.page(read(tx, call.account(), &dashboard.id)?, |one| one.member_id.as_str().into())
        })
        .await
}

/// Whom to invite, and as what.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Put {
    dashboard_id: String,
    member_id: String,
    role: Role,
}

async fn put(ctx: Ctx, call: Call, input: Put) -> Result<Invited> {
    let directory = ctx.service::<Members>();
    if !directory.0.missing(call.account(), vec![input.member_id.clone()]).await?.is_empty() {
        return Err(not_found());
    }
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    ctx.db()
        .write(move |tx| {
            let account = call.account();
            let dashboard = read_one(tx, &call.caller, &input.dashboard_id, Need::Write)?;
            let all = read(tx, account, &dashboard.id)?;
            let old = all.iter().find(|one| one.member_id == input.member_id);
            if old.is_none() && all.len() as i64 >= INVITED_MAX {
                let detail = format!("The limit is {INVITED_MAX} invited members.");
                return Err(kit::error::CONFLICT.error(detail));
            }
            let invited = Invited {
                invited_at: old.map_or_else(|| rfc3339(now_ms), |old| old.invited_at.clone()),
                member_id: input.member_id,
                role: input.role,
            };
            let before = old.map(|old| old.role);
            if before == Some(invited.role) {
                return Ok(invited);
            }
            tx.execute(
                "INSERT INTO dashboard_members (account_id, dashboard_id, member_id, role, invited_ms) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (account_id, dashboard_id, member_id) DO UPDATE SET role = excluded.role",
                params![account, &dashboard.id, &invited.member_id, invited.role.name(), now_ms],
            )?;
            record(tx, &call.caller, now_ms, &dashboard.id, &invited.member_id, before, Some(invited.role))?;
            announce(tx, bus, account, &dashboard, &all)?;
            Ok(invited)
        })
        .await
}

/// Whose invitation.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct One {
    dashboard_id: String,
    member_id: String,
}

async fn remove(ctx: Ctx, call: Call, input: One) -> Result<Done> {
    let (now_ms, bus) = (ctx.now_ms(), ctx.events());
    ctx.db()
        .write(move |tx| {
            let account = call.account();
            let dashboard = read_one(tx, &call.caller, &input.dashboard_id, Need::Write)?;
            let all = read(tx, account, &dashboard.id)?;
            let old = all.iter().find(|one| one.member_id == input.member_id).ok_or_else(not_found)?;
            tx.execute(
                "DELETE FROM dashboard_members WHERE account_id = $1 AND dashboard_id = $2 AND member_id = $3",
                params![account, &dashboard.id, &old.member_id],
            )?;
            record(tx, &call.caller, now_ms, &dashboard.id, &old.member_id, Some(old.role), None)?;
            announce(tx, bus, account, &dashboard, &all)?;
            Ok(Done)
        })
        .await
}

/// Tells of other invitations those who saw the dashboard before, too: for some of them it is no more.
fn announce(tx: &mut Tx<'_>, bus: Arc<Bus>, account: &str, dashboard: &Dashboard, before: &[Invited]) -> Result<()> {
    let now = read(tx, account, &dashboard.id)?;
    let is_open = before.is_empty() || now.is_empty();
    let both = before.iter().chain(&now).filter(|_| !is_open);
    let audience = heard_by(both.map(|one| one.member_id.as_str()));
    let event = Event::DashboardChanged { dashboard_id: dashboard.id.clone(), revision: dashboard.revision };
    let account = account.to_owned();
    tx.after_commit(move || bus.emit_among(Some(&account), audience, event));
    Ok(())
}

/// Takes back all invitations of a dashboard that is deleted.
pub(super) fn forget(tx: &mut Tx<'_>, account: &str, dashboard: &str) -> Result<()> {
    tx.execute(
        "DELETE FROM dashboard_members WHERE account_id = $1 AND dashboard_id = $2",
        params![account, dashboard],
    )?;
    Ok(())
}

fn record(
    tx: &mut Tx<'_>,
    caller: &Caller,
    now_ms: i64,
    dashboard: &str,
    member: &str,
    before: Option<Role>,
    after: Option<Role>,
) -> Result<()> {
    let of = |role: Option<Role>| role.map(|role| json!({"memberId": member, "role": role.name()}));
    let (before, after): (Option<Value>, Option<Value>) = (of(before), of(after));
    let change = Change {
        subject: "dashboard",
        subject_id: dashboard,
        field: "members",
        before: before.as_ref(),
        after: after.as_ref(),
    };
    tx.record(caller, now_ms, change)?;
    Ok(())
}
