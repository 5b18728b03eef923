//! What queries derive from columns, kept for the queries that follow. It goes with what it was derived from: everything in it is
//! named by stamps, which no two columns share, and lies in the board, or goes whenever a board comes, changes or goes.

use crate::dates::Bucket;
use crate::tally::KEYS_MAX;
use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Results kept at most; the one that was not asked for the longest goes first.
const KEPT_MAX: usize = 32;

type Kept = Arc<dyn Any + Send + Sync>;

/// Results by what they are made from, the last used last.
pub(crate) struct Memory<K> {
    kept: Mutex<Vec<(K, Kept)>>,
}

impl<K> Default for Memory<K> {
    fn default() -> Memory<K> {
        Memory { kept: Mutex::default() }
    }
}

impl<K: PartialEq> Memory<K> {
    /// The result that is kept, or else a new one. A key is only ever used for one type.
    pub fn get<T: Any + Send + Sync>(&self, key: K, make: impl FnOnce() -> T) -> Arc<T> {
        if let Some(found) = self.find(&key).and_then(|found| found.downcast().ok()) {
            return found;
        }
        // Others may ask for something else meanwhile.
        let made = Arc::new(make());
        self.keep(key, made.clone());
        made
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(K, Kept)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: &K) -> Option<Kept> {
        let mut kept = self.lock();
        let at = kept.iter().rposition(|(of, _)| of == key)?;
        let found = kept[at].1.clone();
        // What is among the last used half is so still.
        if at < KEPT_MAX / 2 {
            kept[at..].rotate_left(1);
        }
        Some(found)
    }

    fn keep(&self, key: K, made: Kept) {
        let mut kept = self.lock();
        if kept.len() == KEPT_MAX {
            kept.remove(0);
        }
        kept.push((key, made));
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.kept.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// What is derived from a board's columns, by their stamps.
#[derive(PartialEq)]
pub(crate) enum Of {
    /// Codes of days; of instants, with what the viewer's clock is ahead.
    Days(u64, i64),
    /// Codes of the buckets of time that days lie in, which begin by the first day of the week.
    Buckets(u64, i64, Bucket, u8),
    /// Codes of spans.
    Spans(u64),
    /// Codes of several keys as one.
    Fused([Option<u64>; KEYS_MAX]),
    /// The places that codes lead to.
    Placed(u64, Vec<u32>),
    /// The codes that go with other codes alone.
    Within(u64, u64),
    /// Whether days lie by the days that codes name.
    Compared { codes: u64, days: (u64, i64), limits: Vec<Option<i32>> },
    /// Digits of numbers, each times a power, above a base.
    Planes(u64, i64, i64),
    /// The base below which none of the numbers, each times a power, is.
    Base(u64, i64),
    /// The rows whose codes are marked.
    Rows(u64, Vec<bool>),
    /// Which codes there are, and between which days their rows lie.
    Seen { codes: u64, days: Option<u64>, with_subitems: bool },
    /// Where each item stands, by its id.
    RowsById,
}

pub(crate) type Derived = Memory<Of>;
