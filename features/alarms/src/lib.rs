//! Alarms: ring once or on days of the week, at a time of day in a time zone.
//!
//! Invariants: an alarm rings once for each occurrence, across crashes and changes of clocks; what nobody answers ends by itself
//! and is an inbox row; sound comes from the program, so that several pages don't ring together.
//! Deliberately not here: mixing and playing sound, which is `crates/sound`, and Focus Mode, which is `features/notifications`.

mod alarm;
mod inbox_kinds;
mod input;
mod ops;
mod record;
mod rephrase;
mod ring;
mod ringer;
mod rows;
mod settings;

pub use ringer::play_with;

use kit::feature::Purpose;
use kit::lookup::DesktopWindow;
use kit::{Feature, Migration, Obstacle};
use std::sync::Arc;

static PURPOSES: &[&Purpose] = &[&rephrase::PURPOSE];

static OBSTACLES: [Obstacle; 1] = [Obstacle {
    setting: &settings::alarmsBringToForeground,
    why: |ctx, account| ctx.find_service::<DesktopWindow>()?.0.obstacle(account),
}];

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        obstacles: &OBSTACLES,
        migrations: &[Migration { number: 1, sql: include_str!("../migrations/001_alarms.sql") }],
        errors: &[errors::CODES],
        inbox_kinds: inbox_kinds::ALL,
        purposes: PURPOSES,
        ops: ops::ops(),
        groups: &[("alarms", "Alarms: once or on days of the week")],
        start: |ctx| {
            ctx.provide(Arc::new(ringer::Ringer::default()));
            ring::follow(&ctx);
            Box::pin(std::future::ready(Ok(())))
        },
        timers: vec![ring::timers()],
        ..Feature::named("alarms")
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        ALARMS_DISABLED = 403 "alarms-disabled" "Alarms are off" : "The setting alarmsEnabled is off. Turn it on to use alarms.";
        ALARM_NOT_RINGING = 409 "alarm-not-ringing" "Alarm isn't ringing" : "Only a ringing alarm can be snoozed. It was answered or ended before.";
        NO_SNOOZES_LEFT = 409 "no-snoozes-left" "No snoozes left" : "The alarm was snoozed as often as it allows. Dismiss it.";
        NOT_UNDERSTOOD = 422 "alarm-not-understood" "Couldn't understand alarm" : "The sentence has no time, or words that aren't understood. Rephrase it, or use the fields `label`, `time`, `date` or `days`, and `timeZone`.";
    }
}

#[cfg(test)]
mod tests;
