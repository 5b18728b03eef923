//! Merging all ready branches, one at a time.

use crate::errors::MERGE_RUNNING;
use kit::lookup::{BranchSession, Landing, MergeRun, SessionBranches};
use kit::{Caller, Ctx, Result, not_found};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Merges that are remembered, of all accounts.
const REMEMBERED: usize = 50;

/// What became of a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Waiting,
    Merging,
    Landing(Landing),
    Canceled,
    /// It couldn't be tried, for this reason.
    Failed(String),
}

/// A branch of a merge.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) session: BranchSession,
    pub(crate) outcome: Outcome,
}

/// A merge.
pub(crate) struct Run {
    pub(crate) id: String,
    pub(crate) account: String,
    pub(crate) started_ms: i64,
    is_canceled: AtomicBool,
    state: Mutex<(Vec<Step>, Option<i64>)>,
}

impl Run {
    fn state(&self) -> MutexGuard<'_, (Vec<Step>, Option<i64>)> {
        self.state.lock().expect("the lock isn't poisoned")
    }

    /// Its branches, and when it ended.
    pub(crate) fn now(&self) -> (Vec<Step>, Option<i64>) {
        self.state().clone()
    }

    /// Leaves the branches that aren't being merged yet.
    pub(crate) fn cancel(&self) {
        self.is_canceled.store(true, Ordering::Relaxed);
    }

    fn set(&self, at: usize, outcome: Outcome) {
        self.state().0[at].outcome = outcome;
    }
}

/// The merges of all accounts, in memory: what each did is recorded with its session.
#[derive(Default)]
pub(crate) struct Merges(Mutex<Vec<Arc<Run>>>);

impl Merges {
    fn all(&self) -> MutexGuard<'_, Vec<Arc<Run>>> {
        self.0.lock().expect("the lock isn't poisoned")
    }

    /// The merge that is running, the oldest of all accounts.
    pub(crate) fn running(&self) -> Option<MergeRun> {
        let all = self.all();
        let run = all.iter().find(|run| run.state().1.is_none())?;
        Some(MergeRun { account: run.account.clone(), since_ms: run.started_ms })
    }

    /// The account's merges, newest first.
    pub(crate) fn of_account(&self, account: &str) -> Vec<Arc<Run>> {
        self.all().iter().rev().filter(|run| run.account == account).cloned().collect()
    }

    pub(crate) fn one(&self, account: &str, id: &str) -> Result<Arc<Run>> {
        let found = self.all().iter().find(|run| run.account == account && run.id == id).cloned();
        found.ok_or_else(not_found)
    }

    pub(crate) fn cancel_all(&self) {
        self.all().iter().for_each(|run| run.cancel());
    }

    /// Starts a merge of these sessions' branches, in this order.
    pub(crate) fn start(&self, ctx: &Ctx, caller: &Caller, sessions: Vec<BranchSession>) -> Result<Arc<Run>> {
        let steps = sessions.into_iter().map(|session| Step { session, outcome: Outcome::Waiting }).collect();
        let run = Arc::new(Run {
            id: kit::new_id(),
            account: caller.account.to_string(),
            started_ms: ctx.now_ms(),
            is_canceled: AtomicBool::new(false),
            state: Mutex::new((steps, None)),
        });
        let mut all = self.all();
        if all.iter().any(|one| one.account == run.account && one.state().1.is_none()) {
            return Err(MERGE_RUNNING.error("All ready branches are being merged already."));
        }
        if all.len() >= REMEMBERED
            && let Some(at) = all.iter().position(|one| one.state().1.is_some())
        {
            all.remove(at);
        }
        all.push(run.clone());
        drop(all);
        let (ctx, caller, task) = (ctx.clone(), caller.clone(), run.clone());
        tokio::spawn(async move {
            let merging = tokio::spawn({
                let (ctx, task) = (ctx.clone(), task.clone());
                async move { merge(&ctx, &caller, &task).await }
            });
            if let Err(fault) = merging.await {
                tracing::error!("couldn't merge all ready branches: {fault}");
            }
            task.state().1 = Some(ctx.now_ms());
        });
        Ok(run)
    }
}

async fn merge(ctx: &Ctx, caller: &Caller, run: &Run) {
    let branches = ctx.service::<SessionBranches>();
    let sessions: Vec<String> = run.state().0.iter().map(|step| step.session.id.clone()).collect();
    for (at, session) in sessions.iter().enumerate() {
        if run.is_canceled.load(Ordering::Relaxed) {
            run.set(at, Outcome::Canceled);
            continue;
        }
        run.set(at, Outcome::Merging);
        let outcome = match branches.0.merge(caller, session).await {
            Ok(landing) => Outcome::Landing(landing),
            Err(why) => Outcome::Failed(why.detail().to_owned()),
        };
        run.set(at, outcome);
    }
}
