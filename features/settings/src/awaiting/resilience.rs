//! What brings sessions back after a stall, a crash or a restart, and at which pace.

use kit::setting::{int, number, toggle};

kit::settings! {
    "Sessions & Agents" / "resilience, restart and revive" {
        /// Sets how many sessions should run. When fewer do, recently active ones that were interrupted are revived, never one that finished, waits for you or was stopped by you.
        sessionRefillTargetCount: i64 = int(1..=500, 5).unit("sessions");
        /// Limits how many sessions one check, every five minutes, may revive.
        sessionRefillBatch: i64 = int(1..=20, 2).unit("sessions");
        /// Sets how long a revived session is left alone.
        sessionRefillCooldownMinutes: i64 = int(1..=1440, 30).unit("min");
        /// Limits what reviving may cost a day, counting sessions that are paid by use. At the cap it rests until tomorrow; 0 lifts the cap, and the daily limit for each session still holds.
        sessionRefillDailySpendCapUSD: f64 = number(0.0, 100_000.0, 20.0).unit("USD");
        /// Paused sessions may be revived too, and are no longer paused then.
        sessionRefillIncludePaused: bool = toggle(false).stated();
        /// Sessions that you closed may be revived too. One that you stopped with Stop never is.
        sessionRefillAllowReopenUserClosed: bool = toggle(false).stated();
        /// Leaves out sessions that were last active longer ago than this.
        sessionRefillMaxCandidateAgeHours: i64 = int(1..=720, 24).unit("h");
        /// Limits how often one session may be revived in a day.
        sessionRefillMaxRevivesPerSessionPerDay: i64 = int(1..=50, 5).unit("times");
    }
}
