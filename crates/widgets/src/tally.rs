//! Tallies: how many items of several boards, and what sum of their numbers, belong to each of some places, such as the categories
//! of a chart. Which place each row has is found once for many queries; a tally is made once in a query, over all boards, however
//! many widgets read from it: one of coarse places is read off one of finer places. Between queries the tallies of the last
//! selections are kept: another one's are made of the nearest, by the rows in which they differ.

use crate::board::Board;
use crate::column::{Coded, Codes, Form, NO_DAY, NO_INT};
use crate::dates::Bucket;
use crate::derived::CacheKey;
use crate::derived::KEYS_MAX;
use crate::query::Query;
use crate::selection::Selection;
use crate::total::Sums;
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Items are few where there are more than this many places for each.
const FEW: usize = 8;
/// Combinations of codes that are counted in a plain list while keys are fused; more are counted by key.
const DENSE_MAX: usize = 1 << 21;
/// Places at most from which coarser ones are read off.
const FINER_MAX: usize = 1 << 12;
/// Places at most that are counted only so that coarser ones can be read off.
const FINEST_MAX: usize = 1 << 9;
/// Rows of which but one is looked at first where places are compared: mostly that shows that they do not go together.
const STRIDE: usize = 61;
/// Sets of places that are compared with others.
const PLACES_MAX: usize = 64;
/// Selections of which tallies are kept, and the cells of these at most.
const SELECTIONS_MAX: usize = 8;
const CELLS_MAX: usize = 1 << 17;

/// Codes of a board's rows.
#[derive(Clone)]
pub(crate) enum Key {
    Column(Arc<Codes>, usize),
    Derived(Arc<DerivedCodes>),
}

/// Codes derived from other data, with what each stands for.
pub(crate) struct DerivedCodes {
    pub codes: Arc<Codes>,
    pub count: usize,
    /// Of codes of days: the day of each but the first, rising; of buckets of time the first day.
    pub days: Vec<i32>,
    /// Of codes of spans: the first and last day of each but the first.
    pub spans: Vec<(i32, i32)>,
}

impl DerivedCodes {
    pub fn new(codes: Vec<u32>, count: usize) -> DerivedCodes {
        DerivedCodes { codes: Arc::new(Codes::new(codes, count)), count, days: Vec::new(), spans: Vec::new() }
    }
}

impl Key {
    pub fn from_coded(coded: &Coded) -> Key {
        Key::Column(coded.codes.clone(), coded.code_count())
    }
    pub fn codes(&self) -> &Arc<Codes> {
        match self {
            Key::Column(codes, _) => codes,
            Key::Derived(made) => &made.codes,
        }
    }
    /// How many codes there are.
    pub fn count(&self) -> usize {
        match self {
            Key::Column(_, count) => *count,
            Key::Derived(made) => made.count,
        }
    }
}

/// A board's rows by the codes of some keys; of a key that is not there the code is 0.
pub(crate) struct Keyed<'a> {
    pub board: &'a Board,
    pub keys: [Option<Key>; KEYS_MAX],
}

impl Keyed<'_> {
    /// One code for each combination of the keys' codes that there is, in the order of the keys, and what each stands for.
    fn fused(&self) -> Arc<Fused> {
        let keys: Vec<(usize, &Key)> =
            self.keys.iter().enumerate().filter_map(|(at, key)| Some((at, key.as_ref()?))).collect();
        if let [(at, key)] = keys.as_slice() {
            let placed = |code| {
                let mut codes = [0; KEYS_MAX];
                codes[*at] = code;
                codes
            };
            return Arc::new((key.codes().clone(), (0..key.count() as u32).map(placed).collect()));
        }
        let of = CacheKey::Fused(self.keys.each_ref().map(|key| key.as_ref().map(|key| key.codes().stamp)));
        self.board.derived.get(of, || fused(&keys, self.board.rows))
    }
}

/// Codes, and the codes that each of them stands for.
type Fused = (Arc<Codes>, Vec<[u32; KEYS_MAX]>);

/// The combinations of several keys' codes.
fn fused(keys: &[(usize, &Key)], rows: usize) -> Fused {
    let combined =
        |row: usize| keys.iter().fold(0, |code, (_, key)| code * key.count() as u64 + u64::from(key.codes().get(row)));
    let all = keys.iter().try_fold(1usize, |all, (_, key)| all.checked_mul(key.count()));
    let (codes, mut there): (Vec<u32>, Vec<u64>) = match all.filter(|all| *all <= DENSE_MAX) {
        Some(all) => {
            let mut places = vec![u32::MAX; all];
            (0..rows).for_each(|row| places[combined(row) as usize] = 0);
            let mut there = Vec::new();
            for (code, place) in places.iter_mut().enumerate().filter(|(_, place)| **place == 0) {
                *place = there.len() as u32;
                there.push(code as u64);
            }
            ((0..rows).map(|row| places[combined(row) as usize]).collect(), there)
        }
        None => {
            let mut there: Vec<u64> = (0..rows).map(combined).collect();
            there.sort_unstable();
            there.dedup();
            let places: FxHashMap<u64, u32> = there.iter().copied().zip(0..).collect();
            ((0..rows).map(|row| places[&combined(row)]).collect(), there)
        }
    };
    let mut parts = vec![[0; KEYS_MAX]; there.len()];
    for (at, key) in keys.iter().rev() {
        for (code, parts) in there.iter_mut().zip(&mut parts) {
            parts[*at] = (*code % key.count() as u64) as u32;
            *code /= key.count() as u64;
        }
    }
    (Arc::new(Codes::new(codes, parts.len())), parts)
}

/// Places that are counted in a plain list where each row's number is asked for.
const LISTED_MAX: usize = 1 << 16;

/// Places to which the rows of several boards belong, each row to one. They depend on no filter.
pub(crate) struct Places {
    stamp: u64,
    /// What each place stands for, rising.
    pub of: Vec<u64>,
    /// What the boards are known by, and the places of their rows.
    boards: Vec<u64>,
    rows: Vec<Rows>,
}

/// The places of a board's rows.
enum Rows {
    /// The board takes no part.
    Nowhere,
    All(u32),
    /// A row's code, counted from a first place.
    Codes(Arc<Codes>, u32),
}

/// The codes of a board's rows, and what each of them stands for; without codes all rows stand for the same.
type Means = (Option<Arc<Codes>>, Vec<u64>);

/// The place of a row that belongs to none.
pub(crate) const NOWHERE: u32 = u32::MAX;

impl Rows {
    #[inline(always)]
    fn get(&self, row: usize) -> u32 {
        match self {
            Rows::Nowhere => NOWHERE,
            Rows::All(place) => *place,
            Rows::Codes(codes, first) => codes.get(row) + first,
        }
    }
    /// Whether they are the same: codes are, where they are one column's.
    fn is(&self, other: &Rows) -> bool {
        match (self, other) {
            (Rows::Nowhere, Rows::Nowhere) => true,
            (Rows::All(one), Rows::All(other)) => one == other,
            (Rows::Codes(one, first), Rows::Codes(other, other_first)) => {
                one.stamp == other.stamp && first == other_first
            }
            _ => false,
        }
    }
}

/// What a board is known by: another one whenever its items are.
fn known_by(board: &Board) -> u64 {
    board.groups.codes.stamp
}

impl Places {
    /// Of boards, of which some may take no part; `means` says what the rows of a board with some codes stand for.
    pub fn new(boards: &[(Keyed<'_>, bool)], means: &mut dyn FnMut(usize, [u32; KEYS_MAX]) -> u64) -> Places {
        let mut ways: Vec<Means> = Vec::with_capacity(boards.len());
        for (at, (keyed, takes_part)) in boards.iter().enumerate() {
            ways.push(match (takes_part, keyed.keys.iter().flatten().next()) {
                (false, _) => (None, Vec::new()),
                (true, None) => (None, vec![means(at, [0; KEYS_MAX])]),
                (true, Some(_)) => {
                    let fused = keyed.fused();
                    (Some(fused.0.clone()), fused.1.iter().map(|codes| means(at, *codes)).collect())
                }
            });
        }
        let mut of: Vec<u64> = ways.iter().flat_map(|(_, means)| means).copied().collect();
        of.sort_unstable();
        of.dedup();
        let rows = |((keyed, _), (codes, means)): (&(Keyed<'_>, bool), Means)| {
            let places: Vec<u32> = means.iter().map(|one| of.partition_point(|other| other < one) as u32).collect();
            let Some(first) = places.first() else { return Rows::Nowhere };
            let Some(codes) = codes else { return Rows::All(*first) };
            // Mostly labels have the same order on all boards: then their codes are as good.
            if places.iter().zip(*first..).all(|(place, next)| *place == next) {
                return Rows::Codes(codes, *first);
            }
            let placed = || {
                let placed = (0..codes.len()).map(|row| places[codes.get(row) as usize]).collect();
                Arc::new(Codes::new(placed, places.iter().max().map_or(0, |most| *most as usize)))
            };
            // It is the same as long as this board is.
            let placed = keyed.board.derived.get(CacheKey::Placed(codes.stamp, places.clone()), placed);
            Rows::Codes(Arc::clone(&placed), 0)
        };
        let rows = boards.iter().zip(ways).map(rows).collect();
        let boards = boards.iter().map(|(keyed, _)| known_by(keyed.board)).collect();
        Places { stamp: crate::column::stamp(), rows, boards, of }
    }
    /// Whether they are the same places of the same rows.
    fn is(&self, other: &Places) -> bool {
        self.boards == other.boards
            && self.of == other.of
            && self.rows.iter().zip(&other.rows).all(|(one, other)| one.is(other))
    }
    /// What a row of a board stands for, if it takes part.
    #[inline]
    pub fn meaning(&self, board: usize, row: usize) -> Option<u64> {
        self.of.get(self.place(board, row)).copied()
    }
    /// The place of a row of a board.
    #[inline(always)]
    pub fn place(&self, board: usize, row: usize) -> usize {
        self.rows[board].get(row) as usize
    }
    /// Cells of any kind for each place that rows of a board have, rising, filled row by row.
    pub fn cells<C: Clone + Default>(
        &self,
        board: usize,
        selection: &Selection,
        mut add: impl FnMut(&mut C, usize),
    ) -> Vec<(usize, C)> {
        if matches!(self.rows[board], Rows::Nowhere) {
            return Vec::new();
        }
        // A list of all places costs more than the rows where these are few.
        if self.of.len() <= LISTED_MAX && selection.count() >= self.of.len() / FEW {
            let mut cells = vec![C::default(); self.of.len()];
            selection.each(|row| add(&mut cells[self.place(board, row)], row));
            return cells.into_iter().enumerate().collect();
        }
        let mut rows: Vec<u64> = Vec::with_capacity(selection.count());
        selection.each(|row| rows.push((self.place(board, row) as u64) << 32 | row as u64));
        rows.sort_unstable();
        let mut cells: Vec<(usize, C)> = Vec::new();
        for (place, row) in rows.into_iter().map(|both| ((both >> 32) as usize, both as u32 as usize)) {
            if cells.last().is_none_or(|(last, _)| *last != place) {
                cells.push((place, C::default()));
            }
            if let Some((_, cell)) = cells.last_mut() {
                add(cell, row);
            }
        }
        cells
    }
    /// The places that these places belong to where each of them belongs to one alone.
    fn within(&self, coarse: &Places, boards: &[&Board]) -> Option<Vec<u32>> {
        if self.boards != coarse.boards || self.of.len() < coarse.of.len() || self.of.len() > FINER_MAX {
            return None;
        }
        let rows = || self.rows.iter().zip(&coarse.rows);
        let takes_part =
            |(fine, coarse): (&Rows, &Rows)| !matches!((fine, coarse), (Rows::Nowhere, _) | (_, Rows::Nowhere));
        if coarse.of.len() == 1 && rows().all(takes_part) {
            return Some(vec![0; self.of.len()]);
        }
        // Mostly a look at a few rows shows that they do not.
        let mut some = vec![OPEN; self.of.len()];
        for ((fine, coarse), board) in rows().zip(boards) {
            lead((0..board.rows).step_by(STRIDE), fine, coarse, &mut some)?;
        }
        let mut ways = vec![OPEN; self.of.len()];
        for ((fine, coarse), board) in rows().zip(boards) {
            let (Rows::Codes(codes, first), Rows::Codes(others, first_other)) = (fine, coarse) else {
                lead(0..board.rows, fine, coarse, &mut ways)?;
                continue;
            };
            let of_codes = board.derived.get(CacheKey::Within(codes.stamp, others.stamp), || {
                let mut ways = vec![OPEN; self.of.len()];
                let plain = |codes: &Arc<Codes>| Rows::Codes(codes.clone(), 0);
                lead(0..board.rows, &plain(codes), &plain(others), &mut ways).map(|()| ways)
            });
            for (code, other) in (*of_codes).as_ref()?.iter().enumerate().filter(|(_, other)| **other != OPEN) {
                let way = ways.get_mut(code + *first as usize)?;
                if *way != OPEN && *way != other + first_other {
                    return None;
                }
                *way = other + first_other;
            }
        }
        ways.iter_mut().filter(|way| **way == OPEN).for_each(|way| *way = NOWHERE);
        Some(ways)
    }
}

/// Where a place leads of which nobody has seen a row.
const OPEN: u32 = NOWHERE - 1;

/// Finds where places lead that rows show together with others; nothing where one leads to several.
fn lead(rows: impl Iterator<Item = usize>, fine: &Rows, coarse: &Rows, ways: &mut [u32]) -> Option<()> {
    for row in rows {
        let (from, to) = (fine.get(row), coarse.get(row));
        match ways.get_mut(from as usize) {
            Some(way) if *way == OPEN => *way = to,
            Some(way) if *way == to => {}
            None if to == NOWHERE => {}
            _ => return None,
        }
    }
    Some(())
}

/// Whole numbers of several boards that are added up.
pub(crate) struct Addends<'a> {
    /// What the columns are known by.
    pub columns: Arc<[u64]>,
    /// Each board's, and by what they are multiplied so that all have the same decimals.
    pub values: Vec<(&'a [i32], i64)>,
}

/// Sums by place.
pub(crate) enum Cells {
    Dense(Vec<Sums>),
    /// Rising places, where few of many have items.
    Sparse(Vec<(u32, Sums)>),
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Cells::Dense(cells) => cells.len(),
            Cells::Sparse(cells) => cells.len(),
        }
    }
    /// Calls with each place that has items, and what they come to.
    #[inline(always)]
    pub fn each(&self, mut call: impl FnMut(usize, &Sums)) {
        for at in 0..self.len() {
            let (place, sums) = match self {
                Cells::Dense(cells) => (at, &cells[at]),
                Cells::Sparse(cells) => (cells[at].0 as usize, &cells[at].1),
            };
            if sums.items() > 0 {
                call(place, sums);
            }
        }
    }
}

/// The selected rows of several boards.
struct Chosen {
    boards: Vec<u64>,
    selections: Vec<Arc<Selection>>,
    count: usize,
}

impl Chosen {
    fn differing(&self, other: &Chosen) -> usize {
        self.selections.iter().zip(&other.selections).map(|(one, other)| one.differing(other)).sum()
    }
    fn without(&self, other: &Chosen) -> Lists {
        self.selections.iter().zip(&other.selections).map(|(one, other)| one.without(other)).collect()
    }
    fn lists(&self) -> Lists {
        self.selections.iter().map(|selection| selection.list()).collect()
    }
}

/// A tally as it was made.
#[derive(Clone)]
struct Entry {
    places: u64,
    columns: Option<Arc<[u64]>>,
    cells: Arc<Cells>,
}

/// What is kept from query to query. It goes with the boards.
#[derive(Default)]
pub(crate) struct Tallied(Mutex<Known>);

#[derive(Default)]
struct Known {
    places: Vec<Arc<Places>>,
    finer: Vec<Finer>,
    /// All rows of some boards: where their tallies are there, what lets nearly everything pass is made by taking away.
    whole: Vec<Arc<Chosen>>,
    /// The last used last.
    kept: Vec<(Arc<Chosen>, Vec<Entry>)>,
}

/// Places off which coarser ones can be read.
#[derive(Clone)]
struct Finer {
    coarse: u64,
    places: Arc<Places>,
    ways: Arc<[u32]>,
}

impl Tallied {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Forgets everything.
    pub fn clear(&mut self) {
        *self.lock() = Known::default();
    }
    /// Places that are told apart from all others, or the same that are there already.
    pub fn register(&self, new: Places, boards: &[&Board]) -> Arc<Places> {
        // So many are read off no others, nor others off them.
        if new.of.len() > FINER_MAX {
            return Arc::new(new);
        }
        let mut known = self.lock();
        if let Some(there) = known.places.iter().find(|there| there.is(&new)) {
            return there.clone();
        }
        if known.places.len() == PLACES_MAX {
            let first = known.places.remove(0);
            known.finer.retain(|one| one.coarse != first.stamp && one.places.stamp != first.stamp);
        }
        let new = Arc::new(new);
        let mut finer = Vec::new();
        for there in &known.places {
            for (coarse, fine) in [(&new, there), (there, &new)] {
                if let Some(ways) = fine.within(coarse, boards) {
                    finer.push(Finer { coarse: coarse.stamp, places: fine.clone(), ways: ways.into() });
                }
            }
        }
        known.finer.extend(finer);
        known.places.push(new.clone());
        new
    }
    fn finer(&self, places: &Places) -> Vec<Finer> {
        self.lock().finer.iter().filter(|finer| finer.coarse == places.stamp).cloned().collect()
    }
    fn whole(&self, chosen: &Chosen) -> Arc<Chosen> {
        let mut known = self.lock();
        let found = known.whole.iter().find(|whole| whole.boards == chosen.boards).cloned();
        found.unwrap_or_else(|| {
            let all = |selection: &Arc<Selection>| Arc::new(Selection::all(selection.rows()));
            let selections: Vec<Arc<Selection>> = chosen.selections.iter().map(all).collect();
            let count = selections.iter().map(|all| all.count()).sum();
            let whole = Arc::new(Chosen { boards: chosen.boards.clone(), selections, count });
            known.whole.push(whole.clone());
            whole
        })
    }
    /// The selections that differ from one in fewer rows than it has, the nearest first.
    fn near(&self, chosen: &Chosen) -> Vec<Near> {
        let whole = self.whole(chosen);
        // What has twice as many rows or more differs in as many.
        let may_be_near =
            |other: &&Arc<Chosen>| other.boards == chosen.boards && other.count.abs_diff(chosen.count) < chosen.count;
        let known = self.lock();
        let others = known.kept.iter().map(|(other, _)| other).filter(|other| !Arc::ptr_eq(other, &whole));
        let mut near: Vec<Near> = Vec::new();
        for other in others.chain([&whole]).filter(may_be_near) {
            let differing = chosen.differing(other);
            if differing < chosen.count {
                let at = near.partition_point(|near| near.differing <= differing);
                near.insert(at, Near { chosen: other.clone(), differing, changes: OnceCell::new() });
            }
        }
        near
    }
    fn find(&self, chosen: &Arc<Chosen>, places: u64, columns: &Option<Arc<[u64]>>) -> Option<Entry> {
        let mut known = self.lock();
        let at = known.kept.iter().position(|(of, _)| Arc::ptr_eq(of, chosen))?;
        let entry = |entry: &&Entry| entry.places == places && (columns.is_none() || entry.columns == *columns);
        let found = known.kept[at].1.iter().find(entry)?.clone();
        // It was of use.
        known.kept[at..].rotate_left(1);
        Some(found)
    }
    fn keep(&self, chosen: &Arc<Chosen>, entry: Entry) {
        if matches!(*entry.cells, Cells::Sparse(_)) || entry.cells.len() > CELLS_MAX {
            return;
        }
        let mut known = self.lock();
        let Known { kept, whole, .. } = &mut *known;
        match kept.iter().position(|(of, _)| Arc::ptr_eq(of, chosen)) {
            Some(at) => {
                kept[at].1.push(entry);
                kept[at..].rotate_left(1);
            }
            None => kept.push((chosen.clone(), vec![entry])),
        }
        let cells = |kept: &[(Arc<Chosen>, Vec<Entry>)]| -> usize {
            kept.iter().flat_map(|(_, made)| made).map(|made| made.cells.len()).sum()
        };
        while kept.len() > SELECTIONS_MAX || cells(kept) > CELLS_MAX {
            // Those of all rows are the last to go.
            let is_whole = |(of, _): &(Arc<Chosen>, Vec<Entry>)| whole.iter().any(|whole| Arc::ptr_eq(whole, of));
            let first = kept.iter().position(|one| !is_whole(one)).unwrap_or(0);
            kept[first].1.remove(0);
            if kept[first].1.is_empty() {
                kept.remove(first);
            }
        }
    }
}

/// The tallies of selected rows of several boards in one query.
pub(crate) struct Tallies<'a> {
    chosen: Arc<Chosen>,
    tallied: &'a Tallied,
    near: OnceCell<Vec<Near>>,
    made: RefCell<Vec<Entry>>,
    rows: OnceCell<Lists>,
}

/// Rows of each board, rising.
type Lists = Vec<Vec<u32>>;

/// A selection in whose tallies few rows have to change.
struct Near {
    chosen: Arc<Chosen>,
    differing: usize,
    /// Those that are added, and those that are taken away.
    changes: OnceCell<[Lists; 2]>,
}

impl<'a> Tallies<'a> {
    pub fn new<'b>(tallied: &'a Tallied, parts: impl Iterator<Item = (&'b Board, Arc<Selection>)>) -> Tallies<'a> {
        let (boards, selections): (Vec<u64>, Vec<Arc<Selection>>) =
            parts.map(|(board, selection)| (known_by(board), selection)).unzip();
        let count = selections.iter().map(|selection| selection.count()).sum();
        let chosen = Arc::new(Chosen { boards, selections, count });
        Tallies { chosen, tallied, near: OnceCell::new(), made: RefCell::default(), rows: OnceCell::new() }
    }
    /// Whether they are of these rows.
    pub fn is_of<'b>(&self, mut selections: impl ExactSizeIterator<Item = &'b Arc<Selection>>) -> bool {
        selections.len() == self.chosen.selections.len()
            && self.chosen.selections.iter().all(|mine| selections.next().is_some_and(|other| Arc::ptr_eq(mine, other)))
    }
    /// Places that are kept for the queries that follow.
    pub fn register(&self, places: Places, boards: &[&Board]) -> Arc<Places> {
        self.tallied.register(places, boards)
    }
    /// The tally by some places: made, or read off one that is there.
    pub fn cells(&self, places: &Arc<Places>, addends: Option<&Addends<'_>>) -> Arc<Cells> {
        if let Some(there) = self.made(places, addends) {
            return there;
        }
        let finer = self.tallied.finer(places);
        let there = finer.iter().filter_map(|fine| Some((self.made(&fine.places, addends)?, fine)));
        if let Some((cells, fine)) = there.min_by_key(|(cells, _)| cells.len()) {
            return self.keep(places, addends, read_off(&cells, &fine.ways, places));
        }
        // What is counted of the finest serves all that are coarser. All items together are read off something that is asked for.
        let order = |places: &Places| (places.of.len(), std::cmp::Reverse(places.stamp));
        let finest = finer.iter().filter(|fine| places.of.len() > 1 && fine.places.of.len() <= FINEST_MAX);
        match finest.max_by_key(|fine| order(&fine.places)).filter(|fine| order(&fine.places) > order(places)) {
            Some(fine) => {
                let cells = self.keep(&fine.places, addends, self.make(&fine.places, addends));
                self.keep(places, addends, read_off(&cells, &fine.ways, places))
            }
            None => self.keep(places, addends, self.make(places, addends)),
        }
    }
    fn made(&self, places: &Places, addends: Option<&Addends<'_>>) -> Option<Arc<Cells>> {
        let serves = |made: &&Entry| {
            let is_of = |addends: &Addends<'_>| made.columns.as_ref() == Some(&addends.columns);
            made.places == places.stamp && addends.is_none_or(is_of)
        };
        self.made.borrow().iter().find(serves).map(|made| made.cells.clone())
    }
    fn keep(&self, places: &Places, addends: Option<&Addends<'_>>, cells: Arc<Cells>) -> Arc<Cells> {
        let columns = addends.map(|addends| addends.columns.clone());
        self.made.borrow_mut().push(Entry { places: places.stamp, columns, cells: cells.clone() });
        cells
    }
    /// Makes a tally, of a near selection's where it is kept, and keeps it.
    fn make(&self, places: &Places, addends: Option<&Addends<'_>>) -> Arc<Cells> {
        let Tallies { chosen, tallied, .. } = self;
        // What is among many places is not worth keeping.
        if chosen.count < places.of.len() / FEW {
            return Arc::new(sparse(chosen, places, addends));
        }
        let columns = addends.map(|addends| addends.columns.clone());
        let entry = |cells: &Arc<Cells>| Entry { places: places.stamp, columns: columns.clone(), cells: cells.clone() };
        let near = self.near.get_or_init(|| tallied.near(chosen));
        // The same rows are kept but once.
        let own = near.first().filter(|near| near.differing == 0).map_or(chosen, |same| &same.chosen);
        for Near { chosen: other, differing, changes } in near {
            let Some(Entry { cells, .. }) = tallied.find(other, places.stamp, &columns) else { continue };
            let (1.., Cells::Dense(there)) = (*differing, &*cells) else { return cells };
            let mut made = there.clone();
            let [come, gone] = changes.get_or_init(|| [chosen.without(other), other.without(chosen)]);
            change(come, false, places, addends, &mut made);
            change(gone, true, places, addends, &mut made);
            let made = Arc::new(Cells::Dense(made));
            tallied.keep(own, entry(&made));
            return made;
        }
        let mut made = vec![Sums::default(); places.of.len()];
        change(self.rows.get_or_init(|| chosen.lists()), false, places, addends, &mut made);
        let made = Arc::new(Cells::Dense(made));
        tallied.keep(own, entry(&made));
        made
    }
}

/// The sums of places to which finer ones lead.
fn read_off(cells: &Cells, ways: &[u32], places: &Places) -> Arc<Cells> {
    let mut coarse = vec![Sums::default(); places.of.len()];
    cells.each(|place, sums| {
        if let Some(cell) = coarse.get_mut(ways[place] as usize) {
            cell.merge(sums);
        }
    });
    Arc::new(Cells::Dense(coarse))
}

/// Adds rows to the places where they belong, or takes them away.
fn change(rows: &Lists, away: bool, places: &Places, addends: Option<&Addends<'_>>, cells: &mut [Sums]) {
    let of =
        |board: usize| addends.map_or((None, 1), |addends| (Some(addends.values[board].0), addends.values[board].1));
    let (mut part, mut power) = (vec![Sums::default(); cells.len()], 1);
    let mut settle = |part: &mut [Sums], power: i64| {
        for (cell, part) in cells.iter_mut().zip(part).filter(|(_, part)| part.items() > 0) {
            if away {
                cell.take_times(part, power)
            } else {
                cell.merge_times(part, power)
            }
            *part = Sums::default();
        }
    };
    // What is multiplied by the same is added up together.
    for (board, rows) in rows.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
        let (values, of_board) = of(board);
        if of_board != power {
            settle(&mut part, power);
            power = of_board;
        }
        add_up(rows, &places.rows[board], values, &mut part);
    }
    settle(&mut part, power);
}

/// Codes in either form.
trait Code: Copy {
    fn place(self) -> usize;
}

impl Code for u16 {
    #[inline(always)]
    fn place(self) -> usize {
        self.into()
    }
}

impl Code for u32 {
    #[inline(always)]
    fn place(self) -> usize {
        self as usize
    }
}

/// Adds rows of a board to the places where they belong.
fn add_up(rows: &[u32], places: &Rows, values: Option<&[i32]>, cells: &mut [Sums]) {
    match (places, values) {
        (Rows::Nowhere, _) => {}
        (Rows::All(place), None) => cells[*place as usize].add_items(rows.len() as u64),
        (Rows::All(place), Some(values)) => {
            let cell = &mut cells[*place as usize];
            rows.iter().for_each(|row| cell.add(values[*row as usize]));
        }
        (Rows::Codes(codes, first), values) => {
            let cells = &mut cells[*first as usize..];
            match (&codes.form, values) {
                (Form::U16(codes), Some(values)) => add_values(rows, codes, values, cells),
                (Form::U32(codes), Some(values)) => add_values(rows, codes, values, cells),
                (Form::U16(codes), None) => {
                    rows.iter().for_each(|row| cells[codes[*row as usize].place()].add_items(1))
                }
                (Form::U32(codes), None) => {
                    rows.iter().for_each(|row| cells[codes[*row as usize].place()].add_items(1))
                }
            }
        }
    }
}

/// Four rows at a time: what they hold is fetched before the first is added.
#[inline(always)]
fn add_values<C: Code>(rows: &[u32], codes: &[C], values: &[i32], cells: &mut [Sums]) {
    let (fours, rest) = rows.as_chunks::<4>();
    for [a, b, c, d] in fours {
        let [a, b, c, d] = [*a as usize, *b as usize, *c as usize, *d as usize];
        let places = [codes[a].place(), codes[b].place(), codes[c].place(), codes[d].place()];
        let values = [values[a], values[b], values[c], values[d]];
        cells[places[0]].add(values[0]);
        cells[places[1]].add(values[1]);
        cells[places[2]].add(values[2]);
        cells[places[3]].add(values[3]);
    }
    rest.iter().for_each(|row| cells[codes[*row as usize].place()].add(values[*row as usize]));
}

/// The tally of few items among many places.
fn sparse(chosen: &Chosen, places: &Places, addends: Option<&Addends<'_>>) -> Cells {
    let (mut order, mut all): (Vec<u64>, Vec<(i32, i64)>) = (Vec::new(), Vec::new());
    for (at, selection) in chosen.selections.iter().enumerate() {
        let values = addends.map(|addends| addends.values[at]);
        selection.each(|row| {
            let place = places.rows[at].get(row);
            if place != NOWHERE {
                order.push(u64::from(place) << 32 | all.len() as u64);
                all.push(values.map_or((NO_INT, 1), |(values, power)| (values[row], power)));
            }
        });
    }
    order.sort_unstable();
    let mut cells: Vec<(u32, Sums)> = Vec::new();
    for (place, one) in order.into_iter().map(|both| ((both >> 32) as u32, both as u32)) {
        if cells.last().is_none_or(|(last, _)| *last != place) {
            cells.push((place, Sums::default()));
        }
        if let Some((_, cell)) = cells.last_mut() {
            let (value, power) = all[one as usize];
            let mut sums = Sums::default();
            sums.add(value);
            cell.merge_times(&sums, power);
        }
    }
    Cells::Sparse(cells)
}

/// Codes of days: 0 for none, then rising with the days that there are.
fn days(of: impl Iterator<Item = Option<i32>> + Clone) -> DerivedCodes {
    let mut there: Vec<i32> = of.clone().flatten().collect();
    there.sort_unstable();
    there.dedup();
    let codes = match (there.first(), there.last()) {
        (Some(first), Some(last)) if (last - first) as usize <= DENSE_MAX => {
            let mut places = vec![0u32; (last - first) as usize + 1];
            there.iter().zip(1..).for_each(|(day, code)| places[(day - first) as usize] = code);
            of.map(|day| day.map_or(0, |day| places[(day - first) as usize])).collect()
        }
        _ => of.map(|day| day.map_or(0, |day| there.partition_point(|d| *d < day) as u32 + 1)).collect(),
    };
    DerivedCodes { days: there.clone(), ..DerivedCodes::new(codes, there.len() + 1) }
}

/// Days of a board's rows.
#[derive(Clone, Copy)]
pub(crate) enum Days<'a> {
    /// Of a column with this stamp.
    Of(u64, &'a [i32]),
    /// Instants with their stamp, and what the viewer's clock is ahead.
    At(u64, &'a [i64], &'a Query),
    /// Of a column with this stamp, and where that has none, of instants.
    Or(u64, &'a [i32], &'a [i64], &'a Query),
}

impl Days<'_> {
    fn stamp(&self) -> (u64, i64) {
        match self {
            Days::Of(stamp, _) => (*stamp, 0),
            Days::At(stamp, _, query) => (*stamp, query.shift_ms()),
            // The column's days alone have the same stamp; no clock is ahead by less than a minute.
            Days::Or(stamp, _, _, query) => (*stamp, query.shift_ms() + 1),
        }
    }
    /// A row's day.
    #[inline]
    pub fn get(&self, row: usize) -> Option<i32> {
        match self {
            Days::Of(_, days) => Some(days[row]).filter(|day| *day != NO_DAY),
            Days::At(_, instants, query) => Some(query.day(instants[row])),
            Days::Or(_, days, instants, query) => {
                Some(days[row]).filter(|day| *day != NO_DAY).or_else(|| Some(query.day(instants[row])))
            }
        }
    }
    /// As a key.
    pub fn key(&self, board: &Board) -> Key {
        let (stamp, shift) = self.stamp();
        Key::Derived(board.derived.get(CacheKey::Days(stamp, shift), || days((0..board.rows).map(|row| self.get(row)))))
    }
    /// As a key of the buckets that they lie in, by the first day of each.
    pub fn buckets(&self, board: &Board, bucket: Bucket, week_start: u8) -> Key {
        if bucket == Bucket::Day {
            return self.key(board);
        }
        let (stamp, shift) = self.stamp();
        let make = || {
            let days = days((0..board.rows).map(|row| self.get(row)));
            let (mut places, mut starts) = (vec![0], Vec::new());
            for day in &days.days {
                let start = bucket.start(*day, week_start);
                if starts.last() != Some(&start) {
                    starts.push(start);
                }
                places.push(starts.len() as u32);
            }
            let codes = (0..board.rows).map(|row| places[days.codes.get(row) as usize]).collect();
            DerivedCodes { days: starts.clone(), ..DerivedCodes::new(codes, starts.len() + 1) }
        };
        Key::Derived(board.derived.get(CacheKey::Buckets(stamp, shift, bucket, week_start), make))
    }
    /// A key that says of each row whether its day lies behind the limit that its code of another key has: `BY_LIMIT` or `BEHIND`,
    /// `UNDATED` where it has no day; without a limit every day is by it.
    pub fn compared(&self, board: &Board, key: &Key, limits: Vec<Option<i32>>) -> Key {
        let codes = key.codes();
        let of = |limits| CacheKey::Compared { codes: codes.stamp, days: self.stamp(), limits };
        // An instant of nothing is that of an item of which nobody knows when it was.
        let is_known = |row: usize| match self {
            Days::Of(..) => true,
            Days::At(_, instants, _) => instants[row] > 0,
            Days::Or(_, days, instants, _) => days[row] != NO_DAY || instants[row] > 0,
        };
        let day = |row: usize| self.get(row).filter(|_| is_known(row));
        let code = |row: usize| match (day(row), limits[codes.get(row) as usize]) {
            (None, _) => UNDATED,
            (Some(day), Some(limit)) if day > limit => BEHIND,
            _ => BY_LIMIT,
        };
        Key::Derived(
            board.derived.get(of(limits.clone()), || DerivedCodes::new((0..board.rows).map(code).collect(), 3)),
        )
    }
}

/// Codes of days beside a limit.
pub(crate) const UNDATED: u32 = 0;
pub(crate) const BY_LIMIT: u32 = 1;
pub(crate) const BEHIND: u32 = 2;
