//! The running schedule: a task for each job and each kind of timers, which sleeps until the next due time.

use crate::clock_watch::{ClockWatch, LOOK_EVERY};
use crate::jobs::{self, Entry};
use crate::timers;
use kit::error::Result;
use kit::{Ctx, Feature, TimerKind};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::HasDb;
use tokio::sync::{Notify, watch};

/// How long to wait when the database couldn't be read or written.
const DATABASE_RETRY_MS: i64 = 10_000;
/// Longer waits are done in parts.
const SLEEP_MAX_MS: i64 = 24 * 3_600_000;

/// Every job and kind of timers of the program. Provided as a service before features start.
pub struct Schedule {
    jobs: Vec<Entry>,
    kinds: Vec<Pending>,
    clock: ClockWatch,
}

/// Timers of one kind.
struct Pending {
    kind: TimerKind,
    changed: Notify,
    /// When each account's next timer is tried; may be too early after timers were canceled.
    next: Mutex<HashMap<String, i64>>,
}

impl Pending {
    fn expect(&self, account: &str, at_ms: i64) {
        let mut next = self.next.lock().expect("the lock isn't poisoned");
        let is_first = next.values().all(|other_ms| at_ms < *other_ms);
        let known_ms = next.entry(account.to_owned()).or_insert(at_ms);
        *known_ms = at_ms.min(*known_ms);
        drop(next);
        if is_first {
            self.changed.notify_one();
        }
    }

    /// The account whose timer is tried next, and when.
    fn first(&self) -> Option<(String, i64)> {
        let next = self.next.lock().expect("the lock isn't poisoned");
        next.iter().min_by_key(|(_, at_ms)| **at_ms).map(|(account, at_ms)| (account.clone(), *at_ms))
    }

    /// Fires the due timers of an account, a batch at most. Only the program's end is an error.
    async fn fire(&self, ctx: &Ctx, account: &str) -> Result<()> {
        // Whatever is set from here on is expected anew.
        self.next.lock().expect("the lock isn't poisoned").remove(account);
        match timers::fire(ctx, &self.kind, account).await {
            Ok(next_ms) => next_ms.into_iter().for_each(|next_ms| self.expect(account, next_ms)),
            Err(error) if error.is(&store::PROGRAM_ENDING) => return Err(error),
            Err(error) => {
                tracing::warn!(timer = self.kind.name, error = ?error, "{}", self.kind.what);
                self.expect(account, ctx.now_ms() + DATABASE_RETRY_MS);
            }
        }
        Ok(())
    }
}

/// A job or a kind of timers that fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failing {
    /// The name of the job, or of the kind of timers.
    pub name: String,
    /// What fails, such as "couldn't remove old inbox rows".
    pub what: &'static str,
    /// Failing timers of this kind; none for a job.
    pub timers: Option<i64>,
    /// Failures in a row; of timers, the most of one.
    pub attempts: i64,
    /// The last failure.
    pub failed_ms: i64,
}

impl Schedule {
    /// Everything that these features declare.
    pub fn new(features: &[Feature]) -> Schedule {
        let jobs = features.iter().flat_map(|feature| &feature.jobs).cloned().map(Entry::new).collect();
        let pending = |kind| Pending { kind, changed: Notify::new(), next: Mutex::default() };
        let of_reactions = features.iter().flat_map(|feature| &feature.reactions).map(|reaction| &reaction.timer);
        let timers = features.iter().flat_map(|feature| &feature.timers).chain(of_reactions);
        let kinds = timers.cloned().map(pending).collect();
        Schedule { jobs, kinds, clock: ClockWatch::default() }
    }

    /// Reads what is stored. Called once all features have started.
    pub async fn load(&self, ctx: &Ctx) -> Result<()> {
        jobs::load(ctx, &self.jobs).await?;
        for (account, kind, next_ms) in ctx.db().read(timers::first_of_all).await? {
            match self.kinds.iter().find(|pending| pending.kind.name == kind) {
                Some(pending) => pending.expect(&account, next_ms),
                None => tracing::warn!(kind, "timers of a kind that this version doesn't know stay pending"),
            }
        }
        Ok(())
    }

    /// Runs jobs and timers until the database closes. Follows [`Schedule::load`].
    pub fn start(self: &Arc<Self>, ctx: &Ctx) {
        for at in 0..self.jobs.len() {
            tokio::spawn(self.clone().keep_job(ctx.clone(), at));
        }
        for at in 0..self.kinds.len() {
            tokio::spawn(self.clone().keep_kind(ctx.clone(), at));
        }
        let (schedule, ctx) = (self.clone(), ctx.clone());
        tokio::spawn(async move {
            loop {
                schedule.clock.now_ms(&ctx);
                tokio::time::sleep(LOOK_EVERY).await;
            }
        });
    }

    async fn keep_job(self: Arc<Self>, ctx: Ctx, at: usize) {
        let (entry, zone, mut jumps) = (&self.jobs[at], ctx.home_zone(), self.clock.jumps());
        loop {
            let now_ms = self.clock.now_ms(&ctx);
            let next_ms = entry.next_ms(now_ms, &zone);
            if next_ms.is_some_and(|next_ms| next_ms <= now_ms) {
                if entry.run(&ctx).await.is_err() {
                    return;
                }
                continue;
            }
            wait(next_ms.map(|next_ms| next_ms - now_ms), &entry.changed, &mut jumps).await;
        }
    }

    async fn keep_kind(self: Arc<Self>, ctx: Ctx, at: usize) {
        let (pending, mut jumps) = (&self.kinds[at], self.clock.jumps());
        loop {
            let now_ms = self.clock.now_ms(&ctx);
            let first = pending.first();
            if let Some((account, at_ms)) = &first
                && *at_ms <= now_ms
            {
                if pending.fire(&ctx, account).await.is_err() {
                    return;
                }
                continue;
            }
            wait(first.map(|(_, at_ms)| at_ms - now_ms), &pending.changed, &mut jumps).await;
        }
    }

    /// Runs the jobs that are due now, each once, and then the due timers. For tests, which turn the clock by hand.
    pub async fn run_due(&self, ctx: &Ctx) -> Result<()> {
        let zone = ctx.home_zone();
        for entry in &self.jobs {
            if entry.next_ms(ctx.now_ms(), &zone).is_some_and(|next_ms| next_ms <= ctx.now_ms()) {
                entry.run(ctx).await?;
            }
        }
        self.fire_due(ctx).await
    }

    /// Fires the timers that are due now, and those that they set in turn. For tests.
    pub async fn fire_due(&self, ctx: &Ctx) -> Result<()> {
        for pending in &self.kinds {
            while let Some((account, at_ms)) = pending.first()
                && at_ms <= ctx.now_ms()
            {
                pending.fire(ctx, &account).await?;
            }
        }
        Ok(())
    }

    /// Runs a job early, within `delay`; once, however often it's asked for meanwhile.
    pub fn run_soon(&self, ctx: &Ctx, job: &str, delay: Duration) {
        if let Some(entry) = self.jobs.iter().find(|entry| entry.job.name == job) {
            entry.ask(ctx.now_ms(), delay);
        }
    }

    /// What fails at present: jobs of the program, and timers of the account.
    pub async fn failing(&self, ctx: &Ctx, account: &str) -> Result<Vec<Failing>> {
        let of_job = |entry: &Entry| {
            let (attempts, failed_ms) = entry.failed()?;
            Some(Failing { name: entry.job.name.to_owned(), what: entry.job.what, timers: None, attempts, failed_ms })
        };
        let mut all: Vec<Failing> = self.jobs.iter().filter_map(of_job).collect();
        let account = account.to_owned();
        let timers = ctx.db().read(move |tx| timers::failing(tx, &account)).await?;
        let what_of =
            |name: &str| self.kinds.iter().find(|pending| pending.kind.name == name).map(|known| known.kind.what);
        all.extend(timers.into_iter().map(|(name, count, attempts, failed_ms)| Failing {
            what: what_of(&name).unwrap_or("couldn't run timers of another version"),
            name,
            timers: Some(count),
            attempts,
            failed_ms,
        }));
        Ok(all)
    }

    pub(crate) fn has_kind(&self, kind: &str) -> bool {
        self.kinds.iter().any(|pending| pending.kind.name == kind)
    }

    /// A timer was set.
    pub(crate) fn expect(&self, kind: &str, account: &str, due_ms: i64) {
        if let Some(pending) = self.kinds.iter().find(|pending| pending.kind.name == kind) {
            pending.expect(account, due_ms);
        }
    }
}

/// Waits for a time to pass, a change, or a jump of the clock.
async fn wait(ms: Option<i64>, changed: &Notify, jumps: &mut watch::Receiver<()>) {
    let passed = async {
        match ms {
            Some(ms) => tokio::time::sleep(Duration::from_millis(ms.clamp(0, SLEEP_MAX_MS) as u64)).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = passed => {}
        () = changed.notified() => {}
        // The sender lives as long as the schedule.
        _ = jumps.changed() => {}
    }
}
