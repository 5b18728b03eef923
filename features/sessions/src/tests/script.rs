//! Agents by hand, in the place of a process.

use super::practice::Hands;
use engines::{LaunchPlan, Streams};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

/// The agent's side of a connection.
pub(super) struct Fake {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
}

impl Fake {
    /// The next message; none once the program has closed its side.
    pub(super) async fn hears(&mut self) -> Option<Value> {
        let mut line = String::new();
        match self.read.read_line(&mut line).await {
            Ok(1..) => Some(serde_json::from_str(&line).expect("the program sends JSON")),
            _ => None,
        }
    }

    pub(super) async fn sends(&mut self, message: &Value) {
        self.sends_bytes(format!("{message}\n").as_bytes()).await;
    }

    /// What the program does not read any more is lost.
    pub(super) async fn sends_bytes(&mut self, bytes: &[u8]) {
        let _ = self.write.write_all(bytes).await;
    }
}

/// What an agent does with a message; none: what every agent does.
pub(super) type Does = dyn FnMut(&Value) -> Option<Vec<Value>> + Send;

/// Every launch is this agent: it answers as it is told, and else opens sessions and ends turns at once. A message of null ends it.
pub(super) fn scripted(does: impl FnMut(&Value) -> Option<Vec<Value>> + Send + 'static) -> Hands {
    let does: Arc<Mutex<Box<Does>>> = Arc::new(Mutex::new(Box::new(does)));
    Hands::new(Arc::new(move |_: &LaunchPlan| {
        let does = does.clone();
        Ok(wire(move |mut fake| async move {
            while let Some(heard) = fake.hears().await {
                let told = does.lock().unwrap()(&heard);
                for message in told.unwrap_or_else(|| usual(&heard)) {
                    if message.is_null() {
                        return;
                    }
                    fake.sends(&message).await;
                }
            }
        }))
    }))
}

/// The same agent, which writes this line to standard error before each turn's answers.
pub(super) fn scripted_with_error(
    line: &'static str,
    does: impl Fn(&Value) -> Option<Vec<Value>> + Send + Sync + Clone + 'static,
) -> Hands {
    Hands::new(Arc::new(move |_: &LaunchPlan| {
        let does = does.clone();
        let (errors, mut theirs) = tokio::io::duplex(1);
        let streams = wire(move |mut fake| async move {
            while let Some(heard) = fake.hears().await {
                if is(&heard, "session/prompt") {
                    // The pipe holds one byte, which is the empty line: the program has read the other by then.
                    let _ = theirs.write_all(format!("{line}\n\n").as_bytes()).await;
                }
                for message in does(&heard).unwrap_or_else(|| usual(&heard)) {
                    fake.sends(&message).await;
                }
            }
        });
        Ok(Streams { errors: Some(Box::new(errors)), ..streams })
    }))
}

/// A connection whose other side is this.
pub(super) fn wire<F: Future<Output = ()> + Send + 'static>(talk: impl FnOnce(Fake) -> F) -> Streams {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(talk(Fake { read: BufReader::new(read), write }));
    let (input, output) = tokio::io::split(ours);
    Streams { input: Box::new(input), output: Box::new(output), errors: None, process: None }
}

fn usual(heard: &Value) -> Vec<Value> {
    let result = match heard["method"].as_str() {
        Some("initialize") => {
            json!({"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": {"resume": {}, "systemPrompt": {}}}})
        }
        Some("session/new" | "session/resume") => json!({"sessionId": "s"}),
        Some("session/prompt") => json!({"stopReason": "end_turn"}),
        Some(_) if heard["id"].is_u64() => json!({}),
        _ => return Vec::new(),
    };
    vec![answer(heard, result)]
}

pub(super) fn is(heard: &Value, method: &str) -> bool {
    heard["method"] == method
}

pub(super) fn answer(heard: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": heard["id"], "result": result})
}

pub(super) fn error(heard: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": heard["id"], "error": {"code": code, "message": message}})
}

pub(super) fn update(update: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}})
}

/// A file that was read, with what was in it.
pub(super) fn read(id: &str, path: &str, text: &str) -> Value {
    update(json!({
        "sessionUpdate": "tool_call", "toolCallId": id, "title": format!("Read {path}"), "kind": "read", "status": "completed",
        "rawInput": {"file_path": path}, "content": [{"type": "content", "content": {"type": "text", "text": text}}],
    }))
}

/// The texts of a prompt.
pub(super) fn text_of(heard: &Value) -> String {
    let blocks = heard["params"]["prompt"].as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// A request for leave to run a command.
pub(super) fn asks(id: u64, offers: &[&str]) -> Value {
    let offers: Vec<Value> = offers
        .iter()
        .map(|kind| json!({"optionId": format!("o-{kind}"), "name": format!("Offer {kind}"), "kind": kind}))
        .collect();
    let tool =
        json!({"toolCallId": format!("t{id}"), "title": "make", "kind": "execute", "rawInput": {"command": "make"}});
    json!({
        "jsonrpc": "2.0", "id": 1_000 + id, "method": "session/request_permission",
        "params": {"sessionId": "s", "toolCall": tool, "options": offers},
    })
}
