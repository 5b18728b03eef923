//! The proxy in front of development servers: `http://NAME.localhost:PORT` leads to the program with this name.
//!
//! Invariants: it listens on loopback addresses only, on a port of its own, so that no development server shares an origin or
//! cookies with the control server; only hosts below `localhost` are answered, so that pages of other sites can't reach it
//! under their own name; bodies and WebSockets pass through with bounded memory, and nothing ends them for being idle.
//! Deliberately not here: which program has which name, TLS, and HTTP/2.

mod forward;
mod headers;
mod host;
mod pages;

use forward::Forwarder;
use host::Destination;
use http::{Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

/// Maximum bytes of a request's head, and of what is read ahead of a body.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Time to send a request's head.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// Maximum connections at once. Later ones wait.
const CONNECTIONS_MAX: usize = 1_024;
/// Pause after a failure to accept a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

pub(crate) type Body = BoxBody<bytes::Bytes, hyper::Error>;

/// Where a name leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// To a program that listens here.
    Up(SocketAddr),
    /// To a program that doesn't listen yet, or not anymore.
    Starting,
    /// To a program that has ended, with its exit code, if known, and its last lines of output.
    Ended {
        /// The exit code.
        exit_code: Option<i32>,
        /// The last lines.
        lines: Vec<String>,
    },
    /// Nowhere.
    Unknown,
}

/// The names that lead somewhere.
pub trait Routes: Send + Sync + 'static {
    /// Where a name leads, in lower case and without `.localhost`.
    fn target(&self, name: &str) -> Target;
    /// Names of programs that run.
    fn running(&self) -> Vec<String>;
}

/// Listens on the loopback addresses with this port, or another if it's taken.
pub async fn bind(port: u16) -> io::Result<Vec<TcpListener>> {
    let v4 = match TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await {
        Ok(v4) => v4,
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            tracing::info!("port {port} is taken; the proxy of running apps uses another");
            TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?
        }
        Err(error) => return Err(error),
    };
    let port = v4.local_addr()?.port();
    // Browsers try IPv4 too, so a failure of the other costs nothing.
    match TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, port))).await {
        Ok(v6) => Ok(vec![v4, v6]),
        Err(_) => Ok(vec![v4]),
    }
}

struct Shared {
    routes: Arc<dyn Routes>,
    forwarder: Forwarder,
    port: u16,
}

/// Serves until `shutdown`. Open connections end with it.
pub async fn serve(
    listeners: Vec<TcpListener>,
    routes: Arc<dyn Routes>,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    for listener in &listeners {
        if !listener.local_addr()?.ip().is_loopback() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the proxy listens on loopback addresses only"));
        }
    }
    let Some(first) = listeners.first() else { return Ok(()) };
    let port = first.local_addr()?.port();
    let (closing, is_closed) = watch::channel(());
    let shared = Arc::new(Shared { routes, forwarder: Forwarder::new(is_closed), port });
    let free = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut accepting = JoinSet::new();
    for listener in listeners {
        accepting.spawn(accept(listener, shared.clone(), free.clone()));
    }
    shutdown.await;
    accepting.shutdown().await;
    // Ends what was upgraded.
    drop(closing);
    Ok(())
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, free: Arc<Semaphore>) {
    let mut connections = JoinSet::new();
    loop {
        let Ok(permit) = free.clone().acquire_owned().await else { return };
        while connections.try_join_next().is_some() {}
        match listener.accept().await {
            Ok((stream, peer)) => {
                let shared = shared.clone();
                connections.spawn(async move {
                    serve_connection(stream, peer, shared).await;
                    drop(permit);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "couldn't accept a connection for a running app");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn serve_connection(stream: TcpStream, peer: SocketAddr, shared: Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request: Request<Incoming>| {
        let shared = shared.clone();
        async move { Ok::<_, Infallible>(answer(&shared, peer, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    if let Err(error) = connection.await {
        tracing::debug!(%error, "a connection to a running app ended");
    }
}

async fn answer(shared: &Shared, peer: SocketAddr, request: Request<Incoming>) -> Response<Body> {
    if request.method() == Method::CONNECT {
        return pages::plain(StatusCode::METHOD_NOT_ALLOWED, "This proxy leads to running apps only. Open their URLs.");
    }
    let host = match host::of(&request) {
        Ok(host) => host,
        Err(why) => return pages::plain(StatusCode::BAD_REQUEST, why),
    };
    let name = match host::destination(&host) {
        Destination::App(name) => name,
        Destination::Index => return pages::unknown(None, &shared.routes.running(), shared.port),
        Destination::Elsewhere => {
            return pages::plain(
                StatusCode::MISDIRECTED_REQUEST,
                "Running apps have URLs such as http://NAME.localhost.",
            );
        }
    };
    if headers::has_looped(request.headers()) {
        return pages::looped(&name);
    }
    match shared.routes.target(&name) {
        Target::Up(address) => match shared.forwarder.forward(request, address, &host, peer.ip()).await {
            Ok(response) => response,
            Err(error) => {
                tracing::debug!(%error, name, "a running app didn't answer");
                state_page(shared, &name)
            }
        },
        _ => state_page(shared, &name),
    }
}

/// The page in place of a program that doesn't answer.
fn state_page(shared: &Shared, name: &str) -> Response<Body> {
    match shared.routes.target(name) {
        Target::Up(_) => pages::silent(name),
        Target::Starting => pages::starting(name),
        Target::Ended { exit_code, lines } => pages::ended(name, exit_code, &lines),
        Target::Unknown => pages::unknown(Some(name), &shared.routes.running(), shared.port),
    }
}

#[cfg(test)]
mod tests;
