//! Tallies: how many of a board's items, and what sum of a column, belong to each code of one key or of several together. One is
//! made once in a query, however many widgets read from it: a coarse tally is read off a finer one. Between queries a board
//! keeps those of its last selections: another one's are made of the nearest, by the rows in which they differ.

use crate::board::{Board, Column};
use crate::column::{Coded, Codes, Data, Form, NO_DAY, NO_INT, Numbers};
use crate::dates::Bucket;
use crate::derived::Of;
use crate::query::Query;
use crate::selection::{Selection, each_of};
use crate::total::Sums;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Keys of one tally at most.
pub(crate) const KEYS_MAX: usize = 3;
/// Items are few where there are more than this many codes for each.
const FEW: usize = 8;
/// Combinations of codes that are counted in a plain list while keys are fused; more are counted by key.
const DENSE_MAX: usize = 1 << 21;
/// Selections of which a board keeps tallies.
const SELECTIONS_MAX: usize = 8;
/// Cells that a board keeps, where it has fewer items: one for two items otherwise, which is 8 bytes an item.
const CELLS_MIN: usize = 1 << 14;

/// Codes of a board's rows.
#[derive(Clone)]
pub(crate) enum Key<'a> {
    Of(&'a Codes, usize),
    Made(Arc<Made>),
}

/// Codes that were made of something else, with what each stands for.
pub(crate) struct Made {
    pub codes: Codes,
    pub count: usize,
    /// Of codes of days: the day of each but the first, rising; of buckets of time the first day.
    pub days: Vec<i32>,
    /// Of codes of spans: the first and last day of each but the first.
    pub spans: Vec<(i32, i32)>,
}

impl Made {
    pub fn new(codes: Vec<u32>, count: usize) -> Made {
        Made { codes: Codes::new(codes, count), count, days: Vec::new(), spans: Vec::new() }
    }
}

impl<'a> Key<'a> {
    pub fn of(coded: &'a Coded) -> Key<'a> {
        Key::Of(&coded.codes, coded.code_count())
    }
    pub fn codes(&self) -> &Codes {
        match self {
            Key::Of(codes, _) => codes,
            Key::Made(made) => &made.codes,
        }
    }
    /// How many codes there are.
    pub fn count(&self) -> usize {
        match self {
            Key::Of(_, count) => *count,
            Key::Made(made) => made.count,
        }
    }
}

/// One code for each combination of several keys' codes that there is, in the order of the keys.
pub(crate) struct Fused {
    codes: Codes,
    parts: Vec<[u32; KEYS_MAX]>,
}

impl Fused {
    fn new(keys: &[Option<Key<'_>>; KEYS_MAX], rows: usize) -> Fused {
        let keys: Vec<(usize, &Key<'_>)> =
            keys.iter().enumerate().filter_map(|(at, key)| Some((at, key.as_ref()?))).collect();
        let combined = |row: usize| {
            keys.iter().fold(0, |code, (_, key)| code * key.count() as u64 + u64::from(key.codes().get(row)))
        };
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
                let places: HashMap<u64, u32> = there.iter().copied().zip(0..).collect();
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
        Fused { codes: Codes::new(codes, parts.len()), parts }
    }
}

/// A board's rows by the codes of some keys; of a key that is not there the code is 0.
pub(crate) struct Keyed<'a> {
    pub board: &'a Board,
    pub keys: [Option<Key<'a>>; KEYS_MAX],
}

impl Keyed<'_> {
    /// The codes of a row, key by key.
    #[inline]
    pub fn codes(&self, row: usize) -> [u32; KEYS_MAX] {
        let mut codes = [0; KEYS_MAX];
        for (key, code) in self.keys.iter().zip(&mut codes) {
            *code = key.as_ref().map_or(0, |key| key.codes().get(row));
        }
        codes
    }
    /// How many codes a key has.
    pub fn count(&self, at: usize) -> usize {
        self.keys[at].as_ref().map_or(1, Key::count)
    }
    fn stamps(&self) -> [Option<u64>; KEYS_MAX] {
        self.keys.each_ref().map(|key| key.as_ref().map(|key| key.codes().stamp))
    }
    fn fused(&self) -> Option<Arc<Fused>> {
        (self.keys.iter().flatten().count() > 1).then(|| {
            let of = Of::Fused(self.stamps().to_vec());
            self.board.derived.get(of, || Fused::new(&self.keys, self.board.rows))
        })
    }
    /// The place and the codes of the only key, where it is one.
    fn only(&self) -> Option<(usize, &Key<'_>)> {
        self.keys.iter().enumerate().find_map(|(at, key)| Some((at, key.as_ref()?)))
    }
    /// Cells of any kind for each combination of codes, in their order, filled row by row.
    pub fn cells<C: Clone + Default>(
        &self,
        selection: &Selection,
        mut add: impl FnMut(&mut C, usize),
    ) -> Vec<([u32; KEYS_MAX], C)> {
        if let Some(fused) = self.fused() {
            let mut cells = vec![C::default(); fused.parts.len()];
            selection.each(|row| add(&mut cells[fused.codes.get(row) as usize], row));
            return fused.parts.iter().copied().zip(cells).collect();
        }
        let Some((at, key)) = self.only() else {
            let mut cell = C::default();
            selection.each(|row| add(&mut cell, row));
            return vec![([0; KEYS_MAX], cell)];
        };
        let mut cells = vec![C::default(); key.count()];
        selection.each(|row| add(&mut cells[key.codes().get(row) as usize], row));
        cells.into_iter().enumerate().map(|(code, cell)| (placed(at, code as u32), cell)).collect()
    }
}

/// The codes of one key alone.
fn placed(at: usize, code: u32) -> [u32; KEYS_MAX] {
    let mut codes = [0; KEYS_MAX];
    codes[at] = code;
    codes
}

/// Whole numbers that are added up, and the column that they are of.
#[derive(Clone, Copy)]
pub(crate) struct Addends<'a> {
    pub column: u64,
    pub values: &'a [i32],
}

impl<'a> Addends<'a> {
    /// Nothing where the column has other values than whole numbers.
    pub fn of(column: &'a Column) -> Option<Addends<'a>> {
        match &column.data {
            Data::Numbers(Numbers::Scaled { values, .. }) => Some(Addends { column: column.stamp, values }),
            _ => None,
        }
    }
}

/// Sums by code.
pub(crate) enum Cells {
    Dense(Vec<Sums>),
    /// Rising codes, where few of many codes have items.
    Sparse(Vec<(u32, Sums)>),
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Cells::Dense(cells) => cells.len(),
            Cells::Sparse(cells) => cells.len(),
        }
    }
    /// The sums of each code, where those of all are there.
    pub fn dense(&self) -> &[Sums] {
        match self {
            Cells::Dense(cells) => cells,
            Cells::Sparse(_) => &[],
        }
    }
}

/// What tells rows apart while they are added up.
#[derive(Clone, Copy)]
enum By<'a> {
    Nothing,
    /// Their codes, of which there are so many.
    Code(&'a Codes, usize),
    /// Each of the entries that their codes stand for.
    Entry(&'a Coded),
}

impl By<'_> {
    fn count(&self) -> usize {
        match self {
            By::Nothing => 1,
            By::Code(_, count) => *count,
            By::Entry(coded) => coded.entries.len() + 2,
        }
    }
}

/// Marks the stamp of a column whose rows were counted by entry. No column gets a stamp as large.
const BY_ENTRY: u64 = 1 << 63;

/// A tally, by the codes of the keys that were asked for.
pub(crate) enum Tally<'a> {
    Made {
        cells: Arc<Cells>,
        fused: Option<Arc<Fused>>,
        /// Where each key stands among those that the tally was made by.
        places: [Option<usize>; KEYS_MAX],
    },
    /// Few items are not added up: each is told by itself.
    Few { rows: &'a [u32], keyed: &'a Keyed<'a>, values: Option<&'a [i32]> },
}

impl Tally<'_> {
    /// Calls with each cell that has items. A combination of codes may come more than once.
    #[inline(always)]
    pub fn each(&self, mut call: impl FnMut([u32; KEYS_MAX], &Sums)) {
        let (cells, fused, places) = match self {
            Tally::Made { cells, fused, places } => (cells, fused, places),
            Tally::Few { rows, keyed, values } => {
                for row in rows.iter().map(|row| *row as usize) {
                    let mut sums = Sums::default();
                    sums.add(values.map_or(NO_INT, |values| values[row]));
                    call(keyed.codes(row), &sums);
                }
                return;
            }
        };
        for at in 0..cells.len() {
            let (code, cell) = match &**cells {
                Cells::Dense(cells) => (at as u32, &cells[at]),
                Cells::Sparse(cells) => (cells[at].0, &cells[at].1),
            };
            if cell.items > 0 {
                let parts = fused.as_ref().map_or([code; KEYS_MAX], |fused| fused.parts[code as usize]);
                call(places.map(|place| place.map_or(0, |place| parts[place])), cell);
            }
        }
    }
}

/// The places to which the codes of several keys lead together, as a widget keeps them for a board: they do not depend on the
/// filters.
#[derive(Default)]
pub(crate) struct Ways(Mutex<Option<(u64, Arc<Vec<u32>>)>>);

impl Ways {
    fn of(&self, fused: &Fused, place: impl Fn([u32; KEYS_MAX]) -> usize) -> Arc<Vec<u32>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, ways)) = kept.as_ref().filter(|(stamp, _)| *stamp == fused.codes.stamp) {
            return ways.clone();
        }
        let ways: Arc<Vec<u32>> = Arc::new(fused.parts.iter().map(|parts| place(*parts) as u32).collect());
        *kept = Some((fused.codes.stamp, ways.clone()));
        ways
    }
}

impl Tally<'_> {
    /// Calls with the place and the sums of each cell; those without items may come too.
    #[inline(always)]
    pub fn each_at(&self, ways: &Ways, place: impl Fn([u32; KEYS_MAX]) -> usize, mut call: impl FnMut(usize, &Sums)) {
        let Tally::Made { cells, fused: Some(fused), places } = self else {
            return self.each(|codes, sums| call(place(codes), sums));
        };
        let Cells::Dense(cells) = &**cells else {
            return self.each(|codes, sums| call(place(codes), sums));
        };
        let place = |parts: [u32; KEYS_MAX]| place(places.map(|place| place.map_or(0, |place| parts[place])));
        let ways = ways.of(fused, place);
        cells.iter().zip(&*ways).for_each(|(sums, at)| call(*at as usize, sums));
    }
}

/// A tally as it was made.
#[derive(Clone)]
struct Entry {
    keys: [Option<u64>; KEYS_MAX],
    column: Option<u64>,
    cells: Arc<Cells>,
    fused: Option<Arc<Fused>>,
}

impl Entry {
    fn place(&self, key: u64) -> Option<usize> {
        self.keys.iter().position(|there| *there == Some(key))
    }
    /// Whether a row of several entries is in several cells.
    fn is_by_entry(&self) -> bool {
        self.keys[0].is_some_and(|key| key & BY_ENTRY != 0)
    }
}

/// The tallies of one selection, which is held so that nothing else gets its place in memory.
struct OfSelection {
    selection: Arc<Selection>,
    made: Vec<Entry>,
}

/// The tallies that a board keeps.
#[derive(Default)]
pub(crate) struct Tallied {
    /// Of all rows: what lets nearly everything pass is made by taking away.
    whole: OnceLock<Arc<Selection>>,
    /// The last used last.
    kept: Mutex<Vec<OfSelection>>,
}

impl Tallied {
    fn lock(&self) -> MutexGuard<'_, Vec<OfSelection>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
    fn whole(&self, rows: usize) -> &Arc<Selection> {
        self.whole.get_or_init(|| Arc::new(Selection::all(rows)))
    }
    /// The selections that differ from one in fewer rows than it has, the nearest first.
    fn near(&self, selection: &Selection, rows: usize) -> Vec<(usize, Arc<Selection>)> {
        let whole = self.whole(rows);
        let kept = self.lock();
        // What has twice as many rows or more differs in as many.
        let may_be_near = |other: &&Arc<Selection>| other.count().abs_diff(selection.count()) < selection.count();
        let others = kept.iter().map(|of| &of.selection).filter(|other| !Arc::ptr_eq(other, whole));
        let mut near: Vec<(usize, Arc<Selection>)> = Vec::new();
        for other in others.chain([whole]).filter(may_be_near) {
            let differing = selection.differing(other);
            if differing < selection.count() {
                let at = near.partition_point(|(rows, _)| *rows <= differing);
                near.insert(at, (differing, other.clone()));
            }
        }
        near
    }
    fn find(&self, selection: &Arc<Selection>, keys: [Option<u64>; KEYS_MAX], column: Option<u64>) -> Option<Entry> {
        let mut kept = self.lock();
        let at = kept.iter().position(|of| Arc::ptr_eq(&of.selection, selection))?;
        let found = kept[at].made.iter().find(|made| made.keys == keys && made.column == column)?.clone();
        // It was of use.
        kept[at..].rotate_left(1);
        Some(found)
    }
    fn keep(&self, selection: &Arc<Selection>, entry: Entry, rows: usize) {
        let most = CELLS_MIN.max(rows / 2);
        if matches!(*entry.cells, Cells::Sparse(_)) || entry.cells.len() > most {
            return;
        }
        let mut kept = self.lock();
        match kept.iter().position(|of| Arc::ptr_eq(&of.selection, selection)) {
            Some(at) => {
                kept[at].made.push(entry);
                kept[at..].rotate_left(1);
            }
            None => kept.push(OfSelection { selection: selection.clone(), made: vec![entry] }),
        }
        let cells =
            |kept: &[OfSelection]| kept.iter().flat_map(|of| &of.made).map(|made| made.cells.len()).sum::<usize>();
        while kept.len() > SELECTIONS_MAX || cells(&kept) > most {
            // Those of all rows are the last to go.
            let is_whole = |of: &OfSelection| self.whole.get().is_some_and(|whole| Arc::ptr_eq(whole, &of.selection));
            let first = usize::from(kept.len() > 1 && is_whole(&kept[0]));
            kept[first].made.remove(0);
            if kept[first].made.is_empty() {
                kept.remove(first);
            }
        }
    }
}

/// The tallies of one selection in a query, and the kept selections that are near to it.
struct InQuery {
    of: OfSelection,
    near: Vec<(usize, Arc<Selection>)>,
}

/// The tallies of a query.
#[derive(Default)]
pub(crate) struct Tallies {
    /// By the place of the selection in memory.
    made: RefCell<FxHashMap<usize, InQuery>>,
}

impl Tallies {
    /// The tally of a selection: made, or read off one that is there.
    pub fn of<'a>(
        &self,
        selection: &'a Arc<Selection>,
        keyed: &'a Keyed<'a>,
        addends: Option<Addends<'a>>,
    ) -> Tally<'a> {
        if let Some(rows) = selection.listed() {
            return Tally::Few { rows, keyed, values: addends.map(|addends| addends.values) };
        }
        let keys = keyed.stamps();
        let column = addends.map(|addends| addends.column);
        let serves = |of: &&Entry| {
            (column.is_none() || of.column == column)
                && !of.is_by_entry()
                && keys.iter().flatten().all(|key| of.place(*key).is_some())
                // Reading many cells takes longer than adding up few items.
                && (of.keys.iter().flatten().count() == keys.iter().flatten().count() || of.cells.len() <= selection.count())
        };
        let tally = |of: &Entry| {
            let places = keys.map(|key| key.and_then(|key| of.place(key)));
            Tally::Made { cells: of.cells.clone(), fused: of.fused.clone(), places }
        };
        let mut made = self.made.borrow_mut();
        let here = InQuery::of(&mut made, selection, keyed.board);
        if let Some(there) = here.of.made.iter().filter(serves).min_by_key(|of| of.cells.len()) {
            let Some(coarse) = coarser(there, keyed) else { return tally(there) };
            let made_now = tally(&coarse);
            here.of.made.push(coarse);
            return made_now;
        }
        let fused = keyed.fused();
        let by = match &fused {
            Some(fused) => By::Code(&fused.codes, fused.parts.len()),
            None => keyed.only().map_or(By::Nothing, |(_, key)| By::Code(key.codes(), key.count())),
        };
        let entry = make(selection, &here.near, keyed.board, keys, &fused, by, addends);
        let made_now = tally(&entry);
        here.of.made.push(entry);
        made_now
    }

    /// The tally of a selection by the entries of a column: first of the rows that hold none, then of those that hold each entry,
    /// and last of all rows.
    pub fn of_entries(
        &self,
        selection: &Arc<Selection>,
        board: &Board,
        coded: &Coded,
        addends: Option<Addends<'_>>,
    ) -> Arc<Cells> {
        let (keys, column) = ([Some(coded.codes.stamp | BY_ENTRY), None, None], addends.map(|addends| addends.column));
        let mut made = self.made.borrow_mut();
        let here = InQuery::of(&mut made, selection, board);
        if let Some(there) = here.of.made.iter().find(|of| of.keys == keys && of.column == column) {
            return there.cells.clone();
        }
        let entry = make(selection, &here.near, board, keys, &None, By::Entry(coded), addends);
        let cells = entry.cells.clone();
        here.of.made.push(entry);
        cells
    }
}

impl InQuery {
    fn of<'a>(made: &'a mut FxHashMap<usize, InQuery>, selection: &Arc<Selection>, board: &Board) -> &'a mut InQuery {
        made.entry(Arc::as_ptr(selection) as usize).or_insert_with(|| InQuery {
            of: OfSelection { selection: selection.clone(), made: Vec::new() },
            near: board.tallied.near(selection, board.rows),
        })
    }
}

/// Makes a tally, of a near selection's where it is kept, and keeps it.
fn make(
    selection: &Arc<Selection>,
    near: &[(usize, Arc<Selection>)],
    board: &Board,
    keys: [Option<u64>; KEYS_MAX],
    fused: &Option<Arc<Fused>>,
    by: By<'_>,
    addends: Option<Addends<'_>>,
) -> Entry {
    let column = addends.map(|addends| addends.column);
    let values = addends.map(|addends| addends.values);
    let entry = |cells: Arc<Cells>| Entry { keys, column, cells, fused: fused.clone() };
    // What is nothing to count, or among many codes, is not worth keeping.
    if matches!(by, By::Nothing) && values.is_none() || selection.count() < by.count() / FEW {
        return entry(Arc::new(sums(selection, by, values)));
    }
    // The same rows are kept but once.
    let own = near.first().filter(|(differing, _)| *differing == 0).map_or(selection, |(_, same)| same);
    let whole = board.tallied.whole(board.rows);
    for (differing, other) in near {
        let found = board.tallied.find(other, keys, column).or_else(|| {
            Arc::ptr_eq(other, whole).then(|| {
                let made = entry(Arc::new(sums(whole, by, values)));
                board.tallied.keep(whole, made.clone(), board.rows);
                made
            })
        });
        let Some(Entry { cells, .. }) = &found else { continue };
        let Cells::Dense(cells_there) = &**cells else { continue };
        let cells = match *differing {
            0 => cells.clone(),
            _ => {
                let mut cells = cells_there.clone();
                add_up(&selection.without(other), false, by, values, &mut cells);
                add_up(&other.without(selection), true, by, values, &mut cells);
                Arc::new(Cells::Dense(cells))
            }
        };
        let made = entry(cells);
        if *differing > 0 {
            board.tallied.keep(own, made.clone(), board.rows);
        }
        return made;
    }
    let made = entry(Arc::new(sums(selection, by, values)));
    board.tallied.keep(own, made.clone(), board.rows);
    made
}

/// The tally of one key read off one of several, for all who read it off again.
fn coarser(finer: &Entry, keyed: &Keyed<'_>) -> Option<Entry> {
    let (Some(fused), Cells::Dense(cells)) = (&finer.fused, &*finer.cells) else { return None };
    let (place, key) = keyed.only().filter(|_| keyed.keys.iter().flatten().count() == 1)?;
    let from = finer.place(key.codes().stamp)?;
    let mut sums = vec![Sums::default(); key.count()];
    for (cell, parts) in cells.iter().zip(&fused.parts) {
        sums[parts[from] as usize].merge(cell);
    }
    let mut keys = [None; KEYS_MAX];
    keys[place] = Some(key.codes().stamp);
    Some(Entry { keys, column: finer.column, cells: Arc::new(Cells::Dense(sums)), fused: None })
}

/// Adds up by code.
fn sums(selection: &Selection, by: By<'_>, values: Option<&[i32]>) -> Cells {
    if let By::Code(codes, count) = by
        && selection.count() < count / FEW
    {
        return sparse(selection, codes, values);
    }
    let mut cells = vec![Sums::default(); by.count()];
    add_up(selection.words(), false, by, values, &mut cells);
    Cells::Dense(cells)
}

/// Does something with the code and the number of each row of some words. Without numbers items alone are counted: as of a column
/// that is empty. Not a function, whose four loops would share a call for each row where the module is built to be small.
macro_rules! each_row {
    ($words:expr, $codes:expr, $values:expr, |$code:ident, $value:ident| $change:expr) => {
        match (&$codes.form, $values) {
            (Form::U16(codes), Some(values)) => each_of($words, codes, values, |code, $value| {
                let $code = usize::from(code);
                $change
            }),
            (Form::U32(codes), Some(values)) => each_of($words, codes, values, |code, $value| {
                let $code = code as usize;
                $change
            }),
            (Form::U16(codes), None) => each_of($words, codes, codes, |code, _| {
                let ($code, $value) = (usize::from(code), NO_INT);
                $change
            }),
            (Form::U32(codes), None) => each_of($words, codes, codes, |code, _| {
                let ($code, $value) = (code as usize, NO_INT);
                $change
            }),
        }
    };
}

/// Adds the rows of some words to the cells where they belong, or takes them away.
fn add_up(words: &[u64], away: bool, by: By<'_>, values: Option<&[i32]>, cells: &mut [Sums]) {
    let rows = || words.iter().map(|word| word.count_ones() as usize).sum::<usize>();
    match (by, values) {
        (By::Code(codes, _), _) if away => each_row!(words, codes, values, |code, value| cells[code].remove(value)),
        (By::Code(codes, _), _) => each_row!(words, codes, values, |code, value| cells[code].add(value)),
        (By::Entry(coded), _) => {
            let mut all = Sums::default();
            // Each code is looked up but once where there are far fewer of them than rows.
            if rows() > coded.code_count() * 3 {
                let mut by_code = vec![Sums::default(); coded.code_count()];
                add_up(words, false, By::Code(&coded.codes, by_code.len()), values, &mut by_code);
                for (code, sums) in by_code.iter().enumerate().filter(|(_, sums)| sums.items > 0) {
                    all.merge(sums);
                    let change = if away { Sums::take } else { Sums::merge };
                    each_cell(coded, code, |cell| change(&mut cells[cell], sums));
                }
            } else if away {
                each_row!(words, coded.codes, values, |code, value| {
                    all.add(value);
                    each_cell(coded, code, |cell| cells[cell].remove(value));
                });
            } else {
                each_row!(words, coded.codes, values, |code, value| {
                    all.add(value);
                    each_cell(coded, code, |cell| cells[cell].add(value));
                });
            }
            if let Some(last) = cells.last_mut() {
                if away { last.take(&all) } else { last.merge(&all) }
            }
        }
        (By::Nothing, Some(values)) if away => each_of(words, values, values, |value, _| cells[0].remove(value)),
        (By::Nothing, Some(values)) => each_of(words, values, values, |value, _| cells[0].add(value)),
        (By::Nothing, None) => cells[0].items = rows() as u32,
    }
}

/// Calls with each cell of a tally by entry to which the rows with a code belong, but for the last, to which all do.
#[inline(always)]
fn each_cell(coded: &Coded, code: usize, mut call: impl FnMut(usize)) {
    match coded.entries_of(code) {
        [] => call(0),
        entries => entries.iter().for_each(|entry| call(*entry as usize + 1)),
    }
}

/// The same of few items among many codes.
fn sparse(selection: &Selection, codes: &Codes, values: Option<&[i32]>) -> Cells {
    let mut rows = Vec::with_capacity(selection.count());
    selection.each(|row| rows.push(u64::from(codes.get(row)) << 32 | row as u64));
    rows.sort_unstable();
    let mut cells: Vec<(u32, Sums)> = Vec::new();
    for of_row in rows {
        let (code, row) = ((of_row >> 32) as u32, of_row as u32 as usize);
        if cells.last().is_none_or(|(last, _)| *last != code) {
            cells.push((code, Sums::default()));
        }
        let Some((_, cell)) = cells.last_mut() else { continue };
        match values {
            Some(values) => cell.add(values[row]),
            None => cell.items += 1,
        }
    }
    Cells::Sparse(cells)
}

/// Codes of days: 0 for none, then rising with the days that there are.
fn days(of: impl Iterator<Item = Option<i32>> + Clone) -> Made {
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
    Made { days: there.clone(), ..Made::new(codes, there.len() + 1) }
}

/// Days of a board's rows.
#[derive(Clone, Copy)]
pub(crate) enum Days<'a> {
    /// Of a column with this stamp.
    Of(u64, &'a [i32]),
    /// Instants with their stamp, and what the viewer's clock is ahead.
    At(u64, &'a [i64], &'a Query),
}

impl Days<'_> {
    fn stamp(&self) -> (u64, i64) {
        match self {
            Days::Of(stamp, _) => (*stamp, 0),
            Days::At(stamp, _, query) => (*stamp, query.shift_ms()),
        }
    }
    /// A row's day.
    #[inline]
    pub fn get(&self, row: usize) -> Option<i32> {
        match self {
            Days::Of(_, days) => Some(days[row]).filter(|day| *day != NO_DAY),
            Days::At(_, instants, query) => Some(query.day(instants[row])),
        }
    }
    /// As a key.
    pub fn key<'b>(&self, board: &Board) -> Key<'b> {
        let (stamp, shift) = self.stamp();
        Key::Made(board.derived.get(Of::Days(stamp, shift), || days((0..board.rows).map(|row| self.get(row)))))
    }
    /// As a key of the buckets that they lie in, by the first day of each.
    pub fn buckets<'b>(&self, board: &Board, bucket: Bucket, week_start: u8) -> Key<'b> {
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
            Made { days: starts.clone(), ..Made::new(codes, starts.len() + 1) }
        };
        Key::Made(board.derived.get(Of::Buckets(stamp, shift, bucket, week_start), make))
    }
    /// A key that says of each row whether its day lies behind the limit that its code of another key has: `BY_LIMIT` or `BEHIND`,
    /// `UNDATED` where it has no day; without a limit every day is by it.
    pub fn compared<'b>(&self, board: &Board, key: &Key<'_>, limits: Vec<Option<i32>>) -> Key<'b> {
        let codes = key.codes();
        let of = |limits| Of::Compared { codes: codes.stamp, days: self.stamp(), limits };
        // An instant of nothing is that of an item of which nobody knows when it was.
        let is_known = |row: usize| !matches!(self, Days::At(_, instants, _) if instants[row] <= 0);
        let day = |row: usize| self.get(row).filter(|_| is_known(row));
        let code = |row: usize| match (day(row), limits[codes.get(row) as usize]) {
            (None, _) => UNDATED,
            (Some(day), Some(limit)) if day > limit => BEHIND,
            _ => BY_LIMIT,
        };
        Key::Made(board.derived.get(of(limits.clone()), || Made::new((0..board.rows).map(code).collect(), 3)))
    }
}

/// Codes of days beside a limit.
pub(crate) const UNDATED: u32 = 0;
pub(crate) const BY_LIMIT: u32 = 1;
pub(crate) const BEHIND: u32 = 2;
