//! The second door: published pages and nothing else.

use super::quick;
use crate::testing::{Answer, request, send};
use crate::{Limits, PublishedPage, PublishedPages, serve_published};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const ADDRESS: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";

/// Pages by their addresses.
#[derive(Default)]
struct Pages(Mutex<HashMap<&'static str, &'static str>>);

impl PublishedPages for Pages {
    fn page(&self, address: &str) -> Option<PublishedPage> {
        let html = *self.0.lock().unwrap().get(address)?;
        Some(PublishedPage { html: html.into(), style: "sha256-abc=".into() })
    }
}

async fn start() -> (SocketAddr, Arc<Pages>) {
    start_with(quick()).await
}

async fn start_with(limits: Limits) -> (SocketAddr, Arc<Pages>) {
    let pages = Arc::new(Pages::default());
    pages.0.lock().unwrap().insert(ADDRESS, "<!doctype html><title>Figures</title>");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve_published(vec![listener], pages.clone(), limits, std::future::pending()));
    (address, pages)
}

async fn ask(at: SocketAddr, method: &str, path: &str) -> Answer {
    send(at, &request(at, method, path, None, None)).await.unwrap()
}

#[tokio::test]
async fn a_page_is_served_with_what_keeps_it_to_itself() {
    let (at, _) = start().await;
    let answer = ask(at, "GET", &format!("/p/{ADDRESS}")).await;
    assert_eq!((answer.status, &*answer.body), (200, &b"<!doctype html><title>Figures</title>"[..]));
    let policy = "default-src 'none'; style-src 'sha256-abc='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("content-security-policy", policy),
        ("referrer-policy", "no-referrer"),
        ("x-robots-tag", "noindex, nofollow, noarchive"),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
    assert_eq!(answer.forbidden_headers(), Vec::<&str>::new());
    let head = ask(at, "HEAD", &format!("/p/{ADDRESS}?from=mail")).await;
    assert_eq!((head.status, head.header("content-length"), head.body.len()), (200, Some("37"), 0));
}

#[tokio::test]
async fn everything_else_is_one_and_the_same_404() {
    let (at, pages) = start().await;
    let page = format!("/p/{ADDRESS}");
    let unknown = ask(at, "GET", "/p/ffffffffffffffffffffffffffffffff").await;
    let same = |answer: Answer, what: &str| {
        let told = |answer: &Answer| {
            let headers = answer.headers.iter().filter(|(name, _)| name != "date" && name != "connection");
            (answer.status, headers.cloned().collect::<Vec<_>>(), answer.body.clone())
        };
        assert_eq!(told(&answer), told(&unknown), "{what}");
    };
    assert_eq!((unknown.status, unknown.header("x-robots-tag").is_some()), (404, true));
    for path in [
        "/",
        "/p",
        "/p/",
        "/app/",
        "/health",
        "/settings",
        "/boards",
        "/events",
        "/mcp",
        "/openapi.json",
        "/p/../settings",
        "/p/%30",
    ] {
        same(ask(at, "GET", path).await, path);
    }
    same(ask(at, "GET", &format!("{page}/")).await, "below a page");
    same(ask(at, "GET", &format!("/p/{}", "a".repeat(10_000))).await, "a long one");
    for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"] {
        same(ask(at, method, &page).await, method);
    }
    // A token opens nothing here.
    same(send(at, &request(at, "GET", "/settings", Some(super::OWNER), None)).await.unwrap(), "with a token");
    // What was revoked is gone as if it had never been.
    pages.0.lock().unwrap().clear();
    same(ask(at, "GET", &page).await, "revoked");
}

#[tokio::test]
async fn a_page_that_was_revoked_is_gone_on_a_connection_that_is_open_already() {
    let (at, pages) = start().await;
    let mut stream = TcpStream::connect(at).await.unwrap();
    let mut ask = async |expected: &str| {
        stream.write_all(format!("GET /p/{ADDRESS} HTTP/1.1\r\nhost: {at}\r\n\r\n").as_bytes()).await.unwrap();
        let mut got = Vec::new();
        while !got.ends_with(expected.as_bytes()) {
            assert!(stream.read_buf(&mut got).await.unwrap() > 0, "{}", String::from_utf8_lossy(&got));
        }
    };
    ask("<title>Figures</title>").await;
    pages.0.lock().unwrap().clear();
    ask("Page not found.\n").await;
}

#[tokio::test]
async fn only_who_knows_it_by_its_own_name_is_answered() {
    let (at, _) = start().await;
    for host in ["", "host: evil.example\r\n", "host: 127.0.0.1\r\n", "host: HOST\r\nhost: HOST\r\n"] {
        let text =
            format!("GET /p/{ADDRESS} HTTP/1.1\r\n{host}connection: close\r\n\r\n").replace("HOST", &at.to_string());
        let answer = send(at, text.as_bytes()).await.unwrap();
        assert!([400, 421].contains(&answer.status), "{host:?}: {}", answer.status);
        assert!(!String::from_utf8_lossy(&answer.body).contains("Figures"));
    }
    let local = format!(
        "GET /p/{ADDRESS} HTTP/1.1\r\nhost: localhost:{}\r\nsec-fetch-site: cross-site\r\nconnection: close\r\n\r\n",
        at.port()
    );
    assert_eq!(send(at, local.as_bytes()).await.unwrap().status, 200, "a link on another site leads here");
}

#[tokio::test]
async fn it_listens_on_loopback_addresses_only_and_frees_its_port() {
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let refused = serve_published(vec![listener], Arc::new(Pages::default()), quick(), async {}).await;
    assert!(refused.unwrap_err().to_string().ends_with("is not a loopback address"));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    serve_published(vec![listener], Arc::new(Pages::default()), quick(), async {}).await.unwrap();
    TcpListener::bind(at).await.unwrap();
}

#[tokio::test]
async fn who_holds_connections_keeps_no_reader_out() {
    let (at, _) = start_with(Limits { connections: 4, ..quick() }).await;
    let mut held = Vec::new();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(at).await.unwrap();
        stream.write_all(b"GET /p/").await.unwrap();
        held.push(stream);
    }
    assert_eq!(ask(at, "GET", &format!("/p/{ADDRESS}")).await.status, 200);
}

#[tokio::test]
async fn a_head_that_does_not_end_is_not_waited_for() {
    let (at, _) = start_with(Limits { head_time: Duration::from_millis(20), ..quick() }).await;
    let mut stream = TcpStream::connect(at).await.unwrap();
    stream.write_all(format!("GET /p/{ADDRESS} HTTP/1.1\r\nhost: {at}\r\n").as_bytes()).await.unwrap();
    let mut got = Vec::new();
    // It ends: the other side has closed.
    let _ = stream.read_to_end(&mut got).await;
    assert!(!String::from_utf8_lossy(&got).contains("Figures"));
}
