//! What the items of a widget are added up by: how many they are, or the numbers of a column of each board.

use super::input::{Input, Part};
use crate::board::Column;
use crate::column::{Data, NO_INT, Numbers, POWERS};
use crate::tally::{Addends, Cells, Places};
use std::sync::Arc;

/// It depends on no filter.
pub(super) enum Measure {
    /// How many they are.
    Items,
    /// Whole numbers of one column of each board, which add up exactly.
    Sums {
        role: &'static str,
        columns: Arc<[u64]>,
        /// By what each board's are multiplied, so that all have as many decimals.
        powers: Vec<i64>,
        decimals: u8,
    },
    /// Others: each is looked at by itself.
    Each,
}

/// The whole numbers of a board's column.
fn whole<'a>(part: &Part<'a>, role: &str) -> Option<(&'a Column, &'a [i32], u8, bool)> {
    let mut columns = part.columns(role);
    let (Some(column), None) = (columns.next(), columns.next()) else { return None };
    match &column.data {
        Data::Numbers(Numbers::Scaled { values, decimals, negative }) => Some((column, values, *decimals, *negative)),
        _ => None,
    }
}

impl Measure {
    /// By the numbers of the columns that play a role, if it plays any. Where numbers below zero count for nothing they are no sums.
    pub fn from_role(input: &Input<'_>, role: &'static str, may_be_negative: bool) -> Measure {
        if input.parts.iter().all(|part| part.column(role).is_none()) {
            return Measure::Items;
        }
        let columns: Option<Vec<_>> = input.parts.iter().map(|part| whole(part, role)).collect();
        let Some(columns) = columns.filter(|all| may_be_negative || all.iter().all(|(.., negative)| !negative)) else {
            return Measure::Each;
        };
        let decimals = columns.iter().map(|(_, _, decimals, _)| *decimals).max().unwrap_or_default();
        let power = |of: u8| POWERS[usize::from(decimals - of)] as i64;
        // Numbers of few decimals may be too large with more.
        let most = |values: &[i32], power: i64| match power {
            1 => i128::from(u32::MAX),
            _ => {
                let sizes = values.iter().filter(|value| **value != NO_INT).map(|value| value.unsigned_abs());
                i128::from(sizes.max().unwrap_or_default()) * i128::from(power)
            }
        };
        let all: i128 = columns.iter().map(|(_, values, of, _)| most(values, power(*of)) * values.len() as i128).sum();
        if all > i128::from(i64::MAX) {
            return Measure::Each;
        }
        Measure::Sums {
            role,
            columns: columns.iter().map(|(column, ..)| column.stamp).collect(),
            powers: columns.iter().map(|(_, _, of, _)| power(*of)).collect(),
            decimals,
        }
    }
    /// What the passing items at each of some places come to; nothing where each number has to be looked at.
    pub fn cells<'a>(&self, input: &Input<'a>, places: &Arc<Places>) -> Option<Arc<Cells>> {
        match self {
            Measure::Items => Some(input.tallies.cells(places, None)),
            Measure::Sums { role, columns, powers, .. } => {
                let values = |(part, power): (&Part<'a>, &i64)| Some((whole(part, role)?.1, *power));
                let values = input.parts.iter().zip(powers).map(values).collect::<Option<Vec<_>>>()?;
                Some(input.tallies.cells(places, Some(&Addends { columns: columns.clone(), values })))
            }
            Measure::Each => None,
        }
    }
    pub fn is_of_items(&self) -> bool {
        matches!(self, Measure::Items)
    }
    /// Decimals of the sums.
    pub fn decimals(&self) -> u8 {
        if let Measure::Sums { decimals, .. } = self { *decimals } else { 0 }
    }
}
