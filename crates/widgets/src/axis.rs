//! Categories of an axis: what rows of several boards are counted by, and how a board's codes lead to them.

use crate::board::{Board, Column, Family};
use crate::column::{Coded, Codes, Data, NO_DAY};
use crate::dates::{Bucket, iso};
use crate::fold::fold_text;
use crate::query::Query;
use crate::selection::Selection;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;

/// Spans on a date axis at most; more become the next longer span.
const BUCKETS_MAX: usize = 400;

/// What an axis is made of.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum By {
    /// The columns of the axis's role.
    #[default]
    Column,
    Board,
    Group,
    Name,
    Created,
    Updated,
}

/// Whether a category is a value, the empty cell, or the rest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CategoryKind {
    Value,
    Empty,
    Other,
}

/// One category.
#[derive(Clone, Debug)]
pub(crate) struct Category {
    pub kind: CategoryKind,
    /// What identifies it in any board: the folded text, a member's id, a board's id, a span's first day.
    pub key: String,
    pub label: String,
    pub color: Option<String>,
}

/// Where a board's rows get their codes from.
enum Source<'a> {
    Codes(&'a Codes),
    /// Each day's code, from the first day on.
    Days(&'a [i32], i32, Vec<u32>),
    Instants(&'a [i64], i32, Vec<u32>),
    Same(u32),
}

/// A board's rows on the axis: their codes, and the categories of each code.
pub(crate) struct Keys<'a> {
    source: Source<'a>,
    offsets: Vec<u32>,
    categories: Vec<u32>,
}

impl Keys<'_> {
    pub fn code_count(&self) -> usize {
        self.offsets.len() - 1
    }
    pub fn categories(&self, code: usize) -> &[u32] {
        &self.categories[self.offsets[code] as usize..self.offsets[code + 1] as usize]
    }
    /// A row's code.
    #[inline]
    pub fn code(&self, query: &Query, row: usize) -> u32 {
        let at = |day: i32, first: i32, table: &[u32]| {
            // Only days of passing rows are in the table.
            usize::try_from(day.wrapping_sub(first)).ok().and_then(|i| table.get(i)).copied().unwrap_or(0)
        };
        match &self.source {
            Source::Codes(codes) => codes.get(row),
            Source::Days(days, first, table) => at(days[row], *first, table),
            Source::Instants(instants, first, table) => at(query.day(instants[row]), *first, table),
            Source::Same(code) => *code,
        }
    }
    fn direct(source: Source<'_>, categories: impl Iterator<Item = u32>) -> Keys<'_> {
        let categories: Vec<u32> = categories.collect();
        Keys { source, offsets: (0..=categories.len() as u32).collect(), categories }
    }
}

/// The categories and each board's way to them; the category 0 is the empty one.
pub(crate) struct Axis<'a> {
    pub categories: Vec<Category>,
    pub keys: Vec<Keys<'a>>,
    /// The span of a date axis.
    pub bucket: Option<Bucket>,
    /// The categories have an order of their own: labels of a column, groups, boards, dates.
    pub ordered: bool,
    /// Whether a row can be in several categories.
    pub many: bool,
}

/// A board on its way to an axis.
pub(crate) struct Place<'a> {
    pub board: &'a Board,
    pub selection: &'a Selection,
    /// The column of the axis's role.
    pub column: Option<&'a Column>,
}

impl Place<'_> {
    /// Whether the rows' values are dates.
    pub fn is_date(&self, by: By) -> bool {
        match by {
            By::Created | By::Updated => true,
            By::Column => self.column.is_some_and(|c| c.family == Family::Date),
            _ => false,
        }
    }
}

impl<'a> Axis<'a> {
    pub fn new(by: By, bucket: Bucket, places: &[Place<'a>], query: &Query) -> Axis<'a> {
        let empty = Category { kind: CategoryKind::Empty, key: String::new(), label: "(empty)".into(), color: None };
        let mut axis = Axis { categories: vec![empty], keys: Vec::new(), bucket: None, ordered: false, many: false };
        if places.iter().any(|place| place.is_date(by)) {
            axis.dates(by, bucket, places, query);
        } else {
            axis.labels(by, places);
        }
        axis
    }

    /// The category that an answer has told as `{"kind", "key"}`.
    pub fn place(&self, told: &Value) -> Option<u32> {
        let is_empty = told["kind"] == "empty";
        let is_told = |(at, category): (usize, &Category)| {
            if at == 0 { is_empty } else { !is_empty && told["key"] == category.key.as_str() }
        };
        (0..self.categories.len()).find(|at| is_told((*at, &self.categories[*at]))).map(|at| at as u32)
    }

    fn labels(&mut self, by: By, places: &[Place<'a>]) {
        let mut known = HashMap::new();
        self.ordered = matches!(by, By::Board | By::Group);
        for place in places {
            let board = place.board;
            let coded = match (by, place.column.map(|c| (&c.data, c.family))) {
                (By::Board, _) => {
                    let category = self.category(&mut known, board.id.clone(), &board.name, None);
                    self.keys.push(Keys::direct(Source::Same(0), std::iter::once(category)));
                    continue;
                }
                (By::Group, _) => Some((&board.groups, false)),
                (By::Name, _) => Some((board.names.coded(), false)),
                (By::Column, Some((Data::Coded(coded), family))) => {
                    self.ordered |= matches!(family, Family::Label | Family::Checkbox);
                    Some((coded, matches!(family, Family::People | Family::Links)))
                }
                (By::Column, Some((Data::Text(texts), _))) => Some((texts.coded(), false)),
                _ => None,
            };
            let keys = match coded {
                Some((coded, by_id)) => self.coded(&mut known, coded, by_id),
                None => Keys::direct(Source::Same(0), std::iter::once(0)),
            };
            self.keys.push(keys);
        }
    }

    fn coded(&mut self, known: &mut HashMap<String, u32>, coded: &'a Coded, by_id: bool) -> Keys<'a> {
        self.many |= coded.many;
        let entries: Vec<u32> = coded
            .entries
            .iter()
            .map(|entry| {
                // People of the same name are not the same person, nor sprints of the same name the same sprint.
                let key = if by_id { &entry.id } else { &entry.folded };
                if key.is_empty() { 0 } else { self.category(known, key.clone(), &entry.text, entry.color.as_ref()) }
            })
            .collect();
        let (mut offsets, mut categories) = (vec![0], vec![0]);
        offsets.push(1);
        for code in 1..coded.code_count() {
            let first = categories.len();
            for entry in coded.entries_of(code) {
                let category = entries[*entry as usize];
                if !categories[first..].contains(&category) {
                    categories.push(category);
                }
            }
            offsets.push(categories.len() as u32);
        }
        Keys { source: Source::Codes(&coded.codes), offsets, categories }
    }

    fn category(&mut self, known: &mut HashMap<String, u32>, key: String, label: &str, color: Option<&String>) -> u32 {
        let index = *known.entry(key).or_insert_with_key(|key| {
            let label = if label.is_empty() { key.clone() } else { label.to_owned() };
            self.categories.push(Category { kind: CategoryKind::Value, key: key.clone(), label, color: None });
            self.categories.len() as u32 - 1
        });
        let category = &mut self.categories[index as usize];
        if category.color.is_none() {
            category.color = color.cloned();
        }
        index
    }

    fn dates(&mut self, by: By, asked: Bucket, places: &[Place<'a>], query: &Query) {
        self.ordered = true;
        let (mut first, mut last) = (i32::MAX, i32::MIN);
        let mut widen = |day: i32| {
            if day != NO_DAY {
                (first, last) = (first.min(day), last.max(day));
            }
        };
        for place in places {
            match dates_of(by, place) {
                Some(Dates::Days(days)) => place.selection.each(|row| widen(days[row])),
                Some(Dates::Instants(instants)) => place.selection.each(|row| widen(query.day(instants[row]))),
                None => {}
            }
        }
        let mut bucket = asked;
        let mut table = Vec::new();
        if first <= last {
            let starts = |bucket: Bucket| {
                let start = bucket.start(first, query.week_start());
                std::iter::successors(Some(start), move |s| Some(bucket.next(*s))).take_while(move |s| *s <= last)
            };
            while starts(bucket).take(BUCKETS_MAX + 1).count() > BUCKETS_MAX {
                let Some(coarser) = bucket.coarser() else { break };
                bucket = coarser;
            }
            for start in starts(bucket) {
                let label = bucket.label(start);
                self.categories.push(Category { kind: CategoryKind::Value, key: iso(start), label, color: None });
                let code = self.categories.len() as u32 - 1;
                let end = bucket.next(start).min(last + 1);
                table.extend((start.max(first)..end).map(|_| code));
            }
        }
        self.bucket = Some(bucket);
        let count = self.categories.len() as u32;
        for place in places {
            let source = match dates_of(by, place) {
                Some(Dates::Days(days)) => Source::Days(days, first, table.clone()),
                Some(Dates::Instants(instants)) => Source::Instants(instants, first, table.clone()),
                None => Source::Same(0),
            };
            self.keys.push(Keys::direct(source, 0..count));
        }
    }
}

enum Dates<'a> {
    Days(&'a [i32]),
    Instants(&'a [i64]),
}

fn dates_of<'a>(by: By, place: &Place<'a>) -> Option<Dates<'a>> {
    match (by, place.column.map(|c| &c.data)) {
        (By::Created, _) => Some(Dates::Instants(&place.board.created)),
        (By::Updated, _) => Some(Dates::Instants(&place.board.updated)),
        (By::Column, Some(Data::Days(days))) => Some(Dates::Days(days)),
        // What has a span is counted when it ends, as work that is due is.
        (By::Column, Some(Data::Spans(_, to))) => Some(Dates::Days(to)),
        (By::Column, Some(Data::Instants(instants))) => Some(Dates::Instants(instants)),
        _ => None,
    }
}

/// Key of a label in comparisons.
pub(crate) fn sort_key(category: &Category) -> String {
    let mut key = String::new();
    fold_text(&category.label, &mut key);
    key
}
