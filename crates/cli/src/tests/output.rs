//! Tables, records, problems and exit codes.

use super::support::{Fake, Ran, TOKEN, World, ask, data_dir, proof, read_request};
use crate::render::{Style, answer};
use crate::{EXIT_OK, EXIT_REFUSED, EXIT_UNAUTHORISED};
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpListener;
use std::sync::mpsc;
use std::time::Duration;

const PLAIN: Style = Style { width_columns: None, bold: false };

#[track_caller]
fn check(value: Value, columns: &[&str], style: Style, text: &str) {
    assert_eq!(answer(&value, columns, style), text);
}

#[test]
fn lists_are_tables() {
    let items = json!({"items": [
        {"id": "b1", "name": "Roadmap", "open": 3, "tags": ["x"]},
        {"id": "b22", "name": "日本", "open": null, "tags": []},
    ], "nextCursor": "c2"});
    check(items.clone(), &["name", "id"], PLAIN, "Name     ID\nRoadmap  b1\n日本     b22\nMore: --cursor c2\n");
    check(items, &[], PLAIN, "ID   Name     Open  Tags\nb1   Roadmap  3     x\nb22  日本\nMore: --cursor c2\n");
    check(json!({"settings": [{"key": "a", "value": {"x": 1}}]}), &["key", "value"], PLAIN, "Key  Value\na    x: 1\n");
    check(json!({"items": []}), &["id"], PLAIN, "No results.\n");
    check(json!(["a", 2]), &[], PLAIN, "a\n2\n");
}

#[test]
fn tables_fit_the_terminal() {
    let style = Style { width_columns: Some(20), bold: true };
    let rows = json!([{"id": "1", "name": "A rather long name", "createdAt": "2026-01-01"}]);
    check(
        rows.clone(),
        &["id", "name", "createdAt"],
        style,
        "\x1b[1mID  Name     Create…\x1b[0m\n1   A rath…  2026-0…\n",
    );
    let narrow = Style { width_columns: Some(11), bold: false };
    check(rows, &["id", "name", "createdAt"], narrow, "ID  Name\n1   A rat…\n");
}

#[test]
fn records_are_lines() {
    let record = json!({"id": "b1", "createdAt": "now", "config": {"a": [1, 2]}, "note": "a b c d"});
    check(record.clone(), &[], PLAIN, "Created at  now\nID          b1\nNote        a b c d\nConfig\n  A  1, 2\n");
    check(record.clone(), &["id", "missing"], PLAIN, "ID  b1\n");
    check(record, &["note"], Style { width_columns: Some(10), bold: false }, "Note  a b\n      c d\n");
}

#[test]
fn a_record_within_a_record_is_shown_by_its_name_and_id() {
    let board = json!({"id": "b1", "name": "Team\u{1b}", "columns": [{"id": "c1"}], "views": []});
    check(json!({"board": board, "problems": []}), &[], PLAIN, "Board     Team\u{fffd} (b1)\nProblems\n");
}

#[test]
fn an_answer_cannot_steer_the_terminal() {
    let text = answer(&json!({"items": [{"name": "\u{1b}]0;x\u{7}a\nb\u{202e}c\u{9b}"}]}), &[], PLAIN);
    assert_eq!(text, "Name\n\u{fffd}]0;x\u{fffd}a b\u{fffd}c\u{fffd}\n");
}

#[test]
fn json_is_printed_as_it_was_sent() {
    let sent = "{ \"items\":[ 1.50 ],\n\"b\":1}";
    let (ran, _) = ask(&["boards", "list", "--json"], "", (200, "", sent.into()));
    assert_eq!(ran, Ran { code: EXIT_OK, out: format!("{sent}\n"), err: String::new() });
    let (ran, _) = ask(&["--json", "settings", "list"], "", (200, "", sent.into()));
    assert_eq!(ran.out, format!("{sent}\n"));
    let (ran, _) = ask(&["settings", "export"], "", (200, "", sent.into()));
    assert_eq!(ran.out, format!("{sent}\n"));
    let (ran, _) = ask(&["boards", "list", "--quiet"], "", (200, "", sent.into()));
    assert_eq!(ran, Ran { code: EXIT_OK, out: String::new(), err: String::new() });
    let (ran, _) = ask(&["boards", "delete", "b", "--json"], "", (204, "", String::new()));
    assert_eq!(ran.out, "");
}

#[test]
fn problems_are_told_in_words_or_as_json() {
    let problem =
        json!({"type": "urn:x", "title": "Not accepted", "status": 422, "detail": "A value was not accepted.",
        "code": "invalid-input", "suggestions": ["toasts", "look"],
        "errors": [{"pointer": "/value", "code": "out-of-range", "detail": "integer 1..30 is accepted.\u{1b}"}]})
        .to_string();
    let (ran, _) = ask(&["boards", "list"], "", (422, "retry-after: 7\r\n", problem.clone()));
    let words = "Not accepted: A value was not accepted.\n  /value: integer 1..30 is accepted.\u{fffd}\n\
                 Did you mean: toasts, look?\nRetry in 7 s.\n(invalid-input)\n";
    assert_eq!(ran, Ran { code: EXIT_REFUSED, out: String::new(), err: words.into() });
    let (ran, _) = ask(&["boards", "list", "--json"], "", (422, "", problem.clone()));
    assert_eq!(ran, Ran { code: EXIT_REFUSED, out: format!("{problem}\n"), err: String::new() });
    let (ran, _) = ask(&["boards", "list"], "", (401, "", problem));
    assert_eq!(ran.code, EXIT_UNAUTHORISED);
    let (ran, _) = ask(&["boards", "list"], "", (502, "content-type: text/html\r\n", "<html>".into()));
    assert_eq!(ran.code, EXIT_REFUSED);
    assert_eq!(ran.err, "The server returned status 502 without a reason.\n");
    let (ran, _) = ask(&["boards", "list"], "", (200, "", "{".into()));
    assert_eq!(ran.code, EXIT_REFUSED);
    assert!(ran.err.contains("isn't valid JSON"), "{}", ran.err);
}

#[test]
fn a_document_is_json_on_a_terminal_too() {
    let sent = "{\"format\": \"pilothouse-settings\", \"settings\": {}}";
    let fake = Fake::genuine(move |_| (200, "content-type: application/json\r\n", sent.into()));
    let dir = data_dir(&fake.base);
    let run = |words: &[&str]| {
        let words = [words, &["--data-dir", dir.path().to_str().unwrap()]].concat();
        World { terminal_columns: Some(80), ..World::default() }.run(&words).out
    };
    assert_eq!(run(&["settings", "export"]), format!("{sent}\n"));
    assert_eq!(run(&["boards", "export", "7"]), format!("{sent}\n"));
    assert!(run(&["boards", "get", "7"]).starts_with("Format"), "anything else is shown for people");
}

#[test]
fn text_streams_through_and_files_stay_off_the_terminal() {
    let events = "id: 1\ndata: {\"a\": \"\u{1b}\"}\n\n";
    let (ran, _) = ask(&["boards", "list"], "", (200, "content-type: text/event-stream\r\n", events.into()));
    assert_eq!(ran.out, events);
    let fake = Fake::genuine(|request| match request.line.ends_with('1') {
        true => (200, "content-type: text/plain\r\n", "a\u{1b}[2J\nb".into()),
        false => (200, "content-type: application/vnd.apache.arrow.stream\r\n", "ARROW".into()),
    });
    let dir = data_dir(&fake.base);
    let run = |id: &str, terminal_columns| {
        let words = ["boards", "get", id, "--data-dir", dir.path().to_str().unwrap()];
        World { terminal_columns, ..World::default() }.run(&words)
    };
    assert_eq!(run("1", Some(80)).out, "a\u{fffd}[2J\nb\n");
    assert_eq!(run("2", None).out, "ARROW");
    let ran = run("2", Some(80));
    assert_eq!((ran.code, ran.out.as_str()), (EXIT_REFUSED, ""));
    assert!(ran.err.contains("redirect"), "{}", ran.err);
}

#[test]
fn a_file_is_written_where_the_command_says_and_only_whole() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("board.csv");
    let file = file.to_str().unwrap();
    let csv = || (200, "content-type: text/csv\r\n", "Name\r\na\u{1b}\r\n".to_owned());
    let (ran, request) = ask(&["boards", "export", "7", "--format", "csv", "--output", file], "", csv());
    assert_eq!((ran.code, ran.out.as_str()), (EXIT_OK, ""), "{}", ran.err);
    assert_eq!(request.unwrap().line, "GET /boards/7/export?format=csv");
    assert_eq!(std::fs::read_to_string(file).unwrap(), csv().2);
    let refused = (404, "", json!({"code": "not-found", "status": 404, "title": "x"}).to_string());
    assert_eq!(ask(&["boards", "export", "7", "--output", file], "", refused).0.code, EXIT_REFUSED);
    assert_eq!(std::fs::read_to_string(file).unwrap(), csv().2, "what was there stays");
    let json = || (200, "content-type: application/json\r\n", "{\"b\": 1}".to_owned());
    assert_eq!(ask(&["boards", "export", "7", "--output", file], "", json()).0.code, EXIT_OK);
    assert_eq!(std::fs::read_to_string(file).unwrap(), json().2);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    // Without a file it goes to standard output, as it was sent.
    assert_eq!(ask(&["boards", "export", "7", "--output", "-"], "", csv()).0.out, csv().2);
    assert_eq!(ask(&["boards", "export", "7"], "", json()).0.out, "{\"b\": 1}\n");
    let nowhere = dir.path().join("no/such/folder");
    let (ran, _) = ask(&["boards", "export", "7", "--output", nowhere.to_str().unwrap()], "", csv());
    assert_eq!(ran.code, EXIT_REFUSED);
    assert!(ran.err.contains("Couldn't write"), "{}", ran.err);
}

/// The second event is not sent before the first was printed.
#[test]
fn events_are_printed_as_they_come() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let dir = data_dir(&format!("http://{host}"));
    let (printed, wait) = mpsc::channel();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let request = read_request(&mut stream).unwrap();
        let challenge = request.line.strip_prefix("GET /health?challenge=").unwrap();
        let health = json!({"proof": proof(TOKEN.as_bytes(), challenge, &host)}).to_string();
        write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{health}", health.len()).unwrap();
        // The token follows on the connection on which the proof was given.
        assert_eq!(read_request(&mut stream).unwrap().line, "GET /boards");
        write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
            .unwrap();
        stream.write_all(b"9\r\ndata: 1\n\n\r\n").unwrap();
        let seen = wait.recv_timeout(Duration::from_secs(20)).is_ok();
        stream.write_all(b"9\r\ndata: 2\n\n\r\n0\r\n\r\n").unwrap();
        seen
    });
    let tell = |text: &str| {
        if text.contains("data: 1") {
            printed.send(()).unwrap();
        }
    };
    let world = World { watch: Some(&tell), ..World::default() };
    let ran = world.run(&["boards", "list", "--data-dir", dir.path().to_str().unwrap()]);
    assert_eq!((ran.code, ran.out.as_str()), (EXIT_OK, "data: 1\n\ndata: 2\n\n"), "{}", ran.err);
    assert!(server.join().unwrap());
}
