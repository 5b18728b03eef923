//! Refusals in the words of the command line that was typed.

use super::support::ask;
use serde_json::{Value, json};

#[track_caller]
fn refusal_lines(words: &[&str], status: u16, problem: Value) -> Vec<String> {
    let (ran, _) = ask(words, "", (status, "", problem.to_string()));
    let (json, _) = ask(&[words, &["--json"]].concat(), "", (status, "", problem.to_string()));
    let sent = problem.to_string().replace("X-App-Source-Session-Id", "--source-session");
    assert_eq!(json.out, format!("{sent}\n"), "JSON is as it was sent, but for the option of the header");
    ran.err.lines().map(str::to_owned).collect()
}

fn refusal(errors: Value) -> Value {
    json!({"title": "Not accepted", "status": 422, "detail": "A value was not accepted.", "code": "x", "errors": errors})
}

#[test]
fn places_are_named_by_the_options_and_arguments_that_were_typed() {
    let errors = json!([
        {"pointer": "/atTop", "detail": "Say with atTop where, or with boardId; atTopMost is nothing."},
        {"pointer": "/cells/c1", "detail": "No."},
        {"pointer": "/boardId", "detail": "No."},
        {"pointer": "/input", "detail": "No name."},
        {"pointer": "/else/where", "detail": "No."},
    ]);
    let create = ["boards", "items", "create", "b1", "--name", "n"];
    assert_eq!(
        refusal_lines(&create, 422, refusal(errors.clone())),
        [
            "Not accepted: A value was not accepted.",
            "  --at-top: Say with --at-top where, or with BOARDID; atTopMost is nothing.",
            "  --cells /c1: No.",
            "  BOARDID: No.",
            "  --field-input: No name.",
            "  /else/where: No.",
            "(x)",
        ]
    );
    // In a document the members have the document's names.
    let document = ["boards", "items", "create", "b1", "--input", "{}", "--cells", "{}"];
    let lines = refusal_lines(&document, 422, refusal(errors));
    assert_eq!(lines[1], "  /atTop: Say with atTop where, or with BOARDID; atTopMost is nothing.");
    assert_eq!(lines[2], "  --cells /c1: No.");
}

#[test]
fn plain_words_are_replaced_only_between_backticks() {
    let create = ["boards", "items", "create", "b1", "--name", "n"];
    let problem = |detail: &str| json!({"title": "", "status": 422, "detail": detail, "code": "x"});
    for (detail, expected) in [
        ("Set `name` or leave atTop out.", "Set `--name` or leave --at-top out."),
        ("The name of boardId is `n`.", "The name of BOARDID is `n`."),
        ("Use `boardId`.", "Use `BOARDID`."),
        ("Not `a name` and not closed: `name", "Not `a name` and not closed: `name"),
        ("`a`name`b`", "`a`name`b`"),
    ] {
        assert_eq!(refusal_lines(&create, 422, problem(detail))[0], expected);
    }
    // In a document the members have the document's names.
    let document = ["boards", "items", "create", "b1", "--input", "{}"];
    assert_eq!(refusal_lines(&document, 422, problem("Set `name`."))[0], "Set `name`.");
}

#[test]
fn a_header_is_named_by_its_option() {
    let problem = json!({"title": "", "status": 403, "detail": "X-App-Source-Session-Id is missing.", "code": "x"});
    assert_eq!(refusal_lines(&["boards", "list"], 403, problem)[0], "--source-session is missing.");
}

#[test]
fn stopping_an_ended_session_is_success() {
    let problem =
        |state: &str| json!({"title": "No", "status": 409, "detail": "No.", "code": "not-now", "state": state});
    let stop = |state: &str, more: &[&str]| {
        let words = [&["sessions", "stop", "s1"], more].concat();
        let (ran, _) = ask(&words, "", (409, "", problem(state).to_string()));
        (ran.code, ran.out, ran.err.lines().next().unwrap_or_default().to_owned())
    };
    assert_eq!(stop("finished", &[]), (0, "Already ended.\n".into(), String::new()));
    assert_eq!(stop("stopped", &["--quiet"]), (0, String::new(), String::new()));
    assert_eq!(stop("finished", &["--json"]), (0, format!("{}\n", problem("finished")), String::new()));
    assert_eq!(stop("draft", &[]), (1, String::new(), "No.".into()));
}

#[test]
fn an_option_that_is_given_several_times_is_told_by_its_number() {
    let errors = json!([{"pointer": "/rules/1", "detail": "No."}, {"pointer": "/boardIds/0", "detail": "None."}]);
    let words = ["query", "--board-ids", "b1", "--rules", "a", "--rules", "b"];
    let lines = refusal_lines(&words, 422, refusal(errors));
    assert_eq!(lines[1..3], ["  --rules (2 of 2): No.", "  --board-ids: None."]);
}

#[test]
fn a_sentence_is_said_once() {
    let problem = |pointer: &str| {
        let errors = json!([{"pointer": pointer, "detail": "The column takes a day."}]);
        json!({"title": "No", "status": 422, "detail": "The column takes a day.", "code": "x", "errors": errors})
    };
    let words = ["boards", "items", "create", "b1", "--name", "n"];
    assert_eq!(refusal_lines(&words, 422, problem("/cells")), ["No: The column takes a day.", "  --cells", "(x)"]);
    assert_eq!(refusal_lines(&words, 422, problem("")), ["No: The column takes a day.", "(x)"]);
    let title = json!({"title": "It leads back to itself", "detail": "It leads back to itself: A → A.", "code": "x"});
    assert_eq!(refusal_lines(&words, 422, title), ["It leads back to itself: A → A.", "(x)"]);
}

#[test]
fn what_is_not_found_is_named_with_the_identifiers_that_were_given() {
    let problem =
        |status: u16, detail: &str| json!({"title": "Not found", "status": status, "detail": detail, "code": "x"});
    let words = ["boards", "items", "create", "b1", "--name", "n"];
    assert_eq!(
        refusal_lines(&words, 404, problem(404, "Nothing is here.")),
        ["Not found: Nothing is here.", "  Given: BOARDID b1", "(x)"]
    );
    assert_eq!(refusal_lines(&words, 404, problem(404, "No board b1.")), ["Not found: No board b1.", "(x)"]);
    assert_eq!(refusal_lines(&words, 409, problem(409, "Nothing is here."))[1], "(x)");
}
