//! The archive and the trash: what was put away from a board, brought back, or deleted for good.
//!
//! Invariants: what is kept stands in none of the tables that a board is read from, so that no reader leaves anything out by
//! itself; it goes and comes back whole, with its comments, its activity and its cells; what lies in the trash longer than
//! [`TRASH_KEPT_MS`] is shown nowhere any more and its rows go with the next deletion or start, some at a time.

mod boards;
mod columns;
mod groups;
mod items;
mod list;
mod purge;

pub(crate) use boards::{archive as archive_board, put_away as put_board_away, restore as restore_board};
pub(crate) use columns::restore as restore_column;
pub(crate) use columns::restore_at as restore_column_at;
pub(crate) use columns::{is_kept as is_column_kept, keep as keep_column, keep_cells};
pub(crate) use groups::{keep as keep_group, put_back as put_group_back, restore as restore_group};
pub(crate) use items::{
    Returning, archive as archive_item, delete as delete_item, keep as keep_item, keep_whole as keep_whole_item,
    put_away as put_item_away, restore as restore_item, restore_in as restore_item_in,
};
pub(crate) use list::{boards as list_boards, list};
pub(crate) use purge::{empty_due, empty_due_in_background, purge, purge_board, purge_of_board};

use crate::trash_entry::{
    FIELDS, Kind, Place, Putting, TRASH_KEPT_MS, TrashEntry, along, due_before, insert, kept_row, load, read, remove,
};
