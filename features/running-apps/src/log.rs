//! The last lines that an app wrote.
//!
//! Invariant: memory is bounded, however much or however long lines an app writes.

use std::collections::VecDeque;
use std::sync::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;

/// Maximum lines that are kept.
pub(crate) const LINES_MAX: usize = 1_000;
/// Maximum bytes of one line; the rest is left out.
pub(crate) const LINE_BYTES_MAX: usize = 2_000;
const READ_BYTES: usize = 16 * 1024;

/// Lines with their numbers, from 1.
pub(crate) struct Log {
    kept: Mutex<Kept>,
    newest: watch::Sender<u64>,
}

#[derive(Default)]
struct Kept {
    lines: VecDeque<String>,
    /// The number of the newest line.
    newest: u64,
}

impl Log {
    pub(crate) fn new() -> Log {
        Log { kept: Mutex::default(), newest: watch::Sender::new(0) }
    }

    pub(crate) fn push(&self, line: &[u8]) {
        let line = plain(line);
        let newest = {
            let mut kept = self.kept.lock().expect("the lock isn't poisoned");
            if kept.lines.len() == LINES_MAX {
                kept.lines.pop_front();
            }
            kept.lines.push_back(line);
            kept.newest += 1;
            kept.newest
        };
        self.newest.send_replace(newest);
    }

    /// Up to `count` of the newest lines after a number, and the number of the first of them.
    pub(crate) fn last(&self, count: usize, after: u64) -> (u64, Vec<String>) {
        let kept = self.kept.lock().expect("the lock isn't poisoned");
        let fresh = usize::try_from(kept.newest.saturating_sub(after)).unwrap_or(usize::MAX);
        let count = count.min(fresh).min(kept.lines.len());
        let lines = kept.lines.range(kept.lines.len() - count..).cloned().collect();
        (kept.newest - count as u64 + 1, lines)
    }

    /// Tells when lines come.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    /// Reads lines to the end.
    pub(crate) async fn read(&self, mut from: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; READ_BYTES];
        let mut line = Vec::new();
        while let Ok(length @ 1..) = from.read(&mut buffer).await {
            for part in buffer[..length].split_inclusive(|byte| *byte == b'\n') {
                let (text, is_whole) = match part.strip_suffix(b"\n") {
                    Some(text) => (text, true),
                    None => (part, false),
                };
                let room = LINE_BYTES_MAX - line.len();
                line.extend_from_slice(&text[..text.len().min(room)]);
                if is_whole {
                    self.push(&line);
                    line.clear();
                }
            }
        }
        if !line.is_empty() {
            self.push(&line);
        }
    }
}

/// A line without escape sequences and other control characters.
fn plain(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut out = String::with_capacity(text.len());
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\u{1b}' => match signs.next() {
                // Parameters, up to a final letter.
                Some('[') => while signs.next().is_some_and(|sign| !('\u{40}'..='\u{7e}').contains(&sign)) {},
                // A text, up to a bell or another escape.
                Some(']') => while signs.next().is_some_and(|sign| sign != '\u{7}' && sign != '\u{1b}') {},
                _ => {}
            },
            // What follows replaces the line, as in a progress bar.
            '\r' if signs.peek().is_some() => out.clear(),
            '\t' => out.push(sign),
            sign if sign.is_control() => {}
            sign => out.push(sign),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_are_read_plain_and_within_bounds() {
        let log = Log::new();
        let long = "x".repeat(5_000);
        let text = format!("\u{1b}[32mready\u{1b}[0m\r\n10%\r100%\n{long}\nno end");
        log.read(text.as_bytes()).await;
        let long = "x".repeat(LINE_BYTES_MAX);
        assert_eq!(log.last(10, 0), (1, vec!["ready".into(), "100%".into(), long, "no end".into()]));
        assert_eq!(log.last(1, 0), (4, vec!["no end".into()]));
        assert_eq!(log.last(10, 3), (4, vec!["no end".into()]));
        assert_eq!(log.last(10, 4), (5, vec![]));
        log.read("y\n".repeat(3 * LINES_MAX).as_bytes()).await;
        let (first, lines) = log.last(usize::MAX, 0);
        assert_eq!((first, lines.len()), (2 * LINES_MAX as u64 + 5, LINES_MAX));
    }
}
