//! Running apps: started by a command, reached through the proxy, ended with the program.

use crate::running::{Disk, Running, cli_token};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

/// Looks at a list until something holds; far more often than it takes.
const LOOKS: usize = 20_000;
const PROGRAM: &str = env!("CARGO_BIN_EXE_pilothouse");

/// A command of the program's; its standard output, or its error.
fn command(dir: &Path, words: &[&str]) -> Result<String, String> {
    let mut command = Command::new(PROGRAM);
    let done =
        command.args(words).env("PILOTHOUSE_DATA_DIR", dir).env_remove("APP_SESSION_ID").output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if done.status.success() { Ok(text(&done.stdout)) } else { Err(text(&done.stderr)) }
}

fn is_alive(pid: u64) -> bool {
    Command::new("kill").args(["-0", &pid.to_string()]).output().expect("it is told").status.success()
}

/// The app is a second Pilothouse: it listens where PORT says, and refuses hosts that aren't its own.
#[test]
fn a_command_starts_an_app_that_is_reached_by_its_name_and_ends_with_the_program() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (dir, log, inner) = (place.path().join("data"), place.path().join("log"), place.path().join("inner"));
    let program = Running::start(&dir, &log, Disk::Free, "warn");
    let (folder, inner) = (place.path().to_str().expect("a path"), inner.to_str().expect("a path"));
    let line = "exec \"$0\" serve --port $PORT --data-dir \"$1\"";
    let run = ["run", "web", "--folder", folder, "--", "sh", "-c", line, PROGRAM, inner];
    let said = command(&dir, &run).expect("it starts");
    assert!(said.contains("web is starting at http://web.localhost:"), "{said}");
    let taken = command(&dir, &run).expect_err("the name is in use");
    assert!(taken.contains("pilothouse apps stop web"), "{taken}");
    let bad = command(&dir, &["run", "My App", "--", "true"]).expect_err("no host name");
    assert!(bad.contains("my-app"), "{bad}");

    let token = cli_token(&dir);
    let read = || program.ask(&token, "GET", "/apps", None).1["items"][0].clone();
    let up: Value = (0..LOOKS).map(|_| read()).find(|app| app["state"] == "up").expect("it listens");
    let listed = command(&dir, &["apps", "list"]).expect("a list");
    assert!(listed.contains("web") && listed.contains("up") && listed.contains("http://web.localhost:"), "{listed}");
    let logs = command(&dir, &["apps", "logs", "web", "--json"]).expect("its log");
    assert!(logs.contains("Pilothouse is ready at"), "{logs}");

    let url = up["url"].as_str().expect("a URL").trim_start_matches("http://").trim_end_matches('/');
    let port: u16 = url.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).expect("a port");
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the proxy listens");
    stream
        .write_all(format!("GET /health HTTP/1.1\r\nHost: {url}\r\nConnection: close\r\n\r\n").as_bytes())
        .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.contains("wrong-host"), "{answer}");

    // Off hides the page's entry alone.
    let pid = up["pid"].as_u64().expect("a process");
    assert!(is_alive(pid));
    command(&dir, &["settings", "set", "runningAppsEnabled", "off"]).expect("it is set");
    assert_eq!(read()["state"], "up");
    program.stop();
    assert!(!is_alive(pid));
}
