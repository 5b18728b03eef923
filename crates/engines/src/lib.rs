//! Coding agents behind one port: how each is found, started and spoken with, and what it says of a turn in words that are the same
//! for all of them.
//!
//! Invariant: what an engine sends and nobody here knows is kept as it came and never breaks a session.
//! Deliberately not here: what to do about any of it. That is decided in `crates/supervisor`, without I/O.

pub mod acp;
pub mod engine;
pub mod event;
pub mod exported;
pub mod failure;
pub mod hook;
pub mod launch;
pub mod offers;
#[cfg(unix)]
mod pipe;
pub mod port;
pub mod practice;
pub mod probe;
pub mod process;
pub mod provider;
pub mod question;
pub mod redact;
pub mod tool;
pub mod world;

pub use acp::{Conn, Events, Process, Streams, connect};
pub use event::{
    Choice, ChoiceOption, Chunk, Cost, Event, Failure, Offer, OfferKind, PermissionRequest, Phase, Plan, PlanEntry,
    PlanStatus, Question, SlashCommand, StopReason, Tier, Tokens, ToolKind, ToolState, ToolUse, Transience, Usage,
};
pub use offers::Verdict;
pub use platform::sandbox::{self, Sandbox};
pub use port::{Access, Engine, LaunchPlan, Machine, Open, Opened, SessionSpec};
pub use world::World;

#[cfg(test)]
mod tests;
