use super::*;
use events::{Event, HasEvents};
use testkit::refused;

/// A board with one item whose status went from l1 to l2.
async fn changed_item(p: &Program) -> (String, String) {
    let board = tasks_board(p).await;
    let input = json!({"boardId": board, "name": "One", "cells": {"c1": "l1"}});
    let item = p.owner("boards.items.create", input).await.unwrap()["id"].as_str().unwrap().to_owned();
    set(p, &(board.clone(), item.clone()), "c1", json!("l2")).await;
    (board, item)
}

async fn set(p: &Program, at: &(String, String), column: &str, value: Value) {
    let input = json!({"boardId": at.0, "itemId": at.1, "columnId": column, "value": value});
    p.owner("boards.cell", input).await.unwrap();
}

async fn update(p: &Program, at: &(String, String), changes: Value) {
    let mut input = json!({"boardId": at.0, "itemId": at.1});
    input.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    p.owner("boards.items.update", input).await.unwrap();
}

async fn activity(p: &Program, at: &(String, String)) -> Vec<Value> {
    let list = p.owner("boards.items.activity", json!({"boardId": at.0, "itemId": at.1})).await.unwrap();
    list["items"].as_array().unwrap().clone()
}

async fn undo(p: &Program, at: &(String, String), change: &Value) -> kit::Result<Value> {
    p.owner("boards.undo", json!({"boardId": at.0, "changeId": change["changeId"]})).await
}

async fn item(p: &Program, at: &(String, String)) -> Value {
    let list = p.owner("boards.items.list", json!({"boardId": at.0})).await.unwrap();
    list["items"].as_array().unwrap().iter().find(|item| item["id"] == at.1.as_str()).unwrap().clone()
}

#[tokio::test]
async fn activity_tells_who_changed_what_newest_first() {
    let p = start().await;
    let at = changed_item(&p).await;
    p.clock.advance_ms(1_000);
    let mut agent = Caller::new(Kind::Agent, ACCOUNT, "agent");
    agent.session = Some("s1".into());
    agent.scopes = vec!["boards:write".into()];
    let input = json!({"boardId": at.0, "itemId": at.1, "name": "First", "position": 7});
    p.as_caller(agent, "boards.items.update", input).await.unwrap();
    let rows = activity(&p, &at).await;
    let fields: Vec<_> = rows.iter().map(|row| row["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["position", "name", "c1", ""]);
    let expected = json!({
        "changeId": rows[1]["changeId"], "at": "2026-03-01T12:00:01.000Z", "field": "name", "fieldName": "Name", "before": "One", "after": "First",
        "actor": {"kind": "agent", "name": "Session", "sessionId": "s1"}, "by": "Session s1", "undoable": true,
    });
    assert_eq!(rows[1], expected);
    assert_eq!(rows[2]["actor"], json!({"kind": "owner", "name": "Owner"}));
    assert_eq!((&rows[3]["before"], &rows[3]["after"]["cells"]["c1"]), (&Value::Null, &json!("l1")));
    assert_eq!((&rows[0]["undoable"], &rows[3]["undoable"]), (&json!(true), &json!(true)));

    let page = async |cursor: Option<&Value>| {
        let mut input = json!({"boardId": at.0, "itemId": at.1, "limit": 3});
        if let Some(cursor) = cursor {
            input["cursor"] = cursor.clone();
        }
        p.owner("boards.items.activity", input).await.unwrap()
    };
    let first = page(None).await;
    assert_eq!(first["items"].as_array().unwrap(), &rows[..3]);
    let last = page(Some(&first["nextCursor"])).await;
    assert_eq!((last["items"].as_array().unwrap(), &last["nextCursor"]), (&rows[3..].to_vec(), &Value::Null));
}

#[tokio::test]
async fn an_undo_brings_back_and_an_undo_of_it_redoes() {
    let p = start().await;
    let at = changed_item(&p).await;
    update(&p, &at, json!({"name": "First", "groupId": "g2", "cells": {"c3": "2026-03-09"}})).await;
    let rows = activity(&p, &at).await;
    let change = |field: &str| rows.iter().find(|row| row["field"] == field).unwrap();
    let (_, mut heard) = p.ctx.events().listen(None);
    let revision = full_json(&p, &at.0).await["board"]["revision"].as_i64().unwrap();
    let undone = undo(&p, &at, change("c1")).await.unwrap();
    let expected = json!({"itemId": at.1, "field": "c1", "value": "l1", "changeId": undone["changeId"], "boardRevision": revision + 1});
    assert_eq!(undone, expected);
    let told = Event::BoardChanged { board_id: at.0.clone(), revision: revision + 1 };
    assert_eq!(heard.try_recv().unwrap().event, told);
    assert_eq!(full_json(&p, &at.0).await["items"][0]["cells"]["c1"], "l1", "readers do not get what was kept before");
    let since = p.owner("boards.changed", json!({"boardId": at.0, "since": revision})).await.unwrap();
    assert_eq!(since["items"][0]["id"], at.1, "and those who follow the board hear which item it was");
    for field in ["name", "groupId", "c3"] {
        undo(&p, &at, change(field)).await.unwrap();
    }
    let back = item(&p, &at).await;
    assert_eq!((&back["name"], &back["groupId"], &back["cells"]), (&json!("One"), &json!("g1"), &json!({"c1": "l1"})));

    let newest = activity(&p, &at).await;
    assert_eq!(newest.len(), rows.len() + 4, "each undo is a change of its own");
    let redone = undo(&p, &at, &undone).await.unwrap();
    assert_eq!(redone["value"], "l2");
    // What emptied a cell is taken back as well, and so is what filled it.
    let emptied = newest.iter().find(|row| row["field"] == "c3").unwrap();
    assert_eq!((&emptied["before"], &emptied["after"]), (&json!("2026-03-09"), &Value::Null));
    assert_eq!(undo(&p, &at, emptied).await.unwrap()["value"], "2026-03-09");
    assert_eq!(item(&p, &at).await["cells"], json!({"c1": "l2", "c3": "2026-03-09"}));
}

#[tokio::test]
async fn an_undo_never_covers_a_later_change() {
    let p = start().await;
    let at = changed_item(&p).await;
    let first = activity(&p, &at).await[0].clone();
    set(&p, &at, "c1", json!("l2")).await;
    set(&p, &at, "c3", json!("2026-03-09")).await;
    undo(&p, &at, &first).await.expect("neither what stayed as it was nor another cell stands in the way");
    set(&p, &at, "c1", json!("l3")).await;
    let later = activity(&p, &at).await[0].clone();
    let error = refused(undo(&p, &at, &first).await, "conflict");
    assert_eq!(error.problem()["changeId"], later["changeId"]);
    assert!(error.detail().contains(later["changeId"].as_str().unwrap()), "{error}");
    assert_eq!(item(&p, &at).await["cells"]["c1"], "l3");

    // Items that leave with their group have no record of their own.
    update(&p, &at, json!({"groupId": "g2"})).await;
    let moved = activity(&p, &at).await[0].clone();
    p.owner("boards.groups.delete", json!({"boardId": at.0, "groupId": "g2", "moveTo": "g1"})).await.unwrap();
    let third = p.owner("boards.groups.create", json!({"boardId": at.0, "name": "Third"})).await.unwrap();
    refused(undo(&p, &at, &moved).await, "conflict");
    // The group that an item came from is no more.
    update(&p, &at, json!({"groupId": third["id"]})).await;
    let moved = activity(&p, &at).await[0].clone();
    p.owner("boards.groups.delete", json!({"boardId": at.0, "groupId": "g1"})).await.unwrap();
    refused(undo(&p, &at, &moved).await, "conflict");
    assert_eq!(item(&p, &at).await["groupId"], third["id"]);
}

#[tokio::test]
async fn steps_are_taken_back_one_after_the_other() {
    let p = start().await;
    let at = changed_item(&p).await;
    set(&p, &at, "c1", json!("l3")).await;
    let steps: Vec<_> = activity(&p, &at).await.into_iter().filter(|row| row["field"] == "c1").take(2).collect();
    refused(undo(&p, &at, &steps[1]).await, "conflict");
    assert_eq!(undo(&p, &at, &steps[0]).await.unwrap()["value"], "l2");
    assert_eq!(undo(&p, &at, &steps[1]).await.unwrap()["value"], "l1", "the step that stood in between is undone");
}

#[tokio::test]
async fn who_has_left_comes_back_and_what_has_no_place_any_more_does_not() {
    let p = start().await;
    let at = changed_item(&p).await;
    set(&p, &at, "c2", json!([BEN])).await;
    set(&p, &at, "c2", json!([ANNA])).await;
    let people = activity(&p, &at).await[0].clone();
    let status = activity(&p, &at).await[2].clone();
    let leave = |tx: &mut store::Tx<'_>| tx.execute("DELETE FROM members WHERE member_id = $1", params![BEN]);
    p.ctx.db().write(leave).await.unwrap();
    undo(&p, &at, &people).await.unwrap();
    p.owner("boards.columns.delete", json!({"boardId": at.0, "columnId": "c1"})).await.unwrap();
    refused(undo(&p, &at, &status).await, "conflict");
    assert_eq!(item(&p, &at).await["cells"], json!({"c2": [BEN]}));
}

#[tokio::test]
async fn only_changes_of_items_of_the_board_are_taken_back() {
    let p = start().await;
    let at = changed_item(&p).await;
    update(&p, &at, json!({"position": 7})).await;
    p.owner("boards.comments.create", json!({"boardId": at.0, "itemId": at.1, "text": "x"})).await.unwrap();
    let rows = activity(&p, &at).await;
    for row in rows.iter().filter(|row| row["undoable"] == false) {
        refused(undo(&p, &at, row).await, "not-undoable");
    }
    assert_eq!(rows.iter().filter(|row| row["undoable"] == false).count(), 1, "the comment");
    let of_board = {
        let board = at.0.clone();
        p.ctx.db().read(move |tx| tx.changes(ACCOUNT, "board", &board, None, 1)).await.unwrap().remove(0)
    };
    refused(undo(&p, &at, &json!({"changeId": of_board.change_id})).await, "not-undoable");
    refused(undo(&p, &at, &json!({"changeId": "nothing"})).await, "named-not-found");
    let elsewhere = (tasks_board(&p).await, at.1.clone());
    refused(undo(&p, &elsewhere, &rows[2]).await, "named-not-found");
    let foreign = json!({"boardId": at.0, "changeId": rows[2]["changeId"]});
    refused(p.as_caller(other_owner(), "boards.undo", foreign).await, "not-found");
    p.owner("boards.items.delete", json!({"boardId": at.0, "itemId": at.1})).await.unwrap();
    refused(undo(&p, &at, &rows[2]).await, "named-not-found");
}

#[tokio::test]
async fn activity_names_members_and_the_tokens_of_scripts() {
    let p = start().await;
    let at = changed_item(&p).await;
    let named =
        |member: &str, token: &str| Caller { member: Some(member.into()), ..Caller::new(Kind::Member, ACCOUNT, token) };
    // The token of the first is in force no more.
    for (caller, name) in [(named(ANNA, "t-gone"), "By Anna"), (named(BEN, "t-script"), "By a script")] {
        let input = json!({"boardId": at.0, "itemId": at.1, "name": name});
        p.as_caller(caller, "boards.items.update", input).await.unwrap();
    }
    let rows = activity(&p, &at).await;
    assert_eq!(rows[1]["actor"], json!({"kind": "member", "name": "Anna Berg", "memberId": ANNA}));
    assert_eq!(rows[0]["actor"], json!({"kind": "member", "name": "Ben Ito", "memberId": BEN, "token": "Nightly"}));
    assert_eq!((&rows[1]["by"], &rows[0]["by"]), (&json!("Anna Berg"), &json!("Ben Ito (Nightly)")));
    assert_eq!(rows[2]["by"], "Owner");
}
