//! Keys and tokens are taken out of what engines write before anybody keeps it.

use std::collections::VecDeque;

/// How much of an engine's standard error is kept.
pub const TAIL_BYTES_MAX: usize = 16 << 10;
/// The longest line that is kept of it; a longer one loses its end.
const TAIL_LINE_BYTES_MAX: usize = 2 << 10;
/// How keys of services begin, and how many characters follow at least.
const KEYS: &[(&str, usize)] = &[
    ("sk-", 8),
    ("sk_live_", 8),
    ("AIza", 20),
    ("ghp_", 16),
    ("gho_", 16),
    ("ghs_", 16),
    ("github_pat_", 16),
    ("glpat-", 16),
    ("xoxb-", 8),
    ("xoxp-", 8),
    ("AKIA", 16),
    ("eyJ", 40),
    ("Bearer ", 8),
];
/// What stands in the place of a key.
const HIDDEN: &str = "…";

/// The text without what has the form of a key or a token.
pub fn without_secrets(text: &str) -> String {
    let text = kit::ids::without_tokens(text);
    let mut shown = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some((at, begins, length)) = key_in(rest) {
        shown += &rest[..at + begins];
        shown += HIDDEN;
        rest = &rest[at + length..];
    }
    shown + rest
}

/// Where the first key begins, the bytes of its beginning and all of its bytes.
fn key_in(text: &str) -> Option<(usize, usize, usize)> {
    let is_part = |sign: &u8| sign.is_ascii_alphanumeric() || matches!(sign, b'-' | b'_' | b'.');
    let found = KEYS.iter().filter_map(|(begins, more_min)| {
        text.match_indices(begins).find_map(|(at, _)| {
            let is_start = !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
            let more = text.as_bytes()[at + begins.len()..].iter().take_while(|sign| is_part(sign)).count();
            (is_start && more >= *more_min).then_some((at, begins.len(), begins.len() + more))
        })
    });
    found.min()
}

/// The last lines of what an engine wrote beside the protocol, of bounded size and without secrets.
#[derive(Debug, Default)]
pub struct Tail {
    lines: VecDeque<String>,
    bytes: usize,
    pushed: usize,
}

impl Tail {
    /// Adds a line and drops the oldest where they are too many.
    pub fn push(&mut self, line: &[u8]) {
        let cut = &line[..line.len().min(TAIL_LINE_BYTES_MAX)];
        let line = without_secrets(String::from_utf8_lossy(cut).trim_end());
        self.bytes += line.len() + 1;
        self.pushed += 1;
        self.lines.push_back(line);
        while self.bytes > TAIL_BYTES_MAX
            && let Some(oldest) = self.lines.pop_front()
        {
            self.bytes -= oldest.len() + 1;
        }
    }

    /// All of it, line by line.
    pub fn text(&self) -> String {
        self.since(0)
    }

    /// How many lines were added so far.
    pub fn pushed(&self) -> usize {
        self.pushed
    }

    /// What was added after so many lines, as far as it wasn't dropped.
    pub fn since(&self, pushed: usize) -> String {
        let dropped = self.pushed - self.lines.len();
        self.lines.iter().skip(pushed.saturating_sub(dropped)).map(String::as_str).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_do_not_stay() {
        for (text, shown) in [
            ("invalid x-api-key sk-ant-api03-abcdefgh_1234, sorry", "invalid x-api-key sk-…, sorry"),
            ("Authorization: Bearer abcdefghij.klm", "Authorization: Bearer …"),
            ("two sk-aaaaaaaaa and sk-bbbbbbbbb", "two sk-… and sk-…"),
            ("task-management and disk-usage stay", "task-management and disk-usage stay"),
            ("sk-1", "sk-1"),
            ("APP_CLI_TOKEN=ph_ses_0123456789abcdef0123", "APP_CLI_TOKEN=ph_…"),
        ] {
            assert_eq!(without_secrets(text), shown);
        }
    }

    #[test]
    fn a_tail_keeps_the_end_and_no_more_than_it_may() {
        let mut tail = Tail::default();
        for n in 0..100_000 {
            tail.push(format!("line {n}\n").as_bytes());
        }
        tail.push(&vec![b'x'; 1 << 20]);
        let text = tail.text();
        assert!(text.len() <= TAIL_BYTES_MAX, "{}", text.len());
        assert!(text.contains("line 99999\nxxx") && !text.contains("line 1\n"));
    }
}
