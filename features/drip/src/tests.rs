//! Drips in a whole program. Tests start on Sunday 2026-03-01 at 12:00 UTC.

use crate::feature;
use kit::{Caller, Feature, Kind, SettingsSource};
use serde_json::{Value, json};
use std::sync::Arc;
use store::{HasDb, Tx, params};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

const HOUR_MS: i64 = 3_600_000;

struct Switches {
    is_on: bool,
    is_paused: bool,
}

impl SettingsSource for Switches {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        match key {
            "dripEnabled" => Some(json!(self.is_on)),
            "dripGlobalPause" => Some(json!(self.is_paused)),
            _ => None,
        }
    }
}

fn set(program: &Program, is_on: bool, is_paused: bool) {
    program.ctx.provide_settings(Arc::new(Switches { is_on, is_paused }));
}

async fn start() -> Program {
    Program::start(|| {
        let inbox = Feature {
            migrations: inbox_rows::MIGRATIONS,
            start: |ctx| {
                ctx.provide_settings(Arc::new(Switches { is_on: true, is_paused: false }));
                Box::pin(std::future::ready(Ok(())))
            },
            ..Feature::named("inbox")
        };
        vec![inbox, feature()]
    })
    .await
}

async fn ask(program: &Program, op: &str, input: Value) -> Value {
    program.owner(op, input).await.unwrap_or_else(|error| panic!("{op}: {error:?}"))
}

/// A queue with these items; its id.
async fn queue(program: &Program, cadence: Value, items: &[&str]) -> String {
    let mut input = json!({"name": "Reading"});
    input.as_object_mut().unwrap().extend(cadence.as_object().unwrap().clone());
    let id = ask(program, "drip.create", input).await["id"].as_str().unwrap().to_owned();
    for item in items {
        ask(program, "drip.items.add", json!({"queueId": id, "content": item})).await;
    }
    id
}

async fn get(program: &Program, id: &str) -> Value {
    ask(program, "drip.get", json!({"queueId": id})).await
}

async fn items(program: &Program, id: &str) -> Vec<Value> {
    ask(program, "drip.items.list", json!({"queueId": id})).await["items"].as_array().unwrap().clone()
}

async fn advance(program: &Program, ms: i64) {
    program.clock.advance_ms(ms);
    program.fire_timers().await;
}

async fn rows(program: &Program) -> Vec<String> {
    let read = |tx: &mut Tx<'_>| {
        let sql = "SELECT title FROM inbox_rows WHERE account_id = $1 ORDER BY row_id";
        tx.query(sql, params![ACCOUNT], |row| row.get(0))
    };
    program.ctx.db().read(read).await.unwrap()
}

#[tokio::test]
async fn each_tick_releases_one_item_in_order_once_across_restarts() {
    let program = start().await;
    let id =
        queue(&program, json!({"time": "09:00", "timeZone": "America/New_York"}), &["# One", "Two", "Three"]).await;
    assert_eq!(get(&program, &id).await["nextAt"], "2026-03-01T14:00:00.000Z");
    advance(&program, 2 * HOUR_MS - 1).await;
    assert!(rows(&program).await.is_empty());
    advance(&program, 1).await;
    assert_eq!(rows(&program).await, ["One"]);
    let program = program.crash().await;
    program.fire_timers().await;
    assert_eq!(rows(&program).await, ["One"]);
    advance(&program, 24 * HOUR_MS).await;
    let program = program.restart().await;
    program.fire_timers().await;
    assert_eq!(rows(&program).await, ["One", "Two"]);
    // Two days closed are one tick.
    program.clock.advance_ms(50 * HOUR_MS);
    let program = program.crash().await;
    program.fire_timers().await;
    assert_eq!(rows(&program).await, ["One", "Two", "Three"]);
    advance(&program, 48 * HOUR_MS).await;
    let queue = get(&program, &id).await;
    assert_eq!((&queue["waiting"], &queue["released"], rows(&program).await.len()), (&json!(0), &json!(3), 3));
}

#[tokio::test]
async fn while_paused_ticks_pass_and_afterwards_one_item_follows() {
    let program = start().await;
    let id = queue(&program, json!({"everyHours": 6}), &["One", "Two", "Three"]).await;
    set(&program, true, true);
    for next in ["2026-03-02T00:00:00.000Z", "2026-03-02T06:00:00.000Z", "2026-03-02T12:00:00.000Z"] {
        advance(&program, 6 * HOUR_MS).await;
        let queue = get(&program, &id).await;
        assert_eq!((&queue["nextAt"], &queue["released"]), (&json!(next), &json!(0)));
    }
    set(&program, true, false);
    program.fire_timers().await;
    assert!(rows(&program).await.is_empty());
    advance(&program, 6 * HOUR_MS).await;
    assert_eq!(rows(&program).await, ["One"]);
}

#[tokio::test]
async fn while_off_nothing_is_released_and_the_queue_is_kept() {
    let program = start().await;
    let id = queue(&program, json!({"time": "13:00", "days": ["sun", "mon"]}), &["One"]).await;
    set(&program, false, false);
    refused(program.owner("drip.list", json!({})).await, "drip-disabled");
    advance(&program, HOUR_MS).await;
    assert!(rows(&program).await.is_empty());
    set(&program, true, false);
    let queue = get(&program, &id).await;
    assert_eq!((&queue["waiting"], &queue["nextAt"]), (&json!(1), &json!("2026-03-02T13:00:00.000Z")));
    advance(&program, 24 * HOUR_MS).await;
    assert_eq!(rows(&program).await, ["One"]);
}

#[tokio::test]
async fn items_are_edited_reordered_skipped_and_released_by_hand() {
    let program = start().await;
    let id = queue(&program, json!({"everyHours": 1}), &["One", "Two", "Three", "Four"]).await;
    let ids: Vec<Value> = items(&program, &id).await.iter().map(|item| item["id"].clone()).collect();
    let of = |at: usize, more: Value| {
        let mut input = json!({"queueId": id, "itemId": ids[at]});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    ask(&program, "drip.items.reorder", of(3, json!({"before": ids[0]}))).await;
    ask(&program, "drip.items.reorder", of(0, json!({}))).await;
    ask(&program, "drip.items.skip", of(1, json!({}))).await;
    ask(&program, "drip.items.update", of(2, json!({"content": "<p>3</p>", "kind": "html", "title": "Page"}))).await;
    let titles: Vec<Value> = items(&program, &id).await.iter().map(|item| item["title"].clone()).collect();
    assert_eq!(titles, ["Four", "Two", "Page", "One"]);
    ask(&program, "drip.release", json!({"queueId": id})).await;
    ask(&program, "drip.release", of(0, json!({}))).await;
    advance(&program, HOUR_MS).await;
    assert_eq!(rows(&program).await, ["Four", "One", "Page"]);
    refused(program.owner("drip.items.update", of(3, json!({"title": "T"}))).await, "drip-released");
    refused(program.owner("drip.release", json!({"queueId": id})).await, "drip-empty");
    ask(&program, "drip.items.skip", of(1, json!({"skipped": false}))).await;
    ask(&program, "drip.items.delete", of(0, json!({}))).await;
    refused(program.owner("drip.items.get", of(0, json!({}))).await, "not-found");
    advance(&program, HOUR_MS).await;
    assert_eq!(rows(&program).await.last().unwrap(), "Two");
    let html = ask(&program, "drip.items.get", of(2, json!({}))).await;
    assert_eq!(
        (&html["kind"], &html["content"], &html["state"]),
        (&json!("html"), &json!("<p>3</p>"), &json!("released"))
    );
}

#[tokio::test]
async fn a_queue_is_paused_changed_deleted_and_restored() {
    let program = start().await;
    let id = queue(&program, json!({"everyHours": 2}), &["One"]).await;
    let one = |more: Value| {
        let mut input = json!({"queueId": id});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    assert_eq!(ask(&program, "drip.update", one(json!({"on": false}))).await["nextAt"], Value::Null);
    advance(&program, 10 * HOUR_MS).await;
    let daily = ask(&program, "drip.update", one(json!({"on": true, "time": "23:00", "name": "Night"}))).await;
    assert_eq!((&daily["nextAt"], &daily["everyHours"]), (&json!("2026-03-01T23:00:00.000Z"), &Value::Null));
    assert_eq!(daily["at"]["days"].as_array().unwrap().len(), 7);
    ask(&program, "drip.delete", one(json!({}))).await;
    advance(&program, 10 * HOUR_MS).await;
    assert!(rows(&program).await.is_empty());
    let restored = ask(&program, "drip.restore", one(json!({}))).await;
    assert_eq!((&restored["waiting"], &restored["nextAt"]), (&json!(1), &json!("2026-03-02T23:00:00.000Z")));
    for bad in [json!({"everyHours": 0}), json!({"everyHours": 2, "time": "09:00"}), json!({"timeZone": "Mars"})] {
        refused(program.owner("drip.update", one(bad)).await, "invalid-input");
    }
    refused(program.owner("drip.create", json!({"name": "N"})).await, "invalid-input");
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "test");
    refused(program.as_caller(other, "drip.release", one(json!({}))).await, "not-found");
    ask(&program, "drip.delete", one(json!({}))).await;
    program.clock.advance_ms(31 * 24 * HOUR_MS);
    program.do_chores().await;
    refused(program.owner("drip.restore", one(json!({}))).await, "not-found");
}
