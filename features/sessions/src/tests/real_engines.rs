//! What real engines do that a session has to see through: turns that end well without an answer, sessions that they lost, and
//! output that they send again and again.

use super::practice::{Begun, Hands, begin_with};
use super::script::{answer, asks, error, is, scripted, scripted_with_error, text_of, update};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use testkit::refused;

/// A program in which the scripted agent is this engine, which is found on `PATH`; and a session of it.
pub(super) struct Real {
    pub(super) begun: Begun,
    pub(super) id: String,
    pub(super) _bin: TempDir,
}

pub(super) async fn real(command: &str, version: &str, hands: Hands) -> Real {
    real_as(command, &format!("#!/bin/sh\necho {version}\n"), hands).await
}

/// The same with this script as its program.
async fn real_as(command: &str, script: &str, mut hands: Hands) -> Real {
    let bin = TempDir::new().unwrap();
    let engine = match command {
        "codex-acp" => "codex",
        "claude-agent-acp" => "claude",
        same => same,
    };
    let file = bin.path().join(command);
    std::fs::write(&file, script).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap_or_default());
    hands.machine.env.insert("PATH".into(), path);
    for key in ["ANTHROPIC_API_KEY", "CODEX_API_KEY", "GEMINI_API_KEY"] {
        hands.machine.env.insert(key.into(), "key".into());
    }
    let begun = begin_with(hands).await;
    let input = json!({"prompt": "go", "projectId": begun.hub["id"], "engine": engine});
    let id = begun.program.owner("sessions.create", input).await.unwrap()["id"].as_str().unwrap().to_owned();
    Real { begun, id, _bin: bin }
}

pub(super) fn end(heard: &Value) -> Value {
    answer(heard, json!({"stopReason": "end_turn"}))
}

pub(super) fn said(text: &str) -> Value {
    update(json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}))
}

#[tokio::test]
async fn a_turn_of_gemini_without_an_answer_is_tried_again_and_not_done() {
    let prompts = Arc::new(Mutex::new(0));
    let count = prompts.clone();
    let Real { begun, id, _bin } = real(
        "gemini",
        "0.61.0",
        scripted(move |heard| {
            if !is(heard, "session/prompt") {
                return None;
            }
            *count.lock().unwrap() += 1;
            // The stream to the model was cut after a thought, which Gemini does not report.
            let thought = json!({"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": "Hm"}});
            Some(if *count.lock().unwrap() == 1 {
                vec![update(thought), end(heard)]
            } else {
                vec![said("Done."), end(heard)]
            })
        }),
    )
    .await;
    let session = begun.until(&id, "retrying").await;
    assert!(session["detail"]["until"].is_i64(), "{session}");
    let entries = begun.entries(&id).await;
    let ended = entries.iter().find(|entry| entry["told"]["event"] == "turnEnded").unwrap();
    assert_eq!(ended["told"]["failure"]["kind"], "transient");
    assert!(ended["told"]["detail"].as_str().unwrap().contains("without a response"), "{ended}");
    begun.later(&id, "idle").await;
    assert_eq!(*prompts.lock().unwrap(), 2);
}

#[tokio::test]
async fn a_silent_end_behind_a_warning_is_the_failure_that_was_warned_of() {
    for (warned, state) in [("Reconnecting after: stream disconnected", "retrying"), ("", "idle")] {
        let begun = begin_with(scripted(move |heard| {
            is(heard, "session/prompt").then(|| {
                let failure = json!({"severity": "warning", "category": "connection", "title": warned});
                let meta = json!({"jetbrains": {"air": {"sessionFailure": failure}}});
                let warning = update(json!({"sessionUpdate": "session_info_update", "_meta": meta}));
                if warned.is_empty() { vec![end(heard)] } else { vec![warning, end(heard)] }
            })
        }))
        .await;
        let id = begun.start("go").await;
        begun.holds("the end of the turn", async || begun.get(&id).await["turns"] == 1).await;
        begun.until(&id, state).await;
        // While an engine tries again without our help, the state has no time.
        let has_time = async || begun.get(&id).await["detail"]["until"].is_i64();
        if state == "retrying" {
            begun.holds("the time of the next try", has_time).await;
        }
    }
}

#[tokio::test]
async fn a_silent_end_behind_an_error_on_standard_error_is_that_failure() {
    for (written, state) in [("Error: 429 Too Many Requests", "retrying"), ("Loaded 3 plugins", "idle")] {
        let Real { begun, id, _bin } = real(
            "opencode",
            "1.18.0",
            scripted_with_error(written, |heard| is(heard, "session/prompt").then(|| vec![end(heard)])),
        )
        .await;
        begun.until(&id, state).await;
        let entries = begun.entries(&id).await;
        let ended = entries.iter().find(|entry| entry["told"]["event"] == "turnEnded").unwrap();
        if state == "retrying" {
            assert_eq!(ended["told"]["failure"], json!({"kind": "transient", "what": "rate"}));
            assert!(ended["told"]["detail"].as_str().unwrap().contains(written), "{ended}");
        } else {
            assert!(ended["told"]["failure"].is_null(), "{ended}");
        }
    }
}

#[tokio::test]
async fn a_turn_that_opencode_ends_for_a_denied_request_is_not_done_and_says_so() {
    let asked: Arc<Mutex<Value>> = Arc::default();
    let Real { begun, id, _bin } = real(
        "opencode",
        "1.18.0",
        scripted(move |heard| {
            let mut prompt = asked.lock().unwrap();
            if is(heard, "session/prompt") {
                *prompt = heard.clone();
                return Some(vec![said("I will run it."), asks(1, &["allow_once", "reject_once"])]);
            }
            // The answer to the request ends the turn, whatever it is.
            heard["result"]["outcome"].is_object().then(|| {
                let failed = json!({"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "failed"});
                vec![update(failed), end(&prompt)]
            })
        }),
    )
    .await;
    let ask = begun.asked(&id).await;
    begun.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask, "allow": false})).await.unwrap();
    let session = begun.until(&id, "idle").await;
    assert_eq!(
        (&session["need"]["need"], &session["need"]["stop"]),
        (&json!("cutShort"), &json!("denied")),
        "{session}"
    );
    assert_eq!(begun.rows().await.last().unwrap(), &("session".to_owned(), String::new()));
    begun.program.owner("sessions.message", json!({"sessionId": id, "prompt": "again"})).await.unwrap();
    let ask = begun.asked(&id).await;
    begun.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask, "allow": true})).await.unwrap();
    let session = begun.until(&id, "idle").await;
    assert!(session["need"].is_null(), "one that was allowed ends well: {session}");
}

#[tokio::test]
async fn a_session_killed_in_its_first_turn_goes_on_in_a_new_one_and_each_message_is_sent_once() {
    let prompts: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = prompts.clone();
    let Real { begun, id, _bin } = real(
        "gemini",
        "0.61.0",
        scripted(move |heard| match heard["method"].as_str()? {
            "initialize" => {
                let can = json!({"loadSession": true, "sessionCapabilities": {"systemPrompt": {}}});
                Some(vec![answer(heard, json!({"protocolVersion": 1, "agentCapabilities": can}))])
            }
            "session/load" => {
                let details = json!({"details": "Invalid session identifier \"s\"."});
                let mut failed = error(heard, -32603, "Internal error");
                failed["error"]["data"] = details;
                Some(vec![failed])
            }
            "session/prompt" => {
                let mut prompts = told.lock().unwrap();
                prompts.push(text_of(heard));
                // The first turn is still at work when the program ends.
                Some(if prompts.len() == 1 { Vec::new() } else { vec![said("Done."), end(heard)] })
            }
            _ => None,
        }),
    )
    .await;
    begun.until(&id, "running").await;
    begun.program.owner("sessions.message", json!({"sessionId": id, "prompt": "and this"})).await.unwrap();
    let begun = begun.crash().await;
    begun.later(&id, "idle").await;
    begun.holds("both messages", async || prompts.lock().unwrap().len() == 3).await;
    let sent = prompts.lock().unwrap().clone();
    assert_eq!((&*sent[0], &*sent[2]), ("go", "and this"), "{sent:?}");
    assert!(sent[1].ends_with("go") && sent[1].contains("your earlier session is no longer available"), "{sent:?}");
    let entries = begun.entries(&id).await;
    let notes = entries.iter().filter(|entry| entry["entry"] == "prompt").map(|entry| entry["note"].as_str().unwrap());
    let notes: Vec<&str> = notes.collect();
    assert_eq!(notes.len(), 3);
    assert!(
        notes[0].is_empty() && notes[1].contains("earlier session is no longer available") && notes[2].is_empty(),
        "{notes:?}"
    );
    assert!(entries.iter().any(|entry| entry["why"].as_str().is_some_and(|why| why.contains("starting a new one"))));
}

/// A command that writes so many lines, a piece with each update.
fn long_command(heard: &Value, pieces: usize) -> Vec<Value> {
    let tool = |more: Value| {
        let mut told = json!({"sessionUpdate": "tool_call_update", "toolCallId": "c"});
        told.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        update(told)
    };
    let begins = json!({"sessionUpdate": "tool_call", "status": "in_progress", "kind": "execute", "title": "build"});
    let mut told = vec![tool(begins), tool(json!({"rawInput": {"command": "build"}}))];
    let mut all = String::new();
    told.extend((0..pieces).map(|piece| {
        all += &format!("piece{piece}x {}\n", "output ".repeat(100));
        tool(json!({"content": [{"type": "content", "content": {"type": "text", "text": all}}]}))
    }));
    told.extend([tool(json!({"status": "completed"})), said("Built."), end(heard)]);
    told
}

#[tokio::test]
async fn output_of_a_command_is_stored_once_and_exported_and_found_once() {
    const PIECES: usize = 40;
    let begun = begin_with(scripted(|heard| is(heard, "session/prompt").then(|| long_command(heard, PIECES)))).await;
    let id = begun.start("go").await;
    begun.until(&id, "idle").await;
    let entries = begun.entries(&id).await;
    let stored: usize = entries.iter().map(|entry| entry.to_string().len()).sum();
    let output = PIECES * "output ".len() * 100;
    assert!(stored < output + output / 2, "{stored} bytes for {output} of output");
    let parts: Vec<&str> = entries.iter().filter_map(|entry| entry["told"]["more"].as_str()).collect();
    assert!(parts.iter().filter(|part| part.contains("piece")).count() > 1, "who looks on sees it grow");
    assert!((0..PIECES).all(|piece| parts.concat().matches(&format!("piece{piece}x")).count() == 1));
    let jsonl = begun.export(&id, "jsonl").await;
    assert_eq!(jsonl.matches("piece7x").count(), 1);
    for form in ["markdown", "html"] {
        let text = begun.export(&id, form).await;
        let at = |piece: usize| text.match_indices(&format!("piece{piece}x")).map(|(at, _)| at).collect::<Vec<_>>();
        for piece in 0..PIECES {
            assert_eq!(at(piece).len(), 1, "{form} has piece {piece} once");
            assert!(piece == 0 || at(piece - 1) < at(piece));
        }
        assert_eq!(text.matches("build").count(), 2, "its title and its command stand in front of it");
    }
    begun.fill().await;
    for piece in [0, 7, PIECES - 1] {
        let found = begun.find(json!({"q": format!("piece{piece}x")})).await;
        assert_eq!(found["items"].as_array().unwrap().len(), 1, "{found}");
    }
}

/// An agent with Codex's modes, which is in this one now.
fn modes(current: &str) -> Value {
    let options: Vec<Value> = ["read-only", "workspace-write", "agent", "agent-full-access"]
        .iter()
        .map(|one| json!({"value": one, "name": one}))
        .collect();
    let ways = json!([{"value": "default", "name": "Default"}, {"value": "plan", "name": "Plan"}]);
    json!([
        {"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": current, "options": options},
        {"id": "collaboration_mode", "name": "Collaboration mode", "category": "collaboration_mode", "type": "select", "currentValue": "default", "options": ways},
    ])
}

fn opens_in(heard: &Value, mode: &str) -> Vec<Value> {
    vec![answer(heard, json!({"sessionId": "s", "configOptions": modes(mode)}))]
}

#[tokio::test]
async fn codex_is_held_in_the_mode_of_its_level_where_it_goes_into_a_wider_one() {
    for (wide, level, is_put_back) in [
        ("agent", "guarded", true),
        ("agent", "autonomous", true),
        ("agent-full-access", "read_only", true),
        ("workspace-write", "guarded", false),
        ("agent", "full", false),
    ] {
        let set: Arc<Mutex<Vec<String>>> = Arc::default();
        let told = set.clone();
        let hands = scripted(move |heard| match heard["method"].as_str()? {
            "session/new" => Some(opens_in(heard, "agent")),
            "session/set_config_option" => {
                let mode = heard["params"]["value"].as_str().unwrap();
                told.lock().unwrap().push(mode.to_owned());
                Some(vec![answer(heard, json!({"configOptions": modes(mode)}))])
            }
            "session/prompt" => {
                let changed = json!({"sessionUpdate": "current_mode_update", "currentModeId": wide});
                Some(vec![update(changed), said("Done."), end(heard)])
            }
            _ => None,
        });
        hands.set(&[("agentPermissionLevel", json!(level))]);
        let Real { begun, id, _bin } = real("codex-acp", "2.6.0", hands).await;
        begun.until(&id, "idle").await;
        // Its own sandbox is off, as ours and the hook hold it.
        let of_level = if level == "read_only" { "read-only" } else { "agent-full-access" };
        let noted = async || {
            let entries = begun.entries(&id).await;
            entries
                .iter()
                .any(|entry| entry["entry"] == "note" && entry["why"].as_str().unwrap().contains("Reverted to"))
        };
        if is_put_back {
            begun.holds("a note", noted).await;
            assert_eq!(*set.lock().unwrap(), [of_level, of_level], "{wide} at {level}");
            assert_eq!(begun.get(&id).await["mode"], of_level);
            let choice = &begun.get(&id).await["choices"][0]["options"];
            let name = choice.as_array().unwrap().iter().find(|option| option["value"] == of_level).unwrap();
            assert_eq!(name["name"], if level == "read_only" { "read-only" } else { "Pilothouse decides" });
        } else {
            assert!(!noted().await);
            assert_eq!(*set.lock().unwrap(), [of_level], "{wide} at {level}");
        }
        for mode in ["agent", "agent-full-access"] {
            let chosen = begun.program.owner("sessions.change", json!({"sessionId": id, "mode": mode})).await;
            match level {
                "full" => drop(chosen.unwrap()),
                _ => drop(refused(chosen, "mode-too-wide")),
            }
        }
    }
}

#[tokio::test]
async fn codex_plans_although_planning_is_no_mode_of_it() {
    let set: Arc<Mutex<Vec<Value>>> = Arc::default();
    let told = set.clone();
    let hands = scripted(move |heard| match heard["method"].as_str()? {
        "session/new" => Some(opens_in(heard, "agent")),
        "session/set_config_option" => {
            let (option, value) = (&heard["params"]["configId"], &heard["params"]["value"]);
            told.lock().unwrap().push(json!([option, value]));
            let mode = if option == "mode" { value.as_str().unwrap() } else { "agent-full-access" };
            Some(vec![answer(heard, json!({"configOptions": modes(mode)}))])
        }
        "session/prompt" => Some(vec![said("Done."), end(heard)]),
        _ => None,
    });
    let Real { begun, id, _bin } = real("codex-acp", "2.6.0", hands).await;
    begun.until(&id, "idle").await;
    set.lock().unwrap().clear();
    let input = json!({"prompt": "go", "projectId": begun.hub["id"], "engine": "codex", "mode": "plan"});
    let planning = begun.program.owner("sessions.create", input).await.unwrap();
    begun.until(planning["id"].as_str().unwrap(), "idle").await;
    assert_eq!(json!(*set.lock().unwrap()), json!([["mode", "agent-full-access"], ["collaboration_mode", "plan"]]));
}

#[tokio::test]
async fn codex_that_stays_in_another_mode_than_it_was_told_is_not_used() {
    let hands = scripted(|heard| match heard["method"].as_str()? {
        "session/new" => Some(opens_in(heard, "read-only")),
        "session/set_config_option" => Some(vec![answer(heard, json!({"configOptions": modes("agent")}))]),
        _ => None,
    });
    let Real { begun, id, _bin } = real("codex-acp", "2.6.0", hands).await;
    let session = begun.until(&id, "failed").await;
    let detail = session["detail"]["detail"].as_str().unwrap();
    assert!(detail.contains("\"agent-full-access\"") && detail.contains("is in \"agent\""), "{detail}");
    assert_eq!(begun.count(&id, "prompt").await, 0);
}

/// An agent as a process: its turn starts a command in the background, which goes on when the turn is canceled.
const OUTLIVED: &str = r#"#!/bin/sh
PATH=/usr/bin:/bin
if [ "$1" = --version ]; then echo 2.6.0; exit; fi
result() { echo "{\"jsonrpc\":\"2.0\",\"id\":$1,\"result\":$2}"; }
while read -r line; do
  id=$(printf %s "$line" | sed -n 's/.*"id":\([0-9]*\)[,}].*/\1/p')
  case "$line" in
  *'"initialize"'*) result "$id" '{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"resume":{}}}}' ;;
  *'"session/new"'* | *'"session/resume"'*) result "$id" '{"sessionId":"s"}' ;;
  *'"session/prompt"'*)
    prompt=$id
    setsid sleep 1000 > /dev/null 2>&1 &
    echo $! > "$HOME/sleeps"
    echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"sleep 1000","kind":"execute","status":"in_progress","rawInput":{"command":"sleep 1000"}}}}' ;;
  *'"session/cancel"'*) result "$prompt" '{"stopReason":"cancelled"}' ;;
  *) [ -n "$id" ] && result "$id" '{}' ;;
  esac
done
"#;

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_outlives_a_canceled_turn_is_shown_and_ends_with_the_session() {
    let home = TempDir::new().unwrap();
    let mut hands = Hands::new(Arc::new(|plan| {
        engines::process::start(&engines::LaunchPlan { sandbox: None, ..plan.clone() }, &Default::default())
    }));
    hands.machine.home = home.path().into();
    hands.machine.env.insert("HOME".into(), home.path().to_str().unwrap().into());
    let Real { begun, id, _bin } = real_as("codex-acp", OUTLIVED, hands).await;
    let shows_command = async || begun.entries(&id).await.iter().any(|entry| entry["told"]["tool"]["id"] == "c");
    begun.holds("a command", shows_command).await;
    let pid = std::fs::read_to_string(home.path().join("sleeps")).unwrap();
    let runs = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z")
    };
    begun.program.owner("sessions.cancel", json!({"sessionId": id})).await.unwrap();
    let session = begun.until(&id, "idle").await;
    assert_eq!((runs(), &session["leftRunning"]), (true, &json!(["sleep 1000"])), "{session}");
    let entries = begun.entries(&id).await;
    let note = entries.iter().find(|entry| entry["entry"] == "note").unwrap()["why"].as_str().unwrap();
    assert!(note.contains("`sleep 1000`") && note.contains("Stop the session"), "{note}");
    begun.program.owner("sessions.stop", json!({"sessionId": id})).await.unwrap();
    let session = begun.until(&id, "stopped").await;
    assert_eq!((runs(), &session["leftRunning"]), (false, &json!([])), "{session}");
}
