//! What items of sprints have come to: whether they are done, open, or no longer part of them.

use super::Chosen;
use crate::column::{Coded, Data, Entry};
use crate::family::Family;
use crate::tally::Key;
use crate::widgets::input::Part;
use std::collections::BTreeMap;

/// What becomes of an item.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::widgets) enum Fate {
    Open,
    Done,
    /// No longer part of its sprint.
    Cancelled,
}

/// What the items of a board have come to, by the codes of its done column.
pub(in crate::widgets) struct Fates<'a> {
    coded: &'a Coded,
    is_checkbox: bool,
    /// The labels that were chosen to mean done; the column's own marks where none were.
    done: Option<Vec<String>>,
    /// The labels that were chosen to take items out; those of the category canceled where none were.
    cancelled: Option<Vec<String>>,
    table: Vec<Fate>,
}

impl<'a> Fates<'a> {
    /// The key of a board's done column.
    pub fn key(part: &Part<'a>) -> Option<Key> {
        match &part.column("done")?.data {
            Data::Coded(coded) => Some(Key::from_coded(coded)),
            _ => None,
        }
    }
    /// Nothing where the board has no such column, which the role does not allow.
    pub fn from_part(part: &Part<'a>, chosen: &Chosen) -> Option<Fates<'a>> {
        let column = part.column("done")?;
        let Data::Coded(coded) = &column.data else { return None };
        let listed = |lists: &BTreeMap<String, Vec<String>>| lists.get(&part.board.id).cloned();
        let mut fates = Fates {
            coded,
            is_checkbox: column.family == Family::Checkbox,
            done: listed(&chosen.done),
            cancelled: listed(&chosen.cancelled),
            table: Vec::new(),
        };
        let of_code = |code| {
            let each = coded.entries_of(code).iter().map(|at| &coded.entries[*at as usize]);
            each.map(|entry| fates.of_entry(&entry.id, Some(entry))).max().unwrap_or(Fate::Open)
        };
        fates.table = (0..coded.code_count()).map(of_code).collect();
        Some(fates)
    }
    /// Canceled comes before done, also where a list of done labels names it: only a list of canceled labels says otherwise.
    fn of_entry(&self, id: &str, entry: Option<&Entry>) -> Fate {
        let chosen = |ids: &Option<Vec<String>>| ids.as_ref().map(|ids| ids.iter().any(|one| one == id));
        let marked = |mark: fn(&Entry) -> bool| entry.is_some_and(mark);
        let is_done = match self.is_checkbox {
            true => id == "true",
            false => chosen(&self.done).unwrap_or_else(|| marked(|entry| entry.done)),
        };
        match (chosen(&self.cancelled).unwrap_or_else(|| marked(|entry| entry.canceled)), is_done) {
            (true, _) => Fate::Cancelled,
            (_, true) => Fate::Done,
            _ => Fate::Open,
        }
    }
    /// What a label means, which the column may not have any more.
    pub fn of_label(&self, id: Option<&str>) -> Fate {
        let Some(id) = id else { return Fate::Open };
        let entry = self.coded.entries.iter().find(|entry| entry.id == id);
        self.of_entry(id, entry)
    }
    /// The id of a row's label.
    pub fn label(&self, row: usize) -> Option<&'a str> {
        let entry = self.coded.entries_of(self.coded.codes.get(row) as usize).first()?;
        Some(&self.coded.entries[*entry as usize].id)
    }
    #[inline]
    pub fn fate(&self, code: u32) -> Fate {
        self.table[code as usize]
    }
    /// Whether any value of the column means done.
    pub fn can_be_done(&self) -> bool {
        self.table.contains(&Fate::Done)
    }
}
