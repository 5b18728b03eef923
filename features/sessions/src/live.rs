//! Live updates of a session for open pages: the newest entries before they are written, and changes of its record.
//!
//! Invariants: a session never waits for listeners; the buffered entries are bounded, however slow listeners are: all
//! read the same few entries, and a listener that falls behind reads on from the transcript.

use crate::facts::Facts;
use crate::records::Sums;
use crate::transcript::Entry;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Maximum buffered entries.
const TAIL_ENTRIES_MAX: usize = 512;
/// Maximum bytes of buffered entries, not counting the newest one.
const TAIL_BYTES_MAX: usize = 1024 * 1024;

/// The live state of one session, for open pages.
pub(crate) struct Live {
    state: Mutex<LiveState>,
    news: watch::Sender<()>,
}

#[derive(Default)]
struct LiveState {
    tail: VecDeque<Entry>,
    bytes: usize,
    last: i64,
    /// Increases when sent entry numbers become invalid.
    epoch: u64,
    /// Increases with each change of the record.
    record: u64,
    stats: Option<LiveStats>,
}

/// Kept in memory: changes too often to persist.
#[derive(Clone)]
pub(crate) struct LiveStats {
    pub(crate) sums: Sums,
    pub(crate) facts: Arc<Facts>,
}

/// Updates for a listener.
pub(crate) struct News {
    pub(crate) epoch: u64,
    pub(crate) record: u64,
    /// The number of the newest sent entry; 0 if there is none.
    pub(crate) last: i64,
    /// The entries from the requested one on, without gaps; empty if that one is no longer buffered.
    pub(crate) entries: Vec<Entry>,
}

impl Live {
    pub(crate) fn new() -> Live {
        Live { state: Mutex::default(), news: watch::Sender::new(()) }
    }

    /// A receiver that is notified of each update.
    pub(crate) fn listen(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    /// Whether there are listeners.
    pub(crate) fn is_heard(&self) -> bool {
        self.news.receiver_count() > 0
    }

    /// Sends an entry, with the number that it will have.
    pub(crate) fn entry(&self, number: i64, at_ms: i64, body: &str) {
        let mut state = self.lock();
        state.last = number;
        if !self.is_heard() {
            (state.tail, state.bytes) = (VecDeque::new(), 0);
            return;
        }
        state.bytes += body.len();
        state.tail.push_back(Entry { number, at_ms, body: body.to_owned() });
        while state.tail.len() > 1 && (state.tail.len() > TAIL_ENTRIES_MAX || state.bytes > TAIL_BYTES_MAX) {
            let gone = state.tail.pop_front().map_or(0, |entry| entry.body.len());
            state.bytes -= gone;
        }
        drop(state);
        self.news.send_replace(());
    }

    /// Sent entry numbers may be wrong, so listeners have to reload.
    pub(crate) fn reset(&self) {
        let mut state = self.lock();
        (state.tail, state.bytes, state.last) = (VecDeque::new(), 0, 0);
        state.epoch += 1;
        drop(state);
        self.news.send_replace(());
    }

    /// The record changed.
    pub(crate) fn changed(&self, stats: Option<LiveStats>) {
        let mut state = self.lock();
        state.record += 1;
        state.stats = stats.or(state.stats.take());
        drop(state);
        self.news.send_replace(());
    }

    /// The latest values that are kept in memory only.
    pub(crate) fn stats(&self) -> Option<LiveStats> {
        self.lock().stats.clone()
    }

    /// The number of the newest sent entry; 0 if there is none.
    pub(crate) fn last(&self) -> i64 {
        self.lock().last
    }

    /// Updates from an entry on.
    pub(crate) fn from(&self, next: i64) -> News {
        let state = self.lock();
        let first = state.tail.front().map_or(i64::MAX, |entry| entry.number);
        let entries = match usize::try_from(next - first) {
            Ok(skip) => state.tail.iter().skip(skip).cloned().collect(),
            Err(_) => Vec::new(),
        };
        News { epoch: state.epoch, record: state.record, last: state.last, entries }
    }

    fn lock(&self) -> MutexGuard<'_, LiveState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
