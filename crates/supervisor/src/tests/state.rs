use crate::admission::Kind;
use crate::state::{
    AttentionReason, Effect, EngineEvent, Input, Interruption, LaunchMode, Nudge, PromptSource, QueueReason, Recovery,
    RequestKind, ResendReason, Session, State, StepContext, Verdict, step,
};
use engines::{Event, Failure, StopReason, ToolKind, ToolState, ToolUse, Transience};

const ON: Recovery = Recovery {
    auto_restart_unresponsive_sessions: true,
    auto_resume_on_crash: true,
    relentless_session_relaunch: false,
    context_stall_auto_recover_enabled: true,
    read_loop_breaker_enabled: true,
};
const OVERLOAD: Failure = Failure::Transient { what: Transience::Overload };

/// A session to whom things happen.
struct Life {
    session: Session,
    now: i64,
    rules: Recovery,
}

impl Life {
    fn new() -> Self {
        Life { session: Session::draft(false, 0), now: 0, rules: ON }
    }
    fn with(rules: Recovery) -> Self {
        Life { rules, ..Life::new() }
    }
    /// Opened, at work on prompt 1.
    fn running(rules: Recovery) -> Self {
        let mut life = Life::with(rules);
        life.on(Input::Prompt { id: 1, by: PromptSource::Person });
        life.on(Input::Admitted);
        life.open();
        assert_eq!(life.session.state, State::Running);
        life
    }
    /// Effects of an input, without the journal that goes before all of them.
    fn on(&mut self, input: Input) -> Vec<Effect> {
        let moment = StepContext { now: self.now, jitter: 0.0 };
        let done = step(&self.session, &input, &moment, &self.rules)
            .unwrap_or_else(|e| panic!("{input:?} in {:?} was ignored: {}", self.session.state, e.why));
        let is_changed = self.session.state != done.session.state;
        self.session = done.session;
        let mut effects = done.effects;
        assert!(!is_changed || effects.first() == Some(&Effect::Journal));
        effects.retain(|effect| *effect != Effect::Journal);
        effects
    }
    #[track_caller]
    fn ignores(&self, input: Input) -> String {
        let moment = StepContext { now: self.now, jitter: 0.0 };
        step(&self.session, &input, &moment, &self.rules).expect_err("it is ignored").why
    }
    fn engine(&mut self, event: EngineEvent) -> Vec<Effect> {
        self.on(Input::Engine { launch: self.session.launch, event })
    }
    fn open(&mut self) -> Vec<Effect> {
        self.engine(EngineEvent::Opened { can_resume: true })
    }
    fn gone(&mut self) -> Vec<Effect> {
        self.engine(EngineEvent::Exited { detail: "signal 9".into() })
    }
    fn ends(&mut self, stop: StopReason, failure: Option<Failure>) -> Vec<Effect> {
        self.engine(EngineEvent::TurnEnded { stop, failure, detail: "said".into(), is_question: false, is_full: false })
    }
    fn after(&mut self, ms: i64) -> Vec<Effect> {
        self.now += ms;
        self.on(Input::Tick)
    }
    fn ask(&mut self, id: &str) -> Vec<Effect> {
        self.engine(EngineEvent::Asked { id: id.into(), asks: RequestKind::Permission })
    }
    fn answer(&mut self, id: &str) -> Vec<Effect> {
        self.on(Input::Answered { id: id.into(), allow: true })
    }
}

const SPACING: State = State::Queued { why: QueueReason::Spacing };

fn send(id: u64) -> Effect {
    Effect::SendPrompt { id, resend: None, nudges: vec![] }
}

fn permission(id: &str) -> AttentionReason {
    AttentionReason::Permission { id: id.into() }
}

#[test]
fn a_prompt_is_queued_launched_sent_and_answered() {
    let mut life = Life::new();
    assert_eq!(life.on(Input::Prompt { id: 1, by: PromptSource::Person }), [Effect::Enqueue { kind: Kind::Manual }]);
    life.on(Input::Held { why: QueueReason::Memory });
    assert_eq!(life.session.state, State::Queued { why: QueueReason::Memory });
    assert!(life.session.evidence.why.contains("sessionMemoryGuardPercent"));
    assert_eq!(life.on(Input::Admitted), [Effect::Launch { how: LaunchMode::New, launch: 1 }]);
    assert_eq!(life.open(), [send(1)]);
    // Another one waits for the end of the turn, a repetition is refused.
    assert_eq!(life.on(Input::Prompt { id: 2, by: PromptSource::Other }), []);
    assert!(life.ignores(Input::Prompt { id: 2, by: PromptSource::Other }).contains("already accepted"));
    assert_eq!(life.ends(StopReason::EndTurn, None), [send(2)]);
    assert_eq!(life.ends(StopReason::EndTurn, None), [Effect::ReportDone { is_routine: false }]);
    assert_eq!((&life.session.state, &life.session.need), (&State::Idle, &None));
}

#[test]
fn the_mark_of_a_routine_turn_lasts_through_restarts_and_ends_with_the_turn() {
    let mut life = Life::running(ON);
    assert_eq!(life.on(Input::MarkRoutine), []);
    life.gone();
    life.on(Input::Admitted);
    life.open();
    assert_eq!(life.ends(StopReason::EndTurn, None), [Effect::ReportDone { is_routine: true }]);
    assert!(life.ignores(Input::MarkRoutine).contains("No turn is in progress"));
    life.on(Input::Prompt { id: 2, by: PromptSource::Person });
    assert_eq!(life.ends(StopReason::EndTurn, None), [Effect::ReportDone { is_routine: false }]);
}

#[test]
fn a_session_that_nobody_follows_up_finishes_unless_it_asks() {
    for (is_question, state) in [(false, State::Finished), (true, State::Idle)] {
        let mut life = Life { session: Session::draft(true, 0), ..Life::new() };
        assert_eq!(life.on(Input::Prompt { id: 1, by: PromptSource::Other }), [Effect::Enqueue { kind: Kind::Spawn }]);
        life.on(Input::Admitted);
        life.open();
        let stop = StopReason::EndTurn;
        life.engine(EngineEvent::TurnEnded { stop, failure: None, detail: String::new(), is_question, is_full: false });
        assert_eq!(life.session.state, state);
        assert_eq!(life.session.need, is_question.then_some(AttentionReason::Question));
    }
}

#[test]
fn an_answer_that_is_cut_short_is_no_success() {
    let mut life = Life { session: Session::draft(true, 0), ..Life::new() };
    life.on(Input::Prompt { id: 1, by: PromptSource::Other });
    life.on(Input::Admitted);
    life.open();
    let need = AttentionReason::CutShort { stop: StopReason::Refusal };
    assert_eq!(life.ends(StopReason::Refusal, None), [Effect::AskUser { need }]);
    assert_eq!(life.session.state, State::Idle);
}

#[test]
fn a_request_is_answered_once() {
    let mut life = Life::running(ON);
    assert_eq!(life.ask("a"), [Effect::AskUser { need: permission("a") }]);
    life.ask("b");
    assert!(
        life.ignores(Input::Engine {
            launch: 1,
            event: EngineEvent::Asked { id: "a".into(), asks: RequestKind::Permission }
        })
        .contains("already")
    );
    assert_eq!(life.answer("a"), [Effect::Answer { id: "a".into(), verdict: Verdict::Allowed }]);
    assert_eq!(life.session.state, State::AwaitingPermission);
    assert_eq!(life.session.need, Some(permission("b")));
    assert!(life.ignores(Input::Answered { id: "a".into(), allow: false }).contains("answered or canceled"));
    life.answer("b");
    assert_eq!(life.session.state, State::Running);
    // A turn that ends takes its requests with it.
    life.ask("c");
    let canceled = Effect::Answer { id: "c".into(), verdict: Verdict::Cancelled };
    assert_eq!(life.ends(StopReason::EndTurn, None), [canceled, Effect::ReportDone { is_routine: false }]);
}

#[test]
fn stop_ends_everything_and_only_the_person_undoes_it() {
    let mut life = Life::running(ON);
    life.on(Input::Prompt { id: 2, by: PromptSource::Person });
    life.ask("a");
    let effects = life.on(Input::Stop { by_user: true });
    let cancelled = Effect::Answer { id: "a".into(), verdict: Verdict::Cancelled };
    assert_eq!(effects, [Effect::Unsent { ids: vec![2] }, cancelled.clone(), Effect::Cancel, Effect::KillTree]);
    // What is asked on the way out is answered, or the engine would wait.
    assert_eq!(life.ask("a"), [cancelled]);
    life.gone();
    assert_eq!(life.session.state, State::Stopped { by_user: true });
    life.ignores(Input::Prompt { id: 3, by: PromptSource::Other });
    life.ignores(Input::Revive);
    life.on(Input::Archive);
    life.ignores(Input::Revive);
    assert_eq!(life.on(Input::Started { crashed: true }), []);
    assert_eq!(life.on(Input::Prompt { id: 3, by: PromptSource::Person }), [Effect::Enqueue { kind: Kind::Manual }]);
    assert_eq!(life.on(Input::Admitted), [Effect::Launch { how: LaunchMode::Resume, launch: 2 }]);
    assert_eq!(life.open(), [send(3)]);
}

#[test]
fn a_process_that_does_not_report_its_end_is_not_waited_for() {
    let mut life = Life::running(ON);
    life.on(Input::Stop { by_user: true });
    life.after(29_999);
    assert!(matches!(life.session.state, State::Stopping { .. }));
    life.after(1);
    assert_eq!(life.session.state, State::Stopped { by_user: true });
}

#[test]
fn what_an_old_launch_tells_is_not_heard() {
    let mut life = Life::running(ON);
    life.on(Input::LoopFound { what: "cat a".into() });
    life.gone();
    life.on(Input::Admitted);
    let event = EngineEvent::TurnEnded {
        stop: StopReason::EndTurn,
        failure: None,
        detail: String::new(),
        is_question: false,
        is_full: false,
    };
    assert!(life.ignores(Input::Engine { launch: 1, event }).contains("earlier launch"));
}

#[test]
fn silence_is_met_with_a_look_at_the_login_then_one_restart_with_the_same_prompt() {
    let mut life = Life::running(ON);
    assert_eq!(life.after(299_999), []);
    assert_eq!(life.after(1), [Effect::CheckLogin]);
    let effects = life.on(Input::LoginChecked { is_logged_in: true });
    assert_eq!(effects, [Effect::Cancel, Effect::KillTree]);
    assert_eq!(life.gone(), [Effect::Enqueue { kind: Kind::Return }]);
    life.on(Input::Admitted);
    let again = Effect::SendPrompt { id: 1, resend: Some(ResendReason::Silent), nudges: vec![] };
    assert_eq!(life.open(), [again]);
    // Silent again: the person is asked, and nothing is sent a third time.
    life.after(300_000);
    let effects = life.after(60_000);
    assert_eq!(effects, [Effect::Cancel, Effect::KillTree, Effect::AskUser { need: AttentionReason::Stuck }]);
    assert_eq!(life.session.state, State::Interrupted { by: Interruption::Stall });
    assert!(life.ignores(Input::Revive).contains("needs your answer"));
}

#[test]
fn silence_where_nobody_is_logged_in_says_so() {
    let mut life = Life::running(ON);
    life.after(300_000);
    life.on(Input::LoginChecked { is_logged_in: false });
    assert_eq!(life.session.state, State::Failed { failure: Failure::Auth, detail: String::new() });
    assert_eq!(life.session.need, Some(AttentionReason::Failed { failure: Failure::Auth }));
}

#[test]
fn a_tool_at_work_or_any_sign_is_no_silence() {
    let mut life = Life::running(ON);
    life.engine(EngineEvent::ToolStarted { id: "t".into() });
    assert_eq!(life.after(7_200_000), []);
    life.engine(EngineEvent::ToolEnded { id: "t".into() });
    assert_eq!(life.after(299_999), []);
    life.engine(EngineEvent::Alive);
    assert_eq!(life.after(299_999), []);
    assert_eq!(life.after(1), [Effect::CheckLogin]);
    // A sign while the login is looked at calls the restart off.
    life.engine(EngineEvent::Alive);
    life.ignores(Input::LoginChecked { is_logged_in: true });
    // Nor is waiting for the person.
    life.ask("a");
    assert_eq!(life.after(7_200_000), []);
}

#[test]
fn without_the_restart_a_silent_session_is_only_shown_as_stuck() {
    let mut life = Life::running(Recovery { auto_restart_unresponsive_sessions: false, ..ON });
    assert_eq!(life.after(300_000), []);
    assert!(life.session.turn.as_ref().is_some_and(|turn| turn.is_stuck));
    assert_eq!(life.session.state, State::Running);
    life.engine(EngineEvent::Alive);
    assert!(life.session.turn.as_ref().is_some_and(|turn| !turn.is_stuck));
}

#[test]
fn a_full_context_gets_room_three_times_an_hour() {
    let mut life = Life::running(ON);
    for _ in 0..3 {
        assert_eq!(life.ends(StopReason::EndTurn, Some(Failure::ContextFull)), [Effect::Compact]);
        assert_eq!(life.session.state, State::Compacting { ours: true });
        assert_eq!(life.ends(StopReason::EndTurn, None), [Effect::Nudge { nudges: vec![Nudge::Compacted] }]);
        life.after(60_000);
    }
    life.ends(StopReason::EndTurn, Some(Failure::ContextFull));
    assert_eq!(life.session.state, State::Failed { failure: Failure::ContextFull, detail: "said".into() });

    let mut later = Life::running(ON);
    for _ in 0..8 {
        assert_eq!(later.ends(StopReason::EndTurn, Some(Failure::ContextFull)), [Effect::Compact]);
        later.ends(StopReason::EndTurn, None);
        later.now += 1_200_001;
    }

    let mut off = Life::running(Recovery { context_stall_auto_recover_enabled: false, ..ON });
    let need = AttentionReason::Failed { failure: Failure::ContextFull };
    let effects = off.ends(StopReason::EndTurn, Some(Failure::ContextFull));
    assert_eq!(effects, [Effect::KillTree, Effect::AskUser { need }]);
    assert!(off.session.evidence.why.contains("contextStallAutoRecoverEnabled"));
}

#[test]
fn an_answer_cut_off_by_a_full_context_gets_room_too() {
    let ended = |is_full| EngineEvent::TurnEnded {
        stop: StopReason::MaxTokens,
        failure: None,
        detail: String::new(),
        is_question: false,
        is_full,
    };
    assert_eq!(Life::running(ON).engine(ended(true)), [Effect::Compact]);
    let need = AttentionReason::CutShort { stop: StopReason::MaxTokens };
    assert_eq!(Life::running(ON).engine(ended(false)), [Effect::AskUser { need }]);
}

/// The pauses between tries of a launch that fails for overload, until it fails for good or this many passed.
fn gaps(rules: Recovery, at_most: usize) -> (Vec<i64>, State) {
    let mut life = Life::with(rules);
    life.on(Input::Prompt { id: 1, by: PromptSource::Person });
    let mut gaps = Vec::new();
    while gaps.len() < at_most {
        life.on(Input::Admitted);
        life.engine(EngineEvent::OpenFailed { failure: OVERLOAD, detail: "529".into() });
        let State::Queued { why: QueueReason::Backoff { until } } = life.session.state else { break };
        gaps.push((until - life.now) / 1000);
        let gap = until - life.now;
        assert_eq!(life.after(gap - 1), []);
        assert_eq!(life.after(1), [Effect::Enqueue { kind: Kind::Return }]);
    }
    (gaps, life.session.state)
}

#[test]
fn an_overloaded_launch_is_tried_three_times_or_without_end() {
    assert_eq!(gaps(ON, 9), (vec![5, 10], State::Failed { failure: OVERLOAD, detail: "529".into() }));
    let relentless = Recovery { relentless_session_relaunch: true, ..ON };
    assert_eq!(gaps(relentless, 10), (vec![5, 10, 20, 40, 80, 160, 300, 300, 300, 300], SPACING));
    assert_eq!(gaps(relentless, 5_000).0.len(), 5_000);
}

#[test]
fn the_pauses_grow_whatever_chance_says() {
    let session = |tries| {
        let mut life = Life::with(Recovery { relentless_session_relaunch: true, ..ON });
        life.on(Input::Prompt { id: 1, by: PromptSource::Person });
        life.on(Input::Admitted);
        life.session.tries = tries;
        life.session
    };
    let gap = |tries, jitter| {
        let event = EngineEvent::OpenFailed { failure: OVERLOAD, detail: String::new() };
        let moment = StepContext { now: 0, jitter };
        let rules = Recovery { relentless_session_relaunch: true, ..ON };
        let done = step(&session(tries), &Input::Engine { launch: 1, event }, &moment, &rules).expect("it is heard");
        let State::Queued { why: QueueReason::Backoff { until } } = done.session.state else {
            panic!("it is tried again")
        };
        until
    };
    for tries in 0..6 {
        assert!(gap(tries, 0.0) < gap(tries + 1, 0.999));
    }
    assert_eq!((gap(0, 0.0), gap(0, 1.0), gap(u32::MAX, 0.0)), (5_000, 4_000, 300_000));
}

#[test]
fn genuine_errors_stop_a_launch_at_once() {
    for failure in [Failure::Auth, Failure::Request, Failure::Unknown, Failure::Crash] {
        let mut life = Life::with(Recovery { relentless_session_relaunch: true, ..ON });
        life.on(Input::Prompt { id: 1, by: PromptSource::Person });
        life.on(Input::Admitted);
        life.engine(EngineEvent::OpenFailed { failure: failure.clone(), detail: "no".into() });
        assert_eq!(life.session.state, State::Failed { failure, detail: "no".into() });
        // The person tries again, and the prompt is sent then.
        life.on(Input::Start);
        life.on(Input::Admitted);
        assert_eq!(life.open(), [send(1)]);
    }
}

#[test]
fn an_overloaded_turn_goes_on_after_a_pause() {
    let mut life = Life::running(ON);
    assert_eq!(life.ends(StopReason::EndTurn, Some(OVERLOAD)), []);
    assert_eq!(life.session.state, State::Retrying { until: Some(5_000) });
    assert_eq!(life.after(4_999), []);
    assert_eq!(life.after(1), [Effect::Nudge { nudges: vec![Nudge::TryAgain] }]);
    life.ends(StopReason::EndTurn, Some(OVERLOAD));
    life.after(10_000);
    life.ends(StopReason::EndTurn, Some(OVERLOAD));
    assert!(matches!(life.session.state, State::Failed { .. }));
}

#[test]
fn a_limit_parks_the_session_until_it_is_over() {
    let mut life = Life::running(ON);
    life.ends(StopReason::EndTurn, Some(Failure::Limit { until: Some(3_600_000) }));
    assert_eq!(life.session.state, State::Parked { until: Some(3_600_000) });
    assert_eq!(life.after(3_599_999), []);
    assert_eq!(life.after(1), [Effect::Enqueue { kind: Kind::Return }]);
    life.on(Input::Admitted);
    assert_eq!(life.open(), [Effect::Nudge { nudges: vec![Nudge::LimitOver] }]);

    let mut unknown = Life::running(ON);
    let effects = unknown.ends(StopReason::EndTurn, Some(Failure::Limit { until: None }));
    assert_eq!((effects, &unknown.session.need), (vec![Effect::KillTree], &None));
    assert_eq!(unknown.on(Input::Start), [Effect::Enqueue { kind: Kind::Manual }]);

    // One that an older version parked without a time is given one.
    let mut older = Life::running(ON);
    older.ends(StopReason::EndTurn, Some(Failure::Limit { until: None }));
    (older.session.state, older.session.need) = (State::Parked { until: None }, Some(AttentionReason::Limit));
    older.after(1);
    assert_eq!(older.session.need, None);
    assert!(matches!(older.session.state, State::Parked { until: Some(_) }), "{:?}", older.session.state);
}

#[test]
fn a_limit_whose_end_is_unknown_is_retried_after_growing_pauses_and_one_that_is_just_over_soon() {
    let mut life = Life::running(ON);
    for gap_ms in [5, 10, 20, 40, 60, 60].map(|minutes| minutes * 60_000) {
        life.ends(StopReason::EndTurn, Some(Failure::Limit { until: None }));
        assert_eq!(life.session.state, State::Parked { until: Some(life.now + gap_ms) });
        assert_eq!(life.after(gap_ms), [Effect::Enqueue { kind: Kind::Return }]);
        life.on(Input::Admitted);
        assert_eq!(life.open(), [Effect::Nudge { nudges: vec![Nudge::TryAgain] }]);
    }
    life.ends(StopReason::EndTurn, None);
    life.on(Input::Prompt { id: 2, by: PromptSource::Other });
    // The jitter of these tests is 0: a minute, and up to two.
    life.ends(StopReason::EndTurn, Some(Failure::Limit { until: Some(life.now - 5) }));
    assert_eq!(life.session.state, State::Parked { until: Some(life.now + 60_000) });
    life.after(60_000);
    life.on(Input::Admitted);
    life.open();
    life.ends(StopReason::EndTurn, Some(Failure::Limit { until: Some(life.now - 5) }));
    assert_eq!(
        life.session.state,
        State::Parked { until: Some(life.now + 600_000) },
        "it still holds: the pauses grow"
    );
}

#[test]
fn after_a_crash_of_the_program_work_goes_on_and_waiting_waits() {
    for (crashed, by) in [(true, Interruption::Crash), (false, Interruption::AppClose)] {
        let mut running = Life::running(ON);
        let mut idle = Life::running(ON);
        idle.ends(StopReason::EndTurn, None);
        let mut stopped = Life::running(ON);
        stopped.on(Input::Stop { by_user: true });
        if !crashed {
            assert_eq!(running.on(Input::Closing), [Effect::KillTree]);
            idle.on(Input::Closing);
            stopped.on(Input::Closing);
        }
        for life in [&mut running, &mut idle] {
            assert_eq!(life.on(Input::Started { crashed }), [Effect::Enqueue { kind: Kind::Return }]);
            assert_eq!(life.on(Input::Admitted), [Effect::Launch { how: LaunchMode::Resume, launch: 2 }]);
        }
        assert_eq!(running.open(), [Effect::Nudge { nudges: vec![Nudge::Continue { after: by }] }]);
        assert_eq!(idle.open(), []);
        assert_eq!(idle.session.state, State::Idle);
        assert_eq!(stopped.on(Input::Started { crashed }), []);
        assert_eq!(stopped.session.state, State::Stopped { by_user: true });

        let mut off = Life::running(Recovery { auto_resume_on_crash: false, ..ON });
        assert_eq!(off.on(Input::Started { crashed }), []);
        assert_eq!(off.session.state, State::Interrupted { by });
    }
}

#[test]
fn an_engine_that_keeps_nothing_gets_its_prompt_again_with_a_note() {
    let mut life = Life::running(ON);
    life.gone();
    assert_eq!(life.on(Input::Admitted), [Effect::Launch { how: LaunchMode::Resume, launch: 2 }]);
    assert_eq!(
        life.engine(EngineEvent::Forgotten),
        [Effect::KillTree, Effect::Launch { how: LaunchMode::New, launch: 3 }]
    );
    let nudges = vec![Nudge::Continue { after: Interruption::Crash }];
    assert_eq!(life.open(), [Effect::SendPrompt { id: 1, resend: Some(ResendReason::NewSession), nudges }]);
}

#[test]
fn a_question_of_a_process_that_is_gone_is_shown_again_and_answered_in_words() {
    let mut life = Life::running(ON);
    life.ask("a");
    life.gone();
    assert_eq!(life.session.state, SPACING);
    life.on(Input::Admitted);
    assert_eq!(life.open(), [Effect::AskUser { need: permission("a") }]);
    assert_eq!(life.session.state, State::AwaitingPermission);
    let nudges = vec![Nudge::Answered { id: "a".into(), allow: true }];
    assert_eq!(life.answer("a"), [Effect::Nudge { nudges }]);
    assert_eq!(life.session.state, State::Running);
}

#[test]
fn an_engine_that_ends_again_and_again_fails() {
    let mut life = Life::running(ON);
    for _ in 0..2 {
        life.gone();
        life.on(Input::Admitted);
        life.open();
    }
    life.gone();
    assert_eq!(life.session.state, State::Failed { failure: Failure::Crash, detail: "signal 9".into() });
}

#[test]
fn a_loop_is_broken_twice_then_the_person_is_asked() {
    let mut life = Life::running(ON);
    let what = "Read a.rs";
    for _ in 0..2 {
        assert_eq!(life.on(Input::LoopFound { what: what.into() }), [Effect::Cancel, Effect::KillTree]);
        life.gone();
        life.on(Input::Admitted);
        assert_eq!(life.open(), [Effect::Nudge { nudges: vec![Nudge::Loop { what: what.into() }] }]);
    }
    life.on(Input::LoopFound { what: what.into() });
    assert_eq!(life.session.state, State::Interrupted { by: Interruption::Loop });
    assert_eq!(life.session.need, Some(AttentionReason::Loop));

    let off = Life::running(Recovery { read_loop_breaker_enabled: false, ..ON });
    assert!(off.ignores(Input::LoopFound { what: what.into() }).contains("readLoopBreakerEnabled"));
}

#[test]
fn what_is_put_aside_comes_back_where_it_was() {
    let mut life = Life::running(ON);
    life.on(Input::Snooze { until: 60_000 });
    life.gone();
    assert_eq!(life.session.state, State::Snoozed { until: 60_000 });
    // Agents do not wake it; what they want waits.
    assert_eq!(life.on(Input::Prompt { id: 2, by: PromptSource::Other }), []);
    assert_eq!(life.after(59_999), []);
    assert_eq!(life.after(1), [Effect::Enqueue { kind: Kind::Return }]);
    life.on(Input::Admitted);
    assert_eq!(life.open(), [Effect::Nudge { nudges: vec![Nudge::Woken] }]);
    assert_eq!(life.ends(StopReason::EndTurn, None), [send(2)]);

    let mut paused = Life::running(ON);
    paused.on(Input::Pause);
    paused.gone();
    assert_eq!(paused.session.state, State::Paused);
    assert_eq!(paused.on(Input::Revive), [Effect::Enqueue { kind: Kind::Return }]);

    let mut idle = Life::running(ON);
    idle.ends(StopReason::EndTurn, None);
    idle.on(Input::Snooze { until: 60_000 });
    idle.gone();
    assert_eq!(idle.after(60_000), [Effect::AskUser { need: AttentionReason::Awake }]);
}

#[test]
fn an_engine_that_does_not_open_fails() {
    let mut life = Life::with(ON);
    life.on(Input::Prompt { id: 1, by: PromptSource::Person });
    life.on(Input::Admitted);
    assert_eq!(life.after(119_999), []);
    life.after(1);
    let detail = "The engine didn't start within 120 s".to_owned();
    assert_eq!(life.session.state, State::Failed { failure: Failure::Crash, detail });
}

#[test]
fn an_engines_events_become_what_the_rules_ask() {
    let tool = ToolUse {
        id: "t".into(),
        name: None,
        title: "ls".into(),
        kind: ToolKind::Execute,
        command: None,
        paths: vec![],
        cwd: None,
        input: serde_json::Value::Null,
    };
    let read =
        |state| EngineEvent::from_event(&Event::Tool { tool: tool.clone(), state, output: vec![] }, false, false);
    assert_eq!(read(ToolState::Running), EngineEvent::ToolStarted { id: "t".into() });
    assert_eq!(read(ToolState::Failed), EngineEvent::ToolEnded { id: "t".into() });
    let unknown = Event::Raw { value: serde_json::json!({"kind": "new"}) };
    assert_eq!(EngineEvent::from_event(&unknown, false, false), EngineEvent::Alive);
}

/// A session in each state, by way of what leads there.
fn one_of_each() -> Vec<Session> {
    let after = |inputs: Vec<Input>| {
        let mut life = Life::running(ON);
        inputs.into_iter().for_each(|input| drop(life.on(input)));
        life.session
    };
    let engine = |event| Input::Engine { launch: 1, event };
    let ended = |failure| {
        let (stop, detail) = (StopReason::EndTurn, String::new());
        engine(EngineEvent::TurnEnded { stop, failure, detail, is_question: false, is_full: false })
    };
    let asked = |asks| engine(EngineEvent::Asked { id: "a".into(), asks });
    let gone = || engine(EngineEvent::Exited { detail: String::new() });
    let mut queued = Life::new();
    queued.on(Input::Prompt { id: 1, by: PromptSource::Person });
    let mut launching = Life { session: queued.session.clone(), ..Life::new() };
    launching.on(Input::Admitted);
    vec![
        Session::draft(false, 0),
        queued.session,
        launching.session,
        after(vec![ended(None)]),
        after(vec![]),
        after(vec![asked(RequestKind::Permission)]),
        after(vec![asked(RequestKind::Value)]),
        after(vec![ended(Some(OVERLOAD))]),
        after(vec![engine(EngineEvent::Compacting { done: false })]),
        after(vec![ended(Some(Failure::Limit { until: Some(9_000_000) }))]),
        after(vec![Input::Pause, gone()]),
        after(vec![Input::Snooze { until: 9_000_000 }, gone()]),
        after(vec![Input::Stop { by_user: true }]),
        after(vec![Input::Stop { by_user: true }, gone()]),
        {
            let mut life = Life::running(Recovery { auto_resume_on_crash: false, ..ON });
            life.gone();
            life.session
        },
        after(vec![ended(Some(Failure::Auth))]),
        after(vec![ended(None), Input::Finish]),
        after(vec![Input::Archive, gone()]),
        after(vec![Input::Close, gone()]),
    ]
}

#[test]
fn every_state_has_an_answer_to_every_input() {
    let engine = |event| Input::Engine { launch: 1, event };
    let inputs = [
        Input::Prompt { id: 9, by: PromptSource::Person },
        Input::Prompt { id: 9, by: PromptSource::Other },
        Input::Start,
        Input::Stop { by_user: true },
        Input::Stop { by_user: false },
        Input::Pause,
        Input::Snooze { until: 9_000_000 },
        Input::Finish,
        Input::Archive,
        Input::Close,
        Input::MarkRoutine,
        Input::Answered { id: "a".into(), allow: true },
        Input::Admitted,
        Input::Held { why: QueueReason::Memory },
        Input::LoginChecked { is_logged_in: true },
        Input::LoopFound { what: "ls".into() },
        Input::Revive,
        Input::Tick,
        Input::Closing,
        Input::Started { crashed: true },
        engine(EngineEvent::Opened { can_resume: true }),
        engine(EngineEvent::OpenFailed { failure: OVERLOAD, detail: String::new() }),
        engine(EngineEvent::Forgotten),
        engine(EngineEvent::Alive),
        engine(EngineEvent::ToolStarted { id: "t".into() }),
        engine(EngineEvent::ToolEnded { id: "t".into() }),
        engine(EngineEvent::Asked { id: "b".into(), asks: RequestKind::Permission }),
        engine(EngineEvent::Retrying),
        engine(EngineEvent::Compacting { done: true }),
        engine(EngineEvent::Exited { detail: String::new() }),
    ];
    let sessions = one_of_each();
    let mut states: Vec<_> = sessions.iter().map(|session| std::mem::discriminant(&session.state)).collect();
    states.dedup();
    assert_eq!(states.len(), 19, "each state once");
    let mut table = Vec::new();
    for session in &sessions {
        let accepted =
            inputs.iter().filter(|input| match step(session, input, &StepContext { now: 1, jitter: 0.0 }, &ON) {
                Ok(_) => true,
                Err(ignored) => {
                    assert!(!ignored.why.is_empty());
                    false
                }
            });
        table.push(accepted.count());
    }
    // A state that takes everything, or nothing but the passing of time, was forgotten.
    assert!(table.iter().all(|count| (4..inputs.len()).contains(count)), "{table:?}");
}
