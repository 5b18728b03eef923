//! What people and callers do to a session.

use super::step::{Taken, Work, ignored};
use super::*;
use std::mem::take;

impl Work<'_> {
    pub(super) fn prompt(&mut self, id: PromptId, by: By) -> Taken {
        if id <= self.s.last_prompt {
            return ignored("This message was already accepted");
        }
        if by == By::Person {
            self.s.stopped_by_user = false;
            (self.s.tries, self.s.limits, self.s.loops) = (0, 0, 0);
        } else if self.s.stopped_by_user {
            return ignored("You stopped this session, so only you can resume it");
        } else if let State::Archived
        | State::Closed
        | State::Stopping { then: Then::Archive | Then::Close | Then::Stop { .. } } = self.s.state
        {
            return ignored("The session has ended; only you can reopen it");
        }
        self.s.last_prompt = id;
        self.s.archive_when_done = false;
        self.s.waiting.push_back(id);
        let kind = match by {
            By::Person => Kind::Manual,
            By::Other if self.s.launch == 0 => Kind::Spawn,
            By::Other => Kind::Return,
        };
        match &self.s.state {
            State::Idle if self.s.has_process => {
                self.next_prompt();
            }
            State::Paused | State::Snoozed { .. } if by == By::Other => {}
            // The pause of a failing start is the service's, not the person's: only Start cuts it short.
            State::Queued { why: Waits::Backoff { .. } } => {}
            State::Queued { .. } if by == By::Person => self.effects.push(Effect::Enqueue { kind }),
            State::Stopping { then } if by == By::Person && *then != Then::Relaunch => {
                self.forget_work();
                self.go(
                    State::Stopping { then: Then::Relaunch },
                    "Restarting: you sent a message while the session was stopping",
                );
            }
            State::Queued { .. } | State::Launching { .. } | State::Parked { .. } | State::Stopping { .. } => {}
            state if state.is_working() => {}
            _ => {
                self.forget_work();
                self.enqueue(kind, "Waiting its turn");
            }
        }
        Ok(())
    }

    /// Takes a prompt back. One that waits to be started for nothing else starts all the same: it then waits for the next prompt.
    pub(super) fn withdraw(&mut self, id: PromptId) -> Taken {
        let Some(at) = self.s.waiting.iter().position(|waiting| *waiting == id) else {
            return ignored("This message is no longer queued: it was sent or removed");
        };
        self.s.waiting.remove(at);
        self.effects.push(Effect::Unsent { ids: vec![id] });
        Ok(())
    }

    pub(super) fn start(&mut self) -> Taken {
        match &self.s.state {
            State::Idle if self.s.has_process => {
                return ignored("The session is already running and waits for your message");
            }
            State::Launching { .. } => return ignored("The session is already starting"),
            State::Stopping { then: Then::Relaunch } => return ignored("The session is already restarting"),
            State::Retrying { until: Some(_) } => {
                self.s.nudges = vec![Nudge::TryAgain];
                self.nudge("Retrying");
            }
            state if state.is_working() => return ignored("The session is already working"),
            State::Stopping { .. } => {
                self.go(
                    State::Stopping { then: Then::Relaunch },
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

    pub(super) fn stop(&mut self, by_user: bool) -> Taken {
        match self.s.state {
            State::Draft => return ignored("The session hasn't been started"),
            State::Finished | State::Archived | State::Closed => return ignored("The session has ended"),
            State::Stopped { by_user: before } | State::Stopping { then: Then::Stop { by_user: before } }
                if before || !by_user =>
            {
                return ignored("The session is already stopped");
            }
            _ => {}
        }
        let unsent: Vec<PromptId> = take(&mut self.s.waiting).into();
        if !unsent.is_empty() {
            self.effects.push(Effect::Unsent { ids: unsent });
        }
        self.s.stopped_by_user |= by_user;
        self.leave(Then::Stop { by_user }, if by_user { "Stopped by you" } else { "Stopped by a script" });
        self.s.turn = None;
        self.s.nudges.clear();
        self.s.decided.clear();
        self.s.resend = None;
        Ok(())
    }

    pub(super) fn put_aside(&mut self, then: Then) -> Taken {
        match &self.s.state {
            State::Paused if then != Then::Pause => {}
            State::Snoozed { .. } => {}
            State::Stopping { then: Then::Relaunch | Then::Pause | Then::Snooze { .. } } => {}
            State::Queued { .. } | State::Launching { .. } | State::Idle | State::Parked { .. } => {}
            state if state.is_working() => {}
            _ => return ignored("Only a running, ready, or queued session can be paused or snoozed"),
        }
        let why =
            if matches!(then, Then::Snooze { .. }) { "You snoozed this session" } else { "You paused this session" };
        self.leave(then, why);
        Ok(())
    }

    pub(super) fn finish(&mut self) -> Taken {
        if self.s.state != State::Idle {
            return ignored("Only a ready session can be finished");
        }
        self.drop_process();
        self.s.need = None;
        self.go(State::Finished, "Work complete");
        Ok(())
    }

    pub(super) fn put_away(&mut self, then: Then) -> Taken {
        match (&self.s.state, then) {
            (State::Archived, _) | (State::Closed, Then::Close) => ignored("The session is already archived or closed"),
            (State::Stopping { then: before }, _) if *before == then => {
                ignored("The session is already being archived or closed")
            }
            _ => {
                let why = match then {
                    Then::Archive if self.s.archive_when_done => "Archived by a session",
                    Then::Archive => "Archived by you",
                    _ => "You closed this session",
                };
                self.leave(then, why);
                Ok(())
            }
        }
    }

    pub(super) fn answered(&mut self, id: &str, allow: bool) -> Taken {
        let Some(at) = self.s.open.iter().position(|open| open.id == id) else {
            return ignored("No open request has this id: it was answered or canceled");
        };
        let open = self.s.open.remove(at);
        let verdict = if allow { Verdict::Allowed } else { Verdict::Refused };
        if open.is_lost {
            self.s.decided.push((open.id.clone(), allow));
            self.s.nudges.push(Nudge::Answered { id: open.id, allow });
        } else {
            self.s.unheard.push((open.id.clone(), allow));
            self.effects.push(Effect::Answer { id: open.id, verdict });
        }
        if matches!(self.s.state, State::AwaitingPermission | State::AwaitingInput) {
            self.go_on_awaiting();
        }
        Ok(())
    }
}
