//! What the program writes into its data directory is for its user alone.

use crate::running::{Disk, Running, cli_token};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Everything below a folder that others may read, write, or enter.
fn open_to_others(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        // It may end meanwhile.
        let Ok(facts) = std::fs::symlink_metadata(&path) else { continue };
        if facts.is_dir() {
            found.extend(open_to_others(&path));
        } else if facts.is_file() && facts.permissions().mode() & 0o077 != 0 {
            found.push(path);
        }
    }
    found
}

#[test]
fn no_file_of_the_data_directory_is_open_to_other_users() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let dir = place.path().join("data");
    let program = Running::start(&dir, &place.path().join("log"), Disk::Free, "warn");
    let cli = cli_token(&dir);
    let made = |path: &str, body| {
        let (status, answer) = program.ask(&cli, "POST", path, Some(body));
        assert!((200..300).contains(&status), "{path}: {status} {answer}");
        answer
    };
    let workspace = program.ask(&cli, "GET", "/workspaces", None).1["items"][0]["id"].clone();
    let workspace = workspace.as_str().expect("an id");
    let (status, imported) = program.send(&cli, &format!("/boards/import?workspaceId={workspace}"), "Name\nA\n");
    assert_eq!(status, 201, "{imported}");
    let board = imported["board"]["id"].as_str().expect("an id");
    let column = made(&format!("/boards/{board}/columns"), json!({"title": "F", "type": "file"}))["id"].clone();
    let item = made(&format!("/boards/{board}/items"), json!({"name": "I"}))["id"].clone();
    let file = format!(
        "/boards/{board}/items/{}/files/{}?name=a.csv",
        item.as_str().expect("an id"),
        column.as_str().expect("an id")
    );
    let (status, added) = program.send(&cli, &file, "a,b\n");
    assert!((200..300).contains(&status), "{added}");
    program.session(&cli);
    assert!(dir.join("files").exists() && dir.join("instance.json").exists());
    assert_eq!(open_to_others(&dir), [] as [PathBuf; 0], "while it runs");
    program.stop();
    assert_eq!(open_to_others(&dir), [] as [PathBuf; 0], "after it ended");
}
