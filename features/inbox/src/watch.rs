//! `GET /inbox/watch`: a line for each row that's new or changes, as long as the caller listens.

use crate::rows::{ROWS, RowRecord, RowState, record};
use bytes::Bytes;
use events::{Event, HasEvents, Numbered};
use futures_util::stream;
use jiff::Timestamp;
use kit::text::plain;
use kit::{Body, Call, CallerSet, Catalog, Ctx, Media, Method, Op, Raw, Reply, Result};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use std::collections::{HashSet, VecDeque};
use store::{HasDb, Tx, params};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

/// Maximum open rows that are listed when it starts: the newest.
const FIRST_MAX: i64 = 200;
/// Maximum rows that one reading takes.
const STEP_MAX: i64 = 1_000;

pub(crate) fn op() -> Op {
    Op::new(
        "inbox.watch",
        Method::Get,
        "/inbox/watch",
        CallerSet::PERSON,
        "Follow the inbox: a line for each row that is new or changes, until you stop it. Starts with the open rows.",
        watch,
    )
    .synonyms("follow tail live monitor")
}

/// The format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum As {
    /// A readable line for each row.
    #[default]
    Text,
    /// The row as a JSON object, on one line.
    Jsonl,
}

/// The format of the lines.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Watch {
    /// Default: text.
    #[serde(rename = "as", default)]
    form: As,
}

/// Documents the answer.
struct Lines;
impl Media for Lines {
    const TYPES: &'static [&'static str] = &["text/plain; charset=utf-8", "application/x-ndjson"];
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

async fn watch(ctx: Ctx, call: Call, input: Watch) -> Result<Raw<Lines>> {
    // Before the first read, so that no change is missed in between.
    let (_, changes) = ctx.events().listen(None);
    let content_type = Lines::TYPES[usize::from(input.form == As::Jsonl)];
    let account = call.account().to_owned();
    let mut reader =
        Reader { ctx, call, form: input.form, changes, since_ms: 0, told: HashSet::new(), ready: VecDeque::new() };
    let first = move |tx: &mut Tx<'_>| {
        let sql = "SELECT COALESCE(max(changed_ms), 0) FROM inbox_rows WHERE account_id = $1";
        let newest_ms: i64 = tx.query_one(sql, params![&account], |row| row.get(0))?;
        let of_open = "WHERE account_id = $1 AND settled_ms = 0 AND snoozed_until_ms = 0 ORDER BY place DESC LIMIT $2";
        let rows = tx.query(&format!("{ROWS} {of_open}"), params![&account, FIRST_MAX], record)?;
        Ok((newest_ms, rows))
    };
    let (newest_ms, rows) = reader.ctx.db().read(first).await?;
    rows.into_iter().rev().for_each(|row| reader.tell(&row));
    // What changed at this very time was told, or is over.
    reader.read(newest_ms).await?;
    let pieces = stream::unfold(reader, |mut reader| async move {
        let piece = reader.next().await?;
        Some((Ok(piece), reader))
    });
    Ok(Reply { status: 200, content_type, headers: Vec::new(), body: Body::Stream(Box::pin(pieces)) }.into())
}

struct Reader {
    ctx: Ctx,
    call: Call,
    form: As,
    changes: Receiver<Numbered>,
    /// Changes before this time were told.
    since_ms: i64,
    /// What was told of rows that changed at that time.
    told: HashSet<(String, &'static str)>,
    ready: VecDeque<Bytes>,
}

impl Reader {
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Some(piece);
            }
            match self.changes.recv().await {
                Ok(numbered) if numbered.is_for(&self.call.caller) => match numbered.event {
                    Event::InboxRowChanged { .. } => {}
                    _ => continue,
                },
                Ok(_) => continue,
                // Rows are read by the time of their change, so nothing is lost with an event.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
            if let Err(why) = self.read(self.since_ms).await {
                tracing::debug!("watching the inbox ends: {why}");
                return None;
            }
        }
    }

    /// Tells the changes since a time, in their order.
    async fn read(&mut self, since_ms: i64) -> Result<()> {
        let is_first = self.since_ms == 0;
        self.since_ms = since_ms;
        loop {
            let (account, since_ms) = (self.call.account().to_owned(), self.since_ms);
            let sql = format!("{ROWS} WHERE account_id = $1 AND changed_ms >= $2 ORDER BY changed_ms, place LIMIT $3");
            let rows = self
                .ctx
                .db()
                .read(move |tx| {
                    tx.query(&sql, params![&account, since_ms, STEP_MAX], |row| Ok((row.get::<i64>(12)?, record(row)?)))
                })
                .await?;
            let is_last = (rows.len() as i64) < STEP_MAX;
            for (changed_ms, row) in &rows {
                if *changed_ms > self.since_ms {
                    self.since_ms = *changed_ms;
                    self.told.clear();
                }
                let is_new = self.told.insert((row.id.clone(), state_word(row.state)));
                if is_new && !is_first {
                    self.tell(row);
                }
            }
            // More rows than one reading takes changed within one millisecond: the rest isn't told.
            if is_last || self.since_ms == since_ms {
                return Ok(());
            }
        }
    }

    fn tell(&mut self, row: &RowRecord) {
        let text = match self.form {
            As::Text => self.text(row),
            As::Jsonl => serde_json::to_string(row).unwrap_or_default(),
        };
        self.ready.push_back(format!("{text}\n").into());
    }

    fn text(&self, row: &RowRecord) -> String {
        let at = row.changed_at.parse::<Timestamp>().unwrap_or_default().to_zoned(self.ctx.home_zone());
        let kinds = &self.ctx.service::<Catalog>().inbox_kinds;
        let kind = kinds.iter().find(|kind| kind.name == row.kind).map_or(&*row.kind, |kind| kind.label);
        let what = match row.state {
            RowState::Open if row.waits => "Needs you: ".to_owned(),
            RowState::Settled => format!("Settled ({}): ", row.outcome),
            RowState::Open => String::new(),
            state => format!("{}: ", state_word(state)),
        };
        let text = format!("{}  {what}{}  ({kind})", at.strftime("%H:%M:%S"), row.title);
        // Texts of agents reach a terminal.
        plain(&text, false)
    }
}

fn state_word(state: RowState) -> &'static str {
    match state {
        RowState::Open => "Open",
        RowState::Dismissed => "Dismissed",
        RowState::Settled => "Settled",
        RowState::Snoozed => "Snoozed",
    }
}
