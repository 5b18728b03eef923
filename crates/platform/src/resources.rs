//! What processes may use of the machine: CPU, memory, disk, processes; and keeping the machine awake.
//!
//! Invariants: a limit only holds the processes of sessions, never other programs; nothing that a limit does outlives
//! the program, because the system ends it with the program's handles (Windows) or with the session (macOS).
//! Deliberately not here: when to limit what, which the feature `resources` decides.

mod awake;
#[cfg(not(windows))]
mod unix;
#[cfg(windows)]
mod windows;

use futures_core::future::BoxFuture;
use process_wrap::tokio::CommandWrap;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(not(windows))]
use unix as os;
#[cfg(windows)]
use windows as os;
#[cfg(windows)]
pub(crate) use windows::memory_used_percent;

/// A priority of processes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Priority {
    /// Below other programs.
    BelowNormal,
    /// As other programs.
    #[default]
    Normal,
    /// Above other programs.
    AboveNormal,
}

/// What the processes of a session may use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// Their CPU priority.
    pub priority: Priority,
    /// Whether something more important runs for a while. Windows gives them low priority meanwhile; macOS treats them
    /// as background work, because it doesn't let a priority be raised again.
    pub is_set_back: bool,
    /// Whether their disk operations wait for those of other programs.
    pub low_disk_priority: bool,
    /// Whether the system takes memory from them first.
    pub low_memory_priority: bool,
    /// How many there may be at once; `None` for any number.
    pub processes_max: Option<u32>,
    /// The processor cores they may run on, a bit for each; `None` for all.
    pub cores: Option<u64>,
}

/// The share of the CPU that all sessions may use together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CpuCap {
    /// In percent of all cores.
    pub percent: u8,
    /// Whether it also holds while no other program needs the CPU.
    pub is_hard: bool,
}

/// What the machine has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Machine {
    /// Its memory, in bytes; 0 if the system doesn't tell.
    pub memory_bytes: u64,
    /// Its fast cores, a bit for each.
    pub performance_cores: u64,
    /// Its slow, economical cores, a bit for each; 0 if all cores are the same.
    pub efficiency_cores: u64,
}

impl Machine {
    /// Whether it has fast and economical cores.
    pub fn is_hybrid(&self) -> bool {
        self.performance_cores != 0 && self.efficiency_cores != 0
    }
}

/// CPU time of all cores together since the machine started, in any unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CpuTimes {
    /// Time in use.
    pub busy: u64,
    /// All time.
    pub total: u64,
}

/// Something that holds until it's dropped.
pub type Hold = Box<dyn Send + Sync>;

/// Controls what processes use. Tests provide one that records the calls.
pub trait Resources: Send + Sync {
    /// What the machine has.
    fn machine(&self) -> Machine;
    /// Sessions with processes.
    fn sessions(&self) -> Vec<String>;
    /// The CPU time so far; `None` if the system doesn't tell.
    fn cpu_times(&self) -> Option<CpuTimes>;
    /// The share of memory in use, in percent; `None` if the system doesn't tell.
    fn memory_used_percent(&self) -> Option<f64>;
    /// Caps the CPU use of all sessions together.
    fn set_cpu_cap(&self, cap: Option<CpuCap>) -> io::Result<()>;
    /// Sets what a session's processes may use. Does nothing for one that has no process.
    fn set_share(&self, session: &str, share: &Share) -> io::Result<()>;
    /// Asks the session's processes to give back memory that they don't need now.
    fn trim_memory(&self, session: &str) -> io::Result<()>;
    /// Sets the priority of this program itself.
    fn set_own_priority(&self, priority: Priority) -> io::Result<()>;
    /// Keeps a file in memory, at most the first `bytes_max` of it.
    fn keep_resident(&self, file: &Path, bytes_max: u64) -> io::Result<Hold>;
    /// Keeps the machine from sleeping; its display may turn off.
    fn keep_awake(&self) -> BoxFuture<'static, io::Result<Hold>>;
}

/// The process trees of sessions, each from its first process.
#[derive(Clone, Default)]
pub struct Trees {
    running: Arc<Mutex<BTreeMap<String, os::Tree>>>,
    #[cfg(windows)]
    all: Arc<windows::AllSessions>,
}

/// A running tree. It's forgotten when this is dropped.
pub struct Running {
    trees: Trees,
    session: String,
    pid: u32,
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut running = self.trees.lock();
        // A session that was started again has another process by now.
        if running.get(&self.session).is_some_and(|tree| tree.pid() == self.pid) {
            running.remove(&self.session);
        }
    }
}

impl Trees {
    /// Prepares a command, before any other wrapper of it: where the system limits groups of processes, its process
    /// belongs to its group before it runs.
    pub fn prepare(&self, command: &mut CommandWrap, session: &str) {
        #[cfg(windows)]
        command.wrap(windows::JoinJob { trees: self.clone(), session: session.to_owned() });
        #[cfg(not(windows))]
        let _ = (command, session);
    }

    /// Takes in a session's first process, which was started with a prepared command.
    pub fn started(&self, session: &str, pid: u32) -> Running {
        #[cfg(not(windows))]
        self.lock().insert(session.to_owned(), os::Tree::new(pid));
        Running { trees: self.clone(), session: session.to_owned(), pid }
    }

    /// Sessions with processes.
    pub fn sessions(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, os::Tree>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The machine that the program runs on.
pub struct Here(pub Trees);

impl Resources for Here {
    fn machine(&self) -> Machine {
        os::machine()
    }
    fn sessions(&self) -> Vec<String> {
        self.0.sessions()
    }
    fn cpu_times(&self) -> Option<CpuTimes> {
        os::cpu_times()
    }
    fn memory_used_percent(&self) -> Option<f64> {
        crate::memory_used_percent()
    }
    fn set_cpu_cap(&self, cap: Option<CpuCap>) -> io::Result<()> {
        #[cfg(windows)]
        return self.0.all.set_cap(cap);
        #[cfg(not(windows))]
        if cap.is_none() { Ok(()) } else { Err(unsupported()) }
    }
    fn set_share(&self, session: &str, share: &Share) -> io::Result<()> {
        match self.0.lock().get(session) {
            Some(tree) => tree.set_share(share),
            None => Ok(()),
        }
    }
    fn trim_memory(&self, session: &str) -> io::Result<()> {
        match self.0.lock().get(session) {
            Some(tree) => tree.trim_memory(),
            None => Ok(()),
        }
    }
    fn set_own_priority(&self, priority: Priority) -> io::Result<()> {
        os::set_own_priority(priority)
    }
    fn keep_resident(&self, file: &Path, bytes_max: u64) -> io::Result<Hold> {
        os::keep_resident(file, bytes_max)
    }
    fn keep_awake(&self) -> BoxFuture<'static, io::Result<Hold>> {
        Box::pin(awake::keep_awake())
    }
}

#[cfg(not(windows))]
fn unsupported() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "this system doesn't limit it")
}
