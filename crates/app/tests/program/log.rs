//! What the program logs at the most that can be asked of it.

use crate::proof::run;
use crate::running::{Disk, Running, cli_token};
use serde_json::{Value, json};

/// Calls an operation as an MCP client; the object that it answered.
fn by_mcp(program: &Running, token: &str, operation: &str, input: Value) -> Value {
    let params = json!({"name": "call_operation", "arguments": {"name": operation, "input": input}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let (status, answer) = program.ask(token, "POST", "/mcp", Some(message));
    assert_eq!(status, 200, "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"));
    serde_json::from_str(text).unwrap_or_else(|_| panic!("no record: {answer}"))
}

fn token_of(record: &Value) -> String {
    record["token"].as_str().unwrap_or_else(|| panic!("no token: {record}")).to_owned()
}

#[test]
fn no_level_logs_a_secret() {
    // The second names the chatty libraries, and a module of one, as somebody who looks for a fault would.
    let levels = ["trace", "trace,rmcp=trace,rmcp::service=trace,hyper=trace,ureq=trace,ureq_proto=trace"];
    for level in levels {
        let place = tempfile::tempdir().expect("a temporary folder");
        let (dir, log) = (place.path().join("data"), place.path().join("log"));
        let program = Running::start(&dir, &log, Disk::Free, level);
        let cli = cli_token(&dir);
        let session = program.session(&cli);
        let agent =
            |name: &str| json!({"kind": "agent", "name": name, "sessionId": session, "scopes": ["boards:read"]});
        let (status, by_http) = program.ask(&cli, "POST", "/tokens", Some(agent("one")));
        assert_eq!(status, 201, "{by_http}");
        let (status, account) = program.ask(&cli, "POST", "/accounts", Some(json!({"name": "Two"})));
        assert_eq!(status, 201, "{account}");
        let (status, code) = program.ask(&cli, "POST", "/login/codes", Some(json!({})));
        assert_eq!(status, 200, "{code}");
        let (status, page) = program.ask("", "POST", "/login", Some(json!({"code": code["code"]})));
        assert_eq!(status, 200, "{page}");
        let wrong = "ph_own_that_nobody_holds_0123456789";
        assert_eq!(program.ask(wrong, "GET", "/settings", None).0, 401);
        assert_eq!(program.ask("", "GET", &format!("/settings?token={wrong}"), None).0, 400);
        let note = "a text that only the caller knows";
        let named = json!({"changes": {"a key of none": note}});
        assert_eq!(program.ask(&cli, "POST", "/settings", Some(named)).0, 404);

        // Through MCP nobody makes a token: what is sent and answered there is told by nobody else either.
        let (sent, answered) = ("a name that only the agent sends", "a name that the agent is answered");
        let refused = by_mcp(&program, &token_of(&page), "tokens.create", agent(sent));
        assert_eq!(refused["code"], "forbidden-caller");
        let workspace = &program.ask(&cli, "GET", "/workspaces", None).1["items"][0]["id"];
        let board = by_mcp(&program, &cli, "boards.create", json!({"workspaceId": workspace, "name": answered}));
        assert_eq!(board["name"], answered, "{board}");
        let secrets = [
            cli.clone(),
            token_of(&by_http),
            token_of(&account),
            token_of(&page),
            code["code"].as_str().expect("a code").to_owned(),
            sent.to_owned(),
            answered.to_owned(),
            wrong.to_owned(),
            note.to_owned(),
        ];
        // The command line sends a token itself, and logs to where its errors go.
        let words = ["settings", "get", "pmBoardDensity", "--data-dir", dir.to_str().expect("a name")];
        let (ended, heard) = run(&words, &[("PILOTHOUSE_LOG", level)]);
        assert_eq!(ended, Some(0), "{heard}");
        program.stop();
        let said = std::fs::read_to_string(&log).expect("the log") + &heard;
        assert!(!said.contains("is not understood"), "{level}: {said}");
        for secret in &secrets {
            assert!(!said.contains(secret.as_str()), "{level}: the log tells {secret}:\n{said}");
        }
        assert!(!said.to_lowercase().contains("bearer"), "{level}: the log tells headers:\n{said}");
    }
}
