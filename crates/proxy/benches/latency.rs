//! What the proxy adds to a request: 50 servers, each asked directly and through the proxy, turn by turn, over connections that
//! stay open as a browser's do.

use http_body_util::{BodyExt, Empty, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use proxy::{Routes, Target};
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpStream};

const SERVERS: usize = 50;
const ROUNDS: usize = 200;
const BODY: &[u8] = &[b'x'; 10_000];
/// The most that the proxy may add at the median.
const GOAL: Duration = Duration::from_millis(1);

struct Table(HashMap<String, SocketAddr>);

impl Routes for Table {
    fn target(&self, name: &str) -> Target {
        self.0.get(name).map_or(Target::Unknown, |address| Target::Up(*address))
    }
    fn running(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

async fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            let service = service_fn(|_: Request<Incoming>| async {
                Ok::<_, Infallible>(Response::new(Full::new(Bytes::from_static(BODY))))
            });
            tokio::spawn(hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    address
}

async fn connect(address: SocketAddr) -> SendRequest<Empty<Bytes>> {
    let stream = TcpStream::connect(address).await.expect("a connection");
    stream.set_nodelay(true).expect("a socket");
    let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("a handshake");
    tokio::spawn(connection);
    sender
}

/// The time of one request with its whole answer.
async fn ask(sender: &mut SendRequest<Empty<Bytes>>, host: &str) -> Duration {
    let request = Request::get("/").header("host", host).body(Empty::new()).expect("a request");
    let began = Instant::now();
    sender.ready().await.expect("an open connection");
    let response = sender.send_request(request).await.expect("an answer");
    let body = response.into_body().collect().await.expect("a body").to_bytes();
    assert_eq!(body.len(), BODY.len());
    began.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    let mut servers = Vec::new();
    for number in 0..SERVERS {
        servers.push((format!("app-{number}"), server().await));
    }
    let listeners = proxy::bind(0).await.expect("a port");
    let address = listeners[0].local_addr().expect("an address");
    let table = Arc::new(Table(servers.iter().cloned().collect()));
    tokio::spawn(proxy::serve(listeners, table, std::future::pending()));
    let mut clients = Vec::new();
    for (name, server) in &servers {
        clients.push((format!("{name}.localhost"), connect(*server).await, connect(address).await));
    }
    let (mut direct, mut through) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        for (host, server, proxied) in &mut clients {
            direct.push(ask(server, host).await);
            through.push(ask(proxied, host).await);
        }
    }
    let (direct, through) = (median(direct), median(through));
    let added = through.saturating_sub(direct);
    println!("{SERVERS} servers, {ROUNDS} rounds, medians: direct {direct:?}, through the proxy {through:?}");
    println!("added: {added:?} (goal: under {GOAL:?}), met: {}", added < GOAL);
}
