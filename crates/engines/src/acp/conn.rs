//! What the rest of the program holds of a connection to an agent.

use super::actor::{Actor, Ask, ENDED, Streams};
use super::queue::Queue;
use super::rpc::{NOT_FOUND, RpcError};
use super::{PROTOCOL_VERSION, update};
use crate::event::{Choice, Chunk, Event, Failure};
use crate::failure::RawFailure;
use crate::offers::Verdict;
use crate::port::{Announced, Change, Engine, LaunchPlan, Open, OpenFailed, Opened, Refused, Reply, Steered};
use crate::redact::without_secrets;
use crate::world::World;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// How long an agent may take to answer that it is there. The slowest known takes seven seconds on a busy machine.
pub const INITIALIZE_WITHIN: Duration = Duration::from_secs(60);
/// How long it may take to open a session; loading a long one takes a while.
pub const OPEN_WITHIN: Duration = Duration::from_secs(180);

/// A connection to an agent: everything that can be asked of it returns at once or when the agent has answered; a turn and its end
/// are told as events. When the last copy is dropped, the agent is ended.
#[derive(Clone)]
pub struct Conn {
    inner: Arc<Inner>,
}

struct Inner {
    asks: mpsc::Sender<Ask>,
    engine: Arc<dyn Engine>,
    plan: LaunchPlan,
    world: World,
    opened: Mutex<Option<Session>>,
}

/// What must be known of a session to speak of it.
#[derive(Clone)]
struct Session {
    id: String,
    can: Announced,
    choices: Vec<Choice>,
    /// Names of the choices that are made with `session/set_config_option`.
    options: Vec<String>,
}

/// What happens on a connection.
pub struct Events {
    queue: Arc<Queue>,
}

impl Events {
    /// The next event; `None` after [`Event::Exited`].
    pub async fn next(&mut self) -> Option<Event> {
        self.queue.next().await
    }

    /// Has the connection read only so often while nothing comes but pieces of a text, so that many of them cost little more than
    /// one. What comes after another kind of event is read at once. Nothing is gathered before this is said.
    pub fn gather(&self, within: Duration) {
        self.queue.gather(within);
    }
}

/// Begins to speak with an agent.
pub fn connect(engine: Arc<dyn Engine>, plan: LaunchPlan, streams: Streams, world: World) -> (Conn, Events) {
    let queue: Arc<Queue> = Arc::default();
    let asks = Actor::start(engine.clone(), world.clone(), streams, queue.clone());
    let inner = Inner { asks, engine, plan, world, opened: Mutex::default() };
    (Conn { inner: Arc::new(inner) }, Events { queue })
}

impl Conn {
    /// Opens a session: says who we are, opens it and makes the plan's choices. To be called once.
    pub async fn open(&self, how: Open) -> Result<Opened, OpenFailed> {
        self.opened(how, false).await.map_err(|unopened| match unopened {
            Unopened::Failed(failed) | Unopened::Unknown(failed) => failed,
        })
    }

    /// Goes on with a session that the engine kept, in whichever way it can; what was said in it is not told again. `None` where the
    /// engine keeps no sessions or knows no more of this one: only a new one can be opened then, on a connection of its own.
    pub async fn reopen(&self, session: &str) -> Result<Option<Opened>, OpenFailed> {
        match self.opened(Open::Resume(session.to_owned()), true).await {
            Ok(opened) => Ok(Some(opened)),
            Err(Unopened::Unknown(_)) => Ok(None),
            Err(Unopened::Failed(failed)) => Err(failed),
        }
    }

    /// `may_load`: a session that cannot be resumed may be loaded.
    async fn opened(&self, how: Open, may_load: bool) -> Result<Opened, Unopened> {
        if self.lock().is_some() {
            let detail = "A session is already open on this connection.".to_owned();
            return Err(OpenFailed { failure: Failure::Request, detail }.into());
        }
        let announced = self.timed("initialize", initialize(), INITIALIZE_WITHIN).await?;
        let version = announced["protocolVersion"].as_u64();
        if version != Some(PROTOCOL_VERSION) {
            let version = version.map_or("an unknown version".to_owned(), |version| format!("version {version}"));
            return Err(crash(format!(
                "{} uses {version} of the Agent Client Protocol, not version {PROTOCOL_VERSION}. Install a version that supports it.",
                self.inner.engine.name()
            ))
            .into());
        }
        let can = can(&announced);
        let how = match how {
            // An engine that only tells a session again goes on with it as well; what it tells is left out.
            Open::Resume(session) if may_load && !can.resume && can.load => Open::Load { session, replay: false },
            how => how,
        };
        let (method, session) = match &how {
            Open::Fork(session) if can.fork => ("session/fork", Some(session)),
            Open::New | Open::Fork(_) => ("session/new", None),
            Open::Resume(session) if can.resume => ("session/resume", Some(session)),
            Open::Load { session, .. } if can.load => ("session/load", Some(session)),
            Open::Resume(_) | Open::Load { .. } => {
                let detail = format!("{} can't resume an earlier session.", self.inner.engine.name());
                return Err(Unopened::Unknown(OpenFailed { failure: Failure::Request, detail }));
            }
        };
        if matches!(how, Open::Load { replay: false, .. }) {
            self.tell(Ask::Mute).await;
        }
        let mut params = self.inner.plan.params.clone();
        if !can.mcp_http
            && let Some(servers) = params.get_mut("mcpServers").and_then(Value::as_array_mut)
        {
            // An engine that can't connect to them rejects the session.
            servers.retain(|server| server["type"] != "http");
        }
        let mut prefix = self.inner.plan.instructions.clone();
        if can.system_prompt
            && let Some(text) = prefix.take()
        {
            params
                .insert("systemPrompt".into(), json!({"mode": "append", "content": [{"type": "text", "text": text}]}));
        }
        let mut is_fork = false;
        let answer = if let (Open::Fork(_), Some(source)) = (&how, session) {
            match self.forked(source, params.clone()).await? {
                Some(answer) => {
                    is_fork = true;
                    Ok(answer)
                }
                None => self.timed_call("session/new", params.into(), OPEN_WITHIN).await?,
            }
        } else {
            if let Some(session) = session {
                params.insert("sessionId".into(), session.as_str().into());
            }
            self.timed_call(method, params.into(), OPEN_WITHIN).await?
        };
        // A fork has an id of its own.
        let session = session.filter(|_| !matches!(how, Open::Fork(_)));
        if session.is_some() || is_fork {
            // What stood in front of the first prompt is part of what the agent remembers.
            prefix = None;
        }
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) if session.is_some() && is_forgotten(&error) => {
                return Err(Unopened::Unknown(self.open_failed(&error)));
            }
            Err(error) => return Err(self.open_failed(&error).into()),
        };
        let Some(id) = answer["sessionId"].as_str().or(session.map(String::as_str)).map(str::to_owned) else {
            return Err(crash("The engine opened a session without an id.".to_owned()).into());
        };
        self.tell(Ask::Opened { session: id.clone(), prefix }).await;
        let mut choices = update::choices(&answer["configOptions"]);
        let options: Vec<String> = choices.iter().map(|choice| choice.id.clone()).collect();
        let older = update::older_choices(&answer);
        choices.extend(older.into_iter().filter(|old| !options.contains(&old.id)));
        self.lock().replace(Session { id: id.clone(), can, choices, options });
        self.choose_planned().await?;
        let choices = self.lock().as_ref().map(|session| session.choices.clone()).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        Ok(Opened {
            session: id,
            agent: text(&announced["agentInfo"]["name"]),
            version: text(&announced["agentInfo"]["version"]),
            can,
            is_fork,
            mode: choices.iter().find(|choice| is_called(choice, "mode")).map(|choice| choice.current.clone()),
            choices,
        })
    }

    /// Copies a session; `None` where the engine doesn't, or gives the copy no id of its own.
    async fn forked(&self, source: &str, mut params: Map<String, Value>) -> Result<Option<Value>, OpenFailed> {
        params.insert("sessionId".into(), source.into());
        let answer = match self.timed_call("session/fork", params.into(), OPEN_WITHIN).await? {
            Ok(answer) => answer,
            Err(error) if error.code == ENDED => return Err(self.open_failed(&error)),
            Err(_) => return Ok(None),
        };
        let is_own = answer["sessionId"].as_str().is_some_and(|id| id != source);
        Ok(is_own.then_some(answer))
    }

    /// Makes the plan's choices. One that cannot be made fails the session: its mode is part of what holds it in. How hard it thinks
    /// is not, and not every model lets it be chosen.
    async fn choose_planned(&self) -> Result<(), OpenFailed> {
        let plan = &self.inner.plan;
        let mode = plan.mode.iter().map(|mode| ("mode", mode));
        for (category, value) in mode.chain(plan.choices.iter().map(|(category, value)| (*category, value))) {
            let session = self.lock().clone();
            let choice = session.as_ref().and_then(|session| find(&session.choices, category));
            if choice.is_some_and(|choice| choice.current == *value) {
                continue;
            }
            if choice.is_none() && !matches!(category, "mode" | "model") {
                let what = category.replace('_', " ");
                let text = format!("{} has no setting {what}, so {value:?} isn't applied.", self.inner.engine.name());
                self.tell(Ask::Tell(Event::Notice { text })).await;
                continue;
            }
            let offered: Vec<&str> =
                choice.iter().flat_map(|choice| &choice.options).map(|option| option.value.as_str()).collect();
            if !offered.is_empty() && !offered.contains(&value.as_str()) {
                let what = category.replace('_', " ");
                let name = self.inner.engine.name();
                let detail = format!("{name} has no {what} {value:?}. Available: {}.", offered.join(", "));
                return Err(OpenFailed { failure: Failure::Request, detail });
            }
            let change = Change::Choice(category.to_owned(), value.clone());
            self.set(change).await.map_err(|refused| OpenFailed {
                failure: Failure::Request,
                detail: format!("Couldn't set {category} {value:?}: {refused}."),
            })?;
            // An engine may take another mode in its place and say so only in what may be chosen from then on.
            let session = self.lock().clone();
            let now = session.as_ref().and_then(|session| find(&session.choices, category));
            if let Some(now) = now.filter(|now| category == "mode" && now.current != *value) {
                let name = self.inner.engine.name();
                let detail = format!("{name} should use the mode {value:?}, but is in {:?}.", now.current);
                return Err(OpenFailed { failure: Failure::Request, detail });
            }
        }
        Ok(())
    }

    /// Sends a prompt. Its turn is told as events, and ends with [`Event::TurnEnded`]; one that is sent into a running turn waits in
    /// the engine until that has ended.
    pub async fn prompt(&self, blocks: &[Chunk]) -> Result<(), Refused> {
        let blocks = blocks.iter().map(block).collect();
        self.ask(|reply| Ask::Prompt { blocks, reply }).await?
    }

    /// Cancels the turn that runs and all that wait. What is open is answered as canceled; the end of the turn comes as an event.
    pub async fn cancel(&self) {
        self.tell(Ask::Cancel).await;
    }

    /// Hands a message to the turn that runs.
    pub async fn steer(&self, blocks: &[Chunk]) -> Result<Steered, Refused> {
        let Some(session) = self.lock().clone() else { return Err(Refused::NotOpen) };
        if !session.can.steer {
            return Ok(Steered::Unsupported);
        }
        let prompt: Vec<Value> = blocks.iter().map(block).collect();
        let idle = json!({"steering": {"idleBehavior": "promptRequired"}});
        let params = json!({"sessionId": session.id, "prompt": prompt, "_meta": idle});
        let answer = self.call("_session/steering", params).await.map_err(|error| refused(&error))?;
        Ok(if answer["outcome"] == "promptRequired" { Steered::PromptRequired } else { Steered::Injected })
    }

    /// Chooses a mode, a model or what else the engine offers.
    pub async fn set(&self, change: Change) -> Result<(), Refused> {
        let Some(session) = self.lock().clone() else { return Err(Refused::NotOpen) };
        let (name, value) = match change {
            Change::Mode(mode) => ("mode".to_owned(), mode),
            Change::Choice(name, value) => (name, value),
        };
        let choice = find(&session.choices, &name);
        let option = choice.filter(|choice| session.options.contains(&choice.id));
        let id = session.id.as_str();
        let (method, params) = match (option, name.as_str()) {
            (Some(option), _) => {
                let is_switch = option.options.len() == 2 && option.options.iter().all(|one| is_bool(&one.value));
                let params = match is_switch {
                    true => {
                        json!({"sessionId": id, "configId": option.id, "type": "boolean", "value": value == "true"})
                    }
                    false => json!({"sessionId": id, "configId": option.id, "value": value}),
                };
                ("session/set_config_option", params)
            }
            (None, "mode") => ("session/set_mode", json!({"sessionId": id, "modeId": value})),
            (None, "model") => ("session/set_model", json!({"sessionId": id, "modelId": value})),
            (None, _) => return Err(Refused::ByEngine(format!("it has no setting {name}"))),
        };
        let answer = self.call(method, params).await.map_err(|error| refused(&error))?;
        let told = update::choices(&answer["configOptions"]);
        if let Some(session) = self.lock().as_mut() {
            match told.is_empty() {
                true => session
                    .choices
                    .iter_mut()
                    .filter(|choice| is_called(choice, &name))
                    .for_each(|choice| choice.current.clone_from(&value)),
                false => session.choices.clone_from(&told),
            }
        }
        if !told.is_empty() {
            self.tell(Ask::Tell(Event::Choices { choices: told })).await;
        }
        Ok(())
    }

    /// Answers a permission request.
    pub async fn decide(&self, id: &str, verdict: Verdict) -> Result<(), Refused> {
        let id = id.to_owned();
        self.ask(|reply| Ask::Decide { id, verdict, reply }).await?
    }

    /// Answers a question.
    pub async fn answer(&self, id: &str, answer: Reply) -> Result<(), Refused> {
        let id = id.to_owned();
        self.ask(|reply| Ask::Answer { id, answer, reply }).await?
    }

    /// Ends the agent and everything that it started: it is told by the end of its input, after `grace` its processes are asked to
    /// end, and after as long again they are ended. Returns when nothing is left.
    pub async fn shutdown(&self, grace: Duration) {
        let _ = self.ask(|reply| Ask::Shutdown { grace, reply }).await;
    }

    async fn call(&self, method: &'static str, params: Value) -> Result<Value, RpcError> {
        match self.ask(|reply| Ask::Call { method, params, reply }).await {
            Ok(answer) => answer,
            Err(_) => Err(RpcError { code: ENDED, message: Refused::Ended.to_string(), data: Value::Null }),
        }
    }

    async fn timed(&self, method: &'static str, params: Value, within: Duration) -> Result<Value, OpenFailed> {
        self.timed_call(method, params, within).await?.map_err(|error| self.open_failed(&error))
    }

    async fn timed_call(
        &self,
        method: &'static str,
        params: Value,
        within: Duration,
    ) -> Result<Result<Value, RpcError>, OpenFailed> {
        tokio::select! {
            biased;
            answer = self.call(method, params) => Ok(answer),
            () = self.inner.world.sleep.sleep(within) => {
                let name = self.inner.engine.name();
                Err(crash(format!("{name} didn't answer {method} within {} seconds.", within.as_secs())))
            }
        }
    }

    fn open_failed(&self, error: &RpcError) -> OpenFailed {
        if error.code == ENDED {
            return crash(error.message.clone());
        }
        let raw = RawFailure {
            code: Some(error.code),
            message: error.message.clone(),
            data: error.data.clone(),
            ..RawFailure::default()
        };
        let more = error.data["details"].as_str().map(|more| format!(": {more}")).unwrap_or_default();
        let detail = without_secrets(&format!("{}{more}", error.message));
        OpenFailed { failure: self.inner.engine.classify(&raw, &self.inner.world.now()), detail }
    }

    async fn tell(&self, ask: Ask) {
        let _ = self.inner.asks.send(ask).await;
    }

    async fn ask<T>(&self, ask: impl FnOnce(oneshot::Sender<T>) -> Ask) -> Result<T, Refused> {
        let (reply, answer) = oneshot::channel();
        self.tell(ask(reply)).await;
        answer.await.map_err(|_| Refused::Ended)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Session>> {
        self.inner.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a session is not open.
enum Unopened {
    Failed(OpenFailed),
    /// The engine keeps no session of that name; what it said.
    Unknown(OpenFailed),
}

impl From<OpenFailed> for Unopened {
    fn from(failed: OpenFailed) -> Unopened {
        Unopened::Failed(failed)
    }
}

/// Words in which engines say that they know nothing of a session, for want of the code in most of them.
const FORGOTTEN: &[&str] = &[
    "no previous session",
    "session not found",
    "unknown session",
    "no conversation found",
    "conversation not found",
    "no rollout found",
    "thread not found",
    "invalid session identifier",
];

/// Whether the engine says that it knows nothing of the session that it was to go on with.
fn is_forgotten(error: &RpcError) -> bool {
    let texts = [
        Some(error.message.as_str()),
        error.data["details"].as_str(),
        error.data["message"].as_str(),
        error.data.as_str(),
    ];
    let says = |text: &str| {
        let text = text.to_lowercase();
        FORGOTTEN.iter().any(|words| text.contains(words))
    };
    error.code == NOT_FOUND || error.code != ENDED && texts.into_iter().flatten().any(says)
}

fn crash(detail: String) -> OpenFailed {
    OpenFailed { failure: Failure::Crash, detail }
}

fn refused(error: &RpcError) -> Refused {
    if error.code == ENDED { Refused::Ended } else { Refused::ByEngine(without_secrets(&error.message)) }
}

fn is_called(choice: &Choice, name: &str) -> bool {
    choice.category.as_deref() == Some(name) || choice.id == name
}

/// A choice by its category or its name.
fn find<'a>(choices: &'a [Choice], name: &str) -> Option<&'a Choice> {
    choices.iter().find(|choice| is_called(choice, name))
}

fn is_bool(value: &str) -> bool {
    matches!(value, "true" | "false")
}

/// Who we are and what we offer: neither files nor terminals, which agents open by themselves anyway.
fn initialize() -> Value {
    json!({
        "protocolVersion": PROTOCOL_VERSION,
        "clientInfo": {"name": "pilothouse", "title": "Pilothouse", "version": env!("CARGO_PKG_VERSION")},
        "clientCapabilities": {
            "fs": {"readTextFile": false, "writeTextFile": false},
            "terminal": false,
            "session": {"compaction": {}, "notices": {}, "configOptions": {"boolean": {}}},
            "elicitation": {"form": {}},
            // Without `sessionFailure` an overload looks like the end of a turn, and tries again are not told at all.
            "_meta": {"jetbrains": {"air": {"version": 1, "capabilities": ["sessionFailure"]}}, "terminal_output": true},
        },
    })
}

fn can(announced: &Value) -> Announced {
    let agent = &announced["agentCapabilities"];
    let is_told = |value: &Value| value.is_object() || *value == true;
    Announced {
        load: is_told(&agent["loadSession"]),
        resume: is_told(&agent["sessionCapabilities"]["resume"]),
        fork: is_told(&agent["sessionCapabilities"]["fork"]),
        image: is_told(&agent["promptCapabilities"]["image"]),
        steer: announced["_meta"]["steering"]["supported"] == true,
        system_prompt: is_told(&agent["sessionCapabilities"]["systemPrompt"]),
        mcp_http: is_told(&agent["mcpCapabilities"]["http"]),
    }
}

/// A block of content as ACP writes it.
fn block(chunk: &Chunk) -> Value {
    match chunk {
        Chunk::Text { text } => json!({"type": "text", "text": text}),
        Chunk::Image { mime, data } => json!({"type": "image", "mimeType": mime, "data": data}),
        Chunk::Link { uri, name } => json!({"type": "resource_link", "uri": uri, "name": name}),
    }
}
