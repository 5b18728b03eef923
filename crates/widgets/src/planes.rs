//! Numbers turned by a quarter: for each binary digit the rows that have it, 64 to a word. What is between two numbers, and which
//! number is the middle one, is told for 64 rows at a time. The same is kept of which rows hold a label.

use crate::column::{Coded, NO_INT};
use crate::selection::{BLOCK, Selection};
use std::sync::Arc;

/// Candidates among which a number is searched one by one.
const FEW: usize = 1024;

/// A column's numbers above a base.
pub(crate) struct Planes {
    base: i64,
    /// The lowest digit first.
    digits: Vec<Vec<u64>>,
    /// The rows that have a number.
    there: Vec<u64>,
}

impl Planes {
    /// Of whole numbers, each times `power`; none is below the base.
    pub fn new(values: &[i32], power: i64, base: i64) -> Planes {
        let words = values.len().div_ceil(64);
        let mut planes = Planes { base, digits: Vec::new(), there: vec![0; words] };
        for (word, values) in values.chunks(64).enumerate() {
            let (mut digits, mut most) = ([0; 64], 0);
            for (at, value) in values.iter().enumerate().filter(|(_, value)| **value != NO_INT) {
                planes.there[word] |= 1 << at;
                let mut rest = (i64::from(*value) * power - base) as u64;
                most |= rest;
                while rest != 0 {
                    digits[rest.trailing_zeros() as usize % 64] |= 1 << at;
                    rest &= rest - 1;
                }
            }
            let count = 64 - most.leading_zeros() as usize;
            while planes.digits.len() < count {
                planes.digits.push(vec![0; words]);
            }
            planes.digits.iter_mut().zip(digits).take(count).for_each(|(plane, digit)| plane[word] = digit);
        }
        planes
    }
    /// Takes away the rows whose number does not lie between two, both inclusive, from some words, the first of which is told.
    pub fn narrow(&self, from: i64, to: i64, first: usize, words: &mut [u64]) {
        let (from, to) = (from - self.base, to - self.base);
        let most = (1 << self.digits.len()) - 1;
        if to < from.max(0) || from > most {
            words.fill(0);
            return;
        }
        words.iter_mut().zip(&self.there[first..]).for_each(|(word, there)| *word &= there);
        // Digit by digit from the lowest: what is decided so far holds where the digits above are the bound's own.
        let mut narrow = |bound: i64, is_lower: bool| {
            let mut met = [u64::MAX; BLOCK];
            for (at, plane) in self.digits.iter().enumerate() {
                let pairs = met.iter_mut().zip(&plane[first..]);
                match (bound >> at & 1 == 1, is_lower) {
                    (true, true) => pairs.for_each(|(met, digit)| *met &= digit),
                    (false, true) => pairs.for_each(|(met, digit)| *met |= digit),
                    (true, false) => pairs.for_each(|(met, digit)| *met |= !digit),
                    (false, false) => pairs.for_each(|(met, digit)| *met &= !digit),
                }
            }
            words.iter_mut().zip(met).for_each(|(word, met)| *word &= met);
        };
        if from > 0 {
            narrow(from, true);
        }
        if to < most {
            narrow(to, false);
        }
    }
    fn number(&self, row: usize) -> i64 {
        let digit = |(at, plane): (usize, &Vec<u64>)| (plane[row / 64] >> (row % 64) & 1) << at;
        self.base + self.digits.iter().enumerate().map(digit).sum::<u64>() as i64
    }
}

/// The lowest number, below which there is nothing to tell apart.
pub(crate) fn lowest(values: &[i32]) -> i64 {
    values.iter().filter(|value| **value != NO_INT).min().map_or(0, |value| i64::from(*value))
}

/// A base that boards with similar numbers share: 0, or the power of two below which none of them is.
pub(crate) fn base(values: &[i32], power: i64) -> i64 {
    let lowest = lowest(values) * power;
    if lowest < 0 { -(lowest.unsigned_abs().next_power_of_two() as i64) } else { 0 }
}

/// A rule over entries of one column: their texts are compared once, and not for each set of them.
pub(crate) struct Judge {
    /// Of each of these a set has to hold some that are marked.
    pub marks: Vec<Vec<bool>>,
    /// The empty set meets it too.
    pub nobody: bool,
    pub not: bool,
}

impl Judge {
    /// Whether a cell with these entries meets it.
    pub fn is_met(&self, members: &[u32]) -> bool {
        let holds = |marks: &Vec<bool>| members.iter().any(|member| marks[*member as usize]);
        ((self.nobody && members.is_empty()) || self.marks.iter().all(holds)) != self.not
    }
}

/// The rows that hold each of a column's entries, 64 to a word.
pub(crate) struct Holders {
    by_entry: Vec<Vec<u64>>,
    /// The rows that hold none.
    nobody: Vec<u64>,
}

/// Entries of a column at most whose holders are kept: they take a bit for an item each.
pub(crate) const HOLDERS_MAX: usize = 64;

impl Holders {
    pub fn new(coded: &Coded) -> Holders {
        let rows = coded.codes.len();
        let words = rows.div_ceil(64);
        let mut holders = Holders { by_entry: vec![vec![0; words]; coded.entries.len()], nobody: vec![0; words] };
        for row in 0..rows {
            let (word, bit) = (row / 64, 1 << (row % 64));
            let members = coded.entries_of(coded.codes.get(row) as usize);
            members.iter().for_each(|entry| holders.by_entry[*entry as usize][word] |= bit);
            holders.nobody[word] |= if members.is_empty() { bit } else { 0 };
        }
        holders
    }
    /// Takes away the rows whose entries do not meet a rule from some words, the first of which is told.
    pub fn narrow(&self, judge: &Judge, first: usize, words: &mut [u64]) {
        let mut met = [u64::MAX; BLOCK];
        for marks in &judge.marks {
            let mut some = [0; BLOCK];
            for (rows, _) in self.by_entry.iter().zip(marks).filter(|(_, is_marked)| **is_marked) {
                some.iter_mut().zip(&rows[first..]).for_each(|(some, rows)| *some |= rows);
            }
            met.iter_mut().zip(some).for_each(|(met, some)| *met &= some);
        }
        if judge.nobody {
            met.iter_mut().zip(&self.nobody[first..]).for_each(|(met, nobody)| *met |= nobody);
        }
        let turned = if judge.not { u64::MAX } else { 0 };
        words.iter_mut().zip(met).for_each(|(word, met)| *word &= met ^ turned);
    }
}

/// The numbers of several boards' rows together, all above the same base.
pub(crate) struct Pool {
    boards: Vec<(Arc<Planes>, Vec<u64>)>,
    /// The numbers in their order, in the place of the boards, where they are few.
    few: Vec<i64>,
    /// How many there are.
    pub count: usize,
}

impl Pool {
    pub fn new(boards: Vec<(Arc<Planes>, &Selection)>) -> Pool {
        if boards.iter().map(|(_, selection)| selection.count()).sum::<usize>() <= FEW {
            let mut few = Vec::new();
            for (planes, selection) in &boards {
                let is_there = |row: usize| planes.there[row / 64] >> (row % 64) & 1 == 1;
                selection.each(|row| few.extend(is_there(row).then(|| planes.number(row))));
            }
            few.sort_unstable();
            return Pool { count: few.len(), boards: Vec::new(), few };
        }
        let rows = |(planes, selection): (Arc<Planes>, &Selection)| {
            let rows = selection.words().iter().zip(&planes.there).map(|(word, there)| word & there).collect();
            (planes, rows)
        };
        let boards: Vec<(Arc<Planes>, Vec<u64>)> = boards.into_iter().map(rows).collect();
        let count = boards.iter().flat_map(|(_, rows)| rows).map(|word| word.count_ones() as usize).sum();
        Pool { boards, few: Vec::new(), count }
    }

    /// The number with so many smaller or equal ones before it.
    pub fn nth(&self, nth: usize) -> Option<i64> {
        Some(self.two(nth, nth)?.0)
    }

    /// The numbers with so many smaller or equal ones before them, the lower one first. Near to each other they are found at once.
    pub fn two(&self, nth: usize, other: usize) -> Option<(i64, i64)> {
        if nth > other || other >= self.count {
            return None;
        }
        if !self.few.is_empty() {
            return Some((self.few[nth], self.few[other]));
        }
        let above = other - nth;
        let mut left: Vec<Vec<u64>> = self.boards.iter().map(|(_, rows)| rows.clone()).collect();
        let (mut nth, mut count) = (nth, self.count);
        let digits = self.boards.iter().map(|(planes, _)| planes.digits.len()).max().unwrap_or_default();
        for digit in (0..digits).rev() {
            if count <= FEW {
                break;
            }
            let planes = || self.boards.iter().map(|(planes, _)| planes.digits.get(digit));
            // What lacks the digit comes first.
            let with: usize = left
                .iter()
                .zip(planes())
                .filter_map(|(rows, plane)| Some(rows.iter().zip(plane?)))
                .flatten()
                .map(|(word, plane)| (word & plane).count_ones() as usize)
                .sum();
            let without = count - with;
            let has = nth >= without;
            if has != (nth + above >= without) {
                return self.nth(other - above).zip(self.nth(other));
            }
            (nth, count) = if has { (nth - without, with) } else { (nth, without) };
            for (rows, plane) in left.iter_mut().zip(planes()) {
                match plane {
                    Some(plane) if has => rows.iter_mut().zip(plane).for_each(|(word, plane)| *word &= plane),
                    Some(plane) => rows.iter_mut().zip(plane).for_each(|(word, plane)| *word &= !plane),
                    None if has => rows.fill(0),
                    None => {}
                }
            }
        }
        let mut few = Vec::with_capacity(count.min(FEW));
        for ((planes, _), rows) in self.boards.iter().zip(&left) {
            for (at, word) in rows.iter().enumerate().filter(|(_, word)| **word != 0) {
                let mut word = *word;
                while word != 0 {
                    few.push(planes.number(at * 64 + word.trailing_zeros() as usize));
                    // All that are left may be one and the same number.
                    if few.len() > FEW {
                        return few.first().map(|number| (*number, *number));
                    }
                    word &= word - 1;
                }
            }
        }
        few.sort_unstable();
        few.get(nth).copied().zip(few.get(nth + above).copied())
    }
}
