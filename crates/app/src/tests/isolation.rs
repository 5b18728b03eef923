//! Another account's identifiers and those of nothing at all must answer alike, on every route that takes one.

use super::access::made;
use super::program;
use crate::features;
use accounts::Tokens;
use kit::{Authenticator, Call, Caller};
use serde_json::{Map, Value, json};

/// What an operation needs beside the identifiers of its path, so that it comes as far as looking for the thing.
fn rest_of_input(op: &str) -> Value {
    match op {
        "boards.cell" => json!({"value": "x"}),
        "boards.comments.create" | "boards.comments.update" => json!({"text": "T"}),
        "boards.columns.create" => json!({"title": "T", "type": "text"}),
        "boards.groups.create"
        | "boards.items.create"
        | "boards.update"
        | "members.update"
        | "workspaces.update"
        | "dashboards.update" => json!({"name": "N"}),
        "boards.items.update" | "boards.groups.update" => json!({"name": "N"}),
        "boards.columns.update" => json!({"title": "T"}),
        "boards.views.create" => json!({"name": "V", "kind": "table"}),
        _ => json!({}),
    }
}

#[tokio::test]
async fn foreign_and_unknown_identifiers_answer_alike() {
    let program = program().await;
    let workspace = made(&program, "workspaces.list", json!({})).await["items"][0]["id"].clone();
    let board =
        made(&program, "boards.create", json!({"workspaceId": workspace, "name": "B", "preset": "tasks"})).await;
    let board_id = board["id"].as_str().or(board["board"]["id"].as_str()).expect("a board").to_owned();
    let column =
        made(&program, "boards.columns.create", json!({"boardId": board_id, "title": "T", "type": "text"})).await;
    let group = made(&program, "boards.groups.create", json!({"boardId": board_id, "name": "G"})).await;
    let item = made(&program, "boards.items.create", json!({"boardId": board_id, "name": "I"})).await;
    let item_id = item["items"][0]["id"].as_str().or(item["id"].as_str()).expect("an item").to_owned();
    let comment =
        made(&program, "boards.comments.create", json!({"boardId": board_id, "itemId": item_id, "text": "C"})).await;
    let activity = made(&program, "boards.items.activity", json!({"boardId": board_id, "itemId": item_id})).await;
    let dashboard = made(
        &program,
        "dashboards.create",
        json!({"workspaceId": workspace, "name": "D", "config": {"boardIds": [board_id]}}),
    )
    .await;
    let member = made(&program, "members.create", json!({"name": "Ada"})).await;
    let token = made(&program, "tokens.create", json!({"kind": "agent", "name": "a", "sessionId": "s"})).await;
    let ids = json!({
        "viewId": board["views"][0]["id"],
        "boardId": board_id, "columnId": column["id"], "groupId": group["id"], "itemId": item_id, "dashboardId": dashboard["id"],
        "memberId": member["id"], "tokenId": token["id"], "workspaceId": workspace, "importId": "running",
        "commentId": comment["id"], "changeId": activity["items"][0]["changeId"],
    });
    let other = made(&program, "account.add", json!({"name": "Other"})).await;
    let other: Caller =
        program.ctx.service::<Tokens>().caller(other["token"].as_str().expect("a token")).expect("a caller");

    let mut tried = 0;
    for op in features::ops() {
        let schema = op.input_schema();
        let named: Vec<String> = schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .filter(|name| ids.get(name).is_some())
            .collect();
        let in_path: Vec<&str> = op.path_params().collect();
        let required = |name: &str| {
            in_path.contains(&name) || schema["required"].as_array().is_some_and(|r| r.iter().any(|n| n == name))
        };
        // Identifiers in the path, and those that narrow a list.
        let named: Vec<String> = named.into_iter().filter(|name| required(name) || op.method.reads()).collect();
        for param in &in_path {
            assert!(
                *param == "key" || ids.get(*param).is_some(),
                "{} takes {{{param}}}: make one of the first account's here, and name it in `ids`",
                op.name
            );
        }
        if named.is_empty() || op.name == "boards.import" || op.name == "tokens.create" {
            continue;
        }
        let answer = async |value: &dyn Fn(&str) -> Value| {
            let mut input: Map<String, Value> = rest_of_input(op.name).as_object().cloned().unwrap_or_default();
            input.extend(named.iter().map(|name| (name.clone(), value(name))));
            if op.name.ends_with(".create") && op.name.starts_with("dashboards") || op.name == "boards.create" {
                input.insert("name".into(), json!("N"));
            }
            match program.call(Call::of(other.clone()), op.name, Value::Object(input)).await {
                Ok(reply) => panic!("{} answered {} to another account", op.name, reply.status),
                Err(refusal) => (refusal.code().status, refusal.problem().to_string()),
            }
        };
        let foreign = answer(&|name| ids[name].clone()).await;
        let unknown = answer(&|_| json!("nothing")).await;
        assert_eq!(foreign, unknown, "{}", op.name);
        assert_eq!(foreign.0, 404, "{}: {} (give `rest_of_input` what it needs)", op.name, foreign.1);
        tried += 1;
    }
    assert!(tried > 20, "only {tried} operations take an identifier");
}

#[tokio::test]
async fn lists_of_another_account_are_empty() {
    let program = program().await;
    let workspace = made(&program, "workspaces.list", json!({})).await["items"][0]["id"].clone();
    made(&program, "boards.create", json!({"workspaceId": workspace, "name": "B"})).await;
    made(&program, "dashboards.create", json!({"workspaceId": workspace, "name": "D"})).await;
    made(&program, "members.create", json!({"name": "Ada"})).await;
    made(&program, "settings.set", json!({"key": "heardAboutUs", "value": "x"})).await;
    let other = made(&program, "account.add", json!({"name": "Other"})).await;
    let other: Caller =
        program.ctx.service::<Tokens>().caller(other["token"].as_str().expect("a token")).expect("a caller");
    for op in ["boards.list", "dashboards.list", "members.list", "settings.history", "changes.list"] {
        let list = program.as_caller(other.clone(), op, json!({})).await.expect("a list");
        assert_eq!(list["items"], json!([]), "{op}");
    }
}
