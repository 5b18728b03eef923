//! 100,000 pending timers: the processor's time while nothing is due, and how late timers fire.

use kit::clock::SystemClock;
use kit::{Clock, Ctx, Feature};
use schedule::{HasSchedule, MIGRATIONS, NAME, Schedule, Timer, set};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use store::{Db, HasDb};

const PENDING: usize = 100_000;
const IDLE: Duration = Duration::from_secs(130);
/// Timers that come due one after the other among the pending ones.
const SPREAD: usize = 1_000;
const SPREAD_MS: i64 = 10_000;
const FAR_MS: i64 = 30 * 24 * 3_600_000;
const KIND: &str = "bench.timer";

/// How late each timer fired, in milliseconds.
#[derive(Default)]
struct Late(Mutex<Vec<i64>>);

fn feature() -> Feature {
    Feature {
        timers: vec![schedule::timers(KIND, "a timer failed", |ctx, tx, timer| {
            // Late is what a person would see: after it is on disk.
            let (ctx, due_ms) = (ctx.clone(), timer.due_ms);
            tx.after_commit(move || ctx.service::<Late>().0.lock().unwrap().push(ctx.now_ms() - due_ms));
            Ok(())
        })],
        ..Feature::named("bench")
    }
}

async fn pend(ctx: &Ctx, name: &'static str, count: usize, due: impl Fn(usize) -> i64 + Send + 'static) {
    let schedule = ctx.schedule();
    let write = move |tx: &mut store::Tx<'_>| {
        for i in 0..count {
            let (key, payload) = (format!("{name}-{i}"), "x".repeat(100));
            set(tx, &schedule, &Timer { account: "a".into(), kind: KIND, key, due_ms: due(i), payload })?;
        }
        Ok(())
    };
    ctx.db().write(write).await.expect("they are set");
}

/// Processor time of this process so far, in seconds. Linux counts it in hundredths.
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    let after_name = stat.rsplit(')').next().expect("fields");
    let ticks = after_name.split_whitespace().skip(11).take(2).map(|field| field.parse::<f64>().expect("a number"));
    ticks.sum::<f64>() / 100.0
}

async fn fired(ctx: &Ctx, count: usize) -> Vec<i64> {
    loop {
        let mut late = ctx.service::<Late>().0.lock().unwrap().clone();
        if late.len() >= count {
            ctx.service::<Late>().0.lock().unwrap().clear();
            late.sort_unstable();
            return late;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    let dir = tempfile::TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let ctx = Ctx::new(Arc::new(SystemClock));
    ctx.provide(Arc::new(Db::open(&dir.path().join("s.db"), &[(NAME, MIGRATIONS)]).expect("a database")));
    ctx.provide(Arc::new(Schedule::new(&[feature()])));
    ctx.provide(Arc::new(Late::default()));
    let far = SystemClock.now_ms() + FAR_MS;
    pend(&ctx, "far", PENDING, move |i| far + i as i64).await;
    let begun = Instant::now();
    ctx.schedule().load(&ctx).await.expect("it loads");
    println!("load {PENDING} pending timers: {:.1} ms", begun.elapsed().as_secs_f64() * 1e3);
    ctx.schedule().start(&ctx);
    tokio::time::sleep(Duration::from_secs(2)).await;

    let before = cpu_s();
    tokio::time::sleep(IDLE).await;
    let share = (cpu_s() - before) / IDLE.as_secs_f64() * 100.0;
    println!("idle with {PENDING} pending timers: {share:.4} % of a core");

    let from = SystemClock.now_ms() + 500;
    pend(&ctx, "spread", SPREAD, move |i| from + i as i64 * SPREAD_MS / SPREAD as i64).await;
    let before = cpu_s();
    let late = fired(&ctx, SPREAD).await;
    let cpu = (cpu_s() - before) / SPREAD as f64 * 1e6;
    let (half, most) = (late[late.len() / 2], late[late.len() * 99 / 100]);
    println!(
        "{SPREAD} timers in {} s: late by {half} ms median, {most} ms 99 %, {} ms at most; {cpu:.0} µs of processor each",
        SPREAD_MS / 1000,
        late[late.len() - 1]
    );

    let (now, begun) = (SystemClock.now_ms(), Instant::now());
    pend(&ctx, "far", PENDING, move |_| now).await;
    let set_s = begun.elapsed().as_secs_f64();
    fired(&ctx, PENDING).await;
    println!("{PENDING} timers due at once: {:.1} s, set in {set_s:.1} s", begun.elapsed().as_secs_f64() - set_s);
    ctx.db().close().await;
}
