//! Inputs from the engine.

use super::step::{StepResult, Transition, attention_reason, rejected};
use super::*;
use engines::{Event, StopReason, ToolState, Transience};

impl EngineEvent {
    /// Reduces an engine's event to what the rules need. Permission requests go through `policy` first; `question` and
    /// `context` describe the end of a turn.
    pub fn from_event(event: &Event, is_question: bool, is_full: bool) -> EngineEvent {
        match event {
            Event::Said { .. } | Event::Thought { .. } | Event::Planned { .. } | Event::Used { .. } => {
                EngineEvent::Alive
            }
            Event::Titled { .. } | Event::Mode { .. } | Event::Notice { .. } | Event::Raw { .. } => EngineEvent::Alive,
            Event::Heard { .. } | Event::Choices { .. } | Event::Commands { .. } | Event::Login { .. } => {
                EngineEvent::Alive
            }
            Event::Spent { .. } => EngineEvent::Alive,
            Event::Tool { tool, state: ToolState::Pending | ToolState::Running, .. } => {
                EngineEvent::ToolStarted { id: tool.id.clone() }
            }
            Event::Tool { tool, .. } => EngineEvent::ToolEnded { id: tool.id.clone() },
            Event::Permission { request } => {
                EngineEvent::Asked { id: request.id.clone(), asks: RequestKind::Permission }
            }
            Event::Asked { question } => EngineEvent::Asked { id: question.id.clone(), asks: RequestKind::Value },
            Event::Withdrawn { id } => EngineEvent::Withdrawn { id: id.clone() },
            Event::Retrying { .. } => EngineEvent::Retrying,
            Event::Compacting { done } => EngineEvent::Compacting { done: *done },
            // An engine that exits during a turn reports both: its exit decides.
            Event::TurnEnded { failure: Some(Failure::Crash), .. } => EngineEvent::Alive,
            Event::TurnEnded { stop, failure, detail } => EngineEvent::TurnEnded {
                stop: *stop,
                failure: failure.clone(),
                detail: detail.clone().unwrap_or_default(),
                is_question,
                is_full,
            },
            Event::Exited { stderr, .. } => EngineEvent::Exited { detail: stderr.clone() },
        }
    }
}

impl Session {
    /// Records that the engine sent something.
    pub(super) fn record_activity(&mut self, now: i64) {
        self.unheard.clear();
        if let Some(turn) = &mut self.turn {
            (turn.last_sign, turn.login_asked, turn.is_stuck) = (now, None, false);
        }
    }
}

impl Transition<'_> {
    pub(super) fn on_engine_event(&mut self, launch: u32, event: &EngineEvent) -> StepResult {
        if launch != self.s.launch || !self.s.has_process {
            return rejected("The event came from an earlier launch");
        }
        if let State::Stopping { then } = self.s.state {
            return self.on_event_while_stopping(then, event);
        }
        let is_launching = matches!(self.s.state, State::Launching { .. });
        match event {
            EngineEvent::Opened { can_resume } if is_launching => self.on_opened(*can_resume),
            EngineEvent::OpenFailed { failure, detail } if is_launching => {
                self.on_failed_attempt(failure, detail, true)
            }
            EngineEvent::Forgotten if self.s.state == (State::Launching { how: LaunchMode::Resume }) => {
                self.s.can_resume = false;
                self.effects.push(Effect::KillTree);
                self.launch();
                self.s.evidence.why = "The engine no longer has this session; starting a new one".into();
            }
            EngineEvent::Opened { .. } | EngineEvent::OpenFailed { .. } | EngineEvent::Forgotten => {
                return rejected("The engine isn't being started");
            }
            EngineEvent::Exited { detail } if is_launching => {
                self.s.has_process = false;
                self.fail(Failure::Crash, detail, "The engine crashed while starting");
            }
            EngineEvent::Exited { detail } => self.on_crash(detail),
            EngineEvent::Asked { id, asks } => return self.on_request(id, *asks),
            EngineEvent::NotSent { detail } => self.on_not_sent(detail),
            EngineEvent::Withdrawn { id } => return self.on_withdrawn(id),
            // Before the engine is open, only this event counts.
            _ if is_launching => return rejected("The engine is still starting"),
            EngineEvent::TurnEnded { stop, failure, detail, is_question, is_full } => {
                return self.on_turn_ended(*stop, failure.as_ref(), detail, *is_question, *is_full);
            }
            EngineEvent::Alive => self.record_alive(),
            EngineEvent::ToolStarted { id } => {
                self.record_alive();
                if let Some(turn) = &mut self.s.turn {
                    turn.tools.insert(id.clone());
                }
            }
            EngineEvent::ToolEnded { id } => {
                self.record_alive();
                if let Some(turn) = &mut self.s.turn {
                    turn.tools.remove(id);
                }
            }
            EngineEvent::Retrying => {
                self.record_alive();
                if self.s.state == State::Running {
                    self.set_state(State::Retrying { until: None }, "Engine is retrying");
                }
            }
            EngineEvent::Compacting { done } => {
                self.record_alive();
                match (&self.s.state, done) {
                    (State::Running, false) => {
                        self.set_state(State::Compacting { ours: false }, "Freeing context");
                    }
                    (State::Compacting { ours: false }, true) => {
                        self.set_state(State::Running, "Context compacted");
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn on_event_while_stopping(&mut self, then: AfterStop, event: &EngineEvent) -> StepResult {
        match event {
            // An engine that couldn't be opened has no processes.
            EngineEvent::Exited { .. } | EngineEvent::OpenFailed { .. } | EngineEvent::Forgotten => {
                let why = self.s.evidence.why.clone();
                self.settle(then, &why);
                Ok(())
            }
            // A request made while stopping gets an answer, or the engine would wait for it.
            EngineEvent::Asked { id, .. } => {
                self.effects.push(Effect::Answer { id: id.clone(), verdict: Verdict::Cancelled });
                Ok(())
            }
            _ => rejected("The session is ending its processes"),
        }
    }

    fn record_alive(&mut self) {
        self.s.record_activity(self.at.now);
        if (self.s.state == State::Retrying { until: None }) {
            self.set_state(State::Running, "Working on your message");
        }
    }

    fn on_opened(&mut self, can_resume: bool) {
        let is_new = self.s.state == (State::Launching { how: LaunchMode::New });
        self.s.can_resume = can_resume;
        for open in self.s.open.clone() {
            self.effects.push(Effect::AskUser { need: attention_reason(&open) });
        }
        if !self.s.open.is_empty() {
            // The session that made the request is gone: without it, the answer means nothing to a new one.
            if is_new && self.s.turn.is_some() {
                self.s.resend.get_or_insert(ResendReason::NewSession);
            }
            return self.continue_after_request();
        }
        if let Some(turn) = self.s.turn.clone().filter(|_| self.s.resend.is_some() || !self.s.nudges.is_empty()) {
            // An engine that doesn't know the work can't continue it.
            let resend = self.s.resend.take().or(is_new.then_some(ResendReason::NewSession));
            let Some(note) = resend else { return self.nudge("Resuming where it left off") };
            return self.resend(&turn, note);
        }
        if !self.s.nudges.is_empty() {
            return self.nudge("You answered");
        }
        (self.s.turn, self.s.resend) = (None, None);
        if !self.next_prompt() {
            self.set_state(State::Idle, "Waiting for your message");
        }
    }

    fn on_request(&mut self, id: &str, asks: RequestKind) -> StepResult {
        if matches!(self.s.state, State::Launching { .. } | State::Retrying { until: Some(_) }) {
            self.effects.push(Effect::Answer { id: id.to_owned(), verdict: Verdict::Cancelled });
            return Ok(());
        }
        if self.s.open.iter().any(|open| open.id == id) {
            return rejected("The request is already waiting for an answer");
        }
        self.record_alive();
        let open = PendingRequest { id: id.to_owned(), asks, is_lost: false };
        self.effects.push(Effect::AskUser { need: attention_reason(&open) });
        self.s.open.push(open);
        self.continue_after_request();
        Ok(())
    }

    /// The message didn't reach the engine: it's sent to the next launch, with a note that it may be a repetition.
    fn on_not_sent(&mut self, detail: &str) {
        self.s.tries = self.s.tries.saturating_add(1);
        if self.s.tries >= TRIES {
            return self.fail(Failure::Crash, detail, format!("The engine accepted no message in {TRIES} attempts"));
        }
        if self.s.turn.is_some() {
            self.s.nudges.clear();
            self.s.resend = Some(ResendReason::Unheard);
        }
        self.begin_stop(AfterStop::Relaunch, "The message didn't reach the engine; restarting");
    }

    /// Removes a request that the engine canceled.
    fn on_withdrawn(&mut self, id: &str) -> StepResult {
        let Some(at) = self.s.open.iter().position(|open| open.id == id && !open.is_lost) else {
            return rejected("No open request has this id");
        };
        self.record_alive();
        let open = self.s.open.remove(at);
        self.effects.push(Effect::Answer { id: open.id, verdict: Verdict::Cancelled });
        if matches!(self.s.state, State::AwaitingPermission | State::AwaitingInput) {
            self.continue_after_request();
        }
        Ok(())
    }

    fn on_turn_ended(
        &mut self,
        stop: StopReason,
        failure: Option<&Failure>,
        detail: &str,
        is_question: bool,
        is_full: bool,
    ) -> StepResult {
        // A request outside a turn doesn't start one.
        if self.s.turn.is_none()
            || !self.s.state.is_working()
            || matches!(self.s.state, State::Retrying { until: Some(_) })
        {
            return rejected("No turn is in progress");
        }
        self.cancel_requests();
        self.s.unheard.clear();
        let is_routine = self.s.turn.as_ref().is_some_and(|turn| turn.is_routine);
        if self.s.state == (State::Compacting { ours: true }) {
            if failure.is_none() && stop == StopReason::EndTurn {
                self.s.nudges = vec![Nudge::Compacted];
                self.nudge("Context compacted");
            } else {
                self.fail(Failure::ContextFull, detail, "Couldn't compact the context");
            }
            return Ok(());
        }
        match (failure, stop) {
            (Some(Failure::ContextFull), _) => self.compact(detail),
            (Some(failure), _) => self.on_failed_attempt(failure, detail, false),
            (None, StopReason::MaxTokens) if is_full => self.compact(detail),
            (None, StopReason::EndTurn) => {
                (self.s.tries, self.s.limits, self.s.loops) = (0, 0, 0);
                self.finish_turn((is_question).then_some(AttentionReason::Question));
            }
            (None, StopReason::Cancelled) => self.finish_turn(None),
            (None, stop) => self.finish_turn(Some(AttentionReason::CutShort { stop })),
        }
        let is_done = stop == StopReason::EndTurn && self.s.state == State::Idle && self.s.need.is_none();
        if is_done && self.s.archive_when_done {
            return self.retire(AfterStop::Archive);
        }
        if is_done {
            self.effects.push(Effect::ReportDone { is_routine });
        }
        if is_done && self.s.ends_when_done {
            self.drop_process();
            self.set_state(State::Finished, "Work complete");
        }
        Ok(())
    }

    fn finish_turn(&mut self, need: Option<AttentionReason>) {
        self.s.turn = None;
        self.s.nudges.clear();
        self.s.decided.clear();
        if self.next_prompt() {
            return;
        }
        self.set_state(State::Idle, "Waiting for your message");
        self.s.need = None;
        if let Some(need) = need {
            self.require_attention(need);
        }
    }

    fn compact(&mut self, detail: &str) {
        let hour_ago = self.at.now.saturating_sub(3_600_000);
        self.s.compactions.retain(|at| *at > hour_ago);
        if !self.rules.context_stall_auto_recover_enabled {
            return self.fail(
                Failure::ContextFull,
                detail,
                "Context window full (contextStallAutoRecoverEnabled is off)",
            );
        }
        if self.s.compactions.len() >= COMPACTIONS_PER_HOUR {
            let why = format!("Context window full after {COMPACTIONS_PER_HOUR} compactions within an hour");
            return self.fail(Failure::ContextFull, detail, why);
        }
        self.s.compactions.push(self.at.now);
        self.record_alive();
        self.effects.push(Effect::Compact);
        let why = "Context full; compacting (contextStallAutoRecoverEnabled)";
        self.set_state(State::Compacting { ours: true }, why);
    }

    /// Handles a failed launch or turn.
    fn on_failed_attempt(&mut self, failure: &Failure, detail: &str, is_launch: bool) {
        match failure {
            Failure::Limit { until } => self.park(*until),
            Failure::Transient { what } => {
                self.s.tries = self.s.tries.saturating_add(1);
                if self.s.tries >= TRIES && !self.rules.relentless_session_relaunch {
                    let why = format!("{TRIES} attempts failed (relentlessSessionRelaunch is off)");
                    return self.fail(failure.clone(), detail, why);
                }
                let until = self.at.now.saturating_add(gap_ms(self.s.tries, self.at.jitter));
                let what = match what {
                    Transience::Overload => "Service overloaded",
                    Transience::Rate => "Rate limited",
                    Transience::Network => "Can't reach service",
                };
                let why = format!("{what}; attempt {} follows", self.s.tries.saturating_add(1));
                if is_launch {
                    self.drop_process();
                    self.set_state(State::Queued { why: QueueReason::Backoff { until } }, why);
                } else {
                    self.set_state(State::Retrying { until: Some(until) }, why);
                }
            }
            _ => self.fail(failure.clone(), detail, cause(failure)),
        }
    }

    /// Waits for a limit to reset. If the time isn't known, or has passed and the limit still applies, the delays grow.
    pub(super) fn park(&mut self, until: Option<i64>) {
        self.drop_process();
        self.s.need = None;
        let soon = self.at.now.saturating_add(SHORTEST_PARK_MS);
        let reset_at = until.filter(|until| *until > soon);
        self.s.limits = if reset_at.is_some() { 0 } else { self.s.limits.saturating_add(1) };
        let (until, nudge, why) = match (reset_at, until) {
            (Some(until), _) => (until, Nudge::LimitOver, LIMIT_REACHED.to_owned()),
            (None, Some(_)) if self.s.limits == 1 => {
                let spread = (SHORTEST_PARK_MS as f64 * self.at.jitter.clamp(0.0, 1.0)) as i64;
                (soon.saturating_add(spread), Nudge::LimitOver, "Usage limit should reset about now".to_owned())
            }
            _ => {
                let until = self.at.now.saturating_add(limit_gap_ms(self.s.limits));
                let next = self.s.limits.saturating_add(1);
                (until, Nudge::TryAgain, format!("Reset time unknown; attempt {next} follows"))
            }
        };
        self.nudge_later(nudge);
        self.set_state(State::Parked { until: Some(until) }, why);
    }

    fn on_crash(&mut self, detail: &str) {
        self.s.has_process = false;
        self.s.tries = self.s.tries.saturating_add(1);
        if self.s.tries >= TRIES {
            return self.fail(Failure::Crash, detail, format!("Engine crashed; {TRIES} attempts failed"));
        }
        self.interrupt(Interruption::Crash);
    }
}

/// The delay after a number of limits in a row without a reset time: 5 minutes, doubling up to an hour.
fn limit_gap_ms(limits: u32) -> i64 {
    FIRST_LIMIT_GAP_MS.saturating_mul(1_i64 << limits.saturating_sub(1).min(30)).min(LAST_LIMIT_GAP_MS)
}

/// The delay after a number of failed attempts: 5 s, doubling up to 5 minutes, minus up to a fifth at random.
pub(super) fn gap_ms(tries: u32, jitter: f64) -> i64 {
    let doubled = FIRST_GAP_MS.saturating_mul(1_i64 << tries.saturating_sub(1).min(30));
    let gap = doubled.min(LAST_GAP_MS);
    gap - (gap as f64 * 0.2 * jitter.clamp(0.0, 1.0)) as i64
}

/// The cause of a failure that isn't retried.
fn cause(failure: &Failure) -> &'static str {
    match failure {
        Failure::Auth => "Not logged in to the engine",
        Failure::ContextFull => "Context window full",
        Failure::Request => "Request rejected",
        Failure::Crash => "Engine crashed",
        _ => "Not retried: this error isn't temporary",
    }
}
