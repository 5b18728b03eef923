//! Timers and jobs of a feature, by a clock that is turned by hand.

use futures_core::future::BoxFuture;
use kit::clock::DAY_MS;
use kit::error::INTERNAL;
use kit::job::{Job, Missed, Rule, Time};
use kit::{Ctx, Feature, Migration, Result};
use schedule::{BATCH, HasSchedule, Schedule, Timer, cancel, due_of, set};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::{HasDb, Tx, params};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, START_MS};

const HOUR: i64 = 3_600_000;
const RING: &str = "bells.ring";
const ASKED: &str = "bells.asked";
const RUNGS: &str = "CREATE TABLE rungs (account_id TEXT NOT NULL, bell TEXT NOT NULL, times BIGINT NOT NULL, \
                     PRIMARY KEY (account_id, bell))";

/// When jobs ran, in hours since the start, and which of them fail.
#[derive(Default)]
struct Seen {
    runs: Mutex<HashMap<&'static str, Vec<i64>>>,
    fails: Mutex<Vec<&'static str>>,
}

impl Seen {
    fn runs(&self, job: &str) -> Vec<i64> {
        self.runs.lock().unwrap().get(job).cloned().unwrap_or_default()
    }
    fn has_fail(&self, name: &'static str) -> bool {
        self.fails.lock().unwrap().contains(&name)
    }
    fn set_fails(&self, names: &[&'static str]) {
        *self.fails.lock().unwrap() = names.to_vec();
    }
}

fn run_job(ctx: Ctx, job: &'static str) -> BoxFuture<'static, Result<()>> {
    Box::pin(async move {
        let seen = ctx.service::<Seen>();
        seen.runs.lock().unwrap().entry(job).or_default().push((ctx.now_ms() - START_MS) / HOUR);
        assert!(!seen.has_fail("panic"), "a job that panics");
        if seen.has_fail(job) { Err(INTERNAL.error("A full disk.")) } else { Ok(()) }
    })
}

/// The effect: counts that a bell rang. Payloads say what else becomes of it.
fn ring(ctx: &Ctx, tx: &mut Tx<'_>, timer: &Timer) -> Result<()> {
    let sql = "INSERT INTO rungs (account_id, bell, times) VALUES ($1, $2, 1) \
         ON CONFLICT (account_id, bell) DO UPDATE SET times = rungs.times + 1";
    tx.execute(sql, params![&timer.account, &timer.key])?;
    match timer.payload.as_str() {
        "daily" => set(tx, &ctx.schedule(), &Timer { due_ms: timer.due_ms + DAY_MS, ..timer.clone() }),
        "fails" if ctx.service::<Seen>().has_fail("timer") => Err(INTERNAL.error("It can't ring.")),
        "panics" if ctx.service::<Seen>().has_fail("timer") => panic!("a timer that panics"),
        _ => Ok(()),
    }
}

fn features() -> Vec<Feature> {
    let job = |name, rule, missed, run| Job { name, what: "a job failed", rule, missed, run };
    let nightly = Rule::Daily(Time::constant(3, 0, 0, 0));
    vec![Feature {
        migrations: &[Migration { number: 1, sql: RUNGS }],
        start: |ctx| {
            if ctx.find_service::<Seen>().is_none() {
                ctx.provide(Arc::new(Seen::default()));
            }
            Box::pin(std::future::ready(Ok(())))
        },
        jobs: vec![
            job("bells.nightly", nightly.clone(), Missed::RunOnce, |ctx| run_job(ctx, "nightly")),
            job("bells.only-in-time", nightly, Missed::Skip, |ctx| run_job(ctx, "in time")),
            Job::every(Duration::from_secs(24 * 3600), "bells.daily", "a job failed", |ctx| run_job(ctx, "daily")),
            Job::every(Duration::from_secs(1), "bells.tick", "a job failed", |ctx| run_job(ctx, "tick")),
        ],
        timers: vec![
            schedule::timers(RING, "a bell didn't ring", ring),
            schedule::prepared_timers(ASKED, "a bell wasn't asked", |ctx, timer| {
                Box::pin(async move {
                    if timer.payload == "moved" {
                        pend(&ctx, &Timer { due_ms: timer.due_ms + HOUR, ..timer.clone() }).await;
                    }
                    Ok(schedule::effect(move |tx| ring(&ctx, tx, &timer)))
                })
            }),
        ],
        ..Feature::named("bells")
    }]
}

fn timer(key: &str, hours: i64, payload: &str) -> Timer {
    let (key, payload) = (key.to_owned(), payload.to_owned());
    Timer { account: ACCOUNT.to_owned(), kind: RING, key, due_ms: START_MS + hours * HOUR, payload }
}

async fn pend(ctx: &Ctx, timer: &Timer) {
    let (timer, schedule) = (timer.clone(), ctx.schedule());
    ctx.db().write(move |tx| set(tx, &schedule, &timer)).await.unwrap();
}

/// How often each bell rang.
async fn rungs(ctx: &Ctx) -> Vec<(String, i64)> {
    let sql = "SELECT bell, times FROM rungs ORDER BY account_id, bell";
    ctx.db().read(|tx| tx.query(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))).await.unwrap()
}

fn rang(all: &[(&str, i64)]) -> Vec<(String, i64)> {
    all.iter().map(|(bell, times)| ((*bell).to_owned(), *times)).collect()
}

#[tokio::test]
async fn a_timer_fires_when_it_is_due_unless_it_was_moved_or_canceled() {
    let program = Program::start(features).await;
    for (key, hours) in [("a", 1), ("b", 1), ("c", 2), ("d", 1)] {
        pend(&program.ctx, &timer(key, hours, "")).await;
    }
    pend(&program.ctx, &Timer { account: OTHER_ACCOUNT.into(), ..timer("z", 1, "") }).await;
    pend(&program.ctx, &timer("b", 3, "")).await;
    let canceled = program.ctx.db().write(|tx| cancel(tx, ACCOUNT, RING, "d")).await.unwrap();
    assert!(canceled && !program.ctx.db().write(|tx| cancel(tx, ACCOUNT, RING, "d")).await.unwrap());
    program.clock.advance_ms(HOUR - 1);
    program.fire_timers().await;
    assert_eq!(rungs(&program.ctx).await, rang(&[]));
    program.clock.advance_ms(1);
    program.fire_timers().await;
    assert_eq!(rungs(&program.ctx).await, rang(&[("a", 1), ("z", 1)]));
    program.clock.advance_ms(10 * HOUR);
    program.fire_timers().await;
    assert_eq!(rungs(&program.ctx).await, rang(&[("a", 1), ("b", 1), ("c", 1), ("z", 1)]));
    // With a clock that was set back, what happened doesn't happen again.
    program.clock.advance_ms(-24 * HOUR);
    program.fire_timers().await;
    program.clock.advance_ms(48 * HOUR);
    program.fire_timers().await;
    assert_eq!(rungs(&program.ctx).await, rang(&[("a", 1), ("b", 1), ("c", 1), ("z", 1)]));
}

#[tokio::test]
async fn a_change_that_is_rolled_back_sets_no_timer() {
    let program = Program::start(features).await;
    let schedule = program.ctx.schedule();
    let write = move |tx: &mut Tx<'_>| {
        set(tx, &schedule, &timer("a", 0, ""))?;
        Err::<(), _>(INTERNAL.error("The change failed."))
    };
    program.ctx.db().write(write).await.unwrap_err();
    program.fire_timers().await;
    assert_eq!(rungs(&program.ctx).await, rang(&[]));
}

#[tokio::test]
async fn effects_happen_once_across_crashes_and_late_ones_at_the_next_start() {
    let mut program = Program::start(features).await;
    pend(&program.ctx, &timer("each", 1, "daily")).await;
    pend(&program.ctx, &timer("once", 30, "")).await;
    for day in 1..=3 {
        program = program.crash().await;
        program.clock.advance_ms(DAY_MS);
        program.fire_timers().await;
        program = program.crash().await;
        program.fire_timers().await;
        let each = rungs(&program.ctx).await.into_iter().find(|(bell, _)| bell == "each");
        assert_eq!(each, Some(("each".to_owned(), day)));
    }
    assert_eq!(rungs(&program.ctx).await, rang(&[("each", 3), ("once", 1)]));
}

#[tokio::test]
async fn a_failing_timer_waits_longer_each_time_and_holds_up_no_other() {
    let program = Program::start(features).await;
    let seen = program.ctx.service::<Seen>();
    seen.set_fails(&["timer"]);
    for i in 0..2 * BATCH + 1 {
        pend(&program.ctx, &timer(&format!("bell {i:03}"), 0, "")).await;
    }
    pend(&program.ctx, &timer("bell 050x", 0, "fails")).await;
    pend(&program.ctx, &timer("bell 150x", 0, "panics")).await;
    program.fire_timers().await;
    let rung = rungs(&program.ctx).await;
    assert_eq!(rung.len(), 2 * BATCH + 1);
    assert!(rung.iter().all(|(bell, times)| *times == 1 && !bell.ends_with('x')), "{rung:?}");
    // Each wait is twice the one before, up to an hour.
    let mut waits = Vec::new();
    for _ in 0..14 {
        let before = program.ctx.now_ms();
        let sql = "SELECT next_ms FROM timers WHERE account_id = $1 AND timer_key = 'bell 050x'";
        let next = program.ctx.db().read(|tx| tx.query_one(sql, params![ACCOUNT], |row| row.get::<i64>(0))).await;
        program.clock.advance_ms(next.unwrap() - before);
        waits.push((program.ctx.now_ms() - before) / 1_000);
        program.fire_timers().await;
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600]);
    // It's stored, so that a restart doesn't hurry it, and shown.
    let program = program.crash().await;
    let seen = program.ctx.service::<Seen>();
    seen.set_fails(&["timer"]);
    program.fire_timers().await;
    let failing = program.ctx.schedule().failing(&program.ctx, ACCOUNT).await.unwrap();
    let shown: Vec<_> =
        failing.iter().map(|one| (one.name.as_str(), one.timers, one.attempts, one.failed_ms)).collect();
    assert_eq!(shown, [(RING, Some(2), 15, program.ctx.now_ms())]);
    assert_eq!(program.ctx.schedule().failing(&program.ctx, OTHER_ACCOUNT).await.unwrap(), []);
    seen.set_fails(&[]);
    program.clock.advance_ms(HOUR);
    program.fire_timers().await;
    assert_eq!(rungs(&program.ctx).await.len(), 2 * BATCH + 3);
    assert_eq!(program.ctx.schedule().failing(&program.ctx, ACCOUNT).await.unwrap(), []);
}

#[tokio::test]
async fn a_timer_that_is_moved_while_it_is_prepared_has_no_effect_yet() {
    let program = Program::start(features).await;
    pend(&program.ctx, &Timer { kind: ASKED, ..timer("a", 0, "moved") }).await;
    program.fire_timers().await;
    assert_eq!(rungs(&program.ctx).await, rang(&[]));
    let due = program.ctx.db().read(|tx| due_of(tx, ACCOUNT, ASKED, "a")).await.unwrap();
    assert_eq!(due, Some(START_MS + HOUR));
}

#[tokio::test]
async fn a_restart_repeats_no_job_of_a_calendar_and_runs_a_missed_one_once() {
    let mut program = Program::start(features).await;
    let mut all: HashMap<&str, Vec<i64>> = HashMap::new();
    // Noon; then over three nights, of which the last two are missed; the clock goes back a day at the end.
    for hours in [0, 1, 14, 1, 1, 57, 1, -24, 20] {
        program = program.crash().await;
        program.clock.advance_ms(hours * HOUR);
        program.run_due().await;
        program.run_due().await;
        let seen = program.ctx.service::<Seen>();
        for job in ["nightly", "in time", "daily"] {
            all.entry(job).or_default().extend(seen.runs(job));
        }
        assert_eq!(seen.runs("tick").len(), 1, "what repeats often runs at each start");
    }
    // 3:00 is 15 hours after noon.
    assert_eq!(all["nightly"], [15, 74]);
    assert_eq!(all["daily"], [0, 74], "an interval");
    assert_eq!(all["in time"], [15], "a late one was skipped");
}

#[tokio::test]
async fn a_failing_job_is_tried_again_and_shown() {
    let program = Program::start(features).await;
    let seen = program.ctx.service::<Seen>();
    for (fails, attempts) in [("nightly", 1), ("panic", 2)] {
        seen.set_fails(&[fails]);
        program.clock.advance_ms(if attempts == 1 { 15 * HOUR } else { 1_000 });
        program.run_due().await;
        let failing = program.ctx.schedule().failing(&program.ctx, ACCOUNT).await.unwrap();
        let nightly = failing.iter().find(|one| one.name == "bells.nightly").expect("it's shown");
        assert_eq!((nightly.attempts, nightly.failed_ms, nightly.timers), (attempts, program.ctx.now_ms(), None));
    }
    seen.set_fails(&[]);
    program.clock.advance_ms(2_000);
    program.run_due().await;
    assert_eq!(program.ctx.schedule().failing(&program.ctx, ACCOUNT).await.unwrap(), []);
    assert_eq!(seen.runs("nightly"), [15, 15, 15]);
}

/// Lets the running schedule go on until this holds. Time is paused: it passes only while everything waits.
async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..10_000 {
        if holds().await {
            return;
        }
        tokio::task::yield_now().await;
        tokio::task::spawn_blocking(|| ()).await.unwrap();
    }
    panic!("never: {what}");
}

#[tokio::test(start_paused = true)]
async fn the_running_schedule_wakes_for_changes_and_jumps_of_the_clock() {
    let program = Program::start(features).await;
    program.ctx.schedule().start(&program.ctx);
    // By the clock a day passes, by the computer's timers, which stopped while it slept, two minutes.
    pend(&program.ctx, &timer("far", 20, "")).await;
    program.clock.advance_ms(DAY_MS);
    tokio::time::sleep(Duration::from_secs(120)).await;
    until("the sleep is noticed", async || rungs(&program.ctx).await == rang(&[("far", 1)])).await;
    pend(&program.ctx, &timer("now", 0, "")).await;
    until("a change wakes it", async || rungs(&program.ctx).await.len() == 2).await;
    let seen = program.ctx.service::<Seen>();
    until("the missed job ran", async || seen.runs("nightly") == [24]).await;
    program.ctx.db().close().await;
}

#[tokio::test]
async fn a_job_runs_early_once_however_often_it_is_asked_for() {
    let program = Program::start(features).await;
    program.run_due().await;
    for _ in 0..3 {
        program.ctx.schedule().run_soon(&program.ctx, "bells.nightly", Duration::from_secs(1));
    }
    program.run_due().await;
    assert_eq!(program.ctx.service::<Seen>().runs("nightly"), Vec::<i64>::new());
    program.clock.advance_ms(1_000);
    program.run_due().await;
    program.run_due().await;
    assert_eq!(program.ctx.service::<Seen>().runs("nightly"), [0]);
}

#[tokio::test]
async fn a_kind_that_no_feature_declares_is_refused() {
    let program = Program::start(features).await;
    let schedule = Arc::new(Schedule::new(&[]));
    let write = move |tx: &mut Tx<'_>| set(tx, &schedule, &timer("a", 0, ""));
    let error = program.ctx.db().write(write).await.unwrap_err();
    assert!(error.detail().contains("bells.ring"), "{error}");
}
