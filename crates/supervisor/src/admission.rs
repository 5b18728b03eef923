//! The queue of all starts.
//!
//! A user's start never waits. New sessions of agents and automations keep `cliSpawnSpacingSeconds` between them, and
//! returning sessions keep the spacing of restarts; both wait while memory is low. Agent-driven sessions count from the
//! moment they are requested. Start times are computed from the current settings, so a change applies to queued
//! sessions too. The cost of a decision doesn't depend on the length of the queue.

use crate::state::QueueReason;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Identifies a session.
pub type SessionId = Arc<str>;

/// Spacing of restarts if `sessionRestartSpacingSeconds` is 0.
pub const BUILT_IN_SPACING_MS: i64 = 1_000;
/// Delay between checks of memory while it delays starts.
pub const MEMORY_RECHECK_MS: i64 = 2_000;

/// The kind of a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// By the user.
    Manual,
    /// A new session of an agent or an automation.
    Spawn,
    /// A returning session: after a crash, a limit, or a stall, or revived.
    Return,
}

/// The delay between new sessions of agents and automations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpawnSpacing {
    /// Setting `cliSpawnSpacingSeconds`.
    pub cli_spawn_spacing_seconds: i64,
}

/// The delay between returning sessions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RestartSpacing {
    /// Setting `sessionRestartSpacingSeconds`; 0 uses [`BUILT_IN_SPACING_MS`].
    pub session_restart_spacing_seconds: f64,
    /// Setting `sessionRestartSpacingAfterWarmupSeconds`; 0 uses the warm-up's spacing.
    pub session_restart_spacing_after_warmup_seconds: f64,
    /// Setting `sessionRestartSpacingWarmupMinutes`; 0 disables the warm-up.
    pub session_restart_spacing_warmup_minutes: i64,
}

impl RestartSpacing {
    /// The earliest start of a batch's next session after the last one.
    fn next_ms(&self, last: i64, batch: i64) -> i64 {
        let first = match ms(self.session_restart_spacing_seconds) {
            0 => BUILT_IN_SPACING_MS,
            first => first,
        };
        let later = match ms(self.session_restart_spacing_after_warmup_seconds) {
            0 => first,
            later => later,
        };
        let warm = batch.saturating_add(self.session_restart_spacing_warmup_minutes.saturating_mul(60_000));
        let next = last.saturating_add(first);
        // During the warm-up, its spacing applies. A shorter one afterward never moves a start back into the warm-up.
        if next < warm { next } else { last.saturating_add(later).max(warm) }
    }
}

/// Seconds as milliseconds.
fn ms(seconds: f64) -> i64 {
    (seconds * 1000.0).round() as i64
}

/// Delays starts while memory is low.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryGuard {
    /// Setting `sessionMemoryGuardEnabled`.
    pub session_memory_guard_enabled: bool,
    /// Setting `sessionMemoryGuardPercent`: the memory usage, inclusive, from which starts wait.
    pub session_memory_guard_percent: i64,
}

impl MemoryGuard {
    /// Whether starts wait. Unknown memory usage delays nothing.
    pub fn holds(&self, used_percent: Option<f64>) -> bool {
        self.session_memory_guard_enabled
            && used_percent.is_some_and(|used| used >= self.session_memory_guard_percent as f64)
    }
}

/// The settings of the queue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Spacing of new sessions.
    pub spawn: SpawnSpacing,
    /// Spacing of returning sessions.
    pub restart: RestartSpacing,
    /// The memory guard.
    pub memory: MemoryGuard,
    /// Setting `agentDrivenMaxConcurrent`; 0 rejects all agent-driven sessions.
    pub agent_driven_max_concurrent: i64,
}

/// A new agent-driven session would exceed the limit: error `agent-concurrency`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMany {
    /// Number of active and queued ones.
    pub active: usize,
    /// Setting `agentDrivenMaxConcurrent`.
    pub max: i64,
}

/// A decision of the queue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// Start these, in this order.
    pub admitted: Vec<SessionId>,
    /// Why the first waiting session waits, and with it all later ones.
    pub waits: Option<QueueReason>,
    /// The time of the next decision at the latest, in milliseconds since 1970; none if only the end of another session
    /// helps.
    pub again_at: Option<i64>,
}

/// Sessions in order of arrival.
#[derive(Debug, Clone, Default)]
struct Lane {
    line: BTreeMap<u64, SessionId>,
    last: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QueuePosition {
    Manual(u64),
    Spawn(u64),
    Return(u64),
    /// Returning agent-driven sessions that wait because the limit is reached.
    Full(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Driven {
    Waiting,
    Active,
}

/// The queue. It exists while the program runs; at the start, queued sessions are added again.
#[derive(Debug, Clone, Default)]
pub struct Admission {
    manual: Lane,
    spawns: Lane,
    returns: Lane,
    full: Lane,
    batch: i64,
    positions: FxHashMap<SessionId, QueuePosition>,
    driven: FxHashMap<SessionId, Driven>,
    driven_active: usize,
    is_held: bool,
    next: u64,
    /// The last reason reported to each queued session.
    reported: FxHashMap<SessionId, QueueReason>,
    /// Whether a session was added or its reason changed since reasons were last reported.
    is_news: bool,
}

impl Admission {
    /// Requests a start. `is_driven` marks an agent-driven session: a new one beyond `agentDrivenMaxConcurrent` is
    /// rejected, and a returning one is counted and waits for a slot. For a session that already waits, a user's
    /// request makes the start manual; other requests change nothing.
    pub fn submit(
        &mut self,
        id: &SessionId,
        kind: Kind,
        is_driven: bool,
        now: i64,
        limits: &Limits,
    ) -> Result<(), TooMany> {
        let waits_already = self.positions.contains_key(id);
        if waits_already && kind != Kind::Manual {
            return Ok(());
        }
        if is_driven && !self.driven.contains_key(id) {
            self.may_drive(limits).or_else(|too_many| if kind == Kind::Spawn { Err(too_many) } else { Ok(()) })?;
            self.driven.insert(id.clone(), Driven::Waiting);
        }
        self.remove_from_lane(id);
        if kind == Kind::Return && self.returns.line.is_empty() && self.full.line.is_empty() {
            let is_over = self.returns.last.is_none_or(|last| now >= limits.restart.next_ms(last, self.batch));
            if is_over {
                self.batch = now;
            }
        }
        let at = self.next;
        self.next += 1;
        let (lane, position) = match kind {
            Kind::Manual => (&mut self.manual, QueuePosition::Manual(at)),
            Kind::Spawn => (&mut self.spawns, QueuePosition::Spawn(at)),
            Kind::Return => (&mut self.returns, QueuePosition::Return(at)),
        };
        lane.line.insert(at, id.clone());
        self.positions.insert(id.clone(), position);
        self.is_news = true;
        Ok(())
    }

    /// Whether another agent-driven session may start now, counting queued ones.
    pub fn may_drive(&self, limits: &Limits) -> Result<(), TooMany> {
        let (active, max) = (self.driven.len(), limits.agent_driven_max_concurrent);
        if (active as i64) < max { Ok(()) } else { Err(TooMany { active, max }) }
    }

    /// Removes a session from the queue. If it never started, it's no longer counted.
    pub fn withdraw(&mut self, id: &str) {
        self.remove_from_lane(id);
        if self.driven.get(id) == Some(&Driven::Waiting) {
            self.driven.remove(id);
        }
    }

    /// A session is no longer active (`State::is_active`), so another agent-driven one may start.
    pub fn ended(&mut self, id: &str) {
        self.remove_from_lane(id);
        if self.driven.remove(id) == Some(Driven::Active) {
            self.driven_active -= 1;
        }
    }

    /// The number of queued sessions.
    pub fn waiting(&self) -> usize {
        self.positions.len()
    }

    /// Starts the sessions that may start now. `used_percent` is the memory usage, if known.
    pub fn decide(&mut self, now: i64, used_percent: Option<f64>, limits: &Limits) -> Decision {
        let mut decision = Decision::default();
        let was_held = std::mem::replace(&mut self.is_held, limits.memory.holds(used_percent));
        self.is_news |= was_held != self.is_held;
        while let Some((_, id)) = self.manual.line.pop_first() {
            self.admit(id, &mut decision);
        }
        if self.spawns.line.is_empty() && self.returns.line.is_empty() && self.full.line.is_empty() {
            return decision;
        }
        if self.is_held {
            decision.waits = Some(QueueReason::Memory);
            decision.again_at = Some(now.saturating_add(MEMORY_RECHECK_MS));
            return decision;
        }
        self.decide_spawns(now, limits, &mut decision);
        self.decide_returns(now, limits, &mut decision);
        decision
    }

    fn decide_spawns(&mut self, now: i64, limits: &Limits, decision: &mut Decision) {
        let spacing = limits.spawn.cli_spawn_spacing_seconds.saturating_mul(1000);
        while !self.spawns.line.is_empty() {
            let due = self.spawns.last.map_or(now, |last| last.min(now).saturating_add(spacing));
            if due > now {
                return wait(decision, QueueReason::SpawnSpacing, Some(due));
            }
            self.spawns.last = Some(now);
            if let Some((_, id)) = self.spawns.line.pop_first() {
                self.admit(id, decision);
            }
        }
    }

    fn decide_returns(&mut self, now: i64, limits: &Limits, decision: &mut Decision) {
        loop {
            let has_place = (self.driven_active as i64) < limits.agent_driven_max_concurrent;
            // Sessions that waited for a slot arrived before all queued ones.
            let from_full = has_place && !self.full.line.is_empty();
            let lane = if from_full { &self.full } else { &self.returns };
            let Some((&at, id)) = lane.line.first_key_value() else { break };
            let id = id.clone();
            if !from_full && !has_place && self.driven.get(&id) == Some(&Driven::Waiting) {
                self.returns.line.pop_first();
                self.positions.insert(id.clone(), QueuePosition::Full(at));
                self.full.line.insert(at, id);
                self.is_news = true;
                continue;
            }
            // A clock that was set back must not delay starts for hours.
            let due = self.returns.last.map_or(now, |last| limits.restart.next_ms(last.min(now), self.batch.min(now)));
            if due > now {
                return wait(decision, QueueReason::Spacing, Some(due));
            }
            if from_full {
                self.full.line.pop_first()
            } else {
                self.returns.line.pop_first()
            };
            self.returns.last = Some(now);
            self.admit(id, decision);
        }
        if !self.full.line.is_empty() {
            wait(decision, QueueReason::Concurrency, None);
        }
    }

    fn admit(&mut self, id: SessionId, decision: &mut Decision) {
        self.positions.remove(&id);
        self.reported.remove(&id);
        if let Some(driven) = self.driven.get_mut(&id)
            && *driven == Driven::Waiting
        {
            *driven = Driven::Active;
            self.driven_active += 1;
        }
        decision.admitted.push(id);
    }

    fn remove_from_lane(&mut self, id: &str) {
        self.reported.remove(id);
        match self.positions.remove(id) {
            Some(QueuePosition::Manual(at)) => self.manual.line.remove(&at),
            Some(QueuePosition::Spawn(at)) => self.spawns.line.remove(&at),
            Some(QueuePosition::Return(at)) => self.returns.line.remove(&at),
            Some(QueuePosition::Full(at)) => self.full.line.remove(&at),
            None => None,
        };
    }

    /// Why this session waits, as of the last decision; none if it isn't queued.
    pub fn waits_for(&self, id: &str) -> Option<QueueReason> {
        Some(match self.positions.get(id)? {
            QueuePosition::Full(_) => QueueReason::Concurrency,
            QueuePosition::Spawn(_) | QueuePosition::Return(_) if self.is_held => QueueReason::Memory,
            QueuePosition::Spawn(_) => QueueReason::SpawnSpacing,
            QueuePosition::Manual(_) | QueuePosition::Return(_) => QueueReason::Spacing,
        })
    }

    /// Why sessions wait, as of the last decision: each changed reason, once.
    pub fn news(&mut self) -> Vec<(SessionId, QueueReason)> {
        if !std::mem::take(&mut self.is_news) {
            return Vec::new();
        }
        let waits: Vec<(SessionId, QueueReason)> =
            self.positions.keys().filter_map(|id| Some((id.clone(), self.waits_for(id)?))).collect();
        let is_new = |(id, why): &(SessionId, QueueReason)| self.reported.insert(id.clone(), *why) != Some(*why);
        waits.into_iter().filter(is_new).collect()
    }

    /// The earliest starts of sessions that wait only for their turn, under the current settings and if none leaves the
    /// queue.
    pub fn due(&self, now: i64, limits: &Limits) -> FxHashMap<SessionId, i64> {
        if self.is_held {
            return FxHashMap::default();
        }
        let spacing = limits.spawn.cli_spawn_spacing_seconds.saturating_mul(1000);
        let mut at = self.spawns.last.map_or(now.saturating_sub(spacing), |last| last.min(now));
        let spawns = self.spawns.line.values().map(|id| {
            at = at.saturating_add(spacing).max(now);
            (id.clone(), at)
        });
        let mut due: FxHashMap<SessionId, i64> = spawns.collect();
        let mut last = self.returns.last.map(|last| last.min(now));
        for id in self.returns.line.values() {
            let at = last.map_or(now, |last| limits.restart.next_ms(last, self.batch.min(now))).max(now);
            last = Some(at);
            due.insert(id.clone(), at);
        }
        due
    }
}

fn wait(decision: &mut Decision, why: QueueReason, until: Option<i64>) {
    decision.waits.get_or_insert(why);
    decision.again_at = match (decision.again_at, until) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
}
