//! Which engine a session gets that names none.

#![cfg(unix)]

use super::practice::{Begun, Hands, begin_with};
use super::script::scripted;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Puts an engine on `PATH` that says this version.
fn install(bin: &Path, command: &str, version: &str) {
    let file = bin.join(command);
    std::fs::write(&file, format!("#!/bin/sh\necho {version}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn log_in(home: &Path, file: &str) {
    let file = home.join(file);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, "{}").unwrap();
}

/// The engine of a session that names none, which is the one that the list says.
async fn default_of(begun: &Begun) -> String {
    let input = json!({"prompt": "go", "projectId": begun.hub["id"]});
    let made = begun.program.owner("sessions.create", input).await.unwrap();
    let engine = made["engine"].as_str().unwrap().to_owned();
    let engines = begun.program.owner("engines.list", json!({})).await.unwrap();
    let is_default = |one: &&Value| one["isDefault"] == true;
    let listed: Vec<&Value> = engines["items"].as_array().unwrap().iter().filter(is_default).collect();
    assert_eq!(listed.iter().map(|one| &one["id"]).collect::<Vec<_>>(), [&json!(engine)]);
    engine
}

#[tokio::test]
async fn a_session_that_names_no_engine_gets_the_first_usable_one_by_tier() {
    let (bin, home) = (tempfile::TempDir::new().unwrap(), tempfile::TempDir::new().unwrap());
    let mut hands: Hands = scripted(|_| None);
    hands.machine.home = home.path().into();
    hands.machine.env.insert("PATH".into(), bin.path().to_str().unwrap().into());
    let begun = begin_with(hands).await;
    let check = async |engine: &str| {
        begun.program.owner("engines.check", json!({"engineId": engine})).await.unwrap();
    };
    assert_eq!(default_of(&begun).await, "practice", "nothing else is there");

    install(bin.path(), "opencode", "1.18.0");
    check("opencode").await;
    assert_eq!(default_of(&begun).await, "opencode", "whose login cannot be seen");

    install(bin.path(), "codex-acp", "9.0.0");
    check("codex").await;
    assert_eq!(default_of(&begun).await, "opencode", "nobody is logged in to the second engine");
    log_in(home.path(), ".codex/auth.json");
    check("codex").await;
    assert_eq!(default_of(&begun).await, "codex");

    install(bin.path(), "claude-agent-acp", "0.99.0");
    log_in(home.path(), ".claude/.credentials.json");
    check("claude").await;
    assert_eq!(default_of(&begun).await, "codex", "the primary engine is too old");
    install(bin.path(), "claude-agent-acp", "0.200.0");
    check("claude").await;
    assert_eq!(default_of(&begun).await, "claude");
}
