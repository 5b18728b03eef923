//! The changes of an item, as the change log has them.

use crate::actor::{Actor, Names};
use crate::change_names::Parts;
use crate::inputs::{PAGE_MAX, page};
use crate::item::{expect_item, is_value};
use crate::{board, undo};
use kit::error::Result;
use kit::lookup::Members;
use kit::text::{CURSOR, id_cursor};
use kit::{Call, Ctx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use store::{ChangeRow, HasDb, Tx};

/// What changes of items are recorded as.
const ITEM: &str = "item";

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "ActivityOf", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct List {
    /// ID, not the name.
    board_id: String,
    /// The item's ID.
    item_id: String,
    /// Page size, 1 to 1,000. Default: 100.
    #[schemars(range(min = 1, max = PAGE_MAX))]
    limit: Option<i64>,
    /// `nextCursor` of the previous page.
    #[schemars(regex(pattern = CURSOR))]
    cursor: Option<String>,
}

/// One change of an item.
#[derive(Serialize, JsonSchema)]
#[serde(rename = "ActivityEntry", rename_all = "camelCase")]
struct Entry {
    /// ID for `boards.undo`.
    change_id: String,
    /// RFC 3339 in UTC.
    at: String,
    actor: Actor,
    /// The actor in words, on one line.
    by: String,
    /// `name`, `groupId`, `position`, `parentId`, a column ID, `comments/` with a comment ID, `kept` for Archive and Trash,
    /// or empty for the whole item.
    field: String,
    /// Title of the field, such as a column's, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    field_name: Option<String>,
    /// The value before; null if none. For a comment, everything except its text.
    before: Value,
    /// The value after; null if none.
    after: Value,
    /// `before` with names instead of the IDs of labels, members, and groups.
    #[serde(skip_serializing_if = "Option::is_none")]
    before_named: Option<Value>,
    /// `after` with names.
    #[serde(skip_serializing_if = "Option::is_none")]
    after_named: Option<Value>,
    /// Whether `boards.undo` supports this kind of change.
    undoable: bool,
}

/// A page of changes of an item.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Activity {
    items: Vec<Entry>,
    /// Cursor of the next page; null on the last.
    next_cursor: Option<String>,
}

pub(crate) async fn list(ctx: Ctx, call: Call, input: List) -> Result<Activity> {
    let limit = page(input.limit)?;
    let caller = call.caller.clone();
    let read = move |tx: &mut Tx<'_>| {
        let board = board::load(tx, call.account(), &input.board_id)?;
        expect_item(tx, call.account(), &board.id, &input.item_id)?;
        let rows = tx.changes(call.account(), ITEM, &input.item_id, id_cursor(input.cursor.as_deref())?, limit + 1)?;
        Ok((rows, Parts::load(tx, call.account(), board)?))
    };
    let (mut rows, parts) = ctx.db().read(read).await?;
    let more = rows.len() as i64 > limit;
    rows.truncate(limit as usize);
    let next_cursor = rows.last().filter(|_| more).map(|row| row.change_id.clone());
    let names = Names::load(&ctx, &caller, &rows).await?;
    let members = match rows.iter().any(|row| parts.is_people(&row.field)) {
        true => ctx.service::<Members>().0.all(&caller.account).await?.into_iter().map(|m| (m.0, m.1)).collect(),
        false => HashMap::new(),
    };
    Ok(Activity { items: rows.into_iter().map(|row| entry(row, &names, &parts, &members)).collect(), next_cursor })
}

fn entry(mut row: ChangeRow, names: &Names, parts: &Parts, members: &HashMap<String, String>) -> Entry {
    let actor = names.actor(&mut row);
    let named = |value: &Option<Value>| parts.value(&row.field, value.as_ref()?, members);
    Entry {
        field_name: parts.title(&row.field),
        before_named: named(&row.before),
        after_named: named(&row.after),
        undoable: is_value(&row.field) || undo::takes(&row),
        at: kit::rfc3339(row.at_ms),
        by: actor.in_words(),
        actor,
        change_id: row.change_id,
        field: row.field,
        before: row.before.unwrap_or_default(),
        after: row.after.unwrap_or_default(),
    }
}
