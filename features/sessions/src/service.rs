//! All sessions of the program: those at work, the queue of starts, and the settings that decide.
//!
//! Invariant: whether a session may start is decided under one lock together with writing it down, so that however many ask at
//! once, no more start than may.

use crate::driver::{Driver, ExtraWrites, Shared};
use crate::engine_host::EngineHost;
use crate::errors;
#[cfg(unix)]
use crate::hook::{Asked, Door};
use crate::judge::Judge;
use crate::live::Live;
use crate::records::{self, SessionRecord};
use crate::search::Search;
use crate::settings::*;
use crate::transcript::{SessionKey, Transcripts};
use engines::engine::Practice;
use engines::port::{Hook, McpServer, McpVia, SESSION_MARK};
use engines::probe::{Login, NotReady, Probed};
use engines::{Chunk, Engine, SessionSpec};
use events::HasEvents;
use futures_util::future::join_all;
use kit::error::Result;
use kit::ids::short_id;
use kit::lookup::{AGENT_SESSIONS, Served, SessionTokens};
use kit::{Caller, Catalogue, Ctx, DataDir};
use serde_json::json;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use store::{Change, HasDb};
use supervisor::admission::{Admission, Kind, Limits, MemoryGuard, RestartSpacing, SpawnSpacing, TooMany};
use supervisor::policy::{Level, PolicyRules};
use supervisor::sensitive::{Platform, SessionPaths};
use supervisor::spawn::SpawnRules;
use supervisor::state::{Effect, Input, PromptSource, Recovery, StepContext, step};

/// The program's sessions.
pub(crate) struct Sessions {
    pub(crate) ctx: Ctx,
    pub(crate) host: EngineHost,
    pub(crate) transcripts: Transcripts,
    pub(crate) search: Arc<Search>,
    own: PathBuf,
    /// Where hooks are heard.
    #[cfg(unix)]
    hooks: PathBuf,
    at_work: Mutex<HashMap<SessionKey, Shared>>,
    lives: Mutex<HashMap<SessionKey, Weak<Live>>>,
    /// When sessions of an account changed last as lists show them, in milliseconds; rises with each change.
    changes: Mutex<HashMap<Arc<str>, i64>>,
    /// What was found of engines, and when.
    found: Mutex<HashMap<String, (i64, Probed)>>,
    queues: tokio::sync::Mutex<HashMap<Arc<str>, Admission>>,
    is_closing: AtomicBool,
}

/// The file that says that the program ended in order; without it the sessions at work were cut off.
const ENDED_IN_ORDER: &str = "ended-in-order";

/// How long what was found of an engine holds.
const FOUND_FOR_MS: i64 = 60_000;

/// How long a request waits for engines to be looked for.
const LOOK_WITHIN: Duration = Duration::from_secs(5);

/// What our own tools are called in a session.
pub(crate) const OWN_TOOLS: &str = "pilothouse";

/// A session that is to be made.
pub(crate) struct New {
    pub(crate) record: SessionRecord,
    pub(crate) prompt: Vec<Chunk>,
    /// Who makes it.
    pub(crate) by: Caller,
    pub(crate) is_manual: bool,
}

impl Sessions {
    pub(crate) fn new(ctx: Ctx, host: EngineHost, transcripts: Transcripts) -> Sessions {
        let data = ctx.service::<DataDir>().0.clone();
        Sessions {
            search: Arc::new(Search::new(&data)),
            own: data.join("sessions"),
            #[cfg(unix)]
            hooks: data.join("hooks"),
            ctx,
            host,
            transcripts,
            at_work: Mutex::default(),
            lives: Mutex::default(),
            changes: Mutex::default(),
            found: Mutex::default(),
            queues: tokio::sync::Mutex::default(),
            is_closing: AtomicBool::new(false),
        }
    }

    /// The driver of a session, which is loaded where it is not at work; not found where the account has no such session.
    pub(crate) async fn driver(self: &Arc<Self>, key: &SessionKey) -> Result<Shared> {
        if let Some(driver) = self.at_work.lock().expect("no panic while held").get(key) {
            return Ok(driver.clone());
        }
        let (account, id) = (key.account.clone(), key.session.clone());
        let record = self.ctx.db().read(move |tx| records::one(tx, &account, &id)).await?;
        let mut at_work = self.at_work.lock().expect("no panic while held");
        // Another one may have loaded it meanwhile: there is never more than one.
        let make = || Arc::new(tokio::sync::Mutex::new(Driver::new(key.clone(), record, self.clone())));
        Ok(at_work.entry(key.clone()).or_insert_with(make).clone())
    }

    /// What is heard of a session, for its driver and for who listens.
    pub(crate) fn live(&self, key: &SessionKey) -> Arc<Live> {
        let mut lives = self.lives.lock().expect("no panic while held");
        if let Some(live) = lives.get(key).and_then(Weak::upgrade) {
            return live;
        }
        lives.retain(|_, live| live.strong_count() > 0);
        let live = Arc::new(Live::new());
        lives.insert(key.clone(), Arc::downgrade(&live));
        live
    }

    /// What is heard of a session, where it is at work or anybody listens.
    pub(crate) fn live_now(&self, key: &SessionKey) -> Option<Arc<Live>> {
        self.lives.lock().expect("no panic while held").get(key).and_then(Weak::upgrade)
    }

    /// A session as it was read, with what is known of it since then.
    pub(crate) fn with_stats(&self, account: &Arc<str>, mut record: SessionRecord) -> SessionRecord {
        let key = SessionKey { account: account.clone(), session: record.id.as_str().into() };
        if let Some(live) = self.live_now(&key) {
            record.last_entry = record.last_entry.max(live.last());
            if let Some(stats) = live.stats() {
                (record.sums, record.facts) = (stats.sums, stats.facts);
            }
        }
        record
    }

    /// Up to where the person looked is another entry now.
    pub(crate) async fn seen(&self, key: &SessionKey, parent: Option<String>, entry: i64) {
        let shared = self.at_work.lock().expect("no panic while held").get(key).cloned();
        if let Some(shared) = shared {
            let mut driver = shared.lock().await;
            driver.record.seen_entry = driver.record.seen_entry.max(entry);
        }
        if let Some(live) = self.live_now(key) {
            live.changed(None);
        }
        self.tell_listed(key, parent.as_deref());
    }

    /// Tells pages of the session that started one: its record says how those stand that it started.
    pub(crate) fn tell_parent(&self, account: &Arc<str>, parent: Option<&str>) {
        let live = parent.and_then(|id| self.live_now(&SessionKey { account: account.clone(), session: id.into() }));
        if let Some(live) = live {
            live.changed(None);
        }
    }

    /// Tells lists, and the board that sessions are, of a change.
    pub(crate) fn tell_listed(&self, key: &SessionKey, parent: Option<&str>) {
        let now_ms = self.ctx.now_ms();
        let revision = {
            let mut changes = self.changes.lock().expect("no panic while held");
            let last = changes.entry(key.account.clone()).or_default();
            *last = now_ms.max(*last + 1);
            *last
        };
        let bus = self.ctx.events();
        let about = || events::AboutSession { id: key.session.clone(), parent: parent.map(Arc::from) };
        let changed = events::Event::SessionChanged { session_id: key.session.to_string() };
        bus.emit_about(&key.account, about(), changed);
        let board_id = AGENT_SESSIONS.to_owned();
        bus.emit_about(&key.account, about(), events::Event::BoardChanged { board_id, revision });
    }

    /// When sessions of an account changed last since the program started; 0 where none did.
    pub(crate) fn changed_ms(&self, account: &str) -> i64 {
        self.changes.lock().expect("no panic while held").get(account).copied().unwrap_or_default()
    }

    /// What is known of an engine, and when it was looked for. Where that is long ago it is looked for again, which is not waited for.
    pub(crate) fn found(self: &Arc<Self>, engine: &Arc<dyn Engine>) -> Option<(i64, Probed)> {
        let known = self.known(engine);
        if !known.as_ref().is_some_and(|known| self.is_fresh(known)) {
            let (sessions, engine) = (self.clone(), engine.clone());
            tokio::spawn(async move { sessions.look_for(engine).await });
        }
        known
    }

    fn known(&self, engine: &Arc<dyn Engine>) -> Option<(i64, Probed)> {
        self.found.lock().expect("no panic while held").get(engine.id()).cloned()
    }

    fn is_fresh(&self, (at_ms, _): &(i64, Probed)) -> bool {
        (0..FOUND_FOR_MS).contains(&(self.ctx.now_ms() - at_ms))
    }

    /// Waits until every engine was looked for once, up to [`LOOK_WITHIN`].
    pub(crate) async fn all_looked_for(self: &Arc<Self>) {
        let unknown = self.host.engines().into_iter().filter(|engine| self.known(engine).is_none());
        let looking = join_all(unknown.map(|engine| self.look_for(engine)));
        tokio::select! {
            biased;
            _ = looking => {}
            () = self.host.world.sleep.sleep(LOOK_WITHIN) => {}
        }
    }

    /// Refuses a start with an engine that isn't installed, or where it is known that nobody is logged in. It is looked for again
    /// first where that was found before: it may have been installed since. One that can't be looked for in time is let start.
    pub(crate) async fn expect_ready(self: &Arc<Self>, engine: &Arc<dyn Engine>) -> Result<()> {
        let known = self.known(engine).filter(|known| self.is_fresh(known));
        if known.is_some_and(|(_, probed)| probed.not_ready(&**engine).is_none()) {
            return Ok(());
        }
        let (_, probed) = tokio::select! {
            biased;
            found = self.look_for(engine.clone()) => found?,
            () = self.host.world.sleep.sleep(LOOK_WITHIN) => return Ok(()),
        };
        match probed.not_ready(&**engine) {
            None => Ok(()),
            Some(NotReady::NotInstalled(why)) => Err(errors::ENGINE_NOT_INSTALLED.error(why)),
            Some(NotReady::NotLoggedIn(why)) => Err(errors::ENGINE_NOT_LOGGED_IN.error(why)),
        }
    }

    /// The engine of a session that names none: the first one that can be started and where nobody is known to be missing a login. The
    /// practice agent is the last one, and always there. What was never looked for is looked for first.
    pub(crate) async fn default_engine(self: &Arc<Self>) -> Result<String> {
        for engine in self.host.engines() {
            let is_known = self.found.lock().expect("no panic while held").contains_key(engine.id());
            let found = match is_known {
                true => self.found(&engine),
                false => Some(self.look_for(engine.clone()).await?),
            };
            if found.is_some_and(|(_, probed)| is_usable(&probed)) {
                return Ok(engine.id().to_owned());
            }
        }
        Ok(Practice.id().to_owned())
    }

    /// The same as far as it is known now; `None` while an engine before the first usable one was not looked for.
    pub(crate) fn default_engine_now(self: &Arc<Self>) -> Option<String> {
        for engine in self.host.engines() {
            let (_, probed) = self.found(&engine)?;
            if is_usable(&probed) {
                return Some(engine.id().to_owned());
            }
        }
        None
    }

    /// Looks for an engine now, apart from the threads that answer requests.
    pub(crate) async fn look_for(self: &Arc<Self>, engine: Arc<dyn Engine>) -> Result<(i64, Probed)> {
        let (sessions, runtime) = (self.clone(), tokio::runtime::Handle::current());
        let looking = tokio::task::spawn_blocking(move || {
            let found = (sessions.ctx.now_ms(), runtime.block_on(sessions.host.find(&*engine)));
            sessions.found.lock().expect("no panic while held").insert(engine.id().to_owned(), found.clone());
            found
        });
        looking.await.map_err(|why| kit::error::INTERNAL.error("Couldn't check the engine.").caused_by(why))
    }

    /// Has what waits to be written of a session's transcript written; also where who wants it goes away.
    pub(crate) async fn flush(&self, key: &SessionKey) {
        let shared = self.at_work.lock().expect("no panic while held").get(key).cloned();
        if let Some(shared) = shared {
            let _ = tokio::spawn(async move { shared.lock().await.flush(false).await }).await;
        }
    }

    /// Takes something in for a session.
    pub(crate) async fn apply(self: &Arc<Self>, key: &SessionKey, input: Input) -> Result<SessionRecord> {
        self.apply_with(key, input, ExtraWrites::default()).await
    }

    /// Takes in what somebody does to a session, which is recorded under that name.
    pub(crate) async fn apply_by(
        self: &Arc<Self>,
        key: &SessionKey,
        input: Input,
        caller: &Caller,
        what: &'static str,
    ) -> Result<SessionRecord> {
        self.apply_with(key, input, ExtraWrites { by: Some((caller.clone(), what)), ..ExtraWrites::default() }).await
    }

    async fn apply_with(self: &Arc<Self>, key: &SessionKey, input: Input, extra: ExtraWrites) -> Result<SessionRecord> {
        let shared = self.driver(key).await?;
        let mut driver = shared.lock().await;
        driver.apply(&shared, input, extra).await?;
        Ok(driver.record.clone())
    }

    /// Hands a session a prompt.
    pub(crate) async fn prompt(
        self: &Arc<Self>,
        key: &SessionKey,
        content: Vec<Chunk>,
        by: PromptSource,
        caller: &Caller,
    ) -> Result<SessionRecord> {
        let shared = self.driver(key).await?;
        let mut driver = shared.lock().await;
        let id = driver.next_prompt();
        let prompt = Some((content, caller.kind.name(), caller.session.as_deref().map(str::to_owned)));
        let is_of_person = by == PromptSource::Person;
        let extra =
            ExtraWrites { prompt, by: Some((caller.clone(), "prompt")), is_of_person, ..ExtraWrites::default() };
        driver.apply(&shared, Input::Prompt { id, by }, extra).await?;
        Ok(driver.record.clone())
    }

    /// Makes a session and puts it into the queue, or refuses it as one too many.
    pub(crate) async fn create(
        self: &Arc<Self>,
        account: &str,
        mut new: New,
    ) -> Result<Result<SessionRecord, TooMany>> {
        let now_ms = self.ctx.now_ms();
        let limits = self.limits(account);
        let key = SessionKey { account: account.into(), session: new.record.id.as_str().into() };
        // Held until it is written down: nobody is let start in between.
        let mut queues = self.queues.lock().await;
        let queue = queues.entry(key.account.clone()).or_default();
        let moment = StepContext { now: now_ms, jitter: 0.0 };
        let by = if new.is_manual { PromptSource::Person } else { PromptSource::Other };
        let applied = step(&new.record.life, &Input::Prompt { id: 1, by }, &moment, &self.recovery(account));
        let applied = applied.map_err(|ignored| kit::error::CONFLICT.error(ignored.why))?;
        new.record.life = applied.session;
        for effect in applied.effects {
            if let Effect::Enqueue { kind } = effect
                && let Err(too_many) = queue.submit(&key.session, kind, new.record.counted, now_ms, &limits)
            {
                return Ok(Err(too_many));
            }
        }
        let New { record, prompt, by, .. } = new;
        let (id, owner, parent) = (record.id.clone(), account.to_owned(), record.parent_id.clone());
        let write = move |tx: &mut store::Tx<'_>| {
            records::insert(tx, &owner, &record)?;
            let actor = (by.kind.name(), by.session.as_deref());
            records::insert_prompt(tx, (&owner, &record.id), 1, now_ms, actor, &prompt)?;
            let after = json!({"title": record.title, "engine": record.engine, "cwd": record.cwd});
            let change =
                Change { subject: "session", subject_id: &record.id, field: "", before: None, after: Some(&after) };
            tx.record(&by, now_ms, change).map(drop)
        };
        if let Err(why) = self.ctx.db().write(write).await {
            queue.withdraw(&key.session);
            return Err(why);
        }
        drop(queues);
        self.tell_listed(&key, parent.as_deref());
        self.tell_parent(&key.account, parent.as_deref());
        self.decide(&key.account).await;
        let account = account.to_owned();
        self.ctx.db().read(move |tx| records::one(tx, &account, &id)).await.map(Ok)
    }

    /// Starts what may start now in an account.
    pub(crate) async fn decide(self: &Arc<Self>, account: &Arc<str>) {
        let limits = self.limits(account);
        let decision = match self.queues.lock().await.get_mut(account) {
            Some(queue) => queue.decide(self.ctx.now_ms(), (self.host.memory)(), &limits),
            None => return,
        };
        for session in decision.admitted {
            let key = SessionKey { account: account.clone(), session };
            match Box::pin(self.apply(&key, Input::Admitted)).await {
                Ok(_) => {}
                // One that was stopped meanwhile is let start no more, which it says itself.
                Err(why) if why.is(&kit::error::CONFLICT) => {
                    tracing::debug!("couldn't start a queued session: {why}")
                }
                Err(why) => {
                    tracing::warn!("couldn't save a starting session, queuing it again: {why}");
                    let mut queues = self.queues.lock().await;
                    let queue = queues.entry(key.account.clone()).or_default();
                    let _ = queue.submit(&key.session, Kind::Return, false, self.ctx.now_ms(), &limits);
                }
            }
        }
        // Those that start are not held up by telling the others why they wait.
        let news = match self.queues.lock().await.get_mut(account) {
            Some(queue) => queue.news(),
            None => Vec::new(),
        };
        for (session, why) in news {
            let key = SessionKey { account: account.clone(), session };
            // One that waits no longer needs no reason.
            if let Err(why) = Box::pin(self.apply(&key, Input::Held { why })).await {
                tracing::debug!("a session that should wait isn't queued: {why}");
            }
        }
    }

    /// When the account's sessions that wait for their turn alone may start, as the settings are now; milliseconds since 1970.
    pub(crate) async fn due(&self, account: &str) -> HashMap<Arc<str>, i64> {
        let limits = self.limits(account);
        match self.queues.lock().await.get(account) {
            Some(queue) => queue.due(self.ctx.now_ms(), &limits).into_iter().collect(),
            None => HashMap::new(),
        }
    }

    /// Refuses another agent-driven session while the limit is reached. [`Sessions::create`] has the final check.
    pub(crate) async fn may_drive(&self, account: &str) -> Result<(), TooMany> {
        self.queues.lock().await.entry(account.into()).or_default().may_drive(&self.limits(account))
    }

    /// Puts a session into the queue; what may start is started apart from this.
    pub(crate) async fn enqueue(self: &Arc<Self>, key: &SessionKey, kind: Kind, is_counted: bool) {
        let limits = self.limits(&key.account);
        let mut queues = self.queues.lock().await;
        let queue = queues.entry(key.account.clone()).or_default();
        // One that comes back waits for a place; a new one was counted when it was made.
        if let Err(TooMany { active, .. }) = queue.submit(&key.session, kind, is_counted, self.ctx.now_ms(), &limits) {
            tracing::warn!("{active} agent-driven sessions are active; not starting another");
        }
        self.decide_soon(&key.account);
    }

    pub(crate) async fn dequeue(&self, key: &SessionKey) {
        if let Some(queue) = self.queues.lock().await.get_mut(&key.account) {
            queue.withdraw(&key.session);
        }
    }

    /// A session is active no longer, so another one may start.
    pub(crate) async fn ended(self: &Arc<Self>, key: &SessionKey) {
        if let Some(queue) = self.queues.lock().await.get_mut(&key.account) {
            queue.ended(&key.session);
        }
        self.decide_soon(&key.account);
    }

    fn decide_soon(self: &Arc<Self>, account: &Arc<str>) {
        let (sessions, account) = (self.clone(), account.clone());
        tokio::spawn(async move { sessions.decide(&account).await });
    }

    /// Time passes: looks at every session at work and at every queue, and lets go of what rests.
    pub(crate) async fn tick(self: &Arc<Self>) {
        let at_work: Vec<(SessionKey, Shared)> = {
            let mut at_work = self.at_work.lock().expect("no panic while held");
            let rests =
                |driver: &Shared| Arc::strong_count(driver) == 1 && driver.try_lock().is_ok_and(|one| !one.is_busy());
            at_work.retain(|_, driver| !rests(driver));
            at_work.iter().map(|(key, driver)| (key.clone(), driver.clone())).collect()
        };
        for (_, shared) in at_work {
            // One that is just at something looks at the time when it is done.
            let Ok(mut driver) = shared.try_lock() else { continue };
            if let Err(why) = driver.apply(&shared, Input::Tick, ExtraWrites::default()).await {
                tracing::debug!("couldn't process a timer: {why}");
            }
            driver.flush(false).await;
        }
        let accounts: Vec<Arc<str>> = self.queues.lock().await.keys().cloned().collect();
        for account in accounts {
            self.decide(&account).await;
        }
    }

    /// Brings back what was at work when the program ended.
    pub(crate) async fn come_back(self: &Arc<Self>) -> Result<()> {
        // Gone at once: a program that crashes later did not end in order.
        let crashed = std::fs::remove_file(self.own.join(ENDED_IN_ORDER)).is_err();
        #[cfg(unix)]
        let _ = std::fs::remove_dir_all(&self.hooks);
        for (account, session) in self.ctx.db().read(records::active).await? {
            let key = SessionKey { account: account.into(), session: session.into() };
            if crashed {
                let (end, session) = (self.host.end_left_behind.clone(), key.session.clone());
                let ending = tokio::task::spawn_blocking(move || end(&session));
                self.driver(&key).await?.lock().await.wait_for(ending);
            }
            if let Err(why) = self.apply(&key, Input::Started { crashed }).await {
                tracing::debug!("couldn't recover a session: {why}");
            }
        }
        Ok(())
    }

    /// Hands a session's processes what they need to reach this program: its address, a token of the session's own, and its tools.
    pub(crate) async fn connect(&self, key: &SessionKey, reads_only: bool, spec: &mut SessionSpec) {
        let services = self.ctx.find_service::<Served>().zip(self.ctx.find_service::<SessionTokens>());
        let Some((served, tokens)) = services else { return };
        let address = (served.0)().await;
        let catalogue = self.ctx.service::<Catalogue>();
        let given = catalogue.scopes.iter().filter(|scope| !reads_only || scope.ends_with(":read"));
        let token = tokens.0.give(&key.account, &key.session, given.map(|scope| (*scope).to_owned()).collect());
        spec.env.insert("APP_BASE_URL".into(), address.to_string());
        spec.env.insert("APP_CLI_TOKEN".into(), token);
        let command = self.host.practice.program.clone();
        // An engine starts its tools without the variables that it got itself.
        let mut env = spec.env.clone();
        env.insert(SESSION_MARK.into(), key.session.to_string());
        let via = McpVia::Stdio { command, args: vec!["mcp".into()], env };
        spec.mcp.push(McpServer { name: OWN_TOOLS.into(), via });
    }

    /// Opens a door for the hook of an engine that has one, until it is dropped; an engine without its hook is not to start.
    #[cfg(unix)]
    pub(crate) fn hook(
        &self,
        me: &Shared,
        judge: Arc<Judge>,
        engine: &Arc<dyn Engine>,
        launch: u32,
        spec: &mut SessionSpec,
    ) -> std::result::Result<Option<Door>, String> {
        if engine.traits().hook == Hook::None {
            return Ok(None);
        }
        let asked = Asked { me: Arc::downgrade(me), judge, engine: engine.clone(), launch };
        let door = Door::open(&self.hooks, asked).map_err(|why| format!("Couldn't open the hook's socket: {why}."))?;
        let program = self.host.practice.program.to_string_lossy().into_owned();
        spec.hook = Some(std::iter::once(program).chain(door.args()).collect());
        spec.open.push(door.folder().to_owned());
        Ok(Some(door))
    }

    /// There is no hook on this system yet.
    #[cfg(not(unix))]
    pub(crate) fn hook(
        &self,
        _: &Shared,
        _: Arc<Judge>,
        _: &Arc<dyn Engine>,
        _: u32,
        _: &mut SessionSpec,
    ) -> std::result::Result<Option<()>, String> {
        Ok(None)
    }

    /// Ends the token of a session whose processes are gone.
    pub(crate) fn disconnect(&self, key: &SessionKey) {
        if let Some(tokens) = self.ctx.find_service::<SessionTokens>() {
            tokens.0.end(&key.account, &key.session);
        }
    }

    /// Whether the program is ending: nothing is started any more.
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::SeqCst)
    }

    /// The program ends: every engine is ended; each session is remembered as it was.
    pub(crate) async fn close(self: &Arc<Self>) {
        self.is_closing.store(true, Ordering::SeqCst);
        let at_work: Vec<Shared> = self.at_work.lock().expect("no panic while held").values().cloned().collect();
        for shared in &at_work {
            let mut driver = shared.lock().await;
            let _ = driver.apply(shared, Input::Closing, ExtraWrites::default()).await;
            driver.flush(true).await;
        }
        for shared in at_work {
            let ending = shared.lock().await.ending();
            if let Some(ending) = ending {
                let _ = ending.await;
            }
        }
        let note = std::fs::create_dir_all(&self.own)
            .and_then(|()| platform::write_private(&self.own.join(ENDED_IN_ORDER), b""));
        if let Err(why) = note {
            tracing::warn!("couldn't record the clean shutdown: {why}");
        }
    }

    /// How many sessions are in memory.
    #[cfg(test)]
    pub(crate) fn at_work(&self) -> usize {
        self.at_work.lock().expect("no panic while held").len()
    }

    /// Is done when no session is just at something.
    #[cfg(test)]
    pub(crate) async fn at_rest(&self) {
        let at_work: Vec<Shared> = self.at_work.lock().expect("no panic while held").values().cloned().collect();
        for shared in at_work {
            drop(shared.lock().await);
        }
    }

    // What decides.

    pub(crate) fn recovery(&self, account: &str) -> Recovery {
        let ctx = &self.ctx;
        Recovery {
            auto_restart_unresponsive_sessions: ctx.setting(account, &autoRestartUnresponsiveSessions),
            auto_resume_on_crash: ctx.setting(account, &autoResumeOnCrash),
            relentless_session_relaunch: ctx.setting(account, &relentlessSessionRelaunch),
            context_stall_auto_recover_enabled: ctx.setting(account, &contextStallAutoRecoverEnabled),
            read_loop_breaker_enabled: ctx.setting(account, &readLoopBreakerEnabled),
        }
    }

    pub(crate) fn limits(&self, account: &str) -> Limits {
        let ctx = &self.ctx;
        Limits {
            spawn: SpawnSpacing { cli_spawn_spacing_seconds: ctx.setting(account, &cliSpawnSpacingSeconds) },
            restart: RestartSpacing {
                session_restart_spacing_seconds: ctx.setting(account, &sessionRestartSpacingSeconds),
                session_restart_spacing_after_warmup_seconds: ctx
                    .setting(account, &sessionRestartSpacingAfterWarmupSeconds),
                session_restart_spacing_warmup_minutes: ctx.setting(account, &sessionRestartSpacingWarmupMinutes),
            },
            memory: MemoryGuard {
                session_memory_guard_enabled: ctx.setting(account, &sessionMemoryGuardEnabled),
                session_memory_guard_percent: ctx.setting(account, &sessionMemoryGuardPercent),
            },
            agent_driven_max_concurrent: ctx.setting(account, &agentDrivenMaxConcurrent),
        }
    }

    pub(crate) fn spawn_rules(&self, account: &str) -> SpawnRules {
        SpawnRules {
            allow_agent_token_spawn: self.ctx.setting(account, &allowAgentTokenSpawn),
            require_spawn_source_session: self.ctx.setting(account, &requireSpawnSourceSession),
            agent_driven_sessions_enabled: self.ctx.setting(account, &agentDrivenSessionsEnabled),
        }
    }

    pub(crate) fn policy(&self, account: &str) -> PolicyRules {
        PolicyRules {
            agent_permission_level: match self.ctx.setting(account, &agentPermissionLevel) {
                PermissionLevel::ReadOnly => Level::ReadOnly,
                PermissionLevel::Guarded => Level::Guarded,
                PermissionLevel::Autonomous => Level::Autonomous,
                PermissionLevel::Full => Level::Full,
            },
            second_engine_level: None,
            auto_approve_config_files: self.ctx.setting(account, &autoApproveConfigFiles),
            auto_approve_plans: self.ctx.setting(account, &autoApprovePlans),
        }
    }

    pub(crate) fn strict_mcp(&self, account: &str) -> bool {
        self.ctx.setting(account, &sessionStrictMcpConfig)
    }

    pub(crate) fn detects_questions(&self, account: &str) -> bool {
        self.ctx.setting(account, &autoDetectQuestions)
    }

    pub(crate) fn breaks_loops(&self, account: &str) -> bool {
        self.ctx.setting(account, &readLoopBreakerEnabled)
    }

    pub(crate) async fn is_logged_in(&self, engine: &str) -> bool {
        match self.host.engine(engine) {
            Some(engine) => self.host.find(&*engine).await.login != Login::No,
            None => false,
        }
    }

    /// Chance, for pauses that are not all alike.
    pub(crate) fn chance(&self) -> f64 {
        let digits: u64 = short_id().bytes().rev().take(6).fold(0, |sum, byte| sum * 31 + u64::from(byte));
        (digits % 1_000) as f64 / 1_000.0
    }

    /// Where a session works, for the rules of sensitive files.
    pub(crate) fn session_paths(&self, cwd: &str) -> SessionPaths {
        let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
        let platform = if cfg!(windows) {
            Platform::W
        } else if cfg!(target_os = "macos") {
            Platform::M
        } else {
            Platform::L
        };
        let data_dir = text(&self.ctx.service::<DataDir>().0);
        SessionPaths { platform, home: text(&self.host.machine.home), data_dir, project: cwd.to_owned() }
    }

    /// A folder for what a session's engine is to read.
    pub(crate) fn own_dir(&self, key: &SessionKey) -> PathBuf {
        self.own.join(&*key.account).join(&*key.session)
    }
}

/// Whether sessions of an engine can be started, as far as is known: a login that cannot be seen may be there.
fn is_usable(probed: &Probed) -> bool {
    probed.program.is_some() && probed.trouble.is_none() && probed.login != Login::No
}
