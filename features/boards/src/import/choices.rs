//! Import options: the meaning of the file's columns, and the handling of cells that don't fit.

use crate::fault;
use column_types::{ColumnType, Settings};
use kit::error::{Result, invalid};
use schemars::JsonSchema;
use serde::Deserialize;

const OVERRIDES_BYTES_MAX: usize = 1024 * 1024;

/// What to skip if a cell doesn't fit its column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OnMisfit {
    /// The row.
    Row,
    /// The cell, which stays empty or unchanged.
    #[default]
    Cell,
}

/// A part of an item that a column of the file can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Part {
    /// The item's name.
    Name,
    /// The item's group.
    Group,
    /// The parent item, by key or name.
    Parent,
}

/// An override for a detected column of the file.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Override {
    /// Position in the file, from 0. Default: the column with this title.
    index: Option<usize>,
    /// With `index`: its new title.
    pub(super) title: Option<String>,
    /// The part of the item, instead of a column of the board.
    pub(super) role: Option<Part>,
    /// With boardId: the board's column to fill. Default: the one with its title.
    pub(super) column_id: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub(super) kind: Option<ColumnType>,
    /// Settings of the type.
    pub(super) settings: Option<Settings>,
    /// Whether to skip it.
    #[serde(default)]
    pub(super) skip: bool,
}

impl Override {
    pub(super) fn is_of(&self, index: usize) -> bool {
        self.index == Some(index)
    }

    /// The position that it names or, with [`with_positions`], that its title has.
    pub(super) fn position(&self) -> Option<usize> {
        self.index
    }
}

/// The overrides, of which those without an index get that of the file's column with their title.
pub(super) fn with_positions(overrides: &[Override], in_file: &[&str]) -> Result<Vec<Override>> {
    let same = |one: &str, other: &str| one.trim().to_lowercase() == other.trim().to_lowercase();
    let place = |over: &Override| {
        let title = over.title.as_deref().filter(|_| over.index.is_none());
        let Some(title) = title else { return if over.index.is_some() { Ok(over.clone()) } else { Err(no_index()) } };
        let mut titled = (0..in_file.len()).filter(|at| same(in_file[*at], title));
        match (titled.next(), titled.next()) {
            (Some(index), None) => Ok(Override { index: Some(index), title: None, ..over.clone() }),
            (Some(_), Some(_)) => {
                let detail = format!("Several columns of the file are titled {title}. {INDEX}");
                Err(invalid("/columns", fault::AMBIGUOUS, detail))
            }
            (None, _) => {
                let detail = format!("The file has no column titled {title}. {INDEX}");
                Err(invalid("/columns", fault::UNKNOWN_COLUMN, detail))
            }
        }
    };
    overrides.iter().map(place).collect()
}

const INDEX: &str = "`index` (from 0, as dryRun shows) says which column; with it, `title` renames the column.";

fn no_index() -> kit::Error {
    invalid("/columns", fault::MISSING, format!("Each column needs an `index` or a `title`. {INDEX}"))
}

/// Reads the list of columns that the caller sent.
pub(super) fn read_overrides(json: Option<&str>) -> Result<Vec<Override>> {
    let Some(json) = json else { return Ok(Vec::new()) };
    if json.len() > OVERRIDES_BYTES_MAX {
        return Err(invalid("/columns", fault::TOO_LONG, format!("columns can be up to {OVERRIDES_BYTES_MAX} bytes.")));
    }
    let read = serde_json::from_str(json);
    read.map_err(|e| {
        invalid(
            "/columns",
            fault::WRONG_TYPE,
            format!("columns must be a JSON list of {{index, title, role, type, settings, skip, columnId}}: {e}."),
        )
    })
}
