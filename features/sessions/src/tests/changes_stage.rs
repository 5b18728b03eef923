//! Staging files and hunks of a session's changes, and committing what is staged.

use super::changes::{changes, file, reviewed};
use super::practice::Begun;
use super::worktrees::{git, repository};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use testkit::refused;

fn lines() -> Vec<String> {
    (1..=40).map(|number| format!("line {number}\n")).collect()
}

/// A session whose worktree has `long.txt` committed, and its folder.
async fn long() -> (Begun, Value, PathBuf) {
    let place = repository().await;
    std::fs::write(place.folder.path().join("long.txt"), lines().concat()).unwrap();
    git(place.folder.path(), &["add", "."]);
    git(place.folder.path(), &["commit", "--quiet", "-m", "long"]);
    let (id, folder) = reviewed(&place).await;
    (place, id, folder)
}

async fn ask(place: &Begun, what: &str, id: &Value, path: &str, more: Value) -> kit::Result<Value> {
    let mut input = json!({"sessionId": id, "path": path});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    place.program.owner(&format!("sessions.changes.{what}"), input).await
}

/// Stages or unstages a hunk of the file as it is now.
async fn hunk(place: &Begun, what: &str, id: &Value, path: &str, number: usize) -> kit::Result<Value> {
    let version = file(place, id, path).await["version"].clone();
    ask(place, what, id, path, json!({"hunk": number, "version": version})).await
}

async fn stage_of(place: &Begun, id: &Value, path: &str) -> Value {
    let found = changes(place, id).await;
    let files = found["files"].as_array().unwrap();
    files.iter().find(|file| file["path"] == path).map_or(Value::Null, |file| file["stage"].clone())
}

fn staged(folder: &Path) -> String {
    git(folder, &["diff", "--cached", "-U0", "--no-prefix", "HEAD"])
}

#[tokio::test]
async fn hunks_are_staged_one_by_one_and_only_those_are_committed() {
    let (place, id, folder) = long().await;
    let mut changed = lines();
    changed[1] = "second\n".into();
    changed.remove(15);
    changed.insert(29, "between\n".into());
    // Not UTF-8: patches are bytes.
    let bytes = [changed.concat().as_bytes(), b"latin \xe9"].concat();
    std::fs::write(folder.join("long.txt"), &bytes).unwrap();
    let stages = async || file(&place, &id, "long.txt").await["hunkStages"].clone();
    assert_eq!(stages().await, json!(["unstaged", "unstaged", "unstaged", "unstaged"]));
    hunk(&place, "stage", &id, "long.txt", 2).await.unwrap();
    hunk(&place, "stage", &id, "long.txt", 1).await.unwrap();
    hunk(&place, "stage", &id, "long.txt", 3).await.unwrap();
    assert_eq!(stages().await, json!(["unstaged", "staged", "staged", "staged"]));
    assert_eq!(stage_of(&place, &id, "long.txt").await, "partly");
    hunk(&place, "unstage", &id, "long.txt", 1).await.unwrap();
    hunk(&place, "unstage", &id, "long.txt", 3).await.unwrap();
    assert_eq!(stages().await, json!(["unstaged", "unstaged", "staged", "unstaged"]));
    assert_eq!(staged(&folder).lines().last().unwrap(), "+between");
    // Nothing in the folder changed.
    assert_eq!(std::fs::read(folder.join("long.txt")).unwrap(), bytes);
    refused(hunk(&place, "stage", &id, "long.txt", 2).await, "not-found");
    let commit = |more: Value| {
        let mut input = json!({"sessionId": id, "message": "Part", "onlyStaged": true});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        place.program.owner("sessions.changes.commit", input)
    };
    refused(commit(json!({"paths": ["new.txt"]})).await, "invalid-input");
    commit(json!({})).await.unwrap();
    assert_eq!(git(&folder, &["show", "--format=%s", "-U0", "HEAD"]).lines().last().unwrap(), "+between");
    assert_eq!(stages().await, json!(["unstaged", "unstaged", "committed", "unstaged"]));
    assert!(refused(commit(json!({})).await, "conflict").detail().contains("Nothing is staged"));
    // The rest is still there, and commits as a whole.
    let all = json!({"sessionId": id, "message": "Rest"});
    place.program.owner("sessions.changes.commit", all).await.unwrap();
    assert_eq!(stages().await, json!(["committed", "committed", "committed", "committed"]));
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
}

#[tokio::test]
async fn a_hunk_staged_and_changed_again_is_partly_staged() {
    let (place, id, folder) = long().await;
    let write = |tenth: &str, eleventh: &str| {
        let mut changed = lines();
        (changed[9], changed[10]) = (tenth.into(), eleventh.into());
        // Shifts what follows, in the folder only.
        changed.insert(0, "first of all\n".into());
        std::fs::write(folder.join("long.txt"), changed.concat()).unwrap();
    };
    write("ten\n", "line 11\n");
    hunk(&place, "stage", &id, "long.txt", 1).await.unwrap();
    write("ten\n", "eleven\n");
    let stages = async || file(&place, &id, "long.txt").await["hunkStages"].clone();
    assert_eq!(stages().await, json!(["unstaged", "partly"]));
    hunk(&place, "stage", &id, "long.txt", 1).await.unwrap();
    assert_eq!(stages().await, json!(["unstaged", "staged"]));
    hunk(&place, "unstage", &id, "long.txt", 1).await.unwrap();
    assert_eq!(stages().await, json!(["unstaged", "unstaged"]));
    assert_eq!(staged(&folder), "");
}

#[tokio::test]
async fn a_file_that_changed_since_it_was_read_is_not_staged() {
    let (place, id, folder) = long().await;
    let mut changed = lines();
    changed[1] = "second\n".into();
    std::fs::write(folder.join("long.txt"), changed.concat()).unwrap();
    let version = file(&place, &id, "long.txt").await["version"].clone();
    changed[1] = "SECOND\n".into();
    std::fs::write(folder.join("long.txt"), changed.concat()).unwrap();
    for more in [json!({"version": version}), json!({"version": version, "hunk": 0})] {
        refused(ask(&place, "stage", &id, "long.txt", more).await, "changed-file");
    }
    refused(ask(&place, "stage", &id, "long.txt", json!({"hunk": 0})).await, "invalid-input");
    refused(ask(&place, "stage", &id, "../long.txt", json!({})).await, "invalid-input");
    refused(hunk(&place, "stage", &id, "long.txt", 7).await, "not-found");
    assert_eq!(staged(&folder), "");
}

#[tokio::test]
async fn new_deleted_renamed_binary_and_executable_files_are_staged_whole() {
    let (place, id, folder) = long().await;
    std::fs::write(folder.join("sign [1]*.txt"), "x\n").unwrap();
    std::fs::write(folder.join("picture.bin"), [0u8, 1, 2]).unwrap();
    std::fs::remove_file(folder.join("read.me")).unwrap();
    std::fs::rename(folder.join("long.txt"), folder.join("moved.txt")).unwrap();
    for path in ["new.txt", "sign [1]*.txt", "picture.bin", "read.me"] {
        assert_eq!(file(&place, &id, path).await["hunkStages"], json!([]), "{path}");
        assert_eq!(stage_of(&place, &id, path).await, "unstaged", "{path}");
        ask(&place, "stage", &id, path, json!({})).await.unwrap();
        assert_eq!(stage_of(&place, &id, path).await, "staged", "{path}");
        ask(&place, "unstage", &id, path, json!({})).await.unwrap();
        assert_eq!(stage_of(&place, &id, path).await, "unstaged", "{path}");
    }
    refused(hunk(&place, "stage", &id, "new.txt", 0).await, "conflict");
    let renamed = json!({"oldPath": "long.txt"});
    ask(&place, "stage", &id, "moved.txt", renamed.clone()).await.unwrap();
    assert_eq!(stage_of(&place, &id, "moved.txt").await, "staged");
    assert_eq!(git(&folder, &["diff", "--cached", "--name-status", "-M", "HEAD"]), "R100\tlong.txt\tmoved.txt");
    ask(&place, "unstage", &id, "moved.txt", renamed).await.unwrap();
    assert_eq!(git(&folder, &["diff", "--cached", "--name-status", "HEAD"]), "");
    refused(ask(&place, "stage", &id, "missing.txt", json!({})).await, "not-found");
}

#[tokio::test]
async fn what_is_staged_but_changed_back_is_listed() {
    let (place, id, folder) = long().await;
    let before = std::fs::read(folder.join("read.me")).unwrap();
    std::fs::write(folder.join("read.me"), "two").unwrap();
    ask(&place, "stage", &id, "read.me", json!({})).await.unwrap();
    std::fs::write(folder.join("read.me"), before).unwrap();
    assert_eq!(stage_of(&place, &id, "read.me").await, "partly");
    ask(&place, "unstage", &id, "read.me", json!({})).await.unwrap();
    assert_eq!(stage_of(&place, &id, "read.me").await, Value::Null);
}

#[tokio::test]
async fn changes_of_the_same_size_within_a_tick_of_the_clock_are_seen() {
    let (place, id, folder) = long().await;
    // As after a checkout and a write in the same tick: the index knows the file's size and time.
    let path = folder.join("read.me");
    let time = std::fs::metadata(&path).unwrap().modified().unwrap();
    let index = PathBuf::from(git(&folder, &["rev-parse", "--path-format=absolute", "--git-path", "index"]));
    std::fs::write(&path, "eno").unwrap();
    for name in [&path, &index] {
        std::fs::File::options().write(true).open(name).unwrap().set_modified(time).unwrap();
    }
    git(&folder, &["config", "core.trustctime", "false"]);
    let patch = file(&place, &id, "read.me").await["patch"].as_str().unwrap().to_owned();
    assert!(patch.contains("+eno"), "{patch}");
}
