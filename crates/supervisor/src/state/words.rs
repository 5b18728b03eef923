//! The small words that states, inputs and effects are made of.

use engines::{Failure, StopReason};
use serde::{Deserialize, Serialize};

/// What a session in the queue waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "for")]
pub enum Waits {
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

/// How an engine is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum How {
    /// With a session of its own that knows nothing yet.
    New,
    /// With the session that it kept.
    Resume,
}

/// What cut a session off.
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

/// What comes after the processes ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "then")]
pub enum Then {
    /// It stays stopped.
    Stop {
        /// Whether the person did it.
        by_user: bool,
    },
    /// It is paused.
    Pause,
    /// It sleeps until a time.
    Snooze {
        /// In milliseconds since 1970.
        until: i64,
    },
    /// It is put away.
    Archive,
    /// It is closed.
    Close,
    /// It is opened again.
    Relaunch,
}

/// Why a session stands where it does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// In plain words, with the setting that decided.
    pub why: String,
    /// Since when, in milliseconds since 1970.
    pub since: i64,
}

/// What the person is needed for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "need")]
pub enum Need {
    /// To allow or refuse the use of a tool.
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
    /// To decide about a limit whose end nobody told. Only sessions of older versions have it: it is retried now.
    Limit,
    /// To look at a session that stays silent.
    Stuck,
    /// To look at a session that goes round in circles.
    Loop,
    /// To look at a session whose snooze is over.
    Awake,
}

/// What a request of the engine asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Asks {
    /// Leave to use a tool.
    Permission,
    /// A value.
    Value,
}

/// A request that waits for an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Open {
    /// The connection's name of it.
    pub id: String,
    /// What is asked for.
    pub asks: Asks,
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

/// Why a prompt is sent a second time; the engine is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Note {
    /// Nothing came of it the first time.
    Silent,
    /// The engine lost its session and begins a new one.
    NewSession,
    /// It may not have got to the engine.
    Unheard,
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum By {
    /// The person.
    Person,
    /// An agent, a script, an automation.
    Other,
}
