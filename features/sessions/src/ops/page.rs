//! The details of a session for its page: the record, the engine's latest reports, queued messages, and child sessions.

use super::shared::Session;
use crate::facts;
use crate::judge;
use crate::messages;
use crate::modes;
use crate::records::{self, SessionRecord};
use crate::service::Sessions;
use crate::transcript::SessionKey;
use engines::{Access, Chunk, PlanEntry, PlanStatus};
use kit::text::CURSOR;
use kit::{Call, Ctx, Page, Part, Result, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use store::HasDb;

/// Maximum child sessions in a session's record.
const CHILDREN_MAX: i64 = 200;

/// A session with the details of its page.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Detail {
    #[serde(flatten)]
    session: Session,
    /// The agent's latest plan.
    plan: Vec<Step>,
    /// The options of the session: `mode`, `model`, and others of the engine. Empty until the engine first starts.
    choices: Vec<Choice>,
    /// Commands of canceled turns that may still run. Stopping the session ends them.
    left_running: Vec<String>,
    /// The engine's commands and skills. If a resumed session announces fewer than before, the others stay as stale.
    commands: Vec<Command>,
    /// Queued messages, in order.
    prompts: Vec<Prompt>,
    /// Child sessions, newest first; the newest 200.
    children: Vec<Child>,
    /// The session that it continues; null if it isn't a fork.
    forked_from: Option<ForkedFrom>,
}

/// The session that a fork continues.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ForkedFrom {
    session_id: String,
    /// Null if the session no longer exists.
    title: Option<String>,
    /// The last transcript entry of that session that it takes over.
    entry: i64,
    /// The number of the last message in that part; null if unknown.
    message: Option<i64>,
}

/// A step of a plan.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Step {
    content: String,
    /// `pending`, `inProgress`, or `completed`.
    status: &'static str,
}

impl From<&PlanEntry> for Step {
    fn from(step: &PlanEntry) -> Step {
        let status = match step.status {
            PlanStatus::Pending => "pending",
            PlanStatus::InProgress => "inProgress",
            PlanStatus::Completed => "completed",
        };
        Step { content: step.content.clone(), status }
    }
}

/// An option of a session.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Choice {
    id: String,
    name: String,
    /// `mode`, `model`, `thought_level`, or an engine-specific category.
    category: Option<String>,
    /// The current value.
    current: String,
    options: Vec<ChoiceOption>,
}

/// A value of an option.
#[derive(Debug, Serialize, JsonSchema)]
struct ChoiceOption {
    value: String,
    name: String,
}

impl From<&engines::Choice> for Choice {
    fn from(choice: &engines::Choice) -> Choice {
        let option = |one: &engines::ChoiceOption| ChoiceOption { value: one.value.clone(), name: one.name.clone() };
        Choice {
            id: choice.id.clone(),
            name: choice.name.clone(),
            category: choice.category.clone(),
            current: choice.current.clone(),
            options: choice.options.iter().map(option).collect(),
        }
    }
}

impl Choice {
    /// An option with a name that says who decides, if the engine is in a wider mode because Pilothouse decides instead.
    fn shown(choice: &engines::Choice, access: Access) -> Choice {
        let mut shown = Choice::from(choice);
        let is_mode = choice.category.as_deref() == Some("mode") || choice.id == "mode";
        if is_mode && !modes::fits(&choice.current, access) {
            let current = shown.options.iter_mut().filter(|option| option.value == choice.current);
            current.for_each(|option| option.name = "Pilothouse decides".into());
        }
        shown
    }
}

/// A command or skill of the engine.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Command {
    /// Without the slash.
    name: String,
    /// How a message calls it: `/name`, or `$name` for skills of Codex.
    call: String,
    description: String,
    /// Whether the engine hasn't announced it since the session was resumed; it may still work.
    is_stale: bool,
}

impl From<&facts::Command> for Command {
    fn from(command: &facts::Command) -> Command {
        let name = command.name.clone();
        let call = if name.starts_with('$') { name.clone() } else { format!("/{name}") };
        Command { name, call, description: command.description.clone(), is_stale: command.is_stale }
    }
}

/// A queued message.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Prompt {
    prompt_id: i64,
    /// Its first 2000 characters.
    text: String,
    /// Number of images.
    images: usize,
    /// The kind of caller that sent it.
    by: String,
    /// RFC 3339 in UTC.
    at: String,
}

impl From<records::Waiting> for Prompt {
    fn from(waiting: records::Waiting) -> Prompt {
        Prompt {
            prompt_id: waiting.id,
            text: messages::text_of(&waiting.content),
            images: waiting.content.iter().filter(|chunk| matches!(chunk, Chunk::Image { .. })).count(),
            by: waiting.actor,
            at: rfc3339(waiting.at_ms),
        }
    }
}

/// A child session.
#[derive(Debug, Serialize, JsonSchema)]
struct Child {
    id: String,
    title: String,
    state: String,
}

/// The record of a session as it is now.
pub(super) async fn detail(ctx: &Ctx, key: &SessionKey) -> Result<Detail> {
    let read_key = key.clone();
    let (record, waiting, children, source) = ctx
        .db()
        .read(move |tx| {
            let key = (&*read_key.account, &*read_key.session);
            let record = records::one(tx, key.0, key.1)?;
            let source = record.fork.as_ref().and_then(|fork| records::one(tx, key.0, &fork.session).ok());
            Ok((record, records::waiting(tx, key)?, records::children(tx, key, CHILDREN_MAX)?, source))
        })
        .await?;
    let sessions = ctx.service::<Sessions>();
    let (record, due) =
        (sessions.common.listeners.with_stats(&key.account, record), sessions.common.queue.due(&key.account).await);
    let child = |record: SessionRecord| Child {
        state: records::state_name(&record.life.state),
        id: record.id,
        title: record.title,
    };
    let access = judge::access(&sessions.common, &key.account, record.origin, record.own_level);
    Ok(Detail {
        plan: record.facts.plan.iter().map(Step::from).collect(),
        choices: record.facts.choices.iter().map(|choice| Choice::shown(choice, access)).collect(),
        left_running: record.facts.left_running.clone(),
        commands: record.facts.commands.iter().map(Command::from).collect(),
        prompts: waiting.into_iter().map(Prompt::from).collect(),
        children: children.into_iter().map(child).collect(),
        forked_from: record.fork.clone().map(|fork| ForkedFrom {
            session_id: fork.session,
            title: source.map(|source| source.title),
            entry: fork.entry,
            message: Some(fork.message).filter(|message| *message > 0),
        }),
        session: Session::from(record).starting(&due),
    })
}

/// A request of a session.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "SessionAsk")]
#[serde(rename_all = "camelCase")]
pub(super) struct Ask {
    pub(super) id: String,
    /// `permission`, `plan`, or `question` from the engine; `archive` if an agent wants to archive the session.
    kind: String,
    /// The engine's original request.
    #[schemars(with = "Value")]
    request: Box<RawValue>,
    /// The command, plan, question, or tool title in plain text; the first 2000 characters.
    asked: String,
    /// What `always: true` would allow, in words; null if no rule can cover the request.
    always_allows: Option<String>,
    /// Why it needs your answer, with the setting that decided.
    why: String,
    /// RFC 3339 in UTC.
    asked_at: String,
    /// `allowed`, `refused`, or `withdrawn`; null while open.
    answer: Option<String>,
    /// The chosen offer or submitted value; null if there is none.
    said: Option<String>,
    /// The kind of caller that answered, or `program`; null while open.
    answered_by: Option<String>,
    /// RFC 3339 in UTC; null while open.
    answered_at: Option<String>,
}

impl Ask {
    fn from_stored(ask: records::Ask) -> Result<Ask> {
        let unread = |why| kit::error::INTERNAL.error("Couldn't load a request of the session.").caused_by(why);
        let is_open = ask.answered_ms == 0;
        let always_allows = crate::rules::proposal(&ask).map(|rule| rule.words());
        Ok(Ask {
            id: ask.id,
            kind: ask.kind,
            asked: crate::messages::asked_in_full(&ask.request),
            always_allows,
            request: RawValue::from_string(ask.request).map_err(unread)?,
            why: ask.why,
            asked_at: rfc3339(ask.asked_ms),
            answer: Some(ask.answer).filter(|_| !is_open),
            said: Some(ask.said).filter(|said| !said.is_empty()),
            answered_by: Some(ask.answered_by).filter(|_| !is_open),
            answered_at: Some(rfc3339(ask.answered_ms)).filter(|_| !is_open),
        })
    }
}

/// A session's requests.
#[derive(Serialize, JsonSchema)]
pub(super) struct Asks {
    pub(super) items: Vec<Ask>,
}

/// Identifies the session and page.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct AsksOf {
    session_id: String,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: 10000.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

pub(super) async fn asks(ctx: Ctx, call: Call, input: AsksOf) -> Result<Page<Ask>> {
    super::shared::expect_seen(&ctx, &call.caller, &input.session_id).await?;
    let read = move |tx: &mut store::Tx<'_>| {
        records::one(tx, call.account(), &input.session_id)?;
        let all = records::asks(tx, (call.account(), &input.session_id))?;
        let part = Part { cursor: input.cursor, limit: input.limit };
        part.page(all.into_iter().map(Ask::from_stored).collect::<Result<_>>()?, |ask| (&ask.id).into())
    };
    ctx.db().read(read).await
}

/// The session's open requests.
pub(super) async fn open_asks(ctx: &Ctx, key: &SessionKey) -> Result<Asks> {
    let key = key.clone();
    let read = move |tx: &mut store::Tx<'_>| {
        let open = records::open_asks(tx, (&key.account, &key.session))?;
        Ok(Asks { items: open.into_iter().map(Ask::from_stored).collect::<Result<_>>()? })
    };
    ctx.db().read(read).await
}
