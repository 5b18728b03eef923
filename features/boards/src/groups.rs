//! Groups of a board as they are stored.

use crate::board::GroupRecord;
use crate::change::{self, Edit, Ordered};
use crate::{directory, fault};
use column_types::{COLOR_ACCEPTED, settle_color};
use kit::error::{NAMED_NOT_FOUND, Result, invalid};
use store::{Tx, params};
/// Groups of a board.
pub const GROUPS_MAX: usize = 500;

/// Groups that an error names.
const GROUPS_SHOWN_MAX: usize = 20;

/// The ID of the group that a text means: the one with this ID, else the only one with this name, written alike, or else but
/// for the case.
pub(crate) fn meant(groups: &[GroupRecord], text: &str, pointer: &str) -> Result<String> {
    let alone = |is_it: &dyn Fn(&GroupRecord) -> bool| {
        let mut all = groups.iter().filter(|group| is_it(group));
        all.next().filter(|_| all.next().is_none()).map(|group| group.id.clone())
    };
    let folded = directory::folded(text);
    let found = alone(&|group| group.id == text)
        .or_else(|| alone(&|group| group.name == text))
        .or_else(|| alone(&|group| directory::folded(&group.name) == folded));
    found.ok_or_else(|| {
        let shown = groups.iter().take(GROUPS_SHOWN_MAX).map(|group| format!("{} {}", group.id, group.name));
        let more = groups.len().saturating_sub(GROUPS_SHOWN_MAX);
        let more = if more == 0 { String::new() } else { format!(", and {more} more") };
        let groups = shown.collect::<Vec<_>>().join(", ");
        // It doesn't repeat the text, as of other unknown IDs.
        let detail = format!("No group has this ID or unique name. Groups: {groups}{more}.");
        NAMED_NOT_FOUND.error(detail.clone()).at(pointer, fault::UNKNOWN_GROUP, detail)
    })
}

/// Adds the group that is `index` in the order, with an id made of its number.
pub(crate) fn insert(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    index: usize,
    name: &str,
    color: &str,
) -> Result<GroupRecord> {
    insert_as(tx, account, board_id, index as i64 + 1, index, name, color)
}

/// Adds the group of this number, which is its id, at a place in the order.
pub(crate) fn insert_as(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    number: i64,
    index: usize,
    name: &str,
    color: &str,
) -> Result<GroupRecord> {
    let color = settle_color(color, number as usize - 1)
        .ok_or_else(|| invalid("/color", fault::WRONG_FORMAT, COLOR_ACCEPTED))?;
    let group = GroupRecord { id: format!("g{number}"), name: name.to_owned(), color };
    insert_record(tx, account, board_id, index, &group)?;
    Ok(group)
}

/// Adds a group with a given ID and color.
pub(crate) fn insert_record(
    tx: &mut Tx<'_>,
    account: &str,
    board_id: &str,
    index: usize,
    group: &GroupRecord,
) -> Result<()> {
    tx.execute(
        "INSERT INTO board_groups (account_id, board_id, group_id, position, name, color) VALUES ($1, $2, $3, $4, $5, $6)",
        params![account, board_id, &group.id, index as i64, &group.name, &group.color],
    )?;
    Ok(())
}

pub(crate) fn renumber(tx: &mut Tx<'_>, edit: &Edit, order: &[GroupRecord]) -> Result<()> {
    change::renumber(tx, edit, Ordered::Groups, order.iter().map(|group| group.id.as_str()))
}
