//! Which items of linked boards exist, for counting them.

use kit::error::Result;
use serde_json::Value;
use std::collections::HashMap;
use store::{Tx, params};

/// Linked items up to which each is looked up alone; for more, reading the whole board is cheaper.
pub(crate) const SINGLY_MAX: usize = if cfg!(test) { 3 } else { 2_000 };

/// Which items of boards are there, each asked once: what holds within one transaction.
#[derive(Default)]
pub(crate) struct Presence(HashMap<String, OfBoard>);

#[derive(Default)]
struct OfBoard {
    is_ready: bool,
    /// Items that were asked for, and whether they are there.
    known: HashMap<String, bool>,
    /// Whether all that are there are known.
    is_whole: bool,
    /// How many statements that took.
    #[cfg(test)]
    asked: usize,
}

impl Presence {
    /// How many of the items that a cell links to on a board are there.
    pub(crate) fn count(&mut self, tx: &mut Tx<'_>, account: &str, board_id: &str, cell: &Value) -> Result<usize> {
        if !self.0.contains_key(board_id) {
            let sql = "SELECT 1 FROM boards WHERE account_id = $1 AND board_id = $2 AND state = 'ready'";
            let is_ready = tx.query_opt(sql, params![account, board_id], |_| Ok(()))?.is_some();
            self.0.insert(board_id.to_owned(), OfBoard { is_ready, ..OfBoard::default() });
        }
        let board = self.0.get_mut(board_id).expect("it was put there");
        let mut count = 0;
        for id in cell.as_array().into_iter().flatten().filter_map(Value::as_str) {
            count += usize::from(board.is_ready && board.has(tx, account, board_id, id)?);
        }
        Ok(count)
    }

    #[cfg(test)]
    pub(crate) fn asked(&self) -> usize {
        self.0.values().map(|board| board.asked).sum()
    }
}

impl OfBoard {
    fn has(&mut self, tx: &mut Tx<'_>, account: &str, board_id: &str, id: &str) -> Result<bool> {
        if let Some(is_there) = self.known.get(id) {
            return Ok(*is_there);
        }
        if self.is_whole {
            return Ok(false);
        }
        #[cfg(test)]
        {
            self.asked += 1;
        }
        if self.known.len() < SINGLY_MAX {
            let sql = "SELECT 1 FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
            let is_there = tx.query_opt(sql, params![account, board_id, id], |_| Ok(()))?.is_some();
            self.known.insert(id.to_owned(), is_there);
            return Ok(is_there);
        }
        let sql = "SELECT item_id FROM items WHERE account_id = $1 AND board_id = $2";
        tx.each(sql, params![account, board_id], |row| {
            self.known.insert(row.get(0)?, true);
            Ok(())
        })?;
        self.is_whole = true;
        Ok(self.known.get(id).copied().unwrap_or_default())
    }
}
