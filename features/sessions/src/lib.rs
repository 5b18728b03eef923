//! Sessions of agents: the folders that they run in, starting and supervising them, and what is kept of them.
//!
//! Invariants: what follows from anything that happens to a session is on disk before it is done; a prompt goes to an engine once;
//! what is asked is answered once; however many ask for a start at once, no more start than may.
//! Deliberately not here: what decides. The rules are in `crates/supervisor`, what engines say in `crates/engines`.

mod board;
mod driver;
mod facts;
mod hubs;
mod kept;
mod live;
mod modes;
mod ops;
pub mod room;
mod search;
mod service;
mod settings;
pub mod transcript;
mod words;
mod write;

use kit::{Chore, Ctx, DataDir, Feature, Migration, Result};
use room::{OwnAgent, Room};
use service::Sessions;
use std::sync::Arc;
use std::time::Duration;
use store::HasDb;
use transcript::{Kept, Transcripts};

/// This feature.
pub fn feature() -> Feature {
    Feature {
        name: "sessions",
        settings: settings::ALL.to_vec(),
        awaiting: Vec::new(),
        migrations: MIGRATIONS,
        errors: errors::CODES,
        faults: fault::FAULTS,
        ops: [hubs::ops(), ops::ops()].concat(),
        groups: &[
            ("hubs", "The folders and repositories in which sessions run"),
            ("sessions", "Sessions of agents: start, steer and read them"),
            ("engines", "The coding agents that sessions run"),
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
    Migration { number: 4, sql: include_str!("../migrations/004_session_page.sql") },
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
        ENGINE_REFUSED = 409 "engine-refused" "The engine did not take it" : "The session's engine refused what it was told, or did not answer; the detail says which. Nothing was changed.";
        MODE_TOO_WIDE = 403 "mode-too-wide" "The mode asks for less than may be" : "In this mode the engine would do more by itself than agentPermissionLevel lets sessions do. Choose another mode, or raise the setting.";
        NO_IMAGES = 422 "no-images" "The engine takes no images" : "The session's engine takes text alone. Put the image into a file and name that in the prompt.";
        NOT_NOW = 409 "not-now" "That makes no sense as the session stands" : "What was asked does not fit the state of the session, or was done before; the detail says why. Nothing was changed.";
    }
}

/// What is wrong at single places, beside what `kit::fault` has for all.
mod fault {
    pub(crate) use kit::fault::*;

    kit::faults! {
        UNKNOWN_HUB = "unknown-hub" : "The account has no such hub.";
    }
}

/// The first argument that makes this program the practice agent.
pub const PRACTICE_AGENT: &str = "practice-agent";

/// Is the practice agent until its client is gone.
pub fn practice_agent() -> ! {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let status = runtime.map_or(1, |runtime| runtime.block_on(engines::practice::serve_stdio()));
    std::process::exit(status)
}

async fn start(ctx: Ctx) -> Result<()> {
    ctx.provide(Arc::new(kit::lookup::Hubs(Box::new(hubs::HubLookup(ctx.db())))));
    let room = match ctx.find_service::<Room>() {
        Some(room) => (*room).clone(),
        None => Room::here(OwnAgent {
            program: std::env::current_exe().unwrap_or_default(),
            args: vec![PRACTICE_AGENT.into()],
        }),
    };
    let first = ctx.find_service::<kit::lookup::FirstAccount>().map(|first| first.0.clone());
    let is_new = ctx.setting(first.as_deref().unwrap_or_default(), &settings::sessionStoreV2Enabled);
    let kept = if is_new { Kept::InLog } else { Kept::InRows };
    let folder = ctx.service::<DataDir>().0.join("transcripts");
    let sessions = Arc::new(Sessions::new(ctx.clone(), room, Transcripts::new(ctx.db(), folder, kept)));
    ctx.provide(sessions.clone());
    ctx.provide(Arc::new(kit::lookup::AgentSessions(Box::new(board::Board))));
    // A command on a program that does not run brings nothing back.
    match ctx.find_service::<kit::lookup::Served>() {
        Some(_) => sessions.come_back().await,
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
