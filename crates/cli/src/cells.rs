//! A table of a board's items: where an answer has the columns beside the items, their cells stand under the columns'
//! titles, labels and people by what they are called.

use crate::render::{compact, head};
use crate::text::clean;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// The heads and the rows; `None` where the answer does not say what the cells are. A column that holds nothing is left out.
pub(crate) fn table(
    answer: &Map<String, Value>,
    rows: &[Value],
    said: &[&str],
) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let columns = Column::all(answer.get("columns")?.as_array()?)?;
    let people = names(answer.get("members").and_then(Value::as_array).map(Vec::as_slice), "name");
    let fields = if said.is_empty() { &["id", "name"] } else { said };
    // Columns of several boards that are called alike are one.
    let mut titles: Vec<(&str, usize)> = Vec::new();
    for column in &columns {
        if !titles.contains(&column.title) && rows.iter().any(|row| !column.cell(row).is_null()) {
            titles.push(column.title);
        }
    }
    let heads = fields.iter().map(|field| head(field));
    let heads = heads.chain(titles.iter().map(|(title, _)| clean(title))).collect();
    let body = rows.iter().map(|row| {
        let column = |title| columns.iter().find(|column| column.title == title && column.is_of(row));
        let cells =
            titles.iter().map(|title| column(*title).map_or_else(String::new, |c| c.text(c.cell(row), &people)));
        fields.iter().map(|field| compact(&row[*field])).chain(cells).collect()
    });
    Some((heads, body.collect()))
}

/// The cells of one item as pairs of title and text, in the order of the columns.
pub(crate) fn texts(cells: &Value, columns: &[Value], members: &[Value]) -> Value {
    let people = names(Some(members), "name");
    let Some(columns) = Column::all(columns) else { return cells.clone() };
    let filled = columns.iter().filter(|column| !cells[column.id].is_null());
    filled.map(|column| json!([column.title.0, column.text(&cells[column.id], &people)])).collect()
}

/// Writes `@Anna` where a comment mentions a member by id.
pub(crate) fn mention(comment: &mut Value, members: &[Value]) {
    let people = names(Some(members), "name");
    let Some(mut text) = comment["text"].as_str().map(str::to_owned) else { return };
    for id in comment["mentions"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if let Some(name) = people.get(id) {
            text = text.replace(&format!("@[{id}]"), &format!("@{name}"));
        }
    }
    comment["text"] = text.into();
}

/// Writes a change of an item with its column's title, and what stood there by what it is called; of a comment, which keeps
/// no text, what was done with it.
pub(crate) fn name_change(change: &mut Value, columns: &[Value], groups: &[Value], members: &[Value]) {
    let Some(field) = change["field"].as_str().map(str::to_owned) else { return };
    let (people, groups) = (names(Some(members), "name"), names(Some(groups), "name"));
    let column = Column::all(columns).and_then(|all| all.into_iter().find(|column| column.id == field));
    let named = |value: &Value| match (&column, value) {
        (_, Value::Null) => Value::Null,
        (Some(column), value) => column.text(value, &people).into(),
        (None, Value::String(id)) => groups.get(id.as_str()).copied().unwrap_or(id).into(),
        (None, other) => other.clone(),
    };
    let (before, after) = (&change["before"], &change["after"]);
    let (word, before, after) = match (&column, field.as_str()) {
        (Some(column), _) => (column.title.0, named(before), named(after)),
        (None, "groupId") => ("Group", named(before), named(after)),
        (None, field) if field.starts_with("comments/") => {
            let done = match (before.is_null(), after.is_null()) {
                (true, _) => "added",
                (false, false) => "changed",
                (false, true) => "deleted",
            };
            ("Comment", Value::Null, done.into())
        }
        _ => return,
    };
    let word = word.to_owned();
    (change["field"], change["before"], change["after"]) = (word.into(), before, after);
}

/// Rows that say which item they are a subitem of, with its name; `None` where none is one.
pub(crate) fn with_parents(rows: &[Value]) -> Option<Vec<Value>> {
    if !rows.iter().any(|row| row["parentId"].is_string()) {
        return None;
    }
    let items = names(Some(rows), "name");
    let named = rows.iter().map(|row| {
        let mut row = row.clone();
        if let Some(id) = row["parentId"].as_str() {
            row["parent"] = items.get(id).copied().unwrap_or(id).into();
        }
        row
    });
    Some(named.collect())
}

struct Column<'a> {
    id: &'a str,
    /// With how many columns of the board before it are titled so.
    title: (&'a str, usize),
    /// Where the answer is of several boards.
    board_id: Option<&'a str>,
    of_people: bool,
    labels: HashMap<&'a str, &'a str>,
}

impl<'a> Column<'a> {
    fn all(columns: &'a [Value]) -> Option<Vec<Self>> {
        let mut all: Vec<Self> = Vec::with_capacity(columns.len());
        for column in columns {
            let (title, board_id) = (column["title"].as_str()?, column["boardId"].as_str());
            let is_before = |other: &&Self| other.title.0 == title && other.board_id == board_id;
            all.push(Column {
                id: column["id"].as_str()?,
                title: (title, all.iter().filter(is_before).count()),
                board_id,
                of_people: column["type"] == "people",
                labels: names(column["settings"]["labels"].as_array().map(Vec::as_slice), "text"),
            });
        }
        Some(all)
    }

    fn is_of(&self, row: &Value) -> bool {
        self.board_id.is_none() || row["boardId"].is_null() || row["boardId"].as_str() == self.board_id
    }

    fn cell<'v>(&self, row: &'v Value) -> &'v Value {
        if self.is_of(row) { &row["cells"][self.id] } else { &Value::Null }
    }

    fn text(&self, cell: &Value, people: &HashMap<&str, &str>) -> String {
        let names = if self.of_people { people } else { &self.labels };
        match cell {
            Value::Array(ids) => ids.iter().map(|id| self.text(id, people)).collect::<Vec<_>>().join(", "),
            Value::String(id) => clean(names.get(id.as_str()).copied().unwrap_or(id)),
            other => compact(other),
        }
    }
}

/// What things are called, by id.
fn names<'a>(things: Option<&'a [Value]>, member: &str) -> HashMap<&'a str, &'a str> {
    let things = things.into_iter().flatten();
    things.filter_map(|thing| Some((thing["id"].as_str()?, thing[member].as_str()?))).collect()
}
