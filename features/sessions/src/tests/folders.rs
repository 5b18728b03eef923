//! What is relied on of completing a folder's path, and of what a folder is to git.

use super::practice::{Begun, Hands, begin_with};
use crate::folders::Repository;
use crate::testing::start_here;
use kit::{Caller, Kind};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;
use testkit::{ACCOUNT, OTHER_ACCOUNT, refused};

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        command.env(name, "tester");
    }
    assert!(command.args(args).current_dir(folder).output().unwrap().status.success(), "git {args:?}");
}

/// A machine whose home folder has these folders.
async fn with_home(folders: &[&str]) -> (Begun, TempDir) {
    let home = TempDir::new().unwrap();
    for folder in folders {
        fs::create_dir_all(home.path().join(folder)).unwrap();
    }
    let mut hands = Hands::new(Arc::new(start_here));
    hands.machine.home = home.path().canonicalize().unwrap();
    (begin_with(hands).await, home)
}

impl Begun {
    async fn folders(&self, path: &str) -> Value {
        self.program.owner("hubs.folders", json!({"path": path})).await.unwrap()
    }

    async fn offered(&self, path: &str) -> Vec<String> {
        let told = self.folders(path).await;
        told["folders"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn a_typed_path_is_completed_by_the_folders_that_begin_so() {
    let (place, home) = with_home(&["Projects/alpha", "Projects/beta", "pro", ".hidden", "other"]).await;
    fs::write(home.path().join("profile"), "no folder").unwrap();
    assert_eq!(place.offered("~/pro").await, ["~/pro", "~/Projects"]);
    for typed in ["", "~", "~/"] {
        assert_eq!(place.offered(typed).await, ["~/other", "~/pro", "~/Projects"], "{typed:?}");
    }
    assert_eq!(place.offered("~/.h").await, ["~/.hidden"]);
    assert_eq!(place.offered("~/Projects/").await, ["~/Projects/alpha", "~/Projects/beta"]);
    let absolute = home.path().to_str().unwrap();
    assert_eq!(place.offered(&format!("{absolute}/oth")).await, [format!("{absolute}/other")]);
    for nothing in ["relative", "relative/", "~someone/", "/nowhere/at/all/", "/\0/", "~/profile/", "~/../../\u{7}"] {
        let told = place.folders(nothing).await;
        assert_eq!(told, json!({"folders": [], "folder": null}), "{nothing:?}");
    }
    assert_eq!(place.folders("~/pro").await["folder"]["name"], "pro");
    assert_eq!(place.folders("~/Pro").await["folder"], json!(null), "it's completed, but isn't there as typed");
}

#[cfg(unix)]
#[tokio::test]
async fn a_list_of_folders_is_bounded_follows_links_and_leaves_out_pilothouse_itself() {
    let many: Vec<String> = (0..60).map(|number| format!("many/{number:02}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let (place, home) = with_home(&many).await;
    assert_eq!(place.offered("~/many/").await.len(), 50);
    assert_eq!(place.offered("~/many/5").await.len(), 10);
    std::os::unix::fs::symlink(home.path().join("many"), home.path().join("linked")).unwrap();
    assert_eq!(place.offered("~/li").await, ["~/linked"]);
    let data = place.program.dir().to_str().unwrap();
    assert!(!place.offered(data).await.contains(&data.to_owned()));
    assert_eq!(place.folders(data).await["folder"], json!(null));
}

#[tokio::test]
async fn folders_say_whether_they_are_hubs_and_repositories() {
    let (place, home) = with_home(&["plain", "empty", "born"]).await;
    git(&home.path().join("empty"), &["init", "-q", "-b", "main"]);
    git(&home.path().join("born"), &["init", "-q", "-b", "main"]);
    git(&home.path().join("born"), &["commit", "-q", "--allow-empty", "-m", "one"]);
    let hub = place.program.owner("hubs.create", json!({"folder": "~/born"})).await.expect("a hub in the home folder");
    assert_eq!(hub["folder"].as_str().unwrap(), home.path().canonicalize().unwrap().join("born").to_str().unwrap());
    assert_eq!((&hub["isRepository"], &hub["hasCommits"]), (&json!(true), &json!(true)));
    let told = place.folders("~/").await;
    let told: Vec<_> = told["folders"].as_array().unwrap().iter().collect();
    let said = |one: &Value| (one["isRepository"] == true, one["hasCommits"] == true, one["hubId"].clone());
    assert_eq!(said(told[0]), (true, true, hub["id"].clone()));
    assert_eq!(said(told[1]), (true, false, json!(null)));
    assert_eq!(said(told[2]), (false, false, json!(null)));
}

#[test]
fn commits_are_seen_wherever_git_keeps_them() {
    let dir = TempDir::new().unwrap();
    let (main, beside) = (dir.path().join("main"), dir.path().join("beside"));
    fs::create_dir(&main).unwrap();
    assert_eq!(Repository::at(&main), Repository::default());
    let seen = |folder: &Path| {
        let of = Repository::at(folder);
        assert!(of.is_there);
        of.has_commits
    };
    git(&main, &["init", "-q", "-b", "deep/main"]);
    assert!(!seen(&main), "its branch has no commit yet");
    git(&main, &["commit", "-q", "--allow-empty", "-m", "one"]);
    assert!(seen(&main));
    git(&main, &["pack-refs", "--all"]);
    assert!(seen(&main), "packed");
    git(&main, &["worktree", "add", "-q", "-b", "other", beside.to_str().unwrap()]);
    assert!(seen(&beside), "a worktree");
    git(&main, &["checkout", "-q", "--detach"]);
    assert!(seen(&main), "on no branch");
    git(&main, &["checkout", "-q", "--orphan", "new"]);
    assert!(!seen(&main), "an orphan branch");
    fs::write(main.join(".git/HEAD"), "nonsense").unwrap();
    assert!(seen(&main), "only git can tell");
}

#[tokio::test]
async fn hubs_count_their_sessions_and_keep_none_of_them_when_removed() {
    let (place, _home) = with_home(&[]).await;
    let first = place.start("practice: say One").await;
    let second = place.start("practice: say Two").await;
    place.until(&first, "idle").await;
    let told = place.program.owner("hubs.list", json!({})).await.unwrap();
    let own = &told["items"][0];
    assert_eq!((&own["sessionCount"], &own["lastSessionId"]), (&json!(2), &json!(second)));
    let one = place.program.owner("hubs.get", json!({"hubId": place.hub["id"]})).await.unwrap();
    assert_eq!(&one, own);
    let scopes = vec!["sessions:read".to_owned()];
    let agent = Caller { session: Some(first.as_str().into()), scopes, ..Caller::new(Kind::Agent, ACCOUNT, "t") };
    let told = place.program.as_caller(agent, "hubs.list", json!({})).await.unwrap();
    let own = &told["items"][0];
    assert_eq!(
        (&own["sessionCount"], &own["lastSessionId"]),
        (&json!(null), &json!(null)),
        "an agent sees its own only"
    );
    place.program.owner("hubs.delete", json!({"hubId": place.hub["id"]})).await.unwrap();
    let entries = place.program.owner("sessions.transcript", json!({"sessionId": first})).await.unwrap();
    assert!(!entries["entries"].as_array().unwrap().is_empty(), "transcripts stay");
    assert!(place.folder.path().is_dir(), "and so does the folder");
}

#[tokio::test]
async fn only_a_person_sees_folders_and_nobody_another_accounts_hubs() {
    let (place, home) = with_home(&["a"]).await;
    place.program.owner("hubs.create", json!({"folder": "~/a"})).await.unwrap();
    let scopes = vec!["sessions:read".to_owned()];
    let agent = Caller { session: Some("s".into()), scopes, ..Caller::new(Kind::Agent, ACCOUNT, "t") };
    refused(place.program.as_caller(agent, "hubs.folders", json!({"path": "/"})).await, "forbidden-caller");
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    let typed = home.path().join("a");
    let told = place.program.as_caller(other, "hubs.folders", json!({"path": typed.to_str().unwrap()})).await.unwrap();
    assert_eq!(told["folder"]["hubId"], json!(null));
}
