//! Values for a setting, made from its shape.

use kit::setting::{Format, Shape, canonical};
use serde_json::{Value, json};

/// An accepted value that is not the default.
pub fn another(shape: &Shape, default: &Value) -> Value {
    match *shape {
        Shape::Toggle => json!(default != true),
        Shape::Int { min, max, .. } => json!(if default == min { max } else { min }),
        Shape::Number { min, .. } => canonical(&json!(if default.as_f64() == Some(min) { min + 1.0 } else { min })),
        Shape::Text { format: Format::TimeOfDay, .. } => json!("12:34"),
        Shape::Text { format: Format::TimeZone, .. } => json!("Europe/Paris"),
        Shape::Text { format: Format::Digits, .. } => json!("123"),
        Shape::Text { .. } => json!("something"),
        Shape::Select(choices) => json!(choices.iter().find(|c| default != c.value).expect("another word").value),
        Shape::OneOf(choices) => json!(choices.iter().find(|c| default != **c).expect("another number")),
        Shape::List { of, .. } => json!([another(of, &default[0])]),
        Shape::Map { of } => json!({"one": another(of, &Value::Null)}),
        Shape::Object(fields) => {
            let wanted = fields.iter().enumerate().filter(|(place, field)| *place == 0 || field.required);
            wanted.map(|(_, field)| (field.name.to_owned(), another(&field.shape, &Value::Null))).collect()
        }
    }
}

/// A value of another type.
pub fn wrong(shape: &Shape) -> Value {
    match shape {
        Shape::Toggle => json!("true"),
        Shape::List { .. } => json!({}),
        Shape::Map { .. } | Shape::Object(_) => json!([]),
        Shape::Int { .. } | Shape::Number { .. } | Shape::OneOf(_) => json!("1"),
        Shape::Text { .. } | Shape::Select(_) => json!(1),
    }
}
