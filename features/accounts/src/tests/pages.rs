//! Lists come whole or in pages, and say which they are.

use super::{as_first, start};
use serde_json::{Value, json};
use testkit::{Program, refused};

const LISTS: [&str; 4] = ["members.list", "workspaces.list", "tokens.list", "changes.list"];

/// A program with five of each.
async fn filled() -> Program {
    let program = start().await;
    for n in 0..5 {
        // Named against the order in which they came, and two alike.
        let name = format!("N{}", 4 - n / 2 * 2);
        as_first(&program, "members.create", json!({"name": name})).await.unwrap();
        as_first(&program, "tokens.create", json!({"kind": "agent", "name": name, "sessionId": "s"})).await.unwrap();
        if n > 0 {
            as_first(&program, "workspaces.create", json!({"name": name})).await.unwrap();
        }
    }
    program
}

async fn page(program: &Program, list: &str, limit: usize, cursor: &Value) -> Value {
    as_first(program, list, json!({"limit": limit, "cursor": cursor})).await.unwrap()
}

#[tokio::test]
async fn pages_together_are_the_whole_list_and_the_last_has_no_next() {
    let program = filled().await;
    for list in LISTS {
        let whole = as_first(&program, list, json!({})).await.unwrap();
        assert_eq!(whole.get("nextCursor"), Some(&Value::Null), "{list}: it is said that nothing follows");
        let items = whole["items"].as_array().unwrap();
        assert!(items.len() >= 5, "{list}: {whole}");
        for limit in [1, 2, items.len() - 1, items.len(), items.len() + 1] {
            let (mut cursor, mut seen) = (Value::Null, Vec::new());
            loop {
                let page = page(&program, list, limit, &cursor).await;
                let part = page["items"].as_array().unwrap();
                assert!(part.len() == limit || page["nextCursor"].is_null(), "{list}: {page}");
                assert!(!part.is_empty(), "{list}: no page is empty");
                seen.extend(part.iter().cloned());
                cursor = page["nextCursor"].clone();
                if cursor.is_null() {
                    break;
                }
            }
            assert_eq!(&seen, items, "{list} by {limit}");
        }
    }
}

#[tokio::test]
async fn no_other_limit_or_cursor_is_taken() {
    let program = filled().await;
    for list in LISTS {
        for (member, odd) in [
            ("limit", json!(0)),
            ("limit", json!(-1)),
            ("limit", json!(10_001)),
            ("cursor", json!("")),
            ("cursor", json!("~")),
        ] {
            let refusal = refused(as_first(&program, list, json!({member: odd})).await, "invalid-input");
            assert_eq!(refusal.fields()[0].pointer, format!("/{member}"), "{list}: {odd}");
        }
    }
}

#[tokio::test]
async fn what_goes_between_two_pages_hides_nothing() {
    let program = filled().await;
    let first = page(&program, "members.list", 2, &Value::Null).await;
    as_first(&program, "members.delete", json!({"memberId": first["items"][1]["id"]})).await.unwrap();
    let input = json!({"limit": 2, "cursor": first["nextCursor"]});
    refused(as_first(&program, "members.list", input).await, "invalid-input");
    // Tokens come in the order of their ids, so that the place is known all the same.
    let first = page(&program, "tokens.list", 2, &Value::Null).await;
    as_first(&program, "tokens.revoke", json!({"tokenId": first["items"][1]["id"]})).await.unwrap();
    let rest = page(&program, "tokens.list", 10, &first["nextCursor"]).await;
    assert_eq!(rest["items"].as_array().unwrap().len(), 3);
}
