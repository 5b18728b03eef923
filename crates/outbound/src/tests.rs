//! Limits, redirects, and private networks, against a server of the test's own.

use crate::private::is_private;
use crate::{Failure, Limits, Outbound, Request};
use kit::Secret;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use testkit::stub::{Reply, Stub};

const LIMITS: Limits = Limits { time: Duration::from_secs(30), bytes: 1000, attempts: 3, wait: Duration::ZERO };

fn request(url: &str) -> Request {
    Request {
        url: url.to_owned(),
        body: Some("{}".into()),
        headers: vec![("x-version", "1".into())],
        key: Some(("x-api-key", Secret::new("fake-key".into()))),
    }
}

#[tokio::test]
async fn a_request_arrives_with_its_key_and_body() {
    let stub = Stub::start(|_| Reply::Status(404, String::new(), b"no".to_vec())).await;
    let answer = Outbound::default().send(&request(&format!("{}/a?b=c", stub.url)), LIMITS).await.unwrap();
    assert_eq!((answer.status, &*answer.body), (404, &b"no"[..]));
    let asked = &stub.asked()[0];
    assert_eq!((&*asked.line, &*asked.body), ("POST /a?b=c", "{}"));
    assert!(asked.headers.contains("x-api-key: fake-key") && asked.headers.contains("x-version: 1"));
}

#[tokio::test]
async fn an_overloaded_server_is_asked_again_as_often_as_allowed() {
    let times = AtomicUsize::new(0);
    let stub = Stub::start(move |_| match times.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => Reply::Status(529, String::new(), Vec::new()),
        _ => Reply::Status(200, String::new(), b"ok".to_vec()),
    })
    .await;
    let answer = Outbound::default().send(&request(&stub.url), LIMITS).await.unwrap();
    assert_eq!((answer.status, stub.count()), (200, 3));
    let busy = Stub::start(|_| Reply::Status(429, "retry-after: 3600\r\n".into(), Vec::new())).await;
    let answer = Outbound::default().send(&request(&busy.url), LIMITS).await.unwrap();
    assert_eq!((answer.status, answer.retry_after, busy.count()), (429, Some(3600), 1), "an hour isn't waited for");
}

#[tokio::test]
async fn an_answer_has_a_limit_of_time_and_size() {
    let large = Stub::start(|_| Reply::Status(200, String::new(), vec![b'x'; 10_000_000])).await;
    let failed = Outbound::default().send(&request(&large.url), LIMITS).await.unwrap_err();
    assert_eq!(failed, Failure::TooLarge(1000));
    let cut = Stub::start(|_| Reply::Cut).await;
    assert_eq!(Outbound::default().send(&request(&cut.url), LIMITS).await.unwrap_err(), Failure::Interrupted);
    let gone = request("http://127.0.0.1:9/");
    let failed = Outbound::default().send(&gone, LIMITS).await.unwrap_err();
    assert_eq!(failed, Failure::Unreachable("127.0.0.1".into()));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_hangs_is_given_up() {
    let silent = Stub::start(|_| Reply::Hang).await;
    let failed = Outbound::default().send(&request(&silent.url), LIMITS).await.unwrap_err();
    assert_eq!(failed, Failure::TimedOut(LIMITS.time));
}

#[tokio::test]
async fn a_key_never_follows_a_redirect() {
    let other = Stub::start(|_| Reply::Status(200, String::new(), Vec::new())).await;
    let to = format!("location: {}/next?key=1\r\n", other.url);
    let stub = Stub::start(move |_| Reply::Status(307, to.clone(), Vec::new())).await;
    let failed = Outbound::default().send(&request(&stub.url), LIMITS).await.unwrap_err();
    assert_eq!((failed, other.count()), (Failure::Redirected("127.0.0.1".into()), 0));
}

#[tokio::test]
async fn content_never_reaches_a_private_network() {
    let stub = Stub::start(|_| Reply::Status(200, String::new(), Vec::new())).await;
    let port = stub.url.rsplit_once(':').unwrap().1.to_owned();
    for url in [
        stub.url.clone(),
        format!("http://localhost:{port}"),
        format!("http://[::1]:{port}"),
        format!("http://[::ffff:127.0.0.1]:{port}"),
        format!("http://0x7f000001:{port}"),
        format!("http://2130706433:{port}"),
        "http://169.254.169.254/latest".into(),
    ] {
        let failed = Outbound::default().get_content(&url, LIMITS).await.unwrap_err();
        assert_eq!(failed, Failure::Private, "{url}");
    }
    for url in ["file:///etc/passwd", "ftp://example.com", "http://user:pass@example.com", "nonsense", "http://"] {
        assert_eq!(Outbound::default().get_content(url, LIMITS).await.unwrap_err(), Failure::Address, "{url}");
    }
    assert_eq!(stub.count(), 0);
}

#[test]
fn private_ranges() {
    for private in [
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "0.0.0.0",
        "255.255.255.255",
        "198.18.0.1",
        "192.0.0.1",
        "fe80::1",
        "fd00::1",
        "::",
        "::1",
        "2002:7f00:1::",
        "64:ff9b::a00:1",
        "::ffff:10.0.0.1",
        "2001:db8::1",
        "ff02::1",
    ] {
        assert!(is_private(private.parse().unwrap()), "{private}");
    }
    for public in ["8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a00:1450::1"] {
        assert!(!is_private(public.parse().unwrap()), "{public}");
    }
}

#[tokio::test]
async fn an_exchange_has_any_method_and_follows_redirects_on_its_server_only() {
    let other = Stub::start(|_| Reply::Status(200, String::new(), Vec::new())).await;
    let elsewhere = format!("location: {}/x\r\n", other.url);
    let stub = Stub::start(move |asked| match &*asked.line {
        "PROPFIND /a" => Reply::Status(301, "location: /b\r\n".into(), Vec::new()),
        "PROPFIND /b" => Reply::Status(207, "etag: \"1\"\r\n".into(), b"ok".to_vec()),
        "PROPFIND /circle" => Reply::Status(302, "location: /circle\r\n".into(), Vec::new()),
        _ => Reply::Status(302, elsewhere.clone(), Vec::new()),
    })
    .await;
    let exchange = async |path: &str| {
        Outbound::default().exchange("PROPFIND", &request(&format!("{}{path}", stub.url)), LIMITS).await
    };
    let answer = exchange("/a").await.unwrap();
    assert_eq!((answer.status, answer.header("etag"), &*answer.body), (207, Some("\"1\""), &b"ok"[..]));
    assert_eq!(answer.url, format!("{}/b", stub.url));
    assert!(stub.asked().iter().all(|asked| asked.headers.contains("x-api-key: fake-key")));
    assert_eq!(exchange("/circle").await.unwrap_err(), Failure::Redirects);
    assert!(matches!(exchange("/away").await, Err(Failure::Redirected(_))));
    assert_eq!(other.count(), 0, "a key never leaves its server");
}
