//! `GET /terminals/{terminalId}/output`: a terminal's output, as server-sent events.

use crate::output::{Ended, Piece, Viewer};
use crate::service::Terminals;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures_util::stream;
use kit::{Body, Call, Ctx, Media, Raw, Reply, Result};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use std::time::Duration;
use tokio::time::timeout;

const EVENT_STREAM: &str = "text/event-stream";
/// The first line of a stream: the client's delay before it reconnects.
const RETRY: &str = "retry: 1000\n\n";
const HEARTBEAT: &str = ": still here\n\n";
/// Delay between heartbeats on an idle stream.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(15);

/// Documents the answer.
pub(crate) struct OutputStream;
impl Media for OutputStream {
    const TYPES: &'static [&'static str] = &[EVENT_STREAM];
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

/// A terminal and a start position.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "TerminalOutputParams")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct From {
    terminal_id: String,
    /// Only output after this position: the ID of the last event. All stored output, up to 256 KiB, if omitted.
    /// `Last-Event-ID` takes precedence.
    #[schemars(range(min = 0))]
    after: Option<u64>,
}

pub(crate) async fn output(ctx: Ctx, call: Call, input: From) -> Result<Raw<OutputStream>> {
    let terminal = ctx.service::<Terminals>().one(call.account(), &input.terminal_id)?;
    let after = call.last_event_id.as_deref().and_then(|id| id.parse().ok()).or(input.after);
    let viewer = terminal.shell.output.watch(after);
    let begin = format!("{RETRY}id: {}\n\n", viewer.position());
    let pieces = stream::unfold(Watching { viewer, first: Some(begin), has_ended: false }, |mut watching| async move {
        let piece = watching.next().await?;
        Some((Ok(piece), watching))
    });
    let body = Body::Stream(Box::pin(pieces));
    Ok(Reply { status: 200, content_type: EVENT_STREAM, headers: Vec::new(), body }.into())
}

struct Watching {
    viewer: Viewer,
    first: Option<String>,
    has_ended: bool,
}

impl Watching {
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(first) = self.first.take() {
            return Some(first.into());
        }
        while !self.has_ended {
            if let Some(piece) = self.viewer.take() {
                self.has_ended = matches!(piece, Piece::Ended(_));
                return Some(event(piece).into());
            }
            if timeout(HEARTBEAT_EVERY, self.viewer.changed()).await.is_err() {
                return Some(Bytes::from_static(HEARTBEAT.as_bytes()));
            }
        }
        None
    }
}

fn event(piece: Piece) -> String {
    match piece {
        Piece::Output { bytes, to, is_replay } => {
            let name = if is_replay { "replay" } else { "output" };
            format!("id: {to}\nevent: {name}\ndata: {}\n\n", BASE64_STANDARD.encode(bytes))
        }
        Piece::Missed => "event: reset\ndata: {}\n\n".into(),
        Piece::Ended(Ended::Exited(code)) => {
            format!("event: exit\ndata: {}\n\n", serde_json::json!({"exitCode": code}))
        }
        Piece::Ended(Ended::Closed) => "event: closed\ndata: {}\n\n".into(),
    }
}
