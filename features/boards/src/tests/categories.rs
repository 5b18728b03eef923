//! The categories of labels: how they are set, what `done` says of them, and what boards of earlier versions get.

use super::*;
use events::HasEvents;
use testkit::refused;

/// The labels of a column as `text category done`.
fn category_lines(column: &Value) -> Vec<String> {
    let labels = column["settings"]["labels"].as_array().unwrap().iter();
    let one = |label: &Value| {
        let text = |member: &str| label[member].as_str().unwrap().to_owned();
        format!("{} {} {}", text("text"), text("category"), label["done"])
    };
    labels.map(one).collect()
}

async fn status(p: &Program, board: &str, labels: Value) -> kit::Result<Value> {
    let input = json!({"boardId": board, "title": "S", "type": "status", "settings": {"labels": labels}});
    p.owner("boards.columns.create", input).await
}

#[tokio::test]
async fn done_follows_the_category_and_sets_it_where_it_is_sent_alone() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let labels = json!([
        {"text": "Idea", "category": "notStarted"}, {"text": "Shipped it", "done": true}, {"text": "Parked", "category": "canceled"},
        {"text": "Won't do"}, {"text": "Backlog"}, {"text": "Doing", "done": false},
    ]);
    let made = status(&p, &b, labels).await.unwrap();
    let expected = [
        "Idea notStarted false",
        "Shipped it done true",
        "Parked canceled false",
        "Won't do canceled false",
        "Backlog notStarted false",
        "Doing active false",
    ];
    assert_eq!(category_lines(&made), expected);
    // Canceled is gray where no color is given, not the green of what is done.
    assert_eq!(made["settings"]["labels"][2]["color"], "#7a7a7a");

    // Who knows only `done` sends back what was read with that changed.
    let update = async |labels: Value| {
        let input = json!({"boardId": b, "columnId": made["id"], "settings": {"labels": labels}});
        p.owner("boards.columns.update", input).await
    };
    let mut labels = made["settings"]["labels"].clone();
    labels[0]["done"] = json!(true);
    labels[1]["done"] = json!(false);
    // And who knows the category, that.
    labels[2]["category"] = json!("done");
    let changed = update(labels.clone()).await.unwrap();
    let expected = ["Idea done true", "Shipped it active false", "Parked done true"];
    assert_eq!(category_lines(&changed)[..3], expected);
    // A label without both stays what it is.
    let ids: Vec<Value> =
        labels.as_array().unwrap().iter().map(|l| json!({"id": l["id"], "text": l["text"]})).collect();
    assert_eq!(category_lines(&update(json!(ids)).await.unwrap()), category_lines(&changed));

    let refusal =
        refused(status(&p, &b, json!([{"text": "A", "category": "active", "done": true}])).await, "invalid-input");
    assert_eq!(refusal.fields()[0].pointer, "/settings/labels/0/done");
    refused(status(&p, &b, json!([{"text": "A", "category": "paused"}])).await, "invalid-input");
}

#[tokio::test]
async fn a_canceled_item_is_told_as_not_done_and_is_not_overdue() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let labels = json!([{"text": "Open"}, {"text": "Done"}, {"text": "Canceled"}]);
    let column = status(&p, &b, labels).await.unwrap()["id"].as_str().unwrap().to_owned();
    let items = json!([{"name": "A", "cells": {"c3": "2026-02-27"}}, {"name": "B", "cells": {"c3": "2026-02-27"}}]);
    let items = p.owner("boards.items.create", json!({"boardId": b, "items": items})).await.unwrap();
    let (_, mut heard) = p.ctx.events().listen(None);
    let cell = json!({"boardId": b, "itemId": items["items"][0]["id"], "columnId": column, "value": "l3"});
    p.owner("boards.cell", cell).await.unwrap();
    let changed = loop {
        if let event @ events::Event::ItemStatusChanged { .. } = heard.try_recv().expect("an event").event {
            break json!(event);
        }
    };
    assert_eq!((&changed["to"], &changed["done"]), (&json!("Canceled"), &json!(false)));

    super::dues::step(&p).await;
    let mut overdue = Vec::new();
    while let Ok(one) = heard.try_recv() {
        let one = json!(one.event);
        overdue.extend((one["event"] == "item-overdue").then(|| one["itemId"].clone()));
    }
    assert_eq!(overdue, [items["items"][1]["id"].clone()]);
}

#[tokio::test]
async fn labels_of_an_earlier_version_get_categories_when_the_program_starts() {
    let p = start().await;
    let b = p.owner("boards.create", json!({"workspaceId": WORKSPACE, "name": "B", "preset": "linear"})).await.unwrap();
    let id = b["id"].as_str().unwrap().to_owned();
    let label = |at: usize, text: &str, done: bool| json!({"id": format!("l{at}"), "text": text, "color": "#4a7fd4", "done": done});
    let marked = json!({"labels": [label(1, "Todo", false), label(2, "Done", true), label(3, "Canceled", true)]});
    let words = json!({"labels": [label(1, "Offen", false), label(2, "Erledigt", false), label(3, "Eigenes", false)]});
    let stored = [("c1", marked), ("c2", words)];
    let board = id.clone();
    let store_as_before = move |tx: &mut store::Tx<'_>| {
        for (column, settings) in stored {
            let sql = "UPDATE board_columns SET settings_json = $4, type = 'status' WHERE account_id = $1 AND board_id = $2 AND column_id = $3";
            tx.execute(sql, params![ACCOUNT, &board, column, settings.to_string()])?;
            let sql = "INSERT INTO columns_to_categorize (account_id, board_id, column_id) VALUES ($1, $2, $3)";
            tx.execute(sql, params![ACCOUNT, &board, column])?;
        }
        Ok(())
    };
    p.ctx.db().write(store_as_before).await.unwrap();
    let p = p.restart().await;
    let full = full_json(&p, &id).await;
    assert_eq!(
        category_lines(&full["columns"][0]),
        ["Todo notStarted false", "Done done true", "Canceled canceled false"]
    );
    assert_eq!(
        category_lines(&full["columns"][1]),
        ["Offen notStarted false", "Erledigt done true", "Eigenes active false"]
    );
    let left = "SELECT count(*) FROM columns_to_categorize";
    let left: i64 = p.ctx.db().read(move |tx| tx.query_one(left, &[], |row| row.get(0))).await.unwrap();
    assert_eq!(left, 0);
}
