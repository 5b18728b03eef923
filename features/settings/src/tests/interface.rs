//! The interface, over every setting alike.

use super::{get, rows, set, start};
use kit::setting::Spec;
use kit::{Body, Call, Caller, Kind};
use serde_json::{Value, json};
use std::sync::Arc;
use store::{HasDb, params};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, json_of, refused};

#[tokio::test]
async fn the_record_is_as_documented() {
    let program = start().await;
    let record = get(&program, "sessionCpuCapPercent").await;
    for (member, expected) in [
        ("type", json!("number")),
        ("accepted", json!("whole number from 25 to 90, in steps of 5")),
        ("schema", json!({"type": "integer", "minimum": 25, "maximum": 90, "multipleOf": 5})),
        ("unit", json!("%")),
        ("default", json!(60)),
        ("defaultStated", json!(false)),
        ("applies", json!("now")),
        ("pendingRestart", json!(false)),
        ("writableBy", json!(["owner", "cli"])),
        ("platforms", json!(["W"])),
    ] {
        assert_eq!(record[member], expected, "{member}");
    }
    assert_eq!(get(&program, "calendarEnabled").await["unit"], Value::Null);
    let codes: Vec<_> =
        record["effect"]["reasons"].as_array().unwrap().iter().map(|r| r["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["platform", "requires", "not-built-yet"]);
}

#[tokio::test]
async fn what_is_needed_may_itself_need_another() {
    let program = start().await;
    let needs = async || {
        let reasons = get(&program, "spamFilterCalendarDeleteEvent").await["effect"]["reasons"].clone();
        reasons.as_array().unwrap().iter().find(|r| r["code"] == "requires").map(|r| r["detail"].clone())
    };
    let only_while = |key: &str| Some(json!(format!("Requires {key}.")));
    set(&program, "spamFilterEnabled", json!(true)).await.unwrap();
    set(&program, "spamFilterCalendarEnabled", json!(true)).await.unwrap();
    assert_eq!(needs().await, None);
    set(&program, "spamFilterEnabled", json!(false)).await.unwrap();
    assert_eq!(needs().await, only_while("spamFilterEnabled"));
    set(&program, "spamFilterCalendarEnabled", json!(false)).await.unwrap();
    assert_eq!(needs().await, only_while("spamFilterCalendarEnabled"));
}

#[tokio::test]
async fn an_equal_value_changes_nothing() {
    let program = start().await;
    let first = set(&program, "toastDisplayDurationSeconds", json!(9)).await.unwrap();
    let again = set(&program, "toastDisplayDurationSeconds", json!(9)).await.unwrap();
    assert!(first["change"].is_string());
    assert_eq!((&again["changed"], &again["change"]), (&json!(false), &Value::Null));
    let as_float = set(&program, "toastDisplayDurationSeconds", json!(9.0)).await.unwrap();
    assert_eq!((&as_float["changed"], &as_float["value"]), (&json!(false), &json!(9)), "9.0 is 9");
    for (key, default) in [("sessionCpuCapPercent", json!(60)), ("vendorABalanceAlertLeadHours", json!(24))] {
        let same = set(&program, key, default).await.unwrap();
        assert_eq!((&same["changed"], &same["modified"]), (&json!(false), &json!(false)), "{key}");
    }
    let history = program.owner("settings.history", json!({})).await.unwrap();
    assert_eq!(history["items"].as_array().unwrap().len(), 1);
    assert_eq!(program.owner("settings.list", json!({})).await.unwrap()["revision"], 1);
    let back = set(&program, "toastDisplayDurationSeconds", json!(8)).await.unwrap();
    assert_eq!(
        (&back["changed"], &back["modified"]),
        (&json!(true), &json!(true)),
        "a default that was chosen is kept"
    );
}

#[tokio::test]
async fn a_change_says_its_value() {
    let program = start().await;
    let refusal = refused(program.owner("settings.set", json!({"key": "calendarEnabled"})).await, "invalid-input");
    assert_eq!(refusal.fields()[0].code.name(), "missing");
    let null = set(&program, "calendarEnabled", Value::Null).await.unwrap();
    assert_eq!(null["changed"], false);
    set(&program, "calendarEnabled", json!(true)).await.unwrap();
    let null = set(&program, "calendarEnabled", Value::Null).await.unwrap();
    assert_eq!((&null["value"], &null["modified"], &null["previous"]), (&json!(false), &json!(false), &json!(true)));
}

/// The list as it is sent: its bytes and its tag.
async fn listed(program: &Program, account: &str) -> (bytes::Bytes, String) {
    let call = Call::new(Caller::new(Kind::Owner, account, "t"));
    let reply = program.call(call, "settings.list", json!({})).await.unwrap();
    let tag = reply.headers.iter().find(|(name, _)| *name == "etag").unwrap().1.clone();
    match reply.body {
        Body::Whole(bytes) => (bytes, tag),
        Body::Parts(_) | Body::Stream(_) => panic!("the list is whole"),
    }
}

#[tokio::test]
async fn the_list_is_made_once_and_again_after_a_change() {
    let program = start().await;
    for account in [ACCOUNT, OTHER_ACCOUNT] {
        let (first, second) = (listed(&program, account).await.0, listed(&program, account).await.0);
        assert_eq!(first.as_ptr(), second.as_ptr(), "the same bytes, not others that read alike");
    }
    let before = listed(&program, OTHER_ACCOUNT).await;
    set(&program, "calendarEnabled", json!(true)).await.unwrap();
    assert_eq!(listed(&program, OTHER_ACCOUNT).await.1, before.1, "nothing of another account shows");
    set(&program, "allowAgentAppRestart", json!(true)).await.unwrap();
    assert_ne!(listed(&program, OTHER_ACCOUNT).await.1, before.1, "an installation's value is everyone's");
}

#[tokio::test]
async fn the_tag_of_the_list_outlives_a_restart_only_where_the_list_does() {
    let program = start().await;
    set(&program, "calendarEnabled", json!(true)).await.unwrap();
    let before = listed(&program, ACCOUNT).await;
    let program = program.restart().await;
    assert_eq!(listed(&program, ACCOUNT).await, before);
    set(&program, "cliServerEnabled", json!(false)).await.unwrap();
    let waiting = listed(&program, ACCOUNT).await;
    let program = program.restart().await;
    assert_ne!(listed(&program, ACCOUNT).await.1, waiting.1, "nothing waits for a restart any more");
}

#[tokio::test]
async fn the_tag_of_the_list_is_taken_as_if_match() {
    let program = start().await;
    let tag = listed(&program, ACCOUNT).await.1;
    let call = || Call { if_match: Some(tag.clone()), ..Call::new(Caller::new(Kind::Owner, ACCOUNT, "t")) };
    let change = |on: bool| json!({"changes": {"calendarEnabled": on}});
    program.call(call(), "settings.set", json!({"key": "calendarEnabled", "value": true})).await.unwrap();
    for (op, input) in [
        ("settings.set", json!({"key": "calendarEnabled", "value": false})),
        ("settings.reset", json!({"key": "calendarEnabled"})),
        ("settings.change", change(false)),
    ] {
        refused(program.call(call(), op, input).await, "stale-revision");
    }
    assert_eq!(get(&program, "calendarEnabled").await["value"], true);
}

#[tokio::test]
async fn the_list_has_a_tag_that_changes_with_it() {
    let program = start().await;
    let owner = || Caller::new(Kind::Owner, ACCOUNT, "t");
    let first = program.call(Call::new(owner()), "settings.list", json!({})).await.unwrap();
    let tag = first.headers.iter().find(|(name, _)| *name == "etag").unwrap().1.clone();
    let again = || Call { if_none_match: Some(tag.clone()), ..Call::new(owner()) };
    assert_eq!(program.call(again(), "settings.list", json!({})).await.unwrap().status, 304);
    set(&program, "calendarEnabled", json!(true)).await.unwrap();
    let changed = program.call(again(), "settings.list", json!({})).await.unwrap();
    assert_eq!(changed.status, 200);
    let drip = json_of(&changed)["settings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|r| r["key"] == "calendarEnabled")
        .unwrap()["value"]
        .clone();
    assert_eq!(drip, true);
}

#[tokio::test]
async fn filters_narrow_the_list() {
    let program = start().await;
    set(&program, "calendarEnabled", json!(true)).await.unwrap();
    set(&program, "cliServerEnabled", json!(false)).await.unwrap();
    let keys = async |filter: Value| -> Vec<String> {
        let list = program.owner("settings.list", filter).await.unwrap();
        list["settings"].as_array().unwrap().iter().map(|r| r["key"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(keys(json!({"modified": true})).await, ["cliServerEnabled", "calendarEnabled"]);
    assert_eq!(keys(json!({"pendingRestart": true})).await, ["cliServerEnabled"]);
    assert_eq!(keys(json!({"agentWritable": true})).await, [""; 0]);
    let declared = |is_in: fn(&Spec) -> bool| Vec::from_iter(rows().into_iter().filter(|s| is_in(s)).map(|s| s.key));
    assert_eq!(keys(json!({"section": "cloud"})).await, declared(|s| s.section == "cloud"));
    assert_eq!(keys(json!({"area": "Projects & Tasks"})).await, declared(|s| s.area == "Projects & Tasks"));
    assert_eq!(keys(json!({"q": "popup message"})).await, ["toastDisplayDurationSeconds"]);
    assert!(keys(json!({"q": "Delete spam"})).await.contains(&"spamFilterCalendarDeleteEvent".to_owned()));
    assert_eq!(
        keys(json!({"inactive": false})).await,
        ["heardAboutUs", "allowAgentAppRestart", "toastDisplayDurationSeconds"],
        "what is obeyed now; the other row waits for a restart"
    );
}

#[tokio::test]
async fn an_area_or_section_that_is_none_is_refused_with_those_that_there_are() {
    let program = start().await;
    for (member, there_is) in [("area", "Projects & Tasks"), ("section", "cloud")] {
        for odd in ["nope", "", &there_is.to_lowercase().replace("cloud", "Cloud")] {
            let refusal = refused(program.owner("settings.list", json!({member: odd})).await, "invalid-input");
            let field = &refusal.fields()[0];
            assert_eq!(
                (field.pointer.as_str(), field.code.name()),
                (&*format!("/{member}"), "not-a-choice"),
                "{odd:?}"
            );
            for spec in rows() {
                let word = if member == "area" { spec.area } else { spec.section };
                assert!(field.detail.contains(word), "{word} is not named: {}", field.detail);
            }
        }
        let list = program.owner("settings.list", json!({member: there_is})).await.unwrap();
        assert_ne!(list["settings"], json!([]));
    }
}

#[tokio::test]
async fn an_unknown_key_suggests_the_nearest() {
    let program = start().await;
    for op in ["settings.get", "settings.reset"] {
        let refusal = refused(program.owner(op, json!({"key": "sessionCpuCapPercentage"})).await, "unknown-setting");
        assert_eq!(refusal.code().status, 404);
        assert_eq!(refusal.problem()["suggestions"][0], "sessionCpuCapPercent");
    }
}

#[tokio::test]
async fn accounts_are_apart_and_the_installation_is_the_firsts() {
    let program = start().await;
    let other = || Caller::new(Kind::Owner, OTHER_ACCOUNT, "t");
    set(&program, "calendarEnabled", json!(true)).await.unwrap();
    set(&program, "allowAgentAppRestart", json!(true)).await.unwrap();
    let of_other = async |key: &str| program.as_caller(other(), "settings.get", json!({"key": key})).await.unwrap();
    assert_eq!(of_other("calendarEnabled").await["value"], false);
    let record = of_other("allowAgentAppRestart").await;
    assert_eq!(
        (&record["value"], &record["effect"]["active"], &record["effect"]["reasons"][0]["code"]),
        (&json!(true), &json!(true), &json!("other-installation"))
    );
    assert_eq!(record["writableBy"], json!([]), "not even its owner");
    assert_eq!(get(&program, "allowAgentAppRestart").await["writableBy"], json!(["owner", "cli"]));
    assert_eq!(of_other("calendarEnabled").await["writableBy"], json!(["owner", "cli"]));
    refused(
        program.as_caller(other(), "settings.set", json!({"key": "allowAgentAppRestart", "value": false})).await,
        "installation-setting",
    );
    let history = program.as_caller(other(), "settings.history", json!({})).await.unwrap();
    assert_eq!(history["items"], json!([]));
    let change = program.owner("settings.history", json!({})).await.unwrap()["items"][0]["change"].clone();
    refused(program.as_caller(other(), "settings.undo", json!({"change": change})).await, "not-found");
}

#[tokio::test]
async fn a_value_that_a_later_version_refuses_is_kept_reported_and_not_used() {
    let program = start().await;
    for (key, text) in
        [("webmailPageSize", "500"), ("fromAnEarlierVersion", "\"kept\""), ("calendarEnabled", "no json")]
    {
        program
            .ctx
            .db()
            .write(move |tx| {
                tx.execute("INSERT INTO settings (account_id, key, value_json, revision, set_ms, actor) VALUES ($1, $2, $3, 1, 0, 'owner')", params![ACCOUNT, key, text])?;
                tx.execute("INSERT INTO settings_revisions (account_id, revision) VALUES ($1, 1) ON CONFLICT (account_id) DO UPDATE SET revision = 1", params![ACCOUNT])
            })
            .await
            .unwrap();
    }
    set(&program, "heardAboutUs", json!("Friends")).await.unwrap();
    let program = program.restart().await;
    let record = get(&program, "webmailPageSize").await;
    assert_eq!(record["modified"], true);
    assert_eq!((&record["value"], &record["problem"]["stored"]), (&json!(50), &json!(500)));
    assert_eq!(get(&program, "calendarEnabled").await["value"], false);
    assert_eq!(get(&program, "heardAboutUs").await["value"], "Friends", "nothing else is lost");
    let list = program.owner("settings.list", json!({})).await.unwrap();
    assert_eq!(list["unknownStored"], json!({"fromAnEarlierVersion": "kept"}));
    let exported = program.owner("settings.export", json!({})).await.unwrap();
    assert_eq!(
        (&exported["unknownStored"], &exported["settings"]["webmailPageSize"]),
        (&json!({"fromAnEarlierVersion": "kept"}), &json!(500))
    );
    let mended = set(&program, "webmailPageSize", json!(50)).await.unwrap();
    assert_eq!((&mended["changed"], mended.get("problem")), (&json!(true), None), "its default is stored instead");
    let document = json!({"format": "pilothouse-settings", "version": 1, "settings": {}});
    program.owner("settings.import", json!({"document": document, "mode": "replace"})).await.unwrap();
    let exported = program.owner("settings.export", json!({})).await.unwrap();
    assert_eq!(
        (&exported["settings"], &exported["unknownStored"]["fromAnEarlierVersion"]),
        (&json!({}), &json!("kept")),
        "replacing touches only what is known"
    );
}

#[tokio::test]
async fn a_next_start_setting_waits_for_the_restart() {
    let program = start().await;
    let changed = set(&program, "cliServerEnabled", json!(false)).await.unwrap();
    assert_eq!(
        (&changed["pendingRestart"], &changed["effect"]["active"], &changed["effect"]["reasons"][0]["code"]),
        (&json!(true), &json!(false), &json!("restart-pending"))
    );
    let back = set(&program, "cliServerEnabled", json!(true)).await.unwrap();
    assert_eq!(back["pendingRestart"], false, "what the running program uses is set again: nothing waits");
    set(&program, "cliServerEnabled", json!(false)).await.unwrap();
    let program = program.restart().await;
    assert_eq!(get(&program, "cliServerEnabled").await["pendingRestart"], false);
}

#[tokio::test]
async fn restarting_by_script_needs_its_setting() {
    let program = start().await;
    let restarts = Arc::new(std::sync::atomic::AtomicU32::new(0));
    let counted = restarts.clone();
    refused(program.owner("app.restart", json!({})).await, "conflict");
    let hook = crate::RestartHook::new(move || {
        counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Ok(())
    });
    program.ctx.provide(Arc::new(hook.of_instance("run-1")));
    let count = || restarts.load(std::sync::atomic::Ordering::SeqCst);
    let agent = || Caller::new(Kind::Agent, ACCOUNT, "t");
    let through_mcp = Caller { through_mcp: true, ..Caller::new(Kind::Owner, ACCOUNT, "t") };
    for caller in [Caller::new(Kind::Cli, ACCOUNT, "cli"), agent(), through_mcp] {
        refused(program.as_caller(caller, "app.restart", json!({})).await, "restart-disabled");
    }
    assert_eq!(count(), 0);
    let owner = Call::new(Caller::new(Kind::Owner, ACCOUNT, "t"));
    let accepted = program.call(owner, "app.restart", json!({})).await.unwrap();
    assert_eq!((accepted.status, json_of(&accepted)), (202, json!({"restarting": true, "instance": "run-1"})));
    assert_eq!(count(), 1, "the person's own button always works");
    refused(
        program.as_caller(Caller::new(Kind::Member, ACCOUNT, "m"), "app.restart", json!({})).await,
        "forbidden-caller",
    );
    set(&program, "allowAgentAppRestart", json!(true)).await.unwrap();
    program.as_caller(agent(), "app.restart", json!({})).await.unwrap();
    assert_eq!(count(), 2);
}

#[tokio::test]
async fn a_stale_tag_changes_nothing() {
    let program = start().await;
    set(&program, "calendarEnabled", json!(true)).await.unwrap();
    let call = Call { if_match: Some("\"0\"".into()), ..Call::new(Caller::new(Kind::Owner, ACCOUNT, "t")) };
    refused(
        program.call(call, "settings.set", json!({"key": "calendarEnabled", "value": false})).await,
        "stale-revision",
    );
    assert_eq!(get(&program, "calendarEnabled").await["value"], true);
}

#[tokio::test]
async fn changes_are_told_after_they_are_stored() {
    use events::HasEvents;
    let program = start().await;
    let (_, mut live) = program.ctx.events().listen(None);
    set(&program, "webmailPageSize", json!(20)).await.unwrap();
    set(&program, "webmailPageSize", json!(20)).await.unwrap();
    let told = live.try_recv().unwrap();
    assert_eq!(told.account.as_deref(), Some(ACCOUNT));
    assert_eq!(
        told.event,
        events::Event::SettingChanged { key: "webmailPageSize", value: json!(20), revision: Some(1) }
    );
    assert!(live.try_recv().is_err(), "an equal value is no change");
    set(&program, "allowAgentAppRestart", json!(true)).await.unwrap();
    let told = live.try_recv().unwrap();
    assert_eq!(told.account, None, "an installation's value is everyone's");
    let events::Event::SettingChanged { revision, .. } = told.event else { panic!("{told:?}") };
    assert_eq!(revision, None, "and no account's revision");
    let changes = json!({"calendarEnabled": true, "webmailPageSize": 0});
    refused(program.owner("settings.change", json!({"changes": changes})).await, "invalid-setting-value");
    program.owner("settings.change", json!({"changes": {"calendarEnabled": true}, "dryRun": true})).await.unwrap();
    assert!(live.try_recv().is_err(), "nothing is told of what did not happen");
}

#[tokio::test]
async fn a_cursor_that_no_page_of_history_gave_is_refused() {
    let program = start().await;
    for odd in ["\0", "", "~"] {
        let refusal = refused(program.owner("settings.history", json!({"cursor": odd})).await, "invalid-input");
        assert_eq!(refusal.fields()[0].pointer, "/cursor", "{odd:?}");
    }
}

#[tokio::test]
async fn only_the_first_account_restarts_the_program() {
    let program = start().await;
    let restarts = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = restarts.clone();
    let hook = move || {
        counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Ok(())
    };
    program.ctx.provide(Arc::new(crate::RestartHook::new(hook)));
    let other = Caller::new(Kind::Owner, OTHER_ACCOUNT, "t");
    refused(program.as_caller(other, "app.restart", json!({})).await, "forbidden-caller");
    program.owner("app.restart", json!({})).await.unwrap();
    assert_eq!(restarts.load(std::sync::atomic::Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_program_that_could_not_start_again_goes_on() {
    let program = start().await;
    program.ctx.provide(Arc::new(crate::RestartHook::new(|| Err("its file is no longer there".into()))));
    let refusal = refused(program.owner("app.restart", json!({})).await, "conflict");
    assert!(refusal.detail().contains("its file is no longer there"), "{refusal}");
}
