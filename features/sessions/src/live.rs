//! What pages hear of a session while it happens: the newest entries before they are written, and that its record changed.
//!
//! Invariants: a session never waits for who listens; what is held for listeners is bounded however slow they are, since all of
//! them read the same few entries, and who falls behind them reads on from the transcript.

use crate::facts::Facts;
use crate::kept::Sums;
use crate::transcript::Entry;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Entries that are held for listeners.
const TAIL_ENTRIES_MAX: usize = 512;
/// Bytes of them, but for the newest one.
const TAIL_BYTES_MAX: usize = 1024 * 1024;

/// What is heard of one session.
pub(crate) struct Live {
    told: Mutex<Told>,
    news: watch::Sender<()>,
}

#[derive(Default)]
struct Told {
    tail: VecDeque<Entry>,
    bytes: usize,
    last: i64,
    /// Goes up when numbers that were told hold no longer.
    epoch: u64,
    /// Goes up with each change of the record.
    record: u64,
    vital: Option<Vital>,
}

/// What changes too often to be written down each time.
#[derive(Clone)]
pub(crate) struct Vital {
    pub(crate) sums: Sums,
    pub(crate) facts: Arc<Facts>,
}

/// What there is for a listener.
pub(crate) struct News {
    pub(crate) epoch: u64,
    pub(crate) record: u64,
    /// The number of the newest entry that was told; 0 where none was.
    pub(crate) last: i64,
    /// From the one that was asked for on, without a gap; empty where that one is not held any more.
    pub(crate) entries: Vec<Entry>,
}

impl Live {
    pub(crate) fn new() -> Live {
        Live { told: Mutex::default(), news: watch::Sender::new(()) }
    }

    /// Something to wait for: it changes whenever there are news.
    pub(crate) fn listen(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }

    /// Whether anybody listens.
    pub(crate) fn is_heard(&self) -> bool {
        self.news.receiver_count() > 0
    }

    /// Tells an entry that will have this number.
    pub(crate) fn entry(&self, number: i64, at_ms: i64, body: &str) {
        let mut told = self.lock();
        told.last = number;
        if !self.is_heard() {
            (told.tail, told.bytes) = (VecDeque::new(), 0);
            return;
        }
        told.bytes += body.len();
        told.tail.push_back(Entry { number, at_ms, body: body.to_owned() });
        while told.tail.len() > 1 && (told.tail.len() > TAIL_ENTRIES_MAX || told.bytes > TAIL_BYTES_MAX) {
            let gone = told.tail.pop_front().map_or(0, |entry| entry.body.len());
            told.bytes -= gone;
        }
        drop(told);
        self.news.send_replace(());
    }

    /// Numbers that were told may be wrong: who listens reads again.
    pub(crate) fn reset(&self) {
        let mut told = self.lock();
        (told.tail, told.bytes, told.last) = (VecDeque::new(), 0, 0);
        told.epoch += 1;
        drop(told);
        self.news.send_replace(());
    }

    /// The record changed.
    pub(crate) fn changed(&self, vital: Option<Vital>) {
        let mut told = self.lock();
        told.record += 1;
        told.vital = vital.or(told.vital.take());
        drop(told);
        self.news.send_replace(());
    }

    /// What was told last of what is not written down each time.
    pub(crate) fn vital(&self) -> Option<Vital> {
        self.lock().vital.clone()
    }

    /// The number of the newest entry that was told; 0 where none was.
    pub(crate) fn last(&self) -> i64 {
        self.lock().last
    }

    /// What there is from an entry on.
    pub(crate) fn from(&self, next: i64) -> News {
        let told = self.lock();
        let first = told.tail.front().map_or(i64::MAX, |entry| entry.number);
        let entries = match usize::try_from(next - first) {
            Ok(skip) => told.tail.iter().skip(skip).cloned().collect(),
            Err(_) => Vec::new(),
        };
        News { epoch: told.epoch, record: told.record, last: told.last, entries }
    }

    fn lock(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
