//! Which of a date's numbers is the day, where the dates of a column do not tell.

use super::infer::{DAY_FIRST, Judge, MONTH_FIRST, SPAN, Seen};
use super::values::DateOrder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the day or the month stands first in dates such as 01/02/2026.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DayOrder {
    /// 31/12/2026.
    DayFirst,
    /// 12/31/2026.
    MonthFirst,
}

impl DayOrder {
    fn first(self) -> &'static str {
        match self {
            DayOrder::DayFirst => "day",
            DayOrder::MonthFirst => "month",
        }
    }
}

impl From<DayOrder> for DateOrder {
    fn from(order: DayOrder) -> DateOrder {
        match order {
            DayOrder::DayFirst => DateOrder::DayFirst,
            DayOrder::MonthFirst => DateOrder::MonthFirst,
        }
    }
}

/// The order that columns with plain dates have, where all of them agree.
pub(crate) fn decisive_order(columns: &[Seen]) -> Option<DayOrder> {
    let plain = |seen: &Seen| {
        let alive = seen.alive | seen.alive >> SPAN;
        match (alive & DAY_FIRST != 0, alive & MONTH_FIRST != 0) {
            (true, false) => Some(DayOrder::DayFirst),
            (false, true) => Some(DayOrder::MonthFirst),
            (true, true) if !seen.undotted => Some(DayOrder::DayFirst),
            _ => None,
        }
    };
    let mut orders = columns.iter().filter(|seen| seen.typed()).filter_map(plain);
    let first = orders.next()?;
    orders.all(|order| order == first).then_some(first)
}

/// Whether the first sign between the numbers of a date is a point, as where the day stands first.
pub(crate) fn is_dotted(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    text.trim_start_matches(|c| !is_digit(c)).trim_start_matches(is_digit).starts_with('.')
}

impl Judge<'_> {
    /// The order of a column whose dates read both ways; what the person should know of it, and whether it may be chosen.
    pub(super) fn between(&self, seen: &Seen) -> (DateOrder, Option<String>, Option<DayOrder>) {
        let (order, how) = if let Some(chosen) = self.chosen_order {
            (chosen, "No date here tells day from month; the {} comes first, as was chosen.")
        } else if !seen.undotted {
            return (DateOrder::DayFirst, None, None);
        } else if let Some(order) = self.date_order {
            (order, "No date here tells day from month; the {} was taken to come first, as in the file's other dates.")
        } else {
            let usual = if self.shape.dialect.delimiter == b';' { DayOrder::DayFirst } else { DayOrder::MonthFirst };
            (usual, "Ambiguous: no date here tells day from month; the {} was taken to come first.")
        };
        (order.into(), Some(how.replace("{}", order.first())), Some(order))
    }
}
