//! What engines tell of tools, in the same words for all of them.
//!
//! An engine tells of one use in pieces: first its name, then its input, then its output, and seldom twice the same. They are kept
//! together here, so that every event holds all that is known.

use crate::event::{ToolKind, ToolState, ToolUse};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, VecDeque};

/// How many uses of tools are remembered; the oldest is forgotten first.
const USES_MAX: usize = 1_000;
/// How much of what a tool writes to its terminal is kept: the end.
pub const TERMINAL_BYTES_MAX: usize = 64 << 10;
/// Members of a tool's input that name a file, by all engines.
const PATH_MEMBERS: &[&str] = &[
    "file_path",
    "filePath",
    "filepath",
    "path",
    "notebook_path",
    "absolute_path",
    "source",
    "destination",
    "old_path",
    "new_path",
];

/// What an engine has told of one use of a tool, put together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RawTool {
    /// The engine's name of the use.
    pub id: String,
    /// The title that it was announced with.
    pub first_title: String,
    /// The members of all that was told, the last told of each.
    pub told: Map<String, Value>,
    /// What it wrote to its terminal.
    pub terminal: String,
}

impl RawTool {
    /// A member that is text.
    pub fn text(&self, member: &str) -> Option<&str> {
        self.told.get(member)?.as_str().filter(|text| !text.is_empty())
    }

    fn input(&self) -> &Value {
        self.told.get("rawInput").unwrap_or(&Value::Null)
    }

    fn take(&mut self, told: &Value) {
        for (member, value) in told.as_object().into_iter().flatten() {
            match (member.as_str(), value) {
                (_, Value::Null) | ("sessionUpdate" | "toolCallId", _) => {}
                ("_meta", meta) => self.take_meta(meta),
                // An engine that asks for leave may name less than it did before.
                ("rawInput", Value::Object(input)) if self.input().is_object() => {
                    if let Some(Value::Object(known)) = self.told.get_mut(member) {
                        known.extend(input.clone());
                    }
                }
                ("locations" | "content", Value::Array(none)) if none.is_empty() && self.told.contains_key(member) => {}
                _ => {
                    self.told.insert(member.clone(), value.clone());
                }
            }
        }
    }

    fn take_meta(&mut self, meta: &Value) {
        if let Some(name) = meta["claudeCode"]["toolName"].as_str() {
            self.told.entry("name").or_insert(name.into());
        }
        if let Some(written) = meta["terminal_output"]["data"].as_str() {
            self.terminal += written;
            let over = self.terminal.len().saturating_sub(TERMINAL_BYTES_MAX);
            self.terminal.drain(..self.terminal.ceil_char_boundary(over));
        }
    }

    /// How far it is.
    pub fn state(&self) -> ToolState {
        match self.text("status") {
            Some("in_progress") => ToolState::Running,
            Some("completed") => ToolState::Completed,
            Some("failed") => ToolState::Failed,
            _ => ToolState::Pending,
        }
    }

    /// Output.
    pub fn output(&self) -> Vec<Value> {
        let shown = self.told.get("content").and_then(Value::as_array).into_iter().flatten();
        // A terminal is only referred to: what it shows is kept here.
        let mut output: Vec<Value> = shown.filter(|one| one["type"] != "terminal").cloned().collect();
        if !self.terminal.is_empty() {
            output.push(text_output(&self.terminal));
        }
        if let (true, Some(text)) = (output.is_empty(), self.text("rawOutput")) {
            output.push(text_output(text));
        }
        output
    }
}

/// Text as ACP writes it in a tool's content.
pub fn text_output(text: &str) -> Value {
    json!({"type": "content", "content": {"type": "text", "text": text}})
}

/// The uses of tools of one session.
#[derive(Debug, Default)]
pub struct Tools {
    by_id: HashMap<String, RawTool>,
    order: VecDeque<String>,
}

impl Tools {
    /// Adds what is told of a use, which is named by its `toolCallId`, and gives all that is known of it.
    pub fn tell(&mut self, told: &Value) -> Option<&RawTool> {
        let id = told["toolCallId"].as_str()?;
        if !self.by_id.contains_key(id) {
            if self.order.len() == USES_MAX {
                let oldest = self.order.pop_front().unwrap_or_default();
                self.by_id.remove(&oldest);
            }
            self.order.push_back(id.to_owned());
            let first_title = told["title"].as_str().unwrap_or_default().to_owned();
            self.by_id.insert(id.to_owned(), RawTool { id: id.to_owned(), first_title, ..RawTool::default() });
        }
        let tool = self.by_id.get_mut(id)?;
        tool.take(told);
        Some(tool)
    }
}

/// What a use is, as far as every engine tells it alike.
pub fn normalize(tool: &RawTool) -> ToolUse {
    let kind = kind(tool.text("kind").unwrap_or_default());
    let input = tool.input();
    let cwd = ["cwd", "workdir", "working_directory"].iter().find_map(|member| input[member].as_str());
    ToolUse {
        id: tool.id.clone(),
        name: tool.text("name").map(str::to_owned),
        title: tool.text("title").unwrap_or(&tool.first_title).to_owned(),
        kind,
        command: command(input),
        paths: paths(tool, kind, cwd),
        cwd: cwd.map(str::to_owned),
        input: input.clone(),
    }
}

/// ACP's word for what a tool does.
fn kind(word: &str) -> ToolKind {
    match word {
        "read" => ToolKind::Read,
        "edit" => ToolKind::Edit,
        "delete" => ToolKind::Delete,
        "move" => ToolKind::Move,
        "search" => ToolKind::Search,
        "execute" => ToolKind::Execute,
        "think" => ToolKind::Think,
        "fetch" => ToolKind::Fetch,
        "switch_mode" => ToolKind::SwitchMode,
        _ => ToolKind::Other,
    }
}

fn command(input: &Value) -> Option<String> {
    ["command", "cmd"].iter().find_map(|member| match &input[member] {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Vec<String> = words.iter().filter_map(|word| Some(shell_word(word.as_str()?))).collect();
            Some(words.join(" ")).filter(|line| !line.is_empty())
        }
        _ => None,
    })
}

fn shell_word(word: &str) -> String {
    kit::ids::shell_word(word.as_ref())
}

fn paths(tool: &RawTool, kind: ToolKind, cwd: Option<&str>) -> Vec<String> {
    let list = |member: &str| tool.told.get(member).and_then(Value::as_array).into_iter().flatten();
    let located = list("locations").chain(list("content")).filter_map(|one| one["path"].as_str());
    let input = tool.input();
    let named = PATH_MEMBERS.iter().filter_map(|member| input[member].as_str());
    let many = input["paths"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let changed = input["changes"].as_object().into_iter().flat_map(Map::keys).map(String::as_str);
    let mut paths: Vec<String> = Vec::new();
    for path in located.chain(named).chain(many).chain(changed) {
        // OpenCode names the folder that a command runs in as the place that it works on.
        let is_folder = kind == ToolKind::Execute && Some(path) == cwd;
        if !is_folder && !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_in_pieces_is_put_together() {
        let mut tools = Tools::default();
        tools.tell(&json!({"toolCallId": "a", "title": "Terminal", "kind": "execute", "status": "pending",
            "_meta": {"claudeCode": {"toolName": "Bash"}}, "content": [{"type": "terminal", "terminalId": "a"}]}));
        tools.tell(&json!({"toolCallId": "a", "title": "ls", "rawInput": {"command": "ls", "cwd": "/p"}}));
        tools.tell(&json!({"toolCallId": "a", "_meta": {"terminal_output": {"data": "one\n"}}}));
        let tool = tools
            .tell(&json!({"toolCallId": "a", "status": "completed", "locations": [{"path": "/p"}, {"path": "x"}]}));
        let tool = tool.unwrap();
        let known = normalize(tool);
        assert_eq!((known.name.as_deref(), &*known.title, known.kind), (Some("Bash"), "ls", ToolKind::Execute));
        assert_eq!((known.command.as_deref(), known.cwd.as_deref()), (Some("ls"), Some("/p")));
        assert_eq!(known.paths, ["x"]);
        assert_eq!((tool.state(), tool.output()), (ToolState::Completed, vec![text_output("one\n")]));
    }

    #[test]
    fn memory_is_bounded() {
        let mut tools = Tools::default();
        for n in 0..USES_MAX * 2 {
            tools.tell(&json!({"toolCallId": n.to_string(), "title": "t"}));
        }
        assert_eq!((tools.by_id.len(), tools.order.len()), (USES_MAX, USES_MAX));
        for _ in 0..100 {
            tools.tell(&json!({"toolCallId": "b", "_meta": {"terminal_output": {"data": "é".repeat(1_000)}}}));
        }
        assert!(tools.by_id["b"].terminal.len() <= TERMINAL_BYTES_MAX);
    }

    #[test]
    fn a_command_in_words_is_one_line_and_all_files_are_named() {
        let tool = |input: Value| {
            let mut tools = Tools::default();
            normalize(tools.tell(&json!({"toolCallId": "a", "rawInput": input})).unwrap())
        };
        assert_eq!(tool(json!({"command": ["sh", "-c", "a b"]})).command.as_deref(), Some("sh -c 'a b'"));
        let moved = tool(json!({"source": "a", "destination": "b", "paths": ["c", "a"], "changes": {"d": {}}}));
        assert_eq!(moved.paths, ["a", "b", "c", "d"]);
    }
}
