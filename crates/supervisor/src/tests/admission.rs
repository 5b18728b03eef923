use crate::admission::{
    Admission, Kind, Limits, MEMORY_RECHECK_MS, MemoryGuard, RestartSpacing, SessionId, SpawnSpacing, TooMany,
};
use crate::state::QueueReason;
use proptest::prelude::*;

const LIMITS: Limits = Limits {
    spawn: SpawnSpacing { cli_spawn_spacing_seconds: 5 },
    restart: RestartSpacing {
        session_restart_spacing_seconds: 3.0,
        session_restart_spacing_after_warmup_seconds: 0.0,
        session_restart_spacing_warmup_minutes: 0,
    },
    memory: MemoryGuard { session_memory_guard_enabled: true, session_memory_guard_percent: 85 },
    agent_driven_max_concurrent: 3,
};

fn spawns(seconds: i64) -> Limits {
    Limits { spawn: SpawnSpacing { cli_spawn_spacing_seconds: seconds }, ..LIMITS }
}

fn restarts(first: f64, later: f64, minutes: i64) -> Limits {
    let restart = RestartSpacing {
        session_restart_spacing_seconds: first,
        session_restart_spacing_after_warmup_seconds: later,
        session_restart_spacing_warmup_minutes: minutes,
    };
    Limits { restart, ..LIMITS }
}

fn id(number: usize) -> SessionId {
    format!("s{number:04}").into()
}

fn submit(queue: &mut Admission, kind: Kind, count: usize, now: i64, limits: &Limits) {
    for number in 0..count {
        queue.submit(&id(number), kind, false, now, limits).expect("nothing is refused");
    }
}

/// When each start happens, in seconds, for one who asks again exactly when told.
fn starts(queue: &mut Admission, mut now: i64, limits: &Limits) -> Vec<(f64, String)> {
    let mut found = Vec::new();
    loop {
        let decision = queue.decide(now, None, limits);
        found.extend(decision.admitted.iter().map(|id| (now as f64 / 1000.0, id.to_string())));
        let Some(again) = decision.again_at else { return found };
        assert!(again > now);
        now = again;
    }
}

fn times(queue: &mut Admission, now: i64, limits: &Limits) -> Vec<f64> {
    starts(queue, now, limits).into_iter().map(|(at, _)| at).collect()
}

#[test]
fn spawns_of_a_burst_start_in_order_with_the_pause_between_them() {
    let mut queue = Admission::default();
    submit(&mut queue, Kind::Spawn, 4, 0, &LIMITS);
    let expected: Vec<_> = [0.0, 5.0, 10.0, 15.0].into_iter().zip((0..4).map(|n| id(n).to_string())).collect();
    assert_eq!(starts(&mut queue, 0, &LIMITS), expected);

    let mut queue = Admission::default();
    submit(&mut queue, Kind::Spawn, 4, 0, &spawns(0));
    assert_eq!(times(&mut queue, 0, &spawns(0)), [0.0; 4]);
}

#[test]
fn what_the_person_starts_never_waits() {
    let mut queue = Admission::default();
    submit(&mut queue, Kind::Spawn, 4, 0, &LIMITS);
    queue.submit(&"mine".into(), Kind::Manual, false, 0, &LIMITS).expect("never refused");
    let decision = queue.decide(0, Some(99.0), &LIMITS);
    assert_eq!(decision.admitted, [SessionId::from("mine")]);
    assert_eq!((decision.waits, decision.again_at), (Some(QueueReason::Memory), Some(MEMORY_RECHECK_MS)));
    // One that waits already goes at once when the person starts it.
    queue.submit(&id(3), Kind::Manual, false, 1, &LIMITS).expect("never refused");
    assert_eq!(queue.decide(1, Some(99.0), &LIMITS).admitted, [id(3)]);
    assert_eq!(queue.waiting(), 3);
}

#[test]
fn a_change_of_the_pause_counts_for_those_that_wait() {
    let mut queue = Admission::default();
    submit(&mut queue, Kind::Spawn, 4, 0, &LIMITS);
    assert_eq!(queue.decide(0, None, &LIMITS).again_at, Some(5_000));
    let decision = queue.decide(1_000, None, &spawns(2));
    assert_eq!((decision.admitted, decision.again_at), (vec![], Some(2_000)));
    assert_eq!(times(&mut queue, 2_000, &spawns(2)), [2.0, 4.0, 6.0]);
}

#[test]
fn sessions_that_come_back_keep_the_spacing_of_restarts() {
    let mut queue = Admission::default();
    submit(&mut queue, Kind::Return, 3, 0, &LIMITS);
    assert_eq!(times(&mut queue, 0, &LIMITS), [0.0, 3.0, 6.0]);

    // 0 takes the spacing that is built in; half seconds count.
    for (first, expected) in [(0.0, [0.0, 1.0, 2.0]), (0.5, [0.0, 0.5, 1.0])] {
        let mut queue = Admission::default();
        let limits = restarts(first, 0.0, 0);
        submit(&mut queue, Kind::Return, 3, 0, &limits);
        assert_eq!(times(&mut queue, 0, &limits), expected);
    }
}

#[test]
fn the_first_spacing_holds_for_the_warm_up_and_the_second_after_it() {
    let check = |limits: Limits, count: usize, expected: &[f64]| {
        let mut queue = Admission::default();
        submit(&mut queue, Kind::Return, count, 0, &limits);
        assert_eq!(times(&mut queue, 0, &limits), expected);
    };
    // Shorter after a minute: no start is drawn back into the warm-up.
    check(restarts(25.0, 5.0, 1), 6, &[0.0, 25.0, 50.0, 60.0, 65.0, 70.0]);
    // Longer after a minute.
    check(restarts(20.0, 30.0, 1), 5, &[0.0, 20.0, 40.0, 70.0, 100.0]);
    // No warm-up: the later spacing at once. No later spacing: the first throughout.
    check(restarts(20.0, 2.0, 0), 3, &[0.0, 2.0, 4.0]);
    check(restarts(20.0, 0.0, 1), 5, &[0.0, 20.0, 40.0, 60.0, 80.0]);
}

#[test]
fn the_warm_up_is_counted_from_when_a_batch_begins_to_come_back() {
    let limits = restarts(20.0, 2.0, 1);
    let mut queue = Admission::default();
    submit(&mut queue, Kind::Return, 2, 0, &limits);
    assert_eq!(times(&mut queue, 0, &limits), [0.0, 20.0]);
    // An hour later another batch has a warm-up of its own.
    submit(&mut queue, Kind::Return, 3, 3_600_000, &limits);
    assert_eq!(times(&mut queue, 3_600_000, &limits), [3600.0, 3620.0, 3640.0]);
}

#[test]
fn starts_are_held_from_exactly_the_percentage_on() {
    for kind in [Kind::Spawn, Kind::Return] {
        let mut queue = Admission::default();
        submit(&mut queue, kind, 2, 0, &LIMITS);
        let held = queue.decide(0, Some(85.0), &LIMITS);
        assert_eq!((held.admitted.len(), held.waits, held.again_at), (0, Some(QueueReason::Memory), Some(2_000)));
        assert_eq!(queue.waits_for("s0000"), Some(QueueReason::Memory));
        assert_eq!(queue.decide(2_000, Some(84.9), &LIMITS).admitted, [id(0)]);
        let turn = if kind == Kind::Spawn { QueueReason::SpawnSpacing } else { QueueReason::Spacing };
        assert_eq!(queue.waits_for("s0001"), Some(turn));
    }
}

#[test]
fn each_that_waits_is_told_why_once_and_when_its_turn_comes() {
    let mut queue = Admission::default();
    submit(&mut queue, Kind::Spawn, 3, 0, &LIMITS);
    queue.decide(0, Some(85.0), &LIMITS);
    let mut told = queue.news();
    told.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(told, [0, 1, 2].map(|n| (id(n), QueueReason::Memory)));
    assert_eq!((queue.news().len(), queue.due(0, &LIMITS).len()), (0, 0), "of memory nobody knows when it is free");
    queue.decide(1_000, None, &LIMITS);
    let mut told = queue.news();
    told.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(told, [1, 2].map(|n| (id(n), QueueReason::SpawnSpacing)), "the first one started");
    let spacing = LIMITS.spawn.cli_spawn_spacing_seconds * 1_000;
    let due = queue.due(1_500, &LIMITS);
    assert_eq!((due[&id(1)], due[&id(2)]), (1_000 + spacing, 1_000 + 2 * spacing));
    for n in [1, 2] {
        queue.decide(1_000 + n * spacing, None, &LIMITS);
        assert_eq!(queue.news(), [], "who starts is told nothing");
    }
    assert!(queue.due(0, &LIMITS).is_empty());
}

#[test]
fn without_the_guard_nothing_is_held_but_restarts_are_paced() {
    let memory = MemoryGuard { session_memory_guard_enabled: false, ..LIMITS.memory };
    let limits = Limits { memory, ..LIMITS };
    let mut queue = Admission::default();
    submit(&mut queue, Kind::Return, 2, 0, &limits);
    let decision = queue.decide(0, Some(99.0), &limits);
    assert_eq!((decision.admitted.len(), decision.again_at), (1, Some(3_000)));
}

#[test]
fn fifty_requests_at_once_make_no_more_than_the_maximum() {
    let limits = spawns(0);
    let mut queue = Admission::default();
    let results: Vec<_> = (0..50).map(|n| queue.submit(&id(n), Kind::Spawn, true, 0, &limits)).collect();
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 3);
    assert_eq!(results[3], Err(TooMany { active: 3, max: 3 }));
    assert_eq!(queue.decide(0, None, &limits).admitted.len(), 3);
    // One ends, one may start; what the person starts counts for nothing.
    queue.submit(&"mine".into(), Kind::Manual, false, 0, &limits).expect("never refused");
    assert!(queue.submit(&id(60), Kind::Spawn, true, 0, &limits).is_err());
    queue.ended("s0001");
    assert_eq!(queue.submit(&id(60), Kind::Spawn, true, 0, &limits), Ok(()));
    assert!(queue.submit(&id(61), Kind::Spawn, true, 0, &limits).is_err());
    // One that is withdrawn before it started gives its place back.
    queue.withdraw("s0060");
    assert_eq!(queue.submit(&id(61), Kind::Spawn, true, 0, &limits), Ok(()));
}

#[test]
fn zero_refuses_all_agent_driven_sessions_and_no_others() {
    let limits = Limits { agent_driven_max_concurrent: 0, ..LIMITS };
    let mut queue = Admission::default();
    assert_eq!(queue.submit(&id(1), Kind::Spawn, true, 0, &limits), Err(TooMany { active: 0, max: 0 }));
    assert_eq!(queue.submit(&id(2), Kind::Spawn, false, 0, &limits), Ok(()));
    assert_eq!(queue.decide(0, None, &limits).admitted, [id(2)]);
}

#[test]
fn agent_driven_sessions_that_come_back_wait_for_a_place_and_hold_up_nobody() {
    let limits = Limits { agent_driven_max_concurrent: 1, ..restarts(1.0, 0.0, 0) };
    let mut queue = Admission::default();
    for (number, is_driven) in [(0, true), (1, true), (2, false)] {
        queue.submit(&id(number), Kind::Return, is_driven, 0, &limits).expect("they only wait");
    }
    assert_eq!(times(&mut queue, 0, &limits), [0.0, 1.0]);
    assert_eq!(queue.waits_for("s0001"), Some(QueueReason::Concurrency));
    assert!(queue.may_drive(&limits).is_err());
    queue.ended("s0000");
    assert_eq!(queue.decide(10_000, None, &limits).admitted, [id(1)]);
}

#[test]
fn a_clock_that_is_set_back_holds_nothing_up() {
    let mut queue = Admission::default();
    submit(&mut queue, Kind::Spawn, 2, 9_000_000, &LIMITS);
    assert_eq!(queue.decide(9_000_000, None, &LIMITS).admitted.len(), 1);
    assert_eq!(queue.decide(0, None, &LIMITS).again_at, Some(5_000));
}

#[derive(Debug, Clone)]
enum Move {
    Submit(usize, u8, bool),
    Withdraw(usize),
    Ended(usize),
    Pass(i64, u8),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => (0..12_usize, 0..3_u8, any::<bool>()).prop_map(|(n, kind, driven)| Move::Submit(n, kind, driven)),
        1 => (0..12_usize).prop_map(Move::Withdraw),
        1 => (0..12_usize).prop_map(Move::Ended),
        4 => (0..8_000_i64, 70..100_u8).prop_map(|(ms, used)| Move::Pass(ms, used)),
    ];
    prop::collection::vec(one, 0..80)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn no_start_comes_early_twice_or_unasked(moves in moves(), max in 0..4_i64) {
        let limits = Limits { agent_driven_max_concurrent: max, ..LIMITS };
        let mut queue = Admission::default();
        let (mut now, mut waiting) = (0, std::collections::BTreeMap::new());
        let mut last = std::collections::BTreeMap::new();
        let mut driven = std::collections::BTreeSet::new();
        for one in moves {
            match one {
                Move::Submit(n, kind, is_driven) => {
                    let kind = [Kind::Manual, Kind::Spawn, Kind::Return][kind as usize];
                    let is_new = is_driven && !driven.contains(&n) && !(waiting.contains_key(&n) && kind != Kind::Manual);
                    let result = queue.submit(&id(n), kind, is_driven, now, &limits);
                    prop_assert_eq!(result.is_err(), is_new && kind == Kind::Spawn && driven.len() as i64 >= max);
                    if result.is_ok() {
                        if is_new { driven.insert(n); }
                        let entry = waiting.entry(n).or_insert(kind);
                        if kind == Kind::Manual { *entry = kind; }
                    }
                }
                Move::Withdraw(n) => {
                    // One that was active before its restart was asked for still is.
                    if waiting.remove(&n).is_some() { queue.withdraw(&id(n)); queue.ended(&id(n)); driven.remove(&n); }
                }
                Move::Ended(n) => { queue.ended(&id(n)); waiting.remove(&n); driven.remove(&n); }
                Move::Pass(ms, used) => {
                    now += ms;
                    let decision = queue.decide(now, Some(f64::from(used)), &limits);
                    for admitted in &decision.admitted {
                        let n: usize = admitted[1..].parse().expect("a number");
                        let kind = waiting.remove(&n).expect("it was asked for and waits");
                        if kind == Kind::Manual { continue }
                        prop_assert!(used < 85, "held");
                        let gap = if kind == Kind::Spawn { 5_000 } else { 3_000 };
                        if let Some(before) = last.insert(kind == Kind::Spawn, now) {
                            prop_assert!(now - before >= gap, "{kind:?} after {} ms", now - before);
                        }
                    }
                    prop_assert!(!waiting.values().any(|kind| *kind == Kind::Manual));
                    prop_assert_eq!(decision.waits.is_some(), !waiting.is_empty());
                }
            }
            prop_assert_eq!(queue.waiting(), waiting.len());
        }
    }
}
