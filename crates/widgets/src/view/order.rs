//! Orders: each column's different values in the order of a person's expectations, and each row's place among them. A board's
//! order is made once for a column; after that, sorting by it moves small whole numbers.

use crate::board::{Board, Column, Family};
use crate::column::{Coded, Data, NO_DAY, Numbers, Texts};
use crate::fold::fold_text;
use std::cmp::Ordering;
use std::ops::Range;

/// The place of an empty cell: behind all others, whichever way a column is sorted.
pub(crate) const EMPTY: u32 = u32::MAX;

/// The values of one column that differ, in order, and the place of each row's among them.
pub(crate) struct Order {
    values: Values,
    pub ranks: Vec<u32>,
}

enum Values {
    Numbers(Vec<f64>),
    Texts(Keys),
}

/// Bytes that compare as the texts do, one key behind the other, and where each stands among them.
#[derive(Default)]
struct Keys {
    bytes: Vec<u8>,
    ranges: Vec<Range<u32>>,
}

impl Keys {
    fn get(&self, index: usize) -> &[u8] {
        let range = &self.ranges[index];
        &self.bytes[range.start as usize..range.end as usize]
    }
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::Numbers(values) => values.len(),
            Values::Texts(keys) => keys.ranges.len(),
        }
    }
}

impl Order {
    /// Of a column by its id, or of what every item has: `name`, `created`, `updated`.
    pub fn of(board: &Board, column_id: &str) -> Option<Order> {
        match column_id {
            "name" => Some(of_texts(&board.names)),
            "created" => Some(of_numbers(board.created.iter().map(|ms| Some(*ms as f64)))),
            "updated" => Some(of_numbers(board.updated.iter().map(|ms| Some(*ms as f64)))),
            id => of_column(board.column(id)?),
        }
    }

    /// How many different values there are.
    pub fn values(&self) -> usize {
        self.values.len()
    }
}

/// Where the values of two orders of one column stand when they are one: the places of each one's values, and how many there
/// are in all.
pub(crate) fn united(a: &Order, b: &Order) -> (Vec<u32>, Vec<u32>, usize) {
    fn merge(a: usize, b: usize, compare: impl Fn(usize, usize) -> Ordering) -> (Vec<u32>, Vec<u32>, usize) {
        let (mut at_a, mut at_b) = (Vec::with_capacity(a), Vec::with_capacity(b));
        let mut place = 0;
        while at_a.len() < a || at_b.len() < b {
            let order = match (at_a.len() < a, at_b.len() < b) {
                (true, true) => compare(at_a.len(), at_b.len()),
                (true, false) => Ordering::Less,
                _ => Ordering::Greater,
            };
            if order != Ordering::Greater {
                at_a.push(place);
            }
            if order != Ordering::Less {
                at_b.push(place);
            }
            place += 1;
        }
        (at_a, at_b, place as usize)
    }
    match (&a.values, &b.values) {
        (Values::Numbers(a), Values::Numbers(b)) => merge(a.len(), b.len(), |x, y| a[x].total_cmp(&b[y])),
        (Values::Texts(a), Values::Texts(b)) => merge(a.ranges.len(), b.ranges.len(), |x, y| a.get(x).cmp(b.get(y))),
        // Columns of one type are ordered alike.
        (a, b) => (vec![0; a.len()], vec![0; b.len()], 1),
    }
}

fn of_column(column: &Column) -> Option<Order> {
    Some(match &column.data {
        Data::Text(texts) | Data::Files(texts) => of_texts(texts),
        Data::Coded(coded) => of_codes(column, coded),
        Data::Numbers(numbers) => of_numbers((0..rows_of(numbers)).map(|row| numbers.get(row))),
        Data::Days(days) => of_numbers(days.iter().map(|day| (*day != NO_DAY).then(|| f64::from(*day)))),
        // By their first day, then by their last.
        Data::Spans(from, to) => of_numbers(
            from.iter()
                .zip(to)
                .map(|(from, to)| (*from != NO_DAY).then(|| f64::from(*from) * 10_000_000.0 + f64::from(*to))),
        ),
        Data::Instants(instants) => of_numbers(instants.iter().map(|ms| Some(*ms as f64))),
        Data::Opaque => return None,
    })
}

fn rows_of(numbers: &Numbers) -> usize {
    match numbers {
        Numbers::Scaled { values, .. } => values.len(),
        Numbers::Float(values) => values.len(),
    }
}

fn of_numbers(values: impl Iterator<Item = Option<f64>>) -> Order {
    let mut ranks = Vec::with_capacity(values.size_hint().0);
    // Bits that compare as the numbers do, the row below them.
    let mut keys: Vec<u128> = Vec::with_capacity(ranks.capacity());
    for (row, value) in (0u32..).zip(values) {
        ranks.push(EMPTY);
        if let Some(value) = value {
            let bits = (value + 0.0).to_bits() as i64;
            let ordered = (bits ^ (((bits >> 63) as u64) >> 1) as i64) as u64 ^ (1 << 63);
            keys.push(u128::from(ordered) << 32 | u128::from(row));
        }
    }
    keys.sort_unstable();
    let mut distinct: Vec<f64> = Vec::new();
    let mut last = None;
    for key in keys {
        let (ordered, row) = ((key >> 32) as u64, key as u32 as usize);
        if last != Some(ordered) {
            last = Some(ordered);
            let bits = if ordered >> 63 == 1 { ordered ^ (1 << 63) } else { !ordered };
            distinct.push(f64::from_bits(bits));
        }
        ranks[row] = distinct.len() as u32 - 1;
    }
    Order { values: Values::Numbers(distinct), ranks }
}

fn of_texts(texts: &Texts) -> Order {
    let folded = texts.folded();
    let mut bytes = Vec::with_capacity(texts.len() * 16);
    let (mut rows, mut ranges) = (Vec::with_capacity(texts.len()), Vec::with_capacity(texts.len()));
    for row in 0..texts.len() {
        let start = bytes.len();
        key_of(folded(row), &mut bytes);
        if bytes.len() > start {
            rows.push(row);
            ranges.push(start as u32..bytes.len() as u32);
        }
    }
    let (places, distinct) = ordered(bytes, &ranges);
    let mut ranks = vec![EMPTY; texts.len()];
    for (row, place) in rows.into_iter().zip(places) {
        ranks[row] = place;
    }
    Order { values: Values::Texts(distinct), ranks }
}

/// The place of each key among those that differ, and these in order.
fn ordered(bytes: Vec<u8>, keys: &[Range<u32>]) -> (Vec<u32>, Keys) {
    let mut sorted: Vec<(u64, u32)> = (0..keys.len() as u32).map(|index| (0, index)).collect();
    let mut places = vec![0; keys.len()];
    let mut ranges = Vec::with_capacity(keys.len());
    // What all begin with, as "Item 1" and "Item 2" do, decides nothing.
    let shared = keys.iter().skip(1).fold(keys.first().map_or(0, ExactSizeIterator::len), |shared, key| {
        let first = &bytes[keys[0].start as usize..][..shared];
        let other = &bytes[key.start as usize..key.end as usize];
        first.iter().zip(other).take_while(|(a, b)| a == b).count()
    });
    by_bytes(&bytes, keys, &mut sorted, shared as u32, &mut |equal| {
        for (_, index) in equal {
            places[*index as usize] = ranges.len() as u32;
        }
        ranges.push(keys[equal[0].1 as usize].clone());
    });
    ranges.shrink_to_fit();
    (places, Keys { bytes, ranges })
}

/// Sorts keys that are equal up to `depth`, and calls with each run of equal ones, rising. The next bytes are compared as one
/// number, so that the keys themselves are looked at once for every seven of their bytes and not at every comparison.
fn by_bytes(
    bytes: &[u8],
    keys: &[Range<u32>],
    sorted: &mut [(u64, u32)],
    depth: u32,
    found: &mut impl FnMut(&[(u64, u32)]),
) {
    for (head, index) in sorted.iter_mut() {
        let range = &keys[*index as usize];
        let rest = &bytes[(range.start + depth).min(range.end) as usize..range.end as usize];
        let mut next = [0; 8];
        let length = rest.len().min(7);
        next[..length].copy_from_slice(&rest[..length]);
        // Last how many there are: a key that ends here stands before one that goes on, and 8 says that it goes on.
        next[7] = rest.len().min(8) as u8;
        *head = u64::from_be_bytes(next);
    }
    sorted.sort_unstable();
    for run in sorted.chunk_by_mut(|a, b| a.0 == b.0) {
        if run.len() > 1 && run[0].0 & 0xff == 8 {
            by_bytes(bytes, keys, run, depth + 7, found);
        } else {
            found(run);
        }
    }
}

/// Labels stand in their column's order, unchecked before checked, tags and people by their names.
fn of_codes(column: &Column, coded: &Coded) -> Order {
    let mut bytes = Vec::new();
    let mut plain = String::new();
    let labels = column.settings.labels.as_deref().unwrap_or_default();
    let mut keys = Vec::new();
    for code in 1..coded.code_count() {
        let start = bytes.len();
        for member in coded.entries_of(code) {
            let entry = &coded.entries[*member as usize];
            match column.family {
                Family::Checkbox => bytes.push(u8::from(entry.id == "true")),
                Family::Label => {
                    // A label that the column no longer has goes behind those that it has.
                    let place = labels.iter().position(|label| label.id == entry.id).unwrap_or(labels.len());
                    bytes.extend_from_slice(&(place as u32).to_be_bytes());
                    if place == labels.len() {
                        bytes.extend_from_slice(entry.id.as_bytes());
                    }
                }
                _ => {
                    plain.clear();
                    fold_text(&entry.text, &mut plain);
                    key_of(&plain, &mut bytes);
                    // Before every letter: "Ada" alone stands before "Ada, Bo".
                    bytes.push(1);
                }
            }
        }
        keys.push(start as u32..bytes.len() as u32);
    }
    let (places, distinct) = ordered(bytes, &keys);
    let rank = |code: u32| if code == 0 { EMPTY } else { places[code as usize - 1] };
    let rows = coded.codes.len();
    Order { values: Values::Texts(distinct), ranks: (0..rows).map(|row| rank(coded.codes.get(row))).collect() }
}

/// Appends bytes that compare as a person would order texts: "Sprint 2" before "Sprint 10". `folded` is without case and
/// accents.
fn key_of(folded: &str, out: &mut Vec<u8>) {
    let mut rest = folded.trim().as_bytes();
    while !rest.is_empty() {
        let plain = rest.iter().position(u8::is_ascii_digit).unwrap_or(rest.len());
        if plain > 0 {
            out.extend_from_slice(&rest[..plain]);
            rest = &rest[plain..];
            continue;
        }
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = &rest[..digits];
        let zeros = number.iter().take_while(|byte| **byte == b'0').count();
        // Longer numbers are larger ones; the length stands before the digits.
        out.push(b'0');
        out.extend_from_slice(&((digits - zeros).min(usize::from(u16::MAX)) as u16).to_be_bytes());
        out.extend_from_slice(&number[zeros..]);
        rest = &rest[digits..];
    }
}
