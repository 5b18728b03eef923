//! Kinds of widgets: one file each, and the one list that names them. What all have in common is done here: which boards
//! take part, which of their columns, which items pass, and what is said about it.

mod answer;
pub mod apps;
mod battery;
mod burndown;
mod chart;
mod input;
mod kind;
mod mapping;
mod measure;
mod numbers;
mod planned;
mod prepared;
mod schema;
mod seen;
mod sprints;
mod stored;
mod table;
mod velocity;

use crate::board::Board;
use crate::derived::Across;
use crate::filter::{OwnList, Plan};
use crate::fold::sort;
use crate::history::Nows;
use crate::pieces::Pieces;
use crate::query::Query;
use crate::reading::with_whole_numbers;
use crate::selection::Selection;
use crate::tally::{Tallied, Tallies};
use input::{Input, Part};
use kind::Widget;
use mapping::Mapped;
use prepared::Ready;
use serde_json::Value;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use stored::modern;

pub use crate::raw_result::RawResult;
pub use answer::{Coverage, Fixed, Skipped, State, WidgetAnswer};
pub use kind::Kind;
pub(crate) use mapping::auto_map;
pub use mapping::{Cols, Role};
pub(crate) use prepared::Prepared;
pub use sprints::LABEL_LISTS;

/// The kinds that can be asked for.
pub const KINDS: &[Kind] = &[
    numbers::KIND,
    chart::KIND,
    velocity::KIND,
    planned::KIND,
    burndown::KIND,
    battery::KIND,
    table::KIND,
    apps::KIND,
];

/// What all widgets of a query share.
pub(crate) struct Shared<'a> {
    query: &'a Query,
    boards: Vec<&'a Board>,
    plan: &'a Plan<'a>,
    passing: Vec<Passing>,
    tallied: &'a Tallied,
    /// Those of each choice of items that some widget has.
    tallies: RefCell<Vec<Rc<Tallies<'a>>>>,
    across: &'a Across,
    history: Option<&'a Value>,
    /// What who asks has been told.
    pub told: Option<&'a Pieces>,
}

/// A board's items that pass the shared filters.
struct Passing {
    all: Arc<Selection>,
    without_subitems: Arc<Selection>,
    /// Of each shared rule whether it reaches the board.
    reach: Vec<bool>,
}

impl<'a> Shared<'a> {
    /// Selects what passes of each board.
    pub fn new(
        query: &'a Query,
        boards: Vec<&'a Board>,
        plan: &'a Plan<'a>,
        history: Option<&'a Value>,
        tallied: &'a Tallied,
        across: &'a Across,
    ) -> Shared<'a> {
        let passing = boards.iter().map(|board| {
            let (all, reach) = plan.select_while(board, &|| true);
            let all = Arc::new(all);
            let without_subitems = match &board.subitems {
                Some(_) => Arc::new(board.without_subitems(Selection::clone(&all))),
                None => all.clone(),
            };
            Passing { all, without_subitems, reach }
        });
        let passing = passing.collect();
        Shared { query, boards, plan, passing, tallied, tallies: RefCell::default(), across, history, told: None }
    }
}

impl<'a> Shared<'a> {
    /// The tallies of the items of some boards, for all widgets that have the same.
    fn tallies(&self, parts: &[Part<'_>]) -> Rc<Tallies<'a>> {
        let mut all = self.tallies.borrow_mut();
        if let Some(there) = all.iter().find(|one| one.is_of(parts.iter().map(|part| &part.selection))) {
            return there.clone();
        }
        let parts = parts.iter().map(|part| (part.board, part.selection.clone()));
        all.push(Rc::new(Tallies::new(self.tallied, parts)));
        all[all.len() - 1].clone()
    }
}

/// Computes all widgets, in the query's order.
pub(crate) fn answers(shared: &Shared<'_>, prepared: &[Prepared]) -> Vec<WidgetAnswer> {
    let mut answers: Vec<Option<WidgetAnswer>> = prepared.iter().map(|_| None).collect();
    let turn = |at: u32| prepared[at as usize].ready.as_ref().map_or((false, 0), |ready| ready.turn);
    let mut order: Vec<u32> = (0..prepared.len() as u32).collect();
    sort(&mut order, &mut |a, b| turn(b as u32).cmp(&turn(a as u32)));
    for at in order {
        answers[at as usize] = Some(answer(shared, &prepared[at as usize]));
    }
    answers.into_iter().flatten().collect()
}

/// Computes one widget.
fn answer(shared: &Shared<'_>, prepared: &Prepared) -> WidgetAnswer {
    let mut answer = WidgetAnswer {
        fixed: prepared.fixed.clone(),
        told: None,
        state: State::Ok,
        result: None,
        coverage: prepared.coverage.clone(),
        approximate: false,
        reasons: Vec::new(),
    };
    if let Err(state) = fill(shared, prepared, &mut answer) {
        answer.state = state;
    }
    answer.told = shared.told.map(|pieces| pieces.number_of(&answer.coverage.reach));
    answer
}

/// The reason where items pass the shared filters, and none of them the widget's own rules.
const OWN_RULES: &str = "own-rules";

/// How many items of a board pass the shared filters.
fn passes(shared: &Shared<'_>, ready: &Ready, of: &Mapped) -> usize {
    let passing = &shared.passing[of.board];
    if ready.include_subitems { passing.all.count() } else { passing.without_subitems.count() }
}

fn fill(shared: &Shared<'_>, prepared: &Prepared, answer: &mut WidgetAnswer) -> Result<(), State> {
    if let Ok(Ready { widget, .. }) = &prepared.ready
        && let Some(shown) = widget.alone()
    {
        answer.result = Some(shown);
        return Ok(());
    }
    let (ready, input) = gather(shared, prepared, &mut answer.coverage)?;
    let passing = input.passing();
    let outcome = ready.widget.compute(&input);
    answer.state = match (ready.items, passing, outcome.no_values) {
        (0, _, _) => State::NoItems,
        (_, 0, _) => State::AllFiltered { total: ready.items },
        (_, _, true) => State::NoValues,
        _ => State::Ok,
    };
    answer.result = outcome.result;
    answer.approximate = outcome.approximate;
    answer.reasons = outcome.reasons;
    if matches!(answer.state, State::AllFiltered { .. }) && ready.mapped.iter().any(|of| passes(shared, ready, of) > 0)
    {
        answer.reasons.push(OWN_RULES.to_owned());
    }
    let coverage = &mut answer.coverage;
    coverage.items_total = ready.items;
    coverage.items_used = outcome.items_used;
    coverage.items_skipped = passing.saturating_sub(outcome.items_used);
    coverage.skipped_why.extend(outcome.skipped);
    coverage.inert_rules.extend(outcome.inert);
    coverage.reach.extend(outcome.reach);
    coverage.labels.extend(outcome.labels);
    Ok(())
}

/// Which items a widget, or a part of what it shows, is made of.
pub(crate) fn pick<'a>(
    shared: &'a Shared<'_>,
    prepared: &'a Prepared,
    part: &Value,
) -> Result<Vec<(&'a Board, Selection)>, String> {
    let message = |state: State| match state {
        State::Error { message: Some(message), .. } => message,
        _ => "the widget has no result".to_owned(),
    };
    let (ready, input) = gather(shared, prepared, &mut Coverage::default()).map_err(message)?;
    expect_part(ready.parts, part)?;
    let picked = ready.widget.pick(&input, part)?;
    Ok(input.parts.iter().map(|part| part.board).zip(picked).collect())
}

/// Refuses what names no part: taken as nothing it would stand for the whole.
fn expect_part(parts: &[(&str, &[&str])], part: &Value) -> Result<(), String> {
    let there: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
    let members = match part {
        Value::Null => return Ok(()),
        Value::Object(members) => members,
        _ => return Err(format!("a part is an object with {}", there.join(", "))),
    };
    for (name, value) in members {
        let Some((_, choices)) = parts.iter().find(|(one, _)| one == name) else {
            return Err(match there.is_empty() {
                true => "the widget has no parts".to_owned(),
                false => format!("a part has no `{name}`; it has {}", there.join(", ")),
            });
        };
        if !choices.is_empty() && !choices.iter().any(|choice| value == choice) {
            return Err(format!("`{name}` is one of {}", choices.join(", ")));
        }
    }
    Ok(())
}

/// Adds what the boards of a widget over sprints are like now.
pub(crate) fn now<'a>(shared: &'a Shared<'_>, prepared: &'a Prepared, nows: &mut Nows<'a>) {
    // What cannot be computed has nothing to remember.
    let Ok((ready, input)) = gather(shared, prepared, &mut Coverage::default()) else { return };
    if let Some(config) = ready.widget.looks_back() {
        seen::now(&input, config, nows);
    }
}

/// Whether a configured widget asks how sprints were on earlier days.
pub fn looks_back(config: &Value) -> bool {
    configured(config).is_ok_and(|widget| widget.looks_back().is_some())
}

/// What a widget is computed from.
fn gather<'a>(
    shared: &'a Shared<'_>,
    prepared: &'a Prepared,
    coverage: &mut Coverage,
) -> Result<(&'a Ready, Input<'a>), State> {
    let ready = prepared.ready.as_ref().map_err(|state| {
        // What cannot be read has no boards that rules could reach.
        if !matches!(state, State::Error { message: Some(_), .. }) {
            coverage.inert_rules = shared.plan.inert.clone();
        }
        state.clone()
    })?;
    let boards: Vec<&Board> = ready.boards.iter().map(|at| shared.boards[*at]).collect();
    coverage.inert_rules = shared.plan.inert(&boards);
    let own_plan = Plan::own(shared.query, OwnList::Rules, &ready.rules, &boards, &shared.boards);
    coverage.inert_rules.extend(own_plan.inert.iter().cloned());
    let of_board = |at: &usize| own_plan.select_while(shared.boards[*at], &|| true);
    let own: Vec<(Selection, Vec<bool>)> =
        if ready.rules.is_empty() { Vec::new() } else { ready.boards.iter().map(of_board).collect() };
    let reach: Vec<&[bool]> = ready.boards.iter().map(|at| shared.passing[*at].reach.as_slice()).collect();
    let own_reach: Vec<&[bool]> = own.iter().map(|(_, reach)| reach.as_slice()).collect();
    coverage.reach = shared.plan.reach(&reach);
    coverage.reach.extend(own_plan.reach(&own_reach));
    coverage.labels = shared.plan.labels(&ready.boards);
    coverage.labels.extend(own_plan.labels(&(0..boards.len()).collect::<Vec<_>>()));
    if let Some(state) = &ready.unmapped {
        return Err(state.clone());
    }
    let mut subitems = 0;
    let part = |mapped: &'a Mapped| {
        let (board, passing) = (shared.boards[mapped.board], &shared.passing[mapped.board]);
        let own = ready.boards.iter().zip(&own).find(|(at, _)| **at == mapped.board);
        let with_own =
            |shared: &Arc<Selection>| own.map_or_else(|| shared.clone(), |(_, (own, _))| Arc::new(shared.and(own)));
        if ready.include_subitems {
            return Part { board, selection: with_own(&passing.all), mapped };
        }
        let selection = with_own(&passing.without_subitems);
        if board.subitems.is_some() {
            subitems += with_own(&passing.all).count() - selection.count();
        }
        Part { board, selection, mapped }
    };
    let parts: Vec<Part<'_>> = ready.mapped.iter().map(part).collect();
    coverage.skipped_why.extend(Skipped::items("subitem", subitems as u64));
    let input = Input {
        query: shared.query,
        boards,
        loaded: &shared.boards,
        include_subitems: ready.include_subitems,
        tallies: shared.tallies(&parts),
        model: &ready.model,
        across: shared.across,
        history: shared.history,
        has_rules: !ready.rules.is_empty(),
        told: shared.told,
        parts,
    };
    Ok((ready, input))
}

/// The roles that columns play in a configured widget.
///
/// # Errors
/// A configuration of unknown kind or form: what is wrong with it.
pub fn roles(config: &Value) -> Result<Vec<Role>, String> {
    Ok(configured(config)?.roles())
}

/// A widget of a configuration in whichever form.
fn configured(config: &Value) -> Result<Box<dyn Widget>, String> {
    let config = present(config, &mut None);
    (kind_of(&config)?.read)(&config)
}

/// A widget's kind.
fn kind_of(config: &Value) -> Result<&'static Kind, String> {
    let name = config.get("kind").and_then(Value::as_str).unwrap_or_default();
    KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| format!("unknown kind {name:?}"))
}

/// A widget's configuration in the present form; its settings are told where that is another one.
pub(crate) fn present(config: &Value, told: &mut Option<Value>) -> Value {
    let mut config = config.clone();
    with_whole_numbers(&mut config);
    let Some(members) = config.as_object() else { return config };
    let mut settings = modern(config.get("kind").and_then(Value::as_str).unwrap_or_default(), members);
    let present = Value::from(settings.clone());
    if present != config {
        settings.retain(|name, _| name != "id" && name != "kind");
        *told = Some(settings.into());
    }
    present
}
