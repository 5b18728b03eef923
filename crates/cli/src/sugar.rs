//! The one table of what an operation's row cannot say: pleasant arguments for some operations, most of them on settings.

use crate::derive::{file, positional};
use crate::failure::Failure;
use crate::input::json as read_json;
use crate::io::Io;
use crate::options::{flag, text};
use crate::render::Style;
use crate::text::clean;
use crate::{values, values_told};
use clap::{Arg, ArgAction, ArgMatches};
use kit::setting::Spec;
use kit::{Method, Op, limits};
use serde_json::{Map, Value, json};

/// What is special about the command of one operation.
pub(crate) struct Sugar {
    /// The operation, by method and path.
    op: (Method, &'static str),
    /// The command's words.
    pub command: &'static [&'static str],
    /// Replaces the operation's doc.
    pub doc: Option<&'static str>,
    /// Members that are optional positionals instead of options.
    pub promote: &'static [&'static str],
    /// A required member that may stand as the last positional instead of behind its option; empty for none.
    pub last: &'static str,
    /// The member `key` is a setting's key and is completed.
    pub keys: bool,
    /// Works on a stopped program's data directory too.
    pub offline: bool,
    /// Replaces the derived arguments.
    pub custom: Option<Custom>,
    /// Tells the answer in words of its own.
    pub show: Option<fn(&Value, Style) -> Option<String>>,
    /// Says in the answer what its empty members stand for, before it is shown to people.
    pub fill: Option<fn(&mut Value)>,
}

/// Arguments of its own, and the operation's input made from them.
pub(crate) struct Custom {
    pub arguments: fn(&[&'static Spec]) -> Vec<Arg>,
    pub input: fn(&ArgMatches, &[&'static Spec], &mut Io) -> Input,
}

/// The input of an operation, or why the command line gives none.
pub(crate) type Input = Result<Map<String, Value>, Failure>;

const PLAIN: Sugar = Sugar {
    op: (Method::Get, ""),
    command: &[],
    doc: None,
    promote: &[],
    last: "",
    keys: false,
    offline: false,
    custom: None,
    show: None,
    fill: None,
};

static TABLE: &[Sugar] = &[
    Sugar { op: (Method::Get, "/settings"), command: &["settings", "list"], offline: true, ..PLAIN },
    Sugar { op: (Method::Get, "/settings/{key}"), command: &["settings", "get"], keys: true, offline: true, ..PLAIN },
    Sugar {
        op: (Method::Patch, "/settings/{key}"),
        command: &["settings", "set"],
        doc: Some(
            "Change a setting. VALUE is read by the setting's type: on, off, true, false, yes or no for a toggle; a \
             number; text as it stands; words with commas between them, or a JSON array, for a list; JSON, @FILE or - \
             for a map or an object; null returns to the default. A value that begins with a dash stands after --. \
             --value-json takes any value as JSON, as the text null: --value-json '\"null\"'.",
        ),
        keys: true,
        offline: true,
        custom: Some(Custom { arguments: set_arguments, input: set_input }),
        show: Some(changed),
        ..PLAIN
    },
    Sugar {
        op: (Method::Delete, "/settings/{key}"),
        command: &["settings", "reset"],
        keys: true,
        offline: true,
        show: Some(changed),
        ..PLAIN
    },
    Sugar {
        op: (Method::Get, "/settings/history"),
        command: &["settings", "history"],
        promote: &["key"],
        keys: true,
        fill: Some(with_defaults),
        ..PLAIN
    },
    Sugar { op: (Method::Post, "/settings/undo"), command: &["settings", "undo"], promote: &["change"], ..PLAIN },
    Sugar { op: (Method::Post, "/accounts"), command: &["account", "add"], promote: &["name"], ..PLAIN },
    Sugar {
        op: (Method::Patch, "/boards/{boardId}/items/{itemId}/cells/{columnId}"),
        command: &["boards", "cell"],
        last: "value",
        ..PLAIN
    },
    Sugar {
        op: (Method::Post, "/boards/{boardId}/items/{itemId}/comments"),
        command: &["boards", "comments", "create"],
        last: "text",
        ..PLAIN
    },
    Sugar {
        op: (Method::Get, "/dashboards/{dashboardId}/values"),
        command: &["dashboards", "show"],
        show: Some(values_told::told),
        ..PLAIN
    },
    Sugar { op: (Method::Get, "/changes"), command: &["changes", "list"], fill: Some(with_names), ..PLAIN },
    Sugar {
        op: (Method::Post, "/settings/import"),
        command: &["settings", "import"],
        doc: Some(
            "Change the settings in a file, all or none. The file is what `settings export` printed, or a JSON \
             object of keys and values.",
        ),
        custom: Some(Custom { arguments: import_arguments, input: import_input }),
        ..PLAIN
    },
];

/// The row for an operation, where it has one.
pub(crate) fn of(op: &Op) -> Option<&'static Sugar> {
    let key = (op.method, op.path);
    TABLE.iter().find(|sugar| sugar.op == key)
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

/// Nothing stored before or after a change is the default.
fn with_defaults(history: &mut Value) {
    for change in history["items"].as_array_mut().into_iter().flatten() {
        for side in ["from", "to"] {
            if change[side].is_null() {
                change[side] = "(default)".into();
            }
        }
    }
}

/// Names of changed things in place of their ids.
fn with_names(changes: &mut Value) {
    const NAMED: [(&str, &str); 3] = [("field", "fieldName"), ("before", "beforeNamed"), ("after", "afterNamed")];
    for change in changes["items"].as_array_mut().into_iter().flatten() {
        if change["subjectName"].is_null() {
            change["subjectName"] = change["subjectId"].clone();
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
    let was = |previous: &Value| format!(" (it was {previous})");
    let mut words = match (record["changed"].as_bool(), record.get("previous")) {
        (Some(false), _) => format!("{key} is already {value}.\n"),
        (_, previous) => format!("{key} is now {value}{}.\n", previous.map_or(String::new(), was)),
    };
    let when = match record["applies"].as_str() {
        Some("next-start") if record["pendingRestart"] != false => "at the next start",
        Some("next-session") => "in new sessions",
        Some("next-cloud-launch") => "at the next launch of a cloud machine",
        _ => "",
    };
    if !when.is_empty() {
        words.push_str(&format!("Takes effect {when}.\n"));
    }
    if record["effect"]["active"] == false {
        let reasons = record["effect"]["reasons"].as_array().into_iter().flatten();
        let details: Vec<&str> = reasons.filter_map(|reason| reason["detail"].as_str()).collect();
        words.push_str(&format!("Not in effect. {}\n", details.join(" ")));
    }
    Some(words.lines().map(|line| clean(line) + "\n").collect())
}
