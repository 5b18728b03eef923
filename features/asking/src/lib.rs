//! What sessions ask a person for without seeing it: values to be typed, and keys that they offer to be kept.
//!
//! Invariants: a value is in the place that it is meant for and nowhere else: in no table, record of changes, event, log, error or
//! row of the inbox, and in no answer but to the person who looks an offered key through; what is asked is decided once, whoever
//! comes first; nothing is kept that the person did not give or save.
//! Deliberately not here: how values are kept, which is `crates/secrets`, and starting sessions, which asks for their variables by
//! `kit::lookup::SessionEnv`.

mod ask;
mod decide;
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
        errors: errors::CODES,
        faults: fault::FAULTS,
        ops: [ask::ops(), decide::ops(), kept::ops()].concat(),
        groups: &[
            ("asks", "Values that sessions request without seeing them, and keys they propose"),
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

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        INPUT_REQUESTS_DISABLED = 403 "input-requests-disabled" "Input requests are off" : "The setting agentInputRequestsEnabled is off. Turn it on to let sessions request values.";
        KEY_PROPOSALS_DISABLED = 403 "key-proposals-disabled" "Key proposals are off" : "The setting agentKeyProposalsEnabled is off. Turn it on to let sessions propose keys.";
        DECIDED = 409 "already-decided" "Already decided" : "A request can be answered only once. Nothing was changed; make a new request for another value.";
        SECRETS_UNAVAILABLE = 503 "secrets-unavailable" "Secrets aren't available" : "Couldn't use the system keychain or the folder `secrets` of the data directory; the detail says why. The request stays open.";
    }
}

/// What is wrong at single places, beside what `kit::fault` has for all.
mod fault {
    kit::faults! {
        NO_SESSION = "no-session" : "An environment variable needs a session: use a session's token, or name one in `X-App-Source-Session-Id`.";
        RESERVED_NAME = "reserved-name" : "This variable is reserved because it affects which programs run or where they connect. Choose another name.";
    }
}

#[cfg(test)]
mod tests;
