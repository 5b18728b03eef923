//! The life of one session: its states, the inputs to it, and the effects that follow.
//!
//! Invariant: [`step`] is the only place where a state changes. Every pair of state and input is defined: it has a step, or is
//! refused with a reason and changes nothing. Effects are data; [`Effect::Journal`] comes first, so what is done was written
//! down before.

mod effect;
mod engine;
mod input;
mod step;
mod time;
mod types;
mod user;

pub use effect::{Effect, Rejection, Step, Verdict};
pub use input::{EngineEvent, Input, Recovery, StepContext};
pub use step::{sign, step};

pub use types::{
    AfterStop, AttentionReason, Interruption, LaunchMode, Nudge, PendingRequest, PromptSource, QueueReason,
    RequestKind, ResendReason, StateReason,
};

use crate::admission::Kind;
use engines::Failure;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, VecDeque};

/// Silence of this length in a turn, with no tool at work and nothing asked, is a stall.
pub const SILENCE_MS: i64 = 5 * 60_000;
/// A check of the login that is not answered for this long is taken for a good one.
pub const LOGIN_CHECK_MS: i64 = 60_000;
/// A process that is not reported gone for this long after it was to be ended is taken for gone.
pub const STOPPING_MS: i64 = 30_000;
/// A launch that neither opens nor fails for this long has failed.
pub const LAUNCH_MS: i64 = 120_000;
/// So often in a row a launch or a turn is tried before it counts as failed; passing trouble is tried on where
/// `relentlessSessionRelaunch` is on.
pub const TRIES: u32 = 3;
/// The pause before the second try; it doubles from try to try.
pub const FIRST_GAP_MS: i64 = 5_000;
/// No pause between tries is longer.
pub const LAST_GAP_MS: i64 = 300_000;
/// So often within an hour room is made in a full context.
pub const COMPACTIONS_PER_HOUR: usize = 3;
/// So often one piece of work is relaunched for a loop.
pub const LOOP_RELAUNCHES: u32 = 2;
/// A limit that is said to be over sooner, or now, is waited for this long and up to as long again, so that a wrong clock makes no
/// endless loop.
pub const SHORTEST_PARK_MS: i64 = 60_000;
/// The pause before the first retry at a limit whose reset time isn't known; it doubles with each limit in a row.
pub const FIRST_LIMIT_GAP_MS: i64 = 5 * 60_000;
/// No such pause is longer.
pub const LAST_LIMIT_GAP_MS: i64 = 60 * 60_000;

/// Names a prompt within its session. They are handed out in rising order, so one that is not above the last is a repetition.
pub type PromptId = u64;

/// Where a session stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "state")]
pub enum State {
    /// Not started yet.
    Draft,
    /// To be started as soon as the queue lets it.
    Queued {
        /// What it waits for.
        why: QueueReason,
    },
    /// The engine is being opened.
    Launching {
        /// From nothing, or going on.
        how: LaunchMode,
    },
    /// Waits for what the person says next.
    Idle,
    /// At work.
    Running,
    /// Waits for leave to use a tool.
    AwaitingPermission,
    /// Waits for a value that the person is asked to type.
    AwaitingInput,
    /// Passing trouble.
    Retrying {
        /// When it is tried again; none while the engine tries by itself.
        until: Option<i64>,
    },
    /// The context is being made smaller.
    Compacting {
        /// Asked for here, so the end of that request is waited for; else the engine does it by itself within a turn.
        ours: bool,
    },
    /// What may be used is used up.
    Parked {
        /// When it is tried again: once the limit resets, or where that isn't known, after a growing pause. None only in sessions of
        /// older versions, which get a time with the next tick.
        until: Option<i64>,
    },
    /// Put aside by the person.
    Paused,
    /// Put aside until a time.
    Snoozed {
        /// When it comes back, in milliseconds since 1970.
        until: i64,
    },
    /// Its processes are being ended.
    Stopping {
        /// What comes after.
        then: AfterStop,
    },
    /// Ended before it was done.
    Stopped {
        /// By the person, who alone starts it again; else by a caller.
        by_user: bool,
    },
    /// Cut off.
    Interrupted {
        /// What did it.
        by: Interruption,
    },
    /// Ended by an error that trying again does not mend.
    Failed {
        /// What it is.
        failure: Failure,
        /// What the engine said of it.
        detail: String,
    },
    /// Done.
    Finished,
    /// Put away.
    Archived,
    /// Closed by the person.
    Closed,
}

impl State {
    /// Whether an engine belongs to it now or will by itself: such a session counts towards `agentDrivenMaxConcurrent`.
    pub fn is_active(&self) -> bool {
        match self {
            State::Queued { .. } | State::Launching { .. } | State::Idle | State::Stopping { .. } => true,
            State::Parked { until } => until.is_some(),
            state => state.is_working(),
        }
    }
    /// Whether a turn is under way.
    pub fn is_working(&self) -> bool {
        matches!(
            self,
            State::Running
                | State::AwaitingPermission
                | State::AwaitingInput
                | State::Retrying { .. }
                | State::Compacting { .. }
        )
    }
}

/// A piece of work, from a prompt to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// What was asked.
    pub prompt: PromptId,
    /// When anything was last seen of it.
    pub last_sign: i64,
    /// Tools at work; while there is one, silence is none.
    pub tools: BTreeSet<String>,
    /// When the login was checked for its silence.
    pub login_asked: Option<i64>,
    /// Whether it was sent again for its silence.
    pub was_silent: bool,
    /// Shown as stuck; nothing is done as `autoRestartUnresponsiveSessions` is off.
    pub is_stuck: bool,
}

impl Turn {
    fn new(prompt: PromptId, now: i64) -> Self {
        let tools = BTreeSet::new();
        Turn { prompt, last_sign: now, tools, login_asked: None, was_silent: false, is_stuck: false }
    }
}

/// All that is remembered of a session's life; written down with every change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Where it stands.
    pub state: State,
    /// Why, and since when.
    pub evidence: StateReason,
    /// What the person is needed for.
    pub need: Option<AttentionReason>,
    /// It ends with its first good turn, as nobody will follow it up; a question to the person keeps it.
    pub ends_when_done: bool,
    /// The person pressed Stop. Only the person takes that back, whatever else happens to the session.
    pub stopped_by_user: bool,
    /// The number of its newest launch; what older ones tell is not heard any more.
    pub launch: u32,
    /// Whether that launch has processes.
    pub has_process: bool,
    /// Whether the engine keeps a session that can be gone on with.
    pub can_resume: bool,
    /// The last prompt that was taken.
    pub last_prompt: PromptId,
    /// Prompts that were not sent yet, in order.
    pub waiting: VecDeque<PromptId>,
    /// What it is at work on, or was when it was cut off.
    pub turn: Option<Turn>,
    /// What waits for an answer.
    pub open: Vec<PendingRequest>,
    /// What to say once the engine is open.
    pub nudges: Vec<Nudge>,
    /// Send the turn's prompt again once the engine is open.
    pub resend: Option<ResendReason>,
    /// Tries in a row that failed.
    pub tries: u32,
    /// Limits in a row whose reset time wasn't known or had passed.
    #[serde(default)]
    pub limits: u32,
    /// Relaunches of this work for loops.
    pub loops: u32,
    /// When room was made in the context, within the last hour.
    pub compactions: Vec<i64>,
    /// It is put away with the good end of its turn; a prompt takes that back.
    #[serde(default)]
    pub archive_when_done: bool,
    /// Requests and their answers of which it is not known whether the engine got them: nothing was heard of it since.
    #[serde(default)]
    pub unheard: Vec<(String, bool)>,
    /// Answers to requests whose process was gone: each answers the same request once when the engine makes it again in this turn.
    #[serde(default)]
    pub decided: Vec<(String, bool)>,
}

impl Session {
    /// A session that was not started yet.
    pub fn draft(ends_when_done: bool, now: i64) -> Self {
        Session {
            state: State::Draft,
            evidence: StateReason { why: "Not started".into(), since: now },
            need: None,
            ends_when_done,
            stopped_by_user: false,
            launch: 0,
            has_process: false,
            can_resume: false,
            last_prompt: 0,
            waiting: VecDeque::new(),
            turn: None,
            open: Vec::new(),
            nudges: Vec::new(),
            resend: None,
            tries: 0,
            limits: 0,
            loops: 0,
            compactions: Vec::new(),
            archive_when_done: false,
            unheard: Vec::new(),
            decided: Vec::new(),
        }
    }
}
