//! What is wrong at single places, beside what `kit::fault` has for all.

pub(crate) use kit::fault::*;

kit::faults! {
    NOT_ACCEPTED = "not-accepted" : "The member belongs to another kind of token.";
}
