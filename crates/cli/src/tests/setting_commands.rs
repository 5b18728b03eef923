//! The pleasant side of settings.

use super::support::{InProcess, World, ask, data_dir};
use crate::{EXIT_OK, EXIT_REFUSED, EXIT_USAGE};
use serde_json::{Value, json};

#[track_caller]
fn sets(key: &str, written: &str, value: Value) {
    let (ran, request) = ask(&["settings", "set", key, written], "", (200, "", "{}".into()));
    assert_eq!(ran.code, EXIT_OK, "{}", ran.err);
    let request = request.unwrap();
    assert_eq!(request.line, format!("PATCH /settings/{key}"));
    assert_eq!(serde_json::from_str::<Value>(&request.body).unwrap(), json!({"value": value}), "{key} {written}");
}

#[test]
fn a_value_is_read_by_the_settings_type() {
    for (written, on) in [("true", true), ("on", true), ("Yes", true), ("false", false), ("OFF", false), ("no", false)]
    {
        sets("toasts", written, on.into());
    }
    sets("toasts", "maybe", "maybe".into());
    sets("toasts", "null", Value::Null);
    sets("cpuCap", "65", 65.into());
    sets("cpuCap", "-5", json!(-5));
    sets("cpuCap", "lots", "lots".into());
    sets("agentLevel", "full", "full".into());
    sets("nickname", "true", "true".into());
    sets("nickname", "[1]", "[1]".into());
    sets("nickname", "12", "12".into());
    sets("note", "null", Value::Null);
    sets("levels", "read_only, full", json!(["read_only", "full"]));
    sets("levels", r#"["full"]"#, json!(["full"]));
    sets("levels", "", json!([]));
    sets("look", r#"{"bold": true}"#, json!({"bold": true}));
    sets("rows", r#"[{"bold": true}]"#, json!([{"bold": true}]));
    sets("notKnownHere", "12", 12.into());
    sets("notKnownHere", "a, b", "a, b".into());
}

#[test]
fn a_change_to_take_back_is_a_word() {
    let (ran, request) = ask(&["settings", "undo", "7"], "", (200, "", "{}".into()));
    assert_eq!((ran.code, request.unwrap().body.as_str()), (EXIT_OK, "{\"change\":\"7\"}"), "{}", ran.err);
    let (ran, request) = ask(&["settings", "undo"], "", (200, "", "{}".into()));
    assert_eq!((ran.code, request.is_none()), (EXIT_USAGE, true));
}

#[test]
fn an_undone_change_is_one_line() {
    let record =
        json!({"key": "toasts", "value": true, "previous": false, "changed": true, "effect": {"active": true}});
    let (ran, _) = ask(&["settings", "undo", "7"], "", (200, "", record.to_string()));
    assert_eq!(ran.out, "toasts is now true (it was false).\n");
}

#[test]
fn the_list_has_other_names_and_effects() {
    let reason = json!([{"code": "requires", "detail": "Requires toasts."}]);
    let list = json!({"settings": [
        {"key": "colorMode", "value": "dark", "title": "Color mode", "alsoCalled": "theme, appearance",
         "effect": {"active": true, "reasons": []}},
        {"key": "look", "value": "x", "title": "Look", "effect": {"active": false, "reasons": reason}},
    ]});
    let (ran, _) = ask(&["settings", "list"], "", (200, "", list.to_string()));
    assert_eq!(
        ran.out.lines().collect::<Vec<_>>(),
        [
            "Key        Value  Title                           Effect",
            "colorMode  dark   Color mode (theme, appearance)",
            "look       x      Look                            Not in effect. Requires toasts.",
        ]
    );
}

#[test]
fn any_value_is_taken_as_json() {
    for (key, written) in
        [("nickname", "\"null\""), ("nickname", "null"), ("note", "\"\""), ("cpuCap", "-5"), ("levels", "[\"full\"]")]
    {
        let (ran, request) = ask(&["settings", "set", key, "--value-json", written], "", (200, "", "{}".into()));
        assert_eq!(ran.code, EXIT_OK, "{}", ran.err);
        assert_eq!(request.unwrap().body, format!("{{\"value\":{written}}}"));
    }
    for words in [&["--value-json", "null", "x"][..], &[], &["--value-json", "word"]] {
        let (ran, request) = ask(&[&["settings", "set", "nickname"], words].concat(), "", (200, "", "{}".into()));
        assert_eq!((ran.code, request.is_none()), (EXIT_USAGE, true), "{words:?}");
    }
}

#[test]
fn what_must_be_json_is_checked_before_it_is_sent() {
    for (key, written) in [("look", "bold"), ("look", "{"), ("rows", "a,b"), ("levels", "[")] {
        let (ran, request) = ask(&["settings", "set", key, written], "", (200, "", "{}".into()));
        assert_eq!((ran.code, request.is_none()), (EXIT_USAGE, true), "{key} {written}");
        assert!(ran.err.contains(key), "{}", ran.err);
    }
    let (_, request) = ask(&["settings", "set", "look", "-"], r#"{"bold": false}"#, (200, "", "{}".into()));
    assert_eq!(request.unwrap().body, r#"{"value":{"bold":false}}"#);
    let (_, request) = ask(&["settings", "set", "nickname", "--json", "--", "--x"], "", (200, "", "{}".into()));
    assert_eq!(request.unwrap().body, r#"{"value":"--x"}"#);
}

#[test]
fn a_change_is_told_with_when_and_why_not() {
    let record = json!({"key": "cpuCap", "value": 65, "previous": 60, "changed": true, "applies": "next-start",
    "pendingRestart": true, "effect": {"active": false, "reasons": [
        {"code": "platform", "detail": "It has an effect on Windows only."},
        {"code": "requires", "detail": "It has an effect only while toasts is on."},
    ]}});
    let (ran, request) =
        ask(&["settings", "set", "cpuCap", "65", "--if-match", "412"], "", (200, "", record.to_string()));
    assert_eq!(
        ran.out,
        "cpuCap is now 65 (it was 60).\nTakes effect at the next start.\nNot in effect. It has an effect on \
         Windows only. It has an effect only while toasts is on.\n"
    );
    assert!(request.unwrap().has("if-match: \"412\""));
    let same = json!({"key": "cpuCap", "value": 65, "previous": 65, "changed": false, "applies": "now"});
    let (ran, request) = ask(&["settings", "reset", "cpuCap"], "", (200, "", same.to_string()));
    assert_eq!(ran.out, "cpuCap is already 65.\n");
    assert_eq!(request.unwrap().line, "DELETE /settings/cpuCap");
}

#[test]
fn history_takes_a_key_or_none() {
    let line = |words: &[&str]| ask(words, "", (200, "", r#"{"items": []}"#.into())).1.unwrap().line;
    assert_eq!(line(&["settings", "history"]), "GET /settings/history");
    assert_eq!(line(&["settings", "history", "toasts"]), "GET /settings/history?key=toasts");
}

#[test]
fn where_nothing_is_stored_the_history_says_default() {
    let history =
        json!({"items": [{"key": "toasts", "from": null, "to": false}, {"key": "toasts", "from": false, "to": null}]});
    let (ran, _) = ask(&["settings", "history"], "", (200, "", history.to_string()));
    let words: Vec<Vec<&str>> = ran.out.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(words, [["toasts", "(default)", "false"], ["toasts", "false", "(default)"]], "{}", ran.out);
    let (ran, _) = ask(&["settings", "history", "--json"], "", (200, "", history.to_string()));
    assert_eq!(ran.out.trim_end(), history.to_string(), "JSON is as it was sent");
}

#[test]
fn an_export_is_imported_whole() {
    let imports = |document: &str, more: &[&str]| {
        let (ran, request) = ask(&[&["settings", "import", "-"], more].concat(), document, (200, "", "{}".into()));
        assert_eq!(ran.code, EXIT_OK, "{}", ran.err);
        let request = request.unwrap();
        assert_eq!(request.line, "POST /settings/import");
        serde_json::from_str::<Value>(&request.body).unwrap()
    };
    let exported = json!({"format": "pilothouse-settings", "version": 1, "settings": {"toasts": false}});
    let expected = json!({"document": exported, "mode": "merge", "skipInvalid": false, "dryRun": false});
    assert_eq!(imports(r#"{"toasts": false}"#, &[]), expected);
    assert_eq!(imports(&exported.to_string(), &[]), expected);
    let all = imports(&exported.to_string(), &["--dry-run", "--replace", "--skip-invalid"]);
    assert_eq!(all, json!({"document": exported, "mode": "replace", "skipInvalid": true, "dryRun": true}));
    for document in ["[]", "{", r#"{"settings": 1}"#, r#"{"settings": [1]}"#] {
        let (ran, request) = ask(&["settings", "import", "-"], document, (200, "", "{}".into()));
        assert_eq!((ran.code, request.is_none()), (EXIT_USAGE, true), "{document}");
    }
}

#[test]
fn offline_goes_through_the_transport_that_the_app_hands_in() {
    let transport = InProcess::default();
    let dir = data_dir("http://127.0.0.1:1");
    let path = dir.path().to_owned();
    let open: &crate::Offline = &|asked| {
        assert_eq!(asked, path);
        Ok(Box::new(transport.clone()))
    };
    let world = World { offline: Some(open), ..World::default() };
    let run = |words: &[&str]| world.run(&[words, &["--offline", "--data-dir", path.to_str().unwrap()]].concat());
    let ran = run(&["settings", "set", "toasts", "off"]);
    assert_eq!((ran.code, ran.out.as_str()), (EXIT_OK, "toasts is now false (it was true).\n"), "{}", ran.err);
    run(&["settings", "reset", "toasts"]);
    run(&["settings", "get", "toasts"]);
    run(&["settings", "list"]);
    assert_eq!(run(&["boards", "list"]).code, EXIT_USAGE);
    let asked = transport.0.take();
    let expected = [
        ("settings.set", json!({"key": "toasts", "value": false})),
        ("settings.reset", json!({"key": "toasts"})),
        ("settings.get", json!({"key": "toasts"})),
        ("settings.list", json!({})),
    ];
    assert_eq!(asked, expected.map(|(op, input)| (op.to_owned(), input)));

    let refuse: &crate::Offline = &|_| Err("Pilothouse runs with this data directory; leave --offline out.".into());
    let world = World { offline: Some(refuse), ..World::default() };
    let ran = world.run(&["settings", "list", "--offline", "--data-dir", path.to_str().unwrap()]);
    assert_eq!(ran.code, EXIT_REFUSED);
    assert!(ran.err.contains("leave --offline out"), "{}", ran.err);
    let ran = World::default().run(&["settings", "list", "--offline"]);
    assert_eq!(ran.code, EXIT_USAGE);
}
