//! Formula columns: formulas are parsed into a checked tree, and each result is stored as a cell.
//!
//! Invariants: a formula is stored with column IDs, never titles. Results are computed in the transaction that changes
//! their inputs; on large boards and for counts of linked items that left or returned (`counted`), in batches right
//! after it (`recompute`). Formulas have no cycles. A formula's run time is bounded by its size, whatever the cells
//! hold.

mod check;
mod counted;
mod eval;
mod functions;
mod help;
mod ops;
mod parse;
#[cfg(test)]
mod tests;
mod types;
mod value;

use crate::cells::Column;
use crate::errors::{BOARD_LIMIT, FORMULA_CYCLE, INVALID_FORMULA};
use crate::item::Record;
use crate::presence::Presence;
use column_types::{ColumnType, FormulaResult, Settings};
pub use help::formulas_md;
use kit::error::Result;
pub(crate) use ops::{functions, get, preview};
pub use parse::CHARS_MAX;
use serde_json::Value as Json;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use store::Tx;

use check::{Field, Node, Scope, Source};
use counted::Item;
use parse::Problem;
use types::Type;
use value::{Value, Why, Work};

/// Represents the owner as an item's author, as in filters.
const OWNER: &str = "owner";
/// Formula columns of a board.
pub const FORMULAS_MAX: usize = 50;

/// One formula, read.
struct Formula {
    column_id: String,
    outcome: std::result::Result<Node, Problem>,
    gives: Option<FormulaResult>,
    fields: Vec<Field>,
}

/// A board's formulas in dependency order, for one transaction. Whether counted items exist is read only once; if that
/// changes within the transaction, `recount_after` recomputes them.
pub(crate) struct Formulas(Vec<Formula>, RefCell<Presence>);

pub(crate) fn formula_of(column: &Column) -> Option<&str> {
    (column.kind == Some(ColumnType::Formula)).then(|| column.settings.formula.as_deref().unwrap_or_default())
}

impl Formulas {
    /// Parses all formulas. A formula that can't be computed stays, with its error; its cells are empty.
    pub(crate) fn new(columns: &[Column]) -> Formulas {
        let mut read = Reading { columns, results: HashMap::new(), open: HashSet::new(), list: Vec::new() };
        for column in columns {
            read.add(column);
        }
        Formulas(read.list, RefCell::default())
    }

    /// Computes the results for an item, as it is to be stored, and puts them into its cells; whether any is another than
    /// before.
    pub(crate) fn apply(&self, tx: &mut Tx<'_>, account: &str, record: &mut Record) -> Result<bool> {
        if self.0.is_empty() {
            return Ok(false);
        }
        let item = Item::load(tx, account, record, self)?;
        let results: Vec<Option<Json>> = self.values(&item, &mut Work::default()).iter().map(Value::stored).collect();
        let mut changed = false;
        for (formula, result) in self.0.iter().zip(results) {
            if record.cells.get(&formula.column_id) == result.as_ref() {
                continue;
            }
            changed = true;
            match result {
                Some(result) => record.cells.insert(formula.column_id.clone(), result),
                None => record.cells.remove(&formula.column_id),
            };
        }
        Ok(changed)
    }

    fn values<'a>(&'a self, item: &Item<'a>, work: &mut Work) -> Vec<Value<'a>> {
        let mut done: Vec<Value<'a>> = Vec::with_capacity(self.0.len());
        for formula in &self.0 {
            let value = match &formula.outcome {
                Ok(node) => {
                    let fields = formula.fields.iter().enumerate();
                    let fields: Vec<_> = fields.map(|(at, field)| read(at, field, item, &done)).collect();
                    eval::eval(node, &fields, work)
                }
                Err(_) => Value::Nothing(Why::Broken),
            };
            // A result is the text of its list of tags, so that formulas that use it see what the cell holds.
            let value = match value {
                Value::List(_) => work.text(value.as_text().into_owned()),
                value => value,
            };
            done.push(work.result(value));
        }
        done
    }

    /// The type of a formula's results; `None` where it can't be computed.
    pub(crate) fn gives(&self, column_id: &str) -> Option<FormulaResult> {
        self.0.iter().find(|formula| formula.column_id == column_id)?.gives
    }

    /// The result of one column for an item, or why there is none.
    fn explained(&self, column_id: &str, item: &Item<'_>) -> (Option<Json>, Option<String>) {
        let Some(at) = self.0.iter().position(|formula| formula.column_id == column_id) else { return (None, None) };
        let formula = &self.0[at];
        let reason = match (&formula.outcome, &self.values(item, &mut Work::default())[at]) {
            (Err(problem), _) => problem.says.clone(),
            (Ok(_), Value::Nothing(why)) => why.says(|field| match formula.fields.get(field) {
                Some(field) if matches!(field.source, Source::Name) => field.title.clone(),
                Some(field) => format!("“{}”", field.title),
                None => "A cell".to_owned(),
            }),
            (Ok(_), value) => return (value.stored(), value.is_empty().then(|| "The text is empty.".to_owned())),
        };
        (None, Some(reason))
    }

    /// Why a column's formula cannot be computed, or one that it uses.
    fn problem(&self, column_id: &str) -> Option<String> {
        let formula = self.0.iter().find(|formula| formula.column_id == column_id)?;
        if let Err(problem) = &formula.outcome {
            return Some(problem.says.clone());
        }
        // Those that it uses stand before it.
        formula.fields.iter().find_map(|field| match field.source {
            Source::Result(place) => {
                let says = self.problem(&self.0[place].column_id)?;
                Some(format!("Can't compute “{}”: {says}", field.title))
            }
            _ => None,
        })
    }
}

/// The value of a field for an item.
fn read<'a>(at: usize, field: &'a Field, item: &Item<'a>, done: &[Value<'a>]) -> Value<'a> {
    let record = item.record;
    let cell = match &field.source {
        Source::Name => return Value::Text(Cow::Borrowed(&record.name)),
        Source::Result(place) => {
            return match &done[*place] {
                Value::Nothing(Why::Empty(_) | Why::NotChosen) if field.kind == Type::Text => Value::Text("".into()),
                Value::Nothing(Why::Empty(_) | Why::NotChosen) => Value::Nothing(Why::Empty(at)),
                value => value.clone(),
            };
        }
        Source::Day(of) => {
            let day = of.instant(record).get(..10).and_then(column_types::dates::parse_iso);
            return day.map_or(Value::Nothing(Why::Empty(at)), Value::Date);
        }
        Source::Person(of) => return Value::Text(Cow::Borrowed(of.by(record).unwrap_or(OWNER))),
        Source::Linked(id, _) => return Value::Linked(item.linked(id)),
        Source::Cell(id) => record.cells.get(id),
        Source::Label(id, texts) => {
            let text = record.cells.get(id).and_then(Json::as_str).map(|id| texts.get(id).map_or(id, String::as_str));
            return Value::Text(Cow::Borrowed(text.unwrap_or_default()));
        }
    };
    let day = |text: Option<&Json>| text.and_then(Json::as_str).and_then(column_types::dates::parse_iso);
    match (field.kind, cell) {
        (Type::Text | Type::Person, cell) => {
            Value::Text(Cow::Borrowed(cell.and_then(Json::as_str).unwrap_or_default()))
        }
        (Type::Truth, cell) => Value::Truth(cell.and_then(Json::as_bool).unwrap_or_default()),
        (Type::Tags | Type::List, cell) => {
            Value::List(cell.and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default())
        }
        (Type::Number, Some(cell)) => cell.as_f64().map_or(Value::Nothing(Why::Empty(at)), Value::number),
        (Type::Date, cell) => day(cell).map_or(Value::Nothing(Why::Empty(at)), Value::Date),
        (Type::Span, Some(cell)) => match (day(cell.get("from")), day(cell.get("to"))) {
            (Some(from), Some(to)) => Value::Span(from, to),
            _ => Value::Nothing(Why::Empty(at)),
        },
        (_, None) => Value::Nothing(Why::Empty(at)),
    }
}

/// Reads formulas, each after those that it uses.
struct Reading<'a> {
    columns: &'a [Column],
    results: HashMap<&'a str, (usize, Type)>,
    open: HashSet<&'a str>,
    list: Vec<Formula>,
}

impl<'a> Reading<'a> {
    // As deep as formulas use each other, which is at most as many as a board may have.
    fn add(&mut self, column: &'a Column) {
        let Some(stored) = formula_of(column) else { return };
        if self.results.contains_key(column.id.as_str()) || !self.open.insert(&column.id) {
            return;
        }
        for id in parse::references(stored) {
            if let Some(used) = self.columns.iter().find(|column| column.id == id) {
                self.add(used);
            }
        }
        let mut scope = Scope { columns: self.columns, results: &self.results, fields: Vec::new() };
        let checked = parse::tree(stored).and_then(|tree| {
            let (node, kind) = check::check(&tree, &tree.root, &mut scope)?;
            let gives = kind.result().ok_or_else(|| Problem::new(0, stored.len(), kind.no_result()))?;
            Ok((node, gives))
        });
        let fields = scope.fields;
        let gives = checked.as_ref().ok().map(|(_, gives)| *gives);
        let kind = Type::from_result(gives.or(column.settings.result).unwrap_or(FormulaResult::Text));
        self.results.insert(&column.id, (self.list.len(), kind));
        let outcome = checked.map(|(node, _)| node);
        self.list.push(Formula { column_id: column.id.clone(), outcome, gives, fields });
    }
}

/// Where a formula leads back to a column, the titles on the way; `uses` are the columns that the column is to use.
fn cycle(column: &Column, uses: &[&str], columns: &[Column]) -> Option<Vec<String>> {
    fn seek<'a>(
        id: &'a str,
        goal: &str,
        columns: &'a [Column],
        seen: &mut HashSet<&'a str>,
        path: &mut Vec<String>,
    ) -> bool {
        if id == goal {
            return true;
        }
        let Some(column) = columns.iter().find(|column| column.id == id) else { return false };
        if !seen.insert(id) {
            return false;
        }
        path.push(column.title.clone());
        let stored = formula_of(column).unwrap_or_default();
        if parse::references(stored).into_iter().any(|next| seek(next, goal, columns, seen, path)) {
            return true;
        }
        path.pop();
        false
    }
    let mut seen = HashSet::new();
    uses.iter().find_map(|id| {
        let mut path = vec![column.title.clone()];
        seek(id, &column.id, columns, &mut seen, &mut path).then(|| {
            path.push(column.title.clone());
            path
        })
    })
}

/// A formula that was written, ready to be stored.
struct Written {
    stored: String,
    gives: FormulaResult,
}

/// Parses the formula typed for a column; `others` are the board's other columns.
fn written(
    typed: &str,
    column: &Column,
    others: &[Column],
) -> std::result::Result<Written, (Problem, Option<Vec<String>>)> {
    let mut all = others.to_vec();
    all.push(column.clone());
    let stored = parse::stored(typed, &all).map_err(|problem| (problem, None))?;
    let uses = parse::references(&stored.text);
    if let Some(path) = cycle(column, &uses, others) {
        let says = format!("The formula depends on itself: {}.", path.join(" → "));
        return Err((Problem::new(0, typed.len(), says), Some(path)));
    }
    let own = all.last_mut().expect("it was put there");
    own.settings.formula = Some(stored.text.clone());
    let formulas = Formulas::new(&all);
    let formula = formulas.0.iter().find(|formula| formula.column_id == column.id);
    match formula.map(|formula| (&formula.outcome, formula.gives)) {
        Some((Ok(_), Some(gives))) => Ok(Written { stored: stored.text, gives }),
        Some((Err(problem), _)) => Err((stored.typed(problem.clone()), None)),
        _ => Err((Problem::new(0, typed.len(), "Invalid formula."), None)),
    }
}

/// Converts the settings of a formula column to their stored form with the result type; other settings pass unchanged.
/// `others` are the board's other columns.
pub(crate) fn settings(
    id: &str,
    title: &str,
    kind: ColumnType,
    settings: Settings,
    others: &[Column],
) -> Result<Settings> {
    if kind != ColumnType::Formula {
        return Ok(settings);
    }
    let mut column = new_column(id, title, settings);
    if others.iter().filter(|other| other.kind == column.kind).count() >= FORMULAS_MAX {
        return Err(BOARD_LIMIT.error(format!("A board can have up to {FORMULAS_MAX} formula columns.")));
    }
    let typed = column.settings.formula.take().unwrap_or_default();
    match written(&typed, &column, others) {
        Ok(Written { stored, gives }) => Ok(Settings { formula: Some(stored), result: Some(gives), ..column.settings }),
        Err((problem, path)) => {
            let at = typed.get(..problem.at).unwrap_or(&typed).chars().count();
            let detail = format!("At character {}: {}", at + 1, problem.says);
            let code = if path.is_some() { &FORMULA_CYCLE } else { &INVALID_FORMULA };
            let error = code.error(detail.clone()).at("/settings/formula", code.fault(), detail).with("at", at);
            Err(path.into_iter().fold(error, |error, path| error.with("path", path)))
        }
    }
}

/// A formula column that is not stored yet.
fn new_column(id: &str, title: &str, settings: Settings) -> Column {
    Column {
        id: id.to_owned(),
        title: title.to_owned(),
        type_name: ColumnType::Formula.name().to_owned(),
        settings_json: String::new(),
        kind: Some(ColumnType::Formula),
        settings,
    }
}

/// Whether any formula of the board uses a column, itself or by way of others.
pub(crate) fn is_used(column_id: &str, columns: &[Column]) -> bool {
    columns.iter().filter_map(formula_of).any(|stored| parse::references(stored).contains(&column_id))
}
