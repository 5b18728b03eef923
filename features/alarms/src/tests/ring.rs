//! Alarms from their time to their end. Tests start on Sunday 2026-03-01 at 12:00 UTC.

use super::{MINUTE_MS, Place};
use crate::ring::review;
use events::{Event, HasEvents};
use serde_json::{Value, json};
use testkit::{OTHER_ACCOUNT, refused};

const HOUR_MS: i64 = 60 * MINUTE_MS;

#[tokio::test]
async fn a_one_time_alarm_rings_at_its_second_and_is_off_once_dismissed() {
    let place = Place::start().await;
    let id = place.create(json!({"time": "12:30", "label": "Tea"})).await;
    let alarm = place.get(&id).await;
    assert_eq!((&alarm["date"], &alarm["nextAt"]), (&json!("2026-03-01"), &json!("2026-03-01T12:30:00.000Z")));
    place.advance(30 * MINUTE_MS - 1).await;
    assert_eq!((place.state(&id).await.as_str(), place.played()), ("idle", 0));
    let mut events = place.program.ctx.events().listen(None).1;
    place.advance(1).await;
    assert_eq!((place.state(&id).await.as_str(), place.played()), ("ringing", 1));
    let told = std::iter::from_fn(|| events.try_recv().ok()).map(|numbered| numbered.event).collect::<Vec<_>>();
    assert!(told.contains(&Event::AlarmChanged { alarm_id: id.clone() }));
    let ringing = place.ask("alarms.list", json!({"state": "ringing"})).await;
    assert_eq!(ringing["items"][0]["id"], json!(id));
    let dismissed = place.ask("alarms.dismiss", json!({"alarmId": id})).await;
    assert_eq!((&dismissed["state"], &dismissed["on"]), (&json!("idle"), &json!(false)));
    assert_eq!(place.stopped(), 1);
    assert_eq!(place.ask("alarms.dismiss", json!({"alarmId": id})).await["state"], "idle", "two pages may dismiss it");
    place.advance(48 * HOUR_MS).await;
    assert_eq!((place.played(), place.rows().await.len()), (1, 0));
}

#[tokio::test]
async fn a_repeating_alarm_rings_on_its_days() {
    let place = Place::start().await;
    let id = place.create(json!({"time": "09:30", "days": ["mon", "wed"]})).await;
    for (after_ms, next) in [(21 * HOUR_MS + 30 * MINUTE_MS, "2026-03-04"), (48 * HOUR_MS, "2026-03-09")] {
        place.advance(after_ms).await;
        let alarm = place.get(&id).await;
        assert_eq!((&alarm["state"], &alarm["on"]), (&json!("ringing"), &json!(true)));
        assert_eq!(alarm["nextAt"], json!(format!("{next}T09:30:00.000Z")));
        place.ask("alarms.dismiss", json!({"alarmId": id})).await;
    }
    assert_eq!(place.played(), 2);
}

#[tokio::test]
async fn an_alarm_has_its_own_zone_and_keeps_its_wall_clock_time() {
    let place = Place::start().await;
    let id = place.create(json!({"time": "08:00", "days": ["sun"], "timeZone": "America/New_York"})).await;
    assert_eq!(place.get(&id).await["nextAt"], "2026-03-01T13:00:00.000Z");
    place.advance(HOUR_MS).await;
    // Clocks go forward on March 8.
    assert_eq!(place.get(&id).await["nextAt"], "2026-03-08T12:00:00.000Z");
}

#[tokio::test]
async fn a_snoozed_alarm_rings_again_as_often_as_it_allows() {
    let place = Place::start().await;
    let id = place.create(json!({"inMinutes": 1, "maxSnoozes": 2})).await;
    place.advance(MINUTE_MS).await;
    place.advance(1_234).await;
    let snoozed = place.ask("alarms.snooze", json!({"alarmId": id})).await;
    assert_eq!((&snoozed["state"], &snoozed["until"]), (&json!("snoozed"), &json!("2026-03-01T12:10:01.234Z")));
    refused(place.program.owner("alarms.snooze", json!({"alarmId": id})).await, "alarm-not-ringing");
    place.advance(9 * MINUTE_MS - 1).await;
    assert_eq!((place.state(&id).await.as_str(), place.stopped()), ("snoozed", 1));
    place.advance(1).await;
    assert_eq!((place.state(&id).await.as_str(), place.played()), ("ringing", 2));
    refused(place.program.owner("alarms.snooze", json!({"alarmId": id, "minutes": 10})).await, "invalid-input");
    place.ask("alarms.snooze", json!({"alarmId": id, "minutes": 5})).await;
    place.advance(5 * MINUTE_MS).await;
    let alarm = place.get(&id).await;
    assert_eq!(
        (&alarm["state"], &alarm["snoozes"], &alarm["canSnooze"]),
        (&json!("ringing"), &json!(2), &json!(false))
    );
    refused(place.program.owner("alarms.snooze", json!({"alarmId": id})).await, "no-snoozes-left");
    assert_eq!(place.state(&id).await, "ringing");
}

#[tokio::test]
async fn what_nobody_answers_ends_and_is_one_inbox_row() {
    let place = Place::start().await;
    place.set(&[("alarmsMaxRingingMinutes", json!(2))]);
    let id = place.create(json!({"time": "12:30", "label": "Tea"})).await;
    place.advance(30 * MINUTE_MS).await;
    place.advance(2 * MINUTE_MS - 1).await;
    assert_eq!((place.state(&id).await.as_str(), place.rows().await.len()), ("ringing", 0));
    place.advance(1).await;
    assert_eq!((place.state(&id).await.as_str(), place.stopped()), ("idle", 1));
    assert_eq!(place.rows().await, ["Missed alarm: Tea"]);
}

#[tokio::test]
async fn what_was_due_while_the_program_was_off_is_one_inbox_row() {
    let place = Place::start().await;
    let daily = json!({"time": "12:30", "days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "label": "Daily"});
    let id = place.create(daily).await;
    place.create(json!({"time": "12:31", "label": "Once"})).await;
    place.program.clock.advance_ms(3 * 24 * HOUR_MS);
    let place = Place::of(place.program.crash().await).await;
    place.advance(0).await;
    assert_eq!(place.rows().await, ["Missed alarm: Daily", "Missed alarm: Once"]);
    assert_eq!(place.played(), 0);
    let alarm = place.get(&id).await;
    assert_eq!((&alarm["state"], &alarm["nextAt"]), (&json!("idle"), &json!("2026-03-04T12:30:00.000Z")));
}

#[tokio::test]
async fn an_alarm_that_rings_while_the_program_restarts_goes_on() {
    let place = Place::start().await;
    let id = place.create(json!({"inMinutes": 1})).await;
    place.advance(MINUTE_MS).await;
    let place = Place::of(place.program.crash().await).await;
    assert_eq!((place.state(&id).await.as_str(), place.played()), ("ringing", 1));
    place.advance(5 * MINUTE_MS).await;
    assert_eq!(place.rows().await, ["Missed alarm: Alarm"]);
    // An alarm that came due a moment ago would still be ringing.
    let late = place.create(json!({"inMinutes": 1})).await;
    place.advance(4 * MINUTE_MS).await;
    assert_eq!(place.state(&late).await, "ringing");
}

#[tokio::test]
async fn focus_mode_holds_an_alarm_unless_alarms_pierce_it() {
    let place = Place::start().await;
    *place.focus.0.lock().unwrap() = Some(place.program.ctx.now_ms() + HOUR_MS);
    let pierces = place.create(json!({"inMinutes": 1})).await;
    place.advance(MINUTE_MS).await;
    assert_eq!(place.state(&pierces).await, "ringing");
    place.ask("alarms.dismiss", json!({"alarmId": pierces})).await;

    place.set(&[("alarmsPierceFocusMode", json!(false))]);
    let held = place.create(json!({"inMinutes": 1})).await;
    place.advance(MINUTE_MS).await;
    assert_eq!((place.state(&held).await.as_str(), place.played()), ("held", 1));
    place.advance(58 * MINUTE_MS - 1).await;
    assert_eq!(place.state(&held).await, "held");
    *place.focus.0.lock().unwrap() = None;
    place.advance(1).await;
    assert_eq!((place.state(&held).await.as_str(), place.played()), ("ringing", 2));
    place.ask("alarms.dismiss", json!({"alarmId": held})).await;

    *place.focus.0.lock().unwrap() = Some(1 << 53);
    let again = place.create(json!({"inMinutes": 1})).await;
    place.advance(20 * HOUR_MS).await;
    assert_eq!((place.state(&again).await.as_str(), place.rows().await.len()), ("idle", 1), "it was noticed too late");
    let again = place.create(json!({"inMinutes": 1})).await;
    place.advance(MINUTE_MS).await;
    place.advance(5 * HOUR_MS).await;
    let alarm = place.get(&again).await;
    assert_eq!((&alarm["state"], &alarm["until"]), (&json!("held"), &Value::Null));
    // The end of Focus Mode is an event that the feature follows.
    *place.focus.0.lock().unwrap() = None;
    place.program.ctx.events().emit(Some(testkit::ACCOUNT), Event::FocusChanged);
    while place.state(&again).await != "ringing" {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn while_alarms_are_off_nothing_fires_and_nothing_is_made_up_for() {
    let place = Place::start().await;
    let id = place.create(json!({"time": "12:30", "days": ["sun", "mon"]})).await;
    let once = place.create(json!({"time": "12:30"})).await;
    let snoozed = place.create(json!({"inMinutes": 1})).await;
    place.advance(MINUTE_MS).await;
    place.ask("alarms.snooze", json!({"alarmId": snoozed, "minutes": 30})).await;
    let ringing = place.create(json!({"inMinutes": 1})).await;
    place.advance(MINUTE_MS).await;
    let (played, off) = (place.played(), [("alarmsEnabled", json!(false))]);
    place.set(&off);
    review(&place.program.ctx).await.unwrap();
    assert_eq!((place.state(&ringing).await.as_str(), place.stopped()), ("idle", played), "it stops at once");
    place.advance(2 * HOUR_MS).await;
    assert_eq!((place.played(), place.rows().await.len()), (played, 0));
    for op in ["alarms.create", "alarms.ring"] {
        let input = if op == "alarms.ring" { json!({"alarmId": id}) } else { json!({"time": "10:00"}) };
        refused(place.program.owner(op, input).await, "alarms-disabled");
    }
    assert_eq!(place.ask("alarms.list", json!({})).await["items"].as_array().unwrap().len(), 4, "definitions stay");
    place.set(&[]);
    review(&place.program.ctx).await.unwrap();
    place.advance(0).await;
    assert_eq!(place.played(), played);
    assert_eq!(place.get(&once).await["on"], false);
    assert_eq!(place.get(&id).await["nextAt"], "2026-03-02T12:30:00.000Z");
    place.advance(24 * HOUR_MS - 92 * MINUTE_MS).await;
    assert_eq!((place.state(&id).await.as_str(), place.played()), ("ringing", played + 1));
}

#[tokio::test]
async fn an_alarm_is_edited_turned_off_and_on_and_deleted() {
    let place = Place::start().await;
    let id = place.create(json!({"time": "12:30"})).await;
    let change = async |input: Value| {
        let mut whole = json!({"alarmId": id});
        whole.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
        place.ask("alarms.update", whole).await
    };
    let moved = change(json!({"time": "13:00", "label": "Lunch", "soundPlayMode": "once"})).await;
    assert_eq!((&moved["nextAt"], &moved["label"]), (&json!("2026-03-01T13:00:00.000Z"), &json!("Lunch")));
    let off = change(json!({"on": false})).await;
    assert_eq!((&off["on"], &off["nextAt"]), (&json!(false), &Value::Null));
    place.advance(2 * HOUR_MS).await;
    assert_eq!(place.played(), 0);
    let on = change(json!({"on": true})).await;
    assert_eq!((&on["on"], &on["nextAt"]), (&json!(true), &json!("2026-03-02T13:00:00.000Z")));
    let repeating = change(json!({"days": ["sat", "sun"], "timeZone": "Asia/Tokyo"})).await;
    assert_eq!((&repeating["date"], &repeating["nextAt"]), (&Value::Null, &json!("2026-03-07T04:00:00.000Z")));
    let once = change(json!({"days": []})).await;
    assert_eq!((&once["days"], &once["date"]), (&json!([]), &json!("2026-03-02")));
    place.ask("alarms.ring", json!({"alarmId": id})).await;
    assert_eq!((place.played(), place.stopped()), (1, 0));
    place.ask("alarms.delete", json!({"alarmId": id})).await;
    assert_eq!(place.stopped(), 1);
    refused(place.program.owner("alarms.get", json!({"alarmId": id})).await, "not-found");
    place.advance(72 * HOUR_MS).await;
    assert_eq!((place.played(), place.rows().await.len()), (1, 0));
}

#[tokio::test]
async fn what_makes_no_alarm_is_rejected_and_says_why() {
    let place = Place::start().await;
    for (input, pointer) in [
        (json!({}), "/time"),
        (json!({"time": "25:00"}), "/time"),
        (json!({"time": "7"}), "/time"),
        (json!({"time": "07:00", "date": "2026-02-30"}), "/date"),
        (json!({"time": "07:00", "date": "2026-02-28"}), "/date"),
        (json!({"time": "07:00", "date": "2026-05-01", "days": ["mon"]}), "/date"),
        (json!({"time": "07:00", "timeZone": "Mars/Base"}), "/timeZone"),
        (json!({"time": "07:00", "text": "at 7"}), "/text"),
        (json!({"time": "07:00", "inMinutes": 5}), "/inMinutes"),
        (json!({"inMinutes": 0}), "/inMinutes"),
        (json!({"time": "07:00", "maxSnoozes": 21}), "/maxSnoozes"),
        (json!({"time": "07:00", "snoozeMinutes": 10}), "/snoozeMinutes"),
        (json!({"time": "07:00", "sound": "x".repeat(201)}), "/sound"),
        (json!({"time": "07:00", "soundDurationSeconds": 301}), "/soundDurationSeconds"),
        (json!({"time": "07:00", "soundFadeInSeconds": -1}), "/soundFadeInSeconds"),
        (json!({"time": "07:00", "label": "a\u{1b}b"}), "/label"),
        (json!({"text": "today at 7"}), "/text"),
    ] {
        let error = refused(place.program.owner("alarms.create", input.clone()).await, "invalid-input");
        assert_eq!(error.fields()[0].pointer, pointer, "{input}");
    }
    let error =
        refused(place.program.owner("alarms.create", json!({"text": "when pigs fly"})).await, "alarm-not-understood");
    for field in ["time", "date", "days", "timeZone"] {
        assert!(error.detail().contains(field), "{}", error.detail());
    }
}

#[tokio::test]
async fn another_account_sees_none_of_it() {
    let place = Place::start().await;
    let id = place.create(json!({"time": "12:30"})).await;
    let other = || kit::Caller::new(kit::Kind::Owner, OTHER_ACCOUNT, "test");
    let listed = place.program.as_caller(other(), "alarms.list", json!({})).await.unwrap();
    assert_eq!(listed["items"], json!([]));
    for op in ["alarms.get", "alarms.ring", "alarms.snooze", "alarms.dismiss", "alarms.delete"] {
        refused(place.program.as_caller(other(), op, json!({"alarmId": id})).await, "not-found");
    }
}
