//! A shell in a pseudo-terminal, with the threads that read, write, and wait for it.
//!
//! Invariant: a shell has the user's environment, without anything by which Pilothouse is reached or controlled.

use crate::output::{Ended, Output};
use platform::process::{Mark, end_tree};
use platform::terminal::{self, Handle, Opened, Plan, Size};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// The variable by which the processes of a terminal are known.
const MARK: &str = "PILOTHOUSE_TERMINAL_ID";
/// Variables of Pilothouse and of its sessions.
const OWN_BEGIN: [&str; 2] = ["APP_", "PILOTHOUSE_"];
/// How processes learn what the page can show.
const ABILITIES: [(&str, &str); 2] = [("TERM", "xterm-256color"), ("COLORTERM", "truecolor")];

/// Inputs that wait for the program to read them. A request has one.
const INPUTS_WAITING_MAX: usize = 16;
/// Bytes read at once.
const READ_BYTES: usize = 16 * 1024;
/// Output is read at most this fast, so that a program that only writes leaves the processor to others.
const BURST_BYTES: usize = 256 * 1024;
const BURST: Duration = Duration::from_millis(20);
/// How long the end of the output is waited for after the end of the shell: a process may hold the terminal open.
const LAST_OUTPUT: Duration = Duration::from_millis(500);
/// How long processes may take to end before they are ended by force.
const GRACE: Duration = Duration::from_secs(1);

/// A running or ended shell.
pub(crate) struct Shell {
    pub(crate) output: Arc<Output>,
    input: mpsc::Sender<Vec<u8>>,
    handle: Arc<Handle>,
    mark: Mark,
}

/// The environment of a shell: this program's, without its own variables.
fn environment(own: impl Iterator<Item = (OsString, OsString)>, mark: &Mark) -> Vec<(OsString, OsString)> {
    let is_foreign = |name: &OsString| !OWN_BEGIN.iter().any(|start| terminal::starts_with(name, start));
    let added = ABILITIES.into_iter().chain([(mark.name.as_str(), mark.value.as_str())]);
    let added = added.map(|(name, value)| (name.into(), value.into()));
    own.filter(|(name, _)| is_foreign(name)).chain(added).collect()
}

impl Shell {
    /// Starts a program as the shell of a terminal with this id. Blocks shortly.
    pub(crate) fn start(id: &str, program: &Path, folder: &Path, size: Size) -> io::Result<Shell> {
        let mark = Mark { name: MARK.into(), value: id.to_owned() };
        let env = environment(std::env::vars_os(), &mark);
        let Opened { output: read, input: write, end, handle } = terminal::open(Plan { program, folder, env, size })?;
        let (output, handle) = (Output::new(), Arc::new(handle));
        let (input, typed) = mpsc::channel(INPUTS_WAITING_MAX);
        let (done, is_done) = channel();
        let shell = Shell { output: output.clone(), input, handle: handle.clone(), mark };
        let into = output.clone();
        let started = thread("terminal-output", move || pass_on(read, &into, &done))
            .and_then(|()| thread("terminal-input", move || type_in(write, typed)))
            .and_then(|()| {
                thread("terminal-end", move || {
                    let code = end.wait().ok();
                    handle.release();
                    wait_for_output(&is_done);
                    output.end(Ended::Exited(code));
                })
            });
        if let Err(why) = started {
            shell.end_processes();
            return Err(why);
        }
        Ok(shell)
    }

    /// Hands input to the program. Waits while it reads none.
    pub(crate) async fn write(&self, bytes: Vec<u8>, patience: Duration) -> Result<(), NotRead> {
        match tokio::time::timeout(patience, self.input.send(bytes)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(NotRead),
        }
    }

    /// Tells the program of another size.
    pub(crate) fn resize(&self, size: Size) -> io::Result<()> {
        self.handle.resize(size)
    }

    /// Ends the shell and everything that it started. Blocks until they are gone.
    pub(crate) fn close(&self) {
        // First: a shell that is closed didn't exit.
        self.output.end(Ended::Closed);
        self.end_processes();
    }

    fn end_processes(&self) {
        self.handle.hang_up();
        let left = end_tree(&self.mark, self.handle.root(), GRACE);
        if left > 0 {
            tracing::warn!("{left} processes of a closed terminal are still running");
        }
    }
}

/// The program didn't read its input in time.
#[derive(Debug)]
pub(crate) struct NotRead;

fn thread(name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name(name.into()).spawn(run).map(drop)
}

/// Reads output to its end.
fn pass_on(mut from: Box<dyn Read + Send>, into: &Output, done: &Sender<()>) {
    let mut buffer = vec![0; READ_BYTES];
    let (mut began, mut read_bytes) = (Instant::now(), 0);
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => {
                into.push(&buffer[..length]);
                read_bytes += length;
            }
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
        if read_bytes >= BURST_BYTES {
            std::thread::sleep(BURST.saturating_sub(began.elapsed()));
            (began, read_bytes) = (Instant::now(), 0);
        }
    }
    // Nobody waits anymore where the shell's end was reported first.
    let _ = done.send(());
}

fn wait_for_output(is_done: &Receiver<()>) {
    // An error means that it took too long, or that the thread is gone: both are an end.
    let _ = is_done.recv_timeout(LAST_OUTPUT);
}

/// Writes input until the terminal or the shell is gone.
fn type_in(mut into: Box<dyn Write + Send>, mut typed: mpsc::Receiver<Vec<u8>>) {
    while let Some(bytes) = typed.blocking_recv() {
        if into.write_all(&bytes).and_then(|()| into.flush()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_gets_no_variable_of_pilothouse() {
        let own = ["HOME=/home/ida", "APP_CLI_TOKEN=secret", "PILOTHOUSE_DATA_DIR=/data", "PATH=/bin", "APPLE=1"];
        let own = own.iter().map(|one| one.split_once('=').map(|(name, value)| (name.into(), value.into())).unwrap());
        let mark = Mark { name: MARK.into(), value: "t1".into() };
        let given = environment(own, &mark);
        let given: Vec<_> =
            given.iter().map(|(name, value)| format!("{}={}", name.display(), value.display())).collect();
        let wanted = [
            "HOME=/home/ida",
            "PATH=/bin",
            "APPLE=1",
            "TERM=xterm-256color",
            "COLORTERM=truecolor",
            "PILOTHOUSE_TERMINAL_ID=t1",
        ];
        assert_eq!(given, wanted);
    }
}
