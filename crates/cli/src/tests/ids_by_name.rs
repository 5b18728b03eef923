//! Names where ids are expected.

use super::support::{Fake, Ran, Received, Scripted, World, data_dir};
use serde_json::{Value, json};

const ID: &str = "01234567-89ab-7def-8123-456789abcdef";

fn not_found() -> Scripted {
    (404, "", json!({"title": "Not found", "detail": "Nothing with this id.", "code": "not-found"}).to_string())
}

/// A program with three boards, two of one name, on two pages.
fn program(request: &Received) -> Scripted {
    let page = |items: Value, next: Value| (200, "", json!({"items": items, "nextCursor": next}).to_string());
    match request.line.as_str() {
        "GET /boards" => page(json!([{"id": "b1", "name": "Work / plan"}, {"id": "b2", "name": "Twin"}]), json!("2")),
        "GET /boards?cursor=2" => {
            page(json!([{"id": "b3", "name": "twin"}, {"id": "b4", "name": "Twin"}]), json!(null))
        }
        "GET /boards/b1" | "POST /boards/b1/items" | "GET /boards/b3" => {
            (200, "", json!({"id": "x", "name": "found"}).to_string())
        }
        "POST /query" if request.body.contains(r#"["b1","b3"]"#) => (200, "", "{}".to_owned()),
        _ => not_found(),
    }
}

fn run(words: &[&str]) -> (Ran, Vec<String>) {
    let fake = Fake::genuine(program);
    let dir = data_dir(&fake.base);
    let ran = World::default().run(&[&["--data-dir", dir.path().to_str().unwrap()], words].concat());
    (ran, fake.requests().into_iter().map(|request| request.line).collect())
}

#[test]
fn a_name_stands_for_the_id_of_the_one_thing_that_has_it() {
    let (ran, requests) = run(&["boards", "get", "work / PLAN", "--quiet"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let lists = ["GET /boards", "GET /boards?cursor=2"];
    assert_eq!(requests, [&["GET /boards/work%20%2F%20PLAN"], &lists[..], &["GET /boards/b1"]].concat());
    // A parameter of another path, with a body.
    let (ran, _) = run(&["boards", "items", "create", "Work / plan", "--name", "n", "--quiet"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    // A list of ids, one of which is an id.
    let (ran, requests) = run(&["query", "--board-ids", "Work / plan,b3", "--quiet"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert_eq!(requests, [&["POST /query"], &lists[..], &["POST /query"]].concat());
    // The same case goes before another.
    assert_eq!(run(&["boards", "get", "twin", "--quiet"]).0.code, 0);
}

#[test]
fn an_id_that_is_found_reads_no_list() {
    assert_eq!(run(&["boards", "get", "b1"]).1, ["GET /boards/b1"]);
    // One that has the form of an id is no name.
    let (ran, requests) = run(&["boards", "get", ID]);
    assert_eq!(requests, [format!("GET /boards/{ID}")]);
    assert!(ran.err.starts_with("Not found: Nothing with this id."), "{}", ran.err);
}

#[test]
fn a_name_of_none_or_of_several_is_refused_with_what_there_is() {
    let (ran, _) = run(&["boards", "get", "Nope"]);
    let expected = "Not found: No board is named Nope. Boards: Work / plan, Twin, twin, Twin.\n(not-found)\n";
    assert_eq!((ran.code, ran.err.as_str()), (1, expected));
    let (ran, requests) = run(&["boards", "delete", "Twin"]);
    assert_eq!(ran.err, "Not found: Two boards are named Twin: b2, b4.\n(not-found)\n");
    assert_eq!(requests.iter().filter(|line| line.starts_with("DELETE")).count(), 1, "nothing else is deleted");
    let (ran, _) = run(&["boards", "get", "Nope", "--json"]);
    let problem: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(problem["code"], "not-found");
    assert_eq!(problem["detail"], "No board is named Nope. Boards: Work / plan, Twin, twin, Twin.");
}

#[test]
fn many_names_are_cut() {
    let items: Vec<Value> = (0..13).map(|n| json!({"id": format!("b{n}"), "name": format!("B {n}")})).collect();
    let list = json!({"items": items, "nextCursor": null}).to_string();
    let fake = Fake::genuine(move |request| match request.line.as_str() {
        "GET /boards" => (200, "", list.clone()),
        _ => not_found(),
    });
    let dir = data_dir(&fake.base);
    let ran = World::default().run(&["--data-dir", dir.path().to_str().unwrap(), "boards", "get", "Nope"]);
    assert!(ran.err.contains("B 8, B 9, and 3 more.\n"), "{}", ran.err);
}
