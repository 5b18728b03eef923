//! What tests share: a world whose time does not pass by itself, and the practice agent in it.

use crate::acp::{Conn, Events, Streams, connect};
use crate::engine::Practice;
use crate::event::{Chunk, Event};
use crate::offers::Verdict;
use crate::port::LaunchPlan;
use crate::practice::{Place, serve};
use crate::world::{Boxed, Sleep, World};
use jiff::tz::TimeZone;
use kit::clock::FixedClock;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Waits for ever.
struct Never;

impl Sleep for Never {
    fn sleep(&self, _: Duration) -> Boxed<()> {
        Box::pin(std::future::pending())
    }
}

fn world(sleep: Arc<dyn Sleep>) -> World {
    const NOW_MS: i64 = 1_795_235_400_000;
    World { clock: Arc::new(FixedClock::at(NOW_MS)), zone: TimeZone::UTC, sleep }
}

/// Nothing is ever late.
pub fn patient() -> World {
    world(Arc::new(Never))
}

/// The practice agent on the other side of a pipe, with a plan that works in `dir`.
pub fn practice(dir: &Path, home: Option<&Path>, plan: LaunchPlan) -> (Conn, Events) {
    let (ours, theirs) = tokio::io::duplex(64 << 10);
    let (input, output) = tokio::io::split(theirs);
    let place = Place { home: home.map(Path::to_path_buf), sleep: Arc::new(Never) };
    tokio::spawn(serve(input, output, place));
    let (input, output) = tokio::io::split(ours);
    let streams = Streams { input: Box::new(input), output: Box::new(output), errors: None, process: None };
    let mut plan = plan;
    plan.params.insert("cwd".into(), dir.to_string_lossy().into_owned().into());
    plan.params.entry("mcpServers").or_insert(serde_json::json!([]));
    connect(Arc::new(Practice), plan, streams, patient())
}

/// A text as a prompt.
pub fn text(text: &str) -> [Chunk; 1] {
    [Chunk::Text { text: text.into() }]
}

/// The events of a turn to its end. `answer` is asked about every permission request.
pub async fn turn(conn: &Conn, events: &mut Events, answer: Verdict) -> Vec<Event> {
    let mut told = Vec::new();
    loop {
        let event = events.next().await.expect("the turn has an end");
        if let Event::Permission { request } = &event {
            conn.decide(&request.id, answer.clone()).await.expect("an open request");
        }
        let is_end = matches!(event, Event::TurnEnded { .. });
        told.push(event);
        if is_end {
            return told;
        }
    }
}

/// Everything that was said, as one text.
pub fn said(events: &[Event]) -> String {
    let texts = events.iter().filter_map(|event| match event {
        Event::Said { chunk: Chunk::Text { text }, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// What waits here waits no time at all.
struct AtOnce;

impl Sleep for AtOnce {
    fn sleep(&self, _: Duration) -> Boxed<()> {
        Box::pin(std::future::ready(()))
    }
}

/// Everything that does not happen at once is late.
pub fn impatient() -> World {
    world(Arc::new(AtOnce))
}
