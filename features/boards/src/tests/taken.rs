//! Only rows that are taken say what columns hold and what a board gets, and how many those are is foretold.

use super::import::send;
use super::*;
use testkit::json_of;

/// The preview of a file.
async fn preview(p: &Program, text: &str, more: Value) -> Value {
    let mut input = json!({"dryRun": true});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json_of(&send(p, text.as_bytes(), input).await.unwrap())
}

/// The columns of a preview: `title:type`, or what else they are.
fn kinds(preview: &Value) -> Vec<String> {
    let columns = preview["columns"].as_array().unwrap().iter();
    let kind = |c: &Value| c.get("type").unwrap_or(&c["role"]).as_str().unwrap().to_owned();
    columns.map(|c| format!("{}:{}", c["title"].as_str().unwrap(), kind(c))).collect()
}

/// How many rows a preview says there are, are taken and are left out.
fn foretold(preview: &Value) -> [u64; 3] {
    ["rowsEstimated", "rowsTaken", "rowsLeftOut"].map(|name| preview[name].as_u64().unwrap())
}

#[tokio::test]
async fn a_row_that_is_not_taken_decides_no_type() {
    let p = start().await;
    let rows: String = (0..50).map(|n| format!("T{n},2026-01-01,$0.00\n")).collect();
    let text = format!("Task,Due,Cost\n{rows}Too,many,fields,here\n");
    let found = preview(&p, &text, json!({})).await;
    assert_eq!(kinds(&found), ["Task:name", "Due:date", "Cost:number"], "{found}");
    let answer = json_of(&send(&p, text.as_bytes(), json!({})).await.unwrap());
    assert_eq!((&answer["rowsImported"], &answer["rowsSkipped"]), (&json!(50), &json!(1)), "{answer}");
    let full = full_json(&p, answer["board"]["id"].as_str().unwrap()).await;
    assert_eq!(full["items"][0]["cells"], json!({"c1": "2026-01-01", "c2": 0}));

    // Nor a label or a group.
    let text = "Name,Section,Status\na,One,Open\nb,Two,Odd,more\n";
    let answer = json_of(&send(&p, text.as_bytes(), json!({})).await.unwrap());
    let full = full_json(&p, answer["board"]["id"].as_str().unwrap()).await;
    assert_eq!(full["groups"].as_array().unwrap().len(), 1, "{full}");
    assert_eq!(full["columns"][0]["settings"]["labels"].as_array().unwrap().len(), 1, "{full}");
}

#[tokio::test]
async fn a_board_is_called_after_the_file_that_the_caller_names() {
    let p = start().await;
    let cases = [
        (json!({"fileName": "Spring plan.v2.csv"}), "Spring plan.v2"),
        (json!({"fileName": "folder/Plan.csv"}), "Plan"),
        (json!({"fileName": "Plan.csv", "name": "Mine"}), "Mine"),
        (json!({"fileName": " .csv"}), "Imported board"),
        (json!({}), "Imported board"),
    ];
    for (input, name) in cases {
        let answer = json_of(&send(&p, b"Name,N\na,1\n", input.clone()).await.unwrap());
        assert_eq!(answer["board"]["name"], name, "{input}");
    }
}

#[tokio::test]
async fn the_order_of_days_and_months_is_chosen_where_dates_do_not_tell() {
    let p = start().await;
    let of = |found: &Value, at: usize| {
        let column = &found["columns"][at];
        (column["dateOrder"].as_str().map(str::to_owned), column["notes"].to_string())
    };
    let some = |order: &str| Some(order.to_owned());
    let text = "Name,When\na,01/02/2026\nb,03/04/2026\n";
    let (order, notes) = of(&preview(&p, text, json!({})).await, 1);
    assert!(order == some("month-first") && notes.contains("Ambiguous: no date here shows"), "{notes}");
    for (chosen, day) in [("day-first", "2026-02-01"), ("month-first", "2026-01-02")] {
        let input = json!({"dateOrder": chosen});
        let (order, notes) = of(&preview(&p, text, input.clone()).await, 1);
        assert!(order == some(chosen) && notes.contains("as you chose"), "{notes}");
        let answer = json_of(&send(&p, text.as_bytes(), input.clone()).await.unwrap());
        let board = answer["board"]["id"].clone();
        let cell = async || full_json(&p, board.as_str().unwrap()).await["items"][0]["cells"]["c1"].clone();
        assert_eq!(cell().await, day);
        // Into a board that is there, dates are read alike.
        let usual = json!({"boardId": board, "key": "Name"});
        let (order, notes) = of(&preview(&p, text, usual.clone()).await, 1);
        assert!(order == some("month-first") && notes.contains("Ambiguous"), "{notes}");
        send(&p, text.as_bytes(), usual).await.unwrap();
        assert_eq!(cell().await, "2026-01-02");
        send(&p, text.as_bytes(), json!({"boardId": board, "key": "Name", "dateOrder": chosen})).await.unwrap();
        assert_eq!(cell().await, day);
        let columns = json!([{"index": 1, "type": "date"}]).to_string();
        let found = preview(&p, text, json!({"columns": columns, "dateOrder": chosen})).await;
        assert_eq!(of(&found, 1).0, some(chosen), "{found}");
    }
    // Points between the numbers say that the day comes first, whatever signs stand around the time of day.
    let dotted = "Name,When\na,01.11.2026\nb,02.12.2026\n";
    assert_eq!(of(&preview(&p, dotted, json!({})).await, 1), (None, "[]".to_owned()));
    let timed = "Name,When\na,01/02/2026 10:00:00.000\n";
    assert_eq!(of(&preview(&p, timed, json!({})).await, 1).0, some("month-first"));
    // Columns that are plain decide for those that are not, when they agree.
    for (others, order, note) in [
        ("31/01/2026,30/01/2026", "day-first", "as in the file's other dates"),
        ("31.01.2026,30/01/2026", "day-first", "as in the file's other dates"),
        ("01.01.2026,", "day-first", "as in the file's other dates"),
        ("01/31/2026,", "month-first", "as in the file's other dates"),
        ("31/01/2026,01/30/2026", "month-first", "Ambiguous"),
    ] {
        let text = format!("Name,When,From,To\na,01/02/2026,{others}\n");
        let (found, notes) = of(&preview(&p, &text, json!({})).await, 1);
        assert!(found == some(order) && notes.contains(note), "{others}: {found:?} {notes}");
    }
    let refused = send(&p, text.as_bytes(), json!({"dateOrder": "year-first"})).await;
    testkit::refused(refused, "invalid-input");
}

#[tokio::test]
async fn dates_of_several_shapes_are_one_column() {
    let p = start().await;
    // Values of a column, the days that they are, and the order that was taken where they do not tell it.
    let cases: [(&[&str], &[&str], Value); 8] = [
        (
            &["2026-11-03", "Nov 7, 2026", "8 November 2026", "24. Dezember 2026", "3.11.2026", "08.11.26"],
            &["2026-11-03", "2026-11-07", "2026-11-08", "2026-12-24", "2026-11-03", "2026-11-08"],
            json!(null),
        ),
        (&["2026-11-03", "11/30/2026", "4/5/2026"], &["2026-11-03", "2026-11-30", "2026-04-05"], json!(null)),
        (&["1 May 2026", "30/11/2026", "4/5/2026"], &["2026-05-01", "2026-11-30", "2026-05-04"], json!(null)),
        (&["2026-11-03", "4/5/2026"], &["2026-11-03", "2026-04-05"], json!("month-first")),
        // Points tell that the day comes first, and so it does in the column's other dates.
        (&["3.11.2026", "4/5/2026"], &["2026-11-03", "2026-05-04"], json!("day-first")),
        (&["3.11.2026", "11/30/2026"], &["2026-11-03", "2026-11-30"], json!(null)),
        (&["11.30.2026", "3.11.2026"], &["2026-11-30", "2026-03-11"], json!(null)),
        (&["2026-11-03T10:00", "Nov 7, 2026 3:05 PM"], &["2026-11-03", "2026-11-07"], json!(null)),
    ];
    for (values, days, order) in cases {
        let rows: String = values.iter().map(|value| format!("a,\"{value}\"\n")).collect();
        for chosen in [json!({}), json!({"columns": json!([{"index": 1, "type": "date"}]).to_string()})] {
            let text = format!("Name,Day\n{rows}");
            let found = preview(&p, &text, chosen.clone()).await;
            assert_eq!(kinds(&found)[1], "Day:date", "{found}");
            assert_eq!((&found["columns"][1]["dateOrder"], &found["misfitRows"]), (&order, &json!(0)), "{found}");
            let answer = json_of(&send(&p, text.as_bytes(), chosen).await.unwrap());
            let full = full_json(&p, answer["board"]["id"].as_str().unwrap()).await;
            let read: Vec<&str> =
                full["items"].as_array().unwrap().iter().map(|item| item["cells"]["c1"].as_str().unwrap()).collect();
            assert_eq!(read, days, "{values:?}");
        }
    }
    // The order is one for the column: what contradicts it is no date there.
    let text = "Name,Day\na,2026-11-03\nb,31/12/2026\nc,12/31/2026\nd,30/12/2026\n";
    assert_eq!(kinds(&preview(&p, text, json!({})).await)[1], "Day:text");
    let columns = json!([{"index": 1, "type": "date"}]).to_string();
    let found = preview(&p, text, json!({"columns": columns})).await;
    assert_eq!((&found["problems"][0]["line"], &found["misfitRows"]), (&json!(4), &json!(1)), "{found}");
    let spans = "Name,When\na,2026-11-03 – 2026-11-05\nb,3.11.2026 - 5.11.2026\nc,\"Nov 3, 2026 to 5 Nov 2026\"\n";
    assert_eq!(kinds(&preview(&p, spans, json!({})).await)[1], "When:timeline");
}

#[tokio::test]
async fn decimals_are_those_of_the_reading_that_is_taken() {
    let p = start().await;
    let of = async |rows: &str, more: Value| {
        let found = preview(&p, &format!("Name;Menge;Betrag\n{rows}"), more).await;
        (found["columns"][1]["settings"].clone(), found["columns"][1]["notes"].to_string())
    };
    let whole = "a;1.200;\nb;3.400;\nc;12.000;\n";
    let (settings, notes) = of(whole, json!({})).await;
    assert!(settings == json!({}) && notes.contains("assumed comma"), "{settings} {notes}");
    let as_number = json!({"columns": json!([{"index": 1, "type": "number"}]).to_string()});
    assert_eq!(of(whole, as_number).await.0, json!({}));
    // A neighbor that tells the mark tells it for the file: nothing is ambiguous.
    assert_eq!(of("a;1.200;1.500,00\nb;3.400;3,5\n", json!({})).await, (json!({}), "[]".to_owned()));
    assert_eq!(of("a;1.200;$1.5\nb;3.400;$2\n", json!({})).await, (json!({"decimals": 3}), "[]".to_owned()));
    // Times of day and versions are written with points whatever the decimal mark is: they tell nothing against semicolons,
    // and elsewhere it is said what was gone by.
    let (settings, notes) = of("a;1.200;9.30\nb;3.400;12.45\n", json!({})).await;
    assert!(settings == json!({}) && notes.contains("assumed comma."), "{settings} {notes}");
    let found = preview(&p, "Name\tVersion\tMenge\na\t1.5\t1.200\nb\t2.3\t3.400\n", json!({})).await;
    assert_eq!(found["columns"][2]["settings"], json!({"decimals": 3}));
    assert!(found["columns"][2]["notes"][0].as_str().unwrap().ends_with("assumed point, as in the column Version."));
    let (settings, notes) = of("a;1.200;1,5\nb;3.400;\n", json!({})).await;
    assert!(settings == json!({}) && notes == "[]", "{settings} {notes}");
    // Those of the other mark in a column that is called one of numbers count as they are read.
    let as_number = json!({"columns": json!([{"index": 1, "type": "number"}]).to_string()});
    assert_eq!(of("a;1,5;\nb;2.25;\nc;3,5;\n", as_number).await.0, json!({"decimals": 2}));
}

#[tokio::test]
async fn people_and_statuses_are_told_by_their_values_whatever_their_title() {
    let p = start().await;
    let cases: [(&[&str], &str); 12] = [
        (&["Anna Berg", "Anna Berg"], "people"),
        (&["anna berg", "Ben Ito, Anna Berg", ""], "people"),
        (&["Anna Berg", "Clara Voss"], "text"),
        (&["Anna Berg"], "text"),
        (&[",", ","], "tags"),
        (&["Open", "Done", "Working", "Open"], "status"),
        (&["offen", "In Arbeit", "fertig", "offen"], "status"),
        (&["To-do", "in_progress", "Waiting for Bo", "To-do"], "status"),
        (&["Open", "Done"], "text"),
        (&["Open", "Open", "Open"], "text"),
        (&["New", "Used", "Broken", "New"], "text"),
        (&["North", "South", "North"], "text"),
    ];
    for (values, kind) in cases {
        let rows: String = values.iter().map(|value| format!("a,\"{value}\"\n")).collect();
        let found = preview(&p, &format!("Name,X\n{rows}"), json!({})).await;
        assert_eq!(kinds(&found)[1], format!("X:{kind}"), "{values:?} {found}");
    }
    let words = ["offen", "Fertig", "erledigt", "abgeschlossen", "Shipped", "läuft", "offen"];
    let rows: String = words.iter().map(|word| format!("a,{word}\n")).collect();
    let found = preview(&p, &format!("Name,Zustand\n{rows}"), json!({})).await;
    let done = ["Fertig", "erledigt", "abgeschlossen", "Shipped"];
    assert_eq!(super::tools::done_labels(&found, "Zustand"), done);
}

#[tokio::test]
async fn labels_and_groups_come_from_rows_that_are_taken_and_go_with_an_undo() {
    let p = start().await;
    let head = "Task,Group,Status,Cost\n";
    let first = format!("{head}a,One,Open,1\nb,One,Done,2\n");
    let answer = json_of(&send(&p, first.as_bytes(), json!({})).await.unwrap());
    let board = answer["board"]["id"].as_str().unwrap().to_owned();
    let has = async || {
        let full = full_json(&p, &board).await;
        let texts = |list: &Value, member: &str| {
            let texts = list.as_array().unwrap().iter().map(|one| one[member].as_str().unwrap().to_owned());
            texts.collect::<Vec<_>>().join(" ")
        };
        format!("{}; {}", texts(&full["columns"][0]["settings"]["labels"], "text"), texts(&full["groups"], "name"))
    };
    assert_eq!(has().await, "Open Done; One");
    let into = async |rows: &str, id: &str| {
        let input = json!({"boardId": board, "key": "Task", "importId": id, "onMisfit": "row"});
        json_of(&send(&p, format!("{head}{rows}").as_bytes(), input).await.unwrap())
    };
    let undo = async |id: &str| p.owner("boards.import.undo", json!({"importId": id})).await.unwrap();
    // A cell that does not fit, no key, one that was there, too many fields: none of these rows brings anything.
    let refused = "c,Two,Nonsense,much\n,Three,Odd,1\na,One,Open,1\na,Four,Strange,2\nd,Five,Wide,1,more\n";
    let answer = into(refused, "none").await;
    assert_eq!(
        (&answer["added"], &answer["rowsSkipped"], has().await.as_str()),
        (&json!(0), &json!(4), "Open Done; One")
    );

    into("a,Two,Review,1\ne,Three,Odd,2\n", "some").await;
    assert_eq!(has().await, "Open Done Review Odd; One Two Three");
    let undone = undo("some").await;
    assert_eq!(
        (&undone["labelsRemoved"], &undone["groupsRemoved"], &undone["keptCount"]),
        (&json!(2), &json!(2), &json!(0))
    );
    assert_eq!(has().await, "Open Done; One");

    // What somebody uses meanwhile stays, and is named.
    into("e,Three,Odd,2\nf,Two,Review,2\n", "used").await;
    let full = full_json(&p, &board).await;
    let (label, group) = (&full["columns"][0]["settings"]["labels"][2]["id"], &full["groups"][1]["id"]);
    assert_eq!(label, "l5", "ids that items in the trash hold are not given again");
    let item = json!({"boardId": board, "name": "own", "groupId": group, "cells": {"c1": label}});
    p.owner("boards.items.create", item).await.unwrap();
    let undone = undo("used").await;
    let kept: Vec<_> =
        undone["kept"].as_array().unwrap().iter().map(|k| format!("{} {}", k["name"], k["field"])).collect();
    assert_eq!(kept.join(", ").replace('"', ""), "Odd c1, Three groupId", "{undone}");
    assert_eq!((&undone["labelsRemoved"], has().await.as_str()), (&json!(1), "Open Done Odd; One Three"));

    // What is archived uses them too.
    into("g,Four,Even,2\n", "archived").await;
    let full = full_json(&p, &board).await;
    let item = full["items"].as_array().unwrap().iter().find(|item| item["name"] == "g").unwrap();
    let archive = json!({"boardId": board, "archive": [item["id"]]});
    p.owner("boards.cells", archive).await.unwrap();
    undo("archived").await;
    assert_eq!(has().await, "Open Done Odd Even; One Three Four");
}

#[tokio::test]
async fn a_currency_stays_understood_where_the_type_is_chosen() {
    let p = start().await;
    let text = "Name,Cost,Share,Mixed\na,$100.00,5%,$1\nb,$5.50,6%,2\nc,$1.00,7,3\n";
    let number = |index: usize| json!({"index": index, "type": "number"});
    let columns = json!([number(1), number(3)]).to_string();
    let found = preview(&p, text, json!({"columns": columns})).await;
    assert_eq!(found["columns"][1]["settings"], json!({"currency": "USD", "decimals": 2}), "{found}");
    assert_eq!(found["columns"][3]["settings"], json!({}), "{found}");
    let found = preview(&p, text, json!({})).await;
    assert_eq!(found["columns"][1]["settings"], json!({"currency": "USD", "decimals": 2}), "{found}");
    // One of three has no percent sign, whichever mark the numbers are read with.
    assert_eq!(kinds(&found)[2..], ["Share:text", "Mixed:text"], "{found}");
}

#[tokio::test]
async fn rows_that_are_left_out_are_foretold() {
    let p = start().await;
    let text = "Name,N\na,1\nb,two\nc,3,more\nd,four,more\n";
    assert_eq!(foretold(&preview(&p, text, json!({})).await), [4, 2, 2]);
    let columns = json!([{"index": 1, "type": "number"}]).to_string();
    // A row is worth more than one cell: where nothing is said only the cell is left out.
    for (misfit, taken) in [(json!({"onMisfit": "row"}), 1), (json!({"onMisfit": "cell"}), 2), (json!({}), 2)] {
        let mut input = json!({"columns": columns});
        input.as_object_mut().unwrap().extend(misfit.as_object().unwrap().clone());
        let found = preview(&p, text, input.clone()).await;
        assert_eq!((foretold(&found), &found["misfitRows"]), ([4, taken, 4 - taken], &json!(1)), "{found}");
        let answer = json_of(&send(&p, text.as_bytes(), input).await.unwrap());
        assert_eq!((&answer["rowsImported"], &answer["rowsSkipped"]), (&json!(taken), &json!(4 - taken)));
    }
    let above = "Account:,4711,,,\nName,Status,Owner,Amount,Date\na,Open,Ann,1,2026-01-01\nb,Open,Ann,2,2026-01-02\n";
    assert_eq!(foretold(&preview(&p, above, json!({})).await), [2, 2, 1]);

    // Into a board that is there, rows are left out too that do not say which item they are.
    let answer = json_of(&send(&p, b"Name,Code\na,A\n", json!({})).await.unwrap());
    let into = json!({"boardId": answer["board"]["id"], "key": "Code"});
    let text = "Name,Code\na,A\nb,B\nc,B\nd,\ne,E,more\n";
    assert_eq!(foretold(&preview(&p, text, into.clone()).await), [5, 2, 3]);
    let answer = json_of(&send(&p, text.as_bytes(), into).await.unwrap());
    assert_eq!(answer["rowsSkipped"], 3, "{answer}");
}

#[tokio::test]
async fn numbers_for_a_column_that_is_there_are_guessed_alike_and_it_is_said() {
    let p = start().await;
    let made = json_of(&send(&p, b"Name;Menge\na;5\n", json!({})).await.unwrap());
    let board = made["board"]["id"].as_str().unwrap().to_owned();
    let newer = b"Name;Menge;Uhrzeit\na;1.200;9.30\n";
    let answer = json_of(&send(&p, newer, json!({"boardId": board, "key": "Name"})).await.unwrap());
    assert_eq!(full_json(&p, &board).await["items"][0]["cells"], json!({"c1": 1200}));
    let note = &answer["notes"][0];
    assert_eq!(note["title"], "Menge", "{answer}");
    assert!(note["notes"][0].as_str().unwrap().contains("assumed comma."), "{answer}");
}
