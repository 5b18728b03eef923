//! Golden vectors: the same boards and queries are given to the WebAssembly build by `ui/src/engine/golden.test.ts`.
//!
//! `boards.json`, `queries.json` and `histories.json` are written by hand; the streams and `answers.jsonl`, a line for each query, are derived
//! from them here and committed. So few items are told one by one. What is counted beforehand is compared by the same queries over
//! boards whose items come again and again: `large.json` says which bytes of a stream to repeat, `answers-large.jsonl` what is answered.

use super::stream;
use crate::widgets::KINDS;
use crate::{Engine, Query};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ops::Range;
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

/// Where the rows lie in a stream of one batch: its last message before the mark of the end.
fn batch(stream: &[u8]) -> Range<usize> {
    let whole = |at: usize| i32::from_le_bytes(stream[at..at + 4].try_into().expect("four bytes")) as usize;
    let half = |at: usize| usize::from(u16::from_le_bytes([stream[at], stream[at + 1]]));
    let mut batch = 0..0;
    loop {
        let (start, head) = (batch.end, batch.end + 8);
        if whole(start + 4) == 0 {
            return batch;
        }
        // The length of the body is the fourth member of the message; a body of nothing is left out.
        let message = head + whole(head);
        let members = message - whole(message);
        let at = if half(members) > 10 { half(members + 10) } else { 0 };
        let body = if at == 0 { 0 } else { whole(message + at) };
        batch = start..head + whole(start + 4) + body;
    }
}

/// How often the items of a large board come: many more than are told one by one.
const TIMES: usize = 100;

fn repeated(stream: &[u8], batch: &Range<usize>) -> Vec<u8> {
    [&stream[..batch.start], &stream[batch.clone()].repeat(TIMES), &stream[batch.end..]].concat()
}

/// A line for each query.
fn answers(engine: &mut Engine) -> String {
    let histories: BTreeMap<String, Value> =
        serde_json::from_slice(&std::fs::read(file("histories.json")).expect("histories")).expect("histories");
    histories.into_iter().for_each(|(name, history)| engine.set_history(&name, history));
    let answer = |query: Value| {
        let query: Query = serde_json::from_value(query).expect("a query");
        serde_json::to_string(&engine.query(&query)).expect("JSON") + "\n"
    };
    read("queries.json").into_iter().map(answer).collect()
}

#[test]
fn answers_are_the_golden_ones() {
    let (mut small, mut large) = (Engine::new(), Engine::new());
    let (mut settled, mut recipe) = (true, BTreeMap::new());
    for board in read("boards.json") {
        let (bytes, id) = (stream(&board), board["board"]["id"].as_str().expect("id"));
        assert!(bytes.len() < 50_000, "a golden stream stays small");
        let batch = batch(&bytes);
        small.load(&bytes).expect("a board");
        large.load(&repeated(&bytes, &batch)).expect("a large board");
        settled &= settle(&format!("{id}.arrow"), &bytes);
        recipe.insert(id.to_owned(), json!({"from": batch.start, "to": batch.end, "times": TIMES}));
    }
    settled &= settle("large.json", format!("{}\n", json!(recipe)).as_bytes());
    settled &= settle("answers.jsonl", answers(&mut small).as_bytes());
    settled &= settle("answers-large.jsonl", answers(&mut large).as_bytes());
    assert!(
        settled,
        "files in crates/widgets/golden differed and have been written anew: look at them and commit them"
    );
}
