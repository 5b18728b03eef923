//! Matches the rows of a newer export to the board's items.
//!
//! Invariant: each row has its own item. In this order, a row matches the item with its key from an earlier import; an
//! item on the board whose key column had or has its value; a deleted item that had this value.

use super::links;
use super::load::NewItem;
use crate::board;
use crate::item::{self, NAME, Record, value_of};
use kit::error::Result;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use store::Tx;

/// Where items are looked for that no earlier import knew by the row's key.
pub(super) enum By {
    Name,
    Column(String),
    /// The board has no such column.
    Nothing,
}

impl By {
    /// The item field used as the key.
    fn part(&self) -> Option<&str> {
        match self {
            By::Name => Some(NAME),
            By::Column(column_id) => Some(column_id),
            By::Nothing => None,
        }
    }
}

/// Match of a row.
pub(super) enum Met {
    /// No item: it becomes one.
    New,
    Item(String),
    /// None: the row has no key.
    Nameless,
    /// Nothing, since an earlier row has its key.
    Repeated,
    /// An item that an earlier row has met: by hand and by earlier files one may have come to be known by two keys.
    Taken,
}

/// Matches of a file's rows in order, and the known keys of the board's items.
#[derive(Default)]
pub(super) struct Meeting {
    pub(super) all: Vec<Met>,
    pub(super) keys: HashMap<String, Vec<String>>,
}

/// Meets every row of a source's file with an item of the board.
pub(super) fn meet(
    tx: &mut Tx<'_>,
    (account, board_id, source): (&str, &str, &str),
    rows: &[NewItem],
    by: &By,
) -> Result<Meeting> {
    let keys = links::keys(tx, account, board_id, source)?;
    let known = keys.iter().flat_map(|(item, keys)| keys.iter().map(move |key| (key.as_str(), item.as_str())));
    let known: HashMap<&str, &str> = known.collect();
    let (mut named, mut taken) = (HashSet::with_capacity(rows.len()), HashSet::new());
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        let key = row.key.as_deref().unwrap_or_default();
        all.push(if key.is_empty() {
            Met::Nameless
        } else if !named.insert(key) {
            Met::Repeated
        } else {
            match known.get(key) {
                None => Met::New,
                Some(item) if taken.insert((*item).to_owned()) => Met::Item((*item).to_owned()),
                Some(_) => Met::Taken,
            }
        });
    }
    // By what they show. What two rows show alike is met once: they are two rows all the same.
    let mut shown: HashMap<String, usize> = HashMap::new();
    for (at, row) in rows.iter().enumerate().filter(|(at, _)| matches!(all[*at], Met::New)) {
        let record: Record = serde_json::from_str(&row.record_json).map_err(board::damaged)?;
        if let Some(text) = shown_by(&record, by) {
            shown.entry(text).or_insert(at);
        }
    }
    if shown.is_empty() {
        return Ok(Meeting { all, keys });
    }
    let present: HashSet<String> = links::present(tx, account, board_id, source)?.into_iter().collect();
    let mut gone = Vec::new();
    links::each(tx, account, board_id, source, |item_id, given| {
        if taken.contains(item_id) {
            return;
        }
        let texts = by.part().into_iter().flat_map(|part| given.all(part)).filter_map(|value| text_of(&value));
        let Some(text) = { texts }.find(|text| shown.contains_key(text)) else { return };
        if !present.contains(item_id) {
            gone.push((text, item_id.to_owned()));
        } else if let Some(at) = shown.remove(&text) {
            taken.insert(item_id.to_owned());
            all[at] = Met::Item(item_id.to_owned());
        }
    })?;
    item::each(tx, account, board_id, |record| {
        if !taken.contains(&record.id)
            && let Some(at) = shown_by(&record, by).and_then(|text| shown.remove(&text))
        {
            all[at] = Met::Item(record.id);
        }
    })?;
    for (text, item_id) in gone {
        if taken.insert(item_id.clone())
            && let Some(at) = shown.remove(&text)
        {
            all[at] = Met::Item(item_id);
        }
    }
    Ok(Meeting { all, keys })
}

/// An item's value in the key column.
fn shown_by(record: &Record, by: &By) -> Option<String> {
    text_of(&value_of(record, by.part()?)?)
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
