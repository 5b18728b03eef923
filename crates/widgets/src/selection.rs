//! Which items of a board pass: one bit each.

/// Words of rows that are tested together; between them is looked whether a selection is still wanted.
pub(crate) const BLOCK: usize = 16;

/// Rows of a selection at most that are listed beside its bits: whoever asks for few need not look through the bits of all.
const LISTED_MAX: usize = 64;

/// A set of a board's rows.
#[derive(Clone)]
pub(crate) struct Selection {
    words: Vec<u64>,
    rows: usize,
    count: usize,
    /// Its rows, rising, where they are few.
    listed: Option<Vec<u32>>,
}

impl Selection {
    /// Every row.
    pub fn all(rows: usize) -> Selection {
        Selection::narrowed(rows, |_, _| {})
    }
    /// Every row but those that are taken out of blocks of words; of each block its first row is passed on.
    pub fn narrowed(rows: usize, mut narrow: impl FnMut(usize, &mut [u64])) -> Selection {
        let mut words = vec![u64::MAX; rows.div_ceil(64)];
        if let (Some(last), left @ 1..) = (words.last_mut(), rows % 64) {
            *last >>= 64 - left;
        }
        for (at, block) in words.chunks_mut(BLOCK).enumerate() {
            narrow(at * BLOCK * 64, block);
        }
        Selection::new(words, rows)
    }
    fn new(words: Vec<u64>, rows: usize) -> Selection {
        let count = words.iter().map(|word| word.count_ones() as usize).sum();
        let listed = (count <= LISTED_MAX).then(|| listed(count, words.iter().copied()));
        Selection { words, rows, count, listed }
    }
    /// The rows that are in both.
    pub fn and(&self, other: &Selection) -> Selection {
        Selection::new(self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect(), self.rows)
    }
    /// Those of its rows that a test lets pass.
    pub fn only(&self, test: impl Fn(usize) -> bool) -> Selection {
        let mut words = vec![0; self.words.len()];
        self.each(|row| words[row / 64] |= u64::from(test(row)) << (row % 64));
        Selection::new(words, self.rows)
    }
    /// In how many rows it differs from another.
    pub fn differing(&self, other: &Selection) -> usize {
        self.words.iter().zip(&other.words).map(|(a, b)| (a ^ b).count_ones() as usize).sum()
    }
    /// Its rows that are not in another, rising.
    pub fn without(&self, other: &Selection) -> Vec<u32> {
        let words = || self.words.iter().zip(&other.words).map(|(a, b)| a & !b);
        listed(words().map(|word| word.count_ones() as usize).sum(), words())
    }
    /// Its rows, rising.
    pub fn list(&self) -> Vec<u32> {
        self.listed.clone().unwrap_or_else(|| listed(self.count, self.words.iter().copied()))
    }
    /// Whether a row is in it.
    pub fn has(&self, row: usize) -> bool {
        self.words[row / 64] >> (row % 64) & 1 == 1
    }
    /// One bit for each row.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
    /// How many rows the board has.
    pub fn rows(&self) -> usize {
        self.rows
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
        if let Some(listed) = &self.listed {
            return listed.iter().for_each(|row| call(*row as usize));
        }
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

/// The rows of some words, so many of them.
fn listed(count: usize, words: impl Iterator<Item = u64>) -> Vec<u32> {
    let mut rows = Vec::with_capacity(count);
    for (index, mut word) in words.enumerate() {
        while word != 0 {
            rows.push((index * 64) as u32 + word.trailing_zeros());
            word &= word - 1;
        }
    }
    rows
}
