//! What an update makes subitems of: items that it adds, and items that were there whose rows name another parent than they
//! have. Rows that name none leave their items where they stand.

use super::links;
use super::parents::Below;
use super::plan::Problems;
use super::update::{UpdateCounts, Writing};
use crate::items::{self, Item, Record};
use crate::{BOARD_LIMIT, SUBITEM_DEPTH, subitems};
use kit::error::Result;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use store::Tx;

/// A row that names a parent, met with its item.
pub(super) struct Stated {
    pub(super) key: String,
    pub(super) item_id: String,
    /// What the file gives it.
    pub(super) given: Record,
    /// What the last import gave it; its parent is the one that the file named then.
    pub(super) base: Option<Record>,
    /// Whether the update adds the item.
    pub(super) is_new: bool,
    /// Whether it counts as changed already.
    pub(super) is_changed: bool,
}

/// The rows that name parents, while the rows of the file meet their items.
pub(super) struct Placing {
    subitems: Vec<Below>,
    rows: HashSet<String>,
    parents: HashSet<String>,
    stated: HashMap<String, Stated>,
    /// The items of the parents' rows.
    met: HashMap<String, String>,
}

impl Placing {
    pub(super) fn of(subitems: Vec<Below>) -> Placing {
        Placing {
            rows: subitems.iter().map(|row| row.id.clone()).collect(),
            parents: subitems.iter().map(|row| row.parent_id.clone()).collect(),
            stated: HashMap::new(),
            met: HashMap::new(),
            subitems,
        }
    }

    /// Whether a row names a parent.
    pub(super) fn is_stated(&self, row_id: &str) -> bool {
        self.rows.contains(row_id)
    }

    /// A row that names a parent has met its item.
    pub(super) fn state(&mut self, row_id: String, stated: Stated) {
        self.stated.insert(row_id, stated);
    }

    /// A row, by the id that it would have as a new item, has met its item.
    pub(super) fn meet(&mut self, row_id: &str, item_id: &str) {
        if self.parents.contains(row_id) {
            self.met.insert(row_id.to_owned(), item_id.to_owned());
        }
    }

    /// Brings every item below the parent that its row names, or counts what that would come to.
    pub(super) fn settle(
        mut self,
        tx: &mut Tx<'_>,
        of: (&str, &str, &'static str),
        overwrite: bool,
        (counts, problems): (&mut UpdateCounts, &mut Problems),
        mut writing: Option<&mut Writing<'_>>,
    ) -> Result<()> {
        let (account, board_id, source) = of;
        let mut left = 0;
        for Below { id, parent_id, .. } in std::mem::take(&mut self.subitems) {
            let Some(mut stated) = self.stated.remove(&id) else { continue };
            let Some(parent_id) = self.met.get(&parent_id) else {
                left += 1;
                continue;
            };
            let target = match items::find(tx, account, board_id, parent_id)? {
                // What is a subitem on the board has none; they go to the item that it belongs to.
                Some(parent) => parent.record.parent_id.unwrap_or(parent.record.id),
                // One that is added, which a look ahead does not do.
                None => parent_id.clone(),
            };
            let item = items::find(tx, account, board_id, &stated.item_id)?;
            let present = item.as_ref().and_then(|item| item.record.parent_id.clone());
            let last = stated.base.as_ref().map(|base| base.parent_id.clone());
            let is_mine = !stated.is_new && last.as_ref().is_some_and(|last| *last != present);
            let stays = present.as_ref() == Some(&target) || (is_mine && !overwrite);
            if stays {
                counts.kept += u64::from(present.as_ref() != Some(&target) && last != Some(Some(target.clone())));
            } else {
                let fits = target != stated.item_id
                    && (stated.is_new || subitems::count(tx, account, board_id, &stated.item_id)? == 0);
                let moved = match (&mut writing, item) {
                    (Some(writing), Some(item)) if fits => writing.put_below(tx, item, &target, &stated)?,
                    _ => fits,
                };
                if !moved {
                    left += 1;
                    continue;
                }
                if !stated.is_new && !stated.is_changed {
                    counts.changed += 1;
                    counts.unchanged -= 1;
                }
            }
            if writing.is_some() && last != Some(Some(target.clone())) {
                stated.given.parent_id = Some(target);
                links::put(tx, account, board_id, source, &stated.key, &stated.given)?;
            }
        }
        if left > 0 {
            problems.add(1, "", "unknown-parent", || {
                format!("{left} rows could not go below their parents; they stay items, or where they stand.")
            });
        }
        Ok(())
    }
}

impl Writing<'_> {
    /// Makes an item a subitem of another; false where it cannot be one.
    fn put_below(&mut self, tx: &mut Tx<'_>, mut item: Item, parent_id: &str, stated: &Stated) -> Result<bool> {
        let before = item.record.clone();
        match subitems::move_to(tx, self.edit, &mut item, None, Some(&json!(parent_id))) {
            Ok(()) => {}
            Err(refusal) if [BOARD_LIMIT.name, SUBITEM_DEPTH.name].contains(&refusal.code().name) => return Ok(false),
            Err(other) => return Err(other),
        }
        if !stated.is_new {
            items::touch(self.edit, &mut item.record);
        }
        items::store(tx, &self.edit.account, &self.edit.board.id, self.edit.board.revision, &item)?;
        if !stated.is_new {
            self.note(tx, &stated.key, Some(&before), &item.record, stated.base.as_ref())?;
        }
        Ok(true)
    }
}
