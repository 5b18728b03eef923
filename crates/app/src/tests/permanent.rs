//! No agent deletes anything permanently, whatever its scopes and whatever token it shows through MCP.

use super::isolation::{account, exchange, own_input};
use super::{program, serve};
use crate::features;
use kit::{Kind, Method};
use serde_json::{Value, json};
use server::testing::{request, send};
use std::collections::BTreeSet;

/// What takes something away and is open to agents, with the operation that brings it back.
const RESTORED_BY: &[(&str, &str)] = &[
    ("boards.delete", "boards.restore"),
    ("boards.columns.delete", "boards.columns.restore"),
    ("boards.groups.delete", "boards.groups.restore"),
    ("boards.items.delete", "boards.items.restore"),
    ("boards.views.delete", "boards.undo"),
    // The bytes stay for 30 days.
    ("boards.files.remove", "boards.undo"),
    // What was imported until then goes, which nobody has seen yet.
    ("boards.import.cancel", "boards.import"),
    ("calendar.events.delete", "calendar.events.restore"),
    ("dashboards.delete", "dashboards.restore"),
    ("dashboards.widgets.remove", "dashboards.update"),
    ("settings.reset", "settings.undo"),
    ("bookmarks.delete", "bookmarks.restore"),
    ("messages.delete", "messages.restore"),
    ("rooms.delete", "rooms.restore"),
    ("tasks.delete", "tasks.restore"),
];

#[test]
fn what_agents_take_away_can_be_brought_back() {
    let ops = features::ops();
    let takes_away =
        |name: &str| ["delete", "remove", "purge", "empty", "forget", "revoke"].iter().any(|word| name.ends_with(word));
    for op in ops.iter().filter(|op| op.method == Method::Delete || takes_away(op.name)) {
        let restored = RESTORED_BY.iter().find(|(name, _)| *name == op.name);
        match (op.is_permanent, op.callers.has(Kind::Agent)) {
            (true, true) => panic!("{} is permanent and open to agents", op.name),
            (false, true) => {
                let (_, by) = restored.unwrap_or_else(|| {
                    panic!(
                        "{}: mark its row as .permanent(), or name here what brings back what it takes away",
                        op.name
                    )
                });
                assert!(ops.iter().any(|other| other.name == *by), "{by}");
            }
            _ => assert!(restored.is_none(), "{} is not open to agents", op.name),
        }
    }
}

#[tokio::test]
async fn no_agent_deletes_anything_permanently() {
    let program = program().await;
    let address = serve(&program).await;
    let (owner, own) = account(&program, address, "first", 0).await;
    let ops = features::ops();
    let op = |name: &str| ops.iter().find(|op| op.name == name).expect("an operation");
    let scopes: BTreeSet<&str> = ops.iter().flat_map(|op| op.scopes()).collect();
    let input = json!({"kind": "agent", "name": "a", "sessionId": own["runningSessionId"], "scopes": scopes});
    let agent = exchange(address, op("tokens.create"), &owner, &input).await.json()["token"].clone();
    let agent = agent.as_str().expect("a token");
    let mut tried = 0;
    for permanent in ops.iter().filter(|op| op.is_permanent) {
        let input = own_input(permanent.name, &own);
        let refused = exchange(address, permanent, agent, &input).await;
        assert_eq!((refused.status, refused.code().as_str()), (403, "forbidden-caller"), "{}", permanent.name);
        // Nor with the owner's own token through MCP.
        let params = json!({"name": "call_operation", "arguments": {"name": permanent.name, "input": input}});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        let message = request(address, "POST", "/mcp", Some(&owner), Some(("application/json", &message)));
        let answer = send(address, &message).await.expect("it answers");
        let text = answer.json()["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        let refused: Value = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(refused["code"], "forbidden-caller", "{}: {text}", permanent.name);
        tried += 1;
    }
    assert!(tried >= 8, "{tried}");
    // What they were to delete is still there: its owner can.
    for name in ["boards.trash.deleteBoard", "boards.trash.delete", "boards.comments.delete", "dashboards.trash.delete"]
    {
        let deleted = exchange(address, op(name), &owner, &own_input(name, &own)).await;
        assert!(deleted.status < 300, "{name}: {}", String::from_utf8_lossy(&deleted.body));
    }
}
