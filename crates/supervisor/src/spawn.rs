//! May this caller start a session, or send one a message?
//!
//! The checks, in this order; the first that refuses answers:
//! 1. a session's own token while `allowAgentTokenSpawn` is off: `agent-token-spawn`;
//! 2. a session's own token that names another session as the one that asks: `source-session-required`;
//! 3. no known session named as the one that asks while `requireSpawnSourceSession` is on: `source-session-required`;
//! 4. agent-driven mode while `agentDrivenSessionsEnabled` is off: `agent-driven-disabled`;
//! 5. more generations below one start by the person than [`GENERATIONS`]: `spawn-depth`;
//!
//! The person at the page passes all of them. The limit `agentDrivenMaxConcurrent` isn't checked here but by the queue
//! (`admission::Admission::submit`), which counts a session in the same step; [`too_many`] words its refusal.

use crate::admission::TooMany;

/// No session has more ancestors: what starts sessions that start sessions must come to an end.
pub const GENERATIONS: u32 = 16;

/// Settings that decide who may start sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpawnRules {
    /// Setting `allowAgentTokenSpawn`.
    pub allow_agent_token_spawn: bool,
    /// Setting `requireSpawnSourceSession`.
    pub require_spawn_source_session: bool,
    /// Setting `agentDrivenSessionsEnabled`.
    pub agent_driven_sessions_enabled: bool,
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller<'a> {
    /// The person, at the page.
    Owner,
    /// The global command-line token, or a member's.
    Script,
    /// A session's own token.
    Session {
        /// That session.
        id: &'a str,
    },
}

/// The session named in `X-App-Source-Session-Id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source<'a> {
    /// As named.
    pub id: &'a str,
    /// How many ancestors it has, where such a session exists.
    pub depth: Option<u32>,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a> {
    /// Who asks.
    pub caller: Caller<'a>,
    /// The session that asks, if one is named.
    pub source: Option<Source<'a>>,
    /// Agent-driven mode is asked for.
    pub driven: bool,
}

/// How the new session is to be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Granted {
    /// The session that asked for it.
    pub parent: Option<String>,
    /// How many ancestors it has.
    pub depth: u32,
    /// It is marked as agent-driven.
    pub is_driven: bool,
    /// It counts towards `agentDrivenMaxConcurrent`: agent-driven, or started with a session's own token.
    pub is_counted: bool,
    /// The person started it, so it never waits.
    pub is_manual: bool,
}

/// Why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The stable code of the error.
    pub code: &'static str,
    /// The status of the answer.
    pub status: u16,
    /// The setting that decided, if one did.
    pub setting: Option<&'static str>,
    /// What happened and what to do.
    pub detail: String,
}

fn refused(code: &'static str, setting: Option<&'static str>, detail: impl Into<String>) -> Refused {
    Refused { code, status: 403, setting, detail: detail.into() }
}

/// Decides about a start.
pub fn may_spawn(request: &Request<'_>, rules: &SpawnRules) -> Result<Granted, Refused> {
    let known = request.source.and_then(|source| source.depth.map(|depth| (source.id, depth)));
    let parent = known.map(|(id, _)| id.to_owned());
    let depth = known.map_or(0, |(_, depth)| depth.saturating_add(1));
    if request.caller == Caller::Owner {
        return Ok(Granted { parent, depth, is_driven: request.driven, is_counted: false, is_manual: true });
    }
    if let Caller::Session { id } = request.caller {
        if !rules.allow_agent_token_spawn {
            return Err(refused(
                "agent-token-spawn",
                Some("allowAgentTokenSpawn"),
                "Sessions can't start sessions with their scoped token (allowAgentTokenSpawn is off). Ask the person to turn it on.",
            ));
        }
        if request.source.is_some_and(|source| source.id != id) {
            return Err(refused(
                "source-session-required",
                None,
                "X-App-Source-Session-Id doesn't match the token's session. Send the session's own id, as in $APP_SESSION_ID.",
            ));
        }
    }
    if rules.require_spawn_source_session && known.is_none() {
        let what = if request.source.is_some() { "names an unknown session" } else { "is missing" };
        let or_turn_it_off = match is_session(request.caller) {
            true => "",
            false => " Or run `pilothouse settings set requireSpawnSourceSession off`.",
        };
        return Err(refused(
            "source-session-required",
            Some("requireSpawnSourceSession"),
            format!(
                "X-App-Source-Session-Id {what}, and requireSpawnSourceSession is on. Send the id of the calling session, as in $APP_SESSION_ID.{or_turn_it_off}"
            ),
        ));
    }
    if request.driven {
        may_drive(request.caller, rules, |remedy| {
            format!("Agent-driven sessions are off (agentDrivenSessionsEnabled). {remedy}, or omit `driven`.")
        })?;
    }
    if depth > GENERATIONS {
        let remedy = match is_session(request.caller) {
            true => "Ask the person to start this session.",
            false => "Start this session from the app.",
        };
        return Err(refused(
            "spawn-depth",
            None,
            format!("Child sessions are limited to {GENERATIONS} generations. {remedy}"),
        ));
    }
    let is_counted = request.driven || is_session(request.caller);
    Ok(Granted { parent, depth, is_driven: request.driven, is_counted, is_manual: false })
}

fn is_session(caller: Caller<'_>) -> bool {
    matches!(caller, Caller::Session { .. })
}

/// The refusal of an agent-driven session beyond `agentDrivenMaxConcurrent`: `agent-concurrency`.
pub fn too_many(TooMany { active, max }: TooMany) -> Refused {
    let detail = format!(
        "{active} agent-driven sessions are active, and agentDrivenMaxConcurrent is {max}. Wait until one ends, or raise the setting."
    );
    Refused { status: 429, ..refused("agent-concurrency", Some("agentDrivenMaxConcurrent"), detail) }
}

/// Decides about a follow-up message; the person may always send one.
pub fn may_follow_up(caller: Caller<'_>, rules: &SpawnRules) -> Result<(), Refused> {
    if caller == Caller::Owner {
        return Ok(());
    }
    let who = if is_session(caller) { "sessions" } else { "scripts" };
    may_drive(caller, rules, |remedy| format!("Messages from {who} need agentDrivenSessionsEnabled. {remedy}."))
}

/// `detail` puts the remedy behind what happened.
fn may_drive(caller: Caller<'_>, rules: &SpawnRules, detail: impl Fn(&str) -> String) -> Result<(), Refused> {
    if rules.agent_driven_sessions_enabled {
        return Ok(());
    }
    let remedy = match is_session(caller) {
        true => "Ask the person to turn it on",
        false => "Run `pilothouse settings set agentDrivenSessionsEnabled on`",
    };
    Err(refused("agent-driven-disabled", Some("agentDrivenSessionsEnabled"), detail(remedy)))
}
