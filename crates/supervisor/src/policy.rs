//! What an agent may do without approval: one function of level, kind of tool, path, engine tier, and origin.
//!
//! It answers both the engine's permission requests and the hooks before its tools. Its answers to all cases are in
//! `golden/policy.txt`.

use crate::sensitive::{Access, Sensitive};
use engines::{Tier, ToolKind, ToolUse};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Values of `agentPermissionLevel`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Reads the project without approval.
    ReadOnly,
    /// Also changes the project without approval.
    Guarded,
    /// Asks only for sensitive files.
    Autonomous,
    /// Never asks.
    Full,
}

impl Level {
    /// All, the strictest first.
    pub const ALL: [Level; 4] = [Level::ReadOnly, Level::Guarded, Level::Autonomous, Level::Full];
    /// The name in the setting.
    pub const fn name(self) -> &'static str {
        match self {
            Level::ReadOnly => "read_only",
            Level::Guarded => "guarded",
            Level::Autonomous => "autonomous",
            Level::Full => "full",
        }
    }
}

/// Settings of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyRules {
    /// Setting `agentPermissionLevel`.
    pub agent_permission_level: Level,
    /// The level that the session's engine has of its own under Engines, which overrides the setting. It applies to new
    /// sessions only, so pass the value from the session's creation.
    pub own_level: Option<Level>,
    /// Setting `autoApproveConfigFiles`.
    pub auto_approve_config_files: bool,
    /// Setting `autoApprovePlans`.
    pub auto_approve_plans: bool,
}

impl PolicyRules {
    /// The level of the session.
    pub fn level(&self) -> Level {
        self.own_level.unwrap_or(self.agent_permission_level)
    }
}

/// The origin of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// Started by the user.
    Person,
    /// Started by another session or a script.
    Agent,
    /// Started by a rule or a schedule.
    Automation,
    /// Started by an email: locked at every level.
    Email,
}

/// The kind of a tool's action, as far as the rules distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Only thinks, or updates its own list.
    Think,
    /// Calls Pilothouse, whose operations check their callers.
    OwnTool,
    /// Reads files of the project.
    ProjectRead,
    /// Changes files of the project.
    ProjectWrite,
    /// Runs a command.
    Shell,
    /// Sends a request to another machine.
    Network,
    /// Uses files outside the project.
    Outside,
    /// An unknown tool.
    Other,
    /// Proposes a plan, or leaves a mode.
    Plan,
    /// Changes the engine's own configuration.
    OwnConfig,
    /// Uses a sensitive file.
    Sensitive,
}

impl Class {
    /// All, in the order of the golden table.
    pub const ALL: [Class; 11] = [
        Class::Think,
        Class::OwnTool,
        Class::ProjectRead,
        Class::ProjectWrite,
        Class::Shell,
        Class::Network,
        Class::Outside,
        Class::Other,
        Class::Plan,
        Class::OwnConfig,
        Class::Sensitive,
    ];
    /// The subject of a sentence such as "Commands need approval".
    pub const fn words(self) -> &'static str {
        match self {
            Class::Think => "Thoughts",
            Class::OwnTool => "Pilothouse's own tools",
            Class::ProjectRead => "Reads in the session's folder",
            Class::ProjectWrite => "Edits in the session's folder",
            Class::Shell => "Commands",
            Class::Network => "Network requests",
            Class::Outside => "Files outside the session's folder",
            Class::Other => "Unknown tools",
            Class::Plan => "Plans",
            Class::OwnConfig => "Edits of the engine's own configuration",
            Class::Sensitive => "Sensitive files",
        }
    }
    /// Whether a reason names the target: which file it is isn't plain from the tool call.
    const fn names_target(self) -> bool {
        matches!(self, Class::Outside | Class::OwnConfig | Class::Sensitive)
    }
}

/// One action of a tool use, such as reading a file. A tool use can have several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAction {
    /// Its kind.
    pub class: Class,
    /// The path, command, or name.
    pub what: String,
}

/// The policy's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// Without approval.
    Allow,
    /// After approval.
    Ask,
    /// Never.
    Deny,
}

/// A decision, and the rule that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The answer.
    pub decision: Decision,
    /// Why, with the setting that decided; for the request's card, the denial, and the audit log.
    pub why: String,
}

/// The session that uses the tool, as far as the policy depends on it.
#[derive(Debug, Clone, Copy)]
pub struct PolicyContext<'a> {
    /// The tier of its engine.
    pub tier: Tier,
    /// Its origin.
    pub origin: Origin,
    /// Its current folder.
    pub cwd: &'a str,
    /// The name prefix of Pilothouse's own tools in this session, such as `mcp__pilothouse__`. No other server may use
    /// that name.
    pub own_tools: &'a str,
    /// Files and folders of the engine's own configuration, such as `~/.claude` and the project's `.claude`.
    pub own_config: &'a [String],
    /// The sensitive files there.
    pub sensitive: &'a Sensitive,
}

/// Decides about a tool call: the strictest decision about its actions.
pub fn decide(tool: &ToolUse, context: &PolicyContext<'_>, rules: &PolicyRules) -> Verdict {
    let verdicts = tool_actions(tool, context).into_iter().map(|action| {
        let verdict = decide_class(action.class, context.tier, context.origin, rules);
        let why = match action.class.names_target() && !action.what.is_empty() {
            true => format!("{}: {}", verdict.why, action.what),
            false => verdict.why,
        };
        Verdict { why, ..verdict }
    });
    // The first of equal decisions counts; actions begin with the riskiest.
    let strictest = verdicts.reduce(|a, b| if b.decision > a.decision { b } else { a });
    strictest.unwrap_or_else(|| decide_class(Class::Other, context.tier, context.origin, rules))
}

/// Decides about one kind of action.
pub fn decide_class(class: Class, tier: Tier, origin: Origin, rules: &PolicyRules) -> Verdict {
    use Decision::{Allow, Ask, Deny};
    let say = |decision, why: String| Verdict { decision, why };
    let what = class.words();
    if class == Class::Think {
        return say(Allow, "Thinking has no effects".into());
    }
    if origin == Origin::Email {
        return match class {
            Class::ProjectRead => say(Allow, "Sessions started by email can read their folder".into()),
            _ => say(Deny, format!("{what} are always denied in sessions started by email")),
        };
    }
    let level = rules.level();
    let setting = match rules.own_level {
        Some(_) => "the engine's own level under Engines",
        None => "agentPermissionLevel",
    };
    let switch = |is_on, setting: &str| {
        let (decision, state, does) =
            if is_on { (Allow, "on", "are approved automatically") } else { (Ask, "off", "need approval") };
        say(decision, format!("{what} {does} ({setting} is {state})"))
    };
    // The level from which it's allowed.
    let from = match class {
        Class::Think | Class::ProjectRead => Level::ReadOnly,
        Class::OwnTool => return say(Allow, "Pilothouse's own tools check their caller".into()),
        Class::ProjectWrite => Level::Guarded,
        Class::Plan if tier == Tier::Primary => return switch(rules.auto_approve_plans, "autoApprovePlans"),
        Class::OwnConfig if tier == Tier::Primary => {
            return switch(rules.auto_approve_config_files, "autoApproveConfigFiles");
        }
        Class::Shell | Class::Network | Class::Outside | Class::Other | Class::Plan | Class::OwnConfig => {
            Level::Autonomous
        }
        Class::Sensitive if tier == Tier::External => {
            return say(Deny, "External engines never access sensitive files".into());
        }
        Class::Sensitive => Level::Full,
    };
    let (decision, does) = if level >= from { (Allow, "are allowed") } else { (Ask, "need approval") };
    say(decision, format!("{what} {does} at the {} level ({setting})", level.name()))
}

/// Whether sensitive files are hidden from a session, so the operating system must block access that no rule sees.
pub fn keeps_sensitive(tier: Tier, origin: Origin, rules: &PolicyRules) -> bool {
    decide_class(Class::Sensitive, tier, origin, rules).decision != Decision::Allow
}

/// Lists the actions of a tool use, the riskiest first.
pub fn tool_actions(tool: &ToolUse, context: &PolicyContext<'_>) -> Vec<ToolAction> {
    let cwd = tool.cwd.as_deref().unwrap_or(context.cwd);
    let is_own = !context.own_tools.is_empty()
        && tool
            .name
            .as_deref()
            .is_some_and(|name| name.len() > context.own_tools.len() && name.starts_with(context.own_tools));
    if is_own {
        return vec![ToolAction { class: Class::OwnTool, what: tool.name.clone().unwrap_or_default() }];
    }
    let paths = paths(tool);
    let (access, inside) = match tool.kind {
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move => (Access::Write, Class::ProjectWrite),
        _ => (Access::Read, Class::ProjectRead),
    };
    let mut found = Vec::new();
    let mut add = |class, what: &str| found.push(ToolAction { class, what: what.to_owned() });
    for path in &paths {
        let sensitive = if tool.kind == ToolKind::Search {
            context.sensitive.folder(path, cwd)
        } else {
            context.sensitive.path(path, cwd, access)
        };
        if let Some(what) = sensitive {
            add(Class::Sensitive, &format!("{path} is {what}"));
        } else if access == Access::Write && is_own_config(path, cwd, context) {
            add(Class::OwnConfig, path);
        } else {
            add(if context.sensitive.is_in_project(path, cwd) { inside } else { Class::Outside }, path);
        }
    }
    match tool.kind {
        ToolKind::Execute => {
            let command = tool.command.as_deref().or_else(|| tool.input.get("command").and_then(Value::as_str));
            for mention in command.map(|line| context.sensitive.command(line, cwd)).unwrap_or_default() {
                add(Class::Sensitive, &format!("{} is {}", mention.path, mention.what));
            }
            add(Class::Shell, command.unwrap_or(&tool.title));
            if !context.sensitive.is_in_project(cwd, cwd) {
                add(Class::Outside, cwd);
            }
        }
        ToolKind::Fetch => add(Class::Network, &tool.title),
        ToolKind::SwitchMode => add(Class::Plan, &tool.title),
        ToolKind::Other => add(Class::Other, &tool.title),
        ToolKind::Search if paths.is_empty() => add(
            if context.sensitive.is_in_project(cwd, cwd) { Class::ProjectRead } else { Class::Outside },
            &tool.title,
        ),
        // Its targets aren't named, so nothing allows it.
        ToolKind::Read | ToolKind::Edit | ToolKind::Delete | ToolKind::Move if paths.is_empty() => {
            add(Class::Other, &tool.title);
        }
        ToolKind::Think if paths.is_empty() => add(Class::Think, ""),
        _ => {}
    }
    let weight = |action: &ToolAction| Class::ALL.iter().rev().position(|class| *class == action.class);
    found.sort_by_key(weight);
    found
}

/// The paths that a tool call names, including those of its input: an engine may not repeat them.
pub(crate) fn paths(tool: &ToolUse) -> Vec<String> {
    const NAMED: [&str; 10] =
        ["file_path", "filePath", "path", "notebook_path", "directory", "dir", "uri", "url", "pattern", "glob"];
    let mut paths = tool.paths.clone();
    for name in NAMED {
        let Some(text) = tool.input.get(name).and_then(Value::as_str) else { continue };
        let is_path = match name {
            "url" | "uri" => text.starts_with("file:"),
            // A search text is a path only if it looks like one.
            "pattern" | "glob" => {
                tool.kind == ToolKind::Search && (text.starts_with(['/', '~', '$']) || text.starts_with(".."))
            }
            _ => tool.kind != ToolKind::Execute,
        };
        if is_path && !paths.iter().any(|path| path == text) {
            paths.push(text.to_owned());
        }
    }
    paths
}

fn is_own_config(path: &str, cwd: &str, context: &PolicyContext<'_>) -> bool {
    context.own_config.iter().any(|config| context.sensitive.is_within(path, cwd, config))
}
