//! Ask: a tutor in a hub of its own, which knows the documentation and how things stand.
//!
//! Invariants: it's a session like any other, with the same permissions; its instructions name no secret; when it's off, its hub
//! isn't listed, and its sessions stay.

use crate::errors::ASK_DISABLED;
use crate::ops::{NewSession, Session, begin};
use crate::settings::askAppEnabled;
use crate::tutor::TUTOR;
use crate::working_dir::{Started, hub_of_program};
use kit::{Call, CallerSet, Ctx, Method, Op, Result};
use schemars::JsonSchema;
use serde::Deserialize;

/// The name of that hub.
const NAME: &str = "Ask Pilothouse";
/// Maximum characters of a question: those of a message.
const QUESTION_CHARS: usize = 200_000;

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
