//! Files of the user's: asked about, replaced, kept, and restored.

use super::{HEADER, Place};
use serde_json::{Value, json};
use testkit::refused;

const ASK: &str = "instruction-file";

fn of(name: &str) -> Value {
    json!({"hubId": "h1", "name": name})
}

#[tokio::test]
async fn a_file_of_yours_is_replaced_only_after_you_say_so_and_can_be_restored() {
    let place = Place::start(&["AGENTS.md"]).await;
    place.write("PRIMARY.md", "One.\nTwo.\n");
    place.write("AGENTS.md", "Mine.\nTwo.\n");
    place.look().await;
    assert_eq!(place.read("AGENTS.md"), "Mine.\nTwo.\n");
    assert_eq!(place.state("AGENTS.md").await, "waiting");
    let rows = place.rows().await;
    assert_eq!((rows.len(), &*rows[0].0, &*rows[0].1), (1, ASK, "Replace AGENTS.md in H1?"));
    place.write("PRIMARY.md", "One.\nTwo.\n\n");
    place.look().await;
    assert_eq!((place.posted().await, place.read("AGENTS.md")), (1, "Mine.\nTwo.\n".to_owned()));

    let diff = place.ask("instructions.diff", of("AGENTS.md")).await;
    let lines = json!([
        {"kind": "removed", "text": "Mine."},
        {"kind": "added", "text": HEADER.trim_end()},
        {"kind": "added", "text": "One."},
        {"kind": "same", "text": "Two."},
        {"kind": "added", "text": ""},
    ]);
    assert_eq!((&diff["lines"], &diff["isTruncated"]), (&lines, &json!(false)));
    place.write("AGENTS.md", "Mine, changed.\n");
    let stale = json!({"hubId": "h1", "name": "AGENTS.md", "version": diff["version"]});
    refused(place.program.owner("instructions.replace", stale).await, "instruction-file-changed");
    let diff = place.ask("instructions.diff", of("AGENTS.md")).await;
    let input = json!({"hubId": "h1", "name": "AGENTS.md", "version": diff["version"]});
    let file = place.ask("instructions.replace", input).await;
    assert_eq!((&file["state"], &file["originals"][0]["characters"]), (&json!("inStep"), &json!(15)));
    assert_eq!(place.read("AGENTS.md"), format!("{HEADER}One.\nTwo.\n\n"));
    assert_eq!(place.rows().await, []);

    let file = place.ask("instructions.restore", of("AGENTS.md")).await;
    assert_eq!((&file["state"], &file["originals"]), (&json!("kept"), &json!([])));
    place.write("PRIMARY.md", "Three.");
    place.look().await;
    assert_eq!(place.read("AGENTS.md"), "Mine, changed.\n");
    assert_eq!(place.rows().await, [], "what you restored isn't asked about");
    refused(place.program.owner("instructions.restore", of("AGENTS.md")).await, "not-found");
}

#[tokio::test]
async fn a_kept_file_stays_until_you_replace_it() {
    let place = Place::start(&["AGENTS.md"]).await;
    place.write("PRIMARY.md", "One.");
    place.write("AGENTS.md", "Mine.");
    place.look().await;
    assert_eq!(place.ask("instructions.keep", of("AGENTS.md")).await["state"], "kept");
    assert_eq!(place.rows().await, []);
    place.write("AGENTS.md", "Still mine.");
    place.write("PRIMARY.md", "Two.");
    place.look().await;
    let place = Place { program: place.program.restart().await, ..place };
    place.program.ctx.provide(std::sync::Arc::new(kit::lookup::WorkFolders(Box::new(place.hubs.clone()))));
    place.set(&[("agentInstructionsSyncMirrors", json!(["AGENTS.md"]))]);
    place.look().await;
    assert_eq!((place.read("AGENTS.md"), place.rows().await), ("Still mine.".into(), vec![]));
    place.ask("instructions.replace", of("AGENTS.md")).await;
    assert_eq!(place.read("AGENTS.md"), format!("{HEADER}Two."));
    assert_eq!(place.ask("instructions.keep", of("AGENTS.md")).await["state"], "inStep", "it's no file of yours");
    std::fs::remove_file(place.path("AGENTS.md")).unwrap();
    place.look().await;
    assert_eq!(place.read("AGENTS.md"), format!("{HEADER}Two."));
}

#[tokio::test]
async fn a_changed_copy_is_yours_and_our_own_writes_are_not() {
    let place = Place::start(&["AGENTS.md", "ALT1.md"]).await;
    place.write("PRIMARY.md", "One.");
    place.look().await;
    for text in ["Two.", "Three."] {
        place.write("PRIMARY.md", text);
        place.look().await;
        assert_eq!(place.rows().await, []);
    }
    let place = Place { program: place.program.crash().await, ..place };
    place.program.ctx.provide(std::sync::Arc::new(kit::lookup::WorkFolders(Box::new(place.hubs.clone()))));
    place.set(&[("agentInstructionsSyncMirrors", json!(["AGENTS.md", "ALT1.md"]))]);
    // Changed while the program was away: known from the database, whatever the header says.
    place.write("PRIMARY.md", "Four.");
    place.write("ALT1.md", &format!("{HEADER}Three. And mine."));
    place.look().await;
    assert_eq!(place.read("AGENTS.md"), format!("{HEADER}Four."));
    assert_eq!(place.read("ALT1.md"), format!("{HEADER}Three. And mine."));
    assert_eq!(place.state("ALT1.md").await, "waiting");
    place.write("ALT1.md", &format!("{HEADER}Four."));
    place.look().await;
    assert_eq!((place.state("ALT1.md").await, place.rows().await), ("inStep".to_owned(), vec![]));
}

#[tokio::test]
async fn a_restored_text_replaces_no_other_text_of_yours() {
    let place = Place::start(&["AGENTS.md"]).await;
    place.write("PRIMARY.md", "One.");
    place.write("AGENTS.md", "First.");
    place.ask("instructions.replace", of("AGENTS.md")).await;
    let first = place.file("AGENTS.md").await["originals"][0]["id"].clone();
    place.write("AGENTS.md", "Second.");
    place.ask("instructions.replace", of("AGENTS.md")).await;
    place.write("AGENTS.md", "Third.");
    let input = json!({"hubId": "h1", "name": "AGENTS.md", "originalId": first});
    let file = place.ask("instructions.restore", input).await;
    assert_eq!(place.read("AGENTS.md"), "First.");
    assert_eq!(file["originals"].as_array().unwrap().len(), 2, "the second and third are stored");
    place.set(&[("agentInstructionsSyncMirrors", json!([]))]);
    place.look().await;
    assert_eq!(place.state("AGENTS.md").await, "removed");
    place.ask("instructions.restore", of("AGENTS.md")).await;
    assert_eq!(place.read("AGENTS.md"), "Third.");
}

#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let place = Place::start(&["AGENTS.md"]).await;
    let refuse =
        async |op: &str, input: Value, code: &str| refused(place.program.owner(op, input).await, code).to_string();
    refuse("instructions.diff", of("AGENTS.md"), "instruction-file-blocked").await;
    refuse("instructions.replace", of("AGENTS.md"), "instruction-file-blocked").await;
    refuse("instructions.replace", of("ALT1.md"), "invalid-input").await;
    refuse("instructions.keep", of("OTHER.md"), "invalid-input").await;
    refuse("instructions.keep", json!({"hubId": "h2", "name": "AGENTS.md"}), "not-found").await;
    place.set(&[("agentInstructionsSyncEnabled", json!(false))]);
    refuse("instructions.replace", of("AGENTS.md"), "instruction-sync-off").await;
}
