//! Inputs to the session state machine.

use super::{PromptId, PromptSource, QueueReason, RequestKind};
use engines::{Failure, StopReason};

/// Something that happened to a session, or that it should do.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// A new message.
    Prompt {
        /// Its number, greater than all before it.
        id: PromptId,
        /// Who sent it.
        by: PromptSource,
    },
    /// Removes a queued message.
    Withdraw {
        /// Its number.
        id: PromptId,
    },
    /// Starts, retries, resumes, wakes, or reopens it.
    Start,
    /// The same, but with a new engine session, which gets a summary of the work.
    StartAnew,
    /// Stops it.
    Stop {
        /// Whether the user stops it.
        by_user: bool,
    },
    /// Pauses it.
    Pause,
    /// Pauses it until a time.
    Snooze {
        /// In milliseconds since 1970.
        until: i64,
    },
    /// Marks it finished.
    Finish,
    /// Archives it.
    Archive,
    /// Archives it once its turn has succeeded.
    ArchiveWhenDone,
    /// Closes it.
    Close,
    /// A request is answered.
    Answered {
        /// Which one.
        id: String,
        /// Whether it was allowed, or the value was provided.
        allow: bool,
    },
    /// The engine made a request again that was answered while its process was gone, and has its answer.
    Repeated {
        /// The first request.
        id: String,
    },
    /// The queue lets it start.
    Admitted,
    /// The queue reports why it is still queued.
    Held {
        /// The reason.
        why: QueueReason,
    },
    /// One of its launches reported something.
    Engine {
        /// The launch.
        launch: u32,
        /// The event.
        event: EngineEvent,
    },
    /// Whether somebody is logged in at the engine, as [`super::Effect::CheckLogin`] asked.
    LoginChecked {
        /// Whether somebody is.
        is_logged_in: bool,
    },
    /// It is stuck in a loop (`loops`).
    LoopFound {
        /// The repeated action.
        what: String,
    },
    /// The refill governor chose it (`refill`).
    Revive,
    /// Time passes; a few seconds between two are enough.
    Tick,
    /// The program closes.
    Closing,
    /// The program started and found the session in its journal.
    Started {
        /// It was not closed in order before.
        crashed: bool,
    },
}

/// An event of a launch, reduced to what the rules need. Most are made from a connection's events, with
/// [`EngineEvent::from_event`].
#[derive(Debug, Clone, PartialEq)]
pub enum EngineEvent {
    /// The engine is open.
    Opened {
        /// Whether its session can be gone on with later.
        can_resume: bool,
    },
    /// It could not be opened.
    OpenFailed {
        /// What it is.
        failure: Failure,
        /// What the engine said of it.
        detail: String,
    },
    /// The engine no longer has the session that it should have stored.
    Forgotten,
    /// Any sign of life.
    Alive,
    /// A tool began its work.
    ToolStarted {
        /// The use.
        id: String,
    },
    /// A tool ended its work.
    ToolEnded {
        /// The use.
        id: String,
    },
    /// The engine made a request that no rule answers.
    Asked {
        /// Identifies the request in the connection.
        id: String,
        /// Its kind.
        asks: RequestKind,
    },
    /// A message didn't reach the engine.
    NotSent {
        /// Why.
        detail: String,
    },
    /// The engine canceled its request.
    Withdrawn {
        /// Identifies the request in the connection.
        id: String,
    },
    /// The engine retries automatically.
    Retrying,
    /// The engine compacts its context automatically.
    Compacting {
        /// Whether it is done.
        done: bool,
    },
    /// A turn came to its end.
    TurnEnded {
        /// The engine's reason.
        stop: StopReason,
        /// What went wrong.
        failure: Option<Failure>,
        /// What the engine said of it.
        detail: String,
        /// The reply ends with a question to the person (`question`).
        is_question: bool,
        /// The context is full (`context::is_full`).
        is_full: bool,
    },
    /// Its processes are gone.
    Exited {
        /// What is known of it.
        detail: String,
    },
}

/// The time and randomness of a step, passed in to keep the rules pure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepContext {
    /// Milliseconds since 1970.
    pub now: i64,
    /// Random per step, from 0 up to 1. Spreads the retries of many sessions.
    pub jitter: f64,
}

/// Settings of recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recovery {
    /// Setting `autoRestartUnresponsiveSessions`.
    pub auto_restart_unresponsive_sessions: bool,
    /// Setting `autoResumeOnCrash`.
    pub auto_resume_on_crash: bool,
    /// Setting `relentlessSessionRelaunch`.
    pub relentless_session_relaunch: bool,
    /// Setting `contextStallAutoRecoverEnabled`.
    pub context_stall_auto_recover_enabled: bool,
    /// Setting `readLoopBreakerEnabled`.
    pub read_loop_breaker_enabled: bool,
}
