//! Operations of sessions, transcripts, engines, messages, and requests.

mod change;
mod create;
mod engine_settings;
mod engines;
mod export;
mod find;
mod fork;
mod page;
mod prompts;
mod search;
mod shared;
mod stream;
mod watch;

use crate::driver::UserAnswer;
use crate::records::{self};
use crate::rules::{self, Scope};
use crate::service::Sessions;
use crate::transcript::{PAGE_ENTRIES_MAX, Part as Entries, SessionKey};
use crate::{errors, fault, hubs, needs, steer};
use ::engines::offers::Verdict;
use kit::page::expect_within;
use kit::text::CURSOR;
use kit::{Call, Caller, CallerSet, Ctx, Kind, Method, Op, Page, Part, Result, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shared::{Entry, entry};
use store::HasDb;

/// Default number of transcript entries in an answer.
const ENTRIES: usize = 200;

pub(crate) use create::{NewSession, begin, expect_allowed};
pub(crate) use shared::{Session, SessionId, expect_seen, not_now};

pub(crate) fn ops() -> Vec<Op> {
    [session_ops(), transcript_ops(), engine_ops(), engine_settings::ops(), message_ops(), request_ops()].concat()
}

fn session_ops() -> Vec<Op> {
    vec![
        Op::new(
            "sessions.create",
            Method::Post,
            "/sessions",
            CallerSet::PERSON_AND_AGENTS,
            "Start a session. It's queued; without `engine`, the default engine of `engines.list` is used. While \
             requireSpawnSourceSession is on (the default), scripts name the calling session in X-App-Source-Session-Id; \
             start a first session in the app, or turn \
             requireSpawnSourceSession off.",
            create::create,
        )
        .example(r#"{"engine": "practice", "projectId": "{hubId}", "prompt": "practice: say done"}"#)
        .scope("sessions:spawn")
        .synonyms("start run launch spawn new agent task")
        .body_up_to(prompts::MESSAGE_BYTES)
        .common()
        .errors([
            &errors::AGENT_TOKEN_SPAWN,
            &errors::SOURCE_SESSION_REQUIRED,
            &errors::AGENT_DRIVEN_DISABLED,
            &errors::ENGINE_NOT_INSTALLED,
            &errors::ENGINE_NOT_LOGGED_IN,
            &errors::SPAWN_DEPTH,
            &errors::AGENT_CONCURRENCY,
            &errors::HUB_FOLDER,
            &errors::WORKTREE,
            &errors::MODE_TOO_WIDE,
        ])
        .columns(&["id", "title", "state", "why"]),
        Op::new(
            "sessions.fork",
            Method::Post,
            "/sessions/{sessionId}/fork",
            CallerSet::PERSON,
            "Continue a session in a new one, from one of its messages. The new session has the same hub, engine, model, \
             and mode. Its agent gets the conversation up to there: a copy of the engine's session if that ends there, else \
             the newest 100,000 characters of the transcript.",
            fork::fork,
        )
        .example(r#"{"sessionId": "{sessionId}", "prompt": "practice: say done"}"#)
        .synonyms("branch copy continue from message retry")
        .body_up_to(prompts::MESSAGE_BYTES)
        .errors([
            &errors::SOURCE_SESSION_REQUIRED,
            &errors::AGENT_DRIVEN_DISABLED,
            &errors::ENGINE_NOT_INSTALLED,
            &errors::ENGINE_NOT_LOGGED_IN,
            &errors::HUB_FOLDER,
            &errors::WORKTREE,
            &errors::MODE_TOO_WIDE,
        ])
        .columns(&["id", "title", "state", "why"]),
        Op::new(
            "sessions.list",
            Method::Get,
            "/sessions",
            CallerSet::PERSON_AND_AGENTS,
            "List sessions, newest first. A session sees itself and its child sessions.",
            list,
        )
        .example(r#"{"projectId": "{hubId}"}"#)
        .scope("sessions:read")
        .common()
        .columns(&["id", "title", "state", "why", "since", "engine"]),
        Op::new(
            "sessions.find",
            Method::Get,
            "/sessions/find",
            CallerSet::PERSON,
            "Find sessions by title, newest first.",
            find::find,
        )
        .example(r#"{"q": "say"}"#)
        .synonyms("search name title")
        .columns(&["id", "title", "engine", "state", "changedAt"]),
        Op::new(
            "sessions.watch",
            Method::Get,
            "/sessions/watch",
            CallerSet::PERSON,
            "Follow all sessions: a line for each change of a session's state or needs, until you stop it.",
            watch::watch,
        )
        .synonyms("follow tail live monitor"),
        Op::new(
            "sessions.get",
            Method::Get,
            "/sessions/{sessionId}",
            CallerSet::PERSON_AND_AGENTS,
            "Get a session.",
            get,
        )
        .example(r#"{"sessionId": "{sessionId}"}"#)
        .scope("sessions:read"),
        Op::new(
            "sessions.stream",
            Method::Get,
            "/sessions/{sessionId}/stream",
            CallerSet::PERSON_AND_AGENTS,
            "Stream a session's events. `session` is its record and `asks` its open requests, both sent first and on each change; \
             `entries` are transcript entries before they are stored, with the last one's number as the id. Send that as `Last-Event-ID` \
             to get missed entries. If too many were missed, you get `reset`: load the transcript up to the number `last`.",
            stream::stream,
        )
        .example(r#"{"sessionId": "{sessionId}"}"#)
        .scope("sessions:read"),
    ]
}

fn transcript_ops() -> Vec<Op> {
    vec![
        Op::new(
            "sessions.transcript",
            Method::Get,
            "/sessions/{sessionId}/transcript",
            CallerSet::PERSON_AND_AGENTS,
            "List entries of a transcript: the newest, or those before or after a number.",
            transcript,
        )
        .example(r#"{"sessionId": "{sessionId}"}"#)
        .scope("sessions:read"),
        Op::new(
            "sessions.search",
            Method::Get,
            "/sessions/search",
            CallerSet::PERSON,
            "Search all transcripts.",
            search::search,
        )
        .example(r#"{"q": "done"}"#)
        .columns(&["sessionId", "entry", "title", "snippet"]),
        Op::new(
            "sessions.export",
            Method::Get,
            "/sessions/{sessionId}/export",
            CallerSet::PERSON,
            "Export a transcript as a file. `as` is `markdown`, `jsonl`, or `html`.",
            export::export,
        )
        .example(r#"{"sessionId": "{sessionId}", "as": "markdown"}"#),
    ]
}

fn engine_ops() -> Vec<Op> {
    vec![
        Op::new(
            "engines.list",
            Method::Get,
            "/engines",
            CallerSet::PERSON_AND_AGENTS,
            "List engines and their status on this machine. Engines not checked yet are checked first, which takes a few seconds.",
            engines::list,
        )
        .scope("sessions:read")
        .columns(&["id", "name", "isFound", "version", "login", "trouble"]),
        Op::new(
            "engines.check",
            Method::Post,
            "/engines/{engineId}/check",
            CallerSet::PERSON,
            "Check an engine on this machine again.",
            engines::check,
        )
        .example(r#"{"engineId": "practice"}"#)
        .columns(&["id", "isFound", "version", "login", "trouble"]),
    ]
}

fn message_ops() -> Vec<Op> {
    vec![
        Op::new(
            "sessions.message",
            Method::Post,
            "/sessions/{sessionId}/messages",
            CallerSet::PERSON_AND_AGENTS,
            "Send a message. Queue it, or steer the current turn. From scripts and sessions, it needs agentDrivenSessionsEnabled.",
            prompts::message,
        )
        .example(r#"{"sessionId": "{sessionId}", "prompt": "practice: say more"}"#)
        .scope("sessions:write")
        .body_up_to(prompts::MESSAGE_BYTES)
        .errors([&errors::AGENT_DRIVEN_DISABLED, &errors::NO_IMAGES, &errors::NOT_NOW])
        .columns(&["id", "title", "state", "outcome"]),
        Op::new(
            "sessions.withdraw",
            Method::Delete,
            "/sessions/{sessionId}/messages/{promptId}",
            CallerSet::PERSON,
            "Remove a queued message.",
            prompts::withdraw,
        )
        .example(r#"{"sessionId": "{runningSessionId}", "promptId": "2"}"#)
        .errors([&errors::NOT_NOW]),
        Op::new(
            "sessions.image",
            Method::Get,
            "/sessions/{sessionId}/messages/{promptId}/images/{image}",
            CallerSet::PERSON_AND_AGENTS,
            "Get an image of a message.",
            prompts::image,
        )
        .example(r#"{"sessionId": "{sessionId}", "promptId": "2", "image": "0"}"#)
        .scope("sessions:read"),
        Op::new(
            "sessions.cancel",
            Method::Post,
            "/sessions/{sessionId}/cancel",
            CallerSet::PERSON,
            "Cancel the current turn. The session stays open and continues with the next queued message.",
            prompts::cancel,
        )
        .example(r#"{"sessionId": "{turnSessionId}"}"#)
        .errors([&errors::NOT_NOW]),
    ]
}

fn request_ops() -> Vec<Op> {
    vec![
        Op::new(
            "sessions.change",
            Method::Patch,
            "/sessions/{sessionId}",
            CallerSet::PERSON,
            "Change a session's title, model, mode, or effort. A running engine switches at once, others at their next start.",
            change::patch,
        )
        .example(r#"{"sessionId": "{sessionId}", "title": "T"}"#)
        .errors([&errors::ENGINE_REFUSED, &errors::MODE_TOO_WIDE]),
        Op::new(
            "sessions.seen",
            Method::Post,
            "/sessions/{sessionId}/seen",
            CallerSet::PERSON,
            "Mark a transcript as read up to an entry.",
            change::seen,
        )
        .example(r#"{"sessionId": "{sessionId}", "number": 1}"#),
        Op::new(
            "sessions.asks",
            Method::Get,
            "/sessions/{sessionId}/asks",
            CallerSet::PERSON_AND_AGENTS,
            "List a session's requests and their answers, oldest first.",
            page::asks,
        )
        .example(r#"{"sessionId": "{sessionId}"}"#)
        .scope("sessions:read")
        .columns(&["id", "kind", "asked", "askedAt", "why", "answer"]),
        Op::new(
            "sessions.answer",
            Method::Post,
            "/sessions/{sessionId}/asks/{askId}/answer",
            CallerSet::PERSON,
            "Answer a request of a session. Only the first answer counts; `always: true` also creates a permission rule.",
            answer,
        )
        .example(r#"{"sessionId": "{askingSessionId}", "askId": "1-permission-1", "allow": true}"#)
        .errors([&errors::NOT_NOW, &errors::NO_RULE]),
    ]
}

/// Filters for sessions.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    /// Only sessions in this hub.
    project_id: Option<String>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: 200.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

async fn list(ctx: Ctx, call: Call, input: List) -> Result<Page<Session>> {
    let part = Part { cursor: input.cursor, limit: Some(input.limit.unwrap_or(200)) };
    let before = part.after()?.unwrap_or("~").to_owned();
    let to_read = part.to_read();
    let account = call.caller.account.clone();
    let list = move |tx: &mut store::Tx<'_>| {
        let hub = hubs::expect(tx, call.account(), input.project_id.as_deref())?;
        let own = call.caller.session.as_deref().unwrap_or_default();
        let records = records::list(tx, call.account(), (&hub.unwrap_or_default(), own), &before, to_read)?;
        Ok((records, needs::sessions(tx, call.account())?))
    };
    let (records, needing) = ctx.db().read(list).await?;
    let sessions = shared::listed(&ctx.service::<Sessions>(), &account, records, &needing).await;
    part.first_page(sessions, |session| (&session.id).into())
}

async fn get(ctx: Ctx, call: Call, input: SessionId) -> Result<page::Detail> {
    expect_seen(&ctx, &call.caller, &input.session_id).await?;
    page::detail(&ctx, &SessionKey { account: call.caller.account, session: input.session_id.into() }).await
}

/// A range of transcript entries.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Range {
    session_id: String,
    /// Only entries before this number.
    #[schemars(range(min = 1))]
    before: Option<i64>,
    /// Only entries after this number; 0 for all.
    #[schemars(range(min = 0))]
    after: Option<i64>,
    /// 1 to 1000. Default: 200. A page can be shorter even if there are more.
    #[schemars(range(min = 1, max = PAGE_ENTRIES_MAX))]
    limit: Option<usize>,
}

/// Part of a transcript.
#[derive(Serialize, JsonSchema)]
struct Transcript {
    /// In chronological order.
    entries: Vec<Entry>,
    /// The number of the newest entry.
    last: i64,
}

async fn transcript(ctx: Ctx, call: Call, input: Range) -> Result<Transcript> {
    let limit = expect_within(input.limit.unwrap_or(ENTRIES), 1..=PAGE_ENTRIES_MAX, "/limit")?;
    if input.before.is_some_and(|before| before < 1) || input.after.is_some_and(|after| after < 0) {
        let pointer = if input.before.is_some() { "/before" } else { "/after" };
        return Err(invalid(pointer, fault::OUT_OF_RANGE, "Entry numbers start at 1; after 0 returns all."));
    }
    expect_seen(&ctx, &call.caller, &input.session_id).await?;
    let sessions = ctx.service::<Sessions>();
    let key = SessionKey { account: call.caller.account.clone(), session: input.session_id.as_str().into() };
    // Entries that wait to be written belong to the answer. They are written even if the caller disconnects.
    let shared = sessions.driver(&key).await?;
    let _ = tokio::spawn(async move { shared.lock().await.flush(false).await }).await;
    let part = match (input.before, input.after) {
        (None, None) => Entries::Newest,
        (Some(before), None) => Entries::Before(before),
        (None, Some(after)) => Entries::After(after),
        (Some(_), Some(_)) => {
            return Err(invalid("/after", fault::ONE_OF, "Send either before or after, not both."));
        }
    };
    let mut entries = sessions.common.transcripts.page(&key, part, limit).await?;
    shared::say_answers(&ctx, &key, &mut entries).await?;
    Ok(Transcript {
        entries: entries.into_iter().map(entry).collect::<Result<_>>()?,
        last: sessions.common.transcripts.last(&key).await?,
    })
}

/// An answer to a request.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Answer {
    session_id: String,
    ask_id: String,
    /// True allows, false denies. Default with `offer` or `value`: true.
    allow: Option<bool>,
    /// Also create a permission rule for later requests (`sessions.rules.list`). The request's
    /// `alwaysAllows` says what it covers.
    #[serde(default)]
    always: bool,
    /// Where the rule applies. Default: this session.
    scope: Option<Scope>,
    /// The ID of one of the request's options.
    offer: Option<String>,
    /// The answer to a question: an object of values by field, or the value itself if the question has a single field.
    value: Option<Value>,
}

/// A session whose request was answered.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AnsweredSession")]
struct Answered {
    #[serde(flatten)]
    session: Session,
    /// The permission rule it created, or null.
    rule: Option<rules::Record>,
}

async fn answer(ctx: Ctx, call: Call, input: Answer) -> Result<Answered> {
    let sessions = ctx.service::<Sessions>();
    let key = SessionKey { account: call.caller.account.clone(), session: input.session_id.as_str().into() };
    let is_told = input.value.is_some() || input.offer.is_some();
    let Some(allow) = input.allow.or(is_told.then_some(true)) else {
        return Err(invalid("/allow", fault::MISSING, "Set `allow`, `offer`, or `value`."));
    };
    let said = match (input.value, input.offer, allow, input.always) {
        (Some(value), _, true, _) => UserAnswer::Value(Some(value)),
        (Some(_), _, false, _) => UserAnswer::Value(None),
        (None, Some(offer), _, _) => UserAnswer::Verdict(Verdict::Offer(offer)),
        (None, None, true, false) => UserAnswer::Verdict(Verdict::AllowOnce),
        (None, None, true, true) => UserAnswer::Verdict(Verdict::AllowAlways),
        (None, None, false, false) => UserAnswer::Verdict(Verdict::RejectOnce),
        (None, None, false, true) => UserAnswer::Verdict(Verdict::RejectAlways),
    };
    let shared = sessions.driver(&key).await?;
    if input.ask_id.starts_with(steer::ARCHIVE_ASK) {
        let allow = matches!(said, UserAnswer::Verdict(Verdict::AllowOnce | Verdict::AllowAlways));
        steer::answer_archive(&shared, &input.ask_id, allow, call.caller.kind.name()).await.map_err(not_now)?;
        let session = shared.lock().await.record.clone().into();
        return Ok(Answered { session, rule: None });
    }
    let always = input.always.then(|| input.scope.unwrap_or(Scope::Session));
    let mut driver = shared.lock().await;
    let rule = driver.answer(&shared, &input.ask_id, said, always, &call.caller).await.map_err(not_now)?;
    let record = driver.record.clone();
    drop(driver);
    let rule = match rule {
        Some(rule) => {
            let (account, hub) = (call.caller.account.clone(), rule.hub().map(str::to_owned));
            let name = ctx.db().read(move |tx| rules::hub_name(tx, &account, hub.as_deref())).await?;
            let title = (rule.scope == Scope::Session).then(|| record.title.clone());
            Some(rule.record(title, name))
        }
        None => None,
    };
    Ok(Answered { session: record.into(), rule })
}

/// Answers requests from notifications, as the user does on the page.
pub(crate) struct Answers(pub(crate) Ctx);

impl kit::lookup::AnswerRequests for Answers {
    fn answer(
        &self,
        account: &str,
        session: &str,
        ask: &str,
        allow: bool,
    ) -> futures_core::future::BoxFuture<'static, Result<()>> {
        let call = Call::new(Caller::new(Kind::Owner, account, "notification"));
        let input = Answer {
            session_id: session.to_owned(),
            ask_id: ask.to_owned(),
            allow: Some(allow),
            always: false,
            scope: None,
            offer: None,
            value: None,
        };
        let ctx = self.0.clone();
        Box::pin(async move { answer(ctx, call, input).await.map(drop) })
    }
}

/// Whether a session in this state works, or is about to.
fn works(state: &supervisor::state::State) -> bool {
    use supervisor::state::State;
    matches!(state, State::Launching { .. } | State::Running | State::Retrying { .. } | State::Compacting { .. })
}

impl kit::lookup::ControlSessions for Answers {
    fn cancel_all(&self, account: &str) -> futures_core::future::BoxFuture<'static, Result<()>> {
        let (ctx, account) = (self.0.clone(), account.to_owned());
        Box::pin(async move {
            let list = ctx.service::<kit::lookup::AgentSessions>();
            let sessions = list.0.seen(&ctx, &account, &kit::SessionsSeen::All).await?;
            for session in sessions.all.into_iter().filter(|one| one.state == kit::lookup::SessionState::Running) {
                let call = Call::new(Caller::new(Kind::Owner, &account, "tray"));
                // One that has ended its turn meanwhile has nothing to cancel.
                let _ = prompts::cancel(ctx.clone(), call, shared::SessionId { session_id: session.id }).await;
            }
            Ok(())
        })
    }

    fn working(&self) -> futures_core::future::BoxFuture<'static, Result<std::collections::HashSet<String>>> {
        let ctx = self.0.clone();
        Box::pin(async move {
            let lives = ctx.db().read(records::all_active_lives).await?;
            Ok(lives.into_iter().filter(|(_, life)| works(&life.state)).map(|(session, _)| session).collect())
        })
    }

    fn counts(&self, account: &str) -> futures_core::future::BoxFuture<'static, Result<kit::lookup::SessionCounts>> {
        let (ctx, account) = (self.0.clone(), account.to_owned());
        Box::pin(async move {
            let lives = ctx.db().read(move |tx| records::active_lives(tx, &account)).await?;
            use supervisor::state::State;
            Ok(kit::lookup::SessionCounts {
                running: lives.iter().filter(|life| works(&life.state)).count(),
                limited: lives.iter().filter(|life| matches!(life.state, State::Parked { .. })).count(),
            })
        })
    }
}
