//! Velocity, Planned and Burndown. Today is 2026-11-21, a Saturday.

use super::{NOW, ask, board, column};
use serde_json::{Value, json};

const DAY_MS: i64 = 86_400_000;

fn labels() -> Value {
    json!({"labels": [{"id": "open", "text": "Open"}, {"id": "done", "text": "Done", "done": true}, {"id": "cut", "text": "Cut"}]})
}

pub(super) fn columns() -> Vec<Value> {
    vec![
        column("s", "Sprint", "dropdown", json!({"labels": []})),
        column("e", "Points", "number", json!({})),
        column("d", "Status", "status", labels()),
        column("f", "Finished", "date", json!({})),
    ]
}

/// A board with items as `sprint | effort | status | finished | created`, each part empty where there is none.
fn team(id: &str, items: &[&str]) -> Value {
    let cells: Vec<Value> = items.iter().map(|item| cells(item)).collect();
    let mut board = board(id, columns(), &cells);
    for (at, item) in items.iter().enumerate() {
        if let Some(created) = item.split('|').nth(4).map(str::trim).filter(|day| !day.is_empty()) {
            let day = i64::from(crate::dates::parse(created).expect("a day"));
            board["items"][at]["createdAt"] = json!(day * DAY_MS + DAY_MS / 2);
        }
    }
    board
}

pub(super) fn cells(item: &str) -> Value {
    let parts: Vec<&str> = item.split('|').map(str::trim).collect();
    let text = |at: usize| parts.get(at).filter(|part| !part.is_empty()).map_or(Value::Null, |part| json!(part));
    json!({"s": text(0), "e": text(1).as_str().map(|n| n.parse::<f64>().expect("a number")), "d": text(2), "f": text(3)})
}

fn widget(kind: &str, boards: &[Value], extra: Value) -> Value {
    let all = |id: &str| -> Value {
        boards
            .iter()
            .map(|b| (b["board"]["id"].as_str().unwrap().to_owned(), json!([id])))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    let mut config = json!({"id": "w", "kind": kind, "cols": {"sprint": all("s"), "effort": all("e"), "done": all("d"), "date": all("f")}});
    config.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    config
}

fn show(kind: &str, boards: &[Value], extra: Value) -> Value {
    ask(boards, json!({}), widget(kind, boards, extra))
}

/// Sprints as `label completed/scope phase`.
fn velocity(answer: &Value) -> String {
    let one = |s: &Value| {
        format!(
            "{} {}/{} {}",
            text(&s["label"]),
            text(&s["completed"]["text"]),
            text(&s["scope"]["text"]),
            text(&s["phase"])
        )
    };
    answer["result"]["sprints"].as_array().unwrap().iter().map(one).collect::<Vec<_>>().join(", ")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}

const DATES: &str = r#"[{"key": "Sprint 1", "from": "2026-10-05", "to": "2026-10-18"}, {"key": "sprint 2", "from": "2026-10-19", "to": "2026-11-01"},
    {"key": "Sprint 10", "from": "2026-11-16", "to": "2026-11-29"}, {"key": "Later", "from": "2026-11-30", "to": "2026-12-13"}]"#;

fn dates() -> Value {
    serde_json::from_str(DATES).unwrap()
}

#[test]
fn velocity_is_what_was_done_in_each_sprint() {
    let a = team(
        "a",
        &[
            "Sprint 1|3|done",
            "Sprint 1|2|open",
            "Sprint 2|5|done",
            "Sprint 2||done",
            "Sprint 10|8|done",
            "Sprint 10|-4|done",
            "Later|9|open",
            "|7|done",
            "Sprint 1|50|cut",
        ],
    );
    let b = team("b", &[" sprint 1 |1.5|done", "Sprint 2|0.1|done", "Sprint 2|0.2|done"]);
    let boards = [a, b];
    let answer = show("velocity", &boards, json!({"sprints": dates(), "cancelled": {"a": ["cut"]}}));
    assert_eq!(velocity(&answer), "Sprint 1 4.5/6.5 closed, Sprint 2 5.3/5.3 closed, Sprint 10 8/8 active");
    let result = &answer["result"];
    assert_eq!((&result["average"]["value"], &result["averageOf"]), (&json!(4.9), &json!(["sprint 1", "sprint 2"])));
    assert_eq!(
        result["footnotes"],
        json!([{"code": "no-effort", "items": 1}, {"code": "negative-effort", "items": 1}])
    );
    assert_eq!((&answer["approximate"], &answer["reasons"]), (&json!(false), &json!([])));
    assert_eq!(
        answer["coverage"]["skippedWhy"],
        json!([{"reason": "no-sprint", "items": 1}, {"reason": "cancelled", "items": 1}])
    );
    assert_eq!(answer["coverage"]["itemsUsed"], 10);

    let by_board = show("velocity", &boards, json!({"sprints": dates(), "byBoard": true, "cancelled": {"a": ["cut"]}}));
    let of = |at: usize| {
        by_board["result"]["boards"][at]["completed"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| text(&c["text"]).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (of(0), of(1)),
        (vec!["3".to_owned(), "5".into(), "8".into()], vec!["1.5".to_owned(), "0.3".into(), "0".into()])
    );
}

#[test]
fn days_that_cannot_be_are_none() {
    let boards =
        [team("a", &["Sprint 1|3|done|2026-10-05", "Sprint 2|5|done|2026-10-20", "Sprint 3|1|done|2026-10-01"])];
    let given = |key: &str, from: &str, to: &str| json!({"key": key, "from": from, "to": to});
    let sprints = json!([
        given("Sprint 1", "2026-12-31", "2026-01-01"),
        given("Sprint 2", "2026-02-30", "2026-03-01"),
        given("Sprint 3", "2026-10-01", "2026-10-14")
    ]);
    let show = |kind: &str, extra: Value| {
        let mut settings = json!({"sprints": sprints});
        settings.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        show(kind, &boards, settings)
    };
    let answer = show("velocity", json!({}));
    assert_eq!(velocity(&answer), "Sprint 3 1/1 closed, Sprint 1 3/3 undated, Sprint 2 5/5 undated");
    assert_eq!(answer["result"]["averageOf"], json!(["sprint 3"]));
    assert_eq!(answer["reasons"], json!(["undated-sprints", "impossible-days"]));
    let answer = show("planned", json!({}));
    assert_eq!(planned(&answer), "Sprint 3 0+0 0+1 ?0 100%, Sprint 1 0+0 0+0 ?0 —, Sprint 2 0+0 0+0 ?0 —");
    assert_eq!(answer["reasons"], json!(["created-after-start", "impossible-days"]));
    let answer = show("burndown", json!({"sprint": "sprint 1"}));
    assert_eq!(
        (&answer["state"]["name"], &answer["reasons"]),
        (&json!("no-values"), &json!(["undated-sprints", "impossible-days"]))
    );
    assert_eq!(show("burndown", json!({}))["reasons"], json!(["no-history", "impossible-days"]));
}

#[test]
fn without_effort_items_are_counted() {
    let boards = [team("a", &["S1|3|done|2026-10-05", "S1|2|open", "S1||done|2026-10-09"])];
    let mut widget = widget("velocity", &boards, json!({}));
    widget["cols"]["effort"] = json!({"a": []});
    let answer = ask(&boards, json!({}), widget);
    assert_eq!((velocity(&answer), &answer["result"]["measure"]), ("S1 2/3 closed".into(), &json!("items")));
    // The days are those of the items, which is said.
    assert_eq!((&answer["approximate"], &answer["reasons"]), (&json!(true), &json!(["inferred-dates"])));
    assert_eq!(
        (&answer["result"]["sprints"][0]["from"], &answer["result"]["sprints"][0]["to"]),
        (&json!("2026-10-05"), &json!("2026-10-09"))
    );
}

#[test]
fn a_sprint_keeps_its_days_whatever_the_filter() {
    let boards = [team("a", &["S1|3|done|2026-10-05", "S1|2|done|2026-10-20", "S2|1|done|2026-10-10"])];
    let rule = json!({"id": "r", "col": {"by": "builtin", "name": "name"}, "op": "is", "value": "Item 0"});
    let filters = json!({"v": 1, "all": [rule]});
    let answer = ask(&boards, filters, widget("velocity", &boards, json!({})));
    assert_eq!(velocity(&answer), "S1 3/3 closed, S2 0/0 closed");
    assert_eq!(answer["result"]["sprints"][0]["to"], "2026-10-20");
    // A sprint of which nothing passes the filter lowers no average.
    assert_eq!(answer["result"]["averageOf"], json!(["s1"]));
}

#[test]
fn only_what_was_finished_in_time_counts_where_asked() {
    let boards = [team("a", &["Sprint 1|3|done|2026-10-18", "Sprint 1|2|done|2026-10-19", "Sprint 1|1|done"])];
    let answer = show("velocity", &boards, json!({"sprints": dates(), "onlyInside": true}));
    assert_eq!(velocity(&answer), "Sprint 1 3/6 closed");
    assert_eq!(
        answer["result"]["footnotes"],
        json!([{"code": "done-without-date", "items": 1}, {"code": "finished-late", "items": 1}])
    );
}

#[test]
fn the_last_sprints_are_shown_in_their_order() {
    let items: Vec<String> = (1..=12).rev().map(|n| format!("Sprint {n}|{n}|done|2026-09-{n:02}")).collect();
    let boards = [team("a", &items.iter().map(String::as_str).collect::<Vec<_>>())];
    let shown = |extra: Value| velocity(&show("velocity", &boards, extra)).matches("Sprint").count();
    assert_eq!((shown(json!({})), shown(json!({"last": 2})), shown(json!({"last": 99}))), (6, 3, 12));
    let answer = show("velocity", &boards, json!({"last": 3}));
    assert_eq!(velocity(&answer), "Sprint 10 10/10 closed, Sprint 11 11/11 closed, Sprint 12 12/12 closed");
    // The mean is of five, however many are shown.
    assert_eq!(answer["result"]["average"]["value"], 10.0);
}

#[test]
fn velocity_says_why_there_is_none() {
    let why = |items: &[&str], extra: Value| {
        let answer = show("velocity", &[team("a", items)], extra);
        (answer["state"]["name"].clone(), answer["reasons"][0].clone())
    };
    assert_eq!(why(&["|3|done"], json!({})), (json!("no-values"), json!("no-sprints")));
    assert_eq!(why(&["Later|3|open"], json!({"sprints": dates()})), (json!("no-values"), json!("only-future-sprints")));
    assert_eq!(
        why(&["Sprint 1|3|open"], json!({"sprints": dates(), "done": {"a": []}})),
        (json!("no-values"), json!("no-done-labels"))
    );
    assert_eq!(why(&["S1|3|done"], json!({})), (json!("ok"), json!("undated-sprints")));
}

#[test]
fn linked_sprints_have_their_items_days() {
    let columns = vec![
        column("s", "Sprint", "sprint", json!({"boardId": "sprints"})),
        column("d", "Ready", "checkbox", json!({})),
    ];
    let cells =
        [json!({"s": ["i1"], "d": true}), json!({"s": ["i2", "i1"], "d": true}), json!({"s": ["gone"], "d": true})];
    let mut board = board("a", columns, &cells);
    board["linked"] = json!([{"boardId": "sprints", "columns": [], "items": [
        {"id": "i1", "name": "Alpha", "days": {"s": {"start": "2026-11-01", "end": "2026-11-14"}}},
        {"id": "i2", "name": "Beta", "days": {"s": {"start": "2026-11-15"}}}]}]);
    let answer = ask(
        &[board],
        json!({}),
        json!({"id": "w", "kind": "velocity", "cols": {"sprint": {"a": ["s"]}, "done": {"a": ["d"]}}}),
    );
    assert_eq!(velocity(&answer), "Alpha 1/1 closed, Beta 1/1 active");
    assert_eq!(answer["result"]["footnotes"], json!([{"code": "several-sprints", "items": 1}]));
    assert_eq!((&answer["approximate"], &answer["coverage"]["itemsSkipped"]), (&json!(false), &json!(1)));
}

#[test]
fn groups_and_timelines_can_be_sprints() {
    let columns = vec![column("t", "When", "timeline", json!({})), column("d", "Ready", "checkbox", json!({}))];
    let cells = [json!({"t": {"from": "2026-10-01", "to": "2026-10-14"}, "d": true}), json!({"d": true})];
    let boards = [board("a", columns, &cells)];
    let config = json!({"id": "w", "kind": "velocity", "cols": {"sprint": {"a": ["t"]}, "done": {"a": ["d"]}}});
    assert_eq!(velocity(&ask(&boards, json!({}), config)), "2026-10-01 – 2026-10-14 1/1 closed");
    let config = json!({"id": "w", "kind": "velocity", "sprintBy": "group", "sprints": [{"key": "Main", "from": "2026-11-01", "to": "2026-11-30"}], "cols": {"done": {"a": ["d"]}}});
    assert_eq!(velocity(&ask(&boards, json!({}), config)), "Main 2/2 active");
}

/// Sprints as `label planned open+done unplanned open+done unknown percent`.
pub(super) fn planned(answer: &Value) -> String {
    let one = |s: &Value| {
        let of = |name: &str| text(&s[name]["text"]).to_owned();
        format!(
            "{} {}+{} {}+{} ?{} {}",
            text(&s["label"]),
            of("plannedOpen"),
            of("plannedDone"),
            of("unplannedOpen"),
            of("unplannedDone"),
            of("unknownOpen"),
            of("unplannedPercent")
        )
    };
    answer["result"]["sprints"].as_array().unwrap().iter().map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn what_was_created_after_the_start_is_unplanned() {
    let boards = [team(
        "a",
        &[
            "Sprint 1|3|done||2026-09-01",
            "Sprint 1|2|open||2026-10-06",
            "Sprint 1|1|done||2026-10-07",
            "Sprint 1|4|open||2026-10-20",
            "Other|5|open||2026-10-20",
        ],
    )];
    let answer = show("planned", &boards, json!({"sprints": dates()}));
    assert_eq!(planned(&answer), "Sprint 1 2+3 4+1 ?0 50%, Other 0+0 0+0 ?5 —");
    assert_eq!((&answer["approximate"], &answer["reasons"]), (&json!(true), &json!(["created-after-start"])));
    assert_eq!(
        planned(&show("planned", &boards, json!({"sprints": dates(), "graceDays": 2, "last": 2}))),
        "Sprint 1 2+4 4+0 ?0 40%, Other 0+0 0+0 ?5 —"
    );
}

#[test]
fn a_column_makes_planned_exact() {
    let mut team = team("a", &["Sprint 1|3|done||2026-10-20", "Sprint 1|2|open||2026-09-01"]);
    team["columns"].as_array_mut().unwrap().push(column("u", "Unplanned", "checkbox", json!({})));
    team["items"][1]["cells"]["u"] = json!(true);
    let boards = [team];
    let mut widget = widget("planned", &boards, json!({"sprints": dates()}));
    widget["cols"]["unplanned"] = json!({"a": ["u"]});
    let answer = ask(&boards, json!({}), widget);
    assert_eq!(planned(&answer), "Sprint 1 0+3 2+0 ?0 40%");
    assert_eq!((&answer["approximate"], &answer["reasons"]), (&json!(false), &json!([])));
}

/// Days as `day:remaining/scope`.
pub(super) fn burndown(answer: &Value) -> String {
    let one = |d: &Value| {
        format!(
            "{}:{}/{}",
            d["day"].as_str().map_or("", |day| &day[8..]),
            text(&d["remaining"]["text"]),
            text(&d["scope"]["text"])
        )
    };
    answer["result"]["days"].as_array().unwrap().iter().map(one).collect::<Vec<_>>().join(" ")
}

fn ideal(answer: &Value) -> Vec<f64> {
    answer["result"]["ideal"]
        .as_array()
        .map(|line| line.iter().map(|p| p["value"].as_f64().unwrap()).collect())
        .unwrap_or_default()
}

#[test]
fn burndown_is_what_is_left_each_day() {
    let boards = [team(
        "a",
        &[
            "Sprint 10|5|done|2026-11-17|2026-11-01",
            "Sprint 10|3|open||2026-11-17",
            "Sprint 10|2|done|2026-11-10|2026-11-16",
            "Sprint 10|4|open||2026-11-19",
            "Sprint 10|1|done||2026-11-16",
            "Sprint 1|90|done|2026-10-07|2026-10-01",
        ],
    )];
    let answer = show("burndown", &boards, json!({"sprints": dates()}));
    // What was done before the sprint is gone on its first day; what nobody dated, today.
    assert_eq!(burndown(&answer), ":11/11 16:9/11 17:4/11 18:4/11 19:8/15 20:8/15 21:7/15");
    assert_eq!(answer["result"]["remaining"]["value"], 7.0);
    let ideal = ideal(&answer);
    assert_eq!(ideal.len(), 15);
    assert_eq!((ideal[0], ideal[1], ideal[5], ideal[7], ideal[14]), (11.0, 9.9, 5.5, 5.5, 0.0));
    // Eight in five working days: seven more take five of them, from Monday on.
    assert_eq!(answer["result"]["projection"], json!({"perDay": 1.6, "days": 5.0, "day": "2026-11-27"}));
    assert_eq!((&answer["approximate"], &answer["reasons"]), (&json!(true), &json!(["no-history"])));
    assert_eq!(answer["result"]["footnotes"], json!([{"code": "done-without-date", "items": 1}]));
    assert_eq!(answer["coverage"]["skippedWhy"], json!([{"reason": "other-sprint", "items": 1}]));
    assert_eq!(answer["result"]["sprints"].as_array().unwrap().len(), 2);
}

#[test]
fn a_closed_sprint_ends_where_its_work_ends() {
    let boards = [team(
        "a",
        &["Sprint 1|5|done|2026-10-20|2026-10-01", "Sprint 1|3|done||2026-10-01", "Sprint 1|2|open||2026-10-01"],
    )];
    let days = burndown(&show("burndown", &boards, json!({"sprints": dates()})));
    assert!(days.starts_with(":10/10 05:10/10 ") && days.ends_with(" 17:10/10 18:7/10 19:7/10 20:2/10"), "{days}");
}

#[test]
fn what_was_entered_once_the_sprint_was_over_was_there_from_the_beginning() {
    // As an import of today has it.
    let boards = [team(
        "a",
        &["Sprint 1|5|done|2026-10-16|2026-11-21", "Sprint 1|3|open||2026-11-21", "Sprint 1|2|open||2026-10-01"],
    )];
    let answer = show("burndown", &boards, json!({"sprints": dates()}));
    let days = burndown(&answer);
    assert!(days.starts_with(":10/10 05:10/10 ") && days.ends_with(" 15:10/10 16:5/10 17:5/10 18:5/10"), "{days}");
    assert_eq!(answer["result"]["remaining"]["value"], 5.0);
    assert_eq!(answer["result"]["footnotes"], json!([{"code": "entered-late", "items": 2}]));
    // Of another last day than before.
    let longer = json!({"sprints": [{"key": "Sprint 1", "from": "2026-10-05", "to": "2026-11-21"}]});
    let days = burndown(&show("burndown", &boards, longer));
    assert!(days.starts_with(":2/2 ") && days.ends_with(" 20:2/7 21:5/10"), "{days}");
}

#[test]
fn a_future_sprint_has_an_ideal_only() {
    let boards = [team("a", &["Later|5|open||2026-10-01"])];
    let answer = show("burndown", &boards, json!({"sprints": dates(), "sprint": "later"}));
    assert_eq!((burndown(&answer), ideal(&answer)[0], &answer["state"]["name"]), (String::new(), 5.0, &json!("ok")));
    assert_eq!(answer["result"]["projection"], json!(null));
}

#[test]
fn working_days_can_be_any() {
    let boards = [team("a", &["W|4|open||2026-10-01"])];
    let ideal = |workdays: Value| {
        ideal(&show(
            "burndown",
            &boards,
            json!({"workdays": workdays, "sprints": [{"key": "W", "from": "2026-11-21", "to": "2026-11-24"}]}),
        ))
    };
    assert_eq!(ideal(json!([5, 6])), [4.0, 2.0, 0.0, 0.0, 0.0]);
    // None in the sprint, none at all, none that there are: every day counts.
    for workdays in [json!([3]), json!([]), json!([9])] {
        assert_eq!(ideal(workdays.clone()), [4.0, 3.0, 2.0, 1.0, 0.0], "{workdays}");
    }
}

#[test]
fn burndown_says_why_there_is_none() {
    let why = |items: &[&str], extra: Value| {
        let answer = show("burndown", &[team("a", items)], extra);
        (answer["state"]["name"].clone(), answer["reasons"][0].clone())
    };
    assert_eq!(why(&["|3|done"], json!({})), (json!("no-values"), json!("no-sprints")));
    assert_eq!(why(&["S1|3|done"], json!({})), (json!("no-values"), json!("undated-sprints")));
    assert_eq!(why(&["S1|3|done"], json!({"sprint": "S9"})), (json!("no-values"), json!("sprint-gone")));
    assert_eq!(
        why(&["Sprint 1|0|open"], json!({"sprints": dates()})),
        (json!("no-values"), json!("nothing-estimated"))
    );
}

#[test]
fn days_that_are_far_apart_or_the_wrong_way_round_do_no_harm() {
    let boards = [team("a", &["S|1|done|2026-11-20|0001-01-01", "S|2|done|9999-12-31|9999-12-31", "S|3|open"])];
    for (from, to) in
        [("0001-01-01", "9999-12-31"), ("2026-11-30", "2026-11-01"), ("9999-12-31", "9999-12-31"), ("x", "2026-11-01")]
    {
        for kind in ["velocity", "planned", "burndown"] {
            let answer = show(kind, &boards, json!({"sprints": [{"key": "S", "from": from, "to": to}]}));
            let days = answer["result"]["days"].as_array().map_or(0, Vec::len);
            assert!(
                days <= 1_002 && answer["state"]["name"] != "error",
                "{kind} {from} {to}: {days} {}",
                answer["state"]
            );
        }
    }
}

#[test]
fn a_board_without_effort_contributes_nothing_beside_one_that_has_it() {
    let (a, b) = (team("a", &["S|3|done|2026-11-01"]), team("b", &["S|3|done|2026-11-01"]));
    let boards = [a, b];
    let mut widget = widget("velocity", &boards, json!({}));
    widget["cols"]["effort"] = json!({"a": ["e"], "b": []});
    let answer = ask(&boards, json!({}), widget);
    assert_eq!(velocity(&answer), "S 3/3 closed");
    assert_eq!(
        (&answer["coverage"]["boardsUsed"], &answer["coverage"]["skippedWhy"][0]["boards"]),
        (&json!(1), &json!(["b"]))
    );
}

#[test]
fn a_board_that_left_asks_nothing_of_those_that_stay() {
    let mut plain = team("b", &["S|3|done|2026-11-01", "S||done|2026-11-02"]);
    plain["columns"].as_array_mut().unwrap().retain(|column| column["id"] != "e");
    let all = [team("a", &["S|3|done|2026-11-01"]), plain];
    for kind in ["velocity", "planned", "burndown", "battery"] {
        let mut left = widget(kind, &all, json!({"cols": {"effort": {"a": ["e"]}}}));
        let alone = |widget: &Value| {
            let answer = ask(&all[1..], json!({}), widget.clone());
            (answer["state"]["name"].clone(), answer["result"].clone())
        };
        // As a widget that never was of the other board.
        let mut fresh = left.clone();
        fresh["cols"] = json!({});
        assert_eq!((alone(&left), alone(&fresh).0), (alone(&fresh), json!("ok")), "{kind} of what is connected");
        left["boards"] = json!(["b"]);
        let (state, result) = alone(&fresh);
        let unticked = ask(&all, json!({}), left);
        assert_eq!((&unticked["state"]["name"], &unticked["result"]), (&state, &result), "{kind} of what is ticked");
    }
    // A board that could not be fetched has not left: its efforts are not to be mixed with items.
    let widget = widget("velocity", &all, json!({"cols": {"effort": {"a": ["e"]}}}));
    let query = json!({"boards": ["a", "b"], "failed": ["a"], "widgets": [widget], "now": NOW});
    let answer = super::engine(&all[1..]).query(&serde_json::from_value(query).unwrap());
    assert_eq!(json!(answer.widgets[0].state), json!({"name": "unmapped", "roles": ["effort"]}));
}

#[test]
fn columns_are_proposed_by_what_they_are_called() {
    let mut team = team("a", &[]);
    team["columns"].as_array_mut().unwrap().extend([
        column("e2", "Budget", "number", json!({})),
        column("f2", "Start", "date", json!({})),
        column("p", "Priority", "status", labels()),
    ]);
    let engine = super::engine(&[team]);
    let mapped = engine.auto_map(&["a".to_owned()], &json!({"id": "w", "kind": "burndown"})).unwrap();
    assert_eq!(
        json!(mapped),
        json!({"sprint": {"a": ["s"]}, "effort": {"a": ["e"]}, "done": {"a": ["d"]}, "date": {"a": ["f"]}})
    );
    assert_eq!(NOW / DAY_MS, i64::from(crate::dates::parse("2026-11-21").unwrap()));
}

#[test]
fn a_column_called_week_is_a_sprint_where_there_is_no_column_of_sprints() {
    type Columns<'a> = &'a [(&'a str, &'a str, &'a str)];
    let found = |boards: &[(&str, Columns<'_>)]| {
        let columns = |all: Columns<'_>| all.iter().map(|(id, t, of)| column(id, t, of, json!({}))).collect();
        let all: Vec<Value> = boards.iter().map(|(id, all)| board(id, columns(all), &[])).collect();
        let ids: Vec<String> = boards.iter().map(|(id, _)| (*id).to_owned()).collect();
        let mapped = super::engine(&all).auto_map(&ids, &json!({"id": "w", "kind": "velocity"})).unwrap();
        json!(mapped.get("sprint"))
    };
    let (stage, week) = (("e", "Etappe", "sprint"), ("w", "Week", "timeline"));
    assert_eq!(found(&[("a", &[week])]), json!({"a": ["w"]}));
    assert_eq!(found(&[("a", &[("k", "Kalenderwoche", "text"), ("w", "Woche", "text")])]), json!({"a": ["w"]}));
    assert_eq!(found(&[("a", &[week, stage])]), json!({"a": ["e"]}));
    assert_eq!(found(&[("a", &[stage]), ("b", &[week])]), json!({"a": ["e"], "b": ["w"]}));
    assert_eq!(found(&[("b", &[week]), ("a", &[("i", "Iteration", "text")])]), json!({"a": ["i"], "b": ["w"]}));
}

/// Names of the items behind a part.
pub(super) fn behind(boards: &[Value], widget: &Value, part: Value) -> String {
    let ids: Vec<&Value> = boards.iter().map(|b| &b["board"]["id"]).collect();
    let query = json!({"boards": ids, "widgets": [widget], "now": NOW});
    let query: crate::Query = serde_json::from_value(query).unwrap();
    let asked = serde_json::from_value(json!({"widget": "w", "part": part})).unwrap();
    match super::engine(boards).items(&query, &asked) {
        Ok(found) => {
            assert_eq!(found.total, found.items.len());
            found.items.iter().map(|item| item["itemId"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
        }
        Err(message) => message,
    }
}

#[test]
fn each_number_has_its_items_behind_it() {
    let items = ["Sprint 1|3|done|2026-10-10|2026-10-20", "Sprint 1|2|open||2026-10-01", "sprint 2|1|done", "|9|done"];
    let boards = [team("a", &items), team("b", &["Sprint 1||done|2026-10-30|2026-10-01"])];
    let of = |kind: &str, extra: Value, part: Value| {
        let mut extra = extra;
        extra["sprints"] = dates();
        behind(&boards, &widget(kind, &boards, extra), part)
    };
    let sprint = |which: &str| json!({"sprint": "sprint 1", "which": which});
    assert_eq!(of("velocity", json!({}), sprint("completed")), "a-0 b-0");
    assert_eq!(of("velocity", json!({"onlyInside": true}), sprint("completed")), "a-0");
    assert_eq!(of("velocity", json!({}), sprint("scope")), "a-0 a-1 b-0");
    assert_eq!(of("velocity", json!({}), json!({"sprint": "x"})), "sprint not found");
    let on_b = json!({"sprint": "sprint 1", "which": "completed", "board": "b"});
    assert_eq!(of("velocity", json!({"byBoard": true}), on_b), "b-0");
    // All of a widget: what is of no sprint is not in it.
    assert_eq!(of("velocity", json!({}), json!({})), "a-0 a-1 a-2 b-0");
    assert_eq!(of("planned", json!({}), json!({})), "a-0 a-1 a-2 b-0");
    assert_eq!(of("planned", json!({}), sprint("plannedDone")), "b-0");
    assert_eq!(of("planned", json!({}), sprint("unplannedDone")), "a-0");
    assert_eq!(of("planned", json!({}), sprint("plannedOpen")), "a-1");
    assert_eq!(of("burndown", json!({"sprint": "sprint 1"}), json!({"which": "remaining"})), "a-1");
    assert_eq!(of("burndown", json!({"sprint": "sprint 1"}), json!({"which": "done"})), "a-0 b-0");
    assert_eq!(of("battery", json!({}), json!({"label": {"kind": "value", "key": "done"}})), "a-0 a-2 a-3 b-0");
    assert_eq!(of("battery", json!({}), json!({"which": "done"})), "a-0 a-2 a-3 b-0");
    assert_eq!(of("table", json!({}), json!({})), "a-0 a-1 a-2 a-3 b-0");
    let number = |part: Value| {
        behind(&boards, &json!({"id": "w", "kind": "numbers", "cols": {"value": {"a": ["e"], "b": ["e"]}}}), part)
    };
    assert_eq!(number(json!({})), "a-0 a-1 a-2 a-3");
    let chart = json!({"id": "w", "kind": "chart", "z": {"by": "board"}, "cols": {"x": {"a": ["s"], "b": ["s"]}}});
    assert_eq!(
        behind(&boards, &chart, json!({"x": {"kind": "value", "key": "sprint 1"}, "z": {"kind": "value", "key": "b"}})),
        "b-0"
    );
    assert_eq!(behind(&boards, &chart, json!({"x": {"kind": "empty", "key": ""}})), "a-3");
    assert_eq!(behind(&boards, &chart, json!({"x": {"kind": "value", "key": "gone"}})), "category not found");
    assert_eq!(behind(&boards, &json!({"id": "v", "kind": "chart"}), json!({})), "widget not found");
}

#[test]
fn a_battery_is_never_full_too_early() {
    let battery = |items: &[&str]| {
        let answer = show("battery", &[team("a", items)], json!({}));
        let of = |s: &Value| format!("{} {}%", text(&s["label"]), s["percent"]);
        let segments = answer["result"]["segments"].as_array().unwrap().iter().map(of).collect::<Vec<_>>().join(", ");
        (segments, answer["result"]["donePercent"].clone(), answer["state"]["name"].clone())
    };
    assert_eq!(battery(&["|1|open", "|1|done", "|1|done"]), ("Open 33%, Done 67%".into(), json!(67), json!("ok")));
    assert_eq!(battery(&["|1|open", "|999|done"]), ("Open 1%, Done 99%".into(), json!(99), json!("ok")));
    assert_eq!(battery(&["|0.71|open", "|0.29|done"]), ("Open 71%, Done 29%".into(), json!(29), json!("ok")));
    assert_eq!(battery(&["|2|done", "||open"]), ("Open 0%, Done 100%".into(), json!(100), json!("ok")));
    assert_eq!(battery(&["||open"]).2, json!("no-values"));
    assert_eq!(battery(&[]).2, json!("no-items"));
}

#[test]
fn a_table_unites_columns_of_the_same_title() {
    let boards = [team("a", &["S|1234.5|done|2026-11-01", "S"]), team("b", &["T|2||"])];
    let cols = json!({"columns": {"a": ["e", "d", "f"], "b": ["e"]}});
    let answer = ask(&boards, json!({}), json!({"id": "w", "kind": "table", "cols": cols, "offset": 1, "limit": 5}));
    let result = &answer["result"];
    assert_eq!(
        result["columns"].as_array().unwrap().iter().map(|c| text(&c["title"])).collect::<Vec<_>>(),
        ["Points", "Status", "Finished"]
    );
    assert_eq!((&result["total"], result["rows"].as_array().unwrap().len()), (&json!(3), 2));
    assert_eq!(
        result["rows"][1],
        json!({"boardId": "b", "itemId": "b-0", "name": "Item 0", "group": "Main", "cells": [{"text": "2", "value": 2.0}, null, null]})
    );
    let first = ask(&boards, json!({}), json!({"id": "w", "kind": "table", "cols": cols, "limit": 1}));
    assert_eq!(
        first["result"]["rows"][0]["cells"],
        json!([{"text": "1,234.5", "value": 1234.5}, {"text": "Done"}, {"text": "2026-11-01"}])
    );
}
