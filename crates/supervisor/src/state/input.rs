//! Inputs to the session state machine.

use super::{PromptId, PromptSource, QueueReason, RequestKind};
use engines::{Failure, StopReason};

/// An event of a session, or a request to it.
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
    /// Marks its current turn as a routine update.
    MarkRoutine,
    /// Answers a request.
    Answered {
        /// The request.
        id: String,
        /// Whether it was allowed, or the value was provided.
        allow: bool,
    },
    /// The engine repeated a request whose process was gone when it was answered; it has its answer now.
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
    /// Whether the engine has a login, as [`super::Effect::CheckLogin`] requested.
    LoginChecked {
        /// The result.
        is_logged_in: bool,
    },
    /// It is stuck in a loop (`loops`).
    LoopFound {
        /// The repeated action.
        what: String,
    },
    /// The refill governor chose it (`refill`).
    Revive,
    /// Time passed; every few seconds is enough.
    Tick,
    /// The program is closing.
    Closing,
    /// The program started on a restored backup and found the session in its journal.
    Restored,
    /// The program started and found the session in its journal.
    Started {
        /// Whether the program was not shut down cleanly.
        crashed: bool,
    },
}

/// An event of a launch, reduced to what the rules need. Most are made from a connection's events, with
/// [`EngineEvent::from_event`].
#[derive(Debug, Clone, PartialEq)]
pub enum EngineEvent {
    /// The engine is open.
    Opened {
        /// Whether its session can be resumed later.
        can_resume: bool,
    },
    /// It could not be opened.
    OpenFailed {
        /// The class of the failure.
        failure: Failure,
        /// The engine's message.
        detail: String,
    },
    /// The engine no longer has the session that it should have stored.
    Forgotten,
    /// Any activity.
    Alive,
    /// A tool call began.
    ToolStarted {
        /// The tool call.
        id: String,
    },
    /// A tool call ended.
    ToolEnded {
        /// The tool call.
        id: String,
    },
    /// A request that no rule answers.
    Asked {
        /// Identifies the request in the connection.
        id: String,
        /// Its kind.
        asks: RequestKind,
    },
    /// A message didn't reach the engine.
    NotSent {
        /// The reason.
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
        /// Whether it's finished.
        done: bool,
    },
    /// A turn ended.
    TurnEnded {
        /// The engine's reason.
        stop: StopReason,
        /// The failure, if there is one.
        failure: Option<Failure>,
        /// The engine's message.
        detail: String,
        /// The reply ends with a question to the user (`question`).
        is_question: bool,
        /// The context is full (`context::is_full`).
        is_full: bool,
    },
    /// Its processes are gone.
    Exited {
        /// The cause, as far as known.
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

/// Settings for recovery.
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
