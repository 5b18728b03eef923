//! What formulas compute from timelines, links, and when and by whom an item was made and changed.

use super::*;
use testkit::refused;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

pub(super) async fn board(p: &Program, name: &str) -> String {
    let input = json!({"workspaceId": WORKSPACE, "name": name, "preset": "blank"});
    p.owner("boards.create", input).await.unwrap()["id"].as_str().unwrap().to_owned()
}

pub(super) async fn item(p: &Program, board: &str, cells: Value) -> String {
    let made = p.owner("boards.items.create", json!({"boardId": board, "name": "I", "cells": cells})).await;
    made.unwrap()["id"].as_str().unwrap().to_owned()
}

pub(super) async fn formula(p: &Program, board: &str, formula: &str) -> String {
    add_column(p, board, formula, "formula", json!({"formula": formula})).await
}

/// A cell of the board's items, in their order.
pub(super) async fn cells(p: &Program, board: &str, column: &str) -> Vec<Value> {
    crate::recompute::finish(&p.ctx, ACCOUNT.to_owned(), board.to_owned()).await.unwrap();
    let full = full_json(p, board).await;
    full["items"].as_array().unwrap().iter().map(|item| item["cells"][column].clone()).collect()
}

async fn set(p: &Program, board: &str, item: &str, column: &str, value: Value) {
    p.owner("boards.cell", json!({"boardId": board, "itemId": item, "columnId": column, "value": value}))
        .await
        .unwrap();
}

fn ben() -> Caller {
    let mut ben = Caller::new(Kind::Member, ACCOUNT, "ben");
    ben.member = Some(BEN.into());
    ben
}

#[tokio::test]
async fn a_timeline_gives_its_first_and_its_last_day() {
    let p = start().await;
    let b = board(&p, "Plan").await;
    add_column(&p, &b, "When", "timeline", json!({})).await;
    let span = json!({"from": "2026-02-27", "to": "2026-03-02"});
    add_column(&p, &b, "By", "createdBy", json!({})).await;
    let one = item(&p, &b, json!({"c1": span})).await;
    item(&p, &b, json!({})).await;
    for (written, first, second) in [
        ("START({When})", json!("2026-02-27"), Value::Null),
        ("END({When}) + 1", json!("2026-03-03"), Value::Null),
        ("DAYS(START({When}), END({When}))", json!(3), Value::Null),
        ("IFEMPTY(START({When}), DATE(2026, 1, 1))", json!("2026-02-27"), json!("2026-01-01")),
        ("EMPTY({When})", json!(false), json!(true)),
    ] {
        let column = formula(&p, &b, written).await;
        assert_eq!(cells(&p, &b, &column).await, [first, second], "{written}");
    }
    set(&p, &b, &one, "c1", json!({"from": "2026-02-01", "to": "2026-02-01"})).await;
    assert_eq!(cells(&p, &b, "c5").await[0], json!(0));
    for (written, says) in [
        ("{When}", "Use START or END"),
        ("{When} & \"\"", "a timeline isn't text"),
        ("{When} = {When}", "can't compare"),
        ("START({Name})", "START needs a timeline here; this is a text"),
        ("{By} < {By}", "can't compare"),
        ("{By} & \"\"", "a person isn't text"),
        ("{By}", "You can compare two"),
    ] {
        let previewed = p.owner("boards.formulas.preview", json!({"boardId": b, "formula": written})).await.unwrap();
        let detail = previewed["problem"]["detail"].as_str().unwrap();
        assert!(detail.contains(says), "{written}: {detail}");
    }
}

#[tokio::test]
async fn when_and_by_whom_follows_every_way_of_writing() {
    let p = start().await;
    let b = board(&p, "Plan").await;
    for kind in ["createdAt", "updatedAt", "createdBy", "updatedBy", "number"] {
        add_column(&p, &b, kind, kind, json!({})).await;
    }
    let group = p.owner("boards.groups.create", json!({"boardId": b, "name": "Two"})).await.unwrap()["id"].clone();
    let one = item(&p, &b, json!({})).await;
    let sub = p.owner("boards.items.create", json!({"boardId": b, "name": "S", "parentId": one})).await.unwrap();
    let days = formula(&p, &b, "DAYS({createdAt}, {updatedAt})").await;
    let other = formula(&p, &b, "{createdBy} <> {updatedBy}").await;
    assert_eq!(cells(&p, &b, &days).await, [json!(0), json!(0)]);
    assert_eq!(cells(&p, &b, &other).await, [json!(false), json!(false)]);

    let mut passed = 0;
    let mut later = async |caller: Caller, op: &str, input: Value| {
        p.clock.advance_ms(DAY_MS);
        passed += 1;
        let mut all = json!({"boardId": b});
        all.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
        let written = p.as_caller(caller, op, all).await.unwrap();
        (written, json!(passed), full_json(&p, &b).await["items"].clone())
    };
    let (written, passed, _) = later(ben(), "boards.cell", json!({"itemId": one, "columnId": "c5", "value": 1})).await;
    assert_eq!((&written["cells"][&days], &written["cells"][&other]), (&passed, &json!(true)), "one cell");
    let (written, passed, _) = later(owner(), "boards.items.update", json!({"itemId": one, "position": 1})).await;
    assert_eq!((&written["cells"][&days], &written["cells"][&other]), (&passed, &json!(false)), "its place alone");
    let many = json!({"items": [{"itemId": one, "cells": {"c5": 2}}]});
    let (_, passed, items) = later(ben(), "boards.cells", many).await;
    assert_eq!((&items[0]["cells"][&days], &items[0]["cells"][&other]), (&passed, &json!(true)), "many at once");
    let (_, passed, items) = later(owner(), "boards.items.update", json!({"itemId": one, "groupId": group})).await;
    assert_eq!((&items[0]["cells"][&days], &items[1]["cells"][&days]), (&passed, &passed), "subitems follow");
    let activity = p.owner("boards.items.activity", json!({"boardId": b, "itemId": one})).await.unwrap();
    let change = activity["items"].as_array().unwrap().iter().find(|change| change["field"] == "c5").unwrap();
    let (_, passed, items) = later(ben(), "boards.undo", json!({"changeId": change["changeId"]})).await;
    assert_eq!((&items[0]["cells"][&days], &items[0]["cells"][&other]), (&passed, &json!(true)), "a change taken back");
    let revision = p.owner("boards.get", json!({"boardId": b})).await.unwrap()["revision"].clone();
    let (_, passed, items) = later(owner(), "boards.undo", json!({"revision": revision})).await;
    assert_eq!((&items[0]["cells"][&days], &items[0]["cells"][&other]), (&passed, &json!(false)), "a revision");
    let (_, passed, items) = later(ben(), "boards.groups.delete", json!({"groupId": group, "moveTo": "g1"})).await;
    assert_eq!((&items[0]["cells"][&days], &items[1]["cells"][&other]), (&passed, &json!(true)), "moved with a group");

    // Away and back is no change of the item.
    for op in ["boards.items.delete", "boards.items.restore"] {
        later(owner(), op, json!({"itemId": one})).await;
    }
    assert_eq!(cells(&p, &b, &days).await, [passed.clone(), passed]);
    assert_eq!(sub["parentId"], json!(one));
    let made = formula(&p, &b, "{createdAt}").await;
    assert_eq!(cells(&p, &b, &made).await[0], json!("2026-03-01"), "the day in UTC");
    let settings = json!({"formula": "{createdBy}"});
    let input = json!({"boardId": b, "title": "Who", "type": "formula", "settings": settings});
    refused(p.owner("boards.columns.create", input).await, "invalid-formula");
}

/// A board of sprints with two, and a board of work, whose item links to both in c1 and counts them in c2.
async fn counting(p: &Program) -> (String, [String; 2], String) {
    let sprints = board(p, "Sprints").await;
    let two = [item(p, &sprints, json!({})).await, item(p, &sprints, json!({})).await];
    let work = board(p, "Work").await;
    add_column(p, &work, "Sprints", "itemLink", json!({"boardId": sprints})).await;
    item(p, &work, json!({"c1": two})).await;
    formula(p, &work, "COUNT({Sprints})").await;
    assert_eq!(cells(p, &work, "c2").await, [json!(2)]);
    (sprints, two, work)
}

#[tokio::test]
async fn linked_items_are_counted_while_they_are_there() {
    let p = start().await;
    let (sprints, [first, second], work) = counting(&p).await;
    let of = |item: &String| json!({"boardId": sprints, "itemId": item});
    for (op, input, count) in [
        ("boards.items.delete", of(&first), 1),
        ("boards.items.archive", of(&second), 0),
        ("boards.items.restore", of(&second), 1),
        ("boards.items.restore", of(&first), 2),
        ("boards.cells", json!({"boardId": sprints, "delete": [first, second]}), 0),
    ] {
        p.owner(op, input).await.unwrap();
        assert_eq!(cells(&p, &work, "c2").await, [json!(count)], "{op}");
    }
    let revision = p.owner("boards.get", json!({"boardId": sprints})).await.unwrap()["revision"].clone();
    p.owner("boards.undo", json!({"boardId": sprints, "revision": revision})).await.unwrap();
    assert_eq!(cells(&p, &work, "c2").await, [json!(2)], "taken back");
    p.owner("boards.groups.create", json!({"boardId": sprints, "name": "Two"})).await.unwrap();
    let group = json!({"boardId": sprints, "groupId": "g1"});
    let with_items = json!({"boardId": sprints, "groupId": "g1", "withItems": true});
    p.owner("boards.groups.delete", with_items).await.unwrap();
    assert_eq!(cells(&p, &work, "c2").await, [json!(0)], "with their group");
    p.owner("boards.groups.restore", group).await.unwrap();
    assert_eq!(cells(&p, &work, "c2").await, [json!(2)]);
    for (op, count) in [("boards.delete", 0), ("boards.restore", 2), ("boards.archive", 0), ("boards.restore", 2)] {
        p.owner(op, json!({"boardId": sprints})).await.unwrap();
        assert_eq!(cells(&p, &work, "c2").await, [json!(count)], "{op}");
    }
}

#[tokio::test]
async fn a_board_counts_its_own_items_with_the_change_itself() {
    let p = start().await;
    let b = board(&p, "Work").await;
    add_column(&p, &b, "After", "itemLink", json!({"boardId": b})).await;
    let [first, second] = [item(&p, &b, json!({})).await, item(&p, &b, json!({})).await];
    item(&p, &b, json!({"c1": [first, second]})).await;
    let count = formula(&p, &b, "COUNT({After})").await;
    p.owner("boards.items.delete", json!({"boardId": b, "itemId": first})).await.unwrap();
    let full = full_json(&p, &b).await;
    assert_eq!(full["items"][1]["cells"][&count], json!(1));
    let since = full["board"]["revision"].as_i64().unwrap() - 1;
    let changed = p.owner("boards.changed", json!({"boardId": b, "since": since})).await.unwrap();
    assert_eq!(changed["items"][0]["cells"][&count], json!(1), "who keeps the board hears of it");
}
