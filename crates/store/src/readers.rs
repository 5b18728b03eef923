//! Connections that only read.

use crate::Statements;
use crate::driver::Reading;
use crate::errors::failed;
use crate::files::{beside, size};
use kit::error::{self, Result};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Reads that run at once; more wait their turn. Each holds one connection, and all are kept open.
const READERS_MAX: usize = 8;
/// Statements that each connection keeps prepared.
pub(crate) const STATEMENTS_KEPT_MAX: usize = 256;

/// A pool of reading connections.
pub(crate) struct Readers {
    file: PathBuf,
    busy: Duration,
    idle: Mutex<Vec<Connection>>,
    /// Nothing can be written here, not even SQLite's own shared memory: the file is read as one that never changes.
    /// Each read holds a share, so that nobody starts writing under it.
    frozen: RwLock<bool>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn new(file: &Path, busy: Duration) -> Self {
        Readers {
            file: file.to_owned(),
            busy,
            idle: Mutex::default(),
            frozen: RwLock::new(false),
            permits: Arc::new(Semaphore::new(READERS_MAX)),
        }
    }

    /// Waits for a turn to read.
    pub(crate) async fn turn(&self) -> tokio::sync::OwnedSemaphorePermit {
        self.permits.clone().acquire_owned().await.expect("never closed")
    }

    /// Runs a read on one state of the database. A connection that fails to begin or to end is closed, never kept.
    pub(crate) fn with<T>(&self, run: impl FnOnce(&dyn Statements) -> Result<T>) -> Result<T> {
        let frozen = self.frozen.read().expect("no panic while held for writing");
        let idle = self.idle.lock().expect("no panic while held").pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open(&self.file, self.busy, *frozen).map_err(cannot_read)?,
        };
        connection.execute_batch("BEGIN").map_err(failed)?;
        let outcome = run(&Reading(&connection));
        if connection.execute_batch("ROLLBACK").is_ok() {
            self.idle.lock().expect("no panic while held").push(connection);
        }
        outcome
    }

    /// A connection of the caller's own, outside of any transaction.
    pub(crate) fn connection(&self) -> Result<Connection> {
        let frozen = self.frozen.read().expect("no panic while held for writing");
        open(&self.file, self.busy, *frozen).map_err(cannot_read)
    }

    /// Finds out how the file can be read: beside a writer, or, where SQLite cannot make its shared memory and no
    /// change waits in the log, as a file that never changes.
    pub(crate) fn probe(&self) -> Result<Connection, rusqlite::Error> {
        match open(&self.file, self.busy, false) {
            Err(e) if crate::Reason::of(&e).is_some() && size(&beside(&self.file, "-wal")) == 0 => {
                let connection = open(&self.file, self.busy, true)?;
                *self.frozen.write().expect("no panic while held") = true;
                Ok(connection)
            }
            other => other,
        }
    }

    /// Runs what may begin to write. Where the file was read as one that never changes, no read is under way meanwhile.
    pub(crate) fn thaw<T, E>(&self, begin: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if !*self.frozen.read().expect("no panic while held for writing") {
            return begin();
        }
        let mut frozen = self.frozen.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let begun = begin()?;
        self.idle.lock().expect("no panic while held").clear();
        *frozen = false;
        Ok(begun)
    }
}

fn cannot_read(e: rusqlite::Error) -> kit::Error {
    match e.sqlite_error_code() {
        Some(rusqlite::ErrorCode::CannotOpen) => {
            error::INTERNAL.error("The database could not be opened for reading.").caused_by(e)
        }
        _ => failed(e),
    }
}

fn open(file: &Path, busy: Duration, frozen: bool) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = if frozen {
        Connection::open_with_flags(unchanging(file), flags | OpenFlags::SQLITE_OPEN_URI)?
    } else {
        Connection::open_with_flags(file, flags)?
    };
    connection.busy_timeout(busy)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT_MAX);
    // Opening reads nothing yet; this does, and so tells whether the file can be read.
    connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get::<_, i64>(0))?;
    Ok(connection)
}

/// The file's URI, saying that nobody changes it.
fn unchanging(file: &Path) -> String {
    let mut uri = "file:".to_owned();
    let path = file.to_string_lossy().replace('\\', "/");
    // A drive letter needs the slash that a path of Unix has.
    if path.as_bytes().get(1) == Some(&b':') {
        uri.push('/');
    }
    for c in path.chars() {
        match c {
            '%' => uri.push_str("%25"),
            '?' => uri.push_str("%3f"),
            '#' => uri.push_str("%23"),
            c => uri.push(c),
        }
    }
    uri + "?immutable=1"
}
