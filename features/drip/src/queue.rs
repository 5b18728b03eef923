//! A queue, its cadence, and its items. Pure.

use kit::clock::DAY_MS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use when::occurrence::Occurrence;

const HOUR_MS: i64 = DAY_MS / 24;

/// When a queue ticks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cadence {
    Hours(i64),
    /// At a time on days of the week.
    At(Occurrence),
}

impl Cadence {
    /// The first tick after now. `last_ms` is the tick before, which hours count from.
    pub(crate) fn next_after(&self, last_ms: i64, now_ms: i64) -> Option<i64> {
        match self {
            Cadence::Hours(hours) => {
                let step_ms = hours * HOUR_MS;
                let passed = (now_ms - last_ms).max(0) / step_ms;
                Some(last_ms + (passed + 1) * step_ms)
            }
            Cadence::At(occurrence) => occurrence.next_after(now_ms),
        }
    }
}

/// A queue.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Queue {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) is_on: bool,
    pub(crate) cadence: Cadence,
    /// The next tick; 0 while it's off.
    pub(crate) next_ms: i64,
    pub(crate) deleted_ms: i64,
    pub(crate) created_ms: i64,
    pub(crate) changed_ms: i64,
}

impl Queue {
    /// Begins to tick from now on, or stops.
    pub(crate) fn set_on(&mut self, is_on: bool, now_ms: i64) {
        self.is_on = is_on;
        self.next_ms = if is_on { self.cadence.next_after(now_ms, now_ms).unwrap_or(0) } else { 0 };
    }
}

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DripKind")]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// Plain text.
    Text,
    /// Markdown.
    #[default]
    Markdown,
    /// HTML, shown in a frame that runs and loads nothing.
    Html,
}

/// What became of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DripState")]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    /// It waits for its turn.
    Waiting,
    /// It's in the inbox.
    Released,
    /// It's left out.
    Skipped,
}

/// An item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Item {
    pub(crate) id: String,
    pub(crate) place: i64,
    pub(crate) kind: Kind,
    pub(crate) title: String,
    pub(crate) content: String,
    pub(crate) state: State,
    pub(crate) released_ms: i64,
    pub(crate) created_ms: i64,
}

/// A word as stored: that which is sent.
pub(crate) fn word(value: impl Serialize) -> String {
    json!(value).as_str().unwrap_or_default().to_owned()
}
