//! What is relied on of prompt templates.

use crate::feature;
use kit::{Caller, Kind};
use serde_json::{Value, json};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

async fn start() -> Program {
    Program::start(|| vec![feature()]).await
}

async fn save(program: &Program, name: &str, text: &str) -> Value {
    program.owner("sessions.templates.create", json!({"name": name, "text": text})).await.unwrap()
}

async fn names(program: &Program) -> Vec<String> {
    let all = program.owner("sessions.templates.list", json!({})).await.unwrap();
    all["items"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_template_is_saved_renamed_changed_and_deleted_and_stays_over_a_restart() {
    let program = start().await;
    let review = save(&program, " Review ", "Review the\nlatest commit.").await;
    assert_eq!((&review["name"], &review["text"]), (&json!("Review"), &json!("Review the\nlatest commit.")));
    let read = program.owner("sessions.templates.get", json!({"templateId": review["id"]})).await.unwrap();
    assert_eq!(read, review);
    let fix = save(&program, "Fix", "Fix it.").await;
    let program = program.restart().await;
    assert_eq!(names(&program).await, ["Fix", "Review"]);
    let change = async |more: Value| {
        let mut input = json!({"templateId": review["id"]});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        program.owner("sessions.templates.change", input).await
    };
    assert_eq!(change(json!({"name": "Audit"})).await.unwrap()["text"], review["text"]);
    assert_eq!(change(json!({"text": "New"})).await.unwrap()["name"], "Audit");
    assert_eq!(change(json!({})).await.unwrap()["text"], "New");
    program.owner("sessions.templates.delete", json!({"templateId": fix["id"]})).await.unwrap();
    assert_eq!(names(&program).await, ["Audit"]);
    refused(program.owner("sessions.templates.delete", json!({"templateId": fix["id"]})).await, "not-found");
}

#[tokio::test]
async fn names_are_unique_and_texts_and_their_number_bounded() {
    let program = start().await;
    let one = save(&program, "One", "x").await;
    let two = save(&program, "Two", "x").await;
    let again = json!({"name": "One", "text": "y"});
    let told = refused(program.owner("sessions.templates.create", again).await, "conflict");
    assert!(told.detail().contains("already exists"), "{told}");
    let onto = json!({"templateId": two["id"], "name": "One"});
    refused(program.owner("sessions.templates.change", onto).await, "conflict");
    let same = json!({"templateId": one["id"], "name": "One", "text": "z"});
    program.owner("sessions.templates.change", same).await.expect("its own name");
    for (name, text) in [
        ("", "x".to_owned()),
        ("  ", "x".to_owned()),
        (&"n".repeat(101), "x".to_owned()),
        ("a\u{7}", "x".to_owned()),
        ("New", String::new()),
        ("New", "x".repeat(200_001)),
        ("New", "a\0b".to_owned()),
    ] {
        let input = json!({"name": name, "text": text});
        refused(program.owner("sessions.templates.create", input).await, "invalid-input");
    }
    for number in 0..24 {
        save(&program, &format!("Long {number}"), &"x".repeat(200_000)).await;
    }
    let over = json!({"name": "Over", "text": "x".repeat(200_000)});
    let told = refused(program.owner("sessions.templates.create", over).await, "conflict");
    assert!(told.detail().contains("All templates together"), "{told}");
    for number in 0..174 {
        save(&program, &format!("Short {number}"), "x").await;
    }
    let told = refused(program.owner("sessions.templates.create", json!({"name": "N", "text": "x"})).await, "conflict");
    assert!(told.detail().contains("limit reached (200)"), "{told}");
}

#[tokio::test]
async fn only_a_person_has_templates_and_nobody_sees_another_accounts() {
    let program = start().await;
    let id = save(&program, "Mine", "x").await["id"].clone();
    let agent = Caller { session: Some("s".into()), ..Caller::new(Kind::Agent, ACCOUNT, "t") };
    refused(program.as_caller(agent, "sessions.templates.list", json!({})).await, "forbidden-caller");
    let other = || Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    let seen = program.as_caller(other(), "sessions.templates.list", json!({})).await.unwrap();
    assert_eq!(seen["items"], json!([]));
    for (op, input) in [
        ("sessions.templates.get", json!({"templateId": id})),
        ("sessions.templates.change", json!({"templateId": id, "name": "x"})),
        ("sessions.templates.delete", json!({"templateId": id})),
    ] {
        refused(program.as_caller(other(), op, input).await, "not-found");
    }
    let mine = json!({"name": "Mine", "text": "y"});
    program.as_caller(other(), "sessions.templates.create", mine).await.expect("their own name");
}
