//! Ask: a tutor in a hub of its own, which knows the documentation and how things stand.
//!
//! Invariants: it's a session like any other, with the same permissions; its instructions name no secret; when it's off, its hub
//! isn't listed, and its sessions stay.

use crate::errors::ASK_DISABLED;
use crate::hubs;
use crate::needs;
use crate::ops::{NewSession, Session, begin};
use crate::service::Sessions;
use crate::settings::askAppEnabled;
use crate::working_dir::{Started, hub_of_program};
use kit::{Call, CallerSet, Ctx, Method, Op, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{HasDb, Tx, params};

/// The purpose of the tutor's hub.
pub(crate) const TUTOR: &str = "tutor";
/// The name of that hub.
const NAME: &str = "Ask Pilothouse";
/// Maximum characters of a question: those of a message.
const QUESTION_CHARS: usize = 200_000;
/// Sessions that the snapshot names.
const NAMED_MAX: i64 = 10;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "ask.start",
            Method::Post,
            "/ask",
            CallerSet::PERSON,
            "Ask about Pilothouse. Starts a session that knows the documentation and the current state.",
            start,
        )
        .example(r#"{"prompt": "practice: say Hello", "engine": "practice"}"#)
        .synonyms("help tutor how explain question")
        .switch(&askAppEnabled, &ASK_DISABLED),
    ]
}

/// A question.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "AskParams")]
#[serde(deny_unknown_fields)]
struct Params {
    /// The question, or what to do.
    #[schemars(length(min = 1, max = QUESTION_CHARS))]
    prompt: String,
    /// The engine that answers. Default: the default engine.
    engine: Option<String>,
}

async fn start(ctx: Ctx, call: Call, input: Params) -> Result<Started<Session>> {
    let hub = hub_of_program(&ctx, &call.caller.account, TUTOR, NAME).await?;
    let new =
        NewSession { prompt: input.prompt, engine: input.engine, project_id: Some(hub.id), ..NewSession::default() };
    begin(ctx, call, new, false).await
}

/// What the tutor is told: what it is, the pages of the documentation, and how things stand.
pub(crate) async fn instructions(ctx: &Ctx, account: &str) -> Result<String> {
    let pages: Vec<String> =
        guide::PAGES.iter().map(|page| format!("- {} (`{}`): {}", page.title(), page.id, page.summary())).collect();
    let glossary = guide::page("glossary").map_or("", |page| page.text);
    Ok(format!(
        "## Ask Pilothouse\n\
         You are the tutor of Pilothouse. The user asks about the app, or wants something done in it. Answer briefly, name the page, \
         setting, or command, and say so if the documentation doesn't tell. Look things up before you answer: use the tools of \
         the server `pilothouse`, with the operations `docs.search` and `docs.get` for the documentation, and others to see or change \
         settings, boards, dashboards, sessions, and the inbox. Change something only if the user asks for it, and say what you \
         changed. Without these tools, run `pilothouse docs search`.\n\n\
         ### Documentation\n{}\n\n{glossary}\n\n### Current state\n{}",
        pages.join("\n"),
        snapshot(ctx, account).await?
    ))
}

/// How things stand, in a few lines. Titles are data, so they're in quotes.
async fn snapshot(ctx: &Ctx, account: &str) -> Result<String> {
    let owner = account.to_owned();
    let read = move |tx: &mut Tx<'_>| {
        let hubs = hubs::names(tx, &owner)?;
        let states = "SELECT state, count(*) FROM sessions WHERE account_id = $1 GROUP BY state ORDER BY state";
        let states = tx.query(states, params![&owner], |row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?)))?;
        let newest = "SELECT title, state FROM sessions WHERE account_id = $1 AND state <> 'archived' \
             ORDER BY session_id DESC LIMIT $2";
        let newest =
            tx.query(newest, params![&owner, NAMED_MAX], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))?;
        Ok((hubs, states, newest, needs::sessions(tx, &owner)?.len()))
    };
    let (hubs, states, newest, waiting) = ctx.db().read(read).await?;
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut names: Vec<String> = hubs.values().map(|name| quoted(name)).collect();
    names.sort();
    names.truncate(NAMED_MAX as usize);
    let states: Vec<String> = states.iter().map(|(state, count)| format!("{count} {state}")).collect();
    let newest: Vec<String> = newest.iter().map(|(title, state)| format!("{} ({state})", quoted(title))).collect();
    let engines = ctx.service::<Sessions>().common.engines(account);
    let engines: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
    let none = |list: Vec<String>| if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    Ok(format!(
        "- Version: {} on {}\n- Engines: {}\n- Hubs ({}): {}\n- Sessions: {}\n- Sessions that need the user: {waiting}\n\
         - Newest sessions: {}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::OS,
        engines.join(", "),
        hubs.len(),
        none(names),
        none(states),
        none(newest),
    ))
}
