//! A first session that needs no installed engine: the practice agent in its own folder.

use crate::errors;
use crate::hubs;
use crate::ops::{NewSession, Session, begin, expect_allowed};
use crate::working_dir::{Asking, Started};
use kit::{Call, Caller, CallerSet, Ctx, DataDir, Method, Op, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use store::{HasDb, params};

/// The folder of practice sessions, if it isn't beside the data directory.
pub struct PracticeFolder(pub PathBuf);

/// The name of the practice sessions' hub.
const NAME: &str = "Practice";

/// The folder's first file, with its content.
const README: (&str, &str) = ("README.md", "# Practice\n\nPractice sessions work in this folder. You can delete it.\n");

/// Reads a file, requests permission once, writes a file, and sums up.
const PROMPT: &str = "practice: title A first look; \
    think I'll read the folder's note, ask for permission to run a command, and then write a file.; \
    todo ~Read the note|Run a command|Write a file; read README.md; \
    todo +Read the note|~Run a command|Write a file; run echo Hello from the practice agent; \
    todo +Read the note|+Run a command|~Write a file; write first-look.md The practice agent wrote this file.; \
    todo +Read the note|+Run a command|+Write a file; \
    say I read `README.md`, ran a command after you approved it, and wrote `first-look.md`. \
    A real engine works the same way. The setting agentPermissionLevel sets how much the engine does without approval.";

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "sessions.practice",
            Method::Post,
            "/sessions/practice",
            CallerSet::PERSON,
            "Start a practice session. Its agent reads a file, requests permission once, writes a file, and finishes. While \
             requireSpawnSourceSession is on (the default), scripts send a session's ID in X-App-Source-Session-Id; set \
             requireSpawnSourceSession to false to start without one. For steps of \
             your own, start a session with the engine `practice` and a message such as `practice: say Hello; ask \
             Which color?; read FILE; write FILE TEXT; run COMMAND`; any other message lists all steps. Below the full permission level, \
             `run` asks for permission, and so does `write` outside the hub.",
            practise,
        )
        .errors([&errors::HUB_FOLDER])
        .columns(&["id", "title", "state", "why"]),
    ]
}

/// No input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParams {}

async fn practise(ctx: Ctx, call: Call, _: NoParams) -> Result<Started<Session>> {
    let asking = Asking { caller: call.caller.clone(), source: call.source_session.clone() };
    expect_allowed(&ctx, &asking).await?;
    let folder = folder(&ctx).await?;
    let project_id = hub(&ctx, call.caller.clone(), folder).await?;
    let prompt = PROMPT.to_owned();
    let (engine, title) = (Some("practice".into()), Some("A first look".into()));
    begin(ctx, call, NewSession { prompt, engine, project_id: Some(project_id), title, ..NewSession::default() }, true)
        .await
}

/// The folder, created if missing.
async fn folder(ctx: &Ctx) -> Result<String> {
    let folder = match ctx.find_service::<PracticeFolder>() {
        Some(folder) => folder.0.clone(),
        None => beside(&ctx.service::<DataDir>().0),
    };
    let made = tokio::task::spawn_blocking(move || {
        std::fs::create_dir_all(&folder)?;
        let note = folder.join(README.0);
        if !note.exists() {
            std::fs::write(note, README.1)?;
        }
        folder.canonicalize()
    });
    let failed =
        |why: String| errors::HUB_FOLDER.error(format!("Couldn't create the folder for practice sessions: {why}."));
    let made = made.await.map_err(|why| failed(why.to_string()))?;
    Ok(made.map_err(|why| failed(why.to_string()))?.to_string_lossy().into_owned())
}

/// Sessions can't work in the data directory, so the folder is beside it.
fn beside(data: &Path) -> PathBuf {
    let name = data.file_name().map_or("pilothouse".into(), |name| name.to_string_lossy());
    data.with_file_name(format!("{name}-practice"))
}

/// The folder's hub, created if missing.
async fn hub(ctx: &Ctx, caller: Caller, folder: String) -> Result<String> {
    let (account, at) = (caller.account.clone(), folder.clone());
    let sql = "SELECT hub_id FROM hubs WHERE account_id = $1 AND folder = $2";
    let known = ctx.db().read(move |tx| tx.query_opt(sql, params![&*account, &at], |row| row.get::<String>(0))).await?;
    match known {
        Some(id) => Ok(id),
        None => {
            let new = hubs::NewHub { folder, name: Some(NAME.into()) };
            Ok(hubs::create(ctx.clone(), Call::new(caller), new).await?.record.id)
        }
    }
}
