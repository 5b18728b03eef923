//! Errors in single inputs of this feature, in addition to those of `kit::fault`.

pub(crate) use kit::fault::*;

kit::faults! {
    NO_REPOSITORY = "no-repository" : "The hub isn't a git repository.";
    NOT_A_PROGRAM = "not-a-program" : "The path isn't a program that can be run.";
    RESERVED_VARIABLE = "reserved-variable" : "Pilothouse sets this variable itself. Choose another one.";
    OUTSIDE_HUB = "outside-hub" : "The folder isn't in the hub, or in any hub.";
}
