//! Sessions of agents: the folders that they run in, starting and supervising them, and what is kept of them.
//!
//! Invariants: what follows from anything that happens to a session is on disk before it is done; a prompt goes to an engine once;
//! what is asked is answered once; however many ask for a start at once, no more start than may.
//! Deliberately not here: what decides. The rules are in `crates/supervisor`, what engines say in `crates/engines`.

mod as_board;
mod board;
mod driver;
pub mod engine_host;
mod facts;
mod given_env;
mod hook;
mod hubs;
mod judge;
mod live;
mod messages;
mod modes;
mod navigation;
mod ops;
mod outputs;
mod practice;
mod records;
mod refill;
mod rules;
mod search;
mod service;
mod settings;
mod status;
mod steer;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod tokens;
pub mod transcript;
mod usage;
mod working_dir;
pub mod worktrees;
mod write;

pub use practice::PracticeFolder;

use engine_host::{EngineHost, OwnAgent};
use kit::{BackgroundTask, Ctx, DataDir, Feature, Migration, Result};
use service::Sessions;
use std::sync::Arc;
use std::time::Duration;
use store::HasDb;
use transcript::{Transcripts, WriteTarget};

/// This feature.
pub fn feature() -> Feature {
    Feature {
        name: "sessions",
        settings: settings::ALL.to_vec(),
        awaiting: Vec::new(),
        migrations: MIGRATIONS,
        errors: errors::CODES,
        faults: fault::FAULTS,
        ops: [
            hubs::ops(),
            ops::ops(),
            rules::ops(),
            usage::ops(),
            navigation::ops(),
            practice::ops(),
            board::ops(),
            status::ops(),
            worktrees::ops(),
            steer::ops(),
        ]
        .concat(),
        groups: &[
            ("hubs", "The folders and repositories in which sessions run"),
            ("sessions", "Start, steer, and read sessions"),
            ("sessions rules", "What you always allow"),
            ("navigation", "Requests to show you a page"),
            ("engines", "Coding assistants on this machine"),
            ("worktrees", "Git worktrees of sessions"),
        ],
        start: |ctx| Box::pin(start(ctx)),
        background_tasks: vec![
            BackgroundTask {
                what: "couldn't check sessions",
                every: Duration::from_secs(1),
                run: |ctx| {
                    Box::pin(async move {
                        ctx.service::<Sessions>().tick().await;
                        Ok(())
                    })
                },
            },
            BackgroundTask {
                what: "couldn't revive sessions",
                // When it is time it decides itself.
                every: Duration::from_secs(60),
                run: |ctx| Box::pin(refill::check(ctx)),
            },
            BackgroundTask {
                what: "couldn't empty the worktree trash",
                every: Duration::from_secs(60 * 60),
                run: |ctx| Box::pin(worktrees::sweep(ctx)),
            },
            BackgroundTask {
                what: "couldn't update the transcript index",
                every: Duration::from_secs(3),
                run: |ctx| {
                    Box::pin(async move {
                        let sessions = ctx.service::<Sessions>();
                        sessions.search.catch_up(&sessions).await
                    })
                },
            },
        ],
        stop: |ctx| Box::pin(async move { ctx.service::<Sessions>().close().await }),
    }
}

const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, sql: include_str!("../migrations/001_transcripts.sql") },
    Migration { number: 2, sql: include_str!("../migrations/002_hubs.sql") },
    Migration { number: 3, sql: include_str!("../migrations/003_sessions.sql") },
    Migration { number: 4, sql: include_str!("../migrations/004_answers.sql") },
    Migration { number: 5, sql: include_str!("../migrations/005_usage.sql") },
    Migration { number: 6, sql: include_str!("../migrations/006_session_page.sql") },
    Migration { number: 7, sql: include_str!("../migrations/007_worktrees.sql") },
    Migration { number: 8, sql: include_str!("../migrations/008_rules.sql") },
];

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        HUB_FOLDER = 422 "hub-folder" "Folder can't be a hub" : "A hub must be an existing folder that Pilothouse can access, outside its own data directory. The detail says what's wrong.";
        AGENT_TOKEN_SPAWN = 403 "agent-token-spawn" "Sessions can't start sessions" : "The setting allowAgentTokenSpawn is off. Turn it on, or use the global command-line token.";
        SOURCE_SESSION_REQUIRED = 403 "source-session-required" "Source session required" : "Send the calling session's id in `X-App-Source-Session-Id`, or turn requireSpawnSourceSession off. A session's own token can only name that session.";
        AGENT_DRIVEN_DISABLED = 403 "agent-driven-disabled" "Agent-driven sessions are off" : "The setting agentDrivenSessionsEnabled is off. Turn it on to let scripts and agents start sessions and send follow-up messages.";
        SPAWN_DEPTH = 403 "spawn-depth" "Too many generations" : "The maximum depth of child sessions is reached. Start this session from the app.";
        AGENT_CONCURRENCY = 429 "agent-concurrency" "Too many agent-driven sessions" : "The limit agentDrivenMaxConcurrent is reached. Retry when one has ended, or raise the setting.";
        AGENT_BOARD_DISABLED = 403 "agent-board-disabled" "Agent Board is off" : "The setting agentStatusBoardEnabled is off. Turn it on, or list sessions with `GET /sessions`.";
        NOT_IN_THIS_VERSION = 422 "not-in-this-version" "Not available in this version" : "This version of Pilothouse doesn't have this feature. Nothing was changed.";
        ENGINE_NOT_INSTALLED = 409 "engine-not-installed" "Engine isn't installed" : "The session's engine is missing on this machine or too old. Run the command in the detail, then start the session again.";
        ENGINE_NOT_LOGGED_IN = 409 "engine-not-logged-in" "Not logged in to the engine" : "The session's engine has no login on this machine. Run the command in the detail, then start the session again.";
        ENGINE_REFUSED = 409 "engine-refused" "Engine rejected the request" : "The session's engine rejected the request or didn't answer; the detail says which. Nothing was changed.";
        MODE_TOO_WIDE = 403 "mode-too-wide" "Mode exceeds permission level" : "In this mode the engine does more without approval than agentPermissionLevel allows. Choose another mode, or raise the setting.";
        NO_IMAGES = 422 "no-images" "Engine doesn't accept images" : "The session's engine accepts text only. Save the image as a file and name it in the message.";
        WORKTREE = 409 "worktree" "Git operation failed" : "Couldn't create, read, or move a worktree; the detail has git's message. Nothing was lost.";
        UNSAVED_WORK = 409 "unsaved-work" "Worktree has unsaved work" : "Uncommitted files, or commits on no other branch, would be lost. Save them, or send `keepWork: true` to commit everything to a new branch first.";
        NO_RULE = 422 "no-rule" "No permission rule can cover this" : "Requests for sensitive files, the engine's own configuration, plans, or unclear commands and addresses can't be allowed permanently. Answer without `always`.";
        NOT_NOW = 409 "not-now" "Not possible in this state" : "The request doesn't fit the session's state, or was already done; the detail says why. Nothing was changed.";
    }
}

/// What is wrong at single places.
mod fault {
    pub(crate) use kit::fault::*;

    kit::faults! {
        NO_REPOSITORY = "no-repository" : "The hub isn't a git repository.";
        OUTSIDE_HUB = "outside-hub" : "The folder isn't in the hub, or in any hub.";
    }
}

/// The first argument that makes this program the practice agent.
pub const PRACTICE_AGENT: &str = "practice-agent";

/// Is the practice agent until its client is gone.
pub fn practice_agent() -> ! {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    // Ended before the runtime is dropped: that would wait for a read of standard input, which a crash doesn't end.
    match runtime {
        Ok(runtime) => std::process::exit(runtime.block_on(engines::practice::serve_stdio())),
        Err(_) => std::process::exit(1),
    }
}

#[cfg(unix)]
pub use hook::{TOOL_HOOK, tool_hook};

async fn start(ctx: Ctx) -> Result<()> {
    ctx.provide(Arc::new(kit::lookup::Hubs(Box::new(hubs::HubLookup(ctx.db())))));
    let host = match ctx.find_service::<EngineHost>() {
        Some(host) => (*host).clone(),
        None => EngineHost::here(OwnAgent {
            program: std::env::current_exe().unwrap_or_default(),
            args: vec![PRACTICE_AGENT.into()],
        }),
    };
    let is_new = status::is_rebuilt(&ctx);
    ctx.provide(Arc::new(status::StartedWith(is_new)));
    let written = if is_new { WriteTarget::Log } else { WriteTarget::Rows };
    let folder = ctx.service::<DataDir>().0.join("transcripts");
    let sessions = Arc::new(Sessions::new(ctx.clone(), host, Transcripts::new(ctx.db(), folder, written)));
    ctx.provide(sessions.clone());
    ctx.provide(Arc::new(refill::Governor::begun(ctx.now_ms())));
    ctx.provide(Arc::new(kit::lookup::AgentSessions(Box::new(as_board::Board))));
    ctx.provide(Arc::new(kit::lookup::LiveSessions(Box::new(tokens::Live(ctx.db())))));
    tokens::revoke_of_ended(&ctx).await?;
    // A command on a program that does not run brings nothing back.
    match ctx.find_service::<kit::lookup::Served>() {
        Some(_) => sessions.come_back().await,
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
