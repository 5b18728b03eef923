//! A question, and its answer.

use kit::feature::Purpose;
use ledger::Cap;
use serde_json::Value;
use std::time::Duration;

/// A question to a model.
#[derive(Debug, Clone)]
pub struct Question {
    /// Whose it is.
    pub account: String,
    /// What for.
    pub purpose: &'static Purpose,
    /// The hub that it's about, or empty.
    pub hub: String,
    /// The session that it's about, or empty.
    pub session: String,
    /// What to do: our words.
    pub task: String,
    /// What it's about: words from outside, which are data.
    pub material: String,
    /// An image that it's about.
    pub image: Option<Image>,
    /// The JSON Schema of the answer: an object whose members are all required.
    pub schema: Value,
    /// Maximum tokens of the answer.
    pub output_tokens: u32,
    /// The model to ask instead of the utility model; empty for that.
    pub model: String,
    /// The limit on what is spent for this purpose.
    pub cap: Option<Cap>,
    /// Time for the answer.
    pub time: Duration,
}

/// An image.
#[derive(Debug, Clone)]
pub struct Image {
    /// Its type, such as `image/png`.
    pub mime: String,
    /// In base64.
    pub base64: String,
}

/// A model's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// It fits the question's schema.
    pub value: Value,
    /// The model that answered.
    pub model: String,
    /// The named model that isn't available, so that the utility model answered.
    pub unknown_model: Option<String>,
}
