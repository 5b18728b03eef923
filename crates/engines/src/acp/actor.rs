//! One agent's end of the wire: reads what it sends, sends what is asked, and knows what is still open.

use super::line::{LINE_BYTES_MAX, Line, Lines};
use super::queue::Queue;
use super::rpc::{self, Incoming, RpcError};
use super::update;
use crate::event::{
    Chunk, Event, Failure, Offer, OfferKind, PermissionRequest, Question, StopReason, ToolState, Transience,
};
use crate::failure::RawFailure;
use crate::offers::{self, Verdict};
use crate::port::{Engine, Refused, Reply};
use crate::redact::{Tail, without_secrets};
use crate::tool::Tools;
use crate::world::{Boxed, World};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Messages that may wait to be read by the agent. One that reads no more is given up.
const OUT_MAX: usize = 512;
/// Permission requests and questions that may be open at once; what comes beyond is answered as canceled.
pub(super) const ASKED_MAX: usize = 64;
/// Pieces of a text that come one after another before they are gathered: what says only a word has its next step seen at once.
const PIECES_MIN: u64 = 8;
/// How long an agent that closed its output may take to end, and one that ended may have its last words read.
const LAST_WORDS_WITHIN: Duration = Duration::from_secs(5);
/// How long the processes of an agent that went wrong have between being asked to end and being ended.
const TREE_GRACE: Duration = Duration::from_secs(2);

/// What connects us with an agent.
pub struct Streams {
    /// What it writes.
    pub input: Box<dyn AsyncRead + Send + Unpin>,
    /// What it reads.
    pub output: Box<dyn AsyncWrite + Send + Unpin>,
    /// What it writes beside the protocol.
    pub errors: Option<Box<dyn AsyncRead + Send + Unpin>>,
    /// Its process, where it has one of its own.
    pub process: Option<Process>,
}

/// A process, as far as a connection depends on it.
pub struct Process {
    /// Is done when it has ended, with its status where it ended by itself.
    pub exited: Boxed<Option<i32>>,
    /// Ends it and all that it started, and is done when nothing of it is left.
    pub end: Box<dyn Fn(Duration) -> Boxed<()> + Send + Sync>,
}

/// What a connection is asked to do.
pub(super) enum Ask {
    Call { method: &'static str, params: Value, reply: oneshot::Sender<Result<Value, RpcError>> },
    Opened { session: String, prefix: Option<String> },
    Mute,
    Tell(Event),
    Prompt { blocks: Vec<Value>, reply: oneshot::Sender<Result<(), Refused>> },
    Cancel,
    Decide { id: String, verdict: Verdict, reply: oneshot::Sender<Result<(), Refused>> },
    Answer { id: String, answer: Reply, reply: oneshot::Sender<Result<(), Refused>> },
    Shutdown { grace: Duration, reply: oneshot::Sender<()> },
}

/// The next beat of a clock that all connections share: what is read at once wakes the program once. It is the clock of the machine
/// and no other, since it decides when is read and never what follows from it.
fn beat(every: Duration) -> Instant {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    let (begun, now) = (*BEGUN.get_or_init(Instant::now), Instant::now());
    let since = (now - begun).as_micros() % every.as_micros().max(1);
    now + every - Duration::from_micros(since.try_into().unwrap_or_default())
}

/// What an agent writes, line by line.
type Wire = Lines<Box<dyn AsyncRead + Send + Unpin>>;

/// A request of ours that is not answered yet.
enum Pending {
    Call(oneshot::Sender<Result<Value, RpcError>>),
    Prompt { is_canceled: bool },
}

/// A request of the agent's that is not answered yet.
struct Asked {
    rpc_id: Value,
    /// `None` where it is a question.
    offers: Option<Vec<Offer>>,
}

/// What is known of the turn under way, by which its end is told from a failure.
#[derive(Default)]
struct Turn {
    /// Whether anything was said or done in it.
    has_result: bool,
    /// Whether a request was denied, and nothing came after.
    is_denied: bool,
    /// What the engine tried again for.
    warned: Option<String>,
    /// Lines that the agent had written beside the protocol when the turn began.
    lines_before: usize,
}

impl Turn {
    /// Takes in what the agent told. A thought alone is no result: a stream that was cut may leave nothing else.
    fn take(&mut self, event: &Event) {
        match event {
            Event::Said { chunk: Chunk::Text { text }, .. } if text.trim().is_empty() => {}
            // What was denied is told as a use that failed.
            Event::Tool { state: ToolState::Failed, .. } => self.has_result = true,
            Event::Said { .. } | Event::Tool { .. } | Event::Planned { .. } | Event::Compacting { .. } => {
                (self.has_result, self.is_denied) = (true, false);
            }
            _ => {}
        }
    }
}

/// Why a connection ends.
enum End {
    Asked(Duration, Option<oneshot::Sender<()>>),
    Exited(Option<i32>),
    Closed,
    TooLong,
    Unread,
}

pub(super) struct Actor {
    engine: Arc<dyn Engine>,
    world: World,
    queue: Arc<Queue>,
    tail: Arc<Mutex<Tail>>,
    out: Option<mpsc::Sender<Vec<u8>>>,
    end_process: Option<Box<dyn Fn(Duration) -> Boxed<()> + Send + Sync>>,
    last_id: u64,
    last_asked: u64,
    pending: HashMap<u64, Pending>,
    asked: BTreeMap<String, Asked>,
    tools: Tools,
    session: Option<String>,
    /// Goes in front of the first prompt.
    prefix: Option<String>,
    /// What the agent tells again of an earlier time is not passed on.
    is_mute: bool,
    /// What went wrong in the turn, as far as the agent told before its end.
    trouble: Option<RawFailure>,
    /// What the turn has come to so far.
    turn: Turn,
    is_unread: bool,
    has_told_end: bool,
}

/// Whoever listens hears of an end in any case.
impl Drop for Actor {
    fn drop(&mut self) {
        if !self.has_told_end {
            self.tell_end(None, Some("The connection to the engine was closed.".to_owned()));
        }
    }
}

impl Actor {
    /// Starts to speak with an agent.
    pub fn start(engine: Arc<dyn Engine>, world: World, streams: Streams, queue: Arc<Queue>) -> mpsc::Sender<Ask> {
        let tail: Arc<Mutex<Tail>> = Arc::default();
        let (asks_in, asks) = mpsc::channel(16);
        let (out, to_write) = mpsc::channel(OUT_MAX);
        let writer = tokio::spawn(write_lines(streams.output, to_write));
        let errors = streams.errors.map(|errors| tokio::spawn(read_errors(errors, tail.clone())));
        let (exited, end_process) = match streams.process {
            Some(process) => (process.exited, Some(process.end)),
            None => (Box::pin(std::future::pending()) as Boxed<Option<i32>>, None),
        };
        let actor = Actor {
            engine,
            world,
            queue,
            tail,
            out: Some(out),
            end_process,
            last_id: 0,
            last_asked: 0,
            pending: HashMap::new(),
            asked: BTreeMap::new(),
            tools: Tools::default(),
            session: None,
            prefix: None,
            is_mute: false,
            trouble: None,
            turn: Turn::default(),
            is_unread: false,
            has_told_end: false,
        };
        tokio::spawn(actor.run(asks, Lines::new(streams.input), exited, Tasks { writer, errors }));
        asks_in
    }

    async fn run(
        mut self,
        mut asks: mpsc::Receiver<Ask>,
        mut lines: Wire,
        mut exited: Boxed<Option<i32>>,
        tasks: Tasks,
    ) {
        let mut pieces = 0_u64;
        let mut gathering: Option<Pin<Box<tokio::time::Sleep>>> = None;
        let end = loop {
            // Others have their turn too, however much is there to read.
            tokio::task::coop::consume_budget().await;
            if self.is_unread {
                break End::Unread;
            }
            // Who is slow to take what happened makes the agent wait, and never a cancel.
            let has_room = self.queue.has_room();
            tokio::select! {
                biased;
                ask = asks.recv() => match ask {
                    None => break End::Asked(Duration::ZERO, None),
                    Some(Ask::Shutdown { grace, reply }) => break End::Asked(grace, Some(reply)),
                    Some(ask) => self.obey(ask),
                },
                status = &mut exited => break End::Exited(status),
                line = lines.next(), if has_room && gathering.is_none() => match line {
                    Line::Whole(line) => {
                        pieces = if self.hear(&line) { pieces + 1 } else { 0 };
                        let gathers = self.queue.gathers();
                        if pieces >= PIECES_MIN && !lines.has_line() && !gathers.is_zero() {
                            gathering = Some(Box::pin(tokio::time::sleep_until(beat(gathers))));
                        }
                    }
                    Line::TooLong => break End::TooLong,
                    Line::End => break End::Closed,
                },
                () = async { gathering.as_mut().expect("checked").await }, if gathering.is_some() => gathering = None,
                () = self.queue.emptied(), if !has_room => {}
            }
        };
        asks.close();
        self.finish(end, lines, exited, tasks).await;
    }

    fn send(&mut self, line: Vec<u8>) {
        if let Some(out) = &self.out {
            // A writer that is gone means that the agent is going: the reader will say so.
            self.is_unread |= matches!(out.try_send(line), Err(mpsc::error::TrySendError::Full(_)));
        }
    }

    fn request(&mut self, method: &str, params: Value, pending: Pending) {
        self.last_id += 1;
        self.pending.insert(self.last_id, pending);
        self.send(rpc::request(self.last_id, method, params));
    }

    fn obey(&mut self, ask: Ask) {
        match ask {
            Ask::Call { method, params, reply } => self.request(method, params, Pending::Call(reply)),
            Ask::Opened { session, prefix } => (self.session, self.prefix) = (Some(session), prefix),
            Ask::Mute => self.is_mute = true,
            Ask::Tell(event) => self.queue.push(event, 0),
            Ask::Prompt { blocks, reply } => {
                let sent = self.prompt(blocks);
                let _ = reply.send(sent);
            }
            Ask::Cancel => self.cancel(),
            Ask::Decide { id, verdict, reply } => {
                let decided = self.decide(&id, &verdict);
                let _ = reply.send(decided);
            }
            Ask::Answer { id, answer, reply } => {
                let answered = self.answer(&id, answer);
                let _ = reply.send(answered);
            }
            Ask::Shutdown { .. } => unreachable!("the loop ends with it"),
        }
    }

    fn prompt(&mut self, mut blocks: Vec<Value>) -> Result<(), Refused> {
        let session = self.session.clone().ok_or(Refused::NotOpen)?;
        if let Some(prefix) = self.prefix.take() {
            blocks.insert(0, json!({"type": "text", "text": prefix}));
        }
        self.is_mute = false;
        if !self.is_in_turn() {
            self.begin_turn();
        }
        let params = json!({"sessionId": session, "prompt": blocks});
        self.request("session/prompt", params, Pending::Prompt { is_canceled: false });
        Ok(())
    }

    fn begin_turn(&mut self) {
        let lines_before = self.tail.lock().unwrap_or_else(PoisonError::into_inner).pushed();
        self.turn = Turn { lines_before, ..Turn::default() };
    }

    fn cancel(&mut self) {
        for pending in self.pending.values_mut() {
            if let Pending::Prompt { is_canceled } = pending {
                *is_canceled = true;
            }
        }
        if let Some(session) = &self.session {
            let line = rpc::notification("session/cancel", json!({"sessionId": session}));
            self.send(line);
        }
        self.withdraw_all();
    }

    /// Everything that is open is answered as canceled: the protocol demands it when a turn is canceled.
    fn withdraw_all(&mut self) {
        for (id, asked) in std::mem::take(&mut self.asked) {
            self.send(rpc::answer(asked.rpc_id, Ok(cancelled(asked.offers.is_none()))));
            self.queue.push(Event::Withdrawn { id }, 0);
        }
    }

    /// What is open under a name, where it is of the kind that is answered.
    fn take_asked(&mut self, id: &str, is_question: bool) -> Result<Asked, Refused> {
        match self.asked.remove(id) {
            Some(asked) if asked.offers.is_none() == is_question => Ok(asked),
            Some(other) => {
                self.asked.insert(id.to_owned(), other);
                Err(Refused::NotAsked)
            }
            None => Err(Refused::NotAsked),
        }
    }

    fn decide(&mut self, id: &str, verdict: &Verdict) -> Result<(), Refused> {
        let asked = self.take_asked(id, false)?;
        let offers = asked.offers.unwrap_or_default();
        let chosen = offers::answer(verdict, &offers);
        let is_no = |offer: &Offer| matches!(offer.kind, OfferKind::RejectOnce | OfferKind::RejectAlways);
        self.turn.is_denied |= chosen.map_or(*verdict != Verdict::Cancelled, is_no);
        let outcome = match chosen {
            Some(offer) => json!({"outcome": {"outcome": "selected", "optionId": offer.id}}),
            None => cancelled(false),
        };
        self.send(rpc::answer(asked.rpc_id, Ok(outcome)));
        if chosen.is_none() && *verdict != Verdict::Cancelled { Err(Refused::NotOffered) } else { Ok(()) }
    }

    fn answer(&mut self, id: &str, answer: Reply) -> Result<(), Refused> {
        let asked = self.take_asked(id, true)?;
        let result = match answer {
            Reply::Given(content) => json!({"action": "accept", "content": content}),
            Reply::Declined => json!({"action": "decline"}),
            Reply::Cancelled => cancelled(true),
        };
        self.send(rpc::answer(asked.rpc_id, Ok(result)));
        Ok(())
    }

    /// Takes a line in; whether it was a piece of a text and nothing else, which more of them follow as a rule.
    fn hear(&mut self, line: &[u8]) -> bool {
        match rpc::parse(line) {
            Some(Incoming::Notification { method, params }) => return self.notified(&method, params, line.len()),
            Some(Incoming::Request { id, method, params }) => self.requested(id, &method, &params, line.len()),
            // An answer to nothing of ours, or a second one, changes nothing.
            Some(Incoming::Answer { id, result }) => match id.and_then(|id| self.pending.remove(&id)) {
                Some(Pending::Call(reply)) => drop(reply.send(result)),
                Some(Pending::Prompt { is_canceled }) => self.turn_ended(result, is_canceled),
                None => {}
            },
            None if line.iter().all(u8::is_ascii_whitespace) => {}
            None => self.tail.lock().unwrap_or_else(PoisonError::into_inner).push(line),
        }
        false
    }

    fn notified(&mut self, method: &str, mut params: Value, bytes: usize) -> bool {
        match method {
            "session/update" => {
                let of_other =
                    matches!((&self.session, params["sessionId"].as_str()), (Some(own), Some(of)) if own != of);
                if of_other {
                    // A session that the agent started by itself: not ours to mix in.
                    self.queue.push(Event::Raw { value: params }, bytes);
                    return false;
                }
                match params.get_mut("update").map(Value::take) {
                    Some(update) => return self.updated(update, bytes),
                    None => self.queue.push(Event::Raw { value: params }, bytes),
                }
            }
            "_auth/status_update" if params["authStatus"]["kind"].is_string() => {
                let status = &params["authStatus"];
                let label = status["label"].as_str().unwrap_or_default().to_owned();
                self.queue.push(Event::Login { is_logged_in: status["kind"] != "none", label }, bytes);
            }
            "$/cancel_request" => {
                let id =
                    self.asked.iter().find(|(_, asked)| asked.rpc_id == params["requestId"]).map(|(id, _)| id.clone());
                if let Some((id, asked)) = id.and_then(|id| self.asked.remove_entry(&id)) {
                    self.send(rpc::answer(asked.rpc_id, Ok(cancelled(asked.offers.is_none()))));
                    self.queue.push(Event::Withdrawn { id }, 0);
                }
            }
            _ => self.queue.push(Event::Raw { value: json!({"method": method, "params": params}) }, bytes),
        }
        false
    }

    fn updated(&mut self, update: Value, bytes: usize) -> bool {
        match RawFailure::of_meta(&update["_meta"]) {
            Some((raw, true)) => {
                let what = without_secrets(&raw.message);
                self.turn.warned = Some(what.clone());
                self.queue.push(Event::Retrying { what }, bytes);
            }
            Some((raw, false)) if self.is_in_turn() => self.trouble = Some(raw),
            Some((raw, false)) => self.queue.push(Event::Notice { text: without_secrets(&raw.message) }, bytes),
            None => {}
        }
        let mut is_piece = true;
        for event in update::read(update, &mut self.tools, &*self.engine) {
            if update::is_progress(&event) {
                self.trouble = None;
            }
            self.turn.take(&event);
            is_piece &= matches!(event, Event::Said { .. } | Event::Thought { .. });
            if !(self.is_mute && is_history(&event)) {
                self.queue.push(event, bytes);
            }
        }
        is_piece
    }

    fn is_in_turn(&self) -> bool {
        self.pending.values().any(|pending| matches!(pending, Pending::Prompt { .. }))
    }

    fn requested(&mut self, rpc_id: Value, method: &str, params: &Value, bytes: usize) {
        let (id, asked, event) = match method {
            "session/request_permission" => {
                let offers = read_offers(&params["options"]);
                let Some(raw) = self.tools.tell(&params["toolCall"]) else {
                    return self.refuse(rpc_id, rpc::INVALID_PARAMS, "toolCall names no toolCallId");
                };
                let tool = self.engine.normalize(raw);
                self.last_asked += 1;
                let id = format!("permission-{}", self.last_asked);
                let request = PermissionRequest { id: id.clone(), tool, offers: offers.clone() };
                (id, Asked { rpc_id, offers: Some(offers) }, Event::Permission { request })
            }
            // Only forms are announced; a question by way of an address has no schema.
            "elicitation/create" if params["requestedSchema"].is_object() => {
                self.last_asked += 1;
                let id = format!("question-{}", self.last_asked);
                let message = params["message"].as_str().unwrap_or_default().to_owned();
                let question = Question { id: id.clone(), message, schema: params["requestedSchema"].clone() };
                (id, Asked { rpc_id, offers: None }, Event::Asked { question })
            }
            _ => return self.refuse(rpc_id, rpc::METHOD_NOT_FOUND, &format!("this client doesn't support {method}")),
        };
        if self.asked.len() >= ASKED_MAX {
            self.send(rpc::answer(asked.rpc_id, Ok(cancelled(asked.offers.is_none()))));
            let text = format!("The engine made more than {ASKED_MAX} requests at once; the rest were canceled.");
            return self.queue.push(Event::Notice { text }, 0);
        }
        self.trouble = None;
        self.asked.insert(id, asked);
        self.queue.push(event, bytes);
    }

    fn refuse(&mut self, rpc_id: Value, code: i64, message: &str) {
        let error = RpcError { code, message: message.to_owned(), data: Value::Null };
        self.send(rpc::answer(rpc_id, Err(error)));
    }

    fn turn_ended(&mut self, result: Result<Value, RpcError>, is_canceled: bool) {
        let trouble = self.trouble.take();
        let (stop, raw) = match &result {
            Ok(result) => {
                let told = RawFailure::of_meta(&result["_meta"]).filter(|(_, is_warning)| !is_warning);
                (update::stop_reason(result), told.map(|(raw, _)| raw).or(trouble))
            }
            Err(error) => (StopReason::EndTurn, Some(raw_failure(error))),
        };
        let is_good_end = stop == StopReason::EndTurn && !is_canceled && raw.is_none();
        let is_denied = is_good_end && self.turn.is_denied && self.engine.traits().refusal_ends_turn;
        let stop = match stop {
            _ if is_canceled => StopReason::Cancelled,
            _ if is_denied => StopReason::Denied,
            stop => stop,
        };
        // An agent that says how it was torn out of its work did what it was told.
        let raw = raw.filter(|_| stop != StopReason::Cancelled);
        if let Some(tokens) = result.as_ref().ok().and_then(update::tokens) {
            self.queue.push(Event::Spent { tokens }, 0);
        }
        if !self.is_in_turn() {
            self.withdraw_all();
        }
        let silent = if is_good_end && !self.turn.has_result { self.behind_silence() } else { None };
        let (failure, detail) = match (raw, silent) {
            (Some(raw), _) => {
                (Some(self.engine.classify(&raw, &self.world.now())), Some(without_secrets(&raw.message)))
            }
            (None, Some((failure, detail))) => (Some(failure), Some(detail)),
            (None, None) => (None, None),
        };
        // One that waited behind this one begins now.
        self.begin_turn();
        self.queue.push(Event::TurnEnded { stop, failure, detail }, 0);
    }

    /// What stands behind a turn that ended well though nothing was said or done in it: the error that the engine warned of or wrote
    /// beside the protocol, or a stream that was cut, where the engine reports neither.
    fn behind_silence(&self) -> Option<(Failure, String)> {
        let written = self.tail.lock().unwrap_or_else(PoisonError::into_inner).since(self.turn.lines_before);
        let behind = [self.turn.warned.clone().unwrap_or_default(), written];
        let behind = behind.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        let raw = RawFailure { message: behind.clone(), ..RawFailure::default() };
        let failure = match self.engine.classify(&raw, &self.world.now()) {
            Failure::Unknown if self.engine.traits().answers_always => Failure::Transient { what: Transience::Network },
            // A command of the engine's own may have nothing to say; what is written beside it may be anything.
            Failure::Unknown if !behind.to_ascii_lowercase().contains("error") => return None,
            failure => failure,
        };
        Some((failure, format!("The engine ended its turn without a response.\n{behind}").trim_end().to_owned()))
    }

    async fn finish(mut self, end: End, mut lines: Wire, mut exited: Boxed<Option<i32>>, tasks: Tasks) {
        let status = match &end {
            End::Asked(grace, _) => {
                self.withdraw_all();
                self.out = None;
                self.wait_for_end(&mut exited, &mut lines, *grace).await
            }
            End::Exited(status) => *status,
            End::Closed => self.wait_for_end(&mut exited, &mut lines, LAST_WORDS_WITHIN).await,
            End::TooLong | End::Unread => None,
        };
        let grace = if let End::Asked(grace, _) = end { grace } else { TREE_GRACE };
        if let Some(end_process) = &self.end_process {
            end_process(grace).await;
        }
        if matches!(end, End::Exited(_)) {
            self.hear_last_words(&mut lines).await;
        }
        tasks.stop(&self.world).await;
        let detail = match &end {
            End::Asked(..) => None,
            End::Exited(Some(status)) => Some(format!("The engine's process exited with status {status}.")),
            End::Exited(None) => Some("The engine's process was killed by a signal.".to_owned()),
            End::Closed => Some("The engine closed the connection.".to_owned()),
            End::TooLong => {
                let mebibytes = LINE_BYTES_MAX >> 20;
                Some(format!("The engine sent a line longer than {mebibytes} MiB."))
            }
            End::Unread => Some(format!("The engine stopped reading: {OUT_MAX} messages are unread.")),
        };
        self.tell_end(status, detail);
        if let End::Asked(_, Some(reply)) = end {
            let _ = reply.send(());
        }
    }

    /// Waits for the agent to end by itself; what it says meanwhile is read, or it could not go on, and dropped.
    async fn wait_for_end(&self, exited: &mut Boxed<Option<i32>>, lines: &mut Wire, within: Duration) -> Option<i32> {
        if self.end_process.is_none() || within.is_zero() {
            return None;
        }
        let mut late = self.world.sleep.sleep(within);
        let mut is_open = true;
        loop {
            tokio::select! {
                biased;
                status = &mut *exited => return status,
                line = lines.next(), if is_open => is_open = matches!(line, Line::Whole(_)),
                () = &mut late => return None,
            }
        }
    }

    /// Reads what the agent wrote before it ended.
    async fn hear_last_words(&mut self, lines: &mut Wire) {
        let mut late = self.world.sleep.sleep(LAST_WORDS_WITHIN);
        loop {
            let has_room = self.queue.has_room();
            tokio::select! {
                biased;
                line = lines.next(), if has_room => match line {
                    Line::Whole(line) => drop(self.hear(&line)),
                    _ => return,
                },
                () = self.queue.emptied(), if !has_room => {}
                () = &mut late => return,
            }
        }
    }

    fn tell_end(&mut self, status: Option<i32>, detail: Option<String>) {
        self.has_told_end = true;
        self.withdraw_all();
        for (_, pending) in std::mem::take(&mut self.pending) {
            match (pending, &detail) {
                (Pending::Call(reply), detail) => {
                    let message = detail.clone().unwrap_or_else(|| "The connection was closed.".to_owned());
                    let _ = reply.send(Err(RpcError { code: ENDED, message, data: Value::Null }));
                }
                (Pending::Prompt { is_canceled: false }, Some(detail)) => self.queue.push(
                    Event::TurnEnded {
                        stop: StopReason::EndTurn,
                        failure: Some(Failure::Crash),
                        detail: Some(detail.clone()),
                    },
                    0,
                ),
                (Pending::Prompt { .. }, _) => {
                    let stop = StopReason::Cancelled;
                    self.queue.push(Event::TurnEnded { stop, failure: None, detail: None }, 0);
                }
            }
        }
        let written = self.tail.lock().unwrap_or_else(PoisonError::into_inner).text();
        let stderr = [written, detail.unwrap_or_default()].into_iter().filter(|text| !text.is_empty());
        let stderr = stderr.collect::<Vec<_>>().join("\n");
        self.queue.push(Event::Exited { status, stderr }, 0);
        self.queue.close();
    }
}

/// The code of an error that no agent sent: there is none any more.
pub(super) const ENDED: i64 = i64::MIN;

/// What a connection reads and writes with.
struct Tasks {
    writer: JoinHandle<()>,
    errors: Option<JoinHandle<()>>,
}

impl Tasks {
    /// Stops them. What the agent wrote to standard error is read to its end, unless somebody else holds it open.
    async fn stop(self, world: &World) {
        self.writer.abort();
        if let Some(mut errors) = self.errors {
            tokio::select! {
                _ = &mut errors => {}
                () = world.sleep.sleep(LAST_WORDS_WITHIN) => errors.abort(),
            }
        }
    }
}

async fn write_lines(mut to: Box<dyn AsyncWrite + Send + Unpin>, mut lines: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = lines.recv().await {
        if to.write_all(&line).await.is_err() || to.flush().await.is_err() {
            return;
        }
    }
}

/// Reads standard error to its end, so that the agent can always write there, and keeps its tail.
async fn read_errors(mut from: Box<dyn AsyncRead + Send + Unpin>, tail: Arc<Mutex<Tail>>) {
    const READ_BYTES: usize = 8 << 10;
    let (mut rest, mut buffer) = (Vec::new(), vec![0; READ_BYTES]);
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        rest.extend_from_slice(&buffer[..count]);
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(end) = memchr::memchr(b'\n', &rest) {
            tail.push(&rest[..end]);
            rest.drain(..=end);
        }
        if rest.len() > READ_BYTES {
            tail.push(&rest);
            rest.clear();
        }
    }
    if !rest.is_empty() {
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(&rest);
    }
}

fn raw_failure(error: &RpcError) -> RawFailure {
    let told = RawFailure::of_meta(&error.data["_meta"]).map(|(raw, _)| raw).unwrap_or_default();
    RawFailure { code: Some(error.code), message: error.message.clone(), data: error.data.clone(), ..told }
}

/// What a loaded session tells again.
fn is_history(event: &Event) -> bool {
    matches!(
        event,
        Event::Said { .. }
            | Event::Heard { .. }
            | Event::Thought { .. }
            | Event::Tool { .. }
            | Event::Planned { .. }
            | Event::Compacting { .. }
    )
}

fn cancelled(is_question: bool) -> Value {
    if is_question { json!({"action": "cancel"}) } else { json!({"outcome": {"outcome": "cancelled"}}) }
}

/// Offers of kinds that are known; what is not known cannot be chosen by its kind.
fn read_offers(options: &Value) -> Vec<Offer> {
    let offer = |one: &Value| {
        let kind = match one["kind"].as_str()? {
            "allow_once" => OfferKind::AllowOnce,
            "allow_always" => OfferKind::AllowAlways,
            "reject_once" => OfferKind::RejectOnce,
            "reject_always" => OfferKind::RejectAlways,
            _ => return None,
        };
        let text = |member: &str| one[member].as_str().map(str::to_owned);
        Some(Offer { id: text("optionId")?, name: text("name").unwrap_or_default(), kind })
    };
    options.as_array().into_iter().flatten().filter_map(offer).collect()
}
