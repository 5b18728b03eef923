//! Many cells of one board at once: what a paste, a fill or a change of several selected items sends. All are written or none,
//! under one revision, each recorded for its item.

use crate::board::{self, edit};
use crate::boards::expect_name;
use crate::cells::{NAME_CHARS_MAX, NOT_BLANK};
use crate::files::OfItem;
use crate::formula::Formulas;
use crate::items;
use crate::{INVALID_CELL, READ_ONLY_COLUMN, directory};
use kit::error::{FieldError, Result, invalid};
use kit::{Call, Ctx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Cells that one request may change.
pub const CELLS_PER_CHANGE_MAX: usize = 20_000;
/// Refused cells that an answer names.
const REFUSALS_MAX: usize = 1_000;
/// Bytes of a request: as many cells, each with a text of some words.
pub(crate) const REQUEST_BYTES_MAX: usize = 8 * 1024 * 1024;

/// What of one item changes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ItemCells {
    /// The item.
    item_id: String,
    /// Its new name, 1 to 255 characters.
    #[schemars(length(min = 1, max = NAME_CHARS_MAX), regex(pattern = NOT_BLANK))]
    name: Option<String>,
    /// Values by column id; null empties a cell, columns left out keep theirs.
    #[serde(default)]
    cells: Map<String, Value>,
}

impl ItemCells {
    fn count(&self) -> usize {
        self.cells.len() + usize::from(self.name.is_some())
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename = "ChangeCells", rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Change {
    /// The board.
    board_id: String,
    /// Items with what changes of each, together at most 20,000 cells; an item may stand there once.
    #[schemars(length(min = 1, max = CELLS_PER_CHANGE_MAX))]
    items: Vec<ItemCells>,
}

/// What was changed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Changed {
    /// Cells and names that were written.
    cells: usize,
    /// The board's revision after the change.
    board_revision: i64,
}

pub(crate) async fn change(ctx: Ctx, call: Call, input: Change) -> Result<Changed> {
    let cells: usize = input.items.iter().map(ItemCells::count).sum();
    if input.items.is_empty() || input.items.len().max(cells) > CELLS_PER_CHANGE_MAX {
        let detail = format!("items holds 1 to {CELLS_PER_CHANGE_MAX} cells in all.");
        return Err(invalid("/items", "wrong-length", detail));
    }
    let members =
        directory::members_in(&ctx, call.account(), input.items.iter().flat_map(|i| i.cells.values())).await?;
    edit(ctx, call, input.board_id, move |tx, edit| {
        let columns = board::columns(tx, &edit.account, &edit.board.id)?;
        let formulas = Formulas::of(&columns);
        let mut refused = Vec::new();
        let mut seen = std::collections::HashSet::new();
        for (index, of) in input.items.into_iter().enumerate() {
            let pointer = format!("/items/{index}");
            if !seen.insert(of.item_id.clone()) {
                let detail = format!("The item {} stands twice.", of.item_id);
                return Err(invalid(&format!("{pointer}/itemId"), "repeated", detail));
            }
            let mut item = items::load(tx, edit, &of.item_id)?;
            if let Some(name) = of.name {
                if let Err(refusal) = expect_name(&name, &format!("{pointer}/name")) {
                    refused.extend(refusal.fields().iter().cloned());
                } else {
                    let (before, after) = (json!(item.record.name), json!(name));
                    edit.record(tx, "item", &item.record.id, "name", Some(&before), Some(&after))?;
                    item.record.name = name;
                }
            }
            for (column_id, value) in of.cells {
                let one = Map::from_iter([(column_id, value)]);
                let at = Some(OfItem { board_id: &edit.board.id, item_id: &of.item_id });
                match items::accept_cells(tx, &edit.account, at, &columns, &members, one, &pointer) {
                    Ok(accepted) => {
                        for (column_id, value) in accepted {
                            items::change_cell(tx, edit, &mut item, &column_id, value)?;
                        }
                    }
                    Err(refusal) if [INVALID_CELL.name, READ_ONLY_COLUMN.name].contains(&refusal.code().name) => {
                        refused.extend(refusal.fields().iter().cloned());
                    }
                    Err(other) => return Err(other),
                }
            }
            formulas.apply(&mut item.record);
            items::save(tx, edit, item)?;
        }
        if refused.is_empty() {
            return Ok(Changed { cells, board_revision: edit.board.revision });
        }
        Err(refusal_of(refused))
    })
    .await
}

/// Nothing is written: which cells do not take their values, and why.
fn refusal_of(refused: Vec<FieldError>) -> kit::Error {
    let detail = format!("{} of the cells do not take their values; nothing was changed.", refused.len());
    INVALID_CELL.error(detail).at_all(refused.into_iter().take(REFUSALS_MAX))
}
