//! The queue of what needs you: its order, its reasons, and that it agrees with the inbox.

use super::practice::begin;
use kit::{Caller, Kind};
use serde_json::{Value, json};
use store::{HasDb, params};
use testkit::{ACCOUNT, OTHER_ACCOUNT, refused};

/// The queue, as pairs of a session and a reason.
async fn queue(begun: &super::practice::Begun) -> Vec<(Value, String)> {
    let page = begun.program.owner("sessions.needs", json!({})).await.unwrap();
    let pair = |need: &Value| (need["sessionId"].clone(), need["reason"].as_str().unwrap().to_owned());
    page["items"].as_array().unwrap().iter().map(pair).collect()
}

#[tokio::test]
async fn what_needs_you_is_listed_oldest_first_with_its_reason_until_it_is_answered() {
    let begun = begin().await;
    let program = &begun.program;
    let runs = begun.start("practice: run rm -rf build; say done").await;
    begun.until(&runs, "awaitingPermission").await;
    let plans = begun.start("practice: plan Read the code|Change it; say done").await;
    begun.until(&plans, "awaitingPermission").await;
    let asks = begun.start("practice: ask Which color?; say done").await;
    begun.until(&asks, "awaitingInput").await;
    let works = begun.start("practice: say done").await;
    begun.until(&works, "idle").await;
    let found = queue(&begun).await;
    assert_eq!(found[0], (json!(runs), "Wants to run rm -rf build".into()));
    assert_eq!(found[1].0, json!(plans));
    assert!(found[1].1.starts_with("Plan needs approval: "), "{found:?}");
    assert_eq!(found[2], (json!(asks), "Question: Which color?".into()));
    assert_eq!(found.len(), 3);
    // Each can be answered with what the entry holds.
    let page = program.owner("sessions.needs", json!({})).await.unwrap();
    let first = &page["items"][0];
    assert_eq!(
        (&first["isYesOrNo"], &first["kind"], &first["hub"]),
        (&json!(true), &json!("approval"), &begun.hub["name"])
    );
    assert_eq!(page["items"][2]["isYesOrNo"], json!(false));
    program
        .owner("sessions.answer", json!({"sessionId": first["sessionId"], "askId": first["askId"], "allow": false}))
        .await
        .unwrap();
    assert_eq!(queue(&begun).await.len(), 2);
    // In pages, from the entry before.
    let page = program.owner("sessions.needs", json!({"limit": 1})).await.unwrap();
    let next = json!({"limit": 1, "cursor": page["nextCursor"]});
    let rest = program.owner("sessions.needs", next).await.unwrap();
    assert_eq!((&page["items"][0]["sessionId"], &rest["items"][0]["sessionId"]), (&json!(plans), &json!(asks)));
    refused(program.owner("sessions.needs", json!({"limit": 0})).await, "invalid-input");
    let other = program.as_caller(Caller::new(Kind::Owner, OTHER_ACCOUNT, "o"), "sessions.needs", json!({})).await;
    assert_eq!(other.unwrap()["items"], json!([]));
}

#[tokio::test]
async fn a_dismissed_row_leaves_the_queue_the_list_and_the_agent_board_alike() {
    let begun = begin().await;
    let program = &begun.program;
    let failed = begun.start("practice: fail auth").await;
    begun.until(&failed, "failed").await;
    let found = queue(&begun).await;
    assert_eq!((found.len(), &found[0].0), (1, &json!(failed)));
    assert_eq!(found[0].1, "Failed: Not logged in to Practice");
    let listed = |page: Value| page["items"][0]["needsYou"].clone();
    assert_eq!(listed(program.owner("sessions.list", json!({})).await.unwrap()), json!(true));
    let row = program.owner("sessions.needs", json!({})).await.unwrap()["items"][0]["id"].clone();
    // What the inbox does when you dismiss a row.
    program
        .ctx
        .db()
        .write(move |tx| {
            let sql =
                "UPDATE inbox_rows SET settled_ms = 1, outcome = 'dismissed' WHERE account_id = $1 AND row_id = $2";
            tx.execute(sql, params![ACCOUNT, row.as_str().unwrap()])
        })
        .await
        .unwrap();
    assert_eq!(queue(&begun).await, []);
    assert_eq!(listed(program.owner("sessions.list", json!({})).await.unwrap()), json!(false));
    assert_eq!(listed(program.owner("sessions.board", json!({})).await.unwrap()), json!(false));
}

#[tokio::test]
async fn hostile_requests_give_one_plain_line() {
    let begun = begin().await;
    let long = "x".repeat(500);
    let asks = begun.start(&format!("practice: run printf a\t\u{202e}b {long}; say done")).await;
    begun.until(&asks, "awaitingPermission").await;
    let found = queue(&begun).await;
    assert!(found[0].1.starts_with("Wants to run printf a b xxx") && found[0].1.ends_with('…'), "{found:?}");
    assert!(found[0].1.chars().count() <= 201);
}
