//! What an engine keeps from query to query beside an engine that has kept nothing: whatever was loaded, patched and asked before,
//! both answer alike.

use super::{NOW, board, column, stream};
use crate::{Engine, Filters, ItemsQuery, Query};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// What can happen to an engine.
#[derive(Clone, Debug)]
enum Step {
    /// A board is loaded with these cells.
    Load(usize, Vec<Value>),
    /// A patch gives labels other words, and takes the mark of being done from one to another.
    Rename(usize, String, bool),
    Unload(usize),
}

const DAY_MS: i64 = 86_400_000;

fn columns(words: &str, is_second_done: bool) -> Vec<Value> {
    let labels = json!([{"id": "l0", "text": words, "done": !is_second_done}, {"id": "l1", "text": "Busy", "done": is_second_done}, {"id": "l2", "text": "Last"}]);
    let sprints = json!([{"id": "s0", "text": "Sprint 1"}, {"id": "s1", "text": "Sprint 2"}]);
    vec![
        column("n", "Points", "number", json!({})),
        column("s", "Status", "status", json!({"labels": labels})),
        column("g", "Tags", "tags", json!({})),
        column("d", "Due", "date", json!({})),
        column("k", "Sprint", "dropdown", json!({"labels": sprints})),
        column("l", "Span", "timeline", json!({})),
        column("m", "Hours", "number", json!({})),
    ]
}

fn made(at: usize, cells: &[Value]) -> Value {
    let mut board = board(&format!("b{at}"), columns("Done", false), cells);
    for (index, item) in board["items"].as_array_mut().into_iter().flatten().enumerate() {
        item["createdAt"] = json!(NOW - (index as i64 % 40) * DAY_MS);
    }
    board
}

fn cells() -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        1 => Just(json!(null)),
        6 => (0..40i32).prop_map(|n| json!(f64::from(n) / 4.0)),
        1 => (-9..0i32).prop_map(|n| json!(n)),
        1 => Just(json!(0.123_456_7)),
    ];
    let tags = prop::sample::subsequence(vec!["red", "green", "blue"], 0..3);
    (number, prop::option::of(0..3usize), tags, prop::option::of(1..60i32), prop::option::of(0..2usize)).prop_map(
        |(n, s, g, d, k)| {
            let day = d.map(|d| crate::dates::iso(20_740 + d));
            let span = day.as_ref().map(|day| json!({"from": day, "to": day}));
            json!({"n": n, "s": s.map(|s| format!("l{s}")), "g": g, "d": day, "k": k.map(|k| format!("s{k}")), "l": span, "m": d})
        },
    )
}

fn rule() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(
            json!({"id": "r", "col": {"by": "title", "title": "Status", "type": "status"}, "op": "anyOf", "value": ["Busy", "Done"]})
        ),
        Just(
            json!({"id": "r", "col": {"by": "title", "title": "Tags", "type": "tags"}, "op": "hasNone", "value": ["red"]})
        ),
        Just(
            json!({"id": "r", "col": {"by": "title", "title": "Due", "type": "date"}, "op": "after", "value": "2026-11-01"})
        ),
        Just(json!({"id": "r", "col": {"by": "title", "title": "Due", "type": "date"}, "op": "overdue"})),
        Just(json!({"id": "r", "col": {"by": "builtin", "name": "name"}, "op": "contains", "value": "1"})),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => (0..3usize, prop::collection::vec(cells(), 0..120)).prop_map(|(at, cells)| Step::Load(at, cells)),
        2 => (0..3usize, "[a-c]{1,2}", any::<bool>()).prop_map(|(at, words, done)| Step::Rename(at, words, done)),
        1 => (0..3usize).prop_map(Step::Unload),
    ]
}

fn widgets() -> Value {
    let all =
        |id: &str| -> Value { (0..3).map(|at| (format!("b{at}"), json!([id]))).collect::<Map<String, Value>>().into() };
    let sprints = json!({"sprint": all("k"), "effort": all("n"), "done": all("s"), "date": all("d")});
    let spans = json!({"sprint": all("l"), "done": all("s"), "date": all("d")});
    let xy = |x: &str| json!({"x": all(x), "y": all("n")});
    // Sprints of the same days.
    let days = ["sprint 1", "sprint 2"].map(|key| json!({"key": key, "from": "2026-10-20", "to": "2026-12-01"}));
    let dated =
        |sprint: &str, cols: &Value| json!({"kind": "burndown", "sprint": sprint, "sprints": days, "cols": cols});
    let mut widgets = vec![
        json!({"kind": "chart", "cols": {"x": all("s")}}),
        json!({"kind": "chart", "y": {"function": "sum"}, "cols": xy("g")}),
        json!({"kind": "chart", "y": {"function": "median"}, "multi": "each", "cols": xy("g")}),
        json!({"kind": "chart", "y": {"function": "average"}, "x": {"bucket": "week"}, "cols": xy("d")}),
        json!({"kind": "chart", "x": {"by": "created", "bucket": "day"}, "z": {"by": "board"}}),
        json!({"kind": "chart", "x": {"by": "name"}}),
        json!({"kind": "chart", "z": {}, "cols": {"x": all("s"), "z": all("g")}}),
        json!({"kind": "velocity", "byBoard": true, "cols": sprints}),
        json!({"kind": "velocity", "onlyInside": true, "cols": sprints}),
        json!({"kind": "velocity", "cols": spans}),
        json!({"kind": "planned", "cols": sprints}),
        json!({"kind": "planned", "graceDays": 9, "cols": sprints}),
        json!({"kind": "burndown", "cols": sprints}),
        json!({"kind": "burndown", "graceDays": 9, "cols": sprints}),
        json!({"kind": "burndown", "cancelled": {"b0": ["l2"]}, "cols": sprints}),
        dated("sprint 1", &sprints),
        dated("sprint 2", &sprints),
        dated("sprint 2", &json!({"sprint": all("k"), "effort": all("m"), "done": all("s"), "date": all("d")})),
        json!({"kind": "battery", "cols": {"done": all("s"), "effort": all("n")}}),
        json!({"kind": "numbers", "function": "count"}),
    ];
    for function in ["sum", "median", "min", "max", "distinct"] {
        widgets.push(json!({"kind": "numbers", "function": function, "cols": {"value": all("n")}}));
    }
    for (at, widget) in widgets.iter_mut().enumerate() {
        widget["id"] = json!(format!("w{at}"));
    }
    widgets.into()
}

/// An engine to which all that happened, and which was asked nothing.
fn fresh(past: &[Step]) -> Engine {
    let mut engine = Engine::new();
    past.iter().for_each(|step| take(&mut engine, step));
    engine
}

fn take(engine: &mut Engine, step: &Step) {
    match step {
        Step::Load(at, cells) => drop(engine.load(&stream(&made(*at, cells))).expect("a board")),
        Step::Rename(at, words, done) => {
            let now = made(*at, &[]);
            let mut head = json!({"board": now["board"], "groups": now["groups"], "members": now["members"]});
            head["columns"] = columns(words, *done).into();
            // A board that is not loaded takes no patch.
            let _ = engine.patch(json!({"head": head, "items": [], "gone": []}).to_string().as_bytes());
        }
        Step::Unload(at) => drop(engine.unload(&format!("b{at}"))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn answers_as_if_nothing_was_kept(
        begin in prop::collection::vec(cells(), 100..200),
        steps in prop::collection::vec((step(), prop::collection::vec(rule(), 0..3), 0..3i64), 2..8),
    ) {
        let mut past = vec![Step::Load(0, begin)];
        let mut engine = fresh(&past);
        for (step, rules, later) in steps {
            take(&mut engine, &step);
            past.push(step);
            let other = fresh(&past);
            let boards = ["b0", "b1", "b2"];
            let failed: Vec<&str> = boards.into_iter().filter(|id| !other.boards.contains_key(*id)).collect();
            let mut query = json!({"boards": boards, "failed": failed, "filters": {"v": 1, "all": rules}, "widgets": widgets()});
            // Days go by, and the viewer is elsewhere.
            (query["now"], query["utcOffsetMinutes"]) = (json!(NOW + later * 9 * DAY_MS), json!(later * 700));
            let query: Query = serde_json::from_value(query).expect("a query");
            // What was kept for other filters serves these.
            engine.query(&Query { filters: Filters::default(), ..query.clone() });
            let answer = engine.query(&query);
            prop_assert_eq!(&answer, &other.query(&query));
            // What one widget has made is not taken for another's.
            let mut reversed = query.clone();
            reversed.widgets.reverse();
            let mut answers = fresh(&past).query(&reversed).widgets;
            answers.reverse();
            prop_assert_eq!(&answer.widgets, &answers);
            // A widget by itself shares no counts with others.
            for (at, kept) in answer.widgets.iter().enumerate() {
                let alone = Query { widgets: vec![query.widgets[at].clone()], ..query.clone() };
                prop_assert_eq!(kept, &other.query(&alone).widgets[0]);
            }
            let asked = ItemsQuery { widget: "w6".into(), part: Value::Null, offset: 0, limit: 1_000 };
            prop_assert_eq!(engine.items(&query, &asked), other.items(&query, &asked));
        }
    }
}
