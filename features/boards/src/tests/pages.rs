//! Lists that come whole where nothing else is asked for, and in pages otherwise.

use super::*;
use testkit::refused;

#[tokio::test]
async fn short_lists_come_whole_or_in_pages() {
    let p = start().await;
    let board =
        p.owner("boards.create", json!({"workspaceId": WORKSPACE, "name": "B", "preset": "jira"})).await.unwrap();
    let board = board["id"].as_str().unwrap();
    for title in ["One", "Two", "Three"] {
        add_column(&p, board, title, "formula", json!({"formula": "1 + 1"})).await;
    }
    for (list, input) in [
        ("boards.presets", json!({})),
        ("boards.formulas.functions", json!({})),
        ("boards.formulas.get", json!({"boardId": board})),
        ("boards.views.list", json!({"boardId": board})),
    ] {
        let ask = async |more: Value| {
            let mut input = input.clone();
            input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            p.owner(list, input).await
        };
        let whole = ask(json!({})).await.unwrap();
        let items = whole["items"].as_array().unwrap();
        assert!(items.len() > 2 && whole.get("nextCursor") == Some(&Value::Null), "{list}: {whole}");
        for limit in [1, 2, items.len()] {
            let (mut seen, mut cursor) = (Vec::new(), Value::Null);
            loop {
                let page = ask(json!({"limit": limit, "cursor": cursor})).await.unwrap();
                seen.extend(page["items"].as_array().unwrap().clone());
                cursor = page["nextCursor"].clone();
                if cursor.is_null() {
                    break;
                }
            }
            assert_eq!(&seen, items, "{list} by {limit}");
        }
        for (member, odd) in [("limit", json!(0)), ("cursor", json!("nowhere")), ("cursor", json!("A_"))] {
            let refusal = refused(ask(json!({member: odd})).await, "invalid-input");
            assert_eq!(refusal.fields()[0].pointer, format!("/{member}"), "{list}: {odd}");
        }
    }
}
