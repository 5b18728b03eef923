//! A board's view: which of its items are shown, in which order, and what they come to. Rules mean here what they mean on
//! dashboards. What changed since the board was loaded lies above it as a patch, so that an edit costs its own size.

pub(crate) mod order;
mod totals;

pub use totals::{ColumnTotal, GroupTotal, Totals};

use crate::board::Board;
use crate::board::overlay::{Overlay, Patch};
use crate::column::Data;
use crate::error::EngineError;
use crate::family::Family;
use crate::filter::{InertRule, Plan};
use crate::fold::fold_text;
use crate::predicate::Predicate;
use crate::query::Query;
use crate::row_test::Test;
use crate::selection::Selection;
use crate::{Engine, dates};
use order::{EMPTY, Order};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a view asks: a query whose first board is the view's, with its filters.
#[derive(Clone, Debug, Deserialize)]
pub struct ViewQuery {
    /// The board, the filters, the clock and the person.
    #[serde(flatten)]
    pub query: Query,
    /// The first step first; in the board's own order where empty, and where all steps are equal.
    #[serde(default)]
    pub sort: Vec<Step>,
    /// Items with this anywhere, compared without case and accents; everything where blank.
    #[serde(default)]
    pub search: String,
    /// Whether totals are wanted.
    #[serde(default)]
    pub totals: bool,
}

/// A step of a sorting. Empty cells stand last in either direction; labels stand in the order of their column.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// A column's id, `name`, `created` or `updated`; a column that there is not decides nothing.
    pub column_id: String,
    /// Whether to sort from largest to smallest.
    #[serde(default)]
    pub descending: bool,
}

/// A view's items.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewAnswer {
    /// Rows in the view's order: the board's rows as loaded, and those that a patch added.
    #[serde(skip)]
    pub rows: Vec<u32>,
    /// How many items the board has, shown or not, subitems not counted.
    pub items: usize,
    /// Rules that constrain nothing, or go on with less than they were meant to.
    pub inert_rules: Vec<InertRule>,
    /// Where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub totals: Option<Totals>,
}

/// Cached data of a board for its views.
#[derive(Default)]
pub(crate) struct BoardCache {
    overlay: Option<Overlay>,
    /// Of the board as loaded, by column.
    orders: BTreeMap<String, Order>,
}

impl Engine {
    /// Lays what has changed above a loaded board, in the place of the patch before: `{"head": the metadata of a stream,
    /// "items": [{"row", "groupId", "name", "createdAt", "updatedAt", "parentId", "cells"}], "gone": [row], "moved": [[row or null,
    /// [row]]]}`, where rows behind the board's are items that were added, and those of `moved` stand behind the row before them.
    /// A column that the board was loaded without holds nothing in the rows below; one that an earlier patch took away, and this
    /// one brings back, holds what it held.
    ///
    /// # Errors
    /// No such board, or text of another form; nothing changes then.
    pub fn patch(&mut self, patch: &[u8]) -> Result<(), EngineError> {
        let patch: Patch =
            crate::reading::read_json(patch).map_err(|e| EngineError::Damaged(format!("the patch: {e}")))?;
        let board = self.boards.get_mut(&patch.head.board.id);
        let board = board.ok_or_else(|| EngineError::Damaged("the patch is for a board that isn't loaded".into()))?;
        let cache = self.board_caches.entry(board.id.clone()).or_default();
        let overlay = Overlay::read(patch, board)?;
        self.together.clear();
        // Labels may have another order now, people another name.
        let is_kept = |id: &str| board.column(id).is_none_or(|column| !matches!(column.data, Data::Coded(_)));
        cache.orders.retain(|id, _| !overlay.is_refilled && is_kept(id));
        cache.overlay = Some(overlay);
        Ok(())
    }

    /// The items of a board's view; `None` where the board is not loaded.
    pub fn view(&mut self, asked: &ViewQuery) -> Option<ViewAnswer> {
        let board = self.boards.get(asked.query.boards.first()?)?;
        let BoardCache { overlay, orders } = self.board_caches.entry(board.id.clone()).or_default();
        let overlay = overlay.as_ref();
        let mut parts = vec![board];
        parts.extend(overlay.map(|overlay| &overlay.board));
        let plan = Plan::new(&asked.query, asked.query.filters.people.as_ref(), &asked.query.filters.all, &parts);
        let (mut base, mut above) = (Vec::with_capacity(board.rows), Vec::new());
        let selected = select(&plan, board, asked);
        match overlay {
            None => selected.each(|row| base.push(row as u32)),
            Some(overlay) => {
                selected.each(|row| {
                    if !overlay.hidden[row] {
                        base.push(row as u32);
                    }
                });
                select(&plan, &overlay.board, asked).each(|row| above.push(row as u32));
            }
        }
        let totals =
            asked.totals.then(|| totals::compute(board, &base, overlay.map(|overlay| (overlay, above.as_slice()))));
        let mut rows = base;
        if let Some(overlay) = overlay {
            rows.extend(above.iter().map(|row| overlay.rows[*row as usize]));
            // Two runs that rise, but for what was moved: the stable sort merges them.
            match &overlay.places {
                None => rows.sort(),
                Some(places) => rows.sort_by_key(|row| places[*row as usize]),
            }
        }
        for step in asked.sort.iter().rev() {
            if !orders.contains_key(&step.column_id) {
                let Some(order) = Order::from_column(board, &step.column_id) else { continue };
                orders.insert(step.column_id.clone(), order);
            }
            let order = &orders[&step.column_id];
            match overlay.and_then(|overlay| Some((overlay, Order::from_column(&overlay.board, &step.column_id)?))) {
                None => arrange(&mut rows, order.values(), step.descending, |row| order.ranks[row as usize]),
                Some((overlay, changed)) => {
                    let (ranks, values) = together(order, &changed, overlay);
                    arrange(&mut rows, values, step.descending, |row| ranks[row as usize]);
                }
            }
        }
        let items = overlay.map_or(board.items(), |overlay| {
            let below = overlay.hidden.iter().enumerate().filter(|(row, hidden)| !**hidden && !board.is_subitem(*row));
            overlay.board.items() + below.count()
        });
        Some(ViewAnswer { rows, items, inert_rules: plan.inert, totals })
    }
}

/// The place of every row, those of the overlay in the place of those below.
fn together(order: &Order, changed: &Order, overlay: &Overlay) -> (Vec<u32>, usize) {
    let (below, above, values) = order::united(order, changed);
    let place = |places: &[u32], rank: u32| if rank == EMPTY { EMPTY } else { places[rank as usize] };
    let mut ranks: Vec<u32> = order.ranks.iter().map(|rank| place(&below, *rank)).collect();
    let last = overlay.rows.last().map_or(0, |row| *row as usize + 1);
    ranks.resize(last.max(ranks.len()), EMPTY);
    for (row, rank) in overlay.rows.iter().zip(&changed.ranks) {
        ranks[*row as usize] = place(&above, *rank);
    }
    (ranks, values)
}

/// Sorts rows by their place among so many values, stably, empty ones last.
fn arrange(rows: &mut Vec<u32>, values: usize, descending: bool, rank: impl Fn(u32) -> u32) {
    let place = |row: u32| match rank(row) {
        EMPTY => values,
        rank if descending => values - 1 - rank as usize,
        rank => rank as usize,
    };
    if values > rows.len() * 4 {
        rows.sort_by_key(|row| place(*row));
        return;
    }
    let mut starts = vec![0u32; values + 2];
    rows.iter().for_each(|row| starts[place(*row) + 1] += 1);
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut sorted = vec![0; rows.len()];
    for row in rows.iter() {
        let start = &mut starts[place(*row)];
        sorted[*start as usize] = *row;
        *start += 1;
    }
    *rows = sorted;
}

fn select(plan: &Plan<'_>, board: &Board, asked: &ViewQuery) -> Selection {
    let mut selection = plan.select(board);
    if !asked.query.include_subitems {
        selection = board.without_subitems(selection);
    }
    let search = asked.search.trim();
    let mut wanted = String::new();
    fold_text(search, &mut wanted);
    if wanted.is_empty() {
        return selection;
    }
    selection.and(&anywhere(board, search, &wanted).select(board.rows))
}

/// The items that hold a text anywhere: within a name, text, label, tag or person's name, or as a whole number or date.
fn anywhere<'b>(board: &'b Board, written: &str, wanted: &str) -> Test<'b> {
    let mut tests = vec![Test::holds(&board.names, wanted)];
    let number = written.parse::<f64>().ok().filter(|number| number.is_finite());
    let day = dates::parse(written);
    for column in &board.columns {
        tests.extend(match &column.data {
            Data::Text(texts) | Data::Files(texts) => Some(Test::holds(texts, wanted)),
            Data::Coded(coded) if column.family != Family::Checkbox => {
                let holds: Vec<bool> = coded.entries.iter().map(|entry| folded(&entry.text).contains(wanted)).collect();
                Some(Test::Codes(&coded.codes, coded.table(|members| members.iter().any(|m| holds[*m as usize]))))
            }
            Data::Numbers(numbers) => {
                number.and_then(|from| Predicate::Numbers { from, to: from, not: false }.over_numbers(numbers))
            }
            Data::Days(days) => day.and_then(|from| Predicate::Days { from, to: from }.over_days(days)),
            Data::Spans(from, to) => day.and_then(|on| Predicate::Days { from: on, to: on }.over_spans(from, to)),
            Data::Coded(_) | Data::Instants(_) | Data::Opaque => None,
        });
    }
    Test::Any(tests)
}

fn folded(text: &str) -> String {
    let mut folded = String::new();
    fold_text(text, &mut folded);
    folded
}
