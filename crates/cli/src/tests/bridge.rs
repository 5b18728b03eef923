//! MCP messages, one a line, there and back.

use super::support::{Fake, TOKEN, World, data_dir};
use crate::{EXIT_OK, EXIT_REFUSED};
use serde_json::{Value, json};

fn bridge(dir: &std::path::Path, lines: &[&str]) -> Vec<Value> {
    let stdin = lines.join("\n") + "\n";
    let ran = World { stdin: &stdin, ..World::default() }.run(&["mcp", "--data-dir", dir.to_str().unwrap()]);
    assert_eq!((ran.code, ran.err.as_str()), (EXIT_OK, ""));
    assert!(!ran.out.contains(TOKEN));
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn requests_are_answered_and_notifications_are_not() {
    let fake = Fake::genuine(|request| {
        let message: Value = serde_json::from_str(&request.body).unwrap_or_default();
        match message["method"].as_str() {
            Some("initialize") => {
                let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-06-18"}});
                (200, "mcp-session-id: m1\r\n", format!("{answer:#}"))
            }
            Some("tools/list") => {
                let events = "event: message\ndata: {\"jsonrpc\": \"2.0\",\ndata: \"method\": \"n\"}\n\n: c\n\n\
                              data: {\"jsonrpc\": \"2.0\", \"id\": \"two\", \"result\": {}}\n\n";
                (200, "content-type: text/event-stream\r\n", events.into())
            }
            _ => (202, "", String::new()),
        }
    });
    let dir = data_dir(&fake.base);
    let answers = bridge(
        dir.path(),
        &[
            r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}"#,
            r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#,
            "",
            r#"{"jsonrpc": "2.0", "id": "two", "method": "tools/list"}"#,
        ],
    );
    assert_eq!(
        answers,
        [
            json!({"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-06-18"}}),
            json!({"jsonrpc": "2.0", "method": "n"}),
            json!({"jsonrpc": "2.0", "id": "two", "result": {}}),
        ]
    );
    let requests = fake.requests();
    let lines: Vec<&str> = requests.iter().map(|r| r.line.as_str()).collect();
    assert_eq!(lines, ["POST /mcp", "POST /mcp", "POST /mcp", "DELETE /mcp"]);
    assert!(requests[0].has("accept: application/json, text/event-stream"), "{}", requests[0].head);
    assert!(requests[0].has(&format!("authorization: Bearer {TOKEN}")));
    assert!(!requests[0].head.contains("mcp-session-id"));
    assert!(requests[2].has("mcp-session-id: m1") && requests[2].has("mcp-protocol-version: 2025-06-18"));
}

#[test]
fn a_program_that_is_gone_or_refuses_is_an_error_answer() {
    let call = r#"{"jsonrpc": "2.0", "id": 7, "method": "tools/call"}"#;
    let gone = tempfile::tempdir().unwrap();
    let answers = bridge(gone.path(), &[call, r#"{"jsonrpc": "2.0", "method": "notifications/x"}"#, "no json", call]);
    let said: Vec<(&Value, &Value)> = answers.iter().map(|a| (&a["id"], &a["error"]["code"])).collect();
    assert_eq!(said, [(&json!(7), &json!(-32000)), (&Value::Null, &json!(-32700)), (&json!(7), &json!(-32000))]);
    let message = answers[0]["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("Ask the owner to start Pilothouse. ") && message.contains("pilothouse serve"),
        "{message}"
    );

    let fake = Fake::genuine(|_| (403, "", r#"{"detail": "Sessions may not.", "code": "x"}"#.into()));
    let answers = bridge(data_dir(&fake.base).path(), &[call]);
    let message = "Pilothouse returned status 403: Sessions may not.";
    assert_eq!(answers, [json!({"jsonrpc": "2.0", "id": 7, "error": {"code": -32000, "message": message}})]);

    let own = json!({"jsonrpc": "2.0", "id": 7, "error": {"code": -32601, "message": "m"}});
    let body = own.to_string();
    let fake = Fake::genuine(move |_| (400, "content-type: application/json\r\n", body.clone()));
    assert_eq!(bridge(data_dir(&fake.base).path(), &[call]), [own]);

    let squatter = Fake::start(|_, _| (200, "", "{}".into()));
    let dir = data_dir(&squatter.base);
    let ran = World { stdin: call, ..World::default() }.run(&["mcp", "--data-dir", dir.path().to_str().unwrap()]);
    // What only the person can correct is in the exit code too.
    assert!(ran.code == EXIT_REFUSED && ran.err.contains("so none was sent"), "{ran:?}");
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("Ask the owner to correct the configuration. "), "{message}");
    assert!(message.contains("so none was sent"), "{message}");
    assert!(squatter.all().iter().all(|request| !request.head.contains(TOKEN)));
}

#[test]
fn json_that_is_no_message_is_an_invalid_request() {
    let fake = Fake::genuine(|_| (202, "", String::new()));
    let lines = ["[]", "null", "7", r#""ping""#, "[1, null]", r#"[{"jsonrpc": "2.0", "method": "n"}]"#];
    let answers = bridge(data_dir(&fake.base).path(), &lines);
    let message = "Send an object, or a list of objects.";
    let invalid = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": message}});
    assert_eq!(answers, vec![invalid; 5]);
    assert_eq!(fake.requests().len(), 1, "only what is a message goes on");
}
