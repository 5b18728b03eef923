use super::*;
use events::{Event, HasEvents};
use testkit::refused;

#[tokio::test]
async fn a_board_is_made_read_renamed_listed_and_deleted() {
    let p = start().await;
    let made =
        p.owner("boards.create", json!({"workspaceId": WORKSPACE, "name": "Plan", "preset": "blank"})).await.unwrap();
    let id = made["id"].as_str().unwrap();
    let expected = json!({
        "id": id, "workspaceId": WORKSPACE, "name": "Plan", "revision": 1, "itemCount": 0,
        "createdAt": "2026-03-01T12:00:00.000Z", "updatedAt": "2026-03-01T12:00:00.000Z",
        "groups": [{"id": "g1", "name": "Items", "color": "#4a7fd4"}], "columns": [], "views": [],
    });
    assert_eq!(made, expected);
    assert_eq!(p.owner("boards.get", json!({"boardId": id})).await.unwrap(), expected);

    p.clock.advance_ms(1_500);
    let renamed = p.owner("boards.update", json!({"boardId": id, "name": "Plan B"})).await.unwrap();
    assert_eq!((&renamed["name"], &renamed["revision"]), (&json!("Plan B"), &json!(2)));
    assert_eq!(renamed["updatedAt"], "2026-03-01T12:00:01.500Z");

    let second = p.owner("boards.create", json!({"workspaceId": WORKSPACE, "name": "Next"})).await.unwrap();
    let list = p.owner("boards.list", json!({"workspaceId": WORKSPACE, "limit": 1})).await.unwrap();
    assert_eq!(list["items"][0]["id"], id);
    let rest = p.owner("boards.list", json!({"limit": 1, "cursor": list["nextCursor"]})).await.unwrap();
    assert_eq!((&rest["items"][0]["id"], &rest["nextCursor"]), (&second["id"], &Value::Null));

    p.owner("boards.delete", json!({"boardId": id})).await.unwrap();
    refused(p.owner("boards.get", json!({"boardId": id})).await, "not-found");
    assert_eq!(p.owner("boards.list", json!({})).await.unwrap()["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn presets_and_names_are_checked() {
    let p = start().await;
    let with = |preset: &str, name: &str| json!({"workspaceId": WORKSPACE, "name": name, "preset": preset});
    refused(p.owner("boards.create", with("moon", "A")).await, "unknown-preset");
    refused(p.owner("boards.create", with("blank", "  ")).await, "invalid-input");
    refused(p.owner("boards.create", with("blank", &"x".repeat(256))).await, "invalid-input");
    p.owner("boards.create", with("blank", &"ü".repeat(255))).await.unwrap();
    let tasks = p.owner("boards.create", with("tasks", "A")).await.unwrap();
    let titles: Vec<_> = tasks["columns"].as_array().unwrap().iter().map(|c| &c["title"]).collect();
    assert_eq!(titles, ["Status", "Owner", "Due"]);
    assert_eq!(tasks["columns"][0]["settings"]["labels"][3]["done"], true);
    assert_eq!(tasks["groups"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn items_are_made_changed_moved_and_deleted() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let cells = json!({"c1": "l2", "c2": [ANNA, BEN, ANNA], "c3": "2026-03-09"});
    let made = p.owner("boards.items.create", json!({"boardId": b, "name": "One", "cells": cells})).await.unwrap();
    assert_eq!(made["cells"], json!({"c1": "l2", "c2": [ANNA, BEN], "c3": "2026-03-09"}));
    assert_eq!((&made["groupId"], &made["boardRevision"]), (&json!("g1"), &json!(2)));
    let id = made["id"].as_str().unwrap();
    assert_eq!(id.len(), 16);

    let many =
        json!({"boardId": b, "items": [{"name": "Two"}, {"name": "Three", "groupId": "g2", "cells": {"c1": null}}]});
    let many = p.owner("boards.items.create", many).await.unwrap();
    assert_eq!(many["items"][1]["groupId"], "g2");
    assert_eq!(many["items"][1]["cells"], json!({}));

    let change = json!({"boardId": b, "itemId": id, "name": "First", "groupId": "g2", "cells": {"c1": null, "c3": "2026-04-01"}});
    let changed = p.owner("boards.items.update", change).await.unwrap();
    assert_eq!((&changed["name"], &changed["groupId"]), (&json!("First"), &json!("g2")));
    assert_eq!(changed["cells"], json!({"c2": [ANNA, BEN], "c3": "2026-04-01"}));

    let cell = json!({"boardId": b, "itemId": id, "columnId": "c1", "value": "l4"});
    assert_eq!(p.owner("boards.cell", cell).await.unwrap()["cells"]["c1"], "l4");

    // Between the two others.
    let between = many["items"][0]["position"].as_i64().unwrap() + 1;
    p.owner("boards.items.update", json!({"boardId": b, "itemId": id, "position": between})).await.unwrap();
    let names = |list: &Value| list["items"].as_array().unwrap().iter().map(|i| i["name"].clone()).collect::<Vec<_>>();
    let list = p.owner("boards.items.list", json!({"boardId": b, "limit": 2})).await.unwrap();
    assert_eq!(names(&list), ["Two", "First"]);
    let rest = p.owner("boards.items.list", json!({"boardId": b, "cursor": list["nextCursor"]})).await.unwrap();
    assert_eq!(names(&rest), ["Three"]);
    for odd in ["", "-1", "1", "-1-a", "+1-a", "1-A", "1-", "9999999999999999999-a"] {
        let error = refused(p.owner("boards.items.list", json!({"boardId": b, "cursor": odd})).await, "invalid-input");
        assert_eq!(error.fields()[0].detail, "Send the `nextCursor` of the previous page.", "{odd}");
    }
    assert_eq!(names(&full_json(&p, &b).await), ["Two", "First", "Three"]);

    p.owner("boards.items.delete", json!({"boardId": b, "itemId": id})).await.unwrap();
    let board = p.owner("boards.get", json!({"boardId": b})).await.unwrap();
    assert_eq!((&board["itemCount"], &board["revision"]), (&json!(2), &json!(7)));
    refused(p.owner("boards.items.delete", json!({"boardId": b, "itemId": id})).await, "not-found");
}

#[tokio::test]
async fn creating_many_is_all_or_none_and_limited() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let bad = json!({"boardId": b, "items": [{"name": "A"}, {"name": "B", "cells": {"c3": "soon"}}]});
    let error = refused(p.owner("boards.items.create", bad).await, "invalid-cell");
    assert_eq!(error.fields()[0].pointer, "/items/1/cells/c3");
    let items = |n: usize| (0..n).map(|i| json!({"name": format!("{i}")})).collect::<Vec<_>>();
    refused(p.owner("boards.items.create", json!({"boardId": b, "items": items(1_001)})).await, "invalid-input");
    refused(p.owner("boards.items.create", json!({"boardId": b, "items": []})).await, "invalid-input");
    refused(
        p.owner("boards.items.create", json!({"boardId": b, "name": "A", "items": items(1)})).await,
        "invalid-input",
    );
    refused(p.owner("boards.items.create", json!({"boardId": b})).await, "invalid-input");
    assert_eq!(full_json(&p, &b).await["items"], json!([]));
    p.owner("boards.items.create", json!({"boardId": b, "items": items(1_000)})).await.unwrap();
    assert_eq!(full_json(&p, &b).await["items"].as_array().unwrap().len(), 1_000);
    let brief = json!({"boardId": b, "items": items(2), "brief": true});
    let brief = p.owner("boards.items.create", brief).await.unwrap();
    let made: Vec<_> =
        full_json(&p, &b).await["items"].as_array().unwrap()[1_000..].iter().map(|i| i["id"].clone()).collect();
    assert_eq!(brief, json!({"ids": made, "boardRevision": 3}));
    let one = json!({"boardId": b, "name": "One", "brief": true});
    assert_eq!(p.owner("boards.items.create", one).await.unwrap()["name"], "One");
}

#[tokio::test]
async fn each_type_takes_its_values_and_refuses_others() {
    let p = start().await;
    let b =
        p.owner("boards.create", json!({"workspaceId": WORKSPACE, "name": "Types", "preset": "blank"})).await.unwrap();
    let b = b["id"].as_str().unwrap().to_owned();
    let item = p.owner("boards.items.create", json!({"boardId": b, "name": "I"})).await.unwrap()["id"].clone();
    let labels = json!({"labels": [{"text": "Open"}, {"text": "Done", "done": true}]});
    let (long, too_long) = (json!("x".repeat(20_000)), json!("x".repeat(20_001)));
    let cases: Vec<(&str, Value, Vec<Value>, Vec<Value>)> = vec![
        ("text", json!({}), vec![json!("a\"\\\n"), long.clone()], vec![json!(1), too_long, json!(["a"])]),
        ("longText", json!({}), vec![json!("two\nlines"), long], vec![json!(true)]),
        (
            "number",
            json!({"unit": "h", "decimals": 1}),
            vec![json!(0), json!(-1.5), json!(1e300)],
            vec![json!("1"), json!(true)],
        ),
        ("status", labels.clone(), vec![json!("l1"), json!("l2")], vec![json!("open"), json!("l3"), json!(1)]),
        ("dropdown", labels, vec![json!("l2")], vec![json!(["l2"])]),
        ("tags", json!({"options": ["a"]}), vec![json!(["a", "b"])], vec![json!("a"), json!([1]), json!([""])]),
        (
            "people",
            json!({}),
            vec![json!([ANNA])],
            vec![json!(7), json!(STRANGER), json!([STRANGER]), json!(["nobody"])],
        ),
        (
            "date",
            json!({}),
            vec![json!("2024-02-29")],
            vec![json!("2026-02-29"), json!("1.3.2026"), json!(20260301), json!("2026-3-1"), json!("0000-03-01")],
        ),
        (
            "timeline",
            json!({}),
            vec![
                json!({"from": "2026-01-05", "to": "2026-01-16"}),
                json!({"from": "0001-01-01", "to": "9999-12-31"}),
                json!({"from": "2026-01-05", "to": "2026-01-05"}),
            ],
            vec![
                json!("2026-01-05"),
                json!(["2026-01-05", "2026-01-16"]),
                json!({"from": "2026-01-05"}),
                json!({"from": "2026-01-05", "to": null}),
                json!({"from": "2026-01-16", "to": "2026-01-05"}),
                json!({"from": "2026-01-05", "to": "2026-02-30"}),
                json!({"from": "0000-12-31", "to": "2026-01-05"}),
                json!({"from": "2026-01-05", "to": "10000-01-01"}),
                json!({"from": "2026-01-05", "to": "2026-01-16", "days": 12}),
            ],
        ),
        ("checkbox", json!({}), vec![json!(true), json!(false)], vec![json!("yes"), json!(1)]),
        (
            "link",
            json!({}),
            vec![json!("https://example.com/a?b")],
            vec![json!("javascript:alert(1)"), json!("example.com")],
        ),
        ("email", json!({}), vec![json!("a.b@example.com")], vec![json!("a.b"), json!("a@b"), json!("a b@c.de")]),
        ("phone", json!({}), vec![json!("+49 (30) 123-45")], vec![json!("call me"), json!("12")]),
        ("rating", json!({"max": 3}), vec![json!(0), json!(3)], vec![json!(4), json!(1.5), json!(-1)]),
        ("progress", json!({}), vec![json!(0), json!(12.5), json!(100)], vec![json!(101), json!(-1), json!("5")]),
    ];
    // Links and files stand for something that has to be there; they have tests of their own.
    let written = crate::ColumnType::ALL.iter().filter(|kind| !kind.is_derived() && !kind.is_link());
    let written = written.filter(|kind| **kind != crate::ColumnType::File);
    assert_eq!(cases.len(), written.count());
    for (kind, settings, good, bad) in cases {
        let column = add_column(&p, &b, kind, kind, settings).await;
        let set = |value: &Value| json!({"boardId": b, "itemId": item, "columnId": column, "value": value});
        for value in bad {
            let code = if kind == "people" && !value.is_number() { "named-not-found" } else { "invalid-cell" };
            let error = refused(p.owner("boards.cell", set(&value)).await, code);
            assert!(error.detail().contains(&column) && error.detail().contains("accepts"), "{error}");
        }
        for value in &good {
            let stored = p.owner("boards.cell", set(value)).await.unwrap_or_else(|e| panic!("{kind} {value}: {e}"));
            assert_eq!(&stored["cells"][&column], value, "{kind}");
        }
        // What an empty list and an empty object empty is told below.
        for empty in [json!(null), json!("")] {
            let stored = p.owner("boards.cell", set(&empty)).await.unwrap();
            assert_eq!(stored["cells"].get(&column), None, "{kind}");
            p.owner("boards.cell", set(&good[0])).await.unwrap();
        }
    }
}

#[tokio::test]
async fn labels_may_be_texts_alone() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let create =
        |labels: Value| json!({"boardId": b, "title": "Level", "type": "dropdown", "settings": {"labels": labels}});
    let made = p.owner("boards.columns.create", create(json!(["Low", {"text": "High"}]))).await.unwrap();
    let labels = made["settings"]["labels"].as_array().unwrap();
    let told: Vec<_> =
        labels.iter().map(|label| (label["id"].as_str().unwrap(), label["text"].as_str().unwrap())).collect();
    assert_eq!(told, [("l1", "Low"), ("l2", "High")]);
    let error = refused(p.owner("boards.columns.create", create(json!([7]))).await, "invalid-input");
    let place = &error.fields()[0];
    assert_eq!(place.pointer, "/settings/labels/0");
    assert!(place.detail.contains(r#"a label such as "Low" or {"text": "Low"}"#), "{error}");
    let error = refused(p.owner("boards.columns.create", create(json!([{"name": "Low"}]))).await, "invalid-input");
    assert_eq!(error.fields()[0].pointer, "/settings/labels/0/name");
}

#[tokio::test]
async fn settings_belong_to_their_type() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let bad = [
        ("text", json!({"unit": "h"})),
        ("number", json!({"currency": "euro"})),
        ("number", json!({"decimals": 11})),
        ("number", json!({"labels": []})),
        ("status", json!({"labels": [{"text": ""}]})),
        ("status", json!({"labels": [{"text": "A", "color": "red"}]})),
        ("status", json!({"labels": [{"text": "A", "id": "l1"}, {"text": "B", "id": "l1"}]})),
        ("status", json!({"labels": vec![json!({"text": "A"}); 501]})),
        ("rating", json!({"max": 11})),
        ("date", json!({"unknown": 1})),
    ];
    for (kind, settings) in bad {
        let input = json!({"boardId": b, "title": "T", "type": kind, "settings": settings});
        refused(p.owner("boards.columns.create", input).await, "invalid-input");
    }
    refused(
        p.owner("boards.columns.create", json!({"boardId": b, "title": "T", "type": "moon"})).await,
        "invalid-input",
    );
}

#[tokio::test]
async fn columns_are_moved_changed_and_deleted_with_their_cells() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let note = add_column(&p, &b, "Note", "text", json!({})).await;
    assert_eq!(note, "c4");
    let cells = json!({"c1": "l1", "c4": "\"c1\":\"l2\" and \"c4\":"});
    let item = p.owner("boards.items.create", json!({"boardId": b, "name": "A", "cells": cells})).await.unwrap();

    let labels = |ids: &[&str]| {
        let labels: Vec<_> = ids.iter().map(|id| json!({"id": id, "text": format!("T {id}")})).collect();
        json!({"boardId": b, "columnId": "c1", "settings": {"labels": labels}})
    };
    refused(p.owner("boards.columns.update", labels(&["l2", "l3"])).await, "label-in-use");
    let kept = p.owner("boards.columns.update", labels(&["l1", ""])).await.unwrap();
    // The ids of dropped labels are not used again.
    assert_eq!(kept["settings"]["labels"][1]["id"], "l5");
    let moved = json!({"boardId": b, "columnId": "c4", "title": "Remark", "position": 0});
    p.owner("boards.columns.update", moved).await.unwrap();
    let order =
        |board: &Value| board["columns"].as_array().unwrap().iter().map(|c| c["id"].clone()).collect::<Vec<_>>();
    assert_eq!(order(&full_json(&p, &b).await), ["c4", "c1", "c2", "c3"]);

    p.owner("boards.columns.delete", json!({"boardId": b, "columnId": "c1"})).await.unwrap();
    let full = full_json(&p, &b).await;
    assert_eq!(order(&full), ["c4", "c2", "c3"]);
    assert_eq!(full["items"][0]["cells"], json!({"c4": item["cells"]["c4"]}));
    // A column's id is never given again: cells of old revisions name it.
    assert_eq!(add_column(&p, &b, "New", "text", json!({})).await, "c5");
    refused(p.owner("boards.columns.delete", json!({"boardId": b, "columnId": "c1"})).await, "not-found");
}

#[tokio::test]
async fn groups_are_moved_and_deleted_without_losing_items() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let made = p.owner("boards.groups.create", json!({"boardId": b, "name": "Now", "position": 0})).await.unwrap();
    assert_eq!(made["id"], "g3");
    refused(
        p.owner("boards.groups.create", json!({"boardId": b, "name": "Now", "color": "blue"})).await,
        "invalid-input",
    );
    let change = json!({"boardId": b, "groupId": "g2", "name": "Over", "color": "#ABCDEF", "position": 0});
    assert_eq!(p.owner("boards.groups.update", change).await.unwrap()["color"], "#abcdef");
    let order =
        full_json(&p, &b).await["groups"].as_array().unwrap().iter().map(|g| g["id"].clone()).collect::<Vec<_>>();
    assert_eq!(order, ["g2", "g3", "g1"]);

    let item = json!({"boardId": b, "name": "A", "groupId": "g1"});
    p.owner("boards.items.create", item).await.unwrap();
    refused(p.owner("boards.groups.delete", json!({"boardId": b, "groupId": "g1"})).await, "group-not-empty");
    refused(
        p.owner("boards.groups.delete", json!({"boardId": b, "groupId": "g1", "moveTo": "g1"})).await,
        "named-not-found",
    );
    let gone = json!({"boardId": b, "groupId": "g1", "moveTo": "g3"});
    let made = p.owner("boards.groups.delete", gone.clone()).await.unwrap();
    assert_eq!(full_json(&p, &b).await["items"][0]["groupId"], "g3");
    // What is answered is what takes it back.
    p.owner("boards.undo", json!({"boardId": b, "revision": made["boardRevision"]})).await.unwrap();
    assert_eq!(full_json(&p, &b).await["items"][0]["groupId"], "g1");
    p.owner("boards.groups.delete", gone).await.unwrap();
    p.owner("boards.groups.delete", json!({"boardId": b, "groupId": "g2"})).await.unwrap();
    refused(p.owner("boards.groups.delete", json!({"boardId": b, "groupId": "g3"})).await, "last-group");
}

/// Every operation below a board, with one id of each position replaced.
fn nested(board: &str, item: &str, column: &str, group: &str, workspace: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("boards.list", json!({"workspaceId": workspace})),
        ("boards.create", json!({"workspaceId": workspace, "name": "X"})),
        ("boards.get", json!({"boardId": board})),
        ("boards.full", json!({"boardId": board})),
        ("boards.update", json!({"boardId": board, "name": "X"})),
        ("boards.columns.create", json!({"boardId": board, "title": "X", "type": "text"})),
        ("boards.columns.update", json!({"boardId": board, "columnId": column, "title": "X"})),
        ("boards.columns.delete", json!({"boardId": board, "columnId": column})),
        ("boards.groups.create", json!({"boardId": board, "name": "X"})),
        ("boards.groups.update", json!({"boardId": board, "groupId": group, "name": "X"})),
        ("boards.groups.delete", json!({"boardId": board, "groupId": group, "moveTo": group})),
        ("boards.items.list", json!({"boardId": board})),
        ("boards.items.create", json!({"boardId": board, "name": "X", "groupId": group})),
        ("boards.items.update", json!({"boardId": board, "itemId": item, "name": "X", "groupId": group})),
        ("boards.items.delete", json!({"boardId": board, "itemId": item})),
        ("boards.cell", json!({"boardId": board, "itemId": item, "columnId": column, "value": null})),
        ("boards.import.cancel", json!({"importId": board})),
        ("boards.delete", json!({"boardId": board})),
    ]
}

#[tokio::test]
async fn another_accounts_ids_and_random_ones_answer_the_same_in_every_position() {
    let p = start().await;
    let mine = tasks_board(&p).await;
    let made = p.owner("boards.items.create", json!({"boardId": mine, "name": "A"})).await.unwrap();
    let my_item = made["id"].as_str().unwrap();
    let theirs = p
        .as_caller(
            other_owner(),
            "boards.create",
            json!({"workspaceId": OTHER_WORKSPACE, "name": "T", "preset": "tasks"}),
        )
        .await;
    let theirs = theirs.unwrap()["id"].as_str().unwrap().to_owned();
    let their_item =
        p.as_caller(other_owner(), "boards.items.create", json!({"boardId": theirs, "name": "B"})).await.unwrap();
    let their_item = their_item["id"].as_str().unwrap();
    // Their full board is in memory when it is asked for.
    p.as_caller(other_owner(), "boards.full", json!({"boardId": theirs})).await.unwrap();

    // For each operation, what it says of the first.
    let mut expected = std::collections::HashMap::new();
    let no_workspace = crate::ids::unknown(kit::fault::UNKNOWN_WORKSPACE, "/workspaceId").problem();
    let random = "0123456789abcdef";
    let positions = [
        nested(&theirs, their_item, "c1", "g1", OTHER_WORKSPACE),
        nested(random, random, "c1", "g1", random),
        nested(&theirs, my_item, "c1", "g1", "w1'"),
    ];
    for (op, input) in positions.into_iter().flatten() {
        // A workspace stands beside the path.
        let named = input.get("workspaceId").is_some();
        let error = refused(p.owner(op, input.clone()).await, if named { "named-not-found" } else { "not-found" });
        let problem = error.problem();
        let expected = if named { &no_workspace } else { expected.entry(op).or_insert_with(|| problem.clone()) };
        assert_eq!(problem, *expected, "{op} {input}");
    }
    // My board with an item, a column or a group that is not in it.
    for (op, input) in nested(&mine, their_item, "c99", "g99", WORKSPACE) {
        let names = |key: &str| input.get(key).is_some();
        if names("itemId") || names("columnId") || names("groupId") {
            let named = op == "boards.items.create";
            let error = refused(p.owner(op, input.clone()).await, if named { "named-not-found" } else { "not-found" });
            // Of columns it says which my own board has, and nothing of the one that is asked for.
            let is_of_columns = error.to_string().contains("c1 (Status)") && !error.to_string().contains("c99");
            // My own board is there, so it's what is in it that isn't.
            let title = error.problem()["title"].clone();
            let is_of_own = title == "Group not found" || title == "Item not found";
            assert!(
                named
                    || expected.get(op) == Some(&error.problem())
                    || (names("columnId") && is_of_columns)
                    || is_of_own,
                "{op} {input}: {error}"
            );
        }
    }
    let whole = p.as_caller(other_owner(), "boards.full", json!({"boardId": theirs})).await.unwrap();
    assert_eq!((&whole["items"][0]["name"], &whole["board"]["revision"]), (&json!("B"), &json!(2)));
}

#[tokio::test]
async fn if_match_guards_every_change() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let item = p.owner("boards.items.create", json!({"boardId": b, "name": "A"})).await.unwrap();
    for (op, input) in nested(&b, item["id"].as_str().unwrap(), "c1", "g1", WORKSPACE) {
        if matches!(
            op,
            "boards.list"
                | "boards.create"
                | "boards.get"
                | "boards.full"
                | "boards.items.list"
                | "boards.import.cancel"
        ) {
            continue;
        }
        let mut call = Call::new(owner());
        call.if_match = Some("\"1\"".into());
        refused(p.call(call, op, input).await, "stale-revision");
    }
    let mut call = Call::new(owner());
    call.if_match = Some("\"2\"".into());
    p.call(call, "boards.update", json!({"boardId": b, "name": "B"})).await.unwrap();
    assert_eq!(p.owner("boards.get", json!({"boardId": b})).await.unwrap()["revision"], 3);
}

#[tokio::test]
async fn changes_are_recorded_and_told() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let (_, mut heard) = p.ctx.events().listen(None);
    let item = p.owner("boards.items.create", json!({"boardId": b, "name": "A", "cells": {"c1": "l1"}})).await.unwrap();
    let id = item["id"].as_str().unwrap().to_owned();
    p.owner("boards.cell", json!({"boardId": b, "itemId": id, "columnId": "c1", "value": "l2"})).await.unwrap();
    refused(
        p.owner("boards.cell", json!({"boardId": b, "itemId": id, "columnId": "c1", "value": "l9"})).await,
        "invalid-cell",
    );
    let told: Vec<_> = std::iter::from_fn(|| heard.try_recv().ok()).map(|n| (n.account, n.event)).collect();
    let expected = [2, 3].map(|revision| (Some(ACCOUNT.into()), Event::BoardChanged { board_id: b.clone(), revision }));
    // Anchor it, what another status means to members; the tests of `noted` look into that.
    let (of_items, of_board): (Vec<_>, Vec<_>) = told.into_iter().partition(|(_, e)| e.name() == "item-status-changed");
    assert_eq!((of_board.as_slice(), of_items.len()), (&expected[..], 1));
    let changes = p.ctx.db().read(move |tx| tx.changes(ACCOUNT, "item", &id, None, 10)).await.unwrap();
    assert_eq!(
        (changes[0].field.as_str(), &changes[0].before, &changes[0].after),
        ("c1", &Some(json!("l1")), &Some(json!("l2")))
    );
    assert_eq!((changes[1].field.as_str(), &changes[1].before, changes.len()), ("", &None, 2));
}

#[tokio::test]
async fn every_kind_of_caller_is_let_in_as_documented() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let mut agent = Caller::new(Kind::Agent, ACCOUNT, "agent");
    refused(p.as_caller(agent.clone(), "boards.get", json!({"boardId": b})).await, "scope-missing");
    agent.scopes = vec!["boards:read".into()];
    p.as_caller(agent.clone(), "boards.get", json!({"boardId": b})).await.unwrap();
    refused(
        p.as_caller(agent.clone(), "boards.items.create", json!({"boardId": b, "name": "A"})).await,
        "scope-missing",
    );
    agent.scopes.push("boards:write".into());
    for caller in [agent, Caller::new(Kind::Member, ACCOUNT, "m"), Caller::new(Kind::Cli, ACCOUNT, "c")] {
        p.as_caller(caller, "boards.items.create", json!({"boardId": b, "name": "A"})).await.unwrap();
    }
    for op in crate::ops() {
        let public = Caller::new(Kind::Public, ACCOUNT, "");
        refused(p.as_caller(public, op.name, json!({})).await, "no-token");
        let agent = Caller::new(Kind::Agent, ACCOUNT, "agent");
        let code = if op.is_permanent { "forbidden-caller" } else { "scope-missing" };
        refused(p.as_caller(agent, op.name, json!({})).await, code);
        // A query is sent as a body, and changes nothing.
        let reads = op.method.reads() || ["boards.query", "query"].contains(&op.name);
        assert_eq!(op.reads, reads, "{}", op.name);
        let write = if op.is_permanent { "" } else { "boards:write" };
        assert!(op.scope == if reads { "boards:read" } else { write });
    }
}

#[tokio::test]
async fn a_deleted_boards_rows_are_gone_after_a_restart_at_the_latest() {
    let p = start().await;
    let b = tasks_board(&p).await;
    p.owner("boards.items.create", json!({"boardId": b, "name": "A"})).await.unwrap();
    p.owner("boards.delete", json!({"boardId": b})).await.unwrap();
    let p = p.restart().await;
    assert_eq!(rows_left(&p).await, [1, 2, 3, 1], "it lies in the trash");
    p.owner("boards.trash.deleteBoard", json!({"boardId": b})).await.unwrap();
    let p = p.restart().await;
    assert_eq!(rows_left(&p).await, [0, 0, 0, 0]);
}

#[tokio::test]
async fn other_features_learn_which_boards_are_missing() {
    let p = start().await;
    let mine = tasks_board(&p).await;
    let lookup = p.ctx.service::<kit::lookup::Boards>();
    let ids = vec![mine.clone(), "nothing".to_owned()];
    assert_eq!(lookup.0.missing(ACCOUNT, ids.clone()).await.unwrap(), ["nothing"]);
    assert_eq!(lookup.0.missing(OTHER_ACCOUNT, ids.clone()).await.unwrap(), ids);
}

#[tokio::test]
async fn items_of_an_earlier_version_are_moved_over_whole() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let board = b.clone();
    let store_as_before = move |tx: &mut store::Tx<'_>| {
        for (n, name) in ["One \"quoted\"", "Two\n"].into_iter().enumerate() {
            let sql = "INSERT INTO items_by_columns (account_id, board_id, item_id, group_id, position, name, cells_json, created_ms, updated_ms) \
                 VALUES ($1, $2, $3, 'g2', $4, $5, '{\"c1\":\"l1\"}', $6, $6)";
            tx.execute(sql, params![ACCOUNT, &board, format!("i{n}"), n as i64, name, START_MS])?;
        }
        Ok(())
    };
    p.ctx.db().write(store_as_before).await.unwrap();
    crate::convert::all(&p.ctx).await.unwrap();
    let items = full_json(&p, &b).await["items"].clone();
    assert_eq!(items[0]["name"], "One \"quoted\"");
    let second = json!({
        "id": "i1", "groupId": "g2", "name": "Two\n", "createdAt": kit::rfc3339(START_MS),
        "updatedAt": kit::rfc3339(START_MS), "cells": {"c1": "l1"},
    });
    assert_eq!(items[1], second);
    let left = "SELECT count(*) FROM items_by_columns";
    let left: i64 = p.ctx.db().read(move |tx| tx.query_one(left, &[], |row| row.get(0))).await.unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn an_account_has_as_many_boards_as_it_may_and_no_more() {
    let p = start().await;
    let fill = |tx: &mut store::Tx<'_>| {
        for n in 0..crate::BOARDS_MAX {
            let sql = "INSERT INTO boards (account_id, board_id, workspace_id, name, state, revision, item_count, next_column, \
                 next_group, last_position, created_ms, updated_ms) VALUES ($1, $2, $3, 'B', 'ready', 1, 0, 1, 1, 0, 0, 0)";
            tx.execute(sql, store::params![ACCOUNT, format!("b{n}"), WORKSPACE])?;
        }
        Ok(())
    };
    p.ctx.db().write(fill).await.unwrap();
    let create = || p.owner("boards.create", json!({"workspaceId": WORKSPACE, "name": "One more"}));
    refused(create().await, "too-many-boards");
    let mut call = Call::new(owner());
    call.upload = Some(("text/csv".to_owned(), Box::pin(futures_util::stream::pending())));
    let import = p.call(call, "boards.import", json!({"workspaceId": WORKSPACE})).await;
    refused(import, "too-many-boards");
    let other = json!({"workspaceId": OTHER_WORKSPACE, "name": "Mine"});
    p.as_caller(other_owner(), "boards.create", other).await.unwrap();
    p.owner("boards.delete", json!({"boardId": "b7"})).await.unwrap();
    create().await.unwrap();
}

/// Makes this many items that hold a label of c1, as many as a request takes at a time.
async fn fill(p: &Program, board: &str, count: usize) {
    for from in (0..count).step_by(crate::ITEMS_PER_CREATE_MAX) {
        let upto = count.min(from + crate::ITEMS_PER_CREATE_MAX);
        let items: Vec<_> = (from..upto)
            .map(|n| json!({"name": format!("Item {n}"), "cells": {"c1": "l1", "c3": "2026-03-01"}}))
            .collect();
        p.owner("boards.items.create", json!({"boardId": board, "items": items})).await.unwrap();
    }
}

fn cells_of(full: &Value) -> Vec<Value> {
    full["items"].as_array().unwrap().iter().map(|item| item["cells"].clone()).collect()
}

#[tokio::test]
async fn a_column_of_many_items_goes_in_pieces_that_others_get_in_between() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let count = crate::item::ITEMS_PER_STEP as usize + 5;
    fill(&p, &b, count).await;
    let revision = full_json(&p, &b).await["board"]["revision"].as_i64().unwrap();
    p.owner("boards.columns.delete", json!({"boardId": b, "columnId": "c1"})).await.unwrap();
    let full = full_json(&p, &b).await;
    assert_eq!(cells_of(&full), vec![json!({"c3": "2026-03-01"}); count]);
    assert_eq!(full["board"]["revision"], revision + 2, "one for the column, one for the last of its cells");
    assert_eq!(rows_left(&p).await, [1, 2, 2, count as i64]);
    let added = add_column(&p, &b, "New", "text", json!({})).await;
    assert_eq!(added, "c4", "no id is given twice");
    refused(p.owner("boards.columns.delete", json!({"boardId": b, "columnId": "c1"})).await, "not-found");
}

#[tokio::test]
async fn a_stop_while_a_column_is_cleared_is_made_good_at_the_next_start() {
    let p = start().await;
    let b = tasks_board(&p).await;
    fill(&p, &b, 3).await;
    let mark = "UPDATE board_columns SET type = $1 WHERE column_id = 'c1'";
    p.ctx.db().write(move |tx| tx.execute(mark, store::params![crate::board::DELETING])).await.unwrap();
    let shown = p.owner("boards.get", json!({"boardId": b})).await.unwrap();
    assert_eq!(shown["columns"].as_array().unwrap().len(), 2, "it is shown no more");
    let cell = json!({"boardId": b, "name": "B", "cells": {"c1": "l1"}});
    refused(p.owner("boards.items.create", cell).await, "named-not-found");
    let p = p.restart().await;
    let full = full_json(&p, &b).await;
    assert_eq!(cells_of(&full), vec![json!({"c3": "2026-03-01"}); 3]);
    assert_eq!(rows_left(&p).await[2], 2);
}

#[tokio::test]
async fn what_is_empty_in_another_way_is_told_the_form_and_people_are_told_that_names_are_taken() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let span = add_column(&p, &b, "When", "timeline", json!({})).await;
    let file = add_column(&p, &b, "Plan", "file", json!({})).await;
    let item = p.owner("boards.items.create", json!({"boardId": b, "name": "I"})).await.unwrap()["id"].clone();
    for (column, value, takes) in [
        (span.as_str(), json!([]), "accepts {\"from\": a date, \"to\": a date}"),
        ("c2", json!({}), "members, by ID or unique name, such as [\"Ana\"], or null to empty it."),
        ("c2", json!(7), "members, by ID or unique name, such as [\"Ana\"]."),
        ("c3", json!([]), "accepts a date, such as 2026-03-01"),
        (file.as_str(), json!({}), "attachments"),
    ] {
        let cell = json!({"boardId": b, "itemId": item, "columnId": column, "value": value});
        let refusal = refused(p.owner("boards.cell", cell).await, "invalid-cell");
        assert!(refusal.detail().contains(takes), "{refusal}");
    }
}

#[tokio::test]
async fn many_labels_are_dropped_unless_one_of_them_is_held() {
    let p = start().await;
    let b = tasks_board(&p).await;
    for cells in [json!({}), json!({"c1": "l3"}), json!({"c1": "l4"})] {
        p.owner("boards.items.create", json!({"boardId": b, "name": "l2", "cells": cells})).await.unwrap();
    }
    let keep = |ids: &[&str]| {
        let labels: Vec<_> = ids.iter().map(|id| json!({"id": id, "text": format!("T {id}")})).collect();
        p.owner("boards.columns.update", json!({"boardId": b, "columnId": "c1", "settings": {"labels": labels}}))
    };
    let refusal = refused(keep(&["l4"]).await, "label-in-use");
    assert!(refusal.detail().contains("(l3) is used by 1 item. Change their label in Status or clear"), "{refusal}");
    p.owner("boards.items.create", json!({"boardId": b, "name": "One more", "cells": {"c1": "l4"}})).await.unwrap();
    let refusal = refused(keep(&[]).await, "label-in-use");
    assert!(refusal.detail().contains("(l3) is used by 1 item, "), "{refusal}");
    assert!(refusal.detail().contains("(l4) is used by 2 items. "), "{refusal}");
    keep(&["l3", "l4"]).await.unwrap();
}

#[tokio::test]
async fn columns_and_groups_are_told_as_they_are_with_the_items_that_change_with_them() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let item = json!({"boardId": b, "name": "One", "cells": {"c1": "l1"}});
    let made = p.owner("boards.items.create", item).await.unwrap();
    p.owner("boards.items.create", json!({"boardId": b, "name": "Two"})).await.unwrap();
    let mut since = made["boardRevision"].as_i64().unwrap() + 1;
    let mut told = async || {
        let changed = p.owner("boards.changed", json!({"boardId": b, "since": since})).await.unwrap();
        let full = full_json(&p, &b).await;
        assert_eq!((&changed["columns"], &changed["groups"]), (&full["columns"], &full["groups"]));
        assert_eq!((&changed["reload"], &changed["moved"]), (&json!(false), &json!([])));
        since = changed["board"]["revision"].as_i64().unwrap();
        changed["items"].as_array().unwrap().iter().map(|item| item["cells"].clone()).collect::<Vec<_>>()
    };
    let undo = async || {
        let revision = full_json(&p, &b).await["board"]["revision"].clone();
        p.owner("boards.undo", json!({"boardId": b, "revision": revision})).await.unwrap();
    };
    p.owner("boards.columns.create", json!({"boardId": b, "title": "New", "type": "text", "position": 0}))
        .await
        .unwrap();
    assert_eq!(told().await, [] as [Value; 0]);
    p.owner("boards.columns.update", json!({"boardId": b, "columnId": "c1", "title": "State", "position": 0}))
        .await
        .unwrap();
    assert_eq!(told().await, [] as [Value; 0]);
    undo().await;
    assert_eq!(told().await, [] as [Value; 0]);
    p.owner("boards.columns.delete", json!({"boardId": b, "columnId": "c1"})).await.unwrap();
    assert_eq!(told().await, [json!({})], "it had a cell there");
    undo().await;
    assert_eq!(told().await, [json!({"c1": "l1"})]);
    undo().await;
    undo().await;
    assert_eq!(told().await, [json!({"c1": "l1"})]);
    p.owner("boards.groups.create", json!({"boardId": b, "name": "New", "position": 0})).await.unwrap();
    assert_eq!(told().await, [] as [Value; 0]);
    undo().await;
    assert_eq!(told().await, [] as [Value; 0]);
}

#[tokio::test]
async fn what_has_changed_is_told_from_a_revision_on() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let items: Vec<_> = (0..3).map(|n| json!({"name": format!("{n}"), "cells": {"c2": [ANNA]}})).collect();
    let made = p.owner("boards.items.create", json!({"boardId": b, "items": items})).await.unwrap();
    let since = made["boardRevision"].as_i64().unwrap();
    let asked = |since: i64| json!({"boardId": b, "since": since});
    let none = p.owner("boards.changed", asked(since)).await.unwrap();
    assert_eq!((&none["items"], &none["removed"], &none["members"]), (&json!([]), &json!([]), &json!([])));
    let id = |n: usize| made["items"][n]["id"].clone();
    p.owner("boards.cell", json!({"boardId": b, "itemId": id(0), "columnId": "c1", "value": "l2"})).await.unwrap();
    p.owner("boards.items.delete", json!({"boardId": b, "itemId": id(1)})).await.unwrap();
    let changed = p.owner("boards.changed", asked(since)).await.unwrap();
    assert_eq!(changed["items"].as_array().unwrap().len(), 1);
    assert_eq!(changed["items"][0]["cells"], json!({"c1": "l2", "c2": [ANNA]}));
    assert_eq!((&changed["removed"], &changed["reload"]), (&json!([id(1)]), &json!(false)));
    assert_eq!(changed["moved"], json!([]));
    assert_eq!(changed["members"], json!([{"id": ANNA, "name": "Anna Berg"}]));
    assert_eq!(changed["board"]["revision"], since + 2);
    p.owner("boards.items.update", json!({"boardId": b, "itemId": id(2), "position": 1})).await.unwrap();
    let moved = async || p.owner("boards.changed", asked(since)).await.unwrap()["moved"].clone();
    assert_eq!(moved().await, json!([{"id": id(2), "after": null}]));
    p.owner("boards.undo", json!({"boardId": b, "revision": since + 3})).await.unwrap();
    assert_eq!(moved().await, json!([{"id": id(2), "after": id(0)}]));
    p.owner("boards.items.restore", json!({"boardId": b, "itemId": id(1)})).await.unwrap();
    assert_eq!(moved().await, json!([{"id": id(1), "after": id(0)}, {"id": id(2), "after": id(1)}]));
    let new = json!([{"id": "aaaaaaaaaaaaaaaa", "name": "First", "position": 1}, {"name": "Last"}]);
    p.owner("boards.cells", json!({"boardId": b, "add": new})).await.unwrap();
    let whole = moved().await;
    assert_eq!((whole.as_array().unwrap().len(), &whole[0]), (3, &json!({"id": "aaaaaaaaaaaaaaaa", "after": null})));
    let ahead = p.owner("boards.changed", asked(since + 7)).await.unwrap();
    assert_eq!(ahead["reload"], true, "a revision that the board has not reached");
    refused(p.owner("boards.changed", asked(-1)).await, "invalid-input");
    let other = p.as_caller(other_owner(), "boards.changed", asked(since)).await;
    refused(other, "not-found");
}

async fn blank(p: &Program) -> String {
    let input = json!({"workspaceId": WORKSPACE, "name": "Blank", "preset": "blank"});
    p.owner("boards.create", input).await.unwrap()["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_empty_list_empties_lists_only() {
    let p = start().await;
    let b = blank(&p).await;
    for (index, (kind, empties)) in
        [("number", false), ("checkbox", false), ("text", false), ("tags", true), ("people", true)]
            .into_iter()
            .enumerate()
    {
        let column = add_column(&p, &b, &format!("Column {index}"), kind, json!({})).await;
        let input = json!({"boardId": b, "name": "I", "cells": {column.as_str(): []}});
        assert_eq!(p.owner("boards.items.create", input.clone()).await.is_ok(), empties, "{kind}");
        let mut object = input;
        object["cells"][column.as_str()] = json!({});
        refused(p.owner("boards.items.create", object).await, "invalid-cell");
    }
}

#[tokio::test]
async fn one_item_is_read_by_its_id() {
    let p = start().await;
    let b = blank(&p).await;
    let made = p.owner("boards.items.create", json!({"boardId": b, "name": "One"})).await.unwrap();
    let read = p.owner("boards.items.get", json!({"boardId": b, "itemId": made["id"]})).await.unwrap();
    assert_eq!(read, made);
    p.owner("boards.items.delete", json!({"boardId": b, "itemId": made["id"]})).await.unwrap();
    for id in [&made["id"], &json!("unknown")] {
        refused(p.owner("boards.items.get", json!({"boardId": b, "itemId": id})).await, "not-found");
    }
}

#[tokio::test]
async fn a_place_far_behind_the_end_is_the_end() {
    let p = start().await;
    let b = blank(&p).await;
    let mut ids = Vec::new();
    for name in ["One", "Two"] {
        let made = p.owner("boards.items.create", json!({"boardId": b, "name": name})).await.unwrap();
        ids.push(made["id"].clone());
    }
    let far = json!({"boardId": b, "itemId": ids[0], "position": 1_i64 << 52});
    let moved = p.owner("boards.items.update", far).await.unwrap()["position"].as_i64().unwrap();
    let next = p.owner("boards.items.create", json!({"boardId": b, "name": "Three"})).await.unwrap();
    let next = next["position"].as_i64().unwrap();
    assert!(moved < next && next < 1 << 40, "{moved} {next}");
    // What stands behind it can still be stood between.
    let between = json!({"boardId": b, "itemId": ids[1], "position": (moved + next) / 2});
    p.owner("boards.items.update", between).await.unwrap();
}

#[tokio::test]
async fn decimals_come_back_as_they_were_sent() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let column = add_column(&p, &b, "Weight", "number", json!({})).await;
    // Decimals of up to 17 digits; a quick reader takes some of them for their neighbors.
    let sent: Vec<f64> = (1..=500).map(|n| f64::from(n) * 31.245_270_191_439_438 / 7.0).collect();
    let items: Vec<Value> = sent.iter().map(|n| json!({"name": "W", "cells": {&column: n}})).collect();
    let text = json!({"boardId": b, "items": items}).to_string();
    p.owner("boards.items.create", serde_json::from_str(&text).unwrap()).await.unwrap();
    let list = p.owner("boards.items.list", json!({"boardId": b, "limit": 500})).await.unwrap();
    let back: Vec<f64> =
        list["items"].as_array().unwrap().iter().map(|item| item["cells"][&column].as_f64().unwrap()).collect();
    assert_eq!(back, sent);
}

#[tokio::test]
async fn labels_and_members_may_be_named_where_one_alone_is_called_so() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let labels = json!({"labels": [{"text": "Open"}, {"text": "l1"}, {"text": "Twice"}, {"text": "Twice"}]});
    let state = add_column(&p, &b, "State", "dropdown", labels).await;
    let cells = |label: &str, people: Value| json!({&state: label, "c2": people});
    let stored = |item: &Value| (item["cells"][&state].clone(), item["cells"]["c2"].clone());
    let input = json!({"boardId": b, "name": "A", "cells": cells("Open", json!(["Ben Ito", ANNA, BEN]))});
    let made = p.owner("boards.items.create", input).await.unwrap();
    assert_eq!(stored(&made), (json!("l1"), json!([BEN, ANNA])));
    // What is an id is one.
    let input = json!({"boardId": b, "itemId": made["id"], "cells": cells("l1", json!(["Anna Berg"]))});
    let changed = p.owner("boards.items.update", input).await.unwrap();
    assert_eq!(stored(&changed), (json!("l1"), json!([ANNA])));
    let many = |label: &str, people: Value| json!({"boardId": b, "items": [{"itemId": made["id"], "cells": cells(label, people)}]});
    p.owner("boards.cells", many("l2", json!(["Ben Ito"]))).await.unwrap();
    let full = full_json(&p, &b).await;
    assert_eq!(stored(&full["items"][0]), (json!("l2"), json!([BEN])));
    let error = refused(p.owner("boards.cells", many("Twice", json!([BEN]))).await, "invalid-cell");
    assert!(error.fields()[0].detail.contains("l1 (Open), l2 (l1), l3 (Twice), l4 (Twice)"), "{error}");
    let rename = |tx: &mut store::Tx<'_>| tx.execute("UPDATE members SET name = 'Anna Berg'", params![]);
    p.ctx.db().write(rename).await.unwrap();
    let error = refused(p.owner("boards.cells", many("Open", json!([BEN, "Anna Berg"]))).await, "named-not-found");
    assert_eq!(error.fields()[0].pointer, "/items/0/cells/c2/1");
}

#[tokio::test]
async fn a_new_label_is_done_where_it_is_called_so_and_nothing_else_is_said() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let done = |column: &Value| {
        let labels = column["settings"]["labels"].as_array().unwrap().iter();
        labels.map(|label| (label["text"].as_str().unwrap().to_owned(), label["done"] == true)).collect::<Vec<_>>()
    };
    let of = |texts: &[(&str, bool)]| texts.iter().map(|(text, done)| ((*text).to_owned(), *done)).collect::<Vec<_>>();
    let labels = json!([{"text": "Offen"}, {"text": " FERTIG"}, {"text": "Done", "done": false}]);
    let input = json!({"boardId": b, "title": "S", "type": "status", "settings": {"labels": labels}});
    let made = p.owner("boards.columns.create", input).await.unwrap();
    assert_eq!(done(&made), of(&[("Offen", false), (" FERTIG", true), ("Done", false)]));
    // One that is there keeps what it is, whatever it is renamed to.
    let labels = json!([{"id": "l1", "text": "Closed"}, {"id": "l2", "text": "Fertig", "done": true}]);
    let update = async |labels: Value| {
        let input = json!({"boardId": b, "columnId": made["id"], "settings": {"labels": labels}});
        p.owner("boards.columns.update", input).await.unwrap()
    };
    assert_eq!(done(&update(labels).await), of(&[("Closed", false), ("Fertig", true)]));
    // Where words alone said what is done, they go on saying it beside a new label that has the mark.
    let old = json!([{"id": "l1", "text": "Closed", "done": false}, {"id": "l2", "text": "Open", "done": false}]);
    let read = update(old.clone()).await["settings"]["labels"].clone();
    let more = json!([read[0], read[1], {"text": "Erledigt"}]);
    assert_eq!(done(&update(more).await), of(&[("Closed", true), ("Open", false), ("Erledigt", true)]));
    update(old.clone()).await;
    let chosen = json!([old[0], old[1], {"text": "Landed", "done": true}]);
    assert_eq!(done(&update(chosen).await), of(&[("Closed", false), ("Open", false), ("Landed", true)]));
}

#[tokio::test]
async fn labels_go_on_behind_a_high_id_that_a_caller_made_up() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let ids = |column: &Value| {
        let labels = column["settings"]["labels"].as_array().unwrap().iter();
        labels.map(|label| label["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let update = |column: &Value, settings: Value| {
        p.owner("boards.columns.update", json!({"boardId": b, "columnId": column["id"], "settings": settings}))
    };
    for (high, next, after) in
        [("l9999999", "l10000000", "l10000001"), ("l999999999999", "l1000000000000", "l1000000000001")]
    {
        let labels = json!({"labels": [{"id": high, "text": "a"}, {"text": "b"}]});
        let input = json!({"boardId": b, "title": "S", "type": "status", "settings": labels});
        let made = p.owner("boards.columns.create", input).await.unwrap();
        assert_eq!(ids(&made), [high, next]);
        assert_eq!(update(&made, made["settings"].clone()).await.unwrap()["settings"], made["settings"]);
        let first = &made["settings"]["labels"][0];
        let replaced = update(&made, json!({"labels": [first, {"text": "c"}]})).await.unwrap();
        assert_eq!(ids(&replaced), [high, after]);
        update(&made, json!({"labels": []})).await.unwrap();
        let again = update(&made, json!({"labels": [{"text": "d"}]})).await.unwrap();
        assert!(![high, next, after].contains(&&*ids(&again)[0]), "{again}");
    }
    let labels = json!({"labels": [{"id": "l1000000000000", "text": "a"}]});
    let input = json!({"boardId": b, "title": "S", "type": "status", "settings": labels});
    let refusal = refused(p.owner("boards.columns.create", input).await, "invalid-input");
    assert_eq!(refusal.fields()[0].pointer, "/settings/labels/0/id");
}
