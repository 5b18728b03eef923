//! Kinds of widgets: one file each, and the one list that names them. What all have in common is done here: which boards
//! take part, which of their columns, which items pass, and what is said about it.

mod battery;
mod burndown;
mod chart;
mod numbers;
mod planned;
mod sprints;
mod stored;
mod table;
mod velocity;

use crate::Across;
use crate::board::{Board, Column};
use crate::filter::{InertRule, Plan, Reach};
use crate::format::Format;
use crate::meaning::has_word;
use crate::query::{Query, RuleOrGroup};
use crate::selection::Selection;
use crate::tally::Tallies;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use stored::modern;

/// The kinds that can be asked for.
pub const KINDS: &[Kind] =
    &[numbers::KIND, chart::KIND, velocity::KIND, planned::KIND, burndown::KIND, battery::KIND, table::KIND];

/// A kind of widget.
pub struct Kind {
    /// Its name in a configuration's `kind`.
    pub name: &'static str,
    /// JSON Schema of its configuration's own members.
    pub schema: fn() -> Value,
    /// The roles that columns play in it, as configured.
    pub roles: fn(&Value) -> Result<Vec<Role>, String>,
    /// How many keys its items are counted by at most: the finest counts are made first, and others are read off them.
    keys: u8,
    compute: fn(&Input<'_>) -> Result<Outcome, String>,
    /// The items that a part of the result is made of; which parts there are is the kind's to say.
    pick: fn(&Input<'_>, &Value) -> Result<Vec<Selection>, String>,
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
    /// Whether all columns of a board play it where none is chosen.
    #[serde(skip)]
    pub all: bool,
}

impl Role {
    const fn new(name: &'static str, types: &'static [&'static str], required: bool) -> Role {
        Role { name, types, required, called: &[], likely: types, all: false }
    }
    fn fitting<'a>(&'a self, board: &'a Board) -> impl Iterator<Item = &'a Column> {
        board.columns.iter().filter(|column| self.types.contains(&column.type_name.as_str()))
    }
    /// The first column of a board that is called as such columns mostly are.
    fn called<'a>(&'a self, board: &'a Board) -> Option<&'a Column> {
        self.called.iter().find_map(|word| self.fitting(board).find(|c| has_word(&c.title_folded, |w| w == *word)))
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
    columns: BTreeMap<&'static str, Vec<&'a Column>>,
}

impl<'a> Part<'a> {
    fn columns(&self, role: &str) -> &[&'a Column] {
        self.columns.get(role).map_or(&[], Vec::as_slice)
    }
}

/// What a kind computes from.
pub(crate) struct Input<'a> {
    /// With the columns of all boards.
    config: Value,
    pub query: &'a Query,
    /// All that the widget is connected to.
    boards: Vec<&'a Board>,
    parts: Vec<Part<'a>>,
    include_subitems: bool,
    pub tallies: &'a Tallies,
    pub across: &'a Across,
}

impl Input<'_> {
    /// All items of a board that the widget counts, whatever the filters say.
    fn all(&self, part: &Part<'_>) -> Selection {
        let all = Selection::all(part.board.rows);
        if self.include_subitems { all } else { part.board.without_subitems(all) }
    }
    /// The passing items of each board that a test lets pass.
    fn only(&self, test: impl Fn(usize, usize) -> bool) -> Vec<Selection> {
        self.parts.iter().enumerate().map(|(at, part)| part.selection.only(|row| test(at, row))).collect()
    }
}

/// What a kind has computed.
#[derive(Default)]
struct Outcome {
    result: Value,
    /// Nothing to make the result of.
    no_values: bool,
    items_used: u64,
    skipped: Vec<Skipped>,
    inert: Vec<InertRule>,
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
    /// Rules that constrain nothing.
    pub inert_rules: Vec<InertRule>,
    /// How many of the boards each rule reaches.
    pub reach: Vec<Reach>,
}

/// One widget's answer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WidgetAnswer {
    /// The widget's id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// Whether there is a result.
    pub state: State,
    /// The result, of the kind's own form. Present with `ok`, `no-items`, `all-filtered` and `no-values`.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub result: Value,
    /// What it was made of.
    pub coverage: Coverage,
    /// Its settings in the present form, where they were in an older one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<Value>,
    /// What parts columns play in it as it is configured.
    pub roles: Vec<Role>,
    /// The columns that play them: the chosen ones, and those that were found.
    pub cols: Cols,
    /// Whether it is not exact.
    pub approximate: bool,
    /// Why not, and what else is to be said: codes.
    pub reasons: Vec<String>,
}

impl WidgetAnswer {
    /// Before anything is known.
    fn of(config: &Value) -> WidgetAnswer {
        let text = |name: &str| config.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        WidgetAnswer {
            id: text("id"),
            kind: text("kind"),
            state: State::Ok,
            result: Value::Null,
            coverage: Coverage::default(),
            settings: None,
            roles: Vec::new(),
            cols: Cols::new(),
            approximate: false,
            reasons: Vec::new(),
        }
    }
}

/// What all widgets of a query share.
pub(crate) struct Shared<'a> {
    query: &'a Query,
    boards: Vec<&'a Board>,
    plan: &'a Plan<'a>,
    passing: Vec<Passing>,
    tallies: Tallies,
    across: &'a Across,
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
    pub fn new(query: &'a Query, boards: Vec<&'a Board>, plan: &'a Plan<'a>, across: &'a Across) -> Shared<'a> {
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
        Shared { query, boards, plan, passing, tallies: Tallies::default(), across }
    }
}

/// Computes all widgets, in the query's order.
pub(crate) fn answers(shared: &Shared<'_>) -> Vec<WidgetAnswer> {
    let configs = &shared.query.widgets;
    let keys = |at: &usize| KINDS.iter().find(|kind| configs[*at]["kind"] == kind.name).map_or(0, |kind| kind.keys);
    let mut order: Vec<usize> = (0..configs.len()).collect();
    order.sort_by_key(|at| Reverse(keys(at)));
    let mut answers: Vec<(usize, WidgetAnswer)> =
        order.into_iter().map(|at| (at, answer(shared, &configs[at]))).collect();
    answers.sort_by_key(|(at, _)| *at);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Computes one widget.
fn answer(shared: &Shared<'_>, config: &Value) -> WidgetAnswer {
    let mut answer = WidgetAnswer::of(config);
    if let Err(state) = fill(shared, config, &mut answer) {
        answer.state = state;
    }
    answer
}

fn wrong(message: String) -> State {
    State::Error { boards: Vec::new(), message: Some(message) }
}

fn fill(shared: &Shared<'_>, config: &Value, answer: &mut WidgetAnswer) -> Result<(), State> {
    let (kind, input, total) = gather(shared, config, answer)?;
    let passing: u64 = input.parts.iter().map(|p| p.selection.count() as u64).sum();
    let outcome = (kind.compute)(&input).map_err(wrong)?;
    answer.state = match (total, passing, outcome.no_values) {
        (0, _, _) => State::NoItems,
        (_, 0, _) => State::AllFiltered { total },
        (_, _, true) => State::NoValues,
        _ => State::Ok,
    };
    answer.result = outcome.result;
    answer.approximate = outcome.approximate;
    answer.reasons = outcome.reasons;
    let coverage = &mut answer.coverage;
    coverage.items_total = total;
    coverage.items_used = outcome.items_used;
    coverage.items_skipped = passing.saturating_sub(outcome.items_used);
    coverage.skipped_why.extend(outcome.skipped);
    coverage.inert_rules.extend(outcome.inert);
    Ok(())
}

/// Which items a widget, or a part of what it shows, is made of.
pub(crate) fn pick<'a>(
    shared: &'a Shared<'_>,
    config: &'a Value,
    part: &Value,
) -> Result<Vec<(&'a Board, Selection)>, String> {
    let message = |state: State| match state {
        State::Error { message: Some(message), .. } => message,
        _ => "the widget has no result".to_owned(),
    };
    let (kind, input, _) = gather(shared, config, &mut WidgetAnswer::of(config)).map_err(message)?;
    let picked = (kind.pick)(&input, part)?;
    Ok(input.parts.iter().map(|part| part.board).zip(picked).collect())
}

/// What a widget is computed from, and how many items its boards have.
fn gather<'a>(
    shared: &'a Shared<'_>,
    config: &Value,
    answer: &mut WidgetAnswer,
) -> Result<(&'static Kind, Input<'a>, u64), State> {
    let WidgetAnswer { coverage, settings, roles: told, cols, .. } = answer;
    let mut config = present(config, settings);
    let common = Common::deserialize(&config).map_err(|e| wrong(e.to_string()))?;
    let kind = kind(&config).map_err(wrong)?;
    *told = (kind.roles)(&config).map_err(wrong)?;
    let own = |id: &&String| common.boards.as_ref().is_none_or(|only| only.contains(id));
    let mut wanted: Vec<&String> = Vec::new();
    for id in shared.query.boards.iter().filter(own) {
        if !wanted.contains(&id) {
            wanted.push(id);
        }
    }
    coverage.boards_total = wanted.len();
    coverage.inert_rules = shared.plan.inert.clone();
    if wanted.is_empty() {
        return Err(State::NoBoards);
    }
    let (failed, rest): (Vec<&String>, Vec<&String>) = wanted.iter().partition(|id| shared.query.failed.contains(id));
    let copy = |ids: &[&String]| ids.iter().map(|id| (*id).clone()).collect::<Vec<_>>();
    let missing: Vec<&String> = rest.iter().copied().filter(|id| !shared.boards.iter().any(|b| b.id == **id)).collect();
    if !missing.is_empty() {
        return Err(State::Loading { boards: copy(&missing) });
    }
    if rest.is_empty() {
        return Err(State::Error { boards: copy(&failed), message: None });
    }
    if !failed.is_empty() {
        coverage.skipped_why.push(Skipped { reason: "failed", items: None, boards: copy(&failed) });
    }

    let boards: Vec<&Board> = shared.boards.iter().copied().filter(|board| rest.contains(&&board.id)).collect();
    config["cols"] = json!(auto_map(told, &common.cols, &boards));
    // Which roles there are may depend on which of them have columns.
    *told = (kind.roles)(&config).map_err(wrong)?;
    let roles = told.as_slice();
    let named = Cols::deserialize(&config["cols"]).map_err(|e| wrong(e.to_string()))?;

    let own_plan = Plan::new(shared.query, None, &common.rules, &shared.boards);
    coverage.inert_rules.extend(own_plan.inert.iter().cloned());
    let mut parts = Vec::new();
    let mut unmapped = Vec::new();
    let mut found = BTreeSet::new();
    let (mut total, mut subitems) = (0, 0);
    let (mut reach, mut own_reach) = (Vec::new(), Vec::new());
    for (board, passing) in shared.boards.iter().zip(&shared.passing).filter(|(b, _)| rest.contains(&&b.id)) {
        reach.push(passing.reach.as_slice());
        let own = (!common.rules.is_empty()).then(|| own_plan.select_while(board, &|| true));
        own_reach.push(own.as_ref().map_or_else(Vec::new, |(_, reach)| reach.clone()));
        let columns = mapped(roles, &named, board);
        for (role, columns) in &columns {
            let ids = columns.iter().map(|column| column.id.clone()).collect();
            cols.entry((*role).to_owned()).or_default().insert(board.id.clone(), ids);
        }
        found.extend(columns.keys().copied());
        if roles.iter().any(|role| role.required && !columns.contains_key(role.name)) {
            unmapped.push(board.id.clone());
            continue;
        }
        let own = own.as_ref().map(|(selection, _)| selection);
        let with_own = |shared: &Arc<Selection>| own.map_or_else(|| shared.clone(), |own| Arc::new(shared.and(own)));
        let selection = if common.include_subitems {
            total += board.rows;
            with_own(&passing.all)
        } else {
            total += board.items();
            let selection = with_own(&passing.without_subitems);
            if board.subitems.is_some() {
                subitems += with_own(&passing.all).count() - selection.count();
            }
            selection
        };
        parts.push(Part { board, selection, columns });
    }
    coverage.boards_used = parts.len();
    coverage.reach = shared.plan.reach(&reach);
    coverage.reach.extend(own_plan.reach(&own_reach.iter().map(Vec::as_slice).collect::<Vec<_>>()));
    if !unmapped.is_empty() {
        coverage.skipped_why.push(Skipped { reason: "unmapped", items: None, boards: unmapped });
    }
    if parts.is_empty() {
        let required: Vec<&'static str> = roles.iter().filter(|r| r.required).map(|r| r.name).collect();
        let nowhere: Vec<&'static str> = required.iter().copied().filter(|name| !found.contains(name)).collect();
        return Err(State::Unmapped { roles: if nowhere.is_empty() { required } else { nowhere } });
    }
    let total = total as u64;
    coverage.skipped_why.extend(Skipped::items("subitem", subitems as u64));
    let input = Input {
        config,
        query: shared.query,
        boards,
        parts,
        include_subitems: common.include_subitems,
        tallies: &shared.tallies,
        across: shared.across,
    };
    Ok((kind, input, total))
}

/// The columns of a board that the configuration names for each role, those of a type that can play it.
fn mapped<'a>(roles: &[Role], cols: &Cols, board: &'a Board) -> BTreeMap<&'static str, Vec<&'a Column>> {
    let mut columns = BTreeMap::new();
    for role in roles {
        let ids = cols.get(role.name).and_then(|by_board| by_board.get(&board.id)).map_or(&[][..], Vec::as_slice);
        let fits = |column: &&Column| role.types.contains(&column.type_name.as_str());
        let found: Vec<&Column> = ids.iter().filter_map(|id| board.column(id)).filter(fits).collect();
        if !found.is_empty() {
            columns.insert(role.name, found);
        }
    }
    columns
}

/// A widget's kind.
pub(crate) fn kind(config: &Value) -> Result<&'static Kind, String> {
    let name = config.get("kind").and_then(Value::as_str).unwrap_or_default();
    KINDS.iter().find(|kind| kind.name == name).ok_or_else(|| format!("unknown kind {name:?}"))
}

/// A widget's configuration in the present form; its settings are told where that is another one.
pub(crate) fn present(config: &Value, told: &mut Option<Value>) -> Value {
    let Some(members) = config.as_object() else { return config.clone() };
    let mut settings = modern(&WidgetAnswer::of(config).kind, members);
    let present = Value::from(settings.clone());
    if present != *config {
        settings.retain(|name, _| name != "id" && name != "kind");
        *told = Some(settings.into());
    }
    present
}

/// The columns that a widget's roles get on boards that are not named for them yet: by the title of the column that plays the
/// role on another board; else one that is called as such columns mostly are; else the board's only column of a likely type.
/// Where nothing says which, the first column of the likeliest type is taken, but for roles that have words of their own.
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
            if let Some(column) = titled.or_else(|| role.called(board)).or_else(only) {
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
    boards.iter().find_map(|board| role.called(board)).or_else(|| role.likely.iter().find_map(likely))
}

/// Types of columns that hold numbers.
const NUMBER_TYPES: &[&str] = &["number", "currency", "rating", "progress"];

/// The form of numbers: the configured one, completed by the mapped columns' settings; with the warning where these differ.
fn settled(format: &Format, parts: &[Part<'_>], role: &str) -> (Format, Option<String>) {
    let mut settled = format.clone();
    let settings: Vec<_> = parts.iter().flat_map(|p| p.columns(role)).map(|c| &c.settings).collect();
    let units: BTreeSet<_> = settings.iter().map(|s| (&s.currency, &s.unit, s.percent.unwrap_or(false))).collect();
    if units.len() > 1 {
        // A person may still say what the sum of them means, but no currency is that of several.
        let currencies: BTreeSet<_> = settings.iter().filter_map(|s| s.currency.as_ref()).collect();
        if currencies.len() > 1 {
            settled.currency = None;
        }
        return (settled, Some("mixed-units".into()));
    }
    let Some(first) = settings.first() else { return (settled, None) };
    if settled.currency.is_none() && settled.percent != Some(true) {
        settled.currency = first.currency.clone();
    }
    if settled.unit.is_none() {
        settled.unit = first.unit.clone();
    }
    if settled.percent.is_none() {
        settled.percent = first.percent.filter(|percent| *percent);
    }
    let decimals: BTreeSet<_> = settings.iter().map(|s| s.decimals).collect();
    if settled.decimals.is_none() && decimals.len() == 1 {
        settled.decimals = first.decimals;
    }
    (settled, None)
}

/// A JSON number, or null for what is none.
fn number(value: Option<f64>) -> Value {
    value.and_then(serde_json::Number::from_f64).map_or(Value::Null, Value::Number)
}

/// A JSON object of the members that there are.
fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(
        members.into_iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k.to_owned(), v)).collect::<Map<_, _>>(),
    )
}
