//! Requests about items: listing, reading, creating, and changing them.

use crate::attachments::OfItem;
use crate::cell_names::CellNames;
use crate::cells::no_column;
use crate::change::ChangeResult;
use crate::edit::edit;
use crate::errors::BOARD_LIMIT;
use crate::formula::Formulas;
use crate::inputs::{self, ItemParams, PAGE_MAX, expect_name, page};
use crate::item::{self, FIELDS, ITEMS_MAX, Item, POSITION_MAX, POSITION_STEP, Record, find, item_row, made_by};
use crate::items::{Written, accept_cells, called, change_cell, change_place, load, put_at, put_new, save};
use crate::place::Anchor;
use crate::{board, expect, fault, groups, ids, subitems};
use column_types::{ColumnType, NAME_CHARS_MAX, NOT_BLANK};
use kit::error::{Result, invalid, not_found};
use kit::text::{id_cursor, number_cursor, unknown_cursor};
use kit::{Call, Created, Ctx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use store::{HasDb, Tx, params};

/// Items that one request may create.
pub const ITEMS_PER_CREATE_MAX: usize = 1_000;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct List {
    /// ID, not the name.
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
                item::OF_PARENT
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

pub(crate) async fn get(ctx: Ctx, call: Call, input: ItemParams) -> Result<Written> {
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, call.account(), &input.board_id)?;
        let item = find(tx, call.account(), &board.id, &input.item_id)?.ok_or_else(|| not_found().naming(&["item"]))?;
        Ok(Written { item, came: ChangeResult::at(board.revision) })
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
    /// The group, by ID or unique name. Default: the parent's, or the board's first.
    group_id: Option<String>,
    /// The parent, a top-level item.
    parent_id: Option<String>,
    /// Values by column ID or unique title. Labels and members are given by ID or unique name.
    #[serde(default)]
    cells: Map<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Create {
    /// ID, not the name.
    board_id: String,
    /// The item's name, 1 to 255 characters; for many, use `items`.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: Option<String>,
    /// The group, by ID or unique name. Default: the parent's, or the board's first.
    group_id: Option<String>,
    /// The parent, a top-level item.
    parent_id: Option<String>,
    /// Values by column ID or unique title. Labels and members are given by ID or unique name.
    cells: Option<Map<String, Value>>,
    /// Up to 1,000 items instead of one, such as `[{"name": "A", "cells": {"Status": "Done"}}]`.
    #[schemars(length(min = 1, max = ITEMS_PER_CREATE_MAX))]
    items: Option<Vec<New>>,
    /// With `items`, return only IDs.
    #[serde(default)]
    brief: bool,
}

/// The created item, or all of them if `items` was sent.
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
            let detail = "Use either `name` (with `groupId`, `parentId`, and `cells`) or `items`.";
            return Err(invalid("/name", fault::ONE_OF, detail));
        }
    };
    if news.is_empty() || news.len() > ITEMS_PER_CREATE_MAX {
        return Err(invalid("/items", fault::WRONG_LENGTH, format!("Send 1 to {ITEMS_PER_CREATE_MAX} items.")));
    }
    let values = news.iter().flat_map(|new| new.cells.values());
    let names = CellNames::read(&ctx, call.account(), values).await?;
    edit(ctx, call, input.board_id, move |tx, edit| {
        if edit.board.item_count + news.len() as i64 > ITEMS_MAX {
            return Err(BOARD_LIMIT.error(format!("A board can have up to {ITEMS_MAX} items.")));
        }
        let columns = board::columns(tx, &edit.account, &edit.board.id)?;
        let formulas = Formulas::new(&columns);
        let groups = board::groups(tx, &edit.account, &edit.board.id)?;
        let first_group = groups.first().map(|g| g.id.clone()).ok_or_else(not_found)?;
        let mut made = Vec::with_capacity(news.len());
        let made_at = kit::rfc3339(edit.now_ms);
        let by = made_by(&edit.caller);
        for ((index, new), id) in news.into_iter().enumerate().zip(ids::short_ids()) {
            let pointer = if many { format!("/items/{index}") } else { String::new() };
            expect_name(&new.name, &format!("{pointer}/name"))?;
            let of_group = format!("{pointer}/groupId");
            let asked = new.group_id.map(|text| groups::meant(&groups, &text, &of_group)).transpose()?;
            let group_id = match &new.parent_id {
                None => asked.unwrap_or_else(|| first_group.clone()),
                Some(parent_id) => {
                    let parent = subitems::parent(tx, edit, parent_id, &format!("{pointer}/parentId"))?;
                    let group_id = parent.record.group_id;
                    asked.map_or(Ok(()), |asked| subitems::expect_group(&asked, &group_id, &of_group))?;
                    group_id
                }
            };
            let cells = accept_cells(tx, &edit.account, None, &columns, &names, new.cells, &pointer)?;
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

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Update {
    /// ID, not the name.
    board_id: String,
    /// The item's ID.
    item_id: String,
    /// Its new name, 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: Option<String>,
    /// Its new group, by ID or unique name. A subitem is always in its parent's group.
    group_id: Option<String>,
    /// The new parent, a top-level item. null or an empty string makes it an item.
    #[serde(default, deserialize_with = "inputs::present")]
    #[schemars(with = "Option<String>")]
    parent_id: Option<Value>,
    /// Its new position between its neighbors. A value past the last item means the end.
    #[schemars(range(min = 0, max = POSITION_MAX))]
    position: Option<i64>,
    /// Alternative to position: the item to place it after, in any group. If that item no longer exists, `before` applies; if neither exists, it isn't moved.
    after: Option<String>,
    /// The item to place it before, if `after` doesn't exist.
    before: Option<String>,
    /// Values by column ID or unique title. null clears a cell; omitted columns don't change. Labels and members are given by ID or unique name.
    #[serde(default)]
    cells: Map<String, Value>,
    /// Previous values by column ID, "name", "groupId", and "parentId". Nothing changes if any of them differs now.
    #[serde(default)]
    was: Map<String, Value>,
}

/// Refuses a position that none can be.
pub(crate) fn expect_position(position: i64, pointer: &str) -> Result<()> {
    if (0..=POSITION_MAX).contains(&position) {
        return Ok(());
    }
    Err(invalid(pointer, fault::OUT_OF_RANGE, format!("Use a position from 0 to {POSITION_MAX}.")))
}

pub(crate) async fn update(ctx: Ctx, mut call: Call, input: Update) -> Result<Written> {
    if let Some(name) = &input.name {
        expect_name(name, "/name")?;
    }
    input.position.map_or(Ok(()), |position| expect_position(position, "/position"))?;
    let names = CellNames::read(&ctx, call.account(), input.cells.values()).await?;
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
        if let Some(beside) = Anchor::new((input.after, input.before), input.position, "")?
            && let Some(position) = beside.position(tx, edit, &item, "")?
        {
            put_at(tx, edit, &mut item, position)?;
        }
        let columns = board::columns(tx, &edit.account, &edit.board.id)?;
        let at = Some(OfItem::new(&edit.board.id, &item.record));
        for (id, value) in accept_cells(tx, &edit.account, at, &columns, &names, input.cells, "")? {
            change_cell(tx, edit, &mut item, &id, value)?;
        }
        let formulas = Formulas::new(&columns);
        edit.has_read(columns);
        save(tx, edit, &formulas, item)
    })
    .await
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SetCell {
    /// ID, not the name.
    board_id: String,
    /// The item's ID.
    item_id: String,
    /// The column, by ID or unique title.
    column_id: String,
    #[schemars(description = examples())]
    value: Value,
    /// The previous value, or null if empty. Nothing changes if it differs now.
    #[serde(default, deserialize_with = "inputs::present")]
    was: Option<Value>,
}

/// A value for each type of column that holds values.
pub(crate) const EXAMPLES: [(&[ColumnType], &str); 11] = [
    (&[ColumnType::Text, ColumnType::LongText], "Hello"),
    (&[ColumnType::Number, ColumnType::Rating, ColumnType::Progress], "3"),
    (&[ColumnType::Status, ColumnType::Dropdown], "Done"),
    (&[ColumnType::Tags], r#"["urgent"]"#),
    (&[ColumnType::People], r#"["Ana"]"#),
    (&[ColumnType::Date], "2026-03-01"),
    (&[ColumnType::Timeline], r#"{"from": "2026-03-01", "to": "2026-03-14"}"#),
    (&[ColumnType::Checkbox], "true"),
    (&[ColumnType::Link], "https://example.com"),
    (&[ColumnType::Email], "ana@example.com"),
    (&[ColumnType::Phone], "+1 555 0100"),
];

fn examples() -> String {
    let names = |kinds: &[ColumnType]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    let each: Vec<String> = EXAMPLES.iter().map(|(kinds, value)| format!("{} `{value}`", names(kinds))).collect();
    format!(
        "The new value: {}; itemLink, sprint, and file take lists; null clears the cell. Labels and members are given by ID or \
         unique name.",
        each.join("; ")
    )
}

pub(crate) async fn set_cell(ctx: Ctx, mut call: Call, input: SetCell) -> Result<Written> {
    let names = CellNames::read(&ctx, call.account(), std::iter::once(&input.value)).await?;
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
        let value = column.accept(tx, &edit.account, at, &input.value, "/value", &names)?;
        change_cell(tx, edit, &mut item, &column.id, value)?;
        let formulas = Formulas::new(&columns);
        edit.has_read(columns);
        save(tx, edit, &formulas, item)
    })
    .await
}
