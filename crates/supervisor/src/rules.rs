//! The user's permission rules ("Always allow"): what a rule covers, and which rule a request can become.
//!
//! Invariants: a rule only answers requests that would need approval. It never covers sensitive files, the engine's own
//! configuration, or a plan, and never applies at level `read_only` or to a session started by email. A rule for the
//! start of a command never covers a command that runs another one. The results for all cases are in
//! `golden/rules.txt`.

use crate::policy::{Class, Level, Origin, PolicyContext, PolicyRules, paths, tool_actions};
use engines::{ToolKind, ToolUse};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// Maximum characters of a command, folder, host, or name in a rule; longer ones get no rule.
pub const RULE_CHARS_MAX: usize = 1_000;

/// What a rule covers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "covers")]
pub enum Pattern {
    /// Commands that begin with these words, and run nothing else.
    Prefix {
        /// The words, separated by single spaces.
        words: String,
    },
    /// One command, exactly as it is.
    Command {
        /// The command line.
        command: String,
    },
    /// One kind of file access.
    Files {
        /// The kind: read, search, edit, delete, or move.
        kind: ToolKind,
        /// The files' folder; any folder if omitted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<String>,
    },
    /// Requests to a host.
    Host {
        /// Its name, in lower case.
        host: String,
    },
    /// A tool.
    Tool {
        /// Its name.
        name: String,
    },
}

impl Pattern {
    /// A phrase that follows "Always allow:".
    pub fn words(&self) -> String {
        match self {
            Pattern::Prefix { words } => format!("Commands that start with `{words}`"),
            Pattern::Command { command } => format!("The command `{command}`"),
            Pattern::Files { kind, folder } => {
                let does = match kind {
                    ToolKind::Edit => "Changing files",
                    ToolKind::Delete => "Deleting files",
                    ToolKind::Move => "Moving files",
                    ToolKind::Search => "Searching files",
                    _ => "Reading files",
                };
                folder.as_ref().map_or_else(|| does.to_owned(), |folder| format!("{does} in {folder}"))
            }
            Pattern::Host { host } => format!("Requests to {host}"),
            Pattern::Tool { name } => format!("The tool `{name}`"),
        }
    }

    /// Whether it covers a tool call, apart from what no rule ever covers.
    fn matches(&self, tool: &ToolUse, context: &PolicyContext<'_>) -> bool {
        match self {
            Pattern::Prefix { words } => command(tool).is_some_and(|line| starts_with(line, words)),
            Pattern::Command { command: exact } => command(tool).is_some_and(|line| line.trim() == exact),
            Pattern::Files { kind, folder } => {
                let cwd = tool.cwd.as_deref().unwrap_or(context.cwd);
                let is_in = |path: &String| {
                    context.sensitive.is_in_project(path, cwd)
                        || folder.as_ref().is_none_or(|folder| context.sensitive.is_within(path, cwd, folder))
                };
                let paths = paths(tool);
                tool.kind == *kind && !paths.is_empty() && paths.iter().all(is_in)
            }
            Pattern::Host { host } => tool.kind == ToolKind::Fetch && host_of(tool).as_ref() == Some(host),
            Pattern::Tool { name } => {
                matches!(tool.kind, ToolKind::Other | ToolKind::Fetch) && tool.name.as_ref() == Some(name)
            }
        }
    }
}

/// The first of these rules that covers a tool call.
pub fn covering<'a, R>(
    all: &'a [R],
    pattern: impl Fn(&R) -> &Pattern,
    tool: &ToolUse,
    context: &PolicyContext<'_>,
    rules: &PolicyRules,
) -> Option<&'a R> {
    if !may_be_covered(tool, context, rules) {
        return None;
    }
    all.iter().find(|one| pattern(one).matches(tool, context))
}

/// The rule that always allowing this tool call creates; none if no rule may cover it.
pub fn proposed(tool: &ToolUse, context: &PolicyContext<'_>, rules: &PolicyRules) -> Option<Pattern> {
    if !may_be_covered(tool, context, rules) {
        return None;
    }
    let pattern = match tool.kind {
        ToolKind::Execute => command_pattern(command(tool)?)?,
        ToolKind::Fetch => match host_of(tool) {
            Some(host) => Pattern::Host { host },
            // A request whose address can't be parsed isn't covered.
            None if tool.input.get("url").is_some() => return None,
            None => Pattern::Tool { name: named(tool)? },
        },
        ToolKind::Other => Pattern::Tool { name: named(tool)? },
        ToolKind::Read | ToolKind::Search | ToolKind::Edit | ToolKind::Delete | ToolKind::Move => {
            Pattern::Files { kind: tool.kind, folder: Some(folder_of(tool, context)?) }
        }
        ToolKind::Think | ToolKind::SwitchMode => return None,
    };
    let is_short = pattern.words().chars().nth(RULE_CHARS_MAX).is_none();
    (is_short && pattern.matches(tool, context)).then_some(pattern)
}

/// Whether a rule may answer this at all: never for sensitive files, wider permissions of the engine, or a locked
/// session.
fn may_be_covered(tool: &ToolUse, context: &PolicyContext<'_>, rules: &PolicyRules) -> bool {
    if context.origin == Origin::Email || rules.level() == Level::ReadOnly {
        return false;
    }
    tool_actions(tool, context).iter().all(|action| match action.class {
        Class::Sensitive | Class::OwnConfig | Class::Plan => false,
        // A rule doesn't limit where a command or an unknown tool works.
        Class::Outside => !matches!(tool.kind, ToolKind::Execute | ToolKind::Other | ToolKind::Fetch),
        _ => true,
    })
}

fn command(tool: &ToolUse) -> Option<&str> {
    if tool.kind != ToolKind::Execute {
        return None;
    }
    tool.command.as_deref().or_else(|| tool.input.get("command").and_then(Value::as_str))
}

fn named(tool: &ToolUse) -> Option<String> {
    tool.name.clone().filter(|name| !name.is_empty())
}

/// Whether a command line may run, read, or write more than the command that it begins with. Characters in quotes count
/// too: an unneeded question is better than a missed one.
fn is_compound(line: &str) -> bool {
    line.contains([';', '&', '|', '`', '<', '>', '\n', '\r', '(', ')', '{', '}']) || line.contains("$'")
}

/// Whether a command begins exactly with these words.
fn starts_with(line: &str, words: &str) -> bool {
    let mut line_words = line.split_whitespace();
    !words.is_empty() && !is_compound(line) && words.split_whitespace().all(|word| line_words.next() == Some(word))
}

/// Programs whose arguments are commands, other machines, or files that can be lost: rules cover only the exact
/// command.
const EXACT_ONLY: &[&str] = &[
    "awk",
    "bash",
    "chmod",
    "chown",
    "cmd",
    "command",
    "cp",
    "curl",
    "dash",
    "dd",
    "deno",
    "doas",
    "env",
    "eval",
    "exec",
    "find",
    "fish",
    "kill",
    "killall",
    "ksh",
    "ln",
    "mkfs",
    "mv",
    "nice",
    "node",
    "nohup",
    "osascript",
    "perl",
    "php",
    "pkill",
    "powershell",
    "pwsh",
    "python",
    "python2",
    "python3",
    "rm",
    "rsync",
    "ruby",
    "scp",
    "sed",
    "setsid",
    "sh",
    "source",
    "ssh",
    "stdbuf",
    "su",
    "sudo",
    "tee",
    "time",
    "timeout",
    "wget",
    "xargs",
    "zsh",
];
/// Second words that run the words after them.
const RUNNERS: &[&str] = &["dlx", "exec", "run", "run-script", "x"];

/// Whether a word is a subcommand, and not a flag, file, variable, or quoted text.
fn is_plain(word: &str) -> bool {
    let is_sign = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || matches!(sign, '-' | '_' | ':');
    word.starts_with(|sign: char| sign.is_ascii_lowercase()) && word.chars().all(is_sign)
}

/// A program and its subcommand (`git commit`, `npm run build`); else the exact command.
fn command_pattern(line: &str) -> Option<Pattern> {
    let line = line.trim();
    let exact = || (!line.is_empty()).then(|| Pattern::Command { command: line.to_owned() });
    let words: Vec<&str> = line.split_whitespace().collect();
    let count = if words.get(1).is_some_and(|word| RUNNERS.contains(word)) { 3 } else { 2 };
    let Some(first) = words.get(..count) else { return exact() };
    if is_compound(line) || EXACT_ONLY.contains(&first[0]) || !first.iter().all(|word| is_plain(word)) {
        return exact();
    }
    Some(Pattern::Prefix { words: first.join(" ") })
}

/// The host of the address that a tool requests.
fn host_of(tool: &ToolUse) -> Option<String> {
    let url = tool.input.get("url")?.as_str()?;
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let host = rest.split(['/', '?', '#', ':', '\\']).next()?;
    let is_host = |host: &str| host.chars().all(|sign| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '-'));
    // The part before an `@` isn't the host.
    let is_clear = !rest.split(['/', '?', '#']).next()?.contains(['@', '\\']);
    (is_clear && !host.is_empty() && is_host(host)).then(|| host.to_ascii_lowercase())
}

/// The folder that contains all files outside the project, unless it's the home folder or above it.
fn folder_of(tool: &ToolUse, context: &PolicyContext<'_>) -> Option<String> {
    let cwd = tool.cwd.as_deref().unwrap_or(context.cwd);
    let outside = paths(tool).into_iter().find(|path| !context.sensitive.is_in_project(path, cwd))?;
    if outside.starts_with(['~', '$']) || outside.contains("..") {
        return None;
    }
    let file = Path::new(cwd).join(outside);
    let folder = file.parent()?.to_str()?.to_owned();
    let is_too_wide = folder == "/" || context.sensitive.is_within(&context.sensitive.paths().home, "/", &folder);
    (!is_too_wide).then_some(folder)
}

/// Whether an engine makes the same request again: ids and the model's remarks differ each time.
pub fn is_repeat(before: &ToolUse, after: &ToolUse, cwd: &str) -> bool {
    fn folder<'a>(tool: &'a ToolUse, cwd: &'a str) -> &'a str {
        tool.cwd.as_deref().unwrap_or(cwd).trim_end_matches('/')
    }
    let is_same_tool = before.kind == after.kind && before.name == after.name;
    let is_same = match before.kind {
        ToolKind::Execute => command(before).is_some() && command(before) == command(after),
        ToolKind::Read | ToolKind::Search | ToolKind::Edit | ToolKind::Delete | ToolKind::Move => {
            let sorted = |tool| {
                let mut all = paths(tool);
                all.sort();
                all
            };
            !sorted(before).is_empty() && sorted(before) == sorted(after)
        }
        ToolKind::SwitchMode => before.title == after.title && before.input.get("plan") == after.input.get("plan"),
        ToolKind::Fetch | ToolKind::Think | ToolKind::Other => {
            before.title == after.title && before.input == after.input
        }
    };
    is_same_tool && is_same && folder(before, cwd) == folder(after, cwd)
}

/// The permissions of the user's own Claude settings, as rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfClaude {
    allow: Vec<Pattern>,
    ask: Vec<Pattern>,
}

impl OfClaude {
    /// Reads `settings.json` of a home folder. Entries that can't be parsed are skipped.
    pub fn read(settings: &str) -> OfClaude {
        let settings: Value = serde_json::from_str(settings).unwrap_or_default();
        let list = |name: &str| -> Vec<String> {
            let entries = settings["permissions"][name].as_array().into_iter().flatten().filter_map(Value::as_str);
            entries.map(str::to_owned).collect()
        };
        let tool = |entry: &str| entry.split('(').next().unwrap_or_default().to_owned();
        // Its deny and ask entries come before allow entries. If one can't be parsed, nothing of that tool is allowed.
        let held = [list("ask"), list("deny")].concat();
        let unclear: Vec<String> =
            held.iter().filter(|entry| of_claude(entry).is_none()).map(|entry| tool(entry)).collect();
        let allowed = list("allow").into_iter().filter(|entry| !unclear.contains(&tool(entry)));
        OfClaude {
            allow: allowed.filter_map(|entry| of_claude(&entry)).collect(),
            ask: held.iter().filter_map(|entry| of_claude(entry)).collect(),
        }
    }

    /// The rule of it that allows a tool call.
    pub fn allows(&self, tool: &ToolUse, context: &PolicyContext<'_>, rules: &PolicyRules) -> Option<&Pattern> {
        let is_asked = self.ask.iter().any(|pattern| pattern.matches(tool, context));
        covering(&self.allow, |pattern| pattern, tool, context, rules).filter(|_| !is_asked)
    }
}

/// One entry of Claude's `permissions.allow`.
fn of_claude(entry: &str) -> Option<Pattern> {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    if let Some(rest) = entry.strip_prefix("mcp__") {
        let (server, tool) = rest.split_once("__")?;
        let is_name = |name: &str| !name.is_empty() && !name.contains(['*', '(', ' ']);
        return (is_name(server) && is_name(tool)).then(|| Pattern::Tool { name: entry.to_owned() });
    }
    match entry {
        "Edit" => return Some(Pattern::Files { kind: ToolKind::Edit, folder: None }),
        "Read" => return Some(Pattern::Files { kind: ToolKind::Read, folder: None }),
        _ => {}
    }
    let (tool, inside) = entry.strip_suffix(')')?.split_once('(')?;
    match tool {
        "Bash" => match inside.strip_suffix(":*") {
            Some(words) => text(words.trim()).map(|words| Pattern::Prefix { words }),
            None if inside.contains('*') => None,
            None => text(inside.trim()).map(|command| Pattern::Command { command }),
        },
        "WebFetch" => {
            let host = inside.strip_prefix("domain:")?.trim();
            text(host).filter(|host| !host.contains('*')).map(|host| Pattern::Host { host: host.to_ascii_lowercase() })
        }
        _ => None,
    }
}
