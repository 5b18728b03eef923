//! What new alarms get from settings, and how they sound.

use super::{MINUTE_MS, Place};
use serde_json::json;
use sound::{Playback, Problem};
use testkit::refused;

#[tokio::test]
async fn a_new_alarm_gets_the_defaults_of_settings() {
    let place = Place::start().await;
    assert_eq!(place.ask("alarms.sounds", json!({})).await["sounds"][0], "chime");
    place.create(json!({"inMinutes": 1, "label": "Tea"})).await;
    place.advance(MINUTE_MS).await;
    let plain = Playback { sound: "chime".into(), fade_in_s: 0, duration_s: Some(30), plays_once: false, speech: None };
    assert_eq!(*place.heard.played.lock().unwrap(), std::slice::from_ref(&plain));
    place.set(&[
        ("alarmsDefaultMaxSnoozes", json!(0)),
        ("alarmsDefaultSnoozeMinutes", json!(15)),
        ("alarmsDefaultSound", json!("bell")),
        ("alarmsDefaultSoundDurationSeconds", json!(-1)),
        ("alarmsDefaultSoundFadeInSeconds", json!(20)),
        ("alarmsDefaultSoundPlayMode", json!("once")),
        ("alarmsDefaultSpeakLabel", json!(true)),
    ]);
    let id = place.create(json!({"inMinutes": 1})).await;
    place.create(json!({"inMinutes": 2, "label": "Tea", "soundDurationSeconds": 0, "speakLabel": false})).await;
    place.advance(MINUTE_MS).await;
    let alarm = place.get(&id).await;
    assert_eq!(
        (&alarm["maxSnoozes"], &alarm["snoozeMinutes"], &alarm["canSnooze"]),
        (&json!(0), &json!(15), &json!(false))
    );
    refused(place.program.owner("alarms.snooze", json!({"alarmId": id})).await, "no-snoozes-left");
    place.advance(MINUTE_MS).await;
    let spoken = Playback {
        sound: "bell".into(),
        fade_in_s: 20,
        duration_s: None,
        plays_once: true,
        speech: Some("Alarm".into()),
    };
    let silent = Playback { duration_s: Some(0), speech: None, ..spoken.clone() };
    assert_eq!(place.heard.played.lock().unwrap()[1..], [spoken, silent]);
    assert_eq!(place.stopped(), 2, "only one alarm is heard");
}

#[tokio::test]
async fn snoozes_without_a_limit() {
    let place = Place::start().await;
    place.set(&[("alarmsDefaultMaxSnoozes", json!(-1))]);
    let id = place.create(json!({"inMinutes": 1})).await;
    place.advance(MINUTE_MS).await;
    for _ in 0..30 {
        place.ask("alarms.snooze", json!({"alarmId": id, "minutes": 30})).await;
        place.advance(30 * MINUTE_MS).await;
    }
    assert_eq!(place.get(&id).await["canSnooze"], true);
}

#[tokio::test]
async fn a_silent_banner_and_no_other_way_is_silent() {
    let place = Place::start().await;
    for (way, played) in [("modal", 1), ("banner", 2), ("silent-banner", 2)] {
        place.set(&[("alarmsAssertiveness", json!(way)), ("alarmsDefaultSpeakLabel", json!(true))]);
        let id = place.create(json!({"inMinutes": 1})).await;
        place.advance(MINUTE_MS).await;
        assert_eq!((place.state(&id).await.as_str(), place.played()), ("ringing", played), "{way}");
    }
}

#[tokio::test]
async fn a_missing_player_is_reported_once_and_the_alarm_still_rings() {
    let place = Place::start().await;
    for (problem, title, install) in [
        (Problem::NoPlayer, "Couldn't play alarm sound", "pulseaudio-utils"),
        (Problem::NoSpeech, "Couldn't read alarm name aloud", "espeak-ng"),
    ] {
        *place.heard.fails.lock().unwrap() = Some(problem);
        for _ in 0..2 {
            let id = place.create(json!({"inMinutes": 1})).await;
            place.advance(MINUTE_MS).await;
            assert_eq!(place.state(&id).await, "ringing");
            place.ask("alarms.dismiss", json!({"alarmId": id})).await;
            while !place.rows().await.contains(&title.to_owned()) {
                tokio::task::yield_now().await;
            }
        }
        assert_eq!(place.rows().await.iter().filter(|row| *row == title).count(), 1, "{install}");
    }
}

#[tokio::test]
async fn the_local_grammar_works_without_a_model_whatever_the_cap() {
    let place = Place::start().await;
    for cap in [0.0, 0.25] {
        place.set(&[("alarmNlpDailyCostCap", json!(cap))]);
        let read = place.ask("alarms.understand", json!({"text": "tomorrow at noon in Tokyo"})).await;
        assert_eq!(
            read,
            json!({"label": "", "time": "12:00", "date": "2026-03-02", "days": [], "timeZone": "Asia/Tokyo",
                "nextAt": "2026-03-02T03:00:00.000Z"})
        );
        let why = place.program.owner("alarms.understand", json!({"text": "when the cows come home"})).await;
        refused(why, "alarm-not-understood");
    }
}
