//! The three rules that the otherwise opaque config must keep.

use crate::errors::CONFIG_TOO_LARGE;
use kit::op::limits::LARGE_BYTES;
use kit::{FieldError, Result};
use serde_json::{Map, Value};
use std::collections::HashSet;

/// Boards that one dashboard connects; a client reads each of them whole.
pub(crate) const BOARD_IDS_MAX: usize = 100;
/// Places that one refusal names.
pub(crate) const WRONG_MAX: usize = 100;

pub(crate) type Config = Map<String, Value>;

/// Boards that a config connects.
pub(crate) fn board_ids(config: &Config) -> HashSet<String> {
    let ids = config.get("boardIds").and_then(Value::as_array);
    ids.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Checks the three rules; the boards that the config connects.
pub(crate) fn checked(config: &Config) -> Result<HashSet<String>> {
    let bytes = serde_json::to_vec(config).map_or(usize::MAX, |text| text.len());
    if bytes > LARGE_BYTES {
        return Err(CONFIG_TOO_LARGE
            .error(format!("The config takes {bytes} bytes as JSON; at most {LARGE_BYTES} are accepted.")));
    }
    let mut wrong = Vec::new();
    let mut refuse = |pointer: String, code: &'static str, detail: &str| {
        if wrong.len() < WRONG_MAX {
            wrong.push(FieldError { pointer, code, detail: detail.to_owned() });
        }
    };
    match config.get("boardIds") {
        None => {}
        Some(Value::Array(ids)) if ids.len() > BOARD_IDS_MAX => refuse(
            "/config/boardIds".into(),
            "too-many",
            &format!("A dashboard connects at most {BOARD_IDS_MAX} boards; {} are named.", ids.len()),
        ),
        Some(Value::Array(ids)) => {
            let mut seen = HashSet::new();
            for (i, id) in ids.iter().enumerate() {
                let at = || format!("/config/boardIds/{i}");
                match id.as_str() {
                    None => refuse(at(), "wrong-type", "A board's identifier is a text."),
                    Some(id) if !seen.insert(id) => {
                        refuse(at(), "duplicate", "This board is named twice; once is enough.")
                    }
                    Some(_) => {}
                }
            }
        }
        Some(_) => refuse("/config/boardIds".into(), "wrong-type", "A list of board identifiers is accepted."),
    }
    match config.get("widgets") {
        None => {}
        Some(Value::Array(widgets)) => {
            for (i, widget) in widgets.iter().enumerate() {
                let layout = widget.get("layout");
                for side in ["x", "y", "w", "h"] {
                    if !layout.and_then(|layout| layout.get(side)).is_some_and(Value::is_i64) {
                        refuse(
                            format!("/config/widgets/{i}/layout/{side}"),
                            "wrong-type",
                            "An integer is required: a widget's layout is {x, y, w, h}.",
                        );
                    }
                }
            }
        }
        Some(_) => refuse("/config/widgets".into(), "wrong-type", "A list of widgets is accepted."),
    }
    if wrong.is_empty() {
        return Ok(board_ids(config));
    }
    Err(kit::error::INVALID.error("The config does not keep its rules; nothing was changed.").at_all(wrong))
}
