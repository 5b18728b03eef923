//! Files attached to items: cells of columns of the type `file` list them, their bytes lie in the data directory.
//!
//! Invariants: bytes are on disk before the row and the cell that name them are written, in one transaction; so a stop in
//! between leaves bytes that nothing names, and never a name without bytes. A cell lists only attachments that were made for
//! its own item and column. What no cell names any more, neither on the board nor put away, can be brought back by taking the
//! change back for [`KEPT_MS`]; its bytes stay as long again, so that a backup of that age still finds them.
//! Deliberately not here: versions of a file, and a limit for a board or an account, which the disk sets.

mod disk;
mod ops;
mod sweep;

pub use disk::FOLDER;
pub(crate) use ops::{MEDIA, add, get, read, remove, update};
pub(crate) use sweep::daily as sweep_daily;
#[cfg(test)]
pub(crate) use {disk::place_for_test, sweep::step};

use crate::trash_entry;
use kit::Ctx;
use std::sync::Arc;
use tokio::sync::RwLock;

/// Bytes of one attached file.
pub const FILE_BYTES_MAX: usize = 25 * 1024 * 1024;
/// How long an attachment that was removed can be brought back, and after that how long its bytes stay for backups.
pub const KEPT_MS: i64 = trash_entry::TRASH_KEPT_MS;

/// Keeps bytes from being removed while someone is about to name them: who names holds it shared, who removes alone.
#[derive(Default)]
pub(crate) struct Keeper(Arc<RwLock<()>>);

/// Makes ready what the operations need, and removes uploads that an earlier run of the program left unfinished.
pub(crate) fn start(ctx: &Ctx) {
    ctx.provide(Arc::new(Keeper::default()));
    disk::remove_incoming(ctx);
}
