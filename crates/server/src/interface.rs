//! State for the server's own operations: all operations, and this run.

use crate::mcp::{self, Tools};
use bytes::Bytes;
use kit::{Code, Op};
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
    pub(crate) codes: Vec<&'static Code>,
    /// The OpenAPI document with its tag, created when first requested.
    pub(crate) document: OnceLock<(String, Bytes)>,
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
