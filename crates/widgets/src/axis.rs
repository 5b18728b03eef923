//! Categories of an axis: what rows of several boards are counted by, and how a board's codes lead to them.

use crate::board::{Board, CREATED, Column, UPDATED};
use crate::column::{Coded, Data, NO_DAY, stamp};
use crate::dates::{Bucket, iso};
use crate::derived::Across;
use crate::family::Family;
use crate::fold::{fold_text, natural, sort};
use crate::pieces::Name;
use crate::query::Query;
use crate::tally::{Days, Key};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::slice::from_ref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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
    /// To the categories between its offset and the next.
    Many { offsets: Vec<u32>, categories: Vec<u32> },
}

impl Way {
    /// The categories of each code.
    fn each(&self) -> Box<dyn Iterator<Item = &[u32]> + '_> {
        match self {
            Way::Direct(categories) => Box::new(categories.iter().map(from_ref)),
            Way::Many { offsets, categories } => {
                Box::new(offsets.windows(2).map(|ends| &categories[ends[0] as usize..ends[1] as usize]))
            }
        }
    }
}

/// An axis over boards as far as it does not depend on the filters. Each code of a board leads to a mark, by which rows of all
/// boards are counted together.
pub(crate) struct Scheme {
    /// The span that is asked for and the first day of the week; nothing where rows do not have dates.
    dates: Option<(Bucket, u8)>,
    /// The first days of the buckets that rows lie in, rising: those of the marks, but for that of what has no date.
    days: Vec<i32>,
    named: Arc<Named>,
    /// The categories of the marks that stand for one each, and of those behind them, which stand for none or several.
    single: Vec<u32>,
    several: Vec<Vec<u32>>,
    /// The spans of the last query, by the first and the last of them.
    spans: Mutex<Option<([i32; 2], Arc<Named>)>>,
}

/// An axis over boards.
pub(crate) struct Axis<'a> {
    scheme: &'a Scheme,
    pub named: Arc<Named>,
    /// The span of a date axis.
    pub bucket: Option<Bucket>,
    /// Of a date axis the category of each mark.
    ways: Vec<u32>,
}

/// A board on its way to an axis.
pub(crate) struct Place<'a> {
    pub board: &'a Board,
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
    pub fn key(&self, by: By, bucket: Bucket, query: &Query) -> Option<Key> {
        if let Some(days) = self.days(by, query) {
            return Some(days.buckets(self.board, bucket, query.week_start()));
        }
        match (by, self.column.map(|c| &c.data)) {
            (By::Group, _) => Some(Key::from_coded(&self.board.groups)),
            (By::Name, _) => Some(Key::from_coded(self.board.names.coded())),
            (By::Column, Some(Data::Coded(coded))) => Some(Key::from_coded(coded)),
            (By::Column, Some(Data::Text(texts))) => Some(Key::from_coded(texts.coded())),
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

impl Scheme {
    /// Over boards that are told apart by keys, as `Place::key` gives them; with the marks of each board's codes.
    pub fn new(
        by: By,
        bucket: Bucket,
        places: &[Place<'_>],
        keys: &[Option<Key>],
        query: &Query,
        across: &Across,
    ) -> (Scheme, Vec<Vec<u32>>) {
        let scheme = |dates, named: Arc<Named>| {
            let single = (0..named.categories.len() as u32).collect();
            Scheme { dates, days: Vec::new(), named, single, several: Vec::new(), spans: Mutex::default() }
        };
        if places.iter().any(|place| place.is_date(by)) {
            let days_of = |key: &Option<Key>| match key {
                Some(Key::Derived(made)) => made.days.clone(),
                _ => Vec::new(),
            };
            let of_boards: Vec<Vec<i32>> = keys.iter().map(days_of).collect();
            let mut days: Vec<i32> = of_boards.iter().flatten().copied().collect();
            days.sort_unstable();
            days.dedup();
            let mark = |day: &i32| days.partition_point(|other| other < day) as u32 + 1;
            let marks = of_boards.iter().map(|of| [0].into_iter().chain(of.iter().map(mark)).collect()).collect();
            let dates = Some((bucket, query.week_start()));
            return (Scheme { days, ..scheme(dates, Arc::new(Named::empty())) }, marks);
        }
        let stamps =
            places.iter().flat_map(|place| [place.board.groups.codes.stamp, place.column.map_or(0, |c| c.stamp)]);
        let of = [by as u64].into_iter().chain(stamps).collect();
        let named = across.get((of, "labels".to_owned()), || Named::labels(by, places));
        let mut scheme = scheme(None, named.clone());
        let (first, mut known) = (named.categories.len(), HashMap::new());
        let mut mark = |categories: &[u32]| match categories {
            [only] => *only,
            several => *known.entry(several.to_vec()).or_insert_with(|| {
                scheme.several.push(several.to_vec());
                (first + scheme.several.len() - 1) as u32
            }),
        };
        let marks = named.ways.iter().map(|way| way.each().map(&mut mark).collect()).collect();
        (scheme, marks)
    }

    /// Whether it depends on which rows pass.
    pub fn is_of_dates(&self) -> bool {
        self.dates.is_some()
    }

    /// The axis of rows with these marks.
    pub fn axis(&self, marks: impl Iterator<Item = u32>) -> Axis<'_> {
        let Some((asked, week_start)) = self.dates else {
            return Axis { scheme: self, named: self.named.clone(), bucket: None, ways: Vec::new() };
        };
        let (mut first, mut last) = (u32::MAX, 0);
        marks.filter(|mark| *mark > 0).for_each(|mark| (first, last) = (first.min(mark), last.max(mark)));
        let mut bucket = asked;
        let mut begins = Vec::new();
        if first <= last {
            let day = |mark: u32| self.days[mark as usize - 1];
            let (first, last) = (day(first), day(last));
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
        // The days of the marks rise as the spans do.
        let (mut ways, mut span) = (vec![0], 0);
        for day in &self.days {
            span += begins[span..].iter().take_while(|start| *start <= day).count();
            ways.push(span as u32);
        }
        let ends = [begins.first(), begins.last()].map(|day| day.copied().unwrap_or(NO_DAY));
        let mut kept = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        let is_kept = |(of, named): &&([i32; 2], Arc<Named>)| *of == ends && named.stamp == SPANS - bucket as u64;
        let named = kept.as_ref().filter(is_kept).map(|(_, named)| named.clone());
        let named = named.unwrap_or_else(|| Arc::new(Named::spans(bucket, begins)));
        *kept = Some((ends, named.clone()));
        Axis { scheme: self, named, bucket: Some(bucket), ways }
    }
}

impl Axis<'_> {
    /// The categories of a mark.
    #[inline]
    pub fn categories(&self, mark: u32) -> &[u32] {
        let (mark, single) = (mark as usize, &self.scheme.single);
        match (self.bucket, mark.checked_sub(single.len())) {
            (Some(_), _) => from_ref(&self.ways[mark]),
            (None, None) => from_ref(&single[mark]),
            (None, Some(several)) => &self.scheme.several[several],
        }
    }

    /// The category that an answer has told as `{"kind", "key"}`.
    pub fn place(&self, told: &Value) -> Option<u32> {
        let is_empty = told["kind"] == "empty";
        let knows_pieces = |(at, category): (usize, &Arc<Category>)| {
            if at == 0 { is_empty } else { !is_empty && told["key"] == category.key.as_str() }
        };
        let categories = &self.named.categories;
        (0..categories.len()).find(|at| knows_pieces((*at, &categories[*at]))).map(|at| at as u32)
    }
}

impl Named {
    fn empty() -> Named {
        let empty = Category { kind: CategoryKind::Empty, key: String::new(), label: "(empty)".into(), color: None };
        let (categories, begins, ways) = (vec![Arc::new(empty)], Vec::new(), Vec::new());
        Named { stamp: stamp(), categories, begins, ways, by_label: OnceLock::new(), ordered: false, many: false }
    }

    fn spans(bucket: Bucket, begins: Vec<i32>) -> Named {
        let category = |start: &i32| {
            let (key, label) = (iso(*start), bucket.label(*start));
            Arc::new(Category { kind: CategoryKind::Value, key, label, color: None })
        };
        let mut named = Named::empty();
        named.categories.extend(begins.iter().map(category));
        Named { stamp: SPANS - bucket as u64, begins, ordered: true, ..named }
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
        Way::Many { offsets, categories }
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
