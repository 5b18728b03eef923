//! A server over synthetic operations, on a loopback port of its own, spoken to in bytes.

mod docs;
mod hostile;
mod mcp;
mod order;
mod published;
mod requests;
mod slow;
mod streams;

use crate::testing::{Answer, request, send};
use crate::{Access, Door, Frame, Limits, Page, Pages};
use events::Bus;
use futures_util::StreamExt;
use kit::clock::FixedClock;
use kit::{Authenticator, Cached, Call, Caller, CallerSet, Created, Ctx, Done, Kind, Method, Op, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

pub(crate) const OWNER: &str = "ph_owner_0123456789";
/// An owner's that no login gave.
pub(crate) const LASTING_OWNER: &str = "ph_own_0123456789";
pub(crate) const CLI: &str = "ph_cli_0123456789abcdef";
pub(crate) const AGENT: &str = "ph_ses_0123456789abcdef";
pub(crate) const BARE_AGENT: &str = "ph_ses_without_scopes";
/// Sessions' with every scope but one, and with that one alone.
pub(crate) const BUT_THINGS: &str = "ph_ses_every_scope_but_things";
pub(crate) const BUT_EVENTS: &str = "ph_ses_every_scope_but_events";
pub(crate) const THINGS: &str = "ph_ses_things_alone";
pub(crate) const EVENTS: &str = "ph_ses_events_alone";
pub(crate) const MEMBER: &str = "ph_member_0123456789";
/// The owner's of another account.
pub(crate) const OTHER_OWNER: &str = "ph_own_of_another_account";

/// Knows a few tokens; what is revoked it knows no longer.
#[derive(Default)]
pub(crate) struct Accounts {
    revoked: Mutex<Vec<String>>,
}

impl Authenticator for Accounts {
    fn caller(&self, token: &str) -> Option<Caller> {
        if self.revoked.lock().unwrap().iter().any(|revoked| revoked == token) {
            return None;
        }
        let (kind, scopes): (_, &[&str]) = match token {
            OWNER | LASTING_OWNER | OTHER_OWNER => (Kind::Owner, &[]),
            CLI => (Kind::Cli, &[]),
            AGENT => (Kind::Agent, &["things:read", "events:read", "boards:read"]),
            BARE_AGENT => (Kind::Agent, &[]),
            BUT_THINGS => (Kind::Agent, &["events:read", "boards:read"]),
            BUT_EVENTS => (Kind::Agent, &["things:read", "boards:read"]),
            THINGS => (Kind::Agent, &["things:read"]),
            EVENTS => (Kind::Agent, &["events:read"]),
            MEMBER => (Kind::Member, &[]),
            _ => return None,
        };
        let account = if token == OTHER_OWNER { "account-2" } else { "account-1" };
        let mut caller = Caller::new(kind, account, token);
        caller.scopes = scopes.iter().map(|scope| scope.to_string()).collect();
        caller.logged_in = token == OWNER;
        caller.session = (kind == Kind::Agent).then(|| "session-1".into());
        Some(caller)
    }
    fn prove(&self, challenge: &str) -> Option<String> {
        Some(format!("proof of {challenge}"))
    }
    fn prove_named(&self, name: &str, challenge: &str) -> Option<String> {
        (name == "known").then(|| format!("proof of {name} and {challenge}"))
    }
}

struct Ui;
/// More than a connection takes that nobody reads.
pub(crate) static LARGE_FILE: [u8; 64 << 20] = [0; 64 << 20];

impl Pages for Ui {
    fn page(&self, path: &str) -> Option<Page> {
        let (bytes, content_type, immutable): (&[u8], _, _) = match path {
            "index.html" => (b"<!doctype html>", "text/html; charset=utf-8", false),
            "assets/main-1a.js" => (b"export {}", "text/javascript; charset=utf-8", true),
            "assets/large.bin" => (&LARGE_FILE, "application/octet-stream", true),
            "apps/1.html" => (b"<iframe>", "text/html; charset=utf-8", false),
            _ => return None,
        };
        let frame = path
            .starts_with("apps/")
            .then(|| Frame::ThirdParty { origin: "https://apps.example:8443".into(), style: "sha256-abc=".into() });
        Some(Page { bytes: bytes.into(), content_type: content_type.into(), etag: "\"1a\"".into(), immutable, frame })
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ListInput {
    /// At most so many.
    limit: Option<u32>,
    #[serde(default)]
    tags: Vec<String>,
    done: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Id {
    id: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewThing {
    name: String,
    /// How many.
    count: Option<i64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Change {
    id: String,
    name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Note {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Import {
    board: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoParams {}

/// The same in both directions.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Part {
    name: String,
}

/// May be sent without its sides, and always has them.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Shape {
    #[serde(default)]
    sides: u8,
    part: Part,
}

/// Leads to one that differs.
#[derive(Deserialize, JsonSchema)]
struct Shapes {
    shape: Shape,
}

/// Asks for a short answer.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Brevity {
    #[serde(default)]
    brief: bool,
}

/// Anything, shown back.
#[derive(Serialize, JsonSchema)]
struct Echo {
    echo: Value,
}

fn echo(echo: Value) -> Echo {
    Echo { echo }
}

/// Lets tests hold a request open.
#[derive(Default)]
pub(crate) struct Held {
    pub(crate) begun: Notify,
    pub(crate) go_on: Notify,
    pub(crate) ended: Notify,
}

kit::error_codes! {
    BOARD_FULL = 409 "board-full" "The board is full" : "Delete something first.";
}

pub(crate) fn synthetic_ops() -> Vec<Op> {
    let mut ops = vec![
        Op::new(
            "things.list",
            Method::Get,
            "/things",
            CallerSet::ANYONE_KNOWN,
            "Lists things.",
            async |_, _, i: ListInput| Ok(echo(json!({"limit": i.limit, "tags": i.tags, "done": i.done}))),
        )
        .scope("things:read")
        .common(),
        Op::new("things.get", Method::Get, "/things/{id}", CallerSet::ANYONE_KNOWN, "Reads one thing.", get_thing)
            .scope("things:read")
            .common(),
        Op::new(
            "things.create",
            Method::Post,
            "/things",
            CallerSet::PERSON,
            "Makes a thing. It is new.",
            async |_, _, i: NewThing| {
                Ok(Created { location: "/things/1".into(), record: echo(json!({"name": i.name, "count": i.count})) })
            },
        )
        .errors([&BOARD_FULL])
        .body_up_to(1024),
        Op::new(
            "notes.forget",
            Method::Delete,
            "/notes",
            CallerSet::PERSON_AND_AGENTS,
            "Forgets notes.",
            async |_, _, _: NoParams| Ok(Done),
        ),
        Op::new(
            "notes.count",
            Method::Post,
            "/notes",
            CallerSet::PERSON_AND_AGENTS,
            "Counts a long text.",
            async |_, _, i: Note| Ok(echo(i.text.len().into())),
        )
        .body_up_to((3 << 20) + 1024),
        Op::new(
            "notes.say",
            Method::Post,
            "/notes/say",
            CallerSet::PERSON_AND_AGENTS,
            "Says how.",
            async |_, _, i: Brevity| Ok(echo(i.brief.into())),
        ),
        Op::new(
            "shapes.update",
            Method::Patch,
            "/shapes",
            CallerSet::PERSON,
            "Changes shapes.",
            async |_, _, i: Shapes| Ok(i.shape),
        )
        .if_match()
        .conflicts::<Part>(),
        Op::new(
            "large.read",
            Method::Get,
            "/large",
            CallerSet::ANYONE_KNOWN,
            "Reads more than any socket takes at once.",
            async |_, _, _: NoParams| Ok(echo(json!("x".repeat(32 * 1024 * 1024)))),
        ),
        Op::new(
            "things.update",
            Method::Patch,
            "/things/{id}",
            CallerSet::PERSON_AND_AGENTS,
            "Changes a thing.",
            update_thing,
        )
        .if_match(),
        Op::new(
            "things.delete",
            Method::Delete,
            "/things/{id}",
            CallerSet::OWNER,
            "Deletes a thing.",
            async |_, _, _: Id| Ok(Done),
        ),
        Op::new(
            "things.import",
            Method::Post,
            "/things/import",
            CallerSet::PERSON_AND_AGENTS,
            "Imports a file.",
            import,
        )
        .takes_file(&["text/csv"])
        .body_up_to(64 * 1024),
        Op::new(
            "things.attach",
            Method::Post,
            "/things/attach",
            CallerSet::PERSON_AND_AGENTS,
            "Keeps any file.",
            import,
        )
        .takes_file(&["application/octet-stream", "*/*"])
        .body_up_to(64 * 1024),
        Op::new(
            "login.exchange",
            Method::Post,
            "/login",
            CallerSet::PUBLIC,
            "Exchanges a code.",
            async |_, call: Call, _: NoParams| Ok(echo(call.caller.kind.name().into())),
        ),
        Op::new(
            "login.guess",
            Method::Post,
            "/guess",
            CallerSet::PUBLIC,
            "Guesses a code.",
            async |_, _, _: NoParams| Err::<Echo, _>(kit::error::NO_TOKEN.error("No.")),
        ),
        Op::new("faults.panic", Method::Get, "/panic", CallerSet::ANYONE_KNOWN, "Panics.", panics),
        Op::new("faults.hold", Method::Post, "/hold", CallerSet::PERSON, "Waits.", hold),
        Op::new("faults.look", Method::Get, "/look", CallerSet::PERSON, "Waits while reading.", hold),
    ];
    ops.extend(crate::ops());
    ops
}

async fn get_thing(_: Ctx, call: Call, input: Id) -> Result<Cached<Echo>> {
    if input.id == "none" {
        return Err(kit::not_found());
    }
    Ok(Cached::new(&call, "\"7\"", || json!({"echo": input.id}).to_string().into()))
}

async fn update_thing(_: Ctx, call: Call, input: Change) -> Result<Echo> {
    call.expects(7)?;
    Ok(echo(json!({"id": input.id, "name": input.name, "source": call.source_session})))
}

async fn import(_: Ctx, call: Call, input: Import) -> Result<Echo> {
    let (media, mut pieces) = call.upload.expect("a file");
    let mut bytes = 0;
    while let Some(piece) = pieces.next().await {
        bytes += piece.map_err(|e| kit::error::INTERNAL.error("The import broke off.").caused_by(e))?.len();
    }
    Ok(echo(json!({"media": media, "bytes": bytes, "board": input.board})))
}

async fn panics(_: Ctx, _: Call, _: NoParams) -> Result<Echo> {
    panic!("on purpose")
}

async fn hold(ctx: Ctx, _: Call, _: NoParams) -> Result<Done> {
    let held = ctx.service::<Held>();
    held.begun.notify_one();
    held.go_on.notified().await;
    held.ended.notify_one();
    Ok(Done)
}

/// Limits without delays.
pub(crate) fn quick() -> Limits {
    let refused_time = Duration::from_millis(100);
    Limits { unknown_token_delay: Duration::ZERO..Duration::ZERO, refused_time, ..Limits::default() }
}

pub(crate) fn door(limits: Limits, only: Access, ops: Vec<Op>) -> (Door, Arc<Accounts>) {
    let ctx = Ctx::new(Arc::new(FixedClock::at(0)));
    ctx.provide(Arc::new(Bus::default()));
    ctx.provide(Arc::new(Held::default()));
    let accounts = Arc::new(Accounts::default());
    let door = Door {
        ctx,
        ops,
        pages: Arc::new(Ui),
        authenticator: accounts.clone(),
        instance_id: "run-1".into(),
        version: "0.1.0",
        codes: kit::error::CODES.to_vec(),
        only,
        limits,
    };
    (door, accounts)
}

/// A server that runs until it is stopped or dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) ctx: Ctx,
    pub(crate) accounts: Arc<Accounts>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<std::io::Result<()>>,
}

impl Running {
    pub(crate) async fn start(limits: Limits) -> Running {
        Self::start_with(limits, Access::Full, synthetic_ops()).await
    }
    pub(crate) async fn start_with(limits: Limits, only: Access, ops: Vec<Op>) -> Running {
        let (door, accounts) = door(limits, only, ops);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, ctx) = (listener.local_addr().unwrap(), door.ctx.clone());
        let (stop, stopped) = oneshot::channel();
        let shutdown = async move {
            let _ = stopped.await;
        };
        let task = tokio::spawn(door.serve(vec![listener], shutdown));
        Running { address, ctx, accounts, stop, task }
    }
    pub(crate) async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap().unwrap();
    }
    /// Sends bytes in which `HOST` stands for the server's name.
    pub(crate) async fn raw(&self, text: &str) -> Answer {
        send(self.address, text.replace("HOST", &self.address.to_string()).as_bytes()).await.unwrap()
    }
    pub(crate) async fn get(&self, path: &str, token: &str) -> Answer {
        send(self.address, &request(self.address, "GET", path, Some(token), None)).await.unwrap()
    }
    pub(crate) async fn json(&self, method: &str, path: &str, token: &str, body: &str) -> Answer {
        let bytes = request(self.address, method, path, Some(token), Some(("application/json", body)));
        send(self.address, &bytes).await.unwrap()
    }
}
