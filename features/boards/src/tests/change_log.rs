//! Who is told of which change.

use super::import::pieces;
use super::{ANNA, BEN, WORKSPACE, owner, start, tasks_board};
use events::HasEvents;
use kit::{Call, Caller, Kind};
use serde_json::{Value, json};
use store::HasDb;
use testkit::{ACCOUNT, Program, refused};
use tokio::sync::broadcast::Receiver;

/// The events about items that have been told since.
fn item_events(heard: &mut Receiver<events::Numbered>) -> Vec<Value> {
    let mut told = Vec::new();
    while let Ok(numbered) = heard.try_recv() {
        if numbered.event.name().starts_with("item") {
            assert_eq!(numbered.account.as_deref(), Some(ACCOUNT));
            assert_eq!(numbered.event.topic(), events::Topic::Boards);
            told.push(serde_json::to_value(&numbered.event).unwrap());
        }
    }
    told
}

fn listen(program: &Program) -> Receiver<events::Numbered> {
    program.ctx.events().listen(None).1
}

/// The id of a label of the column c1, by whether it means done.
async fn label(program: &Program, board: &str, done: bool) -> Value {
    let board = program.owner("boards.get", json!({"boardId": board})).await.unwrap();
    let labels = board["columns"][0]["settings"]["labels"].as_array().unwrap();
    labels.iter().find(|label| (label["done"] == true) == done).unwrap().clone()
}

#[tokio::test]
async fn members_who_are_added_are_told_with_who_added_them() {
    let program = start().await;
    let board = tasks_board(&program).await;
    let mut heard = listen(&program);
    let item = program
        .owner("boards.items.create", json!({"boardId": board, "name": "A", "cells": {"c2": [ANNA]}}))
        .await
        .unwrap();
    let by = json!({"kind": "owner", "memberId": null, "sessionId": null});
    let event = |members: Value, by: &Value| json!({"event": "item-assigned", "boardId": board, "itemId": item["id"], "columnId": "c2", "memberIds": members, "by": by});
    assert_eq!(item_events(&mut heard), [event(json!([ANNA]), &by)]);

    // One cell, by a member: only who is new.
    let mut ben = Caller::new(Kind::Member, ACCOUNT, "ben");
    ben.member = Some(BEN.into());
    let cell = json!({"boardId": board, "itemId": item["id"], "columnId": "c2", "value": [ANNA, BEN]});
    program.as_caller(ben, "boards.cell", cell).await.unwrap();
    let by_ben = json!({"kind": "member", "memberId": BEN, "sessionId": null});
    assert_eq!(item_events(&mut heard), [event(json!([BEN]), &by_ben)]);

    // Taking away is no assignment; taking that back is one.
    let update = json!({"boardId": board, "itemId": item["id"], "cells": {"c2": null}});
    program.owner("boards.items.update", update).await.unwrap();
    assert_eq!(item_events(&mut heard), Vec::<Value>::new());
    let activity =
        program.owner("boards.items.activity", json!({"boardId": board, "itemId": item["id"]})).await.unwrap();
    let undo = json!({"boardId": board, "changeId": activity["items"][0]["changeId"]});
    program.owner("boards.undo", undo).await.unwrap();
    assert_eq!(item_events(&mut heard), [event(json!([ANNA, BEN]), &by)]);
}

#[tokio::test]
async fn another_status_is_told_with_both_labels_and_whether_it_means_done() {
    let program = start().await;
    let board = tasks_board(&program).await;
    let (open, done) = (label(&program, &board, false).await, label(&program, &board, true).await);
    let item = program
        .owner("boards.items.create", json!({"boardId": board, "name": "A", "cells": {"c1": open["id"]}}))
        .await
        .unwrap();
    let mut heard = listen(&program);
    for value in [&done["id"], &done["id"], &Value::Null] {
        let cell = json!({"boardId": board, "itemId": item["id"], "columnId": "c1", "value": value});
        program.owner("boards.cell", cell).await.unwrap();
    }
    let told = item_events(&mut heard);
    assert_eq!(told.len(), 2, "the same label again is no change: {told:?}");
    assert_eq!(
        (&told[0]["event"], &told[0]["from"], &told[0]["to"]),
        (&json!("item-status-changed"), &open["text"], &done["text"])
    );
    assert_eq!((&told[0]["done"], &told[1]["done"], &told[1]["to"]), (&json!(true), &json!(false), &Value::Null));
}

#[tokio::test]
async fn a_label_that_is_called_done_means_it_where_none_is_marked() {
    let program = start().await;
    let blank = json!({"workspaceId": WORKSPACE, "name": "B", "preset": "blank"});
    let board = program.owner("boards.create", blank).await.unwrap()["id"].clone();
    let column = json!({"boardId": board, "title": "S", "type": "status", "settings": {"labels": [{"text": "Open"}, {"text": "Complete"}]}});
    let column = program.owner("boards.columns.create", column).await.unwrap()["id"].clone();
    let item = program.owner("boards.items.create", json!({"boardId": board, "name": "A"})).await.unwrap();
    let mut heard = listen(&program);
    let cell = json!({"boardId": board, "itemId": item["id"], "columnId": column, "value": "l2"});
    program.owner("boards.cell", cell).await.unwrap();
    let told = item_events(&mut heard);
    assert_eq!((&told[0]["to"], &told[0]["done"]), (&json!("Complete"), &json!(true)));
}

#[tokio::test]
async fn a_change_that_is_refused_tells_nothing() {
    let program = start().await;
    let board = tasks_board(&program).await;
    let mut heard = listen(&program);
    let items = json!([{"name": "A", "cells": {"c2": [ANNA]}}, {"name": "B", "cells": {"c1": "no-such-label"}}]);
    refused(program.owner("boards.items.create", json!({"boardId": board, "items": items})).await, "invalid-cell");
    assert_eq!(item_events(&mut heard), Vec::<Value>::new());
}

#[tokio::test]
async fn many_at_once_and_imports_are_told_in_one() {
    let program = start().await;
    let board = tasks_board(&program).await;
    let mut heard = listen(&program);
    let items = |count: usize| {
        let items: Vec<_> = (0..count).map(|i| json!({"name": format!("I{i}"), "cells": {"c2": [ANNA]}})).collect();
        json!({"boardId": board, "items": items})
    };
    program.owner("boards.items.create", items(crate::change_log::EVENTS_PER_CHANGE_MAX)).await.unwrap();
    assert_eq!(item_events(&mut heard).len(), crate::change_log::EVENTS_PER_CHANGE_MAX);
    program.owner("boards.items.create", items(crate::change_log::EVENTS_PER_CHANGE_MAX + 1)).await.unwrap();
    let all = item_events(&mut heard);
    assert_eq!((all.len(), &all[0]["event"], &all[0]["assigned"]), (1, &json!("items-changed"), &json!(51)));
    // It says of which items, or where they are found.
    let since = all[0]["revision"].as_i64().unwrap() - 1;
    let changed = program.owner("boards.changed", json!({"boardId": board, "since": since})).await.unwrap();
    let changed: Vec<_> = changed["items"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect();
    assert_eq!((&all[0]["items"], &all[0]["itemIds"]), (&json!(51), &json!(changed)));
    for _ in 0..2 {
        program.owner("boards.items.create", items(600)).await.unwrap();
    }
    item_events(&mut heard);
    let every = program.owner("boards.items.list", json!({"boardId": board, "limit": 1_000})).await.unwrap();
    let every = every["items"].as_array().unwrap().iter();
    let every: Vec<_> = every.map(|item| json!({"itemId": item["id"], "cells": {"c1": "l1", "c2": [BEN]}})).collect();
    assert_eq!(every.len(), 1_000);
    let more: Vec<_> = (0..10).map(|i| json!({"name": format!("N{i}"), "cells": {"c2": [ANNA]}})).collect();
    let both = json!({"boardId": board, "items": every, "add": more});
    program.owner("boards.cells", both).await.unwrap();
    let all = item_events(&mut heard);
    assert_eq!((&all[0]["assigned"], &all[0]["statusChanged"]), (&json!(1_010), &json!(1_000)));
    assert_eq!((&all[0]["items"], all[0]["itemIds"].as_array().unwrap().len()), (&json!(1_010), 1_000));

    let mut call = Call::new(owner());
    let file = b"Name,Owner\nA,anna@example.com\nB,anna@example.com\n";
    call.upload = Some(("text/csv".to_owned(), pieces(file, 777)));
    program.call(call, "boards.import", json!({"workspaceId": WORKSPACE})).await.unwrap();
    let all = item_events(&mut heard);
    assert_eq!((all.len(), &all[0]["event"], &all[0]["items"]), (1, &json!("items-imported"), &json!(2)));
}

#[tokio::test]
async fn a_change_is_named_with_titles_labels_and_the_revision_that_undo_takes() {
    let program = start().await;
    let board = tasks_board(&program).await;
    let (open, title) = {
        let record = program.owner("boards.get", json!({"boardId": board})).await.unwrap();
        (label(&program, &board, false).await, record["columns"][0]["title"].as_str().unwrap().to_owned())
    };
    let create = json!({"boardId": board, "name": "A", "cells": {"c1": open["id"]}});
    let item = program.owner("boards.items.create", create).await.unwrap();
    let id = item["id"].as_str().unwrap().to_owned();
    let changes = program.ctx.db().read(move |tx| tx.changes(ACCOUNT, "item", &id, None, 10)).await.unwrap();
    let created = changes.into_iter().map(|row| kit::lookup::NamelessChange {
        id: row.change_id,
        subject: row.subject,
        subject_id: row.subject_id,
        field: row.field,
        before: row.before,
        after: row.after,
    });
    let namer = program.ctx.service::<kit::lookup::ChangedThings>();
    let named = namer.0.names(ACCOUNT, created.collect(), Default::default()).await.unwrap();
    let after = named[0].after.clone().unwrap();
    assert_eq!(after["cells"], json!({title: open["text"]}), "{after}");
    let revision = named[0].revision.expect("a revision");
    program.owner("boards.undo", json!({"boardId": board, "revision": revision})).await.expect("it is undone");
}
