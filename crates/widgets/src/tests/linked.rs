//! Columns that link to items, mirrors of what those hold, and who made an item and when.

use super::{NOW, ask, board, column};
use crate::Query;
use crate::filter::Plan;
use serde_json::{Value, json};

const LABELS: [(&str, &str); 2] = [("l1", "Open"), ("l2", "Closed")];

/// Work in three sprints of a linked board, of which the third was deleted.
fn sample() -> Value {
    let labels: Vec<Value> =
        LABELS.iter().map(|(id, text)| json!({"id": id, "text": text, "done": *id == "l2"})).collect();
    let sources = [
        column("s1", "State", "status", json!({"labels": labels})),
        column("s2", "Goal", "number", json!({"unit": "pt"})),
        column("s3", "Lead", "people", json!({})),
        column("s4", "When", "timeline", json!({})),
        column("s5", "Words", "text", json!({})),
        column("s6", "Ready", "checkbox", json!({})),
        column("s7", "Areas", "tags", json!({})),
    ];
    let mirror = |id: &str, source: &str| {
        column(id, &format!("Mirror {source}"), "mirror", json!({"linkColumn": "sprint", "sourceColumn": source}))
    };
    let mut columns = vec![column("sprint", "Sprint", "sprint", json!({"boardId": "other"}))];
    columns.extend((1..=7).map(|n| mirror(&format!("m{n}"), &format!("s{n}"))));
    columns.push(mirror("gone", "s9"));
    columns.push(column("by", "By", "createdBy", json!({})));
    columns.push(column("at", "At", "createdAt", json!({})));
    columns.push(column("due", "Due", "date", json!({})));
    let cells = [
        json!({"sprint": ["i1"], "by": "m1"}),
        json!({"sprint": ["i2", "i1"], "by": "owner", "due": "2026-11-01"}),
        json!({"sprint": ["i3"], "by": "agent"}),
        json!({"by": "owner"}),
    ];
    let span = |from: &str, to: &str| json!({"from": from, "to": to});
    let mut board = board("b", columns, &cells);
    board["linked"] = json!([{"boardId": "other", "columns": sources, "items": [
        {"id": "i1", "name": "Sprint 1", "days": {"sprint": {"start": "2026-11-02", "end": "2026-11-13"}}, "cells": {"s1": "l1", "s2": 20, "s3": ["m1"],
            "s4": span("2026-11-02", "2026-11-13"), "s5": "first", "s6": false, "s7": ["a"]}},
        {"id": "i2", "name": "Sprint 2", "cells": {"s1": "l2", "s2": 7, "s4": span("2026-11-16", "2026-11-27"), "s5": "second",
            "s6": true, "s7": ["b", "A"]}},
    ]}]);
    board
}

fn rows(id: &str, op: &str, value: Value) -> Result<String, String> {
    let rule = json!({"id": "r", "col": {"by": "ids", "ids": {"b": [id]}}, "op": op, "value": value});
    let query = json!({"boards": ["b"], "filters": {"v": 1, "all": [rule]}, "now": NOW, "me": "m1"});
    let query: Query = serde_json::from_value(query).expect("a query");
    let board = crate::board::load(&super::stream(&sample())).expect("a board");
    let plan = Plan::new(&query, None, &query.filters.all, &[&board]);
    if let Some(inert) = plan.inert.first() {
        return Err(inert.reason.clone());
    }
    let mut rows = String::new();
    plan.select(&board).each(|row| rows += &row.to_string());
    Ok(rows)
}

#[test]
fn links_are_asked_by_the_items_that_are_there() {
    for (op, value, expected) in [
        ("hasAny", json!(["Sprint 1"]), "01"),
        ("contains", json!("sprint 2"), "1"),
        ("hasAll", json!(["i1", "i2"]), "1"),
        ("hasNone", json!(["i1"]), "23"),
        ("isEmpty", json!(null), "23"),
    ] {
        assert_eq!(rows("sprint", op, value.clone()), Ok(expected.to_owned()), "{op} {value}");
    }
    assert_eq!(rows("sprint", "is", json!("Sprint 1")), Err("unknown-operator".to_owned()));
}

#[test]
fn a_mirror_is_asked_as_its_source_is() {
    for (id, op, value, expected) in [
        ("m1", "anyOf", json!(["Closed"]), "1"),
        ("m1", "noneOf", json!(["Closed"]), "023"),
        ("m2", ">", json!(20), "1"),
        ("m2", "=", json!(20), "0"),
        ("m2", "isEmpty", json!(null), "23"),
        ("m3", "anyOf", json!(["me"]), "01"),
        ("m4", "on", json!("2026-11-20"), "1"),
        ("m4", "before", json!("2026-11-10"), "01"),
        ("m5", "contains", json!("second, first"), "1"),
        ("m6", "isChecked", json!(null), "1"),
        ("m7", "hasAll", json!(["a", "b"]), "1"),
        ("by", "anyOf", json!(["me"]), "0"),
        ("by", "anyOf", json!(["agent"]), "2"),
        ("at", "today", json!(null), "0123"),
        // What is linked to is done, and ready; the item itself is not.
        ("due", "overdue", json!(null), "1"),
    ] {
        assert_eq!(rows(id, op, value.clone()), Ok(expected.to_owned()), "{id} {op} {value}");
    }
    assert_eq!(rows("gone", "isEmpty", json!(null)), Err("unknown-column".to_owned()), "its source is no more");
}

#[test]
fn what_changed_above_a_board_is_asked_alike() {
    let board = sample();
    let mut engine = crate::Engine::new();
    engine.load(&super::stream(&board)).expect("a board");
    let head = json!({"board": board["board"], "groups": board["groups"], "columns": board["columns"],
        "members": board["members"], "linked": board["linked"]});
    let item = json!({"row": 3, "groupId": "g", "name": "Now linked", "createdAt": NOW, "cells": {"sprint": ["i2"], "at": NOW}});
    engine.patch(json!({"head": head, "items": [item], "gone": []}).to_string().as_bytes()).expect("a patch");
    let mut rows = |id: &str, op: &str, value: Value| {
        let rule = json!({"id": "r", "col": {"by": "ids", "ids": {"b": [id]}}, "op": op, "value": value});
        let query = json!({"boards": ["b"], "filters": {"v": 1, "all": [rule]}, "now": NOW});
        engine.view(&serde_json::from_value(query).expect("a query")).expect("the board").rows
    };
    assert_eq!(rows("m2", "<", json!(20)), [3]);
    assert_eq!(rows("m1", "anyOf", json!(["Closed"])), [1, 3]);
    assert_eq!(rows("sprint", "hasAny", json!(["Sprint 2"])), [1, 3]);
    assert_eq!(rows("at", "today", json!(null)), [0, 1, 2, 3]);
}

#[test]
fn what_is_linked_changes_under_a_board() {
    let mut board = sample();
    let mut engine = crate::Engine::new();
    engine.load(&super::stream(&board)).expect("a board");
    let mut rows = |board: &Value, asked: Value| {
        let head = json!({"board": board["board"], "groups": board["groups"], "columns": board["columns"],
            "members": board["members"], "linked": board["linked"]});
        engine.patch(json!({"head": head, "items": [], "gone": []}).to_string().as_bytes()).expect("a patch");
        let mut query = json!({"boards": ["b"], "now": NOW});
        query.as_object_mut().expect("an object").extend(asked.as_object().expect("an object").clone());
        engine.view(&serde_json::from_value(query).expect("a query")).expect("the board").rows
    };
    let rule = |id: &str, op: &str, value: Value| json!({"filters": {"v": 1, "all": [{"id": "r", "col": {"by": "ids", "ids": {"b": [id]}}, "op": op, "value": value}]}});
    let by_goal = json!({"sort": [{"columnId": "m2"}]});
    assert_eq!(rows(&board, by_goal.clone()), [0, 1, 2, 3]);
    // One of them has another name and goal, the other is gone, and one that was gone is back.
    board["linked"][0]["items"] =
        json!([{"id": "i1", "name": "First", "cells": {"s2": 50}}, {"id": "i3", "name": "Third", "cells": {"s2": 9}}]);
    assert_eq!(rows(&board, rule("sprint", "hasAny", json!(["First"]))), [0, 1]);
    assert_eq!(rows(&board, rule("sprint", "hasAny", json!(["i2"]))), [0u32; 0]);
    assert_eq!(rows(&board, rule("m2", "=", json!(50))), [0, 1]);
    assert_eq!(rows(&board, by_goal.clone()), [2, 0, 1, 3]);
    // A mirror of something else is added in the place of another.
    board["columns"][1] = column("m9", "Goal again", "mirror", json!({"linkColumn": "sprint", "sourceColumn": "s2"}));
    assert_eq!(rows(&board, rule("m9", "<", json!(10))), [2]);
    assert_eq!(rows(&board, rule("m2", "<", json!(10))), [2]);
    board["linked"] = json!([]);
    assert_eq!(rows(&board, rule("sprint", "isEmpty", json!(null))), [0, 1, 2, 3]);
}

#[test]
fn a_chart_counts_by_sprint_and_adds_up_what_is_mirrored() {
    let chart = |x: &str| {
        let widget = json!({"id": "w", "kind": "chart", "x": {"by": "column"}, "y": {"function": "sum"},
            "cols": {"x": {"b": [x]}, "y": {"b": ["m2"]}}});
        let answer = ask(&[sample()], json!({}), widget);
        let result = &answer["result"];
        let labels: Vec<String> =
            result["categories"].as_array().expect("categories").iter().map(|c| c["label"].to_string()).collect();
        (labels.join(" "), result.to_string())
    };
    let (labels, result) = chart("sprint");
    assert!(labels.contains("Sprint 1") && labels.contains("Sprint 2"), "{result}");
    let (labels, result) = chart("by");
    assert!(labels.contains("Ada") && labels.contains("Owner") && labels.contains("Session"), "{result}");
}
