//! Archive and Trash: removing, restoring, and permanently deleting parts of a board.
//!
//! Invariants: removed data is in none of the tables that boards are read from, so readers need no filter. It is
//! removed and restored completely, with comments, activity, and cells. Trash entries older than [`TRASH_KEPT_MS`] are
//! hidden, and deleted in batches with the next deletion or start.

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
