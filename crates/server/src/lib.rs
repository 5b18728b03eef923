//! The control server: HTTP, server-sent events, MCP and OpenAPI, all made from the rows of operations.
//!
//! Invariants: every request passes the same guard, in the order of `serve.rs`; every operation is reached through
//! `kit::call`; nothing without a valid token learns more than that it needs one. No feature is known here by name.
//! A second door beside it (`published.rs`) serves published pages alone, and shares nothing with this one but its limits.
//! Deliberately not here: TLS, other addresses than loopback, CORS, cookies, websockets, and who holds a token (that is the
//! accounts feature's).

mod body;
mod calls;
mod codes;
mod connections;
mod docs;
mod events_stream;
mod fault;
mod guard;
mod input;
mod interface;
mod limits;
mod mcp;
mod meter;
mod openapi;
mod ops;
mod pages;
mod published;
mod reply;
mod route;
mod serve;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

pub use codes::CODES;
pub use docs::{errors_md, operations_md};
pub use fault::FAULTS;
pub use limits::Limits;
pub use openapi::openapi;
pub use ops::{GROUPS, ops};
pub use pages::{Frame, Page, Pages};
pub use published::{PUBLISHED, PublishedPage, PublishedPages, serve_published};
pub use serve::{Access, Door, UnknownTokens};
