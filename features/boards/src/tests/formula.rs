//! Formula columns: what they give, where they give nothing, and that everything that reads a board sees their results.

use super::*;
use serde_json::json;

/// A board with Price (c1), Quantity (c2), Due (c3), Note (c4), State (c5), Owners (c6) and Tags (c7).
async fn shop(program: &Program) -> String {
    let input = json!({"workspaceId": WORKSPACE, "name": "Shop", "preset": "blank"});
    let board = program.owner("boards.create", input).await.unwrap()["id"].as_str().unwrap().to_owned();
    for (title, kind, settings) in [
        ("Price", "number", json!({})),
        ("Quantity", "number", json!({})),
        ("Due", "date", json!({})),
        ("Note", "text", json!({})),
        ("State", "status", json!({"labels": [{"text": "Open"}, {"text": "Sold", "done": true}]})),
        ("Owners", "people", json!({})),
        ("Tags", "tags", json!({})),
    ] {
        add_column(program, &board, title, kind, settings).await;
    }
    board
}

async fn item(program: &Program, board: &str, cells: Value) -> String {
    let input = json!({"boardId": board, "name": "Chair", "cells": cells});
    program.owner("boards.items.create", input).await.unwrap()["id"].as_str().unwrap().to_owned()
}

async fn formula(program: &Program, board: &str, title: &str, formula: &str) -> String {
    add_column(program, board, title, "formula", json!({"formula": formula})).await
}

async fn cell(program: &Program, board: &str, column: &str) -> Value {
    full_json(program, board).await["items"][0]["cells"][column].clone()
}

async fn preview(program: &Program, board: &str, formula: &str) -> Value {
    program.owner("boards.formulas.preview", json!({"boardId": board, "formula": formula})).await.unwrap()
}

#[tokio::test]
async fn a_formula_gives_what_the_help_says() {
    let program = start().await;
    let board = shop(&program).await;
    item(&program, &board, json!({"c6": [ANNA, BEN], "c7": ["a", "b"]})).await;
    for function in program.owner("boards.formulas.functions", json!({})).await.unwrap()["items"].as_array().unwrap() {
        let (example, expected) = (function["example"].as_str().unwrap(), function["result"].as_str().unwrap());
        if example.is_empty() {
            continue;
        }
        let shown = match &preview(&program, &board, example).await["items"][0]["value"] {
            Value::String(text) => text.clone(),
            Value::Bool(truth) => if *truth { "Yes" } else { "No" }.to_owned(),
            other => other.to_string(),
        };
        assert_eq!(shown, expected, "{example}");
    }
    assert_eq!(preview(&program, &board, "COUNT({Owners}) + COUNT({Tags})").await["items"][0]["value"], json!(4));
}

#[tokio::test]
async fn formulas_compute_with_each_type_of_column() {
    let program = start().await;
    let board = shop(&program).await;
    let cells =
        json!({"c1": 2.5, "c2": 4, "c3": "2026-03-30", "c4": "oak", "c5": "l2", "c6": [ANNA], "c7": ["x", "y"]});
    item(&program, &board, cells).await;
    for (formula, result, value) in [
        ("{Price} * {Quantity}", "number", json!(10)),
        ("= {price} + {QUANTITY} % ", "number", json!(2.54)),
        ("{c1}-{c2}/2^2", "number", json!(1.5)),
        ("{Due} + 2", "date", json!("2026-04-01")),
        ("{Due} - DATE(2026, 3, 1)", "number", json!(29)),
        ("{Due} < DATE(2027, 1, 1)", "checkbox", json!(true)),
        ("{Name} & \" of \" & {Note} & \" \" & {Price}", "text", json!("Chair of oak 2.5")),
        ("IF({State} = \"sold\", \"gone\", \"here\")", "text", json!("gone")),
        ("UPPER({Tags})", "text", json!("X, Y")),
        ("{Tags}", "text", json!("x, y")),
        ("IF(COUNT({Owners}) > 0,\n  {Price},\n  0)", "number", json!(2.5)),
        ("\"3\"\" pipe\"", "text", json!("3\" pipe")),
        ("\"{Price}\"", "text", json!("{Price}")),
        ("MAX({Due}, DATE(2026, 12, 31))", "date", json!("2026-12-31")),
    ] {
        let previewed = preview(&program, &board, formula).await;
        assert_eq!(
            (&previewed["result"], &previewed["items"][0]["value"]),
            (&json!(result), &value),
            "{formula}: {previewed}"
        );
    }
}

#[tokio::test]
async fn where_there_is_no_result_the_cell_is_empty_and_the_reason_told() {
    let program = start().await;
    let board = shop(&program).await;
    let chair = item(&program, &board, json!({"c2": 0})).await;
    for (formula, reason) in [
        ("1 / {Quantity}", "Division by zero."),
        ("MOD(1, {Quantity})", "Division by zero."),
        ("{Price} * 2", "“Price” is empty."),
        ("{Due} + 1", "“Due” is empty."),
        ("1E308 * 10", "The number is too large or undefined."),
        ("SQRT(-1)", "The number is too large or undefined."),
        ("0 ^ -1", "The number is too large or undefined."),
        ("DATE(2026, 2, 30)", "The date doesn't exist."),
        ("DATE(9999, 12, 31) + 1", "The date doesn't exist."),
        ("VALUE(\"inf\")", "The text isn't a number."),
        ("IF(1 > 2, 5)", "The condition isn't met, and the formula has no other value."),
        ("SUM({Price}, 1 / 0)", "Division by zero."),
        ("{Note}", "The text is empty."),
    ] {
        let shown = &preview(&program, &board, formula).await["items"][0];
        assert_eq!((&shown["value"], &shown["reason"]), (&Value::Null, &json!(reason)), "{formula}");
    }
    for (formula, value) in [
        ("IFEMPTY(1 / {Quantity}, -1)", json!(-1)),
        ("SUM({Price}, {Quantity}, 3)", json!(3)),
        ("{Price} & \"x\"", json!("x")),
        ("EMPTY({Due})", json!(true)),
        ("0 * -1", json!(0)),
    ] {
        assert_eq!(preview(&program, &board, formula).await["items"][0]["value"], value, "{formula}");
    }
    let column = formula(&program, &board, "Each", "1 / {Quantity}").await;
    assert_eq!(cell(&program, &board, &column).await, Value::Null);
    let of_one = json!({"boardId": board, "columnId": column, "itemId": chair});
    let shown = program.owner("boards.formulas.preview", of_one).await.unwrap();
    assert_eq!(shown["items"][0]["reason"], "Division by zero.");
}

#[tokio::test]
async fn what_is_wrong_with_a_formula_is_said_with_its_place() {
    let program = start().await;
    let board = shop(&program).await;
    for (formula, at, part) in [
        ("{Price} * {Color}", 10, "Column \"Color\" not found"),
        ("{Price} + {Note}", 8, "needs two numbers; these are a number and a text"),
        ("{Price} +", 9, "is incomplete"),
        ("({Price}", 8, "parenthesis"),
        ("{Price} {Quantity}", 8, "Unexpected here"),
        ("ROUND({Note})", 6, "ROUND needs a number here; this is a text"),
        ("ROUND()", 0, "ROUND needs 1 arguments"),
        ("ABS(1, 2)", 0, "needs 1 arguments"),
        ("HACK(1)", 0, "Function HACK not found"),
        ("IF(1, 2, 3)", 3, "IF needs yes or no here"),
        ("IF(TRUE, 2, \"a\")", 12, "values of one type"),
        ("IF(TRUE,,2)", 0, "is missing"),
        ("\"open", 0, "isn't closed"),
        ("{Price", 0, "isn't closed"),
        ("  1 ; 2", 4, "Separate arguments with a comma"),
        ("A1 + 1", 0, "“A1” is unknown"),
        ("_c1_ + 1", 0, "“_c1_” is unknown"),
        ("{Owners}", 0, "Use COUNT for their number"),
        ("{1, 2}", 0, "Column \"1, 2\" not found"),
        ("1e999", 0, "too large"),
        ("'a'", 0, "double quotes"),
        ("Größe", 2, "“ö” isn't part of a formula"),
        ("", 0, "empty"),
        ("=", 0, "empty"),
    ] {
        let problem = preview(&program, &board, formula).await["problem"].clone();
        assert!(problem["detail"].as_str().is_some_and(|says| says.contains(part)), "{formula}: {problem}");
        assert_eq!(problem["at"], at, "{formula}: {problem}");
        let input = json!({"boardId": board, "title": "F", "type": "formula", "settings": {"formula": formula}});
        let error = program.owner("boards.columns.create", input).await.unwrap_err();
        assert_eq!((error.code().name, error.problem()["at"].clone()), ("invalid-formula", json!(at)), "{formula}");
    }
    for formula in ["1+".repeat(400) + "1", "(".repeat(300) + "1", "-".repeat(900) + "1", "1".repeat(1_001)] {
        let problem = preview(&program, &board, &formula).await["problem"].clone();
        assert!(problem["detail"].is_string(), "{formula}");
    }
    add_column(&program, &board, "Price", "number", json!({})).await;
    let problem = preview(&program, &board, "{Price}").await["problem"].clone();
    assert_eq!(problem["detail"], "2 columns are named \"Price\". Enter the one you mean as {c1} or {c8}.");
}

#[tokio::test]
async fn results_follow_each_change_of_an_item() {
    let program = start().await;
    let board = shop(&program).await;
    let total = formula(&program, &board, "Total", "{Price} * {Quantity}").await;
    let words = formula(&program, &board, "Words", "{Name} & \": \" & {Total}").await;
    let chair = item(&program, &board, json!({"c1": 2, "c2": 3})).await;
    assert_eq!(cell(&program, &board, &total).await, json!(6));
    let set = json!({"boardId": board, "itemId": chair, "columnId": "c1", "value": 5});
    let written = program.owner("boards.cell", set).await.unwrap();
    assert_eq!((&written["cells"][&total], &written["cells"][&words]), (&json!(15), &json!("Chair: 15")));
    let activity = program.owner("boards.items.activity", json!({"boardId": board, "itemId": chair})).await.unwrap();
    assert_eq!(activity["items"][0]["field"], "c1", "only what someone changed is recorded");
    let undo = json!({"boardId": board, "changeId": activity["items"][0]["changeId"]});
    program.owner("boards.undo", undo).await.unwrap();
    assert_eq!(cell(&program, &board, &total).await, json!(6));
    let many = json!({"boardId": board, "items": [{"itemId": chair, "name": "Bench", "cells": {"c1": 7}}]});
    program.owner("boards.cells", many).await.unwrap();
    assert_eq!(
        (cell(&program, &board, &total).await, cell(&program, &board, &words).await),
        (json!(21), json!("Bench: 21"))
    );
    let update = json!({"boardId": board, "itemId": chair, "name": "Stool", "cells": {"c2": null}});
    let written = program.owner("boards.items.update", update).await.unwrap();
    assert_eq!((&written["cells"][&total], &written["cells"][&words]), (&Value::Null, &json!("Stool: ")));
}

#[tokio::test]
async fn results_follow_each_change_of_a_column() {
    let program = start().await;
    let board = shop(&program).await;
    item(&program, &board, json!({"c1": 2, "c2": 3, "c5": "l1"})).await;
    let total = formula(&program, &board, "Total", "{Price} * {Quantity}").await;
    let twice = formula(&program, &board, "Twice", "{Total} & {Total}").await;
    let state = formula(&program, &board, "Said", "{State}").await;
    assert_eq!(cell(&program, &board, &twice).await, json!("66"));
    let revision = full_json(&program, &board).await["board"]["revision"].as_i64().unwrap();

    let update = async |column: &str, change: Value| {
        let mut input = json!({"boardId": board, "columnId": column});
        input.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        program.owner("boards.columns.update", input).await
    };
    // The title of a column stands in no formula.
    update("c1", json!({"title": "Cost"})).await.unwrap();
    let formulas = program.owner("boards.formulas.get", json!({"boardId": board})).await.unwrap();
    assert_eq!(formulas["items"][0]["formula"], "{Cost} * {Quantity}");
    assert_eq!(formulas["computing"], Value::Null);
    assert_eq!(full_json(&program, &board).await["columns"][7]["settings"]["formula"], "{c1} * {c2}");

    update("c5", json!({"settings": {"labels": [{"id": "l1", "text": "New"}]}})).await.unwrap();
    assert_eq!(cell(&program, &board, &state).await, json!("New"));
    update(&total, json!({"settings": {"formula": "{Cost} + {Quantity}"}})).await.unwrap();
    assert_eq!(cell(&program, &board, &twice).await, json!("55"));
    // What it gives changes, and with it what the one that uses it gives.
    update(&twice, json!({"settings": {"formula": "{Total}"}})).await.unwrap();
    update(&total, json!({"settings": {"formula": "{Cost} > 1"}})).await.unwrap();
    let columns = full_json(&program, &board).await["columns"].clone();
    assert_eq!(
        (&columns[7]["settings"]["result"], &columns[8]["settings"]["result"]),
        (&json!("checkbox"), &json!("checkbox"))
    );
    assert_eq!(cell(&program, &board, &twice).await, json!(true));

    let changed = json!({"boardId": board, "since": revision});
    let changed = program.owner("boards.changed", changed).await.unwrap();
    assert_eq!(changed["items"][0]["cells"][&total], json!(true), "who keeps the board hears of it");

    program.owner("boards.columns.delete", json!({"boardId": board, "columnId": "c1"})).await.unwrap();
    assert_eq!(cell(&program, &board, &twice).await, Value::Null);
    let formulas = program.owner("boards.formulas.get", json!({"boardId": board})).await.unwrap();
    let problems = [0, 1].map(|at| formulas["items"][at]["problem"].as_str().unwrap().to_owned());
    assert_eq!(problems[0], "A column used by the formula was deleted.");
    assert_eq!(problems[1], "Can't compute “Total”: A column used by the formula was deleted.");
}

#[tokio::test]
async fn a_circle_is_refused_and_its_way_named() {
    let program = start().await;
    let board = shop(&program).await;
    let first = formula(&program, &board, "First", "{Price} + 1").await;
    let second = formula(&program, &board, "Second", "{First} + 1").await;
    formula(&program, &board, "Third", "{Second} + 1").await;
    for (column, written, path) in [
        (&first, "{First} + 1", json!(["First", "First"])),
        (&first, "{Third}", json!(["First", "Third", "Second", "First"])),
        (&second, "1 + {Third}", json!(["Second", "Third", "Second"])),
    ] {
        let input = json!({"boardId": board, "columnId": column, "settings": {"formula": written}});
        let error = program.owner("boards.columns.update", input).await.unwrap_err();
        assert_eq!((error.code().name, &error.problem()["path"]), ("formula-cycle", &path));
    }
}

#[tokio::test]
async fn computed_cells_cannot_be_written() {
    let program = start().await;
    let board = shop(&program).await;
    let total = formula(&program, &board, "Total", "{Price}").await;
    let chair = item(&program, &board, json!({})).await;
    let cells = json!({&total: 1});
    for (op, input) in [
        ("boards.cell", json!({"boardId": board, "itemId": chair, "columnId": total, "value": null})),
        ("boards.items.update", json!({"boardId": board, "itemId": chair, "cells": cells})),
        ("boards.items.create", json!({"boardId": board, "name": "N", "cells": cells})),
    ] {
        assert_eq!(program.owner(op, input).await.unwrap_err().code().name, "read-only-column", "{op}");
    }
}

#[tokio::test]
async fn settings_that_are_no_formulas_are_refused() {
    let program = start().await;
    let board = shop(&program).await;
    for (kind, settings) in [
        ("formula", json!({})),
        ("formula", json!({"formula": "1", "labels": []})),
        ("number", json!({"formula": "1"})),
        ("number", json!({"result": "number"})),
    ] {
        let input = json!({"boardId": board, "title": "F", "type": kind, "settings": settings});
        let error = program.owner("boards.columns.create", input).await.unwrap_err();
        assert_eq!(error.code().status, 422, "{kind} {settings}");
    }
    let settings = json!({"formula": "1", "unit": "h", "decimals": 1, "result": "text"});
    let column = add_column(&program, &board, "F", "formula", settings).await;
    let stored = &full_json(&program, &board).await["columns"][7];
    assert_eq!((stored["id"].as_str(), &stored["settings"]["result"]), (Some(column.as_str()), &json!("number")));
}

#[tokio::test]
async fn a_board_has_a_limited_number_of_formulas() {
    let program = start().await;
    let board = shop(&program).await;
    for number in 0..crate::FORMULAS_MAX {
        formula(&program, &board, &format!("F{number}"), "{Price}").await;
    }
    let input = json!({"boardId": board, "title": "F", "type": "formula", "settings": {"formula": "1"}});
    assert_eq!(program.owner("boards.columns.create", input).await.unwrap_err().code().name, "board-limit");
}

#[tokio::test]
async fn a_large_board_is_computed_in_pieces_and_a_stop_is_gone_on_from() {
    let program = start().await;
    let board = shop(&program).await;
    for _ in 0..5 {
        let items: Vec<Value> = (0..1_000).map(|n| json!({"name": "N", "cells": {"c1": n}})).collect();
        program.owner("boards.items.create", json!({"boardId": board, "items": items})).await.unwrap();
    }
    let total = formula(&program, &board, "Total", "{Price} + 1").await;
    crate::recompute::finish(&program.ctx, ACCOUNT.to_owned(), board.clone()).await.unwrap();
    let full = full_json(&program, &board).await;
    assert!(full["items"].as_array().unwrap().iter().all(|item| item["cells"][&total].is_i64()));

    // The type changes while most items still hold what they held: every form can be read all the same.
    let input = json!({"boardId": board, "columnId": total, "settings": {"formula": "{Price} & \"\""}});
    let (b, input_of_left) = (board.clone(), board.clone());
    program.owner("boards.columns.update", input).await.unwrap();
    crate::recompute::finish(&program.ctx, ACCOUNT.to_owned(), b).await.unwrap();
    // Who follows the change may have one more look to take, which would find what is left below.
    while program.ctx.service::<crate::behind::Running>().is_any() {
        tokio::task::yield_now().await;
    }
    let half = move |tx: &mut store::Tx<'_>| {
        tx.execute(
            "UPDATE items SET record_json = replace(record_json, '\"c8\":\"7\"', '\"c8\":7') WHERE account_id = $1 AND board_id = $2",
            params![ACCOUNT, &input_of_left],
        )?;
        tx.execute(
            "INSERT INTO board_formulas_left (account_id, board_id, after_item, done) VALUES ($1, $2, $3, $4)",
            params![ACCOUNT, &input_of_left, "", 0],
        )?;
        tx.execute(
            "UPDATE boards SET revision = revision + 1 WHERE account_id = $1 AND board_id = $2",
            params![ACCOUNT, &input_of_left],
        )
    };
    program.ctx.db().write(half).await.unwrap();
    let formulas = program.owner("boards.formulas.get", json!({"boardId": board})).await.unwrap();
    assert_eq!(formulas["computing"], json!({"done": 0, "total": 5_000}));
    assert_eq!(full_reply(&program, &board, crate::ARROW, None).await.status, 200);
    let before = full_json(&program, &board).await;
    assert!(before["items"].as_array().unwrap().iter().any(|item| item["cells"][&total] == json!(7)));
    crate::recompute::finish_all(&program.ctx).await.unwrap();
    let after = full_json(&program, &board).await;
    assert!(after["items"].as_array().unwrap().iter().all(|item| item["cells"][&total].is_string()));
    let formulas = program.owner("boards.formulas.get", json!({"boardId": board})).await.unwrap();
    assert_eq!(formulas["computing"], Value::Null);
}

#[tokio::test]
async fn exports_hold_the_results() {
    let program = start().await;
    let board = shop(&program).await;
    formula(&program, &board, "Total", "{Price} * {Quantity}").await;
    formula(&program, &board, "Next", "{Due} + 1").await;
    formula(&program, &board, "Word", "\"=\" & {Name}").await;
    item(&program, &board, json!({"c1": 2, "c2": 3.25, "c3": "2026-12-31"})).await;
    let (_, bytes) = super::export::export(&program, &board, json!({"format": "csv"})).await;
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.lines().nth(1).unwrap().ends_with(",6.5,2027-01-01,'=Chair"), "{text}");
}

#[tokio::test]
async fn what_comes_back_from_the_trash_is_computed_anew() {
    let program = start().await;
    let board = shop(&program).await;
    let total = formula(&program, &board, "Total", "{Price} + 1").await;
    let chair = item(&program, &board, json!({"c1": 2})).await;
    program.owner("boards.items.delete", json!({"boardId": board, "itemId": chair})).await.unwrap();
    let change = json!({"boardId": board, "columnId": total, "settings": {"formula": "{Price} + 10"}});
    program.owner("boards.columns.update", change).await.unwrap();
    program.owner("boards.items.restore", json!({"boardId": board, "itemId": chair})).await.unwrap();
    assert_eq!(cell(&program, &board, &total).await, json!(12));

    program.owner("boards.columns.delete", json!({"boardId": board, "columnId": "c1"})).await.unwrap();
    assert_eq!(cell(&program, &board, &total).await, Value::Null);
    program.owner("boards.columns.restore", json!({"boardId": board, "columnId": "c1"})).await.unwrap();
    assert_eq!(cell(&program, &board, &total).await, json!(12));

    program.owner("boards.columns.delete", json!({"boardId": board, "columnId": total})).await.unwrap();
    let set = json!({"boardId": board, "itemId": chair, "columnId": "c1", "value": 5});
    program.owner("boards.cell", set).await.unwrap();
    program.owner("boards.columns.restore", json!({"boardId": board, "columnId": total})).await.unwrap();
    assert_eq!(cell(&program, &board, &total).await, json!(15));
}
