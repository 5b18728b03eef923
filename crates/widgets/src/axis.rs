//! Categories of an axis: what rows of several boards are counted by, and how a board's codes lead to them.

use crate::board::{Board, CREATED, Column, Family, UPDATED};
use crate::column::{Coded, Data, NO_DAY, stamp};
use crate::dates::{Bucket, iso};
use crate::fold::{fold_text, natural, sort};
use crate::query::Query;
use crate::selection::Selection;
use crate::tally::{Days, Key, Keyed, Tally};
use crate::told::Name;
use crate::widgets::Input;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// Spans on a date axis at most; more become the next longer span.
const BUCKETS_MAX: usize = 400;
/// What spans of a length have for the stamp of their axis, less the length. No other gets a stamp as large.
const SPANS: u64 = u64::MAX;
/// Categories that are put in order by their labels once for all queries, at most.
const LABELS_MAX: usize = 4_096;

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
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Category {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// What identifies it in any board: the folded text, a member's id, a board's id, a span's first day.
    pub key: String,
    pub kind: CategoryKind,
    pub label: String,
}

/// The categories of an axis, and how the codes of each board lead to them; the category 0 is the empty one.
pub(crate) struct Named {
    stamp: u64,
    pub categories: Vec<Arc<Category>>,
    /// Of spans of time the first day of each but the empty one.
    begins: Vec<i32>,
    ways: Vec<Way>,
    /// Each category's place by its label: `place_by_label`.
    by_label: OnceLock<Vec<u32>>,
    /// The categories have an order of their own: labels of a column, groups, boards, dates.
    pub ordered: bool,
    /// Whether a row can be in several categories.
    pub many: bool,
}

/// A board's way from codes to categories.
enum Way {
    /// Each code leads to one category.
    Direct(Vec<u32>),
    /// To the categories between its offset and the next. Where each entry has a category of its own, the entries lead there too.
    Many { offsets: Vec<u32>, categories: Vec<u32>, by_entry: Option<Vec<u32>> },
}

/// An axis over boards.
pub(crate) struct Axis {
    pub named: Arc<Named>,
    /// The span of a date axis.
    pub bucket: Option<Bucket>,
}

/// A board on its way to an axis.
pub(crate) struct Place<'a> {
    pub board: &'a Board,
    pub selection: &'a Arc<Selection>,
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

impl<'a> Place<'a> {
    /// What the board's rows are counted by, dates by the buckets that they lie in; nothing where all belong to one category.
    pub fn key(&self, by: By, bucket: Bucket, query: &Query) -> Option<Key<'a>> {
        if let Some(days) = self.days(by, query) {
            return Some(days.buckets(self.board, bucket, query.week_start()));
        }
        match (by, self.column.map(|c| &c.data)) {
            (By::Group, _) => Some(Key::of(&self.board.groups)),
            (By::Name, _) => Some(Key::of(self.board.names.coded())),
            (By::Column, Some(Data::Coded(coded))) => Some(Key::of(coded)),
            (By::Column, Some(Data::Text(texts))) => Some(Key::of(texts.coded())),
            _ => None,
        }
    }

    fn days<'b>(&self, by: By, query: &'b Query) -> Option<Days<'b>>
    where
        'a: 'b,
    {
        let column = self.column.map(|column| (column.stamp, &column.data));
        Some(match (by, column) {
            (By::Created, _) => Days::At(CREATED, &self.board.created, query),
            (By::Updated, _) => Days::At(UPDATED, &self.board.updated, query),
            (By::Column, Some((stamp, Data::Days(days)))) => Days::Of(stamp, days),
            // What has a span is counted when it ends, as work that is due is.
            (By::Column, Some((stamp, Data::Spans(_, to)))) => Days::Of(stamp, to),
            (By::Column, Some((stamp, Data::Instants(instants)))) => Days::At(stamp, instants, query),
            _ => return None,
        })
    }
}

impl Axis {
    /// An axis over boards that are counted by keys, as `Place::key` gives them.
    pub fn new(by: By, bucket: Bucket, places: &[Place<'_>], keys: &[Option<Key<'_>>], input: &Input<'_>) -> Axis {
        if places.iter().any(|place| place.is_date(by)) {
            return Axis::dates(bucket, places, keys, input);
        }
        let stamps =
            places.iter().flat_map(|place| [place.board.groups.codes.stamp, place.column.map_or(0, |c| c.stamp)]);
        let of = [by as u64].into_iter().chain(stamps).collect();
        let named = input.across.get((of, "labels".to_owned()), || Named::labels(by, places));
        Axis { named, bucket: None }
    }

    /// The categories of a code of a board's key.
    #[inline]
    pub fn categories(&self, place: usize, code: u32) -> &[u32] {
        let code = code as usize;
        match &self.named.ways[place] {
            Way::Direct(categories) => &categories[code..=code],
            Way::Many { offsets, categories, .. } => &categories[offsets[code] as usize..offsets[code + 1] as usize],
        }
    }

    /// The category of each entry of a board's column, where several of them can be in a cell and none shares its category.
    pub fn by_entry(&self, place: usize) -> Option<&[u32]> {
        match &self.named.ways[place] {
            Way::Many { by_entry, .. } => by_entry.as_deref(),
            Way::Direct(_) => None,
        }
    }

    /// The category that an answer has told as `{"kind", "key"}`.
    pub fn place(&self, told: &Value) -> Option<u32> {
        let is_empty = told["kind"] == "empty";
        let is_told = |(at, category): (usize, &Arc<Category>)| {
            if at == 0 { is_empty } else { !is_empty && told["key"] == category.key.as_str() }
        };
        let categories = &self.named.categories;
        (0..categories.len()).find(|at| is_told((*at, &categories[*at]))).map(|at| at as u32)
    }

    fn dates(asked: Bucket, places: &[Place<'_>], keys: &[Option<Key<'_>>], input: &Input<'_>) -> Axis {
        let days = |place: usize| match &keys[place] {
            Some(Key::Made(made)) => made.days.as_slice(),
            _ => &[],
        };
        let (mut first, mut last) = (i32::MAX, i32::MIN);
        let boards: Vec<Keyed<'_>> = places
            .iter()
            .zip(keys)
            .map(|(place, key)| Keyed { board: place.board, keys: [key.clone(), None, None] })
            .collect();
        let tallies: Vec<Tally<'_>> =
            places.iter().zip(&boards).map(|(place, keyed)| input.tallies.of(place.selection, keyed, None)).collect();
        for (at, tally) in tallies.iter().enumerate() {
            tally.each(|[code, ..], _| {
                if code > 0 {
                    let day = days(at)[code as usize - 1];
                    (first, last) = (first.min(day), last.max(day));
                }
            });
        }
        let mut named = Named::empty();
        named.ordered = true;
        let week_start = input.query.week_start();
        let mut bucket = asked;
        let mut begins = Vec::new();
        if first <= last {
            let starts = |bucket: Bucket| {
                let start = bucket.start(first, week_start);
                std::iter::successors(Some(start), move |s| Some(bucket.next(*s))).take_while(move |s| *s <= last)
            };
            while starts(bucket).take(BUCKETS_MAX + 1).count() > BUCKETS_MAX {
                let Some(coarser) = bucket.coarser() else { break };
                bucket = coarser;
            }
            begins.extend(starts(bucket));
        }
        let category = |start: &i32| {
            let (key, label) = (iso(*start), bucket.label(*start));
            Arc::new(Category { kind: CategoryKind::Value, key, label, color: None })
        };
        named.categories.extend(begins.iter().map(category));
        named.stamp = SPANS - bucket as u64;
        // Only days of passing rows are asked for.
        let way = |(at, tally): (usize, &Tally<'_>)| {
            let mut categories = vec![0; days(at).len() + 1];
            tally.each(|[code, ..], _| {
                if code > 0 {
                    let day = days(at)[code as usize - 1];
                    categories[code as usize] = begins.partition_point(|start| *start <= day) as u32;
                }
            });
            Way::Direct(categories)
        };
        named.ways = tallies.iter().enumerate().map(way).collect();
        named.begins = begins;
        Axis { named: Arc::new(named), bucket: Some(bucket) }
    }
}

impl Named {
    fn empty() -> Named {
        let empty = Category { kind: CategoryKind::Empty, key: String::new(), label: "(empty)".into(), color: None };
        let (categories, begins, ways) = (vec![Arc::new(empty)], Vec::new(), Vec::new());
        Named { stamp: stamp(), categories, begins, ways, by_label: OnceLock::new(), ordered: false, many: false }
    }

    /// What names a category to those who have been told it.
    pub fn name(&self, at: u32) -> Name {
        // The same span is the same in every query; the empty category is none of its days.
        let part = match at.checked_sub(1) {
            Some(span) => self.begins.get(span as usize).map_or(at, |day| *day as u32),
            None => NO_DAY as u32,
        };
        Name::Part(self.stamp, part)
    }

    fn labels(by: By, places: &[Place<'_>]) -> Named {
        let (mut named, mut known) = (Named::empty(), HashMap::new());
        named.ordered = matches!(by, By::Board | By::Group);
        for place in places {
            let board = place.board;
            let coded = match (by, place.column.map(|c| (&c.data, c.family))) {
                (By::Board, _) => {
                    let category = named.category(&mut known, board.id.clone(), &board.name, None);
                    named.ways.push(Way::Direct(vec![category]));
                    continue;
                }
                (By::Group, _) => Some((&board.groups, false)),
                (By::Name, _) => Some((board.names.coded(), false)),
                (By::Column, Some((Data::Coded(coded), family))) => {
                    named.ordered |= matches!(family, Family::Label | Family::Checkbox);
                    Some((coded, matches!(family, Family::People | Family::Links)))
                }
                (By::Column, Some((Data::Text(texts), _))) => Some((texts.coded(), false)),
                _ => None,
            };
            let way = match coded {
                Some((coded, by_id)) => named.coded(&mut known, coded, by_id),
                None => Way::Direct(vec![0]),
            };
            named.ways.push(way);
        }
        named
    }

    fn coded(&mut self, known: &mut HashMap<String, u32>, coded: &Coded, by_id: bool) -> Way {
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
        let mut apart = entries.clone();
        apart.sort_unstable();
        apart.dedup();
        let by_entry = coded.many && apart.len() == entries.len() && !apart.contains(&0);
        Way::Many { offsets, categories, by_entry: by_entry.then_some(entries) }
    }

    fn category(&mut self, known: &mut HashMap<String, u32>, key: String, label: &str, color: Option<&String>) -> u32 {
        let index = *known.entry(key).or_insert_with_key(|key| {
            let label = if label.is_empty() { key.clone() } else { label.to_owned() };
            self.categories.push(Arc::new(Category {
                kind: CategoryKind::Value,
                key: key.clone(),
                label,
                color: None,
            }));
            self.categories.len() as u32 - 1
        });
        let category = &mut self.categories[index as usize];
        if category.color.is_none() && color.is_some() {
            Arc::make_mut(category).color = color.cloned();
        }
        index
    }
}

/// The places that some of the categories have by their labels.
fn places_by_label(categories: &[Arc<Category>], of: &[u32]) -> Vec<u32> {
    let key = |at: &u32| {
        let mut key = String::new();
        fold_text(&categories[*at as usize].label, &mut key);
        key
    };
    let keys: Vec<String> = of.iter().map(key).collect();
    let mut order: Vec<u32> = (0..of.len() as u32).collect();
    sort(&mut order, &mut |a, b| natural(&keys[a], &keys[b]).then(of[a].cmp(&of[b])));
    let mut places = vec![0; of.len()];
    order.iter().zip(0..).for_each(|(at, place)| places[*at as usize] = place);
    places
}

impl Named {
    /// For each category a number that rises with the labels of those that are asked for. Of few they are the same for every query;
    /// of many, such as the names of all items, it is known of those alone.
    pub fn by_label(&self, asked: &[u32]) -> Cow<'_, [u32]> {
        let count = self.categories.len();
        if count <= LABELS_MAX {
            let all = || places_by_label(&self.categories, &(0..count as u32).collect::<Vec<_>>());
            return Cow::Borrowed(self.by_label.get_or_init(all));
        }
        let mut places = vec![0; count];
        let of_asked = places_by_label(&self.categories, asked);
        asked.iter().zip(of_asked).for_each(|(at, place)| places[*at as usize] = place);
        Cow::Owned(places)
    }
}
