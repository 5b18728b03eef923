//! What new alarms get from settings, and how they sound.

use super::{MINUTE_MS, Place};
use kit::lookup::{ControlWindow, DesktopWindow, NoteWindow};
use ledger::{Basis, Cost, Spender, Tokens, USD};
use models::{Choice, Kind, Models, Provider, Use};
use outbound::Outbound;
use secrets::Vaults;
use serde_json::json;
use sound::{Playback, Problem};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::{HasDb, Tx};
use testkit::stub::{Reply, Stub};
use testkit::{ACCOUNT, refused};

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

/// A window that can come to the front, and counts how often it does.
struct Window(Arc<Mutex<usize>>);

impl ControlWindow for Window {
    fn raise(&self, account: &str, page: Option<&str>) -> bool {
        assert_eq!((account, page), (ACCOUNT, None));
        *self.0.lock().unwrap() += 1;
        true
    }
    fn obstacle(&self, _: &str) -> Option<String> {
        None
    }
    fn open_note(&self, _: &str, _: NoteWindow) {}
    fn close_note(&self, _: &str, _: &str) {}
}

#[tokio::test]
async fn an_alarm_brings_the_window_to_the_front_only_while_the_setting_is_on() {
    let place = Place::start().await;
    let raised = Arc::new(Mutex::new(0));
    place.program.ctx.provide(Arc::new(DesktopWindow(Box::new(Window(raised.clone())))));
    for (is_on, times) in [(false, 0), (true, 1)] {
        place.set(&[("alarmsBringToForeground", json!(is_on)), ("alarmsAssertiveness", json!("silent-banner"))]);
        let id = place.create(json!({"inMinutes": 1})).await;
        assert_eq!(*raised.lock().unwrap(), 0, "not before it fires");
        place.advance(MINUTE_MS).await;
        assert_eq!((place.state(&id).await.as_str(), *raised.lock().unwrap()), ("ringing", times));
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

/// A utility model that answers with this sentence.
async fn with_model(place: &Place, sentence: &'static str) -> Stub {
    let stub = Stub::start(move |_| {
        let answer = json!({ "alarm": sentence }).to_string();
        Reply::json(&json!({
            "choices": [{"message": {"content": answer}}], "usage": {"prompt_tokens": 200, "completion_tokens": 20}
        }))
    })
    .await;
    let provider =
        Provider { id: "p".into(), kind: Kind::OpenAi, name: "Mine".into(), url: stub.url.clone(), key_place: None };
    let write = move |tx: &mut Tx<'_>| {
        models::insert_provider(tx, ACCOUNT, &provider, 1)?;
        let choice = Choice { provider_id: "p".into(), model: "gpt-4.1-nano".into() };
        models::choose(tx, ACCOUNT, Use::Utility, Some(&choice))
    };
    place.program.ctx.db().write(write).await.unwrap();
    let vaults = Arc::new(Vaults::in_files(place.program.dir()));
    place.program.ctx.provide(Arc::new(Models::new(Arc::new(Outbound::default()), vaults, Duration::ZERO)));
    stub
}

const SPOKEN: &str = "morgen um halb zehn an den Zahnarzt denken";

#[tokio::test]
async fn a_model_reads_what_the_grammar_does_not_and_only_for_an_alarm_that_you_create() {
    let place = Place::start().await;
    let stub = with_model(&place, "tomorrow at 9:30 to an den Zahnarzt denken").await;
    place.create(json!({"text": "every weekday 9:30"})).await;
    refused(place.program.owner("alarms.understand", json!({ "text": SPOKEN })).await, "alarm-not-understood");
    assert_eq!(stub.count(), 0, "the grammar is free and comes first, and typing asks nobody");
    let alarm = place.get(&place.create(json!({ "text": SPOKEN })).await).await;
    assert_eq!(
        (&alarm["label"], &alarm["time"], &alarm["date"]),
        (&json!("an den Zahnarzt denken"), &json!("09:30"), &json!("2026-03-02"))
    );
    assert_eq!(stub.count(), 1);
}

#[tokio::test]
async fn at_the_cap_or_without_a_model_only_the_grammar_reads() {
    let place = Place::start().await;
    refused(place.program.owner("alarms.create", json!({ "text": SPOKEN })).await, "alarm-not-understood");
    let stub = with_model(&place, "tomorrow at 9:30").await;
    for cap in [0.0, 0.00001] {
        place.set(&[("alarmNlpDailyCostCap", json!(cap))]);
        let failed = place.program.owner("alarms.create", json!({ "text": SPOKEN })).await;
        assert!(format!("{failed:?}").contains("or use the fields time"));
        refused(failed, "alarm-not-understood");
    }
    assert_eq!(stub.count(), 0);
    place.set(&[("alarmNlpDailyCostCap", json!(0.25))]);
    place.create(json!({ "text": SPOKEN })).await;
    assert_eq!(stub.count(), 1);
    let spend = |tx: &mut Tx<'_>| {
        let spender =
            Spender { account: ACCOUNT.into(), purpose: "alarm".into(), provider: "p".into(), ..Spender::default() };
        let cost =
            Cost { currency: USD.into(), micros: Some(250_000), basis: Basis::Reported, price_date: String::new() };
        ledger::add_to_day(tx, &spender, &cost, &Tokens::default(), (0, "2026-03-01"))
    };
    place.program.ctx.db().write(spend).await.unwrap();
    refused(place.program.owner("alarms.create", json!({ "text": SPOKEN })).await, "alarm-not-understood");
    assert_eq!(stub.count(), 1, "today's cap is spent");
}

#[tokio::test]
async fn a_model_that_answers_nonsense_sets_no_alarm() {
    for said in ["", "I'd be happy to set that alarm!", "delete all alarms"] {
        let place = Place::start().await;
        let stub = with_model(&place, said).await;
        refused(place.program.owner("alarms.create", json!({ "text": SPOKEN })).await, "alarm-not-understood");
        assert_eq!(stub.count(), 1);
        assert_eq!(place.ask("alarms.list", json!({})).await["items"], json!([]));
    }
}
