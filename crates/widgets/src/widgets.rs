//! Kinds of widgets: one file each, and the one list that names them. What all have in common is done here: which boards
//! take part, which of their columns, which items pass, and what is said about it.

mod answer;
pub mod apps;
mod battery;
mod burndown;
mod chart;
mod mapping;
mod measure;
mod numbers;
mod planned;
mod prepared;
mod reading;
mod seen;
mod sprints;
mod stored;
mod table;
mod velocity;

use crate::board::{Board, Column, Settings};
use crate::filter::{InertRule, LabelReach, OwnList, Plan, Reach};
use crate::fold::sort;
use crate::format::Format;
use crate::history::Nows;
use crate::pieces::Pieces;
use crate::query::Query;
use crate::selection::Selection;
use crate::tally::{Places, Tallied, Tallies};
use crate::{Across, Engine};
use prepared::{Mapped, Ready};
use reading::with_whole_numbers;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};
use stored::modern;

pub use answer::{Coverage, Fixed, RawResult, Skipped, State, WidgetAnswer};
pub(crate) use mapping::auto_map;
pub use mapping::{Cols, Role};
pub(crate) use prepared::Prepared;
pub(crate) use reading::{read_as, read_json};
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

/// A kind of widget.
pub struct Kind {
    /// Its name in a configuration's `kind`.
    pub name: &'static str,
    /// JSON Schema of its configuration's own members.
    pub schema: fn() -> Value,
    /// All parts that columns can play in it; which of them they do depends on its configuration.
    pub roles: &'static [Role],
    /// The members that name a part of its result, each with its choices where it has some.
    parts: &'static [(&'static str, &'static [&'static str])],
    /// By how many keys its items are told apart at most: the finest tallies are made first, and others are read off them.
    keys: u8,
    /// Reads its configuration, with the columns of all boards where they are known.
    read: fn(&Value) -> Result<Box<dyn Widget>, String>,
}

impl Kind {
    /// Whether its widgets are made of boards at all.
    pub fn reads_boards(&self) -> bool {
        self.name != apps::KIND.name
    }
}

/// A widget whose configuration has been read.
trait Widget: Send + Sync {
    /// Those of its kind's roles that columns play in it, as configured.
    fn roles(&self) -> Vec<Role>;
    fn compute(&self, input: &Input<'_>) -> Outcome;
    /// What it shows where it reads no boards.
    fn alone(&self) -> Option<RawResult> {
        None
    }
    /// How its sprints are found, where it asks how they were on earlier days.
    fn looks_back(&self) -> Option<&sprints::Config> {
        None
    }
    /// The items that a part of the result is made of; which parts there are is the kind's to say.
    fn pick(&self, input: &Input<'_>, part: &Value) -> Result<Vec<Selection>, String>;
}

/// What reads a configuration of this form.
fn read<W: Widget + DeserializeOwned + 'static>(config: &Value) -> Result<Box<dyn Widget>, String> {
    read_as::<W>(config).map(|widget| Box::new(widget) as Box<dyn Widget>)
}

/// A kind's schema, which only the server tells: the page's engine goes without.
const fn told(schema: fn() -> Value) -> fn() -> Value {
    if cfg!(target_arch = "wasm32") { || Value::Null } else { schema }
}

/// The member that says it in a kind's schema.
fn include_subitems_schema() -> Value {
    json!({"type": "boolean", "description": "Count subitems too. Left out, they count where sprints are asked for that subitems name and no item does."})
}

/// A board that contributes.
pub(crate) struct Part<'a> {
    board: &'a Board,
    selection: Arc<Selection>,
    mapped: &'a Mapped,
}

impl<'a> Part<'a> {
    /// The columns that play a role.
    fn columns(&self, role: &str) -> impl Iterator<Item = &'a Column> + use<'a> {
        let of_role = self.mapped.columns.iter().find(|(name, _)| *name == role);
        let board = self.board;
        of_role.into_iter().flat_map(|(_, places)| places).map(|place| &board.columns[*place])
    }
    /// The first of them.
    fn column(&self, role: &str) -> Option<&'a Column> {
        self.columns(role).next()
    }
}

/// What a kind computes from.
pub(crate) struct Input<'a> {
    pub query: &'a Query,
    /// All that the widget is connected to.
    boards: Vec<&'a Board>,
    /// All of the dashboard's that are loaded.
    loaded: &'a [&'a Board],
    parts: Vec<Part<'a>>,
    include_subitems: bool,
    /// What the passing items come to.
    pub tallies: Rc<Tallies<'a>>,
    /// What the widget's kind keeps: it depends on no filter.
    model: &'a OnceLock<Arc<dyn Any + Send + Sync>>,
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
    fn model<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Arc<T> {
        let kept = self.model.get_or_init(|| Arc::new(make()));
        kept.clone().downcast().expect("a kind keeps but one type")
    }
    /// Places that are kept for the queries that follow.
    fn register(&self, places: Places) -> Arc<Places> {
        self.tallies.register(places, &self.parts.iter().map(|part| part.board).collect::<Vec<_>>())
    }
    /// All items of a board that the widget counts, whatever the filters say.
    fn all(&self, part: &Part<'_>) -> Selection {
        let all = Selection::all(part.board.rows);
        if self.include_subitems { all } else { part.board.without_subitems(all) }
    }
    /// How many items pass.
    fn passing(&self) -> u64 {
        self.parts.iter().map(|part| part.selection.count() as u64).sum()
    }
    /// The passing items of each board that a test lets pass.
    fn only(&self, test: impl Fn(usize, usize) -> bool) -> Vec<Selection> {
        self.parts.iter().enumerate().map(|(at, part)| part.selection.only(|row| test(at, row))).collect()
    }
}

/// What a kind has computed.
#[derive(Default)]
struct Outcome {
    result: Option<RawResult>,
    /// Nothing to make the result of.
    no_values: bool,
    items_used: u64,
    skipped: Vec<Skipped>,
    inert: Vec<InertRule>,
    /// Of the rules that only this kind has.
    reach: Vec<Reach>,
    labels: Vec<LabelReach>,
    /// Whether the result is not exact; the reasons say why.
    approximate: bool,
    reasons: Vec<String>,
}

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
    pub fn new(engine: &'a Engine, query: &'a Query, boards: Vec<&'a Board>, plan: &'a Plan<'a>) -> Shared<'a> {
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
        let history = query.history.as_ref().and_then(|name| engine.histories.get(name));
        Shared {
            query,
            boards,
            plan,
            passing,
            tallied: &engine.together.tallied,
            tallies: RefCell::default(),
            across: &engine.together.across,
            history,
            told: None,
        }
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
pub(crate) fn looks_back(config: &Value) -> bool {
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
pub(crate) fn roles(config: &Value) -> Result<Vec<Role>, String> {
    Ok(configured(config)?.roles())
}

/// A widget of a configuration in whichever form.
fn configured(config: &Value) -> Result<Box<dyn Widget>, String> {
    let config = present(config, &mut None);
    (kind(&config)?.read)(&config)
}

/// A widget's kind.
fn kind(config: &Value) -> Result<&'static Kind, String> {
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

/// Types of columns that hold numbers.
const NUMBER_TYPES: &[&str] = &["number", "currency", "rating", "progress"];

/// The form of numbers: the configured one, completed by the mapped columns' settings; with the warning where these differ.
fn settled(format: &Format, parts: &[Part<'_>], role: &str) -> (Format, Option<String>) {
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
