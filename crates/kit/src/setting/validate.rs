//! Validates settings. All problems are reported together, with the accepted values.

use super::{Format, MEMBERS_MAX, Shape, Spec, VALUE_BYTES_MAX, is_time_of_day};
use crate::error::FieldError;
use crate::fault;
use serde_json::Value;
use std::collections::HashSet;

impl Spec {
    /// Returns all problems of a value. Pointers are relative to it.
    pub fn check(&self, value: &Value) -> Result<(), Vec<FieldError>> {
        let mut wrong = Vec::new();
        // A text has its own limit, in characters.
        let bytes = if value.is_array() || value.is_object() { value.to_string().len() } else { 0 };
        if bytes > VALUE_BYTES_MAX {
            let detail = format!("The value has {bytes} bytes as JSON. The limit is {VALUE_BYTES_MAX}.");
            return Err(vec![FieldError { pointer: String::new(), code: fault::TOO_LONG, detail }]);
        }
        check(&self.shape, value, &mut String::new(), &mut wrong);
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }
}

/// The value with whole numbers written without a fraction, because 2.0 and 2 are the same number in JSON.
pub fn canonical(value: &Value) -> Value {
    // Above it, floats can't represent every whole number.
    const WHOLE_MAX: f64 = (1_u64 << 53) as f64;
    match value {
        Value::Number(n) if n.is_f64() => match n.as_f64() {
            Some(n) if n.fract() == 0.0 && n.abs() <= WHOLE_MAX => (n as i64).into(),
            _ => value.clone(),
        },
        Value::Array(items) => items.iter().map(canonical).collect(),
        Value::Object(members) => members.iter().map(|(name, item)| (name.clone(), canonical(item))).collect(),
        _ => value.clone(),
    }
}

fn check(shape: &Shape, value: &Value, at: &mut String, wrong: &mut Vec<FieldError>) {
    let mut refuse = |code, detail| wrong.push(FieldError { pointer: at.clone(), code, detail });
    let of_shape = match shape {
        Shape::Toggle => value.is_boolean(),
        Shape::Int { .. } | Shape::Number { .. } | Shape::OneOf(_) => value.is_number(),
        Shape::Text { nullable: true, .. } => value.is_string() || value.is_null(),
        Shape::Text { .. } | Shape::Select(_) => value.is_string(),
        Shape::List { .. } => value.is_array(),
        Shape::Map { .. } | Shape::Object(_) => value.is_object(),
    };
    if !of_shape {
        return refuse(fault::WRONG_TYPE, format!("Expected {}, got {}.", shape.expected(), kind_of(value)));
    }
    match *shape {
        Shape::Toggle => {}
        Shape::Int { min, max, step } => {
            // Compared as a float first: a number too large for i64 must not wrap.
            let n = value.as_f64().unwrap_or(f64::NAN);
            if n.fract() != 0.0 || n.is_nan() {
                refuse(fault::NOT_WHOLE, format!("Expected {}.", shape.expected()));
            } else if n < min as f64 || n > max as f64 {
                refuse(fault::OUT_OF_RANGE, format!("Expected {}.", shape.expected()));
            } else if (n as i64) % step != 0 {
                refuse(fault::OFF_STEP, format!("Expected {}.", shape.expected()));
            }
        }
        Shape::Number { min, max } => {
            let n = value.as_f64().unwrap_or(f64::NAN);
            // The largest float stands for numbers that are too large, even without a maximum.
            if !(min <= n && n <= max) || n.abs() == f64::MAX {
                refuse(fault::OUT_OF_RANGE, format!("Expected {}.", shape.expected()));
            }
        }
        Shape::OneOf(choices) => {
            if !choices.iter().any(|choice| value.as_f64() == Some(*choice as f64)) {
                refuse(fault::NOT_A_CHOICE, format!("Expected {}.", shape.expected()));
            }
        }
        Shape::Text { max, format, .. } => {
            let text = value.as_str().unwrap_or_default();
            let length = text.chars().count();
            if length > max as usize {
                refuse(fault::TOO_LONG, format!("The text has {length} characters. The limit is {max}."));
            } else if !fits(format, text) && !value.is_null() {
                refuse(fault::WRONG_FORMAT, format!("Expected {}.", shape.expected()));
            }
        }
        Shape::Select(choices) => {
            if !choices.iter().any(|choice| value == choice.value) {
                refuse(fault::NOT_A_CHOICE, format!("Expected {}.", shape.expected()));
            }
        }
        Shape::List { of, unique } => {
            let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
            if items.len() > MEMBERS_MAX {
                refuse(fault::TOO_MANY, format!("Too many members: {}. The limit is {MEMBERS_MAX}.", items.len()));
                return;
            }
            let mut seen = HashSet::new();
            for (i, item) in items.iter().enumerate() {
                let repeat = unique && !seen.insert(canonical(item).to_string());
                descend(at, &i.to_string(), |at| {
                    if repeat {
                        let detail = "Remove the repeated value.".to_owned();
                        wrong.push(FieldError { pointer: at.clone(), code: fault::REPEATED, detail });
                    }
                    check(of, item, at, wrong);
                });
            }
        }
        Shape::Map { of } => {
            let count = value.as_object().map_or(0, serde_json::Map::len);
            if count > MEMBERS_MAX {
                refuse(fault::TOO_MANY, format!("Too many members: {count}. The limit is {MEMBERS_MAX}."));
                return;
            }
            for (key, item) in value.as_object().into_iter().flatten() {
                descend(at, key, |at| check(of, item, at, wrong));
            }
        }
        Shape::Object(fields) => {
            let is_there = |name| value.get(name).is_some_and(|there| there != "");
            for field in fields.iter().filter(|field| field.required && !is_there(field.name)) {
                descend(at, field.name, |at| {
                    let detail = format!("{} is required.", field.name);
                    wrong.push(FieldError { pointer: at.clone(), code: fault::MISSING, detail });
                });
            }
            for (key, item) in value.as_object().into_iter().flatten() {
                descend(at, key, |at| match fields.iter().find(|field| field.name == key) {
                    Some(field) => check(&field.shape, item, at, wrong),
                    None => {
                        let names: Vec<_> = fields.iter().map(|f| f.name).collect();
                        let detail = format!("Unknown field. Accepted: {}.", names.join(", "));
                        wrong.push(FieldError { pointer: at.clone(), code: fault::UNKNOWN_FIELD, detail });
                    }
                });
            }
        }
    }
}

fn descend(at: &mut String, step: &str, inside: impl FnOnce(&mut String)) {
    let length = at.len();
    at.push('/');
    at.push_str(&step.replace('~', "~0").replace('/', "~1"));
    inside(at);
    at.truncate(length);
}

fn fits(format: Format, text: &str) -> bool {
    match format {
        Format::Free => true,
        Format::TimeOfDay => is_time_of_day(text.as_bytes()),
        Format::TimeZone => text.is_empty() || jiff::tz::TimeZone::get(text).is_ok(),
        Format::Digits => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
