//! What holds of every setting alike, whichever feature declares it.

mod bounds;

use super::{owner, program};
use crate::features;
use accounts::Tokens;
use kit::setting::Shape;
use kit::{Call, Caller, Kind, Result};
use serde_json::{Map, Value, json};
use store::{HasDb, params};
use testkit::values::{another, wrong};
use testkit::{Program, refused};

async fn get(program: &Program, key: &str) -> Value {
    owner(program, "settings.get", json!({"key": key})).await.unwrap()
}

async fn set(program: &Program, key: &str, value: Value) -> Result<Value> {
    owner(program, "settings.set", json!({"key": key, "value": value})).await
}

#[tokio::test]
async fn every_setting_is_listed_read_set_kept_and_reset() {
    let mut program = program().await;
    let list = owner(&program, "settings.list", json!({})).await.unwrap();
    assert_eq!(list["settings"].as_array().unwrap().len(), features::settings().len());
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
    for spec in features::settings() {
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
    for spec in features::settings() {
        assert_eq!(
            get(&program, spec.key).await["value"],
            another(&spec.shape, &spec.default_json()),
            "{} after a restart",
            spec.key
        );
        let reset = owner(&program, "settings.reset", json!({"key": spec.key})).await.unwrap();
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
async fn sessions_read_everything_and_write_nothing() {
    let program = program().await;
    let account = program.ctx.service::<Tokens>().first_account().to_owned();
    let agent = || Caller {
        scopes: vec!["settings:read".into(), "settings:write".into()],
        session: Some("s".into()),
        ..Caller::new(Kind::Agent, &account, "t")
    };
    for spec in features::settings() {
        program.as_caller(agent(), "settings.get", json!({"key": spec.key})).await.unwrap();
        let value = another(&spec.shape, &spec.default_json());
        for (op, input) in [
            ("settings.set", json!({"key": spec.key, "value": value})),
            ("settings.reset", json!({"key": spec.key})),
            ("settings.change", json!({"changes": {spec.key: value}})),
        ] {
            // Nor for a session with the command line's token.
            let of_cli = Caller { scopes: agent().scopes, ..Caller::new(Kind::Cli, &account, "c") };
            let for_session = Call { source_session: Some("s".into()), ..Call::new(of_cli) };
            let refusal = refused(program.call(for_session, op, input.clone()).await, "agent-may-not-write");
            assert_eq!(refusal.code().status, 403, "{op} {}", spec.key);
            let refusal = refused(program.as_caller(agent(), op, input).await, "agent-may-not-write");
            assert!(refusal.detail().contains(spec.key));
        }
    }
    refused(program.as_caller(agent(), "settings.history", json!({})).await, "forbidden-caller");
    let without = Caller { scopes: Vec::new(), ..agent() };
    refused(program.as_caller(without, "settings.get", json!({"key": "dripEnabled"})).await, "scope-missing");
    let member = Caller::new(Kind::Member, &account, "t");
    refused(
        program.as_caller(member, "settings.set", json!({"key": "dripEnabled", "value": true})).await,
        "forbidden-caller",
    );
}

#[tokio::test]
async fn the_record_of_a_change_stands_with_its_value_and_holds_the_one_before() {
    let program = program().await;
    for spec in features::settings() {
        let new = another(&spec.shape, &spec.default_json());
        for (value, before) in [(new.clone(), Value::Null), (Value::Null, new)] {
            let answer = set(&program, spec.key, value.clone()).await.unwrap();
            let history = owner(&program, "settings.history", json!({"key": spec.key, "limit": 1})).await.unwrap();
            let entry = &history["items"][0];
            assert_eq!(
                (&entry["change"], &entry["from"], &entry["to"], &entry["actor"]["kind"]),
                (&answer["change"], &before, &value, &json!("owner")),
                "{}",
                spec.key
            );
        }
    }
}

#[tokio::test]
async fn the_schema_describes_an_export() {
    let program = program().await;
    let schema = owner(&program, "settings.schema", json!({})).await.unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let all: Map<_, _> =
        features::settings().iter().map(|s| (s.key.to_owned(), another(&s.shape, &s.default_json()))).collect();
    assert!(validator.is_valid(&Value::Object(all)));
    assert!(!validator.is_valid(&json!({"noSuchKey": 1})));
}

/// What a setting takes must also fit into a request.
#[test]
fn the_longest_accepted_text_fits_into_a_request() {
    let ops = features::ops();
    let limit = |name: &str| ops.iter().find(|op| op.name == name).unwrap().body_bytes_max;
    let longest = features::settings().into_iter().map(|spec| match spec.shape {
        // A character outside the basic plane is two escapes of six bytes.
        Shape::Text { max, .. } => max as usize * 12,
        _ => 0,
    });
    let (longest, all) = longest.fold((0, 0), |(longest, all), bytes| (longest.max(bytes), all + bytes));
    let around = 1024;
    assert!(longest + around <= limit("settings.set"));
    assert!(all + around <= limit("settings.change") && all + around <= limit("settings.import"));
}
