//! Ask: a session in the tutor's hub.

use super::practice::begin;
use serde_json::json;
use testkit::refused;

#[tokio::test]
async fn a_question_starts_a_session_that_knows_the_documentation_and_the_state() {
    let place = begin().await;
    let waiting = place.start("practice: run rm -rf build; say done").await;
    place.until(&waiting, "awaitingPermission").await;
    let ask = json!({"prompt": "practice: say Hello", "engine": "practice"});
    let made = place.program.owner("ask.start", ask.clone()).await.unwrap();
    let id = made["id"].as_str().unwrap();
    place.until(id, "idle").await;
    let told = place.program.owner("sessions.instructions", json!({"sessionId": id})).await.unwrap().to_string();
    for part in
        ["Publish a dashboard", "docs.search", "Glossary", "Hubs (2)", "Sessions that need the user: 1", "Practice"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains("Bearer ey"), "no token is in it");
    let other = place.program.owner("sessions.instructions", json!({"sessionId": waiting})).await.unwrap();
    assert!(!other.to_string().contains("You are the tutor"), "other sessions aren't tutors");

    let hubs = place.program.owner("hubs.list", json!({})).await.unwrap();
    let hub = hubs["items"].as_array().unwrap().iter().find(|hub| hub["purpose"] == "tutor").unwrap().clone();
    assert_eq!((&hub["name"], &hub["sessionCount"]), (&json!("Ask Pilothouse"), &json!(1)));
    place.program.owner("ask.start", ask.clone()).await.unwrap();
    let hubs = place.program.owner("hubs.list", json!({})).await.unwrap();
    assert_eq!(hubs["items"].as_array().unwrap().len(), 2, "there is one such hub");

    place.set(&[("askAppEnabled", json!(false))]);
    refused(place.program.owner("ask.start", ask).await, "ask-disabled");
    let hubs = place.program.owner("hubs.list", json!({})).await.unwrap();
    assert_eq!(hubs["items"].as_array().unwrap().len(), 1);
    assert_eq!(place.get(id).await["id"], id, "its sessions stay");
}

#[tokio::test]
async fn an_engine_that_is_not_there_is_named() {
    let place = begin().await;
    let failed = place.program.owner("ask.start", json!({"prompt": "Hello", "engine": "claude"})).await;
    assert!(format!("{failed:?}").contains("Claude"));
    refused(failed, "engine-not-installed");
}
