//! Tool servers of hubs.

use super::engine_settings::kept;
use super::practice::{Begun, begin, begin_with};
use engines::world::{Boxed, Sleep};
use kit::{Caller, Kind};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;
use testkit::{OTHER_ACCOUNT, refused};

const VALUE: &str = "sk-live-Zq8xWv7Tn6";

async fn put(begun: &Begun, name: &str, more: Value) -> kit::Result<Value> {
    let mut input = json!({"hubId": begun.hub["id"], "name": name});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    begun.program.owner("hubs.servers.put", input).await
}

async fn set(begun: &Begun, server: &str, name: &str, value: &str, is_secret: bool) -> kit::Result<Value> {
    let input = json!({
        "hubId": begun.hub["id"], "name": server, "valueName": name, "value": value, "isSecret": is_secret,
    });
    begun.program.owner("hubs.servers.setValue", input).await
}

async fn listed(begun: &Begun) -> Value {
    begun.program.owner("hubs.servers.list", json!({"hubId": begun.hub["id"]})).await.unwrap()["items"].clone()
}

fn notes(entries: &[Value]) -> String {
    let notes = entries.iter().filter(|entry| entry["entry"] == "note");
    notes.filter_map(|entry| entry["why"].as_str()).collect::<Vec<_>>().join("\n")
}

/// An agent that is installed, in a folder with a program for tools.
fn installed() -> tempfile::TempDir {
    let bin = tempfile::TempDir::new().unwrap();
    for name in ["my-agent", "tools"] {
        let file = bin.path().join(name);
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    bin
}

async fn start(begun: &Begun) -> String {
    begun.program.owner("engines.create", json!({"name": "Mine", "command": "my-agent"})).await.unwrap();
    let input = json!({"prompt": "go", "projectId": begun.hub["id"], "engine": "mine"});
    begun.program.owner("sessions.create", input).await.unwrap()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn sessions_get_the_tool_servers_of_their_hub_and_what_cannot_start_is_said() {
    let bin = installed();
    let (hands, plans, heard) = kept(bin.path());
    let begun = begin_with(hands).await;
    put(&begun, "files", json!({"command": "tools", "args": ["--root", "."]})).await.unwrap();
    set(&begun, "files", "TOOL_KEY", VALUE, true).await.unwrap();
    put(&begun, "web", json!({"url": "https://tools.example/mcp"})).await.unwrap();
    set(&begun, "web", "Authorization", VALUE, true).await.unwrap();
    set(&begun, "web", "X-Team", "blue", false).await.unwrap();
    put(&begun, "gone", json!({"command": "not-there"})).await.unwrap();
    let shown = listed(&begun).await;
    assert!(!shown.to_string().contains(VALUE), "{shown}");
    assert_eq!(shown[2]["values"][1], json!({"name": "X-Team", "value": "blue", "isSecret": false}));

    let id = start(&begun).await;
    begun.until(&id, "idle").await;
    let plan = plans.lock().unwrap().pop().unwrap();
    let servers = &plan.params["mcpServers"];
    let tools = bin.path().join("tools");
    assert_eq!(
        servers[0],
        json!({"name": "files", "command": tools, "args": ["--root", "."], "env": [{"name": "TOOL_KEY", "value": VALUE}]})
    );
    let headers = json!([{"name": "Authorization", "value": VALUE}, {"name": "X-Team", "value": "blue"}]);
    assert_eq!(
        servers[1],
        json!({"type": "http", "name": "web", "url": "https://tools.example/mcp", "headers": headers})
    );
    assert_eq!(servers.as_array().unwrap().len(), 2);
    // The agent announced no connections over HTTP.
    let opened = heard.lock().unwrap().iter().find(|one| one["method"] == "session/new").cloned().unwrap();
    assert_eq!(opened["params"]["mcpServers"].as_array().unwrap().len(), 1);
    let said = notes(&begun.entries(&id).await);
    assert!(
        said.contains("gone not started: not-there isn't installed") && said.contains("Not connected: web"),
        "{said}"
    );
    assert!(!said.contains(VALUE));

    let name = json!({"hubId": begun.hub["id"], "name": "web", "valueName": "X-Team"});
    begun.program.owner("hubs.servers.deleteValue", name).await.unwrap();
    // Variables are no headers.
    assert_eq!(put(&begun, "web", json!({"command": "tools"})).await.unwrap()["values"], json!([]));
    begun.program.owner("hubs.servers.delete", json!({"hubId": begun.hub["id"], "name": "web"})).await.unwrap();
    assert_eq!(listed(&begun).await.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_tool_server_that_is_not_one_is_refused_at_its_field() {
    let begun = begin().await;
    for (name, more) in [
        ("pilothouse", json!({"command": "x"})),
        ("Pilothouse__x", json!({"command": "x"})),
        ("a b", json!({"command": "x"})),
        ("a", json!({})),
        ("a", json!({"command": "x", "url": "https://x.example"})),
        ("a", json!({"url": "ftp://x.example"})),
        ("a", json!({"url": "https://"})),
        ("a", json!({"url": "https://x.example", "args": ["y"]})),
    ] {
        refused(put(&begun, name, more).await, "invalid-input");
    }
    put(&begun, "a", json!({"url": "https://x.example"})).await.unwrap();
    refused(set(&begun, "a", "Host", "v", false).await, "invalid-input");
    refused(set(&begun, "a", "X-A", "a\nb", false).await, "invalid-input");
    put(&begun, "b", json!({"command": "x"})).await.unwrap();
    refused(set(&begun, "b", "APP_CLI_TOKEN", "v", false).await, "invalid-input");
    refused(set(&begun, "c", "A", "v", false).await, "not-found");
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    let theirs = json!({"hubId": begun.hub["id"]});
    refused(begun.program.as_caller(other, "hubs.servers.list", theirs).await, "not-found");
}

/// Time that passes only for what waits exactly as long as tool servers may take.
struct OnlyTools;

impl Sleep for OnlyTools {
    fn sleep(&self, time: Duration) -> Boxed<()> {
        match time == Duration::from_secs(90) {
            true => Box::pin(std::future::ready(())),
            false => Box::pin(std::future::pending()),
        }
    }
}

#[tokio::test]
async fn a_tool_server_that_never_answers_keeps_no_session_from_starting() {
    let bin = installed();
    let (mut hands, plans, _) = kept(bin.path());
    hands.sleep = Arc::new(OnlyTools);
    let begun = begin_with(hands).await;
    put(&begun, "files", json!({"command": "tools"})).await.unwrap();
    let id = start(&begun).await;
    begun.until(&id, "idle").await;
    let plans = plans.lock().unwrap().clone();
    let servers: Vec<usize> = plans.iter().map(|plan| plan.params["mcpServers"].as_array().unwrap().len()).collect();
    assert_eq!(servers, [1, 0]);
    assert!(notes(&begun.entries(&id).await).contains("starts without them"));
}
