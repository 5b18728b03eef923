//! Taking back that a view was made, changed, renamed, moved or deleted. Views are no part of a board's revisions, so that it
//! is done by the change itself.

use super::{Edit, VIEWS_MAX, ViewRecord, edit, insert, save};
use crate::board;
use crate::errors::BOARD_LIMIT;
use crate::steps::{self, Undone};
use kit::error::Result;
use kit::{Call, Ctx};
use serde_json::{Value, json};
use store::{ChangeRow, Tx};

/// A recorded side of a change: the view, and its place in the order where that was recorded.
fn side(value: Option<&Value>) -> Result<Option<(ViewRecord, Option<usize>)>> {
    let Some(value) = value else { return Ok(None) };
    let view = value.get("view").unwrap_or(value).clone();
    let at = value["position"].as_u64().map(|at| at as usize);
    Ok(Some((serde_json::from_value(view).map_err(board::damaged)?, at)))
}

pub(crate) async fn take_back(ctx: Ctx, call: Call, board_id: String, change: ChangeRow) -> Result<Undone> {
    edit(ctx, call.caller.clone(), board_id, move |tx, edit| {
        edit.board.expected(&call)?;
        let id = change.field.strip_prefix(super::FIELD).unwrap_or_default();
        let at = edit.views.iter().position(|view| view.id == id);
        let change_id = match (side(change.before.as_ref())?, side(change.after.as_ref())?, at) {
            (Some((before, to)), Some((after, from)), Some(at)) => {
                let view = &edit.views[at];
                let mut wanted = view.clone();
                // Only what the change altered counts, and comes back. Its place, where it was moved, also counts when others
                // moved past it: the one before means nothing in their new order.
                let mut is_in_force = to == from || from == Some(at);
                if before.name != after.name {
                    is_in_force &= view.name == after.name;
                    wanted.name = before.name;
                }
                if before.kind != after.kind {
                    is_in_force &= view.kind == after.kind;
                    wanted.kind = before.kind;
                }
                if before.settings != after.settings {
                    is_in_force &= view.settings == after.settings;
                    wanted.settings = before.settings;
                }
                if !is_in_force {
                    return Err(steps::changed_since(tx, &edit.caller, &change)?);
                }
                let to = if to == from { None } else { to };
                save(tx, edit, at, wanted, to)?.1.ok_or_else(steps::nothing)?
            }
            (None, Some((after, _)), Some(at)) => {
                let view = &edit.views[at];
                if (&view.name, view.kind, &view.settings) != (&after.name, after.kind, &after.settings) {
                    return Err(steps::changed_since(tx, &edit.caller, &change)?);
                }
                super::remove(tx, edit, at)?
            }
            (Some((view, at)), None, None) => bring_back(tx, edit, view, at)?,
            _ => return Err(steps::changed_since(tx, &edit.caller, &change)?),
        };
        let now = edit.views.iter().position(|view| view.id == id);
        let value = now.map(|at| json!({"view": edit.views[at], "position": at})).unwrap_or_default();
        let board_revision = edit.board.revision;
        Ok(Undone { item_id: None, field: change.field, value, change_id, board_revision })
    })
    .await
}

/// Brings a deleted view back to its place.
fn bring_back(tx: &mut Tx<'_>, edit: &mut Edit, mut view: ViewRecord, at: Option<usize>) -> Result<String> {
    let end = edit.views.len();
    if end >= VIEWS_MAX {
        return Err(BOARD_LIMIT.error(format!("A board can have up to {VIEWS_MAX} views.")));
    }
    // Whoever still holds the one that was deleted is not taken to know this one.
    view.revision += 1;
    insert(tx, &edit.account, &edit.board.id, end, &view)?;
    let at = at.unwrap_or(end).min(end);
    edit.views.insert(at, view.clone());
    edit.renumber(tx)?;
    edit.record(tx, &view.id, None, Some(&json!({"view": view, "position": at})))
}
