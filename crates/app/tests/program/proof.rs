//! The command line and the real program: a token is sent only to a program that knows it.

use crate::running::{Disk, Running, cli_token};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Runs a command; its exit code and what it said.
pub fn run(words: &[&str], env: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pilothouse"));
    for name in ["APP_BASE_URL", "APP_CLI_TOKEN", "APP_SESSION_ID", "PILOTHOUSE_URL", "PILOTHOUSE_DATA_DIR"] {
        command.env_remove(name);
    }
    let output = command.args(words).envs(env.iter().copied()).output().expect("it runs");
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

fn token_file(place: &Path, token: &str) -> String {
    let file = place.join("token");
    std::fs::write(&file, token).expect("a file");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("its mode");
    file.to_str().expect("a name").to_owned()
}

#[test]
fn every_kind_of_token_is_proved_before_it_is_sent() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let dir = place.path().join("data");
    let program = Running::start(&dir, &place.path().join("log"), Disk::Free, "warn");
    let base = format!("http://{}", program.address);
    let cli = cli_token(&dir);
    let make = |path: &str, input: Value| {
        let (status, made) = program.ask(&cli, "POST", path, Some(input));
        assert_eq!(status, 201, "{made}");
        made
    };
    let id = program.session(&cli);
    let session = make("/tokens", json!({"kind": "agent", "name": "a", "sessionId": id, "scopes": ["settings:read"]}));
    let member = make("/members", json!({"name": "Ada"}));
    let member = make("/tokens", json!({"kind": "member", "name": "m", "memberId": member["id"]}));
    let owner = make("/accounts", json!({"name": "Two"}));
    let text = |record: &Value| record["token"].as_str().expect("a token").to_owned();

    let read = ["settings", "get", "pmBoardDensity", "--json"];
    let token = text(&session);
    let as_session = [("APP_BASE_URL", base.as_str()), ("APP_CLI_TOKEN", &token), ("APP_SESSION_ID", &id)];
    let (code, said) = run(&read, &as_session);
    assert_eq!(code, Some(0), "{said}");
    for token in [&cli, &text(&session), &text(&member), &text(&owner)] {
        let file = token_file(place.path(), token);
        let (code, said) = run(&[&read[..], &["--url", &base, "--token-file", &file]].concat(), &[]);
        assert_eq!(code, Some(0), "{}: {said}", &token[..7]);
    }
    let id = session["id"].as_str().expect("an id");
    assert_eq!(program.ask(&cli, "DELETE", &format!("/tokens/{id}"), None).0, 204);
    let (code, said) = run(&read, &as_session);
    assert!(code == Some(1) && said.contains("not-proved"), "{code:?} {said}");
    program.stop();
}

#[test]
fn a_program_that_does_not_start_says_why_in_one_line() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let dir = place.path().join("data");
    Running::start(&dir, &place.path().join("log"), Disk::Free, "warn").stop();
    let file = dir.join("cli-token");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("its mode");
    let (code, said) = run(&["serve", "--port", "0", "--data-dir", dir.to_str().expect("a name")], &[]);
    let why = format!("pilothouse: {} has mode 0640, not 0600. {}", file.display(), kit::ids::close_token_file(&file));
    assert_eq!((code, said), (Some(1), format!("{why} (token-file)\n")));
}
