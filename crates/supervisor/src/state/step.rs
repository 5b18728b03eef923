//! One step: the building blocks of all rules, and the inputs from the queue and the program.

use super::*;
use std::mem::take;

/// Applies an input to a session. An input that isn't possible in the session's state is rejected with a reason.
pub fn step(session: &Session, input: &Input, at: &StepContext, rules: &Recovery) -> Result<Step, Rejection> {
    let mut work = Transition { s: session.clone(), effects: Vec::new(), at, rules };
    work.apply(input)?;
    // Activity alone isn't worth a write.
    let is_sign = matches!(input, Input::Engine { event: EngineEvent::Alive, .. }) && work.s.state == session.state;
    let is_worth_it = !is_sign && work.s != *session;
    if is_worth_it || !work.effects.is_empty() {
        work.effects.insert(0, Effect::Journal);
    }
    Ok(Step { session: work.s, effects: work.effects })
}

/// Records activity of a launch if it changes nothing else; otherwise returns false, and [`step`] decides. Does the
/// same as a step, but without copying the session for each word of an engine.
pub fn sign(session: &mut Session, launch: u32, now: i64) -> bool {
    let changes_state =
        matches!(session.state, State::Launching { .. } | State::Stopping { .. } | State::Retrying { until: None });
    if launch != session.launch || !session.has_process || changes_state {
        return false;
    }
    session.record_activity(now);
    true
}

/// The result of a rule: changes are in the [`Transition`].
pub(super) type StepResult = Result<(), Rejection>;

pub(super) fn rejected(why: impl Into<String>) -> StepResult {
    Err(Rejection { why: why.into() })
}

/// A step in progress: the changed session and the effects so far.
pub(super) struct Transition<'a> {
    pub(super) s: Session,
    pub(super) effects: Vec<Effect>,
    pub(super) at: &'a StepContext,
    pub(super) rules: &'a Recovery,
}

impl Transition<'_> {
    fn apply(&mut self, input: &Input) -> StepResult {
        // After `Closing`, the session doesn't change until the program starts again.
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
            return rejected("Pilothouse is closing");
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
            Input::Pause => self.suspend(AfterStop::Pause),
            Input::Snooze { until } => self.suspend(AfterStop::Snooze { until: *until }),
            Input::Finish => self.finish(),
            Input::Archive => {
                self.s.archive_when_done = false;
                self.retire(AfterStop::Archive)
            }
            Input::ArchiveWhenDone => {
                self.s.archive_when_done = true;
                if self.s.state.is_working() { Ok(()) } else { self.retire(AfterStop::Archive) }
            }
            Input::Close => self.retire(AfterStop::Close),
            Input::MarkRoutine => self.mark_routine(),
            Input::Answered { id, allow } => self.answer(id, *allow),
            Input::Repeated { id } => {
                self.s.decided.retain(|(one, _)| one != id);
                Ok(())
            }
            Input::Admitted => self.admit(),
            Input::Held { why } => self.hold(*why),
            Input::Engine { launch, event } => self.on_engine_event(*launch, event),
            Input::LoginChecked { is_logged_in } => self.on_login_checked(*is_logged_in),
            Input::LoopFound { what } => self.on_loop_found(what),
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
            Input::Restored => {
                self.on_restore();
                Ok(())
            }
            Input::Started { crashed } => {
                self.on_program_start(*crashed);
                Ok(())
            }
        }
    }

    // Shared by all rules.

    /// Enters a state, with the reason for it.
    pub(super) fn set_state(&mut self, state: State, why: impl Into<String>) {
        self.s.state = state;
        self.s.evidence = StateReason { why: why.into(), since: self.at.now };
    }

    /// Records that the session needs the user, and posts an inbox row.
    pub(super) fn require_attention(&mut self, need: AttentionReason) {
        self.s.need = Some(need.clone());
        self.effects.push(Effect::AskUser { need });
    }

    pub(super) fn enqueue(&mut self, kind: Kind, why: &str) {
        self.s.need = None;
        self.set_state(State::Queued { why: QueueReason::Spacing }, why);
        self.effects.push(Effect::Enqueue { kind });
    }

    pub(super) fn drop_process(&mut self) {
        if take(&mut self.s.has_process) {
            self.effects.push(Effect::KillTree);
        }
    }

    /// Cancels all pending requests: their answers have no use anymore.
    pub(super) fn cancel_requests(&mut self) {
        for open in take(&mut self.s.open) {
            self.effects.push(Effect::Answer { id: open.id, verdict: Verdict::Cancelled });
        }
    }

    /// Sends the next queued prompt, if there is one.
    pub(super) fn next_prompt(&mut self) -> bool {
        let Some(id) = self.s.waiting.pop_front() else { return false };
        self.s.turn = Some(Turn::new(id, self.at.now));
        self.s.need = None;
        self.effects.push(Effect::SendPrompt { id, resend: None, nudges: Vec::new() });
        self.set_state(State::Running, "Working on your message");
        true
    }

    /// Has the engine continue the turn that it remembers.
    pub(super) fn nudge(&mut self, why: &str) {
        let nudges = take(&mut self.s.nudges);
        let mut turn = self.s.turn.take().unwrap_or_else(|| Turn::new(self.s.last_prompt, self.at.now));
        let (was_silent, is_routine) = (turn.was_silent, turn.is_routine);
        turn = Turn { was_silent, is_routine, ..Turn::new(turn.prompt, self.at.now) };
        self.s.turn = Some(turn);
        self.s.need = None;
        self.effects.push(Effect::Nudge { nudges });
        self.set_state(State::Running, why);
    }

    /// Sends a turn's prompt a second time, with a note that says why.
    pub(super) fn resend(&mut self, turn: &Turn, note: ResendReason) {
        let nudges = take(&mut self.s.nudges);
        let was_silent = turn.was_silent || note == ResendReason::Silent;
        let is_routine = turn.is_routine;
        self.s.turn = Some(Turn { was_silent, is_routine, ..Turn::new(turn.prompt, self.at.now) });
        self.s.need = None;
        self.effects.push(Effect::SendPrompt { id: turn.prompt, resend: Some(note), nudges });
        self.set_state(State::Running, "Working on your message again");
    }

    /// Queues a nudge for when the engine is open, if there is work to continue.
    pub(super) fn nudge_later(&mut self, nudge: Nudge) {
        if self.s.turn.is_some() && self.s.nudges.is_empty() && self.s.open.is_empty() {
            self.s.nudges.push(nudge);
        }
    }

    /// Drops the work in progress in favor of a new message.
    pub(super) fn drop_work(&mut self) {
        self.cancel_requests();
        self.s.unheard.clear();
        self.s.decided.clear();
        self.s.turn = None;
        self.s.nudges.clear();
        self.s.resend = None;
    }

    /// Ends the processes, then settles; settles at once where there are none.
    pub(super) fn begin_stop(&mut self, then: AfterStop, why: &str) {
        self.cancel_requests();
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
        self.set_state(State::Stopping { then }, why);
    }

    /// Enters the state planned for after the processes' end.
    pub(super) fn settle(&mut self, then: AfterStop, why: &str) {
        self.s.has_process = false;
        match then {
            AfterStop::Stop { by_user } => self.set_state(State::Stopped { by_user }, why),
            AfterStop::Archive => self.set_state(State::Archived, why),
            AfterStop::Close => self.set_state(State::Closed, why),
            AfterStop::Relaunch => self.enqueue(Kind::Return, why),
            AfterStop::Pause => self.set_state(State::Paused, why),
            AfterStop::Snooze { until } => self.set_state(State::Snoozed { until }, why),
        }
        if matches!(then, AfterStop::Pause | AfterStop::Snooze { .. } | AfterStop::Close) {
            self.nudge_later(Nudge::Woken);
        }
    }

    pub(super) fn fail(&mut self, failure: Failure, detail: &str, why: impl Into<String>) {
        self.cancel_requests();
        self.drop_process();
        self.set_state(State::Failed { failure: failure.clone(), detail: detail.to_owned() }, why);
        self.nudge_later(Nudge::TryAgain);
        self.require_attention(AttentionReason::Failed { failure });
    }

    /// Presents the next pending request, or goes back to work.
    pub(super) fn continue_after_request(&mut self) {
        self.s.need = None;
        if let Some(open) = self.s.open.first() {
            let state = match open.asks {
                RequestKind::Permission => State::AwaitingPermission,
                RequestKind::Value => State::AwaitingInput,
            };
            self.s.need = Some(attention_reason(open));
            let why = match open.asks {
                RequestKind::Permission => "Wants to use a tool",
                RequestKind::Value => "Asked a question",
            };
            self.set_state(state, why);
        } else if let Some(note) = self.s.resend.filter(|_| !self.s.nudges.is_empty())
            && let Some(turn) = self.s.turn.clone()
        {
            self.s.resend = None;
            self.resend(&turn, note);
        } else if !self.s.nudges.is_empty() {
            self.nudge("You answered");
        } else if let Some(turn) = &mut self.s.turn {
            turn.last_sign = self.at.now;
            self.set_state(State::Running, "Working on your message");
        } else if !self.next_prompt() {
            self.set_state(State::Idle, "Waiting for your message");
        }
    }

    // Inputs from the queue, the rules, and the program.

    fn admit(&mut self) -> StepResult {
        match self.s.state {
            State::Queued { why: QueueReason::Backoff { .. } } => rejected("Waiting to retry"),
            State::Queued { .. } => {
                self.launch();
                Ok(())
            }
            _ => rejected("The session isn't queued"),
        }
    }

    pub(super) fn launch(&mut self) {
        let how = if self.s.can_resume { LaunchMode::Resume } else { LaunchMode::New };
        self.s.launch += 1;
        self.s.has_process = true;
        self.effects.push(Effect::Launch { how, launch: self.s.launch });
        let why = if how == LaunchMode::Resume { "Resuming the engine" } else { "Starting the engine" };
        self.set_state(State::Launching { how }, why);
    }

    fn hold(&mut self, why: QueueReason) -> StepResult {
        match self.s.state {
            State::Queued { why: QueueReason::Backoff { .. } } => return rejected("Waiting to retry"),
            State::Queued { why: before } if before == why => return Ok(()),
            State::Queued { .. } => {}
            _ => return rejected("The session isn't queued"),
        }
        let words = match why {
            QueueReason::Memory => "Waiting for memory (sessionMemoryGuardPercent)",
            QueueReason::Concurrency => "Waiting for a free slot (agentDrivenMaxConcurrent)",
            QueueReason::SpawnSpacing => "Waiting its turn (cliSpawnSpacingSeconds)",
            QueueReason::Spacing => "Waiting its turn (sessionRestartSpacingSeconds)",
            QueueReason::Backoff { .. } => "Waiting to retry",
        };
        self.set_state(State::Queued { why }, words);
        Ok(())
    }

    fn revive(&mut self) -> StepResult {
        if self.s.stopped_by_user {
            return rejected("You stopped this session, so only you can resume it");
        }
        match self.s.state {
            _ if self.s.need.is_some() || !self.s.open.is_empty() => rejected("The session needs your answer"),
            State::Interrupted { .. } | State::Paused | State::Closed => {
                self.nudge_later(Nudge::Woken);
                self.enqueue(Kind::Return, "Reviving automatically (sessionRefillTargetCount)");
                Ok(())
            }
            _ => rejected("Only an interrupted, paused, or closed session can be revived"),
        }
    }

    fn on_program_start(&mut self, crashed: bool) {
        let by = if crashed { Interruption::Crash } else { Interruption::AppClose };
        let had_process = match &self.s.state {
            State::Launching { .. } => true,
            // An idle session whose process was ended by closing the program counts as active.
            State::Idle => self.s.launch > 0,
            state => state.is_working(),
        };
        self.s.has_process = false;
        match self.s.state {
            State::Queued { why: QueueReason::Backoff { .. } } => {}
            State::Queued { .. } => self.effects.push(Effect::Enqueue { kind: Kind::Return }),
            State::Stopping { then } => self.settle(then, "Pilothouse closed while ending the session"),
            _ if had_process => self.interrupt(by),
            _ => {}
        }
    }

    /// Interrupts whatever would go on automatically: where the backup was made, the session may still run in the same
    /// folder.
    fn on_restore(&mut self) {
        self.s.has_process = false;
        match &self.s.state {
            State::Stopping { then } => {
                let then = *then;
                self.settle(then, "Pilothouse closed while ending the session");
            }
            State::Queued { .. } | State::Parked { .. } | State::Snoozed { .. } => {
                self.s.need = None;
                self.set_state(State::Interrupted { by: Interruption::Restore }, RESTORED);
            }
            State::Launching { .. } => self.interrupt(Interruption::Restore),
            State::Idle if self.s.launch > 0 => self.interrupt(Interruption::Restore),
            state if state.is_working() => self.interrupt(Interruption::Restore),
            _ => {}
        }
    }

    /// Handles a process that ended unexpectedly.
    pub(super) fn interrupt(&mut self, by: Interruption) {
        self.s.open.iter_mut().for_each(|open| open.is_lost = true);
        // Answers that may not have reached the process are sent to its successor.
        for (id, allow) in take(&mut self.s.unheard) {
            self.s.decided.push((id.clone(), allow));
            self.s.nudges.push(Nudge::Answered { id, allow });
        }
        if self.s.resend.is_none() {
            self.nudge_later(Nudge::Continue { after: by });
        }
        if self.rules.auto_resume_on_crash && by != Interruption::Restore {
            self.enqueue(Kind::Return, "Interrupted; resuming (autoResumeOnCrash)");
        } else {
            self.s.need = None;
            let why = match by {
                Interruption::AppClose => "Pilothouse was closed (autoResumeOnCrash is off)",
                Interruption::Restore => RESTORED,
                _ => "Pilothouse or the engine crashed (autoResumeOnCrash is off)",
            };
            self.set_state(State::Interrupted { by }, why);
        }
    }
}

/// The reason of sessions in a restored backup.
const RESTORED: &str = "Restored from a backup";

pub(super) fn attention_reason(open: &PendingRequest) -> AttentionReason {
    match open.asks {
        RequestKind::Permission => AttentionReason::Permission { id: open.id.clone() },
        RequestKind::Value => AttentionReason::Value { id: open.id.clone() },
    }
}
