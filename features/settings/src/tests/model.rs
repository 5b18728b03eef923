//! Whatever is done in whatever order, the store holds what a plain map would hold, and its history tells how it came.

use super::{rows, start};
use crate::snapshot::Settings;
use kit::setting::Spec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use testkit::values::another;
use testkit::{ACCOUNT, Program, refused};

#[derive(Debug, Clone)]
enum Step {
    /// The default, or another value.
    Set(usize, bool),
    Reset(usize),
    /// Several; `None` resets.
    Batch(BTreeMap<usize, Option<bool>>),
    /// A document, replacing or merging.
    Import(BTreeMap<usize, bool>, bool),
    /// The nth change back, by force or not.
    Undo(usize, bool),
    Restart,
}

const KEYS: usize = 8;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    use proptest::collection::{btree_map, vec};
    let key = || 0..KEYS;
    let step = prop_oneof![
        4 => (key(), any::<bool>()).prop_map(|(k, other)| Step::Set(k, other)),
        2 => key().prop_map(Step::Reset),
        2 => btree_map(key(), any::<Option<bool>>(), 0..4).prop_map(Step::Batch),
        2 => (btree_map(key(), any::<bool>(), 0..4), any::<bool>()).prop_map(|(d, r)| Step::Import(d, r)),
        3 => (0..6usize, any::<bool>()).prop_map(|(n, force)| Step::Undo(n, force)),
        1 => Just(Step::Restart),
    ];
    vec(step, 1..32)
}

/// What the store should be like.
#[derive(Default)]
struct Model {
    stored: BTreeMap<String, Value>,
    /// Key, before, after, and the change's id once it is known; the oldest first.
    history: Vec<(String, Option<Value>, Option<Value>)>,
}

impl Model {
    /// `None` is back to the default, and so is null.
    fn set(&mut self, spec: &Spec, value: Option<Value>) {
        let value = value.filter(|value| !value.is_null());
        let before = self.stored.get(spec.key).cloned();
        if before == value || before.is_none() && value == Some(spec.default_json()) {
            return;
        }
        match &value {
            Some(value) => self.stored.insert(spec.key.to_owned(), value.clone()),
            None => self.stored.remove(spec.key),
        };
        self.history.push((spec.key.to_owned(), before, value));
    }
}

fn value(spec: &Spec, other: bool) -> Value {
    if other { another(&spec.shape, &spec.default_json()) } else { spec.default_json() }
}

/// Does it dry and then really; both say the same.
async fn twice(program: &Program, op: &str, mut input: Value) {
    input["dryRun"] = json!(true);
    let mut dry = program.owner(op, input.clone()).await.unwrap();
    input["dryRun"] = json!(false);
    let mut done = program.owner(op, input).await.unwrap();
    for answer in [&mut dry, &mut done] {
        answer["dryRun"].take();
        answer["revision"].take();
        answer["changes"].as_array_mut().unwrap().iter_mut().for_each(|change| drop(change["change"].take()));
    }
    assert_eq!(dry, done);
}

async fn run(steps: Vec<Step>) {
    // From all over the list, however many of its rows wait here.
    let all: Vec<&Spec> = rows().into_iter().filter(|s| !s.installation).collect();
    let keys: Vec<&Spec> = all.iter().copied().step_by(all.len() / KEYS).take(KEYS).collect();
    let mut program = start().await;
    let mut model = Model::default();
    for step in steps {
        match step {
            Step::Set(k, other) => {
                let input = json!({"key": keys[k].key, "value": value(keys[k], other)});
                program.owner("settings.set", input).await.unwrap();
                model.set(keys[k], Some(value(keys[k], other)));
            }
            Step::Reset(k) => {
                program.owner("settings.reset", json!({"key": keys[k].key})).await.unwrap();
                model.set(keys[k], None);
            }
            Step::Batch(batch) => {
                let wanted =
                    |(k, other): (&usize, &Option<bool>)| (keys[*k], other.map(|other| value(keys[*k], other)));
                let changes: Map<String, Value> =
                    batch.iter().map(wanted).map(|(spec, value)| (spec.key.to_owned(), json!(value))).collect();
                twice(&program, "settings.change", json!({"changes": changes})).await;
                let mut batch: Vec<_> = batch.iter().map(wanted).collect();
                batch.sort_by_key(|(spec, _)| spec.key);
                batch.into_iter().for_each(|(spec, value)| model.set(spec, value));
            }
            Step::Import(document, replaces) => {
                let settings: BTreeMap<&str, Value> =
                    document.iter().map(|(k, other)| (keys[*k].key, value(keys[*k], *other))).collect();
                let document = json!({"format": "pilothouse-settings", "version": 1, "settings": settings});
                let mode = if replaces { "replace" } else { "merge" };
                twice(&program, "settings.import", json!({"document": document, "mode": mode})).await;
                let spec = |key: &str| *keys.iter().find(|spec| spec.key == key).unwrap();
                settings.iter().for_each(|(key, value)| model.set(spec(key), Some(value.clone())));
                let left_out = |key: &String| replaces && !settings.contains_key(key.as_str());
                let left_out: Vec<String> = model.stored.keys().filter(|key| left_out(key)).cloned().collect();
                left_out.iter().for_each(|key| model.set(spec(key), None));
            }
            Step::Undo(n, force) => {
                let history = program.owner("settings.history", json!({})).await.unwrap();
                let Some(change) = history["items"].get(n).map(|item| item["change"].clone()) else { continue };
                let (key, before, after) = model.history[model.history.len() - 1 - n].clone();
                let outcome = program.owner("settings.undo", json!({"change": change, "force": force})).await;
                if !force && model.stored.get(&key) != after.as_ref() {
                    refused(outcome, "changed-since");
                    continue;
                }
                outcome.unwrap();
                model.set(keys.iter().find(|spec| spec.key == key).unwrap(), before);
            }
            Step::Restart => program = program.restart().await,
        }
        let snapshot = program.ctx.service::<Settings>().snapshot(ACCOUNT);
        assert_eq!(snapshot.stored, model.stored);
        assert_eq!(snapshot.revision, model.history.len() as i64);
    }
    let history = program.owner("settings.history", json!({"limit": 500})).await.unwrap();
    let told = history["items"].as_array().unwrap().iter().rev();
    let told: Vec<_> = told.map(|c| json!([c["key"], c["from"], c["to"]])).collect();
    let held: Vec<_> = model.history.iter().map(|(key, before, after)| json!([key, before, after])).collect();
    assert_eq!(told, held);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn the_store_behaves_like_a_map(steps in steps()) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(run(steps));
    }
}
