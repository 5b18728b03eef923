//! The types that states, inputs, and effects share.

use engines::{Failure, StopReason};
use serde::{Deserialize, Serialize};

/// Why a session is still queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "for")]
pub enum QueueReason {
    /// Its turn among returning sessions, which are spaced out.
    Spacing,
    /// Its turn among new sessions of agents and automations, which are spaced out.
    SpawnSpacing,
    /// Free memory.
    Memory,
    /// The end of another agent-driven session.
    Concurrency,
    /// The delay before the next attempt.
    Backoff {
        /// When the delay ends, in milliseconds since 1970.
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
    /// Not responding, twice.
    Stall,
    /// Stuck in a loop.
    Loop,
    /// A backup was restored; the session may still run where it was made.
    Restore,
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

/// Why a session needs the user's attention. Each reason adds an inbox row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "need")]
pub enum AttentionReason {
    /// To allow or deny a tool call.
    Permission {
        /// The request.
        id: String,
    },
    /// To enter a value.
    Value {
        /// The request.
        id: String,
    },
    /// To answer a question at the end of a reply.
    Question,
    /// To look at a truncated response, or at a turn that ended because a request was denied.
    CutShort {
        /// Why the turn ended.
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
    /// To look at a session whose snooze has ended.
    Awake,
}

/// The kind of an engine's request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RequestKind {
    /// Permission to use a tool.
    Permission,
    /// A value of the user.
    Value,
}

/// An open request of the engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PendingRequest {
    /// Identifies it in the connection.
    pub id: String,
    /// Its kind.
    pub asks: RequestKind,
    /// Whether its process is gone, so that the answer is sent to the successor as text.
    pub is_lost: bool,
}

/// A note of Pilothouse that makes the engine continue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "nudge")]
pub enum Nudge {
    /// Continue after an interruption.
    Continue {
        /// The cause of the interruption.
        after: Interruption,
    },
    /// Continue, but do something else.
    Loop {
        /// The repeated action.
        what: String,
    },
    /// Continue: the failure should be resolved.
    TryAgain,
    /// Continue: the usage limit has reset.
    LimitOver,
    /// Continue: the context was compacted.
    Compacted,
    /// Continue: the user or a rule resumed it.
    Woken,
    /// The answer to a request of the last process.
    Answered {
        /// The request.
        id: String,
        /// True allows, false denies.
        allow: bool,
    },
}

/// Why a message is sent again. The engine is told, so that it can recognize a repetition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ResendReason {
    /// It got no response the first time.
    Silent,
    /// The engine lost its session and starts a new one.
    NewSession,
    /// It may not have reached the engine.
    Unheard,
}

/// The sender of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PromptSource {
    /// The user.
    Person,
    /// An agent, a script, or an automation.
    Other,
}
