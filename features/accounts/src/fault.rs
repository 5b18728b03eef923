//! What is wrong at single places, beside what `kit::fault` has for all.

pub(crate) use kit::fault::*;

kit::faults! {
    NOT_ACCEPTED = "not-accepted" : "The member goes with another kind of token.";
}
