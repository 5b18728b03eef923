//! The three rules that the otherwise opaque config must keep.

use crate::errors::CONFIG_TOO_LARGE;
use kit::Fault;
use kit::fault;
use kit::op::limits::LARGE_BYTES;
use kit::{FieldError, Result};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Boards that one dashboard connects; a client reads each of them whole.
pub(crate) const BOARD_IDS_MAX: usize = 100;
/// The largest whole number that every reader of JSON reads as it was written.
const WHOLE_MAX: i64 = (1 << 53) - 1;
/// Places that one refusal names.
pub(crate) const WRONG_MAX: usize = 100;

pub(crate) type Config = Map<String, Value>;

/// Boards that a config connects.
pub(crate) fn board_ids(config: &Config) -> HashSet<String> {
    let ids = config.get("boardIds").and_then(Value::as_array);
    ids.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A whole number, however it is written: 4.0 is one, as it is in every other input.
fn whole(value: &Value) -> Option<i64> {
    let whole = value.as_i64().or_else(|| value.as_f64().filter(|n| n.fract() == 0.0).map(|n| n as i64));
    whole.filter(|n| n.unsigned_abs() <= WHOLE_MAX as u64)
}

/// Checks the three rules; the boards that the config connects.
pub(crate) fn checked(config: &Config) -> Result<HashSet<String>> {
    let bytes = serde_json::to_vec(config).map_or(usize::MAX, |text| text.len());
    if bytes > LARGE_BYTES {
        return Err(CONFIG_TOO_LARGE
            .error(format!("The config takes {bytes} bytes as JSON; at most {LARGE_BYTES} are accepted.")));
    }
    let mut wrong = Vec::new();
    let mut refuse = |pointer: String, code: Fault, detail: &str| {
        if wrong.len() < WRONG_MAX {
            wrong.push(FieldError { pointer, code, detail: detail.to_owned() });
        }
    };
    match config.get("boardIds") {
        None => {}
        Some(Value::Array(ids)) => {
            for (i, _) in ids.iter().enumerate().filter(|(_, id)| !id.is_string()) {
                let at = format!("/config/boardIds/{i}");
                refuse(at, fault::WRONG_TYPE, "A board's identifier is a text.");
            }
            let named = board_ids(config).len();
            if named > BOARD_IDS_MAX {
                let detail = format!("A dashboard connects at most {BOARD_IDS_MAX} boards; {named} are named.");
                refuse("/config/boardIds".into(), fault::TOO_MANY, &detail);
            }
        }
        Some(_) => refuse("/config/boardIds".into(), fault::WRONG_TYPE, "A list of board identifiers is accepted."),
    }
    match config.get("widgets") {
        None => {}
        Some(Value::Array(widgets)) => {
            for (i, widget) in widgets.iter().enumerate() {
                // Where a widget stands is the page's to decide: it draws what overlaps or sticks out in the nearest free place.
                for side in ["x", "y", "w", "h"] {
                    if widget.get("layout").and_then(|layout| layout.get(side)).and_then(whole).is_none() {
                        let detail = "A whole number is required: a widget's layout is {x, y, w, h}.";
                        refuse(format!("/config/widgets/{i}/layout/{side}"), fault::WRONG_TYPE, detail);
                    }
                }
            }
        }
        Some(_) => refuse("/config/widgets".into(), fault::WRONG_TYPE, "A list of widgets is accepted."),
    }
    if wrong.is_empty() {
        return Ok(board_ids(config));
    }
    Err(kit::error::INVALID.error("The config does not keep its rules; nothing was changed.").at_all(wrong))
}
