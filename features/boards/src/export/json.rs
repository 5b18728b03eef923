//! A board as one JSON document with everything that a full read holds, ids included.

use super::Out;
use super::rows::Table;
use crate::board;
use crate::cells::Column;
use kit::error::Result;
use serde::Serialize;
use serde_json::json;
use store::{Tx, params};

/// Every item's record in order.
const RECORDS: &str =
    "SELECT record_json FROM items WHERE account_id = $1 AND board_id = $2 ORDER BY position, item_id";

pub(super) fn write(tx: &mut Tx<'_>, table: &Table, out: &mut Out) -> Result<()> {
    let columns = table.columns.iter().map(Column::record).collect::<Result<Vec<_>>>()?;
    // What cells refer to was read beforehand, so that it can stand before the items.
    let members = table.derived.members.iter().filter_map(|id| Some(json!({"id": id, "name": table.people.name(id)?})));
    let members: Vec<_> = members.collect();
    member(out, "{\"board\":", &table.board.record())?;
    member(out, ",\"groups\":", &table.groups)?;
    member(out, ",\"columns\":", &columns)?;
    member(out, ",\"members\":", &members)?;
    if !table.derived.linked.is_empty() {
        member(out, ",\"linked\":", &table.derived.linked)?;
    }
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
