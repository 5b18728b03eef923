//! A database file of its own for what is derived from elsewhere and can be made anew at any time, such as an index of words.
//!
//! Invariants: where the file is missing, of another version, or damaged, it is made anew; a run is whole or not at all.
//! Deliberately not here: anything that must survive, and statements for other databases than the embedded one. A derived file
//! may use what SQLite alone has.

use crate::driver::{self, Writing};
use crate::errors::failed;
use crate::files::{beside, make_private};
use crate::tx::Statements;
use crate::value::{Row, Value};
use kit::error::{self, Result};
use rusqlite::Connection;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long another program's transaction is waited for.
const BUSY: Duration = Duration::from_secs(5);

/// A file of derived data; cheap to clone. It is opened when it is first used.
#[derive(Clone)]
pub struct DerivedDb(Arc<Inner>);

struct Inner {
    file: PathBuf,
    version: i64,
    schema: &'static str,
    when_new: Box<dyn Fn() + Send + Sync>,
    connection: Mutex<Option<Connection>>,
}

impl DerivedDb {
    /// A file with these tables. `version`, at least 1, says what is in it: a file of another version is made anew. `when_new`
    /// runs each time that the file begins empty and has to be filled.
    pub fn new(
        file: &Path,
        version: i64,
        schema: &'static str,
        when_new: impl Fn() + Send + Sync + 'static,
    ) -> DerivedDb {
        let (file, when_new, connection) = (file.to_owned(), Box::new(when_new), Mutex::default());
        DerivedDb(Arc::new(Inner { file, version, schema, when_new, connection }))
    }

    /// Runs statements as one transaction, apart from the threads that answer requests. Where anything fails the file is made
    /// anew, and the statements run once more.
    pub async fn run<T: Send + 'static>(
        &self,
        run: impl Fn(&DerivedTx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let inner = self.0.clone();
        let ran = tokio::task::spawn_blocking(move || {
            let mut connection = inner.connection.lock().unwrap_or_else(PoisonError::into_inner);
            inner.run(&mut connection, &run).or_else(|why| {
                tracing::warn!(file = %inner.file.display(), "making derived data anew: {why}");
                *connection = None;
                for suffix in ["", "-wal", "-shm"] {
                    let _ = std::fs::remove_file(beside(&inner.file, suffix));
                }
                inner.run(&mut connection, &run)
            })
        });
        ran.await.unwrap_or_else(|fault| Err(error::INTERNAL.error("Using derived data failed.").caused_by(fault)))
    }
}

impl Inner {
    fn run<T>(&self, connection: &mut Option<Connection>, run: &impl Fn(&DerivedTx<'_>) -> Result<T>) -> Result<T> {
        let connection = match connection {
            Some(open) => open,
            none => none.insert(self.open()?),
        };
        let transaction = connection.transaction().map_err(failed)?;
        let value = run(&DerivedTx { statements: Writing { connection: &transaction, hindered: Cell::new(None) } })?;
        transaction.commit().map_err(failed)?;
        Ok(value)
    }

    fn open(&self) -> Result<Connection> {
        let unmade = |why| error::INTERNAL.error(format!("Couldn't create {}.", self.file.display())).caused_by(why);
        make_private(&self.file).map_err(unmade)?;
        let connection = Connection::open(&self.file).map_err(failed)?;
        driver::settle(&connection, BUSY).map_err(failed)?;
        connection.pragma_update(None, "journal_mode", "wal").map_err(failed)?;
        connection.pragma_update(None, "synchronous", "normal").map_err(failed)?;
        match connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).map_err(failed)? {
            version if version == self.version => {}
            0 => {
                let (schema, version) = (self.schema, self.version);
                let tables = format!("BEGIN; {schema} PRAGMA user_version = {version}; COMMIT;");
                connection.execute_batch(&tables).map_err(failed)?;
                (self.when_new)();
            }
            version => return Err(error::INTERNAL.error(format!("The derived data is of version {version}."))),
        }
        Ok(connection)
    }
}

/// What SQL is run through, inside a closure handed to [`DerivedDb::run`].
pub struct DerivedTx<'a> {
    statements: Writing<'a>,
}

impl DerivedTx<'_> {
    /// Every row, read by `row`.
    pub fn query<T>(
        &self,
        sql: &str,
        params: &[Value<'_>],
        mut row: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        self.statements.query(sql, params, &mut |r| {
            rows.push(row(r)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Runs a statement; the number of rows it changed.
    pub fn execute(&self, sql: &str, params: &[Value<'_>]) -> Result<u64> {
        self.statements.execute(sql, params)
    }

    /// Inserts a row; its row id.
    pub fn insert(&self, sql: &str, params: &[Value<'_>]) -> Result<i64> {
        self.statements.execute(sql, params)?;
        Ok(self.statements.connection.last_insert_rowid())
    }
}
