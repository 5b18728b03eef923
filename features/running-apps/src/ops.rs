//! The operations on apps.
//!
//! Invariant: only the user starts an app. A process that Pilothouse starts runs outside an agent's sandbox and without its
//! approvals, so agents can list, read, restart, and stop the apps of their session's hub, and nothing else.

use crate::errors::{APP_FOLDER, APP_LIMIT, APP_NAME_TAKEN, APP_START};
use crate::follow;
use crate::log::LINES_MAX;
use crate::name;
use crate::place::{self, Named};
use crate::service::{App, Apps, NewApp, State};
use kit::error::INTERNAL;
use kit::fault::{MISSING, ONE_OF, TOO_LONG, TOO_MANY};
use kit::lookup::WorkFolders;
use kit::page::expect_within;
use kit::text::CURSOR;
use kit::{Call, Caller, CallerSet, Created, Ctx, Done, Method, Op, Page, Part, Result, invalid, not_found, rfc3339};
use platform::background::shell_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use store::{Change, HasDb};

/// Maximum words of a command.
const WORDS_MAX: usize = 200;
/// Maximum bytes of a command or a search path.
const TEXT_BYTES_MAX: usize = 16 * 1024;
/// Lines of a log, unless another number is asked for.
const LINES: usize = 100;

pub(crate) fn ops() -> Vec<Op> {
    vec![
        Op::new(
            "apps.list",
            Method::Get,
            "/apps",
            CallerSet::PERSON_AND_AGENTS,
            "List running apps: development servers behind .localhost URLs. Sessions see those of their hub.",
            list,
        )
        .scope("apps:read")
        .example(r#"{"hubId": "{hubId}"}"#)
        .synonyms("dev server port localhost url running proxy")
        .columns(&["id", "name", "state", "url", "pid"]),
        Op::new(
            "apps.start",
            Method::Post,
            "/apps",
            CallerSet::PERSON,
            "Start an app: run a development server with a free port in PORT, reachable at http://NAME.localhost, or \
             http://BRANCH.NAME.localhost in a git worktree.",
            start,
        )
        .example(r#"{"name": "web", "command": ["true"], "hubId": "{hubId}"}"#)
        .errors([&APP_FOLDER, &APP_LIMIT, &APP_NAME_TAKEN, &APP_START]),
        Op::new("apps.get", Method::Get, "/apps/{appId}", CallerSet::PERSON_AND_AGENTS, "Get an app.", get)
            .scope("apps:read")
            .example(r#"{"appId": "{runningAppId}"}"#),
        Op::new(
            "apps.logs",
            Method::Get,
            "/apps/{appId}/logs",
            CallerSet::PERSON_AND_AGENTS,
            "Read the last lines that an app wrote. Up to 1,000 are stored.",
            logs,
        )
        .scope("apps:read")
        .example(r#"{"appId": "{runningAppId}"}"#),
        Op::new(
            "apps.follow",
            Method::Get,
            "/apps/{appId}/logs/stream",
            CallerSet::PERSON,
            "Follow what an app writes as server-sent events: `line` with a text as JSON.",
            follow::follow,
        )
        .example(r#"{"appId": "{runningAppId}"}"#),
        Op::new(
            "apps.restart",
            Method::Post,
            "/apps/{appId}/restart",
            CallerSet::PERSON_AND_AGENTS,
            "Restart an app: end it and run its command again.",
            restart,
        )
        .scope("apps:write")
        .example(r#"{"appId": "{runningAppId}"}"#)
        .errors([&APP_FOLDER, &APP_NAME_TAKEN, &APP_START]),
        Op::new(
            "apps.stop",
            Method::Post,
            "/apps/{appId}/stop",
            CallerSet::PERSON_AND_AGENTS,
            "Stop an app and everything that it started. It stays in the list.",
            stop,
        )
        .scope("apps:write")
        .example(r#"{"appId": "{runningAppId}"}"#),
        Op::new(
            "apps.remove",
            Method::Delete,
            "/apps/{appId}",
            CallerSet::PERSON,
            "Stop an app and remove it from the list.",
            remove,
        )
        .example(r#"{"appId": "{goneRunningAppId}"}"#),
    ]
}

/// A running or ended app.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RunningApp")]
#[serde(rename_all = "camelCase")]
struct Record {
    id: String,
    /// Such as `web`, or `fix.web` in a git worktree with the branch `fix`.
    name: String,
    /// Its URL; null while the proxy doesn't listen.
    url: Option<String>,
    /// `starting` until it listens on a port, `up` while it does, `down` if it runs but doesn't listen anymore, `ended`.
    state: RecordState,
    /// Its process; null if it has ended.
    pid: Option<u32>,
    /// Seconds since its start; null if it has ended.
    uptime_seconds: Option<i64>,
    /// Null if its folder isn't in a hub.
    hub_id: Option<String>,
    /// The hub's name when the app was started.
    hub_name: Option<String>,
    folder: String,
    /// The branch of its git worktree, as in its name; null outside a worktree.
    branch: Option<String>,
    command: String,
    /// The port in its environment variable PORT.
    port: u16,
    /// The port that it listens on; null if it doesn't listen. Differs from `port` if the app ignores PORT.
    listens_on: Option<u16>,
    /// RFC 3339 in UTC.
    started_at: String,
    /// RFC 3339 in UTC; null while it runs.
    ended_at: Option<String>,
    /// The exit code; null while it runs, and if unknown.
    exit_code: Option<i32>,
    /// Whether it was stopped or restarted in Pilothouse, instead of ending by itself.
    was_stopped: bool,
}

/// An app's state.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RunningAppState")]
#[serde(rename_all = "camelCase")]
enum RecordState {
    Starting,
    Up,
    Down,
    Ended,
}

fn record_of(ctx: &Ctx, app: &App) -> Record {
    let run = app.run();
    let is_running = run.ended.is_none();
    Record {
        id: app.id.clone(),
        name: app.name.clone(),
        url: ctx.service::<Apps>().url(app),
        state: match run.state() {
            State::Starting => RecordState::Starting,
            State::Up => RecordState::Up,
            State::Down => RecordState::Down,
            State::Ended => RecordState::Ended,
        },
        pid: is_running.then_some(run.pid),
        uptime_seconds: is_running.then(|| (ctx.now_ms() - run.started_ms).max(0) / 1_000),
        hub_id: app.place.hub.clone(),
        hub_name: app.place.hub_name.clone(),
        folder: app.place.folder.display().to_string(),
        branch: app.place.branch.clone(),
        command: app.shown.clone(),
        port: run.port,
        listens_on: run.address.map(|address| address.port()),
        started_at: rfc3339(run.started_ms),
        ended_at: run.ended.map(|ended| rfc3339(ended.at_ms)),
        exit_code: run.ended.and_then(|ended| ended.exit_code),
        was_stopped: run.was_stopped,
    }
}

/// The apps that a caller sees.
enum Seen {
    All,
    /// Those of a session's hub; none if it was removed.
    OfHub(Option<String>),
}

/// Who looks: an account, and a session in whose name.
pub(crate) struct Viewer {
    account: String,
    session: Option<String>,
}

impl From<&Call> for Viewer {
    fn from(call: &Call) -> Viewer {
        let session = call.caller.session.as_deref().or(call.source_session.as_deref());
        Viewer { account: call.account().to_owned(), session: session.map(str::to_owned) }
    }
}

impl Seen {
    async fn by(ctx: &Ctx, viewer: &Viewer) -> Result<Seen> {
        let Some(session) = &viewer.session else { return Ok(Seen::All) };
        let folder = ctx.service::<WorkFolders>().0.of_session(&viewer.account, session).await?;
        Ok(Seen::OfHub(folder.and_then(|folder| folder.hub)))
    }

    fn has(&self, app: &App) -> bool {
        match self {
            Seen::All => true,
            Seen::OfHub(hub) => hub.is_some() && app.place.hub == *hub,
        }
    }
}

/// One of the apps that the caller sees.
pub(crate) async fn seen(ctx: &Ctx, viewer: Viewer, id: &str) -> Result<Arc<App>> {
    let app = ctx.service::<Apps>().one(&viewer.account, id)?;
    if Seen::by(ctx, &viewer).await?.has(&app) { Ok(app) } else { Err(not_found()) }
}

async fn list(ctx: Ctx, call: Call, input: ListParams) -> Result<Page<Record>> {
    let seen = Seen::by(&ctx, &Viewer::from(&call)).await?;
    let all = ctx.service::<Apps>().of_account(call.account());
    let is_wanted = |app: &&Arc<App>| seen.has(app) && (input.hub_id.is_none() || app.place.hub == input.hub_id);
    let wanted = all.iter().filter(is_wanted).map(|app| record_of(&ctx, app)).collect();
    Part { cursor: input.cursor.clone(), limit: input.limit }.page(wanted, |one| (&one.id).into())
}

/// Selects apps.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "AppListParams")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ListParams {
    /// Only apps of this hub.
    hub_id: Option<String>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = kit::page::PAGE_MAX))]
    limit: Option<i64>,
}

/// A new app. Send `command` or `commandLine`, and one of `hubId`, `sessionId`, and `folder`.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "NewRunningApp")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct StartParams {
    /// The name in its URL: 1 to 63 of a to z, 0 to 9, and hyphens, without a hyphen at the ends.
    name: String,
    /// The program and its arguments.
    command: Option<Vec<String>>,
    /// A line for the system's shell.
    command_line: Option<String>,
    /// The hub whose folder it runs in.
    hub_id: Option<String>,
    /// The session whose folder or worktree it runs in.
    session_id: Option<String>,
    /// The absolute path of the folder that it runs in.
    folder: Option<String>,
    /// Its environment variable PATH. Default: Pilothouse's own.
    search_path: Option<String>,
}

async fn start(ctx: Ctx, call: Call, input: StartParams) -> Result<Created<Record>> {
    name::expect(&input.name)?;
    let (command, shown) = command_of(input.command, input.command_line)?;
    if let Some(path) = &input.search_path {
        expect_text(path, "/searchPath")?;
    }
    let named = Named { hub: input.hub_id, session: input.session_id, folder: input.folder };
    let place = place::find(&ctx, call.account(), named).await?;
    let apps = ctx.service::<Apps>();
    let new = NewApp { name: input.name, command, shown, search_path: input.search_path, place };
    let app = apps.start(&ctx, call.account(), new).await?;
    let after = json!({"name": app.name, "folder": app.place.folder.display().to_string()});
    if let Err(why) = record(&ctx, &call.caller, &app.id, "", [None, Some(after)]).await {
        apps.remove(&ctx, &app).await;
        return Err(why);
    }
    Ok(Created { location: format!("/apps/{}", app.id), record: record_of(&ctx, &app) })
}

/// The command, and how it is shown.
fn command_of(command: Option<Vec<String>>, line: Option<String>) -> Result<(Vec<String>, String)> {
    match (command, line) {
        (Some(command), None) => {
            if command.len() > WORDS_MAX {
                return Err(invalid("/command", TOO_MANY, format!("Send at most {WORDS_MAX} words.")));
            }
            if command.first().is_none_or(|program| program.trim().is_empty()) {
                return Err(invalid("/command", MISSING, "Send the program and its arguments, such as npm, run, dev."));
            }
            let shown = command.join(" ");
            expect_text(&shown, "/command")?;
            Ok((command, shown))
        }
        (None, Some(line)) => {
            if line.trim().is_empty() {
                return Err(invalid("/commandLine", MISSING, "Enter a command, such as npm run dev."));
            }
            expect_text(&line, "/commandLine")?;
            Ok((shell_line(&line), line))
        }
        _ => Err(invalid("/command", ONE_OF, "Send either command or commandLine.")),
    }
}

/// Rejects what no command can hold.
fn expect_text(text: &str, pointer: &str) -> Result<()> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(invalid(pointer, TOO_LONG, format!("Use at most {TEXT_BYTES_MAX} bytes.")));
    }
    if text.contains('\0') {
        return Err(invalid(pointer, kit::fault::CONTROL_CHARACTER, "Remove the null character."));
    }
    Ok(())
}

/// Records what became of an app. Its command and output may hold secrets and aren't recorded.
async fn record(
    ctx: &Ctx,
    caller: &Caller,
    id: &str,
    field: &'static str,
    [before, after]: [Option<Value>; 2],
) -> Result<()> {
    let (caller, id, now_ms) = (caller.clone(), id.to_owned(), ctx.now_ms());
    ctx.db()
        .write(move |tx| {
            let (before, after) = (before.as_ref(), after.as_ref());
            tx.record(&caller, now_ms, Change { subject: "app", subject_id: &id, field, before, after })
        })
        .await
        .map(drop)
}

/// Identifies an app.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RunningAppId")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct AppId {
    app_id: String,
}

async fn get(ctx: Ctx, call: Call, input: AppId) -> Result<Record> {
    Ok(record_of(&ctx, &*seen(&ctx, (&call).into(), &input.app_id).await?))
}

/// The largest number of a line: the largest whole number that every reader of JSON keeps exactly.
const LINE_MAX: u64 = (1 << 53) - 1;

/// Selects lines.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "AppLogParams")]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct LogParams {
    app_id: String,
    /// Number of lines, 1 to 1,000. Default: 100.
    #[schemars(range(min = 1, max = LINES_MAX))]
    lines: Option<usize>,
    /// Only lines after this number.
    #[schemars(range(max = LINE_MAX))]
    after: Option<u64>,
}

/// Lines that an app wrote.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AppLog")]
#[serde(rename_all = "camelCase")]
struct LogRecord {
    /// The number of the first line, counted since the app's first start.
    first: u64,
    lines: Vec<String>,
}

async fn logs(ctx: Ctx, call: Call, input: LogParams) -> Result<LogRecord> {
    let app = seen(&ctx, (&call).into(), &input.app_id).await?;
    let count = expect_within(input.lines.unwrap_or(LINES), 1..=LINES_MAX, "/lines")?;
    let after = expect_within(input.after.unwrap_or_default(), 0..=LINE_MAX, "/after")?;
    let (first, lines) = app.log.last(count, after);
    Ok(LogRecord { first, lines })
}

/// Completes a change although its caller may go away.
async fn complete<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Result<T> {
    tokio::spawn(work).await.map_err(|fault| INTERNAL.error("Couldn't change the app.").caused_by(fault))
}

async fn restart(ctx: Ctx, call: Call, input: AppId) -> Result<Record> {
    let app = seen(&ctx, (&call).into(), &input.app_id).await?;
    let before = app.run().pid;
    let (of, apps, inner) = (app.clone(), ctx.service::<Apps>(), ctx.clone());
    complete(async move { apps.restart(&inner, &of).await }).await??;
    record(&ctx, &call.caller, &app.id, "process", [Some(before.into()), Some(app.run().pid.into())]).await?;
    Ok(record_of(&ctx, &app))
}

async fn stop(ctx: Ctx, call: Call, input: AppId) -> Result<Record> {
    let app = seen(&ctx, (&call).into(), &input.app_id).await?;
    let before = app.run().pid;
    let (of, apps) = (app.clone(), ctx.service::<Apps>());
    complete(async move { apps.stop(&of).await }).await?;
    record(&ctx, &call.caller, &app.id, "process", [Some(before.into()), None]).await?;
    Ok(record_of(&ctx, &app))
}

async fn remove(ctx: Ctx, call: Call, input: AppId) -> Result<Done> {
    let app = seen(&ctx, (&call).into(), &input.app_id).await?;
    let (of, apps, inner) = (app.clone(), ctx.service::<Apps>(), ctx.clone());
    complete(async move { apps.remove(&inner, &of).await }).await?;
    record(&ctx, &call.caller, &app.id, "", [Some(json!({"name": app.name})), None]).await?;
    Ok(Done)
}
