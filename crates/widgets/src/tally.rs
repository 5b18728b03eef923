//! Tallies: how many of a board's items, and what sum of a column, belong to each code of one key or of several together. One is
//! made once in a query, however many widgets read from it: a coarse tally is read off a finer one.

use crate::board::{Board, Column};
use crate::column::{Coded, Codes, Data, Form, NO_DAY, Numbers};
use crate::derived::Of;
use crate::query::Query;
use crate::selection::Selection;
use crate::total::Sums;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Keys of one tally at most.
pub(crate) const KEYS_MAX: usize = 3;
/// Items are few where there are more than this many codes for each.
const FEW: usize = 8;
/// Combinations of codes that are counted in a plain list while keys are fused; more are counted by key.
const DENSE_MAX: usize = 1 << 21;

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
    /// Of codes of days: the day of each but the first, rising.
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
enum Cells {
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
}

/// A tally, by the codes of the keys that were asked for.
pub(crate) struct Tally {
    cells: Rc<Cells>,
    fused: Option<Arc<Fused>>,
    /// Where each key stands among those that the tally was made by.
    places: [Option<usize>; KEYS_MAX],
}

impl Tally {
    /// Calls with each cell that has items. A combination of codes may come more than once.
    #[inline]
    pub fn each(&self, mut call: impl FnMut([u32; KEYS_MAX], &Sums)) {
        let mut each = |code: usize, cell: &Sums| {
            let own = |place: usize| self.fused.as_ref().map_or(code as u32, |fused| fused.parts[code][place]);
            call(self.places.map(|place| place.map_or(0, own)), cell);
        };
        match &*self.cells {
            Cells::Dense(cells) => {
                cells.iter().enumerate().filter(|(_, cell)| cell.items > 0).for_each(|(code, cell)| each(code, cell));
            }
            Cells::Sparse(cells) => cells.iter().for_each(|(code, cell)| each(*code as usize, cell)),
        }
    }
}

/// A tally as it was made.
struct Entry {
    keys: [Option<u64>; KEYS_MAX],
    column: Option<u64>,
    cells: Rc<Cells>,
    fused: Option<Arc<Fused>>,
}

impl Entry {
    fn place(&self, key: u64) -> Option<usize> {
        self.keys.iter().position(|there| *there == Some(key))
    }
}

/// The tallies of one selection, which is held so that nothing else gets its place in memory.
type OfSelection = (Arc<Selection>, Vec<Entry>);

/// The tallies of a query.
#[derive(Default)]
pub(crate) struct Tallies {
    /// By the place of the selection in memory.
    made: RefCell<HashMap<usize, OfSelection>>,
}

impl Tallies {
    /// The tally of a selection: made, or read off one that is there.
    pub fn of(&self, selection: &Arc<Selection>, keyed: &Keyed<'_>, addends: Option<Addends<'_>>) -> Tally {
        let keys = keyed.stamps();
        let column = addends.map(|addends| addends.column);
        let serves = |of: &&Entry| {
            (column.is_none() || of.column == column)
                && keys.iter().flatten().all(|key| of.place(*key).is_some())
                // Reading many cells takes longer than adding up few items.
                && (of.keys.iter().flatten().count() == keys.iter().flatten().count() || of.cells.len() <= selection.count())
        };
        let tally = |of: &Entry| {
            let places = keys.map(|key| key.and_then(|key| of.place(key)));
            Tally { cells: of.cells.clone(), fused: of.fused.clone(), places }
        };
        let mut made = self.made.borrow_mut();
        let place = Arc::as_ptr(selection) as usize;
        let (_, made) = made.entry(place).or_insert_with(|| (selection.clone(), Vec::new()));
        if let Some(there) = made.iter().filter(serves).min_by_key(|of| of.cells.len()) {
            return tally(there);
        }
        let fused = keyed.fused();
        let codes = match &fused {
            Some(fused) => Some((&fused.codes, fused.parts.len())),
            None => keyed.only().map(|(_, key)| (key.codes(), key.count())),
        };
        let cells = Rc::new(sums(selection, codes, addends.map(|addends| addends.values)));
        let entry = Entry { keys, column, cells, fused };
        let made_now = tally(&entry);
        made.push(entry);
        made_now
    }
}

/// Adds up by code.
fn sums(selection: &Selection, codes: Option<(&Codes, usize)>, values: Option<&[i32]>) -> Cells {
    if let Some((codes, count)) = codes
        && selection.count() < count / FEW
    {
        return sparse(selection, codes, values);
    }
    let mut cells = vec![Sums::default(); codes.map_or(1, |(_, count)| count)];
    match (codes.map(|(codes, _)| &codes.form), values) {
        (Some(Form::U16(codes)), Some(values)) => {
            selection.each_of(codes, values, |code, value| cells[usize::from(code)].add(value));
        }
        (Some(Form::U32(codes)), Some(values)) => {
            selection.each_of(codes, values, |code, value| cells[code as usize].add(value));
        }
        (Some(Form::U16(codes)), None) => {
            selection.each_of(codes, codes, |code, _| cells[usize::from(code)].items += 1);
        }
        (Some(Form::U32(codes)), None) => {
            selection.each_of(codes, codes, |code, _| cells[code as usize].items += 1);
        }
        (None, Some(values)) => selection.each_of(values, values, |value, _| cells[0].add(value)),
        (None, None) => cells[0].items = selection.count() as u32,
    }
    Cells::Dense(cells)
}

/// The same of few items among many codes.
fn sparse(selection: &Selection, codes: &Codes, values: Option<&[i32]>) -> Cells {
    let mut rows = Vec::with_capacity(selection.count());
    selection.each(|row| rows.push((codes.get(row), row)));
    rows.sort_unstable();
    let mut cells: Vec<(u32, Sums)> = Vec::new();
    for (code, row) in rows {
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
