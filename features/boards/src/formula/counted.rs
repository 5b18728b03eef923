//! What formulas count of other boards: linked items. One that left its board is shown nowhere, and so is not counted; where
//! items leave or come back, those that link to them are computed again (`recompute`).

use super::Formulas;
use super::check::Source;
use crate::item::Record;
use kit::error::Result;
use std::collections::HashMap;
use store::Tx;

/// An item as formulas see it.
pub(super) struct Item<'a> {
    pub(super) record: &'a Record,
    /// How many linked items are still there, by the column that links to them.
    linked: HashMap<&'a str, usize>,
}

impl<'a> Item<'a> {
    /// Loads the linked items that the formulas count.
    pub(super) fn load(tx: &mut Tx<'_>, account: &str, record: &'a Record, formulas: &'a Formulas) -> Result<Item<'a>> {
        let mut linked = HashMap::new();
        for (column_id, board_id) in formulas.counted() {
            if let Some(cell) = record.cells.get(column_id).filter(|_| !linked.contains_key(column_id)) {
                let count = formulas.1.borrow_mut().count(tx, account, board_id, cell)?;
                linked.insert(column_id, count);
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
    /// Number of queries for counted items.
    #[cfg(test)]
    pub(crate) fn asked(&self) -> usize {
        self.1.borrow().asked()
    }

    /// The columns whose linked items are counted, with their boards.
    pub(crate) fn counted(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.0.iter().flat_map(|formula| &formula.fields);
        fields.filter_map(|field| match &field.source {
            Source::Linked(column_id, board_id) => Some((column_id.as_str(), board_id.as_str())),
            _ => None,
        })
    }
}
