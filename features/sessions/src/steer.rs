//! Operations that control a session: stop, resume, pause, snooze, archive.

use crate::driver::Shared;
use crate::inbox_kinds;
use crate::ops::{Session, SessionId, not_now};
use crate::records::{self, Ask, SessionRecord};
use crate::service::Sessions;
use crate::settings::sessionSelfArchiveWithoutApproval;
use crate::transcript::SessionKey;
use crate::{errors, fault, messages};
use inbox_rows::NewRow;
use kit::error::TOO_MANY;
use kit::{Call, Caller, CallerSet, Ctx, Method, Op, Result, invalid, rfc3339};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;
use store::{HasDb, params};
use supervisor::state::{Input, Session as Life, State};

/// Maximum length of a snooze: a year.
const SNOOZE_MS_MAX: i64 = 366 * 86_400_000;
/// Maximum open requests of agents to archive sessions, per account.
const ARCHIVE_ASKS_MAX: i64 = 100;
/// Seconds after which a rejected caller can retry.
const ARCHIVE_RETRY_S: u32 = 60;
/// The prefix of such a request's id. Ids of engines' requests begin with the number of a launch.
pub(crate) const ARCHIVE_ASK: &str = "archive-";

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "sessions.stop",
            Method::Post,
            "/sessions/{sessionId}/stop",
            CallerSet::PERSON,
            "Stop a session and its processes, optionally with its child sessions. Only you can resume it.",
            stop,
        )
        .example(r#"{"sessionId": "{otherIdleSessionId}"}"#)
        .errors([&errors::NOT_NOW]),
        Op::new(
            "sessions.resume",
            Method::Post,
            "/sessions/{sessionId}/resume",
            CallerSet::PERSON,
            "Resume a session, or retry now.",
            resume,
        )
        .example(r#"{"sessionId": "{stoppedSessionId}"}"#)
        .errors([&errors::NOT_NOW]),
        Op::new(
            "sessions.pause",
            Method::Post,
            "/sessions/{sessionId}/pause",
            CallerSet::PERSON,
            "Pause a session.",
            pause,
        )
        .example(r#"{"sessionId": "{idleSessionId}"}"#)
        .errors([&errors::NOT_NOW]),
        Op::new(
            "sessions.snooze",
            Method::Post,
            "/sessions/{sessionId}/snooze",
            CallerSet::PERSON,
            "Snooze a session.",
            snooze,
        )
        .example(r#"{"sessionId": "{thirdIdleSessionId}", "until": "2026-03-02T00:00:00Z"}"#)
        .errors([&errors::NOT_NOW]),
        Op::new(
            "sessions.archive",
            Method::Post,
            "/sessions/{sessionId}/archive",
            CallerSet::PERSON_AND_AGENTS,
            "Archive a session. Agents may need your approval.",
            archive,
        )
        .example(r#"{"sessionId": "{stoppedSessionId}"}"#)
        .scope("sessions:write")
        .errors([&errors::NOT_NOW]),
        Op::new(
            "sessions.routine",
            Method::Post,
            "/sessions/{sessionId}/routine",
            CallerSet::PERSON_AND_AGENTS,
            "Mark the current turn as a routine update. It stays out of the inbox unless it has a question.",
            routine,
        )
        .example(r#"{"sessionId": "{runningSessionId}"}"#)
        .scope("sessions:write")
        .errors([&errors::NOT_NOW]),
    ]
}

fn session_key(call: &Call, session: &str) -> SessionKey {
    SessionKey { account: call.caller.account.clone(), session: session.into() }
}

/// What to stop.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Stop {
    session_id: String,
    /// Also stop its child sessions, and theirs.
    #[serde(default)]
    tree: bool,
}

/// A stopped session.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Stopped {
    #[serde(flatten)]
    session: Session,
    /// The queued messages that it removed without sending them; the first 2000 characters of each.
    removed_messages: Vec<String>,
}

async fn stop(ctx: Ctx, call: Call, input: Stop) -> Result<Stopped> {
    let (sessions, key) = (ctx.service::<Sessions>(), session_key(&call, &input.session_id));
    let by_user = !call.is_of_agent();
    let queued = {
        let key = key.clone();
        ctx.db().read(move |tx| records::waiting(tx, (&key.account, &key.session))).await?
    };
    let removed = |record: &SessionRecord| {
        let is_removed =
            |message: &&records::Waiting| !record.life.waiting.iter().any(|id| i64::try_from(*id) == Ok(message.id));
        queued.iter().filter(is_removed).map(|message| messages::text_of(&message.content)).collect()
    };
    let shown = |record: SessionRecord| Stopped { removed_messages: removed(&record), session: record.into() };
    let stopped = sessions.apply_by(&key, Input::Stop { by_user }, &call.caller, "stop").await;
    let is_over = stopped.as_ref().is_err_and(|why| why.is(&kit::error::CONFLICT));
    if stopped.is_err() && !is_over {
        return stopped.map(shown);
    }
    let children = if input.tree { stop_children(&sessions, &key, by_user, &call.caller).await? } else { 0 };
    match stopped {
        Ok(record) => Ok(shown(record)),
        Err(why) => {
            let record = ctx.db().read(move |tx| records::one(tx, call.account(), &input.session_id)).await?;
            match children {
                // Scripts learn from the state whether anything was left to stop.
                0 => Err(not_now(why).with("state", records::state_name(&record.life.state))),
                // It had ended before; now its child sessions have too.
                _ => Ok(Stopped { session: record.into(), removed_messages: Vec::new() }),
            }
        }
    }
}

/// Stops all child sessions and returns their number. A parent is stopped before its children are listed, so sessions
/// started meanwhile are found too.
async fn stop_children(sessions: &Arc<Sessions>, root: &SessionKey, by_user: bool, caller: &Caller) -> Result<usize> {
    let (mut seen, mut stopped) = (HashSet::from([root.session.clone()]), 0);
    loop {
        let mut found = Vec::new();
        for parent in &seen {
            let (account, parent) = (root.account.clone(), parent.clone());
            let children = sessions
                .common
                .ctx
                .db()
                .read(move |tx| records::children(tx, (&account, &parent), kit::page::PAGE_MAX))
                .await?;
            found.extend(children.into_iter().map(|child| Arc::<str>::from(child.id)));
        }
        found.retain(|child| !seen.contains(child));
        if found.is_empty() {
            return Ok(stopped);
        }
        for child in found {
            let key = SessionKey { account: root.account.clone(), session: child.clone() };
            match sessions.apply_by(&key, Input::Stop { by_user }, caller, "stop").await {
                Ok(_) => stopped += 1,
                // It has ended already, but its child sessions may not have.
                Err(why) if why.is(&kit::error::CONFLICT) => {}
                Err(why) => return Err(why),
            }
            seen.insert(child);
        }
    }
}

/// A session to resume.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Resume {
    session_id: String,
    /// Start a new engine session if the old one can't be resumed. The engine gets the task it was working on.
    #[serde(default)]
    anew: bool,
}

async fn resume(ctx: Ctx, call: Call, input: Resume) -> Result<Session> {
    let how = if input.anew { Input::StartAnew } else { Input::Start };
    act(ctx, session_key(&call, &input.session_id), &call.caller, how, "resume").await
}

async fn pause(ctx: Ctx, call: Call, input: SessionId) -> Result<Session> {
    act(ctx, session_key(&call, &input.session_id), &call.caller, Input::Pause, "pause").await
}

/// A snooze.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Snooze {
    session_id: String,
    /// RFC 3339; later than now, and within a year.
    #[schemars(extend("format" = "date-time"))]
    until: String,
}

async fn snooze(ctx: Ctx, call: Call, input: Snooze) -> Result<Session> {
    let until: Option<jiff::Timestamp> = input.until.parse().ok();
    let until =
        until.ok_or_else(|| invalid("/until", fault::NOT_A_CHOICE, "Enter a time such as 2026-12-01T09:00:00Z."))?;
    let (until, now_ms) = (until.as_millisecond(), ctx.now_ms());
    if until <= now_ms || until > now_ms.saturating_add(SNOOZE_MS_MAX) {
        let detail = format!("Enter a time after now ({}) and within a year.", rfc3339(now_ms));
        return Err(invalid("/until", fault::NOT_A_CHOICE, detail));
    }
    act(ctx, session_key(&call, &input.session_id), &call.caller, Input::Snooze { until }, "snooze").await
}

async fn act(ctx: Ctx, key: SessionKey, caller: &Caller, input: Input, what: &'static str) -> Result<Session> {
    let applied = ctx.service::<Sessions>().apply_by(&key, input, caller, what).await;
    applied.map(Session::from).map_err(not_now)
}

async fn routine(ctx: Ctx, call: Call, input: SessionId) -> Result<Session> {
    crate::ops::expect_seen(&ctx, &call.caller, &input.session_id).await?;
    act(ctx, session_key(&call, &input.session_id), &call.caller, Input::MarkRoutine, "routine").await
}

/// The outcome of archiving a session.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Archived {
    #[serde(flatten)]
    session: Session,
    /// The request that needs your approval; null if none is needed.
    ask_id: Option<String>,
}

/// The decision about a request to archive a session.
#[derive(Debug, PartialEq)]
enum ArchiveDecision {
    /// Archived now.
    Now,
    /// Archived once its turn has succeeded.
    WhenDone,
    /// The user decides, for this reason.
    Ask(&'static str),
}

/// Decides about an agent's request to archive a session. `is_self`: the session asks to archive itself.
fn decide_archive(is_self: bool, may_self: bool, life: &Life) -> ArchiveDecision {
    match (is_self, may_self, &life.state) {
        (false, ..) => ArchiveDecision::Ask("A session wants to archive another one, which always requires approval"),
        (true, false, _) => {
            ArchiveDecision::Ask("The session wants to archive itself (sessionSelfArchiveWithoutApproval is off)")
        }
        // The request comes from the session's own current turn.
        (true, true, State::Running | State::Compacting { ours: false }) if life.waiting.is_empty() => {
            ArchiveDecision::WhenDone
        }
        (true, true, State::Idle | State::Finished | State::Stopped { .. })
            if life.need.is_none() && life.waiting.is_empty() =>
        {
            ArchiveDecision::Now
        }
        _ => ArchiveDecision::Ask("The session wants to archive itself before it's done"),
    }
}

async fn archive(ctx: Ctx, call: Call, input: SessionId) -> Result<Archived> {
    crate::ops::expect_seen(&ctx, &call.caller, &input.session_id).await?;
    let (sessions, key) = (ctx.service::<Sessions>(), session_key(&call, &input.session_id));
    let shared = sessions.driver(&key).await?;
    let mut driver = shared.lock().await;
    let by = call.caller.session.as_deref().or(call.source_session.as_deref());
    let decision = match call.is_of_agent() {
        true => {
            let may_self = ctx.setting(call.account(), &sessionSelfArchiveWithoutApproval);
            decide_archive(by == Some(&*key.session), may_self, &driver.record.life)
        }
        false => ArchiveDecision::Now,
    };
    let (input, ask_id) = match decision {
        ArchiveDecision::Now => (Input::Archive, None),
        ArchiveDecision::WhenDone => (Input::ArchiveWhenDone, None),
        ArchiveDecision::Ask(why) => {
            let ask_id = ask(&sessions, &key, &driver.record, by, why).await?;
            return Ok(Archived { session: driver.record.clone().into(), ask_id: Some(ask_id) });
        }
    };
    let extra = crate::driver::ExtraWrites { by: Some((call.caller.clone(), "archive")), ..Default::default() };
    driver.apply(&shared, input, extra).await.map_err(not_now)?;
    Ok(Archived { session: driver.record.clone().into(), ask_id })
}

/// Asks the user whether to archive a session: one request and one inbox row, however often agents ask. The session's
/// driver is locked meanwhile.
async fn ask(
    sessions: &Sessions,
    key: &SessionKey,
    record: &SessionRecord,
    by: Option<&str>,
    why: &'static str,
) -> Result<String> {
    if matches!(record.life.state, State::Archived | State::Closed) {
        return Err(errors::NOT_NOW.error("The session is already archived or closed."));
    }
    let (key, title, hub_id) = (key.clone(), record.title.clone(), record.hub_id.clone());
    let (by, now_ms, ctx) = (by.map(str::to_owned), sessions.common.ctx.now_ms(), sessions.common.ctx.clone());
    let write = move |tx: &mut store::Tx<'_>| {
        let (account, session) = (&*key.account, &*key.session);
        if let Some(open) = records::open_archive_ask(tx, (account, session))? {
            return Ok(open);
        }
        let sql = "SELECT count(*) FROM session_asks WHERE account_id = $1 AND answered_ms = 0 AND kind = 'archive'";
        if tx.query_one(sql, params![account], |row| row.get::<i64>(0))? >= ARCHIVE_ASKS_MAX {
            let detail = format!(
                "{ARCHIVE_ASKS_MAX} requests to archive sessions are open, which is the limit. \
                 Wait until some are answered."
            );
            return Err(TOO_MANY.error(detail).retry_after(ARCHIVE_RETRY_S));
        }
        let ask = Ask {
            id: format!("{ARCHIVE_ASK}{}", kit::ids::short_id()),
            kind: "archive".into(),
            request: json!({"message": format!("Archive {title}?"), "by": by}).to_string(),
            why: why.into(),
            asked_ms: now_ms,
            answered_ms: 0,
            answer: String::new(),
            answered_by: String::new(),
            said: String::new(),
            rule: String::new(),
        };
        records::insert_ask(tx, (account, session), &ask)?;
        let what = format!("{title}: wants to be archived");
        let row = NewRow {
            key: Some(&inbox_rows::ask_key(session, &ask.id)),
            body: why,
            link: Some(&format!("/app/sessions/{session}")),
            session_id: Some(session),
            project_id: Some(hub_id.as_str()).filter(|id| !id.is_empty()),
            ..NewRow::new(
                &inbox_kinds::APPROVAL,
                &what,
                events::Actor { kind: "agent", member_id: None, session_id: by.clone() },
            )
        };
        inbox_rows::post(tx, &ctx, account, &row)?;
        Ok(ask.id)
    };
    sessions.common.ctx.db().write(write).await
}

/// Applies the user's answer to a request to archive a session.
pub(crate) async fn answer_archive(shared: &Shared, ask: &str, allow: bool, by: &str) -> Result<()> {
    let mut driver = shared.lock().await;
    let answer = if allow { "allowed" } else { "refused" };
    let answer = records::Answer { ask: ask.to_owned(), answer, said: String::new(), by: by.to_owned() };
    if allow {
        let extra = crate::driver::ExtraWrites { answer: Some(answer), ..Default::default() };
        return driver.apply(shared, Input::Archive, extra).await;
    }
    driver.write_answer(answer).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use supervisor::state::AttentionReason;

    #[test]
    fn only_a_session_that_is_done_puts_itself_away_alone() {
        let life = |state: State, need: Option<AttentionReason>| Life { state, need, ..Life::draft(false, 0) };
        let ask = |decision: ArchiveDecision| matches!(decision, ArchiveDecision::Ask(_));
        assert_eq!(decide_archive(true, true, &life(State::Idle, None)), ArchiveDecision::Now);
        assert_eq!(decide_archive(true, true, &life(State::Finished, None)), ArchiveDecision::Now);
        assert_eq!(decide_archive(true, true, &life(State::Running, None)), ArchiveDecision::WhenDone);
        assert!(
            ask(decide_archive(true, true, &life(State::Idle, Some(AttentionReason::Question)))),
            "it waits for the person"
        );
        assert!(ask(decide_archive(true, true, &life(State::AwaitingPermission, None))));
        assert!(ask(decide_archive(true, false, &life(State::Idle, None))));
        assert!(ask(decide_archive(false, true, &life(State::Idle, None))));
        let mut more = life(State::Running, None);
        more.waiting.push_back(2);
        assert!(ask(decide_archive(true, true, &more)), "a prompt waits");
    }
}
