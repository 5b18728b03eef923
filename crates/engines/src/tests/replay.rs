//! Every recording of a real agent is played again, and what our client makes of it is a golden file.
//!
//! The agent's side sends what it sent then, and waits where it waited for the client then; the test does what the client did.

use super::support::patient;
use crate::acp::{Conn, Events, Streams, absorb, connect};
use crate::event::{Chunk, Event};
use crate::port::{Change, Engine, LaunchPlan, Open, OpenFailed, Opened};
use crate::{Verdict, engine};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

/// The method by which the agent's side says that it waits for the client.
const WAITS: &str = "_replay/waits";

/// One message of a recording.
struct Sent {
    by_agent: bool,
    message: Value,
}

fn dir(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The connections of a recording.
fn connections(file: &Path) -> Vec<Vec<Sent>> {
    let text = std::fs::read_to_string(file).expect("a recording");
    let mut connections: Vec<Vec<Sent>> = Vec::new();
    for line in text.lines() {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        let message = line["m"].take();
        if message["method"] == "initialize" {
            connections.push(Vec::new());
        }
        // Sessions are never listed by our client: it knows its own.
        let is_listed = |sent: &Vec<Sent>| {
            let asked = |one: &Sent| one.message["method"] == "session/list" && one.message["id"] == message["id"];
            message["method"].is_null() && sent.iter().any(asked)
        };
        let sent = connections.last_mut().expect("a recording begins with initialize");
        let by_agent = line["dir"] == "in";
        if by_agent && is_listed(sent) {
            sent.retain(|one| one.message["method"] != "session/list");
            continue;
        }
        sent.push(Sent { by_agent, message });
    }
    connections
}

/// Plays the agent.
struct Player {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    /// What the client sent before it was waited for.
    early: Vec<Value>,
    /// The recorded numbers of requests, and those of our client.
    ids: Vec<(Value, Value)>,
}

impl Player {
    async fn play(mut self, sent: Arc<Vec<Sent>>) {
        for (at, one) in sent.iter().enumerate() {
            let is_going_on = match one.by_agent {
                true => self.send(&one.message).await,
                false => self.wait_for(at, &one.message).await,
            };
            if !is_going_on {
                return;
            }
        }
    }

    async fn send(&mut self, message: &Value) -> bool {
        let mut message = message.clone();
        if message["method"].is_null() {
            let Some((_, ours)) = self.ids.iter().find(|(recorded, _)| *recorded == message["id"]) else { return true };
            message["id"] = ours.clone();
        }
        self.write.write_all(format!("{message}\n").as_bytes()).await.is_ok()
    }

    async fn wait_for(&mut self, at: usize, recorded: &Value) -> bool {
        let waits = json!({"jsonrpc": "2.0", "method": WAITS, "params": {"at": at}});
        if !matches!(
            recorded["method"].as_str(),
            Some("initialize" | "session/new" | "session/load" | "session/resume")
        ) {
            self.send(&waits).await;
        }
        loop {
            if let Some(found) = self.early.iter().position(|sent| is_alike(recorded, sent)) {
                let sent = self.early.remove(found);
                if recorded["method"].is_string() {
                    self.ids.push((recorded["id"].clone(), sent["id"].clone()));
                }
                return true;
            }
            let mut line = String::new();
            match self.read.read_line(&mut line).await {
                Ok(1..) => self.early.push(serde_json::from_str(&line).expect("our client sends JSON")),
                _ => return false,
            }
        }
    }
}

fn is_alike(recorded: &Value, sent: &Value) -> bool {
    match (recorded["method"].as_str(), sent["method"].as_str()) {
        (Some("session/set_mode"), Some("session/set_config_option")) => true,
        (Some(recorded), Some(sent)) => recorded == sent,
        (None, None) => recorded["id"] == sent["id"],
        _ => false,
    }
}

/// Plays the client: does what it did, and writes down what our own makes of it.
struct Client {
    conn: Conn,
    events: Events,
    sent: Arc<Vec<Sent>>,
    permissions: Vec<String>,
    told: Vec<Event>,
    waiting: Vec<JoinHandle<()>>,
}

impl Client {
    async fn run(mut self) -> String {
        let opening = self.open();
        while let Some(event) = self.events.next().await {
            match event {
                Event::Raw { value } if value["method"] == WAITS => {
                    let at = value["params"]["at"].as_u64().expect("a place");
                    self.act(usize::try_from(at).expect("a small number")).await;
                }
                event => {
                    if let Event::Permission { request } = &event {
                        self.permissions.push(request.id.clone());
                    }
                    self.tell(event);
                }
            }
        }
        let opened = opening.await.expect("no panic");
        for waiting in self.waiting {
            waiting.await.expect("no panic");
        }
        let mut text = match opened {
            Ok(opened) => {
                let can = opened.can;
                let choices: Vec<_> =
                    opened.choices.iter().map(|one| (&one.id, &one.current, one.options.len())).collect();
                format!(
                    "opened {} {} {can:?} mode {:?} choices {choices:?}\n",
                    opened.agent, opened.version, opened.mode
                )
            }
            Err(failed) => format!("not opened {failed:?}\n"),
        };
        if text.starts_with("not opened")
            && let Some(Event::Exited { stderr, .. }) = self.told.last_mut()
        {
            // Who hangs up first after that depends on who was faster.
            stderr.clear();
        }
        for event in &self.told {
            text += &serde_json::to_string(event).expect("JSON");
            text.push('\n');
        }
        text
    }

    /// Pieces are put together as far as they can be: how far the connection did that depends on who was faster.
    fn tell(&mut self, event: Event) {
        let event = match self.told.last_mut() {
            Some(last) => absorb(last, event),
            None => Some(event),
        };
        self.told.extend(event);
    }

    fn open(&self) -> JoinHandle<Result<Opened, OpenFailed>> {
        let text = |message: &Value| message["params"]["sessionId"].as_str().unwrap_or_default().to_owned();
        let how = self.sent.iter().find_map(|one| match one.message["method"].as_str()? {
            "session/new" => Some(Open::New),
            "session/resume" => Some(Open::Resume(text(&one.message))),
            "session/load" => Some(Open::Load { session: text(&one.message), replay: true }),
            _ => None,
        });
        let conn = self.conn.clone();
        tokio::spawn(async move {
            let opened = conn.open(how.expect("a session is opened")).await;
            if opened.is_err() {
                conn.shutdown(std::time::Duration::ZERO).await;
            }
            opened
        })
    }

    async fn act(&mut self, at: usize) {
        let sent = self.sent.clone();
        let message = &sent[at].message;
        let conn = self.conn.clone();
        match message["method"].as_str() {
            Some("session/prompt") => {
                let blocks: Vec<Chunk> = message["params"]["prompt"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(crate::acp::update::chunk)
                    .collect();
                conn.prompt(&blocks).await.expect("an open session");
            }
            Some("session/cancel") => conn.cancel().await,
            Some("session/set_mode") => {
                let mode = message["params"]["modeId"].as_str().expect("a mode").to_owned();
                let set = async move { conn.set(Change::Mode(mode)).await.expect("a mode that is offered") };
                self.waiting.push(tokio::spawn(set));
            }
            Some(other) => panic!("the recorded client sent {other}, which this test does not know"),
            None => self.answer(at, message).await,
        }
    }

    async fn answer(&mut self, at: usize, answer: &Value) {
        let requests = self.sent[..at].iter().filter(|one| one.by_agent && one.message["id"].is_u64());
        let permissions: Vec<&Value> = requests
            .filter(|one| one.message["method"] == "session/request_permission")
            .map(|one| &one.message["id"])
            .collect();
        let Some(number) = permissions.iter().position(|id| **id == answer["id"]) else { return };
        let Some(chosen) = answer["result"]["outcome"]["optionId"].as_str() else { return };
        let verdict = Verdict::Offer(chosen.to_owned());
        self.conn.decide(&self.permissions[number], verdict).await.expect("an open request");
    }
}

async fn replay(engine: Arc<dyn Engine>, sent: Vec<Sent>) -> String {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (input, output) = tokio::io::split(ours);
    let (read, write) = tokio::io::split(theirs);
    let sent = Arc::new(sent);
    let player = Player { read: BufReader::new(read), write, early: Vec::new(), ids: Vec::new() };
    let player = tokio::spawn(player.play(sent.clone()));
    let streams = Streams { input: Box::new(input), output: Box::new(output), errors: None, process: None };
    let params = json!({"cwd": "/home/dev/project", "mcpServers": []}).as_object().cloned().unwrap_or_default();
    let plan = LaunchPlan { params, ..LaunchPlan::default() };
    let (conn, events) = connect(engine, plan, streams, patient());
    let client = Client { conn, events, sent, permissions: Vec::new(), told: Vec::new(), waiting: Vec::new() };
    let text = client.run().await;
    player.await.expect("the player does not panic");
    text
}

/// Plays a recording and compares; says what it wrote anew.
async fn check(name: &str) {
    let id = name.split('.').next().expect("a name");
    let engine = engine::known().into_iter().find(|engine| engine.id() == id).expect("an engine that is known");
    let mut text = String::new();
    for sent in connections(&dir("recordings").join(format!("{name}.jsonl"))) {
        text += "--- a connection\n";
        text += &replay(engine.clone(), sent).await;
    }
    let golden = dir("golden").join(format!("{name}.txt"));
    if std::fs::read_to_string(&golden).unwrap_or_default() != text {
        std::fs::write(&golden, text).expect("the golden file");
        panic!("crates/engines/golden/{name}.txt differed and has been written anew: look at it and commit it");
    }
}

macro_rules! recordings {
    ($($test:ident $name:literal)*) => {
        $(#[tokio::test]
        async fn $test() {
            check($name).await;
        })*

        #[test]
        fn every_recording_is_played() {
            let mut played = vec![$($name),*];
            let all = std::fs::read_dir(dir("recordings")).expect("recordings").flatten().map(|file| file.path());
            let mut all: Vec<String> = all
                .filter(|file| file.extension().is_some_and(|ending| ending == "jsonl"))
                .map(|file| file.file_stem().expect("a name").to_string_lossy().into_owned())
                .collect();
            all.sort();
            played.sort_unstable();
            assert_eq!(all, played, "a recording without a test, or a test without one");
        }
    };
}

recordings! {
    claude_basic "claude.basic"
    claude_cancel "claude.cancel"
    claude_context "claude.context"
    claude_errors "claude.errors2"
    claude_hooks "claude.hooks"
    claude_reject "claude.reject"
    claude_resume "claude.resume"
    claude_tools "claude.tools"
    codex_basic "codex.basic"
    codex_cancel "codex.cancel"
    codex_context "codex.context"
    codex_errors "codex.errors"
    codex_hooks "codex.hooks"
    codex_reject "codex.reject"
    codex_resume "codex.resume"
    codex_tools "codex.tools"
    gemini_basic "gemini.basic"
    gemini_resume "gemini.resume"
    gemini_tools "gemini.tools"
    opencode_basic "opencode.basic"
    opencode_cancel "opencode.cancel"
    opencode_context "opencode.context"
    opencode_errors "opencode.errors"
    opencode_hooks "opencode.hooks"
    opencode_reject "opencode.reject"
    opencode_resume "opencode.resume"
    opencode_tools "opencode.tools"
}
