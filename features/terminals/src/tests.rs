//! Terminals with real shells, through the operations.

use crate::output::{KEPT_BYTES_MAX, Output, Piece};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use futures_util::StreamExt;
use kit::lookup::{FindFolders, Hubs, Lookup, WorkFolder, WorkFolders};
use kit::op::ByteStream;
use kit::{Body, Call, Caller, Ctx, Feature, Kind, Result};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

/// In the place of sessions: `here` and `gone` are sessions and hubs of the first account.
#[derive(Clone, Default)]
struct Folders(Arc<Mutex<HashSet<String>>>);

const HERE: &str = "here";
const GONE: &str = "gone";

impl Folders {
    fn find(account: &str, id: &str) -> futures_core::future::BoxFuture<'static, Result<Option<WorkFolder>>> {
        let path = if id == GONE { "/nowhere/at/all" } else { "/" };
        let folder = WorkFolder { path: path.into(), hub: Some("hub".into()) };
        let found = (account == ACCOUNT && [HERE, GONE].contains(&id)).then_some(folder);
        Box::pin(std::future::ready(Ok(found)))
    }
}

impl FindFolders for Folders {
    fn of_session(
        &self,
        account: &str,
        id: &str,
    ) -> futures_core::future::BoxFuture<'static, Result<Option<WorkFolder>>> {
        Self::find(account, id)
    }
    fn of_hub(&self, account: &str, id: &str) -> futures_core::future::BoxFuture<'static, Result<Option<WorkFolder>>> {
        Self::find(account, id)
    }
}

impl Lookup for Folders {
    fn missing(&self, _: &str, ids: Vec<String>) -> futures_core::future::BoxFuture<'static, Result<Vec<String>>> {
        let removed = self.0.lock().unwrap();
        Box::pin(std::future::ready(Ok(ids.into_iter().filter(|id| removed.contains(id)).collect())))
    }
}

fn provide(ctx: &Ctx) {
    let folders = Folders::default();
    ctx.provide(Arc::new(WorkFolders(Box::new(folders.clone()))));
    ctx.provide(Arc::new(Hubs(Box::new(folders.clone()))));
    ctx.provide(Arc::new(folders));
    ctx.provide(Arc::new(crate::service::ShellProgram("/bin/sh".into())));
}

fn folders() -> Feature {
    Feature {
        start: |ctx| {
            provide(&ctx);
            Box::pin(std::future::ready(Ok(())))
        },
        ..Feature::named("folders")
    }
}

/// A program with its terminals, closed at the end.
struct Place(Program);

impl Place {
    async fn start() -> Place {
        Place(Program::start(|| vec![folders(), crate::feature()]).await)
    }

    async fn open(&self) -> String {
        let made = self.0.owner("terminals.create", json!({"sessionId": HERE, "columns": 80, "rows": 24})).await;
        made.expect("a terminal")["id"].as_str().expect("an id").to_owned()
    }

    async fn type_in(&self, id: &str, data: &str) {
        self.0.owner("terminals.write", json!({"terminalId": id, "data": data})).await.expect("it is typed");
    }

    async fn watch(&self, id: &str, after: Option<u64>) -> Screen {
        let mut input = json!({"terminalId": id});
        if let Some(after) = after {
            input["after"] = after.into();
        }
        let reply = self.0.call(Call::new(Caller::new(Kind::Owner, ACCOUNT, "test")), "terminals.output", input).await;
        let Body::Stream(stream) = reply.expect("a stream").body else { panic!("a stream") };
        Screen { stream, waiting: String::new(), text: String::new(), at: 0, events: Vec::new() }
    }

    async fn end(self) {
        (crate::feature().stop)(self.0.ctx.clone()).await;
    }
}

/// What a page makes of the stream.
struct Screen {
    stream: ByteStream,
    waiting: String,
    text: String,
    at: u64,
    events: Vec<(String, Value)>,
}

impl Screen {
    /// Reads one event; false at the end of the stream.
    async fn read(&mut self) -> bool {
        let event = loop {
            if let Some((event, rest)) = self.waiting.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.waiting = rest;
                break event;
            }
            match self.stream.next().await {
                Some(bytes) => self.waiting += std::str::from_utf8(&bytes.expect("bytes")).expect("text"),
                None => return false,
            }
        };
        let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
        if let Some(id) = field("id: ") {
            self.at = id.parse().expect("a number");
        }
        match (field("event: "), field("data: ")) {
            (Some("output" | "replay"), Some(data)) => {
                let bytes = BASE64_STANDARD.decode(data).expect("Base64");
                self.text += &String::from_utf8_lossy(&bytes);
            }
            (Some(name), Some(data)) => {
                self.events.push((name.to_owned(), serde_json::from_str(data).expect("JSON")));
            }
            _ => {}
        }
        true
    }

    async fn until(&mut self, text: &str) {
        while !self.text.contains(text) {
            assert!(self.read().await, "the stream ended before {text:?}: {:?}", self.text);
        }
    }

    /// Reads to the end; the last event.
    async fn end(mut self) -> (String, Value) {
        while self.read().await {}
        self.events.pop().expect("an event")
    }

    /// The number between a word and a comma.
    async fn number(&mut self, word: &str) -> u32 {
        loop {
            let found = self.text.rsplit_once(word).and_then(|(_, rest)| Some(rest.split_once(',')?.0));
            if let Some(number) = found.and_then(|text| text.parse().ok()) {
                return number;
            }
            assert!(self.read().await, "the stream ended before {word:?}: {:?}", self.text);
        }
    }
}

fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !matches!(rest.trim_start().as_bytes().first(), Some(b'Z' | b'X')))
}

#[tokio::test]
async fn a_shell_runs_in_the_folder_and_says_its_size() {
    let place = Place::start().await;
    let id = place.open().await;
    let mut screen = place.watch(&id, None).await;
    place.type_in(&id, "echo hi$((1+1)) in $PWD; stty size\r").await;
    screen.until("hi2 in /").await;
    screen.until("24 80").await;
    let input = json!({"terminalId": id, "columns": 101, "rows": 33});
    let resized = place.0.owner("terminals.resize", input).await.unwrap();
    assert_eq!((&resized["columns"], &resized["rows"]), (&json!(101), &json!(33)));
    place.type_in(&id, "stty size\r").await;
    screen.until("33 101").await;
    place.end().await;
}

#[tokio::test]
async fn a_reload_shows_the_screen_again_and_a_reconnect_only_the_rest() {
    let place = Place::start().await;
    let id = place.open().await;
    let mut first = place.watch(&id, None).await;
    place.type_in(&id, "echo on$((1))e\r").await;
    first.until("on1e").await;
    let at = first.at;
    drop(first);
    place.type_in(&id, "echo tw$((2))o\r").await;
    let mut again = place.watch(&id, None).await;
    again.until("on1e").await;
    again.until("tw2o").await;
    let mut rest = place.watch(&id, Some(at)).await;
    rest.until("tw2o").await;
    assert!(!rest.text.contains("on1e") && rest.events.is_empty(), "{:?}", rest.text);
    place.end().await;
}

#[tokio::test]
async fn an_ended_shell_says_its_exit_code_and_takes_no_input() {
    let place = Place::start().await;
    let id = place.open().await;
    let screen = place.watch(&id, None).await;
    place.type_in(&id, "exit 7\r").await;
    assert_eq!(screen.end().await, ("exit".to_owned(), json!({"exitCode": 7})));
    let shown = place.0.owner("terminals.get", json!({"terminalId": id})).await.unwrap();
    assert_eq!((&shown["isRunning"], &shown["exitCode"]), (&json!(false), &json!(7)));
    let typed = place.0.owner("terminals.write", json!({"terminalId": id, "data": "a"})).await;
    refused(typed, "terminal-ended");
    let resized = place.0.owner("terminals.resize", json!({"terminalId": id, "columns": 1, "rows": 1})).await;
    refused(resized, "terminal-ended");
    place.end().await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn closing_ends_everything_that_was_started() {
    let place = Place::start().await;
    let id = place.open().await;
    let mut screen = place.watch(&id, None).await;
    // It has a session of its own, ignores that the terminal is gone, and says when that is so.
    let stubborn = "setsid sh -c 'trap \"\" HUP TERM; echo stays$((0))=$$,; exec sleep 1000' &\r";
    place.type_in(&id, stubborn).await;
    let stubborn = screen.number("stays0=").await;
    place.type_in(&id, "echo shell$((0))=$$,\r").await;
    let shell = screen.number("shell0=").await;
    assert!(is_alive(shell) && is_alive(stubborn));
    place.0.owner("terminals.close", json!({"terminalId": id})).await.unwrap();
    assert_eq!(screen.end().await.0, "closed");
    assert!(!is_alive(shell) && !is_alive(stubborn));
    refused(place.0.owner("terminals.get", json!({"terminalId": id})).await, "not-found");
    place.end().await;
}

#[tokio::test]
async fn terminals_end_with_the_program_and_with_their_hub() {
    let place = Place::start().await;
    let (of_hub, other) = (place.open().await, place.open().await);
    let (first, second) = (place.watch(&of_hub, None).await, place.watch(&other, None).await);
    place.0.do_chores().await;
    assert_eq!(place.0.owner("terminals.list", json!({})).await.unwrap()["items"].as_array().unwrap().len(), 2);
    place.0.ctx.service::<Folders>().0.lock().unwrap().insert("hub".into());
    place.0.do_chores().await;
    assert_eq!(first.end().await.0, "closed");
    assert_eq!(second.end().await.0, "closed");
    let id = place.open().await;
    let screen = place.watch(&id, None).await;
    let ctx = place.0.ctx.clone();
    place.end().await;
    assert_eq!(screen.end().await.0, "closed");
    assert!(ctx.service::<crate::service::Terminals>().of_account(ACCOUNT).is_empty());
}

#[tokio::test]
async fn only_the_user_on_the_page_can_use_terminals() {
    let place = Place::start().await;
    let id = place.open().await;
    let inputs = [
        ("terminals.list", json!({})),
        ("terminals.create", json!({"sessionId": HERE, "columns": 80, "rows": 24})),
        ("terminals.get", json!({"terminalId": id})),
        ("terminals.resize", json!({"terminalId": id, "columns": 80, "rows": 24})),
        ("terminals.write", json!({"terminalId": id, "data": "a"})),
        ("terminals.output", json!({"terminalId": id})),
        ("terminals.close", json!({"terminalId": id})),
    ];
    for (op, input) in inputs {
        for kind in [Kind::Cli, Kind::Agent, Kind::Member] {
            let mut caller = Caller::new(kind, ACCOUNT, "test");
            caller.scopes = vec!["sessions:read".into(), "sessions:write".into()];
            refused(place.0.as_caller(caller, op, input.clone()).await, "forbidden-caller");
        }
        refused(place.0.as_caller(Caller::new(Kind::Public, "", ""), op, input.clone()).await, "no-token");
        // The user's own token, but from an agent: over MCP, or in the name of a session.
        let mcp = Caller { through_mcp: true, ..Caller::new(Kind::Owner, ACCOUNT, "test") };
        refused(place.0.as_caller(mcp, op, input.clone()).await, "forbidden-caller");
        let mut call = Call::new(Caller::new(Kind::Owner, ACCOUNT, "test"));
        call.source_session = Some(HERE.into());
        refused(place.0.call(call, op, input).await, "forbidden-caller");
    }
    place.end().await;
}

#[tokio::test]
async fn another_account_finds_nothing() {
    let place = Place::start().await;
    let id = place.open().await;
    let other = async |op: &str, input: Value| {
        place.0.as_caller(Caller::new(Kind::Owner, OTHER_ACCOUNT, "test"), op, input).await
    };
    assert_eq!(other("terminals.list", json!({})).await.unwrap()["items"], json!([]));
    refused(other("terminals.list", json!({"sessionId": HERE})).await, "named-not-found");
    for (op, input) in [
        ("terminals.get", json!({"terminalId": id})),
        ("terminals.resize", json!({"terminalId": id, "columns": 80, "rows": 24})),
        ("terminals.write", json!({"terminalId": id, "data": "a"})),
        ("terminals.output", json!({"terminalId": id})),
        ("terminals.close", json!({"terminalId": id})),
    ] {
        refused(other(op, input).await, "not-found");
    }
    let made = other("terminals.create", json!({"sessionId": HERE, "columns": 80, "rows": 24})).await;
    refused(made, "named-not-found");
    place.end().await;
}

#[tokio::test]
async fn limits_hold() {
    let place = Place::start().await;
    let mut last = String::new();
    for _ in 0..crate::service::TERMINALS_MAX {
        last = place.open().await;
    }
    let create = async |more: Value| {
        let mut input = json!({"columns": 80, "rows": 24});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        place.0.owner("terminals.create", input).await
    };
    refused(create(json!({"sessionId": HERE})).await, "terminal-limit");
    place.0.owner("terminals.close", json!({"terminalId": last})).await.unwrap();
    assert_eq!(create(json!({"hubId": HERE})).await.unwrap()["folder"], "/");
    refused(create(json!({"hubId": GONE})).await, "terminal-folder");
    refused(create(json!({"hubId": "other"})).await, "named-not-found");
    refused(create(json!({})).await, "invalid-input");
    refused(create(json!({"hubId": HERE, "sessionId": HERE})).await, "invalid-input");
    refused(create(json!({"hubId": HERE, "columns": 0})).await, "invalid-input");
    refused(create(json!({"hubId": HERE, "rows": 1001})).await, "invalid-input");
    let id = &place.0.owner("terminals.list", json!({"limit": 1})).await.unwrap()["items"][0]["id"];
    let long = "a".repeat(16 * 1024 + 1);
    refused(place.0.owner("terminals.write", json!({"terminalId": id, "data": long})).await, "too-large");
    place.end().await;
}

/// A program that writes without end costs bounded memory, and can still be interrupted.
#[tokio::test]
async fn a_flood_is_cut_and_can_be_interrupted() {
    let place = Place::start().await;
    let id = place.open().await;
    let mut screen = place.watch(&id, None).await;
    place.type_in(&id, "while :; do echo flood; done\r").await;
    while screen.at < 2 * KEPT_BYTES_MAX as u64 {
        assert!(screen.read().await);
    }
    assert!(screen.events.is_empty(), "a viewer that reads misses nothing");
    place.type_in(&id, "\u{3}").await;
    place.type_in(&id, "echo don$((0))e\r").await;
    screen.until("don0e").await;
    let mut late = place.watch(&id, Some(1)).await;
    late.until("don0e").await;
    assert_eq!(late.events, [("reset".to_owned(), json!({}))]);
    assert!(late.text.len() <= KEPT_BYTES_MAX + 1024, "{}", late.text.len());
    place.end().await;
}

#[test]
fn kept_output_begins_with_a_whole_line_and_is_a_replay() {
    let output = Output::new();
    let line = format!("{}\n", "x".repeat(99));
    for _ in 0..2 * KEPT_BYTES_MAX / line.len() {
        output.push(line.as_bytes());
    }
    let mut viewer = output.watch(None);
    assert_eq!(viewer.take(), Some(Piece::Missed));
    let Some(Piece::Output { bytes, is_replay: true, .. }) = viewer.take() else { panic!("a replay") };
    assert!(bytes.starts_with(line.as_bytes()));
    while let Some(Piece::Output { is_replay, .. }) = viewer.take() {
        assert!(is_replay);
    }
    output.push(b"new");
    let Some(Piece::Output { bytes, is_replay: false, .. }) = viewer.take() else { panic!("new output") };
    assert_eq!(bytes, b"new");
}
