//! Many cells at once: all are written under one revision, or none with the reason of each.

use super::*;
use crate::change::CELLS_PER_CHANGE_MAX;
use serde_json::Map;
use testkit::refused;

async fn with_items(program: &Program) -> (String, Vec<String>) {
    let board = program.owner("boards.create", json!({"workspaceId": WORKSPACE, "name": "B", "preset": "blank"})).await;
    let board = board.unwrap()["id"].as_str().unwrap().to_owned();
    add_column(program, &board, "Points", "number", json!({})).await;
    add_column(program, &board, "Owner", "people", json!({})).await;
    let items = json!({"boardId": board, "items": [{"name": "One", "cells": {"c1": 1}}, {"name": "Two"}]});
    let made = program.owner("boards.items.create", items).await.unwrap();
    let ids = made["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
    (board, ids)
}

#[tokio::test]
async fn cells_of_several_items_change_as_one() {
    let p = start().await;
    let (b, ids) = with_items(&p).await;
    let before = p.owner("boards.get", json!({"boardId": b})).await.unwrap()["revision"].as_i64().unwrap();
    let items = json!([
        {"itemId": ids[0], "name": "First", "cells": {"c1": null, "c2": [ANNA]}},
        {"itemId": ids[1], "cells": {"c1": 7}},
    ]);
    let changed = p.owner("boards.cells", json!({"boardId": b, "items": items})).await.unwrap();
    assert_eq!(changed, json!({"cells": 4, "boardRevision": before + 1}));
    let shown = full_json(&p, &b).await;
    let of = |at: usize| (shown["items"][at]["name"].clone(), shown["items"][at]["cells"].clone());
    assert_eq!(of(0), (json!("First"), json!({"c2": [ANNA]})));
    assert_eq!(of(1), (json!("Two"), json!({"c1": 7})));
    // Each is recorded for its item, and can be taken back there.
    let activity = p.owner("boards.items.activity", json!({"boardId": b, "itemId": ids[0]})).await.unwrap();
    let fields: Vec<&str> =
        activity["items"].as_array().unwrap().iter().take(3).map(|entry| entry["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["c2", "c1", "name"]);
    let followed = p.owner("boards.changed", json!({"boardId": b, "since": before})).await.unwrap();
    assert_eq!(followed["items"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn the_answer_brings_what_has_changed_since_the_caller_read_the_board() {
    let p = start().await;
    let (b, ids) = with_items(&p).await;
    let before = p.owner("boards.get", json!({"boardId": b})).await.unwrap()["revision"].as_i64().unwrap();
    // Somebody else's change comes along.
    p.owner("boards.cell", json!({"boardId": b, "itemId": ids[0], "columnId": "c1", "value": 3})).await.unwrap();
    let step = json!({"boardId": b, "since": before, "linked": "", "stepId": "0123456789abcdef",
        "items": [{"itemId": ids[1], "cells": {"c2": [ANNA]}}], "add": [{"name": "Three"}]});
    let changed = p.owner("boards.cells", step.clone()).await.unwrap();
    let followed = p.owner("boards.changed", json!({"boardId": b, "since": before, "linked": ""})).await.unwrap();
    assert_eq!(changed["changes"], followed);
    assert_eq!(followed["items"].as_array().unwrap().len(), 3);
    assert_eq!(followed["members"][0]["id"], ANNA);
    // Sent again it is the same change, whatever the caller has read meanwhile.
    let again = json!({"since": before + 2}).as_object().unwrap().clone();
    let again = Value::Object(step.as_object().unwrap().clone().into_iter().chain(again).collect());
    let again = p.owner("boards.cells", again).await.unwrap();
    assert_eq!((&again["boardRevision"], &again["added"]), (&changed["boardRevision"], &changed["added"]));
    assert_eq!(again["changes"]["items"], json!([]));
    // What is no revision is refused before anything is written.
    let wrong = json!({"boardId": b, "since": -1, "items": [{"itemId": ids[1], "cells": {"c1": 9}}]});
    refused(p.owner("boards.cells", wrong).await, "invalid-input");
    assert_eq!(full_json(&p, &b).await["items"][1]["cells"].get("c1"), None);
}

#[tokio::test]
async fn what_does_not_fit_is_named_and_nothing_is_written() {
    let p = start().await;
    let (b, ids) = with_items(&p).await;
    let before = full_json(&p, &b).await;
    let items = json!([
        {"itemId": ids[0], "cells": {"c1": 5, "c2": [STRANGER]}},
        {"itemId": ids[1], "name": "Changed", "cells": {"c1": "x", "c9": 1}},
    ]);
    let refusal = refused(p.owner("boards.cells", json!({"boardId": b, "items": items})).await, "invalid-cell");
    let at: Vec<&str> = refusal.fields().iter().map(|field| field.pointer.as_str()).collect();
    assert_eq!(at, ["/items/0/cells/c2/0", "/items/1/cells/c1", "/items/1/cells/c9"]);
    assert_eq!(full_json(&p, &b).await, before);

    let send = |items: Value| p.owner("boards.cells", json!({"boardId": b, "items": items}));
    refused(send(json!([])).await, "invalid-input");
    refused(send(json!([{"itemId": ids[0]}, {"itemId": ids[0]}])).await, "invalid-input");
    refused(send(json!([{"itemId": ids[0], "name": " "}])).await, "invalid-cell");
    refused(
        send(json!([{"itemId": ids[0], "cells": {"c1": 2}}, {"itemId": "unknown", "cells": {"c1": 2}}])).await,
        "named-not-found",
    );
    let many: Map<String, Value> = (0..=CELLS_PER_CHANGE_MAX).map(|n| (format!("c{n}"), json!(1))).collect();
    refused(send(json!([{"itemId": ids[0], "cells": many}])).await, "invalid-input");
    assert_eq!(full_json(&p, &b).await, before);
}

#[tokio::test]
async fn more_items_than_are_read_at_once_each_get_their_own() {
    let p = start().await;
    let (b, _) = with_items(&p).await;
    let names: Vec<Value> = (0..crate::item::FOUND_AT_ONCE * 2 + 1).map(|n| json!({"name": n.to_string()})).collect();
    let made = p.owner("boards.items.create", json!({"boardId": b, "items": names})).await.unwrap();
    let made = made["items"].as_array().unwrap();
    // Backwards, so that they do not come in the order in which they are stored.
    let items = made.iter().rev().zip(1..);
    let items: Vec<Value> = items.map(|(item, n)| json!({"itemId": item["id"], "cells": {"c1": n}})).collect();
    let changed = p.owner("boards.cells", json!({"boardId": b, "items": items})).await.unwrap();
    assert_eq!(changed["cells"], json!(made.len()));
    let shown = full_json(&p, &b).await;
    for (item, n) in made.iter().rev().zip(1..) {
        let stored = shown["items"].as_array().unwrap().iter().find(|other| other["id"] == item["id"]).unwrap();
        assert_eq!((&stored["name"], &stored["cells"]), (&item["name"], &json!({"c1": n})));
    }
}

#[tokio::test]
async fn a_subitem_changed_behind_its_parent_that_moves_has_moved_too() {
    let p = start().await;
    let (b, ids) = with_items(&p).await;
    let group = p.owner("boards.groups.create", json!({"boardId": b, "name": "Later"})).await.unwrap()["id"].clone();
    let subitem = json!({"boardId": b, "name": "Part", "parentId": ids[0]});
    let subitem = p.owner("boards.items.create", subitem).await.unwrap()["id"].clone();
    let items = json!([{"itemId": ids[0], "groupId": group}, {"itemId": subitem, "cells": {"c1": 3}}]);
    p.owner("boards.cells", json!({"boardId": b, "items": items})).await.unwrap();
    let stored = p.owner("boards.items.get", json!({"boardId": b, "itemId": subitem})).await.unwrap();
    assert_eq!((&stored["groupId"], &stored["cells"]), (&group, &json!({"c1": 3})));
}

#[tokio::test]
async fn an_id_of_an_imported_item_of_another_board_is_refused() {
    let p = start().await;
    let (b, _) = with_items(&p).await;
    let imported = super::import::send(&p, b"Name,N\nsecret,1\nb,2\n", json!({})).await.unwrap();
    let other = testkit::json_of(&imported)["board"]["id"].as_str().unwrap().to_owned();
    let id = full_json(&p, &other).await["items"][0]["id"].clone();
    let add = |board: &str| json!({"boardId": board, "add": [{"id": id, "name": "Mine"}]});
    refused(p.owner("boards.cells", add(&b)).await, "conflict");
    // On its own board it stays as it is; another account is not told of it.
    p.owner("boards.cells", add(&other)).await.unwrap();
    assert_eq!(full_json(&p, &other).await["items"][0]["name"], "secret");
    let foreign = json!({"workspaceId": OTHER_WORKSPACE, "name": "B", "preset": "blank"});
    let foreign = p.as_caller(other_owner(), "boards.create", foreign).await.unwrap()["id"].clone();
    p.as_caller(other_owner(), "boards.cells", add(foreign.as_str().unwrap())).await.unwrap();
}

#[tokio::test]
async fn groups_are_meant_by_id_or_unique_name() {
    let p = start().await;
    let (b, ids) = with_items(&p).await;
    for name in ["Next sprint", "next sprint", "Backlog", "Twice", "Twice"] {
        p.owner("boards.groups.create", json!({"boardId": b, "name": name})).await.unwrap();
    }
    let new = |group: &str| json!({"boardId": b, "items": [{"name": "N", "groupId": group}]});
    let made = p.owner("boards.items.create", new("Next sprint")).await.unwrap();
    assert_eq!(made["items"][0]["groupId"], "g2", "{made}");
    let made = p.owner("boards.items.create", new(" backLOG")).await.unwrap();
    assert_eq!(made["items"][0]["groupId"], "g4", "{made}");
    let moved = json!({"boardId": b, "itemId": ids[0], "groupId": "Backlog"});
    assert_eq!(p.owner("boards.items.update", moved.clone()).await.unwrap()["groupId"], "g4");
    let both = json!([{"itemId": ids[0], "groupId": "Backlog"}, {"itemId": ids[1], "groupId": "next sprint"}]);
    let add = json!([{"name": "Added", "groupId": "Backlog"}]);
    let changed = p.owner("boards.cells", json!({"boardId": b, "items": both, "add": add})).await.unwrap();
    assert_eq!(changed["cells"], 1, "one is there already: {changed}");
    let deleted = json!({"boardId": b, "groupId": "g4", "moveTo": "Next sprint"});
    p.owner("boards.groups.delete", deleted).await.unwrap();
    let shown = full_json(&p, &b).await;
    let groups: Vec<&str> =
        shown["items"].as_array().unwrap().iter().map(|item| item["groupId"].as_str().unwrap()).collect();
    assert_eq!(groups, ["g2", "g3", "g2", "g2", "g2"]);
    for group in ["Twice", "None", "g9"] {
        let why = p.owner("boards.items.create", new(group)).await.unwrap_err();
        let groups = "g1 Items, g2 Next sprint, g3 next sprint, g5 Twice, g6 Twice.";
        assert_eq!(why.detail(), format!("No group has this ID or unique name. Groups: {groups}"), "{group}");
        assert_eq!(why.fields()[0].pointer, "/items/0/groupId");
    }
}
