//! The handle on the database.

use crate::errors::{self, PROGRAM_ENDING, Reason};
use crate::status::Integrity;
use crate::tx::Tx;
use crate::writer::{Job, Ran};
use crate::{open, readers, status, writer};
use kit::error::{self, Result};
use kit::{Ctx, Migration};
use std::path::Path;
use std::sync::Arc;
use tokio::sync::oneshot;

/// A handle on the database; cheap to clone, shared by every feature.
#[derive(Clone)]
pub struct Db {
    pub(crate) writes: Arc<writer::Writes>,
    pub(crate) readers: Arc<readers::Readers>,
    pub(crate) status: Arc<status::Status>,
}

impl Db {
    /// Opens the embedded database, makes it where there is none, and brings its tables up to date. Where it cannot be
    /// written but read, it opens read-only ([`Db::read_only`]). The data directory, which is the file's folder, then
    /// belongs to this program until it ends. Errors: [`CODES`](crate::CODES).
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
