//! Operations on formulas: help, state of a board's formulas, and previews of unsaved formulas.

use super::counted::Item as Seen;
use super::help::{FunctionRecord, records};
use super::{Formulas, formula_of, new_column, parse, written};
use crate::cells::Column;
use crate::item::item_row;
use crate::{board, fault, ids};
use column_types::{ColumnType, FormulaResult, Settings};
use kit::error::Result;
use kit::page::PAGE_MAX;
use kit::text::CURSOR;
use kit::{Call, Ctx, Page, Part};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use store::{HasDb, Tx, params};

/// Items that a preview shows.
const PREVIEW_ITEMS: i64 = 5;

pub(crate) async fn functions(_: Ctx, _: Call, part: Part) -> Result<Page<FunctionRecord>> {
    part.page(records(), |function| function.name.to_ascii_lowercase().into())
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "FormulasOf", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Of {
    /// ID, not the name.
    board_id: String,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
    /// Page size, 1 to 10,000. Default: the whole list.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<i64>,
}

/// The formulas of a board.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "BoardFormulas", rename_all = "camelCase")]
pub(crate) struct BoardFormulas {
    items: Vec<FormulaRecord>,
    /// Pass it as `cursor` for the next page; null on the last.
    next_cursor: Option<String>,
    /// Progress of recomputing; null when done.
    computing: Option<Computing>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename = "FormulaRecord", rename_all = "camelCase")]
struct FormulaRecord {
    column_id: String,
    title: String,
    /// The formula with current column titles.
    formula: String,
    /// The type of its results.
    result: Option<FormulaResult>,
    /// Why it has no result; null if it's valid.
    problem: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename = "FormulasComputing", rename_all = "camelCase")]
struct Computing {
    /// Number of computed items.
    done: i64,
    /// Number of items on the board.
    total: i64,
}

pub(crate) async fn get(ctx: Ctx, call: Call, input: Of) -> Result<BoardFormulas> {
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, call.account(), &input.board_id)?;
        let columns = board::columns(tx, call.account(), &board.id)?;
        let formulas = Formulas::new(&columns);
        let record = |column: &Column| {
            let stored = formula_of(column)?;
            Some(FormulaRecord {
                column_id: column.id.clone(),
                title: column.title.clone(),
                formula: parse::shown(stored, &columns),
                result: column.settings.result,
                problem: formulas.problem(&column.id),
            })
        };
        let done = done(tx, call.account(), &board.id)?;
        let computing = done.map(|done| Computing { done: done.min(board.item_count), total: board.item_count });
        let part = Part { cursor: input.cursor, limit: input.limit };
        let Page { items, next_cursor } =
            part.page(columns.iter().filter_map(record).collect(), |record| (&record.column_id).into())?;
        Ok(BoardFormulas { items, next_cursor, computing })
    };
    ctx.db().read(read).await
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "FormulaPreviewOf", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Preview {
    /// ID, not the name.
    board_id: String,
    /// The formula. Default: the column's.
    formula: Option<String>,
    /// The formula's column. Default: a new one.
    column_id: Option<String>,
    /// The item to compute it for. Default: the board's first items.
    item_id: Option<String>,
}

/// Preview of a formula.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename = "FormulaPreview", rename_all = "camelCase")]
pub(crate) struct Previewed {
    /// The result type; null if it can't be computed.
    result: Option<FormulaResult>,
    /// The problem; null if it's valid.
    problem: Option<ProblemRecord>,
    /// Some items with their results.
    items: Vec<PreviewedItem>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename = "FormulaProblem", rename_all = "camelCase")]
struct ProblemRecord {
    /// Start of the problem, in characters from 0.
    at: usize,
    /// Length in characters.
    length: usize,
    /// What is wrong.
    detail: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename = "FormulaPreviewItem", rename_all = "camelCase")]
struct PreviewedItem {
    id: String,
    name: String,
    /// The result; null if none.
    value: Option<Json>,
    /// Why there's no result.
    reason: Option<String>,
}

pub(crate) async fn preview(ctx: Ctx, call: Call, input: Preview) -> Result<Previewed> {
    let read = move |tx: &mut Tx<'_>| {
        let account = call.account();
        let board = board::load(tx, account, &input.board_id)?;
        let mut others = board::columns(tx, account, &board.id)?;
        let mut column = match &input.column_id {
            Some(id) => {
                let at = others.iter().position(|column| column.id == *id);
                let at = at.ok_or_else(|| ids::unknown_column(id, "/columnId"))?;
                others.remove(at)
            }
            None => new_column(&format!("c{}", board.next_column), "this column", Settings::default()),
        };
        column.kind = Some(ColumnType::Formula);
        let mut previewed = Previewed::default();
        if let Some(typed) = &input.formula {
            match written(typed, &column, &others) {
                Ok(written) => {
                    column.settings.formula = Some(written.stored);
                    column.settings.result = Some(written.gives);
                }
                Err((problem, _)) => {
                    let characters = |at: usize| typed.get(..at).unwrap_or(typed).chars().count();
                    let (at, end) = (characters(problem.at), characters(problem.at + problem.length));
                    let problem = ProblemRecord { at, length: end - at, detail: problem.says };
                    return Ok(Previewed { problem: Some(problem), ..previewed });
                }
            }
        }
        previewed.result = column.settings.result;
        let column_id = column.id.clone();
        others.push(column);
        let formulas = Formulas::new(&others);
        let sql = "SELECT position, record_json FROM items WHERE account_id = $1 AND board_id = $2 \
             AND ($3 = '' OR item_id = $3) ORDER BY position, item_id LIMIT $4";
        let item_id = input.item_id.as_deref().unwrap_or_default();
        let items = tx.query(sql, params![account, &board.id, item_id, PREVIEW_ITEMS], item_row)?;
        if input.item_id.is_some() && items.is_empty() {
            return Err(ids::unknown(fault::UNKNOWN_ITEM, "/itemId"));
        }
        for item in items {
            let (value, reason) = formulas.explained(&column_id, &Seen::load(tx, account, &item.record, &formulas)?);
            previewed.items.push(PreviewedItem { id: item.record.id, name: item.record.name, value, reason });
        }
        Ok(previewed)
    };
    ctx.db().read(read).await
}

/// How many items are done, where formulas of the board are being computed.
fn done(tx: &mut Tx<'_>, account: &str, board_id: &str) -> Result<Option<i64>> {
    let sql = "SELECT done FROM board_formulas_left WHERE account_id = $1 AND board_id = $2";
    tx.query_opt(sql, params![account, board_id], |row| row.get(0))
}
