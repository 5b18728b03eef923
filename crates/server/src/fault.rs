//! HTTP's codes of problems with single fields, besides those of `kit::fault`.

pub(crate) use kit::fault::*;

kit::faults! {
    GIVEN_TWICE = "given-twice" : "The field is repeated: in two of path, query, and body, or twice in one.";
    NOT_BASE64 = "not-base64" : "The text isn't base64.";
    WRONG_FORM = "wrong-form" : "The challenge must be 16 to 64 bytes in hexadecimal.";
}
