//! The settings that govern the control server itself, and the restart of the program.

use crate::errors::RESTART_DISABLED;
use kit::error::{CONFLICT, FORBIDDEN};
use kit::lookup::FirstAccount;
use kit::setting::{Applies, toggle};
use kit::{Accepted, Call, CallerSet, Ctx, Kind, Method, Op, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

kit::settings! {
    /// Lets scripts restart Pilothouse through the control server. When off, only the restart button works.
    allowAgentAppRestart: bool = toggle(false).stated().installation();
    /// Runs the control server on port 19519. When off, scripts and sessions can't connect.
    cliServerEnabled: bool = toggle(true).stated().applies(Applies::NextStart).installation().also_called("HTTP API, MCP, automation");
}

/// Restarts the program; provided by the app while it runs.
pub struct RestartHook {
    restart: Box<dyn Fn() -> std::result::Result<(), String> + Send + Sync>,
    instance: Option<String>,
}

impl RestartHook {
    /// Called for each restart that may be; it returns before the program ends, so that the answer still goes out. Nothing
    /// ends where it says why the program could not start again.
    pub fn new(restart: impl Fn() -> std::result::Result<(), String> + Send + Sync + 'static) -> Self {
        RestartHook { restart: Box::new(restart), instance: None }
    }
    /// Names this run of the program, so that a caller can tell the next one from it.
    pub fn of_instance(self, instance_id: &str) -> Self {
        RestartHook { instance: Some(instance_id.to_owned()), ..self }
    }
}

pub(crate) fn ops() -> Vec<Op> {
    vec![
        // No scope: for a session, too, the setting alone decides, and the refusal names it.
        Op::new(
            "app.restart",
            Method::Post,
            "/app/restart",
            CallerSet::PERSON_AND_AGENTS,
            "Restart Pilothouse with the same data directory. Scripts need allowAgentAppRestart.",
            restart,
        )
        .errors([&RESTART_DISABLED]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParams {}

/// The restart was accepted.
#[derive(Serialize, JsonSchema)]
struct Restarting {
    restarting: bool,
    /// ID of the run that ends. `GET /health` returns another `instanceId` once the next run is ready.
    instance: Option<String>,
}

async fn restart(ctx: Ctx, call: Call, _: NoParams) -> Result<Accepted<Restarting>> {
    if (call.caller.kind != Kind::Owner || call.is_of_agent()) && !ctx.setting(call.account(), &allowAgentAppRestart) {
        let remedy = match call.is_of_agent() {
            true => "Ask the owner to restart it, or to turn the setting on.",
            false => "Restart it from the page, or turn the setting on.",
        };
        let detail = format!("The setting allowAgentAppRestart is off, so scripts can't restart Pilothouse. {remedy}");
        return Err(RESTART_DISABLED.error(detail).with("setting", "allowAgentAppRestart"));
    }
    // It ends everyone's sessions, as its setting holds for everyone.
    let first = ctx.find_service::<FirstAccount>();
    if first.is_some_and(|first| *first.0 != *call.account()) {
        return Err(FORBIDDEN.error("Only the first account can restart Pilothouse."));
    }
    // Operations can also be called on the data directory of a stopped program.
    let hook = ctx.find_service::<RestartHook>();
    let hook = hook.ok_or_else(|| CONFLICT.error("Pilothouse isn't running. Start it with `pilothouse`."))?;
    (hook.restart)().map_err(|why| {
        CONFLICT
            .error(format!("Pilothouse couldn't start again ({why}), so it keeps running. Reinstall it, then restart."))
    })?;
    Ok(Accepted(Restarting { restarting: true, instance: hook.instance.clone() }))
}
