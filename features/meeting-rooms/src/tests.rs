use crate::feature;
use kit::lookup::OpenPage;
use kit::{Caller, Kind, SettingsSource};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::{ACCOUNT, Program, refused};

/// The feature, on or off.
struct Enabled(bool);

impl SettingsSource for Enabled {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        (key == "meetingRoomsEnabled").then(|| json!(self.0))
    }
}

async fn start() -> Program {
    let program = Program::start(|| vec![feature()]).await;
    program.ctx.provide_settings(Arc::new(Enabled(true)));
    program
}

async fn ask(program: &Program, op: &str, input: Value) -> Value {
    program.owner(op, input).await.unwrap_or_else(|error| panic!("{op}: {error:?}"))
}

async fn add(program: &Program, name: &str) -> String {
    let input = json!({"name": name, "address": format!("https://meet.example/{name}")});
    ask(program, "rooms.create", input).await["id"].as_str().unwrap().to_owned()
}

async fn names(program: &Program) -> String {
    let items = ask(program, "rooms.list", json!({})).await["items"].as_array().unwrap().clone();
    items.iter().map(|item| item["name"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn rooms_are_added_changed_moved_deleted_and_restored_across_a_restart() {
    let program = start().await;
    let (a, b, c) = (add(&program, "a").await, add(&program, "b").await, add(&program, "c").await);
    ask(&program, "rooms.reorder", json!({"roomId": c, "before": a})).await;
    let changed =
        ask(&program, "rooms.update", json!({"roomId": b, "name": "B", "note": " Ask Ann to let you in. "})).await;
    assert_eq!(changed["note"], "Ask Ann to let you in.");
    ask(&program, "rooms.delete", json!({"roomId": a})).await;
    let program = program.restart().await;
    assert_eq!(names(&program).await, "c B");
    ask(&program, "rooms.restore", json!({"roomId": a})).await;
    assert_eq!(names(&program).await, "c a B");
    ask(&program, "rooms.reorder", json!({"roomId": c})).await;
    assert_eq!(ask(&program, "rooms.update", json!({"roomId": b, "note": ""})).await["note"], "");
    assert_eq!(names(&program).await, "a B c");
}

#[tokio::test]
async fn joining_opens_the_link_and_notes_when() {
    let program = start().await;
    let room = add(&program, "a").await;
    assert_eq!(ask(&program, "rooms.get", json!({"roomId": room})).await["joinedAt"], Value::Null);
    refused(program.owner("rooms.join", json!({"roomId": room})).await, "conflict");
    let opened = Arc::new(Mutex::new(Vec::new()));
    let record = opened.clone();
    program.ctx.provide(Arc::new(OpenPage(Box::new(move |link| record.lock().unwrap().push(link.to_owned())))));
    let joined = ask(&program, "rooms.join", json!({"roomId": room, "open": false})).await;
    assert_eq!((&joined["joinedAt"], opened.lock().unwrap().len()), (&json!("2026-03-01T12:00:00.000Z"), 0));
    program.clock.advance_ms(60_000);
    ask(&program, "rooms.join", json!({"roomId": room})).await;
    let read = ask(&program, "rooms.get", json!({"roomId": room})).await;
    assert_eq!(read["joinedAt"], "2026-03-01T12:01:00.000Z");
    assert_eq!(*opened.lock().unwrap(), ["https://meet.example/a"]);
}

#[tokio::test]
async fn off_rooms_stay_and_none_is_added_or_joined() {
    let program = start().await;
    let room = add(&program, "a").await;
    let before = ask(&program, "rooms.list", json!({})).await;
    program.ctx.provide_settings(Arc::new(Enabled(false)));
    let input = json!({"name": "b", "address": "https://meet.example/b"});
    refused(program.owner("rooms.create", input).await, "rooms-disabled");
    refused(program.owner("rooms.join", json!({"roomId": room})).await, "rooms-disabled");
    assert_eq!(ask(&program, "rooms.list", json!({})).await, before);
    let program = program.restart().await;
    program.ctx.provide_settings(Arc::new(Enabled(true)));
    assert_eq!(ask(&program, "rooms.list", json!({})).await, before);
}

#[tokio::test]
async fn bad_rooms_are_rejected_and_agents_join_none() {
    let program = start().await;
    let room = add(&program, "a").await;
    let before_nothing = json!({"name": "x", "address": "https://meet.example", "before": "gone"});
    refused(program.owner("rooms.create", before_nothing).await, "named-not-found");
    for (input, said) in [
        (json!({"name": "x", "address": "javascript:alert(1)"}), "begins with https://"),
        (json!({"name": "x", "address": "/app/inbox"}), "begins with https://"),
        (json!({"name": " ", "address": "https://meet.example"}), "name is empty"),
        (json!({"name": "x", "address": "https://meet.example", "note": "n".repeat(501)}), "500 characters"),
    ] {
        let refusal = refused(program.owner("rooms.create", input.clone()).await, "invalid-input");
        assert!(refusal.detail().contains(said), "{input}: {}", refusal.detail());
    }
    let mut agent = Caller::new(Kind::Agent, ACCOUNT, "test");
    agent.session = Some("s".into());
    agent.scopes = ["rooms:read", "rooms:write"].map(str::to_owned).to_vec();
    let as_agent = async |op: &str, input: Value| program.as_caller(agent.clone(), op, input).await;
    refused(as_agent("rooms.join", json!({"roomId": room})).await, "forbidden-caller");
    as_agent("rooms.update", json!({"roomId": room, "name": "Agent"})).await.unwrap();
    as_agent("rooms.delete", json!({"roomId": room})).await.unwrap();
    for number in 0..200 {
        add(&program, &number.to_string()).await;
    }
    let full = program.owner("rooms.create", json!({"name": "x", "address": "https://meet.example"})).await;
    assert!(refused(full, "conflict").detail().contains("200 meeting rooms"));
}
