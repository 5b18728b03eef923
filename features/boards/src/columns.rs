//! Columns of a board as they are stored.

use crate::cells::Column;
use crate::change::{self, Edit, Ordered};
use crate::{board, links};
use column_types::{ColumnType, Settings};
use kit::error::Result;
use store::{Tx, params};
/// Columns of a board.
pub const COLUMNS_MAX: usize = 500;

/// Adds a column with the id `c{number}` at a place in the order.
#[allow(clippy::too_many_arguments)]
pub(crate) fn insert(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    number: i64,
    position: i64,
    title: &str,
    kind: ColumnType,
    settings: Settings,
) -> Result<Column> {
    let settings = settings.settle(kind, None)?;
    links::expect_settings(tx, account, board_id, kind, &settings, None)?;
    let column = Column {
        id: format!("c{number}"),
        title: title.to_owned(),
        type_name: kind.name().to_owned(),
        settings_json: serde_json::to_string(&settings).map_err(board::damaged)?,
        kind: Some(kind),
        settings,
    };
    tx.execute(
        "INSERT INTO board_columns (account_id, board_id, column_id, position, title, type, settings_json, links_to) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        params![
            account,
            board_id,
            &column.id,
            position,
            &column.title,
            &column.type_name,
            &column.settings_json,
            column.links_to().unwrap_or_default(),
        ],
    )?;
    Ok(column)
}

pub(crate) fn renumber(tx: &mut Tx<'_>, edit: &Edit, order: &[Column]) -> Result<()> {
    change::renumber(tx, edit, Ordered::Columns, order.iter().map(|column| column.id.as_str()))
}
