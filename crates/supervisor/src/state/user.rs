//! Inputs from users and callers.

use super::step::{StepResult, Transition, rejected};
use super::*;
use std::mem::take;

impl Transition<'_> {
    pub(super) fn prompt(&mut self, id: PromptId, by: PromptSource) -> StepResult {
        if id <= self.s.last_prompt {
            return rejected("This message was already accepted");
        }
        if by == PromptSource::Person {
            self.s.stopped_by_user = false;
            (self.s.tries, self.s.limits, self.s.loops) = (0, 0, 0);
        } else if self.s.stopped_by_user {
            return rejected("You stopped this session, so only you can resume it");
        } else if let State::Archived
        | State::Closed
        | State::Stopping { then: AfterStop::Archive | AfterStop::Close | AfterStop::Stop { .. } } =
            self.s.state
        {
            return rejected("The session has ended; only you can reopen it");
        }
        self.s.last_prompt = id;
        self.s.archive_when_done = false;
        self.s.waiting.push_back(id);
        let kind = match by {
            PromptSource::Person => Kind::Manual,
            PromptSource::Other if self.s.launch == 0 => Kind::Spawn,
            PromptSource::Other => Kind::Return,
        };
        match &self.s.state {
            State::Idle if self.s.has_process => {
                self.next_prompt();
            }
            State::Paused | State::Snoozed { .. } if by == PromptSource::Other => {}
            // The delay after failed launches is for the service, not for the user: only Start shortens it.
            State::Queued { why: QueueReason::Backoff { .. } } => {}
            State::Queued { .. } if by == PromptSource::Person => self.effects.push(Effect::Enqueue { kind }),
            State::Stopping { then } if by == PromptSource::Person && *then != AfterStop::Relaunch => {
                self.drop_work();
                self.set_state(
                    State::Stopping { then: AfterStop::Relaunch },
                    "Restarting: you sent a message while the session was stopping",
                );
            }
            State::Queued { .. } | State::Launching { .. } | State::Parked { .. } | State::Stopping { .. } => {}
            state if state.is_working() => {}
            _ => {
                self.drop_work();
                self.enqueue(kind, "Waiting its turn");
            }
        }
        Ok(())
    }

    /// Removes a queued message. A session that is queued for nothing else starts anyway, and then waits for the next
    /// message.
    pub(super) fn withdraw(&mut self, id: PromptId) -> StepResult {
        let Some(at) = self.s.waiting.iter().position(|waiting| *waiting == id) else {
            return rejected("This message is no longer queued: it was sent or removed");
        };
        self.s.waiting.remove(at);
        self.effects.push(Effect::Unsent { ids: vec![id] });
        Ok(())
    }

    pub(super) fn start(&mut self) -> StepResult {
        match &self.s.state {
            State::Idle if self.s.has_process => {
                return rejected("The session is already running and waits for your message");
            }
            State::Launching { .. } => return rejected("The session is already starting"),
            State::Stopping { then: AfterStop::Relaunch } => return rejected("The session is already restarting"),
            State::Retrying { until: Some(_) } => {
                self.s.nudges = vec![Nudge::TryAgain];
                self.nudge("Retrying");
            }
            state if state.is_working() => return rejected("The session is already working"),
            State::Stopping { .. } => {
                self.set_state(
                    State::Stopping { then: AfterStop::Relaunch },
                    "Restarting: you resumed the session while it was stopping",
                );
            }
            _ => {
                self.nudge_later(Nudge::Woken);
                self.enqueue(Kind::Manual, "Waiting its turn");
            }
        }
        self.s.stopped_by_user = false;
        (self.s.tries, self.s.limits, self.s.loops) = (0, 0, 0);
        Ok(())
    }

    pub(super) fn stop(&mut self, by_user: bool) -> StepResult {
        match self.s.state {
            State::Draft => return rejected("The session hasn't been started"),
            State::Finished | State::Archived | State::Closed => return rejected("The session has ended"),
            State::Stopped { by_user: before } | State::Stopping { then: AfterStop::Stop { by_user: before } }
                if before || !by_user =>
            {
                return rejected("The session is already stopped");
            }
            _ => {}
        }
        let unsent: Vec<PromptId> = take(&mut self.s.waiting).into();
        if !unsent.is_empty() {
            self.effects.push(Effect::Unsent { ids: unsent });
        }
        self.s.stopped_by_user |= by_user;
        self.begin_stop(AfterStop::Stop { by_user }, if by_user { "Stopped by you" } else { "Stopped by a script" });
        self.s.turn = None;
        self.s.nudges.clear();
        self.s.decided.clear();
        self.s.resend = None;
        Ok(())
    }

    pub(super) fn suspend(&mut self, then: AfterStop) -> StepResult {
        match &self.s.state {
            State::Paused if then != AfterStop::Pause => {}
            State::Snoozed { .. } => {}
            State::Stopping { then: AfterStop::Relaunch | AfterStop::Pause | AfterStop::Snooze { .. } } => {}
            State::Queued { .. } | State::Launching { .. } | State::Idle | State::Parked { .. } => {}
            state if state.is_working() => {}
            _ => return rejected("Only a running, ready, or queued session can be paused or snoozed"),
        }
        let why = if matches!(then, AfterStop::Snooze { .. }) {
            "You snoozed this session"
        } else {
            "You paused this session"
        };
        self.begin_stop(then, why);
        Ok(())
    }

    pub(super) fn finish(&mut self) -> StepResult {
        if self.s.state != State::Idle {
            return rejected("Only a ready session can be finished");
        }
        self.drop_process();
        self.s.need = None;
        self.set_state(State::Finished, "Work complete");
        Ok(())
    }

    pub(super) fn retire(&mut self, then: AfterStop) -> StepResult {
        match (&self.s.state, then) {
            (State::Archived, _) | (State::Closed, AfterStop::Close) => {
                rejected("The session is already archived or closed")
            }
            (State::Stopping { then: before }, _) if *before == then => {
                rejected("The session is already being archived or closed")
            }
            _ => {
                let why = match then {
                    AfterStop::Archive if self.s.archive_when_done => "Archived by a session",
                    AfterStop::Archive => "Archived by you",
                    _ => "You closed this session",
                };
                self.begin_stop(then, why);
                Ok(())
            }
        }
    }

    pub(super) fn mark_routine(&mut self) -> StepResult {
        match &mut self.s.turn {
            Some(turn) if self.s.state.is_working() => {
                turn.is_routine = true;
                Ok(())
            }
            _ => rejected("No turn is in progress"),
        }
    }

    pub(super) fn answer(&mut self, id: &str, allow: bool) -> StepResult {
        let Some(at) = self.s.open.iter().position(|open| open.id == id) else {
            return rejected("No open request has this id: it was answered or canceled");
        };
        let open = self.s.open.remove(at);
        let verdict = if allow { Verdict::Allowed } else { Verdict::Denied };
        if open.is_lost {
            self.s.decided.push((open.id.clone(), allow));
            self.s.nudges.push(Nudge::Answered { id: open.id, allow });
        } else {
            self.s.unheard.push((open.id.clone(), allow));
            self.effects.push(Effect::Answer { id: open.id, verdict });
        }
        if matches!(self.s.state, State::AwaitingPermission | State::AwaitingInput) {
            self.continue_after_request();
        }
        Ok(())
    }
}
