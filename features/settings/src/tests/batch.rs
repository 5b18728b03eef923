//! Several settings at once, the history, and documents.

use super::{get, rows, set, start};
use kit::setting::Shape;
use kit::{Caller, Kind};
use serde_json::{Value, json};
use store::HasDb;
use testkit::{ACCOUNT, OTHER_ACCOUNT, refused};

#[tokio::test]
async fn a_batch_is_all_or_nothing_and_names_every_wrong_place() {
    let program = start().await;
    let changes = json!({"calendarEnabled": true, "webmailPageSize": 101, "noSuchKey": 1, "rssDigestTime": "7:30"});
    let refusal = program.owner("settings.change", json!({"changes": changes})).await.unwrap_err();
    let pointers: Vec<_> = refusal.fields().iter().map(|f| f.pointer.as_str()).collect();
    assert_eq!(pointers, ["/changes/noSuchKey", "/changes/rssDigestTime", "/changes/webmailPageSize"]);
    assert_eq!(get(&program, "calendarEnabled").await["value"], false);
    // 50 is the default and nothing was set: it is so already.
    let changes = json!({"calendarEnabled": true, "webmailPageSize": 50});
    let dry = program.owner("settings.change", json!({"changes": changes, "dryRun": true})).await.unwrap();
    assert_eq!(
        dry,
        json!({"dryRun": true, "revision": 0, "unchanged": ["webmailPageSize"],
            "changes": [{"key": "calendarEnabled", "from": false, "to": true, "change": null}]})
    );
    assert_eq!(get(&program, "calendarEnabled").await["value"], false);
    let done = program.owner("settings.change", json!({"changes": changes})).await.unwrap();
    assert!(done["changes"][0]["change"].is_string());
    assert_eq!((&done["revision"], &done["unchanged"]), (&json!(1), &json!(["webmailPageSize"])));
    assert_eq!(get(&program, "calendarEnabled").await["value"], true);
}

#[tokio::test]
async fn a_refused_batch_is_of_the_gravest_kind_and_points_at_each() {
    let program = start().await;
    let changes = json!({"aKeyOfNone": 1, "vendorABalanceAlertLeadHours": 721, "cliServerEnabled": false});
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "t");
    let refusal = program.as_caller(other, "settings.change", json!({"changes": changes})).await;
    let refusal = refused(refusal, "installation-setting");
    let places: Vec<_> = refusal.fields().iter().map(|f| (f.pointer.as_str(), f.code.name())).collect();
    assert_eq!(
        places,
        [
            ("/changes/cliServerEnabled", "installation-setting"),
            ("/changes/aKeyOfNone", "unknown-setting"),
            ("/changes/vendorABalanceAlertLeadHours", "out-of-range")
        ]
    );
    let agent = Caller { scopes: vec!["settings:write".into()], ..Caller::new(Kind::Agent, ACCOUNT, "t") };
    let changes = json!({"webmailPageSize": 20});
    let refusal =
        refused(program.as_caller(agent, "settings.change", json!({"changes": changes})).await, "agent-may-not-write");
    assert_eq!(refusal.fields()[0].pointer, "/changes/webmailPageSize");
}

#[tokio::test]
async fn several_unknown_keys_suggest_the_nearest_of_each() {
    let program = start().await;
    let refusal = async |changes: Value| {
        refused(program.owner("settings.change", json!({"changes": changes})).await, "unknown-setting")
    };
    let one = refusal(json!({"calendarEnable": true})).await;
    assert_eq!(one.problem()["suggestions"][0], "calendarEnabled");
    let several = refusal(json!({"calendarEnable": true, "webmailPageSizes": 20, "alarmsMaxRingingMinutes": 0})).await;
    let suggested = several.problem()["suggestions"].clone();
    for (key, near) in [("calendarEnable", "calendarEnabled"), ("webmailPageSizes", "webmailPageSize")] {
        assert!(suggested.as_array().unwrap().contains(&near.into()), "{suggested}");
        let field = several.fields().iter().find(|field| field.pointer == format!("/changes/{key}")).unwrap();
        assert!(field.detail.ends_with(&format!("Did you mean {near}?")), "{}", field.detail);
    }
    let none = refusal(json!({"1": 1, "2": 2})).await;
    assert_eq!(none.problem().get("suggestions"), None);
}

#[tokio::test]
async fn history_comes_in_pages() {
    let program = start().await;
    for size in [10, 20, 30] {
        set(&program, "webmailPageSize", json!(size)).await.unwrap();
    }
    set(&program, "calendarEnabled", json!(true)).await.unwrap();
    let (mut cursor, mut seen) = (Value::Null, Vec::new());
    loop {
        let input = json!({"key": "webmailPageSize", "limit": 2, "cursor": cursor});
        let page = program.owner("settings.history", input).await.unwrap();
        seen.extend(page["items"].as_array().unwrap().iter().map(|change| change["to"].clone()));
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(seen, [30, 20, 10]);
    for limit in [0, 501] {
        let refusal = refused(program.owner("settings.history", json!({"limit": limit})).await, "invalid-input");
        assert_eq!(refusal.fields()[0].pointer, "/limit");
    }
    refused(program.owner("settings.history", json!({"key": "webmailPagesize"})).await, "unknown-setting");
}

#[tokio::test]
async fn only_changes_of_settings_that_are_known_are_undone() {
    let program = start().await;
    let change = |subject: &'static str| store::Change {
        subject,
        subject_id: "goneSetting",
        field: "",
        before: None,
        after: None,
    };
    let caller = Caller::new(Kind::Owner, ACCOUNT, "t");
    let db = program.ctx.db();
    let ids =
        db.write(move |tx| Ok([tx.record(&caller, 0, change("setting"))?, tx.record(&caller, 0, change("board"))?]));
    let [setting, board] = ids.await.unwrap();
    refused(program.owner("settings.undo", json!({"change": setting})).await, "unknown-setting");
    refused(program.owner("settings.undo", json!({"change": board})).await, "not-found");
}

#[tokio::test]
async fn history_says_who_and_undo_takes_back() {
    let program = start().await;
    let first = set(&program, "webmailPageSize", json!(20)).await.unwrap();
    program.clock.advance_ms(1000);
    let cli = Caller::new(Kind::Cli, ACCOUNT, "cli");
    program.as_caller(cli, "settings.set", json!({"key": "webmailPageSize", "value": 30})).await.unwrap();
    let history = program.owner("settings.history", json!({"key": "webmailPageSize"})).await.unwrap();
    let newest = &history["items"][0];
    let row = crate::feature().ops.into_iter().find(|op| op.name == "settings.history").expect("its row");
    assert!(row.columns.iter().all(|column| newest.get(column).is_some()) && row.columns.contains(&"actor"));
    assert_eq!(
        (&newest["from"], &newest["to"], &newest["actor"]["kind"], &newest["at"]),
        (&json!(20), &json!(30), &json!("cli"), &json!("2026-03-01T12:00:01.000Z"))
    );
    refused(program.owner("settings.undo", json!({"change": first["change"]})).await, "changed-since");
    let undone = program.owner("settings.undo", json!({"change": newest["change"]})).await.unwrap();
    assert_eq!(undone["value"], 20);
    let reset = program.owner("settings.undo", json!({"change": first["change"]})).await.unwrap();
    assert_eq!((&reset["value"], &reset["modified"]), (&json!(50), &json!(false)));
    let forced = program.owner("settings.undo", json!({"change": newest["change"], "force": true})).await.unwrap();
    assert_eq!(forced["value"], 20);
    refused(program.owner("settings.undo", json!({"change": "nothing"})).await, "not-found");
}

#[tokio::test]
async fn history_says_what_was_undone_until_that_is_undone() {
    let program = start().await;
    let undone = async || {
        let history = program.owner("settings.history", json!({"key": "webmailPageSize"})).await.unwrap();
        let items = history["items"].as_array().unwrap().iter();
        items.map(|item| item["undone"].as_bool().unwrap()).collect::<Vec<_>>()
    };
    let first = set(&program, "webmailPageSize", json!(20)).await.unwrap();
    let second = set(&program, "webmailPageSize", json!(30)).await.unwrap();
    assert_eq!(undone().await, [false, false]);
    let undo = program.owner("settings.undo", json!({"change": second["change"]})).await.unwrap();
    assert_eq!(undone().await, [false, true, false]);
    program.owner("settings.undo", json!({"change": undo["change"]})).await.unwrap();
    assert_eq!(undone().await, [false, true, false, false], "30 is in force again");
    let other =
        program.as_caller(Caller::new(Kind::Owner, OTHER_ACCOUNT, "t"), "settings.history", json!({})).await.unwrap();
    assert_eq!(other["items"], json!([]));
    program.owner("settings.undo", json!({"change": first["change"], "force": true})).await.unwrap();
    assert_eq!(undone().await, [false, false, true, false, true]);
}

#[tokio::test]
async fn what_is_exported_can_be_imported() {
    let program = start().await;
    set(&program, "webmailPageSize", json!(20)).await.unwrap();
    set(&program, "heardAboutUs", json!("Friends")).await.unwrap();
    let document = program.owner("settings.export", json!({})).await.unwrap();
    assert_eq!(document["settings"], json!({"heardAboutUs": "Friends", "webmailPageSize": 20}));
    let other = start().await;
    set(&other, "calendarEnabled", json!(true)).await.unwrap();
    let dry =
        other.owner("settings.import", json!({"document": document, "dryRun": true, "mode": "replace"})).await.unwrap();
    let keys: Vec<_> =
        dry["changes"].as_array().unwrap().iter().map(|change| change["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["heardAboutUs", "webmailPageSize", "calendarEnabled"]);
    assert_eq!(dry["changes"][2], json!({"key": "calendarEnabled", "from": true, "to": false, "change": null}));
    assert_eq!(get(&other, "webmailPageSize").await["value"], 50);
    other.owner("settings.import", json!({"document": document, "mode": "replace"})).await.unwrap();
    let (mut copy, mut original) = (other.owner("settings.export", json!({})).await.unwrap(), document.clone());
    copy["exportedAt"].take();
    original["exportedAt"].take();
    assert_eq!(copy, original);
}

#[tokio::test]
async fn an_import_with_unknown_or_wrong_entries_loses_nothing_in_silence() {
    let program = start().await;
    let document = json!({"format": "pilothouse-settings", "version": 1, "settings": {"calendarEnabled": true, "fromTheFuture": 1, "webmailPageSize": 0}});
    refused(program.owner("settings.import", json!({"document": document})).await, "unknown-setting");
    assert_eq!(get(&program, "calendarEnabled").await["value"], false);
    let done = program.owner("settings.import", json!({"document": document, "skipInvalid": true})).await.unwrap();
    let skipped: Vec<_> = done["skipped"].as_array().unwrap().iter().map(|s| s["key"].as_str().unwrap()).collect();
    assert_eq!(skipped, ["fromTheFuture", "webmailPageSize"]);
    assert_eq!(get(&program, "calendarEnabled").await["value"], true);
}

#[tokio::test]
async fn what_an_older_version_did_not_know_is_taken_or_reported() {
    let program = start().await;
    let document = json!({"format": "pilothouse-settings", "version": 1, "settings": {"webmailPageSize": 20},
        "unknownStored": {"calendarEnabled": true, "fromTheFuture": 1, "webmailPageSize": "not a number"}});
    let done = program.owner("settings.import", json!({"document": document})).await.unwrap();
    assert_eq!(get(&program, "calendarEnabled").await["value"], true);
    assert_eq!(get(&program, "webmailPageSize").await["value"], 20, "what stands under settings counts");
    let skipped = &done["skipped"][0];
    assert_eq!(
        (&skipped["key"], &skipped["value"], &skipped["code"]),
        (&json!("fromTheFuture"), &json!(1), &json!("unknown-setting"))
    );
    let wrong =
        json!({"format": "pilothouse-settings", "version": 1, "settings": {}, "unknownStored": {"calendarEnabled": 7}});
    let refusal = refused(program.owner("settings.import", json!({"document": wrong})).await, "invalid-setting-value");
    assert_eq!(refusal.fields()[0].pointer, "/document/unknownStored/calendarEnabled");
}

#[tokio::test]
async fn another_format_is_refused() {
    let program = start().await;
    for (format, version, pointer) in
        [("settings", 1, "/document/format"), ("pilothouse-settings", 2, "/document/version")]
    {
        let document = json!({"format": format, "version": version, "settings": {"calendarEnabled": true}});
        let refusal = refused(program.owner("settings.import", json!({"document": document})).await, "invalid-input");
        assert_eq!(refusal.fields()[0].pointer, pointer);
    }
}

#[tokio::test]
async fn one_request_names_a_thousand_settings_and_near_keys_are_looked_for_of_a_few() {
    let program = start().await;
    let unknown = |count: usize| -> Value { (0..count).map(|n| (format!("calendarEnable{n}"), json!(1))).collect() };
    let refusal =
        refused(program.owner("settings.change", json!({"changes": unknown(1_000)})).await, "unknown-setting");
    let suggesting = refusal.fields().iter().filter(|field| field.detail.contains("Did you mean calendarEnabled?"));
    assert_eq!((refusal.fields().len(), suggesting.count()), (1_000, 10));
    // Values that are not accepted do not count among them.
    let mut mixed: Value = unknown(1);
    let wrong = rows().into_iter().filter(|spec| matches!(spec.shape, Shape::Toggle)).take(12);
    wrong.for_each(|spec| mixed[spec.key] = json!("no"));
    let refusal = refused(program.owner("settings.change", json!({"changes": mixed})).await, "unknown-setting");
    assert!(refusal.fields().iter().any(|field| field.detail.contains("Did you mean calendarEnabled?")), "{refusal}");
    let refusal = refused(program.owner("settings.change", json!({"changes": unknown(1_001)})).await, "invalid-input");
    assert_eq!((refusal.fields()[0].pointer.as_str(), refusal.fields()[0].code.name()), ("/changes", "too-many"));
    let document = json!({"format": "pilothouse-settings", "version": 1, "settings": {}});
    let refusal = program.owner("settings.import", json!({"document": document, "mode": "other"})).await;
    assert_eq!(refused(refusal, "invalid-input").fields()[0].code.name(), "not-a-choice");
    for member in ["settings", "unknownStored"] {
        let mut document = json!({"format": "pilothouse-settings", "version": 1, "settings": {}});
        document[member] = unknown(1_001);
        let input = json!({"document": document, "skipInvalid": true});
        let refusal = refused(program.owner("settings.import", input).await, "invalid-input");
        assert_eq!(refusal.fields()[0].pointer, format!("/document/{member}"));
    }
}

#[tokio::test]
async fn lists_and_maps_have_a_limit_in_members_and_in_bytes() {
    let program = start().await;
    let ids = |count: usize| -> Vec<String> { (0..count).map(|n| format!("b{n}")).collect() };
    set(&program, "emailInboundApprovedSenders", json!(ids(1_000))).await.unwrap();
    let refusal =
        refused(set(&program, "emailInboundApprovedSenders", json!(ids(1_001))).await, "invalid-setting-value");
    assert_eq!(refusal.fields()[0].code.name(), "too-many");
    let long: Vec<String> = ids(1_000).iter().map(|id| format!("{id}{}", "x".repeat(70))).collect();
    let refusal = refused(set(&program, "emailInboundApprovedSenders", json!(long)).await, "invalid-setting-value");
    assert_eq!(refusal.fields()[0].code.name(), "too-long");
    assert_eq!(get(&program, "emailInboundApprovedSenders").await["value"].as_array().map(Vec::len), Some(1_000));
    // A text has its limit in characters, however many bytes they take.
    set(&program, "emailSummarizerDefaultPrompt", json!("🙂".repeat(17_000))).await.unwrap();
}
