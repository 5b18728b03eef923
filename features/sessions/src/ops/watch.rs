//! `GET /sessions/watch`: a line for each session that changes its state or what it needs, as long as the caller listens.

use crate::needs;
use crate::reasons;
use crate::records::{self, SessionRecord};
use crate::service::Sessions;
use bytes::Bytes;
use events::{Event, HasEvents, Numbered};
use futures_util::stream;
use jiff::Timestamp;
use kit::{Body, Call, Caller, Ctx, Media, Raw, Reply, Result, rfc3339};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use store::{HasDb, Tx};
use supervisor::state::State;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// Maximum sessions that are listed when it starts: the newest.
const FIRST_MAX: i64 = 200;

/// The format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum As {
    /// A readable line for each change.
    #[default]
    Text,
    /// A JSON object for each change, on one line.
    Jsonl,
}

/// The format of the changes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Watch {
    /// Default: text.
    #[serde(rename = "as", default)]
    form: As,
}

/// Documents the answer.
pub(super) struct Lines;
impl Media for Lines {
    const TYPES: &'static [&'static str] = &["text/plain; charset=utf-8", "application/x-ndjson"];
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

/// A session as its line shows it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    id: String,
    title: String,
    engine: String,
    hub: String,
    state: String,
    /// What it needs, or why it's in its state.
    reason: String,
    needs_you: bool,
    #[serde(skip)]
    has_ended: bool,
}

pub(super) async fn watch(ctx: Ctx, call: Call, input: Watch) -> Result<Raw<Lines>> {
    // Before the first read, so that no change is missed in between.
    let (_, changes) = ctx.events().listen(None);
    let content_type = Lines::TYPES[usize::from(input.form == As::Jsonl)];
    let mut reader =
        Reader { ctx, caller: call.caller, form: input.form, changes, last: HashMap::new(), ready: VecDeque::new() };
    reader.read_all(true).await?;
    let pieces = stream::unfold(reader, |mut reader| async move {
        let piece = reader.next().await?;
        Some((Ok(piece), reader))
    });
    Ok(Reply { status: 200, content_type, headers: Vec::new(), body: Body::Stream(Box::pin(pieces)) }.into())
}

struct Reader {
    ctx: Ctx,
    caller: Caller,
    form: As,
    changes: Receiver<Numbered>,
    /// The state and reason sent last, by session.
    last: HashMap<String, (String, String)>,
    ready: VecDeque<Bytes>,
}

impl Reader {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Some(piece);
            }
            let read = match self.changes.recv().await {
                Ok(numbered) if numbered.is_for(&self.caller) => match numbered.event {
                    Event::SessionChanged { session_id } => self.read(&session_id).await,
                    _ => continue,
                },
                Ok(_) => continue,
                // Some changes were missed, so all sessions are compared.
                Err(RecvError::Lagged(_)) => self.read_all(false).await,
                Err(RecvError::Closed) => return None,
            };
            if let Err(why) = read {
                tracing::debug!("watching sessions ends: {why}");
                return None;
            }
        }
    }

    /// Reads all sessions. With `is_first`, those that have ended are left out.
    async fn read_all(&mut self, is_first: bool) -> Result<()> {
        let mut lines = self.lines(|tx, account| records::list(tx, account, ("", ""), "~", FIRST_MAX)).await?;
        lines.retain(|line| !(is_first && line.has_ended));
        lines.into_iter().rev().for_each(|line| self.tell(line));
        Ok(())
    }

    /// Reads a session, unless it was deleted.
    async fn read(&mut self, id: &str) -> Result<()> {
        let id = id.to_owned();
        let one = move |tx: &mut Tx<'_>, account: &str| Ok(records::one(tx, account, &id).into_iter().collect());
        let lines = self.lines(one).await?;
        lines.into_iter().for_each(|line| self.tell(line));
        Ok(())
    }

    /// The lines of sessions.
    async fn lines(
        &self,
        read: impl FnOnce(&mut Tx<'_>, &str) -> Result<Vec<SessionRecord>> + Send + 'static,
    ) -> Result<Vec<Line>> {
        let (account, sessions) = (self.caller.account.clone(), self.ctx.service::<Sessions>());
        let read = move |tx: &mut Tx<'_>| {
            let records = read(tx, &account)?;
            let hubs = crate::hubs::names(tx, &account)?;
            let is_wanted = |id: &str| records.iter().any(|record| record.id == id);
            let mut needed = needs::reasons(tx, &account, is_wanted)?;
            let line = |record: SessionRecord| {
                let need = needed.remove(&record.id);
                let engine = sessions.common.engine(&account, &record.engine);
                Line {
                    hub: hubs.get(&record.hub_id).cloned().unwrap_or_default(),
                    engine: engine.map_or_else(|| record.engine.clone(), |engine| engine.name().into()),
                    state: records::state_name(&record.life.state),
                    needs_you: need.is_some(),
                    reason: need.unwrap_or_else(|| reasons::with_time(&record.life.state, &record.life.evidence.why)),
                    has_ended: matches!(
                        record.life.state,
                        State::Stopped { .. }
                            | State::Finished
                            | State::Failed { .. }
                            | State::Archived
                            | State::Closed
                    ),
                    id: record.id,
                    title: record.title,
                }
            };
            Ok(records.into_iter().map(line).collect())
        };
        self.ctx.db().read(read).await
    }

    /// Queues a line if it differs from the session's last one.
    fn tell(&mut self, line: Line) {
        let now = (line.state.clone(), line.reason.clone());
        if self.last.get(&line.id) == Some(&now) {
            return;
        }
        self.last.insert(line.id.clone(), now);
        let now_ms = self.ctx.now_ms();
        let text = match self.form {
            As::Text => self.text(&line, now_ms),
            As::Jsonl => {
                let mut value = records::value(&line);
                value["at"] = rfc3339(now_ms).into();
                value.to_string()
            }
        };
        self.ready.push_back(format!("{text}\n").into());
    }

    fn text(&self, line: &Line, now_ms: i64) -> String {
        let zone = self.ctx.service::<Sessions>().common.host.world.zone.clone();
        let time =
            Timestamp::from_millisecond(now_ms).unwrap_or_default().to_zoned(zone).strftime("%H:%M:%S").to_string();
        let place = [&line.engine, &line.hub].into_iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>();
        let mark = if line.needs_you { "Needs you: " } else { "" };
        let text = format!("{time}  {}  ({})  {mark}{}", line.title, place.join(", "), line.reason);
        reasons::one_line(&text)
    }
}
