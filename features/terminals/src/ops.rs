//! The operations on terminals. Only the user can call them, on the page: agents can read the command-line token.

use crate::errors::{TERMINAL_BUSY, TERMINAL_ENDED, TERMINAL_FOLDER, TERMINAL_LIMIT, TERMINAL_START};
use crate::output::Ended;
use crate::service::{Terminal, Terminals};
use crate::stream;
use kit::error::{INTERNAL, TOO_LARGE, unknown};
use kit::fault::{ONE_OF, UNKNOWN_HUB, UNKNOWN_SESSION};
use kit::lookup::{WorkFolder, WorkFolders};
use kit::page::expect_within;
use kit::text::{CURSOR, size};
use kit::{Call, Caller, CallerSet, Created, Ctx, Done, Method, Op, Page, Part, Result, invalid, rfc3339};
use platform::terminal::Size;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use store::{Change, HasDb};

/// Maximum bytes of one input. The page splits what is pasted.
const INPUT_BYTES_MAX: usize = 16 * 1024;
/// Maximum columns and rows.
const SIDE_MAX: u16 = 1_000;
/// How long an input waits for the program to read what came before.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new("terminals.list", Method::Get, "/terminals", CallerSet::OWNER, "List open terminals, oldest first.", list)
            .example(r#"{"sessionId": "{sessionId}"}"#)
        .columns(&["id", "shell", "folder"]),
        Op::new(
            "terminals.create",
            Method::Post,
            "/terminals",
            CallerSet::OWNER,
            "Open a terminal: start your shell in the folder of a session or hub.",
            create,
        )
        .example(r#"{"sessionId": "{sessionId}", "hubId": null, "columns": 80, "rows": 24}"#)
        .errors([&TERMINAL_FOLDER, &TERMINAL_LIMIT, &TERMINAL_START]),
        Op::new("terminals.get", Method::Get, "/terminals/{terminalId}", CallerSet::OWNER, "Get a terminal.", get)
            .example(r#"{"terminalId": "{terminalId}"}"#),
        Op::new(
            "terminals.resize",
            Method::Patch,
            "/terminals/{terminalId}",
            CallerSet::OWNER,
            "Resize a terminal.",
            resize,
        )
        .example(r#"{"terminalId": "{terminalId}", "columns": 80, "rows": 24}"#)
        .errors([&TERMINAL_ENDED]),
        Op::new(
            "terminals.write",
            Method::Post,
            "/terminals/{terminalId}/input",
            CallerSet::OWNER,
            "Type into a terminal.",
            write,
        )
        .example(r#"{"terminalId": "{terminalId}", "data": "a"}"#)
        .errors([&TERMINAL_BUSY, &TERMINAL_ENDED]),
        Op::new(
            "terminals.output",
            Method::Get,
            "/terminals/{terminalId}/output",
            CallerSet::OWNER,
            "Follow a terminal's output as server-sent events: `replay` and `output` with bytes in Base64, `reset` before \
             a screen that starts anew, `exit`, and `closed`.",
            stream::output,
        )
        .example(r#"{"terminalId": "{terminalId}"}"#),
        Op::new(
            "terminals.close",
            Method::Delete,
            "/terminals/{terminalId}",
            CallerSet::OWNER,
            "Close a terminal. Ends its shell and everything that it started.",
            close,
        )
        .example(r#"{"terminalId": "{goneTerminalId}"}"#),
    ]
}

/// An open terminal.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Terminal")]
#[serde(rename_all = "camelCase")]
struct Record {
    id: String,
    /// The session in whose folder it was opened; null if it was opened in a hub's.
    session_id: Option<String>,
    /// Null if the session's hub was removed.
    hub_id: Option<String>,
    /// The folder in which the shell started.
    folder: String,
    /// The shell's file name, such as `bash`.
    shell: String,
    columns: u16,
    rows: u16,
    is_running: bool,
    /// The shell's exit code; null while it runs, and if unknown.
    exit_code: Option<u32>,
    /// RFC 3339 in UTC.
    created_at: String,
}

impl From<&Terminal> for Record {
    fn from(terminal: &Terminal) -> Record {
        let Size { columns, rows } = *terminal.size.lock().expect("the lock isn't poisoned");
        let ended = terminal.shell.output.ended();
        Record {
            id: terminal.id.clone(),
            session_id: terminal.session.clone(),
            hub_id: terminal.hub.clone(),
            folder: terminal.folder.clone(),
            shell: terminal.shell_name.clone(),
            columns,
            rows,
            is_running: ended.is_none(),
            exit_code: match ended {
                Some(Ended::Exited(code)) => code,
                _ => None,
            },
            created_at: rfc3339(terminal.created_ms),
        }
    }
}

async fn list(ctx: Ctx, call: Call, input: ListParams) -> Result<Page<Record>> {
    if let Some(session) = &input.session_id {
        expect_session(&ctx, call.account(), session).await?;
    }
    let all = ctx.service::<Terminals>().of_account(call.account());
    let is_wanted = |one: &Record| input.session_id.is_none() || one.session_id == input.session_id;
    let wanted = all.iter().map(|one| Record::from(&**one)).filter(is_wanted).collect();
    Part { cursor: input.cursor.clone(), limit: input.limit }.page(wanted, |one| (&one.id).into())
}

/// Selects terminals.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "TerminalListParams")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ListParams {
    /// Only terminals opened in this session.
    session_id: Option<String>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

/// A new terminal. Send either `sessionId` or `hubId`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewTerminal {
    /// The session whose folder or worktree it opens in.
    session_id: Option<String>,
    /// The hub whose folder it opens in.
    hub_id: Option<String>,
    #[schemars(range(min = 1, max = SIDE_MAX))]
    columns: u16,
    #[schemars(range(min = 1, max = SIDE_MAX))]
    rows: u16,
}

fn checked_size(columns: u16, rows: u16) -> Result<Size> {
    Ok(Size {
        columns: expect_within(columns, 1..=SIDE_MAX, "/columns")?,
        rows: expect_within(rows, 1..=SIDE_MAX, "/rows")?,
    })
}

async fn create(ctx: Ctx, call: Call, input: NewTerminal) -> Result<Created<Record>> {
    let size = checked_size(input.columns, input.rows)?;
    let folder = folder(&ctx, call.account(), input.session_id.as_deref(), input.hub_id.as_deref()).await?;
    let terminals = ctx.service::<Terminals>();
    let terminal = terminals.open(&ctx, call.account(), (input.session_id, folder), size).await?;
    let after = json!({"folder": terminal.folder, "sessionId": terminal.session});
    if let Err(why) = record(&ctx, &call.caller, &terminal.id, [None, Some(after)]).await {
        terminals.close(call.account(), &terminal.id).await?;
        return Err(why);
    }
    Ok(Created { location: format!("/terminals/{}", terminal.id), record: Record::from(&*terminal) })
}

/// The folder of one of the account's sessions.
async fn expect_session(ctx: &Ctx, account: &str, session: &str) -> Result<WorkFolder> {
    let found = ctx.service::<WorkFolders>().0.of_session(account, session).await?;
    found.ok_or_else(|| unknown(UNKNOWN_SESSION, "/sessionId"))
}

/// The existing folder of the named session or hub.
async fn folder(ctx: &Ctx, account: &str, session: Option<&str>, hub: Option<&str>) -> Result<WorkFolder> {
    let folders = ctx.service::<WorkFolders>();
    let folder = match (session, hub) {
        (Some(session), None) => expect_session(ctx, account, session).await?,
        (None, Some(hub)) => folders.0.of_hub(account, hub).await?.ok_or_else(|| unknown(UNKNOWN_HUB, "/hubId"))?,
        _ => return Err(invalid("/sessionId", ONE_OF, "Send either sessionId or hubId.")),
    };
    // The disk may be slow or remote.
    let path = folder.path.clone();
    let is_there = tokio::task::spawn_blocking(move || Path::new(&path).is_dir()).await;
    match is_there.map_err(|fault| INTERNAL.error("Couldn't check the folder.").caused_by(fault))? {
        true => Ok(folder),
        false => Err(TERMINAL_FOLDER.error(format!("{} doesn't exist.", folder.path))),
    }
}

/// Records that a terminal was opened or closed. What is typed and shown is never recorded.
async fn record(ctx: &Ctx, caller: &Caller, id: &str, [before, after]: [Option<serde_json::Value>; 2]) -> Result<()> {
    let (caller, id, now_ms) = (caller.clone(), id.to_owned(), ctx.now_ms());
    ctx.db()
        .write(move |tx| {
            let (before, after) = (before.as_ref(), after.as_ref());
            tx.record(&caller, now_ms, Change { subject: "terminal", subject_id: &id, field: "", before, after })
        })
        .await
        .map(drop)
}

/// Identifies a terminal.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TerminalId {
    terminal_id: String,
}

async fn get(ctx: Ctx, call: Call, input: TerminalId) -> Result<Record> {
    Ok(Record::from(&*ctx.service::<Terminals>().one(call.account(), &input.terminal_id)?))
}

/// A new size.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TerminalSize {
    terminal_id: String,
    #[schemars(range(min = 1, max = SIDE_MAX))]
    columns: u16,
    #[schemars(range(min = 1, max = SIDE_MAX))]
    rows: u16,
}

async fn resize(ctx: Ctx, call: Call, input: TerminalSize) -> Result<Record> {
    let terminal = ctx.service::<Terminals>().one(call.account(), &input.terminal_id)?;
    let size = checked_size(input.columns, input.rows)?;
    expect_running(&terminal)?;
    terminal.shell.resize(size).map_err(|why| INTERNAL.error("Couldn't resize the terminal.").caused_by(why))?;
    *terminal.size.lock().expect("the lock isn't poisoned") = size;
    Ok(Record::from(&*terminal))
}

fn expect_running(terminal: &Terminal) -> Result<()> {
    match terminal.shell.output.ended() {
        None => Ok(()),
        Some(_) => Err(TERMINAL_ENDED.error("The terminal's shell has ended.")),
    }
}

/// Input for a terminal.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TerminalInput {
    terminal_id: String,
    /// What the keyboard would send, control characters included. At most 16 KiB.
    #[schemars(length(max = INPUT_BYTES_MAX))]
    data: String,
}

async fn write(ctx: Ctx, call: Call, input: TerminalInput) -> Result<Done> {
    let terminal = ctx.service::<Terminals>().one(call.account(), &input.terminal_id)?;
    if input.data.len() > INPUT_BYTES_MAX {
        return Err(TOO_LARGE.error(format!("Send at most {} at once.", size(INPUT_BYTES_MAX))));
    }
    expect_running(&terminal)?;
    match terminal.shell.write(input.data.into_bytes(), PATIENCE).await {
        Ok(()) => Ok(Done),
        Err(_) => {
            // It may have ended just now.
            expect_running(&terminal)?;
            Err(TERMINAL_BUSY.error("The program in the terminal doesn't read its input. Nothing of this was typed."))
        }
    }
}

async fn close(ctx: Ctx, call: Call, input: TerminalId) -> Result<Done> {
    let terminals = ctx.service::<Terminals>();
    let terminal = terminals.one(call.account(), &input.terminal_id)?;
    terminals.close(call.account(), &terminal.id).await?;
    let before = json!({"folder": terminal.folder, "sessionId": terminal.session});
    record(&ctx, &call.caller, &terminal.id, [Some(before), None]).await?;
    Ok(Done)
}
