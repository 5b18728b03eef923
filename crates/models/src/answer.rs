//! Reading a model's words as the answer to a question.

use serde_json::Value;

/// The JSON object in a model's words, if it fits the schema.
pub(crate) fn read(text: &str, schema: &Value) -> Option<Value> {
    let validator = jsonschema::validator_for(schema).ok()?;
    candidates(text).filter_map(|part| serde_json::from_str::<Value>(part).ok()).find(|value| validator.is_valid(value))
}

/// The whole text, and what stands between its first and last brace: models like to add a sentence or a code fence.
fn candidates(text: &str) -> impl Iterator<Item = &str> {
    let braces = text.find('{').zip(text.rfind('}')).filter(|(from, to)| from < to).map(|(from, to)| &text[from..=to]);
    std::iter::once(text.trim()).chain(braces)
}
