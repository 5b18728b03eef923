//! The values of a dashboard for people: each widget under its title, as one line or as a table, with what it was made of.

use crate::render::{Style, compact, list, table};
use crate::text::{clean, title};
use serde_json::{Map, Value};

/// The answer of `dashboards show`; none where it is another.
pub(crate) fn text(answer: &Value, style: Style) -> Option<String> {
    let widgets = answer["widgets"].as_array()?;
    let mut text = format!("{}\n", clean(answer["name"].as_str()?));
    if let Some(missing) = answer["boardsMissing"].as_u64().filter(|missing| *missing > 0) {
        let boards = if missing == 1 { "board is" } else { "boards are" };
        text.push_str(&format!("{missing} connected {boards} missing.\n"));
    }
    let inert = answer["inertRules"].as_array().into_iter().flatten();
    for rule in inert {
        let said = |name: &str| clean(rule[name].as_str().unwrap_or_default());
        let lost: Vec<String> =
            rule["lost"].as_array().into_iter().flatten().filter_map(|one| one.as_str().map(clean)).collect();
        let what = if lost.is_empty() {
            "has no effect".to_owned()
        } else {
            format!("is applied without {}", lost.join(", "))
        };
        text.push_str(&format!("The rule {} {what}: {}.\n", said("id"), said("reason")));
    }
    if widgets.is_empty() {
        text.push_str("No widgets.\n");
    }
    for widget in widgets {
        let name = widget["title"]
            .as_str()
            .filter(|name| !name.is_empty())
            .map_or_else(|| title(widget["kind"].as_str().unwrap_or("widget")), clean);
        let name = if style.bold { format!("\x1b[1m{name}\x1b[0m") } else { name };
        text.push_str(&format!("\n{name}\n"));
        let inside = Style { width_columns: style.width_columns.map(|columns| columns.saturating_sub(2)), ..style };
        let body = body(widget, inside) + &made_of(widget);
        text.extend(body.lines().map(|line| format!("  {line}\n")));
    }
    Some(text)
}

fn body(widget: &Value, style: Style) -> String {
    if widget["state"]["name"] != "ok" {
        return why_none(&widget["state"]);
    }
    let result = &widget["result"];
    if let Some(text) = result["text"].as_str() {
        let caption = result["caption"].as_str().map_or_else(String::new, |caption| format!(" ({caption})"));
        return format!("{}{}\n", clean(text), clean(&caption));
    }
    if let (Some(categories), Some(series)) = (result["categories"].as_array(), result["series"].as_array()) {
        return chart(categories, series, style);
    }
    if let (Some(heads), Some(rows)) = (result["columns"].as_array(), result["rows"].as_array()) {
        return items(result, heads, rows, style);
    }
    // Every other kind has its values in lists of records, and single ones beside them.
    let members = result.as_object().into_iter().flatten();
    let (lists, single): (Vec<_>, Vec<_>) =
        members.filter(|(_, value)| !value.is_null()).partition(|(_, value)| value.is_array());
    let mut text = String::new();
    for (name, value) in single.into_iter().filter(|(name, _)| *name != "format") {
        text.push_str(&format!("{}: {}\n", title(name), compact(&plain(value))));
    }
    for name in ["sprints", "days", "segments", "rows"] {
        if let Some((_, rows)) = lists.iter().find(|(member, _)| *member == name) {
            let rows: Vec<Value> = rows.as_array().into_iter().flatten().map(row).collect();
            text.push_str(&list(&rows, &[], style));
        }
    }
    text
}

/// A line for each category, a column for each part of a stack.
fn chart(categories: &[Value], series: &[Value], style: Style) -> String {
    let label = |one: &Value| clean(one["label"].as_str().unwrap_or_default());
    let rows = categories.iter().enumerate().map(|(at, category)| {
        let cells = series.iter().map(|part| clean(part["texts"][at].as_str().unwrap_or_default()));
        std::iter::once(label(category)).chain(cells).collect()
    });
    let heads = (series.len() > 1).then(|| std::iter::once(String::new()).chain(series.iter().map(label)).collect());
    table(heads, rows.collect(), style)
}

/// Items with their cells under the columns' titles, and how many there are besides those that are shown.
fn items(result: &Value, heads: &[Value], rows: &[Value], style: Style) -> String {
    if rows.is_empty() {
        return "No items.\n".to_owned();
    }
    let titles = heads.iter().map(|head| clean(head["title"].as_str().unwrap_or_default()));
    let heads = ["Name", "Group"].map(str::to_owned).into_iter().chain(titles).collect();
    let cells = |row: &Value| {
        let own = ["name", "group"].map(|member| clean(row[member].as_str().unwrap_or_default()));
        let cells = row["cells"].as_array().into_iter().flatten().map(|cell| compact(&plain(cell)));
        own.into_iter().chain(cells).collect()
    };
    let text = table(Some(heads), rows.iter().map(cells).collect(), style);
    match result["total"].as_u64().filter(|total| *total > rows.len() as u64) {
        Some(total) => format!("{text}{} of {total} items\n", rows.len()),
        None => text,
    }
}

/// A record without what only programs need of it.
fn row(record: &Value) -> Value {
    let members = record.as_object().into_iter().flatten();
    let shown = members.filter(|(name, _)| !["key", "kind", "color", "boardId", "itemId"].contains(&name.as_str()));
    shown.map(|(name, value)| (name.clone(), plain(value))).collect::<Map<_, _>>().into()
}

/// A number as it is written, and a list of them.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(parts) => parts.iter().map(plain).collect(),
        Value::Object(members) => {
            let called = members.get("text").or_else(|| members.get("label"));
            called.cloned().unwrap_or_else(|| value.clone())
        }
        other => other.clone(),
    }
}

fn why_none(state: &Value) -> String {
    let words = match state["name"].as_str().unwrap_or_default() {
        "no-boards" => "No connected boards.".to_owned(),
        "no-items" => "No items.".to_owned(),
        "no-values" => "No values.".to_owned(),
        "all-filtered" => format!("None of {} items match the filters.", compact(&state["total"])),
        "unmapped" => format!("No column for {}.", compact(&state["roles"])),
        _ => match state["message"].as_str() {
            Some(message) => format!("Couldn't compute: {message}."),
            None => "Couldn't compute.".to_owned(),
        },
    };
    format!("{}\n", clean(&words))
}

/// What the values were made of, where that is not all there is.
fn made_of(widget: &Value) -> String {
    let coverage = &widget["coverage"];
    let count = |name: &str| coverage[name].as_u64().unwrap_or_default();
    let mut parts = Vec::new();
    if count("boardsUsed") < count("boardsTotal") {
        parts.push(format!("{} of {} boards", count("boardsUsed"), count("boardsTotal")));
    }
    if count("itemsUsed") < count("itemsTotal") {
        parts.push(format!("{} of {} items", count("itemsUsed"), count("itemsTotal")));
    }
    let reasons = widget["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let reasons: Vec<String> = reasons.map(clean).collect();
    if widget["approximate"] == true {
        parts.push(format!("approximate: {}", reasons.join(", ")));
    } else if widget["state"]["name"] == "ok" {
        parts.extend(reasons);
    }
    if parts.is_empty() { String::new() } else { format!("({})\n", parts.join("; ")) }
}
