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
/// Columns of the grid that widgets stand in.
const GRID_COLUMNS: i64 = 12;
/// The last row that a widget may begin in, counted from 0; how many rows one may take.
const LAST_ROW: i64 = 99_999;
const WIDGET_ROWS_MAX: i64 = 40;
/// Sides of a layout and the numbers that each may have.
const SIDES: [(&str, i64, i64); 4] =
    [("x", 0, GRID_COLUMNS - 1), ("y", 0, LAST_ROW), ("w", 1, GRID_COLUMNS), ("h", 1, WIDGET_ROWS_MAX)];
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
    value.as_i64().or_else(|| value.as_f64().filter(|n| n.fract() == 0.0).map(|n| n as i64))
}

/// Checks that the page can draw a widget where it stands.
fn check_layout(layout: Option<&Value>, mut refuse: impl FnMut(&str, Fault, &str)) {
    let number = |side: &str| layout.and_then(|layout| layout.get(side)).and_then(whole);
    for (side, min, max) in SIDES {
        match number(side) {
            None => {
                refuse(side, fault::WRONG_TYPE, "A whole number is required: a widget's layout is {x, y, w, h}.");
            }
            Some(n) if n < min || n > max => {
                refuse(side, fault::OUT_OF_RANGE, &format!("{side} is {min} to {max}."));
            }
            Some(w) if side == "w" && number("x").is_some_and(|x| x < GRID_COLUMNS && x + w > GRID_COLUMNS) => {
                let detail = format!("x and w together are at most {GRID_COLUMNS}, the columns of the grid.");
                refuse(side, fault::OUT_OF_RANGE, &detail);
            }
            Some(_) => {}
        }
    }
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
        Some(Value::Array(ids)) if ids.len() > BOARD_IDS_MAX => refuse(
            "/config/boardIds".into(),
            fault::TOO_MANY,
            &format!("A dashboard connects at most {BOARD_IDS_MAX} boards; {} are named.", ids.len()),
        ),
        Some(Value::Array(ids)) => {
            let mut seen = HashSet::new();
            for (i, id) in ids.iter().enumerate() {
                let at = || format!("/config/boardIds/{i}");
                match id.as_str() {
                    None => refuse(at(), fault::WRONG_TYPE, "A board's identifier is a text."),
                    Some(id) if !seen.insert(id) => {
                        refuse(at(), fault::REPEATED, "This board is named twice; once is enough.")
                    }
                    Some(_) => {}
                }
            }
        }
        Some(_) => refuse("/config/boardIds".into(), fault::WRONG_TYPE, "A list of board identifiers is accepted."),
    }
    match config.get("widgets") {
        None => {}
        Some(Value::Array(widgets)) => {
            for (i, widget) in widgets.iter().enumerate() {
                check_layout(widget.get("layout"), |side, code, detail| {
                    refuse(format!("/config/widgets/{i}/layout/{side}"), code, detail)
                });
            }
        }
        Some(_) => refuse("/config/widgets".into(), fault::WRONG_TYPE, "A list of widgets is accepted."),
    }
    if wrong.is_empty() {
        return Ok(board_ids(config));
    }
    Err(kit::error::INVALID.error("The config does not keep its rules; nothing was changed.").at_all(wrong))
}
