//! Decides whether a caller may start a session, or send a message to one.
//!
//! The checks in order; the first that fails decides:
//! 1. a session's scoped token while `allowAgentTokenSpawn` is off: `agent-token-spawn`;
//! 2. a session's scoped token that names another session as the source: `source-session-required`;
//! 3. no known source session while `requireSpawnSourceSession` is on: `source-session-required`;
//! 4. agent-driven mode while `agentDrivenSessionsEnabled` is off: `agent-driven-disabled`;
//! 5. more than [`GENERATIONS`] generations below a user's session: `spawn-depth`.
//!
//! The user at the page passes all of them. The queue checks the limit `agentDrivenMaxConcurrent`
//! (`admission::Admission::submit`), because it counts a session in the same step; [`too_many`] returns that error.

use crate::admission::TooMany;

/// Maximum ancestors of a session, so that sessions can't start sessions endlessly.
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

/// The caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller<'a> {
    /// The user, at the page.
    Owner,
    /// The global command-line token, or a member's.
    Script,
    /// A session's scoped token.
    Session {
        /// That session.
        id: &'a str,
    },
}

/// The session named in `X-App-Source-Session-Id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source<'a> {
    /// The id as sent.
    pub id: &'a str,
    /// The number of its ancestors, if it exists.
    pub depth: Option<u32>,
}

/// A request to start a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a> {
    /// The caller.
    pub caller: Caller<'a>,
    /// The source session, if one is named.
    pub source: Option<Source<'a>>,
    /// Whether agent-driven mode is requested.
    pub driven: bool,
}

/// The properties of the new session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Granted {
    /// The source session.
    pub parent: Option<String>,
    /// The number of its ancestors.
    pub depth: u32,
    /// Whether it's marked as agent-driven.
    pub is_driven: bool,
    /// Whether it counts toward `agentDrivenMaxConcurrent`: agent-driven, or started with a scoped token.
    pub is_counted: bool,
    /// Whether the user started it, so it never waits.
    pub is_manual: bool,
}

/// A rejected request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The error code.
    pub code: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// The setting that decided, if one did.
    pub setting: Option<&'static str>,
    /// The cause and the fix.
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
                "Sessions can't start sessions with their scoped token (allowAgentTokenSpawn is off). Ask the owner to turn it on.",
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
            false => {
                " Without one, start the session in the app, or run `pilothouse settings set requireSpawnSourceSession off`."
            }
        };
        return Err(refused(
            "source-session-required",
            Some("requireSpawnSourceSession"),
            format!(
                "X-App-Source-Session-Id {what}, and requireSpawnSourceSession is on. Send the ID of the calling session, as in $APP_SESSION_ID.{or_turn_it_off}"
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
            true => "Ask the owner to start this session.",
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

/// The error for an agent-driven session beyond `agentDrivenMaxConcurrent`: `agent-concurrency`.
pub fn too_many(TooMany { active, max }: TooMany) -> Refused {
    let detail = format!(
        "{active} agent-driven sessions are active, and agentDrivenMaxConcurrent is {max}. Wait until one ends, or raise the setting."
    );
    Refused { status: 429, ..refused("agent-concurrency", Some("agentDrivenMaxConcurrent"), detail) }
}

/// Decides about a message; the user may always send one.
pub fn may_follow_up(caller: Caller<'_>, rules: &SpawnRules) -> Result<(), Refused> {
    if caller == Caller::Owner {
        return Ok(());
    }
    let who = if is_session(caller) { "sessions" } else { "scripts" };
    may_drive(caller, rules, |remedy| format!("Messages from {who} need agentDrivenSessionsEnabled. {remedy}."))
}

/// `detail` adds the fix to the cause.
fn may_drive(caller: Caller<'_>, rules: &SpawnRules, detail: impl Fn(&str) -> String) -> Result<(), Refused> {
    if rules.agent_driven_sessions_enabled {
        return Ok(());
    }
    let remedy = match is_session(caller) {
        true => "Ask the owner to turn it on",
        false => "Run `pilothouse settings set agentDrivenSessionsEnabled on`",
    };
    Err(refused("agent-driven-disabled", Some("agentDrivenSessionsEnabled"), detail(remedy)))
}
