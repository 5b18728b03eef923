//! Effects of time on a session: silence, loops, and waits that end.

use super::step::{StepResult, Transition, rejected};
use super::*;

impl Transition<'_> {
    pub(super) fn on_login_checked(&mut self, is_logged_in: bool) -> StepResult {
        let is_asked = self.s.turn.as_ref().is_some_and(|turn| turn.login_asked.is_some());
        if !is_asked || !self.is_to_be_alive() {
            return rejected("No login check is pending");
        }
        if is_logged_in {
            self.restart_silent();
        } else {
            self.fail(Failure::Auth, "", "No response: not logged in");
        }
        Ok(())
    }

    /// The states in which silence is a sign of a problem.
    fn is_to_be_alive(&self) -> bool {
        matches!(self.s.state, State::Running | State::Retrying { until: None } | State::Compacting { .. })
    }

    fn restart_silent(&mut self) {
        let Some(turn) = &mut self.s.turn else { return };
        if turn.was_silent {
            self.effects.push(Effect::Cancel);
            self.drop_process();
            self.set_state(State::Interrupted { by: Interruption::Stall }, "Not responding after a restart");
            self.s.nudges.clear();
            self.nudge_later(Nudge::Continue { after: Interruption::Stall });
            return self.require_attention(AttentionReason::Stuck);
        }
        turn.login_asked = None;
        self.s.nudges.clear();
        self.s.resend = Some(ResendReason::Silent);
        self.begin_stop(AfterStop::Relaunch, "Not responding; restarting (autoRestartUnresponsiveSessions)");
    }

    pub(super) fn on_loop_found(&mut self, what: &str) -> StepResult {
        if !self.rules.read_loop_breaker_enabled {
            return rejected("readLoopBreakerEnabled is off");
        }
        if self.s.state != State::Running {
            return rejected("The session isn't working");
        }
        if self.s.loops >= LOOP_RELAUNCHES {
            self.effects.push(Effect::Cancel);
            self.drop_process();
            self.set_state(State::Interrupted { by: Interruption::Loop }, "Stuck in a loop after 2 restarts");
            self.s.nudges = vec![Nudge::Loop { what: what.to_owned() }];
            self.require_attention(AttentionReason::Loop);
            return Ok(());
        }
        self.s.loops += 1;
        self.s.nudges = vec![Nudge::Loop { what: what.to_owned() }];
        self.begin_stop(AfterStop::Relaunch, "Stuck in a loop; restarting (readLoopBreakerEnabled)");
        Ok(())
    }

    pub(super) fn tick(&mut self) {
        let now = self.at.now;
        let for_ms = now.saturating_sub(self.s.evidence.since);
        match self.s.state {
            State::Queued { why: QueueReason::Backoff { until } } if now >= until => {
                self.enqueue(Kind::Return, "Retrying");
            }
            State::Retrying { until: Some(until) } if now >= until => {
                self.s.nudges = vec![Nudge::TryAgain];
                self.nudge("Retrying");
            }
            State::Parked { until: Some(until) } if now >= until => {
                self.enqueue(Kind::Return, "Usage limit reset");
            }
            State::Parked { until: None } => self.park(None),
            State::Snoozed { until } if now >= until => {
                if self.s.turn.is_some() || !self.s.waiting.is_empty() {
                    self.enqueue(Kind::Return, "Snooze ended");
                } else {
                    self.set_state(State::Idle, "Snooze ended");
                    self.require_attention(AttentionReason::Awake);
                }
            }
            State::Stopping { then } if for_ms >= STOPPING_MS => {
                let why = self.s.evidence.why.clone();
                self.settle(then, &why);
            }
            State::Launching { .. } if for_ms >= LAUNCH_MS => {
                let detail = format!("The engine didn't start within {} s", LAUNCH_MS / 1000);
                self.drop_process();
                self.fail(Failure::Crash, &detail, detail.as_str());
            }
            _ if self.is_to_be_alive() => self.detect_stall(),
            _ => {}
        }
    }

    fn detect_stall(&mut self) {
        let now = self.at.now;
        let Some(turn) = &mut self.s.turn else { return };
        if !turn.tools.is_empty() || now.saturating_sub(turn.last_sign) < SILENCE_MS {
            return;
        }
        if !self.rules.auto_restart_unresponsive_sessions {
            turn.is_stuck = true;
            return;
        }
        match turn.login_asked {
            // Some engines are silent without a login, and a restart wouldn't help.
            None => {
                turn.login_asked = Some(now);
                self.effects.push(Effect::CheckLogin);
            }
            Some(asked) if now.saturating_sub(asked) >= LOGIN_CHECK_MS => self.restart_silent(),
            Some(_) => {}
        }
    }
}
