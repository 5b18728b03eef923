//! Titles of widgets that were given none. The page has the words of these tables (`ui/src/gen/titles.ts`), so that a widget is
//! called the same on a dashboard and where it is published.

use serde_json::Value;
use std::fmt::Write as _;

/// What a function makes of items: its name alone, and of a column.
const MEASURES: [(&str, &str, &str); 8] = [
    ("sum", "Sum", "Sum of {}"),
    ("average", "Average", "Average {}"),
    ("median", "Median", "Median {}"),
    ("min", "Smallest", "Smallest {}"),
    ("max", "Largest", "Largest {}"),
    ("count", "Number of items", "Number of items"),
    ("countFilled", "Filled cells", "Filled cells of {}"),
    ("distinct", "Different values", "Different values of {}"),
];
/// What a chart compares by, where it is no column that is known.
const AXES: [(&str, &str); 6] = [
    ("column", "Value"),
    ("group", "Group"),
    ("board", "Board"),
    ("name", "Item name"),
    ("created", "Day of creation"),
    ("updated", "Day of the last change"),
];
/// Kinds that are called the same whatever their settings.
const KINDS: [(&str, &str); 6] = [
    ("velocity", "Velocity"),
    ("planned", "Planned vs unplanned"),
    ("burndown", "Burndown"),
    ("battery", "Battery"),
    ("table", "Table"),
    ("apps", "App"),
];
/// Numbers that are a share.
const SHARE: &str = "Share of items";
/// Numbers that are divided by the items that meet rules.
const PER: &str = "{} per chosen item";
/// A measure, and what a chart compares by.
const BY: &str = "{} by {}";
/// Two columns of other names, and more of them.
const TWO: &str = "{} and {}";
const MORE: &str = "{} and {} other columns";

/// `ui/src/gen/titles.ts`.
pub fn titles_ts() -> String {
    let mut page = String::from(
        "// Generated from the words of the published page; do not edit: `cargo test -p app generated`.\n\n\
         /** What a function makes of items: its name alone, and of a column. */\nexport const MEASURES = {\n",
    );
    for (name, alone, of) in MEASURES {
        let _ = writeln!(page, "  {name}: {{ alone: '{alone}', of: '{of}' }},");
    }
    for (about, table, rows) in [
        ("What a chart compares by, where it is no column that is known.", "AXES", &AXES[..]),
        ("Kinds that are called the same whatever their settings.", "KINDS", &KINDS[..]),
    ] {
        let _ = write!(page, "}} as const;\n\n/** {about} */\nexport const {table} = {{\n");
        for (name, words) in rows {
            let _ = writeln!(page, "  {name}: '{words}',");
        }
    }
    page.push_str("} as const;\n\n");
    for (about, name, words) in [
        ("Numbers that are a share.", "SHARE", SHARE),
        ("Numbers that are divided by the items that meet rules.", "PER", PER),
        ("A measure, and what a chart compares by.", "BY", BY),
        ("Two columns of other names.", "TWO", TWO),
        ("More of them.", "MORE", MORE),
    ] {
        let _ = writeln!(page, "/** {about} */\nexport const {name} = '{words}';");
    }
    page
}

/// A template with its places filled; what fills them may have braces itself.
fn filled(template: &str, parts: &[&str]) -> String {
    let mut between = template.split("{}");
    let mut text = between.next().unwrap_or_default().to_owned();
    for (part, rest) in parts.iter().zip(between) {
        text.push_str(part);
        text.push_str(rest);
    }
    text
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
    fn a_widget_without_a_title_is_called_as_on_its_dashboard() {
        let named = |config: Value, columns: &[&'static str]| title(&config, &|_| columns.to_vec());
        for (config, columns, expected) in [
            (json!({"kind": "numbers"}), &["Cost"][..], "Sum of Cost"),
            (json!({"kind": "numbers", "function": "average"}), &["Cost", " cost "], "Average Cost"),
            (json!({"kind": "numbers", "function": "average"}), &[], "Average"),
            (json!({"kind": "numbers", "function": "count"}), &["Cost"], "Number of items"),
            (json!({"kind": "numbers", "ratio": {"rules": []}}), &["Cost"], "Share of items"),
            (json!({"kind": "numbers", "per": {"rules": []}}), &["Cost"], "Sum of Cost per chosen item"),
            (json!({"kind": "numbers", "per": null}), &["Cost"], "Sum of Cost"),
            (json!({"kind": "numbers"}), &["A {}", "B"], "Sum of A {} and B"),
            (json!({"kind": "numbers"}), &["A", "B", "C"], "Sum of A and 2 other columns"),
            (json!({"kind": "chart"}), &["Status"], "Number of items by status"),
            (json!({"kind": "chart"}), &[], "Number of items by value"),
            (
                json!({"kind": "chart", "x": {"by": "created"}, "y": {"function": "max"}}),
                &["Cost"],
                "Largest Cost by day of creation",
            ),
            (json!({"kind": "planned"}), &[], "Planned vs unplanned"),
        ] {
            assert_eq!(named(config, columns), expected);
        }
    }
}
