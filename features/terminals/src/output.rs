//! A terminal's output: the newest part, in memory, for those who watch.
//!
//! Invariant: memory is bounded. A program that writes faster than its viewers read is slowed down; a viewer that stops
//! reading misses output and is told so.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::watch;

/// Bytes kept to show the screen again.
pub(crate) const KEPT_BYTES_MAX: usize = 256 * 1024;
/// Bytes that the slowest viewer may be behind before the program waits.
const BEHIND_BYTES_MAX: u64 = 128 * 1024;
/// Maximum bytes that a viewer gets at once.
const PIECE_BYTES_MAX: usize = 32 * 1024;
/// How long the program waits for a viewer that doesn't read.
const PATIENCE: Duration = Duration::from_secs(5);

/// How a terminal ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The shell ended, with its exit code if known.
    Exited(Option<u32>),
    /// The terminal was closed.
    Closed,
}

/// What a terminal's program has written. Positions count all bytes since its start.
pub(crate) struct Output {
    state: Mutex<State>,
    /// Signaled when a viewer has read or is gone.
    read: Condvar,
    news: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    kept: VecDeque<u8>,
    end: u64,
    /// Positions of viewers.
    viewers: HashMap<u64, u64>,
    viewers_made: u64,
    ended: Option<Ended>,
}

impl State {
    fn start(&self) -> u64 {
        self.end - self.kept.len() as u64
    }

    fn is_far_ahead(&self) -> bool {
        self.ended.is_none() && self.viewers.values().any(|at| self.end - at > BEHIND_BYTES_MAX)
    }
}

/// The next output for a viewer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Output up to a position. `is_replay` if it was written before the viewer came.
    Output { bytes: Vec<u8>, to: u64, is_replay: bool },
    /// Output before the next piece is missing: the screen starts anew.
    Missed,
    /// All output was read, and the terminal has ended.
    Ended(Ended),
}

impl Output {
    pub(crate) fn new() -> Arc<Output> {
        Arc::new(Output { state: Mutex::default(), read: Condvar::new(), news: watch::channel(()).0 })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("the lock isn't poisoned")
    }

    /// Adds what the program wrote. Waits for slow viewers.
    pub(crate) fn push(&self, bytes: &[u8]) {
        let mut state = self.state();
        if state.is_far_ahead() {
            state = self.read.wait_timeout_while(state, PATIENCE, |state| state.is_far_ahead()).expect("as above").0;
            let end = state.end;
            // Whoever still doesn't read misses output from now on, and nobody waits for it again.
            state.viewers.retain(|_, at| end - *at <= BEHIND_BYTES_MAX);
        }
        state.kept.extend(bytes);
        state.end += bytes.len() as u64;
        let surplus = state.kept.len().saturating_sub(KEPT_BYTES_MAX);
        state.kept.drain(..surplus);
        self.news.send_replace(());
    }

    /// Marks the end. The first one counts.
    pub(crate) fn end(&self, ended: Ended) {
        self.state().ended.get_or_insert(ended);
        self.read.notify_all();
        self.news.send_replace(());
    }

    /// How it ended, if it did.
    pub(crate) fn ended(&self) -> Option<Ended> {
        self.state().ended
    }

    /// Starts to watch after a position, or from the oldest kept output.
    pub(crate) fn watch(self: &Arc<Output>, after: Option<u64>) -> Viewer {
        let news = self.news.subscribe();
        let mut state = self.state();
        state.viewers_made += 1;
        let id = state.viewers_made;
        let resumed = after.filter(|after| (state.start()..=state.end).contains(after));
        let at = resumed.unwrap_or_else(|| state.start());
        let has_missed = resumed.is_none() && (after.is_some() || at > 0);
        let live_from = if resumed.is_some() { at } else { state.end };
        state.viewers.insert(id, at);
        drop(state);
        Viewer { output: self.clone(), news, id, at, live_from, has_missed }
    }
}

/// Somebody who watches a terminal.
pub(crate) struct Viewer {
    output: Arc<Output>,
    news: watch::Receiver<()>,
    id: u64,
    at: u64,
    live_from: u64,
    has_missed: bool,
}

impl Viewer {
    /// Where it stands.
    pub(crate) fn position(&self) -> u64 {
        self.at
    }

    /// The next piece, without waiting.
    pub(crate) fn take(&mut self) -> Option<Piece> {
        self.news.mark_unchanged();
        let mut state = self.output.state();
        if self.at < state.start() {
            (self.at, self.live_from, self.has_missed) = (state.start(), state.end, true);
        }
        if self.has_missed {
            self.has_missed = false;
            // The first line is incomplete.
            let cut = state.kept.iter().position(|byte| *byte == b'\n').map_or(0, |at| at as u64 + 1);
            if state.start() > 0 && self.at == state.start() {
                self.at += cut;
            }
            state.viewers.insert(self.id, self.at);
            return Some(Piece::Missed);
        }
        let skipped = (self.at - state.start()) as usize;
        let is_replay = self.at < self.live_from;
        let until = if is_replay { self.live_from.min(state.end) } else { state.end };
        let length = ((until - self.at) as usize).min(PIECE_BYTES_MAX);
        if length == 0 {
            return state.ended.map(Piece::Ended);
        }
        let bytes = state.kept.range(skipped..skipped + length).copied().collect();
        self.at += length as u64;
        state.viewers.insert(self.id, self.at);
        drop(state);
        self.output.read.notify_all();
        Some(Piece::Output { bytes, to: self.at, is_replay })
    }

    /// Waits until there may be another piece.
    pub(crate) async fn changed(&mut self) {
        // The sender lives as long as this: both belong to the output.
        let _ = self.news.changed().await;
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.output.state().viewers.remove(&self.id);
        self.output.read.notify_all();
    }
}
