//! The operators of rules, by type of column: the one list that the filter bar, the errors and the reference are made from.
//! What each means is in `predicate`; a test holds the two together.

use crate::family::Family;
use serde::Serialize;

/// What an operator compares a cell with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Operand {
    /// With nothing: the rule has no value.
    None,
    /// A text.
    Text,
    /// A number.
    Number,
    /// Two numbers, both included.
    Numbers,
    /// Labels, by id or text.
    Labels,
    /// Words.
    Words,
    /// Members, `me`, or `none` for nobody.
    People,
    /// A day.
    Day,
    /// Two days, both included.
    Days,
    /// How many days.
    DayCount,
}

impl Operand {
    /// What a rule's value looks like in JSON, in words.
    pub fn described(self) -> &'static str {
        match self {
            Operand::None => "no value",
            Operand::Text => "a text such as \"plan\"",
            Operand::Number => "a number such as 5",
            Operand::Numbers => "two numbers, both included, such as [1, 10]",
            Operand::Labels => "a list of labels by their text, such as [\"Done\"]",
            Operand::Words => "a list of words such as [\"urgent\", \"later\"]",
            Operand::People => {
                "a list of member IDs, or in queries also unique member names; `me` is the caller, `none` is nobody"
            }
            Operand::Day => "a day such as \"2026-03-01\"",
            Operand::Days => "two days, both included, such as [\"2026-03-01\", \"2026-03-31\"]",
            Operand::DayCount => "a number of days, 1 to 36600",
        }
    }
}

/// An operator: its name in a rule, and what it compares with.
pub type Operator = (&'static str, Operand);

const EMPTY: Operator = ("isEmpty", Operand::None);
const NOT_EMPTY: Operator = ("isNotEmpty", Operand::None);

/// The name of the family of a type of column: types of one family are filtered alike.
pub fn family(type_name: &str) -> &'static str {
    match Family::from_type_name(type_name) {
        Family::Text => "text",
        Family::Number => "number",
        Family::Label => "label",
        Family::Tags => "tags",
        Family::People => "people",
        Family::Date => "date",
        Family::Checkbox => "checkbox",
        Family::Links => "links",
        Family::Files => "files",
        Family::Opaque => "none",
    }
}

/// Every operator that some type of column takes, each once.
pub fn all_operators() -> std::collections::BTreeSet<&'static str> {
    Family::ALL.into_iter().flat_map(operators_of).map(|(name, _)| *name).collect()
}

/// The operators that a rule about a column of this type may name, in the order in which people look for them.
pub fn operators(type_name: &str) -> &'static [Operator] {
    operators_of(Family::from_type_name(type_name))
}

fn operators_of(family: Family) -> &'static [Operator] {
    use Operand::{Day, DayCount, Days, Labels, None, Number, Numbers, People, Text, Words};
    match family {
        Family::Text => &[
            ("contains", Text),
            ("notContains", Text),
            ("is", Text),
            ("isNot", Text),
            ("startsWith", Text),
            EMPTY,
            NOT_EMPTY,
        ],
        Family::Number => &[
            ("=", Number),
            ("!=", Number),
            (">", Number),
            (">=", Number),
            ("<", Number),
            ("<=", Number),
            ("between", Numbers),
            EMPTY,
            NOT_EMPTY,
        ],
        Family::Label => &[("anyOf", Labels), ("noneOf", Labels), EMPTY, NOT_EMPTY],
        Family::People => &[("anyOf", People), ("noneOf", People), EMPTY, NOT_EMPTY],
        Family::Tags => &[("hasAny", Words), ("hasAll", Words), ("hasNone", Words), EMPTY, NOT_EMPTY],
        Family::Links => &[
            ("contains", Text),
            ("notContains", Text),
            ("hasAny", Words),
            ("hasAll", Words),
            ("hasNone", Words),
            EMPTY,
            NOT_EMPTY,
        ],
        Family::Date => &[
            ("on", Day),
            ("before", Day),
            ("after", Day),
            ("between", Days),
            ("today", None),
            ("yesterday", None),
            ("tomorrow", None),
            ("thisWeek", None),
            ("lastWeek", None),
            ("nextWeek", None),
            ("thisMonth", None),
            ("lastMonth", None),
            ("nextMonth", None),
            ("thisQuarter", None),
            ("lastQuarter", None),
            ("nextQuarter", None),
            ("lastDays", DayCount),
            ("nextDays", DayCount),
            ("overdue", None),
            EMPTY,
            NOT_EMPTY,
        ],
        Family::Files => &[("contains", Text), ("notContains", Text), EMPTY, NOT_EMPTY],
        Family::Checkbox => &[("isChecked", None), ("isNotChecked", None)],
        Family::Opaque => &[],
    }
}
