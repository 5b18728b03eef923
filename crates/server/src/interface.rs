//! What the server's own operations know of the program: all operations and this run of it.

use crate::mcp::{self, Tools};
use crate::openapi::openapi;
use bytes::Bytes;
use kit::{Cached, Call, CallerSet, Code, Ctx, Method, Op, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;
use std::time::Duration;
use tokio::sync::watch;

/// A service of the context while the server runs.
pub(crate) struct Interface {
    pub(crate) ops: Vec<Op>,
    pub(crate) instance_id: String,
    pub(crate) version: &'static str,
    pub(crate) heartbeat: Duration,
    pub(crate) closing: watch::Receiver<bool>,
    pub(crate) tools: Tools,
    codes: Vec<&'static Code>,
    document: OnceLock<(String, Bytes)>,
}

impl Interface {
    pub(crate) fn new(
        mut ops: Vec<Op>,
        codes: Vec<&'static Code>,
        instance_id: String,
        version: &'static str,
        heartbeat: Duration,
        closing: watch::Receiver<bool>,
    ) -> Self {
        let message_bytes_max = mcp::message_bytes_max(&ops);
        ops.iter_mut().filter(|op| op.name == mcp::NAME).for_each(|op| op.body_bytes_max = message_bytes_max);
        let tools = Tools::new(&ops);
        Interface { ops, instance_id, version, heartbeat, closing, tools, codes, document: OnceLock::new() }
    }
}

/// What the server's own groups of commands are for, as features say it of theirs.
pub const GROUPS: &[(&str, &str)] = &[("openapi", "The OpenAPI document"), ("events", "Live events")];

/// The server's own operations; they belong to [`Door::ops`](crate::Door) like all others.
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
        crate::events_stream::op(),
        crate::mcp::op(),
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
