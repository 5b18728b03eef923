//! What a board begins with.

use super::*;
use crate::SetupPreset;
use kit::SettingsSource;
use kit::setting::Choices;
use std::collections::BTreeSet;
use std::path::Path;
use testkit::refused;

/// What the account's owner has chosen as `pmSetupPreset`.
struct Chosen(&'static str);

impl SettingsSource for Chosen {
    fn stored(&self, account: &str, key: &str) -> Option<Value> {
        (account == ACCOUNT && key == "pmSetupPreset").then(|| json!(self.0))
    }
}

/// A board as it was made, without what differs each time.
fn listed(mut board: Value) -> Value {
    for member in ["id", "workspaceId", "name", "revision", "itemCount", "createdAt", "updatedAt"] {
        board.as_object_mut().unwrap().remove(member);
    }
    for view in board["views"].as_array_mut().unwrap() {
        view.as_object_mut().unwrap().remove("id");
    }
    board
}

async fn create(program: &Program, caller: Caller, input: Value) -> Value {
    let mut whole = json!({"workspaceId": WORKSPACE, "name": "New"});
    whole.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
    program.as_caller(caller, "boards.create", whole).await.unwrap()
}

/// One committed file for each preset: a change of the declaration is seen in the change of its file. A difference writes the
/// file anew and fails.
#[tokio::test]
async fn each_preset_makes_exactly_its_groups_columns_and_views() {
    let p = start().await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/presets");
    let mut differing = Vec::new();
    for choice in SetupPreset::ALL {
        let made = create(&p, owner(), json!({"preset": choice.value})).await;
        let read = p.owner("boards.get", json!({"boardId": made["id"]})).await.unwrap();
        assert_eq!(made, read);
        let fresh = format!("{}\n", serde_json::to_string_pretty(&listed(read)).unwrap());
        let file = folder.join(format!("{}.json", choice.value));
        if std::fs::read_to_string(&file).unwrap_or_default() != fresh {
            std::fs::write(&file, fresh).unwrap();
            differing.push(choice.value);
        }
    }
    assert!(
        differing.is_empty(),
        "testdata/presets: {differing:?} differed and are written anew: look and commit them"
    );
    assert_eq!(SetupPreset::ALL.len(), 13);
    let files: BTreeSet<_> =
        std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let words: BTreeSet<_> = SetupPreset::ALL.iter().map(|choice| format!("{}.json", choice.value)).collect();
    assert_eq!(files, words, "a file for each preset and no other");
}

#[tokio::test]
async fn every_preset_can_be_worked_with() {
    let p = start().await;
    let list = p.owner("boards.presets", json!({})).await.unwrap();
    let words: Vec<_> = list["items"].as_array().unwrap().iter().map(|one| one["preset"].as_str().unwrap()).collect();
    assert_eq!(words, SetupPreset::ALL.iter().map(|choice| choice.value).collect::<Vec<_>>());
    for one in list["items"].as_array().unwrap() {
        let word = &one["preset"];
        let board = create(&p, owner(), json!({"preset": word})).await;
        let columns = board["columns"].as_array().unwrap();
        let titles: BTreeSet<_> = columns.iter().map(|column| column["title"].as_str().unwrap()).collect();
        assert_eq!(titles.len(), columns.len(), "{word}: titles tell columns apart");
        let listed: Vec<_> = one["columns"].as_array().unwrap().iter().map(|column| &column["title"]).collect();
        assert_eq!(listed, columns.iter().map(|column| &column["title"]).collect::<Vec<_>>(), "{word}");
        for column in columns.iter().filter(|column| column["type"] == "status") {
            let labels = column["settings"]["labels"].as_array().unwrap();
            assert!(labels.iter().any(|label| label["done"] == true), "{word}: {} has an end", column["title"]);
            for label in labels.iter().filter(|label| widgets::means_canceled(label["text"].as_str().unwrap())) {
                assert_eq!((&label["category"], &label["done"]), (&json!("canceled"), &json!(false)), "{word}");
            }
            let texts: BTreeSet<_> = labels.iter().map(|label| label["text"].as_str().unwrap()).collect();
            assert_eq!(texts.len(), labels.len(), "{word}: {}", column["title"]);
        }
        let kind_of = |id: &Value| &columns.iter().find(|column| column["id"] == *id).unwrap()["type"];
        for view in board["views"].as_array().unwrap() {
            match view["kind"].as_str().unwrap() {
                "table" => assert_eq!(view["settings"], json!({}), "{word}"),
                "kanban" => {
                    let kind = kind_of(&view["settings"]["byColumn"]);
                    assert!(kind == "status" || kind == "dropdown", "{word}: {}", view["name"]);
                    let fields = view["settings"]["cardFields"].as_array().cloned().unwrap_or_default();
                    let title = |id: &Value| &columns.iter().find(|column| column["id"] == *id).unwrap()["title"];
                    let shown: Vec<_> = fields.iter().map(|id| title(id).as_str().unwrap()).collect();
                    assert!(
                        !fields.contains(&view["settings"]["byColumn"]),
                        "{word}: a card stands below what it is by"
                    );
                    let all = crate::presets::all().find(|(preset, ..)| word == preset).unwrap().2.views;
                    let declared = all.iter().find(|declared| view["name"] == declared.name).unwrap().cards;
                    assert_eq!(shown, declared, "{word}: {}", view["name"]);
                    // Of two dates cards show the end, not the beginning that comes first.
                    let dates = columns.iter().filter(|column| column["type"] == "date").count();
                    let start = columns.iter().find(|column| column["type"] == "date").map(|column| &column["id"]);
                    assert!(
                        dates < 2 || (!fields.is_empty() && !fields.contains(start.unwrap())),
                        "{word}: {}",
                        view["name"]
                    );
                }
                kind => {
                    assert_eq!(kind_of(&view["settings"]["dateColumn"]), "date", "{word}: {}", view["name"]);
                    // Two dates are a beginning and an end.
                    let dates = columns.iter().filter(|column| column["type"] == "date").count();
                    let end = &view["settings"]["endColumn"];
                    assert_eq!(end.is_string(), kind == "timeline" && dates == 2, "{word}: {}", view["name"]);
                    assert!(end.is_null() || kind_of(end) == "date" && *end != view["settings"]["dateColumn"]);
                }
            }
        }
        assert!(board["views"].as_array().unwrap().iter().any(|view| view["kind"] == "table"), "{word}");
    }
}

#[tokio::test]
async fn the_setting_decides_for_the_owners_page_and_for_nobody_else() {
    let p = start().await;
    let column = |board: &Value| board["columns"][0]["title"].clone();
    assert_eq!(column(&create(&p, owner(), json!({})).await), "Status", "tasks is the default");
    p.ctx.provide_settings(Arc::new(Chosen("trello")));
    assert_eq!(column(&create(&p, owner(), json!({})).await), "List");
    assert_eq!(column(&create(&p, owner(), json!({"preset": "airtable"})).await), "Notes", "what is named goes first");
    assert_eq!(create(&p, owner(), json!({"preset": "blank"})).await["columns"], json!([]));
    let scripts = [
        Caller::new(Kind::Cli, ACCOUNT, "cli"),
        Caller { scopes: vec!["boards:write".into()], ..Caller::new(Kind::Agent, ACCOUNT, "agent") },
        Caller::new(Kind::Member, ACCOUNT, "member"),
    ];
    for caller in scripts {
        assert_eq!(create(&p, caller, json!({})).await["columns"], json!([]));
    }
    let other = p.as_caller(other_owner(), "boards.create", json!({"workspaceId": OTHER_WORKSPACE, "name": "N"})).await;
    assert_eq!(column(&other.unwrap()), "Status", "another account has a choice of its own");
}

#[tokio::test]
async fn choosing_another_preset_later_leaves_boards_as_they_are() {
    let p = start().await;
    let board = tasks_board(&p).await;
    let item = json!({"boardId": board, "name": "A", "cells": {"c1": "l2", "c3": "2026-03-09"}});
    p.owner("boards.items.create", item).await.unwrap();
    let (before, full) = (p.owner("boards.get", json!({"boardId": board})).await, full_json(&p, &board).await);
    p.ctx.provide_settings(Arc::new(Chosen("jira")));
    create(&p, owner(), json!({})).await;
    let p = p.restart().await;
    p.ctx.provide_settings(Arc::new(Chosen("notion")));
    assert_eq!(p.owner("boards.get", json!({"boardId": board})).await.unwrap(), before.unwrap());
    assert_eq!(full_json(&p, &board).await, full);
}

#[tokio::test]
async fn an_unknown_preset_names_those_that_there_are() {
    let p = start().await;
    let input = json!({"workspaceId": WORKSPACE, "name": "N", "preset": "Trello"});
    let refusal = refused(p.owner("boards.create", input).await, "unknown-preset").problem().to_string();
    for word in ["Preset Trello not found", "blank", "trello", "engineering-jira", "/preset"] {
        assert!(refusal.contains(word), "{refusal} lacks {word}");
    }
}

#[tokio::test]
async fn the_switch_that_hides_boards_keeps_their_data_readable() {
    struct Off;
    impl SettingsSource for Off {
        fn stored(&self, _: &str, key: &str) -> Option<Value> {
            (key == "projectBoardsEnabled").then_some(Value::Bool(false))
        }
    }
    let p = start().await;
    let board = tasks_board(&p).await;
    p.owner("boards.items.create", json!({"boardId": board, "name": "A"})).await.unwrap();
    p.ctx.provide_settings(Arc::new(Off));
    assert!(!p.ctx.setting(ACCOUNT, &crate::projectBoardsEnabled));
    assert_eq!(full_json(&p, &board).await["items"][0]["name"], "A");
    assert_eq!(p.owner("boards.list", json!({})).await.unwrap()["items"][0]["id"], board);
}
