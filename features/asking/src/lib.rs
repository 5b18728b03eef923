//! What sessions ask a person for without seeing it: values to be typed, and keys that they offer to be kept.
//!
//! Invariants: a value is in the place that it is meant for and nowhere else: in no table, record of changes, event, log, error or
//! row of the inbox, and in no answer but to the person who looks an offered key through; what is asked is decided once, whoever
//! comes first; nothing is kept that the person did not give or save.
//! Deliberately not here: how values are kept, which is `crates/secrets`, and starting sessions, which asks for their variables by
//! `kit::lookup::SessionEnv`.

mod ask;
mod decide;
pub mod errors;
mod fault;
mod keep;
mod kept;
mod rows;
mod settings;

pub use settings::{agentInputRequestsEnabled, agentKeyProposalsEnabled};

use keep::Keeper;
use kit::{BackgroundTask, Ctx, DataDir, Feature, Migration, Result};
use secrets::Vaults;
use std::sync::Arc;
use std::time::Duration;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        name: "asking",
        settings: settings::ALL.to_vec(),
        awaiting: Vec::new(),
        migrations: &[Migration { number: 1, sql: include_str!("../migrations/001_asking.sql") }],
        errors: &[errors::CODES],
        faults: &[fault::FAULTS],
        ops: [ask::ops(), decide::ops(), kept::ops()].concat(),
        groups: &[
            (
                "asks",
                "Values that sessions request without seeing them, and keys they propose. Plain questions are asked by \
                 the engine: see `sessions asks` and `sessions answer`",
            ),
            ("secrets", "Stored secrets, by name"),
        ],
        start: |ctx| Box::pin(start(ctx)),
        background_tasks: vec![BackgroundTask {
            what: "couldn't delete unused values",
            every: Duration::from_secs(60 * 60),
            run: |ctx| Box::pin(async move { ctx.service::<Keeper>().forget_loose().await }),
        }],
        stop: |ctx| Box::pin(async move { ctx.service::<Keeper>().close() }),
    }
}

async fn start(ctx: Ctx) -> Result<()> {
    let vaults = ctx.find_service::<Vaults>();
    // The program hands in the system's keychain; who runs the feature alone has files.
    let vaults = vaults.unwrap_or_else(|| Arc::new(Vaults::in_files(&ctx.service::<DataDir>().0)));
    let keeper = Arc::new(Keeper::new(ctx.clone(), vaults));
    ctx.provide(keeper.clone());
    ctx.provide(Arc::new(kit::lookup::SessionEnv(Box::new(kept::Given(keeper)))));
    Ok(())
}

#[cfg(test)]
mod tests;
