//! Reads the answer to a question by the question's form. If the form has a single field, a plain value is accepted.

use kit::error::{Result, invalid};
use kit::fault::{self, Fault};
use serde_json::{Map, Value, json};

/// Maximum names and choices that an error lists.
const SHOWN_MAX: usize = 20;
/// The field of a question whose schema declares none, as the page sends it.
const ANSWER: &str = "answer";

/// The values by field, as the engine accepts them. `schema` is the JSON Schema of the question's answer.
pub(super) fn fill(schema: &Value, value: &Value) -> Result<Value> {
    let none = Map::new();
    let fields = schema["properties"].as_object().unwrap_or(&none);
    if let Value::Object(given) = value {
        return by_field(schema, fields, given);
    }
    let mut names = fields.keys();
    match (names.next(), names.next()) {
        (None, _) => Ok(json!({ANSWER: text_of(value).map_or_else(|| value.clone(), Value::String)})),
        (Some(name), None) => Ok(json!({name: read(name, &fields[name], value)?})),
        _ => {
            let detail = format!("The question has several fields. Send an object with: {}.", listed(fields.keys()));
            Err(wrong(fault::WRONG_TYPE, detail))
        }
    }
}

fn by_field(schema: &Value, fields: &Map<String, Value>, given: &Map<String, Value>) -> Result<Value> {
    if fields.is_empty() {
        return Ok(Value::Object(given.clone()));
    }
    if let Some(unknown) = given.keys().find(|name| !fields.contains_key(*name)) {
        let detail = format!("The question has no field {unknown}. Its fields: {}.", listed(fields.keys()));
        return Err(wrong(fault::UNKNOWN_FIELD, detail));
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing: Vec<&str> = required.filter(|name| given.get(*name).is_none_or(Value::is_null)).collect();
    if !missing.is_empty() {
        let detail = format!("Required fields are missing: {}.", missing.join(", "));
        return Err(wrong(fault::MISSING, detail));
    }
    let read = given.iter().map(|(name, value)| Ok((name.clone(), read(name, &fields[name], value)?)));
    read.collect::<Result<Map<_, _>>>().map(Value::Object)
}

/// A field's value, converted to the field's type.
fn read(name: &str, field: &Value, value: &Value) -> Result<Value> {
    let not = |what: &str| wrong(fault::WRONG_TYPE, format!("Field {name} needs {what}."));
    let choices = choices(field);
    if !choices.is_empty() {
        return chosen(name, &choices, value);
    }
    match field["type"].as_str() {
        Some("boolean") => match text_of(value).map(|text| text.to_lowercase()).as_deref() {
            Some("true" | "yes" | "on") => Ok(true.into()),
            Some("false" | "no" | "off") => Ok(false.into()),
            _ => Err(not("true or false")),
        },
        Some(kind @ ("integer" | "number")) => {
            let number = text_of(value).and_then(|text| text.trim().parse::<serde_json::Number>().ok());
            let number = number.filter(|number| kind == "number" || !number.is_f64());
            number.map(Value::Number).ok_or_else(|| not(if kind == "number" { "a number" } else { "a whole number" }))
        }
        Some("array") => {
            let each = self::choices(&field["items"]);
            let entries = match value {
                Value::Array(entries) => entries.clone(),
                single => vec![single.clone()],
            };
            match each.is_empty() {
                true => Ok(entries.into()),
                false => entries.iter().map(|entry| chosen(name, &each, entry)).collect(),
            }
        }
        Some("string") => text_of(value).map(Value::String).ok_or_else(|| not("text")),
        _ => Ok(value.clone()),
    }
}

/// A choice, by value or label.
fn chosen(name: &str, choices: &[(Value, String)], value: &Value) -> Result<Value> {
    if let Some((choice, _)) = choices.iter().find(|(choice, _)| choice == value) {
        return Ok(choice.clone());
    }
    let text = text_of(value).unwrap_or_default().to_lowercase();
    let is_called = |(choice, label): &&(Value, String)| {
        label.to_lowercase() == text || text_of(choice).is_some_and(|choice| choice.to_lowercase() == text)
    };
    let mut found = choices.iter().filter(is_called);
    match (found.next(), found.next()) {
        (Some((choice, _)), None) => Ok(choice.clone()),
        _ => {
            let labels = choices.iter().map(|(_, label)| label);
            Err(wrong(fault::NOT_A_CHOICE, format!("Field {name} takes one of: {}.", listed(labels))))
        }
    }
}

/// The values that a schema allows, with their labels: `enum` with `enumNames`, or constants in `oneOf` or `anyOf`.
fn choices(schema: &Value) -> Vec<(Value, String)> {
    let label = |value: &Value| text_of(value).unwrap_or_else(|| value.to_string());
    let list = |name: &str| schema[name].as_array().into_iter().flatten();
    let plain = list("enum").enumerate().map(|(at, value)| {
        let named = schema["enumNames"][at].as_str().map(str::to_owned);
        (value.clone(), named.unwrap_or_else(|| label(value)))
    });
    let named = list("oneOf").chain(list("anyOf")).filter_map(|one| {
        let value = one.get("const")?;
        Some((value.clone(), one["title"].as_str().map_or_else(|| label(value), str::to_owned)))
    });
    plain.chain(named).collect()
}

/// A scalar as text: the command line turns `12` and `true` into JSON, which a text field still accepts.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a String> + Clone) -> String {
    let more = if names.clone().count() > SHOWN_MAX { ", and others" } else { "" };
    let shown: Vec<&str> = names.take(SHOWN_MAX).map(String::as_str).collect();
    shown.join(", ") + more
}

fn wrong(code: Fault, detail: String) -> kit::Error {
    invalid("/value", code, detail)
}
