//! Worktrees with a real git in temporary folders.

use super::practice::{Begun, begin};
use ::git::is_branch;
use kit::{Caller, Kind};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::{OTHER_ACCOUNT, refused};

pub(super) fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.env_clear().env("PATH", std::env::var("PATH").unwrap_or_default()).env("HOME", "/nonexistent");
    for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
        command.env(name, "/dev/null");
    }
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        command.env(name, "tester");
    }
    let done = command.args(args).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

/// A hub that is a repository with one commit on `main`.
pub(super) async fn repository() -> Begun {
    repository_of(begin().await)
}

/// Makes the hub's folder a repository.
pub(super) fn repository_of(place: Begun) -> Begun {
    let folder = place.folder.path();
    git(folder, &["init", "--quiet", "--initial-branch=main"]);
    std::fs::write(folder.join("read.me"), "one").unwrap();
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "-m", "one"]);
    place
}

impl Begun {
    async fn in_worktree(&self, prompt: &str, more: Value) -> Result<Value, kit::Error> {
        let mut input = json!({"engine": "practice", "prompt": prompt, "projectId": self.hub["id"], "worktree": true});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.program.owner("sessions.create", input).await
    }

    /// A session in a worktree that was stopped, and the worktree's folder.
    async fn left(&self) -> (Value, PathBuf) {
        let made = self.in_worktree("practice: say Hi", json!({"title": "Fix it"})).await.unwrap();
        let id = made["id"].as_str().unwrap();
        self.until(id, "idle").await;
        self.program.owner("sessions.archive", json!({"sessionId": id})).await.unwrap();
        self.until(id, "archived").await;
        let listed = self.worktrees().await;
        let own = listed.into_iter().find(|one| one["sessionId"] == id).unwrap();
        let folder = PathBuf::from(own["folder"].as_str().unwrap());
        (own, folder)
    }

    async fn worktrees(&self) -> Vec<Value> {
        self.program.owner("worktrees.list", json!({})).await.unwrap()["items"].as_array().unwrap().clone()
    }

    async fn delete(&self, one: &Value, keep: bool) -> Result<Value, kit::Error> {
        self.program.owner("worktrees.delete", json!({"worktreeId": one["id"], "keepWork": keep})).await
    }
}

#[tokio::test]
async fn a_session_works_in_a_worktree_of_its_own_on_a_branch_of_its_name() {
    let place = repository().await;
    let made = place.in_worktree("practice: write new.txt made", json!({"title": "Fix the door!"})).await.unwrap();
    let id = made["id"].as_str().unwrap();
    place.until(id, "idle").await;
    let folder = Path::new(made["cwd"].as_str().unwrap());
    assert!(folder.join("new.txt").exists() && folder.join("read.me").exists());
    assert!(!place.folder.path().join("new.txt").exists(), "the hub's own folder stays as it is");
    assert!(!folder.starts_with(place.program.dir().canonicalize().unwrap()), "no session works in the program's data");
    let listed = place.worktrees().await;
    let [own] = &listed[..] else { panic!("{listed:?}") };
    assert!(own["branch"].as_str().unwrap().starts_with("pilothouse/fix-the-door-"), "{own}");
    assert_eq!(own["branch"], json!(git(folder, &["branch", "--show-current"])));
    assert_eq!((&own["dirty"], &own["base"], &own["state"]), (&json!(true), &json!("main"), &json!("here")));
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "-m", "two"]);
    git(place.folder.path(), &["commit", "--quiet", "--allow-empty", "-m", "three"]);
    git(place.folder.path(), &["commit", "--quiet", "--allow-empty", "-m", "four"]);
    let own = &place.worktrees().await[0];
    assert_eq!((&own["dirty"], &own["ahead"], &own["behind"]), (&json!(false), &json!(1), &json!(2)));
    assert!(own["sizeBytes"].as_u64().unwrap() > 0);
    refused(place.delete(own, true).await, "conflict");
}

#[tokio::test]
async fn a_clean_worktree_goes_to_the_trash_and_comes_back_until_it_has_been_there_for_30_days() {
    let place = repository().await;
    let (own, folder) = place.left().await;
    let removed = place.delete(&own, false).await.unwrap();
    assert_eq!(removed["rescuedBranch"], Value::Null);
    assert!(!folder.exists());
    assert_eq!(place.worktrees().await[0]["state"], "trash");
    refused(place.delete(&own, false).await, "conflict");
    let back = place.program.owner("worktrees.restore", json!({"worktreeId": own["id"]})).await.unwrap();
    assert_eq!((&back["state"], &back["dirty"]), (&json!("here"), &json!(false)));
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
    refused(place.program.owner("worktrees.restore", json!({"worktreeId": own["id"]})).await, "conflict");
    place.delete(&own, false).await.unwrap();
    place.program.clock.advance_ms(30 * 24 * 3_600_000);
    place.program.do_chores().await;
    assert_eq!(place.worktrees().await.len(), 1);
    place.program.clock.advance_ms(1);
    place.program.do_chores().await;
    assert_eq!(place.worktrees().await.len(), 0);
    assert_eq!(git(place.folder.path(), &["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
    let branch = own["branch"].as_str().unwrap();
    assert!(git(place.folder.path(), &["branch", "--list", branch]).contains(branch), "the branch stays");
}

#[tokio::test]
async fn unsaved_work_is_refused_or_committed_to_a_branch_first() {
    let place = repository().await;
    for what in ["changed", "untracked", "staged", "committed", "conflicting"] {
        let (own, folder) = place.left().await;
        match what {
            "changed" => std::fs::write(folder.join("read.me"), "two").unwrap(),
            "conflicting" => {
                let main = git(&folder, &["rev-parse", "HEAD"]);
                std::fs::write(folder.join("read.me"), "ours").unwrap();
                git(&folder, &["commit", "--quiet", "-am", "ours"]);
                let ours = git(&folder, &["rev-parse", "HEAD"]);
                git(&folder, &["reset", "--quiet", "--hard", &main]);
                std::fs::write(folder.join("read.me"), "theirs").unwrap();
                git(&folder, &["commit", "--quiet", "-am", "theirs"]);
                let mut merge = Command::new("git");
                merge.args(["-c", "user.name=t", "-c", "user.email=t", "merge", "--quiet", &ours]).current_dir(&folder);
                assert!(!merge.output().unwrap().status.success(), "it conflicts");
            }
            _ => std::fs::write(folder.join("new.txt"), "new").unwrap(),
        }
        if matches!(what, "staged" | "committed") {
            git(&folder, &["add", "."]);
        }
        if what == "committed" {
            git(&folder, &["commit", "--quiet", "-m", "mine"]);
        }
        let (head, status) = (git(&folder, &["rev-parse", "HEAD"]), git(&folder, &["status", "--porcelain"]));
        refused(place.delete(&own, false).await, "unsaved-work");
        assert!(folder.is_dir(), "{what}: it is refused before anything is done");
        assert_eq!(git(&folder, &["status", "--porcelain"]), status, "{what}");
        let removed = place.delete(&own, true).await.unwrap();
        let branch = removed["rescuedBranch"].as_str().unwrap();
        assert!(branch.starts_with("pilothouse/rescued/fix-it-"), "{branch}");
        let shown = |file: &str| git(place.folder.path(), &["show", &format!("{branch}:{file}")]);
        match what {
            "changed" => assert_eq!(shown("read.me"), "two"),
            "conflicting" => assert!(shown("read.me").contains("theirs") && shown("read.me").contains("ours")),
            _ => assert_eq!(shown("new.txt"), "new"),
        }
        assert_eq!(git(place.folder.path(), &["rev-parse", &format!("{branch}^")]), head, "{what}");
        // What comes back from the trash is as it was.
        place.program.owner("worktrees.restore", json!({"worktreeId": own["id"]})).await.unwrap();
        assert_eq!(git(&folder, &["status", "--porcelain"]), status, "{what}");
    }
}

#[tokio::test]
async fn commits_that_another_branch_has_are_no_unsaved_work() {
    let place = repository().await;
    let (own, folder) = place.left().await;
    git(&folder, &["commit", "--quiet", "--allow-empty", "-m", "mine"]);
    git(place.folder.path(), &["merge", "--quiet", own["branch"].as_str().unwrap()]);
    place.delete(&own, false).await.unwrap();
}

#[tokio::test]
async fn another_repository_within_is_not_taken_for_saved() {
    let place = repository().await;
    let (own, folder) = place.left().await;
    let inner = folder.join("inner");
    std::fs::create_dir(&inner).unwrap();
    git(&inner, &["init", "--quiet"]);
    std::fs::write(inner.join("work"), "w").unwrap();
    git(&inner, &["add", "."]);
    git(&inner, &["commit", "--quiet", "-m", "inner"]);
    refused(place.delete(&own, false).await, "unsaved-work");
    let told = refused(place.delete(&own, true).await, "worktree");
    assert!(told.to_string().contains("another repository"), "{told}");
    assert!(inner.join("work").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_that_a_repository_names_is_run() {
    use std::os::unix::fs::PermissionsExt;
    let place = repository().await;
    let folder = place.folder.path();
    let mark = folder.join("ran");
    let script = folder.join(".git/evil");
    std::fs::write(&script, format!("#!/bin/sh\ntouch '{}'\ncat\n", mark.display())).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let script = script.to_str().unwrap();
    std::fs::write(folder.join(".gitattributes"), "* filter=evil diff=evil\n").unwrap();
    git(folder, &["add", ".gitattributes"]);
    git(folder, &["-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-m", "attributes"]);
    for key in
        ["filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv", "core.fsmonitor"]
    {
        git(folder, &["config", key, script]);
    }
    git(folder, &["config", "filter.evil.required", "true"]);
    for hook in ["post-checkout", "pre-commit", "post-commit", "post-index-change", "reference-transaction"] {
        std::fs::copy(script, folder.join(".git/hooks").join(hook)).unwrap();
    }
    assert!(!mark.exists(), "the test itself ran nothing");
    let (own, worktree) = place.left().await;
    std::fs::write(worktree.join("read.me"), "two").unwrap();
    place.worktrees().await;
    place.delete(&own, true).await.unwrap();
    place.program.owner("worktrees.restore", json!({"worktreeId": own["id"]})).await.unwrap();
    assert!(!mark.exists(), "something of the repository's ran");
}

#[tokio::test]
async fn bad_names_and_places_are_refused_and_leave_nothing() {
    let place = repository().await;
    for more in [
        json!({"branch": "-d"}),
        json!({"branch": "--orphan"}),
        json!({"branch": "a..b"}),
        json!({"branch": "x/-y"}),
        json!({"branch": "a b"}),
        json!({"branch": "a;touch x"}),
        json!({"branch": "refs/heads/main"}),
        json!({"branch": ""}),
        json!({"cwd": place.folder.path()}),
        json!({"worktree": false, "branch": "b"}),
    ] {
        refused(place.in_worktree("practice: say Hi", more).await, "invalid-input");
    }
    // It is checked out in the hub's own folder.
    let told = refused(place.in_worktree("practice: say Hi", json!({"branch": "main"})).await, "worktree");
    assert!(told.to_string().contains("main"), "{told}");
    assert_eq!(place.worktrees().await.len(), 0);
    git(place.folder.path(), &["show-ref", "--verify", "refs/heads/main"]);
    let plain = begin().await;
    let told = refused(plain.in_worktree("practice: say Hi", json!({})).await, "invalid-input");
    assert!(told.to_string().contains("/worktree"), "{told}");
    git(plain.folder.path(), &["init", "--quiet"]);
    refused(plain.in_worktree("practice: say Hi", json!({})).await, "worktree");
}

#[tokio::test]
async fn a_branch_that_is_there_is_gone_on_with_and_a_start_that_is_refused_takes_its_worktree_back() {
    let place = repository().await;
    git(place.folder.path(), &["branch", "topic"]);
    let made = place.in_worktree("practice: say Hi", json!({"branch": "topic"})).await.unwrap();
    let folder = Path::new(made["cwd"].as_str().unwrap());
    assert_eq!(git(folder, &["branch", "--show-current"]), "topic");
    place.set(&[
        ("agentDrivenSessionsEnabled", json!(true)),
        ("requireSpawnSourceSession", json!(false)),
        ("agentDrivenMaxConcurrent", json!(1)),
    ]);
    let spawn = async |branch: &str| {
        let input = json!({"engine": "practice", "prompt": "practice: wait 30", "projectId": place.hub["id"], "driven": true, "worktree": true, "branch": branch});
        place.program.as_caller(Caller::new(Kind::Cli, testkit::ACCOUNT, "cli"), "sessions.create", input).await
    };
    spawn("one").await.unwrap();
    refused(spawn("two").await, "agent-concurrency");
    assert_eq!(place.worktrees().await.len(), 2);
    assert_eq!(git(place.folder.path(), &["branch", "--list", "two"]), "");
}

#[tokio::test]
async fn another_accounts_worktrees_are_not_there() {
    let place = repository().await;
    let (own, folder) = place.left().await;
    let other = || Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    let listed = place.program.as_caller(other(), "worktrees.list", json!({})).await.unwrap();
    assert_eq!(listed["items"], json!([]));
    for op in ["worktrees.delete", "worktrees.restore"] {
        refused(place.program.as_caller(other(), op, json!({"worktreeId": own["id"]})).await, "not-found");
    }
    assert!(folder.is_dir());
    // Without its folder nothing is left but the row.
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(place.worktrees().await[0]["state"], "missing");
    place.delete(&own, false).await.unwrap();
    assert_eq!(place.worktrees().await.len(), 0);
}

#[test]
fn names_of_branches() {
    for good in ["main", "feature/a-b_c.d", "1", "a@b", "ü", "pilothouse/x-1"] {
        assert!(is_branch(good), "{good}");
    }
    for bad in [
        "", "-", "--", "a//b", "/a", "a/", ".a", "a.", "a.lock", "a/.b", "a@{1}", "@", "HEAD", "a\nb", "a\u{0}", "a~1",
        "x:y", "a*",
    ] {
        assert!(!is_branch(bad), "{bad}");
    }
    assert!(!is_branch(&"a".repeat(201)));
}
