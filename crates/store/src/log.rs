//! The write-ahead log, cut back beside the writing: what it holds is moved into the database file by a connection of its own,
//! so that the write that makes it long is answered without waiting for that.
//!
//! Moving fewer pages than the log has does not shorten it: its beginning is written again only once all of it was moved. Under
//! a stream of writes that never happens beside them, so the writer does it itself from a bound on.

use crate::driver;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::Duration;

/// Pages by which the log grows until they are moved.
const PAGES_PER_MOVE: u32 = 1_000;
/// Pages from which on the writer moves them: 32 MiB, of which a start reads the index anew.
const PAGES_BESIDE_MAX: u32 = 8_000;

pub(crate) struct Log {
    file: PathBuf,
    busy: Duration,
    /// Pages of the log after the last commit; counted from its beginning, moved or not.
    pages: Arc<AtomicU32>,
    /// How many it had when they were moved last.
    moved_at: AtomicU32,
    mover: Mutex<Mover>,
}

enum Mover {
    Idle(Option<Connection>),
    Closed,
}

/// Who moves the pages of a log that has become long.
#[derive(Debug, PartialEq)]
pub(crate) enum Turn {
    Nobodys,
    /// A connection beside the writer.
    Beside,
    /// The writer, before it writes again.
    Writers,
}

impl Log {
    pub(crate) fn of(file: &Path, busy: Duration) -> Log {
        let mover = Mutex::new(Mover::Idle(None));
        Log { file: file.to_owned(), busy, pages: Arc::default(), moved_at: AtomicU32::new(0), mover }
    }

    /// Has the writing connection count the pages of the log instead of moving them within a commit.
    pub(crate) fn watch(&self, connection: &mut Connection) -> rusqlite::Result<()> {
        let pages = self.pages.clone();
        connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, now| {
            pages.store(u32::try_from(now).unwrap_or_default(), Ordering::Relaxed);
            Ok(())
        }))
    }

    /// As after a commit that leaves the log with so many pages.
    #[cfg(test)]
    pub(crate) fn has(&self, pages: u32) {
        self.pages.store(pages, Ordering::Relaxed);
    }

    /// Whose turn it is after a commit. Whoever is told has it: it is nobody's again until the log has grown further.
    pub(crate) fn turn(&self) -> Turn {
        let pages = self.pages.load(Ordering::Relaxed);
        let moved_at = self.moved_at.load(Ordering::Relaxed);
        if pages < moved_at {
            // It was begun anew.
            self.moved_at.store(0, Ordering::Relaxed);
        }
        if pages.saturating_sub(self.moved_at.load(Ordering::Relaxed)) < PAGES_PER_MOVE {
            return Turn::Nobodys;
        }
        self.moved_at.store(pages, Ordering::Relaxed);
        if pages < PAGES_BESIDE_MAX { Turn::Beside } else { Turn::Writers }
    }

    /// Moves what the log holds, unless that is under way already. What cannot be moved now stays in the log.
    pub(crate) fn move_beside(&self) {
        let mut mover = match self.mover.try_lock() {
            Ok(mover) => mover,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let Mover::Idle(idle) = &mut *mover else { return };
        let moved = match idle.take() {
            Some(connection) => Ok(connection),
            None => self.connect(),
        }
        .and_then(|connection| move_pages(&connection).map(|()| connection));
        match moved {
            Ok(connection) => *idle = Some(connection),
            Err(e) => tracing::debug!(error = %e, "the log stays as long as it is"),
        }
    }

    fn connect(&self) -> rusqlite::Result<Connection> {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.file, flags)?;
        driver::settle(&connection, self.busy)?;
        driver::sync_all(&connection)?;
        Ok(connection)
    }

    /// Lets go of the file, once what is under way is done.
    pub(crate) fn close(&self) {
        *self.mover.lock().unwrap_or_else(PoisonError::into_inner) = Mover::Closed;
    }
}

/// Moves as many pages as can be moved without anyone waiting.
pub(crate) fn move_pages(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", (), |_| Ok(()))
}
