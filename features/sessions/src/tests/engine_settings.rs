//! How engines are set up, and agents of the user's own.

use super::practice::{Begun, Hands, begin, begin_with};
use super::script::{answer, is, update, wire};
use engines::LaunchPlan;
use kit::{Caller, Kind};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use testkit::{ACCOUNT, OTHER_ACCOUNT, refused};

const VALUE: &str = "sk-live-Zq8xWv7Tn6";

pub(super) type Plans = Arc<Mutex<Vec<LaunchPlan>>>;

/// Efforts that an engine offers, as it says them.
fn efforts(current: &str) -> Value {
    let options = json!([{"value": "low", "name": "Low"}, {"value": "high", "name": "High"}]);
    json!([{"id": "effort", "name": "Effort", "category": "thought_level", "type": "select", "currentValue": current, "options": options}])
}

/// Agents that say what they were given, and keep the plans that they were started with. The messages that they get are
/// kept too.
pub(super) fn kept(bin: &Path) -> (Hands, Plans, Arc<Mutex<Vec<Value>>>) {
    let (plans, heard) = (Plans::default(), Arc::new(Mutex::new(Vec::new())));
    let (keep, listen) = (plans.clone(), heard.clone());
    let mut hands = Hands::new(Arc::new(move |plan: &LaunchPlan| {
        keep.lock().unwrap().push(plan.clone());
        let (listen, value) = (listen.clone(), plan.env.get("MINE_KEY").cloned().unwrap_or_default());
        Ok(wire(move |mut fake| async move {
            let mut effort = "low".to_owned();
            while let Some(message) = fake.hears().await {
                listen.lock().unwrap().push(message.clone());
                let result = match message["method"].as_str() {
                    Some("initialize") => json!({"protocolVersion": 1}),
                    Some("session/new") => json!({"sessionId": "s", "configOptions": efforts(&effort)}),
                    Some("session/set_config_option") => {
                        effort = message["params"]["value"].as_str().unwrap_or_default().to_owned();
                        json!({"configOptions": efforts(&effort)})
                    }
                    Some("session/prompt") => {
                        let text = format!("My key is {value}.");
                        let content = json!({"type": "text", "text": text});
                        fake.sends(&update(json!({"sessionUpdate": "agent_message_chunk", "content": content}))).await;
                        json!({"stopReason": "end_turn"})
                    }
                    _ if message["id"].is_u64() => json!({}),
                    _ => continue,
                };
                fake.sends(&answer(&message, result)).await;
            }
        }))
    }));
    hands.machine.env.insert("PATH".into(), bin.to_str().unwrap().into());
    (hands, plans, heard)
}

fn program(file: &Path) {
    std::fs::write(file, "#!/bin/sh\necho 9.0.0\n").unwrap();
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

async fn change(begun: &Begun, engine: &str, more: Value) -> kit::Result<Value> {
    let mut input = json!({"engineId": engine});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    begun.program.owner("engines.settings.change", input).await
}

async fn set(begun: &Begun, engine: &str, name: &str, value: &str, is_secret: bool) -> kit::Result<Value> {
    let input = json!({"engineId": engine, "name": name, "value": value, "isSecret": is_secret});
    begun.program.owner("engines.variables.set", input).await
}

async fn listed(begun: &Begun, engine: &str) -> Value {
    let all = begun.program.owner("engines.list", json!({})).await.unwrap();
    all["items"].as_array().unwrap().iter().find(|one| one["id"] == engine).cloned().unwrap_or_default()
}

/// Starts a session that runs its turn.
async fn run(begun: &Begun, engine: &str, more: Value) -> Value {
    let mut input = json!({"prompt": "go", "projectId": begun.hub["id"], "engine": engine});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let made = begun.program.owner("sessions.create", input).await.unwrap();
    begun.until(made["id"].as_str().unwrap(), "idle").await
}

#[tokio::test]
async fn an_added_agent_is_an_engine_that_is_started_as_described_and_its_secret_is_in_nothing_that_is_stored() {
    let bin = tempfile::TempDir::new().unwrap();
    program(&bin.path().join("my-agent"));
    let (hands, plans, _) = kept(bin.path());
    let begun = begin_with(hands).await;
    let input = json!({"name": "My Agent", "command": "my-agent", "args": ["acp", "--fast"]});
    let added = begun.program.owner("engines.create", input.clone()).await.unwrap();
    assert_eq!((&added["engineId"], &added["isAdded"]), (&json!("my-agent"), &json!(true)));
    let told = refused(begun.program.owner("engines.create", input).await, "conflict");
    assert!(told.detail().contains("already exists"), "{told}");
    let twin = json!({"name": "My-Agent", "command": "my-agent"});
    assert_eq!(begun.program.owner("engines.create", twin).await.unwrap()["engineId"], "my-agent-2");

    set(&begun, "my-agent", "MINE_KEY", VALUE, true).await.unwrap();
    let settings = set(&begun, "my-agent", "MINE_URL", "https://models.example", false).await.unwrap();
    let shown = json!([
        {"name": "MINE_KEY", "value": null, "isSecret": true},
        {"name": "MINE_URL", "value": "https://models.example", "isSecret": false},
    ]);
    assert_eq!(settings["variables"], shown);
    begun.program.owner("engines.check", json!({"engineId": "my-agent"})).await.unwrap();
    let record = listed(&begun, "my-agent").await;
    assert_eq!(
        (&record["name"], &record["tier"], &record["isFound"]),
        (&json!("My Agent"), &json!("external"), &json!(true))
    );

    let session = run(&begun, "my-agent", json!({})).await;
    let plan = plans.lock().unwrap().pop().unwrap();
    assert_eq!((plan.program, plan.args), (bin.path().join("my-agent"), vec!["acp".to_owned(), "--fast".to_owned()]));
    assert_eq!((&*plan.env["MINE_KEY"], &*plan.env["MINE_URL"]), (VALUE, "https://models.example"));

    let id = session["id"].as_str().unwrap();
    assert_eq!(begun.said(id).await, "My key is ….");
    let seen = format!("{} {settings} {:?}", begun.export(id, "jsonl").await, begun.entries(id).await);
    assert!(!seen.contains(VALUE));
    let begun = begun.crash().await;
    assert_eq!(begun.program.owner("engines.settings.get", json!({"engineId": "my-agent"})).await.unwrap(), settings);
    for file in walk(begun.program.dir()) {
        let bytes = std::fs::read(&file).unwrap_or_default();
        assert!(!bytes.windows(VALUE.len()).any(|part| part == VALUE.as_bytes()), "{}", file.display());
    }
}

/// Every file below a folder.
fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let all = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    all.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn an_agent_is_renamed_and_removed_once_its_sessions_have_ended_and_their_transcripts_stay() {
    let bin = tempfile::TempDir::new().unwrap();
    program(&bin.path().join("my-agent"));
    let (hands, ..) = kept(bin.path());
    let begun = begin_with(hands).await;
    begun.program.owner("engines.create", json!({"name": "Mine", "command": "my-agent"})).await.unwrap();
    assert_eq!(change(&begun, "mine", json!({"name": "Ours"})).await.unwrap()["name"], "Ours");
    let session = run(&begun, "mine", json!({})).await;
    let told = refused(begun.program.owner("engines.delete", json!({"engineId": "mine"})).await, "conflict");
    assert!(told.detail().contains("Stop it first"), "{told}");
    begun.program.owner("sessions.stop", json!({"sessionId": session["id"]})).await.unwrap();
    let id = session["id"].as_str().unwrap();
    begun.until(id, "stopped").await;
    begun.program.owner("engines.delete", json!({"engineId": "mine"})).await.unwrap();
    assert_eq!(listed(&begun, "mine").await, Value::Null);
    assert!(!begun.entries(id).await.is_empty());
    begun.program.owner("sessions.resume", json!({"sessionId": id})).await.unwrap();
    begun.program.owner("sessions.message", json!({"sessionId": id, "prompt": "more"})).await.ok();
    let failed = begun.until(id, "failed").await;
    assert!(failed["detail"]["detail"].as_str().unwrap().contains("no longer available"), "{failed}");
    let told = refused(begun.program.owner("engines.delete", json!({"engineId": "claude"})).await, "conflict");
    assert!(told.detail().contains("built in"), "{told}");
}

#[tokio::test]
async fn an_engine_is_started_with_its_program_arguments_variables_model_effort_and_level() {
    let bin = tempfile::TempDir::new().unwrap();
    let other = bin.path().join("elsewhere");
    std::fs::create_dir(&other).unwrap();
    program(&other.join("claude-agent-acp"));
    let (hands, plans, heard) = kept(bin.path());
    let begun = begin_with(hands).await;
    assert!(listed(&begun, "claude").await["trouble"].as_str().unwrap().contains("isn't on PATH"));
    let path = other.join("claude-agent-acp");
    let wanted = json!({"program": path, "args": ["--verbose"], "permissionLevel": "autonomous", "effort": "high"});
    change(&begun, "claude", wanted).await.unwrap();
    // A key is a login too.
    set(&begun, "claude", "ANTHROPIC_API_KEY", VALUE, true).await.unwrap();
    let checked = begun.program.owner("engines.check", json!({"engineId": "claude"})).await.unwrap();
    assert_eq!((&checked["notReady"], &checked["login"]), (&Value::Null, &json!("yes")), "{checked}");
    let session = run(&begun, "claude", json!({})).await;
    let plan = plans.lock().unwrap().pop().unwrap();
    assert_eq!((&plan.program, plan.args.last().unwrap().as_str()), (&path, "--verbose"));
    assert_eq!((&*plan.env["ANTHROPIC_API_KEY"], plan.mode.as_deref()), (VALUE, Some("acceptEdits")));
    assert_eq!(session["effort"], "high", "{session}");
    let chosen = |value: &str| {
        let is_so = |one: &&Value| is(one, "session/set_config_option") && one["params"]["value"] == value;
        heard.lock().unwrap().iter().find(is_so).cloned()
    };
    assert_eq!(chosen("high").unwrap()["params"]["configId"], "effort");

    // It stays what it is for a session that runs; another start says it.
    change(&begun, "claude", json!({"permissionLevel": "read_only", "effort": ""})).await.unwrap();
    let changed = json!({"sessionId": session["id"], "effort": "low"});
    assert_eq!(begun.program.owner("sessions.change", changed).await.unwrap()["effort"], "low");
    assert!(chosen("low").is_some());
    let told = begun.program.owner("sessions.change", json!({"sessionId": session["id"], "effort": "most"})).await;
    assert!(refused(told, "invalid-input").detail().contains("Available: low, high"));
    run(&begun, "claude", json!({"effort": "high"})).await;
    assert_eq!(plans.lock().unwrap().pop().unwrap().mode.as_deref(), Some("default"));

    // What breaks later is said in its status.
    std::fs::remove_file(&path).unwrap();
    begun.program.owner("engines.check", json!({"engineId": "claude"})).await.unwrap();
    let broken = listed(&begun, "claude").await["notReady"].as_str().unwrap().to_owned();
    assert!(broken.contains("doesn't exist") && broken.contains("under Engines"), "{broken}");
}

#[tokio::test]
async fn what_cannot_be_set_says_why_at_its_field() {
    let begun = begin().await;
    let folder = begun.folder.path();
    std::fs::write(folder.join("text"), "no program").unwrap();
    for (more, pointer, said) in [
        (json!({"program": "claude"}), "/program", "isn't an absolute path"),
        (json!({"program": folder}), "/program", "is a folder"),
        (json!({"program": folder.join("text")}), "/program", "isn't executable"),
        (json!({"program": folder.join("nothing")}), "/program", "doesn't exist"),
        (json!({"args": ["-v", "--yolo"]}), "/args/1", "permission level"),
        (json!({"name": "X"}), "/name", "You can rename only engines that you added."),
    ] {
        let told = refused(change(&begun, "claude", more).await, "invalid-input");
        let errors = serde_json::to_string(&told.problem()).unwrap();
        assert!(told.detail().contains(said) && errors.contains(pointer), "{errors}");
    }
    let told = refused(change(&begun, "gemini", json!({"effort": "high"})).await, "invalid-input");
    assert!(told.detail().contains("no choice of effort"), "{told}");
    let input = json!({"prompt": "go", "projectId": begun.hub["id"], "engine": "practice", "effort": "high"});
    refused(begun.program.owner("sessions.create", input).await, "invalid-input");
    for (name, said) in
        [("APP_CLI_TOKEN", "sets"), ("codex_config", "sets"), ("1A", "ASCII"), ("A-B", "ASCII"), ("", "ASCII")]
    {
        let told = refused(set(&begun, "claude", name, "v", false).await, "invalid-input");
        assert!(told.detail().contains(said), "{name}: {told}");
    }
    refused(change(&begun, "nobody", json!({})).await, "not-found");
    let gone = json!({"engineId": "claude", "name": "A"});
    refused(begun.program.owner("engines.variables.delete", gone).await, "not-found");
}

#[tokio::test]
async fn each_account_has_its_own_set_ups_and_agents_reach_none() {
    let begun = begin().await;
    begun.program.owner("engines.create", json!({"name": "Mine", "command": "mine"})).await.unwrap();
    set(&begun, "claude", "A", "b", false).await.unwrap();
    let other = || Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    let theirs = begun.program.as_caller(other(), "engines.settings.get", json!({"engineId": "claude"})).await.unwrap();
    assert_eq!(theirs["variables"], json!([]));
    let mine = json!({"engineId": "mine"});
    refused(begun.program.as_caller(other(), "engines.settings.get", mine.clone()).await, "not-found");
    refused(begun.program.as_caller(other(), "engines.delete", mine.clone()).await, "not-found");
    let agent = Caller { session: Some("s".into()), ..Caller::new(Kind::Agent, ACCOUNT, "t") };
    refused(begun.program.as_caller(agent, "engines.settings.get", mine).await, "forbidden-caller");
}

#[tokio::test]
async fn an_external_engine_at_its_own_level_full_still_gets_no_sensitive_file() {
    let bin = tempfile::TempDir::new().unwrap();
    program(&bin.path().join("my-agent"));
    let (hands, plans, _) = kept(bin.path());
    let begun = begin_with(hands).await;
    begun.program.owner("engines.create", json!({"name": "Mine", "command": "my-agent"})).await.unwrap();
    change(&begun, "mine", json!({"permissionLevel": "full"})).await.unwrap();
    run(&begun, "mine", json!({})).await;
    let plan = plans.lock().unwrap().pop().unwrap();
    let denied = plan.sandbox.expect("a sandbox").denied;
    assert!(denied.contains(&"/home/tester/.ssh".into()), "{denied:?}");
}

fn notes(entries: &[Value]) -> String {
    let notes = entries.iter().filter(|entry| entry["entry"] == "note");
    notes.filter_map(|entry| entry["why"].as_str()).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_provider_of_claude_gets_its_login_and_what_else_was_exported_is_said_once() {
    let (bin, home) = (tempfile::TempDir::new().unwrap(), tempfile::TempDir::new().unwrap());
    program(&bin.path().join("claude-agent-acp"));
    program(&bin.path().join("codex-acp"));
    let (mut hands, plans, _) = kept(bin.path());
    hands.machine.home = home.path().into();
    for name in ["AWS_PROFILE", "CODEX_API_KEY", "LITELLM_API_KEY", "ROUTER_KEY"] {
        hands.machine.env.insert(name.into(), VALUE.into());
    }
    std::fs::create_dir(home.path().join(".codex")).unwrap();
    let config = "model_provider = \"r\"\n[model_providers.r]\nenv_key = \"ROUTER_KEY\"\n";
    std::fs::write(home.path().join(".codex/config.toml"), config).unwrap();
    let begun = begin_with(hands).await;
    set(&begun, "claude", "CLAUDE_CODE_USE_BEDROCK", "1", false).await.unwrap();
    let checked = begun.program.owner("engines.check", json!({"engineId": "claude"})).await.unwrap();
    assert_eq!(checked["notReady"], Value::Null, "the provider logs in");
    let aws = home.path().join(".aws");

    let session = run(&begun, "claude", json!({})).await;
    let plan = plans.lock().unwrap().pop().unwrap();
    assert_eq!((plan.env.get("AWS_PROFILE").map(String::as_str), plan.env.get("ROUTER_KEY")), (Some(VALUE), None));
    assert!(!plan.sandbox.unwrap().denied.iter().any(|path| path.starts_with(&aws)));
    let id = session["id"].as_str().unwrap();
    let said = notes(&begun.entries(id).await);
    assert!(said.contains("Not passed to Claude: LITELLM_API_KEY. Add them under Engines"), "{said}");
    assert!(said.contains(&format!("Not hidden in the sandbox: {}", aws.display())), "{said}");
    assert!(!said.contains(VALUE));
    begun.program.owner("sessions.stop", json!({"sessionId": id})).await.unwrap();
    begun.until(id, "stopped").await;
    begun.program.owner("sessions.message", json!({"sessionId": id, "prompt": "more"})).await.unwrap();
    begun.until(id, "idle").await;
    assert_eq!(notes(&begun.entries(id).await).matches("Not passed").count(), 1);

    let session = run(&begun, "codex", json!({})).await;
    let plan = plans.lock().unwrap().pop().unwrap();
    assert_eq!((plan.env.get("ROUTER_KEY").map(String::as_str), plan.env.get("AWS_PROFILE")), (Some(VALUE), None));
    assert!(plan.sandbox.unwrap().denied.iter().any(|path| path.starts_with(&aws)));
    let said = notes(&begun.entries(session["id"].as_str().unwrap()).await);
    assert!(said.contains("Not passed to Codex: AWS_PROFILE, LITELLM_API_KEY."), "{said}");
}
