//! What is known of each account's branches, in memory.

use crate::sort::Group;
use engines::port::Machine;
use engines::world::{RealSleep, Sleep};
use kit::Ctx;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::watch;

/// How long what was found counts as current.
const FRESH_MS: i64 = 30_000;
/// How long a list waits for a look to end.
const WAIT: Duration = Duration::from_secs(20);
/// Maximum results of comparisons that are stored.
const VERDICTS_MAX: usize = 100_000;

/// The machine, if it isn't the real one. Provided by tests.
pub(crate) struct OtherMachine(pub(crate) Machine, pub(crate) Arc<dyn Sleep>);

/// A branch in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) repository: String,
    pub(crate) branch: String,
    pub(crate) group: Group,
    pub(crate) reason: String,
    pub(crate) base: String,
    pub(crate) distance: Option<(u64, u64)>,
    pub(crate) commit: String,
    pub(crate) subject: String,
    pub(crate) committed_s: i64,
    /// The session on it: its ID, its parent, and its title.
    pub(crate) session: Option<(String, Option<String>, String)>,
    pub(crate) pull_request: Option<String>,
    /// The folder in which it's checked out.
    pub(crate) worktree: Option<String>,
    pub(crate) is_deletable: bool,
}

/// A repository in the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RepositoryRow {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) folder: String,
    pub(crate) hub: Option<String>,
    pub(crate) base: String,
    /// Whether its host answered which pull requests there are.
    pub(crate) is_host_known: bool,
    /// What limits what is known of it.
    pub(crate) notes: Vec<String>,
}

/// What was found, in the order of the list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Found {
    pub(crate) rows: Vec<Row>,
    pub(crate) repositories: Vec<RepositoryRow>,
    pub(crate) checked: usize,
    pub(crate) total: usize,
    pub(crate) is_done: bool,
}

/// Compares a row with another: by group, then the newest first.
fn order(one: &Row, other: &Row) -> std::cmp::Ordering {
    let key = |row: &Row| (row.group, std::cmp::Reverse(row.committed_s));
    key(one).cmp(&key(other)).then_with(|| one.id.cmp(&other.id))
}

/// An account's branches.
#[derive(Default)]
struct Known {
    /// The last complete result, with its time.
    complete: Option<(i64, Arc<Found>)>,
    /// The result so far of the look in progress.
    partial: Option<Found>,
}

/// The branches of all accounts.
pub(crate) struct Work {
    pub(crate) machine: Machine,
    pub(crate) sleep: Arc<dyn Sleep>,
    pub(crate) spare: PathBuf,
    accounts: Mutex<HashMap<String, Known>>,
    /// Whether a base has the changes of a commit, by both commits.
    verdicts: Mutex<HashMap<(String, String), bool>>,
    /// Counts finished looks.
    ended: watch::Sender<u64>,
}

impl Work {
    pub(crate) fn new(ctx: &Ctx) -> Work {
        let (machine, sleep): (_, Arc<dyn Sleep>) = match ctx.find_service::<OtherMachine>() {
            Some(other) => (other.0.clone(), other.1.clone()),
            None => (Machine::here(), Arc::new(RealSleep)),
        };
        let spare = ctx.service::<kit::SpareDir>().0.clone();
        Work {
            machine,
            sleep,
            spare,
            accounts: Mutex::default(),
            verdicts: Mutex::default(),
            ended: watch::Sender::new(0),
        }
    }

    fn accounts(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.accounts.lock().expect("the lock isn't poisoned")
    }

    /// Begins a look, unless one is in progress or what is known is current. Returns whether it did.
    pub(crate) fn begin(&self, account: &str, now_ms: i64, is_refresh: bool) -> bool {
        let mut accounts = self.accounts();
        let known = accounts.entry(account.to_owned()).or_default();
        let is_fresh = known.complete.as_ref().is_some_and(|(at, _)| (0..FRESH_MS).contains(&(now_ms - at)));
        let begins = known.partial.is_none() && (is_refresh || !is_fresh);
        if begins {
            known.partial = Some(Found::default());
        }
        begins
    }

    /// Ends a look: what it has found is complete.
    pub(crate) fn end(&self, account: &str, now_ms: i64) {
        {
            let mut accounts = self.accounts();
            let known = accounts.entry(account.to_owned()).or_default();
            if let Some(mut found) = known.partial.take() {
                found.is_done = true;
                found.rows.sort_by(order);
                known.complete = Some((now_ms, Arc::new(found)));
            }
        }
        self.ended.send_modify(|count| *count += 1);
    }

    /// Adds to the result of the look in progress.
    pub(crate) fn add(&self, account: &str, change: impl FnOnce(&mut Found)) {
        if let Some(found) = self.accounts().entry(account.to_owned()).or_default().partial.as_mut() {
            change(found);
        }
    }

    /// Waits for the look in progress, but not forever.
    pub(crate) async fn wait(&self, account: &str) {
        let mut ended = self.ended.subscribe();
        let is_over = async {
            while self.accounts().get(account).is_some_and(|known| known.partial.is_some()) {
                if ended.changed().await.is_err() {
                    break;
                }
            }
        };
        tokio::select! {
            () = is_over => {}
            () = self.sleep.sleep(WAIT) => {}
        }
    }

    /// What is known: the last complete result, else what was found so far. With the progress of a look.
    pub(crate) fn known(&self, account: &str) -> Found {
        let accounts = self.accounts();
        let Some(known) = accounts.get(account) else { return Found::default() };
        match (&known.complete, &known.partial) {
            (Some((_, complete)), None) => (**complete).clone(),
            (Some((_, complete)), Some(partial)) => {
                let (checked, total) = (partial.checked, partial.total);
                Found { is_done: false, checked, total, ..(**complete).clone() }
            }
            (None, Some(partial)) => {
                let mut found = partial.clone();
                found.rows.sort_by(order);
                found
            }
            (None, None) => Found::default(),
        }
    }

    /// Removes a deleted branch from what is known.
    pub(crate) fn forget(&self, account: &str, id: &str) {
        if let Some(known) = self.accounts().get_mut(account)
            && let Some((_, complete)) = &mut known.complete
        {
            Arc::make_mut(complete).rows.retain(|row| row.id != id);
        }
    }

    /// Whether a base has the changes of a commit, if that was compared before.
    pub(crate) fn verdict(&self, commit: &str, base: &str) -> Option<bool> {
        let key = (commit.to_owned(), base.to_owned());
        self.verdicts.lock().expect("the lock isn't poisoned").get(&key).copied()
    }

    pub(crate) fn set_verdict(&self, commit: &str, base: &str, is_landed: bool) {
        let mut verdicts = self.verdicts.lock().expect("the lock isn't poisoned");
        if verdicts.len() >= VERDICTS_MAX {
            verdicts.clear();
        }
        verdicts.insert((commit.to_owned(), base.to_owned()), is_landed);
    }
}
