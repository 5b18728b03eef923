//! Reads inputs into their types by JSON Schema's rules: objects can't be written as lists of values, which serde alone
//! would accept, and 2.0 is a whole number.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, IntoDeserializer, Visitor};
use serde_json::{Error, Value};

/// Reads a value. The error has the path to the problem.
pub(crate) fn read<T: DeserializeOwned>(value: Value) -> Result<T, serde_path_to_error::Error<Error>> {
    serde_path_to_error::deserialize(Input(value))
}

/// Rewords serde's message: the accepted values, and what was sent.
pub(crate) fn said(what: &str) -> String {
    let plain = |text: &str| text.replace('`', "");
    if let Some(name) = what.strip_prefix("missing field ") {
        return format!("{} is required.", plain(name));
    }
    // The sent value comes first and can contain these words itself.
    let Some((sent, wanted)) = what.rsplit_once(", expected ") else { return plain(what) };
    if let Some(name) = sent.strip_prefix("unknown field ") {
        return format!("Unknown field {}. Accepted: {}.", plain(name), plain(wanted));
    }
    let sent = match sent.find(['`', '"']) {
        Some(at) => plain(&sent[at..]),
        None if sent.ends_with("map") => "an object".to_owned(),
        None if sent.ends_with("sequence") => "a list".to_owned(),
        None => sent.rsplit(' ').next().unwrap_or(sent).to_owned(),
    };
    let wanted = match wanted {
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "u8" => "a whole number from 0 to 255",
        "u16" | "u32" | "u64" | "usize" => "a whole number from 0 on",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" => "text",
        "a sequence" => "a list",
        "a map" => "an object",
        _ if wanted.starts_with("struct ") => "an object",
        _ => wanted,
    };
    format!("Expected {}, got {}.", plain(wanted), sent)
}

/// A part of an input.
struct Input(Value);

/// Above it, floats can't represent every whole number.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

impl Input {
    /// Converts a whole number, such as 2.0, to an integer.
    fn whole(self) -> Value {
        match self.0.as_f64().filter(|n| self.0.is_f64() && n.fract() == 0.0 && n.abs() <= WHOLE_MAX) {
            Some(n) => Value::from(n as i64),
            None => self.0,
        }
    }
}

impl<'de> IntoDeserializer<'de, Error> for Input {
    type Deserializer = Self;
    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! whole_numbers {
    ($($name:ident)+) => {$(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.whole().$name(visitor)
        }
    )+};
}

macro_rules! plain {
    ($($name:ident)+) => {$(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.0.$name(visitor)
        }
    )+};
}

impl<'de> Deserializer<'de> for Input {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(items) => {
                let mut seq = SeqDeserializer::new(items.into_iter().map(Input));
                let value = visitor.visit_seq(&mut seq)?;
                seq.end().map(|()| value)
            }
            Value::Object(members) => {
                let mut map = MapDeserializer::new(members.into_iter().map(|(name, value)| (name, Input(value))));
                let value = visitor.visit_map(&mut map)?;
                map.end().map(|()| value)
            }
            plain => plain.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        // Anything else is rejected by serde_json.
        if self.0.is_object() { self.deserialize_any(visitor) } else { self.0.deserialize_map(visitor) }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_array() { self.deserialize_any(visitor) } else { self.0.deserialize_seq(visitor) }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, Error> {
        self.0.deserialize_unit_struct(name, visitor)
    }

    whole_numbers! { deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 }
    whole_numbers! { deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 }
    plain! { deserialize_bool deserialize_f32 deserialize_f64 deserialize_char deserialize_str deserialize_string }
    plain! { deserialize_bytes deserialize_byte_buf deserialize_unit deserialize_identifier deserialize_ignored_any }
}

#[cfg(test)]
mod tests {
    use super::{read, said};
    use serde::Deserialize;
    use serde_json::{Map, Value, json};

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        One,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Part {
        place: Option<u8>,
        word: Option<Word>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Whole {
        part: Option<Part>,
        #[serde(default)]
        parts: Vec<Part>,
        share: Option<f64>,
        #[serde(default)]
        free: Map<String, Value>,
    }

    #[test]
    fn inputs_are_read_as_their_schema_says() {
        let whole: Whole = read(json!({
            "part": {"place": 2.0, "word": "one"}, "parts": [{}], "share": 3, "free": {"a": [1.0, {"b": null}]},
        }))
        .unwrap();
        let empty = Part { place: None, word: None };
        assert_eq!(whole.part, Some(Part { place: Some(2), word: Some(Word::One) }));
        assert_eq!((whole.parts, whole.share), (vec![empty], Some(3.0)));
        assert_eq!(Value::Object(whole.free).to_string(), r#"{"a":[1.0,{"b":null}]}"#, "what is free stays as it is");
        for (wrong, path, what) in [
            (json!({"part": [null, null]}), "part", "Expected an object, got a list."),
            (json!({"parts": [{}, [1]]}), "parts[1]", "Expected an object, got a list."),
            (json!({"free": null}), "free", "Expected an object, got null."),
            (json!({"parts": null}), "parts", "Expected a list, got null."),
            (json!({"parts": "x"}), "parts", "Expected a list, got \"x\"."),
            (json!({"parts": "x, expected y"}), "parts", "Expected a list, got \"x, expected y\"."),
            (json!({"part": {"place": 2.5}}), "part.place", "Expected a whole number from 0 to 255, got 2.5."),
            (json!({"part": {"place": 300.0}}), "part.place", "Expected a whole number from 0 to 255, got 300."),
            (json!({"part": {"else": 1}}), "part.else", "Unknown field else. Accepted: place or word."),
            (json!({"part": {"word": "two"}}), "part.word", "Expected one, got two."),
        ] {
            let error = read::<Whole>(wrong).unwrap_err();
            assert_eq!((error.path().to_string().as_str(), said(&error.inner().to_string()).as_str()), (path, what));
        }
    }
}
