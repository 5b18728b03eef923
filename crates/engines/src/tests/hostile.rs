//! Agents that send what they should not, or nothing.

use super::support::{impatient, patient, text};
use crate::acp::{Conn, EVENTS_MAX, Events, LINE_BYTES_MAX, Streams, connect};
use crate::engine::Claude;
use crate::event::{Event, Failure, StopReason};
use crate::offers::Verdict;
use crate::port::{LaunchPlan, Open, Refused};
use crate::world::World;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadBuf, ReadHalf, WriteHalf,
};

/// The agent's side, by hand.
struct Agent {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
}

impl Agent {
    async fn hears(&mut self) -> Value {
        let mut line = String::new();
        self.read.read_line(&mut line).await.expect("a line");
        serde_json::from_str(&line).expect("our client sends JSON")
    }

    async fn sends(&mut self, message: Value) {
        self.sends_line(format!("{message}\n").as_bytes()).await;
    }

    async fn sends_line(&mut self, line: &[u8]) {
        self.write.write_all(line).await.expect("our client reads");
    }

    async fn answers(&mut self, result: Value) -> Value {
        let request = self.hears().await;
        self.sends(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
        request
    }

    async fn opens(&mut self) {
        self.answers(json!({"protocolVersion": 1})).await;
        self.answers(json!({"sessionId": "s"})).await;
    }

    async fn updates(&mut self, update: Value) {
        self.sends(
            json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}),
        )
        .await;
    }
}

fn wire(world: World) -> (Conn, Events, Agent) {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (input, output) = tokio::io::split(ours);
    let (read, write) = tokio::io::split(theirs);
    let streams = Streams { input: Box::new(input), output: Box::new(output), errors: None, process: None };
    let (conn, events) = connect(Arc::new(Claude), LaunchPlan::default(), streams, world);
    (conn, events, Agent { read: BufReader::new(read), write })
}

/// A connection in a turn; the agent has read the prompt, whose number this gives.
async fn in_turn() -> (Conn, Events, Agent, Value) {
    let (conn, events, mut agent) = wire(patient());
    let (opened, ()) = tokio::join!(conn.open(Open::New), agent.opens());
    opened.expect("it opens");
    conn.prompt(&text("go")).await.expect("open");
    let id = agent.hears().await["id"].clone();
    (conn, events, agent, id)
}

async fn rest(mut events: Events) -> Vec<Event> {
    let mut told = Vec::new();
    while let Some(event) = events.next().await {
        told.push(event);
    }
    told
}

fn end(told: &[Event]) -> (Option<Failure>, &str) {
    match told {
        [.., Event::TurnEnded { failure, .. }, Event::Exited { stderr, .. }] => (failure.clone(), stderr),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_agent_that_never_answers_is_given_up() {
    let (conn, _events, _agent) = wire(impatient());
    let failed = conn.open(Open::New).await.unwrap_err();
    assert_eq!(failed.failure, Failure::Crash);
    assert_eq!(failed.detail, "Claude didn't answer initialize within 60 seconds.");
    assert_eq!(conn.prompt(&text("go")).await, Err(Refused::NotOpen));
}

#[tokio::test]
async fn an_agent_of_another_version_is_not_spoken_with() {
    let (conn, _events, mut agent) = wire(patient());
    let (opened, _) = tokio::join!(conn.open(Open::New), agent.answers(json!({"protocolVersion": 2})));
    let failed = opened.unwrap_err();
    assert!(
        failed.detail.starts_with("Claude uses version 2 of the Agent Client Protocol, not version 1."),
        "{failed:?}"
    );
}

#[tokio::test]
async fn an_agent_where_nobody_is_logged_in_says_so() {
    let (conn, _events, mut agent) = wire(patient());
    let refuses = async {
        agent.answers(json!({"protocolVersion": 1})).await;
        let id = agent.hears().await["id"].clone();
        agent
            .sends(json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32000, "message": "Log in, sk-12345678901"}}))
            .await;
    };
    let (opened, ()) = tokio::join!(conn.open(Open::New), refuses);
    let failed = opened.unwrap_err();
    assert_eq!((failed.failure, &*failed.detail), (Failure::Auth, "Log in, sk-…"));
}

#[tokio::test]
async fn an_agent_that_ends_before_it_opened_a_session_fails_the_start() {
    let (conn, events, agent) = wire(patient());
    drop(agent);
    assert_eq!(conn.open(Open::New).await.unwrap_err().failure, Failure::Crash);
    assert!(matches!(&rest(events).await[..], [Event::Exited { .. }]));
}

/// Counts what is read of an endless line.
struct Endless(Arc<AtomicUsize>);

impl AsyncRead for Endless {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        let count = buf.remaining();
        buf.initialize_unfilled().fill(b'x');
        buf.advance(count);
        self.0.fetch_add(count, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn a_line_without_an_end_ends_the_session_and_is_not_read_on() {
    let (conn, events, agent, _) = in_turn().await;
    drop((conn, events, agent));
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (input, output) = tokio::io::split(ours);
    let read = Arc::new(AtomicUsize::new(0));
    let (their_read, their_write) = tokio::io::split(theirs);
    let mut agent = Agent { read: BufReader::new(their_read), write: their_write };
    // What the agent answers comes first, then the line; the prompt waits meanwhile.
    let (switch, switched) = tokio::io::duplex(64 << 10);
    let input = input.chain(switched).chain(Endless(read.clone()));
    let streams = Streams { input: Box::new(input), output: Box::new(output), errors: None, process: None };
    let (conn, events) = connect(Arc::new(Claude), LaunchPlan::default(), streams, patient());
    let (opened, ()) = tokio::join!(conn.open(Open::New), agent.opens());
    opened.expect("it opens");
    conn.prompt(&text("go")).await.expect("open");
    agent.hears().await;
    agent.write.shutdown().await.unwrap();
    drop(switch);
    let told = rest(events).await;
    assert_eq!(end(&told), (Some(Failure::Crash), "The engine sent a line longer than 16 MiB."));
    let read = read.load(Ordering::Relaxed);
    assert!(read <= LINE_BYTES_MAX + (1 << 20), "{read} bytes were read");
}

#[tokio::test]
async fn a_hundred_megabytes_in_one_line_end_the_session() {
    let (_conn, events, mut agent, _) = in_turn().await;
    let line = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        if agent.write.write_all(&line).await.is_err() {
            break;
        }
    }
    assert_eq!(end(&rest(events).await).0, Some(Failure::Crash));
}

#[tokio::test]
async fn answers_to_nothing_and_second_answers_change_nothing() {
    let (conn, mut events, mut agent, id) = in_turn().await;
    for odd in [json!(99), json!("3"), json!(-1), json!(1.5), json!(null), json!({}), json!(1)] {
        agent.sends(json!({"jsonrpc": "2.0", "id": odd, "result": {"stopReason": "end_turn"}})).await;
    }
    for _ in 0..2 {
        agent.sends(json!({"jsonrpc": "2.0", "id": id, "result": {"stopReason": "max_tokens"}})).await;
    }
    agent.updates(json!({"sessionUpdate": "current_mode_update", "currentModeId": "plan"})).await;
    let ended = Event::TurnEnded { stop: StopReason::MaxTokens, failure: None, detail: None };
    assert_eq!(events.next().await, Some(ended));
    assert_eq!(events.next().await, Some(Event::Mode { mode: "plan".into() }));
    conn.shutdown(Duration::ZERO).await;
}

#[tokio::test]
async fn what_is_not_offered_is_refused_by_its_code() {
    let (_conn, _events, mut agent, _) = in_turn().await;
    for (method, params, code) in [
        ("fs/read_text_file", json!({"path": "/etc/passwd"}), -32601),
        ("terminal/create", json!({"command": "ls"}), -32601),
        ("_vendor/thing", json!(null), -32601),
        ("elicitation/create", json!({"mode": "url", "url": "https://x.y"}), -32601),
        ("session/request_permission", json!({"options": []}), -32602),
        ("session/request_permission", json!({"toolCall": {"toolCallId": 7}}), -32602),
    ] {
        agent.sends(json!({"jsonrpc": "2.0", "id": "theirs", "method": method, "params": params})).await;
        let answer = agent.hears().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("theirs"), &json!(code)), "{method}");
    }
}

fn permission(id: usize) -> Value {
    let tool = json!({"toolCallId": format!("t{id}"), "title": "x"});
    let options = json!([{"optionId": "yes", "name": "Yes", "kind": "allow_once"}, {"optionId": "odd", "name": "?", "kind": "perhaps"}]);
    json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": {"toolCall": tool, "options": options}})
}

#[tokio::test]
async fn a_flood_of_permission_requests_is_answered_without_anybody() {
    const FLOOD: usize = 1_000;
    const OPEN: usize = 64;
    let (conn, mut events, agent, id) = in_turn().await;
    let Agent { mut read, mut write } = agent;
    let floods = async move {
        for n in 0..FLOOD {
            write.write_all(format!("{}\n", permission(n)).as_bytes()).await.unwrap();
        }
        write
    };
    let hears = async move {
        let mut cancelled = 0;
        let mut line = String::new();
        while cancelled < FLOOD - OPEN {
            line.clear();
            read.read_line(&mut line).await.unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(answer["result"]["outcome"]["outcome"], "cancelled");
            cancelled += 1;
        }
        read
    };
    let (write, read) = tokio::join!(floods, hears);
    let mut agent = Agent { read, write };
    let mut asked = Vec::new();
    for _ in 0..OPEN {
        let Some(Event::Permission { request }) = events.next().await else { panic!("a request") };
        asked.push(request);
    }
    assert_eq!(asked[0].offers.len(), 1, "an offer of an unknown kind cannot be chosen");
    assert!(matches!(events.next().await, Some(Event::Notice { .. })));
    // A decision that nothing offered says is answered as canceled, and says so.
    assert_eq!(conn.decide(&asked[0].id, Verdict::AllowOnce).await, Ok(()));
    assert_eq!(agent.hears().await["result"]["outcome"]["optionId"], "yes");
    assert_eq!(conn.decide(&asked[0].id, Verdict::AllowOnce).await, Err(Refused::NotAsked));
    assert_eq!(conn.decide(&asked[1].id, Verdict::RejectOnce).await, Err(Refused::NotOffered));
    assert_eq!(agent.hears().await["result"]["outcome"]["outcome"], "cancelled");
    // The agent takes one back, and the end of the turn all others.
    agent.sends(json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 2}})).await;
    agent.sends(json!({"jsonrpc": "2.0", "id": id, "result": {"stopReason": "end_turn"}})).await;
    let mut withdrawn = 0;
    loop {
        match events.next().await.expect("more") {
            Event::Withdrawn { .. } => withdrawn += 1,
            Event::TurnEnded { .. } => break,
            _ => {}
        }
    }
    assert_eq!(withdrawn, OPEN - 2);
}

#[tokio::test]
async fn an_agent_that_tells_faster_than_anybody_listens_has_to_wait() {
    const TOLD: usize = 20_000;
    let (_conn, mut events, mut agent, _) = in_turn().await;
    let sent = Arc::new(AtomicUsize::new(0));
    let count = sent.clone();
    let flood = tokio::spawn(async move {
        for n in 0..TOLD {
            agent.updates(json!({"sessionUpdate": "notice", "title": format!("{n} {}", "x".repeat(500))})).await;
            count.fetch_add(1, Ordering::Relaxed);
        }
        agent
    });
    // Everything here runs in one thread: after so many rounds whatever can go on has gone on.
    for _ in 0..100_000 {
        tokio::task::yield_now().await;
    }
    let waiting = sent.load(Ordering::Relaxed);
    assert!((EVENTS_MAX..EVENTS_MAX + 500).contains(&waiting), "{waiting} were taken");
    for n in 0..TOLD {
        let Some(Event::Notice { text }) = events.next().await else { panic!("a notice") };
        assert!(text.starts_with(&format!("{n} ")), "in order and complete");
    }
    drop(flood.await);
}

#[tokio::test]
async fn an_agent_that_reads_nothing_is_given_up() {
    let (conn, events, _agent, _) = in_turn().await;
    let long = "x".repeat(10_000);
    while conn.prompt(&text(&long)).await.is_ok() {}
    assert_eq!(
        end(&rest(events).await),
        (Some(Failure::Crash), "The engine stopped reading: 512 messages are unread.")
    );
}

#[tokio::test]
async fn what_belongs_to_another_session_is_not_mixed_in() {
    let (_conn, mut events, mut agent, _) = in_turn().await;
    let params = json!({"sessionId": "other", "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}});
    agent.sends(json!({"jsonrpc": "2.0", "method": "session/update", "params": params})).await;
    assert_eq!(events.next().await, Some(Event::Raw { value: params }));
}

#[tokio::test]
async fn trouble_that_the_agent_got_over_is_none_and_what_it_did_not_is() {
    let failure = |severity: &str| {
        let failure =
            json!({"category": "service", "severity": severity, "title": "529 Overloaded", "actions": ["retry"]});
        json!({"sessionUpdate": "session_info_update", "_meta": {"jetbrains": {"air": {"sessionFailure": failure}}}})
    };
    for (recovers, is_failed) in [(true, false), (false, true)] {
        let (_conn, events, mut agent, id) = in_turn().await;
        agent.updates(failure("warning")).await;
        agent.updates(failure("error")).await;
        if recovers {
            agent
                .updates(json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}))
                .await;
        }
        agent.sends(json!({"jsonrpc": "2.0", "id": id, "result": {"stopReason": "end_turn"}})).await;
        drop(agent);
        let told = rest(events).await;
        assert_eq!(told[0], Event::Retrying { what: "529 Overloaded".into() });
        let failed = told.iter().any(|event| matches!(event, Event::TurnEnded { failure: Some(_), .. }));
        assert_eq!(failed, is_failed);
    }
}

/// Any JSON, a few levels deep.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-zA-Z_]{1,12}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Messages that agents really sent.
fn recorded() -> Vec<Value> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings");
    ["claude.tools", "codex.errors", "opencode.cancel", "gemini.tools"]
        .iter()
        .flat_map(|name| {
            let text = std::fs::read_to_string(dir.join(format!("{name}.jsonl"))).expect("a recording");
            let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
            lines.into_iter().filter(|line| line["dir"] == "in").map(|mut line| line["m"].take())
        })
        .collect()
}

/// Puts something else in the place of one value of a message, wherever it stands.
fn replace(message: &mut Value, at: &mut usize, by: &Value) {
    if *at == 0 {
        by.clone_into(message);
    }
    *at = at.wrapping_sub(1);
    match message {
        Value::Object(members) => members.values_mut().for_each(|value| replace(value, at, by)),
        Value::Array(values) => values.iter_mut().for_each(|value| replace(value, at, by)),
        _ => {}
    }
}

fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let recorded = recorded();
    let message = any::<prop::sample::Index>().prop_map(move |index| index.get(&recorded).clone());
    let changed = (message.clone(), 0..60_usize, any_json()).prop_map(|(mut message, mut at, by)| {
        replace(&mut message, &mut at, &by);
        message.to_string().into_bytes()
    });
    let cut = (message, any::<prop::sample::Index>()).prop_map(|(message, at)| {
        let text = message.to_string().into_bytes();
        text[..at.index(text.len())].to_vec()
    });
    let method = prop_oneof![
        Just("session/update".to_owned()),
        Just("session/request_permission".to_owned()),
        Just("elicitation/create".to_owned()),
        "[a-z/_$]{0,16}",
    ];
    let made = (method, any_json(), prop::option::of(any_json())).prop_map(|(method, params, id)| {
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if let Some(id) = id {
            message["id"] = id;
        }
        message.to_string().into_bytes()
    });
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    prop_oneof![4 => changed, 2 => cut, 2 => made, 1 => any_json().prop_map(|json| json.to_string().into_bytes()), 1 => bytes]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_an_agent_sends_the_session_goes_on(lines in prop::collection::vec(any_line(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async move {
            let (conn, mut events, agent, id) = in_turn().await;
            let Agent { mut read, mut write } = agent;
            // The agent reads what it is answered, or nobody could write any more.
            let reads = tokio::spawn(async move { tokio::io::copy(&mut read, &mut tokio::io::sink()).await });
            let sends = tokio::spawn(async move {
                for line in lines {
                    write.write_all(&line).await.unwrap();
                    write.write_all(b"\n").await.unwrap();
                }
                let end = json!({"jsonrpc": "2.0", "id": id, "result": {"stopReason": "end_turn"}});
                write.write_all(format!("{end}\n").as_bytes()).await.unwrap();
                write
            });
            // By now the turn has ended, here or by a line that happened to answer the prompt.
            loop {
                match events.next().await.expect("the session goes on") {
                    Event::TurnEnded { .. } => break,
                    Event::Exited { stderr, .. } => panic!("the session ended: {stderr}"),
                    _ => {}
                }
            }
            let write = sends.await.unwrap();
            prop_assert_eq!(conn.prompt(&text("again")).await, Ok(()));
            conn.shutdown(Duration::ZERO).await;
            drop(write);
            reads.abort();
            Ok(())
        })?;
    }
}

#[tokio::test]
async fn an_engine_that_only_loads_goes_on_with_its_session_and_its_history_is_not_told_again() {
    let (conn, mut events, mut agent) = wire(patient());
    let answers = async {
        agent.answers(json!({"protocolVersion": 1, "agentCapabilities": {"loadSession": true}})).await;
        let load = agent.hears().await;
        assert_eq!((&load["method"], &load["params"]["sessionId"]), (&json!("session/load"), &json!("s")));
        let said =
            |text: &str| json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}});
        agent.updates(said("of old")).await;
        agent.sends(json!({"jsonrpc": "2.0", "id": load["id"], "result": {}})).await;
        agent.hears().await;
        agent.updates(said("of now")).await;
    };
    let speaks = async {
        assert_eq!(conn.reopen("s").await.unwrap().expect("it is known").session, "s");
        conn.prompt(&text("go")).await.expect("open");
        events.next().await
    };
    let (told, ()) = tokio::join!(speaks, answers);
    let told = format!("{told:?}");
    assert!(told.contains("of now") && !told.contains("of old"), "{told}");
}

#[tokio::test]
async fn only_an_engine_that_knows_no_more_of_a_session_lets_another_one_begin() {
    for (code, message, details, is_forgotten) in [
        (-32002, "Resource not found", "", true),
        (-32603, "Internal error", "No previous sessions found for this project.", true),
        (-32603, "No conversation found with session ID: s", "", true),
        (-32603, "Internal error", "EACCES: permission denied", false),
        (-32602, "Invalid params", "mcpServers: expected an array", false),
        (-32000, "Authentication required", "", false),
        (-32603, "529 Overloaded", "", false),
    ] {
        let (conn, _events, mut agent) = wire(patient());
        let refuses = async {
            agent
                .answers(json!({"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"resume": {}}}}))
                .await;
            let id = agent.hears().await["id"].clone();
            let error = json!({"code": code, "message": message, "data": {"details": details}});
            agent.sends(json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
        };
        let (opened, ()) = tokio::join!(conn.reopen("s"), refuses);
        match opened {
            Ok(opened) => assert!(is_forgotten && opened.is_none(), "{message} {details}"),
            Err(failed) => assert!(!is_forgotten && failed.detail.contains(message), "{failed:?}"),
        }
    }
}
