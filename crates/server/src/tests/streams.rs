//! Server-sent events.

use super::*;
use events::Event;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A reader of `GET /events`.
struct Reader(TcpStream, String);

impl Reader {
    async fn open(server: &Running, query: &str, token: &str, after: Option<&str>) -> Reader {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let after = after.map(|id| format!("last-event-id: {id}\r\n")).unwrap_or_default();
        let head = format!(
            "GET /events{query} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\nauthorization: Bearer {token}\r\n{after}\r\n",
            server.address
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut reader = Reader(stream, String::new());
        reader.until("retry: 1000").await;
        reader
    }
    /// Reads on until the text has come, and gives everything from the last call's end to there.
    async fn until(&mut self, text: &str) -> String {
        loop {
            if let Some(at) = self.1.find(text) {
                let rest = self.1.split_off(at + text.len());
                return std::mem::replace(&mut self.1, rest);
            }
            assert!(self.more().await, "the stream ended before {text:?}: {}", self.1);
        }
    }
    async fn more(&mut self) -> bool {
        let mut piece = [0; 4096];
        let count = self.0.read(&mut piece).await.unwrap_or(0);
        self.1.push_str(&String::from_utf8_lossy(&piece[..count]));
        count > 0
    }
    async fn until_closed(mut self) -> String {
        while self.more().await {}
        self.1
    }
}

fn board(revision: i64) -> Event {
    Event::BoardChanged { board_id: "b".into(), revision }
}

#[tokio::test]
async fn readers_see_their_account_and_topics() {
    let server = Running::start(quick()).await;
    let bus = server.ctx.service::<Bus>();
    let mut reader = Reader::open(&server, "?topics=boards,app", AGENT, None).await;
    bus.emit(Some("account-2"), board(1));
    bus.emit(Some("account-1"), Event::DashboardChanged { dashboard_id: "d".into(), revision: 1 });
    bus.emit(Some("account-1"), board(2));
    bus.emit(None, Event::Restarting);
    let seen = reader.until("event: restarting").await;
    assert!(seen.contains("id: run-1-3\nevent: board-changed\ndata: {"), "{seen}");
    assert!(seen.contains("\"number\":3") && !seen.contains("\"revision\":1") && !seen.contains("dashboard"), "{seen}");
    server.stop().await;
}

#[tokio::test]
async fn topics_of_which_nothing_is_told_yet_are_known_and_misspelt_ones_are_not() {
    let server = Running::start(quick()).await;
    let mut reader = Reader::open(&server, "?topics=settings,boards,sessions,inbox", OWNER, None).await;
    server.ctx.service::<Bus>().emit(Some("account-1"), board(1));
    reader.until("event: board-changed").await;
    let refused = server.get("/events?topics=settings,sesions", OWNER).await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "invalid-input"));
    let error = &refused.json()["errors"][0];
    assert_eq!((&error["pointer"], &error["code"]), (&"/topics/1".into(), &"not-a-choice".into()));
    let detail = error["detail"].as_str().unwrap();
    assert!(detail.contains("sesions") && detail.contains("sessions") && detail.contains("inbox"), "{detail}");
    server.stop().await;
}

#[tokio::test]
async fn a_session_hears_only_of_what_its_scopes_let_it_read() {
    let server = Running::start(quick()).await;
    let bus = server.ctx.service::<Bus>();
    let mut reader = Reader::open(&server, "", AGENT, None).await;
    bus.emit(Some("account-1"), Event::SettingChanged { key: "k", value: "secret".into(), revision: Some(1) });
    bus.emit(Some("account-1"), Event::DashboardChanged { dashboard_id: "d".into(), revision: 1 });
    bus.emit(Some("account-1"), board(7));
    bus.emit(None, Event::Restarting);
    let seen = reader.until("event: restarting").await;
    assert!(seen.contains("\"revision\":7") && !seen.contains("secret") && !seen.contains("dashboard"), "{seen}");
    server.stop().await;
}

#[tokio::test]
async fn a_member_does_not_hear_of_what_other_members_see() {
    let server = Running::start(quick()).await;
    let bus = server.ctx.service::<Bus>();
    let mut reader = Reader::open(&server, "", MEMBER, None).await;
    let dashboard = |id: &str| Event::DashboardChanged { dashboard_id: id.into(), revision: 1 };
    bus.emit_among(Some("account-1"), Some(["m1".to_owned()].into()), dashboard("theirs"));
    bus.emit(Some("account-1"), dashboard("everyones"));
    let seen = reader.until("everyones").await;
    assert!(!seen.contains("theirs"), "{seen}");
    let again = Reader::open(&server, "", MEMBER, Some("run-1-0")).await.until("everyones").await;
    assert!(!again.contains("theirs"), "{again}");
    server.stop().await;
}

#[tokio::test]
async fn a_reader_that_comes_back_gets_what_it_missed() {
    let server = Running::start(quick()).await;
    let bus = server.ctx.service::<Bus>();
    for revision in 1..=3 {
        bus.emit(Some("account-1"), board(revision));
    }
    let mut reader = Reader::open(&server, "", OWNER, Some("run-1-1")).await;
    bus.emit(Some("account-1"), board(4));
    let seen = reader.until("run-1-4").await;
    assert!(
        seen.find("run-1-2") < seen.find("run-1-3") && !seen.contains("run-1-1\n") && !seen.contains("reset"),
        "{seen}"
    );
    let first = Reader::open(&server, "", OWNER, None).await.until("id: run-1-4\n\n").await;
    assert!(!first.contains("event:"), "it is told from where to come back, and nothing else: {first}");
    for unknown in ["run-0-2", "run-1-99", "nonsense"] {
        let mut reader = Reader::open(&server, "", OWNER, Some(unknown)).await;
        bus.emit(Some("account-1"), board(5));
        let seen = reader.until("\"revision\":5").await;
        assert!(seen.contains("event: reset") && seen.contains("\nid: run-1-"), "{unknown}: {seen}");
    }
    server.stop().await;
}

#[tokio::test]
async fn heartbeats_come_and_a_revoked_token_ends_the_stream() {
    let server = Running::start(Limits { heartbeat: Duration::from_millis(10), ..quick() }).await;
    let mut reader = Reader::open(&server, "", AGENT, None).await;
    reader.until(": still here").await;
    server.accounts.revoked.lock().unwrap().push(AGENT.to_owned());
    reader.until_closed().await;
    server.stop().await;
}

#[tokio::test]
async fn streams_are_limited_and_end_at_shut_down() {
    let server = Running::start(Limits { streams: 1, in_flight: 1, ..quick() }).await;
    let reader = Reader::open(&server, "", CLI, None).await;
    let second = server.get("/events", CLI).await;
    assert_eq!((second.status, second.code().as_str()), (429, "too-many-requests"));
    assert_eq!(server.get("/things", CLI).await.status, 200);
    let stopped = tokio::spawn(server.stop());
    reader.until_closed().await;
    stopped.await.unwrap();
}
