//! One decision of the queue of starts while few or many wait; it must not take longer because many do.

use divan::Bencher;
use supervisor::admission::{Admission, Kind, Limits, MemoryGuard, RestartSpacing, SessionId, SpawnSpacing};

fn main() {
    divan::main();
}

const WAITING: [usize; 3] = [10, 1_000, 100_000];
const LIMITS: Limits = Limits {
    spawn: SpawnSpacing { cli_spawn_spacing_seconds: 5 },
    restart: RestartSpacing {
        session_restart_spacing_seconds: 3.0,
        session_restart_spacing_after_warmup_seconds: 0.0,
        session_restart_spacing_warmup_minutes: 0,
    },
    memory: MemoryGuard { session_memory_guard_enabled: true, session_memory_guard_percent: 85 },
    agent_driven_max_concurrent: 10,
};

fn queue(kind: Kind, waiting: usize) -> Admission {
    let mut queue = Admission::default();
    for number in 0..waiting {
        let id: SessionId = format!("session-{number}").into();
        queue.submit(&id, kind, false, 0, &LIMITS).expect("nothing is refused");
    }
    queue
}

/// The next session is started.
#[divan::bench(args = WAITING, consts = [true, false])]
fn start_one<const IS_SPAWN: bool>(bencher: Bencher, waiting: usize) {
    let mut queue = queue(if IS_SPAWN { Kind::Spawn } else { Kind::Return }, waiting);
    let (mut now, mut number) = (0, 0);
    bencher.bench_local(|| {
        now += 5_000;
        let started = queue.decide(now, Some(50.0), &LIMITS).admitted;
        // Another one takes its place, so that as many wait.
        number += 1;
        let id: SessionId = format!("next-{number}").into();
        queue.submit(&id, if IS_SPAWN { Kind::Spawn } else { Kind::Return }, false, now, &LIMITS).expect("taken");
        started
    });
}

/// Nothing may start yet: the pause, or memory that is short.
#[divan::bench(args = WAITING, consts = [true, false])]
fn start_none<const IS_MEMORY: bool>(bencher: Bencher, waiting: usize) {
    let mut queue = queue(Kind::Spawn, waiting);
    queue.decide(0, None, &LIMITS);
    let used = if IS_MEMORY { 99.0 } else { 50.0 };
    bencher.bench_local(|| queue.decide(1_000, Some(used), &LIMITS));
}

/// One that waits is taken out, and another one put in.
#[divan::bench(args = WAITING)]
fn withdraw_one(bencher: Bencher, waiting: usize) {
    let mut queue = queue(Kind::Spawn, waiting);
    let id: SessionId = format!("session-{}", waiting / 2).into();
    bencher.bench_local(|| {
        queue.withdraw(&id);
        queue.submit(&id, Kind::Spawn, false, 0, &LIMITS)
    });
}
