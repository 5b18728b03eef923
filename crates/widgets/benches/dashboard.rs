//! A filter changes on a dashboard of twelve widgets over twenty boards: how long until every value is there, and how long each
//! kind of widget takes by itself. At each turn another filter is asked for, so that no kept answer is measured.

use arrow_array::builder::{Date32Builder, Float64Builder, StringBuilder, StringDictionaryBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{Field, Schema};
use divan::Bencher;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use widgets::{Engine, Query};

fn main() {
    divan::main();
}

const SIZES: [usize; 2] = [100_000, 1_000_000];
const BOARDS: usize = 20;
/// 2024-10-04.
const FIRST_DAY: i32 = 20_000;
const DAYS: u64 = 730;
const DAY_MS: i64 = 86_400_000;

fn engine(items: usize) -> &'static Engine {
    static SMALL: OnceLock<Engine> = OnceLock::new();
    static LARGE: OnceLock<Engine> = OnceLock::new();
    if items == SIZES[0] { &SMALL } else { &LARGE }.get_or_init(|| {
        let mut engine = Engine::new();
        for board in 0..BOARDS {
            engine.load(&stream(board, items / BOARDS)).expect("a board");
        }
        engine
    })
}

fn stream(board: usize, items: usize) -> Vec<u8> {
    let mut seed = board as u64 + 1;
    let mut next = |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    let (mut ids, mut names) = (StringBuilder::new(), StringBuilder::new());
    let mut coded: Vec<StringDictionaryBuilder<Int32Type>> = (0..5).map(|_| StringDictionaryBuilder::new()).collect();
    let (mut effort, mut amount) = (Float64Builder::new(), Float64Builder::new());
    let (mut due, mut finished) = (Date32Builder::new(), Date32Builder::new());
    let mut created = Vec::with_capacity(items);
    for item in 0..items {
        ids.append_value(format!("{board}-{item:08}"));
        names.append_value(format!("Task {item}"));
        coded[0].append_value(["g0", "g1", "g2"][next(3) as usize]);
        let status = next(6);
        coded[1].append_value(format!("l{status}"));
        let people: Vec<String> = (0..next(3)).map(|_| format!("m{}", next(50))).collect();
        coded[2].append_value(json!(people).to_string());
        let tags: Vec<String> = (0..next(3)).map(|_| format!("t{}", next(40))).collect();
        coded[3].append_value(json!(tags).to_string());
        let sprint = next(52);
        coded[4].append_value(format!("s{sprint}"));
        effort.append_option((next(10) > 0).then(|| next(13) as f64));
        amount.append_option((next(10) > 0).then(|| next(1_000_000) as f64 / 100.0));
        due.append_option((next(10) > 0).then(|| FIRST_DAY + next(DAYS) as i32));
        let start = FIRST_DAY + 14 * sprint as i32;
        finished.append_option((status == 5).then(|| start + next(14) as i32));
        created.push((i64::from(start) - 10 + next(20) as i64) * DAY_MS);
    }
    let kinds = ["status", "people", "tags", "dropdown", "number", "number", "date", "date"];
    let titles = ["Status", "Owner", "Tags", "Sprint", "Points", "Amount", "Due", "Finished"];
    let labels = |prefix: &str, count: usize, name: &str| -> Value {
        (0..count).map(|i| json!({"id": format!("{prefix}{i}"), "text": format!("{name} {i}"), "done": prefix == "l" && i == 5})).collect()
    };
    let settings = |at: usize| match at {
        0 => json!({"labels": labels("l", 6, "Label")}),
        3 => json!({"labels": labels("s", 52, "Sprint")}),
        _ => json!({}),
    };
    let columns: Vec<Value> = (0..kinds.len())
        .map(|at| json!({"id": format!("c{at}"), "title": titles[at], "type": kinds[at], "settings": settings(at)}))
        .collect();
    let head = json!({"board": {"id": format!("b{board}"), "name": format!("Board {board}")}, "groups": [], "columns": columns, "members": []});
    let mut coded = coded.into_iter().map(|mut b| Arc::new(b.finish()) as ArrayRef);
    let times: ArrayRef = Arc::new(Int64Array::from(created));
    let mut arrays: Vec<ArrayRef> =
        vec![Arc::new(ids.finish()), coded.next().expect("groups"), Arc::new(names.finish()), times.clone(), times];
    arrays.extend(coded);
    arrays.push(Arc::new(effort.finish()));
    arrays.push(Arc::new(amount.finish()));
    arrays.push(Arc::new(due.finish()));
    arrays.push(Arc::new(finished.finish()));
    let name = |i: usize| match ["id", "groupId", "name", "createdAt", "updatedAt"].get(i) {
        Some(name) => (*name).to_owned(),
        None => format!("c{}", i - 5),
    };
    let fields: Vec<Field> =
        arrays.iter().enumerate().map(|(i, a)| Field::new(name(i), a.data_type().clone(), true)).collect();
    let metadata = HashMap::from([("board".to_owned(), head.to_string())]);
    let schema = Arc::new(Schema::new_with_metadata(fields, metadata));
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).expect("schema");
    writer.write(&RecordBatch::try_new(schema, arrays).expect("batch")).expect("write");
    writer.into_inner().expect("stream")
}

/// The twelve widgets, by what each is called.
fn widgets() -> Vec<Value> {
    let all = |id: &str| -> Value {
        (0..BOARDS).map(|b| (format!("b{b}"), json!([id]))).collect::<Map<String, Value>>().into()
    };
    let sprints = json!({"sprint": all("c3"), "effort": all("c4"), "done": all("c0"), "date": all("c7")});
    let x = |id: &str| json!({"x": all(id)});
    let xy = |id: &str| json!({"x": all(id), "y": all("c5")});
    vec![
        json!({"id": "count", "kind": "numbers", "function": "count"}),
        json!({"id": "sum", "kind": "numbers", "function": "sum", "cols": {"value": all("c5")}}),
        json!({"id": "median", "kind": "numbers", "function": "median", "cols": {"value": all("c5")}}),
        json!({"id": "status", "kind": "chart", "cols": x("c0")}),
        json!({"id": "people", "kind": "chart", "y": {"function": "sum"}, "cols": xy("c1")}),
        json!({"id": "months", "kind": "chart", "variant": "line", "y": {"function": "sum"}, "cols": xy("c6")}),
        json!({"id": "stack", "kind": "chart", "z": {"by": "board"}, "cols": x("c0")}),
        json!({"id": "pie", "kind": "chart", "variant": "pie", "cols": x("c2")}),
        json!({"id": "velocity", "kind": "velocity", "cols": sprints}),
        json!({"id": "planned", "kind": "planned", "cols": sprints}),
        json!({"id": "burndown", "kind": "burndown", "sprint": "sprint 40", "cols": sprints}),
        json!({"id": "battery", "kind": "battery", "cols": {"done": all("c0"), "effort": all("c4")}}),
    ]
}

const FILTERS: [&str; 5] = ["all", "broad", "medium", "narrow", "text"];

/// The rules of a filter at a turn: others at the next that let about as many items pass.
fn rules(filter: &str, turn: usize) -> Vec<Value> {
    let rule = |title: &str, kind: &str, op: &str, value: Value| json!({"id": title, "col": {"by": "title", "title": title, "type": kind}, "op": op, "value": value});
    let status =
        |count: usize| rule("Status", "status", "anyOf", chosen(count, turn).map(|i| format!("Label {i}")).collect());
    let due = |from: &str| rule("Due", "date", "after", json!(from));
    match filter {
        "all" => Vec::new(),
        "broad" => vec![status(4)],
        "medium" => vec![status(3), due("2025-07-01")],
        "narrow" => {
            vec![status(1), due("2026-06-01"), rule("Tags", "tags", "hasAny", json!([format!("t{}", turn % 40)]))]
        }
        _ => vec![
            rule("Tags", "tags", "hasNone", json!([format!("t{}", turn % 40)])),
            json!({"id": "n", "col": {"by": "builtin", "name": "name"}, "op": "contains", "value": "7"}),
        ],
    }
}

/// So many of the six statuses, others at each turn.
fn chosen(count: usize, turn: usize) -> impl Iterator<Item = usize> {
    let sets: Vec<usize> = (0..1usize << 6).filter(|set| set.count_ones() as usize == count).collect();
    let set = sets[turn % sets.len()];
    (0..6).filter(move |status| set >> status & 1 == 1)
}

fn query(filter: &str, turn: usize, widgets: Vec<Value>) -> Query {
    let boards: Vec<String> = (0..BOARDS).map(|b| format!("b{b}")).collect();
    let now = i64::from(FIRST_DAY + 14 * 41) * DAY_MS;
    let query =
        json!({"boards": boards, "filters": {"v": 1, "all": rules(filter, turn)}, "widgets": widgets, "now": now});
    serde_json::from_value(query).expect("a query")
}

#[divan::bench(args = FILTERS, consts = SIZES)]
fn twelve_widgets<const ITEMS: usize>(bencher: Bencher<'_, '_>, filter: &str) {
    let engine = engine(ITEMS);
    let queries: Vec<Query> = (0..40).map(|turn| query(filter, turn, widgets())).collect();
    let mut turn = 0;
    let next = || {
        // What is asked for before has nothing to do with it, as that of all items.
        engine.query(&query(if filter == "all" { "narrow" } else { "all" }, turn, widgets()));
        turn += 1;
        &queries[turn % queries.len()]
    };
    bencher.with_inputs(next).bench_local_values(|query| engine.query(query));
}

#[divan::bench(args = 0..12)]
fn one_widget(bencher: Bencher<'_, '_>, at: usize) {
    let (engine, query) = (engine(SIZES[1]), query("all", 0, vec![widgets().swap_remove(at)]));
    bencher.bench(|| engine.query(&query));
}
