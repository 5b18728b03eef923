//! Saved links: ordered lists of names with addresses, such as bookmarks and meeting rooms.
//!
//! Invariants: an address is a web address, or a page of Pilothouse where the list allows it, and never a script, a file, or
//! a command; a move names the link that it goes before, so that two callers who reorder at once lose nothing; a deleted link
//! is restored to its position for 30 days.
//! Deliberately not here: operations, which features declare, and who may call them.

mod address;
mod list;
mod tree;

pub use address::{ADDRESS_CHARS_MAX, Reach};
pub use list::{Change, DELETED_DAYS, Link, List, NewLink, Place};

use kit::Migration;

/// Problems with single fields of a request.
pub mod fault {
    kit::faults! {
        UNKNOWN_LINK = "unknown-link" : "No bookmark, folder, or room has this ID, or it was deleted. Use the ID, not the name.";
        WRONG_FOLDER = "wrong-folder" : "The folder can't hold this: it isn't a folder, is inside the moved one, or would be too deep.";
        NO_ADDRESS = "no-address" : "A folder has no address. Omit the field.";
    }
}
pub use fault::FAULTS;

/// The name that the table is migrated under.
pub const NAME: &str = "links";
/// The table, which belongs to no feature.
pub const MIGRATIONS: &[Migration] = &[Migration { number: 1, sql: include_str!("../migrations/001_links.sql") }];

#[cfg(test)]
mod tests;
