//! Bookmarks: web addresses and pages of Pilothouse, in folders and in an order.
//!
//! Invariants: turning the button or agents' access off changes no bookmark; while access is off, only the page reaches them.
//! Deliberately not here: order, folders, addresses, and restoring, which are `crates/links`.

mod ops;
mod record;
mod settings;

use kit::Feature;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        errors: &[errors::CODES],
        ops: ops::ops(),
        groups: &[("bookmarks", "Bookmarks: web addresses and pages of Pilothouse, in folders")],
        ..Feature::named("bookmarks")
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        BOOKMARKS_CLI_DISABLED = 403 "bookmarks-cli-disabled" "Bookmarks are closed to scripts and agents" : "The setting bookmarksCliEnabled is off. Use bookmarks on the page, or turn the setting on.";
    }
}

#[cfg(test)]
mod tests;
