//! A session's own token: where it writes it, it is not stored, and it ends with the session.

use super::access::made;
use super::isolation::exchange;
use super::{owner, program, serve};
use crate::features;
use kit::Op;
use serde_json::{Value, json};
use std::net::SocketAddr;
use testkit::{Program, refused};

fn op(name: &str) -> Op {
    features::ops().into_iter().find(|op| op.name == name).expect("an operation")
}

/// Waits until a session stands like that: it runs beside.
async fn until(program: &Program, session: &Value, state: &str) {
    for _ in 0..20_000 {
        if made(program, "sessions.get", json!({"sessionId": session})).await["state"] == state {
            return;
        }
    }
    panic!("{session} never is {state}");
}

async fn text(address: SocketAddr, name: &str, token: &str, input: &Value) -> String {
    String::from_utf8_lossy(&exchange(address, &op(name), token, input).await.body).into_owned()
}

#[tokio::test]
async fn it_is_hidden_wherever_it_is_written() {
    let program = program().await;
    let address = serve(&program).await;
    let session = json!({"engine": "practice", "prompt": "practice: wait 600", "title": "T"});
    let session = made(&program, "sessions.create", session).await["id"].clone();
    let scopes = ["boards:read", "boards:write", "alert:write", "inbox:read", "sessions:read", "sessions:write"];
    let token = json!({"kind": "agent", "name": "a", "sessionId": session, "scopes": scopes});
    let token = made(&program, "tokens.create", token).await["token"].as_str().expect("a token").to_owned();
    let secret = token.rsplit('_').next().expect("a part").to_owned();

    // By the session, over HTTP: an alert, a board with an item, and a comment.
    let workspace = made(&program, "workspaces.list", json!({})).await["items"][0]["id"].clone();
    let board = json!({"workspaceId": workspace, "name": format!("Board {token}")});
    let board = exchange(address, &op("boards.create"), &token, &board).await.json()["id"].clone();
    let item = json!({"boardId": board, "name": format!("Item {token}")});
    let item = exchange(address, &op("boards.items.create"), &token, &item).await.json()["id"].clone();
    let comment = json!({"boardId": board, "itemId": item, "text": format!("It is {token}.")});
    assert_eq!(exchange(address, &op("boards.comments.create"), &token, &comment).await.status, 201);
    let alert = json!({"title": format!("See {token}"), "body": token});
    assert_eq!(exchange(address, &op("inbox.alert"), &token, &alert).await.status, 201);
    // By its engine, in the transcript.
    let said = json!({"engine": "practice", "prompt": format!("practice: say my token is {token}; run echo {token}")});
    let speaking = made(&program, "sessions.create", said).await["id"].clone();
    until(&program, &speaking, "awaitingPermission").await;
    let asks = made(&program, "sessions.asks", json!({"sessionId": speaking})).await;
    let answer = json!({"sessionId": speaking, "askId": asks["items"][0]["id"], "allow": true});
    made(&program, "sessions.answer", answer).await;
    until(&program, &speaking, "idle").await;

    let cli = std::fs::read_to_string(program.dir().join("cli-token")).expect("the file").trim().to_owned();
    let of_speaking = json!({"sessionId": speaking});
    for (name, input) in [
        ("boards.full", json!({"boardId": board})),
        ("boards.comments.list", json!({"boardId": board, "itemId": item})),
        ("boards.items.activity", json!({"boardId": board, "itemId": item})),
        ("boards.export", json!({"boardId": board, "format": "csv"})),
        ("inbox.list", json!({})),
        ("changes.list", json!({})),
        ("sessions.asks", of_speaking.clone()),
        ("sessions.search", json!({"q": "token"})),
    ] {
        let text = text(address, name, &cli, &input).await;
        assert!(text.len() > 2 && !text.contains(&secret), "{name}: {text}");
    }
    // What it was asked is the person's own text; what came of it is the session's.
    let transcript = text(address, "sessions.transcript", &cli, &of_speaking).await;
    assert!(transcript.contains("my token is ph_"), "{transcript}");
    assert!(!transcript.contains(&secret), "{transcript}");
    let export = text(address, "sessions.export", &cli, &json!({"sessionId": speaking, "as": "markdown"})).await;
    assert!(export.contains("my token is") && !export.contains(&secret), "{export}");
}

#[tokio::test]
async fn a_token_needs_a_session_and_ends_with_it() {
    let program = program().await;
    let address = serve(&program).await;
    let token = async |session: &Value| {
        let input = json!({"kind": "agent", "name": "a", "sessionId": session, "scopes": ["sessions:read"]});
        owner(&program, "tokens.create", input).await
    };
    refused(token(&json!("never-existed")).await, "named-not-found");
    for (end, state) in [("sessions.stop", "stopped"), ("sessions.archive", "archived")] {
        let session = json!({"engine": "practice", "prompt": "practice: say done"});
        let session = made(&program, "sessions.create", session).await["id"].clone();
        until(&program, &session, "idle").await;
        let made_token = token(&session).await.expect("a token")["token"].as_str().expect("a text").to_owned();
        let get = json!({"sessionId": session});
        assert_eq!(exchange(address, &op("sessions.get"), &made_token, &get).await.status, 200);
        made(&program, end, get.clone()).await;
        until(&program, &session, state).await;
        assert_eq!(exchange(address, &op("sessions.get"), &made_token, &get).await.status, 401, "{state}");
        refused(token(&session).await, "named-not-found");
    }
}
