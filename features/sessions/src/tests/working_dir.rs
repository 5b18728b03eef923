//! Where new sessions work, and what is answered while they wait.

use super::practice::{Begun, begin};
use kit::lookup::{WorkFolder, WorkFolders};
use kit::{Call, Caller, Kind};
use serde_json::{Value, json};
use std::path::Path;
use tempfile::TempDir;
use testkit::{ACCOUNT, OTHER_ACCOUNT, json_of, refused};

fn cli() -> Caller {
    Caller::new(Kind::Cli, ACCOUNT, "cli")
}

fn agent(session: &str) -> Caller {
    let scopes = ["sessions:spawn", "sessions:read"].map(str::to_owned).to_vec();
    Caller { session: Some(session.into()), scopes, ..Caller::new(Kind::Agent, ACCOUNT, "t") }
}

async fn made(place: &Begun, mut input: Value) -> Result<Value, kit::Error> {
    input["prompt"] = json!("practice: say Hi");
    place.program.owner("sessions.create", input).await
}

fn real(folder: &Path) -> String {
    folder.canonicalize().unwrap().to_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_folder_in_a_hub_is_taken_and_the_innermost_hub_is_meant() {
    let place = begin().await;
    let inner = place.folder.path().join("a/b");
    std::fs::create_dir_all(&inner).unwrap();
    let named = made(&place, json!({"projectId": place.hub["id"], "cwd": inner})).await.unwrap();
    assert_eq!((&named["cwd"], &named["projectId"]), (&json!(real(&inner)), &place.hub["id"]));
    let found = made(&place, json!({"cwd": inner})).await.unwrap();
    assert_eq!(found["projectId"], place.hub["id"]);
    let sub = place.folder.path().join("a");
    let sub = place.program.owner("hubs.create", json!({"folder": sub})).await.unwrap();
    let found = made(&place, json!({"cwd": inner})).await.unwrap();
    assert_eq!(found["projectId"], sub["id"]);
}

#[tokio::test]
async fn a_folder_outside_of_the_hub_is_refused_whatever_leads_to_it() {
    let place = begin().await;
    let elsewhere = TempDir::new().unwrap();
    let dots = place.folder.path().join("..");
    let beside = format!("{}-other", place.folder.path().display());
    std::fs::create_dir(&beside).unwrap();
    let mut ways = vec![json!(elsewhere.path()), json!(dots), json!(beside)];
    #[cfg(unix)]
    {
        let link = place.folder.path().join("link");
        std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
        ways.push(json!(link));
    }
    for cwd in ways {
        let told = refused(made(&place, json!({"projectId": place.hub["id"], "cwd": cwd})).await, "invalid-input");
        assert!(told.to_string().contains("/cwd"), "{told}");
    }
    std::fs::remove_dir(&beside).unwrap();
    refused(made(&place, json!({"cwd": "relative"})).await, "invalid-input");
    refused(made(&place, json!({"cwd": place.folder.path().join("missing")})).await, "hub-folder");
    refused(made(&place, json!({"cwd": place.program.dir()})).await, "hub-folder");
    let listed = place.program.owner("sessions.list", json!({})).await.unwrap();
    assert_eq!(listed["items"], json!([]), "of those that were refused nothing is there");
}

#[tokio::test]
async fn a_folder_in_no_hub_becomes_one_for_a_person_and_not_for_a_session() {
    let place = begin().await;
    place.set(&[("allowAgentTokenSpawn", json!(true)), ("requireSpawnSourceSession", json!(false))]);
    let parent = place.start("practice: say Hi").await;
    let elsewhere = TempDir::new().unwrap();
    let input = json!({"engine": "practice", "prompt": "practice: say Hi", "cwd": elsewhere.path()});
    let hubs = async || place.program.owner("hubs.list", json!({})).await.unwrap()["items"].as_array().unwrap().len();
    let told = place.program.as_caller(agent(&parent), "sessions.create", input.clone()).await;
    assert!(refused(told, "invalid-input").to_string().contains("/cwd"));
    assert_eq!(hubs().await, 1);
    let made = place.program.as_caller(cli(), "sessions.create", input.clone()).await.unwrap();
    assert_eq!((hubs().await, &made["cwd"]), (2, &json!(real(elsewhere.path()))));
    let again = place.program.owner("sessions.create", input.clone()).await.unwrap();
    assert_eq!(again["projectId"], made["projectId"]);
    place.program.as_caller(agent(&parent), "sessions.create", input).await.expect("a hub by now");
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    let theirs = json!({"engine": "practice", "prompt": "practice: say Hi", "cwd": elsewhere.path()});
    let theirs = place.program.as_caller(other, "sessions.create", theirs).await.unwrap();
    assert_ne!(theirs["projectId"], made["projectId"], "another account's hub is not theirs");
}

#[tokio::test]
async fn without_a_place_it_is_the_hub_of_who_asks_or_a_folder_of_its_own() {
    let place = begin().await;
    let parent = place.start("practice: say Hi").await;
    let call = Call { source_session: Some(parent.clone()), ..Call::new(cli()) };
    let child = place
        .program
        .call(call, "sessions.create", json!({"engine": "practice", "prompt": "practice: say Hi"}))
        .await
        .unwrap();
    assert_eq!(json_of(&child)["projectId"], place.hub["id"]);
    let first = made(&place, json!({})).await.unwrap();
    let second = made(&place, json!({})).await.unwrap();
    let hub = place.program.owner("hubs.get", json!({"hubId": first["projectId"]})).await.unwrap();
    assert_eq!((&hub["name"], &hub["purpose"]), (&json!("Ask"), &json!("ask")));
    assert_eq!(second["projectId"], first["projectId"]);
    let folder = |session: &Value| Path::new(session["cwd"].as_str().unwrap()).to_owned();
    assert_ne!(folder(&first), folder(&second));
    assert!(folder(&first).is_dir() && !folder(&first).starts_with(place.program.dir().canonicalize().unwrap()));
    place.until(first["id"].as_str().unwrap(), "idle").await;
}

#[tokio::test]
async fn a_start_that_waits_is_accepted_and_says_what_it_waits_for() {
    let place = begin().await;
    place.set(&[("requireSpawnSourceSession", json!(false)), ("cliSpawnSpacingSeconds", json!(10))]);
    let ask = async || {
        let input = json!({"engine": "practice", "prompt": "practice: say Hi", "projectId": place.hub["id"]});
        place.program.call(Call::new(cli()), "sessions.create", input).await.unwrap()
    };
    let (first, second) = (ask().await, ask().await);
    assert_eq!((first.status, second.status), (201, 202));
    let waits = json_of(&second);
    assert_eq!(waits["state"], "queued");
    assert!(waits["why"].as_str().unwrap().contains("cliSpawnSpacingSeconds"), "{waits}");
    assert!(second.headers.iter().any(|(name, to)| *name == "location" && to.ends_with(waits["id"].as_str().unwrap())));
}

#[tokio::test]
async fn other_features_find_the_folders_of_sessions_and_hubs() {
    let place = begin().await;
    let inner = place.folder.path().join("a");
    std::fs::create_dir(&inner).unwrap();
    let session = made(&place, json!({"projectId": place.hub["id"], "cwd": inner})).await.unwrap();
    let (session, hub) = (session["id"].as_str().unwrap(), place.hub["id"].as_str().unwrap());
    let folders = place.program.ctx.service::<WorkFolders>();
    let found = |path: &Path, hub: Option<&str>| Some(WorkFolder { path: real(path), hub: hub.map(str::to_owned) });
    assert_eq!(folders.0.of_session(ACCOUNT, session).await.unwrap(), found(&inner, Some(hub)));
    assert_eq!(folders.0.of_hub(ACCOUNT, hub).await.unwrap(), found(place.folder.path(), Some(hub)));
    assert_eq!(folders.0.of_session(OTHER_ACCOUNT, session).await.unwrap(), None);
    assert_eq!(folders.0.of_hub(OTHER_ACCOUNT, hub).await.unwrap(), None);
    place.program.owner("hubs.delete", json!({"hubId": hub})).await.unwrap();
    assert_eq!(folders.0.of_session(ACCOUNT, session).await.unwrap(), found(&inner, None));
}
