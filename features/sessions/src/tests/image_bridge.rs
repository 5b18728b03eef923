//! Images for an engine that can't see them, described by a model of the test's own.

use super::practice::{Begun, begin_on, begin_on_with};
use super::script::{is, scripted};
use super::titles::{features, with_model};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::refused;
use testkit::stub::{Reply, Stub};

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

type Sent = Arc<Mutex<Vec<Value>>>;

/// A session of an engine without images, and the prompts that reached it.
async fn blind(stub: &Stub, mode: &str) -> (Begun, Sent) {
    let sent: Sent = Arc::default();
    let record = sent.clone();
    let hands = scripted(move |heard| {
        if is(heard, "session/prompt") {
            record.lock().unwrap().push(heard["params"]["prompt"].clone());
        }
        None
    });
    hands.set(&[("imageBridgeMode", json!(mode)), ("sessionTitleStyle", json!("brief"))]);
    (with_model(begin_on_with(features, hands).await, stub).await, sent)
}

async fn start(place: &Begun) -> String {
    let image = json!({"media": "image/png", "data": PNG});
    // Named, so that no title is asked for.
    let input = json!({
        "engine": "practice", "prompt": "Look", "title": "T", "projectId": place.hub["id"], "images": [image, image]
    });
    place.program.owner("sessions.create", input).await.unwrap()["id"].as_str().unwrap().to_owned()
}

fn described() -> Reply {
    let answer = json!({"description": "A red button that says Stop."}).to_string();
    Reply::json(&json!({"choices": [{"message": {"content": answer}}]}))
}

async fn notes(place: &Begun, id: &str) -> Vec<String> {
    let entries = place.entries(id).await;
    let notes = entries.iter().filter(|entry| entry["entry"] == "note");
    notes.filter_map(|note| note["why"].as_str()).filter(|why| why.starts_with("Image")).map(str::to_owned).collect()
}

#[tokio::test]
async fn a_model_that_cannot_see_gets_a_description_and_no_image() {
    let stub = Stub::start(|_| described()).await;
    let (place, sent) = blind(&stub, "auto").await;
    let id = start(&place).await;
    place.until(&id, "idle").await;
    let prompts = sent.lock().unwrap().clone();
    assert_eq!(prompts.len(), 1);
    let text = prompts[0].to_string();
    assert!(!text.contains(PNG) && text.matches("A red button that says Stop.").count() == 2, "{text}");
    assert_eq!(stub.count(), 2, "one call an image");
    let body = stub.asked()[0].json();
    assert_eq!(body["messages"][0]["content"][1]["image_url"]["url"], format!("data:image/png;base64,{PNG}"));
    assert_eq!(notes(&place, &id).await, ["Image 1 described by small. Image 2 described by small"]);
}

#[tokio::test]
async fn off_asks_nobody_and_says_that_the_image_was_omitted() {
    let stub = Stub::start(|_| described()).await;
    let (place, sent) = blind(&stub, "off").await;
    let id = start(&place).await;
    place.until(&id, "idle").await;
    assert!(sent.lock().unwrap()[0].to_string().contains("an image was omitted"));
    let image = json!({"media": "image/png", "data": PNG});
    let more = json!({"sessionId": id, "prompt": "Look again", "images": [image]});
    refused(place.program.owner("sessions.message", more).await, "no-images");
    assert_eq!(stub.count(), 0);
}

#[tokio::test]
async fn an_engine_that_sees_gets_the_image_itself() {
    let stub = Stub::start(|_| described()).await;
    let place = with_model(begin_on(features).await, &stub).await;
    place.set(&[("imageBridgeMode", json!("auto"))]);
    let id = start(&place).await;
    place.until(&id, "idle").await;
    assert_eq!(stub.count(), 0);
}

#[tokio::test]
async fn a_model_that_fails_keeps_no_message_back() {
    let stub = Stub::start(|_| Reply::error(401, &json!({"error": {"message": "expired"}}))).await;
    let (place, sent) = blind(&stub, "auto").await;
    let id = start(&place).await;
    place.until(&id, "idle").await;
    assert!(sent.lock().unwrap()[0].to_string().contains("image 1 was omitted"));
    assert!(notes(&place, &id).await[0].contains("expired"));
}

#[tokio::test]
async fn a_turn_can_be_canceled_while_its_images_are_described() {
    let stub = Stub::start(|_| Reply::Hang).await;
    let (place, sent) = blind(&stub, "auto").await;
    let id = start(&place).await;
    while stub.count() == 0 {
        tokio::task::yield_now().await;
    }
    place.program.owner("sessions.cancel", json!({"sessionId": id})).await.unwrap();
    place.until(&id, "idle").await;
    assert_eq!(sent.lock().unwrap().len(), 0);
}
