//! The hook before tools: who asks at a session's door is answered by its judge.

use super::practice::{Begun, Hands, begin, begin_with, start_here};
use super::script::{is, scripted};
use crate::approved::Outside;
use crate::engine_host::sandbox_of;
use crate::hook::{Asked, Door, ask};
use crate::judge::Judge;
use crate::service::Sessions;
use crate::transcript::SessionKey;
use engines::engine::{Claude, Codex, OpenCode};
use engines::port::Hook;
use engines::{Engine, SessionSpec, Tier};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;
use testkit::ACCOUNT;

pub(super) struct Hooked {
    pub(super) begun: Begun,
    pub(super) id: String,
    door: Door,
    _dir: TempDir,
}

/// A session at work with a door for the hook of this engine.
pub(super) async fn hooked(engine: impl Engine + 'static, begun: Begun) -> Hooked {
    let id = begun.start("practice: wait 30").await;
    begun.until(&id, "running").await;
    hooked_to(engine, begun, id).await
}

/// The same for a session that is there.
async fn hooked_to(engine: impl Engine + 'static, begun: Begun, id: String) -> Hooked {
    let sessions = begun.program.ctx.service::<Sessions>();
    let key = SessionKey { account: ACCOUNT.into(), session: id.as_str().into() };
    let me = sessions.driver(&key).await.unwrap();
    let (judge, launch) = {
        let mut driver = me.lock().await;
        driver.record.engine = engine.id().to_owned();
        (Judge::new(&sessions.common, &key, &driver.record), driver.record.life.launch)
    };
    let dir = TempDir::new().unwrap();
    // As the host makes it for a real engine.
    let mut spec = SessionSpec::new(&id, begun.folder.path(), dir.path());
    spec.denied = judge.denied();
    let sandbox = sessions.common.host.sandbox.is_ok().then(|| sandbox_of(&spec));
    let outside = Outside { sandbox, env: Default::default(), session: id.clone(), is_discreet: false };
    let tickets = me.lock().await.tickets();
    let (me, judge, engine) = (Arc::downgrade(&me), Arc::new(judge), Arc::new(engine));
    let asked = Asked { me, judge, engine, launch, tickets, outside, batches_find: true, runner: Vec::new() };
    let door = Door::open(dir.path(), "/bin/pilothouse", Hook::Command, asked).unwrap();
    Hooked { begun, id, door, _dir: dir }
}

impl Hooked {
    /// Asks as an engine does before this tool.
    pub(super) fn asks(&self, tool: &str, input: Value) -> tokio::task::JoinHandle<Value> {
        let socket = PathBuf::from(&self.door.hook()[2]);
        let event = json!({"tool_name": tool, "tool_input": input, "tool_use_id": "t"}).to_string();
        tokio::task::spawn_blocking(move || {
            let text = ask(&socket, event.as_bytes()).expect("an answer");
            if text.is_empty() {
                json!("pass")
            } else {
                serde_json::from_str::<Value>(&text).unwrap()["hookSpecificOutput"].take()
            }
        })
    }

    pub(super) async fn answered(&self, tool: &str, input: Value) -> Value {
        self.asks(tool, input).await.unwrap()
    }

    pub(super) async fn answer(&self, allow: bool) {
        let ask = self.begun.asked(&self.id).await;
        let input = json!({"sessionId": self.id, "askId": ask, "allow": allow});
        self.begun.program.owner("sessions.answer", input).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_asks_by_itself_is_told_to_ask_and_nothing_where_it_may() {
    let at = hooked(Claude, begin().await).await;
    assert_eq!(at.answered("Read", json!({"file_path": "notes.txt"})).await, "pass");
    assert_eq!(at.answered("Edit", json!({"file_path": "notes.txt"})).await, "pass", "guarded changes the project");
    for (tool, input) in [
        ("Bash", json!({"command": "ls"})),
        ("Read", json!({"file_path": "/home/tester/.ssh/id"})),
        ("NobodyKnowsThis", json!({})),
    ] {
        let told = at.answered(tool, input).await;
        assert_eq!(told["permissionDecision"], "ask", "{tool}: {told}");
        assert!(told["permissionDecisionReason"].as_str().unwrap().contains("agentPermissionLevel"), "{told}");
    }
    let told = at.answered("Read", json!({"file_path": "/home/tester/.ssh/id"})).await;
    assert!(told["permissionDecisionReason"].as_str().unwrap().contains("Allowing doesn't lift the sandbox"), "{told}");
    at.begun.set(&[("agentPermissionLevel", json!("full"))]);
    assert_eq!(at.answered("Bash", json!({"command": "ls"})).await, "pass", "a change counts at once");
}

#[tokio::test(flavor = "multi_thread")]
async fn for_an_engine_that_cannot_ask_the_person_is_asked_here_and_the_tool_waits() {
    let at = hooked(Codex, begin().await).await;
    for (allow, expected) in [(true, json!("pass")), (false, json!("deny"))] {
        let waits = at.asks("Bash", json!({"command": "make"}));
        at.answer(allow).await;
        let told = waits.await.unwrap();
        assert_eq!(told.get("permissionDecision").unwrap_or(&told), &expected);
        at.begun.until(&at.id, "running").await;
    }
    let asks = at.begun.program.owner("sessions.asks", json!({"sessionId": at.id})).await.unwrap();
    assert_eq!((&asks["items"][0]["kind"], asks["items"].as_array().unwrap().len()), (&json!("permission"), 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lasting_yes_passes_the_same_tool_from_then_on_and_the_transcript_says_so() {
    let at = hooked(Codex, begin().await).await;
    let waits = at.asks("Bash", json!({"command": "npm test"}));
    let ask = at.begun.asked(&at.id).await;
    let input = json!({"sessionId": at.id, "askId": ask, "allow": true, "always": true, "scope": "hub"});
    at.begun.program.owner("sessions.answer", input).await.unwrap();
    assert_eq!(waits.await.unwrap(), "pass");
    assert_eq!(at.answered("Bash", json!({"command": "npm test -- --watch"})).await, "pass");
    let entries = at.begun.entries_once(&at.id, |entry| entry["entry"] == "hook").await;
    let allowed = entries.iter().find(|entry| entry["entry"] == "hook").unwrap();
    assert_eq!((&allowed["verdict"], &allowed["what"]), (&json!("allowed"), &json!("npm test -- --watch")));
    assert_eq!(allowed["why"], "Allowed by your rule: Commands that start with `npm test`");
    // One that asks by itself is let through here, and asks.
    let at = hooked(Claude, at.begun).await;
    assert_eq!(at.answered("Bash", json!({"command": "npm test"})).await, "pass");
    assert_eq!(at.answered("Bash", json!({"command": "npm test; ls"})).await["permissionDecision"], "ask");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_persons_own_settings_of_claude_allow_passes_and_what_a_project_allows_itself_does_not() {
    let home = TempDir::new().unwrap();
    let settings = |folder: &std::path::Path, names: &[&str], allowed: &str| {
        std::fs::create_dir_all(folder.join(".claude")).unwrap();
        let text = json!({"permissions": {"allow": [allowed, "Read", "Something(new)"]}}).to_string();
        names.iter().for_each(|name| std::fs::write(folder.join(".claude").join(name), &text).unwrap());
    };
    settings(home.path(), &["settings.json"], "Bash(git commit:*)");
    let mut hands = Hands::new(Arc::new(start_here));
    hands.machine.home = home.path().into();
    let at = hooked(Claude, begin_with(hands).await).await;
    settings(at.begun.folder.path(), &["settings.json", "settings.local.json"], "Bash(git push:*)");
    let secret = home.path().join(".ssh/id");
    for (tool, input, expected) in [
        ("Bash", json!({"command": "git commit -m x"}), "pass"),
        ("Bash", json!({"command": "git commit -m x; git push"}), "ask"),
        ("Bash", json!({"command": "git push"}), "ask"),
        ("Read", json!({"file_path": "/srv/notes.txt"}), "pass"),
        ("Read", json!({"file_path": secret}), "ask"),
    ] {
        let told = at.answered(tool, input.clone()).await;
        assert_eq!(told.get("permissionDecision").unwrap_or(&told), expected, "{tool} {input}");
    }
    at.begun.set(&[("agentPermissionLevel", json!("read_only"))]);
    let told = at.answered("Bash", json!({"command": "git commit -m x"})).await;
    assert_eq!(told["permissionDecision"], "ask", "{told}");
    // They are Claude's alone.
    at.begun.set(&[]);
    let at = hooked(Codex, at.begun).await;
    let waits = at.asks("Bash", json!({"command": "git commit -m x"}));
    at.answer(false).await;
    assert_eq!(waits.await.unwrap()["permissionDecision"], "deny");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_was_answered_after_a_restart_passes_once_without_asking_again() {
    for (allow, expected) in [(true, json!("pass")), (false, json!("deny"))] {
        // Its turns don't end by themselves, and an answer counts for its turn.
        let endless = scripted(|heard| is(heard, "session/prompt").then(Vec::new));
        let at = hooked(Codex, begin_with(endless).await).await;
        let waits = at.asks("Bash", json!({"command": "make"}));
        at.begun.asked(&at.id).await;
        let Hooked { begun, id, door, .. } = at;
        drop(door);
        let begun = begun.crash().await;
        waits.abort();
        begun.asked(&id).await;
        let at = hooked_to(Codex, begun, id).await;
        at.answer(allow).await;
        at.begun.until(&at.id, "running").await;
        let told = at.answered("Bash", json!({"command": "make"})).await;
        assert_eq!(told.get("permissionDecision").unwrap_or(&told), &expected);
        let again = at.asks("Bash", json!({"command": "make"}));
        at.answer(true).await;
        assert_eq!(again.await.unwrap(), "pass", "the second time it is asked for");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_is_given_up_takes_its_question_with_it() {
    let at = hooked(Codex, begin().await).await;
    {
        use std::io::Write;
        let mut gives_up = std::os::unix::net::UnixStream::connect(&at.door.hook()[2]).unwrap();
        writeln!(gives_up, "{}", json!({"tool_name": "Bash", "tool_input": {"command": "make"}})).unwrap();
        at.begun.asked(&at.id).await;
    }
    at.begun.until(&at.id, "running").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_external_engine_is_refused_sensitive_files_and_its_transcript_says_so() {
    let begun = begin().await;
    begun.set(&[("agentPermissionLevel", json!("full"))]);
    let at = hooked(OpenCode, begun).await;
    assert_eq!(OpenCode.tier(), Tier::External);
    let told = at.answered("read", json!({"filePath": "/home/tester/.ssh/id"})).await;
    assert_eq!(told["permissionDecision"], "deny", "{told}");
    let entries = at.begun.entries_once(&at.id, |entry| entry["entry"] == "hook").await;
    let refused = entries.iter().find(|entry| entry["entry"] == "hook").unwrap();
    assert_eq!((&refused["verdict"], &refused["tool"]), (&json!("refused"), &json!("read")));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_sense_is_refused() {
    let at = hooked(Claude, begin().await).await;
    let told = |line: &str| {
        use std::io::{Read, Write};
        let mut connection = std::os::unix::net::UnixStream::connect(&at.door.hook()[2]).unwrap();
        writeln!(connection, "{line}").unwrap();
        let mut told = String::new();
        connection.read_to_string(&mut told).unwrap();
        told
    };
    for line in ["", "{", "\"x", "nonsense"] {
        assert!(tokio::task::block_in_place(|| told(line)).contains("\"deny\""), "{line}");
    }
    for line in ["null", "[]", "{\"tool_name\": 4}", "{\"tool_name\": \"Read\", \"tool_input\": []}"] {
        assert!(tokio::task::block_in_place(|| told(line)).contains("\"ask\""), "{line}");
    }
    let socket = PathBuf::from(&at.door.hook()[2]);
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&socket), mode(at.door.folder())), (0o600, 0o700), "nobody else is heard");
    drop(at.door);
    assert!(!socket.exists() && ask(&socket, &b"{}"[..]).is_err());
}
