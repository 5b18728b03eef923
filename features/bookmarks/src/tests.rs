use crate::feature;
use kit::lookup::OpenPage;
use kit::{Call, Caller, Kind, SettingsSource};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

const DAY_MS: i64 = 24 * 3_600_000;

/// Access for scripts and agents, on or off.
struct Access(bool);

impl SettingsSource for Access {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        (key == "bookmarksCliEnabled").then(|| json!(self.0))
    }
}

async fn start() -> Program {
    Program::start(|| vec![feature()]).await
}

async fn ask(program: &Program, op: &str, input: Value) -> Value {
    program.owner(op, input).await.unwrap_or_else(|error| panic!("{op}: {error:?}"))
}

/// Creates a bookmark, or a folder; its id.
async fn add(program: &Program, name: &str, folder: Option<&str>, is_folder: bool) -> String {
    let address = (!is_folder).then(|| format!("https://example.com/{name}"));
    let input = json!({"name": name, "address": address, "folderId": folder});
    ask(program, "bookmarks.create", input).await["id"].as_str().unwrap().to_owned()
}

/// Names in order, those in folders with the folder's before them.
async fn names(program: &Program) -> String {
    let items = ask(program, "bookmarks.list", json!({})).await["items"].as_array().unwrap().clone();
    let name_of = |id: &Value| items.iter().find(|item| item["id"] == *id).map(|item| item["name"].as_str().unwrap());
    let shown = items.iter().map(|item| match name_of(&item["folderId"]) {
        Some(folder) => format!("{folder}/{}", item["name"].as_str().unwrap()),
        None => item["name"].as_str().unwrap().to_owned(),
    });
    shown.collect::<Vec<_>>().join(" ")
}

fn agent(scopes: &[&str]) -> Caller {
    let mut caller = Caller::new(Kind::Agent, ACCOUNT, "test");
    caller.session = Some("s".into());
    caller.scopes = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    caller
}

#[tokio::test]
async fn bookmarks_and_their_order_survive_a_restart() {
    let program = start().await;
    let a = add(&program, "a", None, false).await;
    let folder = add(&program, "f", None, true).await;
    let b = add(&program, "b", Some(&folder), false).await;
    ask(&program, "bookmarks.create", json!({"address": "/app/inbox", "before": a})).await;
    assert_eq!(names(&program).await, "/app/inbox a f f/b");
    ask(&program, "bookmarks.update", json!({"bookmarkId": a, "name": "A", "address": "http://localhost:1"})).await;
    ask(&program, "bookmarks.reorder", json!({"bookmarkId": a, "folderId": folder})).await;
    ask(&program, "bookmarks.reorder", json!({"bookmarkId": a, "before": b})).await;
    let program = program.restart().await;
    assert_eq!(names(&program).await, "/app/inbox f f/A f/b");
    let read = ask(&program, "bookmarks.get", json!({"bookmarkId": a})).await;
    assert_eq!(
        (&read["address"], &read["folderId"], &read["kind"]),
        (&json!("http://localhost:1"), &json!(folder), &json!("link"))
    );
    ask(&program, "bookmarks.reorder", json!({"bookmarkId": a})).await;
    assert_eq!(names(&program).await, "/app/inbox f f/b A");
}

#[tokio::test]
async fn a_deleted_folder_is_restored_in_place_with_everything_in_it() {
    let program = start().await;
    let folder = add(&program, "f", None, true).await;
    let b = add(&program, "b", Some(&folder), false).await;
    let c = add(&program, "c", None, false).await;
    let of = |id: &String| json!({"bookmarkId": id});
    ask(&program, "bookmarks.delete", of(&folder)).await;
    assert_eq!(names(&program).await, "c");
    refused(program.owner("bookmarks.get", of(&b)).await, "not-found");
    refused(program.owner("bookmarks.create", json!({"name": "x", "folderId": folder})).await, "named-not-found");
    let d = add(&program, "d", None, false).await;
    ask(&program, "bookmarks.reorder", json!({"bookmarkId": d, "before": c})).await;
    let program = program.restart().await;
    ask(&program, "bookmarks.restore", of(&folder)).await;
    assert_eq!(names(&program).await, "f f/b d c");
    // Without its folder, it's restored to the top.
    ask(&program, "bookmarks.delete", of(&b)).await;
    ask(&program, "bookmarks.delete", of(&folder)).await;
    ask(&program, "bookmarks.restore", of(&b)).await;
    assert_eq!(names(&program).await, "d c b");
    program.clock.advance_ms(31 * DAY_MS);
    ask(&program, "bookmarks.delete", of(&d)).await;
    refused(program.owner("bookmarks.restore", of(&folder)).await, "not-found");
    ask(&program, "bookmarks.restore", of(&d)).await;
    assert_eq!(names(&program).await, "d c b");
}

#[tokio::test]
async fn two_callers_who_reorder_at_once_lose_nothing() {
    let program = start().await;
    let mut ids = Vec::new();
    for name in ["a", "b", "c", "d"] {
        ids.push(add(&program, name, None, false).await);
    }
    let step = |at: usize, before: usize| json!({"bookmarkId": ids[at], "before": ids[before]});
    let (one, two) = (program.owner("bookmarks.reorder", step(3, 0)), program.owner("bookmarks.reorder", step(1, 0)));
    let (one, two) = tokio::join!(one, two);
    one.unwrap();
    two.unwrap();
    let order = names(&program).await;
    assert!(order == "d b a c" || order == "b d a c", "{order}");
}

#[tokio::test]
async fn scripts_and_agents_are_rejected_while_their_access_is_off_and_the_page_is_not() {
    let program = start().await;
    let opened = Arc::new(Mutex::new(Vec::new()));
    let record = opened.clone();
    program.ctx.provide(Arc::new(OpenPage(Box::new(move |link| record.lock().unwrap().push(link.to_owned())))));
    let (a, b) = (add(&program, "a", None, false).await, add(&program, "b", None, false).await);
    let six = [
        ("bookmarks.list", json!({})),
        ("bookmarks.get", json!({"bookmarkId": a})),
        ("bookmarks.create", json!({"name": "c", "address": "https://example.com/c"})),
        ("bookmarks.update", json!({"bookmarkId": a, "name": "A"})),
        ("bookmarks.reorder", json!({"bookmarkId": b, "before": a})),
        ("bookmarks.launch", json!({"bookmarkId": a})),
        ("bookmarks.delete", json!({"bookmarkId": b})),
        ("bookmarks.restore", json!({"bookmarkId": b})),
    ];
    let all = ["bookmarks:read", "bookmarks:write"];
    let calls = || {
        let with_session =
            || Call { source_session: Some("s".into()), ..Call::new(Caller::new(Kind::Owner, ACCOUNT, "test")) };
        [Call::new(Caller::new(Kind::Cli, ACCOUNT, "test")), Call::new(agent(&all)), with_session()]
    };
    program.ctx.provide_settings(Arc::new(Access(false)));
    for (op, input) in &six {
        for call in calls() {
            let refusal = refused(program.call(call, op, input.clone()).await, "bookmarks-cli-disabled");
            assert_eq!(refusal.member("setting"), Some(&json!("bookmarksCliEnabled")), "{op}");
        }
    }
    assert_eq!(names(&program).await, "a b");
    assert!(opened.lock().unwrap().is_empty());
    ask(&program, "bookmarks.update", json!({"bookmarkId": a, "name": "page"})).await;
    program.ctx.provide_settings(Arc::new(Access(true)));
    for (op, input) in &six {
        program.as_caller(agent(&all), op, input.clone()).await.unwrap_or_else(|error| panic!("{op}: {error:?}"));
        refused(program.as_caller(agent(&[]), op, input.clone()).await, "scope-missing");
    }
    assert_eq!(names(&program).await, "b A c");
    assert_eq!(*opened.lock().unwrap(), ["https://example.com/a"]);
}

#[tokio::test]
async fn bad_input_is_explained() {
    let program = start().await;
    refused(program.owner("bookmarks.create", json!({"name": "x", "before": "gone"})).await, "named-not-found");
    let a = add(&program, "a", None, false).await;
    let folder = add(&program, "f", None, true).await;
    let inner = add(&program, "g", Some(&folder), true).await;
    for (op, input, said) in [
        ("bookmarks.create", json!({"name": "x", "address": "javascript:alert(1)"}), "begins with https://"),
        ("bookmarks.create", json!({"name": "x", "address": "file:///etc/passwd"}), "begins with https://"),
        ("bookmarks.create", json!({}), "Send name for a folder"),
        ("bookmarks.create", json!({"name": "n".repeat(201)}), "201 characters"),
        ("bookmarks.create", json!({"address": format!("https://e.com/{}", "a".repeat(2048))}), "2048 characters"),
        ("bookmarks.create", json!({"name": "x", "folderId": a}), "isn't a folder"),
        ("bookmarks.update", json!({"bookmarkId": folder, "address": "https://e.com"}), "A folder has no address"),
        ("bookmarks.update", json!({"bookmarkId": a, "address": "/app/../x"}), "such as /app/inbox"),
        ("bookmarks.reorder", json!({"bookmarkId": folder, "folderId": inner}), "into itself"),
        (
            "bookmarks.reorder",
            json!({"bookmarkId": a, "folderId": folder, "before": inner}),
            "either before or folderId",
        ),
        ("bookmarks.launch", json!({"bookmarkId": folder}), "can't be opened"),
    ] {
        let refusal = refused(program.owner(op, input.clone()).await, "invalid-input");
        assert!(refusal.detail().contains(said), "{input}: {}", refusal.detail());
    }
    let mut deepest = inner;
    for name in ["h", "i", "j"] {
        deepest = add(&program, name, Some(&deepest), true).await;
    }
    let deep = program.owner("bookmarks.create", json!({"name": "k", "folderId": deepest})).await;
    assert!(refused(deep, "invalid-input").detail().contains("5 deep"));
    add(&program, "link", Some(&deepest), false).await;
    // Without a window or a browser, nothing is opened.
    refused(program.owner("bookmarks.launch", json!({"bookmarkId": a})).await, "conflict");
}

#[tokio::test]
async fn the_list_has_a_limit_and_each_account_its_own() {
    let program = start().await;
    let first = add(&program, "0", None, false).await;
    for number in 1..1_000 {
        add(&program, &number.to_string(), None, false).await;
    }
    let full = refused(program.owner("bookmarks.create", json!({"name": "more"})).await, "conflict");
    assert!(full.detail().contains("1000 bookmarks"), "{}", full.detail());
    ask(&program, "bookmarks.delete", json!({"bookmarkId": first})).await;
    add(&program, "more", None, false).await;
    refused(program.owner("bookmarks.restore", json!({"bookmarkId": first})).await, "conflict");
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "test");
    assert_eq!(program.as_caller(other, "bookmarks.list", json!({})).await.unwrap()["items"], json!([]));
}
