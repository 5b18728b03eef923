mod apps;
mod caches;
mod filters;
mod golden;
mod hostile;
mod linked;
mod oracle;
mod results;
mod seen;
mod sprints;
mod subitems;
mod tallies;
mod testdata;
mod view;
mod writing;

use crate::{Engine, Query};
use serde_json::{Value, json};
use testdata::stream;

/// 2026-11-21T12:00:00Z, a Saturday.
const NOW: i64 = 1_795_262_400_000;

fn engine(boards: &[Value]) -> Engine {
    let mut engine = Engine::new();
    for board in boards {
        engine.load(&stream(board)).expect("a board");
    }
    engine
}

/// The answer to the only widget of a query over these boards.
fn ask(boards: &[Value], filters: Value, widget: Value) -> Value {
    let ids: Vec<&Value> = boards.iter().map(|b| &b["board"]["id"]).collect();
    let query = json!({"boards": ids, "filters": filters, "widgets": [widget], "now": NOW, "me": "m1"});
    let query: Query = serde_json::from_value(query).expect("a query");
    serde_json::to_value(&engine(boards).query(&query).widgets[0]).expect("JSON")
}

fn column(id: &str, title: &str, type_name: &str, settings: Value) -> Value {
    json!({"id": id, "title": title, "type": type_name, "settings": settings})
}

/// A board of one group whose items have these cells.
fn board(id: &str, columns: Vec<Value>, cells: &[Value]) -> Value {
    let item = |(i, cells): (usize, &Value)| json!({"id": format!("{id}-{i}"), "groupId": "g", "name": format!("Item {i}"), "createdAt": NOW, "updatedAt": NOW, "cells": cells});
    json!({
        "board": {"id": id, "name": format!("Board {id}")},
        "groups": [{"id": "g", "name": "Main", "color": "grey"}],
        "columns": columns,
        "members": [{"id": "m1", "name": "Ada"}, {"id": "m2", "name": "Bo"}],
        "items": cells.iter().enumerate().map(item).collect::<Vec<_>>(),
    })
}
