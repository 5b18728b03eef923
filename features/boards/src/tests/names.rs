//! What names, texts and cursors may hold.

use super::import::{read_back, send};
use super::*;
use testkit::{json_of, refused};

async fn board(p: &Program) -> Value {
    let made = json!({"workspaceId": WORKSPACE, "name": "Board", "preset": "blank"});
    p.owner("boards.create", made).await.unwrap()["id"].clone()
}

#[tokio::test]
async fn no_name_title_or_text_takes_a_control_character() {
    let p = start().await;
    let b = board(&p).await;
    let odd = "a\u{1b}[2J";
    let column =
        |title: &str, settings: Value| json!({"boardId": b, "title": title, "type": "text", "settings": settings});
    let labels = json!({"boardId": b, "title": "S", "type": "status", "settings": {"labels": [{"text": odd}]}});
    let of = |kind: &str, settings: Value| json!({"boardId": b, "title": "T", "type": kind, "settings": settings});
    for (op, input, pointer) in [
        ("boards.columns.create", of("number", json!({"unit": odd})), "/settings/unit"),
        ("boards.columns.create", of("formula", json!({"formula": format!("\"{odd}\"")})), "/settings/formula"),
        ("boards.create", json!({"workspaceId": WORKSPACE, "name": "a\0", "preset": "blank"}), "/name"),
        ("boards.update", json!({"boardId": b, "name": odd}), "/name"),
        ("boards.groups.create", json!({"boardId": b, "name": odd}), "/name"),
        ("boards.columns.create", column(odd, json!({})), "/title"),
        ("boards.columns.create", labels, "/settings/labels/0/text"),
        ("boards.items.create", json!({"boardId": b, "items": [{"name": "x"}, {"name": odd}]}), "/items/1/name"),
        ("boards.views.create", json!({"boardId": b, "name": odd, "kind": "table"}), "/name"),
    ] {
        let code = if pointer.ends_with("formula") { "invalid-formula" } else { "invalid-input" };
        let refusal = refused(p.owner(op, input).await, code);
        assert_eq!(refusal.fields()[0].pointer, pointer, "{op}");
    }
    p.owner("boards.columns.create", column("Notes", json!({}))).await.unwrap();
    let made = p.owner("boards.items.create", json!({"boardId": b, "items": [{"name": "x"}]})).await.unwrap();
    let cell = |text: &str| json!({"boardId": b, "itemId": made["items"][0]["id"], "columnId": "c1", "value": text});
    refused(p.owner("boards.cell", cell(odd)).await, "invalid-cell");
    p.owner("boards.cell", cell("a\n\tb")).await.unwrap();
}

#[tokio::test]
async fn an_import_reads_control_characters_as_spaces() {
    let p = start().await;
    // Control characters are few in what is text at all.
    let rest = "plain,on,text\n".repeat(40);
    let file = "Name,St\u{1b}ate,Note\na\u{1b}[2J,on\u{7},x\u{b}y\nb\u{9b}c,off,\u{7f}z\n".to_owned() + &rest;
    let answer = json_of(&send(&p, file.as_bytes(), json!({})).await.unwrap());
    let full = p.owner("boards.full", json!({"boardId": answer["board"]["id"]})).await.unwrap();
    assert!(!full.to_string().contains("\\u00") && !full.to_string().contains(['\u{7f}', '\u{9b}']), "{full}");
    assert_eq!(full["columns"][0]["title"], "St ate");
    assert_eq!(read_back(&full)[1], json!({"": "Items/b c", "St ate": "off", "Note": "z"}));
}

#[tokio::test]
async fn names_that_an_import_is_given_are_read_so_too() {
    let p = start().await;
    let columns = json!([{"index": 0, "title": "\u{200b}"}, {"index": 1, "title": " St\u{1b}a\u{85}te\0"}]).to_string();
    let answer = json_of(&send(&p, b"a,b\nx,1\ny,2\n", json!({"columns": columns})).await.unwrap());
    let title = |answer: &Value| answer["board"]["columns"][0]["title"].clone();
    assert_eq!(title(&answer), "St a te");
    let columns = json!([{"index": 1, "title": "\u{200b}"}]).to_string();
    let answer = json_of(&send(&p, b"a,b\nx,1\ny,2\n", json!({"columns": columns})).await.unwrap());
    assert_eq!(title(&answer), "Column 2");
    let trello = String::from_utf8(super::tools::file("trello.json")).unwrap();
    let trello = trello.replace("Spring release", "Spring\\u0000\\n\\u001b release");
    let answer = json_of(&send(&p, trello.as_bytes(), json!({})).await.unwrap());
    assert_eq!(answer["board"]["name"], "Spring release");
}

#[tokio::test]
async fn a_cursor_that_no_page_gave_is_refused() {
    let p = start().await;
    let b = board(&p).await;
    let made = p.owner("boards.items.create", json!({"boardId": b, "items": [{"name": "x"}]})).await.unwrap();
    let item = made["items"][0]["id"].clone();
    for odd in ["\0", "", "~", "1-\0", "1-", "é"] {
        for (op, input) in [
            ("boards.list", json!({"cursor": odd})),
            ("boards.items.list", json!({"boardId": b, "cursor": odd})),
            ("boards.items.activity", json!({"boardId": b, "itemId": item, "cursor": odd})),
            ("boards.comments.list", json!({"boardId": b, "itemId": item, "cursor": odd})),
        ] {
            // Of these, only the page of items has a cursor that ends so.
            if odd == "1-" && op != "boards.items.list" && op != "boards.comments.list" {
                continue;
            }
            let refusal = refused(p.owner(op, input).await, "invalid-input");
            assert_eq!(refusal.fields()[0].pointer, "/cursor", "{op} {odd:?}");
        }
    }
}
