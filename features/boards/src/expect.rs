//! What a caller expects of an item that it changes: that nobody has changed it since it was read.

use crate::activity::Actor;
use crate::board::Edit;
use crate::cells::is_empty;
use crate::items::Item;
use kit::error::{self, Result};
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use store::{Tx, params};

/// Changes of an item that are looked through for who changed a part of it last.
const LOOKED_THROUGH: i64 = 100;

/// For a member whose null means something else than its absence.
pub(crate) fn present<'de, D: Deserializer<'de>>(from: D) -> std::result::Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// Refuses where `If-Match` names a revision of the board after which the item was changed, or one that the board has not
/// reached. Changes of other items do not count.
pub(crate) fn unchanged(tx: &mut Tx<'_>, edit: &Edit, item: &Item, if_match: Option<&str>) -> Result<()> {
    let Some(tag) = if_match.filter(|tag| *tag != "*") else { return Ok(()) };
    let sql = "SELECT revision FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
    let of = params![edit.account.as_str(), &edit.board.id, &item.record.id];
    let revision: i64 = tx.query_one(sql, of, |row| row.get(0))?;
    // The board's own tag begins with its revision.
    let number = tag.trim_matches('"').split('-').next().and_then(|number| number.parse::<i64>().ok());
    if number.is_some_and(|read_at| (revision..edit.board.revision).contains(&read_at)) {
        return Ok(());
    }
    let detail = format!("The item was last changed at revision {revision}; If-Match says {tag}.");
    Err(error::STALE.error(detail).with("revision", revision).with("present", json!(item)))
}

/// Refuses where a part of an item holds another value than the one that the caller read; the error says which, and who
/// changed it when.
pub(crate) fn holds(
    tx: &mut Tx<'_>,
    edit: &Edit,
    item: &Item,
    field: &str,
    now: Option<&Value>,
    was: &Value,
) -> Result<()> {
    let now = now.unwrap_or(&Value::Null);
    if same(now, was) {
        return Ok(());
    }
    let stale = error::STALE.error("It holds another value than the one that this change began from.");
    let stale = stale.with("field", field).with("present", now.clone());
    let changes = tx.changes(&edit.account, "item", &item.record.id, None, LOOKED_THROUGH)?;
    Err(match changes.into_iter().find(|change| change.field == field) {
        Some(last) => {
            let at = kit::rfc3339(last.at_ms);
            let actor = json!(Actor::of(last.actor, last.session_id));
            stale.with("changeId", last.change_id).with("changedAt", at).with("changedBy", actor)
        }
        None => stale,
    })
}

/// Whether both say the same: nothing is written in several ways, and so are whole numbers.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64() == other.as_f64(),
        _ => one == other || (is_empty(one) && is_empty(other)),
    }
}
