//! The rules of sessions: what happens to one when something is told of it, and what an agent may do.
//!
//! Invariant: pure. Time, chance and settings are handed in; what is to be done comes back as data. No file, no process, no
//! clock and no settings store is touched here, so every rule is tested without any of them.
//! Deliberately not here: carrying the effects out, and the words for them on the page.

pub mod admission;
pub mod context;
pub mod loops;
pub mod policy;
pub mod question;
pub mod refill;
pub mod rules;
pub mod sensitive;
pub mod spawn;
pub mod state;

#[cfg(test)]
mod tests;
