//! Find commands through the hook: judged as written, run in batches, in the mode that the session began with.

use super::hook::hooked;
use super::practice::{Begun, Hands, begin};
use super::real_engines::{Real, end, real};
use super::script::{answer, is, wire};
use crate::hook::ask;
use engines::engine::{Claude, Codex, OpenCode};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

const FIND: &str = r"find D -exec grep -l x {} \;";
const BATCHED: &str = r#"find D -exec sh -c '"$@"; :' sh grep -l x {} +"#;

/// Unsafe forms, which run as they are.
const UNSAFE: [&str; 5] = [
    r"find D -execdir grep -l x {} \;",
    r"find D -ok grep -l x {} \;",
    r"find D -exec cp {} copies \;",
    r"find D -exec sh -c 'grep -l x {}' \;",
    r"find D -exec grep -l x {} \; | sort",
];

fn full(begun: &Begun) {
    begun.set(&[("agentPermissionLevel", json!("full"))]);
}

/// Runs a line in a folder. Returns what it prints, its status, and how many times grep ran.
fn run(line: &str, folder: &Path) -> (Vec<u8>, Option<i32>, usize) {
    let count = folder.join("count");
    std::fs::write(&count, "").unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.join("bin").display());
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", line]).current_dir(folder).env_clear().env("PATH", path).env("COUNT", &count);
    let done = shell.output().unwrap();
    (done.stdout, done.status.code(), std::fs::read(&count).unwrap().len())
}

#[tokio::test(flavor = "multi_thread")]
async fn over_a_thousand_files_an_agents_find_prints_the_same_with_few_processes() {
    use std::os::unix::fs::PermissionsExt;
    let at = hooked(Claude, begin().await).await;
    full(&at.begun);
    let folder = at.begun.folder.path();
    for number in 0..1_000 {
        let below = folder.join(format!("D/{}", number % 9));
        std::fs::create_dir_all(&below).unwrap();
        std::fs::write(below.join(format!("{number}.txt")), if number % 3 == 0 { "x\n" } else { "y\n" }).unwrap();
    }
    std::fs::create_dir(folder.join("bin")).unwrap();
    let counted = folder.join("bin/grep");
    std::fs::write(&counted, "#!/bin/sh\nprintf . >> \"$COUNT\"\nPATH=/usr/bin:/bin exec grep \"$@\"\n").unwrap();
    std::fs::set_permissions(&counted, std::fs::Permissions::from_mode(0o755)).unwrap();
    let told = at.answered("Bash", json!({"command": FIND, "description": "Find x"})).await;
    let input = &told["updatedInput"];
    assert_eq!((&told["permissionDecision"], &input["description"]), (&json!("allow"), &json!("Find x")));
    let (each, all) = (run(FIND, folder), run(input["command"].as_str().unwrap(), folder));
    assert!(each.0 == all.0 && all.0.iter().filter(|byte| **byte == b'\n').count() == 334);
    assert_eq!((each.1, all.1), (Some(0), Some(0)));
    assert!(each.2 > 1_000 && all.2 <= 5, "{} and {} processes", each.2, all.2);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rules_judge_what_the_agent_wrote_and_the_transcript_shows_it() {
    for engine in [true, false] {
        let begun = begin().await;
        let at = if engine { hooked(Claude, begun).await } else { hooked(Codex, begun).await };
        for allow in [true, false] {
            let waits = at.asks("Bash", json!({"command": FIND}));
            at.answer(allow).await;
            let told = waits.await.unwrap();
            let expected = if allow { json!(BATCHED) } else { Value::Null };
            assert_eq!(told["updatedInput"]["command"], expected, "{told}");
            at.begun.until(&at.id, "running").await;
        }
        let asks = at.begun.program.owner("sessions.asks", json!({"sessionId": at.id})).await.unwrap();
        assert!(asks["items"].as_array().unwrap().iter().all(|ask| ask["asked"] == FIND), "{asks}");
        // A sensitive folder is one in either form.
        let secret = r"find /home/tester/.ssh -exec grep -l x {} \;";
        let waits = at.asks("Bash", json!({"command": secret}));
        at.answer(false).await;
        assert_eq!(waits.await.unwrap()["permissionDecision"], "deny");
        full(&at.begun);
        for line in UNSAFE {
            assert_eq!(at.answered("Bash", json!({"command": line})).await, "pass", "{line}");
        }
    }
    let at = hooked(OpenCode, begin().await).await;
    full(&at.begun);
    assert_eq!(at.answered("bash", json!({"command": FIND})).await, "pass", "it doesn't take another input");
}

/// What the hook of a session's engine answers for a command. The plan of its last launch has the hook's socket.
async fn asked(plans: &Mutex<Vec<Value>>) -> Value {
    let hooks = plans.lock().unwrap().last().unwrap()["_meta"]["claudeCode"]["options"]["settings"]["hooks"].clone();
    let line = hooks["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let socket = line.split_whitespace().find(|word| word.trim_matches('\'').ends_with("/s")).unwrap();
    let socket = PathBuf::from(socket.trim_matches('\''));
    let event = json!({"tool_name": "Bash", "tool_input": {"command": FIND}, "tool_use_id": "t"}).to_string();
    let text = tokio::task::spawn_blocking(move || ask(&socket, event.as_bytes()).expect("an answer")).await.unwrap();
    serde_json::from_str::<Value>(&text).unwrap_or_default()["hookSpecificOutput"]["updatedInput"]["command"].take()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_stays_in_the_mode_that_it_began_with() {
    let plans: Arc<Mutex<Vec<Value>>> = Arc::default();
    let record = plans.clone();
    let hands = Hands::new(Arc::new(move |plan: &engines::LaunchPlan| {
        record.lock().unwrap().push(json!(plan.params));
        Ok(wire(|mut fake| async move {
            while let Some(heard) = fake.hears().await {
                let told = match heard["method"].as_str() {
                    Some("initialize") => {
                        let can = json!({"sessionCapabilities": {"resume": {}}});
                        answer(&heard, json!({"protocolVersion": 1, "agentCapabilities": can}))
                    }
                    Some("session/new" | "session/resume") => answer(&heard, json!({"sessionId": "s"})),
                    _ if is(&heard, "session/prompt") => end(&heard),
                    _ if heard["id"].is_u64() => answer(&heard, json!({})),
                    _ => continue,
                };
                fake.sends(&told).await;
            }
        }))
    }));
    hands.set(&[("agentPermissionLevel", json!("full"))]);
    let Real { begun, id, _bin } = real("claude-agent-acp", "0.100.0", hands).await;
    begun.until(&id, "idle").await;
    assert_eq!(asked(&plans).await, BATCHED);
    let off = [("agentPermissionLevel", json!("full")), ("agentFindBatchingEnabled", json!(false))];
    begun.set(&off);
    assert_eq!(asked(&plans).await, BATCHED, "it runs");
    let begun = begun.crash().await;
    begun.later(&id, "idle").await;
    assert_eq!(plans.lock().unwrap().len(), 2, "it was resumed");
    assert_eq!(asked(&plans).await, BATCHED);
    let input = json!({"prompt": "go", "projectId": begun.hub["id"], "engine": "claude"});
    let new = begun.program.owner("sessions.create", input).await.unwrap()["id"].as_str().unwrap().to_owned();
    begun.until(&new, "idle").await;
    assert_eq!(asked(&plans).await, Value::Null, "a new one");
    full(&begun);
    assert_eq!(asked(&plans).await, Value::Null, "it keeps its mode too");
}
