//! Pseudo-terminals: a program that believes that a person sits in front of it.
//!
//! Invariant: reading and writing block, so that what is slow slows the program down and nothing is lost.

use crate::process::Root;
use portable_pty::{Child, ChildKiller, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// The size of a terminal in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Size {
    pub columns: u16,
    pub rows: u16,
}

impl From<Size> for PtySize {
    fn from(size: Size) -> PtySize {
        PtySize { rows: size.rows, cols: size.columns, pixel_width: 0, pixel_height: 0 }
    }
}

/// The user's shell: the one that the environment names, else the one that every system has.
pub fn shell() -> PathBuf {
    let (variable, other) = if cfg!(windows) { ("COMSPEC", "cmd.exe") } else { ("SHELL", "/bin/sh") };
    std::env::var_os(variable).map(PathBuf::from).filter(|shell| shell.is_absolute()).unwrap_or_else(|| other.into())
}

/// What is started in a terminal.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The program, without arguments.
    pub program: &'a Path,
    /// Its folder.
    pub folder: &'a Path,
    /// Its whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// The size at the start.
    pub size: Size,
}

/// A terminal whose program runs, in parts: each is used by a thread of its own.
pub struct Opened {
    /// Everything that the program writes, to its end.
    pub output: Box<dyn Read + Send>,
    /// What the person types.
    pub input: Box<dyn Write + Send>,
    /// The end of the program.
    pub end: End,
    /// Everything else.
    pub handle: Handle,
}

/// Waits for the end of a terminal's program.
pub struct End {
    child: Box<dyn Child + Send + Sync>,
    was_waited_for: Arc<AtomicBool>,
}

impl End {
    /// Waits; the program's exit code.
    pub fn wait(mut self) -> io::Result<u32> {
        let status = self.child.wait();
        self.was_waited_for.store(true, Ordering::SeqCst);
        Ok(status?.exit_code())
    }
}

/// Resizes a terminal and hangs it up.
pub struct Handle {
    root: Option<Root>,
    /// Afterwards the number of the process may be another's.
    was_waited_for: Arc<AtomicBool>,
    master: Mutex<Option<Box<dyn MasterPty + Send>>>,
    killer: Mutex<Box<dyn ChildKiller + Send + Sync>>,
}

impl Handle {
    /// Tells the program of another size.
    pub fn resize(&self, size: Size) -> io::Result<()> {
        match &*self.master.lock().expect("the lock isn't poisoned") {
            Some(master) => master.resize(size.into()).map_err(io::Error::other),
            None => Ok(()),
        }
    }

    /// Tells the program that its terminal is gone. Interactive shells pass that on to their jobs; they ignore other requests
    /// to end.
    pub fn hang_up(&self) {
        if !self.was_waited_for.load(Ordering::SeqCst) {
            let _ = self.killer.lock().expect("the lock isn't poisoned").kill();
        }
    }

    /// The program's process, until it was waited for.
    pub fn root(&self) -> Option<Root> {
        self.root.filter(|_| !self.was_waited_for.load(Ordering::SeqCst))
    }

    /// Releases the terminal of a program that has ended, so that reading comes to an end on every system.
    pub fn release(&self) {
        drop(self.master.lock().expect("the lock isn't poisoned").take());
    }
}

/// Opens a terminal and starts a program in it.
pub fn open(plan: Plan<'_>) -> io::Result<Opened> {
    // The terminal can't tell afterwards: its program is started without a way to report.
    if !crate::is_program(plan.program) {
        return Err(io::Error::new(io::ErrorKind::NotFound, format!("{} isn't a program", plan.program.display())));
    }
    let pair = native_pty_system().openpty(plan.size.into()).map_err(io::Error::other)?;
    let mut command = CommandBuilder::new(plan.program);
    command.cwd(plan.folder);
    command.env_clear();
    for (name, value) in plan.env {
        command.env(name, value);
    }
    let output = pair.master.try_clone_reader().map_err(io::Error::other)?;
    let input = pair.master.take_writer().map_err(io::Error::other)?;
    let child = pair.slave.spawn_command(command).map_err(io::Error::other)?;
    let was_waited_for = Arc::new(AtomicBool::new(false));
    let handle = Handle {
        root: child.process_id().and_then(Root::new),
        was_waited_for: was_waited_for.clone(),
        master: Mutex::new(Some(pair.master)),
        killer: Mutex::new(child.clone_killer()),
    };
    Ok(Opened { output, input, end: End { child, was_waited_for }, handle })
}

/// Whether a variable of the environment starts with this, in upper or lower case where the system doesn't tell them apart.
pub fn starts_with(name: &OsStr, start: &str) -> bool {
    let name = name.as_encoded_bytes();
    match name.get(..start.len()) {
        Some(first) if cfg!(windows) => first.eq_ignore_ascii_case(start.as_bytes()),
        Some(first) => first == start.as_bytes(),
        None => false,
    }
}
