//! Terminals: the user's own shell in the folder of a session or hub, shown on the page.
//!
//! Invariants: only the user can use a terminal, on the page; neither sessions nor scripts can, whatever their token. What
//! is typed and shown is in memory only. Everything that a terminal started ends with it.

mod errors;
mod ops;
mod output;
mod service;
mod shell;
mod stream;

use kit::{Feature, Job};
use service::Terminals;
use std::sync::Arc;
use std::time::Duration;

/// Describes this feature to the program.
pub fn feature() -> Feature {
    Feature {
        errors: &[errors::CODES],
        ops: ops::ops(),
        start: |ctx| {
            ctx.provide(Arc::new(Terminals::new(&ctx)));
            Box::pin(std::future::ready(Ok(())))
        },
        jobs: vec![Job::every(
            Duration::from_secs(2),
            "terminals.removed-hubs",
            "couldn't check the hubs of terminals",
            |ctx| Box::pin(async move { ctx.service::<Terminals>().close_of_removed_hubs(&ctx).await }),
        )],
        stop: |ctx| Box::pin(async move { ctx.service::<Terminals>().close_all().await }),
        ..Feature::named("terminals")
    }
}

#[cfg(all(test, unix))]
mod tests;
