//! The types that states, inputs, and effects share.

use engines::{Failure, StopReason};
use serde::{Deserialize, Serialize};

/// Why a session is still queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "for")]
pub enum QueueReason {
    /// Its turn among sessions that come back: they keep a distance.
    Spacing,
    /// Its turn among new sessions of agents and automations: they keep a distance.
    SpawnSpacing,
    /// Free memory.
    Memory,
    /// The end of another agent-driven session.
    Concurrency,
    /// The pause before the next try.
    Backoff {
        /// When it is over, in milliseconds since 1970.
        until: i64,
    },
}

/// How an engine is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LaunchMode {
    /// With a new engine session, without history.
    New,
    /// With the engine session that it stored.
    Resume,
}

/// What interrupted a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Interruption {
    /// The engine's process or the program ended unexpectedly.
    Crash,
    /// The program was closed.
    AppClose,
    /// Silence, twice.
    Stall,
    /// It did the same thing again and again.
    Loop,
}

/// The state to enter once the session's processes have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "then")]
pub enum AfterStop {
    /// It stays stopped.
    Stop {
        /// Whether the user stopped it.
        by_user: bool,
    },
    /// It is paused.
    Pause,
    /// It is snoozed.
    Snooze {
        /// In milliseconds since 1970.
        until: i64,
    },
    /// It is archived.
    Archive,
    /// It is closed.
    Close,
    /// It restarts.
    Relaunch,
}

/// Why a session is in its state, and since when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StateReason {
    /// In plain words, with the setting that decided.
    pub why: String,
    /// Since when, in milliseconds since 1970.
    pub since: i64,
}

/// Why a session needs the user's attention. Each is an inbox row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "need")]
pub enum AttentionReason {
    /// To allow or deny a tool use.
    Permission {
        /// The request.
        id: String,
    },
    /// To type a value.
    Value {
        /// The request.
        id: String,
    },
    /// To answer a question that ends a reply.
    Question,
    /// To look at an answer that was cut short, or that never came since a request was denied.
    CutShort {
        /// How.
        stop: StopReason,
    },
    /// To log in, or to look at an error.
    Failed {
        /// What failed.
        failure: Failure,
    },
    /// To decide about a limit without a reset time. Only sessions of older versions have it: it is retried now.
    Limit,
    /// To look at a session that isn't responding.
    Stuck,
    /// To look at a session that is stuck in a loop.
    Loop,
    /// To look at a session whose snooze is over.
    Awake,
}

/// The kind of an engine's request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RequestKind {
    /// Permission to use a tool.
    Permission,
    /// A value.
    Value,
}

/// A request of the engine that is not answered yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingRequest {
    /// Identifies it in the connection.
    pub id: String,
    /// Its kind.
    pub asks: RequestKind,
    /// The process that asked is gone: the answer goes to its successor in words.
    pub is_lost: bool,
}

/// What goes to the engine in a few words of ours, to make it go on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "nudge")]
pub enum Nudge {
    /// Go on: it was cut off.
    Continue {
        /// By what.
        after: Interruption,
    },
    /// Go on, and do something else than this.
    Loop {
        /// What was done again and again.
        what: String,
    },
    /// Go on: the trouble should have passed.
    TryAgain,
    /// Go on: there is more to use again.
    LimitOver,
    /// Go on: there is room in the context.
    Compacted,
    /// Go on: the person or a rule woke it.
    Woken,
    /// The answer to what the last process asked.
    Answered {
        /// The request.
        id: String,
        /// True allows, false denies.
        allow: bool,
    },
}

/// Why a prompt is sent again. The engine is told, so that it can recognize a repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ResendReason {
    /// Nothing came of it the first time.
    Silent,
    /// The engine lost its session and begins a new one.
    NewSession,
    /// It may not have got to the engine.
    Unheard,
}

/// Who sent a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PromptSource {
    /// The user.
    Person,
    /// An agent, a script, or an automation.
    Other,
}
