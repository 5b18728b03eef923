//! The driver of the embedded database.

use crate::value::{Cell, Row, Value};
use crate::{Job, Ran, Statements, Tx, WRITES_PER_COMMIT_MAX};
use kit::error::{self, Error, Result};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, ToSql};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use tokio::sync::mpsc;

/// Readers kept open; more are opened when needed and closed after.
const READERS_KEPT_MAX: usize = 4;
const BUSY_MS: u64 = 5_000;

/// Opens the writing connection: WAL, every commit synced.
pub(crate) fn open(file: &Path) -> Result<Connection> {
    let connection = Connection::open(file).map_err(failed)?;
    connection.busy_timeout(std::time::Duration::from_millis(BUSY_MS)).map_err(failed)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
    connection.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
    connection.set_prepared_statement_cache_capacity(256);
    Ok(connection)
}

/// A pool of reading connections.
pub(crate) struct Readers {
    file: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(crate) fn new(file: &Path) -> Self {
        Readers { file: file.to_owned(), idle: Mutex::default() }
    }

    pub(crate) fn with<T>(&self, run: impl FnOnce(&dyn Statements) -> Result<T>) -> Result<T> {
        let idle = self.idle.lock().expect("no panic while held").pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.open()?,
        };
        connection.execute_batch("BEGIN").map_err(failed)?;
        let outcome = run(&connection);
        connection.execute_batch("ROLLBACK").map_err(failed)?;
        let mut idle = self.idle.lock().expect("no panic while held");
        if idle.len() < READERS_KEPT_MAX {
            idle.push(connection);
        }
        outcome
    }

    fn open(&self) -> Result<Connection> {
        let connection = Connection::open_with_flags(&self.file, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(failed)?;
        connection.busy_timeout(std::time::Duration::from_millis(BUSY_MS)).map_err(failed)?;
        connection.set_prepared_statement_cache_capacity(256);
        Ok(connection)
    }
}

/// Runs the writes, many to a commit when many wait. Ends when every handle is gone.
pub(crate) fn spawn_writer(connection: Connection, mut jobs: mpsc::Receiver<Job>) {
    let run = move || {
        while let Some(first) = jobs.blocking_recv() {
            let mut batch = vec![first];
            while batch.len() < WRITES_PER_COMMIT_MAX
                && let Ok(next) = jobs.try_recv()
            {
                batch.push(next);
            }
            commit_together(&connection, batch);
        }
    };
    std::thread::Builder::new().name("store-writer".into()).spawn(run).expect("a thread can be started");
}

fn commit_together(connection: &Connection, batch: Vec<Job>) {
    let mut kept = Vec::with_capacity(batch.len());
    let begun = connection.execute_batch("BEGIN IMMEDIATE").map_err(failed);
    for job in batch {
        // A savepoint for each, so that one refused write takes nothing of its neighbours with it.
        let within = begun.as_ref().map_or(false, |()| connection.execute_batch("SAVEPOINT job").is_ok());
        let Ran { keep, deliver } = job(&mut Tx { driver: connection, after_commit: Vec::new() });
        let ended = if keep { "RELEASE job" } else { "ROLLBACK TO job; RELEASE job" };
        if within && connection.execute_batch(ended).is_ok() {
            kept.push(deliver);
        } else {
            deliver(Err(error::INTERNAL.error("The database took no transaction; nothing was changed.")));
        }
    }
    let committed = connection.execute_batch("COMMIT").map_err(failed);
    if committed.is_err() {
        let _ = connection.execute_batch("ROLLBACK");
    }
    for deliver in kept {
        deliver(match &committed {
            Ok(()) => Ok(()),
            Err(e) => Err(e.code().error(e.detail())),
        });
    }
}

impl Statements for Connection {
    fn query(&self, sql: &str, params: &[Value], row: &mut dyn FnMut(&dyn Row) -> Result<()>) -> Result<()> {
        let mut statement = self.prepare_cached(&numbered(sql)).map_err(failed)?;
        let mut rows = statement.query(rusqlite::params_from_iter(params)).map_err(failed)?;
        while let Some(next) = rows.next().map_err(failed)? {
            row(next)?;
        }
        Ok(())
    }

    fn execute(&self, sql: &str, params: &[Value]) -> Result<u64> {
        let mut statement = self.prepare_cached(&numbered(sql)).map_err(failed)?;
        let changed = statement.execute(rusqlite::params_from_iter(params)).map_err(failed)?;
        Ok(changed as u64)
    }
}

/// `$1` is a name to SQLite, counted by first appearance; `?1` is a position.
fn numbered(sql: &str) -> String {
    sql.replace('$', "?")
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        use rusqlite::types::ToSqlOutput::Borrowed;
        Ok(Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(n) => ValueRef::Integer(*n),
            Value::Real(n) => ValueRef::Real(*n),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

impl Row for rusqlite::Row<'_> {
    fn cell(&self, index: usize) -> Result<Cell<'_>> {
        Ok(match self.get_ref(index).map_err(failed)? {
            ValueRef::Null => Cell::Null,
            ValueRef::Integer(n) => Cell::Int(n),
            ValueRef::Real(n) => Cell::Real(n),
            ValueRef::Text(text) => Cell::Text(
                std::str::from_utf8(text)
                    .map_err(|e| error::INTERNAL.error("Stored text is not UTF-8.").caused_by(e))?,
            ),
            ValueRef::Blob(_) => return Err(error::INTERNAL.error("A column holds bytes; none is declared so.")),
        })
    }
}

/// What a failure of the database means for the caller.
pub(crate) fn failed(e: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode::{DiskFull, ReadOnly};
    match e.sqlite_error_code() {
        Some(DiskFull) => {
            error::READ_ONLY.error("The disk is full; nothing was changed. Free some space and try again.").caused_by(e)
        }
        Some(ReadOnly) => {
            error::READ_ONLY.error("The database file cannot be written; nothing was changed.").caused_by(e)
        }
        _ => error::INTERNAL.error("The database refused a statement; nothing was changed.").caused_by(e),
    }
}
