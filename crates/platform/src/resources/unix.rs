//! macOS lowers the priority of sessions. Linux limits nothing: what the specification limits to other systems has no
//! effect there.

use super::{CpuTimes, Hold, Machine, Priority, Share, unsupported};
use std::io;
use std::path::Path;

/// The niceness of a session with low priority.
#[cfg(target_os = "macos")]
const LOW_NICE: &str = "5";

/// The process tree of a session, which leads a process group of its own.
pub(super) struct Tree(u32);

impl Tree {
    pub(super) fn new(pid: u32) -> Tree {
        Tree(pid)
    }

    pub(super) fn pid(&self) -> u32 {
        self.0
    }

    /// Lowers the priority of the group; processes that it starts inherit that. The system lets only the administrator
    /// raise it again, so a lowered session stays so until its process is started again.
    #[cfg(target_os = "macos")]
    pub(super) fn set_share(&self, share: &Share) -> io::Result<()> {
        let group = self.0.to_string();
        if share.priority == Priority::BelowNormal {
            run("/usr/bin/renice", &["-n", LOW_NICE, "-g", &group])?;
        }
        let listed = run("/usr/bin/pgrep", &["-g", &group])?;
        for pid in listed.split_whitespace() {
            run("/usr/sbin/taskpolicy", &[if share.is_set_back { "-b" } else { "-B" }, "-p", pid])?;
        }
        Ok(())
    }

    #[cfg(not(target_os = "macos"))]
    pub(super) fn set_share(&self, share: &Share) -> io::Result<()> {
        if *share == Share::default() { Ok(()) } else { Err(unsupported()) }
    }

    pub(super) fn trim_memory(&self) -> io::Result<()> {
        Err(unsupported())
    }
}

pub(super) fn machine() -> Machine {
    Machine::default()
}

pub(super) fn cpu_times() -> Option<CpuTimes> {
    None
}

pub(super) fn set_own_priority(priority: Priority) -> io::Result<()> {
    if priority == Priority::Normal { Ok(()) } else { Err(unsupported()) }
}

pub(super) fn keep_resident(_file: &Path, _bytes_max: u64) -> io::Result<Hold> {
    Err(unsupported())
}

/// Runs one of the system's programs.
#[cfg(target_os = "macos")]
fn run(program: &str, arguments: &[&str]) -> io::Result<String> {
    let done = std::process::Command::new(program).args(arguments).stdin(std::process::Stdio::null()).output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if done.status.success() { Ok(text(&done.stdout)) } else { Err(io::Error::other(text(&done.stderr))) }
}
