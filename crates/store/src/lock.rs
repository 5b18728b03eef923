//! One program to a data directory.
//!
//! The lock belongs to the program: a second handle of the same program shares it, and the system lets go of it when the
//! program ends, however it ends. The file stays; only the lock on it counts.

use crate::errors::{DATABASE_LOCKED, not_writable};
use crate::files;
use kit::error::Result;
use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const NAME: &str = "pilothouse.lock";
const BETWEEN_TRIES: Duration = Duration::from_millis(20);
/// Longest process id that is read from a lock file, in bytes.
const PID_BYTES_MAX: u64 = 20;

/// The folders that this program holds, with the number of handles on each.
static HELD: Mutex<BTreeMap<PathBuf, (File, usize)>> = Mutex::new(BTreeMap::new());

/// A share in this program's hold on a folder.
pub(crate) struct Lock {
    folder: PathBuf,
}

/// Another program that holds a folder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Holder {
    /// The one with this process id.
    Process(u32),
    /// It could not write its id on a full disk, or the system lets nobody read a file that is locked.
    Unknown,
}

/// The other program that holds the folder, where one does.
pub fn holder(folder: &Path) -> Option<Holder> {
    let mut file = File::open(folder.join(NAME)).ok()?;
    match Lock::try_take(folder) {
        Err(e) if e.is(&DATABASE_LOCKED) => Some(pid_in(&mut file).map_or(Holder::Unknown, Holder::Process)),
        _ => None,
    }
}

impl Lock {
    /// Takes the folder; `None` where nothing can be written there, so that nothing needs guarding. A program that is just
    /// ending, as one does that starts itself again, is waited for as long as `patience` and `waits` say.
    pub(crate) fn take(folder: &Path, patience: Duration, waits: &dyn Fn() -> bool) -> Result<Option<Lock>> {
        let from = Instant::now();
        loop {
            match Self::try_take(folder) {
                Err(e) if e.is(&DATABASE_LOCKED) && from.elapsed() < patience && waits() => {
                    std::thread::sleep(BETWEEN_TRIES)
                }
                taken => return taken,
            }
        }
    }

    fn try_take(folder: &Path) -> Result<Option<Lock>> {
        let folder = folder.canonicalize().map_err(|e| not_writable(folder, "Opening the folder", e))?;
        let mut held = HELD.lock().expect("the lock isn't poisoned");
        if let Some((_, handles)) = held.get_mut(&folder) {
            *handles += 1;
            return Ok(Some(Lock { folder }));
        }
        let path = folder.join(NAME);
        let Ok(mut file) = files::open_private(&path).or_else(|_| File::open(&path)) else { return Ok(None) };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(held_by_another(&folder, &mut file)),
            Err(TryLockError::Error(e)) => return Err(not_writable(&path, "Locking", e)),
        }
        // Over what stands there, since a full disk has no other room. Where it is missing, the lock holds all the same.
        let id = std::process::id().to_string();
        let _ = file.write_all(id.as_bytes()).and_then(|()| file.set_len(id.len() as u64));
        held.insert(folder.clone(), (file, 1));
        Ok(Some(Lock { folder }))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let mut held = HELD.lock().expect("the lock isn't poisoned");
        let Some((file, handles)) = held.get_mut(&self.folder) else { return };
        *handles -= 1;
        if *handles == 0 {
            // Said aloud, because a process being started may for an instant have inherited the open file.
            let _ = file.unlock();
            held.remove(&self.folder);
        }
    }
}

fn held_by_another(folder: &Path, file: &mut File) -> kit::Error {
    let who = pid_in(file).map_or("another process".to_owned(), |pid| format!("process {pid}"));
    DATABASE_LOCKED.error(format!(
        "The data directory {} is in use by {who}. Close that program, or start this one with another data directory.",
        folder.display()
    ))
}

fn pid_in(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().and_then(|()| file.take(PID_BYTES_MAX).read_to_string(&mut text)).ok()?;
    text.trim().parse().ok()
}
