//! A newer export into the board that an earlier one made, and taking an import back.

use super::import::{assert_no_file_left, send};
use super::*;
use testkit::{json_of, refused};

const FIRST: &str = "Summary,Issue key,Status,Assignee,Story Points,Labels,Labels\n\
    Login,A-1,Open,Anna Berg,3,web,\nExport,A-2,Open,Ben Ito,5,,\nPrint,A-3,Closed,,1,web,old\nZoom,A-4,Open,,2,,\n";
/// A-1 has another status, A-2 is as it was, A-3 is gone, A-5 is new and has a status that the board does not know.
pub(super) const SECOND: &str = "Summary,Issue key,Status,Assignee,Story Points,Labels,Labels,Due date\n\
    Login,A-1,Closed,Anna Berg,8,web,new,\nExport,A-2,Open,Ben Ito,5,,,\nZoom,A-4,Open,,2,,,\nDark mode,A-5,Reviewed,Anna Berg,2,,,2026-02-01\n";

pub(super) async fn first(p: &Program) -> (String, String) {
    let answer = json_of(&send(p, FIRST.as_bytes(), json!({"importId": "first"})).await.unwrap());
    assert_eq!(answer["rowsImported"], 4, "{answer}");
    (answer["board"]["id"].as_str().unwrap().to_owned(), answer["importId"].as_str().unwrap().to_owned())
}

pub(super) async fn into(p: &Program, board: &str, text: &str, more: Value) -> Result<Value, kit::Error> {
    let mut input = json!({"boardId": board});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    send(p, text.as_bytes(), input).await.map(|reply| json_of(&reply))
}

/// The counts of an update, in short.
pub(super) fn counts(value: &Value) -> String {
    let names = ["added", "changed", "unchanged", "missing", "kept", "stayDeleted"];
    names.map(|name| format!("{} {}", name.trim_start_matches("stay").to_lowercase(), value[name])).join(", ")
}

/// `name: cells` of every item, labels by their text.
pub(super) async fn items(p: &Program, board: &str) -> Vec<String> {
    let rows = super::import::read_back(&full_json(p, board).await);
    let shown = rows.into_iter().map(|row| {
        let cells = row.as_object().unwrap().iter().filter(|(title, _)| !title.is_empty());
        let cells: Vec<_> = cells.map(|(title, cell)| format!("{title}={cell}")).collect();
        format!("{}: {}", row[""].as_str().unwrap(), cells.join(" ")).replace('"', "")
    });
    shown.collect()
}

pub(super) async fn item_named(p: &Program, board: &str, name: &str) -> Value {
    let full = full_json(p, board).await;
    let found = full["items"].as_array().unwrap().iter().find(|item| item["name"] == name);
    found.unwrap_or_else(|| panic!("no {name}")).clone()
}

pub(super) async fn revision(p: &Program, board: &str) -> i64 {
    p.owner("boards.get", json!({"boardId": board})).await.unwrap()["revision"].as_i64().unwrap()
}

pub(super) async fn undo(p: &Program, import: &str) -> Result<Value, kit::Error> {
    p.owner("boards.import.undo", json!({"importId": import})).await
}

#[tokio::test]
async fn a_newer_export_changes_what_is_there_and_adds_the_rest() {
    let p = start().await;
    let (board, _) = first(&p).await;
    let was = items(&p, &board).await;
    let preview = into(&p, &board, SECOND, json!({"dryRun": true})).await.unwrap();
    let expected = "added 1, changed 1, unchanged 2, missing 1, kept 0, deleted 0";
    assert_eq!(counts(&preview["update"]), expected, "{preview}");
    let print = json!([{"id": item_named(&p, &board, "Print").await["id"], "name": "Print"}]);
    assert_eq!(preview["update"]["missingItems"], print);
    assert_eq!(preview["columns"][2]["columnId"], "c2");
    assert_eq!(preview["columns"][6]["role"], "skip", "the board has no such column");
    assert_eq!((items(&p, &board).await, revision(&p, &board).await), (was, 1), "a dry run changes nothing");

    let answer = into(&p, &board, SECOND, json!({"importId": "second"})).await.unwrap();
    assert_eq!(counts(&answer), expected, "{answer}");
    assert_eq!(answer["missingItems"], print);
    assert_eq!((&answer["board"]["revision"], &answer["board"]["itemCount"]), (&json!(2), &json!(5)));
    let now = [
        "Items/Login: Assignee=[Anna Berg] Issue key=A-1 Labels=[web,new] Status=Closed Story Points=8",
        "Items/Export: Assignee=[Ben Ito] Issue key=A-2 Status=Open Story Points=5",
        "Items/Print: Issue key=A-3 Labels=[web,old] Status=Closed Story Points=1",
        "Items/Zoom: Issue key=A-4 Status=Open Story Points=2",
        "Items/Dark mode: Assignee=[Anna Berg] Issue key=A-5 Status=Reviewed Story Points=2",
    ];
    assert_eq!(items(&p, &board).await, now);
    // What changed of an item is in its activity, and is one change of the board.
    let login = item_named(&p, &board, "Login").await;
    let of = json!({"boardId": board, "itemId": login["id"]});
    let activity = p.owner("boards.items.activity", of).await.unwrap();
    let fields: Vec<_> = activity["items"].as_array().unwrap().iter().map(|entry| entry["field"].clone()).collect();
    assert_eq!(fields.len(), 3, "status, points and labels: {activity}");
    // The same file once more changes nothing.
    let again = into(&p, &board, SECOND, json!({})).await.unwrap();
    assert_eq!(counts(&again), "added 0, changed 0, unchanged 4, missing 1, kept 0, deleted 0");
    assert_no_file_left(&p);
}

#[tokio::test]
async fn what_was_changed_here_stays_unless_the_caller_says_otherwise() {
    let p = start().await;
    let (board, _) = first(&p).await;
    let login = item_named(&p, &board, "Login").await["id"].clone();
    let points = json!({"boardId": board, "itemId": login, "columnId": "c4", "value": 13});
    p.owner("boards.cell", points).await.unwrap();
    let name = json!({"boardId": board, "itemId": item_named(&p, &board, "Export").await["id"], "name": "Export all"});
    p.owner("boards.items.update", name).await.unwrap();
    let zoom = json!({"boardId": board, "itemId": item_named(&p, &board, "Zoom").await["id"]});
    p.owner("boards.items.delete", zoom).await.unwrap();

    let kept = into(&p, &board, SECOND, json!({"dryRun": true})).await.unwrap();
    assert_eq!(counts(&kept["update"]), "added 1, changed 1, unchanged 1, missing 1, kept 2, deleted 1");
    let all = into(&p, &board, SECOND, json!({"dryRun": true, "conflicts": "overwrite"})).await.unwrap();
    assert_eq!(counts(&all["update"]), "added 2, changed 2, unchanged 0, missing 1, kept 0, deleted 0");
    into(&p, &board, SECOND, json!({})).await.unwrap();
    let now = items(&p, &board).await;
    assert!(now[0].contains("Status=Closed Story Points=13"), "{now:?}");
    assert!(now[1].starts_with("Items/Export all:") && now.len() == 4, "{now:?}");
    into(&p, &board, SECOND, json!({"conflicts": "overwrite"})).await.unwrap();
    let now = items(&p, &board).await;
    assert!(now[0].contains("Story Points=8") && now[1].starts_with("Items/Export:") && now.len() == 5, "{now:?}");
}

#[tokio::test]
async fn what_stays_is_counted_though_the_file_did_not_change_and_the_first_of_what_it_has_no_more_is_named() {
    let p = start().await;
    let many = |from: usize| {
        let rows = (from..=130).map(|n| format!("Item {n},B-{n},{n}\n"));
        std::iter::once("Summary,Issue key,Story Points\n".to_owned()).chain(rows).collect::<String>()
    };
    let made = json_of(&send(&p, many(1).as_bytes(), json!({})).await.unwrap());
    let board = made["board"]["id"].as_str().unwrap();
    let last = item_named(&p, board, "Item 130").await["id"].clone();
    for (column, value) in [("c1", json!("B-130")), ("c2", json!(7))] {
        let cell = json!({"boardId": board, "itemId": last, "columnId": column, "value": value});
        p.owner("boards.cell", cell).await.unwrap();
    }
    // They come in the order of the board.
    let moved = item_named(&p, board, "Item 50").await["id"].clone();
    let to_front = json!({"boardId": board, "itemId": moved, "position": 1});
    p.owner("boards.items.update", to_front).await.unwrap();
    let answer = into(&p, board, &many(121), json!({})).await.unwrap();
    assert_eq!(counts(&answer), "added 0, changed 0, unchanged 10, missing 120, kept 1, deleted 0");
    let missing = answer["missingItems"].as_array().unwrap();
    let names: Vec<&str> = missing.iter().map(|item| item["name"].as_str().unwrap()).collect();
    assert_eq!((names.len(), names[0], names[1], names[99]), (100, "Item 50", "Item 1", "Item 100"));
}

#[tokio::test]
async fn an_import_is_taken_back_except_for_what_changed_since() {
    let p = start().await;
    let (board, _) = first(&p).await;
    let was = items(&p, &board).await;
    into(&p, &board, SECOND, json!({"importId": "second"})).await.unwrap();
    refused(p.as_caller(other_owner(), "boards.import.undo", json!({"importId": "second"})).await, "not-found");
    let undone = undo(&p, "second").await.unwrap();
    let expected = json!({"boardId": board, "boardDeleted": false, "changedSince": false, "restored": 1, "removed": 1, "labelsRemoved": 1, "groupsRemoved": 0,
        "kept": [], "keptCount": 0});
    assert_eq!(undone, expected);
    assert_eq!(items(&p, &board).await, was);
    refused(undo(&p, "second").await, "conflict");
    // It can be imported again, and is then as new.
    let again = into(&p, &board, SECOND, json!({"importId": "third"})).await.unwrap();
    assert_eq!(counts(&again), "added 1, changed 1, unchanged 2, missing 1, kept 0, deleted 0");
    let login = item_named(&p, &board, "Login").await["id"].clone();
    p.owner("boards.cell", json!({"boardId": board, "itemId": login, "columnId": "c4", "value": 13})).await.unwrap();
    let dark = item_named(&p, &board, "Dark mode").await["id"].clone();
    p.owner("boards.items.update", json!({"boardId": board, "itemId": dark, "name": "Dark"})).await.unwrap();
    let undone = undo(&p, "third").await.unwrap();
    let kept: Vec<_> =
        undone["kept"].as_array().unwrap().iter().map(|k| format!("{} {}", k["name"], k["field"])).collect();
    // The label that the import added is that of an item which stays.
    assert_eq!(kept, ["\"Dark\" \"\"", "\"Login\" \"c4\"", "\"Reviewed\" \"c2\""]);
    let now = items(&p, &board).await;
    assert!(now[0].contains("Labels=[web] Status=Open Story Points=13"), "{now:?}");
    refused(undo(&p, "unknown").await, "not-found");
}

#[tokio::test]
async fn a_board_that_an_import_made_goes_with_it() {
    let p = start().await;
    let (board, import) = first(&p).await;
    let undone = undo(&p, &import).await.unwrap();
    assert_eq!((&undone["boardDeleted"], &undone["removed"]), (&json!(true), &json!(4)));
    assert_eq!(undone["changedSince"], false);
    refused(p.owner("boards.get", json!({"boardId": board})).await, "not-found");
    refused(undo(&p, &import).await, "not-found");
    let answer = json_of(&send(&p, FIRST.as_bytes(), json!({"importId": "again"})).await.unwrap());
    let (board, import) = (answer["board"]["id"].as_str().unwrap().to_owned(), "again");
    let item = item_named(&p, &board, "Login").await["id"].clone();
    p.owner("boards.comments.create", json!({"boardId": board, "itemId": item, "text": "Mine"})).await.unwrap();
    // What was done on it since goes along, and comes back with it.
    let undone = undo(&p, import).await.unwrap();
    assert_eq!((&undone["boardDeleted"], &undone["changedSince"]), (&json!(true), &json!(true)));
    p.owner("boards.restore", json!({"boardId": board})).await.unwrap();
    let of_item = json!({"boardId": board, "itemId": item});
    let comments = p.owner("boards.comments.list", of_item.clone()).await.unwrap();
    assert_eq!(comments["items"][0]["text"], "Mine");
    let mut renamed = of_item;
    renamed["name"] = json!("Login page");
    p.owner("boards.items.update", renamed).await.unwrap();
    let mut stale = Call::new(owner());
    stale.if_match = Some("\"1\"".to_owned());
    refused(p.call(stale, "boards.import.undo", json!({"importId": import})).await, "stale-revision");
    let undone = undo(&p, import).await.unwrap();
    assert_eq!((&undone["boardDeleted"], &undone["changedSince"]), (&json!(true), &json!(true)));
    p.owner("boards.restore", json!({"boardId": board})).await.unwrap();
    assert_eq!(item_named(&p, &board, "Login page").await["id"], item);
    // Nothing is left of what was kept of imports once the board is gone.
    p.owner("boards.delete", json!({"boardId": board})).await.unwrap();
    for gone in p.owner("boards.trash.boards", json!({})).await.unwrap()["items"].as_array().unwrap() {
        p.owner("boards.trash.deleteBoard", json!({"boardId": gone["id"]})).await.unwrap();
    }
    let p = p.restart().await;
    let count = |tx: &mut store::Tx<'_>| {
        let count = |table| tx.query_one(&format!("SELECT count(*) FROM {table}"), &[], |row| row.get::<i64>(0));
        ["import_items", "board_imports", "import_changes"].into_iter().map(count).collect::<kit::Result<Vec<_>>>()
    };
    assert_eq!(p.ctx.db().read(count).await.unwrap(), [0, 0, 0]);
}

#[tokio::test]
async fn a_column_of_the_callers_choice_identifies_rows_of_any_table() {
    let p = start().await;
    let text = "Name,Code,Cost\nPaint,P1,10\nSand,S1,5\n";
    let answer = json_of(&send(&p, text.as_bytes(), json!({})).await.unwrap());
    let board = answer["board"]["id"].as_str().unwrap().to_owned();
    let newer = "Title,Code,Price\nPaint it,P1,12\nVarnish,V1,7\nTwice,V1,8\nNone,,9\n";
    let refusal = refused(into(&p, &board, newer, json!({})).await, "invalid-input");
    assert!(refusal.fields()[0].detail.ends_with("Its columns are “Title”, “Code”, “Price”."), "{refusal}");
    for key in ["code", " Code "] {
        let foreseen = into(&p, &board, newer, json!({"dryRun": true, "key": key})).await.unwrap();
        assert_eq!(foreseen["key"], 1, "{key}: {foreseen}");
    }
    assert_eq!(into(&p, &board, newer, json!({"dryRun": true})).await.unwrap()["update"], Value::Null);
    let columns = json!([{"index": 2, "columnId": "c2"}]).to_string();
    let input = json!({"key": 1, "columns": columns});
    let answer = into(&p, &board, newer, input.clone()).await.unwrap();
    assert_eq!(counts(&answer), "added 1, changed 1, unchanged 0, missing 1, kept 0, deleted 0");
    let codes: Vec<_> =
        answer["problems"].as_array().unwrap().iter().map(|x| format!("{} {}", x["line"], x["code"])).collect();
    assert_eq!(codes, ["4 \"repeated-key\"", "5 \"no-key\""]);
    let now = ["Items/Paint it: Code=P1 Cost=12", "Items/Sand: Code=S1 Cost=5", "Items/Varnish: Code=V1 Cost=7"];
    assert_eq!(items(&p, &board).await, now);
    // The mapping is remembered.
    let answer = into(&p, &board, "Title,Code,Price\nPaint,P1,13\n", json!({"key": 1})).await.unwrap();
    assert_eq!(counts(&answer), "added 0, changed 1, unchanged 0, missing 2, kept 0, deleted 0");
    assert_eq!(items(&p, &board).await[0], "Items/Paint: Code=P1 Cost=13");
    for bad in [json!({"key": 9}), json!({"key": "Colour"})] {
        refused(into(&p, &board, newer, bad).await, "invalid-input");
    }
    let unknown = json!({"key": 1, "columns": json!([{"index": 2, "columnId": "c9"}]).to_string()});
    refused(into(&p, &board, newer, unknown).await, "named-not-found");
    refused(send(&p, b"Name\na\n", json!({"boardId": "unknown"})).await, "named-not-found");
    let mut call = Call::new(other_owner());
    call.upload = Some(("text/csv".to_owned(), Box::pin(futures_util::stream::empty())));
    refused(p.call(call, "boards.import", json!({"boardId": board})).await, "named-not-found");
}

#[tokio::test]
async fn groups_of_the_file_are_those_of_the_board_or_new_ones() {
    let p = start().await;
    let asana = |rows: &str| format!("Task ID,Created At,Completed At,Name,Section/Column\n{rows}");
    let answer = json_of(
        &send(&p, asana("11,2026-01-01,,a,To do\n12,2026-01-01,,b,Doing\n").as_bytes(), json!({})).await.unwrap(),
    );
    let board = answer["board"]["id"].as_str().unwrap().to_owned();
    let newer = asana("11,2026-01-01,,a,Done\n12,2026-01-01,2026-01-03,b,Doing\n13,2026-01-02,,c,Done\n");
    let answer = into(&p, &board, &newer, json!({"importId": "g", "onError": "stop"})).await.unwrap();
    assert_eq!(counts(&answer), "added 1, changed 1, unchanged 1, missing 0, kept 0, deleted 0");
    let shown: Vec<_> = items(&p, &board).await.iter().map(|item| item.split(':').next().unwrap().to_owned()).collect();
    assert_eq!(shown, ["Done/a", "Doing/b", "Done/c"]);
    undo(&p, "g").await.unwrap();
    assert!(items(&p, &board).await[0].starts_with("To do/a"));
}

#[tokio::test]
async fn an_update_stops_at_rows_that_name_no_item_or_one_twice() {
    let p = start().await;
    let answer = json_of(&send(&p, b"Task,N\nA,1\nB,2\n", json!({"key": "Task"})).await.unwrap());
    let board = answer["board"]["id"].as_str().unwrap().to_owned();
    let before = items(&p, &board).await;
    for (rows, line) in [("A,7\nA,8\nC,9\n", 3), (",7\nD,8\n", 2)] {
        let stopped = into(&p, &board, &format!("Task,N\n{rows}"), json!({"key": "Task", "onError": "stop"})).await;
        let problem = refused(stopped, "import-stopped").problem();
        assert_eq!((&problem["problems"][0]["line"], items(&p, &board).await), (&json!(line), before.clone()));
    }
}

#[tokio::test]
async fn a_group_of_a_file_is_called_on_one_line_as_any_other() {
    let p = start().await;
    let asana = |rows: &str| format!("Task ID,Created At,Completed At,Name,Section/Column\n{rows}");
    let file = asana("11,2026-01-01,,a,\"To\ndo\"\n12,2026-01-01,,b,Doing\n");
    let answer = json_of(&send(&p, file.as_bytes(), json!({})).await.unwrap());
    let board = answer["board"]["id"].as_str().unwrap().to_owned();
    let called = async |board: &str| {
        let groups = full_json(&p, board).await["groups"].clone();
        groups.as_array().unwrap().iter().map(|group| group["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(called(&board).await, ["To do", "Doing"]);
    // The same file again finds them; a new one is made alike.
    let newer = asana("11,2026-01-01,,a,\"To\ndo\"\n12,2026-01-01,,b,\"Nearly\ndone\"\n");
    into(&p, &board, &newer, json!({"onError": "stop"})).await.unwrap();
    assert_eq!(called(&board).await, ["To do", "Doing", "Nearly done"]);
}

#[tokio::test]
async fn a_column_that_changes_while_the_file_arrives_is_not_guessed_at() {
    let p = Arc::new(start().await);
    let (board, _) = first(&p).await;
    let meanwhile = |op: &'static str, change: Value| {
        let p = p.clone();
        let body = futures_util::stream::once(async move {
            p.owner(op, change).await.unwrap();
            Ok(bytes::Bytes::from_static(SECOND.as_bytes()))
        });
        let mut call = Call::new(owner());
        call.upload = Some(("text/csv".to_owned(), Box::pin(body)));
        call
    };
    let status = p.owner("boards.get", json!({"boardId": board})).await.unwrap()["columns"]
        .as_array()
        .unwrap()
        .iter()
        .find(|column| column["title"] == "Status")
        .unwrap()
        .clone();
    let mut labels = status["settings"]["labels"].as_array().unwrap().clone();
    labels.push(json!({"text": "Waiting"}));
    let changed = json!({"boardId": board, "columnId": status["id"], "settings": {"labels": labels}});
    let was = items(&p, &board).await;
    let call = meanwhile("boards.columns.update", changed);
    refused(p.call(call, "boards.import", json!({"boardId": board})).await, "conflict");
    assert_eq!(items(&p, &board).await, was, "nothing of the file was written");
    let call = meanwhile("boards.columns.delete", json!({"boardId": board, "columnId": status["id"]}));
    refused(p.call(call, "boards.import", json!({"boardId": board})).await, "conflict");
    // Again, with what the board is now.
    into(&p, &board, SECOND, json!({})).await.unwrap();
}

#[tokio::test]
async fn what_an_import_changed_is_kept_for_thirty_days() {
    let p = start().await;
    let (board, _) = first(&p).await;
    into(&p, &board, SECOND, json!({"importId": "old"})).await.unwrap();
    let kept = |p: &Program| {
        let sql = "SELECT count(*) FROM import_changes WHERE account_id = $1";
        let db = p.ctx.db();
        async move { db.read(move |tx| tx.query_one(sql, params![ACCOUNT], |row| row.get::<i64>(0))).await.unwrap() }
    };
    assert_ne!(kept(&p).await, 0);
    p.clock.advance_ms(crate::import::links::UNDO_KEPT_MS - 1);
    let p = p.restart().await;
    assert_ne!(kept(&p).await, 0);
    p.clock.advance_ms(1);
    refused(undo(&p, "old").await, "conflict");
    let p = p.restart().await;
    assert_eq!(kept(&p).await, 0);
    refused(undo(&p, "old").await, "conflict");
}

/// Amounts with either mark.
const AMOUNTS: &str = "Name,Code,Budget\nA,a,\"€1.200,50\"\nB,b,4500.75\nC,c,7999.99\nD,d,\"1,5\"\nE,e,much\n";
const READ: [&str; 4] =
    ["A: Budget=1200.5 Code=a", "B: Budget=4500.75 Code=b", "C: Budget=7999.99 Code=c", "D: Budget=1.5 Code=d"];

#[tokio::test]
async fn each_amount_is_read_as_it_can_only_be_meant_in_a_new_board_and_in_one_that_is_there() {
    let p = start().await;
    let columns = json!([{"index": 2, "type": "number"}]).to_string();
    let found = json_of(&send(&p, AMOUNTS.as_bytes(), json!({"columns": columns, "dryRun": true})).await.unwrap());
    assert_eq!((&found["misfitRows"], &found["problems"][0]["line"]), (&json!(1), &json!(6)));
    let answer = json_of(&send(&p, AMOUNTS.as_bytes(), json!({"columns": columns, "onMisfit": "row"})).await.unwrap());
    assert_eq!(answer["rowsSkipped"], 1);
    let made = answer["board"]["id"].as_str().unwrap().to_owned();
    let expected = READ.map(|item| format!("Items/{item}"));
    assert_eq!(items(&p, &made).await, expected);

    let started = json_of(&send(&p, b"Name,Code,Budget\nA,a,1\n", json!({})).await.unwrap());
    let there = started["board"]["id"].as_str().unwrap().to_owned();
    let foreseen = into(&p, &there, AMOUNTS, json!({"key": 1, "dryRun": true})).await.unwrap();
    assert_eq!((&foreseen["misfitRows"], &foreseen["problems"][0]["line"]), (&json!(1), &json!(6)));
    let answer = into(&p, &there, AMOUNTS, json!({"key": 1, "onMisfit": "row"})).await.unwrap();
    assert_eq!((&answer["rowsSkipped"], &answer["problems"][0]["code"]), (&json!(1), &json!("invalid-cell")));
    assert_eq!(items(&p, &there).await, expected);
}

#[tokio::test]
async fn only_the_cell_that_does_not_fit_is_left_out() {
    let p = start().await;
    let columns = json!([{"index": 2, "type": "number"}]).to_string();
    let answer = json_of(&send(&p, AMOUNTS.as_bytes(), json!({"columns": columns})).await.unwrap());
    assert_eq!((&answer["rowsImported"], &answer["rowsSkipped"]), (&json!(5), &json!(0)));
    assert!(answer["problems"][0]["detail"].as_str().unwrap().ends_with("; the cell was skipped."), "{answer}");
    let board = answer["board"]["id"].as_str().unwrap().to_owned();
    assert_eq!(items(&p, &board).await[4], "Items/E: Code=e");

    // On a board that is there the cell stays as it is, also for the import after that.
    let newer = "Name,Code,Budget\nB2,b,little\nF,f,none of it\n";
    let answer = into(&p, &board, newer, json!({"key": 1, "onMisfit": "cell"})).await.unwrap();
    assert_eq!(counts(&answer), "added 1, changed 1, unchanged 0, missing 4, kept 0, deleted 0");
    let now = items(&p, &board).await;
    assert_eq!((now[1].as_str(), now[5].as_str()), ("Items/B2: Budget=4500.75 Code=b", "Items/F: Code=f"));
    let answer = into(&p, &board, "Name,Code,Budget\nB2,b,9\n", json!({"key": 1})).await.unwrap();
    assert_eq!(counts(&answer), "added 0, changed 1, unchanged 0, missing 5, kept 0, deleted 0");
    refused(send(&p, AMOUNTS.as_bytes(), json!({"onMisfit": "none"})).await, "invalid-input");
}

#[tokio::test]
async fn an_imported_board_has_the_views_that_its_columns_suggest() {
    let p = start().await;
    let views = async |text: &str| {
        let answer = json_of(&send(&p, text.as_bytes(), json!({})).await.unwrap());
        let list = p.owner("boards.views.list", json!({"boardId": answer["board"]["id"]})).await.unwrap();
        let shown = |view: &Value| format!("{} {} {}", view["name"], view["kind"], view["settings"]).replace('"', "");
        list["items"].as_array().unwrap().iter().map(shown).collect::<Vec<_>>()
    };
    let text = "Name,Status,Due\na,Open,2026-01-01\nb,Done,2026-01-02\n";
    let expected = ["Table table {}", "Kanban kanban {byColumn:c1}", "Calendar calendar {dateColumn:c2}"];
    assert_eq!(views(text).await, expected);
    // What is called a priority is none, wherever it stands.
    let text = "Name,Priority,Status,Due\na,High,Open,2026-01-01\nb,Low,Done,2026-01-02\n";
    let expected = ["Table table {}", "Kanban kanban {byColumn:c2}", "Calendar calendar {dateColumn:c3}"];
    assert_eq!(views(text).await, expected);
    assert_eq!(views("Name,Note\na,x\n").await, [""; 0]);
}

#[tokio::test]
async fn people_without_an_entry_are_named() {
    let p = start().await;
    let text = "Name,Assignee\na,Anna Berg\nb,\"Cleo Ray, Dan Oh\"\n";
    let found = json_of(&send(&p, text.as_bytes(), json!({"dryRun": true})).await.unwrap());
    assert_eq!(found["columns"][1]["unknownPeople"], json!(["Cleo Ray", "Dan Oh"]));
    let columns = json!([{"index": 1, "type": "people"}]).to_string();
    let found = json_of(&send(&p, text.as_bytes(), json!({"dryRun": true, "columns": columns})).await.unwrap());
    assert_eq!(found["columns"][1]["unknownPeople"], json!(["Cleo Ray", "Dan Oh"]));
    assert_eq!(found["misfitRows"], 1);
}

#[tokio::test]
async fn what_was_decided_about_columns_is_said_with_what_was_made() {
    let p = start().await;
    let answer = json_of(&send(&p, b"Task,Owner\nPaint,Nobody Known\nSand,Nobody Else\n", json!({})).await.unwrap());
    let [of] = answer["notes"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!(of["title"], "Owner");
    assert!(of["notes"][0].as_str().unwrap().contains("Add them as members first"), "{answer}");
}

#[tokio::test]
async fn an_id_that_was_used_for_another_board_is_refused() {
    let p = start().await;
    let (board, import) = first(&p).await;
    let input = json!({"workspaceId": WORKSPACE, "name": "B", "preset": "blank"});
    let other = p.owner("boards.create", input).await.unwrap()["id"].as_str().unwrap().to_owned();
    let left = rows_left(&p).await;
    for refusal in [
        send(&p, FIRST.as_bytes(), json!({"importId": import})).await.map(|reply| json_of(&reply)),
        into(&p, &other, FIRST, json!({"importId": import})).await,
    ] {
        assert_eq!(refused(refusal, "import-id-taken").problem()["boardId"], board);
    }
    assert_eq!(rows_left(&p).await, left);
    assert_no_file_left(&p);
    // The first board still knows its columns and its rows, and takes the id again.
    let renamed = json!({"boardId": board, "columnId": "c2", "title": "State"});
    p.owner("boards.columns.update", renamed).await.unwrap();
    let answer = into(&p, &board, SECOND, json!({"importId": import})).await.unwrap();
    assert_eq!(counts(&answer), "added 1, changed 1, unchanged 2, missing 1, kept 0, deleted 0");
}

#[tokio::test]
async fn no_two_rows_of_a_file_meet_one_item() {
    let p = start().await;
    let input = json!({"workspaceId": WORKSPACE, "name": "B", "preset": "blank"});
    let board = p.owner("boards.create", input).await.unwrap()["id"].as_str().unwrap().to_owned();
    for title in ["Key", "V"] {
        let input = json!({"boardId": board, "title": title, "type": "text"});
        p.owner("boards.columns.create", input).await.unwrap();
    }
    into(&p, &board, "Name,Key,V\none,A,1\n", json!({"key": "Key"})).await.unwrap();
    let one = item_named(&p, &board, "one").await;
    let key = one["cells"].as_object().unwrap().iter().find(|(_, value)| *value == "A").unwrap().0.clone();
    let renamed = json!({"boardId": board, "itemId": one["id"], "columnId": key, "value": "B"});
    p.owner("boards.cell", renamed).await.unwrap();
    // The first row is known to be the item, which the second one's key names by now.
    for text in ["Name,Key,V\nother,B,3\none,A,2\n", "Name,Key,V\none,A,2\nother,B,3\n"] {
        let answer = into(&p, &board, text, json!({"key": "Key", "dryRun": true})).await.unwrap();
        assert_eq!(
            counts(&answer["update"]),
            "added 1, changed 1, unchanged 0, missing 0, kept 1, deleted 0",
            "{text}"
        );
    }
    into(&p, &board, "Name,Key,V\nother,B,3\none,A,2\n", json!({"key": "Key"})).await.unwrap();
    let expected = ["Items/one: Key=B V=2", "Items/other: Key=B V=3"];
    assert_eq!(items(&p, &board).await, expected);
}

#[tokio::test]
async fn taking_an_import_back_leaves_what_a_column_takes_no_more() {
    let p = start().await;
    let input = json!({"workspaceId": WORKSPACE, "name": "B", "preset": "blank"});
    let board = p.owner("boards.create", input).await.unwrap()["id"].as_str().unwrap().to_owned();
    let input = json!({"boardId": board, "title": "Rate", "type": "rating", "settings": {"max": 5}});
    let rate = p.owner("boards.columns.create", input).await.unwrap()["id"].as_str().unwrap().to_owned();
    into(&p, &board, "Name,Rate\none,5\ntwo,2\n", json!({"key": "Name"})).await.unwrap();
    into(&p, &board, "Name,Rate\none,1\ntwo,1\n", json!({"key": "Name", "importId": "newer"})).await.unwrap();
    let input = json!({"boardId": board, "columnId": rate, "settings": {"max": 3}});
    p.owner("boards.columns.update", input).await.unwrap();
    let undone = undo(&p, "newer").await.unwrap();
    assert_eq!((&undone["restored"], &undone["kept"][0]["name"]), (&json!(1), &json!("one")), "{undone}");
    assert_eq!(items(&p, &board).await, ["Items/one: Rate=1", "Items/two: Rate=2"]);
}

/// A text with each of these in the place of what stood there, which it must have done.
fn replaced(text: &str, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text.to_owned(), |text, (before, after)| {
        assert!(text.contains(before), "{before} is not in {text}");
        text.replacen(before, after, 1)
    })
}

/// Imports an export, changes a cell on the board, and imports a newer export: what that came to, and the items.
async fn met_again(
    p: &Program,
    (first, newer): (&str, &str),
    more: Value,
    (name, title, value): (&str, &str, Value),
) -> (String, Vec<String>) {
    let made = json_of(&send(p, first.as_bytes(), json!({})).await.unwrap());
    let board = made["board"]["id"].as_str().unwrap().to_owned();
    let mut dry = more.clone();
    dry["dryRun"] = json!(true);
    let again = counts(&into(p, &board, first, dry.clone()).await.unwrap()["update"]);
    assert!(again.starts_with("added 0, changed 0, ") && again.contains("missing 0"), "the same file: {again}");
    let columns = made["board"]["columns"].as_array().unwrap();
    let column = columns.iter().find(|column| column["title"] == title).unwrap_or_else(|| panic!("no {title}"));
    let label = column["settings"]["labels"].as_array().into_iter().flatten().find(|label| label["text"] == value);
    let value = label.map_or(value, |label| label["id"].clone());
    let item = item_named(p, &board, name).await["id"].clone();
    let cell = json!({"boardId": board, "itemId": item, "columnId": column["id"], "value": value});
    p.owner("boards.cell", cell).await.unwrap();
    let foreseen = counts(&into(p, &board, newer, dry).await.unwrap()["update"]);
    let answer = into(p, &board, newer, more).await.unwrap();
    assert_eq!(counts(&answer), foreseen, "{answer}");
    (foreseen, items(p, &board).await)
}

fn tool_file(name: &str) -> String {
    String::from_utf8(super::tools::file(name)).unwrap()
}

/// The item, or subitem, that is called so.
fn shown<'a>(items: &'a [String], name: &str) -> &'a str {
    let called = |item: &&String| item.split(':').next().unwrap().rsplit(['/', '>']).next().unwrap().trim() == name;
    let found = items.iter().find(called);
    found.unwrap_or_else(|| panic!("no {name} in {items:#?}"))
}

fn assert_holds(items: &[String], name: &str, parts: &[&str]) {
    let item = shown(items, name);
    for part in parts {
        assert!(item.contains(part), "{part} is not in {item}");
    }
}

const MET: &str = "added 1, changed 1, unchanged 1, missing 1, kept 1, deleted 0";

#[tokio::test]
async fn a_newer_export_of_linear_meets_its_items() {
    let p = start().await;
    let first = tool_file("linear.csv");
    let newer = replaced(
        &first,
        &[
            ("\"Live\"", "\"Todo\""),
            ("\"In Review\",\"5\"", "\"In Review\",\"8\""),
            ("\"ENG-3\",\"Engineering\",\"Crash on start\"", "\"ENG-4\",\"Engineering\",\"Sound\""),
        ],
    );
    let own = ("Dark mode", "Estimate", json!(13));
    let (counts, items) = met_again(&p, (&first, &newer), json!({}), own).await;
    assert_eq!(counts, MET);
    assert_holds(&items, "Cache the settings", &["Status=Todo", "Estimate=2"]);
    assert_holds(&items, "Dark mode", &["Status=In Review", "Estimate=13"]);
    assert_holds(&items, "Crash on start", &["ID=ENG-3"]);
    assert_holds(&items, "Sound", &["ID=ENG-4", "Status=Todo"]);
}

#[tokio::test]
async fn a_newer_export_of_monday_meets_its_items_and_subitems() {
    let p = start().await;
    let first = tool_file("monday.csv");
    let newer = replaced(
        &first,
        &[
            ("2026-03-06", "2026-03-13"),
            ("Press text,,Ben Ito,Done", "Press text,,Ben Ito,Stuck"),
            (",Pictures,,,4100000012,,\n", ",Sound,,,4100000013,,\n"),
        ],
    ) + "Video,,Anna Berg,,,,4100000003\n";
    let own = ("Press text", "Status", json!("Working on it"));
    let (counts, items) = met_again(&p, (&first, &newer), json!({}), own).await;
    assert_eq!(counts, "added 2, changed 1, unchanged 2, missing 1, kept 1, deleted 0");
    assert_holds(&items, "Landing page", &["Timeline={from:2026-03-02,to:2026-03-13}", "Status=Working on it"]);
    assert_holds(&items, "Press text", &["Status=Working on it"]);
    assert_holds(&items, "Video", &["Person=[Anna Berg]"]);
    for name in ["Copy", "Pictures", "Sound"] {
        shown(&items, name);
    }
}

#[tokio::test]
async fn a_newer_export_of_notion_meets_its_items_by_their_names() {
    let p = start().await;
    let first = tool_file("notion.csv");
    let newer = replaced(
        &first,
        &[("Landing page,In progress", "Landing page,Done"), (",Yes,3.5", ",Yes,5"), ("Photos,", "Video,")],
    );
    let (counts, items) =
        met_again(&p, (&first, &newer), json!({"key": "Name"}), ("Press text", "Hours", json!(4))).await;
    assert_eq!(counts, MET);
    assert_holds(&items, "Landing page", &["Status=Done", "Hours=12", "Project=[Launch,Site (v2)]"]);
    assert_holds(&items, "Press text", &["Hours=4"]);
    assert_holds(&items, "Photos", &["Status=Not started"]);
    assert_holds(&items, "Video", &["Status=Not started"]);
}

#[tokio::test]
async fn a_newer_export_of_airtable_meets_its_items_by_their_names() {
    let p = start().await;
    let first = tool_file("airtable.csv");
    let newer = replaced(
        &first,
        &[
            ("\"Wood,Seating\",checked,1/15/2026", "\"Wood,Seating\",checked,1/16/2026"),
            ("$45.50", "$50.00"),
            ("Pine table,", "Birch table,"),
        ],
    );
    let own = ("Steel lamp", "Price", json!(47));
    let (counts, items) = met_again(&p, (&first, &newer), json!({"key": "Name"}), own).await;
    assert_eq!(counts, "added 1, changed 1, unchanged 2, missing 1, kept 1, deleted 0");
    assert_holds(&items, "Oak chair", &["Launch date=2026-01-16", "Price=120"]);
    assert_holds(&items, "Steel lamp", &["Price=47"]);
    assert_holds(&items, "Birch table", &["Price=300"]);
    shown(&items, "Pine table");
}

#[tokio::test]
async fn newer_issues_of_github_meet_their_items() {
    let p = start().await;
    let rest = tool_file("github-rest.json");
    let newer = replaced(
        &rest,
        &[
            ("\"state\": \"open\", \"state_reason\": null", "\"state\": \"closed\", \"state_reason\": \"not_planned\""),
            ("\"milestone\": null, \"comments\": 0", "\"milestone\": null, \"comments\": 4"),
            ("\"number\": 10, \"title\": \"Dark mode\"", "\"number\": 13, \"title\": \"Sound\""),
        ],
    );
    let own = ("Export as PDF", "Comments", json!(9));
    let (counts, items) = met_again(&p, (&rest, &newer), json!({}), own).await;
    assert_eq!(counts, MET);
    assert_holds(&items, "Login fails on slow networks", &["State=Closed", "Reason=Not planned", "Comments=2"]);
    assert_holds(&items, "Export as PDF", &["Comments=9"]);
    assert_holds(&items, "Dark mode", &["Number=10"]);
    assert_holds(&items, "Sound", &["Number=13"]);

    let cli = tool_file("github-cli.json");
    let newer = replaced(&cli, &[("\"state\":\"OPEN\"", "\"state\":\"CLOSED\""), ("\"number\":10", "\"number\":14")]);
    let (counts, items) = met_again(&p, (&cli, &newer), json!({}), ("Login fails", "Comments", json!(9))).await;
    assert_eq!(counts, "added 1, changed 1, unchanged 0, missing 1, kept 1, deleted 0");
    assert_holds(&items, "Login fails", &["State=Closed", "Comments=9"]);
}

#[tokio::test]
async fn a_newer_export_of_a_trello_board_meets_its_cards() {
    let p = start().await;
    let first = tool_file("trello.json");
    let newer = replaced(
        &first,
        &[
            // The plan goes from Doing to Done, the question is archived, and a card is new.
            (
                "\"closed\":false,\"idList\":\"65a1f0c3e4b0000000000012\"",
                "\"closed\":false,\"idList\":\"65a1f0c3e4b0000000000014\"",
            ),
            ("\"value\":{\"number\":\"3\"}", "\"value\":{\"number\":\"4\"}"),
            (
                "\"name\":\"Ask for feedback\",\"desc\":\"\",\"closed\":false",
                "\"name\":\"Ask for feedback\",\"desc\":\"\",\"closed\":true",
            ),
            (
                " \"cards\":[\n",
                " \"cards\":[\n  {\"id\":\"65a1f0c3e4b0000000000105\",\"name\":\"Video\",\"desc\":\"\",\"closed\":false,\"idList\":\"65a1f0c3e4b0000000000011\",\"pos\":1},\n",
            ),
        ],
    );
    let own = ("Write the plan", "Hours", json!(5));
    let (counts, items) = met_again(&p, (&first, &newer), json!({}), own).await;
    assert_eq!(counts, "added 1, changed 1, unchanged 0, missing 1, kept 1, deleted 0");
    assert!(shown(&items, "Write the plan").starts_with("Done/"), "{items:?}");
    assert_holds(&items, "Write the plan", &["Hours=5", "Due Date=2026-02-03"]);
    shown(&items, "Ask for feedback");
    assert!(shown(&items, "Video").starts_with("To do/"), "{items:?}");
}

#[tokio::test]
async fn what_a_file_without_a_key_gave_is_known_to_the_next_one() {
    let p = start().await;
    let first = tool_file("notion.csv");
    let made = json_of(&send(&p, first.as_bytes(), json!({})).await.unwrap());
    let board = made["board"]["id"].as_str().unwrap().to_owned();
    let renamed =
        json!({"boardId": board, "itemId": item_named(&p, &board, "Press text").await["id"], "name": "Article"});
    p.owner("boards.items.update", renamed).await.unwrap();
    let deleted = json!({"boardId": board, "itemId": item_named(&p, &board, "Photos").await["id"]});
    p.owner("boards.items.delete", deleted).await.unwrap();
    // None of the marks of Notion are left, a day stands where days from and to may, and a new row is called as one is here.
    let newer = "Name,Status,Tags,Dates,Created time,Project,Done,Hours\n\
        Landing page,In progress,\"web, design\",\"January 6, 2026\",\"January 2, 2026 9:30 AM\",,No,12\n\
        Press text,Done,design,\"January 20, 2026\",\"January 3, 2026 10:00 AM\",,Yes,7\n\
        Photos,Done,,,,,No,\nArticle,Done,,,,,No,1\n";
    let answer = into(&p, &board, newer, json!({"key": "Name", "importId": "newer"})).await.unwrap();
    assert_eq!(counts(&answer), "added 1, changed 2, unchanged 0, missing 0, kept 1, deleted 1", "{answer}");
    assert_eq!(answer["problemCount"], 0, "{answer}");
    let now = items(&p, &board).await;
    assert_eq!(now.len(), 3, "{now:?}");
    assert_holds(&now[..1], "Landing page", &["Dates={from:2026-01-06,to:2026-01-06}"]);
    assert_holds(&now[1..2], "Article", &["Hours=7"]);
    assert_holds(&now[2..], "Article", &["Hours=1"]);
    // The columns that hold what the board has not are said, also without a look before.
    let more = newer.replace(",Hours\n", ",Hours,Cost\n").replace(",12\n", ",12,3\n");
    let answer = into(&p, &board, &more, json!({"key": "Name"})).await.unwrap();
    assert!(answer["notes"].as_array().unwrap().iter().any(|of| of["title"] == "Cost"), "{answer}");
    // Taken back, the rows are still known.
    undo(&p, "newer").await.unwrap();
    let again = into(&p, &board, newer, json!({"key": "Name", "dryRun": true})).await.unwrap();
    assert_eq!(counts(&again["update"]), "added 1, changed 2, unchanged 0, missing 0, kept 1, deleted 1", "{again}");
}

#[tokio::test]
async fn a_row_is_an_item_that_is_there_before_one_that_is_gone() {
    let p = start().await;
    let made = json_of(&send(&p, b"Name,Note\nCall,old\nCall,old\nMail,old\n", json!({})).await.unwrap());
    let board = made["board"]["id"].as_str().unwrap().to_owned();
    let delete = async || {
        let call = json!({"boardId": board, "itemId": item_named(&p, &board, "Call").await["id"]});
        p.owner("boards.items.delete", call).await.unwrap();
    };
    delete().await;
    let newer = "Name,Note\nCall,new\nMail,old\n";
    let answer = into(&p, &board, newer, json!({"key": "Name"})).await.unwrap();
    assert_eq!(counts(&answer), "added 0, changed 1, unchanged 1, missing 0, kept 0, deleted 0");
    assert_eq!(items(&p, &board).await, ["Items/Call: Note=new", "Items/Mail: Note=old"]);
    // Once no other shows it, what was deleted stays deleted.
    delete().await;
    let answer = into(&p, &board, newer, json!({"key": "Note", "dryRun": true})).await.unwrap();
    assert_eq!(counts(&answer["update"]), "added 0, changed 0, unchanged 1, missing 0, kept 0, deleted 1");
}

#[tokio::test]
async fn a_row_that_is_met_by_what_the_board_shows_leaves_what_was_changed_there() {
    let p = start().await;
    let made = json_of(&send(&p, b"Name,Note,Ticket\nDraft,first,\n", json!({})).await.unwrap());
    let board = made["board"]["id"].as_str().unwrap().to_owned();
    let item = item_named(&p, &board, "Draft").await["id"].clone();
    let renamed = json!({"boardId": board, "itemId": item, "name": "Report", "cells": {"c1": "mine", "c2": "T-1"}});
    p.owner("boards.items.update", renamed).await.unwrap();
    for key in ["Name", "Ticket"] {
        let same = into(&p, &board, "Name,Note,Ticket\nReport,first,T-1\n", json!({"key": key, "dryRun": true})).await;
        let expected = "added 0, changed 0, unchanged 1, missing 0, kept 1, deleted 0";
        assert_eq!(counts(&same.unwrap()["update"]), expected, "{key}");
    }
    let newer = "Name,Note,Ticket\nReport,second,T-1\n";
    for key in ["Ticket", "Name", "Ticket"] {
        let answer = into(&p, &board, newer, json!({"key": key})).await.unwrap();
        assert!(counts(&answer).starts_with("added 0, changed 0, unchanged 1, missing 0"), "{key} {answer}");
        assert_eq!(items(&p, &board).await, ["Items/Report: Note=mine Ticket=T-1"]);
    }
}

#[tokio::test]
async fn an_import_by_another_key_leaves_the_tools_own_keys_known() {
    let p = start().await;
    let (board, _) = first(&p).await;
    p.owner("boards.columns.delete", json!({"boardId": board, "columnId": "c1"})).await.unwrap();
    let answer = into(&p, &board, SECOND, json!({"key": "Summary"})).await.unwrap();
    assert_eq!(counts(&answer), "added 1, changed 1, unchanged 2, missing 1, kept 0, deleted 0");
    let as_always = async || counts(&into(&p, &board, SECOND, json!({"dryRun": true})).await.unwrap()["update"]);
    // The item that came by its name has no other key than that.
    assert_eq!(as_always().await, "added 1, changed 0, unchanged 3, missing 2, kept 0, deleted 0");
    let third = SECOND.replace("Login,A-1,Closed", "Login,A-1,Open");
    let answer = into(&p, &board, &third, json!({"key": "Summary"})).await.unwrap();
    assert_eq!(counts(&answer), "added 0, changed 1, unchanged 3, missing 1, kept 0, deleted 0");
    assert_eq!(as_always().await, "added 1, changed 1, unchanged 2, missing 2, kept 0, deleted 0");
    // Taken back, what was given before is known under every key.
    let made = json_of(&send(&p, FIRST.as_bytes(), json!({})).await.unwrap());
    let board = made["board"]["id"].as_str().unwrap().to_owned();
    p.owner("boards.columns.delete", json!({"boardId": board, "columnId": "c1"})).await.unwrap();
    into(&p, &board, SECOND, json!({"key": "Summary", "importId": "back"})).await.unwrap();
    undo(&p, "back").await.unwrap();
    let answer = into(&p, &board, SECOND, json!({})).await.unwrap();
    assert_eq!(counts(&answer), "added 1, changed 1, unchanged 2, missing 1, kept 0, deleted 0");
}

#[tokio::test]
async fn a_key_that_an_item_shows_no_more_is_free_for_another() {
    let p = start().await;
    let made = json_of(&send(&p, b"Name,Code\none,A\n", json!({})).await.unwrap());
    let board = made["board"]["id"].as_str().unwrap().to_owned();
    for key in ["Code", "Name"] {
        into(&p, &board, "Name,Code\none,A\n", json!({"key": key})).await.unwrap();
    }
    let newer = "Name,Code\nuno,A\none,B\n";
    let answer = into(&p, &board, newer, json!({"key": "Code"})).await.unwrap();
    assert_eq!(counts(&answer), "added 1, changed 1, unchanged 0, missing 0, kept 0, deleted 0");
    let answer = into(&p, &board, newer, json!({"key": "Name"})).await.unwrap();
    assert_eq!(counts(&answer), "added 0, changed 0, unchanged 2, missing 0, kept 0, deleted 0");
}

#[tokio::test]
async fn a_row_of_titles_that_the_board_knows_is_the_head_row_whatever_stands_below() {
    let p = start().await;
    let of = async |first: &str, newer: &str, more: Value| {
        let made = json_of(&send(&p, first.as_bytes(), more).await.unwrap());
        let board = made["board"]["id"].as_str().unwrap().to_owned();
        let answer = into(&p, &board, newer, json!({"key": 0})).await.unwrap();
        (counts(&answer), board)
    };
    let changed = "added 0, changed 1, unchanged 1, missing 0, kept 0, deleted 0";
    let (first, newer) = ("Ware,Art,Ort\na,neu,x\nb,alt,y\n", "Ware,Art,Ort\na,Art,x\nb,alt,y\n");
    assert_eq!(of(first, newer, json!({})).await.0, changed);
    let (first, newer) = ("Ort,7,9\nBonn,1,2\nKiel,3,4\n", "Ort,7,9\nBonn,9,2\nKiel,3,4\n");
    let (found, board) = of(first, newer, json!({"header": true})).await;
    assert_eq!(found, changed);
    // The titles that the last file had, where the board's are others by now; one of three is not enough.
    for column in ["c1", "c2"] {
        let other = json!({"boardId": board, "columnId": column, "title": format!("New {column}")});
        p.owner("boards.columns.update", other).await.unwrap();
    }
    let answer = into(&p, &board, newer, json!({"key": 0})).await.unwrap();
    assert_eq!(counts(&answer), "added 0, changed 0, unchanged 2, missing 0, kept 0, deleted 0");
    let answer = into(&p, &board, "Ort,8,8\nBonn,9,2\n", json!({"key": 0, "dryRun": true})).await.unwrap();
    assert_eq!((&answer["hasHeader"], &answer["update"]["added"]), (&json!(false), &json!(1)), "{answer}");
}

#[tokio::test]
async fn the_id_of_an_import_that_was_taken_back_is_free() {
    let p = start().await;
    let (board, import) = first(&p).await;
    let renamed = json!({"boardId": board, "columnId": "c2", "title": "State"});
    p.owner("boards.columns.update", renamed).await.unwrap();
    let input = json!({"workspaceId": WORKSPACE, "name": "B", "preset": "blank"});
    let other = p.owner("boards.create", input).await.unwrap()["id"].as_str().unwrap().to_owned();
    into(&p, &board, SECOND, json!({"importId": "second"})).await.unwrap();
    undo(&p, "second").await.unwrap();
    into(&p, &other, "Name\na\n", json!({"key": 0, "importId": "second"})).await.unwrap();
    undo(&p, &import).await.unwrap();
    let (again, _) = first(&p).await;
    assert_ne!(again, board);
    // The first board knows all the same what its files were like, should it come back.
    p.owner("boards.restore", json!({"boardId": board})).await.unwrap();
    let answer = into(&p, &board, SECOND, json!({})).await.unwrap();
    assert_eq!(counts(&answer), "added 1, changed 1, unchanged 2, missing 1, kept 0, deleted 0");
    // And ids that are in use stay so.
    refused(into(&p, &board, SECOND, json!({"importId": "first"})).await, "import-id-taken");
}

#[tokio::test]
async fn a_file_that_changes_nothing_makes_no_revision() {
    let p = start().await;
    let (board, _) = first(&p).await;
    into(&p, &board, SECOND, json!({})).await.unwrap();
    let before = revision(&p, &board).await;
    let again = into(&p, &board, SECOND, json!({"importId": "again"})).await.unwrap();
    assert_eq!((&again["board"]["revision"], revision(&p, &board).await), (&json!(before), before));
    let undone = undo(&p, "again").await.unwrap();
    assert_eq!((&undone["restored"], &undone["removed"]), (&json!(0), &json!(0)));
    assert_eq!(revision(&p, &board).await, before);
}

#[tokio::test]
async fn a_row_that_is_left_out_for_a_cell_still_names_its_item() {
    let p = start().await;
    let (board, _) = first(&p).await;
    let misfit = SECOND.replacen(",8", ",many", 1);
    assert_ne!(misfit, SECOND);
    let answer = into(&p, &board, &misfit, json!({"onMisfit": "row"})).await.unwrap();
    assert_eq!((&answer["rowsSkipped"], &answer["missing"]), (&json!(1), &json!(1)), "{answer}");
    assert_eq!(answer["missingItems"][0]["name"], "Print");
}
