//! Bytes that are no board.

use super::testdata::stream_in_batches;
use super::{board, column, stream};
use crate::Engine;
use proptest::prelude::*;
use serde_json::{Value, json};

fn sample() -> Value {
    let columns = vec![
        column("t", "Note", "text", json!({})),
        column("n", "Points", "number", json!({})),
        column("s", "Status", "status", json!({"labels": [{"id": "l1", "text": "To do"}]})),
        column("g", "Tags", "tags", json!({})),
        column("d", "Due", "date", json!({})),
        column("c", "Ready", "checkbox", json!({})),
        column("l", "Plan", "timeline", json!({})),
        column("o", "Odd", "formula", json!({})),
    ];
    let cells = [
        json!({"t": "a", "n": 3, "s": "l1", "g": ["x"], "d": "2026-11-21", "c": true, "l": {"from": "2026-11-21", "to": "2026-11-28"}}),
        json!({}),
        json!({"g": ["y", "x"], "s": "l9"}),
    ];
    board("b", columns, &cells)
}

#[test]
fn every_cut_is_refused_or_read() {
    let bytes = stream(&sample());
    for end in 0..bytes.len() {
        // Without its last marker the stream is whole.
        let _ = Engine::new().load(&bytes[..end]);
    }
    assert_eq!(Engine::new().load(&bytes).expect("whole").items, 3);
    assert!(Engine::new().load(&bytes[..bytes.len() / 2]).is_err());
}

#[test]
fn every_byte_may_be_wrong() {
    let bytes = stream(&sample());
    for at in 0..bytes.len() {
        for wrong in [0, 0x7f, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x80] {
            let mut changed = bytes.clone();
            changed[at] = wrong;
            let mut engine = Engine::new();
            if let Ok(info) = engine.load(&changed) {
                let chart =
                    json!({"id": "w", "kind": "chart", "x": {"by": "column"}, "cols": {"x": {&info.id: ["g"]}}});
                let query = serde_json::from_value(json!({"boards": [info.id], "widgets": [chart]})).expect("a query");
                engine.query(&query);
            }
        }
    }
}

#[test]
fn several_batches_are_one_board() {
    let board = sample();
    let chart = |bytes: &[u8]| {
        let mut engine = Engine::new();
        engine.load(bytes).expect("a board");
        let widget = |column: &str| json!({"id": column, "kind": "chart", "cols": {"x": {"b": [column]}}});
        let query =
            json!({"boards": ["b"], "widgets": [widget("s"), widget("g"), widget("t"), widget("d"), widget("l")]});
        engine.query(&serde_json::from_value(query).expect("a query"))
    };
    assert_eq!(chart(&stream_in_batches(&board, 1)), chart(&stream(&board)));
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(Engine::new().load(&bytes).is_err());
    }
}
