//! The hook that engines call before each tool: the program's side, which decides, and the small command that asks it.
//!
//! Invariant: any failure denies the tool. Each session has its own socket; anyone who knows its path can ask, and
//! learns only a verdict.

#[cfg(unix)]
use crate::approved::{self, Outside};
use crate::approved::{Opening, Ticket, Tickets};
use crate::driver::{Shared, report};
use crate::judge::{Judge, Ruling};
use engines::hook::{Answer, tool, with_command};
#[cfg(unix)]
use engines::port::Hook;
use engines::{Engine, ToolKind, ToolUse};
use platform::local_socket;
use serde_json::Value;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use supervisor::find;
use supervisor::policy::Decision;
use supervisor::state::{EngineEvent, RequestKind};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::task::JoinHandle;

/// The first argument that makes this program the hook; the second is its socket.
pub const TOOL_HOOK: &str = "tool-hook";
/// Maximum bytes of an engine's description of a tool call, which can contain a whole file.
const EVENT_BYTES_MAX: u64 = 32 << 20;
/// Delay before accepting connections again after a failure.
const AFTER_ERROR: Duration = Duration::from_millis(50);

/// Decides about a session's tools for the hook.
pub(crate) struct Asked {
    pub(crate) me: std::sync::Weak<tokio::sync::Mutex<crate::driver::Driver>>,
    pub(crate) judge: Arc<Judge>,
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) launch: u32,
    /// The session's approved commands.
    pub(crate) tickets: Arc<Tickets>,
    /// What they run with.
    #[cfg(unix)]
    pub(crate) outside: Outside,
    /// Whether find commands are batched.
    pub(crate) batches_find: bool,
    /// The words of this program that run them; the ticket follows.
    pub(crate) runner: Vec<String>,
}

impl Asked {
    /// The command line that starts fewer processes, if there is one that does the same.
    fn batched(&self, tool: &ToolUse) -> Option<String> {
        let line = tool.command.as_deref().filter(|_| tool.kind == ToolKind::Execute)?;
        let is_on = self.batches_find && self.engine.traits().takes_input;
        is_on.then(|| find::batched(line)).flatten()
    }

    pub(crate) fn me(&self) -> Option<Shared> {
        self.me.upgrade()
    }
}

/// Longer socket paths aren't supported on every system.
#[cfg(unix)]
const SOCKET_NAME_BYTES_MAX: usize = 100;

/// The hook's socket of a session, and the one of its approved commands where sessions have a sandbox. Both are closed
/// when dropped.
pub(crate) struct Door {
    /// The sockets' folder.
    #[cfg(unix)]
    folder: PathBuf,
    /// The hook's socket.
    socket: PathBuf,
    program: String,
    serving: Vec<JoinHandle<()>>,
}

impl Door {
    /// Opens the sockets in a new folder below this one, which is created if missing: that of the hook only if the
    /// engine has one. `program` is this program.
    #[cfg(unix)]
    pub(crate) fn open(below: &Path, program: &str, hook: Hook, mut asked: Asked) -> io::Result<Door> {
        use std::os::unix::fs::DirBuilderExt;
        let name = &kit::ids::secret()[..32];
        let mut folder = below.join(name);
        if folder.as_os_str().len() + 2 > SOCKET_NAME_BYTES_MAX {
            folder = std::env::temp_dir().join(format!("pilothouse-{name}"));
        }
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let (commands, socket) = (folder.join("r"), folder.join("s"));
        let listener = local_socket::Listener::bind(&commands)?;
        let words = [program, approved::APPROVED, &commands.to_string_lossy()];
        asked.runner = words.map(str::to_owned).into();
        let asked = Arc::new(asked);
        let mut serving = vec![tokio::spawn(approved::serve(listener, asked.clone()))];
        if hook == Hook::Command {
            serving.push(tokio::spawn(serve(local_socket::Listener::bind(&socket)?, asked)));
        }
        Ok(Door { folder, socket, program: program.to_owned(), serving })
    }

    /// Opens a named pipe for the hook. Without a sandbox, approved commands need no way out of it.
    #[cfg(windows)]
    pub(crate) fn open(program: &str, asked: Asked) -> io::Result<Door> {
        let socket = Path::new(r"\\.\pipe").join(format!("pilothouse-{}", &kit::ids::secret()[..32]));
        let listener = local_socket::Listener::bind(&socket)?;
        let serving = vec![tokio::spawn(serve(listener, Arc::new(asked)))];
        Ok(Door { socket, program: program.to_owned(), serving })
    }

    /// The sockets' folder, which the session needs access to.
    #[cfg(unix)]
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The command that asks at this socket.
    pub(crate) fn hook(&self) -> Vec<String> {
        vec![self.program.clone(), TOOL_HOOK.to_owned(), self.socket.to_string_lossy().into_owned()]
    }

    /// Writes programs that stand before others on `PATH`. Returns their folder.
    #[cfg(unix)]
    pub(crate) fn stand_ins(&self) -> io::Result<PathBuf> {
        approved::write_stand_ins(&self.program, &self.folder.join("r"))
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.serving.iter().for_each(JoinHandle::abort);
        #[cfg(unix)]
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

async fn serve(listener: local_socket::Listener, asked: Arc<Asked>) {
    let count = AtomicU64::new(0);
    let run = |connection| {
        let (asked, number) = (asked.clone(), count.fetch_add(1, Ordering::Relaxed));
        async move { answer(connection, &asked, number).await }
    };
    accept_each(listener, run).await;
}

/// Handles each connection in a task of its own.
pub(crate) async fn accept_each<F>(mut listener: local_socket::Listener, handle: impl Fn(local_socket::Stream) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    loop {
        match listener.accept().await {
            Ok(connection) => drop(tokio::spawn(handle(connection))),
            Err(error) => {
                tracing::warn!(%error, "couldn't receive a call of a session");
                tokio::time::sleep(AFTER_ERROR).await;
            }
        }
    }
}

/// Reads one line, and answers with one.
async fn answer(connection: local_socket::Stream, asked: &Asked, number: u64) {
    let (reading, mut writing) = tokio::io::split(connection);
    let mut reading = BufReader::new(reading.take(EVENT_BYTES_MAX));
    let mut line = Vec::new();
    if reading.read_until(b'\n', &mut line).await.is_err() || line.last() != Some(&b'\n') {
        return;
    }
    let text = match serde_json::from_slice::<Value>(&line) {
        Ok(event) => {
            let gone = async { while reading.read_u8().await.is_ok() {} };
            judged(asked, &event, number, gone).await
        }
        Err(_) => Answer::Deny("Couldn't read the engine's description of the tool call.").text(),
    };
    let _ = writing.write_all(format!("{text}\n").as_bytes()).await;
    let _ = writing.shutdown().await;
}

/// Asks the running program, and prints the answer for the engine. `args` are the arguments after [`TOOL_HOOK`].
pub fn tool_hook(mut args: impl Iterator<Item = std::ffi::OsString>) -> ExitCode {
    let asked = match args.next() {
        Some(socket) => ask(Path::new(&socket), io::stdin().lock()),
        None => Err(io::Error::other("no socket is named")),
    };
    match asked {
        Ok(text) => {
            let _ = writeln!(io::stdout(), "{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(io::stderr(), "Blocked: couldn't reach Pilothouse to check permission ({error}).");
            ExitCode::from(engines::hook::REFUSED)
        }
    }
}

/// The program's answer; a truncated one is an error.
pub(crate) fn ask(socket: &Path, event: impl Read) -> io::Result<String> {
    let mut connection = local_socket::connect(socket)?;
    let event: Value = serde_json::from_reader(event.take(EVENT_BYTES_MAX))?;
    connection.write_all(format!("{event}\n").as_bytes())?;
    let mut answer = String::new();
    std::io::BufReader::new(connection).read_line(&mut answer)?;
    let cut_off = || io::Error::other("no answer");
    answer.strip_suffix('\n').map(str::to_owned).ok_or_else(cut_off)
}

/// The hook's answer. If the engine has no requests of its own, or if approval opens the sandbox, the user is asked first.
/// `gone` ends when the caller disconnects.
async fn judged(asked: &Asked, event: &Value, number: u64, gone: impl Future<Output = ()>) -> String {
    let tool = tool(&*asked.engine, event);
    // The rules judge the command that the agent wrote.
    let mut ruling = asked.judge.decide(&tool).await;
    let opening = ruling.opening.take();
    let batched = asked.batched(&tool);
    let is_replaced = opening.is_some() || batched.is_some();
    let change = Change { opening, batched };
    match ruling.decision {
        Decision::Allow => {
            // An engine that can ask makes its own request next, and the answer is recorded there. It doesn't for a
            // command that's replaced.
            if let Some(rule) = ruling.rule.as_ref().filter(|_| is_replaced || !asked.engine.traits().asks)
                && let Some(me) = asked.me()
            {
                me.lock().await.append_allowed(&me, &tool, &ruling.why, rule).await;
            }
            allowed(asked, event, &tool, change)
        }
        Decision::Ask if asked.engine.traits().asks && !is_replaced => Answer::Ask(&ruling.why).text(),
        Decision::Ask => match held(asked, tool.clone(), ruling, number, gone).await {
            Held::Allowed => allowed(asked, event, &tool, change),
            Held::Denied(why) => Answer::Deny(why).text(),
            Held::Gone => String::new(),
        },
        Decision::Deny => {
            if let Some(me) = asked.me() {
                me.lock().await.append_refused(&me, &tool, &ruling.why).await;
            }
            Answer::Deny(&ruling.why).text()
        }
    }
}

/// How an allowed command runs otherwise than the agent wrote it.
struct Change {
    /// It runs outside the sandbox, as written.
    opening: Option<Opening>,
    /// It starts fewer processes.
    batched: Option<String>,
}

/// The answer for an allowed tool. If that opens the sandbox, it's replaced by the command that runs it outside.
fn allowed(asked: &Asked, event: &Value, tool: &ToolUse, change: Change) -> String {
    let Some(line) = tool.command.clone() else { return Answer::Pass.text() };
    let other = match change {
        // Without a sandbox, the command runs as it is.
        Change { opening: Some(opening), .. } if !asked.runner.is_empty() => {
            let cwd = Path::new(tool.cwd.as_deref().unwrap_or(asked.judge.cwd())).to_owned();
            Some(asked.tickets.issue(Ticket { line, cwd, opening }, &asked.runner))
        }
        Change { batched, .. } => batched.inspect(|batched| asked.tickets.restore_later(batched, &line)),
    };
    let input = other.and_then(|other| with_command(event, &other));
    input.map_or_else(|| Answer::Pass.text(), |input| Answer::Replace(&input).text())
}

/// How a request ended.
enum Held {
    Allowed,
    Denied(&'static str),
    /// The caller is gone, so nobody reads an answer.
    Gone,
}

/// Asks the user in the engine's place, and waits.
async fn held(asked: &Asked, tool: ToolUse, ruling: Ruling, number: u64, gone: impl Future<Output = ()>) -> Held {
    let launch = asked.launch;
    let id = format!("{launch}-hook{number}");
    let Some(me) = asked.me() else { return Held::Denied("The session has ended.") };
    let before = me.lock().await.repeated_in_hook(&me, &tool).await;
    match before {
        Some(true) => return Held::Allowed,
        Some(false) => return Held::Denied("You denied this before the session was interrupted."),
        None => {}
    }
    let (extra, answered) = me.lock().await.hold_tool(&id, tool, ruling);
    report(&me, launch, EngineEvent::Asked { id: id.clone(), asks: RequestKind::Permission }, extra).await;
    let me = Arc::downgrade(&me);
    tokio::select! {
        answer = answered => match answer {
            Ok(true) => Held::Allowed,
            Ok(false) => Held::Denied("The user denied it."),
            Err(_) => Held::Denied("The request was canceled."),
        },
        () = gone => {
            if let Some(me) = me.upgrade() {
                report(&me, launch, EngineEvent::Withdrawn { id }, Default::default()).await;
            }
            Held::Gone
        }
    }
}
