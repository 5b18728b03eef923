//! Numbers: one number over all passing items of all boards.

use super::{Input, Kind, NUMBER_TYPES, Outcome, Role, Skipped, Told, Widget, read, settled, told};
use crate::board::Column;
use crate::column::{Data, Numbers, POWERS};
use crate::derived::Of;
use crate::filter::Plan;
use crate::format::{Format, Written, write};
use crate::planes::{self, Planes, Pool};
use crate::query::RuleOrGroup;
use crate::selection::Selection;
use crate::tally::{Addends, Keyed};
use crate::total::{Cell, Function, Sums, Total};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(super) const KIND: Kind = Kind { name: "numbers", schema: told(schema), keys: 0, read: read::<Config> };

#[derive(Deserialize)]
struct Config {
    #[serde(default = "sum")]
    function: Function,
    #[serde(default)]
    format: Format,
    /// Shows the percentage of the items that meet these rules as well.
    #[serde(default)]
    ratio: Option<Ratio>,
}

#[derive(Deserialize)]
struct Ratio {
    rules: Vec<RuleOrGroup>,
}

fn sum() -> Function {
    Function::Sum
}

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "function": {"enum": ["sum", "average", "median", "min", "max", "count", "countFilled", "distinct"], "default": "sum",
            "description": "What the number is. Values of all boards are pooled."},
        "format": super::chart::format_schema(), "includeSubitems": super::include_subitems_schema(),
        "ratio": {"type": "object", "required": ["rules"], "properties": {"rules": {"type": "array"}},
            "description": "Shows 100 times the share of items that meet these rules instead of the function."}}})
}

impl Widget for Config {
    fn roles(&self) -> Vec<Role> {
        let counts_items = self.ratio.is_some() || self.function.is_count();
        if counts_items { Vec::new() } else { vec![Role::new("value", NUMBER_TYPES, true)] }
    }

    /// The items that the number is made of; of a share, with `{"which": "met"}` those that meet its rules.
    fn pick(&self, input: &Input<'_>, part: &Value) -> Result<Vec<Selection>, String> {
        if let Some(ratio) = &self.ratio {
            let plan = Plan::new(input.query, None, &ratio.rules, &input.boards);
            let met = |p: &super::Part<'_>| match part["which"] == "met" {
                true => p.selection.and(&plan.select(p.board)),
                false => Selection::clone(&p.selection),
            };
            return Ok(input.parts.iter().map(met).collect());
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
            used = 0;
            for part in &input.parts {
                used += add(&mut total, input, part, self.function);
            }
        } else {
            total.items = passing;
        }
        let value = match placed {
            Some((value, ..)) => value,
            None => total.value(self.function),
        };
        let (format, warning) = if matches!(self.function, Function::Count | Function::CountFilled | Function::Distinct)
        {
            (Format { abbreviate: self.format.abbreviate, ..Format::default() }, None)
        } else {
            settled(&self.format, &input.parts, "value")
        };
        let empty = total.filled == 0 && !self.function.is_count();
        let caption = (empty && self.function == Function::Sum).then_some("no values");
        let overflow = value.is_none() && !empty;
        Outcome {
            result: result(input, value, &format, caption),
            no_values: value.is_none(),
            items_used: used,
            skipped: Skipped::items("empty-value", passing - used).into_iter().collect(),
            reasons: warning.into_iter().chain(overflow.then(|| "too-large".to_owned())).collect(),
            ..Outcome::default()
        }
    }
}

/// Adds the values of all columns mapped on a board; says how many items have one.
fn add(total: &mut Total, input: &Input<'_>, part: &super::Part<'_>, function: Function) -> u64 {
    let mut numbers = Vec::new();
    let before = total.filled;
    for column in part.columns("value") {
        let Data::Numbers(values) = &column.data else { continue };
        numbers.push(values);
        let mut cell = Cell::default();
        match Addends::of(column) {
            Some(addends) if function.is_of_sums() => {
                let keyed = Keyed { board: part.board, keys: [None, None, None] };
                let mut sums = Sums::default();
                input.tallies.of(&part.selection, &keyed, Some(addends)).each(|_, some| sums.merge(some));
                cell = sums.into();
            }
            _ => part.selection.each(|row| cell.add(values, row, function)),
        }
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
        *part.board.derived.get(Of::Base(*stamp, power), || planes::base(values, power))
    });
    let base = bases.min().unwrap_or_default();
    let boards = columns.iter().map(|(part, stamp, values, decimals)| {
        let power = power(*decimals);
        let planes = part.board.derived.get(Of::Planes(*stamp, power, base), || Planes::new(values, power, base));
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
fn share(input: &Input<'_>, config: &Config, ratio: &Ratio) -> Outcome {
    let plan = Plan::new(input.query, None, &ratio.rules, &input.boards);
    let base = input.passing();
    let met: u64 = input.parts.iter().map(|p| p.selection.and(&plan.select(p.board)).count() as u64).sum();
    // A rule that constrains nothing would show 100 % as if it were known.
    let value = (base > 0 && plan.inert.is_empty()).then(|| 100.0 * met as f64 / base as f64);
    let format = Format {
        percent: Some(true),
        abbreviate: config.format.abbreviate,
        decimals: config.format.decimals,
        ..Format::default()
    };
    Outcome {
        result: result(input, value, &format, None),
        no_values: value.is_none(),
        items_used: base,
        inert: plan.inert,
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
    text: String,
    value: Option<f64>,
}

fn result(input: &Input<'_>, value: Option<f64>, format: &Format, caption: Option<&'static str>) -> Option<Told> {
    let Written { text, full } = write(value.unwrap_or(f64::NAN), format, &input.query.locale);
    Told::of(&Figure { caption, format, full, text, value })
}
