//! Views: orders of each type of column, and that a patch above a board answers as the board read anew.

use super::{NOW, column, stream};
use crate::{Engine, ViewAnswer, ViewQuery};
use proptest::prelude::*;
use serde_json::{Value, json};

fn columns() -> Vec<Value> {
    let labels = json!({"labels": [{"id": "l2", "text": "Zeta"}, {"id": "l1", "text": "Alpha", "done": true}]});
    vec![
        column("t", "Note", "text", json!({})),
        column("n", "Points", "number", json!({})),
        column("s", "Status", "status", labels),
        column("g", "Tags", "tags", json!({})),
        column("p", "Owner", "people", json!({})),
        column("d", "Due", "date", json!({})),
        column("c", "Ready", "checkbox", json!({})),
        column("l", "Span", "timeline", json!({})),
        column("f", "Total", "formula", json!({"result": "number", "formula": "{n} * 2"})),
        column("a", "Papers", "file", json!({})),
    ]
}

fn board(items: &[Value]) -> Value {
    board_of(columns(), items)
}

fn board_of(columns: Vec<Value>, items: &[Value]) -> Value {
    json!({
        "board": {"id": "b", "name": "Board"},
        "groups": [{"id": "g1", "name": "One"}, {"id": "g2", "name": "Two"}],
        "columns": columns,
        "members": [{"id": "m1", "name": "Ada"}, {"id": "m2", "name": "Bo"}],
        "items": items,
    })
}

fn item(index: usize, name: &str, group: &str, cells: Value) -> Value {
    json!({"id": format!("i{index}"), "groupId": group, "name": name, "createdAt": NOW, "updatedAt": NOW, "cells": cells})
}

fn loaded(board: &Value) -> Engine {
    let mut engine = Engine::new();
    engine.load(&stream(board)).expect("a board");
    engine
}

fn ask(engine: &mut Engine, mut asked: Value) -> ViewAnswer {
    asked["boards"] = json!(["b"]);
    asked["now"] = json!(NOW);
    engine.view(&serde_json::from_value::<ViewQuery>(asked).expect("a query")).expect("the board")
}

fn sorted(engine: &mut Engine, steps: Value) -> Vec<u32> {
    ask(engine, json!({"sort": steps})).rows
}

fn of_cells(cells: &[Value]) -> Engine {
    let items: Vec<Value> =
        cells.iter().enumerate().map(|(i, c)| item(i, &format!("Item {i}"), "g1", c.clone())).collect();
    loaded(&board(&items))
}

#[test]
fn texts_are_ordered_as_people_list_them() {
    let names = ["sprint 10", "Sprint 2", "", "Érable", "eraser", "Ernst", "sprint 2 b", "Sprint 002", "  Sprint 2"];
    let items: Vec<Value> = names.iter().enumerate().map(|(i, n)| item(i, n, "g1", json!({"t": n}))).collect();
    let mut engine = loaded(&board(&items));
    for column in ["name", "t"] {
        assert_eq!(sorted(&mut engine, json!([{"columnId": column}])), [3, 4, 5, 1, 7, 8, 6, 0, 2]);
        assert_eq!(sorted(&mut engine, json!([{"columnId": column, "descending": true}])), [0, 6, 1, 7, 8, 5, 4, 3, 2]);
    }
}

#[test]
fn texts_that_all_begin_alike_are_ordered_by_what_follows() {
    let order = |names: &[&str]| {
        let items: Vec<Value> = names.iter().enumerate().map(|(i, n)| item(i, n, "g1", json!({}))).collect();
        sorted(&mut loaded(&board(&items)), json!([{"columnId": "name"}]))
    };
    assert_eq!(order(&["Item 10", "Item 9", "item 100", "Item", "Item 1", "ITEM"]), [3, 5, 4, 1, 0, 2]);
    assert_eq!(order(&["A long beginning b", "A long beginning a", "A long beginning"]), [2, 1, 0]);
    assert_eq!(order(&["Same", "same", "", "Same"]), [0, 1, 3, 2]);
}

#[test]
fn each_type_has_its_order_and_empty_cells_stand_last() {
    let mut engine = of_cells(&[
        json!({"n": 2.5, "s": "l1", "g": ["b"], "p": ["m2"], "d": "2026-03-01", "c": true}),
        json!({}),
        json!({"n": -10, "s": "l2", "g": ["a", "z"], "p": ["m1", "m2"], "d": "2025-12-31", "c": false}),
        json!({"n": 10, "s": "gone", "g": ["a"], "p": ["m1"], "d": "2026-11-21", "c": true}),
    ]);
    for (column, up, down) in [
        ("n", [2, 0, 3, 1], [3, 0, 2, 1]),
        ("s", [2, 0, 3, 1], [3, 0, 2, 1]),
        ("g", [3, 2, 0, 1], [0, 2, 3, 1]),
        ("p", [3, 2, 0, 1], [0, 2, 3, 1]),
        ("d", [2, 0, 3, 1], [3, 0, 2, 1]),
        ("c", [1, 2, 0, 3], [0, 3, 1, 2]),
    ] {
        assert_eq!(sorted(&mut engine, json!([{"columnId": column}])), up, "{column}");
        assert_eq!(sorted(&mut engine, json!([{"columnId": column, "descending": true}])), down, "{column} descending");
    }
    assert_eq!(sorted(&mut engine, json!([{"columnId": "unknown"}])), [0, 1, 2, 3]);
    let both = json!([{"columnId": "c", "descending": true}, {"columnId": "n", "descending": true}]);
    assert_eq!(sorted(&mut engine, both), [3, 0, 2, 1]);
}

#[test]
fn rules_and_search_choose_the_items() {
    let mut engine = of_cells(&[
        json!({"t": "Café", "n": 3, "s": "l1", "p": ["m1"], "d": "2026-11-21"}),
        json!({"t": "Tea", "n": 33, "s": "l2", "g": ["Green"]}),
        json!({}),
    ]);
    let mut search = |text: &str| ask(&mut engine, json!({"search": text})).rows;
    for (text, rows) in [("CAFE", vec![0]), ("alph", vec![0]), ("ada", vec![0]), ("gree", vec![1]), ("item 2", vec![2])]
    {
        assert_eq!(search(text), rows, "{text}");
    }
    assert_eq!((search("33"), search("2026-11-21"), search(" ")), (vec![1], vec![0], vec![0, 1, 2]));
    let rule =
        |op: &str, value| json!({"id": "r", "col": {"by": "ids", "ids": {"b": ["n"]}}, "op": op, "value": value});
    let filters = json!({"v": 1, "all": [rule(">", json!(3)), rule("?", json!(1))]});
    let answer = ask(&mut engine, json!({"filters": filters}));
    assert_eq!((answer.rows, answer.items, answer.inert_rules.len()), (vec![1], 3, 1));
}

#[test]
fn totals_are_of_the_shown_items_by_group() {
    let items = [
        item(0, "a", "g1", json!({"n": 0.1, "s": "l1", "d": "2026-01-02", "c": true})),
        item(1, "b", "g2", json!({"n": 0.2, "s": "l1", "d": "2026-01-01", "g": ["x"]})),
        item(2, "c", "g1", json!({"s": "l2"})),
        item(3, "hidden", "g1", json!({"n": 100})),
    ];
    let mut engine = loaded(&board(&items));
    let rule = json!({"id": "r", "col": {"by": "builtin", "name": "name"}, "op": "isNot", "value": "hidden"});
    let answer = ask(&mut engine, json!({"totals": true, "filters": {"v": 1, "all": [rule]}}));
    let told = serde_json::to_value(answer.totals.expect("totals")).expect("JSON");
    assert_eq!(told["all"]["items"], 3);
    let all = &told["all"]["columns"];
    assert_eq!(all["n"], json!({"filled": 2, "sum": 0.3, "average": 0.15, "min": 0.1, "max": 0.2}));
    assert_eq!(all["s"], json!({"filled": 3, "labels": {"l1": 2, "l2": 1}}));
    assert_eq!(all["d"], json!({"filled": 2, "days": ["2026-01-01", "2026-01-02"]}));
    assert_eq!((&all["c"]["filled"], &all["g"]["filled"], &all["t"]["filled"]), (&json!(1), &json!(1), &json!(0)));
    assert_eq!(told["groups"]["g1"]["items"], 2);
    assert_eq!(told["groups"]["g1"]["columns"]["n"]["sum"], json!(0.1));
    assert_eq!(told["groups"]["g2"]["columns"]["s"]["labels"], json!({"l1": 1}));
}

#[test]
fn a_patch_brings_new_words_and_is_refused_where_it_does_not_fit() {
    let mut engine = of_cells(&[json!({"s": "l1"}), json!({"s": "l2"})]);
    let with = |columns: Value, row: u32| {
        let head = json!({"board": {"id": "b", "name": "Board"}, "groups": [{"id": "g1", "name": "One"}], "columns": columns, "members": []});
        json!({"head": head, "items": [{"row": row, "groupId": "g1", "name": "new", "cells": {"s": "l3"}}]}).to_string()
    };
    let mut now = columns();
    now[2]["settings"] =
        json!({"labels": [{"id": "l1", "text": "Alpha"}, {"id": "l3", "text": "New"}, {"id": "l2", "text": "Omega"}]});
    engine.patch(with(json!(now), 2).as_bytes()).expect("a patch");
    assert_eq!(sorted(&mut engine, json!([{"columnId": "s"}])), [0, 2, 1]);
    assert_eq!(ask(&mut engine, json!({"search": "omega"})).rows, [1]);
    let before = sorted(&mut engine, json!([]));
    assert!(engine.patch(with(json!(now), 3_000_000_000).as_bytes()).is_err());
    assert!(engine.patch(b"[]").is_err());
    assert_eq!(sorted(&mut engine, json!([])), before);
    assert!(Engine::new().patch(with(json!(now), 0).as_bytes()).is_err());
}

#[test]
fn a_column_that_comes_back_holds_what_it_held() {
    let by = || column("by", "Made by", "createdBy", json!({}));
    let items =
        [item(0, "One", "g1", json!({"t": "b", "by": "m1"})), item(1, "Two", "g1", json!({"t": "a", "by": "owner"}))];
    let whole = board_of([columns(), vec![by()]].concat(), &items);
    let mut engine = loaded(&whole);
    let rule = json!({"id": "r", "col": {"by": "ids", "ids": {"b": ["by"]}}, "op": "isNotEmpty", "value": null});
    let asked =
        json!({"totals": true, "filters": {"v": 1, "all": [rule]}, "sort": [{"columnId": "by"}, {"columnId": "t"}]});
    let mut patched = |columns: Vec<Value>| {
        let head = json!({"board": whole["board"], "groups": whole["groups"], "columns": columns, "members": whole["members"]});
        engine
            .patch(json!({"head": head, "items": []}).to_string().as_bytes())
            .map(|()| ask(&mut engine, asked.clone()))
    };
    let first = ask(&mut loaded(&whole), asked.clone());
    assert_eq!(first.rows.len(), 2);
    for columns in [columns(), [columns()[1..].to_vec(), vec![by()]].concat(), Vec::new()] {
        assert_ne!(patched(columns).expect("a patch"), first);
    }
    assert_eq!(patched([columns(), vec![by()]].concat()).expect("a patch"), first);
}

#[test]
fn files_are_searched_filtered_ordered_and_counted_by_their_names() {
    let files = |names: &[&str]| {
        let list: Vec<Value> =
            names.iter().map(|name| json!({"id": "1", "name": name, "size": 7, "type": "x/y"})).collect();
        json!({"a": list})
    };
    let mut engine = of_cells(&[files(&["b.txt", "Plan.pdf"]), json!({}), files(&["a.txt"])]);
    assert_eq!(sorted(&mut engine, json!([{"columnId": "a"}])), [2, 0, 1]);
    assert_eq!(ask(&mut engine, json!({"search": "plan"})).rows, [0]);
    // Neither across two names nor in what stands beside them.
    for nothing in ["txtplan", "x/y", "size"] {
        assert!(ask(&mut engine, json!({"search": nothing})).rows.is_empty(), "{nothing}");
    }
    for (op, value, rows) in [
        ("contains", json!("TXT"), vec![0, 2]),
        ("notContains", json!("pdf"), vec![1, 2]),
        ("isEmpty", Value::Null, vec![1]),
        ("isNotEmpty", Value::Null, vec![0, 2]),
    ] {
        let rule = json!({"id": "r", "col": {"by": "ids", "ids": {"b": ["a"]}}, "op": op, "value": value});
        let answer = ask(&mut engine, json!({"totals": true, "filters": {"v": 1, "all": [rule]}}));
        assert_eq!(answer.rows, rows, "{op}");
        let told = serde_json::to_value(answer.totals.expect("totals")).expect("JSON");
        let filled = rows.iter().filter(|row| **row != 1).count();
        assert_eq!(told["all"]["columns"]["a"]["filled"], filled, "{op}");
    }
}

/// A cell of each type, or none.
fn cells() -> impl Strategy<Value = Value> {
    let texts = prop::option::of(prop::sample::select(vec!["a 2", "A 10", "é", "e", "", "zz"]));
    let numbers = prop::option::of(prop::sample::select(vec![0.0, -1.5, 2.0, 1e12, 0.000_01]));
    let labels = prop::option::of(prop::sample::select(vec!["l1", "l2", "gone"]));
    let tags = prop::option::of(prop::collection::vec(prop::sample::select(vec!["x", "Y", "y"]), 0..3));
    let people = prop::option::of(prop::collection::vec(prop::sample::select(vec!["m1", "m2"]), 0..2));
    let days = prop::option::of(prop::sample::select(vec!["2026-01-01", "2025-06-30", "2026-11-21"]));
    let spans = prop::option::of(prop::sample::select(vec![
        ("2026-01-01", "2026-02-01"),
        ("2026-01-01", "2026-01-01"),
        ("2025-01-01", "2026-01-01"),
    ]));
    (texts, numbers, labels, tags, people, days, any::<Option<bool>>(), spans).prop_map(|(t, n, s, g, p, d, c, l)| {
        let l = l.map(|(from, to)| json!({"from": from, "to": to}));
        let files = g.as_ref().map(|names| names.iter().map(|name| json!({"id": "1", "name": name})).collect::<Vec<_>>());
        let all = json!({"a": files.filter(|files| !files.is_empty()), "l": l, "t": t, "n": n, "s": s, "g": g, "p": p, "d": d, "c": c, "f": n.map(|n| n * 2.0)});
        Value::Object(
            all.as_object().expect("an object").clone().into_iter().filter(|(_, value)| !value.is_null()).collect(),
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_patched_board_answers_as_one_read_anew(
        before in prop::collection::vec((cells(), any::<bool>()), 0..20),
        changes in prop::collection::btree_map(0usize..24, prop::option::of((cells(), any::<bool>())), 0..12),
        steps in prop::collection::vec((prop::sample::select(vec!["name", "t", "n", "s", "g", "p", "d", "c", "l", "f", "a"]), any::<bool>()), 0..3),
        search in prop::sample::select(vec!["", "e", "alpha", "2"]),
        // Columns that are new since the board was loaded, beside one that is no more.
        are_columns_new in any::<bool>(),
        elsewhere in prop::collection::btree_map(0u32..24, any::<prop::sample::Index>(), 0..6),
        op in prop::sample::select(vec![("n", ">", json!(0)), ("s", "noneOf", json!(["Alpha"])), ("g", "hasAny", json!(["Y"])), ("d", "isEmpty", Value::Null), ("a", "contains", json!("Y"))]),
    ) {
        let made = |row: usize, (cells, first): &(Value, bool)| item(row, &format!("Item {row}"), if *first { "g1" } else { "g2" }, cells.clone());
        let mut old: Vec<Value> = before.iter().enumerate().map(|(row, one)| made(row, one)).collect();
        let mut old_columns = columns();
        if are_columns_new {
            old_columns.retain(|column| column["id"] != "n" && column["id"] != "g");
            old_columns.insert(1, column("z", "Gone", "tags", json!({})));
            old_columns.reverse();
            for cells in old.iter_mut().filter_map(|item| item["cells"].as_object_mut()) {
                cells.retain(|id, _| id != "n" && id != "g");
            }
        }
        // Rows behind the board's are added one after the other; gone are only rows of the board.
        let mut rows: Vec<(u32, Value)> = Vec::new();
        let (mut patched, mut gone, mut added) = (Vec::new(), Vec::new(), old.len());
        let with_row = |row: usize, mut item: Value| { item["row"] = json!(row); item };
        for (row, old) in old.iter().enumerate() {
            match changes.get(&row) {
                None => rows.push((row as u32, old.clone())),
                Some(None) => gone.push(row),
                Some(Some(one)) => { patched.push(with_row(row, made(row, one))); rows.push((row as u32, made(row, one))); }
            }
        }
        for one in changes.range(old.len()..).filter_map(|(_, one)| one.as_ref()) {
            patched.push(with_row(added, made(added, one)));
            rows.push((added as u32, made(added, one)));
            added += 1;
        }
        let (col, op, value) = op;
        let rule = json!({"id": "r", "col": {"by": "ids", "ids": {"b": [col]}}, "op": op, "value": value});
        let sort: Vec<Value> = steps.iter().map(|(id, down)| json!({"columnId": id, "descending": down})).collect();
        let asked = json!({"sort": sort, "search": search, "totals": true, "filters": {"v": 1, "all": [rule]}});
        // Each row that stands elsewhere is behind one that does not, or the first.
        let mut behind: std::collections::BTreeMap<Option<u32>, Vec<u32>> = [(None, Vec::new())].into();
        behind.extend((0..added as u32).filter(|row| !elsewhere.contains_key(row)).map(|row| (Some(row), Vec::new())));
        let anchors: Vec<Option<u32>> = behind.keys().copied().collect();
        for (row, at) in elsewhere.iter().filter(|(row, _)| **row < added as u32).rev() {
            behind.entry(anchors[at.index(anchors.len())]).or_default().push(*row);
        }
        let order: Vec<u32> = behind.iter().flat_map(|(own, rows)| own.iter().chain(rows).copied()).collect();
        rows.sort_by_key(|(row, _)| order.iter().position(|at| at == row));
        let moved: Vec<_> = behind.iter().filter(|(_, rows)| !rows.is_empty()).collect();
        let mut above = loaded(&board_of(old_columns, &old));
        let whole = board(&[]);
        let head = json!({"board": whole["board"], "groups": whole["groups"], "columns": whole["columns"], "members": whole["members"]});
        // An order made before the patch serves after it.
        ask(&mut above, asked.clone());
        above.patch(json!({"head": head, "items": patched, "gone": gone, "moved": moved}).to_string().as_bytes()).expect("a patch");
        let found = ask(&mut above, asked.clone());
        let now: Vec<Value> = rows.iter().map(|(_, item)| item.clone()).collect();
        let mut expected = ask(&mut loaded(&board(&now)), asked);
        for row in &mut expected.rows {
            *row = rows[*row as usize].0;
        }
        // Rules about a label are inert alike: which labels exist is the head's matter.
        prop_assert_eq!(found, expected);
    }
}
