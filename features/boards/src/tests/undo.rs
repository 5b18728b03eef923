use super::*;
use testkit::refused;

async fn newest(p: &Program, subject: &'static str, id: &str) -> String {
    let id = id.to_owned();
    let read = move |tx: &mut store::Tx<'_>| tx.changes(ACCOUNT, subject, &id, None, 1);
    p.ctx.db().read(read).await.unwrap().remove(0).change_id
}

async fn undo(p: &Program, board: &str, change: &str) -> kit::Result<Value> {
    p.owner("boards.undo", json!({"boardId": board, "changeId": change})).await
}

/// What an undo made, to be taken back in turn.
fn made(undone: &Value) -> String {
    undone["changeId"].as_str().unwrap().to_owned()
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect()
}

async fn item_on(p: &Program, board: &str, name: &str) -> String {
    let input = json!({"boardId": board, "name": name, "cells": {"c1": "l2"}});
    p.owner("boards.items.create", input).await.unwrap()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn making_deleting_archiving_and_moving_an_item_are_taken_back_and_redone() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let (one, two) = (item_on(&p, &b, "One").await, item_on(&p, &b, "Two").await);
    let before = full_json(&p, &b).await["items"].clone();
    let of_one = json!({"boardId": b, "itemId": one});
    for op in ["boards.items.delete", "boards.items.archive"] {
        p.owner(op, of_one.clone()).await.unwrap();
        let change = newest(&p, "item", &one).await;
        let undone = undo(&p, &b, &change).await.unwrap();
        assert_eq!(
            (&undone["itemId"], &undone["field"], &undone["value"]),
            (&json!(one), &json!("kept"), &json!(null))
        );
        assert_eq!(full_json(&p, &b).await["items"], before);
        let redone = undo(&p, &b, &made(&undone)).await.unwrap();
        assert_eq!(redone["value"], if op.ends_with("delete") { "trash" } else { "archive" });
        assert_eq!(ids(&full_json(&p, &b).await["items"]), [two.as_str()]);
        undo(&p, &b, &made(&redone)).await.unwrap();
        assert_eq!(full_json(&p, &b).await["items"], before);
    }
    // That it was made: it goes to the trash, and a redo makes it again as it was.
    let three = item_on(&p, &b, "Three").await;
    let undone = undo(&p, &b, &newest(&p, "item", &three).await).await.unwrap();
    assert_eq!(full_json(&p, &b).await["items"], before);
    undo(&p, &b, &made(&undone)).await.unwrap();
    assert_eq!(ids(&full_json(&p, &b).await["items"]), [one.as_str(), two.as_str(), three.as_str()]);

    let moved = json!({"boardId": b, "itemId": three, "position": 1});
    p.owner("boards.items.update", moved).await.unwrap();
    assert_eq!(ids(&full_json(&p, &b).await["items"])[0], three);
    let undone = undo(&p, &b, &newest(&p, "item", &three).await).await.unwrap();
    assert_eq!(ids(&full_json(&p, &b).await["items"])[2], three);
    undo(&p, &b, &made(&undone)).await.unwrap();
    assert_eq!(ids(&full_json(&p, &b).await["items"])[0], three);
}

#[tokio::test]
async fn changes_of_groups_and_columns_are_taken_back_and_redone() {
    let p = start().await;
    let b = tasks_board(&p).await;
    item_on(&p, &b, "One").await;
    let start = full_json(&p, &b).await;
    let changes = [
        (
            "boards.groups.update",
            json!({"boardId": b, "groupId": "g1", "name": "New", "color": "#123456", "position": 1}),
        ),
        ("boards.groups.delete", json!({"boardId": b, "groupId": "g1", "withItems": true})),
        ("boards.groups.create", json!({"boardId": b, "name": "More"})),
        ("boards.columns.update", json!({"boardId": b, "columnId": "c3", "title": "By", "position": 0})),
        ("boards.columns.delete", json!({"boardId": b, "columnId": "c1"})),
        ("boards.columns.create", json!({"boardId": b, "title": "Text", "type": "text"})),
    ];
    let held = |full: Value| (full["groups"].clone(), full["columns"].clone(), full["items"].clone());
    for (op, input) in changes {
        p.owner(op, input).await.unwrap();
        let after = held(full_json(&p, &b).await);
        let undone = undo(&p, &b, &newest(&p, "board", &b).await).await.unwrap_or_else(|e| panic!("{op}: {e}"));
        assert_eq!(held(full_json(&p, &b).await), held(start.clone()), "{op}");
        assert_eq!(undone.get("itemId"), None);
        let redone = undo(&p, &b, &made(&undone)).await.unwrap_or_else(|e| panic!("{op} again: {e}"));
        assert_eq!(held(full_json(&p, &b).await), after, "{op} again");
        undo(&p, &b, &made(&redone)).await.unwrap_or_else(|e| panic!("{op} back: {e}"));
        assert_eq!(held(full_json(&p, &b).await), held(start.clone()), "{op} back");
    }
}

#[tokio::test]
async fn a_later_change_is_named_with_who_made_it_and_when() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let rename = |name: &str| json!({"boardId": b, "groupId": "g1", "name": name});
    p.owner("boards.groups.update", rename("First")).await.unwrap();
    let first = newest(&p, "board", &b).await;
    p.clock.advance_ms(60_000);
    let mut agent = Caller::new(Kind::Agent, ACCOUNT, "agent");
    agent.session = Some("s1".into());
    agent.scopes = vec!["boards:write".into()];
    p.as_caller(agent, "boards.groups.update", rename("Second")).await.unwrap();
    let second = newest(&p, "board", &b).await;
    let error = refused(undo(&p, &b, &first).await, "conflict");
    let told = error.problem();
    assert_eq!((&told["changeId"], &told["changedAt"]), (&json!(second), &json!("2026-03-01T12:01:00.000Z")));
    assert_eq!(told["changedBy"], json!({"kind": "agent", "name": "Session", "sessionId": "s1"}));
    // One after the other, both go.
    undo(&p, &b, &second).await.unwrap();
    undo(&p, &b, &first).await.unwrap();
    assert_eq!(full_json(&p, &b).await["groups"][0]["name"], "To do");
    // What stands in the way of the opposite is said, and what is gone for good stays gone.
    let made = p.owner("boards.groups.create", json!({"boardId": b, "name": "Used"})).await.unwrap();
    let change = newest(&p, "board", &b).await;
    p.owner("boards.items.create", json!({"boardId": b, "name": "In it", "groupId": made["id"]})).await.unwrap();
    refused(undo(&p, &b, &change).await, "group-not-empty");
    let item = item_on(&p, &b, "One").await;
    p.owner("boards.items.delete", json!({"boardId": b, "itemId": item})).await.unwrap();
    let deleted = newest(&p, "item", &item).await;
    let elsewhere = tasks_board(&p).await;
    refused(undo(&p, &elsewhere, &deleted).await, "named-not-found");
    refused(undo(&p, &elsewhere, &change).await, "named-not-found");
    p.owner("boards.trash.delete", json!({"boardId": b, "kind": "item", "entryId": item})).await.unwrap();
    refused(undo(&p, &b, &deleted).await, "named-not-found");
}

/// Records a change of a part of the board as by a program whose clock is far ahead, whose ids come after all others.
async fn recorded_ahead(p: &Program, board: &str, field: &'static str) {
    let board = board.to_owned();
    let insert = move |tx: &mut store::Tx<'_>| {
        let id = format!("zz{}", &kit::ids::short_id()[2..]);
        let row = params![ACCOUNT, id, START_MS, "owner", "test", "board", &board, field, "{}", r#"{"name":"Ahead"}"#];
        let sql = "INSERT INTO changes (account_id, change_id, at_ms, actor, actor_id, subject, subject_id, field, before_json, \
                   after_json) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
        tx.execute(sql, row)
    };
    p.ctx.db().write(insert).await.unwrap();
}

#[tokio::test]
async fn an_undo_names_its_own_change_whatever_the_clock_said() {
    let p = start().await;
    let shown = |full: &Value| (full["groups"][0]["name"].clone(), full["columns"][2]["title"].clone());
    for (op, input, field) in [
        ("boards.groups.update", json!({"groupId": "g1", "name": "New"}), "groups/g1"),
        ("boards.columns.update", json!({"columnId": "c3", "title": "New"}), "columns/c3"),
    ] {
        let b = tasks_board(&p).await;
        let start = shown(&full_json(&p, &b).await);
        let mut input = input;
        input["boardId"] = json!(b);
        p.owner(op, input).await.unwrap();
        let (change, after) = (newest(&p, "board", &b).await, shown(&full_json(&p, &b).await));
        recorded_ahead(&p, &b, field).await;
        let undone = undo(&p, &b, &change).await.unwrap();
        assert!(!made(&undone).starts_with("zz"), "{undone}");
        assert_ne!(undone["value"]["name"], "Ahead");
        assert_eq!(shown(&full_json(&p, &b).await), start);
        let revision = undone["boardRevision"].clone();
        assert_eq!(p.owner("boards.get", json!({"boardId": b})).await.unwrap()["revision"], revision);
        undo(&p, &b, &made(&undone)).await.unwrap();
        assert_eq!(shown(&full_json(&p, &b).await), after);
        // The same of whole revisions.
        let redone = json!({"boardId": b, "revision": revision.as_i64().unwrap() + 1});
        let undone = p.owner("boards.undo", redone).await.unwrap();
        assert_eq!(undone["undoneBy"], revision.as_i64().unwrap() + 2);
        assert_eq!(shown(&full_json(&p, &b).await), start);
        p.owner("boards.undo", json!({"boardId": b, "revision": undone["undoneBy"]})).await.unwrap();
        assert_eq!(shown(&full_json(&p, &b).await), after);
        p.owner("boards.undo", json!({"boardId": b, "revision": revision.as_i64().unwrap() + 3})).await.unwrap();
        assert_eq!(shown(&full_json(&p, &b).await), start);
    }
}

#[tokio::test]
async fn a_removed_label_s_id_is_never_another_s_and_comes_back_by_undo_alone() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let column = |full: &Value| full["columns"][0].clone();
    let before = column(&full_json(&p, &b).await);
    let labels = before["settings"]["labels"].as_array().unwrap().clone();
    let put = |labels: Vec<Value>| {
        p.owner("boards.columns.update", json!({"boardId": b, "columnId": "c1", "settings": {"labels": labels}}))
    };
    let label_ids = |column: &Value| ids(&column["settings"]["labels"]).join(" ");
    let renamed = [vec![json!({"id": "l1", "text": "Renamed"})], labels[1..].to_vec()].concat();
    let renamed = put(renamed).await.unwrap();
    let rename = newest(&p, "board", &b).await;
    // A label that came and went by an undo has used up its id as well.
    let more = [labels.clone(), vec![json!({"text": "More"})]].concat();
    assert_eq!(label_ids(&put(more.clone()).await.unwrap()), "l1 l2 l3 l4 l5");
    let taken_back = undo(&p, &b, &newest(&p, "board", &b).await).await.unwrap();
    assert_eq!(column(&full_json(&p, &b).await)["settings"]["labels"], renamed["settings"]["labels"]);
    undo(&p, &b, &made(&taken_back)).await.unwrap();
    assert_eq!(label_ids(&column(&full_json(&p, &b).await)), "l1 l2 l3 l4 l5");
    undo(&p, &b, &newest(&p, "board", &b).await).await.unwrap();
    // What stood before it is taken back one by one, whatever ids were used up meanwhile.
    undo(&p, &b, &rename).await.unwrap();
    assert_eq!(column(&full_json(&p, &b).await)["settings"]["labels"], json!(labels));
    assert_eq!(label_ids(&put(more).await.unwrap()), "l1 l2 l3 l4 l6");

    put(vec![labels[0].clone(), labels[3].clone()]).await.unwrap();
    let removal = newest(&p, "board", &b).await;
    for id in ["l2", "l5"] {
        let other = vec![labels[0].clone(), json!({"id": id, "text": "Other"})];
        let refusal = refused(put(other).await, "invalid-input");
        assert_eq!(refusal.fields()[0].pointer, "/settings/labels/1/id");
    }
    undo(&p, &b, &removal).await.unwrap();
    assert_eq!(label_ids(&column(&full_json(&p, &b).await)), "l1 l2 l3 l4 l6");
}
