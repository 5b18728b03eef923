//! Members invited to a dashboard. `access` has the rules.

use crate::access::{Invited, Need, Role, heard_by, invited};
use crate::record::{self, Dashboard};
use events::{Bus, Event, HasEvents};
use kit::lookup::Members;
use kit::page::PAGE_MAX;
use kit::text::CURSOR;
use kit::{Call, Caller, CallerSet, Ctx, Done, Method, Op, Page, Part, Result, not_found, rfc3339};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use store::{Change, HasDb, Tx, params};

/// Maximum invitations of a dashboard.
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
        .example(r#"{"dashboardId": "{dashboardId}"}"#)
        .scope("dashboards:read")
        .columns(&["memberId", "role", "invitedAt"]),
        Op::new(
            "dashboards.members.put",
            Method::Put,
            ONE,
            CallerSet::PERSON,
            "Invite a member or change the role. After the first invitation, other members have no access.",
            put,
        )
        .example(r#"{"dashboardId": "{dashboardId}", "memberId": "{memberId}", "role": "editor"}"#),
        Op::new(
            "dashboards.members.remove",
            Method::Delete,
            ONE,
            CallerSet::PERSON,
            "Remove an invitation. Without invitations, every member can open and change the dashboard.",
            remove,
        )
        .example(r#"{"dashboardId": "{dashboardId}", "memberId": "{invitedId}"}"#),
    ]
}

/// A page of a dashboard's invitations.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct InvitedParams {
    dashboard_id: String,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: InvitedParams) -> Result<Page<Invited>> {
    let part = Part { cursor: input.cursor, limit: input.limit };
    ctx.db()
        .read(move |tx| {
            let dashboard = record::read(tx, &call.caller, &input.dashboard_id, Need::Read)?;
            part.page(invited(tx, call.account(), &dashboard.id)?, |one| one.member_id.as_str().into())
        })
        .await
}

/// A member to invite, with a role.
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
            let dashboard = record::read(tx, &call.caller, &input.dashboard_id, Need::Write)?;
            let all = invited(tx, account, &dashboard.id)?;
            let old = all.iter().find(|one| one.member_id == input.member_id);
            if old.is_none() && all.len() as i64 >= INVITED_MAX {
                let detail = format!("The limit is {INVITED_MAX} invited members.");
                return Err(kit::error::CONFLICT.error(detail));
            }
            let new = Invited {
                invited_at: old.map_or_else(|| rfc3339(now_ms), |old| old.invited_at.clone()),
                member_id: input.member_id,
                role: input.role,
            };
            let before = old.map(|old| old.role);
            if before == Some(new.role) {
                return Ok(new);
            }
            tx.execute(
                "INSERT INTO dashboard_members (account_id, dashboard_id, member_id, role, invited_ms) VALUES ($1, $2, $3, $4, $5) \
                 ON CONFLICT (account_id, dashboard_id, member_id) DO UPDATE SET role = excluded.role",
                params![account, &dashboard.id, &new.member_id, new.role.name(), now_ms],
            )?;
            record_change(tx, &call.caller, now_ms, &dashboard.id, &new.member_id, before, Some(new.role))?;
            announce(tx, bus, account, &dashboard, &all)?;
            Ok(new)
        })
        .await
}

/// Identifies an invitation.
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
            let dashboard = record::read(tx, &call.caller, &input.dashboard_id, Need::Write)?;
            let all = invited(tx, account, &dashboard.id)?;
            let old = all.iter().find(|one| one.member_id == input.member_id).ok_or_else(not_found)?;
            tx.execute(
                "DELETE FROM dashboard_members WHERE account_id = $1 AND dashboard_id = $2 AND member_id = $3",
                params![account, &dashboard.id, &old.member_id],
            )?;
            record_change(tx, &call.caller, now_ms, &dashboard.id, &old.member_id, Some(old.role), None)?;
            announce(tx, bus, account, &dashboard, &all)?;
            Ok(Done)
        })
        .await
}

/// Announces changed invitations, also to members who lost access.
fn announce(tx: &mut Tx<'_>, bus: Arc<Bus>, account: &str, dashboard: &Dashboard, before: &[Invited]) -> Result<()> {
    let now = invited(tx, account, &dashboard.id)?;
    let is_open = before.is_empty() || now.is_empty();
    let both = before.iter().chain(&now).filter(|_| !is_open);
    let audience = heard_by(both.map(|one| one.member_id.as_str()));
    let event = Event::DashboardChanged { dashboard_id: dashboard.id.clone(), revision: dashboard.revision };
    let account = account.to_owned();
    tx.after_commit(move || bus.emit_among(Some(&account), audience, event));
    Ok(())
}

fn record_change(
    tx: &mut Tx<'_>,
    caller: &Caller,
    now_ms: i64,
    dashboard: &str,
    member: &str,
    before: Option<Role>,
    after: Option<Role>,
) -> Result<()> {
    let entry = |role: Option<Role>| role.map(|role| json!({"memberId": member, "role": role.name()}));
    let (before, after): (Option<Value>, Option<Value>) = (entry(before), entry(after));
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
