//! Transcripts: everything that happened in a session, entry by entry, for as long as the session is kept.
//!
//! Two stores keep them, and the setting sessionStoreV2Enabled says at the start which of them is written to: rows of the
//! database, or a file for each session that is only ever appended to. A transcript may lie in both, where the setting was
//! changed between two starts, and is read from both: entries are counted through.
//! Invariants: entries are numbered from 1 without a gap; to append costs the same however many there are; a page is read
//! without reading what is before it; what a crash cut off is left out and never takes an entry before it along.
//! Deliberately not here: what entries mean.

mod log;
mod rows;

use kit::error::{Result, TOO_LARGE};
use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use store::Db;

/// Bytes of one entry's body. What is larger is cut by whoever appends it, and says so.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// Entries of one page.
pub const PAGE_ENTRIES_MAX: usize = 1_000;
/// Bytes of one page, but for its first entry.
pub const PAGE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Sessions whose next number is kept in memory; that of another is read again.
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
pub struct Of {
    /// Whose it is.
    pub account: Arc<str>,
    /// The session.
    pub session: Arc<str>,
}

/// Which entries of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The newest.
    Newest,
    /// The newest of those before this number.
    Before(i64),
    /// The first of those behind this number.
    After(i64),
}

/// How much more a page holds.
#[derive(Debug, Clone, Copy)]
struct Room {
    entries: usize,
    bytes: usize,
    is_empty: bool,
}

impl Room {
    fn of(entries: usize) -> Room {
        Room { entries, bytes: PAGE_BYTES_MAX, is_empty: true }
    }
    /// Takes an entry in, if there is room; the first one whatever its size.
    fn take(&mut self, bytes: usize) -> bool {
        let has = self.entries > 0 && (self.is_empty || bytes <= self.bytes);
        if has {
            self.entries -= 1;
            self.bytes = self.bytes.saturating_sub(bytes);
            self.is_empty = false;
        }
        has
    }
}

/// Where new entries go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// To rows of the database.
    InRows,
    /// To the session's file.
    InLog,
}

/// A store of transcripts.
trait Keep: Send + Sync {
    /// Appends entries, whose numbers the caller gives; on disk when it answers, where `synced`, and otherwise in the hands of
    /// the operating system, so that only the machine's end can take them.
    fn append(&self, of: &Of, entries: Vec<Entry>, synced: bool) -> impl Future<Output = Result<()>> + Send;
    /// As many of the entries of a part as there is room for, in ascending order, as far as they lie here.
    fn read(&self, of: &Of, part: Part, room: Room) -> impl Future<Output = Result<Vec<Entry>>> + Send;
    /// The last entry's number, 0 where there is none here.
    fn last(&self, of: &Of) -> impl Future<Output = Result<i64>> + Send;
    /// Removes all of a session's entries.
    fn remove(&self, of: &Of) -> impl Future<Output = Result<()>> + Send;
}

/// Both stores.
pub struct Transcripts {
    rows: rows::Rows,
    log: log::Log,
    kept: Written,
    numbers: Mutex<HashMap<Of, Arc<tokio::sync::Mutex<i64>>>>,
}

/// Stands for a number that is not known yet.
const UNKNOWN: i64 = -1;

impl Transcripts {
    /// Over a database and a folder for files, which is made when it is needed.
    pub fn new(db: Db, folder: PathBuf, kept: Written) -> Transcripts {
        Transcripts { rows: rows::Rows(db), log: log::Log::new(folder), kept, numbers: Mutex::default() }
    }

    /// Where new entries go.
    pub fn kept(&self) -> Written {
        self.kept
    }

    /// Appends bodies, each one line of JSON, and answers the first one's number. Where it fails none of them is there.
    pub async fn append(&self, of: &Of, at_ms: i64, bodies: Vec<String>, synced: bool) -> Result<i64> {
        if let Some(body) = bodies.iter().find(|body| body.len() > BODY_BYTES_MAX) {
            let detail = format!("A transcript entry has {} bytes; the limit is {BODY_BYTES_MAX}.", body.len());
            return Err(TOO_LARGE.error(detail));
        }
        debug_assert!(bodies.iter().all(|body| !body.contains('\n')), "an entry is one line");
        let number = self.number(of);
        // Held while it is written: numbers are given in the order in which entries lie.
        let mut last = number.lock().await;
        if *last == UNKNOWN {
            *last = self.last(of).await?;
        }
        let first = *last + 1;
        // Where whoever asks goes away while it is written, what lies there tells.
        *last = UNKNOWN;
        let count = bodies.len() as i64;
        let entries = (first..).zip(bodies).map(|(number, body)| Entry { number, at_ms, body }).collect();
        let appended = match self.kept {
            Written::InRows => self.rows.append(of, entries, synced).await,
            Written::InLog => self.log.append(of, entries, synced).await,
        };
        if appended.is_ok() {
            *last = first + count - 1;
        }
        appended.map(|()| first)
    }

    /// A page: at most `limit` entries and about [`PAGE_BYTES_MAX`] bytes, in ascending order. It may be shorter while there are
    /// more; an empty one is the last.
    pub async fn page(&self, of: &Of, part: Part, limit: usize) -> Result<Vec<Entry>> {
        let mut room = Room::of(limit.min(PAGE_ENTRIES_MAX));
        let mut entries = self.rows.read(of, part, room).await?;
        entries.extend(self.log.read(of, part, room).await?);
        entries.sort_by_key(|entry| entry.number);
        let is_ahead = matches!(part, Part::After(_));
        if !is_ahead {
            entries.reverse();
        }
        // Where one store had no more room for it, what comes behind it in the other one is left for the next page.
        let mut before = None;
        let fits = |entry: &&Entry| {
            let follows = before.replace(entry.number).is_none_or(|number: i64| number.abs_diff(entry.number) == 1);
            follows && room.take(entry.body.len())
        };
        let kept = entries.iter().take_while(fits).count();
        entries.truncate(kept);
        if !is_ahead {
            entries.reverse();
        }
        Ok(entries)
    }

    /// The number of the newest entry, 0 where there is none.
    pub async fn last(&self, of: &Of) -> Result<i64> {
        Ok(self.rows.last(of).await?.max(self.log.last(of).await?))
    }

    /// Removes a session's transcript from both stores.
    pub async fn remove(&self, of: &Of) -> Result<()> {
        let number = self.number(of);
        let mut last = number.lock().await;
        self.rows.remove(of).await?;
        self.log.remove(of).await?;
        *last = UNKNOWN;
        Ok(())
    }

    /// The session's last number, locked by whoever appends.
    fn number(&self, of: &Of) -> Arc<tokio::sync::Mutex<i64>> {
        let mut numbers = self.numbers.lock().expect("no panic while held");
        if numbers.len() >= KNOWN_MAX {
            // One that somebody holds stays, so that no two hold one session's.
            numbers.retain(|_, number| Arc::strong_count(number) > 1);
        }
        numbers.entry(of.clone()).or_insert_with(|| Arc::new(tokio::sync::Mutex::new(UNKNOWN))).clone()
    }
}
