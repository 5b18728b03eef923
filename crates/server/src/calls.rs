//! Calls operations, for HTTP and for MCP alike.

use futures_util::FutureExt;
use kit::{Call, Ctx, Op, Reply, Result, error};
use serde_json::{Map, Value};
use std::any::Any;
use std::panic::AssertUnwindSafe;

/// Calls an operation. A panic in it becomes an error of this request, so that others aren't affected.
pub(crate) async fn call(ctx: &Ctx, op: &Op, call: Call, input: Map<String, Value>) -> Result<Reply> {
    let outcome = AssertUnwindSafe(kit::call(ctx, op, call, input)).catch_unwind().await;
    outcome.unwrap_or_else(|panic| Err(panicked(op, &*panic)))
}

fn panicked(op: &Op, panic: &(dyn Any + Send)) -> kit::Error {
    let what = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    error::INTERNAL
        .error(format!("{} failed because of a bug in Pilothouse.", op.name))
        .caused_by(what.unwrap_or("a panic without a message").to_owned())
}
