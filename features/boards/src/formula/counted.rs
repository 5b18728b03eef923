//! What formulas count of other boards: linked items. One that left its board is shown nowhere, and so is not counted; where
//! items leave or come back, the boards that count them are computed again.

use super::check::Source;
use super::{Formulas, left};
use crate::board::{self, Edit};
use crate::items::Record;
use crate::links;
use kit::error::Result;
use std::collections::HashMap;
use store::{Tx, params};

/// An item as formulas see it.
pub(super) struct Item<'a> {
    pub(super) record: &'a Record,
    /// How many linked items are still there, by the column that links to them.
    linked: HashMap<&'a str, usize>,
}

impl<'a> Item<'a> {
    /// Looks up what the formulas count.
    pub(super) fn of(tx: &mut Tx<'_>, account: &str, record: &'a Record, formulas: &'a Formulas) -> Result<Item<'a>> {
        let mut linked = HashMap::new();
        for (column_id, board_id) in formulas.counted() {
            if let Some(cell) = record.cells.get(column_id).filter(|_| !linked.contains_key(column_id)) {
                linked.insert(column_id, links::count(tx, account, board_id, cell)?);
            }
        }
        Ok(Item { record, linked })
    }
    #[cfg(test)]
    pub(super) fn alone(record: &'a Record) -> Item<'a> {
        Item { record, linked: HashMap::new() }
    }
    pub(super) fn linked(&self, column_id: &str) -> usize {
        self.linked.get(column_id).copied().unwrap_or_default()
    }
}

impl Formulas {
    /// The columns whose linked items are counted, with the boards that they stand on.
    fn counted(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.0.iter().flat_map(|formula| &formula.fields);
        fields.filter_map(|field| match &field.source {
            Source::Linked(column_id, board_id) => Some((column_id.as_str(), board_id.as_str())),
            _ => None,
        })
    }
}

/// Boards whose formulas count items of a board that some have left, or came back to.
fn counting(tx: &mut Tx<'_>, account: &str, changed: &str) -> Result<Vec<String>> {
    let sql = "SELECT DISTINCT board_id FROM board_columns WHERE account_id = $1 AND links_to = $2 AND type <> $3";
    let linking: Vec<String> = tx.query(sql, params![account, changed, board::DELETING], |row| row.get(0))?;
    let mut counting = Vec::new();
    for board_id in linking {
        let columns = board::columns(tx, account, &board_id)?;
        if Formulas::of(&columns).counted().any(|(_, of)| of == changed) {
            counting.push(board_id);
        }
    }
    Ok(counting)
}

/// Has other boards count again what they link to on one; those boards, for [`left::follow`].
pub(crate) fn recount(tx: &mut Tx<'_>, account: &str, changed: &str) -> Result<Vec<String>> {
    let mut others = counting(tx, account, changed)?;
    others.retain(|id| id != changed);
    for board_id in &others {
        left::begin(tx, account, board_id)?;
    }
    Ok(others)
}

/// The same for a change that is under way, whose board may count items of its own.
pub(crate) fn recount_after(tx: &mut Tx<'_>, edit: &Edit) -> Result<Vec<String>> {
    let mut left = Vec::new();
    for board_id in counting(tx, &edit.account, &edit.board.id)? {
        if board_id != edit.board.id {
            left::begin(tx, &edit.account, &board_id)?;
            left.push(board_id);
        } else if left::again(tx, edit)? {
            left.push(board_id);
        }
    }
    Ok(left)
}
