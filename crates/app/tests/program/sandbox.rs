//! Sessions of the practice agent as processes of the real program, in a home with a key: what they may read is decided by the
//! operating system, whatever their commands look like.

use crate::running::{Disk, Running, cli_token};
use serde_json::{Value, json};
use std::path::PathBuf;

const SECRET: &str = "the-key-itself";
/// Requests after which a session that does not get on is given up; each of them takes a while.
const TRIES: usize = 50_000;

struct Place {
    program: Running,
    token: String,
    hub: Value,
    home: tempfile::TempDir,
}

impl Place {
    fn new(level: &str) -> Place {
        let home = tempfile::tempdir().expect("a home");
        let at = |path: &str| home.path().join(path);
        for folder in [".ssh", ".practice", "project"] {
            std::fs::create_dir(at(folder)).expect("a folder");
        }
        for file in [".ssh/id", ".netrc", "project/notes"] {
            std::fs::write(at(file), SECRET).expect("a file");
        }
        let dir = at(".local/share/pilothouse");
        std::fs::create_dir_all(&dir).expect("a folder");
        let program = Running::start_at(home.path(), &dir, &at("log"), Disk::Free, "warn");
        let token = cli_token(&dir);
        let code = program.ask(&token, "POST", "/login/codes", Some(json!({}))).1["code"].clone();
        let token = program.ask("", "POST", "/login", Some(json!({"code": code}))).1["token"].clone();
        let token = token.as_str().expect("a token").to_owned();
        let value = json!({"value": level});
        let (status, told) = program.ask(&token, "PATCH", "/settings/agentPermissionLevel", Some(value));
        assert_eq!(status, 200, "{told}");
        let (_, hub) = program.ask(&token, "POST", "/hubs", Some(json!({"folder": at("project")})));
        Place { program, token, hub: hub["id"].clone(), home }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.home.path().join(path)
    }

    /// Has a session do that and nothing else; its transcript, once it waits for the next prompt.
    fn done(&self, prompt: &str) -> String {
        let input = json!({"prompt": format!("practice: {prompt}"), "projectId": self.hub, "engine": "practice"});
        let (status, session) = self.program.ask(&self.token, "POST", "/sessions", Some(input));
        assert_eq!(status, 201, "{session}");
        let path = format!("/sessions/{}", session["id"].as_str().expect("an id"));
        let get = |path: &str| self.program.ask(&self.token, "GET", path, None).1;
        let settled = (0..TRIES).map(|_| get(&path)).find(|one| {
            // A yes of the person is no way through either.
            if one["state"] == "awaitingPermission" {
                let ask = one["need"]["id"].as_str().expect("an ask");
                self.program.ask(
                    &self.token,
                    "POST",
                    &format!("{path}/asks/{ask}/answer"),
                    Some(json!({"allow": true})),
                );
            }
            ["idle", "failed"].contains(&one["state"].as_str().unwrap_or_default())
        });
        let settled = settled.expect("it settles");
        assert_eq!(settled["state"], "idle", "{prompt}: {settled}");
        // What is said last is written a little later than the state.
        let whole = |read: &Value| read.to_string().contains("and that was it");
        let entries = || get(&format!("{path}/transcript?after=0&limit=1000"));
        let read = (0..TRIES).map(|_| entries()).find(whole).expect("all of it is written");
        read.to_string()
    }
}

/// Keys, logins and the command-line token, none of them by its name.
const HIDDEN: &str = "run sh -c 'cat ~/$(printf .s)sh/i? ~/.n*c\\; cat ~/.loc*/sh*/pil*/cli-t*'; say and that was it";

#[test]
fn what_a_hidden_command_reads_is_kept_from_it_below_full_and_open_at_full() {
    let place = Place::new("autonomous");
    let token = cli_token(&place.at(".local/share/pilothouse"));
    let told = place.done(HIDDEN);
    assert!(told.contains("denied"), "it was tried: {told}");
    assert!(!told.contains(SECRET) && !told.contains(&token), "{told}");
    assert!(told.contains(r#""wall":"up""#), "the transcript says so: {told}");
    // What it works on and its own configuration are there.
    let told =
        place.done("run sh -c 'cat notes\\; echo new > made\\; echo new > ~/.practice/made'; say and that was it");
    assert!(told.contains(SECRET), "{told}");
    assert_eq!(std::fs::read_to_string(place.at("project/made")).expect("it is made"), "new\n");
    assert_eq!(std::fs::read_to_string(place.at(".practice/made")).expect("it is made"), "new\n");
    place.done("run sh -c 'echo x > ~/.s*/id\\; rm -rf ~/.s*h ~/.loc*/sh*/pil*/*'; say and that was it");
    assert_eq!(std::fs::read_to_string(place.at(".ssh/id")).expect("it is there"), SECRET);
    assert_eq!(cli_token(&place.at(".local/share/pilothouse")), token);
    place.program.stop();

    // So it was the wall, and nothing else.
    let place = Place::new("full");
    let told = place.done(HIDDEN);
    assert!(told.contains(SECRET) && told.contains(r#""wall":"open""#), "{told}");
    place.program.stop();
}

#[test]
fn a_hook_that_cannot_ask_refuses() {
    let place = tempfile::tempdir().expect("a folder");
    let hook = |args: &[&str], input: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pilothouse"));
        command.arg("tool-hook").args(args).stdin(std::process::Stdio::piped());
        let mut child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn();
        let child = child.as_mut().expect("it runs");
        // One that ends before it reads is no matter here.
        let _ = std::io::Write::write_all(&mut child.stdin.take().expect("its input"), input.as_bytes());
        let mut told = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().expect("its errors"), &mut told).expect("text");
        (child.wait().expect("it ends").code(), told)
    };
    let event = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}}).to_string();
    let nobody = place.path().join("s");
    for (args, input) in [(vec![], &*event), (vec![nobody.to_str().expect("text")], &*event)] {
        let (status, told) = hook(&args, input);
        assert_eq!(status, Some(2), "{args:?}: {told}");
        assert!(told.starts_with("Blocked: "), "{told}");
    }
    // Somebody who hears it and hangs up, and something that is no JSON.
    for input in [&*event, "{"] {
        let listener = std::os::unix::net::UnixListener::bind(&nobody).expect("a socket");
        let hung_up = std::thread::spawn(move || drop(listener.accept()));
        assert_eq!(hook(&[nobody.to_str().expect("text")], input).0, Some(2), "{input}");
        hung_up.join().expect("it hung up");
        std::fs::remove_file(&nobody).expect("a socket");
    }
}
