//! Common operation inputs: list pages, names, and nullable values.

use crate::fault;
use column_types::NAME_CHARS_MAX;
use kit::error::{Result, invalid};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Largest page of a list.
pub(crate) const PAGE_MAX: i64 = 1_000;

const PAGE_DEFAULT: i64 = 100;

/// Checks the size of a page.
pub(crate) fn page(limit: Option<i64>) -> Result<i64> {
    match limit.unwrap_or(PAGE_DEFAULT) {
        limit @ 1..=PAGE_MAX => Ok(limit),
        _ => Err(invalid("/limit", fault::OUT_OF_RANGE, format!("Use a limit from 1 to {PAGE_MAX}."))),
    }
}

/// Refuses a name that is empty, too long, or holds a control character.
pub(crate) fn expect_name(name: &str, pointer: &str) -> Result<()> {
    kit::text::expect_name(name, NAME_CHARS_MAX, pointer)
}

/// For a member whose null means something else than its absence.
pub(crate) fn present<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct BoardParams {
    /// ID, not the name.
    pub(crate) board_id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ItemParams {
    /// ID, not the name.
    pub(crate) board_id: String,
    /// The item's ID.
    pub(crate) item_id: String,
}
