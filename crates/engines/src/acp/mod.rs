//! The Agent Client Protocol, version 1, from the client's side.
//!
//! The messages are read as JSON first and by their members after that, without the types of the protocol's own crate: an update of
//! a kind or a form that is not known there is an error, and here it is passed on as it came. That crate would also switch
//! `serde_json` to another order of members for the whole program.
//!
//! Invariant: what an agent sends costs bounded memory, whatever it is; nothing that it sends ends the session but a line that is
//! too long.

mod actor;
mod conn;
mod line;
mod queue;
pub mod rpc;
pub mod update;

pub use actor::{Process, Streams};
pub use conn::{Conn, Events, connect};
pub use line::{LINE_BYTES_MAX, Line, Lines};
pub use queue::{EVENT_BYTES_MAX, EVENTS_MAX, absorb};

/// The version of the protocol that is spoken.
pub const PROTOCOL_VERSION: u64 = 1;
