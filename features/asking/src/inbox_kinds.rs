//! The kinds of inbox rows of input requests and key proposals.

use crate::settings::inboxShowCliPending;
use kit::{InboxKind, Need};

pub(crate) static ALL: &[&InboxKind] = &[&INPUT, &KEY];

/// A request for a value.
pub(crate) static INPUT: InboxKind =
    InboxKind::new("input", "Input request", "keyboard").asking(Need::Answer).shown_by(&inboxShowCliPending);
/// A proposed key.
pub(crate) static KEY: InboxKind =
    InboxKind::new("key", "Key proposal", "star").asking(Need::Answer).shown_by(&inboxShowCliPending);
