//! Folders in which git is in an unusual state, or that have unusual files: what is shown, and what is rejected.

use super::changes::{changes, file, listed, reviewed};
use super::practice::{Begun, Hands, begin_with, start_here};
use super::worktrees::{git, repository, repository_of};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use testkit::refused;

async fn ask(place: &Begun, what: &str, id: &Value, more: Value) -> kit::Result<Value> {
    let mut input = json!({"sessionId": id});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    place.program.owner(&format!("sessions.changes.{what}"), input).await
}

fn notices(found: &Value) -> String {
    found["notices"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

/// A repository with commands and a configuration of the user.
async fn repository_with(config: &str, programs: &[(&str, &str)]) -> (Begun, tempfile::TempDir) {
    let bin = tempfile::tempdir().unwrap();
    for (name, text) in programs {
        std::fs::write(bin.path().join(name), text).unwrap();
        std::fs::set_permissions(bin.path().join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let global = bin.path().join("gitconfig");
    std::fs::write(&global, config).unwrap();
    let mut hands = Hands::new(Arc::new(start_here));
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
    hands.machine.env.insert("PATH".into(), path);
    hands.machine.env.insert("GIT_CONFIG_GLOBAL".into(), global.to_str().unwrap().into());
    (repository_of(begin_with(hands).await), bin)
}

/// A repository to be a submodule.
fn module() -> tempfile::TempDir {
    let module = tempfile::tempdir().unwrap();
    git(module.path(), &["init", "--quiet", "--initial-branch=main"]);
    std::fs::write(module.path().join("part"), "p").unwrap();
    git(module.path(), &["add", "."]);
    git(module.path(), &["commit", "--quiet", "-m", "part"]);
    module
}

#[tokio::test]
async fn a_submodule_is_compared_by_its_commit_and_its_own_changes_are_noticed() {
    let place = repository().await;
    let (id, folder) = reviewed(&place).await;
    let module = module();
    let source = module.path().to_str().unwrap();
    git(&folder, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", source, "sub"]);
    git(&folder, &["commit", "--quiet", "-am", "with a submodule"]);
    let inner = folder.join("sub");
    // Its attributes and configuration name a program, which would run outside the sandbox.
    let mark = place.folder.path().join("ran");
    std::fs::write(inner.join(".gitattributes"), "* filter=x\n").unwrap();
    git(&inner, &["config", "filter.x.clean", &format!("touch '{}'; cat", mark.display())]);
    git(&inner, &["config", "core.fsmonitor", &format!("touch '{}'", mark.display())]);
    std::fs::write(inner.join("part"), "q").unwrap();
    let found = changes(&place, &id).await;
    assert!(notices(&found).contains("Submodules have uncommitted changes of their own: sub"), "{found}");
    assert_eq!(found["isDirty"], true);
    file(&place, &id, "sub").await;
    ask(&place, "commit", &id, json!({"message": "m"})).await.unwrap();
    assert!(refused(ask(&place, "commit", &id, json!({"message": "m"})).await, "conflict").detail().contains("no unc"));
    refused(ask(&place, "merge", &id, json!({})).await, "unsaved-work");
    let worktree = found["worktreeId"].clone();
    let delete = |keep: bool| {
        place.program.owner("worktrees.delete", json!({"worktreeId": worktree, "keepWork": keep, "stopSession": true}))
    };
    refused(delete(false).await, "unsaved-work");
    assert!(refused(delete(true).await, "worktree").detail().contains("another repository"));
    assert!(!mark.exists(), "a program of the submodule ran");
    // Its new commit is a change, which can be staged and committed.
    for key in ["filter.x.clean", "core.fsmonitor"] {
        git(&inner, &["config", "--unset", key]);
    }
    git(&inner, &["add", "."]);
    git(&inner, &["commit", "--quiet", "-m", "q"]);
    let now = git(&inner, &["rev-parse", "HEAD"]);
    let found = changes(&place, &id).await;
    assert_eq!(notices(&found), "");
    let sub = found["files"].as_array().unwrap().iter().find(|file| file["path"] == "sub").unwrap();
    assert_eq!((&sub["isSubmodule"], &sub["stage"]), (&json!(true), &json!("unstaged")));
    let patch = file(&place, &id, "sub").await["patch"].as_str().unwrap().to_owned();
    assert!(patch.contains(&format!("+Subproject commit {now}")), "{patch}");
    ask(&place, "stage", &id, json!({"path": "sub"})).await.unwrap();
    ask(&place, "commit", &id, json!({"message": "Newer part", "onlyStaged": true})).await.unwrap();
    assert!(git(&folder, &["ls-tree", "HEAD", "sub"]).contains(&now));
}

#[tokio::test]
async fn files_of_git_lfs_are_committed_only_as_pointers() {
    let attributes = "*.big filter=lfs diff=lfs merge=lfs -text\n";
    let place = repository().await;
    let (id, folder) = reviewed(&place).await;
    std::fs::write(folder.join(".gitattributes"), attributes).unwrap();
    std::fs::write(folder.join("a.big"), "content").unwrap();
    assert!(notices(&changes(&place, &id).await).contains("a.big belongs to Git LFS"));
    for (what, more) in [("commit", json!({"message": "m"})), ("stage", json!({"path": "a.big"}))] {
        assert!(refused(ask(&place, what, &id, more).await, "conflict").detail().contains("git lfs install"));
    }
    // The rest isn't stopped by it.
    ask(&place, "commit", &id, json!({"message": "m", "paths": ["new.txt", ".gitattributes"]})).await.unwrap();
    // The user's own filter runs: here, one that stores a pointer.
    let config = "[filter \"lfs\"]\n\tclean = lfs-clean\n\trequired = true\n";
    let clean = "#!/bin/sh\ncat > /dev/null\necho 'version https://git-lfs.github.com/spec/v1'\n";
    let (place, _bin) = repository_with(config, &[("lfs-clean", clean)]).await;
    let (id, folder) = reviewed(&place).await;
    std::fs::write(folder.join(".gitattributes"), attributes).unwrap();
    std::fs::write(folder.join("a.big"), "content").unwrap();
    git(&folder, &["remote", "add", "origin", "https://example.org/o/r"]);
    ask(&place, "commit", &id, json!({"message": "m"})).await.unwrap();
    assert_eq!(git(&folder, &["show", "HEAD:a.big"]), "version https://git-lfs.github.com/spec/v1");
    let told = notices(&changes(&place, &id).await);
    assert!(told.contains("git lfs push") && !told.contains("belongs to"), "{told}");
}

#[tokio::test]
async fn a_rebase_in_progress_rejects_changes_with_the_way_out() {
    let place = repository().await;
    let hub = place.folder.path();
    let (id, folder) = reviewed(&place).await;
    for (place, text) in [(hub, "theirs"), (&folder, "ours")] {
        std::fs::write(place.join("read.me"), text).unwrap();
        git(place, &["add", "."]);
        git(place, &["commit", "--quiet", "-m", text]);
    }
    let mut rebase = std::process::Command::new("git");
    rebase.args(["-c", "user.name=t", "-c", "user.email=t", "rebase", "main"]).current_dir(&folder);
    let rebase = rebase.output().unwrap();
    assert!(!rebase.status.success());
    let found = changes(&place, &id).await;
    assert_eq!((&found["inProgress"], &found["branch"]), (&json!("rebase"), &Value::Null));
    let tries = [
        ("commit", json!({"message": "m"})),
        ("commit", json!({"message": "m", "onlyStaged": true})),
        ("merge", json!({})),
        ("stage", json!({"path": "read.me"})),
        ("unstage", json!({"path": "read.me"})),
    ];
    for (what, more) in tries {
        let told = refused(ask(&place, what, &id, more).await, "conflict").detail().to_owned();
        assert!(told.contains("A rebase is in progress") && told.contains("git rebase --abort"), "{what}: {told}");
    }
}

#[tokio::test]
async fn a_merge_in_progress_in_the_hub_rejects_a_merge_into_it() {
    let place = repository().await;
    let hub = place.folder.path();
    let (id, _) = reviewed(&place).await;
    ask(&place, "commit", &id, json!({"message": "m"})).await.unwrap();
    std::fs::write(hub.join(".git/MERGE_HEAD"), git(hub, &["rev-parse", "HEAD"])).unwrap();
    let told = refused(ask(&place, "merge", &id, json!({})).await, "conflict").detail().to_owned();
    assert!(told.contains("git merge --abort") && told.contains(hub.to_str().unwrap()), "{told}");
}

#[tokio::test]
async fn commits_off_a_branch_are_announced_and_made() {
    let place = repository().await;
    let (id, folder) = reviewed(&place).await;
    git(&folder, &["checkout", "--quiet", "--detach"]);
    let found = changes(&place, &id).await;
    assert_eq!(found["branch"], Value::Null);
    assert!(notices(&found).contains("isn't on a branch"), "{found}");
    let made = ask(&place, "commit", &id, json!({"message": "m"})).await.unwrap();
    assert_eq!(git(&folder, &["rev-parse", "HEAD"]), made["commit"].as_str().unwrap());
    assert!(refused(ask(&place, "merge", &id, json!({})).await, "conflict").detail().contains("isn't on a branch"));
}

#[tokio::test]
async fn so_many_new_files_are_bounded_and_those_left_out_are_counted() {
    const COUNT: usize = 100_000;
    let place = repository().await;
    let (id, folder) = reviewed(&place).await;
    std::fs::write(folder.join("read.me"), "changed").unwrap();
    for part in 0..100 {
        let part = folder.join(format!("part-{part:02}"));
        std::fs::create_dir(&part).unwrap();
        for number in 0..COUNT / 100 {
            std::fs::File::create(part.join(format!("{number}.txt"))).unwrap();
        }
    }
    let begun = Instant::now();
    let found = changes(&place, &id).await;
    let took = begun.elapsed();
    // With new.txt and read.me.
    let files = found["files"].as_array().unwrap();
    assert_eq!((files.len(), &found["leftOut"]), (5_000, &json!(COUNT + 2 - 5_000)));
    assert_eq!(found["isPartial"], true);
    // Generous: a debug build on a busy machine.
    assert!(took.as_secs() < 20, "{took:?}");
}

#[tokio::test]
async fn large_and_binary_files_are_listed_with_their_size_and_not_loaded() {
    const BYTES: u64 = 100 * 1024 * 1024;
    let place = repository().await;
    let (id, folder) = reviewed(&place).await;
    let large = std::fs::File::create(folder.join("large.txt")).unwrap();
    large.set_len(BYTES).unwrap();
    std::fs::write(folder.join("picture.bin"), [0u8, 1, 2]).unwrap();
    let found = changes(&place, &id).await;
    for (path, bytes) in [("large.txt", BYTES), ("picture.bin", 3)] {
        let one = found["files"].as_array().unwrap().iter().find(|one| one["path"] == path).unwrap();
        assert_eq!((&one["isBinary"], &one["added"]), (&json!(true), &Value::Null), "{path}");
        let shown = file(&place, &id, path).await;
        assert_eq!(shown["bytes"], bytes, "{path}");
        assert!(shown["patch"].as_str().unwrap().len() < 1_000, "{path}");
    }
    assert_eq!(file(&place, &id, "new.txt").await["bytes"], 4);
}

#[tokio::test]
async fn a_base_that_moved_is_counted_and_merged_without_losing_anything() {
    let place = repository().await;
    let hub = place.folder.path();
    let (id, folder) = reviewed(&place).await;
    ask(&place, "commit", &id, json!({"message": "mine"})).await.unwrap();
    for number in 0..3 {
        std::fs::write(hub.join(format!("theirs-{number}")), "t").unwrap();
        git(hub, &["add", "."]);
        git(hub, &["commit", "--quiet", "-m", "theirs"]);
    }
    // Not committed, and not in the way.
    std::fs::write(hub.join("draft"), "d").unwrap();
    let found = changes(&place, &id).await;
    assert_eq!((&found["ahead"], &found["behind"]), (&json!(1), &json!(3)));
    assert_eq!(listed(&found).len(), 1, "what the base did isn't the session's change");
    ask(&place, "merge", &id, json!({})).await.unwrap();
    for name in ["theirs-0", "theirs-1", "theirs-2", "new.txt", "draft"] {
        assert!(hub.join(name).exists(), "{name}");
    }
    assert_eq!(git(hub, &["status", "--porcelain"]), "?? draft");
    assert_eq!(changes(&place, &id).await["ahead"], 0);
    // An uncommitted file of the hub that the merge would overwrite stays, and nothing is half done.
    std::fs::write(folder.join("draft"), "from the session").unwrap();
    ask(&place, "commit", &id, json!({"message": "draft"})).await.unwrap();
    let before = git(hub, &["rev-parse", "main"]);
    refused(ask(&place, "merge", &id, json!({})).await, "worktree");
    assert_eq!(std::fs::read(hub.join("draft")).unwrap(), b"d");
    assert_eq!(git(hub, &["rev-parse", "main"]), before);
}

#[tokio::test]
async fn a_base_that_was_deleted_is_said_with_the_way_to_recreate_it() {
    let place = repository().await;
    let hub = place.folder.path();
    let (id, folder) = reviewed(&place).await;
    ask(&place, "commit", &id, json!({"message": "mine"})).await.unwrap();
    git(hub, &["checkout", "--quiet", "-b", "other"]);
    git(hub, &["branch", "--quiet", "-D", "main"]);
    let found = changes(&place, &id).await;
    let start = git(hub, &["rev-parse", "--short=12", "other"]);
    assert!(notices(&found).contains(&format!("git branch main {start}")), "{found}");
    assert_eq!((&found["ahead"], &found["behind"]), (&json!(1), &json!(0)));
    assert_eq!(listed(&found).len(), 1);
    let told = refused(ask(&place, "merge", &id, json!({})).await, "conflict").detail().to_owned();
    assert!(told.contains("git branch main"), "{told}");
    git(&folder, &["branch", "main", &start]);
    ask(&place, "merge", &id, json!({})).await.unwrap();
}

#[tokio::test]
async fn a_moved_or_deleted_folder_is_said_with_a_remedy() {
    let place = repository().await;
    let hub = place.folder.path().to_owned();
    let (id, folder) = reviewed(&place).await;
    let away = |folder: &Path| PathBuf::from(format!("{}-moved", folder.display()));
    std::fs::rename(&hub, away(&hub)).unwrap();
    let told = refused(ask(&place, "list", &id, json!({})).await, "worktree").detail().to_owned();
    assert!(told.contains("was moved or deleted") && told.contains("git worktree repair"), "{told}");
    git(&away(&hub), &["worktree", "repair", folder.to_str().unwrap()]);
    std::fs::rename(away(&hub), &hub).unwrap();
    git(&hub, &["worktree", "repair", folder.to_str().unwrap()]);
    changes(&place, &id).await;
    std::fs::rename(&folder, away(&folder)).unwrap();
    let told = refused(ask(&place, "list", &id, json!({})).await, "worktree").detail().to_owned();
    assert!(told.contains("no longer exists") && told.contains("move it back"), "{told}");
}

#[tokio::test]
async fn a_user_who_signs_gets_unsigned_commits_without_waiting_and_is_told_so() {
    let mark = "signed";
    let gpg = format!("#!/bin/sh\ntouch \"$(dirname \"$0\")/{mark}\"\nsleep 1000\n");
    let config =
        "[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = gpg-stub\n[user]\n\tname = Ada\n\temail = ada@example.org\n";
    let (place, bin) = repository_with(config, &[("gpg-stub", &gpg)]).await;
    let (id, folder) = reviewed(&place).await;
    assert!(notices(&changes(&place, &id).await).contains("aren't signed"));
    ask(&place, "commit", &id, json!({"message": "m"})).await.unwrap();
    std::fs::write(place.folder.path().join("theirs"), "t").unwrap();
    git(place.folder.path(), &["add", "."]);
    git(place.folder.path(), &["commit", "--quiet", "-m", "theirs"]);
    ask(&place, "merge", &id, json!({})).await.unwrap();
    assert!(!bin.path().join(mark).exists());
    assert_eq!(git(&folder, &["log", "-1", "--format=%an %G?"]), "Ada N");
}

#[tokio::test]
async fn a_push_that_needs_a_passphrase_fails_at_once_with_the_remedy() {
    // As ssh does where it can't ask.
    let ssh = "#!/bin/sh\ncase \"$*\" in *BatchMode=yes*) echo 'git@host: Permission denied (publickey).' >&2; exit 255;; esac\nsleep 1000\n";
    let (place, _bin) = repository_with("", &[("ssh", ssh)]).await;
    let (id, folder) = reviewed(&place).await;
    ask(&place, "commit", &id, json!({"message": "m"})).await.unwrap();
    git(&folder, &["remote", "add", "origin", "git@host.example:o/r.git"]);
    let told = refused(ask(&place, "publish", &id, json!({})).await, "worktree").detail().to_owned();
    assert!(told.contains("Permission denied") && told.contains("ssh-add"), "{told}");
}
