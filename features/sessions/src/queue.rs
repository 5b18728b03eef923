//! The queue of starts: the sessions of each account that wait to start, and when to check the queue next.
//!
//! Invariant: deciding on a start and storing it happen under one lock, and so does recording an end. So the limit is
//! never exceeded, however many starts are requested at once, and no start is rejected because of a session that has
//! ended.
//! Deliberately not here: starting sessions, which is up to the owner of the drivers.

use crate::engine_host::Memory;
use crate::errors;
use crate::settings::*;
use crate::transcript::SessionKey;
use kit::{Ctx, Result};
use std::collections::HashMap;
use std::sync::Arc;
use supervisor::admission::{Admission, Kind, Limits, MemoryGuard, RestartSpacing, SessionId, SpawnSpacing, TooMany};
use supervisor::spawn;
use supervisor::state::QueueReason;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Mutex, OwnedMutexGuard};

type Queues = HashMap<Arc<str>, Admission>;

/// The locked queues of all accounts: no start is decided until this is dropped.
pub(crate) type Held = OwnedMutexGuard<Queues>;

/// The queues of all accounts.
pub(crate) struct StartQueue {
    ctx: Ctx,
    memory: Memory,
    queues: Arc<Mutex<Queues>>,
    due: UnboundedSender<Arc<str>>,
}

/// Receives accounts in which a session may be able to start.
pub(crate) type DueAccounts = UnboundedReceiver<Arc<str>>;

impl StartQueue {
    pub(crate) fn new(ctx: Ctx, memory: Memory) -> (StartQueue, DueAccounts) {
        let (due, accounts) = unbounded_channel();
        (StartQueue { ctx, memory, queues: Arc::default(), due }, accounts)
    }

    /// Reserves a slot for a new session, or rejects it if the limit is reached. No other start is decided while the
    /// slot is held.
    pub(crate) async fn reserve(&self, key: &SessionKey, kind: Kind, is_counted: bool) -> Result<Place> {
        let limits = self.limits(&key.account);
        let mut queues = self.hold().await;
        let queue = queues.entry(key.account.clone()).or_default();
        queue.submit(&key.session, kind, is_counted, self.ctx.now_ms(), &limits).map_err(refused)?;
        Ok(Place { queues, key: key.clone(), is_kept: false })
    }

    /// Puts a session into the queue. Starting it is a separate step.
    pub(crate) async fn enqueue(&self, key: &SessionKey, kind: Kind, is_counted: bool) {
        // A returning session waits for a slot; a new one was counted when it was created.
        if let Err(TooMany { active, .. }) = self.submit(key, kind, is_counted).await {
            tracing::warn!("{active} agent-driven sessions are active; not starting another");
        }
        self.decide_soon(&key.account);
    }

    /// Puts a session back whose start couldn't be stored. It's counted already.
    pub(crate) async fn put_back(&self, key: &SessionKey) {
        let _ = self.submit(key, Kind::Return, false).await;
    }

    async fn submit(&self, key: &SessionKey, kind: Kind, is_counted: bool) -> std::result::Result<(), TooMany> {
        let limits = self.limits(&key.account);
        let mut queues = self.queues.lock().await;
        let queue = queues.entry(key.account.clone()).or_default();
        queue.submit(&key.session, kind, is_counted, self.ctx.now_ms(), &limits)
    }

    pub(crate) async fn dequeue(&self, key: &SessionKey) {
        if let Some(queue) = self.queues.lock().await.get_mut(&key.account) {
            queue.withdraw(&key.session);
        }
    }

    /// Locks the queues while a session's end is stored, so its slot is free once the end can be read.
    pub(crate) async fn hold(&self) -> Held {
        self.queues.clone().lock_owned().await
    }

    /// A session is no longer active, so another one may start.
    pub(crate) fn ended(&self, mut queues: Held, key: &SessionKey) {
        if let Some(queue) = queues.get_mut(&key.account) {
            queue.ended(&key.session);
        }
        self.decide_soon(&key.account);
    }

    fn decide_soon(&self, account: &Arc<str>) {
        // While the program closes there is no receiver, and nothing starts anymore.
        let _ = self.due.send(account.clone());
    }

    /// Removes the account's sessions that start now, in order.
    pub(crate) async fn admit(&self, account: &Arc<str>) -> Vec<SessionId> {
        let limits = self.limits(account);
        match self.queues.lock().await.get_mut(account) {
            Some(queue) => queue.decide(self.ctx.now_ms(), (self.memory)(), &limits).admitted,
            None => Vec::new(),
        }
    }

    /// The account's sessions whose reason for waiting changed since it was last reported.
    pub(crate) async fn news(&self, account: &Arc<str>) -> Vec<(SessionId, QueueReason)> {
        match self.queues.lock().await.get_mut(account) {
            Some(queue) => queue.news(),
            None => Vec::new(),
        }
    }

    /// The earliest starts of the account's sessions that wait only for their turn, under the current settings, in
    /// milliseconds since 1970.
    pub(crate) async fn due(&self, account: &str) -> HashMap<Arc<str>, i64> {
        let limits = self.limits(account);
        match self.queues.lock().await.get(account) {
            Some(queue) => queue.due(self.ctx.now_ms(), &limits).into_iter().collect(),
            None => HashMap::new(),
        }
    }

    /// Rejects another agent-driven session while the limit is reached. [`StartQueue::reserve`] has the final check.
    pub(crate) async fn may_drive(&self, account: &str) -> Result<()> {
        let mut queues = self.queues.lock().await;
        queues.entry(account.into()).or_default().may_drive(&self.limits(account)).map_err(refused)
    }

    /// The accounts that have a queue.
    pub(crate) async fn accounts(&self) -> Vec<Arc<str>> {
        self.queues.lock().await.keys().cloned().collect()
    }

    fn limits(&self, account: &str) -> Limits {
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
}

/// The error for exceeding the limit.
fn refused(too_many: TooMany) -> kit::Error {
    errors::refused(spawn::too_many(too_many))
}

/// A new session's slot in the queue, released unless it's kept. It locks the queues of all accounts.
pub(crate) struct Place {
    queues: Held,
    key: SessionKey,
    is_kept: bool,
}

impl Place {
    /// The session is stored, so it stays in the queue.
    pub(crate) fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.is_kept
            && let Some(queue) = self.queues.get_mut(&self.key.account)
        {
            queue.withdraw(&self.key.session);
        }
    }
}
