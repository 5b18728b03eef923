//! The one table of what an operation's row cannot say: pleasant arguments for some operations, most of them on settings.

use crate::args::{file, positional};
use crate::failure::Failure;
use crate::io::Io;
use crate::json_argument::read_json;
use crate::options::{flag, text};
use crate::overrides::{CustomArguments, Input, Override, PLAIN};
use crate::render::{self, Style};
use crate::text::clean;
use crate::{answers, dashboard_values, import_columns, transcript, values};
use clap::{Arg, ArgAction, ArgMatches, ValueHint};
use kit::setting::Spec;
use kit::{Method, Op, limits};
use serde_json::{Map, Value, json};

static TABLE: &[Override] = &[
    Override {
        op: (Method::Get, "/settings"),
        command: &["settings", "list"],
        promote: &["q"],
        offline: true,
        fill: Some(with_effects),
        ..PLAIN
    },
    Override {
        op: (Method::Get, "/settings/{key}"),
        command: &["settings", "get"],
        keys: true,
        offline: true,
        ..PLAIN
    },
    Override {
        op: (Method::Patch, "/settings/{key}"),
        command: &["settings", "set"],
        doc: Some(
            "Change a setting. VALUE depends on the setting's type: on, off, true, false, yes, or no for a toggle; a \
             number; text; comma-separated words or a JSON array for a list; JSON, @FILE, or - for a map or an object. \
             null restores the default. Put -- before a value that begins with a dash. --value-json takes any value \
             as JSON, such as the text null: --value-json '\"null\"'.",
        ),
        keys: true,
        offline: true,
        custom: Some(CustomArguments { arguments: set_arguments, input: set_input }),
        show: Some(changed),
        ..PLAIN
    },
    Override {
        op: (Method::Delete, "/settings/{key}"),
        command: &["settings", "reset"],
        keys: true,
        offline: true,
        show: Some(changed),
        ..PLAIN
    },
    Override {
        op: (Method::Get, "/settings/history"),
        command: &["settings", "history"],
        promote: &["key"],
        keys: true,
        fill: Some(with_defaults),
        ..PLAIN
    },
    Override {
        op: (Method::Post, "/settings/undo"),
        command: &["settings", "undo"],
        promote: &["change"],
        show: Some(changed),
        ..PLAIN
    },
    Override {
        op: (Method::Post, "/sessions/{sessionId}/stop"),
        command: &["sessions", "stop"],
        already: Some(ended),
        ..PLAIN
    },
    Override {
        op: (Method::Get, "/sessions/{sessionId}/transcript"),
        command: &["sessions", "transcript"],
        show: Some(transcript::text),
        ..PLAIN
    },
    Override {
        op: (Method::Get, "/sessions/{sessionId}/asks"),
        command: &["sessions", "asks"],
        fill: Some(answers::with_values),
        ..PLAIN
    },
    Override {
        op: (Method::Post, "/sessions/{sessionId}/asks/{askId}/answer"),
        command: &["sessions", "answer"],
        show: Some(answers::answered),
        ..PLAIN
    },
    Override {
        op: (Method::Get, "/sessions/needs"),
        command: &["sessions", "needs"],
        fill: Some(answers::with_ages),
        ..PLAIN
    },
    Override {
        op: (Method::Get, "/sessions/board"),
        command: &["sessions", "board"],
        fill: Some(answers::with_ages),
        ..PLAIN
    },
    Override {
        op: (Method::Get, "/boards/presets"),
        command: &["boards", "presets"],
        also: &["boards", "presets", "list"],
        ..PLAIN
    },
    Override { op: (Method::Get, "/openapi.json"), command: &["openapi", "get"], also: &["openapi"], ..PLAIN },
    Override { op: (Method::Post, "/accounts"), command: &["account", "add"], promote: &["name"], ..PLAIN },
    Override {
        op: (Method::Patch, "/boards/{boardId}/items/{itemId}/cells/{columnId}"),
        command: &["boards", "cell"],
        last: "value",
        ..PLAIN
    },
    Override {
        op: (Method::Post, "/boards/import"),
        command: &["boards", "import"],
        fill: Some(import_columns::with_columns),
        ..PLAIN
    },
    Override {
        op: (Method::Post, "/boards/{boardId}/items/{itemId}/comments"),
        command: &["boards", "comments", "create"],
        last: "text",
        ..PLAIN
    },
    Override { op: (Method::Get, "/boards/filters"), command: &["boards", "filters"], show: Some(operators), ..PLAIN },
    Override {
        op: (Method::Post, "/dashboards"),
        command: &["dashboards", "create"],
        doc: Some(
            "Create a dashboard with up to 100 connected boards. An example of --config, which counts the items of a \
             board:\n\n  {\"boardIds\": [\"BOARDID\"], \"widgets\": [{\"kind\": \"numbers\", \"title\": \"Items\", \
             \"layout\": {\"x\": 0, \"y\": 0, \"w\": 4, \"h\": 3}, \"settings\": {\"function\": \"count\"}}]}\n\n\
             `pilothouse dashboards schema` prints every field.",
        ),
        ..PLAIN
    },
    Override {
        op: (Method::Get, "/dashboards/{dashboardId}/values"),
        command: &["dashboards", "show"],
        show: Some(dashboard_values::text),
        ..PLAIN
    },
    Override {
        op: (Method::Post, "/dashboards/check"),
        command: &["dashboards", "check"],
        refused: Some(|answer| answer["accepted"] == false),
        ..PLAIN
    },
    Override {
        op: (Method::Get, "/dashboards/{dashboardId}/publication/preview"),
        command: &["dashboards", "publication", "preview"],
        show: Some(answers::previewed),
        ..PLAIN
    },
    Override {
        op: (Method::Post, "/dashboards/{dashboardId}/publication"),
        command: &["dashboards", "publication", "publish"],
        show: Some(answers::published),
        ..PLAIN
    },
    Override {
        op: (Method::Get, "/dashboards/schema"),
        command: &["dashboards", "schema"],
        show: Some(indented),
        ..PLAIN
    },
    Override {
        op: (Method::Get, "/boards/{boardId}/formulas/preview"),
        command: &["boards", "formulas", "preview"],
        show: Some(problem_of_formula),
        refused: Some(|answer| !answer["problem"].is_null()),
        ..PLAIN
    },
    Override {
        op: (Method::Post, "/apps"),
        command: &["run"],
        doc: Some(
            "Start an app: run a development server in this folder, with a free port in the environment variable PORT, \
             reachable at http://NAME.localhost, or http://BRANCH.NAME.localhost in a git worktree. It runs until you stop it \
             with `pilothouse apps stop NAME`, or quit Pilothouse. Put -- before the command.",
        ),
        custom: Some(CustomArguments { arguments: run_arguments, input: run_input }),
        show: Some(started),
        ..PLAIN
    },
    Override {
        op: (Method::Post, "/tasks"),
        command: &["tasks", "add"],
        last: "text",
        show: Some(added_task),
        ..PLAIN
    },
    Override { op: (Method::Get, "/changes"), command: &["changes", "list"], fill: Some(with_names), ..PLAIN },
    Override {
        op: (Method::Post, "/settings/import"),
        command: &["settings", "import"],
        doc: Some(
            "Change the settings in a file, all or none. The file is the output of `settings export` or a JSON object \
             of keys and values.",
        ),
        custom: Some(CustomArguments { arguments: import_arguments, input: import_input }),
        ..PLAIN
    },
];

/// The row for an operation, where it has one.
pub(crate) fn find(op: &Op) -> Option<&'static Override> {
    let key = (op.method, op.path);
    TABLE.iter().find(|row| row.op == key)
}

/// For a value whose plain form is read as another: the text `null`.
const VALUE_JSON: &str = "value-json";

fn set_arguments(settings: &[&'static Spec]) -> Vec<Arg> {
    let value = Arg::new("path:value").value_name("VALUE").allow_negative_numbers(true);
    let json = Arg::new(VALUE_JSON).long(VALUE_JSON).value_name("JSON").allow_hyphen_values(true);
    vec![
        positional("key", "The setting").required(true),
        value.required_unless_present(VALUE_JSON).help("New value").add(crate::complete::values(settings)),
        json.conflicts_with("path:value").help("New value as JSON: text, @FILE, or - for standard input"),
    ]
}

fn set_input(matches: &ArgMatches, settings: &[&'static Spec], io: &mut Io) -> Input {
    let key = text(matches, "path:key").unwrap_or_default();
    let written = text(matches, "path:value").unwrap_or_default();
    let spec = settings.iter().find(|spec| spec.key == key).copied();
    let value = match text(matches, VALUE_JSON) {
        Some(json) => read_json(json, "--value-json", limits::LARGE_BYTES, io)?,
        None => values::read(spec, written, io)?,
    };
    Ok(Map::from_iter([("key".to_owned(), key.into()), ("value".to_owned(), value)]))
}

fn import_arguments(_: &[&'static Spec]) -> Vec<Arg> {
    vec![
        file("path:file", "File, or - for standard input"),
        Arg::new("dry-run").long("dry-run").action(ArgAction::SetTrue).help("Check without changing anything"),
        Arg::new("replace").long("replace").action(ArgAction::SetTrue).help("Reset settings that the file leaves out"),
        Arg::new("skip-invalid").long("skip-invalid").action(ArgAction::SetTrue).help("Skip invalid settings"),
    ]
}

fn import_input(matches: &ArgMatches, _: &[&'static Spec], io: &mut Io) -> Input {
    let file = text(matches, "path:file").unwrap_or_default();
    let source = if file == "-" { file.to_owned() } else { format!("@{file}") };
    let document = read_json(&source, file, limits::LARGE_BYTES, io)?;
    let wrong = || Failure::Usage(format!("{file} has no settings. It must be a JSON object of keys and values."));
    let Value::Object(document) = document else { return Err(wrong()) };
    // What was exported goes as it is, so that the program judges its format; bare keys and values get one.
    let document = match document.get("settings") {
        Some(Value::Object(_)) => Value::Object(document),
        Some(_) => return Err(wrong()),
        None => json!({"format": "pilothouse-settings", "version": 1, "settings": document}),
    };
    let mode = if flag(matches, "replace") { "replace" } else { "merge" };
    Ok(Map::from_iter([
        ("document".to_owned(), document),
        ("mode".to_owned(), mode.into()),
        ("skipInvalid".to_owned(), flag(matches, "skip-invalid").into()),
        ("dryRun".to_owned(), flag(matches, "dry-run").into()),
    ]))
}

fn run_arguments(_: &[&'static Spec]) -> Vec<Arg> {
    let command = Arg::new("path:command").value_name("COMMAND").required(true).num_args(1..).last(true);
    vec![
        positional("name", "The name in its URL, such as web").required(true),
        Arg::new("folder")
            .long("folder")
            .value_name("DIR")
            .value_hint(ValueHint::DirPath)
            .help("Folder to run in [default: this one]"),
        command.help("The command with its arguments, such as -- npm run dev"),
    ]
}

fn run_input(matches: &ArgMatches, _: &[&'static Spec], io: &mut Io) -> Input {
    let folder = std::path::absolute(text(matches, "folder").unwrap_or("."));
    let folder =
        folder.map_err(|e| Failure::Usage(format!("Can't tell the current folder: {e}. Name one with --folder.")))?;
    let Some(folder) = folder.to_str() else {
        return Err(Failure::Usage(
            "The folder's path isn't valid text. Rename it, or name another with --folder.".into(),
        ));
    };
    let command = matches.get_many::<String>("path:command").into_iter().flatten().cloned();
    let mut input = Map::from_iter([
        ("name".to_owned(), text(matches, "path:name").unwrap_or_default().into()),
        ("command".to_owned(), command.collect::<Vec<_>>().into()),
        ("folder".to_owned(), folder.into()),
    ]);
    // The command is found as in this shell.
    if let Some(path) = io.env("PATH") {
        input.insert("searchPath".to_owned(), path.into());
    }
    Ok(input)
}

/// Where an app is reached, and how it is stopped.
fn started(app: &Value, style: Style) -> Option<String> {
    let (name, pid) = (clean(app["name"].as_str()?), app["pid"].as_u64());
    let process = pid.map_or(String::new(), |pid| format!(" (process {pid})"));
    let at = app["url"].as_str().map_or(String::new(), |url| format!(" at {}", clean(url)));
    let lines = [
        format!("{name} is starting{at}{process}."),
        format!("Its log: pilothouse apps logs {name}. Stop it: pilothouse apps stop {name}."),
    ];
    Some(lines.iter().map(|line| render::line("", line, style)).collect())
}

/// Nothing stored before or after a change is the default.
fn with_defaults(history: &mut Value) {
    for change in history["items"].as_array_mut().into_iter().flatten() {
        name_defaults(change, ["from", "to"]);
    }
}

fn name_defaults(change: &mut Value, sides: [&str; 2]) {
    for side in sides.into_iter().filter(|side| change[*side].is_null()).collect::<Vec<_>>() {
        change[side] = "(default)".into();
    }
}

/// JSON over several lines; a text's control characters are escaped in it.
fn indented(document: &Value, _: Style) -> Option<String> {
    serde_json::to_string_pretty(document).ok().map(|text| text + "\n")
}

/// Operators of filters, one a line below the column types that they are for.
fn operators(answer: &Value, style: Style) -> Option<String> {
    let mut text = String::new();
    for family in answer["items"].as_array()? {
        text.push_str(&render::line("", &render::compact(&family["types"]), style));
        let cells = |one: &Value| vec![String::new(), render::compact(&one["op"]), render::compact(&one["value"])];
        let lines = family["operators"].as_array().into_iter().flatten().map(cells);
        text.push_str(&render::table(None, lines.collect(), style));
    }
    Some(text + &render::more(answer))
}

/// What is wrong with a formula; none where it is valid, and its results are shown.
fn problem_of_formula(answer: &Value, style: Style) -> Option<String> {
    let problem = answer["problem"].as_object()?;
    let at = problem["at"].as_u64().unwrap_or_default() + 1;
    let detail = clean(problem["detail"].as_str().unwrap_or_default());
    Some(render::line("", &format!("Invalid formula: At character {at}: {detail}"), style))
}

/// Whether a session was not stopped because it has ended.
fn ended(problem: &Value) -> Option<&'static str> {
    let has_ended =
        ["finished", "archived", "closed", "stopped", "stopping"].iter().any(|state| problem["state"] == *state);
    (problem["code"] == "not-now" && has_ended).then_some("Already ended.")
}

/// Why settings have no effect, in words, and the names that people search for behind their titles.
fn with_effects(list: &mut Value) {
    for setting in list["settings"].as_array_mut().into_iter().flatten() {
        let details: Vec<&str> = reasons(setting).collect();
        let words = match setting["effect"]["active"] == false {
            true => format!("Not in effect. {}", details.join(" ")),
            false => details.join(" "),
        };
        let title = match (setting["title"].as_str(), setting["alsoCalled"].as_str()) {
            (Some(title), Some(other)) if !other.is_empty() => Some(format!("{title} ({other})")),
            _ => None,
        };
        setting["effect"] = words.trim_end().into();
        if let Some(title) = title {
            setting["title"] = title.into();
        }
    }
}

/// Why a setting has no effect, or another one than set.
fn reasons(record: &Value) -> impl Iterator<Item = &str> {
    record["effect"]["reasons"].as_array().into_iter().flatten().filter_map(|reason| reason["detail"].as_str())
}

/// Names of changed things in place of their ids, and the default in place of a setting's missing value.
fn with_names(changes: &mut Value) {
    const NAMED: [(&str, &str); 3] = [("field", "fieldName"), ("before", "beforeNamed"), ("after", "afterNamed")];
    for change in changes["items"].as_array_mut().into_iter().flatten() {
        if change["subjectName"].is_null() {
            change["subjectName"] = change["subjectId"].clone();
        }
        if change["subject"] == "setting" {
            name_defaults(change, ["before", "after"]);
        }
        for (member, named) in NAMED {
            if let Some(name) = change.get(named).filter(|name| !name.is_null()).cloned() {
                change[member] = name;
            }
        }
    }
}

/// `KEY is now 8 (it was 5).`, with when it takes effect and why it may have none.
fn changed(record: &Value, _: Style) -> Option<String> {
    let key = record["key"].as_str()?;
    let value = record.get("value")?;
    let by_default = if record["modified"] == false { "the default; " } else { "" };
    let was = |previous: &Value| format!(" ({by_default}it was {previous})");
    let mut words = match (record["changed"].as_bool(), record.get("previous")) {
        (Some(false), _) => format!("{key} is already {value}.\n"),
        (_, previous) => format!("{key} is now {value}{}.\n", previous.map_or(String::new(), was)),
    };
    let when = match record["applies"].as_str() {
        Some("next-start") if record["pendingRestart"] != false => "at the next start",
        Some("next-session") => "in new sessions",
        Some("next-cloud-launch") => "at the next cloud launch",
        _ => "",
    };
    if !when.is_empty() {
        words.push_str(&format!("Takes effect {when}.\n"));
    }
    if record["effect"]["active"] == false {
        let details: Vec<&str> = reasons(record).collect();
        words.push_str(&format!("Not in effect. {}\n", details.join(" ")));
    }
    Some(words.lines().map(|line| clean(line) + "\n").collect())
}

/// What was understood of a new task.
fn added_task(task: &Value, _: Style) -> Option<String> {
    let mut line = format!("Added {}: {}", clean(task["id"].as_str()?), clean(task["text"].as_str()?));
    if let Some(due) = task["due"].as_str() {
        line += &format!(", due {}", clean(due).replace('T', " "));
    }
    if let Some(priority) = task["priority"].as_i64() {
        line += &format!(", priority {priority}");
    }
    Some(line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_of_filters_stand_one_a_line() {
        let answer = json!({"items": [
            {"types": ["text", "name"], "operators": [
                {"op": "contains", "value": "a text"}, {"op": "isEmpty", "value": "nothing"},
            ]},
            {"types": ["number"], "operators": [{"op": "=", "value": "a number"}]},
        ], "nextCursor": "n1"});
        let text = operators(&answer, Style { width_columns: None, bold: false });
        let lines = ["text, name", "  contains  a text", "  isEmpty   nothing", "number", "  =  a number"];
        assert_eq!(text.unwrap().lines().collect::<Vec<_>>(), [&lines[..], &["More: --cursor n1"]].concat());
    }
}
