//! Which item of the board each row of a newer export is.
//!
//! Invariant: no two rows are one item. A row is, in this order: the item that an earlier import knew by its key; the one to which
//! an earlier import gave what the row shows in the column that tells rows apart; the one that shows it on the board.

use super::links;
use super::load::NewItem;
use crate::board;
use crate::items::{self, Record};
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

/// What a row has met.
pub(super) enum Met {
    /// No item: it becomes one.
    New,
    /// This item, and the key by which earlier imports knew it.
    Item(String, Option<String>),
    /// Nothing, since the row says not which item it is.
    Nameless,
    /// Nothing, since an earlier row has its key.
    Repeated,
    /// An item that an earlier row has met: by hand and by earlier files one may have come to be known by two keys.
    Taken,
}

/// Meets every row of a source's file with an item of the board.
pub(super) fn meet(
    tx: &mut Tx<'_>,
    (account, board_id, source): (&str, &str, &str),
    rows: &[NewItem],
    by: &By,
) -> Result<Vec<Met>> {
    let known = links::items(tx, account, board_id, source)?;
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
                Some(item) if taken.insert(item.clone()) => Met::Item(item.clone(), Some(key.to_owned())),
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
        return Ok(all);
    }
    links::each(tx, account, board_id, source, |key, item_id, given| {
        if !named.contains(key)
            && !taken.contains(item_id)
            && let Some(at) = shown_by(given, by).and_then(|text| shown.remove(&text))
        {
            taken.insert(item_id.to_owned());
            all[at] = Met::Item(item_id.to_owned(), Some(key.to_owned()));
        }
    })?;
    items::each(tx, account, board_id, |record| {
        if !taken.contains(&record.id)
            && let Some(at) = shown_by(&record, by).and_then(|text| shown.remove(&text))
        {
            all[at] = Met::Item(record.id, None);
        }
    })?;
    Ok(all)
}

/// What an item shows in the column that tells rows apart.
fn shown_by(record: &Record, by: &By) -> Option<String> {
    match by {
        By::Name => Some(record.name.clone()),
        By::Column(column_id) => match record.cells.get(column_id)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        },
        By::Nothing => None,
    }
}
