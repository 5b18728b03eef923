use super::{ANNA, BEN, OTHER_WORKSPACE, STRANGER, WORKSPACE, add_column, other_owner, owner, start, tasks_board};
use kit::{Caller, Kind, SettingsSource};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::{ACCOUNT, Program, refused};

/// Five items of the preset `tasks` (c1 Status, c2 Owner, c3 Due) with an amount (c4); it is 2026-03-01, noon, UTC.
async fn filled(program: &Program) -> String {
    let board = tasks_board(program).await;
    let amount = add_column(program, &board, "Amount", "number", json!({})).await;
    let labels = program.owner("boards.get", json!({"boardId": board})).await.unwrap();
    let label = |text: &str| {
        let labels = labels["columns"][0]["settings"]["labels"].as_array().unwrap();
        labels.iter().find(|l| l["text"] == text).unwrap_or_else(|| panic!("no label {text} in {labels:?}"))["id"]
            .clone()
    };
    let done =
        labels["columns"][0]["settings"]["labels"].as_array().unwrap().iter().find(|l| l["done"] == true).unwrap();
    let done = done["text"].as_str().unwrap().to_owned();
    let items = json!([
        {"name": "Résumé", "cells": {"c1": label(&done), "c2": [ANNA], "c3": "2026-02-27", amount.clone(): 5}},
        {"name": "Plan", "cells": {"c2": [BEN], "c3": "2026-02-28", amount.clone(): 10.5}},
        {"name": "Ship", "cells": {"c2": [ANNA, BEN], "c3": "2026-03-01"}},
        {"name": "Rest", "cells": {"c3": "2026-03-02", amount: 20}},
        {"name": "Plan again"},
    ]);
    program.owner("boards.items.create", json!({"boardId": board, "items": items})).await.unwrap();
    board
}

async fn ask(program: &Program, board: &str, all: Value) -> kit::Result<Value> {
    program.owner("boards.query", json!({"boardId": board, "filters": {"v": 1, "all": all}})).await
}

fn names(answer: &Value) -> Vec<&str> {
    answer["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn items_pass_as_on_a_page() {
    let program = start().await;
    let board = filled(&program).await;
    let cases = [
        (json!([]), vec!["Résumé", "Plan", "Ship", "Rest", "Plan again"]),
        (json!([{"col": "Name", "op": "contains", "value": "resume"}]), vec!["Résumé"]),
        (json!([{"col": "name", "op": "startsWith", "value": "plan"}]), vec!["Plan", "Plan again"]),
        (json!([{"col": "Due", "op": "overdue"}]), vec!["Plan"]),
        (
            json!([{"col": {"by": "title", "title": "due", "type": "date"}, "op": "nextDays", "value": 2}]),
            vec!["Ship", "Rest"],
        ),
        (json!([{"col": "amount", "op": ">=", "value": 10.5}]), vec!["Plan", "Rest"]),
        (json!([{"col": {"by": "ids", "ids": {board.as_str(): ["c4"]}}, "op": "isEmpty"}]), vec!["Ship", "Plan again"]),
        (json!([{"col": "c2", "op": "anyOf", "value": [BEN]}]), vec!["Plan", "Ship"]),
        (
            json!([{"col": "c2", "op": "anyOf", "value": [BEN], "off": true}]),
            vec!["Résumé", "Plan", "Ship", "Rest", "Plan again"],
        ),
        (
            json!([{"any": [{"col": "c4", "op": "=", "value": 5}, {"col": "c3", "op": "tomorrow"}]}]),
            vec!["Résumé", "Rest"],
        ),
        (
            json!([{"col": "c2", "op": "anyOf", "value": [ANNA]}, {"col": {"by": "builtin", "name": "group"}, "op": "anyOf", "value": ["to do"]}]),
            vec!["Résumé", "Ship"],
        ),
    ];
    for (all, expected) in cases {
        let answer = ask(&program, &board, all.clone()).await.unwrap();
        assert_eq!(names(&answer), expected, "{all}");
        assert_eq!(answer["total"], expected.len());
        assert_eq!(answer["nextCursor"], Value::Null);
    }
}

#[tokio::test]
async fn an_answer_follows_every_change_of_the_board() {
    let program = start().await;
    let board = filled(&program).await;
    let all = json!([{"col": "Owner", "op": "anyOf", "value": [BEN]}]);
    let before = ask(&program, &board, all.clone()).await.unwrap();
    let item = before["items"][0]["id"].clone();
    program
        .owner("boards.cell", json!({"boardId": board, "itemId": item, "columnId": "c2", "value": null}))
        .await
        .unwrap();
    let after = ask(&program, &board, all).await.unwrap();
    assert_eq!((names(&before), names(&after)), (vec!["Plan", "Ship"], vec!["Ship"]));
    assert!(after["boards"][0]["revision"].as_i64() > before["boards"][0]["revision"].as_i64());
}

#[tokio::test]
async fn a_page_begins_behind_the_last_item_of_the_one_before_wherever_that_stands() {
    let program = start().await;
    let board = filled(&program).await;
    let page = async |cursor: &Value| {
        let input = json!({"boardId": board, "limit": 2, "cursor": cursor, "columns": ["Amount"]});
        program.owner("boards.query", input).await.unwrap()
    };
    let first = page(&Value::Null).await;
    assert_eq!((names(&first), &first["total"]), (vec!["Résumé", "Plan"], &json!(5)));
    assert_eq!(first["items"][0]["cells"], json!({"c4": 5}));
    let gone = first["items"][0]["id"].clone();
    program.owner("boards.items.delete", json!({"boardId": board, "itemId": gone})).await.unwrap();
    let second = page(&first["nextCursor"]).await;
    assert_eq!(names(&second), ["Ship", "Rest"]);
    let third = page(&second["nextCursor"]).await;
    assert_eq!((names(&third), &third["nextCursor"]), (vec!["Plan again"], &Value::Null));
}

#[tokio::test]
async fn what_cannot_be_understood_is_refused_with_what_is_accepted() {
    let program = start().await;
    let board = filled(&program).await;
    let cases = [
        (json!([{"col": "Stage", "op": "isEmpty"}]), "/filters/all/0", "unknown-column", "Status (status)"),
        (
            json!([{"col": "Status", "op": "is", "value": "x"}]),
            "/filters/all/0",
            "unknown-operator",
            "anyOf, noneOf, isEmpty, isNotEmpty",
        ),
        (json!([{"col": "Status", "op": "anyOf", "value": ["Nope"]}]), "/filters/all/0", "unknown-label", "Done"),
        (json!([{"col": "group", "op": "anyOf", "value": "Nope"}]), "/filters/all/0", "unknown-label", "To do"),
        (
            json!([{"any": [{"col": "Due", "op": "today"}, {"col": "Due", "op": "on", "value": 4}]}]),
            "/filters/all/0/any/1",
            "wrong-value",
            "2026-03-01",
        ),
        (json!([{"col": "Amount", "op": "between", "value": 4}]), "/filters/all/0", "wrong-value", "[1, 10]"),
        (json!([{"col": "Owner", "op": "anyOf", "value": "me"}]), "/filters/all/0", "unknown-member", "name or ID"),
        (
            json!([{"col": {"by": "title", "title": "Status", "type": "number"}, "op": "=", "value": 1}]),
            "/filters/all/0",
            "unknown-operator",
            "anyOf",
        ),
    ];
    for (all, pointer, code, named) in cases {
        let error = refused(ask(&program, &board, all.clone()).await, "invalid-filter");
        let field = &error.fields()[0];
        assert_eq!((field.pointer.as_str(), field.code.name()), (pointer, code), "{all}: {error}");
        assert!(field.detail.contains(named), "{all}: {}", field.detail);
        // A page keeps such a rule, which then constrains nothing.
        let input = json!({"boardId": board, "strict": false, "filters": {"all": all}});
        let lenient = program.owner("boards.query", input).await.unwrap();
        assert!(lenient["total"].as_i64().unwrap() >= 1 || code == "unknown-member", "{all}");
    }
    let inert = json!({"boardId": board, "strict": false, "filters": {"all": [{"id": "r1", "col": "Due", "op": "?"}]}});
    let answer = program.owner("boards.query", inert).await.unwrap();
    assert_eq!(answer["coverage"]["inertRules"], json!([{"rule": "r1", "reason": "unknown-operator"}]));
    for input in [
        json!({"boardId": board, "filters": {"all": [{"col": "Due"}]}}),
        json!({"boardId": board, "filters": {"all": [{"any": [], "col": "Due", "op": "today"}]}}),
        json!({"boardId": board, "filters": {"v": 2, "all": []}}),
        json!({"boardId": board, "filters": {"all": [{"col": 4, "op": "today"}]}}),
        json!({"boardId": board, "columns": ["Stage"]}),
        json!({"boardId": board, "cursor": "x"}),
        json!({"boardId": board, "cursor": "-1"}),
        json!({"boardId": board, "cursor": "+1-a"}),
        json!({"boardId": board, "limit": 0}),
        json!({"boardId": board, "timeZone": "Mars/Olympus"}),
    ] {
        refused(program.owner("boards.query", input).await, "invalid-input");
    }
}

#[tokio::test]
async fn today_is_the_callers_and_me_is_the_member() {
    let program = start().await;
    let board = filled(&program).await;
    let today = json!([{"col": "Due", "op": "today"}]);
    // Noon in UTC is past midnight in Kiritimati.
    let input = json!({"boardId": board, "timeZone": "Pacific/Kiritimati", "filters": {"all": today}});
    assert_eq!(names(&program.owner("boards.query", input).await.unwrap()), ["Rest"]);
    let zone = |tx: &mut store::Tx<'_>| {
        tx.execute(
            "UPDATE members SET time_zone = $3 WHERE account_id = $1 AND member_id = $2",
            store::params![ACCOUNT, BEN, "Pacific/Kiritimati"],
        )
    };
    store::HasDb::db(&program.ctx).write(zone).await.unwrap();
    let mut ben = Caller::new(Kind::Member, ACCOUNT, "ben");
    ben.member = Some(BEN.into());
    let input = json!({"boardId": board, "filters": {"all": today}});
    assert_eq!(names(&program.as_caller(ben.clone(), "boards.query", input.clone()).await.unwrap()), ["Rest"]);
    assert_eq!(names(&program.as_caller(owner(), "boards.query", input).await.unwrap()), ["Ship"]);
    let mine = json!({"boardId": board, "filters": {"people": {"ids": ["me"]}, "all": []}});
    assert_eq!(names(&program.as_caller(ben, "boards.query", mine.clone()).await.unwrap()), ["Plan", "Ship"]);
    refused(program.owner("boards.query", mine).await, "invalid-filter");
}

#[tokio::test]
async fn several_boards_are_asked_at_once_and_a_rule_holds_where_its_column_is() {
    let program = start().await;
    let first = filled(&program).await;
    let second =
        program.owner("boards.create", json!({"workspaceId": WORKSPACE, "name": "Plain", "preset": "blank"})).await;
    let second = second.unwrap()["id"].as_str().unwrap().to_owned();
    program.owner("boards.items.create", json!({"boardId": second, "name": "Other"})).await.unwrap();
    let input =
        json!({"boardIds": [second, first, second], "filters": {"all": [{"id": "due", "col": "Due", "op": "today"}]}});
    let answer = program.owner("query", input).await.unwrap();
    assert_eq!((names(&answer), &answer["total"]), (vec!["Other", "Ship"], &json!(2)));
    assert_eq!(answer["items"][1]["boardId"], first);
    assert_eq!(answer["coverage"]["reach"], json!([{"rule": "due", "boards": 1, "of": 2}]));
    refused(program.owner("query", json!({"boardIds": []})).await, "invalid-input");
    refused(program.owner("query", json!({"boardIds": [first, "no-such-board"]})).await, "named-not-found");
    let foreign = json!({"workspaceId": OTHER_WORKSPACE, "name": "Theirs", "preset": "blank"});
    let foreign = program.as_caller(other_owner(), "boards.create", foreign).await.unwrap();
    refused(program.owner("query", json!({"boardIds": [first, foreign["id"]]})).await, "named-not-found");
}

#[tokio::test]
async fn rules_are_written_as_texts_too() {
    let program = start().await;
    let board = filled(&program).await;
    add_column(&program, &board, "Due soon", "checkbox", json!({})).await;
    add_column(&program, &board, "Twice", "formula", json!({"formula": "{Amount} * 2"})).await;
    let cases = [
        ("Due before 2026-03-01", vec!["Résumé", "Plan"]),
        ("due is before \"2026-03-01\"", vec!["Résumé", "Plan"]),
        ("c3 between 2026-02-28..2026-03-01", vec!["Plan", "Ship"]),
        ("Due next days 2 days", vec!["Ship", "Rest"]),
        ("Due this-week", vec!["Ship", "Rest"]),
        ("Due soon is not checked", vec!["Résumé", "Plan", "Ship", "Rest", "Plan again"]),
        ("\"Due\" isEmpty", vec!["Plan again"]),
        ("amount >= 10.5", vec!["Plan", "Rest"]),
        ("Amount >10.5", vec!["Rest"]),
        ("Amount between 5 and 10.5", vec!["Résumé", "Plan"]),
        ("Twice = 21", vec!["Plan"]),
        ("name starts with plan", vec!["Plan", "Plan again"]),
        ("name is \"plan\"", vec!["Plan"]),
        ("Owner is any of m-ben, none", vec!["Plan", "Ship", "Rest", "Plan again"]),
        ("Owner any of Ben Ito, none", vec!["Plan", "Ship", "Rest", "Plan again"]),
        ("Owner noneOf \"Anna Berg\"", vec!["Plan", "Rest", "Plan again"]),
        ("Status anyOf Done, \"To, do\"", vec!["Résumé"]),
        ("group any of To do", vec!["Résumé", "Plan", "Ship", "Rest", "Plan again"]),
    ];
    for (rule, expected) in cases {
        let answer = program.owner("boards.query", json!({"boardId": board, "where": [rule]})).await;
        // A label that there is not is not looked for.
        let answer = answer.unwrap_or_else(|error| panic!("{rule}: {error}"));
        assert_eq!(names(&answer), expected, "{rule}");
    }
    let both = json!({"boardId": board, "where": ["Due before 2026-03-01"], "filters": {"all": [{"col": "Amount", "op": "=", "value": 5}]}});
    assert_eq!(names(&program.owner("boards.query", both).await.unwrap()), ["Résumé"]);
    let wrong = [
        ("Stage anyOf Done", "unknown-column", "Status (status)"),
        ("\"Stage\" isEmpty", "unknown-column", "Available: "),
        ("Statusanyof Done", "unknown-column", "Available: "),
        ("Status before 2026-03-01", "unknown-operator", "accepts anyOf, noneOf, isEmpty, isNotEmpty"),
        ("Status", "unknown-operator", "accepts anyOf"),
        ("Status is Done", "unknown-operator", "Did you mean `Status anyOf Done`?"),
        ("Owner is not Ben Ito", "unknown-operator", "Did you mean `Owner noneOf Ben Ito`?"),
        ("Due equals 2026-03-01", "unknown-operator", "Did you mean `Due on 2026-03-01`?"),
        ("Status anyOf Nope", "unknown-label", "Done"),
        ("Status anyOf", "wrong-value", "comma-separated"),
        ("Owner anyOf", "wrong-value", "member names or IDs"),
        ("Owner noneOf Anna Berg, Annna", "unknown-member", "number 2"),
        ("Due before soon", "wrong-value", "2026-03-01"),
        ("Amount between 4", "wrong-value", "1..10"),
        ("Due today 4", "wrong-value", "no value"),
    ];
    for (rule, code, named) in wrong {
        let input = json!({"boardId": board, "where": ["Due today", rule]});
        let error = refused(program.owner("boards.query", input).await, "invalid-filter");
        let field = &error.fields()[0];
        assert_eq!((field.pointer.as_str(), field.code.name()), ("/where/1", code), "{rule}: {error}");
        assert!(field.detail.contains(named), "{rule}: {}", field.detail);
    }
    let list = json!({"boardId": board, "filters": [{"col": "Due", "op": "today"}]});
    let error = refused(program.owner("boards.query", list).await, "invalid-input");
    let form = r#"Expected an object such as {"all": [{"col": "Status", "op": "anyOf", "value": ["Done"]}]}, or rules as text in where"#;
    assert!(error.fields()[0].detail.starts_with(form), "{error}");
    let many: Vec<&str> = vec!["Due today"; 51];
    refused(program.owner("boards.query", json!({"boardId": board, "where": many})).await, "invalid-input");
}

#[tokio::test]
async fn an_answer_is_ordered_by_columns_over_boards_and_pages() {
    let program = start().await;
    let board = filled(&program).await;
    let ask = async |sort: Value| {
        let input = json!({"boardId": board, "sort": sort});
        let answer = program.owner("boards.query", input).await.unwrap();
        names(&answer).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    // Empty cells stand last either way, in the board's order.
    assert_eq!(ask(json!(["Amount"])).await, ["Résumé", "Plan", "Rest", "Ship", "Plan again"]);
    assert_eq!(ask(json!(["amount desc"])).await, ["Rest", "Plan", "Résumé", "Ship", "Plan again"]);
    assert_eq!(ask(json!(["name descending"])).await, ["Ship", "Résumé", "Rest", "Plan again", "Plan"]);
    assert_eq!(ask(json!(["Owner", "Due desc"])).await, ["Résumé", "Ship", "Plan", "Rest", "Plan again"]);
    for (sort, code) in [("Stage", "unknown-column"), ("Due sideways", "wrong-direction"), ("group", "unknown-column")]
    {
        let input = json!({"boardId": board, "sort": ["name", sort]});
        let error = refused(program.owner("boards.query", input).await, "invalid-filter");
        assert_eq!((error.fields()[0].pointer.as_str(), error.fields()[0].code.name()), ("/sort/1", code));
    }
    // Over boards one order, page by page; a board without the column comes last.
    let second = filled(&program).await;
    let third =
        program.owner("boards.create", json!({"workspaceId": WORKSPACE, "name": "Plain", "preset": "blank"})).await;
    let third = third.unwrap()["id"].as_str().unwrap().to_owned();
    program.owner("boards.items.create", json!({"boardId": third, "name": "Other"})).await.unwrap();
    let item = program.owner("boards.query", json!({"boardId": second, "where": ["name is Rest"]})).await.unwrap();
    let item = &item["items"][0]["id"];
    program
        .owner("boards.cell", json!({"boardId": second, "itemId": item, "columnId": "c4", "value": 7}))
        .await
        .unwrap();
    let (mut cursor, mut found) = (Value::Null, Vec::new());
    loop {
        let input =
            json!({"boardIds": [third, second, board], "sort": ["Amount desc", "name"], "limit": 3, "cursor": cursor});
        let page = program.owner("query", input).await.unwrap();
        found.extend(names(&page).into_iter().map(str::to_owned));
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    let expected =
        ["Rest", "Plan", "Plan", "Rest", "Résumé", "Résumé", "Other", "Plan again", "Plan again", "Ship", "Ship"];
    assert_eq!(found, expected);
}

#[tokio::test]
async fn a_query_names_as_many_columns_as_a_board_has() {
    let program = start().await;
    let board = filled(&program).await;
    let named = |count: usize| vec!["Due"; count];
    for op in ["boards.query", "query"] {
        let of = if op == "query" { ("boardIds", json!([board])) } else { ("boardId", json!(board)) };
        let input = json!({of.0: of.1, "columns": named(crate::COLUMNS_MAX)});
        program.owner(op, input).await.unwrap();
        let input = json!({of.0: of.1, "columns": named(crate::COLUMNS_MAX + 1)});
        let error = refused(program.owner(op, input).await, "invalid-input");
        assert_eq!((error.fields()[0].pointer.as_str(), error.fields()[0].code.name()), ("/columns", "too-many"));
        assert_eq!(error.fields()[0].detail, "Use up to 500 columns.");
    }
}

#[tokio::test]
async fn a_week_begins_on_the_day_that_is_set() {
    struct Set(&'static str);
    impl SettingsSource for Set {
        fn stored(&self, _: &str, key: &str) -> Option<Value> {
            (key == "calendarWeekStartDay").then(|| json!(self.0))
        }
    }
    let program = start().await;
    let board = filled(&program).await;
    let week = async |op: &str| {
        let answer = ask(&program, &board, json!([{"col": "Due", "op": op}])).await.unwrap();
        names(&answer).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    // It is a Sunday.
    assert_eq!(week("thisWeek").await, ["Ship", "Rest"], "as the setting is where nobody has set it");
    for (day, this, last, next) in [
        ("sunday", vec!["Ship", "Rest"], vec!["Résumé", "Plan"], vec![]),
        ("monday", vec!["Résumé", "Plan", "Ship"], vec![], vec!["Rest"]),
    ] {
        program.ctx.provide_settings(Arc::new(Set(day)));
        assert_eq!((week("thisWeek").await, week("lastWeek").await), (owned(this), owned(last)), "{day}");
        assert_eq!(week("nextWeek").await, owned(next), "{day}");
    }
}

fn owned(names: Vec<&str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn the_form_that_pages_keep_is_taken_with_its_empty_list_of_teams() {
    let program = start().await;
    let board = filled(&program).await;
    let people = async |people: Value| {
        let filters = json!({"v": 1, "people": people, "all": []});
        program.owner("boards.query", json!({"boardId": board, "filters": filters})).await
    };
    let found = people(json!({"ids": [BEN], "teams": []})).await.unwrap();
    assert_eq!(names(&found), ["Plan", "Ship"]);
    assert_eq!(people(json!({"ids": [], "teams": []})).await.unwrap()["total"], 5);
    let error = refused(people(json!({"ids": [], "teams": ["core"]})).await, "invalid-input");
    assert_eq!(
        (error.fields()[0].pointer.as_str(), error.fields()[0].code.name()),
        ("/filters/people/teams", "unknown-team")
    );
    assert!(error.fields()[0].detail.contains("core"), "{error}");
    let rule = json!([{"col": "Owner", "op": "anyOf", "value": {"ids": [], "teams": ["core"]}}]);
    let error = refused(ask(&program, &board, rule).await, "invalid-filter");
    assert_eq!(error.fields()[0].code.name(), "unknown-team", "{error}");
    let rule = json!([{"col": "Owner", "op": "anyOf", "value": {"ids": [BEN], "teams": []}}]);
    assert_eq!(names(&ask(&program, &board, rule).await.unwrap()), ["Plan", "Ship"]);
}

#[tokio::test]
async fn what_is_done_is_not_overdue_whatever_says_so() {
    let program = start().await;
    let blank = json!({"workspaceId": WORKSPACE, "name": "Dates", "preset": "blank"});
    let board = program.owner("boards.create", blank).await.unwrap()["id"].as_str().unwrap().to_owned();
    let due = add_column(&program, &board, "Due", "date", json!({})).await;
    let closed = add_column(&program, &board, "Closed", "checkbox", json!({})).await;
    let urgent = add_column(&program, &board, "Urgent", "checkbox", json!({})).await;
    let items = json!([
        {"name": "Open", "cells": {due.as_str(): "2026-02-01", closed.as_str(): false, urgent: true}},
        {"name": "Checked", "cells": {due.as_str(): "2026-02-01", closed.as_str(): true}},
    ]);
    program.owner("boards.items.create", json!({"boardId": board, "items": items})).await.unwrap();
    let answer = ask(&program, &board, json!([{"col": "Due", "op": "overdue"}])).await.unwrap();
    assert_eq!(names(&answer), ["Open"]);
    // A checkbox that is called otherwise does not say it, even where nothing else does.
    let title = json!({"boardId": board, "columnId": closed, "title": "Seen"});
    program.owner("boards.columns.update", title).await.unwrap();
    let answer = ask(&program, &board, json!([{"col": "Due", "op": "overdue"}])).await.unwrap();
    assert_eq!(names(&answer), ["Open", "Checked"]);
}

#[tokio::test]
async fn a_member_is_named_by_what_one_alone_is_called_and_nobody_is_refused() {
    let program = start().await;
    let board = filled(&program).await;
    add_column(&program, &board, "By", "createdBy", json!({})).await;
    let of_people = |ids: Value| json!({"v": 1, "people": {"ids": ids, "teams": []}, "all": []});
    let of_rule = |value: Value| json!({"all": [{"id": "r", "col": "Owner", "op": "anyOf", "value": value}]});
    let by_type = |value: Value| {
        let col = json!({"by": "title", "title": "owner", "type": "people"});
        json!({"all": [{"any": [{"id": "r", "col": col, "op": "anyOf", "value": value}]}]})
    };
    let ask = async |filters: Value, strict: bool| {
        program.owner("boards.query", json!({"boardId": board, "filters": filters, "strict": strict})).await
    };
    for filters in [
        of_people(json!(["Ben Ito"])),
        of_rule(json!("Ben Ito")),
        of_rule(json!({"ids": ["Ben Ito"], "teams": []})),
        by_type(json!([BEN])),
        by_type(json!(["Ben Ito", BEN])),
    ] {
        assert_eq!(names(&ask(filters.clone(), true).await.unwrap()), ["Plan", "Ship"], "{filters}");
    }
    let made = async |by: &str| ask(json!({"all": [{"col": "By", "op": "anyOf", "value": by}]}), true).await.unwrap();
    assert_eq!((&made("owner").await["total"], &made("agent").await["total"]), (&json!(5), &json!(0)));

    // Another account's member is nobody here, by id and by name, and so is who shares a name.
    store::HasDb::db(&program.ctx)
        .write(|tx| {
            for id in ["m-k1", "m-k2"] {
                let row = store::params![ACCOUNT, id, "Kim"];
                let sql = "INSERT INTO members (account_id, member_id, name, email, role, time_zone, created_ms) \
                           VALUES ($1, $2, $3, '', 'member', 'UTC', 0)";
                tx.execute(sql, row)?;
            }
            Ok(())
        })
        .await
        .unwrap();
    for nobody in ["Annna", "Sol", STRANGER, "m-none-such", "Kim", "agent"] {
        for (place, filters) in [
            ("/filters/people", of_people(json!([ANNA, nobody]))),
            ("/filters/all/0", of_rule(json!([ANNA, nobody]))),
            ("/filters/all/0", of_rule(json!({"ids": [nobody]}))),
            ("/filters/all/0/any/0", by_type(json!(nobody))),
        ] {
            let error = refused(ask(filters.clone(), true).await, "invalid-filter");
            let field = &error.fields()[0];
            assert_eq!((field.pointer.as_str(), field.code.name()), (place, "unknown-member"), "{filters}");
            let which = if filters.to_string().contains(ANNA) { "number 2 of these" } else { "this one" };
            let said = format!(
                "Member not found: {which}. Name members by ID or unique name; `me` is the caller, `none` is nobody."
            );
            assert_eq!((&field.detail, error.detail()), (&said, said.as_str()), "{filters}");
            let answer = ask(filters.clone(), false).await.unwrap();
            let rule = if place == "/filters/people" { "people" } else { "r" };
            let inert = json!([{"rule": rule, "reason": "unknown-member"}]);
            assert_eq!(answer["coverage"]["inertRules"], inert, "{place}");
            let annas = if filters.to_string().contains(ANNA) { vec!["Résumé", "Ship"] } else { Vec::new() };
            assert_eq!(names(&answer), annas, "{filters}: no item holds who is none");
        }
        let filters = json!({"all": [{"col": "Owner", "op": "noneOf", "value": [ANNA, nobody]}]});
        assert_eq!(names(&ask(filters, false).await.unwrap()), ["Plan", "Rest", "Plan again"], "{nobody}");
    }
    assert_eq!(ask(of_rule(json!("me")), false).await.unwrap()["total"], 0, "the owner's caller is no member");
}

#[tokio::test]
async fn who_has_left_is_found_by_id_where_an_item_still_holds_it() {
    let program = start().await;
    let board = filled(&program).await;
    let leave = |tx: &mut store::Tx<'_>| tx.execute("DELETE FROM members WHERE member_id = $1", store::params![BEN]);
    store::HasDb::db(&program.ctx).write(leave).await.unwrap();
    let ben = json!([{"col": "Owner", "op": "anyOf", "value": [BEN]}]);
    assert_eq!(names(&ask(&program, &board, ben.clone()).await.unwrap()), ["Plan", "Ship"]);
    let people = json!({"boardId": board, "filters": {"people": {"ids": [BEN]}}});
    assert_eq!(names(&program.owner("boards.query", people).await.unwrap()), ["Plan", "Ship"]);
    let name = json!([{"col": "Owner", "op": "anyOf", "value": ["Ben Ito"]}]);
    refused(ask(&program, &board, name).await, "invalid-filter");
    for item in ask(&program, &board, ben.clone()).await.unwrap()["items"].as_array().unwrap() {
        let cell = json!({"boardId": board, "itemId": item["id"], "columnId": "c2", "value": null});
        program.owner("boards.cell", cell).await.unwrap();
    }
    refused(ask(&program, &board, ben).await, "invalid-filter");
}
