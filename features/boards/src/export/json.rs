//! A board as one JSON document with everything that a full read holds, ids included.

use super::Out;
use super::rows::Table;
use crate::board;
use crate::cells::{Column, ColumnType};
use crate::{full, image, scan};
use kit::error::{self, Result};
use serde::Serialize;
use serde_json::json;
use std::collections::{BTreeSet, HashSet};
use store::{Tx, params};

/// Every item's record in order.
const RECORDS: &str =
    "SELECT record_json FROM items WHERE account_id = $1 AND board_id = $2 ORDER BY position, item_id";

pub(super) fn write(tx: &mut Tx<'_>, table: &Table, out: &mut Out) -> Result<()> {
    let columns = table.columns.iter().map(Column::record).collect::<Result<Vec<_>>>()?;
    let members = named(tx, table)?;
    let members = members.iter().filter_map(|id| Some(json!({"id": id, "name": table.people.name(id)?})));
    let members: Vec<_> = members.collect();
    member(out, "{\"board\":", &table.board.record())?;
    member(out, ",\"groups\":", &table.groups)?;
    member(out, ",\"columns\":", &columns)?;
    member(out, ",\"members\":", &members)?;
    let mut before = ",\"items\":[";
    tx.each(RECORDS, params![&table.account, &table.board.id], |row| {
        out.put(before.as_bytes())?;
        before = ",";
        out.put(row.get::<&str>(0)?.as_bytes())
    })?;
    out.put(if before == "," { b"]}\n" } else { b",\"items\":[]}\n" })
}

fn member(out: &mut Out, before: &str, value: &impl Serialize) -> Result<()> {
    out.put(before.as_bytes())?;
    out.put(&serde_json::to_vec(value).map_err(board::damaged)?)
}

/// The members that cells refer to. Read beforehand, so that they can stand before the items.
fn named(tx: &mut Tx<'_>, table: &Table) -> Result<BTreeSet<String>> {
    let by_number = full::columns_by_number(&table.columns);
    let is_people = |number: usize| {
        let index = by_number.get(number).copied().flatten();
        index.is_some_and(|index| table.columns[index].kind == Some(ColumnType::People))
    };
    let mut lists: HashSet<String> = HashSet::new();
    if table.columns.iter().any(|column| column.kind == Some(ColumnType::People)) {
        tx.each(RECORDS, params![&table.account, &table.board.id], |row| {
            let read = scan::record(row.get(0)?).and_then(|record| {
                scan::members(record.cells, |number, raw| {
                    if let scan::Raw::List(list) = raw
                        && is_people(number)
                        && !lists.contains(list)
                    {
                        lists.insert(list.to_owned());
                    }
                    Some(())
                })
            });
            read.ok_or_else(|| error::INTERNAL.error("A stored item of the board cannot be read."))
        })?;
    }
    image::named(lists)
}
