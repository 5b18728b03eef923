//! Text for a terminal: nothing in an answer may steer it, and widths are counted as they are seen.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Replaces what would steer a terminal or turn the reading direction: control characters and bidirectional overrides.
pub(crate) fn clean(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\n' | '\r' | '\t' => ' ',
            c if c.is_control() || kit::text::is_turning(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// Columns that the text takes.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// The text cut to at most `columns`, with an ellipsis where something was cut.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 0;
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide > columns.saturating_sub(1) {
            break;
        }
        kept.push(c);
        used += wide;
    }
    kept.push('…');
    kept
}

/// `createdAt` as `Created at`.
pub(crate) fn title(member: &str) -> String {
    let mut words = String::new();
    for (i, c) in member.chars().enumerate() {
        match (i, c.is_uppercase()) {
            (0, _) => words.extend(c.to_uppercase()),
            (_, true) => {
                words.push(' ');
                words.extend(c.to_lowercase());
            }
            _ => words.push(c),
        }
    }
    words
}

/// `createdAt` as `created-at`.
pub(crate) fn kebab(member: &str) -> String {
    let mut words = String::new();
    for c in member.chars() {
        match c {
            '_' => words.push('-'),
            c if c.is_uppercase() => {
                words.push('-');
                words.extend(c.to_lowercase());
            }
            c => words.push(c),
        }
    }
    words.trim_start_matches('-').to_owned()
}

/// The first sentence of a doc, without its full stop.
pub(crate) fn first_sentence(doc: &str) -> String {
    let doc = doc.trim();
    let end = doc.match_indices(['.', '\n']).find(|(i, _)| doc[i + 1..].chars().next().is_none_or(char::is_whitespace));
    doc[..end.map_or(doc.len(), |(i, _)| i)].trim().to_owned()
}
