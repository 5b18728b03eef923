//! Shared by the operations of sessions: the session as callers see it, and who can see one.

use crate::errors;
use crate::reasons;
use crate::records::{self, SessionRecord};
use crate::service::Sessions;
use crate::transcript::SessionKey;
use kit::error::Error;
use kit::{Caller, Ctx, Kind, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use store::HasDb;
use supervisor::spawn;

/// Maximum characters of a title.
pub(super) const TITLE_CHARS_MAX: usize = 200;

/// Maximum characters of a prompt; larger texts belong in a file.
pub(super) const PROMPT_CHARS_MAX: usize = 200_000;

/// A session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    pub(super) id: String,
    title: String,
    /// Null if the hub was removed.
    project_id: Option<String>,
    engine: String,
    /// Null for the engine's default.
    model: Option<String>,
    /// The folder it works in.
    cwd: String,
    /// `person`, `agent`, `automation`, or `email`.
    origin: &'static str,
    driven: bool,
    /// The session that started it.
    parent_id: Option<String>,
    /// `draft`, `queued`, `launching`, `idle`, `running`, `awaitingPermission`, `awaitingInput`, `retrying`, `compacting`, `parked`,
    /// `paused`, `snoozed`, `stopping`, `stopped`, `interrupted`, `failed`, `finished`, `archived`, or `closed`.
    state: String,
    /// Why it's in this state, with the setting that decided.
    why: String,
    /// When it entered this state; RFC 3339 in UTC.
    since: String,
    /// More data of the state, such as `until`.
    detail: Value,
    /// The earliest start of a session that waits only for its turn; RFC 3339 in UTC.
    starts_at: Option<String>,
    /// Whether it's running but not responding.
    is_stuck: bool,
    /// What needs your attention; null if nothing does.
    need: Option<Value>,
    turns: i64,
    /// Total running time in milliseconds.
    run_ms: i64,
    /// The engine's current mode; null if unknown.
    mode: Option<String>,
    /// Reasoning effort, as the engine calls it; null for the engine's default.
    effort: Option<String>,
    /// Whether it needs you.
    needs_you: bool,
    /// Number of requests that need your answer.
    open_asks: usize,
    /// Number of queued messages.
    waiting: usize,
    /// Number of unread transcript entries.
    unread: i64,
    /// The number of the newest transcript entry.
    last_entry: i64,
    /// Progress of its plan; null if it has none.
    todo: Option<Todo>,
    /// Whether messages can be sent to the current turn.
    can_steer: bool,
    /// Whether it accepts images; null if unknown.
    accepts_images: Option<bool>,
    /// Cost in US dollars, if the engine reports it.
    cost_usd: Option<f64>,
    /// Tokens in its context.
    used_tokens: i64,
    /// Size of its context in tokens; 0 if unknown.
    size_tokens: i64,
    /// Tokens of all turns so far; 0 if the engine doesn't report them.
    spent_tokens: u64,
    /// RFC 3339 in UTC.
    created_at: String,
    /// RFC 3339 in UTC.
    changed_at: String,
}

impl Session {
    /// Adds the earliest start of a session that waits only for its turn.
    pub(super) fn starting(self, due: &HashMap<Arc<str>, i64>) -> Session {
        Session { starts_at: due.get(&*self.id).map(|at_ms| rfc3339(*at_ms)), ..self }
    }

    /// With whether it is in the queue of what needs you: a dismissed row leaves that, whatever the session's state.
    pub(super) fn needing(self, sessions: &HashSet<String>) -> Session {
        Session { needs_you: sessions.contains(&self.id), ..self }
    }
}

/// Progress of a plan.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Todo {
    /// Completed steps.
    done: usize,
    /// All steps.
    total: usize,
}

impl From<SessionRecord> for Session {
    fn from(record: SessionRecord) -> Session {
        Session {
            state: records::state_name(&record.life.state),
            why: reasons::with_time(&record.life.state, &record.life.evidence.why),
            since: rfc3339(record.life.evidence.since),
            detail: records::value(&record.life.state),
            starts_at: None,
            is_stuck: record.life.turn.as_ref().is_some_and(|turn| turn.is_stuck),
            need: record.life.need.as_ref().map(records::value),
            mode: (record.facts.choice("mode").map(|choice| choice.current.clone()))
                .or_else(|| Some(record.mode).filter(|mode| !mode.is_empty())),
            effort: (record.facts.choice("thought_level").map(|choice| choice.current.clone()))
                .or_else(|| Some(record.effort).filter(|effort| !effort.is_empty())),
            needs_you: record.life.need.is_some(),
            open_asks: record.life.open.len(),
            waiting: record.life.waiting.len(),
            unread: (record.last_entry - record.seen_entry).max(0),
            last_entry: record.last_entry,
            todo: record.facts.progress().map(|(done, total)| Todo { done, total }),
            can_steer: record.facts.can_steer,
            accepts_images: record.facts.takes_images,
            spent_tokens: record.facts.spent_tokens,
            id: record.id,
            title: record.title,
            project_id: Some(record.hub_id).filter(|id| !id.is_empty()),
            engine: record.engine,
            model: Some(record.model).filter(|model| !model.is_empty()),
            cwd: record.cwd,
            origin: records::origin_name(record.origin),
            driven: record.driven,
            parent_id: record.parent_id,
            turns: record.sums.turns,
            run_ms: record.sums.run_ms,
            cost_usd: record.sums.cost_usd,
            used_tokens: record.sums.used_tokens,
            size_tokens: record.sums.size_tokens,
            created_at: rfc3339(record.created_ms),
            changed_at: rfc3339(record.changed_ms),
        }
    }
}

/// Records as lists show them.
pub(super) async fn listed(
    sessions: &Sessions,
    account: &Arc<str>,
    records: Vec<SessionRecord>,
    needing: &HashSet<String>,
) -> Vec<Session> {
    let due = sessions.common.queue.due(account).await;
    let with_stats = |record| sessions.common.listeners.with_stats(account, record);
    records.into_iter().map(|record| Session::from(with_stats(record)).starting(&due).needing(needing)).collect()
}

pub(super) fn caller_of(caller: &Caller) -> spawn::Caller<'_> {
    match (caller.kind, caller.session.as_deref()) {
        (Kind::Owner, _) if !caller.through_mcp => spawn::Caller::Owner,
        (Kind::Agent, Some(id)) => spawn::Caller::Session { id },
        _ => spawn::Caller::Script,
    }
}

/// Identifies a session within an account.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct SessionId {
    pub(crate) session_id: String,
}

/// Rejects a session that the caller can't see, as one that doesn't exist.
pub(crate) async fn expect_seen(ctx: &Ctx, caller: &Caller, session: &str) -> Result<()> {
    let seen = caller.sessions_seen();
    // The operation itself reports whether the session exists.
    if seen.shows(session, None) {
        return Ok(());
    }
    let (account, session) = (caller.account.clone(), session.to_owned());
    let record = ctx.db().read(move |tx| records::one(tx, &account, &session)).await?;
    if seen.shows(&record.id, record.parent_id.as_deref()) { Ok(()) } else { Err(kit::not_found()) }
}

/// A transcript entry.
#[derive(Serialize, JsonSchema)]
pub(super) struct Entry {
    /// Counts from 1 in its session.
    number: i64,
    /// RFC 3339 in UTC.
    at: String,
    /// The content: `entry` is its kind (`prompt`, `engine`, `state`, `answer`, `nudge`).
    #[schemars(with = "Value")]
    body: Box<RawValue>,
}

pub(super) fn entry(entry: crate::transcript::Entry) -> Result<Entry> {
    let unread = |why| kit::error::INTERNAL.error("Couldn't read a transcript entry.").caused_by(why);
    let body = RawValue::from_string(entry.body).map_err(unread)?;
    Ok(Entry { number: entry.number, at: rfc3339(entry.at_ms), body })
}

/// Writes what was answered to questions into the entries that say that they were: an entry names the request only.
pub(super) async fn say_answers(ctx: &Ctx, key: &SessionKey, entries: &mut [crate::transcript::Entry]) -> Result<()> {
    let answer = |entry: &crate::transcript::Entry| {
        let body = Some(&entry.body).filter(|body| body.contains(r#""entry":"answer""#))?;
        serde_json::from_str::<Value>(body).ok().filter(|body| body["entry"] == "answer")
    };
    if !entries.iter().any(|entry| answer(entry).is_some()) {
        return Ok(());
    }
    let key = key.clone();
    let asks = ctx.db().read(move |tx| records::asks(tx, (&key.account, &key.session))).await?;
    for entry in entries {
        let Some(mut body) = answer(entry) else { continue };
        let ask = asks.iter().find(|ask| body["id"] == *ask.id && ask.kind == "question");
        if let Some(said) = ask.and_then(answered) {
            body["said"] = said.into();
            entry.body = body.to_string();
        }
    }
    Ok(())
}

/// What was answered to a question, without fields that are hidden while they are typed.
fn answered(ask: &records::Ask) -> Option<String> {
    let request: Value = serde_json::from_str(&ask.request).unwrap_or_default();
    let is_hidden = |field: &str| {
        let field = &request["schema"]["properties"][field];
        field["format"] == "password" || field["writeOnly"] == true
    };
    let Ok(Value::Object(fields)) = serde_json::from_str(&ask.said) else { return None };
    let shown = fields.iter().filter(|(name, _)| !is_hidden(name)).map(|(_, value)| match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .map(|part| part.as_str().map_or(part.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(", "),
        other => other.to_string(),
    });
    let said = shown.collect::<Vec<_>>().join("; ");
    Some(kit::ids::without_tokens(&said).into_owned()).filter(|said| !said.is_empty())
}

/// The error for an input that isn't possible in the session's state.
pub(crate) fn not_now(why: Error) -> Error {
    if why.is(&kit::error::CONFLICT) { errors::NOT_NOW.error(why.detail()) } else { why }
}

#[cfg(test)]
mod tests {
    use super::answered;
    use crate::records::Ask;

    #[test]
    fn an_answer_is_said_without_what_is_hidden() {
        let fields = r#"{"properties": {"pin": {"format": "password"}, "key": {"writeOnly": true}, "color": {}}}"#;
        let said = |said: &str| {
            answered(&Ask {
                id: "1-question-1".into(),
                kind: "question".into(),
                request: format!(r#"{{"message": "Which?", "schema": {fields}}}"#),
                why: String::new(),
                asked_ms: 1,
                answered_ms: 2,
                answer: "allowed".into(),
                answered_by: "cli".into(),
                said: said.into(),
                rule: String::new(),
            })
        };
        let all = r#"{"color": "Dark blue", "key": "k-1", "pin": "1234", "sizes": ["S", "M"]}"#;
        assert_eq!(said(all).as_deref(), Some("Dark blue; S, M"));
        assert_eq!(said(r#"{"pin": "1234"}"#), None);
        // One that was cut is no JSON, and could hold what is hidden.
        assert_eq!(said(r#"{"color": "Dark bl"#), None);
        assert_eq!(said(r#"{"color": "ph_ses_0123456789abcdef0123"}"#).as_deref(), Some("ph_…"));
    }
}
