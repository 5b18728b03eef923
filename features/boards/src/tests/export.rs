//! Exports, and that an import makes the same board of them.

use super::import::{read_back, send};
use super::random::runner;
use super::*;
use futures_util::TryStreamExt;
use kit::Body;
use proptest::prelude::*;
use testkit::{json_of, refused};

pub(super) async fn export(p: &Program, board: &str, more: Value) -> (Reply, Vec<u8>) {
    export_by(owner(), p, board, more).await
}

async fn export_by(caller: Caller, p: &Program, board: &str, more: Value) -> (Reply, Vec<u8>) {
    let mut input = json!({"boardId": board});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let mut reply = p.call(Call::new(caller), "boards.export", input).await.unwrap();
    let Body::Stream(pieces) = std::mem::replace(&mut reply.body, Body::Whole(Vec::new().into())) else {
        panic!("an export is a stream")
    };
    let bytes = pieces.try_collect::<Vec<_>>().await.unwrap().concat();
    assert_eq!(header(&reply, "content-length"), bytes.len().to_string());
    (reply, bytes)
}

/// Imports an export, with types for the columns whose type cannot be told from values; each item, and `title:type`.
async fn import(p: &Program, bytes: &[u8], columns: Value) -> (Vec<Value>, Vec<String>) {
    let answer = json_of(&send(p, bytes, json!({"columns": columns.to_string()})).await.unwrap());
    assert_eq!(answer["problems"], json!([]));
    let full = full_json(p, answer["board"]["id"].as_str().unwrap()).await;
    (read_back(&full), kinds(&full))
}

fn kinds(full: &Value) -> Vec<String> {
    let columns = full["columns"].as_array().unwrap().iter();
    columns.map(|c| format!("{}:{}", c["title"].as_str().unwrap(), c["type"].as_str().unwrap())).collect()
}

async fn blank_board(p: &Program, name: &str) -> String {
    let board = p.owner("boards.create", json!({"workspaceId": WORKSPACE, "name": name, "preset": "blank"})).await;
    board.unwrap()["id"].as_str().unwrap().to_owned()
}

async fn add_items(p: &Program, board: &str, items: Vec<Value>) {
    p.owner("boards.items.create", json!({"boardId": board, "items": items})).await.unwrap();
}

/// A board with a column of each type, twelve full items in two groups, and one that is empty.
async fn board_of_everything(p: &Program) -> String {
    let board = blank_board(p, "Größe: \"alles\"").await;
    let labels = |texts: &[&str]| json!({"labels": texts.iter().map(|t| json!({"text": t})).collect::<Vec<_>>()});
    for (title, kind, settings) in [
        ("Notes", "text", json!({})),
        ("Description", "longText", json!({})),
        ("Cost", "number", json!({"currency": "EUR", "decimals": 2})),
        ("Share", "number", json!({"percent": true, "decimals": 1})),
        ("Status", "status", labels(&["Open", "Done"])),
        ("Size", "dropdown", labels(&["S", "=L"])),
        ("Tags", "tags", json!({})),
        ("Owner", "people", json!({})),
        ("Due", "date", json!({})),
        ("Paid", "checkbox", json!({})),
        ("Site", "link", json!({})),
        ("Mail", "email", json!({})),
        ("Phone", "phone", json!({})),
        ("Progress", "progress", json!({})),
        ("Stars", "rating", json!({"max": 4})),
        ("Plan", "timeline", json!({})),
    ] {
        add_column(p, &board, title, kind, settings).await;
    }
    let second = p.owner("boards.groups.create", json!({"boardId": board, "name": "@later"})).await.unwrap();
    let mut items: Vec<Value> = (0..12)
        .map(|i| {
            let group = if i < 6 { json!("g1") } else { second["id"].clone() };
            let label = format!("l{}", i % 2 + 1);
            json!({"name": format!("-item {i}"), "groupId": group, "cells": {
                "c1": format!("=SUM(A{i})"), "c2": format!("line {i}\nand another"), "c3": 0.1 + f64::from(i), "c4": 7.5 + f64::from(i),
                "c5": label, "c6": label, "c7": ["red", "blue"], "c8": if i % 2 == 0 { vec![ANNA] } else { vec![BEN, ANNA] },
                "c9": format!("2026-03-{:02}", i + 1), "c10": i % 3 == 0, "c11": format!("https://example.org/{i}?a=b,c"),
                "c12": format!("p{i}@example.net"), "c13": format!("+49 30 12345{i:02}"), "c14": i * 5, "c15": i % 5,
                "c16": {"from": format!("2026-03-{:02}", i + 1), "to": format!("2026-04-{:02}", 2 * i + 1)},
            }})
        })
        .collect();
    items.push(json!({"name": "Nothing", "groupId": second["id"], "cells": {}}));
    add_items(p, &board, items).await;
    board
}

#[tokio::test]
async fn an_import_of_an_export_makes_the_same_board() {
    let p = start().await;
    let board = board_of_everything(&p).await;
    let full = full_json(&p, &board).await;
    // That a rating is no other number cannot be told from its values.
    let rating = json!([{"index": 16, "type": "rating", "settings": {"max": 4}}]);
    for format in [json!({}), json!({"bom": true}), json!({"format": "xlsx"})] {
        let (_, bytes) = export(&p, &board, format.clone()).await;
        let (rows, types) = import(&p, &bytes, rating.clone()).await;
        assert_eq!(types, kinds(&full), "{format}");
        assert_eq!(json!(rows), json!(read_back(&full)), "{format}");
        let untold = import(&p, &bytes, json!([])).await.1;
        assert_eq!(untold[14], "Stars:number");
    }
}

#[tokio::test]
async fn json_holds_what_a_full_read_does() {
    let p = start().await;
    let board = board_of_everything(&p).await;
    let empty = blank_board(&p, "Empty").await;
    for board in [board, empty] {
        let (reply, bytes) = export(&p, &board, json!({"format": "json"})).await;
        assert_eq!(reply.content_type, "application/json");
        let document: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(document, full_json(&p, &board).await);
    }
}

#[tokio::test]
async fn csv_is_as_people_read_it_and_safe_to_open() {
    let p = start().await;
    let board = tasks_board(&p).await;
    add_column(&p, &board, "+cost", "number", json!({})).await;
    add_column(&p, &board, "Note", "text", json!({})).await;
    let items = [
        (
            json!("g2"),
            "=cmd|' /C calc'!A0",
            json!({"c1": "l1", "c2": [ANNA, BEN], "c3": "2026-03-01", "c4": -12.5, "c5": "-12.5"}),
        ),
        (json!("g1"), "plain, with \"quotes\"", json!({"c4": 1e21, "c5": "@a\nb"})),
        (json!("g1"), "'=kept", json!({"c5": "'plain"})),
        (json!("g1"), "-", json!({"c5": "+1-2"})),
        // The full-width forms of these signs.
        (json!("g1"), "\u{ff1d}1", json!({"c5": " \u{ff0b}1"})),
        (json!("g1"), "\u{ff0d}5", json!({"c5": "\u{ff20}a, 1\u{ff1d}1"})),
    ];
    let items = items.map(|(group, name, cells)| json!({"name": name, "groupId": group, "cells": cells}));
    add_items(&p, &board, items.to_vec()).await;
    let (reply, bytes) = export(&p, &board, json!({"format": "csv"})).await;
    let label = full_json(&p, &board).await["columns"][0]["settings"]["labels"][0]["text"].as_str().unwrap().to_owned();
    let expected = format!(
        "Name,Group,Status,Owner,Due,'+cost,Note\r\n\
         \"plain, with \"\"quotes\"\"\",To do,,,,1E+21,\"'@a\nb\"\r\n\
         ''=kept,To do,,,,,'plain\r\n\
         '-,To do,,,,,'+1-2\r\n\
         '\u{ff1d}1,To do,,,,,' \u{ff0b}1\r\n\
         '\u{ff0d}5,To do,,,,,\"'\u{ff20}a, 1\u{ff1d}1\"\r\n\
         '=cmd|' /C calc'!A0,Done,{label},\"Anna Berg, Ben Ito\",2026-03-01,-12.5,-12.5\r\n"
    );
    assert_eq!(String::from_utf8(bytes.clone()).unwrap(), expected);
    assert_eq!(reply.content_type, "text/csv");
    assert_eq!(header(&reply, "content-disposition"), "attachment; filename=\"Work.csv\"; filename*=UTF-8''Work.csv");
    let (_, marked) = export(&p, &board, json!({"bom": true})).await;
    assert_eq!(marked, [b"\xef\xbb\xbf", &*bytes].concat());
    let (reply, _) = export(&p, &board, json!({"format": "xlsx"})).await;
    assert_eq!(reply.content_type, crate::import::XLSX);
    refused(p.owner("boards.export", json!({"boardId": board, "format": "pdf"})).await, "invalid-input");
    let foreign = p.as_caller(other_owner(), "boards.export", json!({"boardId": board})).await;
    refused(foreign, "not-found");
    let exports = p.dir().join("exports");
    assert_eq!(std::fs::read_dir(&exports).unwrap().count(), 0, "the file has no name");
    // Where the data directory takes no file, it is written elsewhere.
    std::fs::remove_dir(&exports).unwrap();
    std::fs::write(&exports, "in the way").unwrap();
    assert_eq!(export(&p, &board, json!({})).await.1, bytes);
    for format in ["xlsx", "json"] {
        assert_eq!(export(&p, &board, json!({"format": format})).await.0.status, 200);
    }
}

#[tokio::test]
async fn members_of_one_name_are_told_apart_by_their_addresses() {
    let p = start().await;
    let add = |tx: &mut store::Tx<'_>| {
        for (id, name, email) in [("m-2", "anna berg", "a2@example.com"), ("m-3", "Diaz, Eva", "eva@example.com")] {
            let row = params![ACCOUNT, id, name, email, "member", "UTC", START_MS];
            tx.execute("INSERT INTO members (account_id, member_id, name, email, role, time_zone, created_ms) VALUES ($1, $2, $3, $4, $5, $6, $7)", row)?;
        }
        Ok(())
    };
    p.ctx.db().write(add).await.unwrap();
    let board = tasks_board(&p).await;
    add_items(&p, &board, vec![json!({"name": "a", "cells": {"c2": [ANNA, "m-2", "m-3", BEN]}})]).await;
    let (_, bytes) = export(&p, &board, json!({})).await;
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(text.contains("\"anna@example.com, a2@example.com, eva@example.com, Ben Ito\""), "{text}");
    for (scopes, told) in [("boards:read", false), ("boards:read directory:read", true)] {
        let mut agent = Caller::new(Kind::Agent, ACCOUNT, "a session's");
        agent.scopes = scopes.split(' ').map(str::to_owned).collect();
        let (_, bytes) = export_by(agent, &p, &board, json!({})).await;
        assert_eq!(String::from_utf8(bytes).unwrap().contains('@'), told, "{scopes}");
    }
    let answer = json_of(&send(&p, &bytes, json!({})).await.unwrap());
    let full = full_json(&p, answer["board"]["id"].as_str().unwrap()).await;
    assert!(full["items"][0]["cells"].as_object().unwrap().values().any(|v| *v == json!([ANNA, "m-2", "m-3", BEN])));
}

#[tokio::test]
async fn days_before_those_of_excel_stay_days() {
    let p = start().await;
    let board = blank_board(&p, "Old").await;
    add_column(&p, &board, "Day", "date", json!({})).await;
    let days = ["0001-01-01", "1899-12-31", "1900-01-01", "1900-02-28", "1900-03-01", "2024-02-29", "9999-12-31"];
    add_items(&p, &board, days.iter().map(|day| json!({"name": day, "cells": {"c1": day}})).collect()).await;
    let (_, bytes) = export(&p, &board, json!({"format": "xlsx"})).await;
    let (rows, types) = import(&p, &bytes, json!([])).await;
    assert_eq!(types, ["Day:date"]);
    let found: Vec<_> = rows.iter().map(|row| row["Day"].as_str().unwrap()).collect();
    assert_eq!(found, days);
}

/// Texts that are trouble: signs of formulas, quotes, separators, ends of lines, escapes of XML and of Excel.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("="),
        Just("+"),
        Just("-"),
        Just("@"),
        Just("'"),
        Just("\t"),
        Just("\r"),
        Just("\n"),
        Just("\""),
        Just(","),
        Just(";"),
        Just("|"),
        Just("sep=;"),
        Just("&amp;"),
        Just("<b>"),
        Just("]]>"),
        Just("_x000D_"),
        Just("_x005F_"),
        Just("\u{feff}"),
        Just("\u{fffe}"),
        Just("\u{202e}"),
        Just("12"),
        Just("2026-03-01"),
        Just("1.5E+20"),
        Just("TRUE"),
        Just("Name"),
        Just("Subitems"),
        Just(" "),
        Just("\u{e4}\u{1F600}"),
    ];
    (proptest::collection::vec(part, 0..6), "[a-z]").prop_map(|(parts, letter)| format!("{}{letter}", parts.concat()))
}

/// The same as names are: on one line.
fn hostile_line() -> impl Strategy<Value = String> {
    hostile().prop_map(|text| text.replace(['\t', '\r', '\n'], " "))
}

/// What an import leaves of white space in a text, and in what stands on one line.
fn settled(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n").trim().to_owned()
}
fn on_one_line(text: &str) -> String {
    let text = settled(text);
    if text.contains(['\n', '\t']) { text.split_whitespace().collect::<Vec<_>>().join(" ") } else { text }
}

#[test]
fn hostile_texts_and_any_numbers_survive_both_ways() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let p = runtime.block_on(start());
    let number = prop_oneof![any::<f64>().prop_filter("finite", |n| n.is_finite()), any::<i32>().prop_map(f64::from)];
    let row = (hostile_line(), hostile(), number);
    let board = (proptest::collection::vec(row, 1..12), hostile_line(), hostile_line(), hostile());
    let check = |(rows, title, group, label): (Vec<(String, String, f64)>, String, String, String)| {
        runtime.block_on(async {
            let board = blank_board(&p, &title).await;
            add_column(&p, &board, &title, "longText", json!({})).await;
            add_column(&p, &board, "N", "number", json!({})).await;
            add_column(&p, &board, "Status", "status", json!({"labels": [{"text": label}]})).await;
            p.owner("boards.groups.update", json!({"boardId": board, "groupId": "g1", "name": group})).await.unwrap();
            let items = rows
                .iter()
                .map(|(name, text, number)| json!({"name": name, "cells": {"c1": text, "c2": number, "c3": "l1"}}));
            add_items(&p, &board, items.collect()).await;
            // Read back once, since reading JSON rounds the last digit of some numbers.
            let before = full_json(&p, &board).await["items"].as_array().unwrap().clone();
            for format in ["csv", "xlsx"] {
                let (_, bytes) = export(&p, &board, json!({"format": format})).await;
                let told = [(2, "longText"), (3, "number"), (4, "status")];
                let columns = json!(told.map(|(index, kind)| json!({"index": index, "type": kind})));
                let wishes = json!({"columns": columns.to_string()});
                let answer = json_of(&send(&p, &bytes, wishes).await.unwrap());
                assert_eq!(answer["problems"], json!([]), "{format}");
                let full = full_json(&p, answer["board"]["id"].as_str().unwrap()).await;
                assert_eq!(full["groups"][0]["name"], settled(&group), "{format}");
                let items = full["items"].as_array().unwrap();
                assert_eq!(items.len(), rows.len(), "{format}");
                for ((item, (name, text, _)), before) in items.iter().zip(&rows).zip(&before) {
                    assert_eq!(item["name"], on_one_line(name), "{format}");
                    assert_eq!(item["cells"]["c1"], settled(text), "{format}");
                    assert_eq!(item["cells"]["c2"].as_f64(), before["cells"]["c2"].as_f64(), "{format}");
                }
                let found = full["columns"][2]["settings"]["labels"][0]["text"].as_str().unwrap();
                assert_eq!(found, settled(&label), "{format}");
            }
        });
        Ok(())
    };
    runner(48).run(&board, check).unwrap();
}

#[tokio::test]
async fn a_mirrored_sum_that_no_number_holds_is_empty() {
    let p = start().await;
    let (target, b) = (blank_board(&p, "T").await, blank_board(&p, "B").await);
    add_column(&p, &target, "N", "number", json!({})).await;
    let items = json!([{"name": "a", "cells": {"c1": 1e308}}, {"name": "b", "cells": {"c1": 1e308}}]);
    let made = p.owner("boards.items.create", json!({"boardId": target, "items": items})).await.unwrap();
    let link = add_column(&p, &b, "Link", "itemLink", json!({"boardId": target, "many": true})).await;
    add_column(&p, &b, "Sum", "mirror", json!({"linkColumn": link, "sourceColumn": "c1"})).await;
    let linked = [made["items"][0]["id"].clone(), made["items"][1]["id"].clone()];
    add_items(&p, &b, vec![json!({"name": "x", "cells": {link: linked}})]).await;
    let (_, csv) = export(&p, &b, json!({"format": "csv"})).await;
    assert!(String::from_utf8(csv).unwrap().ends_with(",\"a, b\",\r\n"));
}
