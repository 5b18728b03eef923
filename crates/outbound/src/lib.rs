//! The only way out: HTTP requests to other servers, with limits.
//!
//! Invariants: an address that you configured may be anything, and is never left by a redirect, so that its key goes nowhere else;
//! an address from content never reaches a private network, also after redirects and changes of names; each request has a limit
//! of time, size, and attempts; a key is in no error.
//! Deliberately not here: what is asked, and whether a feature may ask at all.

mod failure;
mod private;
mod send;

pub use failure::Failure;
pub use send::{Answer, Exchange, Limits, Outbound, Request};

#[cfg(test)]
mod tests;
