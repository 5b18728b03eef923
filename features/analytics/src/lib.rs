//! Statistics on the inbox, and hints about the time spent watching agents.
//!
//! Invariants: a statistic has a kind, times, and actions, but no content and no id of the row; it's written in the
//! transaction of the action; nothing is recorded while its setting is off.
//! Deliberately not here: reports to anyone else. Nothing leaves the device.

mod days;
mod report;
mod rows;
mod settings;
mod watching;

use kit::{Feature, Job, Migration};
use std::sync::Arc;
use std::time::Duration;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        migrations: &[Migration { number: 1, sql: include_str!("../migrations/001_analytics.sql") }],
        inbox_kinds: watching::KINDS,
        ops: [report::ops(), rows::ops(), watching::ops()].concat(),
        groups: &[("analytics", "Statistics on the inbox, and time spent watching agents")],
        start: |ctx| {
            inbox_rows::follow(&ctx, Arc::new(rows::Recorder));
            Box::pin(std::future::ready(Ok(())))
        },
        jobs: vec![
            Job::every(
                Duration::from_secs(60 * 60),
                "analytics.watching-recap",
                "couldn't add the card about watching time",
                |ctx| Box::pin(watching::post_recaps(ctx)),
            ),
            Job::every(
                Duration::from_secs(24 * 60 * 60),
                "analytics.old-statistics",
                "couldn't delete old statistics",
                |ctx| Box::pin(rows::sweep(ctx)),
            ),
        ],
        ..Feature::named("analytics")
    }
}

#[cfg(test)]
mod tests;
