//! A crash of the practice agent, which is a process of its own here, reaches its session wherever in a turn it comes.

use crate::status::Page;
use serde_json::{Value, json};

/// How often a transcript is looked at; far more often than a crash takes.
const LOOKS: usize = 20_000;

/// Whether the session was told that its engine ended.
fn has_exited(page: &Page, session: &str) -> bool {
    let transcript = page.transcript(session);
    transcript["entries"].as_array().expect("entries").iter().any(|entry| entry["body"]["told"]["event"] == "exited")
}

#[test]
fn the_practice_agent_crashes_behind_other_steps_as_it_does_alone() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path().join("project");
    std::fs::create_dir(&folder).expect("it is made");
    let page = Page::open(&place.path().join("data"), &place.path().join("log"));
    page.done("PATCH", "/settings/agentPermissionLevel", Some(json!({"value": "full"})));
    page.done("PATCH", "/settings/autoResumeOnCrash", Some(json!({"value": false})));
    let hub = page.done("POST", "/hubs", Some(json!({"folder": folder.to_str()})))["id"].clone();
    let crash = |prompt: &str| -> Value {
        let input = json!({"engine": "practice", "projectId": hub, "prompt": prompt});
        let session = page.done("POST", "/sessions", Some(input))["id"].as_str().expect("an id").to_owned();
        assert!((0..LOOKS).any(|_| has_exited(&page, &session)), "{prompt} did not end its process");
        let stands = || page.done("GET", &format!("/sessions/{session}"), None)["state"].clone();
        assert!((0..LOOKS).any(|_| stands() != "running"), "{prompt} goes on");
        stands()
    };
    let alone = crash("practice: fail crash");
    assert_eq!(crash("practice: write b.txt hi; fail crash"), alone);
    assert_eq!(std::fs::read_to_string(folder.join("b.txt")).expect("it was written"), "hi");
}
