//! The result of a widget as JSON text.

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A result as JSON text, ready to send: only the page parses it.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct RawResult(Box<RawValue>);

impl RawResult {
    /// Serializes the result of a widget kind.
    pub fn new<R: Serialize>(result: &R) -> Option<RawResult> {
        serde_json::value::to_raw_value(result).ok().map(RawResult)
    }
    /// Parses it.
    pub fn value(&self) -> Value {
        serde_json::from_str(self.0.get()).unwrap_or_default()
    }
}

impl PartialEq for RawResult {
    fn eq(&self, other: &RawResult) -> bool {
        self.0.get() == other.0.get()
    }
}
