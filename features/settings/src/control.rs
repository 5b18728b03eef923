//! The settings that govern the control server itself, and the restart of the program.

use crate::errors::RESTART_DISABLED;
use kit::setting::{Applies, toggle};
use kit::{Call, Ctx, Kind, Method, Op, Result, Who};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

kit::settings! {
    "Sessions & Agents" / "agent control" {
        /// Lets scripts restart Pilothouse through the control server. While it is off the restart operation refuses every script, with the global command-line token too; the restart button of the page always works.
        allowAgentAppRestart: bool = toggle(false).stated().installation();
        /// Opens the control server on port 19519 of the loopback address when the program starts. While it is off no script and no session can reach the program; its own page is then served on a private port, so that the owner can turn it on again.
        cliServerEnabled: bool = toggle(true).stated().applies(Applies::NextStart).installation();
    }
}

/// Restarts the program; provided by the app.
pub struct RestartHook(Box<dyn Fn() + Send + Sync>);

impl RestartHook {
    /// Called once for each accepted restart.
    pub fn new(restart: impl Fn() + Send + Sync + 'static) -> Self {
        RestartHook(Box::new(restart))
    }
}

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "app.restart",
            Method::Post,
            "/app/restart",
            Who::PERSON_AND_AGENTS,
            "Restarts the program on the same data directory. Scripts need allowAgentAppRestart.",
            restart,
        )
        .scope("app:restart")
        .errors([&RESTART_DISABLED]),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

/// The restart was accepted.
#[derive(Serialize, JsonSchema)]
struct Restarting {
    restarting: bool,
}

async fn restart(ctx: Ctx, call: Call, _: Nothing) -> Result<Restarting> {
    if call.caller.kind != Kind::Owner && !ctx.setting(call.account(), &allowAgentAppRestart) {
        return Err(RESTART_DISABLED.error("The setting allowAgentAppRestart is off, so scripts may not restart the program. Restart it from the page, or let the owner turn the setting on.").with("setting", "allowAgentAppRestart"));
    }
    ctx.service::<RestartHook>().0();
    Ok(Restarting { restarting: true })
}
