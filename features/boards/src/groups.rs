//! Groups of a board as they are stored.

use crate::board::GroupRecord;
use crate::change::{self, Edit, Ordered};
use crate::fault;
use column_types::{COLOR_ACCEPTED, settle_color};
use kit::error::{Result, invalid};
use store::{Tx, params};
/// Groups of a board.
pub const GROUPS_MAX: usize = 500;

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
