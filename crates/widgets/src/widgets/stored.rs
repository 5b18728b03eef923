//! What dashboards have stored before their settings were the engine's own configuration, read as what it meant.

use serde_json::{Map, Value, json};

/// The settings of a widget of a kind in the present form; those that are in it stay as they are.
pub(super) fn modern(kind: &str, settings: &Map<String, Value>) -> Map<String, Value> {
    let mut settings = settings.clone();
    let mut format = settings.get("format").and_then(Value::as_object).cloned().unwrap_or_default();
    let abbreviate = settings.remove("abbreviate");
    let is_old = match kind {
        "numbers" => abbreviate.is_some() | numbers(&mut settings, &mut format),
        "chart" => abbreviate.is_some() | chart(&mut settings),
        _ => false,
    };
    if let Some(abbreviate) = abbreviate {
        if !is_old {
            settings.insert("abbreviate".into(), abbreviate);
        } else {
            format.entry("abbreviate").or_insert(abbreviate);
        }
    }
    if is_old && !format.is_empty() {
        settings.insert("format".into(), format.into());
    }
    settings
}

/// Says whether anything was in the old form.
fn numbers(settings: &mut Map<String, Value>, format: &mut Map<String, Value>) -> bool {
    let function = settings.remove("fn");
    let unit = settings.remove("unit");
    let style = settings.get("format").and_then(Value::as_str).map(str::to_owned);
    let is_old = function.is_some() || unit.is_some() || style.is_some();
    if let Some(function) = function {
        settings.entry("function").or_insert(function);
    }
    if let Some(style) = style {
        settings.remove("format");
        if style == "percent" {
            format.insert("percent".into(), true.into());
        }
    }
    match unit {
        // An empty text takes away what the columns share.
        Some(Value::Null) => format.extend([("currency".into(), json!("")), ("unit".into(), json!(""))]),
        Some(Value::Object(unit)) => {
            for (old, new) in [("symbol", "currency"), ("place", "currencyPosition")] {
                if let Some(value) = unit.get(old) {
                    format.insert(new.into(), value.clone());
                }
            }
        }
        _ => {}
    }
    is_old
}

fn chart(settings: &mut Map<String, Value>) -> bool {
    let function = settings.get_mut("y").and_then(Value::as_object_mut).and_then(|y| y.remove("fn"));
    let is_old = function.is_some();
    if let (Some(function), Some(y)) = (function, settings.get_mut("y").and_then(Value::as_object_mut)) {
        y.entry("function").or_insert(function);
    }
    let order = match settings.get("sort").and_then(Value::as_str) {
        Some("labels") => "label",
        Some("x-asc") => "xAsc",
        Some("x-desc") => "xDesc",
        Some("y-asc") => "yAsc",
        Some("y-desc") => "yDesc",
        _ => return is_old,
    };
    settings.insert("sort".into(), order.into());
    true
}
