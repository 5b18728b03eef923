//! Bookmarks over the control server: all operations, a restart, and what is rejected while scripts have no access.

use crate::running::{Disk, Running, cli_token};
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;

/// Looks at a file until something is in it; far more often than it takes.
const LOOKS: usize = 2_000_000;

fn names(list: &Value) -> Vec<&str> {
    list["items"].as_array().expect("a list").iter().map(|item| item["name"].as_str().expect("a name")).collect()
}

#[test]
fn the_six_operations_work_survive_a_restart_and_are_rejected_while_access_is_off() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (dir, log, opened) = (place.path().join("data"), place.path().join("log"), place.path().join("opened"));
    // What opens addresses writes them down.
    for opener in ["xdg-open", "open"] {
        let script = place.path().join(opener);
        std::fs::write(&script, format!("#!/bin/sh\necho \"$1\" >> '{}'\n", opened.display())).expect("a script");
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("it can be run");
    }
    let path = format!("{}:{}", place.path().display(), std::env::var("PATH").unwrap_or_default());
    let program = Running::start_with(&[("PATH", OsStr::new(&path))], &dir, &log);
    let cli = cli_token(&dir);
    let ask = |method: &str, path: &str, body: Value| program.ask(&cli, method, path, Some(body));
    let add = |name: &str| {
        let body = json!({"name": name, "address": format!("https://example.com/{name}")});
        let (status, made) = ask("POST", "/bookmarks", body);
        assert_eq!(status, 201, "{made}");
        made["id"].as_str().expect("an id").to_owned()
    };
    let (a, b, c) = (add("a"), add("b"), add("c"));
    assert_eq!(ask("PATCH", &format!("/bookmarks/{a}"), json!({"name": "A"})).0, 200);
    assert_eq!(ask("POST", &format!("/bookmarks/{c}/reorder"), json!({"before": a})).0, 200);
    assert_eq!(program.ask(&cli, "DELETE", &format!("/bookmarks/{b}"), None).0, 204);
    assert_eq!(ask("POST", &format!("/bookmarks/{c}/launch"), json!({})).0, 200);
    let read = || std::fs::read_to_string(&opened).unwrap_or_default();
    assert!((0..LOOKS).any(|_| read() == "https://example.com/c\n"), "{}", read());
    program.stop();

    let program = Running::start(&dir, &log, Disk::Free, "warn");
    let page = program.page_token(&cli);
    let list = |token: &str| program.ask(token, "GET", "/bookmarks", None);
    let (_, before) = list(&cli);
    assert_eq!(names(&before), ["c", "A"]);
    let session = program.session(&cli);
    let scopes = ["bookmarks:read", "bookmarks:write"];
    let token = json!({"kind": "agent", "name": "Agent", "sessionId": session, "scopes": scopes});
    let agent = program.ask(&cli, "POST", "/tokens", Some(token)).1["token"].as_str().expect("a token").to_owned();
    assert_eq!(list(&agent).0, 200);
    let off = json!({"value": false});
    assert_eq!(program.ask(&page, "PATCH", "/settings/bookmarksCliEnabled", Some(off)).0, 200);
    for token in [&cli, &agent] {
        for (method, path, body) in [
            ("GET", "/bookmarks".to_owned(), None),
            ("POST", "/bookmarks".to_owned(), Some(json!({"name": "x"}))),
            ("PATCH", format!("/bookmarks/{a}"), Some(json!({"name": "x"}))),
            ("DELETE", format!("/bookmarks/{a}"), None),
            ("POST", format!("/bookmarks/{a}/reorder"), Some(json!({"before": c}))),
            ("POST", format!("/bookmarks/{a}/launch"), Some(json!({}))),
        ] {
            let (status, answer) = program.ask(token, method, &path, body);
            assert_eq!((status, &answer["code"]), (403, &json!("bookmarks-cli-disabled")), "{method} {path}: {answer}");
        }
    }
    assert_eq!(list(&page), (200, before));
    program.stop();
}
