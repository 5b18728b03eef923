//! The kinds of inbox rows about the computer's resources.

use kit::InboxKind;

pub(crate) static ALL: &[&InboxKind] = &[&NOT_AWAKE];

/// That the computer can't be kept awake.
pub(crate) static NOT_AWAKE: InboxKind = InboxKind::new("resources", "Computer", "info");
