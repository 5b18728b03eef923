//! Short IDs: 16 letters and digits that sort by creation time. They are short because each row contains an item's ID
//! three times.

use crate::fault;
use kit::Error;
use kit::error::NAMED_NOT_FOUND;
pub(crate) use kit::error::unknown;

const LENGTH: usize = 16;
/// Bits below the time: a random start, counted up within one batch.
const LOW_BITS: u32 = 36;

/// A new identifier of a thing on boards.
pub(crate) fn short_id() -> String {
    short_ids().next().expect("identifiers do not run out")
}

/// New identifiers in rising order, for a batch that is made at once.
pub(crate) fn short_ids() -> impl Iterator<Item = String> {
    let uuid = kit::new_id().replace('-', "");
    let uuid = u128::from_str_radix(&uuid, 16).expect("a UUID is hexadecimal");
    let low_mask = (1u128 << LOW_BITS) - 1;
    let first = ((uuid >> 80) << LOW_BITS) | (uuid & (low_mask >> 1));
    (first..).map(|number| kit::ids::letters(number, LENGTH))
}

/// Whether a caller's identifier has the form of these.
pub(crate) fn is_short_id(id: &str) -> bool {
    id.len() == LENGTH && kit::ids::is_letters(id)
}

/// The same as [`unknown`] of a column, which boards number for themselves.
pub(crate) fn unknown_column(column_id: &str, pointer: impl Into<String>) -> Error {
    let detail = format!("The board has no column {column_id}.");
    NAMED_NOT_FOUND.error(detail.clone()).at(pointer, fault::UNKNOWN_COLUMN, detail)
}

/// The id of a group by its place among those that a board begins with.
pub(crate) fn group_id(index: usize) -> String {
    format!("g{}", index + 1)
}

/// The number in a per-board ID such as `c12`, if it has that form.
pub(crate) fn number_in(id: &str, letter: u8) -> Option<usize> {
    column_types::number_of(id, letter, 7)
}
