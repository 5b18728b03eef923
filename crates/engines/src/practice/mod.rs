//! The practice agent: the agent's side of the protocol without a model. A prompt says step by step what it does, and it does that
//! for real: files are written, commands are run, and leave is asked for as the default assistant does.
//!
//! Sessions are kept in the folder that [`crate::engine::PRACTICE_HOME`] names, and without one forgotten when the agent ends.

mod script;
mod session;
mod turn;
mod wire;

use crate::acp::rpc::{self, INVALID_PARAMS, Incoming, METHOD_NOT_FOUND, NOT_FOUND, RpcError};
use crate::acp::{Line, Lines, PROTOCOL_VERSION};
use crate::world::{RealSleep, Sleep};
use serde_json::{Value, json};
use session::{MODELS, MODES, Session, State};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use turn::Turn;
use wire::Wire;

/// Messages that may wait to be read by the client.
const OUT_MAX: usize = 64;

/// The methods that open a session.
const OPENING: [&str; 4] = ["session/new", "session/resume", "session/load", "session/fork"];

/// What may be written as `/name`, and what it does.
const COMMANDS: [(&str, &str); 2] =
    [("compact", "Compacts the context"), ("help", "Lists the practice agent's commands")];

/// What the agent stands on.
pub struct Place {
    /// Where sessions are kept.
    pub home: Option<PathBuf>,
    /// How it waits.
    pub sleep: Arc<dyn Sleep>,
}

/// The agent was told to crash: its process is to end with an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crashed;

/// Runs the agent on this process's standard input and output until the client is gone; gives the status for
/// `std::process::exit`, without which a read that still waits would hold the process.
pub async fn serve_stdio() -> i32 {
    let home = std::env::var_os(crate::engine::PRACTICE_HOME).filter(|home| !home.is_empty()).map(PathBuf::from);
    let place = Place { home, sleep: Arc::new(RealSleep) };
    match serve(tokio::io::stdin(), tokio::io::stdout(), place).await {
        Ok(()) => 0,
        Err(Crashed) => 70,
    }
}

/// Runs the agent until its input ends.
pub async fn serve(
    input: impl AsyncRead + Unpin + Send,
    output: impl AsyncWrite + Unpin + Send + 'static,
    place: Place,
) -> Result<(), Crashed> {
    let (out, to_write) = mpsc::channel(OUT_MAX);
    let writer = tokio::spawn(write(output, to_write));
    let (crash, mut crashed) = mpsc::channel(1);
    let mut agent = Agent {
        wire: Arc::new(Wire::new(out)),
        place: Arc::new(place),
        crash,
        tells_failures: Arc::default(),
        asks_forms: Arc::default(),
        sessions: HashMap::new(),
    };
    let mut lines = Lines::new(input);
    let ended = loop {
        tokio::select! {
            line = lines.next() => match line {
                Line::Whole(line) => agent.hear(&line).await,
                Line::TooLong | Line::End => break Ok(()),
            },
            Some(()) = crashed.recv() => break Err(Crashed),
        }
    };
    // Turns that still run hold the wire; they end when they are canceled.
    agent.sessions.values().for_each(|session| session.cancels.send_modify(|cancels| *cancels += 1));
    drop(agent);
    if ended.is_err() {
        writer.abort();
    } else {
        let _ = writer.await;
    }
    ended
}

async fn write(mut output: impl AsyncWrite + Unpin, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if output.write_all(&line).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}

struct Agent {
    wire: Arc<Wire>,
    place: Arc<Place>,
    crash: mpsc::Sender<()>,
    /// Whether the client understands failures that are told beside the end of a turn.
    tells_failures: Arc<AtomicBool>,
    /// Whether the client shows forms.
    asks_forms: Arc<AtomicBool>,
    sessions: HashMap<String, Arc<Session>>,
}

impl Agent {
    async fn hear(&mut self, line: &[u8]) {
        match rpc::parse(line) {
            Some(Incoming::Request { id, method, params }) if method == "session/prompt" => {
                self.prompt(id, &params).await
            }
            Some(Incoming::Request { id, method, params }) => {
                let result = self.answer(&method, &params).await;
                let opened = result.as_ref().ok().filter(|_| OPENING.contains(&&*method));
                let opened = opened.and_then(|answer| answer["sessionId"].as_str().map(str::to_owned));
                self.wire.send(rpc::answer(id, result)).await;
                if let Some(session) = opened {
                    self.tell_commands(&session).await;
                }
            }
            Some(Incoming::Notification { method, params }) if method == "session/cancel" => {
                if let Ok(session) = self.session(&params) {
                    session.cancels.send_modify(|cancels| *cancels += 1);
                }
            }
            Some(Incoming::Answer { id, result }) => self.wire.answered(id, result),
            Some(Incoming::Notification { .. }) | None => {}
        }
    }

    async fn answer(&mut self, method: &str, params: &Value) -> Result<Value, RpcError> {
        match method {
            "initialize" => Ok(self.initialize(params)),
            "session/new" => {
                let state = State { id: kit::ids::new_id(), ..State::default() };
                self.open(state, params)
            }
            "session/resume" => self.kept(params).and_then(|state| self.open(state, params)),
            "session/fork" => {
                let state = State { id: kit::ids::new_id(), ..self.kept(params)? };
                self.open(state, params)
            }
            "session/load" => {
                let state = self.kept(params)?;
                for said in &state.said {
                    let kind = if said.by_person { "user_message_chunk" } else { "agent_message_chunk" };
                    let update = json!({"sessionUpdate": kind, "content": {"type": "text", "text": said.text}});
                    self.wire.update(&state.id, update).await;
                }
                self.open(state, params)
            }
            "session/close" => {
                self.session(params)?.cancels.send_modify(|cancels| *cancels += 1);
                self.sessions.remove(params["sessionId"].as_str().unwrap_or_default());
                Ok(json!({}))
            }
            "session/set_mode" => self.set(params, "mode", &params["modeId"]).map(|_| json!({})),
            "session/set_config_option" => {
                let name = params["configId"].as_str().unwrap_or_default();
                let options = self.set(params, name, &params["value"])?;
                Ok(json!({"configOptions": options}))
            }
            "_session/steering" => {
                let session = self.session(params)?;
                // A turn that runs holds this.
                let is_idle = session.turn.try_lock().is_ok();
                if is_idle {
                    return Ok(json!({"outcome": "promptRequired", "reason": "noRunningTurn"}));
                }
                session.steered().push_back(text_of(&params["prompt"]));
                Ok(json!({"outcome": "injected"}))
            }
            _ => Err(error(METHOD_NOT_FOUND, &format!("the practice agent doesn't support {method}"))),
        }
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let can = &params["clientCapabilities"];
        let announced = can["_meta"]["jetbrains"]["air"]["capabilities"].as_array();
        let tells = announced.is_some_and(|all| all.iter().any(|one| one == "sessionFailure"));
        self.tells_failures.store(tells, Ordering::Relaxed);
        self.asks_forms.store(can["elicitation"]["form"].is_object(), Ordering::Relaxed);
        json!({
            "protocolVersion": PROTOCOL_VERSION,
            "agentInfo": {"name": "practice", "title": "Practice", "version": env!("CARGO_PKG_VERSION")},
            "agentCapabilities": {
                "loadSession": true,
                "promptCapabilities": {"image": true, "embeddedContext": true},
                "mcpCapabilities": {"http": true},
                "sessionCapabilities": {"close": {}, "fork": {}, "resume": {}, "systemPrompt": {}},
            },
            "authMethods": [],
            "_meta": {"steering": {"supported": true}},
        })
    }

    /// Tells what may be written as `/name`, as agents do once a session is open.
    async fn tell_commands(&self, session: &str) {
        let commands: Vec<Value> =
            COMMANDS.iter().map(|(name, description)| json!({"name": name, "description": description})).collect();
        let update = json!({"sessionUpdate": "available_commands_update", "availableCommands": commands});
        self.wire.update(session, update).await;
    }

    /// A session of the file, not open yet.
    fn kept(&self, params: &Value) -> Result<State, RpcError> {
        let id = params["sessionId"].as_str().unwrap_or_default();
        let open = self.sessions.get(id).map(|session| session.state().clone());
        let kept = || self.place.home.as_ref().and_then(|home| session::kept(home, id));
        open.or_else(kept).ok_or_else(|| error(NOT_FOUND, &format!("session {id} not found")))
    }

    fn open(&mut self, mut state: State, params: &Value) -> Result<Value, RpcError> {
        let cwd = PathBuf::from(params["cwd"].as_str().unwrap_or_default());
        if !cwd.is_absolute() {
            return Err(error(INVALID_PARAMS, "cwd must be an absolute path"));
        }
        state.cwd = cwd;
        let blocks = &params["systemPrompt"]["content"];
        if blocks.is_array() {
            state.instructions = text_of(blocks);
        }
        let servers = params["mcpServers"].as_array().into_iter().flatten();
        state.servers = servers.filter_map(|server| Some(server["name"].as_str()?.to_owned())).collect();
        for (chosen, options) in [(&mut state.mode, MODES), (&mut state.model, MODELS)] {
            if !options.iter().any(|(value, _)| value == chosen) {
                *chosen = options[0].0.to_owned();
            }
        }
        let id = state.id.clone();
        let options = options(&state);
        let session = Arc::new(Session::new(state, self.place.home.clone()));
        session.keep().map_err(|e| error(rpc::INVALID_PARAMS, &format!("couldn't save the session: {e}")))?;
        self.sessions.insert(id.clone(), session);
        Ok(json!({"sessionId": id, "configOptions": options}))
    }

    fn session(&self, params: &Value) -> Result<Arc<Session>, RpcError> {
        let id = params["sessionId"].as_str().unwrap_or_default();
        self.sessions.get(id).cloned().ok_or_else(|| error(NOT_FOUND, &format!("session {id} isn't open")))
    }

    fn set(&self, params: &Value, name: &str, value: &Value) -> Result<Value, RpcError> {
        let session = self.session(params)?;
        let known = match name {
            "mode" => MODES,
            "model" => MODELS,
            _ => return Err(error(INVALID_PARAMS, &format!("setting {name} not found"))),
        };
        let Some((value, _)) = known.iter().find(|(known, _)| value == known) else {
            return Err(error(INVALID_PARAMS, &format!("{value} isn't a valid {name}")));
        };
        let mut state = session.state();
        let chosen = if name == "mode" { &mut state.mode } else { &mut state.model };
        (*value).clone_into(chosen);
        Ok(options(&state))
    }

    /// Runs a turn beside the reading of messages; its answer is sent when it has ended.
    async fn prompt(&mut self, id: Value, params: &Value) {
        let session = match self.session(params) {
            Ok(session) => session,
            Err(error) => return self.wire.send(rpc::answer(id, Err(error))).await,
        };
        let turn = Turn {
            wire: self.wire.clone(),
            place: self.place.clone(),
            cancelled: session.cancels.subscribe(),
            tells_failures: self.tells_failures.load(Ordering::Relaxed),
            asks_forms: self.asks_forms.load(Ordering::Relaxed),
            session,
            last_tool: 0,
        };
        let (wire, crash, prompt) = (self.wire.clone(), self.crash.clone(), prompt_of(&params["prompt"]));
        let (started, is_started) = oneshot::channel();
        tokio::spawn(async move {
            match turn.run(prompt, started).await {
                Ok(result) => wire.send(rpc::answer(id, result)).await,
                Err(Crashed) => drop(crash.send(()).await),
            }
        });
        // Prompts are taken in the order they came in.
        let _ = is_started.await;
    }
}

fn error(code: i64, message: &str) -> RpcError {
    RpcError { code, message: message.to_owned(), data: Value::Null }
}

/// The texts of blocks of content.
fn text_of(blocks: &Value) -> String {
    let texts = blocks.as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

/// The block with the script, as what the program adds is in others; all texts where none has one.
fn prompt_of(blocks: &Value) -> String {
    let mut texts = blocks.as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());
    let script = texts.rfind(|text| text.contains(script::BEGIN));
    script.map_or_else(|| text_of(blocks), str::to_owned)
}

/// What may be chosen, as the protocol writes it.
fn options(state: &State) -> Value {
    let option = |id: &str, name: &str, chosen: &str, values: &[(&str, &str)]| {
        let values: Vec<Value> = values.iter().map(|(value, name)| json!({"value": value, "name": name})).collect();
        json!({"id": id, "name": name, "category": id, "type": "select", "currentValue": chosen, "options": values})
    };
    json!([option("mode", "Mode", &state.mode, MODES), option("model", "Model", &state.model, MODELS)])
}
