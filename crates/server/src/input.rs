//! Combines members of path, query, and body into one input object, typed by the operation's input schema.

use crate::codes;
use crate::fault;
use kit::{Op, Result, error};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;

/// Type of a text in a path or query.
#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Text,
    Integer,
    Number,
    Boolean,
    List(Box<Shape>),
}

/// The shapes of an operation's members.
pub(crate) struct Shapes(HashMap<String, Shape>);

impl Shapes {
    pub(crate) fn new(op: &Op) -> Shapes {
        let schema = op.input_schema();
        let members = schema["properties"].as_object().into_iter().flatten();
        Shapes(members.map(|(name, member)| (name.clone(), shape_of(member, &schema))).collect())
    }

    /// Adds a parameter of the path, already decoded.
    pub(crate) fn add_path(&self, into: &mut Map<String, Value>, name: &str, text: &str) {
        into.insert(name.to_owned(), self.value(name, text));
    }

    /// Adds the query's parameters. The operation rejects unknown ones.
    pub(crate) fn add_query(&self, into: &mut Map<String, Value>, query: &str) -> Result<()> {
        let mut from_query: Map<String, Value> = Map::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, text) = (decode(name)?, decode(text)?);
            let value = self.value(&name, &text);
            match (from_query.get_mut(&*name), value) {
                (Some(Value::Array(before)), Value::Array(more)) => before.extend(more),
                (Some(_), _) => return Err(given_twice(&name)),
                (None, value) => {
                    from_query.insert(name.into_owned(), value);
                }
            }
        }
        merge(into, from_query)
    }

    fn value(&self, name: &str, text: &str) -> Value {
        self.0.get(name).unwrap_or(&Shape::Text).value(text)
    }
}

impl Shape {
    /// Text of another shape stays text, and the operation rejects it with its own error.
    fn value(&self, text: &str) -> Value {
        let typed = match self {
            Shape::Text => None,
            Shape::Integer => {
                text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<u64>().map(Value::from)).ok()
            }
            Shape::Number => text.parse::<f64>().ok().and_then(serde_json::Number::from_f64).map(Value::Number),
            Shape::Boolean => text.parse::<bool>().map(Value::Bool).ok(),
            Shape::List(_) if text.is_empty() => Some(Value::Array(Vec::new())),
            Shape::List(of) => Some(text.split(',').map(|item| of.value(item)).collect()),
        };
        typed.unwrap_or_else(|| text.into())
    }
}

/// Adds members. Rejects repeated ones.
pub(crate) fn merge(into: &mut Map<String, Value>, more: Map<String, Value>) -> Result<()> {
    if into.is_empty() {
        *into = more;
        return Ok(());
    }
    for (name, value) in more {
        if into.contains_key(&name) {
            return Err(given_twice(&name));
        }
        into.insert(name, value);
    }
    Ok(())
}

fn given_twice(name: &str) -> kit::Error {
    kit::invalid(
        &format!("/{}", name.replace('~', "~0").replace('/', "~1")),
        fault::GIVEN_TWICE,
        "Send each member once, in the path, the query, or the body.",
    )
}

fn decode(text: &str) -> Result<Cow<'_, str>> {
    let bad = |_| codes::BAD_PATH.error("The query isn't percent-encoded UTF-8.");
    if !text.contains('+') {
        return percent_decode_str(text).decode_utf8().map_err(bad);
    }
    let spaced = text.replace('+', " ");
    Ok(Cow::Owned(percent_decode_str(&spaced).decode_utf8().map_err(bad)?.into_owned()))
}

fn shape_of(member: &Value, root: &Value) -> Shape {
    if let Some(target) = member["$ref"].as_str().and_then(|r| root.pointer(r.strip_prefix('#')?)) {
        // Only recursive types are referred to; those are objects, which no query carries.
        return if target["type"] == "array" { Shape::List(Box::new(Shape::Text)) } else { Shape::Text };
    }
    for several in ["anyOf", "oneOf"] {
        let mut choices = member[several].as_array().into_iter().flatten().filter(|choice| choice["type"] != "null");
        if let Some(choice) = choices.next() {
            return shape_of(choice, root);
        }
    }
    let word = match &member["type"] {
        Value::Array(words) => words.iter().filter_map(Value::as_str).find(|word| *word != "null"),
        word => word.as_str(),
    };
    match word {
        Some("integer") => Shape::Integer,
        Some("number") => Shape::Number,
        Some("boolean") => Shape::Boolean,
        Some("array") => Shape::List(Box::new(shape_of(&member["items"], root))),
        _ => Shape::Text,
    }
}

/// Reads a JSON body, which must be an object. Numbers that are too large pass if the operation checks them.
pub(crate) fn body_members(bytes: &[u8], judges_numbers: bool) -> Result<Map<String, Value>> {
    let document = if judges_numbers { kit::json::parse_to_ends(bytes)?.0 } else { kit::json::parse(bytes)? };
    match document {
        Value::Object(members) => Ok(members),
        _ => Err(error::INVALID.error("The body isn't a JSON object.").at("", fault::WRONG_TYPE, "Send an object.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shapes(properties: Value) -> Shapes {
        let root = json!({ "properties": properties });
        let members = root["properties"].as_object().unwrap();
        Shapes(members.iter().map(|(name, member)| (name.clone(), shape_of(member, &root))).collect())
    }

    #[test]
    fn a_query_is_typed_by_the_schema() {
        let shapes = shapes(json!({
            "limit": {"type": ["integer", "null"]}, "share": {"type": "number"}, "deep": {"type": "boolean"},
            "topics": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]},
            "years": {"type": "array", "items": {"type": "integer"}},
        }));
        for (query, expected) in [
            ("limit=5&deep=true&share=0.5", json!({"limit": 5, "deep": true, "share": 0.5})),
            ("limit=five&deep=1", json!({"limit": "five", "deep": "1"})),
            ("topics=a,b&topics=c&years=1,x", json!({"topics": ["a", "b", "c"], "years": [1, "x"]})),
            ("other=a%20b+c&&empty", json!({"other": "a b c", "empty": ""})),
            ("topics=", json!({"topics": []})),
        ] {
            let mut input = Map::new();
            shapes.add_query(&mut input, query).unwrap();
            assert_eq!(Value::Object(input), expected, "{query}");
        }
    }

    #[test]
    fn a_member_given_twice_or_not_utf8_is_refused() {
        let shapes = shapes(json!({}));
        let mut input = Map::from_iter([("id".to_owned(), json!("1"))]);
        for (query, status) in [("a=1&a=2", 422), ("id=2", 422), ("a=%ff", 400), ("%ff=1+", 400), ("a=+%ff", 400)] {
            assert_eq!(shapes.add_query(&mut input, query).unwrap_err().code().status, status, "{query}");
        }
        assert!(merge(&mut input, Map::from_iter([("id".to_owned(), json!(2))])).is_err());
    }
}
