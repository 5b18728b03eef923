//! Sessions: their hubs, starting and supervising them, and their records and transcripts.
//!
//! Invariants: the effects of a step are on disk before they are carried out; a message goes to an engine once; a
//! request is answered once; however many starts are requested at once, the limit isn't exceeded.
//! Deliberately not here: decisions. The rules are in `crates/supervisor`, and engines' protocols in `crates/engines`.

mod activity;
mod approved;
mod artifacts;
mod as_board;
mod ask;
mod board;
mod changes;
mod common;
mod costs;
mod driver;
pub mod engine_host;
mod engine_settings;
mod engine_turns;
pub mod errors;
mod facts;
mod fault;
mod folders;
mod fork;
mod given_env;
mod hook;
mod hub_files;
mod hubs;
mod image_bridge;
mod inbox_kinds;
mod instruction_ops;
mod instructions;
mod judge;
mod listeners;
mod live;
mod login_load;
mod messages;
mod modes;
mod navigation;
mod needs;
mod ops;
mod outputs;
mod practice;
mod queue;
mod reasons;
mod records;
mod refill;
mod revivals;
mod rules;
mod scheduled;
mod search;
mod service;
mod settings;
mod skills;
mod status;
mod steer;
mod templates;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod titles;
mod tokens;
mod tool_servers;
pub mod transcript;
mod tutor;
mod usage;
mod work_names;
mod working_dir;
pub mod worktrees;
mod write;

pub use artifacts::{DOCUMENT_FRAME, document_frame};
pub use practice::PracticeFolder;

use engine_host::{EngineHost, OwnAgent};
use kit::feature::Purpose;
use kit::{Ctx, DataDir, Feature, Job, Migration, Result};
use platform::resources::Trees;
use service::Sessions;
use std::sync::Arc;
use std::time::Duration;
use store::HasDb;
use transcript::{Transcripts, WriteTarget};

/// The folder of transcripts in the data directory.
pub const TRANSCRIPTS_FOLDER: &str = "transcripts";

static PURPOSES: &[&Purpose] =
    &[&costs::SESSION_PURPOSE, &costs::REVIVED_PURPOSE, &titles::PURPOSE, &image_bridge::PURPOSE];

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        migrations: MIGRATIONS,
        errors: &[errors::CODES],
        faults: &[fault::FAULTS],
        inbox_kinds: inbox_kinds::ALL,
        purposes: PURPOSES,
        ops: [
            hubs::ops(),
            tool_servers::ops(),
            instruction_ops::ops(),
            hub_files::ops(),
            folders::ops(),
            skills::ops(),
            ops::ops(),
            needs::ops(),
            changes::ops(),
            artifacts::ops(),
            rules::ops(),
            templates::ops(),
            usage::ops(),
            ask::ops(),
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
            ("hubs instructions", "Instruction presets of a hub's sessions"),
            ("hubs servers", "Tool servers of a hub's sessions"),
            ("sessions", "Start, steer, and read sessions"),
            ("sessions changes", "Review and land a session's changes"),
            ("sessions rules", "Permission rules and their scope"),
            ("sessions templates", "Prompt templates: saved texts for messages"),
            ("ask", "Questions about Pilothouse"),
            ("navigation", "Request to show a page"),
            ("engines", "Coding assistants on this machine"),
            ("engines settings", "Engine configuration"),
            ("engines variables", "Environment variables of engines"),
            ("worktrees", "Git worktrees of sessions"),
        ],
        start: |ctx| Box::pin(start(ctx)),
        jobs: jobs(),
        stop: |ctx| Box::pin(async move { ctx.service::<Sessions>().close().await }),
        ..Feature::named("sessions")
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
    Migration { number: 9, sql: include_str!("../migrations/009_templates.sql") },
    Migration { number: 10, sql: include_str!("../migrations/010_engines.sql") },
    Migration { number: 11, sql: include_str!("../migrations/011_forks.sql") },
    Migration { number: 12, sql: include_str!("../migrations/012_titles.sql") },
    Migration { number: 13, sql: include_str!("../migrations/013_ledger.sql") },
    Migration { number: 14, sql: include_str!("../migrations/014_instructions.sql") },
];

/// The page's copy of the marker of final answers.
pub fn final_marker_ts() -> String {
    let marker = supervisor::final_message::MARKER;
    format!(
        "// Generated from the rules of sessions; do not edit: `cargo test -p app generated`.\n\n\
         /** The line that agents print before their final answer. Case and spaces in it don't matter. */\n\
         export const FINAL_MARKER = '{marker}';\n"
    )
}

/// The first argument that makes this program the practice agent.
pub const PRACTICE_AGENT: &str = "practice-agent";

/// Runs the practice agent until its client is gone.
pub fn practice_agent() -> ! {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    // Ended before the runtime is dropped: that would wait for a read of standard input, which a crash doesn't end.
    match runtime {
        Ok(runtime) => std::process::exit(runtime.block_on(engines::practice::serve_stdio())),
        Err(_) => std::process::exit(1),
    }
}

fn jobs() -> Vec<Job> {
    vec![
        Job::every(Duration::from_secs(1), "sessions.tick", "couldn't check sessions", |ctx| {
            Box::pin(async move {
                ctx.service::<Sessions>().tick().await;
                Ok(())
            })
        }),
        // It decides itself when a check is due.
        Job::every(Duration::from_secs(60), "sessions.revival", "couldn't revive sessions", |ctx| {
            Box::pin(refill::check(ctx))
        }),
        Job::every(Duration::from_secs(60), "sessions.login-load", "couldn't compare the load of logins", |ctx| {
            Box::pin(login_load::check(ctx))
        }),
        Job::every(
            Duration::from_secs(60 * 60),
            "sessions.worktree-trash",
            "couldn't empty the worktree trash",
            |ctx| Box::pin(worktrees::sweep(ctx)),
        ),
        Job::every(Duration::from_secs(3), "sessions.search-index", "couldn't update the transcript index", |ctx| {
            Box::pin(async move {
                let common = ctx.service::<Sessions>().common.clone();
                common.search.catch_up(&ctx, &common.transcripts).await
            })
        }),
    ]
}

#[cfg(unix)]
pub use approved::{APPROVED, STAND_IN, approved, stand_in};
pub use hook::{TOOL_HOOK, tool_hook};

async fn start(ctx: Ctx) -> Result<()> {
    ctx.provide(Arc::new(kit::lookup::Hubs(Box::new(hubs::HubLookup(ctx.db())))));
    ctx.provide(Arc::new(kit::lookup::AutomaticHub(Box::new(hubs::Automatic(ctx.clone())))));
    ctx.provide(Arc::new(kit::lookup::SessionActivity(Box::new(activity::Activity(ctx.clone())))));
    ctx.provide(Arc::new(kit::lookup::SessionBranches(Box::new(changes::Branches(ctx.clone())))));
    ctx.provide(Arc::new(kit::lookup::WorkNames(Box::new(work_names::Names(ctx.db())))));
    ctx.provide(Arc::new(kit::lookup::WorkFolders(Box::new(working_dir::Folders(ctx.db())))));
    let host = match ctx.find_service::<EngineHost>() {
        Some(host) => (*host).clone(),
        None => {
            let program = std::env::current_exe().unwrap_or_default();
            let trees = ctx.find_service::<Trees>().map(|trees| (*trees).clone()).unwrap_or_default();
            EngineHost::here(OwnAgent { program, args: vec![PRACTICE_AGENT.into()] }, trees)
        }
    };
    let is_new = status::is_rebuilt(&ctx);
    ctx.provide(Arc::new(status::StartedWith(is_new)));
    let written = if is_new { WriteTarget::Log } else { WriteTarget::Rows };
    let folder = ctx.service::<DataDir>().0.join(TRANSCRIPTS_FOLDER);
    let sessions = Sessions::begin(ctx.clone(), host, Transcripts::new(ctx.db(), folder, written));
    let common = sessions.common.clone();
    ctx.db().read(move |tx| common.configs.load(tx)).await?;
    ctx.provide(sessions.clone());
    ctx.provide(Arc::new(models::EngineTurns(Box::new(engine_turns::Turns(ctx.clone())))));
    ctx.provide(Arc::new(kit::lookup::SessionAnswers(Box::new(ops::Answers(ctx.clone())))));
    ctx.provide(Arc::new(kit::lookup::ScheduledWork(Box::new(scheduled::Scheduled(ctx.clone())))));
    ctx.provide(Arc::new(kit::lookup::AllSessions(Box::new(ops::Answers(ctx.clone())))));
    ctx.provide(Arc::new(refill::Governor::begun(ctx.now_ms())));
    ctx.provide(Arc::new(kit::lookup::AgentSessions(Box::new(as_board::Board))));
    ctx.provide(Arc::new(kit::lookup::LiveSessions(Box::new(tokens::Live(ctx.db())))));
    tokens::revoke_of_ended(&ctx).await?;
    // A command while the program isn't running resumes no sessions.
    match ctx.find_service::<kit::lookup::Served>() {
        Some(_) => sessions.come_back().await,
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
