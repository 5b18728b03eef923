//! The bounds of every setting, as its record publishes them, hold where it is changed.

use super::{get, owner, program, set};
use crate::features;
use kit::setting::MEMBERS_MAX;
use serde_json::{Map, Value, json};
use testkit::refused;
use testkit::values::another;

/// Values that a schema does not take although they are of its type: each with where it is wrong and the code for that.
/// `good` is a value that it takes.
fn beyond(schema: &Value, good: &Value) -> Vec<(Value, String, &'static str)> {
    let here = |value: Value, code| (value, String::new(), code);
    let mut all = Vec::new();
    let step = schema["multipleOf"].as_i64().unwrap_or(1);
    match schema["type"].as_str().or_else(|| schema["type"][0].as_str()) {
        Some("integer") => {
            let (min, max) = (schema["minimum"].as_i64().unwrap(), schema["maximum"].as_i64().unwrap());
            all.extend([min - step, max + step, i64::MIN, i64::MAX].map(|n| here(json!(n), "out-of-range")));
            all.extend([1e300, -1e300].map(|n| here(json!(n), "out-of-range")));
            all.push(here(json!(min as f64 + 0.5), "not-whole"));
            if step > 1 {
                all.extend([min + 1, max - 1].map(|n| here(json!(n), "off-step")));
            }
        }
        Some("number") => {
            all.push(here(json!(schema["minimum"].as_f64().unwrap() - 0.001), "out-of-range"));
            all.extend(schema["maximum"].as_f64().map(|max| here(json!(max + 0.001), "out-of-range")));
            // In the place of what cannot be kept.
            all.push(here(json!(f64::MAX), "out-of-range"));
        }
        Some("string") if schema["maxLength"].is_u64() => {
            // Of two bytes each: characters are what counts.
            let long = "é".repeat(schema["maxLength"].as_u64().unwrap() as usize + 1);
            all.push(here(json!(long), "too-long"));
            if !schema["pattern"].is_null() || !schema["format"].is_null() {
                all.push(here(json!("x"), "wrong-format"));
            }
        }
        Some("array") => {
            let (of, one) = (&schema["items"], &good[0]);
            all.push(here(json!(vec![one; MEMBERS_MAX + 1]), "too-many"));
            if schema["uniqueItems"] == true {
                all.push((json!([one, one]), "/1".into(), "repeated"));
            }
            let within = beyond(of, one).into_iter();
            // Behind one that is right: the place of the wrong one is told.
            all.extend(within.map(|(value, at, code)| (json!([one, value]), format!("/1{at}"), code)));
        }
        Some("object") if schema["properties"].is_object() => {
            all.push((json!({"noSuchField": 1}), "/noSuchField".into(), "unknown-field"));
            for (name, of) in schema["properties"].as_object().unwrap() {
                let one = if good[name].is_null() { &sample(of) } else { &good[name] };
                let within = beyond(of, one).into_iter();
                all.extend(within.map(|(value, at, code)| (json!({name: value}), format!("/{name}{at}"), code)));
            }
        }
        Some("object") => {
            let (of, one) = (&schema["additionalProperties"], good.as_object().unwrap().values().next().unwrap());
            let many: Map<String, Value> = (0..=MEMBERS_MAX).map(|n| (n.to_string(), one.clone())).collect();
            all.push(here(Value::Object(many), "too-many"));
            let within = beyond(of, one).into_iter();
            all.extend(within.map(|(value, at, code)| (json!({"k": value}), format!("/k{at}"), code)));
        }
        Some("boolean") => {}
        // Words or numbers to choose from.
        _ => {
            let choices: Vec<&Value> = match (schema["enum"].as_array(), schema["oneOf"].as_array()) {
                (Some(all), _) => all.iter().collect(),
                (_, Some(all)) => all.iter().map(|one| &one["const"]).collect(),
                _ => panic!("a schema of another kind: {schema}"),
            };
            assert!(choices.contains(&good), "{good} is none of {schema}");
            match choices[0] {
                Value::Number(_) => {
                    let most = choices.iter().filter_map(|n| n.as_i64()).max().unwrap();
                    all.push(here(json!(most + 1), "not-a-choice"));
                }
                word => {
                    let word = word.as_str().unwrap();
                    all.extend(
                        ["", "no-such-word", &word.to_uppercase(), &format!("{word} ")]
                            .map(|odd| here(json!(odd), "not-a-choice")),
                    );
                }
            }
        }
    }
    all
}

/// A value that a schema of a field takes.
fn sample(schema: &Value) -> Value {
    match schema["type"].as_str().or_else(|| schema["type"][0].as_str()) {
        Some("integer" | "number") => schema["minimum"].clone(),
        Some("string") => json!("a"),
        Some("array") => json!([sample(&schema["items"])]),
        Some("boolean") => json!(true),
        Some("object") => {
            let fields = schema["properties"].as_object().unwrap();
            Value::Object(fields.iter().map(|(name, of)| (name.clone(), sample(of))).collect())
        }
        _ => panic!("a field of another kind: {schema}"),
    }
}

#[tokio::test]
async fn what_is_beyond_a_settings_bounds_is_refused_with_its_place_and_the_old_value_stays() {
    let program = program().await;
    let mut tried = std::collections::BTreeMap::new();
    for spec in features::settings() {
        let record = get(&program, spec.key).await;
        let kept = another(&spec.shape, &spec.default_json());
        set(&program, spec.key, kept.clone()).await.unwrap();
        let beyond = beyond(&record["schema"], &kept);
        assert!(!beyond.is_empty() || record["schema"]["type"] == "boolean", "{} has no bounds", spec.key);
        for (value, at, code) in beyond {
            let refusal = refused(set(&program, spec.key, value.clone()).await, "invalid-setting-value");
            assert_eq!(refusal.code().status, 422, "{}", spec.key);
            let places: Vec<_> =
                refusal.fields().iter().map(|field| (field.pointer.clone(), field.code.name())).collect();
            let short: String = value.to_string().chars().take(80).collect();
            assert!(
                places.contains(&(format!("/value{at}"), code)),
                "{}: {short} at {at:?} is {code}: {places:?}",
                spec.key
            );
            assert_eq!(refusal.problem()["accepted"], record["accepted"], "{}", spec.key);
            *tried.entry(code).or_insert(0) += 1;
        }
        assert_eq!(get(&program, spec.key).await["value"], kept, "{}: a refused value leaves the old one", spec.key);
    }
    for code in [
        "out-of-range",
        "off-step",
        "not-whole",
        "too-long",
        "not-a-choice",
        "wrong-format",
        "repeated",
        "too-many",
        "unknown-field",
    ] {
        assert!(tried.get(code).is_some_and(|times| *times > 0), "no setting was tried with {code}: {tried:?}");
    }
    let history = owner(&program, "settings.history", json!({"limit": 500})).await.unwrap();
    assert_eq!(
        history["items"].as_array().unwrap().len(),
        features::settings().len(),
        "nothing that was refused is recorded"
    );
}

#[tokio::test]
async fn the_bounds_themselves_are_accepted() {
    let program = program().await;
    for spec in features::settings() {
        let schema = get(&program, spec.key).await["schema"].clone();
        let text = schema["maxLength"].as_u64().filter(|_| schema["pattern"].is_null() && schema["format"].is_null());
        let ends =
            [schema["minimum"].clone(), schema["maximum"].clone(), json!(text.map(|max| "é".repeat(max as usize)))];
        for end in ends.into_iter().filter(|end| !end.is_null()) {
            let changed = set(&program, spec.key, end.clone()).await.unwrap_or_else(|e| panic!("{}: {e}", spec.key));
            assert_eq!(changed["value"].as_f64(), end.as_f64(), "{}", spec.key);
            assert_eq!(changed["value"].as_str(), end.as_str(), "{}", spec.key);
        }
    }
}

#[tokio::test]
async fn each_default_is_accepted_by_its_own_setting() {
    let program = program().await;
    let list = owner(&program, "settings.list", json!({})).await.unwrap();
    assert_eq!(list["settings"].as_array().unwrap().len(), features::settings().len());
    for record in list["settings"].as_array().unwrap() {
        let (key, default) = (record["key"].as_str().unwrap(), &record["default"]);
        let schema = jsonschema::draft202012::new(&record["schema"]).unwrap();
        assert!(schema.is_valid(default), "{key}: its schema refuses its default {default}");
        let spec = features::settings().into_iter().find(|spec| spec.key == key).unwrap();
        assert_eq!(spec.check(default).err().map(|wrong| wrong[0].detail.clone()), None, "{key}");
        let other = another(&spec.shape, default);
        set(&program, key, other).await.unwrap();
        let back = set(&program, key, default.clone()).await.unwrap_or_else(|e| panic!("{key}: {e}"));
        assert_eq!(&back["value"], default, "{key}");
    }
}
