//! Reviewing and landing a session's changes, with a real git in temporary folders.

use super::practice::{Begun, Hands, begin, begin_with, start_here};
use super::worktrees::{git, repository, repository_of};
use kit::{Caller, Kind};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use testkit::{OTHER_ACCOUNT, refused};

/// A session in a worktree that wrote `new.txt`, and its folder.
pub(super) async fn reviewed(place: &Begun) -> (Value, PathBuf) {
    let input = json!({"engine": "practice", "prompt": "practice: write new.txt made", "projectId": place.hub["id"], "worktree": true, "title": "Fix it"});
    let made = place.program.owner("sessions.create", input).await.unwrap();
    place.until(made["id"].as_str().unwrap(), "idle").await;
    (made["id"].clone(), PathBuf::from(made["cwd"].as_str().unwrap()))
}

pub(super) async fn changes(place: &Begun, id: &Value) -> Value {
    place.program.owner("sessions.changes.list", json!({"sessionId": id})).await.unwrap()
}

/// Paths with their status and numbers of lines.
pub(super) fn listed(changes: &Value) -> Vec<(String, String, Value, Value)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let one =
        |file: &Value| (text(&file["path"]), text(&file["status"]), file["added"].clone(), file["removed"].clone());
    changes["files"].as_array().unwrap().iter().map(one).collect()
}

pub(super) async fn file(place: &Begun, id: &Value, path: &str) -> Value {
    place.program.owner("sessions.changes.file", json!({"sessionId": id, "path": path})).await.unwrap()
}

#[tokio::test]
async fn all_files_are_compared_with_the_base_whether_committed_staged_or_new() {
    let place = repository().await;
    let (id, folder) = reviewed(&place).await;
    std::fs::write(folder.join("read.me"), "one\ntwo\n").unwrap();
    git(&folder, &["commit", "--quiet", "-am", "two"]);
    std::fs::write(folder.join("staged name.txt"), "x\ny\n").unwrap();
    git(&folder, &["add", "staged name.txt"]);
    std::fs::write(folder.join("picture.bin"), [0u8, 1, 2]).unwrap();
    // The base moves on meanwhile: that isn't the session's change.
    std::fs::write(place.folder.path().join("theirs.txt"), "t").unwrap();
    git(place.folder.path(), &["add", "."]);
    git(place.folder.path(), &["commit", "--quiet", "-m", "theirs"]);
    let found = changes(&place, &id).await;
    let expected = [
        ("new.txt", "added", json!(1), json!(0)),
        ("picture.bin", "added", Value::Null, Value::Null),
        ("read.me", "modified", json!(2), json!(1)),
        ("staged name.txt", "added", json!(2), json!(0)),
    ];
    assert_eq!(
        listed(&found),
        expected.map(|(path, status, added, removed)| (path.into(), status.into(), added, removed))
    );
    assert_eq!((&found["ahead"], &found["behind"], &found["base"]), (&json!(1), &json!(1), &json!("main")));
    assert_eq!(
        (&found["isDirty"], &found["isPartial"], &found["message"]),
        (&json!(true), &json!(false), &json!("Fix it"))
    );
    let patch = file(&place, &id, "read.me").await["patch"].as_str().unwrap().to_owned();
    assert!(patch.contains("-one") && patch.contains("+two"), "{patch}");
    // Looking changed nothing: what was staged is still staged, and the rest isn't.
    assert_eq!(git(&folder, &["diff", "--cached", "--name-only"]), "staged name.txt");
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    refused(place.program.as_caller(other, "sessions.changes.list", json!({"sessionId": id})).await, "not-found");
}

#[tokio::test]
async fn a_hunk_or_a_file_is_reverted_unless_it_changed_and_comes_back_by_undo() {
    let place = repository().await;
    let lines: Vec<String> = (1..=40).map(|number| format!("line {number}\n")).collect();
    std::fs::write(place.folder.path().join("long.txt"), lines.concat()).unwrap();
    git(place.folder.path(), &["add", "."]);
    git(place.folder.path(), &["commit", "--quiet", "-m", "long"]);
    let (id, folder) = reviewed(&place).await;
    let mut changed = lines.clone();
    (changed[1], changed[30]) = ("second\n".into(), "latin \u{e9}\n".into());
    // Not UTF-8: what is stored for undo is bytes.
    let bytes: Vec<u8> = changed.concat().chars().map(|sign| sign as u32 as u8).collect();
    std::fs::write(folder.join("long.txt"), &bytes).unwrap();
    let version = file(&place, &id, "long.txt").await["version"].clone();
    let revert = |hunk: Value, version: &Value| {
        let mut input = json!({"sessionId": id, "path": "long.txt", "version": version});
        if !hunk.is_null() {
            input["hunk"] = hunk;
        }
        place.program.owner("sessions.changes.revert", input)
    };
    let undo = revert(json!(1), &version).await.unwrap()["undoId"].clone();
    let now = std::fs::read(folder.join("long.txt")).unwrap();
    assert!(now.starts_with(b"line 1\nsecond\n") && now.windows(7).any(|part| part == b"line 31"));
    // It is another version now.
    refused(revert(json!(0), &version).await, "changed-file");
    let restore = json!({"sessionId": id, "undoId": undo});
    place.program.owner("sessions.changes.restore", restore.clone()).await.unwrap();
    assert_eq!(std::fs::read(folder.join("long.txt")).unwrap(), bytes);
    refused(place.program.owner("sessions.changes.restore", restore).await, "not-found");
    refused(revert(json!(7), &version).await, "not-found");
    let blind = json!({"sessionId": id, "path": "long.txt", "hunk": 0});
    refused(place.program.owner("sessions.changes.revert", blind).await, "invalid-input");
    // A new binary file goes and comes back whole.
    std::fs::write(folder.join("picture.bin"), [0u8, 159, 146, 150]).unwrap();
    let shown = file(&place, &id, "picture.bin").await;
    let whole = json!({"sessionId": id, "path": "picture.bin", "version": shown["version"]});
    let undo = place.program.owner("sessions.changes.revert", whole).await.unwrap()["undoId"].clone();
    assert!(!folder.join("picture.bin").exists());
    place.program.owner("sessions.changes.restore", json!({"sessionId": id, "undoId": undo})).await.unwrap();
    assert_eq!(std::fs::read(folder.join("picture.bin")).unwrap(), [0u8, 159, 146, 150]);
}

#[tokio::test]
async fn paths_outside_and_undo_ids_of_others_are_rejected() {
    let place = repository().await;
    let (id, _) = reviewed(&place).await;
    for path in ["../read.me", "/etc/passwd", ".git/config", "a//b", "a/../../b", ""] {
        let input = json!({"sessionId": id, "path": path, "version": "x"});
        refused(place.program.owner("sessions.changes.revert", input).await, "invalid-input");
    }
    for undo in ["../x", "nothing", ""] {
        let input = json!({"sessionId": id, "undoId": undo});
        refused(place.program.owner("sessions.changes.restore", input).await, "not-found");
    }
}

#[tokio::test]
async fn work_is_committed_and_merged_into_the_base_wherever_that_is() {
    let place = repository().await;
    let hub = place.folder.path();
    let (id, folder) = reviewed(&place).await;
    std::fs::write(folder.join("later.txt"), "x").unwrap();
    let commit = |more: Value| {
        let mut input = json!({"sessionId": id, "message": "Add it"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        place.program.owner("sessions.changes.commit", input)
    };
    refused(commit(json!({"message": " "})).await, "invalid-input");
    refused(place.program.owner("sessions.changes.merge", json!({"sessionId": id})).await, "unsaved-work");
    commit(json!({"paths": ["new.txt"]})).await.unwrap();
    assert_eq!(git(&folder, &["show", "--format=%s", "--name-only", "HEAD"]), "Add it\n\nnew.txt");
    commit(json!({})).await.unwrap();
    refused(commit(json!({})).await, "conflict");
    // The hub is on the base: its folder gets the files.
    place.program.owner("sessions.changes.merge", json!({"sessionId": id})).await.unwrap();
    assert!(hub.join("new.txt").exists() && hub.join("later.txt").exists());
    // The hub is on another branch: its folder stays as it is.
    git(hub, &["checkout", "--quiet", "-b", "elsewhere"]);
    std::fs::write(folder.join("third.txt"), "x").unwrap();
    commit(json!({})).await.unwrap();
    place.program.owner("sessions.changes.merge", json!({"sessionId": id})).await.unwrap();
    assert!(!hub.join("third.txt").exists());
    assert!(git(hub, &["ls-tree", "--name-only", "main"]).contains("third.txt"));
}

#[tokio::test]
async fn a_merge_with_conflicts_changes_nothing_and_names_the_files() {
    let place = repository().await;
    let hub = place.folder.path();
    let (id, folder) = reviewed(&place).await;
    for (place, text) in [(hub, "theirs"), (&folder, "ours")] {
        std::fs::write(place.join("read.me"), text).unwrap();
        git(place, &["add", "."]);
        git(place, &["commit", "--quiet", "-m", text]);
    }
    let before = git(hub, &["rev-parse", "main"]);
    let told =
        refused(place.program.owner("sessions.changes.merge", json!({"sessionId": id})).await, "merge-conflicts");
    assert!(told.detail().contains("read.me"), "{told}");
    assert_eq!(git(hub, &["rev-parse", "main"]), before);
    assert_eq!(git(hub, &["status", "--porcelain"]), "");
    // A merge that the agent left unfinished is said, and isn't committed over.
    let merged = std::process::Command::new("git").args(["merge", "--quiet", "main"]).current_dir(&folder).output();
    assert!(!merged.unwrap().status.success());
    let found = changes(&place, &id).await;
    assert_eq!(found["inProgress"], "merge");
    assert_eq!(listed(&found)[1].1, "conflicted", "{found}");
    let commit = json!({"sessionId": id, "message": "m"});
    refused(place.program.owner("sessions.changes.commit", commit).await, "conflict");
}

#[tokio::test]
async fn a_branch_is_pushed_and_a_pull_request_opened_with_gh_or_on_the_hosts_page() {
    let place = repository().await;
    let hub = place.folder.path();
    let (id, folder) = reviewed(&place).await;
    place.program.owner("sessions.changes.commit", json!({"sessionId": id, "message": "m"})).await.unwrap();
    let publish = || place.program.owner("sessions.changes.publish", json!({"sessionId": id}));
    let told = refused(publish().await, "conflict");
    assert!(told.detail().contains("no remote"), "{told}");
    let bare = tempfile::tempdir().unwrap();
    git(bare.path(), &["init", "--quiet", "--bare", "."]);
    git(hub, &["remote", "add", "origin", bare.path().to_str().unwrap()]);
    let done = publish().await.unwrap();
    assert_eq!((&done["isOpen"], &done["url"]), (&json!(false), &Value::Null));
    let branch = git(&folder, &["branch", "--show-current"]);
    assert_eq!(git(bare.path(), &["rev-parse", &branch]), git(&folder, &["rev-parse", "HEAD"]));
}

/// In place of `gh`: a pull request with two checks and a comment on a line.
const GH: &str = r#"#!/bin/sh
case "$1 $2" in
"pr view") cat <<'E'
{"number": 12, "title": "Fix it", "url": "https://example.org/o/r/pull/12", "state": "OPEN", "isDraft": false, "reviewDecision": "CHANGES_REQUESTED",
 "statusCheckRollup": [
  {"__typename": "CheckRun", "name": "test", "workflowName": "CI", "status": "COMPLETED", "conclusion": "FAILURE", "detailsUrl": "https://example.org/o/r/actions/runs/5/job/77"},
  {"__typename": "CheckRun", "name": "lint", "workflowName": "CI", "status": "IN_PROGRESS", "conclusion": "", "detailsUrl": "javascript:alert(1)"},
  {"__typename": "StatusContext", "context": "deploy", "state": "SUCCESS", "targetUrl": "https://example.org/d"}],
 "comments": [{"author": {"login": "ada"}, "body": "Please test it.", "url": "https://example.org/c", "createdAt": "2026-01-02T00:00:00Z"}],
 "reviews": [{"author": {"login": "bob"}, "body": "", "submittedAt": "2026-01-01T00:00:00Z"}]}
E
;;
"api repos"*) echo '[{"user": {"login": "bob"}, "body": "Off by one", "path": "new.txt", "line": 1, "html_url": "https://example.org/l", "created_at": "2026-01-01T00:00:00Z"}]' ;;
"run view") [ "$4" = 77 ] && echo "assertion failed" ;;
*) exit 1 ;;
esac
"#;

#[tokio::test]
async fn a_pull_request_shows_its_checks_comments_and_the_logs_of_failed_checks() {
    let place = repository().await;
    let (id, _) = reviewed(&place).await;
    let found = place.program.owner("sessions.changes.pull", json!({"sessionId": id})).await.unwrap();
    assert!(found["trouble"].as_str().unwrap().contains("install the GitHub CLI"));
    let bin = tempfile::tempdir().unwrap();
    std::fs::write(bin.path().join("gh"), GH).unwrap();
    std::fs::set_permissions(bin.path().join("gh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut hands = Hands::new(Arc::new(start_here));
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
    hands.machine.env.insert("PATH".into(), path);
    let place = repository_of(begin_with(hands).await);
    let (id, _) = reviewed(&place).await;
    let found = place.program.owner("sessions.changes.pull", json!({"sessionId": id})).await.unwrap();
    let pull = &found["pullRequest"];
    let expected = (&json!(12), &json!("open"), &json!("changesRequested"));
    assert_eq!((&pull["number"], &pull["state"], &pull["decision"]), expected, "{found}");
    let items = |list: &str| pull[list].as_array().unwrap().clone();
    let checks: Vec<_> = items("checks").iter().map(|one| json!([one["name"], one["state"], one["jobId"]])).collect();
    let expected = json!([["CI / test", "failed", "77"], ["CI / lint", "running", null], ["deploy", "passed", null]]);
    assert_eq!(json!(checks), expected);
    assert_eq!(pull["checks"][1]["url"], Value::Null, "only web pages are linked");
    let about = |one: &Value| json!([one["author"], one["body"], one["path"], one["line"]]);
    let comments: Vec<_> = items("comments").iter().map(about).collect();
    assert_eq!(json!(comments), json!([["bob", "Off by one", "new.txt", 1], ["ada", "Please test it.", null, null]]));
    let log =
        async |job: &str| place.program.owner("sessions.changes.pullLog", json!({"sessionId": id, "jobId": job})).await;
    assert_eq!(log("77").await.unwrap()["text"], "assertion failed\n");
    assert!(log("--web").await.is_err());
}

#[tokio::test]
async fn a_worktree_is_removed_with_its_session_stopped_first() {
    let place = repository().await;
    let hub = &place.hub["id"];
    let input = json!({"engine": "practice", "prompt": "practice: wait 30", "projectId": hub, "worktree": true});
    let made = place.program.owner("sessions.create", input).await.unwrap();
    let id = made["id"].as_str().unwrap();
    place.until(id, "running").await;
    let worktree = changes(&place, &made["id"]).await["worktreeId"].clone();
    let remove = |stop: bool| {
        let input = json!({"worktreeId": worktree, "keepWork": true, "stopSession": stop});
        place.program.owner("worktrees.delete", input)
    };
    assert!(refused(remove(false).await, "conflict").detail().contains("still active"));
    remove(true).await.unwrap();
    assert!(!Path::new(made["cwd"].as_str().unwrap()).exists());
    assert_eq!(place.get(id).await["state"], "stopped");
}

#[tokio::test]
async fn folders_that_cannot_be_reviewed_say_why() {
    let place = begin().await;
    let list = async |id: &Value| {
        refused(place.program.owner("sessions.changes.list", json!({"sessionId": id})).await, "worktree")
            .detail()
            .to_owned()
    };
    let id = json!(place.start("practice: say hi").await);
    place.until(id.as_str().unwrap(), "idle").await;
    assert!(list(&id).await.contains("isn't in a git repository"));
    let folder = place.folder.path();
    git(folder, &["init", "--quiet", "--initial-branch=main"]);
    assert!(list(&id).await.contains("no commits"));
    std::fs::write(folder.join("a.txt"), "a").unwrap();
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "-m", "one"]);
    git(folder, &["checkout", "--quiet", "--detach"]);
    for number in 0..2_100 {
        std::fs::write(folder.join(format!("many-{number:04}.txt")), "x").unwrap();
    }
    let found = changes(&place, &id).await;
    assert_eq!((&found["branch"], &found["base"]), (&Value::Null, &Value::Null));
    assert_eq!(found["files"].as_array().unwrap().len(), 2_100);
    assert_eq!(found["files"][0]["added"], Value::Null, "so many are listed without their lines");
    let merge = place.program.owner("sessions.changes.merge", json!({"sessionId": id})).await;
    assert!(refused(merge, "conflict").detail().contains("worktree"));
    std::fs::rename(folder.join("a.txt"), folder.join("b.txt")).unwrap();
}

#[tokio::test]
async fn a_repository_cannot_make_the_review_run_a_program() {
    let place = repository().await;
    let (id, folder) = reviewed(&place).await;
    let mark = place.folder.path().join("ran");
    let run = format!("touch {}", mark.display());
    for (key, value) in [
        ("diff.external", &*run),
        ("core.sshCommand", &run),
        ("credential.helper", &format!("!{run}")),
        ("filter.x.clean", &run),
        ("core.fsmonitor", &run),
    ] {
        git(&folder, &["config", key, value]);
    }
    std::fs::write(folder.join(".gitattributes"), "* diff=x filter=x\n").unwrap();
    git(&folder, &["config", "diff.x.textconv", &run]);
    std::fs::write(folder.join("read.me"), "changed").unwrap();
    changes(&place, &id).await;
    file(&place, &id, "read.me").await;
    place.program.owner("sessions.changes.commit", json!({"sessionId": id, "message": "m"})).await.unwrap();
    // A push to a folder would run what the repository names as the other side.
    let bare = tempfile::tempdir().unwrap();
    git(bare.path(), &["init", "--quiet", "--bare", "."]);
    git(&folder, &["remote", "add", "origin", bare.path().to_str().unwrap()]);
    git(&folder, &["config", "remote.origin.receivepack", &format!("{run}; git-receive-pack")]);
    place.program.owner("sessions.changes.publish", json!({"sessionId": id})).await.unwrap();
    assert!(!Path::new(&mark).exists());
}
