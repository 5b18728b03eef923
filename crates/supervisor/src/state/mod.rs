//! The life of a session: its states, the inputs to it, and the effects that follow.
//!
//! Invariant: only [`step`] changes a state. Every pair of state and input is defined: it has a step, or is rejected
//! with a reason and changes nothing. Effects are data; [`Effect::Journal`] comes first, so a step is stored before
//! it's carried out.

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

/// Silence for this long in a turn counts as not responding, unless a tool is running or a request is open.
pub const SILENCE_MS: i64 = 5 * 60_000;
/// A login check without an answer for this long counts as successful.
pub const LOGIN_CHECK_MS: i64 = 60_000;
/// A process that should end counts as ended after this long.
pub const STOPPING_MS: i64 = 30_000;
/// A launch that neither opens nor fails within this time has failed.
pub const LAUNCH_MS: i64 = 120_000;
/// The reason of a session whose limit resets at a known time.
pub const LIMIT_REACHED: &str = "Usage limit reached";
/// Attempts in a row before a launch or turn counts as failed. Temporary failures are retried further while
/// `relentlessSessionRelaunch` is on.
pub const TRIES: u32 = 3;
/// Delay before the second attempt; it doubles with each attempt.
pub const FIRST_GAP_MS: i64 = 5_000;
/// Maximum delay between attempts.
pub const LAST_GAP_MS: i64 = 300_000;
/// Maximum compactions of a full context within an hour.
pub const COMPACTIONS_PER_HOUR: usize = 3;
/// Maximum restarts of one piece of work because of a loop.
pub const LOOP_RELAUNCHES: u32 = 2;
/// Minimum wait for a limit that resets sooner, and up to twice as long, so that a wrong clock doesn't cause an endless
/// loop.
pub const SHORTEST_PARK_MS: i64 = 60_000;
/// Delay before the first retry at a limit whose reset time isn't known; it doubles with each limit in a row.
pub const FIRST_LIMIT_GAP_MS: i64 = 5 * 60_000;
/// Maximum such delay.
pub const LAST_LIMIT_GAP_MS: i64 = 60 * 60_000;

/// Identifies a message within its session. Numbers increase, so one that isn't above the last is a repetition.
pub type PromptId = u64;

/// The state of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "state")]
pub enum State {
    /// Not started yet.
    Draft,
    /// Waiting in the queue of starts.
    Queued {
        /// Why it's waiting.
        why: QueueReason,
    },
    /// The engine is starting.
    Launching {
        /// With a new engine session, or with the stored one.
        how: LaunchMode,
    },
    /// Waiting for the user's next message.
    Idle,
    /// Working.
    Running,
    /// Waiting for permission to use a tool.
    AwaitingPermission,
    /// Waiting for a value from the user.
    AwaitingInput,
    /// Retrying after a temporary failure.
    Retrying {
        /// The time of the next attempt; none while the engine retries automatically.
        until: Option<i64>,
    },
    /// The context is being compacted.
    Compacting {
        /// Whether Pilothouse requested it and waits for its end; otherwise, the engine does it within a turn.
        ours: bool,
    },
    /// Blocked until the usage limit resets.
    Parked {
        /// The time of the next attempt: when the limit resets, or after a growing delay if that isn't known. None only
        /// in sessions of older versions, which get a time with the next tick.
        until: Option<i64>,
    },
    /// Paused by the user.
    Paused,
    /// Snoozed by the user until a time.
    Snoozed {
        /// When the snooze ends, in milliseconds since 1970.
        until: i64,
    },
    /// Its processes are ending.
    Stopping {
        /// The state that follows.
        then: AfterStop,
    },
    /// Stopped before it was finished.
    Stopped {
        /// By the user, who alone can resume it, or by another caller.
        by_user: bool,
    },
    /// Interrupted.
    Interrupted {
        /// The cause.
        by: Interruption,
    },
    /// Failed with an error that retrying doesn't fix.
    Failed {
        /// The class of the failure.
        failure: Failure,
        /// The engine's message.
        detail: String,
    },
    /// Its work is complete.
    Finished,
    /// Archived.
    Archived,
    /// Closed by the user.
    Closed,
}

impl State {
    /// Whether it has an engine now or will start one automatically: such a session counts toward
    /// `agentDrivenMaxConcurrent`.
    pub fn is_active(&self) -> bool {
        match self {
            State::Queued { .. } | State::Launching { .. } | State::Idle | State::Stopping { .. } => true,
            State::Parked { until } => until.is_some(),
            state => state.is_working(),
        }
    }
    /// Whether a turn is in progress.
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

/// A piece of work, from a message to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// The message.
    pub prompt: PromptId,
    /// The time of the last activity.
    pub last_sign: i64,
    /// Running tool calls. While there are any, silence doesn't count.
    pub tools: BTreeSet<String>,
    /// When the login was checked because of silence.
    pub login_asked: Option<i64>,
    /// Whether the message was sent again because of silence.
    pub was_silent: bool,
    /// Whether it's shown as not responding, without a restart because `autoRestartUnresponsiveSessions` is off.
    pub is_stuck: bool,
    /// Whether the session marked it as a routine update.
    #[serde(default)]
    pub is_routine: bool,
}

impl Turn {
    fn new(prompt: PromptId, now: i64) -> Self {
        let tools = BTreeSet::new();
        Turn { prompt, last_sign: now, tools, login_asked: None, was_silent: false, is_stuck: false, is_routine: false }
    }
}

/// All stored data of a session's life, saved with every change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Its state.
    pub state: State,
    /// The reason for the state, and since when.
    pub evidence: StateReason,
    /// Why it needs the user.
    pub need: Option<AttentionReason>,
    /// Whether it finishes after its first successful turn, because nobody will send another message. A question to the
    /// user keeps it open.
    pub ends_when_done: bool,
    /// Whether the user stopped it. Then only the user can resume it, whatever else happens.
    pub stopped_by_user: bool,
    /// The number of its newest launch; events of older ones are ignored.
    pub launch: u32,
    /// Whether that launch has processes.
    pub has_process: bool,
    /// Whether the engine has a stored session that can be resumed.
    pub can_resume: bool,
    /// The number of the last accepted message.
    pub last_prompt: PromptId,
    /// Queued messages, in order.
    pub waiting: VecDeque<PromptId>,
    /// The work in progress, or the interrupted work.
    pub turn: Option<Turn>,
    /// Open requests.
    pub open: Vec<PendingRequest>,
    /// Notes to send once the engine is open.
    pub nudges: Vec<Nudge>,
    /// Whether to send the turn's message again once the engine is open, and why.
    pub resend: Option<ResendReason>,
    /// Failed attempts in a row.
    pub tries: u32,
    /// Limits in a row whose reset time wasn't known or had passed.
    #[serde(default)]
    pub limits: u32,
    /// Restarts of this work because of loops.
    pub loops: u32,
    /// Times of compactions of a full context within the last hour.
    pub compactions: Vec<i64>,
    /// Whether it's archived once its turn has succeeded; a new message cancels that.
    #[serde(default)]
    pub archive_when_done: bool,
    /// Answered requests whose answers may not have reached the engine, because it has shown no activity since.
    #[serde(default)]
    pub unheard: Vec<(String, bool)>,
    /// Answers to requests whose process was gone. Each answers the same request once, if the engine repeats it in this
    /// turn.
    #[serde(default)]
    pub decided: Vec<(String, bool)>,
}

impl Session {
    /// A session that hasn't started yet.
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
