//! Models for small questions: providers and their keys, the utility model, prices, and who spent what.
//!
//! Invariants: a key is in the keychain or a sealed file, and in no answer; a provider's name is unique; a model that answers
//! nothing is chosen by nobody but you.
//! Deliberately not here: asking, which is `crates/models`, and what was spent, which is `crates/ledger`.

mod choices;
pub mod errors;
mod notices;
mod prices;
mod probe;
mod providers;
mod usage;

use kit::feature::Purpose;
use kit::{Ctx, DataDir, Feature, Result};
use models::{Models, Outcomes};
use outbound::Outbound;
use secrets::Vaults;
use std::sync::Arc;
use std::time::Duration;
use store::HasDb;

/// The first wait before a provider that is overloaded is asked again.
const RETRY_WAIT: Duration = Duration::from_secs(1);

/// Tests of a provider.
pub(crate) static TEST: Purpose = Purpose { name: "test", label: "Tests of models" };

static PURPOSES: &[&Purpose] = &[&TEST];

/// This feature.
pub fn feature() -> Feature {
    Feature {
        migrations: models::MIGRATIONS,
        errors: &[errors::CODES],
        inbox_kinds: notices::KINDS,
        purposes: PURPOSES,
        ops: [choices::ops(), providers::ops(), probe::ops(), prices::ops(), usage::ops()].concat(),
        groups: &[
            ("models", "The models that answer small questions, such as titles and digests"),
            ("models providers", "Where models answer, and their keys"),
            ("models prices", "Your own prices of models"),
            ("usage", "Spending by day, purpose, hub, and session"),
        ],
        start: |ctx| Box::pin(start(ctx)),
        ..Feature::named("model-providers")
    }
}

async fn start(ctx: Ctx) -> Result<()> {
    // The program provides the system's keychain; without it, files are used.
    let vaults =
        ctx.find_service::<Vaults>().unwrap_or_else(|| Arc::new(Vaults::in_files(&ctx.service::<DataDir>().0)));
    ctx.provide(Arc::new(Models::new(Arc::new(Outbound::default()), vaults, RETRY_WAIT)));
    ctx.provide(Arc::new(Outcomes(Box::new(notices::Follower))));
    // Calls that the program's end left open have no outcome any more. On a full disk they're closed at a later start.
    if let Err(why) = ctx.db().write(|tx| ledger::close_open(tx, None)).await {
        tracing::warn!("couldn't close questions that were under way: {why}");
    }
    Ok(())
}

#[cfg(test)]
mod tests;
