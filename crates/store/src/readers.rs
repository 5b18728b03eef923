//! Connections that only read.

use crate::driver::{self, Reading};
use crate::errors::{Reason, failed};
use crate::files::{beside, size};
use crate::tx::Statements;
use kit::error::{self, Result};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Reads that run at once; more wait their turn. Each holds one connection, and all are kept open.
const READERS_MAX: usize = 8;

/// How the file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// Beside a writer, through SQLite's shared memory.
    Shared,
    /// Nothing can be written, not even the shared memory, and no change waits in the log: as a file that never changes.
    Unchanging,
    /// The same with changes in the log: each connection finds its way in the log by itself.
    OwnIndex,
}

/// A pool of reading connections.
pub(crate) struct Readers {
    file: PathBuf,
    busy: Duration,
    idle: Mutex<Vec<Connection>>,
    /// Each read holds a share, so that nobody starts writing under one that relies on nobody writing.
    access: RwLock<Access>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn new(file: &Path, busy: Duration) -> Self {
        Readers {
            file: file.to_owned(),
            busy,
            idle: Mutex::default(),
            access: RwLock::new(Access::Shared),
            permits: Arc::new(Semaphore::new(READERS_MAX)),
        }
    }

    /// The database's file.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// Waits for a turn to read.
    pub(crate) async fn turn(&self) -> tokio::sync::OwnedSemaphorePermit {
        self.permits.clone().acquire_owned().await.expect("never closed")
    }

    /// Runs a read on one state of the database. A connection that fails to begin or to end is closed, never kept.
    pub(crate) fn with<T>(&self, run: impl FnOnce(&dyn Statements) -> Result<T>) -> Result<T> {
        let access = self.access.read().expect("the lock isn't poisoned for writing");
        let idle = self.idle.lock().expect("the lock isn't poisoned").pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open(&self.file, self.busy, *access).map_err(cannot_read)?,
        };
        connection.execute_batch("BEGIN").map_err(failed)?;
        let outcome = run(&Reading(&connection));
        if connection.execute_batch("ROLLBACK").is_ok() {
            self.idle.lock().expect("the lock isn't poisoned").push(connection);
        }
        outcome
    }

    /// Closes the connections that no read is using.
    pub(crate) fn close_idle(&self) {
        self.idle.lock().expect("the lock isn't poisoned").clear();
    }

    /// Runs something on a connection of its own, outside of any transaction.
    pub(crate) fn apart<T>(&self, run: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let access = self.access.read().expect("the lock isn't poisoned for writing");
        run(&open(&self.file, self.busy, *access).map_err(cannot_read)?)
    }

    /// Finds out how the file can be read, and opens it so.
    pub(crate) fn probe(&self) -> Result<Connection, rusqlite::Error> {
        match open(&self.file, self.busy, Access::Shared) {
            Err(e) if Reason::from_sqlite(&e).is_some() => {
                let waiting = size(&beside(&self.file, "-wal")) > 0;
                let access = if waiting { Access::OwnIndex } else { Access::Unchanging };
                let connection = open(&self.file, self.busy, access)?;
                *self.access.write().expect("the lock isn't poisoned") = access;
                Ok(connection)
            }
            other => other,
        }
    }

    /// Runs what may begin to write. Where reads rely on nobody writing, none is under way meanwhile.
    pub(crate) fn thaw<T, E>(&self, begin: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        if *self.access.read().expect("the lock isn't poisoned for writing") == Access::Shared {
            return begin();
        }
        let mut access = self.access.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        // Connections of one program share what they know of the shared memory: none may be left that knows it as closed.
        self.close_idle();
        let begun = begin()?;
        *access = Access::Shared;
        Ok(begun)
    }
}

fn cannot_read(e: rusqlite::Error) -> kit::Error {
    match e.sqlite_error_code() {
        Some(rusqlite::ErrorCode::CannotOpen) => error::INTERNAL.error("Couldn't open the database.").caused_by(e),
        _ => failed(e),
    }
}

fn open(file: &Path, busy: Duration, access: Access) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let uri = flags | OpenFlags::SQLITE_OPEN_URI;
    let connection = match access {
        Access::Shared => Connection::open_with_flags(file, flags)?,
        Access::Unchanging => Connection::open_with_flags(uri_of(file, "immutable=1"), uri)?,
        Access::OwnIndex => Connection::open_with_flags(uri_of(file, "readonly_shm=1"), uri)?,
    };
    driver::settle(&connection, busy)?;
    // Opening reads nothing yet; this does, and so tells whether the file can be read.
    connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get::<_, i64>(0))?;
    Ok(connection)
}

fn uri_of(file: &Path, option: &str) -> String {
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
    uri + "?" + option
}
