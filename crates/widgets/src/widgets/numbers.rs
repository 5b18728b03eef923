//! Numbers: one number over all passing items of all boards.

use super::answer::Skipped;
use super::input::{Input, Outcome, Part, settled};
use super::kind::{Kind, Widget, read};
use super::mapping::{NUMBER_TYPES, Role};
use super::measure::Measure;
use super::schema::{format_schema, include_subitems_schema, server_only};
use crate::board::Column;
use crate::column::{Data, Numbers, POWERS};
use crate::derived::{CacheKey, KEYS_MAX};
use crate::filter::{InertRule, LabelReach, OwnList, Plan, Reach};
use crate::format::{Format, Written, write};
use crate::planes::{self, Planes, Pool};
use crate::query::RuleOrGroup;
use crate::raw_result::RawResult;
use crate::selection::Selection;
use crate::tally::{Keyed, Places};
use crate::total::{Cell, Function, Total};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) const KIND: Kind = Kind {
    name: "numbers",
    schema: server_only(schema),
    roles: &[VALUE],
    parts: &[("which", &["met"])],
    keys: 0,
    read: read::<Config>,
};

const VALUE: Role = Role::new("value", "Numbers that the result is computed from.", NUMBER_TYPES, true);

#[derive(Deserialize)]
struct Config {
    #[serde(default = "sum")]
    function: Function,
    #[serde(default)]
    format: Format,
    /// Shows the percentage of the items that meet these rules as well.
    #[serde(default)]
    ratio: Option<Meets>,
    /// Divides the function by how many items meet these rules.
    #[serde(default)]
    per: Option<Meets>,
}

/// Rules that passing items meet or do not.
#[derive(Deserialize)]
struct Meets {
    rules: Vec<RuleOrGroup>,
}

/// The passing items that meet them.
struct Met {
    /// Of each contributing board.
    selections: Vec<Selection>,
    count: u64,
    inert: Vec<InertRule>,
    reach: Vec<Reach>,
    labels: Vec<LabelReach>,
}

impl Meets {
    /// `own` is the list that they are.
    fn met(&self, input: &Input<'_>, own: OwnList) -> Met {
        let plan = Plan::own(input.query, own, &self.rules, &input.boards, input.loaded);
        let (selections, reach): (Vec<Selection>, Vec<Vec<bool>>) = input
            .parts
            .iter()
            .map(|part| {
                let (met, reach) = plan.select_while(part.board, &|| true);
                (part.selection.and(&met), reach)
            })
            .unzip();
        let count = selections.iter().map(|met| met.count() as u64).sum();
        let reach = plan.reach(&reach.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let labels = plan.labels(&(0..input.boards.len()).collect::<Vec<_>>());
        Met { selections, count, inert: plan.inert, reach, labels }
    }
}

/// The reason where a rule of a share, or of what divides, constrains nothing.
const INERT: &str = "inert-rules";

impl Met {
    /// Whether each rule constrains what it was meant to: without that, all would meet it.
    fn is_sound(&self) -> bool {
        self.inert.iter().all(InertRule::holds)
    }
    /// Why nothing can be divided by their number: it is none, or a rule that constrains nothing would make it that of all.
    fn why_not(&self) -> Option<&'static str> {
        if self.is_sound() { (self.count == 0).then_some("none-met") } else { Some(INERT) }
    }
}

fn sum() -> Function {
    Function::Sum
}

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "function": {"enum": ["sum", "average", "median", "min", "max", "count", "countFilled", "distinct"], "default": "sum",
            "description": "Function to compute. Values of all boards are combined."},
        "format": format_schema(), "includeSubitems": include_subitems_schema(),
        "ratio": {"type": "object", "required": ["rules"], "properties": {"rules": {"type": "array"}},
            "description": "Show the percentage of items that match these rules instead of the function. Items don't match if their board lacks a rule's column."},
        "per": {"type": "object", "required": ["rules"], "properties": {"rules": {"type": "array"}},
            "description": "Divide the function by the number of items that match the filters and these rules, such as cost per done item. Not with `ratio`."}}})
}

impl Widget for Config {
    fn roles(&self) -> Vec<Role> {
        let counts_items = self.ratio.is_some() || self.function.is_count();
        if counts_items { Vec::new() } else { vec![VALUE] }
    }

    /// The items that the number is made of; with `{"which": "met"}` those that meet the rules of a share, or by which it is divided.
    fn pick(&self, input: &Input<'_>, part: &Value) -> Result<Vec<Selection>, String> {
        if part["which"] == "met" {
            let share = self.ratio.as_ref().map(|ratio| ratio.met(input, OwnList::Ratio));
            let met = share.or_else(|| self.divisor(input)).ok_or("the widget has no divisor")?;
            return Ok(met.selections);
        }
        if self.ratio.is_some() {
            return Ok(input.only(|_, _| true));
        }
        let has_value = |at: usize, row: usize| {
            let numbers =
                |column: &Column| matches!(&column.data, Data::Numbers(numbers) if numbers.get(row).is_some());
            self.function.is_count() || input.parts[at].columns("value").any(numbers)
        };
        Ok(input.only(has_value))
    }

    fn compute(&self, input: &Input<'_>) -> Outcome {
        if let Some(ratio) = &self.ratio {
            return share(input, self, ratio);
        }
        let passing = input.passing();
        let mut total = Total::default();
        let mut used = passing;
        let placed = placed(input, self.function);
        if let Some((_, filled, items)) = placed {
            (total.filled, used) = (filled, items);
        } else if !self.function.is_count() {
            used = add(&mut total, input, self.function);
        } else {
            total.items = passing;
        }
        let whole = match placed {
            Some((value, ..)) => value,
            None => total.value(self.function),
        };
        let met = self.divisor(input);
        let undivided = met.as_ref().and_then(Met::why_not);
        let value = match &met {
            Some(_) if undivided.is_some() => None,
            Some(met) => whole.map(|value| value / met.count as f64),
            None => whole,
        };
        let (format, warning) = if matches!(self.function, Function::Count | Function::CountFilled | Function::Distinct)
        {
            let decimals = self.per.as_ref().and(self.format.decimals);
            (Format { abbreviate: self.format.abbreviate, decimals, ..Format::default() }, None)
        } else {
            settled(&self.format, &input.parts, "value")
        };
        let empty = total.filled == 0 && !self.function.is_count();
        let caption = (empty && self.function == Function::Sum).then_some("no values");
        let overflow = whole.is_none() && !empty;
        let figure = Figure { per: met.as_ref().map(|met| met.count), ..figure(input, value, &format, caption) };
        let why =
            undivided.map(str::to_owned).into_iter().chain(warning).chain(overflow.then(|| "too-large".to_owned()));
        let (inert, reach, labels) = met.map(|met| (met.inert, met.reach, met.labels)).unwrap_or_default();
        Outcome {
            result: RawResult::new(&figure),
            no_values: value.is_none(),
            items_used: used,
            skipped: Skipped::items("empty-value", passing - used).into_iter().collect(),
            reasons: why.collect(),
            inert,
            reach,
            labels,
            ..Outcome::default()
        }
    }
}

impl Config {
    /// The items by which it is divided.
    fn divisor(&self, input: &Input<'_>) -> Option<Met> {
        self.per.as_ref().map(|per| per.met(input, OwnList::Per))
    }
}

/// What does not depend on the filters.
struct Model {
    measure: Measure,
    /// One for all items.
    whole: Arc<Places>,
}

/// Adds the values of all mapped columns; says how many items have one.
fn add<'a>(total: &mut Total, input: &Input<'a>, function: Function) -> u64 {
    let model = input.model(|| {
        let keyed = |part: &Part<'a>| (Keyed { board: part.board, keys: [const { None }; KEYS_MAX] }, true);
        let whole = Places::new(&input.parts.iter().map(keyed).collect::<Vec<_>>(), &mut |_, _| 0);
        let measure = if function.is_of_sums() { Measure::from_role(input, VALUE.name, true) } else { Measure::Each };
        Model { measure, whole: input.register(whole) }
    });
    match model.measure.cells(input, &model.whole) {
        Some(cells) => {
            cells.each(|_, sums| total.add_sums(sums, model.measure.decimals()));
            total.filled
        }
        None => input.parts.iter().map(|part| add_each(total, part, function)).sum(),
    }
}

/// Adds the values of all columns mapped on a board, one by one.
fn add_each(total: &mut Total, part: &Part<'_>, function: Function) -> u64 {
    let mut numbers = Vec::new();
    let before = total.filled;
    for column in part.columns(VALUE.name) {
        let Data::Numbers(values) = &column.data else { continue };
        numbers.push(values);
        let mut cell = Cell::default();
        part.selection.each(|row| cell.add(values, row, function));
        total.add(&cell, values.decimals(), None);
    }
    if numbers.len() < 2 {
        return total.filled - before;
    }
    let mut used = 0;
    part.selection.each(|row| used += u64::from(numbers.iter().any(|n| n.get(row).is_some())));
    used
}

/// The number that stands at a place of the order of all, where each board has one column of whole numbers; with how many there
/// are, which is how many items have one too.
fn placed(input: &Input<'_>, function: Function) -> Option<(Option<f64>, u64, u64)> {
    if !matches!(function, Function::Median | Function::Min | Function::Max) {
        return None;
    }
    let mut columns = Vec::new();
    for part in &input.parts {
        let mut mapped = part.columns("value");
        let (Some(column), None) = (mapped.next(), mapped.next()) else { return None };
        let Data::Numbers(Numbers::Scaled { values, decimals, .. }) = &column.data else { return None };
        columns.push((part, column.stamp, values, *decimals));
    }
    let most = columns.iter().map(|(.., decimals)| *decimals).max().unwrap_or_default();
    let power = |decimals: u8| POWERS[usize::from(most - decimals)] as i64;
    let bases = columns.iter().map(|(part, stamp, values, decimals)| {
        let power = power(*decimals);
        *part.board.derived.get(CacheKey::Base(*stamp, power), || planes::base(values, power))
    });
    let base = bases.min().unwrap_or_default();
    let boards = columns.iter().map(|(part, stamp, values, decimals)| {
        let power = power(*decimals);
        let planes = part.board.derived.get(CacheKey::Planes(*stamp, power, base), || Planes::new(values, power, base));
        (planes, &*part.selection)
    });
    let pool = Pool::new(boards.collect());
    let told = |number: i64| number as f64 / POWERS[usize::from(most)];
    let nth = |nth: usize| pool.nth(nth).map(told);
    let last = pool.count.saturating_sub(1);
    let value = match function {
        Function::Min => nth(0),
        Function::Max => nth(last),
        _ if pool.count % 2 == 1 => nth(pool.count / 2),
        _ => pool.two(last / 2, pool.count / 2).map(|(lower, upper)| (told(lower) + told(upper)) / 2.0),
    };
    Some((value, pool.count as u64, pool.count as u64))
}

/// 100 times the part of the passing items that meets the rules.
fn share(input: &Input<'_>, config: &Config, ratio: &Meets) -> Outcome {
    let met = ratio.met(input, OwnList::Ratio);
    let base = input.passing();
    // A rule that constrains nothing would show 100 % as if it were known.
    let value = (base > 0 && met.is_sound()).then(|| 100.0 * met.count as f64 / base as f64);
    let format = Format {
        percent: Some(true),
        abbreviate: config.format.abbreviate,
        decimals: config.format.decimals,
        ..Format::default()
    };
    Outcome {
        result: RawResult::new(&figure(input, value, &format, None)),
        no_values: value.is_none(),
        items_used: base,
        reasons: if met.is_sound() { Vec::new() } else { vec![INERT.to_owned()] },
        inert: met.inert,
        reach: met.reach,
        labels: met.labels,
        ..Outcome::default()
    }
}

/// The number as it is told.
#[derive(Serialize)]
struct Figure<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    caption: Option<&'static str>,
    format: &'a Format,
    full: String,
    /// By how many items it is divided.
    #[serde(skip_serializing_if = "Option::is_none")]
    per: Option<u64>,
    text: String,
    value: Option<f64>,
}

fn figure<'a>(input: &Input<'_>, value: Option<f64>, format: &'a Format, caption: Option<&'static str>) -> Figure<'a> {
    let Written { text, full } = write(value.unwrap_or(f64::NAN), format, &input.query.locale);
    Figure { caption, format, full, per: None, text, value }
}
