//! Team time: the local times and working hours of the team, and a planner for meetings.
//!
//! Invariants: all times are computed from time zones by name, so they hold across changes of clocks; members' names and
//! time zones are read from their directory and stored nowhere else.

mod hours;
mod ops;
mod people;
mod plan;
mod settings;

use kit::{Feature, Migration};

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        migrations: &[Migration { number: 1, sql: include_str!("../migrations/001_team.sql") }],
        errors: &[errors::CODES],
        ops: ops::ops(),
        groups: &[("team", "Local times and working hours of your team"), ("team people", "People of your team")],
        ..Feature::named("team-time")
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        TEAM_TIME_DISABLED = 403 "team-time-disabled" "Team time is off" : "The setting teamTimeEnabled is off. Turn it on to see your team's local times.";
        TEAM_FULL = 409 "team-full" "People limit reached" : "The limit is 200 people besides members. Delete one.";
    }
}

#[cfg(test)]
mod tests;
