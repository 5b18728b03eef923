//! Input requests and key proposals: values that you enter and sessions can't see, and keys that sessions propose to
//! store.
//!
//! Invariants: a value is only at its destination, never in a table, change log, event, log, error, or inbox row, and
//! in no answer except to the user who reviews a proposed key; a request is decided once, by the first decision;
//! nothing is stored that the user didn't provide or save.
//! Deliberately not here: storing values, which is `crates/secrets`, and starting sessions, which gets variables
//! through `kit::lookup::SessionEnv`.

mod ask;
mod decide;
pub mod errors;
mod fault;
mod inbox_kinds;
mod keep;
mod kept;
mod rows;
mod settings;

pub use settings::{agentInputRequestsEnabled, agentKeyProposalsEnabled};

use keep::Keeper;
use kit::{Ctx, DataDir, Feature, Job, Migration, Result};
use secrets::Vaults;
use std::sync::Arc;
use std::time::Duration;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        migrations: &[Migration { number: 1, sql: include_str!("../migrations/001_asking.sql") }],
        errors: &[errors::CODES],
        faults: &[fault::FAULTS],
        inbox_kinds: inbox_kinds::ALL,
        ops: [ask::ops(), decide::ops(), kept::ops()].concat(),
        groups: &[
            ("asks", "Input requests and key proposals of sessions. For an engine's questions, use `sessions asks`"),
            ("secrets", "Stored secrets, by name"),
        ],
        start: |ctx| Box::pin(start(ctx)),
        jobs: vec![Job::every(
            Duration::from_secs(60 * 60),
            "asking.unused-values",
            "couldn't delete unused values",
            |ctx| Box::pin(async move { ctx.service::<Keeper>().forget_loose().await }),
        )],
        stop: |ctx| Box::pin(async move { ctx.service::<Keeper>().close() }),
        ..Feature::named("asking")
    }
}

async fn start(ctx: Ctx) -> Result<()> {
    let vaults = ctx.find_service::<Vaults>();
    // The program provides the system's keychain; without it, files are used.
    let vaults = vaults.unwrap_or_else(|| Arc::new(Vaults::in_files(&ctx.service::<DataDir>().0)));
    let keeper = Arc::new(Keeper::new(ctx.clone(), vaults));
    ctx.provide(keeper.clone());
    ctx.provide(Arc::new(kit::lookup::SessionEnv(Box::new(kept::Given(keeper)))));
    Ok(())
}

#[cfg(test)]
mod tests;
