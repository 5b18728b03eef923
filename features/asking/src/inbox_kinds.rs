//! The kinds of inbox rows of input requests and key proposals.

use crate::settings::inboxShowCliPending;
use kit::{InboxKind, Need};

pub(crate) static ALL: &[&InboxKind] = &[&INPUT, &KEY];

/// A request for a value.
pub(crate) static INPUT: InboxKind = InboxKind {
    name: "input",
    label: "Input request",
    icon: "keyboard",
    need: Need::Answer,
    shown_by: Some(&inboxShowCliPending),
};
/// A proposed key.
pub(crate) static KEY: InboxKind = InboxKind {
    name: "key",
    label: "Key proposal",
    icon: "star",
    need: Need::Answer,
    shown_by: Some(&inboxShowCliPending),
};
