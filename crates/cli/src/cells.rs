//! A table of a board's items: where an answer has the columns beside the items, their cells stand under the columns'
//! titles, labels and people by what they are called.

use crate::render::compact;
use crate::text::{clean, title};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// The heads and the rows; `None` where the answer does not say what the cells are.
pub(crate) fn table(
    answer: &Map<String, Value>,
    rows: &[Value],
    said: &[&str],
) -> Option<(Vec<String>, Vec<Vec<String>>)> {
    let columns: Vec<Column> = answer.get("columns")?.as_array()?.iter().map(Column::of).collect::<Option<_>>()?;
    let people = names(answer.get("members"), "name");
    let fields = if said.is_empty() { &["id", "name"] } else { said };
    let heads = fields.iter().map(|field| clean(&title(field)));
    let heads = heads.chain(columns.iter().map(|column| clean(column.title))).collect();
    let body = rows.iter().map(|row| {
        let cells = columns.iter().map(|column| column.text(&row["cells"][column.id], &people));
        fields.iter().map(|field| compact(&row[*field])).chain(cells).collect()
    });
    Some((heads, body.collect()))
}

struct Column<'a> {
    id: &'a str,
    title: &'a str,
    of_people: bool,
    labels: HashMap<&'a str, &'a str>,
}

impl<'a> Column<'a> {
    fn of(column: &'a Value) -> Option<Self> {
        Some(Column {
            id: column["id"].as_str()?,
            title: column["title"].as_str()?,
            of_people: column["type"] == "people",
            labels: names(column["settings"].get("labels"), "text"),
        })
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
fn names<'a>(list: Option<&'a Value>, member: &str) -> HashMap<&'a str, &'a str> {
    let things = list.and_then(Value::as_array).into_iter().flatten();
    things.filter_map(|thing| Some((thing["id"].as_str()?, thing[member].as_str()?))).collect()
}
