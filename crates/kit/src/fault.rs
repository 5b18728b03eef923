//! What is wrong at one place of what was sent: the codes within `errors` and `problems`, as `error` has those of whole
//! answers.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// A kind of fault at one place: what the second table of `docs/errors.md` lists. Declared once with
/// [`faults!`](crate::faults); a whole answer's code is one too, by [`Code::fault`](crate::Code::fault).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    name: &'static str,
    doc: &'static str,
}

impl Fault {
    /// For rows of codes alone: what has none stands in no document.
    #[doc(hidden)]
    pub const fn declared(name: &'static str, doc: &'static str) -> Fault {
        Fault { name, doc }
    }
    /// Stable, kebab-case; scripts compare it.
    pub const fn name(self) -> &'static str {
        self.name
    }
    /// What it means; the detail beside it says what is accepted.
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
        pub static FAULTS: &[$crate::Fault] = &[$($id),*];
    };
}

faults! {
    CONTROL_CHARACTER = "control-character" : "The text has a control character that none may have.";
    MISSING = "missing" : "A member that is required is not there, or empty.";
    NOT_A_CHOICE = "not-a-choice" : "Only some values are accepted, and it is none of them.";
    NOT_WHOLE = "not-whole" : "The number has a fraction where only whole ones are accepted.";
    OFF_STEP = "off-step" : "The number is no multiple of the step that is accepted.";
    ONE_OF = "one-of" : "Of members that exclude each other more than one was sent, or none.";
    OUT_OF_RANGE = "out-of-range" : "The number is below the least or above the largest that is accepted.";
    REPEATED = "repeated" : "The same stands twice in a list that takes each once.";
    TOO_LONG = "too-long" : "The text, or the value as JSON, is longer than is accepted.";
    TOO_MANY = "too-many" : "The list or object has more members than are accepted.";
    UNKNOWN_BOARD = "unknown-board" : "The account has no such board.";
    UNKNOWN_COLUMN = "unknown-column" : "There is no column of this id or title.";
    UNKNOWN_CURSOR = "unknown-cursor" : "The cursor is not the `nextCursor` of a page of this list.";
    UNKNOWN_FIELD = "unknown-field" : "There is no member of this name here; the detail names those that there are.";
    UNKNOWN_HUB = "unknown-hub" : "The account has no such hub.";
    UNKNOWN_MEMBER = "unknown-member" : "The account has no such member.";
    UNKNOWN_PLACE = "unknown-place" : "The account has no such place to be shown.";
    UNKNOWN_SESSION = "unknown-session" : "The account has no such session, or it has ended.";
    UNKNOWN_WORKSPACE = "unknown-workspace" : "The account has no such workspace.";
    WRONG_FORMAT = "wrong-format" : "The text is not written as it must be.";
    WRONG_LENGTH = "wrong-length" : "The text or list is too short or too long, or the text has nothing to be seen.";
    WRONG_TYPE = "wrong-type" : "The value is of another type than is accepted, such as a text in the place of a number.";
}
