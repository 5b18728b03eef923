//! Table: the passing items of all boards with the columns that they share, a page at a time.

use super::{Input, Kind, Outcome, Role, object, told};
use crate::board::Column;
use crate::rows::cell;
use crate::selection::Selection;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const KIND: Kind = Kind { name: "table", schema: told(schema), roles, keys: 0, compute, pick };

/// Items of one answer, where nothing else is asked for and at most.
const ROWS: usize = 100;
const ROWS_MAX: usize = 1_000;

const TYPES: &[&str] = &[
    "text",
    "longText",
    "link",
    "email",
    "phone",
    "number",
    "currency",
    "rating",
    "progress",
    "status",
    "dropdown",
    "tags",
    "people",
    "date",
    "timeline",
    "checkbox",
    "createdAt",
    "updatedAt",
    "createdBy",
    "updatedBy",
    "itemLink",
    "sprint",
    "file",
];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    #[serde(default)]
    offset: usize,
    #[serde(default)]
    limit: Option<usize>,
}

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "How many of the items to pass over."},
        "limit": {"type": "integer", "minimum": 1, "maximum": ROWS_MAX, "default": ROWS, "description": "How many items to answer with."},
        "includeSubitems": super::include_subitems_schema()}})
}

fn roles(_: &Value) -> Result<Vec<Role>, String> {
    Ok(vec![Role { all: true, ..Role::new("columns", TYPES, false) }])
}

fn pick(input: &Input<'_>, _: &Value) -> Result<Vec<Selection>, String> {
    Ok(input.only(|_, _| true))
}

fn compute(input: &Input<'_>) -> Result<Outcome, String> {
    let config = Config::deserialize(&input.config).map_err(|e| e.to_string())?;
    // Columns of the same title and kind are one.
    let same = |a: &Column, b: &Column| a.title_folded == b.title_folded && a.family == b.family;
    let mut heads: Vec<&Column> = Vec::new();
    for column in input.parts.iter().flat_map(|part| part.columns("columns")) {
        if !heads.iter().any(|head| same(head, column)) {
            heads.push(column);
        }
    }
    let total: u64 = input.parts.iter().map(|part| part.selection.count() as u64).sum();
    let limit = config.limit.unwrap_or(ROWS).clamp(1, ROWS_MAX);
    let mut rows = Vec::new();
    let mut passed = 0;
    for part in &input.parts {
        let columns: Vec<Option<&Column>> = heads
            .iter()
            .map(|head| part.columns("columns").iter().copied().find(|column| same(head, column)))
            .collect();
        let skip = config.offset.saturating_sub(passed);
        passed += part.selection.count();
        for row in part.selection.page(skip, limit - rows.len()) {
            let cells =
                columns.iter().map(|column| column.map_or(Value::Null, |column| cell(input.query, column, row)));
            let mut json = crate::rows::item(part.board, row);
            json["cells"] = cells.collect();
            rows.push(json);
        }
    }
    let head = |column: &&Column| object([("title", json!(column.title)), ("type", json!(column.type_name))]);
    Ok(Outcome {
        result: json!({"columns": heads.iter().map(head).collect::<Vec<_>>(), "rows": rows, "total": total, "offset": config.offset}),
        items_used: total,
        ..Outcome::default()
    })
}
