//! What a widget computes from, and what comes of it.

use super::answer::Skipped;
use super::mapping::Mapped;
use crate::board::{Board, Column, Settings};
use crate::derived::Across;
use crate::filter::{InertRule, LabelReach, Reach};
use crate::format::Format;
use crate::pieces::Pieces;
use crate::query::Query;
use crate::raw_result::RawResult;
use crate::selection::Selection;
use crate::tally::{Places, Tallies};
use serde_json::Value;
use std::any::Any;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

/// A board that contributes.
pub(crate) struct Part<'a> {
    pub(super) board: &'a Board,
    pub(super) selection: Arc<Selection>,
    pub(super) mapped: &'a Mapped,
}

impl<'a> Part<'a> {
    /// The columns that play a role.
    pub(super) fn columns(&self, role: &str) -> impl Iterator<Item = &'a Column> + use<'a> {
        let of_role = self.mapped.columns.iter().find(|(name, _)| *name == role);
        let board = self.board;
        of_role.into_iter().flat_map(|(_, places)| places).map(|place| &board.columns[*place])
    }
    /// The first of them.
    pub(super) fn column(&self, role: &str) -> Option<&'a Column> {
        self.columns(role).next()
    }
}

/// What a kind computes from.
pub(crate) struct Input<'a> {
    pub query: &'a Query,
    /// All that the widget is connected to.
    pub(super) boards: Vec<&'a Board>,
    /// All of the dashboard's that are loaded.
    pub(super) loaded: &'a [&'a Board],
    pub(super) parts: Vec<Part<'a>>,
    pub(super) include_subitems: bool,
    /// What the passing items come to.
    pub tallies: Rc<Tallies<'a>>,
    /// What the widget's kind keeps: it depends on no filter.
    pub(super) model: &'a OnceLock<Arc<dyn Any + Send + Sync>>,
    pub across: &'a Across,
    /// What is remembered of the boards.
    pub history: Option<&'a Value>,
    /// Whether the widget has rules of its own.
    pub has_rules: bool,
    /// What who asks has been told, all that does not depend on the filters among it.
    pub told: Option<&'a Pieces>,
}

impl Input<'_> {
    /// What the widget's kind keeps for the queries that follow, all of one type: made once for the boards as they are.
    pub(super) fn model<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let kept = self.model.get_or_init(|| Arc::new(make()));
        kept.clone().downcast().expect("a kind keeps but one type")
    }
    /// Places that are kept for the queries that follow.
    pub(super) fn register(&self, places: Places) -> Arc<Places> {
        self.tallies.register(places, &self.parts.iter().map(|part| part.board).collect::<Vec<_>>())
    }
    /// All items of a board that the widget counts, whatever the filters say.
    pub(super) fn all(&self, part: &Part<'_>) -> Selection {
        let all = Selection::all(part.board.rows);
        if self.include_subitems { all } else { part.board.without_subitems(all) }
    }
    /// How many items pass.
    pub(super) fn passing(&self) -> u64 {
        self.parts.iter().map(|part| part.selection.count() as u64).sum()
    }
    /// The passing items of each board that a test lets pass.
    pub(super) fn only(&self, test: impl Fn(usize, usize) -> bool) -> Vec<Selection> {
        self.parts.iter().enumerate().map(|(at, part)| part.selection.only(|row| test(at, row))).collect()
    }
}

/// What a kind has computed.
#[derive(Default)]
pub struct Outcome {
    pub(super) result: Option<RawResult>,
    /// Nothing to make the result of.
    pub(super) no_values: bool,
    pub(super) items_used: u64,
    pub(super) skipped: Vec<Skipped>,
    pub(super) inert: Vec<InertRule>,
    /// Of the rules that only this kind has.
    pub(super) reach: Vec<Reach>,
    pub(super) labels: Vec<LabelReach>,
    /// Whether the result is not exact; the reasons say why.
    pub(super) approximate: bool,
    pub(super) reasons: Vec<String>,
}

/// The form of numbers: the configured one, completed by the mapped columns' settings; with the warning where these differ.
pub(super) fn settled(format: &Format, parts: &[Part<'_>], role: &str) -> (Format, Option<String>) {
    let mut settled = format.clone();
    let settings = || parts.iter().flat_map(|p| p.columns(role)).map(|c| &c.settings);
    let Some(first) = settings().next() else { return (settled, None) };
    let is_of_same_unit = |s: &Settings| {
        s.currency == first.currency
            && s.unit == first.unit
            && (s.percent == Some(true)) == (first.percent == Some(true))
    };
    if !settings().all(is_of_same_unit) {
        // A person may still say what the sum of them means, but no currency is that of several.
        let mut currencies = settings().filter_map(|s| s.currency.as_ref());
        let one = currencies.next();
        if currencies.any(|other| Some(other) != one) {
            settled.currency = None;
        }
        return (settled, Some("mixed-units".into()));
    }
    if settled.currency.is_none() && settled.percent != Some(true) {
        settled.currency = first.currency.clone();
    }
    if settled.unit.is_none() {
        settled.unit = first.unit.clone();
    }
    if settled.percent.is_none() {
        settled.percent = first.percent.filter(|percent| *percent);
    }
    if settled.decimals.is_none() && settings().all(|s| s.decimals == first.decimals) {
        settled.decimals = first.decimals;
    }
    (settled, None)
}
