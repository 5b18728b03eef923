//! Items as they are stored: their rows and their records.

use crate::board;
use kit::error::{Result, not_found};
use kit::{Caller, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::LazyLock;
use store::{Row, Tx, params};

/// Items of a board.
pub const ITEMS_MAX: i64 = 1_000_000;

/// Name of an item's position in the change log.
pub(crate) const POSITION: &str = "position";

/// Gap between the positions of new items, so that others fit in between; how often depends on how often it can be
/// halved. A full board plus 200 times as many deleted items stays below the maximum position.
pub(crate) const POSITION_STEP: i64 = if cfg!(test) { 64 } else { 1 << 24 };

/// Largest position that a caller may set: half of what every client can hold, so that new items still fit after it.
pub(crate) const POSITION_MAX: i64 = 1 << 52;

/// A stored item.
// Its members stand in this order, which `scan::record` relies on.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "FullItem", rename_all = "camelCase")]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) group_id: String,
    pub(crate) name: String,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
    /// Creator: a member ID, `cli`, or `agent`; omitted for the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) created_by: Option<String>,
    /// Last editor, in the same form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) updated_by: Option<String>,
    /// The parent; omitted for top-level items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) parent_id: Option<String>,
    /// Values by column ID; empty cells are omitted.
    pub(crate) cells: Map<String, Value>,
}

/// An item with its position on the board.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename = "ItemRecord")]
pub(crate) struct Item {
    /// Items are ordered by position, then by ID.
    pub(crate) position: i64,
    #[serde(flatten)]
    pub(crate) record: Record,
}

/// The caller as stored in records. The owner is omitted, which makes most records shorter.
pub(crate) fn made_by(caller: &Caller) -> Option<String> {
    match (&caller.member, caller.kind) {
        (Some(member), _) => Some(member.to_string()),
        (None, Kind::Owner) => None,
        (None, kind) => Some(kind.name().to_owned()),
    }
}

pub(crate) const FIELDS: &str = "position, record_json";

pub(crate) fn item_row(row: &dyn Row) -> Result<Item> {
    Ok(Item { position: row.get(0)?, record: serde_json::from_str(row.get(1)?).map_err(board::damaged)? })
}

/// Stores a new item, made at a revision of its board.
pub(crate) fn insert(tx: &mut Tx<'_>, account: &str, board_id: &str, revision: i64, item: &Item) -> Result<()> {
    let Item { position, record } = item;
    let record_json = serde_json::to_string(record).map_err(board::damaged)?;
    let parent_id = record.parent_id.as_deref().unwrap_or_default();
    insert_json(tx, [account, board_id, &record.id, &record.group_id, parent_id], *position, revision, record_json)
}

/// Stores a new item whose record is written already: account, board, item, group and parent (empty where it has none),
/// its place, the board's revision, and the record.
pub(crate) fn insert_json(
    tx: &mut Tx<'_>,
    ids: [&str; 5],
    position: i64,
    revision: i64,
    record_json: String,
) -> Result<()> {
    let [account, board_id, item_id, group_id, parent_id] = ids;
    let sql = "INSERT INTO items (account_id, board_id, item_id, group_id, parent_id, position, revision, record_json) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    tx.execute(sql, params![account, board_id, item_id, group_id, parent_id, position, revision, record_json])?;
    Ok(())
}

/// The item of this id, if the board has it.
pub(crate) fn find(tx: &mut Tx<'_>, account: &str, board_id: &str, item_id: &str) -> Result<Option<Item>> {
    let sql = format!("SELECT {FIELDS} FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3");
    tx.query_opt(&sql, params![account, board_id, item_id], item_row)
}

/// Items that [`find_some`] finds at once.
pub(crate) const FOUND_AT_ONCE: usize = 50;

/// Those of at most [`FOUND_AT_ONCE`] items that the board has, by id.
pub(crate) fn find_some(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    ids: impl IntoIterator<Item = impl AsRef<str>>,
) -> Result<HashMap<String, Item>> {
    // However many are asked for it is one statement; no item has an empty id.
    static SQL: LazyLock<String> = LazyLock::new(|| {
        let ids: Vec<String> = (0..FOUND_AT_ONCE).map(|index| format!("${}", index + 3)).collect();
        let ids = ids.join(", ");
        format!("SELECT {FIELDS} FROM items WHERE account_id = $1 AND board_id = $2 AND item_id IN ({ids})")
    });
    let ids: Vec<_> = ids.into_iter().collect();
    let mut wanted = vec![store::Value::from(account), board_id.into()];
    wanted.extend(ids.iter().map(|id| store::Value::from(id.as_ref())));
    wanted.resize(FOUND_AT_ONCE + 2, "".into());
    let found = tx.query(&SQL, &wanted, item_row)?;
    Ok(found.into_iter().map(|item| (item.record.id.clone(), item)).collect())
}

/// Shows every item of the board to `look`, in the order of their ids.
pub(crate) fn each(tx: &mut Tx<'_>, account: &str, board_id: &str, mut look: impl FnMut(Record)) -> Result<()> {
    let sql = format!(
        "SELECT {FIELDS} FROM items WHERE account_id = $1 AND board_id = $2 AND item_id > $3 ORDER BY item_id LIMIT $4"
    );
    let mut after = String::new();
    loop {
        let some = tx.query(&sql, params![account, board_id, &after, ITEMS_PER_STEP], item_row)?;
        let Some(last) = some.last() else { return Ok(()) };
        after.clone_from(&last.record.id);
        some.into_iter().for_each(|item| look(item.record));
    }
}

/// Stores an item, changed at a revision of its board.
pub(crate) fn store(tx: &mut Tx<'_>, account: &str, board_id: &str, revision: i64, item: &Item) -> Result<()> {
    let Item { position, record } = item;
    let record_json = serde_json::to_string(record).map_err(board::damaged)?;
    let parent_id = record.parent_id.as_deref().unwrap_or_default();
    let row = params![account, board_id, &record.id, &record.group_id, parent_id, *position, revision, record_json];
    // Most changes leave an item where it stands; naming its place as well would write the index of places each time.
    let where_it_stands = "UPDATE items SET revision = $7, record_json = $8 WHERE account_id = $1 AND board_id = $2 AND item_id = $3 \
         AND group_id = $4 AND parent_id = $5 AND position = $6";
    if tx.execute(where_it_stands, row)? == 0 {
        let elsewhere = "UPDATE items SET group_id = $4, parent_id = $5, position = $6, revision = $7, record_json = $8 \
             WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
        tx.execute(elsewhere, row)?;
    }
    Ok(())
}

/// Items read by one step of a change of many, and by one [`change_some`].
pub(crate) const ITEMS_PER_STEP: i64 = 2_000;

/// Changes those of the next items after an ID whose record contains `part`; returns the last ID unless the end was
/// reached. `change` returns whether it changed the item. The cost per call is constant.
pub(crate) fn change_some(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    part: &str,
    after: &str,
    mut change: impl FnMut(&mut Tx<'_>, &mut Record) -> Result<bool>,
) -> Result<Option<String>> {
    let revision = board::next_revision(tx, account, board_id)?.ok_or_else(not_found)?;
    let sql = "SELECT item_id, position, record_json FROM items WHERE account_id = $1 AND board_id = $2 AND item_id > $3 \
         ORDER BY item_id LIMIT $4";
    let (mut last, mut count) = (None, 0);
    let found = tx.query(sql, params![account, board_id, after, ITEMS_PER_STEP], |row| {
        count += 1;
        if count == ITEMS_PER_STEP {
            last = Some(row.get(0)?);
        }
        let record_json: &str = row.get(2)?;
        if !record_json.contains(part) {
            return Ok(None);
        }
        Ok(Some(Item { position: row.get(1)?, record: serde_json::from_str(record_json).map_err(board::damaged)? }))
    })?;
    for mut item in found.into_iter().flatten() {
        if change(tx, &mut item.record)? {
            store(tx, account, board_id, revision, &item)?;
        }
    }
    Ok(last)
}

/// Restores a cell of an item: on the board at a revision, or in the trash or archive. Does nothing if the item no longer exists.
pub(crate) fn put_cell(
    tx: &mut Tx<'_>,
    (account, board_id, revision): (&str, &str, i64),
    item_id: &str,
    column_id: &str,
    value: Value,
) -> Result<()> {
    let put = |record_json: &str, value: Value| -> Result<Record> {
        let mut record: Record = serde_json::from_str(record_json).map_err(board::damaged)?;
        record.cells.insert(column_id.to_owned(), value);
        Ok(record)
    };
    let here = params![account, board_id, item_id];
    let sql = "SELECT position, record_json FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
    if let Some((position, json)) = tx.query_opt(sql, here, |row| Ok((row.get::<i64>(0)?, row.get::<String>(1)?)))? {
        return store(tx, account, board_id, revision, &Item { position, record: put(&json, value)? });
    }
    let sql = "SELECT record_json FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = 'item' AND thing_id = $3";
    if let Some(json) = tx.query_opt(sql, here, |row| row.get::<String>(0))? {
        let record_json = serde_json::to_string(&put(&json, value)?).map_err(board::damaged)?;
        let sql = "UPDATE board_kept SET record_json = $4 WHERE account_id = $1 AND board_id = $2 AND kind = 'item' AND thing_id = $3";
        tx.execute(sql, params![account, board_id, item_id, record_json])?;
    }
    Ok(())
}

/// Fails if an item isn't on the board.
pub(crate) fn expect_item(tx: &mut Tx<'_>, account: &str, board_id: &str, item_id: &str) -> Result<()> {
    let sql = "SELECT 1 FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
    tx.query_one(sql, params![account, board_id, item_id], |_| Ok(())).map_err(|error| error.naming(&["item"]))
}

/// The condition that the index of subitems answers; `$3` is the parent.
pub(crate) const OF_PARENT: &str = "parent_id = $3 AND parent_id <> ''";

pub(crate) const NAME: &str = "name";

pub(crate) const GROUP: &str = "groupId";

/// Whether a part of an item is its name, its group or a cell.
pub(crate) fn is_value(field: &str) -> bool {
    field == NAME || field == GROUP || crate::ids::number_in(field, b'c').is_some()
}

/// A part of an item: its name, its group or a cell.
pub(crate) fn value_of(record: &Record, field: &str) -> Option<Value> {
    match field {
        NAME => Some(json!(record.name)),
        GROUP => Some(json!(record.group_id)),
        column_id => record.cells.get(column_id).cloned(),
    }
}

/// Sets a part of an item.
pub(crate) fn set(record: &mut Record, field: &str, value: Option<Value>) {
    match (field, value) {
        (NAME, Some(Value::String(name))) => record.name = name,
        (GROUP, Some(Value::String(group_id))) => record.group_id = group_id,
        (NAME | GROUP, _) => {}
        (column_id, Some(value)) => {
            record.cells.insert(column_id.to_owned(), value);
        }
        (column_id, None) => {
            record.cells.remove(column_id);
        }
    }
}

pub(crate) fn has_comments(tx: &mut Tx<'_>, account: &str, board_id: &str, item_id: Option<&str>) -> Result<bool> {
    let sql =
        "SELECT 1 FROM item_comments WHERE account_id = $1 AND board_id = $2 AND ($3 = '' OR item_id = $3) LIMIT 1";
    Ok(tx.query_opt(sql, params![account, board_id, item_id.unwrap_or_default()], |_| Ok(()))?.is_some())
}
