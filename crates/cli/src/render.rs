//! Answers for people: tables for lists, a line per member for records.

use crate::text::{clean, cut, title, width};
use serde_json::{Map, Value};

/// How wide and how decorated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Style {
    /// Lines are cut to this many columns.
    pub width_columns: Option<usize>,
    /// Heads of tables stand out.
    pub bold: bool,
}

/// Members that hold the rows of a list.
const ROWS: [&str; 2] = ["items", "settings"];
/// No column is cut to less than this.
const COLUMN_MIN: usize = 6;
const GAP: &str = "  ";

/// An answer as text, ending in a line break.
pub(crate) fn answer(value: &Value, columns: &[&str], style: Style) -> String {
    match value {
        Value::Array(rows) => list(rows, columns, style),
        Value::Object(record) => match rows_of(record) {
            Some(rows) => {
                let mut text = list(rows, columns, style);
                if let Some(cursor) = record.get("nextCursor").and_then(Value::as_str) {
                    text.push_str(&format!("There are more: --cursor {}\n", clean(cursor)));
                }
                text
            }
            None => self::record(record, columns, style),
        },
        scalar => cell(scalar) + "\n",
    }
}

fn rows_of(record: &Map<String, Value>) -> Option<&Vec<Value>> {
    ROWS.iter().find_map(|name| record.get(*name)?.as_array())
}

fn list(rows: &[Value], columns: &[&str], style: Style) -> String {
    if rows.is_empty() {
        return "Nothing to show.\n".into();
    }
    let columns: Vec<String> = match columns {
        [] => scalar_members(rows),
        said => said.iter().map(|name| name.to_string()).collect(),
    };
    if columns.is_empty() {
        return rows.iter().map(|row| line(&cell(row), style)).collect();
    }
    let head: Vec<String> = columns.iter().map(|name| clean(&title(name))).collect();
    let body = rows.iter().map(|row| columns.iter().map(|name| cell(&row[name.as_str()])).collect::<Vec<_>>());
    let body: Vec<Vec<String>> = body.collect();
    let seen = |i: usize| body.iter().map(|row| width(&row[i])).chain([width(&head[i])]).max().unwrap_or(0);
    let natural: Vec<usize> = (0..columns.len()).map(seen).collect();
    let widths = fit(natural, style.width_columns);
    let lines = std::iter::once(&head).chain(&body).enumerate().map(|(i, row)| {
        let text = line_of(row, &widths);
        if i == 0 && style.bold { format!("\x1b[1m{text}\x1b[0m\n") } else { text + "\n" }
    });
    lines.collect()
}

/// Columns narrowed, the widest first, until a line fits. What cannot fit even so is left out at the right.
fn fit(mut widths: Vec<usize>, width_columns: Option<usize>) -> Vec<usize> {
    let Some(most) = width_columns else { return widths };
    let total = |widths: &[usize]| widths.iter().sum::<usize>() + GAP.len() * widths.len().saturating_sub(1);
    while total(&widths) > most {
        let Some(widest) = (0..widths.len()).max_by_key(|i| widths[*i]) else { break };
        if widths[widest] > COLUMN_MIN {
            widths[widest] -= 1;
        } else if widths.len() > 1 {
            widths.pop();
        } else {
            widths[0] = most;
        }
    }
    widths
}

fn line_of(row: &[String], widths: &[usize]) -> String {
    let mut text = String::new();
    for (i, (value, columns)) in row.iter().zip(widths).enumerate() {
        let value = cut(value, *columns);
        let padding = columns.saturating_sub(width(&value));
        if i > 0 {
            text.push_str(GAP);
        }
        text.push_str(&value);
        text.extend(std::iter::repeat_n(' ', padding));
    }
    text.trim_end().to_owned()
}

/// Members that hold a scalar in every row that has them; identifying ones first.
fn scalar_members(rows: &[Value]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        for name in row.as_object().into_iter().flat_map(Map::keys) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    names.retain(|name| rows.iter().all(|row| !row[name.as_str()].is_object() && !row[name.as_str()].is_array()));
    let rank = |name: &String| ["id", "key", "name", "title"].iter().position(|first| first == name).unwrap_or(9);
    names.sort_by_key(rank);
    names
}

fn record(record: &Map<String, Value>, columns: &[&str], style: Style) -> String {
    let names: Vec<&str> = match columns.iter().filter(|name| record.contains_key(**name)).copied().collect::<Vec<_>>()
    {
        none if none.is_empty() => record.keys().map(String::as_str).collect(),
        said => said,
    };
    let widest = names.iter().map(|name| width(&title(name))).max().unwrap_or(0);
    let lines = names.iter().map(|name| {
        let head = clean(&title(name));
        let padding = " ".repeat(widest.saturating_sub(width(&head)));
        line(&format!("{head}{padding}{GAP}{}", short(&record[*name])), style)
    });
    lines.collect()
}

fn line(text: &str, style: Style) -> String {
    let text = text.trim_end();
    style.width_columns.map_or(text.to_owned(), |columns| cut(text, columns)) + "\n"
}

/// A record within a record, by what it is called: its JSON would hide the members around it. `--json` has the whole.
fn short(value: &Value) -> String {
    let Some(record) = value.as_object() else { return cell(value) };
    let text = |member: &str| record.get(member).and_then(Value::as_str).map(clean);
    match (text("name").or_else(|| text("title")), text("id")) {
        (Some(name), Some(id)) => format!("{name} ({id})"),
        _ => cell(value),
    }
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => clean(text),
        Value::Array(none) if none.is_empty() => String::new(),
        other => clean(&other.to_string()),
    }
}
