//! What people and callers do to a session.

use super::step::{Taken, Work, ignored};
use super::*;
use std::mem::take;

impl Work<'_> {
    pub(super) fn prompt(&mut self, id: PromptId, by: By) -> Taken {
        if id <= self.s.last_prompt {
            return ignored("This prompt was taken before");
        }
        if by == By::Person {
            self.s.stopped_by_user = false;
            (self.s.tries, self.s.limits, self.s.loops) = (0, 0, 0);
        } else if self.s.stopped_by_user {
            return ignored("You stopped this session, so only you can start it again");
        } else if let State::Archived
        | State::Closed
        | State::Stopping { then: Then::Archive | Then::Close | Then::Stop { .. } } = self.s.state
        {
            return ignored("The session was ended; only you can open it again");
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
                self.go(State::Stopping { then: Then::Relaunch }, "You sent a prompt while it was being ended");
            }
            State::Queued { .. } | State::Launching { .. } | State::Parked { .. } | State::Stopping { .. } => {}
            state if state.is_working() => {}
            _ => {
                self.forget_work();
                self.enqueue(kind, "It has a prompt to work on");
            }
        }
        Ok(())
    }

    /// Takes a prompt back. One that waits to be started for nothing else starts all the same: it then waits for the next prompt.
    pub(super) fn withdraw(&mut self, id: PromptId) -> Taken {
        let Some(at) = self.s.waiting.iter().position(|waiting| *waiting == id) else {
            return ignored("This prompt does not wait any more: it was sent, or taken back before");
        };
        self.s.waiting.remove(at);
        self.effects.push(Effect::Unsent { ids: vec![id] });
        Ok(())
    }

    pub(super) fn start(&mut self) -> Taken {
        match &self.s.state {
            State::Idle if self.s.has_process => return ignored("It is ready for your prompt"),
            State::Launching { .. } => return ignored("It is being started"),
            State::Stopping { then: Then::Relaunch } => return ignored("It is being started again"),
            State::Retrying { until: Some(_) } => {
                self.s.nudges = vec![Nudge::TryAgain];
                self.nudge("You had it try again");
            }
            state if state.is_working() => return ignored("It is at work"),
            State::Stopping { .. } => {
                self.go(State::Stopping { then: Then::Relaunch }, "You started it while it was being ended");
            }
            _ => {
                self.nudge_later(Nudge::Woken);
                self.enqueue(Kind::Manual, "You started it");
            }
        }
        self.s.stopped_by_user = false;
        (self.s.tries, self.s.limits, self.s.loops) = (0, 0, 0);
        Ok(())
    }

    pub(super) fn stop(&mut self, by_user: bool) -> Taken {
        match self.s.state {
            State::Draft => return ignored("It was not started"),
            State::Finished | State::Archived | State::Closed => return ignored("It has ended"),
            State::Stopped { by_user: before } | State::Stopping { then: Then::Stop { by_user: before } }
                if before || !by_user =>
            {
                return ignored("It was stopped before");
            }
            _ => {}
        }
        let unsent: Vec<PromptId> = take(&mut self.s.waiting).into();
        if !unsent.is_empty() {
            self.effects.push(Effect::Unsent { ids: unsent });
        }
        self.s.stopped_by_user |= by_user;
        self.leave(Then::Stop { by_user }, if by_user { "You stopped it" } else { "A caller stopped it" });
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
            _ => return ignored("Only a session that runs, waits or is due to run can be put aside"),
        }
        self.leave(then, "You put it aside");
        Ok(())
    }

    pub(super) fn finish(&mut self) -> Taken {
        if self.s.state != State::Idle {
            return ignored("Only a session that waits for a prompt can be finished");
        }
        self.drop_process();
        self.s.need = None;
        self.go(State::Finished, "It was declared done");
        Ok(())
    }

    pub(super) fn put_away(&mut self, then: Then) -> Taken {
        match (&self.s.state, then) {
            (State::Archived, _) | (State::Closed, Then::Close) => ignored("It was put away before"),
            (State::Stopping { then: before }, _) if *before == then => ignored("It is just being put away"),
            _ => {
                self.leave(then, if then == Then::Archive { "It was archived" } else { "You closed it" });
                Ok(())
            }
        }
    }

    pub(super) fn answered(&mut self, id: &str, allow: bool) -> Taken {
        let Some(at) = self.s.open.iter().position(|open| open.id == id) else {
            return ignored("Nothing of this name waits for an answer: it was answered before, or withdrawn");
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
