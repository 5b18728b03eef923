//! Whatever happens in whatever order, the promises of a session's life hold.

use crate::admission::Kind;
use crate::state::{
    Effect, EngineEvent, Input, PromptId, PromptSource, Recovery, RequestKind, ResendReason, Session, State,
    StepContext, Verdict, step,
};
use engines::{Failure, StopReason, Transience};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

fn failure() -> impl Strategy<Value = Failure> {
    prop_oneof![
        3 => Just(Failure::Transient { what: Transience::Overload }),
        1 => Just(Failure::Limit { until: None }),
        1 => Just(Failure::Limit { until: Some(50_000_000) }),
        1 => Just(Failure::Auth),
        2 => Just(Failure::ContextFull),
        1 => Just(Failure::Request),
        1 => Just(Failure::Crash),
        1 => Just(Failure::Unknown),
    ]
}

fn name() -> impl Strategy<Value = String> {
    (0..3_u8).prop_map(|n| format!("r{n}"))
}

fn engine_event() -> impl Strategy<Value = EngineEvent> {
    let stop = prop_oneof![
        6 => Just(StopReason::EndTurn),
        1 => Just(StopReason::MaxTokens),
        1 => Just(StopReason::Refusal),
        1 => Just(StopReason::Cancelled),
    ];
    let asks = prop_oneof![Just(RequestKind::Permission), Just(RequestKind::Value)];
    prop_oneof![
        8 => any::<bool>().prop_map(|can_resume| EngineEvent::Opened { can_resume }),
        2 => failure().prop_map(|failure| EngineEvent::OpenFailed { failure, detail: String::new() }),
        1 => Just(EngineEvent::Forgotten),
        2 => Just(EngineEvent::Alive),
        1 => name().prop_map(|id| EngineEvent::ToolStarted { id }),
        1 => name().prop_map(|id| EngineEvent::ToolEnded { id }),
        3 => (name(), asks).prop_map(|(id, asks)| EngineEvent::Asked { id, asks }),
        1 => Just(EngineEvent::Retrying),
        1 => name().prop_map(|id| EngineEvent::Withdrawn { id }),
        1 => Just(EngineEvent::NotSent { detail: String::new() }),
        1 => any::<bool>().prop_map(|done| EngineEvent::Compacting { done }),
        4 => (stop, prop::option::of(failure()), any::<bool>(), any::<bool>()).prop_map(
            |(stop, failure, is_question, is_full)| {
                EngineEvent::TurnEnded { stop, failure, detail: String::new(), is_question, is_full }
            }
        ),
        3 => Just(EngineEvent::Exited { detail: String::new() }),
    ]
}

#[derive(Debug, Clone)]
enum Move {
    Input(Input),
    /// A prompt with a new name, or one that was used before.
    Prompt(PromptSource, bool),
    /// Something of the newest launch, or of the one before.
    Engine(EngineEvent, bool),
}

fn one() -> impl Strategy<Value = Move> {
    let by = prop_oneof![Just(PromptSource::Person), Just(PromptSource::Other)];
    let input = prop_oneof![
        2 => Just(Input::Start),
        1 => any::<bool>().prop_map(|by_user| Input::Stop { by_user }),
        1 => (1..6_u64).prop_map(|id| Input::Withdraw { id }),
        1 => Just(Input::Pause),
        1 => (0..60_000_000_i64).prop_map(|until| Input::Snooze { until }),
        1 => Just(Input::Finish),
        1 => Just(Input::Archive),
        1 => Just(Input::StartAnew),
        1 => Just(Input::ArchiveWhenDone),
        1 => Just(Input::Close),
        1 => Just(Input::MarkRoutine),
        4 => (name(), any::<bool>()).prop_map(|(id, allow)| Input::Answered { id, allow }),
        1 => name().prop_map(|id| Input::Repeated { id }),
        10 => Just(Input::Admitted),
        1 => Just(Input::Held { why: crate::state::QueueReason::Memory }),
        1 => any::<bool>().prop_map(|is_logged_in| Input::LoginChecked { is_logged_in }),
        1 => Just(Input::LoopFound { what: "x".into() }),
        1 => Just(Input::Revive),
        6 => Just(Input::Tick),
        1 => Just(Input::Closing),
        1 => any::<bool>().prop_map(|crashed| Input::Started { crashed }),
    ];
    prop_oneof![
        5 => input.prop_map(Move::Input),
        2 => (by, prop::bool::weighted(0.9)).prop_map(|(by, is_new)| Move::Prompt(by, is_new)),
        5 => (engine_event(), prop::bool::weighted(0.9)).prop_map(|(event, is_newest)| Move::Engine(event, is_newest)),
    ]
}

fn rules() -> impl Strategy<Value = Recovery> {
    any::<[bool; 5]>().prop_map(|on| Recovery {
        auto_restart_unresponsive_sessions: on[0],
        auto_resume_on_crash: on[1],
        relentless_session_relaunch: on[2],
        context_stall_auto_recover_enabled: on[3],
        read_loop_breaker_enabled: on[4],
    })
}

/// What was seen of one session from outside.
#[derive(Default)]
struct Seen {
    sent: BTreeSet<PromptId>,
    resent_for_silence: BTreeSet<PromptId>,
    taken: BTreeSet<PromptId>,
    unsent: BTreeSet<PromptId>,
    asked: BTreeMap<String, u32>,
    answered: BTreeMap<String, u32>,
}

fn check(
    before: &Session,
    input: &Input,
    after: &Session,
    effects: &[Effect],
    seen: &mut Seen,
) -> Result<(), TestCaseError> {
    let by_person = matches!(input, Input::Start | Input::StartAnew | Input::Prompt { by: PromptSource::Person, .. });
    let starts = effects.iter().any(|effect| matches!(effect, Effect::Launch { .. } | Effect::Enqueue { .. }));
    prop_assert!(!(before.stopped_by_user && starts && !by_person), "only the person starts what the person stopped");
    prop_assert!(!(before.stopped_by_user && !after.stopped_by_user && !by_person));
    let opens = effects.iter().any(|effect| matches!(effect, Effect::Launch { .. }));
    let forgot = matches!(input, Input::Engine { event: EngineEvent::Forgotten, .. });
    prop_assert!(!opens || *input == Input::Admitted || forgot, "the queue decides every start");
    if let Input::Engine { event: EngineEvent::TurnEnded { failure: Some(_), .. }, .. } = input {
        prop_assert!(
            !matches!(after.state, State::Finished | State::Idle),
            "a failure is no end of work: {:?}",
            after.state
        );
    }
    if before.state != after.state {
        prop_assert_eq!(effects.first(), Some(&Effect::Journal), "what is done is written down before");
        prop_assert!(!after.evidence.why.is_empty());
    }
    // Each state holds what it promises.
    let has_turn = matches!(after.state, State::Running | State::Retrying { .. } | State::Compacting { .. });
    prop_assert!(!has_turn || after.turn.is_some(), "{:?} has work", after.state);
    let awaits = matches!(after.state, State::AwaitingPermission | State::AwaitingInput);
    prop_assert!(!awaits || !after.open.is_empty());
    let is_out = matches!(
        after.state,
        State::Queued { .. }
            | State::Parked { .. }
            | State::Paused
            | State::Snoozed { .. }
            | State::Stopped { .. }
            | State::Interrupted { .. }
            | State::Failed { .. }
            | State::Finished
            | State::Archived
            | State::Closed
    );
    prop_assert!(!is_out || !after.has_process, "{:?} runs nothing", after.state);
    for effect in effects {
        match effect {
            Effect::SendPrompt { id, resend, .. } => {
                prop_assert!(seen.taken.contains(id) && after.has_process);
                prop_assert_eq!(!seen.sent.insert(*id), resend.is_some(), "never twice without a note");
                if *resend == Some(ResendReason::Silent) {
                    prop_assert!(seen.resent_for_silence.insert(*id), "again for silence once only");
                }
            }
            Effect::Unsent { ids } => seen.unsent.extend(ids),
            Effect::Answer { id, .. } => *seen.answered.entry(id.clone()).or_default() += 1,
            Effect::Nudge { nudges } => prop_assert!(!nudges.is_empty() && after.has_process),
            Effect::Compact => prop_assert!(after.has_process),
            Effect::Enqueue { kind } => prop_assert!(*kind != Kind::Manual || by_person),
            _ => {}
        }
    }
    // Each request that was asked waits or was answered; none is answered more often than it was asked.
    for (id, asked) in &seen.asked {
        let open = u32::from(after.open.iter().any(|open| open.id == *id));
        let answered = seen.answered.get(id).copied().unwrap_or_default();
        prop_assert_eq!(asked, &(answered + open), "{} is answered once", id);
    }
    // No prompt is lost: it waits, was sent, or the person was told that it was not.
    for id in &seen.taken {
        let places = [after.waiting.contains(id), seen.sent.contains(id), seen.unsent.contains(id)];
        prop_assert_eq!(places.iter().filter(|is_there| **is_there).count(), 1, "prompt {} is in one place", id);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_promises_of_a_sessions_life_hold(
        moves in prop::collection::vec((one(), 0..400_000_i64), 1..90),
        rules in rules(),
        ends_when_done in any::<bool>(),
    ) {
        let mut session = Session::draft(ends_when_done, 0);
        let (mut now, mut last, mut seen) = (0, 0, Seen::default());
        for (one, pause) in moves {
            now += pause;
            let input = match one {
                Move::Input(input) => input,
                Move::Prompt(by, is_new) => {
                    last += u64::from(is_new);
                    Input::Prompt { id: last, by }
                }
                Move::Engine(event, is_newest) => {
                    Input::Engine { launch: session.launch.saturating_sub(u32::from(!is_newest)), event }
                }
            };
            if let Input::Engine { launch, event: EngineEvent::Alive } = &input {
                let mut signed = session.clone();
                if crate::state::sign(&mut signed, *launch, now) {
                    let stepped = step(&session, &input, &StepContext { now, jitter: 0.5 }, &rules).expect("it is heard");
                    prop_assert_eq!((&signed, stepped.effects.len()), (&stepped.session, 0), "a short way to the same");
                }
            }
            let Ok(done) = step(&session, &input, &StepContext { now, jitter: 0.5 }, &rules) else { continue };
            if let Input::Prompt { id, .. } = input {
                prop_assert!(seen.taken.insert(id), "a prompt is taken once");
            }
            if let Input::Engine { event: EngineEvent::Asked { id, .. }, .. } = &input {
                *seen.asked.entry(id.clone()).or_default() += 1;
            }
            // An answer that is said to the successor of the process that asked is an answer too.
            if let Input::Answered { id, .. } = &input
                && session.open.iter().any(|open| open.id == *id && open.is_lost)
            {
                let is_answer = |effect: &Effect| {
                    matches!(effect, Effect::Answer { verdict: Verdict::Allowed | Verdict::Denied, .. })
                };
                let reaches_engine = done.effects.iter().any(is_answer);
                prop_assert!(!reaches_engine, "the process that asked is gone");
                *seen.answered.entry(id.clone()).or_default() += 1;
            }
            check(&session, &input, &done.session, &done.effects, &mut seen)?;
            let written = serde_json::to_string(&done.session).expect("it can be written down");
            prop_assert_eq!(&serde_json::from_str::<Session>(&written).expect("and read"), &done.session);
            session = done.session;
        }
    }
}
