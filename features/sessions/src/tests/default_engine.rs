//! Which engine a session gets that names none, and the refusal of one that can't be started.

#![cfg(unix)]

use super::practice::{Begun, Hands, begin_with};
use super::real_engines::{Real, real};
use super::script::{error, is, scripted};
use kit::{Caller, Kind};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use testkit::{ACCOUNT, refused};

/// Puts an engine on `PATH` that says this version.
pub(super) fn install(bin: &Path, command: &str, version: &str) {
    let file = bin.join(command);
    std::fs::write(&file, format!("#!/bin/sh\necho {version}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

pub(super) fn log_in(home: &Path, file: &str) {
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

/// Whether a start with this engine is refused: its code and what it says.
async fn refusal(begun: &Begun, engine: &str, code: &str) -> String {
    let input = json!({"prompt": "go", "projectId": begun.hub["id"], "engine": engine});
    let told = refused(begun.program.owner("sessions.create", input.clone()).await, code).detail().to_owned();
    // Scripts and agents get the same one.
    let script = begun.program.as_caller(Caller::new(Kind::Cli, ACCOUNT, "cli"), "sessions.create", input).await;
    assert_eq!(refused(script, code).detail(), told);
    let listed = begun.program.owner("engines.list", json!({})).await.unwrap();
    let record = listed["items"].as_array().unwrap().iter().find(|one| one["id"] == engine).unwrap();
    assert_eq!(record["notReady"], told, "the page shows the same text");
    told
}

#[tokio::test]
async fn an_engine_that_is_missing_or_logged_out_is_refused_at_once_with_the_command_that_fixes_it() {
    let (bin, home) = (tempfile::TempDir::new().unwrap(), tempfile::TempDir::new().unwrap());
    let mut hands: Hands = scripted(|_| None);
    hands.machine.home = home.path().into();
    hands.machine.env.insert("PATH".into(), bin.path().to_str().unwrap().into());
    let begun = begin_with(hands).await;
    begun.set(&[("requireSpawnSourceSession", json!(false))]);
    let start = async |engine: &str| {
        let input = json!({"prompt": "go", "projectId": begun.hub["id"], "engine": engine});
        begun.program.owner("sessions.create", input).await.unwrap();
    };
    for (engine, command, version, install_with, log_in_with) in [
        (
            "claude",
            "claude-agent-acp",
            "0.100.0",
            "npm install -g @agentclientprotocol/claude-agent-acp",
            "`claude /login`",
        ),
        ("codex", "codex-acp", "2.6.0", "npm install -g @agentclientprotocol/codex-acp", "`codex login`"),
        ("gemini", "gemini", "0.61.0", "npm install -g @google/gemini-cli", "`gemini`"),
    ] {
        let told = refusal(&begun, engine, "engine-not-installed").await;
        assert!(told.contains(install_with), "{told}");
        install(bin.path(), command, "0.0.1");
        let told = refusal(&begun, engine, "engine-not-installed").await;
        assert!(told.contains("0.0.1 is too old") && told.contains(install_with), "{told}");
        install(bin.path(), command, version);
        if engine == "claude" && cfg!(target_os = "macos") {
            continue;
        }
        let told = refusal(&begun, engine, "engine-not-logged-in").await;
        assert!(told.contains(log_in_with), "{told}");
    }
    let all = begun.program.owner("sessions.list", json!({})).await.unwrap();
    assert_eq!(all["items"], json!([]), "nothing was started");
    // What was found before doesn't hold up who has just logged in.
    log_in(home.path(), ".codex/auth.json");
    start("codex").await;
    // The login may be in its configuration.
    std::fs::create_dir_all(home.path().join(".gemini")).unwrap();
    std::fs::write(home.path().join(".gemini/settings.json"), r#"{"security": {"auth": {"selectedType": "x"}}}"#)
        .unwrap();
    start("gemini").await;
    // A login that can't be seen may be there.
    install(bin.path(), "opencode", "1.18.0");
    start("opencode").await;
}

#[tokio::test]
async fn a_session_whose_engine_is_logged_out_meanwhile_says_how_to_log_in() {
    let expired = |heard: &Value| is(heard, "session/prompt").then(|| vec![error(heard, -32000, "Token expired")]);
    let Real { begun, id, _bin } = real("codex-acp", "2.6.0", scripted(expired)).await;
    let session = begun.until(&id, "failed").await;
    assert_eq!(session["detail"]["failure"]["kind"], "auth", "{session}");
    assert_eq!(session["detail"]["detail"], "Token expired. Run `codex login` in a terminal.");
}
