//! The marker that agents print before their final answer. Readers never see it.

use std::borrow::Cow;

/// The marker, on a line of its own: a comment in Markdown. Case and spaces in it don't matter.
pub const MARKER: &str = "<!-- final -->";

/// What agents are told about the marker.
pub const INSTRUCTION: &str = "Before your final answer, print a line with only `<!-- final -->`.";

/// The part of a line after the marker, if the line begins with it.
pub fn after_marker(line: &str) -> Option<&str> {
    let mut rest = line;
    for sign in MARKER.chars().filter(|sign| *sign != ' ') {
        rest = rest.trim_start_matches([' ', '\t']);
        rest = rest.strip_prefix(|next: char| next.eq_ignore_ascii_case(&sign))?;
    }
    Some(rest)
}

/// A text without its markers. Those in code blocks stay.
pub fn without_markers(text: &str) -> Cow<'_, str> {
    if !text.contains("<!") {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut is_in_code = false;
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        is_in_code ^= start.starts_with("```") || start.starts_with("~~~");
        match after_marker(line).filter(|_| !is_in_code) {
            Some(rest) => shown.push_str(rest.trim_start()),
            None => shown.push_str(line),
        }
    }
    Cow::Owned(shown)
}
