//! `GET /sessions/{sessionId}/stream`: live updates of a session, as server-sent events.

use super::page::{Asks, Detail, detail, open_asks};
use super::shared::{Entry, entry};
use crate::live::Live;
use crate::service::Sessions;
use crate::transcript::{PAGE_ENTRIES_MAX, Part, SessionKey};
use bytes::Bytes;
use futures_util::stream;
use kit::{Body, Call, Ctx, Media, Raw, Reply, Result};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until};

const EVENT_STREAM: &str = "text/event-stream";
/// The first line of a stream: the client's delay before it reconnects.
const RETRY: &str = "retry: 1000\n\n";
const HEARTBEAT: &str = ": still here\n\n";
/// Delay between heartbeats on an idle stream.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(15);
/// Minimum delay between checks for changes: at most about 30 messages a second.
const PACE: Duration = Duration::from_millis(33);
/// A client that is further behind is sent `reset`.
const BEHIND_MAX: i64 = 5_000;

/// Documents the answer.
pub(super) struct EventStream;
impl Media for EventStream {
    const TYPES: &'static [&'static str] = &[EVENT_STREAM];
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

/// A session and a start position.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct From {
    session_id: String,
    /// Only entries after this number; only new ones if omitted. `Last-Event-ID` takes precedence.
    #[schemars(range(min = 0))]
    after: Option<i64>,
}

pub(super) async fn stream(ctx: Ctx, call: Call, input: From) -> Result<Raw<EventStream>> {
    super::shared::expect_seen(&ctx, &call.caller, &input.session_id).await?;
    let sessions = ctx.service::<Sessions>();
    let key = SessionKey { account: call.caller.account.clone(), session: input.session_id.as_str().into() };
    let live = sessions.common.listeners.live(&key);
    // Before the first read, so that no change is missed in between.
    let news = live.listen();
    let record = live.from(i64::MAX).record;
    let (asks, first) = (open_asks(&ctx, &key).await?, detail(&ctx, &key).await?);
    sessions.flush(&key).await;
    let last = sessions.common.transcripts.last(&key).await?;
    let came_from = call.last_event_id.as_deref().and_then(|id| id.parse().ok()).or(input.after);
    let after = came_from.unwrap_or(last);
    let mut heartbeat = interval_at(Instant::now() + HEARTBEAT_EVERY, HEARTBEAT_EVERY);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut reader = Reader {
        ctx,
        sessions,
        key,
        news,
        ready: VecDeque::from([Bytes::from_static(RETRY.as_bytes())]),
        next: after + 1,
        last,
        epoch: live.from(i64::MAX).epoch,
        record,
        asks: None,
        looked: None,
        heartbeat,
        live,
    };
    if after > last || last - after > BEHIND_MAX {
        reader.reset(last);
    } else {
        // A client that reconnects before the first event can name its position.
        reader.ready.push_back(format!("id: {after}\n\n").into());
    }
    reader.tell_record(&first, &asks);
    let pieces = stream::unfold(reader, |mut reader| async move {
        let piece = reader.next().await?;
        Some((Ok(piece), reader))
    });
    let body = Body::Stream(Box::pin(pieces));
    Ok(Reply { status: 200, content_type: EVENT_STREAM, headers: Vec::new(), body }.into())
}

struct Reader {
    ctx: Ctx,
    sessions: Arc<Sessions>,
    key: SessionKey,
    live: Arc<Live>,
    news: watch::Receiver<()>,
    ready: VecDeque<Bytes>,
    /// The next entry to send.
    next: i64,
    /// The newest entry when the stream began.
    last: i64,
    epoch: u64,
    record: u64,
    /// The ids of the open requests sent last.
    asks: Option<Vec<String>>,
    looked: Option<Instant>,
    heartbeat: Interval,
}

/// Sends new entries immediately.
#[derive(Serialize)]
struct Entries {
    entries: Vec<Entry>,
}

impl Reader {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Some(piece);
            }
            if let Some(looked) = self.looked {
                sleep_until(looked + PACE).await;
            }
            self.looked = Some(Instant::now());
            self.news.mark_unchanged();
            if let Err(why) = self.look().await {
                tracing::debug!("a stream of a session ends: {why}");
                return None;
            }
            if !self.ready.is_empty() {
                continue;
            }
            tokio::select! {
                biased;
                changed = self.news.changed() => changed.ok()?,
                _ = self.heartbeat.tick() => return Some(Bytes::from_static(HEARTBEAT.as_bytes())),
            }
        }
    }

    /// Queues new events for sending.
    async fn look(&mut self) -> Result<()> {
        let news = self.live.from(self.next);
        if news.epoch != self.epoch {
            self.epoch = news.epoch;
            self.sessions.flush(&self.key).await;
            let last = self.sessions.common.transcripts.last(&self.key).await?;
            self.reset(last);
        } else if !news.entries.is_empty() {
            self.tell_entries(news.entries)?;
        } else if self.next <= news.last.max(self.last) {
            self.catch_up(news.last.max(self.last)).await?;
        }
        if news.record != self.record {
            self.record = news.record;
            // Requests first: the record's own change is sent right after, so a record never names an unknown request
            // for long.
            let asks = open_asks(&self.ctx, &self.key).await?;
            let record = detail(&self.ctx, &self.key).await?;
            self.tell_record(&record, &asks);
        }
        Ok(())
    }

    /// Reads on from the transcript: a slow or reconnected client needs entries that listeners no longer have.
    async fn catch_up(&mut self, last: i64) -> Result<()> {
        self.sessions.flush(&self.key).await;
        let entries =
            self.sessions.common.transcripts.page(&self.key, Part::After(self.next - 1), PAGE_ENTRIES_MAX).await?;
        if entries.is_empty() || last - self.next > BEHIND_MAX {
            self.reset(last);
            return Ok(());
        }
        self.tell_entries(entries)
    }

    fn tell_entries(&mut self, entries: Vec<crate::transcript::Entry>) -> Result<()> {
        let Some(last) = entries.last().map(|entry| entry.number) else { return Ok(()) };
        self.next = last + 1;
        let entries = Entries { entries: entries.into_iter().map(entry).collect::<Result<_>>()? };
        self.tell("entries", Some(last), &entries);
        Ok(())
    }

    /// Sends `reset`, and continues after this entry.
    fn reset(&mut self, last: i64) {
        (self.next, self.last) = (last + 1, last);
        self.tell("reset", Some(last), &serde_json::json!({"last": last}));
    }

    fn tell_record(&mut self, record: &Detail, asks: &Asks) {
        self.tell("session", None, record);
        let ids: Vec<String> = asks.items.iter().map(|ask| ask.id.clone()).collect();
        if self.asks.as_ref() != Some(&ids) {
            self.tell("asks", None, asks);
            self.asks = Some(ids);
        }
    }

    fn tell<T: Serialize>(&mut self, name: &str, id: Option<i64>, data: &T) {
        let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
        let data = serde_json::to_string(data).expect("answers serialize");
        self.ready.push_back(format!("{id}event: {name}\ndata: {data}\n\n").into());
    }
}
