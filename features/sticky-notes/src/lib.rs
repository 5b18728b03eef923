//! Sticky notes: short texts, each in a small window above all others, and a page that lists them.
//!
//! Invariants: a note's text, color, and place outlive the program; turning the feature off closes the windows and keeps
//! the notes.
//! Deliberately not here: the windows, which the desktop window's program opens when it's told to.

mod ops;
mod rows;
mod settings;
mod windows;

use kit::{Feature, Migration};
use std::sync::Arc;

/// This feature.
pub fn feature() -> Feature {
    Feature {
        settings: settings::ALL.to_vec(),
        migrations: &[Migration { number: 1, sql: include_str!("../migrations/001_notes.sql") }],
        errors: &[errors::CODES],
        ops: ops::ops(),
        groups: &[("notes", "Sticky notes")],
        start: |ctx| {
            ctx.provide(Arc::new(kit::lookup::NoteWindows(Box::new(windows::OpenNotes(ctx.clone())))));
            windows::follow_setting(&ctx);
            Box::pin(std::future::ready(Ok(())))
        },
        ..Feature::named("sticky-notes")
    }
}

/// Errors of this feature.
pub mod errors {
    kit::error_codes! {
        NOTES_DISABLED = 403 "notes-disabled" "Sticky notes are off" : "The setting stickyNotesEnabled is off. Turn it on to use sticky notes.";
        NOTES_FULL = 409 "notes-full" "Sticky note limit reached" : "The limit is 200. Delete one.";
    }
}

#[cfg(test)]
mod tests;
