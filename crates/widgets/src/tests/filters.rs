//! Each operator over one small board, and how rules act across boards.

use super::{NOW, ask, board, column, stream};
use crate::family::Family;
use crate::filter::Plan;
use crate::predicate::Predicate;
use crate::{Query, Sort, Table, operators, select, sorted};
use serde_json::{Value, json};

fn sample() -> Value {
    let labels = json!({"labels": [{"id": "l1", "text": "To do"}, {"id": "l2", "text": "Done", "done": true}]});
    let columns = vec![
        column("t", "Note", "text", json!({})),
        column("n", "Points", "number", json!({})),
        column("s", "Status", "status", labels),
        column("g", "Tags", "tags", json!({})),
        column("p", "Owner", "people", json!({})),
        column("d", "Due", "date", json!({})),
        column("c", "Ready", "checkbox", json!({})),
        column("l", "Plan", "timeline", json!({})),
    ];
    let cells = [
        json!({"t": "Café au lait", "n": 3, "s": "l1", "g": ["Red", "blue"], "p": ["m1"], "d": "2026-11-21", "c": true, "l": {"from": "2026-11-16", "to": "2026-11-20"}}),
        json!({"t": "cafe", "n": 3.5, "s": "l2", "g": ["red"], "p": ["m1", "m2"], "d": "2026-11-20", "c": false, "l": {"from": "2026-11-01", "to": "2026-11-15"}}),
        json!({"t": "Tea", "n": -1, "s": "l1", "g": ["green"], "p": ["m2"], "d": "2026-11-14", "l": {"from": "2026-11-20", "to": "2026-12-04"}}),
        json!({}),
        json!({"t": "  ", "n": 10, "s": "gone", "g": [], "p": [], "d": "2027-01-05", "c": true, "l": {"from": "2026-11-23", "to": "2026-11-23"}}),
    ];
    board("b", columns, &cells)
}

/// The rows that a rule lets pass, and why it is inert; a selection by itself says the same.
fn rows(board: &Value, entry: Value) -> Result<String, String> {
    let query =
        json!({"boards": ["b"], "filters": {"v": 1, "all": [entry]}, "now": NOW, "me": "m1", "teams": {"t1": ["m2"]}});
    let query: Query = serde_json::from_value(query).expect("a query");
    let table = Table::load(&stream(board)).expect("a board");
    let selected = select(&[&table], &query, &|| true);
    let board = crate::board::load(&stream(board)).expect("a board");
    let plan = Plan::new(&query, None, &query.filters.all, &[&board]);
    let (_, reach) = plan.select_while(&board, &|| true);
    assert_eq!((&selected.inert, &selected.reach), (&plan.inert, &plan.reach(&[&reach])));
    let mut rows = String::new();
    plan.select(&board).each(|row| rows += &row.to_string());
    assert_eq!(selected.rows[0].iter().map(u32::to_string).collect::<String>(), rows);
    assert!(selected.rows[0].iter().all(|row| table.item_id(*row) == format!("b-{row}")));
    match plan.inert.first() {
        Some(inert) => Err(inert.reason.clone()),
        None => Ok(rows),
    }
}

fn check(title: &str, type_name: &str, cases: &[(&str, Value, &str)]) {
    let board = sample();
    for (op, value, expected) in cases {
        let col = json!({"by": "title", "title": title, "type": type_name});
        let found = rows(&board, json!({"id": "r", "col": col, "op": op, "value": value}));
        let expected = if expected.contains('-') { Err((*expected).to_owned()) } else { Ok((*expected).to_owned()) };
        assert_eq!(found, expected, "{title} {op} {value}");
    }
}

#[test]
fn texts() {
    check(
        " note ",
        "text",
        &[
            ("contains", json!("CAFÉ"), "01"),
            ("contains", json!("cafe"), "01"),
            ("notContains", json!("cafe"), "234"),
            ("is", json!("CAFE"), "1"),
            ("isNot", json!("cafe"), "0234"),
            ("startsWith", json!("ca"), "01"),
            ("isEmpty", json!(null), "34"),
            ("isNotEmpty", json!(null), "012"),
            ("contains", json!(3), "wrong-value"),
            ("contains", json!(""), "no-value"),
            ("resembles", json!("x"), "unknown-operator"),
        ],
    );
}

#[test]
fn numbers() {
    check(
        "Points",
        "number",
        &[
            ("=", json!(3), "0"),
            ("!=", json!(3), "124"),
            (">", json!(3), "14"),
            (">=", json!(3), "014"),
            ("<", json!(3.5), "02"),
            ("<=", json!(3.5), "012"),
            ("between", json!([3, 3.5]), "01"),
            ("between", json!([5, 4]), ""),
            ("isEmpty", json!(null), "3"),
            ("isNotEmpty", json!(null), "0124"),
            (">", json!("3"), "wrong-value"),
            (">", json!(null), "no-value"),
        ],
    );
}

#[test]
fn labels_tags_people_checkboxes() {
    check(
        "Status",
        "dropdown",
        &[
            ("anyOf", json!(["TO DO"]), "02"),
            ("anyOf", json!(["done", "to do"]), "012"),
            ("noneOf", json!(["Done"]), "0234"),
            ("isEmpty", json!(null), "3"),
            ("isNotEmpty", json!(null), "0124"),
            ("anyOf", json!(["Stuck"]), "deleted-label"),
            ("anyOf", json!([]), "no-value"),
            ("anyOf", json!([1]), "wrong-value"),
        ],
    );
    check(
        "Tags",
        "tags",
        &[
            ("hasAny", json!(["RED"]), "01"),
            ("hasAll", json!(["red", "blue"]), "0"),
            ("hasNone", json!(["red"]), "234"),
            ("hasAny", json!(["violet"]), ""),
            ("isEmpty", json!(null), "34"),
        ],
    );
    check(
        "Owner",
        "people",
        &[
            ("anyOf", json!(["me"]), "01"),
            ("anyOf", json!(["m2", "none"]), "1234"),
            ("anyOf", json!({"teams": ["t1"]}), "12"),
            ("noneOf", json!(["me"]), "234"),
            ("anyOf", json!({"teams": ["t9"]}), "unknown-team"),
            ("isNotEmpty", json!(null), "012"),
        ],
    );
    check(
        "Ready",
        "checkbox",
        &[
            ("isChecked", json!(null), "04"),
            ("isNotChecked", json!(null), "123"),
            ("isEmpty", json!(null), "unknown-operator"),
        ],
    );
}

#[test]
fn dates() {
    check(
        "Due",
        "date",
        &[
            ("on", json!("2026-11-21"), "0"),
            ("before", json!("2026-11-21"), "12"),
            ("after", json!("2026-11-20"), "04"),
            ("between", json!(["2026-11-14", "2026-11-20"]), "12"),
            ("today", json!(null), "0"),
            ("yesterday", json!(null), "1"),
            ("tomorrow", json!(null), ""),
            ("thisWeek", json!(null), "01"),
            ("lastWeek", json!(null), "2"),
            ("nextWeek", json!(null), ""),
            ("thisMonth", json!(null), "012"),
            ("lastMonth", json!(null), ""),
            ("nextMonth", json!(null), ""),
            ("thisQuarter", json!(null), "012"),
            ("lastQuarter", json!(null), ""),
            ("nextQuarter", json!(null), "4"),
            ("lastDays", json!(2), "01"),
            ("nextDays", json!(1), "0"),
            // Row 1 is done.
            ("overdue", json!(null), "2"),
            ("isEmpty", json!(null), "3"),
            ("on", json!("2026-02-30"), "wrong-value"),
            ("lastDays", json!(0), "wrong-value"),
        ],
    );
}

#[test]
fn a_span_meets_what_any_of_its_days_meets() {
    check(
        "Plan",
        "timeline",
        &[
            ("on", json!("2026-11-20"), "02"),
            ("on", json!("2026-11-22"), "2"),
            ("before", json!("2026-11-16"), "1"),
            ("before", json!("2026-11-17"), "01"),
            ("after", json!("2026-11-20"), "24"),
            ("between", json!(["2026-11-15", "2026-11-16"]), "01"),
            ("today", json!(null), "2"),
            ("thisMonth", json!(null), "0124"),
            ("nextMonth", json!(null), "2"),
            // Past by its last day; row 1 is done.
            ("overdue", json!(null), "0"),
            ("isEmpty", json!(null), "3"),
            ("isNotEmpty", json!(null), "0124"),
        ],
    );
}

#[test]
fn the_operators_of_a_type_are_those_that_are_understood() {
    let types = ["text", "number", "status", "tags", "people", "date", "checkbox", "itemLink", "mystery"];
    let all: Vec<&str> = types.iter().flat_map(|name| operators(name)).map(|(op, _)| *op).collect();
    let query: Query = serde_json::from_value(json!({"boards": [], "now": NOW})).expect("a query");
    for name in types {
        for op in &all {
            let read =
                Predicate::read(&query, Family::from_type_name(name), op, &json!({"neither": "text nor number"}));
            let unknown = matches!(read, Err("unknown-operator" | "unknown-column"));
            assert_eq!(!unknown, operators(name).iter().any(|(taken, _)| taken == op), "{name} {op}");
        }
    }
}

#[test]
fn what_every_item_has() {
    let board = sample();
    let rule = |name: &str, op: &str, value: Value| {
        rows(&board, json!({"id": "r", "col": {"by": "builtin", "name": name}, "op": op, "value": value}))
    };
    assert_eq!(rule("name", "contains", json!("item 3")), Ok("3".into()));
    assert_eq!(rule("board", "anyOf", json!(["Board B"])), Ok("01234".into()));
    assert_eq!(rule("board", "noneOf", json!(["b"])), Ok("".into()));
    assert_eq!(rule("group", "anyOf", json!(["main"])), Ok("01234".into()));
    assert_eq!(rule("created", "today", json!(null)), Ok("01234".into()));
    assert_eq!(rule("updated", "before", json!("2026-11-21")), Ok("".into()));
    assert_eq!(rule("mood", "is", json!("x")), Err("unknown-column".into()));
}

#[test]
fn instants_are_read_in_the_viewers_zone() {
    let boards = [sample()];
    let filters = json!({"v": 1, "all": [{"id": "r", "col": {"by": "builtin", "name": "created"}, "op": "on", "value": "2026-11-22"}]});
    let query = json!({"boards": ["b"], "filters": filters, "widgets": [{"id": "w", "kind": "numbers", "function": "count"}], "now": NOW, "utcOffsetMinutes": 840});
    let query: Query = serde_json::from_value(query).expect("a query");
    assert_eq!(
        super::engine(&boards).query(&query).widgets[0].result.as_ref().expect("a result").value()["value"],
        5.0
    );
}

#[test]
fn rules_reach_only_boards_that_have_the_column() {
    let other = board("c", vec![column("x", "Points", "number", json!({}))], &[json!({"x": 1}), json!({})]);
    let boards = [sample(), other];
    let col = |title: &str, type_name: &str| json!({"by": "title", "title": title, "type": type_name});
    let count = json!({"id": "w", "kind": "numbers", "function": "count"});
    let done = json!({"id": "s", "col": col("Status", "status"), "op": "anyOf", "value": ["Done"]});
    let large = json!({"id": "n", "col": col("Points", "number"), "op": ">", "value": 5});

    let answer = ask(&boards, json!({"v": 1, "all": [done]}), count.clone());
    assert_eq!(answer["result"]["value"], 3.0);
    assert_eq!(answer["coverage"]["reach"], json!([{"rule": "s", "boards": 1, "of": 2}]));

    // On the second board the group is only the rule that it has: nothing there is above 5.
    let answer = ask(&boards, json!({"v": 1, "all": [{"any": [done, large]}]}), count.clone());
    assert_eq!(answer["result"]["value"], 2.0);

    // A group of rules that a board has none of does not constrain it.
    let tea = json!({"id": "t", "col": col("Note", "text"), "op": "is", "value": "tea"});
    let answer = ask(&boards, json!({"v": 1, "all": [{"any": [done, tea]}]}), count.clone());
    assert_eq!(answer["result"]["value"], 4.0);

    // Inert and switched-off rules constrain nothing; the inert one is reported.
    let inert = json!({"id": "i", "col": col("Points", "number"), "op": "about", "value": 5});
    let off = json!({"id": "o", "col": col("Points", "number"), "op": ">", "value": 100, "off": true});
    let answer = ask(&boards, json!({"v": 1, "all": [inert, off]}), count.clone());
    assert_eq!(answer["result"]["value"], 7.0);
    assert_eq!(answer["coverage"]["inertRules"], json!([{"id": "i", "reason": "unknown-operator"}]));

    // The people control constrains the board that has people.
    let answer = ask(&boards, json!({"v": 1, "people": {"ids": ["me"], "teams": []}, "all": []}), count);
    assert_eq!(answer["result"]["value"], 4.0);
}

#[test]
fn a_computed_column_is_one_of_what_it_gives() {
    let columns = vec![
        column("f", "Total", "formula", json!({"result": "number", "formula": "{c9} * 2"})),
        column("w", "Words", "formula", json!({"result": "text"})),
    ];
    let board = board("b", columns, &[json!({"f": 5, "w": "Oak"}), json!({"f": 7}), json!({})]);
    for (title, kind, op, value, expected) in
        [("Total", "number", ">", json!(5), "1"), ("Words", "text", "contains", json!("oak"), "0")]
    {
        let col = json!({"by": "title", "title": title, "type": kind});
        assert_eq!(rows(&board, json!({"id": "r", "col": col, "op": op, "value": value})).as_deref(), Ok(expected));
    }
}

#[test]
fn what_is_not_wanted_any_more_is_not_looked_at() {
    let cells = vec![json!({"t": "tea"}); 3_000];
    let table =
        Table::load(&stream(&board("b", vec![column("t", "Note", "text", json!({}))], &cells))).expect("a board");
    let rule = json!({"id": "r", "col": {"by": "ids", "ids": {"b": ["t"]}}, "op": "contains", "value": "tea"});
    let query = json!({"boards": ["b"], "filters": {"v": 1, "all": [rule]}, "now": NOW});
    let query: Query = serde_json::from_value(query).expect("a query");
    let looks = std::cell::Cell::new(0);
    let goes_on = |most: u32| {
        looks.set(looks.get() + 1);
        looks.get() <= most
    };
    assert_eq!(select(&[&table], &query, &|| goes_on(u32::MAX)).rows[0].len(), 3_000);
    let all = looks.replace(0);
    assert!(all > 2, "looked {all} times");
    let some = select(&[&table], &query, &|| goes_on(1)).rows[0].len();
    assert!(0 < some && some < 3_000, "{some}");
    let by_name = [Sort { columns: vec![Some("name".into())], descending: true }];
    let first = |goes_on: bool| sorted(&[&table], &[vec![0, 1]], &by_name, &|| goes_on)[0];
    assert_eq!((first(true), first(false)), ((0, 1), (0, 0)));
}

/// The answer about a filter by the status of two boards, to a widget of the first or of both.
fn of_labels(labels: [&[&str]; 2], rule: Value, only_first: bool) -> Value {
    let of = |id: &str, texts: &[&str]| {
        let labels: Vec<Value> = texts.iter().map(|text| json!({"id": text.to_lowercase(), "text": text})).collect();
        board(id, vec![column("s", "Status", "status", json!({"labels": labels}))], &[json!({}), json!({"s": "open"})])
    };
    let [a, b] = labels;
    let mut count = json!({"id": "w", "kind": "numbers", "function": "count"});
    if only_first {
        count["boards"] = json!(["a"]);
    }
    ask(&[of("a", a), of("b", b)], json!({"v": 1, "all": [rule]}), count)
}

#[test]
fn a_rule_that_has_lost_a_label_goes_on_with_the_others_and_is_named() {
    let status = json!({"by": "title", "title": "Status", "type": "status"});
    let rule = |op: &str, value: Value| json!({"id": "r", "col": status, "op": op, "value": value});
    let lost = json!([{"id": "r", "reason": "lost-label", "lost": ["Secret"]}]);
    for op in ["anyOf", "noneOf"] {
        let answer = of_labels([&["Open"], &["Open"]], rule(op, json!(["Open", "Secret"])), false);
        assert_eq!((&answer["result"]["value"], &answer["coverage"]["inertRules"]), (&json!(2.0), &lost), "{op}");
    }
    // One board that knows it is enough, be it not the widget's.
    let known = of_labels([&["Open"], &["Open", "secret"]], rule("noneOf", json!(["Open", "Secret"])), true);
    assert_eq!(known["coverage"]["inertRules"], json!([]));
    assert_eq!(known["coverage"]["labels"], json!([{"label": "Secret", "boards": 0, "of": 1}]));
    let known = of_labels([&["Open"], &["Open", "secret"]], rule("noneOf", json!(["Open", "Secret"])), false);
    assert_eq!(known["coverage"]["labels"], json!([{"label": "Secret", "boards": 1, "of": 2}]));
    // Groups and boards are labels as well.
    for name in ["group", "board"] {
        let rule = json!({"id": "r", "col": {"by": "builtin", "name": name}, "op": "anyOf", "value": ["a", "b", "main", "Secret"]});
        let answer = of_labels([&["Open"], &["Open"]], rule, false);
        assert_eq!(answer["coverage"]["inertRules"][0]["reason"], "lost-label", "{name}");
        assert_eq!(answer["result"]["value"], 4.0, "{name}");
    }
}

#[test]
fn a_share_goes_on_without_a_lost_label() {
    let status = json!({"by": "title", "title": "Status", "type": "status"});
    let rules = json!([{"id": "r", "col": status, "op": "anyOf", "value": ["Done", "Lost"]}]);
    let answer = ask(&[sample()], json!({"v": 1}), json!({"id": "w", "kind": "numbers", "ratio": {"rules": rules}}));
    assert_eq!(
        (&answer["result"]["value"], &answer["coverage"]["inertRules"][0]["lost"]),
        (&json!(20.0), &json!(["Lost"]))
    );
}

#[test]
fn a_widgets_own_rule_knows_the_labels_of_its_own_boards_only() {
    let status = json!({"by": "title", "title": "Status", "type": "status"});
    let secret = json!({"id": "r", "col": status, "op": "noneOf", "value": ["Secret"]});
    let labels = |id: &str, text: &str| {
        board(id, vec![column("s", "Status", "status", json!({"labels": [{"id": "l", "text": text}]}))], &[json!({})])
    };
    let count = json!({"id": "w", "kind": "numbers", "function": "count", "boards": ["a"], "rules": [secret]});
    let answer = ask(&[labels("a", "Renamed"), labels("b", "Secret")], json!({"v": 1}), count);
    assert_eq!(answer["coverage"]["inertRules"], json!([{"id": "r", "reason": "deleted-label", "own": "rules"}]));
}

#[test]
fn a_label_that_a_board_beside_the_widgets_knows_is_not_lost() {
    let labels = |id: &str, texts: &[&str]| {
        let labels: Vec<Value> = texts.iter().map(|text| json!({"id": text, "text": text})).collect();
        board(id, vec![column("s", "Status", "status", json!({"labels": labels}))], &[json!({"s": texts[0]})])
    };
    let boards = [labels("a", &["Done"]), labels("b", &["Done", "Shipped"])];
    let status = json!({"by": "title", "title": "Status", "type": "status"});
    let rule = |col: &Value, value: Value| json!([{"id": "r", "col": col, "op": "anyOf", "value": value}]);
    let count =
        |rules: Value| json!({"id": "w", "kind": "numbers", "function": "count", "boards": ["a"], "rules": rules});
    let inert = |widget: Value| ask(&boards, json!({"v": 1}), widget)["coverage"]["inertRules"].clone();
    let answer = ask(&boards, json!({"v": 1}), count(rule(&status, json!(["Done", "Shipped"]))));
    assert_eq!(answer["coverage"]["inertRules"], json!([]));
    assert_eq!(answer["coverage"]["labels"], json!([{"label": "Shipped", "boards": 0, "of": 1}]));
    let of_boards = json!({"by": "builtin", "name": "board"});
    assert_eq!(inert(count(rule(&of_boards, json!(["a", "b"])))), json!([]));
    let share = json!({"rules": rule(&status, json!(["Done", "Shipped"]))});
    assert_eq!(inert(json!({"id": "w", "kind": "numbers", "boards": ["a"], "ratio": share})), json!([]));
    // What no board knows at all is lost as ever.
    let lost = inert(count(rule(&status, json!(["Done", "Shipped", "Gone"]))));
    assert_eq!(lost, json!([{"id": "r", "reason": "lost-label", "lost": ["Gone"], "own": "rules"}]));
}

#[test]
fn a_rule_of_a_widgets_own_is_told_from_a_shared_one_of_its_id() {
    let boards = [sample(), board("c", vec![], &[json!({})])];
    let points = json!({"by": "title", "title": "Points", "type": "number"});
    let rule = |op: &str| json!([{"id": "r", "col": points, "op": op, "value": 1}]);
    let shared = json!({"v": 1, "all": rule(">")});
    let ask_own = |widget: Value| ask(&boards, shared.clone(), widget)["coverage"].clone();
    let reached = json!({"rule": "r", "boards": 1, "of": 2});
    let asked = [
        ("rules", json!({"id": "w", "kind": "numbers", "function": "count", "rules": rule("<")})),
        ("ratio", json!({"id": "w", "kind": "numbers", "ratio": {"rules": rule("<")}})),
        ("per", json!({"id": "w", "kind": "numbers", "function": "count", "per": {"rules": rule("<")}})),
    ];
    for (list, widget) in asked {
        let own = json!({"rule": "r", "boards": 1, "of": 2, "own": list});
        assert_eq!(ask_own(widget.clone())["reach"], json!([reached, own]), "{widget}");
    }
    // The lists of one widget are told apart too, whichever has the fault.
    let lists = |rules: Value, list: &str, other: Value| {
        let widget = json!({"id": "w", "kind": "numbers", "function": "count", "rules": rules, list: {"rules": other}});
        ask_own(widget)["inertRules"].clone()
    };
    let wrong = |list: &str| json!([{"id": "r", "reason": "unknown-operator", "own": list}]);
    for list in ["ratio", "per"] {
        assert_eq!(lists(rule("near"), list, rule("<")), wrong("rules"), "{list}");
        assert_eq!(lists(rule("<"), list, rule("near")), wrong(list));
    }
}

#[test]
fn a_rule_by_ids_names_the_boards_whose_column_is_gone() {
    let other = board("c", vec![column("x", "Points", "number", json!({}))], &[json!({"x": 1}), json!({})]);
    let boards = [sample(), other];
    let inert = |ids: Value| {
        let rule = json!({"id": "r", "col": {"by": "ids", "ids": ids}, "op": ">", "value": 5});
        let answer =
            ask(&boards, json!({"v": 1, "all": [rule]}), json!({"id": "w", "kind": "numbers", "function": "count"}));
        answer["coverage"]["inertRules"].clone()
    };
    let lost = |reason: &str, names: Value| json!([{"id": "r", "reason": reason, "lost": names}]);
    assert_eq!(inert(json!({"b": ["n"], "c": ["x"]})), json!([]));
    assert_eq!(inert(json!({"b": ["n"]})), json!([]), "the other board is not meant");
    assert_eq!(inert(json!({"b": ["n"], "c": ["gone"]})), lost("lost-column", json!(["Board c"])));
    assert_eq!(inert(json!({"b": ["n", "gone"], "c": ["x"]})), lost("lost-column", json!(["Board b"])));
    assert_eq!(inert(json!({"b": ["gone"]})), json!([{"id": "r", "reason": "unknown-column"}]));
    assert_eq!(inert(json!({"elsewhere": ["n"]})), json!([]), "a board that is not connected is no loss");
    // A widget that has nothing of that board has lost nothing.
    let rule = json!({"id": "r", "col": {"by": "ids", "ids": {"b": ["n"], "c": ["gone"]}}, "op": ">", "value": 5});
    for (of, expected) in [("b", json!([])), ("c", lost("lost-column", json!(["Board c"])))] {
        let count = json!({"id": "w", "kind": "numbers", "function": "count", "boards": [of]});
        assert_eq!(ask(&boards, json!({"v": 1, "all": [rule]}), count)["coverage"]["inertRules"], expected, "{of}");
    }
}
