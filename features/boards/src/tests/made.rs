//! When and by whom items were made and changed.

use super::export::export;
use super::full::{as_json, decode};
use super::*;
use testkit::refused;

fn agent() -> Caller {
    let mut caller = Caller::new(Kind::Agent, ACCOUNT, "agent");
    caller.scopes = vec!["boards:read".to_owned(), "boards:write".to_owned()];
    caller
}

fn ben() -> Caller {
    let mut caller = Caller::new(Kind::Member, ACCOUNT, "ben");
    caller.member = Some(BEN.into());
    caller
}

async fn by(p: &Program, caller: Caller, op: &str, input: Value) -> Value {
    let reply = p.call(Call::new(caller), op, input).await.unwrap_or_else(|e| panic!("{op}: {e}"));
    testkit::json_of(&reply)
}

/// A board with all four columns and three items: the owner's, a session's that Ben changed, and Ben's.
async fn board(p: &Program) -> (String, Vec<Value>) {
    let b = tasks_board(p).await;
    for kind in ["createdAt", "createdBy", "updatedAt", "updatedBy"] {
        add_column(p, &b, kind, kind, json!({})).await;
    }
    let mut ids = Vec::new();
    for caller in [owner(), agent(), ben()] {
        p.clock.advance_ms(1_000);
        ids.push(by(p, caller, "boards.items.create", json!({"boardId": b, "name": "I"})).await["id"].clone());
    }
    p.clock.advance_ms(1_000);
    by(p, ben(), "boards.cell", json!({"boardId": b, "itemId": ids[1], "columnId": "c1", "value": "l1"})).await;
    (b, ids)
}

#[tokio::test]
async fn columns_show_who_made_and_changed_an_item_and_when() {
    let p = start().await;
    let (b, _) = board(&p).await;
    let full = full_json(&p, &b).await;
    let made: Vec<_> = full["items"].as_array().unwrap().iter().map(|i| (&i["createdBy"], &i["updatedBy"])).collect();
    let (nobody, session, member) = (json!(null), json!("agent"), json!(BEN));
    assert_eq!(made, [(&nobody, &nobody), (&session, &member), (&member, &member)], "the owner is left out");
    assert_eq!(full["members"], json!([{"id": BEN, "name": "Ben Ito"}]), "who is shown is named");
    assert_eq!(full["items"][1]["createdAt"], "2026-03-01T12:00:02.000Z");
    assert_eq!(full["items"][1]["updatedAt"], "2026-03-01T12:00:04.000Z");
    let arrow = decode(&full_reply(&p, &b, crate::ARROW, None).await);
    assert_eq!(as_json(&arrow), full);
    let types: Vec<_> = arrow.0.fields()[8..].iter().map(|f| f.data_type().to_string()).collect();
    assert_eq!(types, ["Int64", "Dictionary(Int32, Utf8)", "Int64", "Dictionary(Int32, Utf8)"]);
    let changed = p.owner("boards.changed", json!({"boardId": b, "since": 0})).await.unwrap();
    assert_eq!(changed["members"], full["members"]);

    let (_, csv) = export(&p, &b, json!({})).await;
    let csv = String::from_utf8(csv).unwrap();
    assert_eq!(
        csv.lines().nth(2).unwrap(),
        "I,To do,Not started,,,2026-03-01T12:00:02.000Z,Session,2026-03-01T12:00:04.000Z,Ben Ito",
        "{csv}"
    );
}

#[tokio::test]
async fn nothing_is_written_to_them() {
    let p = start().await;
    let (b, ids) = board(&p).await;
    for column in ["c4", "c5", "c6", "c7"] {
        for value in [json!("2026-03-01"), json!([ANNA]), json!(null)] {
            let set = json!({"boardId": b, "itemId": ids[0], "columnId": column, "value": value});
            let error = refused(p.owner("boards.cell", set).await, "read-only-column");
            assert!(error.detail().contains(column), "{error}");
            let cells = json!({column: value});
            let update = json!({"boardId": b, "itemId": ids[0], "cells": cells});
            refused(p.owner("boards.items.update", update).await, "read-only-column");
            let create = json!({"boardId": b, "name": "N", "cells": cells});
            refused(p.owner("boards.items.create", create).await, "read-only-column");
        }
    }
    let settings = json!({"boardId": b, "title": "T", "type": "createdAt", "settings": {"unit": "h"}});
    refused(p.owner("boards.columns.create", settings).await, "invalid-input");
}

#[tokio::test]
async fn an_undo_is_a_change_by_who_took_it_back() {
    let p = start().await;
    let (b, ids) = board(&p).await;
    let activity = p.owner("boards.items.activity", json!({"boardId": b, "itemId": ids[1]})).await.unwrap();
    let undo = json!({"boardId": b, "changeId": activity["items"][0]["changeId"]});
    by(&p, agent(), "boards.undo", undo).await;
    assert_eq!(full_json(&p, &b).await["items"][1]["updatedBy"], "agent");
}

#[tokio::test]
async fn an_import_is_made_by_who_sent_it() {
    let p = start().await;
    let mut call = Call::new(ben());
    let pieces = vec![Ok(bytes::Bytes::from_static(b"Name\nA\n"))];
    call.upload = Some(("text/csv".to_owned(), Box::pin(futures_util::stream::iter(pieces))));
    let answer = testkit::json_of(&p.call(call, "boards.import", json!({"workspaceId": WORKSPACE})).await.unwrap());
    let full = full_json(&p, answer["board"]["id"].as_str().unwrap()).await;
    assert_eq!((&full["items"][0]["createdBy"], &full["items"][0]["updatedBy"]), (&json!(BEN), &json!(BEN)));
}
