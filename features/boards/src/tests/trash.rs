use super::full::{as_json, decode, with_floats};
use super::*;
use events::{Event, HasEvents};
use testkit::refused;

/// A board of tasks with items of these names; their ids.
async fn board_of(p: &Program, names: &[&str]) -> (String, Vec<String>) {
    let board = tasks_board(p).await;
    let items: Vec<_> = names.iter().map(|name| json!({"name": name, "cells": {"c1": "l2", "c2": [ANNA]}})).collect();
    let made = p.owner("boards.items.create", json!({"boardId": board, "items": items})).await.unwrap();
    let ids = made["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
    (board, ids)
}

fn of_item(board: &str, item: &str) -> Value {
    json!({"boardId": board, "itemId": item})
}

fn names(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

async fn trash(p: &Program, board: &str, more: Value) -> Value {
    let mut input = json!({"boardId": board});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    p.owner("boards.trash.list", input).await.unwrap()
}

async fn kept_rows(p: &Program) -> Vec<i64> {
    let count = |tx: &mut store::Tx<'_>| {
        let tables = ["board_kept", "column_cells_kept", "item_comments", "boards"];
        let count = |table| tx.query_one(&format!("SELECT count(*) FROM {table}"), &[], |row| row.get::<i64>(0));
        tables.into_iter().map(count).collect::<kit::Result<Vec<_>>>()
    };
    p.ctx.db().read(count).await.unwrap()
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

#[tokio::test]
async fn a_deleted_item_is_shown_nowhere_and_comes_back_as_it_was() {
    let p = start().await;
    let (b, ids) = board_of(&p, &["One", "Two", "Three"]).await;
    let comment = json!({"boardId": b, "itemId": ids[1], "text": "Stays"});
    p.owner("boards.comments.create", comment).await.unwrap();
    let before = full_json(&p, &b).await;
    let since = before["board"]["revision"].clone();
    p.owner("boards.items.delete", of_item(&b, &ids[1])).await.unwrap();
    let gone = full_json(&p, &b).await;
    assert_eq!((names(&gone), &gone["board"]["itemCount"]), (vec!["One", "Three"], &json!(2)));
    let arrow = as_json(&decode(&full_reply(&p, &b, crate::ARROW, None).await));
    assert_eq!(with_floats(arrow), with_floats(gone));
    let changed = p.owner("boards.changed", json!({"boardId": b, "since": since})).await.unwrap();
    assert_eq!(changed["removed"], json!([ids[1]]));
    refused(p.owner("boards.comments.list", of_item(&b, &ids[1])).await, "not-found");
    refused(p.owner("boards.items.delete", of_item(&b, &ids[1])).await, "not-found");

    let listed = trash(&p, &b, json!({})).await;
    let expected = json!({
        "kind": "item", "id": ids[1], "name": "Two", "groupId": "g1", "itemCount": 0, "at": "2026-03-01T12:00:00.000Z",
        "actor": {"kind": "owner", "name": "Owner"}, "deletedAt": "2026-03-31T12:00:00.000Z",
    });
    assert_eq!(listed, json!({"items": [expected], "nextCursor": null}));

    let back = p.owner("boards.items.restore", of_item(&b, &ids[1])).await.unwrap();
    assert_eq!(back["cells"], json!({"c1": "l2", "c2": [ANNA]}));
    let after = full_json(&p, &b).await;
    assert_eq!((&after["items"], &after["board"]["itemCount"]), (&before["items"], &json!(3)));
    let arrow = as_json(&decode(&full_reply(&p, &b, crate::ARROW, None).await));
    assert_eq!(with_floats(arrow), with_floats(after));
    let changed = p.owner("boards.changed", json!({"boardId": b, "since": since})).await.unwrap();
    assert_eq!((&changed["removed"], &changed["items"][0]["id"]), (&json!([]), &json!(ids[1])));
    let comments = p.owner("boards.comments.list", of_item(&b, &ids[1])).await.unwrap();
    assert_eq!(comments["items"][0]["text"], "Stays");
    let activity = p.owner("boards.items.activity", of_item(&b, &ids[1])).await.unwrap();
    let told: Vec<_> = activity["items"].as_array().unwrap().iter().take(2).collect();
    assert_eq!(
        (&told[0]["field"], &told[0]["before"], &told[0]["after"]),
        (&json!("kept"), &json!("trash"), &json!(null))
    );
    assert_eq!((&told[1]["before"], &told[1]["after"]), (&json!(null), &json!("trash")));
    assert_eq!(trash(&p, &b, json!({})).await["items"], json!([]));
    refused(p.owner("boards.items.restore", of_item(&b, &ids[1])).await, "not-found");
}

#[tokio::test]
async fn an_item_comes_back_to_the_board_as_it_is_now() {
    let p = start().await;
    let (b, ids) = board_of(&p, &["One", "Two"]).await;
    p.owner("boards.items.delete", of_item(&b, &ids[0])).await.unwrap();
    // Its group goes, its label too, and so does a column: that one can still come back itself.
    p.owner("boards.groups.delete", json!({"boardId": b, "groupId": "g1", "moveTo": "g2"})).await.unwrap();
    p.owner("boards.cell", json!({"boardId": b, "itemId": ids[1], "columnId": "c1", "value": "l3"})).await.unwrap();
    let labels = json!({"labels": [{"id": "l3", "text": "Left"}]});
    p.owner("boards.columns.update", json!({"boardId": b, "columnId": "c1", "settings": labels})).await.unwrap();
    p.owner("boards.columns.delete", json!({"boardId": b, "columnId": "c2"})).await.unwrap();
    let back = p.owner("boards.items.restore", of_item(&b, &ids[0])).await.unwrap();
    assert_eq!((&back["groupId"], &back["cells"]), (&json!("g2"), &json!({})));
    p.owner("boards.columns.restore", json!({"boardId": b, "columnId": "c2"})).await.unwrap();
    let full = full_json(&p, &b).await;
    assert_eq!(full["items"][0]["cells"], json!({"c2": [ANNA]}));
    assert_eq!(full["items"][1]["cells"], json!({"c1": "l3", "c2": [ANNA]}));
}

#[tokio::test]
async fn a_deleted_column_comes_back_to_its_place_with_every_cell() {
    let p = start().await;
    let (b, ids) = board_of(&p, &["One", "Two", "Three"]).await;
    let before = full_json(&p, &b).await;
    p.owner("boards.items.delete", of_item(&b, &ids[2])).await.unwrap();
    p.owner("boards.columns.delete", json!({"boardId": b, "columnId": "c1"})).await.unwrap();
    p.owner("boards.items.delete", of_item(&b, &ids[1])).await.unwrap();
    let listed = trash(&p, &b, json!({"search": "STAT"})).await;
    assert_eq!((&listed["items"][0]["kind"], &listed["items"][0]["id"]), (&json!("column"), &json!("c1")));
    let column = p.owner("boards.columns.restore", json!({"boardId": b, "columnId": "c1"})).await.unwrap();
    assert_eq!(column, before["columns"][0]);
    for id in [&ids[1], &ids[2]] {
        p.owner("boards.items.restore", of_item(&b, id)).await.unwrap();
    }
    let after = full_json(&p, &b).await;
    assert_eq!((&after["columns"], &after["items"]), (&before["columns"], &before["items"]));
    let arrow = as_json(&decode(&full_reply(&p, &b, crate::ARROW, None).await));
    assert_eq!(with_floats(arrow), with_floats(after));
    refused(p.owner("boards.columns.restore", json!({"boardId": b, "columnId": "c1"})).await, "not-found");
    assert_eq!(kept_rows(&p).await[..2], [0, 0]);
}

#[tokio::test]
async fn a_stop_while_a_column_comes_back_leaves_it_in_the_trash() {
    let p = start().await;
    let (b, _) = board_of(&p, &["One", "Two"]).await;
    let before = full_json(&p, &b).await;
    p.owner("boards.columns.delete", json!({"boardId": b, "columnId": "c1"})).await.unwrap();
    // As after the first step: the marker stands, and a cell is back already.
    let board = b.clone();
    let half = move |tx: &mut store::Tx<'_>| {
        let sql = "INSERT INTO board_columns (account_id, board_id, column_id, position, title, type, settings_json) \
             VALUES ($1, $2, 'c1', 9, '', $3, '{}')";
        tx.execute(sql, params![ACCOUNT, &board, crate::board::DELETING])?;
        let sql = "SELECT item_id FROM column_cells_kept ORDER BY item_id LIMIT 1";
        let item: String = tx.query_one(sql, &[], |row| row.get(0))?;
        tx.execute("DELETE FROM column_cells_kept WHERE item_id = $1", params![&item])?;
        let revision = crate::board::next_revision(tx, ACCOUNT, &board)?.unwrap();
        crate::item::put_cell(tx, (ACCOUNT, &board, revision), &item, "c1", json!("l2"))
    };
    p.ctx.db().write(half).await.unwrap();
    let again = p.owner("boards.columns.restore", json!({"boardId": b, "columnId": "c1"})).await;
    refused(again, "conflict");
    let p = p.restart().await;
    assert_eq!(full_json(&p, &b).await["columns"].as_array().unwrap().len(), 2);
    assert_eq!(kept_rows(&p).await[..2], [1, 2]);
    p.owner("boards.columns.restore", json!({"boardId": b, "columnId": "c1"})).await.unwrap();
    assert_eq!(full_json(&p, &b).await["items"], before["items"]);
}

#[tokio::test]
async fn a_group_takes_its_items_along_and_brings_them_back() {
    let p = start().await;
    let (b, ids) = board_of(&p, &["One", "Two"]).await;
    let other = json!({"boardId": b, "itemId": ids[1], "groupId": "g2"});
    p.owner("boards.items.update", other).await.unwrap();
    let before = full_json(&p, &b).await;
    let both = json!({"boardId": b, "groupId": "g1", "withItems": true, "moveTo": "g2"});
    refused(p.owner("boards.groups.delete", both).await, "invalid-input");
    p.owner("boards.groups.delete", json!({"boardId": b, "groupId": "g1", "withItems": true})).await.unwrap();
    let full = full_json(&p, &b).await;
    assert_eq!((names(&full), &full["board"]["itemCount"]), (vec!["Two"], &json!(1)));
    let listed = trash(&p, &b, json!({})).await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 1, "what left along is shown with what it left with");
    assert_eq!((&listed["items"][0]["id"], &listed["items"][0]["itemCount"]), (&json!("g1"), &json!(1)));
    refused(p.owner("boards.items.restore", of_item(&b, &ids[0])).await, "not-found");
    p.owner("boards.groups.restore", json!({"boardId": b, "groupId": "g1"})).await.unwrap();
    let after = full_json(&p, &b).await;
    assert_eq!((&after["groups"], &after["items"]), (&before["groups"], &before["items"]));
    assert_eq!(kept_rows(&p).await[0], 0);
}

#[tokio::test]
async fn the_archive_is_a_list_of_its_own_and_is_never_emptied() {
    let p = start().await;
    let (b, ids) = board_of(&p, &["One", "Two", "Three"]).await;
    for id in &ids[..2] {
        p.clock.advance_ms(1_000);
        p.owner("boards.items.archive", of_item(&b, id)).await.unwrap();
    }
    assert_eq!(names(&full_json(&p, &b).await), ["Three"]);
    assert_eq!(trash(&p, &b, json!({})).await["items"], json!([]));
    let first = trash(&p, &b, json!({"place": "archive", "limit": 1})).await;
    assert_eq!((names(&first), first["items"][0].get("deletedAt")), (vec!["Two"], None));
    let input = json!({"place": "archive", "limit": 1, "cursor": first["nextCursor"]});
    let second = trash(&p, &b, input).await;
    assert_eq!((names(&second), &second["nextCursor"]), (vec!["One"], &json!(null)));
    for (search, found) in [("one", 1), ("%", 0), ("_", 0), ("o", 2)] {
        let listed = trash(&p, &b, json!({"place": "archive", "search": search})).await;
        assert_eq!(listed["items"].as_array().unwrap().len(), found, "{search}");
    }
    p.clock.advance_ms(400 * DAY_MS);
    let p = p.restart().await;
    p.owner("boards.items.restore", of_item(&b, &ids[0])).await.unwrap();
    assert_eq!(names(&full_json(&p, &b).await), ["One", "Three"]);
}

#[tokio::test]
async fn the_trash_empties_itself_after_thirty_days() {
    let p = start().await;
    let (b, ids) = board_of(&p, &["One", "Two", "Three"]).await;
    p.owner("boards.comments.create", json!({"boardId": b, "itemId": ids[0], "text": "Goes"})).await.unwrap();
    p.owner("boards.items.delete", of_item(&b, &ids[0])).await.unwrap();
    p.owner("boards.columns.delete", json!({"boardId": b, "columnId": "c1"})).await.unwrap();
    let other = tasks_board(&p).await;
    p.owner("boards.delete", json!({"boardId": other})).await.unwrap();
    p.clock.advance_ms(30 * DAY_MS - 1);
    let p = p.restart().await;
    assert_eq!(trash(&p, &b, json!({})).await["items"].as_array().unwrap().len(), 2, "a moment before, all is there");
    assert_eq!(kept_rows(&p).await, [2, 2, 1, 2]);
    let (_, mut heard) = p.ctx.events().listen(None);
    p.clock.advance_ms(1);
    assert_eq!(trash(&p, &b, json!({})).await["items"], json!([]), "at the moment, nothing of it is");
    refused(p.owner("boards.items.restore", of_item(&b, &ids[0])).await, "not-found");
    refused(p.owner("boards.columns.restore", json!({"boardId": b, "columnId": "c1"})).await, "not-found");
    refused(p.owner("boards.restore", json!({"boardId": other})).await, "not-found");
    assert_eq!(p.owner("boards.trash.boards", json!({})).await.unwrap()["items"], json!([]));
    crate::trash::empty_due(&p.ctx).await.unwrap();
    assert_eq!(heard.recv().await.unwrap().event, Event::BoardDeleted { board_id: other });
    assert_eq!(kept_rows(&p).await, [0, 0, 0, 1]);
}

#[tokio::test]
async fn things_are_deleted_for_good() {
    let p = start().await;
    let (b, ids) = board_of(&p, &["One", "Two", "Three"]).await;
    p.owner("boards.comments.create", json!({"boardId": b, "itemId": ids[0], "text": "Goes"})).await.unwrap();
    p.owner("boards.items.archive", of_item(&b, &ids[0])).await.unwrap();
    p.owner("boards.groups.create", json!({"boardId": b, "name": "More"})).await.unwrap();
    p.owner("boards.groups.delete", json!({"boardId": b, "groupId": "g1", "withItems": true})).await.unwrap();
    p.owner("boards.columns.delete", json!({"boardId": b, "columnId": "c1"})).await.unwrap();
    let purge =
        |kind: &str, id: &str| p.owner("boards.trash.delete", json!({"boardId": b, "kind": kind, "entryId": id}));
    refused(purge("item", &ids[1]).await, "not-found");
    refused(purge("group", "g2").await, "not-found");
    for (kind, id) in [("item", ids[0].as_str()), ("group", "g1"), ("column", "c1")] {
        purge(kind, id).await.unwrap();
        refused(purge(kind, id).await, "not-found");
    }
    assert_eq!(kept_rows(&p).await, [0, 0, 0, 1]);
    refused(p.owner("boards.items.restore", of_item(&b, &ids[0])).await, "not-found");
}

#[tokio::test]
async fn a_deleted_board_is_missing_everywhere_and_comes_back() {
    let p = start().await;
    let (b, _) = board_of(&p, &["One"]).await;
    let (_, mut heard) = p.ctx.events().listen(None);
    let before = full_json(&p, &b).await;
    let lookup = p.ctx.service::<kit::lookup::Boards>();
    let here = json!({"boardId": b});
    for (op, place) in [("boards.delete", "trash"), ("boards.archive", "archive")] {
        p.owner(op, here.clone()).await.unwrap();
        assert_eq!(heard.try_recv().unwrap().event, Event::BoardDeleted { board_id: b.clone() });
        for op in ["boards.get", "boards.full", "boards.items.list", "boards.trash.list", "boards.export", op] {
            refused(p.owner(op, here.clone()).await, "not-found");
        }
        assert_eq!(p.owner("boards.list", json!({})).await.unwrap()["items"], json!([]));
        assert_eq!(lookup.0.missing(ACCOUNT, vec![b.clone()]).await.unwrap(), [b.as_str()]);
        let listed = async |more: Value| {
            let mut input = json!({"place": place, "workspaceId": WORKSPACE});
            input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            p.owner("boards.trash.boards", input).await.unwrap()["items"].as_array().unwrap().len()
        };
        assert_eq!((listed(json!({"search": "wOR"})).await, listed(json!({"search": "x"})).await), (1, 0));
        let theirs = p.as_caller(other_owner(), "boards.trash.boards", json!({"place": place})).await.unwrap();
        assert_eq!(theirs["items"], json!([]));
        refused(p.as_caller(other_owner(), "boards.restore", here.clone()).await, "not-found");
        p.owner("boards.restore", here.clone()).await.unwrap();
        assert_eq!(full_json(&p, &b).await["items"], before["items"]);
        assert!(lookup.0.missing(ACCOUNT, vec![b.clone()]).await.unwrap().is_empty());
        assert!(matches!(heard.try_recv().unwrap().event, Event::BoardChanged { .. }));
        refused(p.owner("boards.restore", here.clone()).await, "not-found");
    }
    refused(p.owner("boards.trash.deleteBoard", here.clone()).await, "not-found");
    for op in ["boards.delete", "boards.trash.deleteBoard"] {
        p.owner(op, here.clone()).await.unwrap();
        assert_eq!(heard.try_recv().unwrap().event, Event::BoardDeleted { board_id: b.clone() }, "{op}");
    }
    refused(p.owner("boards.restore", here).await, "not-found");
    let p = p.restart().await;
    assert_eq!(rows_left(&p).await, [0, 0, 0, 0]);
}
