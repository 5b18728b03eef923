//! Codes of problems with single fields, besides those of `kit::fault`.

pub(crate) use kit::fault::*;

kit::faults! {
    NOT_ACCEPTED = "not-accepted" : "The member belongs to another kind of token.";
}
