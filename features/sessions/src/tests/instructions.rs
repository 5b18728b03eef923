//! What sessions are told before their first message, and at the end of each.

use super::practice::{Begun, Hands, begin, begin_with};
use super::real_engines::{Real, end, real, said};
use super::script::{answer, is, scripted, text_of};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::refused;

/// The settings that add blocks.
const ALL: [&str; 6] = [
    "audienceStylePromptEnabled",
    "defaultAgentInstructionsEnabled",
    "engineeringPrinciplesPromptEnabled",
    "executionBiasPromptEnabled",
    "personaPromptEnabled",
    "shellCwdPersistNudgeEnabled",
];

const DEFAULT: [&str; 4] = ["attribution", "cloud-safety", "private-repositories", "readme-standards"];

async fn shown(begun: &Begun, id: &str) -> Value {
    begun.program.owner("sessions.instructions", json!({"sessionId": id})).await.unwrap()
}

fn ids(shown: &Value) -> Vec<&str> {
    shown["blocks"].as_array().unwrap().iter().map(|block| block["id"].as_str().unwrap()).collect()
}

fn joined(shown: &Value) -> String {
    let texts = shown["blocks"].as_array().unwrap().iter().map(|block| block["text"].as_str().unwrap());
    texts.collect::<Vec<_>>().join("\n\n")
}

#[tokio::test]
async fn a_session_gets_what_is_shown_and_the_same_after_a_restart() {
    let begun = begin().await;
    let custom = "Mine,\n  verbatim.";
    begun.set(&[("defaultAgentInstructionsCustom", json!(custom)), ("personaPromptEnabled", json!(true))]);
    let id = begun.start("practice: instructions").await;
    begun.until(&id, "idle").await;
    let told = shown(&begun, &id).await;
    let expected =
        [&["shell-folder"][..], &DEFAULT, &["engineering-principles", "execution-bias", "persona", "custom"]];
    assert_eq!(ids(&told), expected.concat());
    let text = joined(&told);
    assert!(text.ends_with(&format!("\n\n{custom}")));
    assert_eq!(begun.said(&id).await.matches(&*text).count(), 1, "exactly that, once");
    let sum: i64 = told["blocks"].as_array().unwrap().iter().map(|block| block["tokens"].as_i64().unwrap()).sum();
    assert!((sum - told["tokens"].as_i64().unwrap()).abs() < 10 && sum > 100, "{told}");
    assert!(told["composedAt"].is_string() && told["eachMessage"].is_null());
    // Changes are for new sessions.
    begun.set(&[
        ("defaultAgentInstructionsCustom", json!("Another")),
        ("defaultAgentInstructionsEnabled", json!(false)),
    ]);
    let begun = begun.crash().await;
    begun.later(&id, "idle").await;
    assert_eq!(shown(&begun, &id).await, told);
    let again = json!({"sessionId": id, "prompt": "practice: instructions"});
    begun.program.owner("sessions.message", again).await.unwrap();
    begun.holds("the second turn", async || begun.get(&id).await["turns"] == 2).await;
    assert_eq!(begun.said(&id).await.matches(&*text).count(), 2, "once in each turn");
    let new = begun.start("practice: instructions").await;
    begun.until(&new, "idle").await;
    let told = shown(&begun, &new).await;
    assert_eq!(ids(&told), ["shell-folder", "engineering-principles", "execution-bias", "custom"]);
    begun.set(&ALL.map(|key| (key, json!(false))));
    let none = begun.start("practice: instructions").await;
    begun.until(&none, "idle").await;
    assert_eq!(shown(&begun, &none).await["blocks"], json!([]));
}

/// An agent of Claude's kind or another, which records what it is told: the method, and the system prompt or the prompt.
fn recording(takes_param: bool) -> (Hands, Arc<Mutex<Vec<Value>>>) {
    let heard: Arc<Mutex<Vec<Value>>> = Arc::default();
    let record = heard.clone();
    let hands = scripted(move |message| {
        record.lock().unwrap().push(message.clone());
        if is(message, "initialize") {
            let mut can = json!({"resume": {}});
            if takes_param {
                can["systemPrompt"] = json!({});
            }
            let agent = json!({"protocolVersion": 1, "agentCapabilities": {"sessionCapabilities": can}});
            return Some(vec![answer(message, agent)]);
        }
        is(message, "session/prompt").then(|| vec![said("Done."), end(message)])
    });
    (hands, heard)
}

fn all_of(heard: &Mutex<Vec<Value>>, method: &str) -> Vec<Value> {
    heard.lock().unwrap().iter().filter(|message| is(message, method)).cloned().collect()
}

#[tokio::test]
async fn claude_gets_them_as_its_system_prompt_also_when_it_resumes() {
    let (hands, heard) = recording(true);
    let Real { begun, id, _bin } = real("claude-agent-acp", "0.100.0", hands).await;
    begun.until(&id, "idle").await;
    let begun = begun.crash().await;
    begun.later(&id, "idle").await;
    begun.program.owner("sessions.message", json!({"sessionId": id, "prompt": "more"})).await.unwrap();
    begun.holds("the second turn", async || begun.get(&id).await["turns"] == 2).await;
    let text = joined(&shown(&begun, &id).await);
    assert!(text.contains("persists between commands") && text.contains("## No attribution"));
    for method in ["session/new", "session/resume"] {
        let told = all_of(&heard, method);
        let prompt = json!({"mode": "append", "content": [{"type": "text", "text": text}]});
        assert_eq!((told.len(), &told[0]["params"]["systemPrompt"]), (1, &prompt), "{method}");
    }
    assert_eq!(all_of(&heard, "session/prompt").iter().map(text_of).collect::<Vec<_>>(), ["go", "more"]);
}

#[tokio::test]
async fn an_agent_without_a_way_gets_them_in_front_of_its_first_message_and_nobody_sees_them_there() {
    let (hands, heard) = recording(false);
    let Real { begun, id, _bin } = real("gemini", "0.61.0", hands).await;
    begun.until(&id, "idle").await;
    let begun = begun.crash().await;
    begun.later(&id, "idle").await;
    begun.program.owner("sessions.message", json!({"sessionId": id, "prompt": "more"})).await.unwrap();
    begun.holds("the second turn", async || begun.get(&id).await["turns"] == 2).await;
    let told = shown(&begun, &id).await;
    assert_eq!(
        ids(&told),
        ["shell-folder", "engineering-principles", "execution-bias"],
        "the rest is the primary engine's"
    );
    let text = joined(&told);
    let prompts: Vec<String> = all_of(&heard, "session/prompt").iter().map(text_of).collect();
    assert_eq!(prompts, [format!("{text}\ngo"), "more".to_owned()]);
    let transcript = json!(begun.entries(&id).await).to_string();
    assert!(transcript.contains("more") && !transcript.contains("Engineering habits"), "{transcript}");
    assert_eq!(begun.get(&id).await["title"], "go");
}

#[tokio::test]
async fn every_turn_ends_with_the_reminders_while_they_are_on_and_the_transcript_has_none() {
    let (hands, heard) = recording(true);
    hands.set(&[("keyRemindersPromptEnabled", json!(true))]);
    let Real { begun, id, _bin } = real("claude-agent-acp", "0.100.0", hands).await;
    begun.until(&id, "idle").await;
    let say = async |text: &str, turns: i64| {
        begun.program.owner("sessions.message", json!({"sessionId": id, "prompt": text})).await.unwrap();
        begun.holds("the turn", async || begun.get(&id).await["turns"] == turns).await;
    };
    say("second", 2).await;
    // A command has to stay alone.
    say("/compact", 3).await;
    let reminders = shown(&begun, &id).await["eachMessage"].as_str().unwrap().to_owned();
    let hub = json!({"hubId": begun.hub["id"], "preset": "key-reminders", "text": "Test it."});
    begun.program.owner("hubs.instructions.set", hub).await.unwrap();
    say("fourth", 4).await;
    begun.set(&[]);
    say("fifth", 5).await;
    let blocks: Vec<Vec<String>> = all_of(&heard, "session/prompt")
        .iter()
        .map(|prompt| {
            let blocks = prompt["params"]["prompt"].as_array().unwrap();
            blocks.iter().map(|block| block["text"].as_str().unwrap().to_owned()).collect()
        })
        .collect();
    let own = "<reminders>\nTest it.\n</reminders>";
    assert_eq!(
        blocks,
        [vec!["go", &reminders], vec!["second", &reminders], vec!["/compact"], vec!["fourth", own], vec!["fifth"]]
    );
    assert!(!json!(begun.entries(&id).await).to_string().contains("reminders>"));
}

#[tokio::test]
async fn a_hub_has_texts_of_its_own_for_its_new_sessions() {
    let begun = begin().await;
    let owner = async |op: &str, mut input: Value| {
        input["hubId"] = begun.hub["id"].clone();
        begun.program.owner(op, input).await
    };
    let list = owner("hubs.instructions.list", json!({})).await.unwrap();
    let presets = list["items"].as_array().unwrap();
    assert_eq!(presets.len(), 9);
    assert!(presets.iter().all(|one| one["isEdited"] == false && one["text"] == one["defaultText"]));
    let second = owner("hubs.instructions.list", json!({"limit": 1, "cursor": "attribution"})).await.unwrap();
    assert_eq!(
        (&second["items"][0]["preset"], &second["nextCursor"]),
        (&json!("cloud-safety"), &json!("cloud-safety"))
    );
    let set = async |text: &str| owner("hubs.instructions.set", json!({"preset": "cloud-safety", "text": text})).await;
    let own = "Nothing in\r\n\tthe cloud: ünï \u{1f600}";
    assert_eq!(set(own).await.unwrap()["isEdited"], true);
    // What is rejected changes nothing.
    for (text, code) in [("x".repeat(10_001), "wrong-length"), ("a\u{0}b".to_owned(), "control-character")] {
        let told = refused(set(&text).await, "invalid-input");
        assert_eq!(told.fields()[0].code.name(), code);
    }
    let missing = owner("hubs.instructions.set", json!({"preset": "other", "text": "x"})).await;
    assert!(refused(missing, "not-found").detail().contains("persona"), "it names those there are");
    let got = owner("hubs.instructions.get", json!({"preset": "cloud-safety"})).await.unwrap();
    assert_eq!((&got["text"], &got["isEdited"]), (&json!(own), &json!(true)));
    let blocks = async || {
        let id = begun.start("practice: instructions").await;
        begun.until(&id, "idle").await;
        (shown(&begun, &id).await, begun.said(&id).await)
    };
    let (told, said) = blocks().await;
    let block = &told["blocks"][2];
    assert_eq!((&block["id"], &block["source"], &block["text"]), (&json!("cloud-safety"), &json!("hub"), &json!(own)));
    assert!(said.contains(own) && !said.contains("## Cloud safety"));
    assert_eq!(set(" \n").await.unwrap()["text"], "");
    assert!(!ids(&blocks().await.0).contains(&"cloud-safety"), "left out");
    let reset = owner("hubs.instructions.reset", json!({"preset": "cloud-safety"})).await.unwrap();
    assert_eq!((&reset["isEdited"], &reset["text"]), (&json!(false), &reset["defaultText"]));
    assert!(blocks().await.1.contains("## Cloud safety"));
    // Other hubs keep the default, and a hub takes its texts with it.
    set(own).await.unwrap();
    let other = tempfile::TempDir::new().unwrap();
    let other = begun.program.owner("hubs.create", json!({"folder": other.path()})).await.unwrap();
    let input = json!({"hubId": other["id"], "preset": "cloud-safety"});
    assert_eq!(begun.program.owner("hubs.instructions.get", input).await.unwrap()["isEdited"], false);
    owner("hubs.delete", json!({})).await.unwrap();
    let count = |tx: &mut store::Tx<'_>| tx.query_one("SELECT count(*) FROM hub_presets", &[], |row| row.get::<i64>(0));
    assert_eq!(store::HasDb::db(&begun.program.ctx).read(count).await.unwrap(), 0);
}

#[tokio::test]
async fn a_session_from_before_stays_without() {
    let begun = begin_with(Hands::new(Arc::new(super::practice::start_here))).await;
    let id = begun.start("practice: say hi").await;
    begun.until(&id, "idle").await;
    let forget = |tx: &mut store::Tx<'_>| tx.execute("DELETE FROM session_starts", &[]).map(drop);
    store::HasDb::db(&begun.program.ctx).write(forget).await.unwrap();
    let begun = begun.crash().await;
    begun.later(&id, "idle").await;
    let told = shown(&begun, &id).await;
    assert_eq!((&told["blocks"], &told["composedAt"]), (&json!([]), &Value::Null));
}
