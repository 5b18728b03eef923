//! The status of the running program, where it differs from the settings.

use crate::settings::sessionStoreV2Enabled;
use kit::lookup::{FirstAccount, Served};
use kit::{Call, CallerSet, Ctx, DataDir, Method, Op, Result, rfc3339};
use schedule::HasSchedule;
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
            "Get the status of the running app: version, URL, data directory, session storage, and failing jobs.",
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
    version: &'static str,
    /// URL of the app; null while it's stopped.
    url: Option<String>,
    /// The data directory; null for agents.
    data_dir: Option<String>,
    /// The file of the command-line token; null for agents.
    token_file: Option<String>,
    session_engine: Chosen,
    /// Scheduled work that fails at present and is retried: jobs of the app, and your timers.
    failing: Vec<Failing>,
}

/// A job, or timers of one kind, whose last attempt failed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Failing {
    /// Name of the job, or kind of the timers, such as `boards.due`.
    name: String,
    /// Number of failing timers; null for a job.
    timers: Option<i64>,
    /// Failed attempts in a row.
    attempts: i64,
    /// When the last attempt failed.
    failed_at: String,
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

async fn status(ctx: Ctx, call: Call, _: NoParams) -> Result<Status> {
    let (running, set) = (ctx.service::<StartedWith>().0, is_rebuilt(&ctx));
    let name = |rebuilt| if rebuilt { "v2" } else { "v1" };
    let note = (running != set).then_some("restart to apply");
    let url = match ctx.find_service::<Served>() {
        Some(served) => Some((served.0)().await.to_string()),
        None => None,
    };
    let dir = ctx.find_service::<DataDir>().filter(|_| CallerSet::PERSON.has(call.caller.kind));
    let (data_dir, token_file) =
        dir.map(|dir| (dir.0.display().to_string(), dir.0.join("cli-token").display().to_string())).unzip();
    let failing = ctx.schedule().failing(&ctx, &call.caller.account).await?;
    let failing = failing.into_iter().map(|one| Failing {
        name: one.name,
        timers: one.timers,
        attempts: one.attempts,
        failed_at: rfc3339(one.failed_ms),
    });
    let failing = failing.collect();
    Ok(Status {
        version: env!("CARGO_PKG_VERSION"),
        url,
        data_dir,
        token_file,
        session_engine: Chosen { running: name(running), set: name(set), pending_restart: running != set, note },
        failing,
    })
}
