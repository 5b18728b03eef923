//! Runs the features' background tasks.

use kit::{BackgroundTask, Ctx};
use std::time::Duration;

/// Maximum time between two checks of the clock, because timers stop while the computer sleeps.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// Runs a task at once and then each time it is due, until the database closes.
pub async fn run_repeatedly(ctx: Ctx, task: BackgroundTask) {
    let every_ms = task.every.as_millis() as i64;
    let mut begun_ms = None;
    loop {
        let now_ms = ctx.now_ms();
        // A clock that was set back doesn't delay tasks.
        if begun_ms.is_none_or(|begun_ms| !(begun_ms..begun_ms + every_ms).contains(&now_ms)) {
            begun_ms = Some(now_ms);
            match (task.run)(ctx.clone()).await {
                Ok(()) => {}
                Err(error) if error.is(&store::PROGRAM_ENDING) => return,
                // Has no other effect: the task runs again later.
                Err(error) => tracing::warn!(error = ?error, "{}", task.what),
            }
        }
        tokio::time::sleep(task.every.min(LOOK_EVERY)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::clock::FixedClock;
    use kit::error::INTERNAL;
    use std::sync::Arc;
    use testkit::START_MS;

    const HOUR_MS: i64 = 3_600_000;

    /// When it was done, in hours since the start; the second time fails and the fifth finds the program ending.
    #[derive(Default)]
    struct Done(std::sync::Mutex<Vec<i64>>);

    async fn note(ctx: Ctx) -> kit::Result<()> {
        let done = ctx.service::<Done>();
        let mut done = done.0.lock().expect("the lock isn't poisoned");
        done.push((ctx.now_ms() - START_MS) / HOUR_MS);
        match done.len() {
            2 => Err(INTERNAL.error("A full disk.")),
            5 => Err(store::PROGRAM_ENDING.error("The program ends.")),
            _ => Ok(()),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_runs_by_the_clock_through_failures_until_the_program_ends() {
        let clock = Arc::new(FixedClock::at(START_MS));
        let ctx = Ctx::new(clock.clone());
        ctx.provide(Arc::new(Done::default()));
        let daily = BackgroundTask {
            what: "nothing",
            every: Duration::from_secs(24 * 60 * 60),
            run: |ctx| Box::pin(note(ctx)),
        };
        let kept = tokio::spawn(run_repeatedly(ctx.clone(), daily));
        // The timers go on by two minutes at each step, and so the machine slept in between. Last the clock is set back.
        for hours in [0, 23, 1, 23, 30, -40, 23, 1] {
            clock.advance_ms(hours * HOUR_MS);
            tokio::time::sleep(2 * LOOK_EVERY).await;
        }
        kept.await.expect("it ends");
        assert_eq!(*ctx.service::<Done>().0.lock().unwrap(), [0, 24, 77, 37, 61]);
    }
}
