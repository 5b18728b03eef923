//! Runs approved commands: the program's side, and the small command that takes the place of the approved one in the
//! session and hands over its input and output.

use super::{Opening, Ticket, git};
use crate::engine_host::EngineHost;
use crate::hook::{Asked, accept_each};
use crate::messages;
use ::git::Git;
use engines::launch;
use engines::port::Env;
use engines::process::{SideCommand, run};
use engines::{Process, Sandbox};
use platform::handover;
use platform::local_socket::Listener;
use platform::process::Mark;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use supervisor::opening::{DISCREET, is_discreet};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

/// The first argument that makes this program run an approved command; the socket and the ticket follow.
pub const APPROVED: &str = "approved";
/// The first argument that makes this program stand before another on `PATH`; the socket, the program's name, and its
/// arguments follow.
pub const STAND_IN: &str = "stand-in";
/// The exit code if the command wasn't started, as of shells.
const NOT_STARTED: u8 = 126;
/// Time for a caller to say which command it runs.
const SAYS_WITHIN: Duration = Duration::from_secs(5);
/// Time for what a command left running to exit.
const GRACE: Duration = Duration::from_secs(1);
/// Marks the processes of one approved command.
const MARK: &str = "APP_APPROVED_COMMAND";

/// What a session's approved commands run with.
pub(crate) struct Outside {
    /// The session's own sandbox; none if the system has none.
    pub(crate) sandbox: Option<Sandbox>,
    /// The session's environment variables.
    pub(crate) env: Env,
    /// The session's mark.
    pub(crate) session: String,
    /// Whether commands may use logins only without showing them, as external engines may.
    pub(crate) is_discreet: bool,
}

/// Settings of npm that keep packages and the project's own configuration from running programs, or sending logins
/// elsewhere.
const QUIET_NPM: &[(&str, &str)] =
    &[("npm_config_ignore_scripts", "true"), ("npm_config_strict_ssl", "true"), ("npm_config_git", "git")];

/// A caller's first line.
#[derive(Serialize, Deserialize)]
pub(crate) struct Call {
    pub(crate) what: What,
    pub(crate) cwd: PathBuf,
}

/// What a caller runs.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum What {
    /// The approved line of this ticket.
    Ticket(String),
    /// A program with these arguments, if it's admitted.
    Program(String, Vec<String>),
}

/// The answer to it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Ended {
    /// With this exit code.
    Code(i32),
    /// It wasn't started, for this reason.
    NotStarted(String),
    /// It isn't admitted, so the caller runs it itself.
    NotAdmitted,
}

/// Runs the approved commands of callers at this socket.
pub(crate) async fn serve(listener: Listener, asked: Arc<Asked>) {
    let run = |connection| {
        let asked = asked.clone();
        async move {
            if let Err(error) = answer(connection, &asked).await {
                tracing::warn!(%error, "couldn't run an approved command");
            }
        }
    };
    accept_each(listener, run).await;
}

async fn answer(connection: UnixStream, asked: &Asked) -> io::Result<()> {
    let connection = connection.into_std()?;
    connection.set_nonblocking(false)?;
    connection.set_read_timeout(Some(SAYS_WITHIN))?;
    let received = tokio::task::spawn_blocking(move || {
        let (line, files) = handover::receive(&connection)?;
        io::Result::Ok((connection, line, files))
    });
    let (connection, line, files) = received.await.map_err(io::Error::other)??;
    connection.set_nonblocking(true)?;
    let mut connection = UnixStream::from_std(connection)?;
    let ended = match start(&line, files, asked).await {
        Ok(Some(Process { exited, end })) => {
            let gone = async { while connection.read_u8().await.is_ok() {} };
            let code = tokio::select! {
                code = exited => code.unwrap_or(i32::from(NOT_STARTED)),
                () = gone => 0,
            };
            end(GRACE).await;
            Ended::Code(code)
        }
        Ok(None) => Ended::NotAdmitted,
        Err(why) => Ended::NotStarted(why),
    };
    // The caller may be gone.
    let _ = connection.write_all(format!("{}\n", serde_json::to_string(&ended)?).as_bytes()).await;
    Ok(())
}

/// Starts what a caller runs; `None` if it isn't admitted.
async fn start(line: &str, files: Vec<OwnedFd>, asked: &Asked) -> Result<Option<Process>, String> {
    let Call { what, cwd } = serde_json::from_str(line).map_err(|why| why.to_string())?;
    let files = <[OwnedFd; 3]>::try_from(files).map_err(|_| "No input and output were handed over.".to_owned())?;
    let me = asked.me().ok_or("The session has ended.")?;
    let host = me.lock().await.host();
    let (program, opening, shown) = match what {
        What::Ticket(id) => {
            let ticket = asked.tickets.take(&id).ok_or(
                "This approval was already used, or its turn has ended. Run the command itself to request approval again.",
            )?;
            expect_same(&cwd, &ticket).await?;
            let program = (shell(), vec!["-c".to_owned(), ticket.line.clone()]);
            (program, ticket.opening, ticket.line)
        }
        What::Program(name, args) => {
            let Some(admitted) = asked.tickets.take_admitted(&name, &args) else { return Ok(None) };
            let file = engines::probe::find(&name, &host.machine).ok_or_else(|| format!("{name} isn't installed."))?;
            let shown = launch::shell_line(&[vec![name], args.clone()].concat());
            ((file, args), admitted.opening, shown)
        }
    };
    let env = env(&host, &opening, &cwd, &asked.outside).await?;
    let note = json!({"entry": "note", "why": messages::opened(&shown, &opening.list())});
    me.lock().await.append_entry(&me, &note).await;
    let mark = Mark { name: MARK.into(), value: kit::ids::short_id() };
    let sandbox = asked.outside.sandbox.as_ref().map(|sandbox| opened(sandbox, &opening, &cwd));
    let side = SideCommand { program, env, cwd, sandbox, mark, files };
    tokio::task::spawn_blocking(move || run(side))
        .await
        .map_err(|why| why.to_string())?
        .map(Some)
        .map_err(|why| format!("Couldn't start the approved command: {why}."))
}

/// Rejects another folder than the approved one.
async fn expect_same(cwd: &Path, ticket: &Ticket) -> Result<(), String> {
    let (here, approved) = (cwd.to_owned(), ticket.cwd.clone());
    let same = move || Some(here.canonicalize().ok()? == approved.canonicalize().ok()?);
    if tokio::task::spawn_blocking(same).await.ok().flatten() == Some(true) {
        return Ok(());
    }
    Err(format!(
        "Approved for {}, but started in {}. Run the command itself to request approval again.",
        ticket.cwd.display(),
        cwd.display()
    ))
}

/// The environment of an approved command: what's opened for it, and configuration that keeps the repository's own from
/// running programs.
async fn env(host: &EngineHost, opening: &Opening, cwd: &Path, outside: &Outside) -> Result<Env, String> {
    let mut env = launch::env(&host.machine, &[]);
    env.extend(opening.vars.clone());
    env.extend(outside.env.clone());
    env.insert(engines::port::SESSION_MARK.into(), outside.session.clone());
    if outside.is_discreet {
        env.extend(QUIET_NPM.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    }
    if opening.runs_git {
        env.extend(launch::env(&host.machine, &["GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"]));
        let git = Git::open(&host.machine, cwd, host.world.sleep.clone()).await.map_err(|why| why.0)?;
        let config = git::overrides(&git).await?;
        env.insert("GIT_TERMINAL_PROMPT".into(), "0".into());
        env.insert("GIT_CONFIG_COUNT".into(), config.len().to_string());
        for (at, (key, value)) in config.into_iter().enumerate() {
            env.insert(format!("GIT_CONFIG_KEY_{at}"), key);
            env.insert(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
    }
    Ok(env)
}

/// The session's sandbox without what the command may use.
fn opened(sandbox: &Sandbox, opening: &Opening, cwd: &Path) -> Sandbox {
    let is_opened = |path: &&PathBuf| !opening.files.contains(path);
    Sandbox {
        denied: sandbox.denied.iter().filter(is_opened).cloned().collect(),
        open: sandbox.open.iter().chain([&sandbox.cwd]).chain(&opening.files).cloned().collect(),
        cwd: cwd.to_owned(),
    }
}

/// The shell that agents write their commands for.
fn shell() -> PathBuf {
    ["/bin/bash", "/usr/bin/bash"].into_iter().map(PathBuf::from).find(|file| file.exists()).unwrap_or("/bin/sh".into())
}

/// Hands over this process's input and output, and exits as the approved command does. `args` are the arguments after
/// [`APPROVED`].
pub fn approved(mut args: impl Iterator<Item = std::ffi::OsString>) -> ExitCode {
    let ended = match (args.next(), args.next()) {
        (Some(socket), Some(ticket)) => {
            ask_here(Path::new(&socket), What::Ticket(ticket.to_string_lossy().into_owned()))
        }
        _ => Err(io::Error::other("no socket and ticket are named")),
    };
    exit(ended)
}

/// Runs an admitted program outside the sandbox, any other here. `args` are the arguments after [`STAND_IN`].
pub fn stand_in(mut args: impl Iterator<Item = std::ffi::OsString>) -> ExitCode {
    let (Some(socket), Some(name)) = (args.next(), args.next()) else {
        return not_started("No socket and program are named.");
    };
    let (socket, args) = (PathBuf::from(socket), args.collect::<Vec<_>>());
    let texts: Option<Vec<String>> = args.iter().map(|arg| arg.to_str().map(str::to_owned)).collect();
    let texts = texts.filter(|texts| is_discreet(&name.to_string_lossy(), texts));
    let ended = texts.map(|texts| ask_here(&socket, What::Program(name.to_string_lossy().into_owned(), texts)));
    match ended {
        Some(Ok(ended)) if ended != Ended::NotAdmitted => exit(Ok(ended)),
        // In the sandbox it can do no harm.
        _ => run_here(&socket, &name, &args),
    }
}

/// Replaces this process by the program that it stands before.
fn run_here(socket: &Path, name: &OsStr, args: &[OsString]) -> ExitCode {
    let own = socket.with_file_name(STAND_INS);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).filter(|folder| *folder != own).map(|folder| folder.join(name));
    let Some(file) = found.into_iter().find(|file| file.is_file()) else {
        return not_started(&format!("{}: command not found", name.to_string_lossy()));
    };
    let error = std::process::Command::new(file).arg0(name).args(args).exec();
    not_started(&format!("{}: {error}", name.to_string_lossy()))
}

/// The folder of stand-ins, beside the socket.
pub(crate) const STAND_INS: &str = "bin";

/// Writes a stand-in for each program. Returns their folder.
pub(crate) fn write_stand_ins(program: &str, socket: &Path) -> io::Result<PathBuf> {
    let folder = socket.with_file_name(STAND_INS);
    std::fs::create_dir(&folder)?;
    for name in DISCREET {
        let words = [program, STAND_IN, &socket.to_string_lossy(), name].map(str::to_owned);
        let file = folder.join(name);
        platform::write_private(&file, format!("#!/bin/sh\nexec {} \"$@\"\n", launch::shell_line(&words)).as_bytes())?;
        platform::let_run(&file)?;
    }
    Ok(folder)
}

fn exit(ended: io::Result<Ended>) -> ExitCode {
    match ended {
        Ok(Ended::Code(code)) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        Ok(Ended::NotStarted(why)) => not_started(&why),
        Ok(Ended::NotAdmitted) => not_started("This command isn't approved."),
        Err(error) => not_started(&format!("Couldn't reach Pilothouse to run the approved command ({error}).")),
    }
}

fn not_started(why: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{why}");
    ExitCode::from(NOT_STARTED)
}

fn ask_here(socket: &Path, what: What) -> io::Result<Ended> {
    let call = Call { what, cwd: std::env::current_dir()? };
    ask(socket, &call, &[io::stdin().as_fd(), io::stdout().as_fd(), io::stderr().as_fd()])
}

/// Has the program run a command with these files as its input, output, and errors, and waits for its end.
pub(crate) fn ask(socket: &Path, call: &Call, files: &[BorrowedFd<'_>; 3]) -> io::Result<Ended> {
    let connection = std::os::unix::net::UnixStream::connect(socket)?;
    handover::send(&connection, &serde_json::to_string(call)?, files)?;
    let mut answer = String::new();
    io::BufReader::new(connection).read_line(&mut answer)?;
    Ok(serde_json::from_str(&answer)?)
}
