//! Subitems through exports and imports.

use super::export::export;
use super::import::{read_back, send};
use super::tools::{kinds, preview, rows};
use super::*;
use testkit::json_of;

fn names(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row[""].as_str().unwrap()).collect()
}

fn codes(answer: &Value) -> Vec<String> {
    let problems = answer["problems"].as_array().unwrap().iter();
    problems.map(|one| format!("{} {}", one["line"], one["code"].as_str().unwrap())).collect()
}

async fn add(p: &Program, board: &str, name: &str, group: &str, parent: Option<&Value>) -> Value {
    let mut input = json!({"boardId": board, "name": name, "cells": {"c1": "l2"}});
    match parent {
        Some(parent) => input["parentId"] = parent.clone(),
        None => input["groupId"] = json!(group),
    }
    p.owner("boards.items.create", input).await.unwrap()["id"].clone()
}

/// Two items of one name in one group and one of the same in another; each has subitems, one called like its parent.
async fn family(p: &Program) -> String {
    let board = tasks_board(p).await;
    let one = add(p, &board, "=Plan", "g1", None).await;
    let two = add(p, &board, "=Plan", "g1", None).await;
    let three = add(p, &board, "=Plan", "g2", None).await;
    for (name, parent) in [("a", &one), ("b", &two), ("c", &one), ("=Plan", &two), ("d", &three), ("e", &two)] {
        add(p, &board, name, "", Some(parent)).await;
    }
    add(p, &board, "Last", "g1", None).await;
    board
}

#[tokio::test]
async fn an_export_with_subitems_comes_back_as_it_was() {
    let p = start().await;
    let board = family(&p).await;
    let in_order = [
        "To do/=Plan",
        "To do/=Plan > a",
        "To do/=Plan > c",
        "To do/=Plan",
        "To do/=Plan > b",
        "To do/=Plan > =Plan",
        "To do/=Plan > e",
        "To do/Last",
        "Done/=Plan",
        "Done/=Plan > d",
    ];
    for format in [json!({}), json!({"format": "xlsx"})] {
        let (_, bytes) = export(&p, &board, format.clone()).await;
        if format == json!({}) {
            let text = String::from_utf8(bytes.clone()).unwrap();
            let mut lines = text.lines();
            assert_eq!(lines.next(), Some("Name,Group,Parent,Status,Owner,Due"));
            assert_eq!(lines.next(), Some("'=Plan,To do,,Working on it,,"));
            assert_eq!(lines.next(), Some("a,To do,'=Plan,Working on it,,"));
        }
        assert_eq!(preview(&p, &bytes, json!({})).await["columns"][2]["role"], "parent", "{format}");
        let (answer, rows) = rows(&p, &bytes, json!({})).await;
        assert_eq!(answer["problems"], json!([]));
        assert_eq!(names(&rows), in_order, "{format}");
        assert_eq!((&answer["board"]["itemCount"], &answer["board"]["subitemCount"]), (&json!(4), &json!(6)));
        assert_eq!(rows[1]["Status"], "Working on it");
        // Which of the items of one name each belongs to.
        let full = full_json(&p, answer["board"]["id"].as_str().unwrap()).await;
        let items = full["items"].as_array().unwrap();
        let parents: Vec<_> =
            items.iter().map(|item| items.iter().position(|other| other["id"] == item["parentId"])).collect();
        let expected = [None, Some(0), Some(0), None, Some(3), Some(3), Some(3), None, None, Some(8)];
        assert_eq!(parents, expected, "{format}");
    }
    let (_, bytes) = export(&p, &board, json!({"format": "json"})).await;
    let document: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(document, full_json(&p, &board).await);
    assert!(document["items"][3]["parentId"].is_string());
    // A board without subitems has no such column.
    let plain = tasks_board(&p).await;
    let (_, bytes) = export(&p, &plain, json!({})).await;
    assert!(bytes.starts_with(b"Name,Group,Status,"));
}

#[tokio::test]
async fn a_column_is_said_to_name_the_parents() {
    let p = start().await;
    let text = "Task,No,Of\nCook,1,\nPeel,2,1\nBoil,3,Cook\nStir,4,3\nServe,5,9\nEat,6,7\nDrink,7,6\n";
    assert!(kinds(&preview(&p, text.as_bytes(), json!({})).await).contains("Of:"), "nobody says so");
    let columns = json!([{"index": 2, "role": "parent"}]).to_string();
    let (answer, by_name) = rows(&p, text.as_bytes(), json!({"columns": columns})).await;
    // By name only: numbers are in no column that identifies the rows.
    assert_eq!(names(&by_name)[2], "Items/Cook > Boil");
    assert_eq!(codes(&answer), ["3 unknown-parent"]);
    let (answer, by_key) = rows(&p, text.as_bytes(), json!({"columns": columns, "key": 1})).await;
    let expected = ["Cook", "Cook > Peel", "Cook > Boil", "Cook > Stir", "Serve", "Eat", "Drink"];
    assert_eq!(names(&by_key), expected.map(|name| format!("Items/{name}")));
    assert_eq!(codes(&answer), ["6 unknown-parent", "5 deeper-subitems"]);
    assert!(answer["problems"][0]["detail"].as_str().unwrap().starts_with("3 rows"), "{answer}");
}

#[tokio::test]
async fn a_parent_that_the_file_does_not_have_stays_text() {
    let p = start().await;
    let text = "Summary,Issue key,Parent,Parent key\na,A-1,E-1,\nb,A-2,E-2,A-1\nc,A-3,,A-1\n";
    let (_, rows) = rows(&p, text.as_bytes(), json!({})).await;
    assert_eq!(names(&rows), ["Items/a", "Items/a > b", "Items/a > c"]);
    assert_eq!(rows[1]["Parent"], "E-2", "the column that names rows of the file is taken");
    let linear = preview(&p, &super::tools::file("linear.csv"), json!({})).await;
    assert!(kinds(&linear).contains("Parent issue:parent"));
}

#[tokio::test]
async fn rows_past_what_an_item_has_stay_items() {
    let p = start().await;
    let many: String = (0..crate::SUBITEMS_MAX + 2).map(|at| format!("s{at},G,Top\n")).collect();
    let (answer, _) = rows(&p, format!("Name,Group,Parent\nTop,G,\n{many}").as_bytes(), json!({})).await;
    assert_eq!(
        (&answer["board"]["itemCount"], &answer["board"]["subitemCount"]),
        (&json!(3), &json!(crate::SUBITEMS_MAX))
    );
    assert_eq!(codes(&answer), ["1003 too-many-subitems"]);
}

#[tokio::test]
async fn a_newer_export_adds_subitems_below_what_is_there_and_is_taken_back() {
    let p = start().await;
    let first = "Summary,Issue key,Parent\na,A-1,\nb,A-2,A-1\nc,A-3,\n";
    let answer = json_of(&send(&p, first.as_bytes(), json!({})).await.unwrap());
    let board = answer["board"]["id"].as_str().unwrap();
    let before = full_json(&p, board).await["items"].clone();
    // A-4 goes below what is a subitem on the board, A-5 below what comes after it, A-3, which is there, below A-1.
    let second = "Summary,Issue key,Parent\na,A-1,\nb,A-2,A-1\nc,A-3,A-1\nd,A-4,A-2\ne,A-5,A-6\nf,A-6,\n";
    let input = json!({"boardId": board, "importId": "second"});
    let answer = json_of(&send(&p, second.as_bytes(), input).await.unwrap());
    assert_eq!((&answer["added"], &answer["unchanged"]), (&json!(3), &json!(2)), "{answer}");
    let full = full_json(&p, board).await;
    let expected = ["a", "a > b", "a > c", "a > d", "f > e", "f"].map(|name| format!("Items/{name}"));
    assert_eq!(names(&read_back(&full)), expected);
    assert_eq!((&full["board"]["itemCount"], &full["board"]["subitemCount"]), (&json!(2), &json!(4)));
    let undone = p.owner("boards.import.undo", json!({"importId": "second"})).await.unwrap();
    assert_eq!((&undone["removed"], &undone["keptCount"]), (&json!(3), &json!(0)));
    let full = full_json(&p, board).await;
    assert_eq!((&full["items"], &full["board"]["subitemCount"]), (&before, &json!(1)));
}
