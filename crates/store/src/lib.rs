//! The one way to the database: [`Db`], a handle over a driver, and [`Tx`], what SQL is run through.
//!
//! Invariants: an answer goes out after the commit is on disk; there is one writer; every statement is one that SQLite and
//! the PostgreSQL-wire databases both take (`$1` parameters, BIGINT and TEXT columns, keys that begin with the account);
//! [`check_portable`] holds that, in debug builds for every statement.
//! What stands in the way of writing (a full disk, a folder without permission) stops changes and not reading, and is over
//! as soon as a write succeeds again.
//! Deliberately not here: an ORM, and any table of a feature. The only tables here are the log of migrations and `changes`,
//! the append-only record of who changed what, which is the audit, the activity log and the settings' history in one.

mod changes;
mod driver;
mod errors;
mod files;
mod lock;
mod migrate;
mod open;
mod portable;
mod readers;
mod relief;
mod rescue;
mod status;
mod value;
mod writer;

#[cfg(test)]
mod tests;

pub use changes::{Change, ChangeRow};
pub use errors::{
    BACKUP_NOT_USABLE, CODES, DATA_DIR_NOT_WRITABLE, DATABASE_DAMAGED, DATABASE_LOCKED, DATABASE_NEWER, PROGRAM_ENDING,
    Reason, unwritten,
};
pub use lock::{Holder, holder};
pub use migrate::schema_sql;
pub use portable::check_portable;
pub use rescue::{BACKUPS_FOLDER, FILE_NAME, Restored, backups, restore};
pub use status::Integrity;
pub use value::{Cell, FromCell, Row, Value};

use kit::error::{self, Error, Result};
use kit::{Ctx, Migration};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::oneshot;

/// A handle on the database; cheap to clone, shared by every feature.
#[derive(Clone)]
pub struct Db {
    writes: Arc<writer::Writes>,
    readers: Arc<readers::Readers>,
    status: Arc<status::Status>,
}

/// What SQL is run through, inside a closure handed to [`Db::read`] or [`Db::write`]. The driver is behind it.
pub struct Tx<'a> {
    driver: &'a dyn Statements,
    after_commit: Vec<Box<dyn FnOnce() + Send>>,
}

/// What a driver does for [`Tx`].
trait Statements {
    fn query(&self, sql: &str, params: &[Value<'_>], row: &mut dyn FnMut(&dyn Row) -> Result<()>) -> Result<()>;
    fn execute(&self, sql: &str, params: &[Value<'_>]) -> Result<u64>;
    fn copy(&self) -> Result<i64>;
}

/// A write that waits for the writer: run inside the transaction, or handed the reason why there is none; told afterwards
/// whether it was committed.
type Job = Box<dyn FnOnce(Result<&mut Tx<'_>>) -> Ran + Send>;

/// What a job leaves behind: why its changes are not to be kept, if so, and how to tell the caller once the others' are on
/// disk.
struct Ran {
    refused: Option<Error>,
    deliver: Box<dyn FnOnce(Result<()>) + Send>,
}

/// Writes that may wait for the writer at once; more wait at their sender.
const WRITES_WAITING_MAX: usize = 1024;
/// Writes that may share one commit.
const WRITES_PER_COMMIT_MAX: usize = 256;

impl Db {
    /// Opens the embedded database, makes it where there is none, and brings its tables up to date. Where it cannot be
    /// written but read, it opens read-only ([`Db::read_only`]). The data directory, which is the file's folder, then
    /// belongs to this program until it ends. Errors: [`CODES`].
    pub fn open(file: &Path, features: &[(&'static str, &'static [Migration])]) -> Result<Db> {
        open::open(file, features, open::Options::default())
    }

    /// The same, refused as soon as another program that holds the data directory is known not to be ending, as `waits` says.
    pub fn open_while(
        file: &Path,
        features: &[(&'static str, &'static [Migration])],
        waits: impl Fn() -> bool,
    ) -> Result<Db> {
        open::open(file, features, open::Options { waits: &waits, ..open::Options::default() })
    }

    /// Why changes are refused at present, if they are. Each write tries all the same, and the first that succeeds ends it.
    pub fn read_only(&self) -> Option<Reason> {
        self.status.read_only()
    }

    /// Whether the database's path still names the file that is open: elsewhere the data directory was moved or deleted, and
    /// its path may be another program's by now.
    pub fn is_in_place(&self) -> bool {
        self.status.is_in_place(self.readers.file())
    }

    /// What the check of the file found; it runs at every start.
    pub fn integrity(&self) -> Integrity {
        self.status.integrity()
    }

    /// Commits since the database was opened; fewer than writes where writes shared them.
    pub fn commits(&self) -> u64 {
        self.status.commits()
    }

    /// Finishes the writes that were asked for, closes the file and lets go of the data directory; answers when all that is
    /// done. Writes after it are refused. A program that ends without it loses nothing that was acknowledged.
    pub async fn close(&self) {
        self.writes.close().await;
    }

    /// Runs statements that change nothing, on one consistent state of the database.
    pub async fn read<T: Send + 'static>(
        &self,
        run: impl FnOnce(&mut Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let readers = self.readers.clone();
        let turn = readers.turn().await;
        let read = move || {
            let _turn = turn;
            readers.with(|driver| run(&mut Tx { driver, after_commit: Vec::new() }))
        };
        tokio::task::spawn_blocking(read)
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
            let (outcome, after_commit) = match tx {
                Ok(tx) => (errors::caught(|| run(&mut *tx)), std::mem::take(&mut tx.after_commit)),
                Err(refusal) => (Err(refusal), Vec::new()),
            };
            let refused = outcome.as_ref().err().map(errors::again);
            let deliver = Box::new(move |committed: Result<()>| {
                let outcome = match (outcome, committed) {
                    (Ok(value), Ok(())) => {
                        writer::run_after_commit(after_commit);
                        Ok(value)
                    }
                    (Ok(_), Err(failed)) => Err(failed),
                    (Err(refused), _) => Err(refused),
                };
                // A caller that went away does not take its committed change with it.
                let _ = tell.send(outcome);
            });
            Ran { refused, deliver }
        });
        let stopped =
            || PROGRAM_ENDING.error("Pilothouse is quitting and its database is closed. Nothing was changed.");
        self.writes.run(job).await.map_err(|_| stopped())?;
        told.await.map_err(|_| stopped())?
    }
}

impl Tx<'_> {
    /// Every row, read by `row`.
    pub fn query<T>(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        mut row: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        portable::hold(sql)?;
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
        params: &[Value<'_>],
        row: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.query(sql, params, row)?.into_iter().next())
    }
    /// The first row; none is `not-found`, the same for what does not exist and what belongs to someone else.
    pub fn query_one<T>(
        &mut self,
        sql: &str,
        params: &[Value<'_>],
        row: impl FnMut(&dyn Row) -> Result<T>,
    ) -> Result<T> {
        self.query_opt(sql, params, row)?.ok_or_else(kit::not_found)
    }
    /// Every row in turn, nothing kept: for reads too large to collect.
    pub fn each(&mut self, sql: &str, params: &[Value<'_>], mut row: impl FnMut(&dyn Row) -> Result<()>) -> Result<()> {
        portable::hold(sql)?;
        self.driver.query(sql, params, &mut row)
    }
    /// Runs a statement; the number of rows it changed.
    pub fn execute(&mut self, sql: &str, params: &[Value<'_>]) -> Result<u64> {
        portable::hold(sql)?;
        self.driver.execute(sql, params)
    }
    /// Which copy of a database this is: 0 while it is none, and another number in each backup, which it keeps once it was
    /// restored. What must not come back with a backup names the copy that it was made in.
    pub fn copy(&mut self) -> Result<i64> {
        self.driver.copy()
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
