//! What the database tells about itself.

use crate::errors::Reason;
use crate::files;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

/// What the check of the database file found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Integrity {
    /// The file is large; its check is still running beside the program.
    Checking,
    /// The check could not be made, and why.
    Unchecked(String),
    /// No damage was found.
    Sound,
    /// What was found first. Changes are refused from then on.
    Damaged(String),
}

/// Shared by the handles, the writer and the check.
pub(crate) struct Status {
    read_only: Mutex<Option<Reason>>,
    integrity: Mutex<Integrity>,
    commits: AtomicU64,
    /// Which file was opened, where the system tells files apart.
    which: OnceLock<(u64, u64)>,
}

impl Status {
    pub(crate) fn new() -> Self {
        Status {
            read_only: Mutex::default(),
            integrity: Mutex::new(Integrity::Checking),
            commits: AtomicU64::new(0),
            which: OnceLock::new(),
        }
    }

    /// The file at this path is the one that is open from here on.
    pub(crate) fn opened(&self, file: &Path) {
        if let Some(which) = files::which(file) {
            let _ = self.which.set(which);
        }
    }

    /// Whether the file at the database's path is the one that was opened.
    pub(crate) fn is_in_place(&self, file: &Path) -> bool {
        self.which.get().is_none_or(|which| files::which(file) == Some(*which))
    }

    pub(crate) fn read_only(&self) -> Option<Reason> {
        *self.read_only.lock().expect("the lock isn't poisoned")
    }

    /// Writing failed for a reason, or works again. Damage stays: only a restore mends it.
    pub(crate) fn set_read_only(&self, reason: Option<Reason>) {
        let mut now = self.read_only.lock().expect("the lock isn't poisoned");
        if *now == reason || *now == Some(Reason::Damaged) {
            return;
        }
        match reason {
            Some(reason) => tracing::warn!(%reason, "the database is read-only for now"),
            None => tracing::info!("the database can be written again"),
        }
        *now = reason;
    }

    pub(crate) fn integrity(&self) -> Integrity {
        self.integrity.lock().expect("the lock isn't poisoned").clone()
    }

    pub(crate) fn checked(&self, finding: Option<String>) {
        if finding.is_some() {
            self.set_read_only(Some(Reason::Damaged));
        }
        let found = finding.map_or(Integrity::Sound, Integrity::Damaged);
        *self.integrity.lock().expect("the lock isn't poisoned") = found;
    }

    pub(crate) fn unchecked(&self, why: &str) {
        *self.integrity.lock().expect("the lock isn't poisoned") = Integrity::Unchecked(why.to_owned());
    }

    pub(crate) fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    pub(crate) fn committed(&self) {
        self.commits.fetch_add(1, Ordering::Relaxed);
    }
}
