//! Moves items relative to neighbors, so that callers don't need position numbers.

use crate::change::Edit;
use crate::item::{self, Item, POSITION, POSITION_MAX, POSITION_STEP};
use crate::{fault, ids, items, trash_entry};
use kit::error::{Result, invalid};
use serde_json::{Value, json};
use store::{Change, ChangeRow, Tx, params};

/// Items on either side of a place without room that are first tried to be spread.
const SPREAD_FIRST: usize = if cfg!(test) { 2 } else { 16 };
/// What those that are spread are apart at least, so that it is not soon to be done again.
const SPREAD_APART_MIN: i64 = if cfg!(test) { 4 } else { 1_024 };
/// Maximum renumbered items that are reported individually; above that, clients reload the board.
const TOLD_MAX: usize = 5_000;

/// Maximum renumberings searched for an item's last real change.
const ROOM_LOOKED_AT: i64 = 1_000;

/// Field name in the change log of renumbering to make room for a neighbor.
pub(crate) const ROOM: &str = "room";

/// Target position relative to other items.
pub(crate) struct Anchor {
    pub(crate) after: Option<String>,
    pub(crate) before: Option<String>,
}

/// An item's sort key on the board, in any group: its position, then its ID.
type Place = (i64, String);

impl Anchor {
    /// The target in the request at `pointer`; none if no neighbor is given.
    pub(crate) fn new(
        (after, before): (Option<String>, Option<String>),
        position: Option<i64>,
        pointer: &str,
    ) -> Result<Option<Anchor>> {
        if after.is_none() && before.is_none() {
            return Ok(None);
        }
        if position.is_some() {
            let detail = "Use either `position` or `after` and `before`.";
            return Err(invalid(&format!("{pointer}/position"), fault::ONE_OF, detail));
        }
        Ok(Some(Anchor { after, before }))
    }

    /// The position for the item, renumbering others if there is no room; none if it's already there. Archived and
    /// deleted neighbors are ignored. If both are gone, the item isn't moved, unless neither was ever on the board.
    pub(crate) fn position(&self, tx: &mut Tx<'_>, edit: &mut Edit, item: &Item, pointer: &str) -> Result<Option<i64>> {
        let (mut is_away, mut unknown) = (false, None);
        for (name, id) in [("after", &self.after), ("before", &self.before)] {
            let Some(id) = id else { continue };
            if *id == item.record.id {
                return Ok(None);
            }
            if let Some(found) = item::find(tx, &edit.account, &edit.board.id, id)? {
                let beside: Place = (found.position, found.record.id);
                let [mut ahead, mut behind] = [
                    neighbors(tx, edit, &beside, true, &item.record.id, 1)?,
                    neighbors(tx, edit, &beside, false, &item.record.id, 1)?,
                ];
                let (low, high) =
                    if name == "after" { (Some(beside), behind.pop()) } else { (ahead.pop(), Some(beside)) };
                return between(tx, edit, item, low, high);
            }
            match trash_entry::place_of_item(tx, &edit.account, &edit.board.id, id)? {
                Some(_) => is_away = true,
                None => unknown = unknown.or(Some(name)),
            }
        }
        match unknown {
            Some(name) if !is_away => Err(ids::unknown(fault::UNKNOWN_ITEM, format!("{pointer}/{name}"))),
            _ => Ok(None),
        }
    }
}

/// A position between two neighbors; the first and last item have only one.
fn between(
    tx: &mut Tx<'_>,
    edit: &mut Edit,
    item: &Item,
    low: Option<Place>,
    high: Option<Place>,
) -> Result<Option<i64>> {
    let own = (item.position, item.record.id.clone());
    if low.as_ref().is_none_or(|low| *low < own) && high.as_ref().is_none_or(|high| own < *high) {
        return Ok(None);
    }
    let Some(high) = high else { return Ok(Some(edit.place(POSITION_MAX))) };
    let from = low.as_ref().map_or(-1, |low| low.0);
    if high.0 - from >= 2 {
        return Ok(Some(from + (high.0 - from) / 2));
    }
    spread(tx, edit, item, &high).map(Some)
}

/// Spreads the items around the place before another until there is room, as few as that takes; the position that is free then.
fn spread(tx: &mut Tx<'_>, edit: &mut Edit, item: &Item, high: &Place) -> Result<i64> {
    let mut reach = SPREAD_FIRST;
    loop {
        let id = &item.record.id;
        let mut ahead = neighbors(tx, edit, high, true, id, reach + 1)?;
        let mut behind = neighbors(tx, edit, high, false, id, reach + 1)?;
        let from = if ahead.len() > reach { ahead.pop().map(|place| place.0) } else { None }.unwrap_or(-1);
        let to = if behind.len() > reach { behind.pop().map(|place| place.0) } else { None };
        let count = (ahead.len() + 1 + 1 + behind.len()) as i64;
        let apart = to.map_or(POSITION_STEP, |to| (to - from) / (count + 1));
        if apart < SPREAD_APART_MIN {
            reach *= 2;
            continue;
        }
        ahead.reverse();
        let free = from + apart * (ahead.len() as i64 + 1);
        let others = ahead.into_iter().chain([high.clone()]).chain(behind).collect::<Vec<_>>();
        if others.len() > TOLD_MAX {
            edit.board.left_since = edit.board.revision;
        }
        let places = (1..).map(|at| from + apart * at).filter(|position| *position != free);
        let moved: Vec<(Place, i64)> = others.into_iter().zip(places).collect();
        take_along(tx, edit, from, apart, &moved)?;
        for ((was, id), position) in moved {
            put(tx, edit, &id, was, position)?;
        }
        edit.board.last_position = edit.board.last_position.max(from + apart * count);
        return Ok(free);
    }
}

/// The items next to a place without one of them, the nearest first.
fn neighbors(
    tx: &mut Tx<'_>,
    edit: &Edit,
    place: &Place,
    is_ahead: bool,
    without: &str,
    limit: usize,
) -> Result<Vec<Place>> {
    let (side, order) = if is_ahead { ("<", "DESC") } else { (">", "ASC") };
    let sql = format!(
        "SELECT position, item_id FROM items WHERE account_id = $1 AND board_id = $2 AND position {side}= $3 \
         AND (position {side} $3 OR item_id {side} $4) AND item_id <> $5 ORDER BY position {order}, item_id {order} LIMIT $6"
    );
    let params = params![edit.account.as_str(), &edit.board.id, place.0, &place.1, without, limit as i64];
    tx.query(&sql, params, |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Renumbers archived and deleted items too, so that they're restored after the same item.
fn take_along(tx: &mut Tx<'_>, edit: &Edit, from: i64, apart: i64, moved: &[(Place, i64)]) -> Result<()> {
    let sql = "SELECT position, thing_id FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = 'item' \
         AND position > $3 AND position < $4 ORDER BY position, thing_id";
    // What comes back behind all that got another number stays there.
    let end = moved.last().map_or(from, |((was, _), position)| was.max(position) + 1);
    let range = params![edit.account.as_str(), &edit.board.id, from, end];
    let kept: Vec<Place> = tx.query(sql, range, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let (mut behind, mut next) = (0, 1);
    for (was, id) in kept {
        let ahead = moved.partition_point(|(place, _)| *place < (was, id.clone()));
        next = if ahead == behind { next } else { 1 };
        behind = ahead;
        let position = if ahead == 0 { from } else { moved[ahead - 1].1 } + next.min(apart - 1);
        next += 1;
        put_kept(tx, edit, &id, was, position)?;
    }
    Ok(())
}

/// Changes an item's position number without changing its order.
fn put(tx: &mut Tx<'_>, edit: &mut Edit, id: &str, was: i64, position: i64) -> Result<()> {
    if was == position {
        return Ok(());
    }
    let sql = "SELECT revision FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
    let changed_at: i64 = tx.query_one(sql, params![edit.account.as_str(), &edit.board.id, id], |row| row.get(0))?;
    record(tx, edit, id, &json!({POSITION: was, REVISION: changed_at}), position)?;
    items::leave(tx, edit, id, was)?;
    let sql = "UPDATE items SET position = $4, revision = $5 WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
    tx.execute(sql, params![edit.account.as_str(), &edit.board.id, id, position, edit.board.revision])?;
    Ok(())
}

/// Like `put`, for an archived or deleted item.
fn put_kept(tx: &mut Tx<'_>, edit: &Edit, id: &str, was: i64, position: i64) -> Result<()> {
    if was != position {
        record(tx, edit, id, &json!({POSITION: was}), position)?;
        let sql = "UPDATE board_kept SET position = $4 WHERE account_id = $1 AND board_id = $2 AND kind = 'item' AND thing_id = $3";
        tx.execute(sql, params![edit.account.as_str(), &edit.board.id, id, position])?;
    }
    Ok(())
}

/// Field of a recorded position: the revision of the item's last change there.
const REVISION: &str = "revision";

/// Records a renumbering. It isn't a move: undo restores the number, activity omits it, and earlier reads of the item
/// stay valid.
fn record(tx: &mut Tx<'_>, edit: &Edit, id: &str, before: &Value, position: i64) -> Result<()> {
    let after = json!({POSITION: position, REVISION: edit.board.revision});
    let change = Change { subject: ROOM, subject_id: id, field: POSITION, before: Some(before), after: Some(&after) };
    edit.record_change(tx, change)?;
    Ok(())
}

/// The position in one side of a recorded move or renumbering.
pub(crate) fn number(side: Option<&Value>) -> Option<i64> {
    side.and_then(|side| side.get(POSITION).unwrap_or(side).as_i64())
}

/// The revision of an item's last real change, if it is stored with its last renumbering.
pub(crate) fn changed_at(tx: &mut Tx<'_>, edit: &Edit, id: &str, mut stored: i64) -> Result<i64> {
    let own = tx.changes(&edit.account, "item", id, None, 1)?.pop();
    let revision = |side: &Option<Value>| side.as_ref().and_then(|side| side.get(REVISION)?.as_i64());
    for room in tx.changes(&edit.account, ROOM, id, None, ROOM_LOOKED_AT)? {
        let is_newest = own.as_ref().is_none_or(|own| own.change_id < room.change_id);
        match revision(&room.before) {
            Some(before) if is_newest && revision(&room.after) == Some(stored) => stored = before,
            _ => break,
        }
    }
    Ok(stored)
}

/// Reverts the renumbering of an item that hasn't moved since, including archived and deleted items.
pub(crate) fn take_back(tx: &mut Tx<'_>, edit: &mut Edit, change: &ChangeRow) -> Result<()> {
    let (before, after) = (number(change.before.as_ref()), number(change.after.as_ref()));
    let (Some(before), Some(after)) = (before, after) else { return Ok(()) };
    let id = &change.subject_id;
    let mut stands = |sql: &str| {
        let present = tx.query_opt(sql, params![edit.account.as_str(), &edit.board.id, id], |row| row.get::<i64>(0))?;
        Ok::<_, kit::Error>(present == Some(after))
    };
    if stands("SELECT position FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3")? {
        put(tx, edit, id, after, before)
    } else if stands(
        "SELECT position FROM board_kept WHERE account_id = $1 AND board_id = $2 AND kind = 'item' AND thing_id = $3",
    )? {
        put_kept(tx, edit, id, after, before)
    } else {
        Ok(())
    }
}
