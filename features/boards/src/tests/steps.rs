//! A revision of a board as one step: made by one request, taken back and done again as one.

use super::*;
use events::HasEvents;
use testkit::{json_of, refused};

fn agent() -> Caller {
    let mut agent = Caller::new(Kind::Agent, ACCOUNT, "agent");
    agent.session = Some("s1".into());
    agent.scopes = vec!["boards:write".into()];
    agent
}

async fn undo(p: &Program, board: &str, revision: i64) -> kit::Result<Value> {
    p.owner("boards.undo", json!({"boardId": board, "revision": revision})).await
}

/// Asks for many changes; the revision that made them.
async fn bulk(p: &Program, board: &str, mut input: Value) -> i64 {
    input["boardId"] = json!(board);
    p.owner("boards.cells", input).await.unwrap()["boardRevision"].as_i64().unwrap()
}

async fn revision(p: &Program, board: &str) -> i64 {
    p.owner("boards.get", json!({"boardId": board})).await.unwrap()["revision"].as_i64().unwrap()
}

/// Has the board at a revision, as if it had been changed so often.
async fn to_revision(p: &Program, board: &str, revision: i64) {
    let of = board.to_owned();
    let later = move |tx: &mut store::Tx<'_>| {
        let sql = "UPDATE boards SET revision = $3 WHERE account_id = $1 AND board_id = $2";
        tx.execute(sql, params![ACCOUNT, &of, revision])
    };
    p.ctx.db().write(later).await.unwrap();
}

/// What the board holds, without when it was changed.
async fn held(p: &Program, board: &str) -> Value {
    let full = full_json(p, board).await;
    let mut items = full["items"].clone();
    for item in items.as_array_mut().unwrap() {
        item.as_object_mut().unwrap().retain(|name, _| !name.starts_with("updated"));
    }
    let columns = full["columns"].clone();
    json!({"groups": full["groups"], "columns": columns, "items": items})
}

/// A board of tasks with a computed column and three items.
async fn three(p: &Program) -> (String, Vec<String>) {
    let board = tasks_board(p).await;
    add_column(p, &board, "Points", "number", json!({})).await;
    add_column(p, &board, "Twice", "formula", json!({"formula": "{Points} * 2"})).await;
    let items = json!([{"name": "One", "cells": {"c1": "l1", "c4": 1}}, {"name": "Two"}, {"name": "Three"}]);
    let made = p.owner("boards.items.create", json!({"boardId": board, "items": items})).await.unwrap();
    let ids = made["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
    (board, ids)
}

/// Takes a revision back, does it again, and takes it back once more, each as one step.
async fn back_and_forth(p: &Program, board: &str, made: i64, before: &Value) {
    let after = held(p, board).await;
    assert_ne!(after, *before);
    let undone = undo(p, board, made).await.unwrap();
    assert_eq!((&undone["revision"], &undone["undoneBy"]), (&json!(made), &json!(revision(p, board).await)));
    assert_eq!(held(p, board).await, *before);
    let redone = undo(p, board, undone["undoneBy"].as_i64().unwrap()).await.unwrap();
    assert_eq!(held(p, board).await, after);
    undo(p, board, redone["undoneBy"].as_i64().unwrap()).await.unwrap();
    assert_eq!(held(p, board).await, *before);
}

#[tokio::test]
async fn a_step_of_many_kinds_of_change_is_taken_back_and_done_again_as_one() {
    let p = start().await;
    let (b, ids) = three(&p).await;
    let before = held(&p, &b).await;
    let revision_before = revision(&p, &b).await;
    let own = "0123456789abcdef";
    let step = json!({
        "items": [
            {"itemId": ids[0], "name": "First", "groupId": "g2", "cells": {"c1": "l2", "c2": [ANNA], "c4": 4}},
            {"itemId": ids[1], "position": 1},
        ],
        "add": [{"id": own, "name": "New", "cells": {"c4": 3}}, {"name": "Ahead", "groupId": "g2", "position": 2}],
        "delete": [ids[2]],
    });
    let made = bulk(&p, &b, step.clone()).await;
    assert_eq!(made, revision_before + 1);
    let after = held(&p, &b).await;
    let names: Vec<&str> = after["items"].as_array().unwrap().iter().map(|i| i["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Two", "Ahead", "First", "New"]);
    assert_eq!(after["items"][2]["cells"], json!({"c1": "l2", "c2": [ANNA], "c4": 4, "c5": 8}));
    assert_eq!((&after["items"][3]["id"], &after["items"][3]["cells"]["c5"]), (&json!(own), &json!(6)));
    // Sent again, since its answer was lost: what was added is there, and what was deleted is gone.
    bulk(&p, &b, step).await;
    assert_eq!(held(&p, &b).await["items"].as_array().unwrap().len(), 5, "only what had no id comes again");
    let again = revision(&p, &b).await;
    undo(&p, &b, again).await.unwrap();
    assert_eq!(held(&p, &b).await, after);
    back_and_forth(&p, &b, made, &before).await;
    // An archived item comes back, and goes to the archive again.
    let made = bulk(&p, &b, json!({"archive": [ids[0], ids[1]]})).await;
    back_and_forth(&p, &b, made, &before).await;
    let archived = p.owner("boards.trash.list", json!({"boardId": b})).await.unwrap();
    assert!(!archived["items"].as_array().unwrap().iter().any(|kept| kept["at"] == "archive"));
}

#[tokio::test]
async fn revisions_of_single_changes_groups_and_columns_are_taken_back_too() {
    let p = start().await;
    let (b, ids) = three(&p).await;
    let many = json!([{"name": "More"}, {"name": "Most"}]);
    let changes = [
        ("boards.items.create", json!({"boardId": b, "items": many})),
        ("boards.items.update", json!({"boardId": b, "itemId": ids[0], "name": "New", "groupId": "g2", "position": 5})),
        ("boards.cell", json!({"boardId": b, "itemId": ids[0], "columnId": "c1", "value": null})),
        ("boards.items.archive", json!({"boardId": b, "itemId": ids[1]})),
        ("boards.groups.create", json!({"boardId": b, "name": "More"})),
        ("boards.groups.update", json!({"boardId": b, "groupId": "g1", "name": "New", "position": 1})),
        ("boards.groups.delete", json!({"boardId": b, "groupId": "g1", "withItems": true})),
        ("boards.groups.delete", json!({"boardId": b, "groupId": "g1", "moveTo": "g2"})),
        ("boards.columns.create", json!({"boardId": b, "title": "Text", "type": "text"})),
        ("boards.columns.update", json!({"boardId": b, "columnId": "c4", "title": "New"})),
        ("boards.columns.delete", json!({"boardId": b, "columnId": "c4"})),
    ];
    for (op, input) in changes {
        let (before, at) = (held(&p, &b).await, revision(&p, &b).await);
        let answer = p.owner(op, input).await.unwrap();
        // What archives an item answers nothing.
        assert!(answer.is_null() || answer["boardRevision"] == at + 1, "{op}: {answer}");
        let after = held(&p, &b).await;
        let undone = undo(&p, &b, at + 1).await.unwrap_or_else(|e| panic!("{op}: {e}"));
        assert_eq!(held(&p, &b).await, before, "{op}");
        let redone = undo(&p, &b, undone["undoneBy"].as_i64().unwrap()).await.unwrap_or_else(|e| panic!("{op}: {e}"));
        assert_eq!(held(&p, &b).await, after, "{op} again");
        undo(&p, &b, redone["undoneBy"].as_i64().unwrap()).await.unwrap_or_else(|e| panic!("{op}: {e}"));
        assert_eq!(held(&p, &b).await, before, "{op} back");
    }
}

#[tokio::test]
async fn what_was_changed_since_is_named_and_nothing_is_taken_back_by_halves() {
    let p = start().await;
    let (b, ids) = three(&p).await;
    let step = json!({
        "items": [{"itemId": ids[0], "cells": {"c4": 4}}, {"itemId": ids[1], "cells": {"c4": 5}}, {"itemId": ids[2], "cells": {"c4": 6}}],
        "add": [{"name": "New"}, {"name": "Talked about"}],
    });
    let made = bulk(&p, &b, step).await;
    let items = held(&p, &b).await["items"].clone();
    let (new, talked) = (items[3]["id"].clone(), items[4]["id"].clone());
    p.clock.advance_ms(60_000);
    let cell = json!({"boardId": b, "itemId": ids[1], "columnId": "c4", "value": 9});
    p.as_caller(agent(), "boards.cell", cell).await.unwrap();
    p.owner("boards.items.update", json!({"boardId": b, "itemId": new, "name": "Used"})).await.unwrap();
    p.owner("boards.comments.create", json!({"boardId": b, "itemId": talked, "text": "T"})).await.unwrap();
    p.owner("boards.items.delete", json!({"boardId": b, "itemId": ids[2]})).await.unwrap();
    let before = held(&p, &b).await;
    let told = refused(undo(&p, &b, made).await, "conflict").problem();
    assert_eq!(held(&p, &b).await, before);
    assert_eq!(told["conflictCount"], 4);
    let conflicts = told["conflicts"].as_array().unwrap();
    let of = |name: &str| conflicts.iter().find(|one| one["name"] == name).unwrap().clone();
    let two = of("Two");
    assert_eq!(
        (&two["itemId"], &two["field"], &two["present"], &two["changedAt"]),
        (&json!(ids[1]), &json!("c4"), &json!(9), &json!("2026-03-01T12:01:00.000Z"))
    );
    assert_eq!(two["changedBy"], json!({"kind": "agent", "name": "Session", "sessionId": "s1"}));
    assert_eq!((&of("Used")["itemId"], of("Used")["changedBy"]["kind"].as_str()), (&new, Some("owner")));
    assert!(of("Talked about")["detail"].as_str().unwrap().contains("comments"));
    assert!(of("Three")["detail"].as_str().unwrap().contains("deleted"));
    // One after the other, from the last, everything goes.
    let last = revision(&p, &b).await;
    for at in (made + 1..=last).rev() {
        undo(&p, &b, at).await.unwrap();
    }
    let undone = undo(&p, &b, made).await;
    refused(undone, "conflict");
    let comment = p.owner("boards.comments.list", json!({"boardId": b, "itemId": talked})).await.unwrap();
    let comment = json!({"boardId": b, "itemId": talked, "commentId": comment["items"][0]["id"]});
    p.owner("boards.comments.delete", comment).await.unwrap();

    // Not of this board, not of a revision that there is, not of both.
    refused(undo(&p, &b, 100_000).await, "not-found");
    refused(undo(&p, "unknown", 1).await, "not-found");
    refused(p.as_caller(other_owner(), "boards.undo", json!({"boardId": b, "revision": made})).await, "not-found");
    refused(p.owner("boards.undo", json!({"boardId": b})).await, "invalid-input");
    refused(undo(&p, &b, 1).await, "not-undoable");
}

#[tokio::test]
async fn a_change_of_many_says_what_someone_else_wrote_and_overwrites_nothing() {
    let p = start().await;
    let (b, ids) = three(&p).await;
    let read_at = revision(&p, &b).await;
    let other = json!({"boardId": b, "itemId": ids[0], "columnId": "c4", "value": 7});
    p.as_caller(agent(), "boards.cell", other).await.unwrap();
    let before = held(&p, &b).await;
    let cells =
        |own: Value| json!({"boardId": b, "items": [own, {"itemId": ids[1], "cells": {"c4": 2}, "was": {"c4": null}}]});
    let seen = cells(json!({"itemId": ids[0], "name": "First", "cells": {"c4": 2}, "was": {"c4": 1, "name": "One"}}));
    let told = refused(p.owner("boards.cells", seen).await, "stale-revision").problem();
    assert_eq!(told["conflictCount"], 1);
    let clash = &told["conflicts"][0];
    assert_eq!(
        (&clash["itemId"], &clash["name"], &clash["field"], &clash["present"], &clash["mine"]),
        (&json!(ids[0]), &json!("One"), &json!("c4"), &json!(7), &json!(2))
    );
    assert_eq!(clash["changedBy"]["sessionId"], "s1");
    assert_eq!(held(&p, &b).await, before);
    // The same with one revision for all.
    let mut whole = cells(json!({"itemId": ids[0], "cells": {"c4": 2}}));
    whole["ifRevision"] = json!(read_at);
    let told = refused(p.owner("boards.cells", whole.clone()).await, "stale-revision").problem();
    assert_eq!((&told["conflictCount"], &told["conflicts"][0]["field"]), (&json!(1), &json!("c4")));
    // What it holds already is in nobody's way: the answer to it was lost.
    let same = cells(json!({"itemId": ids[0], "cells": {"c4": 7}, "was": {"c4": 1}}));
    p.owner("boards.cells", same).await.unwrap();
    whole["ifRevision"] = json!(revision(&p, &b).await);
    p.owner("boards.cells", whole).await.unwrap();
    // An item that went meanwhile is named, one that never was is not found.
    p.owner("boards.items.delete", json!({"boardId": b, "itemId": ids[0]})).await.unwrap();
    let gone = cells(json!({"itemId": ids[0], "cells": {"c4": 3}}));
    let told = refused(p.owner("boards.cells", gone).await, "stale-revision").problem();
    assert_eq!(
        (&told["conflicts"][0]["name"], &told["conflicts"][0]["field"], &told["conflicts"][0]["present"]),
        (&json!("One"), &json!("kept"), &json!("trash"))
    );
    refused(p.owner("boards.cells", cells(json!({"itemId": "unknown", "cells": {"c4": 3}}))).await, "named-not-found");
    for foreign in [
        json!({"archive": ["unknown"]}),
        json!({"delete": ["unknown"]}),
        json!({"add": [{"name": "N", "groupId": "g9"}]}),
    ] {
        let mut input = foreign;
        input["boardId"] = json!(b);
        refused(p.owner("boards.cells", input).await, "named-not-found");
    }
    let add = |id: &str| json!({"boardId": b, "add": [{"id": id, "name": "N"}]});
    refused(p.owner("boards.cells", add("not an id")).await, "invalid-input");
    let elsewhere = three(&p).await.1[0].clone();
    refused(p.owner("boards.cells", add(&elsewhere)).await, "conflict");
    refused(p.owner("boards.cells", json!({"boardId": b})).await, "invalid-input");
}

#[tokio::test]
async fn a_step_that_is_sent_again_under_its_id_is_answered_as_before_and_taken_back_as_it_was_made() {
    let p = start().await;
    let (b, ids) = three(&p).await;
    let before = held(&p, &b).await;
    let step = json!({
        "stepId": "0123456789abcdef",
        "items": [{"itemId": ids[0], "cells": {"c4": 8}, "was": {"c4": 1}}],
        "add": [{"id": "0123456789abcdeg", "name": "New"}],
    });
    let made = bulk(&p, &b, step.clone()).await;
    let after = held(&p, &b).await;
    assert_eq!(bulk(&p, &b, step.clone()).await, made);
    assert_eq!(held(&p, &b).await, after);
    back_and_forth(&p, &b, made, &before).await;
    // Whatever came after it, what arrived once has arrived.
    bulk(&p, &b, json!({"items": [{"itemId": ids[0], "cells": {"c4": 9}}]})).await;
    let after = held(&p, &b).await;
    assert_eq!(bulk(&p, &b, step.clone()).await, made);
    assert_eq!(held(&p, &b).await, after);
    // The id is the board's: another's is changed.
    let (other, ids) = three(&p).await;
    let step =
        json!({"stepId": "0123456789abcdef", "items": [{"itemId": ids[0], "cells": {"c4": 8}, "was": {"c4": 1}}]});
    assert_eq!(bulk(&p, &other, step).await, revision(&p, &other).await);
    let misshapen = json!({"boardId": b, "stepId": "1", "archive": [ids[0]]});
    refused(p.owner("boards.cells", misshapen).await, "invalid-input");
}

#[tokio::test]
async fn a_step_that_is_sent_again_has_the_whole_first_answer_and_is_no_change() {
    let p = start().await;
    let (b, ids) = three(&p).await;
    let read_at = revision(&p, &b).await;
    let step = json!({
        "boardId": b,
        "stepId": "0123456789abcdef",
        "items": [{"itemId": ids[0], "cells": {"c4": 8}}],
        "add": [{"name": "New"}, {"id": "0123456789abcdeg", "name": "Own"}],
    });
    let if_match = async |input: Value| {
        let call = Call { if_match: Some(format!("\"{read_at}\"")), ..Call::new(owner()) };
        p.call(call, "boards.cells", input).await.map(|reply| json_of(&reply))
    };
    let first = if_match(step.clone()).await.unwrap();
    assert_eq!((&first["cells"], first["added"].as_array().unwrap().len()), (&json!(1), 2));
    let (_, mut heard) = p.ctx.events().listen(None);
    // What it expected of the board is not so any more, by its own doing.
    let again = if_match(step.clone()).await.unwrap();
    assert_eq!((&again, revision(&p, &b).await), (&first, read_at + 1));
    // Whoever of the account sends it.
    assert_eq!(p.as_caller(agent(), "boards.cells", step.clone()).await.unwrap(), first);
    assert!(heard.try_recv().is_err(), "nobody is told");
    // Another change under the id is none.
    for (member, value) in [
        ("items", json!([{"itemId": ids[0], "cells": {"c4": 9}}])),
        ("items", json!([])),
        ("delete", json!([ids[1]])),
        ("ifRevision", json!(1)),
    ] {
        let mut other = step.clone();
        other[member] = value;
        refused(p.owner("boards.cells", other).await, "step-id-taken");
    }
    assert_eq!((revision(&p, &b).await, &held(&p, &b).await["items"][0]["cells"]["c4"]), (read_at + 1, &json!(8)));
}

#[tokio::test]
async fn what_changes_nothing_says_so_and_leaves_the_board_and_its_items_as_they_were() {
    let p = start().await;
    let (b, ids) = three(&p).await;
    bulk(&p, &b, json!({"add": [{"id": "0123456789abcdeg", "name": "Own"}], "delete": [ids[2]]})).await;
    p.clock.advance_ms(60_000);
    let before = full_json(&p, &b).await;
    let at = revision(&p, &b).await;
    let same = json!({"itemId": ids[0], "name": "One", "groupId": "g1", "cells": {"c1": "l1", "c2": null, "c4": 1}});
    let (_, mut heard) = p.ctx.events().listen(None);
    // In another spelling it is the same number.
    let spelled = json!({"itemId": ids[0], "cells": {"c4": 1.0}});
    for step in [
        json!({"items": [same]}),
        json!({"items": [spelled]}),
        json!({"items": [{"itemId": ids[0], "cells": {}}], "stepId": "0123456789abcdef"}),
        json!({"add": [{"id": "0123456789abcdeg", "name": "Own"}], "delete": [ids[2]]}),
    ] {
        let mut step = step;
        step["boardId"] = json!(b);
        let told = p.owner("boards.cells", step).await.unwrap();
        assert_eq!((&told["cells"], &told["boardRevision"], &told["unchanged"]), (&json!(0), &json!(at), &json!(true)));
    }
    assert_eq!(full_json(&p, &b).await, before);
    assert!(heard.try_recv().is_err(), "nobody is told");
    // Anchor what changes, the rest is not written.
    let both = json!({"boardId": b, "items": [same, {"itemId": ids[1], "name": "Two", "cells": {"c4": 5}}]});
    let told = p.owner("boards.cells", both).await.unwrap();
    assert_eq!(told, json!({"cells": 1, "boardRevision": at + 1}));
    let after = full_json(&p, &b).await;
    assert_eq!((&after["items"][0], &after["items"][1]["cells"]["c4"]), (&before["items"][0], &json!(5)));
}

#[tokio::test]
async fn an_item_that_is_sent_to_the_end_stays_where_it_is_the_last() {
    let p = start().await;
    let (b, ids) = three(&p).await;
    let names = async || {
        let items = held(&p, &b).await["items"].clone();
        items.as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let to_end = |id: &str| json!({"boardId": b, "items": [{"itemId": id, "position": crate::item::POSITION_MAX}]});
    let told = p.owner("boards.cells", to_end(&ids[0])).await.unwrap();
    assert_eq!((&told["cells"], names().await), (&json!(1), ["Two", "Three", "One"].map(str::to_owned).to_vec()));
    let told = p.owner("boards.cells", to_end(&ids[0])).await.unwrap();
    assert_eq!((&told["cells"], &told["unchanged"]), (&json!(0), &json!(true)));
    // Of two in one place, the one that stands before the other goes behind it.
    let place = |id: &str| json!({"itemId": id, "position": 1_000_000});
    bulk(&p, &b, json!({"items": [place(&ids[1]), place(&ids[2])]})).await;
    let before = names().await;
    let first = if before[1] == "Two" { &ids[1] } else { &ids[2] };
    assert_eq!(p.owner("boards.cells", to_end(first)).await.unwrap()["cells"], 1);
    assert_eq!(names().await, [&before[0], &before[2], &before[1]].map(String::clone));
}

#[tokio::test]
async fn a_step_that_was_refused_is_taken_when_it_is_sent_again() {
    let p = start().await;
    let (b, ids) = three(&p).await;
    let of = |was: i64| json!({"boardId": b, "stepId": "0123456789abcdef", "items": [{"itemId": ids[0], "cells": {"c4": 8}, "was": {"c4": was}}]});
    refused(p.owner("boards.cells", of(2)).await, "stale-revision");
    bulk(&p, &b, of(1)).await;
    assert_eq!(held(&p, &b).await["items"][0]["cells"]["c4"], 8);
}

#[tokio::test]
async fn ids_of_steps_are_forgotten_with_what_is_too_long_ago_and_those_that_change_nothing_at_once() {
    let p = start().await;
    let (b, ids) = three(&p).await;
    let step = |id: &str, value: i64| json!({"stepId": id, "items": [{"itemId": ids[0], "cells": {"c4": value}}]});
    bulk(&p, &b, step("0123456789abcdef", 8)).await;
    to_revision(&p, &b, 19_999).await;
    bulk(&p, &b, step("0123456789abcdeg", 9)).await;
    bulk(&p, &b, step("0123456789abcdeh", 9)).await;
    let left = |tx: &mut store::Tx<'_>| {
        tx.query("SELECT step_id FROM board_sent_steps", params![], |row| row.get::<String>(0))
    };
    assert_eq!(p.ctx.db().read(left).await.unwrap(), ["0123456789abcdeg"]);
}

#[test]
fn the_same_step_keeps_its_digest_when_the_program_learns_of_more() {
    let step = json!({
        "boardId": "B",
        "stepId": "0123456789abcdef",
        "items": [{"itemId": "I", "cells": {"c1": null}}],
        "add": [{"name": "New"}],
    });
    let mut spelled = step.clone();
    for (member, empty) in [("archive", json!([])), ("delete", json!([])), ("ifRevision", Value::Null)] {
        spelled[member] = empty;
    }
    spelled["items"][0]["was"] = json!({});
    spelled["add"][0]["parentId"] = Value::Null;
    for step in [step, spelled] {
        let change = serde_json::from_value(step).unwrap();
        let digest = crate::sent::Sent::from_change(&change).unwrap().unwrap().digest;
        // Steps wait in browsers while the program is updated, and are known by this one after it: where a member that is added
        // to a change alters it, it is to be left out while it is empty.
        assert_eq!(digest, "37192ef5ccf9577a4258b6499f72c8767916138c192bcfb0912f86da0e4e70b6");
    }
}

#[tokio::test]
async fn ids_of_steps_are_forgotten_whatever_the_revisions_are_on_which_they_fall() {
    let p = start().await;
    let (b, ids) = three(&p).await;
    let cell = |value: i64| json!({"items": [{"itemId": ids[0], "cells": {"c4": value}}]});
    let under = |id: &str, value: i64| {
        let mut step = cell(value);
        step["stepId"] = json!(id);
        step
    };
    let count = |tx: &mut store::Tx<'_>| {
        tx.query_one("SELECT count(*) FROM board_sent_steps", params![], |row| row.get::<i64>(0))
    };
    // Even revisions have no id: those of changes without one, and of what is recounted behind changes.
    bulk(&p, &b, under("0123456789abcdef", 8)).await;
    to_revision(&p, &b, 19_998).await;
    bulk(&p, &b, under("0123456789abcdeg", 9)).await;
    assert_eq!(p.ctx.db().read(count).await.unwrap(), 2);
    bulk(&p, &b, cell(10)).await;
    assert_eq!(p.ctx.db().read(count).await.unwrap(), 1);
    to_revision(&p, &b, 39_999).await;
    let (of, bus) = (b.clone(), p.ctx.events());
    let raise = move |tx: &mut store::Tx<'_>| crate::announce::raise(tx, ACCOUNT.to_owned(), of, 0, bus);
    p.ctx.db().write(raise).await.unwrap();
    assert_eq!(p.ctx.db().read(count).await.unwrap(), 0);
}

#[tokio::test]
async fn of_a_kept_answer_only_the_ids_that_the_server_made_are_kept_and_all_are_answered() {
    let p = start().await;
    let (b, _) = three(&p).await;
    let news: Vec<Value> =
        "cdefg".chars().map(|end| json!({"id": format!("0123456789abcde{end}"), "name": "Own"})).collect();
    let add = [&news[..2], &[json!({"name": "First"})], &news[2..], &[json!({"name": "Second"})]].concat();
    let step = json!({"boardId": b, "stepId": "0123456789abcdef", "add": add});
    let first = p.owner("boards.cells", step.clone()).await.unwrap();
    assert_eq!(p.owner("boards.cells", step).await.unwrap(), first);
    let kept = |tx: &mut store::Tx<'_>| {
        tx.query_one("SELECT answer_json FROM board_sent_steps", params![], |row| row.get::<String>(0))
    };
    let kept: Value = serde_json::from_str(&p.ctx.db().read(kept).await.unwrap()).unwrap();
    assert_eq!(kept["added"], json!([first["added"][2], first["added"][6]]));
}

#[tokio::test]
async fn what_a_board_recorded_goes_with_it() {
    let p = start().await;
    let (b, ids) = three(&p).await;
    bulk(&p, &b, json!({"stepId": "0123456789abcdef", "delete": [ids[0]]})).await;
    p.owner("boards.delete", json!({"boardId": b})).await.unwrap();
    crate::sweep::one(&p.ctx, ACCOUNT.to_owned(), b).await.unwrap();
    for table in ["board_steps", "board_sent_steps"] {
        let sql = format!("SELECT count(*) FROM {table}");
        let left = move |tx: &mut store::Tx<'_>| tx.query_one(&sql, params![], |row| row.get::<i64>(0));
        assert_eq!(p.ctx.db().read(left).await.unwrap(), 0, "{table}");
    }
}
