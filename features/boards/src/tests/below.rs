//! A newer export that says of items that are there below which others they belong.

use super::import::{read_back, send};
use super::*;
use testkit::json_of;

const FIRST: &str = "Summary,Issue key,Parent\na,A-1,\nb,A-2,A-1\nc,A-3,\nd,A-4,\n";

async fn first(p: &Program) -> String {
    let made = json_of(&send(p, FIRST.as_bytes(), json!({})).await.unwrap());
    made["board"]["id"].as_str().unwrap().to_owned()
}

/// Looks ahead at an update and then makes it: both count and tell the same. The counts of what changed, stayed as it was and
/// was kept.
async fn into(p: &Program, board: &str, text: &str, more: Value) -> [Value; 3] {
    let mut input = json!({"boardId": board, "dryRun": true});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let ahead = json_of(&send(p, text.as_bytes(), input.clone()).await.unwrap());
    input["dryRun"] = json!(false);
    let answer = json_of(&send(p, text.as_bytes(), input).await.unwrap());
    let counts = |of: &Value| ["changed", "unchanged", "kept"].map(|name| of[name].clone());
    assert_eq!(counts(&ahead["update"]), counts(&answer));
    let problems = |of: &Value| {
        let all = of["problems"].as_array().unwrap().iter();
        all.map(|problem| [problem["code"].clone(), problem["detail"].clone()]).collect::<Vec<_>>()
    };
    assert_eq!(problems(&ahead), problems(&answer));
    counts(&answer)
}

async fn names(p: &Program, board: &str) -> Vec<String> {
    let full = full_json(p, board).await;
    let items = full["items"].as_array().unwrap();
    let subitems = items.iter().filter(|item| item["parentId"].is_string()).count();
    let counted = full["board"]["subitemCount"].as_u64().unwrap_or_default();
    assert_eq!(
        (subitems as u64, (items.len() - subitems) as u64),
        (counted, full["board"]["itemCount"].as_u64().unwrap())
    );
    read_back(&full).iter().map(|row| row[""].as_str().unwrap().to_owned()).collect()
}

async fn id_of(p: &Program, board: &str, name: &str) -> Value {
    let full = full_json(p, board).await;
    full["items"].as_array().unwrap().iter().find(|item| item["name"] == name).unwrap()["id"].clone()
}

async fn put(p: &Program, board: &str, name: &str, parent: Option<&str>) {
    let parent = match parent {
        Some(parent) => id_of(p, board, parent).await,
        None => Value::Null,
    };
    let input = json!({"boardId": board, "itemId": id_of(p, board, name).await, "parentId": parent});
    p.owner("boards.items.update", input).await.unwrap();
}

fn numbers(counts: [u64; 3]) -> [Value; 3] {
    counts.map(|count| json!(count))
}

#[tokio::test]
async fn items_move_below_the_parents_that_the_file_states() {
    let p = start().await;
    let board = first(&p).await;
    let before = full_json(&p, &board).await["items"].clone();
    // b to another parent, c to its first, d unstated; c's name changes as well.
    let text = "Summary,Issue key,Parent\na,A-1,\nb,A-2,A-4\nc2,A-3,A-1\nd,A-4,\n";
    assert_eq!(into(&p, &board, text, json!({"importId": "second"})).await, numbers([2, 2, 0]));
    assert_eq!(names(&p, &board).await, ["Items/a", "Items/d > b", "Items/a > c2", "Items/d"]);
    let activity = json!({"boardId": board, "itemId": id_of(&p, &board, "b").await});
    let activity = p.owner("boards.items.activity", activity).await.unwrap();
    assert_eq!(activity["items"][0]["field"], "parentId");
    assert_eq!(into(&p, &board, text, json!({})).await, numbers([0, 4, 0]), "once more changes nothing");
    // What the file says no parent of stays.
    let silent = "Summary,Issue key,Parent\na,A-1,\nb,A-2,\nc2,A-3,A-1\nd,A-4,\n";
    assert_eq!(into(&p, &board, silent, json!({})).await, numbers([0, 4, 0]));
    assert_eq!(names(&p, &board).await[1], "Items/d > b");
    // Nor is it forgotten what an earlier one said: nobody has moved b here.
    let back = "Summary,Issue key,Parent\nb,A-2,A-1\na,A-1,\n";
    assert_eq!(into(&p, &board, back, json!({"importId": "third"})).await, numbers([1, 1, 0]));
    assert_eq!(names(&p, &board).await[1], "Items/a > b");
    for without in ["Summary,Issue key\na,A-1\nb,A-2\n", "Summary,Issue key,Parent\nb,A-2,A-77\n"] {
        into(&p, &board, without, json!({})).await;
    }
    let forth = "Summary,Issue key,Parent\nb,A-2,A-4\nd,A-4,\n";
    assert_eq!(into(&p, &board, forth, json!({"importId": "fourth"})).await, numbers([1, 1, 0]));
    for id in ["fourth", "third"] {
        p.owner("boards.import.undo", json!({"importId": id})).await.unwrap();
    }
    let undone = p.owner("boards.import.undo", json!({"importId": "second"})).await.unwrap();
    assert_eq!((&undone["restored"], &undone["keptCount"]), (&json!(2), &json!(0)), "{undone}");
    assert_eq!(full_json(&p, &board).await["items"], before);
}

#[tokio::test]
async fn an_item_that_was_moved_here_stays_unless_the_caller_says_otherwise() {
    let p = start().await;
    let board = first(&p).await;
    put(&p, &board, "b", Some("d")).await;
    put(&p, &board, "c", Some("d")).await;
    // b is stated where it was imported to, c below another than either.
    let text = "Summary,Issue key,Parent\na,A-1,\nb,A-2,A-1\nc,A-3,A-1\nd,A-4,\n";
    assert_eq!(into(&p, &board, text, json!({})).await, numbers([0, 4, 2]));
    assert_eq!(names(&p, &board).await, ["Items/a", "Items/d > b", "Items/d > c", "Items/d"]);
    assert_eq!(into(&p, &board, text, json!({})).await, numbers([0, 4, 2]), "also where the file says what it said");
    let over = json!({"conflicts": "overwrite", "importId": "over"});
    assert_eq!(into(&p, &board, text, over).await, numbers([2, 2, 0]));
    assert_eq!(names(&p, &board).await, ["Items/a", "Items/a > b", "Items/a > c", "Items/d"]);
    // One that was moved again since stays when the import is taken back, and is named.
    put(&p, &board, "c", None).await;
    let undone = p.owner("boards.import.undo", json!({"importId": "over"})).await.unwrap();
    assert_eq!((&undone["restored"], &undone["kept"][0]["field"]), (&json!(1), &json!("parentId")), "{undone}");
    assert_eq!(names(&p, &board).await, ["Items/a", "Items/d > b", "Items/c", "Items/d"]);
}

#[tokio::test]
async fn items_that_cannot_be_subitems_stay_and_are_told_of() {
    let p = start().await;
    let board = first(&p).await;
    // a has a subitem of its own; e is added, in a group of its own, and d goes below it.
    let text = "Summary,Issue key,Parent\na,A-1,A-3\nc,A-3,\nd,A-4,A-5\ne,A-5,\n";
    assert_eq!(into(&p, &board, text, json!({"importId": "second"})).await, numbers([1, 2, 0]));
    assert_eq!(names(&p, &board).await, ["Items/a", "Items/a > b", "Items/c", "Items/e > d", "Items/e"]);
    let answer = json_of(&send(&p, text.as_bytes(), json!({"boardId": board})).await.unwrap());
    let detail = "Couldn't place 1 rows under their parents; they became items or kept their parent.";
    assert_eq!(answer["problems"][0]["detail"], detail);
    let undone = p.owner("boards.import.undo", json!({"importId": "second"})).await.unwrap();
    assert_eq!((&undone["restored"], &undone["removed"]), (&json!(1), &json!(1)), "{undone}");
    assert_eq!(names(&p, &board).await, ["Items/a", "Items/a > b", "Items/c", "Items/d"]);
}

#[tokio::test]
async fn an_added_subitem_of_another_group_is_taken_back() {
    let p = start().await;
    let text = "Name,Group,Key,Parent\na,One,1,\nb,Two,2,\n";
    let columns = json!([{"index": 3, "role": "parent"}]).to_string();
    let made = json_of(&send(&p, text.as_bytes(), json!({"key": 2, "columns": columns})).await.unwrap());
    let board = made["board"]["id"].as_str().unwrap();
    let newer = "Name,Group,Key,Parent\na,One,1,\nb,Two,2,1\nc,Two,3,1\n";
    let input = json!({"key": 2, "columns": columns, "importId": "newer"});
    assert_eq!(into(&p, board, newer, input).await, numbers([1, 1, 0]));
    assert_eq!(names(&p, board).await, ["One/a", "One/a > b", "One/a > c"]);
    let undone = p.owner("boards.import.undo", json!({"importId": "newer"})).await.unwrap();
    assert_eq!((&undone["removed"], &undone["keptCount"]), (&json!(1), &json!(0)), "{undone}");
    assert_eq!(names(&p, board).await, ["One/a", "Two/b"]);
}

#[tokio::test]
async fn where_it_is_not_known_what_files_said_before_the_file_is_followed() {
    let p = start().await;
    let board = first(&p).await;
    put(&p, &board, "c", Some("d")).await;
    let of = board.clone();
    let forget = move |tx: &mut store::Tx<'_>| {
        let sql = "UPDATE import_items SET knows_parent = 0 WHERE account_id = $1 AND board_id = $2";
        tx.execute(sql, params![ACCOUNT, &of])
    };
    p.ctx.db().write(forget).await.unwrap();
    // What says nothing of parents leaves it unknown.
    assert_eq!(into(&p, &board, "Summary,Issue key\nc2,A-3\n", json!({})).await, numbers([1, 0, 0]));
    let text = "Summary,Issue key,Parent\na,A-1,\nc2,A-3,A-1\n";
    assert_eq!(into(&p, &board, text, json!({})).await, numbers([1, 1, 0]));
    assert_eq!(names(&p, &board).await, ["Items/a", "Items/a > b", "Items/a > c2", "Items/d"]);
    // From now on it is.
    put(&p, &board, "c2", Some("d")).await;
    assert_eq!(into(&p, &board, text, json!({})).await, numbers([0, 2, 1]));
}

#[tokio::test]
async fn an_item_and_its_subitem_move_below_a_third_in_any_order_of_rows() {
    let p = start().await;
    for rows in [["p,P,Q", "x,X,Q"], ["x,X,Q", "p,P,Q"]] {
        let head = "Summary,Issue key,Parent";
        let before = format!("{head}\np,P,\nx,X,P\nq,Q,\n");
        let made = json_of(&send(&p, before.as_bytes(), json!({})).await.unwrap());
        let board = made["board"]["id"].as_str().unwrap();
        let text = format!("{head}\n{}\n{}\nq,Q,\n", rows[0], rows[1]);
        assert_eq!(into(&p, board, &text, json!({})).await, numbers([2, 1, 0]), "{rows:?}");
        assert_eq!(names(&p, board).await, ["Items/q > p", "Items/q > x", "Items/q"], "{rows:?}");
    }
}

#[tokio::test]
async fn one_more_than_an_item_may_have_is_foreseen() {
    let p = start().await;
    let board = first(&p).await;
    let parent = id_of(&p, &board, "d").await;
    let many = crate::SUBITEMS_MAX - 1;
    let many: Vec<Value> = (0..many).map(|at| json!({"name": format!("s{at}"), "parentId": parent})).collect();
    for some in many.chunks(crate::ITEMS_PER_CREATE_MAX) {
        p.owner("boards.items.create", json!({"boardId": board, "items": some})).await.unwrap();
    }
    let text = "Summary,Issue key,Parent\nb,A-2,A-4\nc,A-3,A-4\nnew,A-9,A-4\nd,A-4,\n";
    assert_eq!(into(&p, &board, text, json!({})).await, numbers([1, 2, 0]));
    let all = names(&p, &board).await;
    assert!(all.contains(&"Items/d > b".to_owned()) && all.contains(&"Items/c".to_owned()));
    assert!(all.contains(&"Items/new".to_owned()), "added all the same");
}

#[tokio::test]
async fn an_added_subitem_that_was_moved_since_stays_when_the_import_is_taken_back() {
    let p = start().await;
    let board = first(&p).await;
    let text = "Summary,Issue key,Parent\na,A-1,\nnew,A-5,A-1\nmoved,A-6,A-1\nsub,A-8,A-7\ntop,A-7,\n";
    assert_eq!(into(&p, &board, text, json!({"importId": "second"})).await, numbers([0, 1, 0]));
    put(&p, &board, "moved", Some("d")).await;
    let undone = p.owner("boards.import.undo", json!({"importId": "second"})).await.unwrap();
    assert_eq!((&undone["removed"], &undone["keptCount"]), (&json!(3), &json!(1)), "{undone}");
    assert_eq!(undone["kept"][0]["name"], "moved");
    assert_eq!(names(&p, &board).await, ["Items/a", "Items/a > b", "Items/c", "Items/d", "Items/d > moved"]);
}

#[tokio::test]
async fn an_item_that_is_gone_is_named_once_however_many_steps_the_import_made() {
    let p = start().await;
    let board = first(&p).await;
    let text = "Summary,Issue key,Parent\nb2,A-2,A-4\nd,A-4,\n";
    assert_eq!(into(&p, &board, text, json!({"importId": "second"})).await, numbers([1, 1, 0]));
    let item = id_of(&p, &board, "b2").await;
    p.owner("boards.items.delete", json!({"boardId": board, "itemId": item})).await.unwrap();
    let undone = p.owner("boards.import.undo", json!({"importId": "second"})).await.unwrap();
    assert_eq!((&undone["keptCount"], &undone["kept"][0]["itemId"]), (&json!(1), &item), "{undone}");
}
