//! Follow-ups in the transcripts of sessions that ended: caught by a model, offered to the user.
//!
//! Invariants: a session's end asks at most once, also across crashes, and again only after new turns; what a model answers is at
//! most ten texts, which become tasks only when someone accepts them; what is off, or without a model, asks nobody.
//! Deliberately not here: transcripts, which `kit::lookup::SessionActivity` reads.

mod ops;
mod rows;
mod scan;

pub(crate) use ops::ops;
pub(crate) use rows::sweep;
pub(crate) use scan::{PURPOSE, SCAN, reaction, scan};

#[cfg(test)]
mod tests;
