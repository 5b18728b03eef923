//! Golden vectors: the same boards and queries are given to the WebAssembly build by `ui/src/engine/golden.test.ts`.
//!
//! `boards.json`, `queries.json` and `histories.json` are written by hand; the streams and `answers.jsonl`, a line for each query, are derived
//! from them here and committed.

use super::stream;
use crate::widgets::KINDS;
use crate::{Engine, Query};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

fn read(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(file(name)).expect(name);
    serde_json::from_str(&text).expect(name)
}

/// Writes a derived file anew and says whether it was as it should be.
fn settle(name: &str, bytes: &[u8]) -> bool {
    let before = std::fs::read(file(name)).unwrap_or_default();
    if before != bytes {
        std::fs::write(file(name), bytes).expect(name);
    }
    before == bytes
}

#[test]
fn what_columns_play_is_declared_by_the_kind() {
    let configs = read("queries.json").into_iter().flat_map(|query| query["widgets"].as_array().cloned());
    for config in configs.flatten() {
        let Some(kind) = KINDS.iter().find(|kind| config["kind"] == kind.name) else { continue };
        for role in crate::roles(&config).unwrap_or_default() {
            assert!(kind.roles.iter().any(|one| one.name == role.name && one.types == role.types), "{role:?}");
        }
    }
}

#[test]
fn answers_are_the_golden_ones() {
    let mut engine = Engine::new();
    let mut settled = true;
    for board in read("boards.json") {
        let bytes = stream(&board);
        assert!(bytes.len() < 50_000, "a golden stream stays small");
        engine.load(&bytes).expect("a board");
        settled &= settle(&format!("{}.arrow", board["board"]["id"].as_str().expect("id")), &bytes);
    }
    let histories: BTreeMap<String, Value> =
        serde_json::from_slice(&std::fs::read(file("histories.json")).expect("histories")).expect("histories");
    histories.into_iter().for_each(|(name, history)| engine.set_history(&name, history));
    let mut answers = String::new();
    for query in read("queries.json") {
        let query: Query = serde_json::from_value(query).expect("a query");
        answers += &serde_json::to_string(&engine.query(&query)).expect("JSON");
        answers.push('\n');
    }
    settled &= settle("answers.jsonl", answers.as_bytes());
    assert!(
        settled,
        "files in crates/widgets/golden differed and have been written anew: look at them and commit them"
    );
}
