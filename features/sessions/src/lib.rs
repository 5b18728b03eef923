//! Sessions of agents: the folders that they run in, starting and supervising them, and what is kept of them.
//!
//! Invariants: what follows from anything that happens to a session is on disk before it is done; a prompt goes to an engine once;
//! what is asked is answered once; however many ask for a start at once, no more start than may.
//! Deliberately not here: what decides. The rules are in `crates/supervisor`, what engines say in `crates/engines`.
//!
//! The feature is not in the program's list yet: pages, tokens of sessions and the wall around an engine's processes are to come.

mod driver;
mod hubs;
mod kept;
mod ops;
pub mod room;
mod service;
mod settings;
mod steer;
pub mod transcript;
mod words;

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
        ops: [hubs::ops(), ops::ops(), steer::ops()].concat(),
        groups: &[
            ("hubs", "The folders and repositories in which sessions run"),
            ("sessions", "Sessions of agents: start, steer and read them"),
        ],
        start: |ctx| Box::pin(start(ctx)),
        chores: vec![Chore {
            what: "sessions were not looked at",
            every: Duration::from_secs(1),
            run: |ctx| {
                Box::pin(async move {
                    ctx.service::<Sessions>().tick().await;
                    Ok(())
                })
            },
        }],
        stop: |ctx| Box::pin(async move { ctx.service::<Sessions>().close().await }),
    }
}

const MIGRATIONS: &[Migration] = &[
    Migration { number: 1, sql: include_str!("../migrations/001_transcripts.sql") },
    Migration { number: 2, sql: include_str!("../migrations/002_hubs.sql") },
    Migration { number: 3, sql: include_str!("../migrations/003_sessions.sql") },
    Migration { number: 4, sql: include_str!("../migrations/004_answers.sql") },
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

async fn start(ctx: Ctx) -> Result<()> {
    ctx.provide(Arc::new(kit::lookup::Hubs(Box::new(hubs::HubLookup(ctx.db())))));
    let room = match ctx.find_service::<Room>() {
        Some(room) => (*room).clone(),
        None => Room::here(OwnAgent {
            program: std::env::current_exe().unwrap_or_default(),
            args: vec!["practice-agent".into()],
        }),
    };
    let first = ctx.find_service::<kit::lookup::FirstAccount>().map(|first| first.0.clone());
    let is_new = ctx.setting(first.as_deref().unwrap_or_default(), &settings::sessionStoreV2Enabled);
    let written = if is_new { Written::InLog } else { Written::InRows };
    let folder = ctx.service::<DataDir>().0.join("transcripts");
    let sessions = Arc::new(Sessions::new(ctx.clone(), room, Transcripts::new(ctx.db(), folder, written)));
    ctx.provide(sessions.clone());
    sessions.come_back().await
}

#[cfg(test)]
mod tests;
