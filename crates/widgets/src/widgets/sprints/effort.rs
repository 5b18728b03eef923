//! What items of sprints weigh, alone and together.

use super::{Notes, Sprints};
use crate::column::{Data, NO_INT, Numbers, POWERS};
use crate::tally::{Addends, KEYS_MAX, Keyed, Ways};
use crate::total::{Cell, Function, Ledger, Total};
use crate::widgets::{Input, Part, Skipped};
use std::ops::Range;

/// What a board's items weigh: their number, or one each.
pub(in crate::widgets) struct Effort<'a> {
    pub numbers: Option<&'a Numbers>,
    /// The stamp of the column that they are all of; nothing where they are a choice of one's.
    column: Option<u64>,
}

/// What items weigh together.
#[derive(Clone, Default)]
pub(in crate::widgets) struct Weighed {
    pub sums: Cell,
    /// Items whose number is below zero, which weigh nothing.
    pub negative: u64,
    /// Items without a number, which weigh nothing.
    pub empty: u64,
}

impl Weighed {
    /// Decimals of the numbers that are added one by one: the most that any column has.
    pub const DECIMALS: u8 = 4;

    /// Adds an item by its number.
    pub fn add_number(&mut self, number: Option<f64>) {
        self.sums.items += 1;
        match number {
            None => self.empty += 1,
            Some(number) if number < 0.0 => self.negative += 1,
            Some(number) => {
                // As whole numbers where that loses nothing: sums then are as exact as a column's.
                let scaled = (number * POWERS[usize::from(Self::DECIMALS)]).round();
                match scaled < f64::from(i32::MAX) && scaled / POWERS[usize::from(Self::DECIMALS)] == number {
                    true => self.sums.add_scaled(scaled as i32, Self::DECIMALS, Function::Sum),
                    false => self.sums.add_float(number, Function::Sum),
                }
            }
        }
    }
}

/// What items of several boards weigh, in so many places.
pub(in crate::widgets) struct Scale {
    pub totals: Ledger,
    /// The places behind these are for items that count nowhere, whose numbers do not matter.
    counted: usize,
    places: usize,
    pub negative: u64,
    pub empty: u64,
}

impl Scale {
    /// With so many places, and others behind them for what counts nowhere.
    pub fn new(counted: usize, others: usize) -> Scale {
        let places = counted + others;
        Scale { totals: Ledger::new(places), counted, places, negative: 0, empty: 0 }
    }
}

impl<'a> Effort<'a> {
    pub fn of(part: &Part<'a>) -> Effort<'a> {
        let column = part.column("effort");
        let numbers = column.and_then(|column| match &column.data {
            Data::Numbers(numbers) => Some(numbers),
            _ => None,
        });
        Effort { numbers, column: column.map(|column| column.stamp) }
    }
    /// By numbers of a choice of rows, which are their rows.
    pub fn by(numbers: Option<&'a Numbers>) -> Effort<'a> {
        Effort { numbers, column: None }
    }
    pub fn is_number(&self) -> bool {
        self.numbers.is_some()
    }
    /// A row's number.
    pub fn of_row(&self, row: usize) -> Option<f64> {
        self.numbers?.get(row)
    }
    #[inline]
    pub fn add(&self, row: usize, weighed: &mut Weighed) {
        weighed.sums.items += 1;
        match self.numbers {
            None => {}
            Some(Numbers::Scaled { values, decimals, .. }) => match values[row] {
                NO_INT => weighed.empty += 1,
                value if value < 0 => weighed.negative += 1,
                value => weighed.sums.add_scaled(value, *decimals, Function::Sum),
            },
            Some(Numbers::Float(values)) => match values[row] {
                value if value.is_nan() => weighed.empty += 1,
                value if value < 0.0 => weighed.negative += 1,
                value => weighed.sums.add_float(value, Function::Sum),
            },
        }
    }
    /// Adds up what the passing items weigh: `place` says where the items with some codes belong.
    pub fn weigh(
        &self,
        input: &Input<'_>,
        part: &Part<'_>,
        keyed: &Keyed<'_>,
        scale: &mut Scale,
        ways: &Ways,
        place: impl Fn([u32; KEYS_MAX]) -> usize,
    ) {
        let addends = match (self.numbers, self.column) {
            (None, _) => None,
            (Some(Numbers::Scaled { values, negative: false, .. }), Some(column)) => Some(Addends { column, values }),
            _ => {
                let mut weighed = vec![Weighed::default(); scale.places];
                part.selection.each(|row| self.add(row, &mut weighed[place(keyed.codes(row))]));
                for (at, weighed) in weighed.iter().enumerate() {
                    scale.totals.add(at, &weighed.sums, self.decimals(), None);
                }
                for weighed in &weighed[..scale.counted] {
                    scale.empty += weighed.empty;
                    scale.negative += weighed.negative;
                }
                return;
            }
        };
        let tally = input.tallies.of(&part.selection, keyed, addends);
        // Where items weigh one each, none is without, and what else is counted of them does not matter.
        let totals = scale.totals.sums(self.decimals());
        if addends.is_none() {
            return tally.each_at(ways, place, |at, sums| totals[at].items += sums.items);
        }
        tally.each_at(ways, place, |at, sums| {
            scale.empty += if at < scale.counted { u64::from(sums.items - sums.filled) } else { 0 };
            totals[at].merge(sums);
        });
    }
    pub fn decimals(&self) -> u8 {
        self.numbers.map_or(0, Numbers::decimals)
    }
}

/// Where an item counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::widgets) enum Counts {
    /// In a sprint, as one of the classes that a kind divides its items into.
    In(u32, usize),
    /// It belongs to no sprint.
    Backlog,
    /// It belongs to its sprint no longer.
    Cancelled,
}

/// Effort by sprint and class.
pub(in crate::widgets) struct Tally<const CLASSES: usize> {
    totals: Ledger,
    sprints: usize,
    pub used: u64,
    pub skipped: Vec<Skipped>,
    pub notes: Notes,
}

impl<const CLASSES: usize> Tally<CLASSES> {
    /// Of the boards at these places; `counts` says where a board's items with some codes count.
    pub fn of(
        input: &Input<'_>,
        sprints: &Sprints<'_>,
        boards: &[Keyed<'_>],
        at: Range<usize>,
        counts: impl Fn(usize, [u32; KEYS_MAX]) -> Counts,
    ) -> Tally<CLASSES> {
        let counted = sprints.all().len() * CLASSES;
        let mut scale = Scale::new(counted, 2);
        for at in at {
            let part = &input.parts[at];
            Effort::of(part).weigh(input, part, &boards[at], &mut scale, part.ways(), |codes| {
                match counts(at, codes) {
                    Counts::In(sprint, class) => sprint as usize * CLASSES + class,
                    Counts::Backlog => counted,
                    Counts::Cancelled => counted + 1,
                }
            });
        }
        let Scale { totals, empty, negative, .. } = scale;
        let used = (0..counted).map(|at| totals.items(at)).sum();
        let (backlog, cancelled) = (totals.items(counted), totals.items(counted + 1));
        let mut tally =
            Tally { totals, sprints: sprints.all().len(), used, skipped: Vec::new(), notes: Notes::default() };
        let skipped = [Skipped::items("no-sprint", backlog), Skipped::items("cancelled", cancelled)];
        tally.skipped.extend(skipped.into_iter().flatten());
        tally.notes.add("no-effort", empty);
        tally.notes.add("negative-effort", negative);
        tally.notes.add("several-sprints", sprints.several(input));
        tally
    }
    /// What a class of a sprint came to.
    pub fn total(&self, sprint: usize, class: usize) -> Total {
        self.totals.total(sprint * CLASSES + class)
    }
    /// What each class of a sprint came to.
    pub fn of_sprint(&self, sprint: usize) -> [Total; CLASSES] {
        std::array::from_fn(|class| self.total(sprint, class))
    }
    /// How many items of a class all sprints have.
    pub fn items(&self, class: usize) -> u64 {
        (0..self.sprints).map(|sprint| self.totals.items(sprint * CLASSES + class)).sum()
    }
}
