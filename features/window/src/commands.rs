//! What the window program is told, a line of JSON each, and the stream that tells it.
//!
//! A window program ignores commands that it doesn't know, so that an older one works with a newer Pilothouse.

use crate::attached::{About, Attached, Lease};
use crate::errors;
use bytes::Bytes;
use futures_util::stream;
use kit::lookup::{NoteWindow, NoteWindows};
use kit::text::{NAME, expect_name, expect_text};
use kit::{Body, Call, CallerSet, Ctx, Media, Method, Op, Raw, Reply, Result};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use tokio::sync::mpsc::Receiver;

/// Maximum characters of a reason.
const REASON_MAX: usize = 300;
/// Maximum characters of a version.
const VERSION_MAX: usize = 40;

pub(crate) fn op() -> Op {
    Op::new(
        "window.follow",
        Method::Get,
        "/window/commands",
        CallerSet::PERSON,
        "Be the desktop window: get a line of JSON for each command until you stop. An account has one window at a time.",
        follow,
    )
    .example(r#"{"version": "1.0.0"}"#)
    .errors([&errors::WINDOW_IS_OPEN])
}

/// A command to the window program.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "command", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Command {
    /// The first line: the stream is open.
    Attached {
        /// Pilothouse's version.
        version: &'static str,
    },
    /// Comes to the front, at a page if one is named.
    Raise { page: Option<String> },
    /// Opens the window of a note.
    Note { id: String, page: String, place: Option<(i64, i64)>, width: i64, height: i64 },
    /// Closes the window of a note.
    CloseNote { id: String },
    /// Opens a page with a renderer of its own.
    Session { page: String },
    /// Ends.
    Quit,
}

impl From<NoteWindow> for Command {
    fn from(note: NoteWindow) -> Command {
        let NoteWindow { id, page, place, size: (width, height) } = note;
        Command::Note { id, page, place, width, height }
    }
}

/// What the window program says of itself.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Follow {
    /// Its version.
    #[schemars(length(min = 1, max = VERSION_MAX), regex(pattern = NAME))]
    version: String,
    /// Why the system doesn't let it come to the front.
    #[schemars(length(max = REASON_MAX))]
    raise_problem: Option<String>,
    /// Why global keys don't work.
    #[schemars(length(max = REASON_MAX))]
    keys_problem: Option<String>,
}

/// Documents the answer.
struct Lines;
impl Media for Lines {
    const TYPES: &'static [&'static str] = &["application/x-ndjson"];
    fn schema(_: &mut SchemaGenerator) -> Option<Schema> {
        None
    }
}

async fn follow(ctx: Ctx, call: Call, input: Follow) -> Result<Raw<Lines>> {
    expect_name(&input.version, VERSION_MAX, "/version")?;
    for (reason, pointer) in [(&input.raise_problem, "/raiseProblem"), (&input.keys_problem, "/keysProblem")] {
        if let Some(reason) = reason {
            expect_text(reason, REASON_MAX, pointer)?;
        }
    }
    let about = About { version: input.version, raise_problem: input.raise_problem, keys_problem: input.keys_problem };
    let notes = match ctx.find_service::<NoteWindows>() {
        Some(notes) => notes.0.open(call.account()).await?,
        None => Vec::new(),
    };
    let Some((lease, commands)) = ctx.service::<Attached>().attach(call.caller.account.clone(), about) else {
        return Err(errors::WINDOW_IS_OPEN
            .error("The window is already open. Bring it to the front with `pilothouse window raise`."));
    };
    let attached = Command::Attached { version: env!("CARGO_PKG_VERSION") };
    let first: VecDeque<Command> = [attached].into_iter().chain(notes.into_iter().map(Command::from)).collect();
    let lines = stream::unfold((lease, commands, first), |(lease, mut commands, mut first)| async move {
        let line = next(&lease, &mut commands, first.pop_front()).await?;
        Some((Ok(line), (lease, commands, first)))
    });
    let content_type = Lines::TYPES[0];
    Ok(Reply { status: 200, content_type, headers: Vec::new(), body: Body::Stream(Box::pin(lines)) }.into())
}

async fn next(_: &Lease, commands: &mut Receiver<Command>, first: Option<Command>) -> Option<Bytes> {
    let command = match first {
        Some(first) => first,
        None => commands.recv().await?,
    };
    let mut line = serde_json::to_vec(&command).expect("commands serialize");
    line.push(b'\n');
    Some(line.into())
}
