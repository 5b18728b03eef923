//! Columns of a board.

use crate::board::{self, ColumnRecord, DELETING};
use crate::cells::{Column, no_column};
use crate::change::{ChangeResult, Deleted, Edit};
use crate::columns::{COLUMNS_MAX, insert, renumber};
use crate::edit::edit;
use crate::errors::{BOARD_LIMIT, LABEL_IN_USE};
use crate::inputs::expect_name;
use crate::scan::{self, Raw};
use crate::{announce, expect, fault, formula, ids, item, links, recompute, trash};
use column_types::{ColumnType, NAME_CHARS_MAX, NOT_BLANK, Settings};
use events::HasEvents;
use kit::error::{self, Result, invalid};
use kit::{Call, CreatedPart, Ctx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use store::{HasDb, Row, Tx, params};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Create {
    /// ID, not the name.
    board_id: String,
    /// 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    title: String,
    /// The type of its cells.
    #[serde(rename = "type")]
    kind: ColumnType,
    #[serde(default)]
    #[schemars(description = examples())]
    settings: Settings,
    /// Position, from 0. Default: the end.
    #[schemars(range(max = u32::MAX))]
    position: Option<u32>,
}

/// An example of settings for each type that has some.
const EXAMPLES: [(ColumnType, &str); 9] = [
    (
        ColumnType::Status,
        r##"{"labels": [{"text": "To do", "color": "#7a7a7a"}, {"text": "Done", "category": "done"}]}"##,
    ),
    (ColumnType::Dropdown, r#"{"labels": ["High", "Low"]}"#),
    (ColumnType::Number, r#"{"unit": "h", "decimals": 1}"#),
    (ColumnType::Tags, r#"{"options": ["urgent"]}"#),
    (ColumnType::Rating, r#"{"max": 5}"#),
    (ColumnType::ItemLink, r#"{"boardId": "ID"}"#),
    (ColumnType::Sprint, r#"{"boardId": "ID"}"#),
    (ColumnType::Mirror, r#"{"linkColumn": "c2", "sourceColumn": "c1"}"#),
    (ColumnType::Formula, r#"{"formula": "{Price} * 2"}"#),
];

fn examples() -> String {
    // One sentence: help shows no more.
    let each: Vec<String> = EXAMPLES.iter().map(|(kind, settings)| format!("{} `{settings}`", kind.name())).collect();
    format!("Settings of the type, if any: {}. A label can be its text alone; colors are `#rrggbb`.", each.join("; "))
}

/// A changed column.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedColumn {
    #[serde(flatten)]
    column: ColumnRecord,
    #[serde(flatten)]
    pub(crate) came: ChangeResult,
}

pub(crate) async fn create(ctx: Ctx, call: Call, input: Create) -> Result<CreatedPart<ChangedColumn>> {
    expect_name(&input.title, "/title")?;
    edit(ctx, call, input.board_id, move |tx, edit| {
        let mut order = board::columns(tx, &edit.account, &edit.board.id)?;
        let end = order.len();
        if end >= COLUMNS_MAX {
            return Err(BOARD_LIMIT.error(format!("A board can have up to {COLUMNS_MAX} columns.")));
        }
        let number = edit.board.next_column;
        let settings = formula::settings(&format!("c{number}"), &input.title, input.kind, input.settings, &order)?;
        let column = insert(tx, &edit.account, &edit.board.id, number, end as i64, &input.title, input.kind, settings)?;
        edit.board.next_column += 1;
        let record = column.record()?;
        order.insert(input.position.map_or(end, |p| p as usize).min(end), column);
        renumber(tx, edit, &order)?;
        let after = json!(record);
        edit.record(tx, "board", &edit.board.id, &format!("columns/{}", record.id), None, Some(&after))?;
        if input.kind == ColumnType::Formula {
            recompute::again(tx, edit)?;
        }
        Ok(CreatedPart(ChangedColumn { column: record, came: edit.came() }))
    })
    .await
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Update {
    /// ID, not the name.
    board_id: String,
    /// The column's ID.
    column_id: String,
    /// Its new title, 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    title: Option<String>,
    /// Its complete new settings. Labels keep their IDs; omit the ID for new ones.
    settings: Option<Settings>,
    /// Its new position, from 0.
    #[schemars(range(max = u32::MAX))]
    position: Option<u32>,
    /// Previous title and settings. The change is rejected if they differ now.
    #[serde(default)]
    was: Was,
    /// Whether these are earlier settings of the column. Required to restore removed labels under their IDs.
    #[serde(skip)]
    pub(crate) is_undo: bool,
}

/// A column as last read.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename = "ColumnWas", deny_unknown_fields)]
pub(crate) struct Was {
    /// Its title.
    title: Option<String>,
    /// Its complete settings.
    settings: Option<Value>,
}

pub(crate) async fn update(ctx: Ctx, call: Call, input: Update) -> Result<ChangedColumn> {
    if let Some(title) = &input.title {
        expect_name(title, "/title")?;
    }
    edit(ctx, call, input.board_id, move |tx, edit| {
        let mut order = board::columns(tx, &edit.account, &edit.board.id)?;
        let at = order.iter().position(|c| c.id == input.column_id).ok_or_else(|| no_column(&order))?;
        let mut column = order.remove(at);
        let before = json!({"column": column.record()?, "position": at});
        let part = format!("columns/{}", column.id);
        expect::part_holds(tx, edit, &part, "title", &before["column"]["title"], input.was.title.map(Value::from).as_ref())?;
        expect::part_holds(tx, edit, &part, "settings", &before["column"]["settings"], input.was.settings.as_ref())?;
        let mut computes = false;
        if let Some(title) = input.title {
            column.title = title;
        }
        if let Some(mut settings) = input.settings {
            let Some(kind) = column.kind else {
                return Err(invalid("/settings", fault::UNKNOWN_TYPE, "The column's type is unknown to this version."));
            };
            let mut known = column.settings.clone();
            if let Some(labels) = settings.labels.as_ref().filter(|_| input.is_undo) {
                known.labels.get_or_insert_default().extend(labels.iter().cloned());
            }
            if input.is_undo {
                // What is taken back may be from before labels had categories.
                settings.give_categories();
            }
            let settings = settings.settle(kind, Some(&known))?;
            expect_unused(tx, edit, &column, &settings)?;
            let settings = formula::settings(&column.id, &column.title, kind, settings, &order)?;
            computes = settings != column.settings && (kind == ColumnType::Formula || formula::is_used(&column.id, &order));
            links::expect_settings(tx, &edit.account, &edit.board.id, kind, &settings, Some(&column.settings))?;
            column.settings_json = serde_json::to_string(&settings).map_err(board::damaged)?;
            column.settings = settings;
        }
        tx.execute(
            "UPDATE board_columns SET title = $4, settings_json = $5 WHERE account_id = $1 AND board_id = $2 AND column_id = $3",
            params![edit.account.as_str(), &edit.board.id, &column.id, &column.title, &column.settings_json],
        )?;
        let record = column.record()?;
        let to = input.position.map_or(at, |p| p as usize).min(order.len());
        order.insert(to, column);
        renumber(tx, edit, &order)?;
        let after = json!({"column": record, "position": to});
        edit.record(tx, "board", &edit.board.id, &part, Some(&before), Some(&after))?;
        if computes {
            recompute::settle_results(tx, edit, &mut order)?;
            recompute::again(tx, edit)?;
        }
        Ok(ChangedColumn { column: record, came: edit.came() })
    })
    .await
}

/// Maximum labels in an error message.
const NAMED_MAX: usize = 10;

/// Refuses to drop labels that an item still holds: one look through the items, however many labels go.
fn expect_unused(tx: &mut Tx<'_>, edit: &Edit, column: &Column, settings: &Settings) -> Result<()> {
    let labels = |settings: &Settings| settings.labels.clone().unwrap_or_default();
    let kept: HashSet<String> = labels(settings).into_iter().map(|label| label.id).collect();
    let dropped: Vec<_> = labels(&column.settings).into_iter().filter(|label| !kept.contains(&label.id)).collect();
    let mut held: HashMap<&str, usize> = dropped.iter().map(|label| (label.id.as_str(), 0)).collect();
    let Some(column_number) = ids::number_in(&column.id, b'c').filter(|_| !dropped.is_empty()) else { return Ok(()) };
    let unreadable = || error::INTERNAL.error("Couldn't read the board's stored cells.");
    let sql = "SELECT record_json FROM items WHERE account_id = $1 AND board_id = $2";
    tx.each(sql, params![edit.account.as_str(), &edit.board.id], |row| {
        let record = scan::record(row.get(0)?).ok_or_else(unreadable)?;
        let read = scan::members(record.cells, |number, value| {
            if let Raw::Text(id, _) = value
                && number == column_number
                && let Some(count) = held.get_mut(id)
            {
                *count += 1;
            }
            Some(())
        });
        read.ok_or_else(unreadable)
    })?;
    let held = dropped.iter().map(|label| (label, held[label.id.as_str()])).filter(|(_, count)| *count > 0);
    let items = |count: usize| if count == 1 { "1 item".to_owned() } else { format!("{count} items") };
    let said = held.map(|(label, count)| format!("{} ({}) is used by {}", label.text, label.id, items(count)));
    let said: Vec<String> = said.take(NAMED_MAX).collect();
    if said.is_empty() {
        return Ok(());
    }
    Err(LABEL_IN_USE.error(format!(
        "{}. Change their label in {} or clear their cells first. Find them with an anyOf filter.",
        said.join(", "),
        column.title
    )))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Which {
    /// ID, not the name.
    board_id: String,
    /// The column's ID.
    column_id: String,
}

/// Deletes a column and moves its cells to Trash. The first transaction removes the column and clears the first cells.
/// If more remain, its row stays as a hidden marker, and the rest is cleared in separate transactions, so other writes
/// aren't blocked; column IDs are never reused, so no cells can be added. The answer waits for all of it.
pub(crate) async fn delete(ctx: Ctx, call: Call, input: Which) -> Result<Deleted> {
    let clearing = ctx.clone();
    let (left, board_revision) = edit(ctx, call, input.board_id, move |tx, edit| {
        let mut order = board::columns(tx, &edit.account, &edit.board.id)?;
        let at = order.iter().position(|c| c.id == input.column_id).ok_or_else(|| no_column(&order))?;
        let column = order.remove(at);
        let before = json!(column.record()?);
        tx.execute(
            "UPDATE board_columns SET type = $4 WHERE account_id = $1 AND board_id = $2 AND column_id = $3",
            params![edit.account.as_str(), &edit.board.id, &column.id, DELETING],
        )?;
        trash::keep_column(tx, edit, &column, at)?;
        renumber(tx, edit, &order)?;
        edit.record(tx, "board", &edit.board.id, &format!("columns/{}", column.id), Some(&before), None)?;
        let id = column.id;
        let which = Leftover {
            account: edit.account.clone(),
            board_id: edit.board.id.clone(),
            column_id: id.clone(),
            after: String::new(),
        };
        let left = which.clear_some(tx)?;
        if formula::is_used(&id, &order) {
            recompute::settle_results(tx, edit, &mut order)?;
            recompute::again(tx, edit)?;
        }
        Ok((left, edit.board.revision))
    })
    .await?;
    if let Some(left) = left {
        // On its own, so that a caller who goes away does not stop it; a failure leaves the rest to the next start.
        let _ = tokio::spawn(async move { left.clear(&clearing).await }).await;
    }
    Ok(Deleted { board_revision })
}

/// Clears leftovers of deleted columns after an interruption.
pub(crate) async fn clear_leftovers(ctx: &Ctx) -> Result<()> {
    let sql = "SELECT account_id, board_id, column_id FROM board_columns WHERE type = $1";
    let which = |row: &dyn Row| {
        Ok(Leftover { account: row.get(0)?, board_id: row.get(1)?, column_id: row.get(2)?, after: String::new() })
    };
    for left in ctx.db().read(move |tx| tx.query(sql, params![DELETING], which)).await? {
        left.clear(ctx).await?;
    }
    Ok(())
}

/// A deleted column that items after some id may still have cells of.
struct Leftover {
    account: String,
    board_id: String,
    column_id: String,
    after: String,
}

impl Leftover {
    /// Clears the cells of the next items; returns the remaining work, or nothing once the row is deleted too.
    fn clear_some(self, tx: &mut Tx<'_>) -> Result<Option<Leftover>> {
        let Leftover { account, board_id, column_id, after } = &self;
        // Within a text a quote is escaped: this meets the cell and nothing else.
        let part = format!("\"{column_id}\":");
        let mut cells = Vec::new();
        let next = item::change_some(tx, account, board_id, &part, after, |_, item| {
            let removed = item.cells.remove(column_id);
            let changed = removed.is_some();
            cells.extend(removed.map(|value| (item.id.clone(), value)));
            Ok(changed)
        })?;
        if trash::is_column_kept(tx, account, board_id, column_id)? {
            trash::keep_cells(tx, account, board_id, column_id, &cells)?;
        }
        if let Some(after) = next {
            return Ok(Some(Leftover { after, ..self }));
        }
        tx.execute(
            "DELETE FROM board_columns WHERE account_id = $1 AND board_id = $2 AND column_id = $3 AND type = $4",
            params![account, board_id, column_id, DELETING],
        )?;
        Ok(None)
    }

    /// Clears all leftovers. Raises the revision once more at the end, because a full board cached in between still has
    /// some of the cells.
    async fn clear(self, ctx: &Ctx) -> Result<()> {
        let mut left = Some(self);
        while let Some(this) = left {
            let (bus, now_ms) = (ctx.events(), ctx.now_ms());
            let some = move |tx: &mut Tx<'_>| {
                let (account, board_id) = (this.account.clone(), this.board_id.clone());
                let left = this.clear_some(tx)?;
                if left.is_none() {
                    announce::raise(tx, account, board_id, now_ms, bus)?;
                }
                Ok(left)
            };
            left = ctx.db().write(some).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_of_settings_fits_its_type() {
        for (kind, example) in EXAMPLES {
            let settings: Settings = serde_json::from_str(example).expect(example);
            settings.settle(kind, None).unwrap_or_else(|error| panic!("{example}: {error}"));
        }
    }
}
