//! What engines tell a hook before a tool runs, and what they take as its answer.
//!
//! Measured with Claude and Codex, which use one form: JSON on standard input, JSON on standard output, and status 2 as a refusal.
//! Any other failure of a hook they take for leave, so the line that they run turns every failure into status 2. Codex takes
//! `ask` for leave too.

use crate::event::ToolUse;
use crate::launch;
use crate::port::Engine;
use crate::tool::RawTool;
use serde_json::{Map, Value, json};

/// The status that is a refusal.
pub const REFUSED: u8 = 2;
/// Seconds that an engine waits for a hook; when they are over it goes on without an answer. A person may take longer than the
/// minute that engines wait otherwise.
pub const WAIT_SECS: u32 = 7 * 24 * 3_600;

/// What a hook answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer<'a> {
    /// Nothing: the engine's own rules go on, and may still ask.
    Pass,
    /// The engine is to ask the person, for this reason.
    Ask(&'a str),
    /// The tool does not run, for this reason.
    Deny(&'a str),
    /// The tool runs with this input in place of its own, without asking again.
    Replace(&'a Value),
}

impl Answer<'_> {
    /// As engines read it; nothing at all for [`Answer::Pass`].
    pub fn text(self) -> String {
        let (decision, why, input) = match self {
            Answer::Pass => return String::new(),
            Answer::Ask(why) => ("ask", why, None),
            Answer::Deny(why) => ("deny", why, None),
            Answer::Replace(input) => ("allow", "Allowed by the user's rules", Some(input)),
        };
        let mut output = json!({
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": why,
        });
        if let Some(input) = input {
            output["updatedInput"] = input.clone();
        }
        json!({ "hookSpecificOutput": output }).to_string()
    }
}

/// The hook as engines have it in their configuration.
pub(crate) fn configured(words: &[String]) -> Value {
    let line = format!("{} || exit {REFUSED}", launch::shell_line(words));
    json!({"type": "command", "command": line, "timeout": WAIT_SECS})
}

/// What a tool's name says of it, in the protocol's words.
fn kind(name: &str) -> &'static str {
    match name.to_ascii_lowercase().as_str() {
        "bash" | "shell" | "local_shell" | "exec_command" | "unified_exec" => "execute",
        "read" | "notebookread" | "view_image" => "read",
        "edit" | "multiedit" | "write" | "notebookedit" | "apply_patch" | "patch" => "edit",
        "glob" | "grep" | "ls" | "list" => "search",
        "webfetch" | "websearch" | "web_search" => "fetch",
        "exitplanmode" => "switch_mode",
        // What these start is told by itself.
        "todowrite" | "todoread" | "task" | "agent" | "taskoutput" | "update_plan" | "askuserquestion" | "question"
        | "toolsearch" | "skill" | "enterplanmode" | "bashoutput" | "killshell" => "think",
        _ => "other",
    }
}

/// The use of a tool that a hook is told of. What nobody here knows is of the kind that is asked about.
pub fn tool(engine: &dyn Engine, event: &Value) -> ToolUse {
    let name = event["tool_name"].as_str().unwrap_or_default();
    let input = &event["tool_input"];
    let command = input["command"].as_str().or_else(|| input["cmd"].as_str()).unwrap_or_default();
    let kind = kind(name);
    let title = if kind == "execute" && !command.is_empty() { command } else { name };
    let mut told = Map::new();
    told.insert("name".into(), name.into());
    told.insert("title".into(), title.into());
    told.insert("kind".into(), kind.into());
    told.insert("rawInput".into(), input.clone());
    if kind == "edit" {
        let patched =
            command.lines().chain(input["patchText"].as_str().unwrap_or_default().lines()).filter_map(patched);
        told.insert("locations".into(), patched.map(|path| json!({ "path": path })).collect());
    }
    let id = event["tool_use_id"].as_str().unwrap_or_default().to_owned();
    let raw = RawTool { id, first_title: name.to_owned(), told, ..RawTool::default() };
    let known = engine.normalize(&raw);
    let cwd = known.cwd.clone().or_else(|| event["cwd"].as_str().map(str::to_owned));
    ToolUse { cwd, ..known }
}

/// The input of a command's tool, with another command line. `None` if the tool has no command line.
pub fn with_command(event: &Value, line: &str) -> Option<Value> {
    let mut input = event["tool_input"].clone();
    let name = ["command", "cmd"].into_iter().find(|name| input[*name].is_string())?;
    input[name] = line.into();
    Some(input)
}

/// The file that a line of a patch names.
fn patched(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("*** ")?;
    let heads = ["Add File:", "Update File:", "Delete File:", "Move to:"];
    heads.iter().find_map(|head| rest.strip_prefix(head)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Claude, Codex};
    use crate::event::ToolKind;

    #[test]
    fn a_use_is_told_apart_by_its_tool_and_names_its_files() {
        let told = |name: &str, input: Value| {
            tool(&Claude, &json!({"tool_name": name, "tool_input": input, "tool_use_id": "t", "cwd": "/p/sub"}))
        };
        let shell = told("Bash", json!({"command": "cat x"}));
        assert_eq!(
            (shell.kind, shell.command.as_deref(), shell.cwd.as_deref()),
            (ToolKind::Execute, Some("cat x"), Some("/p/sub"))
        );
        let read = told("Read", json!({"file_path": "/h/.ssh/id"}));
        assert_eq!((read.kind, read.paths), (ToolKind::Read, vec!["/h/.ssh/id".to_owned()]));
        let own = told("mcp__pilothouse__alert", json!({}));
        assert_eq!((own.kind, own.name.as_deref()), (ToolKind::Other, Some("mcp__pilothouse__alert")));
        for odd in [json!(null), json!([]), json!({"tool_name": 3}), json!({"tool_name": "New", "tool_input": "x"})] {
            assert_eq!(tool(&Claude, &odd).kind, ToolKind::Other, "{odd}");
        }
    }

    #[test]
    fn the_files_of_a_patch_are_named() {
        let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: ../b.rs\n@@\n-x\n+y\n*** Add File: /h/.ssh/id\n+k\n*** End Patch";
        let used = tool(&Codex, &json!({"tool_name": "apply_patch", "tool_input": {"command": patch}}));
        assert_eq!(
            (used.kind, used.paths),
            (ToolKind::Edit, ["a.rs", "../b.rs", "/h/.ssh/id"].map(str::to_owned).to_vec())
        );
    }

    #[test]
    fn answers_are_what_engines_read() {
        assert_eq!(Answer::Pass.text(), "");
        let told: Value = serde_json::from_str(&Answer::Deny("no \"never\"").text()).unwrap();
        let output = &told["hookSpecificOutput"];
        assert_eq!(
            (&output["permissionDecision"], &output["permissionDecisionReason"]),
            (&json!("deny"), &json!("no \"never\""))
        );
    }
}
