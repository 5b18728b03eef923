//! Session records: what the database stores of a session, and how it is read and written.
//!
//! Invariant: everything that follows from a session's step is written in one transaction, before it is carried out.

use crate::facts::Facts;
use engines::Chunk;
use kit::error::{CONFLICT, Error, INTERNAL, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use store::{Row, Tx, params};
use supervisor::policy::{Level, Origin};
use supervisor::state::{PromptId, Session as Life, State};

/// A session as stored in the database.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SessionRecord {
    pub(crate) id: String,
    /// Empty if its hub was removed.
    pub(crate) hub_id: String,
    /// The session that it continues, if it's a fork.
    pub(crate) fork: Option<Fork>,
    pub(crate) title: String,
    /// Where its title comes from.
    pub(crate) naming: Naming,
    pub(crate) engine: String,
    /// Empty for the engine's default.
    pub(crate) model: String,
    /// How hard its model thinks, in the engine's words; empty for its default.
    pub(crate) effort: String,
    /// The level that its engine had of its own when it was created.
    pub(crate) own_level: Option<Level>,
    pub(crate) cwd: String,
    pub(crate) origin: Origin,
    pub(crate) driven: bool,
    pub(crate) counted: bool,
    pub(crate) parent_id: Option<String>,
    pub(crate) depth: i64,
    /// The engine's id of it; empty until the engine first opened it.
    pub(crate) engine_session: String,
    pub(crate) life: Life,
    pub(crate) sums: Sums,
    /// The mode that the user chose, by the engine's name; empty for the default mode of the session's access.
    pub(crate) mode: String,
    pub(crate) facts: Arc<Facts>,
    /// The newest entry of its transcript when the record was last saved.
    pub(crate) last_entry: i64,
    /// The read position in a transcript.
    pub(crate) seen_entry: i64,
    pub(crate) created_ms: i64,
    pub(crate) changed_ms: i64,
}

/// The message of another session at which a fork begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fork {
    /// The other session.
    pub(crate) session: String,
    /// The last transcript entry that it takes over.
    pub(crate) entry: i64,
    /// The number of the last message in that part; 0 if unknown.
    pub(crate) message: i64,
}

/// Totals of a session so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Sums {
    pub(crate) turns: i64,
    pub(crate) run_ms: i64,
    pub(crate) cost_usd: Option<f64>,
    pub(crate) used_tokens: i64,
    pub(crate) size_tokens: i64,
}

/// Origins, by name.
const ORIGINS: [(Origin, &str); 4] = [
    (Origin::Person, "person"),
    (Origin::Agent, "agent"),
    (Origin::Automation, "automation"),
    (Origin::Email, "email"),
];

/// The level with this name. Unknown ones are the strictest.
/// Where a session's title comes from. A later one wins over an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Naming {
    /// The first message, or the engine.
    Message = 0,
    /// You, or whoever created it.
    User = 1,
    /// A model that was asked for a title.
    Model = 2,
}

impl Naming {
    fn stored(number: i64) -> Naming {
        match number {
            0 => Naming::Message,
            2 => Naming::Model,
            _ => Naming::User,
        }
    }
}

fn level_named(name: &str) -> Option<Level> {
    let known = Level::ALL.into_iter().find(|level| level.name() == name);
    (!name.is_empty()).then(|| known.unwrap_or(Level::ReadOnly))
}

/// The name of an origin, as stored and sent.
pub(crate) fn origin_name(origin: Origin) -> &'static str {
    ORIGINS.iter().find(|(one, _)| *one == origin).map_or("email", |(_, name)| name)
}

/// The name of a state, as stored and sent. Its JSON has the same one.
pub(crate) fn state_name(state: &State) -> String {
    let value = serde_json::to_value(state).expect("states serialize");
    value["state"].as_str().expect("a state has a name").to_owned()
}

const SESSIONS: &str = "SELECT session_id, hub_id, title, engine, model, cwd, origin, driven, counted, parent_id, depth, engine_session, \
     life, turns, run_ms, cost_usd, used_tokens, size_tokens, created_ms, changed_ms, mode, facts, last_entry, seen_entry, effort, own_level, \
     fork_session, fork_entry, fork_message, is_named FROM sessions WHERE account_id = $1";

fn read_record(row: &dyn Row) -> Result<SessionRecord> {
    let origin: &str = row.get(6)?;
    Ok(SessionRecord {
        id: row.get(0)?,
        hub_id: row.get(1)?,
        title: row.get(2)?,
        engine: row.get(3)?,
        model: row.get(4)?,
        cwd: row.get(5)?,
        // An unknown origin gets the strictest rules.
        origin: ORIGINS.iter().find(|(_, name)| *name == origin).map_or(Origin::Email, |(one, _)| *one),
        driven: row.get::<i64>(7)? != 0,
        counted: row.get::<i64>(8)? != 0,
        parent_id: row.get(9)?,
        depth: row.get(10)?,
        engine_session: row.get(11)?,
        life: read_json(row.get(12)?)?,
        sums: Sums {
            turns: row.get(13)?,
            run_ms: row.get(14)?,
            cost_usd: row.get(15)?,
            used_tokens: row.get(16)?,
            size_tokens: row.get(17)?,
        },
        created_ms: row.get(18)?,
        changed_ms: row.get(19)?,
        mode: row.get(20)?,
        facts: Arc::new(read_json(row.get(21)?)?),
        last_entry: row.get(22)?,
        seen_entry: row.get(23)?,
        effort: row.get(24)?,
        own_level: level_named(row.get(25)?),
        naming: Naming::stored(row.get(29)?),
        fork: match row.get::<String>(26)? {
            session if session.is_empty() => None,
            session => Some(Fork { session, entry: row.get(27)?, message: row.get(28)? }),
        },
    })
}

/// One of the account's sessions, by id.
pub(crate) fn one(tx: &mut Tx<'_>, account: &str, id: &str) -> Result<SessionRecord> {
    tx.query_one(&format!("{SESSIONS} AND session_id = $2"), params![account, id], read_record)
}

/// The account's sessions of a hub (all if empty), newest first, older than `before`. If `own` names a session, only
/// that one and its child sessions.
pub(crate) fn list(
    tx: &mut Tx<'_>,
    account: &str,
    (hub, own): (&str, &str),
    before: &str,
    limit: i64,
) -> Result<Vec<SessionRecord>> {
    let sql = format!(
        "{SESSIONS} AND ($2 = '' OR hub_id = $2) AND ($3 = '' OR session_id = $3 OR parent_id = $3) AND session_id < $4 \
         ORDER BY session_id DESC LIMIT $5"
    );
    tx.query(&sql, params![account, hub, own, before, limit], read_record)
}

/// Maximum sessions whose titles are searched: the newest.
const TITLES_MAX: i64 = 100_000;

/// The account's sessions whose titles are wanted, newest first; archived ones only if no other is.
pub(crate) fn titled(
    tx: &mut Tx<'_>,
    account: &str,
    is_wanted: impl Fn(&str) -> bool,
    limit: usize,
) -> Result<Vec<SessionRecord>> {
    let sql = "SELECT session_id, title, state FROM sessions WHERE account_id = $1 ORDER BY session_id DESC LIMIT $2";
    let (mut found, mut archived) = (Vec::new(), Vec::new());
    tx.each(sql, params![account, TITLES_MAX], |row| {
        let of = if row.get::<&str>(2)? == "archived" { &mut archived } else { &mut found };
        if of.len() < limit && is_wanted(row.get(1)?) {
            of.push(row.get::<String>(0)?);
        }
        Ok(())
    })?;
    let ids = if found.is_empty() { archived } else { found };
    ids.iter().map(|id| one(tx, account, id)).collect()
}

/// The account's sessions that were started and not archived, newest first, older than `before`.
pub(crate) fn launched(tx: &mut Tx<'_>, account: &str, before: &str, limit: i64) -> Result<Vec<SessionRecord>> {
    let sql = format!(
        "{SESSIONS} AND session_id < $2 AND state <> 'draft' AND state <> 'archived' ORDER BY session_id DESC LIMIT $3"
    );
    tx.query(&sql, params![account, before, limit], read_record)
}

/// Sessions of all accounts that were active when the program ended, or would start automatically.
pub(crate) fn active(tx: &mut Tx<'_>) -> Result<Vec<(String, String)>> {
    let sql = "SELECT account_id, session_id FROM sessions WHERE active = 1 ORDER BY active, account_id, session_id";
    tx.query(sql, params![], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Accounts with sessions that could be revived.
pub(crate) fn accounts_at_rest(tx: &mut Tx<'_>) -> Result<Vec<String>> {
    let sql = "SELECT DISTINCT account_id FROM sessions WHERE state IN ('interrupted', 'paused', 'closed') ORDER BY account_id";
    tx.query(sql, params![], |row| row.get(0))
}

/// The account's interrupted, paused, or closed sessions, newest first.
pub(crate) fn at_rest(tx: &mut Tx<'_>, account: &str) -> Result<Vec<SessionRecord>> {
    let sql = format!(
        "{SESSIONS} AND state IN ('interrupted', 'paused', 'closed') ORDER BY changed_ms DESC, session_id DESC LIMIT {AT_REST_MAX}"
    );
    tx.query(&sql, params![account], read_record)
}

/// Maximum sessions that are considered for revival together.
const AT_REST_MAX: usize = 1_000;

/// The lives of the account's active sessions.
pub(crate) fn active_lives(tx: &mut Tx<'_>, account: &str) -> Result<Vec<Life>> {
    let sql = "SELECT life FROM sessions WHERE active = 1 AND account_id = $1";
    tx.query(sql, params![account], |row| read_json(row.get(0)?))
}

/// The sessions of all accounts that haven't ended, each with its ID.
pub(crate) fn all_active_lives(tx: &mut Tx<'_>) -> Result<Vec<(String, Life)>> {
    tx.query("SELECT session_id, life FROM sessions WHERE active = 1", params![], |row| {
        Ok((row.get(0)?, read_json(row.get(1)?)?))
    })
}

/// The sessions of all accounts that haven't ended, each with its account and engine.
pub(crate) fn all_active_by_engine(tx: &mut Tx<'_>) -> Result<Vec<(String, String, Life)>> {
    tx.query("SELECT account_id, engine, life FROM sessions WHERE active = 1", params![], |row| {
        Ok((row.get(0)?, row.get(1)?, read_json(row.get(2)?)?))
    })
}

/// Every session of every account, the newest first.
pub(crate) fn every(tx: &mut Tx<'_>) -> Result<Vec<(String, String)>> {
    let sql = "SELECT account_id, session_id FROM sessions ORDER BY session_id DESC, account_id";
    tx.query(sql, params![], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Writes a new session.
pub(crate) fn insert(tx: &mut Tx<'_>, account: &str, new: &SessionRecord) -> Result<()> {
    tx.execute(
        "INSERT INTO sessions (account_id, session_id, hub_id, title, engine, model, cwd, origin, driven, counted, parent_id, depth, \
         engine_session, state, active, life, turns, run_ms, cost_usd, used_tokens, size_tokens, created_ms, changed_ms, \
         effort, own_level, fork_session, fork_entry, fork_message, is_named) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, 0, 0, NULL, 0, 0, $17, $18, $19, $20, \
         $21, $22, $23, $24)",
        params![
            account,
            &new.id,
            &new.hub_id,
            &new.title,
            &new.engine,
            &new.model,
            &new.cwd,
            origin_name(new.origin),
            new.driven,
            new.counted,
            new.parent_id.as_deref(),
            new.depth,
            &new.engine_session,
            state_name(&new.life.state),
            is_active(&new.life),
            json(&new.life),
            new.created_ms,
            new.changed_ms,
            &new.effort,
            new.own_level.map_or("", Level::name),
            new.fork.as_ref().map_or("", |fork| &*fork.session),
            new.fork.as_ref().map_or(0, |fork| fork.entry),
            new.fork.as_ref().map_or(0, |fork| fork.message),
            new.naming as i64,
        ],
    )
    .map(drop)
}

/// Saves the parts of a session that can change.
pub(crate) fn save(tx: &mut Tx<'_>, account: &str, record: &SessionRecord) -> Result<()> {
    tx.execute(
        "UPDATE sessions SET title = $3, model = $4, engine_session = $5, state = $6, active = $7, life = $8, turns = $9, run_ms = $10, \
         cost_usd = $11, used_tokens = $12, size_tokens = $13, changed_ms = $14, mode = $15, last_entry = $16, effort = $17, is_named = $18 WHERE account_id = $1 AND session_id = $2",
        params![
            account,
            &record.id,
            &record.title,
            &record.model,
            &record.engine_session,
            state_name(&record.life.state),
            is_active(&record.life),
            json(&record.life),
            record.sums.turns,
            record.sums.run_ms,
            record.sums.cost_usd,
            record.sums.used_tokens,
            record.sums.size_tokens,
            record.changed_ms,
            &record.mode,
            record.last_entry,
            &record.effort,
            record.naming as i64,
        ],
    )
    .map(drop)
}

/// Saves what the engine reported last, which is larger than the rest and changes less often.
pub(crate) fn save_facts(tx: &mut Tx<'_>, account: &str, record: &SessionRecord) -> Result<()> {
    let sql = "UPDATE sessions SET facts = $3 WHERE account_id = $1 AND session_id = $2";
    tx.execute(sql, params![account, &record.id, json(&*record.facts)]).map(drop)
}

/// Saves the read position; it never moves back.
pub(crate) fn set_seen(tx: &mut Tx<'_>, (account, session): (&str, &str), entry: i64) -> Result<()> {
    let sql = "UPDATE sessions SET seen_entry = $3 WHERE account_id = $1 AND session_id = $2 AND seen_entry < $3";
    tx.execute(sql, params![account, session, entry]).map(drop)
}

/// A session's child sessions, newest first.
pub(crate) fn children(tx: &mut Tx<'_>, (account, session): (&str, &str), limit: i64) -> Result<Vec<SessionRecord>> {
    let sql = format!("{SESSIONS} AND parent_id = $2 ORDER BY session_id DESC LIMIT $3");
    tx.query(&sql, params![account, session, limit], read_record)
}

/// A queued message.
pub(crate) struct Waiting {
    pub(crate) id: i64,
    pub(crate) at_ms: i64,
    pub(crate) actor: String,
    pub(crate) content: Vec<Chunk>,
}

/// The queued messages of a session, in order.
pub(crate) fn waiting(tx: &mut Tx<'_>, (account, session): (&str, &str)) -> Result<Vec<Waiting>> {
    let sql = "SELECT prompt_id, at_ms, actor, content FROM session_prompts \
         WHERE account_id = $1 AND session_id = $2 AND state = 'waiting' ORDER BY prompt_id";
    tx.query(sql, params![account, session], |row| {
        Ok(Waiting { id: row.get(0)?, at_ms: row.get(1)?, actor: row.get(2)?, content: read_json(row.get(3)?)? })
    })
}

/// Whether the session must be loaded when the program starts: it has an engine, or will start one automatically.
pub(crate) fn is_active(life: &Life) -> bool {
    let comes_back = matches!(life.state, State::Snoozed { .. } | State::Parked { .. });
    life.has_process || comes_back || life.state.is_active()
}

/// Writes a message, before it goes to the engine.
pub(crate) fn insert_prompt(
    tx: &mut Tx<'_>,
    (account, session): (&str, &str),
    id: PromptId,
    at_ms: i64,
    (actor, actor_session): (&str, Option<&str>),
    content: &[Chunk],
) -> Result<()> {
    tx.execute(
        "INSERT INTO session_prompts (account_id, session_id, prompt_id, at_ms, actor, actor_session_id, content, state) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, 'waiting')",
        params![account, session, number(id), at_ms, actor, actor_session, json(&content)],
    )
    .map(drop)
}

/// Records that a message goes to the engine now, or never will.
pub(crate) fn set_prompt(
    tx: &mut Tx<'_>,
    (account, session): (&str, &str),
    id: PromptId,
    state: &'static str,
) -> Result<()> {
    let sql = "UPDATE session_prompts SET state = $4 WHERE account_id = $1 AND session_id = $2 AND prompt_id = $3";
    tx.execute(sql, params![account, session, number(id), state]).map(drop)
}

/// The content of a message.
pub(crate) fn prompt(tx: &mut Tx<'_>, (account, session): (&str, &str), id: PromptId) -> Result<Vec<Chunk>> {
    let sql = "SELECT content FROM session_prompts WHERE account_id = $1 AND session_id = $2 AND prompt_id = $3";
    tx.query_one(sql, params![account, session, number(id)], |row| read_json(row.get(0)?))
}

/// A request of a session that the user has to answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ask {
    pub(crate) id: String,
    /// `permission`, `plan`, or `question`.
    pub(crate) kind: String,
    /// The engine's original request, as JSON.
    pub(crate) request: String,
    /// Why it needs your answer, with the setting that decided.
    pub(crate) why: String,
    pub(crate) asked_ms: i64,
    /// 0 while it is open.
    pub(crate) answered_ms: i64,
    pub(crate) answer: String,
    pub(crate) answered_by: String,
    /// The chosen offer or submitted value; empty for a plain yes or no.
    pub(crate) said: String,
    /// The rule that `always: true` would create, as JSON; empty if no rule can cover the request.
    pub(crate) rule: String,
}

/// A user's answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    /// The request's id.
    pub(crate) ask: String,
    /// `allowed`, `refused`, or `withdrawn`.
    pub(crate) answer: &'static str,
    /// The chosen offer or submitted value, if any.
    pub(crate) said: String,
    /// The kind of caller, or `program`.
    pub(crate) by: String,
}

/// Writes a request; an existing one stays unchanged.
pub(crate) fn insert_ask(tx: &mut Tx<'_>, (account, session): (&str, &str), ask: &Ask) -> Result<()> {
    tx.execute(
        "INSERT INTO session_asks (account_id, session_id, ask_id, kind, request, why, asked_ms, answered_ms, answer, answered_by, rule) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, 0, '', '', $8) ON CONFLICT (account_id, session_id, ask_id) DO NOTHING",
        params![account, session, &ask.id, &ask.kind, &ask.request, &ask.why, ask.asked_ms, &ask.rule],
    )
    .map(drop)
}

/// The error for an answer that is late or not the first.
pub(crate) fn answered_before() -> Error {
    CONFLICT.error("This request was already answered or is no longer open.")
}

/// Writes an answer, unless there is one. Returns whether it was the first.
pub(crate) fn answer(tx: &mut Tx<'_>, (account, session): (&str, &str), answer: &Answer, now_ms: i64) -> Result<bool> {
    let sql = "UPDATE session_asks SET answered_ms = $4, answer = $5, answered_by = $6, said = $7 \
         WHERE account_id = $1 AND session_id = $2 AND ask_id = $3 AND answered_ms = 0";
    let Answer { ask, answer, said, by } = answer;
    Ok(tx.execute(sql, params![account, session, ask, now_ms, *answer, by, said])? > 0)
}

const ASKS: &str = "SELECT ask_id, kind, request, why, asked_ms, answered_ms, answer, answered_by, said, rule FROM session_asks \
     WHERE account_id = $1 AND session_id = $2";

fn read_ask(row: &dyn Row) -> Result<Ask> {
    Ok(Ask {
        id: row.get(0)?,
        kind: row.get(1)?,
        request: row.get(2)?,
        why: row.get(3)?,
        asked_ms: row.get(4)?,
        answered_ms: row.get(5)?,
        answer: row.get(6)?,
        answered_by: row.get(7)?,
        said: row.get(8)?,
        rule: row.get(9)?,
    })
}

/// The requests of a session, newest last.
pub(crate) fn asks(tx: &mut Tx<'_>, (account, session): (&str, &str)) -> Result<Vec<Ask>> {
    tx.query(&format!("{ASKS} ORDER BY asked_ms, ask_id"), params![account, session], read_ask)
}

/// Those of them that need your answer.
pub(crate) fn open_asks(tx: &mut Tx<'_>, (account, session): (&str, &str)) -> Result<Vec<Ask>> {
    let sql = format!("{ASKS} AND answered_ms = 0 ORDER BY asked_ms, ask_id");
    tx.query(&sql, params![account, session], read_ask)
}

/// One request of a session.
pub(crate) fn ask(tx: &mut Tx<'_>, (account, session): (&str, &str), id: &str) -> Result<Ask> {
    tx.query_one(&format!("{ASKS} AND ask_id = $3"), params![account, session, id], read_ask)
}

/// The open request to archive a session.
pub(crate) fn open_archive_ask(tx: &mut Tx<'_>, (account, session): (&str, &str)) -> Result<Option<String>> {
    let sql = "SELECT ask_id FROM session_asks WHERE account_id = $1 AND session_id = $2 AND answered_ms = 0 AND kind = 'archive'";
    tx.query_opt(sql, params![account, session], |row| row.get::<String>(0))
}

/// Message numbers count from 1 in a session; none comes near the limit of either type.
fn number(id: PromptId) -> i64 {
    i64::try_from(id).unwrap_or(i64::MAX)
}

/// A value as JSON.
pub(crate) fn value(value: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(value).expect("stored values serialize")
}

pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("stored values serialize")
}

pub(crate) fn read_json<T: DeserializeOwned>(text: &str) -> Result<T> {
    let unread = |why| INTERNAL.error("This version of Pilothouse can't read a stored session.").caused_by(why);
    serde_json::from_str(text).map_err(unread)
}
