//! What happened and was not yet taken, in bounded memory.
//!
//! Whoever tells faster than the other side takes is told to wait, and what only adds to what came before is put together with it.

use crate::event::{Chunk, Event};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Events that may wait.
pub const EVENTS_MAX: usize = 1_000;
/// Bytes, as they came from the engine, that may wait.
pub const EVENT_BYTES_MAX: usize = 32 << 20;
/// How long a text grows when pieces of it are put together.
const CHUNK_BYTES_MAX: usize = 64 << 10;

#[derive(Default)]
struct Waiting {
    events: VecDeque<(Event, usize)>,
    bytes: usize,
    is_closed: bool,
}

/// The queue between a connection and who listens to it.
#[derive(Default)]
pub struct Queue {
    waiting: Mutex<Waiting>,
    filled: Notify,
    emptied: Notify,
    gather_ms: AtomicU32,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event that came in so many bytes. It is never refused: who tells asks for room first.
    pub fn push(&self, event: Event, bytes: usize) {
        let mut waiting = self.lock();
        let event = match waiting.events.back_mut() {
            Some((last, last_bytes)) => match absorb(last, event) {
                None => {
                    *last_bytes += bytes;
                    waiting.bytes += bytes;
                    return;
                }
                Some(event) => event,
            },
            None => event,
        };
        waiting.events.push_back((event, bytes));
        waiting.bytes += bytes;
        drop(waiting);
        self.filled.notify_one();
    }

    /// Whether more may be told.
    pub fn has_room(&self) -> bool {
        let waiting = self.lock();
        waiting.events.len() < EVENTS_MAX && waiting.bytes < EVENT_BYTES_MAX
    }

    /// For how long pieces of a text that come one after another are gathered before they are read.
    pub fn gathers(&self) -> Duration {
        Duration::from_millis(self.gather_ms.load(Relaxed).into())
    }

    /// Sets for how long they are.
    pub fn gather(&self, within: Duration) {
        self.gather_ms.store(within.as_millis().try_into().unwrap_or(u32::MAX), Relaxed);
    }

    /// Is done when something was taken.
    pub async fn emptied(&self) {
        self.emptied.notified().await;
    }

    /// Nothing more comes.
    pub fn close(&self) {
        self.lock().is_closed = true;
        self.filled.notify_one();
    }

    /// The next event, or `None` when nothing more comes.
    pub async fn next(&self) -> Option<Event> {
        loop {
            {
                let mut waiting = self.lock();
                if let Some((event, bytes)) = waiting.events.pop_front() {
                    waiting.bytes -= bytes;
                    drop(waiting);
                    self.emptied.notify_one();
                    return Some(event);
                }
                if waiting.is_closed {
                    return None;
                }
            }
            self.filled.notified().await;
        }
    }
}

/// Puts an event together with the one before it; gives it back where both are needed.
pub fn absorb(last: &mut Event, next: Event) -> Option<Event> {
    match (last, next) {
        (
            Event::Said { chunk: before, message: to, phase: of },
            Event::Said { chunk: Chunk::Text { text }, message, phase },
        ) if *to == message && *of == phase => append(before, text).map(|chunk| Event::Said { chunk, message, phase }),
        (Event::Thought { chunk: before }, Event::Thought { chunk: Chunk::Text { text } }) => {
            append(before, text).map(|chunk| Event::Thought { chunk })
        }
        (Event::Used { usage: before }, Event::Used { usage }) if usage.cost.is_some() || before.cost.is_none() => {
            *before = usage;
            None
        }
        (last @ Event::Tool { .. }, next @ Event::Tool { .. }) if tool_id(last) == tool_id(&next) => {
            *last = next;
            None
        }
        (_, next) => Some(next),
    }
}

fn tool_id(event: &Event) -> Option<&str> {
    if let Event::Tool { tool, .. } = event { Some(&tool.id) } else { None }
}

/// Adds text to a chunk of text; gives it back where it does not fit.
fn append(before: &mut Chunk, text: String) -> Option<Chunk> {
    match before {
        Chunk::Text { text: known } if known.len() + text.len() <= CHUNK_BYTES_MAX => {
            *known += &text;
            None
        }
        _ => Some(Chunk::Text { text }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, message: &str) -> Event {
        Event::Said { chunk: Chunk::Text { text: text.into() }, message: Some(message.into()), phase: None }
    }

    #[tokio::test]
    async fn pieces_of_one_text_are_put_together_and_nothing_is_lost() {
        let queue = Queue::default();
        for _ in 0..200_000 {
            queue.push(said("word ", "a"), 5);
        }
        queue.push(said("other", "b"), 5);
        queue.close();
        let (mut count, mut bytes) = (0, 0);
        while let Some(Event::Said { chunk: Chunk::Text { text }, .. }) = queue.next().await {
            (count, bytes) = (count + 1, bytes + text.len());
        }
        assert_eq!((bytes, count), (1_000_005, 1_000_005 / CHUNK_BYTES_MAX + 2));
    }

    #[tokio::test]
    async fn a_full_queue_has_room_again_once_taken_from() {
        let queue = Queue::default();
        queue.push(Event::Notice { text: "big".into() }, EVENT_BYTES_MAX);
        assert!(!queue.has_room());
        queue.next().await;
        assert!(queue.has_room());
        for n in 0..EVENTS_MAX {
            queue.push(Event::Notice { text: n.to_string() }, 1);
        }
        assert!(!queue.has_room());
    }
}
