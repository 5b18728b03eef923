//! Strict reading of JSON: a repeated member or a too deep document is refused, where `serde_json` alone keeps the last.

use crate::error::{self, Result};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Deepest nesting that is read.
pub const DEPTH_MAX: u32 = 64;

/// Reads one document.
pub fn parse(bytes: &[u8]) -> Result<Value> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Strict(DEPTH_MAX).deserialize(&mut reader).and_then(|value| reader.end().map(|()| value));
    value.map_err(|e| error::NOT_JSON.error(format!("The body is not acceptable JSON: {e}.")))
}

struct Strict(u32);

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, b: bool) -> Result<Value, E> {
        Ok(b.into())
    }
    fn visit_i64<E>(self, n: i64) -> Result<Value, E> {
        Ok(n.into())
    }
    fn visit_u64<E>(self, n: u64) -> Result<Value, E> {
        Ok(n.into())
    }
    fn visit_f64<E: de::Error>(self, n: f64) -> Result<Value, E> {
        Number::from_f64(n).map(Value::Number).ok_or_else(|| E::custom("a number is out of range"))
    }
    fn visit_str<E>(self, s: &str) -> Result<Value, E> {
        Ok(s.into())
    }
    fn visit_string<E>(self, s: String) -> Result<Value, E> {
        Ok(s.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let deeper = self.deeper()?;
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(Strict(deeper))? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let deeper = self.deeper()?;
        let mut members = Map::new();
        while let Some(key) = map.next_key_seed(std::marker::PhantomData::<String>)? {
            let value = map.next_value_seed(Strict(deeper))?;
            if members.contains_key(&key) {
                return Err(de::Error::custom(format!("the member {key:?} stands twice")));
            }
            members.insert(key, value);
        }
        Ok(Value::Object(members))
    }
}

impl Strict {
    fn deeper<E: de::Error>(&self) -> Result<u32, E> {
        self.0.checked_sub(1).ok_or_else(|| E::custom(format!("it is nested deeper than {DEPTH_MAX} levels")))
    }
}

/// Where a member may be left out, set to null, or set: distinguishes the three.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Patch<T> {
    /// Left out: keep what is there.
    #[default]
    Keep,
    /// Null: clear it.
    Clear,
    /// Set to this.
    Set(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Ok(match Option::deserialize(d)? {
            Some(value) => Patch::Set(value),
            None => Patch::Clear,
        })
    }
}

impl<T: schemars::JsonSchema> schemars::JsonSchema for Patch<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Option::<T>::schema_name()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Option::<T>::json_schema(generator)
    }
    fn inline_schema() -> bool {
        true
    }
}
