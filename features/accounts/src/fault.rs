//! Codes of problems with single fields, besides those of `kit::fault`.

pub(crate) use kit::fault::*;

kit::faults! {
    NOT_ACCEPTED = "not-accepted" : "This field can't be used with this kind of token.";
}
