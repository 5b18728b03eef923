//! Reads JSON strictly: rejects repeated members, deep nesting, and whole numbers that would lose digits. `serde_json`
//! alone keeps the last member and rounds the number.

use crate::error::{self, Error, Result};
use crate::fault;
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Maximum nesting.
pub const DEPTH_MAX: u32 = 64;

/// Reads one document.
pub fn parse(bytes: &[u8]) -> Result<Value> {
    let (value, lost) = parse_to_ends(bytes)?;
    lost.map_or(Ok(value), Err)
}

/// Like `parse`, for callers that check the range of each number: numbers that are too large become `f64::MAX` or
/// `f64::MIN`, and their error is returned beside the document.
pub fn parse_to_ends(bytes: &[u8]) -> Result<(Value, Option<Error>)> {
    let with_ends = with_ends(bytes);
    let value = read(with_ends.as_deref().unwrap_or(bytes));
    let value = value.map_err(|e| match std::str::from_utf8(bytes) {
        Ok(_) => error::NOT_JSON.error(format!("Invalid JSON: {e}.")),
        Err(why) => error::NOT_JSON.error(format!(
            "Invalid JSON: not UTF-8, byte {} is invalid. Save the text as UTF-8, then send it again.",
            why.valid_up_to() + 1
        )),
    })?;
    Ok((value, with_ends.and_then(|_| lost(bytes))))
}

fn read(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    Strict(DEPTH_MAX).deserialize(&mut reader).and_then(|value| reader.end().map(|()| value))
}

/// Maximum characters of a number in its error.
const NUMBER_CHARS_MAX: usize = 50;

/// The error for the first number of a valid document that would lose digits. Fractions are rounded to the nearest
/// float, as usual.
fn lost(document: &[u8]) -> Option<Error> {
    let (at, number) = numbers(document).find(|(_, number)| is_lost(number))?;
    let shown: String = number.chars().take(NUMBER_CHARS_MAX).collect();
    let (what, kept) = if is_endless(number) {
        ("is larger than a number can be", "numbers can have 308 digits before the point")
    } else {
        ("has more digits than a number can store", "whole numbers can have 64 bits")
    };
    let refusal = error::INVALID.error(format!("The number {shown} {what}: {kept}. Send it as text."));
    Some(refusal.at(pointer_to(document, at), fault::OUT_OF_RANGE, format!("It {what}: {kept}.")))
}

/// Every number with its position.
fn numbers(document: &[u8]) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let begin = at;
            match document.get(at)? {
                b'"' => at = after_text(document, at)?,
                b'-' | b'0'..=b'9' => {
                    let is_more = |sign: &u8| matches!(sign, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
                    at += document[at..].iter().take_while(|sign| is_more(sign)).count();
                    return Some((begin, std::str::from_utf8(&document[begin..at]).ok()?));
                }
                _ => at += 1,
            }
        }
    })
}

/// The end of the string that begins here.
fn after_text(document: &[u8], begin: usize) -> Option<usize> {
    let mut at = begin + 1;
    while *document.get(at)? != b'"' {
        at += 1 + usize::from(document[at] == b'\\');
    }
    Some(at + 1)
}

/// Whether it would lose digits.
fn is_lost(number: &str) -> bool {
    loses_digits(number) || is_endless(number)
}

fn is_endless(number: &str) -> bool {
    number.parse::<f64>().is_ok_and(f64::is_infinite)
}

/// The document with the largest float in place of each number that would lose digits; `None` if there are none.
fn with_ends(document: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    let mut so_far = 0;
    for (at, number) in numbers(document).filter(|(_, number)| is_lost(number)) {
        whole.extend_from_slice(&document[so_far..at]);
        let end = if number.starts_with('-') { f64::MIN } else { f64::MAX };
        whole.extend_from_slice(format!("{end:e}").as_bytes());
        so_far = at + number.len();
    }
    whole.extend_from_slice(&document[so_far..]);
    (so_far > 0).then_some(whole)
}

/// The pointer to the value that begins at `end` of a valid document.
fn pointer_to(document: &[u8], end: usize) -> String {
    enum Step {
        Member(String),
        Place(usize),
    }
    let (mut steps, mut text, mut at) = (Vec::new(), 0..0, 0);
    while at < end {
        let begin = at;
        at += 1;
        match (document[begin], steps.last_mut()) {
            (b'{', _) => steps.push(Step::Member(String::new())),
            (b'[', _) => steps.push(Step::Place(0)),
            (b'}' | b']', _) => drop(steps.pop()),
            (b',', Some(Step::Place(place))) => *place += 1,
            (b':', Some(Step::Member(name))) => {
                *name = serde_json::from_slice(&document[text.clone()]).unwrap_or_default();
            }
            (b'"', _) => {
                at = after_text(document, begin).unwrap_or(end);
                text = begin..at;
            }
            _ => {}
        }
    }
    let steps = steps.iter().map(|step| match step {
        Step::Member(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
        Step::Place(place) => format!("/{place}"),
    });
    steps.collect()
}

fn loses_digits(number: &str) -> bool {
    let digits = number.trim_start_matches('-');
    let is_whole = digits.bytes().all(|sign| sign.is_ascii_digit());
    if !is_whole || number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok() {
        return false;
    }
    // The shortest digits of the nearest float, as sent by programs with only floats.
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
                return Err(de::Error::custom(format!("the member {key:?} is repeated")));
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

/// A member that can be omitted, null, or set.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Patch<T> {
    /// Omitted: keep the value.
    #[default]
    Keep,
    /// Null: clear the value.
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
    fn a_document_that_is_not_utf8_is_refused_with_the_place() {
        let refused = parse(b"{\"text\":\"a\xff\"}").unwrap_err();
        assert!(refused.detail().contains("not UTF-8, byte 11 is invalid"), "{}", refused.detail());
    }

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
        for (sent, pointer) in [
            ("18446744073709551616", ""),
            (r#"{"a":"[1,","b\"/":[{"c":1},{"~d" : [ 0,[],{}, 99999999999999999999]}]}"#, "/b\"~1/1/~0d/3"),
            (r#"{"a":{"b":[1,2],"c":{}},"value":1e400}"#, "/value"),
            (r#"[-1e999]"#, "/0"),
        ] {
            let refusal = parse(sent.as_bytes()).unwrap_err();
            assert_eq!(refusal.code().name, "invalid-input", "{sent}");
            assert_eq!(
                (&*refusal.fields()[0].pointer, refusal.fields()[0].code.name()),
                (pointer, "out-of-range"),
                "{sent}"
            );
        }
        let (ends, refusal) = parse_to_ends(b"[1e400, -18446744073709551616, 2]").unwrap();
        assert_eq!((ends, refusal.is_some()), (serde_json::json!([f64::MAX, f64::MIN, 2]), true));
        let long = "9".repeat(400);
        assert!(parse(long.as_bytes()).unwrap_err().detail().contains("larger than a number can be"));
        for broken in ["{1e400}", "[1e400", "1e400 1", "-", "1e400-5", "\"1e400"] {
            assert_eq!(parse(broken.as_bytes()).unwrap_err().code().name, "not-json", "{broken}");
        }
        let long = parse("7".repeat(300).as_bytes()).unwrap_err();
        assert!(long.detail().len() < 200, "{}", long.detail());
    }
}
