//! Drives one session: applies inputs, asks the rules for the next state and effects, stores them, and carries them
//! out.
//!
//! Invariants: a step and its effects are on disk before they are carried out; a step that can't be stored doesn't
//! happen, and is retried if an engine's event caused it; steps run one at a time.

mod commands;
mod context_notes;
mod form;
mod launch;
mod mode;
mod requests;
mod write;

use crate::approved::{Opening, Tickets};
use crate::common::Common;
#[cfg(unix)]
use crate::engine_host::EngineHost;
use crate::facts::Facts;
use crate::fork;
use crate::given_env::GivenEnv;
use crate::image_bridge;
use crate::judge::Judge;
use crate::live::{Live, LiveStats};
use crate::messages;
use crate::modes;
use crate::outputs::Outputs;
use crate::queue::Place;
use crate::reasons;
use crate::records::{self, Answer, Ask, Naming, SessionRecord};
use crate::rules::Rule;
use crate::titles;
use crate::tokens;
use crate::transcript::SessionKey;
use engines::offers::Verdict as Given;
use engines::port::Reply;
use engines::{Chunk, Conn, Event, Failure, PermissionRequest, Question, SessionSpec, ToolState, ToolUse};
use futures_core::future::BoxFuture;
use kit::error::CONFLICT;
use kit::{Caller, Result};
pub(crate) use launch::report;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use store::HasDb;
use supervisor::loops::Breaker;
use supervisor::state::{
    Effect, EngineEvent, Input, Nudge, PromptId, ResendReason, State, StepContext, Verdict, sign, step,
};
use supervisor::{context, question};
use tokio::sync::{Mutex, oneshot, watch};
use tokio::task::JoinHandle;

/// Maximum bytes at the end of a reply that are checked for a question.
const REPLY_BYTES: usize = 16 * 1024;
/// Maximum entries that wait before they are written together.
const PENDING_MAX: usize = 64;
/// Maximum entries that wait while writing fails. Beyond that, the oldest are dropped, and their number is recorded.
const PENDING_KEPT_MAX: usize = 10_000;
/// Maximum time before an entry is written.
pub(crate) const FLUSH_WITHIN: Duration = Duration::from_secs(1);

/// The driver of one session.
pub(crate) struct Driver {
    key: SessionKey,
    pub(crate) record: SessionRecord,
    common: Arc<Common>,
    judge: Arc<Judge>,
    /// The connection of the newest launch, once it is open.
    conn: Option<Conn>,
    /// The mode that the session was opened in, or that the user chose since.
    mode: Option<String>,
    /// Whether the engine's session is a copy of the one that this session continues.
    is_fork: bool,
    /// Cancels the current launch.
    give_up: Option<watch::Sender<bool>>,
    /// The task of the last launch or stop. The next launch waits for it to end.
    ending: Option<JoinHandle<()>>,
    /// The task that describes images of the message to send next.
    describing: Option<JoinHandle<()>>,
    /// The turns that had ended when a title was last asked for.
    titled_at: Option<i64>,
    /// The end of the agent's reply in this turn.
    reply: String,
    /// Transcript entries that aren't written yet.
    pending: Vec<String>,
    is_flush_due: bool,
    /// The session's state for open pages.
    live: Arc<Live>,
    /// The number of the newest written entry; unknown until one is added.
    written: Option<i64>,
    /// The engine's reports, as stored last.
    stored_facts: Arc<Facts>,
    /// Open permission requests.
    requests: HashMap<String, PermissionRequest>,
    /// Open questions of the engine. They are answered differently from permission requests.
    questions: HashSet<String>,
    /// Tools whose hook waits for an answer.
    held: HashMap<String, oneshot::Sender<bool>>,
    /// The user's answers that are more than yes or no.
    given: HashMap<String, UserAnswer>,
    /// Environment variables that the user provided.
    given_env: GivenEnv,
    /// Commands that run outside the sandbox.
    tickets: Arc<Tickets>,
    /// What open requests would admit, with the command line.
    openings: HashMap<String, (Opening, String)>,
    /// Running commands, by the engine's ids of the tool calls.
    commands: HashMap<String, String>,
    breaker: Breaker,
    outputs: Outputs,
    working_since: Option<i64>,
}

/// The user's answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum UserAnswer {
    /// To a permission request.
    Verdict(Given),
    /// To an input request: the value, or none if the user declined.
    Value(Option<Value>),
}

/// What's needed to send a message to the current turn.
pub(crate) struct Steering {
    pub(crate) conn: Conn,
    pub(crate) launch: u32,
}

/// A driver, shared by its callers.
pub(crate) type Shared = Arc<Mutex<Driver>>;

/// Extra rows written in a step's transaction.
#[derive(Clone, Default)]
pub(crate) struct ExtraWrites {
    /// The session is new: its slot in the queue is taken first, then its record is inserted.
    pub(crate) is_new: bool,
    /// A new message.
    pub(crate) prompt: Option<(Vec<Chunk>, &'static str, Option<String>)>,
    /// A request that the user has to answer.
    pub(crate) ask: Option<Ask>,
    /// An answer of the user.
    pub(crate) answer: Option<Answer>,
    /// The answer's rule, and its creator.
    pub(crate) rule: Option<(Rule, Caller)>,
    /// The caller and the name of the change, for the change log.
    pub(crate) by: Option<(Caller, &'static str)>,
    /// Whether the message is from a user.
    pub(crate) is_of_person: bool,
    /// The local day, if the refill governor revives the session.
    pub(crate) revived_on: Option<String>,
    /// The end of the agent's reply, when a turn ends.
    pub(crate) reply: String,
}

impl Driver {
    pub(crate) fn new(key: SessionKey, record: SessionRecord, common: Arc<Common>) -> Driver {
        let judge = Arc::new(Judge::new(&common, &key, &record));
        let (live, stored_facts) = (common.listeners.live(&key), record.facts.clone());
        Driver {
            key,
            record,
            common,
            judge,
            conn: None,
            mode: None,
            is_fork: false,
            give_up: None,
            ending: None,
            reply: String::new(),
            pending: Vec::new(),
            is_flush_due: false,
            live,
            written: None,
            stored_facts,
            requests: HashMap::new(),
            questions: HashSet::new(),
            held: HashMap::new(),
            given: HashMap::new(),
            given_env: GivenEnv::default(),
            titled_at: None,
            tickets: Arc::default(),
            openings: HashMap::new(),
            commands: HashMap::new(),
            describing: None,
            breaker: Breaker::default(),
            outputs: Outputs::default(),
            working_since: None,
        }
    }

    /// Whether any part of it still runs or isn't written yet. Only then it has to stay in memory.
    pub(crate) fn is_busy(&self) -> bool {
        records::is_active(&self.record.life)
            || self.conn.is_some()
            || !self.pending.is_empty()
            || self.ending.as_ref().is_some_and(|ending| !ending.is_finished())
    }

    /// Waits for the end of the last launch or stop.
    pub(crate) fn ending(&mut self) -> Option<JoinHandle<()>> {
        self.ending.take()
    }

    /// Makes the next launch wait for this task.
    pub(crate) fn wait_for(&mut self, ending: JoinHandle<()>) {
        self.ending = Some(ending);
    }

    /// The number of the next message.
    pub(crate) fn next_prompt(&self) -> u64 {
        self.record.life.last_prompt + 1
    }

    /// Applies an input. One that isn't possible in the current state is rejected with a reason, and changes nothing.
    pub(crate) fn apply<'a>(
        &'a mut self,
        me: &'a Shared,
        input: Input,
        extra: ExtraWrites,
    ) -> BoxFuture<'a, Result<()>> {
        // Boxed, because carrying out a step can apply another input.
        Box::pin(self.apply_step(me, input, extra))
    }

    async fn apply_step(&mut self, me: &Shared, input: Input, extra: ExtraWrites) -> Result<()> {
        let now_ms = self.common.ctx.now_ms();
        if let Input::Engine { launch, event: EngineEvent::Alive } = &input
            && sign(&mut self.record.life, *launch, now_ms)
        {
            self.record.changed_ms = now_ms;
            return Ok(());
        }
        let moment = StepContext { now: now_ms, jitter: self.common.chance() };
        let rules = self.common.recovery(&self.key.account);
        let mut step = match step(&self.record.life, &input, &moment, &rules) {
            Ok(step) => step,
            Err(ignored) => return Err(CONFLICT.error(format!("{}.", ignored.why))),
        };
        let is_written = step.effects.first() == Some(&Effect::Journal)
            || extra.prompt.is_some()
            || extra.answer.is_some()
            || extra.by.is_some();
        let mut next = self.record.clone();
        next.life = step.session;
        next.changed_ms = now_ms;
        if let State::Failed { failure: Failure::Auth, detail } = &mut next.life.state {
            self.add_login(detail);
        }
        self.name_request(&mut next, extra.ask.as_ref()).await;
        self.name_engine(&mut next);
        if let State::Failed { detail, .. } = &mut next.life.state {
            *detail = self.given_env.hide_in(std::mem::take(detail));
        }
        self.add_up(&mut next, now_ms);
        let changes = before_and_after(&self.record, &next);
        self.load_written().await;
        // A new session's transcript begins with its first state.
        let is_noted = changes.is_state && !extra.is_new;
        // The entry of the new state comes next.
        next.last_entry = self.last_entry() + i64::from(is_noted);
        // Before callers can read that it ended.
        if tokens::has_ended(&next.life.state) && !tokens::has_ended(&self.record.life.state) {
            tokens::revoke(&self.common.ctx, &self.key).await;
        }
        let ends = self.record.life.state.is_active() && !next.life.state.is_active();
        let held = if ends { Some(self.common.queue.hold().await) } else { None };
        let place = if extra.is_new { self.reserve(&next, &step.effects).await? } else { None };
        if is_written {
            self.write(&next, &step.effects, extra, now_ms).await?;
            self.stored_facts = next.facts.clone();
        }
        if let Some(held) = held {
            self.common.queue.ended(held, &self.key);
        }
        if let Some(place) = place {
            place.keep();
            step.effects.retain(|effect| !matches!(effect, Effect::Enqueue { .. }));
        }
        self.record = next;
        if is_written {
            self.tell_changed(changes.is_listed);
        }
        if is_noted {
            let life = &self.record.life;
            let state = json!({"entry": "state", "state": life.state, "why": reasons::with_time(&life.state, &life.evidence.why)});
            self.append_entry(me, &state).await;
        }
        for effect in step.effects {
            self.perform(me, effect).await;
        }
        Ok(())
    }

    /// Takes a new session's slot in the queue. If the limit is reached, it's rejected, and its step doesn't happen.
    /// The caller decides when queued sessions are started.
    async fn reserve(&self, next: &SessionRecord, effects: &[Effect]) -> Result<Option<Place>> {
        for effect in effects {
            if let Effect::Enqueue { kind } = effect {
                return self.common.queue.reserve(&self.key, *kind, next.counted).await.map(Some);
            }
        }
        Ok(None)
    }

    /// Adds the working time to the totals when the work ends.
    fn add_up(&mut self, next: &mut SessionRecord, now_ms: i64) {
        match (self.working_since, next.life.state.is_working()) {
            (None, true) => self.working_since = Some(now_ms),
            (Some(since), false) => {
                next.sums.run_ms += (now_ms - since).max(0);
                self.working_since = None;
            }
            _ => {}
        }
    }

    async fn perform(&mut self, me: &Shared, effect: Effect) {
        match effect {
            Effect::Journal | Effect::AskUser { .. } | Effect::ReportDone { .. } => {}
            Effect::Unsent { ids } => {
                let key = self.key.clone();
                let read = move |tx: &mut store::Tx<'_>| {
                    let text = |id| Ok(messages::text_of(&records::prompt(tx, (&key.account, &key.session), id)?));
                    ids.into_iter().map(text).collect::<Result<Vec<_>>>()
                };
                // The messages are stored, whether or not they can be listed.
                if let Ok(texts) = self.common.ctx.db().read(read).await {
                    self.append_entry(me, &json!({"entry": "note", "why": messages::removed(&texts)})).await;
                }
            }
            Effect::Enqueue { kind } => self.common.queue.enqueue(&self.key, kind, self.record.counted).await,
            Effect::Dequeue => self.common.queue.dequeue(&self.key).await,
            Effect::Launch { how, launch } => self.launch(me, how, launch),
            Effect::SendPrompt { id, resend, nudges } => {
                let key = self.key.clone();
                let read = move |tx: &mut store::Tx<'_>| records::prompt(tx, (&key.account, &key.session), id);
                let content = match self.common.ctx.db().read(read).await {
                    Ok(content) => content,
                    Err(why) => return self.not_sent(me, format!("Couldn't load the message: {why}")),
                };
                let mut by_us = messages::before_prompt(resend, &nudges, &self.asks_of(&nudges).await);
                let earlier = match self.earlier(id, resend).await {
                    Ok(earlier) => earlier,
                    Err(why) => return self.not_sent(me, format!("Couldn't load the earlier conversation: {why}")),
                };
                let ours = (!by_us.is_empty()).then(|| Chunk::Text { text: by_us.clone() });
                if earlier.is_some() {
                    by_us = [&*by_us, fork::SENT_AS_TEXT].join("\n").trim().to_owned();
                }
                let shown = messages::without_images(&content);
                let entry = json!({"entry": "prompt", "prompt": id, "content": shown, "note": by_us});
                self.append_entry(me, &entry).await;
                self.ask_for_title(me);
                let before: Vec<Chunk> = earlier.into_iter().chain(ours).collect();
                let reminders = self.reminders(&content).await;
                if image_bridge::is_needed(&self.common.ctx, &self.key.account, &self.record, &content) {
                    return self.describe_images(me, before, content.into_iter().chain(reminders).collect());
                }
                let content = messages::accepted_by(content, self.record.facts.takes_images);
                self.send(me, before.into_iter().chain(content).chain(reminders).collect()).await;
            }
            Effect::Nudge { nudges } => {
                let text = messages::before_prompt(None, &nudges, &self.asks_of(&nudges).await);
                self.append_entry(me, &json!({"entry": "nudge", "text": text})).await;
                let content = vec![Chunk::Text { text }];
                let reminders = self.reminders(&content).await;
                self.send(me, content.into_iter().chain(reminders).collect()).await;
            }
            Effect::Compact => {
                let engine = self.common.engine(&self.key.account, &self.record.engine);
                let compact = engine.and_then(|engine| engine.traits().compact);
                match compact {
                    Some(command) => self.send(me, vec![Chunk::Text { text: command.to_owned() }]).await,
                    None => self.fail_turn(me, "The engine can't compact its context.".into()),
                }
            }
            Effect::Answer { id, verdict } => {
                let said = self.given.remove(&id);
                self.requests.remove(&id);
                let is_question = self.questions.remove(&id);
                // An engine that no longer waits has its own reason, which it reports.
                let entry = json!({"entry": "answer", "id": id, "verdict": messages::verdict(verdict)});
                self.append_entry(me, &entry).await;
                self.flush(false).await;
                if let Some(held) = self.held.remove(&id) {
                    // Requests that no longer wait were canceled already.
                    let _ = held.send(verdict == Verdict::Allowed);
                } else if let Some(conn) = &self.conn {
                    let (id, said) = (own_name(&id), said.filter(|_| verdict != Verdict::Cancelled));
                    let _ = match (said, is_question) {
                        (Some(UserAnswer::Value(Some(value))), true) => conn.answer(id, Reply::Given(value)).await,
                        (_, true) if verdict == Verdict::Cancelled => conn.answer(id, Reply::Cancelled).await,
                        (_, true) => conn.answer(id, Reply::Declined).await,
                        (Some(UserAnswer::Verdict(given)), false) => conn.decide(id, given).await,
                        (_, false) => {
                            let given = match verdict {
                                Verdict::Allowed => Given::AllowOnce,
                                Verdict::Denied => Given::RejectOnce,
                                Verdict::Cancelled => Given::Cancelled,
                            };
                            conn.decide(id, given).await
                        }
                    };
                }
            }
            Effect::Cancel => {
                if self.stop_describing(me) {
                    return;
                }
                if let Some(conn) = &self.conn {
                    conn.cancel().await;
                }
            }
            Effect::KillTree => self.end_processes(),
            Effect::CheckLogin => {
                let (me, common, engine) = (me.clone(), self.common.clone(), self.record.engine.clone());
                let account = self.key.account.clone();
                tokio::spawn(async move {
                    let is_logged_in = common.is_logged_in(&account, &engine).await;
                    let mut driver = me.lock().await;
                    // If it isn't needed anymore, nothing follows.
                    let _ = driver.apply(&me, Input::LoginChecked { is_logged_in }, ExtraWrites::default()).await;
                });
            }
        }
    }

    /// The conversation that the session continues, if the engine doesn't know it and gets it with this message.
    async fn earlier(&self, message: PromptId, resend: Option<ResendReason>) -> Result<Option<Chunk>> {
        let is_first = message == 1 || resend == Some(ResendReason::NewSession);
        let Some(fork) = self.record.fork.as_ref().filter(|_| is_first && !self.is_fork) else { return Ok(None) };
        let text = fork::text(&self.common, &self.key.account, fork).await?;
        Ok(Some(Chunk::Text { text }))
    }

    /// The reminders after a message. A command of the engine's must stay alone, or the engine doesn't recognize it.
    async fn reminders(&self, content: &[Chunk]) -> Option<Chunk> {
        if self.record.facts.is_command(&messages::text_of(content)) {
            return None;
        }
        let text = self.common.reminders(&self.key.account, &self.record.hub_id).await?;
        Some(Chunk::Text { text })
    }

    /// The requests whose answers the nudges report.
    async fn asks_of(&self, nudges: &[Nudge]) -> Vec<Ask> {
        if !nudges.iter().any(|nudge| matches!(nudge, Nudge::Answered { .. })) {
            return Vec::new();
        }
        let key = self.key.clone();
        let read = move |tx: &mut store::Tx<'_>| records::asks(tx, (&key.account, &key.session));
        self.common.ctx.db().read(read).await.unwrap_or_default()
    }

    async fn send(&mut self, me: &Shared, blocks: Vec<Chunk>) {
        self.reply.clear();
        // A message is in the transcript before the engine gets it.
        self.flush(false).await;
        let sent = match &self.conn {
            Some(conn) => conn.prompt(&blocks).await,
            None => Err(engines::port::Refused::NotOpen),
        };
        if let Err(why) = sent {
            self.not_sent(me, format!("The message didn't reach the engine: {why}"));
        }
    }

    /// Reports that a message was not sent. Reported separately, so that the current step finishes first.
    fn not_sent(&self, me: &Shared, detail: String) {
        let (me, launch) = (me.clone(), self.record.life.launch);
        tokio::spawn(async move { report(&me, launch, EngineEvent::NotSent { detail }, ExtraWrites::default()).await });
    }

    /// Sends a message once its images are described. Described separately: it takes seconds, in which it can be canceled.
    fn describe_images(&mut self, me: &Shared, before: Vec<Chunk>, content: Vec<Chunk>) {
        let (ctx, key, hub) = (self.common.ctx.clone(), self.key.clone(), self.record.hub_id.clone());
        let (again, launch) = (me.clone(), self.record.life.launch);
        self.describing = Some(tokio::spawn(async move {
            let (content, note) = image_bridge::describe(&ctx, &key, &hub, content).await;
            let mut driver = again.lock().await;
            // A newer launch sends the message again itself.
            if driver.describing.take().is_some() && driver.record.life.launch == launch {
                driver.append_entry(&again, &json!({"entry": "note", "why": note})).await;
                driver.send(&again, before.into_iter().chain(content).collect()).await;
            }
        }));
    }

    /// Ends a turn whose images are being described. False if none are.
    pub(crate) fn stop_describing(&mut self, me: &Shared) -> bool {
        let Some(describing) = self.describing.take() else { return false };
        describing.abort();
        self.end_turn(me, None, String::new());
        true
    }

    /// Reports a turn as failed that can't continue.
    fn fail_turn(&self, me: &Shared, detail: String) {
        self.end_turn(me, Some(engines::Failure::Unknown), detail);
    }

    /// Reports the end of a turn that the engine doesn't report. Reported separately, so that the current step finishes first.
    fn end_turn(&self, me: &Shared, failure: Option<engines::Failure>, detail: String) {
        let (me, launch) = (me.clone(), self.record.life.launch);
        tokio::spawn(async move {
            let stop = engines::StopReason::Cancelled;
            let engine_event = EngineEvent::TurnEnded { stop, failure, detail, is_question: false, is_full: false };
            report(&me, launch, engine_event, ExtraWrites::default()).await;
        });
    }

    /// The session's access, which sets how much it can do without approval.
    pub(crate) fn access(&self) -> engines::Access {
        self.judge.access()
    }

    /// The session's approved commands.
    #[cfg(test)]
    pub(crate) fn tickets(&self) -> Arc<Tickets> {
        self.tickets.clone()
    }

    /// What sessions need from the machine.
    #[cfg(unix)]
    pub(crate) fn host(&self) -> EngineHost {
        self.common.host.clone()
    }

    /// The connection, if the engine's session is open.
    pub(crate) fn conn(&self) -> Option<Conn> {
        self.conn
            .clone()
            .filter(|_| self.record.life.has_process && !matches!(self.record.life.state, State::Stopping { .. }))
    }

    /// The connection, if the engine has a turn in progress on it.
    pub(crate) fn turn(&self) -> Option<Conn> {
        let life = &self.record.life;
        let is_in_engine = life.state.is_working()
            && !matches!(life.state, State::Retrying { until: Some(_) })
            && !life.open.iter().any(|open| open.is_lost);
        self.conn().filter(|_| is_in_engine)
    }

    /// What's needed to send a message to the current turn, if the engine supports that.
    pub(crate) fn steering(&self) -> Option<Steering> {
        let conn = self
            .turn()
            .filter(|_| self.record.facts.can_steer && !matches!(self.record.life.state, State::Compacting { .. }))?;
        Some(Steering { conn, launch: self.record.life.launch })
    }

    /// Records a message that was sent to the current turn.
    pub(crate) async fn append_steered(&mut self, me: &Shared, launch: u32, text: &Chunk) {
        self.append_entry(me, &json!({"entry": "prompt", "steered": true, "launch": launch, "content": [text]})).await;
        self.flush(true).await;
    }

    /// Changes the session's title, model, mode, or effort.
    pub(crate) async fn change(
        &mut self,
        title: Option<String>,
        model: Option<String>,
        mode: Option<String>,
        effort: Option<String>,
        caller: &Caller,
    ) -> Result<()> {
        let mut next = self.record.clone();
        let mut facts = (*next.facts).clone();
        facts.choose("model", model.as_deref());
        facts.choose("mode", mode.as_deref());
        facts.choose("thought_level", effort.as_deref());
        if title.is_some() {
            next.naming = Naming::User;
        }
        (next.title, next.model) = (title.unwrap_or(next.title), model.unwrap_or(next.model));
        self.mode = mode.clone().or(self.mode.take());
        next.mode = mode.unwrap_or(next.mode);
        next.effort = effort.unwrap_or(next.effort);
        (next.facts, next.changed_ms) = (Arc::new(facts), self.common.ctx.now_ms());
        let extra = ExtraWrites { by: Some((caller.clone(), "change")), ..ExtraWrites::default() };
        self.write(&next, &[], extra, next.changed_ms).await?;
        (self.stored_facts, self.record) = (next.facts.clone(), next);
        self.tell_changed(true);
        Ok(())
    }

    /// Asks for a title in the background, if one is due. No turn waits for it. A message that is sent again asks for none.
    fn ask_for_title(&mut self, me: &Shared) {
        let turns = Some(self.record.sums.turns);
        if self.titled_at == turns {
            return;
        }
        let Some(request) = titles::due(&self.common.ctx, &self.key, &self.record) else { return };
        self.titled_at = turns;
        let (me, ctx) = (me.clone(), self.common.ctx.clone());
        tokio::spawn(async move {
            let Some(title) = request.ask(&ctx).await else { return };
            if let Err(why) = me.lock().await.title_by_model(title).await {
                tracing::warn!("couldn't save a session's title: {why}");
            }
        });
    }

    /// Takes a title that a model wrote, unless a user named the session since then.
    pub(crate) async fn title_by_model(&mut self, title: String) -> Result<()> {
        if self.record.naming == Naming::User || self.record.title == title {
            return Ok(());
        }
        let mut next = self.record.clone();
        (next.title, next.naming) = (self.given_env.hide_in(title), Naming::Model);
        self.write(&next, &[], ExtraWrites::default(), self.common.ctx.now_ms()).await?;
        self.record = next;
        self.tell_changed(true);
        Ok(())
    }

    /// Handles an event of the newest launch. Returns what the state machine needs of it, if anything.
    async fn on_event(&mut self, me: &Shared, launch: u32, event: Event) -> Option<(EngineEvent, ExtraWrites)> {
        if launch != self.record.life.launch {
            return None;
        }
        let event = named(launch, event);
        let (before, titled) = (self.record.facts.clone(), self.record.title.clone());
        if self.update_facts(&event) {
            // Lists show the progress of a session's plan.
            self.tell_changed(before.plan != self.record.facts.plan);
        }
        if titled != self.record.title {
            self.save_report("title").await;
            self.tell_changed(true);
        }
        if !matches!(event, Event::Exited { .. }) || self.record.life.has_process {
            let shown = self.outputs.shorten(&event, |text| self.given_env.hide_in(text));
            self.append_entry(me, &json!({"entry": "engine", "told": shown})).await;
        }
        self.watch_commands(me, &event).await;
        self.note_context(me, &event).await;
        if let Some(mode) = modes::reported(&event) {
            self.hold_mode(me, mode).await;
        }
        if let Event::Used { usage } = &event
            && let Some(cost) = &usage.cost
        {
            self.common.count_cost(&self.key, &self.record, cost).await;
        }
        if let Event::Permission { request } = &event {
            return Some(self.permission(me, request).await);
        }
        if let Event::Tool { tool, state: ToolState::Completed | ToolState::Failed, output } = &event
            && self.common.breaks_loops(&self.key.account)
            && let Some(what) = self.breaker.observe(tool, output)
        {
            let _ = self.apply(me, Input::LoopFound { what }, ExtraWrites::default()).await;
        }
        let is_end = matches!(event, Event::TurnEnded { .. });
        let is_question = is_end && self.common.detects_questions(&self.key.account) && question::asks(&self.reply);
        let sums = self.record.sums;
        let is_full = context::is_full(sums.used_tokens.unsigned_abs(), sums.size_tokens.unsigned_abs());
        let engine_event = EngineEvent::from_event(&event, is_question, is_full);
        let extra = match &event {
            Event::Asked { question } => {
                self.questions.insert(question.id.clone());
                let request = records::json(question);
                ExtraWrites {
                    ask: Some(self.ask(&question.id, "question", request, String::new(), None)),
                    ..ExtraWrites::default()
                }
            }
            Event::TurnEnded { .. } => {
                let reply = messages::end_of_reply(&self.reply);
                ExtraWrites { reply: self.given_env.hide_in(reply), ..ExtraWrites::default() }
            }
            _ => ExtraWrites::default(),
        };
        if matches!(event, Event::TurnEnded { .. } | Event::Exited { .. }) {
            self.requests.clear();
            self.held.clear();
            self.openings.clear();
            self.tickets.end_turn();
            if matches!(event, Event::Exited { .. }) {
                self.conn = None;
            }
        }
        Some((engine_event, extra))
    }

    /// Saves what the engine reported. If that fails, it's saved with the next step.
    async fn save_report(&mut self, what: &str) {
        let now_ms = self.common.ctx.now_ms();
        match self.write(&self.record, &[], ExtraWrites::default(), now_ms).await {
            Ok(()) => self.stored_facts = self.record.facts.clone(),
            Err(why) => tracing::warn!("couldn't save a session's {what}: {why}"),
        }
    }

    /// Updates the session's record from an event. Returns whether it changed.
    fn update_facts(&mut self, event: &Event) -> bool {
        let sums = self.record.sums;
        let facts = self.record.facts.with(event);
        let is_new = facts.is_some();
        if let Some(facts) = facts {
            self.record.facts = Arc::new(facts);
        }
        match event {
            Event::Said { chunk: Chunk::Text { text }, .. } => {
                self.reply.push_str(text);
                if self.reply.len() > 2 * REPLY_BYTES {
                    let from = self.reply.ceil_char_boundary(self.reply.len() - REPLY_BYTES);
                    self.reply.drain(..from);
                }
            }
            Event::Used { usage } => {
                let tokens = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
                (self.record.sums.used_tokens, self.record.sums.size_tokens) = (tokens(usage.used), tokens(usage.size));
                if let Some(cost) = usage.cost.as_ref().filter(|cost| cost.currency == "USD" && cost.amount.is_finite())
                {
                    self.record.sums.cost_usd = Some(cost.amount);
                }
            }
            // A name of the engine's is better than the start of a message, and never as good as one of a person.
            Event::Titled { title } if self.record.naming == Naming::Message && !title.trim().is_empty() => {
                self.record.title = messages::title_of(&self.given_env.hide_in(title.clone()));
            }
            Event::TurnEnded { .. } => self.record.sums.turns += 1,
            _ => {}
        }
        is_new || sums != self.record.sums
    }

    /// Notifies pages that the record changed, and lists if they show the changed part.
    fn tell_changed(&self, is_listed: bool) {
        self.live.changed(Some(LiveStats { sums: self.record.sums, facts: self.record.facts.clone() }));
        if is_listed {
            self.common.listeners.tell_listed(&self.key, self.record.parent_id.as_deref());
            self.common.listeners.tell_parent(&self.key.account, self.record.parent_id.as_deref());
        }
    }

    /// Loads the number of the last written entry. If that fails, the next call retries.
    async fn load_written(&mut self) {
        if self.written.is_none() {
            self.written = self.common.transcripts.last(&self.key).await.ok();
        }
    }

    /// The number of the newest entry, written or waiting.
    fn last_entry(&self) -> i64 {
        self.written.map_or(self.record.last_entry, |written| written + self.pending.len() as i64)
    }

    /// Records in the transcript what the hook denied.
    pub(crate) async fn append_refused(&mut self, me: &Shared, tool: &ToolUse, why: &str) {
        let what = tool.command.as_deref().unwrap_or(&tool.title);
        self.append_entry(
            me,
            &json!({"entry": "hook", "verdict": "refused", "tool": tool.name, "what": what, "why": why}),
        )
        .await;
    }

    /// Records in the transcript what the hook allowed by a rule.
    pub(crate) async fn append_allowed(&mut self, me: &Shared, tool: &ToolUse, why: &str, rule: &str) {
        let what = tool.command.as_deref().unwrap_or(&tool.title);
        let entry = json!({
            "entry": "hook", "verdict": "allowed", "tool": tool.name, "what": what, "why": why, "rule": rule,
        });
        self.append_entry(me, &entry).await;
    }

    /// Records in the transcript whether the session is sandboxed; and in the log if it isn't.
    async fn append_sandbox_entry(&mut self, me: &Shared, spec: &SessionSpec) {
        let entry = match &self.common.host.sandbox {
            _ if spec.denied.is_empty() => json!({"entry": "wall", "wall": "open", "why": messages::NOT_SANDBOXED}),
            Ok(()) => {
                let signals = if engines::sandbox::refuses_signals() { "" } else { messages::SIGNALS_PASS };
                json!({"entry": "wall", "wall": "up", "why": format!("{}{signals}", messages::SANDBOXED)})
            }
            Err(why) => {
                tracing::warn!("a session isn't sandboxed: {why}");
                json!({"entry": "wall", "wall": "none", "why": messages::no_sandbox(why)})
            }
        };
        self.append_entry(me, &entry).await;
    }

    /// Adds an entry to the transcript, which is written within [`FLUSH_WITHIN`].
    pub(crate) async fn append_entry(&mut self, me: &Shared, entry: &Value) {
        let line = self.tickets.restore(self.given_env.hide(messages::cut(entry)));
        self.load_written().await;
        match self.written {
            Some(written) => {
                let number = written + self.pending.len() as i64 + 1;
                self.live.entry(number, self.common.ctx.now_ms(), &line);
            }
            None => self.live.reset(),
        }
        self.pending.push(line);
        if self.pending.len().is_multiple_of(PENDING_MAX) {
            return self.flush(false).await;
        }
        if !std::mem::replace(&mut self.is_flush_due, true) {
            let (me, sleep) = (Arc::downgrade(me), self.common.host.world.sleep.clone());
            tokio::spawn(async move {
                sleep.sleep(FLUSH_WITHIN).await;
                if let Some(me) = me.upgrade() {
                    let mut driver = me.lock().await;
                    driver.is_flush_due = false;
                    driver.flush(false).await;
                }
            });
        }
    }

    /// Writes the waiting entries. If that fails, they keep waiting, up to a limit.
    pub(crate) async fn flush(&mut self, synced: bool) {
        if self.pending.is_empty() {
            return;
        }
        // A separate task: entries are written even if the caller disconnects.
        let bodies = self.pending.clone();
        let now_ms = self.common.ctx.now_ms();
        let count = bodies.len();
        let appended = self.common.transcripts.append(&self.key, now_ms, bodies, synced).await;
        if let Err(why) = appended {
            tracing::warn!("couldn't write transcript entries, retrying: {why}");
            if count > PENDING_KEPT_MAX {
                let lost = count - PENDING_KEPT_MAX / 2;
                self.pending.drain(..lost);
                self.pending.insert(0, json!({"entry": "lost", "count": lost}).to_string());
                self.live.reset();
            }
            return;
        }
        let before = appended.map_or(0, |first| first - 1);
        if self.written.replace(before + count as i64) != Some(before) {
            self.live.reset();
        }
        self.pending.drain(..count);
        self.common.search.grew(&self.key);
    }
}

/// The changes of a step that listeners are notified of.
struct ChangeFlags {
    /// The state, or its reason.
    is_state: bool,
    /// Data shown in lists.
    is_listed: bool,
}

fn before_and_after(before: &SessionRecord, after: &SessionRecord) -> ChangeFlags {
    let (old, new) = (&before.life, &after.life);
    let is_state = old.state != new.state || old.evidence.why != new.evidence.why;
    let is_listed = is_state
        || before.title != after.title
        || old.need != new.need
        || old.open.len() != new.open.len()
        || old.waiting != new.waiting;
    ChangeFlags { is_state, is_listed }
}

/// The id of a request, with its launch's number: each connection counts its requests from the beginning.
fn named(launch: u32, event: Event) -> Event {
    let name = |id: String| format!("{launch}-{id}");
    match event {
        Event::Permission { request } => {
            let id = name(request.id);
            Event::Permission { request: PermissionRequest { id, ..request } }
        }
        Event::Asked { question } => {
            let id = name(question.id);
            Event::Asked { question: Question { id, ..question } }
        }
        Event::Withdrawn { id } => Event::Withdrawn { id: name(id) },
        event => event,
    }
}

/// The connection's own id of a request.
fn own_name(id: &str) -> &str {
    id.split_once('-').map_or(id, |(_, own)| own)
}
