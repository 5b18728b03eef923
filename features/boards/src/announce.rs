//! Tells everyone concerned that a board has a new revision.

use crate::{board, links, steps};
use events::{Bus, Event};
use kit::error::Result;
use std::sync::Arc;
use store::{Tx, params};

/// Announces a revision that a transaction made of a board, with other events of the change, once it is on disk.
pub(crate) fn announce(
    tx: &mut Tx<'_>,
    account: String,
    board_id: String,
    revision: i64,
    events: Vec<Event>,
    bus: Arc<Bus>,
) -> Result<()> {
    steps::forget_old(tx, &account, &board_id, revision)?;
    links::tell(tx, &account, &board_id, &bus)?;
    let changed = Event::BoardChanged { board_id, revision };
    tx.after_commit(move || {
        for event in std::iter::once(changed).chain(events) {
            bus.emit(Some(&account), event);
        }
    });
    Ok(())
}

/// Raises the revision of a board, if it still exists, for a change that follows from another.
pub(crate) fn raise(tx: &mut Tx<'_>, account: String, board_id: String, now_ms: i64, bus: Arc<Bus>) -> Result<()> {
    let sql = "UPDATE boards SET revision = revision + 1, updated_ms = $3 WHERE account_id = $1 AND board_id = $2 AND state = 'ready'";
    if tx.execute(sql, params![&account, &board_id, now_ms])? == 0 {
        return Ok(());
    }
    let revision = board::load(tx, &account, &board_id)?.revision;
    announce(tx, account, board_id, revision, Vec::new(), bus)
}
