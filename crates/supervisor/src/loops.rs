//! Detects loops: the same tool with the same input and result, again and again.
//!
//! `state` decides how a session is restarted, and how often.

use engines::ToolUse;
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Number of repeats that count as a loop.
pub const REPEATS: u32 = 5;

/// Members of a tool's input that are only remarks.
const REMARKS: [&str; 2] = ["description", "timeout"];

/// Watches the tool calls of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Breaker {
    last: Option<(u64, u64)>,
    times: u32,
}

impl Breaker {
    /// Records a tool call that ended, successfully or not, with its result. Once there is a loop, it returns a
    /// description for the note after the restart, and counting begins again. Call it only while
    /// `readLoopBreakerEnabled` is on.
    ///
    /// Counting also begins again with another tool, input, or result (the file changed).
    pub fn observe(&mut self, tool: &ToolUse, output: &[Value]) -> Option<String> {
        let this = (hash_of_input(tool), hash_of(output));
        self.times = if self.last == Some(this) { self.times + 1 } else { 1 };
        self.last = Some(this);
        if self.times < REPEATS {
            return None;
        }
        *self = Breaker::default();
        let what = tool.command.as_deref().unwrap_or(&tool.title);
        let what: String = what.chars().take(200).collect();
        Some(format!("{what} was repeated {REPEATS} times with the same result"))
    }
}

fn hash_of_input(tool: &ToolUse) -> u64 {
    let mut hasher = DefaultHasher::new();
    tool.name.hash(&mut hasher);
    tool.kind.hash(&mut hasher);
    tool.cwd.hash(&mut hasher);
    tool.paths.hash(&mut hasher);
    match &tool.command {
        // The rest of the input repeats the command or is a remark.
        Some(command) => command.split_whitespace().for_each(|word| word.hash(&mut hasher)),
        None => normalized(&tool.input).hash(&mut hasher),
    }
    hasher.finish()
}

/// The input with sorted members and without remarks.
fn normalized(input: &Value) -> String {
    let Value::Object(members) = input else { return input.to_string() };
    let mut members: Vec<_> = members.iter().filter(|(name, _)| !REMARKS.contains(&name.as_str())).collect();
    members.sort_by_key(|(name, _)| *name);
    members.iter().map(|(name, value)| format!("{name}={value};")).collect()
}

fn hash_of(output: &[Value]) -> u64 {
    let mut hasher = DefaultHasher::new();
    output.iter().for_each(|value| value.to_string().hash(&mut hasher));
    hasher.finish()
}
