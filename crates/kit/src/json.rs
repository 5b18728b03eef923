//! Strict reading of JSON: a repeated member, a too deep document and a whole number that would lose digits are refused,
//! where `serde_json` alone keeps the last member and rounds the number.

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
    let value = value.map_err(|e| error::NOT_JSON.error(format!("The body is not acceptable JSON: {e}.")))?;
    match rounded(bytes) {
        None => Ok(value),
        Some(number) => Err(error::INVALID.error(format!(
            "The number {number} has more digits than a number keeps: whole numbers have up to 64 bits. Send it as a text."
        ))),
    }
}

/// Characters of a number that its refusal repeats.
const NUMBER_CHARS_MAX: usize = 50;

/// The first whole number of a sound document that does not come back as it was sent. Fractions are taken as the nearest
/// number that there is, as everywhere.
fn rounded(document: &[u8]) -> Option<String> {
    let mut at = 0;
    while let Some(sign) = document.get(at) {
        let begin = at;
        at += 1;
        match sign {
            b'"' => {
                while *document.get(at)? != b'"' {
                    at += 1 + usize::from(document[at] == b'\\');
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let is_more = |sign: &u8| matches!(sign, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                at += document[at..].iter().take_while(|sign| is_more(sign)).count();
                let number = std::str::from_utf8(&document[begin..at]).ok()?;
                if loses_digits(number) {
                    return Some(number.chars().take(NUMBER_CHARS_MAX).collect());
                }
            }
            _ => {}
        }
    }
    None
}

fn loses_digits(number: &str) -> bool {
    let digits = number.trim_start_matches('-');
    let is_whole = digits.bytes().all(|sign| sign.is_ascii_digit());
    if !is_whole || number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok() {
        return false;
    }
    // The fewest digits that name the nearest float; a program that knows floats only sends these.
    let kept = digits.parse::<f64>().map_or_else(|_| String::new(), |nearest| format!("{nearest:e}"));
    let kept = kept.split('e').next().unwrap_or_default().replace('.', "");
    kept.trim_end_matches('0') != digits.trim_end_matches('0')
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_come_back_as_they_were_sent_or_are_refused() {
        for (sent, back) in [
            ("18446744073709551615", "18446744073709551615"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("100000000000000000000", "1e+20"),
            ("[\"\\\\\", \"\\\"12345678901234567890123\", 1.2345678901234567890123, 1e300, -0.5, 0]", ""),
        ] {
            let came = parse(sent.as_bytes()).unwrap().to_string();
            assert!(back.is_empty() || came == back, "{came}");
        }
        for lossy in
            ["12345678901234567890123", "-9223372036854775809", "9999999999999999999999", "18446744073709551616"]
        {
            let refusal = parse(format!("{{\"a\": [1, {lossy}]}}").as_bytes()).unwrap_err();
            assert_eq!(refusal.code().name, "invalid-input");
            assert!(
                refusal.detail().starts_with(&format!("The number {lossy} has more digits")),
                "{}",
                refusal.detail()
            );
        }
        let long = parse("7".repeat(300).as_bytes()).unwrap_err();
        assert!(long.detail().len() < 200, "{}", long.detail());
    }
}
