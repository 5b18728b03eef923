//! A deleted group is taken back by its revision alone: with its items, their subitems and what belongs to them.

use super::*;
use testkit::refused;

async fn add(p: &Program, board: &str, name: &str, more: Value) -> Value {
    let mut input = json!({"boardId": board, "name": name});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    p.owner("boards.items.create", input).await.unwrap()["id"].clone()
}

/// What the board holds, without when it was changed and its own numbers.
async fn held(p: &Program, board: &str) -> Value {
    let full = full_json(p, board).await;
    let mut items = full["items"].clone();
    for item in items.as_array_mut().unwrap() {
        item.as_object_mut().unwrap().retain(|name, _| !name.starts_with("updated"));
    }
    let counts = ["itemCount", "subitemCount"].map(|name| full["board"][name].clone());
    json!({"groups": full["groups"], "columns": full["columns"], "items": items, "counts": counts})
}

async fn revision(p: &Program, board: &str) -> i64 {
    p.owner("boards.get", json!({"boardId": board})).await.unwrap()["revision"].as_i64().unwrap()
}

/// Takes a revision back; the one that did so.
async fn undo(p: &Program, board: &str, revision: i64) -> kit::Result<i64> {
    let undone = p.owner("boards.undo", json!({"boardId": board, "revision": revision})).await?;
    Ok(undone["undoneBy"].as_i64().unwrap())
}

/// A board of tasks with a formula. Its first group has two items; the first of them has two subitems and a comment.
async fn family(p: &Program) -> (String, Value) {
    let b = tasks_board(p).await;
    add_column(p, &b, "Points", "number", json!({})).await;
    add_column(p, &b, "Twice", "formula", json!({"formula": "{Points} * 2"})).await;
    let one = add(p, &b, "One", json!({"groupId": "g1", "cells": {"c1": "l1", "c2": [ANNA], "c4": 1}})).await;
    add(p, &b, "Else", json!({"groupId": "g2", "cells": {"c4": 9}})).await;
    for name in ["First", "Second"] {
        add(p, &b, name, json!({"parentId": one, "cells": {"c4": 3}})).await;
    }
    add(p, &b, "Two", json!({"groupId": "g1"})).await;
    let comment = json!({"boardId": b, "itemId": one, "text": "Said"});
    p.owner("boards.comments.create", comment).await.unwrap();
    (b, one)
}

#[tokio::test]
async fn group_items_and_subitems_come_back_and_go_again() {
    let p = start().await;
    let (b, one) = family(&p).await;
    for how in [json!({"withItems": true}), json!({"moveTo": "g2"})] {
        let before = held(&p, &b).await;
        let mut input = json!({"boardId": b, "groupId": "g1"});
        input.as_object_mut().unwrap().extend(how.as_object().unwrap().clone());
        p.owner("boards.groups.delete", input).await.unwrap();
        let after = held(&p, &b).await;
        let mut step = revision(&p, &b).await;
        for expected in [&before, &after, &before, &after, &before] {
            step = undo(&p, &b, step).await.unwrap_or_else(|e| panic!("{how}: {e}"));
            assert_eq!(held(&p, &b).await, *expected, "{how}");
            assert_eq!(step, revision(&p, &b).await);
        }
        let comments = p.owner("boards.comments.list", json!({"boardId": b, "itemId": one})).await.unwrap();
        assert_eq!(comments["items"][0]["text"], "Said");
        let trash = p.owner("boards.trash.list", json!({"boardId": b})).await.unwrap();
        assert_eq!(trash["items"], json!([]), "{how}");
    }
}

#[tokio::test]
async fn what_others_did_elsewhere_meanwhile_stays() {
    let p = start().await;
    let (b, _) = family(&p).await;
    let before = held(&p, &b).await;
    p.owner("boards.groups.delete", json!({"boardId": b, "groupId": "g1", "withItems": true})).await.unwrap();
    let step = revision(&p, &b).await;
    let other = held(&p, &b).await["items"][0]["id"].clone();
    let cell = json!({"boardId": b, "itemId": other, "columnId": "c4", "value": 10});
    p.owner("boards.cell", cell).await.unwrap();
    p.owner("boards.groups.create", json!({"boardId": b, "name": "New"})).await.unwrap();
    let settings = json!({"formula": "{Points} * 3"});
    p.owner("boards.columns.update", json!({"boardId": b, "columnId": "c5", "settings": settings})).await.unwrap();
    undo(&p, &b, step).await.unwrap();
    let now = held(&p, &b).await;
    let names: Vec<&str> = now["groups"].as_array().unwrap().iter().map(|g| g["name"].as_str().unwrap()).collect();
    assert_eq!((names.len(), names[2]), (3, "New"));
    assert_eq!(names[0], before["groups"][0]["name"], "at its place");
    let shown: Vec<(&str, &Value)> =
        now["items"].as_array().unwrap().iter().map(|i| (i["name"].as_str().unwrap(), &i["cells"]["c5"])).collect();
    let none = Value::Null;
    assert_eq!(
        shown,
        [("One", &json!(3)), ("Else", &json!(30)), ("First", &json!(9)), ("Second", &json!(9)), ("Two", &none)]
    );
    assert_eq!(now["items"][2]["parentId"], now["items"][0]["id"]);
}

#[tokio::test]
async fn a_group_that_is_there_again_is_not_taken_back_twice() {
    let p = start().await;
    let (b, _) = family(&p).await;
    p.owner("boards.groups.delete", json!({"boardId": b, "groupId": "g1", "withItems": true})).await.unwrap();
    let step = revision(&p, &b).await;
    p.owner("boards.groups.restore", json!({"boardId": b, "groupId": "g1"})).await.unwrap();
    let before = held(&p, &b).await;
    let told = refused(undo(&p, &b, step).await, "conflict").problem();
    assert_eq!(told["detail"], "Nothing was undone. It has been changed again since then.");
    assert_eq!(held(&p, &b).await, before);
}

#[tokio::test]
async fn a_group_of_several_steps_of_items_comes_back_whole() {
    let p = start().await;
    let (b, _) = family(&p).await;
    // More than one step takes back of single items.
    for _ in 0..6 {
        let items: Vec<Value> = (0..1_000).map(|n| json!({"name": format!("I{n}"), "groupId": "g1"})).collect();
        p.owner("boards.items.create", json!({"boardId": b, "items": items})).await.unwrap();
    }
    let before = held(&p, &b).await;
    p.owner("boards.groups.delete", json!({"boardId": b, "groupId": "g1", "withItems": true})).await.unwrap();
    assert_eq!(held(&p, &b).await["counts"][0], 1);
    undo(&p, &b, revision(&p, &b).await).await.unwrap();
    assert_eq!(held(&p, &b).await, before);
}

#[tokio::test]
async fn a_group_of_very_many_items_goes_and_comes_back_as_any_other() {
    let p = start().await;
    let (b, one) = family(&p).await;
    let odd = "Said \"so\" \\ and more";
    let items: Vec<Value> = (0..150).map(|n| json!({"name": format!("{odd} {n}"), "groupId": "g1"})).collect();
    p.owner("boards.items.create", json!({"boardId": b, "items": items})).await.unwrap();
    let before = held(&p, &b).await;
    let known = revision(&p, &b).await;
    p.owner("boards.groups.delete", json!({"boardId": b, "groupId": "g1", "withItems": true})).await.unwrap();
    let after = held(&p, &b).await;
    assert_eq!((after["items"].as_array().unwrap().len(), &after["counts"]), (1, &json!([1, null])));
    let of = b.clone();
    let names = move |tx: &mut store::Tx<'_>| {
        let sql = "SELECT name FROM board_kept WHERE account_id = $1 AND board_id = $2 AND with_thing = $3 ORDER BY position, thing_id";
        tx.query(sql, params![ACCOUNT, &of, "group/g1"], |row| row.get::<String>(0))
    };
    let kept = p.ctx.db().read(names).await.unwrap();
    assert_eq!((kept.len(), kept.last().unwrap()), (154, &format!("{odd} 149")));
    let restored = p.owner("boards.groups.restore", json!({"boardId": b, "groupId": "g1"})).await;
    assert_eq!(restored.unwrap()["id"], "g1");
    assert_eq!(held(&p, &b).await, before);
    let activity = p.owner("boards.items.activity", json!({"boardId": b, "itemId": one})).await.unwrap();
    let fields = [0, 1].map(|at| activity["items"][at]["field"].clone());
    assert_eq!(fields, ["kept", "kept"], "it went and came");
    let of = b.clone();
    let left = move |tx: &mut store::Tx<'_>| {
        let sql = "SELECT count(*) FROM items_left WHERE account_id = $1 AND board_id = $2 AND revision > $3";
        tx.query_one(sql, params![ACCOUNT, &of, known], |row| row.get::<i64>(0))
    };
    assert_eq!(p.ctx.db().read(left).await.unwrap(), 0, "nobody is told of so many one by one");
    // Who kept the board reads it anew.
    let changed = p.owner("boards.changed", json!({"boardId": b, "since": known})).await.unwrap();
    assert_eq!(changed["reload"], json!(true));
    for expected in [&after, &before] {
        let step = revision(&p, &b).await;
        undo(&p, &b, step).await.unwrap();
        assert_eq!(held(&p, &b).await, *expected);
    }
}
