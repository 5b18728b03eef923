//! Sessions of agents: the folders that they run in, starting and supervising them, and what is kept of them.
//!
//! Invariants: what follows from anything that happens to a session is on disk before it is done; a prompt goes to an engine once;
//! what is asked is answered once; however many ask for a start at once, no more start than may.
//! Deliberately not here: what decides. The rules are in `crates/supervisor`, what engines say in `crates/engines`.

mod as_board;
mod board;
mod driver;
mod facts;
mod given_env;
mod hook;
mod hubs;
mod judge;
mod kept;
mod live;
mod modes;
mod navigation;
mod ops;
mod outputs;
mod place;
mod practice;
mod refill;
pub mod room;
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
mod words;
pub mod worktrees;
mod write;

pub use practice::PracticeFolder;

use kit::{Chore, Ctx, DataDir, Feature, Migration, Result};
use room::{OwnAgent, Room};
use service::Sessions;
use std::sync::Arc;
use std::time::Duration;
use store::HasDb;
use transcript::{Transcripts, Written};

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
            ("sessions", "Sessions of agents: start, steer and read them"),
            ("sessions rules", "What you always allow, and removing it"),
            ("navigation", "What agents want to show you"),
            ("engines", "The coding agents that sessions run"),
            ("worktrees", "Worktrees of git that were made for sessions"),
        ],
        start: |ctx| Box::pin(start(ctx)),
        chores: vec![
            Chore {
                what: "sessions were not looked at",
                every: Duration::from_secs(1),
                run: |ctx| {
                    Box::pin(async move {
                        ctx.service::<Sessions>().tick().await;
                        Ok(())
                    })
                },
            },
            Chore {
                what: "no session was looked for to be revived",
                // When it is time it decides itself.
                every: Duration::from_secs(60),
                run: |ctx| Box::pin(refill::check(ctx)),
            },
            Chore {
                what: "the trash of worktrees was not emptied",
                every: Duration::from_secs(60 * 60),
                run: |ctx| Box::pin(worktrees::sweep(ctx)),
            },
            Chore {
                what: "the index of transcripts was not filled",
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
        HUB_FOLDER = 422 "hub-folder" "The folder cannot be a hub" : "A hub is a folder that is there, that this program can reach, and that does not lie in its own data directory. The detail says what is wrong with this one.";
        AGENT_TOKEN_SPAWN = 403 "agent-token-spawn" "Sessions may not start sessions" : "The setting allowAgentTokenSpawn is off, so a session's own token starts none. The owner can turn it on; the global command-line token starts sessions in any case.";
        SOURCE_SESSION_REQUIRED = 403 "source-session-required" "The session that asks must be named" : "A start has to name the session that asks for it in `X-App-Source-Session-Id`, as the setting requireSpawnSourceSession says; a session's own token may name that session alone.";
        AGENT_DRIVEN_DISABLED = 403 "agent-driven-disabled" "Scripts and agents may not drive sessions" : "The setting agentDrivenSessionsEnabled is off, so scripts and agents neither start driven sessions nor send follow-up messages.";
        SPAWN_DEPTH = 403 "spawn-depth" "Too many generations" : "Sessions started sessions over as many generations as there may be; start this one from the page.";
        AGENT_CONCURRENCY = 429 "agent-concurrency" "As many agent-driven sessions as may are active" : "The setting agentDrivenMaxConcurrent limits how many are active at once. Try again when one has ended.";
        AGENT_BOARD_DISABLED = 403 "agent-board-disabled" "The Agent Board is switched off" : "The setting agentStatusBoardEnabled is off, so there is no board of agents. Sessions are listed all the same (`GET /sessions`).";
        NOT_IN_THIS_VERSION = 422 "not-in-this-version" "Not a part of this version" : "What is named is a part of the program that this version does not have. Nothing was changed.";
        ENGINE_NOT_INSTALLED = 409 "engine-not-installed" "The engine isn't installed" : "The engine of the session wasn't found on this machine, or is too old. The detail has the command that installs it; run it and start the session again.";
        ENGINE_NOT_LOGGED_IN = 409 "engine-not-logged-in" "Nobody is logged in to the engine" : "The engine of the session has no login on this machine. The detail has the command that logs you in; run it and start the session again.";
        ENGINE_REFUSED = 409 "engine-refused" "The engine did not take it" : "The session's engine refused what it was told, or did not answer; the detail says which. Nothing was changed.";
        MODE_TOO_WIDE = 403 "mode-too-wide" "The mode asks for less than may be" : "In this mode the engine would do more by itself than agentPermissionLevel lets sessions do. Choose another mode, or raise the setting.";
        NO_IMAGES = 422 "no-images" "The engine takes no images" : "The session's engine takes text alone. Put the image into a file and name that in the prompt.";
        WORKTREE = 409 "worktree" "Git did not do it" : "A worktree could not be made, looked at or moved. The detail says why, in git's own words where it said something; nothing was lost.";
        UNSAVED_WORK = 409 "unsaved-work" "The worktree holds unsaved work" : "Files in no commit, or commits that no other branch has, would have gone with the worktree. Save them, or send `keepWork: true`, which commits everything to a branch of its own first.";
        NO_RULE = 422 "no-rule" "No permission rule can cover this" : "A request for a sensitive file, the engine's own configuration, or a plan can't be allowed for good, and neither can one whose command or address isn't clear. Answer it without `always`.";
        NOT_NOW = 409 "not-now" "That makes no sense as the session stands" : "What was asked does not fit the state of the session, or was done before; the detail says why. Nothing was changed.";
    }
}

/// What is wrong at single places.
mod fault {
    pub(crate) use kit::fault::*;

    kit::faults! {
        NO_REPOSITORY = "no-repository" : "The hub is no git repository.";
        OUTSIDE_HUB = "outside-hub" : "The folder does not lie in the hub, or in none.";
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
    let room = match ctx.find_service::<Room>() {
        Some(room) => (*room).clone(),
        None => Room::here(OwnAgent {
            program: std::env::current_exe().unwrap_or_default(),
            args: vec![PRACTICE_AGENT.into()],
        }),
    };
    let is_new = status::is_rebuilt(&ctx);
    ctx.provide(Arc::new(status::StartedWith(is_new)));
    let written = if is_new { Written::InLog } else { Written::InRows };
    let folder = ctx.service::<DataDir>().0.join("transcripts");
    let sessions = Arc::new(Sessions::new(ctx.clone(), room, Transcripts::new(ctx.db(), folder, written)));
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
