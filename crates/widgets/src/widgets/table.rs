//! Table: the passing items of all boards with the columns that they share, a page at a time.

use super::input::{Input, Outcome};
use super::kind::{Kind, Widget, read};
use super::mapping::Role;
use super::schema::{include_subitems_schema, server_only};
use crate::board::Column;
use crate::raw_result::RawResult;
use crate::rows::cell;
use crate::selection::Selection;
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const KIND: Kind =
    Kind { name: "table", schema: server_only(schema), roles: &[COLUMNS], parts: &[], keys: 0, read: read::<Config> };

const COLUMNS: Role = Role { all: true, ..Role::new("columns", "Columns to show besides the name.", TYPES, false) };

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
        "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Number of items to skip."},
        "limit": {"type": "integer", "minimum": 1, "maximum": ROWS_MAX, "default": ROWS, "description": "Number of items to return."},
        "includeSubitems": include_subitems_schema()}})
}

impl Widget for Config {
    fn roles(&self) -> Vec<Role> {
        vec![COLUMNS]
    }

    fn pick(&self, input: &Input<'_>, _: &Value) -> Result<Vec<Selection>, String> {
        Ok(input.only(|_, _| true))
    }

    fn compute(&self, input: &Input<'_>) -> Outcome {
        // Columns of the same title and kind are one.
        let same = |a: &Column, b: &Column| a.title_folded == b.title_folded && a.family == b.family;
        let mut heads: Vec<&Column> = Vec::new();
        for column in input.parts.iter().flat_map(|part| part.columns("columns")) {
            if !heads.iter().any(|head| same(head, column)) {
                heads.push(column);
            }
        }
        let total = input.passing();
        let limit = self.limit.unwrap_or(ROWS).clamp(1, ROWS_MAX);
        let mut rows = Vec::new();
        let mut passed = 0;
        for part in &input.parts {
            let columns: Vec<Option<&Column>> =
                heads.iter().map(|head| part.columns("columns").find(|column| same(head, column))).collect();
            let skip = self.offset.saturating_sub(passed);
            passed += part.selection.count();
            for row in part.selection.page(skip, limit - rows.len()) {
                let cells =
                    columns.iter().map(|column| column.map_or(Value::Null, |column| cell(input.query, column, row)));
                let mut json = crate::rows::item(part.board, row);
                json["cells"] = cells.collect();
                rows.push(json);
            }
        }
        let head = |column: &&Column| json!({"title": column.title, "type": column.type_name});
        let heads: Vec<Value> = heads.iter().map(head).collect();
        Outcome {
            result: RawResult::new(&json!({"columns": heads, "rows": rows, "total": total, "offset": self.offset})),
            items_used: total,
            ..Outcome::default()
        }
    }
}
