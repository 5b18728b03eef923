//! Subitems are left out of everything that does not ask for them.

use super::{NOW, ask, board, column, engine, stream};
use crate::view::ViewQuery;
use crate::{Query, Table, select};
use serde_json::{Value, json};

/// Two items with points and three subitems, the last of the second item.
fn sample(id: &str) -> Value {
    let columns = vec![column("n", "Points", "number", json!({})), column("s", "Status", "text", json!({}))];
    let cells = [
        json!({"n": 1, "s": "a"}),
        json!({"n": 10, "s": "a"}),
        json!({"n": 2, "s": "b"}),
        json!({"n": 20}),
        json!({"s": "b"}),
    ];
    let mut sample = board(id, columns, &cells);
    for (row, parent) in [(1, 0), (3, 0), (4, 2)] {
        sample["items"][row]["parentId"] = json!(format!("{id}-{parent}"));
    }
    sample
}

fn sum(extra: Value) -> Value {
    let mut widget =
        json!({"id": "w", "kind": "numbers", "function": "sum", "cols": {"value": {"b": ["n"], "c": ["n"]}}});
    widget.as_object_mut().expect("members").extend(extra.as_object().expect("members").clone());
    let plain = board("c", vec![column("n", "Points", "number", json!({}))], &[json!({"n": 100})]);
    ask(&[sample("b"), plain], json!({}), widget)
}

#[test]
fn widgets_leave_subitems_out_unless_they_are_to_count_them() {
    let without = sum(json!({}));
    assert_eq!(without["result"]["value"], 103.0);
    let coverage = &without["coverage"];
    assert_eq!((&coverage["itemsTotal"], &coverage["itemsUsed"]), (&json!(3), &json!(3)));
    assert_eq!(coverage["skippedWhy"], json!([{"reason": "subitem", "items": 3}]));

    let with = sum(json!({"includeSubitems": true}));
    assert_eq!(with["result"]["value"], 133.0);
    let coverage = &with["coverage"];
    assert_eq!((&coverage["itemsTotal"], &coverage["itemsUsed"]), (&json!(6), &json!(5)));
    assert_eq!(coverage["skippedWhy"], json!([{"reason": "empty-value", "items": 1}]));
    assert_eq!(sum(json!({"includeSubitems": "yes"}))["state"]["name"], "error");
}

#[test]
fn only_the_subitems_that_pass_are_told_as_left_out() {
    let rules = json!([{"id": "r", "col": {"by": "ids", "ids": {"b": ["s"]}}, "op": "is", "value": "b"}]);
    let answer = sum(json!({"rules": rules, "boards": ["b"]}));
    assert_eq!((&answer["result"]["value"], &answer["coverage"]["itemsTotal"]), (&json!(2.0), &json!(2)));
    assert_eq!(answer["coverage"]["skippedWhy"], json!([{"reason": "subitem", "items": 1}]));
}

#[test]
fn a_chart_counts_items_only() {
    let chart = |extra: Value| {
        let mut widget = json!({"id": "w", "kind": "chart", "x": {"by": "board"}});
        widget.as_object_mut().expect("members").extend(extra.as_object().expect("members").clone());
        ask(&[sample("b")], json!({}), widget)["coverage"]["itemsUsed"].clone()
    };
    assert_eq!((chart(json!({})), chart(json!({"includeSubitems": true}))), (json!(2), json!(5)));
}

#[test]
fn a_rule_can_ask_for_subitems() {
    let rows = |op: &str, boards: &[Value]| {
        let rule = json!({"id": "r", "col": {"by": "builtin", "name": "subitem"}, "op": op});
        let query = json!({"boards": ["b"], "filters": {"v": 1, "all": [rule]}, "includeSubitems": true, "now": NOW});
        let query: Query = serde_json::from_value(query).expect("a query");
        let table = Table::load(&stream(&boards[0])).expect("a board");
        select(&[&table], &query, &|| true).rows[0].clone()
    };
    assert_eq!(rows("isChecked", &[sample("b")]), [1, 3, 4]);
    assert_eq!(rows("isNotChecked", &[sample("b")]), [0, 2]);
    let plain = board("b", vec![], &[json!({}), json!({})]);
    assert_eq!((rows("isChecked", std::slice::from_ref(&plain)).len(), rows("isNotChecked", &[plain]).len()), (0, 2));
}

#[test]
fn selections_and_views_hold_items_and_count_them_apart() {
    let table = Table::load(&stream(&sample("b"))).expect("a board");
    assert_eq!((table.items(), table.subitems()), (2, 3));
    let query =
        |with: bool| serde_json::from_value(json!({"boards": ["b"], "includeSubitems": with})).expect("a query");
    assert_eq!(select(&[&table], &query(false), &|| true).rows[0], [0, 2]);
    assert_eq!(select(&[&table], &query(true), &|| true).rows[0].len(), 5);

    let mut engine = engine(&[sample("b")]);
    let mut ask =
        |asked: Value| engine.view(&serde_json::from_value::<ViewQuery>(asked).expect("a query")).expect("it");
    let answer = ask(json!({"boards": ["b"], "totals": true, "sort": [{"columnId": "n", "descending": true}]}));
    assert_eq!((answer.rows, answer.items), (vec![2, 0], 2));
    let told = serde_json::to_value(answer.totals).expect("JSON");
    assert_eq!((&told["all"]["items"], &told["all"]["columns"]["n"]["sum"]), (&json!(2), &json!(3.0)));
    assert_eq!(ask(json!({"boards": ["b"], "includeSubitems": true})).rows.len(), 5);
}

#[test]
fn a_patch_makes_subitems_and_items_of_them() {
    let mut engine = engine(&[sample("b")]);
    let head = json!({"board": {"id": "b", "name": "B"}, "groups": [{"id": "g", "name": "Main"}], "columns": sample("b")["columns"], "members": []});
    let item =
        |row: u32, parent: Value| json!({"row": row, "groupId": "g", "name": "x", "parentId": parent, "cells": {}});
    // The first subitem becomes an item, the second item a subitem; one of each is added.
    let items = [item(1, Value::Null), item(2, json!("b-0")), item(5, Value::Null), item(6, json!("b-0"))];
    engine
        .patch(&serde_json::to_vec(&json!({"head": head, "items": items, "gone": [3]})).expect("JSON"))
        .expect("it fits");
    let asked = serde_json::from_value::<ViewQuery>(json!({"boards": ["b"]})).expect("a query");
    let answer = engine.view(&asked).expect("the board");
    assert_eq!((answer.rows, answer.items), (vec![0, 1, 5], 3));
}
