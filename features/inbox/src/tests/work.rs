//! Working with rows: snooze, reminders, bulk dismissal, filters.

use super::*;
use inbox_rows::FollowRows;
use std::sync::Mutex;
use store::Tx;

const HOUR_MS: i64 = 3_600_000;

fn id(row: &Value) -> Value {
    json!({"rowId": row["id"]})
}

async fn owner_alert(program: &Program, input: Value) -> Value {
    program.owner("inbox.alert", input).await.expect("an alert")
}

async fn snooze(program: &Program, row: &Value, until: &str) -> Value {
    program.owner("inbox.snooze", json!({"rowId": row["id"], "until": until})).await.expect("snoozed")
}

async fn counts(program: &Program) -> (i64, i64, i64) {
    let count = program.owner("inbox.count", json!({})).await.unwrap();
    let number = |name: &str| count[name].as_i64().unwrap();
    (number("open"), number("unread"), number("snoozed"))
}

/// Posts a row as another feature does; its id.
async fn post(program: &Program, kind: &'static InboxKind, key: &'static str, title: &'static str) -> Value {
    let ctx = program.ctx.clone();
    let by = events::Actor { kind: "program", member_id: None, session_id: None };
    let write = move |tx: &mut Tx<'_>| {
        let row = NewRow {
            key: Some(key),
            session_id: Some("s1"),
            project_id: Some("h1"),
            board_id: Some("b1"),
            ..NewRow::new(kind, title, by)
        };
        inbox_rows::post(tx, &ctx, ACCOUNT, &row)
    };
    json!({"id": program.ctx.db().write(write).await.unwrap()})
}

async fn settle(program: &Program, key: &'static str) {
    let ctx = program.ctx.clone();
    program.ctx.db().write(move |tx| inbox_rows::settle(tx, &ctx, ACCOUNT, key, "allowed").map(drop)).await.unwrap();
}

/// Notes who is notified.
#[derive(Default)]
struct Noted(Arc<Mutex<Vec<String>>>);

impl FollowRows for Noted {
    fn posted(&self, _: &mut Tx<'_>, _: &Ctx, _: &str, _: &str, row: &NewRow<'_>) -> kit::Result<()> {
        let places = [row.session_id, row.project_id, row.board_id].map(Option::unwrap_or_default).join("/");
        self.0.lock().unwrap().push(format!("{} {} {places}", row.kind.name, row.title));
        Ok(())
    }
    fn settled(&self, _: &mut Tx<'_>, _: &Ctx, _: &str, _: &str) -> kit::Result<()> {
        self.0.lock().unwrap().push("withdrawn".to_owned());
        Ok(())
    }
    fn snoozed(&self, _: &mut Tx<'_>, _: &Ctx, _: &str, _: &str) -> kit::Result<()> {
        self.0.lock().unwrap().push("snoozed".to_owned());
        Ok(())
    }
    fn looked(&self, _: &mut Tx<'_>, _: &Ctx, _: &str, _: &str) -> kit::Result<()> {
        self.0.lock().unwrap().push("looked".to_owned());
        Ok(())
    }
}

#[tokio::test]
async fn a_snoozed_row_comes_back_on_top_unread_and_is_notified_again() {
    let program = start().await;
    let noted = Noted::default();
    let told = noted.0.clone();
    inbox_rows::follow(&program.ctx, Arc::new(noted));
    let row = owner_alert(&program, json!({"title": "first"})).await;
    owner_alert(&program, json!({"title": "second"})).await;
    let snoozed = snooze(&program, &row, "in 2 hours").await;
    assert_eq!((&snoozed["state"], counts(&program).await), (&json!("snoozed"), (1, 1, 1)));
    assert_eq!(titles(&program, owner(), json!({})).await, ["second"]);
    assert_eq!(titles(&program, owner(), json!({"state": "snoozed"})).await, ["first"]);
    let program = program.restart().await;
    inbox_rows::follow(&program.ctx, Arc::new(Noted(told.clone())));
    program.clock.advance_ms(2 * HOUR_MS - 1);
    program.fire_timers().await;
    assert_eq!(titles(&program, owner(), json!({})).await, ["second"], "not yet");
    program.clock.advance_ms(1);
    program.fire_timers().await;
    assert_eq!(titles(&program, owner(), json!({})).await, ["first", "second"]);
    let row = program.owner("inbox.get", id(&row)).await.unwrap();
    assert_eq!((&row["read"], &row["snoozedUntil"], &row["state"]), (&json!(false), &Value::Null, &json!("open")));
    let told = told.lock().unwrap();
    assert_eq!(*told, ["alert first //", "alert second //", "snoozed", "alert first //"]);
}

#[tokio::test]
async fn a_row_that_is_answered_dismissed_or_put_back_meanwhile_does_not_come_back() {
    let program = start().await;
    let asked = post(&program, &REQUEST, "session:s1:1", "May I?").await;
    let other = owner_alert(&program, json!({"title": "other"})).await;
    let back = owner_alert(&program, json!({"title": "back"})).await;
    for row in [&asked, &other, &back] {
        snooze(&program, row, "1 hour").await;
    }
    let row = program.owner("inbox.get", id(&asked)).await.unwrap();
    assert_eq!((&row["waits"], &row["askId"]), (&json!(true), &json!("1")), "it's answered while it's snoozed");
    settle(&program, "session:s1:1").await;
    program.owner("inbox.dismiss", id(&other)).await.unwrap();
    program.owner("inbox.unsnooze", id(&back)).await.unwrap();
    program.owner("inbox.read", id(&back)).await.unwrap();
    refused(program.owner("inbox.unsnooze", id(&back)).await, "conflict");
    program.clock.advance_ms(HOUR_MS);
    program.fire_timers().await;
    assert_eq!(
        (titles(&program, owner(), json!({})).await, counts(&program).await),
        (vec!["back".to_owned()], (1, 0, 0))
    );
    assert_eq!(program.owner("inbox.get", id(&asked)).await.unwrap()["state"], "settled");
    for op in ["inbox.snooze", "inbox.followUp"] {
        let input = json!({"rowId": asked["id"], if op == "inbox.snooze" { "until" } else { "at" }: "1 hour"});
        refused(program.owner(op, input).await, "not-open");
    }
}

#[tokio::test]
async fn snoozing_again_moves_the_time_and_a_restored_row_is_not_snoozed() {
    let program = start().await;
    let row = owner_alert(&program, json!({"title": "x"})).await;
    snooze(&program, &row, "1 hour").await;
    snooze(&program, &row, "3 hours").await;
    program.clock.advance_ms(2 * HOUR_MS);
    program.fire_timers().await;
    assert_eq!(counts(&program).await, (0, 0, 1), "the first time no longer counts");
    program.owner("inbox.dismiss", id(&row)).await.unwrap();
    program.owner("inbox.restore", id(&row)).await.unwrap();
    program.owner("inbox.read", id(&row)).await.unwrap();
    program.clock.advance_ms(2 * HOUR_MS);
    program.fire_timers().await;
    assert_eq!(counts(&program).await, (1, 0, 0), "the second time went with the dismissal");
}

#[tokio::test]
async fn what_repeats_itself_stays_snoozed_and_what_becomes_urgent_does_not() {
    let program = start().await;
    let say = async |severity: &str| {
        owner_alert(&program, json!({"title": severity, "key": "disk", "severity": severity})).await
    };
    let row = say("warning").await;
    snooze(&program, &row, "tomorrow").await;
    assert_eq!((&say("warning").await["id"], counts(&program).await), (&row["id"], (0, 0, 1)), "one row per thing");
    say("critical").await;
    assert_eq!(
        (titles(&program, owner(), json!({})).await, counts(&program).await.2),
        (vec!["critical".to_owned()], 0)
    );
    let need = post(&program, &ATTENTION, "session:s1", "Stuck").await;
    snooze(&program, &need, "tomorrow").await;
    post(&program, &ATTENTION, "session:s1", "Failed").await;
    assert_eq!(titles(&program, owner(), json!({})).await, ["Failed", "critical"], "what needs you ends a snooze");
}

#[tokio::test]
async fn a_snoozed_request_leaves_the_queue_of_what_needs_you() {
    let program = start().await;
    let asked = post(&program, &REQUEST, "session:s1:1", "May I?").await;
    let queue = async || program.ctx.db().read(|tx| inbox_rows::open_needs(tx, ACCOUNT)).await.unwrap().len();
    assert_eq!(queue().await, 1);
    snooze(&program, &asked, "1 hour").await;
    assert_eq!(queue().await, 0);
    program.clock.advance_ms(HOUR_MS);
    program.fire_timers().await;
    assert_eq!(queue().await, 1);
}

#[tokio::test]
async fn times_that_are_none_past_or_too_far_are_refused_with_examples() {
    let program = start().await;
    let row = owner_alert(&program, json!({"title": "x"})).await;
    for (until, fault) in [
        ("soon", "not-a-time"),
        ("", "not-a-time"),
        ("2 hours ago", "out-of-range"),
        ("in 400 days", "out-of-range"),
        ("\u{1b}[2J", "not-a-time"),
    ] {
        let told =
            refused(program.owner("inbox.snooze", json!({"rowId": row["id"], "until": until})).await, "invalid-input");
        assert_eq!((told.fields()[0].pointer.as_str(), told.fields()[0].code.name()), ("/until", fault), "{until:?}");
    }
    assert_eq!(counts(&program).await.2, 0);
}

#[tokio::test]
async fn a_reminder_leaves_the_row_in_place_and_reminds_once_unless_it_is_over() {
    let program = start().await;
    let first = owner_alert(&program, json!({"title": "first"})).await;
    let over = owner_alert(&program, json!({"title": "over"})).await;
    let canceled = owner_alert(&program, json!({"title": "canceled"})).await;
    for row in [&first, &over, &canceled] {
        let row = program.owner("inbox.followUp", json!({"rowId": row["id"], "at": "1 hour"})).await.unwrap();
        assert!(row["followUpAt"].is_string() && row["state"] == "open", "{row}");
        program.owner("inbox.read", id(&row)).await.unwrap();
    }
    program.owner("inbox.dismiss", id(&over)).await.unwrap();
    assert_eq!(program.owner("inbox.followUp", id(&canceled)).await.unwrap()["followUpAt"], Value::Null);
    program.clock.advance_ms(HOUR_MS);
    program.fire_timers().await;
    assert_eq!(titles(&program, owner(), json!({})).await, ["first", "canceled"]);
    assert_eq!(titles(&program, owner(), json!({"unread": true})).await, ["first"]);
    assert_eq!(program.owner("inbox.get", id(&first)).await.unwrap()["followUpAt"], Value::Null);
}

#[tokio::test]
async fn a_bulk_dismissal_leaves_what_waits_and_is_undone_as_a_whole() {
    let program = start().await;
    post(&program, &REQUEST, "session:s1:1", "May I?").await;
    for n in 0..3 {
        owner_alert(&program, json!({"title": format!("{n}"), "key": format!("k{n}")})).await;
    }
    let done = program.owner("inbox.dismissAll", json!({"match": {}})).await.unwrap();
    assert_eq!((&done["dismissed"], &done["waiting"]), (&json!(3), &json!(1)));
    assert_eq!(titles(&program, owner(), json!({})).await, ["May I?"]);
    owner_alert(&program, json!({"title": "1 again", "key": "k1"})).await;
    let undo = json!({"batchId": done["batchId"]});
    assert_eq!(program.owner("inbox.restoreAll", undo.clone()).await.unwrap(), json!({"restored": 2, "skipped": 1}));
    assert_eq!(titles(&program, owner(), json!({})).await, ["1 again", "2", "0", "May I?"]);
    assert_eq!(program.owner("inbox.restoreAll", undo.clone()).await.unwrap(), json!({"restored": 0, "skipped": 1}));
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    refused(program.as_caller(other, "inbox.restoreAll", undo).await, "not-found");
    refused(program.owner("inbox.restoreAll", json!({"batchId": ""})).await, "not-found");
}

#[tokio::test]
async fn a_bulk_dismissal_takes_only_the_accounts_rows_that_were_seen() {
    let program = start().await;
    let rows = [0, 1].map(|n| json!({"title": format!("{n}")}));
    let (first, second) = (owner_alert(&program, rows[0].clone()).await, owner_alert(&program, rows[1].clone()).await);
    let other = || Caller::new(Kind::Owner, OTHER_ACCOUNT, "o");
    let ids = json!({"rowIds": [first["id"], "unknown", first["id"]]});
    let of_other = program.as_caller(other(), "inbox.dismissAll", ids.clone()).await.unwrap();
    let none = json!({"batchId": null, "dismissed": 0, "waiting": 0});
    assert_eq!(of_other, none, "another account's rows are unknown");
    assert_eq!(program.owner("inbox.dismissAll", ids).await.unwrap()["dismissed"], 1);
    program.clock.advance_ms(10);
    owner_alert(&program, json!({"title": "came meanwhile"})).await;
    let seen = json!({"match": {}, "seenAt": second["changedAt"]});
    assert_eq!(program.owner("inbox.dismissAll", seen).await.unwrap()["dismissed"], 1);
    assert_eq!(titles(&program, owner(), json!({})).await, ["came meanwhile"]);
    for bad in [json!({}), json!({"rowIds": []}), json!({"rowIds": vec!["x"; 1_001]})] {
        refused(program.owner("inbox.dismissAll", bad).await, "invalid-input");
    }
    refused(program.as_caller(agent("s1"), "inbox.dismissAll", json!({"match": {}})).await, "forbidden-caller");
}

#[tokio::test]
async fn rows_are_found_by_hub_board_session_severity_and_words() {
    let program = start().await;
    post(&program, &ATTENTION, "session:s1", "Stuck").await;
    owner_alert(&program, json!({"title": "100% Full", "body": "under_score\\", "severity": "critical"})).await;
    let read = owner_alert(&program, json!({"title": "other", "body": "ÄRGER"})).await;
    program.owner("inbox.read", id(&read)).await.unwrap();
    for (filter, expected) in [
        (json!({"projectId": "h1"}), vec!["Stuck"]),
        (json!({"projectId": ""}), vec!["other", "100% Full"]),
        (json!({"projectId": "unknown"}), vec![]),
        (json!({"boardId": "b1"}), vec!["Stuck"]),
        (json!({"sessionId": "s1"}), vec!["Stuck"]),
        (json!({"severity": "critical"}), vec!["100% Full"]),
        (json!({"unread": true}), vec!["100% Full", "Stuck"]),
        (json!({"needsYou": true}), vec!["Stuck"]),
        (json!({"q": "full"}), vec!["100% Full"]),
        (json!({"q": "0% f"}), vec!["100% Full"]),
        (json!({"q": "%"}), vec!["100% Full"]),
        (json!({"q": "_"}), vec!["100% Full"]),
        (json!({"q": "\\"}), vec!["100% Full"]),
        (json!({"q": "' OR 1=1 --"}), vec![]),
        (json!({"q": "ÄrgeR"}), vec!["other"]),
        (json!({"q": " "}), vec!["other", "100% Full", "Stuck"]),
        (json!({"skip": 1, "limit": 1}), vec!["100% Full"]),
        (json!({"skip": 9}), vec![]),
    ] {
        assert_eq!(titles(&program, owner(), filter.clone()).await, expected, "{filter}");
    }
    refused(program.owner("inbox.list", json!({"q": "x".repeat(201)})).await, "invalid-input");
    refused(program.owner("inbox.list", json!({"skip": -1})).await, "invalid-input");
    assert_eq!(titles(&program, agent("s2"), json!({"sessionId": "s1"})).await, Vec::<String>::new());
}

#[tokio::test]
async fn groups_count_rows_by_hub_and_board_the_newest_first() {
    let program = start().await;
    assert_eq!(program.owner("inbox.groups", json!({})).await.unwrap()["items"], json!([]));
    post(&program, &ATTENTION, "a", "1").await;
    owner_alert(&program, json!({"title": "2"})).await;
    let read = owner_alert(&program, json!({"title": "3"})).await;
    program.owner("inbox.read", id(&read)).await.unwrap();
    let groups = async |input: Value| program.owner("inbox.groups", input).await.unwrap()["items"].clone();
    let (none, hub) = (json!({"id": "", "rows": 2, "unread": 1}), json!({"id": "h1", "rows": 1, "unread": 1}));
    assert_eq!(groups(json!({"by": "hub"})).await, json!([none, hub]));
    assert_eq!(groups(json!({})).await, json!([{"id": "", "rows": 3, "unread": 2}]));
    post(&program, &ATTENTION, "b", "4").await;
    assert_eq!(groups(json!({"by": "board", "unread": true})).await[0], json!({"id": "b1", "rows": 2, "unread": 2}));
    assert_eq!(groups(json!({"by": "hub", "projectId": ""})).await, json!([none]));
}

#[tokio::test]
async fn a_notification_snoozes_its_row_until_it_is_over() {
    let program = start().await;
    let row = owner_alert(&program, json!({"title": "x"})).await;
    let snoozes = program.ctx.service::<kit::lookup::RowSnoozes>();
    let row_id = row["id"].as_str().unwrap();
    snoozes.0.snooze(ACCOUNT, row_id, HOUR_MS).await.unwrap();
    assert_eq!(counts(&program).await, (0, 0, 1));
    program.clock.advance_ms(HOUR_MS);
    program.fire_timers().await;
    assert_eq!(counts(&program).await, (1, 1, 0));
    program.owner("inbox.dismiss", id(&row)).await.unwrap();
    refused(snoozes.0.snooze(ACCOUNT, row_id, HOUR_MS).await, "not-open");
    refused(snoozes.0.snooze(testkit::OTHER_ACCOUNT, row_id, HOUR_MS).await, "not-found");
}
