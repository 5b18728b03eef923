//! The list of changes across features: whose changes, since when, and by names instead of ids.

use super::{owner, program};
use serde_json::{Value, json};
use testkit::{Program, refused};

async fn list(program: &Program, more: Value) -> Vec<Value> {
    owner(program, "changes.list", more).await.unwrap()["items"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn changes_name_items_columns_labels_and_members() {
    let program = program().await;
    let ada = owner(&program, "members.create", json!({"name": "Ada", "email": "ada@example.com"})).await.unwrap();
    let workspace = owner(&program, "workspaces.list", json!({})).await.unwrap()["items"][0]["id"].clone();
    let board = owner(&program, "boards.create", json!({"workspaceId": workspace, "name": "Plans"})).await.unwrap();
    let id = board["id"].clone();
    let labels = json!({"labels": [{"text": "Open"}, {"text": "Done"}]});
    let column = |title: &str, kind: &str, settings: Value| json!({"boardId": id, "title": title, "type": kind, "settings": settings});
    let status = owner(&program, "boards.columns.create", column("Progress", "status", labels)).await.unwrap();
    let people = owner(&program, "boards.columns.create", column("Who", "people", json!({}))).await.unwrap();
    let item = owner(&program, "boards.items.create", json!({"boardId": id, "name": "Fix"})).await.unwrap();
    let cells = [(&status, status["settings"]["labels"][1]["id"].clone()), (&people, json!([ada["id"]]))];
    for (column, value) in cells {
        let cell = json!({"boardId": id, "itemId": item["id"], "columnId": column["id"], "value": value});
        owner(&program, "boards.cell", cell).await.unwrap();
    }
    let named = |row: &Value| ["by", "subjectName", "fieldName", "afterNamed"].map(|name| row[name].clone());
    let rows = list(&program, json!({"subject": "item"})).await;
    assert_eq!(named(&rows[0]), [json!("Owner"), json!("Fix"), json!("Who"), json!(["Ada"])], "{rows:?}");
    assert_eq!(named(&rows[1]), [json!("Owner"), json!("Fix"), json!("Progress"), json!("Done")]);
    // A board's changes include those of its items, which name it.
    assert_eq!((&rows[0]["boardId"], &rows[0]["boardName"]), (&id, &json!("Plans")));
    let other = owner(&program, "boards.create", json!({"workspaceId": workspace, "name": "Other"})).await.unwrap();
    owner(&program, "boards.items.create", json!({"boardId": other["id"], "name": "Else"})).await.unwrap();
    let gone = owner(&program, "boards.items.create", json!({"boardId": id, "name": "Gone"})).await.unwrap();
    owner(&program, "boards.items.delete", json!({"boardId": id, "itemId": gone["id"]})).await.unwrap();
    let of_board = list(&program, json!({"boardId": id, "since": "1d"})).await;
    let subjects = |of: &[Value], name: &str| of.iter().filter(|row| row["subject"] == name).count();
    assert_eq!((subjects(&of_board, "item"), of_board.len()), (5, 5 + subjects(&of_board, "board")), "{of_board:?}");
    assert!(of_board.iter().all(|row| row["subjectName"] != "Else" && row["subjectName"] != "Other"));
    let of_items = list(&program, json!({"boardId": id, "subject": "item", "limit": 2})).await;
    assert_eq!(of_items.len(), 2);
    refused(owner(&program, "changes.list", json!({"boardId": "nope"})).await, "not-found");
    let rows = list(&program, json!({"subject": "board", "subjectId": id, "limit": 1})).await;
    assert_eq!((&rows[0]["subjectName"], &rows[0]["fieldName"]), (&json!("Plans"), &json!("Column Who")));
    assert_eq!(list(&program, json!({"subject": "member"})).await[0]["subjectName"], "Ada");
    let of_item = json!({"boardId": id, "itemId": item["id"]});
    let activity = owner(&program, "boards.items.activity", of_item).await.unwrap();
    let activity = &activity["items"];
    assert_eq!((&activity[0]["fieldName"], &activity[0]["afterNamed"]), (&json!("Who"), &json!(["Ada"])));
    assert_eq!((&activity[1]["fieldName"], &activity[1]["afterNamed"]), (&json!("Progress"), &json!("Done")));
    assert_eq!(activity[1]["after"], status["settings"]["labels"][1]["id"], "the record keeps ids");
}

#[tokio::test]
async fn changes_say_what_they_did_and_name_what_is_gone() {
    let program = program().await;
    let workspace = owner(&program, "workspaces.list", json!({})).await.unwrap()["items"][0]["id"].clone();
    let board = owner(&program, "boards.create", json!({"workspaceId": workspace, "name": "Plans"})).await.unwrap();
    let board = json!({"boardId": board["id"]});
    let dashboard = json!({"workspaceId": workspace, "name": "Numbers"});
    let dashboard = owner(&program, "dashboards.create", dashboard).await.unwrap();
    let dashboard = json!({"dashboardId": dashboard["id"]});
    owner(&program, "settings.set", json!({"key": "pmColorMode", "value": "dark"})).await.unwrap();
    owner(&program, "settings.reset", json!({"key": "pmColorMode"})).await.unwrap();
    owner(&program, "dashboards.delete", dashboard.clone()).await.unwrap();
    owner(&program, "dashboards.restore", dashboard.clone()).await.unwrap();
    owner(&program, "dashboards.delete", dashboard).await.unwrap();
    owner(&program, "boards.delete", board.clone()).await.unwrap();
    owner(&program, "boards.restore", board.clone()).await.unwrap();
    owner(&program, "boards.archive", board).await.unwrap();
    let told = async |subject: &str| {
        let rows = list(&program, json!({"subject": subject})).await;
        let words =
            rows.iter().map(|row| ["what", "subjectName"].map(|name| row[name].as_str().unwrap_or("?").to_owned()));
        words.map(|words| words.join(" ")).collect::<Vec<_>>()
    };
    let expected = ["deleted Numbers", "restored Numbers", "deleted Numbers", "created Numbers"];
    assert_eq!(told("dashboard").await, expected);
    assert_eq!(told("setting").await, ["reset ?", "changed ?"]);
    let boards = told("board").await;
    assert_eq!(boards[..3], ["archived Plans", "restored Plans", "deleted Plans"]);
    assert_eq!(boards.last().map(String::as_str), Some("created Plans"));
}

#[tokio::test]
async fn changes_are_filtered_by_time_and_by_who_made_them() {
    let program = program().await;
    let hour_ms = 60 * 60 * 1000;
    owner(&program, "members.create", json!({"name": "Ada", "email": "ada@example.com"})).await.unwrap();
    program.clock.advance_ms(5 * hour_ms);
    owner(&program, "members.create", json!({"name": "Bo"})).await.unwrap();
    let names = async |more: Value| {
        let mut input = more;
        input["subject"] = "member".into();
        let rows = list(&program, input).await;
        rows.iter().map(|row| row["subjectName"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(json!({"since": "2h"})).await, ["Bo"]);
    assert_eq!(names(json!({"since": "1d"})).await, ["Bo", "Ada"]);
    assert_eq!(names(json!({"since": kit::rfc3339(testkit::START_MS + hour_ms)})).await, ["Bo"]);
    assert_eq!(names(json!({"since": "2020-01-31"})).await, ["Bo", "Ada"]);
    assert_eq!(names(json!({"by": "owner"})).await, ["Bo", "Ada"]);
    for by in ["ada", "ADA@example.com", "cli", "Bo"] {
        assert_eq!(names(json!({"by": by})).await, [""; 0], "{by}");
    }
    // A filtered page continues where the one before ended.
    let page = json!({"subject": "member", "since": "1d", "limit": 1});
    let first = owner(&program, "changes.list", page.clone()).await.unwrap();
    let mut next = page;
    next["cursor"] = first["nextCursor"].clone();
    let second = owner(&program, "changes.list", next).await.unwrap();
    assert_eq!((&first["items"][0]["subjectName"], &second["items"][0]["subjectName"]), (&json!("Bo"), &json!("Ada")));
    assert_eq!(second["nextCursor"], Value::Null);

    owner(&program, "members.create", json!({"name": "Ada"})).await.unwrap();
    let told = refused(owner(&program, "changes.list", json!({"by": "Ada"})).await, "invalid-input");
    assert!(told.detail().contains("is ambiguous") && told.detail().matches("member Ada (").count() == 2, "{told}");
    let told = refused(owner(&program, "changes.list", json!({"by": "Nobody"})).await, "invalid-input");
    assert!(told.detail().contains("Members: Ada, Ada, Bo."), "{told}");
    for since in ["yesterday", "2x", "h", "-3h", "2026-13-01"] {
        let told = refused(owner(&program, "changes.list", json!({"since": since})).await, "invalid-input");
        assert_eq!(told.problem()["errors"][0]["pointer"], "/since", "{since}");
    }
}
