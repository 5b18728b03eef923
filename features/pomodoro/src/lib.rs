//! Pomodoro: focus blocks and breaks that follow each other, started by hand or by rules, with Focus Mode and statistics.
//!
//! Invariants: a phase ends once, across crashes; a focus block is counted once; Focus Mode is left alone once you toggle it
//! by hand during a run.
//! Deliberately not here: Focus Mode itself, which is `features/notifications` (`kit::lookup::FocusBlocks`).

mod focus;
mod ops;
mod phases;
mod presets;
mod rows;
mod rules;
mod run;
mod settings;
mod stats;

use kit::lookup::DesktopWindow;
use kit::{Feature, Migration, Obstacle};

static OBSTACLES: [Obstacle; 1] = [Obstacle {
    setting: &settings::pomodoroPhaseForeground,
    why: |ctx, account| ctx.find_service::<DesktopWindow>()?.0.obstacle(account),
}];

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        obstacles: &OBSTACLES,
        migrations: &[Migration { number: 1, sql: include_str!("../migrations/001_pomodoro.sql") }],
        errors: &[errors::CODES],
        ops: [ops::ops(), stats::ops(), presets::ops(), rules::ops()].concat(),
        groups: &[
            ("pomodoro", "Focus blocks and breaks"),
            ("pomodoro presets", "Lengths of focus blocks and breaks"),
            ("pomodoro rules", "Rules that start runs on days of the week"),
        ],
        timers: vec![phases::timers(), focus::timers(), rules::timers()],
        ..Feature::named("pomodoro")
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        POMODORO_RUNNING = 409 "pomodoro-running" "A run is active" : "A run is active. Stop it before you start another one.";
        POMODORO_IDLE = 409 "pomodoro-idle" "Not possible in this state" : "No run is active, or it's already paused or running. Check it with `pilothouse pomodoro get`.";
    }
}

#[cfg(test)]
mod tests;
