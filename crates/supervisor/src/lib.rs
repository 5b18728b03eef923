//! The rules of sessions: how inputs change a session, and what an agent may do.
//!
//! Invariant: pure. Time, randomness, and settings are passed in, and actions are returned as data. Nothing here uses
//! files, processes, a clock, or the settings store, so every rule can be tested without them.
//! Deliberately not here: carrying out effects, and the page's texts.

pub mod admission;
pub mod context;
pub mod final_message;
pub mod find;
pub mod loops;
pub mod opening;
pub mod policy;
pub mod question;
pub mod refill;
pub mod rules;
pub mod sensitive;
pub mod spawn;
pub mod state;

#[cfg(test)]
mod tests;
