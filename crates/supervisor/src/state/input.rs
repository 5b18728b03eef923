//! What is told of a session, and what it is told with.

use super::{Asks, By, PromptId, Waits};
use engines::{Failure, StopReason};

/// What is told of a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Something is to be done.
    Prompt {
        /// Its name, above all before it.
        id: PromptId,
        /// Who asks.
        by: By,
    },
    /// A prompt that still waits is taken back.
    Withdraw {
        /// Its name.
        id: PromptId,
    },
    /// The person wants it to run: start, try again, go on, wake, reopen.
    Start,
    /// The same, but with a new session of the engine, which is told what it was at work on.
    StartAnew,
    /// It is to be stopped.
    Stop {
        /// Whether the person says so.
        by_user: bool,
    },
    /// It is to be put aside.
    Pause,
    /// It is to be put aside until a time.
    Snooze {
        /// In milliseconds since 1970.
        until: i64,
    },
    /// It is done.
    Finish,
    /// It is to be put away.
    Archive,
    /// It is to be put away once its turn has come to a good end.
    ArchiveWhenDone,
    /// The person closes it.
    Close,
    /// A request is answered.
    Answered {
        /// Which one.
        id: String,
        /// Yes, or the value was given; else no.
        allow: bool,
    },
    /// The engine made a request again that was answered while its process was gone, and has its answer.
    Repeated {
        /// The first request.
        id: String,
    },
    /// The queue lets it start.
    Admitted,
    /// The queue says why it waits.
    Held {
        /// For this.
        why: Waits,
    },
    /// One of its launches tells something.
    Engine {
        /// The launch.
        launch: u32,
        /// What it tells.
        told: Told,
    },
    /// Whether somebody is logged in at the engine, as [`super::Effect::CheckLogin`] asked.
    LoginChecked {
        /// Whether somebody is.
        is_logged_in: bool,
    },
    /// It goes round in circles (`loops`).
    LoopFound {
        /// What it does again and again.
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

/// What a launch tells, as far as the rules ask; [`super::of_engine`] makes most of it from what a connection says.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
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
    /// The engine does not know the session that it should have kept.
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
    /// Something is asked that no rule answers.
    Asked {
        /// The connection's name of the request.
        id: String,
        /// What is asked for.
        asks: Asks,
    },
    /// What was to be sent did not get to the engine.
    NotSent {
        /// Why.
        detail: String,
    },
    /// The engine takes back what it asked for.
    Withdrawn {
        /// The connection's name of the request.
        id: String,
    },
    /// The engine tries again by itself.
    Retrying,
    /// The engine makes its context smaller by itself, or did.
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

/// Time and chance of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Milliseconds since 1970.
    pub now: i64,
    /// Drawn anew for each step, from 0 up to 1: spreads tries of many sessions.
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
