//! The one way to the database: [`Db`], a handle over a driver, and [`Tx`], what SQL is run through.
//!
//! Invariants: an answer goes out after the commit is on disk; there is one writer; every statement is one that SQLite and
//! the PostgreSQL-wire databases both take (`$1` parameters, BIGINT and TEXT columns, keys that begin with the account).
//! Deliberately not here: an ORM, and any table of a feature. The only tables here are the log of migrations and `changes`,
//! the append-only record of who changed what, which is the audit, the activity log and the settings' history in one.

mod changes;
mod migrate;
mod sqlite;
mod value;

pub use changes::{Change, ChangeRow};
pub use value::{Cell, FromCell, Row, Value};

use kit::error::{self, Result};
use kit::{Ctx, Migration};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// A handle on the database; cheap to clone, shared by every feature.
#[derive(Clone)]
pub struct Db {
    writer: mpsc::Sender<Job>,
    readers: Arc<sqlite::Readers>,
}

/// What SQL is run through, inside a closure handed to [`Db::read`] or [`Db::write`]. The driver is behind it.
pub struct Tx<'a> {
    driver: &'a dyn Statements,
    after_commit: Vec<Box<dyn FnOnce() + Send>>,
}

/// What a driver does for [`Tx`].
trait Statements {
    fn query(&self, sql: &str, params: &[Value], row: &mut dyn FnMut(&dyn Row) -> Result<()>) -> Result<()>;
    fn execute(&self, sql: &str, params: &[Value]) -> Result<u64>;
}

/// A write that waits for the writer: run inside the transaction, told afterwards whether it was committed.
type Job = Box<dyn FnOnce(&mut Tx<'_>) -> Ran + Send>;

/// What a job leaves behind: whether to keep its changes, and how to tell the caller once they are on disk.
struct Ran {
    keep: bool,
    deliver: Box<dyn FnOnce(Result<()>) + Send>,
}

/// Writes that may wait for the writer at once; more wait at their sender.
const WRITES_WAITING_MAX: usize = 1024;
/// Writes that may share one commit.
const WRITES_PER_COMMIT_MAX: usize = 256;

impl Db {
    /// Opens the embedded database, makes it where there is none, and brings its tables up to date.
    pub fn open(file: &Path, features: &[(&'static str, &'static [Migration])]) -> Result<Db> {
        let writer = sqlite::open(file)?;
        migrate::run(&writer, file, features)?;
        let readers = Arc::new(sqlite::Readers::new(file));
        let (sender, receiver) = mpsc::channel(WRITES_WAITING_MAX);
        sqlite::spawn_writer(writer, receiver);
        Ok(Db { writer: sender, readers })
    }

    /// Runs statements that change nothing, on one consistent state of the database.
    pub async fn read<T: Send + 'static>(
        &self,
        run: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let readers = self.readers.clone();
        tokio::task::spawn_blocking(move || readers.with(|driver| run(&mut Tx { driver, after_commit: Vec::new() })))
            .await
            .unwrap_or_else(|fault| Err(error::INTERNAL.error("Reading failed.").caused_by(fault)))
    }

    /// Runs statements as one transaction and answers after it is on disk. An error rolls it back. Writes that wait
    /// together share one commit, each still whole or not at all.
    pub async fn write<T: Send + 'static>(
        &self,
        run: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (tell, told) = oneshot::channel();
        let job: Job = Box::new(move |tx| {
            let outcome = run(tx);
            let after_commit = std::mem::take(&mut tx.after_commit);
            let keep = outcome.is_ok();
            let deliver = Box::new(move |committed: Result<()>| {
                let outcome = match (outcome, committed) {
                    (Ok(value), Ok(())) => {
                        after_commit.into_iter().for_each(|run| run());
                        Ok(value)
                    }
                    (Ok(_), Err(failed)) => Err(failed),
                    (Err(refused), _) => Err(refused),
                };
                // A caller that went away does not take its committed change with it.
                let _ = tell.send(outcome);
            });
            Ran { keep, deliver }
        });
        let stopped = || error::INTERNAL.error("The database writer has stopped; the log says why.");
        self.writer.send(job).await.map_err(|_| stopped())?;
        told.await.map_err(|_| stopped())?
    }
}

impl Tx<'_> {
    /// Every row, read by `row`.
    pub fn query<T>(
        &mut self,
        sql: &str,
        params: &[Value],
        mut row: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        self.driver.query(sql, params, &mut |r| {
            rows.push(row(r)?);
            Ok(())
        })?;
        Ok(rows)
    }
    /// The first row, if any.
    pub fn query_opt<T>(
        &mut self,
        sql: &str,
        params: &[Value],
        row: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.query(sql, params, row)?.into_iter().next())
    }
    /// The first row; none is `not-found`, the same for what does not exist and what belongs to someone else.
    pub fn query_one<T>(&mut self, sql: &str, params: &[Value], row: impl FnMut(&dyn Row) -> Result<T>) -> Result<T> {
        self.query_opt(sql, params, row)?.ok_or_else(kit::not_found)
    }
    /// Every row in turn, nothing kept: for reads too large to collect.
    pub fn each(&mut self, sql: &str, params: &[Value], mut row: impl FnMut(&dyn Row) -> Result<()>) -> Result<()> {
        self.driver.query(sql, params, &mut row)
    }
    /// Runs a statement; the number of rows it changed.
    pub fn execute(&mut self, sql: &str, params: &[Value]) -> Result<u64> {
        self.driver.execute(sql, params)
    }
    /// Runs after this transaction is on disk, and only then: swapping what is kept in memory, emitting events.
    pub fn after_commit(&mut self, run: impl FnOnce() + Send + 'static) {
        self.after_commit.push(Box::new(run));
    }
}

/// Adds the database to the context.
pub trait HasDb {
    /// The program's database.
    fn db(&self) -> Db;
}

impl HasDb for Ctx {
    fn db(&self) -> Db {
        (*self.service::<Db>()).clone()
    }
}
