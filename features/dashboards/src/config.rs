//! The three rules that the otherwise opaque config must keep.

use crate::errors::CONFIG_TOO_LARGE;
use kit::op::limits::LARGE_BYTES;
use kit::{FieldError, Result};
use serde_json::{Map, Value};

type Config = Map<String, Value>;

/// Boards that a config connects.
pub(crate) fn board_ids(config: &Config) -> Vec<String> {
    let ids = config.get("boardIds").and_then(Value::as_array);
    ids.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Checks the three rules; the boards that the config connects.
pub(crate) fn checked(config: &Config) -> Result<Vec<String>> {
    let bytes = serde_json::to_vec(config).map_or(usize::MAX, |text| text.len());
    if bytes > LARGE_BYTES {
        return Err(CONFIG_TOO_LARGE
            .error(format!("The config takes {bytes} bytes as JSON; at most {LARGE_BYTES} are accepted.")));
    }
    let mut wrong = Vec::new();
    let mut refuse = |pointer: String, detail: &str| {
        wrong.push(FieldError { pointer, code: "wrong-type", detail: detail.to_owned() })
    };
    match config.get("boardIds") {
        None => {}
        Some(Value::Array(ids)) => {
            for (i, id) in ids.iter().enumerate().filter(|(_, id)| !id.is_string()) {
                refuse(format!("/config/boardIds/{i}"), &format!("A board's identifier is a text, not {id}."));
            }
        }
        Some(_) => refuse("/config/boardIds".into(), "A list of board identifiers is accepted."),
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
                            "An integer is required: a widget's layout is {x, y, w, h}.",
                        );
                    }
                }
            }
        }
        Some(_) => refuse("/config/widgets".into(), "A list of widgets is accepted."),
    }
    if wrong.is_empty() {
        return Ok(board_ids(config));
    }
    Err(kit::error::INVALID.error("The config does not keep its rules; nothing was changed.").at_all(wrong))
}
