//! Views: made, changed, ordered, deleted, and what is refused.

use super::*;
use crate::{SETTINGS_BYTES_MAX, VIEWS_MAX};
use events::{Event, HasEvents};
use testkit::refused;

async fn blank(program: &Program, caller: Caller, workspace: &str) -> String {
    let input = json!({"workspaceId": workspace, "name": "V", "preset": "blank"});
    program.as_caller(caller, "boards.create", input).await.unwrap()["id"].as_str().unwrap().to_owned()
}

async fn add(program: &Program, board: &str, name: &str, kind: &str, settings: Value) -> kit::Result<Value> {
    let input = json!({"boardId": board, "name": name, "kind": kind, "settings": settings});
    program.owner("boards.views.create", input).await
}

/// A filter that asks one column for any of these.
fn asks(board: &str, column: &str, any_of: Value) -> Value {
    let rule = json!({"id": "r1", "col": {"by": "ids", "ids": {board: [column]}}, "op": "anyOf", "value": any_of});
    json!({"v": 1, "people": null, "all": [rule]})
}

async fn names(program: &Program, board: &str) -> Vec<String> {
    let list = program.owner("boards.views.list", json!({"boardId": board})).await.unwrap();
    list["items"].as_array().unwrap().iter().map(|view| view["name"].as_str().unwrap().to_owned()).collect()
}

/// A view as lists show it: without the change that answers name.
fn listed(mut answer: Value) -> Value {
    answer.as_object_mut().unwrap().remove("changeId");
    answer
}

#[tokio::test]
async fn views_are_made_changed_ordered_and_deleted() {
    let p = start().await;
    let b = blank(&p, owner(), WORKSPACE).await;
    let status = add_column(&p, &b, "State", "status", json!({"labels": [{"text": "Open"}]})).await;
    let due = add_column(&p, &b, "Due", "date", json!({})).await;
    let settings = json!({
        "byColumn": status, "hiddenColumns": [due], "sort": [{"columnId": "name", "descending": true}],
        "widths": {"name": 320, (due.as_str()): 90}, "filter": asks(&b, &status, json!(["Open"])), "cardSize": "large",
    });
    let made = add(&p, &b, "Board", "kanban", settings.clone()).await.unwrap();
    let id = made["id"].as_str().unwrap();
    assert_eq!(
        listed(made.clone()),
        json!({"id": id, "name": "Board", "kind": "kanban", "settings": settings, "revision": 1})
    );
    add(&p, &b, "When", "calendar", json!({"dateColumn": due})).await.unwrap();
    let first = json!({"boardId": b, "name": "Lines", "kind": "table", "position": 0});
    p.owner("boards.views.create", first).await.unwrap();
    assert_eq!(names(&p, &b).await, ["Lines", "Board", "When"]);
    let shown = p.owner("boards.get", json!({"boardId": b})).await.unwrap();
    assert_eq!(shown["views"], p.owner("boards.views.list", json!({"boardId": b})).await.unwrap()["items"]);
    assert_eq!(full_json(&p, &b).await.get("views"), None, "a view is no part of the full board");

    let change = json!({"boardId": b, "viewId": id, "name": "Stages", "kind": "timeline", "settings": {"dateColumn": due}, "position": 2});
    let mut changed = p.owner("boards.views.update", change).await.unwrap();
    assert!(changed.as_object_mut().unwrap().remove("changeId").is_some());
    let expected =
        json!({"id": id, "name": "Stages", "kind": "timeline", "settings": {"dateColumn": due}, "revision": 2});
    assert_eq!(changed, expected);
    assert_eq!(names(&p, &b).await, ["Lines", "When", "Stages"]);
    let p = p.restart().await;
    provide_dir(&p);
    assert_eq!(p.owner("boards.views.list", json!({"boardId": b})).await.unwrap()["items"][2], expected);

    p.owner("boards.views.delete", json!({"boardId": b, "viewId": id})).await.unwrap();
    assert_eq!(names(&p, &b).await, ["Lines", "When"]);
    refused(p.owner("boards.views.delete", json!({"boardId": b, "viewId": id})).await, "not-found");
    let again = add(&p, &b, "Board", "kanban", json!({"byColumn": "group"})).await.unwrap();
    assert_ne!(again["id"], id, "an id is not given twice");
    assert_eq!(names(&p, &b).await, ["Lines", "When", "Board"]);
}

#[tokio::test]
async fn a_calendar_and_a_timeline_are_by_a_date_or_a_timeline_column() {
    let p = start().await;
    let b = blank(&p, owner(), WORKSPACE).await;
    let span = add_column(&p, &b, "When", "timeline", json!({})).await;
    let note = add_column(&p, &b, "Note", "text", json!({})).await;
    let end = add_column(&p, &b, "End", "date", json!({})).await;
    for kind in ["calendar", "timeline"] {
        let settings = json!({"dateColumn": span, "endColumn": end, "own": note});
        let made = add(&p, &b, "Plan", kind, settings.clone()).await.unwrap();
        assert_eq!(made["settings"], settings, "what else the client keeps is kept");
        refused(add(&p, &b, "Plan", kind, json!({"dateColumn": note})).await, "invalid-input");
    }
}

#[tokio::test]
async fn what_a_view_cannot_be_is_refused_with_a_reason() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let big = json!({"note": "x".repeat(SETTINGS_BYTES_MAX)});
    let fits = json!({"note": "x".repeat(SETTINGS_BYTES_MAX - r#"{"note":""}"#.len())});
    let refusals = [
        ("", "table", json!({}), "/name"),
        ("  ", "table", json!({}), "/name"),
        (&*"x".repeat(256), "table", json!({}), "/name"),
        ("V", "chart", json!({}), "/kind"),
        ("V", "Table", json!({}), "/kind"),
        ("V", "table", json!([]), "/settings"),
        ("V", "table", json!(null), "/settings"),
        ("V", "table", big, "/settings"),
        ("V", "kanban", json!({"byColumn": "c99"}), "/settings/byColumn"),
        ("V", "kanban", json!({"byColumn": 1}), "/settings"),
        ("V", "kanban", json!({"byColumn": "c3"}), "/settings/byColumn"),
        ("V", "kanban", json!({"byColumn": "c1", "limits": {"l1": -4}}), "/settings/limits"),
        ("V", "kanban", json!({"byColumn": "c1", "limits": {"l1": 1.5}}), "/settings/limits"),
        ("V", "kanban", json!({"byColumn": "c1", "limits": [3]}), "/settings/limits"),
        ("V", "timeline", json!({"dateColumn": "c3", "endColumn": "c99"}), "/settings/endColumn"),
        ("V", "timeline", json!({"dateColumn": "c3", "endColumn": "c1"}), "/settings/endColumn"),
        ("V", "timeline", json!({"dateColumn": "c3", "endColumn": 3}), "/settings/endColumn"),
        ("V", "calendar", json!({"dateColumn": "c1"}), "/settings/dateColumn"),
        ("V", "table", json!({"widths": {"c1": 19}}), "/settings/widths"),
        ("V", "table", json!({"widths": {"c1": -1}}), "/settings"),
        ("V", "table", json!({"sort": [{"columnId": "c1", "up": true}]}), "/settings"),
        ("V", "table", json!({"filter": []}), "/settings"),
        ("V", "table", json!({"filter": {"all": 5}}), "/settings/filter"),
        ("V", "table", json!({"filter": {"v": 9, "all": []}}), "/settings/filter"),
        ("V", "table", json!({"filter": {"all": [{"column": "c1", "is": "l1"}]}}), "/settings/filter"),
        ("V", "table", json!({"filter": {"all": [{"id": "r", "col": "Status", "op": "isEmpty"}]}}), "/settings/filter"),
        ("V", "table", json!({"filter": {"people": {"ids": "me"}}}), "/settings/filter"),
        ("V", "table", json!({"filters": {"all": []}}), "/settings/filters"),
        ("V", "table", json!({"filter": asks(&b, "c99", json!([]))}), "/settings/filter"),
        ("V", "table", json!({"hiddenColumns": "c1"}), "/settings"),
    ];
    for (name, kind, settings, pointer) in refusals {
        let shown: String = settings.to_string().chars().take(60).collect();
        let code = if settings.to_string().contains("c99") { "named-not-found" } else { "invalid-input" };
        let refusal = refused(add(&p, &b, name, kind, settings).await, code);
        assert!(refusal.problem().to_string().contains(&format!("\"{pointer}")), "{shown}: {}", refusal.problem());
    }
    add(&p, &b, &"ü".repeat(255), "table", fits).await.unwrap();
    let update = json!({"boardId": b, "viewId": "x", "name": ""});
    refused(p.owner("boards.views.update", update).await, "invalid-input");

    let there = names(&p, &b).await.len();
    for _ in there..VIEWS_MAX {
        add(&p, &b, "One more", "table", json!({})).await.unwrap();
    }
    refused(add(&p, &b, "Too many", "table", json!({})).await, "board-limit");
    assert_eq!(names(&p, &b).await.len(), VIEWS_MAX);
}

#[tokio::test]
async fn a_refusal_names_the_column_and_what_is_accepted() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let refusal = refused(add(&p, &b, "V", "kanban", json!({"byColumn": "c3"})).await, "invalid-input").problem();
    let detail =
        "Set byColumn to the ID of a status or dropdown column of this board, or group; Due (c3) is of type date.";
    assert_eq!(refusal["errors"][0]["detail"], detail);
    let end = add_column(&p, &b, "End", "date", json!({})).await;
    let settings = json!({"dateColumn": "c3", "endColumn": end});
    let made = add(&p, &b, "V", "timeline", settings.clone()).await.unwrap();
    p.owner("boards.columns.delete", json!({"boardId": b, "columnId": end})).await.unwrap();
    let again = json!({"boardId": b, "viewId": made["id"], "settings": settings});
    p.owner("boards.views.update", again).await.expect("a column that was deleted later is no fault of the view");
}

#[tokio::test]
async fn a_view_outlives_its_columns_and_can_still_be_changed() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let views = p.owner("boards.views.list", json!({"boardId": b})).await.unwrap();
    let kanban = views["items"][1].clone();
    assert_eq!(kanban["settings"], json!({"byColumn": "c1"}));
    p.owner("boards.columns.delete", json!({"boardId": b, "columnId": "c1"})).await.unwrap();
    let change = json!({"boardId": b, "viewId": kanban["id"], "settings": {"byColumn": "c1", "widths": {"c2": 200}}});
    p.owner("boards.views.update", change).await.unwrap();
    let change = json!({"boardId": b, "viewId": views["items"][2]["id"], "settings": {"byColumn": "c1"}});
    refused(p.owner("boards.views.update", change).await, "named-not-found");
}

#[tokio::test]
async fn a_view_changes_without_the_boards_items_being_read_again() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let get = async |holds: Option<String>| {
        let call = Call { if_none_match: holds, ..Call::new(owner()) };
        p.call(call, "boards.get", json!({"boardId": b})).await.unwrap()
    };
    let first = get(None).await;
    let tag = header(&first, "etag").to_owned();
    assert_eq!(get(Some(tag.clone())).await.status, 304);
    let (_, mut live) = p.ctx.events().listen(None);
    let made = add(&p, &b, "Board", "kanban", json!({})).await.unwrap();
    let told = live.try_recv().unwrap();
    assert_eq!(told.event, Event::BoardViewsChanged { board_id: b.clone() });
    assert_eq!((told.account.as_deref(), told.event.topic()), (Some(ACCOUNT), events::Topic::Boards));
    assert!(live.try_recv().is_err(), "nobody is told that the board's items changed");
    let second = get(Some(tag.clone())).await;
    assert_eq!(second.status, 200, "the tag tells that views changed");
    assert_eq!(testkit::json_of(&second)["revision"], 1);
    let stale = || Call { if_match: Some("\"7\"".into()), ..Call::new(owner()) };
    let which = json!({"boardId": b, "viewId": made["id"]});
    refused(p.call(stale(), "boards.views.update", which.clone()).await, "stale-revision");
    refused(p.call(stale(), "boards.views.delete", which.clone()).await, "stale-revision");
    let call = Call { if_match: Some("\"1\"".into()), ..Call::new(owner()) };
    p.call(call, "boards.views.delete", which).await.unwrap();
    let db = p.ctx.db();
    let field = format!("views/{}", made["id"].as_str().unwrap());
    let count = move |tx: &mut store::Tx<'_>| {
        tx.query_one("SELECT count(*) FROM changes WHERE field = $1", params![&field], |row| row.get::<i64>(0))
    };
    let changes = db.read(count).await.unwrap();
    assert_eq!(changes, 2, "each change is in the log");
    // The tag of a board is taken as its revision.
    let tagged = |tag: &str| Call { if_match: Some(tag.to_owned()), ..Call::new(owner()) };
    p.call(tagged(&tag), "boards.update", json!({"boardId": b, "name": "B"})).await.unwrap();
    refused(p.call(tagged(&tag), "boards.update", json!({"boardId": b, "name": "C"})).await, "stale-revision");
}

#[tokio::test]
async fn another_accounts_views_and_random_ones_answer_alike() {
    let p = start().await;
    let mine = tasks_board(&p).await;
    let theirs = blank(&p, other_owner(), OTHER_WORKSPACE).await;
    let input = json!({"boardId": theirs, "name": "Secret", "kind": "table"});
    let view = p.as_caller(other_owner(), "boards.views.create", input).await.unwrap();
    // For each operation, what it says of the first.
    let mut expected = std::collections::HashMap::new();
    let their_view = view["id"].as_str().unwrap();
    let random = "0123456789abcdef";
    for (board, view) in [(&*theirs, their_view), (random, random), (&mine, their_view), (&mine, random)] {
        let mut calls = vec![
            ("boards.views.update", json!({"boardId": board, "viewId": view, "name": "X"})),
            ("boards.views.delete", json!({"boardId": board, "viewId": view})),
        ];
        if board != mine {
            calls.push(("boards.views.list", json!({"boardId": board})));
            calls.push(("boards.views.create", json!({"boardId": board, "name": "X", "kind": "table"})));
        }
        for (op, input) in calls {
            let problem = refused(p.owner(op, input).await, "not-found").problem();
            // My own board is there, so it's the view that isn't.
            let place = (op, board == mine);
            assert_eq!(*expected.entry(place).or_insert_with(|| problem.clone()), problem, "{op} of {board}");
        }
    }
    let list = p.as_caller(other_owner(), "boards.views.list", json!({"boardId": theirs})).await.unwrap();
    assert_eq!(list["items"], json!([listed(view.clone())]));
}

#[tokio::test]
async fn views_go_with_their_board() {
    let p = start().await;
    let b = tasks_board(&p).await;
    p.owner("boards.delete", json!({"boardId": b})).await.unwrap();
    refused(p.owner("boards.views.list", json!({"boardId": b})).await, "not-found");
    p.owner("boards.trash.deleteBoard", json!({"boardId": b})).await.unwrap();
    // What the answer did not wait for is done at the latest at the next start.
    let p = p.restart().await;
    assert_eq!(rows_left(&p).await, [0; 4]);
    let db = p.ctx.db();
    let left = db.read(|tx| tx.query_one("SELECT count(*) FROM board_views", &[], |row| row.get::<i64>(0)));
    assert_eq!(left.await.unwrap(), 0);
}

#[tokio::test]
async fn two_pages_make_one_first_view_between_them() {
    let p = start().await;
    let b = blank(&p, owner(), WORKSPACE).await;
    for view in p.owner("boards.views.list", json!({"boardId": b})).await.unwrap()["items"].as_array().unwrap() {
        p.owner("boards.views.delete", json!({"boardId": b, "viewId": view["id"]})).await.unwrap();
    }
    let first = json!({"boardId": b, "name": "Table", "kind": "table", "first": true});
    let made = p.owner("boards.views.create", first.clone()).await.unwrap();
    let made = listed(made);
    assert_eq!(p.owner("boards.views.create", first).await.unwrap(), made, "nothing to take back");
    let list = p.owner("boards.views.list", json!({"boardId": b})).await.unwrap();
    assert_eq!(list["items"], json!([made]));
}

#[tokio::test]
async fn a_view_that_was_deleted_renamed_or_changed_comes_back_as_it_was() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let list = async || p.owner("boards.views.list", json!({"boardId": b})).await.unwrap()["items"].clone();
    let undo = async |made: &Value| p.owner("boards.undo", json!({"boardId": b, "changeId": made["changeId"]})).await;
    // All but the revision, which counts on.
    let shown = async || {
        let mut all = list().await;
        for view in all.as_array_mut().unwrap() {
            view.as_object_mut().unwrap().remove("revision");
        }
        all
    };
    let before = shown().await;
    let kanban = before[1]["id"].clone();
    let update = async |more: Value| {
        let mut input = json!({"boardId": b, "viewId": kanban});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        p.owner("boards.views.update", input).await.unwrap()
    };

    let (_, mut heard) = p.ctx.events().listen(None);
    let deleted = p.owner("boards.views.delete", json!({"boardId": b, "viewId": kanban})).await.unwrap();
    let undone = undo(&deleted).await.unwrap();
    assert_eq!(shown().await, before, "with its id, in its place");
    assert_eq!(undone["field"], json!(format!("views/{}", kanban.as_str().unwrap())));
    assert_eq!(list().await[1]["revision"], 2);
    assert_eq!(undone["value"], json!({"view": list().await[1], "position": 1}), "what stands there now");
    assert_eq!(heard.try_recv().unwrap().event, heard.try_recv().unwrap().event, "told both times");
    undo(&undone).await.expect("redone");
    assert_eq!(shown().await.as_array().unwrap().len(), 2);
    refused(undo(&undone).await, "conflict");
    undo(&deleted).await.expect("its value counts, not what came between");
    assert_eq!(shown().await, before);

    let renamed = update(json!({"name": "Flow"})).await;
    let widened = update(json!({"settings": {"byColumn": "c1", "widths": {"c2": 200}}})).await;
    let undone = undo(&renamed).await.expect("the settings that changed meanwhile do not stand in the way");
    assert_eq!(undone["value"], json!({"view": list().await[1], "position": 1}));
    assert_eq!(
        (&list().await[1]["name"], &list().await[1]["settings"]["widths"]["c2"]),
        (&json!("Kanban"), &json!(200))
    );
    undo(&widened).await.unwrap();
    assert_eq!(shown().await, before);
    let moved = update(json!({"position": 0, "kind": "table"})).await;
    assert_ne!(shown().await, before);
    undo(&moved).await.unwrap();
    assert_eq!(shown().await, before);

    let added = add(&p, &b, "More", "table", json!({})).await.unwrap();
    undo(&added).await.unwrap();
    assert_eq!(shown().await, before);

    let there = update(json!({"position": 0})).await;
    let further = update(json!({"position": 2})).await;
    let last = shown().await;
    refused(undo(&there).await, "conflict");
    assert_eq!(shown().await, last, "the later move stays");
    undo(&further).await.unwrap();
    undo(&there).await.unwrap();
    assert_eq!(shown().await, before);
    refused(undo(&there).await, "conflict");

    let first = update(json!({"name": "One"})).await;
    update(json!({"name": "Two"})).await;
    let error = refused(undo(&first).await, "conflict");
    assert!(error.member("changeId").is_some(), "{error}");
    let stale = json!({"boardId": b, "changeId": first["changeId"]});
    let mut call = Call::new(owner());
    call.if_match = Some("\"77\"".to_owned());
    refused(p.call(call, "boards.undo", stale.clone()).await, "stale-revision");
    refused(p.as_caller(other_owner(), "boards.undo", stale).await, "not-found");
}

#[tokio::test]
async fn a_board_that_was_renamed_has_its_name_back() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let rename = async |name: &str| p.owner("boards.update", json!({"boardId": b, "name": name})).await.unwrap();
    let named = async || p.owner("boards.get", json!({"boardId": b})).await.unwrap()["name"].clone();
    let undo = async |more: Value| {
        let mut input = json!({"boardId": b});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        p.owner("boards.undo", input).await
    };
    let renamed = rename("Play").await;
    let undone = undo(json!({"revision": renamed["revision"]})).await.unwrap();
    assert_eq!(named().await, "Work");
    undo(json!({"revision": undone["undoneBy"]})).await.expect("redone");
    assert_eq!(named().await, "Play");
    let change = {
        let board = b.clone();
        p.ctx.db().read(move |tx| tx.changes(ACCOUNT, "board", &board, None, 1)).await.unwrap().remove(0)
    };
    let undone = undo(json!({"changeId": change.change_id})).await.unwrap();
    assert_eq!((&undone["value"], &undone["field"], named().await), (&json!("Work"), &json!("name"), json!("Work")));
    rename("Third").await;
    refused(undo(json!({"revision": renamed["revision"]})).await, "conflict");
}

#[tokio::test]
async fn a_stored_filter_may_name_who_has_left_and_be_what_nobody_can_read() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let held = json!({"boardId": b, "name": "Held", "cells": {"c2": [BEN]}});
    let item = p.owner("boards.items.create", held).await.unwrap()["id"].clone();
    let made =
        add(&p, &b, "Bens", "table", json!({"filter": asks(&b, "c2", json!([BEN, "me", "none"]))})).await.unwrap();
    let update = async |settings: Value| {
        p.owner("boards.views.update", json!({"boardId": b, "viewId": made["id"], "settings": settings})).await
    };
    let leave = |tx: &mut store::Tx<'_>| tx.execute("DELETE FROM members WHERE member_id = $1", store::params![BEN]);
    p.ctx.db().write(leave).await.unwrap();
    // An item still holds the id, which the page offers to choose then.
    add(&p, &b, "Bens too", "table", json!({"filter": asks(&b, "c2", json!([BEN]))})).await.unwrap();
    let empty = json!({"boardId": b, "itemId": item, "columnId": "c2", "value": null});
    p.owner("boards.cell", empty).await.unwrap();
    // A view that names it can be duplicated, also with a rule on a column that was deleted.
    let copy = json!({"filter": asks(&b, "c2", json!([BEN]))});
    add(&p, &b, "Copy", "table", copy.clone()).await.unwrap();
    let other = tasks_board(&p).await;
    refused(
        add(&p, &other, "No more", "table", json!({"filter": {"v": 1, "people": {"ids": [BEN]}, "all": []}})).await,
        "named-not-found",
    );
    let on_c1 = json!({"filter": asks(&b, "c1", json!([]))});
    add(&p, &b, "By status", "table", on_c1.clone()).await.unwrap();
    p.owner("boards.columns.delete", json!({"boardId": b, "columnId": "c1"})).await.unwrap();
    add(&p, &b, "By status (copy)", "table", on_c1).await.unwrap();
    // The view that names it can be changed, but for what is new.
    update(json!({"filter": asks(&b, "c2", json!([BEN])), "note": 1})).await.unwrap();
    update(json!({"filter": {"v": 1, "people": {"ids": [BEN, ANNA], "teams": []}, "all": []}})).await.unwrap();
    refused(update(json!({"filter": asks(&b, "c2", json!([BEN, "m-none"]))})).await, "named-not-found");
    refused(update(json!({"filter": asks(&b, "c2", json!(["Anna Berg"]))})).await, "named-not-found");

    let broken = json!({"filter": {"all": 5}, "filters": "garbage"});
    let (text, id) = (broken.to_string(), made["id"].as_str().unwrap().to_owned());
    let store = move |tx: &mut store::Tx<'_>| {
        tx.execute("UPDATE board_views SET settings_json = $1 WHERE view_id = $2", store::params![text, id])
    };
    p.ctx.db().write(store).await.unwrap();
    let list = p.owner("boards.views.list", json!({"boardId": b})).await.unwrap();
    assert!(list["items"].as_array().unwrap().iter().any(|view| view["settings"] == broken), "{list}");
    let mut same = broken.clone();
    same["note"] = json!(2);
    assert_eq!(update(same.clone()).await.unwrap()["settings"], same);
    refused(update(json!({"filter": {"all": 6}})).await, "invalid-input");
    assert_eq!(update(json!({"filter": asks(&b, "c2", json!(["me"]))})).await.unwrap()["revision"], 5);
}
