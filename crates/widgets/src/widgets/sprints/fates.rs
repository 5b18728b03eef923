//! What items of sprints have come to: whether they are done, open, or no longer part of them.

use super::Chosen;
use crate::board::Family;
use crate::column::{Coded, Data};
use crate::tally::Key;
use crate::widgets::Part;
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
    cancelled: Vec<String>,
    table: Vec<Fate>,
}

impl<'a> Fates<'a> {
    /// The key of a board's done column.
    pub fn key(part: &Part<'a>) -> Option<Key> {
        match &part.column("done")?.data {
            Data::Coded(coded) => Some(Key::of(coded)),
            _ => None,
        }
    }
    /// Nothing where the board has no such column, which the role does not allow.
    pub fn of(part: &Part<'a>, chosen: &Chosen) -> Option<Fates<'a>> {
        let column = part.column("done")?;
        let Data::Coded(coded) = &column.data else { return None };
        let listed = |lists: &BTreeMap<String, Vec<String>>| lists.get(&part.board.id).cloned();
        let mut fates = Fates {
            coded,
            is_checkbox: column.family == Family::Checkbox,
            done: listed(&chosen.done),
            cancelled: listed(&chosen.cancelled).unwrap_or_default(),
            table: Vec::new(),
        };
        let of_code = |code| {
            let each = coded.entries_of(code).iter().map(|at| &coded.entries[*at as usize]);
            each.map(|entry| fates.of_entry(&entry.id, entry.done)).max().unwrap_or(Fate::Open)
        };
        fates.table = (0..coded.code_count()).map(of_code).collect();
        Some(fates)
    }
    fn of_entry(&self, id: &str, is_marked: bool) -> Fate {
        let is_done = match (self.is_checkbox, &self.done) {
            (true, _) => id == "true",
            (_, Some(done)) => done.iter().any(|one| one == id),
            (_, None) => is_marked,
        };
        match (self.cancelled.iter().any(|one| one == id), is_done) {
            (true, _) => Fate::Cancelled,
            (_, true) => Fate::Done,
            _ => Fate::Open,
        }
    }
    /// What a label means, which the column may not have any more.
    pub fn of_label(&self, id: Option<&str>) -> Fate {
        let Some(id) = id else { return Fate::Open };
        let entry = self.coded.entries.iter().find(|entry| entry.id == id);
        self.of_entry(id, entry.is_some_and(|entry| entry.done))
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
