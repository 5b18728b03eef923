//! A text that is shown to nobody: a password, a key.

use crate::error::Result;
use crate::text::{TEXT, expect_text};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;
use zeroize::Zeroizing;

/// The most characters of one. A private key in text has a few thousand.
pub const CHARS_MAX: usize = 8_192;

/// A text that no log, error or debugger's line shows, and whose memory is wiped when it is dropped. As a member of an input it is
/// `writeOnly`: the command line asks for it without showing it, and takes it from no argument.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes the text over.
    pub fn new(text: String) -> Secret {
        Secret(Zeroizing::new(text))
    }
    /// The text, for the one place that it is meant for.
    pub fn reveal(&self) -> &str {
        &self.0
    }
    /// Refuses one that is empty, longer than [`CHARS_MAX`], or holds a control character other than a line end or a tab. The
    /// refusal says where, and nothing of the text.
    pub fn expect(&self, pointer: &str) -> Result<()> {
        expect_text(&self.0, CHARS_MAX, pointer)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Secret, D::Error> {
        // What serde says of a number in its place has the number in it.
        String::deserialize(deserializer).map(Secret::new).map_err(|_| D::Error::custom("Send a text."))
    }
}

impl JsonSchema for Secret {
    fn schema_name() -> Cow<'static, str> {
        "Secret".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string", "format": "password", "writeOnly": true, "minLength": 1, "maxLength": CHARS_MAX, "pattern": TEXT,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_shows_it() {
        let secret = Secret::new("sk-verysecret".into());
        assert!(!format!("{secret:?} {:#?}", Some(&secret)).contains("very"));
        assert_eq!(secret.reveal(), "sk-verysecret");
        for wrong in [json!(123_456_789), json!(["sk-verysecret"]), json!({"sk-verysecret": 1}), json!(null)] {
            let said = serde_json::from_value::<Secret>(wrong).unwrap_err().to_string();
            assert!(!said.contains("very") && !said.contains("123"), "{said}");
        }
        for wrong in ["", " \n", "verysecret\0", &"verysecret".repeat(CHARS_MAX)] {
            let said = Secret::new(wrong.to_owned()).expect("/value").unwrap_err();
            assert!(!format!("{said:?} {}", said.problem()).contains("very"), "{said}");
        }
    }
}
