//! `GET /apps/{appId}/logs/stream`: what an app writes, as server-sent events.

use crate::log::{LINES_MAX, Log};
use crate::ops;
use bytes::Bytes;
use futures_util::stream;
use kit::{Body, Call, Ctx, Media, Raw, Reply, Result};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

const EVENT_STREAM: &str = "text/event-stream";
/// The first line of a stream: the client's delay before it reconnects.
const RETRY: &str = "retry: 1000\n\n";
const HEARTBEAT: &str = ": still here\n\n";
/// Delay between heartbeats on an idle stream.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(15);

/// Documents the answer.
pub(crate) struct LogStream;
impl Media for LogStream {
    const TYPES: &'static [&'static str] = &[EVENT_STREAM];
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

/// An app and a start position.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "AppFollowParams")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct From {
    app_id: String,
    /// Only lines after this number: the ID of the last event. All kept lines if omitted. `Last-Event-ID` takes precedence.
    #[schemars(range(min = 0))]
    after: Option<u64>,
}

struct Following {
    /// Gone once the app is removed.
    log: Weak<Log>,
    newest: watch::Receiver<u64>,
    /// The number of the last line that was sent.
    sent: u64,
    has_begun: bool,
}

pub(crate) async fn follow(ctx: Ctx, call: Call, input: From) -> Result<Raw<LogStream>> {
    let app = ops::seen(&ctx, (&call).into(), &input.app_id).await?;
    let sent = call.last_event_id.as_deref().and_then(|id| id.parse().ok()).or(input.after).unwrap_or_default();
    let following = Following { newest: app.log.watch(), log: Arc::downgrade(&app.log), sent, has_begun: false };
    let pieces = stream::unfold(following, |mut following| async move {
        let piece = following.next().await?;
        Some((Ok(piece), following))
    });
    let body = Body::Stream(Box::pin(pieces));
    Ok(Reply { status: 200, content_type: EVENT_STREAM, headers: Vec::new(), body }.into())
}

impl Following {
    async fn next(&mut self) -> Option<Bytes> {
        if !std::mem::replace(&mut self.has_begun, true) {
            return Some(Bytes::from_static(RETRY.as_bytes()));
        }
        loop {
            self.newest.mark_unchanged();
            let (first, lines) = self.log.upgrade()?.last(LINES_MAX, self.sent);
            if !lines.is_empty() {
                let mut text = String::new();
                for (number, line) in (first..).zip(lines) {
                    let _ = write!(text, "id: {number}\nevent: line\ndata: {}\n\n", Value::from(line));
                    self.sent = number;
                }
                return Some(text.into());
            }
            match timeout(HEARTBEAT_EVERY, self.newest.changed()).await {
                Ok(Ok(())) => {}
                // The app was removed.
                Ok(Err(_)) => return None,
                Err(_) => return Some(Bytes::from_static(HEARTBEAT.as_bytes())),
            }
        }
    }
}
