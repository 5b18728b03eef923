//! Whoever speaks MCP is an agent, whatever token it shows: over HTTP, and by the command that clients are configured with.

use crate::running::{Disk, Running, cli_token};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a message to `pilothouse mcp` is answered.
fn by_command(dir: &Path, message: &Value) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pilothouse"));
    for name in ["APP_BASE_URL", "APP_CLI_TOKEN", "APP_SESSION_ID", "PILOTHOUSE_URL", "PILOTHOUSE_DATA_DIR"] {
        command.env_remove(name);
    }
    command.args(["mcp", "--data-dir"]).arg(dir).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("it runs");
    writeln!(child.stdin.take().expect("its input"), "{message}").expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no answer: {output:?}"))
}

/// Whether a command succeeds, and what it prints.
fn by_terminal(dir: &Path, words: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pilothouse"));
    for name in ["APP_BASE_URL", "APP_CLI_TOKEN", "APP_SESSION_ID", "PILOTHOUSE_URL", "PILOTHOUSE_DATA_DIR"] {
        command.env_remove(name);
    }
    let output = command.args(words).arg("--data-dir").arg(dir).output().expect("it runs");
    let printed = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(printed).expect("text"))
}

#[test]
fn what_comes_through_mcp_is_an_agents_whatever_token_it_shows() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let dir = place.path().join("data");
    let program = Running::start(&dir, &place.path().join("log"), Disk::Free, "warn");
    let cli = cli_token(&dir);
    let done = |token: &str, method: &str, path: &str, body: Option<Value>| {
        let (status, answer) = program.ask(token, method, path, body);
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        answer
    };
    let code = done(&cli, "POST", "/login/codes", Some(json!({})))["code"].clone();
    let page = done("", "POST", "/login", Some(json!({"code": code})))["token"].as_str().expect("a token").to_owned();
    let workspace = done(&cli, "GET", "/workspaces", None)["items"][0]["id"].clone();
    let new = json!({"workspaceId": workspace, "name": "Team", "config": {"boardIds": [], "widgets": []}});
    let id = done(&cli, "POST", "/dashboards", Some(new))["id"].as_str().expect("an id").to_owned();
    let path = format!("/dashboards/{id}");
    let (window, proposals) = (format!("{path}/windows/w1"), format!("{path}/proposals"));
    done(&page, "PUT", &window, Some(json!({})));

    type Speaks<'a> = &'a dyn Fn(&Value) -> Value;
    let http = |token: &str, message: &Value| done(token, "POST", "/mcp", Some(message.clone()));
    let speakers: [Speaks<'_>; 3] =
        [&|message| http(&cli, message), &|message| http(&page, message), &|message| by_command(&dir, message)];
    for speaks in speakers {
        let asked = |name: &str, mut input: Value| {
            // What an account allows is of no dashboard.
            if name.starts_with("dashboards.") && !name.starts_with("dashboards.apps.") {
                input["dashboardId"] = json!(id);
            }
            let params = json!({"name": "call_operation", "arguments": {"name": name, "input": input}});
            speaks(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}))["result"].clone()
        };
        let added = asked("dashboards.widgets.add", json!({"kind": "numbers", "settings": {"function": "count"}}));
        assert_ne!(added["isError"], true, "{added}");
        for (name, more) in [
            ("dashboards.publication.publish", json!({})),
            ("dashboards.publication.preview", json!({})),
            ("dashboards.publication.get", json!({})),
            ("dashboards.publication.revoke", json!({})),
            ("dashboards.apps.allow", json!({"address": "https://example.com/"})),
            ("dashboards.apps.forbid", json!({"appId": "a"})),
            ("dashboards.members.put", json!({"memberId": "m", "role": "viewer"})),
            ("dashboards.proposals.accept", json!({"proposalId": "p"})),
            ("dashboards.snapshots.set", json!({"on": true})),
            ("dashboards.snapshots.delete", json!({})),
            ("dashboards.trash.delete", json!({})),
            ("dashboards.delete", json!({})),
            ("tokens.create", json!({"kind": "owner", "name": "t"})),
            ("login.code", json!({})),
            ("account.add", json!({"name": "Other"})),
            ("members.create", json!({"name": "Eve"})),
            ("settings.undo", json!({"changeId": "c"})),
            ("settings.set", json!({"key": "allowAgentAppRestart", "value": true})),
            ("app.restart", json!({})),
        ] {
            let refused = asked(name, more);
            let text = refused["content"][0]["text"].as_str().unwrap_or_default();
            let whys =
                ["Only a person can use", "has this dashboard open", "isn't open to sessions", "AppRestart is off"];
            let is_said = whys.iter().any(|why| text.contains(why)) && text.contains("Ask the owner");
            assert!(refused["isError"] == true && is_said, "{name}: {refused}");
            // It has no files and no command line.
            assert!(!text.contains("docs/") && !text.contains("`pilothouse "), "{name}: {text}");
        }
    }
    // Nothing was changed: it waits to be accepted.
    assert_eq!(done(&page, "GET", &path, None)["revision"], 1);
    let waiting = done(&page, "GET", &proposals, None);
    assert_eq!(waiting["items"].as_array().map(Vec::len), Some(2), "one of each token: {waiting}");
    // On the command line, and over HTTP with its token, the same is for the page.
    let opens = ["dashboards", "open", &id, "w2"];
    let who = "Only the page and members can use dashboards.open, not the command line.";
    let (succeeded, printed) = by_terminal(&dir, &opens);
    assert!(!succeeded && printed.contains(who), "{printed}");
    let (status, refusal) = program.ask(&cli, "PUT", &format!("{path}/windows/w2"), Some(json!({})));
    assert_eq!((status, &refusal["detail"]), (403, &json!(who)));
    // Names are ids there.
    let (succeeded, printed) = by_terminal(&dir, &["dashboards", "get", "team"]);
    assert!(succeeded && printed.contains(&id), "{printed}");
    let (succeeded, printed) = by_terminal(&dir, &["dashboards", "get", "Teams"]);
    assert!(!succeeded && printed.contains("No dashboard is named Teams. Dashboards: Team."), "{printed}");
    let workspace_name =
        done(&cli, "GET", "/workspaces", None)["items"][0]["name"].as_str().expect("a name").to_owned();
    let (succeeded, printed) =
        by_terminal(&dir, &["dashboards", "create", "--workspace-id", &workspace_name, "--name", "Other"]);
    assert!(succeeded, "{printed}");
    // By a script of the person the same is done at once.
    let widget = json!({"kind": "numbers", "settings": {"function": "count"}});
    done(&cli, "POST", &format!("{path}/widgets"), Some(widget));
    assert_eq!(done(&page, "GET", &path, None)["revision"], 2);
    program.stop();
}

/// A list of tools fills an agent's context before it begins, and a search has to find what people call otherwise.
#[test]
fn the_list_of_tools_is_short_and_operations_are_found_by_other_words() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let dir = place.path().join("data");
    let program = Running::start(&dir, &place.path().join("log"), Disk::Free, "warn");
    let cli = cli_token(&dir);
    let ask = |method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        program.ask(&cli, "POST", "/mcp", Some(message)).1["result"].clone()
    };
    let bytes = ask("tools/list", json!({})).to_string().len();
    assert!(bytes < 12_000, "tools/list has {bytes} bytes");
    for (query, expected) in [
        ("change many items at once", "boards.cells"),
        ("bulk edit", "boards.cells"),
        ("start an agent", "sessions.create"),
        ("filter operators", "boards.filters"),
    ] {
        let params = json!({"name": "find_operation", "arguments": {"query": query, "limit": 3}});
        let text = ask("tools/call", params)["content"][0]["text"].as_str().expect("a text").to_owned();
        assert!(text.len() < 10_000, "{query}: {} bytes", text.len());
        let found: Value = serde_json::from_str(&text).expect("JSON");
        assert!(
            found["operations"].as_array().is_some_and(|all| all.iter().any(|one| one["name"] == expected)),
            "{query}: {found}"
        );
    }
}
