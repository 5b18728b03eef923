//! Kinds of widgets: one file each, and the one list that names them. What all have in common is done here: which boards
//! take part, which of their columns, which items pass, and what is said about it.

pub mod apps;
mod battery;
mod burndown;
mod chart;
mod numbers;
mod planned;
mod reading;
mod seen;
mod sprints;
mod stored;
mod table;
mod velocity;

use crate::board::{Board, Column, Settings};
use crate::filter::{InertRule, LabelReach, Plan, Reach};
use crate::format::Format;
use crate::history::Nows;
use crate::meaning::has_word;
use crate::query::{Query, RuleOrGroup};
use crate::selection::Selection;
use crate::tally::{KEYS_MAX, Tallies, Ways};
use crate::told::Pieces;
use crate::{Across, Engine};
use reading::with_whole_numbers;
use serde::de::DeserializeOwned;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use stored::modern;

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
    /// How many keys its items are counted by at most: the finest counts are made first, and others are read off them.
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
    fn alone(&self) -> Option<Told> {
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

/// A part that a column of each board plays in a widget.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Role {
    /// Its name in a configuration's `cols`.
    pub name: &'static str,
    /// What it is for, which only the server tells.
    #[serde(skip)]
    pub about: &'static str,
    /// Types of columns that can play it.
    pub types: &'static [&'static str],
    /// Whether a board without such a column contributes nothing.
    pub required: bool,
    /// Words in the titles of columns that most often play it.
    #[serde(skip)]
    pub called: &'static [&'static str],
    /// Types whose columns play it without being called so, the likeliest first.
    #[serde(skip)]
    pub likely: &'static [&'static str],
    /// Words in the titles of columns that play it where no column is of a likely type.
    #[serde(skip)]
    pub called_else: &'static [&'static str],
    /// Whether all columns of a board play it where none is chosen.
    #[serde(skip)]
    pub all: bool,
}

impl Role {
    const fn new(name: &'static str, about: &'static str, types: &'static [&'static str], required: bool) -> Role {
        let about = if cfg!(target_arch = "wasm32") { "" } else { about };
        Role { name, about, types, required, called: &[], likely: types, called_else: &[], all: false }
    }
    fn fitting<'a>(&'a self, board: &'a Board) -> impl Iterator<Item = &'a Column> {
        board.columns.iter().filter(|column| self.types.contains(&column.type_name.as_str()))
    }
    /// The first column of a board that is called by one of these words, the first of them first.
    fn called<'a>(&'a self, words: &[&str], board: &'a Board) -> Option<&'a Column> {
        words.iter().find_map(|word| self.fitting(board).find(|c| has_word(&c.title_folded, |w| w == *word)))
    }
}

/// Column ids by role and board id. A board that is not named has its column found for it; one with none named has none.
pub type Cols = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// The members that every configuration has.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Common {
    /// Only these of the dashboard's boards.
    #[serde(default)]
    boards: Option<Vec<String>>,
    #[serde(default)]
    cols: Cols,
    /// The widget's own rules, beside the shared ones.
    #[serde(default)]
    rules: Vec<RuleOrGroup>,
    /// Takes subitems for items.
    #[serde(default)]
    include_subitems: bool,
}

/// The member that says it in a kind's schema.
fn include_subitems_schema() -> Value {
    json!({"type": "boolean", "default": false, "description": "Count subitems too, which are left out otherwise."})
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
    /// Where its codes lead in a widget that counts by several keys together.
    fn ways(&self) -> &'a Ways {
        &self.mapped.ways
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
    pub tallies: &'a Tallies,
    pub across: &'a Across,
    /// What is remembered of the boards.
    pub history: Option<&'a Value>,
    /// Whether the widget has rules of its own.
    pub has_rules: bool,
    /// What who asks has been told, all that does not depend on the filters among it.
    pub told: Option<&'a Pieces>,
}

impl Input<'_> {
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
    result: Option<Told>,
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

/// Something that does not contribute.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Skipped {
    /// `empty-value`, `empty-category`, `other-type` (items), `subitem` (subitems that pass, where they are not counted), `unmapped`, `failed` (boards).
    pub reason: &'static str,
    /// How many items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<u64>,
    /// Which boards.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<String>,
}

impl Skipped {
    fn items(reason: &'static str, count: u64) -> Option<Skipped> {
        (count > 0).then(|| Skipped { reason, items: Some(count), boards: Vec::new() })
    }
}

/// What a widget shows: its result, or why there is none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum State {
    /// There is a result.
    Ok,
    /// Some boards have not arrived.
    Loading {
        /// Which.
        boards: Vec<String>,
    },
    /// It cannot be computed.
    Error {
        /// Boards that could not be fetched.
        boards: Vec<String>,
        /// What is wrong with the configuration.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    /// No board is connected.
    NoBoards,
    /// No board has columns for all required roles.
    Unmapped {
        /// The roles that no board has a column for; all required ones where no board has them together.
        roles: Vec<&'static str>,
    },
    /// The boards are empty.
    NoItems,
    /// No item passes the filters.
    AllFiltered {
        /// How many items there are.
        total: u64,
    },
    /// The passing items have no values.
    NoValues,
}

/// What an answer was made of.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// Boards that contribute.
    pub boards_used: usize,
    /// Boards that the widget is connected to.
    pub boards_total: usize,
    /// Passing items that the result is made of.
    pub items_used: u64,
    /// Passing items of the contributing boards that it is not made of.
    pub items_skipped: u64,
    /// All items of the contributing boards, subitems only where they are counted.
    pub items_total: u64,
    /// What was left out and why.
    pub skipped_why: Vec<Skipped>,
    /// Rules that constrain nothing, or go on with less than they were meant to.
    pub inert_rules: Vec<InertRule>,
    /// How many of the boards each rule reaches: the shared ones first, in the same order in all widgets, then its own.
    pub reach: Vec<Reach>,
    /// Labels that rules name and that some of the boards that these reach do not know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<LabelReach>,
}

/// A result as the text that is sent: nobody but who shows it takes it apart.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Told(Box<RawValue>);

impl Told {
    /// Of what a kind has computed.
    pub fn of<R: Serialize>(result: &R) -> Option<Told> {
        serde_json::value::to_raw_value(result).ok().map(Told)
    }
    /// Taken apart.
    pub fn value(&self) -> Value {
        serde_json::from_str(self.0.get()).unwrap_or_default()
    }
}

impl PartialEq for Told {
    fn eq(&self, other: &Told) -> bool {
        self.0.get() == other.0.get()
    }
}

/// What is known of a widget without looking at any item.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Fixed {
    /// The widget's id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Its settings in the present form, where they were in an older one.
    pub settings: Option<Value>,
    /// What parts columns play in it as it is configured.
    pub roles: Vec<Role>,
    /// The columns that play them: the chosen ones, and those that were found.
    pub cols: Cols,
}

/// One widget's answer.
#[derive(Clone, PartialEq, Debug)]
pub struct WidgetAnswer {
    /// What does not depend on the filters.
    pub fixed: Arc<Fixed>,
    /// Where who asks has been told that already, the number under which it was told the reach of rules.
    pub told: Option<u32>,
    /// Whether there is a result.
    pub state: State,
    /// The result, of the kind's own form. Present with `ok`, `no-items`, `all-filtered` and `no-values`.
    pub result: Option<Told>,
    /// What it was made of.
    pub coverage: Coverage,
    /// Whether it is not exact.
    pub approximate: bool,
    /// Why not, and what else is to be said: codes.
    pub reasons: Vec<String>,
}

impl Serialize for WidgetAnswer {
    /// As one object, what is fixed among the rest.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(reach) = self.told {
            return self.rest(reach).serialize(serializer);
        }
        let Fixed { id, kind, settings, roles, cols } = &*self.fixed;
        let mut told = serializer.serialize_struct("WidgetAnswer", 10)?;
        told.serialize_field("id", id)?;
        told.serialize_field("kind", kind)?;
        told.serialize_field("state", &self.state)?;
        if let Some(result) = &self.result {
            told.serialize_field("result", result)?;
        }
        told.serialize_field("coverage", &self.coverage)?;
        if let Some(settings) = settings {
            told.serialize_field("settings", settings)?;
        }
        told.serialize_field("roles", roles)?;
        told.serialize_field("cols", cols)?;
        told.serialize_field("approximate", &self.approximate)?;
        told.serialize_field("reasons", &self.reasons)?;
        told.end()
    }
}

impl WidgetAnswer {
    fn rest(&self, reach: u32) -> Rest<'_> {
        let coverage = &self.coverage;
        let counts = [coverage.items_used, coverage.items_skipped, coverage.items_total];
        Rest {
            state: Some(&self.state).filter(|state| **state != State::Ok),
            result: self.result.as_ref(),
            boards: [coverage.boards_used, coverage.boards_total],
            items: counts,
            skipped_why: &coverage.skipped_why,
            inert_rules: &coverage.inert_rules,
            reach,
            labels: &coverage.labels,
            approximate: self.approximate,
            reasons: &self.reasons,
        }
    }
}

/// What is left to tell whoever has been told the rest: nothing that is as it mostly is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rest<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'a State>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a Told>,
    /// Those that are used, and all.
    boards: [usize; 2],
    /// Those that are used, those that are not, and all.
    items: [u64; 3],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    skipped_why: &'a [Skipped],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    inert_rules: &'a [InertRule],
    reach: u32,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    labels: &'a [LabelReach],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    approximate: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    reasons: &'a [String],
}

/// What all widgets of a query share.
pub(crate) struct Shared<'a> {
    query: &'a Query,
    boards: Vec<&'a Board>,
    plan: &'a Plan<'a>,
    passing: Vec<Passing>,
    tallies: Tallies,
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
            tallies: Tallies::default(),
            across: &engine.together.across,
            history,
            told: None,
        }
    }
}

/// Computes all widgets, in the query's order.
pub(crate) fn answers(shared: &Shared<'_>, prepared: &[Prepared]) -> Vec<WidgetAnswer> {
    let keys = |at: usize| prepared[at].ready.as_ref().map_or(0, |ready| usize::from(ready.keys));
    let mut answers: Vec<Option<WidgetAnswer>> = prepared.iter().map(|_| None).collect();
    for count in (0..=KEYS_MAX).rev() {
        for at in (0..prepared.len()).filter(|at| keys(*at) == count) {
            answers[at] = Some(answer(shared, &prepared[at]));
        }
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

fn wrong(message: String) -> State {
    State::Error { boards: Vec::new(), message: Some(message) }
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
    coverage.reach.extend(outcome.reach.into_iter().map(Reach::own));
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

/// A widget as far as no item has to be looked at, with the boards that are loaded: made once for many queries.
pub(crate) struct Prepared {
    pub fixed: Arc<Fixed>,
    /// What is known of it beforehand.
    coverage: Coverage,
    /// Or why there is nothing to compute.
    ready: Result<Ready, State>,
}

/// What there is to compute.
struct Ready {
    widget: Box<dyn Widget>,
    keys: u8,
    parts: &'static [(&'static str, &'static [&'static str])],
    rules: Vec<RuleOrGroup>,
    include_subitems: bool,
    /// The boards that the widget is connected to, by their places among the loaded ones.
    boards: Vec<usize>,
    /// Those that contribute.
    mapped: Vec<Mapped>,
    /// How many items these have.
    items: u64,
    /// Where none does: the roles for which columns are missing.
    unmapped: Option<State>,
}

/// A board that contributes, by its place among the loaded ones, and the places of its columns by role.
struct Mapped {
    board: usize,
    columns: Vec<(&'static str, Vec<usize>)>,
    ways: Ways,
}

impl Prepared {
    /// Reads a configuration; `boards` are those of the query that are loaded.
    pub fn new(config: &Value, query: &Query, boards: &[&Board]) -> Prepared {
        let text = |name: &str| config.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut fixed = Fixed { id: text("id"), kind: text("kind"), ..Fixed::default() };
        let mut coverage = Coverage::default();
        let ready = Ready::new(config, query, boards, &mut fixed, &mut coverage);
        Prepared { fixed: Arc::new(fixed), coverage, ready }
    }
}

impl Ready {
    fn new(
        config: &Value,
        query: &Query,
        loaded: &[&Board],
        fixed: &mut Fixed,
        coverage: &mut Coverage,
    ) -> Result<Ready, State> {
        let mut config = present(config, &mut fixed.settings);
        let mut common: Common = read_as(&config).map_err(wrong)?;
        let kind = kind(&config).map_err(wrong)?;
        let widget = (kind.read)(&config).map_err(wrong)?;
        if !kind.reads_boards() {
            return Ok(Ready {
                widget,
                keys: kind.keys,
                parts: kind.parts,
                rules: Vec::new(),
                include_subitems: false,
                boards: Vec::new(),
                mapped: Vec::new(),
                items: 0,
                unmapped: None,
            });
        }
        fixed.roles = widget.roles();
        let own = |id: &&String| common.boards.as_ref().is_none_or(|only| only.contains(id));
        let mut wanted: Vec<&String> = Vec::new();
        for id in query.boards.iter().filter(own) {
            if !wanted.contains(&id) {
                wanted.push(id);
            }
        }
        coverage.boards_total = wanted.len();
        if wanted.is_empty() {
            return Err(State::NoBoards);
        }
        let (failed, rest): (Vec<&String>, Vec<&String>) = wanted.iter().partition(|id| query.failed.contains(id));
        let copy = |ids: &[&String]| ids.iter().map(|id| (*id).clone()).collect::<Vec<_>>();
        let missing: Vec<&String> = rest.iter().copied().filter(|id| !loaded.iter().any(|b| b.id == **id)).collect();
        if !missing.is_empty() {
            return Err(State::Loading { boards: copy(&missing) });
        }
        if rest.is_empty() {
            return Err(State::Error { boards: copy(&failed), message: None });
        }
        if !failed.is_empty() {
            coverage.skipped_why.push(Skipped { reason: "failed", items: None, boards: copy(&failed) });
        }

        let connected: Vec<usize> = (0..loaded.len()).filter(|at| rest.contains(&&loaded[*at].id)).collect();
        let boards: Vec<&Board> = connected.iter().map(|at| loaded[*at]).collect();
        // What is stored of boards that left says nothing of those that stay.
        common.cols.values_mut().for_each(|by_board| by_board.retain(|id, _| wanted.contains(&id)));
        config["cols"] = json!(auto_map(&fixed.roles, &common.cols, &boards));
        // Which roles there are may depend on which of them have columns.
        let widget = (kind.read)(&config).map_err(wrong)?;
        fixed.roles = widget.roles();
        let named: Cols = read_as(&config["cols"]).map_err(wrong)?;

        let (mut mapped, mut unmapped, mut found) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut items = 0;
        for at in &connected {
            let board = loaded[*at];
            let columns = columns(&fixed.roles, &named, board);
            for (role, places) in &columns {
                let ids = places.iter().map(|place| board.columns[*place].id.clone()).collect();
                fixed.cols.entry((*role).to_owned()).or_default().insert(board.id.clone(), ids);
                found.insert(*role);
            }
            let has = |role: &Role| columns.iter().any(|(name, _)| *name == role.name);
            if fixed.roles.iter().any(|role| role.required && !has(role)) {
                unmapped.push(board.id.clone());
                continue;
            }
            items += if common.include_subitems { board.rows } else { board.items() } as u64;
            mapped.push(Mapped { board: *at, columns, ways: Ways::default() });
        }
        coverage.boards_used = mapped.len();
        if !unmapped.is_empty() {
            coverage.skipped_why.push(Skipped { reason: "unmapped", items: None, boards: unmapped });
        }
        let unmapped = mapped.is_empty().then(|| {
            let required: Vec<&'static str> = fixed.roles.iter().filter(|r| r.required).map(|r| r.name).collect();
            let nowhere: Vec<&'static str> = required.iter().copied().filter(|name| !found.contains(name)).collect();
            State::Unmapped { roles: if nowhere.is_empty() { required } else { nowhere } }
        });
        let (rules, include_subitems) = (common.rules, common.include_subitems);
        Ok(Ready {
            widget,
            keys: kind.keys,
            parts: kind.parts,
            rules,
            include_subitems,
            boards: connected,
            mapped,
            items,
            unmapped,
        })
    }
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
    let own_plan = Plan::own(shared.query, &ready.rules, &boards, &shared.boards);
    coverage.inert_rules.extend(own_plan.inert.iter().cloned());
    let of_board = |at: &usize| own_plan.select_while(shared.boards[*at], &|| true);
    let own: Vec<(Selection, Vec<bool>)> =
        if ready.rules.is_empty() { Vec::new() } else { ready.boards.iter().map(of_board).collect() };
    let reach: Vec<&[bool]> = ready.boards.iter().map(|at| shared.passing[*at].reach.as_slice()).collect();
    let own_reach: Vec<&[bool]> = own.iter().map(|(_, reach)| reach.as_slice()).collect();
    coverage.reach = shared.plan.reach(&reach);
    coverage.reach.extend(own_plan.reach(&own_reach).into_iter().map(Reach::own));
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
    let parts = ready.mapped.iter().map(part).collect();
    coverage.skipped_why.extend(Skipped::items("subitem", subitems as u64));
    let input = Input {
        query: shared.query,
        boards,
        loaded: &shared.boards,
        parts,
        include_subitems: ready.include_subitems,
        tallies: &shared.tallies,
        across: shared.across,
        history: shared.history,
        has_rules: !ready.rules.is_empty(),
        told: shared.told,
    };
    Ok((ready, input))
}

/// The places of a board's columns that the configuration names for each role, those of a type that can play it.
fn columns(roles: &[Role], cols: &Cols, board: &Board) -> Vec<(&'static str, Vec<usize>)> {
    let of_role = |role: &Role| {
        let ids = cols.get(role.name).and_then(|by_board| by_board.get(&board.id)).map_or(&[][..], Vec::as_slice);
        let place = |id: &String| board.columns.iter().position(|column| column.id == *id);
        let fits = |place: &usize| role.types.contains(&board.columns[*place].type_name.as_str());
        (role.name, ids.iter().filter_map(place).filter(fits).collect::<Vec<_>>())
    };
    roles.iter().map(of_role).filter(|(_, places)| !places.is_empty()).collect()
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

/// The columns that a widget's roles get on boards that are not named for them yet: by the title of the column that plays the
/// role on another board; else one that is called as such columns mostly are; else the board's only column of a likely type;
/// else one that is called as some are. Where nothing says which, the first column of the likeliest type is taken, but for roles
/// that have words of their own.
pub(crate) fn auto_map(roles: &[Role], cols: &Cols, boards: &[&Board]) -> Cols {
    let mut mapped = cols.clone();
    for role in roles {
        let by_board = mapped.entry(role.name.to_owned()).or_default();
        let open: Vec<&Board> = boards.iter().copied().filter(|board| !by_board.contains_key(&board.id)).collect();
        if role.all {
            by_board
                .extend(open.iter().map(|b| (b.id.clone(), role.fitting(b).map(|column| column.id.clone()).collect())));
            continue;
        }
        let chosen = boards.iter().find_map(|board| by_board.get(&board.id)?.iter().find_map(|id| board.column(id)));
        let Some(example) = chosen.or_else(|| example(role, &open)) else { continue };
        for board in open {
            let of_type = || role.fitting(board).filter(|column| column.type_name == example.type_name);
            let same = |column: &&Column| column.title_folded == example.title_folded;
            let only = || match role.likely.contains(&example.type_name.as_str()) && of_type().count() == 1 {
                true => of_type().next(),
                false => None,
            };
            let titled = of_type().find(same).or_else(|| role.fitting(board).find(same));
            if let Some(column) = titled
                .or_else(|| role.called(role.called, board))
                .or_else(only)
                .or_else(|| role.called(role.called_else, board))
            {
                by_board.insert(board.id.clone(), vec![column.id.clone()]);
            }
        }
    }
    mapped.retain(|_, by_board| !by_board.is_empty());
    mapped
}

/// The column that those of other boards are matched with, where none is chosen.
fn example<'a>(role: &'a Role, boards: &[&'a Board]) -> Option<&'a Column> {
    let of = |board: &'a Board, name: &'static str| board.columns.iter().filter(move |c| c.type_name == name);
    let likely = |name: &&'static str| {
        let only = boards.iter().copied().find(|board| of(board, name).count() == 1);
        let any = boards.iter().copied().find(|board| role.called.is_empty() && of(board, name).next().is_some());
        of(only.or(any)?, name).next()
    };
    let called = |words: &[&str]| boards.iter().find_map(|board| role.called(words, board));
    called(role.called).or_else(|| role.likely.iter().find_map(likely)).or_else(|| called(role.called_else))
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
