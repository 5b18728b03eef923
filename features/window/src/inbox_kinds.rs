//! The kinds of inbox rows about the window.

use kit::InboxKind;

pub(crate) static ALL: &[&InboxKind] = &[&RAISE, &HIDDEN];

/// An agent's request to look.
pub(crate) static RAISE: InboxKind = InboxKind::new("raise", "Request to look", "session");
/// What closing the window does.
pub(crate) static HIDDEN: InboxKind = InboxKind::new("window", "Window", "info");
