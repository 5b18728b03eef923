use super::full::{as_json, decode, with_floats};
use super::*;
use testkit::refused;

/// Two items, each with a subitem, made on a board of tasks; the board and the ids of one, its subitem, two, its subitem.
async fn family(p: &Program) -> (String, [String; 4]) {
    let board = tasks_board(p).await;
    let [one, two] = [add(p, &board, "One", None).await, add(p, &board, "Two", None).await];
    let [first, second] = [add(p, &board, "First", Some(&one)).await, add(p, &board, "Second", Some(&two)).await];
    (board, [one, first, two, second])
}

async fn add(p: &Program, board: &str, name: &str, parent: Option<&str>) -> String {
    let mut input = json!({"boardId": board, "name": name, "cells": {"c1": "l2"}});
    if let Some(parent) = parent {
        input["parentId"] = json!(parent);
    }
    p.owner("boards.items.create", input).await.unwrap()["id"].as_str().unwrap().to_owned()
}

async fn update(p: &Program, board: &str, item: &str, more: Value) -> kit::Result<Value> {
    let mut input = json!({"boardId": board, "itemId": item});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    p.owner("boards.items.update", input).await
}

fn which(board: &str, item: &str) -> Value {
    json!({"boardId": board, "itemId": item})
}

/// Both forms hold the same; of the items `name (parent's name) group`, by position.
async fn drawn(p: &Program, board: &str) -> Vec<String> {
    let full = full_json(p, board).await;
    let arrow = as_json(&decode(&full_reply(p, board, crate::ARROW, None).await));
    assert_eq!(with_floats(arrow), with_floats(full.clone()));
    let items = full["items"].as_array().unwrap();
    let subitems = items.iter().filter(|item| item["parentId"].is_string()).count();
    let counts = (full["board"]["itemCount"].as_u64(), full["board"]["subitemCount"].as_u64().unwrap_or(0));
    assert_eq!(counts, (Some((items.len() - subitems) as u64), subitems as u64));
    let draw = |item: &Value| {
        let parent = items.iter().find(|other| other["id"] == item["parentId"]);
        let parent = parent.map_or(String::new(), |parent| format!(" ({})", parent["name"].as_str().unwrap()));
        format!("{}{parent} {}", item["name"].as_str().unwrap(), item["groupId"].as_str().unwrap())
    };
    items.iter().map(draw).collect()
}

async fn newest(p: &Program, item: &str, field: &'static str) -> String {
    let item = item.to_owned();
    let read = move |tx: &mut store::Tx<'_>| tx.changes(ACCOUNT, "item", &item, None, 10);
    let changes = p.ctx.db().read(read).await.unwrap();
    changes.into_iter().find(|change| change.field == field).unwrap().change_id
}

async fn undo(p: &Program, board: &str, change: &str) -> kit::Result<Value> {
    p.owner("boards.undo", json!({"boardId": board, "changeId": change})).await
}

#[tokio::test]
async fn items_are_made_as_subitems_one_or_many() {
    let p = start().await;
    let board = tasks_board(&p).await;
    let one = add(&p, &board, "One", None).await;
    update(&p, &board, &one, json!({"groupId": "g2"})).await.unwrap();
    let plain = full_json(&p, &board).await;
    assert!(plain["board"].get("subitemCount").is_none() && plain["items"][0].get("parentId").is_none());

    let made = p.owner("boards.items.create", json!({"boardId": board, "name": "A", "parentId": one})).await.unwrap();
    assert_eq!((&made["parentId"], &made["groupId"]), (&json!(one), &json!("g2")));
    let many = json!([{"name": "B", "parentId": one, "groupId": "g2"}, {"name": "C"}, {"name": "D", "parentId": one}]);
    p.owner("boards.items.create", json!({"boardId": board, "items": many})).await.unwrap();
    assert_eq!(drawn(&p, &board).await, ["One g2", "A (One) g2", "B (One) g2", "C g1", "D (One) g2"]);
    let listed = p.owner("boards.items.list", json!({"boardId": board, "parentId": one, "limit": 2})).await.unwrap();
    assert_eq!((&listed["items"][0]["name"], &listed["items"][1]["name"]), (&json!("A"), &json!("B")));
    let next = json!({"boardId": board, "parentId": one, "limit": 2, "cursor": listed["nextCursor"]});
    assert_eq!(p.owner("boards.items.list", next).await.unwrap()["items"][0]["name"], "D");

    let new = |more: Value| {
        let mut input = json!({"boardId": board, "name": "X"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        p.owner("boards.items.create", input)
    };
    let a = made["id"].as_str().unwrap();
    let error = refused(new(json!({"parentId": a})).await, "subitem-depth");
    assert_eq!(error.fields()[0].pointer, "/parentId");
    refused(new(json!({"parentId": "nowhere"})).await, "named-not-found");
    refused(new(json!({"parentId": one, "groupId": "g1"})).await, "invalid-input");
    refused(p.owner("boards.items.list", json!({"boardId": board, "parentId": "nowhere"})).await, "named-not-found");
    // An item of another board is as unknown as none.
    let (elsewhere, ids) = family(&p).await;
    refused(new(json!({"parentId": ids[0]})).await, "named-not-found");
    refused(update(&p, &elsewhere, &ids[0], json!({"parentId": one})).await, "named-not-found");
    assert_eq!(drawn(&p, &board).await.len(), 5);
}

#[tokio::test]
async fn an_item_becomes_a_subitem_and_an_item_again() {
    let p = start().await;
    let (board, [one, first, two, second]) = family(&p).await;
    update(&p, &board, &two, json!({"groupId": "g2"})).await.unwrap();
    let since = full_json(&p, &board).await["board"]["revision"].clone();
    update(&p, &board, &first, json!({"parentId": two, "was": {"parentId": one}})).await.unwrap();
    assert_eq!(drawn(&p, &board).await, ["One g1", "Two g2", "First (Two) g2", "Second (Two) g2"]);
    let changed = p.owner("boards.changed", json!({"boardId": board, "since": since})).await.unwrap();
    assert_eq!((&changed["items"][0]["parentId"], &changed["board"]["subitemCount"]), (&json!(two), &json!(2)));
    refused(update(&p, &board, &first, json!({"parentId": null, "was": {"parentId": one}})).await, "stale-revision");

    for (item, parent) in [(&two, &one), (&one, &first), (&one, &one)] {
        refused(update(&p, &board, item, json!({"parentId": parent})).await, "subitem-depth");
    }
    refused(update(&p, &board, &first, json!({"groupId": "g1"})).await, "invalid-input");
    refused(update(&p, &board, &first, json!({"parentId": one, "groupId": "g2"})).await, "invalid-input");
    refused(update(&p, &board, &first, json!({"parentId": 7})).await, "invalid-input");
    update(&p, &board, &first, json!({"groupId": "g2", "parentId": two, "name": "Same"})).await.unwrap();

    update(&p, &board, &first, json!({"parentId": null, "groupId": "g1"})).await.unwrap();
    update(&p, &board, &second, json!({"parentId": ""})).await.unwrap();
    assert_eq!(drawn(&p, &board).await, ["One g1", "Two g2", "Same g1", "Second g2"]);
    update(&p, &board, &one, json!({"parentId": two})).await.unwrap();
    assert_eq!(drawn(&p, &board).await, ["One (Two) g2", "Two g2", "Same g1", "Second g2"]);
}

#[tokio::test]
async fn subitems_follow_their_parent_from_group_to_group() {
    let p = start().await;
    let (board, [one, ..]) = family(&p).await;
    update(&p, &board, &one, json!({"groupId": "g2"})).await.unwrap();
    let moved = ["One g2", "Two g1", "First (One) g2", "Second (Two) g1"];
    assert_eq!(drawn(&p, &board).await, moved);
    let undone = undo(&p, &board, &newest(&p, &one, "groupId").await).await.unwrap();
    assert_eq!(drawn(&p, &board).await, ["One g1", "Two g1", "First (One) g1", "Second (Two) g1"]);
    undo(&p, &board, undone["changeId"].as_str().unwrap()).await.unwrap();
    assert_eq!(drawn(&p, &board).await, moved);
    p.owner("boards.groups.delete", json!({"boardId": board, "groupId": "g2", "moveTo": "g1"})).await.unwrap();
    assert!(drawn(&p, &board).await.iter().all(|item| item.ends_with("g1")));
}

#[tokio::test]
async fn becoming_and_leaving_are_recorded_and_taken_back() {
    let p = start().await;
    let (board, [one, first, two, _]) = family(&p).await;
    update(&p, &board, &two, json!({"groupId": "g2"})).await.unwrap();
    let three = add(&p, &board, "Three", None).await;
    let before = drawn(&p, &board).await;
    update(&p, &board, &three, json!({"parentId": two})).await.unwrap();
    let activity = p.owner("boards.items.activity", which(&board, &three)).await.unwrap();
    let told = &activity["items"][0];
    assert_eq!((&told["field"], &told["undoable"]), (&json!("parentId"), &json!(true)));
    assert_eq!(
        (&told["before"], &told["after"]),
        (&json!({"groupId": "g1"}), &json!({"groupId": "g2", "parentId": two}))
    );
    let undone = undo(&p, &board, told["changeId"].as_str().unwrap()).await.unwrap();
    assert_eq!(drawn(&p, &board).await, before);
    let redone = undo(&p, &board, undone["changeId"].as_str().unwrap()).await.unwrap();
    assert_eq!(drawn(&p, &board).await[4], "Three (Two) g2");

    // From one parent to another, and back; once it is in force no more, it is refused.
    update(&p, &board, &three, json!({"parentId": one})).await.unwrap();
    refused(undo(&p, &board, redone["changeId"].as_str().unwrap()).await, "conflict");
    undo(&p, &board, &newest(&p, &three, "parentId").await).await.unwrap();
    assert_eq!(drawn(&p, &board).await[4], "Three (Two) g2");

    // The parent is gone meanwhile, or cannot have it any more.
    update(&p, &board, &first, json!({"parentId": null})).await.unwrap();
    let left = newest(&p, &first, "parentId").await;
    p.owner("boards.items.delete", which(&board, &one)).await.unwrap();
    refused(undo(&p, &board, &left).await, "conflict");
    p.owner("boards.items.restore", which(&board, &one)).await.unwrap();
    update(&p, &board, &one, json!({"parentId": two})).await.unwrap();
    refused(undo(&p, &board, &left).await, "subitem-depth");
}

#[tokio::test]
async fn subitems_leave_and_come_back_with_their_parent() {
    let p = start().await;
    let (board, [one, first, two, second]) = family(&p).await;
    let before = full_json(&p, &board).await["items"].clone();
    for op in ["boards.items.delete", "boards.items.archive"] {
        p.owner(op, which(&board, &one)).await.unwrap();
        assert_eq!(drawn(&p, &board).await, ["Two g1", "Second (Two) g1"]);
        let place = if op.ends_with("delete") { "trash" } else { "archive" };
        let listed = p.owner("boards.trash.list", json!({"boardId": board, "place": place})).await.unwrap();
        assert_eq!((&listed["items"][0]["id"], &listed["items"][0]["itemCount"]), (&json!(one), &json!(1)));
        assert_eq!(listed["items"].as_array().unwrap().len(), 1);
        p.owner("boards.items.restore", which(&board, &one)).await.unwrap();
        assert_eq!(full_json(&p, &board).await["items"], before);
    }
    undo(&p, &board, &newest(&p, &one, "kept").await).await.unwrap();
    undo(&p, &board, &newest(&p, &one, "kept").await).await.unwrap();
    assert_eq!(full_json(&p, &board).await["items"], before);

    // A group with all of them.
    p.owner("boards.groups.delete", json!({"boardId": board, "groupId": "g1", "withItems": true})).await.unwrap();
    assert!(drawn(&p, &board).await.is_empty());
    p.owner("boards.groups.restore", json!({"boardId": board, "groupId": "g1"})).await.unwrap();
    assert_eq!(full_json(&p, &board).await["items"], before);

    // A subitem by itself, back to its parent wherever that stands now.
    p.owner("boards.items.delete", which(&board, &first)).await.unwrap();
    update(&p, &board, &one, json!({"groupId": "g2"})).await.unwrap();
    assert_eq!(drawn(&p, &board).await, ["One g2", "Two g1", "Second (Two) g1"]);
    p.owner("boards.items.restore", which(&board, &first)).await.unwrap();
    assert_eq!(drawn(&p, &board).await[2], "First (One) g2");

    // Its parent is gone: it comes back as an item, also where both left together.
    for parent_first in [true, false] {
        let order = if parent_first { [&two, &second] } else { [&second, &two] };
        for item in &order[..if parent_first { 1 } else { 2 }] {
            p.owner("boards.items.delete", which(&board, item)).await.unwrap();
        }
        p.owner("boards.items.restore", which(&board, &second)).await.unwrap();
        assert_eq!(drawn(&p, &board).await, ["One g2", "First (One) g2", "Second g1"]);
        p.owner("boards.items.restore", which(&board, &two)).await.unwrap();
        update(&p, &board, &second, json!({"parentId": two})).await.unwrap();
    }
    // Its parent is a subitem by now.
    p.owner("boards.items.delete", which(&board, &second)).await.unwrap();
    update(&p, &board, &two, json!({"parentId": one})).await.unwrap();
    p.owner("boards.items.restore", which(&board, &second)).await.unwrap();
    assert_eq!(drawn(&p, &board).await, ["One g2", "Two (One) g2", "First (One) g2", "Second g1"]);
}

#[tokio::test]
async fn subitems_go_for_good_with_their_parent() {
    let p = start().await;
    let (board, [one, first, ..]) = family(&p).await;
    let comment = json!({"boardId": board, "itemId": first, "text": "Gone"});
    p.owner("boards.comments.create", comment).await.unwrap();
    p.owner("boards.items.delete", which(&board, &one)).await.unwrap();
    p.owner("boards.trash.delete", json!({"boardId": board, "kind": "item", "entryId": one})).await.unwrap();
    refused(p.owner("boards.items.restore", which(&board, &first)).await, "not-found");
    let count = |tx: &mut store::Tx<'_>| {
        let sql = "SELECT (SELECT count(*) FROM board_kept) + (SELECT count(*) FROM item_comments)";
        tx.query_one(sql, &[], |row| row.get::<i64>(0))
    };
    assert_eq!(p.ctx.db().read(count).await.unwrap(), 0);
    assert_eq!(drawn(&p, &board).await, ["Two g1", "Second (Two) g1"]);
}

#[tokio::test]
async fn a_query_answers_subitems_where_asked() {
    let p = start().await;
    let (board, [_, first, ..]) = family(&p).await;
    let names = |answer: &Value| {
        let items = answer["items"].as_array().unwrap().iter();
        items.map(|item| item["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let items = p.owner("boards.query", json!({"boardId": board})).await.unwrap();
    assert_eq!((names(&items), &items["total"]), (vec!["One".to_owned(), "Two".to_owned()], &json!(2)));
    assert_eq!((&items["boards"][0]["items"], &items["boards"][0]["subitems"]), (&json!(2), &json!(2)));
    let all = p.owner("query", json!({"boardIds": [board], "includeSubitems": true})).await.unwrap();
    assert_eq!(names(&all), ["One", "Two", "First", "Second"]);
    assert!(all["items"][0].get("parentId").is_none() && all["items"][2]["id"] == first);
    assert!(all["items"][2]["parentId"].is_string());
    let rule = json!({"col": {"by": "builtin", "name": "subitem"}, "op": "isChecked"});
    let asked = json!({"boardId": board, "includeSubitems": true, "filters": {"all": [rule]}});
    assert_eq!(names(&p.owner("boards.query", asked).await.unwrap()), ["First", "Second"]);
}

#[tokio::test]
async fn what_is_kept_of_a_board_follows_the_first_and_the_last_subitem() {
    let p = start().await;
    let board = tasks_board(&p).await;
    let mut ids = Vec::new();
    for at in 0..20 {
        ids.push(add(&p, &board, &format!("Item {at}"), None).await);
        drawn(&p, &board).await;
    }
    let fields = || async { decode(&full_reply(&p, &board, crate::ARROW, None).await).0.fields().len() };
    let plain = fields().await;
    update(&p, &board, &ids[3], json!({"parentId": ids[17]})).await.unwrap();
    drawn(&p, &board).await;
    assert_eq!(fields().await, plain + 1);
    update(&p, &board, &ids[18], json!({"parentId": ids[17]})).await.unwrap();
    drawn(&p, &board).await;
    for id in [3, 18] {
        update(&p, &board, &ids[id], json!({"parentId": null})).await.unwrap();
        drawn(&p, &board).await;
    }
    assert_eq!(fields().await, plain);
}

#[tokio::test]
async fn an_item_has_a_limited_number_of_subitems() {
    let p = start().await;
    let board = tasks_board(&p).await;
    let one = add(&p, &board, "One", None).await;
    let many: Vec<_> = (0..crate::SUBITEMS_MAX).map(|at| json!({"name": format!("{at}"), "parentId": one})).collect();
    p.owner("boards.items.create", json!({"boardId": board, "items": many})).await.unwrap();
    let more = json!({"boardId": board, "name": "More", "parentId": one});
    refused(p.owner("boards.items.create", more).await, "board-limit");
    let two = add(&p, &board, "Two", None).await;
    refused(update(&p, &board, &two, json!({"parentId": one})).await, "board-limit");
}

#[tokio::test]
async fn changes_of_many_and_undone_revisions_take_subitems_along() {
    let p = start().await;
    let (board, [one, first, two, second]) = family(&p).await;
    let before = full_json(&p, &board).await["items"].clone();
    let change = async |more: Value| {
        let mut input = json!({"boardId": board});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        p.owner("boards.cells", input).await
    };
    let back = async |revision: &Value| {
        let undone = p.owner("boards.undo", json!({"boardId": board, "revision": revision})).await.unwrap();
        undone["undoneBy"].clone()
    };
    for more in [
        json!({"delete": [one, two, second]}),
        json!({"archive": [second, two]}),
        json!({"items": [{"itemId": one, "groupId": "g2"}, {"itemId": first, "groupId": "g2"}]}),
        json!({"add": [{"name": "New", "parentId": two}, {"name": "Newer", "parentId": one, "groupId": "g1"}]}),
    ] {
        let done = change(more.clone()).await.unwrap()["boardRevision"].clone();
        let after = drawn(&p, &board).await;
        assert_ne!(full_json(&p, &board).await["items"], before, "{more}");
        let undone = back(&done).await;
        assert_eq!(full_json(&p, &board).await["items"], before, "{more}");
        back(&undone).await;
        assert_eq!(drawn(&p, &board).await, after, "{more}");
        undo_newest(&p, &board).await;
        assert_eq!(full_json(&p, &board).await["items"], before, "{more}");
    }
    refused(change(json!({"items": [{"itemId": first, "groupId": "g2"}]})).await, "invalid-input");
    refused(change(json!({"add": [{"name": "New", "parentId": first}]})).await, "subitem-depth");
    refused(change(json!({"add": [{"name": "New", "parentId": "nowhere"}]})).await, "named-not-found");

    // Becoming a subitem of another item, and an item; what has come below it since stands in the way.
    let became = update(&p, &board, &first, json!({"parentId": two})).await.unwrap()["boardRevision"].clone();
    let again = back(&became).await;
    assert_eq!(full_json(&p, &board).await["items"], before);
    let left = update(&p, &board, &first, json!({"parentId": null})).await.unwrap()["boardRevision"].clone();
    let under = add(&p, &board, "Under", Some(&first)).await;
    let clash = p.owner("boards.undo", json!({"boardId": board, "revision": left})).await;
    refused(clash, "conflict");
    refused(p.owner("boards.undo", json!({"boardId": board, "revision": again})).await, "conflict");
    p.owner("boards.items.delete", which(&board, &under)).await.unwrap();
    back(&left).await;
    assert_eq!(full_json(&p, &board).await["items"], before);

    // A group that was deleted with where its items went.
    let input = json!({"boardId": board, "groupId": "g1", "moveTo": "g2"});
    p.owner("boards.groups.delete", input).await.unwrap();
    undo_newest(&p, &board).await;
    assert_eq!(drawn(&p, &board).await, ["One g1", "Two g1", "First (One) g1", "Second (Two) g1"]);
}

#[tokio::test]
async fn a_first_subitem_that_comes_back_stands_where_its_parent_came_to_stand() {
    let p = start().await;
    let board = tasks_board(&p).await;
    let one = add(&p, &board, "One", None).await;
    let items = json!([{"itemId": one, "groupId": "g2"}]);
    let step = json!({"boardId": board, "items": items, "add": [{"name": "A", "parentId": one}]});
    p.owner("boards.cells", step).await.unwrap();
    undo_newest(&p, &board).await;
    assert_eq!(drawn(&p, &board).await, ["One g1"]);
    undo_newest(&p, &board).await;
    assert_eq!(drawn(&p, &board).await, ["One g2", "A (One) g2"]);
}

async fn undo_newest(p: &Program, board: &str) {
    let revision = p.owner("boards.get", json!({"boardId": board})).await.unwrap()["revision"].clone();
    p.owner("boards.undo", json!({"boardId": board, "revision": revision})).await.unwrap();
}

#[tokio::test]
async fn of_many_items_the_refusal_points_at_the_one_whose_place_is_wrong() {
    let p = start().await;
    let (board, [one, first, ..]) = family(&p).await;
    let pointer = |refusal: kit::Error| refusal.fields()[0].pointer.clone();
    let named = |more: Value| {
        let mut item = json!({"name": "X"});
        item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        item
    };
    let cases = [
        (json!({"parentId": first}), "subitem-depth", "parentId"),
        (json!({"parentId": "nowhere"}), "named-not-found", "parentId"),
        (json!({"parentId": one, "groupId": "g2"}), "invalid-input", "groupId"),
    ];
    for (wrong, code, member) in cases {
        let items = json!([named(json!({})), named(json!({})), named(wrong)]);
        let made = p.owner("boards.items.create", json!({"boardId": board, "items": items})).await;
        assert_eq!(pointer(refused(made, code)), format!("/items/2/{member}"));
        let added = p.owner("boards.cells", json!({"boardId": board, "add": items})).await;
        assert_eq!(pointer(refused(added, code)), format!("/add/2/{member}"));
    }
    let moves = json!([{"itemId": one, "name": "One"}, {"itemId": first, "groupId": "g2"}]);
    let moved = p.owner("boards.cells", json!({"boardId": board, "items": moves})).await;
    assert_eq!(pointer(refused(moved, "invalid-input")), "/items/1/groupId");
}

#[tokio::test]
async fn in_a_change_of_many_an_item_becomes_a_subitem_and_a_subitem_an_item() {
    let p = start().await;
    let (b, [one, first, two, second]) = family(&p).await;
    let before = drawn(&p, &b).await;
    let change = async |items: Value| p.owner("boards.cells", json!({"boardId": b, "items": items})).await;
    let items = json!([
        {"itemId": first, "parentId": null, "name": "Free", "was": {"parentId": one}},
        {"itemId": second, "parentId": one},
    ]);
    let told = change(items.clone()).await.unwrap();
    assert_eq!(
        (&told["cells"], drawn(&p, &b).await),
        (&json!(3), ["One g1", "Two g1", "Free g1", "Second (One) g1"].map(str::to_owned).to_vec())
    );
    assert_eq!(change(json!([{"itemId": first, "parentId": null}])).await.unwrap()["unchanged"], true);
    let told = p.owner("boards.undo", json!({"boardId": b, "revision": told["boardRevision"]})).await.unwrap();
    assert_eq!(drawn(&p, &b).await, before);
    p.owner("boards.undo", json!({"boardId": b, "revision": told["boardRevision"]})).await.unwrap();
    // Who has seen another parent is told which one it has.
    let moved = change(json!([{"itemId": second, "parentId": null, "was": {"parentId": two}}])).await;
    let conflicts = refused(moved, "stale-revision").problem()["conflicts"].clone();
    assert_eq!((&conflicts[0]["field"], &conflicts[0]["present"]), (&json!("parentId"), &json!(one)));
    let deep = change(json!([{"itemId": one, "parentId": second}])).await.unwrap_err();
    assert_eq!(deep.fields()[0].pointer, "/items/0/parentId");
}
