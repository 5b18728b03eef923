//! Time and number: what comes too slowly or too often. The tests wait for the server to act, never for a time of theirs.

use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

fn hasty() -> Limits {
    let short = Duration::from_millis(30);
    Limits { head_time: short, body_time: short, upload_idle_time: short, ..quick() }
}

/// Sends bytes, then nothing, and gives what the server says before it closes.
async fn stall(server: &Running, text: &str) -> Answer {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(text.replace("HOST", &server.address.to_string()).as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    Answer::read(&bytes)
}

#[tokio::test]
async fn silence_ends_a_connection() {
    let server = Running::start(hasty()).await;
    let head = format!("POST /things HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer {CLI}\r\n");
    let file = head.replace("/things", "/things/import");
    let json = format!("{head}content-type: application/json\r\n");
    // Before a request has its head there is nobody to answer: the connection is closed without a word.
    let heads = [
        ("a silent connection", String::new()),
        ("half a request line", "GET /thi".to_owned()),
        ("half a head", head.clone()),
    ];
    for (name, text) in heads {
        let answer = stall(&server, &text).await;
        assert_eq!((answer.status, answer.body), (0, Vec::new()), "{name}");
    }
    let bodies = [
        ("half a body", format!("{json}content-length: 10\r\n\r\n{{")),
        ("half a chunk", format!("{json}transfer-encoding: chunked\r\n\r\n5\r\n{{")),
        ("half a file", format!("{file}content-type: text/csv\r\ncontent-length: 10\r\n\r\na,b")),
    ];
    for (name, text) in bodies {
        let answer = stall(&server, &text).await;
        assert_eq!((answer.status, answer.code().as_str()), (408, "body-too-slow"), "{name}");
    }
    let idle = stall(&server, "GET /health HTTP/1.1\r\nhost: HOST\r\n\r\n").await;
    assert_eq!(idle.status, 200, "an idle connection is closed after its answer");
    server.stop().await;
}

/// Asks on a connection that stays open, and reads the answer, whose body is short.
async fn ask(server: &Running, stream: &mut TcpStream, line: &str) -> u16 {
    let text = format!("GET {line}\r\nhost: {}\r\n\r\n", server.address);
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let whole = |answer: &Answer| answer.header("content-length") == Some(&*answer.body.len().to_string());
    while !whole(&Answer::read(&bytes)) {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "closed after {}", String::from_utf8_lossy(&bytes));
    }
    Answer::read(&bytes).status
}

/// A connection that has shown a token.
async fn known(server: &Running) -> TcpStream {
    known_as(server, CLI).await
}

async fn known_as(server: &Running, token: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    assert_eq!(ask(server, &mut stream, &things(token)).await, 200);
    stream
}

fn with_token() -> String {
    things(CLI)
}

fn things(token: &str) -> String {
    format!("/things HTTP/1.1\r\nauthorization: Bearer {token}")
}

/// Whether the server closes a connection.
async fn is_closed(stream: &mut TcpStream) -> bool {
    stream.read(&mut [0; 1]).await.unwrap_or(0) == 0
}

#[tokio::test]
async fn who_has_no_token_keeps_out_nobody_who_has_one() {
    let server = Running::start(Limits { connections: 3, head_time: LONG, ..quick() }).await;
    let mut early = known(&server).await;
    let mut answered = TcpStream::connect(server.address).await.unwrap();
    assert_eq!(ask(&server, &mut answered, "/health HTTP/1.1").await, 200);
    let mut wrong = TcpStream::connect(server.address).await.unwrap();
    let unknown = "/things HTTP/1.1\r\nauthorization: Bearer ph_cli_of_nobody";
    assert_eq!(ask(&server, &mut wrong, unknown).await, 401);

    // The one that was opened first of those without a token makes room, and no other.
    let mut late = known(&server).await;
    assert_eq!(answered.read(&mut [0; 1]).await.unwrap_or(0), 0, "it is closed");
    for stream in [&mut early, &mut late] {
        assert_eq!(ask(&server, stream, &with_token()).await, 200);
    }
    assert_eq!(ask(&server, &mut wrong, unknown).await, 401);

    // Nor do many that come without end.
    let mut silent = Vec::new();
    for _ in 0..50 {
        silent.push(TcpStream::connect(server.address).await.unwrap());
    }
    let mut last = known(&server).await;
    for stream in [&mut early, &mut late, &mut last] {
        assert_eq!(ask(&server, stream, &with_token()).await, 200);
    }
    drop((early, late, last));
    server.stop().await;
}

#[tokio::test]
async fn who_is_logging_in_does_not_make_room_before_who_is_silent() {
    let server = Running::start(Limits { connections: 3, head_time: LONG, body_time: LONG, ..quick() }).await;
    let mut logging_in = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "POST /login HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: 2\r\nexpect: 100-continue\r\n\r\n",
        server.address
    );
    logging_in.write_all(head.as_bytes()).await.unwrap();
    let mut go_on = [0; b"HTTP/1.1 100 Continue\r\n\r\n".len()];
    logging_in.read_exact(&mut go_on).await.unwrap();
    let mut silent = TcpStream::connect(server.address).await.unwrap();
    let later = TcpStream::connect(server.address).await.unwrap();

    let holder = known(&server).await;
    logging_in.write_all(b"{}").await.unwrap();
    let mut bytes = Vec::new();
    logging_in.read_to_end(&mut bytes).await.unwrap();
    assert_eq!(Answer::read(&bytes).status, 200);
    assert_eq!(silent.read(&mut [0; 1]).await.unwrap_or(0), 0, "it is closed");
    drop((later, holder));
    server.stop().await;
}

#[tokio::test]
async fn who_is_being_answered_does_not_make_room_before_who_is_silent() {
    let server = Running::start(Limits { connections: 3, head_time: LONG, unread_time: LONG, ..quick() }).await;
    let mut loading = TcpStream::connect(server.address).await.unwrap();
    let head = format!("GET /app/assets/large.bin HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", server.address);
    loading.write_all(head.as_bytes()).await.unwrap();
    let mut bytes = vec![0; 1];
    loading.read_exact(&mut bytes).await.unwrap();
    let mut silent = TcpStream::connect(server.address).await.unwrap();
    let later = TcpStream::connect(server.address).await.unwrap();

    let holder = known(&server).await;
    loading.read_to_end(&mut bytes).await.unwrap();
    assert_eq!(Answer::read(&bytes).body.len(), LARGE_FILE.len());
    assert_eq!(silent.read(&mut [0; 1]).await.unwrap_or(0), 0, "it is closed");
    drop((later, holder));
    server.stop().await;
}

#[tokio::test]
async fn one_token_has_a_limited_number_of_connections() {
    let server = Running::start(Limits { token_connections: 2, head_time: LONG, ..quick() }).await;
    let held = (known_as(&server, AGENT).await, known_as(&server, AGENT).await);
    let mut third = TcpStream::connect(server.address).await.unwrap();
    assert_eq!(ask(&server, &mut third, &things(AGENT)).await, 429);
    assert!(is_closed(&mut third).await);
    let refused = server.get("/things", AGENT).await;
    assert_eq!((refused.code().as_str(), refused.header("retry-after")), ("too-many-token-connections", Some("1")));
    for token in [OWNER, CLI, MEMBER, THINGS, OTHER_OWNER] {
        assert_eq!(server.get("/things", token).await.status, 200, "{token}");
    }
    drop(held);
    while server.get("/things", AGENT).await.status != 200 {
        tokio::task::yield_now().await;
    }
    server.stop().await;
}

#[tokio::test]
async fn agents_and_members_of_an_account_leave_places_for_its_owner() {
    let server = Running::start(Limits { guest_connections: 3, head_time: LONG, ..quick() }).await;
    let mut held = Vec::new();
    for token in [AGENT, MEMBER, THINGS, OWNER, CLI] {
        held.push(known_as(&server, token).await);
    }
    for token in [AGENT, MEMBER, THINGS] {
        assert_eq!(server.get("/things", token).await.code(), "too-many-token-connections", "{token}");
    }
    for token in [OWNER, CLI, OTHER_OWNER] {
        assert_eq!(server.get("/things", token).await.status, 200, "{token}");
    }
    server.stop().await;
}

#[tokio::test]
async fn who_holds_all_places_makes_room() {
    for (holders, goes) in [
        // An agent's before its owner's, and of several the one that was opened first.
        (vec![CLI, AGENT, MEMBER, OWNER], 1),
        // The account that holds the most.
        (vec![CLI, OTHER_OWNER, OTHER_OWNER, OTHER_OWNER], 1),
        (vec![AGENT, OTHER_OWNER, AGENT, AGENT], 0),
        // What nobody asks anything on may go.
        (vec![CLI, CLI, CLI, CLI], 0),
    ] {
        let server = Running::start(Limits { connections: 4, head_time: LONG, ..quick() }).await;
        let mut held = Vec::new();
        for token in &holders {
            held.push(known_as(&server, token).await);
        }
        let mut newcomer = known_as(&server, OWNER).await;
        assert!(is_closed(&mut held.remove(goes)).await, "{holders:?}");
        let rest = holders.iter().enumerate().filter(|(at, _)| *at != goes).map(|(_, token)| token);
        for (stream, token) in held.iter_mut().zip(rest) {
            assert_eq!(ask(&server, stream, &things(token)).await, 200, "{holders:?}");
        }
        assert_eq!(ask(&server, &mut newcomer, &things(OWNER)).await, 200);
        server.stop().await;
    }
}

/// A connection on which events are sent.
async fn listening(server: &Running, token: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!("GET /events HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\n\r\n", server.address);
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    while !String::from_utf8_lossy(&bytes).contains("retry: 1000") {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0);
    }
    stream
}

#[tokio::test]
async fn busy_connections_of_others_make_room_too() {
    for holder in [AGENT, OTHER_OWNER] {
        let server = Running::start(Limits { connections: 3, head_time: LONG, ..quick() }).await;
        let mut own = known(&server).await;
        let mut first = listening(&server, holder).await;
        let _second = listening(&server, holder).await;
        assert_eq!(server.get("/things", OWNER).await.status, 200, "{holder}");
        assert!(is_closed(&mut first).await);
        assert_eq!(ask(&server, &mut own, &with_token()).await, 200);
        server.stop().await;
    }
}

#[tokio::test]
async fn connections_over_the_limit_are_turned_away_where_all_are_busy() {
    let server = Running::start(Limits { connections: 2, ..quick() }).await;
    let (one, two) = (listening(&server, CLI).await, listening(&server, OWNER).await);
    let answer = server.raw("").await;
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")));
    assert_eq!(answer.code(), "too-many-connections");
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
        ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
        ("content-type", "application/problem+json"),
    ] {
        assert_eq!(answer.header(name), Some(value));
    }
    assert_eq!(answer.header("content-length"), Some(&*answer.body.len().to_string()));
    drop((one, two));
    server.stop().await;
}

/// Longer than anything here would wait.
const LONG: Duration = Duration::from_secs(600);

/// Sends all of a request before a byte of the answer is read, as simple clients do.
async fn all_before_reading(server: &Running, head: &str, body: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!("{head}connection: close\r\n\r\n").replace("HOST", &server.address.to_string());
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body).await.expect("all of it is taken");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.expect("the connection is not torn");
    Answer::read(&bytes)
}

#[tokio::test]
async fn a_refusal_reaches_who_sends_all_before_reading() {
    let server = Running::start(Limits { refused_time: LONG, ..quick() }).await;
    // More than what the sockets in between hold.
    const BYTES: usize = 12 * 1024 * 1024;
    let token = format!("authorization: Bearer {CLI}\r\n");
    let json = "content-type: application/json\r\n";
    let head = |path: &str, headers: &str| format!("POST {path} HTTP/1.1\r\nhost: HOST\r\n{headers}");
    let length = format!("content-length: {BYTES}\r\n");
    let body = vec![b'x'; BYTES];
    for (head, code) in [
        (head("/things", &format!("{token}{json}{length}")), "too-large"),
        (head("/things", &format!("{json}{length}")), "no-token"),
        (head("/things", &format!("{token}{length}")), "wrong-content-type"),
        (head("/things?token=x", &length), "token-in-url"),
        (head("/nothing", &format!("{token}{json}{length}")), "no-such-route"),
        (head("/things/import", &format!("{token}content-type: text/csv\r\n{length}")), "too-large"),
    ] {
        assert_eq!(all_before_reading(&server, &head, &body).await.code(), code, "{head}");
    }
    // What begins to be read before it shows that there is too much.
    let chunk = format!("{:x}\r\n{}\r\n", 1024 * 1024, "x".repeat(1024 * 1024));
    let chunked = format!("{}0\r\n\r\n", chunk.repeat(12));
    for (path, media) in [("/things", "application/json"), ("/things/import", "text/csv")] {
        let head = head(path, &format!("{token}content-type: {media}\r\ntransfer-encoding: chunked\r\n"));
        assert_eq!(all_before_reading(&server, &head, chunked.as_bytes()).await.code(), "too-large", "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn nothing_is_waited_for_that_is_too_much_or_was_asked_about_first() {
    let server = Running::start(Limits { refused_time: LONG, refused_bytes: 1 << 20, ..quick() }).await;
    let head = |headers: &str| {
        format!(
            "POST /things HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer {CLI}\r\n\
             content-type: application/json\r\n{headers}\r\n"
        )
    };
    for headers in ["content-length: 1048577\r\n", "content-length: 2000\r\nexpect: 100-continue\r\n"] {
        let answer = stall(&server, &head(headers)).await;
        assert_eq!((answer.status, answer.code().as_str()), (413, "too-large"), "{headers}");
    }
    let endless = format!("{}{:x}\r\n{}", head("transfer-encoding: chunked\r\n"), 4 << 20, "x".repeat(3 << 20));
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    // It may be closed before all was sent.
    let _ = stream.write_all(endless.replace("HOST", &server.address.to_string()).as_bytes()).await;
    let _ = stream.read_to_end(&mut Vec::new()).await;
    server.stop().await;
}

#[tokio::test]
async fn who_does_not_send_what_nobody_wants_is_let_go() {
    let server = Running::start(quick()).await;
    let head = "POST /things HTTP/1.1\r\nhost: HOST\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n";
    assert_eq!(stall(&server, head).await.code(), "no-token");
    server.stop().await;
}

#[tokio::test]
async fn an_answer_that_nobody_reads_is_given_up() {
    let unread_time = Duration::from_millis(20);
    let server = Running::start(Limits { connections: 1, unread_time, ..quick() }).await;
    let mut never_reads = TcpStream::connect(server.address).await.unwrap();
    never_reads.write_all(&request(server.address, "GET", "/large", Some(CLI), None)).await.unwrap();
    // The one connection is free again when the server has given that one up.
    while server
        .raw(&format!("GET /things HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer {CLI}\r\nconnection: close\r\n\r\n"))
        .await
        .status
        != 200
    {
        tokio::task::yield_now().await;
    }
    server.stop().await;
    drop(never_reads);
}

#[tokio::test]
async fn requests_of_one_token_are_counted() {
    let server = Running::start(Limits { in_flight: 1, writes_per_second: 0.0, writes_burst: 3.0, ..quick() }).await;
    let (address, held) = (server.address, server.ctx.service::<Held>());
    let asked = tokio::spawn(async move { send(address, &request(address, "POST", "/hold", Some(CLI), None)).await });
    held.begun.notified().await;
    let refused = server.get("/things", CLI).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("1")));
    assert_eq!(server.get("/things", MEMBER).await.status, 200);
    held.go_on.notify_one();
    assert_eq!(asked.await.unwrap().unwrap().status, 204);
    // One change was made above; two more are left, and the owner's are not counted.
    for (token, statuses) in [(CLI, [200, 200, 429, 429]), (OWNER, [200; 4])] {
        for status in statuses {
            assert_eq!(server.json("PATCH", "/things/1", token, "{}").await.status, status, "{token}");
        }
    }
    assert_eq!(server.get("/things", CLI).await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn a_flood_without_a_token_keeps_nobody_from_logging_in() {
    let limits = Limits { in_flight: 1, writes_per_second: 0.0, writes_burst: 1.0, body_time: LONG, ..quick() };
    let server = Running::start(limits).await;
    let mut held = Vec::new();
    for path in ["/guess", "/login"] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{{",
            server.address
        );
        let mut junk = TcpStream::connect(server.address).await.unwrap();
        junk.write_all(head.as_bytes()).await.unwrap();
        held.push(junk);
    }
    for (path, status) in [("/guess", 401), ("/guess", 401), ("/login", 200), ("/guess", 401), ("/login", 200)] {
        let request = format!("POST {path} HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
        assert_eq!(server.raw(&request).await.status, status, "{path}");
    }
    drop(held);
    server.stop().await;
}

#[tokio::test]
async fn a_wrong_login_code_is_answered_late() {
    let late = Duration::from_millis(60);
    let server = Running::start(Limits { unknown_token_delay: late..late, ..quick() }).await;
    let begun = tokio::time::Instant::now();
    let guess = "POST /guess HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
    assert_eq!(server.raw(guess).await.status, 401);
    assert!(begun.elapsed() >= late);
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_unknown_token_is_answered_late() {
    let closed = tokio::sync::watch::channel(false).1;
    let served = door(Limits::default(), Access::Full, synthetic_ops()).0.served(vec![19519], closed);
    let head = http::Request::get("/things").header("host", "localhost:19519").header("authorization", "Bearer x");
    let head = head.body(()).unwrap().into_parts().0;
    let begun = tokio::time::Instant::now();
    assert!(crate::serve::pass(&served, &head).await.is_err());
    let waited = begun.elapsed();
    assert!((Duration::from_millis(100)..Duration::from_millis(205)).contains(&waited), "{waited:?}");
}
