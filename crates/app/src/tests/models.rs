//! Questions to models, with every feature: what leaves the program, and what a briefing is made from.

use super::{owner, program, serve};
use serde_json::{Value, json};
use server::testing::{request, send};
use testkit::Program;
use testkit::stub::{Reply, Stub};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Waits until the session has finished its turn.
async fn until_idle(program: &Program, session: &Value) {
    for _ in 0..10_000 {
        if owner(program, "sessions.get", json!({"sessionId": session})).await.unwrap()["state"] == "idle" {
            return;
        }
    }
    panic!("the session isn't idle");
}

/// Lets everything that is under way run on.
async fn rest() {
    for _ in 0..500 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn no_request_leaves_for_a_feature_that_is_off() {
    let program = program().await;
    let stub = Stub::start(|_| {
        let answer = json!({"title": "Named"}).to_string();
        Reply::json(&json!({"choices": [{"message": {"content": answer}}]}))
    })
    .await;
    let provider = json!({"kind": "compatible", "name": "Mine", "url": stub.url});
    let provider = owner(&program, "models.providers.create", provider).await.unwrap()["id"].clone();
    let choose = async |utility: Value| owner(&program, "models.set", json!({"utility": utility})).await.unwrap();
    choose(json!({"providerId": provider, "model": "small"})).await;
    owner(&program, "settings.set", json!({"key": "tasksV2CatchesEnabled", "value": false})).await.unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let hub = owner(&program, "hubs.create", json!({"folder": folder.path()})).await.unwrap()["id"].clone();
    let start = async |more: Value| {
        let mut input = json!({"prompt": "practice: say done", "projectId": hub, "engine": "practice"});
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let session = owner(&program, "sessions.create", input).await.unwrap()["id"].clone();
        until_idle(&program, &session).await;
        session
    };
    // Digests, descriptions of images, and whatever else asks are off; a session that you named asks for no title.
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let image = json!([{"media": "image/png", "data": png}]);
    let named = start(json!({"title": "Mine", "images": image})).await;
    owner(&program, "sessions.archive", json!({"sessionId": named})).await.unwrap();
    // Without a model, nobody is asked for a title either.
    choose(Value::Null).await;
    start(json!({})).await;
    choose(json!({"providerId": provider, "model": "small"})).await;
    for _ in 0..9 {
        program.clock.advance_ms(DAY_MS);
        program.run_due().await;
        program.fire_timers().await;
        rest().await;
    }
    assert_eq!(stub.count(), 0, "{:?}", stub.asked());
    let session = start(json!({})).await;
    for _ in 0..10_000 {
        if owner(&program, "sessions.get", json!({"sessionId": session})).await.unwrap()["title"] == "Named" {
            assert_eq!(stub.count(), 1, "what is on asks once");
            return;
        }
    }
    panic!("the session isn't named");
}

#[tokio::test]
async fn a_briefing_has_todays_events_and_due_items() {
    let program = program().await;
    let set = async |key: &str, value: Value| {
        owner(&program, "settings.set", json!({"key": key, "value": value})).await.unwrap();
    };
    set("dailyDigestSources", json!({"calendar": true, "pm-events": true, "sessions": false})).await;
    let briefing =
        async || owner(&program, "digests.create", json!({"kind": "daily"})).await.unwrap()["content"].clone();
    assert_eq!(briefing().await["skipped"], json!(["calendar: turned off (calendarEnabled)"]));
    set("calendarEnabled", json!(true)).await;
    let calendar =
        owner(&program, "calendar.calendars.create", json!({"name": "Private"})).await.unwrap()["id"].clone();
    for (title, start, end) in [
        ("Lunch", "2026-03-01T12:00:00Z", "2026-03-01T13:00:00Z"),
        ("Tomorrow", "2026-03-02T12:00:00Z", "2026-03-02T13:00:00Z"),
    ] {
        let event = json!({"calendarId": calendar, "title": title, "start": start, "end": end});
        owner(&program, "calendar.events.create", event).await.unwrap();
    }
    let board = owner(&program, "boards.create", json!({"name": "Launch"})).await.unwrap()["id"].clone();
    for (name, day) in [("Ship", "2026-03-01"), ("Later", "2026-03-02")] {
        let item = owner(&program, "boards.items.create", json!({"boardId": board, "name": name})).await.unwrap();
        let due = json!({"boardId": board, "itemId": item["id"], "columnId": "Due", "value": day});
        owner(&program, "boards.cell", due).await.unwrap();
    }
    let content = briefing().await;
    let titles = |at: usize| -> Vec<String> {
        let entries = content["sections"][at]["entries"].as_array().unwrap();
        entries.iter().map(|entry| entry["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!((titles(0), titles(1)), (vec!["Lunch".to_owned()], vec!["Ship".to_owned()]));
    assert_eq!(content["sections"][0]["entries"][0]["at"], "2026-03-01T12:00:00.000Z");
    assert_eq!((&content["skipped"], &content["omitsSessions"]), (&json!([]), &json!(true)));
}

#[tokio::test]
async fn a_preset_that_is_too_large_or_no_text_is_rejected_and_the_default_stays() {
    let program = program().await;
    let address = serve(&program).await;
    let token = std::fs::read_to_string(program.dir().join("cli-token")).unwrap();
    let folder = tempfile::TempDir::new().unwrap();
    let hub = owner(&program, "hubs.create", json!({"folder": folder.path()})).await.unwrap()["id"].clone();
    let path = format!("/hubs/{}/instructions/persona", hub.as_str().unwrap());
    let body = |text: &str| json!({"text": text}).to_string();
    let put = |body: &str| request(address, "PUT", &path, Some(token.trim()), Some(("application/json", body)));
    let mut no_text = put(&body("Be brief."));
    let at = no_text.windows(9).position(|part| part == b"Be brief.").unwrap();
    no_text[at] = 0xff;
    for (bytes, status) in
        [(put(&body(&"x".repeat(10_000_000))), 413), (no_text, 400), (put(&body(&"x".repeat(10_001))), 422)]
    {
        let answer = send(address, &bytes).await.unwrap();
        assert_eq!(answer.status, status, "{answer:?}");
        let preset = json!({"hubId": hub, "preset": "persona"});
        assert_eq!(owner(&program, "hubs.instructions.get", preset).await.unwrap()["isEdited"], false);
    }
    let answer = send(address, &put(&body("Be brief."))).await.unwrap();
    assert_eq!(answer.status, 200, "{answer:?}");
}
