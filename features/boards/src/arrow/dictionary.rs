//! The distinct values of columns of labels and lists, which the batches of a stream share.

use crate::image::named;
use arrow_array::{ArrayRef, StringArray};
use kit::error::Result;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The distinct values of a column, each with a number.
#[derive(Default)]
pub(super) struct Dictionary {
    by_text: FxHashMap<Box<str>, i32>,
    pub(super) texts: Vec<Box<str>>,
    last: Option<i32>,
    /// All of them, until another comes.
    array: Option<ArrayRef>,
}

impl Dictionary {
    pub(super) fn key_of(&mut self, text: &str) -> i32 {
        // Neighbours often hold the same.
        if let Some(last) = self.last
            && *self.texts[last as usize] == *text
        {
            return last;
        }
        let key = match self.by_text.get(text) {
            Some(key) => *key,
            None => {
                let key = self.texts.len() as i32;
                self.by_text.insert(text.into(), key);
                self.texts.push(text.into());
                self.array = None;
                key
            }
        };
        self.last = Some(key);
        key
    }

    pub(super) fn array(&mut self) -> ArrayRef {
        let texts = &self.texts;
        self.array.get_or_insert_with(|| Arc::new(StringArray::from_iter_values(texts))).clone()
    }
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
    /// Adds what the entries with such keys list.
    pub(super) fn add_to(
        &mut self,
        found: &mut BTreeSet<String>,
        keys_held: impl Iterator<Item = usize>,
        dictionary: &Dictionary,
    ) -> Result<()> {
        let Naming { ids, numbers, entries } = self;
        entries.resize(dictionary.texts.len(), None);
        let mut seen = Vec::new();
        for key in keys_held {
            if entries[key].is_none() {
                let listed = named([&dictionary.texts[key]])?.into_iter().map(|id| {
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
