//! Answers for people: tables for lists, a line per member for records, and what is inside them indented. JSON is never
//! shown; `--json` has it.

use crate::cells;
use crate::text::{clean, cut, title, width};
use serde_json::{Map, Value};

/// How wide and how decorated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Style {
    /// Lines have at most this many columns; where nothing is said, nothing is cut.
    pub width_columns: Option<usize>,
    /// Heads of tables stand out.
    pub bold: bool,
}

/// The widest column where no terminal says how wide it is: a longer cell is whole, and pads no other to a thousand columns.
const TEXT_COLUMNS: usize = 80;
/// Members that hold the rows of a list.
const ROWS: [&str; 2] = ["items", "settings"];
/// No column is cut to less than this.
const COLUMN_MIN: usize = 6;
/// Widest cell that a record or a list of records is shown in.
const PARTS_COLUMNS_MAX: usize = 40;
const GAP: &str = "  ";
/// How far what is inside a record stands to the right.
const INDENT: &str = "  ";

/// An answer as text, ending in a line break.
pub(crate) fn answer(value: &Value, columns: &[&str], style: Style) -> String {
    match value {
        Value::Array(rows) => list(rows, columns, style),
        Value::Object(record) => match rows_of(record) {
            Some(rows) => {
                let with_parents =
                    cells::with_parents(rows).filter(|_| columns.contains(&"name") || record.contains_key("columns"));
                let mut said = if columns.is_empty() { vec!["id", "name"] } else { columns.to_vec() };
                let (rows, columns) = match &with_parents {
                    Some(rows) => {
                        let behind = said.iter().position(|name| *name == "name").map_or(said.len(), |at| at + 1);
                        said.insert(behind, "parent");
                        (rows, &*said)
                    }
                    None => (rows, columns),
                };
                let mut text = match cells::table(record, rows, columns) {
                    Some((heads, body)) if !body.is_empty() => table(Some(heads), body, style),
                    _ => list(rows, columns, style),
                };
                text.push_str(&more(value));
                text
            }
            None => self::record(record, columns, style),
        },
        scalar => compact(scalar) + "\n",
    }
}

/// How to get the next page of a list, if there is one.
pub(crate) fn more(list: &Value) -> String {
    list["nextCursor"].as_str().map_or(String::new(), |cursor| format!("More: --cursor {}\n", clean(cursor)))
}

fn rows_of(record: &Map<String, Value>) -> Option<&Vec<Value>> {
    ROWS.iter().find_map(|name| record.get(*name)?.as_array())
}

/// Records one below the other.
pub(crate) fn list(rows: &[Value], columns: &[&str], style: Style) -> String {
    if rows.is_empty() {
        return "No results.\n".into();
    }
    if rows.iter().all(Value::is_array) {
        let body = rows.iter().map(|row| row.as_array().into_iter().flatten().map(compact).collect());
        return table(None, body.collect(), style);
    }
    let columns: Vec<String> = match columns {
        [] => plain_members(rows),
        said => said.iter().map(|name| name.to_string()).collect(),
    };
    if columns.is_empty() {
        return rows.iter().map(|row| line("", &compact(row), style)).collect();
    }
    let heads = columns.iter().map(|name| head(name)).collect();
    let body = rows.iter().map(|row| columns.iter().map(|name| compact(&row[name.as_str()])).collect());
    table(Some(heads), body.collect(), style)
}

/// Texts one below the other; rows may be of different lengths.
pub(crate) fn table(heads: Option<Vec<String>>, body: Vec<Vec<String>>, style: Style) -> String {
    let with_heads = heads.is_some();
    let rows: Vec<Vec<String>> = heads.into_iter().chain(body).collect();
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let natural = (0..count).map(|i| rows.iter().filter_map(|row| row.get(i)).map(|text| width(text)).max());
    let widths = fit(natural.map(Option::unwrap_or_default).collect(), style.width_columns);
    let lines = rows.iter().enumerate().map(|(i, row)| {
        let text = line_of(row, &widths, style.width_columns.is_some());
        if i == 0 && with_heads && style.bold { format!("\x1b[1m{text}\x1b[0m\n") } else { text + "\n" }
    });
    lines.collect()
}

/// Columns narrowed, the widest first, until a line fits. What cannot fit even so is left out at the right.
fn fit(mut widths: Vec<usize>, width_columns: Option<usize>) -> Vec<usize> {
    let Some(most) = width_columns else {
        // Nothing stands behind the last one that it would push away.
        let last = widths.len().saturating_sub(1);
        return widths.into_iter().enumerate().map(|(i, w)| if i == last { w } else { w.min(TEXT_COLUMNS) }).collect();
    };
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

fn line_of(row: &[String], widths: &[usize], cuts: bool) -> String {
    let mut text = String::new();
    for (i, (value, columns)) in row.iter().zip(widths).enumerate() {
        let value = if cuts { cut(value, *columns) } else { value.clone() };
        let padding = columns.saturating_sub(width(&value));
        if i > 0 {
            text.push_str(GAP);
        }
        text.push_str(&value);
        text.extend(std::iter::repeat_n(' ', padding));
    }
    text.trim_end().to_owned()
}

/// Members that fit a cell in every row and say something in some; identifying ones first.
fn plain_members(rows: &[Value]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for row in rows {
        for name in row.as_object().into_iter().flat_map(Map::keys) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
    }
    let of_all = |name: &str, fits: fn(&Value) -> bool| rows.iter().all(|row| fits(&row[name]));
    names.retain(|name| of_all(name, fits_cell) && !of_all(name, is_empty));
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
    // Lines first: behind a long table they would not be found.
    let (blocks, lines): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| is_block(&record[**name]));
    let widest = lines.iter().map(|name| width(&head(name))).max().unwrap_or(0);
    let mut text = String::new();
    for name in lines {
        let head = head(name);
        let padding = " ".repeat(widest.saturating_sub(width(&head)));
        text.push_str(&line(&format!("{head}{padding}{GAP}"), &compact(&record[name]), style));
    }
    for name in blocks {
        text.push_str(&line("", &head(name), style));
        text.push_str(&block(&record[name], style));
    }
    text
}

/// What stands before or above a member's values. A name with a digit is an identifier, as of a column, and stays.
pub(crate) fn head(member: &str) -> String {
    /// Members that are called something else in the pages.
    const NAMES: [(&str, &str); 9] = [
        ("costUsd", "Cost (USD)"),
        ("cwd", "Folder"),
        ("deletedAt", "Permanently deleted on"),
        ("id", "ID"),
        ("isFound", "Installed"),
        ("isThere", "Exists"),
        ("like", "Description"),
        ("trouble", "Problem"),
        ("why", "Reason"),
    ];
    if let Some((_, name)) = NAMES.iter().find(|(other, _)| *other == member) {
        return (*name).to_owned();
    }
    let head = if member.contains(|c: char| c.is_ascii_digit()) { member.to_owned() } else { title(member) };
    clean(&head.strip_suffix(" id").map_or_else(|| head.clone(), |thing| format!("{thing} ID")))
}

/// What is inside a record, a step to the right.
fn block(value: &Value, style: Style) -> String {
    let width_columns = style.width_columns.map(|columns| columns.saturating_sub(INDENT.len()).max(COLUMN_MIN));
    let inside = Style { width_columns, ..style };
    let text = match value {
        Value::Array(rows) => list(rows, &[], inside),
        Value::Object(members) => record(members, &[], inside),
        scalar => line("", &compact(scalar), inside),
    };
    text.lines().map(|line| format!("{INDENT}{line}\n")).collect()
}

/// Whether the value needs lines of its own.
fn is_block(value: &Value) -> bool {
    match value {
        Value::Array(parts) => parts.iter().any(|part| part.is_object() || part.is_array()),
        Value::Object(members) => !members.is_empty() && called(members).is_none(),
        _ => false,
    }
}

/// Whether the value can stand in a table's cell: texts can, and what has parts where it is short.
fn fits_cell(value: &Value) -> bool {
    !value.is_object() && !is_block(value) || width(&compact(value)) <= PARTS_COLUMNS_MAX
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(parts) => parts.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// A text behind its head, on as many lines as it takes: what is cut off may be the advice. A long word is not broken, for a
/// token or an address of which a part is elsewhere is of no use.
pub(crate) fn line(head: &str, text: &str, style: Style) -> String {
    let left_columns = style.width_columns.map_or(usize::MAX, |columns| columns.saturating_sub(width(head)));
    let mut lines = vec![head.to_owned()];
    let mut used = 0;
    for word in text.split(' ') {
        if used > 0 && used + 1 + width(word) > left_columns {
            lines.push(" ".repeat(width(head)));
            used = 0;
        }
        if let Some(last) = lines.last_mut() {
            last.push_str(if used > 0 { " " } else { "" });
            last.push_str(word);
        }
        used += usize::from(used > 0) + width(word);
    }
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// A record by what it is called: its members would hide what stands around it.
fn called(record: &Map<String, Value>) -> Option<String> {
    let text = |member: &str| record.get(member).and_then(Value::as_str).map(clean);
    let Some(name) = text("name").or_else(|| text("title")) else { return actor(record) };
    // Who wrote something has a kind and a name.
    let is_author = || record.keys().all(|member| ["kind", "name", "sessionId"].contains(&member.as_str()));
    text("id").map(|id| format!("{name} ({id})")).or_else(|| is_author().then_some(name))
}

/// Who did something: the kind of caller, and which one where there are several.
fn actor(record: &Map<String, Value>) -> Option<String> {
    let text = |member: &str| record.get(member).and_then(Value::as_str).map(clean);
    let only_these = record.keys().all(|member| ["kind", "id", "session"].contains(&member.as_str()));
    let (kind, id) = (text("kind")?, text("id").filter(|_| only_these)?);
    Some(match text("session") {
        Some(session) => format!("{kind} (session {session})"),
        None if id == kind => kind,
        None => format!("{kind} ({id})"),
    })
}

/// A value on one line.
pub(crate) fn compact(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => clean(text),
        Value::Array(parts) => joined(parts.iter().map(part)),
        Value::Object(members) => called(members).unwrap_or_else(|| {
            let said = members.iter().filter(|(_, value)| !is_empty(value));
            joined(said.map(|(name, value)| format!("{}: {}", clean(name), part(value))))
        }),
        other => other.to_string(),
    }
}

/// A value within a list or a record, so that its own commas are not taken for theirs.
fn part(value: &Value) -> String {
    let within = match value {
        Value::Array(parts) => parts.len() > 1,
        Value::Object(members) => called(members).is_none(),
        _ => false,
    };
    let text = compact(value);
    if within && !text.is_empty() { format!("({text})") } else { text }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}
