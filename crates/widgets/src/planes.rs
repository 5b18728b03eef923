//! Numbers turned by a quarter: for each binary digit the rows that have it, 64 to a word. What is between two numbers, and which
//! number is the middle one, is told for 64 rows at a time.

use crate::column::NO_INT;
use crate::selection::Selection;
use std::sync::Arc;

/// Candidates among which a number is searched one by one.
const FEW: usize = 2_048;

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
        for (row, value) in values.iter().enumerate().filter(|(_, value)| **value != NO_INT) {
            let (word, bit) = (row / 64, 1 << (row % 64));
            planes.there[word] |= bit;
            let mut rest = (i64::from(*value) * power - base) as u64;
            while rest != 0 {
                let digit = rest.trailing_zeros() as usize;
                while planes.digits.len() <= digit {
                    planes.digits.push(vec![0; words]);
                }
                planes.digits[digit][word] |= bit;
                rest &= rest - 1;
            }
        }
        planes
    }
    fn number(&self, row: usize) -> i64 {
        let digit = |(at, plane): (usize, &Vec<u64>)| (plane[row / 64] >> (row % 64) & 1) << at;
        self.base + self.digits.iter().enumerate().map(digit).sum::<u64>() as i64
    }
}

/// A base that boards with similar numbers share: 0, or the power of two below which none of them is.
pub(crate) fn base(values: &[i32], power: i64) -> i64 {
    let lowest = values.iter().filter(|value| **value != NO_INT).min().map_or(0, |value| i64::from(*value) * power);
    if lowest < 0 { -(lowest.unsigned_abs().next_power_of_two() as i64) } else { 0 }
}

/// The numbers of several boards' rows together, all above the same base.
pub(crate) struct Pool {
    boards: Vec<(Arc<Planes>, Vec<u64>)>,
    /// How many there are.
    pub count: usize,
}

impl Pool {
    pub fn new(boards: Vec<(Arc<Planes>, &Selection)>) -> Pool {
        let rows = |(planes, selection): (Arc<Planes>, &Selection)| {
            let rows = selection.words().iter().zip(&planes.there).map(|(word, there)| word & there).collect();
            (planes, rows)
        };
        let boards: Vec<(Arc<Planes>, Vec<u64>)> = boards.into_iter().map(rows).collect();
        let count = boards.iter().flat_map(|(_, rows)| rows).map(|word| word.count_ones() as usize).sum();
        Pool { boards, count }
    }

    /// The number with so many smaller or equal ones before it.
    pub fn nth(&self, nth: usize) -> Option<i64> {
        if nth >= self.count {
            return None;
        }
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
                        return few.first().copied();
                    }
                    word &= word - 1;
                }
            }
        }
        few.sort_unstable();
        few.get(nth).copied()
    }
}
