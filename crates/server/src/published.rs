//! Published pages: a second door with an origin of its own, which serves them and nothing else.
//!
//! Invariants: it knows no operation, no token and no file of the UI; only GET and HEAD of `/p/ADDRESS` answer, with one page
//! that needs nothing more; whatever else is asked for, an address that was revoked included, gets one and the same 404.
//! Deliberately not here: other addresses than loopback, TLS, CORS, cookies, scripts, and what a page says.

use crate::connections::{Connection, ConnectionPool};
use crate::guard::{self, Hosts};
use crate::limits::Limits;
use crate::reply::{self, Response};
use crate::serve::{hold_back, ports_of, speak};
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Request, StatusCode, header};
use hyper::body::Incoming;
use hyper::service::service_fn;
use std::future::Future;
use std::io;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Path prefix of published pages, before the unguessable part.
pub const PUBLISHED: &str = "/p/";
/// Maximum characters of the unguessable part.
const ADDRESS_CHARS_MAX: usize = 128;
/// Maximum connections. A page is one request.
const CONNECTIONS: usize = 64;
const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

/// A self-contained page.
pub struct PublishedPage {
    /// HTML.
    pub html: Bytes,
    /// Hash of its only style sheet, for the policy: `sha256-…`.
    pub style: String,
}

/// Source of published pages; provided by the app.
pub trait PublishedPages: Send + Sync {
    /// The page that can currently be viewed at this address.
    fn page(&self, address: &str) -> Option<PublishedPage>;
}

struct Served {
    pages: Arc<dyn PublishedPages>,
    hosts: Hosts,
    limits: Limits,
}

/// Serves published pages until `shutdown`, then lets open requests end. The listeners must use loopback addresses.
pub async fn serve_published(
    listeners: Vec<TcpListener>,
    pages: Arc<dyn PublishedPages>,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let hosts = Hosts::of_ports(ports_of(&listeners)?);
    let (closing, is_closed) = watch::channel(false);
    let limits = Limits { connections: limits.connections.min(CONNECTIONS), ..limits };
    let pool = ConnectionPool::new(&limits);
    let shutdown_time = limits.shutdown_time;
    let served = Arc::new(Served { pages, hosts, limits });
    let mut accepting = JoinSet::new();
    for listener in listeners {
        accepting.spawn(accept(listener, served.clone(), pool.clone(), is_closed.clone()));
    }
    shutdown.await;
    accepting.abort_all();
    // The port is free once the listeners are gone.
    while accepting.join_next().await.is_some() {}
    closing.send_replace(true);
    let _ = tokio::time::timeout(shutdown_time, pool.emptied()).await;
    Ok(())
}

async fn accept(listener: TcpListener, served: Arc<Served>, pool: Arc<ConnectionPool>, closing: watch::Receiver<bool>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // No connection has a token here, so one can always be evicted.
                if let Some(permit) = pool.permit() {
                    let (served, closing) = (served.clone(), closing.clone());
                    permit.run(|connection| serve_connection(stream, served, connection, closing));
                }
            }
            Err(error) => {
                tracing::warn!(%error, "couldn't accept a connection for a published page");
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            }
        }
    }
}

async fn serve_connection(
    stream: TcpStream,
    served: Arc<Served>,
    connection: Arc<Connection>,
    mut closing: watch::Receiver<bool>,
) {
    let service = service_fn(|request: Request<Incoming>| {
        let (served, connection) = (served.clone(), connection.clone());
        async move {
            let _asking = connection.asks();
            // Bodies are ignored: the connection ends with the response.
            let (head, _) = request.into_parts();
            Ok::<_, std::convert::Infallible>(answer(&served, &head).await)
        }
    });
    speak(stream, &served.limits, connection.clone(), service, &mut closing).await;
}

async fn answer(served: &Served, head: &Parts) -> Response {
    let mut response = match guard::check_host(&served.hosts, head) {
        // Prevents DNS rebinding by pages of other host names.
        Err(refusal) => reply::problem(&refusal),
        Ok(_) => match page(served, head) {
            Some(page) => of_page(page),
            None => {
                hold_back(&served.limits.unknown_token_delay).await;
                nothing()
            }
        },
    };
    if head.method == Method::HEAD {
        reply::drop_body(&mut response);
    }
    reply::seal(&mut response);
    response.headers_mut().insert(ROBOTS, HeaderValue::from_static("noindex, nofollow, noarchive"));
    response
}

fn page(served: &Served, head: &Parts) -> Option<PublishedPage> {
    if !matches!(head.method, Method::GET | Method::HEAD) || head.headers.len() > served.limits.headers {
        return None;
    }
    let address = head.uri.path().strip_prefix(PUBLISHED)?;
    let is_one = !address.is_empty()
        && address.len() <= ADDRESS_CHARS_MAX
        && address.bytes().all(|sign| sign.is_ascii_alphanumeric());
    if is_one { served.pages.page(address) } else { None }
}

fn of_page(page: PublishedPage) -> Response {
    // `sandbox` limits the page even if markup got into it: no scripts, forms, or origin.
    let policy = format!(
        "default-src 'none'; style-src '{}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
        page.style
    );
    let Ok(policy) = HeaderValue::try_from(policy) else { return nothing() };
    let mut response = Response::new(reply::whole(page.html));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}

/// The response at every other address.
fn nothing() -> Response {
    let mut response = Response::new(reply::whole("Page not found.\n"));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
