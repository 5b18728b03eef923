//! A sandbox for a process: files and folders that the operating system hides from it and from everything that it starts.
//!
//! Invariant: hidden files can be neither read nor changed from within, and the sandbox can't be removed from within.
//! Deliberately not here: which files to hide.

#[cfg(target_os = "linux")]
mod linux;

use std::path::PathBuf;
use std::process::Command;

/// The files and folders to hide from a process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// Absolute paths; all below them is meant. A folder can be neither listed nor entered, and a file is empty; neither can be
    /// changed. What is not there when the process starts is not covered.
    pub denied: Vec<PathBuf>,
    /// Folders that stay open though they lie below a denied one, absolute. Also services of the user that stay reachable: all others
    /// of [`services`] are closed.
    pub open: Vec<PathBuf>,
    /// The folder that the process works in, absolute; it stays open too.
    pub cwd: PathBuf,
}

impl Sandbox {
    /// Makes the command start in the sandbox. The process then has no more rights than the user, even if root runs it, and can't get
    /// any.
    #[cfg(target_os = "linux")]
    pub fn apply(&self, command: &mut Command) -> std::io::Result<()> {
        linux::apply(self, command)
    }

    /// Unsupported: this system has no sandbox yet.
    #[cfg(not(target_os = "linux"))]
    pub fn apply(&self, _: &mut Command) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }
}

/// Whether sandboxes work on this system; otherwise why not, in a sentence. Tried once.
pub fn available() -> Result<(), String> {
    static TRIED: std::sync::OnceLock<Result<(), String>> = std::sync::OnceLock::new();
    TRIED.get_or_init(tried).clone()
}

/// Sockets of the user's services that start programs or hold keys. A sandbox that denies anything closes them.
pub fn services() -> Vec<PathBuf> {
    #[cfg(target_os = "linux")]
    return linux::services();
    #[cfg(not(target_os = "linux"))]
    Vec::new()
}

/// Whether a sandboxed process can't send signals to processes outside, which could end them.
pub fn refuses_signals() -> bool {
    #[cfg(target_os = "linux")]
    return linux::refuses_signals();
    #[cfg(not(target_os = "linux"))]
    false
}

#[cfg(target_os = "linux")]
fn tried() -> Result<(), String> {
    linux::try_out().map_err(|error| {
        format!(
            "The system doesn't allow user namespaces ({error}). An administrator can allow them, or the configuration of the \
             container."
        )
    })
}

#[cfg(not(target_os = "linux"))]
fn tried() -> Result<(), String> {
    Err("The sandbox is available on Linux only.".into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
