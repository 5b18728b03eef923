//! Describes accepted values: as JSON Schema 2020-12, and in a few words.

use super::{Field, Format, MEMBERS_MAX, Shape, Spec};
use serde_json::{Map, Value, json};

impl Spec {
    /// The accepted values in a few words: `whole number from 25 to 90, in steps of 5`.
    pub fn accepted(&self) -> String {
        self.shape.accepted()
    }
    /// The accepted values within a sentence.
    pub fn expected(&self) -> String {
        self.shape.expected()
    }
    /// The accepted values as JSON Schema.
    pub fn schema(&self) -> Value {
        self.shape.schema()
    }
}

impl Shape {
    /// The accepted values within a sentence: `a whole number from 25 to 90, in steps of 5`.
    pub fn expected(&self) -> String {
        let accepted = self.accepted();
        match self {
            Shape::Int { .. } | Shape::Number { .. } | Shape::List { .. } | Shape::Map { .. } => {
                format!("a {accepted}")
            }
            Shape::Text { format: Format::TimeOfDay | Format::Digits, .. } => format!("a {accepted}"),
            Shape::Text { format: Format::TimeZone, .. } => format!("the {accepted}"),
            Shape::Object(_) => format!("an {accepted}"),
            Shape::Toggle | Shape::Select(_) | Shape::OneOf(_) | Shape::Text { .. } => accepted,
        }
    }
    /// The accepted values in a few words.
    pub fn accepted(&self) -> String {
        match self {
            Shape::Toggle => "true or false".into(),
            Shape::Int { min, max, step: 1 } => format!("whole number from {min} to {max}"),
            Shape::Int { min, max, step } => format!("whole number from {min} to {max}, in steps of {step}"),
            Shape::Number { min, max } if max.is_infinite() => format!("number from {min}"),
            Shape::Number { min, max } => format!("number from {min} to {max}"),
            Shape::Text { format: Format::TimeOfDay, .. } => "time of day HH:MM, 00:00 to 23:59".into(),
            Shape::Text { format: Format::TimeZone, max, .. } => {
                format!("name of a time zone, such as Europe/Berlin, up to {max} characters, or empty for the system's")
            }
            Shape::Text { format: Format::Digits, max, .. } => {
                format!("whole number in decimal digits, with a minus sign if negative, up to {max} characters")
            }
            Shape::Text { max, nullable, .. } => {
                format!("text up to {max} characters{}", if *nullable { ", or null" } else { "" })
            }
            Shape::Select(choices) => {
                let words: Vec<_> = choices.iter().map(|c| c.value).collect();
                format!("one of {}", words.join(", "))
            }
            Shape::OneOf(choices) => {
                let words: Vec<_> = choices.iter().map(i64::to_string).collect();
                format!("one of {}", words.join(", "))
            }
            Shape::List { of, .. } => format!("list of at most {MEMBERS_MAX}, each member: {}", of.accepted()),
            Shape::Map { of } => format!("map of at most {MEMBERS_MAX} texts to: {}", of.accepted()),
            Shape::Object(fields) => {
                let must = |field: &Field| if field.required { ", required" } else { "" };
                let parts = fields.iter().map(|f| format!("{} ({}{})", f.name, f.shape.accepted(), must(f)));
                let parts: Vec<_> = parts.collect();
                format!("object of {}", parts.join(", "))
            }
        }
    }

    /// The accepted values as JSON Schema.
    pub fn schema(&self) -> Value {
        match self {
            Shape::Toggle => json!({"type": "boolean"}),
            Shape::Int { min, max, step: 1 } => json!({"type": "integer", "minimum": min, "maximum": max}),
            Shape::Int { min, max, step } => {
                json!({"type": "integer", "minimum": min, "maximum": max, "multipleOf": step})
            }
            Shape::Number { min, max } if max.is_infinite() => json!({"type": "number", "minimum": min}),
            Shape::Number { min, max } => json!({"type": "number", "minimum": min, "maximum": max}),
            Shape::Text { max, format, nullable } => {
                let mut schema = json!({"type": if *nullable { json!(["string", "null"]) } else { json!("string") }, "maxLength": max});
                match format {
                    Format::Free => {}
                    Format::TimeOfDay => schema["pattern"] = json!("^([01][0-9]|2[0-3]):[0-5][0-9]$"),
                    Format::TimeZone => schema["format"] = json!("time-zone"),
                    Format::Digits => schema["pattern"] = json!("^-?[0-9]+$"),
                }
                schema
            }
            Shape::Select(choices) if choices.iter().all(|c| c.doc.is_empty()) => {
                json!({"type": "string", "enum": choices.iter().map(|c| c.value).collect::<Vec<_>>()})
            }
            Shape::Select(choices) => {
                let all: Vec<Value> =
                    choices.iter().map(|c| json!({"const": c.value, "description": c.doc.trim()})).collect();
                json!({"type": "string", "oneOf": all})
            }
            Shape::OneOf(choices) => json!({"enum": choices}),
            Shape::List { of, unique } => {
                json!({"type": "array", "items": of.schema(), "uniqueItems": unique, "maxItems": MEMBERS_MAX})
            }
            Shape::Map { of } => {
                json!({"type": "object", "additionalProperties": of.schema(), "maxProperties": MEMBERS_MAX})
            }
            Shape::Object(fields) => {
                let schema_of = |field: &Field| {
                    let mut schema = field.shape.schema();
                    if field.required && schema["type"] == "string" {
                        schema["minLength"] = json!(1);
                    }
                    schema
                };
                let properties: Map<String, Value> = fields.iter().map(|f| (f.name.to_owned(), schema_of(f))).collect();
                let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
                let required: Vec<_> = fields.iter().filter(|f| f.required).map(|f| f.name).collect();
                if !required.is_empty() {
                    schema["required"] = json!(required);
                }
                schema
            }
        }
    }
}
