//! The whole program is killed at random moments between changes over HTTP; it starts again with every change that it had
//! acknowledged. A kill shows that no answer comes before its commit has left the program; that the commit is synced too,
//! the tests of the store hold.

use crate::running::{Disk, Running, cli_token};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

const ROUNDS: u64 = 20;
/// Clients that change things at the same time, so that kills fall between requests and inside of them.
const CLIENTS: usize = 3;
const ACKNOWLEDGED_BEFORE_KILL_MAX: u64 = 40;

/// The program with the token to speak to it.
struct Known {
    program: Running,
    token: String,
}

impl Known {
    fn start(place: &Path) -> Known {
        let program = Running::start(&place.join("data"), &place.join("log"), Disk::Free, "warn");
        Known { program, token: cli_token(&place.join("data")) }
    }

    fn try_change(&self, path: &str, body: &Value) -> io::Result<(u16, Value)> {
        self.program.try_ask(&self.token, "PATCH", path, body)
    }

    fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Value {
        let (status, answer) = self.program.ask(&self.token, method, path, body);
        assert!(status < 300, "{method} {path}: {answer}");
        answer
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
    fn send(&self, program: &Known, n: u64) -> io::Result<(u16, Value)> {
        if n.is_multiple_of(2) {
            program.try_change(&self.cell, &json!({"value": n}))
        } else {
            program.try_change(&format!("/settings/{}", self.setting), &json!({"value": self.value(n)}))
        }
    }
}

#[test]
fn a_program_that_is_killed_has_every_change_that_it_acknowledged() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let program = Known::start(place.path());
    let workspace = program.ask("GET", "/workspaces", None)["items"][0]["id"].clone();
    let board = program.ask("POST", "/boards", Some(json!({"workspaceId": workspace, "name": "B", "preset": "blank"})));
    let board = board["id"].as_str().expect("a board").to_owned();
    let column =
        program.ask("POST", &format!("/boards/{board}/columns"), Some(json!({"title": "N", "type": "number"})));
    let column = column["id"].as_str().expect("a column").to_owned();
    let mut items = Vec::new();
    let clients: Vec<Client> = SETTINGS
        .iter()
        .map(|setting| {
            let item = program.ask("POST", &format!("/boards/{board}/items"), Some(json!({"name": setting})));
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
        let program = Known::start(place.path());
        let acknowledged = AtomicU64::new(0);
        if until == 0 {
            program.program.kill();
        }
        std::thread::scope(|scope| {
            for ((client, told), sent) in clients.iter().zip(&mut told).zip(&mut sent) {
                let (program, acknowledged) = (&program, &acknowledged);
                scope.spawn(move || {
                    loop {
                        *sent += 1;
                        let Ok((status, answer)) = client.send(program, *sent) else { return };
                        assert_eq!(status, 200, "{answer}");
                        told.insert(sent.is_multiple_of(2), *sent);
                        if acknowledged.fetch_add(1, Ordering::SeqCst) + 1 == until {
                            program.program.kill();
                        }
                    }
                });
            }
        });
        all += acknowledged.load(Ordering::SeqCst);
        drop(program);

        let program = Known::start(place.path());
        for (n, client) in clients.iter().enumerate() {
            // What was sent after that may be there although nobody was told; nothing older may be.
            let possible = |cell: bool| {
                (told[n].get(&cell).copied().unwrap_or(1)..=sent[n]).filter(move |n| n.is_multiple_of(2) == cell)
            };
            let item = program.ask("GET", &format!("/boards/{board}/items/{}", items[n]), None);
            let found = &item["cells"][&column];
            let any = possible(true).any(|n| found.as_f64() == Some(n as f64));
            assert!(
                any || !told[n].contains_key(&true),
                "round {round}: a cell is {found}: {:?} of {}",
                told[n],
                sent[n]
            );
            let found = &program.ask("GET", &format!("/settings/{}", client.setting), None)["value"];
            let any = possible(false).any(|n| *found == client.value(n));
            assert!(
                any || !told[n].contains_key(&false),
                "round {round}: {} is {found}: {:?}",
                client.setting,
                told[n]
            );
        }
        assert_eq!(program.ask("GET", &format!("/boards/{board}/items/{}", items[0]), None)["name"], SETTINGS[0]);
    }
    assert!(all > ROUNDS, "only {all} changes were acknowledged");
}
