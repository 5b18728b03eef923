//! Views of a board as they are stored.

use crate::board::{self, BoardRecord, ColumnRecord, GroupRecord};
use kit::error::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use store::{Row, Tx, params};
/// How a view shows items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ViewKind {
    /// Rows with columns.
    Table,
    /// Cards in stacks, one for each label.
    Kanban,
    /// Items on the days of a month.
    Calendar,
    /// Bars on a time axis.
    Timeline,
}

impl ViewKind {
    /// As stored and sent.
    pub const fn name(self) -> &'static str {
        match self {
            ViewKind::Table => "table",
            ViewKind::Kanban => "kanban",
            ViewKind::Calendar => "calendar",
            ViewKind::Timeline => "timeline",
        }
    }
}

/// View settings, up to 64 KiB as JSON. Unknown members are stored.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewSettings {
    /// kanban: the status or dropdown column whose labels are the stacks, or `group`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_column: Option<String>,
    /// calendar, timeline: the date or timeline column that places an item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_column: Option<String>,
    /// Hidden columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden_columns: Option<Vec<String>>,
    /// Sort order, most important first. Default: board order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<Vec<SortBy>>,
    /// Widths of columns in pixels, 20 to 4,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub widths: Option<BTreeMap<String, u32>>,
    /// The view's filter: `{"v": 1, "people": {"ids": […]} or null, "all": [rule, …]}`. Rules name columns by reference and
    /// members by ID; `boards.filters` lists the operators.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter: Option<Map<String, Value>>,
    /// Other client settings. `endColumn` (timeline) must be a date column, and `limits` (kanban) must have whole
    /// numbers above 0 by stack key.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A sort step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SortBy {
    /// A column ID or `name`.
    pub column_id: String,
    /// Whether to sort from largest to smallest.
    #[serde(default)]
    pub descending: bool,
}

/// A view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ViewRecord {
    /// Its ID.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: ViewKind,
    /// Its settings.
    pub settings: ViewSettings,
    /// Increases with every change. Use it with `If-Match`.
    pub revision: i64,
}

fn view_row(row: &dyn Row) -> Result<ViewRecord> {
    let (kind, settings): (String, String) = (row.get(2)?, row.get(3)?);
    Ok(ViewRecord {
        id: row.get(0)?,
        name: row.get(1)?,
        kind: serde_json::from_value(kind.into()).map_err(board::damaged)?,
        settings: serde_json::from_str(&settings).map_err(board::damaged)?,
        revision: row.get(4)?,
    })
}

/// The board's views in order.
pub(crate) fn views_of(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Vec<ViewRecord>> {
    tx.query(
        "SELECT view_id, name, kind, settings_json, revision FROM board_views WHERE account_id = $1 AND board_id = $2 \
         ORDER BY position, view_id",
        params![account, board_id],
        view_row,
    )
}

/// A board with its groups, columns, and views.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BoardView {
    #[serde(flatten)]
    pub(crate) board: BoardRecord,
    pub(crate) groups: Vec<GroupRecord>,
    pub(crate) columns: Vec<ColumnRecord>,
    pub(crate) views: Vec<ViewRecord>,
}
