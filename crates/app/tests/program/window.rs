//! The desktop window's side of the real program: who may bring the window to the front, and what becomes of requests while
//! nobody may.

use crate::running::{Disk, Running, cli_token};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

/// Longer than a line takes, also on a machine under load.
const LINE_MAX: Duration = Duration::from_secs(20);

struct Begun {
    program: Running,
    cli: String,
    page: String,
}

fn start(place: &Path) -> Begun {
    let dir = place.join("data");
    let program = Running::start(&dir, &place.join("log"), Disk::Free, "warn");
    let cli = cli_token(&dir);
    let page = program.page_token(&cli);
    Begun { program, cli, page }
}

impl Begun {
    fn set(&self, key: &str, value: bool) {
        let (status, answer) =
            self.program.ask(&self.page, "PATCH", &format!("/settings/{key}"), Some(json!({ "value": value })));
        assert_eq!(status, 200, "{answer}");
    }

    /// Why a setting has no effect now.
    fn reasons(&self, key: &str) -> Vec<String> {
        let (_, record) = self.program.ask(&self.page, "GET", &format!("/settings/{key}"), None);
        let reasons = record["effect"]["reasons"].as_array().expect("a list");
        reasons.iter().map(|reason| reason["code"].as_str().expect("a code").to_owned()).collect()
    }

    fn agent(&self) -> String {
        let session = self.program.session_with(&self.page, "practice: wait 600");
        let wanted = json!({"kind": "agent", "name": "Agent", "sessionId": session, "scopes": ["window:raise"]});
        let (status, made) = self.program.ask(&self.page, "POST", "/tokens", Some(wanted));
        assert_eq!(status, 201, "{made}");
        made["token"].as_str().expect("a token").to_owned()
    }

    fn inbox(&self, kind: &str) -> Vec<Value> {
        let (_, page) = self.program.ask(&self.page, "GET", &format!("/inbox?kind={kind}"), None);
        page["items"].as_array().expect("rows").clone()
    }
}

/// A window program's stream of commands, after its first line.
struct Window(BufReader<TcpStream>);

impl Window {
    fn open(begun: &Begun, query: &str) -> Result<Window, String> {
        let address = &begun.program.address;
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(LINE_MAX)).expect("a limit");
        let head = format!(
            "GET /window/commands?version=0.1.0{query} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\r\n",
            begun.page
        );
        stream.write_all(head.as_bytes()).expect("a request");
        let mut lines = BufReader::new(stream);
        let mut status = String::new();
        lines.read_line(&mut status).expect("a status");
        if !status.contains(" 200 ") {
            return Err(status);
        }
        let mut window = Window(lines);
        assert_eq!(window.next().map(|it| it["command"].clone()), Some(json!("attached")));
        Ok(window)
    }

    /// The next command, among the lines that HTTP puts in between.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        while self.0.read_line(&mut line).expect("a line") > 0 {
            if line.starts_with('{') {
                return Some(serde_json::from_str(&line).expect("JSON"));
            }
            line.clear();
        }
        None
    }
}

#[test]
fn an_agents_request_is_an_inbox_row_until_the_user_lets_agents_raise_the_window() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let begun = start(place.path());
    let agent = begun.agent();
    let raise = |token: &str| begun.program.ask(token, "POST", "/window/raise", Some(json!({})));
    let mut window = Window::open(&begun, "").expect("it is the window");

    assert_eq!(raise(&agent), (200, json!({"outcome": "noted"})));
    assert_eq!(raise(&agent), (200, json!({"outcome": "noted"})));
    let rows = begun.inbox("raise");
    assert_eq!(rows.len(), 1, "one row for all requests of a session: {rows:?}");
    assert!(rows[0]["link"].as_str().is_some_and(|link| link.starts_with("/app/sessions/")), "{rows:?}");

    begun.set("allowAgentForegroundFromBackground", true);
    let named = json!({"page": "/app/inbox"});
    assert_eq!(begun.program.ask(&agent, "POST", "/window/raise", Some(named)), (200, json!({"outcome": "raised"})));
    assert_eq!(window.next(), Some(json!({"command": "raise", "page": "/app/inbox"})), "nothing was sent before");
    assert_eq!(raise(&begun.cli), (200, json!({"outcome": "raised"})));
    assert_eq!(window.next(), Some(json!({"command": "raise", "page": null})));

    for page in ["https://example.com", "//example.com", "/app/../x", "/app/#c=1", "/appx", "/app/a b"] {
        let (status, answer) = begun.program.ask(&begun.page, "POST", "/window/raise", Some(json!({ "page": page })));
        assert_eq!(status, 422, "{page}: {answer}");
    }
}

#[test]
fn without_a_window_that_can_come_to_the_front_settings_say_why() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let begun = start(place.path());
    let keys = ["autoFocusOnNeedsYou", "allowAgentForegroundFromBackground", "alarmsBringToForeground"];
    for key in keys {
        assert_eq!(begun.reasons(key), ["unavailable"], "{key}");
    }
    let (status, answer) = begun.program.ask(&begun.page, "POST", "/window/raise", Some(json!({})));
    assert_eq!((status, &answer["code"]), (409, &json!("no-window")), "{answer}");
    let listed = || {
        let (_, list) = begun.program.ask(&begun.page, "GET", "/settings", None);
        let settings = list["settings"].as_array().expect("settings").clone();
        settings.iter().find(|one| one["key"] == keys[0]).expect("it is listed")["effect"]["active"].clone()
    };
    assert_eq!(listed(), json!(false));

    let window = Window::open(&begun, "").expect("it is the window");
    for key in keys {
        assert_eq!(begun.reasons(key), Vec::<String>::new(), "{key}");
    }
    assert_eq!(listed(), json!(true));
    let second = Window::open(&begun, "").err().expect("there is one");
    assert!(second.contains(" 409 "), "{second}");
    let (_, state) = begun.program.ask(&begun.page, "GET", "/window", None);
    assert_eq!((&state["isOpen"], &state["raiseProblem"]), (&json!(true), &Value::Null), "{state}");
    drop(window);

    // The next one can't come to the front. The first is gone once the program has noticed.
    let wayland = loop {
        match Window::open(&begun, "&raiseProblem=Wayland%20only.") {
            Ok(window) => break window,
            Err(status) => assert!(status.contains(" 409 "), "{status}"),
        }
    };
    let (status, answer) = begun.program.ask(&begun.page, "POST", "/window/raise", Some(json!({})));
    assert_eq!((status, &answer["detail"]), (409, &json!("Wayland only.")), "{answer}");
    assert_eq!(begun.reasons(keys[0]), ["unavailable"]);
    drop(wayland);
}

#[test]
fn a_session_that_needs_you_raises_the_window_once_and_only_while_the_setting_is_on() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let begun = start(place.path());
    let mut window = Window::open(&begun, "").expect("it is the window");
    begun.program.session_with(&begun.page, "practice: run echo before");
    while begun.inbox("approval").is_empty() {}
    begun.set("autoFocusOnNeedsYou", true);
    let session = begun.program.session_with(&begun.page, "practice: run echo now");
    let raised = window.next().expect("a command");
    assert_eq!(raised["command"], "raise");
    assert!(raised["page"].as_str().is_some_and(|page| page.contains(&session)), "only the second: {raised}");
    // The next line is the next request's.
    assert_eq!(begun.program.ask(&begun.page, "POST", "/window/raise", Some(json!({}))).0, 200);
    assert_eq!(window.next(), Some(json!({"command": "raise", "page": null})));
}

#[test]
fn closing_the_window_is_explained_and_quitting_ends_window_and_program() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let begun = start(place.path());
    let mut window = Window::open(&begun, "").expect("it is the window");
    assert_eq!(begun.program.ask(&begun.page, "POST", "/window/hidden", Some(json!({}))).0, 204);
    assert_eq!(begun.inbox("window")[0]["title"], "Pilothouse keeps running");
    let session = begun.program.session_with(&begun.page, "practice: wait 600");
    let opened = json!({ "sessionId": session });
    assert_eq!(begun.program.ask(&begun.page, "POST", "/window/session", Some(opened)).0, 204);
    assert_eq!(window.next(), Some(json!({"command": "session", "page": format!("/app/sessions/{session}")})));
    let (status, _) = begun.program.ask(&begun.page, "POST", "/window/session", Some(json!({"sessionId": "none"})));
    assert_eq!(status, 404);
    assert_eq!(begun.program.ask(&begun.cli, "POST", "/app/quit", Some(json!({}))).0, 204);
    assert_eq!(window.next(), Some(json!({"command": "quit"})));
    assert_eq!(window.next(), None);
    begun.program.ended();
}
