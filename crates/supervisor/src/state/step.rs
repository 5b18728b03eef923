//! One step: what every rule is made of, and what the queue and the program do to a session.

use super::*;
use std::mem::take;

/// What an input leads to, or why it leads to nothing.
pub fn step(session: &Session, input: &Input, at: &Moment, rules: &Recovery) -> Result<Step, Ignored> {
    let mut work = Work { s: session.clone(), effects: Vec::new(), at, rules };
    work.take_in(input)?;
    // A sign of life alone is not worth a write.
    let is_sign = matches!(input, Input::Engine { told: Told::Alive, .. }) && work.s.state == session.state;
    let is_worth_it = !is_sign && work.s != *session;
    if is_worth_it || !work.effects.is_empty() {
        work.effects.insert(0, Effect::Journal);
    }
    Ok(Step { session: work.s, effects: work.effects })
}

/// Takes in a sign of life of a launch where nothing else follows from it; else [`step`] is to be asked. The same as a step, but
/// without a copy of the session for each word of an engine.
pub fn sign(session: &mut Session, launch: u32, now: i64) -> bool {
    let changes_state =
        matches!(session.state, State::Launching { .. } | State::Stopping { .. } | State::Retrying { until: None });
    if launch != session.launch || !session.has_process || changes_state {
        return false;
    }
    session.heard(now);
    true
}

pub(super) type Taken = Result<(), Ignored>;

pub(super) fn ignored(why: impl Into<String>) -> Taken {
    Err(Ignored { why: why.into() })
}

/// One step being worked out.
pub(super) struct Work<'a> {
    pub(super) s: Session,
    pub(super) effects: Vec<Effect>,
    pub(super) at: &'a Moment,
    pub(super) rules: &'a Recovery,
}

impl Work<'_> {
    fn take_in(&mut self, input: &Input) -> Taken {
        // After `Closing` the work stands still until the program starts again.
        let is_at_work = self.s.state.is_working() || matches!(self.s.state, State::Launching { .. });
        if is_at_work
            && !self.s.has_process
            && matches!(
                input,
                Input::Start
                    | Input::StartAnew
                    | Input::Answered { .. }
                    | Input::LoginChecked { .. }
                    | Input::LoopFound { .. }
                    | Input::Tick
            )
        {
            return ignored("Pilothouse is closing");
        }
        match input {
            Input::Prompt { id, by } => self.prompt(*id, *by),
            Input::Withdraw { id } => self.withdraw(*id),
            Input::Start => self.start(),
            Input::StartAnew => {
                self.start()?;
                self.s.can_resume = false;
                Ok(())
            }
            Input::Stop { by_user } => self.stop(*by_user),
            Input::Pause => self.put_aside(Then::Pause),
            Input::Snooze { until } => self.put_aside(Then::Snooze { until: *until }),
            Input::Finish => self.finish(),
            Input::Archive => {
                self.s.archive_when_done = false;
                self.put_away(Then::Archive)
            }
            Input::ArchiveWhenDone => {
                self.s.archive_when_done = true;
                if self.s.state.is_working() { Ok(()) } else { self.put_away(Then::Archive) }
            }
            Input::Close => self.put_away(Then::Close),
            Input::Answered { id, allow } => self.answered(id, *allow),
            Input::Repeated { id } => {
                self.s.decided.retain(|(one, _)| one != id);
                Ok(())
            }
            Input::Admitted => self.admitted(),
            Input::Held { why } => self.held(*why),
            Input::Engine { launch, told } => self.told(*launch, told),
            Input::LoginChecked { is_logged_in } => self.login_checked(*is_logged_in),
            Input::LoopFound { what } => self.loop_found(what),
            Input::Revive => self.revive(),
            Input::Tick => {
                self.tick();
                Ok(())
            }
            Input::Closing => {
                // The state stays as it is: at the next start it says what the session was doing.
                self.drop_process();
                Ok(())
            }
            Input::Started { crashed } => {
                self.started(*crashed);
                Ok(())
            }
        }
    }

    // What every rule is made of.

    pub(super) fn go(&mut self, state: State, why: impl Into<String>) {
        self.s.state = state;
        self.s.evidence = Evidence { why: why.into(), since: self.at.now };
    }

    pub(super) fn need(&mut self, need: Need) {
        self.s.need = Some(need.clone());
        self.effects.push(Effect::AskPerson { need });
    }

    pub(super) fn enqueue(&mut self, kind: Kind, why: &str) {
        self.s.need = None;
        self.go(State::Queued { why: Waits::Spacing }, why);
        self.effects.push(Effect::Enqueue { kind });
    }

    pub(super) fn drop_process(&mut self) {
        if take(&mut self.s.has_process) {
            self.effects.push(Effect::KillTree);
        }
    }

    /// What is asked has no use any more, answered or not.
    pub(super) fn withdraw_open(&mut self) {
        for open in take(&mut self.s.open) {
            self.effects.push(Effect::Answer { id: open.id, verdict: Verdict::Cancelled });
        }
    }

    /// The engine is ready for more: the next prompt, or nothing to do.
    pub(super) fn next_prompt(&mut self) -> bool {
        let Some(id) = self.s.waiting.pop_front() else { return false };
        self.s.turn = Some(Turn::new(id, self.at.now));
        self.s.need = None;
        self.effects.push(Effect::SendPrompt { id, resend: None, nudges: Vec::new() });
        self.go(State::Running, "Working on your message");
        true
    }

    /// Lets the engine go on with the turn that it remembers.
    pub(super) fn nudge(&mut self, why: &str) {
        let nudges = take(&mut self.s.nudges);
        let mut turn = self.s.turn.take().unwrap_or_else(|| Turn::new(self.s.last_prompt, self.at.now));
        turn = Turn { was_silent: turn.was_silent, ..Turn::new(turn.prompt, self.at.now) };
        self.s.turn = Some(turn);
        self.s.need = None;
        self.effects.push(Effect::Nudge { nudges });
        self.go(State::Running, why);
    }

    /// Sends a turn's prompt a second time, with a note that says why.
    pub(super) fn send_again(&mut self, turn: &Turn, note: Note) {
        let nudges = take(&mut self.s.nudges);
        let was_silent = turn.was_silent || note == Note::Silent;
        self.s.turn = Some(Turn { was_silent, ..Turn::new(turn.prompt, self.at.now) });
        self.s.need = None;
        self.effects.push(Effect::SendPrompt { id: turn.prompt, resend: Some(note), nudges });
        self.go(State::Running, "Working on your message again");
    }

    /// Remembers to say so once the engine is open, where there is work to go on with.
    pub(super) fn nudge_later(&mut self, nudge: Nudge) {
        if self.s.turn.is_some() && self.s.nudges.is_empty() && self.s.open.is_empty() {
            self.s.nudges.push(nudge);
        }
    }

    /// What was under way is given up for what the person wants now.
    pub(super) fn forget_work(&mut self) {
        self.withdraw_open();
        self.s.unheard.clear();
        self.s.decided.clear();
        self.s.turn = None;
        self.s.nudges.clear();
        self.s.resend = None;
    }

    /// Ends the processes, then settles; at once where there are none.
    pub(super) fn leave(&mut self, then: Then, why: &str) {
        self.withdraw_open();
        self.s.need = None;
        if matches!(self.s.state, State::Queued { .. }) {
            self.effects.push(Effect::Dequeue);
        }
        if !self.s.has_process {
            return self.settle(then, why);
        }
        if !matches!(self.s.state, State::Stopping { .. }) {
            if self.s.turn.is_some() {
                self.effects.push(Effect::Cancel);
            }
            self.effects.push(Effect::KillTree);
        }
        self.go(State::Stopping { then }, why);
    }

    /// Nothing of it runs any more.
    pub(super) fn settle(&mut self, then: Then, why: &str) {
        self.s.has_process = false;
        match then {
            Then::Stop { by_user } => self.go(State::Stopped { by_user }, why),
            Then::Archive => self.go(State::Archived, why),
            Then::Close => self.go(State::Closed, why),
            Then::Relaunch => self.enqueue(Kind::Return, why),
            Then::Pause => self.go(State::Paused, why),
            Then::Snooze { until } => self.go(State::Snoozed { until }, why),
        }
        if matches!(then, Then::Pause | Then::Snooze { .. } | Then::Close) {
            self.nudge_later(Nudge::Woken);
        }
    }

    pub(super) fn fail(&mut self, failure: Failure, detail: &str, why: impl Into<String>) {
        self.withdraw_open();
        self.drop_process();
        self.go(State::Failed { failure: failure.clone(), detail: detail.to_owned() }, why);
        self.nudge_later(Nudge::TryAgain);
        self.need(Need::Failed { failure });
    }

    /// To the next request that is open, or back to work.
    pub(super) fn go_on_awaiting(&mut self) {
        self.s.need = None;
        if let Some(open) = self.s.open.first() {
            let state = match open.asks {
                Asks::Permission => State::AwaitingPermission,
                Asks::Value => State::AwaitingInput,
            };
            self.s.need = Some(need_of(open));
            let why = match open.asks {
                Asks::Permission => "Wants to use a tool",
                Asks::Value => "Asked for a value",
            };
            self.go(state, why);
        } else if let Some(note) = self.s.resend.filter(|_| !self.s.nudges.is_empty())
            && let Some(turn) = self.s.turn.clone()
        {
            self.s.resend = None;
            self.send_again(&turn, note);
        } else if !self.s.nudges.is_empty() {
            self.nudge("You answered");
        } else if let Some(turn) = &mut self.s.turn {
            turn.last_sign = self.at.now;
            self.go(State::Running, "Working on your message");
        } else if !self.next_prompt() {
            self.go(State::Idle, "Waiting for your message");
        }
    }

    // What the queue, the rules and the program do.

    fn admitted(&mut self) -> Taken {
        match self.s.state {
            State::Queued { why: Waits::Backoff { .. } } => ignored("Waiting to retry"),
            State::Queued { .. } => {
                self.launch();
                Ok(())
            }
            _ => ignored("The session isn't queued"),
        }
    }

    pub(super) fn launch(&mut self) {
        let how = if self.s.can_resume { How::Resume } else { How::New };
        self.s.launch += 1;
        self.s.has_process = true;
        self.effects.push(Effect::Launch { how, launch: self.s.launch });
        let why = if how == How::Resume { "Resuming the engine" } else { "Starting the engine" };
        self.go(State::Launching { how }, why);
    }

    fn held(&mut self, why: Waits) -> Taken {
        match self.s.state {
            State::Queued { why: Waits::Backoff { .. } } => return ignored("Waiting to retry"),
            State::Queued { why: before } if before == why => return Ok(()),
            State::Queued { .. } => {}
            _ => return ignored("The session isn't queued"),
        }
        let words = match why {
            Waits::Memory => "Waiting for memory (sessionMemoryGuardPercent)",
            Waits::Concurrency => "Waiting for a free slot (agentDrivenMaxConcurrent)",
            Waits::SpawnSpacing => "Waiting its turn (cliSpawnSpacingSeconds)",
            Waits::Spacing => "Waiting its turn (sessionRestartSpacingSeconds)",
            Waits::Backoff { .. } => "Waiting to retry",
        };
        self.go(State::Queued { why }, words);
        Ok(())
    }

    fn revive(&mut self) -> Taken {
        if self.s.stopped_by_user {
            return ignored("You stopped this session, so only you can resume it");
        }
        match self.s.state {
            _ if self.s.need.is_some() || !self.s.open.is_empty() => ignored("The session needs your answer"),
            State::Interrupted { .. } | State::Paused | State::Closed => {
                self.nudge_later(Nudge::Woken);
                self.enqueue(Kind::Return, "Reviving automatically (sessionRefillTargetCount)");
                Ok(())
            }
            _ => ignored("Only an interrupted, paused, or closed session can be revived"),
        }
    }

    fn started(&mut self, crashed: bool) {
        let by = if crashed { Interruption::Crash } else { Interruption::AppClose };
        let had_process = match &self.s.state {
            State::Launching { .. } => true,
            // An idle one whose process was ended by the program's close was active all the same.
            State::Idle => self.s.launch > 0,
            state => state.is_working(),
        };
        self.s.has_process = false;
        match self.s.state {
            State::Queued { why: Waits::Backoff { .. } } => {}
            State::Queued { .. } => self.effects.push(Effect::Enqueue { kind: Kind::Return }),
            State::Stopping { then } => self.settle(then, "Pilothouse closed while ending the session"),
            _ if had_process => self.cut_off(by),
            _ => {}
        }
    }

    /// Its process is gone though nobody ended it.
    pub(super) fn cut_off(&mut self, by: Interruption) {
        self.s.open.iter_mut().for_each(|open| open.is_lost = true);
        // An answer that may not have got to the process goes to its successor.
        for (id, allow) in take(&mut self.s.unheard) {
            self.s.decided.push((id.clone(), allow));
            self.s.nudges.push(Nudge::Answered { id, allow });
        }
        if self.s.resend.is_none() {
            self.nudge_later(Nudge::Continue { after: by });
        }
        if self.rules.auto_resume_on_crash {
            self.enqueue(Kind::Return, "Interrupted; resuming (autoResumeOnCrash)");
        } else {
            self.s.need = None;
            let why = match by {
                Interruption::AppClose => "Pilothouse was closed (autoResumeOnCrash is off)",
                _ => "Pilothouse or the engine crashed (autoResumeOnCrash is off)",
            };
            self.go(State::Interrupted { by }, why);
        }
    }
}

pub(super) fn need_of(open: &Open) -> Need {
    match open.asks {
        Asks::Permission => Need::Permission { id: open.id.clone() },
        Asks::Value => Need::Value { id: open.id.clone() },
    }
}
