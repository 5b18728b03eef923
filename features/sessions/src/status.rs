//! How the running program stands, where that differs from what is set.

use crate::settings::sessionStoreV2Enabled;
use kit::lookup::FirstAccount;
use kit::{Call, Ctx, Method, Op, Result, Who};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the program started with the rebuilt engine of sessions.
pub(crate) struct StartedWith(pub(crate) bool);

/// What is set: the installation's value is the first account's.
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
            Who::PERSON_AND_AGENTS,
            "Reads how the running program stands: which engine of sessions it uses, and whether another one waits for a restart.",
            status,
        )
        .scope("sessions:read"),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// How the program stands.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Status {
    session_engine: Chosen,
}

/// What is used and what is set, of something that is chosen when the program starts.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Chosen {
    /// `v1` or `v2`: used since the program started.
    running: &'static str,
    /// `v1` or `v2`: set now (sessionStoreV2Enabled).
    set: &'static str,
    /// Whether they differ.
    pending_restart: bool,
    /// `restart to apply` where they differ, else null.
    note: Option<&'static str>,
}

async fn status(ctx: Ctx, _: Call, _: Nothing) -> Result<Status> {
    let (running, set) = (ctx.service::<StartedWith>().0, is_rebuilt(&ctx));
    let name = |rebuilt| if rebuilt { "v2" } else { "v1" };
    let note = (running != set).then_some("restart to apply");
    Ok(Status {
        session_engine: Chosen { running: name(running), set: name(set), pending_restart: running != set, note },
    })
}
