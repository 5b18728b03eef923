//! Items of a board and their cells.

use crate::board::{self, Came, Edit, edit};
use crate::boards::{PAGE_MAX, expect_name, page};
use crate::cells::{Column, NAME_CHARS_MAX, NOT_BLANK, no_column};
use crate::fault;
use crate::files::OfItem;
use crate::formula::Formulas;
use crate::place::Beside;
use crate::{BOARD_LIMIT, NAMED_NOT_FOUND, directory, expect, ids, subitems};
use kit::error::{Result, invalid, not_found};
use kit::text::{id_cursor, number_cursor, unknown_cursor};
use kit::{Call, Caller, Created, Ctx, Kind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::LazyLock;
use store::{HasDb, Row, Tx, params};

/// Items of a board.
pub const ITEMS_MAX: i64 = 1_000_000;
/// What the record of changes calls an item's position.
pub(crate) const POSITION: &str = "position";
/// Items that one request may create.
pub const ITEMS_PER_CREATE_MAX: usize = 1_000;
/// What a new item's position is above the last one's, so that others can be moved in between: so often at one place as it can
/// be halved. All items that a board can have, and 200 times as many that were deleted, stay below the largest position.
pub(crate) const POSITION_STEP: i64 = if cfg!(test) { 64 } else { 1 << 24 };
/// Largest position that a caller may set: half of what every client can hold, so that new items still fit after it.
pub(crate) const POSITION_MAX: i64 = 1 << 52;

/// An item as it is stored.
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

/// An item with its place on the board.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename = "ItemRecord")]
pub(crate) struct Item {
    /// Items are ordered by it, then by id.
    pub(crate) position: i64,
    #[serde(flatten)]
    pub(crate) record: Record,
}

/// The caller as records name it. The owner, who makes most, is left out, so that most records are the shorter.
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

/// An item after a change, with the board's revision.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Written {
    #[serde(flatten)]
    pub(crate) item: Item,
    #[serde(flatten)]
    pub(crate) came: Came,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct List {
    /// The board.
    board_id: String,
    /// Page size, 1 to 1,000. Default: 100.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<i64>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = "^[0-9]{1,18}-[0-9a-z-]{1,64}$"))]
    cursor: Option<String>,
    /// Only the subitems of this item.
    parent_id: Option<String>,
}

/// A page of items.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Items {
    items: Vec<Item>,
    /// Cursor of the next page; null on the last.
    next_cursor: Option<String>,
}

pub(crate) async fn list(ctx: Ctx, call: Call, input: List) -> Result<Items> {
    let limit = page(input.limit)?;
    let (position, after) = match input.cursor.as_deref() {
        None => (-1, String::new()),
        Some(cursor) => {
            let (position, id) = cursor.split_once('-').ok_or_else(unknown_cursor)?;
            (number_cursor(position)?, id_cursor(Some(id))?.unwrap_or_default().to_owned())
        }
    };
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, call.account(), &input.board_id)?;
        if let Some(parent_id) = &input.parent_id {
            let parent = find(tx, call.account(), &board.id, parent_id)?;
            parent.ok_or_else(|| ids::unknown(fault::UNKNOWN_ITEM, "/parentId"))?;
            let sql = format!(
                "SELECT {FIELDS} FROM items WHERE account_id = $1 AND board_id = $2 AND {} \
                 AND position >= $4 AND (position > $4 OR item_id > $5) ORDER BY position, item_id LIMIT $6",
                subitems::OF_PARENT
            );
            let of = params![call.account(), &board.id, parent_id, position, after, limit + 1];
            return tx.query(&sql, of, item_row);
        }
        let sql = format!(
            "SELECT {FIELDS} FROM items WHERE account_id = $1 AND board_id = $2 \
             AND position >= $3 AND (position > $3 OR item_id > $4) ORDER BY position, item_id LIMIT $5"
        );
        tx.query(&sql, params![call.account(), &board.id, position, after, limit + 1], item_row)
    };
    let mut items = ctx.db().read(read).await?;
    let more = items.len() as i64 > limit;
    items.truncate(limit as usize);
    let next_cursor = items.last().filter(|_| more).map(|last| format!("{}-{}", last.position, last.record.id));
    Ok(Items { items, next_cursor })
}

pub(crate) async fn get(ctx: Ctx, call: Call, input: Which) -> Result<Written> {
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, call.account(), &input.board_id)?;
        let item = find(tx, call.account(), &board.id, &input.item_id)?.ok_or_else(not_found)?;
        Ok(Written { item, came: Came::at(board.revision) })
    };
    ctx.db().read(read).await
}

/// An item to create.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct New {
    /// 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: String,
    /// The group. Default: the parent's, or the board's first.
    group_id: Option<String>,
    /// The parent, which must be a top-level item.
    parent_id: Option<String>,
    /// Values by column ID or unique title. Labels and members are given by ID or unique name.
    #[serde(default)]
    cells: Map<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Create {
    /// The board.
    board_id: String,
    /// The item's name, 1 to 255 characters; for many, use `items`.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: Option<String>,
    /// The group. Default: the parent's, or the board's first.
    group_id: Option<String>,
    /// The parent, which must be a top-level item.
    parent_id: Option<String>,
    /// Values by column ID or unique title. Labels and members are given by ID or unique name.
    cells: Option<Map<String, Value>>,
    /// Up to 1,000 items, instead of the members above.
    #[schemars(length(min = 1, max = ITEMS_PER_CREATE_MAX))]
    items: Option<Vec<New>>,
    /// With `items`, return only IDs.
    #[serde(default)]
    brief: bool,
}

/// The item that was created, or all of them where many were sent.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum CreatedItems {
    /// One was sent.
    One(Box<Written>),
    /// Many were sent.
    #[serde(rename_all = "camelCase")]
    Many {
        /// In the order sent.
        items: Vec<Item>,
        /// The board's revision after the change.
        board_revision: i64,
    },
    /// Many were sent, with `brief`.
    #[serde(rename_all = "camelCase")]
    Brief {
        /// In the order sent.
        ids: Vec<String>,
        /// The board's revision after the change.
        board_revision: i64,
    },
}

pub(crate) async fn create(ctx: Ctx, call: Call, input: Create) -> Result<Created<CreatedItems>> {
    let (many, news) = match (input.name, input.items) {
        (Some(name), None) => {
            let (group_id, parent_id) = (input.group_id, input.parent_id);
            (false, vec![New { name, group_id, parent_id, cells: input.cells.unwrap_or_default() }])
        }
        (None, Some(items)) if [&input.group_id, &input.parent_id] == [&None, &None] && input.cells.is_none() => {
            (true, items)
        }
        _ => {
            let detail = "Send either a name (with groupId, parentId and cells), or items alone.";
            return Err(invalid("/name", fault::ONE_OF, detail));
        }
    };
    if news.is_empty() || news.len() > ITEMS_PER_CREATE_MAX {
        return Err(invalid("/items", fault::WRONG_LENGTH, format!("items holds 1 to {ITEMS_PER_CREATE_MAX} items.")));
    }
    let values = news.iter().flat_map(|new| new.cells.values());
    let members = directory::members_in(&ctx, call.account(), values).await?;
    edit(ctx, call, input.board_id, move |tx, edit| {
        if edit.board.item_count + news.len() as i64 > ITEMS_MAX {
            return Err(BOARD_LIMIT.error(format!("A board can have up to {ITEMS_MAX} items.")));
        }
        let columns = board::columns(tx, &edit.account, &edit.board.id)?;
        let formulas = Formulas::of(&columns);
        let groups = board::groups(tx, &edit.account, &edit.board.id)?;
        let first_group = groups.first().map(|g| g.id.clone()).ok_or_else(not_found)?;
        let mut made = Vec::with_capacity(news.len());
        let made_at = kit::rfc3339(edit.now_ms);
        let by = made_by(&edit.caller);
        for ((index, new), id) in news.into_iter().enumerate().zip(ids::short_ids()) {
            let pointer = if many { format!("/items/{index}") } else { String::new() };
            expect_name(&new.name, &format!("{pointer}/name"))?;
            let of_group = format!("{pointer}/groupId");
            if new.group_id.as_ref().is_some_and(|id| !groups.iter().any(|g| g.id == *id)) {
                return Err(ids::unknown(fault::UNKNOWN_GROUP, of_group));
            }
            let group_id = match &new.parent_id {
                None => new.group_id.unwrap_or_else(|| first_group.clone()),
                Some(parent_id) => {
                    let parent = subitems::parent(tx, edit, parent_id, &format!("{pointer}/parentId"))?;
                    let group_id = parent.record.group_id;
                    new.group_id.map_or(Ok(()), |asked| subitems::expect_group(&asked, &group_id, &of_group))?;
                    group_id
                }
            };
            let cells = accept_cells(tx, &edit.account, None, &columns, &members, new.cells, &pointer)?;
            let cells = cells.into_iter().filter_map(|(id, value)| Some((id, value?))).collect();
            edit.board.last_position += POSITION_STEP;
            let (created_at, updated_at) = (made_at.clone(), made_at.clone());
            let (created_by, updated_by) = (by.clone(), by.clone());
            let (name, parent_id) = (new.name, new.parent_id);
            let mut record =
                Record { id, group_id, name, created_at, updated_at, created_by, updated_by, parent_id, cells };
            formulas.apply(tx, &edit.account, &mut record)?;
            let item = Item { position: edit.board.last_position, record };
            put_new(tx, edit, &item)?;
            made.push(item);
        }
        edit.has_read(columns);
        let board_revision = edit.board.revision;
        let list = format!("/boards/{}/items", edit.board.id);
        if many && input.brief {
            let ids = made.into_iter().map(|item| item.record.id).collect();
            return Ok(Created { location: list, record: CreatedItems::Brief { ids, board_revision } });
        }
        if many {
            return Ok(Created { location: list, record: CreatedItems::Many { items: made, board_revision } });
        }
        let item = made.pop().expect("one was made");
        let location = format!("{list}/{}", item.record.id);
        Ok(Created { location, record: CreatedItems::One(Box::new(Written { item, came: edit.came() })) })
    })
    .await
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

/// Checks values against their columns, of an item that is there already; each as it is to be stored, by column id.
pub(crate) fn accept_cells(
    tx: &mut Tx<'_>,
    account: &str,
    at: Option<OfItem<'_>>,
    columns: &[Column],
    members: &directory::Named,
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
        let value = column.accept(tx, account, at, &value, &pointer, members)?;
        accepted.push((column.id.clone(), value));
    }
    Ok(accepted)
}

/// The refusal of a cell of a column that the board doesn't have, or whose title several columns have.
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
    tx.query_one(&sql, params![edit.account.as_str(), &edit.board.id, item_id], item_row)
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

/// Notes that a change touches an item, and computes what follows from all that it holds then.
pub(crate) fn settle(tx: &mut Tx<'_>, edit: &Edit, formulas: &Formulas, record: &mut Record) -> Result<()> {
    touch(edit, record);
    formulas.apply(tx, &edit.account, record)?;
    Ok(())
}

/// Notes who changes an item, and when.
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

/// Gives an item another position, and records it, without saving the item.
pub(crate) fn put_at(tx: &mut Tx<'_>, edit: &mut Edit, item: &mut Item, position: i64) -> Result<()> {
    let (before, after) = (json!(item.position), json!(position));
    edit.record(tx, "item", &item.record.id, POSITION, Some(&before), Some(&after))?;
    leave(tx, edit, &item.record.id, item.position)?;
    item.position = position;
    Ok(())
}

/// Revisions for which the places that items left are kept.
const LEFT_REVISIONS_KEPT: i64 = 10_000;

/// Notes that an item leaves its place, or comes to stand in one that is not the end, for those who keep the board and ask
/// what has changed.
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

/// Items read by one step of [`change_all`], and by one [`change_some`].
pub(crate) const ITEMS_PER_STEP: i64 = 2_000;

/// Of the next items after an id, changes those whose record contains `part`; the last id, unless these were the last items.
/// `change` says whether it changed anything.
/// However few contain it, one call costs the same.
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

/// The next items of a group after an id.
pub(crate) fn of_group(tx: &mut Tx<'_>, edit: &Edit, group_id: &str, after: &str, limit: i64) -> Result<Vec<Item>> {
    let sql = format!(
        "SELECT {FIELDS} FROM items WHERE account_id = $1 AND board_id = $2 AND group_id = $3 AND item_id > $4 \
         ORDER BY item_id LIMIT $5"
    );
    tx.query(&sql, params![edit.account.as_str(), &edit.board.id, group_id, after, limit], item_row)
}

/// Puts a cell back into an item, on the board, where it is changed at a revision, or put away; nothing where the item is no more.
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
            none => none.insert(Formulas::of(&board::columns(tx, &edit.account, &edit.board.id)?)),
        };
        for mut item in items {
            change(&mut item.record);
            settle(tx, edit, formulas, &mut item.record)?;
            store(tx, &edit.account, &edit.board.id, edit.board.revision, &item)?;
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Update {
    /// The board.
    board_id: String,
    /// The item.
    item_id: String,
    /// Its new name, 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: Option<String>,
    /// Its new group. A subitem is always in its parent's group.
    group_id: Option<String>,
    /// The new parent, which must be a top-level item. null or an empty string makes it an item.
    #[serde(default, deserialize_with = "expect::present")]
    #[schemars(with = "Option<String>")]
    parent_id: Option<Value>,
    /// Its new position, between those of its neighbors. A value past the last item means the end.
    #[schemars(range(min = 0, max = POSITION_MAX))]
    position: Option<i64>,
    /// Alternative to position: the item to place it after, in any group. If that item no longer exists, `before` applies; if neither exists, it isn't moved.
    after: Option<String>,
    /// The item to place it before, if `after` doesn't exist.
    before: Option<String>,
    /// Values by column ID or unique title. null clears a cell; omitted columns don't change. Labels and members are given by ID or unique name.
    #[serde(default)]
    cells: Map<String, Value>,
    /// Previous values by column ID, and `name`, `groupId`, and `parentId`. Nothing changes if any of them differs now.
    #[serde(default)]
    was: Map<String, Value>,
}

/// Refuses a position that none can be.
pub(crate) fn expect_position(position: i64, pointer: &str) -> Result<()> {
    if (0..=POSITION_MAX).contains(&position) {
        return Ok(());
    }
    Err(invalid(pointer, fault::OUT_OF_RANGE, format!("position is 0 to {POSITION_MAX}.")))
}

pub(crate) async fn update(ctx: Ctx, mut call: Call, input: Update) -> Result<Written> {
    if let Some(name) = &input.name {
        expect_name(name, "/name")?;
    }
    input.position.map_or(Ok(()), |position| expect_position(position, "/position"))?;
    let members = directory::members_in(&ctx, call.account(), input.cells.values()).await?;
    let if_match = call.if_match.take();
    edit(ctx, call, input.board_id, move |tx, edit| {
        let mut item = load(tx, edit, &input.item_id)?;
        expect::unchanged(tx, edit, &item, if_match.as_deref())?;
        for (field, was) in &input.was {
            let now = match field.as_str() {
                "name" => Some(json!(item.record.name)),
                "groupId" => Some(json!(item.record.group_id)),
                "parentId" => item.record.parent_id.as_ref().map(|id| json!(id)),
                column_id => item.record.cells.get(column_id).cloned(),
            };
            expect::holds(tx, edit, &item, field, now.as_ref(), was)?;
        }
        if let Some(name) = input.name {
            let (before, after) = (json!(item.record.name), json!(name));
            edit.record(tx, "item", &item.record.id, "name", Some(&before), Some(&after))?;
            item.record.name = name;
        }
        subitems::move_to(tx, edit, &mut item, input.group_id, input.parent_id.as_ref(), "")?;
        if let Some(position) = input.position {
            change_place(tx, edit, &mut item, position)?;
        }
        if let Some(beside) = Beside::of((input.after, input.before), input.position, "")?
            && let Some(position) = beside.position(tx, edit, &item, "")?
        {
            put_at(tx, edit, &mut item, position)?;
        }
        let columns = board::columns(tx, &edit.account, &edit.board.id)?;
        let at = Some(OfItem::new(&edit.board.id, &item.record));
        for (id, value) in accept_cells(tx, &edit.account, at, &columns, &members, input.cells, "")? {
            change_cell(tx, edit, &mut item, &id, value)?;
        }
        let formulas = Formulas::of(&columns);
        edit.has_read(columns);
        save(tx, edit, &formulas, item)
    })
    .await
}

/// Gives an item another value of a column; whether it had another.
pub(crate) fn change_cell(
    tx: &mut Tx<'_>,
    edit: &Edit,
    item: &mut Item,
    column_id: &str,
    value: Option<Value>,
) -> Result<bool> {
    if expect::same(item.record.cells.get(column_id), value.as_ref()) {
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

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SetCell {
    /// The board.
    board_id: String,
    /// The item.
    item_id: String,
    /// The column, by ID or unique title.
    column_id: String,
    /// The new value; null clears the cell. Labels and members are given by ID or unique name.
    value: Value,
    /// The previous value, or null if empty. Nothing changes if it differs now.
    #[serde(default, deserialize_with = "expect::present")]
    was: Option<Value>,
}

/// The column of an id, or of a title that one alone has: people go by titles.
fn called<'a>(columns: &'a [Column], said: &str) -> Option<&'a Column> {
    let of_id = columns.iter().find(|column| column.id == said);
    of_id.or_else(|| {
        let title = said.trim().to_lowercase();
        let mut titled = columns.iter().filter(|column| column.title.trim().to_lowercase() == title);
        titled.next().filter(|_| titled.next().is_none())
    })
}

pub(crate) async fn set_cell(ctx: Ctx, mut call: Call, input: SetCell) -> Result<Written> {
    let members = directory::members_in(&ctx, call.account(), std::iter::once(&input.value)).await?;
    let if_match = call.if_match.take();
    edit(ctx, call, input.board_id, move |tx, edit| {
        let mut item = load(tx, edit, &input.item_id)?;
        expect::unchanged(tx, edit, &item, if_match.as_deref())?;
        let columns = board::columns(tx, &edit.account, &edit.board.id)?;
        let column = called(&columns, &input.column_id).ok_or_else(|| no_column(&columns))?;
        if let Some(was) = &input.was {
            let now = item.record.cells.get(&column.id).cloned();
            expect::holds(tx, edit, &item, &column.id, now.as_ref(), was)?;
        }
        let at = Some(OfItem::new(&edit.board.id, &item.record));
        let value = column.accept(tx, &edit.account, at, &input.value, "/value", &members)?;
        change_cell(tx, edit, &mut item, &column.id, value)?;
        let formulas = Formulas::of(&columns);
        edit.has_read(columns);
        save(tx, edit, &formulas, item)
    })
    .await
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Which {
    /// The board.
    pub(crate) board_id: String,
    /// The item.
    pub(crate) item_id: String,
}
