//! A setting's value as people write it, read by the setting's type. What is accepted is the program's to say: here only
//! the JSON kind is found, and what fits none goes as text, so that the refusal names what is accepted.

use crate::failure::Failure;
use crate::io::Io;
use crate::json_argument::read_json;
use kit::limits;
use kit::setting::{Shape, Spec};
use serde_json::{Number, Value};

/// Reads `written` for this setting; a key that is not known here is tried as JSON.
pub(crate) fn read(spec: Option<&Spec>, written: &str, io: &mut Io) -> Result<Value, Failure> {
    if written == "null" {
        return Ok(Value::Null);
    }
    let Some(spec) = spec else {
        return Ok(kit::json::parse(written.as_bytes()).unwrap_or_else(|_| written.into()));
    };
    let in_json = written == "-" || written.starts_with('@');
    match &spec.shape {
        Shape::List { of, .. } if !in_json && !written.trim_start().starts_with('[') => {
            list(of, written).ok_or_else(|| Failure::Usage(format!("{} needs a JSON array, @FILE, or -.", spec.key)))
        }
        Shape::List { .. } | Shape::Map { .. } | Shape::Object(_) => {
            read_json(written, spec.key, limits::SMALL_BYTES, io)
        }
        shape => Ok(scalar(shape, written)),
    }
}

fn list(of: &Shape, written: &str) -> Option<Value> {
    if matches!(of, Shape::List { .. } | Shape::Map { .. } | Shape::Object(_)) {
        return None;
    }
    let words = written.split(',').map(str::trim).filter(|word| !word.is_empty());
    Some(words.map(|word| scalar(of, word)).collect())
}

fn scalar(shape: &Shape, written: &str) -> Value {
    match shape {
        Shape::Toggle => match written.to_ascii_lowercase().as_str() {
            "true" | "on" | "yes" => true.into(),
            "false" | "off" | "no" => false.into(),
            _ => written.into(),
        },
        Shape::Int { .. } | Shape::Number { .. } | Shape::OneOf(_) => {
            written.trim().parse::<Number>().map_or_else(|_| written.into(), Value::Number)
        }
        _ => written.into(),
    }
}
