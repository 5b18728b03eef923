//! Numbers, charts and states.

use super::{NOW, ask, board, column, engine, stream};
use crate::{Engine, Query};
use serde_json::{Value, json};

fn points(id: &str, settings: Value, values: &[Value]) -> Value {
    let cells: Vec<Value> = values.iter().map(|v| json!({"n": v})).collect();
    board(id, vec![column("n", "Points", "number", settings)], &cells)
}

fn number(boards: &[Value], function: &str) -> Value {
    let by_board: Value = boards
        .iter()
        .map(|b| (b["board"]["id"].as_str().unwrap().to_owned(), json!(["n"])))
        .collect::<serde_json::Map<_, _>>()
        .into();
    ask(boards, json!({}), json!({"id": "w", "kind": "numbers", "function": function, "cols": {"value": by_board}}))
}

#[test]
fn functions_pool_all_boards() {
    let boards = [
        points("a", json!({}), &[json!(1), json!(2), json!(null)]),
        points("b", json!({}), &[json!(0.1), json!(2), json!(40)]),
    ];
    let cases = [
        ("sum", 45.1),
        ("average", 9.02),
        ("median", 2.0),
        ("min", 0.1),
        ("max", 40.0),
        ("count", 6.0),
        ("countFilled", 5.0),
        ("distinct", 4.0),
    ];
    for (function, value) in cases {
        assert_eq!(number(&boards, function)["result"]["value"], json!(value), "{function}");
    }
    let coverage = &number(&boards, "average")["coverage"];
    assert_eq!((&coverage["itemsUsed"], &coverage["itemsSkipped"]), (&json!(5), &json!(1)));
    assert_eq!(coverage["skippedWhy"], json!([{"reason": "empty-value", "items": 1}]));
}

#[test]
fn sums_are_exact() {
    let tenths: Vec<Value> = vec![json!(0.1); 1000];
    assert_eq!(number(&[points("a", json!({}), &tenths)], "sum")["result"]["value"], 100.0);
    // Not decimals of four places: compensated.
    let floats = [json!(1e16), json!(1.0 / 3.0), json!(-1e16)];
    assert_eq!(number(&[points("a", json!({}), &floats)], "sum")["result"]["value"], 1.0 / 3.0);
    let huge = [json!(f64::MAX), json!(f64::MAX)];
    let answer = number(&[points("a", json!({}), &huge)], "sum");
    assert_eq!((&answer["result"]["value"], &answer["reasons"]), (&json!(null), &json!(["too-large"])));
    assert_eq!(number(&[points("a", json!({}), &huge)], "median")["result"]["value"], f64::MAX);
}

#[test]
fn currencies_are_never_added_silently() {
    let (usd, eur) = (json!({"currency": "USD"}), json!({"currency": "EUR"}));
    let boards = [points("a", usd.clone(), &[json!(1200)]), points("b", usd.clone(), &[json!(34)])];
    assert_eq!(number(&boards, "sum")["result"]["text"], "$1.2K");
    let boards = [points("a", usd, &[json!(1200)]), points("b", eur, &[json!(34)])];
    let answer = number(&boards, "sum");
    assert_eq!((&answer["result"]["text"], &answer["reasons"]), (&json!("1.2K"), &json!(["mixed-units"])));
}

#[test]
fn a_chosen_currency_is_not_that_of_several() {
    let text = |first: Value, second: Value| {
        let boards = [points("a", first, &[json!(1200)]), points("b", second, &[json!(34)])];
        let widget = json!({"id": "w", "kind": "numbers", "function": "sum", "format": {"currency": "USD"}});
        let answer = ask(&boards, json!({}), widget);
        (answer["result"]["text"].clone(), answer["reasons"].clone())
    };
    let (usd, eur) = (json!({"currency": "USD"}), json!({"currency": "EUR"}));
    assert_eq!(text(usd.clone(), eur), (json!("1.2K"), json!(["mixed-units"])));
    assert_eq!(text(usd, json!({})), (json!("$1.2K"), json!(["mixed-units"])));
}

#[test]
fn a_ratio_is_of_the_passing_items() {
    let boards = [points("a", json!({}), &[json!(1), json!(2), json!(3), json!(null)])];
    let rule = json!({"id": "r", "col": {"by": "title", "title": "points", "type": "number"}, "op": ">", "value": 1});
    let ratio = json!({"id": "w", "kind": "numbers", "ratio": {"rules": [rule]}});
    assert_eq!(ask(&boards, json!({}), ratio.clone())["result"]["text"], "50%");
    assert_eq!(ask(&[points("a", json!({}), &[])], json!({}), ratio)["result"]["text"], "—");
}

#[test]
fn items_of_a_board_without_the_column_do_not_meet_the_rules_of_a_share() {
    let mut other = points("b", json!({}), &[json!(5), json!(6)]);
    other["columns"][0]["title"] = json!("Hours");
    let boards = [points("a", json!({}), &[json!(1), json!(2)]), other];
    let rule = |title: &str| json!({"id": title, "col": {"by": "title", "title": title, "type": "number"}, "op": ">", "value": 1});
    let share = |rules: Value| {
        let ratio = json!({"id": "w", "kind": "numbers", "ratio": {"rules": rules}});
        ask(&boards, json!({}), ratio)["result"]["text"].clone()
    };
    assert_eq!(share(json!([rule("Points")])), "25%");
    // One of several is enough, on either board.
    assert_eq!(share(json!([{"any": [rule("Points"), rule("Hours")]}])), "75%");
    let per = json!({"id": "w", "kind": "numbers", "function": "count", "per": {"rules": [rule("Points")]}});
    assert_eq!(ask(&boards, json!({}), per)["result"]["per"], 1);
}

#[test]
fn a_number_is_divided_by_the_items_that_meet_its_rules() {
    let usd = || json!({"currency": "USD"});
    let boards = [points("a", usd(), &[json!(1), json!(2), json!(3)]), points("b", usd(), &[json!(4), json!(null)])];
    let rule = |op: &str, value: Value| json!({"id": "r", "col": {"by": "title", "title": "points", "type": "number"}, "op": op, "value": value});
    let per = |function: &str, rule: Value| {
        ask(&boards, json!({}), json!({"id": "w", "kind": "numbers", "function": function, "per": {"rules": [rule]}}))
    };
    let told = |answer: &Value| {
        let result = &answer["result"];
        json!([answer["state"]["name"], result["value"], result["text"], result["per"], answer["reasons"]])
    };
    let sum = per("sum", rule(">", json!(2)));
    assert_eq!(told(&sum), json!(["ok", 5.0, "$5", 2, []]));
    assert_eq!((&sum["coverage"]["itemsUsed"], &sum["coverage"]["itemsSkipped"]), (&json!(4), &json!(1)));
    assert_eq!(sum["coverage"]["reach"], json!([{"rule": "r", "boards": 2, "of": 2, "own": "per"}]));
    // An item without a value divides too where it meets the rules.
    assert_eq!(told(&per("count", rule("isEmpty", json!(null)))), json!(["ok", 5.0, "5", 1, []]));
    assert_eq!(told(&per("sum", rule(">", json!(9)))), json!(["no-values", null, "—", 0, ["none-met"]]));
    // A rule that constrains nothing would divide by all items.
    assert_eq!(told(&per("sum", rule("about", json!(2)))), json!(["no-values", null, "—", 5, ["inert-rules"]]));
}

#[test]
fn a_charts_whole_is_written_as_a_number_of_its_own_and_its_parts_tell_their_spans() {
    let usd = points("a", json!({"currency": "USD"}), &[json!(1000), json!(234.5)]);
    let chart = |more: Value| {
        let mut widget = json!({"id": "w", "kind": "chart", "x": {"by": "board"}, "y": {"function": "sum"}, "cols": {"y": {"a": ["n"]}}});
        widget.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ask(std::slice::from_ref(&usd), json!({}), widget)["result"].clone()
    };
    let number = ask(std::slice::from_ref(&usd), json!({}), json!({"id": "w", "kind": "numbers"}))["result"].clone();
    let donut = chart(json!({"variant": "donut"}));
    assert_eq!(donut["total"], json!({"value": 1234.5, "text": number["text"], "full": number["full"]}));
    assert!(number["text"].as_str().unwrap().starts_with('$'), "{number}");
    assert_eq!(donut.get("seriesBucket"), None);
    let stacked = |more: Value| chart(json!({"z": more}))["seriesBucket"].clone();
    assert_eq!(stacked(json!({"by": "created", "bucket": "day"})), "day");
    assert_eq!(stacked(json!({"by": "created"})), "month");
}

#[test]
fn states() {
    let full = points("a", json!({}), &[json!(1), json!(null)]);
    let state = |boards: &[Value], filters: Value, widget: Value| ask(boards, filters, widget)["state"].clone();
    let sum = json!({"id": "w", "kind": "numbers", "cols": {"value": {"a": ["n"], "b": []}}});
    let average = json!({"id": "w", "kind": "numbers", "function": "average", "cols": {"value": {"a": ["n"]}}});
    let none =
        json!({"v": 1, "all": [{"id": "r", "col": {"by": "builtin", "name": "name"}, "op": "is", "value": "x"}]});
    assert_eq!(state(&[], json!({}), sum.clone()), json!({"name": "no-boards"}));
    assert_eq!(
        state(&[points("b", json!({}), &[])], json!({}), sum.clone()),
        json!({"name": "unmapped", "roles": ["value"]})
    );
    assert_eq!(state(&[points("a", json!({}), &[])], json!({}), sum.clone()), json!({"name": "no-items"}));
    assert_eq!(
        state(std::slice::from_ref(&full), none.clone(), sum.clone()),
        json!({"name": "all-filtered", "total": 2})
    );
    assert_eq!(state(std::slice::from_ref(&full), json!({}), sum.clone()), json!({"name": "ok"}));
    // Whose rules let nothing pass is said: those of the dashboard, or else the widget's own.
    let why = |filters: Value| {
        let mut own = sum.clone();
        own["rules"] = none["all"].clone();
        let answer = ask(std::slice::from_ref(&full), filters, own);
        assert_eq!(answer["state"], json!({"name": "all-filtered", "total": 2}));
        answer["reasons"].clone()
    };
    assert_eq!((why(json!({})), why(none.clone())), (json!(["own-rules"]), json!([])));
    let empty = [points("a", json!({}), &[json!(null)])];
    assert_eq!(state(&empty, json!({}), average), json!({"name": "no-values"}));
    let answer = ask(&empty, json!({}), sum.clone());
    assert_eq!(
        (&answer["state"]["name"], &answer["result"]["value"], &answer["result"]["caption"]),
        (&json!("ok"), &json!(0.0), &json!("no values"))
    );
    assert_eq!(state(&empty, json!({}), json!({"id": "w", "kind": "clock"}))["message"], "unknown kind \"clock\"");

    let query = |query: Value| {
        let query: Query = serde_json::from_value(query).unwrap();
        serde_json::to_value(&engine(std::slice::from_ref(&full)).query(&query).widgets[0]).unwrap()
    };
    assert_eq!(
        query(json!({"boards": ["a", "z"], "widgets": [sum]}))["state"],
        json!({"name": "loading", "boards": ["z"]})
    );
    assert_eq!(
        query(json!({"boards": ["z"], "failed": ["z"], "widgets": [sum]}))["state"],
        json!({"name": "error", "boards": ["z"]})
    );
    let partly = query(json!({"boards": ["a", "z"], "failed": ["z"], "widgets": [sum]}));
    assert_eq!(
        (&partly["state"]["name"], &partly["coverage"]["boardsUsed"], &partly["coverage"]["boardsTotal"]),
        (&json!("ok"), &json!(1), &json!(2))
    );
}

fn tasks(id: &str, labels: Value, cells: &[Value]) -> Value {
    let columns = vec![
        column("s", "Status", "status", json!({"labels": labels})),
        column("p", "Owner", "people", json!({})),
        column("d", "Due", "date", json!({})),
        column("n", "Points", "number", json!({})),
    ];
    board(id, columns, cells)
}

fn sample() -> [Value; 2] {
    let first = json!([{"id": "1", "text": "To do", "color": "red"}, {"id": "2", "text": "Done", "color": "green"}]);
    let second = json!([{"id": "9", "text": " DONE", "color": "blue"}, {"id": "8", "text": "Stuck"}]);
    let a = [
        json!({"s": "2", "p": ["m1"], "d": "2026-01-31", "n": 3}),
        json!({"s": "1", "p": ["m1", "m2"], "d": "2026-03-01", "n": 1}),
        json!({"p": [], "n": 5}),
    ];
    let b = [json!({"s": "9", "p": ["m2"], "d": "2026-03-02", "n": 2}), json!({"s": "8", "d": "2026-03-31"})];
    [tasks("a", first, &a), tasks("b", second, &b)]
}

/// `label=value` of each category of the first series.
fn chart(extra: Value) -> (String, Value) {
    chart_of(&sample(), extra)
}

fn chart_of(boards: &[Value], extra: Value) -> (String, Value) {
    let both = |id: &str| json!({"a": [id], "b": [id]});
    let mut widget = json!({"id": "w", "kind": "chart", "cols": {"x": both("s"), "y": both("n"), "z": both("p")}});
    if let Some(x) = extra.get("xColumn").and_then(Value::as_str) {
        widget["cols"]["x"] = both(x);
    }
    extra.as_object().unwrap().iter().for_each(|(k, v)| widget[k] = v.clone());
    let answer = ask(boards, json!({}), widget);
    let result = &answer["result"];
    let lines = result["series"].as_array().map(Vec::as_slice).unwrap_or_default().iter().map(|series| {
        let categories = result["categories"].as_array().unwrap().iter().zip(series["texts"].as_array().unwrap());
        categories
            .map(|(c, v)| format!("{}={}", c["label"].as_str().unwrap(), v.as_str().unwrap()))
            .collect::<Vec<_>>()
            .join(" ")
    });
    (lines.collect::<Vec<_>>().join(" | "), answer.clone())
}

#[test]
fn labels_of_boards_are_one() {
    let (text, answer) = chart(json!({}));
    assert_eq!(text, "To do=1 Done=2 Stuck=1 (empty)=1");
    assert_eq!(
        answer["result"]["categories"][1],
        json!({"key": "done", "label": "Done", "kind": "value", "color": "green"})
    );
    assert_eq!(chart(json!({"hideEmpty": true})).0, "To do=1 Done=2 Stuck=1");
    assert_eq!(
        chart(json!({"hideEmpty": true})).1["coverage"]["skippedWhy"],
        json!([{"reason": "empty-category", "items": 1}])
    );
}

#[test]
fn measures() {
    let by = |function: &str| chart(json!({"y": {"function": function}})).0;
    assert_eq!(by("sum"), "To do=1 Done=5 Stuck=0 (empty)=5");
    assert_eq!(by("average"), "To do=1 Done=2.5 Stuck=— (empty)=5");
    assert_eq!(by("median"), "To do=1 Done=2.5 Stuck=— (empty)=5");
    assert_eq!(by("min"), "To do=1 Done=2 Stuck=— (empty)=5");
    assert_eq!(by("max"), "To do=1 Done=3 Stuck=— (empty)=5");
}

#[test]
fn sorting() {
    let by = |sort: &str| chart(json!({"sort": sort, "y": {"function": "sum"}})).0;
    assert_eq!(by("xAsc"), "Done=5 Stuck=0 To do=1 (empty)=5");
    assert_eq!(by("xDesc"), "To do=1 Stuck=0 Done=5 (empty)=5");
    assert_eq!(by("yAsc"), "Stuck=0 To do=1 (empty)=5 Done=5");
    assert_eq!(by("yDesc"), "(empty)=5 Done=5 To do=1 Stuck=0");
}

#[test]
fn an_item_counts_for_each_of_its_people() {
    let (text, answer) = chart(json!({"xColumn": "p"}));
    assert_eq!(text, "Ada=2 Bo=2 (empty)=2");
    assert_eq!(answer["result"]["footnotes"], json!([{"code": "multi-value", "items": 5, "counted": 6}]));
    let (text, answer) = chart(json!({"xColumn": "p", "multi": "split"}));
    assert_eq!(text, "Ada=1.5 Bo=1.5 (empty)=2");
    assert_eq!(answer["result"]["footnotes"], json!([]));
}

#[test]
fn parts_of_a_whole() {
    let (text, answer) = chart(json!({"variant": "pie", "y": {"function": "sum"}, "z": {"by": "column"}}));
    // What is zero is no part, and a whole has no stacks.
    assert_eq!(text, "To do=1 Done=5 (empty)=5");
    assert_eq!(
        (&answer["result"]["percents"], &answer["result"]["total"]["value"]),
        (&json!([9, 46, 45]), &json!(11.0))
    );
    let third = |n: u64| json!({"s": "1", "n": n});
    let three = [
        tasks("a", json!([{"id": "1", "text": "A"}]), &[third(1)]),
        tasks("b", json!([]), &[json!({"n": 1}), json!({"s": "x", "n": 1})]),
    ];
    let percents = chart_of(&three, json!({"variant": "donut"})).1["result"]["percents"].clone();
    assert_eq!(percents.as_array().unwrap().iter().map(|p| p.as_u64().unwrap()).sum::<u64>(), 100);

    let negative = [tasks("a", json!([]), &[json!({"s": "x", "n": -1}), json!({"n": 3})]), tasks("b", json!([]), &[])];
    let (_, answer) = chart_of(&negative, json!({"variant": "pie", "y": {"function": "sum"}}));
    assert_eq!((&answer["state"]["name"], &answer["reasons"]), (&json!("no-values"), &json!(["negative-pie"])));
    let average = chart(json!({"variant": "pie", "y": {"function": "average"}})).1;
    assert_eq!(average["state"]["message"], "a pie can show only counts and sums");

    let cells: Vec<Value> = (0..12).map(|i| json!({"t": format!("T{i}")})).collect();
    let many = board("a", vec![column("t", "Topic", "text", json!({}))], &cells);
    let (text, _) = chart_of(&[many], json!({"xColumn": "t", "variant": "pie"}));
    assert!(text.ends_with(" T9=1 Other (2)=2"), "{text}");
}

#[test]
fn lines_can_cumulate() {
    let line = |extra: Value| {
        let mut config = json!({"variant": "line", "xColumn": "d", "x": {"bucket": "month"}, "y": {"function": "sum"}});
        extra.as_object().unwrap().iter().for_each(|(k, v)| config[k] = v.clone());
        chart(config).0
    };
    assert_eq!(line(json!({})), "2026-01=3 2026-02=0 2026-03=3 (empty)=5");
    assert_eq!(line(json!({"cumulative": true})), "2026-01=3 2026-02=3 2026-03=6 (empty)=5");
    let stacked = line(json!({"cumulative": true, "z": {"by": "board"}}));
    assert_eq!(stacked, "2026-01=3 2026-02=3 2026-03=4 (empty)=5 | 2026-01=0 2026-02=0 2026-03=2 (empty)=0");
    let average = chart(json!({"cumulative": true, "y": {"function": "average"}})).1;
    assert_eq!(average["state"]["message"], "only counts and sums can be cumulative");
    // Labels have no before.
    assert_eq!(chart(json!({"cumulative": true})).0, "To do=1 Done=2 Stuck=1 (empty)=1");
}

#[test]
fn the_items_of_a_chart_are_those_that_it_counts() {
    let chart = |extra: Value| {
        let (_, answer) = chart(extra.clone());
        let both = |id: &str| json!({"a": [id], "b": [id]});
        let x = extra["xColumn"].as_str().unwrap_or("s");
        let mut widget = json!({"id": "w", "kind": "chart", "cols": {"x": both(x), "y": both("n"), "z": both("p")}});
        extra.as_object().unwrap().iter().for_each(|(k, v)| widget[k] = v.clone());
        (answer, widget)
    };
    let told = |extra: Value, x: Option<usize>| {
        let (answer, widget) = chart(extra);
        let category = |at: usize| json!({"x": answer["result"]["categories"][at]});
        let names = super::sprints::behind(&sample(), &widget, x.map_or(json!({}), category));
        let count = x.map_or(&answer["coverage"]["itemsUsed"], |at| &answer["result"]["series"][0]["items"][at]);
        assert_eq!(json!(names.split_whitespace().count()), *count, "{names}");
        names
    };
    // The one item that is stuck has no number.
    for function in ["sum", "average", "median", "min", "max", "countFilled", "distinct"] {
        let of = |x| told(json!({"y": {"function": function}}), x);
        assert_eq!((of(Some(1)), of(Some(2)), of(None)), ("a-0 b-0".into(), String::new(), "a-0 a-1 a-2 b-0".into()));
    }
    assert_eq!(told(json!({}), Some(2)), "b-1");
    assert_eq!(told(json!({"hideEmpty": true}), None), "a-0 a-1 b-0 b-1");
    // Each span has those before it behind it, too, where its value has.
    let months = |cumulative: bool| {
        let months =
            json!({"xColumn": "d", "x": {"bucket": "month"}, "y": {"function": "sum"}, "cumulative": cumulative});
        [0, 1, 2, 3].map(|at| told(months.clone(), Some(at)))
    };
    assert_eq!(months(false), ["a-0", "", "a-1 b-0", "a-2"]);
    assert_eq!(months(true), ["a-0", "a-0", "a-0 a-1 b-0", "a-2"]);
}

#[test]
fn stacks() {
    let (text, answer) = chart(json!({"z": {"by": "column"}}));
    assert_eq!(
        text,
        "To do=1 Done=1 Stuck=0 (empty)=0 | To do=1 Done=1 Stuck=0 (empty)=0 | To do=0 Done=0 Stuck=1 (empty)=1"
    );
    assert_eq!(answer["result"]["series"][1]["label"], "Bo");
    assert_eq!(
        chart(json!({"z": {"by": "board"}})).0,
        "To do=1 Done=1 Stuck=0 (empty)=1 | To do=0 Done=1 Stuck=1 (empty)=0"
    );
}

#[test]
fn dates() {
    let months = json!({"xColumn": "d", "x": {"bucket": "month"}});
    assert_eq!(chart(months.clone()).0, "2026-01=1 2026-02=0 2026-03=3 (empty)=1");
    let mut average = months;
    average["y"] = json!({"function": "average"});
    assert_eq!(chart(average).0, "2026-01=3 2026-02=— 2026-03=1.5 (empty)=5");
    assert_eq!(chart(json!({"xColumn": "d", "x": {"bucket": "quarter"}})).0, "2026 Q1=4 (empty)=1");
    assert_eq!(chart(json!({"x": {"by": "created", "bucket": "week"}})).0, "2026-11-16=5");
    let far = [tasks("a", json!([]), &[json!({"d": "2020-01-01"}), json!({"d": "2026-01-01"})])];
    let (text, answer) = chart_of(&far, json!({"xColumn": "d", "x": {"bucket": "day"}}));
    assert!(text.starts_with("2019-12-30=1 "), "{text}");
    assert_eq!(answer["result"]["footnotes"], json!([{"code": "coarser-bucket", "asked": "day", "used": "week"}]));
    // The week of that Thursday begins in January.
    let farther = [tasks("a", json!([]), &[json!({"d": "2018-02-01"}), json!({"d": "2026-01-01"})])];
    let (text, _) = chart_of(&farther, json!({"xColumn": "d", "x": {"bucket": "week"}}));
    assert!(text.starts_with("2018-02=1 2018-03=0 "), "{text}");
}

#[test]
fn the_rest_is_other() {
    let cells: Vec<Value> = (0..60).flat_map(|i| vec![json!({"t": format!("T{i}")}); 1 + i % 3]).collect();
    let many = board("a", vec![column("t", "Topic", "text", json!({}))], &cells);
    let (text, answer) = chart_of(&[many], json!({"xColumn": "t"}));
    let categories = answer["result"]["categories"].as_array().unwrap();
    assert_eq!((categories.len(), &categories[50]["kind"]), (51, &json!("other")));
    assert!(text.starts_with("T0=1 T1=2 T2=3 T3=1 ") && text.ends_with(" Other (10)=10"), "{text}");
}

#[test]
fn groups_boards_names_and_checkboxes() {
    assert_eq!(chart(json!({"x": {"by": "board"}})).0, "Board a=3 Board b=2");
    assert_eq!(chart(json!({"x": {"by": "group"}})).0, "Main=5");
    assert_eq!(chart(json!({"x": {"by": "name"}})).0, "Item 0=2 Item 1=2 Item 2=1");
    let ready = board(
        "a",
        vec![column("c", "Ready", "checkbox", json!({}))],
        &[json!({"c": true}), json!({}), json!({"c": false})],
    );
    assert_eq!(chart_of(&[ready], json!({"xColumn": "c"})).0, "Checked=1 Not checked=2");
}

#[test]
fn roles_are_mapped_by_title_and_type() {
    let number = |id: &str, title: &str| column(id, title, "number", json!({}));
    let one = board("a", vec![number("n1", "Points")], &[]);
    let two = board("b", vec![number("n2", "Hours"), number("n3", " POINTS")], &[]);
    let none = board("c", vec![column("t", "Points", "text", json!({}))], &[]);
    let unclear = board("d", vec![number("n4", "Cost"), number("n5", "Hours")], &[]);
    let engine = engine(&[one, two, none, unclear]);
    let ids: Vec<String> = ["b", "a", "c", "d"].map(str::to_owned).into();
    let map = |cols: Value| json!(engine.auto_map(&ids, &json!({"id": "w", "kind": "numbers", "cols": cols})).unwrap());
    // Nothing says which of the two of b: a's only one gives the title, for the others too.
    assert_eq!(map(json!({})), json!({"value": {"a": ["n1"], "b": ["n3"]}}));
    assert_eq!(map(json!({"value": {"a": ["n1"]}})), json!({"value": {"a": ["n1"], "b": ["n3"]}}));
    assert_eq!(map(json!({"value": {"b": ["n2"]}})), json!({"value": {"a": ["n1"], "b": ["n2"], "d": ["n5"]}}));
    // None of a board's is a choice as well.
    assert_eq!(map(json!({"value": {"b": [], "d": ["n4"]}})), json!({"value": {"a": ["n1"], "b": [], "d": ["n4"]}}));
}

#[test]
fn columns_are_first_looked_for_on_boards_with_items() {
    let number = |id: &str, title: &str| column(id, title, "number", json!({}));
    let empty = board("a", vec![number("n1", "Estimate")], &[]);
    let full = board("b", vec![number("n2", "Hours"), number("n3", "Cost")], &[json!({"n2": 3, "n3": 5})]);
    let sum = |boards: &[Value]| {
        let answer = ask(boards, json!({}), json!({"id": "w", "kind": "numbers", "function": "sum"}));
        (answer["state"]["name"].clone(), answer["result"]["text"].clone())
    };
    assert_eq!(sum(&[empty.clone(), full]), (json!("ok"), json!("3")));
    assert_eq!(sum(&[empty]).0, "no-items");
}

#[test]
fn columns_are_found_while_computing_and_named() {
    let number = |id: &str, title: &str| column(id, title, "number", json!({}));
    let one = board("a", vec![number("n1", "Hours"), number("n2", "Cost")], &[json!({"n1": 3, "n2": 5})]);
    let two = board("b", vec![number("n3", " cost"), number("n4", "Size")], &[json!({"n3": 10})]);
    let boards = [one, two];
    let sum = |cols: Value| {
        let answer = ask(&boards, json!({}), json!({"id": "w", "kind": "numbers", "function": "sum", "cols": cols}));
        (answer["result"]["text"].clone(), answer["cols"].clone())
    };
    assert_eq!(sum(json!({})), (json!("3"), json!({"value": {"a": ["n1"]}})));
    assert_eq!(sum(json!({"value": {"a": ["n2"]}})), (json!("15"), json!({"value": {"a": ["n2"], "b": ["n3"]}})));
    assert_eq!(sum(json!({"value": {"a": ["n2"], "b": []}})), (json!("5"), json!({"value": {"a": ["n2"]}})));
    // A column that is gone is not replaced by another in silence.
    assert_eq!(sum(json!({"value": {"a": ["gone"], "b": ["n4"]}})), (json!("0"), json!({"value": {"b": ["n4"]}})));
}

#[test]
fn what_was_stored_in_older_forms_means_the_same() {
    let boards = [points("a", json!({"currency": "USD"}), &[json!(1_500), json!(500)])];
    let text = |settings: Value| {
        let mut config = json!({"id": "w", "kind": "numbers"});
        config.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        ask(&boards, json!({}), config)["result"]["text"].clone()
    };
    assert_eq!(text(json!({"fn": "sum", "unit": "auto", "format": "number", "abbreviate": true})), "$2K");
    assert_eq!(text(json!({"fn": "max", "unit": null, "format": "percent", "abbreviate": false})), "1,500%");
    assert_eq!(text(json!({"fn": "sum", "unit": {"symbol": "pt", "place": "right"}})), "2K pt");
    let modern = |kind: &str, mut settings: Value| {
        settings["kind"] = json!(kind);
        ask(&boards, json!({}), settings).get("settings").cloned()
    };
    assert_eq!(
        modern("chart", json!({"y": {"fn": "sum"}, "sort": "y-desc", "abbreviate": false, "theirs": 1})),
        Some(json!({"y": {"function": "sum"}, "sort": "yDesc", "format": {"abbreviate": false}, "theirs": 1}))
    );
    for present in [json!({"function": "sum", "format": {"unit": "h"}}), json!({"sort": "label", "y": 3}), json!({})] {
        assert_eq!((modern("numbers", present.clone()), modern("chart", present)), (None, None));
    }
    // Kinds of others are left as they are.
    assert_eq!(modern("gantt", json!({"fn": 1, "abbreviate": true})), None);
}

#[test]
fn a_board_is_replaced_and_forgotten() {
    let mut engine = Engine::new();
    engine.load(&stream(&points("a", json!({}), &[json!(1)]))).unwrap();
    assert_eq!(engine.load(&stream(&points("a", json!({}), &[json!(1), json!(2)]))).unwrap().items, 2);
    assert!(engine.load(b"no board").is_err());
    let query: Query = serde_json::from_value(
        json!({"boards": ["a"], "widgets": [{"id": "w", "kind": "numbers", "function": "count"}], "now": NOW}),
    )
    .unwrap();
    assert_eq!(engine.query(&query).widgets[0].result.as_ref().expect("a result").value()["value"], 2.0);
    assert!(engine.unload("a") && !engine.unload("a"));
}

#[test]
fn the_empty_category_and_the_first_of_all_days_are_told_apart() {
    let days = [json!({"d": "1970-01-01"}), json!({}), json!({"d": "1970-01-02"})];
    let engine = engine(&[board("a", vec![column("d", "Day", "date", json!({}))], &days)]);
    let widget =
        json!([{"id": "w", "kind": "chart", "x": {"by": "column", "bucket": "day"}, "cols": {"x": {"a": ["d"]}}}]);
    let query: crate::Query = serde_json::from_value(json!({"boards": ["a"], "widgets": [], "now": NOW})).unwrap();
    let configs = widget.to_string();
    let first = json!(engine.ask(&query, &configs, 0));
    let labels = |category: &Value| category["label"].as_str().unwrap_or_default().to_owned();
    let whole: Vec<String> =
        first["widgets"][0]["result"]["categories"].as_array().unwrap().iter().map(labels).collect();
    // Whoever asks again is told them as pieces.
    let again = json!(engine.ask(&query, &configs, first["told"].as_u64().unwrap()));
    let pieces = again["pieces"].as_array().unwrap();
    let told = again["widgets"][0]["result"]["categories"].as_array().unwrap();
    let told: Vec<String> = told.iter().map(|at| labels(&pieces[at.as_u64().unwrap() as usize])).collect();
    assert_eq!(told, whole);
    assert!(whole.contains(&"(empty)".to_owned()) && whole.contains(&"1970-01-01".to_owned()), "{whole:?}");
}
