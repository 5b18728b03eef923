//! The inbox of the real program: rows arrive live over HTTP and on the command line, what is too large is rejected, and rows
//! outlive what they are about.

use crate::running::{Disk, Running, cli_token};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Longer than a line takes, also on a machine under load.
const LINE_MAX: Duration = Duration::from_secs(20);

fn start(place: &Path) -> (Running, String) {
    let dir = place.join("data");
    let program = Running::start(&dir, &place.join("log"), Disk::Free, "warn");
    let token = cli_token(&dir);
    (program, token)
}

fn alert(program: &Running, token: &str, title: &str) -> Value {
    let (status, row) = program.ask(token, "POST", "/alert", Some(json!({"title": title})));
    assert_eq!(status, 201, "{row}");
    row
}

/// The next row of a stream of lines, among which HTTP puts its own.
fn next_row(lines: &mut impl BufRead) -> Option<(String, String)> {
    let mut line = String::new();
    while lines.read_line(&mut line).expect("a line") > 0 {
        if line.starts_with('{') {
            let row: Value = serde_json::from_str(&line).expect("JSON");
            let text = |name: &str| row[name].as_str().expect("a text").to_owned();
            return Some((text("title"), text("state")));
        }
        line.clear();
    }
    None
}

fn row(title: &str, state: &str) -> Option<(String, String)> {
    Some((title.to_owned(), state.to_owned()))
}

/// A stream of the inbox over HTTP, after the head of its answer.
fn watch(program: &Running, token: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(&program.address).expect("a connection");
    stream.set_read_timeout(Some(LINE_MAX)).expect("a limit");
    let head = format!(
        "GET /inbox/watch?as=jsonl HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\n\r\n",
        program.address
    );
    stream.write_all(head.as_bytes()).expect("a request");
    let mut lines = BufReader::new(stream);
    let mut line = String::new();
    lines.read_line(&mut line).expect("a status");
    assert!(line.contains(" 200 "), "{line}");
    lines
}

#[test]
fn rows_arrive_live_over_http_and_on_the_command_line_until_the_program_stops() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (program, token) = start(place.path());
    alert(&program, &token, "Before");
    let mut http = watch(&program, &token);
    let mut command = Command::new(env!("CARGO_BIN_EXE_pilothouse"))
        .args(["inbox", "watch", "--as", "jsonl", "--url", &format!("http://{}", program.address)])
        .arg("--data-dir")
        .arg(place.path().join("data"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut terminal = BufReader::new(command.stdout.take().expect("its output"));
    assert_eq!((next_row(&mut http), next_row(&mut terminal)), (row("Before", "open"), row("Before", "open")));
    for title in ["First", "Second"] {
        let posted = alert(&program, &token, title);
        assert_eq!((next_row(&mut http), next_row(&mut terminal)), (row(title, "open"), row(title, "open")));
        let id = posted["id"].as_str().expect("an id");
        let (status, _) = program.ask(&token, "POST", &format!("/inbox/{id}/dismiss"), Some(json!({})));
        assert_eq!(status, 200);
        assert_eq!((next_row(&mut http), next_row(&mut terminal)), (row(title, "dismissed"), row(title, "dismissed")));
    }
    // Somebody who goes away holds up nothing.
    drop(watch(&program, &token));
    program.stop();
    assert_eq!((next_row(&mut http), next_row(&mut terminal)), (None, None), "both streams end");
    let ended = command.wait().expect("it ends");
    let mut said = String::new();
    command.stderr.take().expect("its errors").read_to_string(&mut said).expect("text");
    assert!(ended.code().is_some() && !said.contains("panicked"), "{ended} {said}");
}

#[test]
fn an_alert_of_a_megabyte_is_rejected_and_nothing_is_stored() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (program, token) = start(place.path());
    let large = json!({"title": "T", "body": "x".repeat(1024 * 1024)});
    let (status, problem) = program.ask(&token, "POST", "/alert", Some(large));
    assert_eq!((status, &problem["code"]), (413, &json!("too-large")), "{problem}");
    // One that a request has room for, but an alert has not.
    let long = json!({"title": "T", "body": "x".repeat(10_001)});
    let (status, problem) = program.ask(&token, "POST", "/alert", Some(long));
    assert_eq!((status, &problem["code"]), (422, &json!("invalid-input")), "{problem}");
    assert!(problem.to_string().contains("10000"), "{problem}");
    let (_, page) = program.ask(&token, "GET", "/inbox", None);
    assert_eq!(page["items"], json!([]), "nothing is stored");
}
