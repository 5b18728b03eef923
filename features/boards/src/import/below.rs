//! Parents in an update: new items, and existing items whose rows name another parent. Items whose rows name no parent
//! stay where they are.

use super::counts::UpdateCounts;
use super::differences::Difference;
use super::given::{Given, Table};
use super::links;
use super::parents::Below;
use super::update::Writing;
use crate::errors::{BOARD_LIMIT, SUBITEM_DEPTH};
use crate::item::{self, Item};
use crate::subitems::{self, PARENT};
use crate::{SUBITEMS_MAX, fault, items};
use kit::error::Result;
use serde_json::json;
use std::collections::{HashMap, HashSet};
use store::Tx;
use table_import::problems::Problems;

/// A row that names a parent, met with its item.
pub(super) struct Stated {
    /// The keys by which it is known, the row's own first.
    pub(super) keys: Vec<String>,
    pub(super) item_id: String,
    /// Its name on the board.
    pub(super) name: String,
    /// What files gave it, this one with them.
    pub(super) given: Given,
    /// What files before gave it.
    pub(super) base: Option<Given>,
    /// Whether it is known which parent an earlier file named, or that it named none.
    pub(super) knows_parent: bool,
    /// Where among its changes the update has added the item, if it is new.
    pub(super) added_at: Option<i64>,
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
    /// What these are called.
    names: HashMap<String, String>,
}

impl Placing {
    pub(super) fn new(subitems: Vec<Below>) -> Placing {
        Placing {
            rows: subitems.iter().map(|row| row.id.clone()).collect(),
            parents: subitems.iter().map(|row| row.parent_id.clone()).collect(),
            stated: HashMap::new(),
            met: HashMap::new(),
            names: HashMap::new(),
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
    pub(super) fn meet(&mut self, row_id: &str, item_id: &str, name: &str) {
        if self.parents.contains(row_id) {
            self.met.insert(row_id.to_owned(), item_id.to_owned());
            self.names.insert(item_id.to_owned(), name.to_owned());
        }
    }

    /// Moves every item under the parent that its row names, or counts the moves. Items that can't move yet, because
    /// the file moves their subitems elsewhere, are retried, because rows can be in any order.
    pub(super) fn settle(
        mut self,
        tx: &mut Tx<'_>,
        (account, board_id, source, table): (&str, &str, &'static str, &Table),
        overwrite: bool,
        (counts, problems): (&mut UpdateCounts, &mut Problems),
        writing: Option<&mut Writing<'_>>,
    ) -> Result<()> {
        let (mut left, mut waiting) = (0, Vec::new());
        for Below { id, parent_id, .. } in std::mem::take(&mut self.subitems) {
            let Some(stated) = self.stated.remove(&id) else { continue };
            match self.met.get(&parent_id) {
                Some(parent_id) => waiting.push((stated, parent_id.as_str())),
                None => left += 1,
            }
        }
        let (names, placed, more) = (self.names, HashMap::new(), HashMap::new());
        let mut board = Board { account, board_id, names, placed, more, writing };
        loop {
            let before = waiting.len();
            let mut again = Vec::new();
            for (stated, parent_id) in waiting {
                if !board.settle(tx, (source, table), overwrite, counts, (&stated, parent_id))? {
                    again.push((stated, parent_id));
                }
            }
            if again.is_empty() || again.len() == before {
                left += again.len();
                break;
            }
            waiting = again;
        }
        if left > 0 {
            problems.add(1, "", fault::UNKNOWN_PARENT, || {
                format!("Couldn't place {left} rows under their parents; they became items or kept their parent.")
            });
        }
        Ok(())
    }
}

/// The board while items go below others: as it is, or as it would be where nothing is written.
struct Board<'a, 'b> {
    account: &'a str,
    board_id: &'a str,
    /// Names of the items that rows name as parents.
    names: HashMap<String, String>,
    /// Parents of items that would go there.
    placed: HashMap<String, String>,
    /// Subitems that items would have more, or fewer.
    more: HashMap<String, i64>,
    writing: Option<&'a mut Writing<'b>>,
}

impl Board<'_, '_> {
    fn parent_of(&self, tx: &mut Tx<'_>, item_id: &str) -> Result<Option<String>> {
        if let Some(parent_id) = self.placed.get(item_id) {
            return Ok(Some(parent_id.clone()));
        }
        // One that would be added is not there yet.
        Ok(item::find(tx, self.account, self.board_id, item_id)?.and_then(|item| item.record.parent_id))
    }

    fn subitems(&self, tx: &mut Tx<'_>, item_id: &str) -> Result<i64> {
        let more = self.more.get(item_id).copied().unwrap_or_default();
        Ok(subitems::count(tx, self.account, self.board_id, item_id)? + more)
    }

    /// Brings an item below the parent that its row names; false where it cannot go there as things are.
    fn settle(
        &mut self,
        tx: &mut Tx<'_>,
        (source, table): (&str, &Table),
        overwrite: bool,
        counts: &mut UpdateCounts,
        (stated, parent_id): (&Stated, &str),
    ) -> Result<bool> {
        // What is a subitem on the board has none; they go to the item that it belongs to.
        let target = self.parent_of(tx, parent_id)?.unwrap_or_else(|| parent_id.to_owned());
        let present = self.parent_of(tx, &stated.item_id)?;
        let is_there = present.as_ref() == Some(&target);
        let is_new = stated.added_at.is_some();
        let (wanted, shown) = (json!(target), present.as_ref().map(|id| json!(id)));
        let is_mine = stated.knows_parent && stated.given.is_mine(table, PARENT, shown.as_ref(), Some(&wanted));
        if is_there || (is_mine && !overwrite) {
            if !is_there && !is_new {
                counts.keep(|| self.difference(tx, stated, present.as_deref(), &target))?;
            }
        } else {
            let fits = target != stated.item_id
                && (is_new || self.subitems(tx, &stated.item_id)? == 0)
                && self.subitems(tx, &target)? < SUBITEMS_MAX;
            if !fits || !self.place(tx, stated, present.as_deref(), &target)? {
                return Ok(false);
            }
            if !is_new {
                counts.change(|| self.difference(tx, stated, present.as_deref(), &target))?;
                if !stated.is_changed {
                    counts.changed += 1;
                    counts.unchanged -= 1;
                }
            }
        }
        let mut given = stated.given.clone();
        let came = !is_there && (!is_mine || overwrite);
        if self.writing.is_some()
            && (given.say(table, PARENT, (shown.as_ref(), Some(&wanted)), came) || !stated.knows_parent)
        {
            links::put(tx, [self.account, self.board_id, source], &stated.keys, &given)?;
        }
        Ok(true)
    }

    fn difference(&self, tx: &mut Tx<'_>, stated: &Stated, present: Option<&str>, target: &str) -> Result<Difference> {
        let mut called = |item_id: &str| match self.names.get(item_id) {
            Some(name) => Ok(name.clone()),
            None => item::find(tx, self.account, self.board_id, item_id)
                .map(|item| item.map_or_else(String::new, |item| item.record.name)),
        };
        Ok(Difference {
            board: present.map_or(Ok(String::new()), &mut called)?,
            file: called(target)?,
            item_id: stated.item_id.clone(),
            name: stated.name.clone(),
            field: PARENT.to_owned(),
            title: "Parent".to_owned(),
        })
    }

    fn place(&mut self, tx: &mut Tx<'_>, stated: &Stated, present: Option<&str>, target: &str) -> Result<bool> {
        if let Some(writing) = &mut self.writing {
            let Some(item) = item::find(tx, self.account, self.board_id, &stated.item_id)? else { return Ok(false) };
            return writing.put_below(tx, item, target, stated);
        }
        if let Some(parent_id) = present {
            *self.more.entry(parent_id.to_owned()).or_default() -= 1;
        }
        *self.more.entry(target.to_owned()).or_default() += 1;
        self.placed.insert(stated.item_id.clone(), target.to_owned());
        Ok(true)
    }
}

impl Writing<'_> {
    /// Makes an item a subitem of another; false where it cannot be one.
    fn put_below(&mut self, tx: &mut Tx<'_>, mut item: Item, parent_id: &str, stated: &Stated) -> Result<bool> {
        let before = item.record.clone();
        match subitems::move_to(tx, self.edit, &mut item, None, Some(&json!(parent_id)), "") {
            Ok(()) => {}
            Err(refusal) if refusal.is(&BOARD_LIMIT) || refusal.is(&SUBITEM_DEPTH) => return Ok(false),
            Err(other) => return Err(other),
        }
        if stated.added_at.is_none() {
            items::touch(self.edit, &mut item.record);
        }
        item::store(tx, &self.edit.account, &self.edit.board.id, self.edit.board.revision, &item)?;
        match stated.added_at {
            Some(place) => self.renote(tx, place, &item.record)?,
            None => self.note(tx, &stated.keys[0], Some(&before), &item.record, stated.base.as_ref())?,
        }
        Ok(true)
    }
}
