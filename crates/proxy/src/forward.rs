//! Hands a request to a program, and its answer back.

use crate::{Body, headers};
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{Request, Response, StatusCode, Uri, Version, header};
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use tokio::io::copy_bidirectional;
use tokio::sync::watch;

/// Time to connect.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// How long a connection to a program is kept for the next request: less than Node.js keeps it, five seconds.
const IDLE_TIME: Duration = Duration::from_secs(4);
const IDLE_MAX: usize = 16;

type Fault = Box<dyn std::error::Error + Send + Sync>;

pub(crate) struct Forwarder {
    client: Client<HttpConnector, Incoming>,
    /// Closed when the proxy ends.
    closing: watch::Receiver<()>,
}

impl Forwarder {
    pub(crate) fn new(closing: watch::Receiver<()>) -> Forwarder {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT_TIME));
        let client = Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_TIME)
            .pool_max_idle_per_host(IDLE_MAX)
            .set_host(false)
            .build(connector);
        Forwarder { client, closing }
    }

    /// The program's answer. Bodies are passed on as they arrive.
    pub(crate) async fn forward(
        &self,
        mut request: Request<Incoming>,
        to: SocketAddr,
        host: &str,
        caller: IpAddr,
    ) -> Result<Response<Body>, Fault> {
        let upgrade = headers::upgrade_of(request.headers());
        let from_caller = upgrade.is_some().then(|| hyper::upgrade::on(&mut request));
        headers::remove_hop_by_hop(request.headers_mut(), upgrade);
        headers::add_forwarded(request.headers_mut(), host, caller);
        // The caller was told to go on when its body is first read.
        request.headers_mut().remove(header::EXPECT);
        *request.uri_mut() = address(to, request.uri())?;
        *request.version_mut() = Version::HTTP_11;
        let mut response = self.client.request(request).await?;
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            headers::remove_hop_by_hop(response.headers_mut(), None);
            return Ok(response.map(BodyExt::boxed));
        }
        let Some(from_caller) = from_caller else { return Err("it changed the protocol unasked".into()) };
        let from_program = hyper::upgrade::on(&mut response);
        let mut closing = self.closing.clone();
        tokio::spawn(async move {
            let (Ok(caller), Ok(program)) = tokio::join!(from_caller, from_program) else { return };
            let (mut caller, mut program) = (TokioIo::new(caller), TokioIo::new(program));
            // Each direction has one small buffer: a side that doesn't read holds the other up.
            tokio::select! {
                _ = copy_bidirectional(&mut caller, &mut program) => {}
                _ = closing.changed() => {}
            }
        });
        let upgrade = headers::upgrade_of(response.headers());
        headers::remove_hop_by_hop(response.headers_mut(), upgrade);
        Ok(response.map(|_| Empty::new().map_err(|never| match never {}).boxed()))
    }
}

fn address(to: SocketAddr, asked: &Uri) -> Result<Uri, Fault> {
    let path = asked.path_and_query().cloned().unwrap_or(PathAndQuery::from_static("/"));
    let authority = Authority::try_from(to.to_string())?;
    Ok(Uri::builder().scheme(Scheme::HTTP).authority(authority).path_and_query(path).build()?)
}
