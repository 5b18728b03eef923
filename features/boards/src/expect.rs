//! Preconditions of item changes: the values that the caller read must be current.

use crate::actor::Actor;
use crate::cells::is_as_read;
use crate::change::Edit;
use crate::item::Item;
use crate::{fault, ids, place, trash_entry};
use kit::error::{self, Result};
use kit::{SessionsSeen, tag};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use store::{ChangeRow, Tx, params};

/// Maximum changes searched for the last change of a field.
const LOOKED_THROUGH: i64 = 100;

/// Refuses where `If-Match` names a revision of the board after which the item was changed, or one that the board has not
/// reached. Changes of other items do not count.
pub(crate) fn unchanged(tx: &mut Tx<'_>, edit: &Edit, item: &Item, if_match: Option<&str>) -> Result<()> {
    let Some(tags) = if_match else { return Ok(()) };
    let revision = revision(tx, edit, &item.record.id, 0)?.unwrap_or_default();
    // The board's own tag begins with its revision.
    let number = |tag: &str| tag.split('-').next().and_then(|number| number.parse::<i64>().ok());
    let fits = |tag: &str| number(tag).is_some_and(|read_at| (revision..edit.board.revision).contains(&read_at));
    if tag::matches(tags, fits) {
        return Ok(());
    }
    let detail = format!("The item is at revision {revision}, not the one in `If-Match`. Read it again, then retry.");
    Err(error::STALE.error(detail).with("revision", revision).with_stored("present", json!(item)))
}

/// The revision at which an item was changed last, exactly where that is after `since`; none where the board has it not.
pub(crate) fn revision(tx: &mut Tx<'_>, edit: &Edit, item_id: &str, since: i64) -> Result<Option<i64>> {
    let sql = "SELECT revision FROM items WHERE account_id = $1 AND board_id = $2 AND item_id = $3";
    match tx.query_opt(sql, params![edit.account.as_str(), &edit.board.id, item_id], |row| row.get(0))? {
        Some(stored) if stored > since => place::changed_at(tx, edit, item_id, stored).map(Some),
        stored => Ok(stored),
    }
}

/// Rejects the change if a field no longer has the value that the caller read. The error says which field, and who
/// changed it when.
pub(crate) fn holds(
    tx: &mut Tx<'_>,
    edit: &Edit,
    item: &Item,
    field: &str,
    now: Option<&Value>,
    was: &Value,
) -> Result<()> {
    if is_as_read(now, was) {
        return Ok(());
    }
    let last = last_change(tx, edit, ("item", &item.record.id), field)?;
    Err(another("The value has changed since you started this change.", field, now, last, &edit.caller.sessions_seen()))
}

/// The same of a group or a column, whose changes are recorded as changes of `part` of the board.
pub(crate) fn part_holds(
    tx: &mut Tx<'_>,
    edit: &Edit,
    part: &str,
    field: &str,
    now: &Value,
    was: Option<&Value>,
) -> Result<()> {
    if was.is_none_or(|was| is_as_read(Some(now), was)) {
        return Ok(());
    }
    let last = last_change(tx, edit, ("board", &edit.board.id), part)?;
    let detail = format!("Someone else changed its {field} since then. Reopen it to continue from that value.");
    Err(another(&detail, field, Some(now), last, &edit.caller.sessions_seen()))
}

/// Error for a change based on an outdated value.
fn another(detail: &str, field: &str, now: Option<&Value>, last: Option<ChangeRow>, seen: &SessionsSeen) -> kit::Error {
    let now = now.unwrap_or(&Value::Null);
    let stale = error::STALE.error(detail);
    let stale = stale.with("field", field).with_stored("present", now.clone());
    match last {
        Some(last) => {
            let at = kit::rfc3339(last.at_ms);
            let actor = json!(Actor::new(last.actor, last.session_id, seen));
            stale.with("changeId", last.change_id).with("changedAt", at).with("changedBy", actor)
        }
        None => stale,
    }
}

fn last_change(tx: &mut Tx<'_>, edit: &Edit, (subject, id): (&str, &str), field: &str) -> Result<Option<ChangeRow>> {
    let changes = tx.changes(&edit.account, subject, id, None, LOOKED_THROUGH)?;
    Ok(changes.into_iter().find(|change| change.field == field))
}

/// Clashes that an answer names.
const CLASHES_SHOWN_MAX: usize = 1_000;

/// A value that changed after the caller read it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Clash {
    item_id: String,
    /// The item's name.
    name: String,
    /// The column ID or the field as in the change log; `kept` if the item is in Trash or Archive.
    field: String,
    /// The current value; for a removed item, `trash` or `archive`.
    present: Value,
    /// The requested value, with `ph_…` instead of tokens.
    mine: Value,
    /// The last change of this value, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    change_id: Option<String>,
    /// RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changed_by: Option<Actor>,
}

/// Conflicts of a change of many items.
#[derive(Default)]
pub(crate) struct Clashes {
    shown: Vec<Clash>,
    count: usize,
}

impl Clashes {
    /// Records a conflict of a field, with the requested value.
    pub(crate) fn note(
        &mut self,
        tx: &mut Tx<'_>,
        edit: &Edit,
        item: &Item,
        field: &str,
        now: Option<&Value>,
        mine: Option<&Value>,
    ) -> Result<()> {
        let of = (&*item.record.id, &*item.record.name);
        self.add(tx, edit, of, field, now.cloned().unwrap_or_default(), mine.cloned().unwrap_or_default())
    }

    /// Records a conflict for a deleted or archived item. If the board never had the item, returns not found at
    /// `pointer`.
    pub(crate) fn gone(&mut self, tx: &mut Tx<'_>, edit: &Edit, item_id: &str, pointer: &str) -> Result<()> {
        let lies = trash_entry::place_of_item(tx, &edit.account, &edit.board.id, item_id)?;
        let (place, name) = lies.ok_or_else(|| ids::unknown(fault::UNKNOWN_ITEM, pointer))?;
        self.add(tx, edit, (item_id, &name), "kept", json!(place), Value::Null)
    }

    fn add(
        &mut self,
        tx: &mut Tx<'_>,
        edit: &Edit,
        (item_id, name): (&str, &str),
        field: &str,
        present: Value,
        mut mine: Value,
    ) -> Result<()> {
        self.count += 1;
        if self.shown.len() >= CLASHES_SHOWN_MAX {
            return Ok(());
        }
        let (change_id, changed_at, changed_by) = match last_change(tx, edit, ("item", item_id), field)? {
            Some(last) => {
                let actor = Actor::new(last.actor, last.session_id, &edit.caller.sessions_seen());
                (Some(last.change_id), Some(kit::rfc3339(last.at_ms)), Some(actor))
            }
            None => (None, None, None),
        };
        error::hide_tokens(&mut mine);
        let [item_id, name, field] = [item_id, name, field].map(str::to_owned);
        self.shown.push(Clash { item_id, name, field, present, mine, change_id, changed_at, changed_by });
        Ok(())
    }

    /// Refuses where there are any, with all of them.
    pub(crate) fn expect_none(self) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let detail = format!("{} of the cells have changed since you read them. Nothing was changed.", self.count);
        Err(error::STALE.error(detail).with_stored("conflicts", json!(self.shown)).with("conflictCount", self.count))
    }
}
