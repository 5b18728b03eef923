//! Boards as columns in memory for queries: made from the Arrow format and cached until the board changes.

use crate::form::Form;
use crate::full;
use kit::error::{self, Result};
use kit::{Ctx, SessionsSeen};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use widgets::Table;

/// Maximum bytes of Arrow streams with cached columns; the least recently used are evicted first.
pub const TABLES_BYTES_MAX: usize = 256 * 1024 * 1024;

/// A board's columns and the revision that they are of.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) revision: i64,
    pub(crate) table: Arc<Table>,
}

struct Entry {
    etag: Arc<str>,
    loaded: Loaded,
    bytes: usize,
    asked: u64,
}

/// The cached columns, by account and board.
#[derive(Default)]
pub(crate) struct Tables(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    entries: HashMap<(String, String), Entry>,
    bytes: usize,
    asked: u64,
}

impl Tables {
    fn get(&self, key: &(String, String), etag: &str) -> Option<Loaded> {
        let mut kept = self.0.lock().expect("no panic while held");
        kept.asked += 1;
        let now = kept.asked;
        let entry = kept.entries.get_mut(key).filter(|entry| &*entry.etag == etag)?;
        entry.asked = now;
        Some(entry.loaded.clone())
    }

    fn put(&self, key: (String, String), etag: Arc<str>, loaded: Loaded, bytes: usize) {
        let mut kept = self.0.lock().expect("no panic while held");
        kept.asked += 1;
        kept.bytes += bytes;
        let entry = Entry { etag, loaded, bytes, asked: kept.asked };
        if let Some(old) = kept.entries.insert(key, entry) {
            kept.bytes -= old.bytes;
        }
        while kept.bytes > TABLES_BYTES_MAX {
            let oldest = kept.entries.iter().min_by_key(|(_, entry)| entry.asked).map(|(key, _)| key.clone());
            let Some(old) = oldest.and_then(|key| kept.entries.remove(&key)) else { break };
            kept.bytes -= old.bytes;
        }
    }

    /// Removes a deleted board from the cache.
    pub(crate) fn forget(&self, account: &str, board_id: &str) {
        let mut kept = self.0.lock().expect("no panic while held");
        if let Some(old) = kept.entries.remove(&(account.to_owned(), board_id.to_owned())) {
            kept.bytes -= old.bytes;
        }
    }
}

/// The columns of a board as it is now. Asks the database each time whether the board is the account's.
pub(crate) async fn load(ctx: &Ctx, account: &str, board_id: &str) -> Result<Loaded> {
    let ready = full::ready(ctx, account, board_id.to_owned(), &SessionsSeen::None, Form::Arrow).await?;
    let tables = ctx.service::<Tables>();
    let key = (account.to_owned(), board_id.to_owned());
    if let Some(loaded) = tables.get(&key, &ready.etag) {
        return Ok(loaded);
    }
    let (revision, etag, bytes) = (ready.revision, ready.etag, ready.bytes);
    let read = tokio::task::spawn_blocking(move || Table::load(&ready.parts.concat())).await;
    let fault = || error::INTERNAL.error("Couldn't read the board's columns.");
    let table = read.map_err(|e| fault().caused_by(e))?.map_err(|e| fault().caused_by(e))?;
    let loaded = Loaded { revision, table: Arc::new(table) };
    tables.put(key, etag, loaded.clone(), bytes);
    Ok(loaded)
}
