//! Copies: written, changed, deleted, and what is never touched.

use super::{HEADER, Place};
use serde_json::json;
use std::os::unix::fs::{PermissionsExt, symlink};

const ALL: [&str; 7] = [
    "AGENTS.md",
    "PRIMARY.md",
    "ALT1.md",
    ".altrules2",
    ".altrules3/base.md",
    ".github/alt4-instructions.md",
    ".altrules5",
];

#[tokio::test]
async fn saving_the_source_rewrites_each_copy_and_nothing_else() {
    let place = Place::start(&ALL).await;
    place.look().await;
    assert_eq!(place.hub().await, json!(null), "a hub without a source isn't listed");
    place.write("PRIMARY.md", "One.\r\nTwo.");
    place.look().await;
    let header = HEADER.replace('\n', "\r\n");
    for name in ALL.into_iter().filter(|name| *name != "PRIMARY.md") {
        assert_eq!(place.read(name), format!("{header}One.\r\nTwo."), "{name}");
        assert_eq!(place.file(name).await["source"], "PRIMARY.md");
    }
    assert_eq!(place.read("PRIMARY.md"), "One.\r\nTwo.", "the source is no copy of its own");
    let mode = place.path("AGENTS.md").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o600, 0o600);
    place.write("PRIMARY.md", "Three.\n");
    place.look().await;
    assert_eq!(place.read(".github/alt4-instructions.md"), format!("{HEADER}Three.\n"));
    let mut names: Vec<_> =
        std::fs::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".altrules2", ".altrules3", ".altrules5", ".github", "AGENTS.md", "ALT1.md", "PRIMARY.md"]);
    assert_eq!(place.rows().await, []);
}

#[tokio::test]
async fn a_removed_name_loses_its_copy_and_a_changed_one_stays() {
    let place = Place::start(&["AGENTS.md", ".altrules3/base.md", "ALT1.md"]).await;
    place.write("PRIMARY.md", "One.");
    place.look().await;
    place.write("ALT1.md", "Mine.");
    place.set(&[("agentInstructionsSyncMirrors", json!(["AGENTS.md"]))]);
    place.look().await;
    assert!(place.has("AGENTS.md") && !place.has(".altrules3"));
    assert_eq!(place.read("ALT1.md"), "Mine.");
    assert_eq!(place.rows().await, []);
}

#[tokio::test]
async fn off_writes_nothing_and_leaves_what_is_there() {
    let place = Place::start(&["AGENTS.md", "ALT1.md"]).await;
    place.write("PRIMARY.md", "One.");
    place.write("ALT1.md", "Mine.");
    place.look().await;
    assert_eq!(place.rows().await.len(), 1);
    place.set(&[("agentInstructionsSyncEnabled", json!(false))]);
    place.write("PRIMARY.md", "Two.");
    place.look().await;
    assert_eq!(place.read("AGENTS.md"), format!("{HEADER}One."));
    assert_eq!(place.rows().await, [], "nothing is asked while it's off");
    place.set(&[("agentInstructionsSyncMirrors", json!(["AGENTS.md", "ALT1.md"]))]);
    place.look().await;
    assert_eq!(place.read("AGENTS.md"), format!("{HEADER}Two."));
    assert_eq!(place.rows().await.len(), 1, "it's asked again");
}

#[tokio::test]
async fn another_source_takes_over() {
    let place = Place::start(&["AGENTS.md", "ALT1.md"]).await;
    place.write("PRIMARY.md", "One.");
    place.look().await;
    place.set(&[
        ("agentInstructionsSyncCanonical", json!("AGENTS.md")),
        ("agentInstructionsSyncMirrors", json!(["AGENTS.md", "ALT1.md"])),
    ]);
    place.look().await;
    assert_eq!(place.read("AGENTS.md"), "One.", "the source says no longer that it's generated");
    let header = HEADER.replace("PRIMARY.md", "AGENTS.md");
    assert_eq!(place.read("ALT1.md"), format!("{header}One."));
    place.write("PRIMARY.md", "Two.");
    place.look().await;
    assert_eq!(place.read("ALT1.md"), format!("{header}One."));
    place.write("AGENTS.md", "Three.");
    place.look().await;
    assert_eq!((place.read("ALT1.md"), place.read("PRIMARY.md")), (format!("{header}Three."), "Two.".into()));
    assert_eq!(place.file("AGENTS.md").await, json!(null));
}

#[tokio::test]
async fn a_copy_that_is_the_source_itself_or_no_file_is_skipped() {
    let place = Place::start(&["AGENTS.md", "ALT1.md", ".altrules2", ".altrules3/base.md", ".altrules5"]).await;
    place.write("PRIMARY.md", "One.");
    place.write("elsewhere", "Other.");
    symlink("PRIMARY.md", place.path("AGENTS.md")).unwrap();
    std::fs::hard_link(place.path("PRIMARY.md"), place.path("ALT1.md")).unwrap();
    std::fs::create_dir(place.path(".altrules2")).unwrap();
    std::fs::create_dir(place.dir.path().join("outside")).unwrap();
    symlink("../outside", place.path(".altrules3")).unwrap();
    symlink("elsewhere", place.path(".altrules5")).unwrap();
    place.look().await;
    for (name, reason) in [
        ("AGENTS.md", "AGENTS.md is a link to PRIMARY.md, so it always has the same text."),
        // As a name that differs only in case is on a disk that doesn't tell them apart.
        ("ALT1.md", "ALT1.md is the same file as PRIMARY.md."),
        (".altrules2", ".altrules2 is a folder."),
        (".altrules3/base.md", ".altrules3 is a link."),
        (".altrules5", ".altrules5 is a link. Replace it with a file, or remove it from the list."),
    ] {
        let file = place.file(name).await;
        assert_eq!((&file["state"], &file["reason"]), (&json!("skipped"), &json!(reason)));
    }
    assert_eq!((place.read("PRIMARY.md"), place.read("elsewhere")), ("One.".into(), "Other.".into()));
    assert!(std::fs::read_dir(place.dir.path().join("outside")).unwrap().next().is_none());
    place.set(&[]);
    place.look().await;
    assert!(place.has("AGENTS.md") && place.has("ALT1.md"), "what isn't ours isn't deleted");
}

#[tokio::test]
async fn a_source_that_cant_be_copied_is_reported_and_changes_nothing() {
    let place = Place::start(&["AGENTS.md"]).await;
    place.write("PRIMARY.md", "One.");
    place.look().await;
    let copy = format!("{HEADER}One.");
    let problem = async || {
        place.look().await;
        assert_eq!(place.read("AGENTS.md"), copy);
        let rows = place.rows().await;
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert_eq!((&*rows[0].0, &*rows[0].1), ("instruction-notice", "Instruction files of H1 aren't in step"));
        assert_eq!(place.hub().await["problem"], json!(rows[0].2));
        rows[0].2.clone()
    };
    std::fs::remove_file(place.path("PRIMARY.md")).unwrap();
    assert_eq!(problem().await, "PRIMARY.md is missing. Its copies stay as they are.");
    std::fs::write(place.path("PRIMARY.md"), [0xff, b'a']).unwrap();
    assert_eq!(problem().await, "PRIMARY.md isn't UTF-8 text. Nothing is copied.");
    std::fs::File::create(place.path("PRIMARY.md")).unwrap().set_len(crate::disk::BYTES_MAX + 1).unwrap();
    assert_eq!(problem().await, "PRIMARY.md is larger than 10 MB. Nothing is copied.");
    std::fs::remove_file(place.path("PRIMARY.md")).unwrap();
    place.write(".env", "SECRET=1");
    symlink(".env", place.path("PRIMARY.md")).unwrap();
    assert!(problem().await.starts_with("PRIMARY.md is a link to another place."));
    std::fs::remove_file(place.path("PRIMARY.md")).unwrap();
    std::fs::create_dir(place.path("PRIMARY.md")).unwrap();
    assert_eq!(problem().await, "PRIMARY.md isn't a file. Nothing is copied.");
    std::fs::remove_dir(place.path("PRIMARY.md")).unwrap();
    place.write("PRIMARY.md", "Two.");
    place.look().await;
    assert_eq!(place.read("AGENTS.md"), format!("{HEADER}Two."));
    assert_eq!(place.rows().await, [], "the notice is over with its reason");
}

#[tokio::test]
async fn a_source_that_is_a_link_to_a_copy_is_read_and_not_written() {
    let place = Place::start(&["AGENTS.md", "ALT1.md"]).await;
    place.write("AGENTS.md", "One.");
    symlink("AGENTS.md", place.path("PRIMARY.md")).unwrap();
    place.look().await;
    assert_eq!(place.read("ALT1.md"), format!("{HEADER}One."));
    assert_eq!(place.read("AGENTS.md"), "One.");
    assert_eq!(place.file("AGENTS.md").await["reason"], "AGENTS.md is the same file as PRIMARY.md.");
}

#[tokio::test]
async fn a_folder_that_is_gone_changes_nothing() {
    let place = Place::start(&["AGENTS.md"]).await;
    place.write("PRIMARY.md", "One.");
    place.look().await;
    std::fs::rename(place.path(""), place.dir.path().join("moved")).unwrap();
    place.look().await;
    assert_eq!(place.hub().await["isThere"], false);
    assert_eq!(place.rows().await, []);
    std::fs::rename(place.dir.path().join("moved"), place.path("")).unwrap();
    place.write("PRIMARY.md", "Two.");
    place.look().await;
    assert_eq!(place.read("AGENTS.md"), format!("{HEADER}Two."));
}

/// As on a disk that is read-only. Root may write to any folder, so the path leaves no room for a temporary file.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_copy_that_cant_be_written_is_reported_once() {
    const FOLDER_BYTES: usize = 4_080;
    let place = Place::start(&["AGENTS.md"]).await;
    let mut folder = place.path("");
    while folder.as_os_str().len() < FOLDER_BYTES {
        let left = FOLDER_BYTES - folder.as_os_str().len() - 1;
        folder.push("d".repeat(if left > 250 { 200 } else { left }));
    }
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("PRIMARY.md"), "One.").unwrap();
    place.add_hub("h2", &folder);
    for _ in 0..3 {
        place.look().await;
    }
    let rows = place.rows().await;
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert!(rows[0].2.starts_with("Couldn't write AGENTS.md: "), "{rows:?}");
    assert!(!rows[0].2.contains(".pilothouse-"), "the same problem must have the same text");
    assert_eq!(place.hub().await["files"][0]["state"], "skipped");
    assert_eq!(place.posted().await, 1);
}
