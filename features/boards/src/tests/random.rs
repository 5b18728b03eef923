use super::full::{as_json, decode, with_floats};
use super::import::send;
use super::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use testkit::json_of;

/// The same cases at each run; `PROPTEST_RNG_SEED` chooses others.
pub(crate) fn runner(cases: u32) -> TestRunner {
    let set = Config::default();
    let rng_seed = if set.rng_seed == RngSeed::Random { RngSeed::Fixed(0) } else { set.rng_seed };
    TestRunner::new(Config { cases, failure_persistence: None, rng_seed, ..set })
}

fn quoted(field: &str) -> String {
    format!("\"{}\"", field.replace('"', "\"\""))
}

type Row = (String, String, Option<i32>, Option<(i32, u32, u32)>);

/// A table of four columns: a name, a text, a number and a date, the last two sometimes empty.
fn table() -> impl Strategy<Value = Vec<Row>> {
    let name = "[a-zA-Z\u{e4}\u{4e2d}][a-zA-Z ,;\"\u{e4}\u{1F600}]{0,20}[a-z]";
    let text = "[a-z]{3}[a-zA-Z0-9 ,;\"'\\\\\n\u{e4}\u{4e2d}]{0,30}[a-z]";
    let date = (1990..2040, 1u32..=12, 1u32..=28);
    let row = (name, text, proptest::option::of(any::<i32>()), proptest::option::of(date));
    proptest::collection::vec(row, 1..40)
}

#[test]
fn a_random_table_arrives_whole_in_both_forms() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let p = runtime.block_on(start());
    let columns =
        json!([{"index": 1, "type": "longText"}, {"index": 2, "type": "number"}, {"index": 3, "type": "date"}])
            .to_string();
    let check = |rows: Vec<Row>| {
        let mut csv = String::from("Name,Text,Number,Date\n");
        let mut expected = Vec::new();
        for (name, text, number, date) in &rows {
            let date = date.map(|(y, m, d)| format!("{y:04}-{m:02}-{d:02}"));
            let fields = [
                quoted(name),
                quoted(text),
                number.map_or(String::new(), |n| n.to_string()),
                date.clone().unwrap_or_default(),
            ];
            csv.push_str(&fields.join(","));
            csv.push('\n');
            let mut cells = json!({"c1": text});
            number.inspect(|n| cells["c2"] = json!(n));
            date.inspect(|d| cells["c3"] = json!(d));
            expected.push((json!(name), cells));
        }
        runtime.block_on(async {
            let answer = json_of(&send(&p, csv.as_bytes(), json!({"columns": columns})).await.unwrap());
            assert_eq!(answer["problemCount"], 0, "{answer}");
            let board = answer["board"]["id"].as_str().unwrap();
            let full = full_json(&p, board).await;
            let found: Vec<_> =
                full["items"].as_array().unwrap().iter().map(|i| (i["name"].clone(), i["cells"].clone())).collect();
            assert_eq!(found, expected);
            let arrow = as_json(&decode(&full_reply(&p, board, crate::ARROW, None).await));
            assert_eq!(with_floats(arrow), with_floats(full));
        });
        Ok(())
    };
    runner(24).run(&table(), check).unwrap();
}

#[test]
fn hostile_bytes_are_taken_or_refused_without_a_panic() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let p = runtime.block_on(start());
    let any_bytes = proptest::collection::vec(any::<u8>(), 0..400);
    let table_like = proptest::collection::vec(
        prop_oneof![
            Just(b"\"".to_vec()),
            Just(b",".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b";".to_vec()),
            Just(b"\n\n".to_vec()),
            Just(b"sep=".to_vec()),
            Just(b"1.234,5".to_vec()),
            Just(b"31.12.99".to_vec()),
            Just("\u{feff}ä€".as_bytes().to_vec()),
            Just(b"\xff\xfe".to_vec()),
            Just(b"Name".to_vec()),
            Just(b"($ 1)%".to_vec()),
            Just(b"Mar 3, 2026 at 5:00 PM".to_vec()),
            proptest::collection::vec(any::<u8>(), 1..4),
        ],
        0..60,
    );
    let bytes = prop_oneof![any_bytes, table_like.prop_map(|parts| parts.concat())];
    let check = |bytes: Vec<u8>| {
        runtime.block_on(async {
            for dry_run in [true, false] {
                if let Err(e) = send(&p, &bytes, json!({"dryRun": dry_run})).await {
                    assert_ne!(e.code().name, "internal", "{e:?}");
                }
            }
        });
        Ok(())
    };
    runner(200).run(&bytes, check).unwrap();
}

/// One thing done to a board; numbers choose among what there is.
#[derive(Debug, Clone)]
enum Step {
    Create(usize, u8),
    Delete(usize),
    Move(usize, usize),
    Anchor(usize, usize),
    Cells(usize, u8),
    Regroup(usize),
    /// Deletes one and brings back the one that was deleted before.
    Swap(usize),
    Read,
}

async fn take(p: &Program, board: &str, step: &Step, held: &mut Held) {
    let items = every_item(p, board).await;
    let which = |n: usize| items.get(n % items.len().max(1)).map(|item| item["id"].clone());
    let cells = |n: u8| {
        json!({"c1": format!("l{}", n % 4 + 1), "c2": if n.is_multiple_of(3) { json!([ANNA]) } else { json!([BEN, ANNA]) },
            "c4": [format!("tag {}", n % 40)], "c5": format!("text {n}")})
    };
    match step {
        Step::Create(count, n) => {
            let new: Vec<_> = (0..*count).map(|i| json!({"name": format!("{n}-{i}"), "cells": cells(*n)})).collect();
            p.owner("boards.items.create", json!({"boardId": board, "items": new})).await.unwrap();
        }
        Step::Delete(n) => {
            if let Some(id) = which(*n) {
                p.owner("boards.items.delete", json!({"boardId": board, "itemId": id})).await.unwrap();
            }
        }
        Step::Move(n, to) => {
            if let (Some(id), Some(at)) = (which(*n), items.get(to % items.len().max(1))) {
                let position = at["position"].as_i64().unwrap() + 1;
                p.owner("boards.items.update", json!({"boardId": board, "itemId": id, "position": position}))
                    .await
                    .unwrap();
            }
        }
        Step::Anchor(n, to) => {
            if let (Some(id), Some(beside)) = (which(*n), which(*to)) {
                let change = json!({"boardId": board, "items": [{"itemId": id, "before": beside}]});
                p.owner("boards.cells", change).await.unwrap();
            }
        }
        Step::Cells(n, value) => {
            if let Some(id) = which(*n) {
                let change = json!({"boardId": board, "itemId": id, "cells": cells(*value)});
                p.owner("boards.items.update", change).await.unwrap();
            }
        }
        Step::Regroup(n) => {
            if let Some(id) = which(*n) {
                p.owner("boards.items.update", json!({"boardId": board, "itemId": id, "groupId": "g2"})).await.unwrap();
            }
        }
        Step::Swap(n) => {
            let kept = p.owner("boards.trash.list", json!({"boardId": board})).await.unwrap()["items"][0]["id"].clone();
            if let Some(id) = which(*n) {
                p.owner("boards.items.delete", json!({"boardId": board, "itemId": id})).await.unwrap();
            }
            if !kept.is_null() {
                p.owner("boards.items.restore", json!({"boardId": board, "itemId": kept})).await.unwrap();
            }
        }
        Step::Read => {
            let full = full_json(p, board).await;
            follow(p, board, held, &items).await;
            let mut expected = items;
            for item in &mut expected {
                item.as_object_mut().unwrap().remove("position");
            }
            assert_eq!(full["items"], json!(expected));
            let named: std::collections::BTreeSet<_> = expected
                .iter()
                .flat_map(|item| item["cells"]["c2"].as_array().cloned().unwrap_or_default())
                .map(|id| id.as_str().unwrap().to_owned())
                .collect();
            let members: Vec<_> = full["members"].as_array().unwrap().iter().map(|m| m["id"].clone()).collect();
            assert_eq!(json!(members), json!(named));
            let arrow = as_json(&decode(&full_reply(p, board, crate::ARROW, None).await));
            assert_eq!(with_floats(arrow), with_floats(full));
        }
    }
}

/// What a page holds: the revision, the items by id, and the ids in their order.
type Held = (i64, std::collections::BTreeMap<String, Value>, Vec<String>);

/// Brings what is held up to date by what has changed, and compares it with all items.
async fn follow(p: &Program, board: &str, held: &mut Held, items: &[Value]) {
    let changed = p.owner("boards.changed", json!({"boardId": board, "since": held.0})).await.unwrap();
    assert_eq!(changed["reload"], false);
    for id in changed["removed"].as_array().unwrap() {
        held.1.remove(id.as_str().unwrap());
        held.2.retain(|held| held != id);
    }
    for item in changed["items"].as_array().unwrap() {
        let id = item["id"].as_str().unwrap();
        if held.1.insert(id.to_owned(), item.clone()).is_none() {
            held.2.push(id.to_owned());
        }
    }
    for moved in changed["moved"].as_array().unwrap() {
        held.2.retain(|held| *held != moved["id"]);
    }
    for moved in changed["moved"].as_array().unwrap() {
        let at = moved["after"].as_str().map_or(0, |after| 1 + held.2.iter().position(|held| held == after).unwrap());
        held.2.insert(at, moved["id"].as_str().unwrap().to_owned());
    }
    held.0 = changed["board"]["revision"].as_i64().unwrap();
    let expected: std::collections::BTreeMap<_, _> =
        items.iter().map(|item| (item["id"].as_str().unwrap().to_owned(), item.clone())).collect();
    assert_eq!(held.1, expected);
    assert!(items.iter().map(|item| item["id"].as_str().unwrap()).eq(held.2.iter().map(String::as_str)));
}

async fn every_item(p: &Program, board: &str) -> Vec<Value> {
    let list = p.owner("boards.items.list", json!({"boardId": board, "limit": 1_000})).await.unwrap();
    assert_eq!(list["nextCursor"], Value::Null);
    list["items"].as_array().unwrap().clone()
}

#[test]
fn what_is_kept_of_a_board_follows_every_change() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let p = runtime.block_on(start());
    let step = prop_oneof![
        2 => (1usize..12, any::<u8>()).prop_map(|(count, n)| Step::Create(count, n)),
        3 => any::<usize>().prop_map(Step::Delete),
        2 => (any::<usize>(), any::<usize>()).prop_map(|(n, to)| Step::Move(n, to)),
        2 => (any::<usize>(), 0usize..4).prop_map(|(n, to)| Step::Anchor(n, to)),
        4 => (any::<usize>(), any::<u8>()).prop_map(|(n, value)| Step::Cells(n, value)),
        1 => any::<usize>().prop_map(Step::Regroup),
        1 => any::<usize>().prop_map(Step::Swap),
        4 => Just(Step::Read),
    ];
    let check = |steps: Vec<Step>| {
        runtime.block_on(async {
            let board = tasks_board(&p).await;
            add_column(&p, &board, "Tags", "tags", json!({})).await;
            add_column(&p, &board, "Text", "text", json!({})).await;
            let mut held = Held::default();
            for step in [&Step::Create(40, 7)].into_iter().chain(&steps).chain([&Step::Read]) {
                take(&p, &board, step, &mut held).await;
            }
        });
        Ok(())
    };
    runner(24).run(&proptest::collection::vec(step, 0..40), check).unwrap();
}
