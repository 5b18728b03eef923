//! Programs that run beside this one, such as development servers: in a group of their own, with their output read here.

use crate::process::Root;
use futures_core::future::BoxFuture;
use process_wrap::tokio::{CommandWrap, KillOnDrop};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

/// What is started.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The program and its arguments.
    pub command: &'a [String],
    /// Its folder.
    pub folder: &'a Path,
    /// Its whole environment.
    pub env: Vec<(OsString, OsString)>,
}

/// A program that runs.
pub struct Started {
    /// Its process.
    pub pid: u32,
    /// The same, to end it with everything that it started.
    pub root: Option<Root>,
    /// Its input. Held open, because some programs end with it.
    pub input: Option<ChildStdin>,
    /// Its output.
    pub output: Option<ChildStdout>,
    /// Its errors.
    pub errors: Option<ChildStderr>,
    /// Its end, with the exit code; a signal counts as in shells. The program is killed if this is dropped before.
    pub exited: BoxFuture<'static, Option<i32>>,
}

/// The command that has the system's shell run a line.
pub fn shell_line(line: &str) -> Vec<String> {
    let shell = if cfg!(windows) { ["cmd", "/C"] } else { ["/bin/sh", "-c"] };
    shell.into_iter().chain([line]).map(str::to_owned).collect()
}

/// Starts a program.
pub fn start(plan: Plan<'_>) -> io::Result<Started> {
    let Some((program, arguments)) = plan.command.split_first() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the command is empty"));
    };
    let mut command = CommandWrap::with_new(program, |command: &mut Command| {
        command.args(arguments).env_clear().envs(plan.env).current_dir(plan.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    });
    command.wrap(KillOnDrop);
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessSession);
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    let mut child = command.spawn()?;
    let pid = child.id().ok_or_else(|| io::Error::other("the program has no process"))?;
    let (input, output, errors) = (child.stdin().take(), child.stdout().take(), child.stderr().take());
    // The wrapper's own waiting is for its whole group, which may outlive the program.
    #[cfg(unix)]
    let mut child = child.into_inner();
    let exited = Box::pin(async move { child.wait().await.ok().and_then(code) });
    Ok(Started { pid, root: Root::new(pid), input, output, errors, exited })
}

#[cfg(unix)]
fn code(status: std::process::ExitStatus) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt;
    status.code().or_else(|| Some(128 + status.signal()?))
}

#[cfg(not(unix))]
fn code(status: std::process::ExitStatus) -> Option<i32> {
    status.code()
}
