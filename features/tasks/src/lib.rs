//! Tasks: a nested outline in each hub, with due dates, snoozing, priorities, and sessions that work on them.
//!
//! Invariants: each change takes a revision of its own, by which pages follow; every part of a task has the revision of its
//! last change, so that an edit that replaces a newer one says so, with what it replaced; a task is in its parent's hub; no
//! task is below itself; what is deleted can be restored for 30 days.
//! Deliberately not here: times in words, which is `crates/when`, and sessions, which `kit::lookup` reads.

mod caught;
mod changes;
mod due;
mod edit;
mod errors;
mod fault;
mod input;
mod mirror;
mod ops;
mod outline;
mod place;
mod record;
mod rows;
mod session;
mod settings;
mod task;

use kit::feature::Purpose;
use kit::{Feature, Job, Migration};
use std::sync::Arc;
use std::time::Duration;

/// Time between removals of tasks that were deleted long ago.
const SWEEP: Duration = Duration::from_secs(24 * 60 * 60);

/// Time between looks at files and tasks, so that a change of either is in the other within two seconds.
const LOOK: Duration = Duration::from_secs(1);

/// Time between looks at sessions that ended before Pilothouse did; others are read at once.
const LATE: Duration = Duration::from_secs(60 * 60);

static PURPOSES: &[&Purpose] = &[&caught::PURPOSE];

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        migrations: &[
            Migration { number: 1, sql: include_str!("../migrations/001_tasks.sql") },
            Migration { number: 2, sql: include_str!("../migrations/002_mirrors.sql") },
            Migration { number: 3, sql: include_str!("../migrations/003_caught.sql") },
        ],
        errors: &[errors::CODES],
        faults: &[fault::FAULTS],
        purposes: PURPOSES,
        ops: [ops::ops(), changes::ops(), session::ops(), mirror::ops(), caught::ops()].concat(),
        groups: &[
            ("tasks", "Tasks: an outline in each hub, with due dates"),
            ("tasks files", "The tasks.md of each hub"),
            ("tasks caught", "Follow-ups caught in ended sessions"),
        ],
        start: |ctx| {
            ctx.provide(Arc::new(mirror::Mirrors::default()));
            Box::pin(std::future::ready(Ok(())))
        },
        reactions: vec![caught::reaction()],
        jobs: vec![
            Job::every(SWEEP, "tasks.deleted", "couldn't remove deleted tasks", |ctx| Box::pin(rows::sweep(ctx))),
            Job::every(LOOK, "tasks.files", "couldn't sync tasks.md files", |ctx| Box::pin(mirror::tick(ctx))),
            Job::every(LATE, caught::SCAN, "couldn't catch tasks in ended sessions", |ctx| Box::pin(caught::scan(ctx))),
            Job::every(SWEEP, "tasks.settled", "couldn't remove settled tasks", |ctx| Box::pin(caught::sweep(ctx))),
        ],
        ..Feature::named("tasks")
    }
}

#[cfg(test)]
mod tests;
