//! Files attached to items: cells of `file` columns list them, and their content is in the data directory.
//!
//! Invariants: content is on disk before the transaction that writes the row and the cell, so an interruption can leave
//! unreferenced content, but never a reference without content. A cell lists only attachments of its own item and
//! column. An attachment that no cell lists anymore can be restored by undo for [`KEPT_MS`]; its content stays for the
//! same time again, for backups of that age.
//!
//! Not included: versions of a file, and limits per board or account.

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

/// Prevents removal of content that is about to be referenced: adding a reference takes a shared lock, removal an
/// exclusive one.
#[derive(Default)]
pub(crate) struct Keeper(Arc<RwLock<()>>);

/// Prepares the file operations, and removes incomplete uploads of an earlier run.
pub(crate) fn start(ctx: &Ctx) {
    ctx.provide(Arc::new(Keeper::default()));
    disk::remove_incoming(ctx);
}
