//! What the items of a view come to, column by column: for the board and for each group.

use crate::board::Board;
use crate::board::overlay::Overlay;
use crate::column::{Data, Form, NO_DAY};
use crate::dates;
use crate::family::Family;
use crate::total::{Cell, Function, Total};
use serde::Serialize;
use std::collections::BTreeMap;

/// What one column comes to.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct ColumnTotal {
    /// How many cells are not empty; of a checkbox how many are checked.
    pub filled: u64,
    /// Numbers: their sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sum: Option<f64>,
    /// Numbers: their mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average: Option<f64>,
    /// Numbers: the smallest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Numbers: the largest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Dates: the first and the last day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<(String, String)>,
    /// Labels: how many items hold each, by the label's id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, u64>,
}

/// What a group's items come to.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct GroupTotal {
    /// How many items there are.
    pub items: u64,
    /// By column id.
    pub columns: BTreeMap<String, ColumnTotal>,
}

/// Totals of a view.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Totals {
    /// Of all its items.
    pub all: GroupTotal,
    /// By group id; groups without items are left out.
    pub groups: BTreeMap<String, GroupTotal>,
}

/// What is added up of one column in one group.
#[derive(Clone, Default)]
struct Sum {
    filled: u64,
    number: Total,
    days: Option<(i32, i32)>,
    labels: BTreeMap<String, u64>,
}

impl Sum {
    /// Adds a span of days, or none.
    fn note(&mut self, from: i32, to: i32) {
        if from != NO_DAY {
            self.filled += 1;
            self.days = Some(self.days.map_or((from, to), |(first, last)| (first.min(from), last.max(to))));
        }
    }

    fn merge(&mut self, other: &Sum) {
        self.filled += other.filled;
        self.number.merge(&other.number);
        if let Some((first, last)) = other.days {
            self.days = Some(self.days.map_or((first, last), |(a, b)| (a.min(first), b.max(last))));
        }
        for (id, count) in &other.labels {
            *self.labels.entry(id.clone()).or_default() += count;
        }
    }

    fn described(&self, family: Family) -> ColumnTotal {
        let number = |function| (family == Family::Number).then(|| self.number.value(function)).flatten();
        ColumnTotal {
            filled: if family == Family::Number { self.number.filled } else { self.filled },
            sum: number(Function::Sum).filter(|_| self.number.filled > 0),
            average: number(Function::Average),
            min: number(Function::Min),
            max: number(Function::Max),
            days: self.days.map(|(first, last)| (dates::iso(first), dates::iso(last))),
            labels: self.labels.clone(),
        }
    }
}

/// Adds up the rows of a view: `base` are rows of the board, `above` of the overlay.
pub(crate) fn compute(board: &Board, base: &[u32], overlay: Option<(&Overlay, &[u32])>) -> Totals {
    let mut parts = vec![(board, base)];
    parts.extend(overlay.map(|(overlay, rows)| (&overlay.board, rows)));
    let mut groups: BTreeMap<String, GroupTotal> = BTreeMap::new();
    let mut placed = Vec::new();
    for (part, rows) in &parts {
        let places: Vec<u32> = rows.iter().map(|row| part.groups.codes.get(*row as usize)).collect();
        let mut counts = vec![0u64; part.groups.code_count()];
        places.iter().for_each(|place| counts[*place as usize] += 1);
        for (place, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
            groups.entry(group_id(part, place)).or_default().items += count;
        }
        placed.push(places);
    }
    let mut all = GroupTotal { items: parts.iter().map(|(_, rows)| rows.len() as u64).sum(), ..GroupTotal::default() };
    for (index, column) in board.columns.iter().enumerate() {
        let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
        for ((part, rows), places) in parts.iter().zip(&placed) {
            for (place, sum) in add_up(part, index, rows, places).into_iter().enumerate() {
                sums.entry(group_id(part, place)).or_default().merge(&sum);
            }
        }
        let mut whole = Sum::default();
        for (id, sum) in &sums {
            whole.merge(sum);
            if let Some(group) = groups.get_mut(id) {
                group.columns.insert(column.id.clone(), sum.described(column.family));
            }
        }
        all.columns.insert(column.id.clone(), whole.described(column.family));
    }
    Totals { all, groups }
}

fn group_id(board: &Board, place: usize) -> String {
    match board.groups.entries_of(place).first() {
        Some(entry) => board.groups.entries[*entry as usize].id.clone(),
        None => String::new(),
    }
}

/// One column of one part of a board, by the code of the group.
fn add_up(board: &Board, index: usize, rows: &[u32], places: &[u32]) -> Vec<Sum> {
    let count = board.groups.code_count();
    let mut sums = vec![Sum::default(); count];
    let column = &board.columns[index];
    let each = rows.iter().map(|row| *row as usize).zip(places.iter().map(|place| *place as usize));
    match &column.data {
        Data::Numbers(numbers) => {
            let mut cells = vec![Cell::default(); count];
            each.for_each(|(row, place)| cells[place].add(numbers, row, Function::Min));
            for (sum, cell) in sums.iter_mut().zip(&cells) {
                sum.number.add(cell, numbers.decimals(), None);
            }
        }
        Data::Days(days) => each.for_each(|(row, place)| sums[place].note(days[row], days[row])),
        Data::Spans(from, to) => each.for_each(|(row, place)| sums[place].note(from[row], to[row])),
        Data::Text(texts) | Data::Files(texts) => {
            each.for_each(|(row, place)| sums[place].filled += u64::from(!texts.get(row).trim().is_empty()))
        }
        Data::Instants(_) => each.for_each(|(_, place)| sums[place].filled += 1),
        Data::Opaque => {}
        Data::Coded(coded) => {
            let codes = coded.code_count();
            let mut counts = vec![0u64; codes * count];
            match &coded.codes.form {
                Form::U16(values) => {
                    each.for_each(|(row, place)| counts[place * codes + usize::from(values[row])] += 1)
                }
                Form::U32(values) => each.for_each(|(row, place)| counts[place * codes + values[row] as usize] += 1),
            }
            for (sum, counts) in sums.iter_mut().zip(counts.chunks(codes)) {
                for (code, count) in counts.iter().enumerate().skip(1).filter(|(_, count)| **count > 0) {
                    let entry = coded.entries_of(code).first().map(|entry| &coded.entries[*entry as usize]);
                    let Some(entry) = entry else { continue };
                    if column.family != Family::Checkbox || entry.id == "true" {
                        sum.filled += count;
                    }
                    if column.family == Family::Label {
                        *sum.labels.entry(entry.id.clone()).or_default() += count;
                    }
                }
            }
        }
    }
    sums
}
