//! Rows about turns that have ended, and turns that a session marks as routine updates.

use super::practice::{Begun, agent, begin};
use kit::Error;
use serde_json::{Value, json};
use store::{HasDb, params};
use testkit::{ACCOUNT, refused};

/// A turn that ends after its command is allowed.
const ROUTINE: &str = "practice: run true; say All tests pass.";
const QUESTION: &str = "practice: run true; say Should I remove the old table as well?";

/// Rows of these kinds: kind, body, and outcome.
async fn rows(begun: &Begun, kinds: [&'static str; 2]) -> Vec<(String, String, String)> {
    let read = move |tx: &mut store::Tx<'_>| {
        let sql =
            "SELECT kind, body, outcome FROM inbox_rows WHERE account_id = $1 AND kind IN ($2, $3) ORDER BY row_id";
        tx.query(sql, params![ACCOUNT, kinds[0], kinds[1]], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
    };
    begun.program.ctx.db().read(read).await.unwrap()
}

/// Rows about the ends of turns: body, and outcome.
async fn done(begun: &Begun) -> Vec<(String, String)> {
    rows(begun, ["done", "done"]).await.into_iter().map(|(_, body, outcome)| (body, outcome)).collect()
}

async fn mark(begun: &Begun, by: &str, id: &str) -> Result<Value, Error> {
    begun.program.as_caller(agent(by), "sessions.routine", json!({"sessionId": id})).await
}

/// Allows the open request, and waits for the end of the turn.
async fn allow(begun: &Begun, id: &str) {
    let ask = begun.asked(id).await;
    begun.program.owner("sessions.answer", json!({"sessionId": id, "askId": ask, "allow": true})).await.unwrap();
    begun.until(id, "idle").await;
}

/// Starts a turn, has its session mark it, and waits for its end.
async fn marked_turn(begun: &Begun, prompt: &str) -> String {
    let id = begun.start(prompt).await;
    begun.asked(&id).await;
    mark(begun, &id, &id).await.unwrap();
    allow(begun, &id).await;
    id
}

#[tokio::test]
async fn a_turn_that_ends_makes_one_row_until_it_is_seen_or_the_next_one_begins() {
    let begun = begin().await;
    let id = begun.start("practice: say First").await;
    begun.until(&id, "idle").await;
    let first = done(&begun).await;
    assert_eq!(first.len(), 1);
    assert!(first[0].0.ends_with("First") && first[0].1.is_empty(), "{first:?}");
    begun.say(&id, "practice: say Second").await;
    begun.holds("a second row", async || done(&begun).await.len() == 2).await;
    let outcomes = async || done(&begun).await.into_iter().map(|(_, outcome)| outcome).collect::<Vec<_>>();
    assert_eq!(outcomes().await, ["over", ""]);
    let seen = |number: i64| begun.program.owner("sessions.seen", json!({"sessionId": id, "number": number}));
    seen(1).await.unwrap();
    assert_eq!(outcomes().await, ["over", ""], "its end wasn't seen yet");
    seen(1_000).await.unwrap();
    assert_eq!(outcomes().await, ["over", "seen"]);
}

#[tokio::test]
async fn the_end_of_a_child_sessions_turn_makes_no_row() {
    let begun = begin().await;
    begun.set(&[("agentDrivenSessionsEnabled", json!(true)), ("allowAgentTokenSpawn", json!(true))]);
    let parent = begun.start("practice: wait 30").await;
    begun.until(&parent, "running").await;
    let input = json!({"engine": "practice", "projectId": begun.hub["id"], "prompt": "practice: say done"});
    let call = kit::Call { source_session: Some(parent.clone()), ..kit::Call::new(agent(&parent)) };
    let child = testkit::json_of(&begun.program.call(call, "sessions.create", input).await.unwrap());
    assert_eq!(child["parentId"], json!(parent));
    begun.holds("the child's turn", async || begun.get(child["id"].as_str().unwrap()).await["turns"] == 1).await;
    assert_eq!(done(&begun).await, []);
}

#[tokio::test]
async fn hide_routine_updates_from_inbox_hides_a_marked_turn_and_only_that_one() {
    let begun = begin().await;
    let id = marked_turn(&begun, ROUTINE).await;
    assert_eq!(done(&begun).await, []);
    // The mark ended with its turn.
    begun.say(&id, "practice: say More").await;
    begun.holds("a row", async || done(&begun).await.len() == 1).await;
}

#[tokio::test]
async fn hide_routine_updates_from_inbox_never_hides_a_question() {
    let begun = begin().await;
    marked_turn(&begun, QUESTION).await;
    let of_session = rows(&begun, ["session", "done"]).await;
    assert_eq!(of_session.iter().map(|row| &*row.0).collect::<Vec<_>>(), ["session"]);
    let asking = begun.start("practice: ask Which color?").await;
    begun.until(&asking, "awaitingInput").await;
    mark(&begun, &asking, &asking).await.unwrap();
    assert_eq!(rows(&begun, ["question", "question"]).await.len(), 1, "what is asked stays in the inbox");
}

#[tokio::test]
async fn hide_routine_updates_from_inbox_off_makes_a_row() {
    let begun = begin().await;
    begun.set(&[("hideRoutineUpdatesFromInbox", json!(false))]);
    marked_turn(&begun, ROUTINE).await;
    assert_eq!(done(&begun).await.len(), 1);
}

#[tokio::test]
async fn only_a_current_turn_can_be_marked_and_only_by_its_session_or_you() {
    let begun = begin().await;
    let (id, other) = (begun.start("practice: wait 30").await, begun.start("practice: say done").await);
    begun.until(&id, "running").await;
    begun.until(&other, "idle").await;
    refused(mark(&begun, &other, &id).await, "not-found");
    refused(mark(&begun, &other, &other).await, "not-now");
    begun.program.owner("sessions.routine", json!({"sessionId": id})).await.unwrap();
    mark(&begun, &id, &id).await.unwrap();
}

#[test]
fn a_long_reply_is_shown_from_near_its_end() {
    let long = "é".repeat(1_000);
    assert_eq!(crate::messages::end_of_reply(&long), format!("…{}", "é".repeat(500)));
    assert_eq!(crate::messages::end_of_reply(" short \n"), "short");
    assert_eq!(crate::messages::end_of_reply(&"é".repeat(500)), "é".repeat(500));
}
