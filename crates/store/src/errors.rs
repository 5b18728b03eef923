//! What can go wrong with a database, each with its cause and its remedy.

use kit::error::{self, Error, Result};
use rusqlite::{ErrorCode, ffi};
use std::fmt;
use std::io::{self, ErrorKind};
use std::path::Path;

kit::error_codes! {
    DATABASE_DAMAGED = 500 "database-damaged" "Database damaged" : "The database file fails its check, or isn't a database. Run `pilothouse restore`; it puts a backup in place and sets the damaged file aside. The detail names both.";
    DATABASE_NEWER = 500 "database-newer" "Database of a newer version" : "A newer version of Pilothouse made the database. Nothing was changed. Start that version, or restore a backup from before the update.";
    DATABASE_LOCKED = 503 "database-locked" "Database in use" : "Another program, or a second Pilothouse, is using the database. Close it and try again. The detail names it if known.";
    DATA_DIR_NOT_WRITABLE = 503 "data-dir-not-writable" "Can't write the data directory" : "The data directory can't be created or written. Check its permissions and its disk, or choose another with --data-dir.";
    PROGRAM_ENDING = 503 "program-ending" "Pilothouse is quitting" : "Pilothouse quit while the request waited. Nothing was changed. Send it again once Pilothouse is running.";
    BACKUP_NOT_USABLE = 422 "backup-not-usable" "Not a backup" : "The file is missing, damaged, or not a Pilothouse database. Nothing was changed. Choose another.";
}

/// Why the database takes no changes for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The disk that it is on has no space left.
    DiskFull,
    /// Its folder or its files cannot be written.
    NotWritable,
    /// The file is no longer where it was: what would be written is lost with it.
    Gone,
    /// The check that ran after the start found damage.
    Damaged,
}

/// What the system says of a file where nothing can be written, and what it means.
const HINDRANCES: [(ErrorKind, Reason); 4] = [
    (ErrorKind::StorageFull, Reason::DiskFull),
    (ErrorKind::QuotaExceeded, Reason::DiskFull),
    (ErrorKind::FileTooLarge, Reason::NotWritable),
    (ErrorKind::ReadOnlyFilesystem, Reason::NotWritable),
];

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::DiskFull => "The disk is full, so you can read only. Free some space and try again.",
            Reason::NotWritable => {
                "The data directory cannot be written: reading works, changes are refused. Check the permissions of the data \
                 directory and that its disk is neither full nor mounted read-only, then try again."
            }
            Reason::Gone => {
                "The data directory, or the file of the database in it, was moved or deleted while the program runs: what it \
                 holds is still shown, changes are refused. Put it back, or stop the program and start it again."
            }
            Reason::Damaged => {
                "The database is damaged: what can be read is shown, changes are refused. Stop the program and run \
                 `pilothouse restore`."
            }
        })
    }
}

impl Reason {
    /// The refusal of something else than a change for this reason; `undone` says in a sentence what.
    pub fn hindering(self, undone: &str) -> Error {
        error::READ_ONLY.error(format!("{undone} {self}"))
    }

    /// The refusal of a change for this reason.
    pub fn error(self) -> Error {
        error::READ_ONLY.error(self.to_string())
    }

    /// The reason behind a failure to write a file of ours, where it is one that hinders all writing: no space is left, or
    /// the system allows this user or this program no more.
    pub fn behind(e: &io::Error) -> Option<Reason> {
        HINDRANCES.iter().find(|(kind, _)| *kind == e.kind()).map(|(_, reason)| *reason)
    }

    /// The same for a library that panics where a file of ours cannot be written: such a panic shows the failure.
    pub fn behind_panic(panic: &(dyn std::any::Any + Send)) -> Option<Reason> {
        let said = message(panic)?;
        HINDRANCES.iter().find(|(kind, _)| said.contains(&format!("{kind:?}"))).map(|(_, reason)| *reason)
    }

    /// The reason behind a failure of the database, where it is one of not being able to write.
    pub(crate) fn from_sqlite(e: &rusqlite::Error) -> Option<Reason> {
        match (e.sqlite_error_code()?, e.sqlite_error()?.extended_code) {
            (ErrorCode::DiskFull, _) => Some(Reason::DiskFull),
            (ErrorCode::ReadOnly | ErrorCode::CannotOpen, _) => Some(Reason::NotWritable),
            (
                ErrorCode::SystemIoFailure,
                ffi::SQLITE_IOERR_WRITE
                | ffi::SQLITE_IOERR_FSYNC
                | ffi::SQLITE_IOERR_DIR_FSYNC
                | ffi::SQLITE_IOERR_TRUNCATE
                | ffi::SQLITE_IOERR_DELETE
                | ffi::SQLITE_IOERR_SHMOPEN
                | ffi::SQLITE_IOERR_SHMSIZE
                | ffi::SQLITE_IOERR_SHMMAP,
            ) => Some(Reason::NotWritable),
            _ => None,
        }
    }
}

/// What it means for the caller that a file of ours could not be written. `undone` says in a sentence what was not done.
pub fn unwritten(undone: &str, e: io::Error) -> Error {
    // What a file is made in is there as long as the data directory is.
    let gone = (e.kind() == ErrorKind::NotFound).then_some(Reason::Gone);
    match Reason::behind(&e).or(gone) {
        Some(reason) => reason.hindering(undone),
        None => error::INTERNAL.error(undone),
    }
    .caused_by(e)
}

/// What a failure of the database means for the caller.
pub(crate) fn failed(e: rusqlite::Error) -> Error {
    if let Some(reason) = Reason::from_sqlite(&e) {
        return reason.error().caused_by(e);
    }
    match e.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => locked().caused_by(e),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => DATABASE_DAMAGED
            .error("The database is damaged. Nothing was changed. Quit Pilothouse and run `pilothouse restore`.")
            .caused_by(e),
        _ => error::INTERNAL.error("The database rejected a statement. Nothing was changed.").caused_by(e),
    }
}

/// Seconds to wait before trying a locked database again.
const LOCKED_RETRY_S: u32 = 5;

fn locked() -> Error {
    DATABASE_LOCKED
        .error("Another program is writing to the database and didn't finish in time. Nothing was changed.")
        .retry_after(LOCKED_RETRY_S)
}

/// The same error once more: several writes share one commit, and each is told why it failed.
pub(crate) fn again(e: &Error) -> Error {
    let copy = e.code().error(e.detail());
    match e.retry_after_s() {
        Some(seconds) => copy.retry_after(seconds),
        None => copy,
    }
}

/// A file or folder that could not be made or written.
pub(crate) fn not_writable(path: &Path, doing: &str, e: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    let e = e.into();
    DATA_DIR_NOT_WRITABLE.error(format!("{doing} {} failed: {e}.", path.display())).caused_by(e)
}

/// A database that a newer version of the program has used; `by` says how that shows.
pub(crate) fn newer(file: &Path, by: &str) -> Error {
    DATABASE_NEWER.error(format!(
        "The database {} was last used by a newer version of the program ({by}). \
         Nothing was changed: start that version, or restore a backup from before the update.",
        file.display()
    ))
}

/// A damaged database: which file, what was found, and what there is to go back to.
pub(crate) fn damaged(file: &Path, finding: &str, backups: &[std::path::PathBuf]) -> Error {
    let remedy = match backups {
        [] => "There is no backup. A copy of the file may still be readable with SQLite's `.recover`.".into(),
        [newest, ..] => format!(
            "`pilothouse restore` puts the newest of {} backups ({}) in place and sets the damaged file aside.",
            backups.len(),
            newest.display()
        ),
    };
    let names: Vec<String> = backups.iter().map(|b| b.display().to_string()).collect();
    DATABASE_DAMAGED
        .error(format!("The database {} is damaged ({finding}). {remedy}", file.display()))
        .with("file", file.display().to_string())
        .with("backups", names)
}

/// The outcome, with a panic inside turned into an error of ours.
pub(crate) fn caught<T>(run: impl FnOnce() -> Result<T>) -> Result<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let said = message(&*panic).unwrap_or("no message").to_owned();
        tracing::error!(panic = said, "a write panicked and was rolled back");
        Err(error::INTERNAL.error("Pilothouse has a bug. Nothing was changed.").caused_by(said))
    })
}

fn message(panic: &(dyn std::any::Any + Send)) -> Option<&str> {
    panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str))
}
