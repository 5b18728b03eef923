//! Digests: a daily briefing, a weekly summary, and a digest of archived sessions.
//!
//! Invariants: each is written once for its period, also across restarts and changes of clocks; without a model it's a table of
//! facts, and with one each statement names the sessions that it's about; agents' words are data to the model; what is off asks
//! nobody.
//! Deliberately not here: what sessions did and what the day has, which `kit::lookup` reads from their features.

mod content;
mod due;
mod ops;
mod rows;
mod settings;
mod sources;
mod summary;
mod write;

use kit::feature::Purpose;
use kit::{Feature, Job, Migration};
use std::time::Duration;

/// Time between looks at what is due.
const LOOK: Duration = Duration::from_secs(60);

static PURPOSES: &[&Purpose] = &[&summary::DAILY, &summary::WEEKLY, &summary::ARCHIVE];

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        migrations: &[Migration { number: 1, sql: include_str!("../migrations/001_digests.sql") }],
        purposes: PURPOSES,
        ops: ops::ops(),
        groups: &[("digests", "Digests of session work")],
        jobs: vec![Job::every(LOOK, "digests.due", "couldn't write a digest", |ctx| Box::pin(write::write_due(ctx)))],
        ..Feature::named("digests")
    }
}

#[cfg(test)]
mod tests;
