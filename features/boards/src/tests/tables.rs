//! Several tables, own exports among them, that come into one board: each brings what it changed.

use super::import::send;
use super::reimport::{counts, into, item_named, items, undo};
use super::*;
use testkit::json_of;

const PLAN: &str = "Task,Note,Points\nLogin,Open,3\nPrint,Open,5\n";

async fn plan(p: &Program) -> String {
    let made = json_of(&send(p, PLAN.as_bytes(), json!({})).await.unwrap());
    made["board"]["id"].as_str().unwrap().to_owned()
}

async fn write(p: &Program, board: &str, item: &str, column: &str, value: Value) {
    let item = item_named(p, board, item).await["id"].clone();
    let cell = json!({"boardId": board, "itemId": item, "columnId": column, "value": value});
    p.owner("boards.cell", cell).await.unwrap();
}

/// What an import by a table's own key does, and what the items are after it.
async fn import_again(p: &Program, board: &str, text: &str) -> (String, Vec<String>) {
    let key = if text.starts_with("Task") { "Task" } else { "Name" };
    let answer = into(p, board, text, json!({"key": key})).await.unwrap();
    let all = items(p, board).await.into_iter().map(|item| item.replace("Items/", "")).collect();
    (counts(&answer), all)
}

#[tokio::test]
async fn an_own_export_brings_nothing_that_the_board_had_already() {
    let p = start().await;
    for first in [PLAN.to_owned(), PLAN.replace("Task", "Name")] {
        let made = json_of(&send(&p, first.as_bytes(), json!({})).await.unwrap());
        let board = made["board"]["id"].as_str().unwrap();
        write(&p, board, "Login", "c1", json!("Done")).await;
        write(&p, board, "Login", "c2", json!(42)).await;
        let own = "Name,Group,Note,Points\nLogin,Items,Done,42\nPrint,Items,Open,5\n";
        let kept = ["Login: Note=Done Points=42", "Print: Note=Open Points=5"].map(str::to_owned).to_vec();
        let nothing = ("added 0, changed 0, unchanged 2, missing 0, kept 0, deleted 0".to_owned(), kept.clone());
        let stays = ("added 0, changed 0, unchanged 2, missing 0, kept 2, deleted 0".to_owned(), kept);
        for (text, expected) in [(own, &nothing), (&first, &stays), (own, &nothing), (&first, &stays)] {
            assert_eq!(&import_again(&p, board, text).await, expected, "{text}");
        }
        // What is changed in the export since is taken, and the first table does not take it back.
        let edited = own.replace("Done,42", "Stuck,42").replace("Open,5", "Open,8");
        let (answer, now) = import_again(&p, board, &edited).await;
        assert_eq!(answer, "added 0, changed 2, unchanged 0, missing 0, kept 0, deleted 0");
        assert_eq!(now, ["Login: Note=Stuck Points=42", "Print: Note=Open Points=8"]);
        let (answer, again) = import_again(&p, board, &first).await;
        assert_eq!((answer.as_str(), again), ("added 0, changed 0, unchanged 2, missing 0, kept 3, deleted 0", now));
    }
}

#[tokio::test]
async fn each_table_brings_what_it_changed_since_its_own_last_import() {
    let p = start().await;
    let board = plan(&p).await;
    // An export in which two cells were changed, before any other import.
    let own = "Name,Group,Note,Points\nLogin,Items,Stuck,3\nPrint,Items,Open,8\n";
    let both = ["Login: Note=Stuck Points=3", "Print: Note=Open Points=8"];
    assert_eq!(import_again(&p, &board, own).await.1, both);
    let (answer, now) = import_again(&p, &board, PLAN).await;
    assert_eq!(answer, "added 0, changed 0, unchanged 2, missing 0, kept 2, deleted 0");
    assert_eq!(now, both);
    // The table changes one of them and one that is as it was.
    let newer = PLAN.replace("Login,Open,3", "Login,Review,4");
    assert_eq!(import_again(&p, &board, &newer).await.1[0], "Login: Note=Review Points=4");
    // The export of before says no more than it said.
    assert_eq!(import_again(&p, &board, own).await.1, ["Login: Note=Review Points=4", both[1]]);
    // By hand it stays, whichever of them says otherwise now; where a table comes to say the same, it goes on with it.
    write(&p, &board, "Login", "c2", json!(9)).await;
    for text in [newer.replace(",4", ",6"), own.replace("Stuck,3", "Stuck,7")] {
        assert_eq!(import_again(&p, &board, &text).await.1[0], "Login: Note=Review Points=9");
    }
    for points in [9, 10] {
        let (_, now) = import_again(&p, &board, &newer.replace(",4", &format!(",{points}"))).await;
        assert_eq!(now[0], format!("Login: Note=Review Points={points}"));
    }
}

#[tokio::test]
async fn what_people_wrote_after_an_import_stays_also_where_it_is_what_a_file_gave_once() {
    let p = start().await;
    // After the first import a person writes `mine`, the file says Done, and the person goes back to what was imported first.
    for mine in ["Done", "Doing"] {
        let board = plan(&p).await;
        write(&p, &board, "Login", "c1", json!(mine)).await;
        import_again(&p, &board, &PLAN.replace("Login,Open", "Login,Done")).await;
        write(&p, &board, "Login", "c1", json!("Open")).await;
        let (answer, now) = import_again(&p, &board, &PLAN.replace("Login,Open", "Login,Blocked")).await;
        assert_eq!(answer, "added 0, changed 0, unchanged 2, missing 0, kept 1, deleted 0", "{mine}");
        assert_eq!(now[0], "Login: Note=Open Points=3", "{mine}");
    }
    // The same where another table has brought a cell on since.
    let board = plan(&p).await;
    let own = "Name,Group,Note,Points\nLogin,Items,Stuck,3\nPrint,Items,Open,5\n";
    import_again(&p, &board, own).await;
    write(&p, &board, "Login", "c1", json!("Open")).await;
    let (answer, now) = import_again(&p, &board, &PLAN.replace("Login,Open", "Login,Blocked")).await;
    assert_eq!(answer, "added 0, changed 0, unchanged 2, missing 0, kept 1, deleted 0");
    assert_eq!(now[0], "Login: Note=Open Points=3");
}

#[tokio::test]
async fn what_one_table_gave_first_is_not_what_another_said() {
    let p = start().await;
    for key in [json!({"key": "Task"}), json!({})] {
        let made = json_of(&send(&p, PLAN.as_bytes(), key).await.unwrap());
        let board = made["board"]["id"].as_str().unwrap();
        import_again(&p, board, &PLAN.replace("Login,Open,3", "Login,Done,\"\"")).await;
        // Nobody has changed anything; the other table says what the first one said at first.
        let other = PLAN.replace("Task", "Title");
        let columns = json!([{"index": 0, "role": "name"}]).to_string();
        let by_title = async |text: &str| {
            let answer = into(&p, board, text, json!({"key": "Title", "columns": columns})).await.unwrap();
            (counts(&answer), items(&p, board).await[0].clone())
        };
        let expected = "added 0, changed 1, unchanged 1, missing 0, kept 0, deleted 0";
        assert_eq!(by_title(&other).await, (expected.to_owned(), "Items/Login: Note=Open Points=3".to_owned()));
        // What each of them has said is known, also that a cell was empty.
        assert_eq!(
            import_again(&p, board, &PLAN.replace("Login,Open,3", "Login,Done,\"\"")).await.1[0],
            "Login: Note=Open Points=3"
        );
        let (answer, now) = by_title(&other.replace("Open,5", ",5")).await;
        assert_eq!((answer.as_str(), now.as_str()), (expected, "Items/Login: Note=Open Points=3"));
        import_again(&p, board, &PLAN.replace("Print,Open", "Print,Stuck")).await;
        let (answer, _) = by_title(&other.replace("Open,5", ",5")).await;
        assert_eq!(answer, "added 0, changed 0, unchanged 2, missing 0, kept 1, deleted 0");
    }
}

#[tokio::test]
async fn taking_an_import_of_one_table_back_leaves_what_the_other_gave() {
    let p = start().await;
    let board = plan(&p).await;
    let own = "Name,Group,Note,Points\nLogin,Items,Stuck,3\nPrint,Items,Open,8\n";
    import_again(&p, &board, own).await;
    let before = items(&p, &board).await;
    let newer = PLAN.replace("Login,Open", "Login,Review");
    let kept = into(&p, &board, &newer, json!({"key": "Task", "importId": "newer"})).await.unwrap();
    assert_eq!((&kept["changed"], &kept["kept"]), (&json!(1), &json!(1)), "{kept}");
    undo(&p, "newer").await.unwrap();
    assert_eq!(items(&p, &board).await, before);
    assert_eq!(import_again(&p, &board, PLAN).await.0, "added 0, changed 0, unchanged 2, missing 0, kept 2, deleted 0");
    assert_eq!(
        import_again(&p, &board, &newer).await.0,
        "added 0, changed 1, unchanged 1, missing 0, kept 1, deleted 0"
    );
}

#[tokio::test]
async fn a_cell_that_does_not_fit_leaves_the_boards_as_it_is() {
    let p = start().await;
    let board = plan(&p).await;
    write(&p, &board, "Login", "c2", json!(42)).await;
    let odd = PLAN.replace("Open,3", "Open,lots");
    for conflicts in ["overwrite", "keep"] {
        let answer = into(&p, &board, &odd, json!({"key": "Task", "conflicts": conflicts})).await.unwrap();
        let problem = &answer["problems"][0];
        assert_eq!((&problem["line"], &problem["code"]), (&json!(2), &json!("invalid-cell")), "{answer}");
        assert_eq!(items(&p, &board).await[0], "Items/Login: Note=Open Points=42", "{conflicts}");
    }
    let over = into(&p, &board, PLAN, json!({"key": "Task", "conflicts": "overwrite"})).await.unwrap();
    assert_eq!(counts(&over), "added 0, changed 1, unchanged 1, missing 0, kept 0, deleted 0");
}

/// `name: title: board > file` of what an update names.
fn named(differences: &Value) -> Vec<String> {
    let all = differences.as_array().unwrap().iter();
    let of = |one: &Value| {
        let [name, title, board, file] = ["name", "title", "board", "file"].map(|at| one[at].as_str().unwrap());
        format!("{name}: {title}: {board} > {file}")
    };
    all.map(of).collect()
}

#[tokio::test]
async fn what_an_import_changes_and_what_stays_is_named_with_both_values() {
    let p = start().await;
    let (first_text, key) = ("Name,Group,Key,Status,Owner,Tags,Due,Paid,Parent\n", json!(2));
    let rows = "a,One,1,Open,Anna Berg,web,2026-03-01,yes,\nb,One,2,Open,,,,no,\nc,One,3,Open,,,,no,1\n";
    let columns = json!([{"index": 8, "role": "parent"}]).to_string();
    let made = json_of(
        &send(&p, format!("{first_text}{rows}").as_bytes(), json!({"columns": columns, "key": 2})).await.unwrap(),
    );
    let board = made["board"]["id"].as_str().unwrap();
    write(&p, board, "b", "c4", json!(["mine"])).await;
    let newer = "a2,Two,1,Doing,Ben Ito,\"web,app\",2026-04-02,no,\nb,One,2,Open,,theirs,,no,\nc,One,3,Open,,,,no,2\n";
    let more = json!({"key": key, "columns": columns, "dryRun": true});
    let preview = into(&p, board, &format!("{first_text}{newer}"), more).await.unwrap();
    let update = &preview["update"];
    let changed = [
        "a: Name: a > a2",
        "a: Status: Open > Doing",
        "a: Owner: Anna Berg > Ben Ito",
        "a: Tags: web > web, app",
        "a: Due: 2026-03-01 > 2026-04-02",
        "a: Paid: yes > no",
        "a: Group: One > Two",
        "c: Parent: a > b",
    ];
    assert_eq!(named(&update["changedCells"]), changed);
    assert_eq!((&update["changed"], &update["changedCount"]), (&json!(2), &json!(8)));
    assert_eq!(named(&update["keptCells"]), ["b: Tags: mine > theirs"]);
    let a = item_named(&p, board, "a").await;
    assert_eq!((&update["changedCells"][1]["itemId"], &update["changedCells"][1]["field"]), (&a["id"], &json!("c2")));
    // The import itself says the same, with the names that items have by then; of many the first hundred are named.
    let more = json!({"key": key, "columns": columns});
    let done = into(&p, board, &format!("{first_text}{newer}"), more).await.unwrap();
    assert_eq!(named(&done["changedCells"]), [&changed[..7], &["c: Parent: a2 > b"]].concat());
    assert_eq!(done["keptCells"], update["keptCells"]);
    let many = |points: i32| (0..130).map(|n| format!("Item {n},{points}\n")).collect::<String>();
    let made = json_of(&send(&p, format!("Name,Points\n{}", many(1)).as_bytes(), json!({})).await.unwrap());
    let board = made["board"]["id"].as_str().unwrap();
    let more = json!({"key": 0, "dryRun": true});
    let update = &into(&p, board, &format!("Name,Points\n{}", many(2)), more).await.unwrap()["update"];
    let shown = named(&update["changedCells"]);
    assert_eq!((shown.len(), shown[99].as_str()), (100, "Item 99: Points: 1 > 2"));
    assert_eq!(update["changedCount"], json!(130));
}

#[tokio::test]
async fn the_key_of_the_last_import_of_such_a_table_is_proposed() {
    let p = start().await;
    let board = plan(&p).await;
    let key = async |text: &str| {
        let preview = into(&p, &board, text, json!({"dryRun": true})).await.unwrap();
        (preview["key"].clone(), preview["update"].is_object())
    };
    let own = "Name,Group,Note,Points\nLogin,Items,Open,3\n";
    assert_eq!(key(PLAN).await, (json!(null), false), "none has said it yet");
    into(&p, &board, PLAN, json!({"key": "Task"})).await.unwrap();
    assert_eq!(key(PLAN).await, (json!(0), true));
    assert_eq!(key(own).await, (json!(null), false), "no column is called so");
    into(&p, &board, own, json!({"key": "Name"})).await.unwrap();
    assert_eq!((key(PLAN).await, key(own).await), ((json!(0), true), (json!(0), true)));
    assert_eq!(key("Points,Task,More\n3,Login,x\n").await, (json!(1), true), "wherever it stands");
    assert_eq!(key("Task,Weight,Colour\nLogin,x,y\n").await.0, json!(null), "another table");
    let answer = into(&p, &board, PLAN, json!({})).await.unwrap();
    assert_eq!(counts(&answer), "added 0, changed 0, unchanged 2, missing 0, kept 0, deleted 0");
}
