//! Instruction files: copies of one file under the names that other coding tools read.
//!
//! Invariants: a file that you wrote is replaced only after you say so, and its text can be restored; a file is known to be
//! ours by its hash in the database, not by its header; nothing is written through a link, while the setting is off, or where
//! the source can't be read.
//! Deliberately not here: the instructions that sessions are given, which is `features/sessions`.

mod disk;
pub mod errors;
mod inbox_kinds;
mod ops;
mod record;
mod repository;
mod rows;
mod settings;
mod sync;
mod text;
mod warnings;

use kit::{Feature, Job, Migration};
use std::sync::Arc;
use std::time::Duration;

/// Time between looks at the files.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        migrations: &[Migration { number: 1, sql: include_str!("../migrations/001_instructions.sql") }],
        errors: &[errors::CODES],
        inbox_kinds: inbox_kinds::ALL,
        ops: ops::ops(),
        groups: &[("instructions", "Instruction files of hubs, and their copies for other tools")],
        start: |ctx| {
            ctx.provide(Arc::new(sync::Keeper::default()));
            Box::pin(std::future::ready(Ok(())))
        },
        jobs: vec![Job::every(LOOK_EVERY, "instructions.look", "couldn't look at instruction files", |ctx| {
            Box::pin(sync::tick(ctx))
        })],
        ..Feature::named("instructions")
    }
}

#[cfg(test)]
mod tests;
