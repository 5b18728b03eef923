//! Columns of a board.

use crate::board::{self, ColumnRecord, Edit, Ordered, edit};
use crate::boards::expect_name;
use crate::cells::{Column, ColumnType, Settings};
use crate::{BOARD_LIMIT, LABEL_IN_USE, items};
use kit::error::{Result, invalid, not_found};
use kit::{Call, Created, Ctx, Done};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
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
    let column = Column {
        id: format!("c{number}"),
        title: title.to_owned(),
        type_name: kind.name().to_owned(),
        settings_json: serde_json::to_string(&settings).map_err(board::damaged)?,
        kind: Some(kind),
        settings,
    };
    tx.execute(
        "INSERT INTO board_columns (account_id, board_id, column_id, position, title, type, settings_json) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        params![account, board_id, &column.id, position, &column.title, &column.type_name, &column.settings_json],
    )?;
    Ok(column)
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Create {
    /// The board.
    board_id: String,
    /// 1 to 255 characters.
    title: String,
    /// The type of its cells.
    #[serde(rename = "type")]
    kind: ColumnType,
    /// Settings of the type.
    #[serde(default)]
    settings: Settings,
    /// Place in the order, counted from 0; the end where left out.
    position: Option<usize>,
}

pub(crate) async fn create(ctx: Ctx, call: Call, input: Create) -> Result<Created<ColumnRecord>> {
    expect_name(&input.title, "/title")?;
    edit(ctx, call, input.board_id, move |tx, edit| {
        let mut order = board::columns(tx, &edit.account, &edit.board.id)?;
        let end = order.len();
        if end >= COLUMNS_MAX {
            return Err(BOARD_LIMIT.error(format!("A board has at most {COLUMNS_MAX} columns.")));
        }
        let number = edit.board.next_column;
        let column =
            insert(tx, &edit.account, &edit.board.id, number, end as i64, &input.title, input.kind, input.settings)?;
        edit.board.next_column += 1;
        let record = column.record()?;
        order.insert(input.position.unwrap_or(end).min(end), column);
        renumber(tx, edit, &order)?;
        let after = json!(record);
        edit.record(tx, "board", &edit.board.id, &format!("columns/{}", record.id), None, Some(&after))?;
        Ok(Created { location: format!("/boards/{}/columns/{}", edit.board.id, record.id), record })
    })
    .await
}

fn renumber(tx: &mut Tx<'_>, edit: &Edit, order: &[Column]) -> Result<()> {
    board::renumber(tx, edit, Ordered::Columns, order.iter().map(|column| column.id.as_str()))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Update {
    /// The board.
    board_id: String,
    /// The column.
    column_id: String,
    /// Its new title, 1 to 255 characters.
    title: Option<String>,
    /// Its new settings, whole: labels keep their ids, new ones come without.
    settings: Option<Settings>,
    /// Its new place in the order, counted from 0.
    position: Option<usize>,
}

pub(crate) async fn update(ctx: Ctx, call: Call, input: Update) -> Result<ColumnRecord> {
    if let Some(title) = &input.title {
        expect_name(title, "/title")?;
    }
    edit(ctx, call, input.board_id, move |tx, edit| {
        let mut order = board::columns(tx, &edit.account, &edit.board.id)?;
        let at = order.iter().position(|c| c.id == input.column_id).ok_or_else(not_found)?;
        let mut column = order.remove(at);
        let before = json!({"column": column.record()?, "position": at});
        if let Some(title) = input.title {
            column.title = title;
        }
        if let Some(settings) = input.settings {
            let Some(kind) = column.kind else {
                return Err(invalid("/settings", "unknown-type", "The column's type is unknown to this version."));
            };
            let settings = settings.settle(kind, Some(&column.settings))?;
            expect_unused(tx, edit, &column, &settings)?;
            column.settings_json = serde_json::to_string(&settings).map_err(board::damaged)?;
            column.settings = settings;
        }
        tx.execute(
            "UPDATE board_columns SET title = $4, settings_json = $5 WHERE account_id = $1 AND board_id = $2 AND column_id = $3",
            params![edit.account.as_str(), &edit.board.id, &column.id, &column.title, &column.settings_json],
        )?;
        let record = column.record()?;
        let to = input.position.unwrap_or(at).min(order.len());
        order.insert(to, column);
        renumber(tx, edit, &order)?;
        let after = json!({"column": record, "position": to});
        let field = format!("columns/{}", record.id);
        edit.record(tx, "board", &edit.board.id, &field, Some(&before), Some(&after))?;
        Ok(record)
    })
    .await
}

/// Refuses to drop a label that an item still holds.
fn expect_unused(tx: &mut Tx<'_>, edit: &Edit, column: &Column, settings: &Settings) -> Result<()> {
    let after = settings.labels.as_deref().unwrap_or_default();
    let before = column.settings.labels.as_deref().unwrap_or_default();
    for label in before.iter().filter(|label| !after.iter().any(|kept| kept.id == label.id)) {
        // Ids are letters and digits, and within a text a quote is escaped: the pattern meets this cell and nothing else.
        let sql =
            "SELECT 1 FROM items WHERE account_id = $1 AND board_id = $2 AND lower(record_json) LIKE lower($3) LIMIT 1";
        let cell = format!("%\"{}\":\"{}\"%", column.id, label.id);
        if tx.query_opt(sql, params![edit.account.as_str(), &edit.board.id, cell], |_| Ok(()))?.is_some() {
            return Err(LABEL_IN_USE.error(format!("Items still hold the label {} ({}).", label.text, label.id)));
        }
    }
    Ok(())
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Which {
    /// The board.
    board_id: String,
    /// The column.
    column_id: String,
}

pub(crate) async fn delete(ctx: Ctx, call: Call, input: Which) -> Result<Done> {
    edit(ctx, call, input.board_id, move |tx, edit| {
        let mut order = board::columns(tx, &edit.account, &edit.board.id)?;
        let at = order.iter().position(|c| c.id == input.column_id).ok_or_else(not_found)?;
        let column = order.remove(at);
        let before = json!(column.record()?);
        // Ids are letters and digits, and within a text a quote is escaped: the pattern meets this cell and nothing else.
        let cell = format!("%\"{}\":%", column.id);
        items::change_all(tx, edit, "lower(record_json) LIKE lower($3)", &cell, |item| {
            item.cells.remove(&column.id);
        })?;
        tx.execute(
            "DELETE FROM board_columns WHERE account_id = $1 AND board_id = $2 AND column_id = $3",
            params![edit.account.as_str(), &edit.board.id, &column.id],
        )?;
        renumber(tx, edit, &order)?;
        edit.record(tx, "board", &edit.board.id, &format!("columns/{}", column.id), Some(&before), None)?;
        Ok(Done)
    })
    .await
}
