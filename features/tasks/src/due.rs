//! Days and priorities of tasks, in words and as stored.

use crate::fault;
use kit::{Ctx, Result, fault::OUT_OF_RANGE, invalid};
use std::collections::HashSet;
use std::ops::Range;
use when::Day;

/// A task's text, without the words that were understood.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Understood {
    pub(crate) text: String,
    /// As stored; empty if none is mentioned.
    pub(crate) due: String,
    /// The words that mention it.
    pub(crate) due_words: String,
    pub(crate) priority: Option<i64>,
}

/// A day as stored: `2026-03-05`, or `2026-03-05T09:00`.
fn stored(day: Day) -> String {
    match day.time {
        Some(time) => format!("{}T{}", day.date, time.strftime("%H:%M")),
        None => day.date.to_string(),
    }
}

/// Reads a day in words; empty stays empty.
pub(crate) fn read_day(ctx: &Ctx, text: &str, pointer: &str) -> Result<String> {
    if text.trim().is_empty() {
        return Ok(String::new());
    }
    let day = when::day(text, ctx.now_ms(), &ctx.home_zone());
    day.map(stored).map_err(|_| invalid(pointer, fault::NOT_A_DAY, format!("Use {}.", when::EXAMPLES)))
}

/// Rejects a priority that isn't one.
pub(crate) fn expect_priority(priority: i64, pointer: &str) -> Result<i64> {
    match (1..=4).contains(&priority) {
        true => Ok(priority),
        false => Err(invalid(pointer, OUT_OF_RANGE, "Use 1 (urgent), 2 (high), 3 (medium), or 4 (normal).")),
    }
}

/// A priority written into a text: `!1`, or `!high`.
fn priority(word: &str) -> Option<i64> {
    match word.to_lowercase().as_str() {
        "!1" | "!urgent" => Some(1),
        "!2" | "!high" => Some(2),
        "!3" | "!medium" => Some(3),
        "!4" | "!normal" => Some(4),
        _ => None,
    }
}

/// Finds the day and the priority that a text mentions. A text of nothing else is taken as it is.
pub(crate) fn understand(ctx: &Ctx, text: &str) -> Understood {
    understand_edit(ctx, "", text)
}

/// The same for a text that was another one before: a day or a priority without a word that is new stays words.
pub(crate) fn understand_edit(ctx: &Ctx, was: &str, text: &str) -> Understood {
    let plain = Understood { text: text.trim().to_owned(), ..Understood::default() };
    let old: HashSet<String> = words(was).collect();
    let is_new = |mention: &str| words(mention).any(|word| !old.contains(&word));
    let (text, priority) = without_priority(&plain.text, is_new);
    let found = when::find(&text, ctx.now_ms(), &ctx.home_zone());
    let found = found.filter(|found| found.at.iter().any(|at| is_new(&text[at.clone()])));
    let understood = match found {
        Some(found) => Understood {
            due: stored(found.day),
            due_words: found.at.iter().map(|at| &text[at.clone()]).collect::<Vec<_>>().join(" "),
            text: without(&text, &found.at),
            priority,
        },
        None => Understood { text, priority, ..Understood::default() },
    };
    let is_named = understood.text.chars().any(char::is_alphanumeric);
    if is_named { understood } else { plain }
}

/// The words of a text, without signs around them.
fn words(text: &str) -> impl Iterator<Item = String> {
    let plain = |word: &str| word.trim_matches([',', ';', '.', '?', '(', ')']).to_lowercase();
    text.split_whitespace().map(plain).filter(|word| !word.is_empty())
}

/// The text without its last new word that is a priority, and that.
fn without_priority(text: &str, is_new: impl Fn(&str) -> bool) -> (String, Option<i64>) {
    let mut words = text.split_whitespace().rev().filter(|word| is_new(word));
    let Some((word, level)) = words.find_map(|word| priority(word).map(|level| (word, level))) else {
        return (text.to_owned(), None);
    };
    let start = word.as_ptr() as usize - text.as_ptr() as usize;
    (without(text, std::slice::from_ref(&(start..start + word.len()))), Some(level))
}

/// The text without these parts, and without the spaces and commas around them.
fn without(text: &str, parts: &[Range<usize>]) -> String {
    let mut left = String::new();
    let mut from = 0;
    for part in parts.iter().chain(std::iter::once(&(text.len()..text.len()))) {
        let piece = text[from..part.start].trim_matches([' ', '\t', ',', ';']);
        let mut signs = piece.chars();
        // `!2` is a word.
        let is_end =
            signs.next().is_some_and(|sign| ".!?)".contains(sign)) && !signs.next().is_some_and(char::is_alphanumeric);
        if !left.is_empty() && !piece.is_empty() && !is_end {
            left.push(' ');
        }
        left.push_str(piece);
        from = part.end;
    }
    left
}
