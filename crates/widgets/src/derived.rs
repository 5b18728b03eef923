//! Caches results that queries derive from columns, for later queries. Keys contain the stamps of the columns, which no two columns
//! share. A cache lives in its board, or is cleared whenever a board is loaded, changed, or removed.

use crate::dates::Bucket;
use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of cached results; the least recently used is dropped first.
const KEPT_MAX: usize = 32;

/// Keys by which rows are told apart together, at most.
pub(crate) const KEYS_MAX: usize = 3;

type CachedResult = Arc<dyn Any + Send + Sync>;

/// Cached results by what they were derived from, most recently used last.
pub(crate) struct Memory<K> {
    entries: Mutex<Vec<(K, CachedResult)>>,
}

impl<K> Default for Memory<K> {
    fn default() -> Memory<K> {
        Memory { entries: Mutex::default() }
    }
}

impl<K: PartialEq> Memory<K> {
    /// Gets the cached result, or makes it. A key is only ever used for one type.
    pub fn get<T: Any + Send + Sync>(&self, key: K, make: impl FnOnce() -> T) -> Arc<T> {
        if let Some(found) = self.find(&key).and_then(|found| found.downcast().ok()) {
            return found;
        }
        // Others may ask for something else meanwhile.
        let made = Arc::new(make());
        self.keep(key, made.clone());
        made
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(K, CachedResult)>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: &K) -> Option<CachedResult> {
        let mut entries = self.lock();
        let at = entries.iter().rposition(|(entry_key, _)| entry_key == key)?;
        let found = entries[at].1.clone();
        // What is among the last used half is so still.
        if at < KEPT_MAX / 2 {
            entries[at..].rotate_left(1);
        }
        Some(found)
    }

    fn keep(&self, key: K, made: CachedResult) {
        let mut entries = self.lock();
        if entries.len() == KEPT_MAX {
            entries.remove(0);
        }
        entries.push((key, made));
    }

    /// Drops all results.
    pub fn clear(&mut self) {
        self.entries.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// Identifies a result derived from a board's columns, by their stamps.
#[derive(PartialEq)]
pub(crate) enum CacheKey {
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

pub(crate) type Derived = Memory<CacheKey>;

/// Results by the stamps, and a text, of what they are made from.
pub(crate) type Across = Memory<(Vec<u64>, String)>;
