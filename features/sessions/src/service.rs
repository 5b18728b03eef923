//! All sessions of the program: their drivers, the status of engines, and starting queued sessions.
//!
//! Invariant: a session has at most one driver, owned here; drivers don't know this type.

use crate::common::Common;
use crate::driver::{Driver, ExtraWrites, Shared};
use crate::engine_host::EngineHost;
use crate::errors;
use crate::queue::DueAccounts;
use crate::records::{self, SessionRecord};
use crate::settings::*;
use crate::transcript::{SessionKey, Transcripts};
use engines::engine::Practice;
use engines::probe::{Login, NotReady, Probed};
use engines::{Chunk, Engine};
use futures_util::future::join_all;
use kit::error::Result;
use kit::{Caller, Ctx};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use store::HasDb;
use supervisor::spawn::SpawnRules;
use supervisor::state::{Input, PromptSource};

/// What was found of engines, by account and engine, and when.
type EngineStates = HashMap<(Arc<str>, String), (i64, Probed)>;

/// The program's sessions.
pub(crate) struct Sessions {
    pub(crate) common: Arc<Common>,
    at_work: Mutex<HashMap<SessionKey, Shared>>,
    /// Locked per account while starts are decided.
    deciding: Mutex<HashMap<Arc<str>, Arc<tokio::sync::Mutex<()>>>>,
    /// The status of each account's engines, and when it was checked.
    found: Mutex<EngineStates>,
}

/// The file that marks a clean shutdown. Without it, the active sessions were interrupted.
const ENDED_IN_ORDER: &str = "ended-in-order";
/// The file with the number of the database copy with which the sessions last ran.
const COPY: &str = "database-copy";

/// How long an engine's status is valid.
const FOUND_FOR_MS: i64 = 60_000;

/// How long a request waits for engines to be checked.
const LOOK_WITHIN: Duration = Duration::from_secs(5);

/// A session to create.
pub(crate) struct New {
    pub(crate) record: SessionRecord,
    pub(crate) prompt: Vec<Chunk>,
    /// The caller that creates it.
    pub(crate) by: Caller,
    pub(crate) is_manual: bool,
}

impl Sessions {
    /// Creates the service, with a task that starts queued sessions.
    pub(crate) fn begin(ctx: Ctx, host: EngineHost, transcripts: Transcripts) -> Arc<Sessions> {
        let (common, due) = Common::new(ctx, host, transcripts);
        let sessions = Arc::new(Sessions {
            common,
            at_work: Mutex::default(),
            deciding: Mutex::default(),
            found: Mutex::default(),
        });
        tokio::spawn(decide_when_due(Arc::downgrade(&sessions), due));
        sessions
    }

    /// The driver of a session, loaded if needed; not found if the account has no such session.
    pub(crate) async fn driver(self: &Arc<Self>, key: &SessionKey) -> Result<Shared> {
        if let Some(driver) = self.at_work.lock().expect("no panic while held").get(key) {
            return Ok(driver.clone());
        }
        let (account, id) = (key.account.clone(), key.session.clone());
        let record = self.common.ctx.db().read(move |tx| records::one(tx, &account, &id)).await?;
        let mut at_work = self.at_work.lock().expect("no panic while held");
        // Another task may have loaded it meanwhile; there's never more than one.
        let make = || Arc::new(tokio::sync::Mutex::new(Driver::new(key.clone(), record, self.common.clone())));
        Ok(at_work.entry(key.clone()).or_insert_with(make).clone())
    }

    /// The read position has changed.
    pub(crate) async fn seen(&self, key: &SessionKey, parent: Option<String>, entry: i64) {
        let shared = self.at_work.lock().expect("no panic while held").get(key).cloned();
        if let Some(shared) = shared {
            let mut driver = shared.lock().await;
            driver.record.seen_entry = driver.record.seen_entry.max(entry);
        }
        let listeners = &self.common.listeners;
        if let Some(live) = listeners.live_now(key) {
            live.changed(None);
        }
        listeners.tell_listed(key, parent.as_deref());
    }

    /// An engine's status, and when it was checked. If that's long ago, a new check starts in the background.
    pub(crate) fn found(self: &Arc<Self>, account: &Arc<str>, engine: &Arc<dyn Engine>) -> Option<(i64, Probed)> {
        let known = self.known(account, engine);
        if !known.as_ref().is_some_and(|known| self.is_fresh(known)) {
            self.look_for_in_background(account, engine.clone());
        }
        known
    }

    /// Checks an engine again, without waiting for it.
    pub(crate) fn look_for_in_background(self: &Arc<Self>, account: &Arc<str>, engine: Arc<dyn Engine>) {
        let (sessions, account) = (self.clone(), account.clone());
        tokio::spawn(async move { sessions.look_for(&account, engine).await });
    }

    fn known(&self, account: &Arc<str>, engine: &Arc<dyn Engine>) -> Option<(i64, Probed)> {
        let key = (account.clone(), engine.id().to_owned());
        self.found.lock().expect("no panic while held").get(&key).cloned()
    }

    fn is_fresh(&self, (at_ms, _): &(i64, Probed)) -> bool {
        (0..FOUND_FOR_MS).contains(&(self.common.ctx.now_ms() - at_ms))
    }

    /// Waits until every engine was checked once, up to [`LOOK_WITHIN`].
    pub(crate) async fn all_looked_for(self: &Arc<Self>, account: &Arc<str>) {
        let all = self.common.engines(account).into_iter();
        let unknown = all.filter(|engine| self.known(account, engine).is_none());
        let looking = join_all(unknown.map(|engine| self.look_for(account, engine)));
        tokio::select! {
            biased;
            _ = looking => {}
            () = self.common.host.world.sleep.sleep(LOOK_WITHIN) => {}
        }
    }

    /// Rejects a start with an engine that isn't installed, or that is known to have no login. In those cases, it's
    /// checked again first, since it may have been installed meanwhile. If the check takes too long, the start is
    /// allowed.
    pub(crate) async fn expect_ready(self: &Arc<Self>, account: &Arc<str>, engine: &Arc<dyn Engine>) -> Result<()> {
        let known = self.known(account, engine).filter(|known| self.is_fresh(known));
        if known.is_some_and(|(_, probed)| probed.not_ready(&**engine).is_none()) {
            return Ok(());
        }
        let (_, probed) = tokio::select! {
            biased;
            found = self.look_for(account, engine.clone()) => found?,
            () = self.common.host.world.sleep.sleep(LOOK_WITHIN) => return Ok(()),
        };
        match probed.not_ready(&**engine) {
            None => Ok(()),
            Some(NotReady::NotInstalled(why)) => Err(errors::ENGINE_NOT_INSTALLED.error(why)),
            Some(NotReady::NotLoggedIn(why)) => Err(errors::ENGINE_NOT_LOGGED_IN.error(why)),
        }
    }

    /// The default engine: the first that can start and isn't known to be logged out. The practice agent is the last,
    /// and always available. Engines that were never checked are checked first.
    pub(crate) async fn default_engine(self: &Arc<Self>, account: &Arc<str>) -> Result<String> {
        for engine in self.common.engines(account) {
            let found = match self.known(account, &engine) {
                Some(_) => self.found(account, &engine),
                None => Some(self.look_for(account, engine.clone()).await?),
            };
            if found.is_some_and(|(_, probed)| is_usable(&probed)) {
                return Ok(engine.id().to_owned());
            }
        }
        Ok(Practice.id().to_owned())
    }

    /// The same by the current status; `None` while an engine before the first usable one wasn't checked.
    pub(crate) fn default_engine_now(self: &Arc<Self>, account: &Arc<str>) -> Option<String> {
        for engine in self.common.engines(account) {
            let (_, probed) = self.found(account, &engine)?;
            if is_usable(&probed) {
                return Some(engine.id().to_owned());
            }
        }
        None
    }

    /// Checks an engine now, outside the threads that answer requests.
    pub(crate) async fn look_for(
        self: &Arc<Self>,
        account: &Arc<str>,
        engine: Arc<dyn Engine>,
    ) -> Result<(i64, Probed)> {
        let set_up = self.common.set_up(account, engine.id()).await?;
        let (sessions, runtime, account) = (self.clone(), tokio::runtime::Handle::current(), account.clone());
        let looking = tokio::task::spawn_blocking(move || {
            let found = (sessions.common.ctx.now_ms(), runtime.block_on(sessions.common.host.find(&*engine, &set_up)));
            let key = (account, engine.id().to_owned());
            sessions.found.lock().expect("no panic while held").insert(key, found.clone());
            found
        });
        looking.await.map_err(|why| kit::error::INTERNAL.error("Couldn't check the engine.").caused_by(why))
    }

    /// Writes the waiting entries of a session's transcript, even if the caller disconnects.
    pub(crate) async fn flush(&self, key: &SessionKey) {
        let shared = self.at_work.lock().expect("no panic while held").get(key).cloned();
        if let Some(shared) = shared {
            let _ = tokio::spawn(async move { shared.lock().await.flush(false).await }).await;
        }
    }

    /// Applies an input to a session.
    pub(crate) async fn apply(self: &Arc<Self>, key: &SessionKey, input: Input) -> Result<SessionRecord> {
        self.apply_with(key, input, ExtraWrites::default()).await
    }

    /// Applies an input of a caller to a session, recorded under that name.
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

    /// Sends a message to a session.
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
        let is_of_person = by == PromptSource::Person;
        let extra = ExtraWrites { by: Some((caller.clone(), "prompt")), is_of_person, ..with_prompt(content, caller) };
        driver.apply(&shared, Input::Prompt { id, by }, extra).await?;
        Ok(driver.record.clone())
    }

    /// Creates a session and puts it into the queue, or rejects it if the limit is reached.
    pub(crate) async fn create(self: &Arc<Self>, account: &str, new: New) -> Result<SessionRecord> {
        let New { record, prompt, by: caller, is_manual } = new;
        let key = SessionKey { account: account.into(), session: record.id.as_str().into() };
        let shared = Arc::new(tokio::sync::Mutex::new(Driver::new(key.clone(), record, self.common.clone())));
        // Added before the session can be read, so that nobody loads a second driver. If it isn't created, it's dropped
        // with the inactive ones.
        self.at_work.lock().expect("no panic while held").insert(key.clone(), shared.clone());
        let by = if is_manual { PromptSource::Person } else { PromptSource::Other };
        // The change log names no field of a new session.
        let extra = ExtraWrites { is_new: true, by: Some((caller.clone(), "")), ..with_prompt(prompt, &caller) };
        shared.lock().await.apply(&shared, Input::Prompt { id: 1, by }, extra).await?;
        self.decide(&key.account).await;
        self.common.ctx.db().read(move |tx| records::one(tx, &key.account, &key.session)).await
    }

    /// Starts the sessions of an account that may start now.
    pub(crate) async fn decide(self: &Arc<Self>, account: &Arc<str>) {
        // One at a time: the reason for waiting is reported once, and the session's creator reads it after this.
        let turn = self.deciding.lock().expect("no panic while held").entry(account.clone()).or_default().clone();
        let _turn = turn.lock().await;
        for session in self.common.queue.admit(account).await {
            let key = SessionKey { account: account.clone(), session };
            match Box::pin(self.apply(&key, Input::Admitted)).await {
                Ok(_) => {}
                // A session that was stopped meanwhile rejects the start.
                Err(why) if why.is(&kit::error::CONFLICT) => {
                    tracing::debug!("couldn't start a queued session: {why}")
                }
                Err(why) => {
                    tracing::warn!("couldn't save a starting session, queuing it again: {why}");
                    self.common.queue.put_back(&key).await;
                }
            }
        }
        // Starts aren't delayed by reporting reasons to the others.
        for (session, why) in self.common.queue.news(account).await {
            let key = SessionKey { account: account.clone(), session };
            // A session that no longer waits needs no reason.
            if let Err(why) = Box::pin(self.apply(&key, Input::Held { why })).await {
                tracing::debug!("a session that should wait isn't queued: {why}");
            }
        }
    }

    /// Handles timers: checks each active session and each queue, and unloads inactive sessions.
    pub(crate) async fn tick(self: &Arc<Self>) {
        let at_work: Vec<(SessionKey, Shared)> = {
            let mut at_work = self.at_work.lock().expect("no panic while held");
            let rests =
                |driver: &Shared| Arc::strong_count(driver) == 1 && driver.try_lock().is_ok_and(|one| !one.is_busy());
            at_work.retain(|_, driver| !rests(driver));
            at_work.iter().map(|(key, driver)| (key.clone(), driver.clone())).collect()
        };
        for (_, shared) in at_work {
            // A busy session handles its timers when it's done.
            let Ok(mut driver) = shared.try_lock() else { continue };
            if let Err(why) = driver.apply(&shared, Input::Tick, ExtraWrites::default()).await {
                tracing::debug!("couldn't process a timer: {why}");
            }
            driver.flush(false).await;
        }
        for account in self.common.queue.accounts().await {
            self.decide(&account).await;
        }
    }

    /// Resumes the sessions that were active when the program ended.
    pub(crate) async fn come_back(self: &Arc<Self>) -> Result<()> {
        // Removed at once, so that a later crash isn't taken for a clean shutdown.
        let crashed = std::fs::remove_file(self.common.own_dirs().join(ENDED_IN_ORDER)).is_err();
        #[cfg(unix)]
        let _ = std::fs::remove_dir_all(self.common.hooks_dir());
        let copy = self.common.ctx.db().read(|tx| tx.copy()).await?;
        let is_restored = self.last_copy() != copy;
        for (account, session) in self.common.ctx.db().read(records::active).await? {
            let key = SessionKey { account: account.into(), session: session.into() };
            if crashed {
                let (end, session) = (self.common.host.end_left_behind.clone(), key.session.clone());
                let ending = tokio::task::spawn_blocking(move || end(&session));
                self.driver(&key).await?.lock().await.wait_for(ending);
            }
            let input = if is_restored { Input::Restored } else { Input::Started { crashed } };
            if let Err(why) = self.apply(&key, input).await {
                tracing::debug!("couldn't recover a session: {why}");
            }
        }
        if is_restored {
            let own = self.common.own_dirs();
            let note = copy.to_string();
            std::fs::create_dir_all(own)
                .and_then(|()| platform::write_private(&own.join(COPY), note.as_bytes()))
                .map_err(|why| kit::error::READ_ONLY.error(format!("Couldn't write to {}: {why}.", own.display())))?;
        }
        Ok(())
    }

    /// The copy of the database with which the sessions last ran; 0 if it was none.
    fn last_copy(&self) -> i64 {
        let noted = std::fs::read_to_string(self.common.own_dirs().join(COPY)).ok();
        noted.and_then(|number| number.trim().parse().ok()).unwrap_or_default()
    }

    /// Closes the program: ends every engine, and stores each session's state.
    pub(crate) async fn close(self: &Arc<Self>) {
        self.common.set_closing();
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
        let own = self.common.own_dirs();
        let note = std::fs::create_dir_all(own).and_then(|()| platform::write_private(&own.join(ENDED_IN_ORDER), b""));
        if let Err(why) = note {
            tracing::warn!("couldn't record the clean shutdown: {why}");
        }
    }

    /// The number of sessions in memory.
    #[cfg(test)]
    pub(crate) fn at_work(&self) -> usize {
        self.at_work.lock().expect("no panic while held").len()
    }

    /// Waits until no session is busy.
    #[cfg(test)]
    pub(crate) async fn at_rest(&self) {
        let at_work: Vec<Shared> = self.at_work.lock().expect("no panic while held").values().cloned().collect();
        for shared in at_work {
            drop(shared.lock().await);
        }
    }

    pub(crate) fn spawn_rules(&self, account: &str) -> SpawnRules {
        SpawnRules {
            allow_agent_token_spawn: self.common.ctx.setting(account, &allowAgentTokenSpawn),
            require_spawn_source_session: self.common.ctx.setting(account, &requireSpawnSourceSession),
            agent_driven_sessions_enabled: self.common.ctx.setting(account, &agentDrivenSessionsEnabled),
        }
    }
}

/// Starts queued sessions as accounts are reported, while the service exists.
async fn decide_when_due(sessions: Weak<Sessions>, mut due: DueAccounts) {
    while let Some(account) = due.recv().await {
        let Some(sessions) = sessions.upgrade() else { return };
        // Each in its own task: a busy session doesn't delay other accounts.
        tokio::spawn(async move { sessions.decide(&account).await });
    }
}

/// The stored form of a message.
fn with_prompt(content: Vec<Chunk>, caller: &Caller) -> ExtraWrites {
    let prompt = Some((content, caller.kind.name(), caller.session.as_deref().map(str::to_owned)));
    ExtraWrites { prompt, ..ExtraWrites::default() }
}

/// Whether sessions of an engine can start, as far as known: a login that can't be checked may exist.
fn is_usable(probed: &Probed) -> bool {
    probed.program.is_some() && probed.trouble.is_none() && probed.login != Login::No
}
