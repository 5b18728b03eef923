//! Titles of widgets that were given none, why a widget has no values, and how dates are written. The page has the words of
//! these tables (`ui/src/gen/titles.ts`), so that a widget says the same on a dashboard and where it is published.

use serde_json::Value;
use std::fmt::Write as _;

/// Names of functions: alone, and with a column.
const MEASURES: [(&str, &str, &str); 8] = [
    ("sum", "Sum", "Sum of {}"),
    ("average", "Average", "Average {}"),
    ("median", "Median", "Median {}"),
    ("min", "Smallest", "Smallest {}"),
    ("max", "Largest", "Largest {}"),
    ("count", "Number of items", "Number of items"),
    ("countFilled", "Filled cells", "Filled cells of {}"),
    ("distinct", "Unique values", "Unique values of {}"),
];
/// What a chart compares by, where it is no column that is known.
const AXES: [(&str, &str); 6] = [
    ("column", "Value"),
    ("group", "Group"),
    ("board", "Board"),
    ("name", "Item name"),
    ("created", "Date created"),
    ("updated", "Last updated"),
];
/// Kinds with a fixed name.
const KINDS: [(&str, &str); 6] = [
    ("velocity", "Velocity"),
    ("planned", "Planned vs. unplanned"),
    ("burndown", "Burndown"),
    ("battery", "Battery"),
    ("table", "Table"),
    ("apps", "App"),
];
/// Title of a share.
const SHARE: &str = "Share of items";
/// Title of a number divided by matching items.
const PER: &str = "{} per matching item";
/// A measure, and what a chart compares by.
const BY: &str = "{} by {}";
/// Two columns of other names, and more of them.
const TWO: &str = "{} and {}";
const MORE: &str = "{} and {} other columns";

/// Why a widget has no values, by the engine's reasons; the first that stands here says it.
const NO_VALUES: [(&str, &str); 10] = [
    ("negative-pie", "A pie can't show negative values."),
    ("no-sprints", "No items in a sprint yet."),
    ("only-future-sprints", "No sprint has started yet."),
    ("no-done-labels", "No label is marked as done."),
    ("undated-sprints", "The sprints have no dates."),
    ("sprint-gone", "The chosen sprint no longer exists."),
    ("nothing-estimated", "No items in this sprint have effort values."),
    ("none-met", "No items match the rules to divide by."),
    ("inert-rules", "A rule of this widget has no effect, so its result would be wrong."),
    ("too-large", "The result is too large for a number."),
];
/// Where no reason says it: how many items there are.
const NO_VALUE: &str = "{}, but none has a value in this column.";
/// Filters, or rules of the widget's own, that let none of the items pass.
const NONE_MATCH: &str = "0 of {} match the filters.";
const NONE_MATCH_OWN: &str = "0 of {} match this widget's rules.";
/// What is said of a sprint beside its name.
const PHASES: [(&str, &str); 4] =
    [("active", " (active)"), ("future", " (not started)"), ("undated", " (no dates)"), ("closed", "")];

/// Comparisons of rules, as people read them behind the column's title.
const COMPARISONS: [(&str, &str); 39] = [
    ("contains", "contains"),
    ("notContains", "doesn't contain"),
    ("is", "is"),
    ("isNot", "isn't"),
    ("startsWith", "starts with"),
    ("=", "="),
    ("!=", "≠"),
    (">", ">"),
    (">=", "≥"),
    ("<", "<"),
    ("<=", "≤"),
    ("between", "is between"),
    ("anyOf", "is any of"),
    ("noneOf", "is none of"),
    ("hasAny", "has any of"),
    ("hasAll", "has all of"),
    ("hasNone", "has none of"),
    ("on", "is on"),
    ("before", "is before"),
    ("after", "is after"),
    ("today", "is today"),
    ("yesterday", "is yesterday"),
    ("tomorrow", "is tomorrow"),
    ("thisWeek", "is this week"),
    ("lastWeek", "is last week"),
    ("nextWeek", "is next week"),
    ("thisMonth", "is this month"),
    ("lastMonth", "is last month"),
    ("nextMonth", "is next month"),
    ("thisQuarter", "is this quarter"),
    ("lastQuarter", "is last quarter"),
    ("nextQuarter", "is next quarter"),
    ("lastDays", "is in the last days"),
    ("nextDays", "is in the next days"),
    ("overdue", "is overdue"),
    ("isChecked", "is checked"),
    ("isNotChecked", "is not checked"),
    ("isEmpty", "is empty"),
    ("isNotEmpty", "isn't empty"),
];

/// A comparison in words; None if unknown.
pub(super) fn operator(name: &str) -> Option<&'static str> {
    word(&COMPARISONS, name)
}

/// `ui/src/gen/titles.ts`.
pub fn titles_ts() -> String {
    let mut page = String::from(
        "// Generated from the words of the published page; do not edit: `cargo test -p app generated`.\n\n\
         /** What a function makes of items: its name alone, and of a column. */\nexport const MEASURES = {\n",
    );
    for (name, alone, of) in MEASURES {
        let _ = writeln!(page, "  {name}: {{ alone: {}, of: {} }},", quoted(alone), quoted(of));
    }
    for (about, table, rows) in [
        ("What a chart compares by, where it is no column that is known.", "AXES", &AXES[..]),
        ("Kinds that are called the same whatever their settings.", "KINDS", &KINDS[..]),
        ("Why a widget has no values, by the engine's reasons.", "NO_VALUES", &NO_VALUES[..]),
        ("What is said of a sprint beside its name.", "PHASES", &PHASES[..]),
        ("Comparisons of rules, as people read them behind the column's title.", "COMPARISONS", &COMPARISONS[..]),
    ] {
        let _ = write!(page, "}} as const;\n\n/** {about} */\nexport const {table} = {{\n");
        for (name, words) in rows {
            let quote = if name.chars().all(char::is_alphanumeric) { "" } else { "'" };
            let _ = writeln!(page, "  {quote}{name}{quote}: {},", quoted(words));
        }
    }
    page.push_str("} as const;\n\n");
    for (about, name, words) in [
        ("Numbers that are a share.", "SHARE", SHARE),
        ("Numbers that are divided by the items that meet rules.", "PER", PER),
        ("A measure, and what a chart compares by.", "BY", BY),
        ("Two columns of other names.", "TWO", TWO),
        ("More of them.", "MORE", MORE),
        ("Where no reason says why there are no values: how many items there are.", "NO_VALUE", NO_VALUE),
        ("Filters that let none of the items pass.", "NONE_MATCH", NONE_MATCH),
        ("Rules of the widget's own that do.", "NONE_MATCH_OWN", NONE_MATCH_OWN),
    ] {
        constant(&mut page, about, name, words);
    }
    page
}

/// A constant of a file for the page.
pub(super) fn constant(page: &mut String, about: &str, name: &str, value: &str) {
    let _ = writeln!(page, "/** {about} */\nexport const {name} = {};", quoted(value));
}

/// A text as TypeScript writes it.
fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') { '"' } else { '\'' };
    format!("{quote}{text}{quote}")
}

/// Fills a template's placeholders. The values can contain braces themselves.
fn filled(template: &str, parts: &[&str]) -> String {
    let mut between = template.split("{}");
    let mut text = between.next().unwrap_or_default().to_owned();
    for (part, rest) in parts.iter().zip(between) {
        text.push_str(part);
        text.push_str(rest);
    }
    text
}

/// `1 item`, `3 items`.
pub(super) fn counted(count: u64, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// Why nothing is shown although there are items.
pub(super) fn none_match(reasons: &[String], total: u64) -> String {
    let is_own = reasons.iter().any(|reason| reason == "own-rules");
    filled(if is_own { NONE_MATCH_OWN } else { NONE_MATCH }, &[&counted(total, "item")])
}

/// Why there are no values.
pub(super) fn no_values(reasons: &[String], items: u64) -> String {
    let known = reasons.iter().find_map(|reason| word(&NO_VALUES, reason));
    known.map_or_else(|| filled(NO_VALUE, &[&counted(items, "item")]), str::to_owned)
}

/// What is said of a sprint beside its name.
pub(super) fn phase(sprint: &Value) -> &'static str {
    word(&PHASES, sprint["phase"].as_str().unwrap_or_default()).unwrap_or_default()
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A day as the page writes it in English, the language of published pages: `Nov 3`, with the year `Nov 3, 2026`. What is no
/// day stays as it is.
pub(super) fn day(iso: &str, with_year: bool) -> String {
    let parts: Vec<&str> = iso.split('-').collect();
    let [year, month, of_month] = parts[..] else { return iso.to_owned() };
    let month = month.parse().ok().and_then(|month: usize| MONTHS.get(month.checked_sub(1)?));
    match (month, of_month.parse::<u8>()) {
        (Some(month), Ok(of_month)) if with_year => format!("{month} {of_month}, {year}"),
        (Some(month), Ok(of_month)) => format!("{month} {of_month}"),
        _ => iso.to_owned(),
    }
}

/// A month such as `2026-11`: `Nov 2026`. What is none is left as it is written.
pub(super) fn month(iso: &str) -> String {
    let named = iso.rsplit_once('-').and_then(|(year, month)| {
        let name = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
        (!year.is_empty() && year.bytes().all(|sign| sign.is_ascii_digit())).then(|| format!("{name} {year}"))
    });
    named.unwrap_or_else(|| iso.to_owned())
}

/// Days along an axis: without their year, unless they are of several.
pub(super) fn along(days: &[&str]) -> Vec<String> {
    let year = |day: &str| day.split('-').next().map(str::to_owned);
    let are_of_several = days.iter().any(|day| year(day) != year(days[0]));
    days.iter().map(|iso| day(iso, are_of_several)).collect()
}

fn word<'a>(table: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
    table.iter().find(|(one, _)| *one == name).map(|(_, words)| *words)
}

/// What a widget is about, from its settings and the titles of the columns that play its roles, in the boards' order.
pub(super) fn title<'a>(config: &Value, columns: &dyn Fn(&str) -> Vec<&'a str>) -> String {
    let kind = config["kind"].as_str().unwrap_or_default();
    match kind {
        "numbers" if config.get("ratio").is_some_and(|ratio| !ratio.is_null()) => SHARE.to_owned(),
        "numbers" => {
            let measure = measure(config["function"].as_str().unwrap_or("sum"), &columns("value"));
            let is_divided = config.get("per").is_some_and(|per| !per.is_null());
            if is_divided { filled(PER, &[&measure]) } else { measure }
        }
        "chart" => {
            let by = config["x"]["by"].as_str().unwrap_or("column");
            let column = if by == "column" { together(&columns("x")) } else { None };
            let axis = column.unwrap_or_else(|| word(&AXES, by).unwrap_or(by).to_owned());
            let measure = measure(config["y"]["function"].as_str().unwrap_or("count"), &columns("y"));
            filled(BY, &[&measure, &axis.to_lowercase()])
        }
        // One that nobody knows is not drawn either.
        _ => word(&KINDS, kind).unwrap_or(kind).to_owned(),
    }
}

fn measure(function: &str, columns: &[&str]) -> String {
    let known = MEASURES.iter().find(|(name, ..)| *name == function);
    let (_, alone, of) = known.unwrap_or(&MEASURES[0]);
    together(columns).map_or_else(|| (*alone).to_owned(), |column| filled(of, &[&column]))
}

/// What columns are called together: all of them, so that no figure bears the name of one alone.
fn together(columns: &[&str]) -> Option<String> {
    let mut titles: Vec<&str> = Vec::new();
    for title in columns.iter().map(|title| title.trim()) {
        if !titles.iter().any(|known| known.to_lowercase() == title.to_lowercase()) {
            titles.push(title);
        }
    }
    Some(match titles[..] {
        [] => return None,
        [only] => only.to_owned(),
        [first, second] => filled(TWO, &[first, second]),
        [first, ref others @ ..] => filled(MORE, &[first, &others.len().to_string()]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn days_are_written_as_the_page_writes_them_in_english() {
        assert_eq!((day("2026-11-03", false), day("2026-11-03", true)), ("Nov 3".into(), "Nov 3, 2026".into()));
        for odd in ["", "-", "2026", "2026-13-01", "2026-00-01", "2026-01", "-0001-01-01", "2026-01-xx"] {
            assert_eq!(day(odd, true), odd);
        }
        assert_eq!(along(&["2026-12-31", "2026-01-01"]), ["Dec 31", "Jan 1"]);
        assert_eq!(along(&["2026-12-31", "2027-01-01"]), ["Dec 31, 2026", "Jan 1, 2027"]);
        assert_eq!(along(&[]), Vec::<String>::new());
    }

    #[test]
    fn months_are_written_as_the_page_writes_them_in_english() {
        assert_eq!(month("2026-11"), "Nov 2026");
        for odd in ["", "-", "2026", "2026-13", "2026-00", "-01", "2026 Q4", "-0001-01"] {
            assert_eq!(month(odd), odd);
        }
    }

    #[test]
    fn a_widget_without_a_title_is_called_as_on_its_dashboard() {
        let named = |config: Value, columns: &[&'static str]| title(&config, &|_| columns.to_vec());
        for (config, columns, expected) in [
            (json!({"kind": "numbers"}), &["Cost"][..], "Sum of Cost"),
            (json!({"kind": "numbers", "function": "average"}), &["Cost", " cost "], "Average Cost"),
            (json!({"kind": "numbers", "function": "average"}), &[], "Average"),
            (json!({"kind": "numbers", "function": "count"}), &["Cost"], "Number of items"),
            (json!({"kind": "numbers", "ratio": {"rules": []}}), &["Cost"], "Share of items"),
            (json!({"kind": "numbers", "per": {"rules": []}}), &["Cost"], "Sum of Cost per matching item"),
            (json!({"kind": "numbers", "per": null}), &["Cost"], "Sum of Cost"),
            (json!({"kind": "numbers"}), &["A {}", "B"], "Sum of A {} and B"),
            (json!({"kind": "numbers"}), &["A", "B", "C"], "Sum of A and 2 other columns"),
            (json!({"kind": "chart"}), &["Status"], "Number of items by status"),
            (json!({"kind": "chart"}), &[], "Number of items by value"),
            (
                json!({"kind": "chart", "x": {"by": "created"}, "y": {"function": "max"}}),
                &["Cost"],
                "Largest Cost by date created",
            ),
            (json!({"kind": "planned"}), &[], "Planned vs. unplanned"),
        ] {
            assert_eq!(named(config, columns), expected);
        }
    }
}
