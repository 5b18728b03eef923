//! Transcripts: everything that happened in a session, entry by entry, for as long as the session exists.
//!
//! There are two stores, and sessionStoreV2Enabled decides at the start which is written to: rows of the database, or
//! an append-only file per session. If the setting changed between two starts, parts of a transcript are in both, and
//! both are read; their entries are numbered as one.
//! Invariants: entries are numbered from 1 without gaps; appending costs the same however many entries there are; a
//! page is read without reading the entries before it; an entry truncated by a crash is dropped and never damages
//! earlier ones.
//! Deliberately not here: the meaning of entries.

mod log;
mod rows;

use kit::error::{Result, TOO_LARGE};
use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use store::Db;

/// Maximum bytes of an entry's body. The caller that appends a larger one truncates and marks it.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// Maximum entries of a page.
pub const PAGE_ENTRIES_MAX: usize = 1_000;
/// Maximum bytes of a page, not counting its first entry.
pub const PAGE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Maximum sessions whose next number is cached; others are read again.
const KNOWN_MAX: usize = 1_024;

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Counts from 1 in its session.
    pub number: i64,
    /// Milliseconds since 1970.
    pub at_ms: i64,
    /// JSON on one line.
    pub body: String,
}

/// Identifies a session within an account.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionKey {
    /// Its account.
    pub account: Arc<str>,
    /// The session's ID.
    pub session: Arc<str>,
}

/// A range of a session's entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The newest.
    Newest,
    /// The newest of those before this number.
    Before(i64),
    /// The first of those after this number.
    After(i64),
}

/// The space left on a page.
#[derive(Debug, Clone, Copy)]
struct PageBudget {
    entries: usize,
    bytes: usize,
    is_empty: bool,
}

impl PageBudget {
    fn new(entries: usize) -> PageBudget {
        PageBudget { entries, bytes: PAGE_BYTES_MAX, is_empty: true }
    }
    /// Admits an entry if it fits. The first one always does.
    fn admit(&mut self, bytes: usize) -> bool {
        let has = self.entries > 0 && (self.is_empty || bytes <= self.bytes);
        if has {
            self.entries -= 1;
            self.bytes = self.bytes.saturating_sub(bytes);
            self.is_empty = false;
        }
        has
    }
}

/// The store that new entries are written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteTarget {
    /// To rows of the database.
    Rows,
    /// To the session's file.
    Log,
}

/// A store of transcripts.
trait EntryStore: Send + Sync {
    /// Appends entries with the given numbers. With `synced`, they are on disk when it returns; otherwise only a crash
    /// of the machine can lose them.
    fn append(&self, key: &SessionKey, entries: Vec<Entry>, synced: bool) -> impl Future<Output = Result<()>> + Send;
    /// The entries of a range that are in this store and fit on the page, in ascending order.
    fn read(&self, key: &SessionKey, part: Part, budget: PageBudget)
    -> impl Future<Output = Result<Vec<Entry>>> + Send;
    /// The number of the last entry in this store, or 0 if there are none.
    fn last(&self, key: &SessionKey) -> impl Future<Output = Result<i64>> + Send;
    /// Removes all of a session's entries.
    fn remove(&self, key: &SessionKey) -> impl Future<Output = Result<()>> + Send;
}

/// Both stores.
pub struct Transcripts {
    rows: rows::Rows,
    log: log::Log,
    target: WriteTarget,
    numbers: Mutex<HashMap<SessionKey, Arc<tokio::sync::Mutex<i64>>>>,
}

/// A number that isn't known yet.
const UNKNOWN: i64 = -1;

impl Transcripts {
    /// Creates the stores over a database and a folder for files, which is created when needed.
    pub fn new(db: Db, folder: PathBuf, target: WriteTarget) -> Transcripts {
        Transcripts { rows: rows::Rows(db), log: log::Log::new(folder), target, numbers: Mutex::default() }
    }

    /// The store for new entries.
    pub fn target(&self) -> WriteTarget {
        self.target
    }

    /// Appends bodies, each one line of JSON, and returns the first one's number. If it fails, none of them is stored.
    pub async fn append(&self, key: &SessionKey, at_ms: i64, bodies: Vec<String>, synced: bool) -> Result<i64> {
        if let Some(body) = bodies.iter().find(|body| body.len() > BODY_BYTES_MAX) {
            let detail = format!("A transcript entry has {} bytes; the limit is {BODY_BYTES_MAX}.", body.len());
            return Err(TOO_LARGE.error(detail));
        }
        debug_assert!(bodies.iter().all(|body| !body.contains('\n')), "an entry is one line");
        let number = self.number(key);
        // Locked while writing: numbers are assigned in the order of the entries.
        let mut last = number.lock().await;
        if *last == UNKNOWN {
            *last = self.last(key).await?;
        }
        let first = *last + 1;
        // If the caller disconnects during the write, the store is read for the next number.
        *last = UNKNOWN;
        let count = bodies.len() as i64;
        let entries = (first..).zip(bodies).map(|(number, body)| Entry { number, at_ms, body }).collect();
        let appended = match self.target {
            WriteTarget::Rows => self.rows.append(key, entries, synced).await,
            WriteTarget::Log => self.log.append(key, entries, synced).await,
        };
        if appended.is_ok() {
            *last = first + count - 1;
        }
        appended.map(|()| first)
    }

    /// A page: at most `limit` entries and about [`PAGE_BYTES_MAX`] bytes, in ascending order. It can be shorter even
    /// if there are more; an empty one is the last.
    pub async fn page(&self, key: &SessionKey, part: Part, limit: usize) -> Result<Vec<Entry>> {
        let mut budget = PageBudget::new(limit.min(PAGE_ENTRIES_MAX));
        let mut entries = self.rows.read(key, part, budget).await?;
        entries.extend(self.log.read(key, part, budget).await?);
        entries.sort_by_key(|entry| entry.number);
        let is_ahead = matches!(part, Part::After(_));
        if !is_ahead {
            entries.reverse();
        }
        // If one store's entries didn't all fit, later ones in the other store are left for the next page.
        let mut before = None;
        let fits = |entry: &&Entry| {
            let follows = before.replace(entry.number).is_none_or(|number: i64| number.abs_diff(entry.number) == 1);
            follows && budget.admit(entry.body.len())
        };
        let fitting = entries.iter().take_while(fits).count();
        entries.truncate(fitting);
        if !is_ahead {
            entries.reverse();
        }
        Ok(entries)
    }

    /// The number of the newest entry, or 0 if there are none.
    pub async fn last(&self, key: &SessionKey) -> Result<i64> {
        Ok(self.rows.last(key).await?.max(self.log.last(key).await?))
    }

    /// Removes a session's transcript from both stores.
    pub async fn remove(&self, key: &SessionKey) -> Result<()> {
        let number = self.number(key);
        let mut last = number.lock().await;
        self.rows.remove(key).await?;
        self.log.remove(key).await?;
        *last = UNKNOWN;
        Ok(())
    }

    /// The session's last number, locked while entries are appended.
    fn number(&self, key: &SessionKey) -> Arc<tokio::sync::Mutex<i64>> {
        let mut numbers = self.numbers.lock().expect("no panic while held");
        if numbers.len() >= KNOWN_MAX {
            // A number in use stays, so that a session never has two.
            numbers.retain(|_, number| Arc::strong_count(number) > 1);
        }
        numbers.entry(key.clone()).or_insert_with(|| Arc::new(tokio::sync::Mutex::new(UNKNOWN))).clone()
    }
}
