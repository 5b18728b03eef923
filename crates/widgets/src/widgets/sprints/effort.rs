//! What items of sprints weigh, alone and together.

use super::{Notes, Sprints};
use crate::column::{Data, NO_INT, Numbers, POWERS};
use crate::tally::Places;
use crate::total::{Cell, Function, Ledger, Total};
use crate::widgets::answer::Skipped;
use crate::widgets::input::{Input, Part};
use crate::widgets::measure::Measure;
use std::sync::Arc;

/// What a board's items weigh: their number, or one each.
pub(in crate::widgets) struct Effort<'a> {
    pub numbers: Option<&'a Numbers>,
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

/// What items of several boards weigh, in so many slots.
pub(in crate::widgets) struct Scale {
    pub totals: Ledger,
    pub negative: u64,
    pub empty: u64,
}

/// Calls with each slot in which belongs what stands for something.
pub(in crate::widgets) type Slots<'a> = &'a dyn Fn(u64, &mut dyn FnMut(usize));

impl Scale {
    /// Of the passing items. Of the slots of what stands for something the first decides: those behind the counted ones are for
    /// items that count nowhere, whose numbers do not matter.
    pub fn new(
        input: &Input<'_>,
        measure: &Measure,
        places: &Arc<Places>,
        (counted, count): (usize, usize),
        slots: Slots<'_>,
    ) -> Scale {
        let mut scale = Scale { totals: Ledger::new(count, measure.decimals()), negative: 0, empty: 0 };
        let is_counted = |means: u64| {
            let mut first = None;
            slots(means, &mut |slot| first = first.or(Some(slot)));
            first.is_some_and(|first| first < counted)
        };
        if let Some(cells) = measure.cells(input, places) {
            cells.each(|place, sums| {
                let means = places.of[place];
                let without = if measure.is_of_items() { 0 } else { sums.items() - sums.filled() };
                scale.empty += if without > 0 && is_counted(means) { without } else { 0 };
                slots(means, &mut |slot| scale.totals.merge(slot, sums));
            });
            return scale;
        }
        for (at, part) in input.parts.iter().enumerate() {
            let effort = Effort::from_part(part);
            let cells = places.cells(at, &part.selection, |weighed: &mut Weighed, row| effort.add(row, weighed));
            for (place, weighed) in cells.iter().filter(|(_, weighed)| weighed.sums.items > 0) {
                let means = places.of[*place];
                if is_counted(means) {
                    scale.empty += weighed.empty;
                    scale.negative += weighed.negative;
                }
                slots(means, &mut |slot| scale.totals.add(slot, &weighed.sums, effort.decimals(), None));
            }
        }
        scale
    }
}

impl<'a> Effort<'a> {
    pub fn from_part(part: &Part<'a>) -> Effort<'a> {
        let column = part.column("effort");
        let numbers = column.and_then(|column| match &column.data {
            Data::Numbers(numbers) => Some(numbers),
            _ => None,
        });
        Effort { numbers }
    }
    /// By numbers of a choice of rows, which are their rows.
    pub fn by(numbers: Option<&'a Numbers>) -> Effort<'a> {
        Effort { numbers }
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

impl Counts {
    /// As places tell it, where each sprint has so many classes.
    pub fn means(self, classes: usize) -> u64 {
        match self {
            Counts::In(sprint, class) => (sprint as usize * classes + class) as u64,
            Counts::Backlog => BACKLOG_MEANS,
            Counts::Cancelled => CANCELLED_MEANS,
        }
    }
    /// What places tell so.
    pub fn from_meaning(means: u64, classes: usize) -> Counts {
        match means {
            BACKLOG_MEANS => Counts::Backlog,
            CANCELLED_MEANS => Counts::Cancelled,
            means => Counts::In((means as usize / classes) as u32, means as usize % classes),
        }
    }
}

/// What stands for a sprint and a class is less.
const BACKLOG_MEANS: u64 = u32::MAX as u64 - 1;
const CANCELLED_MEANS: u64 = u32::MAX as u64;

/// Effort by sprint and class.
pub(in crate::widgets) struct Tally<const CLASSES: usize> {
    totals: Ledger,
    sprints: usize,
    pub used: u64,
    pub skipped: Vec<Skipped>,
    pub notes: Notes,
}

impl<const CLASSES: usize> Tally<CLASSES> {
    /// Of places that tell what counts where.
    pub fn new(input: &Input<'_>, sprints: &Sprints, measure: &Measure, places: &Arc<Places>) -> Tally<CLASSES> {
        let counted = sprints.all().len() * CLASSES;
        let slot = |means: u64, put: &mut dyn FnMut(usize)| {
            put(match Counts::from_meaning(means, CLASSES) {
                Counts::In(sprint, class) => sprint as usize * CLASSES + class,
                Counts::Backlog => counted,
                Counts::Cancelled => counted + 1,
            });
        };
        let Scale { totals, empty, negative } = Scale::new(input, measure, places, (counted, counted + 2), &slot);
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
