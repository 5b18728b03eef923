//! Items of a board and their cells.

use crate::attachments::OfItem;
use crate::cell_names::CellNames;
use crate::cells::Column;
use crate::change::{ChangeResult, Edit};
use crate::formula::Formulas;
use crate::item::{FIELDS, ITEMS_PER_STEP, Item, POSITION, POSITION_STEP, Record, insert, item_row, made_by, store};
use crate::{board, fault};
use kit::error::{NAMED_NOT_FOUND, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};
use store::{Tx, params};

/// An item after a change, with the board's revision.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Written {
    #[serde(flatten)]
    pub(crate) item: Item,
    #[serde(flatten)]
    pub(crate) came: ChangeResult,
}

/// Adds an item to the board, and records that it was made.
pub(crate) fn put_new(tx: &mut Tx<'_>, edit: &mut Edit, item: &Item) -> Result<()> {
    insert(tx, &edit.account, &edit.board.id, edit.board.revision, item)?;
    edit.board.item_count += 1;
    let Record { id, group_id, name, cells, parent_id, .. } = &item.record;
    let mut after = json!({"boardId": edit.board.id, "groupId": group_id, "name": name, "cells": cells});
    if let Some(parent_id) = parent_id {
        edit.board.subitem_count += 1;
        after["parentId"] = json!(parent_id);
    }
    edit.record(tx, "item", id, "", None, Some(&after))
}

/// Checks values against their columns, of an item that is there already; each as it is to be stored, by column id.
pub(crate) fn accept_cells(
    tx: &mut Tx<'_>,
    account: &str,
    at: Option<OfItem<'_>>,
    columns: &[Column],
    names: &CellNames,
    values: Map<String, Value>,
    pointer: &str,
) -> Result<Vec<(String, Option<Value>)>> {
    let mut accepted = Vec::with_capacity(values.len());
    for (said, value) in values {
        let pointer = format!("{pointer}/cells/{}", said.replace('~', "~0").replace('/', "~1"));
        let Some(column) = called(columns, &said) else {
            return Err(unknown_cell(&said, columns, pointer));
        };
        if accepted.iter().any(|(id, _)| *id == column.id) {
            let detail = format!("The column {} ({}) is given twice.", column.title, column.id);
            return Err(kit::invalid(&pointer, fault::REPEATED, detail));
        }
        let value = column.accept(tx, account, at, &value, &pointer, names)?;
        accepted.push((column.id.clone(), value));
    }
    Ok(accepted)
}

/// The column of an id, or of a title that one alone has: people go by titles.
pub(crate) fn called<'a>(columns: &'a [Column], said: &str) -> Option<&'a Column> {
    let of_id = columns.iter().find(|column| column.id == said);
    of_id.or_else(|| {
        let title = said.trim().to_lowercase();
        let mut titled = columns.iter().filter(|column| column.title.trim().to_lowercase() == title);
        titled.next().filter(|_| titled.next().is_none())
    })
}

/// Error for a cell whose column doesn't exist or whose title isn't unique.
fn unknown_cell(said: &str, columns: &[Column], pointer: String) -> kit::Error {
    let titled = columns.iter().filter(|column| column.title.trim().eq_ignore_ascii_case(said.trim()));
    let ids: Vec<&str> = titled.map(|column| column.id.as_str()).collect();
    if ids.is_empty() {
        let detail = crate::cells::no_column(columns).detail().to_owned();
        return NAMED_NOT_FOUND.error(detail.clone()).at(pointer, fault::UNKNOWN_COLUMN, detail);
    }
    let detail = format!("Several columns are titled {said}. Use one of the IDs: {}.", ids.join(", "));
    NAMED_NOT_FOUND.error(detail.clone()).at(pointer, fault::AMBIGUOUS, detail)
}

pub(crate) fn load(tx: &mut Tx<'_>, edit: &Edit, item_id: &str) -> Result<Item> {
    let sql = format!("SELECT {FIELDS} FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3");
    let of = params![edit.account.as_str(), &edit.board.id, item_id];
    tx.query_one(&sql, of, item_row).map_err(|error| error.naming(&["item"]))
}

/// Notes that a change touches an item, and computes what follows from all that it holds then.
pub(crate) fn settle(tx: &mut Tx<'_>, edit: &Edit, formulas: &Formulas, record: &mut Record) -> Result<()> {
    touch(edit, record);
    formulas.apply(tx, &edit.account, record)?;
    Ok(())
}

/// Records who changes an item, and when.
pub(crate) fn touch(edit: &Edit, record: &mut Record) {
    record.updated_at = kit::rfc3339(edit.now_ms);
    record.updated_by = made_by(&edit.caller);
}

/// Stores an item that a change has touched; one of which nothing was recorded stays as it is.
pub(crate) fn save(tx: &mut Tx<'_>, edit: &Edit, formulas: &Formulas, mut item: Item) -> Result<Written> {
    if !edit.is_unchanged() {
        settle(tx, edit, formulas, &mut item.record)?;
        store(tx, &edit.account, &edit.board.id, edit.board.revision, &item)?;
    }
    Ok(Written { item, came: edit.came() })
}

/// Gives an item another position, and records it, without saving the item.
pub(crate) fn put_at(tx: &mut Tx<'_>, edit: &mut Edit, item: &mut Item, position: i64) -> Result<()> {
    let (before, after) = (json!(item.position), json!(position));
    edit.record(tx, "item", &item.record.id, POSITION, Some(&before), Some(&after))?;
    leave(tx, edit, &item.record.id, item.position)?;
    item.position = position;
    Ok(())
}

/// Revisions for which previous positions of items are stored.
const LEFT_REVISIONS_KEPT: i64 = 10_000;

/// Records that an item is removed or moved anywhere but the end, for clients that request changes.
pub(crate) fn leave(tx: &mut Tx<'_>, edit: &mut Edit, item_id: &str, position: i64) -> Result<()> {
    let (account, board) = (edit.account.as_str(), &mut edit.board);
    if board.left_since >= board.revision {
        // Whoever kept the board before this revision reads it anew.
        return Ok(());
    }
    tx.execute(
        "INSERT INTO items_left (account_id, board_id, revision, item_id, position) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (account_id, board_id, revision, item_id) DO NOTHING",
        params![account, &board.id, board.revision, item_id, position],
    )?;
    let since = board.revision - LEFT_REVISIONS_KEPT;
    if since > board.left_since {
        let sql = "DELETE FROM items_left WHERE account_id = $1 AND board_id = $2 AND revision <= $3";
        tx.execute(sql, params![account, &board.id, since])?;
        board.left_since = since;
    }
    Ok(())
}

/// The next items of a group after an id.
pub(crate) fn of_group(tx: &mut Tx<'_>, edit: &Edit, group_id: &str, after: &str, limit: i64) -> Result<Vec<Item>> {
    let sql = format!(
        "SELECT {FIELDS} FROM items WHERE account_id = $1 AND board_id = $2 AND group_id = $3 AND item_id > $4 \
         ORDER BY item_id LIMIT $5"
    );
    tx.query(&sql, params![edit.account.as_str(), &edit.board.id, group_id, after, limit], item_row)
}

/// Touches and changes every item of the board that meets `condition`, in which `wanted` is $3.
pub(crate) fn change_all(
    tx: &mut Tx<'_>,
    edit: &Edit,
    condition: &str,
    wanted: &str,
    mut change: impl FnMut(&mut Record),
) -> Result<()> {
    let sql = format!(
        "SELECT {FIELDS} FROM items WHERE account_id = $1 AND board_id = $2 AND {condition} AND item_id > $4 ORDER BY item_id LIMIT $5"
    );
    let (mut after, mut formulas) = (String::new(), None);
    loop {
        let params = params![edit.account.as_str(), &edit.board.id, wanted, &after, ITEMS_PER_STEP];
        let items = tx.query(&sql, params, item_row)?;
        let Some(last) = items.last() else { return Ok(()) };
        after.clone_from(&last.record.id);
        let formulas = match &mut formulas {
            Some(formulas) => formulas,
            none => none.insert(Formulas::new(&board::columns(tx, &edit.account, &edit.board.id)?)),
        };
        for mut item in items {
            change(&mut item.record);
            settle(tx, edit, formulas, &mut item.record)?;
            store(tx, &edit.account, &edit.board.id, edit.board.revision, &item)?;
        }
    }
}

/// Gives an item another value of a column; whether it had another.
pub(crate) fn change_cell(
    tx: &mut Tx<'_>,
    edit: &Edit,
    item: &mut Item,
    column_id: &str,
    value: Option<Value>,
) -> Result<bool> {
    if crate::cells::same(item.record.cells.get(column_id), value.as_ref()) {
        return Ok(false);
    }
    let before = item.record.cells.remove(column_id);
    edit.record(tx, "item", &item.record.id, column_id, before.as_ref(), value.as_ref())?;
    if let Some(value) = value {
        item.record.cells.insert(column_id.to_owned(), value);
    }
    Ok(true)
}

/// Gives an item another place; whether it stood in another.
pub(crate) fn change_place(tx: &mut Tx<'_>, edit: &mut Edit, item: &mut Item, wanted: i64) -> Result<bool> {
    if wanted == item.position || is_at_end(tx, edit, item, wanted)? {
        return Ok(false);
    }
    let position = edit.place(wanted);
    put_at(tx, edit, item, position)?;
    Ok(true)
}

/// Whether an item that is to go behind all others, farther than places go, is the last one already.
fn is_at_end(tx: &mut Tx<'_>, edit: &Edit, item: &Item, wanted: i64) -> Result<bool> {
    if wanted <= edit.board.last_position + POSITION_STEP {
        return Ok(false);
    }
    let sql = "SELECT item_id FROM items WHERE account_id = $1 AND board_id = $2 \
         ORDER BY position DESC, item_id DESC LIMIT 1";
    let last = tx.query_opt(sql, params![edit.account.as_str(), &edit.board.id], |row| row.get::<String>(0))?;
    Ok(last.as_ref() == Some(&item.record.id))
}
