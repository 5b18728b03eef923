//! What the engine does to a session.

use super::step::{Taken, Work, ignored, need_of};
use super::*;
use engines::{Event, StopReason, ToolState, Transience};

/// What of an engine's event the rules ask, if anything. Requests for leave go through `policy` first, and the end of a turn
/// needs what `question` and `context` say of it.
pub fn of_engine(event: &Event, is_question: bool, is_full: bool) -> Told {
    match event {
        Event::Said { .. } | Event::Thought { .. } | Event::Planned { .. } | Event::Used { .. } => Told::Alive,
        Event::Titled { .. } | Event::Mode { .. } | Event::Notice { .. } | Event::Raw { .. } => Told::Alive,
        Event::Heard { .. } | Event::Choices { .. } | Event::Commands { .. } | Event::Login { .. } => Told::Alive,
        Event::Spent { .. } => Told::Alive,
        Event::Tool { tool, state: ToolState::Pending | ToolState::Running, .. } => {
            Told::ToolStarted { id: tool.id.clone() }
        }
        Event::Tool { tool, .. } => Told::ToolEnded { id: tool.id.clone() },
        Event::Permission { request } => Told::Asked { id: request.id.clone(), asks: Asks::Permission },
        Event::Asked { question } => Told::Asked { id: question.id.clone(), asks: Asks::Value },
        Event::Withdrawn { id } => Told::Withdrawn { id: id.clone() },
        Event::Retrying { .. } => Told::Retrying,
        Event::Compacting { done } => Told::Compacting { done: *done },
        // An engine that ends in the middle of a turn tells both: its end decides.
        Event::TurnEnded { failure: Some(Failure::Crash), .. } => Told::Alive,
        Event::TurnEnded { stop, failure, detail } => Told::TurnEnded {
            stop: *stop,
            failure: failure.clone(),
            detail: detail.clone().unwrap_or_default(),
            is_question,
            is_full,
        },
        Event::Exited { stderr, .. } => Told::Exited { detail: stderr.clone() },
    }
}

impl Session {
    /// Something was heard of its engine.
    pub(super) fn heard(&mut self, now: i64) {
        self.unheard.clear();
        if let Some(turn) = &mut self.turn {
            (turn.last_sign, turn.login_asked, turn.is_stuck) = (now, None, false);
        }
    }
}

impl Work<'_> {
    pub(super) fn told(&mut self, launch: u32, told: &Told) -> Taken {
        if launch != self.s.launch || !self.s.has_process {
            return ignored("The event came from an earlier launch");
        }
        if let State::Stopping { then } = self.s.state {
            return self.told_while_stopping(then, told);
        }
        let is_launching = matches!(self.s.state, State::Launching { .. });
        match told {
            Told::Opened { can_resume } if is_launching => self.opened(*can_resume),
            Told::OpenFailed { failure, detail } if is_launching => self.failed_try(failure, detail, true),
            Told::Forgotten if self.s.state == (State::Launching { how: How::Resume }) => {
                self.s.can_resume = false;
                self.effects.push(Effect::KillTree);
                self.launch();
                self.s.evidence.why = "The engine no longer has this session; starting a new one".into();
            }
            Told::Opened { .. } | Told::OpenFailed { .. } | Told::Forgotten => {
                return ignored("The engine isn't being started");
            }
            Told::Exited { detail } if is_launching => {
                self.s.has_process = false;
                self.fail(Failure::Crash, detail, "The engine crashed while starting");
            }
            Told::Exited { detail } => self.crashed(detail),
            Told::Asked { id, asks } => return self.asked(id, *asks),
            Told::NotSent { detail } => self.not_sent(detail),
            Told::Withdrawn { id } => return self.withdrawn(id),
            // Before the engine is open, only that is worth hearing.
            _ if is_launching => return ignored("The engine is still starting"),
            Told::TurnEnded { stop, failure, detail, is_question, is_full } => {
                return self.turn_ended(*stop, failure.as_ref(), detail, *is_question, *is_full);
            }
            Told::Alive => self.alive(),
            Told::ToolStarted { id } => {
                self.alive();
                if let Some(turn) = &mut self.s.turn {
                    turn.tools.insert(id.clone());
                }
            }
            Told::ToolEnded { id } => {
                self.alive();
                if let Some(turn) = &mut self.s.turn {
                    turn.tools.remove(id);
                }
            }
            Told::Retrying => {
                self.alive();
                if self.s.state == State::Running {
                    self.go(State::Retrying { until: None }, "Engine is retrying");
                }
            }
            Told::Compacting { done } => {
                self.alive();
                match (&self.s.state, done) {
                    (State::Running, false) => {
                        self.go(State::Compacting { ours: false }, "Freeing context");
                    }
                    (State::Compacting { ours: false }, true) => {
                        self.go(State::Running, "Context compacted");
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn told_while_stopping(&mut self, then: Then, told: &Told) -> Taken {
        match told {
            // One that could not be opened has no processes either.
            Told::Exited { .. } | Told::OpenFailed { .. } | Told::Forgotten => {
                let why = self.s.evidence.why.clone();
                self.settle(then, &why);
                Ok(())
            }
            // Whatever is asked on the way out gets its answer, or the engine would wait for it.
            Told::Asked { id, .. } => {
                self.effects.push(Effect::Answer { id: id.clone(), verdict: Verdict::Cancelled });
                Ok(())
            }
            _ => ignored("The session is ending its processes"),
        }
    }

    fn alive(&mut self) {
        self.s.heard(self.at.now);
        if (self.s.state == State::Retrying { until: None }) {
            self.go(State::Running, "Working on your message");
        }
    }

    fn opened(&mut self, can_resume: bool) {
        let is_new = self.s.state == (State::Launching { how: How::New });
        self.s.can_resume = can_resume;
        for open in self.s.open.clone() {
            self.effects.push(Effect::AskPerson { need: need_of(&open) });
        }
        if !self.s.open.is_empty() {
            // What asked is gone with its session: the answer alone would mean nothing to a new one.
            if is_new && self.s.turn.is_some() {
                self.s.resend.get_or_insert(Note::NewSession);
            }
            return self.go_on_awaiting();
        }
        if let Some(turn) = self.s.turn.clone().filter(|_| self.s.resend.is_some() || !self.s.nudges.is_empty()) {
            // An engine that knows nothing of the work cannot go on with it.
            let resend = self.s.resend.take().or(is_new.then_some(Note::NewSession));
            let Some(note) = resend else { return self.nudge("Resuming where it left off") };
            return self.send_again(&turn, note);
        }
        if !self.s.nudges.is_empty() {
            return self.nudge("You answered");
        }
        (self.s.turn, self.s.resend) = (None, None);
        if !self.next_prompt() {
            self.go(State::Idle, "Waiting for your message");
        }
    }

    fn asked(&mut self, id: &str, asks: Asks) -> Taken {
        if matches!(self.s.state, State::Launching { .. } | State::Retrying { until: Some(_) }) {
            self.effects.push(Effect::Answer { id: id.to_owned(), verdict: Verdict::Cancelled });
            return Ok(());
        }
        if self.s.open.iter().any(|open| open.id == id) {
            return ignored("The request is already waiting for an answer");
        }
        self.alive();
        let open = Open { id: id.to_owned(), asks, is_lost: false };
        self.effects.push(Effect::AskPerson { need: need_of(&open) });
        self.s.open.push(open);
        self.go_on_awaiting();
        Ok(())
    }

    /// The prompt did not get to the engine: it goes to the next launch, which is told that it may be a second time.
    fn not_sent(&mut self, detail: &str) {
        self.s.tries = self.s.tries.saturating_add(1);
        if self.s.tries >= TRIES {
            return self.fail(Failure::Crash, detail, format!("The engine accepted no message in {TRIES} attempts"));
        }
        if self.s.turn.is_some() {
            self.s.nudges.clear();
            self.s.resend = Some(Note::Unheard);
        }
        self.leave(Then::Relaunch, "The message didn't reach the engine; restarting");
    }

    /// The engine waits for an answer no longer.
    fn withdrawn(&mut self, id: &str) -> Taken {
        let Some(at) = self.s.open.iter().position(|open| open.id == id && !open.is_lost) else {
            return ignored("No open request has this id");
        };
        self.alive();
        let open = self.s.open.remove(at);
        self.effects.push(Effect::Answer { id: open.id, verdict: Verdict::Cancelled });
        if matches!(self.s.state, State::AwaitingPermission | State::AwaitingInput) {
            self.go_on_awaiting();
        }
        Ok(())
    }

    fn turn_ended(
        &mut self,
        stop: StopReason,
        failure: Option<&Failure>,
        detail: &str,
        is_question: bool,
        is_full: bool,
    ) -> Taken {
        // A request outside of a turn makes none.
        if self.s.turn.is_none()
            || !self.s.state.is_working()
            || matches!(self.s.state, State::Retrying { until: Some(_) })
        {
            return ignored("No turn is in progress");
        }
        self.withdraw_open();
        self.s.unheard.clear();
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
            (Some(Failure::ContextFull), _) => self.make_room(detail),
            (Some(failure), _) => self.failed_try(failure, detail, false),
            (None, StopReason::MaxTokens) if is_full => self.make_room(detail),
            (None, StopReason::EndTurn) => {
                (self.s.tries, self.s.limits, self.s.loops) = (0, 0, 0);
                self.turn_done((is_question).then_some(Need::Question));
            }
            (None, StopReason::Cancelled) => self.turn_done(None),
            (None, stop) => self.turn_done(Some(Need::CutShort { stop })),
        }
        let is_done = stop == StopReason::EndTurn && self.s.state == State::Idle && self.s.need.is_none();
        if is_done && self.s.archive_when_done {
            return self.put_away(Then::Archive);
        }
        if is_done && self.s.ends_when_done {
            self.drop_process();
            self.go(State::Finished, "Work complete");
        }
        Ok(())
    }

    fn turn_done(&mut self, need: Option<Need>) {
        self.s.turn = None;
        self.s.nudges.clear();
        self.s.decided.clear();
        if self.next_prompt() {
            return;
        }
        self.go(State::Idle, "Waiting for your message");
        self.s.need = None;
        if let Some(need) = need {
            self.need(need);
        }
    }

    fn make_room(&mut self, detail: &str) {
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
        self.alive();
        self.effects.push(Effect::Compact);
        let why = "Context full; compacting (contextStallAutoRecoverEnabled)";
        self.go(State::Compacting { ours: true }, why);
    }

    /// A launch, or else a turn, failed.
    fn failed_try(&mut self, failure: &Failure, detail: &str, is_launch: bool) {
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
                    self.go(State::Queued { why: Waits::Backoff { until } }, why);
                } else {
                    self.go(State::Retrying { until: Some(until) }, why);
                }
            }
            _ => self.fail(failure.clone(), detail, "Not retried: this error isn't temporary"),
        }
    }

    /// Waits for a limit to reset. Where nobody said when, or that time has passed and the limit still holds, the pauses grow.
    pub(super) fn park(&mut self, until: Option<i64>) {
        self.drop_process();
        self.s.need = None;
        let soon = self.at.now.saturating_add(SHORTEST_PARK_MS);
        let told = until.filter(|until| *until > soon);
        self.s.limits = if told.is_some() { 0 } else { self.s.limits.saturating_add(1) };
        let (until, nudge, why) = match (told, until) {
            (Some(until), _) => (until, Nudge::LimitOver, "Usage limit reached".to_owned()),
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
        self.go(State::Parked { until: Some(until) }, why);
    }

    fn crashed(&mut self, detail: &str) {
        self.s.has_process = false;
        self.s.tries = self.s.tries.saturating_add(1);
        if self.s.tries >= TRIES {
            return self.fail(Failure::Crash, detail, format!("Engine crashed; {TRIES} attempts failed"));
        }
        self.cut_off(Interruption::Crash);
    }
}

/// How long to wait after so many limits in a row without a reset time: 5 minutes, doubling up to an hour.
fn limit_gap_ms(limits: u32) -> i64 {
    FIRST_LIMIT_GAP_MS.saturating_mul(1_i64 << limits.saturating_sub(1).min(30)).min(LAST_LIMIT_GAP_MS)
}

/// How long to wait after so many failed tries: 5 s, doubling up to 5 minutes, up to a fifth less by chance.
pub(super) fn gap_ms(tries: u32, jitter: f64) -> i64 {
    let doubled = FIRST_GAP_MS.saturating_mul(1_i64 << tries.saturating_sub(1).min(30));
    let gap = doubled.min(LAST_GAP_MS);
    gap - (gap as f64 * 0.2 * jitter.clamp(0.0, 1.0)) as i64
}
