//! The server's own operations.

use crate::interface::Interface;
use crate::openapi::openapi;
use crate::{events_stream, mcp};
use kit::{Cached, Call, CallerSet, Ctx, Method, Op, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Groups of the server's own commands, as features have them.
pub const GROUPS: &[(&str, &str)] = &[("openapi", "The OpenAPI document"), ("events", "Live events")];

/// The server's own operations, part of [`Door::ops`](crate::Door) like all others.
pub fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "openapi.get",
            Method::Get,
            "/openapi.json",
            CallerSet::ANYONE_KNOWN,
            "Read the OpenAPI 3.1 document.",
            document,
        )
        .document(),
        events_stream::op(),
        mcp::op(),
    ]
}

/// An operation without input.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParams {}

async fn document(ctx: Ctx, call: Call, _: NoParams) -> Result<Cached<serde_json::Map<String, Value>>> {
    let interface = ctx.service::<Interface>();
    let (etag, bytes) = interface.document.get_or_init(|| {
        let text = openapi(&interface.ops, &interface.codes).to_string();
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        (format!("\"{:016x}\"", hasher.finish()), text.into())
    });
    Ok(Cached::new(&call, etag, || bytes.clone()))
}
