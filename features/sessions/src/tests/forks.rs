//! Forks: a new session continues the conversation of another one from one of its messages.

use super::practice::{Begun, begin, begin_with};
use super::script::{answer, is, scripted, text_of, update};
use super::worktrees::{git, repository};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use testkit::refused;

impl Begun {
    async fn fork(&self, id: &str, more: Value) -> Value {
        let mut input = json!({"sessionId": id});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let made = self.program.owner("sessions.fork", input).await.unwrap();
        self.until(made["id"].as_str().unwrap(), "idle").await
    }

    async fn numbered(&self, id: &str) -> Vec<Value> {
        let read = self.program.owner("sessions.transcript", json!({"sessionId": id})).await.unwrap();
        read["entries"].as_array().unwrap().clone()
    }

    /// The number of the entry in which the agent says this.
    async fn said_in(&self, id: &str, text: &str) -> i64 {
        let entries = self.numbered(id).await;
        let says = |entry: &&Value| {
            let told = &entry["body"]["told"];
            told["event"] == "said" && told["chunk"]["text"].as_str().is_some_and(|said| said.contains(text))
        };
        entries.iter().find(says).unwrap_or_else(|| panic!("{text}: {entries:?}"))["number"].as_i64().unwrap()
    }
}

/// What engines were asked, and whether they copy sessions.
async fn heard(forks: bool) -> (Begun, Arc<Mutex<Vec<Value>>>) {
    let heard: Arc<Mutex<Vec<Value>>> = Arc::default();
    let hears = heard.clone();
    let begun = begin_with(scripted(move |message| {
        hears.lock().unwrap().push(message.clone());
        if is(message, "initialize") && forks {
            let can = json!({"sessionCapabilities": {"resume": {}, "fork": {}}});
            return Some(vec![answer(message, json!({"protocolVersion": 1, "agentCapabilities": can}))]);
        }
        if is(message, "session/fork") {
            return Some(vec![answer(message, json!({"sessionId": "copy"}))]);
        }
        let said = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Reply"}});
        let end = answer(message, json!({"stopReason": "end_turn"}));
        is(message, "session/prompt").then(|| vec![update(said), end])
    }))
    .await;
    (begun, heard)
}

fn last_prompt(heard: &Mutex<Vec<Value>>) -> String {
    let heard = heard.lock().unwrap();
    text_of(heard.iter().rfind(|message| is(message, "session/prompt")).unwrap())
}

fn asked(heard: &Mutex<Vec<Value>>, method: &str) -> usize {
    heard.lock().unwrap().iter().filter(|message| is(message, method)).count()
}

#[tokio::test]
async fn a_fork_at_the_newest_message_is_a_copy_of_the_engines_session() {
    let (place, heard) = heard(true).await;
    let id = place.start("First message").await;
    place.until(&id, "idle").await;
    let fork = place.fork(&id, json!({"prompt": "Another way"})).await;
    assert_eq!(asked(&heard, "session/fork"), 1);
    assert_eq!(last_prompt(&heard), "Another way", "the engine knows the rest");
    let from = &fork["forkedFrom"];
    assert_eq!(
        (&from["sessionId"], &from["title"], &from["message"]),
        (&json!(id), &json!("First message"), &json!(1))
    );
    assert_eq!((&fork["cwd"], &fork["parentId"]), (&place.get(&id).await["cwd"], &Value::Null));
    assert_eq!(place.get(&id).await["turns"], 1, "the other session stays as it is");
}

#[tokio::test]
async fn a_fork_at_an_earlier_message_gets_the_conversation_up_to_there_as_text() {
    let (place, heard) = heard(true).await;
    let id = place.start("First message").await;
    place.until(&id, "idle").await;
    let entry = place.said_in(&id, "Reply").await;
    place.say(&id, "Second message").await;
    place.holds("the second turn ends", async || place.get(&id).await["turns"] == 2).await;
    let fork = place.fork(&id, json!({"prompt": "Another way", "entry": entry})).await;
    assert_eq!(asked(&heard, "session/fork"), 0);
    let sent = last_prompt(&heard);
    assert!(sent.contains("First message") && sent.contains("Reply") && sent.ends_with("Another way"), "{sent}");
    assert!(!sent.contains("Second message"), "{sent}");
    let id = fork["id"].as_str().unwrap();
    let prompt = place.numbered(id).await.into_iter().find(|entry| entry["body"]["entry"] == "prompt").unwrap();
    assert_eq!(prompt["body"]["note"], "Sent with the earlier conversation.");
    // It's sent once.
    place.say(id, "Go on").await;
    place.holds("the next turn ends", async || place.get(id).await["turns"] == 2).await;
    assert_eq!(last_prompt(&heard), "Go on");
    // A fork of the fork has both conversations.
    place.said_in(id, "Reply").await;
    let again = place.fork(id, json!({"prompt": "Third way", "entry": prompt["number"]})).await;
    let sent = last_prompt(&heard);
    assert!(sent.contains("First message") && sent.contains("Another way") && !sent.contains("Go on"), "{sent}");
    assert_eq!(again["forkedFrom"]["sessionId"], id);
}

#[tokio::test]
async fn an_engine_that_copies_no_sessions_gets_the_newest_part_as_text() {
    let (place, heard) = heard(false).await;
    let id = place.start(&format!("Old part {} new part", "word ".repeat(25_000))).await;
    place.until(&id, "idle").await;
    place.fork(&id, json!({"prompt": "Another way"})).await;
    let sent = last_prompt(&heard);
    assert!(
        sent.contains("new part") && !sent.contains("Old part \nword") && sent.contains("Older parts are left out.")
    );
    assert!(sent.chars().count() < 101_000, "{}", sent.chars().count());
}

#[tokio::test]
async fn an_engine_that_no_longer_has_the_session_gets_its_text() {
    let place = begin().await;
    let id = place.start("practice: say One").await;
    place.until(&id, "idle").await;
    let fork = place.fork(&id, json!({"prompt": "practice: say Two"})).await;
    place.said_in(fork["id"].as_str().unwrap(), "Two").await;
    // Only the script of the new message is run.
    let entry = place.said_in(&id, "One").await;
    place.say(&id, "practice: say Three").await;
    place.holds("the second turn ends", async || place.get(&id).await["turns"] == 2).await;
    let fork = place.fork(&id, json!({"prompt": "practice: say Four", "entry": entry})).await;
    place.said_in(fork["id"].as_str().unwrap(), "Four").await;
}

#[tokio::test]
async fn a_fork_has_a_worktree_from_the_same_commit_if_the_session_has_one() {
    let place = repository().await;
    let input = json!({
        "engine": "practice", "prompt": "practice: write new.txt made", "projectId": place.hub["id"], "worktree": true,
    });
    let made = place.program.owner("sessions.create", input).await.unwrap();
    let id = made["id"].as_str().unwrap();
    let session = place.until(id, "idle").await;
    let folder = Path::new(session["cwd"].as_str().unwrap());
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "-m", "two"]);
    std::fs::write(folder.join("open.txt"), "not committed").unwrap();
    let fork = place.fork(id, json!({"prompt": "practice: say Hi"})).await;
    let own = Path::new(fork["cwd"].as_str().unwrap());
    assert_ne!(own, folder);
    assert_eq!(git(own, &["rev-parse", "HEAD"]), git(folder, &["rev-parse", "HEAD"]));
    assert!(own.join("new.txt").exists() && !own.join("open.txt").exists());
    let changes = place.program.owner("sessions.changes.list", json!({"sessionId": fork["id"]})).await.unwrap();
    assert_eq!((&changes["base"], &changes["ahead"]), (&json!("main"), &json!(1)), "it's compared with the same base");
    let fork = place.fork(id, json!({"prompt": "practice: say Hi", "worktree": false})).await;
    assert_eq!(fork["cwd"], session["cwd"]);
}

#[tokio::test]
async fn a_fork_needs_an_entry_of_the_transcript_and_a_folder() {
    let place = begin().await;
    let id = place.start("practice: say One").await;
    place.until(&id, "idle").await;
    let last = place.get(&id).await["lastEntry"].as_i64().unwrap();
    for entry in [0, last + 1] {
        let input = json!({"sessionId": id, "entry": entry, "prompt": "practice: say Two"});
        refused(place.program.owner("sessions.fork", input).await, "invalid-input");
    }
    std::fs::remove_dir(place.folder.path()).unwrap();
    let input = json!({"sessionId": id, "prompt": "practice: say Two"});
    refused(place.program.owner("sessions.fork", input).await, "hub-folder");
}
