//! The one writer: one connection under one lock, and the writes that wait for it. Whoever finds the writer free commits what
//! waits, its own write and all others', in one transaction: a lone change needs no other thread, and many share a commit.
//!
//! Invariants: no job runs outside of a transaction; a job is whole or not at all; nobody is told of success before the
//! commit is on disk; nothing that a job does ends the writer; a write that waits is always taken by somebody.

use crate::driver::{self, Writing};
use crate::errors::{Reason, again, failed, not_writable};
use crate::files::{self, folder_of};
use crate::lock::Lock;
use crate::readers::Readers;
use crate::relief::{LOOK_EVERY, Relief};
use crate::status::Status;
use crate::tx::Tx;
use kit::error::{self, Error, Result};
use rusqlite::{Connection, OpenFlags};
use std::cell::Cell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;

/// "Plth" in the file's header: whose database it is.
const APPLICATION_ID: i64 = 0x506c_7468;
/// Pages that the writer keeps: as many as a change of a thousand items touches, which would otherwise be written before the
/// commit and read again.
const CACHE_KIB_MAX: i64 = 16 * 1024;
/// The log is cut back to this after a burst.
const LOG_KEPT_BYTES_MAX: i64 = 64 * 1024 * 1024;

/// A write that waits for the writer: run inside the transaction, or handed the reason why there is none; told afterwards
/// whether it was committed.
pub(crate) type Job = Box<dyn FnOnce(Result<&mut Tx<'_>>) -> Ran + Send>;

/// What a job leaves behind: why its changes are not to be kept, if so, and how to tell the caller once the others' are on
/// disk.
pub(crate) struct Ran {
    pub(crate) refused: Option<Error>,
    pub(crate) deliver: Box<dyn FnOnce(Result<()>) + Send>,
}

/// Writes that may wait for the writer at once; more wait at their sender.
const WRITES_WAITING_MAX: usize = 1024;
/// Writes that may share one commit.
const WRITES_PER_COMMIT_MAX: usize = 256;

pub(crate) struct Writer {
    pub(crate) file: PathBuf,
    pub(crate) busy: Duration,
    /// Absent while the database cannot be written; tried again with each write.
    pub(crate) connection: Option<Connection>,
    pub(crate) readers: Arc<Readers>,
    pub(crate) status: Arc<Status>,
    /// Whether the last commit was soon over, and of one write that nobody waited behind.
    pub(crate) was_lone_and_quick: bool,
    /// Let go of after the connection is closed.
    pub(crate) lock: Option<Lock>,
}

/// The writes that wait, and the writer while the database is open.
pub(crate) struct Writes {
    waiting: Mutex<VecDeque<Job>>,
    /// `None` once it is closed.
    writer: Mutex<Option<Writer>>,
    room: Semaphore,
    relief: OnceLock<Option<Relief>>,
}

/// The database is closed; the job was dropped.
pub(crate) struct Closed;

impl Writes {
    pub(crate) fn new(writer: Writer) -> Arc<Writes> {
        let writer = Mutex::new(Some(writer));
        let room = Semaphore::new(WRITES_WAITING_MAX);
        Arc::new(Writes { waiting: Mutex::default(), writer, room, relief: OnceLock::new() })
    }

    /// Takes a job on and sees to it that somebody runs it.
    pub(crate) async fn run(self: &Arc<Self>, job: Job) -> Result<(), Closed> {
        let Ok(room) = self.room.acquire().await else { return Err(Closed) };
        room.forget();
        self.waiting().push_back(job);
        // Whoever is writing looks again when they are done.
        let Some(writer) = self.free_writer() else { return Ok(()) };
        let more_waits = match Handle::current().runtime_flavor() {
            RuntimeFlavor::MultiThread => self.commit_in_this_thread(writer),
            _ => {
                drop(writer);
                true
            }
        };
        if more_waits {
            let writes = self.clone();
            tokio::task::spawn_blocking(move || writes.commit_all_waiting());
        }
        Ok(())
    }

    /// The writer, unless somebody else is writing.
    fn free_writer(&self) -> Option<MutexGuard<'_, Option<Writer>>> {
        match self.writer.try_lock() {
            Ok(writer) => Some(writer),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Commits what waits, in a thread that must not be one that all else waits for: its other work is handed over at once,
    /// or, where the commit is most likely over before that would be, as soon as it takes longer. Where others write as well,
    /// at once: their writes are to come in meanwhile, and share the next commit.
    fn commit_in_this_thread(&self, writer: MutexGuard<'_, Option<Writer>>) -> bool {
        let batch = self.take();
        let is_soon = batch.len() == 1 && writer.as_ref().is_some_and(|writer| writer.was_lone_and_quick);
        let relief = if is_soon { self.relief.get_or_init(|| Relief::new(Handle::current())) } else { &None };
        match relief {
            Some(relief) => {
                let _watched = relief.watch();
                self.commit(batch, writer)
            }
            None => tokio::task::block_in_place(|| self.commit(batch, writer)),
        }
    }

    /// Commits these. Says whether more wait by then, which nobody else may be looking at.
    fn commit(&self, batch: VecDeque<Job>, mut writer: MutexGuard<'_, Option<Writer>>) -> bool {
        match &mut *writer {
            Some(writer) => {
                let (begun, is_lone) = (Instant::now(), batch.len() == 1);
                writer.commit_together(batch);
                writer.was_lone_and_quick = is_lone && begun.elapsed() < LOOK_EVERY && self.waiting().is_empty();
            }
            // Those who wait are told by that.
            None => drop(batch),
        }
        drop(writer);
        !self.waiting().is_empty()
    }

    /// Commits until nothing waits, or somebody else does.
    fn commit_all_waiting(&self) {
        while let Some(writer) = self.free_writer()
            && self.commit(self.take(), writer)
        {}
    }

    fn take(&self) -> VecDeque<Job> {
        let mut waiting = self.waiting();
        let count = waiting.len().min(WRITES_PER_COMMIT_MAX);
        self.room.add_permits(count);
        waiting.drain(..count).collect()
    }

    pub(crate) fn waiting(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As after a failure that the connection did not survive: the next write opens another.
    #[cfg(test)]
    pub(crate) fn forget_connection(&self) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = &mut *writer {
            writer.connection = None;
        }
    }

    /// As after a lone commit on a quick disk; the next one is watched by the relief.
    #[cfg(test)]
    pub(crate) fn was_quick(&self) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = &mut *writer {
            writer.was_lone_and_quick = true;
        }
    }

    #[cfg(test)]
    pub(crate) fn is_relieved(&self) -> bool {
        self.relief.get().is_some_and(Option::is_some)
    }

    /// Commits what was asked for so far and lets go of the file and its folder.
    pub(crate) async fn close(self: &Arc<Self>) {
        let writes = self.clone();
        let close = move || {
            let mut writer = writes.writer.lock().unwrap_or_else(PoisonError::into_inner);
            writes.room.close();
            if let Some(mut writer) = writer.take() {
                while let batch = writes.take()
                    && !batch.is_empty()
                {
                    writer.commit_together(batch);
                }
                writer.readers.close_idle();
            }
            drop(writer);
            // One that came in meanwhile is told that the database is closed.
            writes.commit_all_waiting();
        };
        // A panic in it has let go of the writer all the same.
        let _ = tokio::task::spawn_blocking(close).await;
    }
}

/// Why there is no writing connection.
pub(crate) enum Unconnected {
    /// Nothing can be written at present.
    Hindered(Reason, Error),
    /// Something else.
    Failed(Error),
}

impl From<rusqlite::Error> for Unconnected {
    fn from(e: rusqlite::Error) -> Self {
        match Reason::from_sqlite(&e) {
            Some(reason) => Unconnected::Hindered(reason, failed(e)),
            None => Unconnected::Failed(failed(e)),
        }
    }
}

impl Writer {
    /// Opens the writing connection: WAL, every commit synced. Whether the file can be written is found out by writing.
    pub(crate) fn connect(&mut self) -> Result<(), Unconnected> {
        if self.lock.is_none() {
            self.lock = Lock::take(folder_of(&self.file), Duration::ZERO, &|| false).map_err(Unconnected::Failed)?;
        }
        // Where the file that was opened is gone, no other is made in its place.
        if !self.status.is_in_place(&self.file) {
            return Err(Unconnected::Hindered(Reason::Gone, Reason::Gone.error()));
        }
        files::make_private(&self.file)
            .map_err(|e| Unconnected::Hindered(Reason::NotWritable, not_writable(&self.file, "Opening", e)))?;
        let readers = self.readers.clone();
        let connection = readers.thaw(|| -> Result<Connection, Unconnected> {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(&self.file, flags)?;
            driver::settle(&connection, self.busy)?;
            let mode: String = connection.query_row("PRAGMA journal_mode = WAL", (), |row| row.get(0))?;
            if mode != "wal" {
                let why = "its file system offers no shared memory, as folders on a network often do";
                return Err(Unconnected::Failed(not_writable(&self.file, "Keeping a log for", why)));
            }
            connection.pragma_update(None, "synchronous", "FULL")?;
            // Without it macOS answers before the disk has the bytes.
            connection.pragma_update(None, "fullfsync", true)?;
            connection.pragma_update(None, "foreign_keys", true)?;
            connection.pragma_update(None, "journal_size_limit", LOG_KEPT_BYTES_MAX)?;
            connection.pragma_update(None, "cache_size", -CACHE_KIB_MAX)?;
            connection.pragma_update(None, "application_id", APPLICATION_ID)?;
            Ok(connection)
        })?;
        self.connection = Some(connection);
        self.status.opened(&self.file);
        Ok(())
    }

    fn commit_together(&mut self, mut waiting: VecDeque<Job>) {
        while !waiting.is_empty() {
            match self.begin() {
                Ok(()) => self.transaction(&mut waiting),
                Err(refusal) => {
                    for job in waiting.drain(..) {
                        let Ran { deliver, .. } = job(Err(again(&refusal)));
                        deliver(Err(again(&refusal)));
                    }
                }
            }
        }
    }

    fn begin(&mut self) -> Result<()> {
        if self.status.read_only() == Some(Reason::Damaged) {
            return Err(Reason::Damaged.error());
        }
        if self.connection.is_none() {
            self.connect().map_err(|unconnected| match unconnected {
                Unconnected::Hindered(reason, cause) => {
                    self.status.set_read_only(Some(reason));
                    reason.error().caused_by(cause)
                }
                Unconnected::Failed(e) => e,
            })?;
        }
        if !self.status.is_in_place(&self.file) {
            self.status.set_read_only(Some(Reason::Gone));
            return Err(Reason::Gone.error());
        }
        let Some(connection) = &self.connection else { return Err(error::INTERNAL.error("There is no connection.")) };
        step(connection, "BEGIN IMMEDIATE").map_err(|e| {
            if let Some(reason) = Reason::from_sqlite(&e) {
                self.status.set_read_only(Some(reason));
            }
            failed(e)
        })
    }

    /// Runs waiting jobs in the transaction that was begun, and commits. Where a job's failure ended the transaction, those
    /// before it are told and those behind it are left waiting for the next.
    fn transaction(&mut self, waiting: &mut VecDeque<Job>) {
        let Some(connection) = self.connection.take() else { return };
        let driver = Writing { connection: &connection, hindered: Cell::new(None) };
        let mut finished = Vec::with_capacity(waiting.len());
        let mut any_kept = false;
        let mut lost = None;
        // A savepoint for each of several, so that one refused write takes nothing of its neighbors with it.
        let (before, kept, refusal) = match waiting.len() {
            1 => (None, None, "ROLLBACK"),
            _ => (Some("SAVEPOINT job"), Some("RELEASE job"), "ROLLBACK TO job"),
        };
        let run = |sql: Option<&str>| sql.map_or(Ok(()), |sql| step(&connection, sql).map_err(failed));
        while lost.is_none()
            && let Some(job) = waiting.pop_front()
        {
            if let Err(e) = run(before) {
                waiting.push_front(job);
                lost = Some(e);
                break;
            }
            let Ran { refused, deliver } = job(Ok(&mut Tx { driver: &driver, after_commit: Vec::new() }));
            let ended = match &refused {
                _ if connection.is_autocommit() => Err(refused.as_ref().map_or_else(ended_early, again)),
                None => run(kept),
                Some(_) => run(Some(refusal)).and_then(|()| run(kept)),
            };
            any_kept |= refused.is_none();
            lost = ended.err();
            finished.push(deliver);
        }
        if finished.is_empty() {
            // Not even a savepoint could be set: trying again with the same jobs would turn in a circle.
            waiting.drain(..).for_each(|job| {
                let refusal = lost.as_ref().map_or_else(ended_early, again);
                let Ran { deliver, .. } = job(Err(again(&refusal)));
                deliver(Err(refusal));
            });
        }
        let committed = match lost {
            Some(e) => Err(e),
            None if any_kept => step(&connection, "COMMIT").map_err(|e| {
                driver.hindered.set(Reason::from_sqlite(&e).or(driver.hindered.get()));
                failed(e)
            }),
            None => Ok(()),
        };
        let hindered = driver.hindered.get();
        if committed.is_ok() && any_kept {
            self.status.committed();
            self.status.set_read_only(None);
        } else if hindered.is_some() {
            self.status.set_read_only(hindered);
        }
        if !connection.is_autocommit()
            && let Err(e) = connection.execute_batch("ROLLBACK")
        {
            tracing::error!(error = %e, "a transaction could not be rolled back; the connection is opened anew");
        } else {
            self.connection = Some(connection);
        }
        for deliver in finished {
            deliver(committed.as_ref().copied().map_err(again));
        }
    }
}

/// One step of a transaction, prepared once.
fn step(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.raw_execute().map(drop)
}

fn ended_early() -> Error {
    error::INTERNAL.error("A write that shared the transaction ended it; nothing was changed. Try again.")
}

/// Runs what was to happen after the commit. A panic there is logged: the change is on disk whatever becomes of it.
pub(crate) fn run_after_commit(after_commit: Vec<Box<dyn FnOnce() + Send>>) {
    for run in after_commit {
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err() {
            tracing::error!("what follows a commit panicked; the change itself is kept");
        }
    }
}
