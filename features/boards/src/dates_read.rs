//! Dates of items, for calendars.

use crate::{board, item, projectBoardsEnabled};
use column_types::ColumnType;
use futures_util::future::BoxFuture;
use jiff::civil::Date;
use kit::Ctx;
use kit::error::Result;
use kit::lookup::{BoardDate, ReadBoardDates};
use serde_json::Value;
use std::collections::HashSet;
use store::{Db, Tx, params};
use widgets::Meant;

/// Columns of a board that are read.
const COLUMNS_MAX: usize = 20;

pub(crate) struct Dates(pub(crate) Db);

impl ReadBoardDates for Dates {
    fn is_on(&self, ctx: &Ctx, account: &str) -> bool {
        ctx.setting(account, &projectBoardsEnabled)
    }

    fn between(
        &self,
        ctx: &Ctx,
        account: &str,
        boards: Vec<String>,
        period: (Date, Date),
        limit: usize,
    ) -> BoxFuture<'static, Result<Vec<BoardDate>>> {
        if !self.is_on(ctx, account) {
            return Box::pin(std::future::ready(Ok(Vec::new())));
        }
        let (db, account) = (self.0.clone(), account.to_owned());
        let chosen: HashSet<String> = boards.into_iter().collect();
        Box::pin(async move { db.read(move |tx| between(tx, &account, &chosen, period, limit)).await })
    }
}

fn between(
    tx: &mut Tx<'_>,
    account: &str,
    chosen: &HashSet<String>,
    (from, to): (Date, Date),
    limit: usize,
) -> Result<Vec<BoardDate>> {
    let sql = "SELECT board_id, name FROM boards WHERE account_id = $1 AND state = 'ready' ORDER BY board_id";
    let boards = tx.query(sql, params![account], |row| Ok((row.get::<String>(0)?, row.get::<String>(1)?)))?;
    let mut found = Vec::new();
    for (board_id, name) in boards.into_iter().filter(|(id, _)| chosen.is_empty() || chosen.contains(id)) {
        let columns = board::columns(tx, account, &board_id)?;
        let meant: Vec<Meant<'_>> =
            columns.iter().map(|column| Meant { title: &column.title, type_name: &column.type_name }).collect();
        let due = widgets::due(&meant).map(|at| columns[at].id.clone());
        let spans = columns.iter().filter(|column| column.kind == Some(ColumnType::Timeline));
        let spans: Vec<String> = spans.take(COLUMNS_MAX).map(|column| column.id.clone()).collect();
        let due = due.filter(|due| !spans.contains(due));
        if due.is_none() && spans.is_empty() {
            continue;
        }
        item::each(tx, account, &board_id, |record| {
            let of_span = spans.iter().map(|column| (column, true));
            for (column, is_span) in due.iter().map(|column| (column, false)).chain(of_span) {
                let Some((first, last)) = record.cells.get(column).and_then(days) else { continue };
                if found.len() < limit && first < to && last >= from {
                    found.push(BoardDate {
                        board_id: board_id.clone(),
                        board: name.clone(),
                        item_id: record.id.clone(),
                        title: record.name.clone(),
                        column_id: column.clone(),
                        is_span,
                        first,
                        last,
                    });
                }
            }
        })?;
        if found.len() >= limit {
            break;
        }
    }
    Ok(found)
}

/// The first and the last day in a cell.
fn days(cell: &Value) -> Option<(Date, Date)> {
    let day = |value: &Value| value.as_str().and_then(|text| text.get(..10)?.parse::<Date>().ok());
    if let Some(one) = day(cell) {
        return Some((one, one));
    }
    let (from, to) = (day(&cell["from"]), day(&cell["to"]));
    let (first, last) = (from.or(to)?, to.or(from)?);
    Some((first, last.max(first)))
}
