//! What is relied on of hubs.

use crate::feature;
use kit::{Caller, Kind};
use serde_json::{Value, json};
use std::fs;
use store::{HasDb, Tx, params};
use supervisor::state::Session;
use tempfile::TempDir;
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, START_MS, refused};

async fn start() -> (Program, TempDir) {
    (Program::start(|| vec![feature()]).await, TempDir::new().expect("a folder"))
}

fn text(path: &std::path::Path) -> &str {
    path.to_str().expect("Unicode")
}

async fn names(program: &Program) -> Vec<String> {
    let hubs = program.owner("hubs.list", json!({})).await.unwrap();
    hubs["items"].as_array().unwrap().iter().map(|hub| hub["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_hub_has_the_name_of_its_folder_unless_it_is_given_one_and_stays_over_a_restart() {
    let (program, dir) = start().await;
    let (plain, repo) = (dir.path().join("plain"), dir.path().join("repo"));
    fs::create_dir_all(&plain).unwrap();
    fs::create_dir_all(repo.join(".git")).unwrap();
    let made = program.owner("hubs.create", json!({"folder": text(&plain)})).await.unwrap();
    assert_eq!(
        (&made["name"], &made["isRepository"], &made["isThere"]),
        (&json!("plain"), &json!(false), &json!(true))
    );
    program.owner("hubs.create", json!({"folder": text(&repo), "name": "Engine"})).await.unwrap();
    let program = program.restart().await;
    assert_eq!(names(&program).await, ["Engine", "plain"]);
    fs::remove_dir_all(&plain).unwrap();
    let gone = program.owner("hubs.get", json!({"hubId": made["id"]})).await.unwrap();
    assert_eq!(gone["isThere"], false, "a hub outlives its folder, and says so");
}

#[cfg(unix)]
#[tokio::test]
async fn one_folder_is_one_hub_whatever_leads_to_it() {
    let (program, dir) = start().await;
    let folder = dir.path().join("a");
    fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink(&folder, dir.path().join("link")).unwrap();
    let made = program.owner("hubs.create", json!({"folder": text(&folder)})).await.unwrap();
    for other in ["link", "a/../a/.", "./link/"] {
        let path = format!("{}/{other}", text(dir.path()));
        let told = refused(program.owner("hubs.create", json!({"folder": path})).await, "conflict");
        assert_eq!(told.member("hubId"), Some(&made["id"]), "{other}");
    }
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    program.as_caller(other, "hubs.create", json!({"folder": text(&folder)})).await.expect("another account's own hub");
}

#[tokio::test]
async fn what_is_no_folder_is_refused_with_what_is_wrong() {
    let (program, dir) = start().await;
    let file = dir.path().join("file");
    fs::write(&file, "x").unwrap();
    let missing = dir.path().join("missing");
    let inside = program.dir().join("inside");
    fs::create_dir(&inside).unwrap();
    for (folder, says) in [
        (text(&file), "isn't a folder"),
        (text(&missing), "Folder not found"),
        (text(program.dir()), "Pilothouse's own data"),
        (text(&inside), "Pilothouse's own data"),
    ] {
        let told = refused(program.owner("hubs.create", json!({"folder": folder})).await, "hub-folder");
        assert!(told.detail().contains(says), "{told}");
    }
    for folder in ["relative/path", "", "~someone", "~someone/x"] {
        let told = refused(program.owner("hubs.create", json!({"folder": folder})).await, "invalid-input");
        assert_eq!(told.fields()[0].pointer, "/folder");
    }
    let long = format!("/{}", "x".repeat(4_000));
    refused(program.owner("hubs.create", json!({"folder": long})).await, "invalid-input");
    refused(program.owner("hubs.create", json!({"folder": "/a\0b"})).await, "hub-folder");
    assert!(names(&program).await.is_empty());
}

#[tokio::test]
async fn a_hub_is_renamed_led_to_another_folder_and_taken_off_without_touching_a_file() {
    let (program, dir) = start().await;
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    fs::create_dir(&one).unwrap();
    fs::create_dir(&two).unwrap();
    fs::write(two.join("work"), "kept").unwrap();
    let id = program.owner("hubs.create", json!({"folder": text(&one)})).await.unwrap()["id"].clone();
    let change = |more: Value| {
        let mut input = json!({"hubId": id});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        program.owner("hubs.update", input)
    };
    let changed = change(json!({"name": " Two ", "folder": text(&two)})).await.unwrap();
    assert_eq!(changed["name"], "Two");
    assert!(changed["folder"].as_str().unwrap().ends_with("two"));
    refused(change(json!({"name": ""})).await, "invalid-input");
    program.owner("hubs.create", json!({"folder": text(&one)})).await.expect("the folder is free again");
    refused(change(json!({"folder": text(&one)})).await, "conflict");
    program.owner("hubs.delete", json!({"hubId": id})).await.unwrap();
    assert_eq!(names(&program).await, ["one"]);
    assert_eq!(fs::read_to_string(two.join("work")).unwrap(), "kept");
    refused(program.owner("hubs.get", json!({"hubId": id})).await, "not-found");
}

#[tokio::test]
async fn only_a_person_makes_hubs_and_nobody_sees_another_accounts() {
    let (program, dir) = start().await;
    let id = program.owner("hubs.create", json!({"folder": text(dir.path())})).await.unwrap()["id"].clone();
    let scopes = vec!["sessions:read".to_owned()];
    let agent = Caller { session: Some("s".into()), scopes, ..Caller::new(Kind::Agent, ACCOUNT, "t") };
    let listed = program.as_caller(agent.clone(), "hubs.list", json!({})).await.unwrap();
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    for (op, input) in [
        ("hubs.create", json!({"folder": text(dir.path())})),
        ("hubs.update", json!({"hubId": id, "name": "x"})),
        ("hubs.delete", json!({"hubId": id})),
    ] {
        refused(program.as_caller(agent.clone(), op, input).await, "forbidden-caller");
    }
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    for (op, input) in [
        ("hubs.get", json!({"hubId": id})),
        ("hubs.update", json!({"hubId": id, "name": "x"})),
        ("hubs.delete", json!({"hubId": id})),
    ] {
        refused(program.as_caller(other.clone(), op, input).await, "not-found");
    }
}

#[tokio::test]
async fn the_automatic_hub_has_our_own_code_or_else_the_primary_engines_newest_session() {
    let (program, dir) = start().await;
    let automatic = async || {
        let hubs = program.ctx.service::<kit::lookup::AutomaticHub>();
        hubs.0.automatic(ACCOUNT).await.unwrap()
    };
    let hub = async |name: &str| {
        let folder = dir.path().join(name);
        fs::create_dir_all(folder.join("crates/app")).unwrap();
        let made = program.owner("hubs.create", json!({"folder": text(&folder)})).await.unwrap();
        (folder, made["id"].as_str().unwrap().to_owned())
    };
    assert_eq!(automatic().await, None);
    let (first, first_id) = hub("a").await;
    let (_, used_id) = hub("b").await;
    fs::write(first.join("crates/app/Cargo.toml"), "[package]\nname = \"other\"\n").unwrap();
    assert_eq!(automatic().await, None, "neither is ours, and no session ran");
    let (id, life) = (used_id.clone(), serde_json::to_string(&Session::draft(false, START_MS)).unwrap());
    let insert = move |tx: &mut Tx<'_>| {
        let sql = "INSERT INTO sessions (account_id, session_id, hub_id, title, engine, model, cwd, origin, driven, counted, \
             depth, engine_session, state, active, life, turns, run_ms, used_tokens, size_tokens, created_ms, changed_ms) \
             VALUES ($1, 's1', $2, 'T', 'claude', '', '/work', 'person', 0, 0, 0, '', 'draft', 0, $3, 0, 0, 0, 0, $4, $4)";
        tx.execute(sql, params![ACCOUNT, &id, &life, START_MS])
    };
    program.ctx.db().write(insert).await.unwrap();
    assert_eq!(automatic().await, Some(used_id));
    fs::write(first.join("crates/app/Cargo.toml"), "[[bin]]\nname = \"pilothouse\"\n").unwrap();
    assert_eq!(automatic().await, Some(first_id));
}
