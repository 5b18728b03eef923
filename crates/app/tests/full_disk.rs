//! The whole program on a disk without space: it starts, shows what is there, refuses changes at once, and has lost nothing
//! when there is space again.
#![cfg(unix)]

use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longer than any answer takes, also on a machine under load; less than what another program's lock is waited for.
const ANSWER_MAX: Duration = Duration::from_secs(4);
const SETTING: &str = "/settings/agentDrivenSessionsEnabled";

/// The program as another process; stopped with the test.
struct Running {
    child: Child,
    address: String,
}

impl Running {
    /// Starts it on a data directory, `full` where no file of it may grow. Its log goes to a file, which cannot either.
    fn start(dir: &Path, log: &Path, full: bool) -> Running {
        let log = File::options().create(true).append(true).open(log).expect("a log");
        // Beyond the limit the system sends a signal first; a shell can hand on that it is ignored.
        let limit = if full { "trap '' XFSZ; ulimit -f 0; " } else { "" };
        let mut child = Command::new("sh")
            .args(["-c", &format!("{limit}exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_pilothouse")])
            .args(["serve", "--port", "0", "--data-dir"])
            .arg(dir)
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("a shell runs");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("its output");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line.trim().rsplit_once("http://").map(|(_, address)| address.to_owned());
        Running { child, address: address.unwrap_or_else(|| panic!("it did not start: {line:?}")) }
    }

    /// One request; its status and its JSON.
    fn ask(&self, token: &str, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let body = body.map_or(String::new(), |body| body.to_string());
        self.exchange(token, method, path, "application/json", &body)
    }

    fn exchange(&self, token: &str, method: &str, path: &str, media: &str, body: &str) -> (u16, Value) {
        let from = Instant::now();
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(ANSWER_MAX)).expect("a time limit");
        let authorization = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
        let content = format!("Content-Type: {media}\r\nContent-Length: {}\r\n", body.len());
        let content = if body.is_empty() { String::new() } else { content };
        let host = &self.address;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{authorization}{content}\r\n{body}"
        )
        .expect("it takes the request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap_or_else(|e| panic!("{method} {path} in {:?}: {e}", from.elapsed()));
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }

    /// Sends a file; the status and the JSON of the answer.
    fn send(&self, token: &str, path: &str, text: &str) -> (u16, Value) {
        self.exchange(token, "POST", path, "text/csv", text)
    }

    fn value(&self, token: &str) -> Value {
        let (status, setting) = self.ask(token, "GET", SETTING, None);
        assert_eq!(status, 200, "{setting}");
        setting["value"].clone()
    }

    fn set(&self, token: &str, value: bool) -> (u16, Value) {
        self.ask(token, "PATCH", SETTING, Some(json!({"value": value})))
    }

    /// Logs in as the page does; its token.
    fn log_in(&self, cli: &str) -> String {
        let (status, code) = self.ask(cli, "POST", "/login/codes", Some(json!({})));
        assert_eq!(status, 200, "{code}");
        let (status, page) = self.ask("", "POST", "/login", Some(json!({"code": code["code"]})));
        assert_eq!(status, 200, "{page}");
        page["token"].as_str().expect("a token").to_owned()
    }

    fn stop(mut self) {
        let pid = self.child.id().to_string();
        Command::new("kill").arg(&pid).status().expect("it is told");
        assert!(self.child.wait().expect("it ends").success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_full_disk_stops_changes_at_once_and_neither_reading_nor_logging_in() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (dir, log) = (place.path().join("data"), place.path().join("log"));
    let cli = |dir: &Path| std::fs::read_to_string(dir.join("cli-token")).expect("a token").trim().to_owned();

    let program = Running::start(&dir, &log, false);
    let cli = cli(&dir);
    assert_eq!(program.set(&cli, true).0, 200);
    let kept = program.log_in(&cli);
    program.stop();

    let program = Running::start(&dir, &log, true);
    let page = program.log_in(&cli);
    for token in [&cli, &kept, &page] {
        assert_eq!(program.ask(token, "GET", "/settings", None).0, 200);
        // More than once: the first refusal must not be in the way of the next.
        for _ in 0..2 {
            let (status, refusal) = program.set(token, false);
            assert_eq!((status, &refusal["code"]), (503, &json!("read-only")), "{refusal}");
        }
        assert_eq!(program.value(token), json!(true));
    }
    program.stop();

    let program = Running::start(&dir, &log, false);
    assert_eq!(program.value(&kept), json!(true), "what was saved before is there");
    assert_eq!(program.ask(&page, "GET", "/settings", None).0, 401, "what could not be saved ended with the program");
    assert_eq!(program.set(&cli, false).0, 200);
    assert_eq!(program.value(&program.log_in(&cli)), json!(false));
    program.stop();
}

/// Files that a request needs are no statements of the database: each kind of them is refused for the same reason.
#[test]
fn a_full_disk_refuses_what_needs_a_file_and_says_why() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (dir, log) = (place.path().join("data"), place.path().join("log"));
    let program = Running::start(&dir, &log, false);
    let cli = std::fs::read_to_string(dir.join("cli-token")).expect("a token").trim().to_owned();
    let ask = |method: &str, path: &str, body: Value| {
        let (status, answer) = program.ask(&cli, method, path, Some(body));
        assert!(status < 300, "{method} {path}: {answer}");
        answer
    };
    let (_, workspaces) = program.ask(&cli, "GET", "/workspaces", None);
    let workspace = workspaces["items"][0]["id"].as_str().expect("a workspace");
    let board = ask("POST", "/boards", json!({"workspaceId": workspace, "name": "B", "preset": "blank"}));
    let board = board["id"].as_str().expect("a board").to_owned();
    let column = ask("POST", &format!("/boards/{board}/columns"), json!({"title": "F", "type": "file"}));
    let item = ask("POST", &format!("/boards/{board}/items"), json!({"name": "I"}));
    let (column, item) = (column["id"].as_str().expect("a column"), item["id"].as_str().expect("an item"));
    let attach = format!("/boards/{board}/items/{item}/files/{column}?name=a.csv");
    let import = format!("/boards/import?workspaceId={workspace}");
    program.stop();

    let program = Running::start(&dir, &log, true);
    let text = "name,amount\nfirst,1\nsecond,2\n";
    for path in [&import, &format!("{import}&dryRun=true"), &attach] {
        for _ in 0..2 {
            let (status, refusal) = program.send(&cli, path, text);
            assert_eq!((status, &refusal["code"]), (503, &json!("read-only")), "{path}: {refusal}");
        }
    }
    for format in ["csv", "xlsx", "json"] {
        let (status, refusal) = program.ask(&cli, "GET", &format!("/boards/{board}/export?format={format}"), None);
        assert_eq!((status, &refusal["code"]), (503, &json!("read-only")), "{format}: {refusal}");
    }
    assert_eq!(program.ask(&cli, "GET", &format!("/boards/{board}/full"), None).0, 200);
    program.stop();

    let program = Running::start(&dir, &log, false);
    for path in [&format!("{import}&dryRun=true"), &import, &attach] {
        let (status, answer) = program.send(&cli, path, text);
        assert!(status < 300, "{path}: {answer}");
    }
    program.stop();
}
