//! `GET /events`: resumable server-sent events.

use crate::interface::Interface;
use bytes::Bytes;
use events::{HasEvents, Numbered, Topic};
use futures_util::stream;
use kit::{Body, Call, Caller, CallerSet, Ctx, Media, Method, Op, Raw, Reply, Result};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// The media type of event streams, which are counted separately.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

/// The first lines of a stream: the delay before reconnecting.
const RETRY: &str = "retry: 1000\n\n";
/// Sent after missed events: the reader reloads everything.
const RESET: &str = "event: reset\ndata: {}\n\n";
const HEARTBEAT: &str = ": still here\n\n";

pub(crate) fn op() -> Op {
    Op::new(
        "events.stream",
        Method::Get,
        "/events",
        CallerSet::ANYONE_KNOWN,
        "Stream events as server-sent events. `topics` selects them; sessions receive only what their scopes can read. \
         Reconnecting with `Last-Event-ID` resends missed events, or `event: reset` if they're no longer stored.",
        events,
    )
    .scope("events:read")
}

/// Selects events.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Topics {
    /// Topics to receive. Default: all.
    #[serde(default)]
    topics: Vec<Topic>,
}

/// Whether a caller can receive a topic. Sessions receive only what their scopes can read.
fn may_hear(caller: &Caller, topic: Topic) -> bool {
    topic.scope().is_none_or(|needed| caller.has_scope(&needed))
}

/// Documents the answer.
struct EventStream;
impl Media for EventStream {
    const TYPES: &'static [&'static str] = &[EVENT_STREAM];
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

async fn events(ctx: Ctx, call: Call, input: Topics) -> Result<Raw<EventStream>> {
    let interface = ctx.service::<Interface>();
    let after = call.last_event_id.as_deref().map(|id| number_of(id, &interface.instance_id));
    let newest = ctx.events().newest();
    let (missed, live) = ctx.events().listen(after.unwrap_or(Some(newest)));
    let mut ready = VecDeque::from([Bytes::from_static(RETRY.as_bytes())]);
    // Lets a reader that reconnects before the first event say where to resume.
    if missed.is_none() || after.flatten().is_none() {
        ready.push_back(format!("id: {}-{newest}\n\n", interface.instance_id).into());
    }
    // An ID of another run or form also counts as missed events.
    if missed.is_none() || after == Some(None) {
        ready.push_back(Bytes::from_static(RESET.as_bytes()));
    }
    let mut heartbeat = interval_at(Instant::now() + interface.heartbeat, interface.heartbeat);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut reader = Reader { interface, caller: call.caller, topics: input.topics, ready, live, heartbeat };
    for event in missed.into_iter().flatten() {
        reader.take(&event);
    }
    let pieces = stream::unfold(reader, |mut reader| async move {
        let piece = reader.next().await?;
        Some((Ok(piece), reader))
    });
    let body = Body::Stream(Box::pin(pieces));
    Ok(Reply { status: 200, content_type: EVENT_STREAM, headers: Vec::new(), body }.into())
}

/// The number in `INSTANCE-NUMBER`, if it's of this run.
fn number_of(id: &str, instance_id: &str) -> Option<u64> {
    let (instance, number) = id.rsplit_once('-')?;
    if instance == instance_id { number.parse().ok() } else { None }
}

struct Reader {
    interface: Arc<Interface>,
    caller: Caller,
    topics: Vec<Topic>,
    ready: VecDeque<Bytes>,
    live: Receiver<Numbered>,
    heartbeat: Interval,
}

impl Reader {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Some(piece);
            }
            tokio::select! {
                biased;
                event = self.live.recv() => match event {
                    Ok(event) => self.take(&event),
                    // The reader was too slow, and the events that it missed are no longer stored.
                    Err(RecvError::Lagged(_)) => return Some(Bytes::from_static(RESET.as_bytes())),
                    Err(RecvError::Closed) => return None,
                },
                _ = self.heartbeat.tick() => return Some(Bytes::from_static(HEARTBEAT.as_bytes())),
            }
        }
    }

    /// Queues an event, if this reader can receive it and asked for it.
    fn take(&mut self, numbered: &Numbered) {
        let topic = numbered.event.topic();
        let may_see = numbered.is_for(&self.caller) && may_hear(&self.caller, topic);
        let wanted = self.topics.is_empty() || self.topics.contains(&topic);
        if !may_see || !wanted {
            return;
        }
        let mut data = numbered.told_to(&self.caller);
        data["number"] = numbered.number.into();
        let name = data["event"].as_str().expect("events have names");
        let (instance, number) = (&self.interface.instance_id, numbered.number);
        self.ready.push_back(format!("id: {instance}-{number}\nevent: {name}\ndata: {data}\n\n").into());
    }
}
