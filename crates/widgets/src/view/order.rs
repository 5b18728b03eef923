//! Orders: each column's different values in the order of a person's expectations, and each row's place among them. A board's
//! order is made once for a column; after that, sorting by it moves small whole numbers.

use crate::board::{Board, Column};
use crate::column::{Coded, Data, NO_DAY, Numbers, Texts};
use crate::family::Family;
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
    pub fn from_column(board: &Board, column_id: &str) -> Option<Order> {
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

/// Where the values of several orders stand when they are one: the places of each one's values. Numbers stand before texts.
pub(crate) fn all_united(orders: &[Option<&Order>]) -> Vec<Vec<u32>> {
    let mut places: Vec<Vec<u32>> = orders.iter().map(|order| vec![0; order.map_or(0, Order::values)]).collect();
    let mut values: Vec<(usize, usize)> = Vec::with_capacity(places.iter().map(Vec::len).sum());
    values.extend(places.iter().enumerate().flat_map(|(at, own)| (0..own.len()).map(move |value| (at, value))));
    let compare = |(a, x): &(usize, usize), (b, y): &(usize, usize)| match (
        orders[*a].map(|order| &order.values),
        orders[*b].map(|order| &order.values),
    ) {
        (Some(Values::Numbers(a)), Some(Values::Numbers(b))) => a[*x].total_cmp(&b[*y]),
        (Some(Values::Texts(a)), Some(Values::Texts(b))) => a.get(*x).cmp(b.get(*y)),
        (Some(Values::Numbers(_)), _) => Ordering::Less,
        (_, Some(Values::Numbers(_))) => Ordering::Greater,
        _ => Ordering::Equal,
    };
    // Each one's values rise already.
    values.sort_by(compare);
    let mut place = 0;
    for (at, value) in values.iter().enumerate() {
        if at > 0 && compare(&values[at - 1], value) != Ordering::Equal {
            place += 1;
        }
        places[value.0][value.1] = place;
    }
    places
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
    by_bytes(&bytes, keys, &mut sorted);
    for (mark, index) in sorted {
        if mark == FIRST {
            ranges.push(keys[index as usize].clone());
        }
        places[index as usize] = ranges.len() as u32 - 1;
    }
    ranges.shrink_to_fit();
    (places, Keys { bytes, ranges })
}

/// What [`by_bytes`] leaves beside the first of each run of equal keys; zero beside the others.
const FIRST: u64 = 1;

/// Sorts keys and marks each that differs from the one before it. The next bytes are compared as one number, so that the keys
/// themselves are looked at once for every seven of their bytes and not at every comparison; what all keys of a run begin with,
/// as "Item 1" and "Item 2" do, decides nothing and is passed over at once. Runs that are still alike wait in a list, since
/// texts may be alike for as long as they are: deeper than a stack is.
fn by_bytes(bytes: &[u8], keys: &[Range<u32>], sorted: &mut [(u64, u32)]) {
    let key = |index: u32| &bytes[keys[index as usize].start as usize..keys[index as usize].end as usize];
    let mut waiting = vec![(0..sorted.len(), 0)];
    while let Some((part, depth)) = waiting.pop() {
        #[cfg(test)]
        tests::ROUNDS.with(|rounds| rounds.set(rounds.get() + 1));
        let (start, run) = (part.start, &mut sorted[part]);
        let Some(shortest) = run.iter().map(|(_, index)| key(*index).len()).min() else { continue };
        let first = &key(run[0].1)[depth..];
        let others = run[1..].iter().map(|(_, index)| &key(*index)[depth..]);
        let shared = others.fold(shortest - depth, |shared, other| alike(&first[..shared], &other[..shared]));
        let depth = depth + shared;
        for (head, index) in run.iter_mut() {
            let rest = &key(*index)[depth..];
            let mut next = [0; 8];
            let length = rest.len().min(7);
            next[..length].copy_from_slice(&rest[..length]);
            // Last how many there are: a key that ends here stands before one that goes on, and 8 says that it goes on.
            next[7] = rest.len().min(8) as u8;
            *head = u64::from_be_bytes(next);
        }
        run.sort_unstable();
        let mut at = start;
        for equal in run.chunk_by_mut(|a, b| a.0 == b.0) {
            if equal.len() > 1 && equal[0].0 & 0xff == 8 {
                waiting.push((at..at + equal.len(), depth + 7));
            } else {
                equal.iter_mut().for_each(|(mark, _)| *mark = 0);
                equal[0].0 = FIRST;
            }
            at += equal.len();
        }
    }
}

/// How many bytes two keys begin with alike.
fn alike(a: &[u8], b: &[u8]) -> usize {
    const STEP: usize = 32;
    let steps = a.chunks_exact(STEP).zip(b.chunks_exact(STEP)).take_while(|(a, b)| a == b).count() * STEP;
    steps + a[steps..].iter().zip(&b[steps..]).take_while(|(a, b)| a == b).count()
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local! {
        /// How often this thread looked through keys.
        pub(super) static ROUNDS: Cell<usize> = const { Cell::new(0) };
    }

    /// The places of keys that stand one behind the other.
    fn places(keys: &[&[u8]]) -> Vec<u32> {
        let mut end = 0;
        let of = |key: &&[u8]| {
            let start = end;
            end += key.len() as u32;
            start..end
        };
        let ranges: Vec<Range<u32>> = keys.iter().map(of).collect();
        ordered(keys.concat(), &ranges).0
    }

    #[test]
    fn keys_have_the_places_that_comparing_them_gives() {
        let long = [b"a".as_slice(); 70].concat();
        let all: Vec<Vec<u8>> = (0..600_usize)
            .map(|n| match n % 5 {
                0 => long[..n % 71].to_vec(),
                1 => [&long[..n % 40], b"b"].concat(),
                2 => vec![0; n % 17],
                3 => [&long[..7], &[0, 255][..n % 3 % 2 + 1]].concat(),
                _ => (n * 7919 % 300).to_string().into_bytes(),
            })
            .collect();
        let mut distinct = all.clone();
        distinct.sort();
        distinct.dedup();
        let expected: Vec<u32> = all.iter().map(|key| distinct.binary_search(key).unwrap() as u32).collect();
        assert_eq!(places(&all.iter().map(Vec::as_slice).collect::<Vec<_>>()), expected);
        assert_eq!(places(&[]), [0_u32; 0]);
    }

    #[test]
    fn keys_that_are_alike_for_long_fit_a_small_stack() {
        // Each as long as a cell may be, and going on alike with one that ends a little before it.
        let run = || {
            let long = vec![b'x'; 80_000];
            let mut keys: Vec<&[u8]> = vec![b"a", &long, &long];
            keys.extend((0..2_000).map(|n| &long[..n * 8]));
            let places = places(&keys);
            assert_eq!(places[..4], [1, 2_001, 2_001, 0]);
            assert_eq!(places[4..], (2..2_001).collect::<Vec<u32>>());
        };
        std::thread::Builder::new().stack_size(128 * 1024).spawn(run).unwrap().join().unwrap();
    }

    #[test]
    fn equal_keys_are_looked_through_once() {
        // With one other key, nothing is shared by all of them.
        let long = vec![b'x'; 2_000];
        let mut keys: Vec<&[u8]> = vec![&long; 20_000];
        keys.push(b"a");
        let places = places(&keys);
        assert!(places[..20_000].iter().all(|place| *place == 1) && places[20_000] == 0);
        // Once to tell the other one, and once for all that the equal ones share.
        assert_eq!(ROUNDS.get(), 2);
    }
}
