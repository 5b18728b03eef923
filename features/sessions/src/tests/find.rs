//! What finds sessions by title, and files of a hub by path.

use super::practice::{Begun, begin};
use kit::{Caller, Kind};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use testkit::{ACCOUNT, OTHER_ACCOUNT, refused};

async fn titled(begun: &Begun, title: &str) -> String {
    let input =
        json!({"engine": "practice", "prompt": "practice: say done", "projectId": begun.hub["id"], "title": title});
    let id = begun.program.owner("sessions.create", input).await.unwrap()["id"].as_str().unwrap().to_owned();
    begun.until(&id, "idle").await;
    id
}

fn texts(answer: &Value, member: &str) -> Vec<String> {
    answer["items"].as_array().unwrap().iter().map(|one| one[member].as_str().unwrap().to_owned()).collect()
}

async fn find(begun: &Begun, q: &str) -> Vec<String> {
    texts(&begun.program.owner("sessions.find", json!({"q": q})).await.unwrap(), "title")
}

#[tokio::test]
async fn a_session_is_found_by_the_words_of_its_title_archived_ones_only_without_others() {
    let begun = begin().await;
    let old = titled(&begun, "Fix the LOGIN page").await;
    titled(&begun, "Write docs").await;
    titled(&begun, "Login tests").await;
    assert_eq!(find(&begun, "login").await, ["Login tests", "Fix the LOGIN page"]);
    assert_eq!(find(&begun, "page Login").await, ["Fix the LOGIN page"]);
    assert_eq!(find(&begun, "%").await, [""; 0]);
    begun.program.owner("sessions.archive", json!({"sessionId": old})).await.unwrap();
    begun.until(&old, "archived").await;
    assert_eq!(find(&begun, "login").await, ["Login tests"]);
    assert_eq!(find(&begun, "fix login").await, ["Fix the LOGIN page"]);
    let one = begun.program.owner("sessions.find", json!({"q": "t", "limit": 1})).await.unwrap();
    assert_eq!(texts(&one, "title"), ["Login tests"]);
    for input in [json!({"q": " "}), json!({"q": "x".repeat(201)}), json!({"q": "x", "limit": 51}), json!({})] {
        refused(begun.program.owner("sessions.find", input).await, "invalid-input");
    }
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    assert_eq!(
        begun.program.as_caller(other, "sessions.find", json!({"q": "login"})).await.unwrap()["items"],
        json!([])
    );
}

fn write(folder: &Path, path: &str) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, "x").unwrap();
}

async fn files(begun: &Begun, q: &str) -> Vec<String> {
    texts(&begun.program.owner("hubs.files", json!({"hubId": begun.hub["id"], "q": q})).await.unwrap(), "path")
}

#[tokio::test]
async fn a_file_is_found_by_its_path_in_any_folder_that_is_not_skipped() {
    let begun = begin().await;
    let folder = begun.folder.path();
    for path in
        ["src/Main.rs", "main.md", "docs/main/intro.md", ".git-old/main.rs", "node_modules/a/main.js", "target/main"]
    {
        write(folder, path);
    }
    assert_eq!(files(&begun, "main").await, ["main.md", "src/Main.rs", "docs/main/intro.md"]);
    assert_eq!(files(&begun, "src main").await, ["src/Main.rs"]);
    assert_eq!(files(&begun, "*").await, [""; 0]);
    assert_eq!(files(&begun, "../").await, [""; 0]);
    let found = begun.program.owner("hubs.files", json!({"hubId": begun.hub["id"], "q": "intro"})).await.unwrap();
    assert_eq!(found["isComplete"], true);
    assert!(Path::new(found["items"][0]["fullPath"].as_str().unwrap()).is_file());
    for n in 0..30 {
        write(folder, &format!("many/{n}.txt"));
    }
    assert_eq!(files(&begun, "many").await.len(), 20);
}

#[cfg(unix)]
#[tokio::test]
async fn no_link_leads_out_of_the_hub() {
    let begun = begin().await;
    let folder = begun.folder.path();
    let outside = tempfile::TempDir::new().unwrap();
    write(outside.path(), "secret.txt");
    std::os::unix::fs::symlink(outside.path(), folder.join("link")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.txt"), folder.join("secret-link.txt")).unwrap();
    assert_eq!(files(&begun, "secret").await, [""; 0]);
    // The same where git lists a file that was replaced.
    git(folder, &["init", "--quiet"]);
    write(folder, "was/secret.txt");
    git(folder, &["add", "was"]);
    assert_eq!(files(&begun, "secret").await, ["was/secret.txt"]);
    fs::remove_dir_all(folder.join("was")).unwrap();
    std::os::unix::fs::symlink(outside.path(), folder.join("was")).unwrap();
    assert_eq!(files(&begun, "secret").await, [""; 0]);
}

fn git(folder: &Path, args: &[&str]) {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("git");
    command.env_clear().env("PATH", path).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    assert!(command.args(args).current_dir(folder).status().unwrap().success(), "git {args:?}");
}

#[tokio::test]
async fn a_repository_lists_new_files_and_leaves_ignored_and_deleted_ones_out() {
    let begun = begin().await;
    let folder = begun.folder.path();
    git(folder, &["init", "--quiet"]);
    fs::write(folder.join(".gitignore"), "build/\n").unwrap();
    for path in ["src/sail[1].rs", "src/sails.rs", "build/sail.o", "gone-sail.rs", "src/Ünsail.rs"] {
        write(folder, path);
    }
    git(folder, &["add", "src", "gone-sail.rs"]);
    fs::remove_file(folder.join("gone-sail.rs")).unwrap();
    write(folder, "new SAIL.md");
    let mut found = files(&begun, "sail").await;
    found.sort();
    assert_eq!(found, ["new SAIL.md", "src/sail[1].rs", "src/sails.rs", "src/Ünsail.rs"]);
    assert_eq!(files(&begun, "SAIL[1]").await, ["src/sail[1].rs"]);
    assert_eq!(files(&begun, "ünsail").await, ["src/Ünsail.rs"]);
}

#[tokio::test]
async fn only_the_person_searches_a_hub() {
    let begun = begin().await;
    let input = json!({"hubId": begun.hub["id"], "q": "a"});
    let scopes = vec!["sessions:read".to_owned()];
    let agent = Caller { session: Some("s".into()), scopes, ..Caller::new(Kind::Agent, ACCOUNT, "t") };
    refused(begun.program.as_caller(agent, "hubs.files", input.clone()).await, "forbidden-caller");
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    refused(begun.program.as_caller(other, "hubs.files", input).await, "not-found");
    refused(begun.program.owner("hubs.files", json!({"hubId": begun.hub["id"], "q": ""})).await, "invalid-input");
}
