//! Commands made from rows, and what they send.

use super::support::{NoParams, World, ask, op, ops};
use crate::{EXIT_OK, EXIT_REFUSED, EXIT_USAGE, Program};
use clap::Command;
use serde_json::{Value, json};

fn tree(command: &Command, path: &str, lines: &mut Vec<String>) {
    for sub in command.get_subcommands() {
        let path = format!("{path}{} ", sub.get_name());
        if sub.has_subcommands() {
            tree(sub, &path, lines);
            continue;
        }
        let shown = |arg: &&clap::Arg| arg.get_help_heading().is_none();
        let args = sub.get_arguments().filter(shown).map(|arg| {
            let name = arg.get_value_names().map_or("", |names| names[0].as_str());
            let said = match (arg.get_long(), arg.get_action().takes_values()) {
                (None, _) => name.to_owned(),
                (Some(long), true) => format!("--{long} {name}"),
                (Some(long), false) => format!("--{long}"),
            };
            if arg.is_required_set() { said } else { format!("[{said}]") }
        });
        lines.push(format!("{path}{}", args.collect::<Vec<_>>().join(" ")).trim_end().to_owned());
    }
}

#[test]
fn every_operation_has_its_command() {
    let ops = ops();
    let offline: &crate::Offline = &|_| Err(String::new());
    let program = Program {
        ops: &ops,
        groups: super::support::GROUPS,
        settings: super::support::ALL,
        version: "1",
        default_data_dir: None,
        offline: Some(offline),
        opener: &|_| Ok(()),
    };
    program.command().debug_assert();
    let mut lines = Vec::new();
    tree(&program.command(), "", &mut lines);
    assert_eq!(
        lines,
        [
            "boards list [--limit NUMBER] [--topics TEXT]",
            "boards get ID",
            "boards delete ID [--if-match REVISION]",
            "boards items create BOARDID [--name TEXT] [--at-top BOOL] [--cells JSON] [--count NUMBER] \
             [--field-input TEXT] [--kind WORD] [--ratio NUMBER] [--tags TEXT] [--url TEXT] [--input JSON]",
            "boards cell BOARDID ITEMID COLUMNID [VALUE] [--value VALUE] [--input JSON]",
            "boards import --workspace TEXT [--file-name TEXT] FILE [--content-type TYPE]",
            "boards export BOARDID [--format TEXT] [--output FILE]",
            "query [--board-ids TEXT] [--rules TEXT] [--input JSON]",
            "things attach THINGID [--name TEXT] FILE [--content-type TYPE]",
            "things keep ID [--note TEXT] [--input JSON]",
            "things cell KEY [--value VALUE] [--input JSON] [--if-match REVISION]",
            "settings list [--offline]",
            "settings get KEY [--offline]",
            "settings set KEY [VALUE] [--value-json JSON] [--if-match REVISION] [--offline]",
            "settings reset KEY [--if-match REVISION] [--offline]",
            "settings change [--changes JSON] [--dry-run BOOL] [--input JSON] [--if-match REVISION]",
            "settings history [KEY]",
            "settings undo [CHANGE] [--input JSON]",
            "settings import FILE [--dry-run] [--replace] [--skip-invalid]",
            "settings export",
            "changes list",
            "dashboards check [--input JSON]",
            "dashboards schema",
            "openapi get",
            "sessions stop SESSIONID [--input JSON]",
            "sessions transcript SESSIONID",
            "open [--print]",
            "mcp",
            "completion SHELL",
        ]
    );
}

#[test]
fn a_name_may_be_an_operation_and_a_group() {
    let get = kit::Method::Get;
    let ops =
        [op::<NoParams>("things", get, "/things/{id}", "A."), op::<NoParams>("things.allOfThem", get, "/all", "B.")];
    let settings = super::support::ALL;
    let opener: &crate::Opener = &|_| Ok(());
    let program =
        Program { ops: &ops, groups: &[], settings, version: "1", default_data_dir: None, offline: None, opener };
    let mut command = program.command();
    command.clone().debug_assert();
    let mut words = |line: &[&str]| {
        let matches = command.try_get_matches_from_mut(["pilothouse"].iter().chain(line))?;
        Ok::<_, clap::Error>(crate::Chain::new(&matches).words.join(" "))
    };
    assert_eq!(words(&["things", "x"]).unwrap(), "things");
    assert_eq!(words(&["things", "all-of-them"]).unwrap(), "things all-of-them");
    assert!(words(&["things"]).is_err());
}

#[test]
fn help_is_the_operations_doc() {
    let ran = World::default().run(&["boards", "items", "create", "--help"]);
    assert!(ran.err.contains("Adds an item. It goes last."), "{}", ran.err);
    assert!(ran.err.contains("What the item is called (required)\n"), "{}", ran.err);
    assert!(ran.err.contains("[possible values: task, risk]"), "{}", ran.err);
    let ran = World::default().run(&["boards", "--help"]);
    assert!(ran.err.contains("Boards: items and cells"), "{}", ran.err);
    assert!(ran.err.contains("Lists boards\n"), "{}", ran.err);
    // A group of which nothing is said is told by its commands.
    let ran = World::default().run(&["things", "--help"]);
    assert!(ran.err.contains("Commands: attach, keep, cell"), "{}", ran.err);
}

#[test]
fn help_says_what_is_required_and_names_options_as_they_are_typed() {
    let ran = World::default().run(&["boards", "items", "create", "--help"]);
    assert!(ran.err.contains("What the item is called (required)"), "{}", ran.err);
    assert!(!ran.err.contains("How many (required)"), "{}", ran.err);
    let doc = "Puts it first with atTop, on boardId, with cells or fieldInput.";
    let ops = [op::<super::support::CreateItem>("things.put", kit::Method::Post, "/boards/{boardId}/things", doc)];
    let program = super::support::program(&ops);
    let command = program.command();
    let about = command.find_subcommand("things").and_then(|things| things.find_subcommand("put"));
    let about = about.and_then(Command::get_long_about).map(ToString::to_string);
    assert_eq!(about.as_deref(), Some("Puts it first with --at-top, on BOARDID, with cells or fieldInput."));
}

#[test]
fn the_usage_line_has_what_is_required() {
    let usage = |words: &[&str]| {
        let ran = World::default().run(words);
        assert_eq!(ran.code, EXIT_USAGE, "{}", ran.err);
        let line = ran.err.lines().find_map(|line| line.strip_prefix("Usage: pilothouse ")).unwrap_or_default();
        line.to_owned()
    };
    assert_eq!(
        usage(&["boards", "cell", "b1", "i1", "c1"]),
        "boards cell [OPTIONS] <BOARDID> <ITEMID> <COLUMNID> [VALUE]"
    );
    assert_eq!(usage(&["boards", "items", "create", "b1"]), "boards items create [OPTIONS] --name <TEXT> <BOARDID>");
    // What nothing else needs is said by the parser itself.
    assert_eq!(usage(&["settings", "get"]), "settings get <KEY>");
}

#[test]
fn the_value_of_a_cell_may_stand_last() {
    let line = "PATCH /boards/b1/items/i1/cells/c1";
    for (written, value) in
        [("Done", json!("Done")), ("-4.5", json!(-4.5)), ("null", json!(null)), ("[\"m1\"]", json!(["m1"]))]
    {
        sends(&["boards", "cell", "b1", "i1", "c1", written], "", line, json!({"value": value}));
    }
    sends(&["boards", "cell", "b1", "i1", "c1", "--value", "Done"], "", line, json!({"value": "Done"}));
    sends(&["boards", "cell", "b1", "i1", "c1", "--input", r#"{"value": 5}"#], "", line, json!({"value": 5}));
    let both = World::default().run(&["boards", "cell", "b1", "i1", "c1", "Done", "--value", "Done"]);
    assert_eq!(both.code, EXIT_USAGE, "{}", both.err);
}

#[test]
fn a_command_that_does_not_exist_is_met_with_a_similar_one() {
    let ran = World::default().run(&["boards", "lst"]);
    assert_eq!(ran.code, EXIT_USAGE);
    assert!(ran.err.contains("'list'"), "{}", ran.err);
}

#[track_caller]
fn sends(words: &[&str], stdin: &str, line: &str, body: Value) {
    let (ran, request) = ask(words, stdin, (200, "", "{}".into()));
    assert_eq!((ran.code, ran.err.as_str()), (EXIT_OK, ""), "{words:?}");
    let request = request.unwrap();
    assert_eq!(request.line, line);
    let sent = if request.body.is_empty() { Value::Null } else { serde_json::from_str(&request.body).unwrap() };
    assert_eq!(sent, body);
}

#[test]
fn arguments_become_the_body() {
    let create = |more: &[&str], stdin: &str, body: Value| {
        let words = [&["boards", "items", "create", "a/b"], more].concat();
        sends(&words, stdin, "POST /boards/a%2Fb/items", body);
    };
    create(&["--name", "New"], "", json!({"name": "New"}));
    create(
        &["--name", "@x", "--count", "-3", "--ratio=0.5", "--tags", "a", "--tags", "b,c", "--kind", "risk"],
        "",
        json!({"name": "@x", "count": -3, "ratio": 0.5, "tags": ["a", "b,c"], "kind": "risk"}),
    );
    create(&["--name", "n", "--at-top"], "", json!({"name": "n", "atTop": true}));
    create(&["--name", "n", "--at-top=false"], "", json!({"name": "n", "atTop": false}));
    create(&["--name", "n", "--cells", r#"{"c1": [1]}"#], "", json!({"name": "n", "cells": {"c1": [1]}}));
    create(&["--name", "n", "--cells", "-"], r#"{"c": 2}"#, json!({"name": "n", "cells": {"c": 2}}));
    create(&["--input", "-", "--count", "2"], r#"{"name": "in", "count": 1}"#, json!({"name": "in", "count": 2}));
    create(&["--name", "n", "--url", "u", "--field-input", "i"], "", json!({"name": "n", "url": "u", "input": "i"}));
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("x.json");
    std::fs::write(&file, r#"{"name": "from a file"}"#).unwrap();
    create(&["--input", &format!("@{}", file.display())], "", json!({"name": "from a file"}));
}

#[test]
fn where_any_json_is_taken_what_is_none_is_text() {
    for (written, value) in [
        ("Done", json!("Done")),
        ("2026-12-24", json!("2026-12-24")),
        ("12:30", json!("12:30")),
        ("", json!("")),
        ("12", json!(12)),
        ("-5", json!(-5)),
        ("null", Value::Null),
        ("\"12\"", json!("12")),
        ("[\"l1\"]", json!(["l1"])),
    ] {
        sends(&["things", "cell", "k", "--value", written], "", "PATCH /things/k/cell", json!({"value": value}));
    }
    sends(&["things", "cell", "k", "--value", "-"], "[1]", "PATCH /things/k/cell", json!({"value": [1]}));
    for slip in ["{\"a\": 1", "[draft] a", "\"open", "@no-such-file"] {
        let (ran, request) = ask(&["things", "cell", "k", "--value", slip], "", (200, "", "{}".into()));
        assert_eq!((ran.code, request.is_none()), (EXIT_USAGE, true), "{slip}");
        assert!(ran.err.contains(r#"'"[a] text"'"#), "{}", ran.err);
    }
    let help = World::default().run(&["things", "cell", "--help"]).err;
    assert!(help.contains("text, JSON") && help.contains("'\"12\"'"), "{help}");
}

#[test]
fn arguments_become_the_query_where_there_is_no_body() {
    sends(&["boards", "list"], "", "GET /boards", Value::Null);
    let words = ["boards", "list", "--limit", "5", "--topics", "a b", "--topics", "c"];
    sends(&words, "", "GET /boards?limit=5&topics=a%20b%2Cc", Value::Null);
    sends(&["boards", "get", ".."], "", "GET /boards/%2E%2E", Value::Null);
}

#[test]
fn several_identifiers_stand_with_commas_and_other_texts_apart() {
    let words = ["query", "--board-ids", "a,b", "--board-ids", "c", "--rules", "x in 1, 2", "--rules", "y"];
    let body = json!({"boardIds": ["a", "b", "c"], "rules": ["x in 1, 2", "y"]});
    sends(&words, "", "POST /query", body);
    let help = World::default().run(&["query", "--help"]).err;
    assert!(help.contains("The boards, by ID or unique name (separate several by commas) (required)"), "{help}");
    assert!(help.contains("Rules (repeat the option for several)"), "{help}");
}

#[test]
fn what_cannot_be_sent_is_a_usage_error_and_nothing_is_sent() {
    for words in [
        &["boards", "items", "create", "b"][..],
        &["boards", "items", "create", "b", "--name", "n", "--count", "1.5"],
        &["boards", "items", "create", "b", "--name", "n", "--kind", "other"],
        &["boards", "items", "create", "b", "--name", "n", "--at-top=maybe"],
        &["boards", "items", "create", "b", "--name", "n", "--cells", "{"],
        &["boards", "items", "create", "b", "--input", "[]"],
        &["boards", "items", "create", "b", "--input", r#"{"name": "a", "name": "b"}"#],
        &["boards", "items", "create", "b", "--input", "@no-such-file"],
        &["boards", "get", ""],
        &["boards", "import", "--workspace", "w", "no-such-file"],
        &["owner", "only"],
    ] {
        let (ran, request) = ask(words, "", (200, "", "{}".into()));
        assert_eq!((ran.code, request.is_none()), (EXIT_USAGE, true), "{words:?}: {}", ran.err);
    }
}

#[test]
fn files_are_sent_with_their_type_and_progress_is_shown_on_a_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let csv = dir.path().join("b.json");
    std::fs::write(&csv, "[1]").unwrap();
    let import = ["boards", "import", "--workspace", "w x", csv.to_str().unwrap()];
    let (ran, request) = ask(&import, "", (201, "", "{}".into()));
    let request = request.unwrap();
    assert_eq!((ran.code, ran.err.as_str()), (EXIT_OK, ""));
    assert_eq!(
        (request.line.as_str(), request.body.as_str()),
        ("POST /boards/import?workspace=w%20x&fileName=b.json", "[1]")
    );
    assert!(request.has("content-type: application/json") && request.has("content-length: 3"), "{}", request.head);
    let (_, request) = ask(&["boards", "import", "--workspace", "w", "-"], "a,b\n", (201, "", "{}".into()));
    let request = request.unwrap();
    assert_eq!((request.line.as_str(), request.body.as_str()), ("POST /boards/import?workspace=w", "a,b\n"));
    assert!(request.has("content-type: text/csv"), "{}", request.head);

    let fake = super::support::Fake::genuine(|_| (204, "", String::new()));
    let data = super::support::data_dir(&fake.base);
    let world = World { terminal_columns: Some(80), ..World::default() };
    let ran = world.run(&[&["--data-dir", data.path().to_str().unwrap()], &import[..]].concat());
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("Done.\n", "\rSent 3 of 3 bytes\n"));
}

#[test]
fn a_file_that_is_kept_goes_by_its_own_name_unless_another_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("Log book.txt");
    std::fs::write(&path, "[1]").unwrap();
    let file = path.to_str().unwrap();
    for (words, line, media) in [
        (vec!["things", "attach", "t", file], "POST /things/t/files?name=Log%20book.txt", "text/plain"),
        (vec!["things", "attach", "t", file, "--name", "b"], "POST /things/t/files?name=b", "text/plain"),
        (vec!["things", "attach", "t", "-", "--content-type", "image/png"], "POST /things/t/files", "image/png"),
    ] {
        let (_, request) = ask(&words, "", (201, "", "{}".into()));
        let request = request.unwrap();
        assert_eq!(request.line, line);
        assert!(request.has(&format!("content-type: {media}")), "{}", request.head);
    }
    std::fs::write(&path, "more than ten").unwrap();
    let (ran, request) = ask(&["things", "attach", "t", file], "", (201, "", "{}".into()));
    assert!(request.is_none() && ran.err.contains("The limit is 10"), "{}", ran.err);
}

#[test]
fn a_file_that_is_refused_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("empty.csv");
    std::fs::write(&path, "").unwrap();
    let file = path.to_str().unwrap();
    let refusal = |more: &str| {
        format!(r#"{{"title": "The file is empty", "detail": "It holds no row.", "code": "empty-file"{more}}}"#)
    };
    let asked = |words: &[&str], status, body: String| {
        ask(words, "", (status, "content-type: application/problem+json\r\n", body)).0
    };
    let words = ["boards", "import", "--workspace", "w", file];
    let told = asked(&words, 422, refusal("")).err;
    assert_eq!(told, format!("{file}: The file is empty: It holds no row.\n(empty-file)\n"));
    // What is wrong with another part of the command is not the file's fault.
    let told = asked(&words, 422, refusal(r#", "errors": [{"pointer": "/workspace", "detail": "No."}]"#)).err;
    assert!(told.starts_with("The file is empty"), "{told}");
    assert!(asked(&words, 404, refusal("")).err.starts_with("The file is empty"));
    assert_eq!(asked(&[&words[..], &["--json"]].concat(), 422, refusal("")).err, "");
}

#[test]
fn a_complaint_about_a_word_does_not_steer_the_terminal() {
    let ops = ops();
    let program = super::support::program(&ops);
    for word in ["x\u{1b}]0;title\u{7}", "--y\u{1b}[2J", "z\u{9b}2J\r"] {
        let words = ["pilothouse", word];
        let complaint = program.command().try_get_matches_from(words).unwrap_err();
        let text = crate::tamed(&complaint, words.map(Into::into)).expect("it is told without decoration");
        assert!(text.starts_with("error: ") && text.contains("Usage: pilothouse"), "{text:?}");
        assert!(!text.replace('\n', "").contains(char::is_control), "{text:?}");
    }
    let complaint = program.command().try_get_matches_from(["pilothouse", "plain"]).unwrap_err();
    assert_eq!(crate::tamed(&complaint, ["plain".into()]), None);
}

#[test]
fn a_group_names_each_of_its_commands_once() {
    let get = kit::Method::Get;
    let ops = [
        op::<NoParams>("things.parts.list", get, "/a", "A."),
        op::<NoParams>("things.all", get, "/b", "B."),
        op::<NoParams>("things.parts.first", get, "/c", "C."),
    ];
    let program = super::support::program(&ops);
    let command = program.command();
    let about = command.find_subcommand("things").and_then(Command::get_about).map(ToString::to_string);
    assert_eq!(about.as_deref(), Some("Commands: parts, all"));
}

#[test]
fn a_secret_is_read_from_standard_input_and_from_no_argument() {
    let keep = |words: &[&str], stdin: &str| {
        let (ran, request) = ask(&[&["things", "keep", "t1"], words].concat(), stdin, (204, "", String::new()));
        (ran, request.map(|request| serde_json::from_str::<Value>(&request.body).unwrap()))
    };
    let (ran, sent) = keep(&["--note", "n"], "sk-1 \nsecond line\r\n");
    assert_eq!(ran.code, EXIT_OK, "{}", ran.err);
    assert_eq!(
        sent,
        Some(json!({"value": "sk-1 \nsecond line", "note": "n"})),
        "the end of the last line is no part of it"
    );
    assert_eq!(keep(&["--input", "-"], r#"{"value": "sk-1"}"#).1, Some(json!({"value": "sk-1"})));
    for words in [["--value", "sk-1"], ["--input", r#"{"value": "sk-1"}"#]] {
        let (ran, sent) = keep(&words, "");
        assert_eq!((ran.code, sent), (EXIT_USAGE, None), "{}", ran.err);
    }
    let ran = World::default().run(&["things", "keep", "--help"]);
    assert!(
        ran.err.contains("Prompts for the value without showing it, or reads it from standard input."),
        "{}",
        ran.err
    );
}

#[test]
fn help_says_what_ids_identify_and_where_names_will_do() {
    let help = |words: &[&str]| {
        let ran = World::default().run(&[words, &["--help"]].concat());
        ran.err.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let create = help(&["boards", "items", "create"]);
    assert!(create.contains("The board, by ID or unique name"), "{create}");
    assert!(create.contains("Usage: pilothouse boards items create"), "{create}");
    let transcript = help(&["sessions", "transcript"]);
    assert!(transcript.contains("<SESSIONID> The session's ID; names aren't accepted"), "{transcript}");
    assert!(help(&["mcp"]).contains(r#""mcpServers""#));
}

#[test]
fn texts_name_commands_in_place_of_operations() {
    let help = World::default().run(&["dashboards", "check", "--help"]).err;
    let text = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("`dashboards schema` and `boards export` say more, `other.op` nothing."), "{help}");
    let problem = json!({"title": "No", "status": 422, "detail": "See `boards.list`.", "code": "x"}).to_string();
    let (ran, _) = ask(&["boards", "get", "b1"], "", (422, "", problem));
    assert!(ran.err.starts_with("No: See `boards list`."), "{}", ran.err);
}

#[test]
fn a_command_may_have_shorter_words_too() {
    for words in [&["openapi"][..], &["openapi", "get"]] {
        sends(words, "", "GET /openapi.json", Value::Null);
    }
}

#[test]
fn a_config_that_is_not_accepted_is_in_the_exit_code() {
    let check = |answer: Value| {
        let (ran, _) = ask(&["dashboards", "check"], "", (200, "", answer.to_string()));
        (ran.code, ran.err)
    };
    assert_eq!(check(json!({"accepted": true})), (EXIT_OK, String::new()));
    assert_eq!(check(json!({"accepted": false})), (EXIT_REFUSED, String::new()));
}
