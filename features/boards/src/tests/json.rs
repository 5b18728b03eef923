//! JSON files through the import: Trello boards, GitHub issues, lists of records, and what is none of these.

use super::import::{assert_no_file_left, send, send_as};
use super::tools::{done_labels, file, kinds, preview, rows};
use super::*;
use testkit::{json_of, refused};

#[tokio::test]
async fn lists_of_a_trello_board_are_groups_and_its_cards_items() {
    let p = start().await;
    let bytes = file("trello.json");
    let (answer, items) = rows(&p, &bytes, json!({})).await;
    assert_eq!(answer["board"]["name"], "Spring release");
    let groups: Vec<_> = answer["board"]["groups"].as_array().unwrap().iter().map(|g| g["name"].clone()).collect();
    assert_eq!(groups, ["To do", "Doing", "Done"], "in the order of the board, the empty one too");
    let expected = json!([
        {"": "Doing/Write the plan", "Card ID": "65a1f0c3e4b0000000000101", "Labels": ["writing", "red"], "Members": ["Anna Berg"],
            "Start Date": "2026-01-20", "Due Date": "2026-02-03", "Due Complete": false,
            "Card Description": "First draft\nthen review", "Checklists": "1 of 2",
            "Checklist items": "[x] Outline\n[ ] Numbers", "Card URL": "https://trello.com/c/aaaa1111", "Hours": 3, "Risk": "High"},
        {"": "To do/Ask for feedback", "Card ID": "65a1f0c3e4b0000000000102", "Members": ["Ben Ito", "Anna Berg"],
            "Card URL": "https://trello.com/c/bbbb2222"},
    ]);
    assert_eq!(json!(items), expected);
    let codes = |answer: &Value| json!([answer["problems"][0]["code"], answer["problems"][1]["code"]]);
    assert_eq!((&answer["problemCount"], codes(&answer)), (&json!(2), json!(["archived-skipped", "comments-skipped"])));
    let found = preview(&p, &bytes, json!({})).await;
    assert_eq!((&found["name"], codes(&found)), (&json!("Spring release"), codes(&answer)));
    assert_eq!(found["problems"][1]["detail"], "1 comment was skipped: Trello comments aren't imported.");
    assert_eq!(
        (&found["tool"]["title"], &found["key"], &found["delimiter"]),
        (&json!("Trello"), &json!(0), &json!(""))
    );
    let (_, items) = rows(&p, &bytes, json!({"archived": "keep"})).await;
    let archived: Vec<_> = items.iter().map(|item| (item[""].as_str().unwrap(), item["Archived"].clone())).collect();
    let expected = [
        ("Doing/Write the plan", json!(false)),
        ("To do/Ask for feedback", json!(false)),
        ("To do/Old idea", json!(true)),
        ("Last year/Print", json!(true)),
    ];
    assert_eq!(archived, expected);
    assert_no_file_left(&p);
}

#[tokio::test]
async fn github_issues_of_both_forms_are_read_alike() {
    let p = start().await;
    let rest = preview(&p, &file("github-rest.json"), json!({})).await;
    assert_eq!(rest["tool"], json!({"name": "github", "title": "GitHub"}));
    assert_eq!(
        kinds(&rest),
        "Number:text | Title:name | State:status | Reason:dropdown | Labels:tags | Assignees:tags | Milestone:dropdown | \
         Author:dropdown | Created:date | Updated:date | Closed:date | Type:dropdown | Comments:number | URL:link | Body:longText"
    );
    assert_eq!(done_labels(&rest, "State"), ["Closed"]);
    let (_, items) = rows(&p, &file("github-rest.json"), json!({})).await;
    let first = json!({
        "": "Items/Login fails on slow networks", "Number": "12", "State": "Open", "Labels": ["bug", "good first issue"],
        "Assignees": ["beni", "annab"], "Milestone": "1.0", "Author": "annab", "Created": "2026-01-05", "Updated": "2026-01-06",
        "Comments": 2, "URL": "https://github.com/example/app/issues/12", "Body": "Steps:\n1. Throttle",
    });
    assert_eq!(items[0], first);
    assert_eq!((&items[1]["Type"], &items[2]["Reason"]), (&json!("Pull request"), &json!("Not planned")));
    let (_, items) = rows(&p, &file("github-cli.json"), json!({})).await;
    let first = json!({
        "": "Items/Login fails", "Number": "12", "State": "Open", "Labels": ["bug"], "Assignees": ["Ben Ito"], "Milestone": "1.0",
        "Author": ["Anna Berg"], "Created": "2026-01-05", "Updated": "2026-01-06", "Comments": 1,
        "URL": "https://github.com/example/app/issues/12", "Body": "Steps",
    });
    assert_eq!(items[0], first);
    assert_eq!((&items[1]["State"], &items[1]["Closed"]), (&json!("Closed"), &json!("2026-01-05")));
}

#[tokio::test]
async fn any_list_of_records_is_a_table() {
    let p = start().await;
    let text = "\u{feff} [{\"name\":\"a\",\"tags\":[\"x, y\",\"z\"],\"n\":1.5,\"2026\":true}, {\"name\":\"b\",\"more\":{\"deep\":[1]}}]";
    let (answer, items) = rows(&p, text.as_bytes(), json!({"onError": "stop"})).await;
    let expected = json!([
        {"": "Items/a", "tags": ["x, y", "z"], "n": 1.5, "2026": true},
        {"": "Items/b", "more": "{\"deep\":[1]}"},
    ]);
    assert_eq!(json!(items), expected, "{answer}");
    // A problem names the record.
    let types = json!([{"index": 0, "type": "number"}]).to_string();
    let text = b"[{\"name\":\"p\",\"b\":1},{\"name\":\"q\",\"b\":\"no\"}]";
    let answer = json_of(&send(&p, text, json!({"columns": types})).await.unwrap());
    assert_eq!((&answer["problems"][0]["line"], &answer["rowsImported"]), (&json!(2), &json!(2)), "{answer}");
}

/// The refusal of a file, in words.
async fn refusal(p: &Program, bytes: &[u8], code: &str) -> String {
    refused(send(p, bytes, json!({})).await, code).problem()["detail"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn json_that_cannot_be_taken_is_refused_with_the_place() {
    let p = start().await;
    let whole = file("trello.json");
    let cut = refusal(&p, &whole[..whole.len() - 200], "not-a-table").await;
    assert!(cut.contains("is truncated at line 29, column"), "{cut}");
    let deep = format!("[{{\"a\":{}1{}}}]", "[".repeat(200), "]".repeat(200));
    let detail = refusal(&p, deep.as_bytes(), "not-a-table").await;
    assert!(detail.contains("nested too deeply at line 1, column"), "{detail}");
    let long = format!("[{{\"a\":\"{}\"}}]", "x".repeat(5 * 1024 * 1024));
    let detail = refusal(&p, long.as_bytes(), "not-a-table").await;
    assert!(detail.contains("over 4194304 bytes"), "{detail}");
    let detail = refusal(&p, b"[{\"a\":1}, 2]", "not-a-table").await;
    assert!(detail.contains("aren't records"), "{detail}");
    let detail = refusal(&p, b"[{\"a\":1},]", "not-a-table").await;
    assert!(detail.contains("line 1 column 10"), "{detail}");
    refusal(&p, b"[]", "empty-file").await;
    refusal(&p, b"{\"settings\":{}}", "not-a-table").await;
    refusal(&p, b"{\"name\":\"B\",\"lists\":[{\"id\":\"l\",\"name\":\"L\",\"closed\":true}],\"cards\":[{\"id\":\"c\",\"idList\":\"l\",\"name\":\"C\"}]}", "empty-file").await;
    let wide: Vec<_> = (0..16_385).map(|i| format!("\"k{i}\":1")).collect();
    refusal(&p, format!("[{{{}}}]", wide.join(",")).as_bytes(), "too-many-columns").await;
    refused(send(&p, &whole, json!({"sheet": "One"})).await, "unknown-sheet");
    // A text that merely begins with a bracket is a table.
    let table = preview(&p, b"[note],n\n[a],1\n", json!({})).await;
    assert_eq!(table["delimiter"], ",");
    assert_eq!(rows_left(&p).await, [0, 0, 0, 0]);
    assert_no_file_left(&p);
}

#[tokio::test]
async fn a_board_as_json_of_this_program_says_what_to_export_instead() {
    let p = start().await;
    let made = json_of(&send(&p, b"Name,Points\na,1\n", json!({})).await.unwrap());
    let board = made["board"]["id"].as_str().unwrap();
    let (_, own) = super::export::export(&p, board, json!({"format": "json"})).await;
    let detail = refusal(&p, &own, "not-a-table").await;
    assert!(detail.contains("Export the board as CSV"), "{detail}");
}

#[tokio::test]
async fn parts_that_are_not_needed_may_be_of_any_size() {
    let p = start().await;
    let actions = vec!["{\"type\":\"commentCard\",\"data\":[[1],[2]]}"; 150_000].join(",");
    let board = String::from_utf8(file("trello.json")).unwrap().replacen(
        "\"actions\":[",
        &format!("\"actions\":[{actions},"),
        1,
    );
    assert!(board.len() > 5 * 1024 * 1024);
    let found = preview(&p, board.as_bytes(), json!({})).await;
    assert_eq!(found["rowsEstimated"], 2);
}

#[tokio::test]
async fn what_is_sent_as_json_is_read_as_json_or_refused() {
    let p = start().await;
    let deep = "[".repeat(200_000);
    let cases: [(&[u8], &str, &str); 6] = [
        (deep.as_bytes(), "not-a-table", "The JSON file is truncated at line 1, column 200000."),
        (b"Name,Effort\na,1\n", "not-a-table", "The file isn't valid JSON: expected value at line 1 column 1."),
        (b"[1, 2]", "not-a-table", "The file is JSON, but not a list of records."),
        (b"\xff\xfe[\0]\0", "not-a-table", "The JSON file isn't UTF-8."),
        (b"%PDF-1.7 a,b", "not-a-table", "The file is a PDF document."),
        (b" \n", "empty-file", "The file has no rows."),
    ];
    let form = |media: &str, bytes: &[u8]| {
        let head = format!(
            "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.json\"\r\nContent-Type: {media}\r\n\r\n"
        );
        [head.as_bytes(), bytes, b"\r\n--B--\r\n"].concat()
    };
    let input = json!({"workspaceId": WORKSPACE});
    for (bytes, code, says) in cases {
        for (media, body) in [
            ("application/json; charset=utf-8", bytes.to_vec()),
            ("multipart/form-data; boundary=B", form("Application/JSON", bytes)),
        ] {
            let refusal = refused(send_as(&p, media, &body, input.clone()).await, code);
            assert!(refusal.detail().starts_with(says), "{}", refusal.detail());
        }
    }
    assert_eq!(rows_left(&p).await, [0, 0, 0, 0]);
    for (media, body) in [
        ("application/json", b"[{\"name\": \"a\"}]".to_vec()),
        ("multipart/form-data; boundary=B", form("text/csv", b"Name,Effort\na,1\n")),
    ] {
        let answer = json_of(&send_as(&p, media, &body, input.clone()).await.unwrap());
        assert_eq!(answer["rowsImported"], 1, "{answer}");
    }
    assert_no_file_left(&p);
}
