//! Columns in the trash, with their cells.

use super::{Kind, Place, Putting};
use crate::board::{self, ColumnRecord, DELETING};
use crate::cells::Column;
use crate::change::Edit;
use crate::columns::{COLUMNS_MAX, renumber};
use crate::edit::edit;
use crate::errors::BOARD_LIMIT;
use crate::item::{self, ITEMS_PER_STEP};
use crate::recompute;
use column_types::{ColumnType, Settings};
use kit::error::{self, Result, not_found};
use kit::{Call, Ctx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use store::{HasDb, Tx, params};

/// A deleted column's stored row.
#[derive(serde::Serialize, Deserialize)]
struct Stored {
    id: String,
    title: String,
    #[serde(rename = "type")]
    type_name: String,
    settings: Box<serde_json::value::RawValue>,
}

/// Notes a column, which stood at a place in the order, as deleted; its cells follow with [`keep_cells`].
pub(crate) fn keep(tx: &mut Tx<'_>, edit: &Edit, column: &Column, at: usize) -> Result<()> {
    let record = serde_json::to_string(&column.record()?).map_err(board::damaged)?;
    let put = Putting {
        kind: Kind::Column,
        id: &column.id,
        place: Place::Trash,
        name: &column.title,
        with: "",
        group_id: "",
        position: at as i64,
        record_json: &record,
    };
    super::insert(tx, edit, put)
}

/// Whether a deleted column can be restored.
pub(crate) fn is_kept(tx: &mut Tx<'_>, account: &str, board_id: &str, column_id: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = $3 AND thing_id = $4";
    let of = params![account, board_id, Kind::Column.name(), column_id];
    Ok(tx.query_opt(sql, of, |_| Ok(()))?.is_some())
}

/// Puts cells of a deleted column, by item, where they are found when it comes back.
pub(crate) fn keep_cells(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    column_id: &str,
    cells: &[(String, Value)],
) -> Result<()> {
    let sql = "INSERT INTO column_cells_kept (account_id, board_id, column_id, item_id, value_json) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (account_id, board_id, column_id, item_id) DO UPDATE SET value_json = excluded.value_json";
    for (item_id, value) in cells {
        tx.execute(sql, params![account, board_id, column_id, item_id, value.to_string()])?;
    }
    Ok(())
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "DeletedColumn", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Which {
    /// ID, not the name.
    board_id: String,
    /// The column's ID.
    column_id: String,
}

/// Restores a column: first its cells in batches, while its row is a hidden marker, then the column. After an
/// interruption, it stays in Trash, and the next start moves its cells back there.
pub(crate) async fn restore(ctx: Ctx, call: Call, input: Which) -> Result<ColumnRecord> {
    restore_at(ctx, call, input).await.map(|(record, _)| record)
}

/// The same; with the revision at which the column is back.
pub(crate) async fn restore_at(ctx: Ctx, call: Call, input: Which) -> Result<(ColumnRecord, i64)> {
    let (account, board_id, column_id) = (call.account().to_owned(), input.board_id, input.column_id);
    let id = column_id.clone();
    // `If-Match` is for the first step, after which the revision is another.
    let second = Call::new(call.caller.clone());
    edit(ctx.clone(), call, board_id.clone(), move |tx, edit| begin(tx, edit, &id)).await?;
    let finished = tokio::spawn(async move {
        loop {
            let (account, board_id, column_id) = (account.clone(), board_id.clone(), column_id.clone());
            let some = move |tx: &mut Tx<'_>| put_cells_back(tx, &account, &board_id, &column_id);
            if !ctx.db().write(some).await? {
                break;
            }
        }
        let last = move |tx: &mut Tx<'_>, edit: &mut Edit| {
            let record = finish(tx, edit, &column_id)?;
            recompute::again_if_any(tx, edit)?;
            Ok((record, edit.board.revision))
        };
        edit(ctx, second, board_id, last).await
    });
    finished.await.unwrap_or_else(|e| Err(error::INTERNAL.error("Couldn't restore the column.").caused_by(e)))
}

/// Sets the marker.
fn begin(tx: &mut Tx<'_>, edit: &mut Edit, column_id: &str) -> Result<()> {
    super::load(tx, edit, Kind::Column, column_id)?;
    let here = params![edit.account.as_str(), &edit.board.id, column_id];
    let sql = "SELECT 1 FROM board_columns WHERE account_id = $1 AND board_id = $2 AND column_id = $3";
    if tx.query_opt(sql, here, |_| Ok(()))?.is_some() {
        return Err(error::CONFLICT.error("The column is still being moved; try again in a moment."));
    }
    let order = board::columns(tx, &edit.account, &edit.board.id)?;
    if order.len() >= COLUMNS_MAX {
        return Err(BOARD_LIMIT.error(format!("A board can have up to {COLUMNS_MAX} columns.")));
    }
    tx.execute(
        "INSERT INTO board_columns (account_id, board_id, column_id, position, title, type, settings_json) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        params![edit.account.as_str(), &edit.board.id, column_id, order.len() as i64, "", DELETING, "{}"],
    )?;
    Ok(())
}

/// Puts the next cells back; false where there were none.
fn put_cells_back(tx: &mut Tx<'_>, account: &str, board_id: &str, column_id: &str) -> Result<bool> {
    let sql = "SELECT item_id, value_json FROM column_cells_kept WHERE account_id = $1 AND board_id = $2 AND column_id = $3 \
         ORDER BY item_id LIMIT $4";
    let next: Vec<(String, String)> =
        tx.query(sql, params![account, board_id, column_id, ITEMS_PER_STEP], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let Some((last, _)) = next.last() else { return Ok(false) };
    let revision = board::next_revision(tx, account, board_id)?.ok_or_else(not_found)?;
    for (item_id, value_json) in &next {
        let value: Value = super::read(value_json)?;
        item::put_cell(tx, (account, board_id, revision), item_id, column_id, value)?;
    }
    let sql =
        "DELETE FROM column_cells_kept WHERE account_id = $1 AND board_id = $2 AND column_id = $3 AND item_id <= $4";
    tx.execute(sql, params![account, board_id, column_id, last])?;
    Ok(true)
}

/// Shows the column, with the cells deleted since the last batch.
fn finish(tx: &mut Tx<'_>, edit: &mut Edit, column_id: &str) -> Result<ColumnRecord> {
    while put_cells_back(tx, &edit.account, &edit.board.id, column_id)? {}
    let kept = super::load(tx, edit, Kind::Column, column_id)?;
    let Stored { id, title, type_name, settings } = super::read(&kept.record_json)?;
    let mut settings_json = settings.get().to_owned();
    let kind = ColumnType::named(&type_name);
    let mut settings: Settings = if kind.is_some() { super::read(&settings_json)? } else { Settings::default() };
    // An earlier version may have put it here.
    if settings.give_categories() {
        settings_json = serde_json::to_string(&settings).map_err(board::damaged)?;
    }
    let column = Column { id, title, type_name, settings_json, kind, settings };
    tx.execute(
        "UPDATE board_columns SET title = $4, type = $5, settings_json = $6, links_to = $7 WHERE account_id = $1 AND board_id = $2 AND column_id = $3",
        params![
            edit.account.as_str(),
            &edit.board.id,
            &column.id,
            &column.title,
            &column.type_name,
            &column.settings_json,
            column.links_to().unwrap_or_default(),
        ],
    )?;
    super::remove(tx, edit, Kind::Column, column_id)?;
    let record = column.record()?;
    let mut order = board::columns(tx, &edit.account, &edit.board.id)?;
    order.retain(|other| other.id != column_id);
    order.insert((kept.position as usize).min(order.len()), column);
    renumber(tx, edit, &order)?;
    let after = json!(record);
    edit.record(tx, "board", &edit.board.id, &format!("columns/{column_id}"), None, Some(&after))?;
    Ok(record)
}
