//! The distinct values of columns of labels and lists, which the batches of a stream share.

use crate::named::named;
use arrow_array::{ArrayRef, StringArray};
use kit::error::Result;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::sync::Arc;

/// The distinct values of a column, each with a number. Stored contiguously, because nearly every row looks one up and
/// the processor's cache is small.
#[derive(Default)]
pub(super) struct Dictionary {
    bytes: String,
    /// Where each text ends.
    ends: Vec<usize>,
    /// Keys in the slot of their text's hash or after it, each with half of that hash. The size is a power of two, at
    /// most half full.
    slots: Vec<Option<(u32, i32)>>,
    last: Option<i32>,
    /// All of them, until another comes.
    array: Option<ArrayRef>,
}

impl Dictionary {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn text(&self, key: usize) -> &str {
        let start = if key == 0 { 0 } else { self.ends[key - 1] };
        &self.bytes[start..self.ends[key]]
    }

    pub(super) fn key_of(&mut self, text: &str) -> i32 {
        // Neighboring items often have the same value.
        if let Some(last) = self.last
            && self.text(last as usize) == text
        {
            return last;
        }
        if 2 * self.len() >= self.slots.len() {
            self.grow();
        }
        let hash = FxBuildHasher.hash_one(text);
        let at = self.slot_of(hash, |key| self.text(key as usize) == text);
        let key = match self.slots[at] {
            Some((_, key)) => key,
            None => {
                let key = self.len() as i32;
                self.slots[at] = Some((half(hash), key));
                self.bytes.push_str(text);
                self.ends.push(self.bytes.len());
                self.array = None;
                key
            }
        };
        self.last = Some(key);
        key
    }

    /// The slot that holds the matching key, or the free slot for it.
    fn slot_of(&self, hash: u64, is_meant: impl Fn(i32) -> bool) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while let Some((other, key)) = self.slots[at]
            && !(other == half(hash) && is_meant(key))
        {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        self.slots = vec![None; (4 * self.len()).next_power_of_two().max(16)];
        for key in 0..self.len() {
            let hash = FxBuildHasher.hash_one(self.text(key));
            let at = self.slot_of(hash, |_| false);
            self.slots[at] = Some((half(hash), key as i32));
        }
    }

    pub(super) fn array(&mut self) -> ArrayRef {
        let array = match self.array.take() {
            Some(array) => array,
            None => Arc::new(StringArray::from_iter_values((0..self.len()).map(|key| self.text(key)))),
        };
        self.array.insert(array).clone()
    }
}

/// The half of a hash that its place does not tell.
fn half(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// The ids that entries of a dictionary list, each entry read once.
#[derive(Default)]
pub(super) struct Naming {
    ids: Vec<String>,
    numbers: FxHashMap<String, usize>,
    /// Of each entry, the numbers of its ids, once it was read.
    entries: Vec<Option<Box<[usize]>>>,
}

impl Naming {
    /// Adds the IDs listed in the entries with these keys.
    pub(super) fn add_to(
        &mut self,
        found: &mut BTreeSet<String>,
        keys_held: impl Iterator<Item = usize>,
        dictionary: &Dictionary,
    ) -> Result<()> {
        let Naming { ids, numbers, entries } = self;
        entries.resize(dictionary.len(), None);
        let mut seen = Vec::new();
        for key in keys_held {
            if entries[key].is_none() {
                let listed = named([dictionary.text(key)])?.into_iter().map(|id| {
                    *numbers.entry(id).or_insert_with_key(|id| {
                        ids.push(id.clone());
                        ids.len() - 1
                    })
                });
                entries[key] = Some(listed.collect());
            }
            for number in entries[key].iter().flatten() {
                if seen.len() <= *number {
                    seen.resize(*number + 1, false);
                }
                if !std::mem::replace(&mut seen[*number], true) {
                    found.insert(ids[*number].clone());
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;

    #[test]
    fn every_text_has_one_key_however_many_there_are() {
        let mut dictionary = Dictionary::default();
        let text = |n: i32| if n == 0 { String::new() } else { format!("[\"member {n}\"]") };
        for round in 0..3 {
            for n in 0..1_000 {
                assert_eq!(dictionary.key_of(&text(n)), n, "round {round}");
                assert_eq!(dictionary.key_of(&text(n)), n, "once more");
            }
        }
        assert_eq!(dictionary.len(), 1_000);
        let array = dictionary.array();
        let texts = array.as_any().downcast_ref::<StringArray>().unwrap();
        assert!(texts.iter().enumerate().all(|(n, found)| found == Some(text(n as i32).as_str())));
        assert_eq!(dictionary.key_of("another"), 1_000);
        assert_eq!(dictionary.array().len(), 1_001);
    }
}
