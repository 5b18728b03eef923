//! Notices a clock that was set, and a computer that slept: timers stop meanwhile, and the clock goes on.

use kit::Ctx;
use std::sync::Mutex;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// Maximum time between two looks at the clock.
pub const LOOK_EVERY: Duration = Duration::from_secs(60);
/// How far the clock may drift between two looks before it counts as set.
const DRIFT_MAX_MS: i64 = 1_000;

/// Compares the clock with the time that passed.
pub struct ClockWatch {
    last: Mutex<Option<(i64, Instant)>>,
    jumps: watch::Sender<()>,
}

impl Default for ClockWatch {
    fn default() -> Self {
        ClockWatch { last: Mutex::default(), jumps: watch::Sender::new(()) }
    }
}

impl ClockWatch {
    /// The time. Wakes everyone who waits if the clock jumped since the last look.
    pub fn now_ms(&self, ctx: &Ctx) -> i64 {
        let (now_ms, at) = (ctx.now_ms(), Instant::now());
        let before = self.last.lock().expect("the lock isn't poisoned").replace((now_ms, at));
        let jumped = before.is_some_and(|(before_ms, before)| {
            let passed_ms = at.saturating_duration_since(before).as_millis() as i64;
            (now_ms - before_ms - passed_ms).abs() > DRIFT_MAX_MS
        });
        if jumped {
            self.jumps.send_replace(());
        }
        now_ms
    }

    /// Resolves with the next jump after the call.
    pub fn jumps(&self) -> watch::Receiver<()> {
        self.jumps.subscribe()
    }
}
