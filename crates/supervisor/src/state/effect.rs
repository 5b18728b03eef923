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
    /// Write the session down before anything else.
    Journal,
    /// Put it into the queue of starts; where it stands there already, with the kind that waits less.
    Enqueue {
        /// What kind of start it is.
        kind: Kind,
    },
    /// Take it out of the queue.
    Dequeue,
    /// Open the engine, once nothing is left of the launch before.
    Launch {
        /// From nothing (with a summary of the transcript, where there is one), or going on.
        how: LaunchMode,
        /// The number of the launch, which all its events carry.
        launch: u32,
    },
    /// Send a prompt.
    SendPrompt {
        /// Which one.
        id: PromptId,
        /// It was sent before: say so to the engine. A prompt is never sent twice without.
        resend: Option<ResendReason>,
        /// What else to tell the engine.
        nudges: Vec<Nudge>,
    },
    /// Send a few words of ours.
    Nudge {
        /// What they say.
        nudges: Vec<Nudge>,
    },
    /// Answer a request of the engine and take its card away; the card alone where the process is gone.
    Answer {
        /// Which one.
        id: String,
        /// How.
        verdict: Verdict,
    },
    /// Break the turn off.
    Cancel,
    /// End all processes of the newest launch, and tell [`super::EngineEvent::Exited`] when none is left.
    KillTree,
    /// Ask the engine to make its context smaller. A prompt of its own: the end of its turn is its end.
    Compact,
    /// Find out whether somebody is logged in at the engine.
    CheckLogin,
    /// Make a lasting row in the inbox.
    AskUser {
        /// What for.
        need: AttentionReason,
    },
    /// Tell that these prompts were not sent and will not be.
    Unsent {
        /// Which ones.
        ids: Vec<PromptId>,
    },
}

/// What an input led to.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The session as it is now.
    pub session: Session,
    /// What is to be done, in this order.
    pub effects: Vec<Effect>,
}

/// Rejects an input that isn't possible in the session's state. Nothing changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Why, in plain words.
    pub why: String,
}
