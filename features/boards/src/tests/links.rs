//! Links to items of other boards, sprints, and mirrors.

use super::export::export;
use super::full::{as_json, decode, with_floats};
use super::*;
use events::{Event, HasEvents};
use testkit::refused;

async fn board(p: &Program, name: &str) -> String {
    let input = json!({"workspaceId": WORKSPACE, "name": name, "preset": "blank"});
    p.owner("boards.create", input).await.unwrap()["id"].as_str().unwrap().to_owned()
}

async fn item(p: &Program, board: &str, name: &str, cells: Value) -> String {
    let made = p.owner("boards.items.create", json!({"boardId": board, "name": name, "cells": cells})).await;
    made.unwrap()["id"].as_str().unwrap().to_owned()
}

async fn set(p: &Program, board: &str, item: &str, column: &str, value: Value) -> kit::Result<Value> {
    p.owner("boards.cell", json!({"boardId": board, "itemId": item, "columnId": column, "value": value})).await
}

/// The same thing made by the other account.
async fn of_other(p: &Program, op: &str, input: Value) -> Value {
    testkit::json_of(&p.call(Call::new(other_owner()), op, input).await.unwrap())
}

/// A board of sprints (c1 the timeline, c2 people, c3 a number, c4 a status) with two of them, and a board of work with
/// c1 the sprint of an item and mirrors c2 to c4 of what the sprint holds.
struct Two {
    sprints: String,
    first: String,
    second: String,
    work: String,
    task: String,
}

async fn two(p: &Program) -> Two {
    let sprints = board(p, "Sprints").await;
    add_column(p, &sprints, "When", "timeline", json!({})).await;
    add_column(p, &sprints, "Lead", "people", json!({})).await;
    add_column(p, &sprints, "Goal", "number", json!({"unit": "pt"})).await;
    let labels = json!({"labels": [{"text": "Open"}, {"text": "Closed", "done": true}]});
    add_column(p, &sprints, "State", "status", labels).await;
    let span = |from: &str, to: &str| json!({"from": from, "to": to});
    let cells = json!({"c1": span("2026-01-05", "2026-01-16"), "c2": [ANNA], "c3": 20, "c4": "l2"});
    let first = item(p, &sprints, "Sprint 1", cells).await;
    let second = item(p, &sprints, "Sprint 2", json!({"c1": span("2026-01-19", "2026-01-30"), "c3": 7})).await;
    let work = board(p, "Work").await;
    add_column(p, &work, "Sprint", "sprint", json!({"boardId": sprints, "many": true})).await;
    for source in ["c2", "c3", "c4"] {
        add_column(p, &work, source, "mirror", json!({"linkColumn": "c1", "sourceColumn": source})).await;
    }
    let task = item(p, &work, "Task", json!({"c1": [first]})).await;
    Two { sprints, first, second, work, task }
}

#[tokio::test]
async fn a_sprint_is_shown_with_its_name_days_and_mirrored_cells() {
    let p = start().await;
    let two = two(&p).await;
    item(&p, &two.work, "Nothing", json!({})).await;
    let full = full_json(&p, &two.work).await;
    let lead = &full["linked"][0]["columns"][0];
    assert_eq!((&lead["id"], &lead["title"], &lead["type"]), (&json!("c2"), &json!("Lead"), &json!("people")));
    assert_eq!(full["linked"][0]["boardId"], two.sprints);
    let sprint = json!({"id": two.first, "name": "Sprint 1", "days": {"c1": {"start": "2026-01-05", "end": "2026-01-16"}},
        "cells": {"c2": [ANNA], "c3": 20, "c4": "l2"}});
    assert_eq!(full["linked"][0]["items"], json!([sprint]), "only what is linked");
    assert_eq!(full["members"], json!([{"id": ANNA, "name": "Anna Berg"}]), "who is mirrored is named");
    assert_eq!(full["items"][0]["cells"], json!({"c1": [two.first]}), "a mirror has no cells");
    let arrow = decode(&full_reply(&p, &two.work, crate::ARROW, None).await);
    assert_eq!(with_floats(as_json(&arrow)), with_floats(full));
    assert!(full_json(&p, &two.sprints).await.get("linked").is_none(), "a board without links has none");

    set(&p, &two.work, &two.task, "c1", json!([two.first, two.second])).await.unwrap();
    let (_, csv) = export(&p, &two.work, json!({})).await;
    let csv = String::from_utf8(csv).unwrap();
    assert_eq!(
        csv,
        "Name,Group,Sprint,c2,c3,c4\r\nTask,Items,\"Sprint 1, Sprint 2\",Anna Berg,27,Closed\r\nNothing,Items,,,,\r\n"
    );
    let (_, json) = export(&p, &two.work, json!({"format": "json"})).await;
    let mut full = full_json(&p, &two.work).await;
    full.as_object_mut().unwrap().remove("linkedAt");
    assert_eq!(serde_json::from_slice::<Value>(&json).unwrap(), full);
    export(&p, &two.work, json!({"format": "xlsx"})).await;
}

#[tokio::test]
async fn many_linked_items_are_read_as_few_are() {
    let p = start().await;
    let two = two(&p).await;
    let mut ids = vec![two.first.clone(), two.second.clone()];
    for n in 3..9 {
        ids.push(item(&p, &two.sprints, &format!("Sprint {n}"), json!({"c3": n})).await);
    }
    set(&p, &two.work, &two.task, "c1", json!(ids)).await.unwrap();
    ids.sort();
    let linked = full_json(&p, &two.work).await["linked"][0]["items"].as_array().unwrap().clone();
    assert_eq!(linked.iter().map(|item| item["id"].as_str().unwrap()).collect::<Vec<_>>(), ids);
    let goals: f64 = linked.iter().map(|item| item["cells"]["c3"].as_f64().unwrap()).sum();
    assert_eq!(goals, 60.0);
}

#[tokio::test]
async fn what_is_shown_follows_the_linked_board() {
    let p = start().await;
    let two = two(&p).await;
    for accept in ["application/json", crate::ARROW] {
        let tag = header(&full_reply(&p, &two.work, accept, None).await, "etag").to_owned();
        let again = full_reply(&p, &two.work, accept, Some(&tag)).await;
        assert_eq!(again.status, 304);
        // What is not shown changes nothing; what is, everything that holds it.
        item(&p, &two.sprints, "Another", json!({})).await;
        assert_eq!(full_reply(&p, &two.work, accept, Some(&tag)).await.status, 304);
        let goal = if accept == crate::ARROW { 30 } else { 25 };
        let (_, mut heard) = p.ctx.events().listen(None);
        set(&p, &two.sprints, &two.first, "c3", json!(goal)).await.unwrap();
        let revision = full_json(&p, &two.work).await["board"]["revision"].as_i64().unwrap();
        let told = [heard.try_recv().unwrap(), heard.try_recv().unwrap()].map(|numbered| numbered.event);
        assert!(told.contains(&Event::BoardChanged { board_id: two.work.clone(), revision }), "{told:?}");
        assert_eq!(full_reply(&p, &two.work, accept, Some(&tag)).await.status, 200);
        assert_eq!(full_json(&p, &two.work).await["linked"][0]["items"][0]["cells"]["c3"], goal);
    }
    p.owner("boards.items.update", json!({"boardId": two.sprints, "itemId": two.first, "name": "First"}))
        .await
        .unwrap();
    assert_eq!(full_json(&p, &two.work).await["linked"][0]["items"][0]["name"], "First");
    let item_gone = json!({"boardId": two.sprints, "itemId": two.first});
    p.owner("boards.items.delete", item_gone).await.unwrap();
    let full = full_json(&p, &two.work).await;
    assert_eq!(full["linked"][0]["items"], json!([]), "what is deleted shows nowhere");
    assert_eq!(full["items"][0]["cells"]["c1"], json!([two.first]));
    p.owner("boards.columns.delete", json!({"boardId": two.sprints, "columnId": "c3"})).await.unwrap();
    assert_eq!(full_json(&p, &two.work).await["linked"][0]["columns"].as_array().unwrap().len(), 2);
    p.owner("boards.delete", json!({"boardId": two.sprints})).await.unwrap();
    assert!(full_json(&p, &two.work).await.get("linked").is_none());
    refused(set(&p, &two.work, &two.task, "c1", json!([two.second])).await, "named-not-found");
    set(&p, &two.work, &two.task, "c1", json!(null)).await.unwrap();
}

#[tokio::test]
async fn cells_hold_items_of_their_board_and_nothing_else() {
    let p = start().await;
    let two = two(&p).await;
    add_column(&p, &two.work, "Once", "sprint", json!({"boardId": two.sprints})).await;
    let of_group = json!({"boardId": two.sprints, "groupId": "g1"});
    add_column(&p, &two.work, "Group", "itemLink", of_group).await;
    let later = p.owner("boards.groups.create", json!({"boardId": two.sprints, "name": "Later"})).await.unwrap();
    let moved = json!({"boardId": two.sprints, "itemId": two.second, "groupId": later["id"]});
    p.owner("boards.items.update", moved).await.unwrap();

    let theirs =
        of_other(&p, "boards.create", json!({"workspaceId": OTHER_WORKSPACE, "name": "T", "preset": "blank"})).await;
    let theirs = of_other(&p, "boards.items.create", json!({"boardId": theirs["id"], "name": "I"})).await["id"].clone();
    let unknown = json!("0".repeat(16));
    let mut said = Vec::new();
    for foreign in [&theirs, &unknown, &json!(two.task)] {
        let in_create = json!({"boardId": two.work, "items": [{"name": "N", "cells": {"c1": [two.first, foreign]}}]});
        let errors = [
            refused(set(&p, &two.work, &two.task, "c1", json!([two.first, foreign])).await, "named-not-found"),
            refused(p.owner("boards.items.create", in_create).await, "named-not-found"),
        ];
        said.push(errors.map(|e| e.detail().to_owned()));
    }
    assert!(said.iter().all(|one| *one == said[0]), "another account's item is as unknown as none: {said:?}");
    refused(set(&p, &two.work, &two.task, "c6", json!([two.second])).await, "named-not-found");
    set(&p, &two.work, &two.task, "c6", json!([two.first])).await.unwrap();
    refused(set(&p, &two.work, &two.task, "c5", json!([two.first, two.second])).await, "invalid-cell");
    set(&p, &two.work, &two.task, "c5", json!([two.second])).await.unwrap();
    let bad = [json!([1]), json!({"id": two.first}), json!(true), json!(vec![&two.first; 101])];
    for value in bad {
        let error = refused(set(&p, &two.work, &two.task, "c1", value).await, "invalid-cell");
        assert!(
            error.detail().contains("accepts a list of up to 100 items, by ID or unique name, such as [\"Sprint 1\"]"),
            "{error}"
        );
    }
    refused(set(&p, &two.work, &two.task, "c2", json!([ANNA])).await, "read-only-column");
}

#[tokio::test]
async fn linked_items_may_be_named_where_one_alone_is_called_so() {
    let p = start().await;
    let two = two(&p).await;
    let linked = |changed: kit::Result<Value>| changed.unwrap()["cells"]["c1"].clone();
    // A single text is a list of one, and an ID is one.
    assert_eq!(linked(set(&p, &two.work, &two.task, "Sprint", json!("sprint 2")).await), json!([two.second]));
    assert_eq!(linked(set(&p, &two.work, &two.task, "c1", json!(two.first)).await), json!([two.first]));
    let both = json!(["Sprint 2", two.first, "Sprint 2"]);
    assert_eq!(linked(set(&p, &two.work, &two.task, "c1", both).await), json!([two.second, two.first]));
    let many = json!({"boardId": two.work, "items": [{"itemId": two.task, "cells": {"c1": "Sprint 1"}}]});
    p.owner("boards.cells", many).await.unwrap();
    let read = p.owner("boards.items.get", json!({"boardId": two.work, "itemId": two.task})).await;
    assert_eq!(linked(read), json!([two.first]));
    let made = json!({"boardId": two.work, "name": "New", "cells": {"Sprint": "Sprint 2"}});
    assert_eq!(linked(p.owner("boards.items.create", made).await), json!([two.second]));
    // The same case goes before another; where several are called so, none is meant.
    let other = item(&p, &two.sprints, "SPRINT 2", json!({})).await;
    assert_eq!(linked(set(&p, &two.work, &two.task, "c1", json!("SPRINT 2")).await), json!([other]));
    for name in ["sPRINT 2", "Sprint 3"] {
        let error = refused(set(&p, &two.work, &two.task, "c1", json!(name)).await, "named-not-found");
        assert_eq!(error.fields()[0].pointer, "/value");
        assert!(error.detail().contains("by ID or unique name"), "{error}");
    }
    // Items outside the column's group, and of other boards, have no name here.
    let later = p.owner("boards.groups.create", json!({"boardId": two.sprints, "name": "Later"})).await.unwrap();
    let column = json!({"boardId": two.sprints, "groupId": later["id"]});
    let of_group = add_column(&p, &two.work, "Later", "itemLink", column).await;
    refused(set(&p, &two.work, &two.task, &of_group, json!("Sprint 1")).await, "named-not-found");
    refused(set(&p, &two.work, &two.task, "c1", json!("Task")).await, "named-not-found");
}

#[tokio::test]
async fn settings_name_what_is_there_and_serves() {
    let p = start().await;
    let two = two(&p).await;
    let theirs =
        of_other(&p, "boards.create", json!({"workspaceId": OTHER_WORKSPACE, "name": "T", "preset": "blank"})).await;
    let create =
        |kind: &str, settings: Value| json!({"boardId": two.work, "title": "T", "type": kind, "settings": settings});
    let (sprints, work) = (&two.sprints, &two.work);
    let unknown = "0".repeat(16);
    for kind in ["itemLink", "sprint"] {
        let mut said = Vec::new();
        for foreign in [theirs["id"].as_str().unwrap(), &unknown] {
            let error = refused(
                p.owner("boards.columns.create", create(kind, json!({"boardId": foreign}))).await,
                "named-not-found",
            );
            said.push(error.to_string());
        }
        assert_eq!(said[0], said[1]);
        let error = refused(p.owner("boards.columns.create", create(kind, json!({}))).await, "invalid-input");
        assert!(
            error.detail().contains(&format!(r#"{kind} column needs `settings` such as {{"boardId": "ID"}}"#)),
            "{error}"
        );
        let group = json!({"boardId": sprints, "groupId": "g9"});
        refused(p.owner("boards.columns.create", create(kind, group)).await, "named-not-found");
    }
    let cases = [
        ("sprint", json!({"boardId": sprints, "timelineColumn": "c9"}), "named-not-found"),
        ("sprint", json!({"boardId": sprints, "timelineColumn": "c2"}), "invalid-input"),
        ("sprint", json!({"boardId": sprints, "startColumn": "c1"}), "invalid-input"),
        ("itemLink", json!({"boardId": sprints, "timelineColumn": "c1"}), "invalid-input"),
        ("text", json!({"boardId": sprints}), "invalid-input"),
        ("mirror", json!({}), "invalid-input"),
        ("mirror", json!({"linkColumn": "c1"}), "invalid-input"),
        ("mirror", json!({"linkColumn": "c9", "sourceColumn": "c1"}), "named-not-found"),
        ("mirror", json!({"linkColumn": "c1", "sourceColumn": "c9"}), "named-not-found"),
        ("mirror", json!({"linkColumn": "c2", "sourceColumn": "c1"}), "invalid-input"),
    ];
    for (kind, settings, code) in cases {
        refused(p.owner("boards.columns.create", create(kind, settings)).await, code);
    }
    // A board may link to itself; a mirror of a mirror, which could go round in circles, is none.
    let own = add_column(&p, work, "Own", "itemLink", json!({"boardId": work})).await;
    for source in ["c1", "c2"] {
        let circle = create("mirror", json!({"linkColumn": own, "sourceColumn": source}));
        refused(p.owner("boards.columns.create", circle).await, "invalid-input");
    }
    // The board stays what it is; the rest may change.
    let update = |settings: Value| json!({"boardId": work, "columnId": "c1", "settings": settings});
    refused(p.owner("boards.columns.update", update(json!({"boardId": work}))).await, "invalid-input");
    refused(p.owner("boards.columns.update", update(json!({"boardId": theirs["id"]}))).await, "named-not-found");
    p.owner("boards.columns.update", update(json!({"boardId": sprints, "timelineColumn": "c1"}))).await.unwrap();
    let mirror = json!({"boardId": work, "columnId": "c2", "settings": {"linkColumn": "c1", "sourceColumn": "c77"}});
    refused(p.owner("boards.columns.update", mirror).await, "named-not-found");
}

#[tokio::test]
async fn two_dates_make_a_sprint_where_there_is_no_timeline_and_each_column_says_which() {
    let p = start().await;
    let sprints = board(&p, "Iterations").await;
    for title in ["Start", "End", "Review"] {
        add_column(&p, &sprints, title, "date", json!({})).await;
    }
    let one = item(&p, &sprints, "One", json!({"c1": "2026-01-05", "c2": "2026-01-16", "c3": "2026-01-17"})).await;
    let work = board(&p, "Tasks").await;
    let of = |more: Value| {
        let mut settings = json!({"boardId": sprints});
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        settings
    };
    let first = add_column(&p, &work, "Sprint", "sprint", of(json!({}))).await;
    let reviewed = add_column(&p, &work, "Until", "sprint", of(json!({"startColumn": "c1", "endColumn": "c3"}))).await;
    let nowhere = add_column(&p, &work, "Nowhere", "sprint", of(json!({"startColumn": "c3"}))).await;
    item(&p, &work, "Task", json!({first.as_str(): [one]})).await;
    let linked = full_json(&p, &work).await["linked"][0]["items"][0].clone();
    let expected = json!({
        first: {"start": "2026-01-05", "end": "2026-01-16"},
        reviewed: {"start": "2026-01-05", "end": "2026-01-17"},
        nowhere: {"start": "2026-01-17"},
    });
    assert_eq!(linked["days"], expected);
}

#[tokio::test]
async fn an_undo_brings_back_a_link_to_what_is_gone_as_it_stands_in_cells_that_nobody_touched() {
    let p = start().await;
    let two = two(&p).await;
    set(&p, &two.work, &two.task, "c1", json!([two.second])).await.unwrap();
    let activity = p.owner("boards.items.activity", json!({"boardId": two.work, "itemId": two.task})).await.unwrap();
    p.owner("boards.items.delete", json!({"boardId": two.sprints, "itemId": two.first})).await.unwrap();
    let undo = json!({"boardId": two.work, "changeId": activity["items"][0]["changeId"]});
    p.owner("boards.undo", undo).await.unwrap();
    let task = p.owner("boards.items.get", json!({"boardId": two.work, "itemId": two.task})).await.unwrap();
    assert_eq!(task["cells"]["c1"], json!([two.first]));
}

#[tokio::test]
async fn mirrors_are_asked_in_words_as_what_they_show() {
    let p = start().await;
    let two = two(&p).await;
    item(&p, &two.work, "Later", json!({"c1": [two.second]})).await;
    for (rule, expected) in [
        ("c4 any of Closed", vec!["Task"]),
        ("c4 is empty", vec!["Later"]),
        ("c3 >= 10", vec!["Task"]),
        ("c3 between 5..10", vec!["Later"]),
        (&format!("c2 any of {ANNA}"), vec!["Task"]),
    ] {
        let answer = p.owner("boards.query", json!({"boardId": two.work, "where": [rule]})).await.unwrap();
        let names: Vec<_> = answer["items"].as_array().unwrap().iter().map(|item| &item["name"]).collect();
        assert_eq!(names, expected, "{rule}");
    }
    let wrong = p.owner("boards.query", json!({"boardId": two.work, "where": ["c3 any of x"]})).await;
    assert!(refused(wrong, "invalid-filter").detail().starts_with("c3 (number) accepts"));
}

/// Brings what is held of linked boards up to date as a page does, and compares it with the board read whole.
async fn follow(p: &Program, board: &str, held: &mut Value) -> Value {
    let marks = held["linkedAt"].as_object().cloned().unwrap_or_default();
    let marks: Vec<String> = marks.iter().map(|(id, mark)| format!("{id}:{}", mark.as_str().unwrap())).collect();
    let asked = json!({"boardId": board, "since": held["board"]["revision"], "linked": marks.join(",")});
    let changed = p.owner("boards.changed", asked).await.unwrap();
    assert_eq!(changed["reload"], false);
    let fresh = full_json(p, board).await;
    let of =
        |linked: &Value, id: &str| linked.as_array().into_iter().flatten().find(|one| one["boardId"] == id).cloned();
    let mut linked = Vec::new();
    for id in changed["linkedAt"].as_object().unwrap().keys() {
        let before = of(&held["linked"], id);
        let Some(change) = of(&changed["linked"], id) else {
            linked.extend(before);
            continue;
        };
        let mut items: std::collections::BTreeMap<String, Value> = Default::default();
        let kept = before.filter(|_| change["whole"] == false).map(|before| before["items"].clone());
        for item in kept.iter().chain([&change["items"]]).flat_map(|items| items.as_array().unwrap()) {
            items.insert(item["id"].as_str().unwrap().to_owned(), item.clone());
        }
        items.retain(|id, _| !change["removed"].as_array().unwrap().contains(&json!(id)));
        // The others are linked by nothing.
        let there = of(&fresh["linked"], id).unwrap()["items"].clone();
        items.retain(|id, _| there.as_array().unwrap().iter().any(|item| item["id"] == *id));
        let items: Vec<_> = items.into_values().collect();
        linked.push(json!({"boardId": id, "columns": change["columns"], "items": items}));
    }
    assert_eq!(json!(linked), fresh.get("linked").cloned().unwrap_or(json!([])));
    assert_eq!(changed["linkedAt"], fresh.get("linkedAt").cloned().unwrap_or(json!({})));
    *held = fresh;
    changed
}

#[tokio::test]
async fn what_is_linked_is_told_as_far_as_it_changed() {
    let p = start().await;
    let two = two(&p).await;
    let mut held = full_json(&p, &two.work).await;
    assert_eq!(follow(&p, &two.work, &mut held).await["linked"], json!([]));
    let quiet = json!({"boardId": two.work, "since": 0});
    assert_eq!(p.owner("boards.changed", quiet).await.unwrap()["linkedAt"], json!({}), "nobody asked");

    // One cell of a sprint, taken back and done again.
    set(&p, &two.sprints, &two.first, "c3", json!(21)).await.unwrap();
    let revision = full_json(&p, &two.sprints).await["board"]["revision"].as_i64().unwrap();
    let told = follow(&p, &two.work, &mut held).await;
    let linked = &told["linked"][0];
    assert_eq!((&linked["whole"], linked["items"].as_array().unwrap().len()), (&json!(false), 1));
    assert_eq!(
        (&linked["items"][0]["cells"]["c3"], &told["items"], &told["removed"]),
        (&json!(21), &json!([]), &json!([]))
    );
    for expected in [20, 21] {
        let back = json!({"boardId": two.sprints, "revision": revision + i64::from(expected == 21)});
        p.owner("boards.undo", back).await.unwrap();
        let told = follow(&p, &two.work, &mut held).await;
        assert_eq!(told["linked"][0]["items"][0]["cells"]["c3"], expected);
    }
    // A new lead brings a name.
    set(&p, &two.sprints, &two.first, "c2", json!([BEN])).await.unwrap();
    assert_eq!(follow(&p, &two.work, &mut held).await["members"][0]["id"], BEN);
    // What a changed item links to comes with it, changed or not.
    set(&p, &two.work, &two.task, "c1", json!([two.first, two.second])).await.unwrap();
    assert_eq!(follow(&p, &two.work, &mut held).await["linked"][0]["items"].as_array().unwrap().len(), 2);
    // A sprint goes and comes back.
    let which = json!({"boardId": two.sprints, "itemId": two.second});
    p.owner("boards.items.delete", which.clone()).await.unwrap();
    assert_eq!(follow(&p, &two.work, &mut held).await["linked"][0]["removed"], json!([two.second]));
    p.owner("boards.items.restore", which).await.unwrap();
    assert_eq!(follow(&p, &two.work, &mut held).await["linked"][0]["items"][0]["id"], json!(two.second));
    // Another word for a label is of the columns alone.
    let labels = json!({"labels": [{"id": "l1", "text": "Open"}, {"id": "l2", "text": "Shut", "done": true}]});
    let renamed = json!({"boardId": two.sprints, "columnId": "c4", "settings": labels});
    p.owner("boards.columns.update", renamed).await.unwrap();
    let told = follow(&p, &two.work, &mut held).await;
    assert_eq!((&told["linked"][0]["whole"], &told["linked"][0]["items"]), (&json!(false), &json!([])));

    // Where something else is shown, all of it is told: another mirror, other days, and a board that was away.
    let mirror = json!({"boardId": two.work, "columnId": "c3"});
    p.owner("boards.columns.delete", mirror.clone()).await.unwrap();
    assert_eq!(follow(&p, &two.work, &mut held).await["linked"][0]["whole"], true);
    p.owner("boards.columns.restore", mirror).await.unwrap();
    assert_eq!(follow(&p, &two.work, &mut held).await["linked"][0]["whole"], true);
    p.owner("boards.columns.delete", json!({"boardId": two.sprints, "columnId": "c1"})).await.unwrap();
    assert_eq!(follow(&p, &two.work, &mut held).await["linked"][0]["whole"], true);
    p.owner("boards.delete", json!({"boardId": two.sprints})).await.unwrap();
    assert_eq!(follow(&p, &two.work, &mut held).await["linkedAt"], json!({}));
    p.owner("boards.restore", json!({"boardId": two.sprints})).await.unwrap();
    assert_eq!(follow(&p, &two.work, &mut held).await["linked"][0]["whole"], true);
}

#[tokio::test]
async fn more_than_an_answer_holds_of_a_linked_board_is_told_as_what_is_linked() {
    let p = start().await;
    let two = two(&p).await;
    let mut held = full_json(&p, &two.work).await;
    for _ in 0..=crate::links::CHANGED_ITEMS_MAX / 1_000 {
        let items: Vec<_> = (0..1_000).map(|n| json!({"name": format!("{n}")})).collect();
        p.owner("boards.items.create", json!({"boardId": two.sprints, "items": items})).await.unwrap();
    }
    let told = follow(&p, &two.work, &mut held).await;
    assert_eq!((&told["linked"][0]["whole"], told["linked"][0]["items"].as_array().unwrap().len()), (&json!(true), 1));
}

#[tokio::test]
async fn a_board_has_changed_when_what_it_mirrors_has() {
    let p = start().await;
    let two = two(&p).await;
    let changed_ms = async || {
        let data = p.ctx.service::<lookup::BoardData>();
        data.0.stream(&p.ctx, ACCOUNT, &two.work, &kit::SessionsSeen::All).await.unwrap().unwrap().changed_ms
    };
    let made_ms = changed_ms().await;
    p.clock.advance_ms(86_400_000);
    assert_eq!(changed_ms().await, made_ms);
    set(&p, &two.sprints, &two.first, "c3", json!(8)).await.unwrap();
    let set_ms = p.ctx.now_ms();
    assert_eq!(changed_ms().await, set_ms);
    // A board that goes takes its cells along.
    p.clock.advance_ms(86_400_000);
    assert_eq!(changed_ms().await, set_ms);
    p.owner("boards.delete", json!({"boardId": two.sprints})).await.unwrap();
    assert_eq!(changed_ms().await, p.ctx.now_ms());
}
