//! Operations and settings of no feature, a scripted program, and one way to run a command line.

use crate::{Io, Offline, Program, Request, Response, Transport, TransportError};
use hmac::{Hmac, KeyInit, Mac};
use kit::caller::CallerSet;
use kit::op::{Done, Method, Op};
use kit::setting::{Field, Shape, Spec, flags, int_step, list, list_of_objects, nullable_text, select, text, toggle};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Cursor, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// What some groups of commands are for.
pub(super) const GROUPS: &[(&str, &str)] = &[("boards", "Boards: items and cells")];

kit::choices! { Level { /// Only reads.
ReadOnly = "read_only", /// Never asks.
Full = "full" } }

static WORDS: Shape = Shape::Select(<Level as kit::setting::Choices>::ALL);
static ROW: Shape = Shape::Object(FIELDS);
const FIELDS: &[Field] = &[Field::new("bold", Shape::Toggle)];

kit::settings! {
    "Area" / "section" {
        /// How much an agent does. More follows.
        agentLevel: Level = select("read_only");
        /// Ceiling on the processor.
        cpuCap: i64 = int_step(25..=90, 5, 60);
        /// Whether toasts are shown.
        toasts: bool = toggle(true);
        /// What to call the person.
        nickname: String = text(40, "");
        /// A note, or none.
        note: Option<String> = nullable_text(40);
        /// Levels that are offered.
        levels: Level = words_list();
        /// How text looks.
        look: Value = flags(FIELDS, &[("bold", false)]);
        /// Rows of look.
        rows: Value = list_of_objects(&ROW);
    }
}

const fn words_list() -> kit::Setting<Level> {
    // Only the shape matters here; the Rust type of a list does not.
    let of_words = list::<Level>(&WORDS);
    let mut row = select::<Level>("full");
    row.spec = of_words.spec;
    row
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
#[serde(rename_all = "camelCase")]
pub(super) struct CreateItem {
    /// The board.
    board_id: String,
    /// What the item is called. It may repeat.
    name: String,
    /// How many.
    count: Option<i64>,
    ratio: Option<f64>,
    /// Put it first.
    at_top: Option<bool>,
    tags: Option<Vec<String>>,
    kind: Option<ItemKind>,
    cells: Option<Map<String, Value>>,
    /// An address of its own.
    url: Option<String>,
    input: Option<String>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(dead_code)]
enum ItemKind {
    /// A thing to do.
    Task,
    /// A thing to watch.
    Risk,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Page {
    limit: Option<u32>,
    topics: Option<Vec<String>>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
#[serde(rename_all = "camelCase")]
struct Find {
    /// The boards.
    board_ids: Vec<String>,
    /// Rules.
    rules: Option<Vec<String>>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
#[serde(rename_all = "camelCase")]
struct Session {
    session_id: String,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Undo {
    change: String,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Id {
    id: String,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
#[serde(rename_all = "camelCase")]
struct Export {
    board_id: String,
    format: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
#[serde(rename_all = "camelCase")]
struct Import {
    /// Where to.
    workspace: String,
    file_name: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Key {
    key: String,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct KeyValue {
    key: String,
    value: Value,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct OptionalKey {
    key: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
#[serde(rename_all = "camelCase")]
struct Changes {
    changes: Map<String, Value>,
    dry_run: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct TakeDocument {
    document: Map<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct NoParams {}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(dead_code)]
pub(super) struct Attach {
    thing_id: String,
    name: Option<String>,
}

pub(super) fn op<I: serde::de::DeserializeOwned + JsonSchema + Send + 'static>(
    name: &'static str,
    method: Method,
    path: &'static str,
    doc: &'static str,
) -> Op {
    Op::new(name, method, path, CallerSet::PERSON_AND_AGENTS, doc, |_, _, _: I| std::future::ready(Ok(Done)))
}

/// What a cell is set to.
#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "read by the schema")]
struct Cell {
    /// The new value.
    value: Value,
}

/// A key under a name.
#[derive(Deserialize, JsonSchema)]
#[allow(dead_code, reason = "read by the schema")]
struct KeepKey {
    id: String,
    /// The key.
    value: kit::Secret,
    note: Option<String>,
}

pub(super) fn ops() -> Vec<Op> {
    use Method::*;
    let mut owners = op::<NoParams>("owner.only", Post, "/owner", "Not for a command line.");
    owners.callers = CallerSet::OWNER;
    let mut export = op::<Export>("boards.export", Get, "/boards/{boardId}/export", "Exports a board.").document();
    export.media = &["text/csv", "application/json"];
    vec![
        op::<Page>("boards.list", Get, "/boards", "Lists boards. Newest first.").columns(&["id", "name"]),
        op::<Id>("boards.get", Get, "/boards/{id}", "One board."),
        op::<Id>("boards.delete", Delete, "/boards/{id}", "Deletes a board.").if_match(),
        op::<CreateItem>("boards.items.create", Post, "/boards/{boardId}/items", "Adds an item. It goes last."),
        op::<Cell>("boards.cell", Patch, "/boards/{boardId}/items/{itemId}/cells/{columnId}", "Sets one cell."),
        op::<Find>("query", Post, "/query", "Finds items of boards."),
        op::<Import>("boards.import", Post, "/boards/import", "Imports a file.")
            .takes_file(&["text/csv", "application/json"]),
        op::<Attach>("things.attach", Post, "/things/{thingId}/files", "Keeps any file.")
            .takes_file(&["application/octet-stream", "*/*"])
            .body_up_to(10),
        op::<KeepKey>("things.keep", Post, "/things/{id}/key", "Keeps a key."),
        op::<KeyValue>("things.cell", Patch, "/things/{key}/cell", "Sets a cell.").if_match(),
        export,
        owners,
        op::<NoParams>("mcp.message", Post, "/mcp", "Has a command of its own."),
        op::<NoParams>("settings.list", Get, "/settings", "Lists settings.")
            .columns(&["key", "value", "title", "effect"]),
        op::<Key>("settings.get", Get, "/settings/{key}", "One setting."),
        op::<KeyValue>("settings.set", Patch, "/settings/{key}", "Changes one setting.").if_match(),
        op::<Key>("settings.reset", Delete, "/settings/{key}", "Resets one setting.").if_match(),
        op::<Changes>("settings.change", Post, "/settings", "Changes many settings.").if_match(),
        op::<OptionalKey>("settings.history", Get, "/settings/history", "Past changes."),
        op::<Undo>("settings.undo", Post, "/settings/undo", "Takes a change back."),
        op::<TakeDocument>("settings.import", Post, "/settings/import", "Takes an export."),
        op::<NoParams>("settings.export", Get, "/settings/export", "All that was set.").document(),
        op::<NoParams>("changes.list", Get, "/changes", "Lists changes.").columns(&[
            "what",
            "subject",
            "subjectName",
            "before",
            "after",
        ]),
        op::<NoParams>(
            "dashboards.check",
            Post,
            "/dashboards/check",
            "Checks a config. `dashboards.schema` and `GET /boards/{boardId}/export` say more, `other.op` nothing.",
        ),
        op::<NoParams>("openapi.get", Get, "/openapi.json", "Reads the document.").document(),
        op::<NoParams>("dashboards.schema", Get, "/dashboards/schema", "Reads the schema.").document(),
        op::<Session>("sessions.stop", Post, "/sessions/{sessionId}/stop", "Stops a session."),
        op::<Session>("sessions.transcript", Get, "/sessions/{sessionId}/transcript", "Reads a transcript."),
    ]
}

/// A program of these operations, with nothing that a test does not ask for.
pub(super) fn program(ops: &[Op]) -> Program<'_> {
    Program {
        ops,
        groups: &[],
        settings: ALL,
        version: "1",
        default_data_dir: None,
        offline: None,
        opener: &|_| Ok(()),
    }
}

/// What a request looked like on the wire.
#[derive(Debug, Clone)]
pub(super) struct Received {
    /// `GET /path?query`.
    pub line: String,
    pub head: String,
    pub body: String,
}

impl Received {
    pub(super) fn has(&self, header: &str) -> bool {
        self.head.lines().any(|line| line.eq_ignore_ascii_case(header))
    }
}

pub(super) const TOKEN: &str = "ph_cli_0123456789abcdef";
/// One that a session was given.
pub(super) const SESSION_TOKEN: &str = "ph_ses_1_0123456789abcdef";

/// A scripted program: answers `(status, headers, body)` to each request and keeps what it received.
pub(super) struct Fake {
    pub base: String,
    received: Arc<Mutex<Vec<Received>>>,
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

pub(super) type Scripted = (u16, &'static str, String);

impl Fake {
    /// Knows the tokens and proves it at `/health`; `script` answers the rest.
    pub(super) fn genuine(script: impl Fn(&Received) -> Scripted + Send + 'static) -> Fake {
        Fake::start(move |request, host| match request.line.strip_prefix("GET /health?challenge=") {
            Some(asked) => (200, "", health(asked, host).to_string()),
            None => script(request),
        })
    }

    pub(super) fn start(script: impl Fn(&Received, &str) -> Scripted + Send + 'static) -> Fake {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let (received, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (seen, stopped, host_of_thread) = (received.clone(), stop.clone(), host.clone());
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let mut stream = stream.unwrap();
                let Some(request) = read_request(&mut stream) else { continue };
                seen.lock().unwrap().push(request.clone());
                let (status, headers, body) = script(&request, &host_of_thread);
                let kind = if headers.contains("content-type") || body.is_empty() {
                    ""
                } else if status >= 400 {
                    "content-type: application/problem+json\r\n"
                } else {
                    "content-type: application/json\r\n"
                };
                let length = if status == 204 { String::new() } else { format!("content-length: {}\r\n", body.len()) };
                let answer = format!("HTTP/1.1 {status} X\r\nconnection: close\r\n{kind}{headers}{length}\r\n{body}");
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        Fake { base: format!("http://{host}"), received, stop, thread: Some(thread) }
    }

    /// Requests beside those for the proof.
    pub(super) fn requests(&self) -> Vec<Received> {
        self.all().into_iter().filter(|r| !r.line.starts_with("GET /health")).collect()
    }

    pub(super) fn all(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.base.trim_start_matches("http://"));
        let _ = self.thread.take().map(std::thread::JoinHandle::join);
    }
}

pub(super) fn read_request(stream: &mut TcpStream) -> Option<Received> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let lower = head.to_ascii_lowercase();
    let mut body = String::new();
    if let Some(length) = lower.lines().find_map(|line| line.strip_prefix("content-length:")) {
        reader.take(length.trim().parse().unwrap()).read_to_string(&mut body).unwrap();
    } else if lower.contains("transfer-encoding: chunked") {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size).unwrap();
            let size = usize::from_str_radix(size.trim(), 16).unwrap();
            let mut chunk = vec![0; size + 2];
            reader.read_exact(&mut chunk).unwrap();
            if size == 0 {
                break;
            }
            body.push_str(std::str::from_utf8(&chunk[..size]).unwrap());
        }
    }
    let line = head.lines().next()?.trim_end_matches(" HTTP/1.1").to_owned();
    Some(Received { line, head, body })
}

/// What a program answers that knows both tokens; `asked` is the challenge and what may follow it.
pub(super) fn health(asked: &str, host: &str) -> Value {
    let (challenge, of) = asked.split_once("&of=").unwrap_or((asked, ""));
    let key = Sha256::digest(SESSION_TOKEN);
    let known = hex(&Sha256::digest(key)) == of;
    let mut answer = json!({"name": "Pilothouse", "host": host, "proof": proof(TOKEN.as_bytes(), challenge, host)});
    if known {
        answer["tokenProof"] = proof(&key, challenge, host).into();
    }
    answer
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn proof(key: &[u8], challenge: &str, host: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(format!("{challenge}|{host}").as_bytes());
    hex(&mac.finalize().into_bytes())
}

/// A data directory as the running program leaves it.
pub(super) fn data_dir(base: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    write_token(&dir.path().join("cli-token"), TOKEN);
    let instance = json!({"baseUrl": base, "pid": 1, "instanceId": "i"});
    std::fs::write(dir.path().join("instance.json"), instance.to_string()).unwrap();
    dir
}

pub(super) fn write_token(path: &Path, token: &str) {
    std::fs::write(path, format!("{token}\n")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}

/// What a run left behind.
#[derive(Debug, PartialEq)]
pub(super) struct Ran {
    pub code: u8,
    pub out: String,
    pub err: String,
}

/// What surrounds a run.
#[derive(Default)]
pub(super) struct World<'a> {
    pub stdin: &'a str,
    pub env: &'a [(&'a str, &'a str)],
    pub terminal_columns: Option<usize>,
    pub offline: Option<&'a Offline<'a>>,
    pub opened: RefCell<Vec<String>>,
    /// Told of each piece of standard output as it is written.
    pub watch: Option<&'a dyn Fn(&str)>,
}

struct Watched<'a> {
    out: Vec<u8>,
    watch: Option<&'a dyn Fn(&str)>,
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.out.extend_from_slice(bytes);
        if let Some(watch) = self.watch {
            watch(std::str::from_utf8(bytes).unwrap());
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl World<'_> {
    pub(super) fn run(&self, words: &[&str]) -> Ran {
        let ops = ops();
        let opener = |page: &str| {
            self.opened.borrow_mut().push(page.to_owned());
            Ok(())
        };
        let program = Program {
            ops: &ops,
            groups: GROUPS,
            settings: ALL,
            version: "1.2.3",
            default_data_dir: None,
            offline: self.offline,
            opener: &opener,
        };
        let (mut out, mut err) = (Watched { out: Vec::new(), watch: self.watch }, Vec::new());
        let mut command = program.command();
        let matches = command.try_get_matches_from_mut(["pilothouse"].iter().chain(words));
        let code = match matches {
            Err(e) => {
                err = e.to_string().into_bytes();
                e.exit_code() as u8
            }
            Ok(matches) => program.run_for_code(
                &matches,
                &mut Io {
                    stdin: &mut Cursor::new(self.stdin.as_bytes()),
                    stdout: &mut out,
                    stderr: &mut err,
                    stdin_is_terminal: false,
                    stdout_is_terminal: self.terminal_columns.is_some(),
                    stderr_is_terminal: self.terminal_columns.is_some(),
                    width_columns: self.terminal_columns,
                    env: &|name| self.env.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_string()),
                },
            ),
        };
        Ran { code, out: String::from_utf8(out.out).unwrap(), err: String::from_utf8(err).unwrap() }
    }
}

/// Runs a command against a program that answers everything with this, and hands back the one request it received.
pub(super) fn ask(words: &[&str], stdin: &str, answer: Scripted) -> (Ran, Option<Received>) {
    let status = answer.0;
    let fake = Fake::genuine(move |_| answer.clone());
    let dir = data_dir(&fake.base);
    let dir = dir.path().to_str().unwrap();
    let ran = World { stdin, ..World::default() }.run(&[&["--data-dir", dir], words].concat());
    let requests = fake.requests();
    // Only where nothing was found are there more: lists, in which the names that were typed may be.
    assert!(requests.len() < 2 || status == 404, "{requests:?}");
    (ran, requests.into_iter().next())
}

/// A transport in process that keeps the operation and the input.
#[derive(Clone, Default)]
pub(super) struct InProcess(pub Rc<RefCell<Vec<(String, Value)>>>);

impl Transport for InProcess {
    fn send(&self, request: Request<'_>) -> Result<Response, TransportError> {
        self.0.borrow_mut().push((request.op.to_owned(), Value::Object(request.input)));
        Ok(Response {
            status: 200,
            headers: vec![("content-type".into(), "application/json".into())],
            body: Box::new(Cursor::new(br#"{"key":"toasts","value":false,"previous":true,"changed":true}"#)),
        })
    }
}

/// The specs by key.
pub(super) fn spec(key: &str) -> &'static Spec {
    ALL.iter().find(|spec| spec.key == key).unwrap()
}
