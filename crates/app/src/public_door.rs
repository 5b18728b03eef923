//! The server of published pages, which runs only while something is published.

use crate::program::{Failure, bind};
use dashboards::{OpensPublicDoor, PublicDoor, Publications};
use kit::Ctx;
use server::{Limits, PUBLISHED, PublishedPage, PublishedPages, serve_published};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Mutex, oneshot};
use tokio::task::JoinHandle;

/// Interval of checks whether everything has expired. Each request checks too.
const LOOK_EVERY: Duration = Duration::from_secs(60);

/// Published pages by address.
struct Pages(Ctx, Arc<Publications>);

impl PublishedPages for Pages {
    fn page(&self, address: &str) -> Option<PublishedPage> {
        let page = self.1.page(address, self.0.now_ms())?;
        Some(PublishedPage { html: page.html, style: page.style })
    }
}

struct Opened {
    origin: String,
    close: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

struct Keeper {
    ctx: Ctx,
    port: u16,
    limits: Limits,
    opened: Mutex<Option<Opened>>,
}

impl Keeper {
    async fn open(&self) -> Result<String, Failure> {
        let mut opened = self.opened.lock().await;
        if let Some(opened) = &*opened {
            return Ok(opened.origin.clone());
        }
        let listeners: Vec<TcpListener> = bind(self.port, "--publish-port").await?;
        let port = listeners[0].local_addr().map_err(|e| e.to_string())?.port();
        let origin = format!("http://127.0.0.1:{port}{PUBLISHED}");
        let pages = Arc::new(Pages(self.ctx.clone(), self.ctx.service()));
        let (close, closed) = oneshot::channel();
        let limits = self.limits.clone();
        let serving = tokio::spawn(async move {
            let shutdown = async {
                let _ = closed.await;
            };
            if let Err(error) = serve_published(listeners, pages, limits, shutdown).await {
                tracing::error!(%error, "published pages are not served");
            }
        });
        *opened = Some(Opened { origin: origin.clone(), close, serving });
        Ok(origin)
    }

    /// Closes it, unless `still` says that a page can be viewed, checked under the lock.
    async fn close(&self, still: impl Fn() -> bool) {
        let mut opened = self.opened.lock().await;
        if still() {
            return;
        }
        if let Some(Opened { close, serving, .. }) = opened.take() {
            let _ = close.send(());
            let _ = serving.await;
        }
    }

    /// Opens and closes it as pages are published and unpublished.
    async fn keep(&self) {
        let publications = self.ctx.service::<Publications>();
        let changed = publications.changed();
        loop {
            if let Err(error) = publications.end_expired(&self.ctx).await {
                tracing::warn!(error = ?error, "an expired publication couldn't be marked as ended");
            }
            let (any, ends) = publications.in_force(self.ctx.now_ms());
            if !any {
                self.close(|| publications.in_force(self.ctx.now_ms()).0).await;
            } else if let Err(why) = self.open().await {
                tracing::warn!("{why} Published dashboards can't be read until then.");
            }
            let left =
                ends.map_or(LOOK_EVERY, |end| Duration::from_millis((end - self.ctx.now_ms()).max(0) as u64 + 1));
            let _ = tokio::time::timeout(left.min(LOOK_EVERY), changed.notified()).await;
        }
    }
}

struct Handle(Arc<Keeper>);

impl OpensPublicDoor for Handle {
    fn open(&self) -> futures_core::future::BoxFuture<'static, Result<String, String>> {
        let keeper = self.0.clone();
        Box::pin(async move { keeper.open().await })
    }
}

/// Runs the server on this port until `shutdown`. 0 lets the system choose.
pub fn keep(
    ctx: &Ctx,
    port: u16,
    limits: Limits,
    shutdown: impl Future<Output = ()> + Send + 'static,
) -> JoinHandle<()> {
    let keeper = Arc::new(Keeper { ctx: ctx.clone(), port, limits, opened: Mutex::default() });
    ctx.provide(Arc::new(PublicDoor(Box::new(Handle(keeper.clone())))));
    tokio::spawn(async move {
        tokio::select! {
            () = keeper.keep() => {}
            () = shutdown => {}
        }
        keeper.close(|| false).await;
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{owner, program};
    use serde_json::{Value, json};
    use server::testing::{request, send};
    use std::net::SocketAddr;
    use testkit::{Program, refused};

    /// A program with a dashboard; what names it.
    async fn with_dashboard() -> (Program, Value) {
        let program = program().await;
        let workspace = owner(&program, "workspaces.list", json!({})).await.unwrap()["items"][0]["id"].clone();
        let dashboard = owner(&program, "dashboards.create", json!({"workspaceId": workspace, "name": "D"})).await;
        let input = json!({"dashboardId": dashboard.unwrap()["id"]});
        (program, input)
    }

    fn address_and_path(publication: &Value) -> (SocketAddr, String) {
        let address = publication["address"].as_str().unwrap().strip_prefix("http://").unwrap();
        let (host, path) = address.split_once('/').unwrap();
        (host.parse().unwrap(), format!("/{path}"))
    }

    #[tokio::test]
    async fn it_is_open_while_something_is_published() {
        let (program, input) = with_dashboard().await;
        let kept = keep(&program.ctx, 0, Limits::default(), std::future::pending());
        let published = owner(&program, "dashboards.publication.publish", input.clone()).await.unwrap();
        let (at, path) = address_and_path(&published);
        let answer = send(at, &request(at, "GET", &path, None, None)).await.unwrap();
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/html; charset=utf-8")));
        owner(&program, "dashboards.publication.revoke", input.clone()).await.unwrap();
        while TcpListener::bind(at).await.is_err() {
            tokio::task::yield_now().await;
        }
        let published = owner(&program, "dashboards.publication.publish", input).await.unwrap();
        let (again, path) = address_and_path(&published);
        assert_eq!(send(again, &request(again, "GET", &path, None, None)).await.unwrap().status, 200);
        kept.abort();
    }

    #[tokio::test]
    async fn a_port_that_is_taken_is_said_and_nothing_is_published() {
        let (program, input) = with_dashboard().await;
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let kept = keep(&program.ctx, taken.local_addr().unwrap().port(), Limits::default(), std::future::pending());
        let refusal =
            refused(owner(&program, "dashboards.publication.publish", input.clone()).await, "public-door-shut");
        assert!(refusal.detail().ends_with("or start Pilothouse with --publish-port N."), "{}", refusal.detail());
        let told = owner(&program, "dashboards.publication.get", input).await.unwrap();
        assert_eq!(told["published"], false);
        kept.abort();
    }
}
