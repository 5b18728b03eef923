//! Sprints as they were: what a dashboard's history knows of a widget's sprints, and what is added to it.
//!
//! It is asked seldom and must weigh little in the page's engine: nothing here is to be copied to where it is called.

use super::input::{Input, Part};
use super::sprints::{Config, Effort, Fate, Fates, Sprints, Weighed};
use crate::derived::CacheKey;
use crate::history::{self, By, Now, Nows, Recorded, Was};
use crate::selection::Selection;
use crate::total::Total;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What is known of a widget's sprints.
pub(super) struct Seen<'a> {
    input: &'a Input<'a>,
    today: i32,
    boards: Vec<SeenBoard<'a>>,
    /// Whether nothing constrains the items: those that are gone count only then, as no rule can be asked of them.
    unfiltered: bool,
}

struct SeenBoard<'a> {
    record: Option<Recorded<'a>>,
    fates: Option<Fates<'a>>,
    effort: Effort<'a>,
    all: Selection,
}

/// Something of items by their ids.
pub(super) type ById = HashMap<String, u32>;

/// An item that was in a sprint.
pub(super) struct Counted<'a> {
    pub item: &'a str,
    /// Its row, if it is still on its board and passes.
    pub row: Option<usize>,
    pub effort: Option<f64>,
    pub fate: Fate,
    /// For the kind to say.
    pub class: usize,
}

/// What was in a sprint at the end of a day.
#[derive(Default)]
pub(super) struct State<'a> {
    pub items: Vec<Counted<'a>>,
    /// Items that are gone from their board and left out, as filters cannot be asked of them.
    pub gone: u64,
}

impl<'a> Seen<'a> {
    /// Nothing where the dashboard has no history.
    #[inline(never)]
    pub fn new(input: &'a Input<'a>, config: &Config) -> Option<Seen<'a>> {
        let history = input.history?;
        let board = |part: &'a Part<'a>| SeenBoard {
            record: Recorded::find(history, &part.board.id, &by(part, config, input)),
            fates: Fates::from_part(part, &config.chosen),
            effort: Effort::from_part(part),
            all: input.all(part),
        };
        let filters = &input.query.filters;
        let unfiltered = filters.people.as_ref().is_none_or(|people| people.ids.is_empty() && people.teams.is_empty())
            && filters.all.iter().flat_map(|entry| entry.rules()).all(|rule| rule.off)
            && !input.has_rules;
        Some(Seen { input, today: input.query.today(), boards: input.parts.iter().map(board).collect(), unfiltered })
    }
    /// Whether it is known what a board had in a sprint at the end of each of these days; today is always known.
    pub fn knows(&self, at: usize, sprint: &str, first: i32, last: i32) -> bool {
        let known = |day| day == self.today || self.boards[at].record.is_some_and(|record| record.knows(sprint, day));
        (first..=last).all(known)
    }
    /// The same of all boards.
    #[inline(never)]
    pub fn knows_all(&self, sprint: &str, first: i32, last: i32) -> bool {
        (0..self.boards.len()).all(|at| self.knows(at, sprint, first, last))
    }
    /// What of a board was in a sprint at the end of a day that is known, or is in it now.
    #[inline(never)]
    pub fn on(&self, at: usize, sprints: &Sprints, sprint: usize, day: i32) -> State<'a> {
        let (board, part) = (&self.boards[at], &self.input.parts[at]);
        let fate = |label: Option<&str>| board.fates.as_ref().map_or(Fate::Open, |fates| fates.of_label(label));
        if day == self.today {
            let rows = part.selection.and(&sprints.rows(at, part.board, sprint));
            let mut items = Vec::with_capacity(rows.count());
            rows.each(|row| {
                let fate = fate(board.fates.as_ref().and_then(|fates| fates.label(row)));
                let effort = board.effort.of_row(row);
                items.push(Counted { item: part.board.ids.get(row), row: Some(row), effort, fate, class: 0 });
            });
            return State { items, gone: 0 };
        }
        let Some(record) = board.record else { return State::default() };
        let rows = rows_by_id(part);
        let mut state = State::default();
        for was in record.on(&sprints.all()[sprint].key, day) {
            let row = rows.get(was.item).map(|row| *row as usize).filter(|row| board.all.has(*row));
            let counts = match row {
                Some(row) => part.selection.has(row),
                None => self.unfiltered,
            };
            if counts {
                let effort = was.effort.filter(|_| board.effort.is_number());
                state.items.push(Counted { item: was.item, row, effort, fate: fate(was.label), class: 0 });
            } else {
                state.gone += u64::from(row.is_none());
            }
        }
        state
    }
}

/// A board's items by their ids.
fn rows_by_id(part: &Part<'_>) -> Arc<ById> {
    let board = part.board;
    board.derived.get(CacheKey::RowsById, || {
        let mut rows = ById::new();
        for row in 0..board.rows {
            rows.insert(board.ids.get(row).to_owned(), row as u32);
        }
        rows
    })
}

/// Adds up what some items weigh.
#[inline(never)]
pub(super) fn weigh(
    items: &[Counted<'_>],
    wanted: &dyn Fn(&Counted<'_>) -> bool,
    has_effort: bool,
    weighed: &mut Weighed,
) -> Total {
    let mut sum = Weighed::default();
    for counted in items.iter().filter(|one| wanted(one)) {
        match has_effort {
            true => sum.add_number(counted.effort),
            false => sum.sums.items += 1,
        }
    }
    weighed.empty += sum.empty;
    weighed.negative += sum.negative;
    let mut total = Total::default();
    total.add(&sum.sums, Weighed::DECIMALS, None);
    total
}

/// The columns of a board that a widget reads its sprints by.
fn by(part: &Part<'_>, config: &Config, input: &Input<'_>) -> By {
    let id = |role: &str| part.column(role).map(|column| column.id.clone());
    By {
        sprint: if config.is_by_group() { None } else { id("sprint") },
        effort: id("effort"),
        done: id("done"),
        subitems: input.include_subitems,
    }
}

/// Adds what a widget's boards are like now.
pub(super) fn now<'a>(input: &Input<'a>, config: &Config, nows: &mut Nows<'a>) {
    let sprints = Sprints::new(input, config);
    for (at, part) in input.parts.iter().enumerate() {
        let (fates, effort) = (Fates::from_part(part, &config.chosen), Effort::from_part(part));
        let mut now = Now { by: by(part, config, input), sprints: BTreeMap::new() };
        for (place, sprint) in sprints.all().iter().enumerate() {
            let days = sprint.from.filter(|_| !sprint.inferred).map(|first| {
                let last = sprint.to.filter(|last| *last >= first).unwrap_or(first);
                (first.saturating_sub(history::DAYS_BEFORE), last.saturating_add(history::DAYS_AFTER))
            });
            let rows = input.all(part).and(&sprints.rows(at, part.board, place));
            let mut items = Vec::new();
            rows.each(|row| {
                let label = fates.as_ref().and_then(|fates| fates.label(row));
                items.push(Was { item: part.board.ids.get(row), effort: effort.of_row(row), label });
            });
            if !items.is_empty() {
                now.sprints.insert(sprint.key.clone(), (days, items));
            }
        }
        nows.add(&part.board.id, now);
    }
}
