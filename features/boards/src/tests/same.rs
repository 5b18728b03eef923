//! Writing what is so already is no change, by whichever operation.

use super::files::Desk;
use super::*;
use events::HasEvents;
use testkit::refused;

/// What a change would leave another: the board with its items and views, its comments, and how much is recorded.
async fn state(p: &Program, board: &str) -> Value {
    let sql = "SELECT count(*) FROM changes";
    let recorded: i64 = p.ctx.db().read(move |tx| tx.query_one(sql, &[], |row| row.get(0))).await.unwrap();
    let of = json!({"boardId": board});
    let comments = "SELECT revision, updated_ms FROM item_comments";
    let comments = move |tx: &mut store::Tx<'_>| {
        tx.query(comments, &[], |row| Ok(json!([row.get::<i64>(0)?, row.get::<i64>(1)?])))
    };
    let comments = p.ctx.db().read(comments).await.unwrap();
    json!([p.owner("boards.get", of.clone()).await.unwrap(), full_json(p, board).await, comments, recorded])
}

#[tokio::test]
async fn what_is_so_already_is_answered_and_leaves_no_revision_no_record_and_no_event() {
    let p = start().await;
    let board = tasks_board(&p).await;
    let points = add_column(&p, &board, "Points", "number", json!({"unit": "h"})).await;
    let add = |input: Value| p.owner("boards.items.create", input);
    let cells = json!({"c1": "l1", "c2": [ANNA], "c3": "2026-03-09", &points: 5});
    let item = add(json!({"boardId": board, "name": "One", "cells": cells})).await.unwrap()["id"].clone();
    let part = add(json!({"boardId": board, "name": "Part", "parentId": item})).await.unwrap()["id"].clone();
    let item_of = |more: Value| {
        let mut input = json!({"boardId": board, "itemId": item});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    let comment = p.owner("boards.comments.create", item_of(json!({"text": "Hi"}))).await.unwrap()["id"].clone();
    let got = p.owner("boards.get", json!({"boardId": board})).await.unwrap();
    let (group, view, columns) = (&got["groups"][0], &got["views"][0], &got["columns"]);
    let position = p.owner("boards.items.get", item_of(json!({}))).await.unwrap()["position"].clone();
    let last = crate::item::POSITION_MAX;

    let same = [
        ("boards.cell", item_of(json!({"columnId": "c1", "value": "l1"}))),
        ("boards.cell", item_of(json!({"columnId": "c2", "value": ["Anna Berg"]}))),
        ("boards.cell", item_of(json!({"columnId": points, "value": 5.0}))),
        ("boards.cell", item_of(json!({"columnId": "c1", "value": "l1", "was": "l1"}))),
        ("boards.items.update", item_of(json!({}))),
        ("boards.items.update", item_of(json!({"name": "One", "cells": cells}))),
        ("boards.items.update", item_of(json!({"groupId": "g1", "position": position, "parentId": null}))),
        ("boards.items.update", json!({"boardId": board, "itemId": part, "parentId": item, "groupId": "g1"})),
        ("boards.items.update", json!({"boardId": board, "itemId": part, "position": last})),
        ("boards.items.update", json!({"boardId": board, "itemId": part, "cells": {"c1": null, "c2": []}})),
        ("boards.columns.update", json!({"boardId": board, "columnId": "c1", "title": columns[0]["title"]})),
        ("boards.columns.update", json!({"boardId": board, "columnId": "c1", "settings": columns[0]["settings"]})),
        (
            "boards.columns.update",
            json!({"boardId": board, "columnId": points, "settings": {"unit": "h"}, "position": 99}),
        ),
        ("boards.groups.update", json!({"boardId": board, "groupId": "g1", "name": group["name"], "position": 0})),
        ("boards.groups.update", json!({"boardId": board, "groupId": "g1", "color": group["color"]})),
        ("boards.update", json!({"boardId": board, "name": "Work"})),
        ("boards.views.update", json!({"boardId": board, "viewId": view["id"], "name": view["name"], "position": 0})),
        (
            "boards.views.update",
            json!({"boardId": board, "viewId": view["id"], "kind": view["kind"], "settings": view["settings"]}),
        ),
        ("boards.comments.update", item_of(json!({"commentId": comment, "text": "Hi"}))),
        ("boards.cells", json!({"boardId": board, "items": [{"itemId": item, "name": "One"}]})),
    ];
    let before = state(&p, &board).await;
    let mut heard = p.ctx.events().listen(None).1;
    p.clock.advance_ms(60_000);
    for (op, input) in same {
        let answer = p.owner(op, input.clone()).await.unwrap_or_else(|e| panic!("{op} {input}: {e}"));
        assert_eq!(state(&p, &board).await, before, "{op} {input}");
        assert!(heard.try_recv().is_err(), "{op} {input}: somebody is told");
        if op == "boards.comments.update" {
            continue;
        }
        assert_eq!(answer["unchanged"], true, "{op} {input}: {answer}");
        for (told, now) in [("boardRevision", &before[0]["revision"]), ("updatedAt", &answer["createdAt"])] {
            assert!(answer[told].is_null() || answer[told] == *now, "{op} {input}: {answer}");
        }
        assert!(answer["changeId"].is_null(), "{op} {input}: {answer}");
    }
    // What is one says nothing of this.
    let changed = p.owner("boards.cell", item_of(json!({"columnId": "c1", "value": "l2"}))).await.unwrap();
    assert_eq!((changed.get("unchanged"), changed["updatedAt"] == changed["createdAt"]), (None, false));
}

#[tokio::test]
async fn of_several_parts_only_those_that_change_are_recorded() {
    let p = start().await;
    let board = tasks_board(&p).await;
    let new = json!({"boardId": board, "name": "One", "cells": {"c1": "l1"}});
    let item = p.owner("boards.items.create", new).await.unwrap()["id"].clone();
    let update = json!({"boardId": board, "itemId": item, "name": "One", "groupId": "g1", "cells": {"c1": "l1", "c3": "2026-03-09"}});
    p.owner("boards.items.update", update).await.unwrap();
    let activity = p.owner("boards.items.activity", json!({"boardId": board, "itemId": item})).await.unwrap();
    let fields: Vec<&Value> = activity["items"].as_array().unwrap().iter().map(|entry| &entry["field"]).collect();
    assert_eq!(fields, ["c3", ""]);
}

#[test]
fn numbers_are_the_same_however_they_are_written_and_no_two_are_taken_for_one() {
    let (large, next) = (9_007_199_254_740_992_i64, 9_007_199_254_740_993_i64);
    for (one, other, same, as_read) in [
        (json!(5), json!(5.0), true, true),
        (json!(0), json!(-0.0), true, true),
        (json!(0.1), json!(0.1), true, true),
        (json!(5), json!(5.5), false, false),
        (json!(large), json!(next), false, true),
        (json!(large), json!(large as f64), true, true),
        (json!(next), json!(large as f64), false, true),
        (json!(u64::MAX), json!(u64::MAX - 1), false, true),
        (json!(u64::MAX), json!(u64::MAX as f64), false, true),
        (json!(1e300), json!(1e300), true, true),
        (json!(i64::MIN), json!(i64::MIN as f64), true, true),
    ] {
        for (one, other) in [(&one, &other), (&other, &one)] {
            let found = (crate::cells::same(Some(one), Some(other)), crate::cells::is_as_read(Some(one), other));
            assert_eq!(found, (same, as_read), "{one} {other}");
        }
    }
}

#[tokio::test]
async fn large_whole_numbers_that_differ_are_a_change() {
    let p = start().await;
    let board = tasks_board(&p).await;
    let points = add_column(&p, &board, "Points", "number", json!({})).await;
    let (first, second, third) = (9_007_199_254_740_993_i64, 9_007_199_254_740_992_i64, 9_007_199_254_740_991_i64);
    let new = json!({"boardId": board, "name": "One", "cells": {&points: first}});
    let item = p.owner("boards.items.create", new).await.unwrap()["id"].clone();
    // A page holds the first as the second, and may change it all the same.
    let items = json!([{"itemId": item, "cells": {&points: second}, "was": {&points: second}}]);
    assert_eq!(p.owner("boards.cells", json!({"boardId": board, "items": items})).await.unwrap()["cells"], 1);
    let cell = |value: i64, was: i64| json!({"boardId": board, "itemId": item, "columnId": points, "value": value, "was": was});
    let changed = p.owner("boards.cell", cell(first, first)).await.unwrap();
    assert_eq!((&changed["cells"][&points], changed.get("unchanged")), (&json!(first), None));
    refused(p.owner("boards.cell", cell(first, third)).await, "stale-revision");
}

#[tokio::test]
async fn a_revision_that_is_not_the_one_expected_is_refused_also_where_all_is_so() {
    let p = start().await;
    let board = tasks_board(&p).await;
    let item = p.owner("boards.items.create", json!({"boardId": board, "name": "One"})).await.unwrap()["id"].clone();
    p.owner("boards.cell", json!({"boardId": board, "itemId": item, "columnId": "c1", "value": "l1"})).await.unwrap();
    for (op, input) in [
        ("boards.cell", json!({"boardId": board, "itemId": item, "columnId": "c1", "value": "l1"})),
        ("boards.items.update", json!({"boardId": board, "itemId": item, "name": "One"})),
        ("boards.update", json!({"boardId": board, "name": "Work"})),
        ("boards.cells", json!({"boardId": board, "items": [{"itemId": item, "name": "One"}]})),
    ] {
        let call = Call { if_match: Some("\"1\"".to_owned()), ..Call::new(owner()) };
        refused(p.call(call, op, input).await, "stale-revision");
    }
}

#[tokio::test]
async fn a_file_that_keeps_its_name_and_place_is_no_change() {
    let p = start().await;
    let desk = Desk::new(&p).await;
    let file = desk.add(&p, "a.txt", "Text").await;
    let before = state(&p, &desk.board).await;
    let same = desk.cell(json!({"fileId": file["id"], "name": "a.txt", "position": 7}));
    assert_eq!(p.owner("boards.files.update", same).await.unwrap()["unchanged"], true);
    assert_eq!(state(&p, &desk.board).await, before);
}

#[tokio::test]
async fn what_is_as_it_was_already_is_not_taken_back() {
    let p = start().await;
    let board = tasks_board(&p).await;
    let of = |more: Value| {
        let mut input = json!({"boardId": board});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    // The group is at its place again, since the one that it was moved behind went.
    let moved = p.owner("boards.groups.update", of(json!({"groupId": "g1", "position": 1}))).await.unwrap();
    p.owner("boards.groups.delete", of(json!({"groupId": "g2"}))).await.unwrap();
    let before = state(&p, &board).await;
    refused(p.owner("boards.undo", of(json!({"revision": moved["boardRevision"]}))).await, "not-undoable");
    // An earlier version of the program recorded what was no change.
    let item = p.owner("boards.items.create", of(json!({"name": "One"}))).await.unwrap()["id"].clone();
    let (id, by) = (item.as_str().unwrap().to_owned(), owner());
    let record = move |tx: &mut store::Tx<'_>| {
        let name = json!("One");
        let (before, after) = (Some(&name), Some(&name));
        tx.record(&by, START_MS, store::Change { subject: "item", subject_id: &id, field: "name", before, after })
    };
    let change = p.ctx.db().write(record).await.unwrap();
    let stands = state(&p, &board).await;
    refused(p.owner("boards.undo", of(json!({"changeId": change}))).await, "not-undoable");
    assert_eq!(state(&p, &board).await, stands);
    assert_ne!(before, stands);
}
