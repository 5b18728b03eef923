//! The effects of a step, as data.

use super::{AttentionReason, LaunchMode, Nudge, PromptId, ResendReason, Session};
use crate::admission::Kind;

/// The outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Allowed, or the value was provided.
    Allowed,
    /// Denied.
    Denied,
    /// Not answered: what it was for has ended.
    Cancelled,
}

/// An action that follows from a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Store the session, before all other effects.
    Journal,
    /// Add it to the queue of starts. If it's there already, the kind that waits less applies.
    Enqueue {
        /// The kind of the start.
        kind: Kind,
    },
    /// Remove it from the queue.
    Dequeue,
    /// Start the engine, once the previous launch has ended.
    Launch {
        /// With a new engine session (and a summary of the transcript, if there is one), or with the stored one.
        how: LaunchMode,
        /// The launch's number, which all its events carry.
        launch: u32,
    },
    /// Send a message.
    SendPrompt {
        /// Its number.
        id: PromptId,
        /// Why it's sent again; the engine is told. A message is never repeated without a reason.
        resend: Option<ResendReason>,
        /// What else to tell the engine.
        nudges: Vec<Nudge>,
    },
    /// Send a note of Pilothouse.
    Nudge {
        /// The note.
        nudges: Vec<Nudge>,
    },
    /// Answer a request of the engine and close its card; if the process is gone, only close the card.
    Answer {
        /// The request.
        id: String,
        /// The answer.
        verdict: Verdict,
    },
    /// Cancel the turn.
    Cancel,
    /// End all processes of the newest launch, and report [`super::EngineEvent::Exited`] when they are gone.
    KillTree,
    /// Ask the engine to compact its context. It's a turn of its own, which ends with the compaction.
    Compact,
    /// Check whether the engine has a login.
    CheckLogin,
    /// Add an inbox row.
    AskUser {
        /// The reason.
        need: AttentionReason,
    },
    /// Add an inbox row about a turn that has ended and needs nobody.
    ReportDone {
        /// Whether the session marked the turn as a routine update.
        is_routine: bool,
    },
    /// Report that these messages were not sent and never will be.
    Unsent {
        /// Their numbers.
        ids: Vec<PromptId>,
    },
}

/// The result of an input.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The session after the step.
    pub session: Session,
    /// The effects, in this order.
    pub effects: Vec<Effect>,
}

/// Rejects an input that isn't possible in the session's state. Nothing changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Why, in plain words.
    pub why: String,
}
