//! Running apps: development servers with a name, behind a proxy at `http://NAME.localhost:PORT`.
//!
//! Invariants: only the user starts an app, because it runs outside any sandbox; what an app started ends with it, and every
//! app ends with Pilothouse; the proxy has a port of its own, so that no app shares an origin with the control server.
//! Deliberately not here: the proxy's HTTP, which is `crates/proxy`, and apps that survive a restart of Pilothouse.

pub mod errors;
mod follow;
mod log;
mod name;
mod ops;
mod place;
mod service;
mod settings;

use kit::{Ctx, Feature};
use service::Apps;
use std::future::Future;
use std::sync::Arc;
use tokio::task::JoinHandle;

/// Describes this feature to the program.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        errors: &[errors::CODES],
        faults: &[errors::FAULTS],
        ops: ops::ops(),
        groups: &[("apps", "Running apps: development servers behind .localhost URLs")],
        start: |ctx| {
            ctx.provide(Arc::new(Apps::default()));
            Box::pin(std::future::ready(Ok(())))
        },
        stop: |ctx| Box::pin(async move { ctx.service::<Apps>().close_all().await }),
        ..Feature::named("running-apps")
    }
}

/// Runs the proxy on this port, or another if it's taken, until `shutdown`. Returns once it listens.
pub async fn serve(ctx: &Ctx, port: u16, shutdown: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    let apps = ctx.service::<Apps>();
    let bound = proxy::bind(port).await.and_then(|listeners| {
        let address = listeners.first().map(|first| first.local_addr()).transpose()?;
        Ok((listeners, address))
    });
    tokio::spawn(async move {
        let served = match bound {
            Ok((listeners, address)) => {
                apps.set_proxy_port(address.map_or(0, |address| address.port()));
                proxy::serve(listeners, apps, shutdown).await
            }
            Err(error) => Err(error),
        };
        if let Err(error) = served {
            tracing::warn!("running apps have no URLs, because their proxy can't listen: {error}");
        }
    })
}

#[cfg(all(test, unix))]
mod tests;
