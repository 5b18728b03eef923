//! How configurations are read: a whole number is one however it is written, as JSON Schema has it, and what cannot be read is
//! said in words of ours.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Beyond it a float no longer tells one whole number from the next.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

/// Writes every whole number within a configuration as one: 6.0 as 6.
pub(super) fn with_whole_numbers(config: &mut Value) {
    match config {
        Value::Number(number) if number.is_f64() => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= WHOLE_MAX);
            if let Some(whole) = whole {
                *config = (whole as i64).into();
            }
        }
        Value::Array(all) => all.iter_mut().for_each(with_whole_numbers),
        Value::Object(all) => all.values_mut().for_each(with_whole_numbers),
        _ => {}
    }
}

/// Reads text by way of a value, as configurations are read: a way of its own would make the browser's module larger.
pub(crate) fn read_json<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    let value: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    T::deserialize(&value).map_err(|error| error.to_string())
}

/// Reads some members of a configuration, of which none has to be there: one that is missing would be said of another.
pub(crate) fn read_as<T: DeserializeOwned>(config: &Value) -> Result<T, String> {
    once(config).map_err(|error| in_member(config, &error, |member| once::<T>(member).is_ok()))
}

/// Called in two places, this would be two copies of all the code that reads a form.
#[inline(never)]
fn once<T: DeserializeOwned>(config: &Value) -> Result<T, serde_json::Error> {
    T::deserialize(config)
}

/// What is wrong, with the member that cannot be read even alone.
fn in_member(config: &Value, error: &serde_json::Error, is_read: fn(&Value) -> bool) -> String {
    let alone = |name: &String, value: &Value| Value::from_iter([(name.clone(), value.clone())]);
    let mut members = config.as_object().into_iter().flatten();
    let what = said(&error.to_string());
    match members.find(|(name, value)| !is_read(&alone(name, value))) {
        Some((name, _)) => format!("in `{name}`, {what}"),
        None => what,
    }
}

/// What a reader of JSON says, with the value that was sent and what is wanted in its place.
pub(super) fn said(what: &str) -> String {
    if let Some(name) = what.strip_prefix("missing field ") {
        return format!("{name} is missing");
    }
    let Some((sent, wanted)) = what.split_once(", expected ") else { return what.to_owned() };
    let sent = match sent.find(['`', '"']) {
        Some(at) => sent[at..].trim_matches('`'),
        None if sent.ends_with("map") => "an object",
        None if sent.ends_with("sequence") => "a list",
        None => sent.rsplit(' ').next().unwrap_or(sent),
    };
    let wanted = match wanted {
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "u8" => "a whole number from 0 to 255",
        "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" => "a text",
        "a sequence" => "a list",
        "a map" => "an object",
        _ if wanted.starts_with("struct ") => "an object",
        _ => wanted,
    };
    format!("expected {wanted}, got {sent}")
}

#[cfg(test)]
mod tests {
    use crate::roles;
    use serde_json::{Value, json};

    #[test]
    fn what_cannot_be_read_is_said_with_its_place() {
        for (kind, settings, said) in [
            ("velocity", json!({"last": 1.5}), "in `last`, expected a whole number from 0 on, got 1.5"),
            (
                "velocity",
                json!({"byBoard": true, "last": "6"}),
                "in `last`, expected a whole number from 0 on, got \"6\"",
            ),
            ("planned", json!({"graceDays": {}}), "in `graceDays`, expected a whole number, got an object"),
            ("velocity", json!({"byBoard": null}), "in `byBoard`, expected true or false, got null"),
            ("velocity", json!({"sprints": [{"key": "a", "to": "b"}]}), "in `sprints`, `from` is missing"),
            (
                "numbers",
                json!({"function": "summe"}),
                "in `function`, expected one of `sum`, `average`, `median`, `min`, `max`, `count`, `countFilled`, `distinct`, got summe",
            ),
            ("velocity", json!({"format": 5}), "in `format`, expected an object, got 5"),
        ] {
            let mut config = json!({"id": "w", "kind": kind});
            config.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
            assert_eq!(roles(&config), Err(said.to_owned()), "{config}");
        }
    }

    #[test]
    fn a_whole_number_is_one_however_it_is_written() {
        let told = |config: Value| roles(&config).map(|roles| roles.len());
        for (kind, settings) in [
            ("velocity", json!({"last": 6.0})),
            ("planned", json!({"graceDays": 2.0, "last": 3.0})),
            ("burndown", json!({"workdays": [0.0, 1]})),
            ("table", json!({"offset": 1e2, "limit": 5.0})),
            ("numbers", json!({"format": {"decimals": 2.0}})),
        ] {
            let mut config = json!({"id": "w", "kind": kind});
            config.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
            assert!(told(config.clone()).is_ok(), "{config}: {:?}", told(config.clone()));
        }
    }
}
