//! Errors in single inputs of this feature, in addition to those of `kit::fault`.

pub(crate) use kit::fault::*;

kit::faults! {
    NO_REPOSITORY = "no-repository" : "The hub isn't a git repository.";
    OUTSIDE_HUB = "outside-hub" : "The folder isn't in the hub, or in any hub.";
}
