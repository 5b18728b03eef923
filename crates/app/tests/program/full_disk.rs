//! The whole program on a disk without space: it starts, shows what is there, refuses changes at once, and has lost nothing
//! when there is space again.

use crate::proof::run;
use crate::running::{Disk, Running, cli_token};
use serde_json::{Value, json};

const SETTING: &str = "/settings/agentDrivenSessionsEnabled";

trait Page {
    fn value(&self, token: &str) -> Value;
    fn set(&self, token: &str, value: bool) -> (u16, Value);
    /// Logs in as the page does; its token.
    fn log_in(&self, cli: &str) -> String;
}

impl Page for Running {
    fn value(&self, token: &str) -> Value {
        let (status, setting) = self.ask(token, "GET", SETTING, None);
        assert_eq!(status, 200, "{setting}");
        setting["value"].clone()
    }

    fn set(&self, token: &str, value: bool) -> (u16, Value) {
        self.ask(token, "PATCH", SETTING, Some(json!({"value": value})))
    }

    fn log_in(&self, cli: &str) -> String {
        let (status, code) = self.ask(cli, "POST", "/login/codes", Some(json!({})));
        assert_eq!(status, 200, "{code}");
        let (status, page) = self.ask("", "POST", "/login", Some(json!({"code": code["code"]})));
        assert_eq!(status, 200, "{page}");
        page["token"].as_str().expect("a token").to_owned()
    }
}

#[test]
fn a_full_disk_stops_changes_at_once_and_neither_reading_nor_logging_in() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (dir, log) = (place.path().join("data"), place.path().join("log"));

    let program = Running::start(&dir, &log, Disk::Free, "warn");
    let cli = cli_token(&dir);
    assert_eq!(program.set(&cli, true).0, 200);
    let kept = program.log_in(&cli);
    program.stop();

    let program = Running::start(&dir, &log, Disk::Full, "warn");
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

    let program = Running::start(&dir, &log, Disk::Free, "warn");
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
    let program = Running::start(&dir, &log, Disk::Free, "warn");
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

    let program = Running::start(&dir, &log, Disk::Full, "warn");
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

    let program = Running::start(&dir, &log, Disk::Free, "warn");
    for path in [&format!("{import}&dryRun=true"), &import, &attach] {
        let (status, answer) = program.send(&cli, path, text);
        assert!(status < 300, "{path}: {answer}");
    }
    program.stop();
}

#[test]
fn the_command_line_finds_a_program_that_was_started_on_a_full_disk() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (dir, log) = (place.path().join("data"), place.path().join("log"));
    Running::start(&dir, &log, Disk::Free, "warn").stop();

    let program = Running::start(&dir, &log, Disk::FullButForSmallFiles, "warn");
    let command = |words: &[&str]| run(&[words, &["--data-dir", dir.to_str().expect("a name")]].concat(), &[]);
    let key = SETTING.trim_start_matches("/settings/");
    let value = || {
        let (code, said) = command(&["settings", "get", key, "--json"]);
        assert_eq!(code, Some(0), "{said}");
        serde_json::from_str::<Value>(&said).expect("a record")["value"].clone()
    };
    assert_eq!(value(), json!(false));
    let (code, said) = command(&["open", "--print"]);
    assert_eq!(code, Some(0), "{said}");
    let (page, login) = said.trim().split_once("/app/#c=").expect("an address with a code");
    assert_eq!(page, format!("http://{}", program.address));
    let (status, owner) = program.ask("", "POST", "/login", Some(json!({"code": login})));
    assert_eq!(status, 200, "{owner}");
    let (code, said) = command(&["settings", "set", key, "true"]);
    assert!(code == Some(1) && said.contains("(read-only)") && said.contains("disk"), "{code:?} {said}");
    assert_eq!(value(), json!(false));
    program.stop();
}
