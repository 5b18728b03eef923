//! What is sent may name things in many places. One of another account answers in each as one that nobody has: not found, with
//! the place, and nothing is changed.

use super::*;
use testkit::refused;

/// Both accounts have one of everything; `theirs` is what the other has.
struct Ids {
    board: String,
    item: String,
    spare: String,
    group: String,
    member: &'static str,
    change: String,
}

async fn account(p: &Program, caller: Caller, workspace: &str, member: &'static str) -> Ids {
    let ask =
        async |op: &str, input: Value| testkit::json_of(&p.call(Call::new(caller.clone()), op, input).await.unwrap());
    let id = |made: Value| made["id"].as_str().unwrap().to_owned();
    let board = id(ask("boards.create", json!({"workspaceId": workspace, "name": "B", "preset": "blank"})).await);
    for (title, kind) in [("Who", "people"), ("When", "timeline")] {
        ask("boards.columns.create", json!({"boardId": board, "title": title, "type": kind})).await;
    }
    for kind in ["itemLink", "sprint"] {
        let settings = json!({"boardId": board, "many": true});
        let input = json!({"boardId": board, "title": kind, "type": kind, "settings": settings});
        ask("boards.columns.create", input).await;
    }
    ask("boards.columns.create", json!({"boardId": board, "title": "Files", "type": "file"})).await;
    let mut group = String::new();
    // The other account's numbers reach further than one's own.
    for _ in 0..if member == STRANGER { 9 } else { 1 } {
        group = id(ask("boards.groups.create", json!({"boardId": board, "name": "G"})).await);
    }
    let item = id(ask("boards.items.create", json!({"boardId": board, "name": "I"})).await);
    let spare = id(ask("boards.items.create", json!({"boardId": board, "name": "S"})).await);
    ask("boards.items.update", json!({"boardId": board, "itemId": item, "name": "J"})).await;
    let activity = ask("boards.items.activity", json!({"boardId": board, "itemId": item})).await;
    let change = activity["items"][0]["changeId"].as_str().unwrap().to_owned();
    Ids { board, item, spare, group, member, change }
}

#[tokio::test]
async fn what_is_named_in_any_place_and_is_not_there_is_not_found() {
    let p = start().await;
    let theirs = account(&p, other_owner(), OTHER_WORKSPACE, STRANGER).await;
    let own = account(&p, owner(), WORKSPACE, ANNA).await;
    let (b, item, group, anna) = (&own.board, &own.item, &own.group, own.member);
    let cells = |cells: Value| json!({"boardId": b, "itemId": item, "cells": cells});
    let column = |kind: &str, settings: Value| json!({"boardId": b, "title": "T", "type": kind, "settings": settings});
    let bulk = |input: Value| {
        let mut whole = json!({"boardId": b});
        whole.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
        whole
    };
    let view = |settings: Value| json!({"boardId": b, "name": "V", "kind": "table", "settings": settings});
    let by = |board: &str, column: &str, op: &str, value: Value| {
        let col = json!({"by": "ids", "ids": {board: [column]}});
        json!({"filter": {"v": 1, "people": null, "all": [{"id": "r", "col": col, "op": op, "value": value}]}})
    };
    let nobody = "0".repeat(16);
    let kinds = [
        (theirs.member, "m-nobody!!!"),
        (&theirs.item, nobody.as_str()),
        (&theirs.board, &nobody),
        (&theirs.group, "g99"),
        ("c6", "c99"),
        (&theirs.change, &nobody),
        (OTHER_WORKSPACE, "w9"),
    ];
    let [members, items, boards, groups, columns, changes, workspaces] = kinds;
    let mut tried = 0;
    let before = full_json(&p, b).await;
    type Made<'a> = &'a dyn Fn(&str) -> Value;
    #[rustfmt::skip]
    let places: [((&str, &str), &str, &str, Made<'_>); 49] = [
        (members, "boards.cell", "/value/1", &|id| json!({"boardId": b, "itemId": item, "columnId": "c1", "value": [anna, id]})),
        (members, "boards.items.update", "/cells/c1/0", &|id| cells(json!({"c1": [id]}))),
        (members, "boards.items.create", "/cells/c1/0", &|id| json!({"boardId": b, "name": "N", "cells": {"c1": [id]}})),
        (members, "boards.items.create", "/items/1/cells/c1/1", &|id| json!({"boardId": b, "items": [{"name": "N"}, {"name": "N", "cells": {"c1": [anna, id]}}]})),
        (members, "boards.cells", "/items/0/cells/c1/0", &|id| bulk(json!({"items": [{"itemId": item, "cells": {"c1": [id]}}]}))),
        (members, "boards.cells", "/add/0/cells/c1/0", &|id| bulk(json!({"add": [{"name": "N", "cells": {"c1": [id]}}]}))),
        (members, "boards.comments.create", "/text", &|id| json!({"boardId": b, "itemId": item, "text": format!("Hi @[{}]", id.trim_end_matches('!'))})),
        (items, "boards.cell", "/value/0", &|id| json!({"boardId": b, "itemId": item, "columnId": "c3", "value": [id, item]})),
        (items, "boards.cell", "/value/1", &|id| json!({"boardId": b, "itemId": item, "columnId": "c4", "value": [item, id]})),
        (items, "boards.items.update", "/cells/c3/0", &|id| cells(json!({"c3": [id]}))),
        (items, "boards.items.update", "/cells/c4/0", &|id| cells(json!({"c4": [id]}))),
        (items, "boards.items.update", "/parentId", &|id| json!({"boardId": b, "itemId": item, "parentId": id})),
        (items, "boards.items.create", "/cells/c4/0", &|id| json!({"boardId": b, "name": "N", "cells": {"c4": [id]}})),
        (items, "boards.items.create", "/parentId", &|id| json!({"boardId": b, "name": "N", "parentId": id})),
        (items, "boards.items.create", "/items/0/parentId", &|id| json!({"boardId": b, "items": [{"name": "N", "parentId": id}]})),
        (items, "boards.items.list", "/parentId", &|id| json!({"boardId": b, "parentId": id})),
        (items, "boards.formulas.preview", "/itemId", &|id| json!({"boardId": b, "formula": "1", "itemId": id})),
        (items, "boards.cells", "/items/1/itemId", &|id| bulk(json!({"items": [{"itemId": item, "name": "K"}, {"itemId": id, "name": "N"}]}))),
        (items, "boards.cells", "/items/0/cells/c3/0", &|id| bulk(json!({"items": [{"itemId": item, "cells": {"c3": [id]}}]}))),
        (items, "boards.cells", "/add/0/cells/c4/0", &|id| bulk(json!({"add": [{"name": "N", "cells": {"c4": [id]}}]}))),
        (items, "boards.cells", "/add/0/parentId", &|id| bulk(json!({"add": [{"name": "N", "parentId": id}]}))),
        (items, "boards.cells", "/items/0/parentId", &|id| bulk(json!({"items": [{"itemId": item, "parentId": id}]}))),
        (items, "boards.cells", "/archive/0", &|id| bulk(json!({"archive": [id]}))),
        (items, "boards.cells", "/delete/1", &|id| bulk(json!({"delete": [own.spare, id]}))),
        (items, "boards.cell", "/value/0/id", &|id| json!({"boardId": b, "itemId": item, "columnId": "c5", "value": [{"id": id}]})),
        (boards, "boards.columns.create", "/settings/boardId", &|id| column("itemLink", json!({"boardId": id}))),
        (boards, "boards.columns.create", "/settings/boardId", &|id| column("sprint", json!({"boardId": id}))),
        (boards, "boards.columns.update", "/settings/boardId", &|id| json!({"boardId": b, "columnId": "c3", "settings": {"boardId": id}})),
        (boards, "query", "/boardIds/1", &|id| json!({"boardIds": [b, id]})),
        (groups, "boards.columns.create", "/settings/groupId", &|id| column("itemLink", json!({"boardId": b, "groupId": id}))),
        (groups, "boards.items.update", "/groupId", &|id| json!({"boardId": b, "itemId": item, "groupId": id})),
        (groups, "boards.items.create", "/items/0/groupId", &|id| json!({"boardId": b, "items": [{"name": "N", "groupId": id}]})),
        (groups, "boards.cells", "/items/0/groupId", &|id| bulk(json!({"items": [{"itemId": item, "groupId": id}]}))),
        (groups, "boards.cells", "/add/0/groupId", &|id| bulk(json!({"add": [{"name": "N", "groupId": id}]}))),
        (groups, "boards.groups.delete", "/moveTo", &|id| json!({"boardId": b, "groupId": group, "moveTo": id})),
        (columns, "boards.columns.create", "/settings/sourceColumn", &|id| column("mirror", json!({"linkColumn": "c3", "sourceColumn": id}))),
        (columns, "boards.columns.create", "/settings/linkColumn", &|id| column("mirror", json!({"linkColumn": id, "sourceColumn": "c2"}))),
        (columns, "boards.columns.create", "/settings/timelineColumn", &|id| column("sprint", json!({"boardId": b, "timelineColumn": id}))),
        (columns, "boards.formulas.preview", "/columnId", &|id| json!({"boardId": b, "formula": "1", "columnId": id})),
        (columns, "boards.views.create", "/settings/filter", &|id| view(by(b, id, "isEmpty", json!(null)))),
        (boards, "boards.views.create", "/settings/filter", &|id| view(by(id, "c1", "isEmpty", json!(null)))),
        (members, "boards.views.create", "/settings/filter", &|id| view(by(b, "c1", "anyOf", json!([anna, id])))),
        (members, "boards.views.create", "/settings/filter", &|id| view(by(b, "c1", "anyOf", json!({"ids": [id]})))),
        (members, "boards.views.create", "/settings/filter", &|id| view(json!({"filter": {"people": {"ids": ["me", id]}, "all": []}}))),
        (columns, "boards.views.create", "/settings/byColumn", &|id| view(json!({"byColumn": id}))),
        (columns, "boards.views.create", "/settings/dateColumn", &|id| view(json!({"dateColumn": id}))),
        (columns, "boards.views.create", "/settings/endColumn", &|id| view(json!({"endColumn": id}))),
        (changes, "boards.undo", "/changeId", &|id| json!({"boardId": b, "changeId": id})),
        (workspaces, "boards.create", "/workspaceId", &|id| json!({"workspaceId": id, "name": "N"})),
    ];
    for ((foreign, nothing), op, pointer, input) in places {
        let mut said = Vec::new();
        for id in [foreign, nothing] {
            let error = refused(p.owner(op, input(id)).await, "named-not-found");
            let pointers: Vec<&str> = error.fields().iter().map(|field| field.pointer.as_str()).collect();
            assert_eq!((error.code().status, pointers), (404, vec![pointer]), "{op}: {error}");
            // Boards number their columns for themselves, so that the number may be said again; so may a text's own words.
            said.push(error.problem().to_string().replace(id.trim_end_matches('!'), "ID"));
            assert!(
                (foreign, nothing) == columns || pointer == "/text" || !error.problem().to_string().contains(id),
                "{op}: {error}"
            );
        }
        assert_eq!(said[0], said[1], "{op} {pointer}");
        tried += 1;
    }
    let cell = |column: &str| json!({"boardId": b, "itemId": item, "cells": {column: 7}});
    let error = refused(p.owner("boards.items.update", cell("c99")).await, "named-not-found");
    assert_eq!((error.fields()[0].pointer.as_str(), error.fields()[0].code.name()), ("/cells/c99", "unknown-column"));
    // A column's title names it too: the value is then what doesn't fit.
    let title = before["columns"][0]["title"].as_str().unwrap();
    let error = refused(p.owner("boards.items.update", cell(&title.to_uppercase())).await, "invalid-cell");
    assert!(error.detail().contains(" (c1, people) accepts"), "{error}");
    assert_eq!(tried, 49);
    assert_eq!(full_json(&p, b).await, before, "nothing was changed");
}

#[tokio::test]
async fn a_change_of_many_is_not_found_where_all_that_is_refused_names_what_is_not_there() {
    let p = start().await;
    let board = tasks_board(&p).await;
    let item = p.owner("boards.items.create", json!({"boardId": board, "name": "I"})).await.unwrap()["id"].clone();
    let cells = json!({"c1": "l9", "c2": [STRANGER, ANNA, "m-none"]});
    let input = json!({"boardId": board, "items": [{"itemId": item, "cells": cells}]});
    let error = refused(p.owner("boards.cells", input).await, "invalid-cell");
    let said: Vec<_> = error.fields().iter().map(|field| (field.pointer.as_str(), field.code.name())).collect();
    let expected = [
        ("/items/0/cells/c1", "invalid-cell"),
        ("/items/0/cells/c2/0", "unknown-member"),
        ("/items/0/cells/c2/2", "unknown-member"),
    ];
    assert_eq!(said, expected);
    let cells = json!({"c2": [STRANGER, ANNA, "m-none"], "c99": 1});
    let input = json!({"boardId": board, "items": [{"itemId": item, "cells": cells}]});
    assert_eq!(refused(p.owner("boards.cells", input).await, "named-not-found").fields().len(), 3);
}

#[tokio::test]
async fn who_has_left_and_what_is_gone_stay_in_a_cell_that_names_them() {
    let p = start().await;
    let own = account(&p, owner(), WORKSPACE, ANNA).await;
    let (board, item) = (&own.board, &own.item);
    let set = async |column: &str, value: Value| {
        p.owner("boards.cell", json!({"boardId": board, "itemId": item, "columnId": column, "value": value})).await
    };
    set("c1", json!([BEN])).await.unwrap();
    set("c3", json!([own.spare])).await.unwrap();
    let leave = |tx: &mut store::Tx<'_>| tx.execute("DELETE FROM members WHERE member_id = $1", params![BEN]);
    p.ctx.db().write(leave).await.unwrap();
    p.owner("boards.items.delete", json!({"boardId": board, "itemId": own.spare})).await.unwrap();

    let stored = set("c1", json!([BEN, ANNA])).await.unwrap();
    assert_eq!(stored["cells"]["c1"], json!([BEN, ANNA]), "another is added");
    let stored = set("c3", json!([own.spare, item])).await.unwrap();
    assert_eq!(stored["cells"]["c3"], json!([own.spare, item]));
    let cells = json!({"c1": [BEN], "c3": [own.spare]});
    let items = json!([{"itemId": item, "cells": cells}]);
    p.owner("boards.cells", json!({"boardId": board, "items": items})).await.unwrap();
    p.owner("boards.items.update", json!({"boardId": board, "itemId": item, "cells": cells})).await.unwrap();
    // Nowhere else, and not again once they are out.
    let error = refused(
        p.owner("boards.items.create", json!({"boardId": board, "name": "N", "cells": {"c1": [BEN]}})).await,
        "named-not-found",
    );
    assert_eq!(error.fields()[0].pointer, "/cells/c1/0");
    set("c1", json!([ANNA])).await.unwrap();
    refused(set("c1", json!([BEN])).await, "named-not-found");
}

#[tokio::test]
async fn the_refusal_of_a_column_that_is_not_there_says_which_there_are() {
    let p = start().await;
    let blank = json!({"workspaceId": WORKSPACE, "name": "B", "preset": "blank"});
    let board = p.owner("boards.create", blank).await.unwrap()["id"].as_str().unwrap().to_owned();
    p.owner("boards.columns.create", json!({"boardId": board, "title": "State", "type": "text"})).await.unwrap();
    let item = p.owner("boards.items.create", json!({"boardId": board, "name": "A"})).await.unwrap();
    let column = json!({"boardId": board, "columnId": "State"});
    // A cell is set by its column's title too.
    let mut cell = json!({"boardId": board, "columnId": "Estate"});
    cell["itemId"] = item["id"].clone();
    cell["value"] = json!("x");
    for (op, input) in
        [("boards.cell", cell), ("boards.columns.update", column.clone()), ("boards.columns.delete", column)]
    {
        let error = refused(p.owner(op, input).await, "not-found");
        assert!(error.to_string().contains("c1 (State)"), "{op}: {error}");
    }
}

#[tokio::test]
async fn cells_are_named_by_titles_and_people_by_names_and_addresses() {
    let p = start().await;
    let ask = async |op: &str, input: Value| p.call(Call::new(owner()), op, input).await;
    let board = testkit::json_of(
        &ask("boards.create", json!({"workspaceId": WORKSPACE, "name": "B", "preset": "blank"})).await.unwrap(),
    );
    let board = board["id"].as_str().unwrap().to_owned();
    let column = |title: &str, kind: &str| json!({"boardId": board, "title": title, "type": kind});
    for (title, kind) in [("Who", "people"), ("Notes", "text"), ("Twice", "text"), ("twice", "text")] {
        ask("boards.columns.create", column(title, kind)).await.unwrap();
    }
    let create =
        async |cells: Value| ask("boards.items.create", json!({"boardId": board, "name": "I", "cells": cells})).await;
    let members = p.ctx.service::<kit::lookup::Members>().0.all(ACCOUNT).await.unwrap();
    let (id, name, address) = members.iter().find(|(id, ..)| id == ANNA).unwrap().clone();
    let by_title = testkit::json_of(&create(json!({"who": [name], "Notes": "x"})).await.unwrap());
    let by_id = testkit::json_of(&create(json!({"c1": [id], "c2": "x"})).await.unwrap());
    assert_eq!(by_title["cells"], by_id["cells"]);
    if !address.is_empty() {
        let by_address = testkit::json_of(&create(json!({"Who": [address]})).await.unwrap());
        assert_eq!(by_address["cells"]["c1"], by_id["cells"]["c1"]);
    }
    // One member is a list of one.
    let single = testkit::json_of(&create(json!({"WHO": name, "Notes": "x"})).await.unwrap());
    assert_eq!(single["cells"], by_id["cells"]);
    let cell = |value: &str| json!({"boardId": board, "itemId": by_id["id"], "columnId": "who", "value": value});
    assert_eq!(testkit::json_of(&ask("boards.cell", cell(&name)).await.unwrap())["cells"], by_id["cells"]);
    let many = json!({"boardId": board, "items": [{"itemId": single["id"], "cells": {"who": name, "Notes": name}}]});
    ask("boards.cells", many).await.unwrap();
    let item =
        testkit::json_of(&ask("boards.items.get", json!({"boardId": board, "itemId": single["id"]})).await.unwrap());
    assert_eq!((&item["cells"]["c1"], &item["cells"]["c2"]), (&by_id["cells"]["c1"], &json!(name)));
    let told = refused(ask("boards.cell", cell("nobody")).await, "named-not-found");
    assert_eq!(told.fields()[0].pointer, "/value");
    let told = refused(create(json!({"Who": 7})).await, "invalid-cell");
    assert!(told.detail().ends_with(r#"by ID or unique name, such as ["Ana"]."#), "{told}");
    let told = refused(create(json!({"Twice": "x"})).await, "named-not-found");
    assert_eq!(told.detail(), "Several columns are titled Twice. Use one of the IDs: c3, c4.");
    let told = refused(create(json!({"Cost": "x"})).await, "named-not-found");
    assert!(told.detail().ends_with("The board has c1 (Who), c2 (Notes), c3 (Twice), c4 (twice)."), "{told}");
    let told = refused(create(json!({"c2": "x", "Notes": "y"})).await, "invalid-input");
    assert_eq!(told.fields()[0].code.name(), "repeated");
}
