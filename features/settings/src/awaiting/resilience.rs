//! What brings sessions back after a stall, a crash or a restart, and at which pace.

use kit::setting::{Applies::NextStart, int, int_step, number, toggle};

kit::settings! {
    "Sessions & Agents" / "resilience, restart and revive" {
        /// Restarts a turn that thinks on and on without an answer, once, with the same prompt.
        autoRestartUnresponsiveSessions: bool = toggle(true);
        /// Brings sessions back that were active when the program closed or crashed. Those that ran are asked to go on; those that waited for you wait again.
        autoResumeOnCrash: bool = toggle(true);
        /// Keeps trying, with growing pauses, when a session cannot start because its service is overloaded. Any other error ends the attempts and is shown in red.
        relentlessSessionRelaunch: bool = toggle(false);
        /// Uses the rebuilt session engine. The program chooses it when it starts.
        sessionStoreV2Enabled: bool = toggle(true).stated().applies(NextStart).installation();
        /// Sets the pause from one start to the next while many sessions come back together; 0 takes the built-in pause. A session that you start yourself never waits.
        sessionRestartSpacingSeconds: f64 = number(0.0, 30.0, 3.0).unit("s");
        /// Sets the pause between starts once the warm-up is over; 0 keeps the first pause for all of them.
        sessionRestartSpacingAfterWarmupSeconds: f64 = number(0.0, 30.0, 0.0).unit("s");
        /// Sets how long the first pause counts, from when sessions begin to come back; 0 leaves the warm-up out.
        sessionRestartSpacingWarmupMinutes: i64 = int(0..=60, 0).unit("min");
        /// Holds sessions that are started in bulk while memory is short, and starts them within seconds when it is free. Your own sessions never wait.
        sessionMemoryGuardEnabled: bool = toggle(true);
        /// Sets the share of memory in use at which sessions are held.
        sessionMemoryGuardPercent: i64 = int_step(50..=95, 5, 85).unit("%").requires(&sessionMemoryGuardEnabled);
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
