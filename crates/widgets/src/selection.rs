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
    /// Those of its rows that a test lets pass.
    pub fn only(&self, test: impl Fn(usize) -> bool) -> Selection {
        let mut words = vec![0; self.words.len()];
        let mut count = 0;
        self.each(|row| {
            if test(row) {
                words[row / 64] |= 1 << (row % 64);
                count += 1;
            }
        });
        Selection { words, rows: self.rows, count }
    }
    /// How many rows are in it.
    pub fn count(&self) -> usize {
        self.count
    }
    /// At most so many of its rows, rising, after the first `skip`.
    pub fn page(&self, skip: usize, most: usize) -> Vec<usize> {
        let mut rows = Vec::new();
        let mut before = 0;
        for (index, word) in self.words.iter().enumerate() {
            let there = word.count_ones() as usize;
            if before + there > skip && rows.len() < most {
                let mut word = *word;
                while word != 0 && rows.len() < most {
                    if before >= skip {
                        rows.push(index * 64 + word.trailing_zeros() as usize);
                    }
                    before += 1;
                    word &= word - 1;
                }
            } else {
                before += there;
            }
            if rows.len() == most {
                break;
            }
        }
        rows
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
