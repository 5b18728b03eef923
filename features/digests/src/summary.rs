//! What a model writes about the facts of a digest.
//!
//! The model gets numbered sessions as data and answers with sentences that name numbers. A sentence that names none, or one that
//! doesn't exist, is dropped, so that each links to its sessions, whatever an agent's words ask for.

use crate::content::Statement;
use kit::Ctx;
use kit::feature::Purpose;
use kit::lookup::{ActiveSession, SessionActivity};
use ledger::Cap;
use models::{AskError, Models, Question};
use serde_json::{Value, json};
use std::time::Duration;

/// Daily briefings.
pub(crate) static DAILY: Purpose = Purpose { name: "dailyDigest", label: "Daily briefings" };
/// Weekly summaries.
pub(crate) static WEEKLY: Purpose = Purpose { name: "weeklySummary", label: "Weekly summaries" };
/// Digests of archived sessions.
pub(crate) static ARCHIVE: Purpose = Purpose { name: "archiveDigest", label: "Archive digests" };

/// Sessions that the model reads about.
const READ_MAX: usize = 40;
/// Sentences at most.
const STATEMENTS_MAX: usize = 12;
/// Maximum bytes of a sentence.
const STATEMENT_BYTES: usize = 400;
/// Maximum tokens of the answer.
const OUTPUT_TOKENS: u32 = 1_200;
/// Time for the answer. Nobody waits for it.
const TIME: Duration = Duration::from_secs(120);
const TASK: &str = "Summarize what coding assistants did, for the person who supervises them. Write 1 to 12 short, plain sentences: \
    first what needs the person, then what was finished, then what is unfinished or failed. Each sentence names the numbers of the \
    sessions that it is about. Say only what the data says.";

/// What a model wrote, and its name. `None` without a model.
pub(crate) async fn summarize(
    ctx: &Ctx,
    account: &str,
    purpose: &'static Purpose,
    sessions: &[ActiveSession],
    cap: Option<Cap>,
) -> Option<Result<(Vec<Statement>, String), AskError>> {
    let (models, activity) = (ctx.find_service::<Models>()?, ctx.find_service::<SessionActivity>()?);
    match models.has_utility(ctx, account).await {
        Ok(true) => {}
        Ok(false) => return None,
        Err(why) => return Some(Err(why.into())),
    }
    let read = &sessions[..sessions.len().min(READ_MAX)];
    let words = match activity.0.last_words(account, read.iter().map(|session| session.id.clone()).collect()).await {
        Ok(words) => words,
        Err(why) => return Some(Err(why.into())),
    };
    let facts: Vec<Value> =
        read.iter().zip(&words).enumerate().map(|(at, (session, words))| fact(at + 1, session, words)).collect();
    let question = Question {
        account: account.to_owned(),
        purpose,
        hub: String::new(),
        session: String::new(),
        task: TASK.into(),
        material: Value::from(facts).to_string(),
        image: None,
        schema: json!({
            "type": "object",
            "properties": {"statements": {"type": "array", "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "sessions": {"type": "array", "items": {"type": "integer"}}},
                "required": ["text", "sessions"],
                "additionalProperties": false
            }}},
            "required": ["statements"],
            "additionalProperties": false
        }),
        output_tokens: OUTPUT_TOKENS,
        model: String::new(),
        cap,
        time: TIME,
    };
    let answer = models.ask(ctx, &question).await;
    Some(answer.map(|answer| (statements(&answer.value, read), answer.model)))
}

fn fact(number: usize, session: &ActiveSession, words: &str) -> Value {
    json!({
        "number": number, "title": session.title, "hub": session.hub, "state": session.state,
        "needsYou": session.needs_you, "turns": session.turns, "lastMessage": words,
    })
}

fn statements(answer: &Value, sessions: &[ActiveSession]) -> Vec<Statement> {
    let statement = |one: &Value| {
        let text = one["text"].as_str()?.trim();
        let text: String = text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect();
        let text = text[..text.floor_char_boundary(STATEMENT_BYTES)].to_owned();
        let numbers = one["sessions"].as_array()?;
        let session_ids = numbers
            .iter()
            .map(|number| Some(sessions.get(usize::try_from(number.as_u64()?).ok()?.checked_sub(1)?)?.id.clone()))
            .collect::<Option<Vec<String>>>()?;
        (!text.is_empty() && !session_ids.is_empty()).then_some(Statement { text, session_ids })
    };
    answer["statements"].as_array().into_iter().flatten().filter_map(statement).take(STATEMENTS_MAX).collect()
}
