//! What rules can ask of each type of column, written out for people and for the page.

use super::rules::BUILTIN;
use column_types::ColumnType;
use kit::{Call, Ctx, Page, Part, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use widgets::{FINISHED_WORDS, Operator, family, operators};

/// The families of types that rules can be about, each with its types and what every item has of it.
fn families() -> BTreeMap<&'static str, (Vec<&'static str>, &'static [Operator])> {
    let mut found = BTreeMap::new();
    for (name, type_name) in ColumnType::ALL.map(|kind| (kind.name(), kind.name())).into_iter().chain(BUILTIN) {
        let taken = operators(type_name);
        if !taken.is_empty() {
            found.entry(family(type_name)).or_insert_with(|| (Vec::new(), taken)).0.push(name);
        }
    }
    found
}

/// Operators of rules for one family of column types.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FilterFamily {
    /// Column types, and properties that every item has.
    types: Vec<&'static str>,
    operators: Vec<FilterOperator>,
}

/// An operator of a rule.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FilterOperator {
    /// The `op` of a rule, or the second part of a rule as text.
    op: &'static str,
    /// What it compares with: the `value` of a rule.
    value: &'static str,
}

pub(crate) async fn list(_: Ctx, _: Call, part: Part) -> Result<Page<FilterFamily>> {
    let record = |(types, operators): (Vec<&'static str>, &'static [Operator])| FilterFamily {
        types,
        operators: operators.iter().map(|(op, takes)| FilterOperator { op, value: takes.described() }).collect(),
    };
    part.page(families().into_values().map(record).collect(), |family| family.types[0].into())
}

/// `docs/filters.md`.
pub fn filters_md() -> String {
    let [words @ .., last] = &FINISHED_WORDS;
    let mut page = format!(
        "# Filters\n\nGenerated from the operators of the widget engine; don't edit. A rule is `{{\"col\": …, \"op\": …, \"value\": …}}`; \
         `POST /boards/{{boardId}}/query` and `POST /query` take rules as `filters.all`. Filters in the app work the same way. \
         A formula column has the operators of its result type; a mirror has those of its source column.\n\n\
         Weeks begin on the day set in `calendarWeekStartDay`. An item is overdue if its date (or the last day of its timeline) \
         has passed and it isn't done or canceled. An item is done or canceled if a label has that category, or if a checkbox \
         with one of these names is checked, ignoring case: {} and {last}.\n",
        words.join(", ")
    );
    for (family, (types, operators)) in families() {
        let types: Vec<_> = types.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(page, "\n## {family}\n\n{}\n\n| op | value |\n|---|---|", types.join(", "));
        for (op, takes) in operators {
            let _ = writeln!(page, "| `{op}` | {} |", takes.described());
        }
    }
    page
}

/// `ui/src/gen/filters.ts`.
pub fn filters_ts() -> String {
    let json = |value| serde_json::to_string(value).expect("JSON");
    let mut page = String::from(
        "// Generated from the operators of the widget engine; do not edit: `cargo test -p app generated`.\n\n",
    );
    page.push_str("/** Operator family of each column type and item property; those without operators are omitted. */\nexport const FAMILIES = {\n");
    for (family, (types, _)) in families() {
        for name in types {
            let _ = writeln!(page, "  {name}: '{family}',");
        }
    }
    page.push_str(
        "} as const;\n\n/** Operators of each family, with the values that they take. */\nexport const OPERATORS = {\n",
    );
    for (family, (_, operators)) in families() {
        let _ = writeln!(page, "  {family}: [");
        for (op, takes) in operators {
            let _ = writeln!(page, "    {{ op: '{op}', takes: {} }},", json(takes).replace('"', "'"));
        }
        page.push_str("  ],\n");
    }
    page.push_str("} as const;\n");
    page
}
