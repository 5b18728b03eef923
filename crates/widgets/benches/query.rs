//! A changed filter over a board of twelve columns, with a number and a chart, beside a plain loop over row objects; and a view
//! of the same board, filtered, sorted and added up.

use arrow_array::builder::{BooleanBuilder, Date32Builder, Float64Builder, StringBuilder, StringDictionaryBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{Field, Schema};
use divan::Bencher;
use serde_json::json;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use widgets::{Engine, Query, ViewQuery};

fn main() {
    divan::main();
}

const SIZES: [usize; 2] = [100_000, 1_000_000];
const STATUSES: [&str; 5] = ["l0", "l1", "l2", "l3", "l4"];

/// A row as a program that parses JSON holds it.
struct Row {
    status: Option<String>,
    people: Vec<String>,
    amount: Option<f64>,
    due: Option<i32>,
}

struct Data {
    stream: Vec<u8>,
    rows: Vec<Row>,
    engine: Engine,
}

fn data(items: usize) -> &'static Data {
    static SMALL: OnceLock<Data> = OnceLock::new();
    static LARGE: OnceLock<Data> = OnceLock::new();
    if items == SIZES[0] { &SMALL } else { &LARGE }.get_or_init(|| make(items))
}

fn make(items: usize) -> Data {
    let mut seed = 1u64;
    let mut next = |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    let (mut ids, mut names, mut note) = (StringBuilder::new(), StringBuilder::new(), StringBuilder::new());
    let mut coded: Vec<StringDictionaryBuilder<Int32Type>> = (0..6).map(|_| StringDictionaryBuilder::new()).collect();
    let mut numbers: Vec<Float64Builder> = (0..3).map(|_| Float64Builder::new()).collect();
    let mut days: Vec<Date32Builder> = (0..2).map(|_| Date32Builder::new()).collect();
    let mut ready = BooleanBuilder::new();
    let mut rows = Vec::with_capacity(items);
    for item in 0..items {
        ids.append_value(item.to_string());
        // Not in their order: what is sorted already is sorted at once.
        names.append_value(format!("Task {}", item * 7_919 % items));
        note.append_option((next(2) == 0).then_some("some words about it"));
        coded[0].append_value(["g0", "g1", "g2"][next(3) as usize]);
        let status = (next(10) > 0).then(|| STATUSES[next(5) as usize]);
        coded[1].append_option(status);
        coded[2].append_option((next(10) > 2).then(|| STATUSES[next(5) as usize]));
        let people: Vec<String> = (0..next(3)).map(|_| format!("m{}", next(40))).collect();
        coded[3].append_value(json!(people).to_string());
        coded[4].append_value(json!([format!("t{}", next(30))]).to_string());
        coded[5].append_option((next(10) > 2).then(|| STATUSES[next(5) as usize]));
        let amount = (next(10) > 2).then(|| next(1_000_000) as f64 / 100.0);
        numbers[0].append_option(amount);
        numbers[1].append_option((next(10) > 2).then(|| next(20) as f64));
        numbers[2].append_option((next(10) > 2).then(|| next(100) as f64));
        let due = (next(10) > 2).then(|| 20_000 + next(730) as i32);
        days[0].append_option(due);
        days[1].append_option((next(10) > 2).then(|| 20_000 + next(730) as i32));
        ready.append_value(next(2) == 0);
        rows.push(Row { status: status.map(str::to_owned), people, amount, due });
    }
    let kinds = [
        "text", "status", "dropdown", "people", "tags", "status", "number", "number", "number", "date", "date",
        "checkbox",
    ];
    let labels: Vec<_> = STATUSES.iter().map(|id| json!({"id": id, "text": format!("Label {id}")})).collect();
    let column = |(i, kind): (usize, &&str)| json!({"id": format!("c{i}"), "title": format!("C{i}"), "type": kind, "settings": {"labels": labels}});
    let columns: Vec<_> = kinds.iter().enumerate().map(column).collect();
    let head = json!({"board": {"id": "b", "name": "B"}, "groups": [], "columns": columns, "members": []}).to_string();
    let mut coded = coded.into_iter().map(|mut b| Arc::new(b.finish()) as ArrayRef);
    let times: ArrayRef = Arc::new((0..items as i64).map(|i| 1_790_000_000_000 + i).collect::<Int64Array>());
    let mut arrays: Vec<ArrayRef> =
        vec![Arc::new(ids.finish()), coded.next().expect("groups"), Arc::new(names.finish()), times.clone(), times];
    arrays.push(Arc::new(note.finish()));
    arrays.extend(coded);
    arrays.extend(numbers.into_iter().map(|mut b| Arc::new(b.finish()) as ArrayRef));
    arrays.extend(days.into_iter().map(|mut b| Arc::new(b.finish()) as ArrayRef));
    arrays.push(Arc::new(ready.finish()));
    let name = |i: usize| match ["id", "groupId", "name", "createdAt", "updatedAt"].get(i) {
        Some(name) => (*name).to_owned(),
        None => format!("c{}", i - 5),
    };
    let fields: Vec<Field> =
        arrays.iter().enumerate().map(|(i, a)| Field::new(name(i), a.data_type().clone(), true)).collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, HashMap::from([("board".to_owned(), head)])));
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).expect("schema");
    writer.write(&RecordBatch::try_new(schema, arrays).expect("batch")).expect("write");
    let stream = writer.into_inner().expect("stream");
    let mut engine = Engine::new();
    engine.load(&stream).expect("a board");
    Data { stream, rows, engine }
}

/// A status, a person and a span of dates; then a sum and a chart of sums by status and of counts by person.
fn question() -> Query {
    let rule = |col: &str, kind: &str, op: &str, value| json!({"id": col, "col": {"by": "title", "title": col, "type": kind}, "op": op, "value": value});
    let all = vec![
        rule("c1", "status", "anyOf", json!(["label l0", "label l1", "label l2"])),
        rule("c3", "people", "noneOf", json!(["m7"])),
        rule("c9", "date", "between", json!(["2024-12-01", "2026-06-01"])),
    ];
    let widgets = vec![
        json!({"id": "sum", "kind": "numbers", "cols": {"value": {"b": ["c6"]}}}),
        json!({"id": "status", "kind": "chart", "y": {"function": "sum"}, "cols": {"x": {"b": ["c1"]}, "y": {"b": ["c6"]}}}),
        json!({"id": "people", "kind": "chart", "cols": {"x": {"b": ["c3"]}}}),
    ];
    serde_json::from_value(json!({"boards": ["b"], "filters": {"v": 1, "all": all}, "widgets": widgets}))
        .expect("a query")
}

#[divan::bench(args = SIZES)]
fn engine_query(bencher: Bencher<'_, '_>, items: usize) {
    let (data, query) = (data(items), question());
    bencher.bench(|| data.engine.query(&query));
}

#[divan::bench(args = SIZES)]
fn row_objects(bencher: Bencher<'_, '_>, items: usize) {
    let data = data(items);
    bencher.bench(|| {
        let passing: Vec<&Row> = data
            .rows
            .iter()
            .filter(|row| matches!(row.status.as_deref(), Some("l0" | "l1" | "l2")))
            .filter(|row| !row.people.iter().any(|p| p == "m7"))
            .filter(|row| row.due.is_some_and(|due| (20_058..=20_605).contains(&due)))
            .collect();
        let sum: f64 = passing.iter().filter_map(|row| row.amount).sum();
        let mut by_status: HashMap<&str, f64> = HashMap::new();
        let mut by_person: HashMap<&str, u64> = HashMap::new();
        for row in &passing {
            *by_status.entry(row.status.as_deref().unwrap_or("")).or_default() += row.amount.unwrap_or(0.0);
            row.people.iter().for_each(|person| *by_person.entry(person).or_default() += 1);
        }
        (sum, by_status, by_person)
    });
}

#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn load(bencher: Bencher<'_, '_>, items: usize) {
    let data = data(items);
    bencher.bench(|| Engine::new().load(&data.stream));
}

/// The rules above, then an order by a date and by the names.
fn view_of(steps: &[&str], totals: bool) -> ViewQuery {
    let rule = |col: &str, kind: &str, op: &str, value| json!({"id": col, "col": {"by": "title", "title": col, "type": kind}, "op": op, "value": value});
    let all = vec![rule("c0", "text", "contains", json!("words")), rule("c9", "date", "after", json!("2024-12-01"))];
    let sort: Vec<_> = steps.iter().map(|id| json!({"columnId": id})).collect();
    let asked = json!({"boards": ["b"], "filters": {"v": 1, "all": all}, "sort": sort, "totals": totals});
    serde_json::from_value(asked).expect("a view")
}

/// The first time that a column is sorted by its order is made; the steps after it only move rows.
#[divan::bench(args = SIZES, sample_count = 5, sample_size = 1)]
fn view_first_sort(bencher: Bencher<'_, '_>, items: usize) {
    let (data, asked) = (data(items), view_of(&["name"], false));
    let fresh = || {
        let mut engine = Engine::new();
        engine.load(&data.stream).expect("a board");
        engine
    };
    bencher.with_inputs(fresh).bench_local_refs(|engine| engine.view(&asked));
}

#[divan::bench(args = SIZES)]
fn view_filter_sort(bencher: Bencher<'_, '_>, items: usize) {
    let (data, asked) = (data(items), view_of(&["c9", "name"], false));
    let mut engine = Engine::new();
    engine.load(&data.stream).expect("a board");
    bencher.bench_local(|| engine.view(&asked));
}

#[divan::bench(args = SIZES)]
fn view_totals(bencher: Bencher<'_, '_>, items: usize) {
    let (data, asked) = (data(items), view_of(&[], true));
    let mut engine = Engine::new();
    engine.load(&data.stream).expect("a board");
    bencher.bench_local(|| engine.view(&asked));
}
