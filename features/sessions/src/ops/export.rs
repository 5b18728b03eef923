//! `GET /sessions/{sessionId}/export`: a whole transcript as a file, streamed page by page.

use crate::records;
use crate::service::Sessions;
use crate::transcript::{Entry, Part, SessionKey};
use crate::write::{Form, Writer};
use bytes::Bytes;
use futures_util::stream;
use kit::{Body, Call, Ctx, Media, Raw, Reply, Result, rfc3339};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use std::sync::Arc;
use store::HasDb;

/// Entries read at once.
const ENTRIES: usize = 500;

/// The file format.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum As {
    /// Readable text.
    Markdown,
    /// One JSON line per entry, with all stored data.
    Jsonl,
    /// A self-contained web page without scripts.
    Html,
}

/// A session and a file format.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Export {
    session_id: String,
    #[serde(rename = "as")]
    form: As,
}

/// Documents the answer.
pub(super) struct File;
impl Media for File {
    const TYPES: &'static [&'static str] =
        &["text/markdown; charset=utf-8", "application/x-ndjson", "text/html; charset=utf-8"];
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

pub(super) async fn export(ctx: Ctx, call: Call, input: Export) -> Result<Raw<File>> {
    let sessions = ctx.service::<Sessions>();
    let key = SessionKey { account: call.caller.account.clone(), session: input.session_id.as_str().into() };
    let read_key = key.clone();
    let record = ctx.db().read(move |tx| records::one(tx, &read_key.account, &read_key.session)).await?;
    sessions.flush(&key).await;
    // The export ends here: entries written during a long one would never let it end.
    let last = sessions.common.transcripts.last(&key).await?;
    let (content_type, ending, form) = match input.form {
        As::Markdown => (File::TYPES[0], "md", Some(Form::Markdown)),
        As::Jsonl => (File::TYPES[1], "jsonl", None),
        As::Html => (File::TYPES[2], "html", Some(Form::Html)),
    };
    let writer = form.map(|form| Writer::new(form, &record.title, &rfc3339(record.created_ms)));
    let reading = Reading { sessions, key, after: 0, last, writer, is_over: false };
    let pieces = stream::unfold(reading, |mut reading| async move {
        let piece = reading.next().await?;
        Some((piece, reading))
    });
    let file = format!("attachment; filename=\"session-{}.{ending}\"", record.id);
    let reply = Reply { status: 200, content_type, headers: Vec::new(), body: Body::Stream(Box::pin(pieces)) };
    Ok(reply.header("content-disposition", file).into())
}

struct Reading {
    sessions: Arc<Sessions>,
    key: SessionKey,
    after: i64,
    last: i64,
    /// None for the format that writes entries as they are stored.
    writer: Option<Writer>,
    is_over: bool,
}

impl Reading {
    async fn next(&mut self) -> Option<std::io::Result<Bytes>> {
        if self.is_over {
            return None;
        }
        let entries = match self.sessions.common.transcripts.page(&self.key, Part::After(self.after), ENTRIES).await {
            Ok(entries) => entries,
            Err(why) => {
                self.is_over = true;
                return Some(Err(std::io::Error::other(why.to_string())));
            }
        };
        let entries: Vec<Entry> = entries.into_iter().filter(|entry| entry.number <= self.last).collect();
        let mut text = String::new();
        for entry in &entries {
            match &mut self.writer {
                Some(writer) => writer.entry(&mut text, &rfc3339(entry.at_ms), &entry.body),
                None => text.push_str(&format!(
                    "{{\"number\":{},\"at\":\"{}\",\"body\":{}}}\n",
                    entry.number,
                    rfc3339(entry.at_ms),
                    entry.body
                )),
            }
        }
        match entries.last() {
            Some(entry) => self.after = entry.number,
            None => {
                self.is_over = true;
                if let Some(writer) = &mut self.writer {
                    writer.end(&mut text);
                }
            }
        }
        Some(Ok(text.into()))
    }
}
