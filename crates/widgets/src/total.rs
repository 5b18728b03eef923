//! Accumulators: one small cell for each code, added up row by row, merged across boards and sets afterwards.

use crate::column::{NO_INT, Numbers, POWERS};
use serde::{Deserialize, Serialize};

/// What a number is made of several.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Function {
    /// Σ of the values.
    Sum,
    /// Their mean, all boards pooled.
    Average,
    /// The middle one, or the mean of the middle two.
    Median,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// How many items pass.
    Count,
    /// Number of values.
    CountFilled,
    /// How many different values there are.
    Distinct,
}

impl Function {
    /// Whether it is of the items, not of a column's values.
    pub fn is_count(self) -> bool {
        self == Function::Count
    }
    /// Whether counts and sums are all that it is made of.
    pub fn is_of_sums(self) -> bool {
        matches!(self, Function::Sum | Function::Average | Function::Count | Function::CountFilled)
    }
    fn keeps_values(self) -> bool {
        matches!(self, Function::Median | Function::Distinct)
    }
}

/// A sum of floating-point numbers that does not lose the small ones (Neumaier).
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    #[inline]
    pub fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        self.lost += if self.sum.abs() >= value.abs() { (self.sum - sum) + value } else { (value - sum) + self.sum };
        self.sum = sum;
    }
    pub fn value(self) -> f64 {
        // An overflow leaves the correction meaningless.
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

/// What one place came to where only counts and sums of whole numbers are wanted.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sums {
    /// How many items, and above them how many of these have a number: both are changed at once. No engine holds 2^32 items.
    counts: u64,
    /// At the decimals of what was added up.
    whole: i64,
}

/// What an item adds to the counts, and what one with a number adds.
const ITEM: u64 = 1;
const FILLED: u64 = ITEM | 1 << 32;

impl Sums {
    /// Adds a row's scaled number.
    #[inline(always)]
    pub fn add(&mut self, value: i32) {
        let is_filled = value != NO_INT;
        self.counts += if is_filled { FILLED } else { ITEM };
        self.whole += if is_filled { i64::from(value) } else { 0 };
    }
    /// Adds so many rows of which nothing but their number is wanted.
    #[inline(always)]
    pub fn add_items(&mut self, items: u64) {
        self.counts += items;
    }
    /// Adds what another place came to, its numbers times a power.
    pub fn merge_times(&mut self, other: &Sums, power: i64) {
        self.counts += other.counts;
        self.whole += other.whole * power;
    }
    /// Takes that away again.
    pub fn take_times(&mut self, other: &Sums, power: i64) {
        self.counts -= other.counts;
        self.whole -= other.whole * power;
    }
    /// Adds what another place came to.
    #[inline(always)]
    pub fn merge(&mut self, other: &Sums) {
        self.counts += other.counts;
        self.whole += other.whole;
    }
    pub fn items(&self) -> u64 {
        self.counts & u64::from(u32::MAX)
    }
    /// How many of the items have a number.
    pub fn filled(&self) -> u64 {
        self.counts >> 32
    }
    #[cfg(test)]
    pub fn whole(&self) -> i64 {
        self.whole
    }
}

/// What one code of one board and column came to.
#[derive(Clone, Default)]
pub(crate) struct Cell {
    pub items: u32,
    filled: u32,
    /// At the column's own decimals.
    whole: i64,
    float: Compensated,
    min: f64,
    max: f64,
    values: Vec<f64>,
}

impl Cell {
    /// How many of its items have a number.
    pub fn filled(&self) -> u32 {
        self.filled
    }
    /// Adds a row's scaled number.
    #[inline]
    pub fn add_scaled(&mut self, value: i32, decimals: u8, function: Function) {
        if value == NO_INT {
            return;
        }
        self.whole += i64::from(value);
        match function {
            Function::Sum | Function::Average | Function::CountFilled | Function::Count => self.filled += 1,
            _ => self.note(f64::from(value) / POWERS[usize::from(decimals)], function),
        }
    }
    /// Adds a row's number.
    #[inline]
    pub fn add_float(&mut self, value: f64, function: Function) {
        if !value.is_nan() {
            self.float.add(value);
            self.note(value, function);
        }
    }
    fn note(&mut self, value: f64, function: Function) {
        let first = self.filled == 0;
        self.min = if first { value } else { self.min.min(value) };
        self.max = if first { value } else { self.max.max(value) };
        self.filled += 1;
        if function.keeps_values() {
            self.values.push(value);
        }
    }
    /// Adds the number of a row of a column.
    #[inline]
    pub fn add(&mut self, numbers: &Numbers, row: usize, function: Function) {
        match numbers {
            Numbers::Scaled { values, decimals, .. } => self.add_scaled(values[row], *decimals, function),
            Numbers::Float(values) => self.add_float(values[row], function),
        }
    }
}

/// What cells of any boards came to together.
#[derive(Clone, Default)]
pub(crate) struct Total {
    pub items: u64,
    pub filled: u64,
    /// In ten-thousandths: exact, whatever the order and the columns' decimals.
    whole: i128,
    float: Compensated,
    min: f64,
    max: f64,
    values: Vec<f64>,
    /// Counted and summed in parts, where an item of several people is divided among them.
    parts: Option<(Compensated, Compensated, Compensated)>,
}

impl Total {
    /// Adds a cell whose column has so many decimals; `share` divides its items among several.
    pub fn add(&mut self, cell: &Cell, decimals: u8, share: Option<f64>) {
        let whole = i128::from(cell.whole) * i128::from(POWERS[4 - usize::from(decimals)] as i64);
        if let Some(share) = share {
            let (items, filled, sum) = self.parts.get_or_insert_default();
            items.add(f64::from(cell.items) * share);
            filled.add(f64::from(cell.filled) * share);
            sum.add((whole as f64 / POWERS[4] + cell.float.value()) * share);
        }
        self.absorb(
            u64::from(cell.items),
            u64::from(cell.filled),
            whole,
            cell.float,
            (cell.min, cell.max),
            &cell.values,
        );
    }
    /// Adds sums of a column with so many decimals.
    pub fn add_sums(&mut self, sums: &Sums, decimals: u8) {
        self.items += sums.items();
        self.filled += sums.filled();
        self.whole += i128::from(sums.whole) * i128::from(POWERS[4 - usize::from(decimals)] as i64);
    }
    /// Adds another total.
    pub fn merge(&mut self, other: &Total) {
        if let Some((items, filled, sum)) = &other.parts {
            let mine = self.parts.get_or_insert_default();
            mine.0.add(items.value());
            mine.1.add(filled.value());
            mine.2.add(sum.value());
        }
        self.absorb(other.items, other.filled, other.whole, other.float, (other.min, other.max), &other.values);
    }
    fn absorb(
        &mut self,
        items: u64,
        filled: u64,
        whole: i128,
        float: Compensated,
        (min, max): (f64, f64),
        values: &[f64],
    ) {
        if filled > 0 {
            let first = self.filled == 0;
            self.min = if first { min } else { self.min.min(min) };
            self.max = if first { max } else { self.max.max(max) };
        }
        self.items += items;
        self.filled += filled;
        self.whole += whole;
        self.float.add(float.sum);
        self.float.add(float.lost);
        if !values.is_empty() {
            self.values.extend_from_slice(values);
        }
    }
    /// The function's value; `None` where there are no values to make it of, or it is too large for a number.
    pub fn value(&self, function: Function) -> Option<f64> {
        let (items, filled, sum) = match &self.parts {
            Some((items, filled, sum)) => (items.value(), filled.value(), sum.value()),
            None => (self.items as f64, self.filled as f64, self.sum()),
        };
        let value = match function {
            Function::Count => items,
            Function::CountFilled => filled,
            Function::Sum => sum,
            Function::Distinct => {
                let mut bits: Vec<u64> = self.values.iter().map(|v| (v + 0.0).to_bits()).collect();
                bits.sort_unstable();
                bits.dedup();
                bits.len() as f64
            }
            _ if self.filled == 0 => return None,
            Function::Average => sum / filled,
            Function::Min => self.min,
            Function::Max => self.max,
            Function::Median => median(&mut self.values.clone()),
        };
        // -0 is 0.
        Some(value + 0.0).filter(|v| v.is_finite())
    }
    fn sum(&self) -> f64 {
        let whole = match i64::try_from(self.whole) {
            // A single division where it is exact gives the decimal that a person would write.
            Ok(whole) if whole.unsigned_abs() < 1 << 53 => whole as f64 / 10_000.0,
            _ => (self.whole / 10_000) as f64 + (self.whole % 10_000) as f64 / 10_000.0,
        };
        if self.float.sum == 0.0 && self.float.lost == 0.0 {
            return whole;
        }
        let mut sum = self.float;
        sum.add(whole);
        sum.value()
    }
}

/// Totals by place. What is summed up of whole numbers stays in small sums until it is asked for.
pub(crate) struct Ledger {
    sums: Vec<Sums>,
    /// Decimals of the numbers in the sums.
    decimals: u8,
    /// What is not in the sums; empty where all is.
    totals: Vec<Total>,
}

impl Ledger {
    /// With sums of numbers with so many decimals.
    pub fn new(places: usize, decimals: u8) -> Ledger {
        Ledger { sums: vec![Sums::default(); places], decimals, totals: Vec::new() }
    }
    fn totals(&mut self) -> &mut [Total] {
        if self.totals.is_empty() {
            self.totals.resize(self.sums.len(), Total::default());
        }
        &mut self.totals
    }
    #[inline]
    pub fn merge(&mut self, at: usize, sums: &Sums) {
        self.sums[at].merge(sums);
    }
    /// Adds a cell, as `Total::add` does.
    pub fn add(&mut self, at: usize, cell: &Cell, decimals: u8, share: Option<f64>) {
        self.totals()[at].add(cell, decimals, share);
    }
    /// Another place.
    pub fn push(&mut self) -> usize {
        self.sums.push(Sums::default());
        if !self.totals.is_empty() {
            self.totals.push(Total::default());
        }
        self.sums.len() - 1
    }
    pub fn items(&self, at: usize) -> u64 {
        self.sums[at].items() + self.totals.get(at).map_or(0, |total| total.items)
    }
    /// Adds what is at a place to a total.
    pub fn add_to(&self, total: &mut Total, at: usize) {
        total.add_sums(&self.sums[at], self.decimals);
        if let Some(other) = self.totals.get(at) {
            total.merge(other);
        }
    }
    pub fn total(&self, at: usize) -> Total {
        let mut total = Total::default();
        self.add_to(&mut total, at);
        total
    }
}

fn median(values: &mut [f64]) -> f64 {
    let odd = values.len() % 2 == 1;
    let (below, upper, _) = values.select_nth_unstable_by(values.len() / 2, f64::total_cmp);
    if odd {
        return *upper;
    }
    let lower = below.iter().copied().max_by(f64::total_cmp).unwrap_or(*upper);
    // Two large numbers could be too large together.
    let sum = lower + *upper;
    if sum.is_finite() { sum / 2.0 } else { lower / 2.0 + *upper / 2.0 }
}
