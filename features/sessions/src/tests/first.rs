//! The first session of a newcomer is whole: it reads, asks once, goes on when it may, and ends.

use super::practice::begin;
use crate::PracticeFolder;
use kit::{Caller, Kind};
use serde_json::json;
use std::sync::Arc;
use testkit::{ACCOUNT, refused};

#[tokio::test]
async fn the_practice_session_asks_once_and_ends_when_it_may() {
    let begun = begin().await;
    let program = &begun.program;
    let folder = begun.folder.path().join("practice");
    program.ctx.provide(Arc::new(PracticeFolder(folder.clone())));
    let made = program.owner("sessions.practice", json!({})).await.unwrap();
    let id = made["id"].as_str().unwrap();
    assert_eq!((&made["title"], &made["engine"]), (&json!("A first look"), &json!("practice")));
    begun.until(id, "awaitingPermission").await;
    assert!(folder.join("README.md").exists() && !folder.join("first-look.md").exists());
    let asks = program.owner("sessions.asks", json!({"sessionId": id})).await.unwrap();
    let answer = json!({"sessionId": id, "askId": asks["items"][0]["id"], "allow": true});
    program.owner("sessions.answer", answer).await.unwrap();
    begun.until(id, "finished").await;
    let asks = program.owner("sessions.asks", json!({"sessionId": id})).await.unwrap();
    assert_eq!(asks["items"].as_array().unwrap().len(), 1, "it asks once: {asks:#}");
    assert!(folder.join("first-look.md").exists());
    // The next one works in the same hub, and what the person wrote there stays.
    std::fs::write(folder.join("README.md"), "mine").unwrap();
    let again = program.owner("sessions.practice", json!({})).await.unwrap();
    assert_eq!(again["projectId"], made["projectId"]);
    assert_eq!(std::fs::read_to_string(folder.join("README.md")).unwrap(), "mine");
}

#[tokio::test]
async fn a_refused_practice_session_leaves_no_hub() {
    let begun = begin().await;
    let folder = begun.folder.path().join("practice");
    begun.program.ctx.provide(Arc::new(PracticeFolder(folder.clone())));
    let script = Caller::new(Kind::Cli, ACCOUNT, "cli");
    let hubs = begun.program.owner("hubs.list", json!({})).await.unwrap();
    let refusal = begun.program.as_caller(script, "sessions.practice", json!({})).await;
    refused(refusal, "source-session-required");
    assert!(!folder.exists());
    assert_eq!(begun.program.owner("hubs.list", json!({})).await.unwrap(), hubs);
}

#[tokio::test]
async fn a_session_that_has_ended_says_so_when_it_is_stopped() {
    let begun = begin().await;
    begun.program.ctx.provide(Arc::new(PracticeFolder(begun.folder.path().join("practice"))));
    let made = begun.program.owner("sessions.practice", json!({})).await.unwrap();
    let stop = json!({"sessionId": made["id"]});
    begun.until(made["id"].as_str().unwrap(), "awaitingPermission").await;
    begun.program.owner("sessions.stop", stop.clone()).await.unwrap();
    begun.until(made["id"].as_str().unwrap(), "stopped").await;
    let refusal = begun.program.owner("sessions.stop", stop).await.unwrap_err();
    assert_eq!((refusal.code().name, refusal.member("state")), ("not-now", Some(&json!("stopped"))));
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_said_and_no_agent_starts_one() {
    let begun = begin().await;
    let file = begun.folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    begun.program.ctx.provide(Arc::new(PracticeFolder(file.join("practice"))));
    refused(begun.program.owner("sessions.practice", json!({})).await, "hub-folder");
    let agent = Caller { session: Some("s1".into()), ..Caller::new(Kind::Agent, ACCOUNT, "t") };
    refused(begun.program.as_caller(agent, "sessions.practice", json!({})).await, "forbidden-caller");
}
