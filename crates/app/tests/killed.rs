//! The whole program is killed at random moments between changes over HTTP; it starts again with every change that it had
//! acknowledged. A kill shows that no answer comes before its commit has left the program; that the commit is synced too,
//! the tests of the store hold.
#![cfg(unix)]

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const ROUNDS: u64 = 20;
/// Clients that change things at the same time, so that kills fall between requests and inside of them.
const CLIENTS: usize = 3;
const ACKNOWLEDGED_BEFORE_KILL_MAX: u64 = 40;
/// Longer than any answer takes, also on a machine under load.
const ANSWER_MAX: Duration = Duration::from_secs(20);

struct Running {
    child: Child,
    address: String,
    token: String,
}

impl Running {
    fn start(dir: &Path) -> Running {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pilothouse"))
            .args(["serve", "--port", "0", "--data-dir"])
            .arg(dir)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let address = line.trim().rsplit_once("http://").map(|(_, address)| address.to_owned());
        let address = address.unwrap_or_else(|| panic!("it did not start: {line:?}"));
        let token = std::fs::read_to_string(dir.join("cli-token")).expect("a token").trim().to_owned();
        Running { child, address, token }
    }

    /// One request; `None` where the program ended before its answer was whole.
    fn try_ask(&self, method: &str, path: &str, body: &str) -> Option<(u16, Value)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(ANSWER_MAX)).expect("a time limit");
        let (host, token, length) = (&self.address, &self.token, body.len());
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all((head + body).as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        // A body that is cut off is no JSON.
        Some((status, serde_json::from_str(body).ok()?))
    }

    fn ask(&self, method: &str, path: &str, body: Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (status, answer) = self.try_ask(method, path, &body).expect("an answer");
        assert!(status < 300, "{method} {path}: {answer}");
        answer
    }

    fn kill(&self) {
        // The system's own: nothing of the program runs after it.
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-9", &pid]).status().expect("it is told").success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What one client changes: its own item's cell, and its own setting.
struct Client {
    cell: String,
    setting: &'static str,
}

const SETTINGS: [&str; CLIENTS] = ["heardAboutUs", "webmailPageSize", "toastDisplayDurationSeconds"];

impl Client {
    /// The value of the nth change: a number that the setting takes, told apart from those before and behind it.
    fn value(&self, n: u64) -> Value {
        match self.setting {
            "heardAboutUs" => json!(format!("change {n}")),
            "webmailPageSize" => json!(10 + n % 50),
            _ => json!(3 + n % 9),
        }
    }

    /// Sends the nth change, a cell or a setting in turn.
    fn send(&self, program: &Running, n: u64) -> Option<(u16, Value)> {
        if n.is_multiple_of(2) {
            program.try_ask("PATCH", &self.cell, &json!({"value": n}).to_string())
        } else {
            let path = format!("/settings/{}", self.setting);
            program.try_ask("PATCH", &path, &json!({"value": self.value(n)}).to_string())
        }
    }
}

#[test]
fn a_program_that_is_killed_has_every_change_that_it_acknowledged() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let dir = place.path().join("data");
    let program = Running::start(&dir);
    let workspace = program.ask("GET", "/workspaces", Value::Null)["items"][0]["id"].clone();
    let board = program.ask("POST", "/boards", json!({"workspaceId": workspace, "name": "B", "preset": "blank"}));
    let board = board["id"].as_str().expect("a board").to_owned();
    let column = program.ask("POST", &format!("/boards/{board}/columns"), json!({"title": "N", "type": "number"}));
    let column = column["id"].as_str().expect("a column").to_owned();
    let mut items = Vec::new();
    let clients: Vec<Client> = SETTINGS
        .iter()
        .map(|setting| {
            let item = program.ask("POST", &format!("/boards/{board}/items"), json!({"name": setting}));
            let item = item["id"].as_str().expect("an item").to_owned();
            let cell = format!("/boards/{board}/items/{item}/cells/{column}");
            items.push(item);
            Client { cell, setting }
        })
        .collect();
    drop(program);

    // The number of the last change that each client was told of, by what it changed, and of the last that it sent.
    let mut told: Vec<BTreeMap<bool, u64>> = vec![BTreeMap::new(); CLIENTS];
    let mut sent = [0_u64; CLIENTS];
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut all = 0;
    for round in 0..ROUNDS {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let until = random % ACKNOWLEDGED_BEFORE_KILL_MAX;
        let program = Running::start(&dir);
        let acknowledged = AtomicU64::new(0);
        if until == 0 {
            program.kill();
        }
        std::thread::scope(|scope| {
            for ((client, told), sent) in clients.iter().zip(&mut told).zip(&mut sent) {
                let (program, acknowledged) = (&program, &acknowledged);
                scope.spawn(move || {
                    loop {
                        *sent += 1;
                        let Some((status, answer)) = client.send(program, *sent) else { return };
                        assert_eq!(status, 200, "{answer}");
                        told.insert(sent.is_multiple_of(2), *sent);
                        if acknowledged.fetch_add(1, Ordering::SeqCst) + 1 == until {
                            program.kill();
                        }
                    }
                });
            }
        });
        all += acknowledged.load(Ordering::SeqCst);
        drop(program);

        let program = Running::start(&dir);
        for (n, client) in clients.iter().enumerate() {
            // What was sent after that may be there although nobody was told; nothing older may be.
            let possible = |cell: bool| {
                (told[n].get(&cell).copied().unwrap_or(1)..=sent[n]).filter(move |n| n.is_multiple_of(2) == cell)
            };
            let item = program.ask("GET", &format!("/boards/{board}/items/{}", items[n]), Value::Null);
            let found = &item["cells"][&column];
            let any = possible(true).any(|n| found.as_f64() == Some(n as f64));
            assert!(
                any || !told[n].contains_key(&true),
                "round {round}: a cell is {found}: {:?} of {}",
                told[n],
                sent[n]
            );
            let found = &program.ask("GET", &format!("/settings/{}", client.setting), Value::Null)["value"];
            let any = possible(false).any(|n| *found == client.value(n));
            assert!(
                any || !told[n].contains_key(&false),
                "round {round}: {} is {found}: {:?}",
                client.setting,
                told[n]
            );
        }
        assert_eq!(
            program.ask("GET", &format!("/boards/{board}/items/{}", items[0]), Value::Null)["name"],
            SETTINGS[0]
        );
    }
    assert!(all > ROUNDS, "only {all} changes were acknowledged");
}
