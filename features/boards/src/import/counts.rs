//! Counts of items and cells that a newer file changes or preserves, with the first of them.

use super::differences::{Difference, Differences};
use super::links;
use crate::item;
use kit::error::Result;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashSet;
use store::Tx;

/// Items named of those that a file no longer has; the rest is only counted.
const MISSING_SHOWN_MAX: usize = 100;

/// An item that's missing from the file; it stays on the board.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
struct Missing {
    /// Its ID.
    id: String,
    /// Its name on the board.
    name: String,
}

/// Result or preview of an update.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UpdateCounts {
    /// Items added.
    pub(super) added: u64,
    /// Items changed.
    pub(super) changed: u64,
    /// Cells, names, groups, and parents that change to the file's values.
    changed_count: u64,
    /// The first 100 of them.
    changed_cells: Differences,
    /// Items that already match the file, except for what is in `kept`.
    pub(super) unchanged: u64,
    /// Items from earlier imports missing from the file; kept.
    missing: u64,
    /// The first 100 of them, in board order.
    missing_items: Vec<Missing>,
    /// Cells, names, and parents changed on the board since then; they keep the board's values.
    kept: u64,
    /// The first 100 of them.
    kept_cells: Differences,
    /// Rows whose items were deleted on the board; not restored.
    pub(super) stay_deleted: u64,
    /// Rows without a key; skipped.
    #[serde(skip)]
    pub(super) unmet: u64,
}

impl UpdateCounts {
    /// Counts a field that changes to the file's value.
    pub(super) fn change(&mut self, difference: impl FnOnce() -> Result<Difference>) -> Result<()> {
        self.changed_count += 1;
        self.changed_cells.add(difference)
    }

    /// Counts one that stays.
    pub(super) fn keep(&mut self, difference: impl FnOnce() -> Result<Difference>) -> Result<()> {
        self.kept += 1;
        self.kept_cells.add(difference)
    }

    /// Counts the items of earlier imports that the file does not name.
    pub(super) fn count_missing(
        &mut self,
        tx: &mut Tx<'_>,
        (account, board_id, source): (&str, &str, &str),
        named: &HashSet<String>,
    ) -> Result<()> {
        for id in links::present(tx, account, board_id, source)?.into_iter().filter(|id| !named.contains(id)) {
            self.missing += 1;
            if self.missing_items.len() < MISSING_SHOWN_MAX {
                let item = item::find(tx, account, board_id, &id)?;
                self.missing_items.extend(item.map(|item| Missing { id, name: item.record.name }));
            }
        }
        Ok(())
    }
}
