//! Which items of a board pass: one bit each.

use crate::filter::Test;

/// Rows between two looks whether a selection is still wanted.
const ROWS_BETWEEN_LOOKS: usize = 1024;

/// A set of a board's rows.
#[derive(Clone)]
pub(crate) struct Selection {
    words: Vec<u64>,
    rows: usize,
    count: usize,
}

impl Selection {
    /// Every row.
    pub fn all(rows: usize) -> Selection {
        Selection::of(rows, &Test::Const(true))
    }
    /// The rows that a test lets pass.
    pub fn of(rows: usize, test: &Test<'_>) -> Selection {
        Selection::of_while(rows, test, &|| true)
    }
    /// The same, but without the rows that are left once `goes_on` says no.
    pub fn of_while(rows: usize, test: &Test<'_>, goes_on: &dyn Fn() -> bool) -> Selection {
        let mut words = Vec::with_capacity(rows.div_ceil(64));
        let mut count = 0;
        for start in (0..rows).step_by(64) {
            if start % ROWS_BETWEEN_LOOKS == 0 && !goes_on() {
                words.resize(rows.div_ceil(64), 0);
                break;
            }
            let there = (rows - start).min(64);
            let word = test.word(start, there) & (u64::MAX >> (64 - there));
            count += word.count_ones() as usize;
            words.push(word);
        }
        Selection { words, rows, count }
    }
    /// The rows that are in both.
    pub fn and(&self, other: &Selection) -> Selection {
        let words: Vec<u64> = self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect();
        let count = words.iter().map(|w| w.count_ones() as usize).sum();
        Selection { words, rows: self.rows, count }
    }
    /// How many rows are in it.
    pub fn count(&self) -> usize {
        self.count
    }
    /// Calls with each row in it, rising.
    #[inline]
    pub fn each(&self, mut call: impl FnMut(usize)) {
        for (index, word) in self.words.iter().enumerate() {
            let start = index * 64;
            match *word {
                0 => {}
                u64::MAX => (start..start + 64).for_each(&mut call),
                mut word => {
                    while word != 0 {
                        call(start + word.trailing_zeros() as usize);
                        word &= word - 1;
                    }
                }
            }
        }
    }
}
