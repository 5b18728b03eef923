//! Items that are put beside others, of whatever group.

use super::random::runner;
use super::*;
use proptest::prelude::*;
use testkit::refused;

/// A board with two groups, and items of either in turns; their ids.
async fn many(p: &Program, count: usize) -> (String, Vec<String>) {
    let board = tasks_board(p).await;
    let item = |at: usize| json!({"name": format!("I{at}"), "groupId": if at.is_multiple_of(2) { "g1" } else { "g2" }, "cells": {"c1": "l1"}});
    let items: Vec<_> = (0..count).map(item).collect();
    let made = p.owner("boards.items.create", json!({"boardId": board, "items": items})).await.unwrap();
    let ids = made["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect();
    (board, ids)
}

async fn names(p: &Program, board: &str) -> String {
    let full = full_json(p, board).await;
    let names: Vec<_> = full["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect();
    names.join(" ")
}

async fn cells(p: &Program, board: &str, items: Value) -> kit::Result<Value> {
    p.owner("boards.cells", json!({"boardId": board, "items": items})).await
}

#[tokio::test]
async fn an_item_is_put_beside_one_of_another_group_with_its_cell_and_taken_back_as_one() {
    let p = start().await;
    let (b, ids) = many(&p, 4).await;
    let moved = json!([{"itemId": ids[3], "after": ids[0], "before": ids[1], "cells": {"c1": "l2"}}]);
    let told = cells(&p, &b, moved.clone()).await.unwrap();
    assert_eq!((&told["cells"], names(&p, &b).await), (&json!(2), "I0 I3 I1 I2".to_owned()));
    assert_eq!(cells(&p, &b, moved).await.unwrap()["unchanged"], true, "it stands there already");
    p.owner("boards.undo", json!({"boardId": b, "revision": told["boardRevision"]})).await.unwrap();
    assert_eq!(names(&p, &b).await, "I0 I1 I2 I3");
    assert_eq!(full_json(&p, &b).await["items"][3]["cells"]["c1"], "l1");
    // To both ends, and by itself.
    cells(&p, &b, json!([{"itemId": ids[2], "before": ids[0]}])).await.unwrap();
    p.owner("boards.items.update", json!({"boardId": b, "itemId": ids[0], "after": ids[3]})).await.unwrap();
    assert_eq!(names(&p, &b).await, "I2 I1 I3 I0");
}

#[tokio::test]
async fn a_neighbor_that_is_put_away_by_then_does_not_hinder_and_one_that_never_was_does() {
    let p = start().await;
    let (b, ids) = many(&p, 4).await;
    p.owner("boards.items.delete", json!({"boardId": b, "itemId": ids[0]})).await.unwrap();
    let beside = |after: &str, before: &str| json!([{"itemId": ids[3], "after": after, "before": before}]);
    cells(&p, &b, beside(&ids[0], &ids[1])).await.unwrap();
    assert_eq!(names(&p, &b).await, "I3 I1 I2");
    p.owner("boards.items.archive", json!({"boardId": b, "itemId": ids[1]})).await.unwrap();
    assert_eq!(cells(&p, &b, beside(&ids[0], &ids[1])).await.unwrap()["unchanged"], true, "it keeps its place");
    // As one that was deleted for good is answered, which leaves nothing here.
    let gone = "aaaaaaaaaaaaaaaa";
    assert_eq!(cells(&p, &b, beside(gone, &ids[0])).await.unwrap()["unchanged"], true);
    cells(&p, &b, beside(&ids[2], gone)).await.unwrap();
    assert_eq!(names(&p, &b).await, "I2 I3");
    cells(&p, &b, beside(gone, &ids[2])).await.unwrap();
    assert_eq!(names(&p, &b).await, "I3 I2");
    for (items, pointer) in [
        (beside(gone, "bbbbbbbbbbbbbbbb"), "/items/0/after"),
        (json!([{"itemId": ids[3], "before": gone}]), "/items/0/before"),
    ] {
        assert_eq!(cells(&p, &b, items).await.unwrap_err().fields()[0].pointer, pointer);
    }
    refused(cells(&p, &b, json!([{"itemId": ids[3], "after": ids[2], "position": 1}])).await, "invalid-input");
}

#[test]
fn however_often_items_are_put_between_others_they_stand_in_the_order_that_was_asked_for() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let p = runtime.block_on(start());
    // The same few places again and again, so that room between them ends.
    let step = (0usize..8, 0usize..3, any::<bool>());
    let check = |steps: Vec<(usize, usize, bool)>| {
        runtime.block_on(async {
            let (board, ids) = many(&p, 8).await;
            let mut expected = ids.clone();
            let mut taken = Vec::new();
            for (from, to, is_after) in steps {
                let id = expected[from].clone();
                let beside = expected[to].clone();
                let before = names(&p, &board).await;
                let side = if is_after { "after" } else { "before" };
                let told = cells(&p, &board, json!([{"itemId": id, side: beside}])).await.unwrap();
                if id != beside {
                    expected.remove(from);
                    let at = expected.iter().position(|other| *other == beside).unwrap();
                    expected.insert(at + usize::from(is_after), id);
                }
                let of = |id: &String| format!("I{}", ids.iter().position(|other| other == id).unwrap());
                assert_eq!(names(&p, &board).await, expected.iter().map(of).collect::<Vec<_>>().join(" "));
                if told["unchanged"] != true {
                    taken.push((told["boardRevision"].clone(), before));
                }
            }
            for (revision, before) in taken.into_iter().rev() {
                p.owner("boards.undo", json!({"boardId": board, "revision": revision})).await.unwrap();
                assert_eq!(names(&p, &board).await, before);
            }
        });
        Ok(())
    };
    runner(6).run(&proptest::collection::vec(step, 30..60), check).unwrap();
}

/// A board whose items stand without room between them; their ids.
async fn crowded(p: &Program, count: usize) -> (String, Vec<String>) {
    let (board, ids) = many(p, count).await;
    let places: Vec<_> = ids.iter().zip(100..).map(|(id, at)| json!({"itemId": id, "position": at})).collect();
    cells(p, &board, places.into()).await.unwrap();
    (board, ids)
}

#[tokio::test]
async fn what_was_put_away_comes_back_behind_the_same_item_where_room_was_made_meanwhile() {
    let p = start().await;
    let (b, ids) = crowded(&p, 8).await;
    for id in [&ids[3], &ids[4]] {
        p.owner("boards.items.delete", json!({"boardId": b, "itemId": id})).await.unwrap();
    }
    let told = cells(&p, &b, json!([{"itemId": ids[7], "after": ids[0]}])).await.unwrap();
    let restore =
        async |at: usize| p.owner("boards.items.restore", json!({"boardId": b, "itemId": ids[at]})).await.unwrap();
    restore(4).await;
    assert_eq!(names(&p, &b).await, "I0 I7 I1 I2 I4 I5 I6");
    p.owner("boards.undo", json!({"boardId": b, "revision": told["boardRevision"]})).await.unwrap();
    restore(3).await;
    assert_eq!(names(&p, &b).await, "I0 I1 I2 I3 I4 I5 I6 I7");
}

#[tokio::test]
async fn making_room_is_nobodys_move() {
    let p = start().await;
    let (b, ids) = crowded(&p, 8).await;
    let undo =
        async |told: &Value| p.owner("boards.undo", json!({"boardId": b, "revision": told["boardRevision"]})).await;
    let first = cells(&p, &b, json!([{"itemId": ids[7], "position": 200}])).await.unwrap();
    let told = cells(&p, &b, json!([{"itemId": ids[4], "after": ids[0]}])).await.unwrap();
    assert_eq!(names(&p, &b).await, "I0 I4 I1 I2 I3 I5 I6 I7");
    let activity = p.owner("boards.items.activity", json!({"boardId": b, "itemId": ids[1]})).await.unwrap();
    let fields: Vec<_> = activity["items"].as_array().unwrap().iter().map(|entry| entry["after"].clone()).collect();
    assert!(fields.contains(&json!(101)) && fields.len() == 2, "{fields:?}");
    // One that moved is no reason to refuse, be it moved away since or gone; one that was put among them is.
    p.owner("boards.items.delete", json!({"boardId": b, "itemId": ids[2]})).await.unwrap();
    cells(&p, &b, json!([{"itemId": ids[1], "after": ids[6]}])).await.unwrap();
    let other = cells(&p, &b, json!([{"itemId": ids[5], "after": ids[4]}])).await.unwrap();
    refused(undo(&told).await, "conflict");
    undo(&other).await.unwrap();
    undo(&told).await.unwrap();
    assert_eq!(names(&p, &b).await, "I0 I3 I4 I5 I6 I1 I7");
    undo(&first).await.unwrap();
}

#[tokio::test]
async fn who_has_read_a_revision_is_asked_for_moves_as_for_values_and_not_for_ones_own_room() {
    let p = start().await;
    let (b, ids) = crowded(&p, 8).await;
    let change = async |revision: &Value, items: Value| {
        p.owner("boards.cells", json!({"boardId": b, "ifRevision": revision, "items": items})).await
    };
    let read = full_json(&p, &b).await["board"]["revision"].clone();
    let items = json!([{"itemId": ids[0], "after": ids[3]}, {"itemId": ids[4], "name": "New"}]);
    p.owner("boards.items.update", json!({"boardId": b, "itemId": ids[5], "name": "Another's"})).await.unwrap();
    assert_eq!(change(&read, items).await.unwrap()["cells"], 2);
    // Another's change of one that is spread by this very request still counts.
    let (c, ids) = (b.clone(), &ids);
    let crowd: Vec<_> = ids.iter().zip(100..).map(|(id, at)| json!({"itemId": id, "position": at})).collect();
    cells(&p, &c, crowd.into()).await.unwrap();
    let read = full_json(&p, &b).await["board"]["revision"].clone();
    p.owner("boards.items.update", json!({"boardId": b, "itemId": ids[4], "name": "Theirs"})).await.unwrap();
    let items = json!([{"itemId": ids[0], "after": ids[3]}, {"itemId": ids[4], "name": "Mine"}]);
    refused(change(&read, items).await, "stale-revision");
    cells(&p, &b, json!([{"itemId": ids[0], "after": ids[6]}])).await.unwrap();
    refused(change(&read, json!([{"itemId": ids[0], "after": ids[2]}])).await, "stale-revision");
}

#[tokio::test]
async fn what_was_put_at_the_edge_of_room_that_was_made_counts_as_put_there_since() {
    let p = start().await;
    let (b, ids) = crowded(&p, 8).await;
    let told = cells(&p, &b, json!([{"itemId": ids[4], "after": ids[0]}])).await.unwrap();
    // Behind the last that was spread, which stood closer to the one behind it before.
    cells(&p, &b, json!([{"itemId": ids[7], "after": ids[3]}])).await.unwrap();
    assert_eq!(names(&p, &b).await, "I0 I4 I1 I2 I3 I7 I5 I6");
    let undone = p.owner("boards.undo", json!({"boardId": b, "revision": told["boardRevision"]})).await;
    refused(undone, "conflict");
}

#[tokio::test]
async fn two_places_of_one_step_leave_what_stands_between_them_to_itself() {
    let p = start().await;
    let (b, ids) = crowded(&p, 24).await;
    let moves = json!([{"itemId": ids[4], "after": ids[0]}, {"itemId": ids[18], "after": ids[22]}]);
    let told = cells(&p, &b, moves).await.unwrap();
    cells(&p, &b, json!([{"itemId": ids[12], "position": 111}])).await.unwrap();
    p.owner("boards.undo", json!({"boardId": b, "revision": told["boardRevision"]})).await.unwrap();
}

#[tokio::test]
async fn room_made_by_another_is_no_change_of_the_items_that_stood_there() {
    let p = start().await;
    let (b, ids) = crowded(&p, 8).await;
    let read = full_json(&p, &b).await["board"]["revision"].clone();
    let change = async |item: &str| {
        let items = json!([{"itemId": item, "name": "Mine"}]);
        p.owner("boards.cells", json!({"boardId": b, "ifRevision": read, "items": items})).await
    };
    p.owner("boards.items.update", json!({"boardId": b, "itemId": ids[2], "name": "Theirs"})).await.unwrap();
    cells(&p, &b, json!([{"itemId": ids[7], "after": ids[2]}])).await.unwrap();
    assert_eq!(change(&ids[1]).await.unwrap()["cells"], 1);
    let mut call = Call::new(owner());
    call.if_match = Some(format!("\"{read}\""));
    let input = json!({"boardId": b, "itemId": ids[3], "name": "Mine"});
    p.call(call, "boards.items.update", input).await.unwrap();
    // What was changed before or after room was made beside it still counts.
    refused(change(&ids[2]).await, "stale-revision");
    p.owner("boards.items.update", json!({"boardId": b, "itemId": ids[4], "name": "Theirs"})).await.unwrap();
    refused(change(&ids[4]).await, "stale-revision");
}

#[tokio::test]
async fn a_move_that_made_room_is_taken_back_alone_to_where_it_stood() {
    let p = start().await;
    let (b, ids) = crowded(&p, 8).await;
    cells(&p, &b, json!([{"itemId": ids[3], "after": ids[0]}])).await.unwrap();
    let of = json!({"boardId": b, "itemId": ids[3]});
    let activity = p.owner("boards.items.activity", of).await.unwrap();
    let change = activity["items"][0]["changeId"].clone();
    let undone = p.owner("boards.undo", json!({"boardId": b, "changeId": change})).await.unwrap();
    assert_eq!((names(&p, &b).await, &undone["field"]), ("I0 I1 I2 I3 I4 I5 I6 I7".to_owned(), &json!("position")));
    p.owner("boards.undo", json!({"boardId": b, "changeId": undone["changeId"]})).await.unwrap();
    assert_eq!(names(&p, &b).await, "I0 I3 I1 I2 I4 I5 I6 I7");
}
