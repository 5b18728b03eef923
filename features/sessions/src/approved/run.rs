//! Runs approved commands: the program's side, and the small command that takes the place of the approved one in the
//! session and hands over its input and output.

use super::{Opening, Ticket, git};
use crate::driver::Shared;
use crate::engine_host::EngineHost;
use crate::git::Git;
use crate::hook::Asked;
use crate::messages;
use engines::launch;
use engines::port::Env;
use engines::process::{SideCommand, run};
use engines::{Process, Sandbox};
use platform::handover;
use platform::process::Mark;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::io::{self, BufRead, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};

/// The first argument that makes this program run an approved command; the socket and the ticket follow.
pub const APPROVED: &str = "approved";
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
}

/// A caller's first line.
#[derive(Serialize, Deserialize)]
struct Call {
    ticket: String,
    cwd: PathBuf,
}

/// The answer to it.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Ended {
    /// With this exit code.
    Code(i32),
    /// It wasn't started, for this reason.
    NotStarted(String),
}

/// Runs the approved commands of callers at this socket.
pub(crate) async fn serve(listener: UnixListener, asked: Arc<Asked>) {
    loop {
        match listener.accept().await {
            Ok((connection, _)) => {
                let asked = asked.clone();
                tokio::spawn(async move {
                    if let Err(error) = answer(connection, &asked).await {
                        tracing::warn!(%error, "couldn't run an approved command");
                    }
                });
            }
            Err(error) => {
                tracing::warn!(%error, "couldn't receive an approved command");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
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
        Ok(Process { exited, end }) => {
            let gone = async { while connection.read_u8().await.is_ok() {} };
            let code = tokio::select! {
                code = exited => code.unwrap_or(i32::from(NOT_STARTED)),
                () = gone => 0,
            };
            end(GRACE).await;
            Ended::Code(code)
        }
        Err(why) => Ended::NotStarted(why),
    };
    // The caller may be gone.
    let _ = connection.write_all(format!("{}\n", serde_json::to_string(&ended)?).as_bytes()).await;
    Ok(())
}

async fn start(line: &str, files: Vec<OwnedFd>, asked: &Asked) -> Result<Process, String> {
    let gone = || "The session has ended.".to_owned();
    let call: Call = serde_json::from_str(line).map_err(|why| why.to_string())?;
    let ticket = asked.tickets.take(&call.ticket).ok_or(
        "This approval was already used, or its session was restarted. Run the command itself to request approval again.",
    )?;
    let files = <[OwnedFd; 3]>::try_from(files).map_err(|_| "No input and output were handed over.".to_owned())?;
    let is_same = tokio::task::spawn_blocking({
        let (cwd, approved) = (call.cwd.clone(), ticket.cwd.clone());
        move || Some(cwd.canonicalize().ok()? == approved.canonicalize().ok()?)
    });
    if is_same.await.ok().flatten() != Some(true) {
        return Err(format!(
            "Approved for {}, but started in {}. Run the command itself to request approval again.",
            ticket.cwd.display(),
            call.cwd.display()
        ));
    }
    let me = asked.me().ok_or_else(gone)?;
    let host = me.lock().await.host();
    let side = side_command(&host, ticket, call.cwd, files, &asked.outside, &me).await?;
    tokio::task::spawn_blocking(move || run(side))
        .await
        .map_err(|why| why.to_string())?
        .map_err(|why| format!("Couldn't start the approved command: {why}."))
}

/// The approved line in the user's shell, with what's opened for it.
async fn side_command(
    host: &EngineHost,
    ticket: Ticket,
    cwd: PathBuf,
    files: [OwnedFd; 3],
    outside: &Outside,
    me: &Shared,
) -> Result<SideCommand, String> {
    let Ticket { line, opening, .. } = ticket;
    let mut env = launch::env(&host.machine, &[]);
    env.extend(opening.vars.clone());
    env.extend(outside.env.clone());
    env.insert(engines::port::SESSION_MARK.into(), outside.session.clone());
    if opening.runs_git {
        env.extend(launch::env(&host.machine, &["GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM"]));
        let git = Git::open(&host.machine, &cwd, host.world.sleep.clone()).await.map_err(|why| why.0)?;
        let config = git::overrides(&git).await?;
        env.insert("GIT_TERMINAL_PROMPT".into(), "0".into());
        env.insert("GIT_CONFIG_COUNT".into(), config.len().to_string());
        for (at, (key, value)) in config.into_iter().enumerate() {
            env.insert(format!("GIT_CONFIG_KEY_{at}"), key);
            env.insert(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
    }
    let note = json!({"entry": "note", "why": messages::opened(&line, &opening.list())});
    me.lock().await.append_entry(me, &note).await;
    let mark = Mark { name: MARK.into(), value: kit::ids::short_id() };
    let sandbox = outside.sandbox.as_ref().map(|sandbox| opened(sandbox, &opening, &cwd));
    Ok(SideCommand { program: (shell(), vec!["-c".into(), line]), env, cwd, sandbox, mark, files })
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
        (Some(socket), Some(ticket)) => std::env::current_dir().and_then(|cwd| {
            let (input, output, errors) = (io::stdin(), io::stdout(), io::stderr());
            let files = [input.as_fd(), output.as_fd(), errors.as_fd()];
            ask(Path::new(&socket), ticket.to_string_lossy().into_owned(), cwd, &files)
        }),
        _ => Err(io::Error::other("no socket and ticket are named")),
    };
    match ended {
        Ok(Ended::Code(code)) => ExitCode::from(u8::try_from(code).unwrap_or(1)),
        Ok(Ended::NotStarted(why)) => not_started(&why),
        Err(error) => not_started(&format!("Couldn't reach Pilothouse to run the approved command ({error}).")),
    }
}

fn not_started(why: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "{why}");
    ExitCode::from(NOT_STARTED)
}

/// Has the program run an approved command with these files as its input, output, and errors, and waits for its end.
pub(crate) fn ask(socket: &Path, ticket: String, cwd: PathBuf, files: &[BorrowedFd<'_>; 3]) -> io::Result<Ended> {
    let connection = std::os::unix::net::UnixStream::connect(socket)?;
    handover::send(&connection, &serde_json::to_string(&Call { ticket, cwd })?, files)?;
    let mut answer = String::new();
    io::BufReader::new(connection).read_line(&mut answer)?;
    Ok(serde_json::from_str(&answer)?)
}
