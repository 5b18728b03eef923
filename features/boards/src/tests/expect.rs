use super::*;
use testkit::refused;

/// A board with one item; both editors have read it at this revision.
async fn one_item(p: &Program) -> (String, String, i64) {
    let board = tasks_board(p).await;
    let input = json!({"boardId": board, "name": "One", "cells": {"c1": "l1"}});
    let made = p.owner("boards.items.create", input).await.unwrap();
    (board, made["id"].as_str().unwrap().to_owned(), made["boardRevision"].as_i64().unwrap())
}

fn matching(tag: &str) -> Call {
    Call { if_match: Some(tag.to_owned()), ..Call::new(owner()) }
}

#[tokio::test]
async fn of_two_editors_the_second_is_told_what_the_first_wrote() {
    let p = start().await;
    let (b, id, _) = one_item(&p).await;
    let cell =
        |value: &str, was: Value| json!({"boardId": b, "itemId": id, "columnId": "c1", "value": value, "was": was});
    let mut agent = Caller::new(Kind::Agent, ACCOUNT, "agent");
    agent.session = Some("s1".into());
    agent.scopes = vec!["boards:write".into()];
    p.as_caller(agent, "boards.cell", cell("l2", json!("l1"))).await.unwrap();
    let error = refused(p.owner("boards.cell", cell("l3", json!("l1"))).await, "stale-revision");
    let told = error.problem();
    assert_eq!(
        (&told["field"], &told["present"], &told["changedAt"]),
        (&json!("c1"), &json!("l2"), &json!("2026-03-01T12:00:00.000Z"))
    );
    assert_eq!(told["changedBy"], json!({"kind": "agent", "name": "Session", "sessionId": "s1"}));
    assert_eq!(full_json(&p, &b).await["items"][0]["cells"]["c1"], "l2", "nothing was overwritten");
    // Whoever has seen it may write over it.
    p.owner("boards.cell", cell("l3", json!("l2"))).await.unwrap();
    p.owner("boards.cell", cell("", json!("l3"))).await.unwrap();
    refused(p.owner("boards.cell", cell("l1", json!("l3"))).await, "stale-revision");
    // Nothing is nothing, however it is written.
    p.owner("boards.cell", cell("l1", json!(null))).await.unwrap();

    let rename =
        |name: &str, was: &str| json!({"boardId": b, "itemId": id, "name": name, "was": {"name": was, "c1": "l1"}});
    p.owner("boards.items.update", rename("Two", "One")).await.unwrap();
    let error = refused(p.owner("boards.items.update", rename("Three", "One")).await, "stale-revision");
    assert_eq!(error.problem()["present"], "Two");
    let number = add_column(&p, &b, "N", "number", json!({})).await;
    let text = add_column(&p, &b, "T", "text", json!({})).await;
    let write = async |value: &str, was: Value| {
        let input = json!({"boardId": b, "items": [{"itemId": id, "cells": {&text: value}, "was": {&text: was}}]});
        p.owner("boards.cells", input).await
    };
    write("rotate ph_ses_0123456789abcdef today", json!(null)).await.unwrap();
    let told = refused(write("mine: ph_mem_0123456789abcdef", json!("old")).await, "stale-revision").problem();
    assert_eq!(told["conflicts"][0]["mine"], "mine: ph_…");
    write("mine", told["conflicts"][0]["present"].clone()).await.expect("what was told is what is held");
    let set =
        |value: Value, was: Value| json!({"boardId": b, "itemId": id, "columnId": number, "value": value, "was": was});
    p.owner("boards.cell", set(json!(1), json!(null))).await.unwrap();
    p.owner("boards.cell", set(json!(2), json!(1.0))).await.unwrap();
}

#[tokio::test]
async fn if_match_of_an_item_counts_its_own_changes_only() {
    let p = start().await;
    let (b, id, read_at) = one_item(&p).await;
    // Another item changes, which is in nobody's way.
    p.owner("boards.items.create", json!({"boardId": b, "name": "Other"})).await.unwrap();
    let cell = |value: &str| json!({"boardId": b, "itemId": id, "columnId": "c1", "value": value});
    let tag = format!("\"{read_at}\"");
    p.call(matching(&tag), "boards.cell", cell("l2")).await.unwrap();
    for (op, input) in [
        ("boards.cell", cell("l3")),
        ("boards.items.update", json!({"boardId": b, "itemId": id, "name": "X"})),
        ("boards.items.archive", json!({"boardId": b, "itemId": id})),
        ("boards.items.delete", json!({"boardId": b, "itemId": id})),
    ] {
        let error = refused(p.call(matching(&tag), op, input.clone()).await, "stale-revision");
        assert_eq!(error.problem()["present"]["cells"]["c1"], "l2", "{op}");
        for never in ["\"9\"", "\"x\"", "\"-1\""] {
            refused(p.call(matching(never), op, input.clone()).await, "stale-revision");
        }
    }
    p.call(matching("*"), "boards.cell", cell("l3")).await.unwrap();
    let now = full_json(&p, &b).await["board"]["revision"].as_i64().unwrap();
    refused(p.call(matching(&format!("{tag}, W/\"{now}\"")), "boards.cell", cell("l2")).await, "stale-revision");
    p.call(matching(&format!("{tag}, \"{now}\"")), "boards.cell", cell("l2")).await.unwrap();
    // The same of the board itself.
    let rename = json!({"boardId": b, "name": "Renamed"});
    refused(
        p.call(matching(&format!("{tag}, \"{now}-abc\"")), "boards.update", rename.clone()).await,
        "stale-revision",
    );
    p.call(matching(&format!("{tag}, \"{}-abc\"", now + 1)), "boards.update", rename).await.unwrap();
    let revision = full_json(&p, &b).await["board"]["revision"].as_i64().unwrap();
    let delete = json!({"boardId": b, "itemId": id});
    p.call(matching(&format!("\"{revision}-abc\"")), "boards.items.delete", delete).await.unwrap();
}

#[tokio::test]
async fn groups_and_columns_are_not_written_over_by_who_has_not_seen_them() {
    let p = start().await;
    let b = tasks_board(&p).await;
    let labels = |texts: &[&str]| {
        let labels =
            texts.iter().zip(1..).map(|(text, n)| json!({"id": format!("l{n}"), "text": text})).collect::<Vec<_>>();
        json!({"labels": labels})
    };
    let c = add_column(&p, &b, "Phase", "status", labels(&["Plan"])).await;
    let seen = p.owner("boards.get", json!({"boardId": b})).await.unwrap();
    let seen = seen["columns"].as_array().unwrap().iter().find(|column| column["id"] == c).unwrap().clone();
    let change = |texts: &[&str], was: &Value| json!({"boardId": b, "columnId": c, "settings": labels(texts), "was": {"title": "Phase", "settings": was["settings"]}});
    let one = p.owner("boards.columns.update", change(&["Plan", "Build"], &seen)).await.unwrap();
    let stale = refused(p.owner("boards.columns.update", change(&["Plan", "Ship"], &seen)).await, "stale-revision");
    let told = stale.problem();
    assert_eq!((&told["field"], &told["present"]), (&json!("settings"), &one["settings"]));
    assert_eq!(told["changedBy"]["kind"], "owner");
    // Nobody's label is lost; whoever has seen the change goes on from it.
    p.owner("boards.columns.update", change(&["Plan", "Build", "Ship"], &one)).await.unwrap();

    let rename = |name: &str, was: &str| json!({"boardId": b, "groupId": "g1", "name": name, "was": {"name": was}});
    let group = p.owner("boards.get", json!({"boardId": b})).await.unwrap()["groups"][0]["name"].clone();
    let group = group.as_str().unwrap();
    p.owner("boards.groups.update", rename("Next", group)).await.unwrap();
    let stale = refused(p.owner("boards.groups.update", rename("Later", group)).await, "stale-revision");
    assert_eq!((&stale.problem()["field"], &stale.problem()["present"]), (&json!("name"), &json!("Next")));
}

#[tokio::test]
async fn one_cell_is_set_by_its_columns_title_too_where_one_alone_has_it() {
    let p = start().await;
    let board = tasks_board(&p).await;
    let item = p.owner("boards.items.create", json!({"boardId": board, "name": "One"})).await.unwrap()["id"].clone();
    let columns = full_json(&p, &board).await["columns"].clone();
    let title = columns[0]["title"].as_str().unwrap();
    let set = async |column: &str, value: Value| {
        p.owner("boards.cell", json!({"boardId": board, "itemId": item, "columnId": column, "value": value})).await
    };
    for (said, value) in [(title.to_owned(), "l1"), (format!(" {} ", title.to_uppercase()), "l2")] {
        assert_eq!(set(&said, json!(value)).await.unwrap()["cells"]["c1"], value);
    }
    // An id is never taken for another column's title, and what two have names none.
    add_column(&p, &board, "c1", "text", json!({})).await;
    assert_eq!(set("c1", json!("l3")).await.unwrap()["cells"]["c1"], "l3");
    add_column(&p, &board, title, "text", json!({})).await;
    let told = refused(set(title, json!("l1")).await, "not-found");
    assert!(told.detail().contains("c1"), "{told}");
}
