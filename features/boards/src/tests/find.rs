//! Items are found by name on all boards as they are now, however they were changed since the last search.

use super::{WORKSPACE, other_owner, owner, start, tasks_board};
use serde_json::{Value, json};
use testkit::{Program, refused};

async fn find(p: &Program, q: &str) -> Vec<String> {
    let found = p.owner("boards.items.find", json!({"q": q})).await.unwrap();
    found["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

async fn add(p: &Program, board: &str, name: &str) -> String {
    let item = p.owner("boards.items.create", json!({"boardId": board, "name": name})).await.unwrap();
    item["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn items_of_all_boards_are_found_best_match_first() {
    let p = start().await;
    let (one, two) = (tasks_board(&p).await, tasks_board(&p).await);
    add(&p, &one, "Mend the mainsail").await;
    add(&p, &one, "Mend the \"Sails\"\\").await;
    add(&p, &two, "Sail north").await;
    let parent = add(&p, &two, "Großer Hafen").await;
    let sub = json!({"boardId": two, "name": "Sailcloth", "parentId": parent});
    let sub = p.owner("boards.items.create", sub).await.unwrap();
    assert_eq!(find(&p, "SAIL").await, ["Sailcloth", "Sail north", "Mend the \"Sails\"\\", "Mend the mainsail"]);
    assert_eq!(find(&p, "sail mend").await, ["Mend the \"Sails\"\\", "Mend the mainsail"]);
    assert_eq!(find(&p, "GROSSER").await, [""; 0]);
    assert_eq!(find(&p, "großer").await, ["Großer Hafen"]);
    for odd in ["%", "_", "\n", "\u{0}", "sail\nmend the hull"] {
        let found = p.owner("boards.items.find", json!({"q": odd})).await;
        assert!(found.is_err() || found.unwrap()["items"] == json!([]), "{odd:?}");
    }
    let found = p.owner("boards.items.find", json!({"q": "cloth"})).await.unwrap();
    let expected = json!({"id": sub["id"], "name": "Sailcloth", "boardId": two, "board": "Work", "parentId": parent});
    let mut item = found["items"][0].clone();
    item.as_object_mut().unwrap().remove("updatedAt").unwrap();
    assert_eq!(item, expected);
}

#[tokio::test]
async fn what_changed_since_the_last_search_counts() {
    let p = start().await;
    let board = tasks_board(&p).await;
    let ids = [add(&p, &board, "Alpha one").await, add(&p, &board, "Alpha two").await];
    assert_eq!(find(&p, "alpha").await, ["Alpha two", "Alpha one"]);
    let rename = json!({"boardId": board, "itemId": ids[0], "name": "Beta"});
    p.owner("boards.items.update", rename).await.unwrap();
    add(&p, &board, "Alpha three").await;
    assert_eq!(find(&p, "alpha").await, ["Alpha three", "Alpha two"]);
    assert_eq!(find(&p, "beta").await, ["Beta"]);
    p.owner("boards.items.delete", json!({"boardId": board, "itemId": ids[1]})).await.unwrap();
    assert_eq!(find(&p, "alpha").await, ["Alpha three"]);
    p.owner("boards.items.restore", json!({"boardId": board, "itemId": ids[1]})).await.unwrap();
    assert_eq!(find(&p, "alpha two").await, ["Alpha two"]);
    // Many times over, so that outdated names are cleared out.
    for n in 0..50 {
        let rename = json!({"boardId": board, "itemId": ids[0], "name": format!("Gamma {n}")});
        p.owner("boards.items.update", rename).await.unwrap();
        assert_eq!(find(&p, "gamma").await, [format!("Gamma {n}")]);
    }
    p.owner("boards.delete", json!({"boardId": board})).await.unwrap();
    assert_eq!(find(&p, "alpha").await, [""; 0]);
    p.owner("boards.restore", json!({"boardId": board})).await.unwrap();
    assert_eq!(find(&p, "alpha").await.len(), 2);
}

#[tokio::test]
async fn each_account_finds_its_own_and_hostile_input_is_refused() {
    let p = start().await;
    let board = tasks_board(&p).await;
    for n in 0..25 {
        add(&p, &board, &format!("Item {n}")).await;
    }
    assert_eq!(find(&p, "item").await.len(), 20);
    assert_eq!(
        p.owner("boards.items.find", json!({"q": "item", "limit": 3})).await.unwrap()["items"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let other = |input: Value| p.as_caller(other_owner(), "boards.items.find", input);
    assert_eq!(other(json!({"q": "item"})).await.unwrap()["items"], json!([]));
    refused(other(json!({"q": "item", "workspaceId": WORKSPACE})).await, "named-not-found");
    let here = p.as_caller(owner(), "boards.items.find", json!({"q": "item", "workspaceId": WORKSPACE})).await;
    assert_eq!(here.unwrap()["items"].as_array().unwrap().len(), 20);
    for input in
        [json!({"q": ""}), json!({"q": "x".repeat(201)}), json!({"q": "x", "limit": 0}), json!({"q": "x", "limit": 21})]
    {
        refused(p.owner("boards.items.find", input).await, "invalid-input");
    }
}
