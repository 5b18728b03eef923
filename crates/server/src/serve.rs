//! Accepts connections and passes each request through the guard to its operation.

use crate::body::Body;
use crate::connections::{Connection, ConnectionPool, ConnectionStream};
use crate::interface::Interface;
use crate::limits::Limits;
use crate::meter::Meters;
use crate::pages::{self, Pages};
use crate::reply::Response;
use crate::route::{Found, Table};
use crate::{codes, guard, reply, route};
use http::request::Parts;
use http::{HeaderValue, Method, Request, StatusCode, header};
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use kit::{Authenticator, Caller, Code, Ctx, Error, Kind, Op, Result, error};
use std::convert::Infallible;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::ops::Range;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;

/// Callers whose requests are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// All callers with a token.
    Full,
    /// Only the owner's page and tokens from its sign-ins, if the setting `cliServerEnabled` is off.
    OwnerPageOnly,
}

/// The server's parts.
pub struct Door {
    /// Context of handlers. The event bus must have been provided.
    pub ctx: Ctx,
    /// All operations, [`ops`](crate::ops) among them.
    pub ops: Vec<Op>,
    /// The web UI's files.
    pub pages: Arc<dyn Pages>,
    /// Identifies callers by token.
    pub authenticator: Arc<dyn Authenticator>,
    /// Identifies this run of the program.
    pub instance_id: String,
    /// The program's version.
    pub version: &'static str,
    /// All error codes, for the OpenAPI document.
    pub codes: Vec<&'static Code>,
    /// Callers whose requests are accepted.
    pub only: Access,
    /// Limits of sizes, times, and counts.
    pub limits: Limits,
}

/// Number of requests with unknown tokens; a service of the context while the server runs.
#[derive(Default)]
pub struct UnknownTokens(AtomicU64);

impl UnknownTokens {
    /// Number since Pilothouse started.
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// State shared by requests.
pub(crate) struct Served {
    pub(crate) ctx: Ctx,
    pub(crate) pages: Arc<dyn Pages>,
    pub(crate) authenticator: Arc<dyn Authenticator>,
    pub(crate) interface: Arc<Interface>,
    pub(crate) limits: Limits,
    pub(crate) meters: Arc<Meters>,
    hosts: guard::Hosts,
    only: Access,
    nobody: Caller,
    unknown_tokens: Arc<UnknownTokens>,
}

/// A request's caller, after the guard.
pub(crate) struct Admitted {
    pub(crate) caller: Caller,
    pub(crate) token: Option<Arc<str>>,
}

impl Served {
    /// The error for a missing token.
    pub(crate) fn no_token(&self) -> Error {
        match self.only {
            Access::Full => error::NO_TOKEN.error("Send a token: Authorization: Bearer TOKEN. The command-line token is in the file cli-token of the data directory."),
            Access::OwnerPageOnly => control_server_off(),
        }
    }

    async fn admit(&self, head: &Parts) -> Result<Admitted> {
        let Some(token) = guard::bearer(&head.headers)? else {
            return Ok(Admitted { caller: self.nobody.clone(), token: None });
        };
        let Some(caller) = self.authenticator.caller(token) else {
            self.unknown_tokens.0.fetch_add(1, Ordering::Relaxed);
            self.hold_back_guess().await;
            return Err(error::NO_TOKEN.error("The token is unknown, revoked, or expired."));
        };
        if self.only == Access::OwnerPageOnly && !(caller.kind == Kind::Owner && caller.logged_in) {
            return Err(control_server_off());
        }
        Ok(Admitted { caller, token: Some(token.into()) })
    }

    /// Delays the response to an unknown token or sign-in code. A caller that reconnects isn't slowed: secrets are
    /// protected by their length.
    pub(crate) async fn hold_back_guess(&self) {
        hold_back(&self.limits.unknown_token_delay).await;
    }
}

/// Waits for a random time in this range.
pub(crate) async fn hold_back(delay: &Range<Duration>) {
    // A new hasher has a random key, which is random enough here.
    let part = (RandomState::new().hash_one(()) % 1024) as f64 / 1024.0;
    tokio::time::sleep(delay.start + (delay.end - delay.start).mul_f64(part)).await;
}

/// The ports of listeners, which must all use loopback addresses.
pub(crate) fn ports_of(listeners: &[TcpListener]) -> io::Result<Vec<u16>> {
    let mut ports = Vec::new();
    for listener in listeners {
        let address = listener.local_addr()?;
        if !address.ip().is_loopback() {
            let what = format!("{address} is not a loopback address");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        ports.push(address.port());
    }
    ports.dedup();
    Ok(ports)
}

fn control_server_off() -> Error {
    codes::CONTROL_SERVER_OFF
        .error(
            "The setting cliServerEnabled is off: only your own page is served. Turn it on in Settings (`pilothouse open`), \
             or quit Pilothouse and run `pilothouse settings set cliServerEnabled true --offline`.",
        )
        .with("setting", "cliServerEnabled")
}

impl Door {
    /// Serves until `shutdown`, then lets open requests end. The listeners must use loopback addresses. Their ports
    /// determine the accepted host names.
    pub async fn serve(self, listeners: Vec<TcpListener>, shutdown: impl Future<Output = ()>) -> io::Result<()> {
        let ports = ports_of(&listeners)?;
        let (closing, closed) = watch::channel(false);
        let served = Arc::new(self.served(ports, closed.clone()));
        let table = Arc::new(Table::new(&served.interface.ops)?);
        let pool = ConnectionPool::new(&served.limits);
        let mut accepting = JoinSet::new();
        for listener in listeners {
            accepting.spawn(accept(listener, served.clone(), table.clone(), pool.clone(), closed.clone()));
        }
        shutdown.await;
        accepting.abort_all();
        closing.send_replace(true);
        if tokio::time::timeout(served.limits.shutdown_time, pool.emptied()).await.is_err() {
            tracing::warn!("requests were still open when their time was up");
        }
        Ok(())
    }

    /// Everything that requests share, on these ports.
    pub(crate) fn served(self, ports: Vec<u16>, closed: watch::Receiver<bool>) -> Served {
        let heartbeat = self.limits.heartbeat;
        let interface = Interface::new(self.ops, self.codes, self.instance_id, self.version, heartbeat, closed);
        let (interface, unknown_tokens) = (Arc::new(interface), Arc::new(UnknownTokens::default()));
        self.ctx.provide(interface.clone());
        self.ctx.provide(unknown_tokens.clone());
        Served {
            ctx: self.ctx,
            pages: self.pages,
            authenticator: self.authenticator,
            interface,
            meters: Meters::new(&self.limits),
            hosts: guard::Hosts::of_ports(ports),
            only: self.only,
            nobody: Caller::new(Kind::Public, "", "public"),
            unknown_tokens,
            limits: self.limits,
        }
    }
}

async fn accept(
    listener: TcpListener,
    served: Arc<Served>,
    table: Arc<Table>,
    pool: Arc<ConnectionPool>,
    closing: watch::Receiver<bool>,
) {
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of file descriptors, most likely: give others the time to close.
                tracing::warn!(%error, "couldn't accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        match pool.permit() {
            Some(permit) => {
                let (served, table, closing) = (served.clone(), table.clone(), closing.clone());
                permit.run(|connection| serve_connection(stream, served, table, connection, closing));
            }
            None => turn_away(&stream),
        }
    }
}

/// Waits until the server is being shut down.
pub(crate) async fn closed(closing: &mut watch::Receiver<bool>) {
    // A dropped sender means the same.
    let _ = closing.wait_for(|closing| *closing).await;
}

/// Sends an error for too many connections and closes this one.
fn turn_away(stream: &TcpStream) {
    let error = codes::TOO_MANY_CONNECTIONS.error("All connections are busy.").retry_after(1);
    let mut full = format!("HTTP/1.1 {}\r\nconnection: close\r\n", StatusCode::SERVICE_UNAVAILABLE).into_bytes();
    for (name, value) in &reply::sealed_head(&error) {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            full.extend_from_slice(part);
        }
    }
    let problem = reply::text(&error);
    full.extend_from_slice(format!("content-length: {}\r\n\r\n", problem.len()).as_bytes());
    full.extend_from_slice(&problem);
    // Its data is read first, because closing with unread data would lose the response.
    let _ = stream.try_read(&mut [0; 16 * 1024]);
    if let Err(error) = stream.try_write(&full) {
        tracing::debug!(%error, "a connection was closed without an answer");
    }
}

async fn serve_connection(
    stream: TcpStream,
    served: Arc<Served>,
    table: Arc<Table>,
    connection: Arc<Connection>,
    mut closing: watch::Receiver<bool>,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "the network may delay answers");
    }
    let service = service_fn(|request| {
        let (served, table, connection) = (served.clone(), table.clone(), connection.clone());
        async move { Ok::<_, Infallible>(answer(&served, &table, &connection, request).await) }
    });
    speak(stream, &served.limits, connection.clone(), service, &mut closing).await;
}

/// Serves HTTP on a connection within its limits, until it ends or the program does. Open requests are completed.
pub(crate) async fn speak<S>(
    stream: TcpStream,
    limits: &Limits,
    connection: Arc<Connection>,
    service: S,
    closing: &mut watch::Receiver<bool>,
) where
    S: Service<Request<Incoming>, Response = Response, Error = Infallible>,
{
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.head_time).max_header_size(limits.head_bytes);
    let mut stream = TimeoutStream::new(ConnectionStream { stream, connection });
    stream.set_write_timeout(Some(limits.unread_time));
    let stream = Box::pin(stream);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closed(closing) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Handles a request: the guard, open paths, the token, then the operations.
async fn answer(
    served: &Arc<Served>,
    table: &Table,
    connection: &Arc<Connection>,
    request: Request<Incoming>,
) -> Response {
    let asking = connection.asks();
    let (head, body) = request.into_parts();
    let body = Body::new(body, &head, &served.limits);
    let bodiless = head.method == Method::HEAD;
    // If the token has too many connections, this one is closed.
    let mut is_last = false;
    let outcome = match pass(served, &head).await {
        Ok(Passed::Answered(response)) => Ok(response),
        Ok(Passed::Admitted(admitted)) => {
            let known = if admitted.token.is_some() { connection.is_known(&admitted.caller) } else { Ok(()) };
            is_last = known.is_err();
            match known.and_then(|()| table.find(served, &admitted.caller, &head)) {
                Ok(Found::Operation(begun)) => route::run(served, admitted, begun, head, body).await,
                Ok(Found::Nothing(response)) => Ok(response),
                Err(refusal) => Err(refusal),
            }
        }
        Err(refusal) => Err(refusal),
    };
    let mut response = outcome.unwrap_or_else(|refusal| reply::problem(&refusal));
    if is_last {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    if bodiless {
        reply::drop_body(&mut response);
    }
    reply::seal(&mut response);
    // An event stream counts as a request while it lasts.
    reply::while_sent(response, asking)
}

pub(crate) enum Passed {
    Answered(Response),
    Admitted(Admitted),
}

/// The guard: returns a response that needs no token, or the caller.
pub(crate) async fn pass(served: &Served, head: &Parts) -> Result<Passed> {
    let host = guard::check(&served.hosts, head)?;
    if let Some(answer) = pages::open(served, head, host) {
        guard::check_count(served.limits.headers, &head.headers)?;
        return answer.map(Passed::Answered);
    }
    served.admit(head).await.map(Passed::Admitted)
}
