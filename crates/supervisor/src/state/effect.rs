//! What is to be done, as data.

use super::{How, Need, Note, Nudge, PromptId, Session};
use crate::admission::Kind;

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Allowed,
    /// No.
    Refused,
    /// Nobody answered: what it was asked for has ended.
    Cancelled,
}

/// Something to be done.
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
        how: How,
        /// The number that everything of this launch is told with.
        launch: u32,
    },
    /// Send a prompt.
    SendPrompt {
        /// Which one.
        id: PromptId,
        /// It was sent before: say so to the engine. A prompt is never sent twice without.
        resend: Option<Note>,
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
    /// End all processes of the newest launch, and tell [`super::Told::Exited`] when none is left.
    KillTree,
    /// Ask the engine to make its context smaller. A prompt of its own: the end of its turn is its end.
    Compact,
    /// Find out whether somebody is logged in at the engine.
    CheckLogin,
    /// Make a lasting row in the inbox.
    AskPerson {
        /// What for.
        need: Need,
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

/// The input makes no sense as things stand; nothing changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignored {
    /// Why, in plain words.
    pub why: String,
}
