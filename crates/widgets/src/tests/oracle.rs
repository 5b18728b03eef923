//! The columnar engine beside a plain loop over rows, on random boards and filters.

use super::{ask, board, column};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const LABELS: [&str; 3] = ["To do", "Doing", "Done"];
const TAGS: [&str; 3] = ["red", "green", "blue"];

fn cells() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        2 => Just(json!(null)),
        4 => (-300i32..300).prop_map(|n| json!(f64::from(n) / 4.0)),
        1 => (-1e7..1e7f64).prop_map(|n| json!(n)),
    ];
    let label = prop::option::of(0..3usize);
    let tags = prop::collection::vec(0..3usize, 0..3);
    let day = prop::option::of(1..28u32);
    (number, label, tags, day, any::<bool>()).prop_map(|(n, s, g, d, c)| {
        let tags: Vec<&str> = g.iter().map(|g| TAGS[*g]).collect();
        let day = d.map(|d| format!("2026-{:02}-{d:02}", d % 3 + 9));
        json!({"n": n, "s": s.map(|s| format!("l{s}")), "g": tags, "d": day, "c": c})
    })
}

fn rule() -> impl Strategy<Value = Value> {
    let value = (-80..80i32).prop_map(|v| json!(v));
    let numbers =
        (prop::sample::select(vec!["=", "!=", ">", ">=", "<", "<="]), value).prop_map(|(op, v)| ("n", "number", op, v));
    let labels = (prop::sample::select(vec!["anyOf", "noneOf"]), prop::sample::subsequence(LABELS.to_vec(), 1..3));
    let labels = labels.prop_map(|(op, v)| ("s", "status", op, json!(v)));
    let tags =
        (prop::sample::select(vec!["hasAny", "hasAll", "hasNone"]), prop::sample::subsequence(TAGS.to_vec(), 1..3));
    let tags = tags.prop_map(|(op, v)| ("g", "tags", op, json!(v)));
    let dates = (prop::sample::select(vec!["before", "after", "on"]), 1..28u32)
        .prop_map(|(op, d)| ("d", "date", op, json!(format!("2026-10-{d:02}"))));
    let empty = (
        prop::sample::select(vec![("n", "number"), ("s", "status"), ("g", "tags"), ("d", "date")]),
        prop::sample::select(vec!["isEmpty", "isNotEmpty"]),
    );
    let empty = empty.prop_map(|((id, kind), op)| (id, kind, op, json!(null)));
    prop_oneof![numbers, labels, tags, dates, empty, Just(("c", "checkbox", "isChecked", json!(null)))]
        .prop_map(|(id, kind, op, value)| json!({"id": "r", "col": {"by": "title", "title": id, "type": kind}, "op": op, "value": value}))
}

/// Whether a row meets a rule, as the specification says it.
fn meets(cells: &Value, rule: &Value) -> bool {
    let (op, value) = (rule["op"].as_str().unwrap(), &rule["value"]);
    let cell = &cells[rule["col"]["title"].as_str().unwrap()];
    let held: Vec<String> = match cell {
        Value::Array(tags) => tags.iter().map(|t| t.as_str().unwrap().to_owned()).collect(),
        Value::String(id) if id.starts_with('l') => vec![LABELS[id[1..].parse::<usize>().unwrap()].to_owned()],
        _ => Vec::new(),
    };
    let wanted: Vec<&str> =
        value.as_array().map(|v| v.iter().map(|w| w.as_str().unwrap()).collect()).unwrap_or_default();
    let has = |w: &&str| held.iter().any(|h| h == w);
    let empty = cell.is_null() || cell.as_array().is_some_and(Vec::is_empty);
    let number = |test: fn(f64, f64) -> bool| cell.as_f64().is_some_and(|n| test(n, value.as_f64().unwrap()));
    let day = |test: fn(&str, &str) -> bool| cell.as_str().is_some_and(|d| test(d, value.as_str().unwrap()));
    match op {
        "isEmpty" => empty,
        "isNotEmpty" => !empty,
        "isChecked" => cell == &json!(true),
        "anyOf" | "hasAny" => wanted.iter().any(has),
        "hasAll" => wanted.iter().all(has),
        "noneOf" | "hasNone" => !wanted.iter().any(has),
        "=" => number(|a, b| a == b),
        "!=" => number(|a, b| a != b),
        ">" => number(|a, b| a > b),
        ">=" => number(|a, b| a >= b),
        "<" => number(|a, b| a < b),
        "<=" => number(|a, b| a <= b),
        "before" => day(|a, b| a < b),
        "after" => day(|a, b| a > b),
        _ => day(|a, b| a == b),
    }
}

fn close(found: &Value, expected: Option<f64>) -> bool {
    match (found.as_f64(), expected) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * b.abs().max(1.0),
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn expected(function: &str, values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    match function {
        "sum" => Some(sorted.iter().sum()),
        _ if n == 0 => None,
        "average" => Some(sorted.iter().sum::<f64>() / n as f64),
        "min" => sorted.first().copied(),
        "max" => sorted.last().copied(),
        _ if n % 2 == 1 => Some(sorted[n / 2]),
        _ => Some((sorted[n / 2 - 1] + sorted[n / 2]) / 2.0),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn as_a_loop_over_rows(
        rows in prop::collection::vec(cells(), 1..150),
        rules in prop::collection::vec(prop::collection::vec(rule(), 1..3), 0..3),
        function in prop::sample::select(vec!["sum", "average", "median", "min", "max"]),
        by in prop::sample::select(vec!["s", "g"]),
    ) {
        let labels: Vec<Value> = LABELS.iter().enumerate().map(|(i, t)| json!({"id": format!("l{i}"), "text": t})).collect();
        let columns = vec![
            column("n", "n", "number", json!({})),
            column("s", "s", "status", json!({"labels": labels})),
            column("g", "g", "tags", json!({})),
            column("d", "d", "date", json!({})),
            column("c", "c", "checkbox", json!({})),
        ];
        let boards = [board("a", columns, &rows)];
        let all: Vec<Value> = rules.iter().map(|any| if any.len() == 1 { any[0].clone() } else { json!({"any": any}) }).collect();
        let filters = json!({"v": 1, "all": all});
        let passing: Vec<&Value> = rows.iter().filter(|row| rules.iter().all(|any| any.iter().any(|rule| meets(row, rule)))).collect();

        let values: Vec<f64> = passing.iter().filter_map(|row| row["n"].as_f64()).collect();
        let answer = ask(&boards, filters.clone(), json!({"id": "w", "kind": "numbers", "function": function, "cols": {"value": {"a": ["n"]}}}));
        prop_assert!(close(&answer["result"]["value"], expected(function, &values)), "{answer} {values:?}");

        let mut by_label: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for row in &passing {
            let mut keys: Vec<String> = match &row[by] {
                Value::Array(tags) => tags.iter().map(|t| t.as_str().unwrap().to_owned()).collect(),
                Value::String(id) => vec![LABELS[id[1..].parse::<usize>().unwrap()].to_lowercase()],
                _ => Vec::new(),
            };
            keys.sort();
            keys.dedup();
            if keys.is_empty() {
                keys.push(String::new());
            }
            for key in keys {
                by_label.entry(key).or_default().extend(row["n"].as_f64());
            }
        }
        let chart = json!({"id": "w", "kind": "chart", "y": {"function": function}, "cols": {"x": {"a": [by]}, "y": {"a": ["n"]}}});
        let answer = ask(&boards, filters, chart);
        let result = &answer["result"];
        let categories = result["categories"].as_array().cloned().unwrap_or_default();
        prop_assert_eq!(categories.len(), by_label.len());
        for (i, category) in categories.iter().enumerate() {
            let values = &by_label[category["key"].as_str().unwrap()];
            prop_assert_eq!(&result["series"][0]["items"][i], &json!(values.len()));
            prop_assert!(close(&result["series"][0]["values"][i], expected(function, values)), "{category} {values:?} {result}");
        }
    }

    #[test]
    fn texts_are_found_as_in_each_row_by_itself(texts in prop::collection::vec("[abÄ]{0,4}|[abÄ ]{20,50}", 1..200), wanted in "[abÂ]{1,4}") {
        let cells: Vec<Value> = texts.iter().map(|text| json!({"t": text})).collect();
        let boards = [board("a", vec![column("t", "t", "text", json!({}))], &cells)];
        let rule = json!({"id": "r", "col": {"by": "title", "title": "t", "type": "text"}, "op": "contains", "value": wanted});
        let answer = ask(&boards, json!({"v": 1, "all": [rule]}), json!({"id": "w", "kind": "numbers", "function": "count"}));
        let plain = |text: &str| text.replace(['Ä', 'Â'], "a");
        let expected = texts.iter().filter(|text| plain(text).contains(&plain(&wanted))).count();
        prop_assert_eq!(&answer["result"]["value"], &json!(expected as f64));
    }
}
