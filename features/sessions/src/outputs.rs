//! Output of commands in transcripts: an engine sends all of it again with each update, and here each part is stored
//! once.
//!
//! An entry whose `told` has `more` appends that text to the earlier output; one without replaces it, as in transcripts
//! of older versions.

use crate::transcript::BODY_BYTES_MAX;
use engines::{Event, ToolState};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Maximum running tool calls whose output is tracked; beyond that, the full output is stored.
const USES_MAX: usize = 64;
/// Bytes at the start of an output that are searched for in the older one, if that one's start was dropped.
const OVERLAP_BYTES_MIN: usize = 256;

/// The stored output of running tool calls.
#[derive(Default)]
pub(crate) struct Outputs {
    /// A tool call's output so far, and its input.
    stored: HashMap<String, (String, Value)>,
}

impl Outputs {
    /// An event, in the form of a transcript entry.
    pub(crate) fn shorten(&mut self, event: &Event, hide: impl Fn(String) -> String) -> Value {
        let mut told = json!(event);
        let Event::Tool { tool, state, output } = event else { return told };
        let is_at_work = matches!(state, ToolState::Pending | ToolState::Running);
        let before = self.stored.remove(&tool.id);
        // Secrets are hidden in the whole output, since two parts may each have half of one.
        let (text, more) = match (&before, only_text(output).map(|text| hide(text.to_owned()))) {
            (Some((before, _)), Some(text)) if !before.is_empty() => {
                let more = added(before, &text).map(str::to_owned);
                (text, more)
            }
            // Output that may still grow begins as an addition to nothing.
            (_, Some(text)) => (text.clone(), is_at_work.then_some(text)),
            // Nothing new: the stored output stays.
            (Some((before, _)), None) if output.is_empty() => (before.clone(), Some(String::new())),
            (_, None) => return told,
        };
        if let Some(more) = more {
            told["output"] = json!([]);
            told["more"] = more.into();
        }
        if is_at_work {
            if before.as_ref().is_some_and(|(_, input)| *input == tool.input)
                && let Some(tool) = told["tool"].as_object_mut()
            {
                tool.remove("input");
            }
            // Of an entry that's too large, only the size is stored.
            if text.len() < BODY_BYTES_MAX / 8 {
                if self.stored.len() >= USES_MAX {
                    self.stored.clear();
                }
                self.stored.insert(tool.id.clone(), (text, tool.input.clone()));
            }
        }
        told
    }

    /// Another launch counts its tool calls from the beginning.
    pub(crate) fn clear(&mut self) {
        self.stored.clear();
    }
}

/// The text of an output that has nothing else.
fn only_text(output: &[Value]) -> Option<&str> {
    match output {
        [one] if one["type"] == "content" && one["content"]["type"] == "text" => one["content"]["text"].as_str(),
        _ => None,
    }
}

/// The text added to an older output whose start may have been dropped; none if it's a different text.
fn added<'a>(before: &str, now: &'a str) -> Option<&'a str> {
    if let Some(more) = now.strip_prefix(before) {
        return Some(more);
    }
    let begins =
        now.get(..now.floor_char_boundary(OVERLAP_BYTES_MIN)).filter(|text| text.len() + 4 > OVERLAP_BYTES_MIN)?;
    before.match_indices(begins).find_map(|(at, _)| now.strip_prefix(&before[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engines::ToolUse;

    #[test]
    fn what_is_hidden_is_hidden_in_the_whole() {
        let mut outputs = Outputs::default();
        let mut told = |text: &str, state| {
            let (name, command, cwd) = (None, Some("env".to_owned()), None);
            let (title, kind, paths) = ("env".to_owned(), engines::ToolKind::Execute, Vec::new());
            let tool = ToolUse { id: "t".into(), name, title, kind, command, paths, cwd, input: Value::Null };
            let output = vec![json!({"type": "content", "content": {"type": "text", "text": text}})];
            let event = Event::Tool { tool, state, output };
            outputs.shorten(&event, |text| text.replace("secret", "…"))
        };
        assert_eq!(told("a sec", ToolState::Running)["more"], "a sec");
        let whole = told("a secret b", ToolState::Running);
        assert!(whole["more"] == "a … b" || whole["more"].is_null(), "{whole}");
        assert_eq!(told("a secret b c", ToolState::Completed)["more"], " c");
    }

    #[test]
    fn what_is_added_is_found_also_where_the_beginning_was_dropped() {
        let line = |n: usize| format!("line {n} of many\n");
        let all: String = (0..100).map(line).collect();
        assert_eq!(added("", "a"), Some("a"));
        assert_eq!(added("ab", "abc"), Some("c"));
        assert_eq!(added("ab", "ab"), Some(""));
        assert_eq!(added("ab", "xb"), None);
        let later = format!("{}more", &all[500..]);
        assert_eq!(added(&all, &later), Some("more"));
        assert_eq!(added("é", &"é".repeat(300)), Some(&*"é".repeat(299)));
    }
}
