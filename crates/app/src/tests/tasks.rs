//! Tasks with real hubs and sessions, over HTTP.

use super::access::{made, session_of};
use super::isolation::exchange;
use super::{program, serve};
use crate::features;
use kit::Op;
use serde_json::{Value, json};

fn op(name: &str) -> Op {
    features::ops().into_iter().find(|op| op.name == name).expect("an operation")
}

#[tokio::test]
async fn a_task_is_added_in_words_nested_in_its_hub_and_shows_its_session() {
    let program = program().await;
    let address = serve(&program).await;
    let token = std::fs::read_to_string(program.dir().join("cli-token")).expect("the file").trim().to_owned();
    let ask = async |name: &str, input: Value| exchange(address, &op(name), &token, &input).await;
    let folder = program.ctx.service::<kit::SpareDir>().0.join("site");
    std::fs::create_dir(&folder).expect("a folder");
    let hub = made(&program, "hubs.create", json!({"folder": folder})).await["id"].clone();
    let added = ask("tasks.add", json!({"text": "call Anna tomorrow 9 !2", "hubId": hub})).await;
    assert_eq!(added.status, 201);
    let task = added.json();
    assert_eq!((&task["text"], &task["priority"], &task["hubId"]), (&json!("call Anna"), &json!(2), &hub));
    assert!(task["due"].as_str().is_some_and(|due| due.ends_with("T09:00")), "{task}");
    let child = ask("tasks.add", json!({"text": "find the number", "parentId": task["id"]})).await.json();
    assert_eq!(child["hubId"], hub);
    let below_itself = json!({"taskId": task["id"], "parentId": child["id"]});
    let refused = ask("tasks.move", below_itself).await;
    assert_eq!((refused.status, &refused.json()["code"]), (409, &json!("task-cycle")));
    let session = session_of(&program).await;
    ask("tasks.update", json!({"taskId": task["id"], "sessionId": session})).await;
    let shown = ask("tasks.session", json!({"taskId": task["id"]})).await.json();
    assert_eq!(shown["sessionId"], json!(session));
    ask("tasks.done", json!({"taskId": task["id"]})).await;
    let listed = ask("tasks.list", json!({"hubId": hub, "state": "done"})).await.json();
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(2));
    // The hub goes, its tasks stay.
    made(&program, "hubs.delete", json!({"hubId": hub})).await;
    let renamed = ask("tasks.update", json!({"taskId": child["id"], "text": "find it", "state": "open"})).await;
    assert_eq!((renamed.status, &renamed.json()["text"]), (200, &json!("find it")));
}
