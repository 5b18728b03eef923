//! The status of the running program, where it differs from the settings.

use crate::settings::sessionStoreV2Enabled;
use kit::lookup::FirstAccount;
use kit::{Call, CallerSet, Ctx, Method, Op, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the program started with the new session store.
pub(crate) struct StartedWith(pub(crate) bool);

/// The current setting. For the installation, the first account's value counts.
pub(crate) fn is_rebuilt(ctx: &Ctx) -> bool {
    let first = ctx.find_service::<FirstAccount>().map(|first| first.0.clone());
    ctx.setting(first.as_deref().unwrap_or_default(), &sessionStoreV2Enabled)
}

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "app.status",
            Method::Get,
            "/status",
            CallerSet::PERSON_AND_AGENTS,
            "Get the status of the running app: the session store in use, and whether a restart would change it.",
            status,
        )
        .scope("sessions:read"),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParams {}

/// The app's status.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Status {
    session_engine: Chosen,
}

/// A choice that applies at the next start.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Chosen {
    /// `v1` or `v2`: in use.
    running: &'static str,
    /// `v1` or `v2`: as set by sessionStoreV2Enabled.
    set: &'static str,
    /// Whether they differ.
    pending_restart: bool,
    /// `restart to apply` if they differ, else null.
    note: Option<&'static str>,
}

async fn status(ctx: Ctx, _: Call, _: NoParams) -> Result<Status> {
    let (running, set) = (ctx.service::<StartedWith>().0, is_rebuilt(&ctx));
    let name = |rebuilt| if rebuilt { "v2" } else { "v1" };
    let note = (running != set).then_some("restart to apply");
    Ok(Status {
        session_engine: Chosen { running: name(running), set: name(set), pending_restart: running != set, note },
    })
}
