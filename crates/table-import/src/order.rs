//! Which of a date's numbers is the day, where the dates of a column do not tell.

use crate::infer::{DAY_FIRST, Judge, MONTH_ALWAYS, MONTH_FIRST, SPAN, Seen};
use column_types::values::DateOrder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Order of day and month in dates such as 01/02/2026.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DayOrder {
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

/// The order that columns with plain dates have, where all of them agree.
pub fn decisive_order(columns: &[Seen]) -> Option<DayOrder> {
    let plain = |seen: &Seen| {
        let alive = seen.alive | seen.alive >> SPAN;
        match (alive & DAY_FIRST != 0, alive & (MONTH_FIRST | MONTH_ALWAYS) != 0) {
            (true, false) => Some(DayOrder::DayFirst),
            (false, true) => Some(DayOrder::MonthFirst),
            (true, true) if seen.dotted => Some(DayOrder::DayFirst),
            _ => None,
        }
    };
    let mut orders = columns.iter().filter(|seen| seen.typed()).filter_map(plain);
    let first = orders.next()?;
    orders.all(|order| order == first).then_some(first)
}

/// The sign between the numbers of a date, where all of it is numbers and it does not begin with the year.
pub fn sign_of_date(text: &str) -> Option<char> {
    let is_digit = |c: char| c.is_ascii_digit();
    let text = text.trim_start_matches(|c| !is_digit(c));
    let rest = text.trim_start_matches(is_digit);
    let (sign, is_small) = (rest.chars().next()?, text.len() - rest.len() <= 2);
    let goes_on = rest[sign.len_utf8()..].starts_with(is_digit);
    (is_small && goes_on && matches!(sign, '.' | '/' | '-')).then_some(sign)
}

impl Judge<'_> {
    /// The order of day and month in a column whose dates fit both. With `always`, dates with points are ambiguous too.
    /// Returns a note for the user, and whether the order can be chosen.
    pub fn between(&self, seen: &Seen, always: bool) -> (DateOrder, Option<String>, Option<DayOrder>) {
        let is_open = seen.undotted || (seen.dotted && always);
        let (order, how) = if let Some(chosen) = self.chosen_order.filter(|_| is_open) {
            (chosen, "No date here shows whether day or month is first; the {} is first, as you chose.")
        } else if !seen.undotted {
            return (DateOrder::DayFirst, None, None);
        } else if let Some(order) = self.date_order {
            (order, "No date here shows whether day or month is first; the {} is first, as in the file's other dates.")
        } else {
            let usual = if self.shape.dialect.delimiter == b';' { DayOrder::DayFirst } else { DayOrder::MonthFirst };
            (usual, "Ambiguous: no date here shows whether day or month is first; assumed {} first.")
        };
        let read = match order {
            DayOrder::DayFirst => DateOrder::DayFirst,
            DayOrder::MonthFirst if seen.undotted => DateOrder::MonthFirst,
            DayOrder::MonthFirst => DateOrder::MonthAlways,
        };
        (read, Some(how.replace("{}", order.first())), Some(order))
    }
}
