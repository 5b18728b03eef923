//! Tasks: a nested outline in each hub, with due dates, snoozing, priorities, and sessions that work on them.
//!
//! Invariants: each change takes a revision of its own, by which pages follow; every part of a task has the revision of its
//! last change, so that an edit that replaces a newer one says so, with what it replaced; a task is in its parent's hub; no
//! task is below itself; what is deleted can be restored for 30 days.
//! Deliberately not here: times in words, which is `crates/when`, and sessions, which `kit::lookup` reads.

mod awaiting;
mod changes;
mod due;
mod edit;
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

use kit::{Feature, Job, Migration};
use std::sync::Arc;
use std::time::Duration;

/// Time between removals of tasks that were deleted long ago.
const SWEEP: Duration = Duration::from_secs(24 * 60 * 60);

/// Time between looks at files and tasks, so that a change of either is in the other within two seconds.
const LOOK: Duration = Duration::from_secs(1);

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: [settings::ALL, awaiting::ALL].concat(),
        awaiting: awaiting::ALL.to_vec(),
        migrations: &[
            Migration { number: 1, sql: include_str!("../migrations/001_tasks.sql") },
            Migration { number: 2, sql: include_str!("../migrations/002_mirrors.sql") },
        ],
        errors: &[errors::CODES],
        faults: &[fault::FAULTS],
        ops: [ops::ops(), changes::ops(), session::ops(), mirror::ops()].concat(),
        groups: &[
            ("tasks", "Tasks: an outline in each hub, with due dates"),
            ("tasks files", "The tasks.md of each hub"),
        ],
        start: |ctx| {
            ctx.provide(Arc::new(mirror::Mirrors::default()));
            Box::pin(std::future::ready(Ok(())))
        },
        jobs: vec![
            Job::every(SWEEP, "tasks.deleted", "couldn't remove deleted tasks", |ctx| Box::pin(rows::sweep(ctx))),
            Job::every(LOOK, "tasks.files", "couldn't sync tasks.md files", |ctx| Box::pin(mirror::tick(ctx))),
        ],
        ..Feature::named("tasks")
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        TASKS_DISABLED = 403 "tasks-disabled" "Tasks are off" : "The setting tasksEnabled is off. Turn it on to use tasks.";
        TASK_CYCLE = 409 "task-cycle" "Task would be below itself" : "A task can't be moved below itself or one of its subtasks. Choose another parent.";
        TASKS_TOO_DEEP = 409 "tasks-too-deep" "Tasks nested too deeply" : "Tasks can be nested up to 20 levels. Choose a parent further up.";
        TASK_EXISTS = 409 "task-exists" "Task exists" : "A task has this ID already. Leave `id` out, or use another one.";
        TASK_DELETED = 409 "task-deleted" "Task was deleted" : "The task is deleted. Restore it to change it.";
        TASK_NOT_DELETED = 409 "task-not-deleted" "Task isn't deleted" : "Only a deleted task can be restored.";
    }
}

/// Problems with single fields of a request.
pub(crate) mod fault {
    kit::faults! {
        NOT_A_DAY = "not-a-day" : "The text isn't a day. Use `tomorrow`, `friday 5pm`, or a date.";
        UNKNOWN_TASK = "unknown-task" : "Task not found.";
        OTHER_HUB = "other-hub" : "The parent is in another hub. Leave `hubId` out, or use the parent's.";
        NOT_A_SIBLING = "not-a-sibling" : "The task isn't below the same parent, in the same hub.";
    }
}

#[cfg(test)]
mod tests;
