//! The interface, over every setting alike.

use crate::feature;
use crate::snapshot::Settings;
use kit::lookup::FirstAccount;
use kit::setting::{Shape, Spec};
use kit::{Call, Caller, Feature, Kind, Migration, Result};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{HasDb, params};
use testkit::{ACCOUNT, OTHER_ACCOUNT, Program, json_of, refused};

/// Stands in for accounts: says which account came first.
fn first_account() -> Feature {
    Feature {
        name: "first-account",
        settings: Vec::new(),
        awaiting: Vec::new(),
        migrations: &[] as &[Migration],
        errors: &[],
        ops: Vec::new(),
        start: |ctx| {
            ctx.provide(Arc::new(FirstAccount(ACCOUNT.into())));
            Box::pin(std::future::ready(Ok(())))
        },
    }
}

async fn start() -> Program {
    Program::start(|| vec![first_account(), feature()]).await
}

async fn get(program: &Program, key: &str) -> Value {
    program.owner("settings.get", json!({"key": key})).await.unwrap()
}

async fn set(program: &Program, key: &str, value: Value) -> Result<Value> {
    program.owner("settings.set", json!({"key": key, "value": value})).await
}

fn rows() -> Vec<&'static Spec> {
    feature().settings
}

/// An accepted value that is not the default.
fn another(shape: &Shape, default: &Value) -> Value {
    match *shape {
        Shape::Toggle => json!(default != true),
        Shape::Int { min, max, .. } => json!(if default == min { max } else { min }),
        Shape::Number { min, .. } => json!(if default.as_f64() == Some(min) { min + 1.0 } else { min }),
        Shape::Text { format: kit::setting::Format::TimeOfDay, .. } => json!("12:34"),
        Shape::Text { format: kit::setting::Format::TimeZone, .. } => json!("Europe/Paris"),
        Shape::Text { format: kit::setting::Format::Digits, .. } => json!("123"),
        Shape::Text { .. } => json!("something"),
        Shape::Select(choices) => json!(choices.iter().find(|c| default != c.value).unwrap().value),
        Shape::OneOf(choices) => json!(choices.iter().find(|c| default != **c).unwrap()),
        Shape::List { of, .. } => json!([another(of, &Value::Null)]),
        Shape::Map { of } => json!({"one": another(of, &Value::Null)}),
        Shape::Object(fields) => json!({fields[0].name: another(&fields[0].shape, &Value::Null)}),
    }
}

/// A value of another type.
fn wrong(shape: &Shape) -> Value {
    match shape {
        Shape::Toggle => json!("true"),
        Shape::List { .. } => json!({}),
        Shape::Map { .. } | Shape::Object(_) => json!([]),
        Shape::Int { .. } | Shape::Number { .. } | Shape::OneOf(_) => json!("1"),
        Shape::Text { .. } | Shape::Select(_) => json!(1),
    }
}

#[tokio::test]
async fn every_setting_is_listed_read_set_kept_and_reset() {
    let mut program = start().await;
    let list = program.owner("settings.list", json!({})).await.unwrap();
    assert_eq!(list["settings"].as_array().unwrap().len(), rows().len());
    for record in list["settings"].as_array().unwrap() {
        for member in [
            "key",
            "type",
            "accepted",
            "description",
            "area",
            "section",
            "title",
            "schema",
            "default",
            "value",
            "applies",
            "writableBy",
            "platforms",
            "effect",
        ] {
            assert!(record.get(member).is_some(), "{} lacks {member}", record["key"]);
        }
        assert_eq!(
            record["effect"]["active"].as_bool().unwrap(),
            record["effect"]["reasons"].as_array().unwrap().is_empty(),
            "{record}"
        );
    }
    for spec in rows() {
        let (default, new) = (spec.default_json(), another(&spec.shape, &spec.default_json()));
        assert_eq!(get(&program, spec.key).await["value"], default);
        let changed = set(&program, spec.key, new.clone()).await.unwrap_or_else(|e| panic!("{}: {e}", spec.key));
        assert_eq!(
            (&changed["value"], &changed["previous"], &changed["changed"], &changed["modified"]),
            (&new, &default, &json!(true), &json!(true))
        );
        let refusal = refused(set(&program, spec.key, wrong(&spec.shape)).await, "invalid-setting-value");
        assert_eq!((refusal.code().status, refusal.fields()[0].pointer.as_str()), (422, "/value"), "{}", spec.key);
        assert!(refusal.problem()["accepted"].is_string());
        assert_eq!(get(&program, spec.key).await["value"], new, "a refused value leaves the old one");
    }
    program = program.restart().await;
    for spec in rows() {
        assert_eq!(
            get(&program, spec.key).await["value"],
            another(&spec.shape, &spec.default_json()),
            "{} after a restart",
            spec.key
        );
        let reset = program.owner("settings.reset", json!({"key": spec.key})).await.unwrap();
        assert_eq!((&reset["value"], &reset["modified"]), (&spec.default_json(), &json!(false)), "{}", spec.key);
    }
    let stored = program
        .ctx
        .db()
        .read(|tx| tx.query("SELECT key FROM settings", params![], |row| row.get::<String>(0)))
        .await
        .unwrap();
    assert!(stored.is_empty(), "only what the user set is stored: {stored:?}");
}

#[tokio::test]
async fn the_record_is_as_documented() {
    let program = start().await;
    let record = get(&program, "sessionCpuCapPercent").await;
    for (member, expected) in [
        ("type", json!("number")),
        ("accepted", json!("integer 25..90, step 5")),
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
    let codes: Vec<_> =
        record["effect"]["reasons"].as_array().unwrap().iter().map(|r| r["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["platform", "requires", "not-built-yet"]);
}

#[tokio::test]
async fn an_equal_value_changes_nothing() {
    let program = start().await;
    let first = set(&program, "toastDisplayDurationSeconds", json!(9)).await.unwrap();
    let again = set(&program, "toastDisplayDurationSeconds", json!(9)).await.unwrap();
    assert!(first["change"].is_string());
    assert_eq!((&again["changed"], &again["change"]), (&json!(false), &Value::Null));
    let history = program.owner("settings.history", json!({})).await.unwrap();
    assert_eq!(history["items"].as_array().unwrap().len(), 1);
    assert_eq!(program.owner("settings.list", json!({})).await.unwrap()["revision"], 1);
}

#[tokio::test]
async fn the_list_has_a_tag_that_changes_with_it() {
    let program = start().await;
    let owner = || Caller::new(Kind::Owner, ACCOUNT, "t");
    let first = program.call(Call::of(owner()), "settings.list", json!({})).await.unwrap();
    let tag = first.headers.iter().find(|(name, _)| *name == "etag").unwrap().1.clone();
    let again = || Call { if_none_match: Some(tag.clone()), ..Call::of(owner()) };
    assert_eq!(program.call(again(), "settings.list", json!({})).await.unwrap().status, 304);
    set(&program, "dripEnabled", json!(true)).await.unwrap();
    let changed = program.call(again(), "settings.list", json!({})).await.unwrap();
    assert_eq!(changed.status, 200);
    let drip =
        json_of(&changed)["settings"].as_array().unwrap().iter().find(|r| r["key"] == "dripEnabled").unwrap()["value"]
            .clone();
    assert_eq!(drip, true);
}

#[tokio::test]
async fn filters_narrow_the_list() {
    let program = start().await;
    set(&program, "dripEnabled", json!(true)).await.unwrap();
    set(&program, "cliServerEnabled", json!(false)).await.unwrap();
    let keys = async |filter: Value| -> Vec<String> {
        let list = program.owner("settings.list", filter).await.unwrap();
        list["settings"].as_array().unwrap().iter().map(|r| r["key"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(keys(json!({"modified": true})).await, ["cliServerEnabled", "dripEnabled"]);
    assert_eq!(keys(json!({"pendingRestart": true})).await, ["cliServerEnabled"]);
    assert_eq!(keys(json!({"agentWritable": true})).await, [""; 0]);
    assert_eq!(keys(json!({"section": "cloud"})).await.len(), 4);
    assert_eq!(keys(json!({"area": "Projects & Tasks"})).await.len(), 7);
    assert!(keys(json!({"q": "Quiet Zone"})).await.contains(&"pmInboxQuietHoursTimeZone".to_owned()));
    assert_eq!(
        keys(json!({"inactive": false})).await,
        ["allowAgentAppRestart", "cliServerEnabled"],
        "what is obeyed now"
    );
}

#[tokio::test]
async fn a_batch_is_all_or_nothing_and_names_every_wrong_place() {
    let program = start().await;
    let changes = json!({"dripEnabled": true, "webmailPageSize": 101, "noSuchKey": 1, "rssDigestTime": "7:30"});
    let refusal = program.owner("settings.change", json!({"changes": changes})).await.unwrap_err();
    let pointers: Vec<_> = refusal.fields().iter().map(|f| f.pointer.as_str()).collect();
    assert_eq!(pointers, ["/changes/noSuchKey", "/changes/rssDigestTime", "/changes/webmailPageSize"]);
    assert_eq!(get(&program, "dripEnabled").await["value"], false);
    let changes = json!({"dripEnabled": true, "webmailPageSize": 50});
    let dry = program.owner("settings.change", json!({"changes": changes, "dryRun": true})).await.unwrap();
    assert_eq!(dry["results"][0], json!({"key": "dripEnabled", "from": false, "to": true, "changed": true}));
    assert_eq!(get(&program, "dripEnabled").await["value"], false);
    let done = program.owner("settings.change", json!({"changes": changes})).await.unwrap();
    assert!(done["results"][0]["change"].is_string());
    assert_eq!(get(&program, "dripEnabled").await["value"], true);
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
async fn what_is_exported_can_be_imported() {
    let program = start().await;
    set(&program, "webmailPageSize", json!(20)).await.unwrap();
    set(&program, "heardAboutUs", json!("Friends")).await.unwrap();
    let document = program.owner("settings.export", json!({})).await.unwrap();
    assert_eq!(document["settings"], json!({"heardAboutUs": "Friends", "webmailPageSize": 20}));
    let other = start().await;
    set(&other, "dripEnabled", json!(true)).await.unwrap();
    let dry =
        other.owner("settings.import", json!({"document": document, "dryRun": true, "mode": "replace"})).await.unwrap();
    assert_eq!(dry["results"].as_array().unwrap().len(), 3);
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
    let document = json!({"format": "pilothouse-settings", "version": 1, "settings": {"dripEnabled": true, "fromTheFuture": 1, "webmailPageSize": 0}});
    refused(program.owner("settings.import", json!({"document": document})).await, "unknown-setting");
    assert_eq!(get(&program, "dripEnabled").await["value"], false);
    let done = program.owner("settings.import", json!({"document": document, "skipInvalid": true})).await.unwrap();
    let skipped: Vec<_> = done["skipped"].as_array().unwrap().iter().map(|s| s["key"].as_str().unwrap()).collect();
    assert_eq!(skipped, ["fromTheFuture", "webmailPageSize"]);
    assert_eq!(get(&program, "dripEnabled").await["value"], true);
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
async fn sessions_read_everything_and_write_nothing() {
    let program = start().await;
    let agent = || Caller {
        scopes: vec!["settings:read".into(), "settings:write".into()],
        session: Some("s".into()),
        ..Caller::new(Kind::Agent, ACCOUNT, "t")
    };
    for spec in rows() {
        program.as_caller(agent(), "settings.get", json!({"key": spec.key})).await.unwrap();
        let value = another(&spec.shape, &spec.default_json());
        for (op, input) in [
            ("settings.set", json!({"key": spec.key, "value": value})),
            ("settings.reset", json!({"key": spec.key})),
            ("settings.change", json!({"changes": {spec.key: value}})),
        ] {
            let refusal = refused(program.as_caller(agent(), op, input).await, "agent-may-not-write");
            assert!(refusal.detail().contains(spec.key));
        }
    }
    refused(program.as_caller(agent(), "settings.history", json!({})).await, "forbidden-caller");
    let without = Caller { scopes: Vec::new(), ..agent() };
    refused(program.as_caller(without, "settings.get", json!({"key": "dripEnabled"})).await, "scope-missing");
    let member = Caller::new(Kind::Member, ACCOUNT, "t");
    refused(
        program.as_caller(member, "settings.set", json!({"key": "dripEnabled", "value": true})).await,
        "forbidden-caller",
    );
}

#[tokio::test]
async fn accounts_are_apart_and_the_installation_is_the_firsts() {
    let program = start().await;
    let other = || Caller::new(Kind::Owner, OTHER_ACCOUNT, "t");
    set(&program, "dripEnabled", json!(true)).await.unwrap();
    set(&program, "allowAgentAppRestart", json!(true)).await.unwrap();
    let of_other = async |key: &str| program.as_caller(other(), "settings.get", json!({"key": key})).await.unwrap();
    assert_eq!(of_other("dripEnabled").await["value"], false);
    assert_eq!(of_other("allowAgentAppRestart").await["value"], true);
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
    for (key, text) in [("webmailPageSize", "500"), ("fromAnEarlierVersion", "\"kept\""), ("dripEnabled", "no json")] {
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
    assert_eq!((&record["value"], &record["problem"]["stored"]), (&json!(50), &json!(500)));
    assert_eq!(get(&program, "dripEnabled").await["value"], false);
    assert_eq!(get(&program, "heardAboutUs").await["value"], "Friends", "nothing else is lost");
    let list = program.owner("settings.list", json!({})).await.unwrap();
    assert_eq!(list["unknownStored"], json!([{"key": "fromAnEarlierVersion", "value": "kept"}]));
    let exported = program.owner("settings.export", json!({})).await.unwrap();
    assert_eq!(
        (&exported["settings"]["fromAnEarlierVersion"], &exported["settings"]["webmailPageSize"]),
        (&json!("kept"), &json!(500))
    );
}

#[tokio::test]
async fn a_next_start_setting_waits_for_the_restart() {
    let program = start().await;
    let changed = set(&program, "cliServerEnabled", json!(false)).await.unwrap();
    assert_eq!(
        (&changed["pendingRestart"], &changed["effect"]["reasons"][0]["code"]),
        (&json!(true), &json!("restart-pending"))
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
    program.ctx.provide(Arc::new(crate::RestartHook::new(move || {
        counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    })));
    let count = || restarts.load(std::sync::atomic::Ordering::SeqCst);
    let agent = || Caller { scopes: vec!["app:restart".into()], ..Caller::new(Kind::Agent, ACCOUNT, "t") };
    for caller in [Caller::new(Kind::Cli, ACCOUNT, "cli"), agent()] {
        refused(program.as_caller(caller, "app.restart", json!({})).await, "restart-disabled");
    }
    assert_eq!(count(), 0);
    program.owner("app.restart", json!({})).await.unwrap();
    assert_eq!(count(), 1, "the person's own button always works");
    set(&program, "allowAgentAppRestart", json!(true)).await.unwrap();
    program.as_caller(agent(), "app.restart", json!({})).await.unwrap();
    assert_eq!(count(), 2);
}

#[tokio::test]
async fn a_stale_tag_changes_nothing() {
    let program = start().await;
    set(&program, "dripEnabled", json!(true)).await.unwrap();
    let call = Call { if_match: Some("\"0\"".into()), ..Call::of(Caller::new(Kind::Owner, ACCOUNT, "t")) };
    refused(program.call(call, "settings.set", json!({"key": "dripEnabled", "value": false})).await, "stale-revision");
    assert_eq!(get(&program, "dripEnabled").await["value"], true);
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
    assert_eq!(told.event, events::Event::SettingChanged { key: "webmailPageSize", value: json!(20), revision: 1 });
    assert!(live.try_recv().is_err(), "an equal value is no change");
}

#[tokio::test]
async fn the_schema_describes_an_export() {
    let program = start().await;
    let schema = program.owner("settings.schema", json!({})).await.unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let all: serde_json::Map<_, _> =
        rows().iter().map(|s| (s.key.to_owned(), another(&s.shape, &s.default_json()))).collect();
    assert!(validator.is_valid(&Value::Object(all)));
    assert!(!validator.is_valid(&json!({"noSuchKey": 1})));
}

/// A step of the model test.
#[derive(Debug, Clone)]
enum Step {
    Set(usize, bool),
    Reset(usize),
    Undo,
    Batch(Vec<usize>),
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = 0..8usize;
    let step = prop_oneof![
        4 => (key.clone(), any::<bool>()).prop_map(|(k, v)| Step::Set(k, v)),
        2 => key.clone().prop_map(Step::Reset),
        1 => Just(Step::Undo),
        1 => proptest::collection::vec(key, 1..4).prop_map(Step::Batch),
        1 => Just(Step::Restart),
    ];
    proptest::collection::vec(step, 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    /// Whatever is done in whatever order, the store holds what a plain map would hold.
    #[test]
    fn the_store_behaves_like_a_map(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let keys: Vec<&Spec> = rows().into_iter().filter(|s| !s.installation).step_by(29).take(8).collect();
            let mut program = start().await;
            let mut model: BTreeMap<String, Value> = BTreeMap::new();
            let mut before: Option<BTreeMap<String, Value>> = None;
            for step in steps {
                let previous = model.clone();
                match step {
                    Step::Set(k, changed) => {
                        let value = if changed { another(&keys[k].shape, &keys[k].default_json()) } else { keys[k].default_json() };
                        set(&program, keys[k].key, value.clone()).await.unwrap();
                        // Null, the default of a nullable text, is the same as not set.
                        if value.is_null() { model.remove(keys[k].key) } else { model.insert(keys[k].key.into(), value) };
                        before = Some(previous);
                    }
                    Step::Reset(k) => {
                        program.owner("settings.reset", json!({"key": keys[k].key})).await.unwrap();
                        model.remove(keys[k].key);
                        before = Some(previous);
                    }
                    Step::Undo => {
                        let history = program.owner("settings.history", json!({"limit": 1})).await.unwrap();
                        if let (Some(last), Some(to)) = (history["items"].get(0), before.take()) && to != model {
                            program.owner("settings.undo", json!({"change": last["change"]})).await.unwrap();
                            model = to;
                        }
                    }
                    Step::Batch(ks) => {
                        let changes: serde_json::Map<_, _> = ks.iter().map(|k| (keys[*k].key.to_owned(), another(&keys[*k].shape, &keys[*k].default_json()))).collect();
                        model.extend(changes.clone());
                        program.owner("settings.change", json!({"changes": changes})).await.unwrap();
                        before = None;
                    }
                    Step::Restart => program = program.restart().await,
                }
                let settings = program.ctx.service::<Settings>();
                assert_eq!(settings.snapshot(ACCOUNT).stored, model);
            }
        });
    }
}
