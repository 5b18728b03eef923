//! Secret text, such as a password or a key.

use crate::error::Result;
use crate::text::{TEXT, expect_text};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;
use zeroize::Zeroizing;

/// Maximum characters. A private key as text has a few thousand.
pub const CHARS_MAX: usize = 8_192;

/// Text that never appears in logs, errors, or debug output, and whose memory is wiped when dropped. In an input it is
/// `writeOnly`: the command line prompts for it without showing it, and accepts it in no argument.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Creates a secret.
    pub fn new(text: String) -> Secret {
        Secret(Zeroizing::new(text))
    }
    /// The text, for the place where it's used.
    pub fn reveal(&self) -> &str {
        &self.0
    }
    /// Rejects text that is empty, longer than [`CHARS_MAX`], or has control characters other than line ends and tabs.
    /// The error has the position but no part of the text.
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
        // Serde's message for a number would contain it.
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
