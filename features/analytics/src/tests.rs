use crate::feature;
use crate::report::percentile;
use events::Actor;
use inbox_rows::NewRow;
use kit::clock::DAY_MS;
use kit::{Caller, Feature, InboxKind, Kind, Need, SettingsSource};
use serde_json::{Value, json};
use std::sync::Arc;
use store::{HasDb, Tx, params};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, refused};

static REQUEST: InboxKind = InboxKind::new("request", "Request", "info").asking(Need::Answer);
static PLAIN: InboxKind = InboxKind::new("plain", "Plain", "info");
static KINDS: &[&InboxKind] = &[&REQUEST, &PLAIN];

/// What must be in no statistic.
const CANARY: &str = "canary-7f3a";
const PHONE: &str = "+49 30 1234567";

async fn start() -> Program {
    Program::start(|| {
        let posting = Feature { inbox_kinds: KINDS, ..Feature::named("posting") };
        vec![posting, inbox::feature(), feature()]
    })
    .await
}

/// One setting that is off.
struct Off(&'static str);

impl SettingsSource for Off {
    fn stored(&self, _: &str, key: &str) -> Option<Value> {
        (key == self.0).then_some(Value::Bool(false))
    }
}

async fn post(program: &Program, kind: &'static InboxKind, key: &'static str) -> String {
    let ctx = program.ctx.clone();
    let write = move |tx: &mut Tx<'_>| {
        let by = Actor { kind: "program", member_id: None, session_id: None };
        let row = NewRow { key: Some(key), body: PHONE, session_id: Some(CANARY), ..NewRow::new(kind, CANARY, by) };
        inbox_rows::post(tx, &ctx, ACCOUNT, &row)
    };
    program.ctx.db().write(write).await.unwrap()
}

async fn settle(program: &Program, key: &'static str, outcome: &'static str) {
    let ctx = program.ctx.clone();
    program.ctx.db().write(move |tx| inbox_rows::settle(tx, &ctx, ACCOUNT, key, outcome)).await.unwrap();
}

async fn act(program: &Program, op: &str, row: &str) {
    program.owner(op, json!({"rowId": row})).await.unwrap();
}

/// What the table holds, with times since the start in seconds: kind, posted, looked, snoozed, ended, ending, open.
async fn stored(program: &Program) -> Vec<String> {
    let read = |tx: &mut Tx<'_>| {
        let sql = "SELECT kind, posted_ms, looked_ms, snoozed_ms, ended_ms, ending, open_seconds FROM inbox_stats \
                   WHERE account_id = $1 ORDER BY posted_ms, stat_id";
        tx.query(sql, params![ACCOUNT], |row| {
            let times = (1..5).map(|at| row.get::<i64>(at)).collect::<kit::Result<Vec<_>>>()?;
            let since = |ms: i64| if ms == 0 { "-".to_owned() } else { ((ms - testkit::START_MS) / 1_000).to_string() };
            let times: Vec<String> = times.into_iter().map(since).collect();
            Ok(format!(
                "{} {} {} {}",
                row.get::<String>(0)?,
                times.join(" "),
                row.get::<String>(5)?,
                row.get::<i64>(6)?
            ))
        })
    };
    program.ctx.db().read(read).await.unwrap()
}

/// Every text of both tables of statistics.
async fn texts(program: &Program, tables: &'static [&'static str]) -> String {
    let read = move |tx: &mut Tx<'_>| {
        let mut texts = String::new();
        for table in tables {
            let columns = match *table {
                "inbox_stats" => "account_id || ' ' || stat_id || ' ' || kind || ' ' || ending",
                _ => "account_id || ' ' || row_id || ' ' || stat_id",
            };
            let sql = format!("SELECT {columns} FROM {table} WHERE account_id <> ''");
            texts += &tx.query(&sql, &[], |row| row.get::<String>(0))?.join("\n");
        }
        Ok(texts)
    };
    program.ctx.db().read(read).await.unwrap()
}

#[tokio::test]
async fn each_action_is_recorded_with_its_time_and_nothing_else() {
    let program = start().await;
    let answered = post(&program, &REQUEST, "session:s:1").await;
    program.clock.advance_ms(10_000);
    let dismissed = post(&program, &PLAIN, "a").await;
    act(&program, "inbox.read", &dismissed).await;
    program.clock.advance_ms(10_000);
    act(&program, "inbox.read", &dismissed).await;
    act(&program, "inbox.dismiss", &dismissed).await;
    let snoozed = post(&program, &PLAIN, "b").await;
    program.owner("inbox.snooze", json!({"rowId": snoozed, "until": "in 1 hour"})).await.unwrap();
    program.owner("analytics.rowTime", json!({"rowId": answered, "seconds": 7})).await.unwrap();
    program.owner("analytics.rowTime", json!({"rowId": answered, "seconds": 5})).await.unwrap();
    settle(&program, "session:s:1", "allowed").await;
    program.clock.advance_ms(10_000);
    post(&program, &REQUEST, "session:s:2").await;
    settle(&program, "session:s:2", "withdrawn").await;
    let expected = [
        "request 0 20 - 20 answered 12",
        "plain 10 10 - 20 dismissed 0",
        "plain 20 - 20 -  0",
        "request 30 - - 30 resolved 0",
    ];
    assert_eq!(stored(&program).await, expected);
    let texts = texts(&program, &["inbox_stats"]).await;
    for secret in [CANARY, PHONE, "1234567", &answered, &dismissed, &snoozed] {
        assert!(!texts.contains(secret), "{secret} is in {texts}");
    }
}

#[tokio::test]
async fn a_row_that_is_over_is_led_to_by_nothing() {
    let program = start().await;
    let row = post(&program, &PLAIN, "a").await;
    assert!(texts(&program, &["inbox_stat_rows"]).await.contains(&row));
    act(&program, "inbox.dismiss", &row).await;
    assert_eq!(texts(&program, &["inbox_stat_rows"]).await, "");
    let late = program.owner("analytics.rowTime", json!({"rowId": row, "seconds": 7})).await.unwrap();
    assert_eq!(late, json!({"isRecorded": false}));
}

#[tokio::test]
async fn a_row_that_says_something_new_is_one_statistic() {
    let program = start().await;
    post(&program, &PLAIN, "a").await;
    program.clock.advance_ms(10_000);
    post(&program, &PLAIN, "a").await;
    assert_eq!(stored(&program).await, ["plain 0 - - -  0"]);
}

#[tokio::test]
async fn nothing_is_recorded_while_the_setting_is_off() {
    let program = start().await;
    let before = post(&program, &PLAIN, "a").await;
    program.ctx.provide_settings(Arc::new(Off("inboxAnalyticsEnabled")));
    let row = post(&program, &PLAIN, "b").await;
    act(&program, "inbox.read", &before).await;
    program.owner("analytics.rowTime", json!({"rowId": row, "seconds": 7})).await.unwrap();
    program.owner("analytics.rowTime", json!({"rowId": before, "seconds": 7})).await.unwrap();
    assert_eq!(stored(&program).await, ["plain 0 - - -  0"]);
    assert_eq!(program.owner("analytics.inbox", json!({})).await.unwrap()["isOn"], false);
    act(&program, "inbox.dismiss", &before).await;
    assert_eq!(stored(&program).await, [] as [&str; 0], "what would be open forever is deleted");
}

#[tokio::test]
async fn the_report_has_waits_by_kind_and_open_rows_by_day() {
    let program = start().await;
    for (key, wait_s) in [("a", 10), ("b", 20), ("c", 30), ("d", 1_000)] {
        let row = post(&program, &PLAIN, key).await;
        program.clock.advance_ms(wait_s * 1_000);
        act(&program, "inbox.dismiss", &row).await;
    }
    let looked = post(&program, &REQUEST, "session:s:1").await;
    act(&program, "inbox.read", &looked).await;
    program.clock.advance_ms(2 * DAY_MS);
    post(&program, &PLAIN, "e").await;
    let report = program.owner("analytics.inbox", json!({"days": 4})).await.unwrap();
    let expected = json!({
        "isOn": true,
        "kinds": [
            {"kind": "plain", "label": "Plain", "posted": 5, "handled": 4, "waitMedianSeconds": 20, "wait90Seconds": 1_000,
             "lookedOnly": 0, "openSeconds": 0},
            {"kind": "request", "label": "Request", "posted": 1, "handled": 0, "waitMedianSeconds": null,
             "wait90Seconds": null, "lookedOnly": 1, "openSeconds": 0},
        ],
        "pileUp": [
            {"day": "2026-02-28", "open": 0},
            {"day": "2026-03-01", "open": 1},
            {"day": "2026-03-02", "open": 1},
            {"day": "2026-03-03", "open": 2},
        ],
    });
    assert_eq!(report, expected);
    let today = program.owner("analytics.inbox", json!({"days": 1})).await.unwrap();
    assert_eq!(
        (&today["kinds"][0]["posted"], &today["pileUp"]),
        (&json!(1), &json!([{"day": "2026-03-03", "open": 2}]))
    );
    refused(program.owner("analytics.inbox", json!({"days": 91})).await, "invalid-input");
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "test");
    let other = program.as_caller(other, "analytics.inbox", json!({"days": 1})).await.unwrap();
    assert_eq!((&other["kinds"], &other["pileUp"][0]["open"]), (&json!([]), &json!(0)));
}

#[tokio::test]
async fn old_statistics_are_deleted() {
    let program = start().await;
    post(&program, &PLAIN, "a").await;
    program.clock.advance_ms(90 * DAY_MS + 1);
    program.do_chores().await;
    assert_eq!(stored(&program).await, [] as [&str; 0]);
    assert_eq!(texts(&program, &["inbox_stat_rows"]).await, "");
}

#[test]
fn a_percentile_is_one_of_the_values() {
    assert_eq!(percentile(&[], 50), None);
    assert_eq!((percentile(&[7], 50), percentile(&[7], 90)), (Some(7), Some(7)));
    let ten: Vec<i64> = (1..=10).collect();
    assert_eq!((percentile(&ten, 50), percentile(&ten, 90)), (Some(5), Some(9)));
}

/// Watches for some minutes, a report each.
async fn watch(program: &Program, minutes: i64) {
    for _ in 0..minutes / 5 {
        program.owner("analytics.watched", json!({"seconds": 300})).await.unwrap();
    }
}

/// The titles of open cards.
async fn cards(program: &Program) -> Vec<String> {
    program.do_chores().await;
    let rows = program.owner("inbox.list", json!({"kind": "recap"})).await.unwrap();
    rows["items"].as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn five_hours_in_seven_days_make_one_card() {
    let program = start().await;
    watch(&program, 295).await;
    assert_eq!(cards(&program).await, [] as [&str; 0], "5 minutes are missing");
    watch(&program, 5).await;
    assert_eq!(cards(&program).await, ["You watched agents for 5 hours in the last 7 days"]);
    let open = program.owner("inbox.list", json!({"kind": "recap"})).await.unwrap();
    act(&program, "inbox.dismiss", open["items"][0]["id"].as_str().unwrap()).await;
    program.clock.advance_ms(3 * DAY_MS);
    watch(&program, 600).await;
    program.clock.advance_ms(4 * DAY_MS - 1);
    assert_eq!(cards(&program).await, [] as [&str; 0], "7 days are not over");
    program.clock.advance_ms(1);
    assert_eq!(cards(&program).await, ["You watched agents for 10 hours in the last 7 days"]);
}

#[tokio::test]
async fn hours_of_longer_than_a_week_make_no_card() {
    let program = start().await;
    watch(&program, 240).await;
    program.clock.advance_ms(7 * DAY_MS);
    watch(&program, 240).await;
    assert_eq!(cards(&program).await, [] as [&str; 0]);
}

#[tokio::test]
async fn no_watching_is_recorded_and_no_card_made_while_a_setting_is_off() {
    for key in ["helpfulHintsEnabled", "watchingTimeRecapCardEnabled"] {
        let program = start().await;
        watch(&program, 300).await;
        program.ctx.provide_settings(Arc::new(Off(key)));
        assert_eq!(cards(&program).await, [] as [&str; 0], "{key}");
        let outcome = program.owner("analytics.watched", json!({"seconds": 60})).await.unwrap();
        assert_eq!(outcome, json!({"isRecorded": false}), "{key}");
    }
}

#[tokio::test]
async fn a_report_of_more_seconds_than_passed_is_rejected() {
    let program = start().await;
    refused(program.owner("analytics.watched", json!({"seconds": 301})).await, "invalid-input");
    refused(program.owner("analytics.watched", json!({"seconds": 0})).await, "invalid-input");
    let unknown = json!({"rowId": "unknown", "seconds": 1});
    refused(program.owner("analytics.rowTime", unknown).await, "not-found");
}
