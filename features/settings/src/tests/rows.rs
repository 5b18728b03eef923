//! What no row of the specification uses yet: rows open to sessions, and rows with an earlier name.

use super::{first_account, set};
use crate::feature;
use kit::setting::{int, toggle};
use kit::{Caller, Feature, Kind};
use serde_json::json;
use store::{HasDb, params};
use testkit::{ACCOUNT, Program, refused};

kit::settings! {
    "Test" / "rows" {
        /// Sessions may write it.
        openRow: bool = toggle(false).agents_may_write();
        /// It was called otherwise.
        newName: i64 = int(0..=10, 5).was("oldName");
    }
}

fn features() -> Vec<Feature> {
    let rows = Feature { settings: ALL.to_vec(), ..Feature::named("rows") };
    vec![first_account(), feature(), rows]
}

#[tokio::test]
async fn a_session_writes_what_is_open_to_it() {
    let program = Program::start(features).await;
    let agent = || Caller { scopes: vec!["settings:write".into()], ..Caller::new(Kind::Agent, ACCOUNT, "t") };
    let changed = program.as_caller(agent(), "settings.set", json!({"key": "openRow", "value": true})).await.unwrap();
    assert_eq!(
        (&changed["value"], &changed["writableBy"], &changed["effect"]["active"]),
        (&json!(true), &json!(["owner", "cli", "agent"]), &json!(true))
    );
    assert!(program.ctx.setting(ACCOUNT, &openRow), "product code reads what was set");
    let list = program.owner("settings.list", json!({"agentWritable": true})).await.unwrap();
    assert_eq!(list["settings"].as_array().unwrap().len(), 1);
    let without = Caller { scopes: vec!["settings:read".into()], ..agent() };
    let input = json!({"key": "openRow", "value": false});
    refused(program.as_caller(without, "settings.set", input).await, "scope-missing");
}

#[tokio::test]
async fn what_was_stored_under_an_earlier_name_is_read_and_moves_with_the_next_change() {
    let program = Program::start(features).await;
    let insert = "INSERT INTO settings (account_id, key, value_json, revision, set_ms, actor) VALUES ($1, 'oldName', '7', 1, 0, 'owner')";
    program.ctx.db().write(move |tx| tx.execute(insert, params![ACCOUNT])).await.unwrap();
    let program = program.restart().await;
    assert_eq!(program.ctx.setting(ACCOUNT, &newName), 7);
    let list = program.owner("settings.list", json!({"q": "newName"})).await.unwrap();
    assert_eq!((&list["settings"][0]["value"], list.get("unknownStored")), (&json!(7), None));
    let exported = program.owner("settings.export", json!({})).await.unwrap();
    assert_eq!(exported["settings"], json!({"newName": 7}));
    refused(program.owner("settings.get", json!({"key": "oldName"})).await, "unknown-setting");
    let changed = set(&program, "newName", json!(8)).await.unwrap();
    assert_eq!(changed["previous"], 7);
    let db = program.ctx.db();
    let keys = db.read(|tx| tx.query("SELECT key FROM settings", params![], |row| row.get::<String>(0)));
    assert_eq!(keys.await.unwrap(), ["newName"]);
    program.owner("settings.reset", json!({"key": "newName"})).await.unwrap();
    assert_eq!(program.ctx.setting(ACCOUNT, &newName), 5, "the value under the earlier name does not come back");
    assert_eq!(program.restart().await.ctx.setting(ACCOUNT, &newName), 5);
}
