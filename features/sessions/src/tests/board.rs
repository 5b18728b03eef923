//! The Agent Board: a line for each agent that was launched, and nothing while it is switched off.

use super::practice::begin;
use events::{Event, HasEvents};
use kit::{Caller, Kind};
use serde_json::json;
use testkit::{OTHER_ACCOUNT, refused};

#[tokio::test]
async fn a_line_says_where_an_agent_is_and_how_far() {
    let begun = begin().await;
    let program = &begun.program;
    let asks = begun.start("practice: todo +Look|~Change <b>it</b>|Test; run ls; todo +Look|+Change|+Test").await;
    begun.until(&asks, "awaitingPermission").await;
    let done = begun.start("practice: say done").await;
    begun.until(&done, "idle").await;
    let board = program.owner("sessions.board", json!({})).await.unwrap();
    let (newest, line) = (&board["items"][0], &board["items"][1]);
    assert_eq!((&newest["id"], &newest["phase"], &newest["done"]), (&json!(done), &json!(""), &json!(null)));
    assert_eq!((&line["id"], &line["needsYou"]), (&json!(asks), &json!(true)));
    assert_eq!((&line["phase"], &line["done"], &line["total"]), (&json!("Change <b>it</b>"), &json!(1), &json!(3)));
    assert_eq!(line["hub"], begun.hub["name"]);
    // What it goes on with is told to pages, and read at once.
    let (_, mut heard) = program.ctx.events().listen(None);
    let ask = program.owner("sessions.asks", json!({"sessionId": asks})).await.unwrap()["items"][0]["id"].clone();
    program.owner("sessions.answer", json!({"sessionId": asks, "askId": ask, "allow": true})).await.unwrap();
    begun.until(&asks, "idle").await;
    let told: Vec<Event> = std::iter::from_fn(|| heard.try_recv().ok()).map(|told| told.event).collect();
    assert!(told.contains(&Event::SessionChanged { session_id: asks.clone() }), "{told:?}");
    let board = program.owner("sessions.board", json!({"limit": 1, "cursor": done})).await.unwrap();
    assert_eq!((&board["items"][0]["done"], &board["items"][0]["phase"]), (&json!(3), &json!("")));
    // What was put away is no more on it.
    program.owner("sessions.archive", json!({"sessionId": done})).await.unwrap();
    begun.until(&done, "archived").await;
    let board = program.owner("sessions.board", json!({})).await.unwrap();
    assert_eq!(board["items"].as_array().unwrap().len(), 1);
    let other = program.as_caller(Caller::new(Kind::Owner, OTHER_ACCOUNT, "o"), "sessions.board", json!({})).await;
    assert_eq!(other.map(|page| page["items"].clone()).unwrap(), json!([]));
}

#[tokio::test]
async fn while_it_is_off_there_is_no_board_and_the_list_stays() {
    let begun = begin().await;
    begun.set(&[("agentStatusBoardEnabled", json!(false))]);
    let told = refused(begun.program.owner("sessions.board", json!({})).await, "agent-board-disabled");
    assert!(told.detail().contains("agentStatusBoardEnabled"), "{told}");
    begun.program.owner("sessions.list", json!({})).await.unwrap();
}
