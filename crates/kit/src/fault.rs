//! Problems with single fields of a request: the codes within `errors` and `problems`. `error` has those of whole
//! responses.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// A kind of problem with one field, listed in the second table of `docs/errors.md`. Declared with
/// [`faults!`](crate::faults). The code of a whole response is one too, by [`Code::fault`](crate::Code::fault).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    name: &'static str,
    doc: &'static str,
}

impl Fault {
    /// Only for declarations, so that every fault is documented.
    #[doc(hidden)]
    pub const fn declared(name: &'static str, doc: &'static str) -> Fault {
        Fault { name, doc }
    }
    /// Stable, kebab-case; scripts compare it.
    pub const fn name(self) -> &'static str {
        self.name
    }
    /// Its meaning. The detail beside it has the accepted values.
    pub const fn doc(self) -> &'static str {
        self.doc
    }
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl JsonSchema for Fault {
    fn schema_name() -> Cow<'static, str> {
        str::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        str::json_schema(generator)
    }
    fn inline_schema() -> bool {
        true
    }
}

/// Declares faults: `NAME = "not-whole" : "doc";`. Makes one constant each, and `FAULTS`, the list.
#[macro_export]
macro_rules! faults {
    ($($id:ident = $name:literal : $doc:literal;)*) => {
        $(#[doc = $doc] pub const $id: $crate::Fault = $crate::Fault::declared($name, $doc);)*
        /// Every fault declared here.
        pub const FAULTS: &[$crate::Fault] = &[$($id),*];
    };
}

faults! {
    AMBIGUOUS = "ambiguous" : "Several things have this name. Use one of the IDs in the detail.";
    CONTROL_CHARACTER = "control-character" : "The text has a control character. Remove it.";
    MISSING = "missing" : "A required field is missing or empty.";
    NOT_A_CHOICE = "not-a-choice" : "The value isn't one of the accepted values.";
    NOT_WHOLE = "not-whole" : "The number must be whole.";
    OFF_STEP = "off-step" : "The number must be a multiple of the step.";
    ONE_OF = "one-of" : "Send exactly one of the fields. They exclude each other.";
    OUT_OF_RANGE = "out-of-range" : "The number is too small or too large.";
    REPEATED = "repeated" : "The list has a value twice.";
    TOO_LONG = "too-long" : "The text, or the value as JSON, is too long.";
    TOO_MANY = "too-many" : "The list or object has too many entries.";
    UNKNOWN_BOARD = "unknown-board" : "Board not found.";
    UNKNOWN_COLUMN = "unknown-column" : "No column has this ID or title.";
    UNKNOWN_CURSOR = "unknown-cursor" : "The cursor isn't the `nextCursor` of a page of this list.";
    UNKNOWN_FIELD = "unknown-field" : "Unknown field. The detail names the accepted ones.";
    UNKNOWN_HUB = "unknown-hub" : "Hub not found.";
    UNKNOWN_MEMBER = "unknown-member" : "Member not found.";
    UNKNOWN_PLACE = "unknown-place" : "Page not found.";
    UNKNOWN_SESSION = "unknown-session" : "Session not found, or it has ended.";
    UNKNOWN_WORKSPACE = "unknown-workspace" : "Workspace not found.";
    WRONG_FORMAT = "wrong-format" : "The text has the wrong format.";
    WRONG_LENGTH = "wrong-length" : "The text or list is too short or too long, or the text has only spaces.";
    WRONG_TYPE = "wrong-type" : "The value has the wrong type, such as text in place of a number.";
}
