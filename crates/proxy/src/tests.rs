//! The proxy with real sockets.

use crate::{Routes, Target, bind, serve};
use std::collections::HashMap;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

#[derive(Default)]
struct Table(Mutex<HashMap<String, Target>>);

impl Routes for Table {
    fn target(&self, name: &str) -> Target {
        self.0.lock().unwrap().get(name).cloned().unwrap_or(Target::Unknown)
    }
    fn running(&self) -> Vec<String> {
        let mut names: Vec<String> = self.0.lock().unwrap().keys().cloned().collect();
        names.sort();
        names
    }
}

struct Place {
    address: SocketAddr,
    table: Arc<Table>,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Place {
    async fn start() -> Place {
        let listeners = bind(0).await.unwrap();
        let address = listeners[0].local_addr().unwrap();
        let table = Arc::new(Table::default());
        let serving = tokio::spawn(serve(listeners, table.clone(), pending()));
        Place { address, table, serving }
    }

    fn set(&self, name: &str, target: Target) {
        self.table.0.lock().unwrap().insert(name.into(), target);
    }

    /// Sends raw bytes; everything that comes back.
    async fn send(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    async fn get(&self, host: &str) -> String {
        self.send(&format!("GET /a?b=c HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).await
    }
}

/// Reads a head, to the empty line.
async fn head(stream: &mut TcpStream) -> String {
    let mut text = Vec::new();
    while !text.ends_with(b"\r\n\r\n") {
        text.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(text).unwrap()
}

/// A program that answers each connection with the head of its request.
async fn mirror() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let head = head(&mut stream).await;
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nKeep-Alive: timeout=5\r\nConnection: close, x-hop\r\nX-Hop: 1\r\n\r\n{head}",
                    head.len()
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
            });
        }
    });
    address
}

/// A program that upgrades and then says everything back.
async fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                head(&mut stream).await;
                let answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
                stream.write_all(answer.as_bytes()).await.unwrap();
                let (mut from, mut to) = stream.split();
                let _ = tokio::io::copy(&mut from, &mut to).await;
            });
        }
    });
    address
}

const UPGRADE: &str =
    "GET /ws HTTP/1.1\r\nHost: web.localhost\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n";

async fn upgraded(place: &Place) -> TcpStream {
    let mut stream = TcpStream::connect(place.address).await.unwrap();
    stream.write_all(UPGRADE.as_bytes()).await.unwrap();
    let head = head(&mut stream).await.to_lowercase();
    assert!(head.starts_with("http/1.1 101 ") && head.contains("upgrade: websocket"), "{head}");
    stream
}

async fn expect_echo(stream: &mut TcpStream, bytes: &[u8]) {
    stream.write_all(bytes).await.unwrap();
    let mut back = vec![0; bytes.len()];
    stream.read_exact(&mut back).await.unwrap();
    assert_eq!(back, bytes);
}

#[tokio::test]
async fn a_request_reaches_its_program_with_its_host_and_without_hop_by_hop_headers() {
    let place = Place::start().await;
    place.set("web", Target::Up(mirror().await));
    let request = "GET /a?b=c HTTP/1.1\r\nHost: Web.LocalHost:1\r\nConnection: close, x-mine\r\nX-Mine: 1\r\nTE: trailers\r\n\
                   X-Forwarded-For: 9.9.9.9\r\nX-Forwarded-Proto: https\r\nCookie: a=b\r\n\r\n";
    let answer = place.send(request).await.to_lowercase();
    for expected in [
        "http/1.1 200 ok",
        "get /a?b=c http/1.1",
        "host: web.localhost:1",
        "x-forwarded-host: web.localhost:1",
        "x-forwarded-proto: http\r\n",
        "x-forwarded-for: 127.0.0.1",
        "cookie: a=b",
        "via: 1.1 pilothouse",
    ] {
        assert!(answer.contains(expected), "{expected} in {answer}");
    }
    for removed in ["x-mine", "x-hop", "trailers", "9.9.9.9", "keep-alive"] {
        assert!(!answer.contains(removed), "{removed} in {answer}");
    }
}

#[tokio::test]
async fn hosts_that_lead_nowhere_are_explained() {
    let place = Place::start().await;
    place.set("web", Target::Starting);
    let unknown = place.get("other.localhost").await;
    assert!(unknown.starts_with("HTTP/1.1 404 "), "{unknown}");
    let link = format!("http://web.localhost:{}/", place.address.port());
    assert!(unknown.contains("No app is named other") && unknown.contains(&link), "{unknown}");
    assert!(place.get("localhost").await.contains(&link));
    // Another site's name for this address learns nothing.
    let rebound = place.get("evil.example").await;
    assert!(rebound.starts_with("HTTP/1.1 421 ") && !rebound.contains(&link), "{rebound}");
    let marked = place.get("<b>.localhost").await;
    assert!(!marked.contains("<b>"), "{marked}");
    for bad in [
        "GET / HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a.localhost\r\nHost: b.localhost\r\nConnection: close\r\n\r\n",
    ] {
        let answer = place.send(bad).await;
        assert!(answer.contains(" 400 "), "{bad}: {answer}");
    }
    let connect =
        place.send("CONNECT web.localhost:80 HTTP/1.1\r\nHost: web.localhost\r\nConnection: close\r\n\r\n").await;
    assert!(connect.starts_with("HTTP/1.1 405 "), "{connect}");
}

#[tokio::test]
async fn a_program_that_starts_or_has_ended_has_a_page() {
    let place = Place::start().await;
    place.set("web", Target::Starting);
    let starting = place.get("web.localhost").await;
    assert!(starting.starts_with("HTTP/1.1 503 ") && starting.contains("web is starting"), "{starting}");
    assert!(starting.contains("http-equiv=\"refresh\""));
    place.set("web", Target::Ended { exit_code: Some(7), lines: vec!["a <script>".into(), "no such file".into()] });
    let ended = place.get("web.localhost").await;
    assert!(ended.starts_with("HTTP/1.1 502 ") && ended.contains("Exit code: 7"), "{ended}");
    assert!(ended.contains("a &lt;script&gt;\nno such file"), "{ended}");
    // It is said to listen, and doesn't.
    let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    place.set("web", Target::Up(gone));
    assert!(place.get("web.localhost").await.starts_with("HTTP/1.1 502 "));
}

#[tokio::test]
async fn a_request_that_goes_around_in_a_circle_ends() {
    let place = Place::start().await;
    // The program is the proxy itself, as with a development server whose proxy setting names its own URL.
    place.set("web", Target::Up(place.address));
    let answer = place.get("web.localhost").await;
    assert!(answer.starts_with("HTTP/1.1 508 ") && answer.contains("web calls itself"), "{answer}");
}

#[tokio::test]
async fn a_large_head_is_refused_and_a_large_body_passes() {
    let place = Place::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    place.set("web", Target::Up(listener.local_addr().unwrap()));
    const LENGTH: usize = 10 * 1024 * 1024;
    let program = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        head(&mut stream).await;
        let mut body = vec![0; LENGTH];
        stream.read_exact(&mut body).await.unwrap();
        stream.write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {LENGTH}\r\n\r\n").as_bytes()).await.unwrap();
        stream.write_all(&body).await.unwrap();
    });
    let request =
        format!("POST / HTTP/1.1\r\nHost: web.localhost\r\nConnection: close\r\nContent-Length: {LENGTH}\r\n\r\n");
    let answer = place.send(&(request + &"x".repeat(LENGTH))).await;
    program.await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "));
    assert_eq!(answer.split_once("\r\n\r\n").unwrap().1.len(), LENGTH);
    let mut stream = TcpStream::connect(place.address).await.unwrap();
    let large = format!("GET / HTTP/1.1\r\nHost: web.localhost\r\nX: {}\r\n\r\n", "x".repeat(LENGTH));
    // It may stop reading before everything is sent.
    let _ = stream.write_all(large.as_bytes()).await;
    let mut answer = [0; 12];
    if stream.read_exact(&mut answer).await.is_ok() {
        assert_eq!(&answer, b"HTTP/1.1 431");
    }
}

#[tokio::test]
async fn events_arrive_before_the_answer_ends() {
    let place = Place::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    place.set("web", Target::Up(listener.local_addr().unwrap()));
    let mut page = TcpStream::connect(place.address).await.unwrap();
    page.write_all(b"GET /events HTTP/1.1\r\nHost: web.localhost\r\n\r\n").await.unwrap();
    let (mut program, _) = listener.accept().await.unwrap();
    head(&mut program).await;
    let begin = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    program.write_all(begin.as_bytes()).await.unwrap();
    head(&mut page).await;
    for event in ["data: one\n\n", "data: two\n\n"] {
        program.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes()).await.unwrap();
        let mut text = Vec::new();
        while !text.ends_with(event.as_bytes()) {
            text.push(page.read_u8().await.unwrap());
        }
    }
}

#[tokio::test]
async fn sixty_four_websockets_stay_open_for_an_hour_of_silence() {
    let place = Place::start().await;
    place.set("web", Target::Up(echo().await));
    let mut open = Vec::new();
    for _ in 0..64 {
        open.push(upgraded(&place).await);
    }
    for socket in &mut open {
        expect_echo(socket, b"before").await;
    }
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(3_600)).await;
    tokio::time::resume();
    for socket in &mut open {
        expect_echo(socket, b"after").await;
    }
}

#[tokio::test]
async fn a_websocket_that_does_not_read_holds_its_program_up() {
    let place = Place::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    place.set("web", Target::Up(listener.local_addr().unwrap()));
    let mut client = TcpStream::connect(place.address).await.unwrap();
    client.write_all(UPGRADE.as_bytes()).await.unwrap();
    let (mut program, _) = listener.accept().await.unwrap();
    head(&mut program).await;
    let answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    program.write_all(answer.as_bytes()).await.unwrap();
    head(&mut client).await;
    // The client reads nothing: the program's writes stop after what the sockets of the system hold.
    let block = vec![7; 64 * 1024];
    let mut sent = 0;
    const SYSTEM_MAX: usize = 64 * 1024 * 1024;
    let is_held_up = async {
        while sent < SYSTEM_MAX {
            sent += program.write(&block).await.unwrap();
        }
    };
    assert!(tokio::time::timeout(Duration::from_millis(500), is_held_up).await.is_err(), "nothing holds it up");
    // What was sent arrives once the client reads.
    let mut got = vec![0; sent];
    client.read_exact(&mut got).await.unwrap();
    // Half of it is closed in the other direction too.
    drop(client);
    let mut rest = Vec::new();
    let _ = program.read_to_end(&mut rest).await;
}

#[tokio::test]
async fn a_taken_port_is_replaced_and_the_end_closes_everything() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = taken.local_addr().unwrap().port();
    let listeners = bind(port).await.unwrap();
    let address = listeners[0].local_addr().unwrap();
    assert_ne!(address.port(), port);
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let table = Arc::new(Table::default());
    let target = Target::Up(echo().await);
    table.0.lock().unwrap().insert("web".into(), target);
    let serving = tokio::spawn(serve(listeners, table.clone(), async move {
        let _ = ended.await;
    }));
    let place = Place { address, table, serving: tokio::spawn(pending()) };
    let mut socket = upgraded(&place).await;
    expect_echo(&mut socket, b"x").await;
    end.send(()).unwrap();
    serving.await.unwrap().unwrap();
    let mut rest = Vec::new();
    assert_eq!(socket.read_to_end(&mut rest).await.unwrap_or(0), 0);
    assert!(TcpListener::bind(address).await.is_ok());
}
